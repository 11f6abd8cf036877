"""How much one recall level says of another."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.studies.locality(judged).save_plot("locality.svg")
