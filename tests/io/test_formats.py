"""Whatever a user holds in hand goes in, and comes out as the same numbers."""

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rankscope import InputError, evaluate, load, read_qrels, read_run, write_qrels, write_run
from rankscope.io import FORMATS

TOPICS, DOCS = ["7", "08", "q#9", "é"], [f"d{n}" for n in range(30)]
RNG = np.random.default_rng(5)
QRELS = {t: {d: int(RNG.integers(-1, 4)) for d in DOCS[:20]} for t in TOPICS}
RUN = {t: {d: float(s) for d, s in zip(DOCS, RNG.permutation(30) / 8, strict=True)} for t in TOPICS}
ROWS = [(t, d, s) for t, docs in RUN.items() for d, s in docs.items()]
JUDGED_ROWS = [(t, d, g) for t, docs in QRELS.items() for d, g in docs.items()]
RANKED = {t: sorted(docs, key=docs.get, reverse=True) for t, docs in RUN.items()}
MEASURES = ["AP", "nDCG@10", "RBP(p=0.8)", "Bpref", "Judged@5"]

DIALECTS = {
    "ir_measures": ("query_id", "doc_id", "score", "relevance"),
    "pyterrier": ("qid", "docno", "score", "label"),
    "beir": ("query-id", "corpus-id", "score", "score"),
    "trectools": ("query", "docid", "score", "rel"),
    "recommender": ("user", "item", "prediction", "rating"),
}


def columns(rows, names):
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def ranx_objects():
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    return ranx.Qrels({t: {d: g for d, g in docs.items() if g > 0} for t, docs in QRELS.items()}), ranx.Run(RUN)


def scored_docs():
    from ir_measures import ScoredDoc

    return [ScoredDoc(*row) for row in ROWS]


def judged_docs():
    from ir_measures import Qrel

    return [Qrel(*row) for row in JUDGED_ROWS]


