"""Whether metrics that share a property disagree less."""

import rankscope as rs

rs.universe.buckets(rs.universe.disagreement(depth=8)).save_plot("buckets.svg")
