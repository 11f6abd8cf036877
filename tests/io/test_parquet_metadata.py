"""Parquet files that claim what is not there are refused before polars believes them."""

import subprocess
import sys
from io import BytesIO

import polars as pl
import pytest

from rankscope import InputError, load
from rankscope.io import memory, tables
from rankscope.io.parquet_metadata import DEEPEST, _Thrift, check_pages, read_metadata

QRELS = {"7": {"d1": 1}}
FRAME = pl.DataFrame(
    {"query_id": ["7"] * 40, "doc_id": [f"d{i}" for i in range(40)], "score": [40.0 - i for i in range(40)]}
)


def written(frame=FRAME, **settings):
    out = BytesIO()
    frame.write_parquet(out, **settings)
    return out.getvalue()


def number(value):
    """A varint in zigzag."""
    value = value << 1 ^ value >> 63
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def file_of(footer):
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def replaced(raw, old, new):
    """One number of the footer instead of another, the length of the footer being right."""
    start = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    footer = raw[start:-8]
    assert old in footer
    footer = footer.replace(old, new, 1)
    return raw[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "lz4", "uncompressed", "brotli"])
@pytest.mark.parametrize("group", [None, 7])
def test_good_files_pass(compression, group):
    nested = FRAME.with_columns(
        tags=pl.Series([["a", None], [], None, ["b"]] * 10), at=pl.Series([{"x": 1, "y": [{"z": 2.0}]}, None] * 20),
        empty=pl.lit(None, pl.String), flag=pl.Series([True, None] * 20),
    )  # fmt: skip
    raw = written(nested, compression=compression, row_group_size=group)
    metadata = read_metadata(memoryview(raw), "x")
    assert metadata.names == nested.columns
    assert metadata.rows == 40
    assert (len(metadata.groups) > 1) == (group is not None)
    check_pages(memoryview(raw), metadata, nested.columns, "x")
    assert read_metadata(memoryview(written(FRAME[:0])), "x").rows == 0


NOTHING = file_of(b"\x19\xfc" + b"\xff" * 8 + b"\x3f\x00")  # 24 bytes, a list of 2^62 structs
DEEP = file_of(b"\x1c" * 100 + b"\x00" * 101)
CHAIN = file_of(  # each column the only child of the one before
    b"\x29" + bytes([0xFC]) + b"\xb8\x17" + (b"\x48\x01a\x15\x02\x00") * 3000 + b"\x16\x00" + b"\x19\x0c" + b"\x00"
)


