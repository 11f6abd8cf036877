"""Expected reciprocal rank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankscope.arrays import ExactNumbers, Floats
from rankscope.measures.catalogue.weights import rank_sum, ranks
from rankscope.measures.exact import objects, over
from rankscope.measures.record import Measure


def expected_reciprocal_rank(gain: Floats) -> Floats:
    """Sum over ranks of the chance to stop there, over the rank; gain is the chance to be satisfied."""
    reached = np.ones_like(gain)
    reached[..., 1:] = np.multiply.accumulate(1 - gain[..., :-1], axis=-1)
    return rank_sum(gain * reached / ranks(gain.shape[-1]))


def exact_expected_reciprocal_rank(gain: Any, *, unit: int) -> ExactNumbers:
    """As expected_reciprocal_rank, never rounded: from the last rank up, satisfied here or by what follows."""
    depth = gain.shape[-1]
    ranks = math.lcm(*range(1, depth + 1))
    follows = objects(np.zeros(gain.shape[:-1], np.int64))
    for i in range(depth, 0, -1):
        here = objects(gain[..., i - 1])
        follows = here * (ranks // i * unit ** (depth - i)) + (unit - here) * follows
    return over(follows, ranks * unit**depth)


ERR = Measure(
    name="ERR",
    kernel=expected_reciprocal_rank,
    exact=exact_expected_reciprocal_rank,
    formula=r"\sum_{i} \frac{1}{i} g_i \prod_{j<i} (1 - g_j), \quad g = \frac{2^{grade} - 1}{2^{max\_rel}}",
    user_model="Reads from the top; each document satisfies with probability g, and then the reader stops.",
    bounds=(0.0, 1.0),
    needs="gain",
    gain="exp",
    gain_parameters=("gain", "gains", "max_rel"),
    improves="grades",
    reference="chapelle2009err",
    oracle="gdeval:err (with max_rel=4)",
    note="max_rel is the largest judged grade of the collection; gdeval always takes 4. Not linear in its gains: where "
    "judgments are graded, IPSO does not bind it.",
)
