"""Readers of C/W/L with the expected rate of gain by name: NERR, which are nearly ERR, and BPM.

Kernels here know ranks and gains alone; sums over documents without gain past the list come from the models.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.measures.catalogue.weights import geometric, rank_sum, ranks
from rankscope.measures.record import Measure


def nerr8(gain: Floats, *, cutoff: int) -> Floats:
    """Expected rate of gain of a reader of k documents who is satisfied by each with a chance of its gain."""
    seen, end, last = _seen(gain, np.ones(gain.shape[-1]))
    return rank_sum(seen * gain) / (rank_sum(seen) + end * (cutoff - last))


def nerr9(gain: Floats, *, cutoff: int) -> Floats:
    """As nerr8, for a reader who also gives up, so that 1 of i comes to rank i."""
    shares = 1 / ranks(cutoff)
    below = np.append(np.add.accumulate(shares[::-1])[::-1], 0.0)  # of all ranks that follow rank 0, 1, ...
    seen, end, last = _seen(gain, shares[: gain.shape[-1]])
    return rank_sum(seen * gain) / (rank_sum(seen) + end * below[last])


def nerr10(gain: Floats, *, p: float = 0.9) -> Floats:
    """As nerr8 without end, for a reader who goes on with probability p where a document does not satisfy."""
    seen, end, last = _seen(gain, geometric(gain.shape[-1], p) / (1 - p))
    return rank_sum(seen * gain) / (rank_sum(seen) + end * p**last / (1 - p))


def nerr11(gain: Floats, *, T: float = 1.0) -> Floats:
    """As nerr8 without end, for a reader who wants gain T and goes on as INSQ's reader where it does not satisfy."""
    from rankscope.measures.cwla.models import INSQ

    seen, end, last = _seen(gain, (2 * T / (ranks(gain.shape[-1]) + 2 * T - 1)) ** 2)
    come_to_end = (2 * T / (last + 2 * T)) ** 2 * end
    return rank_sum(seen * gain) / (rank_sum(seen) + INSQ(T).views(last, np.inf, come_to_end, 0.0))


def bejewelled(gain: Floats, *, cutoff: int, T: float = 1.0) -> Floats:
    """Mean gain of the documents read: down to rank k, or to the rank where the gain comes to T."""
    gained = np.add.accumulate(gain, axis=-1)
    enough = gained >= T
    read = np.where(enough.any(axis=-1), enough.argmax(axis=-1) + 1, cutoff) if gain.shape[-1] else np.array(cutoff)
    return rank_sum(gain * (np.arange(gain.shape[-1]) < np.asarray(read)[..., None])) / read


def _seen(gain: Floats, shares: Floats) -> tuple[Floats, Floats, Ints]:
    """Share of readers who come to each rank, down to the last document with gain; of those whom nothing satisfied; and
    the rank of that document. So a score has the same bits however long the array is."""
    unsatisfied = np.ones((*gain.shape[:-1], gain.shape[-1] + 1))
    np.multiply.accumulate(1 - gain, axis=-1, out=unsatisfied[..., 1:])
    last = np.max(np.where(gain > 0, np.arange(1, gain.shape[-1] + 1), 0), axis=-1, initial=0)
    within = np.arange(gain.shape[-1]) < np.asarray(last)[..., None]
    return unsatisfied[..., :-1] * shares * within, unsatisfied[..., -1], last


_GAINS = ("rel", "gain", "gains", "max_rel")
_RATE = r"\sum_i V(i) g_i \Big/ \sum_i V(i), \quad V(i) = {} \prod_{{j<i}} (1 - g_j)"
_REFERENCE = "azzopardi2021err"


def _nerr(name: str, kernel: Any, share: str, user_model: str, note: str, **fields: Any) -> Measure:
    return Measure(
        name=name, kernel=kernel, formula=_RATE.format(share), user_model=user_model, bounds=(0.0, 1.0), needs="gain",
        gain="linear", gain_parameters=_GAINS, reference=_REFERENCE, oracle=f"cwl_eval:{name}",
        note="Gains are grade / largest grade. " + note, **fields,
    )  # fmt: skip


NERR8 = _nerr(
    "NERR8", nerr8, "1", "Reads k documents, and stops at one with a chance of its gain.",
    "Equation 8 of the paper.", cutoff_rule="required", improves="grades",
)  # fmt: skip
NERR9 = _nerr(
    "NERR9", nerr9, r"\frac{1}{i}", "As of NERR8, and 1 reader of i comes to rank i.",
    "Equation 9 of the paper.", cutoff_rule="required", improves="grades",
)  # fmt: skip
NERR10 = _nerr(
    "NERR10", nerr10, "p^{i-1}", "Goes on with probability p where a document did not satisfy.",
    "Equation 10 of the paper; the tail is infinite.", cutoff_rule="none", within=(("p", (0, 1)),),
)  # fmt: skip
NERR11 = _nerr(
    "NERR11", nerr11, r"\left( \frac{2T}{i + 2T - 1} \right)^2",
    "Expects to need gain T, and gets more stubborn with every rank that did not satisfy.",
    "Equation 11 of the paper; the tail is infinite, while cwl_eval stops at rank 1000.",
    cutoff_rule="none", within=(("T", (0.0, float("inf"))),),
)  # fmt: skip

BPM = Measure(
    name="BPM",
    kernel=bejewelled,
    formula=r"\frac{1}{m} \sum_{i \le m} g_i, \quad m = \min(k, \min \{ i : g_1 + \dots + g_i \ge T \})",
    user_model="Reads until gain T is collected, at most k documents.",
    bounds=(0.0, 1.0),
    needs="gain",
    cutoff_rule="required",
    gain="linear",
    gain_parameters=_GAINS,
    within=(("T", (0.0, float("inf"))),),
    breaks_ipso="with several grades, a better document may bring the gain to T sooner, before the best of the list",
    reference="zhang2017bejeweled",
    oracle="cwl_eval:BPM-Static",
    note="The static Bejeweled Player Model. Gains are grade / largest grade.",
)

NEARLY_ERR = (NERR8, NERR9, NERR10, NERR11, BPM)
