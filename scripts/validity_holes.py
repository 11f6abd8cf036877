"""Unjudged documents: what they do to verdicts, and what bounds and estimates say of it, for docs/validity-holes.md.

    python scripts/validity_holes.py --data FOLDER                       # ten minutes on one core
    python scripts/validity_holes.py --data FOLDER --part replay         # one part alone, printed

Collections are not published with the package: FOLDER holds trec-covid-holes, trec8-adhoc, dl19-passage, trec-covid-r5.
"""

from __future__ import annotations

import argparse
import re
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np

import rankscope as rs
from rankscope.arrays import FIRST_GRADE, UNJUDGED
from rankscope.comparisons.doubt import Doubt
from rankscope.comparisons.effect import Procedure
from rankscope.comparisons.holes import with_estimated_grades
from rankscope.comparisons.scored import scored
from rankscope.comparisons.sensitivity import unjudged, verdict_of
from rankscope.judged.subsets import Thinner, pool_of, with_systems
from rankscope.layout import markdown_table
from rankscope.statistics import Resampling

SEED = 20_261_116
MEASURE = "nDCG@10"
ORDERS = ("judge-next", "rank", "random")
HIDDEN = 0.3  # share of judgments that are hidden at random


def replay(data: Path) -> str:
    """Judgments until the sign is certain or the verdict confident, for every pair of trec-covid-holes."""
    folder = data / "trec-covid-holes"
    judged = rs.load(folder / "qrels-before.gz", sorted(map(str, (folder / "runs").iterdir())), keep_docs=True)
    after = rs.load(folder / "qrels-after.gz", sorted(map(str, (folder / "runs").iterdir())), keep_docs=True)
    return replayed(judged, after, list(combinations(judged.systems, 2)), MEASURE)


def hidden(data: Path) -> str:
    """The same on other collections: judgments are hidden at random, and found again in each order."""
    parts = []
    for name in COLLECTIONS[:2]:
        folder = data / name
        judged = rs.load(folder / "qrels.gz", sorted(map(str, (folder / "runs").iterdir())), keep_docs=True, depth=20)
        rng = np.random.default_rng(SEED)
        names = rng.choice(judged.systems, 5, replace=False).tolist()
        full = with_systems(judged, names)
        fewer = Thinner.of(full).thinned(rng.random(len(pool_of(full).docs)) >= HIDDEN)
        parts.append(f"{name}\n\n{replayed(fewer, full, list(combinations(names, 2)), MEASURE)}")
    return "\n\n".join(parts)


def replayed(judged: rs.Judged, after: rs.Judged, pairs: list[tuple[str, str]], measure: str) -> str:
    """Judgments that pairs need, with the judgments of `after`, in each order."""
    number = {name: n for n, name in enumerate(judged.documents.ids)}
    pool = pool_of(after)
    known = {
        (t, number[doc]): float(after.grades[code - FIRST_GRADE])
        for t, doc, code in zip(pool.topic.tolist(), pool.docs, pool.code.tolist(), strict=True)
        if doc in number
    }
    table, truth = scored(judged, measure), scored(after, measure)
    counts: dict[tuple[str, str], list[int]] = {}
    shares: dict[tuple[str, str], list[float]] = {}
    wrong = dict.fromkeys(("certain", "confident"), 0)
    stopped = dict.fromkeys(("certain", "confident"), 0)
    settled_before = open_after = 0
    for a, b in pairs:
        values = truth.of(b) - truth.of(a)
        sign = int(np.sign(np.round(values.mean(), 12)))
        verdict = rs.compare(after, a, b, measure=measure, others=False).verdict
        pair = with_systems(judged, (a, b))
        ends = {}
        for order in ORDERS:
            doubt = Doubt(pair, table.record, table.at, draws=200 if order == "judge-next" else 0,
                          weighed=order == "judge-next")  # fmt: skip
            ends[order] = settle(doubt, order, known, pair, sign, verdict, wrong, stopped)
        holes = sum(len(names) for names in seen(pair, 10).values())
        if ends["judge-next"]["certain"] == 0:
            settled_before += 1
        elif any(ends[order]["certain"] is None for order in ORDERS):
            open_after += 1
        else:
            for order in ORDERS:
                counts.setdefault(("certain", order), []).append(ends[order]["certain"])
                shares.setdefault(("certain", order), []).append(ends[order]["certain"] / holes)
        if ends["judge-next"]["confident"]:
            counts.setdefault(("confident", "judge-next"), []).append(ends["judge-next"]["confident"])
            shares.setdefault(("confident", "judge-next"), []).append(ends["judge-next"]["confident"] / holes)
    rows = [
        [rule, order, str(len(values)), f"{np.mean(values):.1f}", f"{np.median(values):.0f}",
         f"{100 * np.mean(shares[rule, order]):.0f} %"]
        for (rule, order), values in counts.items()
    ]  # fmt: skip
    header = ["rule", "order", "pairs", "mean judgments", "median", "share of the pair's holes in the first ten"]
    lines = [
        f"{settled_before} of {len(pairs)} pairs are certain before any judgment.",
        f"{open_after} cannot be settled by the judgments that exist.",
        f"Wrong certainty: {wrong['certain']} of {stopped['certain']}.",
        f"Wrong confidence (another verdict with all judgments): {wrong['confident']} of {stopped['confident']}.",
    ]
    return "\n".join(lines) + f"\n\n{markdown_table(header, rows)}"


