"""Scores computed elsewhere: a table of topics by systems, one row per score, or results of other tools."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any, TypeAlias

import numpy as np

from rankscope.arrays import Floats, size
from rankscope.errors import InputError, Problem, argument, plural
from rankscope.io.files import PathLike, longest_line, read_one
from rankscope.io.tables import is_frame

_Row: TypeAlias = tuple[int, list[str]]
"""A row's line and its fields."""

LONG = ("system", "topic", "value")
_PYTERRIER = {"name": "system", "qid": "topic"}  # perquery.csv of an experiment
LONGEST_LINE = 16 << 20  # bytes: every field of it becomes an object
TOPIC_COLUMNS = ("topic", "query_id", "qid", "query")
_SYSTEM = ("system", "run", "run_id", "runid", "tag", "model")
LARGEST = 1e100  # sums of squares of scores are taken
NO_VALUE = frozenset(("", "nan", "NaN", "null", "-", "NA", "<NA>"))  # the last two of R and pandas
_CURE = "give a column topic and one column per system, or columns system, topic, value (and measure)"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Scores of systems on topics under one measure, (S, T); NaN where there is none."""

    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    value: Floats
    place: str

    def __post_init__(self) -> None:
        self.value.setflags(write=False)


def read_scores(source: Any, *, measure: str | None = None, transposed: bool | None = None) -> ScoreTable:
    """Scores by system and topic from a file or from data in memory.

    source      a CSV or TSV file, or a polars or pandas frame: a column `topic` and one per system, a column `system`
                and one per topic, or columns system, topic, value and perhaps measure; {system: {topic: score}};
                {system: pytrec_eval's result {topic: {measure: score}}}; {system: ir_measures' rows of query_id,
                measure, value}
    measure     which one, where there are several; else what to call it
    transposed  whether a row is a system and a column a topic; needed where neither column `topic` nor `system` tells.
                The first column then holds the ids of the rows, and its name is that of the measure

    >>> read_scores({"bm25": {"7": 0.5, "8": 0.25}}, measure="AP").value
    array([[0.5 , 0.25]])
    """
    if isinstance(source, ScoreTable):
        return source
    if isinstance(source, Mapping):
        return _from_mapping(source, measure)
    if is_frame(source):
        return _from_rows(frame_rows(source), measure, "frame", transposed)
    if not isinstance(source, str) and not hasattr(source, "__fspath__"):
        raise InputError(f"scores cannot be read from a {type(source).__name__}", _CURE)
    return _from_file(source, measure, transposed)


def frame_rows(source: Any) -> list[_Row]:
    """Header and rows; an index of pandas that holds ids is the first column."""
    frame = source.collect() if hasattr(source, "collect") else source
    names = [str(name) for name in frame.columns]
    values = frame.rows() if hasattr(frame, "rows") else frame.itertuples(index=False, name=None)
    rows = [[_cell(value) for value in row] for row in values]
    index = getattr(frame, "index", None)
    if index is not None and type(index).__name__ != "RangeIndex" and not set(names) & {*TOPIC_COLUMNS, *_SYSTEM}:
        names = [_cell(index.name), *names]
        rows = [[_cell(name), *row] for name, row in zip(index.to_list(), rows, strict=True)]
    return list(enumerate([names, *rows]))


def _from_file(path: PathLike, measure: str | None, transposed: bool | None) -> ScoreTable:
    return _from_rows(delimited(path, _CURE), measure, str(path), transposed)


def file_text(path: PathLike, cure: str) -> str:
    """Text of a file of UTF-8 whose lines are not too long."""
    raw = read_one(path)
    place = str(path)
    if (longest := longest_line(raw)) > LONGEST_LINE:
        cause = f"a line of {longest:,} bytes, where {LONGEST_LINE:,} are the most"
        raise InputError(Problem(cause, cure, place))
    try:
        return raw[: size(raw)].tobytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].tobytes().count(b"\n") + 1
        raise InputError(Problem("is no UTF-8 text", "save the file as UTF-8", place, line)) from None


def delimited(path: PathLike, cure: str, text: str | None = None) -> list[_Row]:
    """Rows of a CSV or TSV file with their lines; the first is the header.

    cure  what to give instead, where the file cannot be read
    text  of the file, where it has been read
    """
    text = file_text(path, cure) if text is None else text
    place = str(path)
    head = text.partition("\n")[0]
    reader = csv.reader(StringIO(text, newline=""), delimiter="\t" if "\t" in head else ",")
    rows: list[_Row] = []
    before = 0
    try:
        for fields in reader:
            if fields:  # a blank line has none
                rows.append((before + 1, fields))
            before = reader.line_num
    except csv.Error as error:
        cause = f"cannot be read as delimited text ({error})"
        raise InputError(Problem(cause, cure, place, before + 1)) from None
    return rows


def _from_rows(rows: list[_Row], measure: str | None, place: str, transposed: bool | None) -> ScoreTable:
    """The first row is the header."""
    if len(rows) < 2 or len(rows[0][1]) < 2:
        raise InputError(Problem("holds no table of scores", _CURE, place))
    (_, header), *rows = rows
    check_widths(header, rows, place)
    header = [_PYTERRIER.get(name, name) for name in header] if {"name", "qid", "value"} <= set(header) else header
    if set(LONG) <= set(header):
        return _from_long(header, rows, measure, place)
    at, transposed = _ids(header, rows, place, transposed)
    labels = [name for i, name in enumerate(header) if i != at]
    ids = [row[at] for _, row in rows]
    problems = [
        Problem(f"{name!r} twice among the {what}" if name else f"no name for one of the {what}",
                "keep one of each" if name else "give each a name", place)
        for what, names in (("columns", labels), ("rows", ids))
        for name, count in sorted(Counter(names).items())
        if count > 1 or not name
    ]  # fmt: skip
    values = np.array([
        [_number(text, place, line, problems) for i, text in enumerate(row) if i != at] for line, row in rows
    ])  # fmt: skip
    if problems:
        raise InputError(problems)
    corner = "" if header[at] in (*TOPIC_COLUMNS, *_SYSTEM) else header[at]
    if transposed:
        labels, ids, values = ids, labels, values.T
    return ScoreTable(measure or corner or "score", tuple(labels), tuple(ids), np.ascontiguousarray(values.T), place)


def check_widths(header: list[str], rows: list[_Row], place: str) -> None:
    """Refuse rows with more or fewer fields than the header."""
    problems = [
        Problem(f"{plural(len(row), 'field')}, expected {len(header)}", "give every line the fields of the header",
                place, line)
        for line, row in rows
        if len(row) != len(header)
    ]  # fmt: skip
    if problems:
        raise InputError(problems)


def _ids(header: list[str], rows: list[_Row], place: str, transposed: bool | None) -> tuple[int, bool]:
    """Index of the column that names the rows, and whether these are systems. Refused where nothing tells."""
    for names, systems in ((TOPIC_COLUMNS, False), (_SYSTEM, True)):
        for name in names:
            if name in header:
                return header.index(name), systems if transposed is None else transposed
    first = [text.strip() for _, row in rows for text in row[:1]]
    if all(map(is_decimal, first)) and not all(text.isdecimal() for text in first):
        cause = f"the first column, {header[0]!r}, holds scores: no column names the topics"
        raise InputError(Problem(cause, _CURE, place))
    if transposed is None:
        table = f"{plural(len(rows), 'row')} and {plural(len(header) - 1, 'column')} of scores"
        shown = f"{header[0]!r}" if header[0] else "without a name"
        cause = f"{table}: the first column, {shown}, does not tell which of them are systems"
        meant = f"a system ({argument('transposed', True)}) or a topic ({argument('transposed', False)})"
        raise InputError(Problem(cause, f"name that column topic or system, or say what a row is: {meant}", place))
    return 0, transposed


def _from_long(header: list[str], rows: list[_Row], measure: str | None, place: str) -> ScoreTable:
    system, topic, value = (header.index(name) for name in LONG)
    kind = header.index("measure") if "measure" in header else None
    wanted = _one_measure({row[kind] for _, row in rows} if kind is not None else set(), measure, place)
    problems: list[Problem] = []
    by_system: dict[str, dict[str, float]] = {}
    for line, row in rows:
        if kind is not None and row[kind] != wanted:
            continue
        scores = by_system.setdefault(row[system], {})
        if row[topic] in scores:
            problems.append(Problem(f"{row[system]} has topic {row[topic]} twice", "keep one of them", place, line))
        scores[row[topic]] = _number(row[value], place, line, problems)
    if problems:
        raise InputError(problems)
    return _score_table(wanted, by_system, place)


def _from_mapping(results: Mapping[Any, Any], measure: str | None) -> ScoreTable:
    by_system: dict[str, dict[str, float]] = {}
    kinds: set[str] = set()
    plain = {str(system): _result(result) for system, result in results.items()}
    for result in plain.values():
        kinds |= {kind for scores in result.values() for kind in scores}
    wanted = _one_measure(kinds - {""}, measure, "scores")
    for system, result in plain.items():
        by_system[system] = {t: scores[k] for t, scores in result.items() for k in ("", wanted) if k in scores}
    if not any(by_system.values()):
        raise InputError("no scores at all", _CURE)
    return _score_table(wanted, by_system, "scores")


def _result(result: Any) -> dict[str, dict[str, float]]:
    """One system's {topic: {measure: score}}; the measure is "" where none is named."""
    if isinstance(result, Mapping):
        named = {str(t): scores if isinstance(scores, Mapping) else {"": scores} for t, scores in result.items()}
        return {topic: {str(k): float(v) for k, v in scores.items()} for topic, scores in named.items()}
    rows = list(result) if isinstance(result, Iterable) else []
    if not rows or not all(hasattr(row, name) for row in rows for name in ("query_id", "measure", "value")):
        raise InputError(f"scores of a system cannot be read from a {type(result).__name__}", _CURE)
    by_topic: dict[str, dict[str, float]] = {}
    for row in rows:
        by_topic.setdefault(str(row.query_id), {})[str(row.measure)] = float(row.value)
    return by_topic


