"""Every kind of finding on a collection made for it, with its whole line."""

import numpy as np
import pytest

from rankscope import InputError
from rankscope.judged import join
from rankscope.simulation import embedded
from rankscope.validation import material, validate

D = [f"d{i}" for i in range(10)]
PLAIN = {d: 1.0 if d in D[:3] else 0.0 for d in D}  # d0, d1 and d2 are relevant, all ten are judged


def ranked(docs):
    """A list in this order, by scores without ties."""
    return {doc: 100.0 - i for i, doc in enumerate(docs)}


def found(qrels, runs, kind, **rules):
    """The one finding of a kind."""
    (finding,) = [f for f in validate(qrels, runs, **rules) if f.kind == kind]
    return finding


def kinds(qrels, runs, **rules):
    return [f.kind for f in validate(qrels, runs, **rules)]


def trec(path, rows, topic="1"):
    path.write_text("".join(f"{topic} Q0 {doc} {rank} {score!r} tag\n" for doc, rank, score in rows))
    return path


def test_clean():
    result = validate({"1": PLAIN, "2": PLAIN}, {"a": {"1": ranked(D), "2": ranked(D)}, "b": _reversed()})
    assert result.clean
    assert len(result) == 0
    assert str(result) == "Nothing odd in 2 runs, 2 topics, 20 judgments."
    assert result.to_frame().columns == ["kind", "severity", "systems", "shift", "message"]


def _reversed():
    return {"1": ranked(D[::-1]), "2": ranked(D[::-1])}


def test_missing_topics():
    # AP is 1 on the topic that b has; with an empty list for the other, 1/2
    runs = {"a": _reversed(), "b": {"1": ranked(D)}}
    finding = found({"1": PLAIN, "2": PLAIN}, runs, "missing-topics")
    assert finding.message == (
        "b lacks judged topics (1 of 2). They count as lists without documents: the mean AP of b is 0.5000; over "
        "the topics that b has, it is 1.0000. It concerns the best run, b. Use missing='drop' to leave "
        "topics out that a run lacks."
    )
    assert finding.severity == "high"
    assert finding.systems == ("b",)
    assert finding.numbers["runs"]["b"] == {"missing": 1, "AP": 0.5, "AP_present": 1.0, "shift": 0.5}
    assert finding.numbers["count"] == 1
    assert finding.numbers["among"] == 2


def test_many_runs_are_one_line_with_the_worst_named():
    # a run ci is right on the first i of six topics and lacks the rest: AP i/6, over the topics present 1
    qrels = {str(t): PLAIN for t in range(6)}
    runs = {f"c{i}": {str(t): ranked(D) for t in range(i)} for i in (5, 2, 4, 3)}
    finding = found(qrels, runs, "missing-topics")
    assert finding.message == (
        "4 of 4 runs lack judged topics, worst first: c2 (4 of 6), c3 (3 of 6), c4 (2 of 6) and 1 more. They "
        "count as lists without documents: the mean AP of c2 is 0.3333; over the topics that c2 has, it is "
        "1.0000. It concerns the best run, c5. Use missing='drop' to leave topics out that a run lacks."
    )
    assert finding.systems == ("c2", "c3", "c4", "c5")
    text = validate(qrels, runs).to_text("full")
    assert "\n    c5: missing 1, AP 0.8333, AP present 1.0000, shift 0.1667" in text


def test_topics_without_judgments():
    finding = found({"1": PLAIN}, {"1": ranked(D), "9": ranked("xy")}, "topics-without-judgments")
    assert finding.message == (
        "run has topics without judgments (1 topic). They are ignored: 2 documents of run. Check that judgments "
        "and runs write topics the same way."
    )
    assert finding.severity == "low"


def test_empty_topics():
    finding = found({"1": PLAIN, "2": {}}, {"1": ranked(D)}, "empty-topics")
    assert finding.message == "Topics without any judgment, left out: 1 in qrels."


