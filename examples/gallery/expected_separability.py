"""How many pairs of lists are decided without a metric, beside what chance gives."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
rs.universe.expected_separability(judged, gains="binary").save_plot("expected_separability.svg")
