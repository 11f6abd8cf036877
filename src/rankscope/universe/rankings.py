"""All possible rankings of a depth, as arrays that measures can score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from rankscope.arguments import at_once, is_whole, whole_number
from rankscope.arrays import FIRST_GRADE, ExactNumbers, Floats, Ints
from rankscope.errors import InputError, Problem, argument, plural
from rankscope.measures import Measure, MeasureInputs
from rankscope.measures.attainable import LIMIT, Levels, attainable, count, deepest

MOST_EXACT = 2**12  # so many scores are computed in fractions, where a measure has them; more would take too long
MOST_RELEVANT = 1_000_000_000  # documents of a grade
MOST_GRADES = 255 - FIRST_GRADE  # codes of one byte
DEEPEST = 64
_TAIL = 1 << 14  # rankings of a block, which share their first documents
_NAMED = 5  # rankings that an error names


@dataclass(frozen=True, eq=False)
class Universe:
    """All rankings of `depth` documents over grades 0 to c that a topic allows, in lexicographic order.

    available  documents that the topic has of each grade 1 to c; those of grade 0 never run out
    empty      whether the ranking without any relevant document is one of them
    """

    depth: int
    grades: int
    available: tuple[int, ...]
    empty: bool = True

    def __len__(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        """Number of rankings, also where it is more than len() can hold."""
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
        return [min(self.depth, available) for available in self.available]

    @cached_property
    def level(self) -> Levels:
        """(rankings, depth) grades by rank."""
        return np.concatenate([block() for block in self.blocks()])

    @property
    def number(self) -> Ints:
        """Each ranking read as a number in base c + 1, first rank first: ascending."""
        return np.concatenate([block() @ self.digits for block in self.blocks()])

    @property
    def digits(self) -> Ints:
        """Weight of each rank in that number."""
        return (self.grades + 1) ** np.arange(self.depth - 1, -1, -1, dtype=np.int64)

    def blocks(self) -> list[Callable[[], Levels]]:
        """Makers of consecutive blocks of (rankings, depth) grades."""
        if self.sparse:
            rankings = attainable(self.depth, self._most)[not self.empty :]
            return [partial(_slice, rankings, at) for at in range(0, len(rankings), _TAIL)]
        tail = self.depth
        while (self.grades + 1) ** tail > _TAIL:
            tail -= 1
        heads = attainable(self.depth - tail, self._most)
        tails = attainable(tail, [min(tail, available) for available in self._most])
        grade = np.arange(1, self.grades + 1)
        needed = (tails[:, :, None] == grade).sum(axis=1)
        left = np.array(self._most) - (heads[:, :, None] == grade).sum(axis=1)

        def block(at: int) -> Levels:
            fitting = tails if self.full else tails[(needed <= left[at]).all(axis=1)]
            rankings = np.empty((len(fitting), self.depth), np.uint8)
            rankings[:, : self.depth - tail] = heads[at]
            rankings[:, self.depth - tail :] = fitting
            return rankings if self.empty or at else rankings[1:]  # the first of all is the empty one

        return [partial(block, at) for at in range(len(heads))]

    def rows(self, ascending: Ints) -> Levels:
        """Some rankings by their ascending places in the universe, made without keeping the others."""
        if self.full:
            number = np.asarray(ascending, np.int64) + (not self.empty)
            return (number[:, None] // self.digits % (self.grades + 1)).astype(np.uint8)
        first, chosen = 0, []
        for block in self.blocks():
            rankings = block()
            start, stop = np.searchsorted(ascending, (first, first + len(rankings)))
            chosen.append(rankings[ascending[start:stop] - first])
            first += len(rankings)
        return np.concatenate(chosen)

    def inputs(self, rankings: Levels) -> MeasureInputs:
        """Rankings for measures; as many judged documents of grade 0 as a list can hold."""
        pool = np.array([self.depth, *self.available], np.int64)
        return MeasureInputs(rankings + np.uint8(FIRST_GRADE), np.arange(self.grades + 1.0), pool)

    def scores(self, measure: Measure) -> Floats:
        """(rankings) scores of a measure."""
        scores = np.concatenate([measure.compute(self.inputs(block())) for block in self.blocks()])
        self.refuse_undefined([str(measure)], [scores])
        return scores

    def exact_scores(self, measure: Measure) -> ExactNumbers | None:
        """(rankings) scores as whole numbers and fractions, where the measure has them and they are not too many."""
        if measure.exact is None or self.size > MOST_EXACT:
            return None
        try:
            return measure.exact_scores(self.inputs(self.level))
        except InputError:  # these parameters have no exact form
            return None

    def refuse_undefined(self, names: Sequence[str], columns: Sequence[Floats]) -> None:
        """An error for all measures that have no score for some ranking."""
        cure = "leave it out, or choose a universe where it is defined"
        problems = []
        for name, values in zip(names, columns, strict=True):
            wrong = np.flatnonzero(~np.isfinite(values))
            if len(wrong):
                examples = [written(ranking) for ranking in self.rows(wrong[:_NAMED])]
                problems.append(undefined(name, examples, len(wrong), f"{len(values)} rankings", cure))
        if problems:
            raise InputError(problems)

    def words(self) -> str:
        """The universe in words."""
        have = f"R = {self.available[0]}"
        if self.grades > 1:
            even = len(set(self.available)) == 1
            each = ", ".join(f"{n} of grade {g}" for g, n in enumerate(self.available, 1))
            have = f"grades 0 to {self.grades} ({f'{self.available[0]} of each above 0' if even else each})"
        zero = "with the one of no relevant document" if self.empty else "at least one document relevant"
        number = f"{self.size:,}" if self.size < 10**15 else f"{self.size:.3g}"
        rankings = "the only ranking" if self.size == 1 else f"all {number} rankings"
        documents = plural(self.depth, "document")
        return f"{rankings} of k = {documents}, {have}, {zero}"


def rankings(depth: int, grades: int = 1, recall_base: int | Sequence[int] | None = None) -> Universe:
    """All rankings of `depth` documents over grades 0 to `grades`, up to a million of them.

    recall_base  how many documents the topic has of each grade 1 to c (one number where c is 1): rankings that hold
                 more are left out. By default `depth` of each, so that all are there

    >>> rankings(2, 2, [2, 1]).level.tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1]]
    """
    universe = _universe(depth, grades, recall_base, True, deepest(2))
    if (grades + 1) ** depth > LIMIT:
        wide = max(c for c in range(1, MOST_GRADES + 1) if (c + 1) ** depth <= LIMIT)
        raise InputError(
            f"rankings of {depth} documents over grades 0 to {grades}, {(grades + 1) ** depth} of them, are too many",
            f"up to {LIMIT} are enumerated: take a depth from 1 to {deepest(grades + 1)}, or grades from 1 to {wide}",
        )
    return universe


def comparable_rankings(
    depth: int, grades: int = 1, recall_base: int | Sequence[int] | None = None, empty: bool = False
) -> Universe:
    """Rankings whose pairs are compared: two or more, and as many as memory holds.

    >>> len(comparable_rankings(10)), len(comparable_rankings(10, recall_base=1, empty=True))
    (1023, 11)
    """
    universe = _universe(depth, grades, recall_base, bool(empty), DEEPEST)
    if universe.size < 2:
        raise InputError(f"{universe.words()}: there is no pair to compare", "take longer lists or more documents")
    return universe


def _universe(
    depth: int, grades: int, recall_base: int | Sequence[int] | None, empty: bool, most_depth: int
) -> Universe:
    at_once(
        lambda: whole_number("depth", depth, 1, most_depth),
        lambda: whole_number("grades", grades, 1, MOST_GRADES),
        lambda: _available(depth, int(grades) if is_whole(grades) and 1 <= grades <= MOST_GRADES else 1, recall_base),
    )
    return Universe(int(depth), int(grades), _available(int(depth), int(grades), recall_base), empty)


def _available(depth: int, grades: int, recall_base: int | Sequence[int] | None) -> tuple[int, ...]:
    """Documents that the topic has of each grade above 0, checked; `depth` of each by default."""
    if recall_base is None:
        return (depth,) * grades
    counts = tuple(recall_base) if isinstance(recall_base, Sequence) else (recall_base,)
    if grades == 1:
        return (whole_number("recall_base", counts[0] if len(counts) == 1 else recall_base, 1, MOST_RELEVANT),)
    if len(counts) != grades or not all(is_whole(n) and 0 <= n <= MOST_RELEVANT for n in counts) or not sum(counts):
        expected = f"{plural(grades, 'whole number')} from 0 to {MOST_RELEVANT:,}, not all 0"
        raise InputError(argument("recall_base", recall_base),
                         f"{argument('recall_base')} is {expected}: the documents of each grade above 0")  # fmt: skip
    return tuple(map(int, counts))


def undefined(what: str, examples: Sequence[str], count: int, total: str, cure: str, of: str = "score") -> Problem:
    """The problem of rankings that have no score, the first few of them named."""
    more = f" and {count - len(examples)} more" if count > len(examples) else ""
    return Problem(f"{what} has no {of} for {count} of {total}: {', '.join(examples)}{more}", cure)


def _slice(rankings: Levels, at: int) -> Levels:
    return rankings[at : at + _TAIL]


def written(level: Any) -> str:
    """A ranking as a person writes it: 0110, with commas where grades have two digits."""
    grades = [int(grade) for grade in level]
    return ("" if max(grades, default=0) < 10 else ",").join(map(str, grades))


def single_steps(table: Any, base: int, depth: int) -> Iterator[tuple[Any, Any]]:
    """Values of rankings beside those of the rankings right above them by sums of grades, from a table by the numbers
    that rankings write.

    Right above is a unit of grade moved up one rank, or added at the last. With sums of grades s_i to each rank, a
    ranking is any s with 0 <= s_i - s_(i-1) <= c, and the order is that of all s_i at once. Between two of them there
    is always a way of single steps s_i + 1 (decisions/0035), so what rises on these pairs rises on all.

    >>> [(low.ravel().tolist(), high.ravel().tolist()) for low, high in single_steps(np.arange(4), 2, 2)]
    [([1], [2]), ([0, 2], [1, 3])]
    """
    for i in range(depth - 1):
        cube = table.reshape(base**i, base, base, -1)
        yield cube[:, :-1, 1:], cube[:, 1:, :-1]
    last = table.reshape(-1, base)
    yield last[:, :-1], last[:, 1:]


def rule_steps(table: Any, base: int, depth: int) -> Iterator[tuple[Any, Any]]:
    """Values of rankings beside those of rankings that a rule puts above them, likewise.

    Rule 1 of Moffat and Mackenzie (2024): a grade more at one rank. Rule 2: two documents exchanged, the better one now
    first. These steps bring the order by grade thresholds with them (decisions/0068); binary rankings need fewer.

    >>> [(low.ravel().tolist(), high.ravel().tolist()) for low, high in rule_steps(np.arange(9), 3, 2)][2:]
    [([1], [3]), ([2], [6]), ([5], [7])]
    """
    if base == 2:
        yield from single_steps(table, base, depth)
        return
    for i in range(depth):
        cube = table.reshape(base**i, base, -1)
        yield cube[:, :-1], cube[:, 1:]
    for i, j in combinations(range(depth), 2):
        cube = table.reshape(base**i, base, base ** (j - i - 1), base, -1)
        for low, high in combinations(range(base), 2):
            yield cube[:, low, :, high], cube[:, high, :, low]
