"""Many systems: who is best, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import Floats
from rankscope.comparisons.effect import TESTS, Effect, Test, effect_of
from rankscope.comparisons.exact_differences import best_first
from rankscope.comparisons.scored import FEWEST, Scored, left_out, scored
from rankscope.errors import InputError, are, plural
from rankscope.judged import Judged
from rankscope.measures import Measure, Scores, evaluate
from rankscope.parallel import Client
from rankscope.results import Shown, frame, latex_table, markdown, markdown_table, records, text_table
from rankscope.statistics import Resampling, adjust, letters, randomised_hsd, rank_intervals
from rankscope.statistics.corrections import Correction
from rankscope.statistics.digits import bounds, probability, score

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgainstBaseline:
    """Each system against the baseline, in the order of the ranking; the baseline itself has no entry (None)."""

    baseline: str
    correction: Correction
    method: str  # the test
    effects: tuple[Effect | None, ...]  # system - baseline
    adjusted: tuple[float, ...]  # NaN for the baseline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking(Shown):
    """Systems from the best to the last under one measure, with what is known about their places.

    lower, upper  Student's interval of each mean over topics; no basis for comparing two systems, which are paired
    best, worst   the places that are possible, all at once, from randomised HSD
    letters       systems that share one cannot be told apart at alpha, family-wise
    also          means under further measures, (M, S)
    """

    measure: str
    systems: tuple[str, ...]
    mean: Floats
    lower: Floats
    upper: Floats
    best: tuple[int, ...]
    worst: tuple[int, ...]
    letters: tuple[str, ...]
    groups: int
    pvalues: Floats  # of all pairs, in this order
    alpha: float
    method: str
    topics: int
    left_out: int
    signature: str
    reasons: Mapping[str, int] = field(default_factory=dict)  # why topics were left out, see `scored.REASONS`
    also: tuple[str, ...] = ()
    also_mean: Floats
    against: AgainstBaseline | None = None

    def columns(self) -> dict[str, list[Any]]:
        """A row a system, from the best to the last."""
        found: dict[str, list[Any]] = {
            "rank": list(range(1, len(self.systems) + 1)),
            "system": list(self.systems),
            "mean": self.mean.tolist(),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "best_rank": list(self.best),
            "worst_rank": list(self.worst),
            "group": list(self.letters),
        }
        if self.against is not None:
            effects = self.against.effects
            found["difference"] = [None if e is None else e.difference for e in effects]
            found["difference_lower"] = [None if e is None else e.lower for e in effects]
            found["difference_upper"] = [None if e is None else e.upper for e in effects]
            found["p"] = [None if e is None else e.pvalue for e in effects]
            found["p_adjusted"] = [None if p != p else p for p in self.against.adjusted]
        for name, means in zip(self.also, self.also_mean.tolist(), strict=True):
            found[name] = means
        return found

    def to_frame(self) -> pl.DataFrame:
        """A row a system: rank, system, mean, lower, upper, best_rank, worst_rank, group, and what was asked for."""
        return frame(self.columns())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {
            "measure": self.measure,
            "topics": self.topics,
            "left_out": self.left_out,
            "left_out_because": dict(self.reasons),
            "method": self.method,
            "alpha": self.alpha,
            "baseline": None if self.against is None else self.against.baseline,
            "correction": None if self.against is None else self.against.correction,
            "signature": self.signature,
            "systems": records(self.columns()),
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        primary = f"{self.measure} *" if self.also else self.measure
        header = ["rank", "places", "system", "group", primary, "95 % interval"]
        rows = []
        for s, name in enumerate(self.systems):
            places = f"{self.best[s]}-{self.worst[s]}" if self.best[s] != self.worst[s] else f"{self.best[s]}"
            interval = bounds(float(self.lower[s]), float(self.upper[s]))
            rows.append([f"{s + 1}", places, name, self.letters[s], f"{self.mean[s]:.4f}", interval])
        if self.against is not None:
            header += [f"- {self.against.baseline}", "interval", f"p ({self.against.correction})", ""]
            for row, e, p in zip(rows, self.against.effects, self.against.adjusted, strict=True):
                row += (
                    ["", "", "", "baseline"] if e is None
                    else [score(e.difference), bounds(e.lower, e.upper), probability(p), "†" if p < self.alpha else ""]
                )  # fmt: skip
        for m, name in enumerate(self.also):
            header.append(name)
            for row, value in zip(rows, self.also_mean[m].tolist(), strict=True):
                row.append(f"{value:.4f}")
        return header, rows

    def __str__(self) -> str:
        return f"{text_table(*self.table(), left=4)}\n\n{self.caption()}"

    def to_markdown(self) -> str:
        """A table as GitHub shows it, and what it means."""
        said = "  \n".join(map(markdown, self.caption().splitlines()))
        return f"{markdown_table(*self.table(), left=4)}\n\n{said}"

    def to_latex(self) -> str:
        """A booktabs table whose caption says what it means."""
        return latex_table(*self.table(), caption=" ".join(self.caption().split()), left=4)

    def caption(self) -> str:
        """What the columns mean and how they were made."""
        count = len(self.systems)
        pairs = f"all {count * (count - 1) // 2:,} pairs at once" if count > 2 else "one pair"
        out = f" ({self.left_out} {left_out(self.reasons)})" if self.left_out else ""
        lines = [
            f"{self.measure}, {plural(self.topics, 'topic')}{out}; {plural(count, 'system')}.",
            f"group: systems that share a letter cannot be told apart at {self.alpha:g}, {pairs} ({self.method}).",
            "places: ranks that are possible by the same comparisons.",
            "95 % interval: of each mean by itself (Student); topics are shared, so do not compare systems by overlap.",
        ]
        if self.against is not None:
            lines.append(
                f"† differs from {self.against.baseline}: {self.against.method}, {self.against.correction} over "
                f"{count - 1} comparisons, alpha {self.alpha:g}."
            )
        if self.also:
            lines.append("* the measure that decides; the others are shown, not tested, and are no further evidence.")
        lines.append(self.signature)
        return "\n".join(lines)


def rank(
    source: Judged | Scores | Any,
    *,
    measure: str | Measure | None = None,
    also: Sequence[str | Measure] = (),
    systems: Sequence[str] | None = None,
    baseline: str | None = None,
    correction: Correction = "holm",
    test: Test = "t",
    alpha: float = 0.05,
    chance: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Ranking:
    """Order systems by their mean, and say which cannot be told apart (randomised Tukey HSD, Carterette 2012).

    source      lists (`load`), scores (`evaluate`), or whatever `read_scores` reads
    measure     the one that decides (nDCG@10 for lists)
    also        further measures to show beside it
    baseline    also compare every other system with this one, p values corrected over these comparisons
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha={alpha}", "alpha is between 0 and 1, such as 0.05")
    found = scored(source, measure, systems)
    if len(found.systems) < 2:
        raise InputError("only one system", "a ranking needs at least two")
    if baseline is not None and baseline not in found.systems:
        raise InputError(f"baseline {baseline!r} is no system", f"systems are {', '.join(found.systems[:20])}")
    if len(found.topics) < FEWEST:
        raise InputError(
            f"{are(len(found.topics), 'topic')} too few to tell systems apart", f"give at least {FEWEST} topics"
        )
    # equal means are ordered by name, so that the order of the files does not matter
    order = best_first(found)
    names = tuple(found.systems[s] for s in order)
    ordered = replace(found, systems=names, value=found.value[:, order])
    value = ordered.value
    compared = randomised_hsd(value, chance=chance, systems=names, workers=workers, client=client)
    groups = letters(compared, alpha)
    places = rank_intervals(compared, alpha)
    lower, upper = _student(value)
    shown = _also(source, found, also, names)
    return Ranking(
        measure=found.measure,
        systems=names,
        mean=value.mean(axis=0),
        lower=lower,
        upper=upper,
        best=tuple(int(x) for x in places.lower),
        worst=tuple(int(x) for x in places.upper),
        letters=groups.letters,
        groups=len(groups.groups),
        pvalues=compared.matrix(),
        alpha=alpha,
        method=compared.heading().split("; ")[0] + _how(compared.chance, compared.permutations),
        topics=len(found.topics),
        left_out=len(found.left_out),
        signature=found.signature,
        reasons=found.reasons,
        also=tuple(table.measure for table in shown),
        also_mean=np.array([table.value.mean(axis=0) for table in shown]).reshape(len(shown), len(names)),
        against=None if baseline is None else _against(baseline, ordered, correction, test, chance, workers),
    )


