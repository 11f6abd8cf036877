"""The gate: outcomes from the interval, slices by Holm, fail closed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope.comparisons import gate
from rankscope.io.score_tables import ScoreTable
from rankscope.statistics import adjust, t_interval, t_test

stats = pytest.importorskip("scipy.stats")

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def table(base, new):
    topics = tuple(map(str, range(len(base))))
    return ScoreTable("AP", ("old", "new"), topics, np.array([base, new], np.float64), "scores")


def noisy(shift, n=60, sd=0.05, seed=1):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.2, 0.6, n)
    return table(base, base + shift + rng.normal(0, sd, n))


def test_outcomes_follow_the_interval():
    for shift in np.linspace(-0.06, 0.06, 25):
        source = noisy(shift)
        found = gate(source, "old", "new", margin=0.01)
        interval = t_interval(source.value[0], source.value[1])
        expected = "pass" if interval.lower > -0.01 else "regression" if interval.upper < 0 else "inconclusive"
        assert found.outcome == expected
        assert found.exit_code() == {"pass": 0, "regression": 1, "inconclusive": 0}[expected]
        assert found.exit_code(strict=True) == {"pass": 0, "regression": 1, "inconclusive": 3}[expected]


def test_a_sure_loss_below_the_margin_passes():
    found = gate(noisy(-0.004, sd=0.001), "old", "new", margin=0.01)
    assert found.checks[0].effect.upper < 0
    assert found.outcome == "pass"


def test_identical_runs_pass():
    same = np.linspace(0, 1, 12)
    found = gate(table(same, same), "old", "new")
    assert found.outcome == "pass"
    assert found.checks[0].effect.pvalue == 1


def test_the_same_loss_on_every_topic_is_a_regression():
    base = np.linspace(0.5, 0.9, 12)
    assert gate(table(base, base - 0.125), "old", "new").outcome == "regression"


def decided(mean, sd, n, margin=0.01, level=0.95):
    """What the rule says of means and standard deviations of n topics: pass, regression, written out."""
    reach = stats.t.ppf((1 + level) / 2, n - 1) * sd / np.sqrt(n)
    passed = mean - reach > -margin
    return passed, ~passed & (mean + reach < 0)


def test_the_chance_of_missing_a_loss_is_that_of_gates_drawn_anew():
    """Printed and in JSON; against normal differences with the sd of the first gate."""
    source = noisy(-0.02, n=30, sd=0.08)
    found = gate(source, "old", "new")
    sd = np.std(source.value[1] - source.value[0], ddof=1)
    rng = np.random.default_rng(5)
    chances = found.to_dict()["checks"][0]["chances"]
    assert [c["true_loss"] for c in chances] == pytest.approx([0.01, 0.02, 0.03, 0.05])
    for c in chances:
        means = rng.normal(-c["true_loss"], sd / np.sqrt(30), 200_000)
        sds = sd * np.sqrt(rng.chisquare(29, 200_000) / 29)
        passed, worse = decided(means, sds, 30)
        assert c["pass"] == pytest.approx(passed.mean(), abs=0.004)
        assert c["regression"] == pytest.approx(worse.mean(), abs=0.004)
        assert c["missed"] == pytest.approx(1 - worse.mean(), abs=0.004)
        assert c["pass"] + c["regression"] + c["inconclusive"] == pytest.approx(1)
    missed = ", ".join(f"{100 * c['missed']:.0f}" for c in chances[:-1])
    last = f"{100 * chances[-1]['missed']:.0f}"
    assert (
        f"If the true loss were 0.01, 0.02, 0.03 or 0.05, a gate with 30 such topics would report no regression "
        f"in about {missed} or {last} %."
    ) in found.to_markdown()
    rows = [line.split() for line in found.to_text("full").split("\n")]
    for c in chances:
        shares = [100 * c[outcome] for outcome in ("pass", "inconclusive", "regression")]
        words = " ".join("below 1" if 0 < share < 0.5 else f"{share:.0f}" for share in shares).split()
        assert [f"{c['true_loss']:.4g}", *words] in rows


def test_the_loss_that_is_reported_is():
    source = noisy(-0.02, n=30, sd=0.08)
    check = gate(source, "old", "new", margin=0.0).checks[0]
    assert check.chances == ()  # a margin of 0 has no multiples
    text = " ".join(gate(source, "old", "new", margin=0.0).to_text("full").split())
    assert f"Such a gate reports a regression in about 80 % from a true loss of about {check.reported:.2g} on" in text
    assert "-0 " not in text
    rng = np.random.default_rng(6)
    means = rng.normal(-check.reported, check.sd / np.sqrt(30), 200_000)
    assert decided(means, check.sd * np.sqrt(rng.chisquare(29, 200_000) / 29), 30, 0.0)[1].mean() == pytest.approx(
        0.8, abs=0.004
    )


@pytest.mark.parametrize(("shift", "margin"), [(-0.01, 0.01), (0.0, 0.01), (-0.01, 0.02), (-0.005, 0.0)])
def test_fresh_topics_that_would_settle_it_do_so_in_four_of_five(shift, margin):
    """Against draws from what the first gate leaves open: the true mean and the true sd."""
    source = noisy(shift, n=20, sd=0.06, seed=4)
    found = gate(source, "old", "new", margin=margin)
    assert found.outcome == "inconclusive"
    check = found.checks[0]
    rng = np.random.default_rng(7)
    sigma = check.sd / np.sqrt(rng.chisquare(19, 200_000) / 19)
    truth = rng.normal(check.effect.difference, sigma / np.sqrt(20))
    means = rng.normal(truth, sigma / np.sqrt(check.settles))
    sds = sigma * np.sqrt(rng.chisquare(check.settles - 1, 200_000) / (check.settles - 1))
    passed, worse = decided(means, sds, check.settles, margin)
    assert (passed | worse).mean() == pytest.approx(0.8, abs=0.005)
    decided_by = f"a new set of about {check.settles:,} topics gives PASS or REGRESSION with a chance of about 80 %"
    assert decided_by in " ".join(str(found).split())
    if margin:  # wherever the mean lies, so many topics with this sd decide, and one fewer does not
        anywhere = np.linspace(-3 * margin, margin, 4001)
        for topics, always in ((check.certain, True), (check.certain - 1, False)):
            passed, worse = decided(anywhere, check.sd, topics, margin)
            assert (passed | worse).all() == always


def test_no_outcome_is_called_sure():
    for shift in (-0.06, -0.005, 0.06):
        text = " ".join(gate(noisy(shift), "old", "new").to_text("full").split())
        assert "sure" not in text
        assert "passes in at most about 2.5 % of gates" in text


def test_a_margin_relative_to_the_baseline():
    source = noisy(-0.004, n=200, sd=0.01)
    mean = source.value[0].mean()
    relative = gate(source, "old", "new", margin="2%")
    assert relative.margin == pytest.approx(0.02 * mean)
    assert relative.relative == 0.02
    assert f"margin {0.02 * mean:.4g} (2 % of the {mean:.4f} of old)" in " ".join(relative.to_text("full").split())
    assert relative.to_dict()["relative_margin"] == 0.02
    points = gate(source, "old", "new", margin=0.02 * mean)
    assert (points.outcome, points.checks[0].chances) == (relative.outcome, relative.checks[0].chances)
    assert gate(source, "old", "new", margin=" 0.5 % ").outcome == "regression"
    assert relative.outcome == "pass"


@pytest.mark.parametrize("margin", ["two", "%", "-1%", "100%", "nan", "inf", -0.1, float("nan"), True])
def test_margins_that_are_none(margin):
    with pytest.raises(rs.InputError, match="a margin is a number from 0"):
        gate(noisy(0.0), "old", "new", margin=margin)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_slices_that_regress_are_those_of_holm(seed, count):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.3, 0.6, 12 * count)
    shift = np.repeat(rng.choice([0.0, -0.05, -0.1], count), 12)
    source = table(base, base + shift + rng.normal(0, 0.08, 12 * count))
    slices = {f"s{i}": source.topics[12 * i : 12 * i + 12] for i in range(count)}
    found = gate(source, "old", "new", slices=slices, margin=0.0)
    one_sided = []
    for i in range(count):
        part = source.value[:, 12 * i : 12 * i + 12]
        t = t_test(part[0], part[1])
        one_sided.append(t.pvalue / 2 if t.difference < 0 else 1 - t.pvalue / 2)
    rejected = adjust(one_sided, "holm").adjusted < 0.025
    assert [check.outcome == "regression" for check in found.checks[1:]] == rejected.tolist()


def test_the_worst_check_decides():
    base = np.linspace(0.3, 0.6, 40)
    rng = np.random.default_rng(3)
    new = base + np.where(np.arange(40) < 10, -0.3, 0.2) + rng.normal(0, 0.01, 40)
    topics = tuple(map(str, range(40)))
    found = gate(table(base, new), "old", "new", slices={"weak": topics[:10], "strong": topics[10:]})
    assert [check.outcome for check in found.checks] == ["pass", "regression", "pass"]
    assert found.outcome == "regression"
    assert "weak" in found.sentence()


def test_too_few_topics():
    with pytest.raises(rs.InputError, match="4 topics are too few"):
        gate(table([0.1] * 4, [0.2] * 4), "old", "new")


def test_the_topics_that_lost_most():
    """By their loss, with their slices; ties in the order of topics, and topics that are equal on paper are none."""
    base = np.full(12, 0.5)
    new = base + np.array([0.1, -0.2, 0.0, -0.3, 0.2, -0.2, -0.1, 0.1, 1e-17, -0.05, -0.25, 0.1])
    source = table(base, new)
    slices = {"odd": [str(t) for t in range(1, 12, 2)], "late": ["9", "10", "11", "8", "7"]}
    found = gate(source, "old", "new", slices=slices)
    assert [(lost.topic, lost.slices) for lost in found.checks[0].lost] == [
        ("3", ("odd",)), ("10", ("late",)), ("1", ("odd",)), ("5", ("odd",)), ("6", ()),
    ]  # fmt: skip
    assert [lost.topic for lost in found.checks[2].lost] == ["10", "9"]
    assert found.checks[0].lost[0].difference == pytest.approx(-0.3)
    assert len(gate(source, "old", "new", most_lost=None).checks[0].lost) == 6
    assert gate(source, "old", "new", most_lost=0).checks[0].lost == ()
    plain = found.to_dict()["checks"]
    assert plain[1]["lost_topics"][0] == {
        "topic": "3", "baseline": 0.5, "candidate": pytest.approx(0.2), "difference": pytest.approx(-0.3),
        "slices": ["odd"],
    }  # fmt: skip
    for text in (found.to_markdown(), found.to_text("full")):
        assert "slice late" in text
    with pytest.raises(rs.InputError, match="most_lost"):
        gate(source, "old", "new", most_lost=-1)


def test_all_measures_decide_at_the_levels_of_holm():
    """A regression under any measure is one, with Holm over the measures; a pass needs all of them."""
    qrels, runs = rs.simulation.embedded()
    judged = rs.load(qrels, runs)
    measures = ["nDCG@10", "AP", "RR"]
    outcomes = set()
    for baseline in judged.systems:
        for candidate in judged.systems:
            if baseline == candidate:
                continue
            found = gate(judged, baseline, candidate, measure="nDCG@10", also=measures[1:], all_decide=True)
            one_sided = []
            for name in measures:
                scores = dict(zip(judged.systems, rs.evaluate(judged, name).matrix(name).T, strict=True))
                t = t_test(scores[baseline], scores[candidate])
                one_sided.append(t.pvalue / 2 if t.difference < 0 else 1 - t.pvalue / 2)
            worse = adjust(one_sided, "holm").adjusted < 0.025
            checks = [found.checks[0], *(other.checks[0] for other in found.also)]
            assert all(w or check.outcome != "regression" for w, check in zip(worse, checks, strict=True))
            assert (found.outcome == "regression") == any(check.outcome == "regression" for check in checks)
            assert (found.outcome == "pass") == all(check.outcome == "pass" for check in checks)
            assert found.columns()["measure"] == [found.measure, *(other.measure for other in found.also)]
            first = gate(judged, baseline, candidate, measure="nDCG@10", also=measures[1:])
            assert first.outcome == first.checks[0].outcome
            outcomes.add(found.outcome)
    assert outcomes == {"pass", "regression", "inconclusive"}


def test_each_measure_counts_once():
    """A measure that is named again, even by another tool's name, adds no row and no correction."""
    judged = rs.load(*rs.simulation.embedded())
    once = gate(judged, "hybrid-2", "hybrid-1", measure="nDCG@10", also=["AP"], all_decide=True)
    again = ["ndcg_cut_10", "AP", "map", "nDCG@10"]
    found = gate(judged, "hybrid-2", "hybrid-1", measure="nDCG@10", also=again, all_decide=True)
    assert found.columns() == once.columns()
    assert found.checks[0].effect.level == once.checks[0].effect.level
    assert len(found.also) == 1
    assert gate(judged, "hybrid-2", "hybrid-1", also=["nDCG@10"], all_decide=True).also == ()


