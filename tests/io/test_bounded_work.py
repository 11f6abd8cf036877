"""What a hostile file may cost: limits are named, and memory is of the size of the file."""

import bz2
import gzip
import lzma
import os
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from marks import slow

from rankscope import InputError, kernels, load
from rankscope.arrays import padded
from rankscope.cli import main
from rankscope.io import files, memory, score_tables, tables
from rankscope.io.files import longest_line
from rankscope.io.problems import _count_fields, line_parts, qrels_problems, row_problems, run_problems
from rankscope.judged import ranked

QRELS = {"7": {"a": 1}}
MIB = 1 << 20


@pytest.fixture
def little(monkeypatch):
    """A machine with 8 MiB of free memory."""
    monkeypatch.setattr(memory, "free_memory", lambda: 8 * MIB)
    monkeypatch.setattr(files, "_LARGE", MIB)


@pytest.mark.parametrize("options", [[], ["--memory", "8GiB"]])
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_devices_have_no_end(device, options, tmp_path, capsys):
    if not Path(device).exists():
        pytest.skip("no such device")
    (tmp_path / "qrels").write_text("7 0 a 1\n")
    assert main(["evaluate", str(tmp_path / "qrels"), device, *options]) == 2
    assert "is a device" in capsys.readouterr().err


@pytest.mark.parametrize("packed", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_zeros_without_end(packed, little, tmp_path):
    """Compressed or not, too much is told with both numbers, and is not called damaged."""
    zeros = bytes(20 * MIB)
    path = tmp_path / f"run{packed}"
    path.write_bytes({"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress,
                      ".zst": lambda data: files.zstd().ZstdCompressor().compress(data)}[packed](zeros))  # fmt: skip
    with pytest.raises(InputError, match=rf"{path}: its content takes [0-9]+MiB or more, and 8MiB of memory are free"):
        load(QRELS, path)


def test_a_pipe_without_end(little, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def fill():
        try:
            with pipe.open("wb") as file:
                while True:
                    file.write(bytes(MIB))
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=fill)
    writer.start()
    with pytest.raises(InputError, match=r"its content takes [0-9]+MiB or more"):
        load(QRELS, pipe)
    writer.join()


def test_memory_that_runs_out_is_no_damage(monkeypatch, tmp_path):
    class Full:
        eof, unused_data, needs_input = False, b"", True

        def decompress(self, *_):
            raise MemoryError

    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"7 Q0 a 1 1 x\n"))
    monkeypatch.setitem(files._UNPACKERS, "gzip", Full)
    with pytest.raises(MemoryError):
        load(QRELS, path)


def run_of(topics, depth=100):
    return b"".join(
        b"%d Q0 document%07d %d %d.5 tag\n" % (t, d, d, depth - d) for t in range(topics) for d in range(depth)
    )


