"""What is said is true in the odd cases too: test against mean, IPSO silent or against, nothing that varies."""

import re

import numpy as np
import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.comparisons import compare, gate
from rankscope.comparisons.effect import effect
from rankscope.io.scores import ScoreTable
from rankscope.statistics import randomisation_test, sign_test

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def table(a, b):
    topics = tuple(map(str, range(len(a))))
    return ScoreTable("AP", ("one", "two"), topics, np.array([a, b], np.float64), "scores")


def few_large_losses():
    """Two wins by little on 32 topics and loses by much on 8: the sign test speaks for it, the mean against it."""
    base = np.full(40, 0.5)
    return base, base + np.r_[0.01 + np.arange(32) / 1e4, -0.4 + np.arange(8) / 1e3]


@pytest.mark.parametrize("turned", [False, True])
def test_a_test_against_the_mean_gives_no_verdict(turned):
    one, two = few_large_losses()
    found = compare(table(two, one) if turned else table(one, two), "one", "two", test="sign")
    better_by_test, better_by_mean = ("one", "two") if turned else ("two", "one")
    assert found.effect.pvalue < 0.001
    assert found.effect.favours == (-1 if turned else 1)
    assert found.verdict == 0
    assert found.mark == ""
    assert f"the test favours {better_by_test}, but the mean of {better_by_mean} is higher" in found.sentence()
    assert "claim neither" in found.paragraph()
    by_t = next(o for o in found.others if o.kind == "test" and "Student" in o.name)
    assert by_t.verdict == (1 if turned else -1)
    assert not by_t.holds


def test_another_test_against_the_mean_does_not_hold_the_verdict():
    one, two = few_large_losses()
    found = compare(table(one, two), "one", "two", test="t")
    assert found.verdict == -1
    by_sign = next(o for o in found.others if o.name == "sign test")
    assert (by_sign.verdict, by_sign.holds) == (0, False)


def test_a_mean_that_is_nothing_but_rounding_has_no_direction():
    # ten times + 0.1, + 0.2, - 0.3: the sum is 0 on paper, and the sign test sees twice as many wins
    shift = np.repeat([0.1, 0.2, -0.3], 20)
    base = np.linspace(0.3, 0.6, 60)
    found = compare(table(base, base + shift), "one", "two", test="sign")
    assert found.effect.difference == 0
    assert found.effect.pvalue < 0.05
    assert found.verdict == 0
    assert "the means are the same" in found.sentence()


def test_a_constant_difference_keeps_the_test_that_needs_no_variance():
    a, b = np.linspace(0.1, 0.5, 12), np.linspace(0.1, 0.5, 12) + 0.125
    by_sign = effect(a, b, test="sign")
    assert (by_sign.pvalue, by_sign.method) == (sign_test(b, a).pvalue, sign_test(b, a).method)
    student = effect(a, b, test="t")
    assert student.pvalue == randomisation_test(b, a).pvalue
    assert "stands in for Student" in student.remark
    found = compare(table(a, b), "one", "two")
    assert "Student's paired t, p" not in found.paragraph()  # it was not the test
    assert "randomisation" in found.to_latex()


def lists(a, b, topics=12):
    """Two binary lists, the same on every topic."""
    code = np.array([[[2 + int(c) for c in row]] * topics for row in (a, b)], np.uint8)
    names = tuple(map(str, range(topics)))
    available = np.tile([50, 20], (topics, 1))
    return rs.Judged(("one", "two"), names, code, np.array([0.0, 1.0]), available)


def test_ipso_that_points_the_other_way_is_said():
    found = compare(lists("1000000000", "0111111111"), "one", "two", measure="P@10", depth=1, others=False)
    assert found.verdict == 1
    assert not found.corroborated
    assert "prefers one" in found.sentence()
    assert "points to one" in found.paragraph()


def test_ipso_that_orders_no_topic_has_nothing_to_say():
    found = compare(lists("1111100000", "1111111111"), "one", "two", measure="P@10", depth=5, others=False)
    assert found.verdict == 1
    assert "on no topic to depth 5 and has nothing to say" in found.sentence()
    assert "no topic is left to test" in found.paragraph()
    assert "down to every rank" in str(found)
    assert "had the non-separable" not in str(found)