def test_a_pass_of_several_measures_names_those_with_a_loss():
    """hybrid-2 against dense-3 with a wide margin: a loss is named only under measures whose interval is below 0."""
    judged = rs.load(*rs.simulation.embedded())
    found = gate(judged, "hybrid-2", "lexical-1", measure="nDCG@10", also=["RR", "AP"], all_decide=True, margin=0.9)
    assert found.outcome == "pass"
    assert found.sentence() == (
        "PASS: lexical-1 is worse than hybrid-2 on every measure, but by less than the margin of 0.9."
    )
    found = gate(judged, "hybrid-2", "hybrid-1", measure="nDCG@10", also=["RR"], all_decide=True, margin=0.9)
    effects = [found.checks[0].effect, found.also[0].checks[0].effect]
    assert effects[0].upper < 0 < effects[1].upper
    assert found.sentence() == (
        "PASS: hybrid-1 loses less than the margin of 0.9 to hybrid-2 on every measure; a loss is shown on nDCG@10."
    )


def test_a_margin_that_no_candidate_can_lose_is_called_too_large():
    judged = rs.load(*rs.simulation.embedded())
    mean = gate(judged, "hybrid-2", "dense-3").checks[0].baseline
    for margin, too_large in ((mean - 0.001, False), (mean + 0.001, True)):
        text = " ".join(str(gate(judged, "hybrid-2", "dense-3", margin=margin)).split())
        assert ("is too large: the mean of hybrid-2 is" in text) == too_large


def test_a_sentence_claims_what_the_interval_shows():
    assert gate(noisy(0.06), "old", "new").sentence() == "PASS: new is better than old on AP."
    shown_loss = gate(noisy(-0.004, sd=0.001), "old", "new", margin=0.01)
    assert shown_loss.checks[0].effect.upper < 0
    assert shown_loss.sentence() == "PASS: new is worse than old on AP, but by less than the margin of 0.01."
    close = gate(noisy(0.0, sd=0.001), "old", "new", margin=0.01)
    assert close.checks[0].effect.lower < 0 < close.checks[0].effect.upper
    assert close.sentence() == "PASS: new loses less than the margin of 0.01 to old on AP, if it loses at all."
    copy = gate(noisy(0.0, sd=0.0), "old", "new").sentence()
    assert copy == "PASS: new scores the same as old on AP, on every topic."
    assert gate(noisy(-0.06), "old", "new").sentence() == "REGRESSION: new is worse than old on AP."
    assert gate(noisy(0.0), "old", "new", margin=0.001).sentence() == (
        "INCONCLUSIVE: the 60 topics show neither that new is worse than old on AP, nor that it loses less than the "
        "margin of 0.001."
    )
