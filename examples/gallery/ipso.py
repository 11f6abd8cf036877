"""IPSO's classes at every rank."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.ipso(judged, "lexical-3", "hybrid-1", depth=20).save_plot("ipso.svg")
