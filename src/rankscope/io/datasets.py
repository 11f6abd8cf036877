"""Judgments of ir_datasets, by id."""

from __future__ import annotations

import re
from typing import Any

from rankscope.arguments import extra
from rankscope.errors import InputError, Problem
from rankscope.io.columns import QrelsColumns, qrels_from_rows

PREFIX = "irds:"
_INSTALL = 'pip install "rankscope[datasets]"'


def read_dataset(name: str) -> tuple[QrelsColumns, int]:
    """Judgments of `irds:<id>` and the grade from which its documentation counts a document as relevant."""
    ir_datasets = extra("ir_datasets", Problem("needs the package ir_datasets", _INSTALL, name))
    try:
        dataset = ir_datasets.load(name.removeprefix(PREFIX))
    except KeyError:
        raise InputError(Problem("ir_datasets knows no such id", "see its catalogue of ids", name)) from None
    if not dataset.has_qrels():
        raise InputError(Problem("has no judgments", "choose a part of it that has", name))
    try:
        rows = list(dataset.qrels_iter())
    except (OSError, RuntimeError) as error:
        cause = "its judgments are not on this machine, and fetching them over the network failed"
        raise InputError(Problem(cause, "fetch them once where there is a network, or give a file", name)) from error
    return qrels_from_rows(rows, name), threshold(dataset)


def known_data_set(place: str) -> tuple[str, int] | None:
    """A data set that a file's path names and whose measures count from another grade than 1, with this grade.

    >>> known_data_set("qrels/2019qrels-pass.txt"), known_data_set("dl20-doc/qrels.txt")
    (('TREC Deep Learning passages', 2), None)
    """
    path = "/".join(re.split(r"[/\\]", place)[-3:]).lower()
    named = re.search(r"(?<![a-z])(dl|deep[-_.]?learning)[-_.]?(20)?(19|2[0-3])(?!\d)|20(19|2[0-3])[-_.]?qrels", path)
    passages = re.search(r"(?<![a-z])pass", path) and not re.search(r"(?<![a-z])doc", path)
    return ("TREC Deep Learning passages", 2) if named and passages else None


def threshold(dataset: Any) -> int:
    """The grade from which all documented official measures that need one count; 1 where they do not agree."""
    documentation = dataset.documentation() if hasattr(dataset, "documentation") else None
    measures = (documentation or {}).get("official_measures") or []
    binary = [
        str(measure) for measure in measures if not re.match("n?DCG|ERR|alpha|Compat|Judged|Accuracy", str(measure))
    ]
    levels = {int(match[1]) if (match := re.search(r"\brel=(\d+)", name)) else 1 for name in binary}
    return levels.pop() if len(levels) == 1 else 1
