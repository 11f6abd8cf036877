"""True values of a model: expected scores and differences, from a very large set of topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rankscope.arguments import Checks
from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError, Problem, plural
from rankscope.layout import Block, Layer, Toned, panels
from rankscope.measures import Measure, MeasureInputs, parse
from rankscope.parallel import Client, check_workers, on
from rankscope.results import Layered, finite, records
from rankscope.simulation.collection_model import Model, check_sample
from rankscope.simulation.drawing import RandomStream, TopicBlock, over_blocks

Measures: TypeAlias = str | Measure | Iterable[str | Measure]

MEASURES = ("nDCG@10", "AP")
TOPICS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrueScores:
    """Means (M, S) and differences (M, S, S), [m, i, j] = mean of system j - mean of system i, with standard errors.

    The errors are those of having drawn no more topics (Monte Carlo).
    """

    mean: Floats
    error: Floats
    difference: Floats
    difference_error: Floats
    n_topics: Ints  # (M,) topics that the measure is defined on

    @classmethod
    def of(cls, scores: Floats) -> TrueScores:
        """From scores (M, S, T), NaN where a topic is undefined."""
        each = [_expected(table[:, ~np.isnan(table).any(axis=0)]) for table in scores]
        columns = [np.stack(column) for column in zip(*each, strict=True)]
        return cls(**dict(zip(("mean", "error", "difference", "difference_error", "n_topics"), columns, strict=True)))


def _expected(scores: Floats) -> tuple[Any, ...]:
    systems, n_topics = scores.shape
    if n_topics < 2:
        unknown = np.full((systems, systems), math.nan)
        return unknown[0], unknown[0], unknown, unknown, n_topics
    mean = scores.mean(axis=-1)
    # topic by topic, so that what two systems share cancels
    error = np.stack([(scores - row).std(axis=-1, ddof=1) for row in scores]) / math.sqrt(n_topics)
    return (
        mean, scores.std(axis=-1, ddof=1) / math.sqrt(n_topics), mean - mean[:, np.newaxis], error, n_topics
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth(Layered):
    """Expected scores of a model's systems with complete judgments, and with those that the model makes.

    complete  every candidate document judged, without error: the truth
    judged    pooled and judged as the model says
    n_topics  topics drawn, each with at least one relevant document
    """

    model: Model
    measures: tuple[Measure, ...]
    complete: TrueScores
    judged: TrueScores
    n_topics: int
    seed: int

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(system.name for system in self.model.systems)

    def difference(self, a: str, b: str, measure: str | Measure | None = None) -> tuple[float, float]:
        """The true mean difference b - a and its standard error, for the first measure unless another is named."""
        at = 0 if measure is None else self._at(measure)
        names = self.systems
        if unknown := [Problem(f"no system is named {x!r}", f"there are {', '.join(names)}") for x in (a, b)
                       if x not in names]:  # fmt: skip
            raise InputError(unknown)
        pair = at, names.index(a), names.index(b)
        return float(self.complete.difference[pair]), float(self.complete.difference_error[pair])

    def _at(self, measure: str | Measure) -> int:
        (wanted,) = parse(measure)
        if wanted not in self.measures:
            raise InputError(f"no truth of {measure}", f"there are {', '.join(map(str, self.measures))}")
        return self.measures.index(wanted)

    def means(self) -> dict[str, list[Any]]:
        """Columns measure, system, family, strength, mean, error, judged_mean, judged_error."""
        m, systems = len(self.measures), self.model.systems
        return {
            "measure": [str(x) for x in self.measures for _ in systems],
            "system": [system.name for system in systems] * m,
            "family": [system.family for system in systems] * m,
            "strength": [float(system.strength) for system in systems] * m,
            "mean": self.complete.mean.ravel().tolist(),
            "error": self.complete.error.ravel().tolist(),
            "judged_mean": self.judged.mean.ravel().tolist(),
            "judged_error": self.judged.error.ravel().tolist(),
        }

    def columns(self) -> dict[str, list[Any]]:
        """Columns measure, a, b, difference (b - a), error, judged_difference, judged_error: each pair once."""
        first, second = np.triu_indices(len(self.systems), 1)
        return {
            "measure": [str(x) for x in self.measures for _ in first],
            "a": [self.systems[i] for i in first] * len(self.measures),
            "b": [self.systems[i] for i in second] * len(self.measures),
            "difference": self.complete.difference[:, first, second].ravel().tolist(),
            "error": self.complete.difference_error[:, first, second].ravel().tolist(),
            "judged_difference": self.judged.difference[:, first, second].ravel().tolist(),
            "judged_error": self.judged.difference_error[:, first, second].ravel().tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Topics, seed, means and differences, as JSON can hold them."""
        return {
            "n_topics": self.n_topics,
            "seed": self.seed,
            "means": finite(records(self.means())),
            "differences": finite(records(self.columns())),
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["system", "strength"]
        for measure in self.measures:
            header += [str(measure), "error", "judged"]
        rows = []
        for s, system in enumerate(self.model.systems):
            row = [system.name, f"{system.strength:g}"]
            for m in range(len(self.measures)):
                row += [
                    f"{self.complete.mean[m, s]:.4f}",
                    f"{self.complete.error[m, s]:.4f}",
                    f"{self.judged.mean[m, s]:.4f}",
                ]
            rows.append(row)
        return header, rows

    def blocks(self, layer: Layer) -> list[Block]:
        """Short: the system with the highest true mean, and all means. Full: their differences, too."""
        mean, error = self.complete.mean[0], self.complete.error[0]
        best = None if np.isnan(mean).all() else int(np.nanargmax(mean))
        answer = (
            f"No topic has a true {self.measures[0]}."
            if best is None
            else f"{self.systems[best]} has the highest true mean {self.measures[0]}: {mean[best]:.4f} (standard error "
            f"{error[best]:.4f})."
        )
        header, rows = self.table()
        notes = [
            f"True means are over {plural(self.n_topics, 'topic')}, with every document judged without error.",
            "error: standard error of the true mean, since no more topics were drawn.",
            "judged: mean with the pool and the judges of this model.",
        ]
        blocks = [Block("", [Toned(answer, "strong")]), Block("", panels(header, rows, left=1)), Block("", notes)]
        if layer == "short" or len(self.systems) < 2:
            return blocks
        differences = [[name, *(f"{x:+.4f}" for x in row)]
                       for name, row in zip(self.systems, self.complete.difference[0], strict=True)]  # fmt: skip
        largest = self.complete.difference_error[0].max()
        caption = f"True differences in {self.measures[0]}, column - row; standard errors are at most {largest:.4f}."
        tables = panels(["", *self.systems], differences, left=1)
        return [*blocks, Block("How far are the systems apart?", [*tables, caption])]


def truth(
    model: Model,
    measures: Measures = MEASURES,
    *,
    n_topics: int = TOPICS,
    seed: int = 1,
    workers: int | None = None,
    client: Client = None,
    progress: Callable[[float], None] | None = None,
) -> Truth:
    """Expected scores and differences of the systems of a model, by drawing very many topics.

    The topics are independent of those that `simulate` and `draw` give for the same seed. Topics without relevant
    documents do not count. The result is the same for any number of workers. `progress` is called with the share that
    is done, such as a `Bar()`.

    >>> true = truth(Model(families={"a": (0.5, 1.5)}), "nDCG@10", n_topics=500)
    >>> difference, error = true.difference("a-1", "a-2")
    >>> difference > 10 * error
    True
    """
    check_sample(n_topics=n_topics, seed=seed)
    wanted = check_truth(measures, n_topics=n_topics, workers=workers)
    grades = np.arange(len(model.grades) + 1.0)

    def score(block: TopicBlock) -> Floats:
        """(2, M, S, T): complete, then judged."""
        both = [MeasureInputs(code, grades, available) for code, available in
                (block.lists(len(model.grades), complete=complete) for complete in (True, False))]  # fmt: skip
        return np.array([[measure.compute(lists) for measure in wanted] for lists in both])

    with on(client):
        blocks = list(
            over_blocks(score, model, n_topics, seed, stream=RandomStream.TRUTH, workers=workers, progress=progress)
        )
    complete, judged = np.concatenate(blocks, axis=-1)
    return Truth(
        model=model, measures=wanted, complete=TrueScores.of(complete), judged=TrueScores.of(judged), n_topics=n_topics,
        seed=seed,
    )  # fmt: skip


def check_truth(
    measures: Measures = MEASURES, *, n_topics: int = TOPICS, workers: int | None = None
) -> tuple[Measure, ...]:
    """The measures that are meant; refuse what no truth can be told of."""
    with Checks() as check:
        wanted = check(_averaged, measures)
        check(_enough, n_topics)
        check(check_workers, workers)
    return wanted


def _averaged(measures: Measures) -> tuple[Measure, ...]:
    wanted = tuple(parse(measures))
    if not wanted:
        raise InputError("no measures", "name at least one")
    cure = "the truth is told of measures that are averaged over topics"
    if counts := [Problem(f"{m} is a count, not a mean", cure) for m in wanted if m.aggregate == "sum"]:
        raise InputError(counts)
    return wanted


def _enough(n_topics: int) -> None:
    if n_topics < 2:
        raise InputError(f"truth from {n_topics!r} topics", f"the truth takes at least 2 topics, better {TOPICS}")
