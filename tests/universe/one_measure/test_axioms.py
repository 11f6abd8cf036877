"""Definition 1 of Ferrante, Ferro and Losiouk: a literal twin, relations that break each axiom, orders that hold."""

from itertools import product

import numpy as np
import pytest

from rankscope import InputError, measure
from rankscope.universe import difference_structure, rankings, scale
from rankscope.universe.one_measure.axioms import axioms_of


def literally(relation):
    """Each axiom as it is printed, element by element."""
    n = len(relation)
    each = range(n)
    r = {at: bool(relation[at]) for at in product(each, repeat=4)}

    def no_larger(ab, cd):
        return r[(*ab, *cd)]

    pairs = list(product(each, repeat=2))
    weak = all(no_larger(x, y) or no_larger(y, x) for x in pairs for y in pairs) and all(
        no_larger(x, z) for x in pairs for y in pairs if no_larger(x, y) for z in pairs if no_larger(y, z)
    )
    backwards = all(no_larger((d, c), (b, a)) for a, b, c, d in r if no_larger((a, b), (c, d)))
    monotone = all(
        no_larger((a, c), (x, z))
        for a, b, c, x, y, z in product(each, repeat=6)
        if no_larger((a, b), (x, y)) and no_larger((b, c), (y, z))
    )

    def same(x, y):
        return no_larger(x, y) and no_larger(y, x)

    solvable = all(
        any(same((a, e), (c, d)) for e in each) and any(same((e, b), (c, d)) for e in each)
        for a, b, c, d in r
        if no_larger((a, a), (c, d)) and no_larger((c, d), (a, b))
    )
    return {"i": weak, "ii": backwards, "iii": monotone, "iv": solvable}


def by_numbers(difference):
    difference = np.asarray(difference)
    return difference[:, :, None, None] <= difference[None, None, :, :]


def gaps(*scores):
    return np.subtract.outer(scores, scores).T  # [a, b]: from a to b


@pytest.mark.parametrize("seed", range(40))
def test_against_the_printed_axioms(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    kind = seed % 4
    if kind == 0:  # any relation
        relation = rng.random((n, n, n, n)) < rng.choice([0.3, 0.7, 0.97])
    elif kind == 1:  # numbers that are no differences of anything
        relation = by_numbers(rng.integers(0, 3, (n, n)))
    elif kind == 2:  # differences of scores
        relation = by_numbers(gaps(*rng.integers(0, 5, n)))
    else:  # antisymmetric numbers that do not add up
        upper = np.triu(rng.integers(0, 4, (n, n)), 1)
        relation = by_numbers(upper - upper.T)
    found = axioms_of(relation)
    assert {name: at is None for name, at in found.items()} == literally(relation)


def test_each_axiom_can_fail_alone():
    even = by_numbers(gaps(0, 1, 2))
    assert set(axioms_of(even).values()) == {None}
    cyclic = even.copy()
    cyclic[0, 1, 0, 2] = False  # 1 no longer compares with 2
    assert axioms_of(cyclic)["i"] is not None
    assert axioms_of(by_numbers([[0, 1], [1, 0]]))["ii"] is not None  # as far forth as back
    crooked = [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]  # 0 to 2 as far as 0 to 1, though 1 to 2 lies between
    assert [name for name, at in axioms_of(by_numbers(crooked)).items() if at is not None] == ["iii"]
    uneven = axioms_of(by_numbers(gaps(0, 1, 3)))
    assert [name for name, at in uneven.items() if at is not None] == ["iv"]
    a, b, c, d = uneven["iv"]
    assert 0 <= (0, 1, 3)[d] - (0, 1, 3)[c] <= (0, 1, 3)[b] - (0, 1, 3)[a]


@pytest.mark.parametrize(
    ("order", "n", "c"),
    [("set", 6, 1), ("set", 3, 2), ("set", 2, 4), ("rank", 3, 1), ("rank", 4, 1), ("rank", 2, 2), ("rank", 3, 2),
     ("rank", 1, 9)],
)  # fmt: skip
def test_the_orders_of_the_paper(order, n, c):
    """Natural distances make a difference structure, and they are those of SBTO and RBTO."""
    found = difference_structure(n, grades=c, order=order)
    assert found.holds
    assert len(found.axioms) == 4
    name = f"{'SBTO' if order == 'set' else 'RBTO'}(c={c})@{n}"
    pool = [grade for grade in range(c + 1) for _ in range(n)]
    assert measure(name).exact_scores(found.elements, pool).tolist() == list(range(len(found.elements)))
    assert difference_structure(n, grades=c, order=order, measure=name).holds


@pytest.mark.parametrize(
    "name",
    ["P", "RBP(p=0.5)", "RBP(p=0.2)", "RBP(p=0.8)", "AP", "DCG", "ERR", "RR", "RBTO", "nDCG", "Interval(AP@4)",
     "Interval(DCG@4)"],
)  # fmt: skip
def test_differences_of_measures(name):
    """A measure makes one exactly where its different scores are evenly spaced."""
    found = difference_structure(4, measure=name)
    assert [axiom.holds for axiom in found.axioms[:3]] == [True] * 3  # numbers
    scores = np.unique(rankings(4).scores(found.measure).round(12))
    assert found["iv"].holds == np.allclose(np.diff(scores), np.diff(scores)[0])
    if scale(name, depth=4).label in ("interval", "ratio"):
        assert found.holds


@pytest.mark.parametrize(("total", "rbto"), [(1, False), (2, False), (3, True), (4, True)])
def test_lexiprecision_on_the_lists_that_a_topic_allows(total, rbto):
    assert difference_structure(4, measure="LPTO", recall_base=total).holds
    assert difference_structure(4, measure="RBTO", recall_base=total).holds == rbto
    assert difference_structure(4, recall_base=total).holds


def test_shown_and_refused():
    found = difference_structure(3, measure="RR")
    assert str(found).startswith("differences of RR@3, all 8 rankings of 3 documents, grades 0 to 1: no difference")
    a, b, c, d = (float(measure("RR@3").score(run, [0, 0, 0, 1, 1, 1])) for run in found["iv"].rankings)
    assert 0 <= d - c <= b - a
    assert found.to_dict()["holds"] is False
    assert found.to_frame()["axiom"].to_list() == ["i", "ii", "iii", "iv"]
    with pytest.raises(InputError, match="64 rankings are too many"):
        difference_structure(6)
    with pytest.raises(InputError, match="order is one of set, rank"):
        difference_structure(3, order="ipso")
