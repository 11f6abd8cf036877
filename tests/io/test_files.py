"""Finding, opening and naming files."""

import bz2
import gzip
import lzma
import os
import threading

import polars as pl
import pytest
import zstandard

from rankscope import InputError
from rankscope.arrays import PAD, size
from rankscope.io import FORMATS, expand, files, system_name, tables
from rankscope.io.blocks import last_line, text_blocks
from rankscope.io.files import COMPRESSED, read_one, read_text

DATA = b"7 0 d1 1\n" * 1000
PACKERS = [gzip.compress, bz2.compress, lzma.compress, zstandard.compress]


def content(path):
    text = read_text(path)
    assert not text[size(text) :].any()
    assert text.size == size(text) + PAD
    return text[: size(text)].tobytes()


@pytest.mark.parametrize("pack", [bytes, *PACKERS], ids=lambda f: f.__module__)
def test_compression_is_known_by_content(tmp_path, pack):
    path = tmp_path / "run.txt"  # the name says nothing
    path.write_bytes(pack(DATA))
    assert content(path) == DATA


@pytest.mark.parametrize("pack", PACKERS, ids=lambda f: f.__module__)
def test_several_streams_in_a_file(tmp_path, pack):
    path = tmp_path / "run.gz"
    path.write_bytes(pack(DATA) + pack(DATA))
    assert content(path) == DATA * 2


@pytest.mark.parametrize("pack", PACKERS, ids=lambda f: f.__module__)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda b: b[: len(b) // 2],
        lambda b: b[:-1],
        lambda b: b + b"junk",
        lambda b: b[:20] + bytes([b[20] ^ 255]) + b[21:],
    ],
)
def test_damage_is_said(tmp_path, pack, spoil):
    path = tmp_path / "run.gz"
    path.write_bytes(spoil(pack(DATA)))
    with pytest.raises(InputError, match=r"run\.gz: damaged or truncated (gzip|bzip2|xz|zstd) file"):
        read_text(path)


def test_a_large_file_is_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("rankscope.io.files._LARGE", 100)
    monkeypatch.setattr("rankscope.io.files._PART", 1000)
    path = tmp_path / "run.txt"
    for length in (200, 999, 1000, 1001, 8992, 9000):
        path.write_bytes(DATA[:length])
        assert content(path) == DATA[:length]


def test_byte_order_marks(tmp_path):
    path = tmp_path / "run.txt"
    path.write_bytes(b"\xef\xbb\xbf" + DATA)
    assert content(path) == DATA
    path.write_text("7 0 d1 1\n", encoding="utf-16")
    with pytest.raises(InputError, match="UTF-16"):
        read_text(path)


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_text(tmp_path / "nowhere")


def test_expand(tmp_path):
    for name in ("b.txt", "a.txt", ".hidden"):
        (tmp_path / name).write_bytes(DATA)
    (tmp_path / "empty").mkdir()
    (tmp_path / "[x].txt").write_bytes(DATA)
    expected = [tmp_path / "[x].txt", tmp_path / "a.txt", tmp_path / "b.txt"]
    assert expand([tmp_path]) == expected
    assert expand([tmp_path / "*.txt"]) == expected
    assert expand([str(tmp_path / "[x].txt")]) == expected[:1]  # a name before it is a pattern
    assert expand([tmp_path / "b.txt", tmp_path / "a.txt"]) == expected[:0:-1]
    with pytest.raises(InputError) as error:
        expand([tmp_path / "c.txt", tmp_path / "*.run", tmp_path / "empty"])
    assert [p.cause for p in error.value.problems] == [
        "no such file",
        "no file matches this pattern",
        "folder without files",
    ]


@pytest.mark.parametrize("call", [lambda path: expand([path]), read_one])
def test_an_empty_path_is_not_this_folder(call):
    """As of a variable of the shell that is not set."""
    with pytest.raises(InputError, match="an empty path"):
        call("")


def test_a_folder_where_a_file_is_meant(tmp_path):
    with pytest.raises(InputError, match=r"is a folder\n1 problem; name slices"):
        read_one(tmp_path, "name slices")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/KIS.S1.10.gz", "KIS.S1.10"),
        ("bm25.txt", "bm25"),
        ("bm25.RUN.xz", "bm25"),
        ("a.trec.bz2", "a"),
        ("a.res", "a"),
        ("run", "run"),
        (".gz", ".gz"),
        ("v1.5", "v1.5"),
        ("A.parquet", "A"),
        ("base.json", "base"),
        ("lines.jsonl.zst", "lines"),
        ("table.CSV", "table"),
        ("passages.msmarco", "passages"),
    ],
)
def test_system_name(path, name):
    assert system_name(path) == name


def test_a_system_name_has_no_ending_of_any_format():
    endings = {ending for form in FORMATS.values() for ending in form.endings} - {"", ".qrels"}
    assert {system_name(f"name{ending}{packed}") for ending in endings for packed in ("", *COMPRESSED)} == {"name"}


@pytest.mark.parametrize("data", [b"", b"7 0 d1 1", DATA * 50, gzip.compress(DATA)], ids=len)
def test_pipes(tmp_path, data):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[data])
    writer.start()
    if data:
        assert content(path) == (DATA if data[:2] == b"\x1f\x8b" else data)
    else:  # it may have been read before
        with pytest.raises(InputError, match="nothing comes out of this pipe"):
            content(path)
    writer.join()


def touched(path):
    """The file was written again with as many bytes."""
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))  # whatever the clock says


CHANGED = "was written to while it was read"


def test_a_text_that_is_written_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "run"
    path.write_bytes(DATA)
    for change in (touched, lambda path: path.write_bytes(DATA + b"x"), lambda path: path.rename(tmp_path / "other")):
        monkeypatch.setattr(files, "packed_as", lambda _, change=change: (change(path), None)[1])
        with pytest.raises(InputError, match=CHANGED):
            read_text(path)
    monkeypatch.undo()
    with pytest.raises(InputError, match="no such file"):
        read_text(path)


def test_blocks_of_a_file_that_is_written_while_they_are_read(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(DATA)
    assert len(list(text_blocks(path, 4000, lambda *_: last_line))) > 1
    blocks = text_blocks(path, 4000, lambda *_: last_line)
    next(blocks)
    touched(path)
    with pytest.raises(InputError, match=CHANGED):
        list(blocks)


@pytest.mark.parametrize("folder", [False, True])
def test_tables_that_are_written_while_they_are_read(folder, tmp_path, monkeypatch):
    path = tmp_path / "run.parquet"
    table = pl.DataFrame({"query_id": ["7"] * 9, "doc_id": list("abcdefghi"), "score": [9.0 - i for i in range(9)]})
    if folder:
        path.mkdir()
    file = path / "0.parquet" if folder else path
    table.write_parquet(file)
    pieces = tables.parquet_pieces(path, 3)
    next(pieces)
    touched(file)
    with pytest.raises(InputError, match=CHANGED):
        list(pieces)
    real = tables.checked_columns
    monkeypatch.setattr(tables, "checked_columns", lambda *args: (touched(file), real(*args))[1])
    if folder:
        os.utime(file)
        with pytest.raises(InputError, match=CHANGED):
            read_text(path)
