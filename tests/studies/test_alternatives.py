"""Metrics that could replace the canonical one, from the three studies that speak of it."""

from dataclasses import replace

import numpy as np
import pytest

import rankscope as rs
from rankscope.errors import InputError
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.studies import alternatives, consistency, discriminative_power, material, similarity
from rankscope.studies.alternatives import Alternative

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
GRID = {
    "RBP_ERG": "RBP(p=0.8)@10",
    "RBP_half": "RBP(p=0.5)@10",
    "P": "P@10",
    "RR": "RR@10",
}


@pytest.fixture(scope="module")
def found():
    qrels, runs = embedded()
    given = material(rs.load(qrels, runs), GRID)
    resampling = Resampling(200, 4)
    return (
        similarity(given),
        consistency(given, resampling=resampling),
        discriminative_power(given, resampling=resampling, tests=["t", "randomised-hsd"]),
    )


def test_every_row_is_what_the_studies_say(found):
    alike, consistent, power = found
    got = alternatives(*found, canonical="RBP_ERG", similar=0.5)
    assert {one.measure for one in got.rows} == {"RBP_half", "P", "RR"}
    told = power.asl("RBP_ERG", "t") < 0.05
    for one in got.rows:
        assert one.tau == alike.of("RBP_ERG", one.measure)["tau"]
        assert one.consistency == pytest.approx(consistent.mean[one.measure] - consistent.mean["RBP_ERG"])
        here = power.asl(one.measure, "t") < 0.05
        assert one.gained - one.lost == np.count_nonzero(here) - np.count_nonzero(told)
        rows = consistent.show("differences").rows()
        (p,) = [r["pvalue"] for r in rows if {r["first"], r["second"]} == {"RBP_ERG", one.measure}]
        assert one.pvalue == p
    assert got.better == tuple(one for one in got.rows if one.improves(0.5, 0.05))
    strict = alternatives(*found, canonical="RBP_ERG", similar=1.0)
    assert {*strict.better} <= {*got.better}


def test_what_improves_means():
    def one(**given):
        usual = {"tau": 0.95, "consistency": 0.01, "pvalue": 0.01, "gained": 3, "lost": 1}
        return Alternative(family="", canonical="a", measure="b", **{**usual, **given}).improves(0.9, 0.05)

    assert one() == ("consistency", "discriminative power")
    assert one(tau=0.89) == ()
    assert one(tau=float("nan")) == ()
    assert one(pvalue=0.05) == ("discriminative power",)
    assert one(consistency=-0.01, gained=1) == ()


def test_families_of_their_own(found):
    alike, _, power = found
    qrels, runs = embedded()
    resampling = Resampling(50, 4)
    families = {"RBP_ERG": "RBP", "RBP_half": "RBP", "P": "other", "RR": "other"}
    split = consistency(rs.load(qrels, runs), GRID, resampling=resampling, families=families)
    got = alternatives(alike, split, power)  # only RBP has a canonical metric that is known
    assert [(one.family, one.canonical, one.measure) for one in got.rows] == [("RBP", "RBP_ERG", "RBP_half")]
    both = alternatives(alike, split, power, canonical={"RBP": "RBP_half", "other": "P"}, test="randomised-hsd")
    assert [one.measure for one in both.rows] == ["RBP_ERG", "RR"]
    assert "randomised-hsd" in str(both)


def test_bad_input(found):
    with pytest.raises(InputError, match="no canonical metric"):
        alternatives(*found)
    with pytest.raises(InputError, match="AP is not among"):
        alternatives(*found, canonical="AP")
    with pytest.raises(InputError, match="no family 'x'"):
        alternatives(*found, canonical={"x": "P"})
    with pytest.raises(InputError, match="similar"):
        alternatives(*found, canonical="P", similar=2)


def test_results_show_themselves(found):
    got = alternatives(*found, canonical="RR", similar=-1)
    assert got.to_frame().height == 3
    assert got.to_dict()["study"] == "alternatives"
    some = alternatives(*found, canonical="RBP_ERG", similar=1)
    assert some.summary().startswith("P ranks systems like RBP_ERG (tau 1.000) and is better in discriminative power: ")
    assert some.not_compared == ()
    none = alternatives(*found, canonical="RR", similar=1)
    assert none.summary() == "No metric that ranks systems like the canonical one is better in consistency or power."


def test_what_not_all_studies_have_is_left_out_aloud(found):
    alike, consistent, power = found
    cut = replace(alike, candidates=tuple(name.replace("RR", "RR@10") for name in alike.candidates))
    got = alternatives(cut, consistent, power, canonical="RBP_ERG", similar=1)
    assert {one.measure for one in got.rows} == {"RBP_half", "P"}
    assert got.not_compared == ("RR@10", "RR")
    assert got.summary().endswith("\nLeft out, since not in all three studies: RR@10, RR.")
    assert "left out, since not in all three studies: RR@10 and RR" in got.plot().caption
    alone = replace(got, rows=())
    with pytest.raises(InputError, match="no metric but the canonical one"):
        alone.plot()