RUN_FILES = {
    "trec": "run.txt", "trec.gz": "run.gz", "trec.zst": "run.txt.zst", "json": "run.json", "jsonl": "run.jsonl",
    "csv": "run.csv", "tsv.bz2": "run.tsv.bz2", "parquet": "run.parquet", "msmarco": "run.msmarco",
}  # fmt: skip
QRELS_FILES = {
    "trec": "qrels.txt", "json.xz": "qrels.json.xz", "csv": "qrels.csv", "tsv": "qrels.tsv", "parquet": "qrels.parquet"
}  # fmt: skip
RUNS_IN_MEMORY = {
    "dict": lambda: RUN,
    "lists": lambda: RANKED,
    "numpy scalars": lambda: {t: {d: np.float64(s) for d, s in docs.items()} for t, docs in RUN.items()},
    "ScoredDoc": scored_docs,
    "generator": lambda: iter(scored_docs()),
    **{f"polars {k}": lambda n=n: pl.DataFrame(columns(ROWS, n[:3])) for k, n in DIALECTS.items()},
    **{f"pandas {k}": lambda n=n: pd.DataFrame(columns(ROWS, n[:3])) for k, n in DIALECTS.items()},
    "pandas ranks": lambda: pd.DataFrame(
        [{"qid": t, "docno": d, "rank": r} for t, docs in RANKED.items() for r, d in enumerate(docs)]
    ),
    "pandas PyTerrier": lambda: pd.DataFrame(
        [
            {"qid": t, "docid": i, "docno": d, "rank": 0, "score": s, "query": "words"}
            for i, (t, d, s) in enumerate(ROWS)
        ]
    ),
    "polars categories": lambda: pl.DataFrame(columns(ROWS, DIALECTS["ir_measures"][:3])).cast(
        {"query_id": pl.Categorical}
    ),
    "polars binary": lambda: pl.DataFrame(columns(ROWS, DIALECTS["ir_measures"][:3])).cast({"doc_id": pl.Binary}),
}
QRELS_IN_MEMORY = {
    "dict": lambda: QRELS,
    "Qrel": judged_docs,
    **{f"polars {k}": lambda n=n: pl.DataFrame(columns(JUDGED_ROWS, (*n[:2], n[3]))) for k, n in DIALECTS.items()},
    **{f"pandas {k}": lambda n=n: pd.DataFrame(columns(JUDGED_ROWS, (*n[:2], n[3]))) for k, n in DIALECTS.items()},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    for name in RUN_FILES.values():
        write_run(folder / name, RUN)
    for name in QRELS_FILES.values():
        write_qrels(folder / name, QRELS)
    return folder


EXPECTED = evaluate(load(QRELS, RUN), MEASURES).value


def check(qrels, run):
    judged = load(qrels, {"run": run})
    reference = load(QRELS, RUN)
    order = [judged.topics.index(t) for t in reference.topics]
    assert judged.code.dtype == reference.code.dtype
    np.testing.assert_array_equal(judged.code[:, order], reference.code)
    np.testing.assert_array_equal(judged.available[order], reference.available)
    np.testing.assert_array_equal(evaluate(judged, MEASURES).value[:, :, order], EXPECTED)


@pytest.mark.parametrize("qrels", [*QRELS_FILES, *QRELS_IN_MEMORY])
@pytest.mark.parametrize("run", [*RUN_FILES, *RUNS_IN_MEMORY])
def test_every_format_gives_the_same_bits(folder, qrels, run):
    run = folder / RUN_FILES[run] if run in RUN_FILES else RUNS_IN_MEMORY[run]()
    qrels = folder / QRELS_FILES[qrels] if qrels in QRELS_FILES else QRELS_IN_MEMORY[qrels]()
    check(qrels, run)


@pytest.mark.slow
def test_ranx_objects():
    """Its Qrels takes no negative grades and drops nothing else that matters to AP."""
    qrels, run = ranx_objects()
    ours = evaluate(load(QRELS, RUN), ["AP", "nDCG"]).to_dict()["run"]
    assert evaluate(load(qrels, {"run": run}), ["AP", "nDCG"]).to_dict()["run"] == ours
    assert load(qrels, run).systems == (run.name or "run",)


@pytest.mark.parametrize("one", RUN_FILES)
@pytest.mark.parametrize("other", [*RUN_FILES])
def test_round_trips_of_runs(folder, tmp_path, one, other):
    """Through any two formats; where scores are lost, the order is not."""
    first = read_run(folder / RUN_FILES[one])
    write_run(tmp_path / RUN_FILES[other], first)
    check(QRELS, tmp_path / RUN_FILES[other])


AWKWARD = ["#1", "a#b", '"x"', "it's", "01", "1e5", "é", "😀", "a,b", "x" * 10_000, "\x0b"]
BLANKS = ["a b", "a\tb", "a\nb", "", " a "]
RAW = ["\udcff", "a\udc80b"]


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("x.txt", AWKWARD + RAW),
        ("x.msmarco", AWKWARD + RAW),
        ("x.json", AWKWARD + BLANKS + RAW),
        ("x.jsonl", AWKWARD + BLANKS + RAW),
        ("x.csv", AWKWARD + BLANKS),
        ("x.tsv.gz", AWKWARD + BLANKS),
        ("x.parquet", AWKWARD + BLANKS + RAW),
    ],
)
def test_awkward_ids_survive(tmp_path, name, ids):
    topics = ids[1:] if name in ("x.txt", "x.msmarco") else ids  # a line that begins with # is a comment there
    run = {t: {d: float(len(ids) - i) for i, d in enumerate(ids)} for t in topics}
    write_run(tmp_path / name, run)
    judged = load(run, {"run": tmp_path / name}, keep_docs=True)
    assert judged.topics == tuple(topics)
    got = [[judged.documents.ids[n] for n in row] for row in judged.documents.number[0]]
    assert got == [ids] * len(topics)


