"""How often metrics and preference methods cannot tell two lists apart (Diaz 2023, Table 3, Figures 3, 5, 6 and 9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.errors import plural
from rankscope.judged import Judged, Thinner
from rankscope.parallel import Client, check_workers
from rankscope.preferences import all_pairs
from rankscope.preferences.all_pairs import Method
from rankscope.preferences.recall_levels import LATE
from rankscope.statistics import Resampling
from rankscope.statistics.equality import pairs_within, tied_pairs
from rankscope.studies import spread
from rankscope.studies.arguments import at_once, check_fractions, check_whole, samples_of
from rankscope.studies.base import Study, Table, extent, percent, threshold
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.material import Candidate, Measures, StudyMaterial, material, reusable
from rankscope.studies.preference_lists import comparable, facts, quietly, with_depth
from rankscope.studies.recall_level_ties import AllLevels
from rankscope.studies.runner import Tell, conduct
from rankscope.studies.sampling import PoolSampler, pool_fingerprint


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TiedRankings(Study):
    """Ties between lists of two systems on one topic.

    tied        (candidates) pairs of lists without a preference, of `compared`
    first_rank  (ranks) lists with their first relevant document at each rank, the last for those without one; times
                the other systems: pairs, either list taken as the first
    first_tied  (ranks) how many of these pairs tie there
    level_tied  (levels) pairs of lists that find their i-th relevant document at the same rank, or both not at all
    level_pairs (levels) pairs of lists on topics that have so many relevant documents
    deciding    (levels) pairs of lists that lexiprecision decides at each level; the rest of `compared` tie
    by_labels   (candidates, fractions, samples) share of ties with a fraction of the judgments
    """

    candidates: tuple[str, ...]
    tied: Ints
    compared: int
    first_rank: Ints
    first_tied: Ints
    level_tied: Ints
    level_pairs: Ints
    deciding: Ints
    fractions: tuple[float, ...]
    by_labels: Floats
    settings: Mapping[str, Any]
    name: str = "ties"

    @property
    def share(self) -> Floats:
        """(candidates) share of the pairs of lists that tie."""
        shares: Floats = self.tied / self.compared
        return shares

    def tables(self) -> dict[str, Table]:
        """One row per candidate in `ties`, per level in `levels`, per rank in `first`, per fraction in `labels`."""
        s = self.settings
        size = f"{extent(s)}{threshold(s)}"
        by_name = {
            "ties": Table(
                values={
                    "candidate": list(self.candidates),
                    "tied": self.tied.tolist(),
                    "pairs": [self.compared] * len(self.candidates),
                    "share": self.share.tolist(),
                },
                caption=f"Pairs of lists of two systems on one topic that tie; {size}.",
            ),
            "levels": Table(
                values=self._levels(),
                caption=f"Ties in the rank of the i-th relevant document, where a topic has so many, and how many "
                f"pairs lexiprecision has decided at that level, of all and of those it decides; {size}.",
                left=0,
            ),
            "first": Table(
                values=self._first(),
                caption=f"Probability that another system's list has its first relevant document at the same rank; "
                f"{size}.",
                left=0,
            ),
        }
        if self.fractions:
            rows = [(c, f) for c in self.candidates for f in self.fractions]
            candidate, fraction = map(list, zip(*rows, strict=True))
            by_name["labels"] = Table(
                values={"candidate": candidate, "fraction": fraction, **spread.bands(self.by_labels, "share")},
                caption=f"Share of ties with a fraction of the judgments; {size}; "
                f"{plural(s['resamples'], 'sample')}, seed {s['seed']}.",
                formats={"fraction": "g"},
            )
        return by_name

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """first_rank (Figure 3), level (Figure 5), deciding (Figure 6) and labels (Figure 9), as plain columns."""
        levels = self._levels()
        by_name: dict[str, dict[str, list[Any]]] = {
            "first_rank": self._first(),
            "level": {key: levels[key] for key in ("level", "pairs", "tied")},
            "deciding": {key: levels[key] for key in ("level", "decided_of_all", "decided")},
        }
        return by_name | ({"labels": self.columns("labels")} if self.fractions else {})

    def summary(self) -> str:
        """What was found, in plain sentences."""
        order = np.argsort(self.share, kind="stable").tolist()
        listed = ", ".join(f"{self.candidates[i]} {percent(self.share[i])}" for i in order)
        lines = [f"Of {self.compared:,} pairs of lists, so many tie: {listed}."]
        decided = int(self.deciding.sum())
        if decided:
            level = int(np.searchsorted(np.cumsum(self.deciding), 0.9 * decided)) + 1
            lines.append(
                f"Lexiprecision decides {percent(decided / self.compared)} of them; 90 % of these by recall level "
                f"{level}."
            )
        return "\n".join(lines)

    def _levels(self) -> dict[str, list[Any]]:
        count = len(self.level_pairs)
        decided = np.cumsum(self.deciding)
        upto = np.append(decided, np.full(max(0, count - len(decided)), decided[-1] if len(decided) else 0))[:count]
        return {
            "level": list(range(1, count + 1)),
            "pairs": self.level_pairs.tolist(),
            "tied": _shares(self.level_tied, self.level_pairs),
            "decided_of_all": (upto / self.compared).tolist(),
            "decided": _shares(upto, np.full(count, max(1, int(self.deciding.sum())))),
        }

    def _first(self) -> dict[str, list[Any]]:
        at = np.flatnonzero(self.first_rank).tolist()
        last = len(self.first_rank) - 1
        return {
            "rank": [None if i == last else i + 1 for i in at],
            "pairs": self.first_rank[at].tolist(),
            "tied": _shares(self.first_tied[at], self.first_rank[at]),
        }


def ties(
    judged: Judged,
    measures: Measures | None = "RR",
    methods: Sequence[Method] = ("rrLP", "sgnLP"),
    *,
    n_levels: int = 20,
    fractions: float | Iterable[float] = (),
    resampling: Resampling | None = None,
    depth: int | None = None,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> TiedRankings:
    """How often candidates tie two lists, and which recall level tells them apart (Diaz 2023, sections 2, 3.6 and 5.2).

    measures, methods, depth  as for `material`
    n_levels   recall levels that are looked at
    fractions  of the judgments at which ties are counted too, above 0 and at most 1: needs keep_docs=True on loading
    resampling how often judgments are drawn; ten times by default, as in the paper
    checkpoints, progress, workers, client  as for every study; the result is the same whoever computes it
    """
    chosen = tuple(fractions) if isinstance(fractions, Iterable) and not isinstance(fractions, str) else fractions

    def taken() -> tuple[float, ...]:
        return () if chosen == () else check_fractions(chosen)

    at_once(
        lambda: check_whole(n_levels, "n_levels"),
        lambda: samples_of(resampling),
        taken,
        lambda: check_workers(workers),
    )
    shares, resampling = taken(), samples_of(resampling)
    base = with_depth(comparable(judged), depth)
    thinner = Thinner.of(base) if shares else None
    sampler = PoolSampler.of(base, resampling.seed) if shares else None
    with quietly():
        measures = reusable(measures)
        studied = material(base, measures, methods, depth=depth, workers=workers)
        ranks = AllLevels.of(base)
        pairs = len(studied.systems) * (len(studied.systems) - 1) // 2
        deciding = np.bincount(all_pairs(base, "sgnLP", workers=workers).level.ravel(), minlength=1)[1:]  # type: ignore[union-attr]
        first_rank, first_tied = _by_first_rank(ranks.upto(1)[..., 0], base.code.shape[-1])
        upto, there = ranks.upto(n_levels), (np.arange(n_levels) < ranks.total[:, None])
        settings = {
            **facts(judged, base), "candidates": {c.name: c.signature for c in studied.candidates},
            "n_levels": int(n_levels), "fractions": shares, "resamples": resampling.resamples, "seed": resampling.seed,
        }  # fmt: skip
        if thinner is not None:
            settings["pool"] = pool_fingerprint(thinner)

        def work(unit: str, threads: int) -> Arrays:
            assert thinner is not None
            assert sampler is not None
            counts = [
                _tied(material(thinner.thinned(kept), measures, methods, depth=depth, workers=threads))
                for kept in sampler.kept("labels", int(unit.split()[1]), shares)
            ]
            return {"tied": np.stack(counts, axis=1)}

        def finish(units: dict[str, Arrays]) -> TiedRankings:
            by_labels = np.full((len(studied.names), len(shares), resampling.resamples), np.nan)
            for unit, arrays in units.items():
                by_labels[..., int(unit.split()[1])] = arrays["tied"] / (pairs * len(studied.topics))
            return TiedRankings(
                candidates=studied.names,
                tied=_tied(studied),
                compared=pairs * len(studied.topics),
                first_rank=first_rank,
                first_tied=first_tied,
                level_tied=(tied_pairs(upto.transpose(0, 2, 1)) * there).sum(axis=0),
                level_pairs=pairs * np.count_nonzero(there, axis=0),
                deciding=deciding,
                fractions=shares,
                by_labels=by_labels,
                settings=settings,
            )

        units = [f"sample {sample}" for sample in range(resampling.resamples)] if shares else []
        return conduct(
            "ties", units, work, finish, settings=settings, checkpoints=checkpoints, workers=workers,
            progress=progress, client=client,
        )  # fmt: skip


def tied_by_topic(studied: StudyMaterial, candidate: Candidate) -> Ints:
    """(topics) pairs of lists without a preference."""
    return np.count_nonzero(studied.preferred(candidate) == 0, axis=0)


def _tied(studied: StudyMaterial) -> Ints:
    """(candidates) pairs of lists without a preference."""
    return np.array([tied_by_topic(studied, candidate).sum() for candidate in studied.candidates], np.int64)


def _by_first_rank(rank: Ints, depth: int) -> tuple[Ints, Ints]:
    """Ordered pairs of lists by the first relevant rank of the first list, and those whose second has it too.

    rank is (T, S), LATE for none, which is counted last.
    """
    topics, systems = rank.shape
    at = np.where(rank < LATE, rank - 1, depth)
    count = np.zeros((topics, depth + 1), np.int64)
    np.add.at(count, (np.arange(topics)[:, None], at), 1)
    return count.sum(axis=0) * (systems - 1), 2 * pairs_within(count).sum(axis=0)


def _shares(part: Ints, total: Ints) -> list[float]:
    return np.divide(part, total, out=np.full(len(total), np.nan), where=total > 0).tolist()
