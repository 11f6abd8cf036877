"""Unjudged documents and verdicts: scores with estimated grades, and a warning where these would change a verdict.

The estimate is that of bootstrapped nDCG (Fröbe, Gienapp, Potthast and Hagen 2023) for any measure: an unjudged
document has the grades of the judged documents of the same list at similar ranks. Documents that no pool held are less
often relevant than that, so a verdict is tested with half of the estimated change of each score. The share was chosen
on one collection and tested on two others: docs/validity-holes.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from rankscope.arrays import FIRST_GRADE, PADDING, UNJUDGED, Bools, Codes, Floats, Ints
from rankscope.comparisons.scored import Scored, cutoff_of
from rankscope.errors import InputError
from rankscope.formatting import bounds, percent, score, visible
from rankscope.judged import Judged
from rankscope.judged.subsets import with_systems
from rankscope.layout import Block, Table
from rankscope.measures import Measure
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.scoring import blocks
from rankscope.parallel import map_units
from rankscope.statistics.families.bootstrap_max_t import MODERATION
from rankscope.statistics.families.clustered_hsd import cluster_matrix
from rankscope.statistics.special import stdtrit

Statistic: TypeAlias = Literal["mean", "t", "moderated t"]

BELIEF = 0.5
"""Share of the estimated change of a score that a warning counts on."""
_DRAWN = 1_000  # lists with drawn grades of each system, over all topics
_DRAWS = (2, 40)  # fewest and most of a topic
_ONE_DRAW = 10_000  # topics beyond which one list of each is enough
_COPIES = 16  # of the lists of a block, that drawing and scoring hold at a time
_STEPS = (0.7548776662466927, 0.5698402909980532)  # even spread over topics and ranks (Roberts 2018)
_PAIRS = 1 << 16  # whose statistics are computed at a time
_MOST = 20  # pairs whose joint bounds are computed


@dataclass(frozen=True, slots=True)
class HoleWarning:
    """Two systems whose verdict would be another one with estimated grades of their unjudged documents.

    ranks       down to which rank documents are looked at; None for whole lists
    judged      share of the documents of a and of b that are judged
    difference  mean of b - a as judged
    estimate    the same with half of the change that estimated grades make
    lower       lowest and highest mean of b - a over all grades of the unjudged documents; None where not known
    instead     the verdict with estimated grades, a clause
    """

    a: str
    b: str
    ranks: int | None
    judged: tuple[float, float]
    difference: float
    estimate: float
    lower: float | None
    upper: float | None
    instead: str

    @property
    def judged_words(self) -> str:
        """Which share of each system's documents is judged, a clause."""
        a, b = (f"{percent(share)} %" for share in self.judged)
        where = (
            "in the lists" if self.ranks is None else f"at ranks 1 to {self.ranks}" if self.ranks > 1 else "at rank 1"
        )
        return f"{a} of {self.a}'s and {b} of {self.b}'s documents {where} are judged"

    def sentences(self) -> list[str]:
        """The warning: the numbers that matter, one idea each."""
        lines = [
            f"Unjudged documents may decide: {self.judged_words}.",
            f"With estimated grades of the others {self.b} minus {self.a} is {score(self.estimate)}, and "
            f"{self.instead}.",
        ]
        if self.lower is not None and self.upper is not None:
            lines.append(f"Whatever their grades, it is within {bounds(self.lower, self.upper)}.")
        return [visible(line) for line in lines]


def warning_lines(warnings: Sequence[HoleWarning]) -> list[str]:
    """What unjudged documents may decide: the one pair, or how many pairs and the one that estimates move most."""
    if len(warnings) < 2:
        return [sentence for warning in warnings for sentence in warning.sentences()]
    first = max(warnings, key=lambda warning: abs(warning.estimate - warning.difference))
    ends = ""
    if first.lower is not None and first.upper is not None:
        ends = f", within {bounds(first.lower, first.upper)}"
    instead, most = Counter(warning.instead for warning in warnings).most_common(1)[0]
    which = instead if most == len(warnings) else f"{instead} ({most} of {len(warnings)})"
    words = f"With estimated grades of unjudged documents {len(warnings)} pairs have another verdict: {which}"
    changed = f"{first.b} minus {first.a}, {score(first.difference)} as judged, {score(first.estimate)} estimated"
    return [visible(f"{words}. Most changed: {changed}{ends}.")]


def warnings_block(warnings: Sequence[HoleWarning]) -> Block:
    """The same with the evidence: a table of several pairs."""
    parts: list[str | Table] = [" ".join(warning_lines(warnings))]
    if len(warnings) > 1:
        header = ["a", "b", "judged a", "judged b", "b - a", "estimate", "lowest", "highest"]
        rows = [
            [w.a, w.b, *(f"{percent(share)} %" for share in w.judged),
             *("" if x is None else score(x) for x in (w.difference, w.estimate, w.lower, w.upper))]
            for w in warnings
        ]  # fmt: skip
        instead = Counter(w.instead for w in warnings)
        parts.append(Table(header, rows, left=2))
        parts.append("With estimates: " + "; ".join(f"{visible(w)} ({n})" for w, n in instead.most_common(3)) + ".")
    return Block(
        "What if the unjudged documents were judged?",
        parts,
        [
            "Pairs whose verdict changes if unjudged documents have the grades of judged ones at similar ranks; half "
            "of the change is counted. Lowest and highest are over any grades.",
            "rankscope judge-next names the documents to judge first.",
        ],
    )


