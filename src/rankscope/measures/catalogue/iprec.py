"""Interpolated precision at a recall level."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.measures.catalogue.weights import ranks
from rankscope.measures.record import Measure


def interpolated_precision(relevant: Bools, total: Ints, *, cutoff: float, rounding: str = "half-up") -> Floats:
    """Highest precision at any rank where at least that share of the relevant documents has been found."""
    exact = cutoff * total
    if rounding == "half-up":
        wanted = np.floor(exact) + (exact - np.floor(exact) >= 0.5)
    elif rounding == "trec_eval-9":
        wanted = np.floor(exact + 0.9)
    else:
        raise InputError(f"rounding={rounding!r} is unknown", "rounding is one of half-up, trec_eval-9")
    n_relevant = np.add.accumulate(relevant, axis=-1, dtype=np.float64)
    reached = relevant & (n_relevant >= np.asarray(wanted)[..., None])
    return np.max(np.where(reached, n_relevant / ranks(relevant.shape[-1]), 0.0), axis=-1, initial=0.0)


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
