"""Write the benchmark beds: seeded TREC collections of the sizes that evaluations really have.

    python benchmarks/generate.py [BED ...] [--out FOLDER] [--scale 0.01]

    many    110 runs x 249 topics x 1000 documents, 1,250 judged a topic, grades 0, 1, 2
    sparse  one run of 500,000 topics x 10 documents, one relevant each
    users   21 runs x 17,564 users x 100 items, about 14 relevant each, 1 to 150
    small   one run of 50 topics x 1000 documents, for start-up times; never scaled

A bed is a folder with `qrels.txt` and `run*.txt`. Seeded: the same numpy on the same machine writes the
same bytes again, and a run does not depend on how many others are written. A bed that is complete is left as it is.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

VERSION = 1  # of the recipe: beds of another version are written anew
SEED = 2026
DONE = "complete.json"
DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Bed:
    """A collection to be made. `universe`, the number of documents there are, is a prime (see `candidates`)."""

    name: str
    runs: int
    topics: int
    depth: int
    universe: int
    pool: int  # candidates of a topic: what a system may rank
    relevant: Callable[[np.random.Generator, int], Array]  # how many each topic has
    judged: int = 0  # documents of a topic with a grade; 0: only the relevant ones
    high: float = 0.0  # share of the relevant that have grade 2
    prefixes: tuple[str, ...] = ("",)
    tied: int = 0  # every so many runs have scores of two decimals, which tie often


def scattered(rng: np.random.Generator, topics: int) -> Array:
    """From three to several hundred, half of the topics below 45: a TREC track."""
    return np.clip(rng.lognormal(np.log(45), 0.9, topics), 3, 450).astype(int)


def single(rng: np.random.Generator, topics: int) -> Array:
    return np.ones(topics, int)


def histories(rng: np.random.Generator, users: int) -> Array:
    """What users liked: most of them a few items, some very many."""
    return np.clip(rng.geometric(1 / 14, users), 1, 150)


NEWS = ("LA0718-", "FT944-", "FBIS3-", "WSJ870324-", "AP8803-", "FR94-0-")
MANY = Bed("many", 110, 249, 1000, 528_163, 4000, scattered, judged=1250, high=0.25, prefixes=NEWS, tied=5)
BEDS = {
    bed.name: bed
    for bed in (
        MANY,
        Bed("sparse", 1, 500_000, 10, 8_841_823, 20, single),
        Bed("users", 21, 17_564, 100, 7001, 400, histories),
        replace(MANY, name="small", runs=1, topics=50, tied=0),
    )
}


def candidates(rng: np.random.Generator, bed: Bed) -> Array:
    """Documents (topics, pool), none twice in a row: equal steps around a circle of prime length."""
    start = rng.integers(0, bed.universe, (bed.topics, 1))
    step = rng.integers(1, bed.universe, (bed.topics, 1))
    return (start + step * np.arange(bed.pool)) % bed.universe


def grades(rng: np.random.Generator, bed: Bed) -> Array:
    """Grade codes (topics, pool): -1 unjudged, else the grade. The judged stand first, of them the relevant."""
    count = bed.relevant(rng, bed.topics)[:, None]
    place = np.arange(bed.pool)
    unless = np.where(place < bed.judged, 0, -1)
    return np.where(place < count, 1 + (rng.random((bed.topics, bed.pool)) < bed.high), unless).astype(np.int8)


def ranked(rng: np.random.Generator, bed: Bed, grade: Array, shared: Array) -> tuple[Array, Array]:
    """One system's list: places in the pool and scores, both (topics, depth), best first.

    A judged document looks better than an unjudged one, as pools are made, and a relevant one better still, by the
    system's own skill; what is left is chance, in part the same for all systems.
    """
    skill = rng.uniform(0.7, 1.6)
    score = skill * (grade > 0) + 0.8 * (grade >= 0) + 0.6 * shared
    score += 0.8 * rng.standard_normal(grade.shape, np.float32)
    best = np.argpartition(score, bed.pool - bed.depth, axis=1)[:, bed.pool - bed.depth :]
    value = np.take_along_axis(score, best, 1)
    order = np.argsort(-value, axis=1)
    return np.take_along_axis(best, order, 1), np.take_along_axis(value, order, 1).astype(np.float64)


def names(bed: Bed, documents: Array) -> Iterable[str]:
    kinds = len(bed.prefixes)
    return (f"{bed.prefixes[d % kinds]}{d}" for d in documents.tolist())


def write_qrels(path: Path, bed: Bed, topics: list[int], document: Array, grade: Array) -> None:
    with path.open("w") as file:
        for topic, d, g in zip(topics, document, grade, strict=True):
            judged = np.flatnonzero(g >= 0)
            judged = judged[np.argsort(d[judged])]  # by document, so that nothing tells the relevant ones
            rows = zip(names(bed, d[judged]), g[judged].tolist(), strict=True)
            file.writelines(f"{topic} 0 {name} {value}\n" for name, value in rows)


def write_run(path: Path, bed: Bed, topics: list[int], document: Array, score: Array, decimals: int) -> None:
    tag = path.stem
    with path.open("w") as file:
        for topic, d, s in zip(topics, document, score, strict=True):
            rows = enumerate(zip(names(bed, d), s.tolist(), strict=True), 1)
            file.writelines(f"{topic} Q0 {name} {r} {value:.{decimals}f} {tag}\n" for r, (name, value) in rows)


def write(bed: Bed, folder: Path) -> None:
    rng = np.random.default_rng([SEED, bed.universe])
    topics = np.sort(rng.choice(4 * bed.topics, bed.topics, replace=False) + 1).tolist()
    document, grade = candidates(rng, bed), grades(rng, bed)
    shared: Array = rng.standard_normal(grade.shape, np.float32)
    write_qrels(folder / "qrels.txt", bed, topics, document, grade)
    for number in range(bed.runs):
        place, score = ranked(np.random.default_rng([SEED, bed.universe, number]), bed, grade, shared)
        decimals = 2 if bed.tied and number % bed.tied == 0 else 6
        path = folder / f"run{number:03d}.txt"
        write_run(path, bed, topics, np.take_along_axis(document, place, 1), score, decimals)


def make(name: str, out: Path = DATA, scale: float = 1.0) -> Path:
    """The folder of a bed, written first where it is not complete."""
    bed = BEDS[name]
    if scale == 1 or name == "small":
        folder = out / name
    else:
        folder = out / f"{name}-{scale:g}"
        bed = replace(bed, topics=max(2, round(bed.topics * scale)))
    recipe = {"version": VERSION, "runs": bed.runs, "topics": bed.topics, "depth": bed.depth}
    done = folder / DONE
    if not (done.exists() and json.loads(done.read_text()) == recipe):
        folder.mkdir(parents=True, exist_ok=True)
        for old in (done, *folder.glob("run*.txt")):
            old.unlink(missing_ok=True)
        print(f"writing {folder}", file=sys.stderr)
        write(bed, folder)
        done.write_text(json.dumps(recipe))
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the benchmark beds; complete ones are left as they are.")
    parser.add_argument("beds", nargs="*", metavar="BED", help=f"{', '.join(BEDS)}; all by default")
    parser.add_argument("--out", type=Path, default=DATA, help="folder of the beds (default: benchmarks/data)")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the topics, in folders of their own")
    args = parser.parse_args()
    if unknown := set(args.beds) - set(BEDS):
        parser.error(f"no bed named {', '.join(sorted(unknown))}; there are {', '.join(BEDS)}")
    for name in args.beds or BEDS:
        print(make(name, args.out, args.scale))


if __name__ == "__main__":
    main()
