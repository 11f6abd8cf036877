"""Metrics and preference methods side by side: what several studies say of each, in one row.

No single number ranks metrics here. A scorecard says which differences are beyond the sampling of topics, whose numbers
are behind another's in every column, and where topics or systems are too few to say much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankscope.formatting import markdown
from rankscope.statistics import letters
from rankscope.studies.base import Study, Table, extent, threshold
from rankscope.studies.columns import COLUMNS, PARTS, Column, MetricDifference

LEADS, LEVEL, BEHIND, UNTESTED = "leads", "not told apart from it", "behind it", "no test"
"""Standing of a candidate to the leaders of a column."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scorecard(Study):
    """One row per metric or method.

    rows         columns by name; what was not studied, or cannot be said of a method, is None
    differences  pairs of candidates with p below alpha in a column that has a test
    studied      results of the studies behind it, by name
    missing      why a study could not be done, or a measure not be computed here, by name
    warnings     why these numbers may say little
    read_as      formats of judgments and runs, in words
    """

    rows: Mapping[str, list[Any]]
    differences: tuple[MetricDifference, ...] = field(repr=False)
    studied: Mapping[str, Study] = field(repr=False)
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    alpha: float
    settings: Mapping[str, Any] = field(repr=False)
    name: str = "scorecard"
    read_as: str = ""
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def candidates(self) -> tuple[str, ...]:
        """Metrics and methods."""
        return tuple(self.rows["candidate"])

    def behind(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """By candidate, the others whose numbers are at least as good in every column and better in one.

        These are point estimates. For each of them, the columns in which the difference is significant; there may be
        none.
        """
        columns = [column.heading for column in self._directed()]
        value = np.array([[_number(x) * c.better for x in self.rows[c.heading]] for c in self._directed()])
        tested = {(d.column, d.favours, *sorted((d.first, d.second))) for d in self.differences}
        behind: dict[str, dict[str, tuple[str, ...]]] = {}
        for i, candidate in enumerate(self.candidates):
            over = [
                other
                for j, other in enumerate(self.candidates)
                if len(columns) > 1
                and not np.isnan(value[:, [i, j]]).any()
                and (value[:, j] >= value[:, i]).all()
                and (value[:, j] > value[:, i]).any()
            ]
            behind[candidate] = {
                other: tuple(c for c in columns if (c, other, *sorted((candidate, other))) in tested) for other in over
            }
        return behind

    def standings(self, column: str) -> dict[str, str]:
        """By candidate with a value in a column that has a better end: how it stands to the leaders, in words."""
        record = next(record for record in self._directed() if record.heading == column)
        values = zip(self.candidates, self.rows[column], strict=True)
        goodness = {name: record.better * value for name, value in values if value is not None}
        best = max(goodness.values(), default=0.0)
        leading = {name for name, value in goodness.items() if value >= best - 1e-9}
        behind = {name for d in self.differences if d.column == column and d.favours in leading
                  for name in (d.first, d.second) if name != d.favours}  # fmt: skip
        other = {name: BEHIND if name in behind else LEVEL if record.test else UNTESTED for name in goodness}
        return {name: LEADS if name in leading else standing for name, standing in other.items()}

    def tables(self) -> dict[str, Table]:
        """scorecard: one row per candidate. differences: one row per pair that differs significantly."""
        s, shown = self.settings, [column for column in COLUMNS if column.heading in self.rows]
        sentences = [
            f"{c.heading}: {c.caption.format(**s['columns'][c.part])}" if c in shown else
            f"{c.heading or c.part}: none here: {self.missing[c.part]}."
            for c in COLUMNS if c in shown or c.part in self.missing
        ]  # fmt: skip
        sentences += [f"{name}: none here: {why}." for name, why in self.missing.items() if name not in PARTS]
        tests = [f"{c.heading} {c.test}" for c in shown if c.test]
        permutations = [f" ({s['columns'][c.part]['resamples']:,} permutations)" for c in shown if c.part == "ties"]
        keys = ("column", "first", "second", "favours", "difference", "pvalue")
        return {
            "scorecard": Table(
                values=self.rows,
                caption="\n".join([f"{extent(s)}{threshold(s)}.", *sentences]),
                left=sum(name in self.rows for name in ("candidate", "scale", "properties")),
                formats={column.heading: ".2f" for column in shown if column.percent},
            ),
            "differences": Table(
                values={key: [getattr(difference, key) for difference in self.differences] for key in keys},
                caption=f"Pairs that differ, p < {self.alpha:g}: "
                f"{'; '.join(tests) or 'no column has a test'}{''.join(permutations)}. A difference is second - first, "
                "and favours the better one.",
                left=4, formats={"pvalue": ".4g"},
            ),
        }  # fmt: skip

    def to_markdown(self, table: str | None = None) -> str:
        """A table as GitHub shows it; the scorecard with its summary, sentence by sentence."""
        shown = self.show(table).to_markdown()
        sentences = [] if table else ["", *(f"- {markdown(line)}" for line in self.summary().splitlines())]
        return "\n".join([shown, *sentences])

    def to_dict(self) -> dict[str, Any]:
        """Scorecard, differences, warnings and candidates behind others; tables of single studies come from these."""
        tables = self.tables()
        return {
            "study": self.name,
            "settings": dict(self.settings),
            "scorecard": tables["scorecard"].rows(),
            "differences": tables["differences"].rows(),
            "behind": {
                candidate: {other: list(columns) for other, columns in by.items()}
                for candidate, by in self.behind().items()
            },
            "missing": dict(self.missing),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "summary": self.summary(),
        }

    def summary(self) -> str:
        """Findings in sentences."""
        columns = self._directed()
        lines = [self._best(column) for column in columns]
        for why in dict.fromkeys(column.untested for column in columns if column.untested):
            untested = " and ".join(column.heading for column in columns if column.untested == why)
            lines.append(f"Differences in {untested} are not tested here: they are {why}.")
        if len(columns) > 1 and len(self.candidates) > 1:
            behind = self.behind()
            for candidate, by in behind.items():
                shown = [f"{other} (significant: {', '.join(tested) or 'none'})" for other, tested in by.items()]
                if shown:
                    lines.append(f"By its numbers, {candidate} is in no column ahead of {', '.join(shown)}.")
            free = [candidate for candidate, by in behind.items() if not by]
            lines.append(
                "By these numbers, no other is at least as good in every column and better in one than any of "
                f"{', '.join(free)}. Which of them suits is no matter of numbers alone: look at what they prefer, "
                "and what your users do."
            )
        return "\n".join([*lines, *(f"Caution: {text}." for text in self.warnings), *self.notes])

    def _directed(self) -> list[Column]:
        """The columns in which a candidate can be better."""
        return [column for column in COLUMNS if column.better and column.heading in self.rows]

    def _best(self, column: Column) -> str:
        """Leader of a column and the significant differences in it, in words."""
        value = {
            candidate: _number(x)
            for candidate, x in zip(self.candidates, self.rows[column.heading], strict=True)
            if not np.isnan(_number(x))
        }
        if not value:
            return f"{column.heading}: nothing to say."
        sign = column.better
        best = max(sign * x for x in value.values())
        leading = [candidate for candidate, x in value.items() if sign * x >= best - 1e-9]
        sentence = (
            f"{column.heading}: {', '.join(leading)} lead{'s' * (len(leading) == 1)} ({column.text(sign * best)})"
        )
        if not column.test:
            return f"{sentence}."
        names, count = list(value), len(value)
        apart = np.ones((count, count))
        for d in self.differences:
            if d.column == column.heading and d.first in value and d.second in value:
                i, j = names.index(d.first), names.index(d.second)
                apart[i, j] = apart[j, i] = 0.0
        pairs, beyond = count * (count - 1) // 2, int(np.count_nonzero(apart == 0.0)) // 2
        if not pairs:
            return f"{sentence}."
        how = f"p < {self.alpha:g} {column.test}"
        if beyond in (0, pairs):
            return f"{sentence}; {'all' if beyond else 'no'} differences are significant ({how})."
        shown = letters(apart, location=[sign * x for x in value.values()], systems=names)
        marks = ", ".join(f"{shown.systems[s]} {shown.letters[s]}" for s in shown.ranked)
        return (
            f"{sentence}; {beyond} of {pairs} differences {'are' if beyond > 1 else 'is'} significant ({how}), "
            f"{'those' if beyond > 1 else 'that'} without a shared letter: {marks}."
        )


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
