"""One claim over many collections: two systems, their effect on each collection, on average and on the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.arrays import Floats
from rankscope.comparisons import across_wording, claims
from rankscope.comparisons.claims import Claim
from rankscope.comparisons.collection_board import CollectionBoard, collection_board
from rankscope.comparisons.collections import LeftOut, MeansTable, RunScores, collections_of, repeats_of, run_scores
from rankscope.comparisons.effect import Effect, Procedure, Test, effect_of_runs, interval_level
from rankscope.comparisons.repeats import systems_of
from rankscope.comparisons.scored import MEASURE, ScoredLists, scored, scored_apart
from rankscope.comparisons.sensitivity import PALETTE, NotRepeated, Repetition, outcome_of
from rankscope.errors import InputError, Problem, argument, did_you_mean, plural, quietly
from rankscope.formatting import visible
from rankscope.layout import Block, Layer, latex_table
from rankscope.measures import Measure, parse
from rankscope.preferences.classes import favoured
from rankscope.progress import staged
from rankscope.results import Layered
from rankscope.statistics import Resampling, random_effects, repeated_runs, two_level_bootstrap, variance_components
from rankscope.statistics.equality import no_variance
from rankscope.statistics.pairs.differences import Differences
from rankscope.statistics.replications.random_effects import STAND_IN, RandomEffects, student, two_sided
from rankscope.statistics.replications.repeated_runs import VarianceComponents
from rankscope.statistics.replications.two_level_bootstrap import TwoLevelBootstrap
from rankscope.statistics.special import stdtrit


@dataclass(frozen=True, slots=True)
class CollectionEffect:
    """The comparison of two systems on one collection.

    effect    the mean of b - a over topics, with interval and test
    estimate  what the mean over collections is taken of: the difference, or the standardised difference
    variance  of the estimate
    verdict   1 where b is shown to score higher on this collection, -1 where a is, 0 where neither
    """

    name: str
    measure: str
    mean_a: float
    mean_b: float
    effect: Effect
    estimate: float
    variance: float
    verdict: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class AverageEffect:
    """The mean of the effects over collections, its interval and test, and what the next collection may show.

    next_lower, next_upper  the next collection's true effect; from means only, its observed effect
    """

    difference: float
    lower: float
    upper: float
    level: float
    pvalue: float
    df: float
    method: str
    next_lower: float
    next_upper: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Across(Layered):
    """Two systems on several collections: what can be claimed about all of them, and about the next one.

    rows          one per collection; empty where only means were given
    means         effect of each collection, by name, where only means were given
    average       the mean effect, which decides the claim "on average"
    claims        the four claims, each with its own test
    by_precision  weights by precision, for comparison: Paule and Mandel's tau2 with Hartung and Knapp's interval
    usual         as many tools print it: DerSimonian and Laird's tau2 with the normal interval
    without       the mean effect without each collection in turn
    bootstrap     the two-level bootstrap; None where only means were given
    weighted      the mean by weights that were given, over just these collections
    repetitions   the mean effect under other metrics
    unused        collections that are not used, and why
    components    variances of scores by their sources, where systems are several runs
    shared_runs   whether the same runs were made on all collections
    range         lowest and highest value of the measure, where it is known
    """

    systems: tuple[str, str]
    measure: str
    rows: tuple[CollectionEffect, ...]
    means: Mapping[str, float]
    average: AverageEffect
    claims: tuple[Claim, ...]
    alpha: float
    margin: float | None = None
    standardised: bool = False
    by_precision: RandomEffects | None = None
    usual: RandomEffects | None = None
    without: tuple[tuple[str, AverageEffect], ...] = ()
    bootstrap: TwoLevelBootstrap | None = None
    weighted: AverageEffect | None = None
    weights: Mapping[str, float] | None = None
    repetitions: tuple[Repetition, ...] = ()
    not_repeated: tuple[NotRepeated, ...] = ()
    unused: tuple[LeftOut, ...] = ()
    components: VarianceComponents | None = None
    n_runs: tuple[int, int] = (1, 1)
    shared_runs: bool = True
    range: tuple[float, float] | None = None

    @property
    def n_collections(self) -> int:
        """Number of collections that are used."""
        return len(self.rows) or len(self.means)

    @property
    def claim(self) -> Claim | None:
        """The claim that the verdict states; None where none is shown."""
        return claims.verdict(self.claims)

    @property
    def favours(self) -> str | None:
        """The system that the verdict favours; None where it favours neither."""
        return None if self.claim is None or not self.claim.verdict else self.systems[self.claim.verdict > 0]

    def sentence(self) -> str:
        """The verdict in one sentence."""
        return visible(across_wording.sentence(self))

    def blocks(self, layer: Layer) -> list[Block]:
        """Printed blocks of a layer; the verdict is first."""
        return across_wording.blocks(self, layer)

    def ends(self, row: CollectionEffect) -> tuple[float, float]:
        """Interval of a collection's estimate: that of its test, or normal for a standardised difference."""
        if not self.standardised:
            return row.effect.lower, row.effect.upper
        reach = NormalDist().inv_cdf((1 + self.average.level) / 2) * sqrt(row.variance)
        return row.estimate - reach, row.estimate + reach

    def columns(self) -> dict[str, list[Any]]:
        """One row per collection."""
        if not self.rows:
            return {"collection": list(self.means), "difference": list(self.means.values())}
        effects = [row.effect for row in self.rows]
        return {
            "collection": [row.name for row in self.rows],
            "measure": [row.measure for row in self.rows],
            "n_topics": [e.n_topics for e in effects],
            "mean_a": [row.mean_a for row in self.rows],
            "mean_b": [row.mean_b for row in self.rows],
            "difference": [e.difference for e in effects],
            "lower": [e.ends[0] for e in effects],
            "upper": [e.ends[1] for e in effects],
            "pvalue": [e.pvalue for e in effects],
            "favours": favoured([e.lean for e in effects], self.systems),
            "significant": [bool(row.verdict) for row in self.rows],
            "estimate": [row.estimate for row in self.rows],
            "variance": [row.variance for row in self.rows],
        }

    def column_types(self) -> dict[str, Any]:
        return {"lower": float, "upper": float} if self.rows else {}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        from rankscope.results import plain, records

        a, b = self.systems
        stated = self.claim
        return {
            "a": a,
            "b": b,
            "measure": self.measure,
            "n_collections": self.n_collections,
            "collections": records(self.columns()),
            "standardised": self.standardised,
            "means_only": not self.rows,
            "average": asdict(self.average),
            "claim": None if stated is None else stated.name,
            "favours": self.favours,
            "claims": [asdict(claim) for claim in self.claims],
            "alpha": self.alpha,
            "margin": self.margin,
            "by_precision": plain(self.by_precision),
            "usual": plain(self.usual),
            "without": [{"collection": name, **asdict(effect)} for name, effect in self.without],
            "bootstrap": plain(self.bootstrap),
            "weighted": None if self.weighted is None else asdict(self.weighted),
            "weights": None if self.weights is None else dict(self.weights),
            "repetitions": [
                {"axis": r.axis, "name": r.name, "outcome": r.outcome, "difference": r.effect.difference,
                 "lower": r.effect.lower, "upper": r.effect.upper, "pvalue": r.effect.pvalue}
                for r in self.repetitions
            ],
            "not_repeated": [asdict(r) for r in self.not_repeated],
            "unused": [asdict(each) for each in self.unused],
            "components": plain(self.components),
            "runs": list(self.n_runs),
            "sentence": self.sentence(),
        }  # fmt: skip

    def table(self) -> tuple[list[str], list[list[str]]]:
        return across_wording.paper_table(self)

    def text_columns(self) -> int:
        return 1

    def to_latex(self) -> str:
        """A booktabs table: one row per collection, the mean, and the interval for the next collection."""
        return latex_table(*self.table(), caption=across_wording.caption(self))


