"""A gate: does the candidate lose less than the margin, on all topics and on each slice of topics?"""

import rankscope as rs

qrels, runs = rs.simulation.embedded()
judged = rs.load(qrels, runs)
gate = rs.gate(judged, "lexical-3", "hybrid-1", measure="nDCG@10", margin=0.02, by="relevant")
gate.save_plot("checks.svg", "checks")
