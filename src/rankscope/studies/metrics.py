"""Scorecard of metrics on a collection, from several studies, and the folder that keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from rankscope import arguments
from rankscope.arguments import Checks
from rankscope.errors import FileError, InputError, Problem, plural, quietly, reason
from rankscope.judged import Judged, load
from rankscope.judged.sources import Runs, check_runs
from rankscope.measures import Measure, evaluate
from rankscope.measures.scoring import documented_threshold
from rankscope.parallel import Client, on
from rankscope.preferences.all_pairs import Method
from rankscope.preferences.ordering import ordering_for
from rankscope.statistics import Resampling
from rankscope.studies.base import Study
from rankscope.studies.candidates import Measures, StudyMaterial, labelled, material
from rankscope.studies.checkpoints import (
    MANIFEST,
    check_same,
    files_of,
    manifest_of,
    new_manifest,
    read_manifest,
    write_manifest,
)
from rankscope.studies.checks import Draws, samples_of
from rankscope.studies.columns import COLUMNS, DRAWS, PARTS, QUICK, ColumnInputs, ColumnValues, MetricDifference, Part
from rankscope.studies.preference_lists import comparable, fingerprint_of_lists, with_depth
from rankscope.studies.runner import Interrupted, Run, Tell
from rankscope.studies.scorecard import Scorecard
from rankscope.studies.total_progress import TotalProgress

MEASURES = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20")
METHODS: tuple[Method, ...] = ("rrLP", "sgnLP")
FEW_TOPICS, FEW_SYSTEMS = 25, 10
"""Below these, halves of topics and rankings of systems say little (Buckley and Voorhees 2000)."""
DEPTH = 10  # of IPSO by default; and the most documents of the rankings that preferences are looked for in
SCORECARD = "scorecard"


def metrics(
    source: Judged | Any,
    runs: Runs = None,
    *,
    measures: Measures | None = MEASURES,
    methods: Method | Sequence[Method] = METHODS,
    studies: Part | Iterable[Part] = QUICK,
    depth: int | None = None,
    resampling: Draws = None,
    alpha: float = 0.05,
    level: float | None = None,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
    **rules: Any,
) -> Scorecard:
    """Run studies of metrics and methods on a collection, and put what they say side by side.

    source      lists (`load`, with keep_docs=True for "incompleteness"); or judgments, beside runs
    runs        runs, as `load` takes them, where the source is judgments
    measures, methods  as for `material`
    studies     of `PARTS`; `QUICK` by default. "similarity", "locality" and "scales" add their tables alone
    depth       how deep lists are looked at; by default whole lists, and IPSO to depth 10. Preferences are looked for
                in rankings of so many documents, 10 at most
    resampling  one for all studies, or by study; `DRAWS` by default: permutations of "power" and "ties", splits of
                "consistency", samples of "incompleteness"
    level       of the intervals of "similarity"; 1 - alpha unless given
    checkpoints  a folder with one for each study in it, from which `scorecard_from` gives the same scorecard
    rules       those of `load`, for runs that are read here, such as ties="rank" or rel=2

    A study that this collection has too little for leaves its place empty, with the reason; the others go on. So does a
    measure that cannot be computed, such as ERR of grades whose powers are beyond all numbers. Where none can be done,
    all reasons are one error. Ctrl-C raises `Interrupted`, whose `partial` is the scorecard of the columns that are
    done.
    """
    with Checks() as check:
        labels = check(labelled, measures)
        methods = check(arguments.some_of, "methods", methods, get_args(Method)) if methods else ()
        wanted = check(arguments.some_of, "studies", studies, PARTS)
        if depth is not None:
            depth = check(arguments.whole_number, "depth", depth)
        run_of_all = check(Run, checkpoints, progress, workers, client, resampling=resampling, usual=DRAWS)
        if run_of_all:
            check(samples_of, run_of_all.named("incompleteness"))
        alpha = check(arguments.alpha, alpha)
        if level is not None:
            level = check(arguments.level, level)
        check(check_runs, source, runs, rules)
    columns = [column for column in COLUMNS if column.part in wanted]
    draws = {part: run_of_all.named(part) for part in DRAWS}
    if isinstance(source, Judged):
        judged = _to_depth(source, depth)
    else:
        rules = {"keep_docs": "incompleteness" in wanted, **rules}
        judged = load(source, runs, depth=depth, workers=workers, client=client, **rules)
    base = comparable(judged, n_systems=1)
    if len(judged.systems) == 1:  # methods compare two
        methods = ()
    ipso_depth = DEPTH if depth is None else depth
    known: dict[str, Any] = {
        "alpha": alpha, "level": 1 - alpha if level is None else level,
        "depth": min(ipso_depth, judged.code.shape[-1]), "documents": min(ipso_depth, DEPTH),
        "order": ordering_for(base, None, None, ipso_depth).words,
    }  # fmt: skip
    with on(client), quietly():  # what is left out stands in the notes
        unable: dict[str, InputError] = {}
        try:
            studied = material(judged, labels, methods, depth=depth, alone=True, workers=workers)
        except InputError:
            unable = _unable(judged, labels, workers)
            labels = {label: measure for label, measure in labels.items() if label not in unable}
            if not unable or not (labels or methods):
                raise
            studied = material(judged, labels, methods, depth=depth, alone=True, workers=workers)
    # `depth` is the argument, `loaded_depth` that of the lists: IPSO is looked at to depth 10 where only lists have one
    settings = {
        **studied.settings(), "lists": fingerprint_of_lists(base), "rules": judged.rules.signature(),
        "loaded_depth": judged.rules.depth, "methods": list(studied.methods), "depth": depth, "alpha": alpha,
        "measures": {label: str(measure) for label, measure in studied.labels.items()}, "level": known["level"],
        "columns": {column.part: column.chosen(known, draws) for column in columns},
    }  # fmt: skip
    if checkpoints is not None:
        _open(Path(checkpoints), settings)
    total = TotalProgress({column.part: column.weight for column in columns}, progress)
    rows: dict[str, list[Any]] = {"candidate": list(studied.names)}
    results: dict[str, Study] = {}
    differences: list[MetricDifference] = []
    missing: dict[str, InputError] = {}
    notes = list(studied.notes)
    records = [measure.relevant_from(judged.rules.rel) for measure in studied.records.values()]

    def result(*stopped: str) -> Scorecard:
        return Scorecard(
            rows=rows, differences=tuple(differences), studied=results, alpha=alpha, settings=settings,
            missing={name: reason(error, cures=True) for name, error in {**unable, **missing}.items()},
            warnings=(*stopped, *_warnings(studied)), notes=tuple(notes),
            read_as=judged.read_as,
            offer=next((text for m in records if (text := documented_threshold(m, judged.rules.data_set))), ""),
        )  # fmt: skip

    done = 0
    try:
        with on(client), quietly():
            for column in columns:
                folder = None if checkpoints is None else Path(checkpoints) / column.part
                run = {"checkpoints": folder, "progress": total.begin(column.part), "workers": workers}  # fmt: skip
                inputs = ColumnInputs(
                    studied=studied, settings=known, resampling=draws.get(column.part, Resampling()), run=run
                )
                try:
                    values = column.compute(inputs)
                except FileError:
                    raise
                except InputError as error:  # too little for this study: the others go on
                    missing[column.part], values = error, ColumnValues()
                notes += values.notes
                if values.study is not None:
                    results[column.part] = values.study
                if values.values is not None:
                    rows[column.heading] = list(values.values)
                if values.tested is not None:
                    differences += column.significant(*values.tested, alpha=alpha)
                done += 1
                total.done(column.part)
    except KeyboardInterrupt as stop:
        undone = [column.part for column in columns[done:]]
        sentence = f"stopped before {', '.join(undone)} {'was' if len(undone) == 1 else 'were'} done"
        raise Interrupted(str(stop) or f"scorecard {sentence}", result(sentence) if len(rows) > 1 else None) from stop
    if len(missing) == len(columns):
        problems = dict.fromkeys(problem for error in missing.values() for problem in error.problems)
        raise InputError(list(problems))
    return result()


def _unable(judged: Judged, labels: Mapping[str, Measure], workers: int | None) -> dict[str, InputError]:
    """Measures that cannot be computed on these lists, by label, and why."""
    errors = {}
    for label, measure in labels.items():
        try:
            evaluate(judged, measure, workers=workers)
        except InputError as error:
            errors[label] = error
    return errors


def scorecard_from(
    folder: str | Path,
    judged: Judged,
    *,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Scorecard:
    """The scorecard that `metrics` wrote to a folder of checkpoints, with the settings it had there.

    judged  the same collection, at least as deep. What the folder does not keep is computed again
    """
    cure = "name a folder written by rankscope metrics --checkpoint"
    manifest = manifest_of(folder, cure)
    if not _is_scorecard(manifest):
        raise FileError(Problem("is no manifest of a scorecard", cure, str(Path(folder) / MANIFEST)))
    resampling = {
        part: Resampling(column["resamples"], column.get("seed"))
        for part, column in manifest["columns"].items() if "resamples" in column
    }  # fmt: skip
    wanted: dict[str, Any] = {name: manifest.get(name) for name in ("measures", "methods", "depth", "alpha", "level")}
    return metrics(
        _to_depth(judged, manifest.get("loaded_depth")), **wanted, studies=list(manifest["columns"]),
        resampling=resampling, checkpoints=folder, progress=progress, workers=workers, client=client,
    )  # fmt: skip


def _is_scorecard(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest has the form of a scorecard's; what its settings are is looked at where they are used."""
    measures, methods, columns = (manifest.get(name) for name in ("measures", "methods", "columns"))
    return (
        manifest.get("study") == SCORECARD
        and isinstance(measures, dict) and all(isinstance(measure, str) for measure in measures.values())
        and isinstance(methods, list) and all(isinstance(method, str) for method in methods)
        and isinstance(columns, dict) and all(isinstance(column, dict) for column in columns.values())
    )  # fmt: skip


