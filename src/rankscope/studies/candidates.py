"""Candidates of a study: metrics and preference methods on the same systems and topics.

Topics and systems stand in the order of their names, and resamples are drawn by position. So all candidates share
their splits and permutations, whatever other candidates there are and in whatever order files came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError, Problem, argument, plural, quietly, warn
from rankscope.io.score_tables import read_scores
from rankscope.judged import Judged
from rankscope.judged.subsets import with_topics
from rankscope.measures import Measure, Scores, evaluate
from rankscope.measures import measure as named
from rankscope.measures.cwla.metric import Metric
from rankscope.measures.cwla.paper import SHORT
from rankscope.measures.exact import dense_ranks
from rankscope.measures.names import several
from rankscope.measures.scores import signed
from rankscope.parallel import check_workers
from rankscope.preferences import Preferences, all_pairs
from rankscope.preferences.all_pairs import Method
from rankscope.statistics.equality import difference, error
from rankscope.statistics.families.comparisons import pairs_of
from rankscope.studies.preference_lists import comparable, fingerprint_of_lists

Source: TypeAlias = Judged | Scores | Mapping[str, Any]
Measures: TypeAlias = str | Measure | Iterable[str | Measure] | Mapping[str, str | Measure]

_GUARD = 32  # errors of a difference beyond which it has the sign that doubles give it
UNDEFINED = 0.5  # the share of topics a candidate may lack: beyond it, the others would be studied on a minority


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """A metric, or a method that compares lists without one.

    value        (T, S) scores; of a method, the mean preference over all other systems
    signature    of its scores, in `StudyMaterial` with the number of topics studied
    record       the measure, where it is known
    preferences  (P, T) preferences, positive for the second system of each pair; None for a metric
    """

    name: str
    value: Floats
    signature: str
    record: Measure | None = None
    preferences: Floats | None = None

    def differences(self) -> Floats:
        """(P, T) second - first system of each pair on each topic; 0 where equal on paper."""
        return self.known_differences()[0]

    def known_differences(self) -> tuple[Floats, Floats]:
        """`differences`, and how far each may be from what it is on paper."""
        if self.preferences is not None:
            return self.preferences, error(self.preferences)
        first, second = pairs_of(self.value.shape[1])
        columns = np.ascontiguousarray(self.value.T)
        return difference(columns[first], columns[second])

    @property
    def signs(self) -> bool:
        """Whether this is a method that says only who is preferred, not by how much."""
        return self.preferences is not None and bool(np.isin(self.preferences, (-1.0, 0.0, 1.0)).all())

    def square(self) -> Floats:
        """(T, S, S) preferences [t, i, j] on topic t, positive for j."""
        count = self.value.shape[1]
        first, second = pairs_of(count)
        square = np.zeros((len(self.value), count, count))
        square[:, first, second] = self.differences().T
        square[:, second, first] = -self.differences().T
        return square


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyMaterial:
    """Candidates on the topics where each of them is defined for every system; topics and systems by name.

    left_out  topics that some candidate has no score for
    judged    the lists behind the scores, where there are any
    notes     what was left out, in words
    labels, methods, depth  measures by label, methods and depth that the candidates were made from: see `on`
    lists     a hash of the lists, where numbers depend on more of them than their scores
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    left_out: tuple[str, ...]
    judged: Judged | None
    notes: tuple[str, ...]
    labels: Mapping[str, Measure] = field(default_factory=dict)
    methods: tuple[Method, ...] = ()
    depth: int | None = None
    lists: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates' names."""
        return tuple(candidate.name for candidate in self.candidates)

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """First and second system of every pair."""
        return pairs_of(len(self.systems))

    @property
    def records(self) -> dict[str, Measure]:
        """The candidates that are measures, as they are computed."""
        return {candidate.name: candidate.record for candidate in self.candidates if candidate.record is not None}

    def on(self, judged: Judged, *, workers: int | None = None) -> StudyMaterial:
        """The same candidates on other lists."""
        return material(judged, self.labels, self.methods, depth=self.depth, workers=workers)

    def of(self, name: str) -> Candidate:
        """A candidate by name."""
        return self.candidates[self.names.index(name)]

    def exact_scores(self, candidate: Candidate, rows: Ints | None = None) -> Any:
        """(T, S) scores as whole numbers and fractions, None where the candidate has none; of all topics or of some."""
        if self.judged is None or candidate.record is None or candidate.record.exact is None:
            return None
        systems, topics = _places(self.judged.systems, self.judged.topics, self.systems, self.topics)
        at = np.array(topics, np.int64)
        try:
            scores = candidate.record.exact_scores(with_topics(self.judged, at if rows is None else at[rows]))
        except InputError:  # some grades have no exact form, as fractions in 2^grade
            return None
        return scores[systems].T

    def preferred(self, candidate: Candidate) -> NDArray[np.int8]:
        """(P, T) 1 where the list of a pair's second system is better, -1 where that of its first, 0 where they tie.

        By exact scores where the metric has them and doubles are close: RBP(p=0.2) tells lists apart that differ at
        rank 30, doubles do not.
        """
        apart, errors = candidate.known_differences()
        signs = np.sign(apart).astype(np.int8)
        near = np.flatnonzero((np.abs(apart) <= _GUARD * errors).any(axis=0))
        if near.size and (scores := self.exact_scores(candidate, near)) is not None:
            (first, second), place = self.pairs, dense_ranks(scores.T)
            signs[:, near] = np.sign(place[second] - place[first])
        return signs

    def fingerprint(self) -> str:
        """A hash of all scores and names: the same for the same material."""
        hashed = sha256()
        for names in (self.systems, self.topics, self.names):
            hashed.update(repr(names).encode("utf-8", "backslashreplace"))
        for candidate in self.candidates:
            for array in (candidate.value, candidate.preferences):
                if array is not None:
                    hashed.update(np.ascontiguousarray(array, np.float64).tobytes())
        return hashed.hexdigest()

    def settings(self) -> dict[str, Any]:
        """Settings that a study's numbers depend on, for its manifest."""
        return {
            "candidates": {candidate.name: candidate.signature for candidate in self.candidates},
            "n_systems": len(self.systems),
            "n_topics": len(self.topics),
            "left_out": len(self.left_out),
            **({} if self.judged is None else {"relevant_from": float(self.judged.rules.rel)}),
            "data": self.lists or self.fingerprint(),
        }


