"""How valid are claims over collections and tests of several runs? Measured on nulls, for docs/validity-across.md.

    python scripts/validity_across.py                  # about eight minutes on one core
    python scripts/validity_across.py --nulls 500 --out -      # does it run at all

Collections have true effects around 0 with the standard deviation tau, and topics with normal differences of standard
deviation 0.2; or skewed ones, or those of pairs of real runs (folders of `matrices.DATA`). All experiments of a cell
are computed at once.
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

import numpy as np
import scipy
from matrices import DATA
from scipy.special import chdtrc, chdtri, ndtr, stdtr, stdtrit
from scipy.stats import t as student

import rankscope
from rankscope.layout import markdown_table
from rankscope.statistics.replications.random_effects import averaged, paule_mandel, pooled, predictive

SEED = 20_240_229
NULLS = 10_000
DEVIATION = 0.2  # of differences between topics
COUNTS = (3, 7, 15)
SPREADS = (0.0, 0.01, 0.03, 0.1)
MORE_COUNTS, MORE_SPREADS = (3, 5, 7, 10, 15), (0.0, 0.01, 0.02, 0.03, 0.05, 0.1)  # of prediction intervals
REAL = ("trec8-adhoc", "dl19-passage", "core17-queryvariants")
PAIRS = 400  # of real runs, from each collection
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
                _, y, v, _ = drawn(rng, sizes(k), tau, nulls)
                ours = rejected(averaged(y, v, "equal"), k - 1).mean()
                precise = rejected(averaged(y, v, "precision"), k - 1).mean()
                usual = rejected(averaged(y, v, "precision", "dersimonian-laird", "normal"), 1e9).mean()
                rows.append([f"{k}", name, f"{tau:g}", *(f"{100 * x:.1f}" for x in (ours, precise, usual))])
    return rows


def covered_by_ours(y, v, ahead):
    """Whether the prediction interval of `random_effects` holds the next true effect, in each experiment.

    The mixture over tau2 is integrated on a grid, which takes a fraction of the time of `predictive`; the first
    experiments are checked against that.
    """
    k, mean = y.shape[1], y.mean(axis=1)
    scale = y.var(axis=1, ddof=1) + v.mean(axis=1)

    def part(factor):
        tau2 = factor * scale
        below = chdtrc(k - 1, pooled(y, v, tau2).squares)  # chance of a tau2 of this or less
        return below, ndtr((ahead - mean) / np.sqrt(tau2 * (1 + 1 / k) + v.mean(axis=1) / k))

    last, value = part(0.0)
    at = last * value
    for factor in np.geomspace(1e-5, 1e4, 60):
        below, here = part(factor)
        at, last, value = at + (below - last) * (value + here) / 2, below, here
    at += (1 - last) * value
    covered = (at > 0.025) & (at < 0.975)
    check = slice(0, 100)
    mean, spread = predictive(y[check], v[check])
    exact = ndtr((ahead[check, None] - mean) / spread).mean(axis=-1)
    assert np.abs(np.sort([exact, 1 - exact], axis=0) - np.sort([at[check], 1 - at[check]], axis=0)).max() < 0.004
    return covered


def covered_by_student(y, v, ahead, less):
    """Mean +- t sqrt(tau2 + se2) by precision with k - less degrees of freedom (Higgins and others 2009)."""
    average = averaged(y, v, "precision")
    reach = stdtrit(y.shape[1] - less, 0.975) * np.sqrt(average.tau2 + average.standard_error**2)
    return np.abs(ahead - average.mean) < reach


def covered_by_nagashima(y, v, ahead, draws=20):
    """Draws of tau2 from its confidence distribution, weights by precision, Hartung and Knapp's standard error."""
    k, normals = y.shape[1], 99
    tau2 = paule_mandel(y[:, None], v[:, None], chdtri(k - 1, (np.arange(normals) + 0.5) / normals))
    rng = np.random.default_rng(SEED)
    z, t = rng.normal(size=(normals, draws)), rng.standard_t(k - 1, size=(normals, draws))
    parts = pooled(y[:, None], v[:, None], tau2)
    error = np.sqrt(parts.squares / (k - 1) / parts.total)
    ahead_drawn = parts.mean[..., None] + z * np.sqrt(tau2)[..., None] - t * error[..., None]
    lower, upper = np.quantile(ahead_drawn.reshape(len(y), -1), [0.025, 0.975], axis=1)
    return (lower < ahead) & (ahead < upper)


METHODS = {
    "ours": covered_by_ours,
    "Higgins and others, k - 2 degrees of freedom": lambda y, v, ahead: covered_by_student(y, v, ahead, 2),
    "the same, k - 1 degrees of freedom": lambda y, v, ahead: covered_by_student(y, v, ahead, 1),
    "Nagashima and others, weights by precision": covered_by_nagashima,
}


