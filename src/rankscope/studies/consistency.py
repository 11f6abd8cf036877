"""Consistency of a metric's rankings of systems on two halves of the topics, and its differences between metrics.

Sakai, "On the instability of diminishing return IR measures", 2021; Chen and Sakai, "A
meta-evaluation of C/W/L/A metrics", 2023: Algorithm 1 and Table 3. Efron and Stein, "The jackknife estimate of
variance", 1981.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope import arguments
from rankscope.arguments import Checks
from rankscope.arrays import Floats
from rankscope.errors import InputError, plural
from rankscope.parallel import Client
from rankscope.preferences.all_pairs import Method
from rankscope.statistics import Resampling, adjust, leave_one_out, randomised_hsd, split_halves, taus
from rankscope.statistics.correlations.split_halves import groups_left_out
from rankscope.statistics.equality import best_first
from rankscope.statistics.special import stdtr
from rankscope.studies.base import Study, Table, by_rows, crossed, joined, threshold
from rankscope.studies.candidates import Measures, Source, StudyMaterial, material, reader_of
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.checks import Draws
from rankscope.studies.runner import Run, Tell, shaped

FEWEST = 4  # topics from which both halves have a mean to speak of
LEFT_OUT = 500  # splits from which each topic is left out in turn, however many splits the mean is over
DRAWS = {"splits": Resampling(1000), "permutations": Resampling(2000)}
"""Draws that are made, and how many by default."""
Test: TypeAlias = Literal["topics", "splits"]
TESTS: dict[Test, str] = {
    "topics": f"jackknife over topics, {LEFT_OUT} splits, Student's t, Holm",
    "splits": "randomised Tukey HSD over splits, as in Chen and Sakai (2023); splits are no replicates, and with "
    "enough of them every difference is significant",
}
TESTED = (
    "The test of differences leaves out each topic in turn. It is conservative, and the number of splits does not "
    "matter to it. Whether differences hold for other systems is not tested."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """Candidates compared with each other, best first.

    difference  candidates x candidates, that of the column less that of the row, as it was tested
    error       its standard error over topics; NaN for a test over splits
    pvalue      adjusted for all pairs of the family; 1 where there is nothing to test
    """

    name: str
    candidates: tuple[str, ...]
    mean: Floats
    difference: Floats
    error: Floats
    pvalue: Floats

    def beaten(self, alpha: float) -> list[list[str]]:
        """Candidates that each candidate is significantly more consistent than."""
        above = (self.difference < 0) & (self.pvalue < alpha)
        return [[other for j, other in enumerate(self.candidates) if row[j]] for row in above]

    def columns(self) -> dict[str, list[Any]]:
        """One row per pair; the difference is second - first."""
        i, j = np.triu_indices(len(self.candidates), 1)
        return {
            "first": [self.candidates[k] for k in i],
            "second": [self.candidates[k] for k in j],
            "difference": self.difference[i, j].tolist(),
            "error": self.error[i, j].tolist(),
            "pvalue": self.pvalue[i, j].tolist(),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConsistencyStudy(Study):
    """tau-b between the rankings of the systems on two random halves of the topics, for each candidate and split.

    taus      (candidates, splits); NaN where a half ties all systems
    families  within which differences of mean tau are tested
    test      over "topics" or over "splits"
    without   candidates without a mean tau: on a half of almost every split they tie all systems
    """

    name: str = "consistency"
    candidates: tuple[str, ...]
    taus: Floats = field(repr=False)
    families: tuple[Family, ...]
    n_systems: int
    n_topics: int
    resampling: Resampling  # splits
    test: Test
    alpha: float
    undefined: int  # splits left out of means and tests, because they are undefined for some candidate
    settings: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def mean(self) -> dict[str, float]:
        """Mean tau of each candidate."""
        return {name: float(m) for f in self.families for name, m in zip(f.candidates, f.mean, strict=True)}

    def tables(self) -> dict[str, Table]:
        """`consistency`: one row per candidate, best first in each family; `differences`: one per pair of a family."""
        first = self.settings["topics_in_halves"]
        rows = [
            (family.name, name, float(family.mean[i]), float(np.nanmin(taus)), float(np.nanmax(taus)),
             f"> {len(better)}" if better else "", ", ".join(better))
            for family in self.families
            for i, (name, better) in enumerate(zip(family.candidates, family.beaten(self.alpha), strict=True))
            for taus in [self.taus[self.candidates.index(name)]]
        ]  # fmt: skip
        values = by_rows(("family", "measure", "tau", "lowest", "highest", "mark", "beats"), rows)
        columns = [family.columns() for family in self.families]
        pairs = {
            "family": [family.name for family in self.families for _ in family.columns()["first"]],
            **{key: [value for family in columns for value in family[key]] for key in columns[0]},
        }
        pairs["significant"] = [p < self.alpha for p in pairs["pvalue"]]
        if not any(family.name for family in self.families):
            del values["family"], pairs["family"]
        if self.test == "splits":
            del pairs["error"]
        caption = (
            f"tau: mean of tau-b between the rankings of {self.n_systems} systems on two halves of the topics "
            f"({first[0]} and {first[1]} topics), "
            f"over {self.resampling.resamples:,} random splits (seed {self.resampling.seed}), the same for "
            f"all{threshold(self.settings)}. mark: > k stands for significantly more consistent than k others of its "
            "family, which beats names "
            f"(alpha {self.alpha:g}; {self.method})."
        )
        left = 2 if "family" in values else 1
        return {
            "consistency": Table(values=values, caption=caption, left=left),
            "differences": Table(
                values=pairs, caption=f"Differences of mean tau. {caption}", left=left + 1, formats={"pvalue": ".4g"}
            ),
        }

    @property
    def method(self) -> str:
        """Test of the differences, in words."""
        permutations = f"; {self.settings['permutations']:,} permutations" if self.test == "splits" else ""
        return "; ".join(filter(None, [f"{TESTS[self.test]}{permutations}", self._grouped]))

    @property
    def _grouped(self) -> str:
        """Groups of topics that were left out together, in words; empty where there are none."""
        groups = self.settings.get("topic_groups")
        if groups is None:
            return ""
        return f"{groups:,} random groups of topics are left out in turn, since single topics are too many"

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """`taus`: every tau of every split."""
        axes = crossed(measure=self.candidates, split=range(self.taus.shape[1]))
        return {"taus": {**axes, "tau": self.taus.ravel().tolist()}}

    def without_tau(self) -> tuple[str, ...]:
        """Why some candidates have no tau, in a sentence."""
        if not self.without:
            return ()
        names, one = ", ".join(self.without), len(self.without) == 1
        every = "almost every" if self.undefined else "every"
        return (f"{names} {'ties' if one else 'tie'} all systems on a half of {every} split, so "
                f"{self.without[0] if one else 'they'} {'has' if one else 'have'} no tau.",)  # fmt: skip

    def summary(self) -> str:
        lines = []
        for family in self.families:
            where = f"{family.name}: " if family.name else ""
            best, worst = family.candidates[0], family.candidates[-1]
            if len(family.candidates) == 1:
                lines.append(f"{where}{best} has a mean tau of {family.mean[0]:.3f}; there is no other to compare.")
                continue
            beaten = family.beaten(self.alpha)[0]
            level = [name for name in family.candidates[1:] if name not in beaten]
            lines.append(
                f"{where}{best} ranks the systems the most alike on two halves of the topics: mean tau "
                f"{family.mean[0]:.3f}. {worst} has the lowest mean tau: {family.mean[-1]:.3f}."
            )
            shown = ", ".join(level) if beaten else "any other"
            lines.append(
                f"The test tells {best} apart from all others."
                if not level
                else f"The test does not tell {best} apart from {shown}."
            )
        grouped = f" Here {self._grouped}." if self._grouped else ""
        lines.append(f"Tested by {self.method}." if self.test == "splits" else f"{TESTED}{grouped}")
        if self.undefined:
            splits = plural(self.taus.shape[1], "split")
            lines.append(f"{self.undefined:,} of {splits} tie all systems for some metric and are left out.")
        return joined([*lines, *self.without_tau(), *self.notes])


def consistency(
    source: Source | StudyMaterial,
    measures: Measures | None = None,
    methods: Sequence[Method] = (),
    *,
    depth: int | None = 10,
    resampling: Draws = None,
    families: Mapping[str, str] | None = None,
    test: Test = "topics",
    alpha: float = 0.05,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> ConsistencyStudy:
    """Split the topics into random halves, rank the systems on each, and see how alike the rankings are.

    source    lists, scores or {measure: scores}, as for `material`
    depth     of measures and methods that name no cutoff; 10 as in Chen and Sakai's paper, None for whole lists
    resampling  of splits, on which all candidates are ranked, and of the permutations of a test over splits: one for
              both, or by name; {"splits": Resampling(1000), "permutations": Resampling(2000)} by default
    test      "topics": leave out one topic at a time (the jackknife), Student's t, Holm within a family. "splits":
              randomised Tukey HSD over the splits, only to repeat what Chen and Sakai did
    families  {measure: family}: metrics are tested within their family; C/W/L/A metrics of one user model are one,
              and so are all others
    """
    with Checks() as check:
        alpha = check(arguments.alpha, alpha)
        check(arguments.one_of, "test", test, tuple(TESTS))
        run = check(Run, checkpoints, progress, workers, client, resampling=resampling, usual=DRAWS)
    splits, permutations = run.named("splits"), run.named("permutations")
    studied = material(source, measures, methods, depth=depth, workers=workers)
    n_topics = len(studied.topics)
    if n_topics < FEWEST:
        raise InputError(
            f"{plural(n_topics, 'topic')}: too few to split", f"give at least {FEWEST} on which all are defined"
        )
    label = (
        {candidate.name: reader_of(candidate) for candidate in studied.candidates}
        if families is None
        else dict(families)
    )
    unknown = sorted(set(studied.names) - set(label))
    if unknown:
        raise InputError(f"no family for {', '.join(unknown)}", "name the family of every metric")
    settings = {
        **studied.settings(), "resamples": splits.resamples, "seed": splits.seed,
        "topics_in_halves": [n_topics // 2, n_topics - n_topics // 2], "test": test,
    }  # fmt: skip
    removed = Resampling(LEFT_OUT, splits.seed)
    groups = groups_left_out(n_topics)
    if test == "topics" and groups < n_topics:
        settings["topic_groups"] = groups

    def work(name: str, threads: int) -> Arrays:
        halves = split_halves(studied.of(name).value, resampling=splits, aligned=True, workers=threads)
        drawn = {"taus": taus(halves.first, halves.second, workers=threads)}
        if test == "splits":
            return drawn
        mean, changes = leave_one_out(
            studied.of(name).value, resampling=removed, aligned=True, groups=groups, workers=threads
        )
        return {**drawn, "mean": np.array(mean), "changes": changes}

    def finish(units: dict[str, Arrays]) -> ConsistencyStudy:
        units, without = dict(units), list[str]()
        while True:
            values = np.array([arrays["taus"] for arrays in units.values()])
            defined = ~np.isnan(values).any(axis=0)
            if np.count_nonzero(defined) > 1:
                break
            if len(units) == 1:
                names = ", ".join([*without, *units])
                raise InputError(f"no split orders the systems by {names}", "leave out metrics that tie all systems")
            least = max(units, key=lambda name: np.count_nonzero(np.isnan(units[name]["taus"])))
            without.append(least)
            del units[least]
        groups = {label[name]: [n for n in units if label[n] == label[name]] for name in units}
        return ConsistencyStudy(
            candidates=tuple(units),
            taus=values,
            families=tuple(
                _family(
                    group,
                    {m: arrays | {"taus": arrays["taus"][defined]} for m, arrays in units.items() if m in members},
                    test,
                    permutations,
                    workers,
                )
                for group, members in groups.items()
            ),
            n_systems=len(studied.systems),
            n_topics=n_topics,
            resampling=splits,
            test=test,
            alpha=alpha,
            undefined=int(np.count_nonzero(~defined)),
            settings={
                **settings,
                "permutations": permutations.resamples,
                "permutation_seed": permutations.seed,
                "alpha": alpha,
            },
            notes=studied.notes,
            without=tuple(name for name in studied.names if name in without),
        )

    by_topics = {"mean": (float,), "changes": (float, groups)} if test == "topics" else {}
    fits = shaped(taus=(float, splits.resamples), **by_topics)
    return run.conduct("consistency", studied.names, work, finish, settings=settings, fits=fits)


def _family(name: str, units: dict[str, Arrays], test: Test, resampling: Resampling, workers: int | None) -> Family:
    """Best first; candidates of equal mean by name."""
    members, means = list(units), np.array([arrays["taus"].mean() for arrays in units.values()])
    order = best_first(means, members)
    names, mean = tuple(members[i] for i in order), means[order]
    if len(names) == 1:
        alone = np.zeros((1, 1))
        return Family(name=name, candidates=names, mean=mean, difference=alone, error=alone, pvalue=alone + 1)
    if test == "splits":
        values = np.array([units[candidate]["taus"] for candidate in names]).T
        p = randomised_hsd(values, resampling=resampling, systems=names, workers=workers).matrix()
        difference = mean - mean[:, None]
        error = np.full_like(p, np.nan)
    else:
        tested = np.array([float(units[candidate]["mean"]) for candidate in names])
        difference = tested - tested[:, None]
        error, p = _jackknife(difference, np.array([units[candidate]["changes"] for candidate in names]))
    return Family(name=name, candidates=names, mean=mean, difference=difference, error=error, pvalue=p)


def _jackknife(difference: Floats, changes: Floats) -> tuple[Floats, Floats]:
    """Standard errors of differences and p values of all pairs, adjusted by Holm.

    changes  (candidates, topics) of the mean where a topic, or a group of topics, is left out
    """
    n_parts = changes.shape[1]
    apart = changes[:, None] - changes
    error = np.sqrt((n_parts - 1) * apart.var(axis=-1))
    pairs = np.triu_indices(len(changes), 1)
    testable = error[pairs] > 0  # False for NaN too
    t = np.divide(np.abs(difference[pairs]), error[pairs], out=np.zeros(len(testable)), where=testable)
    alone = np.where(testable, 2 * stdtr(n_parts - 1, -t), 1.0)
    p = np.ones_like(error)
    p[pairs] = adjust(alone, "holm").adjusted
    return error, np.minimum(p, p.T)
