"""Are the tests and intervals of `rankscope.statistics` valid? Measured on simulated nulls, for docs/validity.md.

    python scripts/validity.py                      # the whole table, a quarter of an hour on two cores
    python scripts/validity.py --nulls 200 --resampled 50 --out -      # does it run at all

Every null is passed to the public functions, one at a time, as a user would pass it.
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
from typing import Any

import numpy as np
import scipy

import rankscope
from rankscope.errors import InputError
from rankscope.statistics import (
    agreement,
    beliefs,
    corrections,
    effects,
    hsd,
    intervals,
    largest_t,
    margins,
    paired,
    permutation,
    rank_tests,
    studentised_range,
)
from rankscope.statistics.resampling import Resampling

SEED = 20_240_229
ALPHAS = (0.05, 0.01)
TOPICS = (20, 50, 200)
SYSTEMS = (5, 10)
B = 1000
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
    chance = np.clip(rng.beta(1.0, 1.2, (*shape[:2], 1)), 0.02, 0.999)
    rank = rng.geometric(np.broadcast_to(chance, shape))
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
SUPERIOR = {"skewed differences (lognormal)": 0.30853753872598694, "all or nothing (RR)": 0.34375}  # true values


# ---- procedures --------------------------------------------------------------------------------------------

D_Z = "Cohen's d_z"
OVER_TOPICS = {"bootstrap over topics, basic": "basic", "bootstrap over topics, percentile": "percentile"}
MAX_T = "MaxT, single step or step-down"  # the largest statistic has the same p value in both
Method = Callable[[Scores, Resampling], Any]


@dataclass(frozen=True)
class Procedure:
    """Something to be measured: what it gives for one null, and whether it resamples."""

    name: str
    run: Method
    resamples: bool = False


def pair(scores: Scores) -> tuple[Scores, Scores]:
    return scores[:, 0], scores[:, 1]


TESTS = [
    Procedure("t", lambda s, c: paired.t_test(*pair(s)).pvalue),
    Procedure("Wilcoxon signed rank", lambda s, c: paired.wilcoxon(*pair(s)).pvalue, True),
    Procedure("sign", lambda s, c: paired.sign_test(*pair(s)).pvalue),
    Procedure(
        "randomisation (sign flips)",
        lambda s, c: paired.randomisation_test(*pair(s), chance=c, exact=False, workers=1).pvalue,
        True,
    ),
    Procedure("bootstrap, studentised", lambda s, c: paired.bootstrap_test(*pair(s), chance=c, workers=1).pvalue, True),
    Procedure(
        "bootstrap, shift",
        lambda s, c: paired.bootstrap_test(*pair(s), kind="shift", chance=c, workers=1).pvalue,
        True,
    ),
]


def one_sided(scores: Scores, chance: Resampling) -> float:
    """Non-inferiority where the first is worse by just the margin."""
    a, b = pair(scores)
    return margins.non_inferiority(a - 0.5, b, 0.5).pvalue


def two_one_sided(scores: Scores, chance: Resampling) -> float:
    """Equivalence where the true difference is just the margin."""
    a, b = pair(scores)
    return margins.equivalence(a + 0.5, b, 0.5).pvalue


BOUNDARY = [
    Procedure("non-inferiority, true difference = -margin", one_sided),
    Procedure("equivalence (TOST), true difference = margin", two_one_sided),
]


def bounds(of: Callable[..., Any], *, resample: bool = False, **options: Any) -> Method:
    def run(scores: Scores, chance: Resampling) -> tuple[float, float]:
        random = {"chance": chance, "workers": 1} if resample else {}
        got = of(*pair(scores), **options, **random)
        return got.lower, got.upper

    return run


INTERVALS = [
    Procedure("t", bounds(intervals.t_interval)),
    Procedure(
        "bootstrap, percentile",
        bounds(intervals.bootstrap_interval, kind="percentile", exact=False, resample=True),
        True,
    ),
    Procedure("bootstrap, BCa", bounds(intervals.bootstrap_interval, kind="bca", exact=False, resample=True), True),
    Procedure(
        "inverted randomisation test", bounds(intervals.randomisation_interval, exact=False, resample=True), True
    ),
    Procedure("posterior, Student", bounds(beliefs.posterior)),
    Procedure("posterior, Bayesian bootstrap", bounds(beliefs.posterior, kind="bootstrap", resample=True), True),
    Procedure(D_Z, bounds(effects.cohen_dz), True),
    Procedure("probability of superiority (Wilson)", bounds(effects.superiority)),
]


CORRECTIONS: dict[str, Callable[[Scores], Scores]] = {
    "t, no correction": lambda p: p,
    "t, Bonferroni or Holm": lambda p: corrections.holm(p).adjusted,  # the smallest p value is the same
    "t, Hochberg": lambda p: corrections.hochberg(p).adjusted,
    "t, Benjamini-Hochberg": lambda p: corrections.benjamini_hochberg(p).adjusted,
    "t, Benjamini-Yekutieli": lambda p: corrections.benjamini_yekutieli(p).adjusted,
}


def corrected(scores: Scores, chance: Resampling) -> list[float]:
    """The smallest p value of all pairs under each correction."""
    pvalues = paired.t_all_pairs(scores).pvalue[np.triu_indices(scores.shape[1], 1)]
    return [float(correct(pvalues).min()) for correct in CORRECTIONS.values()]


FAMILIES = [
    Procedure("t, corrected", corrected),
    Procedure(
        "Kruskal-Wallis, Tukey on ranks", lambda s, c: rank_tests.kruskal_wallis(s).comparisons.pvalue.min(), True
    ),
    Procedure("Friedman, Tukey on ranks", lambda s, c: rank_tests.friedman(s).comparisons.pvalue.min(), True),
    Procedure(
        "randomised HSD",
        lambda s, c: permutation.randomised_hsd(s, chance=c, exact=False, workers=1).pvalue.min(),
        True,
    ),
    Procedure(MAX_T, lambda s, c: largest_t.max_t(s, chance=c, workers=1).pvalue.min(), True),
]


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


def drawn(make: Callable[..., Scores], cell: Cell, size: int = 250) -> Iterator[tuple[Scores, Resampling]]:
    rng = generator(cell.population, cell.topics, cell.systems)
    for first in range(0, cell.nulls, size):
        block = make(rng, (size, cell.topics, cell.systems))
        for i, scores in enumerate(block[: cell.nulls - first]):
            yield scores, Resampling(B, seed=first + i)


def measure(cell: Cell) -> list[Measured]:
    """One cell; runs in a process of its own."""
    warnings.simplefilter("ignore")
    if cell.part == "tau":
        return [measure_tau(cell)]
    if cell.procedure.startswith("Tukey HSD"):
        return [measure_tukey(cell)]
    lists = {"tests": TESTS, "boundary": BOUNDARY, "intervals": INTERVALS, "families": FAMILIES}
    run = next(p.run for p in lists[cell.part] if p.name == cell.procedure)
    make = (SYMMETRIC | ASYMMETRIC | MANY)[cell.population]
    truth = 0.0
    if cell.procedure.startswith("probability"):
        truth = SUPERIOR.get(cell.population, 0.5)
    refused, found = 0, []
    for scores, chance in drawn(make, cell):
        try:
            found.append(run(scores, chance))
        except InputError:
            refused += 1
    got = np.array(found)
    if cell.part == "intervals":
        inside = (got[:, 0] <= truth + 1e-12) & (got[:, 1] >= truth - 1e-12)
        return [Measured(cell, (float((inside.sum() + refused) / cell.nulls),), refused)]
    if got.ndim == 1:
        return [Measured(cell, rejected(got, cell.nulls), refused)]
    named = zip(CORRECTIONS, got.T, strict=True)
    return [Measured(replace(cell, procedure=name), rejected(p, cell.nulls), refused) for name, p in named]


def rejected(pvalues: Scores, nulls: int) -> tuple[float, ...]:
    return tuple(float((pvalues <= alpha + 1e-12).sum() / nulls) for alpha in ALPHAS)


def measure_tukey(cell: Cell) -> Measured:
    """Tukey's test rejects where the range of the means exceeds a quantile, which is the same for all nulls."""
    n, k = cell.topics, cell.systems
    one_way = cell.procedure.endswith("one-way")
    df = k * (n - 1) if one_way else (n - 1) * (k - 1)
    scores = np.stack([s for s, _ in drawn((MANY)[cell.population], cell)])
    rest = scores - scores.mean(axis=1, keepdims=True)
    if not one_way:
        rest = rest - rest.mean(axis=2, keepdims=True)
    error = np.sqrt((rest**2).sum(axis=(1, 2)) / df / n)
    q = np.ptp(scores.mean(axis=1), axis=1) / error
    limits = [studentised_range.quantile(1 - alpha, k, df) for alpha in ALPHAS]
    test = hsd.tukey_hsd_one_way if one_way else hsd.tukey_hsd
    for one, value in zip(scores[:5], q[:5], strict=True):  # the function itself decides alike
        assert (test(one).pvalue.min() <= ALPHAS[0]) == (value >= limits[0])
    return Measured(cell, tuple(float((q >= limit).mean()) for limit in limits))


