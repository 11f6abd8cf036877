"""What do `gate` and plans for a number of topics do? Measured on real score matrices, for docs/validity-gate.md.

    python scripts/validity_gate.py                      # some minutes on one core
    python scripts/validity_gate.py --gates 200 --plans 20 --out -      # does it run at all

Every gate has a pair of systems and a sample of topics of its own, drawn with replacement. The differences of a pair
are shifted so that their mean over the population is the true loss. All gates of a cell are decided at once, and some
by the public function to see it agree.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import scipy
from matrices import Matrix, matrices, pairs
from scipy.special import chdtri, ndtri, stdtrit

import rankscope
from rankscope.comparisons import gate
from rankscope.io.score_tables import ScoreTable
from rankscope.layout import markdown_table
from rankscope.statistics import pilot_variance, power, topics_for_power
from rankscope.statistics.pairs.gate_outcomes import outcome_chances, topics_that_decide, topics_to_decide

SEED = 20_240_229
GATES, PLANS = 20_000, 500
MARGIN, LEVEL = 0.01, 0.95
TOPICS = (25, 50, 250)
LOSSES = (0.0, 0.01, 0.02, 0.03, 0.05)
POPULATIONS = ("Robust 2004, AP", "TREC-8, AP", "Web 2010 to 2013, nDCG@20")
OUT = Path(__file__).parents[1] / "docs" / "validity-gate.md"


def generator(*key: object) -> np.random.Generator:
    """A generator of its own for each cell."""
    return np.random.default_rng([SEED, *("/".join(map(str, key)).encode())])


class Population:
    """Pairs of systems of some matrices: baselines and candidates, topics x pairs each."""

    def __init__(self, name: str, similar: bool = False) -> None:
        self.blocks = []
        for scores in matrices(name):
            a, b = pairs(scores, similar)
            self.blocks.append((np.concatenate([a, b], axis=1), np.concatenate([b, a], axis=1)))  # either way round

    def block(self, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
        """Baselines and candidates of one of the matrices."""
        return self.blocks[rng.integers(len(self.blocks))]

    def drawn(self, rng: np.random.Generator, topics: int, gates: int, loss: float | None) -> tuple[Matrix, ...]:
        """Baselines, differences and true standard deviations, topics x gates; without a loss, as the pair has it."""
        baseline, candidate = self.block(rng)
        chosen = rng.integers(baseline.shape[1], size=gates)
        d = candidate[:, chosen] - baseline[:, chosen]
        if loss is not None:
            d = d - d.mean(axis=0) - loss
        rows = rng.integers(len(d), size=(topics, gates))
        return np.take_along_axis(baseline[:, chosen], rows, axis=0), np.take_along_axis(d, rows, axis=0), d


def decided(d: Matrix, margin: float | Matrix = MARGIN) -> tuple[np.ndarray, np.ndarray]:
    """Which columns pass, and which are regressions."""
    n = len(d)
    mean, reach = d.mean(axis=0), float(stdtrit(n - 1, (1 + LEVEL) / 2)) * d.std(axis=0, ddof=1) / math.sqrt(n)
    passed = mean - reach > -margin + 1e-12
    return passed, ~passed & (mean + reach < -1e-12)


def agrees(baseline: Matrix, d: Matrix, passed: np.ndarray, worse: np.ndarray) -> None:
    """The public function decides alike."""
    topics = tuple(map(str, range(len(d))))
    for i in range(min(5, d.shape[1])):
        value = np.stack([baseline[:, i], baseline[:, i] + d[:, i]])
        table = ScoreTable("AP", ("old", "new"), topics, value, "scores")
        expected = "pass" if passed[i] else "regression" if worse[i] else "inconclusive"
        assert gate(table, "old", "new", margin=MARGIN).outcome == expected


def blocks(gates: int) -> list[int]:
    """Gates in parts, so that several matrices take part and memory stays small."""
    return [min(500, gates - first) for first in range(0, gates, 500)]


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def outcomes(name: str, gates: int, similar: bool) -> str:
    """Pass / inconclusive / regression by true loss and topics."""
    population = Population(name, similar)
    rows = []
    for loss in LOSSES:
        cells = []
        for topics in TOPICS:
            rng = generator("gate", name, similar, loss, topics)
            counts = np.zeros(2)
            for size in blocks(gates):
                baseline, d, _ = population.drawn(rng, topics, size, loss)
                passed, worse = decided(d)
                agrees(baseline, d[:, :2], passed, worse)
                counts += passed.sum(), worse.sum()
            shares = counts / gates
            cells.append(f"{percent(shares[0])} / {percent(1 - shares.sum())} / {percent(shares[1])}")
        rows.append([f"{loss:g}", *cells])
    return markdown_table([f"true loss, {name}", *(f"{n} topics" for n in TOPICS)], rows)


def misses(gates: int) -> str:
    """Measured and printed chances that no regression is reported; the printed ones vary with the sample's sd."""
    rows = []
    for name in POPULATIONS:
        population = Population(name)
        for topics in TOPICS:
            for loss in LOSSES[1:]:
                rng = generator("missed", name, loss, topics)
                missed, printed = 0, []
                for size in blocks(gates):
                    _, d, _ = population.drawn(rng, topics, size, loss)
                    missed += size - int(decided(d)[1].sum())
                    printed += [
                        outcome_chances(loss, n_topics=topics, sd=float(sd), margin=MARGIN).missed
                        for sd in d[:, :40].std(axis=0, ddof=1)
                        if sd > 0
                    ]
                low, middle, high = np.quantile(printed, [0.1, 0.5, 0.9])
                cells = [percent(missed / gates), percent(float(np.mean(printed))), percent(float(middle))]
                rows.append([name, f"{topics}", f"{loss:g}", *cells, f"{percent(low)} to {percent(high)}"])
    header = ["population", "topics", "true loss", "measured", "printed, mean", "median", "80 % of gates print"]
    return markdown_table(header, rows)


