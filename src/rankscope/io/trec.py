"""TREC's own formats: runs of six columns, judgments of four."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from rankscope import kernels
from rankscope.arrays import cut
from rankscope.errors import InputError, Problem
from rankscope.io.columns import QrelsColumns, RunColumns, qrels_from_dict, run_from_dict
from rankscope.io.files import PathLike, read_text
from rankscope.io.problems import qrels_problems, run_problems

_PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),  # the same content gives the same bytes
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def read_run(path: PathLike) -> RunColumns:
    """A run file as columns, rows in file order."""
    text, place = read_text(path), str(path)
    spans = kernels.scan(text, 6)
    score = None if spans is None or not len(spans) else kernels.decimals(text, spans[:, 4])
    if spans is None or score is None:
        raise InputError(run_problems(text, place, first=True))
    return RunColumns(place, text, spans[:, 0], spans[:, 2], score, kernels.decimals(text, spans[:, 3]))


def read_qrels(path: PathLike) -> QrelsColumns:
    """A judgments file as columns, rows in file order."""
    text, place = read_text(path), str(path)
    spans = kernels.scan(text, 4)
    grade = None if spans is None or not len(spans) else kernels.decimals(text, spans[:, 3])
    if spans is None or grade is None:
        raise InputError(qrels_problems(text, place, first=True))
    return QrelsColumns(place, text, spans[:, 0], spans[:, 2], grade)


def write_run(path: PathLike, run: RunColumns | Mapping[str, Mapping[str, float]], *, tag: str = "rankscope") -> None:
    """Write a run, compressed as the file's ending says. Without a rank column, ranks follow trec_eval's order."""
    if not isinstance(run, RunColumns):
        run = run_from_dict(run)
    topics, docs = cut(run.text, run.topic), cut(run.text, run.doc)
    ranks = _trec_ranks(topics, docs, run.score.tolist()) if run.rank is None else map(_plain, run.rank.tolist())
    raw_tag = tag.encode("utf-8", "surrogateescape")
    rows = zip(topics, docs, ranks, run.score.tolist(), strict=True)
    _write(path, ((t, b"Q0", d, str(r).encode(), _plain(s).encode(), raw_tag) for t, d, r, s in rows))


def write_qrels(path: PathLike, qrels: QrelsColumns | Mapping[str, Mapping[str, float]]) -> None:
    """Write judgments, compressed as the file's ending says."""
    if not isinstance(qrels, QrelsColumns):
        qrels = qrels_from_dict(qrels)
    rows = zip(cut(qrels.text, qrels.topic), cut(qrels.text, qrels.doc), qrels.grade.tolist(), strict=True)
    _write(path, ((t, b"0", d, _plain(g).encode()) for t, d, g in rows))


def _trec_ranks(topics: list[bytes], docs: list[bytes], scores: list[float]) -> list[int]:
    """Rank of each row in its topic: score descending, then document id descending."""
    rank = np.empty(len(topics), np.int64)
    seen: dict[bytes, int] = {}
    by_score = sorted(range(len(topics)), key=lambda i: (scores[i], docs[i]), reverse=True)
    for row in by_score:
        rank[row] = seen[topics[row]] = seen.get(topics[row], 0) + 1
    return rank.tolist()


def _plain(number: float) -> str:
    """The shortest text that reads back as the same number; whole numbers without a point."""
    return str(int(number)) if number == int(number) and abs(number) < 2**53 else repr(number)


def _write(path: PathLike, rows: Iterable[tuple[bytes, ...]]) -> None:
    path = Path(path)
    out = io.BytesIO()
    for fields in rows:
        for field in fields:
            if not field or any(c in field for c in b" \t\n") or field.endswith(b"\r"):
                raise InputError(
                    Problem(
                        f"id {field.decode('utf-8', 'backslashreplace')!r} cannot be written as TREC text",
                        "ids there are not empty and hold no blanks or line ends",
                        str(path),
                    )
                )
        out.write(b" ".join(fields) + b"\n")
    data = out.getvalue()
    path.write_bytes(_PACK.get(path.suffix.lower(), bytes)(data))
