"""Files that people have: names of columns in any mix, exports of other tools, and near misses of them."""

import gzip
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.errors import DataWarning, InputError
from rankscope.io import convert, read_qrels, read_run
from rankscope.io.columns import cut

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
RUN = {"q1": {"a": 3.0, "b": 1.5}, "q2": {"c": 0.5, "d": 0.25}}


def judgments(source, **options):
    """{topic: {document: grade}} of what is read."""
    columns = read_qrels(source, **options)
    return _as_dict(columns, columns.grade)


def run(source, **options):
    columns = read_run(source, **options)
    return _as_dict(columns, columns.score)


def _as_dict(columns, values):
    lists = {}
    for topic, doc, value in zip(cut(columns.text, columns.topic), cut(columns.text, columns.doc), values, strict=True):
        lists.setdefault(topic.decode(), {})[doc.decode()] = float(value)
    return lists


def rows(lists, topic, doc, value):
    return [{topic: t, doc: d, value: v} for t, docs in lists.items() for d, v in docs.items()]


@pytest.mark.parametrize(
    "names",
    [
        ("query_id", "doc_id", "label"),
        ("userId", "movieId", "rating"),
        ("Query", "DocID", "Rating"),
        ("query", "docid", "rating"),
        ("query_id", "product_id", "grade"),
        ("Topic ID", "Document-ID", "RELEVANCE"),
        ("question_id", "chunk_id", "rel"),
        ("query-id", "corpus-id", "score"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "frame", "json"])
def test_known_names_in_any_mix(tmp_path, names, ending):
    table = rows(QRELS, *names)
    if ending == "frame":
        assert judgments(pd.DataFrame(table)) == judgments(pl.DataFrame(table)) == QRELS
        return
    path = tmp_path / f"qrels.{ending}"
    if ending == "parquet":
        pl.DataFrame(table).write_parquet(path)
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table))
    elif ending == "json":
        path.write_text(json.dumps(table))
    else:
        pl.DataFrame(table).write_csv(path, separator="," if ending == "csv" else "\t")
    assert judgments(path) == QRELS


@pytest.mark.parametrize(
    "names", [("query", "id", "score"), ("user", "movieId", "prediction"), ("QID", "pid", "Score")]
)
def test_known_names_of_runs(tmp_path, names):
    pl.DataFrame(rows(RUN, *names)).write_csv(tmp_path / "run.csv")
    assert run(tmp_path / "run.csv") == RUN


def test_the_text_of_a_query_beside_its_id_is_not_the_topic(tmp_path):
    (tmp_path / "q.csv").write_text("query_id,query,doc_id,label\nq1,red shoes,a,2\n")
    assert judgments(tmp_path / "q.csv") == {"q1": {"a": 2}}


def test_columns_by_name(tmp_path, capsys):
    (tmp_path / "qrels.csv").write_text("search,sku,points\nq1,a,2\nq1,b,0\nq2,c,1\n")
    columns = {"topic": "search", "document": "sku", "grade": "points"}
    with pytest.raises(InputError, match=r"no line has 4 fields|the topic and the document and the grade cannot"):
        judgments(tmp_path / "qrels.csv")
    assert judgments(tmp_path / "qrels.csv", columns=columns) == QRELS
    (tmp_path / "run.csv").write_text("term,sku,points\n" + "".join(
        f"{t},{d},{v}\n" for t, docs in RUN.items() for d, v in docs.items()))  # fmt: skip
    both = {"topic": ("search", "term"), "document": "sku", "grade": "points", "score": "points"}
    judged = rs.load(tmp_path / "qrels.csv", tmp_path / "run.csv", columns=both)
    expected = rs.evaluate(rs.load(QRELS, {"run": RUN}), ["nDCG", "AP"]).value
    np.testing.assert_array_equal(rs.evaluate(judged, ["nDCG", "AP"]).value, expected)
    option = "topic=search,topic=term,document=sku,grade=points,score=points"
    files = [str(tmp_path / "qrels.csv"), str(tmp_path / "run.csv")]
    assert main(["evaluate", *files, "-m", "AP", "--columns", option, "--json"]) == 0
    assert "AP" in capsys.readouterr().out
    assert main(["evaluate", *files, "-m", "AP", "--columns", "topic=searc,document=sku,grade=points"]) == 2
    assert "no column 'searc' for the topic among 'search', 'sku', 'points'" in capsys.readouterr().err


