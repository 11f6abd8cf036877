"""Checks of lists: the same under two names, or much shorter than usual."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.errors import argument, plural
from rankscope.measures import measure
from rankscope.validation.findings import Finding
from rankscope.validation.material import TOP, ValidationMaterial, alike, mean, scores
from rankscope.validation.wording import NAMED, Numbers, about_collection, about_runs, percent, score

SHORT = 0.75  # of the usual length: below it a quarter of what others may find cannot be found


def identical(m: ValidationMaterial) -> Finding | None:
    """Runs with the same documents in the same order for all topics."""
    groups = alike(m.judged)
    if not groups:
        return None
    return about_collection(
        "identical-runs", f"{_shown(groups)}: these runs have the same documents in the same order for all topics.",
        "Every comparison of them is a tie, yet each counts as a system of its own.", "Keep one of each.",
        brief=f"{_alike(groups)} the same lists on every topic",
        grade="medium", systems=[name for group in groups for name in group], groups=groups,
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
    return about_collection(
        f"same-first-{TOP}", f"{_shown(groups)}: these runs have the same first {TOP} documents for all topics.",
        f"Measures of the first {TOP} documents tie on every topic; the mean {m.ap_name} differs by {by}.",
        "Compare them by measures of deeper lists.",
        brief=f"{_alike(groups)} the same first {TOP} documents on every topic",
        grade="medium", systems=[name for group in groups for name in group], groups=groups,
    )  # fmt: skip


def _alike(groups: Sequence[Sequence[str]]) -> str:
    if len(groups) == 1:
        return f"{len(groups[0])} runs have"
    return f"{len(groups)} groups of runs ({sum(map(len, groups))} runs) have each"


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
        odd=("has short lists", "have short lists"),
        figure=lambda n: f"{plural(n['documents'], 'document')} in the median list", criterion=_criterion(m),
        effect=lambda _, n: f"What is missing counts as not relevant.{_for_others(n, m.ap_name)}",
        cure=lambda n: "" if short.all() else _cut(int(n["documents"])),
    )  # fmt: skip


def _cut(depth: int) -> str:
    return f"Use {argument('depth', depth)} to compare lists of one length."


def _for_others(n: Numbers, ap: str) -> str:
    before, after = n["others_AP"], n["others_AP_so_short"]
    if before != before:
        return ""  # there are none
    return f" With lists as short, the mean {ap} of the other runs is {score(after)} instead of {score(before)}."


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
        odd=("has single short lists", "have single short lists"),
        figure=lambda n: f"{plural(n['shortest'], 'document')} on topic {n['topic']}", criterion=_criterion(m),
        effect=lambda name, n: f"What is missing counts as not relevant. {_capped(name, n)}.",
        cure="Check whether these systems failed on these topics.",
    )  # fmt: skip


def _capped(name: str, n: Numbers) -> str:
    length, lists = n["shortest"], plural(n["lists"], "such list")
    return f"{name} has {lists}" + (f"; on the shortest, P@{TOP} is {length / TOP:g} at most" if length < TOP else "")


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
