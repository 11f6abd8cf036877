"""Disagreement over all rankings, over lists that occur, and over means."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.universe.frequencies(judged, depth=10).save_plot("occurrence.svg", "occurrence", pairs=20)
