"""Scores of all systems on all topics, from hard topics to easy ones."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.evaluate(judged, "nDCG@10").save_plot("heat_map.svg", "heat map")
