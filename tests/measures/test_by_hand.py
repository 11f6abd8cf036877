"""Each measure on lists small enough to do by hand; the arithmetic is the comment."""

from math import log, log2, pi

import numpy as np
import pytest

from rankscope import InputError, measure

NAN = float("nan")  # unjudged


@pytest.mark.parametrize(
    ("name", "grades", "available", "expected"),
    [
        ("P@2", [1, 0, 1], None, 1 / 2),
        ("P@5", [1, 0, 1], None, 2 / 5),  # short lists divide by k all the same
        ("R@2", [1, 0, 1], [1, 1, 1, 1, 0], 1 / 4),
        ("R_cap@2", [1, 0, 1], [1, 1, 1, 1, 0], 1 / 2),
        ("F@2", [1, 0, 1], [1, 1, 1, 0], 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3)),
        ("F(beta=2)@2", [1, 0, 1], [1, 1, 1, 0], 5 * (1 / 2) * (1 / 3) / (4 / 2 + 1 / 3)),
        ("SetP", [1, 0, 1], None, 2 / 3),
        ("SetR", [1, 0, 1], [1, 1, 1, 0], 2 / 3),
        ("SetF", [1, 0, 1], [1, 1, 1, 0], 2 / 3),
        ("AP", [1, 0, 1], [1, 1, 1, 0], (1 + 2 / 3) / 3),
        ("AP@2", [1, 0, 1], None, 1 / 2),  # over R, not over min(R, k)
        ("AP(rel=2)", [1, 2, 2], None, (1 / 2 + 2 / 3) / 2),
        ("Rprec", [1, 0, 1], None, 1 / 2),
        ("Rprec", [1], [1, 1, 1], 1 / 3),
        ("RR", [0, 0, 1], None, 1 / 3),
        ("RR@2", [0, 0, 1], None, 0),
        ("Success@2", [0, 1, 0], None, 1),
        ("Success@1", [0, 1, 0], None, 0),
        # grades 0-2: chances to stop 1/4 and 3/4
        ("ERR", [1, 2], None, 1 / 4 + 3 / 4 * 3 / 4 / 2),
        ("ERR(max_rel=4)", [1, 2], None, 1 / 16 + 15 / 16 * 3 / 16 / 2),
        ('ERR(gain="linear")', [1, 2], None, 1 / 2 + 1 / 2 * 1 / 2),
        ("ERR@1", [1, 2], None, 1 / 4),
        ("DCG", [2, 0, 1], None, 2 + 1 / 2),
        ("DCG@1", [2, 0, 1], None, 2),
        ('DCG(dcg="exp-log2")', [2, 0, 1], None, 3 + 1 / 2),
        ("DCG(base=2)", [2, 1, 1, 1], None, 2 + 1 + 1 / log2(3) + 1 / 2),  # no discount down to rank 2
        ("DCG(gains={1:0,2:5})", [2, 0, 1], None, 5),
        ("DCG(gains={2:1})", [2, 0, 1], None, 1 + 1 / 2),  # a grade that is not named keeps its own, as in trec_eval
        ("nDCG", [0, 2], [0, 1, 2], (2 / log2(3)) / (2 + 1 / log2(3))),
        ("nDCG@1", [1, 2], None, 1 / 2),
        ('nDCG(dcg="exp-log2")@1', [1, 2], None, 1 / 3),
        ("nDCG", [-1, 1], None, 1 / log2(3)),  # negative grades gain nothing
        ("nDCG", [0.5], [0.5, 1.5], 0.5 / (1.5 + 0.5 / log2(3))),
        ("RBP(p=0.5)", [1, 0, 1], None, 1 / 2 * (1 + 1 / 4)),
        ("RBP(p=0.5)@2", [1, 0, 1], None, 1 / 2),
        ('RBP(p=0.5, gain="linear")', [1, 0, 2], None, 1 / 2 * (1 / 2 + 1 / 4)),
        ('RBP(p=0.5, gain="exp")', [1, 0, 2], None, 1 / 2 * (1 / 4 + 3 / 4 / 4)),
        ("RBP(p=0.5, rel=2)", [1, 0, 2], None, 1 / 8),
        ("RBPResidual(p=0.5)", [1, NAN, 0], None, 1 / 4 + 1 / 8),
        ("RBPResidual(p=0.5)", [1, 0], None, 1 / 4),
        # R = 2, N = 2: the second relevant document has one non-relevant above
        ("Bpref", [1, 0, NAN, 1], [1, 1, 0, 0], (1 + (1 - 1 / 2)) / 2),
        ("Bpref", [-1, 1], [1, 0, -1], 1),  # a negative grade is not judged here
        ("infAP", [1, 1], None, (1 + (1 + 1 * (1 + 1e-5) / (1 + 2e-5)) / 2) / 2),
        ("Judged@2", [1, NAN, 0], None, 1 / 2),
        ("Judged@5", [1, NAN, -1], None, 2 / 3),
        ("NumRet", [1, NAN, 0], None, 3),
        ("NumRel", [1, 0], [0, 1, 1, 2], 3),
        ("NumRelRet", [1, 0, 2], None, 2),
        # four relevant: half of them are two, found at rank 3 (2/3) or better at rank 4 (3/4)
        ("IPrec@0.5", [1, 0, 1, 1], [1, 1, 1, 1, 0], 3 / 4),
        ("IPrec@1.0", [1, 0, 1, 1], [1, 1, 1, 1, 0], 0),
        ("IPrec@0.0", [0, 1, 1], None, 2 / 3),
        # R = 3: 0.4 R = 1.2 rounds to one document, and up to two as trec_eval 9 does it
        ("IPrec@0.4", [1, 0, 0, 1], [1, 1, 1, 0, 0], 1),
        ('IPrec(rounding="trec_eval-9")@0.4', [1, 0, 0, 1], [1, 1, 1, 0, 0], 1 / 2),
        # cumulated gain 0, 2; ideal 2, 3
        ("Q", [0, 2], [0, 1, 2], (1 + 2) / (2 + 3) / 2),
        ("Q(beta=0)", [0, 2], [0, 1, 2], (1 / 2) / 2),  # without gains it is AP
        ("AP_cap@2", [1, 0, 1], [1, 1, 1, 0], 1 / 2),  # of two that could stand there
        ("SetAP", [1, 0, 1], [1, 1, 1, 0], (2 / 3) * (2 / 3)),
        # two vital nuggets and two that are okay: one vital and one okay are there, one vital in part
        ("NuggetRecall", [4, 3, 3, 2, 1], [4, 4, 3, 3, 2, 2, 1, 1], 1 / 2),
        ("NuggetRecall(strict=False)", [4, 3, 3, 2, 1], [4, 4, 3, 3, 2, 2, 1, 1], 1.5 / 2),
        ('NuggetRecall(nuggets="all")', [4, 3, 3, 2, 1], [4, 4, 3, 3, 2, 2, 1, 1], 2 / 4),
        ('NuggetRecall(nuggets="all",strict=False)', [4, 3, 3, 2, 1], [4, 4, 3, 3, 2, 2, 1, 1], 2.5 / 4),
        ('NuggetRecall(nuggets="weighted")', [4, 3, 3, 2, 1], [4, 4, 3, 3, 2, 2, 1, 1], 1.5 / 3),
        ('NuggetRecall(nuggets="weighted",strict=False)', [4, 3, 3, 2, 1], [4, 4, 3, 3, 2, 2, 1, 1], 2 / 3),
        ("SetRelP", [1, 0, 1], [1, 1, 0], 2 / 2),
        ("SetRelP", [1, 0, 1], [1, 1, 1, 1, 0], 2 / 3),
        ("yaap", [1, 0, 1], [1, 1, 1, 0], log((1 + 5 / 3) / (1 + 3 - 5 / 3))),
        ("gm_map", [0, 1], None, log(1 / 2)),
        ("gm_map", [0, 0], [1, 0, 0], log(1e-5)),
        ("gm_bpref", [1, 0, NAN, 1], [1, 1, 0, 0], log(3 / 4)),
        ("Rprec_mult(mult=0.5)", [1, 0, 1], [1, 1, 1, 1, 0], 1 / 2),
        ("Rprec_mult(mult=0.5)", [1, 0, 1], [1, 1, 1, 0], 1 / 2),  # 1.5 + 0.9 is rank 2
        ("Rprec_mult(mult=2)", [1, 0, 1], None, 2 / 4),
        ('IPrec_avg(levels="0.5,1")', [1, 0, 1, 1], [1, 1, 1, 1, 0], (3 / 4 + 0) / 2),
        # gains 0, 2 of 2, 1: behind the ideal by 2 at rank 1, by 2 + 1 - 2 at rank 2
        ("G", [0, 2], [0, 1, 2], (2 / log2(2 + 1)) / 3),
        ("binG", [0, 1, 1], [1, 1, 1, 0], (2 / log2(3)) / 3),
        # nDCG of 0 at rank 1, 2/log2(3) of 2 + 1/log2(3) at rank 2
        ("Rndcg", [0, 2], [0, 1, 2], (0 + (2 / log2(3)) / (2 + 1 / log2(3))) / 2),
        ("Rndcg", [1, NAN, NAN], [1], (1 + 1) / 2),  # at rank 1, and at the end of a list that goes on
        ("Rndcg", [1, NAN], [1], 1),
        # found at rank 2; the other one counts at the end
        ("ndcg_rel", [0, 2], [0, 1, 2], 2 * ((2 / log2(3)) / (2 + 1 / log2(3))) / 2),
        ("utility", [1, 0, NAN], [1, 1, 0], 1 - 2),
        ("utility(found=2,noise=0,missed=-1,rejected=0.5,docs=9)", [1, 0, NAN], [1, 1, 0], 2 - 1 + 0.5 * (9 - 3 - 1)),
        ("unj@4", [1, NAN, -1], None, 2 / 4),
        ("NumQ", [0], None, 1),
        ("NumNonRelJudgedRet", [1, 0, NAN, -1, 0], None, 2),
        ("Accuracy", [1, 0, 1], None, 1 / 2),
        ("Accuracy", [1, 1], None, 1),
        ("Accuracy", [0, NAN], [1, 0], 0),
        # the relevant document of the list is shared from rank 2 on
        ("Compat(p=0.5)", [0, 1], None, (1 / 2 * 1 / 2) / (1 + 1 / 2 * 1 / 2)),
        ("Compat(p=0.5,normalize=False)", [0, 1], None, (1 / 2 * 1 / 2) / (1 + 1 / 2)),
        ("Compat(p=0.5)", [1, 2], None, (1 / 2) / (1 + 1 / 2)),  # the better one belongs above the other
        # gains 1/2 and 1: half of the readers come to rank 2, nobody further
        ("NERR8@3", [1, 2], None, (1 / 2 + 1 / 2) / (1 + 1 / 2)),
        ("NERR8@3", [1], [1, 2], (1 / 2) / (1 + 1 / 2 + 1 / 2)),
        ("NERR9@3", [1, 2], None, (1 / 2 + 1 / 4) / (1 + 1 / 4)),
        ("NERR9@3", [1], [1, 2], (1 / 2) / (1 + 1 / 4 + 1 / 6)),
        ("NERR10(p=0.5)", [1, 2], None, (1 / 2 + 1 / 4) / (1 + 1 / 4)),
        ("NERR10(p=0.5)", [1], [1, 2], (1 / 2) / (1 + 1 / 4 * 2)),
        ("NERR11(T=0.5)", [1, 2], None, (1 / 2 + 1 / 8) / (1 + 1 / 8)),
        ("NERR11(T=0.5)", [2], None, 1),
        ("NERR11(T=0.5)", [1], [1, 2], (1 / 2) / (1 + (pi**2 / 6 - 1) / 2)),
        ("BPM@3", [0, 1], None, 1 / 2),
        ("BPM@3", [1, NAN], [2, 1], (1 / 2) / 3),
        # one subtopic, met at ranks 1 and 3: the second time it gains half
        ("alpha_DCG@3", [1, 0, 1], None, (1 + 1 / 2 / 2) / (1 + 1 / 2 / log2(3) + 1 / 4 / 2)),
        ("alpha_nDCG", [1, 0, 1], None, (1 + 1 / 2 / 2) / (1 + 1 / 2 / log2(3))),
        ("ERR_IA@3", [1, 0, 1], None, (1 + 1 / 2 / 3) / (1 + 1 / 2 / 2 + 1 / 4 / 3)),
        ("nERR_IA@3", [1, 0, 1], None, (1 + 1 / 2 / 3) / (1 + 1 / 2 / 2)),
        ("NRBP", [1, 0, 1], None, (1 + 1 / 2 / 4) * (1 - 1 / 4)),
        ("nNRBP", [1, 0, 1], None, (1 + 1 / 2 / 4) / (1 + 1 / 2 / 2)),
        ("P_IA@2", [1, 0, 1], None, 1 / 2),
        ("AP_IA", [1, 0, 1], None, (1 + 2 / 3) / 2),
        ("StRecall@2", [0, 1, 1], None, 1),
        ("BPM(T=1.5)@3", [1, 2, 2], None, (1 / 2 + 1) / 2),
    ],
)  # fmt: skip
def test_by_hand(name, grades, available, expected):
    assert float(measure(name).score(grades, available)) == pytest.approx(expected, abs=1e-15)


def test_undefined_is_nan():
    for name in ("AP", "nDCG@10", "RR", "P@5", "RBP(p=0.8)", "ERR", "Bpref", "Q"):
        assert np.isnan(measure(name).score([0, 0], [0, 0, 0]))
    for name in ("Judged", "NumRet", "NumRel", "RBPResidual"):
        assert not np.isnan(measure(name).score([0, 0], [0, 0, 0]))


def test_scores_of_many_lists_at_once():
    lists = np.array([[1, 0], [0, 1], [0, 0]])
    assert measure("RR").score(lists, [[1, 0, 0]] * 3).tolist() == [1, 1 / 2, 0]
    assert measure("RR").score(lists, [1, 0, 0]).tolist() == [1, 1 / 2, 0]


def test_lists_that_hold_more_than_there_is():
    with pytest.raises(ValueError, match="more documents of a grade than are available"):
        measure("AP").score([1, 1], [1, 0])


@pytest.mark.parametrize("grades", ["abc", [[1, 0], [1]], [None, {}]])
def test_grades_that_are_no_numbers(grades):
    with pytest.raises(InputError, match="no array of numbers"):
        measure("RBP").score(grades)
