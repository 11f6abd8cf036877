"""Two systems: by their names, or as two runs beside judgments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankscope.io import is_path, system_name
from rankscope.io.remote import located
from rankscope.judged.join import load
from rankscope.judged.model import Judged
from rankscope.judged.sources import check_rules, runs_beside_lists


def two_systems(
    source: Any, a: Any, b: Any, *, read: Callable[..., Judged] = load, scores: bool = False, **rules: Any
) -> tuple[Any, str, str]:
    """The lists and the names of two systems of them.

    source  lists that were loaded, and then a and b are names; or judgments, and then they are runs, as `load` takes
            them: files, dictionaries, frames, ranx' Run or ir_measures' rows
    read    joins judgments with runs by name, by the rules of `load`
    scores  whether the source may also be scores, which are left as they are
    """
    named = isinstance(a, str) and isinstance(b, str)
    files = is_path(source) and named and located(a).is_file() and located(b).is_file()
    known = isinstance(source, Judged) or (scores and named and not files)
    check_rules(rules, read=not known)
    if known:
        if not named:
            raise runs_beside_lists()
        return source, a, b
    names = _name(a, "A"), _name(b, "B")
    if names[0] == names[1]:
        names = f"{names[0]} (A)", f"{names[1]} (B)"
    return read(source, dict(zip(names, (a, b), strict=True)), **rules), *names


def _name(run: Any, otherwise: str) -> str:
    if is_path(run):
        return system_name(run)
    name = getattr(run, "name", None)  # ranx' runs have one
    return name if isinstance(name, str) and name else otherwise
