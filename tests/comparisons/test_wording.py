"""What is said is true in the odd cases too: test against mean, IPSO silent or against, nothing that varies."""

import re
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

import rankscope as rs
from rankscope.cli.demo import CHALLENGER, CHAMPION
from rankscope.comparisons import compare, gate
from rankscope.comparisons.effect import Procedure
from rankscope.comparisons.sensitivity import MEANINGS, Outcome, outcome_of
from rankscope.figures.two_systems import choices_sheet
from rankscope.io.score_tables import ScoreTable
from rankscope.measures import measure
from rankscope.measures.catalogue.interval import ON_MEANS
from rankscope.statistics import randomisation_test, sign_test
from rankscope.universe.one_measure.summary import facts

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def evidence(comparison, layer="full"):
    """A layer on one line."""
    return " ".join(comparison.to_text(layer).split())


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
    assert found.effect.lean == (-1 if turned else 1)
    assert found.verdict == 0
    assert found.mark == ""
    assert f"the test favours {better_by_test}, but the mean of {better_by_mean} is higher" in found.sentence()
    assert "claim neither" in found.paragraph()
    by_t = next(o for o in found.repetitions if o.axis == "test" and "Student" in o.name)
    assert by_t.verdict == (1 if turned else -1)
    assert by_t.outcome == "appears"


def test_another_test_against_the_mean_does_not_hold_the_verdict():
    one, two = few_large_losses()
    found = compare(table(one, two), "one", "two", test="t")
    assert found.verdict == -1
    by_sign = next(o for o in found.repetitions if o.name == "sign test")
    assert (by_sign.verdict, by_sign.outcome) == (0, "weakens")


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
    by_sign = Procedure("sign").effect(a, b)
    assert (by_sign.pvalue, by_sign.method) == (sign_test(a, b).pvalue, sign_test(a, b).method)
    student = Procedure("t").effect(a, b)
    assert student.pvalue == randomisation_test(a, b).pvalue
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


def test_an_interval_beyond_the_range_of_the_measure_is_said():
    """Precision at 1 differs by at most 1; Student's interval of six topics ends at 1.52."""
    judged = lists("0", "1", topics=6)
    code = judged.code.copy()
    code[:, 5] = code[::-1, 5]  # one topic the other way round
    result = compare(replace(judged, code=code), "one", "two", measure="P@1", others=False)
    assert result.effect.upper > 1
    said = "The interval reaches beyond -1 to 1, the range of a difference of P@1: the method does not know the range."
    assert said in evidence(result, "short")
    inverted = compare(replace(judged, code=code), "one", "two", measure="P@1", test="randomisation", others=False)
    assert inverted.effect.upper <= 1
    assert "beyond" not in evidence(inverted, "short")


def test_progress_is_told_up_to_the_end():
    shares = []
    compare(lists("1000000000", "0111111111"), "one", "two", measure="P@10", progress=shares.append)
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_ipso_that_points_the_other_way_is_said():
    found = compare(lists("1000000000", "0111111111"), "one", "two", measure="P@10", depth=1, others=False)
    assert found.verdict == 1
    assert not found.corroborated
    assert "points to one" in found.sentence()
    assert "points to one" in found.paragraph()


def test_ipso_that_orders_no_topic_has_nothing_to_say():
    found = compare(lists("1111100000", "1111111111"), "one", "two", measure="P@10", depth=5, others=False)
    assert found.verdict == 1
    assert "IPSO orders two and one on no topic to depth 5." in found.sentence()
    assert "No topic is left to test." in found.paragraph()
    assert "down to every rank" in evidence(found)
    assert "open topics" not in evidence(found)


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
    assert "Technometrics" in evidence(found)
    assert "Technometrics" not in evidence(
        compare(judged, "one", "two", measure="P@10", others=False, alpha=1e-300, level=0.95)
    )


