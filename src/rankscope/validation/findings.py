"""Findings of a validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rankscope.errors import plural
from rankscope.formatting import visible
from rankscope.results import Result, finite, plain

Severity: TypeAlias = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")

NOTICEABLE = 0.05  # Sparck Jones (1974): smaller differences are to be disregarded
VISIBLE = 0.01  # the last digit of tables with two decimals


def severity(shift: float) -> Severity:
    """Severity of a finding by how far a mean moves, or could move."""
    return "high" if shift >= NOTICEABLE else "medium" if shift >= VISIBLE else "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding: input that is legal but odd.

    kind      name of the check, words joined by hyphens
    systems   the runs concerned, worst first; none where it is a finding about the judgments
    message   one line: what, where, how much, and what it changes
    numbers   `shift` is how far a mean moves or could move, `runs` has the numbers of each run
    """

    kind: str
    severity: Severity
    systems: tuple[str, ...]
    message: str
    numbers: dict[str, Any]

    def each(self) -> list[str]:
        """One line per run, with its numbers, or per group of runs."""
        if "groups" in self.numbers:
            return [" = ".join(group) for group in self.numbers["groups"]]
        runs = self.numbers.get("runs", {name: {} for name in self.systems})
        return [": ".join([name, *filter(None, [_listed(numbers)])]) for name, numbers in runs.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings(Result):
    """Findings about a collection, worst first, and the size of what was checked."""

    findings: tuple[Finding, ...]
    systems: tuple[str, ...]
    n_topics: int
    n_judgments: int
    read_as: str

    @property
    def clean(self) -> bool:
        """Whether there are no findings."""
        return not self.findings

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def columns(self) -> dict[str, list[Any]]:
        """Columns kind, severity, systems, shift, message; one row per finding."""
        return {
            "kind": [f.kind for f in self.findings],
            "severity": [f.severity for f in self.findings],
            "systems": [list(f.systems) for f in self.findings],
            "shift": [f.numbers["shift"] for f in self.findings],
            "message": [f.message for f in self.findings],
        }

    def column_types(self) -> dict[str, Any]:
        import polars as pl

        return {"kind": str, "severity": str, "systems": pl.List(pl.String), "shift": float, "message": str}

    def to_dict(self) -> dict[str, Any]:
        """Findings and counts as plain Python values; None where a number is undefined."""
        return {
            "clean": self.clean,
            "systems": list(self.systems),
            "n_topics": self.n_topics,
            "n_judgments": self.n_judgments,
            "findings": [
                {"kind": f.kind, "severity": f.severity, "systems": list(f.systems), "message": f.message,
                 "numbers": finite(plain(f.numbers))}
                for f in self.findings
            ],
        }  # fmt: skip

    def table(self) -> tuple[list[str], list[list[str]]]:
        return ["severity", "finding"], [[f.severity, f.message] for f in self.findings]

    def text(self, *, every_run: bool = False) -> str:
        """One line per finding; with `every_run`, one more for each of its runs."""
        if self.clean:
            counts = ((len(self.systems), "run"), (self.n_topics, "topic"), (self.n_judgments, "judgment"))
            return f"clean: {', '.join(plural(*count) for count in counts)}, nothing odd"
        lines = []
        for finding in self.findings:
            lines.append(f"{finding.severity:<6}  {visible(finding.message)}")
            lines += [f"{'':<6}    {visible(line)}" for line in finding.each()] if every_run else []
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def _listed(numbers: Mapping[str, Any]) -> str:
    return ", ".join(f"{key.removeprefix('n_').replace('_', ' ')} {_short(value)}" for key, value in numbers.items())


def _short(value: Any) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) and not value.is_integer() else f"{value}".removesuffix(".0")
