"""Diaz, "Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with lexicographic precision",
2023."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE
from rankscope.judged import Judged
from rankscope.preferences import lexiprecision_of
from rankscope.statistics import adjust
from rankscope.statistics.pairs.difference_tests import paired_tests
from rankscope.studies.base import Table, by_rows, extent, threshold
from rankscope.studies.candidates import Candidate, material
from rankscope.studies.incompleteness import removal
from rankscope.studies.locality import Locality, locality
from rankscope.studies.power import discriminative_power
from rankscope.studies.preference_lists import comparable, relevant_code
from rankscope.studies.reproduce.items import Item, Paper, Parts, Setting, single_table
from rankscope.studies.sampling import LABEL_FRACTIONS
from rankscope.studies.ties import TiedRankings, ties
from rankscope.universe import position_orders, possible_users, tie_curve

MOST = 5  # thresholds of relevance that tables are made for
DOCUMENTS, RELEVANT = 10, 5  # of Figure 1, whose n is any
EXAMPLE = (2, 4, 10, 999, 1000), (2, 8, 9, 500, 1000)  # of Figure 4, with n = 1000
RANKINGS = ("p", "p'")


def _figure_1(_: Setting) -> Parts:
    caption = f"Positions of {RELEVANT} relevant among {DOCUMENTS} documents, best first, with their places."
    return single_table(position_orders(DOCUMENTS, RELEVANT).columns(), caption)


def _figure_2(_: Setting) -> Parts:
    return single_table(tie_curve().columns(), "Probability of a tie with a ranking at random, n = 50,000.", left=0)


def _figure_4(_: Setting) -> Parts:
    gains = np.zeros((2, max(map(max, EXAMPLE))), np.int64)
    for row, ranks in zip(gains, EXAMPLE, strict=True):
        row[np.array(ranks) - 1] = 1
    lexi = lexiprecision_of(*gains[::-1])  # the paper's magnitudes are positive for its first ranking
    level, sign, difference = int(lexi.level[0]), int(lexi.sign[0]), float(lexi.difference[0])
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


def _section_3_4(_: Setting) -> Parts:
    users = possible_users(*EXAMPLE[::-1])  # differences are positive for the paper's first ranking
    assert users.decided is not None
    user, level, difference = users.decided
    header, rows = users.table()

    def named(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """The paper's first ranking before its second."""
        first, second = columns.pop("second"), columns.pop("first")
        last = columns.pop("difference")
        return {**columns, RANKINGS[0]: first, RANKINGS[1]: second, "difference": last}

    by_user = named(users.columns())
    return {
        "a": Table(values=named(by_rows(header, rows)), left=0,
                   caption="Users by recall level: those whose best document is the i-th relevant one."),
        "b": Table(values=by_user, left=0,
                   caption=f"All {len(by_user['user'])} possible users of Figure 4, best served first. The first whom "
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


def _table_1(s: Setting) -> Parts:
    def row(judged: Judged) -> Sequence[Any]:
        base = comparable(judged)
        relevant = base.available[:, relevant_code(base) - FIRST_GRADE :].sum(axis=1)
        return len(base.topics), len(base.systems), float(relevant.mean()), float(base.retrieved.mean())

    names = ["requests", "runs", "rel/request", "docs/request"]
    caption = "The collection; requests with a relevant document, and documents retrieved for each on average."
    return {"": _by_threshold(s, names, row, caption, **dict.fromkeys(names[2:], ".2f"))}


def _table_2(s: Setting) -> Parts:
    def row(judged: Judged) -> Sequence[Any]:
        masking = locality(judged, n_levels=2, targets=1, predictors=1)
        share = 100 / masking.masked if masking.masked else np.nan
        return masking.masked, masking.by_rest * share, int(masking.by_level[0]) * share

    caption = "Pairs of lists with different RR, and per cent of them ordered alike by what follows the first level."
    return {"": _by_threshold(s, ["pairs", "sgnLP", "RR_2"], row, caption, sgnLP=".2f", RR_2=".2f")}


def _table_3(s: Setting) -> Parts:
    def row(judged: Judged) -> Sequence[Any]:
        tied = ties(judged, "RR", ("sgnLP",), n_levels=1, workers=s.workers)
        share = dict(zip(tied.candidates, (100 * tied.share).tolist(), strict=True))
        return tied.compared, share["sgnLP"], share["RR"]

    caption = "Pairs of lists of two systems on one topic, and per cent of them that tie."
    return {"": _by_threshold(s, ["pairs", "rrLP, sgnLP", "RR"], row, caption, **{"rrLP, sgnLP": ".2f", "RR": ".2f"})}


def _table_4(s: Setting) -> Parts:
    draws = s.draws("permutations")

    def hsd(judged: Judged) -> Sequence[Any]:
        scored = material(comparable(judged), "RR", ("rrLP", "sgnLP"), workers=s.workers)
        power = discriminative_power(scored, resampling=draws, alpha=s.alpha, workers=s.workers)
        strict = discriminative_power(scored, resampling=draws, strict=True, alpha=s.alpha, workers=s.workers)
        shares = [100 * power.share(name) for name in ("rrLP", "sgnLP", "RR")]
        return len(power.first), *shares, 100 * strict.share("sgnLP")

    def paired(judged: Judged) -> Sequence[Any]:
        scored = material(comparable(judged), "RR", ("rrLP", "sgnLP"), workers=s.workers)
        power = discriminative_power(scored, tests=("t", "sign"), alpha=s.alpha, workers=s.workers)
        shares = (power.share("rrLP", "t"), power.share("sgnLP", "sign"), power.share("RR", "t"))
        stepped = (_holm(scored.of(name), s.alpha) for name in ("rrLP", "sgnLP", "RR"))
        return len(power.first), *(100 * share for share in (*shares, *stepped))

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


def _of_ties(s: Setting, figure: str, caption: str) -> Parts:
    tied = _tied(s)
    where = f"{extent(tied.settings)}{threshold(tied.settings)}"
    return single_table(tied.figures()[figure], f"{caption}; {where}.", left=0)


def _figure_7(s: Setting) -> Parts:
    near: Locality = s.once("locality", lambda: locality(s.lists))
    tables = {"a": "correlation", "b": "regression", "b-cascaded": "cascaded", "b-sign": "sign"}
    return {
        part: Table(values=near.figures()[name], caption=near.show(name).caption, left=0)
        for part, name in tables.items()
    }


def _figure_8(s: Setting) -> Parts:
    draws = s.draws("samples")
    return {
        "a": removal(s.lists, removed="labels", resampling=draws, workers=s.workers).show(),
        "b": removal(s.lists, removed="topics", resampling=draws, workers=s.workers).show(),
    }


def _figure_9(s: Setting) -> Parts:
    tied = ties(
        s.lists, methods=("sgnLP",), fractions=LABEL_FRACTIONS, resampling=s.draws("samples"), workers=s.workers
    )
    return {"": tied.show("labels")}


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
        Item(number="Figure 1", title="Orders of reciprocal rank and of lexiprecision", make=_figure_1, drawn="orders",
             chosen=f"n = {DOCUMENTS} and m = {RELEVANT}, where the paper has any n. Reciprocal rank has n - m + 1 "
             "places; the text says n."),
        Item(number="Figure 2", title="Probability of a tie in reciprocal rank", make=_figure_2, drawn="tie curves"),
        Item(number="Figure 3", title="Empirical probability of a tie by first relevant rank", needs="lists",
             drawn="first rank",
             make=partial(_of_ties, figure="first_rank",
                          caption="Probability of a tie by the rank of the first relevant document, empty for "
                          "none")),
        Item(number="Figure 4", title="Lexicographic precision of two rankings", make=_figure_4,
             drawn={"a": "positions", "b": "magnitudes"},
             chosen="sgnLP is +1 and rrLP +1/8, as the text says; the figure prints both with the arguments swapped."),
        Item(number="Section 3.4", title="Lexiprecision over all possible users", make=_section_3_4,
             drawn={"b": "users"},
             chosen="One user for each of the 2^m - 1 sets of relevant documents that may be relevant to her; the two "
             "rankings are those of Figure 4."),
        Item(number="Figure 5", title="Probability of a tie by recall level", needs="lists", drawn="tied levels",
             make=partial(_of_ties, figure="level",
                          caption="Probability of a tie in position by recall level")),
        Item(number="Figure 6", title="Recall level needed to distinguish systems", needs="lists",
             drawn="deciding levels",
             make=partial(_of_ties, figure="deciding",
                          caption="Share of pairs of lists decided down to a recall level, of all and of those "
                          "decided"),
             chosen="Of all pairs of lists and of those that are told apart at all: the paper does not say of which."),
        Item(number="Figure 7", title="Locality of differences of RR", make=_figure_7, needs="lists",
             drawn={"a": "locality", **dict.fromkeys(("b", "b-cascaded", "b-sign"), "regression")},
             chosen="Pairs of lists count both ways round. Coefficients are plain and standardised; the printed axis "
             "ends at 1, as the latter do. b-cascaded and b-sign are the two regressions that the text speaks of and "
             "does not plot: over pairs that all levels before i tie, and of the sign of the difference of RR_i on "
             "plain differences."),
        Item(number="Table 1", title="The collection", make=_table_1, needs="lists",
             chosen=_ALL + "printed are 95.40 for grade 1 of deep-pass (2019)."),
        Item(number="Table 2", title="Agreement with the masked first relevant document", make=_table_2, needs="lists",
             chosen=_ALL + "printed figures of deep-pass (2019) are those of grade 1. A tie is a miss."),
        Item(number="Figure 8", title="Agreement with RR when labels or requests are removed", make=_figure_8,
             drawn="removal",
             needs="documents", chosen="A tie is a miss; topics are not drawn again where they lose all relevant "
             "documents."),
        Item(number="Table 3", title="Ties between rankings", make=_table_3, needs="lists",
             chosen=_ALL + "printed figures of deep-pass (2019) are those of grade 2."),
        Item(number="Figure 9", title="Ties as labels are removed", make=_figure_9, needs="documents", drawn="labels"),
        Item(
            number="Table 4", title="Differences between systems detected", make=_table_4, needs="lists",
            chosen=_ALL + "printed figures of deep-pass (2019) are those of grade 2. HSD is randomised, on the "
            "preferences themselves; the printed sgnLP counts only permutations larger than the data (strict). "
            "The paper names Bonferroni's correction; its figures of deep-pass (2019) come out with Holm's or "
            "Hochberg's.",
        ),
    ),
)  # fmt: skip