def predictions(rng, nulls):
    """Coverage of the prediction interval in each cell; lowest and highest of each method by number of collections."""
    rows, extremes = [], {name: {k: [] for k in MORE_COUNTS} for name in METHODS}
    for name, sizes in SIZES.items():
        for tau in MORE_SPREADS:
            cells, i2 = [], []
            for k in MORE_COUNTS:
                n = sizes(k)
                _, y, v, ahead = drawn(rng, n, tau, nulls)
                few = min(nulls, 1000)
                for method, covered in METHODS.items():
                    part = slice(0, nulls if method == "ours" else few)
                    extremes[method][k].append(100 * covered(y[part], v[part], ahead[part]).mean())
                cells.append(f"{extremes['ours'][k][-1]:.1f}")
                i2.append(tau**2 / (tau**2 + np.mean(DEVIATION**2 / n)))
            rows.append([name, f"{tau:g}", f"{100 * np.mean(i2):.0f}", *cells])
    summary = [[name, *(f"{min(x):.1f} to {max(x):.1f}" for x in by_count.values())]
               for name, by_count in extremes.items()]  # fmt: skip
    return rows, summary


def differences_of_runs(rng):
    """Differences of nDCG@10 of random pairs of real runs, centred: pairs x topics, by collection of REAL."""
    parts = []
    for name in REAL:
        judged = rankscope.load(DATA / name / "qrels.gz", DATA / name / "runs")
        value = rankscope.evaluate(judged, "nDCG@10").matrix("nDCG@10")
        value = value[:, np.argsort(value.mean(axis=0))[value.shape[1] // 4 :]]  # without the lowest quarter
        pairs = rng.permuted(np.tile(np.arange(value.shape[1]), (PAIRS, 1)), axis=1)[:, :2]
        d = (value[:, pairs[:, 0]] - value[:, pairs[:, 1]]).T
        parts.append((d - d.mean(axis=1, keepdims=True))[d.std(axis=1) > 0.05])
    return parts


def sampled(rng, vectors, n, nulls):
    """Means and variances of the mean of n topics drawn from a random row of these differences, for each null."""
    d = vectors[rng.integers(len(vectors), size=nulls)]
    counts = rng.multinomial(n, np.full(d.shape[1], 1 / d.shape[1]), size=nulls)
    y = (counts * d).sum(axis=1) / n
    return y, ((counts * d**2).sum(axis=1) / n - y**2) / (n - 1)


def populations(rng, nulls):
    """Rates of the claim on average, and coverage, where differences or true effects are not normal."""
    real = differences_of_runs(rng)
    skewed = [(rng.exponential(DEVIATION, (PAIRS, 400)) - DEVIATION)]
    skewed[0] -= skewed[0].mean(axis=1, keepdims=True)
    rows = []
    for k in COUNTS:
        for name, sizes in SIZES.items():
            for tau in SPREADS:
                cells = []
                for vectors, effects in ((None, "normal"), (skewed, "normal"), (real, "normal"), (real, "skewed")):
                    n = sizes(k)
                    shapes = (nulls, k), (nulls,)
                    if effects == "normal":
                        true, ahead = (rng.normal(0, tau, shape) for shape in shapes)
                    else:
                        true, ahead = (rng.exponential(tau, shape) - tau for shape in shapes)
                    if vectors is None:
                        _, y, v, _ = drawn(rng, n, 0.0, nulls)
                    else:
                        parts = [sampled(rng, vectors[i % len(vectors)], size, nulls) for i, size in enumerate(n)]
                        y, v = (np.stack(part, axis=1) for part in zip(*parts, strict=True))
                        single = v * n
                        typical = single.sum(axis=1, keepdims=True) / (single > 0).sum(axis=1, keepdims=True)
                        v = np.where(v > 0, v, typical / n)  # as comparing_collections has it
                    y = y + true
                    cells.append((100 * rejected(averaged(y, v, "equal"), k - 1).mean(),
                                  100 * covered_by_ours(y, v, ahead).mean()))  # fmt: skip
                rates, coverages = zip(*cells, strict=True)
                rows.append([f"{k}", name, f"{tau:g}", *(f"{x:.1f}" for x in (*rates, *coverages[2:]))])
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
The next collection, and skewed and real differences, have {predicted:,} nulls ({half:.2f} points at 5 or 95 %). Other
methods of prediction have 1,000 (0.69 points), and several runs {few:,} ({fifth:.2f} points).

## Better on average

True effects of collections are normal around 0 with the standard deviation tau; differences between topics have the
standard deviation 0.2. Promised are 5 % or less.

{averages}

- *ours* is Student's t over collections, which is Hartung and Knapp's test with equal weights. It is at 5 % where
  collections have the same number of topics, or differ much (tau 0.1). Elsewhere it is below, as Ibragimov and Müller
  (2010) prove for unequal variances.
- *by precision* is Hartung and Knapp's test with weights 1 / (v + tau2), by Paule and Mandel. It holds with equal
  numbers of topics. With one large collection among small ones it claims up to several times 5 %, because tau2 is often
  estimated as 0, and then one collection is nearly the whole mean.
- *usual* is DerSimonian and Laird's tau2 with the normal interval, as many tools print it. It claims too much nearly
  everywhere where collections differ.

## The next collection

How often the prediction interval holds the true effect of a next collection, by number of collections. *I2* is the true
share of the variance of effects that topics do not explain, averaged over the row. Promised are 95 %.

{predictions}

- *From how many collections on is it within 95 ± 1 %?* But for sampling error, it is so from 3 collections on where
  I2 is 60 % or more. It is from 5 where I2 is 50 % or more, from 7 with 35 %, from 10 with 30 % and from 15 with 20 %.
- *Where I2 is smaller* it covers more, up to 100 %. The reason is the boundary tau = 0. There the next true effect is
  the mean itself, which the interval of the mean alone covers in 95 %. The prediction interval cannot know that tau
  is 0, and allows for the values of tau that the data leave possible.
- *These limits were read off this table.* Tried on new draws, 10,000 for each of the 44 cells at or above them, the
  rate is within 95 ± 1 % in 41 cells. The lowest is 93.8 % and the highest 96.2 %.
- *The lowest rate* is 93.7 %, of 90 cells. For speed the table computes the interval on a grid of tau2. On 7 cells the
  grid covers 0.05 to 0.28 points more than the interval that `across` prints, so the true lowest rate may be about
  93.5 %.

The lowest and the highest of these rows, beside other intervals of the literature on the same experiments:

{methods}

- Intervals of Higgins, Thompson and Spiegelhalter (2009), here with Hartung and Knapp's standard error as Partlett and
  Riley (2017) have it, take tau2 for known. Where tau2 is small and often estimated
  as 0, they cover far less than 95 %.
- Nagashima, Noma and Furukawa's (2019) interval draws tau2 from its confidence distribution, as ours does. It has
  weights by precision. Its lowest rates are 1.3 to 2.6 points below ours, but they have 1,000 nulls and ours 5,000,
  and lowest rates of noisier cells are lower. On 7 cells with the same 1,000 experiments, ours covers 0.7 to 2.4 points
  more in six and 1.0 point less in one. Ours has equal weights ([decision
  115](../decisions/0115-interval-for-the-next-collection.md)). Nagashima's interval with equal weights was tried with
  1,000 nulls: it is closer to 95 % where tau is small, and its lowest rate is 92.6 %.

## Skewed and real differences

The same claim on average (*rate*, promised 5 %) and next collection (*next*, promised 95 %) where differences of topics
are not normal. *Skewed topics* have exponential differences. *Real topics* are drawn from differences of nDCG@10 of
random pairs of runs of TREC-8, TREC DL 2019 and TREC Core 2017, centred at 0, one pair per collection.
The lowest quarter of runs and pairs with a standard deviation of at most 0.05 are left out. The runs of TREC Core
2017 are query variants of one engine. *Skewed effects* are real topics in collections whose true effects are
exponential: most below the mean, a few far above it.

{populations}

- *Skewed and real differences of topics* change nothing that could be seen: the rate of the claim on average is within
  sampling error of 5 %, or below.
- *Skewed true effects* do, where they are most of the variance (tau 0.1). Student's t then claims a difference in 7 to
  9 % of experiments, from 3 to 15 collections, and the prediction interval covers 93 to 94 %. A forest plot with one or
  two effects far from the others is the sign; *Does one collection decide?* in `--full` shows what depends on them.

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
    few, half = max(500, args.nulls // 5), max(500, args.nulls // 2)
    coverage, methods = predictions(np.random.default_rng(SEED + 1), half)
    counts = [f"k = {k}" for k in MORE_COUNTS]
    tables = {
        "predictions": markdown_table(["sizes", "tau", "I2, %", *counts], coverage, left=1),
        "methods": markdown_table(["interval", *counts], methods, left=1),
        "populations": markdown_table(
            ["collections", "sizes", "tau", "normal", "skewed topics", "real topics", "skewed effects",
             "next, real topics", "next, skewed effects"],
            populations(np.random.default_rng(SEED + 2), half), left=2,
        ),
        "averages": markdown_table(
            ["collections", "sizes", "tau", "ours", "by precision", "usual"], averages(rng, args.nulls), left=2
        ),
        "claims": markdown_table(
            ["collections", "on each", "nowhere worse", "mixed, one effect 0", "mixed, all 0"], claims(rng, args.nulls)
        ),
        "runs": markdown_table(
            ["topics", "runs each", "sd of runs", "sd left", "ours", "averaged"], runs(rng, few)
        ),
    }  # fmt: skip
    text = PAGE.format(
        seed=SEED, version=rankscope.__version__, numpy=np.__version__, scipy=scipy.__version__,
        python=platform.python_version(), nulls=args.nulls, error=100 * (0.05 * 0.95 / args.nulls) ** 0.5,
        fifth=100 * (0.05 * 0.95 / few) ** 0.5, few=few, predicted=half, half=100 * (0.05 * 0.95 / half) ** 0.5,
        **tables,
    )  # fmt: skip
    if args.out == "-":
        sys.stdout.write(text)
    else:
        Path(args.out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
