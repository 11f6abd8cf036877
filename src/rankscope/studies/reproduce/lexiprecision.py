"""Diaz, "Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with lexicographic precision",
2023."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE
from rankscope.judged import Judged
from rankscope.preferences import lexiprecision_of
from rankscope.statistics import adjust
from rankscope.statistics.pairs.difference_tests import paired_tests
from rankscope.studies.base import Table, extent, threshold
from rankscope.studies.incompleteness import removal
from rankscope.studies.locality import Locality, locality
from rankscope.studies.material import Candidate, material
from rankscope.studies.power import discriminative_power
from rankscope.studies.preference_lists import comparable, relevant_code
from rankscope.studies.reproduce.items import Item, Made, Paper, Setting, by_rows, whole
from rankscope.studies.sampling import LABEL_FRACTIONS
from rankscope.studies.ties import TiedRankings, ties
from rankscope.universe import position_orders, possible_users, tie_curve

MOST = 5  # thresholds of relevance that tables are made for
DOCUMENTS, RELEVANT = 10, 5  # of Figure 1, whose n is any
EXAMPLE = (2, 4, 10, 999, 1000), (2, 8, 9, 500, 1000)  # of Figure 4, with n = 1000
RANKINGS = ("p", "p'")


def _figure_1(_: Setting) -> Made:
    found = position_orders(DOCUMENTS, RELEVANT)
    caption = f"Positions of {RELEVANT} relevant among {DOCUMENTS} documents, best first, with their places."
    return whole(found.columns(), caption)


def _figure_2(_: Setting) -> Made:
    return whole(tie_curve().columns(), "Probability of a tie with a ranking at random, n = 50,000.", left=0)


def _figure_4(_: Setting) -> Made:
    gains = np.zeros((2, max(map(max, EXAMPLE))), np.int64)
    for row, ranks in zip(gains, EXAMPLE, strict=True):
        row[np.array(ranks) - 1] = 1
    found = lexiprecision_of(*gains[::-1])  # the paper's magnitudes are positive for its first ranking
    level, sign, difference = int(found.level[0]), int(found.sign[0]), float(found.difference[0])
    rows = []
    for i, (p, q) in enumerate(zip(*EXAMPLE, strict=True), 1):
        compared = "not looked at" if i > level else "decides" if i == level else "tied"
        rows.append((i, p, q, "=<>"[(p < q) + 2 * (p > q)], compared, 1 / p - 1 / q))
    names = ["level", *RANKINGS, "relation", "compared", "difference of RR_i"]
    first, second = EXAMPLE[0][0], EXAMPLE[1][0]
    ways = [("difference of RR_1", 1 / first - 1 / second), ("difference of ESL_1", float(second - first)),
            ("sgnLP", float(sign)), ("rrLP", difference)]  # fmt: skip
    return {
        "a": Table(values=by_rows(names, rows), left=0,
                   caption=f"Positions of the relevant documents, decided at recall level {level}; n = "
                   f"{gains.shape[1]}."),
        "b": Table(values=by_rows(["preference", "value"], ways), left=1,
                   caption=f"Magnitudes of the preference for {RANKINGS[0]}."),
    }  # fmt: skip


def _section_3_4(_: Setting) -> Made:
    found = possible_users(*EXAMPLE)
    assert found.decided is not None
    user, level, difference = found.decided
    header, rows = found.table()
    places = {"first": RANKINGS[0], "second": RANKINGS[1]}
    named = {places.get(name, name): cells for name, cells in found.columns().items()}
    return {
        "a": Table(values=by_rows([places.get(name, name) for name in header], rows), left=0,
                   caption="Users by recall level: those whose best document is the i-th relevant one."),
        "b": Table(values=named, left=0,
                   caption=f"All {len(named['user'])} possible users of Figure 4, best served first. The first whom "
                   f"the rankings serve differently is number {user}, at recall level {level}: {difference}, as rrLP."),
    }  # fmt: skip


def _by_threshold(
    s: Setting, names: Sequence[str], row: Callable[[Judged], Sequence[Any]], caption: str, **formats: str
) -> Table:
    """One row per grade from which documents may count as relevant."""
    rows = []
    for grade in [g for g in s.lists.grades.tolist() if g > 0][:MOST]:
        judged = replace(s.lists, rules=replace(s.lists.rules, rel=grade))
        if judged.available[:, relevant_code(judged) - FIRST_GRADE :].any():
            rows.append((f"{grade:g}", *row(judged)))
    return Table(values=by_rows(["relevant from grade", *names], rows), caption=caption, formats=formats)


def _table_1(s: Setting) -> Made:
    def row(judged: Judged) -> Sequence[Any]:
        base = comparable(judged)
        relevant = base.available[:, relevant_code(base) - FIRST_GRADE :].sum(axis=1)
        return len(base.topics), len(base.systems), float(relevant.mean()), float(base.retrieved.mean())

    names = ["requests", "runs", "rel/request", "docs/request"]
    caption = "The collection; requests with a relevant document, and documents retrieved for each on average."
    return {"": _by_threshold(s, names, row, caption, **dict.fromkeys(names[2:], ".2f"))}


def _table_2(s: Setting) -> Made:
    def row(judged: Judged) -> Sequence[Any]:
        found = locality(judged, n_levels=2, targets=1, predictors=1)
        share = 100 / found.masked if found.masked else np.nan
        return found.masked, found.by_rest * share, int(found.by_level[0]) * share

    caption = "Pairs of lists with different RR, and per cent of them ordered alike by what follows the first level."
    return {"": _by_threshold(s, ["pairs", "sgnLP", "RR_2"], row, caption, sgnLP=".2f", RR_2=".2f")}


def _table_3(s: Setting) -> Made:
    def row(judged: Judged) -> Sequence[Any]:
        found = ties(judged, "RR", ("sgnLP",), n_levels=1, workers=s.workers)
        share = dict(zip(found.candidates, (100 * found.share).tolist(), strict=True))
        return found.compared, share["sgnLP"], share["RR"]

    caption = "Pairs of lists of two systems on one topic, and per cent of them that tie."
    return {"": _by_threshold(s, ["pairs", "rrLP, sgnLP", "RR"], row, caption, **{"rrLP, sgnLP": ".2f", "RR": ".2f"})}


def _table_4(s: Setting) -> Made:
    draws = s.draws("permutations")

    def hsd(judged: Judged) -> Sequence[Any]:
        given = material(comparable(judged), "RR", ("rrLP", "sgnLP"), workers=s.workers)
        found = discriminative_power(given, resampling=draws, alpha=s.alpha, workers=s.workers)
        strict = discriminative_power(given, resampling=draws, strict=True, alpha=s.alpha, workers=s.workers)
        shares = [100 * found.share(name) for name in ("rrLP", "sgnLP", "RR")]
        return len(found.first), *shares, 100 * strict.share("sgnLP")

    def paired(judged: Judged) -> Sequence[Any]:
        given = material(comparable(judged), "RR", ("rrLP", "sgnLP"), workers=s.workers)
        found = discriminative_power(given, tests=("t", "sign"), alpha=s.alpha, workers=s.workers)
        shares = (found.share("rrLP", "t"), found.share("sgnLP", "sign"), found.share("RR", "t"))
        stepped = (_holm(given.of(name), s.alpha) for name in ("rrLP", "sgnLP", "RR"))
        return len(found.first), *(100 * share for share in (*shares, *stepped))

    names = ["pairs", "rrLP", "sgnLP", "RR"]
    holm = [f"{name}, Holm" for name in names[1:]]
    formats = dict.fromkeys((*names[1:], "sgnLP, strict", *holm), ".2f")
    return {
        "a": _by_threshold(
            s, [*names, "sgnLP, strict"], hsd,
            f"Pairs of systems told apart by randomised Tukey HSD, p < {s.alpha:g}, per cent; {draws.resamples:,} "
            f"permutations, seed {draws.seed}. strict: permutations as large as the data do not count.", **formats,
        ),
        "b": _by_threshold(
            s, [*names, *holm], paired,
            f"Pairs of systems told apart by t (RR, rrLP) and the binomial test (sgnLP) with Bonferroni's correction, "
            f"and with Holm's, p < {s.alpha:g}, per cent.", **formats,
        ),
    }  # fmt: skip


def _holm(candidate: Candidate, alpha: float) -> float:
    """Share of pairs told apart by the paired test with Holm's correction; a pair the test cannot judge is not."""
    d, errors = candidate.known_differences()
    pvalue = paired_tests(d, "sign" if candidate.name == "sgnLP" else "t", errors=errors).pvalue
    return float((adjust(pvalue, "holm").adjusted < alpha).mean())