def material(
    source: Source | StudyMaterial,
    measures: Measures | None = None,
    methods: Method | Sequence[Method] = (),
    *,
    depth: int | None = None,
    alone: bool = False,
    workers: int | None = None,
) -> StudyMaterial:
    """Score whatever is to be studied.

    source   lists (`load`), scores (`evaluate`), or {measure: scores}, each as `read_scores` reads them; what was
             prepared by this function stays as it is
    measures  names; or {label: name}, the label to be shown; all there are where scores are given
    methods  "ipso", "sgnLP", "rrLP", "lexirecall", "rpp": these need lists
    depth    how deep lists are looked at by measures and methods that name no cutoff
    alone    whether one system will do; a study that compares needs two
    """
    if isinstance(source, StudyMaterial):
        _check_systems(source.systems, alone)
        return source
    check_workers(workers)
    named_methods: tuple[Method, ...] = (methods,) if isinstance(methods, str) else tuple(methods)
    if isinstance(source, Judged):
        wanted = labelled(measures)
        _check_systems(source.systems, alone)
        scored = _from_judged(source, labelled(wanted, depth), named_methods, depth, workers)
        shared = _shared(*scored, source)
        return replace(shared, labels=wanted, methods=named_methods, depth=depth)
    if named_methods:
        raise InputError(f"{', '.join(named_methods)} of scores", "methods compare lists: give what `load` returns")
    if isinstance(source, Scores):
        return _shared(*_from_scores(source, measures), None)
    if isinstance(source, Mapping):
        return _shared(*_from_tables(source, measures), None)
    raise InputError(
        f"a study of a {type(source).__name__}", "give lists (load), scores (evaluate), or {measure: scores}"
    )


def material_of_lists(
    source: Source | StudyMaterial,
    measures: Measures | None = None,
    methods: Method | Sequence[Method] = (),
    *,
    depth: int | None = None,
    n_topics: int = 1,
    workers: int | None = None,
) -> StudyMaterial:
    """`material` on all topics that have a relevant document: for studies that change or compare lists.

    source    lists, or the material of lists, whose candidates are scored anew
    n_topics  how many such topics a study needs
    """
    judged, measures, methods, depth = asked_of(source, measures, methods, depth)
    base = comparable(judged, n_topics=n_topics)
    with quietly():
        studied = material(base, measures, methods, depth=depth, workers=workers)
    left_out = tuple(sorted({*judged.topics} - {*base.topics}))
    return replace(studied, left_out=left_out, lists=fingerprint_of_lists(base))


def asked_of(
    source: Source | StudyMaterial, measures: Measures | None, methods: Method | Sequence[Method], depth: int | None
) -> tuple[Judged, Measures | None, Method | Sequence[Method], int | None]:
    """Lists, measures, methods and depth; all of them from the material, where the source is one."""
    if isinstance(source, StudyMaterial):
        return lists_of(source), source.labels, source.methods, source.depth
    return lists_of(source), measures, methods, depth


