"""All pairs of rankings, in the order of two metrics."""

import rankscope as rs

rs.universe.order_grid(6, "AP", "nDCG").save_plot("grid.svg")
