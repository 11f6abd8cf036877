"""Discriminative power: achieved significance levels by hand-written loops, shared resamples, the papers' tables."""

import json
import warnings
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import rankscope as rs
from rankscope import InputError, studies
from rankscope.kernels import shuffled
from rankscope.kernels.cpu import drawn
from rankscope.statistics import Resampling
from rankscope.studies.power import TESTS

GOLDEN = Path(__file__).parents[1] / "golden"
LEXI = {e["id"]: e for e in json.loads((GOLDEN / "lexi_dl19.json").read_text())["entries"]}
CHANCE = Resampling(150, 7)


def table(value):
    """{system: {topic: score}} of topics x systems."""
    return {f"s{j:02d}": {f"t{i:02d}": float(x) for i, x in enumerate(column)} for j, column in enumerate(value.T)}


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(5)
    true = rng.random(5)
    return {"fine": true + rng.random((12, 5)), "coarse": np.round(true + rng.random((12, 5)))}


@pytest.fixture(scope="module")
def found(values):
    return studies.discriminative_power(
        {name: table(value) for name, value in values.items()}, tests=list(TESTS), resampling=CHANCE
    )


def literal_hsd(value):
    """Carterette (2012): shuffle each topic's scores, keep the largest difference of means."""
    topics, systems = value.shape
    place = np.tile(np.arange(systems), (topics, 1))
    largest = []
    for trial in range(CHANCE.resamples):
        order = shuffled(place, CHANCE.seed, trial, 1)[0]
        means = [sum(value[t, order[t, s]] for t in range(topics)) / topics for s in range(systems)]
        largest.append(max(means) - min(means))
    mean = value.mean(axis=0)
    return [
        (1 + sum(x >= abs(mean[i] - mean[j]) - 1e-12 for x in largest)) / (1 + CHANCE.resamples)
        for i, j in combinations(range(systems), 2)
    ]


def literal_bootstrap(value):
    """Sakai (2006): t of each sample of the differences, shifted to mean 0, against the t observed."""
    topics, systems = value.shape
    asl = []
    for i, j in combinations(range(systems), 2):
        d = value[:, i] - value[:, j]
        w = d - d.mean()
        observed = abs(d.mean()) / (d.std(ddof=1) / np.sqrt(topics))
        count = 0
        for trial in range(CHANCE.resamples):
            sample = w[drawn(CHANCE.seed, trial, 1, topics)[0]]
            mean, spread = abs(sample.mean()), sample.std(ddof=1)
            if spread < 1e-12:  # no t: extreme unless its mean is 0
                count += mean > 1e-12
            else:
                count += mean / (spread / np.sqrt(topics)) >= observed - 1e-9
        asl.append((1 + count) / (1 + CHANCE.resamples))
    return asl


def literal_sign(value):
    asl = []
    pairs = list(combinations(range(value.shape[1]), 2))
    for i, j in pairs:
        above, below = int((value[:, i] > value[:, j]).sum()), int((value[:, i] < value[:, j]).sum())
        n = above + below
        tail = sum(comb(n, k) for k in range(min(above, below) + 1)) / 2**n
        asl.append(min(1.0, min(1.0, 2 * tail) * len(pairs)))
    return asl


def literal_t(value):
    pairs = list(combinations(range(value.shape[1]), 2))
    return [min(1.0, len(pairs) * stats.ttest_rel(value[:, i], value[:, j]).pvalue) for i, j in pairs]


@pytest.mark.parametrize("name", ["fine", "coarse"])
@pytest.mark.parametrize(
    ("test", "twin"),
    [("randomised-hsd", literal_hsd), ("bootstrap", literal_bootstrap), ("sign", literal_sign), ("t", literal_t)],
)
def test_slow_twins(found, values, name, test, twin):
    np.testing.assert_allclose(found.asl(name, test), twin(values[name]), rtol=1e-12)


