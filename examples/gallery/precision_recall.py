"""Interpolated precision at eleven recall levels."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
levels = [f"IPrec@{i / 10:g}" for i in range(11)]
rs.evaluate(judged, levels).save_plot("precision_recall.svg", "precision-recall")
