"""File formats by name: detection, readers and writers."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import numpy as np

from rankscope.arrays import Text, cut, size
from rankscope.errors import InputError, Problem
from rankscope.io import json_text, msmarco, tables, trec
from rankscope.io.columns import QrelsColumns, RunColumns
from rankscope.io.files import COMPRESSED, PathLike, Scratch, read_text, zstd

Reader = Callable[[Text, str], Any]
Writer = Callable[[Any, str], bytes]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what it is in words, how each kind is read, how it is written, and the endings that ask for it."""

    words: str
    run: Reader | None = None
    qrels: Reader | None = None
    write: Writer | None = None
    endings: tuple[str, ...] = ()


def _delimited(separator: str, kind: str) -> Reader:
    def read(text: Text, place: str) -> Any:
        table, line = tables.read_delimited(text, separator, place)
        make = tables.run_from_frame if kind == "run" else tables.qrels_from_frame
        return make(table, place, line=line)

    return read


def _parquet(kind: str) -> Reader:
    def read(text: Text, place: str) -> Any:
        make = tables.run_from_frame if kind == "run" else tables.qrels_from_frame
        return make(tables.read_parquet(text, place), place)

    return read


def _write_delimited(columns: Any, tag: str, *, separator: str) -> bytes:
    return tables.to_table(columns, binary=False).write_csv(separator=separator, quote_style="non_numeric").encode()


def _write_parquet(columns: Any, tag: str) -> bytes:
    out = BytesIO()
    tables.to_table(columns, binary=True).write_parquet(out)
    return out.getvalue()


def _write_json_lines(columns: Any, tag: str) -> bytes:
    if isinstance(columns, QrelsColumns):
        raise InputError("ranked lists hold no grades", "write judgments as TREC text, JSON, CSV or Parquet")
    return json_text.write_json_lines(columns, ranked_rows(columns))


def _write_msmarco(columns: Any, tag: str) -> bytes:
    if isinstance(columns, QrelsColumns):
        raise InputError("MS MARCO's run format holds no grades", "write judgments as TREC text, JSON, CSV or Parquet")
    topics, docs = cut(columns.text, columns.topic), cut(columns.text, columns.doc)
    order = ranked_rows(columns).tolist()
    seen: dict[bytes, int] = {}
    rows = []
    for row in order:
        seen[topics[row]] = rank = seen.get(topics[row], 0) + 1
        rows.append((topics[row], docs[row], b"%d" % rank))
    return trec.lines(rows, separator=b"\t")


FORMATS: dict[str, Format] = {
    "trec": Format(
        "TREC text", trec.run_columns, trec.qrels_columns, trec.write, ("", ".txt", ".run", ".trec", ".res", ".qrels")
    ),
    "json": Format(
        "JSON", json_text.read_json_run, json_text.read_json_qrels, lambda c, tag: json_text.write_json(c), (".json",)
    ),
    "jsonl": Format(
        "JSON lines", json_text.read_json_lines_run, json_text.read_json_lines_qrels, _write_json_lines,
        (".jsonl", ".ndjson"),
    ),
    "csv": Format(
        "CSV with a header", _delimited(",", "run"), _delimited(",", "qrels"),
        partial(_write_delimited, separator=","), (".csv",),
    ),
    "tsv": Format(
        "TSV with a header", _delimited("\t", "run"), _delimited("\t", "qrels"),
        partial(_write_delimited, separator="\t"), (".tsv",),
    ),
    "parquet": Format("Parquet", _parquet("run"), _parquet("qrels"), _write_parquet, (".parquet", ".pq")),
    **{
        name: Format(f"MS MARCO ({' '.join(layout)})", partial(msmarco.read, layout=name))
        for name, layout in msmarco.LAYOUTS.items()
    },
}  # fmt: skip
FORMATS["msmarco"] = replace(FORMATS["msmarco"], write=_write_msmarco, endings=(".msmarco",))


