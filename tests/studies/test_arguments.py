"""What studies refuse: arguments of the wrong kind, with cause and cure, all of them at once; one may stand alone."""

import pytest

import rankscope as rs
from rankscope.errors import InputError
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.studies import (
    Setting,
    agreement,
    consistency,
    discriminative_power,
    incompleteness,
    locality,
    material,
    metrics,
    removal,
    reproduce,
    scales,
    separability,
    similarity,
    ties,
)

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
ALPHA, LEVEL = "alpha is between 0 and 1", "level is between 0 and 1"
CHANCE, WORKERS = "is a Resampling", "workers is a whole number from 1"
FRACTIONS = "a fraction of the judgments or topics is above 0 and at most 1"


ONE = Resampling(1)


@pytest.fixture(scope="module")
def judged():
    qrels, runs = embedded()
    return rs.load(qrels, runs, keep_docs=True)


@pytest.mark.parametrize(
    ("study", "wrong", "cure"),
    [
        (metrics, {"alpha": "x"}, ALPHA),
        (metrics, {"resampling": 20}, CHANCE),
        (metrics, {"resampling": {"power": 20}}, "resampling['power'] is a Resampling"),
        (metrics, {"resampling": {"splits": Resampling(9)}}, "there are power, consistency, incompleteness, ties"),
        (metrics, {"resampling": Resampling(1 << 32)}, "resamples is a whole number from 1 to"),
        (metrics, {"depth": 2.5}, "depth is a whole number from 1"),
        (metrics, {"studies": 3}, "studies are scale"),
        (metrics, {"workers": 1.5}, WORKERS),
        (discriminative_power, {"alpha": "x"}, ALPHA),
        (discriminative_power, {"alpha": None}, ALPHA),
        (discriminative_power, {"resampling": 20}, CHANCE),
        (discriminative_power, {"workers": 1.5}, WORKERS),
        (discriminative_power, {"tests": 3}, "tests are randomised-hsd"),
        (consistency, {"alpha": "x"}, ALPHA),
        (consistency, {"resampling": 20}, CHANCE),
        (consistency, {"resampling": {"splits": 20}}, "resampling['splits'] is a Resampling"),
        (consistency, {"workers": 1.5}, WORKERS),
        (similarity, {"level": "a"}, LEVEL),
        (similarity, {"resampling": 20}, CHANCE),
        (similarity, {"workers": 1.5}, WORKERS),
        (incompleteness, {"fractions": "half"}, FRACTIONS),
        (incompleteness, {"fractions": None}, FRACTIONS),
        (incompleteness, {"fractions": ["x"]}, FRACTIONS),
        (incompleteness, {"sampling": "bogus"}, "ways of sampling are stratified, uniform"),
        (incompleteness, {"sampling": 3}, "ways of sampling are stratified, uniform"),
        (incompleteness, {"workers": 1.5}, WORKERS),
        (removal, {"fractions": 0}, FRACTIONS),
        (removal, {"workers": 1.5}, WORKERS),
        (ties, {"fractions": "half"}, FRACTIONS),
        (ties, {"fractions": 2}, FRACTIONS),
        (ties, {"n_levels": "x"}, "n_levels is a whole number from 1"),
        (ties, {"workers": 1.5}, WORKERS),
        (scales, {"alpha": "x"}, ALPHA),
        (scales, {"depth": None}, "depth is a whole number from 1"),
        (scales, {"workers": 1.5}, WORKERS),
        (agreement, {"alpha": "x"}, ALPHA),
        (agreement, {"depths": "x"}, "depth is a whole number from 1 to 100"),
        (agreement, {"tests": 3}, "tests are t, wilcoxon, sign"),
        (agreement, {"workers": 1.5}, WORKERS),
        (locality, {"workers": 1.5}, WORKERS),
        (material, {"workers": 1.5}, WORKERS),
    ],
    ids=lambda one: one.__name__ if callable(one) else str(one)[:40],
)
def test_of_the_wrong_kind(judged, study, wrong, cure):
    with pytest.raises(InputError) as refused:
        study(judged, ["AP", "RR"], **wrong)
    assert cure in str(refused.value)
    assert all(one.cure for one in refused.value.problems)


def test_all_at_once(judged):
    with pytest.raises(InputError) as refused:
        metrics(judged, measures=["AP"], studies=["powr", "ties"], alpha="x", resampling=20, depth=0, workers=1.5)
    assert len(refused.value.problems) == 5
    with pytest.raises(InputError) as refused:
        incompleteness(judged, ["AP"], sampling=["bogus", "uniform"], fractions=[2, 0.5, "x"], resampling=20, workers=0)
    assert len(refused.value.problems) == 5
    with pytest.raises(InputError) as refused:
        locality(judged, n_levels=1, targets=0, predictors=1.5)
    assert len(refused.value.problems) == 3


def test_a_reproduction_looks_at_all_of_its_setting(tmp_path):
    wrong = Setting(alpha="x", resampling={"samples": 20, "splits": 20, "permutations": 2}, workers=1.5)
    with pytest.raises(InputError) as refused:
        reproduce("ipso", tmp_path / "out", wrong)
    assert len(refused.value.problems) == 5
    assert not (tmp_path / "out").exists()


def test_what_can_be_read_only_once(judged):
    """An iterator stands for a sequence, though arguments are looked at before they are used."""
    assert agreement(judged, iter(["P"]), depths=iter([5]), tests=iter(["t"])).tests == ("t",)
    assert discriminative_power(judged, iter(["AP"]), tests=iter(["t"])).tests == ("t",)
    one = incompleteness(judged, iter(["AP"]), sampling=iter(["uniform"]), fractions=iter([0.5]), resampling=ONE)
    assert (one.sampling, one.fractions) == (("uniform",), (0.5,))
    assert removal(judged, iter(["AP"]), removed="topics", fractions=iter([0.5]), resampling=ONE).fractions == (0.5,)
    assert ties(judged, iter(["RR"]), fractions=iter([0.5]), resampling=ONE).fractions == (0.5,)
    found = metrics(judged, measures=iter(["AP"]), methods=[], studies=iter(["ties"]), resampling=Resampling(20))
    assert found.rows.keys() == {"candidate", "tied"}


def test_one_alone(judged):
    """A single number or name stands for a sequence of one."""
    one = incompleteness(judged, "AP", sampling="uniform", fractions=0.5, resampling=ONE)
    assert (one.sampling, one.fractions) == (("uniform",), (0.5,))
    assert removal(judged, removed="topics", fractions=0.5, resampling=ONE).fractions == (0.5,)
    assert ties(judged, "RR", fractions=0.5, resampling=ONE).fractions == (0.5,)
    assert ties(judged, "RR", "sgnLP").candidates == ("RR", "sgnLP")
    assert separability(judged, depths=10).depths == (10,)
    assert discriminative_power(judged, "AP", tests="t").tests == ("t",)
    assert metrics(judged, measures="AP", methods=[], studies="ties", resampling=Resampling(20)).rows.keys() == {
        "candidate",
        "tied",
    }
