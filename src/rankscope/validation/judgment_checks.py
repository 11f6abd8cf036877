"""Checks of judgments: odd grades, grades that ask for another threshold, unjudged documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from rankscope.arrays import UNJUDGED, Floats
from rankscope.errors import argument, plural
from rankscope.formatting import without_secrets
from rankscope.io.datasets import known_data_set
from rankscope.measures import measure
from rankscope.validation.findings import Finding
from rankscope.validation.material import POOLED, TOP, ValidationMaterial, mean, scores
from rankscope.validation.wording import about_collection, about_runs, percent, score

OPEN = {
    TOP: 0.10,  # one document in ten: P@10 could be 0.1 higher
    POOLED: 0.50,  # most of the list: AP rests on the smaller part
}
PATIENCE = {TOP: 0.8, POOLED: 0.95}  # of readers who see about 5 and about 20 documents, and some to the depth
WIDE_OPEN = 0.50  # of the first 10: a reader sees more that is unknown than known
MANY_LOWEST = 0.20  # share of grade 1 among the relevant from which the threshold moves most numbers
DL_TOP = 3  # TREC Deep Learning grades 0 to 3
RATING_STEPS = 4  # distinct grades that make a scale of ratings; fewer without a 0 are rather kinds of relevant
LIKED = 0.75  # how far up a scale of ratings: 4 of 1 to 5 stars, as most studies of recommenders have it


def negative(m: ValidationMaterial) -> Finding | None:
    """Grades below 0."""
    grades, counts = m.judged.grades, m.judged.available.sum(axis=0)
    if grades[0] >= 0:
        return None
    count, total = int(counts[grades < 0].sum()), int(counts.sum())
    return about_collection(
        "negative-grades",
        f"{count:,} of {total:,} judgments {'has' if count == 1 else 'have'} a grade below 0, the lowest "
        f"{grades[0]:g}.",
        "They count as not relevant. Judged@k takes them for judged, Bpref and infAP for unjudged.",
        judgments=count, of=total,
    )  # fmt: skip


def fractional(m: ValidationMaterial) -> Finding | None:
    """Grades that are no whole numbers."""
    grades, counts = m.judged.grades, m.judged.available.sum(axis=0)
    odd = grades != np.floor(grades)
    if not odd.any():
        return None
    count, total = int(counts[odd].sum()), int(counts.sum())
    below = int(counts[odd & (grades > 0) & (grades < m.rel)].sum())
    uncut, cut = _when_cut(m)
    most = int(np.argmax(np.abs(uncut - cut)))
    return about_collection(
        "fractional-grades",
        f"{count:,} of {total:,} judgments {'has a grade that is' if count == 1 else 'have grades that are'} no whole "
        f"number, such as {grades[odd][0]:g}; {below:,} of them {'is' if below == 1 else 'are'} above 0 but not "
        f"relevant (relevant from grade {m.rel:g}).",
        f"A tool that cuts grades to whole numbers gives {m.systems[most]} a mean nDCG@{TOP} of {score(cut[most])} "
        f"instead of {score(uncut[most])}.",
        f"Use a lower {argument('rel')} if they are relevant.",
        brief=f"{count:,} of {total:,} judgments have fractional grades",
        shift=uncut[most] - cut[most], judgments=count, of=total, below=below,
    )  # fmt: skip


def _when_cut(m: ValidationMaterial) -> tuple[Floats, Floats]:
    """(S,) means of nDCG@10, as it is and with grades cut to whole numbers; 0 where undefined."""
    gains = {g: float(np.trunc(g)) for g in m.judged.grades.tolist() if g != np.trunc(g)}
    ndcg = measure(f"nDCG@{TOP}")
    uncut, cut = scores(m.judged, ndcg, ndcg(gains=gains))
    return np.nan_to_num(mean(uncut)), np.nan_to_num(mean(cut))


def threshold(m: ValidationMaterial) -> Finding | None:
    """Grades that are commonly cut elsewhere than at 1; silent where the user chose a threshold."""
    if m.rel != 1 or m.rel_given or (other := _other_threshold(m)) is None:
        return None
    what, rel, known = other
    ap, p = m.scores(m.judged, rel=rel)
    before, after = (mean(m.ap), mean(m.p)), (mean(ap), mean(p))
    lost = int(np.count_nonzero(m.judged.available[:, m.judged.grades >= rel].sum(axis=1) == 0))
    shift = max(float(np.max(np.nan_to_num(np.abs(a - b)))) for a, b in zip(before, after, strict=True))
    moves = [f"{name} from {score(_middle(b))} to {score(_middle(a))}"
             for name, b, a in zip(("P@10", "AP"), before[::-1], after[::-1], strict=True)]  # fmt: skip
    effect = f"Relevant from grade {rel:g}, the median run moves in {' and in '.join(moves)}."
    effect += f" {plural(lost, 'topic')} {'has' if lost == 1 else 'have'} no relevant document then." if lost else ""
    return about_collection(
        "another-threshold", what, effect,
        f"Use {_lowest(rel)} if lower grades are not relevant, else {_lowest(1.0)}.",
        brief=f"Should documents count as relevant from grade {rel:g} instead of 1?",
        shift=shift, grade=None if known else "low", rel=rel, topics_lost=lost,
    )  # fmt: skip


def _other_threshold(m: ValidationMaterial) -> tuple[str, float, bool] | None:
    """Reason to expect another threshold, that threshold, and whether the collection is known to have it."""
    grades, counts = m.judged.grades, m.judged.available.sum(axis=0)
    low, top = float(grades[0]), float(grades[-1])
    if low > 0 and top > 1 and len(grades) >= RATING_STEPS:
        share = percent(counts[grades >= 1].sum() / counts.sum())
        what = (
            f"Grades {low:g} to {top:g} look like ratings: from grade 1, {share} of the judged documents are relevant."
        )
        return what, float(grades[grades >= low + LIKED * (top - low)][0]), True
    lowest = counts[grades == 1].sum() / max(1, counts[grades >= 1].sum())
    if low <= 0 and top == DL_TOP and lowest >= MANY_LOWEST:
        share = f"{percent(lowest)} of the relevant documents have this grade"
        if known_data_set(m.source) is not None:
            what = (
                f"By its name, {_named(m.source)} is TREC DL passage ranking, where grade 2 is the lowest relevant one."
            )
            return f"{what} Grade 1 counts as relevant here: {share}.", 2.0, True
        return f"Are documents of grade 1 relevant? {share.capitalize()}, of the grades 0 to 3.", 2.0, False
    return None


def _named(source: str) -> str:
    """The end of a path that holds the name of the collection."""
    parts = Path(without_secrets(source)).parts
    return "/".join(parts[max(i for i in range(len(parts)) if i == 0 or known_data_set("/".join(parts[i:]))) :])


def _lowest(rel: float) -> str:
    return argument("rel", int(rel) if rel == int(rel) else rel)


def _middle(means: Floats) -> float:
    known = means[~np.isnan(means)]
    return float(np.median(known)) if len(known) else np.nan


def unjudged(m: ValidationMaterial, *, depth: int) -> Finding | None:
    """Runs with many unjudged documents down to a depth."""
    if m.judged.code.shape[-1] <= TOP < depth:
        return None  # the same documents as at 10
    known = measure(f"Judged@{depth}"), measure(f"RBPResidual(p={PATIENCE[depth]})")
    judged, residual, p = scores(m.judged, *known, measure(f"P@{depth}")(rel=m.rel))
    present = m.judged.retrieved > 0
    share, residual, first = mean(1 - judged, present), mean(residual, present), _first_unjudged(m)
    holes = np.count_nonzero(m.judged.code[..., :depth] == UNJUDGED, axis=-1) / depth
    low, more = mean(p), mean(np.where(np.isnan(p), np.nan, holes))
    runs = {
        m.systems[s]: {
            "unjudged": float(share[s]), "first_unjudged_rank": None if np.isinf(first[s]) else float(first[s]),
            "P": float(low[s]), "P_at_most": float(low[s] + more[s]), "RBP_residual": float(residual[s]),
            "shift": float(more[s]),
        }
        for s in np.argsort(-share, kind="stable") if share[s] > OPEN[depth]
    }  # fmt: skip
    return about_runs(
        f"unjudged-documents-at-{depth}", runs, among=len(m.systems),
        odd=(f"has unjudged documents in the first {depth}", f"have unjudged documents in the first {depth}"),
        figure=lambda n: percent(n["unjudged"]), criterion=f"over {percent(OPEN[depth])}",
        effect=lambda name, n: f"They count as not relevant; {_first(n['first_unjudged_rank'])}. Were all relevant, "
                               f"the mean {m.p_name(depth)} of {name} would be {score(n['P_at_most'])} instead of "
                               f"{score(n['P'])}, and RBP(p={PATIENCE[depth]}) higher by up to "
                               f"{score(n['RBP_residual'])}.",
        cure="Judge them; rankscope compare says whether they could change a verdict.",
        grade="high" if depth == TOP and np.nanmax(share) > WIDE_OPEN else "medium",
    )  # fmt: skip


def _first_unjudged(m: ValidationMaterial) -> Floats:
    """(S,) rank of the first unjudged document in the median list; infinite where it has none."""
    hole = m.judged.code == UNJUDGED
    rank = np.where(hole.any(axis=-1), hole.argmax(axis=-1) + 1.0, np.inf)
    present = m.judged.retrieved > 0
    return np.array([np.median(rank[s, present[s]]) for s in range(len(rank))])


def _first(rank: float | None) -> str:
    return "the median list has none" if rank is None else f"in the median list the first is at rank {rank:g}"


UNJUDGED_CHECKS: tuple[Callable[[ValidationMaterial], Finding | None], ...] = tuple(
    partial(unjudged, depth=k) for k in OPEN
)
