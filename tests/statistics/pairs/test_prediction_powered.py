"""Prediction-powered inference: golden values of the published form, and what must hold of ours."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtrit

import rankscope as rs
from rankscope.statistics import prediction_powered, prediction_powered_pairs
from rankscope.statistics.pairs.prediction_powered import WIDER, powered

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "ppi.json").read_text())["entries"]
FORMS = {
    "classical": ("human", True),
    "ppi": ("ppi", True),
    "ppi_plus": ("ppi++", True),
    "ppi_plus_unclipped": ("ppi++", False),
}


@pytest.mark.parametrize("entry", GOLDEN, ids=[entry["id"] for entry in GOLDEN])
def test_golden_values(entry):
    inputs, expected, close = entry["inputs"], entry["expected"], {"abs": entry["tolerance"]}
    labels = [inputs[name] for name in ("labelled", "predicted_labelled", "predicted_unlabelled")]
    for name, (variant, clipped) in FORMS.items():
        result = prediction_powered(*labels, variant=variant, interval="normal", clipped=clipped)
        values = result.difference, result.lower, result.upper
        assert values == pytest.approx((expected[name]["estimate"], *expected[name]["ci"]), **close)
        if name in expected["sample_sd"]:
            rows = [np.array([values]) for values in labels]
            parts = powered(*rows, variant=variant, interval="normal", ddof=1)
            assert parts.error[0] == pytest.approx(expected["sample_sd"][name]["se"], **close)
        if name == "ppi_plus":
            assert result.weight == pytest.approx(expected["lambda"], **close)
        if name == "ppi_plus_unclipped":
            assert result.weight == pytest.approx(expected["lambda_unclipped"], **close)
            assert result.pvalue == pytest.approx(expected["p"]["ppi_plus_unclipped_lambda"], **close)
        if name == "ppi":
            assert result.pvalue == pytest.approx(expected["p"]["ppi"], **close)
    assert (result.n_labelled, result.n_unlabelled) == (expected["n"], expected["N"])


def test_student_interval_covers_and_is_hardly_wider_than_that_of_people():
    rng = np.random.default_rng(7)
    n, others, rows, truth = 20, 80, 4000, 0.3
    for strength in (0.0, 0.5, 0.95, 1.0):
        machine = rng.standard_normal((rows, n + others))
        people = strength * machine + np.sqrt(1 - strength**2) * rng.standard_normal((rows, n + others)) + truth
        machine = machine + 1.0  # the machine favours b, and that must not matter
        labels = people[:, :n], machine[:, :n], machine[:, n:]
        ours, alone = powered(*labels, variant="ppi++"), powered(*labels, variant="human")
        reach, reach_alone = (stdtrit(each.df, 0.975) * each.error for each in (ours, alone))
        assert abs((np.abs(ours.estimate - truth) <= reach).mean() - 0.95) < 0.014  # four standard errors
        assert (reach <= WIDER * reach_alone + 1e-3).all()
        assert reach.mean() < (1.01 - 0.4 * strength**4) * reach_alone.mean()


def test_a_useless_machine_is_left_out_or_hardly_counts():
    rng = np.random.default_rng(3)
    people, machine, others = rng.standard_normal(30), rng.standard_normal(30), rng.standard_normal(200)
    result = prediction_powered(people, -people, others)  # predicts the opposite: the weight is clipped
    assert result.weight == 0
    assert result.difference == pytest.approx(people.mean())
    assert prediction_powered(people, machine, others).weight < 0.5


def test_errors_that_differ_between_systems_are_said():
    rng = np.random.default_rng(5)
    people = rng.normal(0.02, 0.1, 40)
    result = prediction_powered(people, people + rng.normal(0.1, 0.02, 40), rng.normal(0.12, 0.1, 100))
    assert result.bias == pytest.approx(-0.1, abs=0.02)
    assert result.bias_pvalue < 0.001
    assert "favours the second by 0.0997" in " ".join(result.remarks())
    assert result.lower < 0.02 < result.upper


def test_more_human_topics():
    rng = np.random.default_rng(11)
    people = rng.normal(0.0, 0.1, 25)
    people += 0.02 - people.mean()
    result = prediction_powered(people, people + rng.normal(0, 0.2, 25), rng.normal(0.02, 0.2, 400))
    assert result.pvalue > 0.05
    assert result.more is not None
    assert 0 < result.more <= 400
    assert "more topic" in " ".join(result.remarks())
    none = prediction_powered(people, people, rng.normal(0, 0.1, 5))
    assert (none.more is None) == ("would not show" in " ".join(none.plan()) or none.pvalue < 0.05)


def test_bad_labels_are_refused():
    few = [0.1, 0.2, 0.3]
    with pytest.raises(rs.InputError, match="3 topics with human labels"):
        prediction_powered(few, few, few)
    with pytest.raises(rs.InputError, match="6 human and 5 machine labels"):
        prediction_powered([0.1] * 6, [0.1] * 5, few)
    with pytest.raises(rs.InputError, match="no topic has a machine label alone"):
        prediction_powered([0.1] * 6, [0.1] * 6, [])
    with pytest.raises(rs.InputError, match="topic 2 is nan"):
        prediction_powered([0.1, 0.2, np.nan, 0.1, 0.1], [0.1] * 5, few)


def sampled_pairs(rng, rows, n_topics, depth=10, share=0.2, bias=0.2):
    """Two lists per topic that share no document, under people and a machine; each pair is judged with the same chance.

    Differences of P@depth: of what people judged, of the same under the machine, of all under the machine; the truth.
    """
    shape = rows, n_topics, 2, depth
    level = np.array([0.4, 0.5])[:, None]
    people = rng.random(shape) < np.clip(level + rng.normal(0, 0.2, (rows, n_topics, 1, 1)), 0, 1)
    machine = np.where(rng.random(shape) < 0.8, people, rng.random(shape) < np.array([0.3, 0.3 + bias])[:, None])
    drawn = rng.random(shape) < share
    gains = [np.diff(each.mean(axis=3), axis=2)[..., 0] for each in (people * drawn, machine * drawn, machine * 1.0)]
    return gains, drawn.sum(axis=(1, 2, 3)), np.diff(people.mean(axis=3), axis=2)[..., 0]


def test_pairs_by_the_slow_twin():
    """Horvitz and Thompson's sums by hand, and the least squares of numpy."""
    rng = np.random.default_rng(2)
    (labelled, predicted, machine), judged, _ = sampled_pairs(rng, 1, 30)
    n, total = int(judged[0]), 30 * 20
    result = prediction_powered_pairs(labelled[0], predicted[0], machine[0], n_pairs=(n, total))
    people = [total / n * d for d in labelled[0]]
    off = [total / n * f - m for f, m in zip(predicted[0], machine[0], strict=True)]  # 0 on average
    design = np.column_stack([np.ones(30), off])
    (at_zero, slope), (left,), *_ = np.linalg.lstsq(design, np.array(people), rcond=None)
    assert 0 < slope < 1
    error = np.sqrt(left / 28 * np.linalg.inv(design.T @ design)[0, 0])
    assert (result.difference, result.weight, result.df) == pytest.approx((at_zero, slope, 28))
    assert (result.upper - result.difference) / stdtrit(28, 0.975) == pytest.approx(error)
    assert result.human[0] == pytest.approx(np.mean(people))
    assert (result.n_labelled, result.n_unlabelled, result.unit) == (n, total - n, "pair")
    assert result.plan() == []


