"""How often do intervals about judges cover? Measured on simulated and on real differences.

    python scripts/validity_ppi.py                     # docs/validity-ppi.md, some ten minutes on one core
    python scripts/validity_ppi.py --samples 200 --out -      # does it run at all

Topics are drawn from populations whose mean difference under people is known. TREC 2019 is read from RANKSCOPE_DATA.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from matrices import DATA
from scipy.special import stdtrit
from scipy.stats import skew

import rankscope as rs
from rankscope.judged.judges import Judges
from rankscope.layout import markdown_table
from rankscope.simulation import another_judge, simulate
from rankscope.statistics import Resampling
from rankscope.statistics.pairs import prediction_powered as inference
from rankscope.statistics.pairs.prediction_powered import (
    _line,
    powered,
    prediction_powered,
    prediction_powered_pairs,
)

OUT = Path(__file__).parents[1] / "docs" / "validity-ppi.md"
POPULATION = 4000  # topics
STUDIED = 2000  # topics of the population for agreement
HUMAN = (20, 50, 200)
TIMES = 4  # as many machine topics as human ones, and so many times more
RATIOS = (1, 4, 20)
CHUNK = 1000  # samples at a time
MACHINES = {
    "perfect": {},
    "good": {"overrate": 0.05, "underrate": 0.1},
    "lenient": {"overrate": 0.3},
    "strict": {"underrate": 0.5},
    "careless": {"overrate": 0.3, "underrate": 0.5},
    "favours B": {"overrate": 0.05, "underrate": 0.1, "favour": 0.3},
}
PAIR = ("bm25base_p", "idst_bert_p1")  # of TREC 2019
SHARES = (0.1, 0.3)  # of the pairs, judged by people
SIZES = (25, 50, 100)  # topics of a study of judges

Population = tuple[np.ndarray, dict[str, np.ndarray]]  # differences b - a under people, and under machines


def useless(people: np.ndarray) -> np.ndarray:
    """Differences of other topics."""
    return np.random.default_rng(1).permutation(people)


def collection() -> tuple[rs.simulation.Simulated, dict[str, dict[str, dict[str, int]]]]:
    """A simulated collection of two systems, and judgments of people and of machines."""
    drawn = simulate(n_topics=POPULATION, families={"a": (1.0,), "b": (1.1,)}, decimals=3, seed=9)
    liked = {topic: set(list(docs)[:10]) for topic, docs in drawn.runs["b-1"].items()}
    judges = {"people": drawn.judgments}
    for seed, (name, errors) in enumerate(MACHINES.items(), 1):
        judges[name] = another_judge(drawn.judgments, favoured=liked, seed=seed, **errors)
    return drawn, judges


def simulated(drawn, judges) -> Population:
    by_judge = {}
    topics = list(drawn.judgments)
    for name, judgments in judges.items():
        scores = rs.evaluate(rs.load(judgments, drawn.runs, undefined="zero"), "nDCG@10")
        at = [scores.topics.index(topic) for topic in topics] if scores.topics != tuple(topics) else slice(None)
        value = scores.of("nDCG@10")
        by_judge[name] = (value[1] - value[0])[at]
    people = by_judge.pop("people")
    return people, by_judge | {"useless": useless(people)}


def trec() -> Population:
    """Two runs of TREC 2019 under its assessors and under language models; 43 topics are the population."""
    folder = DATA / "dl19-passage"
    runs = {name: folder / "runs" / f"{name}.gz" for name in PAIR}
    names = {"good": "umbrela-gpt4", "lenient": "fourprompts-llama3-8b", "careless": "querysimilarity-llama3-8b"}
    judges = {name: DATA / "dl19-judges" / f"{file}.gz" for name, file in names.items()}
    loaded = rs.load_judges(folder / "qrels.gz", runs, judges, undefined="zero")
    by_judge = {}
    for name in loaded.names:
        scores = rs.evaluate(loaded.judged(name), "nDCG@10")
        value = scores.of("nDCG@10")
        by_judge[name] = dict(zip(scores.topics, value[1] - value[0], strict=True))
    people = by_judge.pop(loaded.reference)
    differences = np.array(list(people.values()))
    machines = {name: np.array([each[topic] for topic in people]) for name, each in by_judge.items()}
    raised = 0.2 * (np.random.default_rng(2).random(len(differences)) < 0.5)
    machines = {"perfect": differences, **machines, "favours B": machines["good"] + raised}
    return differences, machines | {"useless": useless(differences)}


def skewed() -> Population:
    """Most topics are alike, and B is far ahead on a few: zero in four of five, else an exponential difference."""
    rng = np.random.default_rng(5)
    people = np.where(rng.random(POPULATION) < 0.8, 0.0, rng.exponential(0.3, POPULATION))
    noise = rng.normal(0, 0.05, (3, POPULATION))
    machines = {
        "perfect": people,
        "good": people + noise[0],
        "lenient": 1.5 * people + noise[1],
        "careless": people * (rng.random(POPULATION) < 0.5) + noise[2],
        "favours B": people + noise[0] + 0.1 * (rng.random(POPULATION) < 0.5),
    }
    return people, machines | {"useless": useless(people)}


def covered(population: Population, n: int, times: int, samples: int, forms, seed: int) -> Iterator[tuple]:
    """Per machine: coverage of each form in per cent, and widths of ours as shares of those of people."""
    people, machines = population
    truth = people.mean()
    hits = {name: np.zeros(len(forms)) for name in machines}
    shares = {name: [] for name in machines}
    rng = np.random.default_rng(seed)
    for start in range(0, samples, CHUNK):
        drawn = rng.integers(0, len(people), (min(CHUNK, samples - start), n * (1 + times)))
        for name, machine in machines.items():
            y, f, u = people[drawn[:, :n]], machine[drawn[:, :n]], machine[drawn[:, n:]]
            widths = []
            for k, (variant, interval) in enumerate(forms):
                parts = powered(y, f, u, variant=variant, interval=interval)
                quantile = stdtrit(parts.df, 0.975) if interval == "student" else 1.959963984540054
                reach = quantile * parts.error
                hits[name][k] += (np.abs(parts.estimate - truth) <= reach * (1 + 1e-12) + 1e-12).sum()
                widths.append(reach)
            shares[name].append(np.divide(widths[1], widths[0], out=np.ones_like(widths[0]), where=widths[0] > 0))
    for name in machines:
        yield name, 100 * hits[name] / samples, np.concatenate(shares[name])


FORMS = (("human", "student"), ("ppi++", "student"), ("ppi++", "normal"), ("ppi", "normal"))


def topics_table(populations: dict[str, Population], samples: int) -> list[list[str]]:
    table = []
    for title, (people, machines) in populations.items():
        for n in HUMAN:
            for name, hits, shares in covered((people, machines), n, TIMES, samples, FORMS, n):
                r = np.corrcoef(people, machines[name])[0, 1]
                bias = (machines[name] - people).mean()
                table.append([title, str(n), name, f"{r:.2f}", f"{bias:+.3f}", *(f"{hit:.1f}" for hit in hits),
                              f"{shares.mean():.2f}", f"{shares.max():.3f}"])  # fmt: skip
    return table


def ratio_table(populations: dict[str, Population], samples: int) -> list[list[str]]:
    table = []
    for title, population in populations.items():
        for times in RATIOS:
            for n in HUMAN:
                rows = list(covered(population, n, times, samples, FORMS[:2], 7 * n + times))
                ours = [hits[1] for _, hits, _ in rows]
                table.append([title, str(times), str(n), f"{rows[0][1][0]:.1f}", f"{min(ours):.1f} to {max(ours):.1f}",
                              f"{max(shares.max() for *_, shares in rows):.3f}"])  # fmt: skip
    return table


def with_labels(y: np.ndarray, f: np.ndarray, labels: int):
    """The result where people judged so many of the topics, and the machine all."""
    labels = min(labels, len(y) - 1)
    return prediction_powered(y[:labels], f[:labels], f[labels:])


def undecided(population: Population, n: int, samples: int, places: Callable[[np.random.Generator], float]) -> list:
    """Samples in which n human topics show no difference: the result, and the labels of people and machine.

    places  the true difference of a sample, in standard errors of n topics
    """
    (people, machines), rng, results = population, np.random.default_rng(n), []
    for _ in range(samples):
        moved = places(rng) * people.std() / n**0.5 - people.mean()
        drawn = rng.integers(0, len(people), 21 * n)
        y, f = people[drawn] + moved, machines["good"][drawn] + moved
        before = with_labels(y, f, n)
        if before.pvalue >= 0.05:
            results.append((before, y, f))
    return results


def more_table(populations: dict[str, Population], samples: int) -> list[list[str]]:
    """What became of differences that so many more human topics were to show; the truth is one standard error."""
    table = []
    for title, population in populations.items():
        for n in HUMAN[:2]:
            tried = undecided(population, n, samples, lambda rng: 1.0)
            after = [(before, with_labels(y, f, n + before.more)) for before, y, f in tried if before.more is not None]
            ratio = [(then.upper - then.lower) / 2 / abs(before.difference) for before, then in after]
            shown = sum(then.pvalue < 0.05 for _, then in after)
            low, middle, high = np.quantile(ratio, [0.05, 0.5, 0.95]) if ratio else [np.nan] * 3
            table.append([title, str(n), str(len(tried)), str(len(tried) - len(after)), f"{middle:.2f}",
                          f"{low:.2f} to {high:.2f}", f"{100 * shown / max(1, len(after)):.0f} %"])  # fmt: skip
    return table


def settled_table(populations: dict[str, Population], samples: int) -> list[list[str]]:
    """How often so many more human topics as were said to show some difference in 80 % did so."""
    table = []
    for title, population in populations.items():
        for n in HUMAN[:2]:
            tried = undecided(population, n, samples, lambda rng: rng.uniform(-3, 3))
            after = [with_labels(y, f, n + before.settles) for before, y, f in tried if before.settles is not None]
            shown = sum(then.pvalue < 0.05 for then in after)
            table.append([title, str(n), str(len(tried)), str(len(tried) - len(after)),
                          f"{100 * shown / max(1, len(after)):.0f} %"])  # fmt: skip
    return table


def pair_arrays(drawn, judges) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(topics, 20) weights b - a of DCG@10 of the documents that either list shows, and their gains by judge."""
    weights = np.zeros((POPULATION, 20))
    gains = {name: np.zeros((POPULATION, 20)) for name in judges}
    for t, topic in enumerate(drawn.judgments):
        worth: dict[str, float] = {}
        for sign, name in ((-1, "a-1"), (1, "b-1")):
            ranked = sorted(drawn.runs[name][topic].items(), key=lambda pair: (pair[1], pair[0]), reverse=True)[:10]
            for rank, (doc, _) in enumerate(ranked, 1):
                worth[doc] = worth.get(doc, 0.0) + sign / np.log2(rank + 1)
        worth = {doc: w for doc, w in worth.items() if doc in drawn.judgments[topic]}
        weights[t, : len(worth)] = list(worth.values())
        for name, judgments in judges.items():
            gains[name][t, : len(worth)] = [judgments[topic][doc] for doc in worth]
    gains["useless"] = np.where(weights != 0, gains["people"][np.random.default_rng(1).permutation(POPULATION)], 0.0)
    return weights, gains


