"""Largest difference of two lists of a topic over all grades of their unjudged documents: one argument per family.

A document has one grade in both lists and adds to one recall base. Each argument gives the highest score of b less that
of a; the lowest is that of the lists the other way round.

Sums over ranks. What a document adds to the difference is its gain times the weight of its rank in b less that in a:
it has the best grade where that is positive, else the worst.

nDCG. The difference is N(x)/D(x), N linear with these coefficients c, D the DCG of the ideal list. With the gains as a
multiset D is settled, and N is greatest if they fall with c. Cut into layers of gain as in `ndcg`, with U(m) the sum
of the m largest c, a ratio L is beaten where some m_t make the sum over layers of U(m_t) - L C(a_t + m_t) larger
(Dinkelbach 1967). For L >= 0 each layer has its own best m_t, which falls with t. For L < 0 every summand is concave in
m, and its best m_t would rise with t, which no assignment does: then all m_t are equal, as in isotonic regression, and
gains are the lowest or the highest.

R, F and Rprec. With m relevant documents the recall base is settled, and the difference is linear, its coefficients in
the same order: the first m of this order are relevant, for one of n + 1 values of m.

RR, Success. The score is that of one document, so at most one of those that both lists hold need be relevant.

AP. With x_d = 1 for relevant documents, R AP is the sum over pairs of x_d x_e / (the larger of their ranks), a pair of
one document with itself included. In the difference a pair has the coefficient c_de of b less that of a. A pair of
unjudged documents is worth at most max(c_de, 0), half of which each of the two carries. With m relevant a document has
m - 1 partners, at most those that are worth most; then as for R. The bound need not be attained. Where a topic has many
unjudged documents, partners are looked at in groups of similar ranks, each as good as the best of its group could be.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from rankscope import kernels
from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Floats, Ints
from rankscope.measures.bounding.enumeration import LIMIT
from rankscope.measures.bounding.ndcg import ideal_discounts
from rankscope.measures.bounding.open_pair import OpenPair
from rankscope.measures.bounding.possible_grades import Classes, filled, scored
from rankscope.measures.bounding.rank_sums import after, at, running, share
from rankscope.measures.catalogue.ap import AP, Rprec
from rankscope.measures.catalogue.counts import NumRel, NumRelRet
from rankscope.measures.catalogue.dcg import DCG, SDCG, nDCG
from rankscope.measures.catalogue.err import ERR
from rankscope.measures.catalogue.f import F, SetF
from rankscope.measures.catalogue.generalised import gP, gR, gRBP
from rankscope.measures.catalogue.p import P, SetP
from rankscope.measures.catalogue.r import R, R_cap
from rankscope.measures.catalogue.rbp import RBP
from rankscope.measures.catalogue.rr import RR, Success
from rankscope.measures.catalogue.weights import logarithmic, ranks
from rankscope.measures.cwla import measure as cwla
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Kernel, Measure

Highest = tuple[Floats, Bools]
"""(T) highest difference, and where some grades attain it."""

_PAIRS = 1 << 22  # of unjudged documents at a time
_PAIRED = 200  # unjudged documents of a topic all of whose pairs are looked at
_CELLS = 1 << 17  # of lists that are scored for one topic


def additive(pair: OpenPair, measure: Measure, kinds: Classes) -> Highest:
    """Sums over ranks; a reader who goes on past the end may find the best there in b, and nothing in a."""
    inside = pair.inside(measure)
    if measure.kernel in (P.kernel, gP.kernel, SetP.kernel, NumRelRet.kernel):
        length = np.count_nonzero(pair.lists.cut(measure), axis=-1)[..., None]
        weight = inside / (np.maximum(length, 1) if measure.kernel is SetP.kernel else 1)
    else:  # weights fall with the rank
        weight = -np.where(inside, pair.rank, pair.lists.code.shape[-1]).astype(np.float64)
    highest = pair.difference(np.where(weight[1] > weight[0], kinds.best, kinds.worst), measure)
    return highest, _all(pair)


def ndcg(pair: OpenPair, measure: Measure, kinds: Classes) -> Highest:
    """nDCG, with the ideal list of the grades.

    Where the lowest gain is 0, a ratio of 0 or more is highest if all documents have it that do not add to the
    difference. So it is enough to look at those that b has at a better rank than a, on all topics but those where the
    highest ratio of these is below 0.
    """
    topics, highest = np.arange(pair.lists.code.shape[1]), np.empty(pair.lists.code.shape[1])
    if kinds.gain[0] == 0:
        highest = _raised(pair, measure, kinds)
        topics = np.flatnonzero(highest < 0)
    if topics.size:
        highest[topics] = _regraded(pair.on(topics), measure, kinds)
    return highest, _all(pair)


def _raised(pair: OpenPair, measure: Measure, kinds: Classes) -> Floats:
    """(T) highest difference if only documents that b has at a better rank have any gain."""
    new = pair.lists.cut(measure)[1] == UNJUDGED
    depth = new.shape[-1]
    discount = logarithmic(depth, measure.values["base"])
    coefficient = np.where(new, discount - np.append(discount, 0.0)[pair.elsewhere(depth)[1]], 0.0)
    base, *layers = _layers(pair.lists, measure, kinds, discount, depth)
    return kernels.largest_ratio(coefficient, coefficient > 0, base, np.zeros(len(base)), *layers)[1]


def _regraded(pair: OpenPair, measure: Measure, kinds: Classes) -> Floats:
    """(T) highest difference over all grades of all documents."""
    lists, n = pair.lists, pair.n
    depth = lists.cut(measure).shape[-1]
    discount = logarithmic(depth, measure.values["base"])
    weight = np.append(discount, 0.0)[np.minimum(pair.rank, depth)]
    coefficient = np.where(pair.there, weight[1] - weight[0], 0.0)
    base, gain, have, ideal = _layers(lists, measure, kinds, discount, coefficient.shape[-1] + int(n.max(initial=0)))
    lowest = kinds.gain[0]
    floor = lowest * ideal[lists.available[..., lists.gain_table(measure)[FIRST_GRADE:] >= lowest].sum(axis=-1) + n]
    base = base + lowest * coefficient.sum(axis=-1)
    level, _ = kernels.largest_ratio(coefficient, pair.there, base, floor, gain, have, ideal)
    return pair.difference(kinds.code[level], measure)


def _layers(
    lists: MeasureInputs, measure: Measure, kinds: Classes, discount: Floats, more: int
) -> tuple[Floats, Floats, Ints, Floats]:
    """What judged documents settle.

    Gain (T) of b less that of a; of the L layers but the lowest the gain, and how many judged documents (L, T) have it;
    and the ideal sums of discounts, with so many documents more.
    """
    table = lists.gain_table(measure)[FIRST_GRADE:]
    judged = np.stack([lists.available[..., table >= gain].sum(axis=-1) for gain in kinds.gain])
    gain = (lists.input("gain", measure) * discount).sum(axis=-1)
    ideal = ideal_discounts(measure, int(judged[0].max(initial=0)) + more)
    return gain[1] - gain[0], np.diff(kinds.gain), judged[1:], ideal


def counted(pair: OpenPair, measure: Measure, kinds: Classes) -> Highest:
    """R, R_cap, SetR, F and SetF."""
    lists, inside = pair.lists, pair.inside(measure)
    length = np.count_nonzero(lists.cut(measure), axis=-1)[..., None]
    weight = inside / (1.0 + length if measure.kernel is SetF.kernel else 1.0)
    order, _ = _falling(weight[1] - weight[0], pair.there)
    found = np.count_nonzero(lists.input("relevant", measure), axis=-1)[..., None]
    hits = found + running(np.take_along_axis(inside & pair.there, np.broadcast_to(order, inside.shape), axis=-1))
    m = np.arange(hits.shape[-1])
    total = lists.total(measure)[:, None] + m
    beta = measure.values.get("beta", 1.0) ** 2
    base = {
        R.kernel: total,
        R_cap.kernel: np.minimum(total, measure.cutoff or 0),
        F.kernel: beta * total + (measure.cutoff or 0),
        SetF.kernel: beta * total + length,
    }[measure.kernel]
    a, b = share(hits, base)
    return _first(pair, measure, kinds, order, np.where(m <= pair.n[:, None], b - a, -np.inf).argmax(axis=-1))


def r_precision(pair: OpenPair, measure: Measure, kinds: Classes) -> Highest:
    """Rprec looks down to rank R + m, where m unjudged documents are relevant."""
    lists, depth = pair.lists, pair.lists.code.shape[-1]
    topics, n = len(pair.there), pair.n[:, None]
    m = np.arange(pair.there.shape[-1] + 1)
    wanted = lists.total(measure)[:, None] + m
    a, b = pair.rank
    ahead = []  # documents that one list holds down to a rank, and the other does not
    for first, second in ((b, a), (a, b)):
        t, u = np.nonzero(pair.there & (first < second))
        steps = np.zeros((topics, depth + 2), np.int64)
        np.add.at(steps, (t, first[t, u] + 1), 1)
        np.add.at(steps, (t, second[t, u] + 1), -1)
        ahead.append(at(np.cumsum(steps[:, : depth + 1], axis=-1), wanted))
    found = [at(running(x), wanted) for x in lists.input("relevant", measure)]
    gained = found[1] - found[0] + np.minimum(m, ahead[0]) - np.maximum(0, m - (n - ahead[1]))
    count = np.where(m <= n, share(gained, wanted), -np.inf)
    chosen = count.argmax(axis=-1)
    looked = np.minimum(at(wanted, chosen[:, None]), depth)
    order, _ = _falling((b < looked) * 1.0 - (a < looked), pair.there)
    return _first(pair, measure, kinds, order, chosen)


def generalised_recall(pair: OpenPair, measure: Measure, kinds: Classes) -> Highest:
    """gR is linear over linear, so gains are the highest where b - a has more weight than a threshold, else lowest."""
    a, b = pair.inside(measure)
    weight = b * 1 - a * 1
    codes = np.where(np.stack([weight > level for level in (1, 0, -1, -2)]), kinds.best, kinds.worst)
    return pair.difference(codes[:, None].repeat(2, axis=1), measure).max(axis=0), _all(pair)


def first_relevant(pair: OpenPair, measure: Measure, kinds: Classes) -> Highest:
    """RR and Success."""
    a, b = pair.inside(measure)
    worth = 1 / (pair.rank + 1.0) if measure.kernel is RR.kernel else np.ones(pair.rank.shape)
    base = pair.scores(np.where(b & ~a, kinds.best, kinds.worst), measure)[..., None]
    shared = np.where(a & b, np.maximum(base[1], worth[1]) - np.maximum(base[0], worth[0]), -np.inf)
    none = (base[1] - base[0])[:, 0]
    chosen = np.zeros_like(a)
    if shared.shape[-1]:
        top = shared.argmax(axis=-1)
        t = np.flatnonzero(shared[np.arange(len(top)), top] > none)
        chosen[t, top[t]] = True
    return pair.difference(np.where((b & ~a) | chosen, kinds.best, kinds.worst), measure), _all(pair)


def monotone(pair: OpenPair, measure: Measure, kinds: Classes) -> Highest:
    """Any score that a better grade never lowers and that knows no recall base.

    Documents of b alone are best and those of a alone worst. All grades are tried for the first of those that both
    lists hold; the others are the best in b and the worst in a, and then the bound need not be attained.
    """
    a, b = pair.inside(measure)
    shared = a & b
    n = np.count_nonzero(shared, axis=-1)
    codes = np.array([kinds.worst, kinds.best]) if measure.kernel is ERR.kernel else kinds.code  # linear in each gain
    tried, size = 0, 1
    while tried < n.max(initial=0) and size * len(codes) <= min(LIMIT, _CELLS // max(1, pair.lists.code.shape[-1])):
        tried, size = tried + 1, size * len(codes)
    order = np.argsort(np.where(shared, pair.rank.min(axis=0), pair.lists.code.shape[-1]), axis=-1, kind="stable")
    outer = np.stack([np.full(a.shape, kinds.worst), np.where(b, kinds.best, kinds.worst)])
    highest = np.full(len(n), -np.inf)
    for assignment in product(codes.tolist(), repeat=tried):
        sides = outer.copy()
        for place, code in enumerate(assignment):
            t = np.flatnonzero(n > place)
            sides[:, t, order[t, place]] = code
        highest = np.maximum(highest, pair.difference(sides, measure))
    return highest, n <= tried


def average_precision(pair: OpenPair, measure: Measure, kinds: Classes) -> Highest:
    """AP by pairs of documents, by groups of documents on topics with more than `_PAIRED`."""
    lists = pair.lists
    relevant = lists.input("relevant", measure)
    depth = relevant.shape[-1]
    inverse = 1 / ranks(depth)
    above = running(relevant)[..., :-1]
    single = np.concatenate([inverse * (1 + above) + after(inverse * relevant), np.zeros((*above.shape[:-1], 1))], -1)
    found = (inverse * (above + 1) * relevant).sum(axis=-1)
    rank = np.minimum(pair.rank, depth)
    alone = at(single[1], rank[1]) - at(single[0], rank[0])
    weight = np.append(inverse, 0.0)
    base, total = found[1] - found[0], lists.total(measure)
    highest = share(base, total)  # with none of them relevant

    def raised(topics: Ints, here: Bools, carried: Callable[[int], Any]) -> None:
        """Take in the best of each number of relevant documents, which carry so much with so many partners."""
        width = here.shape[-1]
        for fewest, most in _grid(width):
            worth = np.where(here, alone[topics, :width] + carried(most - 1), -np.inf)
            best = -np.sort(-worth, axis=-1)[:, :most]
            sums = np.cumsum(best, axis=-1)[:, fewest - 1 :]  # -inf where there are fewer documents
            m = np.arange(fewest, fewest + sums.shape[-1])
            ratio = share(base[topics, None] + sums, total[topics, None] + m)
            highest[topics] = np.maximum(highest[topics], ratio.max(axis=-1, initial=-np.inf))

    few = np.flatnonzero(pair.n <= _PAIRED)
    width = int(pair.n[few].max(initial=0))
    step = max(1, _PAIRS // max(1, width**2))
    for start in range(0, len(few), step):
        topics = few[start : start + step]
        here = pair.there[topics, :width]
        a, b = (weight[np.maximum(r[topics, :width, None], r[topics, None, :width])] for r in rank)
        both = np.maximum(b - a, 0.0) * (here[:, :, None] & here[:, None, :])
        both[:, range(width), range(width)] = 0.0
        partners = np.cumsum(-np.sort(-both, axis=-1), axis=-1) / 2  # of the best 1, 2, ... partners
        raised(topics, here, partial(_paired_partners, partners))
    for t in np.flatnonzero(pair.n > _PAIRED).tolist():
        n = int(pair.n[t])
        raised(np.array([t]), pair.there[[t], :n], _grouped_partners(rank[:, t, :n], weight))
    return highest, ~_all(pair)


def _paired_partners(sums: Floats, partners: int) -> Any:
    """What each document carries with so many partners, from sums over the best 1, 2, ... of them."""
    return sums[..., partners - 1] if partners else 0.0


def _grouped_partners(rank: Ints, weight: Floats) -> Callable[[int], Floats]:
    """What each document (U) carries with so many partners at most, which are looked at in groups of similar ranks.

    A partner counts as if it stood at the best rank of its group in b and at the worst in a, so that the bound is
    wider. There are at most so many groups as pairs of bands of ranks, whatever the number of documents.
    """
    a, b = rank
    band = np.searchsorted(_bands(len(weight)), rank, side="right")
    _, group, count = np.unique(band[0] * len(weight) + band[1], return_inverse=True, return_counts=True)
    best, worst = np.full(len(count), len(weight)), np.zeros(len(count), np.int64)
    np.minimum.at(best, group, b)
    np.maximum.at(worst, group, a)
    value = np.maximum(weight[np.maximum(b[:, None], best)] - weight[np.maximum(a[:, None], worst)], 0.0)
    number = np.repeat(count[None], len(a), axis=0)
    number[np.arange(len(a)), group] -= 1  # a document is not its own partner
    order = np.argsort(-value, axis=-1, kind="stable")
    value, number = (np.take_along_axis(x, order, axis=-1) for x in (value, number))
    ends, sums = np.cumsum(number, axis=-1), np.cumsum(value * number, axis=-1)
    row = np.arange(len(a))
    keys = (ends + row[:, None] * len(a)).ravel()  # increasing, as a row ends at len(a) - 1

    def carried(partners: int) -> Floats:
        place = np.searchsorted(keys, partners + row * len(a)) - row * value.shape[-1]
        place = np.minimum(place, value.shape[-1] - 1)
        past = np.maximum(ends[row, place] - partners, 0)
        half: Floats = (sums[row, place] - past * value[row, place]) / 2
        return half

    return carried


def _bands(depth: int) -> Ints:
    """Ranks, from 0, at which bands begin: the first ones alone, later ones half as wide as all before."""
    starts = [0]
    while starts[-1] < depth:
        starts.append(max(starts[-1] + 1, starts[-1] * 3 // 2))
    return np.array([*starts[1:-1], depth - 1])  # lists that lack a document have a band of their own


def _grid(most: int) -> list[tuple[int, int]]:
    """Numbers from 1 to `most` in spans, the first ones alone, later ones together."""
    spans, first = [], 1
    while first <= most:
        last = min(most, max(first, first * 21 // 20))
        spans.append((first, last))
        first = last + 1
    return spans


ARGUMENTS: dict[Kernel, Callable[[OpenPair, Measure, Classes], Highest]] = {
    **dict.fromkeys(
        (P.kernel, SetP.kernel, gP.kernel, NumRel.kernel, NumRelRet.kernel, DCG.kernel, SDCG.kernel, RBP.kernel,
         gRBP.kernel, cwla.insq), additive,
    ),
    nDCG.kernel: ndcg,
    **dict.fromkeys((R.kernel, R_cap.kernel, F.kernel, SetF.kernel), counted),
    Rprec.kernel: r_precision,
    gR.kernel: generalised_recall,
    RR.kernel: first_relevant,
    Success.kernel: first_relevant,
    AP.kernel: average_precision,
}  # fmt: skip
"""Measures with an argument of their own."""


def past_the_end(pair: OpenPair, measure: Measure, kinds: Classes, highest: Floats) -> Floats:
    """What a reader of b may find past the end of the list: highest score less that with the best documents in it."""
    lists = MeasureInputs(pair.lists.code[1], pair.lists.grades, pair.lists.available)
    return highest - scored(filled(lists, True, kinds.worst, kinds.best), measure)


def _falling(coefficient: Floats, there: Bools) -> tuple[Ints, Floats]:
    """Order of documents by falling coefficient, those that are not there last; the coefficients, 0 for these."""
    order = np.argsort(np.where(there, -coefficient, np.inf), axis=-1, kind="stable")
    return order, np.take_along_axis(np.where(there, coefficient, 0.0), order, axis=-1)


def _unsorted(codes: Ints, order: Ints) -> Ints:
    placed = np.empty_like(codes)
    np.put_along_axis(placed, order, codes, axis=-1)
    return placed


def _first(pair: OpenPair, measure: Measure, kinds: Classes, order: Ints, m: Ints) -> Highest:
    """The difference with the first m documents of an order relevant."""
    codes = np.where(np.arange(order.shape[-1]) < m[:, None], kinds.best, kinds.worst)
    return pair.difference(_unsorted(codes, order), measure), _all(pair)


def _all(pair: OpenPair) -> Bools:
    return np.ones(pair.lists.code.shape[1], np.bool_)
