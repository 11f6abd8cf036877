"""How often is a verdict of `compare` wrong, and how often right? Measured on simulated truth.

    python scripts/validity_verdict.py                  # docs/validity-verdict.md, some minutes on two cores
    python scripts/validity_verdict.py --collections 50 --out -      # does it run at all

Every collection is drawn anew, joined and compared as a user would do it.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import rankscope
from rankscope.comparisons import compare
from rankscope.layout import markdown_table
from rankscope.simulation import Model, draw, truth
from rankscope.statistics import Resampling

OUT = Path(__file__).parents[1] / "docs" / "validity-verdict.md"
TOPICS = (20, 50, 200)
MEASURES = ("nDCG@10", "P@10", "AP", "RR")
ALPHA = 0.05
GAPS = {"none": 0.0, "small": 0.05, "medium": 0.1, "large": 0.2}
FAMILIES = {"one family": "one", "two families": "two"}
COARSE = Resampling(100)  # of the band around the profile, which decides nothing
CLAIMS = ("†", "†‡", "universal")


@dataclass(frozen=True)
class Cell:
    """Two systems whose strengths differ by a gap, compared on many collections of so many topics."""

    family: str
    gap: str
    topics: int
    measure: str
    collections: int

    @property
    def systems(self) -> tuple[str, str]:
        return ("one-1", "one-2") if self.family == "one family" else ("one-1", "two-1")

    def model(self) -> Model:
        strengths = (1.0, 1.0 + GAPS[self.gap])
        families = {"one": strengths} if self.family == "one family" else {"one": strengths[:1], "two": strengths[1:]}
        # the same rounding for both, or the one with more ties would be another kind of system
        return replace(Model(), families=families, decimals=3)


def measured(cell: Cell) -> tuple[Cell, dict[str, tuple[float, float]]]:
    """Of each claim how often it is made for the second system, and for the first."""
    warnings.simplefilter("ignore")
    model, (a, b) = cell.model(), cell.systems
    said = {claim: [0, 0] for claim in CLAIMS}
    for seed in range(cell.collections):
        judged = draw(model, n_topics=cell.topics, seed=seed)
        found = compare(judged, a, b, measure=cell.measure, alpha=ALPHA, others=False, resampling=COARSE, workers=1)
        if not found.verdict:
            continue
        at = 0 if found.verdict > 0 else 1
        made = (True, found.corroborated, found.universal)
        for claim, yes in zip(CLAIMS, made, strict=True):
            said[claim][at] += yes
    n = cell.collections
    return cell, {claim: (right / n, wrong / n) for claim, (right, wrong) in said.items()}


def cells(collections: int) -> list[Cell]:
    made = [
        Cell(family, gap, topics, measure, collections)
        for measure in MEASURES
        for family in FAMILIES
        for gap in GAPS
        for topics in TOPICS
        if measure == "nDCG@10" or gap in ("none", "medium")
    ]
    return sorted(made, key=lambda cell: -cell.topics)


def written(found: dict[Cell, dict[str, tuple[float, float]]], collections: int) -> str:
    error = 100 * math.sqrt(0.05 * 0.95 / collections)
    parts = [HEAD.format(collections=f"{collections:,}", error=error, version=rankscope.__version__), ADDED]
    for measure in MEASURES:
        for title, null in (("no difference: claims made in error", True), ("a true difference: claims made", False)):
            rows = []
            for family in FAMILIES:
                for gap in GAPS:
                    of = [c for c in found if (c.measure, c.family, c.gap) == (measure, family, gap)]
                    if not of or (gap == "none") != null:
                        continue
                    gains = "" if null else f" (true difference {_true(of[0]):.3f})"
                    for claim in CLAIMS:
                        row = [f"{family}, {gap}{gains}", claim]
                        for topics in TOPICS:
                            cell = next(c for c in of if c.topics == topics)
                            right, wrong = found[cell][claim]
                            both = f"{100 * right:.1f} / {100 * wrong:.1f}"
                            row.append(_rate(right + wrong, collections) if null else both)
                        rows.append(row)
            if rows:
                header = ["systems, gap", "claim", *(f"{n} topics" for n in TOPICS)]
                parts.append(f"## {measure}, {title}\n\n{markdown_table(header, rows, left=2)}")
    return "\n\n".join(parts) + "\n"


def _rate(rate: float, n: int) -> str:
    text = f"{100 * rate:.1f}"
    return f"**{text}**" if rate > ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / n) else text


def _true(cell: Cell) -> float:
    a, b = cell.systems
    return truth(cell.model(), (cell.measure,), n_topics=20_000).difference(a, b, cell.measure)[0]


HEAD = """# Validity of the verdict

How often `rankscope compare` makes each of its claims, on simulated collections whose truth is known
(`rankscope.simulation`; {collections} collections a cell, drawn and judged anew; rankscope {version}). Made by
`python scripts/validity_verdict.py`. The standard error of a rate of 5 % is {error:.1f} points.

