"""How often scores tie: of reciprocal rank and lexiprecision by arithmetic, of any measure over all rankings.

Diaz, "Best-Case Retrieval Evaluation: Improving the Sensitivity of Reciprocal Rank with Lexicographic Precision", 2023:
section 2 and Figure 2, section 3.3 and equation (1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import comb, lgamma, log, log10
from typing import Any

from rankscope.errors import InputError, Problem
from rankscope.measures import Measure
from rankscope.parallel import Client, available_workers, on
from rankscope.results import Result
from rankscope.universe.cost import refuse_if_too_large, staged
from rankscope.universe.one_measure.scales import cut, one
from rankscope.universe.rankings import out_of_range, whole
from rankscope.universe.score_ranks import Progress, domain, placed
from rankscope.universe.two_measures.concordant_pairs import tied

MOST_DOCUMENTS = 10**7
MOST_BITS = 1e6  # of C(n, m), a few seconds to compute
MOST_SUMMED = 4e10  # bits of all numbers that a sum over first ranks multiplies, some ten seconds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistinctValues(Result):
    """How many different values measures have, one row per measure and depth.

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
        """Plain values, as for JSON."""
        columns = self.columns()
        return {"rows": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}

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
    progress: Progress | None = None,
    client: Client = None,
) -> DistinctValues:
    """How many different scores measures give to all rankings of k documents.

    depth        k, or several of them; measures that can be cut at a rank are cut there
    grades       c: grades are 0 to c
    recall_base  documents of each grade 1 to c that the topic has, as in `rankings`
    memory, progress, as in `disagreement`

    Scores are compared as `disagreement` compares them: exactly where that can be, else as doubles, equal where
    rounding explains the difference; what that leaves in doubt is refused.

    >>> print(distinct_values(["P", "RR", "RBP(p=0.5)"], 3))
    measure       k  rankings  values  tied pairs     of all  compared
    P@3           3         8       4           6  21.4286 %   exactly
    RR@3          3         8       4           7  25.0000 %   exactly
    RBP(p=0.5)@3  3         8       8           0   0.0000 %   exactly
    """
    named = [measures] if isinstance(measures, str | Measure) else list(measures)
    depths = list(depth) if isinstance(depth, Sequence | range) else [depth]
    if not named or not depths:
        raise InputError("nothing is asked for", "name at least one measure and one depth")
    domains = [domain(k, grades, recall_base, empty=True) for k in depths]
    use = workers or available_workers()
    for where in domains:
        refuse_if_too_large(where, len(named), 0, use, memory)
    rows = []
    for where, hears in zip(domains, staged(progress, *(float(where.size) for where in domains)), strict=True):
        found = [cut(one(name), where.depth) for name in named]
        with on(client):
            done = placed(where, found, workers=use, progress=hears)
        for measure, place, exact in zip(found, done.measures, done.exact, strict=True):
            rows.append((str(measure), where.depth, len(where), int(place.max()) + 1, tied(place), exact))
    return DistinctValues(**dict(zip(DistinctValues.__slots__, zip(*rows, strict=True), strict=True)))


