"""Nested samples of judgments or topics, a function of seed and names alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b, sha256
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from rankscope.arguments import one_of
from rankscope.arrays import FIRST_GRADE, Bools, Ints
from rankscope.judged import Judged, Thinner
from rankscope.judged.subsets import pool_of
from rankscope.kernels import draw_keys, draws
from rankscope.studies.candidates import StudyMaterial, lists_of
from rankscope.studies.checks import MOST_SAMPLES as _ATTEMPT  # samples have their number below it, repeats above

Sampling: TypeAlias = Literal["stratified", "uniform", "labels"]
"""How a pool is sampled, topic by topic.

stratified  from each grade above 0, and from all others together, the same share: at least one document of each of the
            former and ten of the latter (Buckley and Voorhees 2004)
uniform     a share of the pool whatever the grades, drawn again until it holds a relevant document (Yilmaz and Aslam
            2006)
labels      the same, but drawn once: a topic can lose all its relevant documents (Diaz 2023)
"""

POOL_FRACTIONS = (0.9, 0.7, 0.5, 0.3, 0.1, 0.05)  # of Ferrante, Ferro and Losiouk 2020
LABEL_FRACTIONS = tuple(tenth / 10 for tenth in range(9, 0, -1))  # of Diaz 2023
FEWEST_NOT_RELEVANT = 10


def hashed(names: Sequence[str]) -> Ints:
    """63 bits of each name: draws do not depend on the order in which names came."""
    digests = (blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8).digest() for name in names)
    return (np.frombuffer(b"".join(digests), "<u8") >> np.uint64(1)).astype(np.int64)


def pool_fingerprint(thinner: Thinner) -> str:
    """A hash of which documents were judged, and where they stand in the lists: samples are drawn by their names."""
    pool = pool_of(thinner.judged)
    docs = hashed(pool.docs)
    order = np.lexsort((docs, pool.topic))
    digest = sha256()
    for array in (pool.topic[order], docs[order], pool.code[order], docs[thinner.judgment]):
        digest.update(np.ascontiguousarray(array, np.int64).tobytes())
    return digest.hexdigest()


def share(count: Any, fraction: float) -> Any:
    """The whole part of a fraction, as typed, of counts: 0.7 of 10 is 7, not 7.000000000000001 rounded up."""
    exact = Fraction(str(fraction))
    return count * exact.numerator // exact.denominator


def topics_kept(topics: Sequence[str], fraction: float, seed: int, sample: int) -> Bools:
    """(T) the topics of a sample; those of a smaller fraction are among them, and there is always one."""
    names = hashed(topics)
    draw = draws(draw_keys(seed, np.array(sample), names), 0)
    place = np.empty(len(topics), np.int64)
    place[np.lexsort((names, draw))] = np.arange(len(topics))
    return np.asarray(place < max(1, share(len(topics), fraction)), np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class PoolSampler:
    """The pool of a collection, ready to be sampled.

    topic, names, docs  (J) row of the topic of each judgment, and bits of the topic's and of the document's name
    stratum             (J) 0 for grades up to 0, else the number of the grade
    relevant            (J) grades that count as relevant in this collection
    """

    topic: Ints
    names: Ints
    docs: Ints
    stratum: Ints
    relevant: Bools
    seed: int

    @classmethod
    def of(cls, judged: Judged, seed: int) -> PoolSampler:
        pool = pool_of(judged)
        grade = judged.grades[pool.code - FIRST_GRADE]
        stratum = np.where(grade > 0, pool.code - FIRST_GRADE + 1, 0)
        names = hashed(judged.topics)[pool.topic]
        return cls(pool.topic, names, hashed(pool.docs), stratum, grade >= judged.rules.rel, seed)

    def kept(self, how: Sampling, sample: int, fractions: Sequence[float]) -> Bools:
        """(F, J) the judgments that are left at each fraction; a smaller sample is part of a larger one."""
        one_of("sampling", how, get_args(Sampling))
        if how == "stratified":
            strata = int(self.stratum.max(initial=0)) + 1
            group = np.unique(self.topic * strata + self.stratum, return_inverse=True)[1]
            fewest = np.where(self.stratum > 0, 1, FEWEST_NOT_RELEVANT)
        else:
            group, fewest = self.topic, np.full(len(self.topic), int(how == "uniform"))
        place = self._places(group, np.ones(len(group), np.bool_), sample, 0)
        count = np.bincount(group)[group] if len(group) else group
        if how == "uniform":
            self._until_relevant(place, np.maximum(share(count, min(fractions)), 1), sample)
        return np.stack([place < np.maximum(share(count, f), np.minimum(fewest, count)) for f in fractions])

    def _places(self, group: Ints, among: Bools, sample: int, attempt: int) -> Ints:
        """(J) where each judgment stands in the random order of its group, from 0; only those marked are drawn."""
        at = np.flatnonzero(among)
        draw = draws(draw_keys(self.seed, np.array(sample + attempt * _ATTEMPT), self.names[at]), self.docs[at])
        order = np.lexsort((self.docs[at], draw, group[at]))
        ordered = group[at][order]
        start = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else ordered
        place = np.zeros(len(group), np.int64)
        place[at[order]] = np.arange(len(at)) - np.repeat(start, np.diff(np.append(start, len(at))))
        return place

    def _until_relevant(self, place: Ints, wanted: Ints, sample: int) -> None:
        """Draw the topics again whose smallest sample has no relevant document, though the pool has one.

        The whole order is drawn again, so that samples stay nested.
        """
        topics = int(self.topic.max(initial=-1)) + 1
        lacking = np.zeros(topics, np.bool_)
        lacking[self.topic[self.relevant]] = True
        attempt = 0
        while True:
            lacking[self.topic[self.relevant & (place < wanted)]] = False
            if not lacking.any():
                return
            attempt += 1
            again = lacking[self.topic]
            place[again] = self._places(self.topic, again, sample, attempt)[again]


@dataclass(frozen=True, slots=True, eq=False)
class ThinnedMaterial:
    """Material on lists of which judgments are taken away, sample by sample."""

    studied: StudyMaterial
    thinner: Thinner
    sampler: PoolSampler

    @classmethod
    def of(cls, studied: StudyMaterial, seed: int) -> ThinnedMaterial:
        lists = lists_of(studied)
        return cls(studied, Thinner.of(lists), PoolSampler.of(lists, seed))

    def at(self, how: Sampling, sample: int, fractions: Sequence[float], workers: int) -> Iterator[StudyMaterial]:
        """The candidates on what is left at each fraction."""
        for kept in self.sampler.kept(how, sample, fractions):
            yield self.studied.on(self.thinner.thinned(kept), workers=workers)

    def settings(self) -> dict[str, str]:
        """Settings that samples depend on, for a manifest."""
        return {"pool": pool_fingerprint(self.thinner)}