def test_ids_that_a_format_cannot_hold(tmp_path):
    for name, bad in (("x.txt", "a b"), ("x.msmarco", ""), ("x.csv", "\udcff"), ("x.tsv", "\udcff")):
        with pytest.raises(InputError, match="cannot be written"):
            write_run(tmp_path / name, {"7": {bad: 1.0}})
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7\td1\t1\n7\td2\t2\n", "MS MARCO (topic document rank)"),
        ("7 d1 0\n7 d2 1\n", "MS MARCO (topic document rank)"),
        ("7\td1\t12.5\n7\td2\t11.5\n", "MS MARCO (topic document score)"),
        ("7\td1\t1\t12.5\n7\td2\t2\t11.5\n", "MS MARCO (topic document rank score)"),
        ("7\td1\t12.5\t1\n7\td2\t11.5\t2\n", "MS MARCO (topic document score rank)"),
        ("7 Q0 d1 1 12.5 x\n7 Q0 d2 2 11.5 x\n", "TREC text"),
        ('{"7": {"d1": 2, "d2": 1}}', "JSON"),
        ('{"7": ["d1", "d2"]}', "JSON"),
        ('\n {\n"7": {"d1": 2,\n "d2": 1}}', "JSON"),
        ('{"query_id": "7", "doc_ids": ["d1", "d2"]}\n', "JSON lines"),
        ('{"qid": "7", "results": ["d1", "d2"]}\n\n', "JSON lines"),
        ('{"qid": "7", "docno": "d1", "score": 2}\n{"qid": "7", "docno": "d2", "score": 1}\n', "JSON lines"),
        ("query_id,doc_id,score\n7,d1,2\n7,d2,1\n", "CSV with a header"),
        ("qid\tdocno\trank\n7\td1\t1\n7\td2\t2\n", "TSV with a header"),
        ("user_id,item_id,prediction,extra\n7,d1,2,x\n7,d2,1,x\n", "CSV with a header"),
    ],
)
def test_formats_are_seen_in_the_content(tmp_path, text, expected):
    (tmp_path / "run").write_text(text)
    judged = load({"7": {"d1": 1, "d2": 0}}, tmp_path / "run")
    assert judged.read_as == f"judgments dictionary; runs {expected}"
    assert judged.code.tolist() == [[[3, 2]]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 0 d1 1\n7 0 d2 0\n", "TREC text"),
        ("query-id\tcorpus-id\tscore\n7\td1\t1\n7\td2\t0\n", "TSV with a header"),
        ('{"7": {"d1": 1, "d2": 0}}', "JSON"),
        (
            '{"query_id": "7", "doc_id": "d1", "relevance": 1}\n{"query_id": "7", "doc_id": "d2", "relevance": 0}',
            "JSON lines",
        ),
    ],
)
def test_formats_of_judgments(tmp_path, text, expected):
    (tmp_path / "qrels").write_text(text)
    judged = load(tmp_path / "qrels", {"7": {"d1": 2.0, "d2": 1.0}})
    assert judged.read_as == f"judgments {expected}; runs dictionary"
    assert judged.available.tolist() == [[1, 1]]
    assert judged.code.tolist() == [[[3, 2]]]


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("7 d1 1\n7 d2 5\n7 d3 3\n", ["msmarco (topic document rank)", "msmarco-score (topic document score)"]),
        ("7 d1 1 1\n7 d2 2 2\n", ["msmarco-rank-score", "msmarco-score-rank"]),
        ("7 0 1 0.5\n", ["topic document rank score", "topic iteration document grade"]),
        ("query_id,doc_id,user,item,score\na,b,c,d,1\n", ["query_id, doc_id, score", "user, item, score"]),
    ],
)
def test_ambiguity_names_both_readings(tmp_path, text, readings):
    (tmp_path / "run").write_text(text)
    with pytest.raises(InputError, match="can be read as") as error:
        load(QRELS, tmp_path / "run")
    for reading in readings:
        assert reading in str(error.value)


def test_a_given_format_overrides(tmp_path):
    (tmp_path / "run").write_text("7 d1 1\n7 d2 5\n7 d3 3\n")
    qrels = {"7": {"d1": 1, "d2": 2, "d3": 3}}
    assert load(qrels, tmp_path / "run", run_format="msmarco").code.tolist() == [[[2, 4, 3]]]
    assert load(qrels, tmp_path / "run", run_format="msmarco-score").code.tolist() == [[[3, 4, 2]]]
    with pytest.raises(InputError, match="runs can be trec, nuggets, json"):
        load(qrels, tmp_path / "run", run_format="xml")
    with pytest.raises(InputError, match="'msmarco' is no format of judgments"):
        load(tmp_path / "run", RUN, qrels_format="msmarco")


