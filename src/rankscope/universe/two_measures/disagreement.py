"""Disagreement between measures: how many pairs of all possible rankings they order differently.

Jones, Thomas, Scholer and Sanderson (2015) compared all pairs of 1,023 lists; here all pairs are counted by sorting, so
that lists of 20 documents (2^39 pairs) take seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.errors import plural
from rankscope.formatting import percent
from rankscope.measures import Measure
from rankscope.measures.attainable import Places
from rankscope.parallel import Client, available_workers, map_units, on
from rankscope.progress import Progress, staged
from rankscope.results import records
from rankscope.universe.answers import Answered
from rankscope.universe.cost import refuse_if_too_large
from rankscope.universe.grade_gains import Worth
from rankscope.universe.rankings import MOST_EXACT, Universe
from rankscope.universe.score_ranks import isotone, placed, universe_and_measures
from rankscope.universe.two_measures.concordant_pairs import Compared, compared

PAPER = ("DCG", "SP", "SN_DCG", "SN_AP", "P", "nDCG", "SDCG", "RR", "R", "AP",
         "RBP(p=0.5)", "RBP(p=0.85)", "RBP(p=0.95)")  # fmt: skip
"""The measures of Jones et al. (2015)."""
VARIANTS = {
    "DCG(base=2)": "DCG", "DCG(base=10)": "DCG", 'DCG(dcg="exp-log2")': "DCG",
    'RBP(p=0.85,gain="linear")': "RBP(p=0.85)", 'RBP(p=0.85,gain="exp")': "RBP(p=0.85)", 'ERR(gain="linear")': "ERR",
    "ERR": "RR",
}  # fmt: skip
"""Other gains and discounts, which Jones et al. (2015) leave for later, and the measure that each is a variant of."""
UNKNOWN = -1
_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Disagreement(Answered):
    """For every two measures, the pairs of rankings that they order differently; (measures, measures) each.

    strict               one prefers the first ranking, the other the second
    either               that, or one prefers a ranking and the other has a tie: disagreement as in Jones et al. (2015)
    tied                 [i, j] pairs that measure i alone calls tied
    strict_nonseparable  how many of the strict ones are non-separable for IPSO, by grade thresholds, where each may be
                         the better one: counted for up to 4,096 rankings, else all of them where both measures are
                         isotone; else -1
    either_nonseparable  likewise, counted only
    isotone              by measure: whether no ranking that IPSO calls inferior gets the higher score, looked at for
                         all rankings; None where that was not possible
    exact                by measure: whether it is proved which scores are equal, since they were compared as fractions
                         or are further apart than doubles err; else they are equal where rounding explains it
    """

    universe: Universe
    measures: tuple[Measure, ...]
    strict: Ints
    either: Ints
    tied: Ints
    strict_nonseparable: Ints
    either_nonseparable: Ints
    isotone: tuple[bool | None, ...]
    exact: tuple[bool, ...]

    @property
    def pairs(self) -> int:
        """Pairs of two different rankings."""
        return self.universe.pairs

    @property
    def where(self) -> str:
        """The rankings that were compared, in words."""
        return self.universe.words()

    @property
    def share(self) -> Floats:
        """Disagreement in per cent of all pairs, (measures, measures)."""
        return 100.0 * self.either / self.pairs

    @property
    def breaking(self) -> list[str]:
        """Measures that prefer some ranking that IPSO calls inferior."""
        return [str(m) for m, fine in zip(self.measures, self.isotone, strict=True) if fine is False]

    QUESTION = "How often does each measure disagree with each other?"
    READING = (
        "A cell is for the measure of its row and the measure of its column.",
        "0 means that both order all rankings alike; their scores may still differ.",
    )

    def answer(self, decimals: int = 2) -> str:
        """The two measures that disagree most, and those that never do; shares with so many decimals."""
        names, share = [str(m) for m in self.measures], self.share
        first, second = np.triu_indices(len(names), 1)
        if not self.either.any():
            return "No two of these measures order any pair of rankings differently."
        pairs = [(names[i], names[j]) for i, j in zip(first, second, strict=True)]
        most = most_disagreeing(pairs, self.either[first, second])
        never = [f"{names[i]} and {names[j]}" for i, j in zip(first, second, strict=True) if not self.either[i, j]]
        sentences = [
            f"{most}: they order {percent(share.max() / 100, decimals)} % of the pairs of rankings differently, ties "
            "by one alone included."
        ]
        if never:
            more = f", nor do {plural(len(never) - 1, 'more pair')} of measures" if len(never) > 1 else ""
            sentences.append(f"{never[0]} never disagree{more}.")
        return " ".join(sentences)

    def short_table(self) -> tuple[list[str], list[list[str]]]:
        """One row per measure: with which other it disagrees least and most, and how often on average."""
        names, rows = [str(m) for m in self.measures], []
        for i, name in enumerate(names):
            others = [j for j in range(len(names)) if j != i]
            least, most = (pick(others, key=lambda j: self.share[i, j]) for pick in (min, max))
            numbers = np.mean(self.share[i, others]), self.share[i, least], self.share[i, most]
            rows.append([name, names[least], names[most], *(f"{number:.2f}" for number in numbers)])
        return ["measure", "closest", "farthest", "mean %", "closest %", "farthest %"], rows

    def table(self) -> tuple[list[str], list[list[str]]]:
        names = [str(m) for m in self.measures]
        rows = [
            [name, *("" if i == j else f"{self.share[i, j]:.2f}" for j in range(len(names)))]
            for i, name in enumerate(names)
        ]
        return ["% of pairs", *names], rows

    def heading(self) -> str:
        pairs = plural(self.pairs, "pair")
        return f"{self.where}: {pairs}; per cent that two measures order differently, a tie by one alone included"

    def remarks(self) -> list[str]:
        lines = []
        kept = sum(fine is True for fine in self.isotone)
        by = "" if self.universe.grades == 1 else " by grade thresholds"
        breaking = self.breaking
        if len(self.universe) > MOST_EXACT:
            if kept > 1:
                lines.append(
                    f"{kept} of {len(self.measures)} measures never prefer an inferior ranking, which was checked for "
                    f"all; so their strict disagreements are all between rankings that IPSO cannot separate{by}: a "
                    "theorem, not a count"
                )
        elif (self.strict == self.strict_nonseparable).all():
            lines.append(f"every strict disagreement is between rankings that IPSO cannot separate{by}: counted")
        else:
            apart = self.strict - self.strict_nonseparable
            i, j = np.unravel_index(int(apart.argmax()), apart.shape)
            pairs = plural(int(self.strict[i, j]), "pair")
            lines.append(
                f"{self.measures[i]} and {self.measures[j]} strictly disagree on {pairs}, "
                f"{apart[i, j]:,} of which IPSO separates{by}"
            )
        if breaking:
            verb = "prefers" if len(breaking) == 1 else "prefer"
            lines.append(f"{', '.join(breaking)} {verb} some ranking that IPSO calls inferior{by}")
        rough = [str(m) for m, fine in zip(self.measures, self.exact, strict=True) if not fine]
        if rough:
            lines.append(f"compared as doubles, equal where rounding explains it: {', '.join(rough)}")
        return lines

    def text_columns(self) -> int:
        return 1

    def columns(self) -> dict[str, list[Any]]:
        """One row per two measures."""
        first, second = np.triu_indices(len(self.measures), 1)

        def cells(matrix: Any) -> list[Any]:
            return [None if value == UNKNOWN else value for value in matrix[first, second].tolist()]

        return {
            "a": [str(self.measures[i]) for i in first],
            "b": [str(self.measures[j]) for j in second],
            "pairs": [self.pairs] * len(first),
            "strict": cells(self.strict),
            "tied_a": cells(self.tied),
            "tied_b": cells(self.tied.T),
            "any": cells(self.either),
            "strict_percent": cells(100.0 * self.strict / self.pairs),
            "any_percent": cells(self.share),
            "strict_nonseparable": cells(self.strict_nonseparable),
            "any_nonseparable": cells(self.either_nonseparable),
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "k": self.universe.depth,
            "grades": self.universe.grades,
            "available": list(self.universe.available),
            "empty": self.universe.empty,
            "rankings": len(self.universe),
            "pairs": self.pairs,
            "measures": [
                {"measure": str(m), "exact": e, "isotone": i}
                for m, e, i in zip(self.measures, self.exact, self.isotone, strict=True)
            ],
            "disagreement": records(self.columns()),
        }


def most_disagreeing(pairs: Sequence[tuple[str, str]], counts: Ints) -> str:
    """Which two measures disagree most, and which others as often, as a clause.

    >>> most_disagreeing([("P", "RR"), ("R", "RR")], np.array([3, 3]))
    'P and RR disagree most, R and RR equally often'
    """
    most = [f"{a} and {b}" for (a, b), count in zip(pairs, counts.tolist(), strict=True) if count == counts.max()]
    others = most[1] if len(most) == 2 else f"{len(most) - 1:,} other pairs of measures"
    return f"{most[0]} disagree most" + (f", {others} equally often" if len(most) > 1 else "")


def disagreement(
    measures: str | Measure | Sequence[str | Measure] = PAPER,
    *,
    depth: int = 10,
    grades: int = 1,
    recall_base: int | Sequence[int] | None = None,
    empty: bool = False,
    workers: int | None = None,
    memory: int | str | None = None,
    progress: Progress = None,
    client: Client = None,
) -> Disagreement:
    """Numbers of pairs of all rankings of `depth` documents that every two measures order differently, exact.

    grades       rankings are of grades 0 to c
    recall_base  R, or the number of documents of each grade 1 to c, that the topic has; by default `depth` of each
    empty        whether the ranking without a relevant document takes part
    memory       that may be used, in bytes or as in "2GiB", by default what is free; more is refused before it starts
    progress     hears how much is done, from 0 to 1
    client       a Dask cluster for blocks of rankings and for pairs of measures

    >>> result = disagreement(["AP", "DCG"], depth=10)
    >>> int(result.either[0, 1]), int(result.strict[0, 1]), result.pairs
    (15776, 15501, 522753)
    """
    universe, named = universe_and_measures(measures, depth, grades, recall_base, empty)
    with on(client):
        return _disagreement(universe, named, workers or available_workers(), memory, progress)


def _disagreement(
    universe: Universe, measures: tuple[Measure, ...], use: int, memory: int | str | None, progress: Progress
) -> Disagreement:
    count = len(measures)
    refuse_if_too_large(universe, count, count * (count - 1) // 2, use, memory)
    scoring, counting = staged(progress, count, count * (count - 1) / 4)
    places = placed(universe, measures, workers=use, progress=scoring)
    kinds, kind = _kinds(places.measures)
    two = list(combinations(range(len(kinds)), 2))
    strict, either, tied = (np.zeros((count, count), np.int64) for _ in range(3))
    for step, ((i, j), pair) in enumerate(
        zip(two, map_units(lambda at: compared(kinds[at[0]], kinds[at[1]]), two, workers=use), strict=True), 1
    ):
        for a in np.flatnonzero(kind == i):
            for b in np.flatnonzero(kind == j):
                _note(strict, either, tied, int(a), int(b), pair)
        if counting is not None:
            counting(step / len(two))
    respects = tuple(isotone(universe, by_measure) for by_measure in places.measures)
    if len(universe) <= MOST_EXACT:
        free_strict, free_either = _nonseparable(universe, places.measures)
    else:
        proved = np.array([[bool(a and b) for b in respects] for a in respects])
        free_strict = np.where(proved | (strict == 0), strict, UNKNOWN)
        free_either = np.where(either == 0, 0, UNKNOWN)
    return Disagreement(
        universe=universe,
        measures=measures,
        strict=strict,
        either=either,
        tied=tied,
        strict_nonseparable=free_strict,
        either_nonseparable=free_either,
        isotone=respects,
        exact=places.exact,
    )


def _note(strict: Ints, either: Ints, tied: Ints, a: int, b: int, pair: Compared) -> None:
    strict[a, b] = strict[b, a] = pair.strict
    either[a, b] = either[b, a] = pair.differ
    tied[a, b], tied[b, a] = pair.tied_first, pair.tied_second


def _kinds(places: Sequence[Places]) -> tuple[list[Places], Ints]:
    """The different orders among some, and which one each is: DCG, nDCG and SDCG are one."""
    kinds: list[Places] = []
    kind = np.empty(len(places), np.int64)
    for at, by_measure in enumerate(places):
        kind[at] = next((i for i, known in enumerate(kinds) if np.array_equal(known, by_measure)), len(kinds))
        if kind[at] == len(kinds):
            kinds.append(by_measure)
    return kinds, kind


def _nonseparable(universe: Universe, places: Sequence[Places]) -> tuple[Ints, Ints]:
    """Non-separable pairs that two measures strictly, or at all, disagree on: counted pair by pair.

    At some grade threshold and rank the one has more documents, at another the other.
    """
    above = Worth(universe.grades, None).no_worse(universe.level)
    non_separable = np.triu(~above & ~above.T)
    n = len(universe)
    place = np.stack(places)
    strict = np.zeros((len(place), len(place)), np.int64)
    alike = np.zeros_like(strict)
    free = 0
    step = max(1, _CELLS // n)
    for start in range(0, n, step):
        first, second = np.nonzero(non_separable[start : start + step])
        free += len(first)
        a, b = place[:, first + start], place[:, second]
        more, less = (a > b).astype(np.float32), (a < b).astype(np.float32)  # counts up to 2^20 are exact in singles
        strict += (more @ less.T + less @ more.T).astype(np.int64)
        equal = 1 - more - less
        alike += (more @ more.T + less @ less.T + equal @ equal.T).astype(np.int64)
    return strict, free - alike