def pairs_table(drawn, judges, samples: int) -> list[list[str]]:
    weights, gains = pair_arrays(drawn, judges)
    people = gains.pop("people")
    truth = (weights * people).sum(axis=1).mean()
    table = []
    for share in SHARES:
        for n in HUMAN:
            hits, alone_hits = dict.fromkeys(gains, 0), 0
            widths: dict[str, list[np.ndarray]] = {name: [] for name in gains}
            rng = np.random.default_rng(n)
            for start in range(0, samples, CHUNK):
                rows = rng.integers(0, POPULATION, (min(CHUNK, samples - start), n))
                w, exists = weights[rows], weights[rows] != 0
                chosen = (rng.random(w.shape) < share) & exists
                drawn_share = chosen.sum(axis=(1, 2)) / exists.sum(axis=(1, 2))
                y = (w * people[rows] * chosen).sum(axis=2) / drawn_share[:, None]
                alone = powered(y, y, y, variant="human")
                reach_alone = stdtrit(alone.df, 0.975) * alone.error
                alone_hits += (np.abs(alone.estimate - truth) <= reach_alone).sum()
                nothing = np.zeros(len(rows))
                for name, gain in gains.items():
                    labels = w * gain[rows]
                    off = (labels * chosen).sum(axis=2) / drawn_share[:, None] - labels.sum(axis=2)
                    parts = _line(y, off, nothing, nothing, 1, 1.0, True, 0.95)
                    reach = stdtrit(parts.df, 0.975) * parts.error
                    hits[name] += (np.abs(parts.estimate - truth) <= reach).sum()
                    widths[name].append(reach / reach_alone)
            for name in gains:
                ratio = np.concatenate(widths[name])
                table.append([f"{100 * share:.0f} %", str(n), name, f"{100 * alone_hits / samples:.1f}",
                              f"{100 * hits[name] / samples:.1f}", f"{ratio.mean():.2f}",
                              f"{ratio.max():.3f}"])  # fmt: skip
    return table