def across(
    source: Any,
    a: str | None = None,
    b: str | None = None,
    *,
    measure: str | Measure | None = None,
    systems: Sequence[str] | None = None,
    mapping: Any = None,
    repeats: Any = None,
    margin: float | None = None,
    collection_weights: Mapping[str, float] | None = None,
    standardised: bool = False,
    test: Test = "t",
    alpha: float = 0.05,
    level: float | None = None,
    palette: Sequence[str | Measure] = PALETTE,
    resampling: Resampling | None = None,
    workers: int | None = None,
    progress: Callable[[float], Any] | None = None,
    **rules: Any,
) -> Across | CollectionBoard:
    """Two systems, or all of them, over several collections.

    source    folders of collections, each with judgments qrels* and a folder runs, or with BEIR's qrels/test.tsv; a
              table with the columns collection, qrels, runs; a file or frame of scores with a column collection, with
              topics or with means only; a folder of MTEB's results; {name: lists of `load`, scores, or (qrels, runs)}
    a, b      names of two systems; without them all systems are ranked by their means over collections
    measure   the one that decides (nDCG@10 for lists)
    mapping   where a system has other names: {collection: {name there: name here}}, or a CSV file with the columns
              collection, run, system
    repeats   which runs are of one system: a separator as in name@seed, an expression with one group, {run: system}, or
              a CSV file with the columns run, system; by default name@1 and name@2 are runs of `name`; "none": each run
              is a system
    margin    a difference that would matter: whether b is nowhere worse by as much is tested, too
    collection_weights  weights of the collections in a further mean, which speaks of just these collections
    standardised  differences in standard deviations over topics, for collections with different measures
    test      of each collection; over collections it is Student's t of their effects
    palette   metrics under which the mean over collections is looked at as well
    rules     those of `load`, for runs that are read here, such as ties="rank" or rel=2
    """
    level = interval_level(alpha, level)
    procedure = Procedure(test, level, resampling, workers)
    if margin is not None:
        arguments.positive("margin", margin)
    if (a is None) != (b is None):
        raise InputError("one system is named", "name two systems, or none to rank all of them")
    if a is not None and a == b:
        raise InputError(f"{a!r} is compared with itself", "name two systems")
    asked = None if measure is None else str(measure)
    found, left_out = collections_of(source, mapping=mapping, measure=asked, rules=rules)
    repeats = repeats_of(found, repeats, systems if a is None or b is None else (a, b))
    if a is None or b is None:
        return collection_board(
            found, left_out, measure=measure, systems=systems, repeats=repeats, alpha=alpha, level=level,
            resampling=resampling, workers=workers, progress=progress,
        )  # fmt: skip
    if isinstance(found, MeansTable):
        if margin is not None or collection_weights is not None or standardised:
            cause = "means alone have no variance over topics"
            raise InputError(cause, "leave out margin, weights and standardised effects, or give scores by topic")
        return _of_means(found, a, b, alpha, level, systems_of(found.systems, repeats))
    reading, comparing = staged(progress, 3, 1)
    if all(each.measure is None for each in found) and measure is None:
        measure = MEASURE
    scores, further = run_scores(
        found, (a, b), measure, repeats=repeats, standardised=standardised, progress=reading
    )  # fmt: skip
    result = _of_scores(scores, a, b, procedure, alpha, margin, standardised, resampling)
    if collection_weights is not None:
        result = replace(result, weighted=_weighted(result, collection_weights, level), weights=collection_weights)
    repetitions, not_repeated = _palette(scores, result, palette, procedure) if not standardised else ((), ())
    if comparing is not None:
        comparing(1.0)
    return replace(result, unused=(*left_out, *further), repetitions=repetitions, not_repeated=not_repeated)


