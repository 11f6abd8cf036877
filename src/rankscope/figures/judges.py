"""Judges: what they make of verdicts, of single pairs, of grades and of leaderboards."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from rankscope.arguments import one_of, whole_number
from rankscope.arrays import Floats
from rankscope.comparisons.effect import TESTS
from rankscope.errors import plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, columns_of, rows_where, unique
from rankscope.figures.rankings import ranked, shared_ranks, thick_lines
from rankscope.figures.theme import Spec, Theme
from rankscope.formatting import percent
from rankscope.statistics.equality import best_first, places
from rankscope.studies.judge_scorecard import OUTCOMES, JudgeRow, JudgeStudy

MOST_PAIRS = 60  # pairs of systems that the grid shows
TOP, JUDGES = 12, 7  # systems and judges of the bump chart
NUMBERED = 8  # grades of a judge up to which squares have room for numbers
NAME = 260  # pixels of a judge's name: that of a model, a prompt and a scale may be long
_WORDS = {"neither": "shown by neither"}


def fidelity_sheet(study: JudgeStudy) -> Sheet:
    """One row per judge and number: kappa, tau, tau among the best, share of verdicts kept."""
    order = _by_share(study)
    n_top = order[0].n_top
    best = f"tau, top {n_top}"
    rows: list[tuple[Any, ...]] = []
    for row in order:
        cells = {
            "kappa": row.agreement.kappa_quadratic, "alpha": row.agreement.alpha_ordinal, "tau": row.tau,
            best: row.tau_top, "verdicts kept": row.fidelity.share,
        }  # fmt: skip
        rows += [(row.judge, name, float(value)) for name, value in cells.items()]
    low = -1 if any(value < 0 for *_, value in rows) else 0
    return Sheet(
        columns=columns_of(("judge", "number", "value"), rows),
        title=_kept(study),
        subtitle=f"agreement with {study.reference}: kappa (quadratic) and alpha (ordinal) of the grades of documents; "
        f"tau of {plural(len(study.systems), 'system')} by mean {study.measure} on {plural(study.n_topics, 'topic')}; "
        f"top {n_top}: tau of the best {n_top} by {study.reference}; verdicts: {_tested(study)}; kept: shown by the "
        f"judge, too, with the same sign\n{_order(study)}; colours from {low} to 1",
        words={"aggregates": [row.judge for row in order if row.judge in study.aggregates]},
    )


def _by_share(study: JudgeStudy) -> list[JudgeRow]:
    """Judges by the share of verdicts that they keep, the highest first; then judges taken together."""
    return sorted(study.judges, key=lambda row: (row.judge in study.aggregates, -_share(row.fidelity.share), row.judge))


def _own(study: JudgeStudy) -> list[JudgeRow]:
    """The same without judges taken together."""
    return [row for row in _by_share(study) if row.judge not in study.aggregates]


def _order(study: JudgeStudy) -> str:
    below = "; below the line: judges taken together" if study.aggregates else ""
    return f"judges are ordered by how many of the {plural(study.shown, 'difference')} they keep, most first{below}"


def _tested(study: JudgeStudy) -> str:
    """The test of verdicts, as printed results name it."""
    if study.family_wise:
        return f"step-down MaxT over all pairs, p < {study.alpha:g}"
    return f"{TESTS[study.test]}, p < {study.alpha:g}, not corrected"


def _kept(study: JudgeStudy) -> str:
    """How many of the reference's verdicts single judges keep, from the fewest to the most."""
    if not study.shown:
        return f"{vl.short(study.reference)} shows no difference between these systems"
    shares = [_share(row.fidelity.share) for row in _own(study)]
    low, high = (f"{percent(share)} %" for share in (shares[-1], shares[0]))
    kept = f"The other judge keeps {low}" if len(shares) == 1 else f"Other judges keep {vl.span(low, high)}"
    return f"{kept} of the {plural(study.shown, 'difference')} that {vl.short(study.reference)} shows"


