"""Judges: what they make of verdicts, of single pairs, of grades and of leaderboards."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from rankscope.arguments import one_of, whole_number
from rankscope.errors import plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, columns_of, unique
from rankscope.figures.rankings import in_colour
from rankscope.figures.theme import Spec, Theme
from rankscope.formatting import percent
from rankscope.statistics.equality import best_first
from rankscope.studies.judge_scorecard import OUTCOMES, JudgeStudy

MOST_PAIRS = 60  # pairs of systems that the grid shows
TOP, JUDGES = 12, 7  # systems and judges of the bump chart
NAME = 260  # pixels of a judge's name: that of a model, a prompt and a scale may be long
_WORDS = {"neither": "shown by neither"}


def fidelity_sheet(study: JudgeStudy) -> Sheet:
    """One row per judge and number: kappa, tau, tau among the best, share of verdicts kept."""
    order = sorted(study.judges, key=lambda row: (-_share(row.fidelity.share), row.judge))
    best = f"tau, top {order[0].n_top}"
    rows: list[tuple[Any, ...]] = []
    for row in order:
        cells = {
            "kappa": row.agreement.kappa_quadratic, "alpha": row.agreement.alpha_ordinal, "tau": row.tau,
            best: row.tau_top, "verdicts kept": row.fidelity.share,
        }  # fmt: skip
        rows += [(row.judge, name, float(value)) for name, value in cells.items()]
    return Sheet(
        columns=columns_of(("judge", "number", "value"), rows),
        title=_kept(study),
        subtitle=f"{study.measure}, {plural(len(study.systems), 'system')}, {plural(study.n_topics, 'topic')}; kappa: "
        "quadratic; alpha: ordinal; verdicts: share of the reference's that are kept; colours from 0 to 1",
    )


def _kept(study: JudgeStudy) -> str:
    """How many of the reference's verdicts single judges keep, from the fewest to the most."""
    if not study.shown:
        return f"{vl.short(study.reference)} shows no difference between these systems"
    shares = sorted(_share(row.fidelity.share) for row in study.judges if row.judge not in study.aggregates)
    low, high = (f"{percent(share)} %" for share in (shares[0], shares[-1]))
    kept = f"The other judge keeps {low}" if len(shares) == 1 else f"Other judges keep {vl.span(low, high)}"
    return f"{kept} of the {plural(study.shown, 'difference')} that {vl.short(study.reference)} shows"


def _reversed(study: JudgeStudy) -> str:
    """How many of the reference's verdicts some judge reverses."""
    code = OUTCOMES.index("reversed")
    count = sum(code in outcomes for outcomes in zip(*study.outcomes.values(), strict=True))
    shown = f"of the {plural(study.shown, 'difference')} that {vl.short(study.reference)} shows"
    return f"No judge reverses one {shown}" if not count else f"Some judge reverses {count:,} {shown}"


def fidelity(sheet: Sheet, look: Theme) -> Spec:
    """Squares of judges and numbers, shaded from 0 to 1, with the number in them."""
    judges, numbers = unique(sheet.columns["judge"]), unique(sheet.columns["number"])
    y = vl.category("judge", **vl.ordered(judges), axis=_judges_axis(judges))
    x = vl.category("number", **vl.ordered(numbers), axis={
        "orient": "top", "ticks": False, "domain": False, "labelAngle": 0, "labelFontSize": 11, "labelOverlap": False,
        "labelPadding": 16, "labelExpr": "split(replace(datum.label, ' ', '|'), '|')",
    })  # fmt: skip
    shade, ink = vl.shaded("value", look, 0, 1, legend=None), vl.on_shade("value", look, 1)
    return {
        "data": vl.values(sheet.columns), "width": 64 * len(numbers), "height": 19 * len(judges),
        "layer": [
            {"mark": {"type": "rect", "tooltip": vl.TOOLTIP, "stroke": look.ground},
             "encoding": {"x": x, "y": y, "color": shade}},
            {"mark": {"type": "text", "fontSize": 11},
             "encoding": {"x": x, "y": y, "text": {"field": "value", "format": ".2f"}, "color": ink}},
        ],
    }  # fmt: skip


def grid_sheet(study: JudgeStudy, *, pairs: int = MOST_PAIRS) -> Sheet:
    """One row per judge and pair of systems: what the judge makes of the verdict.

    pairs  so many of the pairs on which judges differ most
    """
    whole_number("pairs", pairs, 1)
    names = list(combinations(study.systems, 2))
    judges = list(study.outcomes)
    apart = [sum(study.outcomes[judge][p] not in (0, 4) for judge in judges) for p in range(len(names))]
    shown = sorted(range(len(names)), key=lambda p: (-apart[p], p))[:pairs]
    rows = [
        (judge, f"{names[p][1]} - {names[p][0]}", at, _WORDS.get(word := OUTCOMES[study.outcomes[judge][p]], word))
        for judge in judges for at, p in enumerate(shown)
    ]  # fmt: skip
    fewer = (
        f"the {len(shown):,} of {len(names):,} pairs on which judges differ most" if pairs < len(names) else "all pairs"
    )
    return Sheet(
        columns=columns_of(("judge", "pair", "at", "outcome"), rows),
        title=_reversed(study),
        subtitle=f"{study.measure}; one column per pair of systems, {fewer}",
    )


