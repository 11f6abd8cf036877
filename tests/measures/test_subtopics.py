"""Measures over subtopics: golden values, pyndeval, and what judgments by subtopic are for everything else."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rankscope as rs
from rankscope.cli import main

ENTRIES = json.loads((Path(__file__).parents[1] / "golden" / "subtopics.json").read_text())["entries"]
OURS = {
    "alpha-DCG": "alpha_DCG(alpha={a},rel={rel})@{k}",
    "alpha-nDCG": "alpha_nDCG(alpha={a},rel={rel})@{k}",
    "ERR-IA": "ERR_IA(alpha={a},rel={rel})@{k}",
    "nERR-IA": "nERR_IA(alpha={a},rel={rel})@{k}",
    "P-IA": "P_IA(rel={rel})@{k}",
    "strec": "StRecall(rel={rel})@{k}",
    "NRBP": "NRBP(alpha={a},beta={b},rel={rel})",
    "nNRBP": "nNRBP(alpha={a},beta={b},rel={rel})",
    "MAP-IA": "AP_IA(rel={rel})",
}
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def nested(rows):
    """{topic: {subtopic: {document: grade}}}."""
    qrels = {}
    for topic, subtopic, doc, grade in rows:
        qrels.setdefault(topic, {}).setdefault(subtopic, {})[doc] = grade
    return qrels


def ours(name, inputs):
    family, _, k = name.partition("@")
    return OURS[family].format(a=inputs["alpha"], b=inputs["beta"], rel=inputs["rel"], k=k)


def lists(inputs):
    run = {}
    for topic, doc, score in inputs["run"]:
        run.setdefault(topic, {})[doc] = score
    if inputs["ties"] == "ascending":  # as ndeval: written out as ranks
        run = {t: sorted(docs, key=lambda d: (-docs[d], d)) for t, docs in run.items()}
    return run


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["id"])
def test_golden(entry):
    inputs, topics = entry["inputs"], entry["expected"]["topics"]
    names = {name: ours(name, inputs) for name in next(iter(topics.values()))}
    judged = rs.load(nested(inputs["qrels"]), lists(inputs), undefined="zero")
    assert judged.subtopics is not None
    scores = rs.evaluate(judged, list(names.values())).to_dict()["run"]
    wrong = {
        (topic, name): (scores[topic][str(rs.measure(names[name]))], value)
        for topic, told in topics.items() for name, value in told.items()
        if not abs(scores[topic][str(rs.measure(names[name]))] - value) < 1e-9
    }  # fmt: skip
    assert not wrong


@pytest.fixture
def diverse():
    """Random judgments by subtopic, with negative grades, and a run without ties."""
    rng = np.random.default_rng(8)
    qrels, run = [], {}
    for topic in map(str, range(12)):
        docs = [f"d{n:03}" for n in rng.permutation(60).tolist()]
        for subtopic in map(str, range(1, int(rng.integers(2, 7)))):
            judged = rng.choice(docs, 25, replace=False).tolist()
            qrels += [(topic, subtopic, doc, int(grade)) for doc, grade in zip(judged, rng.choice([-1, 0, 0, 1, 2], 25),
                                                                               strict=True)]  # fmt: skip
        run[topic] = {doc: float(score) for doc, score in zip(docs[:40], rng.permutation(40), strict=True)}
    return qrels, run


def test_pyndeval(diverse):
    pyndeval = pytest.importorskip("pyndeval")
    qrels, run = diverse
    names = [f"{m}@{k}" for m in ("alpha-nDCG", "alpha-DCG", "ERR-IA", "nERR-IA", "P-IA", "strec") for k in (5, 20)]
    names += ["NRBP", "nNRBP", "MAP-IA"]
    for alpha, beta, rel in ((0.5, 0.5, 1), (0.3, 0.8, 2)):
        rows = [pyndeval.SubtopicQrel(t, s, str(d), g) for t, s, d, g in qrels]
        docs = [pyndeval.ScoredDoc(t, d, s) for t, scores in run.items() for d, s in scores.items()]
        evaluator = pyndeval.RelevanceEvaluator(rows, names, relevance_level=rel, alpha=alpha, beta=beta)
        told = evaluator.evaluate(docs)
        inputs = {"alpha": alpha, "beta": beta, "rel": rel}
        judged = rs.load(nested(qrels), run, undefined="zero")
        scores = rs.evaluate(judged, [ours(name, inputs) for name in names])
        for name, value in zip(names, scores.value[:, 0], strict=True):
            theirs = [told[topic][name] for topic in scores.topics]
            np.testing.assert_allclose(value, np.nan_to_num(theirs), atol=1e-9, err_msg=f"{name} {inputs}")


def test_files_rows_and_dictionaries_are_one(diverse, tmp_path):
    qrels, run = diverse
    (tmp_path / "qrels").write_text("".join(f"{t} {s} {d} {g}\n" for t, s, d, g in qrels))
    wanted = ["alpha_nDCG@10", "StRecall@5", "AP"]
    plain = rs.evaluate(rs.load(nested(qrels), run), wanted).value
    judged = rs.load(tmp_path / "qrels", run)
    np.testing.assert_array_equal(rs.evaluate(judged, wanted).value, plain)
    assert any("subtopics" in note for note in judged.notes)
    frame = pl.DataFrame(qrels, schema=["query_id", "subtopic", "doc_id", "relevance"], orient="row")
    frame.write_csv(tmp_path / "qrels.csv")
    for source in (frame, tmp_path / "qrels.csv"):
        np.testing.assert_array_equal(rs.evaluate(rs.load(source, run), wanted).value, plain)


def test_other_measures_take_the_highest_grade(diverse):
    qrels, run = diverse
    highest = {}
    for topic, _, doc, grade in qrels:
        docs = highest.setdefault(topic, {})
        docs[doc] = max(grade, docs.get(doc, grade))
    wanted = ["nDCG@10", "AP", "Bpref"]
    both = [rs.evaluate(rs.load(q, run, ties="best"), wanted).value for q in (nested(qrels), highest)]
    np.testing.assert_array_equal(*both)


def test_subsets_keep_subtopics(diverse):
    from rankscope.judged.subsets import with_systems, with_topics

    qrels, run = diverse
    judged = rs.load(nested(qrels), {"x": run, "y": {t: dict.fromkeys(d, 1.0) for t, d in run.items()}})
    all_of_it = rs.evaluate(judged, "nERR_IA@10").value[0]
    fewer = with_topics(with_systems(judged, ["y"]), [5, 2])
    np.testing.assert_array_equal(rs.evaluate(fewer, "nERR_IA@10").value[0], all_of_it[1:, [5, 2]])


def test_compare_rank_gate(diverse):
    qrels, run = diverse
    other = {t: {d: -s for d, s in docs.items()} for t, docs in run.items()}
    judged = rs.load(nested(qrels), {"a": run, "b": other})
    comparison = rs.compare(judged, "a", "b", measure="alpha_nDCG@10")
    assert "alpha_nDCG(rel=1)@10" in str(comparison)
    assert "one grade per document" in comparison.to_text("full")
    assert rs.rank(judged, measure="alpha_nDCG@10")
    assert rs.gate(judged, "a", "b", measure="StRecall@5")
    for call in (rs.ipso, rs.dominance):
        with pytest.raises(rs.InputError, match="one grade per document"):
            call(judged, "a", "b", depth=10)


def test_bounds_say_why_they_are_unknown(diverse):
    qrels, run = diverse
    bounds = rs.bounds(rs.load(nested(qrels), run), ["StRecall@5", "AP"])
    assert bounds.how[0] == "unknown: which subtopics an unjudged document would be relevant for"
    assert np.isnan(bounds.lower[0]).all() or np.isinf(bounds.upper[0]).all() or (bounds.upper[0] == 1).all()
    assert bounds.how[1].startswith("exact")


def test_without_subtopics_a_topic_is_one(diverse):
    run = diverse[1]
    with pytest.warns(rs.DataWarning, match="no subtopics"):
        score = rs.evaluate(rs.load({"0": {"d001": 1, "d002": 0}}, {"0": run["0"]}), "StRecall@40").value
    assert score.item() in (0.0, 1.0)


def test_a_judgment_given_twice(tmp_path):
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 a 1\n1 2 a 0\n")
    with pytest.raises(rs.InputError, match=r"qrels:3: document 'a' appears twice in topic '1' for one subtopic"):
        rs.load(tmp_path / "qrels", {"1": {"a": 1.0}})
    judged = rs.load(tmp_path / "qrels", {"1": {"a": 1.0}}, duplicates="first")
    assert rs.evaluate(judged, "StRecall").value.item() == 1.0


def test_a_second_column_that_is_no_subtopic_is_refused_before_memory_ends(tmp_path):
    """Numbers of lines in the second column, and one document twice."""
    lines = [f"1 {n} d{n} 1\n" for n in range(9000)] + ["1 9000 d1 1\n"]
    (tmp_path / "qrels").write_text("".join(lines))
    with pytest.raises(rs.InputError, match="9,001 values of the second column in one topic"):
        rs.load(tmp_path / "qrels", {"x": {"1": {"d1": 1.0}}})


@pytest.mark.parametrize(
    "line",
    [
        "enumerate -k 4 --runs QRELS A B",
        "enumerate -k 4 --separability --runs QRELS A B",
        "judge-next QRELS A B -m alpha_nDCG@10",
        "evaluate QRELS A --memory 2GiB",
    ],
)
def test_commands_that_need_one_grade_say_so(tmp_path, capsys, line):
    files = {"QRELS": "7 1 a 1\n7 2 a 0\n7 2 b 1\n", "A": "7 Q0 a 1 2.0 t\n", "B": "7 Q0 b 1 1.0 t\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert main([str(tmp_path / word) if word in files else word for word in line.split()]) == 2
    errors = capsys.readouterr().err
    assert "by subtopic: " in errors or "one grade per document, and the judgments have one per subtopic" in errors


@pytest.mark.parametrize("line", ["compare QRELS A B", "rank QRELS A B", "gate QRELS A B", "report QRELS A B -o PAGE"])
def test_commands_work_with_measures_over_subtopics(tmp_path, capsys, line):
    files = {
        "QRELS": "".join(
            f"{t} {s} {d} {(t + s * n) % 2}\n" for t in range(8) for s in (1, 2) for n, d in enumerate("abc")
        ),
        "A": "".join(f"{t} Q0 {d} 1 {(n * t) % 5} t\n" for t in range(8) for n, d in enumerate("abcd")),
        "B": "".join(f"{t} Q0 {d} 1 {-n} t\n" for t in range(8) for n, d in enumerate("cbad")),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    places = {name: str(tmp_path / name) for name in files} | {"PAGE": str(tmp_path / "page.html")}
    assert main([*(places.get(word, word) for word in line.split()), "-m", "alpha_nDCG@3"]) in (0, 1)
    printed = capsys.readouterr().out
    assert "alpha_nDCG@3" in ((tmp_path / "page.html").read_text() if "PAGE" in line else printed)