def _reversed(study: JudgeStudy) -> str:
    """Which of the reference's verdicts single judges reverse."""
    code, pairs = OUTCOMES.index("reversed"), list(combinations(study.systems, 2))
    turned = {row.judge: [p for p, outcome in enumerate(study.outcomes[row.judge]) if outcome == code]
              for row in _own(study)}  # fmt: skip
    judges, found = [judge for judge, at in turned.items() if at], sorted({p for at in turned.values() for p in at})
    shown = f"of the {plural(study.shown, 'difference')} that {vl.short(study.reference)} shows"
    if not judges:
        return f"No judge reverses one {shown}"
    who = f"{vl.short(judges[0])} reverses" if len(judges) == 1 else f"{len(judges)} of {len(turned)} judges reverse"
    which = f": {' against '.join(map(vl.short, pairs[found[0]]))}" if len(found) == 1 else ""
    return f"{who} {len(found):,} {shown}{which}"


def fidelity(sheet: Sheet, look: Theme) -> Spec:
    """Squares of judges and numbers, shaded from 0, with the number in them; a line above judges taken together."""
    judges, numbers = unique(sheet.columns["judge"]), unique(sheet.columns["number"])
    y = vl.category("judge", **vl.ordered(judges), axis=_judges_axis(judges))
    x = vl.category("number", **vl.ordered(numbers), axis={
        "orient": "top", "ticks": False, "domain": False, "labelAngle": 0, "labelFontSize": 11, "labelOverlap": False,
        "labelPadding": 16, "labelExpr": "split(replace(datum.label, ' ', '|'), '|')",
    })  # fmt: skip
    below = any(value < 0 for value in sheet.columns["value"])
    shade = vl.on_both_sides("value", look, 1, legend=None) if below else vl.shaded("value", look, 0, 1, legend=None)
    ink = vl.on_shade("value", look, 1)
    return {
        "data": vl.values(sheet.columns), "width": 64 * len(numbers), "height": 19 * len(judges),
        "layer": [
            {"mark": {"type": "rect", "tooltip": vl.TOOLTIP, "stroke": look.ground},
             "encoding": {"x": x, "y": y, "color": shade}},
            {"mark": {"type": "text", "fontSize": 11},
             "encoding": {"x": x, "y": y, "text": {"field": "value", "format": ".2f"}, "color": ink}},
            *_parted(sheet, look, y),
        ],
    }  # fmt: skip


def _parted(sheet: Sheet, look: Theme, y: Spec) -> list[Spec]:
    """A line above the first of the judges taken together, where there are any."""
    if not sheet.words["aggregates"]:
        return []
    first = vl.values({"judge": sheet.words["aggregates"][:1]})
    return [{"data": first, "mark": {"type": "rule", "color": look.ink, "strokeWidth": 1.5},
             "encoding": {"y": {**y, "bandPosition": 0}}}]  # fmt: skip


def grid_sheet(study: JudgeStudy, *, pairs: int = MOST_PAIRS) -> Sheet:
    """One row per judge and pair of systems: what the judge makes of the verdict.

    pairs  so many of the pairs: those that a judge reverses, then those on which most judges differ from the reference
    """
    whole_number("pairs", pairs, 1)
    names = list(combinations(study.systems, 2))
    order = _by_share(study)
    single = [study.outcomes[row.judge] for row in _own(study)]
    apart = [sum(OUTCOMES[codes[p]] not in ("kept", "neither") for codes in single) for p in range(len(names))]
    kept = [all(OUTCOMES[codes[p]] != "reversed" for codes in single) for p in range(len(names))]
    shown = sorted(range(len(names)), key=lambda p: (kept[p], -apart[p], p))[:pairs]
    rows = [
        (row.judge, f"{names[p][1]} - {names[p][0]}", at,
         _WORDS.get(word := OUTCOMES[study.outcomes[row.judge][p]], word))
        for row in order for at, p in enumerate(shown)
    ]  # fmt: skip
    reference = vl.short(study.reference)
    fewer = f"{len(shown):,} of {len(names):,} pairs" if pairs < len(names) else f"all {plural(len(names), 'pair')}"
    reverse = "those that a judge reverses (with a dot), then " if not all(kept) else ""
    meanings = {"lost": f"shown by {reference} alone", "invented": "shown by the judge alone"}
    marked = {"invented": " (with a dash)"}
    occurring = {row[3] for row in rows}
    explained = "".join(
        f"; {word}{marked.get(word, '')}: {meaning}" for word, meaning in meanings.items() if word in occurring
    )
    return Sheet(
        columns=columns_of(("judge", "pair", "at", "outcome"), rows),
        title=_reversed(study),
        subtitle=f"{study.measure}; differences: {_tested(study)}{explained}\n"
        f"a column is a pair of systems, {fewer}; from the left: {reverse}those on which most judges differ from "
        f"{reference}; {_order(study)}",
        words={"aggregates": [row.judge for row in order if row.judge in study.aggregates]},
    )


