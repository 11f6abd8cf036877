"""Nested JSON of other tools as flat rows: Elasticsearch, OpenSearch, MTEB, Label Studio, Argilla, lists of objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from rankscope.errors import InputError, Problem, argument
from rankscope.io.column_names import ColumnNames, is_known, known_column
from rankscope.io.columns import FileKind

Row: TypeAlias = dict[str, Any]
LISTS = ("results", "hits", "ranking", "documents", "docs", "doc_ids", "retrieved", "items", "ratings", "judgments",
         "judgements", "qrels", "relevant")  # fmt: skip


def tool_rows(value: Any, kind: FileKind, place: str, columns: ColumnNames | None) -> list[Row] | None:
    """Rows of a document of a known shape, best first within a topic; None where the shape is not known."""
    if isinstance(value, list):
        if not value or not all(isinstance(item, dict) for item in value):
            return None
        return [row for item in value for row in item_rows(item, kind, place, columns)]
    if not isinstance(value, dict):
        return None
    value = value.get("rank_eval", value)
    if _is_objects(value.get("judgmentRatings")):  # OpenSearch, Search Relevance Workbench
        return _nested(value["judgmentRatings"], kind, place, columns)
    if _is_objects(value.get("requests")) and any("ratings" in item for item in value["requests"]):
        return _nested(value["requests"], kind, place, columns)  # a rank-eval request of Elasticsearch or OpenSearch
    if isinstance(value.get("details"), dict) and "metric_score" in value:
        return _rank_eval_response(value["details"], kind)
    if value and all(_is_objects(items) for items in value.values()):  # {topic: [{document, value}, ...]}
        rows = (_merged(topic, items, kind) for topic, items in value.items())
        return [row for part in rows for row in part]
    scalars = any(not isinstance(part, dict | list) for part in value.values())
    if any(shape(value) for shape, _ in _ITEMS) or (scalars and list_key(value) is not None):
        return item_rows(value, kind, place, columns)  # one line of JSON lines
    return None


def item_rows(item: Row, kind: FileKind, place: str, columns: ColumnNames | None) -> list[Row]:
    """Rows of one object: of a task, a record, a topic with its list, or the object itself."""
    for shape, read in _ITEMS:
        if shape(item):
            return read(item)
    key = list_key(item)
    return [item] if key is None else list(_topic_rows(item, key, kind, place, columns))


def list_key(item: Row) -> str | None:
    """The key under which an object has the documents of its topic, as objects."""
    keys = [key for key, value in item.items() if _is_objects(value)]
    return next((key for key in LISTS if key in keys), keys[0] if len(keys) == 1 else None)


def mteb_lists(value: Row, place: str) -> Row | None:
    """The lists of MTEB's saved predictions; None where it is something else.

    Several subsets are refused. Of several splits the one named "test" is taken, as by readers of MTEB's results.
    """
    if "mteb_model_meta" not in value:
        return None
    inner: Any = {key: part for key, part in value.items() if key != "mteb_model_meta"}
    for level in ("subset", "split"):
        if not isinstance(inner, dict) or (len(inner) != 1 and (level == "subset" or "test" not in inner)):
            names = ", ".join(map(repr, inner)) if isinstance(inner, dict) else type(inner).__name__
            cause = f"MTEB predictions of several {level}s ({names})"
            raise InputError(Problem(cause, f"keep one {level}: judgments are those of one", place))
        inner = next(iter(inner.values())) if len(inner) == 1 else inner["test"]
    return inner if isinstance(inner, dict) else None


def _is_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _nested(items: list[Row], kind: FileKind, place: str, columns: ColumnNames | None) -> list[Row]:
    rows: list[Row] = []
    for item in items:
        if "ratings" in item and item["ratings"] == []:
            continue
        rows += item_rows(item, kind, place, columns)
    return rows


def _topic_rows(item: Row, key: str, kind: FileKind, place: str, columns: ColumnNames | None) -> Iterator[Row]:
    """Rows of an object with a topic and the list of its documents."""
    scalars = [name for name, value in item.items() if not isinstance(value, dict | list)]
    topic = known_column("topic", scalars, place, columns)
    topic = topic or next((name for name in ("id", "_id") if name in scalars), None)
    if topic is None:
        cause = f"no topic among the keys {', '.join(map(repr, item))}"
        raise InputError(Problem(cause, f"name the key with {argument('columns')}, or call it query_id", place))
    yield from _merged(item[topic], item[key], kind)


def _merged(topic: Any, documents: Iterable[Row], kind: FileKind) -> Iterator[Row]:
    """One row per document, with its topic and, where it has no number, its position."""
    for position, document in enumerate(documents, 1):
        row = {name: value for name, value in document.items() if not is_known("topic", name)}
        if kind == "run" and not any(is_known(role, name) for role in ("score", "rank", "grade") for name in row):
            row["rank"] = position
        yield {"topic": topic, **row}


def _rank_eval_response(details: Mapping[str, Any], kind: FileKind) -> list[Row]:
    """Hits of a rank-eval response as a run; as judgments, those that have a rating."""
    rows = []
    for topic, detail in details.items():
        for position, found in enumerate(detail.get("hits", []), 1):
            hit = found.get("hit", {})
            row = {"topic": topic, "document": hit.get("_id"), "rank": position}
            score = hit.get("_score")
            rows.append(row | {"score": score if score is not None else -position, "grade": found.get("rating")})
    return rows


def _is_task(item: Row) -> bool:
    return isinstance(item.get("data"), dict) and isinstance(item.get("annotations"), list)


def _task_rows(item: Row) -> list[Row]:
    """A task of Label Studio: its data, with the rating, number or choice of each annotation that was not cancelled."""
    rows = []
    for annotation in item["annotations"]:
        if annotation.get("was_cancelled"):
            continue
        row = {name: value for name, value in item["data"].items() if not isinstance(value, dict | list)}
        row |= {part["from_name"]: _value(part.get("value", {})) for part in annotation.get("result", [])
                if "from_name" in part}  # fmt: skip
        rows.append(row | {"annotator": annotation.get("completed_by")})
    return rows


def _value(value: Mapping[str, Any]) -> Any:
    """What was annotated: a rating, a number, or the one choice."""
    for kind in ("rating", "number", "choices", "text"):
        if kind in value:
            labels = value[kind]
            return labels[0] if isinstance(labels, list) and len(labels) == 1 else labels
    return None


def _is_record(item: Row) -> bool:
    return isinstance(item.get("fields"), dict) and isinstance(item.get("responses"), dict | list)


def _record_rows(item: Row) -> list[Row]:
    """A record of Argilla: fields and metadata, with one row per response; none where nobody has answered."""
    shared = {**item.get("metadata", {}), **item["fields"]}
    responses = item["responses"]
    if isinstance(responses, list):  # Argilla 1: one object per user
        answers: list[Row] = [{name: answer.get("value") for name, answer in response.get("values", {}).items()}
                              for response in responses]  # fmt: skip
    else:
        users = max((len(given) for given in responses.values()), default=0)
        answers = [
            {name: given[user].get("value") for name, given in responses.items() if user < len(given)}
            for user in range(users)
        ]
    return [shared | answer for answer in answers]


def _is_flat_record(item: Row) -> bool:
    return any(name.endswith(".responses") for name in item)


def _flat_record_rows(item: Row) -> list[Row]:
    """A record of Argilla whose keys are flat: `relevance.responses` is the list of answers."""
    ending = ".responses"
    lists = {name.removesuffix(ending): value or [] for name, value in item.items() if name.endswith(ending)}
    shared = {name.removeprefix("metadata."): value for name, value in item.items()
              if not isinstance(value, list) and ".responses" not in name}  # fmt: skip
    users = max(map(len, lists.values()), default=0)
    return [shared | {name: given[user] for name, given in lists.items() if user < len(given)} for user in range(users)]


_ITEMS: tuple[tuple[Callable[[Row], bool], Callable[[Row], list[Row]]], ...] = (
    (_is_task, _task_rows),
    (_is_record, _record_rows),
    (_is_flat_record, _flat_record_rows),
)
