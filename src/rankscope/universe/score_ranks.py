"""Where each of all possible rankings stands by a measure's score: whole numbers that compare as the scores do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FIRST_GRADE, Floats, Ints
from rankscope.errors import InputError, Problem, plural
from rankscope.measures import Measure, MeasureInputs
from rankscope.measures.attainable import Levels, apart, attainable, certain_signs, count, doubtful
from rankscope.measures.catalogue.ap import average_precision, self_normalised_ap, sum_of_precisions
from rankscope.measures.catalogue.p import precision
from rankscope.measures.catalogue.r import recall
from rankscope.measures.catalogue.rr import reciprocal_rank, success
from rankscope.measures.exact import dense_ranks
from rankscope.measures.names import resolve
from rankscope.parallel import available_workers, map_units
from rankscope.universe.one_measure.scales import cut
from rankscope.universe.rankings import EXACTLY, MOST_GRADES, counts_of, out_of_range, rule_steps, whole, written

Places: TypeAlias = NDArray[np.int32]
"""(lists): 0 for the lowest score, equal where scores are equal."""
Feature: TypeAlias = Callable[[Levels], Any]
"""From rankings (lists, k) of grades to a number each; the higher one is preferred."""
Progress: TypeAlias = Callable[[float], None]
"""Hears how much of the work is done, from 0 to 1."""

DEEPEST = 64
_TAIL = 1 << 14  # rankings of a block, which share their first documents
_CHECKED = 256  # ties that doubles see which are looked at in fractions
_NAMED = 5  # rankings that an error names


@dataclass(frozen=True, slots=True)
class Domain:
    """The rankings that are compared: `depth` documents of grades 0 to c, as many as a topic has of each.

    available  documents of each grade 1 to c; those of grade 0 never run out
    empty      whether the ranking without any relevant document is one of them
    """

    depth: int
    grades: int
    available: tuple[int, ...]
    empty: bool = False

    def __len__(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        """How many rankings there are, also where that is more than len() can hold."""
        return count(self.depth, self._most) - (not self.empty)

    @property
    def pairs(self) -> int:
        """Pairs of two different rankings."""
        return self.size * (self.size - 1) // 2

    @property
    def full(self) -> bool:
        """Whether no ranking is left out for want of documents."""
        return min(self.available) >= self.depth

    @property
    def sparse(self) -> bool:
        """Whether so many are left out that the others are better made one by one."""
        return 16 * self.size < (self.grades + 1) ** self.depth

    @property
    def _most(self) -> list[int]:
        return [min(self.depth, one) for one in self.available]

    @property
    def _tail(self) -> int:
        tail = self.depth
        while (self.grades + 1) ** tail > _TAIL:
            tail -= 1
        return tail

    def parts(self) -> list[Callable[[], Levels]]:
        """Makers of consecutive blocks of (lists, depth) grades, in lexicographic order."""
        if self.sparse:
            rows = attainable(self.depth, self._most)[not self.empty :]
            return [partial(_slice, rows, at) for at in range(0, len(rows), _TAIL)]
        most, tail = self._most, self._tail
        heads = attainable(self.depth - tail, most)
        tails = attainable(tail, [min(tail, one) for one in most])
        grade = np.arange(1, self.grades + 1)
        held = (tails[:, :, None] == grade).sum(axis=1)
        left = np.array(most) - (heads[:, :, None] == grade).sum(axis=1)

        def block(at: int) -> Levels:
            rows = tails if self.full else tails[(held <= left[at]).all(axis=1)]
            made = np.empty((len(rows), self.depth), np.uint8)
            made[:, : self.depth - tail] = heads[at]
            made[:, self.depth - tail :] = rows
            return made if self.empty or at else made[1:]  # the first of all is the empty one

        return [partial(block, at) for at in range(len(heads))]

    def levels(self) -> Levels:
        """All rankings, (lists, depth)."""
        return np.concatenate([part() for part in self.parts()])

    def lists(self, level: Levels) -> MeasureInputs:
        """Rankings for measures; as many judged documents of grade 0 as a list can hold."""
        pool = np.array([self.depth, *self.available], np.int64)
        return MeasureInputs(level + np.uint8(FIRST_GRADE), np.arange(self.grades + 1.0), pool)

    def words(self) -> str:
        """Which rankings these are."""
        have = f"R = {self.available[0]}"
        if self.grades > 1:
            even = len(set(self.available)) == 1
            each = ", ".join(f"{n} of grade {g}" for g, n in enumerate(self.available, 1))
            have = f"grades 0 to {self.grades} ({f'{self.available[0]} of each above 0' if even else each})"
        zero = "with" if self.empty else "without"
        number = f"{self.size:,}" if self.size < 10**15 else f"{self.size:.3g}"
        rankings = "the only ranking" if self.size == 1 else f"all {number} rankings"
        documents = plural(self.depth, "document")
        return f"{rankings} of k = {documents}, {have}, {zero} the one of no relevant document"


def domain(depth: int, grades: int = 1, recall_base: int | Sequence[int] | None = None, empty: bool = False) -> Domain:
    """The rankings of `depth` documents over grades 0 to `grades`, checked.

    recall_base  documents that the topic has of each grade 1 to c (one number where c is 1); by default `depth`

    >>> len(domain(10)), len(domain(10, recall_base=1, empty=True))
    (1023, 11)
    """
    problems = out_of_range(depth=(depth, DEEPEST), grades=(grades, MOST_GRADES))
    wide = int(grades) if whole(grades) and grades >= 1 else 1
    available: tuple[int, ...] = ()
    try:
        available = counts_of(depth, wide, recall_base)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    found = Domain(int(depth), wide, available, bool(empty))
    if found.size < 2:
        raise InputError(f"{found.words()}: there is no pair to compare", "take longer lists or more documents")
    return found


def asked(
    measures: str | Measure | Sequence[str | Measure],
    depth: int,
    grades: int,
    recall_base: int | Sequence[int] | None,
    empty: bool,
) -> tuple[Domain, tuple[Measure, ...]]:
    """Rankings and at least two measures, or everything that is wrong with them at once."""
    problems: list[Problem] = []
    found: tuple[Measure, ...] = ()
    where = None
    try:
        where = domain(depth, grades, recall_base, empty)
    except InputError as error:
        problems += error.problems
    try:
        found = chosen(measures, 1 if where is None else where.depth)
        if len(found) < 2:
            problems.append(Problem(f"{len(found)} measure: nothing can disagree with it", "give at least two"))
    except InputError as error:
        problems += error.problems
    if problems or where is None:
        raise InputError(problems)
    return where, found


def chosen(measures: str | Measure | Sequence[str | Measure], depth: int) -> tuple[Measure, ...]:
    """The measures that texts name, each once, cut at the depth where they need a cutoff."""
    named = [measures] if isinstance(measures, str | Measure) else list(measures)
    found: dict[Measure, None] = {}
    problems: list[Problem] = []
    for name in named:
        try:
            some = [name] if isinstance(name, Measure) else [each.measure for each in resolve(str(name))]
        except InputError as error:
            problems += error.problems
            continue
        found |= {one if one.complete else cut(one, depth): None for one in some}
    if problems:
        raise InputError(problems)
    return tuple(found)


class Placed(NamedTuple):
    """Places of all rankings by each measure and each feature, and for which measures they are proved."""

    measures: tuple[Places, ...]
    features: tuple[Places, ...]
    exact: tuple[bool, ...]


def placed(
    domain: Domain,
    measures: Sequence[Measure],
    features: Mapping[str, Feature] | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Placed:
    """Score all rankings, block by block, and number the scores of each measure upwards.

    Scores are compared as fractions where the measure has them and there are up to EXACTLY rankings, or as doubles
    where its scores are known to be further apart than rounding can move them: both are exact. Else as doubles, equal
    where rounding explains the difference, and an error where that is in doubt or fractions contradict.
    """
    features = features or {}
    use, names = workers or available_workers(), list(features)
    parts = domain.parts()
    done = 0

    def scored(part: Callable[[], Levels]) -> list[Any]:
        level = part()
        lists = domain.lists(level)
        return [*(m.compute(lists) for m in measures), *(numbers(features[f](level), f, len(level)) for f in names)]

    columns = [np.empty(len(domain)) for _ in range(len(measures) + len(names))]
    for step, block in enumerate(map_units(scored, parts, workers=use), 1):
        for column, values in zip(columns, block, strict=True):
            column[done : done + len(values)] = values
        done += len(block[0]) if block else 0
        if progress is not None:
            progress(0.6 * step / len(parts))
    _refuse_undefined(domain, [*map(str, measures), *names], columns)

    def numbered(at: int) -> tuple[Places, bool]:
        values, columns[at] = columns[at], np.empty(0)  # one owner, so that the memory goes when it can
        if at >= len(measures):
            return dense(values, domain.depth, f"feature {names[at - len(measures)]}")[0], False
        exact = _exactly(domain, measures[at])
        if exact is not None:
            return exact, True
        size = float(np.abs(values).max())
        places, order, ties = dense(values, domain.depth, str(measures[at]))
        if smallest_step(measures[at], domain) > apart(size, domain.depth):
            return places, True
        _check_ties(domain, measures[at], places, order, ties)
        return places, False

    whole = []
    for step, one in enumerate(map_units(numbered, range(len(columns)), workers=use, kind="shared"), 1):
        whole.append(one)
        if progress is not None:
            progress(0.6 + 0.4 * step / len(columns))
    split = len(measures)
    return Placed(
        tuple(places for places, _ in whole[:split]),
        tuple(places for places, _ in whole[split:]),
        tuple(exact for _, exact in whole[:split]),
    )


def dense(values: Floats, depth: int, what: str) -> tuple[Places, Ints, Ints]:
    """Numbers as places, what rounding explains being equal; with the ascending order and where in it ties are."""
    order = np.argsort(values)
    gap = np.diff(values[order])
    size = float(np.abs(values[order[[0, -1]]]).max()) if len(values) else 0.0
    close = np.flatnonzero(gap < apart(size, depth)) if size else np.arange(len(gap))
    sign, doubt = certain_signs(gap[close], size, depth)
    if doubt.any():
        at = close[int(doubt.argmax())]
        raise doubtful(what, float(values[order[at]]), float(values[order[at + 1]]))
    ties = close[sign == 0]
    del gap, close
    rises = np.ones(len(values), np.int32)
    rises[:1] = 0
    rises[ties + 1] = 0
    places = np.empty(len(values), np.int32)
    places[order] = np.cumsum(rises, dtype=np.int32)
    return places, order, ties


def numbers(values: Any, name: str, rows: int) -> Floats:
    """What a feature gave, one number for each of so many rankings."""
    found = np.asarray(values, np.float64)
    if found.shape != (rows,):
        raise InputError(f"feature {name} gave numbers of shape {found.shape}, expected ({rows},)",
                         "a feature maps (lists, k) grades to (lists) numbers")  # fmt: skip
    return found


def _exactly(domain: Domain, measure: Measure) -> Places | None:
    """Places by scores in fractions, where the measure has them and they are not too many."""
    if measure.exact is None or len(domain) > EXACTLY:
        return None
    try:
        return dense_ranks(measure.exact_scores(domain.lists(domain.levels()))).astype(np.int32)
    except InputError:  # these parameters have no exact form
        return None


def smallest_step(measure: Measure, domain: Domain) -> float:
    """No two different scores of the measure are closer than this; 0 where that is not known.

    Scores of these are whole numbers over a common denominator, or over one up to k each.
    """
    k, rel = domain.depth, math.ceil(measure.values.get("rel", 1))
    total = sum(domain.available[max(0, rel - 1) :])
    precisions = math.lcm(*range(1, k + 1))
    parts = {
        average_precision: total * precisions,
        sum_of_precisions: precisions,
        self_normalised_ap: precisions * k * k,  # a / m and b / n differ by 1 / mn at least
        reciprocal_rank: k * k,
        precision: measure.cutoff,
        recall: total,
        success: 1,
    }.get(measure.kernel)
    return 1 / parts if parts else 0.0


def _check_ties(domain: Domain, measure: Measure, places: Places, order: Ints, ties: Ints) -> None:
    """Ties among doubles against fractions, some of them: scores that differ by less than doubles hold are refused."""
    if measure.exact is None or not len(ties):
        return
    some = ties[np.unique(np.linspace(0, len(ties) - 1, _CHECKED).astype(np.int64))]
    rows = np.unique(np.concatenate([order[some], order[some + 1]]))
    level = _rows(domain, rows)
    try:
        exact = measure.exact_scores(domain.lists(level)).tolist()
    except InputError:
        return
    known: dict[int, int] = {}
    for at, place in enumerate(places[rows].tolist()):
        first = known.setdefault(place, at)
        if exact[first] != exact[at]:
            one, other = written(level[first]), written(level[at])
            raise InputError(
                f"{measure}: the scores of {one} and {other} differ by less than doubles can hold",
                f"take shorter lists: up to {EXACTLY} are compared in fractions",
            )


def _rows(domain: Domain, rows: Ints) -> Levels:
    """Some rankings by their ascending numbers in the domain, made without the others."""
    found: list[Any] = []
    start = 0
    for part in domain.parts():
        if len(found) == len(rows):
            break
        if domain.full:  # all parts are of one size, so that most need not be made
            size = min((domain.grades + 1) ** domain._tail, len(domain))
            stop = start + size - (start == 0 and not domain.empty and size < len(domain))
            if rows[len(found)] >= stop:
                start = stop
                continue
        block = part()
        while len(found) < len(rows) and rows[len(found)] < start + len(block):
            found.append(block[rows[len(found)] - start])
        start += len(block)
    return np.array(found)


def _refuse_undefined(domain: Domain, names: Sequence[str], columns: Sequence[Floats]) -> None:
    problems = []
    for name, values in zip(names, columns, strict=True):
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            shown = ", ".join(written(row) for row in _rows(domain, wrong[:_NAMED]))
            more = f" and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
            problems.append(Problem(f"{name} has no score for {len(wrong)} of {len(values)} rankings: {shown}{more}",
                                    "leave it out, or choose a universe where it is defined"))  # fmt: skip
    if problems:
        raise InputError(problems)


def isotone(domain: Domain, places: Places) -> bool | None:
    """Whether no ranking is placed below one that IPSO calls inferior to it, by grade thresholds; None where that was
    not looked at.

    Looked at are the pairs that one step of a rule sets apart, which bring all others with them.
    """
    base, depth = domain.grades + 1, domain.depth
    if base**depth > max(1 << 22, 16 * len(domain)) or not (domain.full or domain.grades == 1):
        return None  # a table of all would be mostly empty, or a step is no longer always there
    absent = -2  # rankings that the topic does not allow
    table = np.full(base**depth, absent, np.int32)
    table[0] = -1  # the empty one is below all others
    if domain.full:
        table[len(table) - len(places) :] = places
    else:
        weight = base ** np.arange(depth - 1, -1, -1, dtype=np.int64)
        table[np.concatenate([part() @ weight for part in domain.parts()])] = places
    return all(bool(((high >= low) | (high == absent)).all()) for low, high in rule_steps(table, base, depth))


def _slice(rows: Levels, at: int) -> Levels:
    return rows[at : at + _TAIL]
