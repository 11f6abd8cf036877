"""Rank-biased overlap with ties: the authors' values, by hand, slow twins, properties."""

import csv
import gzip
import math
import re
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.errors import InputError
from rankscope.statistics.correlations.rbo import rbo, tied_ranking

VARIANTS = ("w", "a", "b")


def parsed(text):
    """'i1 (i2 i3)' as a ranking."""
    return [frozenset(g[1:-1].split()) if g.startswith("(") else g for g in re.findall(r"\([^)]*\)|\S+", text)]


@pytest.mark.parametrize("ties", VARIANTS)
def test_against_corsi_and_urbano(data, ties):
    """All 500 rows of their test file, extrapolated, minimum, maximum, residual."""
    with gzip.open(data / "rbo-ties" / "test-500.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 500
    for row in rows:
        got = rbo(parsed(row["x"]), parsed(row["y"]), p=float(row["p"]), variant=ties)
        expected = [float(row[f"{ties}.{name}"]) for name in ("ext", "min", "max", "res")]
        assert [got.extrapolated, got.minimum, got.maximum, got.residual] == pytest.approx(expected, abs=1e-12)


def test_by_hand():
    # agreement 0/1, 1/2 (b), 2/3 (b, a); the rest of both unknown
    got = rbo(["a", "b", "c"], ["b", "d", "a"], p=0.5, variant="w")
    assert got.extrapolated == pytest.approx(0.5 * (0 + 0.5 * 0.5 + 0.25 * 2 / 3) + 0.125 * 2 / 3)
    # below: 2 items stay in common out of d, for all d > 3
    assert got.minimum == pytest.approx(0.5 * (0.25 + 1 / 6) + 2 * (math.log(2) - 1 / 2 - 1 / 8 - 1 / 24))


@st.composite
def rankings(draw, letters="abcdefg", longest=5):
    items = draw(st.permutations(letters))[: draw(st.integers(1, longest))]
    groups = []
    for item in items:
        if groups and draw(st.booleans()):
            groups[-1].add(item)
        else:
            groups.append({item})
    return [frozenset(group) for group in groups]


def broken(ranking):
    """Every ranking without ties that the groups allow."""
    for orders in product(*(list(permutations(sorted(group))) for group in ranking)):
        yield [item for order in orders for item in order]


def literal(x, y, p, depth=4000):
    """Webber, Moffat and Zobel's sum, both rankings given to the full depth, without ties."""
    seen_x, seen_y, total = set(), set(), 0.0
    for d in range(1, depth + 1):
        seen_x |= {x[d - 1]} if d <= len(x) else {("x", d)}
        seen_y |= {y[d - 1]} if d <= len(y) else {("y", d)}
        if d <= max(len(x), len(y)) + 1:
            common = len(seen_x & seen_y)
        total += p ** (d - 1) * common / d
    return (1 - p) * total


@settings(max_examples=40)
@given(rankings(), rankings())
def test_a_is_the_mean_over_broken_ties(x, y):
    """Of the bounds of equally long rankings this holds term by term; of the minimum always."""
    got = rbo(x, y, p=0.8, variant="a")
    single = [rbo(one, other, p=0.8) for one in broken(x) for other in broken(y)]
    assert got.minimum == pytest.approx(np.mean([s.minimum for s in single]), abs=1e-12)
    if sum(map(len, x)) == sum(map(len, y)):
        assert got.maximum == pytest.approx(np.mean([s.maximum for s in single]), abs=1e-12)
        assert got.extrapolated == pytest.approx(np.mean([s.extrapolated for s in single]), abs=1e-12)


@settings(max_examples=25)
@given(rankings(), rankings())
def test_minimum_is_the_plain_sum_with_nothing_more_in_common(x, y):
    one, other = next(broken(x)), next(broken(y))
    assert rbo(one, other, p=0.7).minimum == pytest.approx(literal(one, other, 0.7, 200), abs=1e-12)


@given(rankings(), rankings(), st.floats(0.05, 0.99), st.sampled_from(VARIANTS))
def test_bounds_and_symmetry(x, y, p, ties):
    got, back = rbo(x, y, p=p, variant=ties), rbo(y, x, p=p, variant=ties)
    assert got.minimum - 1e-12 <= got.extrapolated <= got.maximum + 1e-12
    assert 0 <= got.minimum <= got.maximum <= 1 + 1e-12
    assert (got.extrapolated, got.minimum, got.maximum) == pytest.approx(
        (back.extrapolated, back.minimum, back.maximum)
    )


@given(rankings(), st.floats(0.05, 0.99))
def test_a_ranking_and_itself(x, p):
    assert rbo(x, x, p=p, variant="w").extrapolated == pytest.approx(1)
    assert rbo(x, x, p=p, variant="b").extrapolated == pytest.approx(1)
    assert rbo(x, x, p=p, variant="a").extrapolated <= 1 + 1e-12


@given(rankings(), rankings(), st.floats(0.05, 0.99))
def test_b_is_never_below_a(x, y, p):
    assert rbo(x, y, p=p, variant="a").extrapolated <= rbo(x, y, p=p, variant="b").extrapolated + 1e-12


@given(rankings(), rankings(), st.floats(0.05, 0.99))
def test_without_ties_all_variants_agree(x, y, p):
    x, y = next(broken(x)), next(broken(y))
    w, a, b = (rbo(x, y, p=p, variant=ties) for ties in VARIANTS)
    for other in (a, b):
        for name in ("extrapolated", "minimum", "maximum"):
            assert getattr(other, name) == pytest.approx(getattr(w, name), abs=1e-12)


def test_from_scores():
    scores = {"bm25": 0.3, "ql": 0.1 + 0.2, "tfidf": 0.1}
    ranking = tied_ranking(scores)
    assert ranking == [{"bm25", "ql"}, {"tfidf"}]
    assert rbo(ranking, [{"bm25", "ql"}, "tfidf"], variant="b").extrapolated == pytest.approx(1)
    assert len(tied_ranking(scores, tolerance=0)) == 3
    assert "extrapolated" in str(rbo(ranking, ranking))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rbo(["a"], ["a"], p=1), "p=1"),
        (lambda: rbo(["a"], ["a"], p=0), "p=0"),
        (lambda: rbo(["a"], ["a"], variant="c"), "variant='c'"),
        (lambda: rbo([], ["a"]), "an empty ranking"),
        (lambda: rbo([set()], ["a"]), "an empty ranking"),
        (lambda: rbo(["a", {"b", "a"}], ["a"]), "'a' is in a ranking twice"),
        (lambda: rbo("abc", ["a"]), "a string as a ranking"),
        (lambda: tied_ranking({"a": math.nan}), "'a': the score is nan"),
    ],
)
def test_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