def test_a_universal_claim_names_what_it_leaves_out():
    rng = np.random.default_rng(1)
    judged = lists("1000000000", "1111111111", topics=30)
    code = judged.code.copy()
    code[0] = 2
    code[1] = 2 + (rng.random(code[1].shape) < 0.7)
    judged = rs.Judged(judged.systems, judged.topics, code, judged.grades, judged.available)
    found = compare(judged, "one", "two", measure="P@10", others=False)
    assert found.universal
    assert "not nDCG, AP, RR or ERR" in found.sentence()
    assert "Berger 1982" in found.paragraph()
    assert "Technometrics" in str(found)
    assert "Technometrics" not in str(compare(judged, "one", "two", measure="P@10", others=False, alpha=1e-300))


@pytest.fixture(scope="module")
def files():
    qrels, runs = rs.simulation.embedded()
    return qrels, {run.name.removesuffix(".gz"): run for run in runs}


def test_a_name_inside_the_other_name(files):
    qrels, runs = files
    found = compare(rs.load(qrels, {"x": runs["dense-1"], "x_new": runs["dense-2"]}), "x", "x_new")
    names = {o.name for o in found.others if o.kind == "unjudged"}
    assert names == {"best for A, worst for B", "worst for A, best for B"}
    assert "A_new" not in str(found)


def test_whether_it_is_significant_is_said_in_the_paragraph(files):
    qrels, runs = files
    judged = rs.load(qrels, list(runs.values()))
    for a, b in (("lexical-1", "hybrid-2"), ("dense-2", "lexical-3")):
        found = compare(judged, a, b, others=False)
        assert ("not significant at 0.05" in found.paragraph()) == (found.verdict == 0)
        assert ("Moffat" in found.paragraph()) == bool(found.verdict)  # the second test is made where the first speaks


def test_markdown_has_tables_and_whole_sentences(files):
    qrels, runs = files
    found = compare(rs.load(qrels, {"<script>": runs["dense-1"], "b": runs["hybrid-2"]}), "<script>", "b")
    text = found.to_markdown()
    assert "<script>" not in text.replace(r"\<script>", "")
    assert "| holds | test | randomisation test |" in text
    covered = next(line for line in text.splitlines() if line.startswith("- covered:"))
    assert covered.endswith("ERR)")
    assert found.paragraph().replace("<", r"\<").replace("|", r"\|") in text


def test_what_is_left_out_is_noted_once(files, capsys):
    qrels, runs = files
    assert main(["compare", str(qrels), str(runs["dense-1"]), str(runs["dense-2"])]) == 0
    assert capsys.readouterr().err.count("left out") == 1


def test_topics_go_where_the_rest_goes(files, capsys, tmp_path):
    qrels, runs = files
    call = ["compare", str(qrels), str(runs["dense-1"]), str(runs["dense-2"]), "--topics", "3"]
    assert main([*call, "-o", str(tmp_path / "out.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "the 3 of 49 topics that change most" in (tmp_path / "out.txt").read_text()
    assert main([*call, "--markdown"]) == 0
    assert "the 3 of 49 topics that change most" in capsys.readouterr().out
    assert main([*call, "--csv"]) == 2
    (tmp_path / "s.csv").write_text("topic,x,y\n" + "".join(f"{t},0.{t},0.{9 - t}\n" for t in range(1, 9)))
    capsys.readouterr()
    assert main(["compare", "--scores", str(tmp_path / "s.csv"), "x", "y", "--topics"]) == 2
    assert capsys.readouterr().out == ""


def test_one_topic_is_no_fault_of_the_metric():
    with pytest.raises(rs.InputError, match=r"1 topic with a score.*\n.*at least 2"):
        compare(lists("10", "01", topics=1), "one", "two", measure="P@2")


@pytest.mark.parametrize("margin", [0.01, 0.03, 0.1])
def test_a_loss_of_just_the_margin_is_no_pass(margin):
    for base in np.linspace(0.2, 0.9, 50):
        same = np.full(10, base)
        assert gate(table(same, same - margin), "one", "two", margin=margin).outcome == "regression"


def test_minus_signs_in_latex_and_hyphens_in_names(files):
    qrels, runs = files
    text = compare(rs.load(qrels, list(runs.values())), "hybrid-2", "lexical-1", others=False).to_latex()
    assert re.search(r"& \$-\$0\.\d{4} & \[\$-\$0\.\d{4}, \$-\$0\.\d{4}\]", text)
    assert "hybrid-2 & lexical-1" in text
