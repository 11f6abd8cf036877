"""The difference on each topic against the number of its relevant documents, with the mean of each quarter."""

import rankscope as rs

qrels, runs = rs.simulation.embedded()
judged = rs.load(qrels, runs)
found = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10", by="relevant")
found.save_plot("attribute.svg", "attribute")