@pytest.fixture(scope="module")
def files():
    qrels, runs = rs.simulation.embedded()
    return qrels, {run.name.removesuffix(".gz"): run for run in runs}


def test_a_name_inside_the_other_name(files):
    qrels, runs = files
    found = compare(qrels, runs["dense-1"], runs["dense-2"])
    names = {r.name for r in found.repetitions if r.axis == "ties"}
    assert names == {"best for A, worst for B", "worst for A, best for B"}
    found = compare(rs.load(qrels, {"x": runs["dense-1"], "x_new": runs["dense-2"]}), "x", "x_new")
    assert "A_new" not in evidence(found)


def test_whether_it_is_significant_is_said_in_the_paragraph(files):
    qrels, runs = files
    judged = rs.load(qrels, list(runs.values()))
    for a, b in (("lexical-1", "hybrid-2"), ("dense-2", "lexical-3")):
        found = compare(judged, a, b, others=False)
        assert ("not significant at 0.05" in found.paragraph()) == (found.verdict == 0)
        assert "Moffat" in found.paragraph()  # of either verdict: what speaks against it belongs to a report, too


def test_markdown_has_tables_and_whole_sentences(files):
    qrels, runs = files
    found = compare(rs.load(qrels, {"<script>": runs["dense-1"], "b": runs["hybrid-2"]}), "<script>", "b")
    text = found.to_markdown()
    assert "<script>" not in text.replace(r"\<script>", "")
    assert "| holds | test | randomisation test |" in text
    covered = next(line for line in text.splitlines() if line.startswith("- Not covered:"))
    assert covered.endswith("ERR.")
    assert found.paragraph().replace("<", r"\<").replace("|", r"\|") in text


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


# what a repetition makes of the verdict


@pytest.mark.parametrize(
    ("base", "again", "word"),
    [
        (1, 1, "holds"), (-1, -1, "holds"), (0, 0, "holds"),
        (1, 0, "weakens"), (-1, 0, "weakens"),
        (1, -1, "reverses"), (-1, 1, "reverses"),
        (0, 1, "appears"), (0, -1, "appears"),
    ],
)  # fmt: skip
def test_every_pair_of_verdicts_has_one_word(base, again, word):
    assert outcome_of(base, again) == word
    assert word in MEANINGS


def test_words_are_those_that_are_defined():
    assert tuple(MEANINGS) == get_args(Outcome)


@pytest.mark.slow
def test_just_below_alpha_and_just_above_is_no_reversal():
    """p = 0.049 under one test and 0.051 under another weakens; a difference of the other sign reverses."""
    one = np.full(40, 0.5)
    for alpha in (0.001, 0.01, 0.05, 0.2):
        for seed in range(10):
            two = one + np.random.default_rng(seed).normal(0.02, 0.1, 40)
            found = compare(table(one, two), "one", "two", alpha=alpha)
            for again in found.repetitions:
                same_sign = again.verdict * found.verdict
                assert (again.outcome == "reverses") == (same_sign < 0)
                assert (again.outcome == "weakens") == (found.verdict != 0 and again.verdict == 0)
                assert (again.outcome == "appears") == (found.verdict == 0 and again.verdict != 0)


def reversing():
    """The first metric sees the first rank only, and there one is ahead; two has more further down."""
    rng = np.random.default_rng(5)
    first, rest = rng.random((40, 1)) < 0.8, rng.random((40, 9)) < 0.2
    one = np.concatenate([first, rest], axis=1)
    two = np.concatenate([rng.random((40, 1)) < 0.2, rng.random((40, 9)) < 0.6], axis=1)
    code = (2 + np.stack([one, two])).astype(np.uint8)
    topics = tuple(map(str, range(40)))
    return rs.Judged(("one", "two"), topics, code, np.array([0.0, 1.0]), np.tile([50, 20], (40, 1)))