def test_topics_without_relevant_documents():
    # three of four topics count, with AP 1 each
    qrels = {"1": PLAIN, "2": PLAIN, "3": PLAIN, "4": dict.fromkeys(D, 0.0)}
    finding = found(qrels, dict.fromkeys(qrels, ranked(D)), "topics-without-relevant-documents")
    assert finding.message == (
        "1 of 4 topics has no relevant document (relevant from grade 1). Means leave it out. Counted as 0, all "
        "means shrink by a factor of 0.7500, the highest AP from 1.0000 to 0.7500. Use undefined='zero' where you "
        "compare with means that count such topics as 0."
    )
    assert finding.numbers == {"shift": 0.25, "n_topics": 1, "of": 4, "factor": 0.75}


def test_no_topic_has_relevant_documents():
    finding = found({"1": PLAIN}, {"1": ranked(D)}, "topics-without-relevant-documents", rel=2)
    assert finding.severity == "high"
    assert finding.message == (
        "No topic has a relevant document (relevant from grade 2; the highest grade is 1). Most measures are "
        "undefined. Use a lower rel."
    )


def test_unjudged_at_10():
    # 8 judged documents, then two that are not: the weight of ranks 9 and 10 and of all that follow is 0.8 ** 8
    finding = found({"1": PLAIN}, {"1": ranked([*D[:8], "x", "y"])}, "unjudged-documents-at-10")
    assert finding.message == (
        "run has unjudged documents in the first 10 (20 %). They count as not relevant; in "
        "the median list the first is at rank 9. Were all relevant, the mean P@10 of run would be "
        "0.5000 instead of 0.3000, and "
        f"RBP(p=0.8) higher by up to {0.8**8:.4f}. Judge them; rankscope compare says whether they could "
        "change a verdict."
    )
    assert finding.severity == "medium"
    assert kinds({"1": PLAIN}, {"1": ranked([*D[:9], "x"])}) == []  # 10 % is the limit


def test_unjudged_at_100():
    # 5 judged documents, then 7 that are not: 7 of 12
    docs = [*D[:5], *"tuvwxyz"]
    finding = found({"1": PLAIN}, {"1": ranked(docs)}, "unjudged-documents-at-100")
    assert finding.message == (
        "run has unjudged documents in the first 100 (58 %). They count as not relevant; in "
        "the median list the first is at rank 6. Were all relevant, the mean P@100 of run would be "
        "0.1000 instead of 0.0300, and "
        f"RBP(p=0.95) higher by up to {0.95**5:.4f}. Judge them; rankscope compare says whether they could "
        "change a verdict."
    )
    assert "unjudged-documents-at-10" in kinds({"1": PLAIN}, {"1": ranked(docs)})


def test_first_unjudged_is_a_median_over_topics_and_may_be_none():
    judged = {"1": PLAIN, "2": PLAIN, "3": PLAIN}
    runs = {"1": ranked([*"tuvwxyz", *D[:3]]), "2": ranked(D), "3": ranked(D)}
    finding = found(judged, runs, "unjudged-documents-at-10")
    assert "the median list has none" in finding.message
    assert finding.numbers["runs"]["run"]["first_unjudged_rank"] is None


def test_an_unjudged_majority_is_severe():
    assert found({"1": PLAIN}, {"1": ranked("qrstuvwxyz")}, "unjudged-documents-at-10").severity == "high"


def test_tied_scores():
    # one relevant document among ten of equal score: last by document id, first or last at will
    qrels = {"1": {d: float(d == "d0") for d in D}}
    finding = found(qrels, {"1": dict.fromkeys(D, 1.0)}, "tied-scores")
    assert finding.message == (
        "run has tied scores (100 % of neighbours). The order of ties moves the mean AP of run by up to 0.9000, "
        "from 0.1000 to 1.0000. Use ties='rank' if the rank column is meant."
    )
    assert finding.severity == "high"
    assert finding.numbers["shift"] == pytest.approx(0.9)