def lists_of(source: Source | StudyMaterial) -> Judged:
    """The lists to be studied, also of material that was made from lists."""
    judged = source.judged if isinstance(source, StudyMaterial) else source
    if not isinstance(judged, Judged):
        name = "scores" if judged is None else f"a {type(judged).__name__}"
        raise InputError(f"a study of {name}", "this one needs lists: give what `load` returns")
    return judged


def cwla_grid(depth: int = 10) -> dict[str, Measure]:
    """The 39 metrics of Chen and Sakai (2023), by their names there: six readers, seven aggregations.

    Cut at rank 10 as there: nothing follows the last rank, and who has not stopped by then counts nothing. With a
    list that goes on for ever RBP_fin would equal RBP_ERG, which the paper's Figure 1 tells apart.
    """
    return {name: named(text)(tail="truncate") @ depth for name, text in SHORT.items()}


def reader_of(candidate: Candidate) -> str:
    """The user model of a C/W/L/A metric, nothing for others: Chen and Sakai compare aggregations within each."""
    if candidate.record is None or candidate.record.name != "CWLA":
        return ""
    values = candidate.record.values
    return str(Metric(values["model"], values["agg"], values["tail"]).model.name)


def labelled(
    measures: Measures | None, depth: int | None = None, *, read: Callable[[str | Measure], Measure] = named
) -> dict[str, Measure]:
    """Measures by label, at this depth where they name no cutoff; `read` finds the measure of a name."""
    if measures is None:
        return {}
    if isinstance(measures, Mapping):
        # a label that is the metric's own name becomes that of what is computed: AP@10, not AP
        records = {str(label): read(measure) for label, measure in measures.items()}
        return {
            str(at_depth(record, depth)) if label == str(record) else label: at_depth(record, depth)
            for label, record in records.items()
        }
    return {str(record): record for record in (at_depth(read(measure), depth) for measure in several(measures))}


def at_depth(measure: Measure, depth: int | None) -> Measure:
    """The measure at this depth, where it has room for one and names none."""
    free = measure.cutoff is None and measure.cutoff_rule in ("optional", "required")
    return measure @ depth if depth is not None and free else measure


_Scored: TypeAlias = tuple[list[Candidate], tuple[str, ...], tuple[str, ...]]


def _from_judged(
    judged: Judged, measures: dict[str, Measure], methods: Sequence[Method], depth: int | None, workers: int | None
) -> _Scored:
    """Candidates with NaN where undefined, and the systems and topics by name."""
    systems, topics = tuple(sorted(judged.systems)), tuple(sorted(judged.topics))
    candidates: list[Candidate] = []
    if measures:
        records = {label: measure.relevant_from(judged.rules.rel) for label, measure in measures.items()}
        with quietly():  # what is left out is said once for all candidates, in _shared
            scores = evaluate(judged, list(records.values()), workers=workers)
        candidates, _, _ = _from_scores(scores, records)
    depth = None if depth is None else min(depth, judged.code.shape[-1])
    for method in methods:
        compared = all_pairs(judged, method, systems=systems, depth=depth, workers=workers)
        candidates.append(_by_method(compared, topics, depth))
    return candidates, systems, topics


def _by_method(compared: Preferences, topics: tuple[str, ...], depth: int | None) -> Candidate:
    """A method's preferences, and its mean preferences as scores, on all topics: NaN on those it left out."""
    place = {topic: t for t, topic in enumerate(compared.topics)}
    where = [place.get(topic, -1) for topic in topics]
    value, preferences = (
        np.where(np.array(where) < 0, np.nan, array[:, where])
        for array in (compared.scores(), compared.value.astype(np.float64))
    )
    name = compared.method if depth is None else f"{compared.method}@{depth}"
    return Candidate(
        name=name, value=np.ascontiguousarray(value.T), preferences=preferences, signature=compared.signature
    )


def _from_scores(scores: Scores, measures: Measures | None) -> _Scored:
    """Candidates of some of the scores, or of all."""
    systems, topics = tuple(sorted(scores.systems)), tuple(sorted(scores.topics))
    at = np.ix_(*_places(scores.systems, scores.topics, systems, topics))
    wanted = labelled(measures) or {str(measure): measure for measure in scores.measures}
    candidates = [
        Candidate(name=label, value=np.ascontiguousarray(scores.of(measure)[at].T), record=measure,
                  signature=scores.signature_stems[scores.at(measure)])
        for label, measure in wanted.items()
    ]  # fmt: skip
    return candidates, systems, topics


