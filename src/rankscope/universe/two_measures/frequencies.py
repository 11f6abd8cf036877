"""Disagreement as it occurs: all pairs of systems on all topics of a collection, their lists cut and made binary.

Jones, Thomas, Scholer and Sanderson (2015) weigh all rankings alike and leave open how often each occurs, which lists
are contentious, and what normalisation does over several topics; this answers for a collection at hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import FIRST_GRADE, Bools, Floats, Ints
from rankscope.errors import InputError, plural
from rankscope.judged import Judged
from rankscope.judged.subsets import one_grade
from rankscope.layout import Block, Table
from rankscope.measures import Measure, MeasureInputs
from rankscope.measures.attainable import Places, certain_signs, dense, doubtful
from rankscope.progress import Progress, heard
from rankscope.results import records
from rankscope.universe.answers import Answered
from rankscope.universe.rankings import Universe, comparable_rankings, undefined, written
from rankscope.universe.score_ranks import Feature, complete_measures, numbers, placed
from rankscope.universe.two_measures.concordant_pairs import compared
from rankscope.universe.two_measures.disagreement import PAPER
from rankscope.universe.two_measures.features import FeatureChoice, Features, Row, named_features

DEEPEST = 62  # a list is one whole number
_ALL = 12  # depth up to which all possible rankings are compared beside those that occur
_CELLS = 1 << 22


class Contentious(NamedTuple):
    """A list, how often it occurs, and in per cent how often two measures disagree on it.

    share  of its comparisons with the other systems' lists on the topic, over all pairs of measures
    """

    ranking: str
    occurs: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frequencies(Answered):
    """Disagreement of measures on the lists of a collection; matrices are (measures, measures).

    pairs         of lists on one topic; `strict` and `either` of them are ordered differently, as in Disagreement
    possible      for comparison: per cent of the pairs of all rankings with R = k; NaN where they are too many, or one
                  of the measures cannot score them all
    system_pairs  of systems; `means_strict` and `means_either` of them are ordered differently by means over topics
    lists         all that occur, the most contentious first
    features      what separates the lists on which measures disagree, where asked for
    dropped       topics without a relevant document
    """

    measures: tuple[Measure, ...]
    depth: int
    rel: float
    n_systems: int
    n_topics: int
    dropped: int
    pairs: int
    strict: Ints
    either: Ints
    possible: Floats
    system_pairs: int
    means_strict: Ints
    means_either: Ints
    lists: tuple[Contentious, ...]
    features: Features | None = None

    @property
    def share(self) -> Floats:
        """Likelihood, in per cent, that two systems' lists on a topic make two measures disagree."""
        return 100.0 * self.either / self.pairs

    @property
    def where(self) -> str:
        """The lists that were compared, in words."""
        return (
            f"{plural(self.n_systems, 'system')} on {plural(self.n_topics, 'topic')}, lists of k = "
            f"{plural(self.depth, 'document')}, relevant from grade {self.rel:g}: {plural(self.pairs, 'pair')} of lists"
        )

    QUESTION = "How often do two measures disagree on lists that occur?"
    READING = (
        "Per cent of the pairs of lists on one topic that two measures order differently, beside all rankings.",
        "The last column counts pairs of systems that they order differently by their means over topics.",
    )

    def answer(self) -> str:
        """The two measures that disagree most on these lists."""
        if not self.either.any():
            return "In this collection the measures agree on all lists."
        first, second = np.triu_indices(len(self.measures), 1)
        most = int(np.argmax(self.either[first, second]))
        i, j = first[most], second[most]
        possible = self.possible[i, j]
        others = int((self.either[first, second] == self.either[i, j]).sum()) - 1
        also = f", and so {'does' if others == 1 else 'do'} {plural(others, 'other pair')}" if others else ""
        beside = "" if possible != possible else f" Of all possible rankings it is {possible:.2f} %."
        return (
            f"{self.measures[i]} and {self.measures[j]} disagree most{also}: they order {self.share[i, j]:.2f} % of "
            f"the pairs of lists differently.{beside}"
        )

    def short_table(self) -> tuple[list[str], list[list[str]]]:
        """The pairs of measures that disagree most first, without strict disagreement."""
        header, rows = self.table()
        kept = [0, 1, 3, 2, 5]
        ordered = sorted(rows, key=lambda row: -float(row[3]))
        return [header[i] for i in kept], [[row[i] for i in kept] for row in ordered]

    def further_blocks(self) -> list[Block]:
        """The most contentious lists, and what separates lists on which measures disagree."""
        rows = [[x.ranking, str(x.occurs), f"{x.share:.2f}"] for x in self.contentious() if x.share]
        lists = Table(["list", "occurs", "disagreement %"], rows) if rows else "The measures agree on all lists."
        blocks = [
            Block("Which lists do measures disagree on most?", [lists]),
            *super(Frequencies, self).further_blocks(),
        ]
        return blocks if self.features is None else [*blocks, *self.features.blocks("full")[1:]]

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["a", "b", "all rankings %", "lists %", "strictly %", "means of systems %"]
        columns = self.columns()
        keys = ("possible_percent", "any_percent", "strict_percent", "means_any_percent")
        cells = zip(columns["a"], columns["b"], *(columns[key] for key in keys), strict=True)
        return header, [[a, b, *("-" if x is None else f"{x:.2f}" for x in row)] for a, b, *row in cells]

    def heading(self) -> str:
        lost = f"; {plural(self.dropped, 'topic')} without a relevant document left out" if self.dropped else ""
        return f"{self.where}{lost}; {len(self.lists):,} of {2**self.depth:,} possible lists occur"

    def remarks(self) -> list[str]:
        """Measures that agree on every list and disagree on means, since they normalise differently."""
        first, second = np.triu_indices(len(self.measures), 1)
        return [
            f"{self.measures[i]} and {self.measures[j]} agree on every topic, but order {self.means_either[i, j]:,} of "
            f"{plural(self.system_pairs, 'pair')} of systems differently by their means: normalisation"
            for i, j in zip(first, second, strict=True)
            if not self.either[i, j] and self.means_either[i, j]
        ]

    def contentious(self, most: int = 10, *, least: int = 1) -> list[Contentious]:
        """The most contentious lists among those that occur at least so often."""
        return [ranking for ranking in self.lists if ranking.occurs >= least][:most]

    def columns(self) -> dict[str, list[Any]]:
        """One row per two measures."""
        first, second = np.triu_indices(len(self.measures), 1)

        def cells(matrix: Any) -> list[Any]:
            return [None if value != value else value for value in np.asarray(matrix)[first, second].tolist()]

        return {
            "a": [str(self.measures[i]) for i in first],
            "b": [str(self.measures[j]) for j in second],
            "pairs": [self.pairs] * len(first),
            "strict": cells(self.strict),
            "any": cells(self.either),
            "strict_percent": cells(100 * self.strict / self.pairs),
            "any_percent": cells(self.share),
            "possible_percent": cells(self.possible),
            "system_pairs": [self.system_pairs] * len(first),
            "means_strict": cells(self.means_strict),
            "means_any": cells(self.means_either),
            "means_any_percent": cells(100 * self.means_either / self.system_pairs),
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON; all lists that occur."""
        values: dict[str, Any] = {
            "k": self.depth,
            "rel": self.rel,
            "n_systems": self.n_systems,
            "n_topics": self.n_topics,
            "topics_without_relevant": self.dropped,
            "pairs": self.pairs,
            "possible_lists": 2**self.depth,
            "occurring_lists": len(self.lists),
            "measures": [str(m) for m in self.measures],
            "disagreement": records(self.columns()),
            "lists": [ranking._asdict() for ranking in self.lists],
            "notes": self.remarks(),
        }
        return values if self.features is None else values | {"features": self.features.to_dict()["features"]}


def frequencies(
    judged: Judged,
    measures: str | Measure | Sequence[str | Measure] = PAPER,
    *,
    depth: int = 10,
    of: FeatureChoice = (),
    progress: Progress = None,
) -> Frequencies:
    """Disagreement of measures on the lists of a collection: two systems' lists of a topic, and two systems by means.

    Lists are cut at `depth` and binary, relevant from the grade that the collection was loaded with; so are the
    measures, each with the topic's own number of relevant documents. Whatever is not relevant counts as judged so.

    of        features by name or function, as in `features`; none by default
    progress  hears which share of the topics is done, as in `progress=Bar()`
    """
    whole_number("depth", depth, 1, DEEPEST)
    one_grade(judged)
    named = complete_measures(measures, depth)
    cut = tuple(dict.fromkeys(m if m.cutoff is not None else m.at_depth(depth) for m in named))
    if len(cut) < 2:
        raise InputError(f"{len(cut)} measure: nothing can disagree with it", "give at least two")
    if len(judged.systems) < 2:
        raise InputError(f"{len(judged.systems)} system: no two lists can be compared", "give at least two runs")
    by_name = named_features(of)
    least = FIRST_GRADE + int(np.searchsorted(judged.grades, judged.rules.rel))
    relevant = judged.available[:, least - FIRST_GRADE :].sum(axis=1)
    kept = np.flatnonzero(relevant > 0)
    if not len(kept):
        raise InputError("no topic has a relevant document", "there is nothing to measure")
    hit = np.zeros((len(judged.systems), len(kept), depth), np.bool_)
    code = judged.code[:, kept, :depth]
    hit[..., : code.shape[-1]] = code >= least
    present = np.ones(hit.shape[:2], np.bool_) if judged.rules.missing == "zero" else judged.retrieved[:, kept] > 0
    lists = _OccurringLists(hit, relevant[kept], present, depth)
    score = np.stack([lists.scores(m) for m in cut])
    place = np.stack([lists.places(values, str(m)) for values, m in zip(score, cut, strict=True)])
    rows = lists.places_of_features(by_name)
    pairs, strict, either, contested, compared_with, featured = _all_pairs(place, present, rows, progress)
    if not pairs:
        raise InputError("no topic has lists of two systems", "there is nothing to compare")
    means_strict, means_either = _means(score[:, lists.which], present, cut, depth)
    count = len(judged.systems)
    result = Frequencies(
        measures=cut,
        depth=depth,
        rel=judged.rules.rel,
        n_systems=count,
        n_topics=len(kept),
        dropped=len(judged.topics) - len(kept),
        pairs=pairs,
        strict=strict,
        either=either,
        possible=_possible(cut, depth),
        system_pairs=count * (count - 1) // 2,
        means_strict=means_strict,
        means_either=means_either,
        lists=_contentious(lists, contested, compared_with, len(cut)),
    )
    if not by_name:
        return result
    table = tuple(
        Row(str(cut[i]), str(cut[j]), name, int(either[i, j]), *(int(n) for n in featured[name][i, j]))
        for i, j in combinations(range(len(cut)), 2)
        for name in by_name
    )
    return replace(result, features=Features(where=result.where, rows=table))


class _OccurringLists:
    """The lists of a collection, each that occurs with a number of relevant documents once.

    which    (S, T) row of each list in `rows` (lists, k), whose topics have `total` relevant documents
    present  (S, T) whether the system has a list on the topic
    """

    def __init__(self, hit: Bools, relevant: Ints, present: Bools, depth: int) -> None:
        self.depth, self.present = depth, present
        number = hit @ (1 << np.arange(depth - 1, -1, -1, dtype=np.int64))
        both = np.stack([np.broadcast_to(relevant, number.shape), number], axis=-1).reshape(-1, 2)
        known, which = np.unique(both, axis=0, return_inverse=True)
        self.total, self.number = known[:, 0], known[:, 1]
        self.which = which.reshape(number.shape)
        self.rows = (self.number[:, None] >> np.arange(depth - 1, -1, -1) & 1).astype(np.uint8)

    def scores(self, measure: Measure) -> Floats:
        """(lists) scores."""
        pool = np.stack([np.full_like(self.total, self.depth), self.total], axis=-1)
        values = measure.compute(MeasureInputs(self.rows + np.uint8(FIRST_GRADE), np.array([0.0, 1.0]), pool))
        return self._known(values, str(measure), "score")

    def _known(self, values: Floats, what: str, of: str) -> Floats:
        """The values, if all are numbers."""
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            examples = [f"{written(self.rows[at])} (R = {self.total[at]})" for at in wrong[:5]]
            raise InputError(undefined(what, examples, len(wrong), f"{len(values)} lists that occur",
                                       "leave it out", of))  # fmt: skip
        return values

    def places(self, values: Floats, what: str) -> Places:
        """(S, T) places among the lists of topics with as many relevant documents."""
        place = np.empty(len(values), np.int32)
        for total in np.unique(self.total):
            here = self.total == total
            place[here] = dense(values[here], self.depth, what)[0]
        return place[self.which]

    def places_of_features(self, features: Mapping[str, Feature]) -> dict[str, Places]:
        """(S, T) places by each feature."""
        places = {}
        for name, feature in features.items():
            what = f"feature {name}"
            values = self._known(numbers(feature(self.rows), name, len(self.rows)), what, "number")
            places[name] = dense(values, self.depth, what)[0][self.which]
        return places


def _all_pairs(
    place: Any, present: Bools, features: Mapping[str, Places], progress: Progress
) -> tuple[int, Ints, Ints, Ints, Ints, dict[str, Ints]]:
    """All pairs of systems on all topics.

    Gives the number of pairs, those that two measures order differently, strictly and with ties, by list (S, T) the
    disagreements of all pairs of measures and the lists it is compared with, and by feature and two measures how
    many of the disagreements the first, the second and none decides by it.
    """
    count, systems, topics = place.shape
    strict, either = np.zeros((count, count), np.int64), np.zeros((count, count), np.int64)
    contested, compared_with = np.zeros((systems, topics), np.int64), np.zeros((systems, topics), np.int64)
    featured = {name: np.zeros((count, count, 3), np.int64) for name in features}
    pairs = 0
    step = max(1, _CELLS // (systems * systems))
    starts = range(0, topics, step)
    for start in heard(iter(starts), len(starts), progress):
        here = slice(start, start + step)
        both = present[:, None, here] & present[None, :, here]
        both[np.arange(systems), np.arange(systems)] = False
        pairs += int(np.count_nonzero(both)) // 2
        compared_with[:, here] = np.count_nonzero(both, axis=1)
        sign = [_sign(by_measure[:, here]) for by_measure in place]
        by = {name: _sign(by_feature[:, here]) for name, by_feature in features.items()}
        for i, j in combinations(range(count), 2):
            apart = (sign[i] != sign[j]) & both
            contested[:, here] += np.count_nonzero(apart, axis=1)
            either[i, j] += np.count_nonzero(apart) // 2
            strict[i, j] += np.count_nonzero((sign[i] * sign[j] < 0) & both) // 2
            for name, more in by.items():
                decides = [(more != 0) & (more == sign[i]), (more != 0) & (more == sign[j]), more == 0]
                featured[name][i, j] += [np.count_nonzero(apart & decided) // 2 for decided in decides]
    return pairs, strict + strict.T, either + either.T, contested, compared_with, featured


def _sign(place: Any) -> Any:
    """(S, S, T) whether the first list is placed above the second."""
    return (place[:, None] > place[None]).astype(np.int8) - (place[:, None] < place[None])


def _means(score: Any, present: Bools, measures: Sequence[Measure], depth: int) -> tuple[Ints, Ints]:
    """Pairs of systems that two measures order differently by means over topics: strictly, and with ties."""
    counted = np.maximum(1, np.count_nonzero(present, axis=1))
    mean = np.where(present, score, 0.0).sum(axis=2) / counted
    first, second = np.triu_indices(mean.shape[1], 1)
    signs = []
    for values, measure in zip(mean, measures, strict=True):
        size = float(np.abs(values).max(initial=0.0))
        sign, doubt = certain_signs(values[first] - values[second], size, depth + score.shape[2])
        if doubt.any():
            at = int(doubt.argmax())
            cure = "leave the measure out"
            raise doubtful(f"means by {measure}", float(values[first[at]]), float(values[second[at]]), cure)
        signs.append(sign)
    count = len(measures)
    strict, either = np.zeros((count, count), np.int64), np.zeros((count, count), np.int64)
    for i, j in combinations(range(count), 2):
        strict[i, j] = strict[j, i] = np.count_nonzero(signs[i] * signs[j] < 0)
        either[i, j] = either[j, i] = np.count_nonzero(signs[i] != signs[j])
    return strict, either


def _contentious(
    lists: _OccurringLists, contested: Ints, compared_with: Ints, measures: int
) -> tuple[Contentious, ...]:
    number = lists.number[lists.which][lists.present]
    known, at = np.unique(number, return_inverse=True)
    occurs = np.bincount(at)
    apart = np.bincount(at, weights=contested[lists.present])
    of = np.bincount(at, weights=compared_with[lists.present]) * (measures * (measures - 1) // 2)
    share = 100 * apart / np.maximum(of, 1)
    order = np.lexsort((-known, -occurs, -share))
    return tuple(Contentious(format(int(known[i]), f"0{lists.depth}b"), int(occurs[i]), float(share[i])) for i in order)


def _possible(measures: Sequence[Measure], depth: int) -> Floats:
    share = np.full((len(measures), len(measures)), np.nan)
    if not 2 <= depth <= _ALL:
        return share
    universe = comparable_rankings(depth)
    np.fill_diagonal(share, 0.0)
    for (i, a), (j, b) in combinations(enumerate([_placed(universe, measure) for measure in measures]), 2):
        if a is not None and b is not None:
            share[i, j] = share[j, i] = 100 * compared(a, b).differ / universe.pairs
    return share


def _placed(universe: Universe, measure: Measure) -> Places | None:
    """Places of all rankings; none where a measure has no score for some, of a kind that need not occur."""
    try:
        return placed(universe, [measure]).measures[0]
    except InputError:
        return None
