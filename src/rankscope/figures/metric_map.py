"""The metric map: who is ahead, and whether significantly, all over metric space."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.comparisons import Comparison
from rankscope.comparisons.effect import TESTS, Effect, Test, effect
from rankscope.comparisons.exact_differences import told_apart
from rankscope.comparisons.scored import FEWEST, Scored, only, scored
from rankscope.comparisons.sensitivity import MEANINGS, Outcome, outcome_of, verdict_of
from rankscope.errors import DataWarning, InputError
from rankscope.figures.chart import (
    TOOLTIP,
    Columns,
    Sheet,
    coloured,
    labels,
    ordered,
    outlined,
    room,
    scale_of,
    short,
    unique,
    values,
)
from rankscope.figures.theme import A_AHEAD, B_AHEAD, EQUAL, SURE, Spec, Theme
from rankscope.formatting import probability, score
from rankscope.judged import Judged
from rankscope.measures import Measure, evaluate, measure
from rankscope.results import Result, frame, text_table

if TYPE_CHECKING:
    import polars as pl

PERSISTENCE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
LADDER = (
    "P@1", "RR", "ERR@20", "RBP(p=0.5)", "P@5", "nDCG@5", "RBP(p=0.8)", "P@10", "nDCG@10", "RBP(p=0.95)", "nDCG@100",
    "AP", "R@100",
)  # fmt: skip
"""Named metrics, from those that look at the first ranks to those that look at all."""
OUTCOMES = (A_AHEAD + SURE, A_AHEAD, EQUAL, B_AHEAD, B_AHEAD + SURE)


@dataclass(frozen=True, slots=True)
class MapCell:
    """One metric of the map. persistence and depth are None for a named metric; spread is the deviation of B - A."""

    metric: str
    persistence: float | None
    depth: int | None
    effect: Effect
    spread: float
    outcome: str

    @property
    def verdict(self) -> int:
        """1 where B is shown to score higher, -1 where A is, 0 where neither."""
        return {OUTCOMES[0]: -1, OUTCOMES[-1]: 1}.get(self.outcome, 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricMap(Result):
    """B against A under RBP of every persistence and depth, and under named metrics.

    These are the same topics over and over: no metric is evidence independent of another, and none decides here.
    """

    systems: tuple[str, str]
    grid: tuple[MapCell, ...]
    ladder: tuple[MapCell, ...]
    alpha: float
    test: Test

    def columns(self) -> dict[str, list[Any]]:
        """One row per metric: those of the grid, then those of the ladder."""
        every = (*self.grid, *self.ladder)
        return {
            "metric": [p.metric for p in every],
            "persistence": [p.persistence for p in every],
            "depth": [p.depth for p in every],
            "difference": [p.effect.difference for p in every],
            "lower": [p.effect.lower for p in every],
            "upper": [p.effect.upper for p in every],
            "p": [p.effect.pvalue for p in every],
            "topics": [p.effect.n_topics for p in every],
            "outcome": [p.outcome for p in every],
        }

    def to_frame(self) -> pl.DataFrame:
        """Columns metric, persistence, depth, difference, lower, upper, p, topics, outcome."""
        return frame(self.columns(), persistence=float, depth=int)

    def counts(self) -> dict[str, int]:
        """Metrics of the grid by outcome."""
        return {name: sum(p.outcome == name for p in self.grid) for name in OUTCOMES}

    def sentence(self) -> str:
        """How much of the map agrees."""
        counts = self.counts()
        ahead = {name: counts[word] + counts[word + SURE] for name, word in (("A", A_AHEAD), ("B", B_AHEAD))}
        sure = {"A": counts[A_AHEAD + SURE], "B": counts[B_AHEAD + SURE]}
        parts = [f"{name} is ahead in {n:,} ({sure[name] or 'none'} significantly)" if n else f"{name} in none"
                 for name, n in sorted(ahead.items(), key=lambda one: -one[1])]  # fmt: skip
        if counts[EQUAL]:
            parts.append(f"they are equal in {counts[EQUAL]}")
        return f"of {len(self.grid)} RBPs, {', '.join(parts)}"

    def agreement(self, verdict: int) -> dict[Outcome, int]:
        """In how many metrics of the grid a verdict (1, -1 or 0) holds, weakens, reverses or appears."""
        outcomes = [outcome_of(verdict, place.verdict) for place in self.grid]
        return {word: outcomes.count(word) for word in MEANINGS if word in outcomes}

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per named metric."""
        rows = [[p.metric, score(p.effect.difference), probability(p.effect.pvalue), p.outcome] for p in self.ladder]
        return ["metric", "B - A", "p", "outcome"], rows

    def __str__(self) -> str:
        a, b = self.systems
        return f"{b} (B) against {a} (A): {self.sentence()}\n{text_table(*self.table())}"


