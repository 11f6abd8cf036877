"""Result of a gate: its checks, and what is printed of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankscope.comparisons.effect import Effect, close_scores
from rankscope.comparisons.holes import HoleWarning
from rankscope.comparisons.scored import Plan, left_out, population
from rankscope.errors import argument, output, plural
from rankscope.formatting import bounds, markdown, p_value, percent, probability, score, visible
from rankscope.layout import Block, Drawing, Layer, Table, Tone, Toned, interval_bar, markdown_table, shortened
from rankscope.results import Layered, records
from rankscope.statistics.pairs.gate_outcomes import (
    MOST_TOPICS,
    Chances,
)

if TYPE_CHECKING:
    from rankscope.comparisons.human_topics import WithMachine
    from rankscope.comparisons.slices import Slices

Outcome: TypeAlias = Literal["pass", "regression", "inconclusive"]
OVERALL = "all topics"
LOST = 5  # topics that lost most, of those that are named
SHORT_ROWS = 3  # rows of slices, of further measures and of topics in the short layer, where there are several tables
LINES = 8  # lines of a screen that the short layer leaves to topics that lost, notes and the table of slices
NAME = 20  # letters of a name in the short layer
TONES: dict[Outcome, Tone] = {"pass": "holds", "regression": "changes", "inconclusive": "undecided"}
POWER = 0.8  # chance with which a fresh set of topics is to decide, or a loss to be reported


@dataclass(frozen=True, slots=True)
class LostTopic:
    """A topic on which the candidate scores lower than the baseline, and the slices that it belongs to."""

    topic: str
    baseline: float
    candidate: float
    difference: float
    slices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """Outcome on one set of topics: the interval of candidate - baseline, and which losses it could have missed.

    sd        standard deviation of the differences
    chances   of each outcome at some true losses, for a gate with so many topics and this sd
    reported  the true loss that such a gate reports as a regression in 80 %
    settles   topics of a fresh set that would decide in 80 %, averaged over the true differences that are left open;
              None where this one decided, or where none would
    certain   topics that would decide whatever the true difference, with this sd; None as for settles
    lost      topics that lost most, the largest loss first
    """

    name: str
    outcome: Outcome
    baseline: float
    candidate: float
    n_topics: int
    reason: str
    effect: Effect | None = None  # None where there are too few topics
    sd: float | None = None
    chances: tuple[Chances, ...] = ()  # none where differences do not vary
    reported: float | None = None
    settles: int | None = None
    certain: int | None = None
    lost: tuple[LostTopic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gate(Layered):
    """Whether a candidate may replace a baseline: pass, regression or inconclusive.

    The outcome is the worst of all checks: of all topics together, and of each slice of topics; where all measures
    decide, also of all topics under each further measure.
    """

    measure: str
    baseline: str
    candidate: str
    margin: float  # in points of the measure
    relative: float | None  # the margin as a share of the baseline's mean, where it was given so
    level: float
    checks: tuple[Check, ...]
    left_out: int
    reasons: Mapping[str, int]  # why they were left out, see `scored.REASONS`
    on_loading: tuple[str, ...]  # what was missing, filled or ignored when runs and judgments were joined
    signature: str
    also: tuple[Gate, ...] = ()  # the same under further measures, all topics together
    all_decide: bool = False  # whether the further measures decide, too
    range: tuple[float, float] | None = None  # lowest and highest value of the measure, where it is known
    slices: Slices | None = None  # the comparison by slices, with the test of interaction
    plan: Plan | None = None  # where clusters and weights come from
    offer: str = ""  # the documented threshold of a known data set, where the measure has another one
    judged: tuple[float, float] | None = None  # share of the documents of baseline and candidate; None for scores
    holes: HoleWarning | None = None  # where estimated grades of unjudged documents change the outcome of all topics
    machine: WithMachine | None = None  # where the check of all topics rests on few human and many machine labels

    @property
    def deciding(self) -> list[tuple[Gate, Check]]:
        """Checks that decide, each with the gate of its measure."""
        further = [(other, other.checks[0]) for other in self.also] if self.all_decide else []
        return [*((self, check) for check in self.checks), *further]

    @property
    def outcome(self) -> Outcome:
        outcomes = {check.outcome for _, check in self.deciding}
        return next(o for o in ("regression", "inconclusive", "pass") if o in outcomes)

    def exit_code(self, strict: bool = False) -> int:
        """0 pass, 1 regression; inconclusive is 0, or 3 where strict."""
        return {"pass": 0, "regression": 1, "inconclusive": 3 if strict else 0}[self.outcome]

    def columns(self) -> dict[str, list[Any]]:
        """One row per check that decides."""
        from rankscope.preferences.classes import favoured

        measures, checks = [gate.measure for gate, _ in self.deciding], [check for _, check in self.deciding]
        effects = [check.effect for check in checks]
        return {
            "measure": measures,
            "topics_of": [check.name for check in checks],
            "outcome": [check.outcome for check in checks],
            "n_topics": [check.n_topics for check in checks],
            "baseline": [_number_or_none(check.baseline) for check in checks],
            "candidate": [_number_or_none(check.candidate) for check in checks],
            "difference": [None if e is None else e.difference for e in effects],
            "lower": [None if e is None else e.ends[0] for e in effects],
            "upper": [None if e is None else e.ends[1] for e in effects],
            "level": [None if e is None else e.level for e in effects],
            "pvalue": [None if e is None else e.pvalue for e in effects],
            "favours": favoured([0 if e is None else e.lean for e in effects], (self.baseline, self.candidate)),
            "sd": [check.sd for check in checks],
            "loss_reported_in_80percent": [check.reported for check in checks],
            "topics_to_settle_in_80percent": [check.settles for check in checks],
            "topics_that_settle": [check.certain for check in checks],
            "reason": [check.reason for check in checks],
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON.

        Each check also has `chances`, the probability of every outcome by true loss, and `lost_topics`, those with the
        largest losses.
        """
        rows = zip(records(self.columns()), self.checks, strict=False)  # those of further measures come last
        return {
            "outcome": self.outcome,
            "measure": self.measure,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "margin": self.margin,
            "relative_margin": self.relative,
            "level": self.level,
            "all_decide": self.all_decide,
            "left_out": self.left_out,
            "left_out_because": dict(self.reasons),
            "notes": list(self.on_loading),
            "judged": None if self.judged is None else list(self.judged),
            "holes": None if self.holes is None else asdict(self.holes),
            "signature": self.signature,
            **self._machine_fields(),
            "checks": [
                row | {"chances": [_chances(c) for c in check.chances], "lost_topics": _plain_topics(check)}
                for row, check in rows
            ],
            "also": [other.to_dict()["checks"][0] for other in self.also],
            **self._design_fields(),
        }

    def _machine_fields(self) -> dict[str, Any]:
        """The estimate from human and machine labels, where that was asked for."""
        if self.machine is None:
            return {}
        open_ = self.checks[0].outcome == "inconclusive"
        more = self.machine.result.to_settle(self.margin) if open_ else None
        return {"prediction_powered": {**self.machine.to_dict(), "labels_to_settle_in_80percent": more}}

    def _design_fields(self) -> dict[str, Any]:
        """Clusters, weights and the test of interaction, where there are any."""
        fields: dict[str, Any] = {}
        effect = self.checks[0].effect
        if self.plan is not None and effect is not None:
            fields |= {
                "clusters": self.plan.clusters, "n_clusters": effect.n_clusters, "weights": self.plan.weights,
                "design_effect": effect.design_effect, "effective_topics": effect.effective_topics,
                **({"remark": effect.stand_in} if effect.stand_in else {}),
            }  # fmt: skip
        if self.slices is not None:
            interaction = self.slices.interaction
            fields["interaction"] = None if interaction is None else interaction.to_dict()
            fields["alarms"] = self.slices.alarms()
        return fields

    def _design(self) -> list[str]:
        """Clusters and weights, in a line."""
        effect = self.checks[0].effect
        if self.plan is None or effect is None:
            return []
        clusters = "" if not effect.n_clusters else f" in {plural(effect.n_clusters, 'cluster')}"
        weighted = [] if self.plan.weights is None else [population(self.plan.weights)]
        topics = f"{plural(effect.n_topics, 'topic')}{clusters} are as precise as about {effect.effective_topics:,.0f}"
        stand_in = [effect.stand_in] if effect.stand_in else []
        return [f"Design effect {effect.design_effect:.2f}: {topics} independent ones.", *weighted, *stand_in]

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["topics of", "outcome", "topics", self.baseline, self.candidate, "difference", "interval", "p"]
        if not self.also:
            return header, [_cells(check.name, check) for check in self.checks]
        star = "" if self.all_decide else " *"
        header[0] = f"measure{star}, topics of"
        rows = [_cells(f"{self.measure}{star}, {check.name}", check) for check in self.checks]
        return header, rows + [_cells(f"{other.measure}, {OVERALL}", other.checks[0]) for other in self.also]

    def _slice(self, check: Check) -> str:
        """The slice of a check, with the attribute that it is about."""
        return check.name if self.slices is None or check.name == OVERALL else self.slices.label(check.name)

    def _attribute(self) -> str:
        """The attribute that slices are of, after their number; empty where they were listed."""
        from rankscope.comparisons.slices import LISTED

        if self.slices is None or self.slices.by == LISTED:
            return ""
        return f" of {self.slices.attribute}"

    def _where(self, check: Check) -> str:
        """The topics of a check: all topics, or a slice."""
        label = self._slice(check)
        return label if check.name == OVERALL or label != check.name else f"slice {label}"

    def sentence(self) -> str:
        """The outcome and what it means, in one sentence."""
        gate, worst = next(pair for pair in self.deciding if pair[1].outcome == self.outcome)
        where, slices = "", [check for check in self.checks[1:] if check.outcome == self.outcome]
        several = worst.name != OVERALL and worst.effect is not None and len(slices) > 1
        if several:
            count, every = len(slices), len(self.checks) - 1
            part = f"{count:,} of {every:,}" if count < every else "both" if every == 2 else f"all {every:,}"
            where = f" in {part} slices{self._attribute()}"
        elif worst.name != OVERALL:
            where = f" in slice {self._slice(worst)}"
        head = f"{self.outcome.upper()}{where}: "
        if worst.effect is None:
            return visible(f"{head}{worst.reason}.")
        on, margin = f"on {gate.measure}", f"{gate.margin:.4g}"
        if self.outcome == "regression":
            sentence = f"{self.candidate} is worse than {self.baseline} {on}{' there' * several}."
        elif self.outcome == "pass":
            sentence = f"{self.candidate} {self._passed(margin)}."
            if len(self.checks) > 1:
                sentence += f" {'The slice passes' if len(self.checks) == 2 else 'All slices pass'}, too."
        else:
            neither = f"show neither that {self.candidate} is worse than {self.baseline} {on}"
            nor = f"nor that it loses less than the margin of {margin}" if gate.margin else "nor that it is better"
            topics = "the topics of each" if several else f"the {plural(worst.n_topics, 'topic')}"
            sentence = f"{topics} {neither}, {nor}."
        return visible(head + sentence)

    def _passed(self, margin: str) -> str:
        """What a pass shows about all topics: the intervals lie above -margin, and perhaps on one side of 0."""
        gates = [self, *self.also] if self.all_decide else [self]
        effects = [effect for gate in gates if (effect := gate.checks[0].effect) is not None]
        on = "on every measure" if len(gates) > 1 else f"on {self.measure}"
        worse = [gate.measure for gate, effect in zip(gates, effects, strict=True) if effect.upper < -effect.error]
        if all(effect.lower > effect.error for effect in effects):
            return f"is better than {self.baseline} {on}"
        if all(effect.won == effect.lost == 0 for effect in effects):
            return f"scores the same as {self.baseline} {on}, on every topic"
        if len(worse) == len(gates):
            return f"is worse than {self.baseline} {on}, but by less than the margin of {margin}"
        less = f"loses less than the margin of {margin} to {self.baseline} {on}"
        return f"{less}; a loss is shown on {', '.join(worse)}" if worse else f"{less}, if it loses at all"

    def _alarms(self) -> list[str]:
        """Where slices contradict all topics together, or a machine favours a system, in sentences."""
        favours = [] if self.machine is None else self.machine.warnings((self.baseline, self.candidate))
        return [*favours, *([] if self.slices is None else self.slices.alarms())]

    def _labels(self) -> list[str]:
        """Whose labels decide, where they are not those of the judgments alone."""
        return [] if self.machine is None else [visible(self.machine.source())]

    def blocks(self, layer: Layer) -> list[Block]:
        return self._short() if layer == "short" else self._full()

    def _short(self) -> list[Block]:
        """The answer: the outcome, the effect, the topics that lost most, what could be missed, what to do next."""
        others = self._others()
        lost = self.checks[0].lost
        notes = self._beyond()
        tables = sum(2 + len(part.rows) if isinstance(part, Table) else 1 for part in others)
        alarms = [Toned(line, "changes") for line in self._alarms()]
        labels = 0 if self.machine is None else 3 + (self.relative is not None)
        effect = self.checks[0].effect
        labels += 2 * (effect is not None and bool(effect.stand_in))
        spare = LINES - 2 * len(notes) - 3 * len(alarms) - labels - tables + (self.outcome == "regression")
        most = max(1, min(SHORT_ROWS if others else LOST, spare))
        lost = lost[:most] if len(lost) <= LOST else lost  # more were asked for
        blocks = [
            Block("", [Toned(self.sentence(), TONES[self.outcome]), *self._labels(), *alarms]),
            Block("", [*self._effect(), *self._design(), *notes]),
        ]
        if others:
            blocks.append(Block("", others))
        topics = [self._lost_table(lost)] if lost else [f"None: {self.candidate} scores lower on no topic."]
        count = 0 if effect is None else effect.lost
        title = f"Which topics lost most? ({count:,} of {self.checks[0].n_topics:,} lost{self._lost_under()})"
        blocks.append(Block(title, topics))
        return [*blocks, Block("", [*self._missed_shortly(), f"Next: {self._next()}"])]

    def _lost_under(self) -> str:
        """Under whose labels single topics have lost, where that needs words."""
        if self.machine is None:
            return ""
        if self.machine.result.unit == "topic":
            return " under people"
        return visible(f" under people, and {shortened(self.machine.machine, NAME)} elsewhere")

    def _effect(self) -> list[str]:
        """Both means and the difference with its interval, in words and as a bar."""
        check = self.checks[0]
        effect = check.effect
        assert effect is not None
        names = [shortened(visible(name), NAME) for name in (self.baseline, self.candidate)]
        room = max(len("difference"), *map(len, names))
        interval = f"{100 * effect.level:.4g} % interval {bounds(effect.lower, effect.upper)}"
        if effect.ends[0] is None:
            interval = "the same on every topic: no interval" if effect.constant else "no interval"
        p = p_value(effect.pvalue, exact=False)
        marks = {-self.margin: "┊", 0.0: "│"}
        ends = (effect.lower, effect.upper) if math.isfinite(effect.lower) else (effect.difference, effect.difference)
        bar = interval_bar(ends[0], effect.difference, ends[1], width=40, marks=marks)
        legend = "│ marks 0" + (f", ┊ a loss of the margin, {self.margin:.4g}" if self.margin else "")
        share = [] if self.relative is None else [f"  The margin is {self._margin()}."]
        return [
            f"  {names[0]:<{room}}  {check.baseline:7.4f}  baseline",
            f"  {names[1]:<{room}}  {check.candidate:7.4f}  candidate",
            f"  {'difference':<{room}}  {score(effect.difference):>7}  {interval}, {p}",
            Drawing(f"  {'':<{room}}  {bar}"),
            Drawing(f"  {'':<{room}}  {legend}"),
            *share,
        ]

    def _others(self) -> list[str | Table]:
        """Slices and further measures of the short layer, those that do not pass first."""
        parts: list[str | Table] = []
        rows = [(self._where(check), check) for check in self.checks[1:]]
        rows += [(other.measure, other.checks[0]) for other in self.also]
        if not rows:
            return parts
        order = ("regression", "inconclusive", "pass")
        rows.sort(key=lambda row: order.index(row[1].outcome))
        shown = rows[: SHORT_ROWS - bool(self._beyond())]
        cells = [
            [name, Toned(check.outcome, TONES[check.outcome]), f"{check.n_topics}", *_difference_cells(check)]
            for name, check in shown
        ]
        parts.append(Table(["also checked", "outcome", "topics", "difference", "interval"], cells, left=2))
        more = [f"{plural(len(rows) - len(shown), 'more row')}: {output('full')}."] if len(rows) > len(shown) else []
        role = [] if not self.also or self.all_decide else [f"{self.measure} decides, other measures do not."]
        return [*parts, *([" ".join([*more, *role])] if more or role else [])]

    def _lost_table(self, topics: Sequence[LostTopic]) -> Table:
        sliced = any(topic.slices for topic in topics)
        names = [shortened(visible(name), NAME) for name in (self.baseline, self.candidate)]
        header = ["topic", *["slices"] * sliced, *names, "difference"]
        rows = [
            [t.topic, *[", ".join(t.slices)] * sliced, f"{t.baseline:.4f}", f"{t.candidate:.4f}", score(t.difference)]
            for t in topics
        ]
        return Table(header, rows, left=1 + sliced)

    def _missed_shortly(self) -> list[str]:
        """The loss that such a gate reports, in one line."""
        check = self.checks[0]
        if check.reported is None or self._too_large():
            return []
        alike = "that vary like these" if self.machine is None else "labelled like these"
        topics = f"With {plural(check.n_topics, 'topic')} {alike}"
        called = f"would be called REGRESSION in about {100 * POWER:g} % of gates"
        return [f"{topics}, a true loss of about {check.reported:.2g} {called}, a smaller one in fewer."]

    def _next(self) -> str:
        """What to do with the outcome."""
        gate, worst = next(pair for pair in self.deciding if pair[1].outcome == self.outcome)
        if self.outcome == "pass":
            several = self.all_decide and len(self.also) > 0
            on = "these measures" if several else self.measure
            role = f"on {on} the candidate may replace the baseline"
            if self.holes is not None:
                return "rankscope judge-next: judge documents before the candidate replaces the baseline."
            open_ = [*["other measures"] * (not self.also), *["unjudged documents"] * (self.judged is None)]
            return f"{role}; {' and '.join(open_)} were not checked." if open_ else f"{role}."
        if self.outcome == "regression":
            first = f", first at {worst.lost[0].topic}" if worst.lost else ""
            return f"look at the topics that lost{first}; {output('full')} shows the evidence."
        if worst.effect is None:
            return "give the slice more topics, or leave it out."
        if worst.effect.constant:  # a larger margin would not help
            more = f"give at least {worst.settles} topics" if worst.settles else f"allow a loss ({argument('margin')})"
            return f"{more}."
        allow = f"or allow a larger loss ({argument('margin')})"
        return f"{gate._fresh(worst).split('; ')[0]}; {allow}. Exit code 0; {argument('strict', True)} gives 3."

    def _full(self) -> list[Block]:
        """The evidence, one block per question."""
        rows = self.table()[1]
        method = "Student's t" if self.machine is None else self.machine.result.method
        role = [] if not self.also or self.all_decide else [self._role()]
        head = ["checked" if self.also else "topics of", "outcome", "topics", "difference", "interval", "p"]
        checked = Table(head, [[*row[:3], *row[5:]] for row in rows], left=2)
        blocks = [
            Block(
                f"May {self.candidate} replace {self.baseline}?",
                [self.sentence(), *self._labels(), *self._alarms(), *self._rule()],
                [
                    "The interval of the mean difference decides. If it lies above minus the margin: pass; otherwise, "
                    "if it lies below 0: regression; otherwise inconclusive.",
                    "Inconclusive says that there are too few topics, not that the two systems are alike.",
                ],
            ),
            Block(
                "How large is the difference?",
                [*self._effect(), checked, *role, *self._design(), *self._beyond()],
                [
                    f"difference: mean of {self.candidate} minus mean of {self.baseline} on the same topics.",
                    f"About {100 * self.level:.4g} % of such intervals hold the true difference ({method}).",
                ],
            ),
            Block(
                "Which topics lost most?",
                [part for gate, check in self._all_checks() for part in self._lost_parts(gate, check)],
                [
                    "The topics on which the candidate falls furthest below the baseline, for all topics and by slice.",
                    "Single topics are where to look for a cause; they do not decide.",
                ],
            ),
        ]
        if misses := [*self._chance_table(), *self._decided()]:
            blocks.append(
                Block(
                    "What could this gate have missed?",
                    misses,
                    [
                        "How often gates with so many topics and this spread overlook a true loss.",
                        "More topics, or topics with a smaller spread of differences, overlook less.",
                    ],
                )
            )
        if self.slices is not None:
            blocks.append(
                Block(
                    f"Does the difference depend on {self.slices.attribute}?",
                    [Table(*self.slices.rows(), left=1, optional=(5,)), self.slices.dependence(), self.slices.note()],
                    [
                        "The same comparison by slice, with p corrected by Holm's procedure. Shrunken: drawn to the "
                        "mean of all slices. B is the candidate.",
                        "The outcome of each slice is decided by its interval above, not by this table.",
                    ],
                )
            )
        return [
            *blocks,
            Block(
                "How many comparisons are corrected for?",
                self._family(),
                [
                    "One pair that is planned beforehand needs no correction; several slices or measures do.",
                    "So a gate can find a regression where rankscope rank shows no difference.",
                ],
            ),
            Block(
                "How do I report it?",
                [*self._left_out(), self.signature],
                ["The topics that were used, and the signature: how the scores were computed.",
                 "Give the margin, the interval and this signature."],
            ),
        ]  # fmt: skip

    def _all_checks(self) -> list[tuple[Gate, Check]]:
        return [*((self, check) for check in self.checks), *((other, other.checks[0]) for other in self.also)]

    def _lost_parts(self, gate: Gate, check: Check) -> list[str | Table]:
        where = self._where(check)
        count = len(check.lost)
        if not count:
            return [f"{gate.measure}, {where}: no topic lost."]
        return [
            f"{gate.measure}, {where}{gate._lost_under() if check.name == OVERALL else ''}:",
            gate._lost_table(check.lost),
        ]

    def notes(self) -> list[str]:
        """All that is to be known beside the table, in sentences."""
        role = [self._role()] if self.also else []
        return [*self._rule(), *self._misses(), *self._family(), *role, *self._left_out(), self.signature]

    def _rule(self) -> list[str]:
        """The rule of the gate, and its errors."""
        share = f"{100 * (1 - self.level) / 2:.3g} %"
        check = self.checks[0]
        effect = check.effect
        assert effect is not None
        compared = f"{self.measure}, difference = {self.candidate} - {self.baseline}, margin {self._margin()}"
        if effect.constant:
            reason = f"{check.reason[0].upper()}{check.reason[1:]}"
            flips = "Where differences do not vary, sign flips decide: p is 1 / 2 to the power of the number of topics."
            return [f"{compared}.", f"{reason}.", flips]
        close = close_scores(effect.exactly, effect.merged)
        method = "Student" if self.plan is None else "robust t" if not effect.unequal else "sign flips"
        method = method if self.machine is None else self.machine.result.method
        return [
            f"{compared}, {100 * self.level:g} % intervals ({method}).",
            *([f"{close[0].upper()}{close[1:]}."] if close else []),
            f"A loss of the margin or more passes in at most about {share} of gates. A candidate that is no worse is "
            f"called a regression in at most about {share}.",
        ]

    def _family(self) -> list[str]:
        """How many comparisons are corrected for, and why a leaderboard may say less."""
        lines = []
        if len(self.checks) > 1:
            lines.append(f"Slices have Holm's levels, over {plural(len(self.checks) - 1, 'slice')}.")
        if self.all_decide and self.also:
            lines.append(f"Measures have Holm's levels, over {1 + len(self.also)} measures.")
        lines.append(
            "The gate tests this one pair, planned beforehand. rankscope rank corrects for all pairs of its systems, "
            "and may not show a difference between the same two."
        )
        return lines

    def _role(self) -> str:
        """Which measures decide."""
        if self.all_decide:
            return "Every measure decides: one regression is a regression, and a pass needs all of them."
        return f"* {self.measure} decides. The others are shown by the same rule, and do not decide."

    def _left_out(self) -> list[str]:
        lines = [f"{plural(self.left_out, 'topic')} {left_out(self.reasons)}."] if self.left_out else []
        return [*lines, *(f"{note[0].upper()}{note[1:]}." for note in self.on_loading)]

    def _beyond(self) -> list[str]:
        """Notes on the documented threshold, and on a margin or an interval beyond what differences can be."""
        effect = self.checks[0].effect
        lines = next((gate.offer for gate in (self, *self.also) if gate.offer), "").splitlines()
        if self.holes is not None:
            lines.append(" ".join(self.holes.sentences()))
        if self.range is None or effect is None:
            return lines
        if self._too_large():
            lines.append(
                f"The margin of {self.margin:.4g} is too large: the mean of {visible(self.baseline)} is "
                f"{self.checks[0].baseline:.4f}, so no candidate can lose so much on these topics."
            )
        widest = self.range[1] - self.range[0]
        if effect.ends[0] is None or max(-effect.lower, effect.upper) <= widest:
            return lines
        return [
            *lines,
            f"The interval reaches beyond {-widest:g} to {widest:g}, the range of differences of {self.measure}: "
            "Student's interval does not know the range.",
        ]

    def _too_large(self) -> bool:
        """Whether even a candidate with the lowest score on every topic loses less than the margin."""
        return self.range is not None and self.margin > self.checks[0].baseline - self.range[0]

    def _margin(self) -> str:
        points = f"{self.margin:.4g}"
        if self.relative is None:
            return points
        return f"{points} ({100 * self.relative:g} % of the {self.checks[0].baseline:.4f} of {self.baseline})"

    def _misses(self) -> list[str]:
        """Losses that a gate with these topics would miss, in sentences."""
        check = self.checks[0]
        if not check.chances:
            return self._decided()
        losses = _listed([f"{chances.loss:.4g}" for chances in check.chances])
        missed = _listed([percent(chances.missed) for chances in check.chances])
        sentence = (
            f"If the true loss were {losses}, a gate with {check.n_topics} such topics would report no regression in "
            f"about {missed} %."
        )
        return [sentence, *self._decided()]

    def _chance_table(self) -> list[str | Table]:
        """The chances of the outcomes by true loss; nothing where differences do not vary."""
        check = self.checks[0]
        if not check.chances:
            return []
        rows = [[f"{c.loss:.4g}", *map(percent, (c.passed, c.inconclusive, c.regression))] for c in check.chances]
        title = f"Estimated share of outcomes, in %, of gates with {plural(check.n_topics, 'topic')} like these:"
        return [title, Table(["true loss", "pass", "inconclusive", "regression"], rows, left=0)]

    def _decided(self) -> list[str]:
        """The loss that such gates report, and the number of topics that would decide, in sentences."""
        check = self.checks[0]
        lines = []
        sd = "standard deviation " + ("of the differences" if self.machine is None else "that gives this interval")
        if check.reported is not None:
            lines.append(
                f"Such a gate reports a regression in about {100 * POWER:g} % from a true loss of about "
                f"{check.reported:.2g} on ({sd}: {check.sd:.4f})."
            )
        if check.effect is None or check.effect.constant:
            return lines
        if check.outcome == "inconclusive":
            fresh = self._fresh(check)
            lines.append(f"{fresh[0].upper()}{fresh[1:]}.")
            if self.machine is not None:
                lines.append(
                    f"The {100 * POWER:g} % is an average over the true differences that the labels leave open. "
                    f"It takes the errors of {self.machine.machine} and the spread over topics to stay as they are."
                )
                return lines
        if check.settles is not None and check.certain is not None:
            lines.append(
                f"The {100 * POWER:g} % of {check.settles:,} new topics are an average over the true differences "
                f"that the data leave open; about {check.certain:,} would decide whatever the difference, "
                f"if the standard deviation stays {check.sd:.4f}."
            )
        return lines

    def _fresh(self, check: Check) -> str:
        return what_decides(check.settles, self.margin, self.machine if check.name == OVERALL else None)

    def to_markdown(self) -> str:
        """A summary as GitHub shows it."""
        mark = {"pass": "✅", "regression": "❌", "inconclusive": "⚠️"}[self.outcome]
        alarms = [f"**{markdown(line)}**" for line in self._alarms()]
        labels = map(markdown, self._labels())
        parts = [f"### {mark} {markdown(self.sentence())}", *labels, *alarms, markdown_table(*self.table(), left=2)]
        for gate, check in self._all_checks():
            if check.lost:
                where = self._where(check)
                lost = gate._lost_table(check.lost)
                where += gate._lost_under() if check.name == OVERALL else ""
                parts.append(f"Topics that lost most ({markdown(gate.measure)}, {markdown(where)}):")
                parts.append(markdown_table(lost.header, lost.rows, left=lost.left))
        return "\n\n".join([*parts, "  \n".join(map(markdown, self.notes()))])


