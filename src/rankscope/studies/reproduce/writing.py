"""A paper's tables and figures into a folder, one item after the other, with a page that names them all."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.arguments import at_once
from rankscope.errors import InputError, Problem, argument, plural, quietly, reason
from rankscope.formatting import markdown, visible
from rankscope.judged import Judged, Thinner
from rankscope.outputs import check_named
from rankscope.parallel import Client, check_workers
from rankscope.results import Result, csv_text
from rankscope.studies.base import Table, extent
from rankscope.studies.checkpoints import (
    MANIFEST,
    OURS,
    Arrays,
    Checkpoints,
    files_of,
    new_manifest,
    read_arrays,
    read_manifest,
    write_arrays,
    write_file,
)
from rankscope.studies.checks import samples_of
from rankscope.studies.preference_lists import comparable, facts
from rankscope.studies.reproduce import cwla, disagreement, interval_scales, ipso, lexiprecision
from rankscope.studies.reproduce.items import DRAWS, Item, Paper, Pictures, Setting
from rankscope.studies.runner import Run, Tell
from rankscope.studies.sampling import pool_fingerprint
from rankscope.version import __version__

PAPERS = {p.PAPER.name: p.PAPER for p in (ipso, interval_scales, cwla, disagreement, lexiprecision)}
CHECKPOINTS = "checkpoints"
INDEX = "index.md"
DRAWN = "9999-pictures.npz"  # in the folder of checkpoints: names of the pictures, as a unit keeps those of its files
_OURS = re.compile(r"[a-z]+-[a-z0-9-]+\.(csv|tex|svg|pdf)")
_RECORD = ("files", "captions", "drawings", "left_out")
_PART = r"[a-z]?(-[a-z]+)*"  # what follows an item's stem in the name of a file
_NOT_ASKED = "the figures were not asked for"
_STUDY = "reproduce "
_NO_LISTS = "needs a collection; name judgments and runs"
_NO_DOCUMENTS = "it takes judgments away: load the collection with keep_docs=True"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reproduction(Result):
    """The files of a reproduction.

    files     captions by name of file, by number of item
    left_out  reasons by number of item, or of a part of it
    """

    paper: Paper
    folder: Path
    files: Mapping[str, Mapping[str, str]]
    left_out: Mapping[str, str]
    settings: Mapping[str, Any]

    def columns(self) -> dict[str, list[Any]]:
        """One row per item: its number, what it shows, its files or why it has none."""
        return {
            "item": [item.number for item in self.paper.items],
            "what it shows": [item.title for item in self.paper.items],
            "files": [self._listed(item.number) for item in self.paper.items],
        }

    def _listed(self, number: str) -> str:
        return ", ".join(self.files.get(number, ())) or f"left out: {self.left_out.get(number, 'not made yet')}"

    def heading(self) -> str:
        return f"Wrote {plural(sum(map(len, self.files.values())), 'file')} and {INDEX} to {self.folder}."

    def remarks(self) -> list[str]:
        by_reason: dict[str, list[str]] = {}
        for number, why in self.left_out.items():
            by_reason.setdefault(why, []).append(number)
        return [f"Left out: {', '.join(numbers)} ({why})." for why, numbers in by_reason.items()]

    def __str__(self) -> str:
        return "\n".join(map(visible, [self.heading(), *self.remarks()]))

    def to_dict(self) -> dict[str, Any]:
        return {
            "paper": self.paper.name,
            "folder": str(self.folder),
            "files": {number: list(names) for number, names in self.files.items()},
            "left_out": dict(self.left_out),
            "settings": dict(self.settings),
        }


def paper(name: str) -> Paper:
    """A paper by its short name."""
    if name not in PAPERS:
        near = get_close_matches(str(name), PAPERS, 1, 0.4)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InputError(f"{name!r} is no paper that can be reproduced{hint}", f"papers are {', '.join(PAPERS)}")
    return PAPERS[name]


def reproduce(
    name: str,
    folder: str | Path,
    setting: Setting | None = None,
    *,
    pictures: Pictures | str = _NOT_ASKED,
    force: bool = False,
    progress: Tell | None = None,
    client: Client = None,
) -> Reproduction:
    """Write every table and figure of a paper into a folder: CSV, tables also as LaTeX, and a page that names them.

    name      "ipso", "interval-scales", "cwla", "disagreement" or "lexiprecision"
    folder    empty, new, or that of the same reproduction begun before, which goes on where it was stopped
    setting   the collection, numbers of resamples, seed and workers; without a collection, what needs one is left out
    pictures  draws the figures from their tables, as `figures.papers.pictures()` does; or why they are not drawn. No
              number depends on it: a reproduction that is done can be drawn later
    force     take over a folder that holds something else: files of an earlier reproduction go, as its checkpoints
              list them; all others stay, and none is ever written over
    """
    publication, setting = paper(name), setting or Setting()
    settings = _settings(publication, setting)
    items = {item.number: item for item in publication.items if _why_not(item, setting.judged) is None}
    if not items:
        raise InputError(f"all that {name} shows needs a collection", "name judgments and runs")
    check_named(folder)
    target = Path(folder)
    study = f"{_STUDY}{publication.name}"
    kept = Checkpoints.of(target / CHECKPOINTS, new_manifest(study, {**settings, "units": list(items)}))
    _take(publication, kept, force, () if isinstance(pictures, str) else pictures.formats)

    def work(number: str, _: int) -> Arrays:
        text = json.dumps(_files(items[number], setting))
        return {"files": np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)}

    def finish(units: dict[str, Arrays]) -> Reproduction:
        by_item = {number: record_of(items[number], arrays) or {} for number, arrays in units.items()}
        if not any(record["files"] for record in by_item.values()):
            reasons = {
                why: f"{number}: {why}" for record in by_item.values() for number, why in record["left_out"].items()
            }
            raise InputError([Problem(cause) for cause in reasons.values()])
        return _written(publication, kept, settings, by_item, setting.judged, pictures)

    # items one after the other, each on all workers, or the cluster: they share what is expensive
    run = Run(target / CHECKPOINTS, progress, 1, client)
    return run.conduct(
        study, list(items), work, finish, settings=settings, kind="shared",
        fits=lambda number, arrays: _fits(items[number], arrays),
    )  # fmt: skip


def _settings(publication: Paper, setting: Setting) -> dict[str, Any]:
    """All that the numbers depend on; checked before anything is written."""
    at_once(
        lambda: samples_of(setting.draws("samples")),
        lambda: arguments.alpha(setting.alpha),
        lambda: check_workers(setting.workers),
    )
    draws = {name: setting.draws(name) for name in DRAWS if name in publication.uses}
    used: dict[str, Any] = {
        "resampling": {name: {"resamples": draw.resamples, "seed": draw.seed} for name, draw in draws.items()}
    }
    if "alpha" in publication.uses:
        used["alpha"] = setting.alpha
    if setting.judged is None:
        return {**used, "collection": None}
    base = comparable(setting.judged, n_systems=publication.n_systems, n_topics=publication.n_topics)
    sampled = base.documents is not None and any(item.needs == "documents" for item in publication.items)
    return {
        **used,
        "collection": {
            **facts(setting.judged, base),
            "depth": setting.judged.code.shape[-1],
            "grades": setting.judged.grades.tolist(),
            "rules": setting.judged.rules.signature(),
            "documents": pool_fingerprint(Thinner.of(base)) if sampled else None,
        },
    }


def _take(publication: Paper, wanted: Checkpoints, force: bool, formats: tuple[str, ...]) -> None:
    """Refuse a folder that holds something else, or clear it of another reproduction where that is asked for."""
    kept, folder = wanted.folder, wanted.folder.parent
    if folder.exists() and not folder.is_dir():
        raise InputError(Problem("is a file", "name a folder", str(folder)))
    stems = _stems(publication.items)
    present = files_of(folder, rf"{re.escape(INDEX)}|({stems}){_PART}\.(csv|tex|svg|pdf)")
    if kept.is_symlink():
        raise InputError(Problem("is a link", "name another folder", str(kept)))
    before = (kept / MANIFEST).exists()
    if kept.is_dir() and not files_of(kept):  # a process was killed before it wrote the manifest
        present.remove(kept.name)
    if present and not before and not force:
        raise InputError(
            Problem(f"holds {', '.join(present[:3])}{', ...' * (len(present) > 3)} and no reproduction",
                    f"name an empty folder or a new one, or take it over with {argument('force', True)}", str(folder))
        )  # fmt: skip
    earlier = _earlier(kept, force=force) or wanted
    ours = {*_listed(earlier)}
    if any(_is_index(folder / INDEX, paper) for paper in PAPERS.values()):
        ours.add(INDEX)
    # names of a unit whose checkpoint is damaged are not known: what looks like them is written again, not deleted
    damaged = set() if force else _like_damaged(publication, wanted, present)
    endings = "|".join(("csv", "tex", *formats))
    names = re.compile(rf"{re.escape(INDEX)}|({stems}){_PART}\.({endings})")
    if foreign := [name for name in present if names.fullmatch(name) and name not in ours | damaged]:
        raise InputError([
            Problem("would be written over, and no earlier reproduction lists it as its own",
                    "move it away, or name another folder", str(folder / name))
            for name in foreign
        ])  # fmt: skip
    if force and before:  # without force, whether they are of the same reproduction is looked at when they are opened
        for name in ours:
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(kept)


def _earlier(kept: Path, *, force: bool) -> Checkpoints | None:
    """Checkpoints of the reproduction that a folder holds; with force, anything else there is refused."""
    manifest, cure = read_manifest(kept), "name another folder"
    if manifest is None:
        if force and kept.exists():
            raise InputError(Problem("is not ours", cure, str(kept)))
        return None
    study, units = str(manifest.get("study")), manifest.get("units")
    ours = study.startswith(_STUDY) and isinstance(units, list) and all(isinstance(unit, str) for unit in units)
    if force and not ours:
        raise InputError(Problem(f"holds the checkpoints of {study}", cure, str(kept)))
    strange = [name for name in files_of(kept) if not re.fullmatch(OURS, name)]
    if force and strange:
        raise InputError(
            [Problem("is not ours, and would go with the checkpoints", cure, str(kept / name)) for name in strange]
        )
    return Checkpoints.of(kept, manifest) if ours else None


def _listed(kept: Checkpoints) -> list[str]:
    """Files that the reproduction of these checkpoints wrote, as its units list them."""
    records = [_stored(arrays) for unit in kept.done() if (arrays := kept.get(unit)) is not None]
    names = [name for record in records if record is not None for name in record.get("files", {})]
    return [name for name in [*names, *(_drawn(kept) or ())] if isinstance(name, str) and _OURS.fullmatch(name)]


def _drawn(kept: Checkpoints) -> list[Any] | None:
    """Names of the pictures that were drawn; None where their list is damaged."""
    path = kept.folder / DRAWN
    if not path.exists():
        return []
    record = _stored(read_arrays(path, f"{kept.key} {DRAWN}"))
    return None if record is None else list(record.get("files", ()))


def _like_damaged(publication: Paper, kept: Checkpoints, present: Sequence[str]) -> set[str]:
    """Names that may be of units whose checkpoint is there and damaged."""
    damaged = [
        item for item in publication.items
        if item.number in kept.done() and not _fits(item, kept.get(item.number) or {})
    ]  # fmt: skip
    alike = [rf"({_stems(damaged)}){_PART}\.(csv|tex)"] if damaged else []
    if _drawn(kept) is None:
        alike.append(rf"({_stems(publication.items)}){_PART}\.(svg|pdf)")
    return {name for name in present if any(re.fullmatch(pattern, name) for pattern in alike)}


def _stems(items: Sequence[Item]) -> str:
    return "|".join(re.escape(item.stem) for item in items)


def _stored(arrays: Arrays | None) -> dict[str, Any] | None:
    """The record in the arrays of a unit; None where there is none."""
    try:
        record = json.loads((arrays or {})["files"].tobytes().decode("utf-8", "surrogateescape"))
    except (KeyError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("files"), dict | list) else None


def record_of(item: Item, arrays: Arrays) -> dict[str, dict[str, str]] | None:
    """Files, captions, drawings and what is left out of an item, as they are stored; None where they cannot be its own.

    Names are those that the item gives its files, and nothing else is ever written.
    """
    record = _stored(arrays)
    if record is None or record.keys() != {*_RECORD} or not all(isinstance(part, dict) for part in record.values()):
        return None
    texts = [text for part in record.values() for pair in part.items() for text in pair]
    name_of = re.compile(rf"{re.escape(item.stem)}({_PART})\.({'|'.join(item.files)})")
    names = {name: name_of.fullmatch(name) for name in record["files"]}
    drawings = {name: item.drawing(match[1]) for name, match in names.items() if match and name.endswith(".csv")}
    if (
        not all(isinstance(text, str) for text in texts)
        or not all(names.values())
        or record["captions"].keys() != names.keys()
        or record["drawings"] != {name: drawing for name, drawing in drawings.items() if drawing}
        or not all(_is_table(text) for name, text in record["files"].items() if name.endswith(".csv"))
    ):
        return None
    return record


def _is_table(text: str) -> bool:
    """Whether a text is a table of CSV: rows of one length, with a header."""
    try:
        return len({len(row) for row in csv.reader(StringIO(text))}) == 1
    except csv.Error:
        return False


def _fits(item: Item, arrays: Arrays) -> bool:
    return record_of(item, arrays) is not None


def _is_index(path: Path, paper: Paper) -> bool:
    """Whether a file is the page of a reproduction, which begins with the paper's name."""
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape") if path.is_file() else ""
        return text.startswith(f"# {markdown(paper.reference)}\n")
    except OSError:
        return False


