"""Judges compared with a reference: on pairs of topic and document, on leaderboards, and on verdicts.

Voorhees, "Variations in relevance judgments and the measurement of retrieval effectiveness", 2000, has the question;
Faggioli et al. 2023 and Clarke and Dietz 2024 ask it of language models; Otero et al. 2025 count verdicts, not ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from statistics import NormalDist
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.arguments import Checks
from rankscope.arrays import Bools, Floats, Ints
from rankscope.comparisons.effect import TESTS, Test, interval_level
from rankscope.comparisons.scored import FEWEST, MEASURE, Scored, scored
from rankscope.errors import InputError, Problem, plural, quietly
from rankscope.judged.judges import Judges, load_judges
from rankscope.judged.sources import Runs
from rankscope.kernels import cpu
from rankscope.measures import Measure
from rankscope.measures import measure as named
from rankscope.progress import heard
from rankscope.statistics import Resampling, adjust, bootstrap_max_t, randomisation_all_pairs
from rankscope.statistics.correlations.kendall import taus_of_rows
from rankscope.statistics.correlations.tau_ap import tau_ap
from rankscope.statistics.correlations.tau_intervals import after_fisher
from rankscope.statistics.draws.resampling import resampling_of
from rankscope.statistics.equality import difference
from rankscope.statistics.families.comparisons import pairs_of
from rankscope.statistics.pairs.difference_tests import paired_tests, t_tests
from rankscope.statistics.rater_agreement import (
    SCALES,
    WEIGHTS,
    alphas,
    coincidences,
    kappas,
    value_counts,
)
from rankscope.studies.judge_scorecard import (
    Agreement,
    Confusion,
    Fidelity,
    GroupBias,
    Joint,
    JudgeRow,
    JudgeStudy,
    Panel,
)

TOP = 10  # systems of the reference that count as its best
RESAMPLING = Resampling(1000)


def judges(
    source: Judges | Any,
    runs: Runs = None,
    judges: Any = None,
    *,
    measure: str | Measure | None = None,
    test: Test = "t",
    family_wise: bool = False,
    alpha: float = 0.05,
    level: float | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    resampling: Resampling | None = None,
    progress: Callable[[float], Any] | None = None,
    workers: int | None = None,
    **loading: Any,
) -> JudgeStudy:
    """How far do other judges agree with the reference, and which verdicts would change with them in its place?

    source     judges of `load_judges`; or the judgments of the reference, beside runs and the judgments of others
    judges     the judgments of others, as `load_judges` takes them
    measure    the measure that ranks and compares systems (nDCG@10)
    test       the test that decides on each pair of systems: "t", "randomisation", "wilcoxon" or "sign"
    family_wise whether all pairs are tested as one family, by step-down MaxT as in `rank`, and not each for itself
    groups     {group: systems}: does a judge favour a group, compared with the reference?
    resampling bootstrap samples of topics for intervals: 1,000 unless given
    loading    arguments of `load_judges`, such as humans=["assessor-A"] or undefined="zero"
    """
    with Checks() as check:
        interval = check(interval_level, alpha, level)
        check(arguments.one_of, "test", test, TESTS)
        drawn = check(resampling_of, resampling, RESAMPLING)
    if not isinstance(source, Judges):
        if runs is None:
            raise InputError("no runs", "give judgments, runs and judges, or what load_judges returns")
        source = load_judges(source, runs, judges, workers=workers, **loading)
    elif runs is not None or judges is not None or loading:
        raise InputError("runs or rules beside judges that were loaded", "give what load_judges returns alone")
    if len(source.systems) < 2:
        raise InputError("one system", "give the runs of two systems or more")
    work = _Work(source, named(measure or MEASURE), test, family_wise, alpha, interval, drawn, workers)
    return work.study(groups, progress)


@dataclass(frozen=True, slots=True)
class _Scores:
    """Scores of all systems under one judge on the judge's topics: (T, S), with rows of the topics; and verdicts."""

    table: Scored
    rows: Ints
    verdict: Ints  # of all pairs: 1 for the second system, -1 for the first, 0 where no difference is shown
    means: Floats
    drawn: Floats  # (B, S) means of bootstrap samples of topics


