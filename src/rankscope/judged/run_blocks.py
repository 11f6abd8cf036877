"""One run, block by block: each block joined and ordered as a run of its own, no topic in two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np

from rankscope import kernels
from rankscope.arrays import PAD, Bools, Hashes, Ints, Text, cut, decoded, padded, size
from rankscope.errors import InputError, Problem
from rankscope.io.blocks import Block, Edge, last_line, text_blocks
from rankscope.io.columns import RunColumns, appended, lines_of, rows_of, with_own_text
from rankscope.io.formats import Format, Reading, detect, row_format
from rankscope.io.memory import resident, size_text
from rankscope.io.problems import Listed, RunProblems, count_lines
from rankscope.io.trec import comments_apart
from rankscope.judged.pool import Pool
from rankscope.judged.ranked import (
    Ranked,
    add_problems,
    first_topics,
    grouped_parts,
    joined_parts,
    nothing_in_common,
    problems_of,
    ranked_columns,
)
from rankscope.kernels import Order, Ordered

Piece: TypeAlias = tuple[RunColumns, bool]
"""Some rows of a run, and whether they are the last."""
_TOGETHER = "the lines of a topic have to stand together: sort it by topic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Room in memory: bytes of text in a block, rows of a table, cells that are scored at a time, and topics
    without judgments, which are remembered by a hash each.

    memory   bytes that the process may take
    taken    bytes that were taken before
    share    how many times a block there has to be room for
    deepest  documents of a list that can be scored
    """

    text: int
    rows: int
    cells: int
    others: int
    memory: int
    taken: int
    share: int
    deepest: int

    def needed(self, text: int) -> str:
        """Memory that a block of `text` bytes would take, in words."""
        return size_text(self.taken + (text + 1) * self.share)


