"""Two systems topic by topic: lists, IPSO's classes, differences of metrics."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
found = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10")
found.save_plot("strips.svg", "strips")
