"""The orders of reciprocal rank and of lexiprecision over the positions of the relevant documents.

Diaz, "Best-Case Retrieval Evaluation: Improving the Sensitivity of Reciprocal Rank with Lexicographic Precision", 2023,
Figure 1 and section 3.4.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from rankscope.arguments import is_whole, whole_number
from rankscope.errors import InputError
from rankscope.results import Result

MOST_DOCUMENTS = 100_000
MOST_RELEVANT = 16  # 65,535 possible users


@dataclass(frozen=True, slots=True)
class PositionOrders(Result):
    """Orders of reciprocal rank and lexiprecision over m relevant among n documents, best first: Diaz (2023), Figure 1.

    Reciprocal rank puts all arrangements with one first rank in one place, n - m + 1 places in all; lexiprecision gives
    each of the C(n, m) arrangements its own.
    """

    documents: int
    relevant: int

    def __post_init__(self) -> None:
        whole_number("documents", self.documents, 1, MOST_DOCUMENTS)
        whole_number("relevant", self.relevant, 1, self.documents)

    @property
    def rr_places(self) -> int:
        return self.documents - self.relevant + 1

    @property
    def lexiprecision_places(self) -> int:
        return comb(self.documents, self.relevant)

    def tied(self, first: int) -> int:
        """Arrangements whose first relevant document is at this rank: reciprocal rank ties them all."""
        return comb(self.documents - first, self.relevant - 1) if 1 <= first <= self.rr_places else 0

    def positions(self, place: int) -> tuple[int, ...]:
        """The arrangement at a place of lexiprecision, 0 the best; negative places count from the worst.

        >>> PositionOrders(12, 5).positions(0), PositionOrders(12, 5).positions(-2)
        ((1, 2, 3, 4, 5), (7, 9, 10, 11, 12))
        """
        total = self.lexiprecision_places
        left, rank, ranks = whole_number("place", place, -total, total - 1) % total, 0, []
        for still in range(self.relevant, 0, -1):
            here = comb(self.documents - rank, still)  # arrangements of those that are left, below the last one placed

            def before(r: int, here: int = here, still: int = still) -> int:
                """Arrangements whose next relevant document is at rank r or above."""
                return here - comb(self.documents - r, still)

            last = rank
            rank = last + 1 + bisect_right(range(last + 1, self.documents + 1), left, key=before)
            left -= before(rank - 1)
            ranks.append(rank)
        return tuple(ranks)

    def columns(self, most: int = 10**6) -> dict[str, list[Any]]:
        """One row per arrangement, best first, with its places; refused where there are more than `most`."""
        if self.lexiprecision_places > most:
            raise InputError(f"C({self.documents}, {self.relevant}) arrangements are more than {most}",
                             "ask for single ones with positions(), or for more of them")  # fmt: skip
        rows = [self.positions(place) for place in range(self.lexiprecision_places)]
        return {
            "positions": [",".join(map(str, row)) for row in rows],
            "rr_place": [row[0] - 1 for row in rows],
            "lexiprecision_place": list(range(len(rows))),
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON: the ends of both orders."""
        header, rows = self.table()
        return {
            "documents": self.documents,
            "relevant": self.relevant,
            "rr_places": self.rr_places,
            "lexiprecision_places": str(self.lexiprecision_places),
            "ends": [dict(zip(header, row, strict=True)) for row in rows],
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The figure: both orders from their best to their worst, the middle left out."""
        stars = ",*" * (self.relevant - 1)
        rr = _ends(self.rr_places)
        lexi = _ends(self.lexiprecision_places)
        left = ["..." if at is None else f"({at + 1}{stars})" for at in rr]
        ties = ["..." if at is None else f"{self.tied(at + 1)}" for at in rr]
        right = ["..." if at is None else f"({','.join(map(str, self.positions(at)))})" for at in lexi]
        length = max(len(left), len(right))
        cells = [column + [""] * (length - len(column)) for column in (left, ties, right)]
        return ["reciprocal rank", "tied", "lexiprecision"], [list(row) for row in zip(*cells, strict=True)]

    def text_columns(self) -> int:
        return 3


def _ends(count: int, few: int = 3) -> list[int | None]:
    """The first and the last of so many, with a gap between."""
    return list(range(count)) if count <= 2 * few + 1 else [*range(few), None, *range(count - few, count)]


def position_orders(documents: int, relevant: int) -> PositionOrders:
    """Orders of reciprocal rank and of lexiprecision over the positions of m relevant among n documents.

    >>> print(position_orders(10, 5))
    reciprocal rank  tied  lexiprecision
    (1,*,*,*,*)      126   (1,2,3,4,5)
    (2,*,*,*,*)      70    (1,2,3,4,6)
    (3,*,*,*,*)      35    (1,2,3,4,7)
    (4,*,*,*,*)      15    ...
    (5,*,*,*,*)      5     (5,6,8,9,10)
    (6,*,*,*,*)      1     (5,7,8,9,10)
                           (6,7,8,9,10)
    """
    return PositionOrders(documents, relevant)


@dataclass(frozen=True, slots=True)
class PossibleUsers(Result):
    """Possible users of Diaz (2023), section 3.4: 2^m - 1, one for each set of the m relevant documents.

    A user wants one document of her set, so a ranking is worth the reciprocal of the best position in the set to her.
    The i-th relevant document of a ranking is the best one for the 2^(m - i) sets that hold it and none before it,
    wherever it stands. So two rankings have the same number of users at each recall level; with users from the best
    served to the worst served, the first whom they serve differently is the first one of the first level whose
    positions differ, which is what lexiprecision compares.

    first, second  positions of the relevant documents, rising; differences are second - first
    """

    first: tuple[int, ...]
    second: tuple[int, ...]

    def __post_init__(self) -> None:
        for ranks in (self.first, self.second):
            rising = list(ranks) == sorted(set(ranks)) and all(is_whole(rank) and rank >= 1 for rank in ranks)
            if not rising or not 1 <= len(ranks) <= MOST_RELEVANT:
                raise InputError(f"positions={list(ranks)!r}", f"give 1 to {MOST_RELEVANT} rising ranks from 1")
        if len(self.first) != len(self.second):
            raise InputError(f"{len(self.first)} and {len(self.second)} relevant documents",
                             "give as many positions for both rankings: all of one topic")  # fmt: skip

    @property
    def at_level(self) -> tuple[int, ...]:
        """Users whose best document is the i-th relevant one of a ranking, from i = 1."""
        return tuple(2 ** (len(self.first) - i) for i in range(1, len(self.first) + 1))

    def utilities(self) -> tuple[list[Fraction], list[Fraction]]:
        """Utilities of both rankings to their users, the best served first."""
        of_first, of_second = (
            [Fraction(1, rank) for rank, count in zip(ranks, self.at_level, strict=True) for _ in range(count)]
            for ranks in (self.first, self.second)
        )
        return of_first, of_second

    @property
    def decided(self) -> tuple[int, int, Fraction] | None:
        """The first user whom they serve differently, from 1, her level, and second less first; None for a tie."""
        before = 0
        for level, (p, q, count) in enumerate(zip(self.first, self.second, self.at_level, strict=True), 1):
            if p != q:
                return before + 1, level, Fraction(1, q) - Fraction(1, p)
            before += count
        return None

    def columns(self) -> dict[str, list[Any]]:
        """One row per user, the best served first."""
        of_first, of_second = self.utilities()
        levels = [level for level, count in enumerate(self.at_level, 1) for _ in range(count)]
        return {
            "user": list(range(1, len(levels) + 1)),
            "level": levels,
            "first": [float(worth) for worth in of_first],
            "second": [float(worth) for worth in of_second],
            "difference": [float(b - a) for a, b in zip(of_first, of_second, strict=True)],
        }

    def to_dict(self) -> dict[str, Any]:
        return {"positions": [list(self.first), list(self.second)], **self.columns()}

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per recall level."""
        rows = [
            [str(level), str(count), str(p), str(q), str(Fraction(1, q) - Fraction(1, p))]
            for level, (count, p, q) in enumerate(zip(self.at_level, self.first, self.second, strict=True), 1)
        ]
        return ["level", "users", "first", "second", "difference"], rows


def possible_users(first: Sequence[int], second: Sequence[int]) -> PossibleUsers:
    """Utilities of two rankings to all possible users, from the positions of their relevant documents.

    >>> print(possible_users((2, 4, 10), (2, 8, 9)))
    level  users  first  second  difference
    1          4      2       2           0
    2          2      4       8        -1/8
    3          1     10       9        1/90
    """
    return PossibleUsers(tuple(first), tuple(second))