def ranked_blocks(
    path: Path,
    reading: Reading,
    pool: Pool,
    order: Order,
    workers: int,
    room: Room,
    read: Callable[[int], None] | None = None,
) -> Iterator[Ranked]:
    """A run file in ranked order, some topics at a time. Raises InputError, with all problems, after the last.

    read  called with the number of bytes of the file that have been used
    """
    run = _Run(path, pool, order, workers, room)
    table = row_format(path, reading.format)
    if table is not None and table.rows is not None:
        yield from run.by_columns(
            table, run.within_memory(table.rows(path, max(1, room.rows // 4), read, reading.columns))
        )
    else:
        yield from run.by_text(reading, read)
    if not run.known:
        raise InputError(nothing_in_common(run.here, str(path), pool))


class _Run:
    """State of a run from block to block."""

    def __init__(self, path: Path, pool: Pool, order: Order, workers: int, room: Room) -> None:
        self.path, self.pool, self.order, self.workers, self.room = path, pool, order, workers, room
        self.place = str(path)
        self.here: list[str] = []  # some of its topics
        self.known = False  # whether one is judged
        self.plain = True  # whether its size on disk is that of its text
        self._judged: Bools = np.zeros(len(pool.topics), np.bool_)  # topics that were in earlier blocks
        self._others: Hashes = np.empty(0, np.uint64)
        self._comments: tuple[str, ...] = ()  # of blocks whose lists are not out yet

    def by_text(self, reading: Reading, read: Callable[[int], None] | None) -> Iterator[Ranked]:
        """Blocks of a file of text."""
        format: Format

        def edge(text: Text, ended: bool) -> Edge:
            nonlocal format
            lines_end = size(text) if ended else last_line(text) or size(text)
            format = reading.of(comments_apart(text[: lines_end + PAD])[0], "run", self.place)
            if format.edge is None and not ended:
                most = f"more than {size_text(self.room.text)} at once is too much"
                cause = f"{format.words} cannot be read in parts, and {most}"
                cure = "convert it to TREC text, JSON lines or Parquet where there is memory for it, or give more here"
                raise InputError(Problem(cause, cure, self.place))
            return format.edge or last_line

        blocks = text_blocks(self.path, self.room.text, edge, read)
        first = next(blocks)  # now its format is known
        self.plain = not first.packed
        blocks = chain([first], blocks)
        if format.fused:
            yield from self._by_lines(format, blocks)
        else:
            yield from self.by_columns(format, self._pieces(format, reading, blocks))

    def within_memory(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The pieces of a table; one whose first row group took more memory than is allowed is refused."""
        for number, piece in enumerate(pieces):
            if not number and resident() > self.room.memory:
                cause = f"reading {len(piece[0].doc):,} rows took more than {size_text(self.room.memory)}"
                raise InputError(Problem(cause, "write the table with smaller row groups", self.place))
            yield piece

    def _by_lines(self, format: Format, blocks: Iterator[Block]) -> Iterator[Ranked]:
        """TREC lines, joined as they are read."""
        problems = problems_of(self.place, self.order)
        fine, some = True, False
        for block in blocks:
            if block.cut:
                raise InputError(self._cut_short(block.text, problems, fine))
            text, parts, wide = grouped_parts(self._without_comments(block), self.pool, self.order, self.workers)
            if parts is None:
                fine = False
                add_problems(text, problems, self.pool, self.order)
                continue
            lines = any(p.lines for p in parts)
            if lines and (back := self._back(text, parts)) is not None:
                line = problems.lines + _line_of(block.text, back)
                raise InputError([*([] if fine else problems.all()), self._scattered(back, line=line)])
            problems.skip(count_lines(block.text), blank=not lines)
            some |= lines
            if parts and fine and (lines or self._comments):
                if len(self.here) < 3:
                    self.here = (self.here + first_topics(text, parts))[:3]
                yield replace(self._seen(parts, format), wide=wide)
        if not fine or not some:
            raise InputError(problems.all())

    def _without_comments(self, block: Block) -> Text:
        """The text of a block with blanks in place of comment lines, which are kept."""
        text, comments = comments_apart(block.text)
        self._comments += comments
        return text

    def _cut_short(self, text: Text, problems: RunProblems, fine: bool) -> list[Problem]:
        """Problems of a topic that is larger than a block, or of lines that are not valid."""
        too_long = self._too_long(text, problems.lines + 1)
        lines = padded(comments_apart(text)[0][: last_line(text)].data)
        if kernels.order_text(lines, 0, size(lines), self.pool.index, self.order) is None:
            add_problems(lines, problems, self.pool, self.order)
            return problems.all()
        return [too_long] if fine else [*problems.all(), too_long]

    def by_columns(self, format: Format, pieces: Iterator[Piece]) -> Iterator[Ranked]:
        """Blocks of columns, which may begin and end within a topic."""
        first_row = 1
        problems = Listed()
        for run in self._whole_topics(pieces):
            try:
                parts = ranked_columns(run, self.pool, self.order, self.workers, first_row)
            except InputError as error:
                problems.add(error.problems)
                parts = []
            topic, heads = kernels.intern(run.text, run.topic)
            raw = cut(run.text, run.topic[heads])
            judged_topics = kernels.find_topics(run.text, run.topic[heads], self.pool.index)
            back = self._first_back(judged_topics, np.array([hash(name) for name in raw], np.int64).view(np.uint64))
            if back is not None:
                row = int(heads[back])
                line = None if run.line is None else int(run.line[row])
                raise InputError([*problems.all(), self._scattered(raw[back], line=line, row=first_row + row)])
            if len(self.here) < 3:
                self.here = (self.here + decoded(run.text, run.topic[:3]))[:3]
            if parts and not problems:
                yield self._seen(parts, format)
            first_row += len(topic)
        if problems:
            raise InputError(problems.all())

    def _whole_topics(self, pieces: Iterator[Piece]) -> Iterator[RunColumns]:
        """Pieces regrouped into whole topics: the last topic of each piece is joined to the next."""
        open_topic: RunColumns | None = None
        for piece, last in pieces:
            run = piece if open_topic is None else appended(open_topic, piece)
            if last:
                yield run
                return
            topic = kernels.intern(run.text, run.topic)[0]
            edge = int(np.flatnonzero(np.append(-1, topic) != topic[-1])[-1])
            if edge:
                yield rows_of(run, slice(0, edge))
            open_topic = with_own_text(rows_of(run, slice(edge, None)))
            if len(open_topic.doc) > self.room.rows:
                raise InputError(self._too_many(open_topic))
        if open_topic is not None:
            yield open_topic

    def _pieces(self, format: Format, reading: Reading, blocks: Iterator[Block]) -> Iterator[Piece]:
        """Text in other formats as columns. Raises InputError, with all problems and their lines, at the end."""
        problems = Listed()
        header = b""
        lines = rows = used = 0
        for block in blocks:
            if block.cut:
                raise InputError([*problems.all(), self._too_long(block.text, lines + 1)])
            body = self._without_comments(block) if format.comments else block.text
            if lines and reading.format is None and format.guessed:
                problems.add(self._another_layout(body, format, lines + 1))
            if format.headed and not header:
                raw = body[: size(body)].tobytes()
                blank = len(raw) - len(raw.lstrip(b"\r\n"))
                header = raw[blank:].partition(b"\n")[0] + b"\n"
                body = body[min(blank + len(header), size(body)) :]
                lines = 1 + raw[:blank].count(b"\n")
            for text, last in _split(body, self.room.text // format.pieces, format.edge):
                count, before = count_lines(text), used
                used += size(text)
                if (rows or not (last and block.ended)) and not (text[: size(text)] > ord(" ")).any():
                    lines += count
                    continue
                shift = lines - bool(header)
                try:
                    table = padded(header + text[: size(text)].tobytes()) if header else text
                    run: RunColumns = format.columns(table, "run", self.place, before, reading.columns)
                    rows += len(run.doc)
                    if not problems:
                        line = lines_of(run)
                        yield replace(run, line=None if line is None else line + shift), last and block.ended
                except InputError as error:
                    problems.add(p if p.line is None else replace(p, line=p.line + shift) for p in error.problems)
                    rows += count
                lines += count
        if problems:
            raise InputError(problems.all())

    def _another_layout(self, text: Text, format: Format, line: int) -> list[Problem]:
        """Problem of a block whose columns look like another layout than those of the first block."""
        try:
            if detect(text, "run", self.place) is format:
                return []
        except InputError:
            pass
        cause = f"from here on, lines do not look like {format.words} as those before"
        return [Problem(cause, f"say which format it is: run format {format.name}, or another", self.place, line)]

    def _seen(self, parts: list[Ordered], format: Format) -> Ranked:
        """The parts of a block as one run."""
        run = replace(joined_parts(parts, format.words, least=self.order.least), comments=self._comments)
        self.known |= bool(len(run.topic))
        self._comments = ()
        return run

    def _back(self, text: Text, parts: list[Ordered]) -> bytes | None:
        """A topic of earlier blocks, if there is one among these."""
        at = self._first_back(*(np.concatenate([getattr(p, what) for p in parts]) for what in ("topic", "hash")))
        if at is None:
            return None
        start = int(np.concatenate([p.start for p in parts])[at])
        end = start + last_line(text[start : min(size(text), start + self.room.text) + PAD])
        return _topic(text[start : max(end, start + 1)].tobytes())

    def _first_back(self, topic: Ints, hashes: Hashes) -> int | None:
        """Index of the first topic that was in an earlier block, or None; remembers these topics."""
        judged = topic >= 0
        at = np.searchsorted(self._others, hashes)
        back = np.append(self._others, 0)[at] == hashes
        back[at == len(self._others)] = False
        back[judged] = self._judged[topic[judged]]
        if back.any():
            return int(back.argmax())
        self._judged[topic[judged]] = True
        self._others = np.sort(np.concatenate([self._others, hashes[~judged]]), kind="stable")
        if len(self._others) > self.room.others:
            cause = f"{len(self._others):,} topics without judgments are more than can be told apart in this memory"
            raise InputError(Problem(cause, "leave them out, or give more memory", self.place))
        return None

    def _scattered(self, topic: bytes, *, line: int | None = None, row: int | None = None) -> Problem:
        shown_topic = repr(topic.decode("utf-8", "backslashreplace"))
        where = "" if row is None or line is not None else f"row {row}: "
        cause = f"{where}topic {shown_topic} goes on here, after a block of other topics"
        if row is None:
            cures = [f"{_TOGETHER}, as by sort -s -k1,1"]
        else:
            cures = [f"{_TOGETHER} where it is written, or rankscope convert it to TREC text and sort -s -k1,1 that"]
        if row is None and self.plain and self.path.is_file():
            cures.append(f"or give enough memory to hold it whole, some {self.room.needed(self.path.stat().st_size)}")
        else:
            cures.append("or give more memory")
        return Problem(cause, ", ".join(cures), self.place, line)

    def _too_long(self, text: Text, line: int) -> Problem:
        """A topic, or a line, that no block can hold."""
        if last_line(text):
            what = f"topic {_topic(text[: min(size(text), 1 << 16)].tobytes()).decode('utf-8', 'backslashreplace')!r}"
        else:
            what = "this line"
        cause = f"{what} alone has more than {size(text):,} bytes, the most that a block may have in this memory"
        return Problem(cause, f"give more memory, {self.room.needed(2 * size(text))} or more", self.place, line)

    def _too_many(self, rows: RunColumns) -> Problem:
        topic = decoded(rows.text, rows.topic[:1])[0]
        cause = (
            f"topic {topic!r} alone has {len(rows.doc):,} rows and more, the most that a block may have in this memory"
        )
        return Problem(cause, f"give more memory, {self.room.needed(2 * self.room.text)} or more", self.place)


def _split(text: Text, most: int, edge: Edge | None) -> Iterator[tuple[Text, bool]]:
    """A text in parts of about so many bytes that end with whole lines, and whether it is the last."""
    start, end = 0, size(text)
    while edge is not None and end - start > most:
        step = most
        while not (stop := edge(text[start : min(end, start + step) + PAD])) and start + step < end:
            step *= 2
        if not stop:
            break
        yield padded(text[start : start + stop].data), False
        start += stop
    yield text if not start else padded(text[start:end].data), True


def _topic(line: bytes) -> bytes:
    """The first field of a line."""
    return line.replace(b"\t", b" ").lstrip(b" \r\n").split(b" ", 1)[0]


def _line_of(text: Text, topic: bytes) -> int:
    """The first line of a topic."""
    lines = enumerate(BytesIO(text[: size(text)].tobytes()), 1)
    return next(number for number, line in lines if _topic(line) == topic)
