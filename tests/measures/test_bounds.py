"""Lowest and highest scores against every assignment of grades there is, one by one."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from marks import slow

import rankscope as rs
from rankscope.arrays import FIRST_GRADE, PADDING, UNJUDGED
from rankscope.judged import Rules
from rankscope.measures import MEASURES, MeasureInputs, measure
from rankscope.measures.bounding import bpref as of_bpref
from rankscope.measures.bounding import enumeration, run
from rankscope.measures.bounding.enumeration import enumerated
from rankscope.measures.bounding.exchange import by_swaps, scores_with
from rankscope.measures.bounding.monotone import any_step
from rankscope.measures.bounding.possible_grades import classes
from rankscope.measures.bounding.result import OUTSIDE
from rankscope.measures.bounding.run import score_range

EXAMPLE = {"none": ["{}"], "optional": ["{}", "{}@3"], "required": ["{}@3"], "recall": ["{}@0", "{}@0.4", "{}@1"]}
READERS = ("CWLA", "INST", "INSQ")  # tested by model and aggregation below
READ_ON = ("NERR10", "NERR11")  # past the end of the list; nothing is proved of them
JUDGING = ("Judged", "RBPResidual", "unj")  # these have no bounds
ALL = [
    text.format(name)
    for name, m in MEASURES.items()
    if name not in (*READERS, *READ_ON, *JUDGING)
    for text in EXAMPLE[m.cutoff_rule]
]
ALL += ["P@9", "F(beta=2)@2", 'nDCG(dcg="exp-log2")@4', "nDCG(base=2)", "DCG(base=10)", "AP(rel=2)", "AP(rel=2)@2",
        "Bpref(rel=2)", "infAP(rel=2)", 'RBP(gain="linear")', "RBP(rel=0)", "RBP(p=0.5,rel=2)", 'ERR(gain="linear")',
        "Q(beta=0)", "Q(beta=10)@4", "nDCG(gains={0:1,1:3})", "DCG(gains={1:0,2:1})@3", "Rprec(rel=2)", "SetF(beta=3)",
        'IPrec(rounding="trec_eval-9")@0.3', "Interval(P@2)", "Interval(DCG@2)", "Interval(AP@2)"]  # fmt: skip
BY_SUBTOPIC = {"alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"}
UNPROVED = {"G", "Rndcg", "ndcg_rel", "Compat", "BPM", "utility", "NumNonRelJudgedRet", "gm_bpref", "NuggetRecall",
            *BY_SUBTOPIC}  # fmt: skip
SCALES = [(0, 1, 2, 3), (-2, -1, 0, 0.5, 2), (-1, 1), (0,), *slow((0, 1), (-1, 0, 1), (1,), (1, 2))]
OPEN = {1: 5, 2: 5, 3: 5, 4: 4, 5: 4}  # unjudged documents in a list of a scale with so many grades


def collection(scale, seed, *, topics=24, depth=7, systems=1, rules=None):
    """Random short lists of judged and unjudged documents; the first is empty, and some have nothing relevant."""
    resampling = np.random.default_rng(seed)
    grades = np.array(sorted(scale), float)
    code = np.zeros((systems, topics, depth), np.uint8)
    available = resampling.integers(0, 3, (topics, len(grades)))
    available[::3] *= grades <= 0
    for s, t in product(range(systems), range(1, topics)):
        length = int(resampling.integers(0, depth + 1))
        row = resampling.integers(FIRST_GRADE, FIRST_GRADE + len(grades), length)
        if t % 3 == 0 and grades[0] <= 0:
            row = np.minimum(row, FIRST_GRADE + np.flatnonzero(grades <= 0).max())
        opened = resampling.permutation(length)[: resampling.integers(0, OPEN[len(grades)] + 1)]
        row[opened] = UNJUDGED
        code[s, t, :length] = row
    counts = np.stack([np.count_nonzero(code == FIRST_GRADE + g, axis=-1) for g in range(len(grades))], axis=-1)
    available = np.maximum(available, counts.max(axis=0))
    names = tuple(f"s{i}" for i in range(systems))
    return rs.Judged(names, tuple(map(str, range(topics))), code, grades, available, rules=rules or Rules())


def every_score(m, judged, s, t):
    """Scores of a list under every assignment of grades to its unjudged documents, undefined ones as 0."""
    scale = judged.grades.tolist()
    if min(scale) > 0:
        scale = [0.0, *scale]
    row = [None if c == UNJUDGED else float(judged.grades[c - FIRST_GRADE]) for c in judged.code[s, t] if c != PADDING]
    pool = [g for g, n in zip(judged.grades.tolist(), judged.available[t].tolist(), strict=True) for _ in range(n)]
    opened = [i for i, grade in enumerate(row) if grade is None]
    code, available = [], []
    for given in product(scale, repeat=len(opened)):
        full = list(row)
        for i, grade in zip(opened, given, strict=True):
            full[i] = grade
        code.append([FIRST_GRADE + scale.index(grade) for grade in full] or [PADDING])
        available.append([[*pool, *given].count(grade) for grade in scale])
    lists = MeasureInputs(np.array(code, np.uint8), np.array(scale), np.array(available))
    return np.where(lists.defined(m), m.compute(lists), 0.0), lists


def ends(m, judged, s, t):
    """Lowest and highest score, the slow way."""
    scores, lists = every_score(m, judged, s, t)
    if m.name not in ("RBP", "gRBP"):
        return scores.min(), scores.max()
    # the reader goes on: past the cutoff and the end of the list everything may be as good as can be
    table = lists.gain_table(m)
    cut = lists.code[:, : m.cutoff] if lists.code.any() else lists.code[:, :0]
    best = np.full((len(cut), 400), FIRST_GRADE + table[FIRST_GRADE:].argmax(), np.uint8)
    longer = MeasureInputs(np.concatenate([cut, best], axis=1), lists.grades, lists.available + 400)
    uncut = m(p=m.values["p"])
    return scores.min(), (MEASURES[m.name](**dict(uncut.settings))).compute(longer).max()


@pytest.fixture(params=["with enumeration", "by argument alone"])
def limit(request, monkeypatch):
    """Enumeration also settles what an argument leaves open; without it the argument stands alone."""
    if request.param == "by argument alone":
        monkeypatch.setattr(run, "LIMIT", 0)
    return request.param


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_against_every_assignment(scale, limit):
    judged = collection(scale, sum(map(abs, map(int, scale))) + len(scale))
    found = rs.bounds(judged, ALL)
    assert found.lower.shape == found.scores.value.shape
    for i, m in enumerate(found.scores.measures):
        for t in range(len(judged.topics)):
            low, high, exact = found.lower[i, 0, t], found.upper[i, 0, t], found.exact[i, 0, t]
            if np.isnan(found.scores.value[i, 0, t]):
                assert np.isnan([low, high]).all()
                assert exact
                continue
            lowest, highest = ends(m, judged, 0, t)
            where = f"{m} on {judged.code[0, t]} of {judged.grades}, {judged.available[t]}"
            if exact:
                np.testing.assert_allclose([low, high], [lowest, highest], rtol=1e-12, atol=1e-14, err_msg=where)
            elif np.isnan(low):
                assert np.isnan(high)
            else:
                assert low <= lowest + 1e-12, where
                assert highest <= high + 1e-12, where
        if limit == "with enumeration":
            assert found.how[i].startswith("exact")


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_which_measures_are_exact_without_enumeration(monkeypatch):
    """The others: Q with more than two grades, infAP and Bpref with negative ones, steps and places by recall base."""
    monkeypatch.setattr(run, "LIMIT", 0)
    graded = rs.bounds(collection((0, 1, 2), 5), ALL)
    assert {str(m).split("(")[0].split("@")[0] for m, how in zip(graded.scores.measures, graded.how, strict=True)
            if not how.startswith("exact")} == {"Q", "Interval", "LPTO", *UNPROVED}  # fmt: skip
    negative = rs.bounds(collection((-1, 0, 1), 5), [m for m in ALL if "Interval" not in m])
    assert {m.name for m, how in zip(negative.scores.measures, negative.how, strict=True)
            if not how.startswith("exact")} == {"infAP", "Bpref", "LPTO", *UNPROVED}  # fmt: skip


MODELS = ["Precision(k=3)", "DCG(k=4)", "RBP(p=0.6)", "INST(T=2)", "INST(T=0.6)", "AP", "ERR", "RR", "INSQ(T=1)",
          "W(0.5,0.3,0.2)"]  # fmt: skip
AGGREGATIONS = ["ERG", "ETG", "avg", "max", "fin", "PE(beta=0.3)", "ERR"]
FOR_EVER = ("RBP", "INST", "INSQ")
FIXED = ("Precision", "DCG", "RBP", "INSQ", "W")


def pairs():
    """Every model with every aggregation and tail, where they make sense."""
    ends = [("", ""), ("", "@3"), ("truncate", ""), ("stop", "@3")]
    for model, agg, (tail, at) in product(MODELS, AGGREGATIONS, ends):
        told = f',tail="{tail}"' if tail else ""
        if not (agg == "ERR" and model.split("(")[0] in FIXED):
            yield f'CWLA(model="{model}",agg="{agg}"{told}){at}'


def read(m, lists, extra):
    """Scores of lists, down to the cutoff, that these codes follow."""
    cut = lists.code[:, : m.cutoff] if lists.code.any() else lists.code[:, :0]
    follow = np.broadcast_to(np.array(extra, np.uint8), (len(cut), len(extra)))
    longer = MeasureInputs(np.concatenate([cut, follow], axis=1), lists.grades, lists.available + 1)
    return type(m)(**{f: getattr(m, f) for f in m.__dataclass_fields__} | {"cutoff": None}).compute(longer)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [(0, 1), (-1, 0, 1, 3)], ids=str)
@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_every_model_and_aggregation(scale, limit):
    judged = collection(scale, 11, topics=8, depth=5)
    found = rs.bounds(judged, [*pairs(), "INST(T=1)", "INSQ", 'INST(gain="exp")@2'])
    for i, m in enumerate(found.scores.measures):
        model = str(m.values.get("model", m.name)).split("(")[0]
        endless = model in FOR_EVER and m.values.get("tail") in (None, "infinite")
        for t in range(len(judged.topics)):
            low, high, exact = found.lower[i, 0, t], found.upper[i, 0, t], found.exact[i, 0, t]
            if np.isnan(found.scores.value[i, 0, t]):
                assert np.isnan([low, high]).all()
                continue
            scores, lists = every_score(m, judged, 0, t)
            where = f"{m} on {judged.code[0, t]} of {judged.grades}, {judged.available[t]}"
            codes = range(FIRST_GRADE, FIRST_GRADE + len(lists.grades))
            best = FIRST_GRADE + len(lists.grades) - 1
            further = [(), *((c,) for c in codes), *product(codes, repeat=2), [best] * 300] if endless else []
            every = np.concatenate([scores, *(read(m, lists, extra) for extra in further)])
            assert low <= every.min() + 1e-12, where
            assert every.max() <= high + 1e-12, where
            if exact:
                slack = 0.02 * max(high, 1) if endless and model == "INSQ" else 1e-12  # what follows rank 300
                np.testing.assert_allclose(low, scores.min(), rtol=1e-12, atol=1e-14, err_msg=where)
                assert high <= every.max() + slack, where
        if limit == "with enumeration" and not endless:
            assert found.how[i] == "exact", m


def test_reading_for_ever_by_hand():
    """INSQ with T = 1: V(i) = 4/(i+1)^2, in all 4 (pi^2/6 - 1); one judged document without gain, then one open."""
    judged = rs.Judged(("s",), ("t",), np.array([[[2, 1]]], np.uint8), np.array([0.0, 1.0]), np.array([[1, 1]]))
    found = rs.bounds(judged, ["INSQ(T=1)", 'CWLA(model="INSQ(T=1)",agg="max")', "INST(T=1)"])
    first = 1 / (4 * (np.pi**2 / 6 - 1))
    assert found.lower.ravel().tolist() == [0, 0, 0]
    # INST: x_1 = 3, then 3 for ever: V = 1, 4/9, ..., and the sum of what follows rank 1 is 4/9 / (1 - 4/9) = 4/5
    np.testing.assert_allclose(found.upper.ravel(), [1 - first, 4 / 9, 0.8 / 1.8], rtol=1e-12)
    assert set(found.how) == {"exact"}


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_which_pairs_are_exact_without_enumeration(monkeypatch):
    """Static models, and the pairs with a proof; AP_ERG needs one level of gain."""
    monkeypatch.setattr(run, "LIMIT", 0)
    names = ["ERR_ERG", "ERR_ETG", "ERR_ERR", "INST_ERG", "INST_ETG", "AP_ERR", "AP_ERG", "RBP_PE", "Precision_avg",
             "DCG_fin", "ERR_max", "INST_max", "AP_avg", "INST_ERR"]  # fmt: skip
    binary = rs.bounds(collection((0, 1), 3), [f'CWLA(model="{m}",agg="{a}",gain="binary")'
                                               for m, a in (n.split("_") for n in names)])  # fmt: skip
    assert [how == "exact" for how in binary.how] == [True] * 10 + [False] * 4
    graded = rs.bounds(collection((0, 1, 2), 3), names)
    assert [how == "exact" for how in graded.how] == [True] * 6 + [False] + [True] * 3 + [False] * 4
    assert all(how == "exact" or how.startswith("bounded: ") for how in (*binary.how, *graded.how))


@pytest.mark.parametrize("name", ["AP", "AP@15", "Rprec", "Bpref", "infAP", "SN_AP@20"])
@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_running_sums_find_what_every_candidate_shows(name):
    """On lists too long for enumeration: against the n + 1 candidates a side, each scored by the kernel."""
    resampling = np.random.default_rng(17)
    code = resampling.choice([1, 1, 2, 3], (2, 150, 45)).astype(np.uint8)
    code[1, ::2, 30:] = PADDING
    code[0, ::5] = np.where(code[0, ::5] == 3, 1, code[0, ::5])
    have = np.stack([np.count_nonzero(code == c, axis=-1).max(axis=0) for c in (2, 3)], axis=-1)
    lists = MeasureInputs(code, np.array([0.0, 1.0]), have + resampling.integers(0, 30, have.shape))
    m = measure(name)
    fast, slow = run.score_range(lists, m), by_swaps(lists, m, classes(lists, m))
    np.testing.assert_allclose(fast.lower, slow.lower, rtol=1e-13)
    np.testing.assert_allclose(fast.upper, slow.upper, rtol=1e-13)


@pytest.mark.parametrize("name", ["nDCG", "nDCG@6", "SN_DCG", 'nDCG(dcg="exp-log2",base=3)@8'])
def test_the_highest_ndcg_of_longer_lists(name):
    """Against all assignments whose gains fall with rank, 286 for ten documents and four grades."""
    resampling = np.random.default_rng(3)
    code = resampling.choice([1, 2, 3, 4, 5], (40, 14), p=[0.6, 0.1, 0.1, 0.1, 0.1]).astype(np.uint8)
    have = np.stack([np.count_nonzero(code == c, axis=-1) for c in range(2, 6)], axis=-1) + resampling.integers(
        0, 4, (40, 4)
    )
    have[:, 3] += 1
    m, grades = measure(name), np.array([0.0, 1, 2, 5])
    found = run.score_range(MeasureInputs(code, grades, have), m)
    assert found.exact.all()
    for row, available, upper in zip(code, have, found.upper, strict=True):
        opened = np.flatnonzero(row == UNJUDGED)
        falling = np.array(list(combinations_with_replacement(range(5, 1, -1), len(opened))), np.uint8)
        every = np.repeat(row[None], len(falling), axis=0)
        every[:, opened] = falling
        counts = (falling[:, :, None] == np.arange(2, 6)).sum(axis=1)
        np.testing.assert_allclose(upper, m.compute(MeasureInputs(every, grades, available + counts)).max(), rtol=1e-13)


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_the_residual_is_the_width_of_rbp():
    judged = collection((0, 1, 2), 8, systems=3, rules=Rules(undefined="zero"))
    for name, residual in (
        ("RBP(p=0.7)", "RBPResidual(p=0.7)"),
        ("RBP@3", "RBPResidual@3"),
        ('RBP(gain="linear")', "RBPResidual"),
    ):
        found, left = rs.bounds(judged, name), rs.evaluate(judged, residual)
        np.testing.assert_allclose(found.upper - found.lower, left.value, rtol=1e-12)
        np.testing.assert_array_equal(found.lower, found.scores.value)


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_measures_of_the_judging_itself_have_no_bounds():
    judged = collection((0, 1), 5)
    names = ["Judged@5", "RBPResidual", "RBPResidual(p=0.5)@3", "AP"]
    found = rs.bounds(judged, names)
    assert np.isnan(found.lower[:3]).all()
    assert np.isnan(found.upper[:3]).all()
    assert set(found.how[:3]) == {"none: it measures the judging itself, which further judgments would complete"}
    assert not np.isnan(found.lower[3][~np.isnan(found.scores.value[3])]).any()
    header, (row,) = found.mean().table()
    assert header[1:4] == ["lower", "Judged@5", "upper"]
    assert (row[1], row[3]) == ("-", "-")
    assert row[2] == f"{found.scores.mean().value[0, 0]:.4f}"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_a_score_outside_its_bounds_is_said_to_be_possible():
    for seed, scale in product(range(3), [(0, 1), (0, 1, 2, 3), (-1, 0, 1)]):
        found = rs.bounds(collection(scale, seed), ALL)
        value = found.scores.value
        outside = ((value < found.lower - 1e-12) | (value > found.upper + 1e-12)).any(axis=(1, 2))
        assert not (outside & [not how.endswith(OUTSIDE) for how in found.how]).any()
    outside = {m.name for m, how in zip(found.scores.measures, found.how, strict=True) if how.endswith(OUTSIDE)}
    assert outside - {"RBP", "nDCG"} == {"Bpref", "infAP", "gm_bpref", "NumNonRelJudgedRet"}
    assert rs.bounds(collection((0, 1), 1), "AP").how == ("exact",)
    assert rs.bounds(collection((0, 1), 1), "RBP(rel=0)").how == (f"exact; {OUTSIDE}",)  # grade 0 gains, none does not
    # relevant at ranks 2 and 3 of 5, unjudged at 4 and 6: once these have any grade, the two count for more
    code = np.array([[[2, 3, 3, 1, 2, 1]]], np.uint8)
    judged = rs.Judged(("s",), ("t",), code, np.array([0.0, 1.0]), np.array([[2, 5]]))
    found = rs.bounds(judged, ["Bpref", "infAP"])
    assert (found.scores.value < found.lower).any()


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_policies_apply_to_bounds_too():
    given = collection((0, 1), 4)
    zero = collection((0, 1), 4, rules=Rules(undefined="zero"))
    drop = collection((0, 1), 4, rules=Rules(missing="drop"))
    empty = given.retrieved == 0
    nothing = given.available[None, :, 1] == 0
    assert empty.any()
    assert nothing.any()
    plain, filled, kept = (rs.bounds(judged, "AP") for judged in (given, zero, drop))
    np.testing.assert_array_equal(np.isnan(plain.lower[0]), nothing)
    assert not np.isnan(filled.lower).any()
    assert (filled.lower[0][nothing] == 0).all()
    assert (filled.upper[0][nothing] > 0).any()
    assert np.isnan(kept.upper[0][empty]).all()


def test_measures_of_ones_own():
    """What is declared is used, what is not is enumerated, and what cannot be is said to be unknown."""
    before = dict(MEASURES)
    try:

        @rs.register(improves="grades")
        def Rises(gain, *, gains=None):
            return gain.sum(axis=-1)

        @rs.register
        def Silent(relevant, *, rel=1):
            return -relevant.sum(axis=-1)

        long = np.full((1, 1, 40), UNJUDGED, np.uint8)
        judged = rs.Judged(("s",), ("t",), long, np.array([0.0, 1.0]), np.array([[3, 3]]))
        found = rs.bounds(judged, ["Rises", "Silent"])
        assert found.lower.ravel().tolist()[0] == 0
        assert found.upper.ravel().tolist()[0] == 40
        assert np.isnan([found.lower[1, 0, 0], found.upper[1, 0, 0]]).all()
        assert found.how[0] == "exact"
        assert found.how[1].startswith("unknown: it declares nothing by improves=")
        assert np.isnan(found.mean().lower[1, 0])
        short = rs.Judged(("s",), ("t",), long[..., :5], judged.grades, judged.available)
        few = rs.bounds(short, "Silent")
        assert (few.lower.item(), few.upper.item(), few.how) == (-5, 0, ("exact",))
        assert enumeration.LIMIT >= 2**5
        with pytest.raises(rs.InputError, match="improves is one of"):
            rs.register(improves="always")(lambda relevant: relevant)
    finally:
        MEASURES.clear()
        MEASURES.update(before)


def test_the_result_shows_itself():
    judged = rs.Judged(("a", "b"), ("1", "2"), np.array([[[3, 1], [2, 1]], [[1, 3], [1, 0]]], np.uint8),
                       np.array([0.0, 1.0]), np.array([[0, 1], [1, 1]]))  # fmt: skip
    found = rs.bounds(judged, ["P@2", "AP"])
    table = found.to_frame()
    assert table.columns == ["measure", "system", "topic", "lower", "value", "upper", "how"]
    # system a: on topic 1 relevant, open: P 1/2 to 1, AP 1 to 1; on topic 2 not relevant, open with R = 1:
    # P 0 to 1/2, AP 0 to (1/2)/2
    assert table.filter(table["system"] == "a").select("lower", "value", "upper").rows() == [
        (0.5, 0.5, 1.0), (0.0, 0.0, 0.5), (1.0, 1.0, 1.0), (0.0, 0.0, 0.25)]  # fmt: skip
    means = found.mean()
    assert means.to_frame().columns == ["measure", "system", "lower", "value", "upper", "n_topics", "how"]
    assert means.lower[:, 0].tolist() == [0.25, 0.5]
    assert means.upper[:, 0].tolist() == [0.75, 0.625]
    assert str(found) == str(means)
    assert str(found).splitlines()[3:5] == [
        "system                      P@2                       AP",
        "a       0.2500 [0.2500, 0.7500]  0.5000 [0.5000, 0.6250]",
    ]
    with pytest.raises(ValueError, match="read-only"):
        found.lower[:] = 0


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
@pytest.mark.parametrize("name", slow("dl19-passage", "trec8-adhoc"))
def test_scores_lie_between_their_bounds(data, name):
    """On real lists; Bpref and infAP tell unjudged from not relevant, so that their scores are no assignment's."""
    files = sorted((data / name / "runs").iterdir())[:6]
    judged = rs.load(data / name / "qrels.gz", files)
    wanted = [
        "AP",
        "nDCG@10",
        "nDCG",
        "RBP",
        "P@10",
        "R@100",
        "Rprec",
        "ERR@20",
        "RR",
        "F@50",
        "Q@20",
        "INST",
        "AP_avg",
        "ERR_max",
    ]
    found = rs.bounds(judged, wanted)
    value = found.scores.value
    assert not np.isnan(found.lower[~np.isnan(value)]).any()
    assert (np.isnan(value) | (found.lower <= value + 1e-12)).all()
    assert (np.isnan(value) | (value <= found.upper + 1e-12)).all()
    assert (found.upper > found.lower)[wanted.index("AP")].any()


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_readers_of_ones_own():
    """A function may do anything, so nothing but enumeration is believed."""
    from rankscope.measures.cwla import aggregation, custom_model

    odd = aggregation(lambda gain: 1 - gain)

    judged = collection((0, 1), 2, depth=16)
    for pair in ({"model": custom_model("C", lambda gain: 1 - gain / 2)}, {"model": "AP", "agg": odd},
                 {"model": "RBP(p=0.5)", "agg": odd, "tail": "truncate"}):  # fmt: skip
        m = MEASURES["CWLA"](**pair)
        found = rs.bounds(judged, m)
        for t in np.flatnonzero(~np.isnan(found.scores.value[0, 0])):
            scores, _ = every_score(m, judged, 0, t)
            assert found.exact[0, 0, t]
            np.testing.assert_allclose([found.lower[0, 0, t], found.upper[0, 0, t]], [scores.min(), scores.max()])
    long = rs.Judged(("s",), ("t",), np.full((1, 1, 40), UNJUDGED, np.uint8), np.array([0.0, 1.0]), np.array([[3, 3]]))
    assert rs.bounds(long, m).how[0].startswith("unknown: nothing is known of ")