def test_few_ties_that_move_nothing_are_no_finding():
    run = ranked(D) | {"d9": 92.0}  # with d8: 1 of 9 neighbours, both not relevant
    assert kinds({"1": PLAIN}, {"1": run}) == []
    moving = ranked(D) | {"d3": 98.0}  # with the relevant d2
    assert kinds({"1": PLAIN}, {"1": moving}) == ["tied-scores"]


def test_rank_against_score(tmp_path):
    # the relevant document is first by score and last by rank
    qrels = {"1": {d: float(d == "d0") for d in D}}
    run = trec(tmp_path / "a", [(d, 10 - i, 100.0 - i) for i, d in enumerate(D)])
    finding = found(qrels, run, "rank-against-score")
    assert finding.message == (
        "a has another first 10 by rank than by score (1 of 1 topic). Ranks are ignored. By rank, the mean of a "
        "moves in AP from 1.0000 to 0.1000. If the ranks are right, write scores that fall with rank."
    )
    assert finding.severity == "high"


def test_ranks_that_only_order_ties(tmp_path):
    # d1 and d2 tie; trec_eval takes d2 first, the ranks d1
    rows = [(d, i + 1, 100.0 - i) for i, d in enumerate(D)]
    rows[1:3] = [("d1", 2, 98.0), ("d2", 3, 98.0)]
    finding = found({"1": PLAIN}, trec(tmp_path / "a", rows), "rank-against-score")
    assert finding.effect == "Ranks are ignored. By rank, the mean AP and P@10 of a stay the same."
    assert finding.cure == "Only equal scores are concerned. Use ties='rank' if the rank column is meant."
    assert finding.severity == "low"


def test_ranks_that_contradict_scores_in_some_runs_only(tmp_path):
    rows = [(d, i + 1, 100.0 - i) for i, d in enumerate(D)]
    ties = trec(tmp_path / "a", [rows[0], ("d1", 2, 98.0), ("d2", 3, 98.0), *rows[3:]])
    against = trec(tmp_path / "b", [("d0", 2, 100.0), ("d1", 1, 99.0), *rows[2:]])
    assert found({"1": PLAIN}, [ties, against], "rank-against-score").cure == (
        "1 of these runs has ranks that contradict the scores. If the ranks are right, write scores that fall with "
        "rank. In the others only equal scores are concerned. Use ties='rank' if the rank column is meant."
    )


def test_equal_ranks_go_by_line(tmp_path):
    rows = [(d, 0, 100.0 - i) for i, d in enumerate(D)]
    assert kinds({"1": PLAIN}, trec(tmp_path / "a", rows)) == []
    assert kinds({"1": PLAIN}, trec(tmp_path / "b", rows[::-1])) == ["rank-against-score"]


def test_ranks_that_are_no_numbers_are_ignored(tmp_path):
    assert kinds({"1": PLAIN}, trec(tmp_path / "a", [(d, "-", 100.0 - i) for i, d in enumerate(D)])) == []


def test_rank_start(tmp_path):
    a = trec(tmp_path / "a", [(d, i, 100.0 - i) for i, d in enumerate(D)])
    b, c = (
        trec(tmp_path / name, [(d, i + 1, 100.0 - i) for i, d in enumerate([*D[k:], *D[:k]])])
        for k, name in enumerate("bc", 1)
    )
    finding = found({"1": PLAIN}, [a, b, c], "rank-start")
    assert finding.message == (
        "Rank columns start with 0 in 1 run and with 1 in 2 runs. Ranks are ignored here. A tool that cuts lists "
        "at rank 10 keeps unequal numbers of documents. It does not change the mean of the best run, a, by "
        "0.00005 or more. Number ranks alike before you use such a tool."
    )
    assert finding.systems == ("a",)
    assert finding.numbers["starts"] == {"0": 1, "1": 2}