def test_what_is_counted(found, values):
    for test in TESTS:
        for name in values:
            asl, mean = found.asl(name, test), values[name].mean(axis=0)
            assert found.share(name, test) == np.count_nonzero(asl < 0.05) / 10
            row = next(r for r in found.show().rows() if r["test"] == test and r["measure"] == name)
            assert row["significant"] == np.count_nonzero(asl < 0.05)
            size = np.array([abs(mean[i] - mean[j]) for i, j in combinations(range(5), 2)])
            assert (asl[size > row["needed"] + 1e-12] < 0.05).all()
            drawn = found.figures()["asl_curves"]
            rows = zip(drawn["test"], drawn["measure"], drawn["asl"], strict=True)
            curve = [r for t, m, r in rows if (t, m) == (test, name)]
            assert curve == sorted(asl.tolist(), reverse=True)


def test_critical_differences(found, values):
    """The studentised range at 0.95 times the standard error of a mean after topics and systems."""
    value = values["fine"]
    rest = value - value.mean(axis=0) - value.mean(axis=1)[:, None] + value.mean()
    error = np.sqrt((rest**2).sum() / (4 * 11) / 12)
    want = stats.studentized_range.ppf(0.95, 5, 44) * error
    assert found.needed[found.tests.index("tukey"), 0] == pytest.approx(want, rel=1e-6)


def test_all_metrics_share_their_resamples(values):
    one = {"fine": table(values["fine"])}
    more = {"other": table(values["coarse"]), "twice": table(2 * values["fine"]), **one}
    tests = ["randomised-hsd", "bootstrap"]
    alone, together = (studies.discriminative_power(x, tests=tests, resampling=CHANCE) for x in (one, more))
    for test in tests:
        np.testing.assert_array_equal(alone.asl("fine", test), together.asl("fine", test))
        np.testing.assert_array_equal(together.asl("twice", test), together.asl("fine", test))


def test_a_score_as_preferences_gives_the_same():
    """rrLP of lists with one relevant document is RR: both ways of permuting give the same levels."""
    rng = np.random.default_rng(4)
    qrels = {f"q{t}": {"d0": 1, "d1": 0} for t in range(9)}
    runs = {
        f"r{s}": {q: {f"d{d}": float(x) for d, x in enumerate(rng.permutation(9))} for q in qrels} for s in range(4)
    }
    got = studies.discriminative_power(
        rs.load(qrels, runs), ["RR"], ["rrLP"], tests=["randomised-hsd", "t"], resampling=CHANCE
    )
    for test in ("randomised-hsd", "t"):
        np.testing.assert_allclose(got.asl("RR", test), got.asl("rrLP", test), rtol=1e-12)


def test_equal_systems_and_constant_differences():
    value = np.random.default_rng(0).random((8, 3))
    value[:, 1] = value[:, 0]
    value[:, 2] = value[:, 0] + 0.5
    got = studies.discriminative_power({"M": table(value)}, tests=["t", "bootstrap", "sign"], resampling=CHANCE)
    np.testing.assert_array_equal(got.asl("M", "t"), [1.0, 6 / 2**8, 6 / 2**8])
    np.testing.assert_array_equal(got.asl("M", "bootstrap"), [1.0, 2 / 2**8, 2 / 2**8])
    np.testing.assert_array_equal(got.asl("M", "sign"), [1.0, 6 / 2**8, 6 / 2**8])
    assert got.share("M", "t") == pytest.approx(2 / 3)


def test_bad_input(values):
    source = {"M": table(values["fine"])}
    for options, said in (
        ({"tests": "anova"}, "tests: 'anova' is unknown(.|\n)*tests are randomised-hsd, bootstrap"),
        ({"tests": []}, "no tests"),
        ({"alpha": 0}, "alpha is between"),
    ):
        with pytest.raises(InputError, match=said):
            studies.discriminative_power(source, **options)
    with pytest.raises(InputError, match="a test needs at least two"):
        studies.discriminative_power({"M": table(values["fine"][:1])})
    with pytest.raises(InputError, match="M, kruskal-wallis: all scores are equal"):
        studies.discriminative_power({"M": table(np.ones((4, 3)))}, tests="kruskal-wallis")
    with pytest.raises(InputError, match="no test 't'"):
        studies.discriminative_power(source, resampling=CHANCE).share("M", "t")
    with pytest.raises(InputError, match="no candidate 'X'"):
        studies.discriminative_power(source, resampling=CHANCE).asl("X")