def settled(plans: int) -> str:
    """How often the fresh topics that an inconclusive gate asks for decide, now and by the rule before."""
    rows = []
    for name in POPULATIONS:
        population = Population(name)
        for topics in (25, 50):
            for loss in (None, 0.0, 0.02):
                rng = generator("settled", name, topics, loss)
                counts: list[tuple[int, ...]] = []
                decisions: list[tuple[bool, ...]] = []
                while len(counts) < plans:
                    _, d, population_d = population.drawn(rng, topics, 20, loss)
                    passed, worse = decided(d)
                    for i in np.flatnonzero(~passed & ~worse)[: plans - len(counts)]:
                        mean, sd = float(d[:, i].mean()), float(d[:, i].std(ddof=1))
                        averaged = topics_to_decide(0.8, difference=mean, sd=sd, n_topics=topics, margin=MARGIN)
                        certain = topics_that_decide(sd=sd, margin=MARGIN)
                        assert averaged is not None
                        assert certain is not None
                        counts.append((as_observed(mean, sd, topics), averaged, certain))
                        fresh = (population_d[rng.integers(len(population_d), size=n), i] for n in counts[-1])
                        decisions.append(tuple(bool(np.any(decided(sample[:, None]))) for sample in fresh))
                truth = "as the pair has it" if loss is None else f"{loss:g}"
                cells = []
                for n, share in zip(np.median(counts, axis=0), np.mean(decisions, axis=0), strict=True):
                    cells += [f"{n:.0f}", percent(float(share))]
                rows.append([name, f"{topics}", truth, *cells])
    ways = ("before: topics, median", "now: topics, median", "whatever the difference: topics, median")
    header = ["population", "topics", "true loss", *(word for way in ways for word in (way, "decided"))]
    return markdown_table(header, rows)


