"""Would ties or missing judgments change the verdict?"""

import rankscope as rs

qrels, runs = rs.simulation.embedded()
judged = rs.load(qrels, runs, keep_ties=True)
found = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10")
found.save_plot("choices.svg", "choices")
