"""All pairs of systems: significant for a metric, for IPSO, for both."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.studies.agreement(judged).save_plot("triangle.svg", "triangle", measure="nDCG", depth=10)
