"""Files block by block: nothing lost, nothing twice, and every block ends where it should."""

import bz2
import gzip
import lzma

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from rankscope.arrays import PAD, padded, size
from rankscope.io import blocks
from rankscope.io.blocks import last_line, last_record, last_topic, text_blocks
from rankscope.io.problems import count_lines

PACKERS = [bytes, gzip.compress, bz2.compress, lzma.compress, zstandard.compress]
lines = st.lists(st.sampled_from(["7 a", "7 bb", "8 a", " 8 b", "\t9 c", "", " ", "77 x", "7"]), max_size=12)
ends = st.sampled_from(["\n", "\r\n"])


def literal_last_topic(raw: bytes) -> int:
    """Line by line: where the last change of topic is, in what is closed by a line end."""
    closed = raw[: raw.rfind(b"\n") + 1]
    at, before, edge = 0, None, 0
    for line in closed.splitlines(keepends=True):
        topic = line.replace(b"\t", b" ").strip(b" \r\n").split(b" ")[0]
        if topic and before is not None and topic != before:
            edge = at
        before, at = topic or before, at + len(line)
    return edge if before is not None else len(closed)


@given(rows=lines, end=ends, rest=st.sampled_from(["", "7", "9 z 1"]), near=st.sampled_from([1, 3, 4096]))
def test_the_last_topic(rows, end, rest, near):
    raw = ("".join(row + end for row in rows) + rest).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_NEAR", near)
        assert last_line(padded(raw)) == raw.rfind(b"\n") + 1
        assert last_topic(padded(raw)) == literal_last_topic(raw)


@given(fields=st.lists(st.sampled_from(["a", '"b\nc"', '"d""e\n"', '""', "f"]), max_size=12), record=st.integers(1, 40))
def test_the_last_record(fields, record):
    raw = "".join(f"{field},1\n" for field in fields).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_RECORD", max(record, 30))
        assert last_record(padded(raw)) == len(raw)
        for cut in range(len(raw) + 1):  # only whole records are before the edge
            edge = last_record(padded(raw[:cut]))
            assert raw[:edge].count(b'"') % 2 == 0


@pytest.mark.parametrize("pack", PACKERS, ids=lambda f: f.__module__)
@pytest.mark.parametrize("room", [64, 100, 1000, 5000, 100_000])
def test_blocks_make_up_the_file(tmp_path, pack, room):
    raw = b"".join(b"t%d Q0 d%d 1 1 x\n" % (t, d) for t in range(90) for d in range(t % 4))
    (tmp_path / "run").write_bytes(pack(raw))
    seen = []
    first = []

    def edge(text, ended):
        first.append((size(text), ended))
        return last_topic

    for block in text_blocks(tmp_path / "run", room, edge):
        assert not block.cut
        assert size(block.text) <= room
        assert not block.text[size(block.text) :].any()
        assert block.text.size == size(block.text) + PAD
        seen.append(block.text[: size(block.text)].tobytes())
    assert b"".join(seen) == raw
    assert first == [(min(room, len(raw)), room > len(raw))]
    heads = [part.split(b" ", 1)[0] for part in seen]
    tails = [part.splitlines()[-1].split(b" ", 1)[0] for part in seen]
    assert all(head != tail for head, tail in zip(heads[1:], tails, strict=False))


def test_a_piece_that_fills_all_room_is_said_to_go_on(tmp_path):
    (tmp_path / "run").write_bytes(b"7 a\n" * 100)
    (block,) = text_blocks(tmp_path / "run", 50, lambda text, ended: last_topic)
    assert block.cut
    assert not block.ended


@given(st.binary(max_size=40))
def test_lines_are_counted(raw):
    assert count_lines(padded(raw)) == len(raw.split(b"\n")) - (raw.endswith(b"\n") or not raw)
