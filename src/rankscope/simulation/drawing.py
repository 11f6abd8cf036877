"""Topics drawn from a model, as arrays, in blocks. All that is random in a simulation happens here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

import numpy as np

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Codes, Floats, Ints
from rankscope.judged import Judged
from rankscope.parallel import UnitKind, map_units
from rankscope.simulation.collection_model import Model, check_sample

Result = TypeVar("Result")

BLOCK = 500  # topics drawn at a time: part of what a seed means, so never changed for speed
FIRST_TOPIC = 101


class RandomStream(IntEnum):
    """Purpose of a random stream; two streams of one seed are independent."""

    COLLECTION = 0
    TRUTH = 1


@dataclass(frozen=True, slots=True, eq=False)
class TopicBlock:
    """T topics with P candidate documents each, and what S systems and the judges make of them.

    grade     (T, P) true grades
    assessed  (T, P) grades as the judges would give them
    judged    (T, P) which documents are judged
    odd       (T,) which topics are of the odd kind
    ranked    (S, T, K) positions of documents, best first
    score     (S, T, K) their scores
    """

    grade: Ints
    assessed: Ints
    judged: Bools
    odd: Bools
    ranked: Ints
    score: Floats

    def lists(self, grades: int, *, complete: bool) -> tuple[Codes, Ints]:
        """Grade codes (S, T, K) and documents of each grade (T, G): as judged, or in truth."""
        grade = self.grade if complete else self.assessed
        value = grade if complete else np.where(self.judged, grade, UNJUDGED - FIRST_GRADE)
        code = (value + FIRST_GRADE).astype(np.uint8)
        listed = np.stack([np.take_along_axis(code, ranked, axis=-1) for ranked in self.ranked])
        available = np.stack([np.count_nonzero(value == g, axis=-1) for g in range(grades + 1)], axis=-1)
        return listed, available


def draw(model: Model, *, n_topics: int, seed: int = 1, barren: int = 0, complete: bool = False) -> Judged:
    """Draw a collection as arrays, without ids and files: for calibration, where many or large ones are wanted.

    The same arguments give `simulate` the same collection. With `complete=True` every candidate is judged, without
    error: the truth. Topics are independent of each other, so a part of them is as good a collection.

    >>> draw(Model(), n_topics=50)
    <Judged: 8 systems, 50 topics, depth 100, grades 0, 1, 2, 3>
    """
    grades = len(model.grades)
    lists = [block.lists(grades, complete=complete) for block in blocks(model, n_topics, seed, barren)]
    code, available = zip(*lists, strict=True)
    return judged(model, np.concatenate(code, axis=1), np.concatenate(available))


def judged(model: Model, code: Codes, available: Ints) -> Judged:
    """Lists drawn from a model, with their labels."""
    names = tuple(system.name for system in model.systems)
    topics = tuple(str(FIRST_TOPIC + t) for t in range(len(available)))
    return Judged(names, topics, code, np.arange(len(model.grades) + 1.0), available, read_as="a simulation")


def blocks(
    model: Model, n_topics: int, seed: int, barren: int = 0, stream: RandomStream = RandomStream.COLLECTION
) -> Iterator[TopicBlock]:
    """All topics, block by block."""
    return over_blocks(
        lambda block: block, model, n_topics, seed, barren=barren, stream=stream, workers=1, kind="shared"
    )


def over_blocks(
    work: Callable[[TopicBlock], Result], model: Model, n_topics: int, seed: int, *,
    barren: int = 0, stream: RandomStream = RandomStream.COLLECTION, workers: int | None = None,
    kind: UnitKind = "short", progress: Callable[[float], None] | None = None,
) -> Iterator[Result]:  # fmt: skip
    """Results of `work` on blocks of topics, in order; the same for any number of workers.

    progress  called with the share that is done
    """
    check_sample(n_topics=n_topics, seed=seed, barren=barren)
    sizes = np.diff(np.append(np.arange(0, n_topics, BLOCK), n_topics))
    without = [barren]
    if len(sizes) > 1:
        without = _generator(seed, stream, len(sizes)).multivariate_hypergeometric(sizes, barren).tolist()

    def result(number: int) -> Result:
        return work(draw_block(model, _generator(seed, stream, number), int(sizes[number]), without[number]))

    def done(number: int) -> None:
        if progress is not None:
            progress((number + 1) / len(sizes))

    return map_units(result, range(len(sizes)), workers=workers, kind=kind, done=done)


def _generator(seed: int, stream: RandomStream, number: int) -> np.random.Generator:
    # the first block of a collection is drawn as numpy would from the seed alone
    key = (int(stream), number) if stream or number else ()
    return np.random.default_rng(np.random.SeedSequence(int(seed), spawn_key=key))


def draw_block(model: Model, rng: np.random.Generator, n_topics: int, barren: int) -> TopicBlock:
    """Draw topics, `barren` of them without a relevant document, and what the systems retrieve."""
    shape = n_topics, model.pool
    relevant = _relevant(model, rng, n_topics, barren)
    ease = np.exp(model.difficulty * rng.standard_normal(n_topics))
    latent = rng.standard_normal(shape)
    grade = grades_of(latent, relevant, model)
    signal = ease[:, np.newaxis] * latent
    odd = rng.random(n_topics) < model.odd if model.odd else np.zeros(n_topics, np.bool_)

    error = {family: model.shared * rng.standard_normal(shape) for family in model.families}
    ranked = np.empty((len(model.systems), n_topics, model.depth), np.int64)
    score = np.empty(ranked.shape)
    judged = np.zeros(shape, np.bool_)
    for s, system in enumerate(model.systems):
        raw = system.strength * signal
        raw[odd] *= system.on_odd
        raw += error[system.family]
        raw += system.own * rng.standard_normal(shape)
        ranked[s], score[s] = rank(raw, system.decimals, model.depth)
        np.put_along_axis(judged, ranked[s, :, : system.judged], True, axis=-1)
    return TopicBlock(grade, _assessed(model, rng, grade), judged, odd, ranked, score)


def _relevant(model: Model, rng: np.random.Generator, n_topics: int, barren: int) -> Ints:
    """(T,) relevant documents of each topic."""
    drawn = np.rint(model.relevant * model.pool * np.exp(model.relevant_spread * rng.standard_normal(n_topics)))
    relevant = np.clip(drawn, 3, max(3, model.pool // 4)).astype(np.int64)
    relevant[rng.permutation(n_topics)[:barren]] = 0
    return relevant


def grades_of(latent: Floats, relevant: Ints, model: Model) -> Ints:
    """(T, P) grades: the `relevant` documents of highest quality, the best of them with the highest grade."""
    descending = -np.sort(-latent, axis=-1)
    # as decimals, since sums such as 0.15 + 0.3 fall just short of what was meant
    share = np.round(np.cumsum(model.grades[::-1]) / np.sum(model.grades), 12)
    grade = np.zeros(latent.shape, np.int64)
    for limit in np.ceil(share * relevant[:, np.newaxis]).astype(np.int64).T:
        last = np.take_along_axis(descending, np.maximum(limit - 1, 0)[:, np.newaxis], axis=-1)
        grade += (latent >= last) & (limit > 0)[:, np.newaxis]
    return grade


def rank(raw: Floats, decimals: int, depth: int) -> tuple[Ints, Floats]:
    """Positions and rounded scores of the first `depth` documents: by score, then by position, both descending."""
    documents = raw.shape[-1]
    # score and position in one whole number: sorting those is four times as fast as sorting by two keys
    scaled = np.rint(raw * 10.0**decimals)
    assert np.abs(scaled).max() < 2**62 / documents
    key = scaled.astype(np.int64)
    key *= documents
    key += np.arange(documents)
    key.sort(axis=-1)
    score, position = np.divmod(key[:, : -depth - 1 : -1], documents)
    return position, score / 10.0**decimals


def _assessed(model: Model, rng: np.random.Generator, grade: Ints) -> Ints:
    """(T, P) grades as the judges would give them: some one too high, some one too low."""
    if not model.overrate and not model.underrate:
        return grade
    resampling = rng.random(grade.shape)
    high = (resampling < model.overrate) & (grade < len(model.grades))
    low = (resampling >= 1 - model.underrate) & (grade > 0)
    return grade + high - low
