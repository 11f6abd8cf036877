"""Discriminative power: pairs of systems that a metric tells apart, and the difference that this takes.

Sakai, "Evaluating evaluation metrics based on the bootstrap", 2006; Carterette, "Multiple testing in statistical
analysis of systems-based information retrieval experiments", 2012. Chen and Sakai (2023), Figure 2; Ferrante, Ferro and
Losiouk (2020), Tables 3 and 4; Diaz (2023), Table 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope import arguments
from rankscope.arguments import Checks
from rankscope.arrays import Floats
from rankscope.errors import InputError, Problem, plural
from rankscope.parallel import Client
from rankscope.preferences.all_pairs import Method
from rankscope.statistics import (
    Resampling,
    adjust,
    kruskal_wallis,
    randomised_hsd,
    randomised_hsd_preferences,
    tukey_hsd,
    tukey_hsd_one_way,
)
from rankscope.statistics.families.tukey_hsd import TukeyHSD
from rankscope.statistics.pairs.difference_tests import bootstrap_tests, paired_tests
from rankscope.studies.base import Study, Table, by_rows, crossed, joined, percent, place_of, threshold
from rankscope.studies.candidates import Candidate, Measures, Source, StudyMaterial, material
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.runner import Run, Tell, shaped

Test: TypeAlias = Literal["randomised-hsd", "bootstrap", "t", "sign", "tukey", "tukey-one-way", "kruskal-wallis"]

TESTS: dict[Test, str] = {
    "randomised-hsd": "randomised Tukey HSD, permuted within topics; of a method, labels of its preferences",
    "bootstrap": "paired bootstrap, studentised, no correction (Sakai 2006)",
    "t": "paired t with Bonferroni's correction",
    "sign": "sign test (binomial) with Bonferroni's correction",
    "tukey": "two-way ANOVA (systems and topics) and Tukey HSD",
    "tukey-one-way": "one-way ANOVA (systems alone) and Tukey HSD",
    "kruskal-wallis": "Kruskal-Wallis and Tukey HSD on mean ranks",
}
"""What each test is; those of ANOVA and ranks take a method's mean preference over all other systems for its score."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscriminativePower(Study):
    """Achieved significance levels (ASL) of all pairs of systems, under each candidate and test.

    pvalue      (tests, candidates, pairs), corrected where the test corrects; NaN where the test cannot say
    difference  (candidates, pairs) second - first of the means, or mean preference for the second of the pair
    needed      (tests, candidates) differences beyond this are significant: the critical difference of the three
                tests that have one for all pairs, else the largest difference seen that is not significant
    """

    name: str = "discriminative power"
    candidates: tuple[str, ...]
    tests: tuple[Test, ...]
    systems: tuple[str, ...]
    first: tuple[str, ...] = field(repr=False)
    second: tuple[str, ...] = field(repr=False)
    n_topics: int
    pvalue: Floats = field(repr=False)
    difference: Floats = field(repr=False)
    needed: Floats
    alpha: float
    resampling: Resampling
    strict: bool
    settings: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def significant(self) -> Any:
        """(tests, candidates) pairs whose ASL is below alpha."""
        return np.count_nonzero(self.pvalue < self.alpha, axis=2)

    def share(self, candidate: str, test: Test | None = None) -> float:
        """Share of the pairs that a candidate tells apart; by the first test unless another is named."""
        return float(np.mean(self.asl(candidate, test) < self.alpha))

    def asl(self, candidate: str, test: Test | None = None) -> Floats:
        """ASL of all pairs, in the order of `first` and `second`."""
        t = 0 if test is None else place_of(test, self.tests, "test")
        levels: Floats = self.pvalue[t, place_of(candidate, self.candidates, "candidate")]
        return levels

    def tables(self) -> dict[str, Table]:
        """`power`: one row per candidate and test, the most discriminative first; `pairs`: every ASL."""
        pairs = len(self.first)
        rows = [
            (test, self.candidates[c], int(count[c]), 100 * float(count[c]) / pairs, float(self.needed[t, c]),
             float(self.pvalue[t, c].mean()))
            for t, (test, count) in enumerate(zip(self.tests, self.significant, strict=True))
            for c in sorted(range(len(self.candidates)), key=lambda c: (-count[c], self.candidates[c]))
        ]  # fmt: skip
        detail = crossed(test=self.tests, measure=self.candidates, first=self.first) | {
            "second": [*self.second] * (len(self.tests) * len(self.candidates)),
            "difference": self.difference.ravel().tolist() * len(self.tests),
            "asl": self.pvalue.ravel().tolist(),
        }
        how = "; ".join(f"{test}: {TESTS[test]}" for test in self.tests)
        caption = (
            f"share: per cent of the {pairs:,} pairs of {len(self.systems):,} systems with p below {self.alpha:g} on "
            f"{plural(self.n_topics, 'topic')}{threshold(self.settings)}. "
            "needed: a difference beyond this number is significant. mean_asl: mean achieved significance level (p "
            f"value) over pairs. {how}. {self.resampling.resamples:,} resamples, "
            f"seed {self.resampling.seed}, the same for all metrics"
            + ("; permutations as large as the data do not count (strict)." if self.strict else ".")
        )
        return {
            "power": Table(
                values=by_rows(("test", "measure", "significant", "share", "needed", "mean_asl"), rows),
                caption=caption, left=2, formats={"share": ".2f"},
            ),
            "pairs": Table(
                values=detail, caption=f"Achieved significance levels. {caption}", left=4, formats={"asl": ".4g"}
            ),
        }  # fmt: skip

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """`asl_curves`: the ASL of all pairs from the largest to the smallest, one curve per candidate and test."""
        axes = crossed(test=self.tests, measure=self.candidates, pair=range(1, len(self.first) + 1))
        return {"asl_curves": {**axes, "asl": (-np.sort(-self.pvalue, axis=2)).ravel().tolist()}}

    def summary(self) -> str:
        lines = []
        for t, test in enumerate(self.tests):
            counts = self.significant[t]
            most, least = int(counts.argmax()), int(counts.argmin())
            pairs = len(self.first)
            share = f"{counts[most]:,} of {plural(pairs, 'pair')} apart, {percent(counts[most] / pairs)}"
            if counts[most] == counts[least]:
                who = f"{self.candidates[0]} tells" if len(self.candidates) == 1 else "all metrics tell"
                lines.append(f"{test}: {who} {share}.")
            else:
                lines.append(
                    f"{test}: {self.candidates[most]} tells the most pairs apart ({counts[most]} of {pairs}, "
                    f"{percent(counts[most] / pairs)}), {self.candidates[least]} the fewest ({counts[least]}, "
                    f"{percent(counts[least] / pairs)})."
                )
        lines.append(
            "Telling more pairs apart does not make a metric right: it may be sure of differences that do not matter."
        )
        return joined([*lines, *self.notes])


