"""Mean scores, and beside them how many of the first ten documents nobody has judged."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.evaluate(judged, ["nDCG@10", "Judged@10"]).save_plot("unjudged.svg", "unjudged")
