"""Findings of a validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from rankscope.errors import output, plural
from rankscope.formatting import visible
from rankscope.layout import Block, Layer, Toned, fitted
from rankscope.results import Layered, finite, plain

Severity: TypeAlias = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")

NOTICEABLE = 0.05  # Sparck Jones (1974): smaller differences are to be disregarded
VISIBLE = 0.01  # the last digit of tables with two decimals
_COUNTS = ("documents", "first_unjudged_rank")  # numbers of runs that are medians of whole numbers


def severity(shift: float) -> Severity:
    """Severity of a finding by how far a mean moves, or could move."""
    return "high" if shift >= NOTICEABLE else "medium" if shift >= VISIBLE else "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding: input that is legal but odd.

    kind      name of the check, words joined by hyphens
    systems   the runs concerned, worst first; none where it is a finding about the judgments
    what      what is odd, and in which runs, in a sentence
    effect    what it changes, in sentences
    cure      what to do about it, in a sentence; empty where there is nothing to do
    numbers   `shift` is how far a mean moves or could move, `runs` has the numbers of each run
    top       runs among the best that it concerns
    about     what this kind of finding is, and how to read it
    brief     what is odd, in one clause
    """

    kind: str
    severity: Severity
    systems: tuple[str, ...]
    what: str
    effect: str
    cure: str
    numbers: dict[str, Any]
    top: tuple[str, ...] = ()
    about: tuple[str, ...] = field(default=(), repr=False)
    brief: str = field(default="", repr=False)

    @property
    def title(self) -> str:
        """The kind in words."""
        return self.kind.replace("-", " ")

    @property
    def message(self) -> str:
        """What, effect and cure in one line."""
        return " ".join(filter(None, (self.what, self.effect, self.cure)))

    def each(self) -> list[str]:
        """One line per run, with its numbers, or per group of runs."""
        if "groups" in self.numbers:
            return [" = ".join(group) for group in self.numbers["groups"]]
        runs = self.numbers.get("runs", {name: {} for name in self.systems})
        return [": ".join([name, *filter(None, [_listed(numbers)])]) for name, numbers in runs.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings(Layered):
    """Findings about a collection, worst first, and the size of what was checked.

    best     the best runs by the mean of a measure: ten where there are 20 or more, else the leader
    measure  that measure
    """

    findings: tuple[Finding, ...]
    systems: tuple[str, ...]
    n_topics: int
    n_judgments: int
    read_as: str
    best: tuple[str, ...]
    measure: str

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
            "best": list(self.best),
            "measure": self.measure,
            "findings": [
                {"kind": f.kind, "severity": f.severity, "systems": list(f.systems), "what": f.what,
                 "effect": f.effect, "cure": f.cure, "message": f.message, "top": list(f.top),
                 "numbers": finite(plain(f.numbers))}
                for f in self.findings
            ],
        }  # fmt: skip

    def table(self) -> tuple[list[str], list[list[str]]]:
        return ["severity", "finding"], [[f.severity, f.message] for f in self.findings]

    def blocks(self, layer: Layer) -> list[Block]:
        """Short: worst first, those about the best runs before others. Full: worst first, with every run."""
        counts = (len(self.systems), "run"), (self.n_topics, "topic"), (self.n_judgments, "judgment")
        checked = ", ".join(plural(*count) for count in counts)
        if self.clean:
            return [Block("", [Toned(f"Nothing odd in {checked}.", "holds")])]
        listed = [f"{n} {s}" for s in SEVERITIES if (n := sum(f.severity == s for f in self.findings))]
        head = Block("", [Toned(f"{plural(len(self), 'finding')} in {checked}: {', '.join(listed)}.", "strong")])
        last = [self._top()] if self.best else []
        if layer != "short":
            return [head, *map(_whole, self.findings), *(Block("", [line]) for line in last)]
        worst_first = sorted(self.findings, key=lambda f: (SEVERITIES.index(f.severity), not f.top))

        def with_details(count: int) -> list[Block]:
            lines = [
                _toned(f, f"{f.severity}: {f.message if at < count else _clause(f)}")
                for at, f in enumerate(worst_first)
            ]
            further = [f"Next: {output('full')} has every run, its numbers and what to do.", *last]
            return [head, Block("", lines), Block("", further)]

        return fitted(with_details, len(worst_first), least=0)

    def _top(self) -> str:
        """Which findings concern the best runs, in sentences."""
        several = len(self.best) > 1
        who = f"the {len(self.best)} best runs by {self.measure}"
        who = who if several else f"the best run by {self.measure}, {visible(self.best[0])}"
        of_best = [f for f in self.findings if f.top]
        if not of_best:
            return f"None of these concerns {who}."
        names = ", ".join(f"{f.title} ({len(f.top)} of them)" if several else f.title for f in of_best)
        others = len(self) - len(of_best)
        rest = f" {plural(others, 'other')} {'do' if others > 1 else 'does'} not." if others else ""
        return f"{'These concern' if len(of_best) > 1 else 'This concerns'} {who}: {names}.{rest}"


def _whole(finding: Finding) -> Block:
    """A finding with all its runs."""
    lines = [finding.what, finding.effect, finding.cure, *(f"  {line}" for line in finding.each())]
    return Block(_title(finding), list(filter(None, lines)), finding.about)


def _clause(finding: Finding) -> str:
    """A finding in one clause with its mark."""
    return finding.brief if finding.brief.endswith("?") else f"{finding.brief}."


def _title(finding: Finding) -> str:
    numbers = finding.numbers
    runs = f" in {numbers['count']} of {plural(numbers['among'], 'run')}" if "among" in numbers else ""
    return f"{finding.severity}: {finding.title}{runs}"


def _toned(finding: Finding, line: str) -> str:
    return Toned(line, "changes") if finding.severity == "high" else line


def _listed(numbers: Mapping[str, Any]) -> str:
    return ", ".join(f"{key.removeprefix('n_').replace('_', ' ')} {_short(key, x)}" for key, x in numbers.items())


def _short(key: str, value: Any) -> str:
    if value is None or value != value:
        return "undefined"
    return (
        f"{value:.4f}"
        if isinstance(value, float) and key not in _COUNTS
        else f"{value:g}"
        if key in _COUNTS
        else f"{value}"
    )
