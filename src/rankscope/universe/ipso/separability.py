"""Shares of equal, separable and non-separable pairs of rankings (IPSO): counted, not sampled, at any depth.

Moffat and Mackenzie, "How much freedom does an effectiveness metric really have?", JASIST 75(6), 2024: their Table 2 by
a closed form and a dynamic programme, and the counterpart of their Table 3 that chance alone would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import comb, gcd, lcm
from typing import Any, NamedTuple, cast

import numpy as np

from rankscope.arguments import at_once, whole_number
from rankscope.arrays import FIRST_GRADE, Ints
from rankscope.errors import InputError, Problem, argument, plural, quietly
from rankscope.judged import Judged
from rankscope.preferences.all_pairs import all_pairs
from rankscope.preferences.gains import Gains, exact
from rankscope.preferences.ordering import ordering_for
from rankscope.preferences.selection import chosen, depth_of
from rankscope.progress import Progress, heard, staged
from rankscope.results import records
from rankscope.universe.answers import Answered
from rankscope.universe.grade_gains import GradeGains, Worth, worth_of
from rankscope.universe.ipso.pair_counts import (
    Number,
    RandomLists,
    Shares,
    closed_form,
    exactly,
    in_doubles,
    random_lists,
    refusal,
    with_at_most,
)

DEPTHS = (5, 10, 15, 20, 50, 100)
"""The depths of Tables 2 and 3."""
MOST_DEPTH = 100_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeparabilityCounts(Answered):
    """Pairs of rankings that are equal, separable and non-separable, one row per depth.

    counts  by depth: numbers of ordered pairs where every ranking counts once, else probabilities
    worth   what decides between two rankings: counts at every grade threshold, or sums of gains
    how     which rankings, how likely each is, and what decides
    error   no share is off by more than this; 0 where all is exact
    """

    depths: tuple[int, ...]
    counts: tuple[Shares, ...]
    worth: Worth
    how: str
    error: float

    @property
    def exact(self) -> bool:
        """Whether nothing was rounded."""
        return self.error == 0

    @property
    def shares(self) -> tuple[Shares, ...]:
        """By depth, adding up to 1: fractions where exact."""
        return tuple(Shares(*(_over(n, count.total) for n in count)) for count in self.counts)

    def at(self, depth: int) -> Shares:
        """The shares at one depth."""
        if depth not in self.depths:
            raise InputError(f"depth={depth!r} was not asked for", f"depths are {', '.join(map(str, self.depths))}")
        return self.shares[self.depths.index(depth)]

    def columns(self) -> dict[str, list[Any]]:
        """One row per depth: shares as doubles, each the nearest one where exact."""
        shares = self.shares
        return {
            "k": list(self.depths),
            "equal": [float(s.equal) for s in shares],
            "non_inferior": [float(s.non_inferior) for s in shares],
            "non_superior": [float(s.non_superior) for s in shares],
            "separable": [float(s.separable) for s in shares],
            "non_separable": [float(s.non_separable) for s in shares],
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON; exact numbers as text, since they outgrow what JSON holds."""
        rows = records(self.columns())
        if self.exact:
            for row, count in zip(rows, self.counts, strict=True):
                row["exactly"] = {name: _text(n) for name, n in count._asdict().items()} | {"of": _text(count.total)}
        return {"how": self.how, "gains": self.worth.plain, "error": self.error, "depths": rows}

    QUESTION = "On how many pairs of rankings can metrics disagree?"
    READING = (
        "Equal: the same gains at the same ranks. Separable: one ranking is at least as good under every metric that "
        "IPSO binds.",
        "Non-separable: metrics are free to prefer either ranking.",
    )

    def answer(self, breaking: Sequence[str] = ()) -> str:
        """What IPSO cannot separate at the first depth; and the metrics that do not always keep its rules."""
        share = self.shares[0]
        verb = "does" if len(breaking) == 1 else "do"
        others = f"; {' and '.join(breaking)} {verb} not always keep them" if breaking else ""
        return (
            f"IPSO cannot separate {100 * float(share.non_separable):.2f} % of the pairs of rankings of "
            f"{plural(self.depths[0], 'document')}, and orders {100 * float(share.separable):.2f} %. On pairs that it "
            f"cannot separate, even metrics that keep IPSO's rules may disagree{others}."
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [str(k), *(f"{100 * float(part):.4f}" for part in (s.equal, s.separable, s.non_separable))]
            for k, s in zip(self.depths, self.shares, strict=True)
        ]
        return ["k", "equal %", "separable %", "non-separable %"], rows

    def heading(self) -> str:
        lost = "exact" if self.exact else f"doubles: no share is off by more than {self.error:.1g}"
        return f"{self.how}; {lost}"

    def text_columns(self) -> int:
        return 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExpectedSeparability(Answered):
    """Separability of a collection's lists (Table 3), beside that of random lists.

    models  by name, from the coarsest: fair coins; each rank its own odds; each rank of each topic its own odds; and
            the pairs that were observed
    """

    depths: tuple[int, ...]
    models: dict[str, tuple[Shares, ...]]
    pairs: int
    n_topics: int
    gains: str
    error: float

    def columns(self) -> dict[str, list[Any]]:
        """One row per model and depth: shares as doubles."""
        rows = [(name, k, s) for name, shares in self.models.items() for k, s in zip(self.depths, shares, strict=True)]
        return {
            "model": [name for name, _, _ in rows],
            "k": [k for _, k, _ in rows],
            "equal": [float(s.equal) for *_, s in rows],
            "separable": [float(s.separable) for *_, s in rows],
            "non_separable": [float(s.non_separable) for *_, s in rows],
        }

    def to_dict(self) -> dict[str, Any]:
        rows = records(self.columns())
        return {"pairs": self.pairs, "n_topics": self.n_topics, "gains": self.gains, "error": self.error, "rows": rows}

    QUESTION = "Can metrics disagree more or less often than by chance?"
    READING = (
        "Observed: pairs of lists of two systems on one topic. Other rows: lists drawn at random with these odds.",
        "Non-separable: metrics are free to prefer either list.",
    )

    def answer(self) -> str:
        """What IPSO cannot separate, observed and by the closest model of chance, at the first depth."""
        (chance, by_chance), (_, observed) = list(self.models.items())[-2:]
        return (
            f"IPSO cannot separate {100 * float(observed[0].non_separable):.2f} % of the pairs of lists down to rank "
            f"{self.depths[0]}; by chance ({chance}) it would be {100 * float(by_chance[0].non_separable):.2f} %."
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        columns = self.columns()
        parts = [columns[name] for name in ("equal", "separable", "non_separable")]
        rows = [
            [name, str(k), *(f"{100 * part:.2f}" for part in row)]
            for name, k, *row in zip(columns["model"], columns["k"], *parts, strict=True)
        ]
        return ["pairs", "k", "equal %", "separable %", "non-separable %"], rows

    def heading(self) -> str:
        return f"{plural(self.pairs, 'pair')} of lists over {plural(self.n_topics, 'topic')}; by {self.gains}"


def separability(
    depth: int | Sequence[int] = DEPTHS,
    *,
    grades: int = 1,
    gains: GradeGains = None,
    probabilities: Any = None,
    against: Any = None,
    recall_base: int | None = None,
    empty: bool = True,
    exact: bool = True,
    rel: float | None = None,
    progress: Progress = None,
) -> SeparabilityCounts:
    """Shares of all pairs of rankings that IPSO leaves equal, separable and non-separable.

    depth          k, or several of them; all come from one pass
    grades         c: grades are 0 to c
    gains          "thresholds", the default: a ranking is non-inferior where for every grade from 1 on, down to every
                   rank, it has no fewer documents of at least that grade. That binds every metric that keeps the two
                   rules. Or what is summed and compared: "linear", "exp", "binary", or the gains of grades 0 to c,
                   none falling; that binds metrics that sum these gains with weights that do not grow down the
                   ranking. Decimals are what was typed: 0.1 + 0.2 is 0.3
    probabilities  how likely each document is relevant, independent of the others: one number, one a rank, or by rank
                   one a grade; or a collection, which gives the frequencies of its ranks over all systems and topics
                   (`gains` and `rel` are then those of `ipso`). By default all rankings are equally likely
    against        the same for the second ranking of a pair, where it is another
    recall_base    R: rankings hold at most R relevant documents; binary and equally likely only
    empty          whether the ranking without a relevant document counts; likewise
    exact          whole numbers and fractions, else doubles, with a bound on what they lose
    progress       hears which share of the work is done, as in `progress=Bar()`

    For binary rankings that are equally likely there is a closed form: of the 4^k ordered pairs 2^k are equal and
    2 (C(2k+1, k) - 2^k) separable. All else is a dynamic programme over the running difference of gains, or over the
    differences of counts at all thresholds: (k + 1)^c of them at each of k ranks. What would take more than 1 GiB or
    ten minutes is refused: exact numbers go to depth 540 for two grades above 0, to 125 for three, to 45 for four.

    >>> separability(3).counts[0]
    Shares(equal=8, non_inferior=27, non_superior=27, non_separable=2)
    >>> separability(3, grades=2).counts[0].separable, separability(3, grades=2, gains="linear").counts[0].separable
    (548, 608)
    >>> print(separability([10, 1000]))
    IPSO cannot separate 32.82 % of the pairs of rankings of 10 documents, and
      orders 67.08 %. On pairs that it cannot separate, even metrics that keep
      IPSO's rules may disagree.
    <BLANKLINE>
       k  equal %  separable %  non-separable %
      10   0.0977      67.0799          32.8224
    1000   0.0000       7.1320          92.8680
    <BLANKLINE>
    All binary rankings, equally likely; exact.
    Next: to_text("full") has all numbers, to_text("explain") how to read them.
    """
    depths = _depths(depth)
    if isinstance(probabilities, Judged):
        return _of_collection(probabilities, depths, grades, gains, rel, against, recall_base, empty, exact, progress)
    if rel is not None:
        raise InputError(
            f"{argument('rel', rel)} has no effect here", f"{argument('rel')} goes with a collection as probabilities"
        )
    worth = worth_of(grades, gains)
    if probabilities is None and against is not None:
        raise InputError("against= needs probabilities= beside it", "say how likely relevance is in both rankings")
    if recall_base is not None or not empty:
        return _limited(depths, worth, recall_base, empty, probabilities is None and exact)
    if probabilities is None:
        kind = "binary rankings" if worth.grades == 1 else f"rankings over grades 0 to {worth.grades}"
        how = _joined(f"all {kind}, equally likely", worth.words)
        if exact and worth.binary:
            counts = tuple(closed_form(k) for k in depths)
            return SeparabilityCounts(depths=depths, counts=counts, worth=worth, how=how, error=0.0)
        first = second = np.ones((depths[-1], worth.grades + 1), object)
    else:
        first = _odds("probabilities", probabilities, depths[-1], worth.grades + 1)
        second = first if against is None else _odds("against", against, depths[-1], worth.grades + 1)
        how = _joined("relevance by given probabilities, each rank on its own", worth.words)
    return _counted(depths, worth, first, second, how, exact, progress, counts=probabilities is None)


def expected_separability(
    judged: Judged,
    depth: int | Sequence[int] | None = None,
    *,
    gains: Gains = None,
    rel: float | None = None,
    workers: int | None = None,
    progress: Progress = None,
) -> ExpectedSeparability:
    """Separability of a collection's lists (Table 3), beside that of random lists with the same relevance.

    depth  k, or several of them; by default those of the paper that were loaded and can be counted in ten minutes
    gains, rel  as for `ipso`: by counts at every grade threshold by default
    progress    hears which share of the work is done, as in `progress=Bar()`

    Beside the observed pairs stand three kinds of chance. "fair coins": every grade is as likely as any other (Table
    2). "odds by rank": each rank has its frequencies over all systems and topics. "odds by rank and topic": each topic
    has its own. What is left between the last and the observed is that the documents of one list depend on each other.
    """
    loaded = judged.code.shape[-1]
    if depth is None:
        depths = tuple(k for k in DEPTHS if k <= loaded) or (loaded,)
    else:
        depths = _depths(depth)
        depth_of(judged, depths[-1])
    profile = _profile(judged, gains, rel, depths[-1])
    if depth is None:
        while len(depths) > 1:
            cut = profile.frequency[:, : depths[-1]]
            if refusal(depths[-1], random_lists(profile.worth.gains, cut, cut)) is None:
                break
            depths = depths[:-1]
    frequency = profile.frequency[:, : depths[-1]]
    if len(judged.systems) < 2:
        raise InputError("one system has no pairs", "give the runs of at least two systems")
    pooled = frequency.sum(axis=0) / frequency.sum(axis=0).sum(axis=-1, keepdims=True)
    of_topic, of_rank = frequency / len(judged.systems), pooled[None]
    fair = np.full_like(of_rank, 1 / of_rank.shape[-1])
    sums, pairing = staged(progress, 3, 1)
    stages = staged(sums, *(float(len(odds)) for odds in (of_topic, fair, of_rank)))
    (by_topic, error), (by_coin, _), (by_rank, _) = (
        in_doubles(depths, random_lists(profile.worth.gains, odds, odds), stage)
        for odds, stage in zip((of_topic, fair, of_rank), stages, strict=True)
    )
    observed = []
    with quietly():  # what is left out was said with the frequencies
        for k in heard(iter(depths), len(depths), pairing):
            pairs = all_pairs(judged, "ipso", depth=k, gains=gains, rel=rel, workers=workers)
            classes = pairs.counts.sum(axis=0).tolist()
            observed.append(Shares(*(n / sum(classes) for n in classes)))
    return ExpectedSeparability(
        depths=depths,
        models={
            "fair coins": tuple(by_coin),
            "odds by rank": tuple(by_rank),
            "odds by rank and topic": tuple(by_topic),
            "observed": tuple(observed),
        },
        pairs=len(frequency) * comb(len(judged.systems), 2),
        n_topics=len(frequency),
        gains=profile.words,
        error=error,  # of all these sums the last is the longest
    )


def _counted(
    depths: tuple[int, ...],
    worth: Worth,
    first: Any,
    second: Any,
    how: str,
    exact: bool,
    progress: Progress,
    *,
    counts: bool,
) -> SeparabilityCounts:
    """The dynamic programme over one profile, in whole numbers or in doubles."""
    lists = random_lists(worth.gains, first, second)
    if exact:
        weights = tuple(exactly(depths, lists, progress))
        if not counts:
            weights = tuple(Shares(*(_over(n, weight.total) for n in weight)) for weight in weights)
        return SeparabilityCounts(depths=depths, counts=weights, worth=worth, how=how, error=0.0)
    a, b = ((weight / weight.sum(axis=1)[:, None]).astype(np.float64)[None] for weight in (lists.first, lists.second))
    shares, error = in_doubles(depths, RandomLists(lists.gain, a, a if first is second else b, lists.base), progress)
    return SeparabilityCounts(depths=depths, counts=tuple(shares), worth=worth, how=how, error=error)


def _limited(
    depths: tuple[int, ...], worth: Worth, recall_base: int | None, empty: bool, plain: bool
) -> SeparabilityCounts:
    """Binary rankings with at most R relevant documents, with or without the one that has none."""
    if not worth.binary or not plain:
        raise InputError("recall_base and empty need binary rankings that are equally likely and counted exactly",
                         "leave probabilities, gains and exact at their defaults")  # fmt: skip
    limit = depths[-1] if recall_base is None else min(whole_number("recall_base", recall_base), depths[-1])
    how = "binary rankings" + (f" with up to {limit} relevant documents" if limit < depths[-1] else "")
    how += ", equally likely" if empty else ", equally likely, without the one that has no relevant document"
    if limit == depths[-1]:
        by_depth = {k: closed_form(k) for k in depths}
    elif limit * limit * depths[-1] > 1e8:
        minutes = limit * limit * depths[-1] * 1e-6 / 60
        raise InputError(f"R = {limit} at depth {depths[-1]} would take about {minutes:.0f} minutes",
                         "take a smaller depth or R, or R = k, which has a closed form")  # fmt: skip
    else:
        by_depth = with_at_most(limit, depths)
    counts = []
    for k in depths:
        equal, above, below, free = cast("tuple[int, int, int, int]", tuple(by_depth[k]))
        if not empty:  # it is equal to itself, and no ranking is below it
            equal, others = equal - 1, sum(comb(k, r) for r in range(1, min(k, limit) + 1))
            above, below = above - others, below - others
        counts.append(Shares(equal, above, below, free))
    return SeparabilityCounts(depths=depths, counts=tuple(counts), worth=worth, how="all " + how, error=0.0)


class _Profile(NamedTuple):
    """Relevance of a collection: (topics, ranks, gains) how many systems have each gain there."""

    frequency: Ints
    worth: Worth
    words: str


def _profile(judged: Judged, gains: Gains, rel: float | None, depth: int) -> _Profile:
    order = ordering_for(judged, gains, rel, depth)
    lists = chosen(judged, judged.systems, depth, order.first)
    codes = FIRST_GRADE + len(judged.grades)
    gain = order.gain
    table = np.searchsorted(order.firsts, np.arange(codes), side="right") if gain is None else gain.table
    units, at = np.unique(table, return_inverse=True)
    frequency = np.zeros((len(lists.topics), depth, len(units)), np.int64)
    for j in range(len(units)):
        frequency[..., j] = np.count_nonzero((at == j)[lists.code], axis=0)
    worth = Worth(len(units) - 1, None if gain is None else tuple(Fraction(int(u), gain.unit) for u in units))
    return _Profile(frequency, worth, order.words)


def _of_collection(
    judged: Judged,
    depths: tuple[int, ...],
    grades: int,
    gains: Any,
    rel: float | None,
    against: Any,
    recall_base: int | None,
    empty: bool,
    exact: bool,
    progress: Progress,
) -> SeparabilityCounts:
    beside = {
        "grades": grades != 1, "against": against is not None, "recall_base": recall_base is not None,
        "empty": not empty,
    }  # fmt: skip
    if any(beside.values()):
        names = ", ".join(name for name, is_set in beside.items() if is_set)
        raise InputError(f"{names} cannot go with a collection", "it brings its own grades and lists")
    depth_of(judged, depths[-1])
    profile = _profile(judged, gains, rel, depths[-1])
    weight = profile.frequency.sum(axis=0).astype(object)
    weight = weight // np.array([gcd(*row) for row in weight.tolist()], object)[:, None]
    how = (
        f"relevance by the frequencies of each rank in {plural(len(judged.systems), 'system')} and "
        f"{plural(len(profile.frequency), 'topic')}, each rank on its own; by {profile.words}"
    )
    return _counted(depths, profile.worth, weight, weight, how, exact, progress, counts=False)


def _depths(depth: Any) -> tuple[int, ...]:
    several = isinstance(depth, Sequence | np.ndarray) and not isinstance(depth, str)
    depths = list(depth) if several else [depth]
    if not depths:
        raise InputError("no depth is given", "name at least one")
    at_once(*(partial(whole_number, "depth", k, 1, MOST_DEPTH) for k in depths))
    return tuple(sorted({int(k) for k in depths}))


def _odds(name: str, probabilities: Any, depth: int, grades: int) -> Any:
    """(ranks, grades) probabilities as whole numbers, over one denominator per rank."""
    rows: list[Any] = [probabilities] * depth if np.ndim(probabilities) == 0 else list(probabilities)
    if len(rows) != depth:
        raise InputError(f"{name} names {len(rows)} ranks, the depth is {depth}", "give one number, or one per rank")
    weight, problems = np.zeros((depth, grades), object), []
    for i, row in enumerate(rows):
        try:
            odds: list[Fraction] = [exact(p) for p in ([row] if np.ndim(row) == 0 else row)]
        except (ValueError, TypeError, OverflowError, ZeroDivisionError):
            problems.append(Problem(f"{name}: {row!r} at rank {i + 1}", "probabilities are numbers from 0 to 1"))
            continue
        if np.ndim(row) == 0 and grades == 2:
            odds = [1 - odds[0], odds[0]]
        if len(odds) != grades or min(odds) < 0 or abs(sum(odds, Fraction()) - 1) > Fraction(1, 10**9):
            wanted = "a number from 0 to 1" if grades == 2 else f"{grades} numbers that add up to 1, one per grade"
            problems.append(Problem(f"{name}: {row!r} at rank {i + 1}", f"each rank has {wanted}"))
            continue
        unit = lcm(*(p.denominator for p in odds))
        shares = [int(p * unit) for p in odds]
        common = gcd(*shares)  # thirds that were typed as decimals: their sum is the whole
        weight[i] = [n // common for n in shares]
    if problems:
        raise InputError(problems)
    return weight


def _joined(how: str, words: str) -> str:
    return f"{how}; {words}" if words else how


def _over(part: Number, total: Number) -> Number:
    return part / total if isinstance(total, float) else Fraction(part) / Fraction(total)


def _text(number: Number) -> str:
    """A number with all its digits; str() of a whole number would stop at 4300."""
    numerator, denominator = Fraction(number).as_integer_ratio()
    return f"{Decimal(numerator)}" + ("" if denominator == 1 else f"/{Decimal(denominator)}")
