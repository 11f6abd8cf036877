"""rankscope: is one ranking system really better than another, and would that still be true under another metric?

The public face is listed in `__all__`. Everything is imported when first used, so that `import rankscope` is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.lazy import lazily
from rankscope.version import __version__ as __version__

if TYPE_CHECKING:
    from rankscope import (
        comparisons as comparisons,
        figures as figures,
        preferences as preferences,
        simulation as simulation,
        statistics as statistics,
        studies as studies,
        universe as universe,
    )
    from rankscope.comparisons import (
        across as across,
        compare as compare,
        gate as gate,
        judge_next as judge_next,
        plan as plan,
        rank as rank,
    )
    from rankscope.errors import DataWarning as DataWarning, InputError as InputError
    from rankscope.io import (
        convert as convert,
        read_qrels as read_qrels,
        read_run as read_run,
        read_scores as read_scores,
        write_qrels as write_qrels,
        write_run as write_run,
    )
    from rankscope.judged import Judged as Judged, load as load, load_judges as load_judges, stream as stream
    from rankscope.measures import (
        Measure as Measure,
        Scores as Scores,
        bounds as bounds,
        evaluate as evaluate,
        measure as measure,
        register as register,
    )
    from rankscope.preferences.dominance import dominance as dominance
    from rankscope.preferences.ipso import ipso as ipso
    from rankscope.preferences.lexi import lexiprecision as lexiprecision, lexirecall as lexirecall
    from rankscope.preferences.rpp import rpp as rpp
    from rankscope.progress import Bar as Bar
    from rankscope.reporting import report as report
    from rankscope.studies.metrics import metrics as metrics
    from rankscope.universe import explain as explain
    from rankscope.validation import validate as validate
else:
    __getattr__, __dir__, __all__ = lazily(__name__, {
        "comparisons": "across comparisons compare gate judge_next plan rank",
        "errors": "DataWarning InputError",
        "figures": "figures",
        "io": "convert read_qrels read_run read_scores write_qrels write_run",
        "judged": "Judged load load_judges stream",
        "measures": "Measure Scores bounds evaluate measure register",
        "preferences": "dominance ipso lexiprecision lexirecall preferences rpp",
        "progress": "Bar",
        "reporting": "report",
        "simulation": "simulation",
        "statistics": "statistics",
        "studies": "metrics studies",
        "universe": "explain universe",
        "validation": "validate",
    }, "__version__")  # fmt: skip
