"""Are the tests and intervals of `rankscope.statistics` valid? Measured on simulated nulls, for docs/validity.md.

    python scripts/validity.py                      # the whole table, about half an hour on two cores
    python scripts/validity.py --nulls 20 --out -   # does it run at all

Nulls are passed to the public functions one at a time, as a user would pass them, but for tests that compare a
statistic with a fixed quantile, and t: there all nulls are decided at once, and some by the function to see it agree.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.special

import rankscope
from rankscope.errors import InputError
from rankscope.statistics import adjust, equality, t_all_pairs, tau, tau_over_systems, tau_over_topics
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.families import max_t, randomised_hsd, rank_tests, studentised_range, tukey_hsd
from rankscope.statistics.families.comparisons import pairs_of
from rankscope.statistics.pairs import effect_sizes, equivalence, intervals, paired_tests, posterior

SEED = 20_240_229
NULLS = 5000
ALPHAS = (0.05, 0.01)
TOPICS = (20, 50, 200)
SYSTEMS = (5, 10)
B_TWO, B_MANY, B_COSTLY = 999, 199, 99  # alpha (B + 1) is whole: the level of a test is exact
OUT = Path(__file__).parents[1] / "docs" / "validity.md"

Chance = np.random.Generator
Scores = np.ndarray[Any, np.dtype[np.float64]]


# ---- populations: nulls x topics x systems -----------------------------------------------------------------


def normal(rng: Chance, shape: tuple[int, int, int]) -> Scores:
    return rng.normal(size=(*shape[:2], 1)) + rng.normal(size=shape)


def beta(rng: Chance, shape: tuple[int, int, int]) -> Scores:
    """AP-like: many low scores, few high ones; how a topic's scores vary depends on its difficulty."""
    theta = rng.beta(1.2, 2.5, (*shape[:2], 1))
    return rng.beta(np.broadcast_to(6 * theta + 0.05, shape), 6 * (1 - theta) + 0.05)


def grid(rng: Chance, shape: tuple[int, int, int]) -> Scores:
    """P@10."""
    return rng.binomial(10, np.broadcast_to(rng.beta(1.2, 2.0, (*shape[:2], 1)), shape)) / 10


def reciprocal(rng: Chance, shape: tuple[int, int, int]) -> Scores:
    """RR@10: more than a third of the pairs tie."""
    resampling = np.clip(rng.beta(1.0, 1.2, (*shape[:2], 1)), 0.02, 0.999)
    rank = rng.geometric(np.broadcast_to(resampling, shape))
    return np.where(rank <= 10, 1 / rank, 0.0)


def lognormal(rng: Chance, shape: tuple[int, int, int]) -> Scores:
    """Two systems of equal mean: the first wins much on few topics and loses a little on many."""
    scores = np.repeat(rng.normal(size=(*shape[:2], 1)), 2, axis=2)
    scores[..., 0] += rng.lognormal(0, 1, shape[:2]) - math.exp(0.5)
    return scores


def gambler(rng: Chance, shape: tuple[int, int, int]) -> Scores:
    """Two systems of equal mean RR: the first is right at rank 1 or fails, the second mostly comes third."""
    first, second = rng.random(shape[:2]) < 0.25, rng.random(shape[:2]) < 0.75
    return np.stack([first * 1.0, second / 3], axis=2)


def noisy(rng: Chance, shape: tuple[int, int, int]) -> Scores:
    """Equal means, but the first system varies four times as much as the others."""
    noise = rng.normal(size=shape)
    noise[..., 0] *= 4
    return rng.normal(size=(*shape[:2], 1)) + noise


SYMMETRIC = {"normal": normal, "skewed (AP-like)": beta, "discrete (P@10)": grid, "tied (RR@10)": reciprocal}
ASYMMETRIC = {"skewed differences (lognormal)": lognormal, "all or nothing (RR)": gambler}
MANY = SYMMETRIC | {"one noisy system": noisy}
SHIFT = dict(zip(MANY, (1.0, 0.15, 0.1, 0.25, 1.0), strict=True))  # about a standard deviation within a topic
SUPERIOR = {"skewed differences (lognormal)": 0.30853753872598694, "all or nothing (RR)": 0.34375}  # true values


# ---- procedures --------------------------------------------------------------------------------------------

