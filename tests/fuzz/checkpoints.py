"""Files of studies that were damaged, or changed by somebody who computes their hashes again."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fuzz.targets import Alone
from fuzz.texts import Words
from rankscope import InputError, studies
from rankscope.statistics import Resampling
from rankscope.studies.checkpoints import MANIFEST, Checkpoints, _seal, read_manifest, write_manifest
from rankscope.studies.metrics import _open as open_scorecard
from rankscope.studies.reproduce import paper
from rankscope.studies.reproduce.writing import record_of

SCORES = {
    name: {f"s{s}": {f"t{t}": float(x) for t, x in enumerate(row)} for s, row in enumerate(value)}
    for name, value in zip(("AP", "RR"), np.random.default_rng(1).random((2, 3, 6)), strict=True)
}
COLUMNS = {"power": {"resamples": 20, "seed": 42, "alpha": 0.05}, "ties": {"resamples": 20, "seed": 42}}
CARD = {"measures": {"AP": "AP"}, "methods": ["sgnLP"], "columns": COLUMNS, "depth": None, "alpha": 0.05}


class StoredStudies(Alone):
    """A damaged file counts as none; a forged one is never an exception, and names no file but its own."""

    name = "checkpoints"
    cases = 48
    options = ("unit", "forged unit", "manifest", "forged manifest", "record")

    def __init__(self, folder: Path) -> None:
        self.folder, self.ready = folder / "checkpoints", False

    def begin(self, option: str, words: Words) -> None:
        self.kind = option
        if not self.ready:
            self._prepare()

    def _prepare(self) -> None:
        self.study = studies.consistency(SCORES, **self._settings()).to_dict()
        self.sound = read_manifest(self.folder / "study")
        assert self.sound is not None
        self.kept = Checkpoints.of(self.folder / "study", self.sound)
        self.unit = self.kept.units[0]
        self.bytes = self.kept.path(self.unit).read_bytes()
        self.arrays = self.kept.get(self.unit)
        self.item = paper("ipso").items[0]
        table = {f"{self.item.stem}.csv": "a,b\n1,2\n"}
        self.record = {
            "files": table, "captions": dict.fromkeys(table, "caption"), "left_out": {},
            "drawings": {name: drawn for name in table if (drawn := self.item.drawing(""))},
        }  # fmt: skip
        assert record_of(self.item, _stored(json.dumps(self.record).encode())) == self.record
        self.ready = True

    def _settings(self) -> dict[str, Any]:
        return {"resampling": Resampling(4), "checkpoints": self.folder / "study", "workers": 1}

    def make(self, rng: Random) -> bytes:
        return {
            "unit": self.bytes,
            "forged unit": self.bytes[:-64],
            "manifest": (self.folder / "study" / MANIFEST).read_bytes(),
            "forged manifest": json.dumps(CARD).encode(),
            "record": json.dumps(self.record).encode(),
        }[self.kind]

    def check(self, raw: bytes) -> str | None:
        path, manifest = self.kept.path(self.unit), self.folder / "study" / MANIFEST
        if self.kind == "unit":
            path.write_bytes(raw)
            return None if _same(self.kept.get(self.unit), self.arrays) else "a damaged unit was read as another"
        if self.kind == "forged unit":
            path.write_bytes(raw + _seal(raw, f"{self.kept.key} {self.unit}"))
            again = str(studies.consistency(SCORES, **self._settings()))
            path.write_bytes(self.bytes)
            return None if again else "nothing was shown"
        if self.kind == "manifest":
            before = manifest.read_bytes()
            manifest.write_bytes(raw)
            stored = read_manifest(self.folder / "study")
            manifest.write_bytes(before)
            return None if stored in (None, self.sound) else "a damaged manifest was read as another"
        if self.kind == "record":
            record = record_of(self.item, _stored(raw))
            names = [] if record is None else [*record["files"], *record["captions"], *record["drawings"]]
            wrong = [name for name in names if not name.startswith(self.item.stem) or {*name} & {*"/\\:\n\0"}]
            return f"would write {wrong}" if wrong else None
        return self._forged_manifest(raw)

    def _forged_manifest(self, raw: bytes) -> str | None:
        try:
            manifest = json.loads(raw)
        except (ValueError, RecursionError):
            return None
        if isinstance(manifest, dict):
            write_manifest(self.folder / "card", {"study": "scorecard", **manifest})
            try:
                open_scorecard(self.folder / "card", CARD)
            except InputError as error:
                return None if error.problems else "refused without a word"
        return None


def _stored(raw: bytes) -> dict[str, Any]:
    return {"files": np.frombuffer(raw, np.uint8)}


def _same(stored: Any, arrays: Any) -> bool:
    """Whether nothing was stored, or the same bits."""
    return stored is None or {name: (value.shape, value.tobytes()) for name, value in stored.items()} == {
        name: (value.shape, value.tobytes()) for name, value in arrays.items()
    }
