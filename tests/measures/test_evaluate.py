"""Scores, their means, and what they say about themselves."""

import json
import math
import warnings

import numpy as np
import pytest

import rankscope as rs
from rankscope import DataWarning, InputError, evaluate, load, measure, register
from rankscope.measures import MEASURES
from rankscope.version import __version__

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2, "c": 1}, "3": {"a": 0}}
RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}, "3": {"a": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}


def judged(**rules):
    with pytest.warns(DataWarning):
        return load(QRELS, RUNS, **rules)


def scored(names, **rules):
    with pytest.warns(DataWarning):
        return evaluate(judged(**rules), names)


def test_scores_and_means():
    scores = scored(["AP", "NumRet"])
    np.testing.assert_array_equal(scores.of("AP"), [[1, 0.5, np.nan], [0.5, 0, np.nan]])
    means = scores.mean()
    assert means.to_dict() == {"x": {"AP": 0.75, "NumRet": 4.0}, "y": {"AP": 0.25, "NumRet": 2.0}}
    assert means.n_topics.tolist() == [[2, 2], [3, 3]]
    assert str(means).splitlines()[:5] == [
        "system  AP(rel=1)  NumRet",
        "x          0.7500       4",
        "y          0.2500       2",
        "",
        "Means over 2 to 3 topics; counts are summed.",
    ]
    assert str(scores) == str(means)
    assert "<td>0.7500</td>" in scores._repr_html_()
    with pytest.raises(InputError, match="there are AP, NumRet"):
        scores.of("RR")


def test_a_matrix_for_statistics():
    assert scored("AP").matrix("AP").tolist() == [[1, 0.5], [0.5, 0]]


def test_policies():
    assert scored("AP", undefined="zero").mean().to_dict()["x"]["AP"] == 0.5
    dropped = scored("AP", missing="drop")
    np.testing.assert_array_equal(dropped.of("AP"), [[1, 0.5, np.nan], [0.5, np.nan, np.nan]])
    assert dropped.mean().n_topics.tolist() == [[2, 1]]


def test_undefined_topics_are_counted_by_measure():
    with pytest.warns(DataWarning) as told:
        evaluate(judged(), ["AP", "AP(rel=2)", "RR", "NumRet"])
    assert str(told[-1].message) == (
        "topics without relevant documents, left out: 1 of 3 for AP, RR; 2 of 3 for AP(rel=2)"
    )


def test_geometric_mean():
    # sqrt(1 * 0.5); zeros count as 0.00001
    means = scored(["AP", "NumRet"]).mean("geometric")
    assert means.to_dict()["x"] == {"AP": pytest.approx(math.sqrt(0.5)), "NumRet": 4.0}
    assert means.to_dict()["y"]["AP"] == pytest.approx(math.sqrt(0.5 * 1e-5))
    assert means.signatures[0].endswith("|mean:geometric")
    with pytest.raises(InputError, match="how is one of arithmetic, geometric"):
        scored("AP").mean("harmonic")


def test_signature():
    scores = scored(["nDCG@10", 'RBP(p=0.5,gain="linear")', "AP"])
    tail = f"ties:trec|missing:0|undefined:drop|n:2|rankscope:{__version__}"
    assert scores.signature("nDCG@10") == f"nDCG@10|gain:linear|{tail}"
    assert scores.signature('RBP(p=0.5,gain="linear")') == f'RBP(p=0.5,gain="linear")|gain:linear/2|{tail}'
    assert scores.signature("AP") == f"AP|rel:1|{tail}"
    other = scored("AP", ties="worst", score_dtype="float32", depth=5, undefined="zero", missing="drop")
    assert other.signature("AP") == (
        f"AP|rel:1|ties:worst|scores:float32|depth:5|missing:drop|undefined:0|n:1-3|rankscope:{__version__}"
    )


def test_frames():
    frame = scored(["AP", "RR"]).to_frame()
    assert frame.columns == ["measure", "system", "topic", "value"]
    assert frame.shape == (12, 4)
    assert frame.filter(measure="AP", system="x", topic="3")["value"].to_list() == [None]
    means = scored("AP").mean().to_frame()
    assert means.columns == ["measure", "system", "value", "n_topics"]
    assert means["value"].to_list() == [0.75, 0.25]


def test_dictionaries_are_plain():
    scores = scored("AP").to_dict()
    assert json.loads(json.dumps(scores)) == {
        "x": {"1": {"AP": 1.0}, "2": {"AP": 0.5}, "3": {}},
        "y": {"1": {"AP": 0.5}, "2": {"AP": 0.0}, "3": {}},
    }