def seen(pair, depth):
    """Unjudged documents in the first ranks of either list, by topic."""
    code, number = pair.code[..., :depth], pair.documents.number[..., :depth]
    return {t: np.unique(number[:, t][code[:, t] == UNJUDGED]) for t in range(len(pair.topics))}


def settle(doubt, order, known, pair, sign, verdict, wrong, stopped):
    """Judgments until certain and until confident, None where the known ones do not do; wrong ones are counted."""
    rng = np.random.default_rng(SEED)
    first = seen(pair, 10)
    queue = [(t, int(d)) for t, names in first.items() for d in names if (t, int(d)) in known]
    best = {(t, d): int(np.nonzero(pair.documents.number[:, t] == d)[1].min()) for t, d in queue}
    queue.sort(key=lambda key: (best[key], key)) if order == "rank" else rng.shuffle(queue)
    left, judged = set(known), 0
    result = {"certain": None, "confident": None}
    while True:
        if result["certain"] is None and doubt.sign is not None:
            result["certain"] = judged
            if order == "judge-next":
                stopped["certain"] += 1
                wrong["certain"] += doubt.sign != sign
        if order == "judge-next" and result["confident"] is None:
            shown, share = doubt.agreement(0.05)
            if share >= 0.95:
                result["confident"] = judged
                stopped["confident"] += 1
                wrong["confident"] += shown != verdict
        if result["certain"] is not None and (order != "judge-next" or result["confident"] is not None):
            return result
        if order == "judge-next":
            side = doubt.side
            options = [
                (-value, t, doc) for t, topic in doubt.on.items()
                for doc, value in zip(topic.documents.tolist(), topic.towards[side].tolist(), strict=True)
                if (t, doc) in left and value > 0
            ]  # fmt: skip
            if not options:
                return result
            _, t, doc = min(options)
        elif queue:
            t, doc = queue.pop(0)
        else:
            return result
        left.discard((t, doc))
        doubt.judge(t, doc, known[t, doc])
        judged += 1


TEAM = re.compile(r"[a-zA-Z]+")
COLLECTIONS = ("trec8-adhoc", "dl19-passage", "trec-covid-r5")
OTHERS = 6
MEASURES = ("nDCG@10", "P@10")
BELIEFS = (0.25, 0.5, 0.75, 1.0)  # shares of the estimated change that a warning may count on
POOL = 10  # ranks of a shallow pool
TEAMS = 8  # with the best runs, on whole leaderboards


def teams(data: Path) -> str:
    """Verdicts once a team's documents become unjudged, and how often warnings of several rules are right."""
    rows = []
    for name in COLLECTIONS:
        folder = data / name
        judged = rs.load(folder / "qrels.gz", sorted(map(str, (folder / "runs").iterdir())), keep_docs=True, depth=100)
        team = np.array([TEAM.match(system).group()[:4].lower() for system in judged.systems])
        thinner = Thinner.of(judged)
        owner = owners(judged, thinner, team)
        for kind in ("own documents", "shallow pool"):
            rng = np.random.default_rng(SEED)
            cells = np.zeros((1 + len(BELIEFS), 2, 2), int)  # rule, flipped, warned
            for label in sorted({*team}):
                kept, others = owner != label, np.flatnonzero(team != label)
                if kind == "shallow pool":
                    kept, others = shallow(judged, thinner, team, label, rng)
                fewer = thinner.thinned(kept)
                system = judged.systems[rng.choice(np.flatnonzero(team == label))]
                for other in rng.choice(others, min(OTHERS, len(others)), replace=False):
                    for measure in MEASURES:
                        flipped, warned = outcomes(judged, fewer, (judged.systems[other], system), measure)
                        cells[np.arange(len(cells)), int(flipped), warned] += 1
            (_, _), (missed, hit) = cells[0]
            head = [name, kind, f"{cells[0].sum()}", f"{missed + hit}"]
            rows.append(head + [f"{c[1, 1]}, {c[0, 1]}" for c in cells])
    header = ["collection", "unjudged", "pairs", "flips", "bounds hold 0", *(f"share {belief:g}" for belief in BELIEFS)]
    return markdown_table(header, rows)