def test_a_reversal_is_called_so_in_every_shape():
    found = compare(reversing(), "one", "two", measure="P@1", palette=("P@10", "RR"))
    assert found.verdict == -1
    again = next(r for r in found.repetitions if r.name == "P@10")
    assert (again.verdict, again.outcome) == (1, "reverses")
    assert re.search(r"other metrics +reverses +.*B higher under P@10", str(found))
    assert re.search(r"reverses +metric +P@10 .* B higher", found.to_text("full"))
    assert re.search(r"reverses \(\d\): the other system is shown to score higher", found.to_text("full"))
    assert "| reverses | metric | P@10 |" in found.to_markdown()
    outcomes = {r["name"]: r["outcome"] for r in found.to_dict()["repetitions"]}
    assert outcomes["P@10"] == "reverses"
    assert "changes" not in str(found)


def test_no_sentence_calls_a_system_better(files):
    """What was tested is a mean over sampled topics."""
    qrels, runs = files
    judged = rs.load(qrels, list(runs.values()))
    for a, b in (("lexical-1", "hybrid-2"), ("lexical-3", "hybrid-1"), ("dense-2", "lexical-3")):
        found = compare(judged, a, b)
        for text in (found.sentence(), found.paragraph(), str(found), evidence(found)):
            assert "better" not in text
            assert "do not depend on the metric" not in text
        claims = (found.sentence(), " ".join(str(found).split()))
        for text in claims:
            assert ("If the true means were equal, so large a difference would be rare" in text) == bool(found.verdict)
            assert ("Equality is not shown either." in text) == (not found.verdict)
        assert ("At level 0.025 the mean of" in found.sentence()) == found.universal


# unjudged documents: bounds and no verdict


def copied(runs, qrels):
    """A run twice, with its documents."""
    return rs.load(qrels, {"one": runs["dense-1"], "two": runs["dense-1"]}, keep_docs=True)


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "ERR@20", "RBP(p=0.8)", "RR"])
def test_unjudged_documents_cannot_part_identical_runs(files, measure):
    qrels, runs = files
    found = compare(copied(runs, qrels), "one", "two", measure=measure)
    assert (copied(runs, qrels).code == 1).any()  # some are unjudged
    assert (found.unjudged.lower, found.unjudged.upper) == (0, 0)
    assert found.unjudged.identical == found.effect.n_topics
    assert "Both lists are the same on every topic" in evidence(found)
    assert all(r.axis != "unjudged" for r in found.repetitions)


def test_lists_that_are_the_same_as_far_as_the_metric_looks(files):
    """Only the part that the metric sees counts: below rank 10 the two lists differ everywhere."""
    qrels, runs = files
    judged = copied(runs, qrels)
    code, number = judged.code.copy(), judged.documents.number.copy()
    code[1, :, 10:] = code[1, :, 10:][:, ::-1]
    number[1, :, 10:] = number[1, :, 10:][:, ::-1]
    half = replace(judged, code=code, documents=replace(judged.documents, number=number))
    cut, whole = (compare(half, "one", "two", measure=m).unjudged for m in ("nDCG@10", "AP"))
    assert (cut.lower, cut.upper) == (0, 0)
    assert whole.lower < 0 < whole.upper
    assert whole.identical == 0


def test_other_documents_that_are_unjudged_too_are_not_identical(files):
    """Equal grades are not equal documents: two unjudged documents may differ in relevance."""
    qrels, runs = files
    judged = copied(runs, qrels)
    number = judged.documents.number.copy()
    number[1][judged.code[1] == 1] += number.max() + 1  # other documents, unjudged as well
    other = replace(judged, documents=replace(judged.documents, number=number))
    found = compare(other, "one", "two", measure="AP")
    assert found.unjudged.lower < 0 < found.unjudged.upper
    assert found.unjudged.identical < found.effect.n_topics


