"""rankscope: is one ranking system really better than another, and would that still be true under another metric?

The public face is listed in `__all__`. Everything is imported when first used, so that `import rankscope` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankscope.version import __version__

_HOMES = {
    "Bar": "rankscope.progress",
    "DataWarning": "rankscope.errors",
    "InputError": "rankscope.errors",
    "Judged": "rankscope.judged",
    "Measure": "rankscope.measures",
    "Scores": "rankscope.measures",
    "bounds": "rankscope.measures",
    "compare": "rankscope.comparisons",
    "comparisons": "rankscope.comparisons",
    "convert": "rankscope.io",
    "dominance": "rankscope.preferences",
    "evaluate": "rankscope.measures",
    "explain": "rankscope.universe",
    "figures": "rankscope.figures",
    "gate": "rankscope.comparisons",
    "ipso": "rankscope.preferences",
    "lexiprecision": "rankscope.preferences",
    "lexirecall": "rankscope.preferences",
    "load": "rankscope.judged",
    "measure": "rankscope.measures",
    "metrics": "rankscope.studies",
    "plan": "rankscope.comparisons",
    "preferences": "rankscope.preferences",
    "rank": "rankscope.comparisons",
    "read_qrels": "rankscope.io",
    "read_run": "rankscope.io",
    "read_scores": "rankscope.io",
    "register": "rankscope.measures",
    "report": "rankscope.reporting",
    "rpp": "rankscope.preferences",
    "simulation": "rankscope.simulation",
    "statistics": "rankscope.statistics",
    "stream": "rankscope.judged",
    "studies": "rankscope.studies",
    "universe": "rankscope.universe",
    "validate": "rankscope.validation",
    "write_qrels": "rankscope.io",
    "write_run": "rankscope.io",
}

__all__ = [
    "Bar",
    "DataWarning",
    "InputError",
    "Judged",
    "Measure",
    "Scores",
    "__version__",
    "bounds",
    "compare",
    "comparisons",
    "convert",
    "dominance",
    "evaluate",
    "explain",
    "figures",
    "gate",
    "ipso",
    "lexiprecision",
    "lexirecall",
    "load",
    "measure",
    "metrics",
    "plan",
    "preferences",
    "rank",
    "read_qrels",
    "read_run",
    "read_scores",
    "register",
    "report",
    "rpp",
    "simulation",
    "statistics",
    "stream",
    "studies",
    "universe",
    "validate",
    "write_qrels",
    "write_run",
]

if TYPE_CHECKING:
    import rankscope.comparisons as comparisons
    import rankscope.figures as figures
    import rankscope.preferences as preferences
    import rankscope.simulation as simulation
    import rankscope.statistics as statistics
    import rankscope.studies as studies
    import rankscope.universe as universe
    from rankscope.comparisons import compare, gate, plan, rank
    from rankscope.errors import DataWarning, InputError
    from rankscope.io import convert, read_qrels, read_run, read_scores, write_qrels, write_run
    from rankscope.judged import Judged, load, stream
    from rankscope.measures import Measure, Scores, bounds, evaluate, measure, register
    from rankscope.preferences.dominance import dominance
    from rankscope.preferences.ipso import ipso
    from rankscope.preferences.lexi import lexiprecision, lexirecall
    from rankscope.preferences.rpp import rpp
    from rankscope.progress import Bar
    from rankscope.reporting import report
    from rankscope.studies.metrics import metrics
    from rankscope.universe import explain
    from rankscope.validation import validate


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rankscope' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    attribute = home if _HOMES[name] == f"rankscope.{name}" else getattr(home, name)
    globals()[name] = attribute
    return attribute


def __dir__() -> list[str]:
    return __all__
