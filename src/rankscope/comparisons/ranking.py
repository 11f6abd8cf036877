"""Ranking of many systems, with groups that cannot be told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope.arguments import one_of
from rankscope.arrays import Floats
from rankscope.comparisons.effect import STAND_IN, Procedure, Test, interval_level, robust_ends
from rankscope.comparisons.exact_differences import best_first
from rankscope.comparisons.holes import HoleWarning, Statistic, judged_shares, ranking_warnings
from rankscope.comparisons.leaderboard import AgainstBaseline, Leaderboard
from rankscope.comparisons.repeats import APART
from rankscope.comparisons.scored import (
    Design,
    Scored,
    ScoredLists,
    cutoff_of,
    lists_of_runs,
    population,
    repeated,
    scored,
)
from rankscope.comparisons.topic_attributes import QUANTILES, TopicPlan
from rankscope.errors import InputError, argument, did_you_mean, plural, quietly, warn
from rankscope.judged import Judged
from rankscope.judged.sources import Runs
from rankscope.judged.subsets import with_systems
from rankscope.measures import Measure, Scores, evaluate
from rankscope.parallel import Client
from rankscope.progress import heard, staged
from rankscope.statistics import (
    Resampling,
    adjust,
    bootstrap_max_t,
    letters,
    randomised_hsd,
    rank_intervals,
    repeated_all_pairs,
    variance_components,
)
from rankscope.statistics.families.clustered_hsd import cluster_matrix, clustered_hsd
from rankscope.statistics.families.comparisons import Comparisons
from rankscope.statistics.families.corrections import Correction
from rankscope.statistics.families.groups import unsettled
from rankscope.statistics.pairs.clusters import Units
from rankscope.statistics.pairs.intervals import topics_to_flip
from rankscope.statistics.replications.repeated_runs import degrees, run_variance
from rankscope.statistics.special import stdtrit

Method: TypeAlias = Literal["bootstrap", "hsd"]
Tested: TypeAlias = Literal["first", "each", "together"]
METHODS: dict[Method, str] = {
    "bootstrap": "step-down bootstrap MaxT (Romano and Wolf 2005)",
    "hsd": "randomised Tukey HSD (Carterette 2012)",
}
UNEQUAL = 1.5  # largest standard deviation of a pair's differences, over the root mean square of all, that HSD bears


def rank(
    source: Judged | Scores | Any,
    runs: Runs = None,
    *,
    measure: str | Measure | None = None,
    also: Sequence[str | Measure] = (),
    tested: Tested = "first",
    systems: Sequence[str] | None = None,
    baseline: str | Sequence[str] | None = None,
    correction: Correction = "holm",
    test: Test = "t",
    alpha: float = 0.05,
    level: float | None = None,
    method: Method = "bootstrap",
    topics_table: Any = None,
    by: str | None = None,
    quantiles: int = QUANTILES,
    slices: Mapping[str, Sequence[str]] | None = None,
    clusters: str | None = None,
    weights: str | None = None,
    repeats: Any = None,
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
    progress: Callable[[float], Any] | None = None,
    **rules: Any,
) -> Leaderboard:
    """Order systems by their mean, and say which cannot be told apart, all pairs at once.

    source      lists (`load`), scores (`evaluate`), or whatever `read_scores` reads; or judgments, beside runs
    runs        runs, as `load` takes them, where the source is judgments
    measure     the one that decides (nDCG@10 for lists)
    also        further measures to show beside it
    tested      which measures are tested: the "first" alone, which decides; "each", with alpha for each; or all of them
                "together", with alpha divided by their number (Bonferroni), so that it holds over all measures
    baseline    also compare every other system with this one, or with each of several; p values are corrected over all
                these comparisons, of which one between two baselines counts once
    alpha       chance of any false difference among all pairs, and among the comparisons with the baseline
    level       of the intervals; 1 - alpha unless given
    method      of the comparisons of all pairs: "bootstrap", step-down MaxT by bootstrap over topics (Romano and Wolf
                2005), or "hsd", randomised Tukey HSD (Carterette 2012), which assumes that systems are exchangeable:
                it finds differences that do not exist where some systems are near-identical and others are not
    topics_table, clusters, weights  attributes of topics, as of `compare`: clusters are drawn or permuted as one
    by, quantiles, slices  slices of topics, as of `compare`: means and groups on each, and a test of whether
                differences between systems depend on the slice
    repeats     which runs are of one system, as for `compare`; all pairs are then tested by t over topics and runs
    progress    hears which share of the work is done, as in `progress=Bar()`
    rules       those of `load`, for runs that are read here, such as ties="rank" or rel=2
    """
    one_of("method", method, METHODS)
    one_of("tested", tested, ("first", "each", "together"))
    level = interval_level(alpha, level)
    n_measures = 1 + len(also) if tested == "together" else 1
    alpha = alpha / n_measures
    procedure = Procedure(test, level, resampling, workers)
    source = lists_of_runs(source, runs, rules, workers=workers, client=client)
    asked = (baseline,) if isinstance(baseline, str) else tuple(baseline or ())
    source = repeated(source, repeats, measure=measure, systems=systems, apart=asked)
    plan = TopicPlan.of(topics_table, clusters, weights)
    if by is not None and slices is not None:
        raise InputError(f"{argument('by', by)} beside {argument('slices')}", "choose one of them")
    table = plan.applied(scored(source, measure, systems))
    if len(table.systems) < 2:
        cure = f"; {argument('repeats', APART)} makes each run a system" if table.runs else ""
        raise InputError("only one system", f"a ranking needs at least two{cure}")
    baselines = _baselines(baseline, table.systems)
    if (sample := table.sample(flipped=bool(baselines) and test == "randomisation")).too_few:
        cure = f"give at least {sample.fewest} {table.unit}s{sample.otherwise}"
        raise InputError(f"{sample.are} too few to tell systems apart", cure)
    # equal means are ordered by name, so that the order of the files does not matter
    order = best_first(table)
    names = tuple(table.systems[s] for s in order)
    ordered = table.reordered(order)
    value = ordered.value
    statistic: Statistic = "t" if table.runs else "mean" if method == "hsd" else "moderated t"
    boards = 0 if tested == "first" else len(also)
    pairs = len(names) * (len(names) - 1) / 2
    singles = len(baselines) * len(names)
    rows = {} if by is None else plan.slices(ordered, by, quantiles)
    if slices:
        from rankscope.comparisons.slices import listed

        rows = listed(ordered, slices)
    all_pairs, one_by_one, by_slice, *each = staged(
        progress, pairs, singles, len(rows) * pairs, *[pairs + singles] * boards
    )

    def tested_pairs(part: Scored, stage: Callable[[float], Any] | None = None) -> Comparisons:
        if part.runs:
            return adjust(repeated_all_pairs(dict(zip(names, part.runs, strict=True))), "holm")
        return _all_pairs(method, part, resampling, workers, client, stage)

    compared = tested_pairs(ordered, all_pairs)
    groups_of_slices = None
    if rows:
        from rankscope.comparisons.board_slices import board_slices
        from rankscope.comparisons.slices import LISTED

        with quietly():  # of all topics it was said
            groups_of_slices = board_slices(
                ordered, rows, tested_pairs, by=by or LISTED, alpha=alpha, compared=compared, progress=by_slice
            )
        if by is not None:
            groups_of_slices = replace(groups_of_slices, meaning=plan.meaning(ordered, by))
    against, n_compared = _against(baselines, ordered, correction, procedure, one_by_one)
    groups = letters(compared, alpha)
    possible = rank_intervals(compared, alpha)
    if table.design is not None:
        lower, upper, of_means = _robust(ordered, table.design, procedure)
    else:
        of_means = "Student"
        lower, upper = _of_runs(ordered.runs, level) if ordered.runs else _student(value, level)
    shown = [plan.applied(other) for other in _also(source, table, also, names)]
    with quietly():  # which topics are left out was said of the means
        further = [
            rank(
                source, measure=other, systems=systems, baseline=baseline, correction=correction, test=test,
                alpha=alpha, level=level, method=method, topics_table=plan.table, clusters=clusters, weights=weights,
                resampling=resampling, workers=workers, client=client, progress=stage,
            )
            for other, stage in zip(also, each, strict=False)
        ]  # fmt: skip
    return Leaderboard(
        measure=table.measure,
        systems=names,
        mean=ordered.mean(),
        lower=lower,
        upper=upper,
        of_means=of_means,
        best=tuple(int(x) for x in possible.lower),
        worst=tuple(int(x) for x in possible.upper),
        letters=groups.letters,
        groups=len(groups.groups),
        pvalues=compared.matrix(),
        alpha=alpha,
        level=level,
        method=", ".join(part for part in (compared.method, compared.how.split("; ")[0]) if part),
        n_topics=len(table.topics),
        left_out=len(table.left_out),
        signature=table.signature,
        reasons=table.reasons,
        also=tuple(table.measure for table in shown),
        also_mean=np.array([_means(table) for table in shown]).reshape(len(shown), len(names)),
        against=against[0] if against else None,
        baselines=against,
        compared=n_compared,
        unsettled=tuple((names[i], names[j]) for i, j in unsettled(compared, alpha)),
        further=tuple(further),
        n_measures=n_measures,
        range=None if table.record is None else table.record.bounds,
        offer=next((each.offer for each in (table, *shown) if each.offer), ""),
        design="" if table.design is None else _design(ordered, table.design),
        components=variance_components(dict(zip(names, ordered.runs, strict=True))) if ordered.runs else None,
        slices=groups_of_slices,
        judged=_judged(ordered),
        holes=_holes(ordered, compared, against, alpha, statistic),
    )


def _judged(table: Scored) -> Floats | None:
    """Share of each system's documents that are judged, as far down as the measure looks."""
    if table.judged is None or table.record is None:
        return None
    return judged_shares(with_systems(table.judged, table.systems), cutoff_of(table.record), table.at)