def _from_tables(tables: Mapping[str, Any], measures: Measures | None) -> _Scored:
    """Candidates of some of the tables, or of all; NaN on topics that a table lacks."""
    chosen = tables if measures is None else [measures] if isinstance(measures, str | Measure) else measures
    wanted = [str(measure) for measure in chosen]
    missing = [
        Problem(f"no scores of {name}", f"there are {', '.join(tables)}") for name in wanted if name not in tables
    ]
    if missing:
        raise InputError(missing)
    read = {name: read_scores(tables[name], measure=name) for name in wanted}
    if not read:
        return [], (), ()
    systems = tuple(sorted(set.intersection(*(set(table.systems) for table in read.values()))))
    problems = [
        Problem(f"{name}: no other scores of {', '.join(sorted(set(table.systems) - set(systems))[:5])}",
                "give every metric scores of the same systems")
        for name, table in read.items() if len(table.systems) > len(systems)
    ]  # fmt: skip
    if problems:
        raise InputError(problems)
    topics = tuple(sorted({topic for table in read.values() for topic in table.topics}))
    candidates, place = [], {topic: t for t, topic in enumerate(topics)}
    for name, table in read.items():
        value = np.full((len(topics), len(systems)), np.nan)
        rows, column = [place[topic] for topic in table.topics], {name: s for s, name in enumerate(table.systems)}
        value[rows] = table.value[[column[system] for system in systems]].T
        candidates.append(Candidate(name=name, value=value, signature=f"{name}|scores:given"))
    return candidates, systems, topics


def _shared(
    candidates: list[Candidate], systems: tuple[str, ...], topics: tuple[str, ...], judged: Judged | None
) -> StudyMaterial:
    """The candidates on the topics that none of them lacks."""
    if not candidates:
        raise InputError("nothing to study", "name at least one metric or method")
    twice = sorted(
        {candidate.name for candidate in candidates if [c.name for c in candidates].count(candidate.name) > 1}
    )
    if twice:
        raise InputError(f"{', '.join(twice)} twice", "name every metric and method once, or give labels")
    if judged is None:
        _check_systems(systems, alone=False)
    here = np.array([np.isfinite(candidate.value).all(axis=1) for candidate in candidates])
    anywhere = here.any(axis=0)
    lacks = {
        candidate.name: int(np.count_nonzero(anywhere & ~row)) for candidate, row in zip(candidates, here, strict=True)
    }
    total = int(np.count_nonzero(anywhere))
    problems = [
        Problem(f"{name} is undefined on {count:,} of {plural(total, 'topic')}",
                f"leave it out, or take {argument('undefined', 'zero')} and {argument('missing', 'zero')} to score "
                "such topics 0")
        for name, count in lacks.items() if count > UNDEFINED * total or not total
    ]  # fmt: skip
    if problems:
        raise InputError(problems)
    kept: Bools = np.asarray(here.all(axis=0), np.bool_)
    notes = []
    lacking = _lacking(judged, topics)
    for why, which in (("a run lacks them", lacking), ("no metric is defined there", ~anywhere & ~lacking)):
        if gone := int(np.count_nonzero(which)):
            notes.append(f"{gone:,} of {plural(len(topics), 'topic')} left out: {why}")
    if any(lacks.values()):
        parts = ", ".join(f"{name} lacks {count}" for name, count in lacks.items() if count)
        fewer = plural(total - int(np.count_nonzero(kept)), "topic")
        notes.append(f"{fewer} left out, so that all metrics have the same topics: {parts}")
    warn(*notes, stacklevel=4)
    count = int(np.count_nonzero(kept))
    chosen = tuple(
        replace(candidate, value=candidate.value[kept], signature=signed(candidate.signature, count),
                preferences=None if candidate.preferences is None else candidate.preferences[:, kept])
        for candidate in candidates
    )  # fmt: skip
    return StudyMaterial(
        systems=systems,
        topics=tuple(topic for topic, keep in zip(topics, kept.tolist(), strict=True) if keep),
        candidates=chosen,
        left_out=tuple(topic for topic, keep in zip(topics, kept.tolist(), strict=True) if not keep),
        judged=judged,
        notes=tuple(notes),
    )


def _check_systems(systems: Sequence[str], alone: bool) -> None:
    if len(systems) < 2 and not alone:
        raise InputError(plural(len(systems), "system"), "this study needs at least 2")


def _lacking(judged: Judged | None, topics: Sequence[str]) -> Bools:
    """Mask of the topics that some run lacks, where the rules leave these out."""
    if judged is None or judged.rules.missing != "drop":
        return np.zeros(len(topics), np.bool_)
    lacking = dict(zip(judged.topics, (judged.retrieved == 0).any(axis=0).tolist(), strict=True))
    return np.array([lacking[topic] for topic in topics], np.bool_)


def _places(
    systems: Sequence[str], topics: Sequence[str], new_systems: Sequence[str], new_topics: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Indices of the new systems and topics among the old ones."""
    system, topic = ({name: i for i, name in enumerate(names)} for names in (systems, topics))
    return [system[name] for name in new_systems], [topic[name] for name in new_topics]
