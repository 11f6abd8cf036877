"""The same by Nemenyi's comparisons of mean ranks within topics."""

import rankscope as rs
from rankscope.statistics import nemenyi

judged = rs.load(*rs.simulation.embedded())
scores = rs.evaluate(judged, "nDCG@10")
result = nemenyi(scores.matrix("nDCG@10"), systems=scores.systems)
result.save_plot("nemenyi.svg", "critical difference", measure="nDCG@10")