def test_files_with_different_names_take_all_of_them(tmp_path, capsys):
    """The names of the judgments are not those of the run: the error says how to give both."""
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    qrels.write_text("frage,dokument,note\nq1,d1,1\n")
    run.write_text("query,docid,score\nq1,d1,2\n")
    command = ["evaluate", str(qrels), str(run), "-m", "P@1", "--columns"]
    assert main([*command, "topic=frage,document=dokument,grade=note"]) == 2
    assert "as in --columns topic=frage,topic=query" in capsys.readouterr().err
    assert main([*command, "topic=frage,topic=query,document=dokument,document=docid,grade=note"]) == 0


@pytest.mark.parametrize(
    ("columns", "cause"),
    [
        ({"query": "x"}, "'query' is no role of a column"),
        ({}, "names no columns"),
        ("topic", "names no columns"),
        ({"topic": 7}, "7 is no name of a column"),
        ({"topic": []}, r"\[\] is no name of a column"),
    ],
)
def test_names_of_columns_that_are_none(columns, cause):
    with pytest.raises(InputError, match=cause):
        rs.load(QRELS, RUN, columns=columns)


def test_two_columns_that_could_be_one():
    table = pl.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "label": [1], "rating": [2]})
    with pytest.raises(
        InputError,
        match=r"(?s)'label' and 'rating' could each be the grade.*say which one, as in columns=\{'grade': 'label'\}",
    ):
        judgments(table)
    assert judgments(table, columns={"grade": "rating"}) == {"q1": {"a": 2}}


def test_several_runs_in_one_table(tmp_path):
    table = pl.DataFrame(
        [{"model": name, **row} for name in ("bm25", "dense") for row in rows(RUN, "qid", "docno", "score")]
    )
    expected = ("bm25", "dense")
    table.write_csv(tmp_path / "runs.csv")
    table.write_parquet(tmp_path / "runs.parquet")
    (tmp_path / "runs.csv.gz").write_bytes(gzip.compress((tmp_path / "runs.csv").read_bytes()))
    for source in (table, pd.DataFrame(table.to_dicts()), table.lazy(),
                   tmp_path / "runs.csv", tmp_path / "runs.parquet", tmp_path / "runs.csv.gz"):  # fmt: skip
        judged = rs.load(QRELS, source)
        assert judged.systems == expected
        assert (judged.code[0] == judged.code[1]).all()
    renamed = table.rename({"model": "variant"})
    assert rs.load(QRELS, renamed, columns={"run": "variant"}).systems == expected
    table.filter(pl.col("model") == "bm25").write_csv(tmp_path / "one.csv")
    assert rs.load(QRELS, tmp_path / "one.csv").systems == ("one",)


def test_a_row_without_a_run():
    table = pl.DataFrame({"run": ["x", None], "qid": ["q1", "q2"], "docno": ["a", "c"], "score": [1, 2]})
    with pytest.raises(InputError, match="column 'run' is null on some row"):
        rs.load(QRELS, table)


@pytest.mark.parametrize(
    "line",
    [
        {"query_id": "q1", "results": [{"doc_id": "a", "score": 3.0}, {"doc_id": "b", "score": 1.5}]},
        {"qid": "q1", "hits": [{"id": "a", "score": 3.0}, {"id": "b", "score": 1.5}]},
        {"id": "q1", "ranking": [{"id": "a", "score": 3.0}, {"id": "b", "score": 1.5}]},
        {"query": "q1", "contexts": [{"chunk_id": "a", "similarity": 3.0}, {"chunk_id": "b", "similarity": 1.5}]},
    ],
)
def test_nested_json_lines(tmp_path, line):
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(line) + "\n" + json.dumps(line).replace('"q1"', '"q2"') + "\n")
    assert run(path) == {topic: {"a": 3.0, "b": 1.5} for topic in ("q1", "q2")}
    path.write_text(json.dumps([line]))
    assert run(path) == {"q1": {"a": 3.0, "b": 1.5}}


