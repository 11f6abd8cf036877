"""Unjudged documents: what they do to verdicts, and what bounds and estimates say of it, for docs/validity-holes.md.

    python scripts/validity_holes.py --data FOLDER                       # ten minutes on one core
    python scripts/validity_holes.py --data FOLDER --part replay         # one part alone, printed

Collections are not published with the package: FOLDER holds trec-covid-holes, trec8-adhoc, dl19-passage, trec-covid-r5.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np

import rankscope as rs
from rankscope.arrays import FIRST_GRADE, UNJUDGED
from rankscope.comparisons.doubt import Doubt
from rankscope.comparisons.scored import scored
from rankscope.judged.subsets import pool_of, with_systems
from rankscope.layout import markdown_table

SEED = 20_261_116
MEASURE = "nDCG@10"
ORDERS = ("judge-next", "rank", "random")


def replay(data: Path) -> str:
    """Judgments until the sign is certain or the verdict confident, for every pair of trec-covid-holes."""
    folder = data / "trec-covid-holes"
    judged = rs.load(folder / "qrels-before.gz", sorted(map(str, (folder / "runs").iterdir())), keep_docs=True)
    after = rs.load(folder / "qrels-after.gz", sorted(map(str, (folder / "runs").iterdir())), keep_docs=True)
    number = {name: n for n, name in enumerate(judged.documents.ids)}
    pool = pool_of(after)
    known = {
        (t, number[doc]): float(after.grades[code - FIRST_GRADE])
        for t, doc, code in zip(pool.topic.tolist(), pool.docs, pool.code.tolist(), strict=True)
        if doc in number
    }
    table, truth = scored(judged, MEASURE), scored(after, MEASURE)
    counts: dict[tuple[str, str], list[int]] = {}
    shares: dict[tuple[str, str], list[float]] = {}
    wrong = dict.fromkeys(("certain", "confident"), 0)
    stopped = dict.fromkeys(("certain", "confident"), 0)
    settled_before = open_after = 0
    for a, b in combinations(judged.systems, 2):
        values = truth.of(b) - truth.of(a)
        sign = int(np.sign(np.round(values.mean(), 12)))
        verdict = rs.compare(after, a, b, measure=MEASURE, others=False).verdict
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
        f"{settled_before} of 45 pairs are certain before any judgment.",
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


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=["replay"], required=True)
    args = parser.parse_args()
    print({"replay": replay}[args.part](args.data))


if __name__ == "__main__":
    main()
