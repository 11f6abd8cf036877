"""Interpolated precision at a recall level."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.measures.catalogue.weights import hits
from rankscope.measures.record import Measure

ELEVEN = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"


def interpolated_precision(relevant: Bools, total: Ints, *, cutoff: float, rounding: str = "half-up") -> Floats:
    """Highest precision at any rank where at least that share of the relevant documents has been found."""
    return next(interpolated_precisions(relevant, total, [cutoff], rounding))


def interpolated_precisions(
    relevant: Bools, total: Ints, levels: Sequence[float], rounding: str = "half-up"
) -> Iterator[Floats]:
    """Interpolated precision at each of several recall levels."""
    found = hits(relevant)
    width = int(found.number.max(initial=0))
    highest = np.zeros((math.prod(found.shape), width + 1))  # from the first, second, ... relevant document on
    highest[found.row, found.number - 1] = found.number / found.rank
    highest = np.maximum.accumulate(highest[:, ::-1], axis=-1)[:, ::-1].reshape(*found.shape, width + 1)
    for level in levels:
        exact = level * total
        if rounding == "half-up":
            wanted = np.floor(exact) + (exact - np.floor(exact) >= 0.5)
        elif rounding == "trec_eval-9":
            wanted = np.floor(exact + 0.9)
        else:
            raise InputError(f"rounding={rounding!r} is unknown", "rounding is one of half-up, trec_eval-9")
        place = np.broadcast_to(np.clip(wanted - 1, 0, width).astype(np.int64), found.shape)
        yield np.take_along_axis(highest, place[..., None], axis=-1)[..., 0]


def mean_interpolated_precision(relevant: Bools, total: Ints, *, levels: str = ELEVEN) -> Floats:
    """Interpolated precision, averaged over recall levels."""
    shares = [float(level) for level in levels.split(",")]
    return np.asarray(sum(interpolated_precisions(relevant, total, shares)) / len(shares))


def _levels(values: Mapping[str, Any]) -> str:
    """Refuse levels that are no shares; there is no gain."""
    try:
        shares = [float(level) for level in values["levels"].split(",")]
    except ValueError:
        shares = [-1.0]
    if not all(0 <= share <= 1 for share in shares):
        raise InputError(f"levels={values['levels']!r} are no recall levels",
                         "write numbers from 0 to 1, as in levels=\"0.25,0.5,0.75\"")  # fmt: skip
    return "binary"


IPrec = Measure(
    name="IPrec",
    kernel=interpolated_precision,
    formula=r"\max \{ P@i : \text{at least } \mathrm{round}(x R) \text{ relevant documents among the first } i \}",
    user_model="Reads until a share x of the relevant documents is found, or further where that pays.",
    bounds=(0.0, 1.0),
    cutoff_rule="recall",
    improves="swaps",
    reference="buckley2005trec_eval",
    oracle='trec_eval 10:iprec_at_recall; pytrec_eval (trec_eval 9) with rounding="trec_eval-9"',
    trec=(None, "iprec_at_recall_{:.2f}"),
    note="Recall levels are rounded to whole documents as trec_eval 10 does it; trec_eval 9 rounded up from 0.1.",
)

IPrec_avg = Measure(
    name="IPrec_avg",
    kernel=mean_interpolated_precision,
    formula=r"\frac{1}{|X|} \sum_{x \in X} \mathrm{IPrec}@x",
    user_model="Reads until a share of the relevant documents is found; each share of eleven is as likely.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    gain=_levels,
    improves="swaps",
    reference="buckley2005trec_eval",
    oracle="trec_eval 10:11pt_avg",
    trec=("11pt_avg", None),
    note='trec_eval\'s 11pt_avg, the measure before AP; levels="0.25,0.5,0.75" averages over others.',
)