OVER_TOPICS: dict[str, Literal["basic", "percentile"]] = {
    "bootstrap over topics, basic": "basic",
    "bootstrap over topics, percentile": "percentile",
}
Method = Callable[[Scores, Resampling], Any]


@dataclass(frozen=True)
class Procedure:
    """Something to be measured: what it gives for one null, and the resamples it may draw."""

    name: str
    run: Method
    resamples: int = B_TWO


def pair(scores: Scores) -> tuple[Scores, Scores]:
    return scores[:, 0], scores[:, 1]


TESTS = [
    Procedure("t", lambda s, c: paired_tests.t_test(*pair(s)).pvalue),
    Procedure("Wilcoxon signed rank", lambda s, c: paired_tests.wilcoxon(*pair(s)).pvalue),
    Procedure("sign", lambda s, c: paired_tests.sign_test(*pair(s)).pvalue),
    Procedure(
        "randomisation (sign flips)",
        lambda s, c: paired_tests.randomisation_test(*pair(s), resampling=c, exact=False, workers=1).pvalue,
    ),
    Procedure(
        "randomisation, as by default",
        lambda s, c: paired_tests.randomisation_test(*pair(s), resampling=c, workers=1).pvalue,
    ),
    Procedure(
        "bootstrap, studentised", lambda s, c: paired_tests.bootstrap_test(*pair(s), resampling=c, workers=1).pvalue
    ),
    Procedure(
        "bootstrap, shift",
        lambda s, c: paired_tests.bootstrap_test(*pair(s), variant="shift", resampling=c, workers=1).pvalue,
    ),
]


def one_sided(scores: Scores, resampling: Resampling) -> float:
    """Non-inferiority where the second is worse by just the margin."""
    a, b = pair(scores)
    return equivalence.non_inferiority(b, a - 0.5, 0.5).pvalue


def two_one_sided(scores: Scores, resampling: Resampling) -> float:
    """Equivalence where the true difference is just the margin."""
    a, b = pair(scores)
    return equivalence.equivalence(b, a + 0.5, 0.5).pvalue


BOUNDARY = [
    Procedure("non-inferiority, true difference = -margin", one_sided),
    Procedure("equivalence (TOST), true difference = margin", two_one_sided),
]


def bounds(of: Callable[..., Any], *, resample: bool = False, **options: Any) -> Method:
    def run(scores: Scores, resampling: Resampling) -> tuple[float, float]:
        random = {"resampling": resampling, "workers": 1} if resample else {}
        got = of(*pair(scores), **options, **random)
        return got.lower, got.upper

    return run


INTERVALS = [
    Procedure("t", bounds(intervals.t_interval)),
    Procedure(
        "bootstrap, percentile",
        bounds(intervals.bootstrap_interval, variant="percentile", exact=False, resample=True),
    ),
    Procedure("bootstrap, BCa", bounds(intervals.bootstrap_interval, variant="bca", exact=False, resample=True)),
    Procedure("inverted randomisation test", bounds(intervals.randomisation_interval, exact=False, resample=True)),
    Procedure("posterior, Student", bounds(posterior.posterior)),
    Procedure("posterior, Bayesian bootstrap", bounds(posterior.posterior, variant="bootstrap", resample=True)),
    Procedure("Cohen's d_z", bounds(effect_sizes.cohen_dz)),
    Procedure("probability of superiority (Wilson)", bounds(effect_sizes.superiority)),
]


CORRECTIONS: dict[str, Callable[[Scores], Scores]] = {
    "t, no correction": lambda p: p,
    "t, Bonferroni": lambda p: adjust(p, "bonferroni").adjusted,
    "t, Holm": lambda p: adjust(p, "holm").adjusted,
    "t, Hochberg": lambda p: adjust(p, "hochberg").adjusted,
    "t, Benjamini-Hochberg": lambda p: adjust(p, "benjamini-hochberg").adjusted,
    "t, Benjamini-Yekutieli": lambda p: adjust(p, "benjamini-yekutieli").adjusted,
}
DISCOVERY = ("t, Benjamini-Hochberg", "t, Benjamini-Yekutieli")  # what they promise is the false discovery rate
BY_RANGE = ("Tukey HSD", "Tukey HSD, one-way", "Kruskal-Wallis, Tukey on ranks", "Friedman, Tukey on ranks", "Nemenyi")
RANDOMISED, CLOSED = "randomised HSD", "closed testing with MaxT"
PREFERENCES = "randomised HSD on preferences"
SINGLE, STEP_DOWN = "MaxT, single step or step-down", "MaxT, step-down"  # alike where no pair differs


