"""Doubt that is left as documents are judged in the order of judge_next, by rank and at random."""

import gzip
from pathlib import Path

import rankscope as rs

qrels, runs = rs.simulation.embedded()
with gzip.open(qrels, "rt") as file:
    Path("fewer.txt").write_text("".join(line for i, line in enumerate(file) if i % 4))
pair = [path for path in runs if path.stem in ("lexical-1", "lexical-3")]
rs.judge_next("fewer.txt", pair, judge=qrels, measure="nDCG@5", budget=60).save_plot("doubt.svg")
