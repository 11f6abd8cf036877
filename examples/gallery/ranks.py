"""Ranks of systems under several measures; the systems that move most are coloured."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.evaluate(judged, ["nDCG@10", "AP", "RR"]).save_plot("ranks.svg", "ranks")
