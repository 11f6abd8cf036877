"""TREC text, there and back."""

import numpy as np
import pytest

from rankscope import InputError, read_qrels, read_run, write_qrels, write_run
from rankscope.arrays import cut

AWKWARD = ["#1", "a#b", '"x"', "01", "1e5", "é", "😀", "\x0b", "a\x00b", "\udcff", "x" * 10_000, "\rx"]


def as_dict(columns, values):
    out = {}
    topics, docs = cut(columns.text, columns.topic), cut(columns.text, columns.doc)
    for topic, doc, value in zip(topics, docs, values.tolist(), strict=True):
        out.setdefault(topic.decode("utf-8", "surrogateescape"), {})[doc.decode("utf-8", "surrogateescape")] = value
    return out


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz"])
def test_round_trip_of_awkward_ids(tmp_path, ending):
    run = {topic: {doc: 1 / (i + 3) for i, doc in enumerate(AWKWARD)} for topic in AWKWARD[1:]}
    qrels = {topic: {doc: float(i - 2) for i, doc in enumerate(AWKWARD)} for topic in AWKWARD[1:]}
    write_run(tmp_path / f"run{ending}", run)
    write_qrels(tmp_path / f"qrels{ending}", qrels)
    back = read_run(tmp_path / f"run{ending}")
    assert as_dict(back, back.score) == run
    again = read_qrels(tmp_path / f"qrels{ending}")
    assert as_dict(again, again.grade) == qrels
    write_run(tmp_path / f"second{ending}", back)
    assert (tmp_path / f"second{ending}").read_bytes() == (tmp_path / f"run{ending}").read_bytes()


def test_ranks_follow_trec_order(tmp_path):
    write_run(tmp_path / "run", {"7": {"a": 1.0, "c": 2.0, "b": 1.0}})
    assert (tmp_path / "run").read_text() == ("7 Q0 a 3 1 rankscope\n7 Q0 c 1 2 rankscope\n7 Q0 b 2 1 rankscope\n")


@pytest.mark.parametrize("bad", ["", "a b", "a\tb", "a\nb", "a\r"])
def test_ids_that_text_cannot_hold(tmp_path, bad):
    with pytest.raises(InputError, match="cannot be written"):
        write_run(tmp_path / "run", {"7": {bad: 1.0}})
    assert not (tmp_path / "run").exists()


def test_any_blanks_and_line_ends(tmp_path):
    (tmp_path / "run").write_bytes(b"\n7 Q0  a\t1 2.5 tag\r\n\t7\t Q0 b 2 1.5 tag \t\r\n  \n8 Q0 a 1 .5 tag")
    run = read_run(tmp_path / "run")
    assert as_dict(run, run.score) == {"7": {"a": 2.5, "b": 1.5}, "8": {"a": 0.5}}
    np.testing.assert_array_equal(run.rank, [1, 2, 1])
