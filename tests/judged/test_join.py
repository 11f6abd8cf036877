"""The join: order, ties, depth, what is missing and what is counted."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope import DataWarning, InputError, evaluate, load, stream
from rankscope.arrays import FIRST_GRADE, PADDING, UNJUDGED
from rankscope.judged import join

QRELS = {"7": {"a": 1, "b": 0, "c": 2, "n": -1}, "8": {"a": 1}}


def grades(judged, s=0, t=0):
    """Grades in rank order; None for unjudged, nothing for padding."""
    return [
        None if c == UNJUDGED else judged.grades[c - FIRST_GRADE] for c in judged.code[s, t].tolist() if c != PADDING
    ]


def test_shape_and_codes():
    judged = load(QRELS, {"one": {"7": {"a": 3.0, "x": 2.0, "c": 1.0}, "8": {"a": 1.0}}})
    assert judged.systems == ("one",)
    assert judged.topics == ("7", "8")
    assert judged.grades.tolist() == [-1, 0, 1, 2]
    assert judged.available.tolist() == [[1, 1, 1, 1], [0, 0, 1, 0]]
    assert judged.code.dtype == np.uint8
    assert judged.code.tolist() == [[[4, 1, 5], [4, 0, 0]]]
    assert judged.retrieved.tolist() == [[3, 1]]
    with pytest.raises(ValueError, match="read-only"):
        judged.code[0, 0, 0] = 1


def test_more_than_254_grades_take_two_bytes():
    qrels = {"7": {f"d{i}": i / 10 for i in range(300)}}
    run = {"7": {f"d{i}": float(i) for i in range(300)}}
    judged = load(qrels, run)
    assert judged.code.dtype == np.uint16
    assert grades(judged) == [i / 10 for i in reversed(range(300))]


@pytest.mark.parametrize("ties", ["trec", "rank", "file", "best", "worst"])
def test_tie_rules(tmp_path, ties):
    """Five documents of one score, then one below."""
    (tmp_path / "run").write_text(
        "7 Q0 b 4 1.0 t\n7 Q0 n 5 1.0 t\n7 Q0 a 1 1.0 t\n7 Q0 x 3 1.0 t\n7 Q0 c 2 1.0 t\n7 Q0 y 6 0.5 t\n8 Q0 a 1 1 t\n"
    )
    judged = load(QRELS, {"run": tmp_path / "run"}, ties=ties, keep_docs=True)
    order = "".join(judged.documents.ids[n] for n in judged.documents.number[0, 0])
    assert (
        order
        == {
            "trec": "xncbay",
            "rank": "acxbny",
            "file": "bnaxcy",
            "best": "caxbny",  # grades 2, 1, then 0 and unjudged by id, then -1
            "worst": "nxbacy",
        }[ties]
    )


def test_single_precision_ties_what_doubles_tell_apart():
    run = {"7": {"a": 16777217.0, "b": 16777216.0}}  # 2^24 + 1 has no 32-bit float
    with pytest.warns(DataWarning):
        assert grades(load(QRELS, run)) == [1, 0]
    with pytest.warns(DataWarning):
        assert grades(load(QRELS, run, score_dtype="float32")) == [0, 1]


def test_negative_zero_ties_with_zero():
    with pytest.warns(DataWarning):
        assert grades(load(QRELS, {"7": {"a": 0.0, "b": -0.0}})) == [0, 1]


def test_depth_cuts_after_ordering():
    with pytest.warns(DataWarning):
        judged = load(QRELS, {"7": {"b": 1.0, "a": 2.0, "c": 3.0}}, depth=2)
    assert grades(judged) == [2, 1]
    assert judged.code.shape == (1, 2, 2)


def test_duplicates(tmp_path):
    (tmp_path / "run").write_text("7 Q0 b 1 1.0 t\n7 Q0 a 2 2.0 t\n7 Q0 b 3 3.0 t\n8 Q0 a 1 1 t\n")
    (tmp_path / "qrels").write_text("7 0 a 1\n7 0 b 0\n7 0 a 2\n8 0 a 1\n")
    with pytest.warns(DataWarning) as told:
        judged = load(tmp_path / "qrels", tmp_path / "run", duplicates="first")
    assert grades(judged) == [1, 0]
    assert judged.available.sum() == 3
    assert str(told[0].message).splitlines() == [
        "repeated documents, first of each kept: 1 in run",
        f"repeated judgments, first of each kept: 1 in {tmp_path / 'qrels'}",
    ]


def test_what_is_missing_or_ignored_is_counted_once():
    runs = {"one": {"7": {"a": 1.0}, "9": {"a": 1.0}, "10": {"a": 1.0}}, "two": {"7": {"a": 1.0}, "8": {"x": 1.0}}}
    with pytest.warns(DataWarning) as told:
        judged = load(QRELS, runs)
    assert len(told) == 1
    assert judged.notes == (
        "judged topics missing from runs, scored as empty lists: 1 in one, of 2 topics",
        "topics of runs without judgments, ignored: 2 in one",
    )
    assert grades(judged, 0, 1) == []


def test_ids_that_are_written_otherwise_are_told(tmp_path):
    """Every score would be 0, and nobody would know why."""
    runs = {}
    for name, count in (("few", 49), ("many", 50)):
        runs[name] = tmp_path / name
        runs[name].write_text("".join(f"{7 + d % 2} Q0 other{d} 1 {d} x\n" for d in range(count)))
    with pytest.warns(DataWarning) as told:
        judged = load(QRELS, runs)
    note = "no document is judged (are ids written as in the judgments?): many"
    assert judged.notes == (note,)
    assert [str(one.message) for one in told] == [note]
    with pytest.warns(DataWarning) as told:
        evaluate(stream(QRELS, runs), "AP")
    assert [str(one.message) for one in told] == [note]


def test_lines_of_a_topic_may_stand_anywhere(tmp_path):
    lines = [f"{t} Q0 {d} 1 {s} x\n" for d, s in (("a", 1), ("c", 2), ("x", 3)) for t in (9, 7, 8)]
    (tmp_path / "run").write_text("".join(lines).rstrip("\n"))
    with pytest.warns(DataWarning, match="topics of runs without judgments, ignored: 1 in run"):
        judged = load(QRELS, tmp_path / "run")
    assert grades(judged) == [None, 2, 1]
    assert grades(judged, 0, 1) == [None, None, 1]


def test_scattered_duplicates_keep_their_line_numbers(tmp_path):
    (tmp_path / "run").write_text("7 Q0 a 1 1 x\n8 Q0 a 1 1 x\n7 Q0 a 1 1 x\n")
    with pytest.raises(ValueError, match=r"run:3: document 'a' appears twice in topic '7' \(first at line 1\)"):
        load(QRELS, tmp_path / "run")


def test_a_large_file_in_parts(tmp_path, monkeypatch):
    """Parts begin and end with topics, whatever the number of workers."""
    monkeypatch.setattr("rankscope.judged.ranked._SPLIT", 200)
    rng = np.random.default_rng(3)
    qrels = {f"t{t}": {f"d{d}": int(rng.integers(0, 3)) for d in range(20)} for t in range(40)}
    with (tmp_path / "run").open("w") as out:
        for t in rng.permutation(60):
            for d in rng.permutation(30)[: rng.integers(1, 30)]:
                out.write(f"t{t} Q0 d{d} 1 {rng.integers(0, 9)} x\n")
    with pytest.warns(DataWarning):
        results = [load(qrels, tmp_path / "run", workers=n, keep_docs=True) for n in (1, 2, 3, 7, 50)]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].code, other.code)
        assert results[0].notes == other.notes
        ids = [np.array([*j.documents.ids, ""])[j.documents.number] for j in (results[0], other)]
        np.testing.assert_array_equal(*ids)


def test_many_files_by_any_number_of_workers(tmp_path):
    for n in range(9):
        (tmp_path / f"r{n}").write_text(f"7 Q0 a 1 {n} x\n7 Q0 b 1 {5 - n} x\n8 Q0 a 1 1 x\n")
    results = [load(QRELS, tmp_path, workers=n) for n in (1, 2, 4)]
    assert results[0].systems == tuple(f"r{n}" for n in range(9))
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].code, other.code)


def test_documents_are_kept_when_asked():
    runs = {"one": {"7": {"a": 1.0, "x\udcff": 2.0}, "8": {"b": 1.0}}, "two": {"7": {"x\udcff": 1.0}, "8": {"a": 1.0}}}
    judged = load(QRELS, runs, keep_docs=True)
    ids = np.array([*judged.documents.ids, ""])[judged.documents.number]
    assert ids.tolist() == [[["x\udcff", "a"], ["b", ""]], [["x\udcff", ""], ["a", ""]]]
    assert load(QRELS, runs).documents is None


def test_a_name_stands_for_one_file(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("7 Q0 a 1 1 x\n8 Q0 a 1 1 x\n")
    with pytest.raises(ValueError, match="2 files\n1 problem; give one file for each name"):
        load(QRELS, {"mine": tmp_path})


def test_arguments_that_cannot_be_meant():
    run = {"7": {"a": 1.0}}
    for wrong in ({"rel": "2"}, {"workers": "x"}, {"workers": 0}, {"depth": True}, {"depth": 10**30}, {"names": "zzz"},
                  {"run_format": "nope"}):  # fmt: skip
        with pytest.raises(ValueError, match=next(iter(wrong)) if "run_format" not in wrong else "no format of runs"):
            load(QRELS, run, **wrong)


def test_ways_to_name_runs(tmp_path):
    run = {"7": {"a": 1.0}, "8": {"a": 1.0}}
    (tmp_path / "bm25.run").write_text("7 Q0 a 1 1 x\n8 Q0 a 1 1 x\n")
    path = tmp_path / "bm25.run"
    assert load(QRELS, run).systems == ("run",)
    assert load(QRELS, {"mine": run}).systems == ("mine",)
    assert load(QRELS, {"mine": run, "file": path}).systems == ("mine", "file")
    assert load(QRELS, {"file": str(path)}).systems == ("file",)
    assert load(QRELS, path).systems == load(QRELS, [str(path)]).systems == ("bm25",)
    assert load(QRELS, run).system("run") == 0
    with pytest.raises(ValueError, match="did you mean run"):
        load(QRELS, run).system("runs")


def test_judgments_without_documents_are_counted():
    with pytest.warns(DataWarning, match="topics without any judgment, left out: 1 in qrels"):
        assert load(QRELS | {"9": {}}, {"7": {"a": 1.0}, "8": {"a": 1.0}}).topics == ("7", "8")


def test_empty_lists_are_like_missing_topics():
    with pytest.warns(DataWarning, match="missing"):
        judged = load(QRELS, {"one": {"7": {"a": 1.0}, "8": {}}})
    assert judged.retrieved.tolist() == [[1, 0]]


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_matter(tmp_path_factory, random):
    """Unless the rule for ties is the order of lines."""
    folder = tmp_path_factory.mktemp("lines")
    docs = [f"d{n}" for n in range(12)]
    qrels = {t: {d: random.randrange(-1, 3) for d in docs[:8]} for t in "123"}
    lines = [f"{t} Q0 {d} 1 {random.randrange(4)} x\n" for t in "123" for d in docs]
    (folder / "a").write_text("".join(lines))
    random.shuffle(lines)
    (folder / "b").write_text("".join(lines))
    for ties in ("trec", "best", "worst"):
        judged = load(qrels, folder, ties=ties)
        np.testing.assert_array_equal(judged.code[0], judged.code[1])


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False))
def test_best_and_worst_enclose_every_other_order(random):
    docs = [f"d{n}" for n in range(10)]
    qrels = {t: {d: random.randrange(0, 3) for d in docs[:7]} | {"d0": 1} for t in "123"}
    run = {t: {d: float(random.randrange(3)) for d in docs} for t in "123"}
    best, worst, trec, file = (
        evaluate(load(qrels, run, ties=ties), ["AP", "nDCG", "P@3", "RR"]).value
        for ties in ("best", "worst", "trec", "file")
    )
    assert (worst <= trec + 1e-15).all()
    assert (trec <= best + 1e-15).all()
    assert (worst <= file + 1e-15).all()
    assert (file <= best + 1e-15).all()


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([None, 1, 4]), st.sampled_from(["trec", "file", "best"]))
def test_one_reading_keeps_the_orders_of_three(random, depth, ties):
    docs = [f"d{n}" for n in range(10)]
    qrels = {t: {d: random.randrange(-1, 3) for d in docs[:7]} for t in "123"}
    runs = {name: {t: {d: float(random.randrange(3)) for d in docs} for t in "123"} for name in "ab"}
    kept = load(qrels, runs, ties=ties, depth=depth, keep_ties=True, keep_docs=True)
    assert kept.extremes is not None
    for extreme in ("best", "worst"):
        again, order = load(qrels, runs, ties=extreme, depth=depth), kept.with_ties(extreme)
        np.testing.assert_array_equal(order.code, again.code)
        assert order.rules == again.rules


def test_other_orders_of_ties_that_were_not_kept_are_an_error():
    with pytest.raises(InputError, match="keep_ties=True"):
        load(QRELS, {"7": {"a": 1.0}, "8": {"a": 1.0}}).with_ties("best")


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_documents_of_many_runs_have_one_number_each(monkeypatch):
    """In order of first appearance, however many runs are numbered at a time."""
    runs = {f"r{r}": {"7": [f"d{(r * i) % 11}" for i in range(1 + r % 5)]} for r in range(1, 9)}
    expected = list(dict.fromkeys(doc for run in runs.values() for doc in run["7"]))
    for waiting in (1, 6, 1000):
        monkeypatch.setattr(join, "_WAITING", waiting)
        documents = load(QRELS, runs, keep_docs=True).documents
        assert list(documents.ids) == expected
        for number, run in zip(documents.number[:, 0], runs.values(), strict=True):
            assert [documents.ids[n] for n in number if n >= 0] == run["7"]


@pytest.mark.slow
def test_memory_grows_with_the_array_alone(tmp_path):
    """Each run is read, put into the array of grade codes and forgotten."""
    topics, depth = 20, 1000
    lines = "".join(f"{t} Q0 d{i} 0 {depth - i} x\n" for t in range(topics) for i in range(depth))
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d1 1\n" for t in range(topics)))
    for i in range(42):
        (tmp_path / f"{i}.run").write_text(lines)

    def peak(runs):
        tracemalloc.start()
        judged = load(tmp_path / "qrels", [tmp_path / f"{i}.run" for i in range(runs)], workers=1)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert judged.code.nbytes == runs * topics * depth
        return most

    peak(2)  # imports and caches are of the first call
    # threads that other tests left behind allocate, too, which is counted here and can only add: so the least of some
    assert min(peak(42) for _ in range(4)) - min(peak(2) for _ in range(4)) < 1.1 * 40 * topics * depth


def test_comment_lines_beyond_those_that_are_kept(tmp_path):
    """Of many comment lines the first are kept, and the note does not claim that there are no more."""
    for name, lines in (("some", 199), ("many", 205)):
        (tmp_path / name).write_text("# a comment\n" * lines + "7 Q0 a 1 1 t\n")
    with pytest.warns(DataWarning, match=r"comment lines, read over: at least 200 in many, 199 in some") as warned:
        load({"7": {"a": 1}}, [tmp_path / "many", tmp_path / "some"])
    assert len(warned) == 1
