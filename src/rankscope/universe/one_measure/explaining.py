"""Explanations of measures: formula, user model, scale, properties, and the scores of other tools' readings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from rankscope.errors import DataWarning, InputError
from rankscope.judged import Judged, load
from rankscope.judged.sources import Runs
from rankscope.measures import Measure
from rankscope.measures.explanations import explain as explanations
from rankscope.measures.explanations.variants import RELOADED
from rankscope.measures.names import resolve
from rankscope.simulation import embedded
from rankscope.universe.one_measure.summary import facts


def explain(
    measures: str | Measure | Iterable[str | Measure], qrels: Any = None, runs: Runs = None
) -> list[explanations.Explanation]:
    """What measures are and who computes them otherwise, as `rankscope explain` prints it.

    measures     names, in our notation or another tool's
    qrels, runs  judgments and runs, as `load` takes them, on which readings are scored; by default the collection that
                 comes with the package
    """
    if (qrels is None) != (runs is None):
        raise InputError("a collection is judgments and runs", "give both, or neither")
    names = [measures] if isinstance(measures, str | Measure) else list(measures)
    source, lists = embedded() if qrels is None else (qrels, runs)

    def read(**rules: Any) -> Judged:
        with warnings.catch_warnings():
            if rules:
                warnings.simplefilter("ignore", DataWarning)  # said of the first reading
            return load(source, lists, **rules)

    return explained([str(name) for name in names], read)


def explained(names: Iterable[str], read: Callable[..., Judged]) -> list[explanations.Explanation]:
    """Explanations of named measures; `read` gives the collection, by other rules where it is told some."""
    names = list(names)
    for name in names:
        resolve(name)  # before the files: a misspelt name should not cost a minute
    judged = read()
    others = {(option, value): read(**{option: value}) for option, value in RELOADED}
    results = [result for name in names for result in explanations.explain(name, judged, others)]
    return [replace(result, facts=result.facts | facts(result.measure)) for result in results]