def what_decides(settles: int | None, margin: float, machine: WithMachine | None) -> str:
    """How many topics of a new set would decide, or how many more labels of people, in words."""
    wanted = f"a new set of {'more than' if settles is None else 'about'} {settles or MOST_TOPICS:,} topics"
    outcome = f"PASS or REGRESSION with a chance of about {100 * POWER:g} %"
    if machine is None:
        return f"{wanted} gives {outcome}"
    p = machine.result
    more = p.to_settle(margin)
    if more is not None:
        return f"human labels for about {plural(more, f'more {p.unit}')} give {outcome}"
    return (
        f"{wanted}, labelled like these, gives {outcome}; human labels for all {p.n_labelled + p.n_unlabelled:,} "
        f"{p.unit}s of {machine.machine} have a smaller chance"
    )


def _plain_topics(check: Check) -> list[dict[str, Any]]:
    return [
        {
            "topic": lost.topic, "baseline": lost.baseline, "candidate": lost.candidate, "difference": lost.difference,
            "slices": list(lost.slices),
        }
        for lost in check.lost
    ]  # fmt: skip


def _difference_cells(check: Check) -> list[str]:
    effect = check.effect
    return ["", ""] if effect is None else [score(effect.difference), effect.interval]


def _cells(name: str, check: Check) -> list[str]:
    """One row of the table."""
    e = check.effect
    more = ["", "", ""] if e is None else [score(e.difference), e.interval, probability(e.pvalue)]
    return [name, check.outcome, f"{check.n_topics}", _shown(check.baseline), _shown(check.candidate), *more]


def _chances(chances: Chances) -> dict[str, float]:
    return {
        "true_loss": chances.loss, "pass": chances.passed, "regression": chances.regression,
        "inconclusive": chances.inconclusive, "missed": chances.missed,
    }  # fmt: skip


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _number_or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _shown(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"
