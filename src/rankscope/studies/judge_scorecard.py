"""The scorecard of judges: one row per judge, and what is printed of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from rankscope.comparisons.effect import TESTS, Test
from rankscope.errors import output, plural
from rankscope.formatting import p_value, probability, visible
from rankscope.layout import Block, Layer, Table, Toned, fitted, latex_table
from rankscope.results import Layered, plain
from rankscope.statistics import Resampling

OUTCOMES = ("kept", "lost", "reversed", "invented", "neither")
MEANINGS = {
    "kept": "shown by the reference, and by the judge for the same system",
    "lost": "shown by the reference alone",
    "reversed": "shown by both, for different systems",
    "invented": "shown by the judge alone",
}
SETTLED = 0.95  # share of the reference's verdicts from which on a panel settles them
_NUMBERS = (
    "exact", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "alpha_interval",
)  # fmt: skip
_TAUS = ("tau", "tau_ap", "tau_top", "tau_close")


@dataclass(frozen=True, slots=True)
class Confusion:
    """Pairs by grade: one row per grade of the reference, one column per grade of the judge."""

    reference: tuple[float, ...]
    judge: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of two judges on the pairs of topic and document that both have judged.

    leniency      share of these pairs that the judge grades above 0, less that of the reference
    mapping       for each grade of the judge the grade of the reference that it stands for: of all mappings that never
                  fall, the one with the highest quadratic kappa
    kappa_mapped  that kappa; the mapping was chosen on the same pairs
    intervals     ends by bootstrap over topics, by name of the number
    """

    pairs: int
    only_reference: int
    only_judge: int
    exact: float
    kappa: float
    kappa_linear: float
    kappa_quadratic: float
    alpha_nominal: float
    alpha_ordinal: float
    alpha_interval: float
    mean_reference: float
    mean_judge: float
    leniency: float
    mapping: Mapping[float, float]
    kappa_mapped: float
    confusion: Confusion
    intervals: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Pairs of systems by what the judge makes of the reference's verdicts: see `MEANINGS`."""

    kept: int
    lost: int
    reversed: int
    invented: int
    neither: int

    @property
    def shown(self) -> int:
        """Pairs that the reference tells apart."""
        return self.kept + self.lost + self.reversed

    @property
    def share(self) -> float:
        """Share of the reference's verdicts that are kept; NaN where it has none."""
        return self.kept / self.shown if self.shown else np.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """One judge against another, which is the reference but in the rows of the human ceiling.

    tau, tau_ap   of the two leaderboards; tau_AP walks the order of the judge
    tau_top       tau among the `n_top` best systems of the reference
    tau_close     the same over the pairs that the reference cannot tell apart: 1 where the judge orders all alike
    left_out      topics that the judge has judged, and that have no score for want of relevant documents
    without_relevant  topics that the judge has judged, and left without relevant documents, scored or not
    """

    judge: str
    reference: str
    agreement: Agreement
    tau: float
    tau_ap: float
    tau_top: float
    tau_close: float
    n_top: int
    pairs_close: int
    fidelity: Fidelity
    fidelity_top: Fidelity
    n_topics: int
    left_out: int
    without_relevant: int
    intervals: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class GroupBias:
    """How much further a judge has a group of systems ahead of all others than the reference has: mean over topics."""

    group: str
    judge: str
    difference: float
    lower: float
    upper: float
    pvalue: float
    pvalue_adjusted: float


