"""Agreement with the whole when labels are missing."""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded(), keep_docs=True)
rs.studies.removal(judged, resampling=rs.statistics.Resampling(3)).save_plot("removal.svg")
