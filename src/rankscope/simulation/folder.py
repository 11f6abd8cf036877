"""A simulated collection on disk: judgments, runs, the truth, and a page that says what it is."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rankscope.errors import FileError, Problem, argument
from rankscope.outputs import write_whole
from rankscope.results import csv_text
from rankscope.simulation.collection import Collection
from rankscope.simulation.collection_model import COARSE, FINE, Model
from rankscope.simulation.embedded_collection import QRELS, write
from rankscope.simulation.known_truth import Truth
from rankscope.version import __version__

RUNS = "runs"
UNFINISHED = "unfinished.txt"
"""A file that is there while a folder is being written: what has it may be written again."""
PAGE = """\
A simulated test collection. There is no text, and nobody judged anything.

made by    rankscope {version}
command    {command}
seed       {seed}

{files}

    rankscope evaluate {qrels} {runs}/*

The truth is the mean over {topics} further topics of the same model, with every document judged and no error; its
standard error is given beside it. 'judged' values are what the pool and the judges of the model lead to instead.

The model, as rankscope.simulation.Model explains it:
{model}
"""


def check_folder(folder: Path, model: Model | None, *, force: bool) -> None:
    """Refuse a folder that holds something already, or where other runs would lie among those of the model."""
    if folder.exists() and not folder.is_dir():
        raise FileError(Problem("is a file", "-o names a folder, new or empty", str(folder)))
    begun = (folder / UNFINISHED).is_file()
    if not force and not begun and folder.is_dir() and any(folder.iterdir()):
        raise FileError(
            Problem(
                "is not empty", f"choose another folder, or write into it with {argument('force', True)}", str(folder)
            )
        )
    if model is None:
        return
    own = {f"{system.name}.gz" for system in model.systems}
    others = [path for path in sorted((folder / RUNS).glob("*")) if path.name not in own]
    if others:
        cure = "remove runs that would lie among the new ones"
        raise FileError([Problem("is no run of this collection", cure, str(path)) for path in others])


def write_folder(folder: Path, collection: Collection, truth: Truth, *, seed: int, command: str) -> list[Path]:
    """Write all there is to a simulated collection, and return the paths. Equal arguments give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / UNFINISHED, b"rankscope simulate is writing this folder, or was stopped.\n", follow=False)
    paths = write(folder, collection, runs=RUNS)
    known = {
        "rankscope": __version__,
        "command": command,
        "seed": seed,
        "model": asdict(truth.model),
        "systems": [system._asdict() for system in truth.model.systems],
        "truth": truth.to_dict(),
    }
    texts = {
        "truth.json": json.dumps(known, indent=1, allow_nan=False) + "\n",
        "truth-means.csv": csv_text(truth.means()),
        "truth-differences.csv": csv_text(truth.columns()),
    }
    if truth.model.odd:
        texts["odd-topics.txt"] = "".join(f"{topic}\n" for topic in collection.odd)
    texts["README.txt"] = _page(truth, seed, command)
    for name, text in texts.items():
        write_whole(folder / name, text.encode(), follow=False)
        paths.append(folder / name)
    (folder / UNFINISHED).unlink()
    return paths


def _page(truth: Truth, seed: int, command: str) -> str:
    files = {
        QRELS: "judgments, TREC text",
        f"{RUNS}/": "one run per system, TREC text",
        "truth.json": "the model, true means and true differences",
        "truth-means.csv": "true means",
        "truth-differences.csv": "true differences, each pair of systems once",
    }
    if truth.model.odd:
        files["odd-topics.txt"] = "topics of the odd kind"
    return PAGE.format(
        version=__version__, command=command, seed=seed, topics=truth.n_topics, qrels=QRELS, runs=RUNS,
        files="\n".join(f"{name:<22} {what}" for name, what in files.items()),
        model="\n".join(f"{name:<16} {_setting_text(value)}" for name, value in asdict(truth.model).items()),
    )  # fmt: skip


def _setting_text(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_setting_text(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{COARSE} for the first system, {FINE} for others" if value is None else str(value)