def preferred(scores: Scores, resampling: Resampling) -> Any:
    """Who wins on each topic, a fifth of the pairs turned round: preferences that come from no score."""
    order = np.sign(scores[:, None, :] - scores[:, :, None])
    rng = np.random.default_rng([SEED, resampling.seed])
    turned = np.triu(np.where(rng.random(order.shape) < 0.2, -1.0, 1.0), 1)
    return randomised_hsd.randomised_hsd_preferences(
        order * (turned + turned.transpose(0, 2, 1)), resampling=resampling, workers=1
    ).pvalue


FAMILIES = [  # p values of all pairs
    Procedure(
        RANDOMISED, lambda s, c: randomised_hsd.randomised_hsd(s, resampling=c, exact=False, workers=1).pvalue, B_MANY
    ),
    Procedure(PREFERENCES, preferred, B_COSTLY),
    Procedure(SINGLE, lambda s, c: max_t.max_t(s, resampling=c, workers=1).pvalue, B_MANY),
    Procedure(STEP_DOWN, lambda s, c: max_t.step_down_max_t(s, resampling=c, workers=1).pvalue, B_MANY),
    Procedure(CLOSED, lambda s, c: max_t.closed_testing(s, resampling=c, workers=1).pvalue, B_COSTLY),
]
CORRECTED = "t, corrected"
ROWS = {  # of the two tables of families
    "families": [*BY_RANGE, *CORRECTIONS, RANDOMISED, PREFERENCES, SINGLE, CLOSED],
    "mixed": [*BY_RANGE, *CORRECTIONS, RANDOMISED, STEP_DOWN, CLOSED],
}


# ---- measuring ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """One procedure on one population."""

    part: str
    population: str
    topics: int
    systems: int
    procedure: str
    nulls: int


@dataclass(frozen=True)
class Measured:
    cell: Cell
    rates: tuple[float, ...]  # rejections at each alpha, or coverage
    refused: int = 0  # nulls without any difference, where the procedure says so


def generator(*key: Any) -> Chance:
    """A generator of its own for each population and size, the same for all procedures."""
    return np.random.default_rng([SEED, *("/".join(map(str, key)).encode())])


