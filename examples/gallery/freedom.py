"""How metrics order the pairs of rankings that IPSO leaves free."""

import rankscope as rs

METRICS = ["AP", "nDCG", "P", "RR", "RBP(p=0.5)", "RBP(p=0.8)", "ERR"]

rs.universe.freedom(METRICS, 5).save_plot("freedom.svg")