def _holes(
    table: Scored, compared: Comparisons, baselines: Sequence[AgainstBaseline], alpha: float, statistic: Statistic
) -> tuple[HoleWarning, ...]:
    """Warnings about the pairs that decide: those of the leader, or those of the baselines."""
    first, second = compared.first, compared.second
    if not baselines:
        shown = compared.pvalue < alpha
        return ranking_warnings(table, first, second, shown, first == 0, alpha, statistic)
    adjusted = np.full((len(table.systems),) * 2, np.nan)
    for against in baselines:
        base = table.systems.index(against.baseline)
        adjusted[base] = adjusted[:, base] = against.adjusted
    tested = ~np.isnan(adjusted[first, second])
    first, second = first[tested], second[tested]
    shown = adjusted[first, second] < alpha
    return ranking_warnings(table, first, second, shown, np.ones(len(first), bool), alpha, "t")


def _means(table: Scored) -> Floats:
    """Mean of each system; NaN where no topic has a score."""
    return table.mean() if len(table.topics) else np.full(len(table.systems), np.nan)


def _all_pairs(
    method: Method,
    table: Scored,
    resampling: Resampling | None,
    workers: int | None,
    client: Client,
    progress: Callable[[float], Any] | None,
) -> Comparisons:
    """All pairs by the method asked for; a warning where randomised HSD does not hold."""
    settings: dict[str, Any] = {
        "resampling": resampling, "systems": table.systems, "workers": workers, "client": client, "progress": progress
    }  # fmt: skip
    value, design = table.value, table.design
    if design is not None:
        value = cluster_matrix(value, design.clusters, design.weights)
    if method == "bootstrap":
        tested = bootstrap_max_t(value, **settings)
        by = "" if table.unit == "topic" else ", by cluster"
        return replace(tested, method=f"{tested.method}{by}", n_topics=len(table.topics))
    if (ratio := unequal(value)) > UNEQUAL:
        warn(
            f"the differences of one pair have {ratio:.1f} times the standard deviation of all pairs (root mean "
            f"square), more than {UNEQUAL}. Randomised HSD assumes that all systems are exchangeable: here it finds "
            "differences that do not exist more often than alpha says. "
            f"{argument('method', 'bootstrap')} needs no such assumption",
            stacklevel=3,
        )
    if design is not None:
        return clustered_hsd(table.value, design.clusters, weights=design.weights, **settings)
    return randomised_hsd(value, **settings)


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


