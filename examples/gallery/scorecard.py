"""Metrics and preference methods side by side."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
resampling = rs.statistics.Resampling(500)
rs.metrics(judged, resampling=resampling).save_plot("scorecard.svg")
