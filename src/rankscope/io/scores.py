"""Scores that were computed elsewhere: a table of topics by systems, rows of a score each, or other tools' results."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np

from rankscope.arrays import Floats, size
from rankscope.errors import InputError, Problem
from rankscope.io.files import PathLike, read_text
from rankscope.io.tables import is_frame

LONG = ("system", "topic", "value")
_TOPIC = ("topic", "query_id", "qid", "query", "")
_NONE = ("", "nan", "NaN", "null", "-")
_CURE = "give a column topic and one column a system, or columns system, topic, value (and measure)"


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


def read_scores(given: Any, *, measure: str | None = None, transposed: bool = False) -> ScoreTable:
    """Scores by system and topic from a file or from what a program holds in hand.

    given       a CSV or TSV file, or a polars or pandas frame: a column `topic` and one a system, or columns system,
                topic, value and perhaps measure; {system: {topic: score}}; {system: pytrec_eval's result
                {topic: {measure: score}}}; {system: ir_measures' rows of query_id, measure, value}
    measure     which one, where there are several; else what to call it
    transposed  systems are rows and topics columns

    >>> read_scores({"bm25": {"7": 0.5, "8": 0.25}}, measure="AP").value
    array([[0.5 , 0.25]])
    """
    if isinstance(given, ScoreTable):
        return given
    if isinstance(given, Mapping):
        return _from_mapping(given, measure)
    if is_frame(given):
        names = [str(name) for name in given.columns]
        columns = [[_cell(v) for v in given[name].to_list()] for name in given.columns]
        rows = [list(row) for row in zip(*columns, strict=True)]
        return _from_rows([names, *rows], measure, "frame", transposed, first_row=0)
    if not isinstance(given, str) and not hasattr(given, "__fspath__"):
        raise InputError(f"scores cannot be read from a {type(given).__name__}", _CURE)
    return _from_file(given, measure, transposed)


def _from_file(path: PathLike, measure: str | None, transposed: bool) -> ScoreTable:
    raw = read_text(path)
    place = str(path)
    try:
        text = raw[: size(raw)].tobytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(Problem("is no UTF-8 text", "save the file as UTF-8", place)) from None
    head = text.partition("\n")[0]
    separator = "\t" if "\t" in head else ","
    rows = [row for row in csv.reader(StringIO(text, newline=""), delimiter=separator) if row]
    return _from_rows(rows, measure, place, transposed, first_row=1)


def _from_rows(
    rows: list[list[str]], measure: str | None, place: str, transposed: bool, *, first_row: int
) -> ScoreTable:
    """first_row  what the header's line is called in errors; rows below it are counted from there"""
    if len(rows) < 2 or len(rows[0]) < 2:
        raise InputError(Problem("holds no table of scores", _CURE, place))
    header = rows[0]
    problems = [
        Problem(f"{len(row)} fields, expected {len(header)}", "give every line the fields of the header", place, line)
        for line, row in enumerate(rows[1:], first_row + 1)
        if len(row) != len(header)
    ]
    if problems:
        raise InputError(problems)
    if set(LONG) <= set(header):
        return _from_long(rows, measure, place, first_row)
    topic = next((header.index(name) for name in _TOPIC if name in header), 0)
    labels = [name for at, name in enumerate(header) if at != topic]
    ids = [row[topic] for row in rows[1:]]
    problems = [
        Problem(f"{name!r} twice among the {what}", "keep one of each", place)
        for what, names in (("columns", labels), ("rows", ids))
        for name in sorted({name for name in names if names.count(name) > 1})
    ]
    values = np.array([
        [_number(text, place, line, problems) for at, text in enumerate(row) if at != topic]
        for line, row in enumerate(rows[1:], first_row + 1)
    ])  # fmt: skip
    if problems:
        raise InputError(problems)
    corner = header[topic] if header[topic] not in _TOPIC else ""
    if transposed:
        labels, ids, values = ids, labels, values.T
    return ScoreTable(measure or corner or "score", tuple(labels), tuple(ids), np.ascontiguousarray(values.T), place)


def _from_long(rows: list[list[str]], measure: str | None, place: str, first_row: int) -> ScoreTable:
    header = rows[0]
    system, topic, value = (header.index(name) for name in LONG)
    kind = header.index("measure") if "measure" in header else None
    wanted = _one_measure({row[kind] for row in rows[1:]} if kind is not None else set(), measure, place)
    problems: list[Problem] = []
    found: dict[str, dict[str, float]] = {}
    for line, row in enumerate(rows[1:], first_row + 1):
        if kind is not None and row[kind] != wanted:
            continue
        scores = found.setdefault(row[system], {})
        if row[topic] in scores:
            problems.append(Problem(f"{row[system]} has topic {row[topic]} twice", "keep one of them", place, line))
        scores[row[topic]] = _number(row[value], place, line, problems)
    if problems:
        raise InputError(problems)
    return _together(wanted, found, place)


def _from_mapping(given: Mapping[Any, Any], measure: str | None) -> ScoreTable:
    found: dict[str, dict[str, float]] = {}
    kinds: set[str] = set()
    plain = {str(system): _result(result) for system, result in given.items()}
    for result in plain.values():
        kinds |= {kind for scores in result.values() for kind in scores}
    wanted = _one_measure(kinds - {""}, measure, "scores")
    for system, result in plain.items():
        found[system] = {t: scores[k] for t, scores in result.items() for k in ("", wanted) if k in scores}
    if not any(found.values()):
        raise InputError("no scores at all", _CURE)
    return _together(wanted, found, "scores")


def _result(result: Any) -> dict[str, dict[str, float]]:
    """One system's {topic: {measure: score}}; the measure is "" where none is named."""
    if isinstance(result, Mapping):
        named = {str(t): scores if isinstance(scores, Mapping) else {"": scores} for t, scores in result.items()}
        return {topic: {str(k): float(v) for k, v in scores.items()} for topic, scores in named.items()}
    rows = list(result) if isinstance(result, Iterable) else []
    if not rows or not all(hasattr(row, name) for row in rows for name in ("query_id", "measure", "value")):
        raise InputError(f"scores of a system cannot be read from a {type(result).__name__}", _CURE)
    made: dict[str, dict[str, float]] = {}
    for row in rows:
        made.setdefault(str(row.query_id), {})[str(row.measure)] = float(row.value)
    return made


def _one_measure(kinds: set[str], asked: str | None, place: str) -> str:
    """The measure meant: the one asked for, or the only one."""
    if not kinds:
        return asked or "score"
    if asked in kinds:
        return str(asked)
    if len(kinds) == 1 and asked is None:
        return next(iter(kinds))
    cause = f"no scores of {asked}" if asked else f"scores of {len(kinds)} measures"
    raise InputError(Problem(cause, f"choose one of {', '.join(sorted(kinds)[:20])}", place))


def _together(measure: str, found: Mapping[str, Mapping[str, float]], place: str) -> ScoreTable:
    topics = tuple(dict.fromkeys(topic for scores in found.values() for topic in scores))
    value = np.array([[scores.get(topic, math.nan) for topic in topics] for scores in found.values()])
    return ScoreTable(measure, tuple(found), topics, value, place)


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _number(text: str, place: str, line: int, problems: list[Problem]) -> float:
    text = text.strip()
    if text in _NONE:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.inf
    if math.isinf(value):
        problems.append(Problem(f"score {text!r} is no finite number", "leave a missing score empty", place, line))
    return value
