"""Two bare result lists, or several pairs of them."""

import rankscope as rs

pairs = [("1011000100", "0111000000"), ("1000010000", "1000000010"), ("1001001000", "0110000001")]
rs.preferences.serps(pairs).save_plot("serps.svg")
