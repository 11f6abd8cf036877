"""The seven properties, against their definitions in plain loops and the golden table."""

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from rankscope import InputError, measure, universe
from rankscope.measures import MEASURES
from rankscope.measures.catalogue.interval import ON_MEANS
from rankscope.measures.explanations.explain import with_example_cutoff
from rankscope.measures.names import single_measure
from rankscope.universe.one_measure.properties import PROPERTIES
from rankscope.universe.one_measure.summary import columns, facts

OURS = {"SN-DCG": "SN_DCG", "SN-AP": "SN_AP", "Prec": "P", "NDCG": "nDCG", "Recall": "R", "RBP0.5": "RBP(p=0.5)",
        "RBP0.85": "RBP(p=0.85)", "RBP0.95": "RBP(p=0.95)", "HIT": "Success"}  # fmt: skip
GOLDEN = [
    entry
    for entry in json.loads((Path(__file__).parents[2] / "golden" / "jones.json").read_text())["entries"]
    if entry["kind"] == "seven_properties"
]


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["id"])
def test_golden_properties(entry):
    inputs, expected = entry["inputs"], entry["expected"]
    name = OURS.get(inputs["metric"], inputs["metric"])
    found = universe.properties(name, depth=inputs["max_k"], recall_base=inputs["max_R"])
    assert {f.name.replace("-", "_"): f.holds for f in found.findings} == expected["properties"]
    for key, case in expected["counterexamples"].items():
        ours = found[key.replace("_", "-")]
        assert not ours.holds
        if "before" in case:
            assert ours.rankings[0] == tuple(case["v"])  # the shortest there is, so both find it
            assert ours.scores == pytest.approx((case["before"], case["after"]), abs=entry["tolerance"])
        if "best" in case:
            assert ours.scores == pytest.approx((case["best"],), abs=entry["tolerance"])
        if "s1" in case:
            assert ours.recall_bases == (case["R1"], case["R2"])
            assert ours.scores == pytest.approx((case["s1"], case["s2"]), abs=entry["tolerance"])


def slow(name, k, most):
    """The definitions, one list at a time."""
    found = {}
    near = 1e-9

    def score(v, r):
        pool = [0] * len(v) + [1] * r
        return float(replace(single_measure(name).at_depth(len(v)), needs="nothing").score(v, pool))

    def topics():
        for length in range(1, k + 1):
            for r in range(1, most + 1):
                for v in itertools.product((0, 1), repeat=length):
                    if sum(v) <= r:
                        yield v, r

    found["bounded"] = all(-near <= score(v, r) <= 1 + near for v, r in topics())
    found["monotone"] = all(
        score((*v, x), r) >= score(v, r) - near for v, r in topics() for x in (0, 1) if len(v) < k and sum(v) + x <= r
    )
    found["convergent"] = all(
        score((*v[:i], 1, *v[i + 1 :]), r) > score(v, r) + near
        for v, r in topics() for i in range(len(v)) if not v[i] and sum(v) < r
    )  # fmt: skip
    found["top-weighted"] = all(
        score((*v[:i], 1, *v[i + 1 : j], 0, *v[j + 1 :]), r) > score(v, r) + near
        for v, r in topics() for i in range(len(v)) for j in range(i + 1, len(v)) if v[j] and not v[i]
    )  # fmt: skip
    found["localised"] = all(
        abs(score(v, r) - score(v, other)) <= near for v, r in topics() for other in range(r + 1, most + 1)
    )
    found["complete"] = all(math.isfinite(score((0,) * length, 0)) for length in range(1, k + 1))
    found["realisable"] = found["bounded"] and all(
        max(score(v, r) for v in itertools.product((0, 1), repeat=length) if sum(v) <= r) >= 1 - near
        for length in range(1, k + 1)
        for r in range(1, most + 1)
    )
    return found


@pytest.mark.parametrize("name", [name for name, m in MEASURES.items() if m.cutoff_rule != "recall"])
def test_against_the_definitions(name):
    found = universe.properties(name, depth=3, recall_base=4)
    assert {f.name: f.holds for f in found.findings} == slow(name, 3, 4)
    for finding in found.findings:
        assert bool(finding.words) != finding.holds


def test_counterexamples_can_be_read():
    found = universe.properties("P")
    assert found["monotone"].words == "1 scores 1, 10 scores 0.5 (R = 1)"
    assert found["realisable"].words == "with k = 2 and R = 1 no ranking scores above 0.5"
    assert universe.properties("AP")["localised"].words == "1 scores 1 with R = 1, 1 scores 0.5 with R = 2"
    assert universe.properties("nDCG")["complete"].words == "0 scores no number (R = 0)"
    assert universe.properties("DCG")["realisable"].words == "scores have no highest value"
    assert "holds up to k = 5, R = 8" in str(found)
    assert "no: 01 scores 0.5, 10 scores 0.5 (R = 1)" in str(found)
    assert found.to_frame().columns == ["property", "holds", "counterexample"]
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["properties"]["bounded"]["holds"]
    assert set(PROPERTIES) == {f.name for f in found.findings}


def test_a_cutoff_and_a_threshold_are_no_hindrance():
    plain = universe.properties("AP").holding
    assert universe.properties("AP@10").holding == plain
    assert universe.properties("AP(rel=3)").holding == plain
    assert universe.properties(measure("AP@7")).holding == plain


def test_a_measure_of_ones_own(own):
    @own
    def Worse(relevant):
        return 1.0 - relevant.mean(axis=-1)

    found = universe.properties("Worse")
    assert found.holding == ("bounded", "localised", "complete", "realisable")  # 00000 scores 1
    assert found["convergent"].words == "0 scores 1, 1 scores 0 (R = 1)"

    @own
    def Hole(relevant):
        return relevant.sum(axis=-1) / relevant.sum(axis=-1)

    assert universe.properties("Hole")["bounded"].words == "0 scores no number (R = 1)"
    assert universe.properties("Hole")["localised"].holds


@pytest.mark.parametrize(
    "given", [{"depth": 13}, {"depth": 0}, {"depth": 2.5}, {"recall_base": 101}, {"recall_base": True}]
)
def test_spoiled_input(given):
    with pytest.raises(InputError, match=r"is a whole number from 1 to (12|100)"):
        universe.properties("AP", **given)


def test_a_table_of_all_measures():
    for name, say in columns().items():
        for record in map(with_example_cutoff, MEASURES.values()):
            text = say(record)
            assert text in ("x", "") if name not in ("set", "rank", "ipso") else text != "-", (name, record)
    assert columns()["rank"](measure("RBP(p=0.5)")) == "ratio"
    assert columns()["real"](measure("RR")) == "x"


def test_what_explain_says():
    found = facts(measure("AP@100"))
    assert found["permits"].splitlines() == [
        "Some hold that the scale decides which statistics make sense. To them it permits:",
        "neither: the number of cases and the mode; not median, mean, t test",
        "strictly isotone: a better ranking never gets the lower or the same score; nothing about means",
        f"For compare and rank this means: {ON_MEANS}",
    ]
    assert "rank-based order: neither, since 00100 (0.0666667) is above 00011 (0.13) but scores lower" in found["scale"]
    assert "Against it: Sakai (2020), Moffat (2022)." in found["scale"]
    assert found["properties"].startswith("up to k = 5 and R = 8: bounded, monotone, convergent, top-weighted\n")


def test_explain_survives_a_measure_without_scores(own):
    @own
    def Nothing(relevant):
        return relevant.sum(axis=-1) * float("nan")

    assert "scale" not in facts(measure("Nothing"))
    assert columns()["set"](measure("Nothing")) == "-"