def as_observed(mean: float, sd: float, topics: int) -> int:
    """The rule before: the fewest topics with which the difference and sd observed would decide."""
    room = max(mean + MARGIN, -mean)

    def enough(n: int) -> bool:
        return float(stdtrit(n - 1, (1 + LEVEL) / 2)) * sd / math.sqrt(n) < room

    low, high = topics, topics
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def relative(gates: int) -> str:
    """How often a true loss of just the margin passes, the margin a share of the baseline's mean."""
    rows = []
    for name in POPULATIONS:
        population = Population(name)
        for share in (0.02, 0.05, 0.1):
            cells = []
            for topics in TOPICS:
                rng = generator("relative", name, share, topics)
                hits = 0
                for size in blocks(gates):
                    baseline, candidate = population.block(rng)
                    chosen = rng.integers(baseline.shape[1], size=size)
                    a = baseline[:, chosen]
                    d = candidate[:, chosen] - a
                    d = d - d.mean(axis=0) - share * a.mean(axis=0)
                    rows_ = rng.integers(len(d), size=(topics, size))
                    sample = np.take_along_axis(a, rows_, axis=0)
                    passed, _ = decided(np.take_along_axis(d, rows_, axis=0), share * sample.mean(axis=0))
                    hits += int(passed.sum())
                cells.append(percent(hits / gates))
            rows.append([name, f"{100 * share:g} %", *cells])
    return markdown_table(["population", "margin", *(f"{n} topics" for n in TOPICS)], rows, left=2)


def plans_of(plans: int) -> str:
    """Power that plans from a pilot reach, with its sd as it is and with assurance."""
    rows = []
    for name in PLANNED:
        population = Population(name)
        for topics in (25, 50):
            rng = generator("plan", name, topics)
            reached: dict[str, list[tuple[int, float, bool]]] = {"none": [], "0.8": [], "0.9": []}
            while len(reached["none"]) < plans:
                _, d, whole = population.drawn(rng, topics, 20, None)
                for i in range(min(20, plans - len(reached["none"]))):
                    sample, all_topics = d[:, i], whole[:, i]
                    if np.count_nonzero(sample) < 3:
                        continue
                    pilot = pilot_variance(np.stack([sample, 0 * sample], axis=1))
                    truth = float(all_topics.std())
                    shifted = all_topics - all_topics.mean() + 0.05
                    for way, plan in (
                        ("none", topics_for_power(difference=0.05, sd=pilot.sd)),
                        ("0.8", topics_for_power(difference=0.05, sd=pilot)),
                        ("0.9", topics_for_power(difference=0.05, sd=pilot, assurance=0.9)),
                    ):
                        fresh = shifted[rng.integers(len(shifted), size=plan.n_topics)]
                        found = abs(fresh.mean()) > float(stdtrit(plan.n_topics - 1, 0.975)) * fresh.std(
                            ddof=1
                        ) / math.sqrt(plan.n_topics)
                        got = power(n_topics=plan.n_topics, difference=0.05, sd=truth).power
                        reached[way].append((plan.n_topics, got, bool(found)))
            for way, found_all in reached.items():
                n, got, found_ = (np.array(column, float) for column in zip(*found_all, strict=True))
                cells = [f"{np.median(n):.0f}", percent(got.mean()), percent(found_.mean())]
                cells += [percent((got < 0.8 - 1e-9).mean()), percent((got < 0.7).mean())]
                rows.append([name, f"{topics}", way, *cells])
    header = ["population", "pilot", "assurance", "topics, median", "power, mean", "found", "below 80 %", "below 70 %"]
    return markdown_table(header, rows, left=3)


def pooled(plans: int) -> str:
    """The same where the pilot has ten systems, and the plan is for one pair of them."""
    rows = []
    scores = matrices("Robust 2004, AP")[0]
    for topics in (25, 50):
        rng = generator("pooled", topics)
        got: dict[str, list[float]] = {"none": [], "0.8": []}
        mean: dict[str, list[float]] = {"none": [], "0.8": []}
        for _ in range(plans):
            ten = scores[:, rng.choice(scores.shape[1], 10, replace=False)]
            pilot = pilot_variance(ten[rng.integers(len(ten), size=topics)])
            truth = float((ten[:, 0] - ten[:, 1]).std())
            for way, plan in (
                ("none", topics_for_power(difference=0.05, sd=pilot.sd)),
                ("0.8", topics_for_power(difference=0.05, sd=pilot)),
            ):
                got[way].append(power(n_topics=plan.n_topics, difference=0.05, sd=truth).power)
                average = pilot_variance(ten).sd * math.sqrt((len(ten) - 1) / len(ten))
                mean[way].append(power(n_topics=plan.n_topics, difference=0.05, sd=average).power)
        for way in got:
            of_pair, of_mean = np.array(got[way]), np.array(mean[way])
            cells = [percent((of_mean < 0.8 - 1e-9).mean()), percent(of_pair.mean())]
            rows.append([f"{topics}", way, *cells, percent((of_pair < 0.8 - 1e-9).mean())])
    header = ["pilot", "assurance", "average pair: below 80 %", "the pair: power, mean", "below 80 %"]
    return markdown_table(header, rows, left=2)


