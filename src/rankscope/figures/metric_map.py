"""The drawing of the metric map."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rankscope.comparisons import Comparison, MetricMap, metric_map
from rankscope.comparisons.effect import TESTS
from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD, EQUAL, OUTCOMES, SURE
from rankscope.comparisons.scored import no_deeper
from rankscope.errors import InputError, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, unique
from rankscope.figures.theme import Spec, Theme
from rankscope.figures.two_systems import NOT_SURE, significances


def comparison_sheet(comparison: Comparison, **settings: Any) -> Sheet:
    """The map of a comparison; settings are those of `metric_map`."""
    judged = comparison.scored.judged
    if judged is None:
        raise InputError("a map of scores", "a map needs lists: compare what `load` returns")
    settings = {"alpha": comparison.alpha, "test": comparison.effect.test, **settings}
    mapped = metric_map(judged, *comparison.systems, **settings)
    sheet = map_sheet(mapped)
    counts = mapped.agreement(comparison.verdict)
    if comparison.verdict:
        all_of_them = len(counts) == 1
        words = ", ".join(f"{word} in {'all' if all_of_them else f'{count:,}'}" for word, count in counts.items())
        verdict = f"The verdict under {comparison.measure}, over these settings of RBP: {words}"
        verdict += "; weakens: not significant" if "weakens" in counts else ""
    else:
        none, some = counts.get("holds", 0), counts.get("appears", 0)
        found = f"Nor is one under {none:,} of these settings of RBP; under the other {some:,} one is shown"
        if not (none and some):
            found = "One is shown under all" if some else "Nor is one under any"
            found += " of these settings of RBP"
        verdict = f"The verdict under {comparison.measure}: no difference is shown. {found}"
    return replace(sheet, subtitle=f"{sheet.subtitle}\n{verdict}")


def map_sheet(mapped: MetricMap) -> Sheet:
    """The grid, and the ladder in units of the deviation of B - A over topics, so that measures can be compared."""
    columns = mapped.columns()
    n = len(mapped.grid)
    grid: Columns = {key: column[:n] for key, column in columns.items()}
    grid["letter"] = ["=" if name == EQUAL else name[0] for name in grid["outcome"]]
    ladder: Columns = {key: column[n:] for key, column in columns.items() if key not in ("persistence", "depth")}
    unit = [cell.spread or 1.0 for cell in mapped.ladder]
    for key in ("difference", "lower", "upper"):
        ladder[f"{key}_sd"] = [None if v is None else v / u for v, u in zip(ladder[key], unit, strict=True)]
    once = "; all settings of depth 1 are one, counted once" if 1 in grid["depth"] else ""
    bold = ", a bold letter" if any(SURE in outcome for outcome in grid["outcome"]) else ""
    levels = {cell.effect.level for cell in mapped.ladder}
    interval = "".join(f", with its {100 * level:.4g} % interval" for level in levels)
    return Sheet(
        columns=grid,
        title=_finding(mapped),
        subtitle=f"above: RBP; {_counted(mapped)}{once}\n"
        f"significant{bold}: {TESTS[mapped.test]}, p < {mapped.alpha:g}, uncorrected\n"
        + ("below: named measures; unit: the standard deviation of the differences over topics\n") * bool(mapped.ladder)
        + "".join(f"{line[0].lower()}{line[1:].rstrip('.')}\n" for line in mapped.threshold())
        + "".join(f"{line.rstrip('.')}\n" for line in no_deeper(columns["measure"][n:], mapped.longest))
        + "The same topics everywhere: no independent evidence",
        more={"ladder": ladder},
        words={"x": f"B - A in standard deviations{interval}"},
    )


def _counted(mapped: MetricMap) -> str:
    """Distinct settings by class, in the words of the legend, the most frequent first."""
    found = sorted(((n, name) for name, n in mapped.counts().items() if n), reverse=True, key=lambda one: one[0])
    words = [(n, name if SURE in name or name == EQUAL else f"{name}, not{SURE[1:]}") for n, name in found]
    if len(words) == 1:
        return f"all settings: {words[0][1]}"
    return "number of settings: " + "; ".join(f"{word}: {n:,}" for n, word in words)


def _finding(mapped: MetricMap) -> str:
    """Under how many settings which system scores higher."""
    a, b = map(vl.short, mapped.systems)
    counts = mapped.counts()
    n, for_a, for_b = len(mapped.distinct), *(counts[word] + counts[word + SURE] for word in (A_AHEAD, B_AHEAD))
    ahead, other, most = (f"{b} (B)", f"{a} (A)", for_b) if for_b >= for_a else (f"{a} (A)", f"{b} (B)", for_a)
    every = f"all {n:,} settings" if most == n > 1 else f"{most:,} of {plural(n, 'setting')}"
    sure = counts[(B_AHEAD if for_b >= for_a else A_AHEAD) + SURE]
    shown = "" if not most else " (all significant)" if sure == most else f" ({sure or 'none'} significant)"
    others = any(cell.measure.startswith("RBP(") for cell in mapped.ladder)  # drawn below the map
    where = " in the upper panel" if others else ""
    return f"{ahead} scores higher than {other} under {every} of RBP{where}{shown}"


def drawing(sheet: Sheet, look: Theme) -> Spec:
    """The grid above, the ladder below."""
    drawn = sheet.columns["outcome"], sheet.more["ladder"]["outcome"]
    colour = vl.coloured(
        "outcome", vl.occurring(significances(look), *drawn), columns=2, labelLimit=200, labelExpr=NOT_SURE
    )
    depth = vl.category("depth", "depth", axis={"labelAngle": 0, "ticks": False, "domain": False})
    persistence = vl.category(
        "persistence", "RBP, persistence", sort="descending", axis={"ticks": False, "domain": False}
    )
    # letters say it in grey too: bold where significant
    ink = dict(zip(OUTCOMES, (look.on_a, look.ink, look.ink, look.ink, look.on_b), strict=True))
    letters = [
        {"transform": [{"filter": f"{'' if sure else '!'}(indexof(datum.outcome, '{SURE}') > 0)"}],
         "mark": {"type": "text", "fontSize": 11, "fontWeight": "bold" if sure else "normal"},
         "encoding": {"x": depth, "y": persistence, "text": {"field": "letter"},
                      "fill": {"field": "outcome", "type": "nominal", "scale": vl.scale_of(ink), "legend": None}}}
        for sure in (True, False)
    ]  # fmt: skip
    cells = {"mark": {"type": "rect", "stroke": look.ground, "strokeWidth": 1, "tooltip": vl.TOOLTIP},
             "encoding": {"x": depth, "y": persistence, "color": colour}}  # fmt: skip
    names = sheet.more["ladder"]["measure"]
    width = round(max(240.0, min(380.0, 470 - vl.room(names))))
    height = 20 * len(unique(sheet.columns["persistence"]))
    grid = {"data": vl.values(sheet.columns), "width": width, "height": height, "layer": [cells, *letters]}
    if not names:
        return grid
    y = vl.category("measure", **vl.ordered(names), axis=vl.names_axis(names))
    ladder = sheet.more["ladder"]
    ends = [end for key in ("lower_sd", "upper_sd", "difference_sd") for end in ladder[key] if end is not None]
    x = vl.signed(ends, sheet.words["x"])
    bars = vl.interval_bar(look, y, x, "lower_sd", "upper_sd")
    points = {
        "mark": vl.outlined(60, look),
        "encoding": {"y": y, "x": {"field": "difference_sd", **x}, "color": colour},
    }
    rungs = {"data": vl.values(sheet.more["ladder"]), "width": width, "height": 17 * len(names),
             "layer": [vl.zero_line(look, "x"), bars, points]}  # fmt: skip
    return {"vconcat": [grid, rungs], "spacing": 18, "resolve": {"scale": {"color": "shared"}}}
