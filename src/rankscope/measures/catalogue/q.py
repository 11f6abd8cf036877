"""The Q-measure: average precision for graded judgments."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.catalogue.weights import rank_sum, ranks
from rankscope.measures.record import Measure


def q_measure(relevant: Bools, gain: Floats, ideal: Floats, total: Ints, *, beta: float = 1.0) -> Floats:
    """Blended ratio of found to ideal gain at each relevant document, over all relevant documents."""
    depth = relevant.shape[-1]
    best = np.zeros((*ideal.shape[:-1], depth))
    best[..., : ideal.shape[-1]] = ideal[..., :depth]
    n_relevant = np.add.accumulate(relevant, axis=-1, dtype=np.float64)
    blended = n_relevant + beta * np.add.accumulate(gain, axis=-1)
    ratio = blended / (ranks(depth) + beta * np.add.accumulate(best, axis=-1))
    return rank_sum(relevant * ratio) / total


Q = Measure(
    name="Q",
    kernel=q_measure,
    formula=r"\frac{1}{R} \sum_{i} r_i \frac{\sum_{j \le i} r_j + \beta \sum_{j \le i} g_j}"
    r"{i + \beta \sum_{j \le i} g^{ideal}_j}",
    user_model="The reader of AP, who also minds how relevant the documents are; beta is how much.",
    bounds=(0.0, 1.0),
    reference="sakai2004qmeasure",
    oracle="pyNTCIREVAL:Q-measure",
    breaks_ipso="with several grades, a document of a low grade has a low blended ratio above those of higher grades: "
    "to move it up can lower the score; with one grade above 0 it keeps both rules",
    note="Q@k divides by R, as AP@k does; NTCIREVAL divides by min(R, k). With several grades it can prefer 0, 3, 1 at "
    "ranks 4 to 6 to 1, 3, 0: IPSO does not bind it then.",
)
