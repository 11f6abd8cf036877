"""Signatures read back: what each part means, and the command that computes the number again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rankscope.errors import InputError, plural
from rankscope.judged import Rules
from rankscope.measures.names import resolve
from rankscope.measures.record import Measure
from rankscope.results import Result
from rankscope.version import __version__

UNKNOWN = "not known to this version"

_GAINS = {
    "linear": "gain is the grade",
    "exponential": "gain is 2^grade - 1",
    "binary": "gain is 1 where relevant, else 0",
    "linear/": "gain is grade / {}",
    "exp/": "gain is (2^grade - 1) / 2^{}",
    "degree/": "gain is the number of the grade on its scale, 1 to {}, else 0",
}
_WORDS: dict[str, Mapping[str, str]] = {
    "ties": {
        "trec": "equal scores by document id, descending, as trec_eval has them",
        "rank": "equal scores by the rank column",
        "file": "equal scores in file order",
        "best": "equal scores with the best grade first",
        "worst": "equal scores with the worst grade first",
    },
    "scores": {"float32": "scores compared as 32-bit floats, as in trec_eval 9"},
    "unjudged": {"condensed": "unjudged documents are taken out of the lists, as by trec_eval -J"},
    "duplicates": {"first": "of a document twice in a topic the first counts"},
    "missing": {
        "0": "judged topics that a run lacks are scored as empty lists",
        "drop": "judged topics that a run lacks are left out",
    },
    "undefined": {
        "0": "topics without relevant documents score 0, as in trec_eval",
        "drop": "topics without relevant documents are left out",
    },
    "mean": {"geometric": "geometric mean, values below 0.00001 taken as that"},
}
_RULES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "ties": ("ties", str),
    "scores": ("score_dtype", str),
    "depth": ("depth", int),
    "duplicates": ("duplicates", str),
    "unjudged": ("unjudged", str),
    "missing": ("missing", lambda value: "zero" if value == "0" else value),
    "undefined": ("undefined", lambda value: "zero" if value == "0" else value),
}
"""Field of Rules for each part, and how its value is converted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Signature(Result):
    """A signature taken apart.

    parts      each part with its meaning
    measure    the measure, where the signature names one
    rules      the rules of loading; defaults where the signature names none
    geometric  whether the means are geometric
    """

    text: str
    parts: tuple[tuple[str, str], ...]
    measure: Measure | None
    rules: Rules
    geometric: bool

    @property
    def again(self) -> str:
        """The command that computes such a number."""
        options = [f"-m {shlex.quote(str(self.measure))}"] if self.measure is not None else []
        for name in ("ties", "score_dtype", "depth", "duplicates", "unjudged", "missing", "undefined"):
            value = getattr(self.rules, name)
            if value != getattr(Rules(), name):
                options.append(f"--{name.replace('_', '-')} {value}")
        options += ["--mean geometric"] if self.geometric else []
        return " ".join(["rankscope evaluate QRELS RUN...", *options])

    def columns(self) -> dict[str, list[Any]]:
        """Columns part and means; one row per part."""
        return {"part": [part for part, _ in self.parts], "means": [meaning for _, meaning in self.parts]}

    def remarks(self) -> list[str]:
        return [f"again: {self.again}"]

    def to_dict(self) -> dict[str, Any]:
        """The signature, the meanings of its parts, and the command."""
        return {"signature": self.text, "parts": dict(self.parts), "again": self.again}


def read_signature(text: str) -> Signature:
    """The meaning of a signature, or of some of its parts; parts that are not known are marked.

    >>> for part in read_signature("P@10|rel:2|ties:file").parts:
    ...     print(*part, sep="  ")
    P@10  Reads exactly k documents and likes every relevant one equally. k = 10.
    rel:2  relevant are grades from 2
    ties:file  equal scores in file order
    """
    pieces = [piece.strip() for piece in text.strip().removeprefix("all:").split("|") if piece.strip()]
    measure, parts, rules = None, [], {}
    for at, piece in enumerate(pieces):
        key, _, value = piece.partition(":")
        if at == 0 and not re.match(r"[a-z]+:", piece):
            measure, meaning = _measure(piece)
        else:
            meaning = part_meaning(piece)
        parts.append((piece, meaning))
        if key in _RULES and meaning != UNKNOWN:
            name, convert = _RULES[key]
            rules[name] = convert(value)
    if all(meaning == UNKNOWN for _, meaning in parts):
        raise InputError(f"{text!r} is no signature", "signatures look like nDCG@10|gain:linear|ties:trec|n:49")
    return Signature(
        text=text, parts=tuple(parts), measure=measure, rules=Rules(**rules),
        geometric=("mean", "geometric") in [tuple(piece.split(":")) for piece in pieces],
    )  # fmt: skip


def part_meaning(piece: str) -> str:
    """Meaning of a part of a signature other than the measure."""
    key, _, value = piece.partition(":")
    if key in _WORDS:
        return _WORDS[key].get(value, UNKNOWN)
    return _PARTS[key](value) if key in _PARTS else UNKNOWN


def _measure(text: str) -> tuple[Measure | None, str]:
    try:
        (measure, _), *more = resolve(text)
    except InputError:
        return None, UNKNOWN
    if more:
        return None, UNKNOWN
    at = "" if measure.cutoff is None else f" {'x' if measure.cutoff_rule == 'recall' else 'k'} = {measure.cutoff}."
    return measure, (measure.user_model or measure.name) + at


def _gain(value: str) -> str:
    kind, slash, top = value.partition("/")
    kind, plus, own = kind.partition("+")
    if kind + slash not in _GAINS or (plus and own != "map") or (slash and not _number(top)):
        return UNKNOWN
    mapped = ", grades first mapped by gains=, those that it does not name as they are"
    return _GAINS[kind + slash].format(top) + (mapped if plus else "")


def _relevant(value: str) -> str:
    return f"relevant are grades from {value}" if _number(value) else UNKNOWN


def _depth(value: str) -> str:
    if not re.fullmatch(r"[1-9]\d{0,99}", value):
        return UNKNOWN
    return f"only the first {value} documents of a list count" if value != "1" else "only the first document counts"


def _topics(value: str) -> str:
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", value)
    if not match:
        return UNKNOWN
    if match[2]:
        return f"means over {match[1]} to {match[2]} topics, by system"
    return f"means over {plural(int(match[1]), 'topic')}"


def _version(value: str) -> str:
    return f"made by rankscope {value}" + ("" if value == __version__ else f"; this is {__version__}")


def _number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text) is not None


_PARTS: dict[str, Callable[[str], str]] = {
    "gain": _gain,
    "rel": _relevant,
    "depth": _depth,
    "n": _topics,
    "rankscope": _version,
}
