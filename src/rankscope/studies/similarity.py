"""Similarity of metrics' rankings of systems: on the mean over topics, and topic by topic.

Chen and Sakai, "A meta-evaluation of C/W/L/A metrics", 2023: Figure 1; Ferrante, Ferro and Losiouk, "How do interval
scales help us with better understanding IR evaluation measures?", 2020: Tables 1 and 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankscope import arguments
from rankscope.arguments import Checks
from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.kernels import cpu
from rankscope.measures.exact import dense_ranks
from rankscope.parallel import Client
from rankscope.preferences.all_pairs import Method
from rankscope.statistics import Resampling, tau_aps, taus
from rankscope.statistics.correlations.kendall import FEWEST, fieller_intervals
from rankscope.statistics.correlations.tau_intervals import basic_intervals, mean_intervals, tau_ap_intervals
from rankscope.statistics.equality import merged, merged_sentence
from rankscope.studies import spread
from rankscope.studies.base import Study, Table, joined, threshold
from rankscope.studies.candidates import Candidate, Measures, Source, StudyMaterial, material
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.runner import Run, Tell, shaped


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Similarity(Study):
    """Agreement of the rankings of systems by every pair of candidates, in the order of `pairs`.

    overall       tau-b of the rankings by mean score; `lower` and `upper` its interval
    tau_ap        tau_AP of the same rankings, symmetric, ties as ties (tauAP_b); `ap_lower`, `ap_upper` its interval
    by_topic      (pairs, T) tau-b topic by topic; NaN where a candidate ties all systems on the topic
    by_topic_ap   (pairs, T) tau_AP likewise
    exact         the candidates compared by exact scores; the others by doubles (`statistics.equality`)
    merged        scores of each other candidate that differ as doubles from one they tie with on a topic
    """

    name: str = "similarity"
    candidates: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    overall: Floats
    lower: Floats
    upper: Floats
    tau_ap: Floats
    ap_lower: Floats
    ap_upper: Floats
    by_topic: Floats = field(repr=False)
    by_topic_ap: Floats = field(repr=False)
    topics: tuple[str, ...] = field(repr=False)
    n_systems: int
    exact: tuple[str, ...]
    merged: Mapping[str, int] = field(default_factory=dict)
    level: float
    interval: str
    ap_interval: str
    settings: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    def of(self, first: str, second: str) -> dict[str, float]:
        """The row of a pair, whichever comes first."""
        wanted = {first, second}
        at = [i for i, pair in enumerate(self.pairs) if set(pair) == wanted]
        if not at:
            raise InputError(f"no pair {first}, {second}", f"there are {', '.join(self.candidates)}")
        row = self.show().rows()[at[0]]
        return {key: value for key, value in row.items() if key not in ("first", "second")}

    def matrix(self, what: Literal["overall", "by_topic"] = "overall") -> Floats:
        """Candidates x candidates: tau-b by mean scores, or the mean of tau-b over topics; 1 on the diagonal."""
        square = np.eye(len(self.candidates))
        first, second = np.triu_indices(len(self.candidates), 1)
        square[first, second] = square[second, first] = (
            self.overall if what == "overall" else spread.mean(self.by_topic)
        )
        return square

    def tables(self) -> dict[str, Table]:
        """`similarity`: one row per pair; `topics`: per pair and topic; `overall` and `by_topic`: squares of tau."""
        count = np.count_nonzero(~np.isnan(self.by_topic), axis=1)
        ends = {what: mean_intervals(rows, level=self.level)
                for what, rows in (("topic", self.by_topic), ("topic_ap", self.by_topic_ap))}  # fmt: skip
        pairs = {"first": [a for a, _ in self.pairs], "second": [b for _, b in self.pairs]}
        values: dict[str, list[Any]] = {
            **pairs,
            "tau": self.overall.tolist(),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "tau_ap": self.tau_ap.tolist(),
            "ap_lower": self.ap_lower.tolist(),
            "ap_upper": self.ap_upper.tolist(),
            "topic_tau": spread.mean(self.by_topic).tolist(),
            "topic_lower": ends["topic"][0].tolist(),
            "topic_upper": ends["topic"][1].tolist(),
            "topic_tau_ap": spread.mean(self.by_topic_ap).tolist(),
            "topic_ap_lower": ends["topic_ap"][0].tolist(),
            "topic_ap_upper": ends["topic_ap"][1].tolist(),
            "n_topics": count.tolist(),
        }
        level = f"{100 * self.level:g} %"
        caption = (
            f"tau: tau-b of the rankings of {self.n_systems:,} systems by mean score over {len(self.topics):,} "
            f"topics, with a {level} interval ({self.interval}){threshold(self.settings)}. "
            f"tau_ap: symmetric tau_AP (tauAP_b), with a {level} interval "
            f"({self.ap_interval}). topic_tau and topic_tau_ap: means topic by topic, each with a {level} interval "
            "over the topics where both order systems (Student's after Fisher's z)."
        )
        n = len(self.topics)
        detail: dict[str, list[Any]] = {
            "first": [a for a, _ in self.pairs for _ in range(n)],
            "second": [b for _, b in self.pairs for _ in range(n)],
            "topic": list(self.topics) * len(self.pairs),
            "tau": self.by_topic.ravel().tolist(),
            "tau_ap": self.by_topic_ap.ravel().tolist(),
        }
        return {
            "similarity": Table(values=values, caption=caption, left=2),
            "overall": self._square("overall", "tau-b of the rankings by mean score."),
            "by_topic": self._square("by_topic", "Mean of tau-b topic by topic."),
            "topics": Table(values=detail, caption="tau-b and tau_AP topic by topic.", left=3),
        }

    def _square(self, what: Literal["overall", "by_topic"], caption: str) -> Table:
        columns = self.matrix(what).T.tolist()
        values: dict[str, list[Any]] = {"measure": list(self.candidates)}
        return Table(values=values | dict(zip(self.candidates, columns, strict=True)), caption=caption)

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """`similarity`: tau with its interval for every pair, as Figure 1 prints them."""
        columns = self.show().columns()
        return {"similarity": {key: columns[key] for key in ("first", "second", "tau", "lower", "upper")}}

    def summary(self) -> str:
        if not self.pairs:
            return joined([f"There is only {self.candidates[0]}: nothing to compare.", *self.notes])
        if np.isnan(self.overall).all():
            return joined(["In every pair of metrics one ties all systems: nothing to compare.", *self.notes])
        most, least = int(np.nanargmax(self.overall)), int(np.nanargmin(self.overall))
        lines = [
            f"{' and '.join(self.pairs[most])} rank systems the most alike (tau {self.overall[most]:.3f}), "
            f"{' and '.join(self.pairs[least])} the least (tau {self.overall[least]:.3f})."
        ]
        same = [f"{a} and {b}" for (a, b), row in zip(self.pairs, self.by_topic, strict=True) if _all_one(row)]
        if same:
            more = f" and {len(same) - 10} more pairs" if len(same) > 10 else ""
            lines.append(f"These metrics rank systems alike on every single topic: {'; '.join(same[:10])}{more}.")
        for name, count in self.merged.items():
            lines.append(f"{name}: {merged_sentence(count, 'score')}.")
        return joined([*lines, *self.notes])


def similarity(
    source: Source | StudyMaterial,
    measures: Measures | None = None,
    methods: Sequence[Method] = (),
    *,
    depth: int | None = None,
    exact: bool = True,
    level: float = 0.95,
    resampling: Resampling | None = None,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Similarity:
    """Kendall's tau-b and tau_AP between the rankings of systems by every pair of metrics.

    source  lists, scores or {measure: scores}, as for `material`
    exact   compare exact scores where a metric has them, so that ties and tiny differences are what they are on
            paper; this needs lists
    resampling  bootstrap intervals of tau and tau_AP over topics from so many samples, shared by all pairs; without it,
            of tau the papers' interval after Fieller, Hartley and Pearson (1957), of tau_AP Fisher's z with the
            jackknife's error, which both take systems for the sample
    """
    with Checks() as check:
        level = check(arguments.level, level)
        run = check(Run, checkpoints, progress, workers, client, resampling=resampling)
    studied = material(source, measures, methods, depth=depth, workers=workers)
    settings = {
        **studied.settings(), "exact": exact, "level": level,
        "bootstrap": None if resampling is None else [resampling.resamples, resampling.seed],
    }  # fmt: skip

    def work(name: str, threads: int) -> Arrays:
        candidate = studied.of(name)
        arrays = _ordered(studied, candidate, exact)
        if resampling is not None:
            arrays["means"] = _resampled_means(candidate.value, resampling)
        return arrays

    def finish(units: dict[str, Arrays]) -> Similarity:
        names = tuple(units)
        pairs = tuple(combinations(names, 2))
        n_systems, n_topics = len(studied.systems), len(studied.topics)
        firsts, seconds = ([pair[side] for pair in pairs] for side in (0, 1))

        def both(what: str) -> tuple[Floats, Floats]:
            shape = (-1, n_systems)
            sides = [[units[name][what].reshape(shape) for name in side] for side in (firsts, seconds)]
            first, second = (np.concatenate([np.empty((0, n_systems)), *side]) for side in sides)
            return first, second

        overall, tau_ap = taus(*both("overall"), workers=workers), tau_aps(*both("overall"))
        if resampling is None and n_systems < FEWEST:
            lower = upper = ap_lower = ap_upper = np.full(len(pairs), np.nan)
            interval = ap_interval = "none: fewer than five systems"
        elif resampling is None:
            lower, upper = fieller_intervals(overall, n_systems, level=level)
            ap_lower, ap_upper = tau_ap_intervals(*both("overall"), level=level)
            interval, ap_interval = "Fieller, Hartley and Pearson", "jackknife over systems, Fisher's z"
        else:
            shape = len(pairs), resampling.resamples
            drawn, drawn_ap = (correlation(*both("means"), workers=workers) for correlation in (taus, tau_aps))
            lower, upper = basic_intervals(overall, drawn.reshape(shape), level=level)
            ap_lower, ap_upper = basic_intervals(tau_ap, drawn_ap.reshape(shape), level=level)
            interval = ap_interval = (
                f"basic bootstrap over topics, {resampling.resamples:,} samples, seed {resampling.seed}"
            )
        return Similarity(
            candidates=names,
            pairs=pairs,
            overall=overall,
            lower=lower,
            upper=upper,
            tau_ap=tau_ap,
            ap_lower=ap_lower,
            ap_upper=ap_upper,
            by_topic=taus(*both("topics"), workers=workers).reshape(len(pairs), n_topics),
            by_topic_ap=tau_aps(*both("topics"), workers=workers).reshape(len(pairs), n_topics),
            topics=studied.topics,
            n_systems=n_systems,
            exact=tuple(name for name in names if units[name]["exact"]),
            merged={name: int(count) for name in names if (count := units[name]["merged"])},
            level=level,
            interval=interval,
            ap_interval=ap_interval,
            settings=settings,
            notes=studied.notes,
        )

    sizes = len(studied.topics), len(studied.systems)
    drawn = {} if resampling is None else {"means": (float, resampling.resamples, sizes[1])}
    fits = shaped(overall=(float, sizes[1]), topics=(float, *sizes), exact=(bool,), merged=(int,), **drawn)
    return run.conduct("similarity", studied.names, work, finish, settings=settings, fits=fits)


def _ordered(studied: StudyMaterial, candidate: Candidate, exact: bool) -> Arrays:
    """Values that order the systems: by the mean, (S), and on each topic, (T, S)."""
    scores = studied.exact_scores(candidate) if exact else None
    if scores is None:
        overall, by_topic, count = candidate.value.mean(axis=0), candidate.value, merged(candidate.value)
    else:
        keys, total, count = dense_ranks(scores.T).T, dense_ranks(scores.sum(axis=0)), 0
        overall, by_topic = total.astype(np.float64), keys.astype(np.float64)
    return {
        "overall": overall, "topics": by_topic,
        "exact": np.array(scores is not None), "merged": np.array(count),
    }  # fmt: skip


def _resampled_means(value: Floats, resampling: Resampling) -> Floats:
    """(resamples, S) means over topics drawn with replacement, by the place of each."""
    drawn = cpu.drawn(resampling.seed, 0, resampling.resamples, len(value))
    means = np.zeros((resampling.resamples, value.shape[1]))
    for column in drawn.T:  # one topic of each sample at a time: sums in one order, whoever computes them
        means += value[column]
    return means / len(value)


def _all_one(row: Floats) -> bool:
    defined = row[~np.isnan(row)]
    return bool(len(defined) and (defined == 1).all())