def test_bounds_from_unjudged_documents_are_joint_and_have_no_verdict(files):
    qrels, runs = files
    found = compare(qrels, runs["dense-2"], runs["lexical-3"])
    assert found.unjudged.lower < found.effect.difference < found.unjudged.upper
    assert found.unjudged.exact
    assert "Both ends can be reached." in evidence(found)
    assert "both ways" not in evidence(found, "explain")
    told = found.to_dict()["unjudged"]
    assert set(told) == {"lower", "upper", "exact", "how", "identical", "judged"}
    sheet = choices_sheet(found).columns
    at = sheet["name"].index("unjudged, bounds")
    assert sheet["outcome"][at] is None
    assert sheet["estimate"][at] is None
    by_pairs = compare(qrels, runs["dense-2"], runs["lexical-3"], measure="AP")
    assert not by_pairs.unjudged.exact
    assert "wide enough, but not every value between them can happen" in evidence(by_pairs)


def test_lists_whose_documents_are_not_known_keep_their_outer_bounds(files):
    qrels, runs = files
    found = compare(rs.load(qrels, {"one": runs["dense-1"], "two": runs["dense-1"]}), "one", "two", measure="AP")
    assert found.unjudged.identical is None
    assert found.unjudged.lower < 0 < found.unjudged.upper
    assert "Names of documents were not kept." in evidence(found)


def test_bounds_are_narrower_than_those_of_the_lists_by_themselves(files):
    """Lists that share documents: highest of b less lowest of a cannot happen, since a document has one grade."""
    qrels, runs = files
    judged = rs.load(qrels, {"a": runs["dense-1"], "b": runs["dense-2"]}, keep_docs=True)
    for name in ("P@100", "DCG@50", "SDCG@100"):
        found = compare(judged, "a", "b", measure=name)
        ends = rs.measures.bounds(judged, name)
        at = found.scored.at
        assert found.unjudged.lower > (ends.lower[0, 1, at] - ends.upper[0, 0, at]).mean()
        assert found.unjudged.upper < (ends.upper[0, 1, at] - ends.lower[0, 0, at]).mean()


def test_compare_and_explain_say_the_same_of_means(files):
    qrels, runs = files
    judged = rs.load(qrels, list(runs.values()))
    said = "Whether that needs an interval scale is disputed"
    assert said in ON_MEANS
    means = compare(judged, "lexical-3", "hybrid-1", measure="RR@10", others=False)
    assert " ".join(ON_MEANS.split()) in evidence(means, "explain")
    by_signs = compare(judged, "lexical-3", "hybrid-1", measure="RR@10", test="sign", others=False)
    assert said not in evidence(by_signs, "explain")
    assert ON_MEANS in facts(measure("nDCG@10"))["permits"]
    assert "Some hold that the scale decides" in facts(measure("nDCG@10"))["permits"]


def test_the_sign_test_of_steps_is_that_of_scores(files):
    qrels, runs = files
    judged = rs.load(qrels, list(runs.values()))
    for name in ("RR@10", "AP@5", "P@10"):
        plain, steps = (
            {test: compare(judged, "lexical-3", "hybrid-1", measure=m, test=test, others=False).effect
             for test in ("t", "sign")}
            for m in (name, f"Interval({name})")
        )  # fmt: skip
        assert plain["sign"].pvalue == steps["sign"].pvalue
        assert (plain["t"].won, plain["t"].lost) == (steps["t"].won, steps["t"].lost)


# statements as strong as their evidence


def rows(comparison):
    """Rows of the table of other choices, by their first words."""
    lines = str(comparison).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Does "))
    cells = [re.split(r" {2,}", line.strip(), maxsplit=2) for line in lines[start + 1 : lines.index("", start)]]
    return {name: (word, cell) for name, word, cell in cells}


