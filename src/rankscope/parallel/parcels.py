"""Work that goes to another process of this machine: a function with all that it refers to, as bytes.

Functions within functions travel as their code and the values they close over: both sides run the same Python and the
same modules. What was defined in `__main__`, a script or a notebook, does not travel: that would be run again there.
"""

from __future__ import annotations

import importlib
import io
import marshal
import pickle
import sys
import warnings
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, MappingProxyType
from typing import Any

from rankscope.errors import warn


def packed(thing: Any) -> bytes | None:
    """The thing as bytes, or None where it cannot travel."""
    room = io.BytesIO()
    try:
        _Pickler(room, 5).dump(thing)
    except Exception:  # each kind of thing has its own way to refuse
        return None
    return room.getvalue()


class _Pickler(pickle.Pickler):
    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, FunctionType | type) and thing.__module__ == "__main__":
            raise pickle.PicklingError(f"{thing.__qualname__} is of __main__")
        if isinstance(thing, FunctionType) and not _found_by_name(thing):
            cells = tuple(map(_value, thing.__closure__ or ()))
            bare = marshal.dumps(thing.__code__), thing.__module__, len(cells)
            named = thing.__name__, thing.__qualname__, thing.__defaults__, thing.__kwdefaults__, thing.__dict__
            return _bare, bare, (named, cells), None, None, _fill
        if isinstance(thing, MappingProxyType):
            return MappingProxyType, (dict(thing),)
        return NotImplemented


def _found_by_name(function: FunctionType) -> bool:
    value: Any = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        value = getattr(value, name, None)
    return value is function


def _value(cell: CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # assigned later, or never
        return ()


def _bare(code: bytes, module: str, cells: int) -> FunctionType:
    """The function without what it closes over, which may be the function itself."""
    code_object = marshal.loads(code)
    assert isinstance(code_object, CodeType)
    return FunctionType(
        code_object, vars(importlib.import_module(module)), closure=tuple(CellType() for _ in range(cells))
    )


def _fill(function: FunctionType, state: tuple[Any, tuple[tuple[Any, ...], ...]]) -> None:
    named, cells = state
    function.__name__, function.__qualname__, function.__defaults__, function.__kwdefaults__, function.__dict__ = named
    for cell, value in zip(function.__closure__ or (), cells, strict=True):
        if value:
            cell.cell_contents = value[0]


def overheard(work: Callable[[Any], Any], unit: Any) -> tuple[Any, list[Any]]:
    """Result of work for the unit, and its warnings; only where no other thread is at work."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = work(unit)
    return result, [(warning.category, str(warning.message)) for warning in caught]


def repeat(warned: list[Any]) -> None:
    """Warn here of what was warned of there."""
    for category, message in warned:
        warn(*message.splitlines(), category=category, stacklevel=2)
