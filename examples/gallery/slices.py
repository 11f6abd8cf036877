"""Does the difference depend on how many relevant documents a topic has?"""

import rankscope as rs

qrels, runs = rs.simulation.embedded()
judged = rs.load(qrels, runs)
found = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10", by="relevant")
found.save_plot("slices.svg", "slices")
