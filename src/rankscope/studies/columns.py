"""Columns of a scorecard: what each says, by which study, and with which settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.measures import Measure
from rankscope.measures.attainable import Places
from rankscope.statistics import Resampling, randomised_hsd
from rankscope.studies import spread
from rankscope.studies.agreement import agreement
from rankscope.studies.base import Study
from rankscope.studies.candidates import StudyMaterial
from rankscope.studies.consistency import consistency
from rankscope.studies.incompleteness import incompleteness
from rankscope.studies.locality import locality
from rankscope.studies.power import discriminative_power
from rankscope.studies.scales import scales
from rankscope.studies.similarity import similarity
from rankscope.studies.ties import ties
from rankscope.universe.one_measure.summary import columns as known_facts
from rankscope.universe.rankings import comparable_rankings
from rankscope.universe.score_ranks import complete_measures, placed
from rankscope.universe.two_measures.features import FEATURES, feature_rows, named_features

Part: TypeAlias = Literal[
    "scale", "properties", "power", "consistency", "incompleteness", "ties", "agreement", "preference", "similarity",
    "locality", "scales",
]  # fmt: skip
_ORDERS = ("set", "rank")
_BEST = ("ratio", "interval", "ordinal", "neither", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """Two candidates that differ significantly in a column: second - first, and which of them is better."""

    column: str
    first: str
    second: str
    difference: float
    pvalue: float
    favours: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnInputs:
    """Inputs of a column.

    settings    of all columns, by name; a column takes those that it names
    resampling  of this column
    run         checkpoints, progress and workers of its study; a cluster does what is called within `on`
    """

    studied: StudyMaterial
    settings: Mapping[str, Any]
    resampling: Resampling
    run: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates."""
        return self.studied.names

    @property
    def over_rankings(self) -> dict[str, Measure]:
        """Measures of binary rankings, whatever grade is relevant in the collection."""
        return {
            name: replace(measure, settings=tuple(s for s in measure.settings if s[0] != "rel"))
            for name, measure in self.studied.records.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnValues:
    """A column by candidate, and the study behind it; no values for a study alone.

    tested  candidates, and of all their pairs in this order the differences, second - first, and p values
    notes   why some candidates have no value
    """

    values: Sequence[Any] | None = None
    study: Study | None = None
    tested: tuple[Sequence[str], Floats, Floats] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """A column of the scorecard, or a study beside it.

    part      its name in `studies=`
    heading   in the table; nothing for a study that has tables of its own and no column
    compute   the column's values
    settings  names of the settings that its numbers depend on
    draws     what it draws by default, where it draws
    weight    how long it takes beside the others, roughly
    quick     whether it is looked at unless more is asked for: nothing that takes judgments away or needs minutes
    better    1 where more is better, -1 where less is, 0 where neither
    test      how differences are tested
    untested  why they are not
    meaning   what its numbers are, in a few words
    counted   tests whose results its numbers count, with settings in braces
    caption   the same in sentences, with settings in braces
    percent   whether numbers are per cent
    """

    part: Part
    heading: str = ""
    compute: Callable[[ColumnInputs], ColumnValues]
    settings: tuple[str, ...] = ()
    draws: Resampling | None = None
    weight: float
    quick: bool = True
    better: int = 0
    test: str = ""
    untested: str = ""
    meaning: str = ""
    counted: str = ""
    caption: str = ""
    percent: bool = False

    def chosen(self, settings: Mapping[str, Any], resampling: Mapping[str, Resampling]) -> dict[str, Any]:
        """Settings of this column, as plain values."""
        draws = resampling.get(self.part)
        drawn = {} if draws is None else {"resamples": draws.resamples, "seed": draws.seed}
        return {**drawn, **{name: settings[name] for name in self.settings}}

    def significant(
        self, names: Sequence[str], differences: Floats, pvalues: Floats, *, alpha: float
    ) -> list[MetricDifference]:
        """Pairs of candidates that differ significantly; differences are second - first of all pairs in their order."""
        pairs = zip(combinations(names, 2), differences.tolist(), pvalues.tolist(), strict=True)
        return [
            MetricDifference(column=self.heading, first=a, second=b, difference=difference, pvalue=p,
                             favours=b if difference * self.better > 0 else a)
            for (a, b), difference, p in pairs if p < alpha
        ]  # fmt: skip

    def text(self, value: float) -> str:
        """A number in a sentence."""
        return f"{value:.2f} %" if self.percent else f"{value:.3f}"


def _scale(inputs: ColumnInputs) -> ColumnValues:
    """The better label of two orders, as for `scales`."""
    label = known_facts()
    measures = inputs.over_rankings
    return ColumnValues(values=[
        min((label[order](measures[name]) for order in _ORDERS), key=_BEST.index) if name in measures else None
        for name in inputs.names
    ])  # fmt: skip


def _properties(inputs: ColumnInputs) -> ColumnValues:
    """Short names of the properties that hold."""
    holds = {name: look for name, look in known_facts().items() if name not in (*_ORDERS, "ipso")}
    measures, values = inputs.over_rankings, list[str | None]()
    for name in inputs.names:
        measure = measures.get(name)
        marks = {} if measure is None else {short: look(measure) for short, look in holds.items()}
        shown = "-" if "-" in marks.values() else " ".join(short for short, mark in marks.items() if mark)
        values.append(None if measure is None else shown)
    return ColumnValues(values=values)


def _power(inputs: ColumnInputs) -> ColumnValues:
    alpha = inputs.settings["alpha"]
    study = discriminative_power(inputs.studied, resampling=inputs.resampling, alpha=alpha, **inputs.run)
    return ColumnValues(values=[100 * study.share(name) for name in inputs.names], study=study)


def _consistency(inputs: ColumnInputs) -> ColumnValues:
    alpha, one_family = inputs.settings["alpha"], dict.fromkeys(inputs.names, "")
    study = consistency(
        inputs.studied, resampling=inputs.resampling, alpha=alpha, families=one_family, **inputs.run
    )  # fmt: skip
    family = study.families[0]
    pairs = np.triu_indices(len(family.candidates), 1)
    tested = family.candidates, family.difference[pairs], family.pvalue[pairs]
    values = [study.mean.get(name) for name in inputs.names]
    return ColumnValues(values=values, study=study, tested=tested, notes=study.without_tau())


def _incompleteness(inputs: ColumnInputs) -> ColumnValues:
    study = incompleteness(inputs.studied, resampling=inputs.resampling, **inputs.run)
    samples = np.moveaxis(study.tau, -1, 1).reshape(len(inputs.names), inputs.resampling.resamples, -1)
    return ColumnValues(values=spread.mean(spread.mean(samples)).tolist(), study=study)


def _ties(inputs: ColumnInputs) -> ColumnValues:
    study = ties(inputs.studied, **inputs.run)
    studied, names, tested = inputs.studied, inputs.names, None
    shares = study.tied_by_topic / len(studied.pairs[0])
    if len(names) > 1 and shares.shape[1] > 1:
        workers = inputs.run["workers"]
        hsd = randomised_hsd(100 * shares.T, resampling=inputs.resampling, systems=names, workers=workers)
        tested = names, hsd.difference, hsd.pvalue
    return ColumnValues(values=(100 * shares.mean(axis=1)).tolist(), study=study, tested=tested)


def _agreement(inputs: ColumnInputs) -> ColumnValues:
    """Per cent of the pairs of systems on which the tests of a candidate and of IPSO agree."""
    alpha, depth = inputs.settings["alpha"], inputs.settings["depth"]
    study = agreement(inputs.studied, depths=depth, tests=("t", "sign"), alpha=alpha, **inputs.run)
    alike = study.alike[:, 0]
    tests = [study.tests.index("sign" if candidate.signs else "t") for candidate in inputs.studied.candidates]
    return ColumnValues(values=[100 * float(alike[c, t]) for c, t in enumerate(tests)], study=study)


def _preference(inputs: ColumnInputs) -> ColumnValues:
    """Preferences of each candidate against the others, where all rankings of a depth can be scored."""
    depth, measures = inputs.settings["documents"], inputs.over_rankings
    rankings, by_measure = comparable_rankings(depth), dict[Measure, Places]()
    for measure in dict.fromkeys(measures.values()):
        try:
            (by_measure[measure],) = placed(rankings, complete_measures(measure, depth), workers=1).measures
        except InputError:  # no score for some ranking, or none that tells rankings apart for sure
            continue
    if len(by_measure) < 2:  # one measure by two names has nothing to disagree with
        return ColumnValues(values=[None] * len(inputs.names))
    words, usable = list(FEATURES), {name: measure for name, measure in measures.items() if measure in by_measure}
    by_feature = dict(zip(words, placed(rankings, (), named_features(None), workers=1).features, strict=True))
    all_rows = feature_rows(by_measure, by_feature, inputs.run["workers"])
    gaps: dict[str, list[Floats]] = {name: [] for name in usable}
    for at, (a, b) in enumerate(combinations(by_measure, 2)):
        rows = all_rows[at * len(words) : (at + 1) * len(words)]
        if not rows[0].disagreeing:
            continue
        gap = np.array([row.percent(row.a_prefers) - row.percent(row.b_prefers) for row in rows])
        for name, measure in usable.items():
            if measure in (a, b):
                gaps[name].append(gap if measure == a else -gap)
    sentences: dict[str, str] = {}
    for name, by_pair in gaps.items():
        mean = np.mean(by_pair, axis=0) if by_pair else np.zeros(len(words))
        top = sorted(range(len(words)), key=lambda i: -mean[i])[:2]
        parts = [f"{FEATURES[words[i]].words} ({mean[i]:+.0f})" for i in top if mean[i] >= 1]
        sentences[name] = ", ".join(parts) or "none of these"
    return ColumnValues(values=[sentences.get(name) for name in inputs.names])


def _similarity(inputs: ColumnInputs) -> ColumnValues:
    return ColumnValues(study=similarity(inputs.studied, level=inputs.settings["level"], **inputs.run))


def _locality(inputs: ColumnInputs) -> ColumnValues:
    return ColumnValues(study=locality(inputs.studied, **inputs.run))


def _scales(inputs: ColumnInputs) -> ColumnValues:
    if not inputs.studied.records:
        return ColumnValues()
    return ColumnValues(study=scales(inputs.studied, alpha=inputs.settings["alpha"], **inputs.run))


_OVER_PAIRS = "counted over pairs of systems, which share systems and topics"

COLUMNS = (
    Column(
        part="scale", heading="scale", compute=_scale, weight=1, meaning="scale type of the scores",
        caption="the scale type of the scores of short binary rankings: the better one of those on the set-based and "
        "on the rank-based order.",
    ),
    Column(
        part="properties", heading="properties", compute=_properties, weight=1, meaning="properties that it has",
        caption="those that the measure has of bounded (bnd), monotone (mono), convergent (conv), top-weighted (top), "
        "localised (loc), complete (comp) and realisable (real).",
    ),
    Column(
        part="power", heading="power", compute=_power, weight=10, better=1, percent=True, untested=_OVER_PAIRS,
        settings=("alpha",), draws=Resampling(2000), meaning="% of pairs of systems told apart by a test",
        counted="randomised Tukey HSD, p < {alpha:g}",
        caption="per cent of the pairs of systems that randomised Tukey HSD tells apart (p < {alpha:g}, {resamples:,} "
        "permutations, seed {seed}). Higher is better.",
    ),
    Column(
        part="consistency", heading="consistency", compute=_consistency, weight=2, better=1,
        settings=("alpha",), draws=Resampling(1000), test="by a jackknife over topics, Holm",
        meaning="tau between rankings by halves of the topics",
        caption="mean Kendall's tau-b between the rankings of the systems on two random halves of the topics "
        "({resamples:,} splits). Higher is better.",
    ),
    Column(
        part="incompleteness", heading="incompleteness", compute=_incompleteness, weight=50, quick=False, better=1,
        draws=Resampling(10), untested="means over samples of one pool, which are no replicates",
        meaning="tau between rankings with part of the judgments",
        caption="mean Kendall's tau-b between the rankings of the systems with all judgments and with 90 to 5 % of "
        "them ({resamples:,} samples, stratified and uniform). Higher is better.",
    ),
    Column(
        part="ties", heading="tied", compute=_ties, weight=8, better=-1, percent=True, settings=("alpha",),
        draws=Resampling(2000), test="by randomised Tukey HSD over topics",
        meaning="% of pairs of lists that it ties",
        caption="per cent of the pairs of lists on one topic without a preference, by exact scores where the measure "
        "has them. Lower is better.",
    ),
    Column(
        part="agreement", heading="ipso", compute=_agreement, weight=1, better=1, percent=True, untested=_OVER_PAIRS,
        settings=("alpha", "depth", "order"),
        meaning="% of pairs of systems on which its test and IPSO's agree (one direction, or none shown)",
        counted="Student's t or the sign test, against IPSO's sign test, p < {alpha:g}",
        caption="per cent of the pairs of systems on which the measure's test and IPSO's sign test find a difference "
        "in one direction, or neither finds one (p < {alpha:g}). The measure's test is the t test, or the sign test "
        "where preferences are signs. IPSO compares lists without a metric: {order}, to depth {depth}, whatever "
        "cutoff a measure has. Higher is better.",
    ),
    Column(
        part="preference", heading="prefers", compute=_preference, weight=2, settings=("documents",),
        meaning="what it rewards, compared with measures that disagree",
        caption="what the ranking that the measure prefers has more often, over all pairs of rankings of {documents} "
        "documents on which it disagrees with another measure. In brackets: how much more often than the ranking that "
        "the other prefers, in per cent of these pairs.",
    ),
    Column(part="similarity", compute=_similarity, weight=3, quick=False, settings=("level",)),
    Column(part="locality", compute=_locality, weight=4, quick=False),
    Column(part="scales", compute=_scales, weight=5, quick=False, settings=("alpha",)),
)  # fmt: skip
"""In the order in which they are computed and shown."""

PARTS: tuple[Part, ...] = tuple(column.part for column in COLUMNS)
QUICK: tuple[Part, ...] = tuple(column.part for column in COLUMNS if column.quick)
BESIDE: tuple[Part, ...] = tuple(column.part for column in COLUMNS if not column.heading)
"""Studies that have tables of their own and no column."""
DRAWS: dict[str, Resampling] = {column.part: column.draws for column in COLUMNS if column.draws is not None}
"""Permutations of power and ties, splits of topics of consistency, samples of pools of incompleteness, by default."""
