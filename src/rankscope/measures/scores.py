"""Scores of systems on topics, and their means."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankscope.arguments import one_of, whole_number
from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError, output, plural
from rankscope.layout import Block, Layer, Marked, Table, latex_table, markdown_table
from rankscope.measures.names import measure as named
from rankscope.measures.record import Measure
from rankscope.results import Layered
from rankscope.version import __version__

MOST_ROWS, FIRST_ROWS = 16, 15  # systems that the short layer shows all of, and the first ones of more
FLOOR = 1e-5  # what trec_eval puts for smaller values before it takes a geometric mean


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Means(Layered):
    """Means of scores over topics by measure and system, (M, S).

    labels      names for tables: with the lowest relevant grade where the grades leave a choice
    n_topics    (M, S) how many topics each mean was taken over
    signatures  how the numbers of each measure were computed
    offer       the documented threshold of a known data set, where a measure has another one
    """

    measures: tuple[Measure, ...]
    labels: tuple[str, ...]
    systems: tuple[str, ...]
    value: Floats
    n_topics: Ints
    how: str
    signatures: tuple[str, ...]
    offer: str = ""

    def columns(self) -> dict[str, list[Any]]:
        """Columns measure, system, value, n_topics; one row per measure and system."""
        m, s = self.value.shape
        return {
            "measure": [str(x) for x in self.measures for _ in range(s)],
            "system": list(self.systems) * m,
            "value": self.value.ravel().tolist(),
            "n_topics": self.n_topics.ravel().tolist(),
        }

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{system: {measure: value}}, in plain Python floats."""
        return {
            system: {str(m): float(self.value[i, s]) for i, m in enumerate(self.measures)}
            for s, system in enumerate(self.systems)
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [name, *(number(self.value[i, s], m) for i, m in enumerate(self.measures))]
            for s, name in enumerate(self.systems)
        ]
        return ["system", *self.labels], rows

    def text_columns(self) -> int:
        return 1

    def blocks(self, layer: Layer) -> list[Block]:
        if layer == "short":
            return self._short()
        signatures = shared_signatures(self.signatures)
        return [
            Block(
                "What are the mean scores?",
                [Table(*self.table()), *self.notes()],
                [
                    "One row per system, in the order of the runs; one column per measure. Higher is better.",
                    "A difference between two means can be chance: rankscope compare and rankscope rank test it.",
                ],
            ),
            Block(
                "How were they computed?",
                signatures,
                [
                    "A signature: the measure, its settings, and the rules for ties, missing topics and topics without "
                    "relevant documents.",
                    "Two numbers with the same signature can be compared; rankscope explain says what each part means.",
                ],
            ),
        ]

    def notebook_blocks(self) -> list[Block]:
        from rankscope.statistics.equality import best_first

        header, rows = self._best()
        order = best_first(np.nan_to_num(self.value[0], nan=-math.inf), self.systems)
        about = f"{self.labels[0]}: the highest mean first. Bold: the highest mean of a measure; not tested."
        signatures = shared_signatures(self.signatures) if len(self.signatures) > 1 else list(self.signatures)
        return [Block("", [Table(header, [rows[s] for s in order]), about, *self.notes(), *signatures])]

    def _short(self) -> list[Block]:
        """The table, of the best systems where there are many, and one line each on what it is and what to do next."""
        header, rows = self.table()
        more = []
        if len(rows) > MOST_ROWS:
            from rankscope.statistics.equality import best_first  # the most that evaluate needs of that room

            order = best_first(np.nan_to_num(self.value[0], nan=-math.inf), self.systems)[:FIRST_ROWS]
            rows = [rows[s] for s in order]
            by = f"the {FIRST_ROWS} best by {self.labels[0]} are shown"
            more = [f"{len(self.systems):,} systems, {by}; {output('full')} shows all of them."]
        tests = "rankscope rank says which systems these topics tell apart; " if len(self.systems) > 1 else ""
        last = f"Next: {tests}{output('full')} shows how the numbers were computed."
        return [Block("", [Table(header, rows), *more]), Block("", [*self.notes(), last])]

    def notes(self) -> list[str]:
        """What the means are over, and the documented threshold where another one is used."""
        least, most = int(self.n_topics.min()), int(self.n_topics.max())
        topics = plural(most, "topic") if least == most else f"{least:,} to {most:,} topics"
        kind = "Geometric means" if self.how == "geometric" else "Means"
        counts = "; counts are summed" if any(m.aggregate == "sum" for m in self.measures) else ""
        return [f"{kind} over {topics}{counts}.", *self.offer.splitlines()]

    def _best(self, decimals: int = 4) -> tuple[list[str], list[list[str]]]:
        """The table with the best mean of each measure in bold."""
        from rankscope.statistics.equality import places

        best = np.zeros(self.value.shape, bool)
        for m, measure in enumerate(self.measures):
            if measure.aggregate != "sum" and np.isfinite(self.value[m]).all():
                place = places(self.value[m])
                best[m] = place == place.max()
        rows = [
            [name, *(Marked(number(self.value[i, s], m, decimals), bold=bool(best[i, s]))
                     for i, m in enumerate(self.measures))]
            for s, name in enumerate(self.systems)
        ]  # fmt: skip
        return ["system", *self.labels], rows

    def to_markdown(self) -> str:
        """The table as GitHub shows it, the best mean of each measure in bold."""
        return f"{markdown_table(*self._best())}\n\n{self._caption()}"

    def to_latex(self, *, decimals: int = 4, page: bool = False, label: str = "tab:results") -> str:
        """A booktabs table for a paper, the best mean of each measure in bold; signatures are comments.

        decimals  of means
        page      as wide as a page, not as a column of two
        label     for references in the text
        """
        whole_number("decimals", decimals, 0, 15)
        return latex_table(
            *self._best(decimals), caption=self._caption(), label=label, comments=self.signatures, page=page
        )

    def _caption(self) -> str:
        return f"{self.notes()[0]} The best mean is bold; differences are not tested."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores(Layered):
    """Scores by measure, system and topic, (M, S, T); NaN where a topic was left out for that measure.

    labels           names for tables: with the lowest relevant grade where the grades leave a choice
    signature_stems  (M) signatures without the number of topics and the version
    lacking          (S, T) whether the run lacks the topic and the rules leave it out
    undefined        (M, T) whether the measure is undefined for the topic, as for want of relevant documents
    offers           (M) the documented threshold of a known data set, where the measure has another one; or nothing
    """

    measures: tuple[Measure, ...]
    labels: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    value: Floats
    signature_stems: tuple[str, ...]
    lacking: Bools
    undefined: Bools
    offers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.value.setflags(write=False)

    def of(self, measure: str | Measure) -> Floats:
        """Scores of one measure, (S, T)."""
        scores: Floats = self.value[self.at(measure)]
        return scores

    def matrix(self, measure: str | Measure) -> Floats:
        """Scores of one measure, (topics, systems), as statistics take them: topics that all systems have."""
        values = self.of(measure).T
        return values[~np.isnan(values).any(axis=1)]

    def at(self, measure: str | Measure) -> int:
        """Index of a measure on the first axis, however the measure is spelt."""
        if str(measure) in self.labels:
            return self.labels.index(str(measure))
        wanted = named(measure)
        # where the collection has a threshold of its own, AP was scored as AP(rel=2), say; and AP may be read AP(rel=1)
        likely = [
            m for m, label in zip(self.measures, self.labels, strict=True)
            if wanted in (m, replace(m, settings=tuple(g for g in m.settings if g[0] != "rel"))) or str(wanted) == label
        ]  # fmt: skip
        if wanted not in self.measures and len(likely) == 1:
            wanted = likely[0]
        if wanted not in self.measures:
            raise InputError(f"no scores of {measure}", f"there are {', '.join(map(str, self.measures))}")
        return self.measures.index(wanted)

    def signature(self, measure: str | Measure) -> str:
        """Signature of a measure: how its numbers were computed, in one line."""
        at = self.at(measure)
        counts = sorted({int(n) for n in np.count_nonzero(~np.isnan(self.value[at]), axis=-1)})
        return signed(self.signature_stems[at], str(counts[0]) if len(counts) == 1 else f"{counts[0]}-{counts[-1]}")

    def mean(self, how: Literal["arithmetic", "geometric"] = "arithmetic") -> Means:
        """Means over the topics that were not left out; counts are summed.

        The geometric mean takes values below 0.00001 as that, as trec_eval's gm_map does.
        """
        one_of("how", how, ("arithmetic", "geometric"))
        defined = ~np.isnan(self.value)
        n_topics = np.count_nonzero(defined, axis=-1)
        value = np.array([
            [_aggregate(self.value[m, s, defined[m, s]], measure, how) for s in range(len(self.systems))]
            for m, measure in enumerate(self.measures)
        ]).reshape(n_topics.shape)  # fmt: skip
        signatures = tuple(self.signature(m) + ("|mean:geometric" if how == "geometric" else "") for m in self.measures)
        return Means(
            measures=self.measures, labels=self.labels, systems=self.systems, value=value, n_topics=n_topics, how=how,
            signatures=signatures, offer="\n".join(dict.fromkeys(filter(None, self.offers))),
        )  # fmt: skip

    def columns(self) -> dict[str, list[Any]]:
        """Columns measure, system, topic, value; one row per score, None where a topic was left out."""
        m, s, t = self.value.shape
        return {
            "measure": [str(x) for x in self.measures for _ in range(s * t)],
            "system": [x for x in self.systems for _ in range(t)] * m,
            "topic": list(self.topics) * (m * s),
            "value": [None if math.isnan(v) else v for v in self.value.ravel().tolist()],
        }

    def column_types(self) -> dict[str, Any]:
        return {"value": float}

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """{system: {topic: {measure: value}}}, in plain Python floats, without topics that were left out."""
        return {
            system: {
                topic: {str(m): float(v) for m, v in zip(self.measures, self.value[:, s, t], strict=True) if v == v}
                for t, topic in enumerate(self.topics)
            }
            for s, system in enumerate(self.systems)
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [system, topic, *(number(self.value[i, s, t], m) for i, m in enumerate(self.measures))]
            for s, system in enumerate(self.systems)
            for t, topic in enumerate(self.topics)
        ]
        return ["system", "topic", *self.labels], rows

    def text_columns(self) -> int:
        return 2

    def metrics(self) -> dict[str, float]:
        """Means over topics, named system.measure."""
        return self.mean().metrics()

    def blocks(self, layer: Layer) -> list[Block]:
        """Blocks of the means."""
        return self.mean().blocks(layer)

    def to_markdown(self) -> str:
        """The means as GitHub shows them."""
        return self.mean().to_markdown()

    def to_latex(self, *, decimals: int = 4, page: bool = False, label: str = "tab:results") -> str:
        """The means as a table of a paper; arguments as of `Means.to_latex`."""
        return self.mean().to_latex(decimals=decimals, page=page, label=label)

    def notebook_blocks(self) -> list[Block]:
        return self.mean().notebook_blocks()


