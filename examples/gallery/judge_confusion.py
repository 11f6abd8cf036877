"""Which grades a judge gives for each grade of the reference."""

import rankscope as rs
from rankscope.simulation.embedded_collection import embedded_judges

qrels, runs = rs.simulation.embedded()
study = rs.studies.judges(qrels, runs, embedded_judges())
study.save_plot("judge_confusion.svg", "confusion")
