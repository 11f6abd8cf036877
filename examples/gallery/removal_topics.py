"""Agreement with the whole when topics are missing."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.studies.removal(judged, removed="topics", resampling=rs.statistics.Resampling(3)).save_plot("removal_topics.svg")