def discriminative_power(
    source: Source | StudyMaterial,
    measures: Measures | None = None,
    methods: Sequence[Method] = (),
    *,
    tests: Test | Iterable[Test] = ("randomised-hsd",),
    depth: int | None = None,
    resampling: Resampling | None = None,
    strict: bool = False,
    alpha: float = 0.05,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> DiscriminativePower:
    """Test all pairs of systems under every metric and method, and count how many each tells apart.

    source  lists, scores or {measure: scores}, as for `material`
    tests   of `TESTS`: "randomised-hsd", "bootstrap", "t", "sign", "tukey", "tukey-one-way", "kruskal-wallis"
    resampling  resamples, 2,000 by default; drawn by the places of topics and systems in the order of their names, so
            that all metrics share them
    strict  randomised HSD: count only permutations larger than the data, as Diaz's Table 4(a) does
    """
    with Checks() as check:
        wanted = check(arguments.some_of, "tests", tests, tuple(TESTS))
        alpha = check(arguments.alpha, alpha)
        run = check(Run, checkpoints, progress, workers, client, resampling=resampling, usual=Resampling(2000))
    studied = material(source, measures, methods, depth=depth, workers=workers)
    if len(studied.topics) < 2:
        raise InputError(plural(len(studied.topics), "topic"), "a test needs at least two on which all are defined")
    settings = {**studied.settings(), "tests": list(wanted), **run.drawn(), "strict": strict, "alpha": alpha}
    first, second = studied.pairs
    draws = run.draws

    def work(name: str, threads: int) -> Arrays:
        candidate = studied.of(name)
        tested = [_tested(candidate, test, draws, strict, alpha, threads) for test in wanted]
        return {
            "pvalue": np.array([p for p, _ in tested]),
            "needed": np.array([needed for _, needed in tested]),
            "difference": candidate.differences().mean(axis=1),
        }

    def finish(units: dict[str, Arrays]) -> DiscriminativePower:
        return DiscriminativePower(
            candidates=tuple(units),
            tests=wanted,
            systems=studied.systems,
            first=tuple(studied.systems[i] for i in first.tolist()),
            second=tuple(studied.systems[j] for j in second.tolist()),
            n_topics=len(studied.topics),
            pvalue=np.stack([arrays["pvalue"] for arrays in units.values()], axis=1),
            difference=np.stack([arrays["difference"] for arrays in units.values()]),
            needed=np.stack([arrays["needed"] for arrays in units.values()], axis=1),
            alpha=alpha,
            resampling=draws,
            strict=strict,
            settings=settings,
            notes=studied.notes,
        )

    n_tests, pairs = len(wanted), len(first)
    fits = shaped(pvalue=(float, n_tests, pairs), needed=(float, n_tests), difference=(float, pairs))
    return run.conduct("discriminative power", studied.names, work, finish, settings=settings, fits=fits)


def _tested(
    candidate: Candidate, test: Test, resampling: Resampling, strict: bool, alpha: float, workers: int
) -> tuple[Floats, float]:
    """ASL of all pairs, and the difference needed for significance."""
    try:
        return _asl(candidate, test, resampling, strict, alpha, workers)
    except InputError as error:
        raise InputError([Problem(f"{candidate.name}, {test}: {p.cause}", p.cure) for p in error.problems]) from None


def _asl(
    candidate: Candidate, test: Test, resampling: Resampling, strict: bool, alpha: float, workers: int
) -> tuple[Floats, float]:
    if test == "randomised-hsd":
        # aligned: topics and systems are in the order of their names for every candidate, and so are the draws
        how: dict[str, Any] = {"resampling": resampling, "strict": strict, "aligned": True, "workers": workers}
        if candidate.preferences is None:
            hsd = randomised_hsd(candidate.value, exact=False, **how)
        else:
            hsd = randomised_hsd_preferences(candidate.square(), **how)
        return hsd.pvalue, hsd.critical(alpha)
    if test in ("tukey", "tukey-one-way"):
        tukey: TukeyHSD = (tukey_hsd if test == "tukey" else tukey_hsd_one_way)(candidate.value, level=1 - alpha)
        return tukey.pvalue, tukey.critical * tukey.standard_error
    differences, errors = candidate.known_differences()
    if test == "kruskal-wallis":
        p = kruskal_wallis(candidate.value, level=1 - alpha).comparisons.pvalue
    elif test == "bootstrap":
        p = bootstrap_tests(differences, resampling=resampling, errors=errors, workers=workers).pvalue
    else:
        alone = paired_tests(differences, "t" if test == "t" else "sign", errors=errors).pvalue
        p = adjust(alone, "bonferroni").adjusted
    missed = np.abs(differences.mean(axis=1))[p >= alpha]
    return p, float(missed.max(initial=0.0))
