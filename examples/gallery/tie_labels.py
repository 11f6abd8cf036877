"""How many pairs of lists tie with a part of the judgments."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded(), keep_docs=True)
found = rs.studies.ties(judged, fractions=(0.2, 0.4, 0.6, 0.8, 1.0), resampling=rs.statistics.Resampling(3))
found.save_plot("tie_labels.svg", "labels")