def limits(gates: int) -> str:
    """How often the true sd exceeds an upper limit for it, by three ways to make one, at assurance 0.8 and 0.9."""
    rows = []
    for name in (*PLANNED, "normal differences"):
        population = None if name == "normal differences" else Population(name)
        for topics in (10, 25, 50):
            rng = generator("limit", name, topics)
            exceeded: dict[str, list[np.ndarray]] = {way: [] for way in LIMITS}
            for size in blocks(gates):
                if population is None:
                    d, truth = rng.normal(size=(topics, size)), np.ones(size)
                else:
                    _, d, all_topics = population.drawn(rng, topics, size, None)
                    truth = all_topics.std(axis=0)
                kept = d.std(axis=0) > 1e-9
                for way, limit in LIMITS.items():
                    found = [limit(d[:, kept], assurance) < np.log(truth[kept] ** 2) for assurance in (0.8, 0.9)]
                    exceeded[way].append(np.stack(found))
            cells = [" / ".join(map(percent, np.concatenate(hits, axis=1).mean(axis=1))) for hits in exceeded.values()]
            agree(d[:, kept][:, :3])
            rows.append([name, f"{topics}", *cells])
    return markdown_table(["population", "pilot", *LIMITS], rows)


def chi_square(d: Matrix, assurance: float) -> Matrix:
    """Logarithms of limits for the variance, as those below."""
    return np.log(d.var(axis=0, ddof=1) * (len(d) - 1) / chdtri(len(d) - 1, assurance))


def bonett(d: Matrix, assurance: float) -> Matrix:
    n, z = len(d), float(ndtri(assurance))
    cut = int(n / (2 * math.sqrt(n - 4)))
    middle = np.sort(d, axis=0)[cut : n - cut].mean(axis=0)
    kurtosis = n * ((d - middle) ** 4).sum(axis=0) / ((d - d.mean(axis=0)) ** 2).sum(axis=0) ** 2
    c = n / (n - z)
    return np.log(c * d.var(axis=0, ddof=1)) + z * c * np.sqrt((kurtosis - (n - 3) / n) / (n - 1))


def jackknife(d: Matrix, assurance: float) -> Matrix:
    n = len(d)
    shares = (d - d.mean(axis=0)) ** 2
    total = shares.sum(axis=0)
    without = np.log(np.maximum((total - shares * n / (n - 1)) / (n - 2), 1e-300))
    pseudo = n * np.log(total / (n - 1)) - (n - 1) * without
    return pseudo.mean(axis=0) + float(stdtrit(n - 1, assurance)) * pseudo.std(axis=0, ddof=1) / math.sqrt(n)


LIMITS = {"chi-square": chi_square, "Bonett": bonett, "jackknife": jackknife}
PLANNED = ("Robust 2004, AP", "TREC-8, AP", "Terabyte 2006, AP", "Web 2010 to 2013, nDCG@20")