def of_pairs(people: np.ndarray, machine: np.ndarray, chosen: np.ndarray, n_pairs: int):
    """The result where people judged the pairs that were chosen; arrays (topics, 20) of what pairs add to b - a."""
    h, m = people[chosen], machine[chosen]
    return prediction_powered_pairs(
        (people * chosen).sum(axis=1), (machine * chosen).sum(axis=1), machine.sum(axis=1),
        n_pairs=(int(chosen.sum()), n_pairs), squares=(h @ h, h @ m, m @ m),
    )  # fmt: skip


def more_pairs_table(drawn, judges, samples: int, *, narrow: bool = False) -> list[list[str]]:
    """What became of differences that so many more human pairs were to show.

    narrow  whether true differences are within 3 standard errors of fully judged topics, not of the first estimate
    """
    weights, gains = pair_arrays(drawn, judges)
    exists = weights != 0
    table = []
    for share in SHARES:
        for n in HUMAN:
            for name in ("good", "careless", "useless"):
                people, machine = (weights * gains[each] for each in ("people", name))
                slope = (people * machine).sum() / (machine**2).sum()  # that of a large sample
                noise = (1 - share) / share * np.square(people - slope * machine).sum(axis=1).mean()
                spread = people.sum(axis=1).var() + (0.0 if narrow else noise)
                mean, error = people.sum(axis=1).mean(), (spread / n) ** 0.5
                rng, shares, shown, none, tried = np.random.default_rng(n), [], 0, 0, 0
                for _ in range(samples):
                    rows = rng.integers(0, POPULATION, n)
                    here = exists[rows]
                    moved = (rng.uniform(-3, 3) * error - mean) / here.sum(axis=1, keepdims=True) * here
                    h, m = people[rows] + moved, machine[rows] + moved
                    order = np.full(here.shape, np.inf)
                    order[here] = rng.permutation(np.count_nonzero(here))
                    total = np.count_nonzero(here)
                    before = of_pairs(h, m, order < round(share * total), total)
                    if before.pvalue < 0.05:
                        continue
                    tried += 1
                    if before.settles is None:
                        none += 1
                        continue
                    labels = min(before.n_labelled + before.settles, total - 1)
                    shown += of_pairs(h, m, order < labels, total).pvalue < 0.05
                    shares.append(before.settles / before.n_unlabelled)
                cells = [f"{np.median(shares):.2f}", f"{100 * shown / len(shares):.0f} %"] if shares else ["-", "-"]
                table.append([f"{100 * share:.0f} %", str(n), name, str(tried), str(none), *cells])
    return table


