"""Features of disagreement: the golden Table 4, brute force over all pairs, and features of one's own."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope import InputError, measure, universe
from rankscope.measures.attainable import dense
from rankscope.universe.rankings import comparable_rankings
from rankscope.universe.two_measures.concordant_pairs import with_feature
from rankscope.universe.two_measures.features import FEATURES, PAPER_FEATURES

OURS = {"SN-DCG": "SN_DCG", "SN-AP": "SN_AP", "RBP0.5": "RBP(p=0.5)", "RBP0.85": "RBP(p=0.85)",
        "RBP0.95": "RBP(p=0.95)"}  # fmt: skip
GOLDEN = [
    pytest.param(entry, id=entry["id"])
    for entry in json.loads((Path(__file__).parents[2] / "golden" / "jones.json").read_text())["entries"]
    if entry["kind"] == "table4"
]


@pytest.mark.parametrize("entry", GOLDEN)
def test_golden_table_4(entry):
    inputs, near = entry["inputs"], entry["tolerance"]
    a, b = (OURS.get(inputs[key], inputs[key]) for key in "ab")
    found = universe.features([a, b], depth=inputs["k"], recall_base=inputs["R"], of=PAPER_FEATURES)
    expected = dict(entry["expected"])
    if "disagreeing" in expected:
        assert {row.disagreeing for row in found.rows} == {expected.pop("disagreeing")}
    for name, shares in expected.items():
        row = found[a, b, name.replace("_", "-")]
        ours = {inputs["a"]: row.a_prefers, inputs["b"]: row.b_prefers, "feature_tied": row.tied}
        for who, share in shares.items():
            assert row.percent(ours[who]) == pytest.approx(share, abs=near), (name, who)


def literal(v):
    """All features of one list, read off its text."""
    text, k = "".join("1" if g else "0" for g in v), len(v)
    return {
        "recall": text.count("1"),
        "first-rel": -(text.find("1") + 1 or k + 1),
        "first-irrel": -(text.find("0") + 1 or k + 1),
        "lowest-rel": text.rfind("1") + 1,
        "longest-run": max(map(len, text.split("0"))),
    }


def test_features_by_definition():
    level = comparable_rankings(7, empty=True).level
    made = {name: known.of(level) for name, known in FEATURES.items()}
    for at, row in enumerate(level.tolist()):
        assert {name: int(values[at]) for name, values in made.items()} == literal(row)


def brute(a, b, k, grades, available, empty):
    rows = [v for v in itertools.product(range(grades + 1), repeat=k)
            if (empty or any(v)) and all(v.count(g) <= n for g, n in enumerate(available, 1))]  # fmt: skip
    pool = [0] * k + [g for g, n in enumerate(available, 1) for _ in range(n)]
    scores = [measure(m).score(rows, np.tile(pool, (len(rows), 1))) for m in (a, b)]
    known = [literal(v) for v in rows]
    out = {name: [0, 0, 0, 0] for name in FEATURES}
    for x, y in itertools.combinations(range(len(rows)), 2):
        one, other = (0 if abs(s[x] - s[y]) < 1e-9 else np.sign(s[x] - s[y]) for s in scores)
        for name, counts in out.items():
            more = np.sign(known[x][name] - known[y][name])
            if one != other:
                counts[0] += 1
                counts[1] += more != 0 and more == one
                counts[2] += more != 0 and more == other
                counts[3] += more == 0
    return out


@pytest.mark.parametrize(
    ("a", "b", "k", "grades", "base", "empty"),
    [("AP", "DCG", 6, 1, (6,), False), ("AP", "RR", 5, 1, (2,), True), ("RR", "R@5", 5, 1, (9,), False),
     ("nDCG", "ERR", 4, 2, (4, 4), False), ("nDCG", "RR", 4, 2, (2, 1), True)],
)  # fmt: skip
def test_against_brute_force(a, b, k, grades, base, empty):
    found = universe.features([a, b], depth=k, grades=grades, recall_base=list(base), empty=empty)
    expected = brute(a, b, k, grades, base, empty)
    assert {row.feature: list(row[3:]) for row in found.rows} == expected


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 12), st.sampled_from([1, 2, 5, 60]))
def test_three_columns(seed, n, values, levels):
    rng = np.random.default_rng(seed)
    a, b = (dense(rng.integers(0, values, n) * 1.0, 1, "")[0] for _ in range(2))
    f = dense(rng.integers(0, levels, n) * 1.0, 1, "")[0]
    x, y = np.triu_indices(n, 1)
    one, other, more = (np.sign(c[x] - c[y]) for c in (a, b, f))
    differ = one != other
    assert with_feature(a, b, f) == (
        np.count_nonzero(differ & (more == one) & (more != 0)),
        np.count_nonzero(differ & (more == other) & (more != 0)),
        np.count_nonzero(differ & (more == 0)),
    )


def test_columns_too_wide_for_one_key(monkeypatch):
    rng = np.random.default_rng(3)
    a, b, f = (dense(rng.integers(0, 30, 80) * 1.0, 1, "")[0] for _ in range(3))
    usual = with_feature(a, b, f)
    monkeypatch.setattr("rankscope.universe.two_measures.concordant_pairs.math.prod", lambda _: 1 << 62)
    assert with_feature(a, b, f) == usual


def test_more_features_than_the_paper_has_at_a_larger_depth():
    found = universe.features(["AP", "DCG"], depth=14)
    assert {row.disagreeing for row in found.rows} == {5119309}  # as counted without features
    assert [row.feature for row in found.rows] == list(FEATURES)
    assert all(row.a_prefers + row.b_prefers + row.tied <= row.disagreeing for row in found.rows)


def test_in_words():
    said = universe.features(["AP", "DCG", "SP"], of=["recall", "first-rel"]).remarks()
    assert said[0] == "Choosing AP over DCG prefers recall (52% v 22%) over an early hit (4% v 72%)."
    assert said[1] == "AP and SP never disagree."
    assert "prefers an early hit" in universe.features(["RBP(p=0.5)", "DCG"], of="first-rel").remarks()[0]
    assert "Choosing RR over AP prefers" in universe.features(["AP", "RR"], of="first-rel").remarks()[0]


@pytest.fixture
def own():
    before = dict(FEATURES)
    yield universe.register_feature
    FEATURES.clear()
    FEATURES.update(before)


def test_features_of_ones_own(own):
    given = universe.features(["AP", "DCG"], of={"top-3": lambda level: level[:, :3].sum(axis=1) / 3})
    own("top-3", lambda level: level[:, :3].sum(axis=1) / 3, words="a good top 3")
    named = universe.features(["AP", "DCG"], of=["top-3"])
    assert given.rows == named.rows
    assert "a good top 3" in named.remarks()[0]
    # every list its own value: AP and DCG always decide by the number that the list spells
    every = universe.features(["AP", "DCG"], of={"number": lambda level: level @ (1 << np.arange(9, -1, -1))}).rows[0]
    assert every.tied == 0
    assert every.a_prefers + every.b_prefers <= every.disagreeing


def test_unknown_features():
    with pytest.raises(InputError) as caught:
        universe.features(["AP", "DCG"], of=["recal", "luck"])
    assert "features: 'recal' is unknown; did you mean recall?" in str(caught.value)
    assert "features: 'luck' is unknown" in str(caught.value)
    assert "features are recall, first-rel, first-irrel, lowest-rel, longest-run" in str(caught.value)
    for none in ([], {}):
        with pytest.raises(InputError, match="no feature is named"):
            universe.features(["AP", "DCG"], of=none)
    with pytest.raises(InputError, match="feature wrong gave numbers of shape"):
        universe.features(["AP", "DCG"], of={"wrong": lambda level: level})
    with pytest.raises(InputError, match="undefined has no score for 1023 of 1023"):
        universe.features(["AP", "DCG"], of={"undefined": lambda level: np.full(len(level), np.nan)})


def test_shapes():
    found = universe.features(["AP", "DCG"], depth=6)
    assert found.to_frame().height == 5
    assert set(found.to_dict()["features"][0]) >= {"a", "b", "feature", "disagreeing", "a_prefers_percent"}
    assert found.to_markdown().count("|") > 40
    assert "first-irrel" in found.to_latex()
