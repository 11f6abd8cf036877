"""What is left of rankings with a part of the judgments."""

import rankscope as rs

METRICS = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20"]

judged = rs.load(*rs.simulation.embedded(), keep_docs=True)
rs.studies.incompleteness(judged, METRICS, resampling=rs.statistics.Resampling(3)).save_plot("incompleteness.svg")