FRAME = pl.DataFrame({"query_id": ["7", "7"], "doc_id": ["d1", "d2"], "score": [2.0, 1.0]})


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("x.json", b'{"7": {"d1": 1,}}', r":1: invalid JSON at offset 1[45], column 1[56]: "),
        ("x.json", b'{"7": {"d1": null}}', r': key "7" / "d1": score null is no finite number'),
        ("x.json", b'{"7": {"d1": "1"}}', r': key "7" / "d1": score "1" is no finite number'),
        ("x.json", b'{"7": {"d1": NaN}}', r': key "7" / "d1": score NaN is no finite number'),
        ("x.json", b'{"7": 3}', r': key "7": a number, expected an object'),
        ("x.json", b'{"7": {"d1": 1}, "8": ["d1"]}', "topics hold objects here and lists there"),
        ("x.json", b'{"7": [1.5]}', r'key "7": document 1.5 is a float, expected a string'),
        ("x.json", b'{"7": {"d1": 1, "d1": 2}}', r"row 2: document 'd1' appears twice in topic '7' \(first in row 1\)"),
        ("x.json", b'{"7": {"d1": 1, "\\u0064\\u0031": 2}}', "row 2: document 'd1' appears twice in topic '7'"),
        ("x.json", b'{"7": {"d1": 1' + b"0" * 400 + b"}}", "is no finite number"),
        ("x.json", b'{"7": {"d1": 1' + b"0" * 5000 + b"}}", "invalid JSON|is no finite number"),
        ("x.csv", b"query_id,doc_id,score,score\n7,d1,1,2\n", "several columns are named 'score'"),
        ("x.json", b'{"7": ["d1", "d1"]}', "document 'd1' appears twice"),
        ("x.json", b"{}", "is empty"),
        ("x.json", b'{"7": {"d\xff": 1}}', r":1: byte 0xff at offset 9 is no UTF-8"),
        ("x.jsonl", b'{"qid": "7", "docs": ["d1"]}\n{"qid": "8", \n', r":2: invalid JSON"),
        (
            "x.jsonl",
            b'{"x": "7", "docs": ["d1"]}\n{"qid": "8", "docs": []}\n',
            r":1: no topic among the keys 'x', 'docs'",
        ),
        ("x.csv", b"query_id,doc_id,score\n7,d1,x\n", "x.csv:2: score 'x' is no finite number"),
        ("x.csv", b"query_id,doc_id,score\n7,d1,1\n,d2,1\n", "x.csv:3: column 'query_id' is null"),
        ("x.csv", b"query_id,doc_id,score\n7,d1,inf\n", "x.csv:2: score 'inf' is no finite number"),
        # lines of the file, blank ones and those within quotation marks among them
        (
            "x.csv",
            b'\r\nquery_id,doc_id,score\r\n\r\n7,d1,x\r\n\r\n"7\r\n8",d2,y\r\n7,d3,z\r\n',
            "(?s)x.csv:4: score 'x'.*x.csv:6: score 'y'.*x.csv:8: score 'z'.*\n3 problems",
        ),
        ("x.tsv", b"qid\tdocno\tscore\n\n\n7\td1\t1\n\n7\td1\t2\n", r"x.tsv:6: document 'd1'.*first at line 4"),
        ("x.jsonl", b'\n{"qid": "7", "docno": "a", "score": 1}\n\n{"qid": "7", "docno": "b"}\n', ":4: score None"),
        (
            "x.jsonl",
            b'\n{"qid": "7", "docno": "a", "score": 1}\n\n{"qid": "7", "docno": "a", "score": 1}\n',
            r"x.jsonl:4: document 'a' appears twice in topic '7' \(first at line 2\)",
        ),
        (
            "x.jsonl",
            b'{"qid": "7", "docno": "a", "score": 2}\n\n{"qid": "7", "docno": {"b": 1}, "score": 1}\n',
            r"x.jsonl:3: docno \{'b': 1\} is no text\n.*give ids as text",
        ),
        (
            "x.jsonl",
            b'{"qid": "7", "docno": "a", "score": 2}\n{"qid": 7, "docno": "b", "score": 1}\n',
            r"x.jsonl:2: qid 7 is no text\n.*give ids as text",
        ),
        (
            "x.jsonl",
            b'{"qid": "7", "docno": "a", "score": 2}\n{"qid": "7", "docno": "b", "score": true}\n'
            b'{"qid": "7", "docno": "c", "score": [1]}\n{"qid": "7", "docno": "d"}\n',
            r"(?s):2: score 'true' is no finite.*:3: score '\[1\]' is no finite.*:4: score 'null' is no finite",
        ),
        ("x.csv", b"query_id;doc_id;score\n7;d1;1\n", "x.csv:1: columns are separated by semicolons"),
        ("x.jsonl", b'\n{"qid": "7", "docs": ["a", "a"]}\n', r"x.jsonl:2: document 'a'.*\(first at line 2\)"),
        ("x.jsonl", b'{"qid": "7", "docs": ["a"]}\n\n{\n[]\n', r"(?s):3: invalid JSON.*:4: a list, expected an object"),
        ("x.csv", b"query_id,doc_id\n7,d1\n", "no columns for a run among 'query_id', 'doc_id'"),
        ("x.csv", b"query_id,doc_id,sccore\n7,d1,1\n", "no columns for a run among 'query_id', 'doc_id', 'sccore'"),
        ("x.csv", b"query_id,doc_id,score\n7,d\xff,1\n", r":2: byte 0xff at offset 25 is no UTF-8"),
        ("x.csv", b"query_id,doc_id,score\n7,d1,1,2,3\n", ":2: cannot be read as delimited text"),
        ("x.parquet", b"PAR1 and then nothing", "damaged Parquet file"),
        ("x.tsv", b"7\td1\t1\n7\td2\n", ":2: 2 fields, expected 3"),
    ],
)
def test_bad_files_of_every_format(tmp_path, name, content, cause):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=cause) as error:
        load(QRELS, tmp_path / name)
    assert all(p.cure for p in error.value.problems)
    assert all(p.place == str(tmp_path / name) for p in error.value.problems)


