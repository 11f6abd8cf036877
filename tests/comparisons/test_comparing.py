"""Two systems: every part is what its own room says, swapping mirrors it, nothing else in the folder matters."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.comparisons import compare, deciding, sensitivity
from rankscope.errors import InputError
from rankscope.io.score_tables import read_scores
from rankscope.preferences import dominance, ipso, lexiprecision, lexirecall, rpp
from rankscope.statistics import sign_test, t_interval, t_test

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
SNAPSHOTS = Path(__file__).parent / "snapshots"


def evidence(comparison):
    """The full layer on one line."""
    return " ".join(comparison.to_text("full").split())


@pytest.fixture(scope="module")
def judged():
    return rs.load(*rs.simulation.embedded())


@pytest.fixture(scope="module")
def tied():
    return rs.load(*rs.simulation.embedded(), keep_ties=True)


def test_every_part_is_what_its_room_says(judged):
    a, b = "lexical-2", "dense-2"
    found = compare(judged, a, b, measure="P@10")
    scores = dict(zip(judged.systems, rs.evaluate(judged, "P@10").matrix("P@10").T, strict=True))
    t, interval = t_test(scores[a], scores[b]), t_interval(scores[a], scores[b])
    assert found.effect.pvalue == t.pvalue
    assert (found.effect.lower, found.effect.upper) == (interval.lower, interval.upper)
    assert found.means == (pytest.approx(scores[a].mean()), pytest.approx(scores[b].mean()))
    won = np.sign(np.round(scores[b] - scores[a], 9))
    assert (found.effect.won, found.effect.lost, found.effect.tied) == tuple((won == s).sum() for s in (1, -1, 0))
    assert found.without.ipso.pvalue == ipso(judged, a, b, depth=10).pvalue
    assert found.without.dominance.pvalue == dominance(judged, a, b, depth=10, gains="binary").pvalue
    by_name = {p.name: p.effect for p in found.without.preferences}
    assert by_name["RPP"].difference == pytest.approx(rpp(judged, a, b).mean)
    assert by_name["sgnLP"].pvalue == lexiprecision(judged, a, b).pvalue
    assert by_name["sgnLR"].pvalue == lexirecall(judged, a, b).pvalue
    lp = lexiprecision(judged, a, b).difference
    assert by_name["rrLP"].pvalue == t_test(np.zeros_like(lp), lp).pvalue
    others = {o.name: o for o in found.repetitions}
    assert others["sign test"].effect.pvalue == sign_test(scores[a], scores[b]).pvalue
    ap = dict(zip(judged.systems, rs.evaluate(judged, "AP").matrix("AP").T, strict=True))
    assert others["AP(rel=1)"].effect.pvalue == t_test(ap[a], ap[b]).pvalue


@pytest.mark.parametrize(("alpha", "level", "shown"), [(0.01, None, 0.99), (0.05, None, 0.95), (0.01, 0.9, 0.9)])
def test_intervals_have_the_level_that_alpha_leaves_unless_one_is_given(judged, alpha, level, shown):
    result = compare(judged, "lexical-2", "dense-2", measure="P@10", alpha=alpha, level=level)
    scores = dict(zip(judged.systems, rs.evaluate(judged, "P@10").matrix("P@10").T, strict=True))
    interval = t_interval(scores["dense-2"], scores["lexical-2"], level=shown)
    assert result.effect.level == shown
    assert sorted(map(abs, (result.effect.lower, result.effect.upper))) == pytest.approx(
        sorted(map(abs, (interval.lower, interval.upper)))
    )
    assert f"{100 * shown:g} % " in str(result)
    assert {p.effect.level for p in result.without.preferences} == {shown}
    assert {r.effect.level for r in result.repetitions} == {shown}
    assert result.without.dominance.level == shown
    if level is None:  # interval and verdict agree
        assert (result.effect.lower > 0 or result.effect.upper < 0) == bool(result.verdict)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("P@10", "binary, relevant from grade 1"),
        ("AP(rel=2)", "binary, relevant from grade 2"),
        ("RR", "binary, relevant from grade 1"),
        ("nDCG@20", "linear"),
        ('nDCG(dcg="exp-log2")@5', "exp"),
        ("ERR@10", "exp"),
        ("nDCG(gains={1:0,2:1,3:5})@10", "1 -> 0, 2 -> 1, 3 -> 5"),
    ],
)
def test_what_the_metric_gives_to_ipso_and_to_dominance(judged, measure, words):
    """The cutoff to both, its gains to dominance alone: thresholds need none."""
    found = compare(judged, "lexical-1", "dense-1", measure=measure, palette=())
    assert found.without.ipso.order.words == "counts of documents at every grade threshold (1, 2, 3)"
    assert words in found.without.dominance.covers.gains
    cutoff = re.search(r"@(\d+)$", measure)
    assert found.without.ipso.depth == found.without.dominance.covers.depth == (int(cutoff[1]) if cutoff else 10)
    note = f"{found.measure} has no cutoff, so this order does not bind it."
    assert (note in evidence(found)) == (cutoff is None)
    assert note not in evidence(compare(judged, "lexical-1", "dense-1", measure=measure, depth=10, palette=()))


@pytest.mark.parametrize(
    ("gains", "binds"),
    [
        ("thresholds", "Every metric to this depth that keeps Rules 1 and 2"),
        ("linear", "Every metric to this depth that sums this gain times a weight"),
        ({1: 0, 2: 1, 3: 2}, "Every metric to this depth that sums this gain times a weight"),
        ("binary", "Every metric of this binary relevance"),
    ],
)
def test_another_order_is_asked_for_by_name_and_says_whom_it_binds(judged, gains, binds):
    a, b = "lexical-1", "dense-1"
    found = compare(judged, a, b, gains=gains, palette=())
    assert (found.without.ipso.path == ipso(judged, a, b, depth=10, gains=gains).path).all()
    assert binds in evidence(found)
    assert found.without.ipso.order.words in evidence(found)
    assert "do not depend on the metric" not in evidence(found)


@pytest.mark.slow
def test_the_double_dagger_needs_both(judged):
    """As section 3.6 of Moffat and Mackenzie has it: † by the metric's test, ‡ where IPSO's sign test agrees."""
    for a in judged.systems:
        for b in judged.systems:
            if a == b:
                continue
            found = compare(judged, a, b, measure="nDCG@10", palette=())
            _, ns, _, ni, _ = found.without.ipso.counts[-1]
            assert ("†" in found.mark) == (found.effect.pvalue < 0.05)
            agrees = found.without.ipso.pvalue < 0.05 and np.sign(ns - ni) == np.sign(found.effect.difference)
            assert ("‡" in found.mark) == (found.effect.pvalue < 0.05 and agrees)
            if found.universal:
                assert found.mark


@pytest.mark.parametrize("pair", [("lexical-1", "hybrid-2"), ("dense-2", "lexical-3"), ("hybrid-1", "dense-2")])
def test_swapping_mirrors_every_number_and_word(tied, pair):
    a, b = pair
    one = compare(tied, a, b, measure="nDCG@10")
    two = compare(tied, b, a, measure="nDCG@10")
    assert one.sentence() == two.sentence()  # it names the systems
    assert [str(part) for part in one.blocks("short")[0].parts] == [str(part) for part in two.blocks("short")[0].parts]
    first, second = one.to_dict(), two.to_dict()
    assert (first["mean_a"], first["mean_b"]) == (second["mean_b"], second["mean_a"])
    for key in ("test", "pvalue", "favours", "tied", "significant", "corroborated", "universal", "n_topics"):
        assert first[key] == second[key]

    def mirrored(x, y):
        assert x["difference"] == -y["difference"]
        assert x["lower"] == -y["upper"]
        assert (x["won"], x["lost"], x["pvalue"]) == (y["lost"], y["won"], y["pvalue"])

    mirrored(first, second)
    for x, y in zip(first["preferences"], second["preferences"], strict=True):
        mirrored(x, y)
    assert first["ipso"]["pvalue"] == second["ipso"]["pvalue"]
    for x, y in zip(first["ipso"]["depths"], second["ipso"]["depths"], strict=True):
        assert (x["ni"], x["ns"], x["=="]) == (y["ns"], y["ni"], y["=="])
    assert first["dominance"]["pvalue"] == second["dominance"]["pvalue_reverse"]
    assert first["dominance"]["fails"] == second["dominance"]["fails_reverse"]
    for o in first["repetitions"]:
        wanted = (o["axis"], with_letters_swapped(o["name"]))
        twin = next(x for x in second["repetitions"] if (x["axis"], x["name"]) == wanted)
        mirrored(o, twin)
        assert o["outcome"] == twin["outcome"]


def with_letters_swapped(name):
    match = re.fullmatch(r"(best|worst) for A, (best|worst) for B", name)
    return f"{match[2]} for A, {match[1]} for B" if match else name


def test_a_third_run_changes_nothing(judged):
    qrels, runs = rs.simulation.embedded()
    two = rs.load(qrels, [run for run in runs if run.name[:-3] in ("dense-1", "dense-3")])
    of_all, of_two = (compare(source, "dense-1", "dense-3") for source in (judged, two))
    assert replace(of_all, n_systems=2).to_text("full") == of_two.to_text("full")
    assert "one planned pair, not corrected" in " ".join(str(of_two).split())
    assert "rankscope rank" not in str(of_two)
    said = "p is for one planned pair; rankscope rank corrects for all 28 pairs."
    assert said in " ".join(str(of_all).split())


def test_scores_alone(judged):
    scores = rs.evaluate(judged, "AP")
    found = compare(scores, "dense-1", "dense-3", measure="AP")
    assert found.without is None
    assert found.effect == compare(judged, "dense-1", "dense-3", measure="AP").effect
    assert "need the ranked lists" in evidence(found)
    few = read_scores({"a": {"1": 0.5, "2": 0.25, "3": 0.5}, "b": {"1": 0.5, "2": 0.5, "3": 0.75}})
    table = compare(few, "a", "b")
    assert "3 topics: too few to tell a and b apart" in str(table)
    assert not table.verdict


def test_identical_runs(judged):
    qrels, runs = rs.simulation.embedded()
    same = rs.load(qrels, {"one": runs[0], "two": runs[0]})
    found = compare(same, "one", "two", measure="nDCG@10")
    assert found.effect.pvalue == 1
    assert found.mark == ""
    assert "score the same on nDCG@10 on every topic" in found.sentence()
    assert not found.universal
    assert all(p.effect.pvalue == 1 for p in found.without.preferences)


def test_names_are_escaped(judged):
    qrels, runs = rs.simulation.embedded()
    odd = rs.load(qrels, {"<script>alert(1)</script>": runs[0], "b_1 & |": runs[5]})
    found = compare(odd, *odd.systems, measure="AP")
    assert "<script>" not in found._repr_html_()
    assert r"b\_1 \&" in found.to_latex()
    assert r"b_1 & \|" in found.to_markdown()


def test_frame_has_a_row_a_topic(judged):
    found = compare(judged, "dense-1", "dense-3", measure="nDCG@10")
    table = found.to_frame()
    assert table.columns == ["topic", "a", "b", "difference", "ipso"]
    assert table.height == 49
    assert table["difference"].abs().is_sorted(descending=True)


def test_topics_that_decide(judged):
    found = compare(judged, "dense-1", "dense-3", measure="P@10")
    drawn = deciding(found, 5)
    changes = np.abs(found.scored.value[:, 0] - found.scored.value[:, 1])
    assert np.sort(np.abs(drawn.change)) == pytest.approx(np.sort(changes)[-5:])
    for topic, strip, change in zip(drawn.topics, drawn.a, drawn.change, strict=True):
        row = judged.topics.index(topic)
        code = judged.code[judged.system("dense-1"), row, :10]
        grades = ["?" if c == 1 else "·" if judged.grades[c - 2] <= 0 else f"{judged.grades[c - 2]:g}" for c in code]
        assert strip == "".join(grades)
        at = found.scored.topics.index(topic)
        assert change == found.scored.value[at, 1] - found.scored.value[at, 0]
    plain = re.sub(r"\x1b\[[0-9;]*m", "", drawn.to_text(colour=True))
    assert plain == drawn.to_text()


# real runs


def pairs_of(data, collection, rel):
    """Best and median run by nDCG@10."""
    folder = data / collection
    judged = rs.load(folder / "qrels.txt" if (folder / "qrels.txt").exists() else next(folder.glob("qrels*")),
                     folder / "runs", rel=rel)  # fmt: skip
    scores = rs.evaluate(judged, "nDCG@10").mean().value[0]
    order = np.argsort(-scores)
    return judged, judged.systems[order[0]], judged.systems[order[len(order) // 2]]


@pytest.mark.parametrize(("collection", "rel"), [("trec8-adhoc", None), ("dl19-passage", 2), ("trec-covid-r5", None)])
def test_best_against_median_of_real_runs(data, collection, rel):
    judged, best, median = pairs_of(data, collection, rel)
    found = compare(judged, median, best, measure="nDCG@10")
    assert found.effect.difference > 0
    assert found.verdict in (0, 1)
    assert found.effect.won + found.effect.lost + found.effect.tied == found.effect.n_topics == len(found.scored.topics)
    assert found.effect.lower <= found.effect.difference <= found.effect.upper
    counts = found.without.ipso.counts
    assert (counts.sum(axis=1) == len(found.without.ipso.topics)).all()
    (_, most, _), (least, _, _) = found.without.ipso.swing
    assert most >= counts[-1, 3]
    assert least >= counts[-1, 1]
    if found.universal:  # every static metric agrees, so these do
        for o in found.repetitions:
            if o.axis == "metric" and o.name in ("P@10",):
                assert o.effect.difference > 0
    assert found.unjudged.lower <= found.effect.difference + 1e-12
    assert found.unjudged.upper >= found.effect.difference - 1e-12


def test_a_run_against_itself_cut_at_20(data):
    judged, best, _ = pairs_of(data, "trec8-adhoc", None)
    cut = judged.code.copy()
    row = judged.system(best)
    lists = np.stack([cut[row], np.where(np.arange(cut.shape[-1]) < 20, cut[row], 0)])
    both = rs.Judged(("whole", "cut"), judged.topics, lists, judged.grades, judged.available, judged.rules)
    found = compare(both, "whole", "cut", measure="P@10", depth=10)
    assert found.effect.won == found.effect.lost == 0
    deep = compare(both, "whole", "cut", measure="AP", depth=100)
    assert deep.effect.won == 0
    assert deep.effect.difference < 0
    _, ns, _, _, _ = deep.without.ipso.counts[-1]
    assert ns == 0
    assert deep.without.ipso.counts[-1][[0, 4]].sum() == 0


# what other tools hold in hand


def runs_in_hand():
    """Two runs of the embedded collection as other tools have them, judgments first."""
    import gzip

    qrels, runs = rs.simulation.embedded()
    grades, scores = {}, ({}, {})
    for line in gzip.decompress(qrels.read_bytes()).decode().splitlines():
        topic, _, doc, grade = line.split()
        grades.setdefault(topic, {})[doc] = int(grade)
    for run, into in zip((runs[0], runs[4]), scores, strict=True):
        for line in gzip.decompress(run.read_bytes()).decode().splitlines():
            topic, _, doc, _, value, _ = line.split()
            into.setdefault(topic, {})[doc] = float(value)
    return (qrels, runs[0], runs[4]), (grades, *scores)


def test_files_dictionaries_and_frames_as_they_are():
    files, plain = runs_in_hand()
    whole = compare(*files, measure="nDCG@10")
    assert whole.systems == ("dense-1", "hybrid-2")
    assert any(o.axis == "ties" for o in whole.repetitions)
    in_hand = compare(*plain, measure="nDCG@10")
    assert in_hand.systems == ("A", "B")
    assert in_hand.effect == whole.effect
    pandas = pytest.importorskip("pandas")
    grades, a, b = plain
    labels = pandas.DataFrame([(t, d, g) for t, docs in grades.items() for d, g in docs.items()],
                              columns=["qid", "docno", "label"])  # fmt: skip
    frames = [
        pandas.DataFrame(
            [(t, d, s) for t, docs in run.items() for d, s in docs.items()], columns=["qid", "docno", "score"]
        )
        for run in (a, b)
    ]
    assert compare(labels, *frames, measure="nDCG@10").effect == whole.effect


def test_objects_of_other_tools_as_they_are():
    _, (grades, a, b) = runs_in_hand()
    expected = compare(grades, a, b, measure="AP", others=False)
    ir_measures = pytest.importorskip("ir_measures")
    rows = [[ir_measures.ScoredDoc(t, d, s) for t, docs in run.items() for d, s in docs.items()] for run in (a, b)]
    assert compare(grades, *rows, measure="AP", others=False).effect == expected.effect
    scores = {name: list(ir_measures.iter_calc([ir_measures.AP], grades, run)) for name, run in (("A", a), ("B", b))}
    kept = set(expected.scored.topics)
    given = {name: [row for row in found if row.query_id in kept] for name, found in scores.items()}
    by_scores = compare(given, "A", "B")
    assert by_scores.effect.pvalue == pytest.approx(expected.effect.pvalue)
    pytrec_eval = pytest.importorskip("pytrec_eval")
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {"map"})
    results = {
        name: {t: v for t, v in evaluator.evaluate(run).items() if t in kept} for name, run in (("A", a), ("B", b))
    }
    assert compare(results, "A", "B").effect.difference == pytest.approx(expected.effect.difference)


@pytest.mark.slow
def test_ranx_objects_as_they_are():
    ranx = pytest.importorskip("ranx")
    _, (grades, a, b) = runs_in_hand()
    found = compare(ranx.Qrels(grades), ranx.Run(a, name="one"), ranx.Run(b, name="two"), measure="AP", others=False)
    assert found.systems == ("one", "two")
    assert found.effect == compare(grades, a, b, measure="AP", others=False).effect


def test_rows_that_can_be_read_once():
    """ir_measures reads runs, and ir_datasets judgments, as generators."""
    from collections import namedtuple

    scored_doc = namedtuple("scored_doc", "query_id doc_id score")
    qrel = namedtuple("qrel", "query_id doc_id relevance")
    _, (grades, *runs) = runs_in_hand()
    expected = compare(grades, *runs, measure="AP")
    judgments = (qrel(topic, doc, grade) for topic, docs in grades.items() for doc, grade in docs.items())
    a, b = (
        (scored_doc(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()) for run in runs
    )
    found = compare(judgments, a, b, measure="AP")
    assert found.effect == expected.effect
    assert [o.effect for o in found.repetitions] == [o.effect for o in expected.repetitions]


def test_runs_are_read_by_as_many_workers(monkeypatch):
    from rankscope.comparisons import comparing

    calls = []

    def load(*args, **rules):
        calls.append(rules["workers"])
        return rs.load(*args, **rules)

    monkeypatch.setattr(comparing, "load", load)
    qrels, runs = rs.simulation.embedded()
    compare(qrels, runs[0], runs[4], others=False, workers=1)
    assert calls == [1]


def test_metrics_of_the_palette_are_scored_at_once(judged, monkeypatch):
    from rankscope.comparisons import scored

    calls = []

    def evaluate(lists, measures):
        calls.append(measures)
        return rs.evaluate(lists, measures)

    monkeypatch.setattr(scored, "evaluate", evaluate)
    comparison = compare(judged, "lexical-3", "hybrid-1", palette=("AP", "nDCG@10", "P@5"))
    assert [r.name for r in comparison.repetitions if r.axis == "metric"] == ["AP(rel=1)", "P(rel=1)@5"]
    assert calls == [rs.measure("nDCG@10"), [rs.measure(name) for name in ("AP", "P@5")]]


def test_workers_change_nothing(tied):
    one, three = (compare(tied, "dense-1", "hybrid-1", test="randomisation", workers=workers) for workers in (1, 3))
    assert one.to_dict() == three.to_dict()


@pytest.mark.parametrize("test", ["t", "randomisation"])
def test_five_topics_have_too_few_sign_flips_for_an_interval(test):
    topics = [f"t{i}" for i in range(5)]
    judgments = {t: {"d0": 1, "d1": 0, "d2": 1} for t in topics}
    runs = {s: {t: {f"d{d}": float((7 * i + 3 * d * k) % 5) for d in range(3)} for i, t in enumerate(topics)}
            for k, s in enumerate("ab", 1)}  # fmt: skip
    found = rs.compare(rs.load(judgments, runs), "a", "b", measure="AP", test=test)
    assert evidence(found).startswith("No difference between b and a is shown on AP: b scores 0.0167 higher, p =")
    flipped = next(e for e in (found.effect, *(o.effect for o in found.repetitions)) if e.test == "randomisation")
    assert (flipped.lower, flipped.upper) == (-np.inf, np.inf)
    assert "too few sign flips" in flipped.remark


def test_favours_is_a_name():
    judged = rs.load(*rs.simulation.embedded(), keep_ties=True)
    plain = compare(judged, "hybrid-2", "lexical-1").to_dict()
    assert plain["favours"] == "hybrid-2"
    assert {row["favours"] for row in (*plain["preferences"], *plain["repetitions"])} <= {"hybrid-2", "lexical-1", None}
    drawn = deciding(compare(judged, "hybrid-2", "lexical-1"), 5)
    expected = ["lexical-1" if change > 0 else "hybrid-2" if change < 0 else None for change in drawn.change]
    assert drawn.columns()["favours"] == expected
    checks = rs.gate(judged, "lexical-1", "hybrid-2").to_dict()["checks"]
    assert [check["favours"] for check in checks] == ["hybrid-2"]


def test_rows_that_cannot_be_computed_say_why():
    """A grade of 1e9 is too much for ERR, and no reason to refuse a comparison under AP."""
    rng = np.random.default_rng(5)
    qrels = {f"q{t}": {f"d{d}": int(rng.choice([0, 1, 10**9])) for d in range(12)} | {"d0": 10**9} for t in range(8)}
    runs = {name: {f"q{t}": {f"d{d}": float(rng.random()) for d in range(12)} for t in range(8)} for name in "ab"}
    judged = rs.load(qrels, runs)
    with pytest.raises(InputError, match="beyond all numbers"):
        compare(judged, "a", "b", measure="ERR@20")
    found = compare(judged, "a", "b", measure="AP(rel=1)")
    names = {r.name for r in found.repetitions if r.axis == "metric"}
    assert names == {"nDCG@10", "P(rel=1)@10", "RR(rel=1)", "RBP(p=0.8,rel=1)", "R(rel=1)@100"}
    (missing,) = found.not_repeated
    assert (missing.axis, missing.name) == ("metric", "ERR@20")
    assert "beyond all numbers" in missing.reason
    assert found.to_dict()["not_repeated"] == [
        {"axis": "metric", "name": "ERR@20", "reason": "ERR@20: 2^1e+09 is beyond all numbers"}
    ]
    assert "1 not computed" in str(found)
    for text in (found.to_text("full"), found.to_markdown()):
        assert any("not computed: ERR@20" in line and "beyond all" in line for line in text.splitlines())
    few = compare(judged, "a", "b", measure="AP(rel=1)", palette=["ERR@20", "P@5"])
    assert [r.name for r in few.repetitions if r.axis == "metric"] == ["P(rel=1)@5"]


def test_a_metric_on_too_few_topics_is_a_row_with_a_reason():
    qrels = {f"q{t}": {"d1": 2 if t < 3 else 1, "d2": 0} for t in range(8)}
    runs = {name: {f"q{t}": {"d1": 1.0, "d2": float((t + k) % 3)} for t in range(8)} for k, name in enumerate("ab")}
    found = compare(rs.load(qrels, runs), "a", "b", measure="AP(rel=1)", palette=["AP(rel=2)"])
    assert [(r.name, r.reason) for r in found.not_repeated] == [("AP(rel=2)", "3 topics are too few; 5 are the least")]


def test_many_topics_have_the_same_comparison_on_any_number_of_threads(monkeypatch):
    monkeypatch.setattr("rankscope.comparisons.comparing._MANY", 10)
    rng = np.random.default_rng(8)
    qrels = {f"q{t}": {f"d{d}": int(rng.integers(0, 3)) for d in range(9)} for t in range(40)}
    runs = {name: {f"q{t}": {f"d{d}": float(rng.random()) for d in range(9)} for t in range(40)} for name in "ab"}
    judged = rs.load(qrels, runs, keep_docs=True, keep_ties=True)
    one, four = (compare(judged, "a", "b", workers=workers) for workers in (1, 4))
    assert str(one) == str(four)
    assert one.to_dict() == four.to_dict()


def test_lists_that_are_the_same_are_known_as_far_down_as_documents_are(tmp_path):
    docs = [f"d{d}" for d in range(20)]
    lists = {
        "same": (docs, docs),
        "below": (docs, [*docs[:15], *docs[16:], docs[15]]),  # unjudged there: the codes are the same
        "above": (docs, docs[::-1]),
        "short": (docs[:4], docs[:4]),
    }

    def write(topics):
        (tmp_path / "qrels").write_text("".join(f"{topic} 0 d{d} 1\n" for topic in topics for d in (1, 3)))
        for k, name in enumerate("ab"):
            rows = [
                f"{topic} Q0 {doc} {rank} {30 - rank} {name}\n"
                for topic in topics
                for rank, doc in enumerate(lists[topic][k])
            ]
            (tmp_path / name).write_text("".join(rows))

    def read(keep_docs):
        return rs.load(tmp_path / "qrels", [tmp_path / "a", tmp_path / "b"], keep_docs=keep_docs)

    def same(judged):
        return dict(zip(judged.topics, sensitivity.identical_lists(judged, measure).tolist(), strict=True))

    measure = rs.measure("AP")
    write(lists)
    assert same(read(True)) == {"same": True, "below": False, "above": False, "short": True}
    assert sensitivity.identical_lists(read(10), measure) is None
    write(["above", "short"])
    assert same(read(10)) == {"above": False, "short": True}
