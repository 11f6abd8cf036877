"""Up to which persistence RBP prefers one of two rankings, and from which the other."""

import rankscope as rs

rs.universe.flips("1000100100", "0110011000").save_plot("flips.svg")
