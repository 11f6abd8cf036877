"""A test on all pairs of systems at once: (pairs, topics) differences in, p values and directions out."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.families.rank_tests import midranks
from rankscope.statistics.pairs.paired_tests import EXACT_RANKS
from rankscope.statistics.pairs.pairwise import sign_of_pairs, t_of_pairs

PairTest: TypeAlias = Literal["t", "wilcoxon", "sign"]
WORDS: dict[str, str] = {"t": "Student's paired t", "wilcoxon": "signed ranks", "sign": "sign test"}


def all_tested(differences: Floats, test: PairTest, *, errors: Floats | None = None) -> tuple[Floats, Floats]:
    """(pairs) two-sided p values, uncorrected, and a statistic above 0 where the first of a pair is higher.

    errors  of the differences, as `equality.difference` gives both; by default each is known as well as a score of its
            size

    p is NaN where t has no variance to hold a difference against.
    """
    if test not in get_args(PairTest):
        raise InputError(f"test={test!r} is unknown", f"a test is one of {', '.join(get_args(PairTest))}")
    if test == "wilcoxon":
        return wilcoxon_of_pairs(differences, errors=errors)
    if test == "t":
        return t_of_pairs(differences, errors=errors), differences.mean(axis=1)
    return sign_of_pairs(differences), np.sign(differences).sum(axis=1)


def wilcoxon_of_pairs(differences: Floats, *, errors: Floats | None = None) -> tuple[Floats, Floats]:
    """The signed-rank test (Wilcoxon 1945) of each pair, and W+ - W-: zeros dropped, equal sizes share their mean rank.

    By the rule of `statistics.wilcoxon`, so that both give the same p: exact up to 500 differences, and the normal
    approximation with its variance corrected for ties beyond.
    """
    from scipy.special import ndtr

    zeros = np.count_nonzero(differences == 0, axis=1)
    ranks, tied = midranks(np.abs(differences), errors)
    m = differences.shape[1] - zeros
    mine = np.where(differences != 0, ranks - zeros[:, None], 0.0)  # zeros rank below all others, and are left out
    tied = tied - (zeros.astype(np.float64) ** 3 - zeros)
    away = np.where(differences > 0, mine, -mine).sum(axis=1)
    variance = m * (m + 1.0) * (2 * m + 1) / 6 - tied / 12
    p = np.where(m > 0, 2 * ndtr(-np.abs(away) / np.sqrt(np.where(m > 0, variance, 1.0))), 1.0)
    exact = (m > 0) & (m <= EXACT_RANKS)
    for count in np.unique(m[exact & (tied == 0)]).tolist():  # ranks 1 to m have one distribution
        shares = sign_flips.subset_sums(np.arange(1, count + 1))
        for row in np.flatnonzero(exact & (tied == 0) & (m == count)).tolist():
            p[row] = sign_flips.beyond(shares, round(float(away[row])))
    for row in np.flatnonzero(exact & (tied > 0)).tolist():
        weights = np.rint(2 * mine[row][mine[row] > 0]).astype(np.int64)
        p[row] = sign_flips.exact_on_grid(weights, round(2 * float(away[row])))
    return np.clip(p, np.finfo(np.float64).tiny, 1.0), away