def detect(text: Text, kind: tables.FileKind, place: str) -> str:
    """Name of the format that a file's content shows. What fits nothing is left to TREC's reader to explain."""
    start = text[: min(size(text), 1 << 16)].tobytes()
    if start.startswith(b"PAR1"):
        return "parquet"
    head = start.lstrip(b" \t\r\n")
    if head[:1] == b"{":
        return "jsonl" if _json_lines(text) else "json"
    if re.match(rb'\[\s*[\[{"]', head):
        return "json"  # whose reader will say what it can read
    line = head.split(b"\n", 1)[0].rstrip(b"\r")
    for name, separator in (("csv", b","), ("tsv", b"\t")):
        if _is_header(line, separator, kind):
            return name
    if _is_header(line, b";", kind):
        cure = "separate them by commas or tabs"
        raise InputError(Problem("columns are separated by semicolons", cure, place, 1))
    fields = line.replace(b"\t", b" ").split()
    if kind == "qrels" or len(fields) not in (3, 4):
        return "trec"
    layout = msmarco.detect(text, place)
    if layout is None and len(fields) == 3 and fields[2].isdigit():
        return "msmarco"  # something is wrong further down, and its reader will say where
    if layout is None or not trec.looks_like_qrels(text):
        return layout or "trec"
    readings = f"a run ({' '.join(msmarco.LAYOUTS[layout])}) or as judgments (topic iteration document grade)"
    raise InputError(Problem(f"can be read as {readings}", f"say which: run format {layout}, or give a run", place))


def read(
    path: PathLike, kind: tables.FileKind, format_name: str | None = None, scratch: Scratch | None = None
) -> tuple[Text, str]:
    """A file's bytes and the name of its format: `format_name`, or what its content shows."""
    text = read_text(path, scratch)
    if format_name is not None:
        reader_of(format_name, kind)
        return text, format_name
    return text, detect(text, kind, str(path))


def reader_of(name: str, kind: tables.FileKind) -> Reader:
    """The reader of a format; an unknown name is an error that lists them."""
    reader = getattr(FORMATS[name], kind) if name in FORMATS else None
    if reader is None:
        able = [n for n, f in FORMATS.items() if getattr(f, kind) is not None]
        what = "runs" if kind == "run" else "judgments"
        raise InputError(f"{name!r} is no format of {what}", f"{what} can be {', '.join(able)}")
    return cast(Reader, reader)


def write(
    path: PathLike, columns: RunColumns | QrelsColumns, name: str | None = None, *, tag: str = "rankscope"
) -> str:
    """Write columns in a format, by name or by the file's ending, and compress as the ending says. Gives the name."""
    path = Path(path)
    packed = path.suffix.lower() if path.suffix.lower() in COMPRESSED else ""
    ending = Path(path.stem).suffix.lower() if packed else path.suffix.lower()
    if name is None:
        name = next((n for n, f in FORMATS.items() if f.write and ending in f.endings), "trec")
    writer = FORMATS[name].write if name in FORMATS else None
    if writer is None:
        able = ", ".join(n for n, f in FORMATS.items() if f.write)
        raise InputError(f"{name!r} is no format to write", f"what can be written: {able}")
    data = _PACK[packed](writer(columns, tag))
    try:
        path.write_bytes(data)
    except OSError as error:
        cause = f"cannot be written ({(error.strerror or str(error)).lower()})"
        raise InputError(Problem(cause, "choose another file", str(path))) from error
    return name


def ranked_rows(run: RunColumns) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Rows by topic, in order of first appearance, then in trec_eval's order."""
    topics, docs, scores = cut(run.text, run.topic), cut(run.text, run.doc), run.score.tolist()
    first: dict[bytes, int] = {}
    for topic in topics:
        first.setdefault(topic, len(first))
    by_score = sorted(range(len(docs)), key=lambda i: (scores[i], docs[i]), reverse=True)
    return np.array(sorted(by_score, key=lambda i: first[topics[i]]), np.int64)


def _json_lines(text: Text) -> bool:
    """Whether a text that starts with { holds an object a line, rather than one object."""
    start = text[: min(size(text), 1 << 20)].tobytes().strip()
    line, _, rest = start.partition(b"\n")
    if rest:
        try:
            json.loads(line)
        except (ValueError, RecursionError):
            return False
        return True
    # one line: is its first key the name of a column, or a topic?
    first = re.match(rb'\{\s*"([^"]*)"\s*:\s*[^{\s]', line)
    return first is not None and first[1].decode("utf-8", "replace") in json_text.KEYS


def _is_header(line: bytes, separator: bytes, kind: tables.FileKind) -> bool:
    names = [f.decode("utf-8", "replace").strip().strip('"') for f in line.split(separator)]
    if len(names) < 2:
        return False
    try:
        tables.choose(names, kind, "")
    except InputError as error:
        # a header it is, even if it can be read in two ways or lacks a column: that is for the reader to say
        known_names = {n for d in tables.DIALECTS for n in (*d.topic, *d.doc)}
        return "can be read as" in str(error) or len(known_names & set(names)) > 0
    return True


_PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: gzip.compress(data, mtime=0),  # the same content gives the same bytes
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstd().ZstdCompressor().compress(data),
}