def some_topics(judges: Judges, rows: np.ndarray) -> Judges:
    """The same judges on some topics."""
    place = np.full(len(judges.topics), -1)
    place[rows] = np.arange(len(rows))
    kept = np.flatnonzero(place[judges.topic] >= 0)
    kept = kept[np.argsort(place[judges.topic[kept]], kind="stable")]
    number = np.full(len(judges.topic) + 2, -2)
    number[kept], number[-1] = np.arange(len(kept)), -1
    topics = tuple(judges.topics[t] for t in rows.tolist())
    base = replace(judges.base, topics=topics, code=judges.base.code[:, rows], available=judges.base.available[rows])
    return replace(judges, topics=topics, grade=judges.grade[:, kept], topic=place[judges.topic[kept]],
                   lists=number[judges.lists[:, rows]], base=base)  # fmt: skip


def agreement_table(samples: int) -> list[list[str]]:
    """Coverage of the intervals of `studies.judges`: truth is the study of all topics."""
    families = {name: tuple(0.9 + 0.02 * (5 * k + step) for k in range(4)) for step, name in enumerate("abcde")}
    drawn = simulate(n_topics=STUDIED, families=families, decimals=3, seed=3)
    others = {name: another_judge(drawn.judgments, seed=seed, **MACHINES[name])
              for seed, name in enumerate(("good", "lenient", "careless"), 1)}  # fmt: skip
    judges = rs.load_judges(drawn.judgments, drawn.runs, others)
    parts = ("exact", "kappa", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "tau", "tau_ap")

    def numbers(study):
        for row in study.judges[: len(others)]:
            for part in parts:
                owner = row.agreement if hasattr(row.agreement, part) else row
                yield row.judge, part, getattr(owner, part), owner.intervals[part]

    truth = {(judge, part): value for judge, part, value, _ in
             numbers(rs.studies.judges(judges, resampling=Resampling(2)))}  # fmt: skip
    table = []
    for n in SIZES:
        rng = np.random.default_rng(n)
        drawn = {key: [] for key in truth}
        for _ in range(samples):
            rows = np.sort(rng.choice(len(judges.topics), n, replace=False))
            study = rs.studies.judges(some_topics(judges, rows), resampling=Resampling(500), workers=1)
            for judge, part, value, ends in numbers(study):
                drawn[judge, part].append((value, *ends))
        for judge in others:
            cells = []
            for part in parts:
                value, low, high = np.array(drawn[judge, part]).T
                targets = [truth[judge, part], *([value.mean()] if part.startswith("tau") else [])]
                cells += [f"{100 * ((low <= target) & (target <= high)).mean():.0f}" for target in targets]
            table.append([str(n), judge, *cells, f"{truth[judge, 'tau']:.2f}"])
    return table


