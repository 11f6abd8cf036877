"""Studies that were kept in a folder, by `metrics --checkpoint` or by `reproduce`, for the page."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

from rankscope.errors import InputError, Problem
from rankscope.judged import Judged
from rankscope.reporting.chapters import ROWS, Chapter, grid
from rankscope.reporting.packing import visible
from rankscope.reporting.papers import redrawn
from rankscope.studies import Checkpoints, Study, scorecard_from
from rankscope.studies.checkpoints import MANIFEST
from rankscope.studies.metrics import SCORECARD
from rankscope.studies.reproduce import paper
from rankscope.studies.reproduce.writing import CHECKPOINTS
from rankscope.studies.runner import Tell

CURE = "name a folder written by rankscope metrics --checkpoint, or by rankscope reproduce"
_REPRODUCED = "reproduce "


def check_folder(folder: str | Path) -> None:
    """Refuse, before any work, what is no folder of studies."""
    _kind(Path(folder))


def from_folder(
    folder: str | Path, judged: Judged, *, progress: Tell | None = None, workers: int | None = None
) -> Study | Chapter:
    """The study of a folder. What a scorecard has not kept is made; what it has must be of this collection."""
    there = Path(folder)
    if _kind(there) == "reproduction":
        try:
            return _reproduced(there)
        except InputError:
            raise
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            cause, cure = "holds a reproduction that cannot be read", "make it again with rankscope reproduce"
            raise InputError(Problem(cause, cure, str(there))) from error
    return scorecard_from(there, judged, progress=progress, workers=workers)


def _kind(folder: Path) -> str:
    if not folder.is_dir():
        raise InputError(Problem("is no folder", CURE, str(folder)))
    if (folder / CHECKPOINTS / MANIFEST).exists():
        if str(_manifest(folder / CHECKPOINTS).get("study", "")).startswith(_REPRODUCED):
            return "reproduction"
    elif (folder / MANIFEST).exists() and _manifest(folder).get("study") == SCORECARD:
        return "scorecard"
    raise InputError(Problem("holds no study that a page can show", CURE, str(folder)))


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("candidates", {}), dict):
        raise InputError(Problem("is no manifest of a study", CURE, str(path)))
    return found


def _reproduced(folder: Path) -> Chapter:
    """A paper's tables and the data of its figures, as they were written."""
    manifest = _manifest(folder / CHECKPOINTS)
    source = paper(str(manifest["study"]).removeprefix(_REPRODUCED))
    kept = Checkpoints(folder / CHECKPOINTS, tuple(manifest["units"]))
    grids, figures, notes = [], [], []
    for item in source.items:
        arrays = kept.get(item.number) if item.number in kept.units else None
        if arrays is None:
            notes.append(f"{item.number} was not made.")
            continue
        made = json.loads(arrays["files"].tobytes().decode("utf-8", "surrogateescape"))
        notes += [f"{part} is left out: {why}" for part, why in made["left_out"].items()]
        for name, text in made["files"].items():
            if not name.endswith(".csv"):
                continue
            header, *rows = list(csv.reader(StringIO(text)))
            key, head = f"{source.name}-{name}", f"{item.number}: {item.title} ({name})"
            if name.startswith("figure") and (
                one := redrawn(key, head.replace(".csv", ""), visible(made["captions"][name]), header, rows)
            ):
                figures.append(one)
            grids.append(
                grid(key, head, header,
                     [[_short(cell) for cell in row] for row in rows[:ROWS]], text,
                     caption=made["captions"][name], hidden=max(0, len(rows) - ROWS))
            )  # fmt: skip
    said = {"Left out": notes, "Where the paper leaves a choice": source.notes}
    return Chapter(
        key=f"study-{source.name}",
        title=f"Reproduced: {source.name}",
        lines=[source.reference,
               visible(f"Seed {manifest.get('seed', 'none')}; rankscope {manifest.get('rankscope')}.")],
        grids=grids,
        figures=figures,
        notes=[(head, list(map(visible, lines))) for head, lines in said.items() if lines],
    )  # fmt: skip


def _short(cell: str) -> str:
    """A number with four decimals; what is whole, or none, as it is."""
    try:
        return cell if cell.lstrip("-").isdecimal() else f"{float(cell):.4f}"
    except ValueError:
        return cell
