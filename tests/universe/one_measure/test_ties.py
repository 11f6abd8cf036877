"""Ties of reciprocal rank, lexiprecision and any measure: golden values, all arrangements, all rankings."""

import itertools
import json
from collections import Counter
from fractions import Fraction
from math import comb, lcm
from pathlib import Path

import pytest

from rankscope import InputError, measure
from rankscope.universe import distinct_values, position_orders, tie_curve, values_gained

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "lexi.json").read_text())["entries"]


def of_kind(kind):
    return pytest.mark.parametrize("entry", [e for e in GOLDEN if e["kind"] == kind], ids=lambda e: e["id"])


@of_kind("tie_probability")
def test_figure_2(entry):
    n, m, ranks = (entry["inputs"][name] for name in ("n", "m", "p1"))
    expected = pytest.approx(entry["expected"]["probability"], abs=entry["tolerance"])
    assert [float(p) for p in tie_curve(n, m, ranks).probability[0]] == expected


def _by_formula(p, n, m):
    return Fraction(comb(n - p, m - 1), comb(n, m))


def test_figure_2_as_drawn():
    found = tie_curve()
    columns = found.columns()
    assert len(columns["p1"]) == 4 * 500
    for m, p1, probability in list(zip(*columns.values(), strict=True))[::97]:
        assert probability == float(_by_formula(p1, 50_000, m))
    assert found.to_frame().columns == ["m", "p1", "probability"]
    assert "0.005000" in str(found)
    assert found.to_dict()["documents"] == 50_000
    gaps = tie_curve(1000, 3, [900, 2, 500]).probability[0]  # any ranks, in any order
    assert gaps == tuple(_by_formula(p, 1000, 3) for p in (900, 2, 500))


@of_kind("eq1")
def test_equation_1(entry):
    n, m, k = (entry["inputs"][name] for name in ("n", "m", "k"))
    assert values_gained(n, m, k) == Fraction(entry["expected"]["exact"])
    assert float(values_gained(n, m, k)) == pytest.approx(entry["expected"]["ratio"], abs=entry["tolerance"])
    assert position_orders(n, m).lexiprecision_places == entry["expected"]["values_before"]


@of_kind("counts")
def test_values(entry):
    orders = position_orders(entry["inputs"]["n"], entry["inputs"]["m"])
    assert orders.rr_places == entry["expected"]["distinct_p1"]
    assert orders.lexiprecision_places == entry["expected"]["distinct_position_vectors"]


@pytest.mark.parametrize("n", [1, 4, 7])
def test_all_arrangements(n):
    """Reciprocal rank and lexiprecision of every arrangement of every m."""
    for m in range(1, n + 1):
        arrangements = list(itertools.combinations(range(1, n + 1), m))
        first = Counter(arrangement[0] for arrangement in arrangements)
        orders = position_orders(n, m)
        assert orders.rr_places == len(first)
        assert orders.lexiprecision_places == len(set(arrangements))
        ranks = sorted(first)
        shares = tuple(Fraction(first[p], len(arrangements)) for p in ranks)
        assert tie_curve(n, m, ranks).probability == (shares,)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: tie_curve(10, 2, [0]), "ranks from 1 to 9"),
        (lambda: tie_curve(10, 2, [10]), "ranks from 1 to 9"),
        (lambda: tie_curve(10, [2, 11], [1]), "relevant=11"),
        (lambda: tie_curve(10, 2, []), "expected ranks from 1 to 9"),
        (lambda: tie_curve(0, 1, [1]), "documents=0"),
        (lambda: tie_curve(10, [0, True], [1]), "2 problems"),
        (lambda: tie_curve(10**7, 10**6, [1]), "binary digits"),
        (lambda: values_gained(10, 3, 8), "from 0 to 7"),
        (lambda: distinct_values([], 3), "no measure is given"),
        (lambda: distinct_values("P", 0), "depth=0"),
        (lambda: distinct_values("P", 60), "GiB of memory"),
        (lambda: distinct_values("NoSuch", 3), "NoSuch"),
    ],
)
def test_bad_input(call, match):
    with pytest.raises(InputError, match=match):
        call()


@pytest.mark.parametrize("name", ["P", "RR", "AP", "RBP(p=0.5)", "RBP(p=0.8)", "ERR", "Success"])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_values_as_fractions(name, k):
    rows = list(itertools.product((0, 1), repeat=k))
    size = Counter(measure(f"{name}@{k}").exact_scores(rows, [[0] * k + [1] * k] * len(rows)).tolist())
    found = distinct_values(name, k)
    assert found.values == (len(size),)
    assert found.tied == (sum(comb(c, 2) for c in size.values()),)
    assert found.exact == (True,)


def test_values_that_the_papers_name():
    """Four values of Prec@3 and of RR@3, eight of RBP(0.5)@3; ten tied pairs of AP at k = 6."""
    found = distinct_values(["P", "RR", "RBP(p=0.5)"], 3)
    assert found.values == (4, 4, 8)
    assert distinct_values("AP", 6).tied == (10,)


def test_values_in_doubles():
    """Beyond 4096 rankings: AP over whole numbers of 1 / lcm(1, ..., k)."""
    k = 14
    unit, size = lcm(*range(1, k + 1)), Counter()
    for row in itertools.product((0, 1), repeat=k):
        hits = list(itertools.accumulate(row))
        size[sum(hits[i] * (unit // (i + 1)) for i in range(k) if row[i])] += 1
    found = distinct_values(["AP", "nDCG"], [3, k])
    assert found.measures == ("AP@3", "nDCG@3", f"AP@{k}", f"nDCG@{k}")
    assert found.values[2] == len(size)
    assert found.tied[2] == sum(comb(c, 2) for c in size.values())
    assert not found.exact[3]  # logarithms are no fractions
    assert found.values[3] == 2**k


def test_values_tell_how_far_they_are():
    heard = []
    one = distinct_values("AP", [10, 14], workers=1, progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1)
    assert one.values == distinct_values("AP", [10, 14], workers=2).values
    with pytest.raises(InputError, match=r"0\.0 GiB are there"):
        distinct_values("AP", 20, memory=1 << 20)


def test_values_graded_and_with_few_relevant():
    found = distinct_values(["gP", "gRBP(p=0.25)"], 3, grades=3)
    assert found.values == (10, 64)
    assert distinct_values("RR", 6, recall_base=1).lists == (7,)
    assert distinct_values("RR", 6, recall_base=1).tied == (0,)
    assert found.to_frame().columns == ["measure", "k", "lists", "values", "tied_pairs", "tied_share", "exact"]
    assert json.loads(json.dumps(found.to_dict()))["rows"][0]["values"] == 10
    assert "exactly" in str(found)