def _why_not(item: Item, judged: Judged | None) -> str | None:
    """The reason why an item cannot be made, or None."""
    if item.needs == "nothing":
        return None
    if judged is None:
        return _NO_LISTS
    return _NO_DOCUMENTS if item.needs == "documents" and judged.documents is None else None


def _files(item: Item, setting: Setting) -> dict[str, Any]:
    """Texts of the files of an item, their captions, as what tables are drawn, and what is left out of it."""
    files, captions, drawings, left_out = dict[str, str](), dict[str, str](), dict[str, str](), dict[str, str]()
    try:
        with quietly():  # the page says how many topics were left out
            parts = item.make(setting)
    except InputError as error:  # the others go on
        parts, left_out = {}, {item.number: reason(error, cures=True)}
    for part, table in parts.items():
        if isinstance(table, str):
            left_out[f"{item.number}, {part}"] = table
            continue
        for ending in item.files:
            name = f"{item.stem}{part}.{ending}"
            files[name] = csv_text(table.columns()) if ending == "csv" else _latex(item, table)
            captions[name] = table.caption
        if drawing := item.drawing(part):
            drawings[f"{item.stem}{part}.csv"] = drawing
    return {"files": files, "captions": captions, "drawings": drawings, "left_out": left_out}


def _latex(item: Item, table: Table) -> str:
    return replace(table, caption=f"{item.title}. {table.caption}").to_latex() + "\n"


