"""Comparison of two systems: the difference, its significance, and its dependence on the metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from rankscope.arrays import Ints
from rankscope.comparisons import evidence, wording
from rankscope.comparisons.effect import Effect, PairedScores, Procedure, Test, interval_level, paired_scores
from rankscope.comparisons.exact_differences import scores_to_test
from rankscope.comparisons.holes import HoleWarning, warning_of, with_estimated_grades
from rankscope.comparisons.human_topics import WithMachine, estimator
from rankscope.comparisons.other_judges import AlikeTopics, alike_topics, judge_repetitions, plain_judges
from rankscope.comparisons.repeats import APART
from rankscope.comparisons.scored import FEWEST, Scored, cutoff_of, repeated, scored
from rankscope.comparisons.sensitivity import (
    LISTS,
    PALETTE,
    DifferenceBounds,
    NotRepeated,
    Repetition,
    at_odds,
    is_significant,
    repetitions,
    unjudged,
    verdict_of,
)
from rankscope.comparisons.topic_attributes import QUANTILES, TopicPlan
from rankscope.comparisons.without_metric import DEPTH, WithoutMetric, without_metric
from rankscope.errors import InputError, argument, plural, quietly, reason
from rankscope.formatting import markdown, probability, score, visible
from rankscope.judged import Judged, load
from rankscope.judged.judges import Judges
from rankscope.judged.two_systems import two_systems
from rankscope.layout import Block, Layer, latex_table, markdown_table, to_markdown
from rankscope.measures import Measure, Scores
from rankscope.parallel import Client, elsewhere, map_units, on
from rankscope.preferences.classes import LABELS, favoured
from rankscope.preferences.gains import Gains
from rankscope.results import Layered, records
from rankscope.statistics import Resampling
from rankscope.statistics.pairs.replication import ASSUMPTIONS, Replication, replication_of

if TYPE_CHECKING:
    from rankscope.comparisons.slices import Slices

Part = TypeVar("Part")
TOPICS_ALIKE = "they take topics as independent and of equal weight"
_MANY = 10_000  # topics from which on parts of a comparison are computed side by side


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison(Layered):
    """System b against system a under one metric, and what other choices would make of it.

    effect       the mean of b - a, its interval and test
    without      what needs no metric; None where only scores were given
    repetitions  the same comparison with other choices, which is no independent evidence
    not_repeated  other choices that could not be tried, and why
    unjudged     bounds of the mean of b - a whatever the missing judgments; None where they are not known
    n_systems    how many systems the two were chosen from
    alike        topics on which every judge grants the same class of IPSO; None where there is one judge
    machine      the difference from few human and many machine labels, where that was asked for
    slices       the comparison by slices of topics, where these were asked for
    replication  whether the verdict would repeat on new topics; None where it cannot be computed
    holes        a warning where estimated grades of unjudged documents change the verdict, else None
    """

    scored: Scored
    effect: Effect
    without: WithoutMetric | None
    repetitions: tuple[Repetition, ...]
    unjudged: DifferenceBounds | None
    alpha: float
    n_systems: int
    not_repeated: tuple[NotRepeated, ...] = ()
    alike: AlikeTopics | None = None
    machine: WithMachine | None = None
    slices: Slices | None = None
    replication: Replication | None = None
    holes: HoleWarning | None = None

    @property
    def systems(self) -> tuple[str, str]:
        """Names of a and of b."""
        a, b = self.scored.systems
        return a, b

    @property
    def measure(self) -> str:
        """The metric that was chosen."""
        return self.scored.measure

    @property
    def means(self) -> tuple[float, float]:
        """Mean scores of a and of b."""
        a, b = self.scored.mean().tolist()
        return a, b

    @property
    def verdict(self) -> int:
        """1 where b scores higher under the metric, beyond the sampling of topics; -1 where a does; 0 where neither."""
        return verdict_of(self.effect, self.alpha)

    @property
    def opposed(self) -> bool:
        """Whether the test is significant, but not for the system with the higher mean: then there is no verdict."""
        return is_significant(self.effect, self.alpha) and at_odds(self.effect)

    @property
    def corroborated(self) -> bool:
        """Whether IPSO's sign test points the same way, below alpha: the double dagger of Moffat and Mackenzie."""
        if self.without is None or not self.verdict:
            return False
        ni, ns, _, _ = self.without.counts
        return bool(self.without.ipso.pvalue < self.alpha and np.sign(ns - ni) == self.verdict)

    @property
    def universal(self) -> bool:
        """Whether the same is inferred of every static rank-weighted metric with these gains, at alpha / 2 each way."""
        if self.without is None or not self.verdict:
            return False
        return self.without.dominance_pvalue(self.verdict) < self.alpha / 2

    @property
    def mark(self) -> str:
        """† for significance, ‡ where IPSO corroborates it."""
        return "" if not self.verdict else "†‡" if self.corroborated else "†"

    def sentence(self) -> str:
        """The verdict in a few plain sentences."""
        return visible(wording.sentence(self))

    def paragraph(self) -> str:
        """Methods and result, ready for a paper."""
        return visible(evidence.paragraph(self))

    # shapes

    def columns(self) -> dict[str, list[Any]]:
        """One row per topic: the scores and their difference, the largest change first; IPSO's class where known."""
        a, b = self.scored.value.T
        score_a, score_b, _ = scores_to_test(self.scored, 0, 1)
        difference = score_b - score_a
        order = np.lexsort((np.arange(len(a)), -np.abs(difference)))
        names = [self.scored.topics[t] for t in order.tolist()]
        columns: dict[str, list[Any]] = {
            "topic": names,
            "a": a[order].tolist(),
            "b": b[order].tolist(),
            "difference": difference[order].tolist(),
        }
        if self.without is not None:
            ipso = self.without.ipso
            classes = dict(zip(ipso.topics, (LABELS[code] for code in ipso.outcome.tolist()), strict=True))
            columns["ipso"] = [classes.get(name) for name in names]
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        a, b = self.systems
        e, numbers = self.effect, partial(_effect, self.systems)
        return {
            "a": a,
            "b": b,
            "measure": self.measure,
            "mean_a": self.means[0],
            "mean_b": self.means[1],
            **numbers(e),
            "n_topics": e.n_topics,
            **_design(self.scored, e),
            "left_out": len(self.scored.left_out),
            "left_out_because": dict(self.scored.reasons),
            "n_systems": self.n_systems,
            "alpha": self.alpha,
            "significant": bool(self.verdict),
            "corroborated": self.corroborated,
            "universal": self.universal,
            "ipso": None if self.without is None else _ipso(self.without),
            "dominance": None
            if self.without is None or self.without.dominance is None
            else self.without.dominance.to_dict(),
            "preferences": []
            if self.without is None
            else [{"name": p.name, "what": p.what, **numbers(p.effect)} for p in self.without.preferences],
            "repetitions": [
                {"axis": r.axis, "name": r.name, "outcome": r.outcome, **numbers(r.effect)} for r in self.repetitions
            ],
            "not_repeated": [asdict(r) for r in self.not_repeated],
            "unjudged": None if self.unjudged is None else asdict(self.unjudged),
            **({} if self.alike is None and self.machine is None else plain_judges(self.alike, self.machine)),
            "slices": None if self.slices is None else _slices(self.slices),
            "replication": None
            if self.replication is None
            else {**self.replication.to_dict(), "assumptions": list(ASSUMPTIONS)},
            "holes": None if self.holes is None else asdict(self.holes),
            "sentence": self.sentence(),
            "paragraph": self.paragraph(),
            "signature": self.scored.signature,
        }  # fmt: skip

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row: what a paper's table has."""
        a, b = self.systems
        e = self.effect
        header = ["measure", a, b, f"{b} - {a}", f"{100 * e.level:g} % interval", "p", ""]
        cells = [f"{self.means[0]:.4f}", f"{self.means[1]:.4f}", score(e.difference), e.interval]
        return header, [[self.measure, *cells, probability(e.pvalue), self.mark]]

    def blocks(self, layer: Layer) -> list[Block]:
        """Printed blocks of a layer; the verdict is first."""
        return evidence.blocks(self, layer)

    def to_markdown(self) -> str:
        """The verdict, the table and the evidence as Markdown."""
        verdict, *further = self.blocks("full")
        table = f"{markdown_table(*self.table())}\n\n{markdown(evidence.caption(self))}"
        return "\n\n".join([to_markdown([verdict]), table, to_markdown(further)])

    def to_latex(self) -> str:
        """A booktabs table whose caption explains the markers."""
        return latex_table(*self.table(), caption=evidence.caption(self))


