"""Measures in words and numbers, signatures read back, differences told."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope import InputError, evaluate, load, measure, measures, register
from rankscope.judged import Judged, Rules
from rankscope.measures import MEASURES, MeasureInputs, aliases
from rankscope.measures.explanations.bibliography import cited, entries
from rankscope.measures.explanations.contrast import difference
from rankscope.measures.explanations.explain import explain, overview
from rankscope.measures.explanations.other_tools import swapped
from rankscope.measures.explanations.signatures import UNKNOWN, read_signature
from rankscope.measures.explanations.variants import VARIANTS
from rankscope.simulation import embedded
from rankscope.version import __version__

quiet = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")

GRADED = {"1": {"a": 2, "b": 0, "c": 1, "d": 1}}
SLOTS = {"k": "7", "ks": "5", "xs": "0.1", "p": "0.7", "d": "70"}
ALIASES = [a.spelling.replace("[", "").replace("]", "").format_map(SLOTS) for a in aliases.ALIASES]
LIST = {"x": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "e": 1.0}}}


@pytest.fixture(scope="module")
def collection():
    return load(*embedded())


def by_hand(name, qrels=GRADED, runs=LIST):
    """{what: mean} of the readings on a small collection."""
    (found,) = explain(name, load(qrels, runs))
    return {r.what: r.mean for r in found.readings}


@pytest.mark.parametrize("name", [*MEASURES, *dict.fromkeys(ALIASES)])
def test_every_name_is_explained(name, collection):
    for found in explain(name, collection):
        text = " ".join(found.to_text("full").split())
        assert " ".join(found.measure.formula.split()) in text
        assert cited(found.measure.reference).split(",")[0] in text
        assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["measure"] == str(found.measure)
        asked = [r for r in found.readings if r.requested]
        assert [r.call for r in asked] == [str(found.measure)]
        assert math.isfinite(asked[0].mean)
        assert asked[0].swapped == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_calls_give_their_numbers(name, collection):
    lists = MeasureInputs(collection.code, collection.grades, collection.available)
    for text in (name, f"{name}@3") if MEASURES[name].cutoff_rule == "optional" else (name,):
        (found,) = explain(text, collection)
        calls = {r.call: r.mean for r in found.readings if r.call and r.call != "undefined=zero"}
        assert calls
        for call, mean in calls.items():
            assert mean == pytest.approx(np.nanmean(measure(call).compute(lists)), abs=1e-12)


def test_ap_by_hand():
    # relevant at 1 and 3 of the first three, R = 3
    found = by_hand("AP@2")
    assert found["over all R relevant documents"] == pytest.approx(1 / 3)
    assert found["over min(R, k)"] == pytest.approx(1 / 2)
    assert found["over the relevant documents found"] == pytest.approx(1)
    assert found["not cut at all"] == pytest.approx((1 + 2 / 3) / 3)


def test_ndcg_by_hand():
    found = by_hand("nDCG@3")
    third = 1 / math.log2(4)
    best = 2 + 1 / math.log2(3) + third
    assert found["gain is the grade"] == pytest.approx((2 + third) / best)
    assert found["gain is 2^grade - 1"] == pytest.approx((3 + third) / (3 + 1 / math.log2(3) + third))
    assert found["discount max(1, log2 i)"] == pytest.approx((2 + 1 / math.log2(3)) / (2 + 1 + 1 / math.log2(3)))
    assert found["every relevant document gains 1"] == pytest.approx((1 + third) / (1 + 1 / math.log2(3) + third))
    assert found["ideal list from what was retrieved"] == pytest.approx((2 + third) / (2 + 1 / math.log2(3)))
    assert found["over k documents of full gain"] == pytest.approx((1 + third / 2) / (1 + 1 / math.log2(3) + third))


def test_rbp_by_hand():
    found = by_hand("RBP(p=0.5)")
    assert found["p = 0.5"] == pytest.approx((1 + 1 / 4) / 2)
    assert found["p = 0.8"] == pytest.approx((1 + 0.8**2) / 5)
    assert found["gain is the grade, so above 1 at times"] == pytest.approx((2 + 1 / 4) / 2)
    assert found["gain as given, here grade / largest grade"] == pytest.approx((1 + 1 / 8) / 2)


def test_recall_by_hand():
    for name in ("R@2", "R_cap@2", "Success@2"):
        assert by_hand(name) == {
            "share of all R relevant documents": pytest.approx(1 / 3),
            "share of min(R, k)": pytest.approx(1 / 2),
            "1 where any relevant document is found": 1.0,
        }


def test_shorter_lists_by_hand():
    assert by_hand("P@8") == {
        "over k, however short the list": 2 / 8,
        "over the length of the list, where shorter than k": 2 / 4,
    }
    found = by_hand("Judged@8")
    assert found["over the length of the list"] == 3 / 4
    assert found["over k, negative grades not judged, ranks past the end judged"] == 7 / 8
    assert math.isnan(found["all topics pooled"])


def test_residuals_by_hand():
    # the fourth document is not judged
    found = by_hand("RBPResidual(p=0.5)")
    assert found["unjudged weight and the tail p^n"] == 1 / 16 + 1 / 16
    assert found["tail p^1000, however short the list"] == 1 / 16
    full = by_hand("RBPResidual(p=0.5)", runs={"x": {"1": {"a": 1.0}}})
    assert full["unjudged weight and the tail p^n"] == 1 / 2
    assert full["0 where all retrieved documents are judged"] == 0


def test_q_by_hand():
    # k = 2: one relevant, blended ratio (1 + 2) / (1 + 2)
    found = by_hand("Q@2")
    assert found["over all R relevant documents"] == pytest.approx(1 / 3)
    assert found["over min(R, k)"] == pytest.approx(1 / 2)


@quiet
def test_rules_that_change_the_number():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0}, "3": {"a": 1}, "4": {"a": 1}}
    runs = {"x": {"1": {"a": 1.0, "b": 1.0}, "4": {"a": 1.0}}, "y": {"1": {"b": 1.0}, "3": {"a": 1.0}}}
    judged = load(qrels, runs)
    best = load(qrels, runs, ties="best")
    (found,) = explain("nDCG@1", judged, lambda: {("ties", "best"): best, ("ties", "file"): judged})
    means = {r.call or r.what: r.mean for r in found.readings if not r.requested}
    # x: 0, undefined, 0 (missing), 1; y: 0, undefined, 1, 0 (missing)
    assert means["undefined=zero"] == pytest.approx(1 / 4)
    assert means["topics without relevant documents count 1"] == pytest.approx(2 / 4)
    assert means["missing=drop"] == pytest.approx(1 / 2)
    assert means["ties=best"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert "ties=file" not in means


@quiet
def test_the_short_layer_reads_no_collection_again_where_it_shows_no_rule():
    def never() -> dict[tuple[str, str], Judged]:
        raise AssertionError

    lists = load(*embedded())
    (short,) = explain("nDCG@10", lists, never, short=True)
    (full,) = explain("nDCG@10", lists)
    assert str(short) == str(full)
    with pytest.raises(AssertionError):  # fewer readings than the layer has room for
        explain("RR", lists, never, short=True)


@quiet
def test_other_parameters_are_kept():
    found = explain("AP(rel=2)@5", load(*embedded()))[0]
    assert [r.call for r in found.readings if r.call and not r.call.startswith(("undef", "ties"))] == [
        "AP(rel=2)@5",
        "SN_AP(rel=2)@5",
        "AP(rel=2)",
    ]
    found = explain("nDCG(gains={1:0})@5", load(*embedded()))[0]
    assert 'nDCG(gains={1:0},dcg="exp-log2")@5' in [r.call for r in found.readings]


def test_a_threshold_of_the_collection():
    (found,) = explain("AP", load(GRADED, LIST, rel=2))
    assert str(found.measure) == "AP(rel=2)"
    (found,) = explain("nDCG@2", load(GRADED, LIST, rel=2))
    assert {r.what: r.mean for r in found.readings}["every relevant document gains 1"] == 1.0


def test_readings_that_a_collection_cannot_have():
    found = by_hand("ERR", qrels={"1": {"a": 5, "b": 0, "c": 1, "d": 1}})
    assert "largest grade is 4" not in found
    with pytest.raises(InputError, match="above max_rel"):
        by_hand("ERR(max_rel=1)")


def test_a_measure_of_ones_own_is_explained():
    @register
    def Plain(gain, *, head: int = 2):
        return gain.sum(axis=-1)

    try:
        (found,) = explain("Plain(head=3)", load(GRADED, LIST))
        assert "head=3 (else 2)" in found.to_text("full")
        assert found.facts["range"] == "any"
        assert "Plain" in str(overview())
    finally:
        del MEASURES["Plain"]


def test_notebooks_show_it():
    (found,) = explain("AP", load(GRADED, LIST))
    assert found._repr_html_().startswith("<pre>AP\n")


def test_overview_has_every_measure():
    rows = overview().to_dict()["measures"]
    assert [row["measure"].split("@")[0] for row in rows] == list(MEASURES)
    assert {row["measure"]: row["trec_eval"] for row in rows}["Rprec"] == "Rprec"
    assert all(row["in words"] for row in rows)


def test_the_bibliography_is_plain_text():
    text = (Path(measures.__file__).parent / "references.bib").read_text(encoding="utf-8")
    assert list(entries()) == re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)  # no entry swallows the next
    for key, entry in entries().items():
        assert {"author", "title", "year"} <= set(entry), key
        assert not re.search(r"[{}\\]", " ".join(entry.values())), key
    assert cited("jarvelin2002cumulated").startswith("Järvelin and Kekäläinen (2002), Cumulated Gain-Based Evaluation")
    assert cited("chapelle2009err").startswith("Chapelle, Metzler, Zhang and Grinspan (2009)")
    assert cited("vanrijsbergen1979").startswith("van Rijsbergen (1979)")
    assert cited("nobody1900") == "nobody1900"


def test_pairs_in_another_order():
    assert swapped(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])) == 3
    assert swapped(np.array([1.0, 2.0, 2.0]), np.array([1.0, 3.0, 2.0])) == 0


# signatures

rules = st.builds(
    Rules,
    ties=st.sampled_from(["trec", "rank", "file", "best", "worst"]),
    score_dtype=st.sampled_from(["float64", "float32"]),
    depth=st.none() | st.integers(1, 10**9),
    missing=st.sampled_from(["zero", "drop"]),
    undefined=st.sampled_from(["zero", "drop"]),
    duplicates=st.sampled_from(["error", "first"]),
)
some = st.sampled_from(
    [
        "AP", "AP(rel=2)@5", "nDCG@10", 'nDCG(dcg="exp-log2")', "nDCG(gains={1:0,2:1.5})@3", "RBP(p=0.5)",
        'RBP(gain="linear",gains={1:0.5})', 'ERR(gain="linear",max_rel=7)', "ERR(gains={2:1})@3", "ERR", "Q", "Bpref",
        "IPrec@0.5", "Judged@2", "NumRet", "AP(rel=0.5)",
    ]
)  # fmt: skip


@quiet
@settings(max_examples=200)
@given(rules, some, st.sampled_from(["arithmetic", "geometric"]))
def test_signatures_are_read_back(rules, name, how):
    qrels = {"1": {"a": 2, "b": 0}, "2": {"c": 0}, "3": {"a": 1}}
    runs = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}, "y": {"3": {"a": 1.0}}}
    scores = evaluate(replace(load(qrels, runs), rules=rules), name)
    (signature,) = scores.mean(how).signatures
    found = read_signature(signature)
    assert "|".join(part for part, _ in found.parts) == signature
    assert UNKNOWN not in [meaning for _, meaning in found.parts]
    assert found.measure == measure(name)
    assert found.rules == rules
    assert found.geometric == (how == "geometric")
    assert ("--mean geometric" in found.again) == found.geometric


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("gain:linear", "gain is the grade"),
        ("gain:linear/3", "gain is grade / 3"),
        ("gain:exp/4", "gain is (2^grade - 1) / 2^4"),
        (
            "gain:exponential+map",
            "gain is 2^grade - 1, grades first mapped by gains=, those that it does not name as they are",
        ),
        ("rel:2", "relevant are grades from 2"),
        ("rel:0.5", "relevant are grades from 0.5"),
        ("n:49", "means over 49 topics"),
        ("n:1-3", "means over 1 to 3 topics, by system"),
        (f"rankscope:{__version__}", f"made by rankscope {__version__}"),
        ("rankscope:0.0.1", f"made by rankscope 0.0.1; this is {__version__}"),
        ("gain:cubic", UNKNOWN),
        ("gain:linear/x", UNKNOWN),
        ("gain:linear+x", UNKNOWN),
        ("ties:coin", UNKNOWN),
        ("depth:0", UNKNOWN),
        ("n:many", UNKNOWN),
        ("frob:1", UNKNOWN),
        ("frob", UNKNOWN),
    ],
)
def test_parts_in_words(part, words):
    found = read_signature(f"nDCG@10|{part}")
    assert found.parts[1] == (part, words)
    assert found.rules == Rules()


def test_what_the_command_line_prints_is_read_too():
    found = read_signature(" all: ties:worst|depth:7|undefined:0 ")
    assert found.measure is None
    assert found.rules == Rules(ties="worst", depth=7, undefined="zero")
    assert found.again == "rankscope evaluate QRELS RUN... --ties worst --depth 7 --undefined zero"
    assert "only the first 7 documents" in str(found)
    assert read_signature('RBP(gain="linear")|gain:linear/3').again.endswith("""-m 'RBP(gain="linear")'""")


@pytest.mark.parametrize("text", ["", "frob", "|||", "nDGC@10|frob:1", "ndcg_cut"])
def test_what_is_no_signature(text):
    with pytest.raises(InputError, match="is no signature"):
        read_signature(text)


# differences


@quiet
def test_why_two_numbers_differ(collection):
    found = difference("nDCG@10", "ndcg_burges@10", collection)
    assert [str(m) for m in found.measures] == ["nDCG@10", 'nDCG(dcg="exp-log2")@10']
    assert found.reasons[:2] == ("nDCG@10: gain is the grade", 'nDCG(dcg="exp-log2")@10: gain is 2^grade - 1')
    assert found.reasons[2].startswith("ranx")
    scores = evaluate(collection, ["nDCG@10", 'nDCG(dcg="exp-log2")@10'])
    for s, contrast in enumerate(found.contrasts):
        one, other = scores.value[:, s]
        gap = np.abs(one - other)
        assert contrast.system == collection.systems[s]
        assert contrast.means == pytest.approx((np.nanmean(one), np.nanmean(other)))
        assert contrast.differ == np.count_nonzero(gap > 1e-12)
        at = collection.topics.index(contrast.most)
        assert gap[at] == np.nanmax(gap)
        assert contrast.values == (one[at], other[at])
    json.dumps(found.to_dict(), allow_nan=False)
    assert found._repr_html_().startswith("<pre>- nDCG@10: gain")


@quiet
@pytest.mark.parametrize(
    ("one", "other", "reasons"),
    [
        ("AP", "map", ["both are AP here"]),
        ("AP", "AP@10", ["AP counts the whole list and AP@10 counts the first 10"]),
        ("RBP", "rbp", ["p=0.8 against p=0.9: chance to go on"]),
        ("AP", "AP(rel=2)", ["AP: relevant are grades from 1", "AP(rel=2): relevant are grades from 2"]),
        ("ERR", "ERR(max_rel=4)", ["ERR: gain is (2^grade - 1) / 2^3", "ERR(max_rel=4): gain is (2^grade - 1) / 2^4"]),
        ("nDCG", "nDCG(base=2)", ["base=None against base=2: with base b the discount"]),
        ("nDCG(gains={1:0})", "nDCG(gains={1:2})", ["gains={1:0} against gains={1:2}: gains by grade"]),
        ("Q", "Q(beta=2)", ["beta=1 against beta=2: how much gain counts"]),
        ("R@10", "R_cap@10", ["R: Wants every relevant document and", "R_cap: Wants every relevant document that"]),
        ("P", "RR", ["P: Reads exactly", "RR: Needs one", "P@10 counts the first 10 and RR counts the whole list"]),
    ],
)  # fmt: skip
def test_reasons(collection, one, other, reasons):
    found = difference(one, other, collection).reasons
    assert len(found) >= len(reasons)
    for said, expected in zip(found, reasons, strict=False):
        assert said.startswith(expected)


@quiet
def test_topics_that_only_one_measure_scores():
    judged = load({"1": {"a": 1}, "2": {"a": 2}}, {"x": {"1": {"a": 1.0}, "2": {"a": 1.0}}})
    found = difference("AP", "AP(rel=2)", judged)
    assert found.contrasts[0].differ == 1
    assert found.contrasts[0].most == ""
    assert "1 of 2" in str(found)
    assert found.to_dict()["systems"][0]["values"] == [None, None]


def test_one_is_compared_with_one(collection):
    with pytest.raises(InputError, match="names 2 measures"):
        difference("P@[5,10]", "AP", collection)
