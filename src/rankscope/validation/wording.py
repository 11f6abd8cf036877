"""Findings in sentences: what is odd, in which runs, what it changes, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from rankscope.judged.sources import RULES
from rankscope.validation.findings import Finding, Severity, severity

OPTIONS = {name: f"--{name.replace('_', '-')}" for name in RULES}
"""Options of the commands that score, which cures name."""
NAMED = 3  # runs or groups named in a line: enough to go and look, short enough to read

Numbers: TypeAlias = dict[str, Any]
Words: TypeAlias = Callable[[Numbers], str]
Effect: TypeAlias = Callable[[str, Numbers], str]

ABOUT: dict[str, tuple[str, str]] = {
    "missing-topics": (
        "A judged topic that a run lacks counts as a list without documents, with score 0.",
        "A system that failed on some topics looks bad on all; a run of another set of topics looks the same.",
    ),
    "topics-without-judgments": (
        "No document of these topics has a judgment, so they have no score.",
        "Topics in other notation, such as leading zeros, look like this, too.",
    ),
    "empty-topics": ("The judgments name these topics without judging a document.", "They have no score."),
    "topics-without-relevant-documents": (
        "Most measures divide by the number of relevant documents, which is 0 here.",
        "trec_eval counts such topics as 0; here they are left out of means.",
    ),
    "unjudged-documents-at-10": (
        "An unjudged document counts as not relevant, whatever it is.",
        "Runs that did not take part in the judging have more of them, and look worse than they are.",
    ),
    "unjudged-documents-at-100": (
        "An unjudged document counts as not relevant, whatever it is.",
        "Measures of deep lists, such as AP and recall, rest on the judged part alone.",
    ),
    "another-threshold": (
        "Binary measures, such as P@10 and AP, need a lowest relevant grade. It is 1 unless you name another.",
        "Graded measures, such as nDCG, do not depend on it.",
    ),
    "negative-grades": (
        "Some collections use negative grades for spam or for documents that could not be judged.",
        "All measures here take them for not relevant.",
    ),
    "fractional-grades": (
        "Grades that are no whole numbers come from averages of several judges.",
        "Other tools may read them as whole numbers.",
    ),
    "tied-scores": (
        "Documents with equal scores have no order of their own: here they fall by document id, as in trec_eval.",
        "The numbers say how far means could move if ties fell otherwise.",
    ),
    "rank-against-score": (
        "Lists are ordered by score, as in trec_eval, and the rank column is ignored.",
        "Where both say different things, one of them is wrong, or scores are rounded.",
    ),
    "score-collisions": (
        "trec_eval 9 reads scores as 32-bit numbers, in which close scores become equal.",
        "This library reads them as 64-bit numbers, as trec_eval 10 does.",
    ),
    "rank-start": (
        "Some runs number ranks from 0, others from 1.",
        "It matters only to tools that read the rank column.",
    ),
    "identical-runs": (
        "These runs are one list under several names.",
        "They are often submitted twice by mistake, or differ only in a setting without effect.",
    ),
    "same-first-10": (
        "These runs differ only below rank 10.",
        "They often share a re-ranker of the first documents.",
    ),
    "short-runs": (
        "Lists of these runs end sooner than those of others.",
        "Measures of deep lists then compare lengths, too.",
    ),
    "short-lists": (
        "Single lists of these runs are much shorter than usual.",
        "A time-out or a query without matches looks like this.",
    ),
}  # fmt: skip
"""Two lines per kind of finding: what it is, and how to read it."""


def about_runs(
    kind: str,
    runs: Mapping[str, Numbers],
    *,
    among: int,
    odd: tuple[str, str],
    figure: Words,
    criterion: str = "",
    effect: Effect,
    cure: str | Words = "",
    grade: Severity | None = None,
) -> Finding | None:
    """A finding about some of the runs, whose numbers tell by `shift` how far a mean moves; None without any.

    The largest shift, to two decimals, comes first; then the order given.

    odd        what a run is or has, and what several are or have: a predicate
    figure     how odd a run is
    criterion  from where on a run counts as odd
    effect     what it changes for the worst run
    """
    if not runs:
        return None
    by_shift = dict(sorted(runs.items(), key=lambda item: -round(size(item[1]["shift"]), 2)))
    worst, numbers = next(iter(by_shift.items()))
    named = ", ".join(f"{name} ({figure(n)})" for name, n in list(by_shift.items())[:NAMED])
    if len(runs) == 1:
        brief = f"{worst} {odd[0]}"
        what = f"{brief} ({figure(numbers)})."
    else:
        limit, most = f" ({criterion})" if criterion else "", ", worst first" if len(runs) > NAMED else ""
        more = f" and {len(runs) - NAMED} more" if len(runs) > NAMED else ""
        brief = f"{len(runs)} of {among} runs {odd[1]}"
        what = f"{brief}{limit}{most}: {named}{more}."
    shift = max(size(n["shift"]) for n in runs.values())
    return Finding(
        kind=kind,
        severity=grade or severity(shift),
        systems=tuple(by_shift),
        what=what,
        effect=effect(worst, numbers),
        cure=cure if isinstance(cure, str) else cure(numbers),
        numbers={"shift": shift, "count": len(runs), "among": among, "runs": by_shift},
        brief=brief,
        about=ABOUT[kind],
    )


def about_collection(
    kind: str, what: str, effect: str = "", cure: str = "", *, shift: float = 0.0, grade: Severity | None = None,
    systems: Iterable[str] = (), brief: str = "", **numbers: Any,
) -> Finding:  # fmt: skip
    """A finding about the judgments, or about runs taken together; in brief it is its first sentence by default."""
    shift = size(shift)
    return Finding(
        kind=kind,
        severity=grade or severity(shift),
        systems=tuple(systems),
        what=what,
        effect=effect,
        cure=cure,
        numbers={"shift": shift, **numbers},
        brief=brief or what.removesuffix("."),
        about=ABOUT[kind],
    )


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def score(value: float) -> str:
    """A mean, four decimals; undefined where there is none."""
    return "undefined" if value != value else f"{value:.4f}"


def would_be(system: str, *means: tuple[str, float, float]) -> str:
    """Sentence on how means of a run change under another reading: measure, before and after of each."""
    moved = [f"{name} from {score(a)} to {score(b)}" for name, a, b in means if score(a) != score(b)]
    if not moved:
        names = " and ".join(name for name, *_ in means)
        return f"the mean {names} of {system} {'stay' if len(means) > 1 else 'stays'} the same."
    return f"the mean of {system} moves in {' and in '.join(moved)}."


def size(shift: float) -> float:
    """Absolute change of a mean; 0 where it is undefined."""
    return 0.0 if shift != shift else abs(float(shift))
