"""How alike metrics rank systems, on the mean and topic by topic."""

import rankscope as rs

METRICS = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20"]

judged = rs.load(*rs.simulation.embedded())
rs.studies.similarity(judged, METRICS).save_plot("similarity.svg")