def _to_depth(judged: Judged, depth: int | None) -> Judged:
    """Lists down to a depth, as if they had been loaded so; unchanged where they end above it."""
    known = judged.rules.depth
    if depth is None or (known is not None and known <= depth):
        return judged
    return replace(with_depth(judged, depth), rules=replace(judged.rules, depth=depth))


def _open(folder: Path, settings: Mapping[str, Any]) -> None:
    """Make the folder that of this scorecard: a new one, or one of the same candidates, collection and settings.

    Its columns may be others than before.
    """
    files, manifest = files_of(folder), new_manifest(SCORECARD, settings)
    before = read_manifest(folder) if MANIFEST in files else None
    if before is not None and not _is_scorecard(before):
        raise FileError(Problem("holds the checkpoints of one study", "name another folder", str(folder)))
    if other := [name for name in files if name not in (*PARTS, MANIFEST)]:
        raise FileError(
            Problem(f"holds {', '.join(other[:3])}{', ...' * (len(other) > 3)}, which no scorecard wrote",
                    "name an empty folder, or a new one", str(folder))
        )  # fmt: skip
    if before is not None:
        common = before["columns"].keys() & manifest["columns"].keys()
        check_same(folder, _compared(before, common), _compared(manifest, common))
    write_manifest(folder, manifest)


def _compared(manifest: Mapping[str, Any], parts: Iterable[str]) -> dict[str, Any]:
    """Settings that must agree within a folder: all but alpha, level and columns, and the settings of these columns."""
    free = ("study", "rankscope", "alpha", "level", "columns")
    common = {key: value for key, value in manifest.items() if key not in free}
    by_part = {part: manifest["columns"][part] for part in sorted(parts)}
    return common | {f"{name} of {part}": value for part, column in by_part.items() for name, value in column.items()}


def _warnings(studied: StudyMaterial) -> tuple[str, ...]:
    n_topics, n_systems = len(studied.topics), len(studied.systems)
    sentences = []
    if n_topics < FEW_TOPICS:
        sentences.append(f"{_few(n_topics, 'topic')} below {FEW_TOPICS}, single topics move most of these numbers")
    if n_systems < FEW_SYSTEMS:
        few = _few(n_systems, "system")
        sentences.append(f"{few} below {FEW_SYSTEMS}, tau and shares of pairs take large steps")
    return tuple(sentences)


def _few(count: int, what: str) -> str:
    return f"{plural(count, what)} {'is' if count == 1 else 'are'} few:"
