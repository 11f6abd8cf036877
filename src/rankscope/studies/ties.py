"""Ties of metrics and preference methods between two lists (Diaz 2023, Table 3, Figures 3, 5, 6 and 9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.arguments import Checks
from rankscope.arrays import Floats, Ints
from rankscope.errors import plural
from rankscope.parallel import Client
from rankscope.preferences import all_pairs
from rankscope.preferences.all_pairs import Method
from rankscope.preferences.recall_levels import LATE
from rankscope.statistics import Resampling
from rankscope.statistics.equality import pairs_within, tied_pairs
from rankscope.studies import spread
from rankscope.studies.base import Study, Table, crossed, extent, joined, percent, threshold
from rankscope.studies.candidates import Measures, Source, StudyMaterial, asked_of, lists_of, material_of_lists
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.checks import check_fractions, samples_of
from rankscope.studies.preference_lists import with_depth
from rankscope.studies.recall_level_ranks import RecallLevelRanks
from rankscope.studies.runner import Run, Tell, shaped
from rankscope.studies.sampling import ThinnedMaterial


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TiedRankings(Study):
    """Ties between lists of two systems on one topic.

    tied_by_topic  (candidates, topics) pairs of lists without a preference
    compared    pairs of lists on all topics
    first_rank  (ranks) lists with their first relevant document at each rank, the last for those without one; times
                the other systems: pairs, either list taken as the first
    first_tied  (ranks) how many of these pairs tie there
    level_tied  (levels) pairs of lists that find their i-th relevant document at the same rank, or both not at all
    level_pairs (levels) pairs of lists on topics that have so many relevant documents
    deciding    (levels) pairs of lists that lexiprecision decides at each level; the rest of `compared` tie
    by_labels   (candidates, fractions, samples) share of ties with a fraction of the judgments
    """

    candidates: tuple[str, ...]
    tied_by_topic: Ints
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
    def tied(self) -> Ints:
        """(candidates) pairs of lists without a preference, of `compared`."""
        tied: Ints = self.tied_by_topic.sum(axis=1)
        return tied

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
                caption="Ties in the rank of the i-th relevant document (level i), where a topic has so many. "
                "decided: share of the pairs that lexiprecision has decided by that level, of all and of those it "
                f"decides; {size}.",
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
            axes = crossed(candidate=self.candidates, fraction=self.fractions)
            by_name["labels"] = Table(
                values={**axes, **spread.bands(self.by_labels, "share")},
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
        """Findings in sentences."""
        order = np.argsort(self.share, kind="stable").tolist()
        listed = ", ".join(f"{self.candidates[i]} {percent(self.share[i])}" for i in order)
        lines = [f"Ties among {self.compared:,} pairs of lists on one topic, fewest first: {listed}."]
        decided = int(self.deciding.sum())
        if decided:
            by_level = np.cumsum(self.deciding)
            level = int(np.searchsorted(by_level, 0.9 * decided)) + 1
            lines.append(
                f"Lexiprecision decides {percent(decided / self.compared)} of the pairs, and "
                f"{percent(by_level[level - 1] / decided)} of these at recall level {level} or before."
            )
        return joined(lines)

    def _levels(self) -> dict[str, list[Any]]:
        count = len(self.level_pairs)
        decided = np.cumsum(self.deciding)
        so_far = np.append(decided, np.full(max(0, count - len(decided)), decided[-1] if len(decided) else 0))[:count]
        return {
            "level": list(range(1, count + 1)),
            "pairs": self.level_pairs.tolist(),
            "tied": _shares(self.level_tied, self.level_pairs),
            "decided_of_all": (so_far / self.compared).tolist(),
            "decided": _shares(so_far, np.full(count, max(1, int(self.deciding.sum())))),
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
    source: Source | StudyMaterial,
    measures: Measures | None = "RR",
    methods: Method | Sequence[Method] = ("rrLP", "sgnLP"),
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
    """Share of ties by candidate, and recall levels that tell lists apart (Diaz 2023, sections 2, 3.6 and 5.2).

    source     lists, or their material
    measures, methods, depth  as for `material`
    n_levels   recall levels that are looked at
    fractions  of the judgments at which ties are counted too, above 0 and at most 1: needs keep_docs=True on loading
    resampling how often judgments are drawn; ten times by default, as in the paper
    """
    with Checks() as check:
        n_levels = check(arguments.whole_number, "n_levels", n_levels)
        fractions = list(fractions) if isinstance(fractions, Iterable) and not isinstance(fractions, str) else fractions
        shares = () if fractions == [] else check(check_fractions, fractions)
        run = check(Run, checkpoints, progress, workers, client, resampling=check(samples_of, resampling))
    judged, measures, methods, depth = asked_of(source, measures, methods, depth)
    studied = material_of_lists(with_depth(judged, depth), measures, methods, depth=depth, workers=workers)
    base = lists_of(studied)
    ranks = RecallLevelRanks.of(base)
    compared = len(studied.pairs[0])
    decided_at = all_pairs(base, "sgnLP", workers=workers).level
    assert decided_at is not None
    first_rank, first_tied = _by_first_rank(ranks.upto(1)[..., 0], base.code.shape[-1])
    rank_at, exists = ranks.upto(n_levels), np.arange(n_levels) < ranks.total[:, None]
    thinned = ThinnedMaterial.of(studied, run.draws.seed) if shares else None
    settings = {
        **studied.settings(), "n_levels": n_levels, "fractions": shares, **run.drawn(),
        **({} if thinned is None else thinned.settings()),
    }  # fmt: skip

    def work(unit: str, threads: int) -> Arrays:
        assert thinned is not None
        counts = [tied_by_topic(part).sum(axis=1) for part in thinned.at("labels", _sample(unit), shares, threads)]
        return {"tied": np.stack(counts, axis=1)}

    def finish(units: dict[str, Arrays]) -> TiedRankings:
        by_labels = np.full((len(studied.names), len(shares), run.draws.resamples), np.nan)
        for unit, arrays in units.items():
            by_labels[..., _sample(unit)] = arrays["tied"] / (compared * len(studied.topics))
        return TiedRankings(
            candidates=studied.names,
            tied_by_topic=tied_by_topic(studied),
            compared=compared * len(studied.topics),
            first_rank=first_rank,
            first_tied=first_tied,
            level_tied=(tied_pairs(rank_at.transpose(0, 2, 1)) * exists).sum(axis=0),
            level_pairs=compared * np.count_nonzero(exists, axis=0),
            deciding=np.bincount(decided_at.ravel(), minlength=1)[1:],
            fractions=shares,
            by_labels=by_labels,
            settings=settings,
        )

    units = [f"sample {sample}" for sample in range(run.draws.resamples)] if shares else []
    fits = shaped(tied=(int, len(studied.names), len(shares)))
    return run.conduct("ties", units, work, finish, settings=settings, fits=fits)


def _sample(unit: str) -> int:
    """The number of a sample."""
    return int(unit.split()[1])


def tied_by_topic(studied: StudyMaterial) -> Ints:
    """(candidates, topics) pairs of lists without a preference."""
    counts = [np.count_nonzero(studied.preferred(candidate) == 0, axis=0) for candidate in studied.candidates]
    return np.array(counts, np.int64)


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