def measure_tau(cell: Cell) -> Measured:
    """Coverage of the intervals for tau; the population's name ends with the true value."""
    rng = generator(cell.population, cell.topics, cell.systems)
    true, hits = float(cell.population.split()[-1]), 0
    rho = math.sin(math.pi * true / 2)  # of normal values with this tau
    for i in range(cell.nulls):
        chance = Resampling(B, seed=i)
        x = rng.normal(size=cell.systems)
        y = rho * x + math.sqrt(1 - rho**2) * rng.normal(size=cell.systems)
        target = true
        if cell.procedure == "Fieller":
            lower, upper = agreement.tau(x, y).interval()
        elif cell.procedure == "bootstrap over systems":
            got = agreement.tau_over_systems(x, y, chance=chance, workers=1)
            lower, upper = got.lower, got.upper
        else:  # x and y are true means of the systems; the interval is for the tau between them
            target = agreement.tau(x, y).b
            shape = (cell.topics, cell.systems)
            topic = rng.normal(size=(cell.topics, 1))
            sample = [means + topic + rng.normal(scale=2.0, size=shape) for means in (x, y)]
            got = agreement.tau_over_topics(*sample, chance=chance, kind=OVER_TOPICS[cell.procedure], workers=1)
            lower, upper = got.lower, got.upper
        hits += lower - 1e-12 <= target <= upper + 1e-12
    return Measured(cell, (hits / cell.nulls,))


