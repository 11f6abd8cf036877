"""Similarity of rankings: slow twins, ties on paper, the papers' intervals and tables."""

import json
import warnings
from itertools import combinations
from math import atanh, sqrt, tanh
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import InputError, studies
from rankscope.statistics import Resampling, tau, tau_ap, tau_aps

GOLDEN = Path(__file__).parents[1] / "golden"
TREC8 = {e["id"]: e for e in json.loads((GOLDEN / "trec8.json").read_text())["entries"]}
CWLA = [e for e in json.loads((GOLDEN / "cwla.json").read_text())["entries"] if e["kind"] == "tau_ci"]


def table(value):
    """{system: {topic: score}} of topics x systems."""
    return {f"s{j:02d}": {f"t{i:02d}": float(x) for i, x in enumerate(column)} for j, column in enumerate(value.T)}


def slow_tau_b(x, y):
    same = apart = tied_x = tied_y = 0
    for i, j in combinations(range(len(x)), 2):
        a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        same, apart = same + (a * b > 0), apart + (a * b < 0)
        tied_x, tied_y = tied_x + (a == 0 and b != 0), tied_y + (a != 0 and b == 0)
    under = (same + apart + tied_x) * (same + apart + tied_y)
    return (same - apart) / sqrt(under) if under else np.nan


@given(st.integers(0, 2**32), st.integers(2, 7), st.integers(2, 6))
def test_slow_twin(seed, systems, topics):
    rng = np.random.default_rng(seed)
    values = {name: rng.integers(0, 4, (topics, systems)).astype(float) for name in "ABC"}
    found = studies.similarity({name: table(value) for name, value in values.items()})
    rows = found.show().rows()
    assert [(row["first"], row["second"]) for row in rows] == [("A", "B"), ("A", "C"), ("B", "C")]
    for p, row in enumerate(rows):
        one, other = values[row["first"]], values[row["second"]]
        want = slow_tau_b(one.sum(axis=0), other.sum(axis=0))
        np.testing.assert_allclose(np.nan if row["tau"] is None else row["tau"], want)
        by_topic = [slow_tau_b(a, b) for a, b in zip(one, other, strict=True)]
        np.testing.assert_allclose(found.by_topic[p], by_topic)
        defined = [t for t in by_topic if not np.isnan(t)]
        assert row["n_topics"] == len(defined)
        if defined:
            assert row["topic_tau"] == pytest.approx(np.mean(defined))
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            if np.ptp(a) and np.ptp(b):
                assert found.by_topic_ap[p, k] == pytest.approx(tau_ap(a, b).b)
            else:
                assert np.isnan(found.by_topic_ap[p, k])


@given(st.integers(0, 2**32), st.integers(2, 9))
def test_many_tau_ap(seed, systems):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 3, (2, 5, systems)) / 10
    for got, a, b in zip(tau_aps(x, y), x, y, strict=True):
        want = tau_ap(a, b).b if np.ptp(a) and np.ptp(b) else np.nan
        np.testing.assert_allclose(got, want, atol=1e-12)
    with pytest.raises(InputError, match="give rows x systems twice"):
        tau_aps(x, y[0])


@pytest.fixture(scope="module")
def some():
    rng = np.random.default_rng(8)
    true = rng.random(9)
    return {name: table(true + 3 * rng.random((20, 9))) for name in "AB"}


def test_intervals(some):
    plain = studies.similarity(some)
    one, other = (np.array([list(column.values()) for column in some[n].values()]) for n in "AB")
    want = tau(one.mean(axis=1), other.mean(axis=1))
    row = plain.of("B", "A")
    assert (row["tau"], row["lower"], row["upper"]) == pytest.approx((want.b, *want.interval()), abs=1e-15)
    # over topics, Student's after Fisher's z: t of 19 degrees of freedom at 0.975 is 2.0930
    for values, mean, ends in ((plain.by_topic, "topic_tau", "topic"), (plain.by_topic_ap, "topic_tau_ap", "topic_ap")):
        z = atanh(row[mean])
        reach = 2.0930240544 * values[0].std(ddof=1) / sqrt(20) / (1 - row[mean] ** 2)
        assert row[f"{ends}_lower"] == pytest.approx(tanh(z - reach))
        assert row[f"{ends}_upper"] == pytest.approx(tanh(z + reach))
    assert -1 < row["ap_lower"] < row["tau_ap"] < row["ap_upper"] < 1
    bootstrapped = studies.similarity(some, resampling=Resampling(500, 3))
    assert bootstrapped.of("A", "B")["lower"] < row["tau"] <= bootstrapped.of("A", "B")["upper"]
    assert bootstrapped.of("A", "B")["ap_lower"] < row["tau_ap"] <= bootstrapped.of("A", "B")["ap_upper"] <= 1
    assert "basic bootstrap over topics, 500 samples, seed 3" in bootstrapped.show().caption
    few = studies.similarity({n: {s: some[n][s] for s in ("s00", "s01", "s02", "s03")} for n in "AB"})
    assert few.of("A", "B")["lower"] is None
    assert few.of("A", "B")["ap_lower"] is None