def test_many_grades_and_none_of_them_low():
    """254 grades fill a byte; with 0 there is one more."""
    grades = np.arange(1.0, 255.0)
    code = np.array([[[255, 1, 2]]], np.uint8)
    judged = rs.Judged(("s",), ("t",), code, grades, np.ones((1, 254), np.int64))
    found = rs.bounds(judged, "DCG(base=10)")
    assert found.lower.item() == 254 + 1
    assert found.upper.item() == 254 + 254 + 1


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_steps_that_cannot_be_counted_are_bounded():
    """Twelve documents of three levels: with the judged few enough, with the open ones too many attainable lists."""
    code = np.full((1, 1, 12), UNJUDGED, np.uint8)
    judged = rs.Judged(("s",), ("t",), code, np.array([0.0, 1.0, 2.0, 3.0]), np.array([[1, 1, 0, 0]]))
    found = rs.bounds(judged, "Interval(DCG@12)")
    assert found.scores.value.item() == 0
    assert (found.lower.item(), found.upper.item()) == (0, 4**12 - 1)
    assert found.how[0].startswith("bounded: ")
    far = rs.bounds(judged, "Interval(DCG@600)")  # 4^600 is no double
    assert np.isnan(far.lower.item())
    assert far.how[0].startswith("unknown: ")


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
@pytest.mark.parametrize("name", ["Interval(AP@2)", "Interval(nDCG@2)", "Interval(DCG@3)", "Interval(R@3)"])
def test_bounded_steps_hold_every_assignment(name):
    """The bound that longer lists get, on lists that can be enumerated."""
    m = measure(name)
    code = np.array([[UNJUDGED, FIRST_GRADE + 1, UNJUDGED, UNJUDGED]], np.uint8)
    lists = MeasureInputs(code, np.array([0.0, 1.0, 2.0]), np.array([2, 1, 1]))
    kinds = classes(lists, m)
    lower, upper = enumerated(lists, m, kinds, np.array([True]))
    found = any_step(lists, m, kinds)
    assert found.lower <= lower < upper <= found.upper
    assert not found.exact.any()


