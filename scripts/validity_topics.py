"""Do tests by cluster keep their level, and do verdicts repeat as often as predicted? For docs/validity-topics.md.

    python scripts/validity_topics.py                      # three minutes on one core
    python scripts/validity_topics.py --nulls 200 --out -  # does it run at all

Nulls are simulated: differences of topics in clusters, of mean 0. All nulls of a cell are tested at once; some by the
public functions to see them agree. Repetition is measured on real runs, in the folder that DATA names.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import re
import sys
import textwrap
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

import rankscope as rs
from rankscope.comparisons.effect import PairedScores, Procedure, Test
from rankscope.comparisons.scored import EVEN, FEWEST, FEWEST_FLIPPED, Design
from rankscope.comparisons.topic_attributes import TopicPlan
from rankscope.layout import markdown_table
from rankscope.statistics import clustered_randomisation_test, clustered_t_test, t_test
from rankscope.statistics.families.interaction import hotelling_interaction, profile_interaction, welch_interaction
from rankscope.statistics.pairs.clusters import Units
from rankscope.statistics.pairs.replication import predicted

SEED = 20_261_116
INTERACTION_SEED = 7_310_042  # first drawn after the tests of interaction were settled
NULLS = 10_000
INTERACTION_NULLS = 4000
CLUSTERS = (2, 3, 5, 6, 7, 8, 12, 20, 50)
TESTED: tuple[Test, ...] = ("t", "randomisation")
PLAN = TopicPlan.of()
TURNS = {"3 to 7": (3, 4, 5, 6, 7), "unequal": (1, 2, 4, 8, 16)}
ALPHA = 0.05
DATA = Path(os.environ.get("DATA", "data"))
OUT = Path(__file__).parents[1] / "docs" / "validity-topics.md"
Array = NDArray[Any]


def sizes_of(count: int, kind: str) -> Array:
    """Topics of each cluster: five each; 3 to 7, or 1, 2, 4, 8, 16 in turn; or one of half of all topics."""
    if kind == "equal":
        return np.full(count, 5)
    if kind in TURNS:
        return np.array([TURNS[kind][g % 5] for g in range(count)])
    return np.array([5 * (count - 1), *[5] * (count - 1)])


def null_differences(rng: np.random.Generator, size: Array, within: float, shape: str, nulls: int) -> Array:
    """(nulls, topics) differences of mean 0 and variance 1, with this correlation within clusters."""
    n = int(size.sum())

    def noise(*dims: int) -> Array:
        return rng.normal(size=dims) if shape == "normal" else rng.exponential(size=dims) - 1

    both = np.sqrt(within) * np.repeat(noise(nulls, len(size)), size, axis=1)
    return both + np.sqrt(1 - within) * noise(nulls, n)


def flipped(rng: np.random.Generator, sums: Array) -> tuple[Array, bool]:
    """Two-sided p values of sign flips of clusters, (nulls, clusters); and whether all flips were taken.

    Drawn flips are others for every hundredth of the nulls, so that the errors of p values do not add up.
    """
    count = sums.shape[1]
    every = count <= 12
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=count if every else 1)))
    extreme = []
    for part in np.array_split(sums, 100):
        signs = signs if every else rng.choice([-1.0, 1.0], size=(1999, count))
        bar = np.abs(part.sum(axis=1))[:, None] * (1 - 1e-12)
        extreme.append(np.count_nonzero(np.abs(part @ signs.T) >= bar, axis=1))
    more = np.concatenate(extreme)
    return (more / len(signs) if every else (more + 1) / 2000), every


def decided(d: Array, design: Design, t: Array, flips: Array, every: bool) -> tuple[Array | None, Array | None, str]:
    """What `compare` makes of each null by --test t and by --test randomisation, None where it refuses; and the test.

    Some nulls go the way of `compare` to see that it has the same p values.
    """
    verdicts = []
    for test in TESTED:
        for row in range(3):
            effect = Procedure(test).effect_on(PairedScores.of(np.zeros(d.shape[1]), d[row], design=design))
            stands = test == "randomisation" or design.unequal
            assert not stands or every or abs(effect.pvalue - flips[row]) < 0.08
            assert (stands and not every) or abs(effect.pvalue - (flips if stands else t)[row]) < 1e-9
        verdicts.append(None if effect.sample.too_few else flips if stands else t)
    name = "" if verdicts[0] is None else "flips" if design.unequal else "t"
    return verdicts[0], verdicts[1], name


def cells_of(*pvalues: Array | None) -> list[str]:
    """Shares of nulls rejected, in per cent; "refused" where there is no verdict."""
    return ["refused" if p is None else f"{100 * np.mean(p < ALPHA):.1f}" for p in pvalues]


def cluster_rates(
    rng: np.random.Generator, size: Array, within: float, shape: str, nulls: int
) -> tuple[list[str], float | None]:
    """Degrees of freedom and shares of nulls rejected by each test, as cells; and the share that `compare` rejects."""
    d = null_differences(rng, size, within, shape, nulls)
    n, count = d.shape[1], len(size)
    label = np.repeat(np.arange(count), size)
    sums = np.add.reduceat(d, np.flatnonzero(np.diff(label, prepend=-1)), axis=1)
    mean = sums.sum(axis=1) / n
    naive = 2 * stdtr(n - 1, -np.abs(mean / (d.std(axis=1, ddof=1) / np.sqrt(n))))
    rest = sums - mean[:, None] * size
    t1 = mean / np.sqrt(count / (count - 1) * np.square(rest).sum(axis=1)) * n
    df = Units.of(d[0], np.zeros(n), label).robust()[1]
    t2 = mean / np.sqrt((np.square(rest) / (1 - size / n)).sum(axis=1)) * n
    robust = 2 * stdtr(df, -np.abs(t2))
    flips, every = flipped(rng, sums)
    times = rng.multinomial(count, np.full(count, 1 / count), size=999)
    drawn = (times @ sums.T) / (times @ size)[:, None]
    low, high = np.quantile(drawn, [ALPHA / 2, 1 - ALPHA / 2], axis=0)
    bootstrap = np.where((low > 0) | (high < 0), 0.0, 1.0)
    for row in range(3):  # the public functions agree
        assert abs(clustered_t_test(np.zeros(n), d[row], label).pvalue - robust[row]) < 1e-9
        if every:
            assert abs(clustered_randomisation_test(np.zeros(n), d[row], label).pvalue - flips[row]) < 1e-9
    by_t, by_flips, name = decided(d, Design(PLAN, label, None), robust, flips, every)
    cr1 = 2 * stdtr(count - 1, -np.abs(t1))
    cells = [f"{df:.1f}", *cells_of(naive, cr1, robust, flips, bootstrap, by_t), name, *cells_of(by_flips)]
    return cells, None if by_t is None else float(np.mean(by_t < ALPHA))


def nulls_table(nulls: int, shape: str) -> str:
    rows, shares = [], []
    for kind in ("equal", *TURNS, "one giant"):
        for within in (0.0, 0.8):
            for count in CLUSTERS:
                rng = np.random.default_rng([SEED, count, int(10 * within), len(kind), len(shape)])
                cells, share = cluster_rates(rng, sizes_of(count, kind), within, shape, nulls)
                rows.append([kind, f"{within:g}", f"{count}", *cells])
                shares.append(share)
    header = ["sizes", "correlation", "clusters", "df of CR2", "naive t", "CR1", "CR2", "flips", "bootstrap",
              "compare, t", "decided by", "compare, flips"]  # fmt: skip
    return f"{markdown_table(header, rows, left=1)}\n\n{held(shares, nulls)}"


def held(shares: list[float | None], nulls: int) -> str:
    """How many shares of nulls that `compare` rejects are near 5 %, in a sentence; None is refused."""
    rates = np.array([share for share in shares if share is not None])
    error = np.sqrt(ALPHA * (1 - ALPHA) / nulls)
    two, three = (int(np.count_nonzero(np.abs(rates - ALPHA) <= k * error)) for k in (2, 3))
    sentences = (
        f"`compare` by default refuses {len(shares) - len(rates)} of {len(shares)} cells. Of the other {len(rates)}, "
        f"{two} are within two standard errors of 5 %, and {three} within three. The lowest rate is "
        f"{100 * rates.min():.2f} %, the highest {100 * rates.max():.2f} %."
    )
    return textwrap.fill(sentences, 120)


def weights_table(nulls: int) -> str:
    """Weighted means: robust t, sign flips of weighted differences, and `compare`."""
    rows, shares = [], []
    for n in (5, 7, 10, 20, 50, 200):
        for name, weight in (
            ("equal", np.ones(n)),
            ("1 to 3", np.linspace(1, 3, n)),
            ("lognormal, sd 1", np.exp(np.random.default_rng(SEED).normal(size=n))),
        ):
            rng = np.random.default_rng([SEED, n, len(name)])
            d = rng.normal(size=(nulls, n)) * np.sqrt(weight / weight.mean())  # topics with more traffic vary more
            sums, share, q = d * weight, weight / weight.sum(), weight * weight
            mean = sums.sum(axis=1) / weight.sum()
            factor = q / (q - 2 * share * q + share * share * q.sum())
            error = np.sqrt((factor * np.square(sums - mean[:, None] * weight)).sum(axis=1)) / weight.sum()
            df = Units.of(d[0], np.zeros(n), None, weight).robust()[1]
            robust = 2 * stdtr(df, -np.abs(mean / error))
            flips, every = flipped(rng, sums)
            for row in range(3):  # the public function agrees
                assert abs(clustered_t_test(np.zeros(n), d[row], weights=weight).pvalue - robust[row]) < 1e-9
            by_t, by_flips, test = decided(d, Design(PLAN, None, weight), robust, flips, every)
            shares.append(None if by_t is None else float(np.mean(by_t < ALPHA)))
            rows.append([f"{n}", name, f"{df:.1f}", *cells_of(robust, flips, by_t), test, *cells_of(by_flips)])
    header = ["topics", "weights", "df", "robust t", "flips", "compare, t", "decided by", "compare, flips"]
    return f"{markdown_table(header, rows, left=0)}\n\n{held(shares, nulls)}"


def interaction_table(nulls: int) -> str:
    rows = []
    for name, sizes in (("3 x 10", (10, 10, 10)), ("4 x 25", (25,) * 4), ("8, 20, 60", (8, 20, 60))):
        for spread, sds in (("equal", (1.0,) * 4), ("1 to 3", (3.0, 1.5, 1.0, 1.0))):
            rng = np.random.default_rng([INTERACTION_SEED, sum(sizes), len(spread)])
            count = 0
            for _ in range(nulls):
                parts = [sd * rng.normal(size=k) for sd, k in zip(sds, sizes, strict=False)]
                errors = [x.std(ddof=1) / np.sqrt(len(x)) for x in parts]
                test = welch_interaction([x.mean() for x in parts], errors, [len(x) - 1 for x in parts])
                count += test.pvalue < ALPHA
            rows.append([name, spread, "none", f"{100 * count / nulls:.1f}"])
    for clusters, groups in ((15, 3), (30, 4)):
        rng = np.random.default_rng([INTERACTION_SEED, clusters])
        count = 0
        for _ in range(nulls):
            d = 2 * rng.normal(size=(clusters, 1)) + rng.normal(size=(clusters, groups))
            test = hotelling_interaction(d.mean(axis=0), (d - d.mean(axis=0)) / clusters)
            count += test is not None and test.pvalue < ALPHA
        rows.append([f"{groups} x {clusters}", "equal", "every cluster in every slice", f"{100 * count / nulls:.1f}"])
    return markdown_table(["topics of the slices", "standard deviations", "shared clusters", "rejected"], rows, left=1)


def systems_table(nulls: int) -> str:
    """Interaction of many systems and slices: ANOVA-type F where systems differ by the same in all slices."""
    rows = []
    for systems in (3, 8, 40):
        mixing = np.random.default_rng([INTERACTION_SEED, systems]).normal(size=(systems, systems)) * np.linspace(
            0.2, 2, systems
        )
        for name, sizes in (("3 x 10", (10, 10, 10)), ("4 x 25", (25,) * 4), ("8, 20, 60", (8, 20, 60))):
            for spread, sds in (("equal", (1.0,) * 4), ("1 to 3", (3.0, 1.5, 1.0, 1.0))):
                rng = np.random.default_rng([INTERACTION_SEED, systems, sum(sizes), len(spread)])
                units = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
                count = 0
                for _ in range(nulls):
                    parts = [sd * rng.normal(size=(k, systems)) @ mixing for sd, k in zip(sds, sizes, strict=False)]
                    influences = [(x - x.mean(axis=0)) / len(x) for x in parts]
                    test = profile_interaction(np.stack([x.mean(axis=0) for x in parts]), influences, units)
                    count += test is not None and test.pvalue < ALPHA
                rows.append([f"{systems}", name, spread, "none", f"{100 * count / nulls:.1f}"])
        for clusters, groups in ((15, 3), (30, 4)):
            rng = np.random.default_rng([INTERACTION_SEED, systems, clusters])
            count = 0
            for _ in range(nulls):
                x = (
                    2 * rng.normal(size=(clusters, 1, systems)) + rng.normal(size=(clusters, groups, systems))
                ) @ mixing
                influences = list(((x - x.mean(axis=0)) / clusters).transpose(1, 0, 2))
                test = profile_interaction(x.mean(axis=0), influences, [np.arange(clusters)] * groups)
                count += test is not None and test.pvalue < ALPHA
            name = "every cluster in every slice"
            rows.append([f"{systems}", f"{groups} x {clusters}", "equal", name, f"{100 * count / nulls:.1f}"])
    heads = ["systems", "topics of the slices", "standard deviations", "shared clusters", "rejected"]
    return markdown_table(heads, rows, left=0)


@cache
def table_of(n: int, ratio: float) -> tuple[Array, Array]:
    """Predicted probabilities of being shown again, by t."""
    grid = np.linspace(0, 30, 301)
    return grid, np.array([predicted(float(t), n - 1, ratio, ALPHA) for t in grid])


class Pairs:
    """All pairs of systems: t on some topics, and what is shown on others."""

    def __init__(self, first: Array, second: Array) -> None:
        i, j = np.triu_indices(first.shape[1], 1)
        self.n, self.new = len(first), len(second)
        self.t, self.t_new = (self.ratio(x[:, j] - x[:, i]) for x in (first, second))
        kept = np.isfinite(self.t) & np.isfinite(self.t_new) & (self.t != 0)
        self.t, self.t_new = self.t[kept], self.t_new[kept]

    @staticmethod
    def ratio(d: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return d.mean(axis=0) / (d.std(axis=0, ddof=1) / np.sqrt(len(d)))

    def predictions(self) -> tuple[Array, Array]:
        """Predicted probabilities of the same sign and of being shown again, one row per pair."""
        ratio, size = self.new / self.n, np.abs(self.t)
        return stdtr(self.n - 1, size / np.sqrt(1 + 1 / ratio)), np.interp(size, *table_of(self.n, ratio))

    def outcomes(self) -> tuple[Array, Array, Array]:
        """Whether the sign was the same, whether it was shown again, and whether it was shown at first."""
        same = np.sign(self.t) == np.sign(self.t_new)
        shown = np.abs(self.t_new) > stdtrit(self.new - 1, 1 - ALPHA / 2)
        return same, same & shown, np.abs(self.t) > stdtrit(self.n - 1, 1 - ALPHA / 2)


def calibration(samples: list[Pairs]) -> str:
    predictions = [np.concatenate(x) for x in zip(*(s.predictions() for s in samples), strict=True)]
    same, again, first = (np.concatenate(x) for x in zip(*(s.outcomes() for s in samples), strict=True))
    rows = []
    for low in np.arange(0, 1, 0.1):
        cells = [f"{low:.1f} to {low + 0.1:.1f}"]
        for prediction, outcome in zip(predictions, (same, again), strict=True):
            inside = (prediction >= low) & (prediction < low + 0.1 + 1e-9 * (low > 0.85))
            count = int(inside.sum())
            cells += [f"{count:,}", *(["", ""] if not count else [
                f"{100 * prediction[inside].mean():.0f}", f"{100 * outcome[inside].mean():.0f}"])]  # fmt: skip
        rows.append(cells)
    parts = (("all pairs", np.ones_like(first)), ("shown at first", first), ("not shown at first", ~first))
    for name, kept in parts:
        cells = [name]
        for prediction, outcome in zip(predictions, (same, again), strict=True):
            cells += [
                f"{int(kept.sum()):,}",
                f"{100 * prediction[kept].mean():.0f}",
                f"{100 * outcome[kept].mean():.0f}",
            ]
        rows.append(cells)
    return markdown_table(
        ["predicted", "pairs", "same sign, predicted %", "observed %", "pairs", "shown, predicted %", "observed %"],
        rows, left=1,
    )  # fmt: skip


def halves(matrix: Array, splits: int) -> list[Pairs]:
    rng = np.random.default_rng([SEED, len(matrix)])
    order = [rng.permutation(len(matrix)) for _ in range(splits)]
    half = len(matrix) // 2
    return [Pairs(matrix[o[:half]], matrix[o[half:]]) for o in order]


def scores_of(folder: str, measure: str, qrels: str = "qrels.gz") -> tuple[Array, tuple[str, ...]]:
    scores = rs.evaluate(rs.load(DATA / folder / qrels, [DATA / folder / "runs"]), measure)
    return scores.matrix(scores.measures[0]), scores.systems


def variants_table() -> str:
    """Verdicts on strategies of queries, with the variants of a topic as topics of their own and as one cluster."""
    rows = []
    for measure in ("nDCG@10", "AP", "P@10", "RR", "RBP(p=0.8)", "ERR@20"):
        matrix, systems = scores_of("core17-queryvariants", measure)
        groups: dict[str, list[int]] = {}
        for column, name in enumerate(systems):
            match = re.search(r"S\d\w*", name)
            assert match is not None
            groups.setdefault(match.group(), []).append(column)
        label = np.tile(np.arange(len(matrix)), 3)
        counts, effects = np.zeros(4, int), []
        for first, second in itertools.combinations(groups.values(), 2):
            a, b = (matrix[:, at].T.ravel() for at in (first, second))
            if (a == b).all():
                continue
            plain, test = t_test(a, b).pvalue < ALPHA, clustered_t_test(a, b, label)
            flips = clustered_randomisation_test(a, b, label).pvalue < ALPHA
            counts += np.array([plain, test.pvalue < ALPHA, plain != (test.pvalue < ALPHA), plain != flips])
            effects.append(test.design_effect)
        rows.append([measure, "28", *map(str, counts), f"{np.median(effects):.2f}", f"{max(effects):.2f}"])
    header = ["measure", "pairs", "shown, topics alone", "shown, clusters", "changed, t", "changed, flips",
              "median design effect", "largest"]  # fmt: skip
    return markdown_table(header, rows, left=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nulls", type=int, default=NULLS, help=f"of every cell (default: {NULLS})")
    parser.add_argument("--out", default=str(OUT), help="file whose conclusions are kept; - prints")
    args = parser.parse_args()
    started = time.process_time()
    official, systems = scores_of("dl19-passage", "nDCG@10")
    others, same_systems = scores_of("dl19-more-topics", "nDCG@10", "qrels-syndl-gpt4.gz")
    assert systems == same_systems
    parts = {
        "normal": nulls_table(args.nulls, "normal"),
        "skewed": nulls_table(args.nulls, "skewed"),
        "weights": weights_table(args.nulls),
        "interaction": interaction_table(min(args.nulls, INTERACTION_NULLS)),
        "systems": systems_table(min(args.nulls, INTERACTION_NULLS)),
        "dl19": calibration([Pairs(official, others)]),
        "trec8": calibration(halves(scores_of("trec8-adhoc", "nDCG@10")[0], 20)),
        "robust": calibration(halves(scores_of("robust04-part", "nDCG@10")[0], 200)),
        "variants": variants_table(),
    }
    versions = f"rankscope {rs.__version__}, numpy {np.__version__}, scipy {scipy.__version__}"
    text = PAGE.format(
        seed=f"{SEED:_}", versions=f"{versions}, Python {platform.python_version()}", nulls=f"{args.nulls:,}",
        error=f"{100 * np.sqrt(0.05 * 0.95 / args.nulls):.2f}", even=f"{100 * EVEN:.0f}", fewest=FEWEST,
        flipped=FEWEST_FLIPPED, interaction_nulls=f"{min(args.nulls, INTERACTION_NULLS):,}", **parts,
    )  # fmt: skip
    print(f"{time.process_time() - started:.0f} s of processor time", file=sys.stderr)
    if args.out == "-":
        print(text)
        return
    out = Path(args.out)
    kept = (
        out.read_text().partition("<!-- conclusions -->\n")[2].partition("\n## Nulls in clusters")[0]
        if out.exists()
        else ""
    )
    out.write_text(text.replace("<!-- conclusions -->\n", f"<!-- conclusions -->\n{kept}"))


PAGE = """# Validity of tests by cluster, and repetition on new topics

