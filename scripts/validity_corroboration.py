"""What does ‡ add to †? Agreement of other metrics on fresh topics, with and without it, at equal p.

    python scripts/validity_corroboration.py DATA         # a table for docs/validity-verdict.md, some minutes
    python scripts/validity_corroboration.py DATA --splits 5

DATA has a folder for each collection, with qrels.gz and runs/. The topics are split in halves at random. On the first
half every pair of systems with p < 0.05 under the metric that decides is a verdict; IPSO's sign test (depth 10, default
order) below 0.05 in the same direction adds ‡. On the second half, which share of the other metrics has a mean
difference of the same direction? Verdicts with ‡ have smaller p values, so the two kinds are compared within narrow
classes of p, each class weighted by n1 n0 / (n1 + n0).

Standard errors are jackknife ones, over systems left out one at a time and over topics left out in ten groups, the two
variances added: pairs share systems and topics, and splits share topics.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtr

import rankscope as rs
from rankscope.comparisons.sensitivity import PALETTE
from rankscope.layout import markdown_table
from rankscope.preferences import all_pairs
from rankscope.statistics.pairs.difference_tests import sign_tests

COLLECTIONS = {"trec8-adhoc": None, "robust04-part": None, "dl19-passage": 2, "trec-covid-r5": None}  # rel
DECIDING = ("nDCG@10", "P@10", "AP")
ALPHA, DEPTH, GROUPS = 0.05, 10, 10
WIDTH = 0.25  # of a class of p, in powers of ten

Array = np.ndarray[Any, Any]


class Collection:
    """Scores of all metrics and IPSO's preferences, on the topics that all have."""

    def __init__(self, folder: Path, rel: int | None) -> None:
        judged = rs.load(folder / "qrels.gz", sorted((folder / "runs").iterdir()), rel=rel)
        scores = rs.evaluate(judged, PALETTE)
        ipso = all_pairs(judged, "ipso", depth=DEPTH)
        names = [str(metric) for metric in PALETTE]
        kept = [t for t, topic in enumerate(scores.topics)
                if topic in ipso.topics and np.isfinite(scores.value[:, :, t]).all()]  # fmt: skip
        self.value = {name: scores.value[m][:, kept].T for m, name in enumerate(names)}  # topics x systems
        self.ipso = ipso.value[:, [ipso.topics.index(scores.topics[t]) for t in kept]]  # pairs x topics
        self.systems, self.topics = len(judged.systems), len(kept)
        self.first, self.second = ipso.first, ipso.second  # systems in the order of the scores

    def tested(self, metric: str, topics: Array) -> tuple[Array, Array]:
        """Mean difference of every pair, second - first, and p of Student's paired t."""
        value = self.value[metric][topics]
        mean = value.mean(axis=0)
        centred = value - mean
        product = centred.T @ centred / (len(topics) - 1)
        i, j = self.first, self.second
        variance = np.maximum(product[i, i] + product[j, j] - 2 * product[i, j], 1e-30)
        difference = mean[j] - mean[i]
        t = difference / np.sqrt(variance / len(topics))
        return difference, 2 * stdtr(len(topics) - 1, -np.abs(t))

    def records(self, halves: list[tuple[Array, Array]], without: Array) -> dict[str, Array]:
        """By metric that decides, a row a verdict: pair, log10 p, ‡ or not, agreement of others and of itself."""
        rows: dict[str, list[Array]] = {name: [] for name in DECIDING}
        for one, other in halves:
            here, there = (np.setdiff1d(half, without) for half in (one, other))
            known = {name: self.tested(name, here) for name in DECIDING}
            fresh = {name: np.sign(self.tested(name, there)[0]) for name in self.value}
            sign = np.sign(self.ipso[:, here].sum(axis=1))
            corroborating = sign_tests(self.ipso[:, here]).pvalue < ALPHA
            for name, (difference, p) in known.items():
                way = np.sign(difference)
                at = np.flatnonzero(p < ALPHA)
                agree = np.mean([fresh[m][at] == way[at] for m in fresh if m != name], axis=0)
                marked = corroborating[at] & (sign[at] == way[at])
                own = fresh[name][at] == way[at]
                rows[name].append(np.stack([at, np.log10(np.maximum(p[at], 1e-300)), marked, agree, own], axis=1))
        return {name: np.concatenate(parts) for name, parts in rows.items()}


def added(rows: Array) -> tuple[float, float, float, float]:
    """Agreement with ‡ less without, in points: in all, at equal p, of the metric itself at equal p; and share of ‡."""
    p, marked = rows[:, 1], rows[:, 2] > 0
    group = np.floor(p / WIDTH).astype(int)
    if not marked.any() or marked.all():
        return (float("nan"),) * 4
    plain = rows[marked, 3].mean() - rows[~marked, 3].mean()
    weight, others, own = 0.0, 0.0, 0.0
    for one in np.unique(group):
        yes, no = rows[(group == one) & marked], rows[(group == one) & ~marked]
        if len(yes) and len(no):
            w = len(yes) * len(no) / (len(yes) + len(no))
            weight += w
            others += w * (yes[:, 3].mean() - no[:, 3].mean())
            own += w * (yes[:, 4].mean() - no[:, 4].mean())
    if not weight:
        return (float("nan"),) * 4
    return 100 * plain, 100 * others / weight, 100 * own / weight, 100 * marked.mean()


def measured(found: Collection, splits: int, seed: int) -> dict[str, list[str]]:
    """By metric that decides, a row of the table."""
    rng = np.random.default_rng(seed)
    halves = []
    for _ in range(splits):
        order = rng.permutation(found.topics)
        halves.append((np.sort(order[: found.topics // 2]), np.sort(order[found.topics // 2 :])))
    groups = np.array_split(rng.permutation(found.topics), GROUPS)
    whole = found.records(halves, np.array([], int))
    fewer = [found.records(halves, group) for group in groups]
    table = {}
    for name in DECIDING:
        rows = whole[name]
        i, j = found.first[rows[:, 0].astype(int)], found.second[rows[:, 0].astype(int)]
        by_system = np.array([added(rows[(i != s) & (j != s)]) for s in range(found.systems)])
        by_topics = np.array([added(part[name]) for part in fewer])
        variance = sum((len(part) - 1) * part.var(axis=0) for part in (by_system, by_topics))
        plain, others, own, share = added(rows)
        error = np.sqrt(variance)
        agreement = 100 * rows[:, 3].mean()
        table[name] = [f"{len(rows) / splits:,.0f}", f"{share:.0f} %", f"{agreement:.1f} %", f"{plain:+.1f}",
                       f"{others:+.1f} ({error[1]:.1f})", f"{own:+.1f} ({error[2]:.1f})"]  # fmt: skip
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--splits", type=int, default=50, help="of the topics in halves (default: 50)")
    parser.add_argument("--seed", type=int, default=20_240_301)
    parser.add_argument("--collections", nargs="+", default=list(COLLECTIONS))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in args.collections:
        found = Collection(args.data / name, COLLECTIONS[name])
        for metric, cells in measured(found, args.splits, args.seed).items():
            rows.append([f"{name} ({found.systems} systems, {found.topics} topics)", metric, *cells])
            print(rows[-1], flush=True)
    header = [
        "collection",
        "decides",
        "† a split",
        "with ‡",
        "others agree",
        "‡ less no ‡",
        "at equal p",
        "itself, at equal p",
    ]
    print(f"\n{args.splits} splits, seed {args.seed}; IPSO to depth {DEPTH}\n\n{markdown_table(header, rows, left=2)}")


if __name__ == "__main__":
    main()
