"""Runs larger than memory: block by block the same scores, the same words, the same errors."""

import bz2
import gzip
import lzma
import os
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import strategies
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope import DataWarning, InputError, bounds, evaluate, io, load, stream
from rankscope.io.formats import FRAMES
from rankscope.io.memory import in_bytes, resident, size_text
from rankscope.judged.run_blocks import Room
from rankscope.judged.streaming import RunStream
from rankscope.measures import MEASURES
from rankscope.measures.explanations.explain import with_example_cutoff

ALL = [with_example_cutoff(m) for m in MEASURES.values()]
FEW = ["AP", "nDCG@10", "RBP(p=0.8)", "num_ret"]
QRELS = {"7": {"a": 1, "b": 0, "c": 2}, "8": {"a": 1}, "9": {"b": 1}}
slow = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


@pytest.fixture
def blocks_of(monkeypatch):
    """Sets how many bytes of text a block has, and how many cells are scored at a time."""

    def chosen(text, cells=1 << 19, others=10_000, deepest=10_000):
        room = Room(text=text, rows=40, cells=cells, others=others, memory=1 << 62, taken=0, share=8, deepest=deepest)
        monkeypatch.setattr(RunStream, "_room", lambda *_: room)

    return chosen


def told(work):
    """What a call gives, as bytes, and everything that it says."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", DataWarning)
        try:
            scores = work()
            found = (
                scores.systems,
                scores.topics,
                scores.signature_stems,
                scores.value.tobytes(),
                scores.mean().value.tobytes(),
            )
        except InputError as error:
            found = str(error)
    return found, [str(w.message) for w in said]


def in_memory(qrels, runs, measures=FEW, **rules):
    return told(lambda: evaluate(load(qrels, runs, **rules), measures))


def in_blocks(qrels, runs, measures=FEW, **rules):
    # sanitizers keep what was freed: the usual memory comes on top of what the process has
    memory = rules.pop("memory", resident() + (2 << 30))
    return told(lambda: evaluate(stream(qrels, runs, memory=memory, **rules), measures))


rules_ = st.fixed_dictionaries({
    "ties": st.sampled_from(["trec", "file", "best", "worst", "rank"]),
    "score_dtype": st.sampled_from(["float64", "float32"]),
    "depth": st.sampled_from([None, None, 1, 3]),
    "missing": st.sampled_from(["zero", "drop"]),
    "undefined": st.sampled_from(["zero", "drop"]),
    "duplicates": st.sampled_from(["error", "first"]),
    "workers": st.sampled_from([1, 2, 3]),
})  # fmt: skip
FORMATS = ["trec", "csv", "tsv", "jsonl", "parquet", "msmarco"]


def needed(path, name):
    """Bytes that the largest topic takes with the line that follows it."""
    if name == "parquet":
        return 1000
    lines = path.read_bytes().splitlines(keepends=True)
    longest, size, before = max(map(len, lines)), 0, None
    sizes = [0]
    for line in lines:
        topic = line.split(None, 1)[0] if line.strip() else before
        size = size + len(line) if topic == before else len(line)
        before = topic
        sizes.append(size)
    return max(sizes) + 2 * longest + 2


@slow
@pytest.mark.parametrize("name", FORMATS)
@given(collection=strategies.collections(), rules=rules_, extra=st.integers(0, 300), cells=st.sampled_from([1, 7, 500]))
def test_the_same_scores_in_any_format(tmp_path, blocks_of, name, collection, rules, extra, cells):
    files = []
    for system, run in collection.runs.items():
        run = {topic: docs for topic, docs in run.items() if docs}
        files.append(tmp_path / f"{system}.{'run' if name == 'trec' else name}")
        io.write_run(files[-1], run)
    if name == "parquet":
        for path in files:
            pl.read_parquet(path).write_parquet(path, row_group_size=2)
    given_format = {"run_format": name} if name == "msmarco" else {}
    blocks_of(max(needed(path, name) for path in files) + extra, cells)
    rules = rules | given_format
    assert in_blocks(collection.qrels, files, **rules) == in_memory(collection.qrels, files, **rules)


def lines_of(rng, topics, spoiled=0.0):
    """TREC text of some topics, with blank lines, odd line ends and, where asked for, something wrong."""
    out = []
    for t in rng.permutation(topics):
        for d in rng.integers(0, 40, rng.integers(1, 30)) if spoiled else rng.permutation(30)[: rng.integers(1, 30)]:
            line = f"t{t} Q0 d{d} {rng.integers(1, 9)} {rng.integers(0, 9)}.5 tag"
            if rng.random() < spoiled:
                line = [line[:-4], line + " more", line.replace(".5", ".x"), line.replace("Q0", "")][rng.integers(4)]
            out.append(line + rng.choice(["\n", "\n", "\n", "\r\n", "\n\n", " \n"]))
    text = "".join(out)
    return text if rng.random() < 0.7 else text.rstrip("\r\n ")


def judgments(rng, topics):
    return {f"t{t}": {f"d{d}": int(rng.integers(-1, 3)) for d in range(20)} for t in range(topics)}


def test_every_measure(tmp_path, blocks_of):
    rng = np.random.default_rng(5)
    (tmp_path / "run").write_text(lines_of(rng, 24))
    blocks_of(1500, 100)
    qrels = judgments(rng, 20)
    assert in_blocks(qrels, tmp_path / "run", ALL) == in_memory(qrels, tmp_path / "run", ALL)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_text_of_any_packing_in_blocks_of_any_size(tmp_path, blocks_of, pack, seed):
    rng = np.random.default_rng(seed)
    qrels = judgments(rng, 40)
    (tmp_path / "run").write_bytes(pack(lines_of(rng, 60).encode()))
    expected = in_memory(qrels, tmp_path / "run")
    assert isinstance(expected[0], tuple)
    for size, workers in ((1100, 1), (1500, 2), (10_000, 1), (100_000, 2)):
        blocks_of(size, int(rng.integers(1, 200)))
        assert in_blocks(qrels, tmp_path / "run", workers=workers) == expected


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rules", [{}, {"duplicates": "first"}, {"ties": "rank"}])
def test_spoiled_lines_are_told_with_their_numbers(tmp_path, blocks_of, monkeypatch, seed, rules):
    monkeypatch.setattr("rankscope.judged.ranked._LOOK", 700)
    rng = np.random.default_rng(seed)
    (tmp_path / "run").write_text(lines_of(rng, 60, spoiled=rng.choice([0.3, 0.02, 0.0001])), newline="")
    qrels = judgments(rng, 40)
    expected = in_memory(qrels, tmp_path / "run", **rules)
    for size in (2500, 9000):
        blocks_of(size)
        assert in_blocks(qrels, tmp_path / "run", **rules)[0] == expected[0]


def test_what_every_line_has_is_told_of_the_file(tmp_path, blocks_of):
    contents = {
        "judgments": "".join(f"{t} 0 d{d} {d % 2}.\n" for t in range(30) for d in range(5)),
        "nothing": "\n" * 3000,
        "empty": "",
        "notes": "some words\n\n" * 300,
        "others": "".join(f"x{t} Q0 d 1 1 tag\n" for t in range(200)),
    }
    blocks_of(500)
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
        expected = in_memory(QRELS, tmp_path / name, run_format="trec")
        assert in_blocks(QRELS, tmp_path / name, run_format="trec") == expected
        assert isinstance(expected[0], str)


def test_all_that_is_wrong_with_all_runs_is_told_at_once(tmp_path, blocks_of):
    good = "".join(f"{t} Q0 d{d} 1 {d} x\n" for t in (7, 8, 9) for d in range(9))
    (tmp_path / "a").write_text(good + "9 Q0 x\n")
    (tmp_path / "b").write_text(good)
    (tmp_path / "c").write_text("7 Q0 a 1 high x\n" + good)
    (tmp_path / "d.gz").write_bytes(gzip.compress(good.encode())[:-3])
    blocks_of(250)
    found, _ = in_blocks(QRELS, tmp_path)
    assert found.replace(str(tmp_path) + "/", "").splitlines()[:3] == [
        "a:28: 3 fields, expected 6 (topic Q0 document rank score tag): '9 Q0 x'",
        "c:1: score 'high' is no finite number",
        "d.gz: damaged or truncated gzip file (ended before the end of the stream)",
    ]


def test_scattered_topics_within_a_block_are_read_as_ever(tmp_path, blocks_of):
    rng = np.random.default_rng(1)
    lines = rng.permutation(lines_of(rng, 40).split("\n"))
    (tmp_path / "run").write_text("\n".join(line for line in lines if line.strip()))
    blocks_of(1 << 20)
    qrels = judgments(rng, 40)
    assert in_blocks(qrels, tmp_path / "run") == in_memory(qrels, tmp_path / "run")


@pytest.mark.parametrize("name", ["csv", "parquet", "jsonl", "json"])
def test_scattered_topics_of_small_tables_are_read_as_ever(tmp_path, blocks_of, name):
    rows = [("7", "a"), ("8", "a"), ("7", "b"), ("9", "b"), ("8", "c"), ("7", "c")]
    path = tmp_path / f"run.{name}"
    if name == "json":
        path.write_text("{" + ", ".join(f'"{t}": {{"{d}": {n}}}' for n, (t, d) in enumerate(rows)) + "}")
    else:
        table = pl.DataFrame({"query_id": [t for t, _ in rows], "doc_id": [d for _, d in rows], "score": range(6)})
        {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[name](path)
    blocks_of(10_000)
    assert in_blocks(QRELS, path) == in_memory(QRELS, path)
    assert isinstance(in_blocks(QRELS, path)[0], tuple)


@pytest.mark.parametrize("judged", [True, False])
def test_scattered_topics_beyond_a_block_are_an_error_that_helps(tmp_path, blocks_of, judged):
    """The line is that of the whole file."""
    topics = ["7" if judged else "x", "8", "9", *(f"t{n}" for n in range(50))]
    lines = [f"{t} Q0 d{d} 1 {d} x\n" for t in topics for d in range(5)]
    lines.insert(100, "\n")
    lines += [f"{topics[0]} Q0 e 1 1 x\n", "t50 Q0 e 1 1 x\n"]
    (tmp_path / "run").write_text("".join(lines))
    blocks_of(500)
    found, _ = in_blocks(QRELS, tmp_path / "run")
    first, cure = found.splitlines()
    assert first == f"{tmp_path}/run:{5 * 53 + 2}: topic {topics[0]!r} goes on here, after a block of other topics"
    assert "sort -s -k1,1" in cure
    assert re.search(r"or give enough memory to hold it whole, some \d+KiB", cure)


@pytest.mark.parametrize("name", ["csv", "parquet", "jsonl"])
def test_scattered_topics_of_tables(tmp_path, blocks_of, name):
    rows = [("7", f"d{d}") for d in range(5)] + [(f"t{t}", "d") for t in range(99)] + [("7", "late"), ("8", "d")]
    table = pl.DataFrame({"query_id": [t for t, _ in rows], "doc_id": [d for _, d in rows], "score": 1.0})
    path = tmp_path / f"run.{name}"
    {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[name](path)
    blocks_of(2000)
    found, _ = in_blocks(QRELS, path)
    where = {"csv": f"{path}:106", "jsonl": f"{path}:105", "parquet": f"{path}: row 105"}[name]
    assert found.startswith(f"{where}: topic '7' goes on here, after a block of other topics")
    assert "rankscope convert it to TREC text" in found


def test_a_topic_larger_than_a_block(tmp_path, blocks_of):
    (tmp_path / "run").write_text("8 Q0 a 1 1 x\n" + "".join(f"7 Q0 d{d} 1 {d} x\n" for d in range(99)))
    blocks_of(300)
    found, _ = in_blocks(QRELS, tmp_path / "run")
    assert found.startswith(f"{tmp_path}/run:2: topic '7' alone has more than 300 bytes")
    assert "give more memory" in found
    (tmp_path / "run").write_text("8 Q0 a 1 1 x" * 99)
    assert in_blocks(QRELS, tmp_path / "run")[0].startswith(f"{tmp_path}/run:1: this line alone has more than 300")


def test_too_many_topics_without_judgments(tmp_path, blocks_of):
    (tmp_path / "run").write_text("".join(f"x{t} Q0 d 1 1 x\n" for t in range(99)) + "7 Q0 a 1 1 x\n")
    blocks_of(300, others=50)
    assert (
        "topics without judgments are more than can be told apart in this memory"
        in (in_blocks(QRELS, tmp_path / "run")[0])
    )


def test_a_list_too_long_to_be_scored(tmp_path, blocks_of):
    (tmp_path / "run").write_text("".join(f"{t} Q0 d{d} 1 {d} x\n" for t in (7, 8) for d in range(6 * t)))
    blocks_of(3000, deepest=45)
    found, _ = in_blocks(QRELS, tmp_path / "run")
    assert found.startswith(f"{tmp_path}/run: topic '8' has 48 documents, and 45 are the most")
    assert in_blocks(QRELS, tmp_path / "run", depth=40) == in_memory(QRELS, tmp_path / "run", depth=40)


def test_one_json_object_is_not_read_in_parts(tmp_path, blocks_of):
    io.write_run(tmp_path / "run.json", {"7": {f"d{d}": d for d in range(99)}, "8": {"a": 1}, "9": {"a": 1}})
    blocks_of(300)
    assert "run.json: JSON cannot be read in parts" in in_blocks(QRELS, tmp_path / "run.json")[0]
    blocks_of(3000)
    assert in_blocks(QRELS, tmp_path / "run.json") == in_memory(QRELS, tmp_path / "run.json")


def test_columns_without_a_header_that_change_their_meaning(tmp_path, blocks_of):
    ranked = "".join(f"{t}\td{d}\t{d + 1}\n" for t in range(50) for d in range(5))
    (tmp_path / "run").write_text(ranked)
    blocks_of(200)
    assert in_blocks({"7": {"d1": 1}}, tmp_path / "run") == in_memory({"7": {"d1": 1}}, tmp_path / "run")
    (tmp_path / "run").write_text(ranked + "90\td1\t0.5\n90\td2\t0.7\n")
    found, _ = in_blocks({"7": {"d1": 1}}, tmp_path / "run")
    assert "from here on, lines do not look like MS MARCO (topic document rank) as those before" in found
    assert "run format msmarco" in found


def test_rows_of_tables_keep_their_numbers(tmp_path, blocks_of):
    """Problems of any block, and documents that appear twice."""
    rows = [(f"{t}", f"d{d}", f"{d}") for t in range(40) for d in range(5)]
    rows[150] = ("30", "d0", "high")
    table = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    blocks_of(1200)
    for name, write in (("csv", "write_csv"), ("parquet", "write_parquet"), ("jsonl", "write_ndjson")):
        path = tmp_path / f"run.{name}"
        getattr(table, write)(path)
        expected = in_memory(QRELS, path)
        where = {"csv": "run.csv:152", "jsonl": "run.jsonl:151", "parquet": "run.parquet: row 150"}[name]
        assert f"{where}: score 'high' is no finite number" in expected[0]
        assert in_blocks(QRELS, path) == expected
    rows[150] = ("30", "d1", "3")
    table = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    table.write_csv(tmp_path / "run.csv")
    expected = in_memory(QRELS, tmp_path / "run.csv")
    assert "run.csv:153: document 'd1' appears twice in topic '30' (first at line 152)" in expected[0]
    assert in_blocks(QRELS, tmp_path / "run.csv") == expected


@pytest.mark.parametrize("spoil", [False, True])
def test_a_folder_of_parquet_files_is_one_run(tmp_path, blocks_of, spoil):
    """Parts end anywhere; a topic may go on in the next."""
    rng = np.random.default_rng(4)
    rows = [(f"t{t}", f"d{d}", float(rng.integers(9))) for t in rng.permutation(30) for d in rng.permutation(20)]
    if spoil:
        rows[400] = (*rows[399][:2], 1.0)
    table = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    folder = tmp_path / "run.parquet"
    folder.mkdir()
    for number, (start, stop) in enumerate([(0, 7), (7, 250), (250, 251), (251, 600)]):
        table[start:stop].write_parquet(folder / f"part-{number}.parquet", row_group_size=50)
    (folder / "_SUCCESS").write_text("")
    blocks_of(1000)
    qrels = judgments(rng, 20)
    expected = in_memory(qrels, folder)
    assert in_blocks(qrels, folder) == expected
    if spoil:
        assert "row 401: document" in expected[0]
    else:
        assert expected[0][0] == ("run",)
        assert expected[0][3] == in_memory(qrels, table)[0][3]


def test_parts_that_are_not_quite_alike(tmp_path, blocks_of):
    """Columns in another order, other types of the same numbers; and one that is no table."""
    folder = tmp_path / "run.parquet"
    folder.mkdir()
    table = pl.DataFrame({"query_id": [7, 7, 8], "doc_id": ["a", "c", "a"], "score": [2, 1, 1]})
    table.write_parquet(folder / "0.parquet")
    table[:0].write_parquet(folder / "2.parquet")
    others = pl.DataFrame({"score": [1.5], "doc_id": ["b"], "more": [0], "query_id": [9]})
    others.write_parquet(folder / "1.parquet")
    blocks_of(1000)
    assert in_blocks(QRELS, folder) == in_memory(QRELS, folder)
    assert in_blocks(QRELS, folder)[0][0] == ("run",)
    (folder / "1.parquet").write_bytes(b"PAR1")
    assert in_blocks(QRELS, folder) == in_memory(QRELS, folder)
    assert in_blocks(QRELS, folder)[0].startswith(f"{folder}/1.parquet: damaged Parquet file")


def test_quoted_line_ends_in_csv(tmp_path, blocks_of):
    table = pl.DataFrame({"query_id": [f"{t}" for t in range(30)], "doc_id": ['a\n"b,\n'] * 30, "score": 1.0})
    table.write_csv(tmp_path / "run.csv")
    qrels = {"7": {'a\n"b,\n': 1}}
    for size in (70, 90, 200):
        blocks_of(size * 4)
        assert in_blocks(qrels, tmp_path / "run.csv") == in_memory(qrels, tmp_path / "run.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_while_it_is_written(tmp_path, blocks_of):
    rng = np.random.default_rng(2)
    qrels, text = judgments(rng, 40), lines_of(rng, 60)
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "run").write_text(text)
    os.mkfifo(tmp_path / "run")

    def write():
        with (tmp_path / "run").open("w") as out:
            for start in range(0, len(text), 100):
                out.write(text[start : start + 100])
                out.flush()

    writer = threading.Thread(target=write, daemon=True)  # it waits for ever where nobody reads
    writer.start()
    blocks_of(2000)
    assert in_blocks(qrels, tmp_path / "run") == in_memory(qrels, tmp_path / "file" / "run")
    writer.join()


def test_a_byte_order_mark_and_utf_16(tmp_path, blocks_of):
    text = "".join(f"{t} Q0 a 1 1 x\n" for t in range(7, 60))
    (tmp_path / "run").write_bytes(b"\xef\xbb\xbf" + text.encode())
    blocks_of(200)
    assert in_blocks(QRELS, tmp_path / "run") == in_memory(QRELS, tmp_path / "run")
    (tmp_path / "run").write_bytes(text.encode("utf-16"))
    assert "UTF-16 text" in in_blocks(QRELS, tmp_path / "run")[0]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
@pytest.mark.parametrize("spoil", [lambda b: b[:-1], lambda b: b[: len(b) // 2], lambda b: b + b"junk"])
def test_damage_is_said(tmp_path, blocks_of, pack, spoil):
    data = b"".join(b"%d Q0 a 1 1 x\n" % t for t in range(500))
    (tmp_path / "run").write_bytes(spoil(pack(data)))
    blocks_of(400)
    found, _ = in_blocks(QRELS, tmp_path / "run")
    assert found.startswith(f"{tmp_path}/run: damaged or truncated ")
    (tmp_path / "run").write_bytes(pack(data) + pack(b"") + pack(data[:13].replace(b"0 ", b"x ", 1)))
    assert in_blocks(QRELS, tmp_path / "run") == in_memory(QRELS, tmp_path / "run")


def test_runs_in_memory_are_no_larger_than_memory():
    runs = {"one": {"7": {"a": 1.0, "x": 2.0}}, "two": {"8": {"a": 1.0}}}
    assert in_blocks(QRELS, runs) == in_memory(QRELS, runs)


def test_what_a_stream_knows(tmp_path, blocks_of):
    (tmp_path / "run").write_text("7 Q0 a 1 1 x\n5 Q0 a 1 1 x\n")
    blocks_of(1000)
    runs = stream(QRELS, tmp_path / "run", memory="1GiB")
    assert repr(runs) == "<Stream: 1 system, 3 topics, within 1024MiB>"
    with pytest.warns(DataWarning, match="ignored: 1 in run"):
        evaluate(runs, "AP")
    assert runs.ignored == {"run": 1}
    assert runs.read_as == "judgments dictionary; runs TREC text"
    assert runs.retrieved.tolist() == [[1, 0, 0]]
    for portions in runs.portions():
        assert {p.judged().systems for p in portions} == {("run",)}


def test_what_needs_all_lists_is_refused(tmp_path):
    (tmp_path / "run").write_text("7 Q0 a 1 1 x\n")
    with pytest.raises(InputError, match=r"bounds need all lists at once; a stream lets them go\n.*load\(\.\.\.\)"):
        bounds(stream(QRELS, tmp_path / "run"), "AP")
    with pytest.raises(InputError, match="one process reads what is larger than memory"):
        evaluate(stream(QRELS, tmp_path / "run"), "AP", client="tcp://127.0.0.1:1")
    with pytest.raises(InputError, match="name systems by file or path"):
        stream(QRELS, tmp_path / "run", names="tag")
    with pytest.raises(AttributeError):
        stream(QRELS, tmp_path / "run").nothing  # noqa: B018 the access is the test


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GiB", 2 << 30),
        ("500MB", 500_000_000),
        ("64M", 64 << 20),
        ("1.5k", 1536),
        ("12345", 12345),
        ("2 gib", 2 << 30),
    ],
)
def test_sizes(text, size):
    assert in_bytes(text) == size


@pytest.mark.parametrize("text", ["", "2GiBs", "-1", "0", "x", "1e9", 0, -5, True, 1.5, "GiB"])
def test_what_is_no_size(text):
    with pytest.raises(InputError, match="memory is a number of bytes, or with a unit, as in 2GiB"):
        in_bytes(text)


def test_too_little_memory_says_the_least(tmp_path):
    (tmp_path / "run").write_text("7 Q0 a 1 1 x\n")
    with pytest.raises(InputError, match=r"memory='1KiB' is too little: \d+MiB are taken .*\n.*give at least \d+MiB"):
        evaluate(stream(QRELS, tmp_path / "run", memory="1KiB"), "AP")
    with pytest.raises(InputError, match=r"memory='1MiB' is too little: \d+MiB are taken") as error:
        evaluate(stream(QRELS, tmp_path / "run", memory="1MiB"), "AP")
    least = str(error.value).rsplit(" ", 1)[1]
    with pytest.warns(DataWarning):
        evaluate(stream(QRELS, tmp_path / "run", memory=f"{int(least[:-3]) + 40}MiB"), "AP")


@pytest.mark.parametrize("name", ["run", "run.gz", "run.csv", "run.jsonl", "run.parquet", "folder.parquet"])
def test_how_far_it_is(tmp_path, blocks_of, name):
    """Bytes on disk of all runs, more with every block and all of them at the end."""
    rows = [(f"{t}", f"d{d}", float(d)) for t in range(60) for d in range(9)]
    table = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    trec = "".join(f"{t} Q0 {d} 1 {s} x\n" for t, d, s in rows).encode()
    path = tmp_path / name
    if name == "folder.parquet":
        path.mkdir()
        for part in range(3):
            table[part * 200 : (part + 1) * 200].write_parquet(path / f"{part}.parquet")
    elif name in ("run", "run.gz"):
        path.write_bytes(trec if name == "run" else gzip.compress(trec))
    else:
        kind = path.suffix[1:]
        {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[kind](path)
    (tmp_path / "other").write_bytes(trec)
    size = sum(p.stat().st_size for p in (path.iterdir() if path.is_dir() else [path])) + len(trec)
    heard = []
    blocks_of(2000)
    with pytest.warns(DataWarning):
        evaluate(stream(QRELS, [path, tmp_path / "other"], progress=heard.append), "AP")
    done = [one.done for one in heard]
    assert done == sorted(done)
    assert len(set(done)) > 5
    assert {one.total for one in heard} == {size}
    assert done[-1] == size
    assert str(heard[-1]) == f"other: {size_text(size)} of {size_text(size)} done"
    assert str(heard[0]).startswith(f"{io.system_name(path)}: {size_text(done[0])} of {size_text(size)} done, ")
    assert heard[0].left >= 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_nobody_knows_how_long_a_pipe_is(tmp_path, blocks_of):
    os.mkfifo(tmp_path / "run")
    text = "".join(f"{t} Q0 a 1 1 x\n" for t in range(7, 90))
    writer = threading.Thread(target=lambda: (tmp_path / "run").write_text(text))
    writer.start()
    heard = []
    blocks_of(200)
    with pytest.warns(DataWarning):
        evaluate(stream(QRELS, tmp_path / "run", progress=heard.append), "AP")
    writer.join()
    assert heard[-1].done == len(text)
    assert {(one.total, one.left) for one in heard} == {(None, None)}
    assert str(heard[-1]) == "run: 2KiB done"  # 1,159 bytes, never less than it is


def test_where_a_byte_is_wrong(tmp_path, blocks_of):
    text = "query_id,doc_id,score\n" + "".join(f"{t},d{d},1\n" for t in range(40) for d in range(9))
    blocks_of(600)
    for spoiled in ("30,d3", "0,d0", "query_id"):
        (tmp_path / "run.csv").write_bytes(text.encode().replace(spoiled.encode(), spoiled.encode() + b"\xff", 1))
        expected = in_memory(QRELS, tmp_path / "run.csv")
        assert "is no UTF-8" in expected[0]
        assert in_blocks(QRELS, tmp_path / "run.csv")[0].splitlines()[0] == expected[0].splitlines()[0]


@pytest.mark.slow
def test_a_row_group_larger_than_the_memory(tmp_path, monkeypatch):
    """It is read whole, whatever rows are wanted: room for it is set aside, and what took too much is refused."""
    rng = np.random.default_rng(6)
    docs = pl.Series(rng.integers(10**17, 10**18, 3_000_000)).cast(pl.String)
    table = pl.DataFrame({"query_id": np.repeat(["7", "8", "9"], 1_000_000), "doc_id": docs, "score": 1.0})
    run = tmp_path / "run.parquet"
    run.mkdir()
    table[1:].write_parquet(run / "0.parquet", row_group_size=3_000_000)
    table[:1].write_parquet(run / "1.parquet")
    on_disk = (run / "0.parquet").stat().st_size
    assert on_disk > 24 << 20
    with pytest.raises(InputError, match=r"(?s)are set aside for polars, and for a row group.*give at least"):
        evaluate(stream(QRELS, run, memory=resident() + FRAMES + on_disk), "AP")
    rows = iter(stream(QRELS, run, memory=resident() + FRAMES + on_disk + (90 << 20)).portions())
    with pytest.raises(InputError, match="topic '7' alone has"):  # that far it comes
        next(rows)
    monkeypatch.setattr("rankscope.io.tables._GROUP_TAKES", 0)
    memory = resident() + (90 << 20)
    monkeypatch.setattr("rankscope.judged.run_blocks.resident", lambda: memory + 1)
    with pytest.raises(InputError, match=r"(?s)rows took more than \d+MiB.*smaller row groups"):
        evaluate(stream(QRELS, run, memory=memory), "AP")


def test_a_damaged_table_is_refused(tmp_path):
    for number, data in enumerate((b"PAR1" + b"\xff" * 16 + b"PAR1", b"PAR1", b"PAR1" + b"\x00" * 20)):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(data)
        assert in_blocks(QRELS, path)[0].startswith(f"{path}: damaged Parquet file")


def test_more_memory_than_there_is(tmp_path, blocks_of):
    (tmp_path / "run").write_text("7 Q0 a 1 1 x\n")
    blocks_of(1 << 62)
    found, _ = in_blocks(QRELS, tmp_path / "run")
    assert found.startswith(f"{tmp_path}/run: {1 << 62} bytes at once are more than this machine has")
    assert "allow less memory" in found


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "run").write_text("7 Q0 a 1 1 x\n")
    opened = Path.open

    def denied(path, *given, **more):
        if path.name == "run":
            raise PermissionError(13, "Permission denied")
        return opened(path, *given, **more)

    monkeypatch.setattr(Path, "open", denied)
    assert in_blocks(QRELS, tmp_path / "run") == in_memory(QRELS, tmp_path / "run")
    assert "cannot be read (permission denied)" in in_memory(QRELS, tmp_path / "run")[0]


def test_real_runs(on_disk, blocks_of):
    blocks_of(1 << 18)
    files = on_disk.files()[:2]
    expected = in_memory(on_disk.qrels, files)
    assert isinstance(expected[0], tuple)
    assert in_blocks(on_disk.qrels, files) == expected


PEAK = """
import re, sys
from pathlib import Path
import rankscope as rs
import rankscope.io.memory as memory
if len(sys.argv) > 1:
    extra = memory.resident() + int(sys.argv[3])
    print(extra)
    print(rs.evaluate(rs.stream(sys.argv[1], sys.argv[2], memory=extra), ["AP", "nDCG@10"]).mean().value[0, 0])
