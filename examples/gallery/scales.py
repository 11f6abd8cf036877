"""What changes when scores are made to lie on an interval scale."""

import rankscope as rs

METRICS = ["AP", "nDCG@5", "P@5", "RBP(p=0.5)", "RBP(p=0.8)", "RR"]

judged = rs.load(*rs.simulation.embedded())
rs.studies.scales(judged, METRICS, depth=5).save_plot("scales.svg")
