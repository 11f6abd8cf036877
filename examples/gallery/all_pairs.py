"""The difference and p of all pairs of systems, corrected for their number."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.rank(judged, measure="nDCG@10").save_plot("all_pairs.svg", "pairs")