def boards(data: Path) -> str:
    """Warnings of `rank` on whole lists: pairs with a team's best run, once this team's documents become unjudged."""
    folder = data / COLLECTIONS[0]
    judged = rs.load(folder / "qrels.gz", sorted(map(str, (folder / "runs").iterdir())), keep_docs=True)
    team = np.array([TEAM.match(system).group()[:4].lower() for system in judged.systems])
    thinner = Thinner.of(judged)
    owner, mean = owners(judged, thinner, team), scored(judged, "AP").mean()
    best = {label: judged.systems[max(np.flatnonzero(team == label), key=mean.__getitem__)] for label in {*team}}
    leading = sorted(best, key=lambda label: -mean[judged.system(best[label])])[:TEAMS]
    rows = []
    for kind in ("own documents", "shallow pool"):
        rng = np.random.default_rng(SEED)
        cells, warned = np.zeros((2, 2), int), []
        for label in leading:
            kept = owner != label if kind == "own documents" else shallow(judged, thinner, team, label, rng)[0]
            before, after = (
                rs.rank(j, measure="AP", baseline=best[label], resampling=Resampling(1000))
                for j in (thinner.thinned(kept), judged)
            )
            verdicts = [dict(zip(board.systems, verdicts_against(board), strict=True)) for board in (before, after)]
            named = {name for warning in before.holes for name in (warning.a, warning.b)}
            warned.append(len(before.holes))
            for name in judged.systems:
                if name != best[label]:
                    cells[int(verdicts[0][name] != verdicts[1][name]), int(name in named)] += 1
        (_, vain), (missed, hit) = cells
        rows.append([kind, f"{cells.sum()}", f"{missed + hit}", f"{hit}", f"{vain}", f"{np.median(warned):.0f}"])
    header = ["unjudged", "pairs", "flips", "warned of", "warnings in vain", "median warnings per leaderboard"]
    return markdown_table(header, rows)


def verdicts_against(board):
    """Verdict of each system against the baseline: 1 better, -1 worse, 0 not shown."""
    base = board.mean[board.systems.index(board.against.baseline)]
    return (np.sign(board.mean - base) * (np.nan_to_num(board.against.adjusted, nan=1.0) < 0.05)).tolist()