def test_any_number_of_workers_and_blocks(monkeypatch):
    rng = np.random.default_rng(7)
    docs = [f"d{n}" for n in range(60)]
    qrels = {f"t{t}": {d: int(rng.integers(-1, 4)) for d in docs[:40]} for t in range(30)}
    runs = {f"s{s}": {t: {d: float(rng.integers(0, 30)) for d in docs} for t in qrels} for s in range(5)}
    names = ["AP", "nDCG", "nDCG@10", "RBP(p=0.8)", "ERR@20", "Bpref", "infAP", "Q", "RR", "Judged@5"]
    data = load(qrels, runs)
    expected = evaluate(data, names, workers=1).value
    for block in (1, 100, 2000, 1 << 30):
        monkeypatch.setattr("rankscope.measures.scoring._BLOCK", block)
        monkeypatch.setattr("rankscope.measures.scoring._TOPICS", 1 + block % 3)
        for workers in (1, 3):
            np.testing.assert_array_equal(evaluate(data, names, workers=workers).value, expected)
    alone = evaluate(load(qrels, {"s3": runs["s3"]}), names).value
    np.testing.assert_array_equal(alone[:, 0], expected[:, 3])


def test_a_measure_of_ones_own():
    @register(bounds=(0, 1), trec=("mine", None))
    def TopShare(gain, *, head: int = 2):
        """Reads the head of the list."""
        return gain[..., :head].sum(axis=-1) / (gain.sum(axis=-1) + 1)

    try:
        assert str(measure("TopShare(head=1)@5")) == "TopShare(head=1)@5"
        assert float(measure("TopShare(head=1)").score([2, 1])) == 0.5
        scores = scored(["TopShare", "TopShare(gains={1:9})"])
        assert scores.of("TopShare")[0, 0] == 0.5
        assert scores.signature("TopShare").startswith("TopShare|gain:linear|ties")
        with pytest.raises(InputError, match="already"):
            register(TopShare)
    finally:
        del MEASURES["TopShare"]


def test_a_measure_that_is_not_always_a_number():
    @register(needs="nothing")
    def Odd(retrieved):
        return np.where(retrieved == 1, np.nan, retrieved)

    try:
        with pytest.warns(DataWarning) as told:
            scores = evaluate(judged(), "Odd")
        assert str(told[-1].message) == "scores that are not a number, left out: 2 from Odd"
        assert scores.mean().n_topics.tolist() == [[1, 3]]
    finally:
        del MEASURES["Odd"]


def test_a_measure_cannot_spoil_another():
    @register(needs="nothing")
    def Spoils(gain):
        gain *= 0
        return gain.sum(axis=-1)

    try:
        with pytest.raises(ValueError, match="read-only"):
            evaluate(judged(), ["Spoils", "DCG"])
    finally:
        del MEASURES["Spoils"]


def test_a_threshold_of_ones_own():
    @register(needs="nothing")
    def High(relevant, *, rel: int = 2, p: float = 3.0):
        return relevant.any(axis=-1) * p

    try:
        assert measure("High").score([[1, 1], [1, 2]]).tolist() == [0, 3]
        assert measure("High(rel=1,p=5)").score([[1, 1], [1, 2]]).tolist() == [5, 5]
    finally:
        del MEASURES["High"]


def test_ir_measures_objects_as_they_are():
    ir_measures = pytest.importorskip("ir_measures")
    assert str(measure(ir_measures.nDCG @ 10)) == "nDCG@10"
    with pytest.warns(DataWarning, match="left out: 1 of 3"):  # a measure alone, too
        assert evaluate(judged(), ir_measures.nDCG @ 10).measures == (measure("nDCG@10"),)
    with pytest.raises(InputError, match="5 is no measure"):
        evaluate(judged(), [5])


@pytest.mark.parametrize("name", ['nDCG(dcg="exp-log2")', "ERR", 'RBP(gain="exp")'])
def test_grades_beyond_all_powers(name):
    """Scores would be no numbers, and said to be of topics without relevant documents."""
    lists = load({"1": {"a": 1001, "b": 1}}, {"1": {"a": 1.0, "b": 2.0}})
    with pytest.raises(InputError, match=r"2\^1001 is beyond all numbers\n.*at most 1000 by its gains"):
        evaluate(lists, name)
    assert 0 < evaluate(load({"1": {"a": 1000, "b": 1}}, {"1": {"a": 1.0, "b": 2.0}}), name).value.item() <= 1


def test_gain_maps_leave_other_grades_as_ir_measures_does():
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = {"1": {"a": 1, "b": 2, "c": 3}}, {"1": {"a": 2.0, "c": 1.0, "b": 0.5}}
    theirs = ir_measures.nDCG(gains={2: 7}) @ 5
    ours = evaluate(load(qrels, run), "nDCG(gains={2:7})@5").value.item()
    assert ours == pytest.approx(ir_measures.calc_aggregate([theirs], qrels, run)[theirs], rel=1e-12)


def test_binary_err_is_reciprocal_rank():
    err = scored('ERR(gain="binary")').of('ERR(gain="binary")')
    np.testing.assert_allclose(err, scored("RR").of("RR"), rtol=1e-15)