def compare(
    source: Judged | Scores | Any,
    a: Any,
    b: Any,
    *,
    measure: str | Measure | None = None,
    test: Test = "t",
    alpha: float = 0.05,
    level: float | None = None,
    depth: int | None = None,
    gains: Gains = None,
    palette: Sequence[str | Measure] = PALETTE,
    others: bool = True,
    judges: Judges | None = None,
    human_topics: bool = False,
    human_pairs: bool = False,
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
) -> Comparison:
    """Champion a against challenger b under one metric, chosen beforehand (Moffat and Mackenzie 2024, section 3.6).

    a, b     names of two systems of the source; or two runs, as `load` takes them, and then the source is the judgments
    source   lists (`load`), scores (`evaluate`), or what `read_scores` reads; scores alone leave out what needs lists
    measure  the one metric that decides (nDCG@10 for lists)
    test     "t", "randomisation", "wilcoxon" or "sign"
    alpha    p values below it decide
    level    of the intervals; 1 - alpha unless given
    depth    how deep IPSO and dominance look, and all else where runs are read here; by default the cutoff of the
             measure, else 10, and whole lists
    gains    by what IPSO orders lists, as for `ipso`: "thresholds" by default; dominance has the metric's gains
    palette  metrics that are looked at to see whether the verdict depends on the choice, no more
    others   whether to repeat the comparison with other choices, and to bound what the missing judgments could do;
             tied documents in other orders need lists of `load(..., keep_ties=True)`
    judges   other judges of the same runs (`load_judges`), under each of whom the comparison is repeated; they may also
             be the source, whose reference then decides
    human_topics  whether the source is a human judge of few topics and `judges` one machine that judged more: the
             difference under the human judge is then also estimated from both (prediction-powered inference)
    human_pairs   the same where people judged pairs of topic and document, drawn at random from those of the machine;
             for measures that are sums over ranks, as P@10, DCG@10 and RBP are
    topics_table  attributes of topics, one row each: CSV, TSV or JSON lines, a frame, or {attribute: {topic: value}}
    by       an attribute that cuts topics into slices: a column of the table, or "relevant", "judged", "length" or
             "difficulty", which are computed; numbers are cut at `quantiles`
    slices   {name: topics}: slices by name, instead of `by`
    clusters  an attribute: topics that share its value are one cluster, such as variants of a query
    weights  an attribute: how much each topic counts, such as its traffic
    repeats  which runs of the source are of one system, as seeds are: a separator as in name@1, an expression with one
             group, {run: system} or a CSV file. Runs are averaged, and the test takes runs and topics for samples. By
             default name@1 and name@2 are runs of `name`, unless a or b is one of them; "none": each run is a system
    progress hears which share of the work is done, as in `progress=Bar()`
    rules    those of `load`, for runs that are read here, such as ties="rank" or rel=2
    """
    plan = TopicPlan.of(topics_table, clusters, weights)
    procedure = Procedure(test, interval_level(alpha, level), resampling, workers)

    def read(qrels: Any, runs: dict[str, Any], **rules: Any) -> Judged:
        reading: dict[str, Any] = {"depth": depth, "keep_ties": True, "workers": workers, "client": client, **rules}

        return load(qrels, runs, keep_docs=True, **reading)

    if isinstance(source, Judges):
        judges, source = source, source.judged(source.reference)
    source, a, b = two_systems(source, a, b, read=read, scores=True, **rules)
    source = repeated(source, APART if repeats is None and judges else repeats, measure=measure, systems=(a, b))
    estimated = estimator(judges, human_topics, human_pairs, plan)
    if a == b:
        raise InputError(f"{a!r} is compared with itself", "name two systems")
    table = plan.applied(scored(source, measure, (a, b)))
    n_systems = len(getattr(source, "systems", (a, b)))
    if len(table.topics) < 2:
        raise InputError(*_nothing(table))
    groups = None if by is None and slices is None else _groups(table, plan, by, quantiles, slices)
    units: list[Callable[[], Any]] = []  # the longest first, so that workers end together
    with on(client), quietly():  # topics left out were said of the metric
        tested = paired_scores(table)
        main = procedure.effect_on(tested)
        repeating = others and main.n_topics >= FEWEST
        if repeating:
            units += [lambda: unjudged(table, workers=workers), lambda: _with_estimates(table, procedure, alpha)]
        if groups is not None:
            units.append(lambda: _by_slice(table, plan, by, groups, procedure, alpha, main))
        missing: list[NotRepeated] = []
        if table.design is not None and table.judged is not None:
            missing.append(NotRepeated(LISTS, "IPSO, dominance and preferences", TOPICS_ALIKE))
        elif table.judged is not None and table.record is not None:
            lists = table.judged, a, b, table.record
            units.append(lambda: _without(*lists, procedure, depth, gains))
        if repeating:
            units += repetitions(table, main, procedure, tested=tested, alpha=alpha, palette=palette)
        if judges is not None and table.record is not None:
            pair, record, among = (a, b), table.record, judges
            units += judge_repetitions(among, verdict_of(main, alpha), record, pair, procedure, alpha)
            ranks = cutoff_of(record) or DEPTH if depth is None else depth
            units.append(lambda: alike_topics(among, pair, min(ranks, among.lists.shape[-1]), gains))
            if estimated is not None:
                units.append(lambda: estimated(among, record, pair, procedure.level))
        threads = workers if len(table.topics) > _MANY and not elsewhere() else 1
        heard = progress or (lambda share: None)
        heard(1 / (len(units) + 1))  # the comparison itself is done
        parts = []
        for part in map_units(lambda unit: unit(), units, workers=threads, kind="shared"):
            parts.append(part)
            heard((len(parts) + 1) / (len(units) + 1))
        parts = parts[repeating:] + parts[:repeating]  # bounds are told last

    def first(kind: type[Part]) -> Part | None:
        return next((part for part in parts if isinstance(part, kind)), None)

    without = first(WithoutMetric)
    missing += [part for part in parts if isinstance(part, NotRepeated)]
    if without is not None and without.no_dominance:
        missing.append(NotRepeated("dominance", "every static rank-weighted metric", without.no_dominance))
    by_slice = None
    if groups is not None:
        from rankscope.comparisons.slices import Slices

        by_slice = first(Slices)
    estimates, bounds = first(_WithEstimates), first(DifferenceBounds)
    repeated_parts = [part for part in parts if isinstance(part, Repetition)]
    return Comparison(
        scored=table, effect=main, without=without, slices=by_slice,
        replication=_replication(tested, main, alpha),
        repetitions=(*repeated_parts, *(by_slice.repetitions() if by_slice else ())),
        not_repeated=tuple(missing),
        unjudged=bounds, alpha=alpha, n_systems=n_systems,
        alike=first(AlikeTopics), machine=first(WithMachine),
        holes=None if estimates is None else _holes(table, estimates, verdict_of(main, alpha), bounds),
    )  # fmt: skip


