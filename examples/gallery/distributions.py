"""Scores by topic of every system: points, quartiles, median and mean."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.evaluate(judged, "nDCG@10").save_plot("distributions.svg", "distributions")
