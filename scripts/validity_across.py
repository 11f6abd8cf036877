"""How valid are claims over collections and tests of several runs? Measured on nulls, for docs/validity-across.md.

    python scripts/validity_across.py                  # about two minutes on one core
    python scripts/validity_across.py --nulls 500 --out -      # does it run at all

Collections have true effects around 0 with the standard deviation tau, and topics with normal differences of standard
deviation 0.2. All experiments of a cell are computed at once.
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

import numpy as np
import scipy
from scipy.special import ndtr, stdtr
from scipy.stats import t as student

import rankscope
from rankscope.layout import markdown_table
from rankscope.statistics.replications.random_effects import averaged, predictive

SEED = 20_240_229
NULLS = 10_000
DEVIATION = 0.2  # of differences between topics
COUNTS = (3, 7, 15)
SPREADS = (0.0, 0.01, 0.03, 0.1)
OUT = Path(__file__).parents[1] / "docs" / "validity-across.md"
SIZES = {
    "50 topics each": lambda k: np.full(k, 50),
    "10 to 2,000 topics": lambda k: np.geomspace(10, 2000, k).astype(int),
    "20 topics, one 3,000": lambda k: np.array([20] * (k - 1) + [3000]),
}


def drawn(rng, n, tau, nulls, mean=0.0):
    """Effects and their estimated variances, (nulls, collections), and the true effect of a next collection."""
    shape = nulls, len(n)
    true = mean + rng.normal(0, tau, shape) if tau else np.full(shape, mean)
    y = true + rng.normal(0, DEVIATION, shape) / np.sqrt(n)
    v = DEVIATION**2 * rng.chisquare(n - 1, shape) / (n - 1) / n
    return true, y, v, mean + rng.normal(0, 1, nulls) * tau


def rejected(average, df):
    return np.abs(average.mean / average.standard_error) > student.ppf(0.975, df)


def averages(rng, nulls):
    """Rates of the claim on average by three methods, and coverage of the prediction interval."""
    rows = []
    for k in COUNTS:
        for name, sizes in SIZES.items():
            for tau in SPREADS:
                _, y, v, ahead = drawn(rng, sizes(k), tau, nulls)
                ours = rejected(averaged(y, v, "equal"), k - 1).mean()
                precise = rejected(averaged(y, v, "precision"), k - 1).mean()
                usual = rejected(averaged(y, v, "precision", "dersimonian-laird", "normal"), 1e9).mean()
                few = slice(0, max(500, nulls // 5))
                mean, spread = predictive(y[few], v[few])
                at = ndtr((ahead[few, None] - mean) / spread).mean(axis=-1)
                covered = ((at > 0.025) & (at < 0.975)).mean()
                rows.append([f"{k}", name, f"{tau:g}", *(f"{100 * x:.1f}" for x in (ours, precise, usual, covered))])
    return rows


def claims(rng, nulls):
    """Rates of claims at the edge of their nulls."""
    rows = []
    for k in COUNTS:
        n = np.full(k, 50)
        # on each: one collection has no effect, all others have a large one
        _, y, v, _ = drawn(rng, n, 0.0, nulls, 0.2)
        y[:, 0] -= 0.2
        p = 2 * stdtr(n - 1, -np.abs(y) / np.sqrt(v))
        each = ((p < 0.05).all(axis=1) & ((y > 0).all(axis=1) | (y < 0).all(axis=1))).mean()
        # nowhere worse: one collection is worse by just the margin
        margin = 0.05
        worse = y.copy()
        worse[:, 0] -= margin
        nowhere = (2 * stdtr(n - 1, -(worse + margin) / np.sqrt(v)) < 0.05).all(axis=1).mean()
        # mixed: one collection has no effect, all others a large one; and no effect anywhere
        found = []
        for effects in (y, y - np.where(np.arange(k) > 0, 0.2, 0.0)):
            p = 2 * stdtr(n - 1, -np.abs(effects) / np.sqrt(v)) * k
            found.append((((p < 0.05) & (effects > 0)).any(axis=1) & ((p < 0.05) & (effects < 0)).any(axis=1)).mean())
        rows.append([f"{k}", *(f"{100 * x:.1f}" for x in (each, nowhere, *found))])
    return rows


def runs(rng, nulls):
    """Rates of the test with runs as repeats, and of t on scores averaged over runs."""
    rows = []
    for topics, count in ((50, 3), (50, 5), (200, 5)):
        for run, residual in ((0.0, 0.1), (0.01, 0.1), (0.03, 0.1), (0.03, 0.02)):
            parts = []
            for _ in range(2):
                noise = rng.normal(0, residual, (nulls, topics, count)) + rng.normal(0, 0.1, (nulls, topics, 1))
                parts.append(noise + rng.normal(0, run, (nulls, 1, count)) if run else noise)
            d = parts[1].mean(axis=2) - parts[0].mean(axis=2)
            variance = d.var(axis=1, ddof=1) / topics
            bottom, least = variance**2 / (topics - 1), np.full(nulls, topics - 1.0)
            naive = (np.abs(d.mean(axis=1)) / np.sqrt(variance) > student.ppf(0.975, topics - 1)).mean()
            for y in parts:  # as statistics.repeated_runs, for all nulls at once
                means = y.mean(axis=1)
                rest = y - means[:, None] - y.mean(axis=2, keepdims=True) + y.mean(axis=(1, 2), keepdims=True)
                left = np.square(rest).sum(axis=(1, 2)) / ((topics - 1) * (count - 1))
                between = means.var(axis=1, ddof=1)
                adds = between > left / topics
                variance = variance + np.where(adds, (between - left / topics) / count, 0.0)
                parts_of_bottom = (between / count) ** 2 / (count - 1)
                parts_of_bottom += (left / topics / count) ** 2 / ((topics - 1) * (count - 1))
                bottom = bottom + np.where(adds, parts_of_bottom, 0.0)
                least = np.where(adds, count - 1.0, least)
            df = np.maximum(least, variance**2 / bottom)
            ours = (np.abs(d.mean(axis=1)) / np.sqrt(variance) > student.ppf(0.975, df)).mean()
            cells = (f"{topics}", f"{count}", f"{run:g}", f"{residual:g}")
            rows.append([*cells, f"{100 * ours:.1f}", f"{100 * naive:.1f}"])
    return rows


PAGE = """\
# Validity of claims over collections