def grid(sheet: Sheet, look: Theme) -> Spec:
    """A square per judge and pair, coloured by the outcome."""
    judges = unique(sheet.columns["judge"])
    count = len(unique(sheet.columns["at"]))
    colours = {"kept": look.a, "lost": look.a_faint, "reversed": look.undecided, "invented": look.b,
               _WORDS["neither"]: look.equal}  # fmt: skip
    x = vl.category("at", "pairs of systems", axis={"labels": False, "ticks": False})
    y = vl.category("judge", **vl.ordered(judges), axis=_judges_axis(judges))
    width = round(max(160.0, min(380.0, 470 - vl.room(judges, most=NAME))))
    return {
        "width": max(width, 5 * count), "height": 16 * len(judges),
        "layer": [
            {"data": vl.values(sheet.columns),
             "mark": {"type": "rect", "tooltip": vl.TOOLTIP, "stroke": look.ground, "strokeWidth": 0.5},
             "encoding": {"x": x, "y": y,
                          "color": vl.coloured("outcome", vl.occurring(colours, sheet.columns["outcome"]),
                                               columns=3)}},
            # in grey these classes are close to others
            {"data": vl.values(rows_where(sheet.columns, "outcome", "reversed")), "mark": vl.dot(12, look.ground),
             "encoding": {"x": x, "y": y}},
            {"data": vl.values(rows_where(sheet.columns, "outcome", "invented")),
             "mark": {"type": "point", "shape": "stroke", "size": 12, "stroke": look.ground, "strokeWidth": 1.5},
             "encoding": {"x": x, "y": y}},
            *_parted(sheet, look, y),
        ],
    }  # fmt: skip


def confusion_sheet(study: JudgeStudy, *, judge: str | None = None) -> Sheet:
    """One row per grade of the reference and grade of one judge: how many pairs, and which share of the row.

    judge  the one with the highest quadratic kappa by default
    """
    best = max(_own(study), key=lambda row: _share(row.agreement.kappa_quadratic)).judge
    row = study.row(best if judge is None else one_of("judge", judge, [row.judge for row in study.judges]))
    table = row.agreement.confusion
    same = sum(
        count
        for own, counts in zip(table.reference, table.counts, strict=True)
        for other, count in zip(table.judge, counts, strict=True)
        if own == other
    )
    several = len(_own(study)) > 1
    numbers = "numbers: of " if len(table.judge) <= NUMBERED else ""
    most = f"\n{row.judge}: the judge with the highest quadratic kappa" if several and row.judge == best else ""
    rows = [
        (f"{own:g}", f"{other:g}", count, count / max(1, sum(counts)))
        for own, counts in zip(table.reference, table.counts, strict=True)
        for other, count in zip(table.judge, counts, strict=True)
    ]
    high = 1.0 if numbers else max(share for *_, share in rows)  # without numbers, colours alone tell shares apart
    return Sheet(
        columns=columns_of(("reference", "judge", "pairs", "share"), rows),
        title=f"{vl.short(row.judge)} and {vl.short(study.reference)} give the same grade to "
        f"{percent(same / max(1, row.agreement.pairs))} % of the pairs of topic and document",
        subtitle=f"{numbers}{plural(row.agreement.pairs, 'pair')}; colour: share of the row, from 0 to {high:.2g}"
        f"{most}",
        words={"reference": study.reference, "judge": row.judge, "high": high},
    )


