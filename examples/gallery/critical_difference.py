"""Many systems: means on an axis, and bars that join systems that cannot be told apart."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.rank(judged, measure="nDCG@10").save_plot("critical_difference.svg", "critical difference")