@pytest.mark.parametrize("n_topics", [20, 50])
def test_intervals_from_pairs_cover(n_topics):
    rng = np.random.default_rng(n_topics)
    hits, shorter, rows, population = 0, [], 1500, sampled_pairs(rng, 4000, 10)[2].mean()
    differences, judged, _ = sampled_pairs(rng, rows, n_topics)
    for labelled, predicted, machine, n in zip(*differences, judged.tolist(), strict=True):
        result = prediction_powered_pairs(labelled, predicted, machine, n_pairs=(n, n_topics * 20))
        hits += result.lower <= population <= result.upper
        shorter.append((result.upper - result.lower) / (result.human[2] - result.human[1]))
    assert abs(hits / rows - 0.95) < 0.0225  # four standard errors
    assert max(shorter) < WIDER + 1e-3
    assert np.mean(shorter) < 0.9


def people_and_machine(rng, n_topics, mean, spread=0.3, depth=20):
    """What each pair adds to the difference of its topic, under people and a machine, (topics, pairs)."""
    within = rng.normal(0, 0.15, (n_topics, depth))
    people = (mean + rng.normal(0, spread, (n_topics, 1))) / depth + within - within.mean(axis=1, keepdims=True)
    return people, 0.8 * people + rng.normal(0.01, 0.1, people.shape)


