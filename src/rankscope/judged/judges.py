"""Several judgments of one collection: lists are ordered once, and recoded for each judge by one look-up per cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope import kernels
from rankscope.arrays import FIRST_GRADE, PADDING, UNJUDGED, Bools, Codes, Floats, Ids, Ints, size
from rankscope.errors import InputError, Problem, argument, did_you_mean, plural, warn
from rankscope.io.column_names import ColumnNames, checked_columns_argument
from rankscope.io.columns import QrelsColumns
from rankscope.io.formats import Reading
from rankscope.io.judges import by_judge, read_judges
from rankscope.io.paths import is_path, system_name
from rankscope.io.problems import repeats
from rankscope.judged.join import load
from rankscope.judged.model import Judged
from rankscope.judged.pool import judgments
from rankscope.judged.sources import Runs

MOST = 65_000  # documents of a topic that judges may have judged
_NAMED = 5  # judges that a note names


@dataclass(frozen=True, slots=True, eq=False)
class Judges:
    """The same lists under several judges, the reference first.

    names    of the judges
    topics   all topics that some judge has judged
    grade    (J, P) grade of each judge for each pair of a topic and a document; NaN where the judge has none
    topic    (P) row of each pair's topic, ascending
    humans   names of judges that are people
    lists    (S, T, K) the pair at each rank; -1 where the list has ended, -2 where no judge has judged the document
    base     lists without grades: names, rules and notes
    """

    names: tuple[str, ...]
    topics: tuple[str, ...]
    grade: Floats
    topic: Ints
    documents: Ids
    humans: tuple[str, ...]
    lists: Ints
    base: Judged

    @property
    def reference(self) -> str:
        """Name of the judge that others are compared with."""
        return self.names[0]

    @property
    def others(self) -> tuple[str, ...]:
        """Names of all judges but the reference."""
        return self.names[1:]

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.base.systems

    def row(self, name: str) -> int:
        """Row of a judge, by name."""
        if name not in self.names:
            raise InputError(f"no judge is named {name!r}", did_you_mean(name, self.names))
        return self.names.index(name)

    def judged(self, name: str) -> Judged:
        """The lists under one judge, on the topics that the judge has judged."""
        return self.recoded(self.grade[self.row(name)])

    def recoded(self, grade: Floats) -> Judged:
        """The lists under grades of all pairs, (P), NaN where there is none: topics with some grade alone."""
        known = ~np.isnan(grade)
        grades, index = np.unique(grade[known], return_inverse=True)
        codes: Codes = np.full(len(grade) + 2, UNJUDGED, np.uint8 if len(grades) <= 254 else np.uint16)
        codes[:-2][known] = index + FIRST_GRADE
        codes[-1] = PADDING  # -1; -2 is unjudged by all
        available = np.zeros((len(self.topics), len(grades)), np.int64)
        np.add.at(available, (self.topic[known], index), 1)
        rows = np.flatnonzero(available.any(axis=1))
        lists = self.lists if len(rows) == len(self.topics) else self.lists[:, rows]
        return replace(
            self.base, topics=tuple(self.topics[t] for t in rows.tolist()), code=codes[lists], grades=grades,
            available=available[rows], documents=None, extremes=None,
        )  # fmt: skip

    def with_systems(self, systems: Sequence[str]) -> Judges:
        """The same with some systems alone, in this order."""
        rows = [self.base.system(name) for name in systems]
        base = replace(self.base, systems=tuple(systems), code=self.base.code[rows])
        return replace(self, lists=self.lists[rows], base=base)

    def __repr__(self) -> str:
        s, t, _ = self.lists.shape
        return f"<Judges: {plural(len(self.names), 'judge')}, {plural(s, 'system')}, {plural(t, 'topic')}>"


def load_judges(
    qrels: Any,
    runs: Runs,
    judges: Any = None,
    *,
    reference: str | None = None,
    humans: Sequence[str] = (),
    rel: float | None = None,
    qrels_format: str | None = None,
    columns: ColumnNames | None = None,
    **rules: Any,
) -> Judges:
    """Join runs with several judgments of the same collection.

    qrels      judgments of the reference, as `load` takes them; without `judges`, a file or table with several judges
    judges     the other judgments: a folder of files; files, each a path or "NAME=FILE"; one file with the judge in
               its second column (`qrels_jg` of trec_eval) or in a column "judge"; a frame with such a column;
               {judge: judgments}
    reference  the judge that others are compared with; by default the one of `qrels`
    humans     names of judges that are people
    rules      those of `load`, such as depth=100 or undefined="zero"; tied documents have one order for all judges

    Nothing is imputed. A document that a judge has not judged is unjudged under this judge alone; a topic that a judge
    has not judged is left out under this judge.

    >>> grades = {"ann": {"7": {"a": 1, "b": 0}}, "bob": {"7": {"a": 0, "b": 1}}}
    >>> load_judges(grades["ann"], {"7": {"b": 2.5, "a": 1.5}}, {"bob": grades["bob"]})
    <Judges: 2 judges, 1 system, 1 topic>
    """
    if rules.get("ties") in ("best", "worst"):
        cause = f"{argument('ties', rules['ties'])}: the order would be another one for each judge"
        raise InputError(cause, "choose trec, rank or file")
    first = rules.get("duplicates", "error") == "first"
    read, rel_read, read_as = _read(qrels, judges, Reading(qrels_format, checked_columns_argument(columns)))
    if reference is not None:
        if reference not in read:
            raise InputError(f"no judge is named {reference!r}", did_you_mean(reference, read))
        read = {reference: read[reference], **read}
    if unknown := [name for name in humans if name not in read]:
        raise InputError([Problem(f"no judge is named {name!r}", did_you_mean(name, read)) for name in unknown])
    pairs, grade = _joined(read, first)
    _refuse_strangers(tuple(read), pairs, grade)
    result = _with_lists(read, pairs, grade, runs, rel=rel if rel is not None else rel_read, columns=columns, **rules)
    lists = result.base
    if rel is None:
        lists = replace(lists, rules=replace(lists.rules, documented=True))
    lists = replace(lists, read_as=lists.read_as.replace("judgments columns", f"judgments {read_as}", 1))
    notes = counted(result)
    warn(*notes, stacklevel=2)
    return replace(result, humans=tuple(humans), base=replace(lists, notes=(*lists.notes, *notes)))


def load_groups(qrels: Any, runs: Runs, **rules: Any) -> Judges:
    """Join runs with a file whose second column names its judges; they need share no topic, and may be one alone."""
    read = by_judge(qrels)
    return _with_lists(read, *_joined(read, first=False), runs, **rules)


def _with_lists(read: dict[str, QrelsColumns], pairs: _Pairs, grade: Floats, runs: Runs, **rules: Any) -> Judges:
    """Lists, each rank the number of its pair."""
    judged = load(pairs.columns(), runs, **rules)
    start = np.searchsorted(pairs.topic, np.arange(len(pairs.topics)))
    code = judged.code.astype(np.int32)
    lists = np.where(code >= FIRST_GRADE, code - FIRST_GRADE + start[:, None].astype(np.int32), code - 1)
    lists[code == UNJUDGED] = -2
    base = replace(judged, code=judged.code[..., :0])
    return Judges(tuple(read), judged.topics, grade, pairs.topic, pairs.documents, (), lists, base)


def _read(qrels: Any, judges: Any, reading: Reading) -> tuple[dict[str, QrelsColumns], float, str]:
    """Columns by judge, the reference first; the grade from which its documents are relevant; what it was read as."""
    if judges is None:
        read = by_judge(qrels, reading)
        if len(read) < 2:
            cure = f"name the judgments of others by {argument('judges')}, or a file whose column 2 names its judges"
            raise InputError(f"one judge alone, {next(iter(read))!r}", cure)
        return read, 1, "with a column of judges"
    columns, rel, read_as = judgments(qrels, reading)
    others = read_judges(judges, Reading(None, reading.columns))
    name = system_name(qrels) if is_path(qrels) else "reference"
    if name in others:
        name = f"{name} (reference)"
    return {name: columns, **others}, rel, read_as


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """All pairs that some judge has judged, by topic."""

    topics: tuple[str, ...]
    topic: Ints
    documents: Ids
    place: str
    source: tuple[Any, Any, Any]  # text, spans of topics, spans of documents

    def columns(self) -> QrelsColumns:
        """Judgments whose grade is the number of the pair within its topic."""
        within = np.arange(len(self.topic)) - np.searchsorted(self.topic, self.topic)
        if within.max() >= MOST:
            cause = f"{within.max() + 1:,} judged documents of one topic"
            raise InputError(
                Problem(cause, f"several judges may have judged {MOST:,} documents of a topic", self.place)
            )
        text, topic, doc = self.source
        return QrelsColumns(self.place, text, topic, doc, within.astype(np.float64))


def _joined(read: dict[str, QrelsColumns], first: bool) -> tuple[_Pairs, Floats]:
    """All pairs, and each judge's grade for each of them."""
    columns = list(read.values())
    starts = np.cumsum([0, *(size(c.text) for c in columns)])[:-1].tolist()
    text = np.concatenate([*(c.text[: size(c.text)] for c in columns[:-1]), columns[-1].text])
    topic, doc = (
        np.concatenate([spans + np.array([start, 0]) for spans, start in zip(each, starts, strict=True)])
        for each in ([c.topic for c in columns], [c.doc for c in columns])
    )
    topic_number, topic_heads = kernels.intern(text, topic)
    doc_number, doc_heads = kernels.intern(text, doc)
    key = topic_number * len(doc_heads) + doc_number
    pairs, heads, at = np.unique(key, return_index=True, return_inverse=True)
    grade = np.full((len(columns), len(pairs)), np.nan)
    ends = np.cumsum([len(c.grade) for c in columns])
    problems: list[Problem] = []
    for j, (judge, rows) in enumerate(zip(columns, np.split(at, ends[:-1]), strict=True)):
        if len(np.unique(rows)) < len(rows) and not first:
            problems += repeats(judge)
        grade[j, rows[::-1]] = judge.grade[::-1]  # the first of each
    if problems:
        raise InputError(problems)
    names = tuple(Ids(text, topic[topic_heads]))
    source = text, topic[heads], doc[heads]
    return _Pairs(names, pairs // len(doc_heads), Ids(text, doc[heads]), columns[0].place, source), grade


def _refuse_strangers(names: Sequence[str], pairs: _Pairs, grade: Floats) -> None:
    """Refuse judges that share no pair with the reference."""
    known: Bools = ~np.isnan(grade)
    problems = []
    for name, here in zip(names[1:], known[1:], strict=True):
        if (here & known[0]).any():
            continue
        shared = np.intersect1d(pairs.topic[here], pairs.topic[known[0]])
        if not len(shared):
            cause, cure = f"{name} shares no topic with {names[0]}", "check that topics have the same ids"
        else:
            cause = f"{name} shares {plural(len(shared), 'topic')} and no judged document with {names[0]}"
            cure = "check that documents have the same ids in all judgments"
        problems.append(Problem(cause, cure))
    if problems:
        raise InputError(problems)


def counted(judges: Judges) -> list[str]:
    """Notes on pairs and topics that only some judges have judged."""
    known = ~np.isnan(judges.grade)
    notes = []
    for what, more, fewer in (
        ("pairs", known[1:] & ~known[0], known[0] & ~known[1:]),
        ("topics", *_topics_apart(judges, known)),
    ):
        for words, mask in (("lack", fewer), (f"have, and {judges.reference} lacks", more)):
            counts = {n: int(c) for n, c in zip(judges.others, mask.sum(axis=1), strict=True) if c}
            if counts:
                listed = ", ".join(f"{n} {c:,}" for n, c in list(counts.items())[:_NAMED])
                others = f" and {len(counts) - _NAMED} more" if len(counts) > _NAMED else ""
                notes.append(f"{what} that judges {words}: {listed}{others}")
    return notes + _scales(judges)


def _scales(judges: Judges) -> list[str]:
    """A note on judges with other grades than the reference has."""
    own, *others = (np.unique(grade[~np.isnan(grade)]) for grade in judges.grade)
    apart = [f"{name} {grades[0]:g} to {grades[-1]:g}" for name, grades in zip(judges.others, others, strict=True)
             if grades[-1] != own[-1] or not np.isin(grades, own).all()]  # fmt: skip
    if not apart:
        return []
    more = f" and {len(apart) - _NAMED} more" if len(apart) > _NAMED else ""
    return [f"judges with other grades than {judges.reference} ({own[0]:g} to {own[-1]:g}), compared as they are: "
            f"{', '.join(apart[:_NAMED])}{more}"]  # fmt: skip


def _topics_apart(judges: Judges, known: Bools) -> tuple[Bools, Bools]:
    """(judges but the reference, topics) topics that only the judge has judged, and that only the reference has."""
    here = np.zeros((len(known), len(judges.topics)), np.bool_)
    for j, pairs in enumerate(known):
        here[j, judges.topic[pairs]] = True
    return here[1:] & ~here[0], here[0] & ~here[1:]
