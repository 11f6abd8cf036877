"""Folders of collections: judgments and runs of each, folders of BEIR, and results of MTEB."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from rankscope.arrays import Text
from rankscope.errors import InputError, Problem
from rankscope.io.files import read_one
from rankscope.io.paths import expand, system_name

PREDICTIONS = "_predictions"
BEIR_SPLITS = ("test", "dev", "train")
LAYOUT = "a collection is a folder with judgments, qrels*, and a folder runs; or one of BEIR, with qrels/test.tsv"
_COLLECTION = ("collection", "task", "dataset", "data_set", "task_name")
_SYSTEM = ("system", "model", "run", "model_name")
_VALUE = ("value", "score", "main_score", "mean")


@dataclass(frozen=True, slots=True)
class CollectionFiles:
    """Files of a collection: judgments, and runs by the name of the system; why it cannot be used, where it cannot."""

    name: str
    qrels: Path | None
    runs: Mapping[str, Path]
    place: str
    lacks: str = ""
    measure: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """Scores by collection: {collection: {system: {topic: score}}}; the topic is "" where a score is a mean.

    means    whether there are means only
    measure  the measure of all of them, where it is named
    """

    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    means: bool
    place: str
    measures: Mapping[str, str] = field(default_factory=dict)


def collection_folder(folder: Path) -> CollectionFiles:
    """The files of one collection; `lacks` says what is missing."""
    qrels = sorted(path for path in folder.glob("qrels*") if path.is_file())
    if not qrels:
        qrels = [path for split in BEIR_SPLITS if (path := folder / "qrels" / f"{split}.tsv").is_file()][:1]
    runs: dict[str, Path] = {}
    if (folder / "runs").is_dir():
        runs = {_run_name(path, folder.name): path for path in expand([folder / "runs"])}
    lacks = ""
    if len(qrels) != 1:
        lacks = "no judgments" if not qrels else f"{len(qrels)} files of judgments ({', '.join(p.name for p in qrels)})"
    elif not runs:
        lacks = "no runs"
    return CollectionFiles(folder.name, qrels[0] if len(qrels) == 1 else None, runs, str(folder), lacks)


def _run_name(path: Path, collection: str) -> str:
    """Name of a system: that of its file, without what MTEB puts around it."""
    name = system_name(path).removesuffix(PREDICTIONS)
    return name.removeprefix(f"{collection}_") or name


def find_collections(folders: list[Path]) -> list[CollectionFiles]:
    """Collections of folders that are one each, or that hold several; folders in the latter that are none say why."""
    problems, files = [], []
    for folder in folders:
        if not folder.is_dir():
            problems.append(Problem("is no folder", LAYOUT, str(folder)))
            continue
        single = collection_folder(folder)
        if single.qrels is not None or single.runs:
            if single.lacks:
                problems.append(Problem(f"{single.lacks}, so that it is no collection", LAYOUT, str(folder)))
            files.append(single)
            continue
        inside = [collection_folder(path) for path in sorted(folder.iterdir()) if path.is_dir()]
        if not any(not each.lacks for each in inside):
            problems.append(Problem("is no collection and holds none", LAYOUT, str(folder)))
        files += inside
    if problems:
        raise InputError(problems)
    return files


def is_mteb_results(folder: Path) -> bool:
    """Whether a folder holds MODEL/REVISION/TASK.json."""
    return next(mteb_files(folder), None) is not None


def mteb_files(folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Model, revision and file of each result of MTEB below a folder: of all models, or of one."""
    for path in sorted(folder.glob("*/*/*.json")):
        if path.name != "model_meta.json" and not path.stem.endswith(PREDICTIONS):
            yield path.parents[1].name.replace("__", "/"), path.parent.name, path


def read_mteb(folder: Path, *, split: str = "test") -> ScoreRows:
    """Main scores of MTEB's results, MODEL/REVISION/TASK.json: means only, one per model and task.

    The split is "test", or the only one that a file has. A task that a model has in several revisions is taken from
    the revision with most tasks, and then by name.
    """
    by_revision: dict[tuple[str, str], dict[str, float]] = {}
    problems = []
    for model, revision, path in mteb_files(folder):
        try:
            score = _main_score(json.loads(path.read_text(encoding="utf-8")), split)
        except (ValueError, KeyError, TypeError, AttributeError):
            cause = "holds no result of MTEB"
            problems.append(Problem(cause, "a result is an object with task_name and scores", str(path)))
            continue
        if score is not None:
            by_revision.setdefault((model, revision), {})[path.stem] = score
    if problems:
        raise InputError(problems)
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for (model, _), tasks in sorted(by_revision.items(), key=lambda item: (-len(item[1]), item[0])):
        for task, score in tasks.items():
            scores.setdefault(task, {}).setdefault(model, {"": score})
    if not scores:
        raise InputError(Problem("holds no scores of MTEB", "name a folder of MODEL/REVISION/TASK.json", str(folder)))
    return ScoreRows(dict(sorted(scores.items())), True, str(folder))


