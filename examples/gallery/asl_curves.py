"""How many pairs of systems metrics tell apart."""

import rankscope as rs

METRICS = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20"]

judged = rs.load(*rs.simulation.embedded())
resampling = rs.statistics.Resampling(500)
rs.studies.discriminative_power(judged, METRICS, resampling=resampling).save_plot("asl_curves.svg")