def _of_scores(
    scores: Sequence[RunScores],
    a: str,
    b: str,
    procedure: Procedure,
    alpha: float,
    margin: float | None,
    standardised: bool,
    resampling: Resampling | None,
) -> Across:
    rows = _with_variance([_row(each, a, b, procedure, alpha, standardised) for each in scores])
    names = [row.name for row in rows]
    estimates, variances = (np.array([getattr(row, name) for row in rows]) for name in ("estimate", "variance"))
    runs = [_run_means(scores, system) for system in (a, b)]
    average = _average(estimates, variances, names, procedure.level, None if standardised else runs)
    chosen: Any = {"collections": names, "level": procedure.level, "weighting": "precision"}
    effects = [row.effect for row in rows]
    all_claims = (
        claims.on_average(average.difference, average.pvalue, alpha, f"{average.method}, {average.df:.3g} df"),
        claims.on_each(effects, alpha),
        claims.nowhere_worse(effects, [_variance(row) for row in rows], margin, alpha),
        claims.mixed(effects, alpha),
    )
    without = []
    for i in range(len(rows) if len(rows) > 2 else 0):
        rest = [None if part is None else np.delete(part, i, axis=0) for part in runs]
        without.append((names[i], _average(
            np.delete(estimates, i), np.delete(variances, i), names[:i] + names[i + 1 :], procedure.level,
            None if standardised else rest,
        )))  # fmt: skip
    differences = [each.of(b).mean(axis=1) - each.of(a).mean(axis=1) for each in scores]
    if standardised:
        differences = [part / part.std(ddof=1) for part in differences]
    kinds, varying = dict.fromkeys(row.measure for row in rows), variances.any()
    counts = tuple(max(len(each.runs[system]) for each in scores) for system in (a, b))
    return Across(
        systems=(a, b), measure=", ".join(kinds), rows=rows, means={}, average=average, claims=all_claims, alpha=alpha,
        margin=margin, standardised=standardised,
        by_precision=random_effects(estimates, variances, **chosen) if varying else None,
        usual=random_effects(estimates, variances, variant="dersimonian-laird", interval="normal", **chosen)
        if varying else None,
        without=tuple(without), range=None if standardised else _range(scores), n_runs=(counts[0], counts[1]),
        shared_runs=all(part is not None for part in runs),
        components=_components(scores, a, b) if max(counts) > 1 else None,
        bootstrap=two_level_bootstrap(
            differences, level=procedure.level, resampling=resampling, workers=procedure.workers
        ),
    )  # fmt: skip