How often [`rankscope across`](methods/collections.md) claims what is not so, on simulated collections. Made by

```
python scripts/validity_across.py
```

seed {seed}; rankscope {version}, numpy {numpy}, scipy {scipy}, Python {python}. Every rate is a percentage of {nulls:,}
nulls, with a standard error of {error:.2f} percentage points at 5 %.
The column *next covered* and the table of several runs are of a fifth as many nulls:
standard error {fifth:.2f} points at 5 or 95 %.

## Better on average, and the next collection

True effects of collections are normal around 0 with the standard deviation tau; differences between topics have the
standard deviation 0.2. Promised are 5 % or less, and 95 % for the prediction interval.

{averages}

- *ours* is Student's t over collections, which is Hartung and Knapp's test with equal weights. It is at 5 % where
  collections have the same number of topics, or differ much (tau 0.1). Elsewhere it is below, as Ibragimov and Müller
  (2010) prove for unequal variances.
- *by precision* is Hartung and Knapp's test with weights 1 / (v + tau2), by Paule and Mandel. It holds with equal
  numbers of topics. With one large collection among small ones it claims up to several times 5 %, because tau2 is often
  estimated as 0, and then one collection is nearly the whole mean.
- *usual* is DerSimonian and Laird's tau2 with the normal interval, as many tools print it. It claims too much nearly
  everywhere where collections differ.
- *next covered* is how often the prediction interval holds the true effect of a next collection. It is 94 % or more
  in all these cells but for sampling error, from three collections on, and above 95 % where collections hardly differ.

## The other claims

Each at the edge of its null: one collection has no effect and all others a large one (on each, mixed); one is worse by
just the margin (nowhere worse). Promised are 5 % or less. The tests are two-sided, so that 2.5 % is to be expected.

{claims}

## Several runs

Two systems without a difference, with runs (seeds) each. *Ours* is Student's t over topics and runs. *Averaged* is the
paired t of scores averaged over runs, which takes the runs at hand for all there are.

{runs}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nulls", type=int, default=NULLS)
    parser.add_argument("--out", default=str(OUT))
    args = parser.parse_args()
    rng = np.random.default_rng(SEED)
    tables = {
        "averages": markdown_table(
            ["collections", "sizes", "tau", "ours", "by precision", "usual", "next covered"], averages(rng, args.nulls),
            left=2,
        ),
        "claims": markdown_table(
            ["collections", "on each", "nowhere worse", "mixed, one effect 0", "mixed, all 0"], claims(rng, args.nulls)
        ),
        "runs": markdown_table(
            ["topics", "runs each", "sd of runs", "sd left", "ours", "averaged"], runs(rng, max(500, args.nulls // 5))
        ),
    }  # fmt: skip
    text = PAGE.format(
        seed=SEED, version=rankscope.__version__, numpy=np.__version__, scipy=scipy.__version__,
        python=platform.python_version(), nulls=args.nulls, error=100 * (0.05 * 0.95 / args.nulls) ** 0.5,
        fifth=100 * (0.05 * 0.95 / max(500, args.nulls // 5)) ** 0.5, **tables,
    )  # fmt: skip
    if args.out == "-":
        sys.stdout.write(text)
    else:
        Path(args.out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
