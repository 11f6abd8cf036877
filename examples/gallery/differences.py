"""Differences topic by topic, the mean and its interval."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
found = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10")
found.save_plot("differences.svg", "differences")
