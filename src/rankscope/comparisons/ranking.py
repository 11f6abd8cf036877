"""Ranking of many systems, with groups that cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope.arguments import one_of
from rankscope.arrays import Floats
from rankscope.comparisons.effect import STAND_IN, TESTS, Effect, Procedure, Test, close_scores, interval_level
from rankscope.comparisons.exact_differences import best_first
from rankscope.comparisons.scored import FEWEST, Scored, ScoredLists, left_out, lists_of_runs, scored
from rankscope.errors import InputError, are, did_you_mean, plural, warn
from rankscope.formatting import bounds, markdown, probability, score, visible
from rankscope.judged import Judged
from rankscope.judged.sources import Runs
from rankscope.layout import latex_table, markdown_table, text_table
from rankscope.measures import Measure, Scores, evaluate
from rankscope.parallel import Client
from rankscope.results import Result, records
from rankscope.statistics import Resampling, adjust, bootstrap_max_t, letters, randomised_hsd, rank_intervals
from rankscope.statistics.families.bootstrap_max_t import LIMIT
from rankscope.statistics.families.comparisons import Comparisons
from rankscope.statistics.families.corrections import Correction
from rankscope.statistics.families.groups import unsettled
from rankscope.statistics.special import stdtrit

Method: TypeAlias = Literal["bootstrap", "hsd"]
METHODS: dict[Method, str] = {
    "bootstrap": "step-down bootstrap MaxT (Romano and Wolf 2005)",
    "hsd": "randomised Tukey HSD (Carterette 2012)",
}
LETTERED = 52  # groups whose letters are shown in tables: a to z, A to Z
UNEQUAL = 1.5  # largest standard deviation of a pair's differences, over the root mean square of all, that HSD bears


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgainstBaseline:
    """Each system against the baseline, in the order of the ranking; the baseline itself has no entry (None).

    intervals  of the differences, for all comparisons at once with confidence `level`; each excludes 0 just where the
               adjusted p value is below 1 - level. Only Bonferroni's correction of t has them: None with any other,
               and where a difference is the same on every topic
    """

    baseline: str
    correction: Correction
    method: str  # the test
    effects: tuple[Effect | None, ...]  # system - baseline
    adjusted: tuple[float, ...]  # NaN for the baseline
    level: float
    intervals: tuple[tuple[float, float] | None, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaderboard(Result):
    """Systems from the best to the last under one measure, with what is known about their places.

    lower, upper  Student's interval of each mean over topics, with confidence `level`; no basis for comparing two
                  systems, which are paired
    best, worst   the places that are possible, all at once, by the comparisons of all pairs
    letters       systems that share one cannot be told apart at alpha, family-wise; tables show them up to `LETTERED`
                  groups, beyond which a row would have too many to be read
    unsettled     pairs whose p value is so close to alpha that more resamples could put it on the other side: the 99 %
                  interval of the p value, for the resamples drawn, holds alpha
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
    level: float
    method: str
    n_topics: int
    left_out: int
    signature: str
    reasons: Mapping[str, int] = field(default_factory=dict)  # why topics were left out, see `scored.REASONS`
    also: tuple[str, ...] = ()
    also_mean: Floats
    against: AgainstBaseline | None = None
    unsettled: tuple[tuple[str, str], ...] = ()

    @property
    def interval(self) -> str:
        """Name of the intervals of the means."""
        return f"{100 * self.level:g} % interval"

    def columns(self) -> dict[str, list[Any]]:
        """One row per system, from the best to the last."""
        columns: dict[str, list[Any]] = {
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
            columns["difference"] = [None if e is None else e.difference for e in effects]
            if self.against.intervals is not None:
                columns["difference_lower"] = [None if ends is None else ends[0] for ends in self.against.intervals]
                columns["difference_upper"] = [None if ends is None else ends[1] for ends in self.against.intervals]
            columns["pvalue"] = [None if e is None else e.pvalue for e in effects]
            columns["pvalue_adjusted"] = [None if p != p else p for p in self.against.adjusted]
        for name, means in zip(self.also, self.also_mean.tolist(), strict=True):
            columns[name] = means
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {
            "measure": self.measure,
            "n_topics": self.n_topics,
            "left_out": self.left_out,
            "left_out_because": dict(self.reasons),
            "method": self.method,
            "alpha": self.alpha,
            "level": self.level,
            "baseline": None if self.against is None else self.against.baseline,
            "correction": None if self.against is None else self.against.correction,
            "difference_level": (
                None if self.against is None or self.against.intervals is None else self.against.level
            ),
            "unsettled": [list(pair) for pair in self.unsettled],
            "signature": self.signature,
            "systems": records(self.columns()),
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        primary = f"{self.measure} *" if self.also else self.measure
        lettered = self.groups <= LETTERED
        header = ["rank", "places", "system", *["group"] * lettered, primary, self.interval]
        rows = []
        for s, name in enumerate(self.systems):
            places = f"{self.best[s]}-{self.worst[s]}" if self.best[s] != self.worst[s] else f"{self.best[s]}"
            interval = bounds(float(self.lower[s]), float(self.upper[s]))
            group = [self.letters[s]] * lettered
            rows.append([f"{s + 1}", places, name, *group, f"{self.mean[s]:.4f}", interval])
        if self.against is not None:
            header.append(f"- {self.against.baseline}")
            for row, e in zip(rows, self.against.effects, strict=True):
                row.append("" if e is None else score(e.difference))
            if self.against.intervals is not None:
                header.append(f"{100 * self.against.level:g} % interval of all")
                for row, ends in zip(rows, self.against.intervals, strict=True):
                    row.append("" if ends is None else bounds(*ends))
            header += [f"p ({self.against.correction})", ""]
            for row, e, p in zip(rows, self.against.effects, self.against.adjusted, strict=True):
                row += ["", "baseline"] if e is None else [probability(p), "†" if p < self.alpha else ""]
        for m, name in enumerate(self.also):
            header.append(name)
            for row, value in zip(rows, self.also_mean[m].tolist(), strict=True):
                row.append("-" if np.isnan(value) else f"{value:.4f}")
        return header, rows

    def __str__(self) -> str:
        return f"{text_table(*self.table(), left=4)}\n\n{self.caption()}"

    def to_markdown(self) -> str:
        """A table as GitHub shows it, and what it means."""
        lines = "  \n".join(map(markdown, self.caption().splitlines()))
        return f"{markdown_table(*self.table(), left=4)}\n\n{lines}"

    def to_latex(self) -> str:
        """A booktabs table whose caption says what it means."""
        return latex_table(*self.table(), caption=" ".join(self.caption().split()), left=4)

    def caption(self) -> str:
        """Caption: meaning of the columns and the method."""
        count = len(self.systems)
        pairs = f"all {count * (count - 1) // 2:,} pairs at once" if count > 2 else "one pair"
        out = f" ({self.left_out} {left_out(self.reasons)})" if self.left_out else ""
        lines = [
            f"{self.measure}, {plural(self.n_topics, 'topic')}{out}; {plural(count, 'system')}.",
            *self._grouped(pairs),
            self._assumed(),
            f"{self.interval}: of each mean by itself (Student); topics are shared, so do not compare systems by "
            "overlap.",
        ]
        if self.unsettled:
            lines.append(self._monte_carlo())
        if self.against is not None:
            compared = plural(count - 1, "comparison")
            lines.append(
                f"† differs from {self.against.baseline}: {self.against.method}, {self.against.correction} over "
                f"{compared}, alpha {self.alpha:g}."
            )
            lines.append(
                f"- {self.against.baseline}: no interval, for none agrees with these p values; Bonferroni's correction "
                "of t has intervals that do."
                if self.against.intervals is None
                else f"- {self.against.baseline}: intervals hold for all {compared} at once (Bonferroni)."
            )
            effects = [e for e in self.against.effects if e is not None]
            close = close_scores(sum(e.exactly for e in effects), sum(e.merged for e in effects))
            if close:
                lines.append(f"- {self.against.baseline}, over all comparisons: {close}.")
        if self.also:
            lines.append("* the measure that decides; the others are shown, not tested, and are no further evidence.")
        lines.append(self.signature)
        return "\n".join(map(visible, lines))

    def _grouped(self, pairs: str) -> list[str]:
        """Lines on what the comparisons of all pairs say about groups and places."""
        if self.groups <= LETTERED:
            shared = f"group: systems that share a letter cannot be told apart at {self.alpha:g}, {pairs}"
            lines = [f"{shared} ({self.method}).", "places: ranks that are possible by the same comparisons."]
        else:
            lines = [
                f"places: ranks that are possible at {self.alpha:g}, {pairs} ({self.method}).",
                f"group: there are {self.groups:,}, too many to show beyond {LETTERED}; JSON and CSV have them.",
            ]
        if "normal limit" in self.method:
            lines.append(
                f"normal limit: every pair rests on {LIMIT:,} topics or more, so sums of samples are drawn from the "
                "normal distribution to which they tend."
            )
        return lines

    def _assumed(self) -> str:
        """Assumptions of the comparisons of all pairs."""
        if "HSD" in self.method:
            return (
                "assumed: all systems are exchangeable; where some are near-identical and others are not, false "
                f"differences are more frequent than {self.alpha:g}."
            )
        return (
            "assumed: topics are a random sample, and not few; the chance of any false difference is then about "
            f"{self.alpha:g}, near-identical systems or not."
        )

    def _monte_carlo(self) -> str:
        """Note on the pairs that more resamples could change."""
        count, named = len(self.unsettled), " and ".join(self.unsettled[0])
        pairs = named if count == 1 else f"{count:,} pairs, such as {named}"
        return (
            f"more resamples could change groups and places: p is within Monte Carlo error of {self.alpha:g} (99 %) "
            f"for {pairs}."
        )


def rank(
    source: Judged | Scores | Any,
    runs: Runs = None,
    *,
    measure: str | Measure | None = None,
    also: Sequence[str | Measure] = (),
    systems: Sequence[str] | None = None,
    baseline: str | None = None,
    correction: Correction = "holm",
    test: Test = "t",
    alpha: float = 0.05,
    level: float | None = None,
    method: Method = "bootstrap",
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
    **rules: Any,
) -> Leaderboard:
    """Order systems by their mean, and say which cannot be told apart, all pairs at once.

    source      lists (`load`), scores (`evaluate`), or whatever `read_scores` reads; or judgments, beside runs
    runs        runs, as `load` takes them, where the source is judgments
    measure     the one that decides (nDCG@10 for lists)
    also        further measures to show beside it
    baseline    also compare every other system with this one, p values corrected over these comparisons
    alpha       chance of any false difference among all pairs, and among the comparisons with the baseline
    level       of the intervals; 1 - alpha unless given
    method      of the comparisons of all pairs: "bootstrap", step-down MaxT by bootstrap over topics (Romano and Wolf
                2005), or "hsd", randomised Tukey HSD (Carterette 2012), which assumes that systems are exchangeable:
                it finds differences that do not exist where some systems are near-identical and others are not
    rules       those of `load`, for runs that are read here, such as ties="rank" or rel=2
    """
    one_of("method", method, METHODS)
    level = interval_level(alpha, level)
    procedure = Procedure(test, level, resampling, workers)
    source = lists_of_runs(source, runs, rules, workers=workers, client=client)
    table = scored(source, measure, systems)
    if len(table.systems) < 2:
        raise InputError("only one system", "a ranking needs at least two")
    if baseline is not None and baseline not in table.systems:
        raise InputError(f"baseline {baseline!r} is no system", did_you_mean(baseline, table.systems))
    if len(table.topics) < FEWEST:
        raise InputError(
            f"{are(len(table.topics), 'topic')} too few to tell systems apart", f"give at least {FEWEST} topics"
        )
    # equal means are ordered by name, so that the order of the files does not matter
    order = best_first(table)
    names = tuple(table.systems[s] for s in order)
    ordered = replace(table, systems=names, value=table.value[:, order])
    value = ordered.value
    compared = _all_pairs(method, value, names, resampling, workers, client)
    groups = letters(compared, alpha)
    places = rank_intervals(compared, alpha)
    lower, upper = _student(value, level)
    shown = _also(source, table, also, names)
    return Leaderboard(
        measure=table.measure,
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
        level=level,
        method=f"{compared.method}, {compared.how.split('; ')[0]}",
        n_topics=len(table.topics),
        left_out=len(table.left_out),
        signature=table.signature,
        reasons=table.reasons,
        also=tuple(table.measure for table in shown),
        also_mean=np.array([_means(table) for table in shown]).reshape(len(shown), len(names)),
        against=None if baseline is None else _against(baseline, ordered, correction, procedure),
        unsettled=tuple((names[i], names[j]) for i, j in unsettled(compared, alpha)),
    )


def _means(table: Scored) -> Floats:
    """Mean of each system; NaN where no topic has a score."""
    return table.value.mean(axis=0) if len(table.topics) else np.full(len(table.systems), np.nan)


def _all_pairs(
    method: Method,
    value: Floats,
    names: tuple[str, ...],
    resampling: Resampling | None,
    workers: int | None,
    client: Client,
) -> Comparisons:
    """All pairs by the method asked for; a warning where randomised HSD does not hold."""
    if method == "bootstrap":
        return bootstrap_max_t(value, resampling=resampling, systems=names, workers=workers, client=client)
    if (ratio := unequal(value)) > UNEQUAL:
        warn(
            f"the differences of one pair have {ratio:.1f} times the standard deviation of all pairs (root mean "
            f"square), more than {UNEQUAL}: randomised HSD assumes that all systems are exchangeable and then finds "
            'differences that do not exist more often than alpha says; method="bootstrap" (--method bootstrap) holds',
            stacklevel=3,
        )
    return randomised_hsd(value, resampling=resampling, systems=names, workers=workers, client=client)


def unequal(value: Floats) -> float:
    """The largest standard deviation of a pair's differences over the root mean square of all pairs, at least 1."""
    covariance = np.atleast_2d(np.cov(value.T))
    own = np.diag(covariance)
    variance = (own[:, None] + own - 2 * covariance)[np.triu_indices(len(own), 1)]
    return float(np.sqrt(variance.max() / variance.mean())) if variance.mean() > 0 else 1.0


def _student(value: Floats, level: float) -> tuple[Floats, Floats]:
    """Student's intervals of the column means."""
    n = len(value)
    reach = stdtrit(n - 1, (1 + level) / 2) * value.std(axis=0, ddof=1) / np.sqrt(n)
    mean = value.mean(axis=0)
    return mean - reach, mean + reach


def _also(source: Any, scores: Scored, measures: Sequence[str | Measure], names: tuple[str, ...]) -> list[Scored]:
    """Scores of further measures, each on the topics that it has for all systems."""
    if isinstance(source, ScoredLists):
        source = source.scores
    elif scores.judged is not None and measures:
        source = evaluate(scores.judged, list(measures))
    return [scored(source, measure, names) for measure in measures]


def _against(
    baseline: str,
    table: Scored,
    correction: Correction,
    procedure: Procedure,
) -> AgainstBaseline:
    names = table.systems
    base = names.index(baseline)
    each = replace(procedure, level=1 - (1 - procedure.level) / (len(names) - 1))  # all intervals hold at once
    effects = tuple(None if s == base else each.effect_of(table, base, s) for s in range(len(names)))
    others = [(s, e) for s, e in enumerate(effects) if e is not None]
    family = [f"{names[s]} - {baseline}" for s, _ in others]
    adjusted = np.full(len(names), np.nan)
    adjusted[[s for s, _ in others]] = adjust([e.pvalue for _, e in others], correction, family=family).adjusted
    agree = correction == "bonferroni" and procedure.test == "t"
    return AgainstBaseline(
        baseline=baseline,
        correction=correction,
        method=TESTS[procedure.test],
        effects=effects,
        adjusted=tuple(adjusted.tolist()),
        level=procedure.level,
        intervals=tuple(None if e is None or STAND_IN in e.remark else (e.lower, e.upper) for e in effects)
        if agree
        else None,
    )
