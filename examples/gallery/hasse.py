"""IPSO's order of all rankings."""

import rankscope as rs

rs.universe.hasse(4).save_plot("hasse.svg")
