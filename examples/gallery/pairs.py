"""Significance of all pairs of systems, by any procedure for families; here step-down bootstrap MaxT."""

import numpy as np

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
scores = rs.evaluate(judged, "nDCG@10").of("nDCG@10")
scores = scores[:, np.isfinite(scores).all(axis=0)]  # topics with relevant documents
rs.statistics.bootstrap_max_t(scores.T, systems=judged.systems).save_plot("pairs.svg", measure="nDCG@10")
