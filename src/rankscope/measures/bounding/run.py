"""Judged lists and measures in, lowest and highest scores out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack, overload

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.errors import InputError
from rankscope.judged import Judged, RunStream
from rankscope.judged.sources import Runs
from rankscope.measures.bounding import bpref as of_bpref
from rankscope.measures.bounding import cwla, terms
from rankscope.measures.bounding import ndcg as of_ndcg
from rankscope.measures.bounding.enumeration import LIMIT, assignments, enumerated
from rankscope.measures.bounding.exchange import (
    average_precision,
    by_running_sums,
    by_swaps,
    r_precision,
    self_normalised_ap,
)
from rankscope.measures.bounding.monotone import any_step, by_grades, rank_biased, steps
from rankscope.measures.bounding.possible_grades import (
    LOCAL,
    Classes,
    Range,
    all_exact,
    classes,
    filled,
    no_range,
    refuse_condensed,
    scored,
    with_zero,
)
from rankscope.measures.bounding.result import Bounds
from rankscope.measures.catalogue.ap import AP, SN_AP, Rprec
from rankscope.measures.catalogue.bpref import Bpref, infAP
from rankscope.measures.catalogue.dcg import SN_DCG, nDCG
from rankscope.measures.catalogue.generalised import gRBP
from rankscope.measures.catalogue.interval import Interval
from rankscope.measures.catalogue.q import Q
from rankscope.measures.catalogue.rbp import RBP
from rankscope.measures.cwla import measure as kernels
from rankscope.measures.cwla.nearly_err import NERR10, NERR11
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Kernel, Measure
from rankscope.measures.scoring import How, Measures, blocks, evaluate, lists_and_measures
from rankscope.parallel import Client, map_units, on
from rankscope.progress import Progress, heard, staged

Argument = Callable[[MeasureInputs, Measure, Classes], Range]

ARGUMENTS: dict[Kernel, Argument] = {
    AP.kernel: by_running_sums(average_precision),
    SN_AP.kernel: by_running_sums(self_normalised_ap),
    Rprec.kernel: by_running_sums(r_precision),
    RBP.kernel: rank_biased,
    gRBP.kernel: rank_biased,
    nDCG.kernel: of_ndcg.ndcg,
    SN_DCG.kernel: of_ndcg.self_normalised,
    Bpref.kernel: of_bpref.bpref,
    infAP.kernel: terms.inferred,
    Q.kernel: terms.q_measure,
    kernels.cwla: cwla.pair,
    kernels.inst: cwla.inst,
    kernels.insq: cwla.insq,
    NERR10.kernel: cwla.unknown,
    NERR11.kernel: cwla.unknown,
}
"""Measures with an argument of their own; for others their `improves` decides."""

# perhaps past the end of the list
READ_ON = (RBP.kernel, gRBP.kernel, kernels.cwla, kernels.inst, kernels.insq, NERR10.kernel, NERR11.kernel)

BY_SUBTOPIC = "unknown: which subtopics an unjudged document would be relevant for"
OF_JUDGING = "none: it measures the judging itself, which further judgments would complete"

_GENERAL: dict[str, Argument] = {"grades": by_grades, "swaps": by_swaps}


@overload
def bounds(source: Judged, measures: Measures, /, **how: Unpack[How]) -> Bounds: ...
@overload
def bounds(source: Judged, *, measures: Measures, **how: Unpack[How]) -> Bounds: ...
@overload
def bounds(source: Any, runs: Runs, measures: Measures, **rules_and_how: Any) -> Bounds: ...
def bounds(
    source: Any,
    runs: Runs = None,
    measures: Measures | None = None,
    *,
    workers: int | None = None,
    client: Client = None,
    progress: Progress = None,
    **rules: Any,
) -> Bounds:
    """Lowest and highest score of every system on every topic, over all grades its unjudged documents could have.

    source, runs  lists (`load`), and then no runs; or judgments and runs, as `load` takes them
    rules         those of `load`, for runs that are read here
    progress      hears which share of the work is done, as in `progress=Bar()`

    A document that is given a relevant grade also joins the topic's recall base. Grades are those of the collection,
    and 0 where none is as low. Where a reader goes on past the end of the list, unseen documents count too: there
    `RBP` at its highest is `RBP + RBPResidual`. Topics that are left out of the scores stay so.

    Bpref and infAP leave unjudged documents out, so that the score itself, where some are still unjudged, can lie
    outside, as it can where the lowest grade gains; `how` says so. Judged and RBPResidual measure the judging itself
    and have no bounds. For all others lower <= score <= upper.

    Ends are exact, attained by some grades, or bounds that are wide enough; `how` says which. Measures of your own
    declare what they obey by `improves=`; without that, lists with up to 1024 assignments of grades are enumerated,
    and longer ones have no bound.
    """
    judged, measures = lists_and_measures(source, runs, measures, rules, workers, client)
    if isinstance(judged, RunStream):
        raise InputError(
            "bounds need all lists at once; a stream lets them go", "use load(...) in place of stream(...)"
        )
    scoring, bounding = staged(progress, 1, 4)
    scores = evaluate(judged, measures, workers=workers, client=client, progress=scoring)
    with on(client):
        lower, upper, exact, method = ends_of(judged, scores.measures, workers, bounding)
    for ends in (lower, upper):
        ends[np.isnan(scores.value)] = np.nan
    exact |= np.isnan(scores.value)
    return Bounds(scores=scores, lower=lower, upper=upper, exact=exact, method=method)


def ends_of(
    judged: Judged, measures: Sequence[Measure], workers: int | None = None, progress: Progress = None
) -> tuple[Floats, Floats, Bools, tuple[str, ...]]:
    """Lowest and highest scores (measures, systems, topics), where they are exact, and how they were found.

    measures  with their lowest relevant grade, as `Scores.measures` has them; topics without a score have ends, too
    """
    refuse_condensed(judged)
    shape = len(measures), *judged.code.shape[:-1]
    lower, upper = np.empty((2, *shape))
    exact = np.empty(shape, np.bool_)
    method: list[str] = [""] * len(measures)
    code, grades, available = judged.code, judged.grades, judged.available

    def score(block: tuple[slice, slice]) -> list[Range]:
        lists = with_zero(MeasureInputs(code[block], grades, available[block[1]]))
        unknown = judged.subtopics is not None
        return [no_range(lists, BY_SUBTOPIC) if unknown and "covered" in measure.inputs else score_range(lists, measure)
                for measure in measures]  # fmt: skip

    units = blocks(code.shape)
    steps = heard(map_units(score, units, workers=workers), len(units), progress)
    for block, ranges in zip(units, steps, strict=True):
        for m, ends in enumerate(ranges):
            lower[m, *block], upper[m, *block], exact[m, *block] = ends.lower, ends.upper, ends.exact
            method[m] = ends.how or method[m]
    return lower, upper, exact, tuple(method)


def score_range(lists: MeasureInputs, measure: Measure) -> Range:
    """Ends by the shortest argument that holds, then by enumeration where that was not exact and is feasible."""
    if measures_judging(measure):
        return no_range(lists, OF_JUDGING)
    try:
        return _score_range(lists, measure)
    except InputError:
        if isinstance(measure, Interval):  # with more documents to choose from more scores are attainable, or too many
            return any_step(lists, measure, classes(lists, measure))
        raise


def measures_judging(measure: Measure) -> bool:
    """Whether it looks at nothing but which documents are judged."""
    inputs = {*measure.inputs}
    return bool(inputs & {"judged", "unjudged"}) and inputs <= {"judged", "unjudged", "pooled", "retrieved"}


def _score_range(lists: MeasureInputs, measure: Measure) -> Range:
    kinds = classes(lists, measure)
    same = len(kinds) <= 1 and measure.kernel not in READ_ON  # all grades are one to it
    if same or not _worth(lists, measure):
        score = scored(filled(lists, True, kinds.worst, kinds.best), measure)
        return Range(score, score, all_exact(lists))
    argument = _argument(measure, kinds)
    ends = argument(lists, measure, kinds) if argument else no_range(lists, _why(measure))
    if ends.exact.all() or ends.beyond:
        return ends
    few = ~ends.exact & (assignments(lists, measure, kinds) <= LIMIT)
    lower, upper = enumerated(lists, measure, kinds, few)
    how = f"{ends.how}; exact for lists with up to {LIMIT} assignments of grades"
    return Range(np.where(few, lower, ends.lower), np.where(few, upper, ends.upper), ends.exact | few, how)


def _worth(lists: MeasureInputs, measure: Measure) -> bool:
    """Whether some grade of the scale gives the measure something to measure."""
    all_grades = MeasureInputs(lists.code[..., :0], lists.grades, np.ones_like(lists.available))
    return bool(all_grades.defined(measure).any())


def _argument(measure: Measure, kinds: Classes) -> Argument | None:
    """The argument that holds for a measure and these grades."""
    if isinstance(measure, Interval):  # its kernel is that of the measure within
        plain = len(kinds) == 2 and not kinds.gain[0] and not kinds.relevant[0]
        return steps if plain and measure.improves == "grades" and {*measure.inputs} <= LOCAL else any_step
    if measure.kernel in ARGUMENTS:
        return ARGUMENTS[measure.kernel]
    if measure.improves == "swaps" and len(kinds) > 2:
        return None
    return _GENERAL.get(measure.improves) if kinds.ordered else None


def _why(measure: Measure) -> str:
    """The reason why no argument holds, in words."""
    if not measure.improves:
        return "unknown: it declares nothing by improves="
    return f'unknown: improves="{measure.improves}" does not settle these grades'
