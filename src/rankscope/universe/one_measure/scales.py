"""Scale of a measure: ratio, interval, ordinal or neither, decided over all rankings of a depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rankscope.arguments import one_of
from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError, argument, plural
from rankscope.layout import Block, terminal_width, text
from rankscope.measures import Measure
from rankscope.measures.attainable import certain_signs, doubtful
from rankscope.measures.exact import dense_ranks
from rankscope.measures.explanations.bibliography import cited
from rankscope.measures.names import single_measure
from rankscope.results import Result
from rankscope.universe.grade_gains import GradeGains, Worth, worth_of
from rankscope.universe.ipso.pair_counts import whole_units
from rankscope.universe.one_measure.theorems import theorem
from rankscope.universe.rankings import MOST_EXACT, Universe, rankings, rule_steps, single_steps, written

Order: TypeAlias = Literal["set", "rank", "ipso"]
Label: TypeAlias = Literal["ratio", "interval", "ordinal", "strictly isotone", "isotone", "neither"]

ORDERS: dict[Order, str] = {
    "set": "set-based total order: more documents of the highest grade, then of the next, whatever their ranks",
    "rank": "rank-based total order: the better document at the first rank where two rankings differ",
    "ipso": "IPSO partial order: for every grade, no fewer documents of at least that grade down to any rank",
}
PERMITS = {
    "ratio": "median, mean, variance, t test, and ratios of scores such as the coefficient of variation",
    "interval": "median, mean, variance, t test; not ratios of scores",
    "ordinal": "median, percentiles, sign test; not mean, variance, t test",
    "strictly isotone": "a better ranking never gets the lower or the same score; nothing about means",
    "isotone": "a better ranking never gets the lower score, it may get the same; nothing about means",
    "neither": "the number of cases and the mode; not median, mean, t test",
}
"""What the label permits to those who hold that a scale decides which statistics make sense (Stevens 1946)."""

DEPTH = 5  # of rankings, where neither the caller nor the measure names one

FOR = (
    "fuhr2017mistakes", "ferrante2019theory", "ferrante2020interval", "ferrante2021meaningful", "ferrante2022response",
)  # fmt: skip
AGAINST = ("sakai2020fuhr", "moffat2022batch")
DISPUTED = "Whether means and t tests need an interval scale, and on which order, is disputed."


def key_of(reference: str) -> str:
    """Authors and year of a work, as a text names it."""
    return cited(reference).split("),")[0] + ")"


class Example(NamedTuple):
    """A ranking with its score, as a counterexample names it."""

    ranking: tuple[int, ...]
    score: float

    def __str__(self) -> str:
        return f"{written(self.ranking)} ({self.score:.6g})"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scale(Result):
    """Scale of a measure on an order of all rankings, found by enumeration.

    label           ratio, interval, ordinal or neither; of the partial order strictly isotone, isotone or neither
    monotone        whether no ranking scores higher than one that the order puts above it; ties are allowed
    slope           of an interval scale: what one step up the order adds to the score
    constant        of an interval scale: the score of the lowest ranking; 0 makes it a ratio scale
    counterexample  why the label is not a better one: two rankings, or two pairs that are one step apart each; in
                    the order of the rankings
    exact           whether scores were compared as fractions; else as doubles, equal where rounding explains it
    """

    measure: Measure
    order: Order
    universe: Universe
    worth: Worth
    label: Label
    monotone: bool
    slope: float | None
    constant: float | None
    counterexample: tuple[Example, ...]
    exact: bool
    theorem: str

    @property
    def reason(self) -> str:
        """The counterexample in words."""
        some = self.counterexample
        if not some:
            return ""
        if len(some) == 1:
            return f"the lowest ranking {written(some[0].ranking)} scores {some[0].score:.6g}, not 0"
        if len(some) == 4:
            a, b, c, d = some
            return (
                f"{written(a.ranking)} to {written(b.ranking)} is one step and adds {b.score - a.score:.6g}, "
                f"{written(c.ranking)} to {written(d.ranking)} is one step and adds {d.score - c.score:.6g}"
            )
        low, high = some
        if self.order == "set" and sorted(low.ranking) == sorted(high.ranking):
            return f"{low} and {high} are the same set"
        how = "no worse than" if self.order == "ipso" else "above"
        same = "but scores the same" if low.score == high.score else "but scores lower"
        return f"{high} is {how} {low} {same}"

    def columns(self) -> dict[str, list[Any]]:
        """Columns what and says: one row per statement."""
        universe = self.universe
        count = ", ".join(f"{n} of grade {j}" for j, n in enumerate(universe.available, 1))
        documents = plural(universe.depth, "document")
        rows = [
            ["measure", str(self.measure)],
            ["order", ORDERS[self.order] if self.worth.gains is None else f"IPSO partial order {self.worth.words}"],
            ["over", f"all {len(universe):,} rankings of {documents}; relevant documents: {count}"],
            ["scale", self._spelled()],
            ["because", self.reason],
            ["theorem", self.theorem],
            ["permits", PERMITS[self.label]],
            ["disputed", DISPUTED],
            *(["needed", cited(key)] for key in FOR),
            *(["not needed", cited(key)] for key in AGAINST),
        ]
        rows = [row for row in rows if row[1]]
        return {"what": [what for what, _ in rows], "says": [text for _, text in rows]}

    def _spelled(self) -> str:
        """The label in words; of an interval scale also what a step adds."""
        if self.label == "neither":
            return "neither strictly isotone nor isotone" if self.order == "ipso" else "neither interval nor ordinal"
        return self.label + (f": {self.slope:.6g} per step" if self.slope is not None else "")

    def __str__(self) -> str:
        _, rows = self.table()
        width = max(len(row[0]) for row in rows)
        return text([Block("", [f"{what.ljust(width)}  {says}" for what, says in rows])], width=terminal_width())

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": str(self.measure),
            "order": self.order,
            "gains": self.worth.plain if self.order == "ipso" else None,
            "depth": self.universe.depth,
            "grades": self.universe.grades,
            "recall_base": list(self.universe.available),
            "rankings": len(self.universe),
            "scale": self.label,
            "monotone": self.monotone,
            "slope": self.slope,
            "constant": self.constant,
            "counterexample": [{"ranking": list(e.ranking), "score": e.score} for e in self.counterexample],
            "since": self.reason,
            "exact": self.exact,
            "theorem": self.theorem,
        }


def scale(
    measure: str | Measure,
    *,
    depth: int | None = None,
    grades: int = 1,
    order: Order = "rank",
    recall_base: int | Sequence[int] | None = None,
    gains: GradeGains = None,
) -> Scale:
    """Scale of a measure, decided by enumeration of all rankings.

    depth        length of the rankings; the measure's cutoff by default, or 5
    grades       c: grades are 0 to c
    order        "set" or "rank", the total orders of Ferrante, Ferro and Losiouk (2020), or "ipso", the partial order
                 of Moffat and Mackenzie (2024)
    recall_base  documents of each grade 1 to c that the topic has, as in `rankings`
    gains        for "ipso" alone: "thresholds", the default, or sums of gains, which must rise, as in `separability`

    The decision is about this depth and no other: for the theorem, which is about all of them, see `Scale.theorem`.

    >>> print(scale("RBP(p=0.5)", depth=4).label, scale("RBP(p=0.8)", depth=4).reason, sep="; ")
    ratio; 0100 (0.16) is above 0011 (0.2304) but scores lower
    """
    one_of("order", order, ORDERS)
    if gains is not None and order != "ipso":
        raise InputError(
            f"gains have no effect on the {order}-based order", f"they go with {argument('order', 'ipso')}"
        )
    named = single_measure(measure)
    if depth is None:
        by_rank = named.cutoff is not None and named.cutoff_rule != "recall"
        depth = int(named.cutoff or 0) if by_rank else DEPTH
    worth = worth_of(grades, gains)
    if worth.gains is not None and not all(low < high for low, high in pairwise(worth.gains)):
        raise InputError(f"{argument('gains', gains)}: expected {worth.grades + 1} rising numbers",
                         "grades that gain the same make rankings equal")  # fmt: skip
    universe = rankings(depth, worth.grades, recall_base)
    complete = named if named.complete else named.at_depth(depth)
    decision = _partial(complete, universe, worth) if order == "ipso" else _total(complete, universe, order)
    return Scale(measure=complete, order=order, universe=universe, worth=worth,
                 theorem=theorem(complete, universe, order), **decision)  # fmt: skip


class _Scored(NamedTuple):
    """Scores of all rankings: exact ones where there are any, and doubles."""

    measure: Measure
    universe: Universe
    exact: Any
    double: Floats

    @classmethod
    def of(cls, measure: Measure, universe: Universe) -> _Scored:
        return cls(measure, universe, universe.exact_scores(measure), universe.scores(measure))

    def sign(self, high: Ints, low: Ints) -> Ints:
        """Whether scores at `high` are above those at `low`; what doubles cannot tell is an error."""
        if self.exact is not None:
            difference = self.exact[high] - self.exact[low]
            return (difference > 0).astype(np.int64) - (difference < 0).astype(np.int64)
        sign, doubt = self.certain_signs(self.double[high] - self.double[low])
        if doubt.any() and not (sign[~doubt] < 0).any():  # a reversal elsewhere decides without it
            at = int(doubt.argmax())
            cure = f"give the measure an exact kernel and take shorter lists, up to {MOST_EXACT} of them"
            raise doubtful(str(self.measure), float(self.double[low[at]]), float(self.double[high[at]]), cure)
        return np.where(doubt, 0, sign)

    def certain_signs(self, difference: Floats) -> tuple[Ints, Bools]:
        return certain_signs(difference, float(np.abs(self.double).max()), self.universe.depth)

    def examples(self, *rows: Any) -> tuple[Example, ...]:
        return tuple(Example(tuple(self.universe.level[r].tolist()), float(self.double[r])) for r in map(int, rows))


def _total(measure: Measure, universe: Universe, order: str) -> dict[str, Any]:
    """The decision on a total order of rankings, or of sets of rankings that it does not tell apart."""
    scored = _Scored.of(measure, universe)
    place = _places(universe, order)
    by_score = scored.double if scored.exact is None else dense_ranks(scored.exact)
    rows = np.lexsort((by_score, place))  # by place, within it by score
    start = np.flatnonzero(np.append(True, np.diff(place[rows]) > 0))
    lowest, highest = rows[start], rows[np.append(start[1:], len(rows)) - 1]
    none: dict[str, Any] = {"label": "neither", "slope": None, "constant": None, "exact": scored.exact is not None}
    rise = scored.sign(lowest[1:], highest[:-1])
    spread = scored.sign(highest, lowest)
    monotone = bool((rise >= 0).all())
    for wrong, low, high in (
        (rise < 0, highest[:-1], lowest[1:]),
        (rise == 0, highest[:-1], lowest[1:]),
        (spread > 0, lowest, highest),
    ):
        if wrong.any():
            at = int(wrong.argmax())
            return none | {"monotone": monotone, "counterexample": scored.examples(low[at], high[at])}
    return none | {"monotone": True} | _steps(scored, lowest)


def _steps(scored: _Scored, rows: Ints) -> dict[str, Any]:
    """Ordinal, interval or ratio: whether the steps of an ascending row of rankings are of one size."""
    value = scored.double[rows]
    step = np.diff(value)
    unequal, doubt = scored.certain_signs(step - step[0])
    if unequal.any():
        if doubt.any() and not unequal[~doubt].any():
            at = int(doubt.argmax())
            raise doubtful(f"{scored.measure}, steps", float(step[0]), float(step[at]))
        at = int(((unequal != 0) & ~doubt).argmax())
        return {"label": "ordinal", "counterexample": scored.examples(rows[0], rows[1], rows[at], rows[at + 1])}
    slope = float(value[-1] - value[0]) / (len(rows) - 1)
    ratio = {"label": "ratio", "slope": slope, "constant": float(value[0]), "counterexample": ()}
    if scored.certain_signs(value[:1])[0][0]:
        return ratio | {"label": "interval", "counterexample": scored.examples(rows[0])}
    return ratio


def _places(universe: Universe, order: str) -> Ints:
    """Place of each ranking in the order; equal where the order does not tell rankings apart."""
    if order == "rank":
        return np.arange(len(universe))
    # of sets the order is that of their members, best first
    best_first = np.sort(universe.level, axis=1)[:, ::-1]
    return np.asarray(np.unique(best_first @ universe.digits, return_inverse=True)[1])


def _partial(measure: Measure, universe: Universe, worth: Worth) -> dict[str, Any]:
    """The decision on the partial order."""
    scored = _Scored.of(measure, universe)
    decision: dict[str, Any] = {"slope": None, "constant": None, "exact": scored.exact is not None}
    low, high = _comparable(universe, worth)
    rise = scored.sign(high, low)
    for wrong, label in ((rise < 0, "neither"), (rise == 0, "isotone")):
        if wrong.any():
            at = int(wrong.argmax())
            return decision | {
                "label": label,
                "monotone": label == "isotone",
                "counterexample": scored.examples(low[at], high[at]),
            }
    return decision | {"label": "strictly isotone", "monotone": True, "counterexample": ()}


def _comparable(universe: Universe, worth: Worth) -> tuple[Ints, Ints]:
    """Pairs of rankings, the first below the second, that bring all others of the order with them."""
    steps = _steps_of(worth)
    if steps is not None and (universe.grades == 1 or universe.full):
        return _neighbours(universe, steps)
    count = len(universe)
    if count > MOST_EXACT:
        raise InputError(
            f"{count} rankings are too many to compare all pairs, as uneven gains or a recall base by grade need",
            f"up to {MOST_EXACT} are: take shorter lists, or gains in even steps and the default recall base",
        )
    above = worth.no_worse(universe.level)
    np.fill_diagonal(above, False)
    high, low = np.nonzero(above)
    return low, high


Steps: TypeAlias = Callable[[Any, int, int], Iterator[tuple[Any, Any]]]


def _steps_of(worth: Worth) -> Steps | None:
    """The steps that bring the order with them, where there are any: not for sums of uneven gains."""
    if worth.gains is None:
        return rule_steps
    units = whole_units(worth.gains)
    return single_steps if units == list(range(len(units))) else None


def _neighbours(universe: Universe, steps: Steps) -> tuple[Ints, Ints]:
    """Each ranking with those a step above it, which bring all others with them."""
    base, depth = universe.grades + 1, universe.depth
    table = np.full(base**depth, -1)
    table[universe.number] = np.arange(len(universe))
    lows, highs = [], []
    for low, high in steps(table, base, depth):
        allowed = (low >= 0) & (high >= 0)
        lows.append(low[allowed])
        highs.append(high[allowed])
    return np.concatenate(lows), np.concatenate(highs)