def _range(scores: Sequence[RunScores]) -> tuple[float, float] | None:
    """Lowest and highest value of the measure; None where scores do not say."""
    record = scores[0].scored.record
    return None if record is None else record.bounds


def _row(each: RunScores, a: str, b: str, procedure: Procedure, alpha: float, standardised: bool) -> CollectionEffect:
    """The comparison on one collection."""
    first, second = each.of(a), each.of(b)
    if first.shape[1] == second.shape[1] == 1:
        table = each.scored
        effect = procedure.effect_of(table, table.systems.index(each.runs[a][0]), table.systems.index(each.runs[b][0]))
        d = second[:, 0] - first[:, 0]
        variance = float(d.var(ddof=1)) / len(d)
    else:
        effect = effect_of_runs(first, second, procedure)
        d = second.mean(axis=1) - first.mean(axis=1)
        variance = float(d.var(ddof=1)) / len(d)
        if "runs" in effect.method:
            variance = repeated_runs(first, second).standard_error ** 2
    if Differences.of(first.mean(axis=1), second.mean(axis=1)).constant:
        variance = 0.0
    verdict = effect.lean if effect.pvalue < alpha and effect.lean * effect.difference > 0 else 0
    estimate = effect.difference
    if standardised:
        deviation = sqrt(variance * len(d))
        if deviation == 0:
            cure = "leave the collection out, or do not standardise"
            raise InputError(Problem("the difference is the same on every topic", cure, each.name))
        small = 1 - 3 / (4 * (len(d) - 1) - 1)  # Hedges (1981)
        estimate = small * effect.difference / deviation
        variance = small**2 / len(d) + estimate**2 / (2 * len(d))
    return CollectionEffect(
        each.name, each.scored.measure, float(first.mean()), float(second.mean()), effect, estimate, variance, verdict,
        len(each.scored.left_out),
    )  # fmt: skip


def _variance(row: CollectionEffect) -> float:
    """Variance of the difference itself, from its interval where the estimate is standardised."""
    ends = row.effect.ends
    if ends[0] is None or ends[1] is None or not np.isfinite(ends[0]):
        return 0.0
    reach = stdtrit(row.effect.n_topics - 1, (1 + row.effect.level) / 2)
    return float(((ends[1] - ends[0]) / 2 / reach) ** 2)


def _with_variance(rows: Sequence[CollectionEffect]) -> tuple[CollectionEffect, ...]:
    """Rows with a variance each: one without takes the mean of the others', for its number of topics; 0 without any."""
    typical = float(np.mean([row.variance * row.effect.n_topics for row in rows if row.variance > 0] or [0.0]))
    return tuple(row if row.variance > 0 else replace(row, variance=typical / row.effect.n_topics) for row in rows)


def _run_means(scores: Sequence[RunScores], system: str) -> Floats | None:
    """Mean scores of a system's runs, collections x runs; None where collections have different runs."""
    if len({frozenset(each.runs[system]) for each in scores}) > 1:
        return None
    runs = scores[0].runs[system]
    return np.array([[each.scored.of(run).mean() for run in runs] for each in scores])


def _average(
    estimates: Floats, variances: Floats, names: Sequence[str], level: float, runs: Sequence[Floats | None] | None
) -> AverageEffect:
    """The mean effect by equal weights; runs that all collections share add their variance to it."""
    if not variances.any():
        return _of_differences(estimates, level)
    result = random_effects(estimates, variances, collections=names, level=level)
    method = STAND_IN if isnan(result.lower) else "Student's t over collections (Hartung and Knapp, equal weights)"
    effect = AverageEffect(
        result.difference, result.lower, result.upper, level, result.pvalue, result.df, method,
        result.prediction_lower, result.prediction_upper,
    )  # fmt: skip
    parts = [part for part in runs or () if part is not None]
    return effect if len(parts) < 2 or max(part.shape[1] for part in parts) == 1 else _with_runs(effect, parts)


