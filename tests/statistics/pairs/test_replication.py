"""Whether a verdict repeats: draws from the model as the slow twin, the noncentral t, and limits."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import rankscope as rs
from rankscope.errors import InputError
from rankscope.statistics import replication, t_all_pairs, t_test, tau, tau_ap
from rankscope.statistics.pairs.replication import predicted, shown_if


@pytest.mark.parametrize(("t", "df", "new"), [(2.5, 4, 5), (2.5, 42, 157), (1.0, 9, 10), (0.0, 20, 21), (3.0, 1.7, 8)])
def test_prediction_equals_draws_of_mean_variance_and_new_sample(t, df, new):
    rng = np.random.default_rng(7)
    draws, n = 200_000, df + 1
    sd = np.sqrt(df / rng.chisquare(df, draws))  # true, over the one observed
    true = t + sd * rng.normal(size=draws)  # in standard errors
    mean = true + sd * np.sqrt(n / new) * rng.normal(size=draws)
    error = sd * np.sqrt(rng.chisquare(new - 1, draws) / (new - 1)) * np.sqrt(n / new)
    critical = stats.t.ppf(0.975, new - 1)
    for side in (1, -1):
        share = np.mean(side * mean / error > critical)
        assert predicted(side * t, df, new / n, 0.05) == pytest.approx(share, abs=5 * np.sqrt(0.25 / draws))


@pytest.mark.parametrize(("t", "df", "ratio"), [(2.5, 4, 1.0), (1.0, 42, 3.0), (-1.0, 9, 2.0)])
def test_given_the_true_difference_the_probability_is_that_of_the_noncentral_t(t, df, ratio):
    new_df = (df + 1) * ratio - 1
    exact = stats.nct.sf(stats.t.ppf(0.975, new_df), new_df, t * np.sqrt(ratio))
    assert shown_if(t, df, ratio, 0.05) == pytest.approx(exact, abs=1e-7)


def test_same_sign_and_limit_have_closed_forms():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=40), rng.normal(0.4, 1, 40)
    repeat, test = replication(a, b), t_test(a, b)
    t = abs(test.statistic)
    assert repeat.same_sign == pytest.approx(stats.t.cdf(t / np.sqrt(2), 39))
    assert repeat.limit == pytest.approx(stats.t.cdf(t, 39))
    assert repeat.shown + repeat.opposite + repeat.none_shown == pytest.approx(1)
    assert repeat.lower <= repeat.shown <= repeat.upper
    swapped = replication(b, a)
    assert (swapped.shown, swapped.same_sign) == pytest.approx((repeat.shown, repeat.same_sign))


def test_topics_for_nine_in_ten_are_the_least_that_reach_it():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=60), rng.normal(0.5, 1, 60)
    goal = replication(a, b).goal_topics
    assert replication(a, b, n_topics=goal).shown >= 0.9 > replication(a, b, n_topics=goal - 1).shown


def test_no_number_of_topics_helps_where_the_sign_is_open():
    repeat = replication([0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.5, 0.3])
    assert repeat.limit < 0.9
    assert repeat.goal_topics is None


def test_copies_of_topics_in_clusters_predict_no_more_than_the_topics():
    rng = np.random.default_rng(3)
    a, b = rng.random(20), rng.random(20) + 0.1
    copies = replication(np.repeat(a, 3), np.repeat(b, 3), clusters=np.repeat(np.arange(20), 3))
    assert copies.shown == pytest.approx(replication(a, b).shown)
    assert copies.n_topics == 60


def test_constant_differences_and_bad_numbers_are_refused():
    with pytest.raises(InputError, match="no variance"):
        replication([0.1, 0.2], [0.2, 0.3])
    with pytest.raises(InputError, match="n_topics"):
        replication([0.1, 0.2, 0.3], [0.2, 0.1, 0.5], n_topics=1)


def test_verdicts_of_43_topics_on_157_others_equal_the_golden_values(data):
    entry = json.loads((Path(__file__).parents[2] / "golden" / "repeat.json").read_text(encoding="utf-8"))["entries"][0]
    expected = entry["expected"]
    sides = []
    for folder, qrels in (("dl19-passage", "qrels.gz"), ("dl19-more-topics", "qrels-syndl-gpt4.gz")):
        scores = rs.evaluate(rs.load(data / folder / qrels, [data / folder / "runs"]), "nDCG@10")
        sides.append((scores.systems, scores.matrix(scores.measures[0])))
    (names, first), (same, second) = sides
    assert names == same
    assert (len(first), len(second)) == (expected["topics_reference"], expected["topics_judge"])
    assert dict(zip(names, second.mean(axis=0).tolist(), strict=True)) == pytest.approx(expected["means_other"])
    assert tau(first.mean(axis=0), second.mean(axis=0)).b == pytest.approx(expected["tau_b"])
    walked = tau_ap(first.mean(axis=0), second.mean(axis=0))
    assert [walked.b_one_way, walked.b_swapped] == pytest.approx([expected["tau_ap"], expected["tau_ap_swapped"]])
    tests = [t_all_pairs(matrix) for matrix in (first, second)]
    shown = [np.where(test.pvalue < 0.05, np.sign(test.difference), 0) for test in tests]
    counts = {
        "significant_reference": shown[0] != 0,
        "significant_judge": shown[1] != 0,
        "kept": shown[0] * shown[1] > 0,
        "reversed": shown[0] * shown[1] < 0,
        "lost": (shown[0] != 0) & (shown[1] == 0),
        "invented": (shown[0] == 0) & (shown[1] != 0),
        "neither": (shown[0] == 0) & (shown[1] == 0),
    }
    assert {name: int(np.count_nonzero(kept)) for name, kept in counts.items()} == {k: expected[k] for k in counts}
    nearest = min(float(np.abs(test.pvalue - 0.05).min()) for test in tests)
    assert nearest == pytest.approx(expected["nearest_p_to_alpha"])
    pairs = list(zip(tests[0].first.tolist(), tests[0].second.tolist(), strict=True))
    predicted = np.array([replication(first[:, i], first[:, j], n_topics=157).shown for i, j in pairs[::6]])
    observed = (np.sign(tests[0].difference) * shown[1] > 0)[::6]  # docs/validity-topics.md has all pairs
    assert abs(predicted.mean() - observed.mean()) < 0.08