def _of_runs(runs: Sequence[Floats], level: float) -> tuple[Floats, Floats]:
    """Student's intervals of the means of systems that are several runs, with the variance of these added."""
    ends = []
    for part in runs:
        by_topic, added = part.mean(axis=1), run_variance(part)
        by_topics = float(by_topic.var(ddof=1)) / len(part)
        reach = stdtrit(degrees(by_topics, len(part), [added]), (1 + level) / 2) * np.sqrt(by_topics + added.added)
        ends.append((by_topic.mean() - reach, by_topic.mean() + reach))
    lower, upper = np.array(ends).T
    return lower, upper


def _robust(table: Scored, design: Design, procedure: Procedure) -> tuple[Floats, Floats, str]:
    """Intervals of the column means by cluster and weight, and their method; without variance both ends are the mean.

    As in a comparison, sign flips stand in for the robust t where clusters or weights are unequal; not where they are
    too few for an interval at this level.
    """
    none = np.zeros(len(table.topics))
    flips = bool(design.unequal) and table.n_units >= topics_to_flip(procedure.level)
    ends = []
    for column in table.value.T:
        units = Units.of(column, none, design.clusters, design.weights)
        ends.append((units.mean, units.mean) if units.constant else robust_ends(units, procedure, flips=flips))
    lower, upper = np.array(ends).T
    return lower, upper, "sign flips" if flips else "robust t"


