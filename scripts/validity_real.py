"""Are the tests and intervals valid on real scores? Measured on populations from score matrices, for validity-real.md.

    python scripts/validity_real.py                      # some minutes on one core
    python scripts/validity_real.py --nulls 40 --out -   # does it run at all

A null is a pair of real systems of its own and a sample of topics, drawn with replacement. Twenty nulls of a cell share
the numbers that resampling draws, and are decided together; the first of them also by the public function, which must
give the same p value and the same interval.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import platform
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from matrices import DATA, NAMES, Matrix, matrices, matrix, pairs
from scipy.special import bdtr, ndtr, ndtri, stdtr, stdtrit
from validity import CORRECTIONS, SEED, by_range_parts, generator

import rankscope
from rankscope import kernels
from rankscope.kernels import cpu
from rankscope.layout import markdown_table
from rankscope.statistics import (
    bootstrap_interval,
    bootstrap_test,
    closed_testing,
    cohen_dz,
    equivalence,
    max_t,
    non_inferiority,
    posterior,
    randomisation_interval,
    randomisation_test,
    randomised_hsd,
    sign_test,
    step_down_max_t,
    superiority,
    t_interval,
    t_test,
    tau,
    tau_over_systems,
    tau_over_topics,
    wilcoxon,
)
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.families.comparisons import pairs_of
from rankscope.statistics.families.studentised_range import quantile

NULLS, B, TOGETHER = 2000, 999, 20
ALPHAS = (0.05, 0.01)
TOPICS, PUBLISHED = (10, 20, 50, 250), (25, 50, 100)
POPULATIONS = tuple(name for name in NAMES if name not in ("TREC-8, AP", "Terabyte 2006, AP"))
URBANO = {"ap": "TREC-5 to 8, AP", "p10": "TREC-5 to 8, P@10", "rr": "TREC-5 to 8, RR",
          "ndcg20": "Web 2010 to 2013, nDCG@20", "err20": "Web 2010 to 2013, ERR@20"}  # fmt: skip
OUT = Path(__file__).parents[1] / "docs" / "validity-real.md"
Rates = dict[str, list[float]]
EQUAL, WEIGHTED, EXCHANGED = "equal means", "equal weighted means", "exchangeable"

TESTS = ("t", "Wilcoxon signed rank", "sign", "randomisation", "bootstrap, studentised", "bootstrap, shift")
INTERVALS = (
    "t", "bootstrap, percentile", "bootstrap, BCa", "inverted randomisation test", "posterior, Bayesian bootstrap",
    "Cohen's d_z", "probability of superiority (Wilson)",
)  # fmt: skip
BORDER = ("non-inferiority, true difference = -margin", "equivalence (TOST), true difference = margin")


# ---- nulls -------------------------------------------------------------------------------------------------


class Pairs:
    """All pairs of systems of some matrices; each block topics x pairs."""

    def __init__(self, name: str) -> None:
        self.blocks = [pairs(scores) for scores in matrices(name)]
        self.tilted: dict[int, tuple[Matrix, np.ndarray]] = {}

    def drawn(self, rng: np.random.Generator, topics: int, null: str) -> tuple[Matrix, Matrix, Matrix]:
        """Scores of two systems, topics x nulls, and the differences in the population, whose means are 0 or even.

        equal means            the difference of the means is taken from one system
        equal weighted means   topics are drawn with weights under which the means are equal; scores stay as they are
        exchangeable           which score is whose is tossed for on every topic: differences are symmetric around 0
        """
        k = rng.integers(len(self.blocks))
        a, b = self.blocks[k]
        if null == WEIGHTED:
            weights, possible = self.weights(k)
            chosen = possible[rng.integers(len(possible), size=TOGETHER)]
            uniform = rng.random((topics, TOGETHER))
            below = np.cumsum(weights[:, chosen], axis=0)
            rows = np.stack([np.searchsorted(c[:-1], u) for c, u in zip(below.T, uniform.T, strict=True)], axis=1)
        else:
            chosen = rng.integers(a.shape[1], size=TOGETHER)
            rows = rng.integers(len(a), size=(topics, TOGETHER))
        a, b = a[:, chosen], b[:, chosen]
        if null == EQUAL:
            a = a - (a.mean(axis=0) - b.mean(axis=0))
        x, y = (np.take_along_axis(part, rows, axis=0) for part in (a, b))
        if null == EXCHANGED:
            swapped = rng.random(x.shape) < 0.5
            x, y = np.where(swapped, y, x), np.where(swapped, x, y)
        return x, y, a - b

    def weights(self, block: int) -> tuple[Matrix, np.ndarray]:
        """Weights proportional to exp(lambda difference), topics x pairs, and the pairs that they do not distort.

        These are the weights closest to equal ones under which the mean difference is 0. Pairs whose effective number
        of topics, 1 / sum of squared weights, falls below half are left out.
        """
        if block not in self.tilted:
            a, b = self.blocks[block]
            d = a - b
            rate = np.zeros(d.shape[1])
            for _ in range(40):
                weight = np.exp(np.clip(rate * d, -50, 50))
                weight /= weight.sum(axis=0)
                mean = (weight * d).sum(axis=0)
                rate -= mean / np.maximum((weight * d**2).sum(axis=0) - mean**2, 1e-12)
                rate = np.clip(rate, -200, 200)
            even = np.abs(mean) < 1e-10
            self.tilted[block] = weight, np.flatnonzero(even & (1 / (weight**2).sum(axis=0) > len(d) / 2))
        return self.tilted[block]


def turned(x: Matrix, y: Matrix) -> Matrix:
    """Differences as the library takes them: ascending, their mean not below 0, rounding errors 0."""
    d = x - y
    d = np.where(np.abs(d) <= 1e-12 * np.maximum(np.abs(x), np.abs(y)).max(axis=0), 0.0, d)
    return np.sort(np.where(d.mean(axis=0) < 0, -d, d), axis=0)


def student(d: Matrix) -> Matrix:
    with np.errstate(divide="ignore", invalid="ignore"):
        return d.mean(axis=0) / (d.std(axis=0, ddof=1) / math.sqrt(len(d)))


# ---- tests: p values of all nulls of a block ---------------------------------------------------------------


def block_tests(x: Matrix, y: Matrix, seed: int, checked: bool) -> dict[str, Matrix]:
    d = turned(x, y)
    n = len(d)
    p = {"t": 2 * stdtr(n - 1, -np.abs(student(d)))}
    # signed ranks as the library has them where that is quick, by their normal distribution where topics are many
    p["Wilcoxon signed rank"] = signed_ranks(x, y) if n <= 100 else signed_ranks_normal(d)
    above, below = (d > 0).sum(axis=0), (d < 0).sum(axis=0)
    p["sign"] = np.where(above == below, 1.0, 2 * bdtr(np.minimum(above, below), above + below, 0.5))
    flips = flipped(d, seed)
    p["randomisation"] = ((np.abs(flips) >= d.sum(axis=0) - 1e-9).sum(axis=0) + 1) / (B + 1)
    means, sds = drawn(d, seed)
    size = d.mean(axis=0)
    p["bootstrap, shift"] = ((np.abs(means - size) >= size - 1e-12).sum(axis=0) + 1) / (B + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(np.abs(means - size) <= 1e-12, 0.0, (means - size) / sds)
        extreme = np.abs(t) >= size / d.std(axis=0, ddof=1) * (1 - 1e-12)
    p["bootstrap, studentised"] = np.where(size > 0, (extreme.sum(axis=0) + 1) / (B + 1), 1.0)
    p = {name: np.minimum(values, 1.0) for name, values in p.items()}
    if checked and np.ptp(d[:, 0]) > 0:
        resampling = Resampling(B, seed=seed)
        own = {
            "t": t_test(x[:, 0], y[:, 0]),
            "sign": sign_test(x[:, 0], y[:, 0]),
            "bootstrap, studentised": bootstrap_test(x[:, 0], y[:, 0], resampling=resampling, workers=1),
            "bootstrap, shift": bootstrap_test(x[:, 0], y[:, 0], variant="shift", resampling=resampling, workers=1),
        }
        for name, found in own.items():
            assert abs(found.pvalue - p[name][0]) <= 2 / (B + 1), (name, found.pvalue, p[name][0])
        drawn_p = randomisation_test(x[:, 0], y[:, 0], resampling=resampling, exact=False, workers=1).pvalue
        assert abs(drawn_p - p["randomisation"][0]) <= 0.1  # of other draws: the library leaves out zeros
        assert abs(wilcoxon(x[:, 0], y[:, 0]).pvalue - p["Wilcoxon signed rank"][0]) <= 0.02
    return p


def signed_ranks(x: Matrix, y: Matrix) -> Matrix:
    return np.array([wilcoxon(x[:, i], y[:, i]).pvalue for i in range(x.shape[1])])


def signed_ranks_normal(d: Matrix) -> Matrix:
    return np.array([wilcoxon(column, 0 * column, method="normal").pvalue for column in d.T])


def flipped(d: Matrix, seed: int) -> Matrix:
    """Sums with signs flipped at random, resamples x nulls."""
    return d.sum(axis=0) - 2 * flip_signs(seed, len(d)) @ d


def flip_signs(seed: int, n: int) -> Matrix:
    return cpu.flips(seed, 0, B, n).astype(float)


def drawn(d: Matrix, seed: int) -> tuple[Matrix, Matrix]:
    """Means and standard deviations of topics drawn with replacement, resamples x nulls."""
    n = len(d)
    times = cpu.times(seed, 0, B, n)
    centred = d - d.mean(axis=0)
    means = times @ centred / n
    variances = (times @ centred**2 / n - means**2) * n / (n - 1)
    return means + d.mean(axis=0), np.sqrt(np.maximum(variances, 0.0))


# ---- intervals: lower and upper ends of all nulls of a block ------------------------------------------------


def block_intervals(x: Matrix, y: Matrix, seed: int, checked: bool) -> dict[str, tuple[Matrix, Matrix]]:
    """Ends for the differences turned to a mean that is not below 0; the truth, 0, is the same turned round."""
    d = turned(x, y)
    n = len(d)
    size = d.mean(axis=0)
    reach = float(stdtrit(n - 1, 0.975)) * d.std(axis=0, ddof=1) / math.sqrt(n)
    ends = {"t": (size - reach, size + reach)}
    means = np.sort(drawn(d, seed)[0], axis=0)
    share = np.arange(1, B + 1) / B
    at = np.searchsorted(share, [0.025 - 1e-12, 0.975 - 1e-12])
    ends["bootstrap, percentile"] = (means[at[0]], means[at[1]])
    ends["bootstrap, BCa"] = bca(d, means, share)
    subsets = flip_signs(seed, n)
    members = subsets.sum(axis=1)
    with np.errstate(invalid="ignore"):
        of_subsets = subsets @ d / members[:, None]
    number = math.floor(0.025 * (B + 1) + 1e-12)
    low = np.sort(np.where(members[:, None] == 0, -np.inf, of_subsets), axis=0)[number - 1]
    high = -np.sort(np.where(members[:, None] == 0, -np.inf, -of_subsets), axis=0)[number - 1]
    ends["inverted randomisation test"] = (low, high)
    keys = kernels.draw_keys(seed, np.arange(B)[:, None], np.arange(n))
    weight = -np.log((kernels.draws(keys, 0) + 0.5) / 2.0**32)
    ends["posterior, Bayesian bootstrap"] = tuple(
        np.quantile(weight @ d / weight.sum(axis=1)[:, None], [0.025, 0.975], axis=0)
    )
    if checked and np.ptp(d[:, 0]) > 0:
        agree(ends, x[:, 0], y[:, 0], seed, np.mean(x[:, 0] - y[:, 0]) < 0)
    return ends


def agree(ends: dict[str, tuple[Matrix, Matrix]], a: Matrix, b: Matrix, seed: int, swapped: bool) -> None:
    """The public functions give these ends, but for the spacing of resampled means."""
    resampling = Resampling(B, seed=seed)
    a, b = (a, b) if swapped else (b, a)
    own = {
        "t": t_interval(a, b),
        "bootstrap, percentile": bootstrap_interval(
            a, b, variant="percentile", exact=False, resampling=resampling, workers=1
        ),
        "bootstrap, BCa": bootstrap_interval(a, b, exact=False, resampling=resampling, workers=1),
        "inverted randomisation test": randomisation_interval(a, b, exact=False, resampling=resampling, workers=1),
        "posterior, Bayesian bootstrap": posterior(a, b, variant="bootstrap", resampling=resampling, workers=1),
    }
    scale = own["t"].upper - own["t"].lower
    for name, found in own.items():
        np.testing.assert_allclose((ends[name][0][0], ends[name][1][0]), (found.lower, found.upper), atol=0.02 * scale)


def bca(d: Matrix, means: Matrix, share: Matrix) -> tuple[Matrix, Matrix]:
    size = d.mean(axis=0)
    away = d - size
    with np.errstate(divide="ignore", invalid="ignore"):
        acceleration = (away**3).sum(axis=0) / (6 * (away**2).sum(axis=0) ** 1.5)
    below, most = (means < size - 1e-12).mean(axis=0), (means <= size + 1e-12).mean(axis=0)
    bias = ndtri(np.clip((below + most) / 2, 1e-9, 1 - 1e-9))
    out = []
    for level in (0.025, 0.975):
        z = bias + ndtri(level)
        wanted = ndtr(bias + z / (1 - acceleration * z))
        at = np.minimum(np.searchsorted(share, np.nan_to_num(wanted) - 1e-12), len(share) - 1)
        out.append(np.take_along_axis(means, at[None, :], axis=0)[0])
    return out[0], out[1]


# ---- measuring ---------------------------------------------------------------------------------------------


population_of = cache(Pairs)


def blocks(name: str, topics: int, null: str, nulls: int) -> Iterator[tuple[int, tuple[Matrix, Matrix, Matrix]]]:
    """Seeds and blocks of nulls; the same for every procedure."""
    population, rng = population_of(name), generator("real", name, topics, null)
    for block in range(-(-nulls // TOGETHER)):
        yield 1 + block, population.drawn(rng, topics, null)


def false_positives(name: str, topics: int, null: str, nulls: int) -> Rates:
    """Share of nulls that each test rejects, at each alpha; a null whose differences are all alike is not rejected."""
    found = defaultdict(list)
    for seed, (x, y, _) in blocks(name, topics, null, nulls):
        varied = np.ptp(x - y, axis=0) > 1e-12
        for test, p in block_tests(x, y, seed, seed <= 2).items():
            found[test].append(np.where(varied, p, 1.0))
    return {test: rejected(np.concatenate(p)) for test, p in found.items()}


def rejected(p: Matrix) -> list[float]:
    return [float((p <= alpha + 1e-12).mean()) for alpha in ALPHAS]


def coverage(name: str, topics: int, nulls: int) -> Rates:
    """Share of nulls whose 95 % intervals hold the truth; one without any variance is covered."""
    found = defaultdict(list)
    for seed, (x, y, whole) in blocks(name, topics, EQUAL, nulls):
        flat = np.ptp(x - y, axis=0) <= 1e-12
        for interval, (lower, upper) in block_intervals(x, y, seed, seed <= 2).items():
            found[interval].append(flat | ((lower <= 1e-12) & (upper >= -1e-12)))
        found["Cohen's d_z"].append(found["t"][-1])  # the truth is 0: it is within just where t's interval holds 0
        true = ((whole > 1e-12).sum(axis=0) + (np.abs(whole) <= 1e-12).sum(axis=0) / 2) / len(whole)
        wilson = [superiority(y[:, i], x[:, i]) for i in range(x.shape[1])]
        inside = [s.lower - 1e-12 <= t <= s.upper + 1e-12 for s, t in zip(wilson, true, strict=True)]
        found["probability of superiority (Wilson)"].append(np.array(inside))
        if seed == 1 and not flat[0]:
            d_z = cohen_dz(x[:, 0], y[:, 0])
            assert (d_z.lower <= 0 <= d_z.upper) == bool(found["t"][-1][0])
    return {interval: [float(np.concatenate(hits).mean())] for interval, hits in found.items()}


def border(name: str, topics: int, nulls: int) -> Rates:
    """One-sided and two one-sided t tests at the border; the margin is 0.36 standard deviations of the population."""
    found = defaultdict(list)
    for seed, (x, y, whole) in blocks(name, topics, EQUAL, nulls):
        d, margin = x - y, 0.36 * whole.std(axis=0)
        error = d.std(axis=0, ddof=1) / math.sqrt(topics)
        with np.errstate(divide="ignore", invalid="ignore"):
            lower = stdtr(topics - 1, -d.mean(axis=0) / error)  # d - margin against -margin
            other = stdtr(topics - 1, -(2 * margin + d.mean(axis=0)) / error)  # d + margin: above -margin, below margin
            upper = stdtr(topics - 1, d.mean(axis=0) / error)
        flat = error <= 1e-12
        found[BORDER[0]].append(np.where(flat, 1.0, lower))
        found[BORDER[1]].append(np.where(flat, 1.0, np.maximum(other, upper)))
        if seed == 1 and not flat[0]:
            m = float(margin[0])
            assert math.isclose(non_inferiority(y[:, 0], x[:, 0] - m, m).pvalue, lower[0], abs_tol=1e-9)
            assert math.isclose(equivalence(y[:, 0], x[:, 0] + m, m).pvalue, max(other[0], upper[0]), abs_tol=1e-9)
    return {test: rejected(np.concatenate(p)) for test, p in found.items()}


RANGES = ("Tukey HSD", "Tukey HSD, one-way", "Kruskal-Wallis, Tukey on ranks", "Friedman, Tukey on ranks", "Nemenyi")
CORRECTED = (
    "t, no correction", "t, Bonferroni", "t, Holm", "t, Hochberg", "t, Benjamini-Hochberg", "t, Benjamini-Yekutieli",
)  # fmt: skip


def families(name: str, systems: int, topics: int, nulls: int) -> Rates:
    """At least one pair of systems rejected, all of them with equal means."""
    rng, sources = generator("family", name, systems, topics), matrices(name)
    first, second = pairs_of(systems)
    found = defaultdict(list)
    for _ in range(-(-nulls // TOGETHER)):
        scores = sources[rng.integers(len(sources))]
        centred = scores - scores.mean(axis=0)
        block = np.stack([sample(rng, centred, systems, topics) for _ in range(TOGETHER)])
        for procedure in RANGES:
            location, error, df, _ = by_range_parts(procedure, block)
            q = np.abs(location[:, first] - location[:, second]).max(axis=1) / error
            found[procedure].append([q >= quantile(1 - alpha, systems, df) for alpha in ALPHAS])
        d = block[..., first] - block[..., second]
        error = d.std(axis=1, ddof=1) / math.sqrt(topics)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(error > 1e-12, d.mean(axis=1) / error, 0.0)
        p = 2 * stdtr(topics - 1, -np.abs(t))
        for correction in CORRECTED:
            adjusted = np.array([CORRECTIONS[correction](one).min() for one in p])
            found[correction].append([adjusted <= alpha + 1e-12 for alpha in ALPHAS])
    return {name: np.concatenate(hits, axis=1).mean(axis=1).tolist() for name, hits in found.items()}


PERMUTED: dict[str, Callable[..., Any]] = {
    "randomised HSD": randomised_hsd,
    "single-step MaxT, permutation": max_t,
    "step-down MaxT, permutation": step_down_max_t,
    "closed testing": closed_testing,
}


def permuted(name: str, topics: int, nulls: int) -> Rates:
    """At least one pair of five systems with equal means rejected by a permutation procedure, 99 permutations each."""
    rng, sources = generator("permuted", name, topics), matrices(name)
    least: dict[str, list[float]] = {procedure: [] for procedure in PERMUTED}
    for null in range(nulls):
        scores = sources[rng.integers(len(sources))]
        block = sample(rng, scores - scores.mean(axis=0), 5, topics)
        for procedure, test in PERMUTED.items():
            least[procedure].append(test(block, resampling=Resampling(99, null), workers=1).pvalue.min())
    return {procedure: rejected(np.array(p)) for procedure, p in least.items()}


def sample(rng: np.random.Generator, centred: Matrix, systems: int, topics: int) -> Matrix:
    chosen = rng.choice(centred.shape[1], systems, replace=False)
    return centred[rng.integers(len(centred), size=topics)][:, chosen]


TAUS = {
    "TREC-8, AP and P@10": ("urbano-adhoc8_ap", "urbano-adhoc8_p10"),
    "TREC-8, AP and RR": ("urbano-adhoc8_ap", "urbano-adhoc8_rr"),
    "Web 2010, nDCG@20 and ERR@20": ("urbano-web2010_ndcg20", "urbano-web2010_err20"),
}


def both(files: tuple[str, str]) -> tuple[Matrix, Matrix]:
    """Scores of the same systems by two measures."""
    return matrix(files[0], drop=False), matrix(files[1], drop=False)


def tau_systems(files: tuple[str, str], systems: int, nulls: int) -> Rates:
    """Coverage of the tau between all systems by intervals from some of them, drawn without replacement."""
    rng = generator("tau over systems", *files, systems)
    x, y = (scores.mean(axis=0) for scores in both(files))
    target = tau(x, y).b
    hits = np.zeros(2)
    for i in range(nulls):
        chosen = rng.choice(len(x), systems, replace=False)
        lower, upper = tau(x[chosen], y[chosen]).interval()
        drawn_ = tau_over_systems(x[chosen], y[chosen], resampling=Resampling(199, seed=i), workers=1)
        hits += lower <= target <= upper, drawn_.lower <= target <= drawn_.upper
    return dict(zip(("Fieller", "bootstrap over systems"), ([float(h / nulls)] for h in hits), strict=True))


def tau_topics(files: tuple[str, str], topics: int, nulls: int) -> Rates:
    """Coverage of the tau between the true means of 20 systems, by intervals over topics."""
    rng = generator("tau over topics", *files, topics)
    x, y = both(files)
    hits = np.zeros(2)
    for i in range(nulls):
        chosen, rows = rng.choice(x.shape[1], 20, replace=False), rng.integers(len(x), size=topics)
        target = tau(x[:, chosen].mean(axis=0), y[:, chosen].mean(axis=0)).b
        for k, kind in enumerate(("basic", "percentile")):
            got = tau_over_topics(
                x[np.ix_(rows, chosen)],
                y[np.ix_(rows, chosen)],
                resampling=Resampling(199, seed=i),
                variant=kind,
                workers=1,
            )
            hits[k] += got.lower - 1e-12 <= target <= got.upper + 1e-12
    names = ("bootstrap over topics, basic", "bootstrap over topics, percentile")
    return dict(zip(names, ([float(h / nulls)] for h in hits), strict=True))


# ---- writing -----------------------------------------------------------------------------------------------


def shown(rates: list[float], nulls: int, *, covers: bool = False) -> str:
    """Percentages; bold where worse than promised by more than three standard errors."""
    texts = []
    for rate, promised in zip(rates, (0.95,) if covers else ALPHAS, strict=True):
        worse = promised - rate if covers else rate - promised
        text = f"{100 * rate:.1f}"
        texts.append(f"**{text}**" if worse > 3 * math.sqrt(promised * (1 - promised) / nulls) else text)
    return " / ".join(texts)


def tabled(
    head: str, columns: list[str], cells: list[Rates], rows: tuple[str, ...], nulls: int, covers: bool = False
) -> str:
    body = [[row, *(shown(cell[row], nulls, covers=covers) for cell in cells)] for row in rows]
    return plain_table([head, *columns], body)


def plain_table(header: list[str], rows: list[list[str]]) -> str:
    """Markdown in which ** is bold."""
    return markdown_table(header, rows).replace("\\*", "*")


def beside(args: argparse.Namespace, progress: Callable[[str], None]) -> str:
    """Urbano's published rates and ours."""
    with (DATA / "type-1-urbano" / "type-1.csv").open() as file:
        published = {(r["measure"], int(r["topics"])): r for r in csv.DictReader(file) if float(r["alpha"]) == 0.05}
    letters = {"t": "t2", "Wilcoxon signed rank": "w2", "sign": "s2", "bootstrap, shift": "b2", "randomisation": "p2"}
    rows = []
    for measure, name in URBANO.items():
        for topics in PUBLISHED:
            progress(f"beside {name} {topics}")
            shifted, weighted = (false_positives(name, topics, null, args.nulls) for null in (EQUAL, WEIGHTED))
            theirs = published[measure, topics]
            cells = [
                f"{100 * float(theirs[letter]):.1f} / {100 * shifted[test][0]:.1f} / {100 * weighted[test][0]:.1f}"
                for test, letter in letters.items()
            ]
            rows.append([name, f"{topics}", *cells])
    return markdown_table(["population", "topics", *letters], rows)