def _groups(
    table: Scored, plan: TopicPlan, by: str | None, quantiles: int, slices: Mapping[str, Sequence[str]] | None
) -> dict[str, Ints]:
    """Rows of the topics of each slice: of those of an attribute, or of those that are listed."""
    from rankscope.comparisons.slices import listed

    if by is not None and slices is not None:
        raise InputError(f"{argument('by', by)} beside {argument('slices')}", "choose one of them")
    return plan.slices(table, by, quantiles) if by is not None else listed(table, slices or {})


def _by_slice(
    table: Scored, plan: TopicPlan, by: str | None, groups: Mapping[str, Ints], procedure: Procedure, alpha: float,
    main: Effect,
) -> Slices:  # fmt: skip
    """The comparison by slices."""
    from rankscope.comparisons.slices import LISTED, sliced

    parts = [(name, table.at_rows(rows)) for name, rows in groups.items()]
    result = sliced(table, parts, procedure, by=by or LISTED, alpha=alpha, main=main)
    if by is None:
        return result
    return replace(result, numbers=plan.attribute(table, by, "by").numbers, meaning=plan.meaning(table, by))


class _WithEstimates(NamedTuple):
    """Scores with estimated grades of unjudged documents, and the verdict of the same test on them."""

    scores: Scored
    verdict: int


