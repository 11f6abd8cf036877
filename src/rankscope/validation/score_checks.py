"""Checks of scores and ranks: ties, the rank column, 32-bit scores."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rankscope.arrays import Ints
from rankscope.errors import plural
from rankscope.judged import Judged
from rankscope.validation.findings import VISIBLE, Finding
from rankscope.validation.material import POOLED, TOP, ValidationMaterial, mean, reordered
from rankscope.validation.wording import Numbers, about_collection, about_runs, could_be, percent, would_be

TIED = 0.20  # share of neighbours: above it the order is largely the document ids'


def ties(m: ValidationMaterial) -> Finding | None:
    """Runs with many equal scores, or whose numbers depend on their order."""
    some = [name for name, f in m.by_name() if f.any_tie]
    if not some:
        return None
    best, worst = (m.scores(m.again(some, ties=rule)) for rule in ("best", "worst"))
    high, low = [mean(x) for x in best], [mean(x) for x in worst]
    runs = {}
    for i, name in enumerate(some):
        s = m.judged.system(name)
        (ap, p), reach = m.means(s), [float(h[i] - w[i]) for h, w in zip(high, low, strict=True)]
        runs[name] = {
            "tied": m.facts[s].tied, "AP": ap, "AP_worst": float(low[0][i]), "AP_best": float(high[0][i]),
            "P@10": p, "P@10_worst": float(low[1][i]), "P@10_best": float(high[1][i]), "shift": max(reach),
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
            "topics": int(np.count_nonzero(m.facts[s].rank_differs)),
            "topics_against_scores": int(np.count_nonzero(m.facts[s].rank_contradicts)),
            "AP": here[0], "AP_by_rank": float(ap[s]), "P@10": here[1], "P@10_by_rank": float(p[s]),
            "shift": max(abs(float(ap[s]) - here[0]), abs(float(p[s]) - here[1])),
        }  # fmt: skip
    return about_runs(
        "rank-against-score", runs, among=len(m.systems),
        figure=lambda n: f"{n['topics']} of {topics}",
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
    some = [name for name, f in m.by_name() if f.colliding]
    if not some:
        return None
    single = m.again(some, score_dtype="float32", keep_docs=True)
    ap, p = (mean(x) for x in m.scores(single))
    changed = _lists_changed(m.judged, single)
    runs: dict[str, Numbers] = {}
    for i in np.argsort(-changed, kind="stable"):
        if changed[i]:
            s = m.judged.system(some[i])
            here = m.means(s)
            runs[some[i]] = {
                "lists": int(changed[i]), "colliding_neighbours": m.facts[s].colliding,
                "AP": here[0], "AP_float32": float(ap[i]), "P@10": here[1], "P@10_float32": float(p[i]),
                "shift": max(abs(float(ap[i]) - here[0]), abs(float(p[i]) - here[1])),
            }  # fmt: skip
    return about_runs(
        "score-collisions", runs, among=len(m.systems),
        figure=lambda n: plural(n["lists"], "list"), counted="in another order with 32-bit scores",
        criterion="another order with 32-bit scores, as in trec_eval 9",
        means=lambda n: f"there {would_be(m.ap_name, n['AP'], n['AP_float32'])}, "
                        f"{would_be(m.p_name(), n['P@10'], n['P@10_float32'])}",
    )  # fmt: skip


def _lists_changed(judged: Judged, other: Judged) -> Ints:
    """(S of other,) lists whose documents stand in another order."""
    assert judged.documents is not None
    assert other.documents is not None
    number = {name: n for n, name in enumerate(judged.documents.ids)}
    as_here = np.array([*(number[name] for name in other.documents.ids), -1])
    depth = other.code.shape[-1]
    rows = [judged.system(name) for name in other.systems]
    before = judged.documents.number[rows][..., :depth]
    return np.count_nonzero((as_here[other.documents.number] != before).any(axis=-1), axis=-1)
