"""Metrics and preference methods side by side: what several studies say of each, in one row.

No single number ranks metrics here. A scorecard says which differences are beyond the sampling of topics, whose numbers
are behind another's in every column, and where topics or systems are too few to say much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np

from rankscope import layout
from rankscope.errors import output, plural
from rankscope.formatting import markdown, visible
from rankscope.layout import Block, Layer, Toned, fitted
from rankscope.preferences.all_pairs import Method
from rankscope.statistics import letters
from rankscope.studies.base import Study, Table, extent, joined, threshold
from rankscope.studies.columns import COLUMNS, PARTS, Column, MetricDifference

NAMED = 6  # measures that a short sentence names
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
    offer        the documented threshold of a known data set, where a measure has another one
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
    offer: str = ""
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
        leading = self._leading(record)
        behind = {name for d in self.differences if d.column == column and d.favours in leading
                  for name in (d.first, d.second) if name != d.favours}  # fmt: skip
        other = {name: BEHIND if name in behind else LEVEL if record.test else UNTESTED for name in self._known(record)}
        return {name: LEADS if name in leading else standing for name, standing in other.items()}

    def tables(self) -> dict[str, Table]:
        """scorecard: one row per candidate. differences: one row per pair that differs significantly."""
        s, shown = self.settings, self._shown()
        sentences = [*map(self._caption, shown), *self._without()]
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
        answer = [self.answer()] if self._compared() else []
        sentences = [*self._leaders(), *self._dominated(), *answer]
        return joined([*self._cautions(), *sentences, *self.notes])

    def blocks(self, layer: Layer) -> list[Block]:
        """Short: the answer, the numbers, and what each column means. Full: one block per question."""
        return fitted(self._short, len(self.candidates)) if layer == "short" else self._full()

    def _short(self, rows: int) -> list[Block]:
        """The short layer with so many measures; those that another measure leaves behind give way first."""
        columns, behind = self._directed(), self.behind()
        by_need = sorted(range(len(self.candidates)), key=lambda i: (bool(behind[self.candidates[i]]), i))
        kept = sorted(by_need[:rows])
        shown = [*columns, *(c for c in self._shown() if c.heading == "prefers" or not columns)]
        width = max((len(column.heading) for column in shown), default=0)
        meanings = [f"{c.heading:<{width}}  {c.meaning}{self._best_of(c) if c.better else ''}" for c in shown]
        left_out = len(self.candidates) - rows
        more = [f"({plural(left_out, 'more measure')}: {output('full')})"] if left_out else []
        offer = self.offer.splitlines()
        return [
            Block("", [*self._cautions(), Toned(self.answer(named=NAMED), "strong")]),
            Block("", [self._table(shown, kept), *more]),
            Block("", [*meanings, *self._methods(), *self._without(), self._tested(), *offer, _next()]),
        ]

    def _full(self) -> list[Block]:
        """The full layer: one block per question."""
        columns = self._directed()
        kinds = [c for c in self._shown() if c not in columns and c.heading != "prefers"]
        favoured = [c for c in self._shown() if c.heading == "prefers"]
        limits = [*self.offer.splitlines(), *self._without(), *self.notes]
        extents = f"{extent(self.settings)}{threshold(self.settings)}."
        blocks = [Block("", [*self._cautions(), Toned(self.answer(), "strong")])]
        for title, part in (
            ("How good is each measure here?", columns),
            ("What kind of number is each measure?", kinds),
            ("What does each measure favour?", favoured),
        ):
            if part:
                blocks.append(Block(title, [self._table(part), *map(self._caption, part)], _READ[title]))
        for title, lines in (
            ("Which measure leads, and which differences are significant?", self._leaders()),
            ("Is another measure at least as good in every column?", self._dominated()),
            ("What limits these numbers?", [extents, *limits]),
        ):
            if lines:
                blocks.append(Block(title, lines, _READ[title]))
        return blocks

    def _compared(self) -> bool:
        """Whether measures can be compared over several columns."""
        return len(self._directed()) > 1 and len(self.candidates) > 1

    def _methods(self) -> list[str]:
        """What the preference methods are, in a sentence."""
        methods = [name for name in self.candidates if name.split("@")[0] in get_args(Method)]
        names = [*methods, *(["IPSO"] if "ipso" in self.rows else [])]
        return [f"{', '.join(names)}: compare two lists without a metric."] if methods else []

    def _shown(self) -> list[Column]:
        """The columns of this scorecard."""
        return [column for column in COLUMNS if column.heading in self.rows]

    def _caption(self, column: Column) -> str:
        return f"{column.heading}: {column.caption.format(**self.settings['columns'][column.part])}"

    def _without(self) -> list[str]:
        """Studies that this collection has too little for, and measures that cannot be computed on it, and why."""
        named: dict[str, str] = {c.part: c.heading or c.part for c in COLUMNS if c.part in self.missing}
        named |= {name: name for name in self.missing if name not in PARTS}
        return [f"{name}: none here: {self.missing[part]}." for part, name in named.items()]

    def _table(self, columns: list[Column], rows: list[int] | None = None) -> layout.Table:
        """Columns of some measures as text; the best numbers of a column are the strong ones."""
        formats = {column.heading: ".2f" for column in columns if column.percent}
        values = {"measure": list(self.candidates), **{c.heading: self.rows[c.heading] for c in columns}}
        header, cells = Table(values=values, caption="", formats=formats).table()
        for at, column in enumerate(columns, 1):
            if rows is not None and column.heading == "prefers":  # in the short layer without the numbers
                for row in cells:
                    row[at] = ", ".join(part.split(" (")[0] for part in row[at].split(", "))
            if column.better:
                for name in self._leading(column):
                    row = cells[self.candidates.index(name)]
                    row[at] = Toned(row[at], "strong")
        kept = range(len(cells)) if rows is None else rows
        words = [at for at, column in enumerate(columns, 1) if not column.better]
        for at in words:  # flush left
            width = max(len(row[at]) for row in (header, *cells))
            for row in (header, *cells):
                row[at] = row[at].ljust(width)
        return layout.Table(header, [cells[i] for i in kept], optional=words[::-1])

    def answer(self, named: int | None = None) -> str:
        """The measures that no other leaves behind, in one or two sentences; names of so many of them."""
        columns = self._directed()
        if not columns:
            return "No column here says that one measure is better than another."
        if not self._compared():
            return visible(" ".join(f"{column.heading}: {self._lead(column)}" for column in columns))
        behind = self.behind()
        known = [
            name for i, name in enumerate(self.candidates)
            if not any(np.isnan(_number(self.rows[column.heading][i])) for column in columns)
        ]  # fmt: skip
        free = [name for name in known if not behind[name]]
        after = [name for name in known if behind[name]]
        unknown = [name for name in self.candidates if name not in known]
        sentences = []
        if free:
            sentences.append(
                f"{_listed(free, named)}: no other measure here did at least as well in every column and better in one."
            )
        if after:
            sentences.append(f"{_listed(after, named)}: another measure did. {self._shown_behind()}")
        if unknown:
            sentences.append(f"{_listed(unknown, named)}: not compared, for want of a number in some column.")
        return visible(" ".join(sentences))

    def _shown_behind(self) -> str:
        """Which differences to measures that did at least as well in every column are significant, in a sentence."""
        columns = self._directed()
        behind = {column for by in self.behind().values() for tested in by.values() for column in tested}
        if not any(column.test for column in columns):
            return "These differences have no test here."
        shown = " and ".join(column.heading for column in columns if column.heading in behind)
        if not shown:
            return "No such difference is significant."
        return f"The significant ones of these differences are all in {shown}."

    def _cautions(self) -> list[Toned]:
        return [Toned(f"Caution: {text}.", "undecided") for text in self.warnings]

    def _leaders(self) -> list[str]:
        """Leaders of each column and the significant differences in it, in sentences."""
        columns = self._directed()
        lines = [f"{column.heading}: {self._lead(column)}{self._letters(column)}" for column in columns]
        for why in dict.fromkeys(column.untested for column in columns if column.untested):
            untested = " and ".join(column.heading for column in columns if column.untested == why)
            lines.append(f"Differences in {untested} have no test here: they are {why}.")
        return lines

    def _dominated(self) -> list[str]:
        """For each measure with others that are at least as good in every column: those others, in a sentence."""
        lines = []
        for candidate, by in self.behind().items():
            others = [f"{other} ({_significant(tested)})" for other, tested in by.items()]
            if others:
                verb = "is" if len(others) == 1 else "are"
                lines.append(f"{candidate}: {', '.join(others)} {verb} at least as good in every column.")
        return lines

    def _tested(self) -> str:
        """What was studied, and how many differences are significant, in short."""
        parts, size = [], f"{extent(self.settings)}{threshold(self.settings)}."
        for column in self._directed():
            if column.test and (pairs := self._pairs(column)):
                parts.append(f"{self._beyond(column)} of {pairs} in {column.heading}")
        untested = [column.heading for column in self._directed() if not column.test]
        tests = [f"Significant differences (p < {self.alpha:g}): {', '.join(parts)}."] if parts else []
        tests += [f"No test: {', '.join(untested)}."] if untested else []
        return " ".join([size, *tests])

    def _directed(self) -> list[Column]:
        """The columns in which a candidate can be better."""
        return [column for column in COLUMNS if column.better and column.heading in self.rows]

    def _known(self, column: Column) -> dict[str, float]:
        """The numbers of a column, by the measures that have one."""
        values = zip(self.candidates, map(_number, self.rows[column.heading]), strict=True)
        return {name: value for name, value in values if not np.isnan(value)}

    def _leading(self, column: Column) -> list[str]:
        """The measures with the best number of a column."""
        values = self._known(column)
        best = max((column.better * value for value in values.values()), default=0.0)
        return [name for name, value in values.items() if column.better * value >= best - 1e-9]

    def _lead(self, column: Column) -> str:
        """Leaders of a column, in a sentence."""
        leading = self._leading(column)
        if not leading:
            return "no measure has a number."
        number = column.text(self._known(column)[leading[0]])
        return f"{', '.join(leading)} lead{'s' * (len(leading) == 1)} ({number})."

    def _best_of(self, column: Column) -> str:
        """Leaders of a column, in a few words."""
        leading = self._leading(column)
        if len(leading) == len(self._known(column)) > 1:
            return "; all equal"
        end = "highest" if column.better > 0 else "lowest"
        return f"; {end}: {_listed(leading, 2 if len(leading) < 3 else 1)}" if leading else ""

    def _pairs(self, column: Column) -> int:
        """Number of pairs of measures with a number in a column."""
        count = len(self._known(column))
        return count * (count - 1) // 2

    def _beyond(self, column: Column) -> int:
        """Number of pairs of measures that differ significantly in a column."""
        values = self._known(column)
        return sum(d.column == column.heading and d.first in values and d.second in values for d in self.differences)

    def _letters(self, column: Column) -> str:
        """Significant differences in a column, in sentences; nothing without a test."""
        pairs, beyond, value = self._pairs(column), self._beyond(column), self._known(column)
        if not column.test or not pairs:
            return ""
        how = f"p < {self.alpha:g} {column.test}"
        if beyond == 0:
            return f" No difference is significant ({how})."
        if beyond == pairs:
            return f" All differences are significant ({how})."
        names = list(value)
        apart = np.ones((len(names), len(names)))
        for d in self.differences:
            if d.column == column.heading and d.first in value and d.second in value:
                i, j = names.index(d.first), names.index(d.second)
                apart[i, j] = apart[j, i] = 0.0
        shown = letters(apart, location=[column.better * x for x in value.values()], systems=names)
        marks = ", ".join(f"{shown.systems[s]} {shown.letters[s]}" for s in shown.ranked)
        return (
            f" {beyond} of {pairs} differences {'are' if beyond > 1 else 'is'} significant ({how}). Measures "
            f"that differ share no letter: {marks}."
        )


def _next() -> str:
    return f"Next: take the measure that prefers what your users want; {output('full')} has the tests."


_READ = {
    "How good is each measure here?": (
        "One row per measure. All columns come from this collection alone.",
        "A measure can lead in one column and be last in another. More power does not make a measure right.",
    ),
    "What kind of number is each measure?": (
        "These columns follow from the definition of the measure, whatever the collection.",
        "On an interval or ratio scale equal steps of the score mean the same; whether means need that is disputed.",
    ),
    "What does each measure favour?": (
        "Of two rankings that two measures order differently, this is what the preferred one has more often.",
        "Choose the measure that favours what your users want: numbers alone cannot tell.",
    ),
    "Which measure leads, and which differences are significant?": (
        "Significant differences are not explained by the sampling of topics alone. Other systems are another matter.",
        "Letters: two measures that share a letter are not told apart.",
    ),
    "Is another measure at least as good in every column?": (
        "In brackets: the columns in which the test shows the difference.",
        "Without a significant difference, another sample of topics may turn the order.",
    ),
    "What limits these numbers?": (
        "Numbers of few topics or systems move much from one sample to the next.",
        "Topics that are left out are left out for all measures, so that all have the same.",
    ),
}


def _listed(names: list[str], named: int | None = None) -> str:
    """Names, or the first of them and how many there are more."""
    if named is None or len(names) <= named + 1:  # one name takes no more room than "1 more"
        return ", ".join(names)
    return f"{', '.join(names[:named])} and {len(names) - named} more"


def _significant(columns: tuple[str, ...]) -> str:
    return f"significant: {', '.join(columns) or 'none'}"


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