def grid(sheet: Sheet, look: Theme) -> Spec:
    """A square per judge and pair, coloured by the outcome."""
    judges = unique(sheet.columns["judge"])
    count = len(unique(sheet.columns["at"]))
    colours = {"kept": look.a, "lost": look.a_faint, "reversed": look.undecided, "invented": look.b,
               _WORDS["neither"]: look.equal}  # fmt: skip
    y = vl.category("judge", **vl.ordered(judges), axis=_judges_axis(judges))
    width = round(max(160.0, min(380.0, 470 - vl.room(judges, most=NAME))))
    return {
        "data": vl.values(sheet.columns), "width": max(width, 4 * count), "height": 16 * len(judges),
        "mark": {"type": "rect", "tooltip": vl.TOOLTIP, "stroke": look.ground, "strokeWidth": 0.5},
        "encoding": {"x": vl.category("at", "pairs of systems", axis={"labels": False, "ticks": False}), "y": y,
                     "color": vl.coloured("outcome", vl.occurring(colours, sheet.columns["outcome"]), columns=5)},
    }  # fmt: skip


def confusion_sheet(study: JudgeStudy, *, judge: str | None = None) -> Sheet:
    """One row per grade of the reference and grade of one judge: how many pairs, and which share of the row.

    judge  the one with the highest quadratic kappa by default
    """
    best = max(study.judges, key=lambda row: _share(row.agreement.kappa_quadratic)).judge
    row = study.row(best if judge is None else one_of("judge", judge, [row.judge for row in study.judges]))
    table = row.agreement.confusion
    same = sum(
        count
        for own, counts in zip(table.reference, table.counts, strict=True)
        for other, count in zip(table.judge, counts, strict=True)
        if own == other
    )
    rows = [
        (f"{own:g}", f"{other:g}", count, count / max(1, sum(counts)))
        for own, counts in zip(table.reference, table.counts, strict=True)
        for other, count in zip(table.judge, counts, strict=True)
    ]
    return Sheet(
        columns=columns_of(("reference", "judge", "pairs", "share"), rows),
        title=f"{vl.short(row.judge)} and {vl.short(study.reference)} give the same grade to "
        f"{percent(same / max(1, row.agreement.pairs))} % of the documents",
        subtitle=f"{row.agreement.pairs:,} pairs of topic and document; colour: share of each grade of "
        f"{study.reference}, from 0 to 1",
        words={"reference": study.reference, "judge": row.judge},
    )


def confusion(sheet: Sheet, look: Theme) -> Spec:
    """Squares of two grades, shaded by the share of the row, with the count in them."""
    x = vl.category("judge", vl.short(sheet.words["judge"]), **vl.ordered(unique(sheet.columns["judge"])),
                    axis={"labelAngle": 0})  # fmt: skip
    y = vl.category("reference", vl.short(sheet.words["reference"]), **vl.ordered(unique(sheet.columns["reference"])))
    shade, ink = vl.shaded("share", look, 0, 1, legend=None), vl.on_shade("share", look, 1)
    columns = len(unique(sheet.columns["judge"]))
    layer: list[Spec] = [
        {"mark": {"type": "rect", "tooltip": vl.TOOLTIP}, "encoding": {"x": x, "y": y, "color": shade}}
    ]
    if columns <= 8:
        layer.append({"mark": {"type": "text", "fontSize": 12},
                      "encoding": {"x": x, "y": y, "text": {"field": "pairs", "format": ",d"},
                                   "color": ink}})  # fmt: skip
    size = 56 if columns <= 8 else 16
    height = 44 * len(unique(sheet.columns["reference"]))
    return {"data": vl.values(sheet.columns), "width": size * columns, "height": height, "layer": layer}


def leaderboards_sheet(study: JudgeStudy, *, top: int = TOP, most: int = JUDGES) -> Sheet:
    """One row per system and judge: its mean, and its rank among the systems shown.

    top   only so many of the best under the reference
    most  only so many judges, those that keep most verdicts, beside the reference
    """
    whole_number("top", top, 2)
    whole_number("most", most, 1)
    rows_by_share = sorted(study.judges, key=lambda row: -_share(row.fidelity.share))
    chosen = [study.reference, *(row.judge for row in rows_by_share[:most])]
    means = {judge: np.array(study.means[judge]) for judge in chosen}
    shown = best_first(means[study.reference], study.systems)[:top]
    names = [study.systems[s] for s in shown]
    rows: list[tuple[Any, ...]] = []
    for at, (judge, values) in enumerate(means.items()):
        for rank, s in enumerate(best_first(values[shown], names), 1):
            rows.append((names[s], judge, at, rank, float(values[shown][s])))
    first = [best_first(values, study.systems)[0] for values in means.values()]
    leader, alike = vl.short(study.systems[first[0]]), sum(at == first[0] for at in first[1:])
    every = plural(len(study.systems), "system")
    of = (
        f"the best {len(shown)} of {every} under {study.reference}, ranked among these; "
        if top < len(study.systems)
        else ""
    )
    return Sheet(
        columns=columns_of(("system", "measure", "at", "rank", "mean"), rows),
        title=f"{leader} has the highest mean under {vl.short(study.reference)}, and under {alike} of "
        f"{plural(len(means) - 1, 'other judge')}",
        subtitle=f"{of}ranks by mean {study.measure}, not tested; {vl.short(study.reference)} is on the left"
        f"{in_colour(rows)}",
        words={"systems": names, "measures": list(means)},
    )


def _judges_axis(judges: list[str]) -> Spec:
    return vl.names_axis(judges, grid=False, labelLimit=NAME)


def _share(value: float) -> float:
    return value if value == value else 0.0
