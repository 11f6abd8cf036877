"""What a validation found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankscope.errors import plural as plural  # report takes it from here
from rankscope.results import Result, frame

if TYPE_CHECKING:
    import polars as pl

Severity: TypeAlias = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")

NOTICEABLE = 0.05  # Sparck Jones (1974): smaller differences are to be disregarded
VISIBLE = 0.01  # the last digit of tables with two decimals


def severity(shift: float) -> Severity:
    """How bad it is that a mean moves so far, or could."""
    return "high" if shift >= NOTICEABLE else "medium" if shift >= VISIBLE else "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One oddity.

    kind      which, in words joined by hyphens
    systems   the runs that show it, worst first; none where it lies in the judgments
    message   one line: what, where, how much, and what it changes
    numbers   the numbers behind it: `shift` is how far a mean moves or could, `runs` has those of each run
    """

    kind: str
    severity: Severity
    systems: tuple[str, ...]
    message: str
    numbers: dict[str, Any]

    def each(self) -> list[str]:
        """One line a run, with its numbers, or a group of runs."""
        if "groups" in self.numbers:
            return [" = ".join(group) for group in self.numbers["groups"]]
        runs = self.numbers.get("runs", {name: {} for name in self.systems})
        return [": ".join([name, *filter(None, [_listed(numbers)])]) for name, numbers in runs.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings(Result):
    """All oddities of a collection, worst first, and what was looked at."""

    findings: tuple[Finding, ...]
    systems: tuple[str, ...]
    topics: int
    judgments: int
    read_as: str

    @property
    def clean(self) -> bool:
        """Whether nothing odd was found."""
        return not self.findings

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def columns(self) -> dict[str, list[Any]]:
        return {
            "kind": [f.kind for f in self.findings],
            "severity": [f.severity for f in self.findings],
            "systems": [list(f.systems) for f in self.findings],
            "shift": [f.numbers["shift"] for f in self.findings],
            "message": [f.message for f in self.findings],
        }

    def to_frame(self) -> pl.DataFrame:
        """Columns kind, severity, systems, shift, message; a row a finding."""
        import polars as pl

        kinds = {"kind": pl.String, "severity": pl.String, "systems": pl.List(pl.String), "shift": pl.Float64}
        return frame(self.columns()).cast(kinds | {"message": pl.String})  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain Python values; None where a number is undefined."""
        return {
            "clean": self.clean,
            "systems": list(self.systems),
            "topics": self.topics,
            "judgments": self.judgments,
            "findings": [
                {"kind": f.kind, "severity": f.severity, "systems": list(f.systems), "message": f.message,
                 "numbers": _plain(f.numbers)}
                for f in self.findings
            ],
        }  # fmt: skip

    def table(self) -> tuple[list[str], list[list[str]]]:
        return ["severity", "finding"], [[f.severity, f.message] for f in self.findings]

    def text(self, *, every_run: bool = False) -> str:
        """One line a finding; with `every_run`, one more for each of its runs."""
        if self.clean:
            counts = ((len(self.systems), "run"), (self.topics, "topic"), (self.judgments, "judgment"))
            return f"clean: {', '.join(plural(*count) for count in counts)}, nothing odd"
        lines = []
        for finding in self.findings:
            lines.append(f"{finding.severity:<6}  {finding.message}")
            lines += [f"{'':<6}    {line}" for line in finding.each()] if every_run else []
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def _listed(numbers: Mapping[str, Any]) -> str:
    return ", ".join(f"{key.replace('_', ' ')} {_short(value)}" for key, value in numbers.items())


def _short(value: Any) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) and not value.is_integer() else f"{value}".removesuffix(".0")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if value != value else value