def signed(stem: str, n_topics: int | str) -> str:
    """A signature: how numbers were computed, the number of topics, and the version."""
    return f"{stem}|n:{n_topics}|rankscope:{__version__}"


def shared_signatures(signatures: tuple[str, ...]) -> list[str]:
    """Signatures in lines, with what all of them share in the last one."""
    split = [signature.split("|") for signature in signatures]
    shared = [part for part in split[0][1:] if all(part in other for other in split)]
    own = ["|".join(part for part in parts if part not in shared) for parts in split]
    return [*own, "all: " + "|".join(shared)]


def number(value: float, measure: Measure, decimals: int = 4) -> str:
    """A score as tables print it: with so many decimals, counts without them, '-' for NaN."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if measure.aggregate == "sum" else f"{value:.{decimals}f}"


def _aggregate(values: Floats, measure: Measure, how: str) -> float:
    if measure.aggregate == "sum":
        return math.fsum(values)
    if not len(values):
        return math.nan
    if measure.aggregate == "geometric":  # its scores are logarithms already
        return math.exp(math.fsum(values) / len(values))
    if how == "geometric":
        return math.exp(math.fsum(np.log(np.maximum(values, FLOOR))) / len(values))
    return math.fsum(values) / len(values)  # exactly rounded, so the order of topics cannot matter