def few(procedure: Procedure, topics: int, resampled: int) -> int:
    """Nulls for what is expensive, and more so with many topics."""
    most = {MAX_T: 500, D_Z: 500}.get(procedure.name, 1000 if procedure in FAMILIES else resampled)
    return max(1, min(most, resampled) * 2 // (2 if topics <= 50 else 5))


def cells(nulls: int, resampled: int) -> list[Cell]:
    made = []
    for topics in TOPICS:
        for part, procedures in (("tests", TESTS), ("intervals", INTERVALS)):
            for population in SYMMETRIC | ASYMMETRIC:
                for p in procedures:
                    count = few(p, topics, resampled) if p.resamples else nulls
                    made.append(Cell(part, population, topics, 2, p.name, count))
        made += [Cell("boundary", "normal", topics, 2, p.name, nulls) for p in BOUNDARY]
        for systems in SYSTEMS:
            for population in MANY:
                for p in FAMILIES:
                    count = few(p, topics, resampled) if p.resamples else nulls
                    made.append(Cell("families", population, topics, systems, p.name, count))
                for name in ("Tukey HSD", "Tukey HSD, one-way"):
                    made.append(Cell("families", population, topics, systems, name, nulls))
    for tau in ("0.5", "0.8"):
        for systems in (20, 50, 110):
            made.append(Cell("tau", f"true tau {tau}", 0, systems, "Fieller", nulls))
            made.append(Cell("tau", f"true tau {tau}", 0, systems, "bootstrap over systems", min(resampled, 500)))
        for topics in TOPICS:
            for name in OVER_TOPICS:
                made.append(Cell("tau", f"true tau {tau}", topics, 20, name, min(resampled, 500)))
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
        return ""
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
    parts.append(f"## Many systems: family-wise false positives\n\n{FAMILY}")
    names = ["Tukey HSD", "Tukey HSD, one-way", *CORRECTIONS, *(p.name for p in FAMILIES[1:])]
    columns = [(f"{k} systems, {n} topics", at(n, k)) for k in SYSTEMS for n in TOPICS]
    for population in MANY:
        some = [m for m in found if m.cell.part == "families" and m.cell.population == population]
        parts.append(table(some, names, columns, population))
    parts.append(f"## Kendall's tau: coverage of 95 % intervals\n\n{TAU}")
    taus = [m for m in found if m.cell.part == "tau"]
    for name in sorted({m.cell.population for m in taus}):
        some = [m for m in taus if m.cell.population == name]
        of_systems = [(f"{k} systems", at(0, k)) for k in (20, 50, 110)]
        parts.append(table(some, ["Fieller", "bootstrap over systems"], of_systems, name))
        parts.append(table(some, list(OVER_TOPICS), by_topics, f"{name}, 20 systems"))
    return "\n\n".join(parts) + "\n"


def command(args: argparse.Namespace) -> str:
    return f"python scripts/validity.py --nulls {args.nulls} --resampled {args.resampled}"


def numbers(found: list[Measured], args: argparse.Namespace) -> dict[str, str]:
    versions = f"rankscope {rankscope.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
    refused = sum(m.refused for m in found)
    error = {
        n: 100 * math.sqrt(0.05 * 0.95 / n)
        for n in sorted({args.nulls, args.resampled, args.resampled * 2 // 5, 1000, 500, 200}, reverse=True)
    }
    low = {n: 100 * math.sqrt(0.01 * 0.99 / n) for n in error}
    return {
        "versions": versions + f"Python {platform.python_version()}",
        "nulls": f"{args.nulls:,}",
        "resampled": f"{args.resampled:,}",
        "seed": f"{SEED:,}".replace(",", "_"),
        "B": f"{B:,}",
        "refused": f"{refused:,}",
        "error": "\n".join(
            ["| nulls | at 5 % | at 1 % |", "| ---: | ---: | ---: |"]
            + [f"| {n:,} | {error[n]:.1f} | {low[n]:.1f} |" for n in error]
        ),
    }


HEAD = """# Validity of tests and intervals

How often each test of `rankscope.statistics` rejects a true null hypothesis, and how often each interval holds the true
value, on simulated scores. Made by

```
{command}
```

seed {seed}; {versions}.

Nulls a cell: {nulls}; where a procedure resamples (B = {B}) or ranks, {resampled}, on many systems at most 1,000; MaxT,
Cohen's d_z and bootstraps of tau 500; two fifths of these at 200 topics (tau: all). Monte Carlo standard errors in
percentage points:

{error}

Rates are percentages; a **bold** one is worse than promised by more than three standard errors. {refused} nulls had no
difference at all and were refused by a procedure: they count as not rejected, and as covered.

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
TWO = 'Rejected at 5 % / at 1 %. "Randomisation" is the Monte Carlo test even where the exact one is at hand.'
COVER = (
    "For the mean difference, or the effect named, whose true value is known. Posterior intervals are credible"
    " intervals\nseen as confidence intervals."
)
BORDER = "At the border of the null hypothesis, margin 0.5, differences with standard deviation 1.4:"
FAMILY = (
    "At least one pair rejected at 5 % / at 1 %, no two systems differing in the mean. Tukey's test is taken from its"
    " quantiles, which is the same and cheaper."
)
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
    parser.add_argument("--nulls", type=int, default=5000, help="of a cheap procedure (default: 5000)")
    parser.add_argument("--resampled", type=int, default=5000, help="of a resampling procedure (default: 5000)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--checkpoint", type=Path, help="file of what is measured already; the rest is added to it")
    parser.add_argument("--out", default=str(OUT), help="file whose conclusions are kept; - prints")
    args = parser.parse_args()
    started = time.perf_counter()
    done = checkpointed(args.checkpoint)
    todo = [cell for cell in cells(args.nulls, args.resampled) if cell not in done]
    todo.sort(key=lambda cell: cell.nulls * cell.topics)
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
    found = [one for cell in cells(args.nulls, args.resampled) for one in done[cell]]
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
