"""A new format is one record: readers, writers, streams, names of systems and conversion follow it."""

import json

import pytest

import rankscope as rs
from rankscope.arrays import cut, size
from rankscope.io import FORMATS, Format, system_name
from rankscope.io.blocks import last_line
from rankscope.io.columns import run_from_dict
from rankscope.io.memory import resident
from rankscope.judged import stream

RUN = {str(topic): {f"d{i}": float(topic - i) for i in range(50)} for topic in range(6000)}
QRELS = {topic: {"d3": 1} for topic in RUN}


def read(text, place):
    rows = [line.split(" ", 1) for line in text[: size(text)].tobytes().decode().splitlines()]
    return run_from_dict({topic: json.loads(docs) for topic, docs in rows}, place)


def write(run, _tag):
    lists = {}
    rows = zip(cut(run.text, run.topic), cut(run.text, run.doc), run.score.tolist(), strict=True)
    for topic, doc, score in rows:
        lists.setdefault(topic.decode(), {})[doc.decode()] = score
    return "".join(f"{topic} {json.dumps(docs)}\n" for topic, docs in lists.items()).encode()


@pytest.fixture(autouse=True)
def new_format():
    """Lines of a topic and a JSON object of scores."""
    before = dict(FORMATS)
    FORMATS["scored"] = Format(
        words="scored lists", run=read, write=write, endings=(".scored",), edge=last_line, pieces=16, ranks=False,
        detects=lambda text, kind: kind == "run" and b' {"' in text[:20].tobytes(),
    )  # fmt: skip
    yield
    FORMATS.clear()
    FORMATS.update(before)


def test_it_is_written_read_and_named(tmp_path):
    rs.write_run(tmp_path / "bm25.scored", RUN)
    judged = rs.load(QRELS, tmp_path / "bm25.scored")
    assert judged.systems == ("bm25",)
    assert judged.read_as == "judgments dictionary; runs scored lists"
    assert (judged.code == rs.load(QRELS, RUN).code).all()
    assert system_name("runs/bm25.scored.gz") == "bm25"


def test_it_is_read_block_by_block(tmp_path):
    path = tmp_path / "bm25.scored.gz"
    rs.write_run(path, RUN)
    heard = []
    # a block is a twelfth of what is left of the memory: these lists have several of them
    runs = stream(QRELS, path, memory=resident() + (20 << 20), progress=heard.append)
    scores = rs.evaluate(runs, "AP")
    assert len(heard) > 2
    assert scores.mean().value == rs.evaluate(rs.load(QRELS, RUN), "AP").mean().value


def test_conversion_says_what_is_lost(tmp_path):
    rs.write_run(tmp_path / "bm25.run", RUN)
    converted = rs.convert(tmp_path / "bm25.run", tmp_path / "bm25.scored", kind="run")
    assert converted.target == "scored lists"
    assert converted.lost == ("the rank column", "the Q0 and tag columns")
    assert rs.convert(tmp_path / "bm25.scored", tmp_path / "again.msmarco").lost == ("scores: only the order is kept",)


def test_names_of_formats_list_it(tmp_path):
    with pytest.raises(rs.InputError, match=r"runs can be .*, scored"):
        rs.load(QRELS, RUN, run_format="scord")
    rs.write_run(tmp_path / "bm25", RUN, "scored")
    with pytest.raises(rs.InputError, match="no format of judgments"):
        rs.load(tmp_path / "bm25", RUN, qrels_format="scored")
