"""How likely another list ties in reciprocal rank."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.studies.ties(judged).save_plot("tie_first_rank.svg", "first rank")