else:
    rs.evaluate(rs.load({"7": {"a": 1}}, {"7": {"a": 1}}), ["AP", "nDCG@10"])
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks are told in other ways elsewhere")
@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="sanitizers take memory of their own")
@pytest.mark.parametrize(
    "pack",
    [
        pytest.param(bytes, id="plain", marks=pytest.mark.slow),
        pytest.param(lambda text: gzip.compress(text, 1), id="gz"),
    ],
)
def test_memory_is_kept_to(tmp_path, pack):
    """A million lines, 36 MB, within what the process takes anyway and less than that."""
    docs = "".join(f"%s Q0 document-{d:05d} 1 {1000 - d} tag\n" for d in range(1000))
    text = "".join(docs.replace("%s", str(t)) for t in range(1000))
    (tmp_path / "run").write_bytes(pack(text.encode()))
    (tmp_path / "qrels").write_text("".join(f"{t} 0 document-{t:05d} 1\n" for t in range(1000)))
    bare = int(_ran(PEAK))
    assert len(text) > 30 << 20
    allowed, mean, peak = _ran(PEAK, tmp_path / "qrels", tmp_path / "run", str(30 << 20)).split()
    assert bare < int(peak) <= int(allowed)
    assert float(mean) == evaluate(load(tmp_path / "qrels", tmp_path / "run"), "AP").mean().value[0, 0]