def _how(chance: Resampling | None, permutations: int) -> str:
    return f", all {permutations:,} permutations" if chance is None else (
        f", {chance.resamples:,} permutations, seed {chance.seed}"
    )  # fmt: skip


def _student(value: Floats) -> tuple[Floats, Floats]:
    """95 % intervals of the column means."""
    from scipy.special import stdtrit

    n = len(value)
    reach = float(stdtrit(n - 1, 0.975)) * value.std(axis=0, ddof=1) / np.sqrt(n)
    mean = value.mean(axis=0)
    return mean - reach, mean + reach


def _also(source: Any, found: Scored, measures: Sequence[str | Measure], names: tuple[str, ...]) -> list[Scored]:
    """Scores of further measures, each on the topics that it has for all systems."""
    if found.judged is not None and measures:
        source = evaluate(found.judged, list(measures))
    return [scored(source, one, names) for one in measures]


def _against(
    baseline: str,
    found: Scored,
    correction: Correction,
    test: Test,
    chance: Resampling | None,
    workers: int | None,
) -> AgainstBaseline:
    names = found.systems
    base = names.index(baseline)
    effects = tuple(
        None if s == base else effect_of(found, base, s, test=test, chance=chance, workers=workers)
        for s in range(len(names))
    )
    others = [(s, e) for s, e in enumerate(effects) if e is not None]
    family = [f"{names[s]} - {baseline}" for s, _ in others]
    adjusted = np.full(len(names), np.nan)
    adjusted[[s for s, _ in others]] = adjust([e.pvalue for _, e in others], correction, family=family).adjusted
    return AgainstBaseline(
        baseline=baseline, correction=correction, method=TESTS[test], effects=effects, adjusted=tuple(adjusted.tolist())
    )