def confusion(sheet: Sheet, look: Theme) -> Spec:
    """Squares of two grades, shaded by the share of the row, with the count in them."""
    x = vl.category("judge", f"grade by {vl.short(sheet.words['judge'], 44)}",
                    **vl.ordered(unique(sheet.columns["judge"])),
                    axis={"labelAngle": 0, "labelOverlap": "parity", "labelSeparation": 5})  # fmt: skip
    y = vl.category("reference", f"grade by {vl.short(sheet.words['reference'])}",
                    **vl.ordered(unique(sheet.columns["reference"])))  # fmt: skip
    high = sheet.words["high"]
    shade, ink = vl.shaded("share", look, 0, high, legend=None), vl.on_shade("share", look, high)
    columns = len(unique(sheet.columns["judge"]))
    layer: list[Spec] = [
        {"mark": {"type": "rect", "tooltip": vl.TOOLTIP}, "encoding": {"x": x, "y": y, "color": shade}}
    ]
    if columns <= NUMBERED:
        layer.append({"mark": {"type": "text", "fontSize": 12},
                      "encoding": {"x": x, "y": y, "text": {"field": "pairs", "format": ",d"},
                                   "color": ink}})  # fmt: skip
    size = min(105, 420 // columns) if columns <= NUMBERED else 16
    height = 48 * len(unique(sheet.columns["reference"]))
    return {"data": vl.values(sheet.columns), "width": size * columns, "height": height, "layer": layer}


def leaderboards_sheet(study: JudgeStudy, *, top: int = TOP, most: int = JUDGES) -> Sheet:
    """One row per system and judge: its mean, and its rank among the systems shown.

    top   only so many of the best under the reference
    most  only so many single judges, those that keep most verdicts, beside the reference
    """
    whole_number("top", top, 2)
    whole_number("most", most, 1)
    others = _own(study)
    chosen = [study.reference, *(row.judge for row in others[:most])]
    means = {judge: np.array(study.means[judge]) for judge in chosen}
    shown = best_first(means[study.reference], study.systems)[:top]
    names = [study.systems[s] for s in shown]
    rows: list[tuple[Any, ...]] = []
    for at, (judge, values) in enumerate(means.items()):
        rows += [(name, judge, at, rank, own) for name, rank, own in ranked(names, values[shown])]
    first = {judge: _first(values[shown]) for judge, values in means.items()}
    lead = first.pop(study.reference)
    alike, leaders = sum(lead <= by_judge for by_judge in first.values()), [names[s] for s in sorted(lead)]
    named = leaders if len(leaders) == 2 else leaders[:1]  # by the title
    cut, whole = (top < len(study.systems), most < len(others)), ""
    if any(cut):
        every_first = [_first(np.array(study.means[row.judge])) for row in others]
        leading = {shown[s] for s in lead}
        under = sum(leading <= by_judge for by_judge in every_first)
        whole = f"\nof all {len(study.systems):,} systems: highest under {under} of all {len(others):,} other judges"
    drawn = f"the {most} of {len(others)} judges" if most < len(others) else "the judges, first those"
    every = plural(len(study.systems), "system")
    of = (
        f"the best {len(shown)} of {every} under {study.reference}, ranked among these; "
        if top < len(study.systems)
        else ""
    )
    return Sheet(
        columns=columns_of(("system", "measure", "at", "rank", "mean"), rows),
        title=(f"Of these {len(shown)} systems, " if cut[0] else "")
        + f"{vl.together(leaders)} {'has' if len(leaders) == 1 else 'share'} the highest mean under "
        f"{vl.short(study.reference)}, and under {alike} of {plural(len(first), 'other judge')}"
        + (" shown here" if cut[1] else ""),
        subtitle=f"{of}ranks by mean {study.measure}, not tested{shared_ranks(rows)}; from the left: "
        f"{vl.short(study.reference)}, then {drawn} that keep the most of its verdicts"
        f"{thick_lines(rows, named)}{whole}",
        words={"systems": names, "measures": list(means), "leaders": named},
    )


def _first(means: Floats) -> set[int]:
    """Systems with the highest mean."""
    place = places(means)
    return set(np.flatnonzero(place == place.max()).tolist())


def _judges_axis(judges: list[str]) -> Spec:
    return vl.names_axis(judges, grid=False, labelLimit=NAME)


def _share(value: float) -> float:
    return value if value == value else 0.0