def test_no_interval_leaves_the_range():
    """Metrics that agree on nearly every topic: Student's interval would end beyond 1."""
    rng = np.random.default_rng(3)
    first = rng.random((12, 8))
    second = first.copy()
    second[0] = rng.random(8)
    row = studies.similarity({"A": table(first), "B": table(second)}).of("A", "B")
    assert 0.8 < row["topic_tau"] < row["topic_upper"] < 1
    assert row["topic_tau_ap"] < row["topic_ap_upper"] < 1
    same = studies.similarity({"A": table(first), "B": table(2 * first)}).of("A", "B")
    assert {same[key] for key in same if key != "n_topics"} == {1.0}  # and no width where nothing differs


@pytest.mark.parametrize("entry", CWLA, ids=lambda e: e["id"])
def test_intervals_of_the_paper(entry):
    """A ranking of n systems whose tau with another is about the printed one has about the printed interval."""
    n, wanted = entry["inputs"]["n"], entry["inputs"]["tau"]
    order = list(range(n))
    swaps = round((1 - wanted) / 2 * (n * (n - 1) // 2))
    while swaps:  # bubbles of adjacent systems, each turning one pair around
        for i in range(n - 1):
            if swaps and order[i] < order[i + 1]:
                order[i], order[i + 1] = order[i + 1], order[i]
                swaps -= 1
    source = {"A": table(np.arange(n)[None].astype(float)), "B": table(np.array([order], float))}
    row = studies.similarity(source).of("A", "B")
    assert row["tau"] == pytest.approx(wanted, abs=0.002)
    # tau moves in steps of 2 / pairs, and the ends at most 1 / (1 - tau^2) times as far inside these intervals
    for end in ("lower", "upper"):
        assert row[end] == pytest.approx(entry["expected"][end], abs=entry["tolerance"] + 0.003)


def test_ties_on_paper():
    """0.1 + 0.2 ties with 0.3, and RBP tells apart what doubles do not."""
    qrels = {"1": {f"d{i}": 1 for i in range(80)}}
    deep = {f"d{i}": 200.0 - i for i in range(2)} | {f"x{i}": 150.0 - i for i in range(60)}
    runs = {"a": {"1": deep | {"d5": 1.0}}, "b": {"1": deep}, "c": {"1": {"x": 1.0}}}
    judged = rs.load(qrels, runs)
    exact = studies.similarity(judged, ["RBP(p=0.5)", "P@100"])
    assert exact.exact == ("RBP(p=0.5)", "P@100")
    assert exact.of("RBP(p=0.5)", "P@100")["tau"] == 1
    assert studies.similarity(judged, ["RBP(p=0.5)", "P@100"], exact=False).of("RBP(p=0.5)", "P@100")["tau"] < 1
    decimals = {"A": table(np.array([[0.1 + 0.2, 0.3, 0.5]])), "B": table(np.array([[1.0, 1.0, 2.0]]))}
    assert studies.similarity(decimals).of("A", "B")["tau"] == 1


def test_one_metric_alone():
    found = studies.similarity({"A": table(np.array([[1.0, 2.0]]))})
    assert found.pairs == ()
    assert "nothing to compare" in found.summary()


def test_metrics_that_tie_all_systems():
    found = studies.similarity({"A": table(np.ones((2, 3))), "B": table(np.array([[1.0, 2.0, 3.0]] * 2))})
    assert np.isnan(found.overall).all()
    assert "one ties all systems" in str(found)


def test_bad_input(some):
    with pytest.raises(InputError, match="level is between"):
        studies.similarity(some, level=95)
    with pytest.raises(InputError, match="no pair A, X"):
        studies.similarity(some).of("A", "X")


# 118 runs of TREC-8


@pytest.fixture(scope="module")
def trec8(data):
    folder = data / "trec8-adhoc"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        judged = rs.load(folder / "qrels.gz", sorted((folder / "runs").iterdir()), depth=250)
    return studies.material(judged, {"P": "P@250", "R": "R@250", "SBTO": "SBTO@250", "RBTO": "RBTO@250",
                                     "RBP(p=0.5)": "RBP(p=0.5)", "RBP(p=0.8)": "RBP(p=0.8)", "AP": "AP"})  # fmt: skip


@pytest.fixture(scope="module")
def trec8_similarity(trec8):
    return studies.similarity(trec8)


@pytest.mark.parametrize("entry", [e for e in TREC8.values() if e["kind"] == "tau"], ids=lambda e: e["id"])
def test_interval_scales_tables_1_and_2(trec8_similarity, entry):
    row = trec8_similarity.of(*entry["inputs"]["measures"])
    assert row["topic_tau"] == pytest.approx(entry["expected"]["topic_by_topic_mean"], abs=entry["tolerance"])
    assert row["tau"] == pytest.approx(entry["expected"]["overall"], abs=entry["tolerance"])


@pytest.mark.slow
def test_interval_scales_tables_3_and_4(trec8):
    entries = [e for e in TREC8.values() if e["kind"] == "significant_pairs"]
    tests = {"tukey_two_way": "tukey", "tukey_one_way": "tukey-one-way", "kruskal_wallis": "kruskal-wallis"}
    found = studies.discriminative_power(trec8, tests=list(tests.values()))
    for entry in entries:
        name = entry["inputs"]["measure"]
        for key, test in tests.items():
            want = entry["expected"][f"{key}_share"]
            assert found.share(name, test) == pytest.approx(want, abs=entry["tolerance"]), (name, test)
    # affine measures find the same pairs
    for one, other in (("P", "SBTO"), ("RBP(p=0.5)", "RBTO")):
        np.testing.assert_array_equal(found.asl(one, "tukey") < 0.05, found.asl(other, "tukey") < 0.05)
