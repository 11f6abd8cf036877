"""Long work is kept unit by unit in a folder: a manifest of what is studied, and one file a finished unit.

A folder answers for one study of one collection with one choice of settings. Any other is refused, and nothing in it
is touched. Files appear whole or not at all, so a process may be killed at any moment. Each has a hash of its content:
a unit whose file is damaged, or of another study, is done again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from numpy.typing import NDArray

from rankscope.errors import FileError, Problem, plural
from rankscope.outputs import UNFINISHED, refused_writes, remove_unfinished, write_output
from rankscope.version import __version__

Arrays: TypeAlias = dict[str, NDArray[Any]]
"""What a unit gives: arrays of numbers by name."""

MANIFEST = "study.json"
_HASH = "sha256"
_ANOTHER = "make room there, or name another folder"
_SEAL = 64  # characters of a hash, behind the archive of a unit
_UNIT = r"[0-9]{4,}-[A-Za-z0-9._-]*\.npz"
OURS = rf"{re.escape(MANIFEST)}|{_UNIT}"
"""Names of the files of a study."""


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The finished units of one study, in a folder.

    key  hash of the study and its settings, part of the hash of every unit
    """

    folder: Path
    units: tuple[str, ...]
    key: str

    @classmethod
    def open(cls, folder: str | Path, study: str, settings: Mapping[str, Any], units: Sequence[str]) -> Checkpoints:
        """A new folder, or that of the same study begun before; refused where it holds anything else.

        settings  whatever the numbers depend on, as plain values of JSON

        A manifest that is damaged is written again: units know the study that they are of.
        """
        wanted = new_manifest(study, {**settings, "units": list(units)})
        folder = Path(folder)
        files = files_of(folder)
        before = read_manifest(folder) if MANIFEST in files else None
        if before is not None:
            check_same(folder, before, wanted)
        elif foreign := [name for name in files if not re.fullmatch(OURS, name)]:
            cause = f"holds {plural(len(foreign), 'file')} and no study"
            raise FileError(Problem(cause, "name an empty folder, or a new one", str(folder)))
        else:
            write_manifest(folder, wanted)
        return cls(folder, tuple(units), _hash(wanted))

    @classmethod
    def of(cls, folder: Path, manifest: Mapping[str, Any]) -> Checkpoints:
        """The units of a study that was begun before, by its manifest."""
        return cls(folder, tuple(manifest["units"]), _hash(manifest))

    def get(self, unit: str) -> Arrays | None:
        """Stored result of a unit; None where there is none, or its file is damaged or of something else."""
        return read_arrays(self.path(unit), f"{self.key} {unit}")

    def put(self, unit: str, arrays: Arrays) -> None:
        """Store the result of a unit."""
        write_arrays(self.path(unit), arrays, f"{self.key} {unit}")

    def done(self) -> list[str]:
        """The units that have a file."""
        return [unit for unit in self.units if self.path(unit).exists()]

    def path(self, unit: str) -> Path:
        """File of a unit."""
        plain = re.sub(r"[^A-Za-z0-9.-]+", "_", unit)[:60]
        return self.folder / f"{self.units.index(unit):04d}-{plain}.npz"


def write_arrays(path: Path, arrays: Arrays, key: str) -> None:
    """Write arrays as an archive of numpy, and behind it a hash of the archive and of the key."""
    archive = BytesIO()
    np.savez(archive, allow_pickle=False, **arrays)
    content = archive.getvalue()
    write_file(path, content + _seal(content, key))


def read_arrays(path: Path, key: str) -> Arrays | None:
    """What was written with this key; None where a byte of it is another, or the file is none of ours."""
    try:
        text = path.read_bytes() if path.is_file() else b""
        content, seal = text[:-_SEAL], text[-_SEAL:]
        if seal != _seal(content, key):
            return None
        with ZipFile(BytesIO(content)) as archive:
            if any(member.compress_type != ZIP_STORED for member in archive.infolist()):
                return None  # never written so; what is packed may be of any size
        with np.load(BytesIO(content), allow_pickle=False) as stored:
            return {name: np.asarray(stored[name]) for name in stored.files}
    except Exception:  # a hash can be computed by anybody: whatever numpy finds wrong, the unit is done again
        return None


def _seal(content: bytes, key: str) -> bytes:
    return sha256(content + b"\n" + key.encode("utf-8", "backslashreplace")).hexdigest().encode()


def new_manifest(study: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """A study and its settings as they read back: tuples are lists."""
    return dict(json.loads(json.dumps({"study": study, "rankscope": __version__, **settings})))


def _hash(manifest: Mapping[str, Any]) -> str:
    return sha256(json.dumps(manifest).encode()).hexdigest()


def read_manifest(folder: str | Path) -> dict[str, Any] | None:
    """Manifest of the study in a folder: its name and settings; None where there is none, or it is damaged."""
    try:
        path = Path(folder) / MANIFEST
        manifest = json.loads(path.read_text(encoding="utf-8") if path.is_file() else "null")
        same = isinstance(manifest, dict) and manifest.pop(_HASH, None) == _hash(manifest)
    except (OSError, ValueError, RecursionError):
        return None
    return manifest if same else None


def manifest_of(folder: str | Path, cure: str) -> dict[str, Any]:
    """Manifest of the study in a folder, which must have one."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise FileError(Problem("is no manifest of a study, or damaged", cure, str(Path(folder) / MANIFEST)))
    return manifest


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of a study to a folder, which may be new."""
    text = json.dumps({**manifest, _HASH: _hash(manifest)}, indent=1)
    with refused_writes(folder, _ANOTHER):
        folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / MANIFEST, text.encode())


def files_of(folder: Path, ours: str = OURS) -> list[str]:
    """Names in a folder, which may be new. What a process that was killed left unfinished is removed.

    ours  a pattern of names that are written there
    """
    if folder.exists() and not folder.is_dir():
        raise FileError(Problem("is a file", "name a folder for checkpoints", str(folder)))
    if not folder.exists():
        return []
    remove_unfinished(folder, ours)
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(UNFINISHED))


def write_file(path: Path, content: bytes) -> None:
    """Write a file of a study completely or not at all, a regular one; a link or pipe in its place is replaced."""
    write_output(path, content, follow=False, cure=_ANOTHER)


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
        raise FileError(problems)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
