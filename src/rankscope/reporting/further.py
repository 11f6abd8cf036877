"""Chapters on other choices than those of the page: other judges, slices of topics, unjudged documents, collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rankscope.comparisons import Across, CollectionBoard, Comparison, Leaderboard, across, judge_next
from rankscope.comparisons.holes import HoleWarning, warning_lines
from rankscope.comparisons.scored import ScoredLists, scored
from rankscope.comparisons.topic_attributes import TopicPlan
from rankscope.errors import InputError, argument
from rankscope.judged import Judged
from rankscope.judged.judges import Judges
from rankscope.judged.sources import Runs
from rankscope.judged.subsets import with_systems
from rankscope.measures import Measure, bounds
from rankscope.reporting import chapters
from rankscope.reporting.chapters import Chapter
from rankscope.statistics import Resampling
from rankscope.studies import JudgeStudy
from rankscope.studies import judges as study_of_judges
from rankscope.studies.judges import RESAMPLING

REPLAYED = 1000  # judgments at most
PICKED = (
    "The p value is that of a planned pair. These two systems were picked from the leaderboard, which corrects for "
    "all pairs."
)


def check_further(judges: Any, runs: Runs, topics_table: Any, by: str | None) -> None:
    """Refuse, before any work, what no chapter can be made of."""
    if judges is not None and runs is None and not isinstance(judges, Judges | JudgeStudy):
        raise InputError("judges beside lists that were loaded", "give what load_judges or studies.judges returns")
    if topics_table is not None and by is None:
        raise InputError(f"{argument('topics_table')} without a column of it", f"name one with {argument('by')}")


def judges_chapter(
    judges: Judges | JudgeStudy, measure: Measure, *, resampling: Resampling | None, **settings: Any
) -> Chapter:
    """Other judges against the reference."""
    if isinstance(judges, Judges):
        drawn = RESAMPLING
        if resampling is not None:
            drawn = replace(resampling, resamples=min(resampling.resamples, RESAMPLING.resamples))
        judges = study_of_judges(judges, measure=measure, resampling=drawn, **settings)
    return chapters.result_chapter("judges", "Would another judge say the same?", "Judges", judges)


def collections_chapter(
    collections: Across | CollectionBoard | Any, measure: Measure, pair: tuple[str, str] | None, **settings: Any
) -> Chapter:
    """Two systems, or all of them, over several collections."""
    if not isinstance(collections, Across | CollectionBoard):
        source = collections
        if isinstance(source, list | tuple) and len(source) == 1:
            (source,) = source
        collections = across(source, *(pair or (None, None)), measure=measure, **settings)
    return chapters.result_chapter("collections", "Does it hold on other collections?", "Collections", collections)


def holes_chapter(
    judged: Judged,
    pair: tuple[str, str],
    measure: Measure,
    later: Any,
    warnings: Sequence[HoleWarning],
    *,
    alpha: float,
) -> Chapter:
    """What unjudged documents leave open: about two systems, and about the mean of each.

    later  further judgments, which are replayed in the order of `judge_next`; True where there are none
    """
    replay = {} if later is True else {"judge": later, "budget": REPLAYED}
    doubt = judge_next(with_systems(judged, pair), baseline=pair[0], measure=measure, alpha=alpha, **replay)
    ranges = bounds(judged, measure).mean()
    chapter = chapters.result_chapter("holes", "Would unjudged documents change it?", "Unjudged", doubt, ranges)
    lines = list(chapter.lines)
    if replay:  # the means are those before it
        at = len(doubt.blocks("full")[0].parts)
        lines[at] = f"Without these judgments: {lines[at]}"
    return replace(chapter, lines=[*warning_lines(warnings), *lines])


def pair_of(ranking: Leaderboard, baseline: str | None) -> tuple[str, str]:
    """The pair that a chapter is about where none was named: the best system against the baseline or the next one."""
    best, second = ranking.systems[:2]
    if baseline is None:
        return second, best
    return baseline, second if baseline == best else best


def pair_chapters(comparison: Comparison, *, planned: bool) -> list[Chapter]:
    """Chapters of one comparison.

    planned  whether the pair was named beforehand
    """
    remarks = () if planned else (PICKED,)
    return [] if comparison.slices is None else [chapters.slices_chapter(comparison, comparison.slices, remarks)]


def offered_slices(
    lists: ScoredLists, measure: Measure, topics_table: Any, by: str | None, quantiles: int
) -> dict[str, list[str]]:
    """Topics of each slice that the explorer can be restricted to, by name: of `by`, and of every column of the table.

    A column in which most topics have a value of their own, such as their text, has none.
    """
    if by is None:
        return {}
    plan, table = TopicPlan.of(topics_table), scored(lists, measure)
    offered: dict[str, list[str]] = {}
    for column in dict.fromkeys([by, *(plan.table.columns if plan.table is not None else ())]):
        try:
            groups = plan.slices(table, column, quantiles)
        except InputError:
            continue
        if column == by or 2 * len(groups) <= len(table.topics):
            offered |= {f"{column} = {value}": [table.topics[i] for i in rows] for value, rows in groups.items()}
    return offered
