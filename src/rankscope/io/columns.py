"""Runs and judgments as plain columns."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import Floats, Spans, Text, joined
from rankscope.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class RunColumns:
    """A run, a row a retrieved document. `place` says where it came from."""

    place: str
    text: Text
    topic: Spans
    doc: Spans
    score: Floats
    rank: Floats | None


@dataclass(frozen=True, slots=True)
class QrelsColumns:
    """Judgments, a row a judged document."""

    place: str
    text: Text
    topic: Spans
    doc: Spans
    grade: Floats


def run_from_dict(run: Mapping[str, Mapping[str, float]], place: str = "run") -> RunColumns:
    """A run given as {topic: {document: score}}."""
    text, topic, doc, score = _from_dict(run, place, "score")
    return RunColumns(place, text, topic, doc, score, None)


def qrels_from_dict(qrels: Mapping[str, Mapping[str, float]], place: str = "qrels") -> QrelsColumns:
    """Judgments given as {topic: {document: grade}}."""
    return QrelsColumns(place, *_from_dict(qrels, place, "grade"))


def _from_dict(given: Mapping[Any, Any], place: str, what: str) -> tuple[Text, Spans, Spans, Floats]:
    topics: list[bytes] = []
    docs: list[bytes] = []
    values: list[float] = []
    problems: list[Problem] = []
    for topic, inner in given.items():
        if not isinstance(inner, Mapping):
            problems.append(
                Problem(f"topic {topic!r} has {_kind(inner)}, expected a dictionary of {what}s",
                        f"give {{topic: {{document: {what}}}}}", place)
            )  # fmt: skip
            continue
        raw_topic, bad = _id(topic, "topic", place)
        problems += bad
        for doc, value in inner.items():
            raw_doc, bad = _id(doc, f"topic {topic!r}: document", place)
            problems += bad
            if not isinstance(value, numbers.Real) or not math.isfinite(value):
                cause = f"topic {topic!r}, document {doc!r}: {what} {value!r} is no finite number"
                problems.append(Problem(cause, f"give every {what} as a number", place))
            else:
                topics.append(raw_topic)
                docs.append(raw_doc)
                values.append(float(value))
    if problems:
        raise InputError(problems)
    if not values:
        raise InputError(Problem("is empty", f"give at least one {what}", place))
    text, spans = joined(list(_interleaved(topics, docs)))
    return text, spans[: len(topics)], spans[len(topics) :], np.array(values)


def _interleaved(topics: list[bytes], docs: list[bytes]) -> Iterator[bytes]:
    yield from topics
    yield from docs


def _id(given: Any, what: str, place: str) -> tuple[bytes, list[Problem]]:
    if isinstance(given, bytes):
        return given, []
    if isinstance(given, str):
        try:
            return given.encode("utf-8", "surrogateescape"), []
        except UnicodeEncodeError:
            return b"", [Problem(f"{what} {given!r} holds a lone surrogate", "give valid text or bytes", place)]
    cure = "ids are strings: 7, '7' and '07' would not be told apart otherwise"
    return b"", [Problem(f"{what} {given!r} is {_kind(given)}, expected a string", cure, place)]


def _kind(given: object) -> str:
    name = type(given).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
