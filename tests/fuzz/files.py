"""Whole files: what `load` says of them with the C loops, with the numpy twins, and in the literal diagnosis."""

from __future__ import annotations

import inspect
import warnings
from itertools import product
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from fuzz import texts
from fuzz.targets import Alone, differ
from fuzz.texts import Words
from rankscope import InputError, Judged, kernels, load
from rankscope.arrays import Text, cut
from rankscope.errors import DataWarning
from rankscope.io.files import read_text
from rankscope.io.problems import qrels_problems, run_problems
from rankscope.io.trec import comments_apart, six_fields
from rankscope.judged import ranked
from rankscope.kernels import compiled, pure

RULES = tuple(
    {"ties": ties, "score_dtype": score, "duplicates": repeats, "depth": depth, "keep_docs": docs, "keep_ties": docs}
    for (ties, score, repeats), (depth, docs) in product(
        product(("trec", "rank", "file", "best", "worst"), ("float64", "float32"), ("error", "first")),
        ((None, False), (2, True)),
    )
)
TOLD = {"run_format": "trec", "qrels_format": "trec"}  # or a damaged text might be good in another format
NOTHING_SHARED = "no topic in common "
WHOLE = ranked._SPLIT  # smaller files are read in one piece


def use(module: ModuleType) -> None:
    """Read with these kernels from now on."""
    for name in kernels.__all__:
        if inspect.isfunction(getattr(kernels, name)) and hasattr(module, name):
            setattr(kernels, name, getattr(module, name))


class Files(Alone):
    """Judgments and a run on disk: one is the text under test, the other a good file made of the same ids.

    Read in one piece, and in pieces of a few bytes on two threads.
    """

    name = "load"
    cases = 16
    options = tuple(product(("run", "qrels"), RULES, (False, True)))

    def __init__(self, folder: Path) -> None:
        self.qrels, self.run = folder / "qrels", folder / "run"

    def begin(self, option: tuple[str, dict[str, Any], bool], words: Words) -> None:
        self.role, self.rules, self.split = option
        self.words = words
        self.options_of_load = self.rules | TOLD | {"workers": 2 if self.split else 1}
        topics, docs = dict.fromkeys(words.topics), list(dict.fromkeys(words.docs))
        judged = b"".join(b"%s 0 %s %d\n" % (t, d, n % 4 - 1) for t in topics for n, d in enumerate(docs[::2]))
        lists = b"".join(b"%s Q0 %s %d %d t\n" % (t, d, n, n % 3) for t in topics for n, d in enumerate(docs))
        self.qrels.write_bytes(judged or b"t 0 d 1\n")
        self.run.write_bytes(lists or b"t Q0 d 1 1 t\n")

    def make(self, rng: Random) -> bytes:
        return texts.lines(rng, self.words, 6 if self.role == "run" else 4)

    def check(self, raw: bytes) -> str | None:
        (self.run if self.role == "run" else self.qrels).write_bytes(raw)
        ours, twin = self._loaded(compiled), self._loaded(pure)
        return _differ(ours, twin) or self._diagnosed(ours)

    def _loaded(self, module: ModuleType) -> Judged | InputError:
        use(module)
        ranked._SPLIT = 30 if self.split else WHOLE
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)
                return load(self.qrels, self.run, **self.options_of_load)
        except InputError as error:
            return error
        finally:
            ranked._SPLIT = WHOLE
            use(compiled)

    def _diagnosed(self, got: Judged | InputError) -> str | None:
        try:
            qrels, run = (comments_apart(read_text(path))[0] for path in (self.qrels, self.run))
        except InputError:
            return None  # no text at all: damaged, or UTF-16
        first = self.rules["duplicates"] == "first"
        cut, wide = six_fields(run)
        run = cut if wide else run
        problems = [
            *qrels_problems(qrels, "qrels", first=first or _by_subtopic(qrels)),
            *run_problems(run, "run", ranks=self.rules["ties"] == "rank", first=first),
        ]
        if isinstance(got, Judged):
            return f"load accepts, the diagnosis finds {problems[:3]}" if problems else None
        if problems or [p.cause.startswith(NOTHING_SHARED) for p in got.problems] == [True]:
            return None if got.problems else "load refuses without a word"
        return f"the diagnosis finds nothing, load says {[str(p) for p in got.problems[:3]]}"


def _by_subtopic(qrels: Text) -> bool:
    """Whether documents are judged for several subtopics, in the second column, and once for each of them."""
    spans = kernels.scan(qrels, 4)
    judged = [] if spans is None else list(zip(*(cut(qrels, spans[:, field]) for field in range(3)), strict=True))
    return 0 < len(set(judged)) == len(judged)


def _differ(ours: Judged | InputError, twin: Judged | InputError) -> str | None:
    if isinstance(ours, InputError) or isinstance(twin, InputError):
        return None if repr(ours) == repr(twin) and type(ours) is type(twin) else f"C {ours!r:.300}, twin {twin!r:.300}"
    for name in ("systems", "topics", "code", "grades", "available", "notes"):
        a, b = getattr(ours, name), getattr(twin, name)
        what = (None if a == b else f"{a} against {b}") if isinstance(a, tuple) else differ(a, b)
        if what:
            return f"{name}: {what}"
    for a, b in zip(ours.extremes or (), twin.extremes or (), strict=True):
        if what := differ(a, b):
            return f"extremes: {what}"
    if ours.documents is None or twin.documents is None:
        return None if ours.documents is twin.documents else "documents"
    return differ(ours.documents.number, twin.documents.number) or (
        None if ours.documents.ids == twin.documents.ids else "documents"
    )
