"""Many systems: means, intervals, and groups that cannot be told apart."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.rank(judged, measure="nDCG@10").save_plot("leaderboard.svg")
