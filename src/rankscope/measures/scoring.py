"""Judged lists and measures in, scores out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack, overload

import numpy as np

from rankscope.arrays import FIRST_GRADE, Bools, Floats
from rankscope.errors import InputError, argument, warn
from rankscope.judged import Judged, load
from rankscope.judged.sources import Runs, check_rules, runs_beside_lists
from rankscope.judged.subtopics import Subtopics
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.names import parse
from rankscope.measures.record import Measure
from rankscope.measures.scores import Scores
from rankscope.parallel import Client, map_units, on
from rankscope.progress import Progress, heard

if TYPE_CHECKING:
    from rankscope.judged import RunStream

Measures: TypeAlias = str | Measure | Iterable[str | Measure]

_TOPICS = 8  # a block has room for so many topics at least, unless the lists are very long
_BLOCK = 1 << 19  # cells scored at a time: few calls, and arrays of a few megabytes


class How(TypedDict, total=False):
    """Arguments of `evaluate` and `bounds` that say how the work is done; they do not change the result."""

    workers: int | None
    client: Client
    progress: Progress


@overload
def evaluate(source: Judged | RunStream, measures: Measures, /, **how: Unpack[How]) -> Scores: ...
@overload
def evaluate(source: Judged | RunStream, *, measures: Measures, **how: Unpack[How]) -> Scores: ...
@overload
def evaluate(source: Any, runs: Runs, measures: Measures, **rules_and_how: Any) -> Scores: ...
def evaluate(
    source: Any,
    runs: Runs = None,
    measures: Measures | None = None,
    *,
    workers: int | None = None,
    client: Client = None,
    progress: Progress = None,
    **rules: Any,
) -> Scores:
    """Score every system on every topic: `evaluate(judged, measures)`, or `evaluate(qrels, runs, measures)`.

    source, runs  a collection in memory (`load`) or one that is larger (`stream`), and then no runs; or judgments and
                  runs, as `load` takes them
    rules         those of `load`, for runs that are read here, such as ties="rank" or rel=2

    A topic where a measure has nothing to measure (no relevant document, say) is NaN and left out of means, or 0
    where `undefined="zero"` was chosen on loading. How many, is said in one DataWarning.

    workers   threads; all processors by default. The result is the same for any number
    client    a Dask cluster for lists in memory, where that is worth the way
    progress  hears which share of lists in memory is scored, as in `progress=Bar()`
    """
    judged, measures = lists_and_measures(source, runs, measures, rules, workers, client)
    named = parse(measures)
    wanted = tuple(dict.fromkeys(m.relevant_from(judged.rules.rel) for m in named))
    if not wanted:
        raise InputError("no measures", "name at least one")
    if not isinstance(judged, Judged):
        from rankscope.measures.streaming import score_stream

        if client is not None:
            raise InputError("one process reads what is larger than memory", "leave out the client, or load the runs")
        streamed = score_stream(judged, wanted, workers)
        _warn_without_subtopics(None, wanted)
        return _evaluated(judged, wanted, streamed, MeasureInputs(
            np.empty((len(judged.systems), len(judged.topics), 0), np.uint8), judged.grades, judged.available,
        ))  # fmt: skip
    value = np.empty((len(wanted), *judged.code.shape[:-1]))

    code, grades, available, subtopics = judged.code, judged.grades, judged.available, judged.subtopics
    _warn_without_subtopics(subtopics, wanted)

    def score(block: tuple[slice, slice]) -> list[Floats]:
        parts = None if subtopics is None else subtopics.at(*block)
        lists = MeasureInputs(code[block], grades, available[block[1]], parts)
        return [measure.compute(lists) for measure in wanted]

    units = blocks(code.shape)
    with on(client):
        steps = heard(map_units(score, units, workers=workers), len(units), progress)
        for block, scores in zip(units, steps, strict=True):
            for m, of_measure in enumerate(scores):
                value[m, *block] = of_measure
    return _evaluated(judged, wanted, value, MeasureInputs(judged.code, judged.grades, judged.available))


def _warn_without_subtopics(subtopics: Subtopics | None, measures: tuple[Measure, ...]) -> None:
    """Say that judgments without subtopics count as judgments of one."""
    asking = [str(measure) for measure in measures if "covered" in measure.inputs]
    if asking and subtopics is None:
        warn(f"judgments have no subtopics, so each topic counts as one: {', '.join(asking)}", stacklevel=4)


def lists_and_measures(
    source: Any, runs: Any, measures: Measures | None, rules: Mapping[str, Any], workers: int | None, client: Client
) -> tuple[Judged | RunStream, Measures]:
    """Lists and measures, from the two forms in which they are given."""
    joined = _is_joined(source)
    check_rules(rules, read=not joined)
    if joined:
        if runs is not None and measures is not None:
            raise runs_beside_lists()
        return source, (() if runs is None else runs) if measures is None else measures
    if runs is None or measures is None:
        raise InputError("judgments without runs, or without measures", "give judgments, runs and measures")
    return load(source, runs, workers=workers, client=client, **rules), measures


def _is_joined(source: Any) -> bool:
    if isinstance(source, Judged):
        return True
    from rankscope.judged import RunStream

    return isinstance(source, RunStream)


def _evaluated(
    judged: Judged | RunStream, measures: tuple[Measure, ...], value: Floats, lists: MeasureInputs
) -> Scores:
    """Scores as a result; undefined and missing topics are treated by the rules, and counted in a DataWarning."""
    lacking: Bools = np.asarray((judged.retrieved == 0) & (judged.rules.missing == "drop"), np.bool_)
    undefined = np.stack([~np.broadcast_to(lists.defined(m), value.shape[1:]).all(axis=0) for m in measures])
    notes = _apply_policies(value, measures, judged, lacking, undefined) + _gain_below(measures, judged, lists)
    warn(*notes, stacklevel=3)
    stems = tuple("|".join([*m.signature(lists), *judged.rules.signature()]) for m in measures)
    labels = tuple(m.label(judged.grades) for m in measures)
    offers = tuple(documented_threshold(m, judged.rules.data_set) for m in measures)
    return Scores(
        measures=measures, labels=labels, systems=judged.systems, topics=judged.topics, value=value,
        signature_stems=stems, lacking=lacking, undefined=undefined, offers=offers,
    )  # fmt: skip


def documented_threshold(measure: Measure, data_set: tuple[str, float] | None, *, brief: bool = False) -> str:
    """The documented threshold of a known data set, where the measure has another one; else nothing.

    brief  without the threshold of the measure
    """
    if data_set is None or measure.threshold in (None, data_set[1]):
        return ""
    name, rel = data_set
    notation = f"rel={measure.threshold:g}"  # as in heads of tables, AP(rel=1)
    counted = f"Measures with {notation} count documents from grade {measure.threshold:g} as relevant"
    documented = f"{name} count from grade {rel:g}: use {argument('rel', rel)}."
    return documented if brief else f"{counted}; {documented}"


def blocks(shape: tuple[int, ...]) -> list[tuple[slice, slice]]:
    """Systems and topics to be scored at a time.

    As many systems as fit, then topics: what depends on the topic alone is computed once per block.
    """
    s, t, k = shape
    systems = _slices(s, _BLOCK // max(1, k * min(t, _TOPICS)))
    topics = _slices(t, _BLOCK // max(1, k * systems[0].stop))
    return [(a, b) for b in topics for a in systems]


def _slices(length: int, step: int) -> list[slice]:
    step = max(1, step)
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]


def _gain_below(measures: tuple[Measure, ...], judged: Judged | RunStream, lists: MeasureInputs) -> list[str]:
    """Note on measures of gain under which grades below a chosen threshold still gain, and how to leave them out."""
    rel, grades = judged.rules.rel, judged.grades
    if rel == 1 or judged.rules.documented:  # nobody chose it
        return []
    gaining = {}
    for measure in measures:
        silent = {"gain", "ideal"} & {*measure.inputs} and measure.gain_kind != "binary"
        if silent and not {"gain", "gains"} & {*dict(measure.settings)}:
            below = grades[(lists.gain_table(measure)[FIRST_GRADE:] > 0) & (grades < rel)].tolist()
            if below:
                gaining[measure] = below
    if not gaining:
        return []
    first, below = next(iter(gaining.items()))
    named = f"grade{'s' * (len(below) > 1)} {', '.join(f'{grade:g}' for grade in below)}"
    cure = f"; {first(gains=dict.fromkeys(below, 0))} leaves them out" if "gains" in first.values else ""
    gain = f"{named} still gain{'s' * (len(below) == 1)} under {', '.join(map(str, gaining))}"
    return [f"{argument('rel', rel)} is for measures with a threshold: {gain}{cure}"]


def _apply_policies(
    value: Floats, measures: tuple[Measure, ...], judged: Judged | RunStream, lacking: Bools, undefined: Bools
) -> list[str]:
    """Fill or drop what is undefined or missing; gives what to say about it."""
    topics: dict[int, list[str]] = {}
    own: list[str] = []
    for scores, measure, nothing in zip(value, measures, undefined, strict=True):
        if count := int(np.count_nonzero(nothing)):
            topics.setdefault(count, []).append(str(measure))
        if odd := int(np.count_nonzero(np.isnan(scores) & ~nothing)):
            own.append(f"{odd} from {measure}")
    if judged.rules.undefined == "zero":
        value[np.isnan(value)] = 0.0
    value[:, lacking] = np.nan
    done = "left out" if judged.rules.undefined == "drop" else "scored 0"
    notes = []
    if topics:
        parts = [f"{count} of {len(judged.topics)} for {', '.join(names)}" for count, names in topics.items()]
        notes.append(f"topics without relevant documents, {done}: {'; '.join(parts)}")
    if own:
        notes.append(f"scores that are not a number, {done}: {', '.join(own)}")
    return notes
