"""Collections whose lists are compared pair by pair: topics that count, and signs of preferences."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arguments import whole_number
from rankscope.arrays import FIRST_GRADE, PADDING, Floats
from rankscope.errors import InputError, plural, warn
from rankscope.judged import Judged, Pooled, with_topics


def comparable(judged: Judged, *, n_systems: int = 2, n_topics: int = 1) -> Judged:
    """The collection on the topics that have a relevant document, and a list in each run where missing="drop".

    From here on a topic counts for every method, even where judgments are taken away until none is relevant. How many
    were left out, is said in one DataWarning.
    """
    if len(judged.systems) < n_systems:
        count = len(judged.systems)
        raise InputError(plural(count, "system"), f"this study needs at least {n_systems}")
    kept = judged.available[:, relevant_code(judged) - FIRST_GRADE :].sum(axis=1) > 0
    if judged.rules.missing == "drop":
        kept &= (judged.code[..., :1] != PADDING).all(axis=(0, 2))
    if np.count_nonzero(kept) < n_topics:
        raise InputError(
            f"topics with a relevant document (grade {judged.rules.rel:g} or more): {np.count_nonzero(kept)}",
            f"this study needs at least {n_topics}",
        )
    if not kept.all():
        sentence = f"topics without relevant documents or lists, left out: {np.count_nonzero(~kept):,} of {len(kept):,}"
        warn(sentence, stacklevel=3)
    chosen = judged if kept.all() else with_topics(judged, np.flatnonzero(kept))
    return replace(chosen, rules=replace(judged.rules, undefined="zero", missing="zero"))


def with_depth(judged: Judged, depth: int | None) -> Judged:
    """The same lists down to a depth; all of them where it is None or deeper."""
    if depth is None:
        return judged
    whole_number("depth", depth, otherwise="None")
    documents = judged.documents
    if documents is not None:
        documents = replace(documents, number=documents.number[..., :depth])
    return replace(judged, code=np.ascontiguousarray(judged.code[..., :depth]), documents=documents, extremes=None)


def relevant_code(judged: Judged) -> int:
    """The lowest code that counts as relevant in this collection."""
    return FIRST_GRADE + int(np.searchsorted(judged.grades, judged.rules.rel))


def one_grade(judged: Judged) -> Judged:
    """The same lists with all relevant grades as one."""
    first = relevant_code(judged)
    code = np.where(judged.code >= first, FIRST_GRADE + 1, np.minimum(judged.code, FIRST_GRADE))
    at = first - FIRST_GRADE
    available = np.stack([judged.available[:, :at].sum(axis=1), judged.available[:, at:].sum(axis=1)], axis=1)
    documents = judged.documents
    if documents is not None:
        pool = documents.pool
        graded = np.where(pool.code >= first, FIRST_GRADE + 1, FIRST_GRADE).astype(pool.code.dtype)
        documents = replace(documents, pool=Pooled(pool.topic, pool.docs, graded))
    return replace(
        judged, code=code.astype(judged.code.dtype), grades=np.array([0.0, 1.0]), available=available,
        documents=documents, rules=replace(judged.rules, rel=1), extremes=None,
    )  # fmt: skip


def facts(judged: Judged, base: Judged) -> dict[str, Any]:
    """Settings that the numbers of a study of these lists depend on, for its manifest."""
    return {
        "n_systems": len(base.systems),
        "n_topics": len(base.topics),
        "left_out": len(judged.topics) - len(base.topics),
        "relevant_from": float(base.rules.rel),
        "data": fingerprint_of_lists(base),
    }


def fingerprint_of_lists(judged: Judged) -> str:
    """A hash of names, rules, grades and lists."""
    hashed = sha256(repr((judged.systems, judged.topics, judged.rules)).encode("utf-8", "backslashreplace"))
    for array in (judged.code, judged.grades, judged.available):
        hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()


def mean_signs(values: Floats, errors: Floats) -> NDArray[np.int8]:
    """Signs of the means over the last axis of values that are known to within the errors, 0 where these explain it."""
    total, near = values.sum(axis=-1), errors.sum(axis=-1)
    sign: NDArray[np.int8] = (total > near).astype(np.int8) - (total < -near).astype(np.int8)
    return sign


def alike(sign: NDArray[np.int8], truth: NDArray[np.int8]) -> float:
    """Share of what the truth does not tie that has the same sign; NaN where it ties everything."""
    decided = truth != 0
    count = np.count_nonzero(decided)
    return float(np.count_nonzero((sign == truth) & decided) / count) if count else np.nan