def test_score_collisions():
    # as 32-bit floats d0 and d1 tie, and d1 goes first
    qrels = {"1": {d: float(d == "d0") for d in D}}
    run = {d: -float(i) for i, d in enumerate(D)} | {"d0": 1 + 1e-10, "d1": 1.0}
    finding = found(qrels, {"1": run}, "score-collisions")
    assert finding.message == (
        "run has another order with 32-bit scores (1 list). trec_eval 9 has such scores. There, the mean of run "
        "moves in AP from 1.0000 to 0.5000. Use score_dtype='float32' to get the numbers of trec_eval 9."
    )
    assert finding.numbers["runs"]["run"]["colliding_neighbours"] == 1
    other_way = run | {"d0": 1.0, "d1": 1 + 1e-10}  # d1 goes first either way
    assert kinds(qrels, {"1": other_way}) == []


def test_identical_runs():
    runs = {name: {"1": ranked(D)} for name in "abcde"} | {"x": {"1": ranked(D[::-1])}, "y": {"1": ranked(D[::-1])}}
    finding = found({"1": PLAIN}, runs, "identical-runs")
    assert finding.message == (
        "a = b = c = 2 more, x = y: these runs have the same documents in the same order for all topics. Every "
        "comparison of them is a tie, yet each counts as a system of its own. Among them: the best run, a. Keep "
        "one of each."
    )
    assert finding.numbers["groups"] == [["a", "b", "c", "d", "e"], ["x", "y"]]
    assert finding.each() == ["a = b = c = d = e", "x = y"]
    assert "same-first-10" not in kinds({"1": PLAIN}, runs)


def test_same_first_10():
    # the fourth relevant document at rank 12 or 11: AP (3 + 4/12) / 4 or (3 + 4/11) / 4
    qrels = {"1": PLAIN | {"e0": 1.0, "e1": 0.0}}
    runs = {"a": {"1": ranked([*D, "e1", "e0"])}, "b": {"1": ranked([*D, "e0", "e1"])}}
    finding = found(qrels, runs, "same-first-10")
    assert finding.message == (
        "a = b: these runs have the same first 10 documents for all topics. Measures of the first 10 documents "
        f"tie on every topic; the mean AP differs by up to {1 / 11 - 1 / 12:.4f}. Among them: the best run, a. "
        "Compare them by measures of deeper lists."
    )
    assert "identical-runs" not in kinds(qrels, runs)


def test_negative_grades():
    finding = found({"1": PLAIN | {"d8": -1.0, "d9": -2.0}}, {"1": ranked(D)}, "negative-grades")
    assert finding.message == (
        "2 of 10 judgments have a grade below 0, the lowest -2. They count as not relevant. Judged@k takes them "
        "for judged, Bpref and infAP for unjudged."
    )
    assert finding.systems == ()


def test_fractional_grades():
    # gains 1/2 and 1 at ranks 1 and 2; cut to 0 and 1
    third = 1 / np.log2(3)
    finding = found({"1": dict.fromkeys(D, 0.0) | {"d0": 0.5, "d1": 1.0}}, {"1": ranked(D)}, "fractional-grades")
    assert finding.message == (
        "1 of 10 judgments has a grade that is no whole number, such as 0.5; 1 of them is above 0 but not "
        "relevant (relevant from grade 1). A tool that cuts grades to whole numbers gives run a mean nDCG@10 of "
        f"{third:.4f} instead of {(0.5 + third) / (1 + third / 2):.4f}. Use a lower rel if they are relevant."
    )


GRADES_0_TO_3 = {"1": dict.fromkeys(D, 0.0) | {"d0": 1.0, "d1": 2.0, "d2": 3.0}}


