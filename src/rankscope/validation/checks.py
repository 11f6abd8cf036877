"""The table of checks, and the function that goes through it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rankscope.io.column_names import ColumnNames
from rankscope.io.files import pipes_kept
from rankscope.judged.sources import InMemory, Names, Path_, Runs
from rankscope.measures import Measure, measure
from rankscope.progress import Progress, heard
from rankscope.validation import judgment_checks, list_checks, score_checks, topic_checks
from rankscope.validation.findings import SEVERITIES, Finding, Findings
from rankscope.validation.material import ValidationMaterial, mean, open_material, scores
from rankscope.validation.wording import size

MEASURE, TEN = "nDCG@10", 10  # what the best runs are the best by, and how many they are
SEEN = 0.00005  # of a mean with four decimals

CHECKS: tuple[Callable[[ValidationMaterial], Finding | None], ...] = (
    topic_checks.missing,
    topic_checks.without_relevant,
    topic_checks.unjudged_topics,
    topic_checks.empty_topics,
    *judgment_checks.UNJUDGED_CHECKS,
    judgment_checks.threshold,
    judgment_checks.negative,
    judgment_checks.fractional,
    score_checks.ties,
    score_checks.rank_column,
    score_checks.collisions,
    score_checks.rank_start,
    list_checks.identical,
    list_checks.same_top,
    list_checks.short_runs,
    list_checks.short_lists,
)


@pipes_kept()
def validate(
    qrels: Path_ | InMemory,
    runs: Runs,
    *,
    rel: float | None = None,
    names: Names = "file",
    run_format: str | None = None,
    qrels_format: str | None = None,
    columns: ColumnNames | None = None,
    workers: int | None = None,
    done: Callable[[str], None] | None = None,
    progress: Progress = None,
) -> Findings:
    """Findings about judgments and runs that are legal but odd, worst first, with what they change.

    The parameters are those of `load`; a `rel` that is given silences questions about another threshold. `progress`
    hears which share of the checks is done once all runs are read, as in `progress=Bar()`.
    Findings are ordered by severity, then by how far they could move a mean. Each says whether it concerns the best
    runs by nDCG@10. Raises InputError where the input cannot be used at all.

    >>> for finding in validate({"7": {"a": 2, "b": -1}}, {"7": {"b": 2.5, "a": 1.5}}):
    ...     print(finding.severity, finding.kind, finding.numbers["shift"])
    low negative-grades 0.0
    low short-runs 0.0
    """
    return findings_in(
        open_material(
            qrels,
            runs,
            rel=rel,
            names=names,
            run_format=run_format,
            qrels_format=qrels_format,
            columns=columns,
            workers=workers,
            done=done,
        ),
        progress,
    )


def findings_in(material: ValidationMaterial, progress: Progress = None, *, by: str | Measure = MEASURE) -> Findings:
    """All findings, worst first, with what they change of the best runs by a measure."""
    best = _best(material, by)
    findings = [
        _with_top(finding, best, str(by))
        for check in heard(iter(CHECKS), len(CHECKS), progress) if (finding := check(material)) is not None
    ]  # fmt: skip
    judged = material.judged
    return Findings(
        findings=tuple(sorted(findings, key=lambda f: (SEVERITIES.index(f.severity), -f.numbers["shift"]))),
        systems=judged.systems,
        n_topics=len(judged.topics),
        n_judgments=int(judged.available.sum()),
        read_as=judged.read_as,
        best=best,
        measure=str(by),
    )


def _best(material: ValidationMaterial, by: str | Measure) -> tuple[str, ...]:
    """The ten best runs, of few runs the best one; none of a single run."""
    if len(material.systems) == 1:
        return ()
    (value,) = scores(material.judged, measure(by))
    means = dict(zip(material.systems, mean(value).tolist(), strict=True))
    ranked = sorted((name for name, score in means.items() if score == score), key=lambda name: -means[name])
    return tuple(ranked[: TEN if len(ranked) >= 2 * TEN else 1])


def _with_top(finding: Finding, best: tuple[str, ...], by: str) -> Finding:
    """The finding with the best runs that it concerns, in words, too."""
    if not best:
        return finding
    top = concerned(finding, best)
    who = f"the best run, {best[0]}" if len(best) == 1 else f"the {len(best)} best runs by {by}"
    some = who if len(best) == 1 or len(top) < len(best) else f"all {len(best)} best runs by {by}"
    some = f"{len(top)} of {some}" if 1 < len(best) > len(top) else some
    if not top and {*best} & {*finding.systems}:
        means = f"does not change the mean of {who}," if len(best) == 1 else f"changes no mean of {who}"
        sentence = f"It {means} by {SEEN:.5f} or more."
    elif not top:
        sentence = f"It does not concern {who}."
    elif "groups" in finding.numbers:
        sentence = f"Among them: {some}."
    else:
        sentence = f"It concerns {some}."
    return replace(finding, top=top, effect=f"{finding.effect} {sentence}".strip())


def concerned(finding: Finding, best: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the runs, such as the best, whose means a finding moves, in the fourth decimal at least."""
    numbers = finding.numbers
    if not finding.systems:
        return best if numbers["shift"] >= SEEN else ()
    shifts = {name: run["shift"] for name, run in numbers.get("runs", {}).items()}
    if "groups" not in numbers and not shifts:
        return ()
    return tuple(name for name in best if name in finding.systems and size(shifts.get(name, 1.0)) >= SEEN)
