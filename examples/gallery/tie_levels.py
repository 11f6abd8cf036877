"""Which recall level tells two lists apart."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.studies.ties(judged).save_plot("tie_levels.svg", "levels")