def _main_score(result: dict[str, Any], split: str) -> float | None:
    """The main score of a split, its subsets averaged; None where the file has no scores of it."""
    splits = result["scores"]
    rows = splits.get(split) or (next(iter(splits.values())) if len(splits) == 1 else None)
    if not rows:
        return None
    values = [float(row["main_score"]) for row in rows]
    return sum(values) / len(values)


def read_table(path: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Columns and rows, with their lines, of a CSV or TSV file with a header."""
    text: Text = read_one(path)
    content = bytes(text).decode("utf-8", "surrogateescape").rstrip("\0")
    first = content.partition("\n")[0]
    reader = csv.DictReader(StringIO(content), delimiter="\t" if "\t" in first else ",")
    rows = []
    try:
        header = list(reader.fieldnames or ())
        for row in reader:
            if None in row or None in row.values():
                raise InputError(Problem("the row has another number of fields than the header", "give all fields",
                                         str(path), reader.line_num))  # fmt: skip
            rows.append((reader.line_num, row))
    except csv.Error as error:
        cause = f"is no table ({str(error).partition(' - ')[0]})"
        raise InputError(Problem(cause, "give a CSV or TSV file with a header", str(path))) from error
    return header, rows


def listed_collections(path: Path, rows: list[tuple[int, dict[str, str]]]) -> list[CollectionFiles]:
    """Collections of a table with the columns collection, qrels, runs and perhaps measure; paths from its folder."""
    files, problems = [], []
    for line, row in rows:
        qrels, runs = (path.parent / row[name] for name in ("qrels", "runs"))
        if not qrels.is_file():
            problems.append(Problem(f"no file {row['qrels']}", "paths are relative to the table", str(path), line))
            continue
        runs_by_name = {_run_name(each, row["collection"]): each for each in expand([runs])}
        measure = row.get("measure") or None
        files.append(CollectionFiles(row["collection"], qrels, runs_by_name, f"{path}:{line}", measure=measure))
    if problems:
        raise InputError(problems)
    return files


def score_rows(header: list[str], rows: list[tuple[int, dict[str, Any]]], place: str) -> ScoreRows | None:
    """Scores with a column that names the collection; None where the columns are others."""
    lower = {name.lower(): name for name in header}
    chosen = [next((lower[name] for name in names if name in lower), None) for names in (_COLLECTION, _SYSTEM, _VALUE)]
    collection, system, value = chosen
    if collection is None or system is None or value is None:
        return None
    topic = next((lower[name] for name in ("topic", "query_id", "qid", "query") if name in lower), None)
    scores: dict[str, dict[str, dict[str, float]]] = {}
    problems: list[Problem] = []
    measures: dict[str, str] = {}
    for line, row in rows:
        by_topic = scores.setdefault(str(row[collection]), {}).setdefault(str(row[system]), {})
        key = "" if topic is None else str(row[topic])
        name = f"{row[system]} on {row[collection]}" + f", topic {key}" * bool(key)
        if key in by_topic:
            problems.append(Problem(f"{name} stands there twice", "keep one row per score", place, line))
        number = _number(row[value])
        if number is None:
            problems.append(Problem(f"{name}: {row[value]!r} is no finite number", "leave the row out", place, line))
        else:
            by_topic[key] = number
        if "measure" in lower:
            measure = str(row[lower["measure"]])
            if measures.setdefault(str(row[collection]), measure) != measure:
                cause = f"{row[collection]} has scores of {measures[str(row[collection])]} and of {measure}"
                problems.append(Problem(cause, "keep one measure per collection", place, line))
    if problems:
        raise InputError(problems)
    if not scores:
        raise InputError(Problem("no rows", "give one row per score", place))
    return ScoreRows(scores, topic is None, place, measures)


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if abs(number) <= 1e100 else None  # NaN is not