def judged_shares(judged: Judged, depth: int | None, topics: Ints | slice = slice(None)) -> Floats:
    """Share of each system's documents that are judged, down to a depth, on all topics together; 1 of empty lists."""
    code = judged.code[:, topics, :depth]
    documents = np.maximum(np.count_nonzero(code != PADDING, axis=(1, 2)), 1)
    shares: Floats = 1 - np.count_nonzero(code == UNJUDGED, axis=(1, 2)) / documents
    return shares


def with_estimated_grades(table: Scored, belief: float = BELIEF) -> Scored | None:
    """The scores with a share of the change that estimated grades of unjudged documents make; None where there is none.

    Documents past the measure's cutoff keep no grade. None also where the measure cannot be estimated: it is about
    judgments or subtopics, or there are no lists.
    """
    judged, measure = table.judged, table.record
    if judged is None or measure is None:
        return None
    if judged.systems != table.systems:
        judged = with_systems(judged, table.systems)
    if judged.subtopics is not None and "covered" in measure.inputs:
        return None
    open_ = (judged.code[:, table.at, : cutoff_of(measure)] == UNJUDGED).any(axis=(0, 2))
    if not open_.any():
        return None
    from rankscope.measures.bounding.run import measures_judging  # needed where documents are unjudged

    if measures_judging(measure):
        return None
    change = _estimated_change(judged, measure, table.at, open_, table.value.T)
    if not np.isfinite(change).all():
        return None
    return replace(table, value=table.value + belief * change.T, judged=None, record=None)


