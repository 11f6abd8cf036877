"""Where RBP changes its mind on two rankings as its persistence grows."""

import rankscope as rs

rs.universe.flips("1000100100", "0110011000").save_plot("flips.svg")