def of_pairs(people, machine, drawn, level=0.95):
    """The result of people's labels of the pairs that were drawn."""
    h, m = people[drawn], machine[drawn]
    return prediction_powered_pairs(
        *((labels * drawn).sum(axis=1) for labels in (people, machine)), machine.sum(axis=1),
        n_pairs=(int(drawn.sum()), drawn.size), squares=(h @ h, h @ m, m @ m), level=level,
    )  # fmt: skip


@pytest.mark.parametrize("margin", [0.0, 0.25])
def test_as_many_more_pairs_as_are_said_decide_in_about_four_of_five(margin):
    """Truths and spreads are drawn widely; people then judge as many more pairs, at random, as the result says."""
    rng = np.random.default_rng(int(100 * margin) + 6)
    n_topics, decided, tried = 100, 0, 0
    while tried < 200:
        people, machine = people_and_machine(rng, n_topics, rng.uniform(-0.6, 0.6), np.exp(rng.uniform(-3.5, 1)))
        order = rng.permutation(people.size)
        before = of_pairs(people, machine, (order < people.size // 10).reshape(people.shape))
        open_ = before.lower <= -margin and before.upper >= 0
        if not open_ or (more := before.to_settle(margin)) is None:
            continue
        labels = min(before.n_labelled + more, people.size - 1)
        after = of_pairs(people, machine, (order < labels).reshape(people.shape))
        tried += 1
        decided += after.lower > -margin or after.upper < 0
    assert abs(decided / tried - 0.8) < 0.1


def test_variance_from_pairs_by_the_slow_twin():
    """Of topics and of drawing, from all pairs, where a tenth and a half of them were drawn."""
    rng = np.random.default_rng(8)
    people, machine = people_and_machine(rng, 4000, 0.2)
    for share in (0.1, 0.5):
        result = of_pairs(people, machine, rng.random(people.shape) < share)
        floor, shrinking, _ = result.variance
        rest = people - result.weight * machine
        between = people.sum(axis=1).var(ddof=1)
        now = floor + shrinking / result.n_labelled
        for then in (0.1, 0.3, 0.9):
            labels = then * people.size
            expected = (between + (1 - then) / then * np.square(rest).sum(axis=1).mean()) / len(people)
            assert floor + shrinking / labels == pytest.approx(
                expected, abs=4 * np.sqrt(2 / len(people)) * max(now, expected)
            )


def test_words_on_more_pairs():
    rng = np.random.default_rng(5)
    people, machine = people_and_machine(rng, 100, 0.12, 0.1)
    result = of_pairs(people, machine, rng.random(people.shape) < 0.1)
    assert result.pvalue > 0.05
    assert 0 < result.settles < result.n_unlabelled
    words = f"Human labels for {result.settles} more pairs show some difference with a chance of about 80 %. That is an"
    assert words in " ".join(result.remarks())
    assert result.to_settle(0.5) < result.settles  # a gate that allows a large loss
    same = of_pairs(people - people.mean(), machine, rng.random(people.shape) < 0.6)
    assert same.settles is None
    assert "all pairs that the machine has judged show some difference with a chance below 80 %: add topics" in (
        " ".join(same.plan())
    )


def test_bad_pairs_are_refused():
    some = [0.1] * 6
    with pytest.raises(rs.InputError, match="people judged 9 of 9 pairs"):
        prediction_powered_pairs(some, some, some, n_pairs=(9, 9))
    with pytest.raises(rs.InputError, match="6, 6 and 5 differences"):
        prediction_powered_pairs(some, some, some[:5], n_pairs=(3, 9))
    with pytest.raises(rs.InputError, match="4 topics"):
        prediction_powered_pairs(some[:4], some[:4], some[:4], n_pairs=(3, 9))
