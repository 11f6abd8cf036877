"""How likely reciprocal rank ties two rankings at random."""

import rankscope as rs

rs.universe.tie_curve().save_plot("tie_probability.svg")
