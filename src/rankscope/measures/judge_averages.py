"""Scores averaged over judges, topic by topic: map_avgjg, P_avgjg and Rprec_mult_avgjg of trec_eval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import quietly
from rankscope.judged.judges import Judges
from rankscope.measures.scores import Scores
from rankscope.measures.scoring import Measures, evaluate


def evaluate_judges(judges: Judges, measures: Measures, *, workers: int | None = None) -> Scores:
    """Scores of a topic under each of its judges, averaged over these judges, as trec_eval does with qrels_jg.

    A judge counts for the topics that the judge has judged. A topic without relevant documents under one judge counts
    0 for this judge, as in trec_eval; so no topic is left out.
    """
    total: Floats | None = None
    parts = []
    for name in judges.names:
        lists = judges.judged(name)
        with quietly():
            scores = evaluate(replace(lists, rules=replace(lists.rules, undefined="zero")), measures, workers=workers)
        parts.append(scores)
    place = {topic: row for row, topic in enumerate(judges.topics)}
    shape = (len(parts[0].measures), len(judges.systems), len(judges.topics))
    total, count = np.zeros(shape), np.zeros(len(judges.topics))
    for scores in parts:
        at = [place[topic] for topic in scores.topics]
        total[:, :, at] += scores.value
        count[at] += 1
    stems = tuple(f"{stem}|judges:{len(judges.names)}" for stem in parts[0].signature_stems)
    return replace(
        parts[0], topics=judges.topics, value=total / count, signature_stems=stems,
        lacking=np.zeros((len(judges.systems), len(judges.topics)), np.bool_),
        undefined=np.zeros((len(parts[0].measures), len(judges.topics)), np.bool_),
    )  # fmt: skip