class _Work:
    """What all judges share: topics of bootstrap samples, scores and verdicts by judge."""

    def __init__(
        self, source: Judges, measure: Measure, test: Test, family_wise: bool, alpha: float, level: float,
        resampling: Resampling, workers: int | None,
    ) -> None:  # fmt: skip
        self.source, self.measure, self.test, self.family_wise = source, measure, test, family_wise
        self.alpha, self.level, self.resampling, self.workers = alpha, level, resampling, workers
        by_name = np.argsort(np.argsort(np.array(source.topics, dtype=object)))  # draws do not depend on the order
        self.times = cpu.times(resampling.seed, 0, resampling.resamples, len(source.topics))[:, by_name]
        self.first, self.second = pairs_of(len(source.systems))
        self.scores: dict[str, _Scores] = {}
        self.grade = {name: source.grade[j] for j, name in enumerate(source.names)}

    def study(self, groups: Mapping[str, Sequence[str]] | None, progress: Callable[[float], Any] | None) -> JudgeStudy:
        source = self.source
        scale = self._same_scale()
        panel = [name for name in scale if name not in source.humans]
        if len(panel) > 2:
            together = np.stack([self.grade[name] for name in panel])
            many = f"of {len(together)} judges"
            self.grade |= {f"majority {many}": _majority(together), f"median {many}": _median(together)}
        others = [name for name in self.grade if name != source.reference]
        self._score_all(heard(iter([source.reference, *others]), len(others) + 1, progress))
        rows = tuple(self._row(source.reference, name) for name in others)
        humans = [name for name in source.humans if name != source.reference]
        ceiling = tuple(self._row(a, b) for a, b in combinations(humans, 2))
        reference = self.scores[source.reference]
        machines = [name for name in source.others if name not in source.humans] or list(source.others)
        people = (source.reference, *humans) if humans else ()
        joint = [self._joint(words, group) for words, group in (
            (f"{source.reference} and {plural(len(scale), 'judge')} on its scale", (source.reference, *scale)),
            (f"{source.reference} and people", people),
        ) if len(group) > 1]  # fmt: skip
        return JudgeStudy(
            reference=source.reference, measure=reference.table.measure, systems=source.systems,
            n_topics=len(reference.table.topics), test=self.test, family_wise=self.family_wise, alpha=self.alpha,
            level=self.level, judges=rows, ceiling=ceiling, humans=source.humans,
            shown=int(np.count_nonzero(reference.verdict)), joint=tuple(joint),
            panels=self._panels(machines), groups=tuple(self._groups(groups or {}, list(source.others))),
            means={name: tuple(self.scores[name].means.tolist()) for name in (source.reference, *others)},
            outcomes={row.judge: tuple(self._outcomes(row.judge).tolist()) for row in rows},
            undefined=source.base.rules.undefined, notes=source.base.notes, signature=reference.table.signature,
            resampling=self.resampling, aggregates=tuple(name for name in others if name not in source.others),
        )  # fmt: skip

    def _score_all(self, names: Any) -> None:
        """Scores and verdicts under every judge; all judges under which nothing can be scored are one error."""
        problems = []
        for name in names:
            try:
                with quietly():
                    table = scored(self.source.recoded(self.grade[name]), self.measure)
                if len(table.topics) < FEWEST:
                    cause = f"{name}: {plural(len(table.topics), 'topic')} with a score of {table.measure}"
                    cure = f"give judgments of {FEWEST} topics with relevant documents, or a measure of gains"
                    raise InputError(cause, cure)
                self.scores[name] = self._scored(table)
            except InputError as error:
                known = np.unique(self.grade[name][~np.isnan(self.grade[name])])
                scale = f"the grades of {name} are {known[0]:g} to {known[-1]:g}"
                problems += [
                    Problem(p.cause if p.cause.startswith(name) else f"{name}: {p.cause}", f"{p.cure}; {scale}")
                    for p in error.problems
                ]
        if problems:
            raise InputError(problems)

    def _scored(self, table: Scored) -> _Scores:
        place = {topic: row for row, topic in enumerate(self.source.topics)}
        rows = np.array([place[topic] for topic in table.topics])
        times = self.times[:, rows]
        with np.errstate(invalid="ignore"):
            drawn = (times @ table.value) / times.sum(axis=1, keepdims=True)
        return _Scores(table, rows, self._verdicts(table.value), table.value.mean(axis=0), drawn)

    def _verdicts(self, value: Floats) -> Ints:
        """The verdict on every pair of systems from scores, (T, S)."""
        means = value.mean(axis=0)
        if self.family_wise:
            pvalue = bootstrap_max_t(value, resampling=self.resampling, workers=self.workers).pvalue
        elif self.test == "randomisation":
            pvalue = randomisation_all_pairs(value, resampling=self.resampling, workers=self.workers).pvalue
        else:
            scores = np.ascontiguousarray(value.T)
            d, errors = difference(scores[self.first], scores[self.second])
            tested = paired_tests(d, self.test, errors=errors)
            pvalue = tested.pvalue
        lean = np.sign(means[self.second] - means[self.first]).astype(np.int64)
        if not self.family_wise and self.test in ("wilcoxon", "sign"):  # no verdict where test and mean are at odds
            lean = np.where(np.sign(tested.statistic) == lean, lean, 0)
        return np.where(pvalue < self.alpha, lean, 0)

    def _same_scale(self) -> list[str]:
        """Judges other than the reference whose grades are on its scale: none beyond, and its highest one is used."""
        own = self.grade[self.source.reference]
        scale = np.unique(own[~np.isnan(own)])
        grades = {name: np.unique(grade[~np.isnan(grade)]) for name, grade in self.grade.items()}
        return [
            name
            for name in self.source.others
            if np.isin(grades[name], scale).all() and grades[name][-1] == scale[-1] and len(grades[name]) > 1
        ]

    # agreement

    def _row(self, reference: str, judge: str) -> JudgeRow:
        return JudgeRow(
            judge=judge, reference=reference, agreement=self._agreement(reference, judge),
            **self._leaderboards(reference, judge),
        )  # fmt: skip

    def _agreement(self, reference: str, judge: str) -> Agreement:
        first, second = self.grade[reference], self.grade[judge]
        known: Bools = ~np.isnan(first) & ~np.isnan(second)
        x, y = first[known], second[known]
        if not len(x):
            raise InputError(f"{judge} shares no judged document with {reference}", "give judges of the same documents")
        own, x_at = np.unique(x, return_inverse=True)
        theirs, y_at = np.unique(y, return_inverse=True)
        by_topic = np.zeros((len(self.source.topics), len(own), len(theirs)))
        np.add.at(by_topic, (self.source.topic[known], x_at, y_at), 1.0)
        tables = np.concatenate([by_topic.sum(axis=0)[None], np.tensordot(self.times, by_topic, axes=1)])
        values = np.union1d(own, theirs)
        square = np.zeros((len(tables), len(values), len(values)))
        square[np.ix_(np.arange(len(tables)), np.searchsorted(values, own), np.searchsorted(values, theirs))] = tables
        total = np.maximum(tables.sum(axis=(1, 2)), 1)
        numbers = {"exact": np.trace(square, axis1=1, axis2=2) / total}
        for variant, name in zip(WEIGHTS, ("kappa", "kappa_linear", "kappa_quadratic"), strict=True):
            numbers[name] = kappas(tables, own, theirs, variant)
        both = square + square.transpose(0, 2, 1)
        for scale in SCALES:
            numbers[f"alpha_{scale}"] = alphas(both, values, scale)
        counts = tables[0].astype(np.int64)
        mapping = monotone_mapping(counts, own)
        mapped = np.zeros((len(own), len(own)), np.int64)
        for column, grade in enumerate(mapping):
            mapped[:, np.searchsorted(own, grade)] += counts[:, column]
        return Agreement(
            pairs=len(x), only_reference=int(np.count_nonzero(~np.isnan(first) & np.isnan(second))),
            only_judge=int(np.count_nonzero(np.isnan(first) & ~np.isnan(second))),
            **{name: float(each[0]) for name, each in numbers.items()},
            mean_reference=float(x.mean()), mean_judge=float(y.mean()),
            leniency=float((y > 0).mean() - (x > 0).mean()),
            mapping=dict(zip(theirs.tolist(), mapping, strict=True)),
            kappa_mapped=float(kappas(mapped[None], own, own, "quadratic")[0]),
            confusion=Confusion(tuple(own.tolist()), tuple(theirs.tolist()), tuple(map(tuple, counts.tolist()))),
            intervals={name: self._percentiles(each[1:]) for name, each in numbers.items()},
        )  # fmt: skip

    def _percentiles(self, drawn: Floats) -> tuple[float, float]:
        defined = drawn[~np.isnan(drawn)]
        if not len(defined):
            return np.nan, np.nan
        lower, upper = np.quantile(defined, [(1 - self.level) / 2, (1 + self.level) / 2])
        return float(lower), float(upper)

    # leaderboards and verdicts

    def _sides(self, reference: str, judge: str) -> tuple[_Scores, _Scores]:
        """Both sides; that of the reference on topics that the judge has judged, whether they have a score or not."""
        own, other = self.scores[reference], self.scores[judge]
        topics = np.unique(self.source.topic[~np.isnan(self.grade[judge])])
        if np.isin(own.rows, topics).all():
            return own, other
        kept = [
            topic for topic, row in zip(own.table.topics, own.rows.tolist(), strict=True) if row in set(topics.tolist())
        ]
        if len(kept) < FEWEST:
            cause = f"{judge} and {reference} share {plural(len(kept), 'topic')} with a score"
            raise InputError(cause, f"give judges that share at least {FEWEST} topics")
        return self._scored(own.table.on(kept)), other

    def _leaderboards(self, reference: str, judge: str) -> dict[str, Any]:
        own, other = self._sides(reference, judge)
        best = np.argsort(-own.means, kind="stable")[:TOP]
        near = np.isin(self.first, best) & np.isin(self.second, best)
        close = own.verdict == 0

        def close_tau(x: Floats, y: Floats) -> Floats:
            alike = np.sign(x[:, self.second] - x[:, self.first]) * np.sign(y[:, self.second] - y[:, self.first])
            return alike[:, close].mean(axis=1) if close.any() else np.full(len(x), np.nan)

        kinds: dict[str, Callable[[Floats, Floats], Floats]] = {
            "tau": taus_of_rows,
            "tau_ap": tau_ap_rows,
            "tau_top": lambda x, y: taus_of_rows(x[:, best], y[:, best]),
            "tau_close": close_tau,
        }
        numbers, intervals = {}, {}
        for name, kind in kinds.items():
            observed = float(kind(own.means[None], other.means[None])[0])
            if name == "tau_ap" and np.isfinite(observed):
                observed = tau_ap(own.means, other.means).a  # the mean over all orders within ties
            numbers[name] = observed
            defined = np.isfinite(own.drawn).all(axis=1) & np.isfinite(other.drawn).all(axis=1)
            drawn = kind(own.drawn[defined], other.drawn[defined])
            drawn = drawn[~np.isnan(drawn)]
            if not len(drawn) or not np.isfinite(observed):
                intervals[name] = (np.nan, np.nan)
                continue
            if abs(observed) == 1:
                intervals[name] = self._beside_one(observed, drawn)
                continue
            reach = NormalDist().inv_cdf((1 + self.level) / 2) * np.std(drawn, ddof=min(1, len(drawn) - 1))
            (lower,), (upper,) = after_fisher(np.array([observed]), np.array([reach]))
            intervals[name] = (float(lower), float(upper))
        return {
            **numbers, "intervals": intervals, "n_top": len(best), "pairs_close": int(np.count_nonzero(close)),
            "n_topics": len(other.table.topics), "left_out": len(other.table.left_out),
            "without_relevant": self._without_relevant(judge),
            "fidelity": fidelity(own.verdict, other.verdict),
            "fidelity_top": fidelity(own.verdict[near], other.verdict[near]),
        }  # fmt: skip

    def _beside_one(self, observed: float, drawn: Floats) -> tuple[float, float]:
        """Interval of a tau of 1 or -1, from there to a percentile of the samples; NaN where that is the same number.

        Fisher's transformation has no value there, and both ends would be the tau itself.
        """
        end = float(np.quantile(drawn, (1 - np.sign(observed) * self.level) / 2))
        return (np.nan, np.nan) if end == observed else (min(end, observed), max(end, observed))

    def _without_relevant(self, judge: str) -> int:
        """Topics that the judge has judged, and left without relevant documents, or without gain."""
        grade, record = self.grade[judge], self.scores[judge].table.record
        if record is None or record.needs == "nothing":
            return 0
        good = grade >= record.values.get("rel", 1) if record.needs == "relevant" else grade > 0
        topics, relevant = (np.unique(self.source.topic[pairs]) for pairs in (~np.isnan(grade), good))
        return len(topics) - len(relevant)

    def _outcomes(self, judge: str) -> Ints:
        """Outcome on each pair of systems, as a place in `OUTCOMES`."""
        own, other = self._sides(self.source.reference, judge)
        return outcomes(own.verdict, other.verdict)

    # all judges together

    def _joint(self, words: str, names: Sequence[str]) -> Joint:
        grades = np.stack([self.grade[name] for name in names])
        values, counts = value_counts(grades)
        per_unit = coincidences(counts)
        by_topic = np.zeros((len(self.source.topics), len(values), len(values)))
        np.add.at(by_topic, self.source.topic, per_unit)
        tables = np.concatenate([by_topic.sum(axis=0)[None], np.tensordot(self.times, by_topic, axes=1)])
        alpha = {scale: alphas(tables, values, scale) for scale in SCALES}
        nominal, ordinal, interval = (float(alpha[scale][0]) for scale in SCALES)
        return Joint(words, tuple(names), nominal, ordinal, interval, self._percentiles(alpha["ordinal"][1:]))

    def _panels(self, names: Sequence[str]) -> tuple[Panel, ...]:
        """Panels of so many judges drawn at random from these: what the majority of their verdicts makes of ours."""
        if len(names) < 2:
            return ()
        sides = [self._sides(self.source.reference, name)[1].verdict for name in names]
        verdicts, base = np.stack(sides), self.scores[self.source.reference].verdict
        counts = {side: np.count_nonzero(verdicts == side, axis=0) for side in (-1, 1)}
        panels = []
        for size in range(1, len(names) + 1, 2):
            chance = {side: _more_than_half(counts[side], len(names), size) for side in (-1, 1)}
            same = np.where(base > 0, chance[1], chance[-1])
            other = np.where(base > 0, chance[-1], chance[1])
            shown, either = base != 0, chance[1] + chance[-1]
            panels.append(Panel(
                size, float(same[shown].mean()) if shown.any() else np.nan,
                float(other[shown].mean()) if shown.any() else np.nan,
                float(either[~shown].mean()) if (~shown).any() else np.nan,
            ))  # fmt: skip
        return tuple(panels)

    def _groups(self, groups: Mapping[str, Sequence[str]], names: Sequence[str]) -> list[GroupBias]:
        """Interaction of judge and group: how much more a judge has the group ahead of all others, topic by topic."""
        rows, pvalues = [], []
        systems = list(self.source.systems)
        for group, members in groups.items():
            if unknown := [name for name in members if name not in systems]:
                raise InputError(f"group {group!r} names unknown systems: {', '.join(unknown[:5])}", "name the runs")
            inside = np.isin(systems, list(members))
            if inside.all() or not inside.any():
                raise InputError(f"group {group!r} has {int(inside.sum())} of {len(systems)} systems", "leave some out")
            for judge in names:
                own, other = self._sides(self.source.reference, judge)
                shared, mine, theirs = np.intersect1d(own.rows, other.rows, return_indices=True)
                if len(shared) < FEWEST:
                    continue
                ahead = [
                    each.table.value[at][:, inside].mean(axis=1) - each.table.value[at][:, ~inside].mean(axis=1)
                    for each, at in ((own, mine), (other, theirs))
                ]
                apart = ahead[1] - ahead[0]
                tested = t_tests(apart[None])
                weights = self.times[:, shared]
                drawn = (weights @ apart) / np.maximum(weights.sum(axis=1), 1)
                lower, upper = np.quantile(drawn, [(1 - self.level) / 2, (1 + self.level) / 2])
                pvalues.append(float(tested.pvalue[0]))
                rows.append(GroupBias(group, judge, float(apart.mean()), float(lower), float(upper), pvalues[-1], 1.0))
        if not rows:
            return []
        adjusted = adjust(pvalues, "holm").adjusted.tolist()
        return [replace(row, pvalue_adjusted=p) for row, p in zip(rows, adjusted, strict=True)]


