"""How often a metric and IPSO agree on significance."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.studies.agreement(judged).save_plot("agreement_bars.svg", "bars")