def test_grades_0_to_3_raise_a_question():
    # P@10 3/10 and 2/10; AP at 1: (1 + 1 + 1) / 3, at 2: (1/2 + 2/3) / 2
    finding = found(GRADES_0_TO_3, {"1": ranked(D)}, "another-threshold")
    assert finding.message == (
        "Are documents of grade 1 relevant? 33 % of the relevant documents have this grade, of the grades 0 to 3. "
        "Relevant from grade 2, the median run moves in P@10 from 0.3000 to 0.2000 and in AP from 1.0000 to "
        "0.5833. Use rel=2 if lower grades are not relevant, else rel=1."
    )
    assert finding.severity == "low"
    assert finding.numbers["rel"] == 2
    for chosen in (1, 2):
        assert kinds(GRADES_0_TO_3, {"1": ranked(D)}, rel=chosen) == []


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("2019qrels-pass.txt", "high"), ("trec-dl-2019-passage.qrels", "high"), ("dl20-passage.txt", "high"),
        ("qrels.dl19-doc.txt", "low"), ("adl19x.txt", "low"), ("qrels.txt", "low"),
    ],
)  # fmt: skip
def test_files_of_trec_dl_passages_have_a_documented_threshold(tmp_path, name, severity):
    (tmp_path / name).write_text("".join(f"1 0 {d} {g:g}\n" for d, g in GRADES_0_TO_3["1"].items()))
    finding = found(tmp_path / name, {"1": ranked(D)}, "another-threshold")
    assert finding.severity == severity
    assert (f"By its name, {name} is TREC DL passage ranking, " in finding.what) == (severity == "high")


def test_our_own_data_are_no_alarm():
    """The embedded collection has grades 0 to 3 and is not TREC DL."""
    findings = validate(*embedded())
    assert {f.kind: f.severity for f in findings} == {
        "unjudged-documents-at-100": "medium", "tied-scores": "medium", "topics-without-relevant-documents": "medium",
        "another-threshold": "low",
    }  # fmt: skip