def test_nested_json_lines_without_scores_are_ranked_lists(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text('{"query_id": "q1", "results": [{"doc_id": "a"}, {"doc_id": "b"}]}\n')
    assert run(path) == {"q1": {"a": -1.0, "b": -2.0}}


def test_nested_json_lines_of_judgments_and_other_names(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"term": "q1", "judged": [{"sku": "a", "points": 2}]}\n')
    assert judgments(path, columns={"topic": "term", "document": "sku", "grade": "points"}) == {"q1": {"a": 2}}
    path.write_text(
        '{"q": 1, "results": [{"doc_id": "a", "score": 1}]}\n{"q": 2, "results": [{"doc_id": "a", "score": 1}]}\n'
    )
    with pytest.raises(InputError, match=r"(?s)q.jsonl:1: no topic among the keys 'q', 'results'.*:2: no topic"):
        run(path)


def test_quepid(tmp_path):
    (tmp_path / "ratings.csv").write_text("query,docid,rating\nstar wars,11,3\nstar wars,12180,0\n")
    assert judgments(tmp_path / "ratings.csv") == {"star wars": {"11": 3, "12180": 0}}
    # a book: one column per rater; an empty cell is a document that this rater has not seen
    (tmp_path / "book.csv").write_text("query,docid,Ann,Ben\nstar wars,11,3,2\nstar wars,12180,,1\n")
    with pytest.raises(InputError, match=r"among 'query', 'docid', 'Ann', 'Ben': the grade cannot be told by name"):
        judgments(tmp_path / "book.csv")
    columns = read_qrels(tmp_path / "book.csv", columns={"grade": "Ann"})
    assert (_as_dict(columns, columns.grade), columns.ungraded) == ({"star wars": {"11": 3}}, 1)
    assert judgments(tmp_path / "book.csv", columns={"grade": "Ben"}) == {"star wars": {"11": 2, "12180": 1}}


def test_opensearch_judgments(tmp_path):
    ratings = [{"docId": "B077ZJXCTS", "rating": "3.000"}, {"docId": "B071S6LTJJ", "rating": "0.000"}]
    body = {
        "name": "Imported",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [{"query": "red dress", "ratings": ratings}],
    }
    (tmp_path / "judgments.json").write_text(json.dumps(body, indent=2))
    assert judgments(tmp_path / "judgments.json") == {"red dress": {"B077ZJXCTS": 3, "B071S6LTJJ": 0}}
    done = convert(tmp_path / "judgments.json", tmp_path / "qrels.csv")
    assert (done.kind, done.rows) == ("qrels", 2)
    assert judgments(tmp_path / "qrels.csv") == judgments(tmp_path / "judgments.json")


def test_elasticsearch_rank_eval(tmp_path):
    rated = [{"_index": "films", "_id": "a", "rating": 2}, {"_index": "films", "_id": "b", "rating": 0}]
    request = {"requests": [{"id": "q1", "request": {"query": {"match": {"text": "x"}}}, "ratings": rated},
                            {"id": "q2", "request": {}, "ratings": [{"_index": "films", "_id": "c", "rating": 1}]},
                            {"id": "q3", "request": {}, "ratings": []}],
               "metric": {"precision": {"k": 20}}}  # fmt: skip
    (tmp_path / "request.json").write_text(json.dumps(request))
    assert judgments(tmp_path / "request.json") == QRELS
    hits = [{"hit": {"_index": "films", "_id": "a", "_score": 7.5}, "rating": 2},
            {"hit": {"_index": "films", "_id": "z", "_score": 7.0}, "rating": None}]  # fmt: skip
    response = {"metric_score": 0.4, "details": {"q1": {"metric_score": 0.6, "unrated_docs": [], "hits": hits}}}
    (tmp_path / "response.json").write_text(json.dumps(response))
    assert run(tmp_path / "response.json") == {"q1": {"a": 7.5, "z": 7.0}}
    assert judgments(tmp_path / "response.json") == {"q1": {"a": 2}}


def test_mteb_predictions(tmp_path):
    path = tmp_path / "SciFact_predictions.json"
    body = {"mteb_model_meta": {"model_name": "x", "revision": "y"}, "default": {"test": RUN}}
    path.write_text(json.dumps(body))
    assert run(path) == RUN
    path.write_text(json.dumps(body | {"default": {"dev": {"q1": {"z": 1.0}}, "test": RUN}}))
    assert run(path) == RUN
    path.write_text(json.dumps(body | {"default": {"dev": RUN, "train": RUN}}))
    with pytest.raises(InputError, match=r"several splits \('dev', 'train'\)"):
        run(path)
    path.write_text(json.dumps(body | {"deu": {"test": RUN}}))
    with pytest.raises(
        InputError, match=r"(?s)MTEB predictions of several subsets \('default', 'deu'\).*keep one subset"
    ):
        run(path)


def test_pyterrier_run_files(tmp_path):
    lines = "q1 Q0 a 0 3.0 pyterrier\nq1 Q0 b 1 1.5 pyterrier\nq2 Q0 c 0 0.5 pyterrier\nq2 Q0 d 1 0.25 pyterrier\n"
    (tmp_path / "bm25.res.gz").write_bytes(gzip.compress(lines.encode()))
    assert run(tmp_path / "bm25.res.gz") == RUN
    assert rs.load(QRELS, tmp_path / "bm25.res.gz").systems == ("bm25",)


def test_letor_lines(tmp_path):
    path = tmp_path / "test.txt"
    path.write_text("2 qid:q1 1:0.03 2:0.5 #docid = a inc = 1 prob = 0.2\n0 qid:q1 1:0.1 2:0 #docid = b inc = 1\n"
                    "1 qid:q2 1:0.2 2:1e-3 # c\n")  # fmt: skip
    assert judgments(path) == QRELS
    path.write_text("2 qid:1 1:0.03\n0 qid:1 1:0.1\n1 qid:2 1:3\n")
    assert judgments(path) == {"1": {"0": 2, "1": 0}, "2": {"0": 1}}
    path.write_text("2 qid:1 1:0.03 #docid = a\n0 qid:1 1:0.1\nqid:2\n")
    with pytest.raises(
        InputError, match=r"(?s):3: no LETOR line: 'qid:2'.*:2: no document, where 1 of 2 lines name one"
    ):
        judgments(path)
    with pytest.raises(InputError, match="'letor' is no format of runs"):
        run(path)


def test_label_studio(tmp_path):
    def task(document, **annotation):
        return {"id": 1, "data": {"query_id": "q1", "doc_id": document, "text": "..."}, "annotations": [annotation]}

    tasks = [
        task("a", completed_by=1, result=[{"from_name": "relevance", "type": "rating", "value": {"rating": 2}}]),
        task("b", completed_by=1, result=[{"from_name": "relevance", "type": "choices", "value": {"choices": ["0"]}}]),
        task("c", completed_by=1, was_cancelled=True, result=[]),
        task("d", completed_by=1, result=[]),
    ]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    columns = read_qrels(tmp_path / "export.json")
    assert (_as_dict(columns, columns.grade), columns.ungraded) == ({"q1": {"a": 2, "b": 0}}, 1)
    tasks[0]["annotations"][0]["result"][0]["value"] = {"choices": ["Relevant"]}
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    with pytest.raises(InputError, match="relevance 'Relevant' is no finite number"):
        read_qrels(tmp_path / "export.json")


@pytest.mark.parametrize(
    "record",
    [
        {"id": "1", "status": "completed", "fields": {"text": "..."}, "metadata": {"query_id": "q1", "doc_id": "a"},
         "responses": {"relevance": [{"value": 2, "user_id": "u"}]}},
        {"id": "1", "text": "...", "metadata.query_id": "q1", "metadata.doc_id": "a", "relevance.responses": [2],
         "relevance.responses.users": ["u"], "relevance.responses.status": ["submitted"]},
        {"fields": {"query_id": "q1", "doc_id": "a"}, "metadata": {},
         "responses": [{"user_id": "u", "values": {"relevance": {"value": 2}}, "status": "submitted"}]},
    ],
)  # fmt: skip
def test_argilla(tmp_path, record):
    (tmp_path / "records.json").write_text(json.dumps([record]))
    assert judgments(tmp_path / "records.json") == {"q1": {"a": 2}}
    (tmp_path / "records.jsonl").write_text(json.dumps(record) + "\n")
    assert judgments(tmp_path / "records.jsonl") == {"q1": {"a": 2}}


@pytest.mark.parametrize(
    "qrels",
    [
        {"q1": {"a": 2, "b": 0, "x": None}, "q2": {"c": 1}},
        {"q1": {"a": 2, "b": 0, "x": float("nan")}, "q2": {"c": 1}},
        pd.DataFrame({"qid": ["q1", "q1", "q1", "q2"], "docno": ["a", "b", "x", "c"], "label": [2, 0, None, 1]}),
        pl.DataFrame({"qid": ["q1", "q1", "q1", "q2"], "docno": ["a", "b", "x", "c"], "label": [2, 0, None, 1]}),
        b'{"q1": {"a": 2, "b": 0, "x": null}, "q2": {"c": 1}}',
        b"query_id,doc_id,label\nq1,a,2\nq1,b,0\nq1,x,\nq2,c,1\n",
        b"query_id,doc_id,label\nq1,a,2\nq1,b,0\nq1,x,None\nq2,c,1\n",
        b'{"qid": "q1", "docno": "a", "label": 2}\n{"qid": "q1", "docno": "b", "label": 0}\n'
        b'{"qid": "q1", "docno": "x", "label": null}\n{"qid": "q2", "docno": "c", "label": 1}\n',
    ],
    ids=str,
)
def test_a_judgment_without_a_grade_is_unjudged_and_counted(tmp_path, qrels):
    if isinstance(qrels, bytes):
        (tmp_path / "qrels").write_bytes(qrels)
        qrels = tmp_path / "qrels"
    with pytest.warns(DataWarning, match="judgments without a grade, taken as unjudged: 1 in .*qrels"):
        judged = rs.load(qrels, {"q1": {"x": 2.0, "a": 1.0}, "q2": {"c": 1.0}})
    assert judged.code[0].tolist() == [[1, 4], [3, 0]]  # x is unjudged


def test_judgments_that_all_lack_a_grade():
    for qrels in ({"q1": {"a": None}}, pl.DataFrame({"qid": ["q1"], "docno": ["a"], "label": [None]})):
        with pytest.raises(InputError, match=r"no document has a grade|no row has a label"):
            rs.load(qrels, RUN)


def test_a_score_that_is_null_is_still_refused(tmp_path):
    (tmp_path / "run.csv").write_text("qid,docno,score\nq1,a,\n")
    with pytest.raises(InputError, match=r"run.csv:2: score None is no finite number"):
        run(tmp_path / "run.csv")


def test_ids_that_are_whole_numbers():
    expected = rs.evaluate(rs.load({"1": {"7": 1}}, {"1": {"7": 0.5, "8": 0.9}}), "RR").value
    for qrels, lists in (
        ({1: {7: 1}}, {1: {7: 0.5, 8: 0.9}}),
        ({np.int64(1): {np.int64(7): 1}}, {"1": {"7": 0.5, 8: 0.9}}),
        ({1: {7: 1}}, {1: [8, 7]}),
    ):
        np.testing.assert_array_equal(rs.evaluate(rs.load(qrels, lists), "RR").value, expected)
    with pytest.raises(InputError, match="topic 1 as a number and as text"):
        rs.load({1: {7: 1}, "1": {"8": 1}}, RUN)
    with pytest.raises(InputError, match="expected a string"):
        rs.load({1.5: {7: 1}}, RUN)


def test_a_folder_with_a_readme_in_it(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("q1 Q0 a 1 1.0 x\nq2 Q0 c 1 1.0 x\n")
    assert rs.load(QRELS, tmp_path).systems == ("a", "b")
    (tmp_path / "README.md").write_text("# Runs\n")
    with pytest.raises(
        InputError, match=r"(?s)README.md: is no run.*name the runs of this folder by a pattern: .*\*\.txt"
    ):
        rs.load(QRELS, tmp_path)
    assert rs.load(QRELS, f"{tmp_path}/*.txt").systems == ("a", "b")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            "qid Q0 docno rank score tag\nq1 Q0 a 1 1.0 x\n",
            r":1: the first line is a header, 'qid Q0 docno rank score tag'",
        ),
        ("q1 Q0 a 1 1.0\nq1 Q0 b 2 0.5\n", "5 fields on every line, expected 6 .*; the tag seems to be missing"),
        ("q1 a 1 1.0 x\nq1 b 2 0.5 x\n", "5 fields on every line, expected 6 .*; Q0 seems to be missing"),
        ("q1 Q0 a 1 x\nq1 Q0 b 2 x\n", "5 fields on every line, .*; the rank or the score seems to be missing"),
        ("0q1 Q0 a 1 1.0 x\n", r"(?s)no topic in common .* leading zeros in both"),
    ],
)
def test_near_misses_of_runs(tmp_path, text, cause):
    (tmp_path / "run.txt").write_text(text)
    with pytest.raises(InputError, match=cause):
        rs.load(QRELS, tmp_path / "run.txt")