def tie_probability(first: int, documents: int, relevant: int) -> Fraction:
    """How likely a ranking at random ties in reciprocal rank with one whose first relevant document is at `first`.

    All arrangements of the m relevant among n documents are equally likely: C(n - p1, m - 1) / C(n, m).

    >>> tie_probability(1, 50_000, 250)
    Fraction(1, 200)
    """
    _check(documents, [relevant])
    if not whole(first) or not 1 <= first <= documents - relevant + 1:
        raise InputError(f"first={first!r}: {relevant} relevant among {documents} documents begin at a rank from 1 to "
                         f"{documents - relevant + 1}")  # fmt: skip
    return Fraction(comb(documents - first, relevant - 1), comb(documents, relevant))


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
            "probability": [float(one) for curve in self.probability for one in curve],
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {"documents": self.documents, **self.columns()}

    def table(self) -> tuple[list[str], list[list[str]]]:
        some = sorted({0, *(i for i, p in enumerate(self.first) if p in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
                       len(self.first) - 1})  # fmt: skip
        rows = [[str(self.first[i]), *(f"{float(curve[i]):.6f}" for curve in self.probability)] for i in some]
        return ["p1", *(f"m = {m}" for m in self.relevant)], rows

    def heading(self) -> str:
        return f"a tie in reciprocal rank with a first relevant document at p1; {self.documents} documents, m relevant"


def tie_curve(
    documents: int = 50_000,
    relevant: int | Sequence[int] = (10, 50, 100, 250),
    first: Iterable[int] = range(1, 501),
) -> TieCurve:
    """`tie_probability` for several m and p1; by default Figure 2."""
    ms, ranks = _several(relevant), tuple(first)
    _check(documents, ms)
    last = documents - max(ms) + 1
    wrong = [p for p in ranks if not whole(p) or not 1 <= p <= last]
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TieCounts(Result):
    """How many values reciprocal rank and lexiprecision have, and how likely two rankings at random tie; one row per m.

    depth  documents of a ranking that are seen; all by default
    """

    documents: int
    relevant: tuple[int, ...]
    depth: int | None
    rr_values: tuple[int, ...]
    rr_tie: tuple[Fraction, ...]
    lexiprecision_values: tuple[int, ...]
    lexiprecision_tie: tuple[Fraction, ...]

    def columns(self) -> dict[str, list[Any]]:
        """One row per m; of what outgrows doubles the logarithm."""
        return {
            "m": list(self.relevant),
            "rr_values": list(self.rr_values),
            "rr_tie": [float(p) for p in self.rr_tie],
            "log10_lexiprecision_values": [log10(n) for n in self.lexiprecision_values],
            "log10_lexiprecision_tie": [log10(p.numerator) - log10(p.denominator) for p in self.lexiprecision_tie],
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {"documents": self.documents, "depth": self.depth, **self.columns()}

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [str(m), str(few), _digits(often), _digits(Fraction(many)), _digits(seldom)]
            for m, few, often, many, seldom in zip(
                self.relevant, self.rr_values, self.rr_tie, self.lexiprecision_values, self.lexiprecision_tie,
                strict=True,
            )
        ]  # fmt: skip
        return ["m", "RR values", "RR tie", "lexiprecision values", "lexiprecision tie"], rows

    def heading(self) -> str:
        seen = "" if self.depth is None else f", the first {self.depth} seen"
        return f"two rankings at random of {self.documents} documents{seen}, m of them relevant"


def ties(documents: int, relevant: int | Sequence[int], *, depth: int | None = None) -> TieCounts:
    """How often two rankings at random tie, in reciprocal rank and in lexiprecision.

    documents  n: all are ranked
    relevant   m, or several of them
    depth      down to which rank one looks: rankings without a relevant document there tie in both, and lexiprecision
               ties where the relevant documents down to it are at the same ranks

    >>> print(ties(12, 5))
    two rankings at random of 12 documents, m of them relevant
    m  RR values    RR tie  lexiprecision values  lexiprecision tie
    5          8  0.279391                   792         0.00126263
    """
    ms = _several(relevant)
    _check(documents, ms)
    if depth is not None and (not whole(depth) or not 1 <= depth <= documents):
        raise InputError(f"depth={depth!r}: expected a rank from 1 to {documents}, or None for all")
    seen = documents if depth is None else depth
    size = sum(min(seen, documents - m + 1) * _bits(documents, m) for m in ms)
    if size > MOST_SUMMED:
        raise InputError(f"exact sums over all first ranks would take about {size / 4e9:.0f} seconds",
                         "take fewer documents, a depth, or tie_probability for one first rank")  # fmt: skip
    rows = [_of_two(documents, m, seen) for m in ms]
    few, often, many, seldom = zip(*rows, strict=True)
    return TieCounts(documents=documents, relevant=ms, depth=depth, rr_values=few, rr_tie=often,
                lexiprecision_values=many, lexiprecision_tie=seldom)  # fmt: skip


def values_gained(documents: int, relevant: int, added: int) -> Fraction:
    """Equation (1): how many times more values lexiprecision has with so many relevant documents more.

    >>> values_gained(20, 3, 4)
    Fraction(68, 1)
    """
    _check(documents, [relevant])
    if not whole(added) or not 0 <= added <= documents - relevant:
        raise InputError(f"added={added!r}: expected a whole number from 0 to {documents - relevant}",
                         f"so many of {documents} documents are not relevant yet")  # fmt: skip
    return Fraction(comb(documents, relevant + added), comb(documents, relevant))


def _of_two(n: int, m: int, seen: int) -> tuple[int, Fraction, int, Fraction]:
    """Values and probability of a tie, of reciprocal rank and of lexiprecision."""
    total, last = comb(n, m), min(seen, n - m + 1)
    unseen = comb(n - seen, m)  # arrangements without a relevant document down to that rank
    ways, squares = comb(n - 1, m - 1), unseen * unseen
    for p in range(1, last + 1):
        squares += ways * ways
        ways = ways * (n - p - m + 1) // (n - p) if p < n else 0
    below = range(max(0, m - (n - seen)), min(m, seen) + 1)  # relevant documents down to that rank
    many = sum(comb(seen, j) for j in below)
    same = sum(comb(seen, j) * comb(n - seen, m - j) ** 2 for j in below)
    return last + (unseen > 0), Fraction(squares, total * total), many, Fraction(same, total * total)


def _digits(number: Fraction) -> str:
    """Six digits of any number, however large or small.

    >>> _digits(Fraction(792)), _digits(Fraction(1, 10**400))
    ('792', '1.00000e-400')
    """
    if 10**-5 < number < 10**6:
        return f"{float(number):.6g}"
    power = Decimal(number.numerator) / Decimal(number.denominator)
    return f"{power:.5e}"


def _several(given: int | Sequence[int]) -> tuple[int, ...]:
    return tuple(given) if isinstance(given, Sequence | range) else (given,)


def _check(documents: Any, relevant: Sequence[Any]) -> None:
    if problems := out_of_range(documents=(documents, MOST_DOCUMENTS)):
        raise InputError(problems)
    wrong = [Problem(f"relevant={m!r}", f"a whole number from 1 to {documents}, the number of documents, is expected")
             for m in relevant if not whole(m) or not 1 <= m <= documents]  # fmt: skip
    wrong = wrong or [
        Problem(f"C({documents}, {m}) has about {_bits(documents, m):.2g} binary digits, {MOST_BITS:.0g} are computed",
                "take fewer documents, relevant or in all")
        for m in relevant if _bits(documents, m) > MOST_BITS
    ]  # fmt: skip
    if wrong:
        raise InputError(wrong)


def _bits(n: int, m: int) -> float:
    """Binary digits of C(n, m), about."""
    return (lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1)) / log(2)