def test_choices_without_a_difference_are_no_proof_of_equality(files):
    qrels, runs = files
    result = compare(qrels, runs["hybrid-2"], runs["dense-3"])
    assert result.verdict == 0
    assert {r.outcome for r in result.repetitions} == {"holds"}
    assert "Does another choice show a difference? (same topics; p not corrected)" in str(result)
    assert rows(result)["other metrics"] == ("not shown", "0 of 6 show a difference")
    assert "holds" not in str(result)
    assert "rows that show no difference do not show that the systems are equal" in evidence(result, "explain")


def test_a_choice_that_shows_a_difference_is_named_with_its_p_value(files):
    qrels, runs = files
    result = compare(qrels, runs["dense-2"], runs["lexical-3"])
    assert rows(result)["other metrics"] == ("2 shown", "2 of 6: A higher under AP(rel=1), RR(rel=1)")
    result = compare(qrels, runs["dense-2"], runs["lexical-3"], palette=("AP", "P@10"))
    p = next(r.effect.pvalue for r in result.repetitions if r.name == "AP(rel=1)")
    assert rows(result)["other metrics"] == ("1 shown", f"1 of 2: A higher under AP(rel=1) (p = {p:.4f})")


def test_a_difference_that_only_another_test_shows():
    one, two = few_large_losses()
    result = compare(table(one, two), "one", "two", test="sign")
    assert result.verdict == 0
    word, cell = rows(result)["other tests"]
    assert word == f"{sum(r.outcome == 'appears' for r in result.repetitions)} shown"
    assert "A higher under" in cell


def test_a_verdict_alone_says_that_p_is_not_corrected(files):
    qrels, runs = files
    claim = "would be rare (p below 0.05; one planned pair, not corrected)."
    alone = compare(qrels, runs["lexical-3"], runs["hybrid-1"], others=False)
    assert claim in evidence(alone, "short")
    among_eight = compare(rs.load(qrels, list(runs.values())), "lexical-3", "hybrid-1", others=False)
    assert "one planned pair; rankscope rank (all 28 pairs) may not show it" in evidence(among_eight, "short")
    assert claim in among_eight.sentence()
    assert "(p below 0.2;" in compare(qrels, runs["lexical-3"], runs["hybrid-1"], others=False, alpha=0.2).sentence()


@pytest.mark.parametrize("test", ["t", "randomisation", "wilcoxon", "sign"])
def test_the_hypothesis_is_that_of_the_test(files, test):
    qrels, runs = files
    result = compare(qrels, runs["lexical-1"], runs["hybrid-2"], test=test, others=False)
    on_means = test in ("t", "randomisation")
    for text in (result.sentence(), evidence(result, "explain")):
        assert ("the true means were equal" in text) == on_means
        assert ("topics favoured neither system" in text) == (not on_means)


def test_documents_that_are_all_judged_have_no_open_grades(files):
    qrels, runs = files
    result = compare(qrels, runs["lexical-3"], runs["hybrid-1"])
    assert "All 980 documents at ranks 1 to 10 of both systems are judged." in evidence(result)
    assert "Unjudged ones further down could change the best possible list." in evidence(result)
    assert "their grades" not in evidence(result)
    word, cell = rows(result)["unjudged docs"]
    assert (word, cell.partition(";")[0]) == ("sign kept", "no test")
    word, cell = rows(compare(qrels, runs["lexical-1"], runs["hybrid-2"]))["unjudged docs"]
    assert (word, cell.partition(";")[0]) == ("sign kept", "no test")


def test_many_unjudged_documents_are_told_with_the_verdict():
    """Most documents at the first ten ranks are unjudged: the row says so, and so does what to do next."""
    judged = lists("1000000000", "1110000000", topics=60)
    code = judged.code.copy()
    code[0, 1::2, 1] += 1
    code[code == 2] = 1
    result = compare(replace(judged, code=code), "one", "two", measure="P@10", palette=())
    share = f"{100 * (code == 1).mean():.0f} %"
    assert result.verdict == 1
    word, cell = rows(result)["unjudged docs"]
    assert word == "sign open"
    assert cell.startswith(f"{share} of top 10 unjudged; B - A: [-")
    assert f"that {share} of the documents at ranks 1 to 10 are unjudged." in evidence(result, "short")