def _ran(program: str, *arguments: str | Path) -> str:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("layout", ["trec", "msmarco"])
@pytest.mark.parametrize("text", [100, 150, 1 << 20])
def test_comment_lines_and_wide_lines_are_counted(tmp_path, blocks_of, layout, text):
    """As in `load`, wherever blocks end: also behind the last topic."""
    blocks_of(text)
    line = "{0} Q0 {1} 1 {2} tag\n" if layout == "trec" else "{0}\t{1}\t{2}\n"
    wide = "9 Q0 c 2 0.5 tag more fields\n" if layout == "trec" else ""
    lists = [line.format(topic, doc, n + 1) for topic in "789" for n, doc in enumerate("abc")]
    path = tmp_path / "x.run"
    path.write_text("# ir_metadata.start\n" + "".join(lists[:4]) + "  # in between\n" + "".join(lists[4:8])
                    + wide + "# at the end\n")  # fmt: skip
    form = None if layout == "trec" else "msmarco"
    whole = told(lambda: evaluate(load(QRELS, path, run_format=form), FEW))
    assert told(lambda: evaluate(stream(QRELS, path, run_format=form), FEW)) == whole
    assert "comment lines, read over: 3 in x" in str(whole)


def test_subtopics_are_refused_in_a_sentence(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "x.run"
    qrels.write_text("7 1 a 1\n7 2 a 0\n7 2 b 1\n")
    run.write_text("7 Q0 a 1 2.0 t\n7 Q0 b 2 1.0 t\n")
    with pytest.raises(InputError, match=r"qrels: judgments by subtopic: .* block\n1 problem; leave out memory"):
        evaluate(stream(qrels, run), FEW)
