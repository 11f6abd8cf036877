"""Checks of lists: the same under two names, or much shorter than usual."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.errors import plural
from rankscope.measures import measure
from rankscope.validation.findings import Finding
from rankscope.validation.material import TOP, ValidationMaterial, alike, mean, scores
from rankscope.validation.wording import NAMED, Numbers, about_collection, about_runs, percent, score, would_be

SHORT = 0.75  # of the usual length: below it a quarter of what others may find cannot be found


def identical(m: ValidationMaterial) -> Finding | None:
    """Runs with the same documents in the same order for all topics."""
    groups = alike(m.judged)
    if not groups:
        return None
    consequence = (
        "the same documents in the same order for all topics: every comparison of them is a tie, yet each counts"
    )
    return about_collection(
        "identical-runs", f"{_shown(groups)}, {consequence} as a system of its own", grade="medium",
        systems=[name for group in groups for name in group], groups=groups,
    )  # fmt: skip


def same_top(m: ValidationMaterial) -> Finding | None:
    """Runs with the same first documents for all topics, though not the same lists."""
    identical = {name: i for i, group in enumerate(alike(m.judged)) for name in group}
    groups = [g for g in alike(m.judged, TOP) if len({identical.get(name, name) for name in g}) > 1]
    if not groups:
        return None
    ap = dict(zip(m.systems, mean(m.ap).tolist(), strict=True))
    apart = max(max(ap[name] for name in group) - min(ap[name] for name in group) for group in groups)
    by = "less than 0.0001" if apart < 1e-4 else f"up to {score(apart)}"
    consequence = f"measures cut there or above tie on every topic; {m.ap_name} differs by {by}"
    return about_collection(
        f"same-first-{TOP}", f"{_shown(groups)}, for all topics: {consequence}", grade="medium",
        systems=[name for group in groups for name in group], groups=groups,
    )  # fmt: skip


def _shown(groups: Sequence[Sequence[str]]) -> str:
    shown = [" = ".join(group[:NAMED]) + (f" = {len(group) - NAMED} more" * (len(group) > NAMED)) for group in groups]
    more = len(groups) - NAMED
    return ", ".join(shown[:NAMED]) + (f" and {plural(more, 'more group')}" if more > 0 else "")


def short_runs(m: ValidationMaterial) -> Finding | None:
    """Runs whose lists are as a rule shorter than those of others, or than 10 documents."""
    length, limit = _lengths(m), _limit(m)
    short = length < limit
    others = {depth: _others(m, ~short, depth) for depth in {int(n) for n in length[short]}}
    runs = {}
    for s in np.argsort(length, kind="stable"):
        if short[s]:
            before, after = others[int(length[s])]
            runs[m.systems[s]] = {
                "documents": float(length[s]), "others_AP": before, "others_AP_so_short": after, "shift": before - after
            }  # fmt: skip
    return about_runs(
        "short-runs", runs, among=len(m.systems),
        figure=lambda n: plural(n["documents"], "document"), counted="in the median list", criterion=_criterion(m),
        means=lambda n: f"what is missing counts as not relevant{_for_others(n, m.ap_name)}",
    )  # fmt: skip


def _for_others(n: Numbers, ap: str) -> str:
    if n["others_AP"] != n["others_AP"]:
        return ""  # there are none
    then = would_be(ap, n["others_AP"], n["others_AP_so_short"])
    return f"; with --depth {int(n['documents'])} the other runs' mean {then}"


def short_lists(m: ValidationMaterial) -> Finding | None:
    """Single short lists in runs of the usual length."""
    retrieved, limit = m.judged.retrieved, _limit(m)
    short = (retrieved > 0) & (retrieved < limit) & (_lengths(m) >= limit)[:, None]
    runs: dict[str, Numbers] = {}
    for s in np.flatnonzero(short.any(axis=1)):
        topic = int(np.argmin(np.where(short[s], retrieved[s], np.iinfo(np.int64).max)))
        runs[m.systems[s]] = {
            "lists": int(np.count_nonzero(short[s])), "shortest": int(retrieved[s, topic]),
            "topic": m.judged.topics[topic],
            "shift": float(np.maximum(TOP - retrieved[s, short[s]], 0).sum() / TOP / len(m.judged.topics)),
        }  # fmt: skip
    return about_runs(
        "short-lists", dict(sorted(runs.items(), key=lambda item: item[1]["shortest"])), among=len(m.systems),
        figure=lambda n: plural(n["shortest"], "document"), counted="in the shortest list", criterion=_criterion(m),
        means=lambda n: f"topic {n['topic']}{_of(n['lists'])}; what is missing counts as not relevant"
                        f"{_capped(n['shortest'])}",
    )  # fmt: skip


def _of(lists: int) -> str:
    return f", the shortest of {lists}" if lists > 1 else ""


def _capped(length: int) -> str:
    return f", P@{TOP} is {length / TOP:g} there at most" if length < TOP else ""


def _lengths(m: ValidationMaterial) -> Floats:
    """(S,) length of the median list of a run, among those it has."""
    retrieved = m.judged.retrieved
    return np.array([np.median(row[row > 0]) for row in retrieved])


def _usual(m: ValidationMaterial) -> float:
    return float(np.median(_lengths(m)))


def _limit(m: ValidationMaterial) -> float:
    return max(SHORT * _usual(m), TOP)


def _criterion(m: ValidationMaterial) -> str:
    if _limit(m) == TOP:
        return f"under {TOP} documents"
    return f"under {percent(SHORT)} of the usual {_usual(m):g} documents"


def _others(m: ValidationMaterial, others: Bools, depth: int) -> tuple[float, float]:
    """Mean AP of the other runs, whole and cut at a depth."""
    if not others.any():
        return np.nan, np.nan
    cut = scores(m.judged, measure("AP")(rel=m.rel) @ depth)[0]
    return float(np.mean(mean(m.ap)[others])), float(np.mean(mean(cut)[others]))
