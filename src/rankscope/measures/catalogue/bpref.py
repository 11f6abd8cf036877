"""Measures that trust only what was judged: Bpref, inferred AP, and the share of judged documents."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.catalogue.ap import LEAST
from rankscope.measures.catalogue.weights import hits, rank_sum, ranks
from rankscope.measures.record import Measure

EPSILON = 1e-5  # trec_eval's smoothing of infAP


def bpref(relevant: Bools, nonrelevant: Bools, total: Ints, total_nonrelevant: Ints) -> Floats:
    """Share of judged non-relevant documents kept below each relevant one."""
    found, depth = hits(relevant), nonrelevant.shape[-1]
    so_far = np.append(0, np.cumsum(nonrelevant))  # over all lists, one after the other
    above = so_far[found.row * depth + found.rank] - so_far[found.row * depth]
    most = np.maximum(np.minimum(total, total_nonrelevant), 1)
    return found.sum(1 - np.minimum(above, found.each(total)) / found.each(most)) / total


def inferred_ap(relevant: Bools, nonrelevant: Bools, pooled: Bools, total: Ints) -> Floats:
    """AP with the precision above each relevant document estimated from the judged part of the pool."""
    relevant_above, nonrelevant_above, pooled_above = (
        np.add.accumulate(x, axis=-1, dtype=np.float64) for x in (relevant, nonrelevant, pooled)
    )
    relevant_above = relevant_above - relevant  # above this rank
    share = (relevant_above + EPSILON) / (relevant_above + nonrelevant_above + 2 * EPSILON)
    expected = (1 + (relevant_above + nonrelevant_above + pooled_above) * share) / ranks(relevant.shape[-1])
    return rank_sum(relevant * expected) / total


def judged_share(judged: Bools, retrieved: Ints) -> Floats:
    """Share of the retrieved documents, down to the cutoff, that were judged; 0 for an empty list."""
    return np.count_nonzero(judged, axis=-1) / np.maximum(retrieved, 1)


def unjudged_share(unjudged: Bools, pooled: Bools, *, cutoff: int) -> Floats:
    """Share of the first `cutoff` ranks that are unjudged; ranks past the end of the list are not."""
    return np.count_nonzero(unjudged | pooled, axis=-1) / cutoff


def log_bpref(relevant: Bools, nonrelevant: Bools, total: Ints, total_nonrelevant: Ints) -> Floats:
    """Logarithm of Bpref, which counts as 0.00001 where it is less."""
    return np.log(np.maximum(bpref(relevant, nonrelevant, total, total_nonrelevant), LEAST))


Bpref = Measure(
    name="Bpref",
    kernel=bpref,
    formula=r"\frac{1}{R} \sum_{i} r_i \left( 1 - \frac{\min(R, \#\text{non-relevant above } i)}{\min(R, N)} \right)",
    user_model="Wants judged relevant documents above judged non-relevant ones and ignores the rest.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    breaks_ipso="it skips unjudged documents: one in place of a judged non-relevant one, alike for IPSO, raises it",
    reference="buckley2004incomplete",
    oracle="pytrec_eval:bpref",
    trec=("bpref", None),
    note="A negative grade counts as unjudged here, as in trec_eval.",
)

infAP = Measure(
    name="infAP",
    kernel=inferred_ap,
    formula=r"\frac{1}{R} \sum_{i} r_i \left( \frac{1}{i} + \frac{i-1}{i} \cdot \frac{|pool_{<i}|}{i-1} \cdot "
    r"\frac{|rel_{<i}| + \epsilon}{|rel_{<i}| + |non_{<i}| + 2\epsilon} \right)",
    user_model="The reader of AP, where only a sample of the pool was judged.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    breaks_ipso="it skips unjudged documents: one in place of a judged non-relevant one, alike for IPSO, moves it",
    reference="yilmaz2006infap",
    oracle="pytrec_eval:infAP",
    trec=("infAP", None),
    note="A negative grade says: in the pool, but not judged.",
)

Judged = Measure(
    name="Judged",
    kernel=judged_share,
    formula=r"\frac{1}{\min(k, n)} \sum_{i=1}^{k} [\, i \text{ judged} \,]",
    user_model="Says how far the other numbers can be trusted.",
    bounds=(0.0, 1.0),
    needs="nothing",
    improves="grades",
    breaks_ipso="it counts judged documents, relevant or not",
    reference="buckley2004incomplete",
    oracle="none: the slow twin",
    note="A negative grade is a judgment.",
)

unj = Measure(
    name="unj",
    kernel=unjudged_share,
    formula=r"\frac{1}{k} \sum_{i=1}^{k} [\, i \text{ not judged} \,]",
    user_model="Says how far the other numbers can be trusted.",
    bounds=(0.0, 1.0),
    needs="nothing",
    cutoff_rule="required",
    breaks_ipso="it counts judged documents, relevant or not",
    reference="buckley2005trec_eval",
    oracle="trec_eval 10:unj",
    trec=(None, "unj_{}"),
    note="A negative grade counts as unjudged, and a list shorter than k is divided by k, as in trec_eval 10. Judged@k "
    "does neither.",
)

gm_bpref = Measure(
    name="gm_bpref",
    kernel=log_bpref,
    formula=r"\ln \max(Bpref, 10^{-5})",
    user_model="The reader of Bpref, where topics that go badly weigh most.",
    bounds=(float(np.log(LEAST)), 0.0),
    cutoff_rule="none",
    aggregate="geometric",
    breaks_ipso="it skips unjudged documents, as Bpref does",
    reference="robertson2006gmap",
    oracle="trec_eval 10:gm_bpref",
    trec=("gm_bpref", None),
    note="The score of a topic is a logarithm, as with gm_map.",
)
