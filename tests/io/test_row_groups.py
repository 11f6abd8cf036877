"""Row groups of a Parquet file, from its footer."""

from datetime import UTC, datetime

import polars as pl
import pytest

from rankscope.io.row_groups import _Footer, largest_group


def table(rows):
    return pl.DataFrame({
        "query_id": [f"q{n // 7}" for n in range(rows)], "doc_id": [f"d{n * 7919 % 1009}" for n in range(rows)],
        "score": [n / 3 for n in range(rows)], "seen": [n % 2 == 0 for n in range(rows)],
        "when": [datetime(2026, 1, 1, tzinfo=UTC)] * rows, "rank": range(rows),
    })  # fmt: skip


def footer(path):
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    return _Footer(data[-8 - length : -8]).struct(), len(data) - length


@pytest.mark.parametrize("rows", [1, 1000, 5000])
@pytest.mark.parametrize("group", [7, 300, 100_000])
@pytest.mark.parametrize("packing", ["zstd", "snappy", "uncompressed"])
def test_what_a_footer_tells(tmp_path, rows, group, packing):
    """It is read rightly where its rows, columns and bytes are those of the file."""
    path = tmp_path / "run.parquet"
    table(rows).write_parquet(path, row_group_size=group, compression=packing)
    told, data = footer(path)
    groups = told[4]
    assert told[3] == rows
    assert [one[3] for one in groups] == [min(group, rows - first) for first in range(0, rows, group)]
    packed = [sum(column[3][7] for column in one[1]) for one in groups]  # the columns' own bytes
    assert {len(one[1]) for one in groups} == {6}
    assert largest_group(path) == max(packed)
    assert sum(packed) <= data


def test_by_hand(tmp_path):
    """Two groups of 300 and of -1 bytes unpacked, the first of them 200 packed, among fields of other kinds."""
    first = bytes([0x26, 0xD8, 0x04, 0x46, 0x90, 0x03, 0x00])  # 2: 300, 6: 200
    second = bytes([0x26, 0x01, 0x11, 0x17]) + b"\0" * 8 + bytes([0x1B, 0x01, 0x88, 1, 97, 1, 98, 0x00])
    data = bytes([0x15, 0x04, 0x39, 0x2C]) + first + second + b"\0"  # 1: 2, 4: a list of two structs
    (tmp_path / "run").write_bytes(b"PAR1" + data + len(data).to_bytes(4, "little") + b"PAR1")
    assert footer(tmp_path / "run")[0][4] == [{2: 300, 6: 200}, {2: -1, 3: True, 4: None, 5: [(None, None)]}]
    assert largest_group(tmp_path / "run") == 200


def test_what_has_no_footer(tmp_path):
    for data in (b"PAR1", b"PAR1" + b"\xff" * 100, b"PAR1" + bytes([0x4C, 0x00]) * 9):
        (tmp_path / "run").write_bytes(data)
        assert largest_group(tmp_path / "run") == 0
    assert largest_group(tmp_path / "absent") == 0
