"""The strips of two systems, narrow enough for a paper's column."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
found = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10")
found.save_plot("strips_column.svg", "strips", narrow=True, title=False)
