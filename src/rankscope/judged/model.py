"""The one data structure that measures and preferences see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankscope.arguments import at_once, number, one_of, whole_number
from rankscope.arrays import FIRST_GRADE, PADDING, Codes, Floats, Ints
from rankscope.errors import InputError, did_you_mean, plural
from rankscope.judged.subtopics import Subtopics
from rankscope.kernels import Order, TieOrder

TieRule: TypeAlias = Literal["trec", "rank", "file", "best", "worst"]
ScoreType: TypeAlias = Literal["float64", "float32"]
Missing: TypeAlias = Literal["zero", "drop"]
Undefined: TypeAlias = Literal["drop", "zero"]
Duplicates: TypeAlias = Literal["error", "first"]
Unjudged: TypeAlias = Literal["keep", "condensed"]
ALL_RANKS = 2**62
_DEEPEST = 10**9  # no list is longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules of loading: all choices that can change a number. The defaults are those of decisions/.

    ties         who goes first among equal scores: "trec" (document id, descending), "rank" (rank column),
                 "file" (earlier line), "best" and "worst" (most and least favourable grade first)
    score_dtype  "float64" as trec_eval 10 compares scores, "float32" as trec_eval 9 did
    depth        how many documents of a list count; None for all
    rel          the lowest grade that counts as relevant where a measure does not say
    missing      a judged topic that a run lacks: "zero" scores it as an empty list, "drop" leaves it out
    undefined    a topic where a measure has nothing to measure: "drop" leaves it out, "zero" scores 0
    duplicates   a document twice in a topic: "error", or keep the "first"
    unjudged     "keep" unjudged documents, which count as not relevant; "condensed" takes them out of the lists, and
                 those with a negative grade as well, as trec_eval -J does (Sakai 2007)
    documented   whether `rel` is the threshold that the data set documents, not one that the user chose
    data_set     name and documented threshold of the data set, where it is known
    """

    ties: TieRule = "trec"
    score_dtype: ScoreType = "float64"
    depth: int | None = None
    rel: float = 1
    missing: Missing = "zero"
    undefined: Undefined = "drop"
    duplicates: Duplicates = "error"
    unjudged: Unjudged = "keep"
    documented: bool = False
    data_set: tuple[str, float] | None = None

    def __post_init__(self) -> None:
        allowed = {
            "ties": TieRule, "score_dtype": ScoreType, "missing": Missing, "undefined": Undefined,
            "duplicates": Duplicates, "unjudged": Unjudged,
        }  # fmt: skip
        at_once(
            *(lambda n=n, c=c: one_of(n, getattr(self, n), get_args(c)) for n, c in allowed.items()),
            lambda: self.depth is None or whole_number("depth", self.depth, 1, _DEEPEST, otherwise="None for all"),
            lambda: number("rel", self.rel),
        )
        if self.rel == int(self.rel):
            object.__setattr__(self, "rel", int(self.rel))

    def order(self, grades: Floats, *, docs: int = 0, extremes: bool = False, apart: bool = False) -> Order:
        """These rules as the kernels want them, for judgments with these grades."""
        depth = ALL_RANKS if self.depth is None else int(self.depth)
        ties = TieOrder[self.ties.upper()]
        single, first = self.score_dtype == "float32", self.duplicates == "first"
        least = FIRST_GRADE + int(np.searchsorted(grades, 0)) if self.unjudged == "condensed" else 0
        return Order(ties, single, first, depth, len(grades) > 254, docs, extremes, apart, least)

    def signature(self) -> list[str]:
        """The part of a signature that these rules answer for; what is at its default and rarely asked is left out."""
        parts = [f"ties:{self.ties}"]
        if self.score_dtype != "float64":
            parts.append(f"scores:{self.score_dtype}")
        if self.depth is not None:
            parts.append(f"depth:{self.depth}")
        if self.duplicates != "error":
            parts.append(f"duplicates:{self.duplicates}")
        if self.unjudged != "keep":
            parts.append(f"unjudged:{self.unjudged}")
        parts.append(f"missing:{'0' if self.missing == 'zero' else 'drop'}")
        parts.append(f"undefined:{'0' if self.undefined == 'zero' else 'drop'}")
        return parts


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """All judgments, those of documents that no run retrieved included: a topic's row, a document and its code."""

    topic: Ints
    docs: Sequence[str]
    code: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Documents at each rank, or at the first ranks: `number` (S, T, K) into `ids`, -1 for padding; and all judged."""

    ids: Sequence[str]
    number: NDArray[np.int32]
    pool: Pooled


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Grades by system, topic and rank. Read-only arrays, every axis labelled.

    code       (S, T, K) PADDING, UNJUDGED, or FIRST_GRADE + index into grades
    grades     the distinct judged grades, ascending
    available  (T, G) judged documents of each grade
    rules      how the lists were made
    notes      what was left out, filled or skipped on the way
    read_as    in which formats judgments and runs came
    documents  which document stands at each rank, where `keep_docs=True` asked for it
    ignored    how many topics of a run have no judgments, for systems that have such topics
    comments   comment lines of files by the name of the file, as of ir_metadata
    subtopics  grades by subtopic of the documents in the lists, where the judgments have subtopics; then the grade in
               `code` is a document's highest
    extremes   code with tied documents in their most and in their least favourable order, where `keep_ties=True`
               asked for them
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    code: Codes
    grades: Floats
    available: Ints
    rules: Rules = field(default_factory=Rules)
    notes: tuple[str, ...] = ()
    read_as: str = ""
    documents: Documents | None = None
    ignored: Mapping[str, int] = field(default_factory=dict)
    extremes: tuple[Codes, Codes] | None = None
    comments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    subtopics: Subtopics | None = None

    def __post_init__(self) -> None:
        for array in (self.code, self.grades, self.available, *(self.extremes or ())):
            array.setflags(write=False)

    def known_documents(self, depth: int | None = None) -> Documents:
        """Documents at each rank down to `depth`, None for all; an error where they were not kept."""
        ranks = self.code.shape[-1]
        if self.documents is None:
            raise InputError("which documents stand at which rank is not known", "load with keep_docs=True")
        if (kept := self.documents.number.shape[-1]) < min(ranks, ranks if depth is None else depth):
            raise InputError(f"documents were kept down to rank {kept}", "load with keep_docs=True")
        return self.documents

    def with_ties(self, ties: Literal["best", "worst"]) -> Judged:
        """The lists as `load(ties=...)` orders them, where `keep_ties=True` was asked for."""
        if self.extremes is None:
            raise InputError("other orders of tied documents are not known", "load the runs with keep_ties=True")
        code = self.extremes[ties == "worst"]
        subtopics = None if self.subtopics is None else self.subtopics.with_ties(ties == "best")
        rules = replace(self.rules, ties=ties)
        return replace(self, code=code, rules=rules, documents=None, extremes=None, subtopics=subtopics)

    @property
    def retrieved(self) -> Ints:
        """(S, T) documents in each list."""
        return np.count_nonzero(self.code != PADDING, axis=-1)

    def system(self, name: str) -> int:
        """Row of a system, by name."""
        try:
            return self.systems.index(name)
        except ValueError:
            raise InputError(f"no system is named {name!r}", did_you_mean(name, self.systems)) from None

    def __repr__(self) -> str:
        s, t, k = self.code.shape
        grades = ", ".join(f"{g:g}" for g in self.grades[:8])
        return f"<Judged: {plural(s, 'system')}, {plural(t, 'topic')}, depth {k:,}, grades {grades}>"
