"""Where the variance of scores comes from; runs of one family are taken for repeated runs of one system."""

import numpy as np

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
scores = rs.evaluate(judged, "nDCG@10").of("nDCG@10")
scores = scores[:, np.isfinite(scores[0])]
families = [system.rpartition("-")[0] for system in judged.systems]
repeated = {name: scores[[family == name for family in families]].T for name in sorted(set(families))}
rs.statistics.variance_components(repeated).save_plot("variance.svg", "variance", measure="nDCG@10")
