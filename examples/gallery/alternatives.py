"""Metrics that could replace average precision."""

import rankscope as rs

METRICS = ["AP@100", "nDCG@10", "nDCG@100", "P@10", "RBP(p=0.8)@100", "RBP(p=0.95)@100"]

judged = rs.load(*rs.simulation.embedded())
resampling = rs.statistics.Resampling(500)
similarity = rs.studies.similarity(judged, METRICS)
consistency = rs.studies.consistency(judged, METRICS, resampling=resampling)
power = rs.studies.discriminative_power(judged, METRICS, resampling=resampling)
rs.studies.alternatives(similarity, consistency, power, canonical="AP@100").save_plot("alternatives.svg")