def _with_runs(effect: AverageEffect, parts: Sequence[Floats]) -> AverageEffect:
    """The mean effect with the variance of runs, collections x runs of each system, that all collections share."""
    both = repeated_runs(parts[0], parts[1], level=effect.level)
    if not both.runs_variance:
        return effect
    added = student(both.df, (1 + effect.level) / 2) ** 2 * both.runs_variance
    widened = [
        effect.difference + side * sqrt((end - effect.difference) ** 2 + added)
        for side, end in ((-1, effect.next_lower), (1, effect.next_upper))
    ]
    return replace(
        effect, lower=both.lower, upper=both.upper, pvalue=both.pvalue, df=both.df, next_lower=widened[0],
        next_upper=widened[1], method="Student's t over collections and runs",
    )  # fmt: skip


def _weighted(result: Across, weights: Mapping[str, float], level: float) -> AverageEffect:
    """Mean of just these collections by given weights; the sampling of topics is all that varies."""
    names = [row.name for row in result.rows]
    cure = f"{argument('collection_weights')} are numbers above 0, one for each collection"
    problems = [Problem(f"no weight of {name}", cure) for name in names if name not in weights]
    problems += [Problem(f"no collection is named {name!r}", did_you_mean(name, names))
                 for name in weights if name not in {*names, *(each.name for each in result.unused)}]  # fmt: skip
    problems += [Problem(f"weight {value!r} of {name}", cure) for name, value in weights.items()
                 if not arguments.is_number(value) or value <= 0]  # fmt: skip
    if problems:
        raise InputError(problems)
    w = np.array([weights[name] for name in names], np.float64)
    w /= w.sum()
    variances = np.array([row.variance for row in result.rows])
    if not variances.any():
        cause = "the difference is the same on every topic of each collection"
        raise InputError(cause, f"leave out {argument('collection_weights')}: there is no variance to go by")
    parts = w**2 * variances
    mean, variance = float(w @ [row.estimate for row in result.rows]), float(parts.sum())
    df = variance**2 / float((parts**2 / np.array([row.effect.n_topics - 1 for row in result.rows])).sum())
    reach = student(df, (1 + level) / 2) * sqrt(variance)
    pvalue = two_sided(mean / sqrt(variance), df)
    method = "t over the topics of these collections (Satterthwaite)"
    return AverageEffect(mean, mean - reach, mean + reach, level, pvalue, df, method, np.nan, np.nan)


def _components(scores: Sequence[RunScores], a: str, b: str) -> VarianceComponents | None:
    """Variance components over the topics of all collections, of the runs that all of them have."""
    parts = {}
    for system in (a, b):
        shared = [run for run in scores[0].runs[system] if all(run in each.runs[system] for each in scores)]
        if not shared:
            return None
        parts[system] = np.concatenate([np.stack([each.scored.of(run) for run in shared], axis=1) for each in scores])
    return variance_components(parts) if max(part.shape[1] for part in parts.values()) > 1 else None


def _palette(
    scores: Sequence[RunScores], result: Across, palette: Sequence[str | Measure], procedure: Procedure
) -> tuple[tuple[Repetition, ...], tuple[NotRepeated, ...]]:
    """The mean over collections under other metrics, where all collections have lists."""
    if any(each.scored.judged is None for each in scores):
        return (), ()
    others = [m for m in parse(palette) if str(m) != str(scores[0].scored.record)]
    by_metric: dict[str, list[tuple[float, float, list[Floats]]]] = {}
    reasons: dict[str, str] = {}
    a, b = result.systems
    with quietly():
        for each in scores:
            assert each.scored.judged is not None
            for part in scored_apart(each.scored.judged, others):
                if isinstance(part, tuple):
                    reasons[part[0]] = f"{each.name}: {part[1]}"
                    continue
                for measure in part.measures:
                    table = scored(ScoredLists(each.scored.judged, part), measure)
                    again = RunScores(each.name, table, each.runs)
                    if len(table.topics) < 2:
                        reasons[str(measure)] = f"{each.name}: {plural(len(table.topics), 'topic')}"
                        continue
                    d = again.of(b).mean(axis=1) - again.of(a).mean(axis=1)
                    runs = [np.array([table.of(run).mean() for run in each.runs[s]]) for s in (a, b)]
                    by_metric.setdefault(str(measure), []).append(
                        (float(d.mean()), float(d.var(ddof=1)) / len(d), runs)
                    )
    base = next(claim.verdict for claim in result.claims if claim.name == "on average")
    rows, missing = [], [NotRepeated("metric", name, why) for name, why in reasons.items()]
    for name, parts in by_metric.items():
        if name in reasons or len(parts) < len(scores):
            continue
        variances = np.array([part[1] for part in parts])
        if not (variances > 0).any():
            missing.append(NotRepeated("metric", name, "the difference is the same on every topic"))
            continue
        variances = np.where(variances > 0, variances, variances[variances > 0].mean())
        shared = [np.stack([part[2][s] for part in parts]) if result.shared_runs else None for s in (0, 1)]
        average = _average(
            np.array([part[0] for part in parts]), variances, [each.name for each in scores], procedure.level, shared
        )
        verdict = (1 if average.difference > 0 else -1) * (average.pvalue < result.alpha)
        rows.append(Repetition("metric", name, as_effect(average, [part[0] for part in parts]), verdict,
                               outcome_of(base, verdict)))  # fmt: skip
    return tuple(rows), tuple(missing)


