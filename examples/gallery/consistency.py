"""How steadily metrics rank systems on two halves of the topics."""

import rankscope as rs

METRICS = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20"]

judged = rs.load(*rs.simulation.embedded())
splits = rs.statistics.Resampling(200)
rs.studies.consistency(judged, METRICS, resampling=splits).save_plot("consistency.svg")