def drawn(cell: Cell, size: int = 250) -> Iterator[Scores]:
    """Blocks of nulls; in a mixed family the second half of the systems is better than the first."""
    make = (SYMMETRIC | ASYMMETRIC | MANY)[cell.population]
    rng = generator(cell.population, cell.topics, cell.systems)
    for first in range(0, cell.nulls, size):
        block = make(rng, (size, cell.topics, cell.systems))[: cell.nulls - first]
        if cell.part == "mixed":
            block[..., (cell.systems + 1) // 2 :] += SHIFT[cell.population]
        yield block


def one_by_one(cell: Cell, procedure: Procedure) -> tuple[Any, int]:
    """What the procedure gives for each null, and how many it refused."""
    found, refused = [], 0
    for i, scores in enumerate(scores for block in drawn(cell) for scores in block):
        try:
            found.append(procedure.run(scores, Resampling(procedure.resamples, seed=i)))
        except InputError:
            refused += 1
    return np.array(found), refused


def measure(cell: Cell) -> list[Measured]:
    """One cell; runs in a process of its own."""
    warnings.simplefilter("ignore")
    if cell.part == "tau":
        return [measure_tau(cell)]
    if cell.part in ROWS:
        return measure_family(cell)
    lists = {"tests": TESTS, "boundary": BOUNDARY, "intervals": INTERVALS}
    got, refused = one_by_one(cell, next(p for p in lists[cell.part] if p.name == cell.procedure))
    if cell.part == "intervals":
        truth = SUPERIOR.get(cell.population, 0.5) if cell.procedure.startswith("probability") else 0.0
        inside = (got[:, 0] <= truth + 1e-12) & (got[:, 1] >= truth - 1e-12)
        return [Measured(cell, (float((inside.sum() + refused) / cell.nulls),), refused)]
    rates = tuple(float((got <= alpha + 1e-12).sum() / cell.nulls) for alpha in ALPHAS)
    return [Measured(cell, rates, refused)]


def measure_family(cell: Cell) -> list[Measured]:
    """Errors among the pairs that do not differ, of one procedure or of all corrections of t."""
    if cell.procedure in BY_RANGE:
        return [errors(cell, by_range(cell))]
    if cell.procedure == CORRECTED:
        pvalues = by_t(cell)
        return [
            errors(replace(cell, procedure=name), below(np.array([correct(p) for p in pvalues])))
            for name, correct in CORRECTIONS.items()
        ]
    got, refused = one_by_one(cell, next(p for p in FAMILIES if p.name == cell.procedure))
    return [errors(cell, below(got), refused)]


def below(pvalues: Scores) -> list[Any]:
    return [pvalues <= alpha + 1e-12 for alpha in ALPHAS]


def errors(cell: Cell, rejected: list[Any], refused: int = 0) -> Measured:
    """The family-wise error rate over the pairs that are equal, or the mean share of these among all rejected."""
    first, second = pairs_of(cell.systems)
    half = cell.systems if cell.part == "families" else (cell.systems + 1) // 2
    equal = (first < half) == (second < half)
    if cell.procedure in DISCOVERY:
        rates = [(r[:, equal].sum(axis=1) / np.maximum(r.sum(axis=1), 1)).sum() / cell.nulls for r in rejected]
    else:
        rates = [r[:, equal].any(axis=1).sum() / cell.nulls for r in rejected]
    return Measured(cell, tuple(map(float, rates)), refused)


def by_range(cell: Cell) -> list[Any]:
    """Decisions of a test that rejects where a difference exceeds a quantile, which is the same for all nulls."""
    first, second = pairs_of(cell.systems)
    found, checked = [], None
    for block in drawn(cell):
        location, error, df, test = by_range_parts(cell.procedure, block)
        found.append(np.abs(location[:, first] - location[:, second]) / np.broadcast_to(error, len(block))[:, None])
        checked = checked or [test(one) for one in block[:10]]
    q = np.concatenate(found)
    assert checked is not None
    np.testing.assert_allclose([one.statistic for one in checked], q[: len(checked)], rtol=1e-9, atol=1e-9)
    rejected = [q >= studentised_range.quantile(1 - alpha, cell.systems, df) for alpha in ALPHAS]
    for own, many in zip(below(np.array([one.pvalue for one in checked])), rejected, strict=True):
        assert (own == many[: len(own)]).all()  # the function itself decides alike
    return rejected


def by_range_parts(procedure: str, block: Scores) -> tuple[Scores, Any, float, Callable[[Scores], Any]]:
    """Means or mean ranks, their standard error by null, its degrees of freedom, and the public function."""
    nulls, n, k = block.shape
    if procedure.startswith("Tukey"):
        rest, df, test = block - block.mean(axis=1, keepdims=True), k * (n - 1), tukey_hsd.tukey_hsd_one_way
        if not procedure.endswith("one-way"):
            rest, df, test = rest - rest.mean(axis=2, keepdims=True), (n - 1) * (k - 1), tukey_hsd.tukey_hsd
        return block.mean(axis=1), np.sqrt((rest**2).sum(axis=(1, 2)) / df / n), float(df), test
    if procedure.startswith("Kruskal"):
        ranks, tied = equality.midranks(block.reshape(nulls, -1))
        variance = n * k * (n * k + 1) / 12 - tied / (12 * (n * k - 1))
        kruskal = lambda one: rank_tests.kruskal_wallis(one).comparisons  # noqa: E731
        return ranks.reshape(block.shape).mean(axis=1), np.sqrt(variance / n), math.inf, kruskal
    ranks = equality.midranks(block.reshape(-1, k))[0].reshape(block.shape)
    if procedure == "Nemenyi":
        return ranks.mean(axis=1), math.sqrt(k * (k + 1) / (12 * n)), math.inf, rank_tests.nemenyi
    variance = ((ranks - (k + 1) / 2) ** 2).sum(axis=(1, 2)) / (n * (k - 1))
    friedman = lambda one: rank_tests.friedman(one).comparisons  # noqa: E731
    return ranks.mean(axis=1), np.sqrt(variance / n), math.inf, friedman


def by_t(cell: Cell) -> Scores:
    """p values of the t test, nulls x pairs."""
    first, second = pairs_of(cell.systems)
    found = []
    for block in drawn(cell):
        d = block[..., first] - block[..., second]
        t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / math.sqrt(cell.topics))
        found.append(2 * scipy.special.stdtr(cell.topics - 1, -np.abs(t)))
        own = [t_all_pairs(one).pvalue for one in block[:2]]
        np.testing.assert_allclose(own, found[-1][:2], rtol=1e-9)
    got = np.concatenate(found)
    assert np.isfinite(got).all()
    return got


