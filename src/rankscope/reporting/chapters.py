"""Parts of the page: paragraphs, tables and figures under a heading, made from results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.comparisons import Comparison, Leaderboard, evidence
from rankscope.comparisons.holes import judged_shares, warning_lines
from rankscope.comparisons.scored import cutoff_of
from rankscope.comparisons.slices import Slices
from rankscope.figures import names
from rankscope.formatting import minus_signs, plain, visible
from rankscope.judged import Judged
from rankscope.judged.subsets import with_systems
from rankscope.layout import Block, Drawing, Table
from rankscope.measures import Scores, measure
from rankscope.reporting.bars import Bar, Scale
from rankscope.reporting.charts import Drawn, all_drawn, slug
from rankscope.reporting.first_screen import LEAD_WORDS, board_bar
from rankscope.results import Layered, csv_text
from rankscope.studies import Scorecard, Study
from rankscope.validation import Findings

FIRST_ROWS = 20  # of the leaderboard, before a reader asks for all
TOPICS = 7000  # rows of a CSV by topic, and topics of the explorer
ROWS = 60  # of a table that is shown whole; the rest is in its CSV
_NUMBER = re.compile(r"|none|(?:(?:[≈<>]|below|over|about) )?\[?[-+]?\d[-+\d.,e% ]*\]?")  # or an interval, or none
_ENDS = re.compile(_NUMBER.pattern + r"|[-+]?\d[-\d.,e]* to [-+]?\d[-\d.,e]*")  # the same, or "0.1 to 0.2"
JUDGED_DEPTH = 10  # of the column of judged documents where the measure names no rank
PAIR = ("strips", "differences", "metric map", "dominance", "choices")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBlock:
    """A table: text in cells, and the same with all digits as CSV.

    text    which columns are no numbers
    names   the column of systems, if any
    hidden  rows that are in the CSV alone
    more    further tables on the same question
    how     what the table is and how to read it
    """

    key: str
    title: str
    caption: str
    header: list[str]
    rows: list[list[str]]
    csv: str
    text: list[bool]
    names: int | None = None
    hidden: int = 0
    more: Sequence[TableBlock] = ()
    how: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A heading and what stands under it: sentences, tables, figures, and notes under headings of their own.

    label  name in the list of parts; the title where it is empty
    """

    key: str
    title: str
    label: str = ""
    lines: Sequence[str] = ()
    grids: Sequence[TableBlock] = ()
    figures: Sequence[Drawn] = ()
    notes: Sequence[tuple[str, Sequence[str]]] = ()
    board: Board | None = None