def as_effect(average: AverageEffect, differences: Sequence[float]) -> Effect:
    """The mean over collections as an effect whose units are collections."""
    won, lost = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    return Effect(
        difference=average.difference, lower=average.lower, upper=average.upper, level=average.level, test="t",
        pvalue=average.pvalue, method=average.method, lean=int(np.sign(average.difference)), n_topics=len(differences),
        won=won, lost=lost, tied=len(differences) - won - lost,
    )  # fmt: skip


def _of_means(
    table: MeansTable, a: str, b: str, alpha: float, level: float, runs: Mapping[str, Sequence[str]]
) -> Across:
    """Two systems by their means alone: nothing can be said about one collection."""
    for name in (a, b):
        if name not in runs:
            raise InputError(f"no collection has a system {name!r}", did_you_mean(name, runs))
    parts = [np.stack([table.value[table.systems.index(run)] for run in runs[name]], axis=1) for name in (a, b)]
    first, second = (part.mean(axis=1) for part in parts)  # NaN where a run has no mean
    here = np.isfinite(first) & np.isfinite(second)
    left_out = [
        LeftOut(name, f"no mean of {' or of '.join(s for s, v in ((a, first), (b, second)) if not np.isfinite(v[i]))}")
        for i, name in enumerate(table.collections)
        if not here[i]
    ]
    d = (second - first)[here]
    if len(d) < 2:
        reasons = "".join(f"; {each.name}: {each.reason}" for each in left_out)
        raise InputError(f"{plural(len(d), 'collection')} with {a} and {b}{reasons}", "give at least two collections")
    names = [name for name, kept in zip(table.collections, here, strict=True) if kept]
    average = _of_differences(d, level)
    if max(part.shape[1] for part in parts) > 1:
        average = _with_runs(average, [part[here] for part in parts])
    no = "means alone say nothing about one collection: scores by topic are needed"
    all_claims = (
        claims.on_average(average.difference, average.pvalue, alpha, f"{average.method}, {average.df:.3g} df"),
        Claim("on each", False, 0, None, None, no), Claim("nowhere worse", False, 0, None, None, no),
        Claim("mixed", False, 0, None, None, no),
    )  # fmt: skip
    return Across(
        systems=(a, b), measure=table.measure, rows=(), means=dict(zip(names, d.tolist(), strict=True)),
        average=average, claims=all_claims, alpha=alpha, unused=tuple(left_out),
        n_runs=(parts[0].shape[1], parts[1].shape[1]),
    )  # fmt: skip


def _of_differences(d: Floats, level: float) -> AverageEffect:
    """The mean of differences that have no variance of their own: Student's t over collections."""
    mean, k = float(d.mean()), len(d)
    quantile, spread = stdtrit(k - 1, (1 + level) / 2), float(d.std(ddof=1))
    reach, pvalue, method = quantile * spread / sqrt(k), 1.0, "Student's t over collections"
    if no_variance(spread**2 * (k - 1), d):
        if mean:
            reach, pvalue, method = nan, 2 * 0.5**k, STAND_IN
    else:
        pvalue = two_sided(mean / (spread / sqrt(k)), k - 1)
    further = reach * sqrt(k + 1)
    return AverageEffect(
        mean, mean - reach, mean + reach, level, pvalue, k - 1, method, mean - further, mean + further
    )  # fmt: skip