@pytest.mark.parametrize("name", ["Bpref", "infAP", "Bpref(rel=3)", "AP", "Interval(AP@3)", "RBP"])
def test_no_grade_is_relevant(name):
    """Then nothing can be made of unjudged documents either, negative grades or not."""
    code = np.full((1, 1, 30), UNJUDGED, np.uint8)
    grades = np.array([-2.0, 0.0, 0.5])
    lists = MeasureInputs(code, grades, np.array([[4, 2, 1]]))
    found = score_range(lists, measure(name))
    assert (found.lower.item(), found.upper.item(), found.exact.all()) == (0, 0, True)


def test_looked_up_sums_of_bpref():
    """Every m, the best one or not; few relevant documents, so that counts above reach R."""
    resampling = np.random.default_rng(23)
    code = resampling.choice([1, 2, 3], (60, 40), p=[0.4, 0.5, 0.1]).astype(np.uint8)
    code[::2, 25:] = PADDING
    have = np.stack([np.count_nonzero(code == c, axis=-1) for c in (2, 3)], axis=-1)
    have[:, 1] += 1
    lists, m = MeasureInputs(code, np.array([0.0, 1.0]), have), measure("Bpref")
    table, kinds = of_bpref.BprefTable(lists, m), classes(lists, m)
    lowest, highest = table.lowest(True, True), table.highest(True, True)
    for relevant in range(highest.shape[-1]):
        low, high = scores_with(lists, m, kinds, (np.full(60, relevant), np.full(60, relevant)))
        some = table.n >= relevant
        np.testing.assert_allclose(lowest[some, relevant], low[some], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(highest[some, relevant], high[some], rtol=1e-12, atol=1e-14)
