"""The table of checks, and the function that goes through it."""

from __future__ import annotations

from collections.abc import Callable

from rankscope.io.files import pipes_kept
from rankscope.judged.sources import InMemory, Names, Path_, Runs
from rankscope.validation import judgment_checks, list_checks, score_checks, topic_checks
from rankscope.validation.findings import SEVERITIES, Finding, Findings
from rankscope.validation.material import ValidationMaterial, open_material

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
    workers: int | None = None,
) -> Findings:
    """Findings about judgments and runs that are legal but odd, worst first, with what they change.

    The parameters are those of `load`; a `rel` that is given silences hints at another threshold.
    Findings are ordered by severity, then by how far they could move a mean. Raises InputError where the input
    cannot be used at all.

    >>> for finding in validate({"7": {"a": 2, "b": -1}}, {"7": {"b": 2.5, "a": 1.5}}):
    ...     print(finding.severity, finding.kind, finding.numbers["shift"])
    low negative-grades 0.0
    low short-runs 0.0
    """
    return findings_in(
        open_material(
            qrels, runs, rel=rel, names=names, run_format=run_format, qrels_format=qrels_format, workers=workers
        )
    )


def findings_in(material: ValidationMaterial) -> Findings:
    """All findings, worst first."""
    findings = [finding for check in CHECKS if (finding := check(material)) is not None]
    judged = material.judged
    return Findings(
        findings=tuple(sorted(findings, key=lambda f: (SEVERITIES.index(f.severity), -f.numbers["shift"]))),
        systems=judged.systems,
        n_topics=len(judged.topics),
        n_judgments=int(judged.available.sum()),
        read_as=judged.read_as,
    )
