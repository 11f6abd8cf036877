"""How often metrics disagree on lists that systems return, and on means."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.universe.frequencies(judged, depth=10).save_plot("frequencies.svg", "frequencies")
