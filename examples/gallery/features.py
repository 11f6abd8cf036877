"""What metrics that disagree prefer."""

import rankscope as rs

rs.universe.features(["AP", "DCG", "RBP(p=0.85)"], depth=8).save_plot("features.svg")
