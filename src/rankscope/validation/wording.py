"""Findings put into one line: what, in which runs, how much, and what it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from rankscope.validation.findings import Finding, Severity, severity

NAMED = 3  # runs or groups named in a line: enough to go and look, short enough to read

Numbers: TypeAlias = dict[str, Any]
Words: TypeAlias = Callable[[Numbers], str]


def about_runs(
    kind: str,
    runs: Mapping[str, Numbers],
    *,
    among: int,
    figure: Words,
    counted: str,
    criterion: str = "",
    means: Words,
    grade: Severity | None = None,
) -> Finding | None:
    """A finding about some of the runs, whose numbers tell by `shift` how far a mean moves; None without any.

    The largest shift, to two decimals, comes first; then the order given. `figure` is how odd a run is, `counted`
    what the figure counts, `criterion` from where on it was counted as odd, `means` what it changes for the worst run.
    """
    if not runs:
        return None
    by_shift = dict(sorted(runs.items(), key=lambda item: -round(size(item[1]["shift"]), 2)))
    (worst, numbers), *others = by_shift.items()
    if not others:
        head = f"in {worst} ({figure(numbers)} {counted})"
    else:
        head = f"in {len(runs)} of {among} runs" + (f" ({criterion})" if criterion else "")
        head += f"; worst {worst}, {figure(numbers)}"
    also = ", ".join(f"{name} {figure(n)}" for name, n in others[: NAMED - 1])
    shift = max(size(n["shift"]) for n in runs.values())
    return Finding(
        kind=kind,
        severity=grade or severity(shift),
        systems=tuple(by_shift),
        message=f"{title(kind)} {head}: {means(numbers)}" + (f"; then {also}" if also else ""),
        numbers={"shift": shift, "count": len(runs), "among": among, "runs": by_shift},
    )


def about_collection(
    kind: str, message: str, *, shift: float = 0.0, grade: Severity | None = None, systems: Iterable[str] = (),
    **numbers: Any,
) -> Finding:  # fmt: skip
    """A finding about the judgments, or about runs taken together."""
    shift = size(shift)
    return Finding(
        kind=kind,
        severity=grade or severity(shift),
        systems=tuple(systems),
        message=f"{title(kind)}: {message}",
        numbers={"shift": shift, **numbers},
    )


def title(kind: str) -> str:
    return kind.replace("-", " ")


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def score(value: float) -> str:
    """A mean, four decimals; '-' where there is none."""
    return "-" if value != value else f"{value:.4f}"


def would_be(name: str, before: float, after: float) -> str:
    """Sentence on how a mean changes under another reading."""
    return f"{name} {score(before)} " + (f"would be {score(after)}" if score(before) != score(after) else "stays")


def could_be(name: str, here: float, low: float, high: float) -> str:
    """Sentence on the range in which a mean could lie."""
    between = f"could be {score(low)} to {score(high)}"
    return f"{name} {score(here)} {between if score(low) != score(high) else 'stays'}"


def size(shift: float) -> float:
    """Absolute change of a mean; 0 where it is undefined."""
    return 0.0 if shift != shift else abs(float(shift))
