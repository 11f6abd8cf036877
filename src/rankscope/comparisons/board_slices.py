"""Slices of topics in a ranking: means and groups of systems by slice, and whether differences depend on the slice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.comparisons.effect import paired_scores
from rankscope.comparisons.scored import FEWEST, Sample, Scored
from rankscope.comparisons.slices import LISTED, attribute_words, caution_on, dependence_of, interaction_of
from rankscope.errors import output, plural
from rankscope.layout import Block, Table
from rankscope.progress import heard
from rankscope.results import Result, records
from rankscope.statistics import letters
from rankscope.statistics.families.clustered_hsd import cluster_matrix
from rankscope.statistics.families.comparisons import Comparisons
from rankscope.statistics.families.interaction import Interaction, profile_interaction

_BESIDE = 3  # slices beside each other in the full layer


@dataclass(frozen=True, slots=True, eq=False)
class BoardSlice:
    """Systems on some topics, in the order of the ranking on all topics.

    letters   systems that share one are not shown to differ on these topics; None where there are too few topics
    groups    how many letters there are
    best      how many systems are not ruled out as best on these topics
    reversed  pairs shown to differ here in the other direction than on all topics, the better one here first
    """

    name: str
    n_topics: int
    mean: Floats
    sample: Sample
    letters: tuple[str, ...] | None = None
    groups: int = 0
    best: int = 0
    reversed: tuple[tuple[str, str], ...] = ()

    def cell(self, system: int) -> str:
        """Mean and letters of a system."""
        mean = "-" if np.isnan(self.mean[system]) else f"{self.mean[system]:.4f}"
        return mean if self.letters is None else f"{mean} {self.letters[system]}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardSlices(Result):
    """A ranking by slices of topics.

    by              the attribute, or "slices" where they were listed
    interaction     test that differences between systems are the same in all slices; None where it cannot be computed
    no_interaction  why it cannot
    alpha           significance level over all slices; each has its share
    meaning         what the attribute is, where it is a computed one
    """

    by: str
    measure: str
    systems: tuple[str, ...]
    slices: tuple[BoardSlice, ...]
    interaction: Interaction | None
    no_interaction: str
    alpha: float
    meaning: str = ""

    def columns(self) -> dict[str, list[Any]]:
        """One row per slice and system."""
        rows = [(part, s) for part in self.slices for s in range(len(self.systems))]
        return {
            "slice": [part.name for part, _ in rows],
            "n_topics": [part.n_topics for part, _ in rows],
            "system": [self.systems[s] for _, s in rows],
            "mean": [None if np.isnan(part.mean[s]) else float(part.mean[s]) for part, s in rows],
            "group": [None if part.letters is None else part.letters[s] for part, s in rows],
        }

    def alarms(self) -> list[str]:
        """Pairs of systems whose order is reversed in a slice, in sentences."""
        parts = [part for part in self.slices if part.reversed]
        if not parts:
            return []
        better, worse = parts[0].reversed[0]
        count = sum(len(part.reversed) for part in parts)
        more = f" So it is for {plural(count - 1, 'more pair')} of systems and slices." if count > 1 else ""
        of = "" if self.by == LISTED else f" of {self.by}"
        where = "a slice" if len(parts) == 1 else f"{len(parts)} slices"
        return [
            f"REVERSED in {where}{of}: {better} is shown to score higher than {worse} on {parts[0].name!r}, "
            f"but lower on all topics.{more}"
        ]

    def dependence(self) -> str:
        """The test of interaction, in one sentence."""
        return dependence_of(
            "order", attribute_words(self.by, self.meaning), self.interaction, self.no_interaction, self.alpha
        )

    def note(self) -> str:
        """The significance level of the groups of each slice."""
        count = sum(part.letters is not None for part in self.slices)
        each = f", {self.alpha / count:.3g} in each" if count > 1 else ""
        caution = caution_on(self.meaning)
        return (
            f"Groups of slices: significance level {self.alpha:g} over {plural(count, 'slice')} (Bonferroni){each}."
            + f" {caution}." * bool(caution)
        )

    def room(self, most: int) -> int:
        """Lines of the short layer with so many slices at most."""
        return 4 + min(most, len(self.slices))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        interaction = None if self.interaction is None else self.interaction.to_dict()
        return {
            "by": self.by, "alpha": self.alpha, "slices": records(self.columns()), "interaction": interaction,
            "no_interaction": self.no_interaction, "alarms": self.alarms(),
        }  # fmt: skip

    def short_block(self, most: int) -> Block:
        """The leader of each slice, of so many at most, and the test of interaction."""
        rows = []
        for part in self.slices[:most]:
            leader, cells = "", ["", f"too few {part.sample.unit}s"]
            if part.letters is not None:
                first = int(np.argmax(part.mean))
                leader, cells = self.systems[first], [f"{part.mean[first]:.4f}", f"{part.best} of {len(self.systems)}"]
            rows.append([part.name, leader, f"{part.n_topics:,}", *cells])
        more = [f"{len(self.slices) - len(rows)} more: {output('full')}."] if len(rows) < len(self.slices) else []
        table = Table([self.by, "leads", "topics", self.measure, "not ruled out as best"], rows, left=2)
        return Block("", [table, " ".join([self.dependence(), *more])])

    def block(self) -> Block:
        """Means and groups on each slice, and the test of interaction."""
        tables = []
        for i in range(0, len(self.slices), _BESIDE):
            parts = self.slices[i : i + _BESIDE]
            rows = [[name, *(part.cell(s) for part in parts)] for s, name in enumerate(self.systems)]
            tables.append(Table(["system", *(f"{part.name} ({part.n_topics:,})" for part in parts)], rows, left=1))
        few = [f"{x.name} ({x.sample}; {x.sample.fewest} are the least)" for x in self.slices if x.letters is None]
        fewest = [f"No groups on {', '.join(few)}."] if few else []
        return Block(
            f"Does the order depend on {attribute_words(self.by, self.meaning)}?",
            [*self.alarms(), self.dependence(), *tables, self.note(), *fewest],
            [
                "Means of the systems by slice of topics, whose number is in brackets. Systems that share a letter are "
                "not shown to differ on that slice.",
                "The test comes first: without it, another order in a slice may be due to chance. Slices differ in "
                "difficulty: compare systems within a slice.",
            ],
        )


def board_slices(
    table: Scored,
    groups: Mapping[str, Ints],
    all_pairs: Callable[[Scored], Comparisons],
    *,
    by: str,
    alpha: float,
    compared: Comparisons,
    progress: Callable[[float], Any] | None = None,
) -> BoardSlices:
    """The ranking on each slice.

    table      scores of systems in the order of the ranking
    groups     rows of the topics of each slice
    all_pairs  comparisons of all pairs, on the topics of a slice
    compared   the same on all topics
    progress   hears which share of the slices is done
    """
    parts = [(name, table.at_rows(rows)) for name, rows in groups.items()]
    enough = [(name, part) for name, part in parts if not part.sample().too_few]
    share = alpha / max(1, len(enough))
    slices = []
    for name, part in heard(iter(parts), len(parts), progress):
        mean = part.mean() if part.topics else np.full(len(table.systems), np.nan)
        row = BoardSlice(name, len(part.topics), mean, part.sample())
        if not row.sample.too_few:
            row = _ranked(row, table.systems, all_pairs(part), share, compared, alpha)
        slices.append(row)
    interaction, reason = _interaction(table, enough, len(parts))
    return BoardSlices(
        by=by, measure=table.measure, systems=table.systems, slices=tuple(slices), interaction=interaction,
        no_interaction=reason, alpha=alpha,
    )  # fmt: skip


def _ranked(
    row: BoardSlice, systems: Sequence[str], tested: Comparisons, share: float, compared: Comparisons, alpha: float
) -> BoardSlice:
    """A slice with the groups of its systems, and pairs whose order is reversed."""
    groups = letters(tested, share)
    s = len(systems)
    sign, below = np.zeros((s, s)), np.zeros((s, s))
    for result, level, square in ((tested, share, sign), (compared, alpha, below)):
        shown = np.where(result.pvalue < level, np.sign(result.difference), 0)
        square[result.first, result.second], square[result.second, result.first] = shown, -shown
    turned = [(systems[j], systems[i]) for i, j in np.argwhere((sign > 0) & (below < 0)).tolist()]
    best = s - int(np.count_nonzero((sign > 0).any(axis=1)))
    return replace(row, letters=groups.letters, groups=len(groups.groups), best=best, reversed=tuple(turned))


def _interaction(table: Scored, parts: Sequence[tuple[str, Scored]], count: int) -> tuple[Interaction | None, str]:
    """The test of interaction over the slices with enough topics, or why there is none; of two as in `compare`."""
    if count < 2:
        return None, "there is one slice only"
    if len(parts) < 2:
        needed = f"{FEWEST} topics" if table.design is None else f"enough {table.unit}s"
        return None, f"fewer than two slices have {needed}"
    if len(table.systems) == 2:
        robust = {i: paired_scores(part).all_units().robust() for i, (_, part) in enumerate(parts)}
        moments = {i: (error, df) for i, (error, df) in robust.items() if error > 0}
        estimates = [float(np.diff(parts[i][1].mean())[0]) for i in moments]
        return interaction_of(table, parts, estimates, moments)
    influences, units = [], []
    for _, part in parts:
        clusters, weights = (None, None) if part.design is None else (part.design.clusters, part.design.weights)
        values = cluster_matrix(part.value, clusters, weights)
        influences.append((values - values.mean(axis=0)) / len(values))
        units.append(part.at if clusters is None else np.unique(clusters))
    tested = profile_interaction(np.stack([part.mean() for _, part in parts]), influences, units)
    return tested, "" if tested else "differences between the systems do not vary"
