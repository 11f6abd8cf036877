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
from rankscope.results import markdown_table
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
        judged = draw(model, topics=cell.topics, seed=seed)
        found = compare(judged, a, b, measure=cell.measure, alpha=ALPHA, others=False, chance=COARSE, workers=1)
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
    parts = [HEAD.format(collections=f"{collections:,}", error=error, version=rankscope.__version__)]
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
    return truth(cell.model(), (cell.measure,), topics=20_000).difference(b, a, cell.measure)[0]


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

A dagger is wrong in 5 % of comparisons without a difference, as promised. ‡ and the universal claim ask for more, so
they are wrong far less often, and are made less often where there is a difference. Claims in the wrong direction
hardly occur. A universal claim needs several times as many topics as a dagger, and is hardly ever made here with 50."""


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
