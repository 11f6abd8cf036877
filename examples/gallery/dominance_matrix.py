"""One claim for every static rank-weighted metric, of all pairs of systems."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.preferences.dominance_all_pairs(judged, depth=20, gains="linear").save_plot("dominance_matrix.svg")
