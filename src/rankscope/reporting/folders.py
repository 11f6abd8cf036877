"""Studies that were kept in a folder, by `metrics --checkpoint` or by `reproduce`, for the page."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

from rankscope.errors import InputError, Problem
from rankscope.figures.papers import drawer_of
from rankscope.formatting import visible
from rankscope.judged import Judged
from rankscope.parallel import Client
from rankscope.reporting.chapters import ROWS, Chapter, grid
from rankscope.reporting.charts import Drawn, on_both_grounds
from rankscope.studies import Checkpoints, Study, scorecard_from
from rankscope.studies.checkpoints import MANIFEST, manifest_of
from rankscope.studies.metrics import SCORECARD
from rankscope.studies.reproduce import paper
from rankscope.studies.reproduce.writing import CHECKPOINTS, record_of
from rankscope.studies.runner import Tell

CURE = "name a folder written by rankscope metrics --checkpoint, or by rankscope reproduce"
_REPRODUCED = "reproduce "


def check_folder(folder: str | Path) -> None:
    """Refuse, before any work, what is no folder of studies."""
    _kind(Path(folder))


def from_folder(
    folder: str | Path,
    judged: Judged,
    *,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Study | Chapter:
    """The study of a folder. What a scorecard has not kept is made; what it has must be of this collection."""
    path = Path(folder)
    if _kind(path) == "reproduction":
        try:
            return _reproduced(path)
        except InputError:
            raise
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            cause, cure = "holds a reproduction that cannot be read", "make it again with rankscope reproduce"
            raise InputError(Problem(cause, cure, str(path))) from error
    return scorecard_from(path, judged, progress=progress, workers=workers, client=client)


def _kind(folder: Path) -> str:
    if not folder.is_dir():
        raise InputError(Problem("is no folder", CURE, str(folder)))
    if (folder / CHECKPOINTS / MANIFEST).exists():
        if str(manifest_of(folder / CHECKPOINTS, CURE).get("study", "")).startswith(_REPRODUCED):
            return "reproduction"
    elif (folder / MANIFEST).exists() and manifest_of(folder, CURE).get("study") == SCORECARD:
        return "scorecard"
    raise InputError(Problem("holds no study that a page can show", CURE, str(folder)))


def _reproduced(folder: Path) -> Chapter:
    """A paper's tables and figures, as they were written."""
    manifest = manifest_of(folder / CHECKPOINTS, CURE)
    source = paper(str(manifest["study"]).removeprefix(_REPRODUCED))
    units = Checkpoints.of(folder / CHECKPOINTS, manifest)
    grids, figures, missing = [], [], []
    for item in source.items:
        arrays = units.get(item.number) if item.number in units.units else None
        record = None if arrays is None else record_of(item, arrays)
        if record is None:
            missing.append(f"{item.number} was not made, or its file is damaged.")
            continue
        missing += [f"{part} is left out: {why}" for part, why in record["left_out"].items()]
        for name, text in record["files"].items():
            if not name.endswith(".csv"):
                continue
            header, *rows = list(csv.reader(StringIO(text)))
            key, title, caption = f"{source.name}-{name}", f"{item.number}: {item.title}", record["captions"][name]
            if name in record["drawings"]:
                figure = redrawn(key, record["drawings"][name], header, rows)
                if figure is not None:
                    stem = Path(name).stem
                    figures.append(replace(figure, title=visible(f"{title} ({stem})"), subtitle=visible(caption)))
            shown = [[_short(cell) for cell in row] for row in rows[:ROWS]]
            hidden = max(0, len(rows) - ROWS)
            grids.append(grid(key, f"{title} ({name})", header, shown, text, caption=caption, hidden=hidden))
    draws = [f"{name}: {draw['resamples']:,}, seed {draw['seed']}" for name, draw in manifest["resampling"].items()]
    notes = {"Left out": missing, "Where the paper leaves a choice": source.notes}
    return Chapter(
        key=f"study-{source.name}",
        title=f"Reproduced: {source.name}",
        lines=[source.reference, visible("; ".join([*draws, f"rankscope {manifest.get('rankscope')}"]))],
        grids=grids,
        figures=figures,
        notes=[(head, list(map(visible, lines))) for head, lines in notes.items() if lines],
    )


def redrawn(key: str, drawing: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Drawn | None:
    """The figure of a table, on light and on dark ground; none where the table is not one of this drawing."""
    try:
        return on_both_grounds(drawer_of(drawing, header, rows), key)
    except InputError:
        return None


def _short(cell: str) -> str:
    """A number with four decimals; what is whole, or none, as it is."""
    try:
        return cell if cell.lstrip("-").isdecimal() else f"{float(cell):.4f}"
    except ValueError:
        return cell