def _design(table: Scored, design: Design) -> str:
    """Clusters and weights in a sentence, with the median design effect over pairs of neighbours in the ranking."""
    value = table.value
    pairs = zip(value.T[:-1], value.T[1:], strict=True)
    none = np.zeros(len(value))
    effects = [Units.of(b - a, none, design.clusters, design.weights).design_effect for a, b in pairs]
    clusters = (
        "" if design.n_clusters is None else f" in {plural(design.n_clusters, 'cluster')} of {design.plan.clusters}"
    )
    weighted = "" if design.plan.weights is None else f" {population(design.plan.weights)}"
    middle = float(np.median(effects))
    return (
        f"Design effect {middle:.2f} (median of neighbours): {plural(len(value), 'topic')}{clusters} are as precise as "
        f"about {len(value) / middle if middle > 0 else len(value):,.0f} independent ones.{weighted}"
    )


def _also(source: Any, scores: Scored, measures: Sequence[str | Measure], names: tuple[str, ...]) -> list[Scored]:
    """Scores of further measures, each on the topics that it has for all systems."""
    if isinstance(source, ScoredLists):
        source = source.scores
    elif scores.judged is not None and measures:
        source = evaluate(scores.judged, list(measures))
    return [scored(source, measure, names) for measure in measures]


def _baselines(baseline: str | Sequence[str] | None, systems: Sequence[str]) -> tuple[str, ...]:
    """The baselines, each once; refused where one is no system."""
    names = () if baseline is None else (baseline,) if isinstance(baseline, str) else tuple(dict.fromkeys(baseline))
    for name in names:
        if name not in systems:
            raise InputError(f"baseline {name!r} is no system", did_you_mean(name, systems))
    return names


def _against(
    baselines: Sequence[str],
    table: Scored,
    correction: Correction,
    procedure: Procedure,
    progress: Callable[[float], Any] | None,
) -> tuple[tuple[AgainstBaseline, ...], int]:
    """Every other system against each baseline, and the number of comparisons that p values are corrected over.

    A pair of two baselines is one comparison, in the direction of either.
    """
    if not baselines:
        return (), 0
    names = table.systems
    bases = [names.index(baseline) for baseline in baselines]
    cells = [(base, s) for base in bases for s in range(len(names))]
    family = [(base, s) for base, s in cells if s != base and not (s in bases and bases.index(s) < bases.index(base))]
    each = replace(procedure, level=1 - (1 - procedure.level) / len(family))  # all intervals hold at once
    compared = (None if base == s else each.effect_of(table, base, s) for base, s in cells)
    effects = dict(zip(cells, heard(compared, len(cells), progress), strict=True))
    labels = [f"{names[s]} - {names[base]}" for base, s in family]
    pvalues = [effect.pvalue for pair in family if (effect := effects[pair]) is not None]
    corrected = dict(zip(family, adjust(pvalues, correction, family=labels).adjusted.tolist(), strict=True))
    flips = table.design is not None and bool(table.design.unequal)
    agree = correction == "bonferroni" and procedure.test == "t" and not flips

    def against(base: int) -> AgainstBaseline:
        own = tuple(effects[base, s] for s in range(len(names)))
        pairs = [(base, s) if (base, s) in corrected else (s, base) for s in range(len(names))]
        return AgainstBaseline(
            baseline=names[base],
            correction=correction,
            method=next(effect.test_name for effect in own if effect is not None),
            effects=own,
            adjusted=tuple(corrected.get(pair, np.nan) for pair in pairs),
            level=procedure.level,
            intervals=tuple(None if e is None or STAND_IN in e.remark else (e.lower, e.upper) for e in own)
            if agree
            else None,
        )

    return tuple(map(against, bases)), len(family)
