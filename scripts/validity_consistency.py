"""Does the test of differences in consistency keep its level? Measured on topics drawn from real collections.

    python scripts/validity_consistency.py DATA           # a table for docs/methods/power-and-consistency.md, minutes
    python scripts/validity_consistency.py DATA --samples 5

DATA has a folder for each collection, with qrels.gz and runs/. The topics of a collection are taken for the population,
and samples of them are drawn with replacement. The true difference of two metrics is then the mean over all samples,
and the test of *that* difference should reject it in at most 5 % of them.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import t as student

import rankscope as rs
from rankscope.layout import markdown_table
from rankscope.statistics import Resampling, adjust, leave_one_out
from rankscope.studies import material
from rankscope.studies.consistency import LEFT_OUT

METRICS = ("AP", "nDCG@10", "P@10", "RR")
COLLECTIONS = {"robust04-part": None, "dl19-passage": 2}  # and the lowest relevant grade
TOPICS = (25, 50)
ALPHA = 0.05


def measured(values: np.ndarray, topics: int, samples: int, seed: int) -> list[float]:
    """Rates at which one true difference, and any of them, is rejected; and true over estimated standard deviation.

    values  metrics x topics x systems
    """
    rng = np.random.default_rng(seed)
    means, changes = np.empty((samples, len(values))), np.empty((samples, len(values), topics))
    for sample in range(samples):
        drawn = rng.choice(values.shape[1], topics)
        resampling = Resampling(LEFT_OUT, sample)
        for m, value in enumerate(values):
            means[sample, m], changes[sample, m] = leave_one_out(
                value[drawn], resampling=resampling, aligned=True, workers=1
            )
    i, j = np.triu_indices(len(values), 1)
    difference = means[:, i] - means[:, j]
    apart = changes[:, i] - changes[:, j]
    error = np.sqrt((topics - 1) * apart.var(axis=-1))
    p = 2 * student.sf(np.abs(difference - difference.mean(axis=0)) / error, topics - 1)
    family = np.array([adjust(row, "holm").adjusted.min() for row in p])
    ratio = np.sqrt((error**2).mean(axis=0)) / difference.std(axis=0, ddof=1)
    return [100 * (p < ALPHA).mean(), 100 * (p < ALPHA).mean(axis=0).max(), 100 * (family < ALPHA).mean(),
            ratio.min(), ratio.max()]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--samples", type=int, default=200, help="of topics (default: 200)")
    parser.add_argument("--seed", type=int, default=20_240_301)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name, rel in COLLECTIONS.items():
        folder = args.data / name
        judged = rs.load(folder / "qrels.gz", sorted((folder / "runs").iterdir()), rel=rel)
        found = material(judged, METRICS)
        values = np.stack([found.of(metric).value for metric in found.names])
        for topics in TOPICS:
            one, worst, family, low, high = measured(values, topics, args.samples, args.seed)
            rows.append([name, f"{values.shape[2]}", f"{topics}", f"{one:.1f}", f"{worst:.1f}", f"{family:.1f}",
                         f"{low:.2f} to {high:.2f}"])  # fmt: skip
            print(rows[-1], flush=True)
    header = ["collection", "systems", "topics", "a pair", "the worst pair", "any pair, Holm", "estimated / true error"]
    print(f"\n{args.samples} samples a row, seed {args.seed}, {', '.join(METRICS)}; per cent at {ALPHA:g}\n")
    print(markdown_table(header, rows, left=1))


if __name__ == "__main__":
    main()