BY_TOPICS = [f"{n} topics" for n in TOPICS]


def of_populations(
    measure: Callable[[str, int, int], Rates],
    rows: tuple[str, ...],
    nulls: int,
    progress: Callable[[str], None],
    covers: bool = False,
) -> str:
    """A table for each population, a column for each number of topics."""
    tables = []
    for name in POPULATIONS:
        progress(f"{rows[0]} and others, {name}")
        tables.append(tabled(name, BY_TOPICS, [measure(name, n, nulls) for n in TOPICS], rows, nulls, covers))
    return "\n\n".join(tables)


def tests_tables(null: str, nulls: int, progress: Callable[[str], None]) -> str:
    return of_populations(lambda name, n, count: false_positives(name, n, null, count), TESTS, nulls, progress)


def families_tables(nulls: int, progress: Callable[[str], None]) -> str:
    tables = []
    columns = [(k, n) for k in (5, 10) for n in TOPICS[1:]]
    for name in POPULATIONS:
        progress(f"families, {name}")
        heads = [f"{k} systems, {n} topics" for k, n in columns]
        tables.append(
            tabled(name, heads, [families(name, k, n, nulls) for k, n in columns], (*RANGES, *CORRECTED), nulls)
        )
    return "\n\n".join(tables)


def permuted_tables(nulls: int, progress: Callable[[str], None]) -> str:
    tables = []
    for name in POPULATIONS:
        progress(f"permutation, {name}")
        cells = [permuted(name, n, nulls) for n in TOPICS[1:]]
        tables.append(tabled(name, [f"{n} topics" for n in TOPICS[1:]], cells, tuple(PERMUTED), nulls))
    return "\n\n".join(tables)