def fidelity(base: Ints, other: Ints) -> Fidelity:
    """Counts of pairs by what another judge makes of their verdicts."""
    counts = np.bincount(outcomes(base, other), minlength=5).tolist()
    return Fidelity(*counts)


def outcomes(base: Ints, other: Ints) -> Ints:
    """Outcome of each verdict under another judge, as a place in `OUTCOMES`."""
    kept, flipped = (base != 0) & (other == base), (base != 0) & (other == -base)
    return np.select([kept, flipped, base != 0, other != 0], [0, 2, 1, 3], 4)


def monotone_mapping(counts: Ints, reference: Floats) -> list[float]:
    """For each grade of a judge, ascending, the grade of the reference that it stands for.

    Of all mappings that never fall, the one with the highest quadratic kappa. Observed and expected disagreement are
    sums over the judge's grades, so that their ratio has its minimum by dynamic programming within Dinkelbach's steps
    (1967). Of several mappings, the one with the lower grades.

    counts  (reference grades, judge grades)

    >>> monotone_mapping(np.array([[9, 1, 0, 0], [0, 1, 5, 0], [0, 0, 1, 7]]), np.array([0.0, 1.0, 2.0]))
    [0.0, 0.0, 1.0, 2.0]
    """
    square = np.square(reference[:, None] - reference[None, :])
    observed = square @ counts  # of a grade of the judge, by what it is mapped to
    expected = (square @ counts.sum(axis=1))[:, None] * counts.sum(axis=0)[None, :] / counts.sum()
    ratio, path = 1.0, _cheapest(observed - expected)
    while True:
        at = path, np.arange(len(path))
        under = expected[at].sum()
        again = observed[at].sum() / under if under else ratio
        if again >= ratio:
            return [float(reference[k]) for k in path]
        ratio = again
        path = _cheapest(observed - ratio * expected)