@pytest.mark.parametrize(
    ("raw", "cause"),
    [
        (b"PAR1", "it does not end as Parquet does"),
        (written()[:-1], "it does not end as Parquet does"),
        (b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1", "its footer is longer than the file"),
        (NOTHING, "a list is longer than the file"),
        (DEEP, "structs within structs on more than 16 levels"),
        (CHAIN, f"columns within columns on more than {DEEPEST} levels"),
        (file_of(b"\x15" + b"\xff" * 12 + b"\x00"), "a number has too many bytes"),
        (file_of(b"\x1d\x00"), "a value is of no type"),
        (file_of(b"\x15\x02"), "it ends too early"),
        (file_of(b"\x15\x02\x00"), "a list is missing"),
        (replaced(written(), b"\x16" + number(40), b"\x16" + number(41)), "do not add up to its rows"),
        (replaced(written(), number(40) + b"\x16", number(-1) + b"\x16"), "a number is missing or out of range"),
    ],
)
def test_what_a_footer_may_not_claim(raw, cause, tmp_path):
    with pytest.raises(InputError, match="damaged Parquet file") as error:
        read_metadata(memoryview(raw), "x")
    assert cause in str(error.value)
    path = tmp_path / "run.parquet"
    path.write_bytes(raw)
    with pytest.raises(InputError, match="damaged Parquet file"):
        load(QRELS, path)
    with pytest.raises(InputError, match="damaged Parquet file"):
        list(tables.parquet_pieces(path, 5))


def pages(raw):
    """Where the headers of the pages of the first column begin."""
    chunk = read_metadata(memoryview(raw), "x").groups[0].chunks["query_id"][0]
    at = chunk.start
    while at < chunk.stop:
        reader = _Thrift(memoryview(raw), at, chunk.stop)
        header = reader.struct()
        yield at, reader.at, header
        at = reader.at + header[3]


def test_a_page_of_minus_one_values(tmp_path):
    """polars asks for 2^61 bytes then, and the process is gone."""
    raw = written(compression="uncompressed", statistics=False)
    start, stop, _ = next(page for page in pages(raw) if page[2][1] in (0, 3))
    header = raw[start:stop]
    claimed = header.replace(number(40), number(-1), 1)
    assert claimed != header
    path = tmp_path / "run.parquet"
    path.write_bytes(raw[:start] + claimed + raw[stop:])
    with pytest.raises(InputError, match="damaged Parquet file"):
        load(QRELS, path)


def test_columns_that_are_not_read_are_not_judged(tmp_path):
    raw = bytearray(written(FRAME.with_columns(text=pl.lit("words")), compression="uncompressed"))
    metadata = read_metadata(memoryview(raw), "x")
    chunk = metadata.groups[0].chunks["text"][0]
    raw[chunk.start : chunk.stop] = b"\xff" * (chunk.stop - chunk.start)
    path = tmp_path / "run.parquet"
    path.write_bytes(raw)
    assert load(QRELS, path).topics == ("7",)


def test_more_than_memory_holds(monkeypatch):
    raw = memoryview(written())
    metadata = read_metadata(raw, "x")
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    with pytest.raises(InputError, match="x: its content takes 2KiB or more, and 100B of memory are free"):
        check_pages(raw, metadata, ["doc_id", "score"], "x")


@pytest.mark.parametrize("spoilt", [1, 2, 3])
def test_a_panic_of_polars_is_a_damaged_file(spoilt, monkeypatch, tmp_path):
    class PanicException(BaseException):
        pass

    def panics(*_, **__):
        raise PanicException("index out of range")

    path = tmp_path / "run.parquet"
    path.write_bytes(written())
    monkeypatch.setattr(pl, "read_parquet", panics)
    monkeypatch.setattr(pl.LazyFrame, "collect", panics)
    if spoilt == 1:
        with pytest.raises(InputError, match=r"damaged Parquet file \(index out of range\)"):
            load(QRELS, path)
    elif spoilt == 2:
        with pytest.raises(InputError, match=r"damaged Parquet file \(index out of range\)"):
            list(tables.parquet_pieces(path, 5))
    else:
        folder = tmp_path / "folder.parquet"
        folder.mkdir()
        path.rename(folder / "0.parquet")
        with pytest.raises(InputError, match=r"0\.parquet: damaged Parquet file \(index out of range\)"):
            load(QRELS, folder)


def test_a_file_that_is_cut_while_it_is_streamed(tmp_path):
    path = tmp_path / "run.parquet"
    path.write_bytes(written(pl.concat([FRAME] * 3), row_group_size=40))
    pieces = tables.parquet_pieces(path, 40)
    next(pieces)
    path.write_bytes(written()[:100])
    with pytest.raises(InputError, match=str(path)):
        list(pieces)


def test_an_aborting_file_ends_no_process(tmp_path):
    """The whole command, in a process of its own."""
    raw = written(compression="uncompressed", statistics=False)
    start, stop, _ = next(page for page in pages(raw) if page[2][1] in (0, 3))
    path = tmp_path / "run.parquet"
    path.write_bytes(raw[:start] + raw[start:stop].replace(number(40), number(-1), 1) + raw[stop:])
    (tmp_path / "qrels").write_text("7 0 d1 1\n")
    (tmp_path / "other").write_text("7 Q0 d1 1 1 x\n")
    files = [str(tmp_path / name) for name in ("qrels", "other", "run.parquet")]
    command = [sys.executable, "-m", "rankscope", "gate", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "damaged Parquet file" in done.stderr