def measure_tau(cell: Cell) -> Measured:
    """Coverage of the intervals for tau; the population's name ends with the true value."""
    rng = generator(cell.population, cell.topics, cell.systems)
    true, hits = float(cell.population.split()[-1]), 0
    rho = math.sin(math.pi * true / 2)  # of normal values with this tau
    for i in range(cell.nulls):
        resampling = Resampling(B_TWO, seed=i)
        x = rng.normal(size=cell.systems)
        y = rho * x + math.sqrt(1 - rho**2) * rng.normal(size=cell.systems)
        target = true
        if cell.procedure == "Fieller":
            lower, upper = tau(x, y).interval()
        elif cell.procedure == "bootstrap over systems":
            got = tau_over_systems(x, y, resampling=resampling, workers=1)
            lower, upper = got.lower, got.upper
        else:  # x and y are true means of the systems; the interval is for the tau between them
            target = tau(x, y).b
            shape = (cell.topics, cell.systems)
            topic = rng.normal(size=(cell.topics, 1))
            sample = [means + topic + rng.normal(scale=2.0, size=shape) for means in (x, y)]
            got = tau_over_topics(*sample, resampling=resampling, kind=OVER_TOPICS[cell.procedure], workers=1)
            lower, upper = got.lower, got.upper
        hits += lower - 1e-12 <= target <= upper + 1e-12
    return Measured(cell, (hits / cell.nulls,))


def cells(nulls: int) -> list[Cell]:
    made = []
    for topics in TOPICS:
        for part, procedures in (("tests", TESTS), ("intervals", INTERVALS)):
            for population in SYMMETRIC | ASYMMETRIC:
                made += [Cell(part, population, topics, 2, p.name, nulls) for p in procedures]
        made += [Cell("boundary", "normal", topics, 2, p.name, nulls) for p in BOUNDARY]
        for systems in SYSTEMS:
            for population in MANY:
                for part, rows in ROWS.items():
                    for name in dict.fromkeys(CORRECTED if row in CORRECTIONS else row for row in rows):
                        if name != CLOSED or systems <= max_t.CLOSED:
                            made.append(Cell(part, population, topics, systems, name, nulls))
    for true in ("0.5", "0.8"):
        for systems in (20, 50, 110):
            for name in ("Fieller", "bootstrap over systems"):
                made.append(Cell("tau", f"true tau {true}", 0, systems, name, nulls))
        for topics in TOPICS:
            made += [Cell("tau", f"true tau {true}", topics, 20, name, nulls) for name in OVER_TOPICS]
    return made


# ---- writing -----------------------------------------------------------------------------------------------


def shown(got: Measured, wanted: float, rate: float) -> str:
    """A percentage; bold where it is worse than promised by more than chance explains (three standard errors)."""
    error = math.sqrt(wanted * (1 - wanted) / got.cell.nulls)
    worse = rate - wanted if got.cell.part not in ("intervals", "tau") else wanted - rate
    text = f"{100 * rate:.1f}"
    return f"**{text}**" if worse > 3 * error else text


def cell_text(got: Measured | None) -> str:
    if got is None:
        return "-"
    if got.cell.part in ("intervals", "tau"):
        return shown(got, 0.95, got.rates[0])
    return " / ".join(shown(got, alpha, rate) for alpha, rate in zip(ALPHAS, got.rates, strict=True))