def _with_estimates(table: Scored, procedure: Procedure, alpha: float) -> _WithEstimates | None:
    """None where no grade can be estimated."""
    estimated = with_estimated_grades(table)
    return None if estimated is None else _WithEstimates(estimated, verdict_of(procedure.effect_of(estimated), alpha))


def _holes(table: Scored, estimates: _WithEstimates, verdict: int, ends: DifferenceBounds | None) -> HoleWarning | None:
    """A warning where the verdict is another one with estimated grades."""
    if estimates.verdict == verdict:
        return None
    a, b = table.systems
    better, other = (b, a) if estimates.verdict > 0 else (a, b)
    instead = f"{better} is better than {other}" if estimates.verdict else "no difference is shown"
    return warning_of(table, estimates.scores, instead, ends=None if ends is None else (ends.lower, ends.upper))


def _replication(tested: PairedScores, main: Effect, alpha: float) -> Replication | None:
    """Whether the verdict would repeat; None where there are too few topics, or differences do not vary.

    None also where sign flips stand in for t: t would show fewer differences on new topics than they do.
    """
    if main.sample.too_few or main.unequal or main.won == main.lost == 0:
        return None
    units = tested.all_units()
    return None if units.constant else replication_of(units, alpha=alpha)


def _without(
    judged: Judged, a: str, b: str, measure: Measure, procedure: Procedure, depth: int | None, gains: Gains
) -> WithoutMetric | NotRepeated:
    """What needs no metric, or why it is not there: grades below the lowest relevant one still gain in nDCG."""
    try:
        return without_metric(judged, a, b, measure, procedure, depth=depth, gains=gains)
    except InputError as error:
        if depth is not None or gains is not None:  # perhaps these cannot be used
            raise
        return NotRepeated(LISTS, "IPSO, dominance and preferences", reason(error, cures=True))