def peak(work):
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as error:
            work()
        return tracemalloc.get_traced_memory()[1], error.value
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["short", *slow("no number", "twice"), "twice and apart"])
def test_one_bad_line_costs_its_surroundings(kind, monkeypatch, tmp_path):
    """Only the part of the file around it is taken apart."""
    good = run_of(900)
    assert len(good) > 2 * ranked._LOOK
    at = good.index(b"\n", len(good) // 2) + 1
    topic = good[at:].split(b" ", 1)[0]
    bad = {"short": b"%s Q0\n" % topic, "no number": b"%s Q0 x 1 high tag\n" % topic,
           "twice": good[at:].split(b"\n", 1)[0] + b"\n", "twice and apart": b""}[kind]  # fmt: skip
    last = b"0 Q0 document0000000 1 1 tag\n" if kind == "twice and apart" else b""
    path = tmp_path / "run"
    path.write_bytes(good[:at] + bad + good[at:] + last)
    qrels = {str(t): {"document0000001": 1} for t in range(900)}
    taken = []
    literal = ranked.RunProblems.add
    monkeypatch.setattr(ranked.RunProblems, "add", lambda self, text: (taken.append(text.size), literal(self, text))[1])
    memory_taken, error = peak(lambda: load(qrels, path, workers=1))
    (problem,) = error.problems
    assert problem.line == (90_001 if kind == "twice and apart" else (good[:at]).count(b"\n") + 1 + (kind == "twice"))
    assert sum(taken) <= (0 if kind == "twice and apart" else 1.1 * ranked._LOOK)
    bound = 14 if kind == "twice and apart" or kernels.KIND != "compiled" else 8  # numpy kernels hold arrays of fields
    assert memory_taken < bound * path.stat().st_size


@pytest.mark.parametrize("problems", [
    lambda text: run_problems(text, "x"), lambda text: qrels_problems(text, "x", first=True),
    lambda text: row_problems(text, "x", ("topic", "document", "rank")),
])  # fmt: skip
def test_one_line_of_many_fields(problems):
    text = padded(b"a " * (4 * MIB) + b"\n")
    tracemalloc.start()
    problem, *_ = problems(text)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert problem.line == 1
    assert len(str(problem)) < 300
    assert taken < (5 if kernels.KIND == "compiled" else 20) * text.size


def test_fields_are_counted_as_they_are_split():
    rng = np.random.default_rng(1)
    for _ in range(50):
        line = bytes(rng.choice([32, 32, 97], rng.integers(1, 40)).astype(np.uint8))
        assert _count_fields(line) == len(line.split(b" ")) - line.split(b" ").count(b"")
    line = b"x" * (MIB - 1) + b" y" + b" " * MIB + b"z"
    assert _count_fields(line) == 3


def test_parts_of_whole_lines():
    raw = b"".join(b"x" * n + b"\n" for n in (10, 3 * MIB, 5, MIB - 7, MIB, 0, 2)) + b"end"
    parts = list(line_parts(padded(raw)))
    assert b"".join(raw[a:b] for a, b in parts) == raw
    assert all(raw[b - 1 : b] == b"\n" for _, b in parts[:-1])
    assert len(parts) > 2
    assert list(line_parts(padded(b""))) == []


def test_many_bad_lines_are_all_counted():
    text = padded(b"7 Q0 a 1 1 t\n" * 100_000 + b"7 0 a\n" * 30_000)
    assert sum(p.count for p in run_problems(text, "x", first=True)) == 30_000
    text = padded(b"7 0 a 1\n" * 200_000 + b"7 0 a\n" * 30_000)
    problems = qrels_problems(text, "x", first=True)
    assert sum(p.count for p in problems) == 30_000
    assert problems[0].line == 200_001


def test_headers_are_limited(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query_id,doc_id,score" + ",x" * (tables.LONGEST_HEADER // 2) + "\n7,a,1\n")
    with pytest.raises(InputError, match="a header of 65,557 bytes, where 65,536 are the most"):
        load(QRELS, path)
    path.write_text("query_id,doc_id,score" + ",x" * 20_000 + "\n7,a,1\n")
    with pytest.raises(InputError, match="several columns are named 'x'"):
        load(QRELS, path)


def test_lines_of_scores_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(score_tables, "LONGEST_LINE", 100)
    path = tmp_path / "scores.csv"
    path.write_text("topic,a,b\n7,1,2\n" + "8," + "0" * 200 + ",1\n")
    with pytest.raises(InputError, match="a line of 204 bytes, where 100 are the most"):
        score_tables.read_scores(path)
    assert [longest_line(padded(raw)) for raw in (b"", b"abc", b"a\nbcd\n", b"\n\n")] == [0, 3, 3, 0]


@pytest.mark.parametrize("depth", [200, 900, 990, 1000, 5000, 100_000])
@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("around", [("[", "]"), ('{"a":', "}")])
def test_deep_nesting(depth, ending, around, tmp_path):
    path = tmp_path / f"run.{ending}"
    deep = around[0] * depth + "1" + around[1] * depth
    path.write_text(f'{{"query_id": "7", "doc_ids": [{deep}]}}\n' if ending == "jsonl" else f'{{"7": {{"a": {deep}}}}}')
    with pytest.raises(InputError):
        load(QRELS, path, run_format=ending)
    with pytest.raises(InputError):
        load(path, {"x": QRELS}, qrels_format=ending)


def test_deep_nesting_of_other_files(tmp_path, capsys):
    from rankscope.simulation import embedded

    qrels, (a, b, *_) = embedded()
    deep = tmp_path / "deep.json"
    deep.write_text('{"a":' * 100_000)
    assert main(["gate", str(qrels), str(a), str(b), "--slices", str(deep)]) == 2
    assert main(["enumerate", "-k", "3", "-m", "P@3", "RR@3", "--buckets", "--properties", str(deep)]) == 2
    assert capsys.readouterr().err.count("deep.json: no JSON (") == 2
