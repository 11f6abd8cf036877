"""rankscope: is one ranking system really better than another, and would that still be true under another metric?

The public face is listed in `__all__`. Everything is imported when first used, so that `import rankscope` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankscope.version import __version__

_HOMES = {
    "DataWarning": "rankscope.errors",
    "InputError": "rankscope.errors",
    "Judged": "rankscope.judged",
    "Measure": "rankscope.measures",
    "Scores": "rankscope.measures",
    "convert": "rankscope.io",
    "evaluate": "rankscope.measures",
    "load": "rankscope.judged",
    "measure": "rankscope.measures",
    "read_qrels": "rankscope.io",
    "read_run": "rankscope.io",
    "register": "rankscope.measures",
    "simulation": "rankscope.simulation",
    "statistics": "rankscope.statistics",
    "validate": "rankscope.validation",
    "write_qrels": "rankscope.io",
    "write_run": "rankscope.io",
}

__all__ = [
    "DataWarning",
    "InputError",
    "Judged",
    "Measure",
    "Scores",
    "__version__",
    "convert",
    "evaluate",
    "load",
    "measure",
    "read_qrels",
    "read_run",
    "register",
    "simulation",
    "statistics",
    "validate",
    "write_qrels",
    "write_run",
]

if TYPE_CHECKING:
    import rankscope.simulation as simulation
    import rankscope.statistics as statistics
    from rankscope.errors import DataWarning, InputError
    from rankscope.io import convert, read_qrels, read_run, write_qrels, write_run
    from rankscope.judged import Judged, load
    from rankscope.measures import Measure, Scores, evaluate, measure, register
    from rankscope.validation import validate


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rankscope' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    found = home if _HOMES[name] == f"rankscope.{name}" else getattr(home, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
