"""Property buckets: the golden Table 3, tests against scipy, tables of one's own."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import f_oneway, tukey_hsd

from rankscope import InputError, universe
from rankscope.universe.two_measures.buckets import BUCKETS
from rankscope.universe.two_measures.disagreement import PAPER

OURS = {"SN-DCG": "SN_DCG", "SN-AP": "SN_AP", "Prec": "P", "NDCG": "nDCG", "Recall": "R", "RBP0.5": "RBP(p=0.5)",
        "RBP0.85": "RBP(p=0.85)", "RBP0.95": "RBP(p=0.95)"}  # fmt: skip
ENTRY = next(
    entry
    for entry in json.loads((Path(__file__).parents[2] / "golden" / "jones.json").read_text())["entries"]
    if entry["kind"] == "table3"
)


@pytest.fixture(scope="module")
def found():
    return universe.disagreement(PAPER, depth=ENTRY["inputs"]["k"], recall_base=ENTRY["inputs"]["R"])


@pytest.mark.parametrize("given", [True, False], ids=["table given", "table enumerated"])
def test_golden_table_3(found, given):
    table = {name: [OURS.get(m, m) for m in some] for name, some in ENTRY["inputs"]["properties"].items()}
    made = universe.buckets(found, table if given else None)
    assert len(made.properties) == len(ENTRY["expected"])
    for name, expected in ENTRY["expected"].items():
        ours = made[name if given else name.replace("_", "-")]
        for key, bucket in expected.items():
            assert ours.buckets[key.removesuffix("_prop")].pairs == bucket["pairs"]
            mean = ours.buckets[key.removesuffix("_prop")].mean
            assert mean == pytest.approx(bucket["mean_pct"], abs=ENTRY["tolerance"])


def test_tests_are_those_of_scipy(found):
    made = universe.buckets(found, {"convergent": ["DCG", "P", "AP", "RR"], "localised": ["DCG", "RR", "SP", "P", "R"]})
    first, second = np.triu_indices(13, 1)
    share = found.share[first, second]
    for one in made.properties:
        has = np.array([str(m) in one.holders for m in found.measures])
        number = has[first].astype(int) + has[second]
        groups = [share[number == n] for n in (2, 1, 0)]
        f, p = f_oneway(*groups)
        assert (one.f, one.pvalue) == pytest.approx((f, p), rel=1e-9)
        theirs = tukey_hsd(*groups)
        names = list(BUCKETS)
        for pair in one.tukey:
            i, j = names.index(pair.first), names.index(pair.second)
            assert pair.difference == pytest.approx(theirs.statistic[i, j])
            assert pair.pvalue == pytest.approx(theirs.pvalue[i, j], abs=1e-7)


def test_buckets_that_are_empty():
    few = universe.disagreement(["AP", "DCG", "RR"], depth=5)
    made = universe.buckets(few, {"all": ["AP", "DCG", "RR"], "none": [], "one": ["RR"]})
    assert made["all"].buckets["has"].pairs == 3
    assert math.isnan(made["all"].buckets["no"].mean)
    assert math.isnan(made["all"].f)
    assert made["none"].buckets["no"].pairs == 3
    assert [made["one"].buckets[key].pairs for key in BUCKETS] == [0, 2, 1]
    rows = {name: cells for name, *cells in made.table()[1]}
    assert rows["all"][2:] == ["-", "0", "-", "0", "-", "-", "-"]


def test_a_table_with_unknown_names(found):
    with pytest.raises(InputError) as caught:
        universe.buckets(found, {"nice": ["AP", "Nonsense"], "good": ["Rubbish"]})
    assert "property nice: " in str(caught.value)
    assert "property good: " in str(caught.value)


def test_shapes(found):
    made = universe.buckets(found, {"convergent": ["DCG", "AP"]})
    assert made.to_frame().height == 3
    assert made.to_dict()["properties"][0]["measures"] == ["DCG", "AP"]
    assert "convergent" in made.to_markdown()
    assert "convergent" in made.to_latex()
    assert "care" in str(made)


def test_properties_taken_together(found):
    """A measure has a combination that has all of it; the test is that of the same table given by hand."""
    table = {"a": ["DCG", "P", "AP", "RR"], "b": ["DCG", "P", "SP"], "c": ["RR", "AP"], "d": ["R", "RR"]}
    made = universe.buckets(found, table, combined=3)
    # a and b share DCG and P, a and c share RR and AP; no other two or three are shared by two measures
    assert [one.name for one in made.properties] == ["a", "b", "c", "d", "a + b", "a + c"]
    by_hand = universe.buckets(found, {"a + b": ["DCG", "P"], "a + c": ["RR", "AP"]})
    for name in ("a + b", "a + c"):
        assert made[name] == by_hand[name]
    assert made.caution.endswith("number of tests (6): take them with care")
    assert [one.name for one in universe.buckets(found, table).properties] == list("abcd")
    for wrong in (0, 5, 1.5, None):
        with pytest.raises(InputError, match="combined is a whole number from 1 to 4"):
            universe.buckets(found, table, combined=wrong)
