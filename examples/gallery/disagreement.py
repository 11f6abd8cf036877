"""How often metrics disagree over all rankings."""

import rankscope as rs

rs.universe.disagreement(depth=8).save_plot("disagreement.svg")
