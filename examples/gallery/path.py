"""How two bare result lists relate down to each rank."""

import rankscope as rs

rs.preferences.serps([("1010110010", "1100101011")]).save_plot("path.svg", "path")