def metric_map(
    judged: Judged,
    a: str,
    b: str,
    *,
    persistence: Sequence[float] = PERSISTENCE,
    depths: Sequence[int] | None = None,
    ladder: Sequence[str | Measure] = LADDER,
    test: Test = "t",
    alpha: float = 0.05,
) -> MetricMap:
    """Compare b with a under many metrics: RBP of every persistence and depth, and named ones.

    depths  1, 2, 5, 10, ... by default, as far as lists go
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha={alpha}", "alpha is between 0 and 1, such as 0.05")
    loaded = judged.code.shape[-1]
    at = [k for k in DEPTHS if k <= loaded] if depths is None else list(depths)
    wrong = [k for k in at if not isinstance(k, int) or not 1 <= k <= loaded]
    if wrong or not at or not len(persistence):
        raise InputError(f"depths={wrong or at}, persistence={list(persistence)}",
                         f"give at least one of each, depths being whole numbers from 1 to {loaded}")  # fmt: skip
    two = only(judged, (a, b))
    grid = [(p, k) for p in unique(persistence) for k in unique(at)]
    rbp = [measure(f"RBP(p={p!r})@{k}") for p, k in grid]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # topics are counted in each place
        found = [evaluate(two, measures) for measures in (rbp, list(ladder)) if measures]
    places = [
        [_place(replace(scored(scores, one), judged=two), test, alpha) for one in scores.measures] for scores in found
    ]
    return MetricMap(
        systems=(a, b),
        grid=tuple(replace(place, persistence=p, depth=k) for place, (p, k) in zip(places[0], grid, strict=True)),
        ladder=tuple(places[1]) if len(ladder) else (),
        alpha=alpha,
        test=test,
    )


def _place(scores: Scored, test: Test, alpha: float) -> MapCell:
    """One metric, from scores of a and of b."""
    topics = len(scores.topics)
    if topics < FEWEST:
        raise InputError(f"{topics} topics with a score of {scores.measure}", f"a map needs at least {FEWEST} topics")
    a, b, exactly = told_apart(scores, 0, 1)
    found = effect(a, b, test=test, exactly=exactly)
    return MapCell(str(scores.record), None, None, found, float(np.std(b - a, ddof=1)), _outcome(found, alpha))


def _outcome(found: Effect, alpha: float) -> str:
    if verdict := verdict_of(found, alpha):
        return OUTCOMES[2 + 2 * verdict]
    return OUTCOMES[2 + int(np.sign(found.difference))]


def comparison_sheet(found: Comparison, **settings: Any) -> Sheet:
    """The map of a comparison; settings are those of `metric_map`."""
    judged = found.scored.judged
    if judged is None:
        raise InputError("a map of scores", "a map needs lists: compare what `load` returns")
    given = {"alpha": found.alpha, "test": found.effect.test, **settings}
    made = metric_map(judged, *found.systems, **given)
    sheet = map_sheet(made)
    counts = ", ".join(f"{word} in {count:,}" for word, count in made.agreement(found.verdict).items())
    return replace(sheet, subtitle=f"{sheet.subtitle}\nThe verdict under {found.measure}, over these RBPs: {counts}")


def map_sheet(found: MetricMap) -> Sheet:
    """The grid, and the ladder in units of the deviation of B - A over topics, so that metrics can be compared."""
    whole = found.columns()
    n = len(found.grid)
    grid: Columns = {key: column[:n] for key, column in whole.items()}
    grid["letter"] = ["=" if name == EQUAL else name[0] for name in grid["outcome"]]
    ladder: Columns = {key: column[n:] for key, column in whole.items() if key not in ("persistence", "depth")}
    unit = [p.spread or 1.0 for p in found.ladder]
    for key in ("difference", "lower", "upper"):
        ladder[f"{key}_sd"] = [value / u for value, u in zip(ladder[key], unit, strict=True)]
    a, b = map(short, found.systems)
    return Sheet(
        columns=grid,
        title=f"Metric map: {b} (B) against {a} (A)",
        subtitle=f"{found.sentence()}\n{TESTS[found.test]}, p < {found.alpha:g}, uncorrected; a bold letter marks "
        "significance. The same topics everywhere: no independent evidence",
        more={"ladder": ladder},
    )


def metric_map_drawing(sheet: Sheet, look: Theme) -> Spec:
    """The grid above, the ladder below."""
    colours = {
        A_AHEAD + SURE: look.a, A_AHEAD: look.a_faint, EQUAL: look.equal, B_AHEAD + SURE: look.b, B_AHEAD: look.b_faint,
    }  # fmt: skip
    colour = coloured("outcome", colours, columns=3)
    depth = {
        "field": "depth",
        "type": "ordinal",
        "title": "depth",
        "axis": {"labelAngle": 0, "ticks": False, "domain": False},
    }
    held = {"field": "persistence", "type": "ordinal", "title": "RBP, persistence", "sort": "descending",
            "axis": {"ticks": False, "domain": False}}  # fmt: skip
    # letters say it in grey too: bold where significant
    ink = dict(zip(OUTCOMES, (look.on_a, look.ink, look.ink, look.ink, look.on_b), strict=True))
    letters = [
        {"transform": [{"filter": f"{'' if sure else '!'}(indexof(datum.outcome, '{SURE}') > 0)"}],
         "mark": {"type": "text", "fontSize": 11, "fontWeight": "bold" if sure else "normal"},
         "encoding": {"x": depth, "y": held, "text": {"field": "letter"},
                      "fill": {"field": "outcome", "type": "nominal", "scale": scale_of(ink), "legend": None}}}
        for sure in (True, False)
    ]  # fmt: skip
    cells = {"mark": {"type": "rect", "stroke": look.ground, "strokeWidth": 1, "tooltip": TOOLTIP},
             "encoding": {"x": depth, "y": held, "color": colour}}  # fmt: skip
    names = sheet.more["ladder"]["metric"]
    width = round(max(240.0, min(380.0, 470 - room(names))))
    height = 20 * len(unique(sheet.columns["persistence"]))
    grid = {"data": values(dict(sheet.columns)), "width": width, "height": height, "layer": [cells, *letters]}
    if not names:
        return grid
    y = {"field": "metric", "type": "ordinal", "title": None, **ordered(names),
         "axis": {"ticks": False, "domain": False, "grid": True, "labelLimit": 200, "labelPadding": 5,
                  **labels(names)}}  # fmt: skip
    x = {"type": "quantitative", "title": "B - A in standard deviations, with its interval",
         "axis": {"grid": False, "tickCount": 6}, "scale": {"padding": 5}}  # fmt: skip
    bars = {"mark": {"type": "rule", "strokeWidth": 2, "color": look.faint},
            "encoding": {"y": y, "x": {"field": "lower_sd", **x}, "x2": {"field": "upper_sd"}}}  # fmt: skip
    points = {"mark": outlined(110, look),
              "encoding": {"y": y, "x": {"field": "difference_sd", **x}, "color": colour}}  # fmt: skip
    zero = {"mark": {"type": "rule", "color": look.ink}, "encoding": {"x": {"datum": 0}}}
    rungs = {"data": values(dict(sheet.more["ladder"])), "width": width, "height": 17 * len(names),
             "layer": [zero, bars, points]}  # fmt: skip
    return {"vconcat": [grid, rungs], "spacing": 18, "resolve": {"scale": {"color": "shared"}}}
