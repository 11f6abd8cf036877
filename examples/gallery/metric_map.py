"""Who is ahead all over metric space."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
found = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10")
found.save_plot("metric_map.svg", "metric map")