def _written(
    publication: Paper,
    kept: Checkpoints,
    settings: Mapping[str, Any],
    by_item: Mapping[str, Any],
    judged: Judged | None,
    pictures: Pictures | str,
) -> Reproduction:
    left_out, folder = dict[str, str](), kept.folder.parent
    if not isinstance(pictures, str):
        left_out |= _draw(kept, by_item, pictures)
    drawn = [name for name in _drawn(kept) or () if isinstance(name, str) and _OURS.fullmatch(name)]
    drawn = [name for name in drawn if (folder / name).exists()]
    for item in publication.items:
        if why := _why_not(item, judged):
            left_out[item.number] = why
        elif item.number not in by_item:
            left_out[item.number] = "not made yet; the same command goes on where it stopped"
        else:
            left_out |= by_item[item.number]["left_out"]
            for name, text in by_item[item.number]["files"].items():
                write_file(folder / name, text.encode("utf-8", "surrogateescape"))
    reproduction = Reproduction(
        paper=publication,
        folder=folder,
        files={number: _with_pictures(files["captions"], drawn) for number, files in by_item.items()},
        left_out=left_out,
        settings=settings,
    )
    index = _index(reproduction, judged, pictures)
    write_file(folder / INDEX, index.encode("utf-8", "surrogateescape"))
    return reproduction


