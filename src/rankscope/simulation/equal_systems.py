"""Systems that differ in kind and are equally good: a null hypothesis that is not mere exchangeability."""

from __future__ import annotations

from dataclasses import replace

from rankscope.errors import InputError, Problem
from rankscope.measures import Measure
from rankscope.simulation.collection_model import LARGEST, Model
from rankscope.simulation.known_truth import truth


def levelled(
    model: Model,
    system: str,
    against: str,
    measure: str | Measure = "nDCG@10",
    *,
    n_topics: int = 20_000,
    seed: int = 1,
    workers: int | None = None,
) -> Model:
    """The model with `system` made as strong as it must be to equal `against` in expectation.

    For two systems that differ in their errors, their ties or the topics they fail on. The same topics are drawn for
    every strength that is tried, so what remains is the error of having drawn no more: `truth` with another seed
    tells how large it is. Documents are completely judged.
    """
    from scipy.optimize import brentq

    names = [each.name for each in model.systems]
    known = f"there are {', '.join(names)}"
    if unknown := [Problem(f"no system is named {name!r}", known) for name in (system, against) if name not in names]:
        raise InputError(unknown)
    if system == against:
        raise InputError(f"{system} equals itself", "name two systems")

    def lead(strength: float) -> float:
        changed = with_strength(model, system, strength)
        return truth(changed, measure, n_topics=n_topics, seed=seed, workers=workers).difference(against, system)[0]

    low, high = 0.0, 2.0
    while lead(high) < 0:
        low, high = high, 2 * high
        if high > LARGEST:
            raise InputError(f"{system} stays behind {against} at any strength", "let them differ less")
    if low == 0 and lead(low) > 0:
        raise InputError(f"{system} is ahead of {against} without any strength", "make the other stronger")
    return with_strength(model, system, float(brentq(lead, low, high, xtol=1e-4)))


def with_strength(model: Model, system: str, strength: float) -> Model:
    """The model with one system's strength changed."""
    strengths = {each.name: each.strength for each in model.systems} | {system: strength}
    families = {
        family: [strengths[each.name] for each in model.systems if each.family == family] for family in model.families
    }
    return replace(model, families=families)