@pytest.mark.parametrize(
    ("frame", "cause"),
    [
        (FRAME.with_columns(doc_id=pl.Series(["d1", None])), "row 1: column 'doc_id' is null"),
        (FRAME.with_columns(doc_id=pl.Series([1.0, 2.0])), "column 'doc_id' holds Float64, expected text"),
        (FRAME.with_columns(score=pl.Series([1.0, float("nan")])), "row 1: score nan is no finite number"),
        (FRAME.with_columns(score=pl.Series([True, False])), "column 'score' holds Boolean, expected numbers"),
        (FRAME.drop("score"), "no columns for a run among 'query_id', 'doc_id'"),
        (FRAME.clear(), "has no rows"),
        (FRAME.with_columns(doc_id=pl.lit("d1")), "row 2: document 'd1' appears twice in topic '7'"),
        (pd.DataFrame([[1, 2, 3, 4]], columns=["qid", "docno", "score", "score"]), "several columns are named 'score'"),
        (pd.DataFrame({"qid": ["7", pd.NA], "docno": ["d1", "d2"], "score": [1, 2]}), "row 1: column 'qid' is null"),
        (pd.DataFrame({"qid": ["7", None], "docno": ["d1", "d2"], "score": [1, 2]}), "row 1: column 'qid' is null"),
        (pd.DataFrame({"qid": [7.0, None], "docno": ["d1", "d2"], "score": [1, 2]}), "Float64"),
        (object(), "a object cannot be read"),
        ([1, 2], "a list of int cannot be read"),
    ],
)
def test_bad_things_in_memory(frame, cause):
    with pytest.raises(InputError, match=cause) as error:
        load(QRELS, frame)
    assert all(p.cure for p in error.value.problems)


def test_a_parquet_file_with_null_ids(tmp_path):
    FRAME.with_columns(doc_id=pl.Series([None, "d2"])).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="row 0: column 'doc_id' is null"):
        load(QRELS, tmp_path / "x.parquet")


def test_integer_ids_of_a_frame_are_read_as_text():
    run = pl.DataFrame({"user": [7, 7], "item": [1, 2], "score": [1.0, 2.0]})
    assert load({"7": {"1": 1, "2": 0}}, run).code.tolist() == [[[2, 3]]]


def test_json_lines_with_whole_and_other_scores(tmp_path):
    rows = [{"qid": "7", "docno": "d1", "score": 1}, {"qid": "7", "docno": "d2", "score": 2.5}]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert load({"7": {"d1": 1, "d2": 0}}, tmp_path / "x.jsonl").code.tolist() == [[[2, 3]]]


def test_lazy_frames():
    assert load({"7": {"d1": 1, "d2": 0}}, FRAME.lazy()).code.tolist() == [[[3, 2]]]


def test_duplicate_topics_of_json_are_one_topic(tmp_path):
    (tmp_path / "x.json").write_text('{"7": {"d1": 1}, "7": {"d2": 2}}')
    assert load({"7": {"d1": 1, "d2": 0}}, tmp_path / "x.json").code.tolist() == [[[2, 3]]]


def test_zstd_without_its_package(tmp_path, monkeypatch):
    import sys

    (tmp_path / "x.zst").write_bytes(b"\x28\xb5\x2f\xfd rest")
    with pytest.raises(InputError, match="damaged or truncated zstd file"):
        read_run(tmp_path / "x.zst")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError, match=r"x\.zst: zstd needs the package zstandard") as error:
        read_run(tmp_path / "x.zst")
    assert 'pip install "rankscope[zstd]"' in str(error.value)


def test_every_format_has_words():
    assert all(f.words and (f.run or f.qrels) for f in FORMATS.values())


def test_json_escapes_and_plain_json_agree(tmp_path):
    plain = {"7": {"d1": 0.1, "d2": -3, "é": 1e-7}}
    (tmp_path / "a.json").write_text(json.dumps(plain, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps(plain))
    (tmp_path / "c.json").write_bytes(gzip.compress(json.dumps(plain, indent=3).encode()))
    runs = [read_run(tmp_path / f"{name}.json") for name in "abc"]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.score, runs[0].score)


def test_qrels_files_read_back(folder):
    for name in QRELS_FILES.values():
        np.testing.assert_array_equal(read_qrels(folder / name).grade, [g for _, _, g in JUDGED_ROWS])