def _one_measure(kinds: set[str], measure: str | None, place: str) -> str:
    """The measure requested, or the only one."""
    if not kinds:
        return measure or "score"
    if measure in kinds:
        return str(measure)
    if len(kinds) == 1 and measure is None:
        return next(iter(kinds))
    cause = f"no scores of {measure}" if measure else f"scores of {plural(len(kinds), 'measure')}"
    raise InputError(Problem(cause, f"choose one of {', '.join(sorted(kinds)[:20])}", place))


def _score_table(measure: str, by_system: Mapping[str, Mapping[str, float]], place: str) -> ScoreTable:
    topics = tuple(dict.fromkeys(topic for scores in by_system.values() for topic in scores))
    value = np.array([[scores.get(topic, math.nan) for topic in topics] for scores in by_system.values()])
    return ScoreTable(measure, tuple(by_system), topics, value, place)


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def is_decimal(text: str) -> bool:
    """Whether it is a decimal number, and not what Python reads as one besides."""
    try:
        return text.isascii() and "_" not in text and math.isfinite(float(text))
    except ValueError:
        return False


def _number(text: str, place: str, line: int, problems: list[Problem]) -> float:
    text = text.strip()
    if text in NO_VALUE:
        return math.nan
    if not is_decimal(text):
        problems.append(Problem(f"score {text!r} is no finite number", "leave a missing score empty", place, line))
        return math.nan
    if abs(float(text)) > LARGEST:
        cause = f"score {text} is beyond {LARGEST:g}, where squares of scores are too large to be summed"
        problems.append(Problem(cause, "scale the scores", place, line))
    return float(text)
