"""Consistency: Algorithm 1 taken literally, shared splits, families, and what cannot be split."""

import warnings

import numpy as np
import pytest
from scipy.stats import t as student

import rankscope as rs
from rankscope import InputError, studies
from rankscope.kernels import draw_keys
from rankscope.statistics import Resampling, adjust, leave_one_out, randomised_hsd, tau
from rankscope.statistics import consistency as exact_consistency
from rankscope.statistics.correlations import split_halves as halves_of_topics


def table(value):
    """{system: {topic: score}} of topics x systems."""
    return {f"s{j:02d}": {f"t{i:02d}": float(x) for i, x in enumerate(column)} for j, column in enumerate(value.T)}


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(3)
    true = rng.random(6)
    return {name: true + noise * rng.random((11, 6)) for name, noise in (("sharp", 0.5), ("dull", 2.0), ("odd", 8.0))}


def source(values):
    return {name: table(value) for name, value in values.items()}


def literal(value, splits):
    """Chen and Sakai's Algorithm 1: the half of each trial are the topics with the smallest draws."""
    topics = len(value)
    found = []
    for trial in range(splits.resamples):
        keys = [int(draw_keys(splits.seed, np.array([trial]), np.array([topic]))[0]) for topic in range(topics)]
        first = sorted(range(topics), key=lambda topic: keys[topic])[: topics // 2]
        second = [topic for topic in range(topics) if topic not in first]
        found.append(tau(value[first].mean(axis=0), value[second].mean(axis=0)).b)
    return np.array(found)


def test_slow_twin(values):
    splits = Resampling(40, 9)
    found = studies.consistency(source(values), resampling={"splits": splits, "permutations": Resampling(200)})
    for name, got in zip(found.candidates, found.taus, strict=True):
        np.testing.assert_allclose(got, literal(values[name], splits), atol=1e-15)
        assert found.mean[name] == pytest.approx(literal(values[name], splits).mean())
    (family,) = found.families
    assert family.candidates == ("sharp", "dull", "odd")
    again = studies.consistency(
        source(values), resampling={"splits": splits, "permutations": Resampling(200)}, test="splits"
    )
    matrix = np.array([literal(values[name], splits) for name in family.candidates]).T
    p = randomised_hsd(matrix, resampling=Resampling(200)).matrix()
    np.testing.assert_array_equal(again.families[0].pvalue, p)
    want = [[o for j, o in enumerate(family.candidates) if j > i and p[i, j] < 0.05] for i in range(3)]
    assert again.columns()["beats"] == [", ".join(names) for names in want]
    assert again.columns()["mark"] == [f"> {len(names)}" if names else "" for names in want]
    assert "splits are no replicates" in again.summary()


@pytest.mark.parametrize("topics", [11, 12])
def test_a_topic_is_left_out_literally(topics):
    """Over all splits, the change when a topic is left out is that of the mean over all splits of the others."""
    rng = np.random.default_rng(4)
    value = rng.random(6) + rng.random((topics, 6))
    mean, changes = leave_one_out(value, resampling=Resampling(20_000), aligned=True)
    whole = exact_consistency(value).mean
    assert mean == pytest.approx(whole, abs=0.005)
    want = [exact_consistency(np.delete(value, t, axis=0)).mean - whole for t in range(topics)]
    np.testing.assert_allclose(changes, want, atol=0.012)
    assert np.corrcoef(changes, want)[0, 1] > 0.97


def test_a_group_is_left_out_literally():
    """Over all splits, the change when a group is left out is nearly that of the mean over all splits of the others."""
    rng = np.random.default_rng(4)
    value = rng.random(6) + rng.random((15, 6))
    resampling = Resampling(20_000)
    mean, changes = leave_one_out(value, resampling=resampling, aligned=True, groups=5)
    groups = halves_of_topics._groups(15, resampling, 5)
    assert sorted(np.concatenate(groups).tolist()) == list(range(15))
    assert [len(group) for group in groups] == [3] * 5
    want = [exact_consistency(np.delete(value, group, axis=0)).mean - mean for group in groups]
    np.testing.assert_allclose(changes, want, atol=0.03)  # of 12 topics, 4 to 7 are in the first half here
    assert np.corrcoef(changes, want)[0, 1] > 0.97


def test_groups_of_topics_have_the_standard_error_of_topics(monkeypatch):
    """Beyond so many topics groups are left out, which caption and summary say."""
    rng = np.random.default_rng(7)
    system = rng.random(8)
    values = {name: system + 4 * rng.standard_normal((1500, 8)) for name in ("first", "second")}
    single = studies.consistency(source(values), resampling=Resampling(20))
    monkeypatch.setattr(halves_of_topics, "LARGE", 1000)
    monkeypatch.setattr(halves_of_topics, "GROUPS", 300)
    grouped = studies.consistency(source(values), resampling=Resampling(20))
    assert grouped.mean == single.mean
    errors = [study.families[0].error[0, 1] for study in (single, grouped)]
    assert errors[1] == pytest.approx(errors[0], rel=0.25)
    sentence = "300 random groups of topics are left out in turn"
    caption = grouped.tables()["consistency"].caption
    assert all(sentence in words for words in (grouped.summary(), grouped.method, caption))
    assert "groups of topics" not in single.summary() + single.method


def test_jackknife_by_hand(values):
    """Standard errors and p values of the pairs from the changes, then Holm."""
    (family,) = studies.consistency(source(values), resampling=Resampling(20)).families
    parts = {name: leave_one_out(values[name], resampling=Resampling(500), aligned=True) for name in family.candidates}
    pairs, want = [(0, 1), (0, 2), (1, 2)], []
    for i, j in pairs:
        (first, left), (second, right) = (parts[family.candidates[k]] for k in (i, j))
        change = left - right
        error = np.sqrt(10 / 11 * ((change - change.mean()) ** 2).sum())
        assert family.difference[i, j] == pytest.approx(second - first)
        assert family.error[i, j] == pytest.approx(error)
        want.append(2 * student.sf(abs(first - second) / error, 10))
    np.testing.assert_allclose([family.pvalue[i, j] for i, j in pairs], adjust(want, "holm").adjusted)


def test_significance_does_not_depend_on_the_number_of_splits(values):
    """Splits are no replicates: more of them change the mean a little, and no p value."""
    few, many = (studies.consistency(source(values), resampling=Resampling(n)) for n in (20, 5000))
    np.testing.assert_array_equal(few.families[0].pvalue, many.families[0].pvalue)
    by_splits = [
        studies.consistency(source(values), resampling={"splits": Resampling(n)}, test="splits")
        .families[0]
        .pvalue.min()
        for n in (4, 1000)
    ]
    assert by_splits[1] < by_splits[0]  # what is not done by default


@pytest.mark.slow
def test_significant_pairs_of_real_runs_do_not_depend_on_the_number_of_splits(data):
    folder = data / "dl19-passage"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        judged = rs.load(folder / "qrels.gz", sorted((folder / "runs").iterdir()), rel=2)
        found = [studies.metrics(judged, studies="consistency", resampling=Resampling(n)) for n in (20, 10_000)]
    few, many = ({(d.first, d.second) for d in one.differences} for one in found)
    assert few == many


def test_the_test_is_one_of_two(values):
    with pytest.raises(InputError, match="test is one of topics, splits"):
        studies.consistency(source(values), test="halves")


def test_all_metrics_have_the_same_splits(values):
    splits = Resampling(50)
    together = studies.consistency(source(values), resampling=splits)
    twice = studies.consistency(source({"sharp": 1 + 3 * values["sharp"], "dull": values["dull"]}), resampling=splits)
    np.testing.assert_array_equal(together.taus[:2], twice.taus)


def test_families(values):
    groups = {"sharp": "one", "dull": "two", "odd": "one"}
    found = studies.consistency(source(values), resampling=Resampling(50), families=groups)
    assert [family.candidates for family in found.families] == [("sharp", "odd"), ("dull",)]
    assert found.columns()["family"] == ["one", "one", "two"]
    assert found.to_frame("differences").height == 1
    assert "two: dull has a mean tau of" in found.summary()
    with pytest.raises(InputError, match="no family for odd"):
        studies.consistency(source(values), families={"sharp": "one", "dull": "two"})


def test_cut_at_ten_unless_told():
    rng = np.random.default_rng(1)
    qrels = {f"q{t}": {f"d{d}": int(rng.integers(0, 2)) for d in range(30)} | {"d0": 1} for t in range(6)}
    runs = {s: {q: {f"d{d}": float(x) for d, x in enumerate(rng.permutation(30))} for q in qrels} for s in "abc"}
    judged = rs.load(qrels, runs)
    few = {"resampling": Resampling(5)}
    assert studies.consistency(judged, ["AP", "P@3"], ["sgnLP"], **few).candidates == ("AP@10", "P@3", "sgnLP@10")
    assert studies.consistency(judged, ["AP"], depth=None, **few).candidates == ("AP",)


def test_halves_that_tie_all_systems():
    value = np.zeros((6, 3))
    value[0] = 1, 2, 3
    value[1] = 3, 1, 2
    whole = np.random.default_rng(2).random((6, 3))
    found = studies.consistency(source({"A": value, "B": whole}), resampling=Resampling(200))
    undefined = int(np.isnan(found.taus[0]).sum())
    assert 0 < undefined < 200
    assert found.undefined == undefined
    assert found.mean["B"] == pytest.approx(found.taus[1][~np.isnan(found.taus[0])].mean())
    assert f"{undefined} of 200 splits tie all systems" in found.summary()
    with pytest.raises(InputError, match="no split orders the systems by A, C"):
        studies.consistency(source({"A": np.ones((6, 3)), "C": np.ones((6, 3))}), resampling=Resampling(20))


def test_metrics_without_a_tau_leave_the_others_theirs():
    whole = np.random.default_rng(2).random((6, 3))
    found = studies.consistency(source({"A": np.ones((6, 3)), "B": whole}), resampling=Resampling(20))
    alone = studies.consistency(source({"B": whole}), resampling=Resampling(20))
    assert found.mean == alone.mean
    assert found.without == ("A",)
    assert "A ties all systems on a half of every split, so A has no tau." in found.summary()


def test_bad_input(values):
    with pytest.raises(InputError, match="3 topics: too few to split"):
        studies.consistency(source({name: value[:3] for name, value in values.items()}))
    with pytest.raises(InputError, match="alpha is between 0 and 1"):
        studies.consistency(source(values), alpha=5)


@pytest.mark.slow
def test_erg_is_first_or_second_among_aggregations(data):
    """Chen and Sakai's Table 3 has it so in all but one case; here in all, on passages instead of documents."""
    folder = data / "dl19-passage"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        judged = rs.load(folder / "qrels.gz", sorted((folder / "runs").iterdir()), depth=10)
    found = studies.consistency(judged, studies.cwla_grid())
    assert [family.name for family in found.families] == ["Precision", "DCG", "RBP", "INST", "AP", "ERR"]
    for family in found.families:
        better = [name for name in family.candidates if found.mean[name] > found.mean[f"{family.name}_ERG"] + 1e-12]
        assert len(better) <= 1, family.name
