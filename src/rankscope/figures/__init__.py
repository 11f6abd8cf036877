"""Figures: a table of what is drawn, tested, and then the drawing."""

from __future__ import annotations

from typing import Any

from rankscope.comparisons import Comparison, Ranking
from rankscope.errors import InputError
from rankscope.figures import metric_map as _map
from rankscope.figures import metrics, pair, path, rankings, strips, systems
from rankscope.figures.chart import EXTRA, FORMATS, Chart, Columns, Figure, Sheet, made
from rankscope.figures.metric_map import MetricMap, metric_map
from rankscope.figures.theme import DARK, LIGHT, THEMES, Theme, ThemeName
from rankscope.preferences import Dominance, Ipso, Serps
from rankscope.studies import (
    Agreement,
    Consistency,
    DiscriminativePower,
    Incompleteness,
    Locality,
    Removal,
    Similarity,
    TiedRankings,
)
from rankscope.studies import Separability as ObservedSeparability
from rankscope.universe import (
    Disagreement,
    ExpectedSeparability,
    Features,
    Grid,
    Hasse,
    Separability,
    TieCurve,
)

FIGURES: tuple[Figure, ...] = (
    Figure("strips", Comparison, strips.comparison_sheet, strips.strips),
    Figure("strips", Ipso, strips.ipso_sheet, strips.strips),
    Figure("strips", Serps, strips.serps_sheet, strips.strips),
    Figure("path", Serps, path.path_sheet, path.path),
    Figure("differences", Comparison, pair.differences_sheet, pair.differences),
    Figure("dominance", Comparison, pair.comparison_dominance_sheet, pair.dominance),
    Figure("dominance", Dominance, pair.dominance_sheet, pair.dominance),
    Figure("choices", Comparison, pair.choices_sheet, pair.choices),
    Figure("metric map", Comparison, _map.comparison_sheet, _map.metric_map_drawing),
    Figure("metric map", MetricMap, _map.map_sheet, _map.metric_map_drawing),
    Figure("leaderboard", Ranking, systems.ranking_sheet, systems.leaderboard),
    Figure("bars", Agreement, systems.bars_sheet, systems.bars),
    Figure("triangle", Agreement, systems.triangle_sheet, systems.triangle),
    Figure("similarity", Similarity, metrics.similarity_sheet, metrics.heatmap),
    Figure("consistency", Consistency, metrics.consistency_sheet, metrics.consistency),
    Figure("ASL curves", DiscriminativePower, metrics.asl_sheet, metrics.asl_curves),
    Figure("pools", Incompleteness, metrics.pools_sheet, metrics.fractions),
    Figure("removal", Removal, metrics.removal_sheet, metrics.fractions),
    Figure("levels", TiedRankings, metrics.levels_sheet, metrics.levels),
    Figure("first rank", TiedRankings, metrics.first_rank_sheet, metrics.first_rank),
    Figure("labels", TiedRankings, metrics.labels_sheet, metrics.fractions),
    Figure("locality", Locality, metrics.locality_sheet, metrics.heatmap),
    Figure("separability", ObservedSeparability, rankings.observed_sheet, rankings.shares),
    Figure("separability", Separability, rankings.separability_sheet, rankings.shares),
    Figure("separability", ExpectedSeparability, rankings.expected_sheet, rankings.shares),
    Figure("Hasse diagram", Hasse, rankings.hasse_sheet, rankings.hasse),
    Figure("grid", Grid, rankings.grid_sheet, rankings.grid),
    Figure("disagreement", Disagreement, rankings.disagreement_sheet, metrics.heatmap),
    Figure("features", Features, rankings.features_sheet, rankings.features),
    Figure("tie probability", TieCurve, rankings.tie_sheet, rankings.tie_curves),
)

"""Every figure there is; the first of a kind of result is the one it shows unless another is named."""

__all__ = [
    "DARK", "EXTRA", "FIGURES", "FORMATS", "LIGHT", "THEMES", "Chart", "Columns", "Figure", "MetricMap", "Sheet",
    "Theme", "ThemeName", "draw", "figure_of", "metric_map", "names", "table",
]  # fmt: skip


def names(result: Any) -> list[str]:
    """The figures that a result has, the first of which it shows unless another is named."""
    return [figure.name for figure in FIGURES if isinstance(result, figure.of)]


def draw(result: Any, figure: str | None = None, *, theme: ThemeName = "light", title: bool = True,
         **settings: Any) -> Chart:  # fmt: skip
    """A figure of a result.

    figure    one of `names(result)`
    title     whether the title is drawn; papers have a caption instead
    settings  what this figure can be told, such as metrics=... or alpha=...
    """
    return made(figure_of(result, figure), result, theme, title, settings)


def table(result: Any, figure: str | None = None, **settings: Any) -> Columns:
    """What that figure draws, as plain columns."""
    return dict(figure_of(result, figure).sheet(result, **settings).columns)


def figure_of(result: Any, figure: str | None = None) -> Figure:
    """The record of a figure."""
    known = {one.name: one for one in reversed(FIGURES) if isinstance(result, one.of)}
    if not known:
        raise InputError(f"there is no figure of a {type(result).__name__}")
    wanted = names(result)[0] if figure is None else figure
    if wanted not in known:
        raise InputError(f"a {type(result).__name__} has no figure {figure!r}", f"there is {', '.join(names(result))}")
    return known[wanted]
