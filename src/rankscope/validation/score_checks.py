"""Checks of scores and ranks: ties, the rank column, 32-bit scores."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rankscope.errors import plural
from rankscope.validation.findings import VISIBLE, Finding
from rankscope.validation.material import POOLED, TOP, ValidationMaterial, mean, reordered
from rankscope.validation.wording import Numbers, about_collection, about_runs, could_be, percent, would_be

TIED = 0.20  # share of neighbours: above it the order is largely the document ids'


def ties(m: ValidationMaterial) -> Finding | None:
    """Runs with many equal scores, or whose numbers depend on their order."""
    some = [name for name, f in m.by_name() if f.any_tie]
    if not some:
        return None
    high, low = ([mean(x) for x in m.scores(m.judged.with_ties(ties))] for ties in ("best", "worst"))
    runs = {}
    for name in some:
        s = m.judged.system(name)
        (ap, p), reach = m.means(s), [float(h[s] - w[s]) for h, w in zip(high, low, strict=True)]
        runs[name] = {
            "tied": m.facts[s].tied, "AP": ap, "AP_worst": float(low[0][s]), "AP_best": float(high[0][s]),
            "P@10": p, "P@10_worst": float(low[1][s]), "P@10_best": float(high[1][s]), "shift": max(reach),
        }  # fmt: skip
    odd = {name: n for name, n in runs.items() if n["tied"] > TIED or n["shift"] >= VISIBLE}
    return about_runs(
        "tied-scores", dict(sorted(odd.items(), key=lambda item: -item[1]["tied"])), among=len(m.systems),
        figure=lambda n: percent(n["tied"]), counted=f"of neighbours in the first {POOLED}",
        criterion=f"over {percent(TIED)} of neighbours in the first {POOLED}, or a mean moves by {VISIBLE}",
        means=lambda n: f"by another order of ties {could_be(m.ap_name, n['AP'], n['AP_worst'], n['AP_best'])}, "
                        f"{could_be(m.p_name(), n['P@10'], n['P@10_worst'], n['P@10_best'])}",
    )  # fmt: skip


def rank_column(m: ValidationMaterial) -> Finding | None:
    """Runs whose rank column puts other documents first than their scores do."""
    some = [s for s, f in enumerate(m.facts) if f.rank_differs.any()]
    if not some:
        return None
    ap, p = (mean(x) for x in m.scores(reordered(m.judged, [f.by_rank for f in m.facts])))
    topics = len(m.judged.topics)
    runs: dict[str, Numbers] = {}
    for s in sorted(some, key=lambda s: -np.count_nonzero(m.facts[s].rank_differs)):
        here = m.means(s)
        runs[m.systems[s]] = {
            "n_topics": int(np.count_nonzero(m.facts[s].rank_differs)),
            "topics_against_scores": int(np.count_nonzero(m.facts[s].rank_contradicts)),
            "AP": here[0], "AP_by_rank": float(ap[s]), "P@10": here[1], "P@10_by_rank": float(p[s]),
            "shift": max(abs(float(ap[s]) - here[0]), abs(float(p[s]) - here[1])),
        }  # fmt: skip
    return about_runs(
        "rank-against-score", runs, among=len(m.systems),
        figure=lambda n: f"{n['n_topics']} of {topics}",
        counted=f"topics have another first {TOP} by rank", criterion=f"another first {TOP} by rank in some topic",
        means=lambda n: f"{_why(n)}; ranks are ignored, by rank {would_be(m.ap_name, n['AP'], n['AP_by_rank'])}, "
                        f"{would_be(m.p_name(), n['P@10'], n['P@10_by_rank'])}",
    )  # fmt: skip


def _why(numbers: Numbers) -> str:
    against = numbers["topics_against_scores"]
    return f"against the scores in {against}" if against else "only among equal scores"


def rank_start(m: ValidationMaterial) -> Finding | None:
    """Rank columns that do not all start with the same number."""
    starts = Counter(f.first_rank for f in m.facts if f.first_rank is not None)
    if len(starts) < 2:
        return None
    usual = starts.most_common(1)[0][0]
    message = " and ".join(f"{rank:g} in {plural(count, 'run')}" for rank, count in sorted(starts.items())[:3])
    message = f"{message}{' and so on' * (len(starts) > 3)}: ignored here; a tool that cuts at rank {TOP} keeps "
    other = [name for name, f in m.by_name() if f.first_rank not in (None, usual)]
    return about_collection("rank-start", message + "unequal numbers of documents", systems=other,
                            starts={f"{rank:g}": count for rank, count in sorted(starts.items())})  # fmt: skip


def collisions(m: ValidationMaterial) -> Finding | None:
    """Runs that 32-bit scores put into another order."""
    changed = [f.lists_changed for f in m.facts]
    if not any(changed):
        return None
    single = [m.judged.code[s] if f.single is None else f.single for s, f in enumerate(m.facts)]
    ap, p = (mean(x) for x in m.scores(reordered(m.judged, single)))
    runs: dict[str, Numbers] = {}
    for s in sorted(np.flatnonzero(changed).tolist(), key=lambda s: -changed[s]):
        here = m.means(s)
        runs[m.systems[s]] = {
            "lists": changed[s], "colliding_neighbours": m.facts[s].colliding,
            "AP": here[0], "AP_float32": float(ap[s]), "P@10": here[1], "P@10_float32": float(p[s]),
            "shift": max(abs(float(ap[s]) - here[0]), abs(float(p[s]) - here[1])),
        }  # fmt: skip
    return about_runs(
        "score-collisions", runs, among=len(m.systems),
        figure=lambda n: plural(n["lists"], "list"), counted="in another order with 32-bit scores",
        criterion="another order with 32-bit scores, as in trec_eval 9",
        means=lambda n: f"there {would_be(m.ap_name, n['AP'], n['AP_float32'])}, "
                        f"{would_be(m.p_name(), n['P@10'], n['P@10_float32'])}",
    )  # fmt: skip
