"""A seeded generator of test collections whose truth is known."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FAMILIES: Mapping[str, Sequence[float]] = MappingProxyType(
    {"lexical": (0.68, 0.78, 0.88), "dense": (0.82, 1.0, 1.2), "hybrid": (1.05, 1.25)}
)

FIRST_TOPIC = 101
COARSE, FINE = 1, 3  # decimals of the first system's scores, and of all others


@dataclass(frozen=True, slots=True)
class Collection:
    """Judgments, runs, and the truth they were drawn from."""

    judgments: dict[str, dict[str, int]]  # topic -> document -> grade
    runs: dict[str, dict[str, dict[str, float]]]  # system -> topic -> document -> score, best first
    strength: dict[str, float]  # system -> its true strength
    family: dict[str, str]  # system -> its family


def simulate(
    *,
    seed: int = 1,
    topics: int = 50,
    families: Mapping[str, Sequence[float]] = FAMILIES,
    depth: int = 100,
    pool: int = 300,
    judged: int = 20,
    barren: int = 1,
    shared: float = 0.7,
    own: float = 0.5,
) -> Collection:
    """Draw a collection: `families` maps each family to the strengths of its systems.

    This is a simulation; no person judged anything and there is no text. What is modelled:

    - A topic has `pool` candidate documents, each with a latent quality, standard normal.
    - A topic has its own number of relevant documents, at least 3: those of highest latent quality, with
      grades 1 to 3. In `barren` topics, chosen at random, every document has grade 0.
    - A topic has its own difficulty: the factor `ease`, log-normal with median 1, on the latent quality.
    - A system's score for a document is strength * ease * latent + shared * f + own * e. The noise f is drawn once
      for each family and document, so systems of one family make similar errors; e is drawn for each system. Both
      are standard normal.
    - Scores are rounded, to one decimal for the first system and to three for the others, so some are tied. Ties
      fall by document id, descending; a run keeps the first `depth` documents of a topic.
    - The first `judged` documents of every system are judged, and no others. Relevant documents may be unjudged.

    Two systems of equal strength are equally good in expectation, down to rank `judged` and but for the rounding:
    this makes a null hypothesis that holds. Deeper down, a system of a larger family has more documents judged.
    With `shared=0` all errors are independent.

    What is not modelled: assessors who err or disagree, documents that are candidates of several topics, near
    duplicates, systems that fail on a kind of topic, systems kept out of the pool, and scores on different scales.

    The result depends on the arguments alone.
    """
    _check(families, topics=topics, depth=depth, pool=pool, judged=judged, barren=barren)
    rng = np.random.default_rng(seed)
    grade, signal = _draw_topics(rng, topics, pool, barren)
    systems = [(f"{name}-{i}", name, float(s)) for name in families for i, s in enumerate(families[name], start=1)]
    strength = {system: value for system, _, value in systems}
    family = {system: name for system, name, _ in systems}

    error = {name: shared * rng.standard_normal((topics, pool)) for name in families}
    score = np.stack(
        [
            strength[system] * signal + error[family[system]] + own * rng.standard_normal((topics, pool))
            for system in family
        ]
    )
    score = _rounded(score)
    order = _order(score)[..., :depth]
    ids = _ids(topics, pool)
    return Collection(
        judgments=_judgments(grade, order[..., :judged], ids),
        runs={system: _run(score[s], order[s], ids) for s, system in enumerate(family)},
        strength=strength,
        family=family,
    )


def _check(
    families: Mapping[str, Sequence[float]], *, topics: int, depth: int, pool: int, judged: int, barren: int
) -> None:
    """Refuse arguments that describe no collection."""
    if topics < 1:
        raise ValueError(f"topics must be at least 1, got {topics}")
    if not 1 <= depth <= pool:
        raise ValueError(f"depth must be from 1 to pool ({pool}), got {depth}")
    if not 1 <= judged <= depth:
        raise ValueError(f"judged must be from 1 to depth ({depth}), got {judged}")
    if not 0 <= barren <= topics:
        raise ValueError(f"barren must be from 0 to topics ({topics}), got {barren}")
    if not any(map(len, families.values())):
        raise ValueError("families must hold at least one system")
    for name, strengths in families.items():
        # the name becomes part of a file name and of a line whose fields are split at spaces
        if not re.fullmatch(r"\w[\w.-]*", name):
            raise ValueError(f"a family's name must be letters, digits, '_', '.' and '-', got {name!r}")
        if not np.isfinite(list(strengths)).all():
            raise ValueError(f"strengths must be finite, got {list(strengths)} for {name!r}")


def _draw_topics(rng: np.random.Generator, topics: int, pool: int, barren: int) -> tuple[Integers, Floats]:
    """Draw true grades and ease * latent quality, both (topics, pool)."""
    relevant = np.rint(0.06 * pool * np.exp(0.6 * rng.standard_normal(topics)))
    relevant = np.clip(relevant, 3, max(3, pool // 4))
    relevant[rng.permutation(topics)[:barren]] = 0
    ease = np.exp(0.35 * rng.standard_normal(topics))
    latent = rng.standard_normal((topics, pool))
    return _grades(latent, relevant), ease[:, np.newaxis] * latent


def _grades(latent: Floats, relevant: Floats) -> Integers:
    """Grade the `relevant` documents of highest quality: about 15% get grade 3, 30% grade 2, the rest grade 1."""
    place = np.argsort(np.argsort(-latent, axis=1), axis=1)
    limits = [np.ceil(share * relevant)[:, np.newaxis] for share in (0.15, 0.45, 1.0)]
    grade: Integers = np.sum([place < limit for limit in limits], axis=0, dtype=np.int64)
    return grade


def _rounded(score: Floats) -> Floats:
    """Round the first system's scores coarsely, the others' finely."""
    rounded = np.concatenate([np.round(score[:1], COARSE), np.round(score[1:], FINE)])
    return rounded + 0.0  # turns -0.0 into 0.0, which is written without a sign


def _order(score: Floats) -> Integers:
    """Document positions by score, then by id, both descending."""
    position = np.broadcast_to(np.arange(score.shape[-1]), score.shape)
    return np.lexsort((-position, -score), axis=-1)


def _ids(topics: int, pool: int) -> dict[str, list[str]]:
    """Topic ids, each with the ids of its candidate documents, ascending."""
    # one width for all, so that ids sort as bytes the way their numbers do
    width = max(5, len(str(topics * pool - 1)))
    return {str(FIRST_TOPIC + t): [f"d{n:0{width}d}" for n in range(t * pool, (t + 1) * pool)] for t in range(topics)}


def _judgments(grade: Integers, top: Integers, ids: dict[str, list[str]]) -> dict[str, dict[str, int]]:
    """Grades of the documents some system has in its top, (systems, topics, judged) positions."""
    return {
        topic: {docs[d]: int(grade[t, d]) for d in np.unique(top[:, t])} for t, (topic, docs) in enumerate(ids.items())
    }


def _run(score: Floats, order: Integers, ids: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """One system's ranked documents with their scores, best first."""
    return {topic: {docs[d]: float(score[t, d]) for d in order[t]} for t, (topic, docs) in enumerate(ids.items())}
