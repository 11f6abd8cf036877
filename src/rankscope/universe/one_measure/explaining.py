"""Explanations of measures: formula, user model, scale, properties, and the scores of other tools' readings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from rankscope.errors import InputError, argument, quietly
from rankscope.judged import Judged, load
from rankscope.judged.sources import Runs
from rankscope.measures import Measure
from rankscope.measures.explanations import explain as explanations
from rankscope.measures.explanations.variants import RELOADED
from rankscope.measures.names import resolve
from rankscope.results import Result
from rankscope.simulation.embedded_collection import embedded


def explain(
    measures: str | Measure | Iterable[str | Measure] = (),
    qrels: Any = None,
    runs: Runs = None,
    *,
    signature: str | None = None,
    diff: tuple[str | Measure, str | Measure] | None = None,
    all: bool = False,
) -> list[Result]:
    """Explanations of measures, signatures and differences between measures, as `rankscope explain` prints them.

    measures     names, in our notation or another tool's
    qrels, runs  judgments and runs, as `load` takes them, on which readings are scored; by default the collection that
                 comes with the package
    signature    instead: a signature to be read back into words
    diff         instead: two measures, and why they give two numbers
    all          instead: every measure in one line, with its scale and properties

    >>> explain(signature="AP|rel:1")[0].to_dict()["parts"]["rel:1"]
    'relevant are grades from 1'
    """
    names = [measures] if isinstance(measures, str | Measure) else list(measures)
    source, lists = embedded() if qrels is None else (qrels, runs)

    def read(**options: Any) -> Judged:
        with quietly("keep_ties" not in options):  # said of the first reading
            return load(source, lists, **options)

    if diff is not None and (isinstance(diff, str) or len(diff) != 2):
        raise InputError(argument("diff", diff), f"{argument('diff')} is a pair of measures, such as ('AP', 'nDCG@10')")
    both = None if diff is None else (str(diff[0]), str(diff[1]))
    texts = [str(name) for name in names]
    return explained(texts, read, (qrels, runs), signature=signature, diff=both, all=all)


def explained(
    names: Sequence[str],
    read: Callable[..., Judged],
    collection: tuple[Any, Any],
    *,
    signature: str | None,
    diff: tuple[str, str] | None,
    all: bool,
    short: bool = False,
) -> list[Result]:
    """The one kind of explanation that is requested; an error where none is, or several are.

    read        loads the lists: first with keep_ties=True, then by other rules where these are wanted
    collection  the user's own judgments and runs, None where there are none
    short       without what the short layer of a text does not show: scale, properties, further readings
    """
    requests = {"names": bool(names), "signature": signature is not None, "diff": diff is not None, "all": all}
    requested = [name for name, is_set in requests.items() if is_set]
    if len(requested) != 1:
        cause = f"{' and '.join(requested)} do not go together" if requested else "nothing to explain"
        raise InputError(cause, "name measures, or ask for one of signature, diff, all")
    own = [part for part in collection if part is not None]
    if len(own) == 1:
        raise InputError("a collection is judgments and runs", "give both, or neither")
    if own and requested[0] in ("signature", "all"):
        raise InputError(f"{requested[0]} takes no collection", "leave judgments and runs away")
    if signature is not None:
        from rankscope.measures.explanations.signatures import read_signature

        return [read_signature(signature)]
    if all:
        from rankscope.universe.one_measure.summary import columns

        return [explanations.overview(columns())]
    for name in diff or names:
        resolve(name)  # before the files: a misspelt name should not cost a minute
    judged = read(keep_ties=True)
    if diff is not None:
        from rankscope.measures.explanations.contrast import difference

        return [difference(*diff, judged)]

    @cache
    def others() -> dict[tuple[str, str], Judged]:
        extremes = {("ties", "best"): judged.with_ties("best"), ("ties", "worst"): judged.with_ties("worst")}
        return {rule: extremes.get(rule) or read(**dict([rule])) for rule in RELOADED}

    results = [result for name in names for result in explanations.explain(name, judged, others, short=short)]
    if short:
        return [*results]
    from rankscope.universe.one_measure.summary import facts

    return [replace(result, facts=result.facts | facts(result.measure)) for result in results]
