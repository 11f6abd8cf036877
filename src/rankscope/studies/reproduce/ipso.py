"""Moffat and Mackenzie, "How much freedom does an effectiveness metric really have?", 2024."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from rankscope.errors import quietly
from rankscope.judged import Judged, with_topics
from rankscope.measures import evaluate, measure
from rankscope.preferences import serps
from rankscope.statistics.equality import best_first
from rankscope.studies.agreement import AS_IN_THE_PAPER, TABLE_DEPTHS, Agreement, agreement, separability
from rankscope.studies.base import Table, by_rows
from rankscope.studies.preference_lists import comparable, one_grade, relevant_code
from rankscope.studies.reproduce.items import Item, Paper, Parts, Setting, single_table
from rankscope.universe import freedom, hasse, order_grid
from rankscope.universe import separability as of_all_rankings

K = 10
FEW, SOME = 25, 50  # topics of Figure 5, and of the lower panes of Figure 8
EXAMPLE = "1011001000", "1010011011"
ORDERED = ("P", "RBP(p=0.8)", "AP", "nDCG", "Success", "RBP(p=0.6180339887498949)", "RR", "RBP(p=0.5)")
PANES = {
    "a": ("RBP(p=0.5)", "RBP(p=0.5)"), "b": ("RBP(p=0.5)", "nDCG"), "c": ("AP", "RBP(p=0.5)"), "d": ("AP", "nDCG"),
}  # fmt: skip


def _figure_1(_: Setting) -> Parts:
    return single_table(hasse(3).columns(), "The ranking above and the one right below it, k = 3.", left=2)


def _figure_2(_: Setting) -> Parts:
    return single_table(order_grid(3).columns(), "The class of the row's ranking against the column's, k = 3.", left=3)


def _figure_3(_: Setting) -> Parts:
    panes = {}
    for letter, (rows, columns) in PANES.items():
        grid = order_grid(6, rows, columns)
        caption = (
            f"k = 6, rows by {rows}, columns by {columns}, best first: Kendall's tau of the two orders "
            f"{grid.tau:.3f} (tau-b {grid.tau_b:.3f})."
        )
        panes[letter] = Table(values=grid.columns(), caption=caption, left=3)
    return panes


def _figure_4(_: Setting) -> Parts:
    header, rows = serps([EXAMPLE]).table()
    return single_table(by_rows(header, rows), f"{EXAMPLE[0]} against {EXAMPLE[1]}, rank by rank.", left=0)


def _table_1(_: Setting) -> Parts:
    header, rows = freedom(ORDERED, 3).table()
    return single_table(by_rows(header, rows), "The one pair of rankings of 3 documents that IPSO leaves free.", left=2)


def _table_2(_: Setting) -> Parts:
    counted = of_all_rankings(list(TABLE_DEPTHS))
    rows = [
        (depth, *(float(100 * part) for part in (share.equal, share.separable, share.non_separable)))
        for depth, share in zip(counted.depths, counted.shares, strict=True)
    ]
    names = ["k", "equal", "separable", "non-separable"]
    return single_table(by_rows(names, rows), "All pairs of binary rankings, per cent.", left=0,
                 formats=dict.fromkeys(names[1:], ".2f"))  # fmt: skip


def _table_3(s: Setting) -> Parts:
    observed = separability(_binary(s), workers=s.workers)
    names = ["k", "equal", "separable", "non-separable"]
    rows = [(k, *(100 * share).tolist()) for k, share in zip(observed.depths, observed.share, strict=True)]
    return single_table(
        by_rows(names, rows), f"{observed.show().caption} Per cent.", left=0, formats=dict.fromkeys(names[1:], ".2f")
    )


def _binary(s: Setting) -> Judged:
    """The collection with relevance as the paper has it, for IPSO and for every metric; grades keep their names."""
    rel = s.lists.rules.rel
    grades = np.array([min(0.0, rel - 1), rel])
    return s.once("binary", lambda: replace(one_grade(s.lists), grades=grades, rules=s.lists.rules))


def _two(s: Setting) -> tuple[Judged, int, int]:
    """The best system by Prec@10 and the one at a quarter of the ranking, on the topics that count, by name."""
    base = comparable(_binary(s))
    base = with_topics(base, sorted(range(len(base.topics)), key=lambda t: base.topics[t]))
    with quietly():
        mean = evaluate(base, [measure(f"P@{K}")], workers=s.workers).value[0].mean(axis=1)
    order = best_first(mean, base.systems)
    return base, order[0], order[max(1, round(0.25 * (len(order) - 1)))]


def _beside(s: Setting, most: int | None = None) -> Parts:
    base, a, b = _two(s)
    hit = np.zeros((2, len(base.topics), K), np.int64)
    relevant = base.code[[a, b], :, :K] >= relevant_code(base)
    hit[..., : relevant.shape[-1]] = relevant
    chosen = slice(most)
    pairs = list(zip(hit[0, chosen].tolist(), hit[1, chosen].tolist(), strict=True))
    compared = serps(pairs, base.topics[chosen])
    ipso = compared.alike
    assert ipso is not None
    sections = ", ".join(map(str, ipso.counts[-1].tolist()))
    caption = (
        f"A: {base.systems[a]}, B: {base.systems[b]}; {len(pairs)} topics to depth {K}. The five sections hold "
        f"{sections} topics; sign test of ns against ni p = {ipso.pvalue:.4g}. Metrics: B - A."
    )
    return single_table(compared.columns(), caption, left=6)


def _agreement(s: Setting) -> Agreement:
    return s.once(
        "agreement", lambda: agreement(_binary(s), AS_IN_THE_PAPER, alpha=s.alpha, workers=s.workers)
    )  # fmt: skip


def _figure_7(s: Setting) -> Parts:
    agreed = _agreement(s)
    return single_table(agreed.figures()["bars"], agreed.show().caption, left=2)


def _figure_8(s: Setting) -> Parts:
    lists = _binary(s)
    depth = min(K, lists.code.shape[-1])
    every = agreement(lists, {"Prec": "P"}, depths=[depth], tests=["t"], workers=s.workers)
    upper: dict[str, Table | str] = {
        "a": every.triangle("Prec", depth, alpha=0.05),
        "b": every.triangle("Prec", depth, alpha=0.01),
    }
    base = comparable(lists)
    names = sorted(range(len(base.topics)), key=lambda t: base.topics[t])
    if len(names) <= SOME:
        why = f"the collection has {len(names)} topics, and these panes show the first {SOME} of more"
        return upper | {"c": why, "d": why}
    part = replace(with_topics(base, sorted(names[:SOME])), rules=lists.rules)
    some = agreement(part, {"Prec": "P"}, depths=[depth], tests=["t"], workers=s.workers)
    return upper | {pane: some.triangle("Prec", depth, alpha=p) for pane, p in (("c", 0.05), ("d", 0.01))}


PAPER = Paper(
    name="ipso",
    reference="Moffat and Mackenzie 2024, How much freedom does an effectiveness metric really have?",
    uses=("alpha",),
    notes=(
        "Relevance is binary, from the lowest relevant grade of the collection on, for IPSO and for every metric; IPSO "
        "orders lists by counts of relevant documents.",
        "AP and NDCG have no recall base: the sum of precisions over k, and DCG over that of k relevant documents. So "
        "all rows of the printed Figure 5 come out.",
    ),
    items=(
        Item(number="Figure 1", title="Hasse diagram of all rankings of 3 documents", make=_figure_1,
             drawn="Hasse diagram"),
        Item(number="Figure 2", title="All pairs of rankings of 3 documents", make=_figure_2, drawn="grid"),
        Item(
            number="Figure 3", title="All pairs of rankings of 6 documents, in four orders", make=_figure_3,
            drawn="grid",
            chosen="tau is of the orders of the axes, rankings that tie in AP in lexicographic order, as the printed "
            "values are; tau-b is given beside it.",
        ),
        Item(number="Figure 4", title="Two rankings compared rank by rank", make=_figure_4, drawn="path",
             chosen="The lists are those shipped with the authors' tool."),
        Item(number="Table 1", title="The three orders of the one free pair", make=_table_1),
        Item(
            number="Table 2", title="Separability of all pairs of rankings", make=_table_2,
            chosen="Exact. Printed are samples from k = 20 on, off by up to 0.09 points, 32.81 for 32.82 at k = 10.",
        ),
        Item(number="Table 3", title="Separability of the collection's lists", make=_table_3, needs="lists",
             chosen="The caption's 219 topics are 249, as the text has it."),
        Item(
            number="Figure 5", title=f"Two systems on the first {FEW} topics", needs="lists",
            make=partial(_beside, most=FEW), drawn="strips",
            chosen="A is the best system by Prec@10 and B the one at a quarter of the ranking, as in the paper; topics "
            "in the order of their names. The printed NDCG column is cut to one decimal; ours is not.",
        ),
        Item(
            number="Figure 6", title="The same two systems on all topics", make=_beside, needs="lists",
            drawn="strips",
            chosen="The printed 0.25 for 117 against 109 comes out as 0.64.",
        ),
        Item(number="Figure 7", title="Significance by metrics and by IPSO", make=_figure_7, needs="lists",
             drawn="bars",
             chosen="Two-sided, uncorrected; signed ranks as in `compare`: exact up to 500 topics, normal beyond."),
        Item(
            number="Figure 8", title="Significance by the ranks of two systems", make=_figure_8, needs="lists",
            drawn="triangle",
            chosen="Prec@10 by Student's t: p < 0.05 (a, c) and p < 0.01 (b, d), all topics (a, b) and the first 50 by "
            "name (c, d); the level of b and d cannot be read in the text at hand.",
        ),
    ),
)  # fmt: skip