def beyond(table: list[list[str]], at: int, words) -> str:
    """Cells further than 1 point from 95 %, in a sentence."""
    far = [row for row in table if abs(float(row[at]) - 95) > 1]
    if not far:
        return "Every cell of ours is within 1 point of 95 %."
    are = "is" if len(far) == 1 else "are"
    return f"{len(far)} of {len(table)} cells of ours {are} further than 1 point from 95 %: " + words(far) + "."


def by_population(far: list[list[str]]) -> str:
    groups: dict[tuple[str, str], list[float]] = {}
    for row in far:
        groups.setdefault((row[0], row[1]), []).append(float(row[6]))
    return "; ".join(f"{title} at {n} topics, {len(v)} machines, {min(v):.1f} to {max(v):.1f} %"
                     for (title, n), v in groups.items())  # fmt: skip


def page(samples: int) -> str:
    warnings.simplefilter("ignore")
    inference.stdtrit = cache(inference.stdtrit)  # few degrees of freedom, asked for many times
    n_ratios, n_studies = max(100, samples // 2), max(10, samples // 50)
    drawn, judges = collection()
    populations = {"simulated": simulated(drawn, judges), "TREC 2019": trec(), "skewed": skewed()}
    skews = {title: float(skew(people)) for title, (people, _) in populations.items()}
    header = [
        "population",
        "human topics",
        "machine",
        "r",
        "bias",
        "human alone",
        "ours",
        "PPI++",
        "PPI",
        "width",
        "widest",
    ]
    table = topics_table(populations, samples)
    print("topics", flush=True)
    ratios = ratio_table(populations, n_ratios)
    print("ratios", flush=True)
    pairs = pairs_table(drawn, judges, n_ratios)
    print("pairs", flush=True)
    plans = more_table(populations, max(20, samples // 20))
    settled = settled_table(populations, max(20, samples // 5))
    pair_plans = more_pairs_table(drawn, judges, max(20, samples // 5))
    narrow_plans = more_pairs_table(drawn, judges, max(20, samples // 5), narrow=True)
    print("plans", flush=True)
    agreement = agreement_table(n_studies)
    apart = max(abs(float(row[6]) - float(row[5])) for row in table)
    normal = [float(row[7]) for row in table if row[1] == str(HUMAN[0])]
    best = 100 * (1 - min(float(row[9]) for row in table))
    widest = max(float(row[10]) for row in table)
    error = 100 * (0.95 * 0.05 / samples) ** 0.5
    plan_shown = [float(row[6].removesuffix(" %")) for row in plans]
    return f"""# Judges: few human labels, and agreement

How often do intervals about judges hold the true value? This page is about the 95 % intervals of
`compare --human-topics` and `gate --human-topics` (`rs.statistics.prediction_powered`), of `--human-pairs` in both
(`rs.statistics.prediction_powered_pairs`), and of `rankscope judges`. `scripts/validity_ppi.py` writes it.

## Human topics

The truth is the mean difference of two systems under people, over a population of topics. A sample has some topics that
people judged, and {TIMES} times as many that the machine alone judged. There are {
        samples:,} samples per row, drawn with
replacement. The standard error of a coverage is about {error:.1f} points. Three populations:

- *simulated*: {POPULATION:,} simulated topics, nDCG@10; skewness {
        skews["simulated"]:.1f}. Machines grade some documents one
  too high or one too low.
- *TREC 2019*: the {len(populations["TREC 2019"][0])} topics of TREC's deep learning track 2019, {PAIR[1]} less {
        PAIR[0]
    }
  on nDCG@10; skewness {
        skews["TREC 2019"]:.1f}. "good", "lenient" and "careless" are three language models: UMBRELA with GPT-4,
  four prompts and query similarity with Llama 3.
- *skewed*: {POPULATION:,} differences, four of five of them 0, the others exponential; skewness {skews["skewed"]:.1f}.

"useless" has the machine's differences of other topics. "favours B" raises grades of documents that B ranks first, or
adds to the machine's differences on half of the topics.

{markdown_table(header, table, left=3)}

- *r*: correlation of the machine's differences with those of people, over topics. *bias*: the machine's mean difference
  less that of people.
- *human alone*: Student's interval of the human topics. *ours*: the default, PPI++ with Student's t. *PPI++* and *PPI*:
  normal intervals as published (`interval="normal"`).
- *width*: mean width of ours as a share of the interval of human topics alone. *widest*: the largest such share of any
  sample.

**What it shows.** {beyond(table, 6, by_population)} Ours is at most {
        apart:.1f} points from the interval of human topics
alone, and the widest of all intervals is {widest:.3f} times theirs; the shortest are {
        best:.0f} % shorter on average. A machine
that favours one system does not move the interval away from the truth. At {
        HUMAN[0]
    } human topics the normal interval of
PPI++ covers {min(normal):.1f} to {max(normal):.1f} %.

**Where it fails.** With skewed differences and few human topics, true values lie outside far more often than in 5 % of
samples. Student's interval of human topics alone fails there, too: few topics often hold none of the large
differences. More machine labels do not mend that. Ours adds a slope that has to be estimated from the same
topics. PPI with weight 1 has none, and covers better there where the machine is good. The table of ratios has the
lowest and the highest coverage of ours over all machines, {n_ratios:,} samples each.

{
        markdown_table(
            ["population", "machine topics per human topic", "human topics", "human alone", "ours", "widest"],
            ratios,
            left=1,
        )
    }

## How many more human topics?

Where no difference is shown, the result says after how many more human topics "a difference of this size" would be.
Here people judge just as many more, drawn from 20 machine topics per human topic, with the good machine. The truth is
moved to one standard error of the human topics. *Half-width* is that of the new interval as a share of the first
difference: the number is right where it is 1, and too small where it is above.

{
        markdown_table(
            ["population", "human topics", "not shown at first", "no number", "half-width", "5 to 95 %", "shown then"],
            plans,
            left=1,
        )
    }

**What it shows.** {plan_words(plans)} The number is no promise of a verdict: the difference itself moves, and was
shown then in {min(plan_shown):.0f} to {
        max(plan_shown):.0f} % of samples. "No number" says that all machine topics would not suffice.

A second number is for a chance of 80 %, averaged over the true differences that the labels leave open. Here the true
difference is drawn anywhere from -3 to 3 standard errors of the human topics; {
        max(20, samples // 5):,} samples per row.

{markdown_table(["population", "human topics", "not shown at first", "no number", "shown then"], settled, left=1)}

Where differences are skewed, few topics hold none of the large ones. The spread then looks small, and the number may be
too small.

## Human pairs

People have judged pairs of topic and document of the simulated topics, each with the same chance, of the documents that
DCG@10 sees; the machine has judged all of them. There are {
        n_ratios:,} samples per row. Topics are drawn, then pairs. *human alone* takes the human labels, each
for as many pairs as it stands for.

{markdown_table(["pairs judged", "topics", "machine", "human alone", "ours", "width", "widest"], pairs, left=1)}

**What it shows.** {
        beyond(pairs, 4, lambda far: "; ".join(f"{row[2]} with {row[0]} of {row[1]} topics, {row[4]} %" for row in far))
    }
Measures that divide by what a judge's grades allow, such as nDCG and AP, have no such estimate: with a sample of labels
their denominators are biased. `--human-pairs` refuses them.

## How many more human pairs?

Where no difference is shown, the result says after how many more human pairs some difference is shown with a chance of
80 %, averaged over the true differences that the labels leave open. Here the true difference is drawn anywhere from -3
to 3 standard errors of the first estimate, and people judge as many more pairs of the same topics, at random.
There are {
        max(
            20, samples // 5
        ):,} samples per row. *Share*: median of the number over the pairs that people have not judged.

{
        markdown_table(
            ["pairs judged", "topics", "machine", "not shown at first", "no number", "share", "shown then"],
            pair_plans,
            left=3,
        )
    }

**What it shows.** {
        pair_plan_words(pair_plans)
    } "No number" says that human labels of all pairs would not suffice with a chance of 80 %. That is
frequent: more labels of the same topics leave the spread between topics. Rows with few numbers hold the samples whose
first labels made the spread look small, and fall short.

The promise rests on true differences as wide as the labels leave open. With true differences within 3 standard errors
of fully judged topics, which is narrower, a difference was shown then in {
        shown_share(narrow_plans)
    }: the first estimates
are then too large by luck. This collection also served to choose the form: without a lower limit of the spread,
64 % of samples showed a difference and not 78 % (300 samples per row).

## Agreement of judges

`rankscope judges` has intervals by resampling topics. Truth is the study of all {STUDIED:,} simulated topics with 20
systems; a sample has 25 to 100 topics, without replacement. {
        n_studies:,} samples per row: the standard error of a coverage
is about {
        100
        * (0.95 * 0.05 / n_studies)
        ** 0.5:.1f} points. For tau there are two truths: that of *all topics*, and the mean tau
of samples of *as many* topics. Coverage in per cent:

{
        markdown_table(
            [
                "topics",
                "judge",
                "exact",
                "kappa",
                "quadratic kappa",
                "alpha, nominal",
                "alpha, ordinal",
                "tau, all topics",
                "tau, as many",
                "tau_AP, all topics",
                "tau_AP, as many",
                "true tau",
            ],
            agreement,
            left=2,
        )
    }

**What it shows.** {agreement_words(agreement)}

## What none of it shows

Human topics and pairs were random samples. People who judge the easy topics first, or the documents that the machine
was unsure of, are not covered by any of these intervals.
"""


def plan_words(table: list[list[str]]) -> str:
    """Whether the number of further topics predicts the width of the interval."""
    near = [row for row in table if 0.9 <= float(row[4]) <= 1.1]
    words = f"In {len(near)} of {len(table)} rows the median half-width is within 10 % of what the number predicts."
    far = [row for row in table if row not in near]
    if not far:
        return words
    rows = "; ".join(f"{row[0]} at {row[1]} topics, {row[4]}" for row in far)
    return f"{words} It is not: {rows}. Human topics without large differences make the number too small there."


def shown_share(table: list[list[str]]) -> str:
    """Share of all samples with a number in which a difference was shown then."""
    rows = [(float(row[6].removesuffix(" %")), int(row[3]) - int(row[4])) for row in table if row[6] != "-"]
    count = sum(n for _, n in rows)
    return f"{sum(share * n for share, n in rows) / max(1, count):.0f} % of {count:,} samples"


def pair_plan_words(table: list[list[str]]) -> str:
    """How often the number of further pairs was enough."""
    rows = [(row, float(row[6].removesuffix(" %"))) for row in table if row[6] != "-"]
    counts = [int(row[3]) - int(row[4]) for row, _ in rows]
    far = [
        f"{row[2]} with {row[0]} of {row[1]} topics, {row[6]} of {count}"
        for (row, share), count in zip(rows, counts, strict=True)
        if abs(share - 80) > 10 and count >= 50
    ]
    words = f"Where there is a number, a difference was shown then in {shown_share(table)}."
    if not far:
        return f"{words} No row of 50 samples or more is further than 10 points from 80 %."
    return f"{words} Rows of 50 samples or more that are further than 10 points from 80 %: {'; '.join(far)}."


def agreement_words(table: list[list[str]]) -> str:
    """What the intervals of agreement and of leaderboards cover."""

    def cells(first: int, last: int, step: int = 1) -> str:
        numbers = [float(cell) for row in table for cell in row[first:last:step]]
        return f"{min(numbers):.0f} to {max(numbers):.0f} %"

    return (
        f"Intervals of agreement on grades cover {cells(2, 7)}: with few topics, a little too rarely. "
        "Those of tau and tau_AP hold the mean of samples of as "
        f"many topics in {cells(8, 11, 2)}, and the value on all topics in {cells(7, 11, 2)} of samples. Few topics "
        "order systems with noise, and noise lowers tau under any two judges. So the interval speaks of leaderboards "
        "on as many topics, and a tau of few topics is too low for the true order of systems."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--out", default=str(OUT))
    args = parser.parse_args()
    text = page(args.samples)
    if args.out == "-":
        print(text)
    else:
        Path(args.out).write_text(text)


if __name__ == "__main__":
    main()