def _cheapest(cost: Floats) -> list[int]:
    """Rows of the columns, never falling, with the smallest sum of costs."""
    best, back = cost[:, 0], []
    for column in cost.T[1:]:
        low = np.minimum.accumulate(best)
        back.append([int(np.flatnonzero(best[: k + 1] == low[k])[0]) for k in range(len(best))])
        best = low + column
    path = [int(np.argmin(best))]
    for step in reversed(back):
        path.append(step[path[-1]])
    return path[::-1]


def tau_ap_rows(reference: Floats, estimate: Floats) -> Floats:
    """tau_AP of rows, down the estimate's order; a pair that the reference ties counts half."""
    order = np.argsort(-estimate, axis=1, kind="stable")
    truth = np.take_along_axis(reference, order, axis=1)
    n = truth.shape[1]
    share = np.zeros(len(truth))
    for i in range(1, n):
        ahead = truth[:, :i] - truth[:, i : i + 1]
        share += ((ahead > 0).sum(axis=1) + (ahead == 0).sum(axis=1) / 2) / i
    return 2 * share / (n - 1) - 1


def _majority(grades: Floats) -> Floats:
    """The most frequent grade of each pair; of several, the lowest. NaN where no judge has one."""
    values, counts = value_counts(grades)
    return np.where(counts.any(axis=1), values[np.argmax(counts, axis=1)], np.nan)


def _median(grades: Floats) -> Floats:
    """The median grade of each pair; of two middle ones the lower, which is on the scale."""
    ordered = np.sort(grades, axis=0)  # NaN last
    known = np.count_nonzero(~np.isnan(grades), axis=0)
    return np.take_along_axis(ordered, np.maximum(known - 1, 0)[None] // 2, axis=0)[0]


def _more_than_half(count: Ints, total: int, size: int) -> Floats:
    """Chance that more than half of a random panel of this size is among `count` of all judges."""
    chance = [
        sum(comb(k, i) * comb(total - k, size - i) for i in range(size // 2 + 1, size + 1)) / comb(total, size)
        for k in range(total + 1)
    ]
    return np.array(chance)[count]
