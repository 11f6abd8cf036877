"""Ties of scores: of reciprocal rank by arithmetic, of any measure over all rankings.

Diaz, "Best-Case Retrieval Evaluation: Improving the Sensitivity of Reciprocal Rank with Lexicographic Precision", 2023:
section 2 and Figure 2, section 3.3 and equation (1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import comb, lgamma, log
from typing import Any

from rankscope.arguments import at_once, is_whole, whole_number
from rankscope.errors import InputError, plural
from rankscope.measures import Measure
from rankscope.parallel import Client, available_workers, on
from rankscope.progress import Progress, staged
from rankscope.results import Result, records
from rankscope.universe.answers import Answered
from rankscope.universe.cost import refuse_if_too_large
from rankscope.universe.rankings import comparable_rankings
from rankscope.universe.score_ranks import measures_at, placed
from rankscope.universe.two_measures.concordant_pairs import tied

MOST_DOCUMENTS = 10**7
MOST_BITS = 1e6  # of C(n, m), a few seconds to compute


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistinctValues(Answered):
    """Numbers of different scores, one row per measure and depth.

    lists   rankings there are
    values  different scores among them
    tied    pairs of different rankings with one score, unordered
    exact   whether that is proved, by fractions or since different scores lie further apart than rounding moves them;
            else doubles are equal where rounding explains the difference
    """

    measures: tuple[str, ...]
    depths: tuple[int, ...]
    lists: tuple[int, ...]
    values: tuple[int, ...]
    tied: tuple[int, ...]
    exact: tuple[bool, ...]

    def columns(self) -> dict[str, list[Any]]:
        """One row per measure and depth; tied_share is that of all pairs of different rankings."""
        return {
            "measure": list(self.measures),
            "k": list(self.depths),
            "lists": list(self.lists),
            "values": list(self.values),
            "tied_pairs": list(self.tied),
            "tied_share": [t / comb(n, 2) for t, n in zip(self.tied, self.lists, strict=True)],
            "exact": list(self.exact),
        }

    def to_dict(self) -> dict[str, Any]:
        return {"rows": records(self.columns())}

    QUESTION = "How many different scores does each measure have?"
    READING = (
        "Values: different scores among all rankings. Tied pairs: pairs of different rankings with one score.",
        "A measure with few values cannot tell many rankings apart, whatever the collection.",
    )

    def answer(self) -> str:
        """The measures with the largest and the smallest share of ties."""
        shares = self.columns()["tied_share"]
        most, least = (pick(range(len(shares)), key=lambda i: shares[i]) for pick in (max, min))
        if shares[most] == shares[least]:
            return f"Every measure ties {100 * shares[most]:.2f} % of the pairs of rankings."
        return (
            f"{self.measures[most]} has the most ties: {plural(self.values[most], 'score')} for "
            f"{plural(self.lists[most], 'ranking')}, and {100 * shares[most]:.2f} % of the pairs tie. "
            f"{self.measures[least]} has the fewest: {100 * shares[least]:.2f} %."
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        columns = self.columns()
        shown = {
            **columns,
            "tied_share": [f"{100 * share:.4f} %" for share in columns["tied_share"]],
            "exact": ["exactly" if exact else "in doubles" for exact in columns["exact"]],
        }
        header = ["measure", "k", "rankings", "values", "tied pairs", "of all", "compared"]
        return header, [list(map(str, row)) for row in zip(*shown.values(), strict=True)]


def distinct_values(
    measures: str | Measure | Sequence[str | Measure],
    depth: int | Sequence[int] = 10,
    *,
    grades: int = 1,
    recall_base: int | Sequence[int] | None = None,
    workers: int | None = None,
    memory: int | str | None = None,
    progress: Progress = None,
    client: Client = None,
) -> DistinctValues:
    """Numbers of different scores that measures give to all rankings of k documents.

    depth        k, or several of them; measures that can be cut at a rank are cut there
    grades       c: grades are 0 to c
    recall_base  documents of each grade 1 to c that the topic has, as in `rankings`
    memory, progress, as in `disagreement`

    Scores are compared as `disagreement` compares them: exactly where that can be, else as doubles, equal where
    rounding explains the difference; what that leaves in doubt is refused.

    >>> print(distinct_values(["P", "RR", "RBP(p=0.5)"], 3))
    RR@3 has the most ties: 4 scores for 8 rankings, and 25.00 % of the pairs tie.
      RBP(p=0.5)@3 has the fewest: 0.00 %.
    <BLANKLINE>
    measure       k  rankings  values  tied pairs     of all  compared
    P@3           3         8       4           6  21.4286 %   exactly
    RR@3          3         8       4           7  25.0000 %   exactly
    RBP(p=0.5)@3  3         8       8           0   0.0000 %   exactly
    <BLANKLINE>
    Next: to_text("full") has all numbers, to_text("explain") how to read them.
    """
    depths = _several(depth)
    if not depths:
        raise InputError("no depth is given", "name at least one")
    universes = [comparable_rankings(k, grades, recall_base, empty=True) for k in depths]
    use = workers or available_workers()
    for universe in universes:
        refuse_if_too_large(universe, len(measures_at(measures, universe.depth)), 0, use, memory)
    rows = []
    for universe, stage in zip(universes, staged(progress, *(float(u.size) for u in universes)), strict=True):
        cut = measures_at(measures, universe.depth)
        with on(client):
            done = placed(universe, cut, workers=use, progress=stage)
        for measure, place, exact in zip(cut, done.measures, done.exact, strict=True):
            rows.append((str(measure), universe.depth, len(universe), int(place.max()) + 1, tied(place), exact))
    return DistinctValues(**dict(zip(DistinctValues.__slots__, zip(*rows, strict=True), strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TieCurve(Result):
    """Figure 2: how likely a tie of reciprocal rank is, by the rank of the first relevant document.

    probability  by relevant documents, then by first rank; exact
    """

    documents: int
    relevant: tuple[int, ...]
    first: tuple[int, ...]
    probability: tuple[tuple[Fraction, ...], ...]

    def columns(self) -> dict[str, list[Any]]:
        """One row per point of the figure: m, p1, probability."""
        return {
            "m": [m for m in self.relevant for _ in self.first],
            "p1": [p for _ in self.relevant for p in self.first],
            "probability": [float(probability) for curve in self.probability for probability in curve],
        }

    def to_dict(self) -> dict[str, Any]:
        return {"documents": self.documents, **self.columns()}

    def table(self) -> tuple[list[str], list[list[str]]]:
        some = sorted({0, *(i for i, p in enumerate(self.first) if p in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
                       len(self.first) - 1})  # fmt: skip
        rows = [[str(self.first[i]), *(f"{float(curve[i]):.6f}" for curve in self.probability)] for i in some]
        return ["p1", *(f"m = {m}" for m in self.relevant)], rows

    def heading(self) -> str:
        return (
            "Probability of a tie in reciprocal rank with a ranking whose first relevant document is at rank p1; "
            f"{self.documents:,} documents in random order, m of them relevant"
        )


def tie_curve(
    documents: int = 50_000,
    relevant: int | Sequence[int] = (10, 50, 100, 250),
    first: Iterable[int] = range(1, 501),
) -> TieCurve:
    """Probability of a tie in reciprocal rank with a ranking whose first relevant document is at p1.

    documents  n: all are ranked
    relevant   m, or several of them
    first      ranks p1

    All arrangements of the m relevant among n documents are equally likely: it is C(n - p1, m - 1) / C(n, m). The
    default is Figure 2.

    >>> tie_curve(50_000, 250, [1]).probability
    ((Fraction(1, 200),),)
    """
    ms, ranks = _several(relevant), tuple(first)
    _check(documents, ms)
    last = documents - max(ms) + 1
    wrong = [p for p in ranks if not is_whole(p) or not 1 <= p <= last]
    if wrong or not ranks:
        raise InputError(f"first={wrong[:5] or list(ranks)}: expected ranks from 1 to {last}",
                         f"{max(ms)} relevant among {documents} documents begin there")  # fmt: skip
    curves = []
    for m in ms:
        ways, total, at, curve = comb(documents - 1, m - 1), comb(documents, m), 1, {}
        for p in sorted(set(ranks)):
            if p - at > m:
                ways = comb(documents - p, m - 1)
            else:
                for q in range(at, p):  # C(n - q - 1, m - 1) from C(n - q, m - 1)
                    ways = ways * (documents - q - m + 1) // (documents - q)
            at = p
            curve[p] = Fraction(ways, total)
        curves.append(tuple(curve[p] for p in ranks))
    return TieCurve(documents=documents, relevant=ms, first=ranks, probability=tuple(curves))


def values_gained(documents: int, relevant: int, added: int) -> Fraction:
    """Equation (1): how many times more values lexiprecision has with so many relevant documents more.

    >>> values_gained(20, 3, 4)
    Fraction(68, 1)
    """
    _check(documents, [relevant])
    whole_number("added", added, 0, documents - relevant)
    return Fraction(comb(documents, relevant + added), comb(documents, relevant))


def _several(numbers: int | Sequence[int]) -> tuple[int, ...]:
    return tuple(numbers) if isinstance(numbers, Sequence) else (numbers,)


def _check(documents: Any, relevant: Sequence[Any]) -> None:
    whole_number("documents", documents, 1, MOST_DOCUMENTS)
    at_once(*(partial(whole_number, "relevant", m, 1, documents) for m in relevant))
    if large := [m for m in relevant if _bits(documents, m) > MOST_BITS]:
        bits = _bits(documents, large[0])
        raise InputError(f"C({documents}, {large[0]}) has about {bits:.2g} binary digits, {MOST_BITS:.0g} are computed",
                         "take fewer documents, relevant or in all")  # fmt: skip


def _bits(n: int, m: int) -> float:
    """Binary digits of C(n, m), about."""
    return (lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1)) / log(2)
