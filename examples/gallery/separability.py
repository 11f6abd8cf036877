"""How many pairs of rankings are decided without a metric, by depth."""

import rankscope as rs

rs.universe.separability().save_plot("separability.svg")
