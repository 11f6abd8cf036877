"""Figures: a table of what is drawn, tested, and then the drawing.

`draw(result, name)` gives a figure of a result, as `result.plot(name)` does, with what a page or a paper needs of it:

    chart.name      "metric map"; unique among the figures of a result, which `names(result)` lists
    chart.title     one line
    chart.caption   a few lines, maybe empty
    chart.spec      Vega-Lite with all data inside; chart.to_vega() compiles it, chart.to_svg() draws it
    chart.table     plain columns, one row per mark; chart.to_csv() writes them
    chart.tables    these and what is drawn on top, by names that can be a file's, such as "strips-lists"
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from rankscope.comparisons import Across, CollectionBoard, Comparison, Gate, JudgeNext, Leaderboard, MetricMap
from rankscope.comparisons.slices import Slices
from rankscope.errors import InputError
from rankscope.figures import (
    collections,
    costs,
    dot_panels,
    judges,
    forest,
    fractions,
    many_systems,
    metric_map,
    metrics,
    path,
    rankings,
    recall_levels,
    retrieval,
    scores,
    slices,
    strips,
    two_systems,
    universe,
)
from rankscope.figures.chart import EXTRA, FORMATS, Chart, Columns, Figure, Sheet, chart_of, drawer, needed, smaller
from rankscope.figures.theme import DARK, LIGHT, THEMES, Theme, ThemeName
from rankscope.formatting import html
from rankscope.measures.bounding.result import BoundMeans, Bounds
from rankscope.measures.scores import Scores
from rankscope.preferences import Dominance, DominanceMatrix, Ipso, Serps
from rankscope.statistics.families.comparisons import Comparisons
from rankscope.statistics.replications.repeated_runs import VarianceComponents
from rankscope.studies import (
    Agreement,
    Alternatives,
    ConsistencyStudy,
    DiscriminativePower,
    Incompleteness,
    JudgeStudy,
    Locality,
    ObservedSeparability,
    Removal,
    ScalesInPractice,
    Scorecard,
    Similarity,
    TiedRankings,
)
from rankscope.universe import (
    Buckets,
    Disagreement,
    ExpectedSeparability,
    Features,
    Flips,
    Freedom,
    Frequencies,
    Hasse,
    OrderGrid,
    SeparabilityCounts,
    TieCurve,
)

FIGURES: tuple[Figure, ...] = (
    Figure("strips", Comparison, strips.comparison_sheet, strips.strips),
    Figure("strips", Ipso, strips.ipso_sheet, strips.strips),
    Figure("strips", Serps, strips.serps_sheet, strips.strips),
    Figure("path", Serps, path.path_sheet, path.path),
    Figure("differences", Comparison, two_systems.differences_sheet, two_systems.differences),
    Figure("scatter", Comparison, scores.comparison_scatter_sheet, scores.scatter),
    Figure("dominance", Comparison, two_systems.comparison_dominance_sheet, two_systems.dominance),
    Figure("dominance", Dominance, two_systems.dominance_sheet, two_systems.dominance),
    Figure("choices", Comparison, two_systems.choices_sheet, forest.forest),
    Figure("checks", Gate, two_systems.gate_sheet, forest.forest),
    Figure("slices", Comparison, slices.comparison_slices_sheet, forest.forest, where=slices.are_known),
    Figure("slices", Slices, slices.slices_sheet, forest.forest),
    Figure("attribute", Comparison, slices.attribute_sheet, slices.attribute, where=slices.are_numbers),
    Figure("metric map", Comparison, metric_map.comparison_sheet, metric_map.drawing),
    Figure("metric map", MetricMap, metric_map.map_sheet, metric_map.drawing),
    Figure("distributions", Scores, scores.distributions_sheet, scores.distributions),
    Figure("scatter", Scores, scores.scatter_sheet, scores.scatter),
    Figure("heat map", Scores, scores.map_sheet, scores.heat),
    Figure("ranks", Scores, rankings.ranks_sheet, rankings.ranks),
    Figure("cost", Scores, costs.cost_sheet, costs.cost, needs="cost"),
    Figure("unjudged", Scores, retrieval.unjudged_sheet, retrieval.unjudged_panels),
    Figure("precision-recall", Scores, retrieval.recall_sheet, retrieval.recall_curves),
    Figure("bounds", Bounds, retrieval.bounds_sheet, retrieval.bounds_bars),
    Figure("bounds", BoundMeans, retrieval.bound_means_sheet, retrieval.bounds_bars),
    Figure("doubt", JudgeNext, retrieval.doubt_sheet, retrieval.doubt_curves, where=retrieval.is_replay),
    Figure("leaderboard", Leaderboard, many_systems.ranking_sheet, many_systems.leaderboard),
    Figure("critical difference", Leaderboard, rankings.board_groups_sheet, rankings.critical_difference),
    Figure("forest", Across, collections.forest_sheet, collections.forest),
    Figure("critical difference", CollectionBoard, collections.board_groups_sheet, rankings.critical_difference),
    Figure("heat map", CollectionBoard, collections.map_sheet, collections.heat),
    Figure("variance", VarianceComponents, collections.components_sheet, collections.components),
    Figure("pairs", Leaderboard, many_systems.board_pairs_sheet, many_systems.matrix),
    Figure("dominance matrix", DominanceMatrix, many_systems.matrix_sheet, many_systems.matrix),
    Figure("pairs", Comparisons, many_systems.comparisons_sheet, many_systems.matrix),
    Figure("critical difference", Comparisons, rankings.comparisons_groups_sheet, rankings.critical_difference),
    Figure("bars", Agreement, many_systems.bars_sheet, many_systems.bars),
    Figure("triangle", Agreement, many_systems.triangle_sheet, many_systems.triangle),
    Figure("similarity", Similarity, metrics.similarity_sheet, metrics.heatmap),
    Figure("consistency", ConsistencyStudy, metrics.consistency_sheet, metrics.consistency),
    Figure("ASL curves", DiscriminativePower, metrics.asl_sheet, metrics.asl_curves),
    Figure("incompleteness", Incompleteness, fractions.incompleteness_sheet, fractions.fractions),
    Figure("removal", Removal, fractions.removal_sheet, fractions.fractions),
    Figure("levels", TiedRankings, recall_levels.levels_sheet, recall_levels.levels),
    Figure("first rank", TiedRankings, recall_levels.first_rank_sheet, recall_levels.first_rank),
    Figure("labels", TiedRankings, fractions.labels_sheet, fractions.fractions),
    Figure("locality", Locality, recall_levels.locality_sheet, metrics.heatmap),
    Figure("judges", JudgeStudy, judges.fidelity_sheet, judges.fidelity),
    Figure("verdicts", JudgeStudy, judges.grid_sheet, judges.grid),
    Figure("confusion", JudgeStudy, judges.confusion_sheet, judges.confusion),
    Figure("leaderboards", JudgeStudy, judges.leaderboards_sheet, rankings.ranks),
    Figure("scorecard", Scorecard, dot_panels.scorecard_sheet, dot_panels.dots),
    Figure("alternatives", Alternatives, dot_panels.alternatives_sheet, dot_panels.dots),
    Figure("scales", ScalesInPractice, dot_panels.scales_sheet, dot_panels.dots),
    Figure("separability", ObservedSeparability, universe.observed_sheet, universe.shares),
    Figure("separability", SeparabilityCounts, universe.separability_sheet, universe.shares),
    Figure("separability", ExpectedSeparability, universe.expected_sheet, universe.shares),
    Figure("Hasse diagram", Hasse, universe.hasse_sheet, universe.hasse),
    Figure("grid", OrderGrid, universe.grid_sheet, universe.grid),
    Figure("disagreement", Disagreement, universe.disagreement_sheet, metrics.heatmap),
    Figure("frequencies", Frequencies, universe.frequencies_sheet, metrics.heatmap),
    Figure("occurrence", Frequencies, dot_panels.occurrence_sheet, dot_panels.dots),
    Figure("buckets", Buckets, dot_panels.buckets_sheet, dot_panels.dots),
    Figure("freedom", Freedom, universe.freedom_sheet, universe.freedom_bars),
    Figure("flips", Flips, universe.flips_sheet, universe.flips_drawing),
    Figure("features", Features, universe.features_sheet, universe.features),
    Figure("tie probability", TieCurve, universe.tie_sheet, universe.tie_curves),
)
"""Every figure there is; the first of a kind of result is the one it shows unless another is named."""

LARGE = 1_000_000  # characters of a figure; notebooks keep what they show
SMALL = 100_000  # the same of a figure that is kept for light and for dark ground
NOTEBOOK: dict[type, tuple[str, dict[str, Any]]] = {
    Comparison: ("differences", {"most": 120}),
    Leaderboard: ("leaderboard", {"top": 20}),
    Scores: ("distributions", {"top": 8}),
}
"""Figure of a notebook with its settings, where the first one of a result would be large."""
_DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", ".vscode-high-contrast", "html[theme=dark]")
GROUNDS = "".join(
    f"{ground} .rankscope-light{{display:none!important}}{ground} .rankscope-dark{{display:inline!important}}"
    for ground in _DARK
)
"""Style that shows the figure for dark ground where JupyterLab, VS Code or Colab say that theirs is dark."""

__all__ = [
    "DARK", "EXTRA", "FIGURES", "FORMATS", "LIGHT", "THEMES", "Chart", "Columns", "Figure", "Sheet", "Theme",
    "ThemeName", "draw", "figure_of", "image", "names",
]  # fmt: skip


def names(result: Any) -> list[str]:
    """The figures that a result has, the first of which it shows unless another is named.

    Figures that need a setting, such as the cost of each system, are not among them.
    """
    return [
        figure.name for figure in FIGURES if isinstance(result, figure.of) and not figure.needs and figure.where(result)
    ]


def draw(result: Any, figure: str | None = None, *, theme: ThemeName = "light", title: bool = True,
         narrow: bool = False, **settings: Any) -> Chart:  # fmt: skip
    """A figure of a result.

    figure    one of `names(result)`
    title     whether the title is drawn; papers have a caption instead
    narrow    whether it is for a column of 8.5 cm: no letter is smaller than 6 pt there
    settings  what this figure can be told, such as metrics=... or alpha=...
    """
    return chart_of(figure_of(result, figure), result, theme=theme, title=title, narrow=narrow, **settings)


def image(result: Any) -> str:
    """The first figure of a result as HTML with everything inside, for a notebook; small ones on both grounds.

    Empty where there is no figure, where this result has nothing to draw, or where the extra cannot be loaded.
    """
    if not names(result):
        return ""
    name, settings = next((choice for kind, choice in NOTEBOOK.items() if isinstance(result, kind)), (None, {}))
    try:
        needed("vl_convert")
        record = figure_of(result, name)
        by_theme = drawer(record, result, **settings)
        light = by_theme("light")
        svgs = {"light": smaller(light.to_svg())}
        if len(svgs["light"]) <= SMALL:
            svgs["dark"] = smaller(by_theme("dark").to_svg())
    except (InputError, ImportError):
        return ""
    if len(svgs["light"]) > LARGE:
        return f"<p>The figure is large: <code>plot({light.name!r})</code> shows it</p>"
    # an image has no scripts and no styles that could leave it
    pictures = "".join(
        f'<img class="rankscope-{ground}" alt="{html(light.title)}" '
        f'style="max-width: 100%{"; display: none" if ground == "dark" else ""}" '
        f'src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}">'
        for ground, svg in svgs.items()
    )
    return f"<p>{pictures}</p>" + (f"<style>{GROUNDS}</style>" if len(svgs) > 1 else "")


def figure_of(result: Any, figure: str | None = None) -> Figure:
    """The record of a figure."""
    by_name: dict[str, Figure] = {}
    for record in FIGURES:
        if isinstance(result, record.of):
            by_name.setdefault(record.name, record)
    if not by_name:
        raise InputError(f"there is no figure of a {type(result).__name__}")
    name = next(iter([*names(result), *by_name])) if figure is None else figure
    if name not in by_name:
        raise InputError(f"a {type(result).__name__} has no figure {figure!r}", f"there is {', '.join(by_name)}")
    return by_name[name]