How often tests of topics in clusters find a difference that does not exist, and how often a verdict repeats on new
topics. Made by

```
DATA=... python scripts/validity_topics.py
```

seed {seed}; {versions}.

<!-- conclusions -->

## Nulls in clusters

Differences of mean 0, {nulls} nulls a cell, two-sided tests at 5 %: the standard error of a rate is {error} percentage
points where it is 5. A difference is the sum of a part that its cluster shares and one of its own; the correlation is
that of two topics of a cluster. Sizes: equal (5 topics each), 3 to 7 in turn, unequal (1, 2, 4, 8, 16 in turn), one
giant (half of all topics in one cluster). Naive t takes topics as independent. CR1 has clusters - 1 degrees of freedom,
CR2 those of Satterthwaite, which are in the table. Flips change the sign of whole clusters. The bootstrap rejects where
its percentile interval leaves out 0.

"compare, t" is what `compare` decides by default, "compare, flips" what it decides with `--test randomisation`. CR2
decides where it has at least {even} % of clusters - 1 degrees of freedom, and flips where it has fewer. `compare`,
`rank` and `gate` refuse fewer than {fewest} clusters, and fewer than {flipped} where flips decide. Six clusters have 64
flips, of which two have a p value below 5 %: they reject 3.1 %. Seven, eight and nine clusters reject 4.7 %, more
clusters nearly 5 %.