def _estimated_change(judged: Judged, measure: Measure, topics: Ints, open_: Bools, value: Floats) -> Floats:
    """(S, T) mean over drawn grades of unjudged documents, less the value (S, T), which is the score as judged."""
    from rankscope.measures.bounding.grade_model import BANDS, STRENGTH
    from rankscope.measures.bounding.possible_grades import scored as scored_lists
    from rankscope.measures.bounding.possible_grades import with_zero

    lists = with_zero(
        MeasureInputs(judged.code[:, topics, : cutoff_of(measure)], judged.grades, judged.available[topics])
    )
    lists = MeasureInputs(lists.cut(measure), lists.grades, lists.available)
    band = np.searchsorted(BANDS, np.arange(lists.code.shape[-1]), side="right")
    overall = _counts(lists.code, band, len(lists.grades)).sum(axis=1, keepdims=True) + 0.5  # no grade is impossible
    overall /= overall.sum(axis=-1, keepdims=True)
    count = 1 if len(topics) > _ONE_DRAW else int(np.clip(-(-_DRAWN // len(topics)), *_DRAWS))
    change = np.zeros(lists.code.shape[:-1])
    rows = np.flatnonzero(open_)

    def estimate(unit: tuple[slice, slice]) -> None:
        systems, at = unit[0], rows[unit[1]]
        some = MeasureInputs(np.ascontiguousarray(lists.code[systems][:, at]), lists.grades, lists.available[at])
        grades, depth = len(lists.grades), some.code.shape[-1]
        cells = np.flatnonzero(some.code == UNJUDGED)
        row, rank = np.divmod(cells, depth)
        known = _counts(some.code, band, grades) + STRENGTH * overall[systems]
        limits = np.cumsum(known / known.sum(axis=-1, keepdims=True), axis=-1).reshape(-1, grades)
        stratum = row * known.shape[-2] + band[rank]
        below = [limits[:, grade][stratum] for grade in range(grades - 1)]
        start = at[row % len(at)] * _STEPS[0] + rank * _STEPS[1]
        as_judged = value[systems][:, at]
        total = np.zeros(as_judged.shape)
        for draw in range(count):
            place = start + draw / count
            place -= np.floor(place)
            drawn = sum((place >= limit).astype(np.int64) for limit in below)
            code = some.code.copy()
            code.reshape(-1)[cells] = FIRST_GRADE + drawn
            more = np.bincount(row * grades + drawn, minlength=known[..., 0, :].size).reshape(*as_judged.shape, grades)
            drawn_lists = MeasureInputs(code, lists.grades, some.available + more)
            total += scored_lists(drawn_lists, measure) - as_judged
        change[systems, at] = total / count

    units = blocks((len(lists.code), len(rows), lists.code.shape[-1] * _COPIES))
    for _ in map_units(estimate, units, workers=None, kind="shared"):
        pass
    return change


def _counts(code: Codes, band: Ints, grades: int) -> Floats:
    """(S, T, bands, grades) documents of each grade in each band of ranks."""
    counts = np.zeros((*code.shape[:-1], int(band.max(initial=0)) + 1, grades))
    for grade in range(grades):
        here = code == FIRST_GRADE + grade
        for b in range(counts.shape[2]):
            counts[:, :, b, grade] = np.count_nonzero(here[..., band == b], axis=-1)
    return counts


def warning_of(
    table: Scored, estimated: Scored, instead: str, pair: tuple[int, int] = (0, 1),
    ends: tuple[float | None, float | None] | None = None,
) -> HoleWarning:  # fmt: skip
    """The warning about two systems; `ends` are joint bounds that are known already."""
    assert table.judged is not None
    assert table.record is not None
    first, second = pair
    names = table.systems[first], table.systems[second]
    means, moved = table.mean(), estimated.mean()
    lists = with_systems(table.judged, names)
    a, b = judged_shares(lists, cutoff_of(table.record), table.at).tolist()
    return HoleWarning(
        *names, cutoff_of(table.record), (a, b), float(means[second] - means[first]),
        float(moved[second] - moved[first]), *(ends or _joint(table, lists)), instead,
    )  # fmt: skip


def _joint(table: Scored, lists: Judged) -> tuple[float | None, float | None]:
    """Joint bounds of the mean difference, None where there are none."""
    from rankscope.measures.bounding.joint import joint_ends

    assert table.record is not None
    try:
        ends = joint_ends(lists, table.record)
    except InputError:
        return None, None
    lower, upper = (float(table.mean(end[table.at])) for end in (ends.lower, ends.upper))
    return (lower, upper) if np.isfinite([lower, upper]).all() else (None, None)


def ranking_warnings(
    table: Scored, first: Ints, second: Ints, shown: Bools, decide: Bools, alpha: float, statistic: Statistic
) -> tuple[HoleWarning, ...]:
    """Warnings about pairs of a ranking whose verdict would be another one with estimated grades.

    first, second  (P) columns of the pairs that were tested together, the one with the higher mean first
    shown          (P) whether the pair is shown to differ
    decide         (P) whether the pair is looked at
    statistic      what the test of the ranking compares

    Pairs are shown from some size of the statistic on. Where that limit lies is read off the pairs themselves. A
    pair is warned of where estimated grades take its statistic across the limit.
    """
    estimated = with_estimated_grades(table)
    if estimated is None:
        return ()
    units = None if statistic == "mean" else (table.n_units, alpha)
    limit = _limit(_statistics(table, first, second, statistic), shown, units)
    pairs = np.flatnonzero(decide)
    now, then = (
        np.concatenate([part for _, part in _statistics(scores, first[pairs], second[pairs], statistic)])
        for scores in (table, estimated)
    )
    sided = (np.abs(now) > limit) == shown[pairs]
    verdict = np.sign(then) * (np.abs(then) > limit)
    warnings: list[HoleWarning] = []
    for pair, again in zip(pairs[sided].tolist(), verdict[sided].tolist(), strict=True):
        if again == shown[pair]:
            continue
        names = [table.systems[column] for column in (first[pair], second[pair])]
        better, other = names if again > 0 else names[::-1]
        instead = f"{better} is better than {other}" if again else "no difference is shown"
        ends = None if len(warnings) < _MOST else (None, None)
        warnings.append(warning_of(table, estimated, instead, (int(second[pair]), int(first[pair])), ends))
    return tuple(warnings)


def _statistics(table: Scored, first: Ints, second: Ints, statistic: Statistic) -> Iterator[tuple[slice, Floats]]:
    """Mean of the first system less that of the second; for t over its standard error; in parts."""
    value, design, by_means = table.value, table.design, statistic == "mean"
    if design is not None:
        value = cluster_matrix(value, design.clusters, design.weights)
    mean, count = value.mean(axis=0), value.shape[1]
    covariance = np.empty((0, 0)) if by_means else np.atleast_2d(np.cov(value.T))
    own, extra = np.diag(covariance), 0.0
    if statistic == "moderated t":  # a share of the mean variance of all pairs
        extra = MODERATION * (count * own.sum() - covariance.sum()) / (count * (count - 1) / 2)
    for start in range(0, len(first), _PAIRS):
        part = slice(start, start + _PAIRS)
        a, b = first[part], second[part]
        apart = mean[a] - mean[b]
        if not by_means:
            variance = (own[a] + own[b] - 2 * covariance[a, b] + extra) / len(value)
            apart /= np.sqrt(np.maximum(variance, 1e-24))  # the same difference on every topic
        yield part, apart


def _limit(statistics: Iterator[tuple[slice, Floats]], shown: Bools, units: tuple[int, float] | None) -> float:
    """The size from which on pairs are shown: between the largest that is not and the smallest that is."""
    most, least = 0.0, np.inf
    for part, statistic in statistics:
        size = np.abs(statistic)
        most = float(size[~shown[part]].max(initial=most))
        least = float(size[shown[part]].min(initial=least))
    if np.isfinite(least) and not shown.all():
        return (most + least) / 2
    if units is None:
        return least if np.isfinite(least) else max(most * 1.5, 1e-12)
    n, alpha = units
    bonferroni = float(stdtrit(n - 1, 1 - alpha / 2 / len(shown)))
    return min(bonferroni, least) if shown.all() else max(bonferroni, most)