def grid(
    key: str,
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    csv: str,
    *,
    caption: str = "",
    **more: Any,
) -> TableBlock:
    """A table whose texts a page can hold."""
    cells = [[plain(cell) for cell in row] for row in rows]
    text = [
        not all(map((_ENDS if place else _NUMBER).fullmatch, column))  # the first column names rows
        for place, column in enumerate(zip(*cells, strict=True))
    ]
    shown = [[cell if text[c] else minus_signs(cell) for c, cell in enumerate(row)] for row in cells]
    return TableBlock(
        key=slug(key), title=visible(title), caption="\n".join(map(visible, caption.split("\n"))),
        header=[minus_signs(name) if name in ("B - A", "b - a") else plain(name) for name in header],
        rows=shown, csv=plain(csv), text=text, **more,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumn:
    """A column of the leaderboard; `text` is no number, `best` is "descending" where more is better.

    about  what the name means
    """

    name: str
    text: bool = False
    best: str = "descending"
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The leaderboard: one row per system with its dot and interval, then numbers.

    columns  of the cells; the dots stand after the second
    scales   of all rows, and of the first ones, which are shown first
    """

    columns: list[BoardColumn]
    rows: list[list[str]]
    bars: list[Bar]
    scales: list[Scale]
    legend: list[tuple[str, str]]
    csv: str
    latex: str
    first_rows: int = FIRST_ROWS


def leaderboard_chapter(ranking: Leaderboard, judged: Judged, *, warned: bool = False) -> Chapter:
    """The leaderboard with dots, what its marks mean, and the method.

    warned  whether it warns of unjudged documents, which else the first screen does
    """
    notes = [visible(line) for line in ranking.caption().splitlines()[1:-1]]
    notes = [
        line.replace(
            "places: the ranks that the same comparisons do not",
            "possible ranks: the ranks of a system that the comparisons of all pairs do not",
        )
        .replace("groups and places", "which systems are told apart")
        .replace("places:", "possible ranks:")
        for line in notes
        if not line.startswith(("group:", "* "))
    ]  # letters of groups gave way to a choice of the reader
    board = _board(ranking, judged)
    explained = [f"{column.name}: {column.about}" for column in board.columns if column.about]
    warnings = warning_lines(ranking.holes) if warned else []
    return Chapter(key="leaderboard", title="Leaderboard", lines=[*explained, *notes, *warnings], board=board)


def _board(ranking: Leaderboard, judged: Judged) -> Board:
    header, rows = ranking.table()
    after = header.index(ranking.interval) + 1
    against = slice(after, len(header) - len(ranking.also))
    depth = cutoff_of(measure(ranking.measure))
    shares: list[float] = []  # none of lists without unjudged documents
    if judged.rules.unjudged == "keep":
        own = ranking.judged if depth else judged_shares(with_systems(judged, ranking.systems), JUDGED_DEPTH)
        shares = [] if own is None else own.tolist()
    depth = depth or JUDGED_DEPTH
    about_judged = f"share of the documents at ranks 1 to {depth} that are judged, on all topics together"
    columns = [
        BoardColumn(name="rank", best="ascending"), BoardColumn(name="system", text=True, best="ascending"),
        *(BoardColumn(name=name) for name in (ranking.measure, *ranking.also)),
        *([BoardColumn(name=f"judged@{depth}", about=f"{about_judged}; the others are unjudged.")] if shares else []),
        BoardColumn(name="possible ranks", best="ascending"),
        *(BoardColumn(name=name or "shown", text=not name, best="ascending" if name[:2] == "p " else "descending")
          for name in header[against]),
    ]  # fmt: skip
    cells = []
    for s, (name, row) in enumerate(zip(ranking.systems, rows, strict=True)):
        means = [float(ranking.mean[s]), *ranking.also_mean[:, s].tolist()]
        possible = "\N{EN DASH}".join(map(str, dict.fromkeys([ranking.best[s], ranking.worst[s]])))
        cells.append([
            f"{s + 1}", plain(name), *("\N{EN DASH}" if mean != mean else f"{mean:.4f}" for mean in means),
            *([_judged_share(shares[s])] if shares else []), possible, *map(minus_signs, row[against]),
        ])  # fmt: skip
    ends = np.stack([ranking.lower, ranking.mean, ranking.upper])
    scales = [Scale.of(ends[:, :shown].ravel().tolist(), ranking.range) for shown in (ends.shape[1], FIRST_ROWS)]
    bars = [board_bar(ranking, scales[0], s) for s in range(len(ranking.systems))]
    kinds = {bar.kind for bar in bars} if len(bars) > 2 else set()
    return Board(
        columns=columns, rows=cells, bars=bars, scales=scales,
        legend=[(kind, words) for kind, words in LEAD_WORDS.items() if kind in kinds],
        csv=plain(csv_text(ranking.columns())), latex=plain(ranking.to_latex()),
    )  # fmt: skip


def _judged_share(share: float) -> str:
    """A share in per cent, to 100 only where nothing is unjudged.

    >>> _judged_share(0.99999), _judged_share(1.0)
    ('99.9 %', '100.0 %')
    """
    return f"{100 * share if share == 1 else min(100 * share, 99.9):.1f} %"


def means_chapter(scores: Scores, why: str) -> Chapter:
    """Means alone, where systems cannot be ranked."""
    means = scores.mean()
    board = grid("leaderboard", "Leaderboard", *means.table(), csv_text(means.columns()), names=0)
    return Chapter(key="leaderboard", title="Leaderboard", lines=[visible(why)], grids=[board])


def findings_csv(findings: Findings) -> str:
    """Findings as CSV, the systems of each in one cell."""
    columns = findings.columns()
    columns["systems"] = [" ".join(systems) for systems in columns["systems"]]
    return plain(csv_text(columns))


def comparison_chapter(comparison: Comparison) -> Chapter:
    """Everything that is said and drawn of two systems."""
    a, b = comparison.systems
    header, rows = comparison.table()
    header = [
        "metric",
        *header[1:3],
        "B - A",
        *header[4:-1],
    ]  # of a paper's table, all but the marks that its caption explains
    columns = comparison.columns()
    by_topic, count = {name: column[:TOPICS] for name, column in columns.items()}, len(columns["topic"])
    caption = "The CSV has one row per topic."
    if count > TOPICS:
        caption = f"The CSV has the {TOPICS:,} of {count:,} topics that change most; rankscope compare --csv has all."
    shown = [row[:-1] for row in rows]
    grids = [grid("comparison", f"{a} (A) and {b} (B)", header, shown, csv_text(by_topic), caption=caption)]
    blocks = evidence.evidence(replace(comparison, slices=None))[1:]  # slices have a chapter of their own
    tables, notes = _cards("comparison", blocks)
    return Chapter(
        key="comparison",
        title=visible(f"{a} against {b}"),
        label="Comparison",
        lines=[visible(comparison.sentence())],
        grids=[*grids, *tables],
        figures=all_drawn(comparison, list(PAIR), "pair"),
        notes=notes,
    )


def result_chapter(key: str, title: str, label: str, *results: Layered) -> Chapter:
    """The evidence of results as it is printed: the answers, one card per question, and their figures."""
    lines: list[str] = []
    grids: list[TableBlock] = []
    figures: list[Drawn] = []
    notes: list[tuple[str, list[str]]] = []
    for place, result in enumerate(results):
        answer, *blocks = result.blocks("full")
        own = f"{key}-{place}" if place else key
        tables, words = _cards(own, blocks, explained=True)
        lines += [visible(part) for part in answer.parts if isinstance(part, str)]
        grids += tables
        figures += all_drawn(result, names(result), own)
        notes += words
    return Chapter(key=key, title=title, label=label, lines=lines, grids=grids, figures=figures, notes=notes)


def slices_chapter(comparison: Comparison, groups: Slices, remarks: Sequence[str] = ()) -> Chapter:
    """A comparison by slices of topics: whether the difference depends on them, one row per slice, and figures."""
    a, b = comparison.systems
    block = evidence.slices_block(groups)
    card = grid(
        "slices", f"{a} (A) and {b} (B)", *groups.rows(), csv_text(groups.columns()), caption=groups.note(),
        how=list(map(visible, block.explanation)),
    )  # fmt: skip
    picked = (comparison.sentence(), *remarks) if remarks else ()  # a planned pair has a chapter that says it
    compared = f"{b} (B) is compared with {a} (A). {groups.dependence()}"
    return Chapter(
        key="slices", title=visible(block.title), label="Slices",
        lines=list(map(visible, (*groups.alarms(), compared, *picked))),
        grids=[card],
        figures=all_drawn(groups, names(groups), "slices") + all_drawn(comparison, ["attribute"], "slices"),
    )  # fmt: skip


def _cards(
    key: str, blocks: Sequence[Block], *, explained: bool = False
) -> tuple[list[TableBlock], list[tuple[str, list[str]]]]:
    """Printed blocks as cards: those with tables, whose lines are captions; and the others, as notes."""
    grids, notes = [], []
    for number, block in enumerate(blocks, 1):
        tables: list[tuple[Table, list[str]]] = []
        before: list[str] = []
        for part in block.parts:
            if isinstance(part, Table):
                tables.append((part, []))
            elif not isinstance(part, Drawing):
                (tables[-1][1] if tables else before).append(visible(part))
        if not tables:
            notes.append((visible(block.title), before))
            continue
        tables[0][1][:0] = before
        cards = [
            grid(f"{key}-{number}" + (f"-{place}" if place else ""), block.title, table.header, table.rows[:ROWS],
                 csv_text({name: [row[i] for row in table.rows] for i, name in enumerate(_columns(table))}),
                 caption="\n".join(lines), hidden=max(0, len(table.rows) - ROWS))
            for place, (table, lines) in enumerate(tables)
        ]  # fmt: skip
        how = list(map(visible, block.explanation)) if explained else []
        grids.append(replace(cards[0], more=cards[1:], how=how))
    return grids, notes


def _columns(table: Table) -> list[str]:
    """Names of the columns; numbers where it has none."""
    return unlike(table.header) or [str(i + 1) for i in range(len(table.rows[0]) if table.rows else 0)]


def unlike(names: Sequence[str]) -> list[str]:
    """Names of columns without repetition: one that is there already has the one before it in front.

    >>> unlike(["tau", "interval", "top", "interval"])
    ['tau', 'interval', 'top', 'top interval']
    """
    found: list[str] = []
    for i, name in enumerate(names):
        found.append(f"{names[i - 1]} {name}" if name in found else name)
    return found


def study_chapter(study: Study) -> Chapter:
    """Tables, figures and words of a study; of a scorecard, also of the studies behind it."""
    key = f"study-{study.name}"
    grids = _grids(study, key)
    figures = all_drawn(study, names(study), key)
    if isinstance(study, Scorecard):
        for name, part in study.studied.items():
            figures += all_drawn(part, names(part), f"{key}-{name}")
            grids += _grids(part, f"{key}-{name}", first_only=True)
    return Chapter(
        key=slug(key),
        title=visible(study.name.capitalize()),
        lines=[visible(line) for line in study.summary().splitlines()],
        grids=grids,
        figures=figures,
    )


def _grids(study: Study, key: str, *, first_only: bool = False) -> list[TableBlock]:
    blocks = []
    for name, table in study.tables().items():
        header, rows = table.table()
        if not rows:
            continue
        blocks.append(
            grid(f"{key}-{name}", name.capitalize(), header, rows[:ROWS], csv_text(table.columns()),
                 caption=" ".join(table.caption.split()), hidden=max(0, len(rows) - ROWS))
        )  # fmt: skip
        if first_only:
            break
    return blocks
