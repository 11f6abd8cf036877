"""Two systems: the scores of both on each topic."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
scores = rs.evaluate(judged, "nDCG@10")
scores.save_plot("scatter.svg", "scatter", systems=["lexical-3", "hybrid-1"])
