"""Interpolated precision at a recall level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.measures.record import Measure

ELEVEN = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"


def interpolated_precision(relevant: Bools, total: Ints, *, cutoff: float, rounding: str = "half-up") -> Floats:
    """Highest precision at any rank where at least that share of the relevant documents has been found."""
    exact = cutoff * total
    if rounding == "half-up":
        wanted = np.floor(exact) + (exact - np.floor(exact) >= 0.5)
    elif rounding == "trec_eval-9":
        wanted = np.floor(exact + 0.9)
    else:
        raise InputError(f"rounding={rounding!r} is unknown", "rounding is one of half-up, trec_eval-9")
    row, rank = np.divmod(np.flatnonzero(relevant), max(1, relevant.shape[-1]))  # of relevant documents, which are few
    highest = np.zeros(relevant.shape[:-1])
    first = np.searchsorted(row, np.arange(highest.size))
    n_relevant = np.arange(1, len(row) + 1) - first[row]
    reached = n_relevant >= np.broadcast_to(wanted, highest.shape).reshape(-1)[row]
    np.maximum.at(highest.reshape(-1), row[reached], n_relevant[reached] / (rank[reached] + 1))
    return highest


def mean_interpolated_precision(relevant: Bools, total: Ints, *, levels: str = ELEVEN) -> Floats:
    """Interpolated precision, averaged over recall levels."""
    shares = [float(level) for level in levels.split(",")]
    return np.asarray(sum(interpolated_precision(relevant, total, cutoff=share) for share in shares) / len(shares))


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