def tau_tables(nulls: int, progress: Callable[[str], None]) -> str:
    tables = []
    for name, files in TAUS.items():
        progress(f"tau, {name}")
        x, y = (scores.mean(axis=0) for scores in both(files))
        head = f"{name}: tau {tau(x, y).b:.2f} of {len(x)} systems"
        cells = [tau_systems(files, k, nulls) for k in (10, 20, 40)]
        columns = [f"{k} systems" for k in (10, 20, 40)]
        tables.append(tabled(head, columns, cells, ("Fieller", "bootstrap over systems"), nulls, covers=True))
        cells = [tau_topics(files, n, nulls) for n in TOPICS[1:]]
        kinds = ("bootstrap over topics, basic", "bootstrap over topics, percentile")
        tables.append(tabled(f"{name}, 20 systems", BY_TOPICS[1:], cells, kinds, nulls, covers=True))
    return "\n\n".join(tables)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nulls", type=int, default=NULLS, help=f"of every cell (default: {NULLS})")
    parser.add_argument("--checkpoint", type=Path, help="file of tables that are made already; the rest is added to it")
    parser.add_argument("--out", default=str(OUT), help="file whose conclusions are kept; - prints")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    started = time.process_time()

    def progress(what: str) -> None:
        print(f"{time.process_time() - started:6.0f} s  {what}", file=sys.stderr, flush=True)

    makers = {
        "equal": lambda: tests_tables(EQUAL, args.nulls, progress),
        "weighted": lambda: tests_tables(WEIGHTED, args.nulls, progress),
        "exchanged": lambda: tests_tables(EXCHANGED, args.nulls, progress),
        "intervals": lambda: of_populations(coverage, INTERVALS, args.nulls, progress, covers=True),
        "border": lambda: of_populations(border, BORDER, args.nulls, progress),
        "beside": lambda: beside(args, progress),
        "families": lambda: families_tables(args.nulls, progress),
        "permuted": lambda: permuted_tables(args.nulls // 2, progress),
        "taus": lambda: tau_tables(args.nulls, progress),
    }
    saved = json.loads(args.checkpoint.read_text()) if args.checkpoint and args.checkpoint.exists() else {}
    parts: dict[str, str] = saved.setdefault(str(args.nulls), {})
    for key, make in makers.items():
        if key not in parts:
            parts[key] = make()
            if args.checkpoint:
                args.checkpoint.write_text(json.dumps(saved))
    versions = f"rankscope {rankscope.__version__}, numpy {np.__version__}, scipy {scipy.__version__}"
    text = PAGE.format(
        seed=f"{SEED:_}",
        versions=f"{versions}, Python {platform.python_version()}",
        nulls=f"{args.nulls:,}",
        error=f"{100 * math.sqrt(0.05 * 0.95 / args.nulls):.1f}",
        low=f"{100 * math.sqrt(0.01 * 0.99 / args.nulls):.1f}",
        **parts,
    )
    progress("done")
    if args.out == "-":
        print(text)
        return
    out = Path(args.out)
    kept = (
        out.read_text().partition("<!-- conclusions -->\n")[2].partition("\n## Populations")[0] if out.exists() else ""
    )
    out.write_text(text.replace("<!-- conclusions -->\n", f"<!-- conclusions -->\n{kept}"))


PAGE = """# Validity on real scores

The same rates as on [the page of simulated scores](validity.md), on populations from real score matrices. Made by

```
python scripts/validity_real.py
```

seed {seed}; {versions}.

Every rate is of {nulls} nulls: its Monte Carlo standard error is {error} percentage points at 5 % and {low} at 1 %.
Rates are percentages; a **bold** one is worse than promised by more than three standard errors, as one in 700 would be
by chance. What resamples draws B = 999 samples, 199 for tau; sign flips are drawn even where the exact test is at hand.
Wilcoxon's p value is exact to 100 topics and by the normal distribution at 250.

<!-- conclusions -->

## Populations

Scores of official TREC runs: Robust 2004 (AP, 249 topics), TREC-5 to 8 ad hoc (AP, P@10, RR, 50 topics each), Web 2010
to 2013 (nDCG@20, ERR@20, 48 to 50 topics each); the quarter of the systems with the lowest means is left out. A null is
a pair of systems of its own and a sample of topics, drawn with replacement; a rate is an average over pairs. The topics
of a sample that is larger than the population repeat: the population is the discrete distribution on its topics.

Two hypotheses are made true, the first of them in two ways:

- **Equal means**: the difference of the means is taken from one of the two systems. t, the bootstrap and all intervals
  for a mean difference are made for it, exact for large samples. The randomisation test, Wilcoxon's and the sign test
  are not: their hypothesis is that differences are symmetric around 0, or that their median is 0.
- **Equal means by weights**: scores stay as they are, and topics are drawn with the weights, as equal as can be, under
  which the two means are equal. Pairs for which the effective number of topics falls below half are left out.
- **Exchangeable scores**: on every topic the two scores are swapped by a toss, so that differences are symmetric around
  0. Every test has to hold here; the randomisation test, Wilcoxon's and the sign test do so exactly.

To take away a difference of means moves ties: topics on which two systems score the same then have a small difference,
all with one sign. The sign test and Wilcoxon's suffer from that most on P@10 and RR, where ties are many; weights leave
ties alone.

## Two systems: false positives where means are equal

Rejected at 5 % / at 1 %.

{equal}

The same by weights:

{weighted}

## Two systems: false positives where scores are exchangeable

Rejected at 5 % / at 1 %.

{exchanged}

## Equivalence and non-inferiority at the border of the hypothesis

The true difference is just the margin, which is 0.36 standard deviations of the differences. Rejected at 5 % / at 1 %.

{border}

## Two systems: coverage of 95 % intervals

Means are equal, so the true mean difference is 0, and so is d_z. Student's posterior interval is the t interval.

{intervals}

## Beside published rates

Two-sided false positives at 5 %: published / ours where means are equal / ours where means are equal by weights.
Published by J. Urbano, H. Lima and A. Hanjalic (2019), *Statistical significance testing in information retrieval: an
empirical analysis of type I, type II and type III errors*, SIGIR, from the data of their repository
`sigir2019-statistical`, which are under CC BY-SA 4.0, as are their rates in this table. They simulate scores from
copulas and marginal distributions fitted to the same runs, we resample the topics of pairs of runs: the populations are
alike, not the same.

{beside}

## Many systems with equal means: family-wise false positives

At least one pair rejected at 5 % / at 1 %; Benjamini-Hochberg's false discovery rate is the same here. Systems are
drawn from those of a track, and their means made equal. What
`rank` does about that, and randomised HSD, is on [a page of its own](validity-rank.md).

{families}

By permutation within topics: five systems, 99 permutations, half as many nulls, so that the standard error is 0.7
points at 5 %. These procedures assume that systems are exchangeable, which real ones are not.

{permuted}

## Kendall's tau: coverage of 95 % intervals

Over systems: the tau between all systems of a track, by intervals from some of them. These are drawn without
replacement, so intervals cover the more often the larger the share drawn. Over topics: the tau between the true means
of 20 systems under two measures.

{taus}
"""


if __name__ == "__main__":
    main()
