"""How far could the score of each system move if its unjudged documents were judged?"""

import rankscope as rs

qrels, runs = rs.simulation.embedded()
rs.bounds(qrels, runs, "nDCG@10").save_plot("bounds.svg")
