"""Damaged Parquet and JSON files: each is read, or refused by an InputError; nothing else, and never without an end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

import polars as pl

from fuzz import json_text
from fuzz.targets import Alone
from fuzz.texts import Words
from rankscope import InputError
from rankscope.arrays import padded
from rankscope.io import tables
from rankscope.io.formats import FORMATS

BYTES = (0, 1, 0x7F, 0x80, 0xFF, 0xFC, 0xF9, 0x1C, 0x19)  # among them lists and structs of Thrift
FOOT = 8


class Damaged(Alone):
    """A file that was good before some bytes of it were changed, most of them in the metadata."""

    name = "damaged"
    cases = 128
    options = ("parquet", "parquet", "parquet in blocks", "json", "jsonl", "deep json")

    def __init__(self, folder: Path) -> None:
        self.path = folder / "damaged.parquet"

    def begin(self, option: str, words: Words) -> None:
        self.kind, self.words = option, words

    def make(self, rng: Random) -> bytes:
        if self.kind.startswith("parquet"):
            return spoiled(rng, rng.choice(good()))
        if self.kind == "deep json":
            depth = rng.choice((10, 500, 900, 990, 1000, 3000, 50_000))
            opened, closed = rng.choice(((b"[", b"]"), (b'{"7":', b"}"), (b'{"7":[', b"]}")))
            return opened * depth + b"1" + closed * (depth - rng.randrange(2))
        return json_text.made(rng, self.words, rng.choice(("json", "lists", "mixed")))

    def check(self, raw: bytes) -> str | None:
        with unheard():
            for kind in ("run", "qrels"):
                name = "parquet" if self.kind.startswith("parquet") else "jsonl" if self.kind == "jsonl" else "json"
                try:
                    if self.kind == "parquet in blocks":
                        self.path.write_bytes(raw)
                        for _ in tables.parquet_pieces(self.path, 100):
                            pass
                    else:
                        FORMATS[name].columns(padded(raw), kind, "file")
                except InputError as error:
                    if not error.problems:
                        return f"as {kind}: refused without a word"
        return None


@contextmanager
def unheard() -> Iterator[None]:
    """Without what polars prints of a panic, which is expected here."""
    heard, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(heard, 2)
        os.close(heard)
        os.close(nothing)


@cache
def good() -> list[bytes]:
    """Parquet files of all compressions, one with nested columns, one with nulls."""
    frames = [
        pl.DataFrame({
            "query_id": [str(i // 10) for i in range(rows)], "doc_id": [f"d{i * 7 % 997}" for i in range(rows)],
            "score": [float(rows - i) for i in range(rows)], "rank": [i % 10 + 1 for i in range(rows)],
        })
        for rows in (3, 400)
    ]  # fmt: skip
    frames.append(frames[0].with_columns(x=pl.Series([[{"a": [1, 2]}], [{"a": [3]}], []])))
    frames.append(frames[0].with_columns(doc_id=pl.Series([None, "a", "b"]), score=pl.Series([1.0, None, 2.0])))
    files = []
    for frame in frames:
        for compression in ("zstd", "snappy", "gzip", "lz4", "uncompressed"):
            out = BytesIO()
            frame.write_parquet(out, compression=compression, row_group_size=150)
            files.append(out.getvalue())
    return files


def spoiled(rng: Random, raw: bytes) -> bytes:
    """The file with a few bytes changed, put in or taken out; half of the time its footer keeps its length."""
    data = bytearray(raw)
    start = len(data) - FOOT - int.from_bytes(data[-FOOT:-4], "little")
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        where = rng.random()
        low, high = (start, len(data)) if where < 0.6 else (0, start) if where < 0.95 else (len(data) - FOOT, len(data))
        at = min(len(data) - 1, rng.randrange(low, high) if low < high else 0)
        how = rng.random()
        if how < 0.4:
            data[at] ^= 1 << rng.randrange(8)
        elif how < 0.7:
            data[at] = rng.choice((*BYTES, rng.randrange(256)))
        elif how < 0.8:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
        elif how < 0.9:
            del data[at : at + rng.randrange(1, 9)]
        elif how < 0.97:
            data[at : at + 9] = b"\xff" * 8 + b"\x01"
        else:
            del data[at + 1 :]
        if len(data) < 12:
            data = bytearray(b"PAR1" + bytes(12))
    if rng.random() < 0.5:
        data[-FOOT:] = max(0, len(data) - FOOT - start).to_bytes(4, "little") + b"PAR1"
    return bytes(data)
