"""One claim for every static rank-weighted metric: the dominance profile with its bands."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.dominance(judged, "lexical-3", "hybrid-1", depth=50, gains="linear").save_plot("dominance.svg")