def shallow(judged, thinner, team, label, rng):
    """Judgments of documents in the first ranks of half of the other teams; and the runs of these teams."""
    labels = sorted({*team} - {label})
    pool = np.isin(team, rng.choice(labels, max(2, len(labels) // 2), replace=False))
    depth = judged.code.shape[-1]
    system, rank = thinner.cell // (depth * len(judged.topics)), thinner.cell % depth
    kept = np.zeros(len(pool_of(judged).docs), bool)
    kept[thinner.judgment[pool[system] & (rank < POOL)]] = True
    return kept, np.flatnonzero(pool)


def outcomes(judged, fewer, pair, measure):
    """Whether the verdict flips; and which rules warn: bounds that hold 0, then estimates with each share."""
    full, part = scored(with_systems(judged, pair), measure), scored(with_systems(fewer, pair), measure)
    verdict = verdict_of(Procedure().effect_of(part), 0.05)
    ends = unjudged(part, workers=1)
    warned = [abs(ends.judged[1] - ends.judged[0]) > 0.05 and ends.lower < 0 < ends.upper]
    for belief in BELIEFS:
        estimated = with_estimated_grades(part, belief)
        again = verdict if estimated is None else verdict_of(Procedure().effect_of(estimated), 0.05)
        warned.append(again != verdict)
    return verdict != verdict_of(Procedure().effect_of(full), 0.05), np.array(warned, int)


def owners(judged, thinner, team):
    """The only team whose lists hold a judged document in the first 100, or an empty text, for every judgment."""
    owner = np.full(len(pool_of(judged).docs), "", dtype=team.dtype)
    several = np.zeros(len(owner), bool)
    depth = judged.code.shape[-1]
    system = thinner.cell // (depth * len(judged.topics))
    rank = thinner.cell % depth
    for label in sorted({*team}):
        mine = np.unique(thinner.judgment[(team[system] == label) & (rank < 100)])
        several[mine] |= owner[mine] != ""
        owner[mine] = label
    owner[several] = ""
    return owner


KINDS = ("at random", "new system only", "ranks 4 to 10 only")
TRIALS = 150


def coverage(data: Path) -> str:
    """How often the 95 % interval of random grades holds the difference that all judgments give.

    Lists are condensed first, so that every hole is one that was made here, and the difference without it is known.
    """
    rows = []
    for name in COLLECTIONS:
        folder = data / name
        judged = rs.load(folder / "qrels.gz", sorted(map(str, (folder / "runs").iterdir())), keep_docs=True, depth=100,
                         unjudged="condensed")  # fmt: skip
        for kind in KINDS:
            rng = np.random.default_rng(SEED)
            trials = []
            for _ in range(TRIALS):
                a, b = rng.choice(len(judged.systems), 2, replace=False)
                pair = with_systems(judged, (judged.systems[a], judged.systems[b]))
                trials.append(interval_of(holed(pair, kind, rng), pair))
            rows.append([name, kind, *summary(trials)])
    folder = data / "trec-covid-holes"
    before, after = (rs.load(folder / f"qrels-{side}.gz", sorted(map(str, (folder / "runs").iterdir())), keep_docs=True)
                     for side in ("before", "after"))  # fmt: skip
    trials = [interval_of(*(with_systems(j, p) for j in (before, after))) for p in combinations(before.systems, 2)]
    rows.append(["trec-covid-holes", "real", *summary(trials)])
    header = ["collection", "holes", "expected", "likely", "hardly known", "bias", "error of the estimate",
              "error with unjudged as not relevant"]  # fmt: skip
    return markdown_table(header, rows)


def holed(pair, kind, rng):
    """The two lists with fewer judgments."""
    thinner = Thinner.of(pair)
    side, rank = thinner.cell // pair.code[0].size, thinner.cell % pair.code.shape[-1]
    kept = np.ones(len(pool_of(pair).docs), bool)
    if kind == "at random":
        kept = rng.random(len(kept)) >= 0.2
    elif kind == "new system only":
        kept[np.setdiff1d(thinner.judgment[side == 1], thinner.judgment[side == 0])] = False
    else:
        late = np.setdiff1d(thinner.judgment[(rank >= 3) & (rank < 10)], thinner.judgment[rank < 3])
        kept[rng.permutation(late)[: len(late) // 2]] = False
    return thinner.thinned(kept)


def interval_of(fewer, full):
    """Whether both intervals hold; their widths; errors of the estimate and as judged; share hardly known."""
    table = scored(full, MEASURE)
    truth = float((table.value[:, 1] - table.value[:, 0]).mean())
    doubt = Doubt(fewer, table.record, table.at, draws=200, weighed=False)
    estimate, low, high = doubt.expected(0.95)
    first, last = min(low, doubt.difference), max(high, doubt.difference)
    held = low <= truth <= high, first <= truth <= last
    return *held, high - low, last - first, estimate - truth, doubt.difference - truth, doubt.hardly_known


def summary(trials):
    held, wide, width, last, error, zero, unknown = np.transpose(trials)
    rms = [f"{np.sqrt(np.mean(np.square(x))):.4f}" for x in (error, zero)]
    cells = [f"{100 * share.mean():.0f} %, {size.mean():.3f}" for share, size in ((held, width), (wide, last))]
    return [*cells, f"{100 * unknown.mean():.0f} %", f"{error.mean():+.4f}", *rms]


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=["replay", "hidden", "teams", "boards", "coverage"], required=True)
    args = parser.parse_args()
    print(
        {"replay": replay, "hidden": hidden, "teams": teams, "boards": boards, "coverage": coverage}[args.part](
            args.data
        )
    )


if __name__ == "__main__":
    main()
