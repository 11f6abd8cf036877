"""`report`: everything that a page shows, computed once, and the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rankscope.arguments import whole_number
from rankscope.comparisons import Leaderboard, compare, rank
from rankscope.comparisons.effect import interval_level
from rankscope.comparisons.scored import FEWEST, ScoredLists
from rankscope.comparisons.topic_attributes import QUANTILES
from rankscope.errors import InputError, argument, quietly, speaking, spoken_options, warn
from rankscope.figures.chart import runtime, runtime_ahead
from rankscope.io.files import pipes_kept
from rankscope.judged import Judged, Judges, Rules, load, load_judges
from rankscope.judged.sources import Runs, check_runs
from rankscope.measures import Measure, evaluate, parse
from rankscope.parallel import Client
from rankscope.preferences.gains import Gains
from rankscope.reporting.assembling import Page, assembled, check_extra
from rankscope.reporting.chapters import Chapter
from rankscope.reporting.folders import check_folder, from_folder
from rankscope.reporting.further import (
    check_further,
    collections_chapter,
    holes_chapter,
    judges_chapter,
    offered_slices,
    pair_chapters,
    pair_of,
)
from rankscope.reporting.page_contents import DEPTH
from rankscope.statistics import Resampling
from rankscope.studies import JudgeStudy, Study
from rankscope.validation.checks import findings_in
from rankscope.validation.material import ValidationMaterial, open_material, rereadable
from rankscope.validation.wording import OPTIONS

MEASURES = ("nDCG@10", "AP", "P@10", "RR")


@pipes_kept()
def report(
    source: Judged | Any,
    runs: Runs = None,
    *,
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    baseline: str | None = None,
    pair: tuple[str, str] | None = None,
    studies: Sequence[str | Path | Study] = (),
    judges: Any = None,
    topics_table: Any = None,
    by: str | None = None,
    quantiles: int = QUANTILES,
    collections: Any = None,
    holes: Any = False,
    title: str | None = None,
    depth: int | None = None,
    gains: Gains = None,
    alpha: float = 0.05,
    level: float | None = None,
    resampling: Resampling | None = None,
    progress: Callable[[Any], None] | None = None,
    workers: int | None = None,
    client: Client = None,
    **rules: Any,
) -> Page:
    """One HTML page that needs nothing else: findings, leaderboard, an explorer of any two systems, studies, methods.

    source    lists (`load`; with keep_docs=True documents have their ids, with keep_ties=True a comparison tries other
              orders of tied documents); or judgments, beside runs
    runs      runs, as `load` takes them, where the source is judgments; the page then also says what `validate` finds
    measures  the first one decides, the others are shown beside it
    baseline  compare every other system with this one, in the leaderboard
    pair      names of two systems: a page around the comparison of the second with the first
    studies   results of studies, or folders written by `rankscope metrics --checkpoint` or `rankscope reproduce`
    judges    a chapter on other judges of the same runs: their judgments, as `load_judges` takes them beside judgments
              and runs; judges that were loaded; or the result of `studies.judges`
    topics_table  attributes of topics, as `compare` takes them
    by        a chapter on slices of topics: a column of the table, or an attribute that is computed, as of `compare`.
              Without `pair` the two best systems are compared, or the baseline with the best of the others
    quantiles  number of slices of an attribute that is a number
    collections  a chapter on several collections: what `across` takes, for `pair` or else for all systems; or its
              result
    holes     whether there is a chapter on unjudged documents, about the same two systems as slices; or later
              judgments, as `load` takes them, which are replayed as by `judge_next`
    depth     how deep lists are looked at; whole lists by default, of which the page holds 100 documents
    gains     by what the explorer orders lists first, as for `ipso`: "thresholds" by default. Readers can choose
              others: the measure's gains, each grade as the lowest relevant one, linear and exponential gains
    progress  hears what is done, as in `progress=Bar()`
    rules     those of `load`, for runs that are read here, such as ties="rank" or rel=2

    >>> qrels = {t: {"a": 1, "b": 0, "c": 0} for t in "123456"}
    >>> runs = {"new": {t: ["a", "b"] for t in qrels}, "old": {t: ["b", "a"] for t in qrels}}
    >>> report(qrels, runs, measures="RR", resampling=Resampling(50))
    <report: 2 systems on 6 topics; 0.2 MB>
    """
    records = parse(measures)
    check_extra()  # all that can be known to fail fails before the work
    interval_level(alpha, level)
    _check(source, runs, pair, depth, rules)
    check_further(judges, runs, topics_table, by)
    for folder in studies:
        if isinstance(folder, str | Path):
            check_folder(folder)
    tell = progress or (lambda _: None)
    has_figures = pair is not None or judges is not None or by is not None or bool(studies)
    with runtime_ahead() if has_figures else nullcontext(runtime) as script:
        tell("reading")
        judged, material = source, None
        source, runs = rereadable(source), rereadable(runs)
        if runs is not None:
            reading: dict[str, Any] = {"workers": workers, "client": client, "done": lambda name: tell(f"read {name}")}
            judged, material = _read(source, runs, depth, rules, reading)
        others = judges
        if judges is not None and not isinstance(judges, Judges | JudgeStudy):
            tell("reading judges")
            with quietly():  # the runs were read before
                others = load_judges(source, runs, judges, depth=depth, workers=workers, client=client, **rules)
        for name in (*(pair or ()), *([] if baseline is None else [baseline])):
            judged.system(name)
        findings = None
        if material is not None:
            tell("looking for what is odd")
            with speaking({**(spoken_options() or {}), **OPTIONS}):  # a page is read by others, who have the command
                findings = findings_in(material, by=records[0])
        tell("scoring")
        scores = evaluate(judged, records, workers=workers)
        lists = ScoredLists(judged, scores)  # so that nothing is scored again
        tests: dict[str, Any] = {"alpha": alpha, "level": level, "resampling": resampling, "workers": workers,
                                 "client": client}  # fmt: skip
        with quietly():  # which topics are left out was said of the scores
            tell("ranking")
            ranking = _ranking(lists, baseline=baseline, **tests)
            two_best = pair if ranking is None or pair is not None else pair_of(ranking, baseline)
            if two_best is None and (by is not None or holes is not False):
                asked = "holes" if by is None else "by"
                raise InputError(f"{argument(asked)}: too little to compare",
                                 f"give two systems and {FEWEST} topics that can be scored")  # fmt: skip
            tell("comparing")
            two: dict[str, Any] = {"measure": records[0], "topics_table": topics_table, "by": by,
                                   "quantiles": quantiles, **tests}  # fmt: skip
            loaded = others if isinstance(others, Judges) else None
            comparison = None if pair is None else compare(lists, *pair, judges=loaded, **two)
            chapters = [_study(study, judged, progress, workers, client) for study in studies]
            further = []
            if comparison is not None:
                further += pair_chapters(comparison, planned=True)
            elif two_best is not None and by is not None:
                best = compare(lists, *two_best, palette=(), **two)
                further += pair_chapters(best, planned=False)
            slices = offered_slices(lists, records[0], topics_table, by, quantiles)
            if others is not None:
                tell("comparing judges")
                further.append(judges_chapter(others, records[0], alpha=alpha, level=level, resampling=resampling,
                                              workers=workers))  # fmt: skip
            if two_best is not None and holes is not False:
                tell("weighing unjudged documents")
                warnings = () if ranking is None else ranking.holes
                if comparison is not None:
                    warnings = () if comparison.holes is None else (comparison.holes,)
                further.append(holes_chapter(judged, two_best, records[0], holes, warnings, alpha=alpha))
            if collections is not None:
                tell("comparing collections")
                further.append(
                    collections_chapter(collections, records[0], pair, **_of_across(tests, {**rules, "depth": depth}))
                )
        tell("drawing")
        return assembled(
            judged, scores, ranking=ranking, findings=findings, comparison=comparison, studies=chapters,
            further=further, title=title, depth=DEPTH if depth is None else depth, gains=gains, resampling=resampling,
            slices=slices, drawing=script,
        )  # fmt: skip


def _read(
    qrels: Any, runs: Any, depth: int | None, rules: dict[str, Any], reading: dict[str, Any]
) -> tuple[Judged, ValidationMaterial]:
    """The lists by their rules, and the material of `validate`, which has rules of its own: one reading for both."""
    validated: dict[str, Any] = {"rel": None, "names": "file", "run_format": None, "qrels_format": None}
    validated |= {"columns": None}
    validated |= {key: rules[key] for key in validated if key in rules}
    others = {key: value for key, value in rules.items() if key not in validated}
    if Rules(depth=depth, **others) == Rules():
        material = open_material(qrels, runs, keep_docs=True, **validated, **reading)
        warn(*material.judged.notes, stacklevel=3)
        return material.judged, material
    judged = load(qrels, runs, depth=depth, keep_docs=True, keep_ties=True, **rules, **reading)
    return judged, open_material(qrels, runs, workers=reading["workers"], client=reading["client"], **validated)


def _check(source: Any, runs: Runs, pair: tuple[str, str] | None, depth: int | None, rules: dict[str, Any]) -> None:
    check_runs(source, runs, rules)
    if pair is not None and len(set(pair)) != 2:
        raise InputError(f"A and B are the same system, {pair[0]!r}", "name two systems")
    if depth is not None:
        whole_number("depth", depth)


def _ranking(lists: ScoredLists, **settings: Any) -> Leaderboard | None:
    """The leaderboard; None where there is too little to rank."""
    first, *others = lists.scores.measures
    if len(lists.judged.systems) < 2 or len(lists.scores.matrix(first)) < FEWEST:
        return None
    return rank(lists, measure=first, also=others, **settings)


def _of_across(tests: dict[str, Any], rules: dict[str, Any]) -> dict[str, Any]:
    """Settings of `across`, which names systems by their files and reads every format."""
    others = ("client", "names", "run_format", "qrels_format", "columns")
    return {key: value for key, value in {**tests, **rules}.items() if key not in others}


def _study(
    study: str | Path | Study, judged: Judged, progress: Any, workers: int | None, client: Client
) -> Study | Chapter:
    if isinstance(study, Study):
        return study
    return from_folder(study, judged, progress=progress, workers=workers, client=client)
