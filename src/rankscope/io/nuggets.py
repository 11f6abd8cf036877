"""Nugget assignments, as AutoNuggetizer writes them for TREC's RAG track: one JSON object per answer.

    {"qid": "2024-1", "run_id": "bm25", "nuggets": [{"text": "...", "importance": "vital", "assignment": "support"}]}

An answer is a list of nuggets. A nugget is two documents: itself, and its part. Support finds both, partial support the
part alone; so recall of these documents counts a half for partial support. Judgments are the same file, read for the
nuggets alone: grade 4 for a vital nugget and 3 for its part, 2 and 1 for one that is okay. The answer itself is a
document of grade 0, so that one without any nugget is no missing topic.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from rankscope.arrays import Text, joined, size
from rankscope.errors import InputError, Problem
from rankscope.io.columns import FileKind, QrelsColumns, RunColumns
from rankscope.io.files import first_line
from rankscope.io.problems import Listed

PART, ANSWER = " [in part]", "[the answer]"
_TOPIC = ("qid", "query_id", "topic_id", "topic")
_GRADE = {"vital": 4, "okay": 2}
_FOUND = {"support": ("", PART), "partial_support": (PART,), "not_support": (), "answer": ("",)}
_SHAPE = '{"qid": ..., "nuggets": [{"text": ..., "importance": "vital", "assignment": "support"}, ...]}'
Nugget = tuple[int, str, str, str, str]
"""Line, topic, text, importance and assignment."""


def is_nuggets(text: Text, _kind: FileKind) -> bool:
    """Whether the first line is an object with nuggets."""
    line = first_line(text)
    return line[:1] == b"{" and b'"nuggets"' in line and b'"importance"' in line


def read_run(text: Text, place: str) -> RunColumns:
    """Nuggets that the answers of one system hold."""
    rows = [(line, topic, name + part) for line, topic, name, _, found in _nuggets(text, place)
            for part in _FOUND[found]]  # fmt: skip
    ids, spans = _ids(rows)
    scores = np.arange(len(rows), 0, -1, dtype=np.float64)
    return RunColumns(place, ids, spans[: len(rows)], spans[len(rows) :], scores, None, _lines(rows))


def read_qrels(text: Text, place: str) -> QrelsColumns:
    """All nuggets, by their importance."""
    graded = [(line, topic, name + part, _GRADE.get(importance, 0) - n) for line, topic, name, importance, found
              in _nuggets(text, place) for n, part in enumerate(("", PART)[: 1 + (found != "answer")])]  # fmt: skip
    rows = [row[:3] for row in graded]
    ids, spans = _ids(rows)
    grades = np.array([grade for *_, grade in graded], np.float64)
    return QrelsColumns(place, ids, spans[: len(rows)], spans[len(rows) :], grades, _lines(rows))


def _ids(rows: list[tuple[int, str, str]]) -> Any:
    names = [topic for _, topic, _ in rows] + [document for *_, document in rows]
    return joined([name.encode("utf-8", "surrogatepass") for name in names])


def _lines(rows: list[tuple[int, str, str]]) -> Any:
    return np.array([line for line, *_ in rows], np.int64)


def _nuggets(text: Text, place: str) -> Iterator[Nugget]:
    """All nuggets of a file; one InputError lists all problems."""
    problems, nuggets = Listed(), list[Nugget]()
    topics: dict[str, int] = {}
    for line, raw in enumerate(text[: size(text)].tobytes().split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            topic, of_topic = _of_line(raw)
            if topic in topics:
                raise ValueError(f"topic {topic!r} has an answer on line {topics[topic]}: give one file per system")
            topics[topic] = line
            nuggets += [(line, topic, *nugget) for nugget in of_topic] + [(line, topic, ANSWER, "", "answer")]
        except (ValueError, RecursionError) as error:
            cause, _, cure = str(error).partition(": ")
            problems.add([Problem(f"no nugget assignment: {cause}", cure or f"give {_SHAPE}", place, line)])
    if problems or not nuggets:
        raise InputError(problems.all() or [Problem("no nuggets", f"give {_SHAPE}", place)])
    return iter(nuggets)


def _of_line(raw: bytes) -> tuple[str, list[tuple[str, str, str]]]:
    """Topic of an answer, and text, importance and assignment of each nugget, texts made distinct."""
    try:
        answer = json.loads(raw)
    except ValueError:
        raise ValueError("the line is no JSON") from None
    topic = next((answer[key] for key in _TOPIC if key in answer), None) if isinstance(answer, dict) else None
    if not isinstance(topic, str | int) or not isinstance(answer.get("nuggets"), list):
        raise ValueError("the line has no qid, or no list of nuggets")
    nuggets: dict[str, tuple[str, str, str]] = {}
    for nugget in answer["nuggets"]:
        if not isinstance(nugget, dict) or not isinstance(nugget.get("text"), str) or not nugget["text"]:
            raise ValueError("a nugget has no text")
        importance, found = nugget.get("importance"), nugget.get("assignment", "not_support")
        known = [*_FOUND][:3]
        if importance not in _GRADE or found not in known:
            words = f"importance is one of {', '.join(_GRADE)}, and assignment one of {', '.join(known)}"
            raise ValueError(f"importance {importance!r} and assignment {found!r}: {words}")
        name, number = nugget["text"], 1
        while name in nuggets:
            number += 1
            name = f"{nugget['text']} ({number})"
        nuggets[name] = name, importance, found
    return str(topic), list(nuggets.values())