Normal differences:

{normal}

Skewed differences (exponential, less their mean):

{skewed}

## Weighted means

Normal differences of mean 0 whose variance grows with the weight. Robust t of the weighted mean, and flips of the signs
of weighted differences; 5 %, {nulls} nulls. `compare` decides by the rule of clusters, with each topic for one.

{weights}

## Interaction

Normal differences of the same mean in all slices, 5 %, {interaction_nulls} nulls. Welch's F; Hotelling's T² where
clusters are in several slices.

{interaction}

Scores of several systems, correlated and of different variances, that differ by the same in all slices: the ANOVA-type
F of `rank --by`.

{systems}

## Repetition: 43 topics of TREC 2019 and 157 others

All pairs of 37 runs (nDCG@10). Predicted from the 43 topics that NIST judged; observed on the 157 other topics of the
year, judged by GPT-4. So judges change with the topics. Rows are deciles of the predicted probability, first of the
same sign, then of being shown again in the same direction by t, two-sided p below 0.05. Pairs share topics and systems.

{dl19}

## Repetition: halves of TREC-8

All pairs of 118 runs (nDCG@10), 20 random splits of the 50 topics into halves.

{trec8}

## Repetition: halves of Robust 2004

All pairs of 17 runs (nDCG@10), 200 random splits of 165 topics into halves.

{robust}

## Variants of queries: TREC 2017 Common Core

Eight strategies of queries are the systems; each has three variants of every topic, 150 in all. Verdicts by t and by
sign flips at 0.05, with the variants as topics of their own and with the variants of a topic as one cluster.

{variants}
"""

if __name__ == "__main__":
    main()