def test_measures_that_cannot_work():
    with pytest.raises(InputError, match="needs is one of relevant, gain, nothing"):
        register(needs="luck")(lambda gain: gain)
    with pytest.raises(InputError, match="unknown input 'clicks'"):

        @register
        def Clicks(clicks):
            return clicks

    with pytest.raises(InputError, match="parameter 'p' has no default"):

        @register
        def NoDefault(gain, *, p):
            return gain

    @register
    def WrongShape(gain):
        return gain

    try:
        with pytest.raises(InputError, match=r"a kernel maps \(\.\.\., ranks\) to"):
            measure("WrongShape").score([1, 0])
    finally:
        del MEASURES["WrongShape"]


def test_recall_levels_and_ranks_do_not_mix():
    """IPrec@1.0 is not cut at rank 1, whatever is asked beside it."""
    alone = scored("IPrec@1.0").of("IPrec@1.0")
    for names in (["P@1", "IPrec@1.0"], ["IPrec@1.0", "P@1"]):
        both = scored(names)
        np.testing.assert_array_equal(both.of("IPrec@1.0"), alone)
        np.testing.assert_array_equal(both.of("P@1"), scored("P@1").of("P@1"))


def test_scores_are_found_however_the_measure_is_spelt():
    scores = scored('RBP(p=0.5, gain="linear")')
    assert scores.of("RBP( gain='linear', p=0.5 )").shape == (2, 3)


def test_no_measures():
    with pytest.raises(InputError, match="no measures"):
        evaluate(judged(), [])


GRADED = {"7": {"a": 1, "b": 2, "c": 3, "d": 0}}


def noted(*names, **rules):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(load(GRADED, {"7": ["a", "b", "c", "d"]}, **rules), list(names))
    return [str(one.message) for one in caught]


def test_grades_below_a_chosen_threshold_that_still_gain_are_said():
    (said,) = noted("nDCG@3", "AP", "ERR@3", 'RBP(gain="linear")', rel=3)
    assert said == (
        "rel=3 is for measures with a threshold: grades 1, 2 still gain under nDCG@3, ERR@3; "
        "nDCG(gains={1:0,2:0})@3 leaves them out"
    )
    (said,) = noted("nDCG@3", rel=2)
    assert "grade 1 still gains under nDCG@3; nDCG(gains={1:0})@3 leaves them out" in said
    cut = load(GRADED, {"7": ["a", "b", "c", "d"]}, rel=3)
    assert evaluate(cut, "nDCG(gains={1:0,2:0})@3").of("nDCG(gains={1:0,2:0})@3") == [[0.5]]  # 3 at rank 3 over log2(4)
    # nothing to say: no threshold was chosen, no gain is below it, or the gains were chosen too
    assert noted("nDCG@3", "AP") == []
    assert noted("nDCG@3", rel=0.5) == []
    assert noted("AP", "RBP", "P@3", "Judged@3", rel=3) == []
    assert noted("nDCG(gains={1:0})@3", rel=3) == []


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_judgments_and_runs_by_their_paths():
    qrels, runs = rs.simulation.embedded()
    scores = rs.evaluate(rs.load(qrels, runs), ["AP", "RR"])
    for again in (
        rs.evaluate(qrels, runs, ["AP", "RR"]),
        rs.evaluate(str(qrels), list(map(str, runs)), measures=["AP", "RR"]),
        rs.evaluate(rs.load(qrels, runs), measures=["AP", "RR"]),
    ):
        assert again.systems == scores.systems
        np.testing.assert_array_equal(again.value, scores.value)
    with pytest.raises(rs.InputError, match="without measures"):
        rs.evaluate(qrels, runs)
    with pytest.raises(rs.InputError, match="runs or rules beside lists"):
        rs.evaluate(rs.load(qrels, runs), runs, "AP")


def test_a_threshold_that_is_not_the_documented_one_is_said(tmp_path):
    """In the head of its column, with the documented one beside it; the name still finds the scores."""
    folder = tmp_path / "dl19-passage"
    folder.mkdir()
    (folder / "qrels").write_text("1 0 a 2\n1 0 b 1\n2 0 a 1\n2 0 c 3\n")
    (folder / "run").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n2 Q0 a 1 2 x\n2 Q0 c 2 1 x\n")
    scores = evaluate(load(folder / "qrels", folder / "run"), ["P@1", "nDCG@10", "RR(rel=2)"])
    assert scores.labels == ("P(rel=1)@1", "nDCG@10", "RR(rel=2)")
    offer = (
        "Measures with rel=1 count documents from grade 1 as relevant; TREC Deep Learning passages count from grade 2: "
        "use rel=2."
    )
    assert scores.offers == (offer, "", "")
    assert scores.mean().offer == offer
    assert scores.of("P@1").tolist() == scores.of("P(rel=1)@1").tolist() == [[1, 1]]
    documented = evaluate(load(folder / "qrels", folder / "run", rel=2), "P@1")
    assert (documented.labels, documented.offers) == (("P(rel=2)@1",), ("",))
    (folder / "qrels").rename(tmp_path / "qrels")
    elsewhere = evaluate(load(tmp_path / "qrels", folder / "run"), "P@1")
    assert (elsewhere.labels, elsewhere.offers) == (("P(rel=1)@1",), ("",))