def test_a_header_in_judgments(tmp_path):
    (tmp_path / "qrels").write_text("qid iteration docno label\nq1 0 a 1\n")
    with pytest.raises(InputError, match="qrels:1: the first line is a header"):
        rs.load(tmp_path / "qrels", RUN)


@pytest.mark.parametrize("ending", ["txt", "json", "csv", "tsv", "parquet"])
def test_round_trips_through_convert(tmp_path, ending):
    ratings = [
        {"query": t, "ratings": [{"docId": d, "rating": str(g)} for d, g in docs.items()]} for t, docs in QRELS.items()
    ]
    (tmp_path / "judgments.json").write_text(json.dumps({"judgmentRatings": ratings}))
    convert(tmp_path / "judgments.json", tmp_path / f"qrels.{ending}", kind="qrels")
    assert judgments(tmp_path / f"qrels.{ending}") == QRELS
    lines = [
        {"query_id": t, "results": [{"doc_id": d, "score": s} for d, s in docs.items()]} for t, docs in RUN.items()
    ]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    convert(tmp_path / "run.jsonl", tmp_path / f"run.{ending}", kind="run")
    assert run(tmp_path / f"run.{ending}") == RUN


def test_a_conversion_says_that_judgments_without_a_grade_are_not_kept(tmp_path):
    (tmp_path / "q.csv").write_text("query_id,doc_id,label\nq1,a,2\nq1,b,\n")
    done = convert(tmp_path / "q.csv", tmp_path / "q.txt", kind="qrels")
    assert done.lost == ("1 judgment without a grade",)


def test_streams_take_names_of_columns(tmp_path):
    pl.DataFrame(rows(RUN, "term", "sku", "points")).write_csv(tmp_path / "run.csv")
    pl.DataFrame(rows(RUN, "term", "sku", "points")).write_parquet(tmp_path / "run.parquet")
    columns = {"topic": "term", "document": "sku", "score": "points"}
    expected = rs.evaluate(rs.load(QRELS, {"run": RUN}), "AP").value
    for ending in ("csv", "parquet"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            stream = rs.stream(QRELS, tmp_path / f"run.{ending}", columns=columns)
            np.testing.assert_array_equal(rs.evaluate(stream, "AP").value, expected)


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_a_table_with_unknown_names_says_how_to_name_them(tmp_path, kind):
    path = tmp_path / "table.csv"
    path.write_text("anfrage,dok,note\n1,10,3\n")
    read = read_qrels if kind == "qrels" else read_run
    with pytest.raises(rs.InputError, match=r"'anfrage', 'dok', 'note'.*\n?.*columns="):
        read(path)
    value = "grade" if kind == "qrels" else "score"
    assert len(read(path, columns={"topic": "anfrage", "document": "dok", value: "note"}).topic) == 1
