"""Metrics and preference methods side by side."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
chance = rs.statistics.Resampling(500)
rs.studies.scorecard(judged, chance=chance, splits=chance).save_plot("scorecard.svg")