def _tied(s: Setting) -> TiedRankings:
    return s.once("ties", lambda: ties(s.lists, workers=s.workers))


def _of_ties(s: Setting, figure: str, caption: str) -> Made:
    found = _tied(s)
    where = f"{extent(found.settings)}{threshold(found.settings)}"
    return whole(found.figures()[figure], f"{caption}; {where}.", left=0)


def _figure_3(s: Setting) -> Made:
    return _of_ties(s, "first_rank", "Probability of a tie by the rank of the first relevant document, empty for none")


def _figure_5(s: Setting) -> Made:
    return _of_ties(s, "level", "Probability of a tie in position by recall level")


def _figure_6(s: Setting) -> Made:
    return _of_ties(
        s, "deciding", "Share of pairs of lists decided down to a recall level, of all and of those decided"
    )


def _figure_7(s: Setting) -> Made:
    found: Locality = s.once("locality", lambda: locality(s.lists))
    data = found.figures()
    return {
        "a": Table(values=data["correlation"], caption=found.show("correlation").caption, left=0),
        "b": Table(values=data["regression"], caption=found.show("regression").caption, left=0),
        **{
            f"b-{way}": Table(values=data[way], caption=found.show(way).caption, left=0) for way in ("cascaded", "sign")
        },
    }


def _figure_8(s: Setting) -> Made:
    made = {}
    for letter, removed in (("a", "labels"), ("b", "topics")):
        found = removal(
            s.lists, removed="labels" if removed == "labels" else "topics", resampling=s.draws("samples"),
            workers=s.workers,
        )  # fmt: skip
        made[letter] = found.show()
    return made


