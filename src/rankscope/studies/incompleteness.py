"""Effect of missing judgments or topics on metrics and preference methods.

Rankings of systems under smaller pools: Ferrante, Ferro and Losiouk 2020, Figures 1 and 2. Agreement with complete
data: Diaz 2023, Figure 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from rankscope import arguments
from rankscope.arguments import Checks
from rankscope.arrays import Floats
from rankscope.errors import plural, quietly
from rankscope.measures import measure as named
from rankscope.parallel import Client
from rankscope.preferences.all_pairs import Method
from rankscope.statistics import Resampling, taus
from rankscope.studies import spread
from rankscope.studies.base import Study, Table, crossed, extent, in_words, joined, panels, threshold
from rankscope.studies.candidates import Measures, Source, StudyMaterial, lists_of, material, material_of_lists
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.checks import check_fractions, samples_of
from rankscope.studies.preference_lists import alike, mean_signs
from rankscope.studies.runner import Run, Tell, shaped
from rankscope.studies.sampling import (
    LABEL_FRACTIONS,
    POOL_FRACTIONS,
    ThinnedMaterial,
    topics_kept,
)

Removed: TypeAlias = Literal["labels", "topics"]
Scheme: TypeAlias = Literal["stratified", "uniform"]
_SCHEMES: tuple[Scheme, ...] = get_args(Scheme)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Incompleteness(Study):
    """Kendall's tau-b between the ranking of systems with the whole pool and with part of it.

    tau  (candidates, sampling, fractions, samples), NaN where all systems tie
    """

    candidates: tuple[str, ...]
    sampling: tuple[Scheme, ...]
    fractions: tuple[float, ...]
    tau: Floats
    settings: Mapping[str, Any]
    name: str = "incompleteness"

    def tables(self) -> dict[str, Table]:
        """incompleteness: mean tau and its spread over the samples, one row per candidate, sampling and fraction."""
        axes = crossed(candidate=self.candidates, sampling=self.sampling, fraction=self.fractions)
        caption = (
            "Kendall's tau-b between the rankings of systems with all judgments of the pool and with a fraction of "
            f"them; {extent(self.settings)}{threshold(self.settings)}; {_over(self.settings)}."
        )
        values = {**axes, **spread.bands(self.tau, "tau")}
        return {"incompleteness": Table(values=values, caption=caption, left=2, formats={"fraction": "g"})}

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """One panel per way of sampling: one line per candidate, over fractions of the pool."""
        return panels(self.columns(), "sampling")

    def summary(self) -> str:
        """Findings in sentences."""
        lines = []
        for k, how in enumerate(self.sampling):
            last = self.tau[:, k, -1]
            mean = spread.mean(last)
            order = [i for i in np.argsort(-mean, kind="stable").tolist() if mean[i] == mean[i]]
            listed = ", ".join(_with_sd(self.candidates[i], last[i], 1, ".3f") for i in order)
            lines.append(
                f"With {100 * self.fractions[-1]:g} % of the judgments ({how}), rankings of systems have this tau "
                f"with those by all judgments: {listed}."
            )
        return joined([*lines, f"{_over(self.settings).capitalize()}."])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Removal(Study):
    """Agreement in sign of candidates with part of the data with a reference that has all of it.

    ranking  (candidates, fractions, samples) share of the pairs of lists on a topic that the reference does not tie;
             None where topics were removed
    system   (candidates, fractions, samples) share of the pairs of systems whose means the reference does not tie

    A tie of the candidate counts as a miss.
    """

    removed: Removed
    reference: str
    candidates: tuple[str, ...]
    fractions: tuple[float, ...]
    ranking: Floats | None
    system: Floats
    settings: Mapping[str, Any]
    name: str = "removal"

    def tables(self) -> dict[str, Table]:
        """agreement: one row per level, candidate and fraction, with mean agreement over the samples and its spread."""
        parts = self._parts()
        axes = crossed(level=[level for level, _ in parts], candidate=self.candidates, fraction=self.fractions)
        values = {**axes, **spread.bands(np.concatenate([value for _, value in parts]), "agreement")}
        what = "systems (system)" if self.ranking is None else "lists (ranking) and of systems (system)"
        caption = (
            f"Share of the pairs of {what} with the preference that {self.reference} has with all {self.removed}, "
            f"when a fraction of the {self.removed} is left; {extent(self.settings)}{threshold(self.settings)}; "
            f"{_over(self.settings)}. A tie counts as another preference."
        )
        return {"agreement": Table(values=values, caption=caption, left=2, formats={"fraction": "g"})}

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """One panel per level: one line per candidate, over fractions of labels or topics."""
        return panels(self.columns(), "level")

    def summary(self) -> str:
        """Findings in sentences."""
        half = min(range(len(self.fractions)), key=lambda i: abs(self.fractions[i] - 0.5))
        lines = []
        for level, value in self._parts():
            listed = ", ".join(_with_sd(c, value[i, half], 100, ".2f") for i, c in enumerate(self.candidates))
            what = "lists on a topic" if level == "ranking" else "systems"
            lines.append(
                f"With {100 * self.fractions[half]:g} % of the {self.removed}, per cent of the pairs of {what} with "
                f"the preference that {self.reference} has with all {self.removed}: {listed}."
            )
        return joined([*lines, f"{_over(self.settings).capitalize()}."])

    def _parts(self) -> list[tuple[str, Floats]]:
        return ([] if self.ranking is None else [("ranking", self.ranking)]) + [("system", self.system)]


def incompleteness(
    source: Source | StudyMaterial,
    measures: Measures | None = None,
    methods: Sequence[Method] = (),
    *,
    sampling: Scheme | Iterable[Scheme] = ("stratified", "uniform"),
    fractions: float | Iterable[float] = POOL_FRACTIONS,
    resampling: Resampling | None = None,
    depth: int | None = None,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Incompleteness:
    """Agreement of rankings by smaller pools with the complete one (Ferrante, Ferro and Losiouk 2020, section 5.4).

    source     lists, loaded with keep_docs=True, or their material
    measures, methods, depth  as for `material`
    sampling   "stratified" by grade, "uniform", or both
    fractions  of the pool, above 0 and at most 1; smaller samples are parts of larger ones
    resampling how often each pool is sampled, ten times by default; the paper does so once
    """
    with Checks() as check:
        shares = check(check_fractions, fractions)
        schemes = check(arguments.some_of, "ways of sampling", sampling, _SCHEMES)
        run = check(Run, checkpoints, progress, workers, client, resampling=check(samples_of, resampling))
    full = material_of_lists(source, measures, methods, depth=depth, workers=workers)
    thinned = ThinnedMaterial.of(full, run.draws.seed)
    settings = {
        **full.settings(), "fractions": shares, "sampling": schemes, **run.drawn(), **thinned.settings(),
    }  # fmt: skip
    complete = _means(full)

    def work(unit: str, threads: int) -> Arrays:
        means = [_means(part) for part in thinned.at(*_unit(unit), shares, threads)]
        return {"tau": np.stack([taus(complete, mean, workers=1) for mean in means], axis=1)}

    def finish(units: dict[str, Arrays]) -> Incompleteness:
        tau = np.full((len(full.names), len(schemes), len(shares), run.draws.resamples), np.nan)
        for unit, arrays in units.items():
            scheme, sample = _unit(unit)
            tau[:, schemes.index(scheme), :, sample] = arrays["tau"]
        return Incompleteness(candidates=full.names, sampling=schemes, fractions=shares, tau=tau, settings=settings)

    units = [f"{scheme} {sample}" for sample in range(run.draws.resamples) for scheme in schemes]
    fits = shaped(tau=(float, len(full.names), len(shares)))
    return run.conduct("incompleteness", units, work, finish, settings=settings, fits=fits)


def removal(
    source: Source | StudyMaterial,
    measures: Measures | None = "RR",
    methods: Sequence[Method] = ("rrLP", "sgnLP"),
    *,
    removed: Removed = "labels",
    reference: str = "RR",
    fractions: float | Iterable[float] = LABEL_FRACTIONS,
    resampling: Resampling | None = None,
    depth: int | None = None,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Removal:
    """Agreement of candidates with part of the labels, or topics, with a metric that has all (Diaz 2023, Figure 8).

    source     lists, loaded with keep_docs=True where labels are removed, or their material
    measures, methods, depth  as for `material`
    removed    "labels": judgments, drawn within each topic; or "topics"
    reference  the metric that is agreed with
    fractions  of labels or topics that are left, above 0 and at most 1; smaller samples are parts of larger ones
    resampling how often labels or topics are drawn; ten times by default, as in the paper
    """
    with Checks() as check:
        check(arguments.one_of, "removed", removed, get_args(Removed))
        shares = check(check_fractions, fractions)
        run = check(Run, checkpoints, progress, workers, client, resampling=check(samples_of, resampling))
    full = material_of_lists(
        source, measures, methods, depth=depth, n_topics=2 if removed == "topics" else 1, workers=workers
    )
    with quietly():
        complete = material(lists_of(full), [named(reference)], depth=full.depth, workers=workers)
    truth = complete.candidates[0]
    by_list, by_system = complete.preferred(truth), mean_signs(*truth.known_differences())
    draws = run.draws
    thinned = ThinnedMaterial.of(full, draws.seed) if removed == "labels" else None
    differences = [candidate.known_differences() for candidate in full.candidates]
    settings = {
        **full.settings(), "removed": removed, "reference": truth.signature, "fractions": shares, **run.drawn(),
        **({} if thinned is None else thinned.settings()),
    }  # fmt: skip

    def work(unit: str, threads: int) -> Arrays:
        _, sample = _unit(unit)
        if thinned is None:
            kept = [topics_kept(full.topics, share, draws.seed, sample) for share in shares]
            signs = [[mean_signs(d[:, topics], errors[:, topics]) for topics in kept] for d, errors in differences]
            return {"system": np.array([[alike(topics, by_system) for topics in row] for row in signs])}
        agreeing = [
            [(alike(part.preferred(candidate), by_list), alike(mean_signs(*candidate.known_differences()), by_system))
             for candidate in part.candidates]
            for part in thinned.at("labels", sample, shares, threads)
        ]  # fmt: skip
        ranking, system = np.array(agreeing).transpose(2, 1, 0)
        return {"ranking": ranking, "system": system}

    def finish(units: dict[str, Arrays]) -> Removal:
        shape = len(full.names), len(shares), draws.resamples
        level = {name: np.full(shape, np.nan) for name in ("ranking", "system")}
        for unit, arrays in units.items():
            for name, value in arrays.items():
                level[name][..., _unit(unit)[1]] = value
        return Removal(
            removed=removed,
            reference=truth.name,
            candidates=full.names,
            fractions=shares,
            ranking=level["ranking"] if removed == "labels" else None,
            system=level["system"],
            settings=settings,
        )

    units = [f"{removed} {sample}" for sample in range(draws.resamples)]
    levels = ("system",) if thinned is None else ("ranking", "system")
    fits = shaped(**dict.fromkeys(levels, (float, len(full.names), len(shares))))
    return run.conduct("removal", units, work, finish, settings=settings, fits=fits)


def _unit(text: str) -> tuple[Any, int]:
    """Object and number of a sample, from the name of its unit."""
    what, sample = text.split()
    return what, int(sample)


def _means(studied: StudyMaterial) -> Floats:
    """(candidates, systems) means over topics."""
    return np.stack([candidate.value.mean(axis=0) for candidate in studied.candidates])


def _with_sd(name: str, values: Floats, unit: float, digits: str) -> str:
    """A candidate with its mean and spread over samples."""
    mean, sd = unit * float(spread.mean(values)), unit * float(spread.sd(values))
    return f"{name} {in_words(mean, digits)}" + (f" (sd {sd:{digits}})" if sd == sd else "")


def _over(settings: Mapping[str, Any]) -> str:
    count = settings["resamples"]
    return f"means over {plural(count, 'sample')}, seed {settings['seed']}"