def test_a_metric_with_the_other_sign_is_named():
    """One is ahead at rank 1 on every topic; on one topic two has many more documents further down."""
    judged = lists("1000000000", "0100000000", topics=40)
    code = judged.code.copy()
    code[1, 0, 2:] = 3
    result = compare(replace(judged, code=code), "one", "two", measure="P@1", palette=("P@10", "RR"))
    again = next(r for r in result.repetitions if r.name == "P@10")
    assert (again.outcome, again.effect.difference > 0, result.verdict) == ("weakens", True, -1)
    assert rows(result)["other metrics"] == ("weakens", "1 of 2 hold; 1 not shown, other sign: P@10")
    assert "B - A has the other sign under P@10." in evidence(result)
    assert "not shown with this choice; that does not show a smaller difference" in evidence(result)
    assert "no longer" not in evidence(result)


def test_dominance_and_ipso_claim_what_they_show(files):
    qrels, runs = files
    neither = compare(qrels, runs["lexical-3"], runs["hybrid-1"])
    assert re.search(
        r"\(B\) higher under all of them: not shown \(p = [\d.]+, weakest at rank \d+\)", evidence(neither)
    )
    shown = compare(qrels, runs["lexical-1"], runs["hybrid-2"])
    assert re.search(r"\(B\) higher under all of them: shown \(p", evidence(shown))
    assert re.search(r"\(A\) higher under all of them: not shown \(p", evidence(shown))
    word, cell = rows(shown)["rank weights"]
    assert word == "shown"
    assert "not nDCG, AP, RR, ERR" in cell
    assert "so it is no independent evidence" in evidence(shown, "explain")
    ni, ns, equal, mixed = shown.without.counts
    assert rows(shown)["without metric"][1] == f"IPSO: B ahead on {ns}, A {ni}, equal {equal}, undecided {mixed}"
    assert ni + ns + equal + mixed == len(shown.without.ipso.topics)


def test_a_tiny_difference_and_a_hidden_zero(files):
    qrels, runs = files
    base = np.linspace(0.2, 0.8, 40)
    result = compare(table(base, base + np.r_[np.full(20, 0.01), np.full(20, -0.01 + 2e-6)]), "one", "two")
    assert "two scores less than 0.0001 higher" in evidence(result, "short")
    assert "(0 is under ●)" in str(compare(qrels, runs["hybrid-2"], runs["dense-3"], others=False))
    moved = compare(table(base, base + np.r_[np.full(24, 0.01), np.full(16, -0.01)]), "one", "two")
    assert "(┿ marks 0)" in str(moved)


def test_the_pair_of_the_demo_is_told_apart_by_rank_too(files):
    qrels, runs = files
    ranking = rs.rank(rs.load(qrels, list(runs.values())), measure="nDCG@10").to_dict()
    letters = {row["system"]: row["group"] for row in ranking["systems"]}
    assert not set(letters[CHAMPION]) & set(letters[CHALLENGER])


def test_depths_that_no_list_reaches_are_said():
    qrels = {str(t): {"a": 1, "b": 0, "c": 2} for t in range(8)}
    first, second = ({t: docs[int(t) % 2 :] for t in qrels} for docs in (["a", "b", "c"], ["c", "a", "b"]))
    shallow = compare(rs.load(qrels, {"one": first, "two": second}, keep_docs=True), "one", "two")
    assert "Lists have at most 3 documents: P(rel=1)@10, ERR@20, R(rel=1)@100 read no deeper." in evidence(shallow)
    deep = {t: [*docs, *(f"x{i}" for i in range(120))] for t, docs in first.items()}
    enough = compare(rs.load(qrels, {"one": deep, "two": second}, keep_docs=True), "one", "two")
    assert "read no deeper" not in evidence(enough)