def _figure_9(s: Setting) -> Made:
    found = ties(
        s.lists, methods=("sgnLP",), fractions=LABEL_FRACTIONS, resampling=s.draws("samples"), workers=s.workers
    )
    return {"": found.show("labels")}


_ALL = "One row per grade from which documents may be relevant: "
PAPER = Paper(
    name="lexiprecision",
    reference="Diaz 2023, Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with "
    "lexicographic precision",
    n_topics=2,
    uses=("permutations", "samples", "alpha"),
    notes=(
        "An unretrieved relevant document has RR_i = 0 and a position worse than any rank; two of them tie.",
        "Requests without a relevant document are left out beforehand; none is once judgments are taken away.",
    ),
    items=(
        Item(number="Figure 1", title="Orders of reciprocal rank and of lexiprecision", make=_figure_1,
             chosen=f"n = {DOCUMENTS} and m = {RELEVANT}, where the paper has any n. Reciprocal rank has n - m + 1 "
             "places; the text says n."),
        Item(number="Figure 2", title="Probability of a tie in reciprocal rank", make=_figure_2),
        Item(number="Figure 3", title="Empirical probability of a tie by first relevant rank", make=_figure_3,
             needs="lists"),
        Item(number="Figure 4", title="Lexicographic precision of two rankings", make=_figure_4,
             chosen="sgnLP is +1 and rrLP +1/8, as the text says; the figure prints both with the arguments swapped."),
        Item(number="Section 3.4", title="Lexiprecision over all possible users", make=_section_3_4,
             chosen="One user for each of the 2^m - 1 sets of relevant documents that may be relevant to her; the two "
             "rankings are those of Figure 4."),
        Item(number="Figure 5", title="Probability of a tie by recall level", make=_figure_5, needs="lists"),
        Item(number="Figure 6", title="Recall level needed to distinguish systems", make=_figure_6, needs="lists",
             chosen="Of all pairs of lists and of those that are told apart at all: the paper does not say of which."),
        Item(number="Figure 7", title="Locality of differences of RR", make=_figure_7, needs="lists",
             chosen="Pairs of lists count both ways round. Coefficients are plain and standardised; the printed axis "
             "ends at 1, as the latter do. b-cascaded and b-sign are the two regressions that the text speaks of and "
             "does not plot: over pairs that all levels before i tie, and of the sign of the difference of RR_i on "
             "plain differences."),
        Item(number="Table 1", title="The collection", make=_table_1, needs="lists",
             chosen=_ALL + "printed are 95.40 for grade 1 of deep-pass (2019)."),
        Item(number="Table 2", title="Agreement with the masked first relevant document", make=_table_2, needs="lists",
             chosen=_ALL + "printed figures of deep-pass (2019) are those of grade 1. A tie is a miss."),
        Item(number="Figure 8", title="Agreement with RR when labels or requests are removed", make=_figure_8,
             needs="documents", chosen="A tie is a miss; topics are not drawn again where they lose all relevant "
             "documents."),
        Item(number="Table 3", title="Ties between rankings", make=_table_3, needs="lists",
             chosen=_ALL + "printed figures of deep-pass (2019) are those of grade 2."),
        Item(number="Figure 9", title="Ties as labels are removed", make=_figure_9, needs="documents"),
        Item(
            number="Table 4", title="Differences between systems detected", make=_table_4, needs="lists",
            chosen=_ALL + "printed figures of deep-pass (2019) are those of grade 2. HSD is randomised, on the "
            "preferences themselves; the printed sgnLP counts only permutations larger than the data (strict). "
            "The paper names Bonferroni's correction; its figures of deep-pass (2019) come out with Holm's or "
            "Hochberg's.",
        ),
    ),
)  # fmt: skip