@dataclass(frozen=True, slots=True)
class Joint:
    """Krippendorff's alpha of several judges together; the interval is that of the ordinal one."""

    words: str
    judges: tuple[str, ...]
    nominal: float
    ordinal: float
    interval: float
    ends: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Panel:
    """Shares of verdicts under the majority of a random panel of judges: each judge has one vote, a verdict or none.

    kept, reversed  of the pairs that the reference tells apart
    invented        of the other pairs
    """

    size: int
    kept: float
    reversed: float
    invented: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeStudy(Layered):
    """Judges against a reference: agreement on pairs, on leaderboards and on verdicts.

    judges      one row per judge, then the majority and the median of judges on the reference's scale
    ceiling     rows of people against each other, where two or more are marked
    shown       pairs of systems that the reference tells apart
    joint       alpha of several judges together
    panels      by size, what the majority of a random panel of judges makes of the reference's verdicts
    groups      whether judges favour groups of systems, where groups were given
    means       mean scores of the systems by judge
    outcomes    by judge, the outcome of each pair of systems, as a place in `OUTCOMES`
    """

    reference: str
    measure: str
    systems: tuple[str, ...]
    n_topics: int
    test: Test
    family_wise: bool
    alpha: float
    level: float
    judges: tuple[JudgeRow, ...]
    ceiling: tuple[JudgeRow, ...]
    humans: tuple[str, ...]
    shown: int
    joint: tuple[Joint, ...]
    panels: tuple[Panel, ...]
    groups: tuple[GroupBias, ...]
    means: Mapping[str, tuple[float, ...]] = field(repr=False)
    outcomes: Mapping[str, tuple[int, ...]] = field(repr=False)
    undefined: str
    notes: tuple[str, ...]
    signature: str
    resampling: Resampling
    aggregates: tuple[str, ...] = ()

    def row(self, judge: str) -> JudgeRow:
        """Row of a judge, by name."""
        return next(row for row in self.judges if row.judge == judge)

    @property
    def settling(self) -> int | None:
        """Fewest judges of a panel that keeps 95 % of the reference's verdicts on average; None where none does."""
        return next((panel.size for panel in self.panels if panel.kept >= SETTLED), None)

    # shapes

    def columns(self) -> dict[str, list[Any]]:
        """One row per judge."""
        rows = [_flat(row) for row in self.judges]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        fields = Layered.to_dict(self)
        return {
            **fields,
            "judges": [plain(asdict(row)) for row in self.judges],
            "ceiling": [plain(asdict(row)) for row in self.ceiling],
            "settling": self.settling,
            "outcomes": {judge: [OUTCOMES[code] for code in codes] for judge, codes in self.outcomes.items()},
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per judge: what a paper's table has."""
        header = ["judge", "pairs", "exact", "kappa", "linear", "quadratic", "alpha", "tau", "tau_AP", "top",
                  *OUTCOMES[:4]]  # fmt: skip
        rows = [
            [row.judge, f"{row.agreement.pairs:,}",
             *(_number(getattr(row.agreement, name)) for name in (*_NUMBERS[:4], "alpha_ordinal")),
             *(_number(getattr(row, name)) for name in _TAUS[:3]),
             *_counts(row.fidelity)]
            for row in (*self.judges, *self.ceiling)
        ]  # fmt: skip
        for cells, row in zip(rows[len(self.judges) :], self.ceiling, strict=True):
            cells[0] = f"{row.judge} against {row.reference}"
        return header, rows

    def text_columns(self) -> int:
        return 1

    def caption(self) -> str:
        """Caption of the table."""
        best = min(10, len(self.systems))
        return (
            f"Judges against {self.reference}: {self.measure} of {plural(len(self.systems), 'system')} on "
            f"{plural(self.n_topics, 'topic')}. Exact agreement, Cohen's kappa and Krippendorff's ordinal alpha are on "
            f"judged pairs; top is tau among the {best} best systems of {self.reference}; the last columns count pairs "
            f"of systems ({self._tested()}). {self.signature}"
        )

    def to_latex(self) -> str:
        """A booktabs table."""
        return latex_table(*self.table(), caption=self.caption(), left=1)

    # words

    def _tested(self) -> str:
        if self.family_wise:
            return f"step-down MaxT over all pairs, p < {self.alpha:g}"
        return f"{TESTS[self.test]}, p < {self.alpha:g}, not corrected"

    def blocks(self, layer: Layer) -> list[Block]:
        """Printed blocks of a layer; the answer is first."""
        if layer == "short":
            return self._short()
        parts = [Block("", self._answer()), self._verdicts(), self._leaderboards(), self._pairs()]
        if self.ceiling:
            parts.append(self._ceiling())
        parts.append(self._together())
        if self.groups:
            parts.append(self._favoured())
        return [*parts, self._confusions(), self._report()]

    def _answer(self) -> list[str]:
        """The verdict in two or three sentences."""
        pairs = len(self.systems) * (len(self.systems) - 1) // 2
        own = [row for row in self.judges if row.judge not in self.aggregates]
        if not self.shown:
            inventors = sum(row.fidelity.invented > 0 for row in own)
            return [
                Toned(f"{self.reference} shows no difference between these systems on {self.measure}.", "strong"),
                f"{inventors} of {plural(len(own), 'other judge')} show one.",
            ]
        shares = sorted(row.fidelity.share for row in own)
        kept = f"{_percent(shares[0])}" if len(own) == 1 else f"{_percent(shares[0])} to {_percent(shares[-1])}"
        first = (
            f"Of the {plural(self.shown, 'difference')} that {self.reference} shows on {self.measure}, "
            f"{'the other judge keeps' if len(own) == 1 else f'the {len(own)} other judges keep'} {kept}."
        )
        turned = {row.judge: row.fidelity.reversed for row in own if row.fidelity.reversed}
        invented = sorted(row.fidelity.invented for row in own)
        rest = pairs - self.shown
        second = (
            "No judge reverses one"
            if not turned
            else " and ".join(f"{judge} reverses {count}" for judge, count in list(turned.items())[:2])
            + (f", {len(turned) - 2} more judges some" if len(turned) > 2 else "")
        )
        made = f"{invented[0]}" if invented[0] == invented[-1] else f"{invented[0]} to {invented[-1]}"
        return [
            Toned(first, "strong"),
            f"{second}; on the other {rest:,} pairs {'it shows' if len(own) == 1 else 'each shows'} {made} "
            f"{'difference' if made == '1' else 'differences'} of its own.",
        ]

    def _short(self) -> list[Block]:
        """The answer, the judges that keep most, and what people and panels reach, on one screen."""
        rows = sorted(self.judges, key=lambda row: (-_or_zero(row.fidelity.share), row.fidelity.reversed, row.judge))
        header = ["judge", "kappa", "tau", f"top {rows[0].n_top}", *OUTCOMES[:4]]
        cells = [
            [row.judge, _number(row.agreement.kappa_quadratic, 2), _number(row.tau, 2), _number(row.tau_top, 2),
             *_counts(row.fidelity)]
            for row in rows
        ]  # fmt: skip
        title = f"{plural(len(self.systems), 'system')}, {plural(self.n_topics, 'topic')}; {self._tested()}"
        notes = ["kappa: quadratic, of grades; tau: of leaderboards; the rest: pairs of systems."]
        if self.ceiling:
            notes.append(self._ceiling_line())
        if self.panels:
            notes.append(self._panel_line())
        if seen := self._seen_groups():
            notes.append(seen)

        def blocks(count: int) -> list[Block]:
            lines: list[str | Table] = [Table(header, cells[:count])]
            if len(cells) > count:
                lines.append(f"{plural(len(cells) - count, 'more judge')} below these; {output('full')} shows all.")
            return [Block("", self._answer()), Block(title, lines), Block("", [*notes, f"Next: {self._next()}"])]

        return fitted(blocks, len(cells))

    def _next(self) -> str:
        turned = [row for row in self.judges if row.fidelity.reversed]
        if turned:
            return f"report verdicts that reverse; {output('full')} has every judge."
        return f"report the share kept, not kappa alone; {output('full')} has every judge."

    def _ceiling_line(self) -> str:
        if not self.ceiling:
            return ""
        share = np.mean([_or_zero(row.fidelity.share) for row in self.ceiling])
        kappa = np.mean([row.agreement.kappa_quadratic for row in self.ceiling])
        tau = np.mean([row.tau for row in self.ceiling])
        people = f"{self.ceiling[0].judge} against {self.ceiling[0].reference}" if len(self.ceiling) == 1 else "people"
        return f"Human ceiling ({people}): kappa {kappa:.2f}, tau {tau:.2f}, {_percent(float(share))} of verdicts kept."

    def _panel_line(self) -> str:
        if not self.panels:
            return ""
        size, last = self.settling, self.panels[-1]
        if size is None:
            return (
                f"The majority of the verdicts of {last.size} judges keeps {_percent(last.kept)}; no panel keeps "
                f"{_percent(SETTLED)}."
            )
        judges = "One judge keeps" if size == 1 else f"The majority of the verdicts of {size} judges keeps"
        return f"{judges} {_percent(SETTLED)} or more of the verdicts on average."

    def _seen_groups(self) -> str:
        seen = [row for row in self.groups if row.pvalue_adjusted < self.alpha]
        if not self.groups:
            return ""
        if not seen:
            return "No judge is shown to favour a group of systems."
        worst = min(seen, key=lambda row: row.pvalue_adjusted)
        more = f"; {len(seen) - 1} more such in {output('full')}" if len(seen) > 1 else ""
        favour = "favours" if worst.difference > 0 else "disfavours"
        p = p_value(worst.pvalue_adjusted, exact=False)
        return f"{worst.judge} {favour} {worst.group} by {abs(worst.difference):.4f} ({p}){more}."

    def _verdicts(self) -> Block:
        header = ["judge", "topics", *OUTCOMES[:4], "kept %"]
        rows = [
            [row.judge, str(row.n_topics), *_counts(row.fidelity), _percent(row.fidelity.share)] for row in self.judges
        ]
        lines: list[str | Table] = [Table(header, rows)]
        lines += [f"{word}: {meaning}" for word, meaning in MEANINGS.items()]
        lines += self._left_out()
        top = self.judges[0].fidelity_top
        if (n_top := self.judges[0].n_top) < len(self.systems):
            pairs = n_top * (n_top - 1) // 2
            lines.append(
                f"Near the top: of the {pairs} pairs of its {n_top} best systems {self.reference} "
                f"shows {plural(top.shown, 'difference')}."
            )
            near = [[row.judge, *_counts(row.fidelity_top)] for row in self.judges]
            lines.append(Table(["judge, near the top", *OUTCOMES[:4]], near))
        return Block(
            f"Which verdicts of {self.reference} would another judge keep? ({self._tested()})",
            lines,
            [
                "What it is: every pair of systems is tested under the reference and under the judge.",
                "How to read it: kept and lost say how far verdicts rest on this judge. Reversed ones are worst. Of "
                "many tests without correction some show a difference by chance, under every judge.",
            ],
        )

    def without_relevant(self) -> str:
        """The rule for topics that a judge leaves without relevant documents, and how often it is needed, if it is."""
        rule = "left out under that judge" if self.undefined == "drop" else "scored 0 for every system"
        counts = {row.judge: row.without_relevant for row in self.judges if row.without_relevant}
        return f"topics that a judge leaves without relevant documents, {rule}: {_some(counts)}" if counts else ""

    def _left_out(self) -> list[str]:
        notes = [self.without_relevant() or "no judge leaves a topic without relevant documents", *self.notes]
        return [f"{note[0].upper()}{note[1:]}." for note in notes]

    def _leaderboards(self) -> Block:
        header = ["judge", "tau", "interval", "tau_AP", "top", "interval", "close", "interval"]
        rows = [
            [row.judge, _number(row.tau), _ends(row.intervals["tau"]), _number(row.tau_ap), _number(row.tau_top),
             _ends(row.intervals["tau_top"]), _number(row.tau_close), _ends(row.intervals["tau_close"])]
            for row in self.judges
        ]  # fmt: skip
        return Block(
            "Would the leaderboard be the same?",
            [Table(header, rows, optional=(7, 5)),
             f"top: tau among the {self.judges[0].n_top} best systems of {self.reference}. close: the same over "
             f"the {self.judges[0].pairs_close:,} pairs that {self.reference} cannot tell apart.",
             f"Intervals: {100 * self.level:g} %, {self.resampling.resamples:,} bootstrap samples of topics.",
             *self._agreeing()],
            [
                "What it is: rank correlation of the systems' means under the judge with those under the reference.",
                "How to read it: a high tau over all systems is easy where some are far better than others. Look at "
                "the best systems and at the close pairs, where a new system will be compared. Intervals speak of "
                "leaderboards on as many topics; few topics lower every tau.",
            ],
        )  # fmt: skip

    def _agreeing(self) -> list[str]:
        """What a tau of 1 without an interval says, where there is one."""
        ends = [(getattr(row, name), row.intervals[name][0]) for row in self.judges for name in _TAUS]
        if not any(abs(value) == 1 and np.isnan(lower) for value, lower in ends):
            return []
        share = f"{100 * (1 - (1 - self.level) / 2):.4g} %"
        return [f"A tau of 1 has no interval (-) where {share} of the samples or more have the same tau. "
                "That is no proof that it is 1 on other topics."]  # fmt: skip

    def _pairs(self) -> Block:
        header = ["judge", "pairs", "exact", "kappa", "linear", "quadr.", "interval", "alpha", "lenient", "mapped"]
        rows = []
        for row in self.judges:
            a = row.agreement
            rows.append([
                row.judge, f"{a.pairs:,}", _number(a.exact), _number(a.kappa), _number(a.kappa_linear),
                _number(a.kappa_quadratic), _ends(a.intervals["kappa_quadratic"]), _number(a.alpha_ordinal),
                f"{a.leniency:+.2f}", _number(a.kappa_mapped),
            ])  # fmt: skip
        return Block(
            "Do judges give the same grades?",
            [Table(header, rows, optional=(6, 4, 3)),
             "lenient: share of pairs graded above 0, less that of the reference. mapped: highest quadratic kappa of "
             "all mappings of the judge's grades onto the reference's scale that never fall."],
            [
                "What it is: agreement on pairs of topic and document that both have judged. Kappa is Cohen's, alpha "
                "is Krippendorff's ordinal one; 1 is perfect, 0 is what chance gives.",
                "How to read it: grades on another scale agree badly as they are; then look at mapped. Agreement on "
                "grades does not say which verdicts are kept.",
            ],
        )  # fmt: skip

    def _ceiling(self) -> Block:
        header = ["people", "pairs", "exact", "quadratic", "alpha", "tau", "top", "kept %", "reversed"]
        rows = [
            [f"{row.judge} against {row.reference}", f"{row.agreement.pairs:,}", _number(row.agreement.exact),
             _number(row.agreement.kappa_quadratic), _number(row.agreement.alpha_ordinal), _number(row.tau),
             _number(row.tau_top), _percent(row.fidelity.share), str(row.fidelity.reversed)]
            for row in self.ceiling
        ]  # fmt: skip
        return Block(
            "How well do people agree with each other?",
            [Table(header, rows)],
            [
                "What it is: judges that are marked as people, compared with each other as above.",
                "How to read it: this is the line to compare with. A machine that agrees with the reference as well as "
                "people agree with each other is no worse than another person, on these numbers.",
            ],
        )

    def _together(self) -> Block:
        lines: list[str | Table] = []
        if self.joint:
            rows = [[j.words, _number(j.nominal), _number(j.ordinal), _ends(j.ends), _number(j.interval)]
                    for j in self.joint]  # fmt: skip
            interval = f"{100 * self.level:g} % interval"
            lines.append(Table(["alpha of", "nominal", "ordinal", interval, "on differences"], rows))
        if self.panels:
            sizes = [[str(p.size), _percent(p.kept), _percent(p.reversed), _percent(p.invented)] for p in self.panels]
            lines += [Table(["judges of a panel", "kept", "reversed", "invented"], sizes, left=0), self._panel_line()]
        if self.aggregates:
            lines.append(
                "Majorities and medians of grades are rows of the tables above, of judges on the reference's scale. Of "
                "grades that are equally frequent the lowest counts; of two middle grades the lower."
            )
        return Block(
            "What do all judges say together?",
            lines or ["One other judge: there is nothing to put together."],
            [
                "What it is: alpha of all judges with grades on one scale; and panels of judges drawn at random. More "
                "than half of a panel must show a difference for the same system.",
                "How to read it: kept is a share of the reference's verdicts, invented a share of its other pairs. A "
                "panel averages out what judges get wrong each in its own way, not what all of them get wrong.",
            ],
        )

    def _favoured(self) -> Block:
        header = ["group", "judge", "difference", "interval", "p", "Holm's p"]
        rows = [
            [row.group, row.judge, f"{row.difference:+.4f}", f"[{row.lower:+.4f}, {row.upper:+.4f}]",
             probability(row.pvalue), probability(row.pvalue_adjusted)]
            for row in self.groups
        ]  # fmt: skip
        return Block(
            "Does a judge favour a group of systems?",
            [Table(header, rows, left=2), "Positive: the judge has the group further ahead of all others than the "
             f"reference has. p: Student's paired t over topics; Holm over all {len(self.groups)} rows."],
            [
                "What it is: the interaction of judge and group. For each topic, the mean of the group less that of "
                "all other systems, under the judge less under the reference.",
                "How to read it: a judge that spreads systems less than the reference brings strong groups closer to "
                "the others, too. Compare the group with one of similar strength before speaking of favour.",
            ],
        )  # fmt: skip

    def _confusions(self) -> Block:
        lines: list[str | Table] = []
        for row in self.judges:
            c = row.agreement.confusion
            if row.judge in self.aggregates:
                continue
            if len(c.judge) > 10:
                lines.append(f"{row.judge}: {len(c.judge)} different grades, too many for a table here.")
                continue
            header = [visible(row.judge), *(f"{g:g}" for g in c.judge)]
            lines.append(Table(header, [[f"{g:g}", *(f"{n:,}" for n in counts)]
                                        for g, counts in zip(c.reference, c.counts, strict=True)]))  # fmt: skip
            steps = ", ".join(f"{a:g} as {b:g}" for a, b in row.agreement.mapping.items())
            lines.append(f"best mapping: {steps}")
        return Block(
            f"Which grades stand for which? (rows: {self.reference}; columns: the judge)",
            lines,
            [
                "What it is: how many pairs have each grade of the reference and of the judge.",
                "How to read it: counts above and below the diagonal show whether a judge is lenient or strict.",
            ],
        )

    def _report(self) -> Block:
        own = [row for row in self.judges if row.judge not in self.aggregates]
        shares = [row.fidelity.share for row in own]
        text = (
            f"We replaced the judgments of {self.reference} by those of {plural(len(own), 'other judge')}, and "
            f"compared {plural(len(self.systems), 'system')} by {self.measure} on {plural(self.n_topics, 'topic')}. "
            f"{self.reference} shows {plural(self.shown, 'difference')} ({self._tested()}). "
        )
        if self.shown:
            text += f"Of these, {_percent(min(shares))} to {_percent(max(shares))} are kept (Otero et al. 2025). "
        return Block(
            "How do I report it?",
            [f"{text}Signature: {self.signature}",
             "E. M. Voorhees (2000). Variations in relevance judgments and the measurement of retrieval effectiveness. "
             "Information Processing & Management 36(5), 697-716.",
             "D. Otero, J. Parapar, A. Barreiro (2025). Limitations of automatic relevance assessments with large "
             "language models for fair and reliable retrieval evaluation. SIGIR."],
            [
                "What it is: the result in the words of a paper.",
                "How to read it: name the reference and every judge; of a machine, model, prompt and date.",
            ],
        )  # fmt: skip


def _flat(row: JudgeRow) -> dict[str, Any]:
    """A row of plain values."""
    a = row.agreement
    cells: dict[str, Any] = {"judge": row.judge, "reference": row.reference, "n_topics": row.n_topics,
                             "left_out": row.left_out, "pairs": a.pairs}  # fmt: skip
    for name in ("only_reference", "only_judge"):
        cells[name] = getattr(a, name)
    for names, source in ((_NUMBERS, a), (_TAUS, row)):
        for name in names:
            lower, upper = source.intervals[name]
            cells |= {name: getattr(source, name), f"{name}_lower": lower, f"{name}_upper": upper}
    cells |= {name: getattr(a, name) for name in ("mean_reference", "mean_judge", "leniency", "kappa_mapped")}
    cells |= {name: getattr(row.fidelity, name) for name in OUTCOMES}
    return cells | {f"top_{name}": getattr(row.fidelity_top, name) for name in OUTCOMES}


def _counts(fidelity: Fidelity) -> list[str]:
    return [str(getattr(fidelity, name)) for name in OUTCOMES[:4]]


def _number(value: float, decimals: int = 3) -> str:
    return "-" if not np.isfinite(value) else f"{value:.{decimals}f}"


def _or_zero(value: float) -> float:
    return value if np.isfinite(value) else 0.0


def _percent(share: float) -> str:
    return "-" if not np.isfinite(share) else f"{100 * share:.0f} %"


def _ends(ends: tuple[float, float]) -> str:
    return "-" if not np.isfinite(ends).all() else f"[{ends[0]:.2f}, {ends[1]:.2f}]"


def _some(counts: Mapping[str, int], most: int = 4) -> str:
    names = [f"{name} {count}" for name, count in list(counts.items())[:most]]
    return ", ".join(names) + (f" and {len(counts) - most} more" if len(counts) > most else "")