# TREC 2019 Deep Learning, passages


def passages(data, **rules):
    folder = data / "dl19-passage"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        return rs.load(folder / "qrels.gz", sorted((folder / "runs").iterdir()), **rules)


@pytest.fixture(scope="module")
def lexi(data):
    return studies.material(passages(data, rel=2), ["RR"], ["sgnLP", "rrLP"])


def test_lexiprecision_table_4b(lexi):
    want = LEXI["table4b"]["expected"]
    found = studies.discriminative_power(lexi, tests=["t", "sign"])
    assert len(found.first) == 666
    assert 100 * found.share("sgnLP", "sign") == pytest.approx(want["printed"]["sgnLP"], abs=0.005)
    assert round(100 * found.share("sgnLP", "sign"), 2) == 17.42
    for name in ("RR", "rrLP"):
        share = 100 * found.share(name, "t")
        assert share == pytest.approx(want[f"{name}_t_pct"], abs=LEXI["table4b"]["tolerance"])
        assert round(abs(share - want["printed"][name]) / 100 * 666) <= 3


def test_lexiprecision_table_4a(lexi):
    want, tolerance = LEXI["table4a"]["expected"], LEXI["table4a"]["tolerance"]
    found = studies.discriminative_power(lexi)
    assert round(100 * found.share("sgnLP"), 2) == want["sgnLP_pct_ge"]
    strict = studies.discriminative_power(lexi, strict=True)
    assert round(100 * strict.share("sgnLP"), 2) == want["sgnLP_pct_strict"]
    for result in (found, strict):
        for name in ("RR", "rrLP"):
            assert 100 * result.share(name) == pytest.approx(want["printed"][name], abs=tolerance)


def test_erg_is_at_or_near_the_top(data):
    """As Chen and Sakai find: the first or the second of each reader's aggregations, here too.

    First for Precision, DCG, INST and ERR; second for RBP (after fin) and for AP (after ETG). ETG and ERG of the
    readers that do not adapt are the same but for a factor, and so are their curves.
    """
    grid = studies.material(passages(data, depth=10), studies.cwla_grid())
    found = studies.discriminative_power(grid)
    place = {}
    for reader in ("Precision", "DCG", "RBP", "INST", "AP", "ERR"):
        members = [name for name in found.candidates if name.startswith(f"{reader}_")]
        place[reader] = 1 + sum(found.share(name) > found.share(f"{reader}_ERG") for name in members)
    assert place == {"Precision": 1, "DCG": 1, "RBP": 2, "INST": 1, "AP": 2, "ERR": 1}
    for reader in ("Precision", "DCG", "RBP"):
        np.testing.assert_array_equal(found.asl(f"{reader}_ERG"), found.asl(f"{reader}_ETG"))
    np.testing.assert_array_equal(found.asl("Precision_ERG"), found.asl("Precision_avg"))


def test_one_metric_is_not_the_most_and_the_fewest():
    rng = np.random.default_rng(1)
    scores = {f"s{i}": {f"t{t}": float(rng.random() + i) for t in range(8)} for i in range(3)}
    found = studies.discriminative_power({"A": scores}, tests="t")
    assert found.summary().startswith("t: A tells 3 of 3 pairs apart, 100.00 %.")
    both = studies.discriminative_power({"A": scores, "B": scores}, tests="t")
    assert both.summary().startswith("t: all metrics tell 3 of 3 pairs apart, 100.00 %.")