- **†** the paired t test of the metric, two-sided, below 0.05.
- **†‡** and IPSO's sign test below 0.05 in the same direction (Moffat and Mackenzie 2024).
- **universal** † and the test for every static rank-weighted metric at once (`rs.dominance`, by its default, which
  guards against rare large losses) below 0.025 in that direction.

Systems of one family share errors, those of two do not. Without a difference the two systems are exchangeable: every
claim is an error, and a **bold** rate exceeds 5 % by more than three standard errors. With a difference, rates are of
claims for the system that is truly better / for the other one; the gap is one of strength, and the true difference of
the metric under complete judgments is given.

## What to make of it

A dagger is wrong in 5 % of comparisons without a difference, as promised: it says that one system scores higher under
the metric beyond the sampling of topics, and that is what is counted here. ‡ and the universal claim ask for more, so
they are wrong far less often, and are made less often where there is a difference. Claims in the wrong direction hardly
occur. A universal claim is an inference at 0.025 each way; it needs several times as many topics as a dagger, and is
hardly ever made here with 50."""
ADDED = """## What the double dagger adds

Four real collections, topics split in halves at random, 50 times. On one half every pair of systems with † is a
verdict; some have ‡ too (IPSO by grade thresholds, depth 10). On the other half, in which share of the other metrics
(AP, nDCG@10, P@10, RR, RBP(p=0.8), ERR@20, R@100) has the mean difference the same direction? *‡ less no ‡* is the
difference of that share in points. But verdicts with ‡ have smaller p values. *At equal p* compares them within classes
of p, a quarter of a power of ten wide; *itself* is the same for the metric that decides. In brackets are standard
errors: the jackknife over systems and over groups of topics. Made by `python scripts/validity_corroboration.py DATA`.

| collection | decides | † a split | with ‡ | others agree | ‡ less no ‡ | at equal p | itself, at equal p |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
| trec8-adhoc (118 systems, 50 topics) | nDCG@10 | 3,410 | 80 % | 95.7 % | +8.7 | +1.1 (1.3) | +0.7 (1.2) |
| trec8-adhoc (118 systems, 50 topics) | P@10 | 3,355 | 80 % | 96.0 % | +8.8 | +2.9 (1.6) | +2.2 (1.5) |
| trec8-adhoc (118 systems, 50 topics) | AP | 3,931 | 67 % | 94.1 % | +12.0 | +6.8 (2.5) | +0.5 (0.6) |
| robust04-part (17 systems, 165 topics) | nDCG@10 | 60 | 61 % | 95.4 % | +3.3 | -1.0 (2.9) | +0.3 (2.7) |
| robust04-part (17 systems, 165 topics) | P@10 | 58 | 61 % | 95.4 % | +4.2 | +0.7 (3.2) | +0.5 (3.0) |
| robust04-part (17 systems, 165 topics) | AP | 69 | 49 % | 91.4 % | +11.2 | +7.7 (5.1) | -0.4 (3.0) |
| dl19-passage (37 systems, 43 topics) | nDCG@10 | 396 | 63 % | 93.9 % | +5.7 | +0.6 (2.6) | -0.8 (1.4) |
| dl19-passage (37 systems, 43 topics) | P@10 | 383 | 64 % | 94.1 % | +6.4 | +2.5 (3.5) | +0.3 (2.2) |
| dl19-passage (37 systems, 43 topics) | AP | 396 | 55 % | 90.9 % | +15.6 | +13.1 (6.3) | +0.7 (2.2) |
| trec-covid-r5 (126 systems, 50 topics) | nDCG@10 | 5,141 | 82 % | 96.5 % | +6.9 | +0.9 (1.0) | +0.7 (0.7) |
| trec-covid-r5 (126 systems, 50 topics) | P@10 | 5,063 | 81 % | 96.5 % | +7.9 | +4.0 (1.2) | +2.4 (0.8) |
| trec-covid-r5 (126 systems, 50 topics) | AP | 5,961 | 69 % | 94.3 % | +12.4 | +8.2 (1.4) | +0.1 (0.3) |

At equal p, ‡ adds about 1 point or nothing where nDCG@10 decides, 1 to 4 where P@10 does and 7 to 13 where AP does: it
adds most where the metric looks deeper than the ten ranks that IPSO and most of the others look at. A small p value
does most of what ‡ seems to do, and that the same metric holds on other topics it hardly adds to."""
"""As scripts/validity_corroboration.py printed it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collections", type=int, default=2000, help="a cell (default: 2000)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", default=str(OUT), help="file to write; - prints")
    args = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    found = {}
    todo = cells(args.collections)
    with ProcessPoolExecutor(args.workers, multiprocessing.get_context("spawn")) as pool:
        for i, (cell, rates) in enumerate(pool.map(measured, todo), 1):
            found[cell] = rates
            print(f"{i} of {len(todo)}", file=sys.stderr, flush=True)
    text = written(found, args.collections)
    if args.out == "-":
        print(text)
    else:
        Path(args.out).write_text(text)


if __name__ == "__main__":
    main()