def _draw(kept: Checkpoints, by_item: Mapping[str, Any], pictures: Pictures) -> dict[str, str]:
    """Draw every table that is a figure; why one is not drawn, by the name of its file."""
    contents, left_out = dict[str, bytes](), dict[str, str]()
    for number, files in by_item.items():
        for name, drawing in files["drawings"].items():
            header, *rows = csv.reader(StringIO(files["files"][name]))
            drawn = pictures.draw(drawing, header, rows)
            if isinstance(drawn, str):
                left_out[f"{number}, drawing of {name}"] = drawn
            else:
                contents |= {f"{Path(name).stem}.{ending}": content for ending, content in drawn.items()}
    # the list first, so that a picture is never there without being known as ours
    names = json.dumps({"files": list(dict.fromkeys([*(_drawn(kept) or ()), *contents]))}).encode()
    write_arrays(kept.folder / DRAWN, {"files": np.frombuffer(names, np.uint8)}, f"{kept.key} {DRAWN}")
    for name, content in contents.items():
        write_file(kept.folder.parent / name, content)
    return left_out


def _with_pictures(captions: Mapping[str, str], drawn: Collection[str]) -> dict[str, str]:
    """Files of an item with their captions; a picture has that of its table."""
    files = dict[str, str]()
    for name, caption in captions.items():
        files[name] = caption
        if name.endswith(".csv"):
            files |= {picture: caption for picture in drawn if Path(picture).stem == Path(name).stem}
    return files


