"""How often do intervals from few human and many machine labels cover? Measured on simulated truth.

    python scripts/validity_ppi.py                     # docs/validity-ppi.md, a few minutes on two cores
    python scripts/validity_ppi.py --samples 200 --out -      # does it run at all

A population of topics is drawn with two systems, judged by people and by machines. The truth is the mean difference
under people over the whole population; samples of topics are drawn from it.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

import rankscope as rs
from rankscope.layout import markdown_table
from rankscope.simulation import another_judge, simulate
from rankscope.statistics.pairs.prediction_powered import powered

OUT = Path(__file__).parents[1] / "docs" / "validity-ppi.md"
POPULATION = 4000  # topics
HUMAN = (20, 50, 200)
TIMES = 4  # as many machine topics as human ones, and so many times more
MACHINES = {
    "perfect": {},
    "good": {"overrate": 0.05, "underrate": 0.1},
    "lenient": {"overrate": 0.3},
    "strict": {"underrate": 0.5},
    "careless": {"overrate": 0.3, "underrate": 0.5},
    "favours B": {"overrate": 0.05, "underrate": 0.1, "favour": 0.3},
}


def differences() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Differences b - a of nDCG@10 on all topics under people, and under each machine."""
    collection = simulate(n_topics=POPULATION, families={"a": (1.0,), "b": (1.1,)}, decimals=3, seed=9)
    liked = {topic: set(list(docs)[:10]) for topic, docs in collection.runs["b-1"].items()}
    judges = {"people": collection.judgments}
    for seed, (name, errors) in enumerate(MACHINES.items(), 1):
        judges[name] = another_judge(collection.judgments, favoured=liked, seed=seed, **errors)
    by_judge = {}
    topics = list(collection.judgments)
    for name, judgments in judges.items():
        scores = rs.evaluate(rs.load(judgments, collection.runs, undefined="zero"), "nDCG@10")
        at = [scores.topics.index(topic) for topic in topics] if scores.topics != tuple(topics) else slice(None)
        value = scores.of("nDCG@10")
        by_judge[name] = (value[1] - value[0])[at]
    people = by_judge.pop("people")
    by_judge["useless"] = np.random.default_rng(1).permutation(people)  # grades of other topics
    return people, by_judge


def rows(samples: int) -> list[list[str]]:
    people, machines = differences()
    truth = people.mean()
    table = []
    for n in HUMAN:
        drawn = np.random.default_rng(n).integers(0, len(people), (samples, n * (1 + TIMES)))
        for name, machine in machines.items():
            y, f, u = people[drawn[:, :n]], machine[drawn[:, :n]], machine[drawn[:, n:]]
            cells = []
            widths = {}
            forms = (("human", "student"), ("ppi++", "student"), ("ppi++", "normal"), ("ppi", "normal"))
            for variant, interval in forms:
                parts = powered(y, f, u, variant=variant, interval=interval)
                reach = stdtrit(parts.df, 0.975) * parts.error
                if interval == "normal":
                    reach = 1.959963984540054 * parts.error
                cells.append(f"{100 * (np.abs(parts.estimate - truth) <= reach).mean():.1f}")
                widths[variant, interval] = reach
            ratio = widths["ppi++", "student"] / widths["human", "student"]
            correlation = np.corrcoef(people, machine)[0, 1]
            bias = (machine - people).mean()
            table.append([str(n), name, f"{correlation:.2f}", f"{bias:+.3f}", *cells, f"{ratio.mean():.2f}",
                          f"{ratio.max():.2f}"])  # fmt: skip
    return table


def page(samples: int) -> str:
    warnings.simplefilter("ignore")
    header = ["human topics", "machine", "r", "bias", "human alone", "ours", "PPI++", "PPI", "width", "widest"]
    table = rows(samples)
    ours = [float(row[5]) for row in table]
    alone = [float(row[4]) for row in table]
    normal = [float(row[6]) for row in table if row[0] == str(HUMAN[0])]
    apart = [abs(a - b) for a, b in zip(ours, alone, strict=True)]
    beyond = [row for row in table if abs(float(row[5]) - 95) > 1]
    verdict = (
        "Every cell of ours is within 1 point of 95 %."
        if not beyond
        else f"{len(beyond)} of {len(table)} cells of ours are further than 1 point from 95 %: "
        + "; ".join(f"{row[1]} at {row[0]} topics, {row[5]} %" for row in beyond)
        + "."
    )
    best = 100 * (1 - min(float(row[8]) for row in table))
    error = 100 * (0.95 * 0.05 / samples) ** 0.5
    return f"""# Few human labels, many of a machine

How often does the 95 % interval of `rs.statistics.prediction_powered` hold the true difference?
`compare --human-topics` and `gate --human-topics` use this interval. `scripts/validity_ppi.py` writes this page.

A population of {POPULATION:,} simulated topics has two systems. People have judged all of them, and so have machines
with errors of their own. The truth is the mean difference of nDCG@10 under people over the population. A sample has
some topics that people judged, and {TIMES} times as many that the machine alone judged. There are {samples:,} samples
per row. The standard error of a coverage is about {error:.1f} points.

{markdown_table(header, table, left=2)}

- *r*: correlation of the machine's differences with those of people, over topics. *bias*: the machine's mean difference
  less that of people; "favours B" raises grades of documents that system B ranks first.
- *human alone*: Student's interval of the human topics. *ours*: the default, PPI++ with Student's t. *PPI++* and *PPI*:
  normal intervals as published (`interval="normal"`).
- *width*: mean width of ours as a share of the interval of human topics alone. *widest*: the largest such share of any
  sample.

**What it shows.** {verdict} Ours is at most {max(apart):.1f} points from the interval of human topics alone. It is
never wider than that by more than 2 %, and {best:.0f} % shorter at best. A machine that favours one system does not
move the interval away from the truth. At {HUMAN[0]} human topics the normal interval of PPI++ covers
{min(normal):.1f} to {max(normal):.1f} %.

**What it does not show.** Human topics were a random sample of all topics. People who judge the easy topics first are
not covered by any of these intervals. "useless" has the machine's differences of other topics.
"""


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