def agree(d: Matrix) -> None:
    """The public function gives the limits by the jackknife."""
    own = [2 * math.log(pilot_variance(np.stack([c, 0 * c], axis=1)).sd_limit(0.9)) for c in d.T]
    np.testing.assert_allclose(own, jackknife(d, 0.9), rtol=1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gates", type=int, default=GATES, help=f"of every cell (default: {GATES})")
    parser.add_argument("--plans", type=int, default=PLANS, help=f"of every cell (default: {PLANS})")
    parser.add_argument("--out", default=str(OUT), help="file whose conclusions are kept; - prints")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    started = time.process_time()
    parts = {
        "outcomes": "\n\n".join(outcomes(name, args.gates, False) for name in POPULATIONS),
        "similar": "\n\n".join(outcomes(name, args.gates, True) for name in POPULATIONS),
        "missed": misses(args.gates),
        "relative": relative(args.gates),
        "settled": settled(args.plans),
        "planned": plans_of(args.plans),
        "pooled": pooled(args.plans),
        "limits": limits(args.gates),
    }
    versions = f"rankscope {rankscope.__version__}, numpy {np.__version__}, scipy {scipy.__version__}"
    text = PAGE.format(
        command="python scripts/validity_gate.py",
        seed=f"{SEED:_}",
        versions=f"{versions}, Python {platform.python_version()}",
        gates=f"{args.gates:,}",
        plans=f"{args.plans:,}",
        error=f"{100 * math.sqrt(0.25 / args.gates):.1f}",
        low=f"{100 * math.sqrt(0.025 * 0.975 / args.gates):.1f}",
        error_plans=f"{100 * math.sqrt(0.2 * 0.8 / args.plans):.1f}",
        **parts,
    )
    print(f"{time.process_time() - started:.0f} s of processor time", file=sys.stderr)
    if args.out == "-":
        print(text)
        return
    out = Path(args.out)
    kept = out.read_text().partition("<!-- conclusions -->\n")[2].partition("\n## Gate:")[0] if out.exists() else ""
    out.write_text(text.replace("<!-- conclusions -->\n", f"<!-- conclusions -->\n{kept}"))


PAGE = """# Validity of gates and plans

What `gate` says where the true loss is known, and what power a plan for a number of topics really has. Made by

```
{command}
```

seed {seed}; {versions}.

Populations are real: topics of a score matrix of TREC runs, drawn with replacement, the quarter of the systems with the
lowest means left out. Every gate and every plan has a pair of systems of its own, either way round; its differences are
shifted so that their mean over all topics is the true loss. So the rates are averages over pairs. Robust 2004 has 249
topics, TREC-8 50, the four Web tracks 48 to 50 each. {gates} gates a cell: Monte Carlo standard error at most {error}
percentage points, {low} at 2.5 %; {plans} plans a cell: {error_plans} at 20 %. Rates are percentages.

<!-- conclusions -->

## Gate: outcomes by true loss

Pass / inconclusive / regression, margin 0.01, level 0.95. The exit code is 0 for the first two together, unless
`--strict`. The promise: a loss of 0.01 or more passes in at most 2.5 %, a loss of 0 is a regression in at most 2.5 %.

{outcomes}

The same for similar systems: the quarter of the pairs whose differences have the smallest standard deviation.

{similar}

## Gate: the chance of a miss that it prints

How often no regression is reported (measured), and what gates print about it, which depends on the standard deviation
of their own sample.

{missed}

## Gate: relative margins

How often a true loss of just the margin passes, where the margin is a share of the baseline's mean: 2.5 % is promised.

{relative}

## Gate: fresh topics after an inconclusive one

A first gate was inconclusive. How often does a second one on fresh topics decide, with as many as the first asked for?
Before: as many as would decide if difference and standard deviation were as observed. Now: as many as decide with a
chance of 80 %, averaged over the true differences and standard deviations that the first gate leaves open. Last: as
many as decide whatever the difference.

{settled}

## Plans from a pilot

Topics for a power of 80 % to find a true difference of 0.05 with the paired t test. "none": the pilot's standard
deviation as it is; else with that assurance, which promises that no more than 20 % (10 %) of the plans are below 80 %.
Power by the noncentral t at the true standard deviation; "found": how often a t test on fresh topics rejected.

{planned}

A pilot of ten systems of Robust 2004, whose pairs differ in their standard deviations. The promise is for a pair of
average variance; one given pair may need more.

{pooled}

How often the true standard deviation exceeds an upper limit, assurance 0.8 / 0.9: 20 and 10 % are promised. Chi-square
is the usual limit for normal differences, Bonett's (2006) takes an estimate of the kurtosis, the jackknife's (Miller
1968) is the one that plans use.

{limits}
"""


if __name__ == "__main__":
    main()
