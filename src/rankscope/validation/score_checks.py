"""Checks of scores and ranks: ties, the rank column, 32-bit scores."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rankscope.errors import argument, plural
from rankscope.validation.findings import VISIBLE, Finding
from rankscope.validation.material import POOLED, TOP, ValidationMaterial, mean, reordered
from rankscope.validation.wording import Numbers, about_collection, about_runs, percent, score, would_be

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
        odd=("has tied scores", "have tied scores"), figure=lambda n: f"{percent(n['tied'])} of neighbours",
        criterion=f"over {percent(TIED)} of neighbours in the first {POOLED}, or a mean moves by {VISIBLE}",
        effect=lambda name, n: _reach(m, name, n), cure=_rank_meant(),
    )  # fmt: skip


def _reach(m: ValidationMaterial, name: str, n: Numbers) -> str:
    """How far the order of ties moves the mean that it moves most, in a sentence."""
    means = {m.ap_name: (n["AP_worst"], n["AP_best"]), m.p_name(): (n["P@10_worst"], n["P@10_best"])}
    measure, (low, high) = max(means.items(), key=lambda item: item[1][1] - item[1][0])
    if score(low) == score(high):
        return f"The order of ties does not move the means of {name}."
    return (
        f"The order of ties moves the mean {measure} of {name} by up to {high - low:.4f}, from {low:.4f} to {high:.4f}."
    )


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
        odd=(f"has another first {TOP} by rank than by score", f"have another first {TOP} by rank than by score"),
        figure=lambda n: f"{n['n_topics']} of {plural(topics, 'topic')}",
        effect=lambda name, n: f"Ranks are ignored. By rank, {_would_be(m, name, n, 'by_rank')}",
        cure=_rank_cure([bool(n["topics_against_scores"]) for n in runs.values()]),
    )  # fmt: skip


def _rank_cure(against: list[bool]) -> str:
    """What to do where ranks differ from scores, by whether those of each run contradict its scores."""
    write = "If the ranks are right, write scores that fall with rank."
    if all(against):
        return write
    if not any(against):
        return f"Only equal scores are concerned. {_rank_meant()}"
    few = f"{sum(against)} of these runs {'has' if sum(against) == 1 else 'have'} ranks that contradict the scores."
    return f"{few} {write} In the others only equal scores are concerned. {_rank_meant()}"


def _rank_meant() -> str:
    return f"Use {argument('ties', 'rank')} if the rank column is meant."


def _would_be(m: ValidationMaterial, name: str, n: Numbers, reading: str) -> str:
    measures = {"AP": m.ap_name, "P@10": m.p_name()}
    return would_be(name, *((label, n[key], n[f"{key}_{reading}"]) for key, label in measures.items()))


def rank_start(m: ValidationMaterial) -> Finding | None:
    """Rank columns that do not all start with the same number."""
    starts = Counter(f.first_rank for f in m.facts if f.first_rank is not None)
    if len(starts) < 2:
        return None
    usual = starts.most_common(1)[0][0]
    listed = " and ".join(f"with {rank:g} in {plural(count, 'run')}" for rank, count in sorted(starts.items())[:3])
    other = [name for name, f in m.by_name() if f.first_rank not in (None, usual)]
    return about_collection(
        "rank-start", f"Rank columns start {listed}{' and so on' * (len(starts) > 3)}.",
        f"Ranks are ignored here. A tool that cuts lists at rank {TOP} keeps unequal numbers of documents.",
        "Number ranks alike before you use such a tool.", systems=other,
        starts={f"{rank:g}": count for rank, count in sorted(starts.items())},
    )  # fmt: skip


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
        odd=("has another order with 32-bit scores", "have another order with 32-bit scores"),
        figure=lambda n: plural(n["lists"], "list"),
        effect=lambda name, n: f"trec_eval 9 has such scores. There, {_would_be(m, name, n, 'float32')}",
        cure=f"Use {argument('score_dtype', 'float32')} to get the numbers of trec_eval 9.",
    )  # fmt: skip
