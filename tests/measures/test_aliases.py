"""Other tools' names: what they become, what is said about them, what is refused."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope import DataWarning, InputError, evaluate, load, measure, register
from rankscope.measures import MEASURES, aliases, parse
from rankscope.measures.names import resolve

EXAMPLES = {"k": "7", "ks": "5,10", "xs": "0.1,1.00", "p": "0.7", "d": "70"}


def names(text):
    return [str(found.measure) for found in resolve(text)]


def remark(text):
    (said,) = {found.remark for found in resolve(text)}
    return said


def example(spelling):
    """A spelling of the table as a user would type it, optional parts included."""
    return spelling.replace("[", "").replace("]", "").format_map(EXAMPLES)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        # trec_eval
        ("map", "AP"), ("map_cut_100", "AP@100"), ("map_cut.100", "AP@100"), ("map_cut.5,10", "AP@5 AP@10"),
        ("ndcg", "nDCG"), ("ndcg_cut_10", "nDCG@10"), ("ndcg_cut.10", "nDCG@10"),
        ("ndcg_cut.10,20", "nDCG@10 nDCG@20"), ("recip_rank", "RR"), ("P_10", "P@10"), ("P.10", "P@10"),
        ("P.5,10", "P@5 P@10"), ("P_05", "P@5"), ("recall_100", "R@100"), ("Rprec", "Rprec"), ("bpref", "Bpref"),
        ("infAP", "infAP"), ("success_5", "Success@5"), ("success", "Success@1 Success@5 Success@10"),
        ("set_P", "SetP"), ("set_recall", "SetR"), ("set_F", "SetF"), ("num_ret", "NumRet"),
        ("num_rel", "NumRel"), ("num_rel_ret", "NumRelRet"), ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall.0.1,.5,1.00", "IPrec@0.1 IPrec@0.5 IPrec@1.0"), ("rbp", "RBP(p=0.9)"),
        ("rbp.p=0.5", "RBP(p=0.5)"), ("rbp_resid", "RBPResidual(p=0.9)"),
        # ranx
        ("ndcg@10", "nDCG@10"), ("ndcg_burges@10", 'nDCG(dcg="exp-log2")@10'), ("dcg@10", "DCG@10"),
        ("dcg_burges", 'DCG(dcg="exp-log2")'), ("map@100-l2", "AP(rel=2)@100"), ("map-l2", "AP(rel=2)"),
        ("mrr@10", "RR@10"), ("precision@5", "P@5"), ("precision", "SetP"), ("recall@100", "R@100"),
        ("recall@10-l3", "R(rel=3)@10"), ("hit_rate@5", "Success@5"), ("hits@5", "NumRelRet@5"), ("f1@5", "F@5"),
        ("f1", "SetF"), ("r-precision", "Rprec"), ("bpref-l2", "Bpref(rel=2)"), ("rbp.80", "RBP(p=0.8)"),
        ("rbp.5", "RBP(p=0.5)"), ("rbp.80-l2", "RBP(p=0.8,rel=2)"), ("ndcg@10-l1", "nDCG@10"),
        ("ndcg@10-l3", "nDCG(gains={1:0,2:0})@10"), ("map-l0", "AP(rel=0)"), ("ndcg-l0", "nDCG"),
        ("ndcg_burges@10-l2", 'nDCG(dcg="exp-log2",gains={1:0})@10'),
        # MTEB, recommenders, pyserini, cwl-eval
        ("ndcg_at_10", "nDCG@10"), ("map_at_100", "AP@100"), ("mrr_at_10", "RR@10"), ("recall_at_100", "R@100"),
        ("precision_at_10", "P@10"), ("hit_rate_at_5", "Success@5"), ("judged.10", "Judged@10"),
        ("judged_10", "Judged@10"), ("judged.10,100", "Judged@10 Judged@100"), ("NDCG-k@10", "nDCG@10"),
        # as people say
        ("MAP", "AP"), ("MAP@100", "AP@100"), ("MRR", "RR"), ("MRR@10", "RR@10"), ("NDCG@10", "nDCG@10"),
        ("Recall@100", "R@100"), ("Precision@10", "P@10"), ("Hit@5", "Success@5"), ("HIT@5", "Success@5"),
        ("HR@5", "Success@5"), ("F1@5", "F@5"), ("nDCG_10", "nDCG@10"), ("AP.5,10", "AP@5 AP@10"),
        ("RR_at_10", "RR@10"), ("R_cap_10", "R_cap@10"), ("f1_at_5", "F@5"),
        # letters in another case, parameters, several cutoffs
        ("ap@10", "AP@10"), ("rprec", "Rprec"), ("BPref", "Bpref"), ("judged@5", "Judged@5"), ("Map", "AP"),
        ("RECALL@5", "R@5"), ("rbp(p=0.5)", "RBP(p=0.5)"), (" map ", "AP"), ("MAP(rel=2)@5", "AP(rel=2)@5"),
        ("HIT(rel=2)@[5,10]", "Success(rel=2)@5 Success(rel=2)@10"), ("map@[5,10]", "AP@5 AP@10"),
        ('ndcg(dcg="exp-log2")@5', 'nDCG(dcg="exp-log2")@5'),
    ],
)  # fmt: skip
def test_what_they_become(text, ours):
    assert names(text) == ours.split()


@pytest.mark.parametrize("alias", aliases.ALIASES, ids=lambda a: f"{a.tool}: {a.spelling}")
def test_every_row_leads_home(alias):
    # names that trec_eval and ranx share are trec_eval's unless a threshold of ranx follows
    found = resolve(example(alias.spelling) + "-l1" * (alias.tool == "ranx"))
    assert {one.measure.name for one in found} == {aliases.home(alias)}
    assert aliases.home(alias) in MEASURES
    assert {one.remark for one in found} == {alias.remark}


@pytest.mark.parametrize("row", aliases.REFUSED, ids=lambda r: r.spelling)
def test_every_refusal_has_a_cure(row):
    with pytest.raises(InputError) as error:
        resolve(example(row.spelling))
    (problem,) = error.value.problems
    assert problem.cause == row.cause
    assert problem.cure == row.cure != ""


@pytest.mark.parametrize("name", MEASURES)
def test_names_that_we_print_for_trec_eval_are_read_back(name):
    plain, cut = MEASURES[name].trec
    for text in (plain, cut and cut.format(0.25 if name == "IPrec" else 25)):
        if text:
            (found,) = resolve(text)
            assert found.measure.name == name
            assert found.measure.trec_name == text
            assert found.remark == ""


@pytest.mark.parametrize(
    "text",
    ["map", "ndcg_cut_10", "bpref", "P.5,10", "MAP@100", "MRR@10", "Recall@100", "HIT@5", "recall_at_5", "ap", "AP_10"],
)
def test_pure_spelling_is_silent(text):
    assert remark(text) == ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse([text])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ndcg@10", "keeps the last of duplicates"),
        ("ndcg@10", "orders ties by input"),
        ("rbp.80", "raw grades"),
        ("hits@10", "averages hits"),
        ("bpref-l2", "negative grades"),
        ("ndcg@10-l3", "trec_eval's -l leaves nDCG alone"),
        ("NDCG@10", "cwl-eval"),
        ("NDCG-k@10", "cwl-eval"),
        ("ndcg_at_10", "gain 1 by default"),
        ("map_at_10", "min(R, k)"),
        ("mrr_at_10", "by input order before 2026"),
        ("judged.10", "pools all topics"),
        ("rbp", "p = 0.9"),
        ("rbp_resid", "prints 0"),
    ],
)
def test_where_the_meaning_may_differ(text, said):
    assert said in remark(text)
    with pytest.warns(DataWarning) as told:
        parse([text])
    assert said in str(told[0].message)


def test_said_once_a_call():
    with pytest.warns(DataWarning) as told:
        parse(["ndcg@10", "map@100", "ndcg@10", "AP", "ndcg_at_5"])
    assert len(told) == 1
    first, second = str(told[0].message).splitlines()
    assert first.startswith("ndcg@10 is nDCG@10 here, map@100 is AP@100 here: ranx")
    assert second.startswith("ndcg_at_5 is nDCG@5 here: recommenders'")


def test_scores_carry_our_name():
    judged = load({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}})
    assert evaluate(judged, ["map", "P_10"]).mean().to_dict() == {"x": {"AP": 1.0, "P@10": 0.1}}


def test_hits_in_capitals_could_be_either():
    with pytest.raises(InputError, match="NumRelRet@10 or Success@10"):
        resolve("HITS@10")


def test_one_name_for_nine_measures():
    assert len(parse(["ndcg_cut"])) == 9
    with pytest.raises(InputError, match="ndcg_cut names 9 measures"):
        measure("ndcg_cut")


@pytest.mark.parametrize(
    ("text", "cause", "cure"),
    [
        ("mapp", "no measure is named 'mapp'", "did you mean AP?"),
        ("recip_rnk", "no measure is named 'recip_rnk'", "did you mean RR"),
        ("ndcg_cutt_10", "no measure is named 'ndcg_cutt'", "did you mean nDCG@10?"),
        ("frobnicate", "no measure is named 'frobnicate'", "known are AP, nDCG"),
        ("P_0", "cutoff of P=0", ""),
        ("hit_rate", "Success needs a cutoff", "write Success@10"),
        ("bpref@10", "Bpref takes no cutoff", "write Bpref without @10"),
        ("map_cut_10-l2", "is no measure", "measures are written like"),
        ("rbp.0", "expected a number between 0 and 1", ""),
        ("MAP(level=2)", "AP has no parameter 'level'", "AP takes rel"),
    ],
)
def test_what_cannot_be_meant(text, cause, cure):
    with pytest.raises(InputError) as error:
        parse([text])
    assert cause in error.value.problems[0].cause
    assert cure in error.value.problems[0].cure


def test_a_measure_of_ones_own_goes_first():
    @register(name="map")
    @register(name="ap")
    def mine(relevant):
        return relevant.sum(axis=-1) * 1.0

    try:
        assert names("AP@5") == ["AP@5"]
        assert names("ap@5") == ["ap@5"]
        assert names("map") == ["map"]
        assert names("map@10") == ["map@10"]
        assert names("MAP") == ["AP"]
    finally:
        del MEASURES["map"], MEASURES["ap"]


@given(st.integers(1, 10**6), st.sampled_from(["ndcg_cut_{}", "ndcg_cut.{}", "NDCG@{}", "ndcg_at_{}", "nDCG.{}"]))
def test_any_cutoff(k, spelling):
    assert names(spelling.format(k)) == [f"nDCG@{k}"]


SPELLINGS = [
    "map",
    "ndcg_cut.5,10",
    "P@5",
    "RBP(p=0.8)@10",
    'nDCG(gain="linear")@10',
    "Interval(AP@5)",
    "RR@1",
    "set_F",
]
misspelt = st.builds(
    lambda name, at, letters, cut: name[:at] + letters + name[at + cut :],
    st.sampled_from(SPELLINGS), st.integers(0, 22), st.text("mapdcgF_@.l0159,(=)", max_size=2), st.integers(0, 2),
)  # fmt: skip


@settings(max_examples=200)
@given(st.text(max_size=20) | st.text("mapndcg_@.-l0123456789,[](=)", max_size=20) | misspelt)
def test_any_text_is_a_measure_or_an_error(text):
    try:
        measures = [one for one, _ in resolve(text)]
    except InputError:
        return
    assert measures
    for one in measures:
        assert not one.complete or measure(str(one)) == one