def _index(reproduction: Reproduction, judged: Judged | None, pictures: Pictures | str) -> str:
    """The page that says what every file is, and how it was made."""
    rows = []
    for item in reproduction.paper.items:
        together: dict[tuple[str, str], list[str]] = {}
        for name, caption in reproduction.files.get(item.number, {}).items():
            together.setdefault((Path(name).stem, caption), []).append(f"[{name}]({name})")
        rows += [
            f"| {item.number} | {markdown(item.title)} | {', '.join(names)} | {markdown(caption)} |"
            for (_, caption), names in together.items()
        ]
    table = "\n".join(["| in the paper | what it shows | files | how |", "| --- | --- | --- | --- |", *rows])
    kept = reproduction.settings["collection"] or {}
    draws = reproduction.settings["resampling"]
    words = [f"- {name}: {draw['resamples']:,}, seed {draw['seed']}" for name, draw in draws.items()]
    words += [f"- alpha: {reproduction.settings['alpha']:g}"] if "alpha" in reproduction.settings else []
    if judged is None:
        words.append("- collection: none; what follows from all possible rankings")
    else:
        grades = ", ".join(f"{grade:g}" for grade in kept["grades"])
        words += [
            f"- collection: {extent(kept)} ({kept['left_out']} without a relevant "
            f"document left out), lists to depth {kept['depth']}, grades {grades}, relevant from "
            f"{kept['relevant_from']:g}",
            f"- lists: {'|'.join(kept['rules'])}",
            f"- fingerprint of lists and judgments: {kept['data']}",
        ]
        if kept["documents"]:
            words.append(f"- fingerprint of judged documents, by whose names samples are drawn: {kept['documents']}")
    endings = {Path(name).suffix for names in reproduction.files.values() for name in names}
    kinds = [ending[1:].upper() for ending in (".svg", ".pdf") if ending in endings]
    drawn = f"drawn as {' and '.join(kinds)}, each from the table beside it" if kinds else "not drawn"
    words.append(f"- figures: {drawn}" + (f"; {pictures}" if isinstance(pictures, str) else ""))
    words.append(f"- rankscope: {__version__}")
    chosen = [f"- {note}" for note in map(markdown, reproduction.paper.notes)]
    chosen += [f"- {item.number}: {markdown(item.chosen)}" for item in reproduction.paper.items if item.chosen]
    missing = [f"- {number}: {markdown(why)}" for number, why in reproduction.left_out.items()]
    parts = [
        f"# {markdown(reproduction.paper.reference)}", table,
        "## Settings", "\n".join(words),
        "## Where the paper leaves a choice, or prints what does not come out", "\n".join(chosen),
        "## Left out", "\n".join(missing) or "Nothing.",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"
