"""Jones, Thomas, Scholer and Sanderson, "Features of disagreement between retrieval effectiveness measures", 2015."""

from __future__ import annotations

from typing import Any

from rankscope.measures.names import single_measure
from rankscope.studies.base import Table, by_rows
from rankscope.studies.reproduce.items import Item, Paper, Parts, Setting, single_table
from rankscope.universe import Disagreement, buckets, disagreement, features, frequencies, properties
from rankscope.universe.one_measure.properties import PROPERTIES
from rankscope.universe.two_measures.disagreement import PAPER as MEASURES
from rankscope.universe.two_measures.disagreement import VARIANTS
from rankscope.universe.two_measures.features import PAPER_FEATURES

DEPTH = 10
GRADED = (5, 3)  # documents and highest grade of the rankings that variants of gain are compared on


def _disagreement(s: Setting) -> Disagreement:
    return s.once("disagreement", lambda: disagreement(MEASURES, depth=DEPTH, workers=s.workers))


def _table_1(s: Setting) -> Parts:
    measures = [single_measure(name).at_depth(DEPTH) for name in (*MEASURES, "Success")]
    by_measure = [properties(measure) for measure in measures]
    columns: dict[str, list[Any]] = {"measure": list(map(str, measures))}
    for name in PROPERTIES:
        columns[name] = ["x" if known[name].holds else "" for known in by_measure]
    depth, recall_base = by_measure[0].depth, by_measure[0].recall_base
    caption = f"Properties found over all rankings up to k = {depth} and R = {recall_base}."
    return single_table(columns, caption, left=len(columns))


def _table_2(s: Setting) -> Parts:
    pairs = _disagreement(s)
    names = list(map(str, pairs.measures))
    columns: dict[str, list[Any]] = {"measure": names}
    for j, name in enumerate(names):
        columns[name] = [None if i == j else float(pairs.share[i, j]) for i in range(len(names))]
    return single_table(columns, f"{pairs.heading()}.", formats=dict.fromkeys(names, ".2f"))


def _by_property(s: Setting, combined: int = 1) -> Table:
    by_property = buckets(_disagreement(s), combined=combined)
    rows = []
    for row in by_property.properties:
        apart = ", ".join(f"{t.first} v {t.second}: {t.pvalue:.2g}" for t in row.tukey if t.pvalue < s.alpha)
        means = [number for bucket in row.buckets.values() for number in bucket[::-1]]
        rows.append((row.name, *means, row.f, row.pvalue, apart))
    names = ["property"]
    for bucket in ("has", "cross", "no"):
        names += [bucket, f"pairs ({bucket})"]
    names += ["F", "p", f"Tukey p below {s.alpha:g}"]
    formats = dict.fromkeys(("has", "cross", "no", "F"), ".2f") | {"p": ".2g"}
    caption = f"{by_property.heading()}; {by_property.caution}."
    return Table(values=by_rows(names, rows), caption=caption, formats=formats)


def _section_5(s: Setting) -> Parts:
    depth, grades = GRADED
    names = list(dict.fromkeys([*VARIANTS.values(), *VARIANTS]))
    binary = disagreement(names, depth=DEPTH, workers=s.workers)
    graded = disagreement(names, depth=depth, grades=grades, workers=s.workers)
    at = {name: i for i, name in enumerate(names)}
    rows = [
        (of, variant, *(float(pairs.share[at[of], at[variant]]) for pairs in (binary, graded)))
        for variant, of in VARIANTS.items()
    ]
    columns = ["measure", "variant", f"binary, k = {DEPTH}", f"grades 0 to {grades}, k = {depth}"]
    caption = f"Per cent of pairs of rankings that a measure and its variant order differently; {binary.pairs:,} pairs "
    caption += f"of binary rankings and {graded.pairs:,} of graded ones."
    return {
        "a": _by_property(s, 2),
        "b": Table(values=by_rows(columns, rows), caption=caption, left=2, formats=dict.fromkeys(columns[2:], ".2f")),
    }


def _table_4(s: Setting) -> Parts:
    by_feature = features(MEASURES, depth=DEPTH, of=PAPER_FEATURES, workers=s.workers)
    rows = [
        (row.a, row.b, row.feature, row.disagreeing, row.percent(row.a_prefers), row.percent(row.b_prefers))
        for row in by_feature.rows
        if row.disagreeing
    ]
    names = ["a", "b", "feature", "disagreeing", "a prefers", "b prefers"]
    return {"": Table(values=by_rows(names, rows), caption=f"{by_feature.heading()}, per cent.", left=3,
                      formats={"a prefers": ".2f", "b prefers": ".2f"})}  # fmt: skip


def _occurring(s: Setting) -> Parts:
    occurring = frequencies(s.lists, MEASURES, depth=DEPTH)
    return single_table(occurring.columns(), f"Disagreement as it occurs: {occurring.heading()}.", left=2)


PAPER = Paper(
    name="disagreement",
    reference="Jones, Thomas, Scholer and Sanderson 2015, Features of disagreement between retrieval effectiveness "
    "measures",
    n_topics=1,
    uses=("alpha",),
    notes=(
        "All 1,023 rankings of k = 10 documents with R = 10, without the one of no relevant document; pairs are "
        "unordered, where the paper counts ordered ones.",
        "Two measures disagree where the signs of their differences differ, a tie in only one of them included: so "
        "the printed 3.01 % of AP and DCG comes out (3.0179 %).",
        "Scores are compared as fractions where a measure has them; the paper compared doubles with 2^-53.",
    ),
    items=(
        Item(
            number="Table 1", title="Properties of the measures", make=_table_1,
            chosen="Found by enumeration; the authors' own table cannot be read in the text at hand and must differ "
            "somewhere, for what it says of localised, complete and top-weighted measures.",
        ),
        Item(number="Table 2", title="Disagreement of every two measures", make=_table_2),
        Item(
            number="Table 3", title="Disagreement by property", make=lambda s: {"": _by_property(s)},
            chosen="Follows from Table 1 as found here. One-way ANOVA, and Tukey's test as Kramer has it for buckets "
            "of unequal size.",
        ),
        Item(
            number="Table 4", title="Features of rankings where measures disagree", make=_table_4,
            chosen="All pairs of measures that disagree, of which the paper prints a selection. first-irrel is read "
            "literally: the earlier first irrelevant document is preferred, none is rank k + 1.",
        ),
        Item(
            number="Section 5", title="Pairs of properties; other gains and discounts", make=_section_5,
            chosen="The paper leaves both for later. A measure has a pair of properties that has both; pairs that no "
            "two measures share are left out. Where relevance is binary, gain matters to ERR alone.",
        ),
        Item(number="Section 4.1", title="How often measures disagree in this collection", make=_occurring,
             needs="lists"),
    ),
)  # fmt: skip