def table(found: list[Measured], rows: list[str], columns: list[tuple[str, Callable[[Cell], bool]]], head: str) -> str:
    lines = [f"| {head} | " + " | ".join(name for name, _ in columns) + " |", "| --- |" + " ---: |" * len(columns)]
    for row in rows:
        texts = [
            cell_text(next((m for m in found if m.cell.procedure == row and fits(m.cell)), None)) for _, fits in columns
        ]
        lines.append(f"| {row} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def at(topics: int, systems: int | None = None) -> Callable[[Cell], bool]:
    return lambda cell: cell.topics == topics and systems in (None, cell.systems)


def written(found: list[Measured], args: argparse.Namespace) -> str:
    by_topics: list[tuple[str, Callable[[Cell], bool]]] = [(f"{n} topics", at(n)) for n in TOPICS]
    parts = [HEAD.format(command=command(args), **numbers(found, args))]
    for title, part, procedures, intro in (
        ("Two systems: false positives", "tests", TESTS, TWO),
        ("Two systems: coverage of 95 % intervals", "intervals", INTERVALS, COVER),
    ):
        parts.append(f"## {title}\n\n{intro}")
        for population in SYMMETRIC | ASYMMETRIC:
            some = [m for m in found if m.cell.part == part and m.cell.population == population]
            parts.append(table(some, [p.name for p in procedures], by_topics, population))
        if part == "tests":
            some = [m for m in found if m.cell.part == "boundary"]
            parts.append(BORDER + "\n\n" + table(some, [p.name for p in BOUNDARY], by_topics, "normal"))
    columns = [(f"{k} systems, {n} topics", at(n, k)) for k in SYSTEMS for n in TOPICS]
    for title, part, intro in (
        ("Many systems, none of which differ: family-wise false positives", "families", FAMILY),
        ("Many systems, half of which are better: family-wise false positives", "mixed", MIXED),
    ):
        parts.append(f"## {title}\n\n{intro}")
        for population in MANY:
            some = [m for m in found if m.cell.part == part and m.cell.population == population]
            parts.append(table(some, ROWS[part], columns, population))
    parts.append(f"## Kendall's tau: coverage of 95 % intervals\n\n{TAU}")
    taus = [m for m in found if m.cell.part == "tau"]
    for name in sorted({m.cell.population for m in taus}):
        some = [m for m in taus if m.cell.population == name]
        of_systems = [(f"{k} systems", at(0, k)) for k in (20, 50, 110)]
        parts.append(table(some, ["Fieller", "bootstrap over systems"], of_systems, name))
        parts.append(table(some, list(OVER_TOPICS), by_topics, f"{name}, 20 systems"))
    return "\n\n".join(parts) + "\n"


def command(args: argparse.Namespace) -> str:
    return "python scripts/validity.py" + ("" if args.nulls == NULLS else f" --nulls {args.nulls}")


def numbers(found: list[Measured], args: argparse.Namespace) -> dict[str, str]:
    versions = f"rankscope {rankscope.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
    return {
        "versions": versions + f"Python {platform.python_version()}",
        "nulls": f"{args.nulls:,}",
        "seed": f"{SEED:,}".replace(",", "_"),
        "two": str(B_TWO),
        "many": str(B_MANY),
        "costly": str(B_COSTLY),
        "refused": f"{sum(m.refused for m in found):,}",
        "error": f"{100 * math.sqrt(0.05 * 0.95 / args.nulls):.1f}",
        "low": f"{100 * math.sqrt(0.01 * 0.99 / args.nulls):.2f}",
    }


HEAD = """# Validity of tests and intervals

How often each test of `rankscope.statistics` rejects a true null hypothesis, and how often each interval holds the true
value, on simulated scores. Made by

```
{command}
```

seed {seed}; {versions}.

Every rate is of {nulls} nulls: its Monte Carlo standard error is {error} percentage points at 5 % and {low} at 1 %.
Rates are percentages; a **bold** one is worse than promised by more than three standard errors, as one in 700 would be
by chance. {refused} nulls had no difference at all and were refused by a procedure: they count as not rejected, and as
covered.

What resamples draws B = {two} samples for two systems and for tau, {many} for many systems, {costly} for closed testing
and preferences. alpha (B + 1) is whole at 5 % and at 1 %, so the level of a permutation test is exact whatever B is;
fewer samples cost power, which is not measured here. Closed testing takes the largest of many sampled p values, so few
samples make it conservative.

<!-- conclusions -->

## Populations

| name | scores |
| --- | --- |
| normal | topic effect and noise, both normal |
| skewed (AP-like) | beta, around a difficulty of the topic that is beta too |
| discrete (P@10) | binomial of 10 / 10, chance by topic |
| tied (RR@10) | 1 / geometric rank, 0 beyond rank 10, chance by topic |
| skewed differences (lognormal) | equal means; one system wins much on few topics, loses a little on many |
| all or nothing (RR) | equal means; one system has RR 1 (a quarter) or 0, the other 1/3 (three quarters) or 0 |
| one noisy system | equal means, normal; the noise of one system is four times that of the others |

In the first four the systems are exchangeable, so differences are symmetric around 0. In the last three only the means
are equal: tests of exchangeability, ranks or signs may reject there, and rightly by their own hypothesis."""
TWO = """Rejected at 5 % / at 1 %. "Sign flips" are drawn even where the exact test is at hand; "as by default" is exact
up to 40 differences, and where these lie on a grid (P@10, RR)."""
COVER = (
    "For the mean difference, or the effect named, whose true value is known. Posterior intervals are credible"
    " intervals\nseen as confidence intervals."
)
BORDER = "At the border of the null hypothesis, margin 0.5, differences with standard deviation 1.4:"
FAMILY = """At least one pair rejected at 5 % / at 1 %, no two systems differing in the mean. Tests by the studentised
range are taken from its quantiles, and t of all nulls at once, which is the same and cheaper. Preferences: who wins on
a topic, a fifth of the pairs turned round. Closed testing is for at most 6 systems. Benjamini-Hochberg and
Benjamini-Yekutieli: the false discovery rate, which is the same here."""
MIXED = """The first half of the systems (3 of 5, 5 of 10) are equal, and so are the others, which are better by about a
standard deviation within a topic. At least one pair of equals rejected at 5 % / at 1 %. Benjamini-Hochberg and
Benjamini-Yekutieli: the false discovery rate, the mean share of equals among the pairs rejected."""
TAU = (
    "Normal values. Over systems: the tau of the population the systems are drawn from. Over topics: the tau between"
    " the\ntrue means of 20 given systems under two measures; scores have noise of standard deviation 2, true means 1."
)


def checkpointed(file: Path | None) -> dict[Cell, list[Measured]]:
    """What an earlier run has measured."""
    if file is None or not file.exists():
        return {}
    done = {}
    for line in file.read_text().splitlines():
        cell, measured = json.loads(line)
        done[Cell(**cell)] = [Measured(Cell(**m["cell"]), tuple(m["rates"]), m["refused"]) for m in measured]
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nulls", type=int, default=NULLS, help=f"of every cell (default: {NULLS})")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--checkpoint", type=Path, help="file of what is measured already; the rest is added to it")
    parser.add_argument("--out", default=str(OUT), help="file whose conclusions are kept; - prints")
    args = parser.parse_args()
    started = time.perf_counter()
    done = checkpointed(args.checkpoint)
    todo = [cell for cell in cells(args.nulls) if cell not in done]
    # what takes longest first, so that no worker is left alone with it
    todo.sort(key=lambda cell: (cell.procedure != CLOSED, -cell.topics, -cell.systems))
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # processes do the work side by side; their libraries' threads would wait
    with ProcessPoolExecutor(args.workers, multiprocessing.get_context("spawn")) as pool:
        for i, (cell, got) in enumerate(zip(todo, pool.map(measure, todo), strict=True), 1):
            done[cell] = got
            if args.checkpoint:
                with args.checkpoint.open("a") as file:
                    print(json.dumps([asdict(cell), [asdict(one) for one in got]]), file=file)
            if i % 50 == 0:
                print(f"{i} of {len(todo)}, {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    found = [one for cell in cells(args.nulls) for one in done[cell]]
    text = written(found, args)
    if args.out == "-":
        print(text)
        return
    out = Path(args.out)
    kept = conclusions(out.read_text()) if out.exists() else ""
    out.parent.mkdir(exist_ok=True)
    out.write_text(text.replace("<!-- conclusions -->\n", f"<!-- conclusions -->\n{kept}"))


def conclusions(text: str) -> str:
    """What a reader has written between the mark and the first table."""
    return text.partition("<!-- conclusions -->\n")[2].partition("\n## Populations")[0]


if __name__ == "__main__":
    main()
