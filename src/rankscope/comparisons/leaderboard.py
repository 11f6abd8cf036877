"""Leaderboard of many systems: means, groups that cannot be told apart, and what is printed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import Floats
from rankscope.comparisons.effect import Effect, close_scores
from rankscope.comparisons.holes import HoleWarning, warning_lines, warnings_block
from rankscope.comparisons.repeats import components_block
from rankscope.comparisons.scored import left_out
from rankscope.errors import output, plural
from rankscope.formatting import bounds, markdown, p_value, probability, score, short_probability, visible
from rankscope.layout import Block, Layer, Table, Tone, Toned, interval_bar, markdown_table
from rankscope.results import Layered, plain, records
from rankscope.statistics.equality import places
from rankscope.statistics.families.bootstrap_max_t import LIMIT
from rankscope.statistics.families.corrections import Correction
from rankscope.statistics.replications.repeated_runs import VarianceComponents

if TYPE_CHECKING:
    from rankscope.comparisons.board_slices import BoardSlices

LETTERED = 52  # groups whose letters are shown in tables: a to z, A to Z
MOST_ROWS, FIRST_ROWS = 12, 10  # systems that the short layer shows all of, and the first ones of more
BESIDE_BASELINE = 9, 7  # the same where there is a baseline
MARKS = "†‡§¶"  # of a difference from the first baseline, the second, ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgainstBaseline:
    """Each system against the baseline, in the order of the ranking; the baseline itself has no entry (None).

    intervals  of the differences, for all comparisons at once with confidence `level`; each excludes 0 just where the
               adjusted p value is below 1 - level. Only Bonferroni's correction of t has them: None with any other,
               and where a difference is the same on every topic
    """

    baseline: str
    correction: Correction
    method: str  # the test
    effects: tuple[Effect | None, ...]  # system - baseline
    adjusted: tuple[float, ...]  # NaN for the baseline
    level: float
    intervals: tuple[tuple[float, float] | None, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaderboard(Layered):
    """Systems from the best to the last under one measure, with what is known about their places.

    lower, upper  interval of each mean over topics, with confidence `level`; no basis for comparing two systems, which
                  are paired
    of_means      method of these intervals
    best, worst   the places that are possible, all at once, by the comparisons of all pairs
    letters       systems that share one cannot be told apart at alpha, family-wise; tables show them up to `LETTERED`
                  groups, beyond which a row would have too many to be read
    unsettled     pairs whose p value is so close to alpha that more resamples could put it on the other side: the 99 %
                  interval of the p value, for the resamples drawn, holds alpha
    against       every other system against the first baseline, where there is one
    baselines     the same for every baseline
    compared      comparisons with baselines, over which their p values are corrected
    also          means under further measures, (M, S)
    further       leaderboards of these measures where they were tested, each on the topics that it has
    n_measures    measures that alpha was divided by
    range         lowest and highest value of the measure, where it is known
    offer         the documented threshold of a known data set, where a measure has another one
    design        clusters and weights of the topics, in a sentence
    components    variances of scores by their sources, where systems are several runs
    slices        means and groups by slice of topics, where these were asked for
    judged        share of each system's documents that are judged, as far down as the measure looks; None for scores
    holes         warnings about pairs of the leader, or of the baselines, that unjudged documents may decide
    """

    measure: str
    systems: tuple[str, ...]
    mean: Floats
    lower: Floats
    upper: Floats
    of_means: str = "Student"
    best: tuple[int, ...]
    worst: tuple[int, ...]
    letters: tuple[str, ...]
    groups: int
    pvalues: Floats  # of all pairs, in this order
    alpha: float
    level: float
    method: str
    n_topics: int
    left_out: int
    signature: str
    reasons: Mapping[str, int] = field(default_factory=dict)  # why topics were left out, see `scored.REASONS`
    also: tuple[str, ...] = ()
    also_mean: Floats
    against: AgainstBaseline | None = None
    baselines: tuple[AgainstBaseline, ...] = ()
    compared: int = 0
    unsettled: tuple[tuple[str, str], ...] = ()
    further: tuple[Leaderboard, ...] = ()
    n_measures: int = 1
    range: tuple[float, float] | None = None
    offer: str = ""
    design: str = ""
    components: VarianceComponents | None = None
    slices: BoardSlices | None = None
    judged: Floats | None = None
    holes: tuple[HoleWarning, ...] = ()

    @property
    def interval(self) -> str:
        """Name of the intervals of the means."""
        return f"{100 * self.level:g} % interval"

    def columns(self) -> dict[str, list[Any]]:
        """One row per system, from the best to the last."""
        columns: dict[str, list[Any]] = {
            "rank": list(range(1, len(self.systems) + 1)),
            "system": list(self.systems),
            "mean": self.mean.tolist(),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "best_rank": list(self.best),
            "worst_rank": list(self.worst),
            "group": list(self.letters),
        }
        if self.judged is not None:
            columns["judged"] = self.judged.tolist()
        if self.against is not None:
            effects = self.against.effects
            columns["difference"] = [None if e is None else e.difference for e in effects]
            if self.against.intervals is not None:
                columns["difference_lower"] = [None if ends is None else ends[0] for ends in self.against.intervals]
                columns["difference_upper"] = [None if ends is None else ends[1] for ends in self.against.intervals]
            columns["pvalue"] = [None if e is None else e.pvalue for e in effects]
            columns["pvalue_adjusted"] = [None if p != p else p for p in self.against.adjusted]
        for other in self.baselines[1:]:
            columns[f"difference from {other.baseline}"] = [None if e is None else e.difference for e in other.effects]
            columns[f"pvalue from {other.baseline}"] = [None if e is None else e.pvalue for e in other.effects]
            columns[f"pvalue_adjusted from {other.baseline}"] = [None if p != p else p for p in other.adjusted]
        for name, means in zip(self.also, self.also_mean.tolist(), strict=True):
            columns[name] = means
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {
            "measure": self.measure,
            "n_topics": self.n_topics,
            "left_out": self.left_out,
            "left_out_because": dict(self.reasons),
            "method": self.method,
            **({"design": self.design} if self.design else {}),
            "alpha": self.alpha,
            "level": self.level,
            "baseline": None if self.against is None else self.against.baseline,
            "baselines": [other.baseline for other in self.baselines],
            "compared": self.compared,
            "correction": None if self.against is None else self.against.correction,
            "difference_level": (
                None if self.against is None or self.against.intervals is None else self.against.level
            ),
            "unsettled": [list(pair) for pair in self.unsettled],
            **({"components": plain(self.components)} if self.components is not None else {}),
            "holes": [asdict(warning) for warning in self.holes],
            "signature": self.signature,
            "systems": records(self.columns()),
            "further": [board.to_dict() for board in self.further],
            **({} if self.slices is None else {"slices": self.slices.to_dict()}),
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        primary = f"{self.measure} *" if self.also else self.measure
        lettered = self.groups <= LETTERED
        header = ["rank", "places", "system", *["group"] * lettered, primary, self.interval]
        rows = []
        for s, name in enumerate(self.systems):
            places = f"{self.best[s]}-{self.worst[s]}" if self.best[s] != self.worst[s] else f"{self.best[s]}"
            interval = bounds(float(self.lower[s]), float(self.upper[s]))
            group = [self.letters[s]] * lettered
            rows.append([f"{s + 1}", places, name, *group, f"{self.mean[s]:.4f}", interval])
        for mark, against in zip(MARKS, self.baselines, strict=False):
            header.append(f"- {against.baseline}")
            for row, e in zip(rows, against.effects, strict=True):
                row.append("" if e is None else score(e.difference))
            if against.intervals is not None:
                header.append(f"{100 * against.level:g} % interval of all")
                for row, ends in zip(rows, against.intervals, strict=True):
                    row.append("" if ends is None else bounds(*ends))
            header += [f"p ({against.correction})", ""]
            for row, e, p in zip(rows, against.effects, against.adjusted, strict=True):
                row += ["", "baseline"] if e is None else [probability(p), mark if p < self.alpha else ""]
        for m, name in enumerate(self.also):
            header.append(name)
            marks = self.further[m].marks() if self.further else {}
            for row, system, value in zip(rows, self.systems, self.also_mean[m].tolist(), strict=True):
                row.append(f"{_mean_text(value)} {marks.get(system, '')}".rstrip())
        return header, rows

    def to_markdown(self) -> str:
        """A table as GitHub shows it, and what it means."""
        lines = "  \n".join(map(markdown, self.caption().splitlines()))
        return f"{markdown_table(*self.table(), left=4)}\n\n{lines}"

    def to_latex(
        self,
        *,
        columns: Sequence[str] | None = None,
        decimals: int = 4,
        page: bool = False,
        label: str = "tab:results",
    ) -> str:
        """A booktabs table for a paper: means of every measure, the best in bold, tested ones with daggers or letters.

        columns   in this order: measures, rank, system, places, interval, difference, p; the system and all measures
                  unless given
        decimals  of means, intervals and differences
        page      as wide as a page, not as a column of two
        label     for references in the text
        """
        from rankscope.comparisons.paper_table import paper_table

        return paper_table(self, columns=columns, decimals=decimals, page=page, label=label)

    def caption(self) -> str:
        """Caption: meaning of the columns and the method."""
        out = f" ({self.left_out} {left_out(self.reasons)})" if self.left_out else ""
        lines = [
            f"{self.measure}, {plural(self.n_topics, 'topic')}{out}; {plural(len(self.systems), 'system')}.",
            *self._grouped(),
            self._assumed(),
            *self._intervals(),
            *([self.design] if self.design else []),
            *([] if self.slices is None else [*self.slices.alarms(), self.slices.dependence()]),
            *self.offer.splitlines(),
        ]
        if self.unsettled:
            lines.append(self._monte_carlo())
        for mark, board in zip(MARKS, self._by_baseline(), strict=False):
            assert board.against is not None
            lines.append(f"{mark} differs from {board.against.baseline}: {self._baseline_test()}")
            lines += board._baseline_notes()
        if self.also:
            lines.append(f"* {self._also_words()}")
        lines.append(self.signature)
        return "\n".join(map(visible, lines))

    def headline(self) -> str:
        """Who leads, and how many others may be the best, in one sentence."""
        return f"{self.finding()} ({self.tested_how()})."

    def tested_how(self) -> str:
        """Topics, pairs and significance level behind the headline."""
        level = f"{plural(self.n_topics, 'topic')}, {self._pairs()}, significance level {self.alpha:g}"
        return level if len(self.systems) > 2 else f"{p_value(float(self.pvalues[0, 1]), exact=False)}, {level}"

    def finding(self) -> str:
        """The headline without its level, as a clause."""
        (best, *others), measure = self.systems, self.measure
        if len(others) == 1:
            if self.pvalues[0, 1] < self.alpha:
                return f"{best} is better than {others[0]} on {measure}"
            return f"No difference between {best} and {others[0]} is shown on {measure}"
        first = int(np.count_nonzero(places(self.mean) == places(self.mean).max()))
        head = f"{best} leads on {measure}" if first == 1 else f"{first} systems share the highest mean {measure}"
        possible = sum(place == 1 for place in self.best) - 1
        if possible == 0:
            return f"{head}; each of the {len(others)} other systems is ruled out as best"
        some = "none" if possible == len(others) else f"{possible} of {len(others)}"
        can = "can" if possible == len(others) else "cannot"
        other = f"of the {len(others)} other systems" if possible == len(others) else "other systems"
        return f"{head}; {some} {other} {can} be ruled out as best"

    def blocks(self, layer: Layer) -> list[Block]:
        return self._short() if layer == "short" else self._full()

    def notebook_blocks(self) -> list[Block]:
        return self._short(every=True)

    def _short(self, *, every: bool = False) -> list[Block]:
        """The answer: the leader, the first systems or all with their intervals drawn, and what to do next."""
        count = len(self.systems)
        most, first = (MOST_ROWS, FIRST_ROWS) if self.against is None else BESIDE_BASELINE
        room = bool(self.offer) + (len(self.also) > 1) + 2 * len(self.baselines[1:])  # sentences that take a line
        room += 1 + len(self.design) // 76 if self.design else 0
        room += 3 * bool(self.holes)
        alarms = [] if self.slices is None else [Toned(line, "changes") for line in self.slices.alarms()]
        crowded = bool(self.design or self.against is not None or self.also)
        slices = 4 - 2 * crowded - bool(alarms)  # at most
        room += 0 if self.slices is None else self.slices.room(slices) + 2 * len(alarms)
        shown = list(range(count if every or count <= most - room else max(2, first - room)))
        answer: list[str] = [Toned(self.headline(), "strong"), *alarms]
        if self.against is not None:
            answer = [*(Toned(board._against_sentence(), "strong") for board in self._by_baseline()), *answer]
            base = self.systems.index(self.against.baseline)
            shown = shown if base in shown else [*shown[:-1], base]
        more = [f"{plural(count - len(shown), 'more system')}: {output('full')}."] if len(shown) < count else []
        meanings = []
        if self.against is None and self.groups <= LETTERED and count > 2:
            meanings.append("group: systems that share a letter are not shown to differ from each other.")
        meanings.append(f"bar: {self.interval} of the mean (●) by itself, not a comparison of two systems.")
        meanings += [*([self.design] if self.design else []), *self._beyond(shown), *self.offer.splitlines()]
        if self.also:
            shows = f" {output('full')} shows their {'groups' if self.against is None else 'outcomes'}."
            meanings.append(self._also_words() + (shows if self.further else ""))
        if self.against is not None:
            if len(self.baselines) > 1:
                first_of = f"difference, p and outcome: against {visible(self.against.baseline)}"
                meanings.append(f"{first_of}; {output('full')} has the other baselines.")
            if self.slices is None:  # else the full layer says it
                meanings.append(
                    f"p corrects for {plural(self.compared, 'comparison')}. rankscope compare tests one planned pair "
                    "without this correction."
                )
        elif count == 2:
            meanings.append(self._family())
        return [
            Block("", answer),
            Block("", [self._rows(shown), *more]),
            Block("", [*meanings, *([" ".join(warning_lines(self.holes)[:2])] if self.holes else [])]),
            *([] if self.slices is None else [self.slices.short_block(slices)]),
            Block("", [f"Next: {self._next()}"]),
        ]

    def _rows(self, shown: Sequence[int]) -> Table:
        """A table of some systems, each with its interval drawn on one scale."""
        scale = float(self.lower[shown].min()), float(self.upper[shown].max())
        if self.range is not None:
            scale = max(scale[0], self.range[0]), min(scale[1], self.range[1])
        grouped = self.against is None and self.groups <= LETTERED and len(self.systems) > 2
        width = 26 if self.against is None else 14
        ends = [f"{end:.2f}" for end in scale]
        header = ["rank", "system", *["group"] * grouped, self.measure, ends[0] + ends[1].rjust(width - len(ends[0]))]
        rows: list[list[str]] = []
        for s in shown:
            ends_of_mean = float(self.lower[s]), float(self.mean[s]), float(self.upper[s])
            bar = interval_bar(*ends_of_mean, width=width, scale=scale, marks={})
            rows.append([f"{s + 1}", self.systems[s], *[self.letters[s]] * grouped, f"{self.mean[s]:.4f}", bar])
        if self.against is not None:
            header += ["difference", "p", "outcome"]
            for row, s in zip(rows, shown, strict=True):
                row += self._against_cells(s)
        first = len(header)
        for m, name in enumerate(self.also):
            header.append(name)
            for row, s in zip(rows, shown, strict=True):
                row.append(_mean_text(float(self.also_mean[m, s])))
        return Table(header, rows, left=2 + grouped, optional=range(len(header) - 1, first - 1, -1))

    def _against_cells(self, s: int) -> list[str]:
        """Difference, p value and outcome of a system against the baseline."""
        assert self.against is not None
        effect, p = self.against.effects[s], self.against.adjusted[s]
        if effect is None:
            return ["", "", "baseline"]
        outcome = self.outcome(s)
        tone: Tone = "undecided" if outcome == "not shown" else "changes" if outcome == "worse" else "holds"
        return [score(effect.difference), short_probability(p), Toned(outcome, tone)]

    def outcome(self, s: int) -> str:
        """Whether a system is shown to be better or worse than the baseline; the test and the mean agree on it."""
        assert self.against is not None
        effect, p = self.against.effects[s], self.against.adjusted[s]
        if effect is None:
            return "baseline"
        if p >= self.alpha or effect.lean * effect.difference <= 0:
            return "not shown"
        return "better" if effect.lean > 0 else "worse"

    def marks(self) -> dict[str, str]:
        """Mark of each system: a dagger where it differs from the baseline, else the letters of its groups."""
        if self.against is not None:
            boards = list(zip(MARKS, self._by_baseline(), strict=False))
            shown = ("better", "worse")
            marks = [
                "".join(mark for mark, board in boards if board.outcome(s) in shown) for s in range(len(self.systems))
            ]
            return {name: mark for name, mark in zip(self.systems, marks, strict=True) if mark}
        if self.groups > LETTERED:
            return {}
        return dict(zip(self.systems, self.letters, strict=True))

    def _by_baseline(self) -> list[Leaderboard]:
        """The leaderboard against each baseline."""
        return [replace(self, against=against) for against in self.baselines]

    def _further_words(self) -> dict[str, str]:
        """Outcome of each system against the baseline, else the letters of its groups."""
        if self.against is None:
            return self.marks()
        return {name: self.outcome(s) for s, name in enumerate(self.systems)}

    def _against_sentence(self) -> str:
        """How many systems differ from the baseline, in one sentence."""
        assert self.against is not None
        outcomes = [self.outcome(s) for s in range(len(self.systems))]
        better, worse, same = (outcomes.count(word) for word in ("better", "worse", "not shown"))
        others, name = plural(len(self.systems) - 1, "other system"), self.against.baseline
        if len(self.systems) == 2:
            other = self.systems[0] if self.systems[1] == name else self.systems[1]
            if same:
                return visible(f"No difference between {other} and {name} is shown on {self.measure}.")
            return visible(f"{other} is {'better' if better else 'worse'} than {name} on {self.measure}.")
        return visible(
            f"Of {others}, {better} {_be(better)} better than {name} on {self.measure}, {worse} {_be(worse)} worse; "
            f"for {same} no difference is shown."
        )

    def _next(self) -> str:
        """What to do with the answer."""
        if self.against is None and sum(place == 1 for place in self.best) > 1:
            return (
                "rankscope plan QRELS RUN... --difference D: topics for one planned pair; telling all pairs apart "
                f"takes more. {output('full')} shows the evidence."
            )
        return f"{output('full')} shows every system and the method; {output('latex')} writes the table of a paper."

    def _full(self) -> list[Block]:
        """The evidence, one block per question."""
        count = len(self.systems)
        lettered = self.groups <= LETTERED
        header, rows = self.table()
        kept = 5 + lettered  # before the columns of the baseline and of further measures
        header[kept - 2] = self.measure
        alone = [row[:kept] for row in rows]
        blocks = [
            Block(
                "Which system is best?",
                [
                    self.headline(),
                    f"{plural(self.n_topics, 'topic')}{self._left_out()}, {plural(count, 'system')}.",
                    *([self.design] if self.design else []),
                    *self.offer.splitlines(),
                ],
                [
                    "A system leads when its mean over the topics is the highest. Another system is ruled out as best "
                    "when some system is shown to be better than it.",
                    "A system that is not ruled out may still be worse: these topics do not show it.",
                ],
            ),
            Block(
                "Which systems can be told apart?",
                [Table(header[:kept], alone, left=3 + lettered), *self._grouped()],
                [
                    "One row per system, from the highest mean to the lowest; the interval is that of its mean.",
                    "Look for rows without a common letter: those two systems are shown to differ.",
                ],
            ),
            Block(
                "How sure is each mean?",
                [*self._intervals(), self._assumed(), *([self._monte_carlo()] if self.unsettled else [])],
                [
                    "The interval says which true means agree with the scores of these topics.",
                    "The places and groups, and not the intervals, say whether two systems differ.",
                ],
            ),
        ]
        if self.slices is not None:
            blocks.append(self.slices.block())
        if self.against is not None:
            blocks += [board._baseline_block() for board in self._by_baseline()]
        if self.also:
            words = [board._further_words() for board in self.further]
            head = ["rank", "system"]
            for name in self.also:
                head += [name, *(["group" if self.against is None else "outcome"] if words else [])]
            cells = []
            for s, name in enumerate(self.systems):
                row = [f"{s + 1}", name]
                for m, value in enumerate(self.also_mean[:, s].tolist()):
                    row += [_mean_text(value), *([words[m].get(name, "")] if words else [])]
                cells.append(row)
            blocks.append(
                Block(
                    "What do other measures say?",
                    [Table(head, cells, left=2), self._also_words()],
                    [
                        f"Means under further measures, in the order of {self.measure}.",
                        f"Only {self.measure} decides; choosing among measures afterwards finds differences by chance.",
                    ],
                )
            )
        if self.components is not None:
            blocks.append(components_block(self.components))
        if self.holes:
            blocks.append(warnings_block(self.holes))
        return [
            *blocks,
            Block(
                "How many comparisons are corrected for?",
                [self._family()],
                [
                    "The more pairs are compared, the more of them differ by chance; the correction allows for that.",
                    "So a pair can differ in rankscope compare, which tests one pair, and share a group here.",
                ],
            ),
            Block(
                "How do I report it?",
                [f"All pairs: {self.method}; significance level {self.alpha:g}.", self.signature,
                 f"{output('latex')} writes a table with this method in its caption."],
                [
                    "The method of the groups and places, and the signature: how the scores were computed.",
                    "Give both beside the numbers, so that others can compute the same.",
                ],
            ),
        ]  # fmt: skip

    def _baseline_block(self) -> Block:
        assert self.against is not None
        header = ["rank", "system", "difference", *["interval"] * (self.against.intervals is not None), "p", "outcome"]
        rows: list[list[str]] = []
        for s, name in enumerate(self.systems):
            difference, _, outcome = self._against_cells(s)
            p = "" if self.against.effects[s] is None else probability(self.against.adjusted[s])
            ends = None if self.against.intervals is None else self.against.intervals[s]
            interval = [] if self.against.intervals is None else ["" if ends is None else bounds(*ends)]
            rows.append([f"{s + 1}", name, difference, *interval, p, outcome])
        return Block(
            f"Which systems differ from {self.against.baseline}?",
            [self._against_sentence(), Table(header, rows, left=2),
             f"p and outcome: {self._baseline_test()}", *self._baseline_notes()],
            [
                f"difference: mean of the system minus mean of {self.against.baseline}, on the same topics.",
                "better, worse: shown at the significance level after the correction. not shown: no difference is "
                "shown, which is not the same as equal.",
            ],
        )  # fmt: skip

    def _left_out(self) -> str:
        return f" ({self.left_out} {left_out(self.reasons)})" if self.left_out else ""

    def _pairs(self) -> str:
        """The pairs that are compared, in words."""
        count = len(self.systems)
        return f"all {count * (count - 1) // 2:,} pairs" if count > 2 else "one pair"

    def _family(self) -> str:
        """How many comparisons are corrected for, and that a planned pair needs no correction."""
        count = len(self.systems)
        if count == 2 and self.components is not None:
            return "There is one pair, so nothing is corrected. rankscope compare tests the pair by the same test."
        if count == 2:
            return (
                "There is one pair, so nothing is corrected. rankscope compare tests the same pair by Student's paired "
                "t test; near the significance level the two tests can differ."
            )
        pairs = f"Groups and places correct for {self._pairs()}."
        if self.against is not None:
            baseline = visible(" and ".join(against.baseline for against in self.baselines))
            pairs = f"The comparisons with {baseline} correct for {self.compared:,}; groups for {self._pairs()}."
        return (
            f"{pairs} A pair that was planned before the scores were seen needs no correction: rankscope compare tests "
            "it alone, and can show a difference that this table does not."
        )

    def _baseline_test(self) -> str:
        assert self.against is not None
        compared = plural(self.compared, "comparison")
        correction = f"{self.against.correction.title()} over {compared}"
        return f"{self.against.method}, {correction}, significance level {self.alpha:g}."

    def _baseline_notes(self) -> list[str]:
        assert self.against is not None
        compared = plural(self.compared, "comparison")
        lines = [
            f"No intervals stand beside the differences from {self.against.baseline}: only Bonferroni's correction of "
            "Student's t has intervals that agree with its p values."
            if self.against.intervals is None
            else f"The intervals of the differences from {self.against.baseline} hold for all {compared} at once "
            "(Bonferroni)."
        ]
        effects = [e for e in self.against.effects if e is not None]
        close = close_scores(sum(e.exactly for e in effects), sum(e.merged for e in effects))
        lines += sorted({sentence for e in effects if (sentence := e.stand_in)})
        return [*lines, f"Over all comparisons with {self.against.baseline}: {close}."] if close else lines

    def _also_words(self) -> str:
        """Which measure decides, where several are shown."""
        others = ", ".join(self.also)
        if not self.further:
            return f"{self.measure} decides. {others}: shown, not tested, and no further evidence."
        return f"{self.measure} decides. {others}: tested in the same way, on the same topics."

    def _intervals(self) -> list[str]:
        """What the intervals of the means are."""
        method = f"{self.of_means}{'' if self.components is None else ', over topics and runs'}"
        return [
            f"{self.interval}: of each mean by itself ({method}). Systems share their topics, so overlap does not show "
            "that two systems are alike.",
            *self._beyond(range(len(self.systems))),
        ]

    def _beyond(self, shown: Sequence[int]) -> list[str]:
        """Note on intervals of these systems that reach beyond the range of the measure."""
        if self.range is None:
            return []
        low, high = self.range
        rows = list(shown)
        count = int(np.count_nonzero((self.lower[rows] < low) | (self.upper[rows] > high)))
        if not count:
            return []
        verb = "reaches" if count == 1 else "reach"
        return [
            f"{plural(count, 'interval')} {verb} beyond the range of {self.measure}, {low:g} to {high:g}: Student's "
            "interval does not know the range."
        ]

    def _grouped(self) -> list[str]:
        """Lines on what the comparisons of all pairs say about groups and places."""
        pairs = f"at significance level {self.alpha:g}, corrected for {self._pairs()} ({self.method})"
        if self.groups <= LETTERED:
            lines = [
                f"group: systems that share a letter are not shown to differ {pairs}.",
                "places: the ranks that the same comparisons do not rule out.",
            ]
        else:
            lines = [
                f"places: the ranks that comparisons do not rule out {pairs}.",
                f"group: there are {self.groups:,}, too many to show beyond {LETTERED}; JSON and CSV have them.",
            ]
        if "normal limit" in self.method:
            lines.append(
                f"normal limit: every pair rests on {LIMIT:,} topics or more, so sums of samples are drawn from the "
                "normal distribution to which they tend."
            )
        return lines

    def _assumed(self) -> str:
        """Assumptions of the comparisons of all pairs."""
        if "HSD" in self.method:
            return (
                "assumed: all systems are exchangeable. Where some are near-identical and others are not, false "
                f"differences are more frequent than {self.alpha:g}."
            )
        return (
            "assumed: topics are a random sample, and not few. The chance of any false difference is then about "
            f"{self.alpha:g}, even if some systems are nearly identical."
        )

    def _monte_carlo(self) -> str:
        """Note on the pairs that more resamples could change."""
        count, named = len(self.unsettled), " and ".join(self.unsettled[0])
        pairs = named if count == 1 else f"{count:,} pairs, such as {named}"
        return (
            f"more resamples could change groups and places: p is within Monte Carlo error of {self.alpha:g} (99 %) "
            f"for {pairs}."
        )


def _be(count: int) -> str:
    return "is" if count == 1 else "are"


def _mean_text(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.4f}"
