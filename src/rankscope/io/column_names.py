"""Names of columns: which of a table's columns hold topic, document, score, grade, rank and run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from rankscope.errors import InputError, Problem, argument
from rankscope.io.columns import FileKind

ColumnNames: TypeAlias = Mapping[str, str | Sequence[str]]
"""What `columns` may be: for some of ROLES, the name of the column, or several of which a table has one."""


class Dialect(NamedTuple):
    """Column names that a tool uses; several names are alternatives."""

    name: str
    topic: tuple[str, ...]
    doc: tuple[str, ...]
    grade: tuple[str, ...]
    score: tuple[str, ...] = ("score",)


DIALECTS = (
    Dialect("ir_measures", ("query_id",), ("doc_id",), ("relevance",)),
    Dialect("PyTerrier", ("qid",), ("docno",), ("label",)),
    Dialect("BEIR", ("query-id",), ("corpus-id",), ("score",)),
    Dialect("trectools", ("query",), ("docid",), ("rel",)),
    Dialect("recommender", ("user", "user_id", "userId"), ("item", "item_id", "itemId"), ("rating", "relevance"),
            ("score", "prediction")),
    Dialect("rankscope", ("topic",), ("document",), ("grade",)),
)  # fmt: skip
_CARRIES = {"trectools": "PyTerrier"}  # a PyTerrier frame also has query (the text) and docid (a number)

ROLES = ("topic", "document", "grade", "score", "rank", "run")
# Known names in any mix, without blanks, hyphens, underscores and case. A name of a later group counts only where the
# table has none of an earlier one: query is the id in some tables and the text beside the id in others.
_KNOWN: dict[str, tuple[tuple[str, ...], ...]] = {
    "topic": (
        ("queryid", "qid", "topic", "topicid", "user", "userid", "uid", "questionid", "searchid", "sessionid"),
        ("query", "question", "querytext", "searchterm"),
    ),
    "document": (
        ("docno", "docid", "document", "documentid", "corpusid", "item", "itemid", "movieid", "productid", "passageid",
         "pid", "chunkid", "bookid", "trackid", "songid", "articleid"),
        ("id", "doc", "iid"),
    ),
    "grade": (
        ("relevance", "label", "rel", "rating", "grade", "judgment", "judgement", "relevancelabel", "relevancegrade",
         "qrel", "gain"),
        ("score",),
    ),
    "score": (("score", "prediction", "similarity", "relevancescore", "searchscore", "sim"),),
    "rank": (("rank", "position"),),
    "run": (("run", "runid", "runname", "system", "systemname", "systemid", "model", "modelname", "retriever",
             "recommender", "algorithm", "tag"),),
}  # fmt: skip
IDS = {name for role in ("topic", "document") for group in _KNOWN[role][:1] for name in group}
"""Known names of ids, as `plain` gives them: one of them in a first line makes it a header."""


class ChosenColumns(NamedTuple):
    """The columns that hold topic, document, value and rank."""

    dialect: str
    topic: str
    doc: str
    value: str | None
    rank: str | None

    @property
    def names(self) -> list[str]:
        return [name for name in (self.topic, self.doc, self.value, self.rank) if name is not None]


def plain(name: str) -> str:
    """A name without case, blanks, hyphens, underscores and full stops.

    >>> plain("Query-ID"), plain("movieId"), plain("_id")
    ('queryid', 'movieid', 'id')
    """
    return re.sub(r"[\s_.-]", "", name).casefold()


def choose(names: Sequence[str], kind: FileKind, place: str, columns: ColumnNames | None = None) -> ChosenColumns:
    """The columns meant: those that `columns` names, else those of a dialect, else known names in any mix.

    Two possible readings are an error that names both.
    """
    refuse_doubled(names, place)
    roles = ("topic", "document", "grade") if kind == "qrels" else ("topic", "document", "score", "rank")
    given = {role: _named(columns[role], names, role, place) for role in roles if role in columns} if columns else {}
    if not given:
        choices = [c for d in DIALECTS if (c := _fits(d, names, kind))]
        here = {c.dialect for c in choices}
        choices = [c for c in choices if _CARRIES.get(c.dialect) not in here]
        if len(choices) == 1:
            return choices[0]
        if choices:
            readings = " or ".join(f"{c.topic}, {c.doc}, {c.value or c.rank} ({c.dialect})" for c in choices)
            cure = f"name the columns that are meant ({_example(kind)}), or keep those of one of them"
            raise InputError(Problem(f"columns can be read as {readings}", cure, place))
    topic, doc = (given.get(role) or _known(role, names, place) for role in ("topic", "document"))
    value_role = "grade" if kind == "qrels" else "score"
    value = given.get(value_role) or _known(value_role, names, place)
    rank = (given.get("rank") or _known("rank", names, place)) if kind == "run" else None
    if topic is None or doc is None or (value is None and rank is None):
        missing = [role for role, name in (("topic", topic), ("document", doc), (value_role, value)) if name is None]
        raise InputError(_none_for(missing, names, kind, place))
    return ChosenColumns("columns" if given else "known names", topic, doc, value, rank)


def known_column(role: str, names: Sequence[str], place: str, columns: ColumnNames | None) -> str | None:
    """The column of one role: the one that `columns` names, else the one of a known name."""
    if columns and role in columns:
        return _named(columns[role], names, role, place)
    return _known(role, names, place)


def is_known(role: str, name: str) -> bool:
    """Whether it is a known name of a role."""
    return any(plain(name) in group for group in _KNOWN[role])


def run_column(names: Sequence[str], columns: ColumnNames | None = None) -> str | None:
    """The column that names the run of each row; None where there is none."""
    if columns and "run" in columns:
        return _named(columns["run"], names, "run", "")
    matches = [name for name in names if plain(name) in _KNOWN["run"][0]]
    return matches[0] if matches else None


def refuse_doubled(names: Sequence[str], place: str, line: int | None = None) -> None:
    """Refuse columns of the same name."""
    if doubled := sorted(name for name, count in Counter(names).items() if count > 1):
        cause = f"several columns are named {', '.join(map(repr, doubled[:20]))}"
        raise InputError(Problem(cause, "keep one of each", place, line))


def checked_columns_argument(columns: ColumnNames | None) -> ColumnNames | None:
    """Names of columns by role, as they were given; anything else is refused."""
    if columns is None:
        return None
    cure = f"give names by role, of {', '.join(ROLES)}: {_example('qrels')}"
    if not isinstance(columns, Mapping) or not columns:
        raise InputError(f"{argument('columns', columns)} names no columns", cure)
    for role, names in columns.items():
        if role not in ROLES:
            raise InputError(f"{argument('columns')}: {role!r} is no role of a column", cure)
        listed = [names] if isinstance(names, str) else names
        if not isinstance(listed, Sequence) or not listed or not all(isinstance(name, str) and name for name in listed):
            raise InputError(f"{argument('columns')}: {names!r} is no name of a column", cure)
    return columns


def _named(wanted: str | Sequence[str], names: Sequence[str], role: str, place: str) -> str:
    """The column that `columns` names: as it is written, else without case."""
    options = [wanted] if isinstance(wanted, str) else list(wanted)
    for alike in (str, plain):
        for option in options:
            for name in names:
                if alike(name) == alike(option):
                    return name
    cause = f"no column {' or '.join(map(repr, options))} for the {role} among {_listed(names)}"
    cure = f"correct {argument('columns')}"
    if known := [name for name in names if is_known(role, name)]:
        both = argument("columns", {role: [*options, known[0]]})
        cure += f"; where files have different names, give all of them, as in {both}"
    raise InputError(Problem(cause, cure, place))


def _known(role: str, names: Sequence[str], place: str) -> str | None:
    """The column of a role by its known names; two of them are an error."""
    for group in _KNOWN[role]:
        matches = [name for name in names if plain(name) in group]
        if len(matches) > 1 and any(plain(name) == "docno" for name in matches):
            matches = [name for name in matches if plain(name) == "docno"]  # docid is then Terrier's number
        if len(matches) > 1:
            cause = f"columns {' and '.join(map(repr, matches))} could each be the {role}"
            cure = f"say which one, as in {argument('columns', {role: matches[0]})}"
            raise InputError(Problem(cause, cure, place))
        if matches:
            return matches[0]
    return None


def _none_for(missing: list[str], names: Sequence[str], kind: FileKind, place: str) -> Problem:
    what = "run" if kind == "run" else "judgments table"
    lacking = " and ".join(f"the {role}" for role in missing)
    if missing == ["score"]:
        lacking = "the score or the rank"
    cause = f"no columns for a {what} among {_listed(names)}: {lacking} cannot be told by name"
    wanted = "; ".join(_wanted(d, kind) for d in DIALECTS)
    return Problem(cause, f"name them, as in {_example(kind)}; known names are {wanted}", place)


def _example(kind: FileKind) -> str:
    value = {"grade": "rating"} if kind == "qrels" else {"score": "score"}
    return argument("columns", {"topic": "query", "document": "docid"} | value)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:20]))
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _fits(dialect: Dialect, names: Sequence[str], kind: FileKind) -> ChosenColumns | None:
    def first(options: tuple[str, ...]) -> str | None:
        return next((name for name in options if name in names), None)

    topic, doc = first(dialect.topic), first(dialect.doc)
    value = first(dialect.grade if kind == "qrels" else dialect.score)
    rank = "rank" if kind == "run" and "rank" in names else None
    if topic is None or doc is None or (value is None and rank is None):
        return None
    return ChosenColumns(dialect.name, topic, doc, value, rank)


def _wanted(dialect: Dialect, kind: FileKind) -> str:
    value = dialect.grade if kind == "qrels" else (*dialect.score, "rank")
    return f"{dialect.topic[0]}, {dialect.doc[0]}, {' or '.join(value)} ({dialect.name})"
