"""Checks of judgments: odd grades, grades that ask for another threshold, unjudged documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from rankscope.arrays import UNJUDGED, Floats
from rankscope.measures import evaluate
from rankscope.validation.findings import Finding
from rankscope.validation.material import POOLED, TOP, Material, mean, quietly
from rankscope.validation.wording import about_collection, about_runs, percent, score

OPEN = {
    TOP: 0.10,  # one document in ten: P@10 could be 0.1 higher
    POOLED: 0.50,  # most of the list: AP rests on the smaller part
}
WIDE_OPEN = 0.50  # of the first 10: a reader sees more that is unknown than known
MANY_LOWEST = 0.20  # share of grade 1 among the relevant from which the threshold moves most numbers
DL_TOP = 3  # TREC Deep Learning grades 0 to 3; its binary measures count from 2
RATING_STEPS = 3  # distinct grades that make a scale of ratings; 1 and 2 alone are kinds of relevant


def negative(m: Material) -> Finding | None:
    """Grades below 0."""
    grades, counts = m.judged.grades, m.judged.available.sum(axis=0)
    if grades[0] >= 0:
        return None
    count, total = int(counts[grades < 0].sum()), int(counts.sum())
    told = f"{count} of {total} judgments, the lowest {grades[0]:g}: gain 0, not relevant, judged for Judged@k; "
    return about_collection("negative-grades", told + "unjudged for Bpref and infAP", judgments=count, of=total)


def fractional(m: Material) -> Finding | None:
    """Grades that are no whole numbers."""
    grades, counts = m.judged.grades, m.judged.available.sum(axis=0)
    odd = grades != np.floor(grades)
    if not odd.any():
        return None
    count, total = int(counts[odd].sum()), int(counts.sum())
    below = int(counts[odd & (grades > 0) & (grades < m.rel)].sum())
    told = f"{count} of {total} judgments, such as {grades[odd][0]:g}: {below} of them above 0 but not relevant at "
    told += f"rel={m.rel:g}; tools that read whole grades cut them"
    shift = _shift_when_cut(m)
    return about_collection("fractional-grades", told, shift=shift, judgments=count, of=total, below=below)


def _shift_when_cut(m: Material) -> float:
    """How far nDCG@10 moves in the run it moves most when grades are cut to whole numbers."""
    gains = {float(g): float(np.trunc(g)) for g in m.judged.grades if g != np.trunc(g)}
    whole, cut = quietly(evaluate, m.judged, [f"nDCG@{TOP}", f"nDCG(gains={gains})@{TOP}"]).value
    return float(np.max(np.nan_to_num(np.abs(mean(whole) - mean(cut)))))


def threshold(m: Material) -> Finding | None:
    """Grades that are commonly cut elsewhere than at 1; silent where the user chose a threshold."""
    why, rel = _other_threshold(m) if m.rel == 1 else ("", 1.0)
    if not why:
        return None
    ap, p = m.scores(m.judged, rel=rel)
    before, after = (mean(m.ap), mean(m.p)), (mean(ap), mean(p))
    lost = int(np.count_nonzero(m.judged.available[:, m.judged.grades >= rel].sum(axis=1) == 0))
    shift = max(float(np.max(np.nan_to_num(np.abs(a - b)))) for a, b in zip(before, after, strict=True))
    moves = [f"{name} from {score(_middle(b))} to {score(_middle(a))}"
             for name, b, a in zip(("P@10", "AP"), before[::-1], after[::-1], strict=True)]  # fmt: skip
    told = f"{why}; rel={rel:g} would move the runs' median {' and '.join(moves)}"
    told += f" and leave {lost} topics without relevant documents" if lost else ""
    return about_collection("another-threshold", told, shift=shift, rel=rel, topics_lost=lost)


def _other_threshold(m: Material) -> tuple[str, float]:
    """Why another threshold is likely meant, and which; no reason where none is."""
    grades, counts = m.judged.grades, m.judged.available.sum(axis=0)
    low, top = float(grades[0]), float(grades[-1])
    if low >= 1 and len(grades) >= RATING_STEPS:
        rel = float(grades[grades > (low + top) / 2][0])
        return f"grades {low:g} to {top:g} look like ratings, rel=1 makes every judged document relevant", rel
    lowest = counts[grades == 1].sum() / max(1, counts[grades >= 1].sum())
    if low <= 0 and top == DL_TOP and lowest >= MANY_LOWEST:
        share = f"{percent(lowest)} of the relevant documents have grade 1"
        return f"grades 0 to 3 as in TREC DL, whose binary measures count from 2: {share}", 2.0
    return "", 1.0


def _middle(means: Floats) -> float:
    known = means[~np.isnan(means)]
    return float(np.median(known)) if len(known) else np.nan


def unjudged(m: Material, *, depth: int) -> Finding | None:
    """Runs with many unjudged documents down to a depth."""
    if m.judged.code.shape[-1] <= TOP < depth:
        return None  # the same documents as at 10
    judged, residual = quietly(evaluate, m.judged, [f"Judged@{depth}", "RBPResidual(p=0.8)"]).value
    present = m.judged.retrieved > 0
    share, residual, first = mean(1 - judged, present), mean(residual, present), _first_unjudged(m)
    could = np.count_nonzero(m.judged.code[..., :TOP] == UNJUDGED, axis=-1) / TOP
    p, more = mean(m.p), mean(np.where(np.isnan(m.p), np.nan, could))
    runs = {
        m.systems[s]: {
            "unjudged": float(share[s]), "first_unjudged_rank": None if np.isinf(first[s]) else float(first[s]),
            "P@10": float(p[s]), "P@10_at_most": float(p[s] + more[s]), "RBP_residual": float(residual[s]),
            "shift": float(more[s]),
        }
        for s in np.argsort(-share, kind="stable") if share[s] > OPEN[depth]
    }  # fmt: skip
    return about_runs(
        f"unjudged-documents-at-{depth}", runs, among=len(m.systems),
        figure=lambda n: percent(n["unjudged"]), counted=f"of the first {depth}",
        criterion=f"over {percent(OPEN[depth])} of the first {depth}",
        means=lambda n: f"{_first(n['first_unjudged_rank'])}, counted as not relevant; {m.p_name} {score(n['P@10'])} "
                        f"could be up to {score(n['P@10_at_most'])}, the residual of RBP(p=0.8) is "
                        f"{score(n['RBP_residual'])}",
        grade="high" if depth == TOP and np.nanmax(share) > WIDE_OPEN else "medium",
    )  # fmt: skip


def _first_unjudged(m: Material) -> Floats:
    """(S,) rank of the first unjudged document in the median list; infinite where it has none."""
    hole = m.judged.code == UNJUDGED
    rank = np.where(hole.any(axis=-1), hole.argmax(axis=-1) + 1.0, np.inf)
    present = m.judged.retrieved > 0
    return np.array([np.median(rank[s, present[s]]) for s in range(len(rank))])


def _first(rank: float | None) -> str:
    return "none in the median list" if rank is None else f"the first at rank {rank:g} in the median list"


UNJUDGED_CHECKS: tuple[Callable[[Material], Finding | None], ...] = tuple(partial(unjudged, depth=k) for k in OPEN)