def _nothing(table: Scored) -> tuple[str, str]:
    """Cause and cure where there is nothing to compare."""
    count = len(table.topics)
    cause = f"{plural(count, 'topic') if count else 'no topics'} with a score of {table.measure} for both systems"
    if table.judged is not None and not count:
        grades = table.judged.grades
        if grades[-1] <= 0:
            return cause, f"no judged document is relevant, the highest grade is {grades[-1]:g}: check the judgments"
        listed = f"grade{'s' * (len(grades) > 1)} {', '.join(f'{g:g}' for g in grades)}"
        return cause, f"the judgments hold the {listed}: choose a metric that can be measured by them"
    return cause, "a comparison needs both systems on the same topics, at least 2 of them, and 5 for a verdict"


def _effect(systems: tuple[str, str], e: Effect) -> dict[str, Any]:
    return {
        "difference": e.difference,
        "lower": e.ends[0],
        "upper": e.ends[1],
        "level": e.level,
        "test": e.test,
        "method": e.method,
        "pvalue": e.pvalue,
        "favours": favoured([e.lean], systems)[0],
        "won": e.won,
        "lost": e.lost,
        "tied": e.tied,
        **({"remark": e.remark} if e.remark else {}),
    }


def _design(table: Scored, e: Effect) -> dict[str, Any]:
    """Clusters and weights, where there are any."""
    if table.design is None:
        return {}
    return {
        "clusters": table.design.plan.clusters,
        "n_clusters": e.n_clusters,
        "weights": table.design.plan.weights,
        "design_effect": e.design_effect,
        "effective_topics": e.effective_topics,
    }


def _slices(groups: Slices) -> dict[str, Any]:
    interaction = groups.interaction
    return {
        "by": groups.by,
        "slices": records(groups.columns()),
        "interaction": None if interaction is None else interaction.to_dict(),
        "alarms": groups.alarms(),
    }


def _ipso(without: WithoutMetric) -> dict[str, Any]:
    summary = without.ipso.summary()
    return {
        key: summary[key] for key in ("depth", "order", "binds", "left_out", "pvalue", "swing", "depths", "signature")
    }