def test_what_concerns_the_best():
    """Of 30 runs, the ten best have the relevant document at ranks 1 to 4; the last one has ties, then the first."""
    qrels = {topic: {d: float(d == "d0") for d in D} for topic in "12"}
    runs = {f"r{i:02}": dict.fromkeys("12", ranked([*D[1 : 1 + i // 3], "d0", *D[1 + i // 3 :]])) for i in range(30)}
    assert validate(qrels, runs).best == tuple(f"r{i:02}" for i in range(10))
    tied = dict.fromkeys(D, 1.0)
    last = runs | {"r29": {"1": runs["r29"]["1"], "2": tied}}
    finding = found(qrels, last, "tied-scores")
    assert (finding.systems, finding.top) == (("r29",), ())
    assert finding.effect.endswith(" It does not concern the 10 best runs by nDCG@10.")
    assert "\nThis concerns the 10 best runs by nDCG@10: identical runs (10 of them)" in str(validate(qrels, last))
    first = runs | {"r00": {"1": runs["r00"]["1"], "2": tied}}
    finding = found(qrels, first, "tied-scores")
    assert finding.top == ("r00",)
    assert finding.effect.endswith(" It concerns 1 of the 10 best runs by nDCG@10.")
    few = validate(qrels, {name: first[name] for name in ("r00", "r29")})
    assert few.best == ("r00",)
    assert str(few).splitlines()[-1].startswith("This concerns the best run by nDCG@10, r00: tied scores.")


def test_ratings_suggest_a_threshold():
    stars = dict(zip(D, [1, 2, 3, 4, 5] * 2, strict=True))
    qrels = {"u": stars, "v": dict.fromkeys(D, 2) | {"d0": 1, "d1": 3}}
    finding = found(qrels, {"u": ranked(D), "v": ranked(D)}, "another-threshold")
    assert finding.message.startswith(
        "Grades 1 to 5 look like ratings: from grade 1, 100 % of the judged documents are relevant. Relevant from "
        "grade 4, the median run moves in P@10 from 1.0000 to 0.4000 "
    )
    assert finding.effect.endswith(" 1 topic has no relevant document then.")
    assert finding.numbers["rel"] == 4


@pytest.mark.parametrize("grades", [(0, 1), (1,), (1, 2), (0, 1, 2), (0, 2, 3), (0, 1, 2, 3, 4), (-2, 0, 1, 2)])
def test_grades_that_suggest_no_other_threshold(grades):
    qrels = {"1": {d: float(grades[i % len(grades)]) for i, d in enumerate(D)}}
    assert "another-threshold" not in kinds(qrels, {"1": ranked(D)})


def test_short_runs():
    # b stops after one document; cut there, a finds one of three relevant documents
    qrels = {"1": PLAIN}
    runs = {"a": {"1": ranked(D)}, "b": {"1": ranked(["d2"])}, "c": {"1": ranked(["d1", "d0", *D[2:]])}}
    finding = found(qrels, runs, "short-runs")
    assert finding.message == (
        "b has short lists (1 document in the median list). What is missing counts as not relevant. With lists as "
        "short, the mean AP of the other runs is 0.3333 instead of 1.0000. It does not concern the best run, a. Use "
        "depth=1 to compare lists of one length."
    )
    assert finding.systems == ("b",)
    assert "short-lists" not in kinds(qrels, runs)


def test_all_runs_are_short():
    finding = found({"1": PLAIN}, {"1": ranked(D[:5])}, "short-runs")
    assert finding.message == (
        "run has short lists (5 documents in the median list). What is missing counts as not relevant."
    )


def test_short_lists():
    judged = dict.fromkeys("12345", PLAIN)
    run = {t: ranked(D) for t in "1234"} | {"5": ranked(D[:4])}
    finding = found(judged, run, "short-lists")
    assert finding.message == (
        "run has single short lists (4 documents on topic 5). What is missing counts as not relevant. run has 1 "
        "such list; on the shortest, P@10 is 0.4 at most. Check whether these systems failed on these topics."
    )
    # six documents of ten are missing in one of five topics
    assert finding.numbers["shift"] == pytest.approx(6 / 10 / 5)
    assert finding.numbers["runs"]["run"]["shortest"] == 4


def test_lists_are_short_against_what_is_usual():
    docs = [*D, *(f"e{i}" for i in range(10))]
    judged = dict.fromkeys("123", dict.fromkeys(docs, 1.0))
    run = {"1": ranked(docs), "2": ranked(docs), "3": ranked(docs[:15])}
    assert kinds(judged, {"a": run}) == []  # 15 of 20 is the limit
    short = found(judged, {"a": run | {"3": ranked(docs[:14])}, "b": run, "c": run}, "short-lists")
    assert short.message == (
        "a has single short lists (14 documents on topic 3). What is missing counts as not relevant. a has 1 such "
        "list. It does not change the mean of the best run, a, by 0.00005 or more. Check whether these systems failed "
        "on these topics."
    )


def test_worst_first():
    qrels = {"1": PLAIN | {"d9": -1.0}, "2": PLAIN, "3": dict.fromkeys(D, 0.0)}
    result = validate(qrels, {"a": {"1": ranked(D)}, "b": {"1": ranked(D)}})
    order = [f.severity for f in result]
    assert order == sorted(order, key=["high", "medium", "low"].index)
    assert [f.kind for f in result][:3] == ["missing-topics", "topics-without-relevant-documents", "identical-runs"]
    assert result.to_text("full").splitlines()[2] == "high: missing topics in 2 of 2 runs"
    assert result.to_frame()["severity"].to_list() == order
    assert "high: missing topics in 2 of 2 runs" in result._repr_html_()


def test_repeated_documents_are_an_error(tmp_path):
    with pytest.raises(InputError, match="appears twice"):
        validate({"1": PLAIN}, trec(tmp_path / "a", [("d0", 1, 2.0), ("d0", 2, 1.0)]))


def test_forms_of_input(tmp_path):
    """A file, a dictionary of files, dictionaries, ordered lists and rows that can be read only once."""
    from types import SimpleNamespace

    rows = [(d, i + 1, 100.0 - i) for i, d in enumerate(D)]
    rows_once = (SimpleNamespace(query_id="1", doc_id=d, score=s) for d, _, s in rows)
    once = (SimpleNamespace(query_id="1", doc_id=d, relevance=g) for d, g in PLAIN.items())
    path = trec(tmp_path / "a.run", rows)
    for runs in (path, [path], {"a": path}, {"1": ranked(D)}, {"a": {"1": ranked(D)}}, {"1": D}, rows_once):
        assert validate({"1": PLAIN}, runs).clean
    assert validate(once, {"1": ranked(D)}).clean


def test_a_rank_that_is_no_number_leaves_no_ranks(tmp_path, monkeypatch):
    monkeypatch.setattr(material, "_PIECE", 1)
    rows = [(doc, rank, 1.0) for rank, doc in enumerate(D)]
    ranked_, unranked = (trec(tmp_path / name, rows) for name in ("ranked", "unranked"))
    with unranked.open("a") as file:
        file.write("2 Q0 d0 first 1 tag\n")
    qrels = {"1": PLAIN, "2": PLAIN}
    assert found(qrels, ranked_, "rank-against-score").systems == ("ranked",)
    assert "rank-against-score" not in kinds(qrels, unranked)


def test_files_are_read_once(tmp_path, monkeypatch):
    calls = []

    def counted(call):
        return lambda *args, **options: (calls.append(call.__name__), call(*args, **options))[1]

    for name in ("read_pool", "rank_run"):
        monkeypatch.setattr(join, name, counted(getattr(join, name)))
    up, down = ([(doc, rank, -float(rank)) for rank, doc in enumerate(docs)] for docs in (D, D[::-1]))
    runs = [trec(tmp_path / "a", up), trec(tmp_path / "b", down)]
    assert validate({"1": PLAIN}, runs).clean
    assert sorted(calls) == ["rank_run", "rank_run", "read_pool"]


def test_in_a_clause():
    """What a short layer says of a finding that it has no room for."""
    qrels = {"1": PLAIN | {"e0": 1.0, "e1": 0.0}}
    below = {name: {"1": ranked([*D, *last])} for name, last in (("a", ["e0", "e1"]), ("b", ["e1", "e0"]))}
    assert found(qrels, below, "same-first-10").brief == "2 runs have the same first 10 documents on every topic"
    twice = below | {"c": below["a"]}
    assert found(qrels, twice, "identical-runs").brief == "2 runs have the same lists on every topic"
    other = {name: {"1": ranked([*D[::-1], *last])} for name, last in (("d", ["e0", "e1"]), ("e", ["e1", "e0"]))}
    assert found(qrels, below | other, "same-first-10").brief == (
        "2 groups of runs (4 runs) have each the same first 10 documents on every topic"
    )
    assert found(GRADES_0_TO_3, {"1": ranked(D)}, "another-threshold").brief == (
        "Should documents count as relevant from grade 2 instead of 1?"
    )
    missing = {"a": _reversed(), "b": {"1": ranked(D)}}
    assert found({"1": PLAIN, "2": PLAIN}, missing, "missing-topics").brief == "b lacks judged topics"


def test_a_folder_may_name_the_collection(tmp_path):
    folder = tmp_path / "dl19-passage"
    folder.mkdir()
    (folder / "qrels").write_text("".join(f"1 0 {d} {g:g}\n" for d, g in GRADES_0_TO_3["1"].items()))
    finding = found(folder / "qrels", {"1": ranked(D)}, "another-threshold")
    assert finding.what.startswith("By its name, dl19-passage/qrels is TREC DL passage ranking, ")
