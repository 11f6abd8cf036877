"""Corrections of p values for how many there are. The family is given, kept and printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arguments import one_of
from rankscope.arrays import Floats
from rankscope.errors import InputError, Problem
from rankscope.results import Result
from rankscope.statistics.families.comparisons import Comparisons

Correction = Literal["bonferroni", "holm", "hochberg", "benjamini-hochberg", "benjamini-yekutieli"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Adjusted(Result):
    """p values as they came and as adjusted over the family, in the order given.

    Family-wise methods bound the chance of any false rejection, the two of Benjamini the expected share of false ones.
    """

    method: Correction
    family: tuple[str, ...]
    pvalue: Floats
    adjusted: Floats

    def columns(self) -> dict[str, list[Any]]:
        """One row per hypothesis."""
        return {
            "hypothesis": list(self.family), "pvalue": self.pvalue.tolist(), "adjusted": self.adjusted.tolist(),
        }  # fmt: skip

    def heading(self) -> str:
        return f"{self.method} over a family of {len(self.family)}"


@overload
def adjust(pvalues: Comparisons, method: Correction) -> Comparisons: ...
@overload
def adjust(pvalues: ArrayLike, method: Correction, *, family: Sequence[str] | None = None) -> Adjusted: ...
def adjust(
    pvalues: Comparisons | ArrayLike, method: Correction, *, family: Sequence[str] | None = None
) -> Comparisons | Adjusted:
    """Adjusted p values over the family of all that are given; compare them with alpha itself.

    pvalues  one per hypothesis, or comparisons of pairs that are not corrected: these come back corrected

    bonferroni: p times their number (Dunn 1961). holm (1979): step-down, never worse. hochberg (1988): step-up, for
    tests that are independent or positively dependent. benjamini-hochberg (1995): false discovery rate under the same
    condition; benjamini-yekutieli (2001): under any dependence. A baseline compared with itself is no member of a
    family.

    >>> adjust([0.01, 0.04, 0.03], "holm").adjusted.round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    if isinstance(pvalues, Comparisons):
        if pvalues.corrected:
            raise InputError(f"the p values of {pvalues.method} hold for all pairs already", "use them as they are")
        corrected = adjust(pvalues.pvalue, method, family=pvalues.family).adjusted
        return replace(pvalues, method=f"{pvalues.method}, {method}", pvalue=corrected, corrected=True)
    one_of("method", method, get_args(Correction))
    p = np.asarray(pvalues, np.float64)
    if p.ndim != 1 or not len(p):
        raise InputError("p values are no list, or an empty one", "give one p value per hypothesis")
    if family is not None and len(family) != len(p):
        raise InputError(f"{len(family)} names for {len(p)} p values", "name every hypothesis of the family")
    names = tuple(f"hypothesis {i + 1}" for i in range(len(p))) if family is None else tuple(map(str, family))
    wrong = np.flatnonzero(~((p >= 0) & (p <= 1)))
    if len(wrong):
        cure = "leave out of the family what was not tested, such as the baseline against itself"
        raise InputError([Problem(f"{names[i]}: p = {p[i]}", cure) for i in wrong.tolist()])
    m = len(p)
    order = np.argsort(p, kind="stable")
    ordered, rank = p[order], np.arange(1, m + 1)
    if method == "bonferroni":
        steps = m * ordered
    elif method == "holm":
        steps = np.maximum.accumulate((m + 1 - rank) * ordered)
    elif method == "hochberg":
        steps = _from_the_largest((m + 1 - rank) * ordered)
    elif method == "benjamini-hochberg":
        steps = _from_the_largest(m / rank * ordered)
    else:
        steps = _from_the_largest(float((1 / rank).sum()) * m / rank * ordered)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(steps, 1.0)
    return Adjusted(method=method, family=names, pvalue=p, adjusted=adjusted)


def _from_the_largest(values: Floats) -> Floats:
    return np.minimum.accumulate(values[::-1])[::-1]
