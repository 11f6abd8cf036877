"""Names go there and back; what cannot be meant is said at once."""

import pytest

from rankscope import InputError, measure
from rankscope.measures import AP, MEASURES, RBP, nDCG, parse


@pytest.mark.parametrize(
    "text",
    [
        "AP", "AP@100", "AP(rel=2)@100", 'nDCG(dcg="exp-log2")@10', "nDCG(gains={1:0,2:1})", "RBP(p=0.8)",
        "RBP(p=0.8,rel=2)@10", "RBP(rel=2,p=0.8)", "P@5", "IPrec@0.1", "DCG(base=10)",
        'RBP(p=0.5,gain="linear",max_rel=3)',
        "R_cap@10", "infAP", "nDCG(gains={0.5:1,2:1.5})@3", "nDCG(gains={1:0.1234567})",
    ],
)  # fmt: skip
def test_there_and_back(text):
    assert str(measure(text)) == text
    assert measure(str(measure(text))) == measure(text)


def test_other_spellings_of_the_same():
    assert str(measure(" nDCG( dcg = 'exp-log2' ) @ 10 ")) == 'nDCG(dcg="exp-log2")@10'
    assert str(measure("RBP(p=0.8, rel=2)")) == "RBP(p=0.8,rel=2)"
    assert measure("RBP(rel=2,p=0.8)") == measure("RBP(p=0.8,rel=2)") != measure("RBP(p=0.8,rel=3)")
    assert str(measure("HIT@5")) == "Success@5"
    assert RBP(p=0.8) @ 10 == measure("RBP(p=0.8)@10")
    assert str(nDCG(gains={2: 1, 1: 0})) == "nDCG(gains={1:0,2:1})"
    assert measure(AP @ 5) == measure("AP@5")


def test_lists_of_cutoffs():
    assert [str(m) for m in parse(["P@[1,5,10]", "AP", "P@5"])] == ["P@1", "P@5", "P@10", "AP"]


@pytest.mark.parametrize(
    ("text", "cause", "cure"),
    [
        ("nDGC@10", "no measure is named 'nDGC'", "did you mean nDCG@10?"),
        ("mapp@10", "no measure is named 'mapp'", "did you mean AP@10?"),
        ("P", "P needs a cutoff", "write P@10"),
        ("IPrec", "IPrec needs a cutoff", "write IPrec@0.1"),
        ("P@0", "cutoff of P=0", ""),
        ("P@1.5", "cutoff of P=1.5", ""),
        ("P@True", "cutoff of P=True", ""),
        ("P@'5'", "cutoff of P='5'", ""),
        ("IPrec@2", "recall level of IPrec=2", ""),
        ("Bpref@10", "Bpref takes no cutoff", "write Bpref without @10"),
        ("AP(level=2)", "AP has no parameter 'level'", "AP takes rel"),
        ("RBP(p=0.8,p=0.9)", "a parameter is given twice", ""),
        ('nDCG(base="x")', "expected a finite number", ""),
        ('ERR(max_rel="x")', "expected a finite number", ""),
        ("P@99999999999999999999", "cutoff of P=99999999999999999999", ""),
        ("AP(2)", "AP(2): parameters need names", ""),
        ("AP(rel='x')", "AP(rel='x'): expected a finite number", ""),
        ("RBP(p=1)", "RBP(p=1): expected a number between 0 and 1", ""),
        ('nDCG(dcg="x")', "dcg='x' is unknown", "dcg is one of log2, exp-log2"),
        ("nDCG(base=1)", "base=1", ""),
        ("nDCG(gains={1:-1})", "nDCG(gains={1: -1}): a gain is not negative", ""),
        ("nDCG(gains=3)", "nDCG(gains=3): gains map grades to numbers", ""),
        ('RBP(gain="linear", rel=2)', "RBP: rel has no effect with gain='linear'", 'rel goes with gain="binary"'),
        ("RBP(max_rel=2)", "RBP: max_rel has no effect with gain='binary'", ""),
        ('RBP(gain="log")', "gain is one of binary, linear, exp", ""),
        ("AP@", "'AP@' is no measure", "measures are written like"),
        ("__import__('os').system('ls')", "is no measure", ""),
        ("AP if 1 else P", "is no measure", ""),
        ("(" * 300, "is no measure", ""),
        ("", "is no measure", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(text, cause, cure):
    with pytest.raises(InputError) as error:
        measure(text)
    assert cause in error.value.problems[0].cause
    assert cure in error.value.problems[0].cure


def test_all_errors_at_once():
    with pytest.raises(InputError) as error:
        parse(["APP", "P", "RR", "AP@x"])
    assert len(error.value.problems) == 3


def test_grades_above_the_largest_are_said_when_scored():
    with pytest.raises(InputError, match="above max_rel"):
        measure('RBP(gain="linear", max_rel=1)').score([2, 0])


def test_trec_names():
    names = ["AP", "AP@5", "P@5", "nDCG@10", "RR", "RR@10", "AP(rel=2)", "IPrec@0.1", "NumRelRet"]
    assert [measure(n).trec_name for n in names] == [
        "map", "map_cut_5", "P_5", "ndcg_cut_10", "recip_rank", "RR@10", "AP(rel=2)", "iprec_at_recall_0.10",
        "num_rel_ret",
    ]  # fmt: skip


def test_names_do_not_hide_each_other():
    assert len({name.lower() for name in MEASURES}) == len(MEASURES)
