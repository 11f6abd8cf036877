"""Long work is kept unit by unit in a folder: a manifest of what is studied, and one file a finished unit.

A folder answers for one study of one collection with one choice of settings. Any other is refused, and nothing in it
is touched. Files appear whole or not at all, so a process may be killed at any moment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from rankscope.errors import InputError, Problem
from rankscope.outputs import UNFINISHED, write_whole
from rankscope.version import __version__

Arrays: TypeAlias = dict[str, NDArray[Any]]
"""What a unit gives: arrays of numbers by name."""

MANIFEST = "study.json"


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The finished units of one study, in a folder."""

    folder: Path
    units: tuple[str, ...]

    @classmethod
    def open(cls, folder: str | Path, study: str, settings: Mapping[str, Any], units: Sequence[str]) -> Checkpoints:
        """A new folder, or that of the same study begun before; refused where it holds anything else.

        settings  whatever the numbers depend on, as plain values of JSON
        """
        settings = {**settings, "units": list(units)}
        folder = Path(folder)
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file", "name a folder for checkpoints")
        files = [] if not folder.exists() else [p.name for p in folder.iterdir() if not p.name.endswith(UNFINISHED)]
        if MANIFEST in files:
            check_same(folder, read_manifest(folder), _manifest(study, settings))
        elif files:
            raise InputError(f"{folder} holds {len(files)} files and no study", "name an empty folder, or a new one")
        else:
            write_manifest(folder, study, settings)
        return cls(folder, tuple(units))

    def get(self, unit: str) -> Arrays | None:
        """Stored result of a unit; None where there is none, or its file cannot be read."""
        try:
            with self._path(unit).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                return {name: stored[name] for name in stored.files}
        except (BadZipFile, ValueError, EOFError, OSError):
            return None

    def put(self, unit: str, arrays: Arrays) -> None:
        """Store the result of a unit."""
        write_whole(self._path(unit), lambda file: np.savez(file, allow_pickle=False, **arrays))

    def done(self) -> list[str]:
        """The units that need not be done again."""
        return [unit for unit in self.units if self._path(unit).exists()]

    def _path(self, unit: str) -> Path:
        plain = re.sub(r"[^A-Za-z0-9.-]+", "_", unit)[:60]
        return self.folder / f"{self.units.index(unit):04d}-{plain}.npz"


def _manifest(study: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """A study and its settings as they read back: tuples are lists."""
    return dict(json.loads(json.dumps({"study": study, "rankscope": __version__, **settings})))


def read_manifest(folder: str | Path, cure: str = "name an empty folder, or a new one") -> dict[str, Any]:
    """Manifest of the study in a folder: its name and settings."""
    path = Path(folder) / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        manifest = None
    if not isinstance(manifest, dict):
        raise InputError(Problem("is no manifest of a study", cure, str(path)))
    return manifest


def write_manifest(folder: Path, study: str, settings: Mapping[str, Any]) -> None:
    """Write the manifest of a study to a folder, which may be new."""
    text = json.dumps(_manifest(study, settings), indent=1)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / MANIFEST, text.encode())
    except OSError as error:
        why = (error.strerror or "error").lower()
        raise InputError(Problem(f"cannot be written ({why})", "name another folder", str(folder))) from error


def check_same(folder: Path, manifest: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse a folder whose manifest says anything else than is wanted."""
    cure = "name another folder for this study, or ask for the one that is there"
    apart = [key for key in dict.fromkeys([*manifest, *wanted]) if manifest.get(key) != wanted.get(key)]
    problems = [
        Problem(f"another study's checkpoint: {key} is {_short(manifest.get(key))} there, "
                f"{_short(wanted.get(key))} here", cure, str(folder))
        for key in apart
    ]  # fmt: skip
    if problems:
        raise InputError(problems)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
