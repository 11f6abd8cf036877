"""How alike a metric ranks systems on two halves of the topics, and whether metrics differ in that.

Sakai, "On the instability of diminishing return IR measures", 2021; Chen and Sakai, "A
meta-evaluation of C/W/L/A metrics", 2023: Algorithm 1 and Table 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import InputError, plural
from rankscope.parallel import Client, check_workers
from rankscope.preferences.pairs import Method
from rankscope.statistics import Resampling, randomised_hsd, split_halves, taus
from rankscope.statistics.permutation import RandomisedHSD
from rankscope.statistics.resampling import chance_of
from rankscope.studies.arguments import at_once, check_alpha
from rankscope.studies.base import Study, Table, threshold
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.material import Material, Metrics, Source, material, reader_of
from rankscope.studies.preferring import quietly
from rankscope.studies.running import Tell, conduct

FEWEST = 4  # topics from which both halves have a mean to speak of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """Candidates compared with each other, best first, by randomised Tukey HSD over splits."""

    name: str
    candidates: tuple[str, ...]
    mean: Floats
    compared: RandomisedHSD | None  # None for one candidate alone

    def beaten(self, alpha: float) -> list[list[str]]:
        """Which candidates each is significantly more consistent than."""
        if self.compared is None:
            return [[]]
        p = self.compared.matrix()
        return [
            [other for j, other in enumerate(self.candidates) if self.mean[i] > self.mean[j] and p[i, j] < alpha]
            for i in range(len(self.candidates))
        ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Consistency(Study):
    """tau-b between the rankings of the systems on two random halves of the topics, for each candidate and split.

    taus      (candidates, splits); NaN where a half ties all systems
    families  within which differences of mean tau are tested
    """

    name: str = "consistency"
    candidates: tuple[str, ...]
    taus: Floats = field(repr=False)
    families: tuple[Family, ...]
    systems: int
    topics: int
    splits: Resampling
    chance: Resampling
    alpha: float
    undefined: int  # splits left out of means and tests, because they are undefined for some candidate
    settings: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def mean(self) -> dict[str, float]:
        """Mean tau of each candidate."""
        return {name: float(m) for f in self.families for name, m in zip(f.candidates, f.mean, strict=True)}

    def tables(self) -> dict[str, Table]:
        """`consistency`: a row a candidate, in families, best first; `differences`: a row a pair within a family."""
        first = self.settings["topics_in_halves"]
        rows: dict[str, list[Any]] = {
            key: [] for key in ("family", "metric", "tau", "lowest", "highest", "mark", "beats")
        }
        pairs: dict[str, list[Any]] = {
            key: [] for key in ("family", "first", "second", "difference", "p", "significant")
        }
        for family in self.families:
            for i, (name, better) in enumerate(zip(family.candidates, family.beaten(self.alpha), strict=True)):
                found = self.taus[self.candidates.index(name)]
                rows["family"].append(family.name)
                rows["metric"].append(name)
                rows["tau"].append(float(family.mean[i]))
                rows["lowest"].append(float(np.nanmin(found)))
                rows["highest"].append(float(np.nanmax(found)))
                rows["mark"].append(f"> {len(better)}" if better else "")
                rows["beats"].append(", ".join(better))
            if family.compared is not None:
                columns = family.compared.columns()
                pairs["family"] += [family.name] * len(columns["p"])
                for key in ("first", "second", "difference", "p"):
                    pairs[key] += columns[key]
                pairs["significant"] += [p < self.alpha for p in columns["p"]]
        if not any(family.name for family in self.families):
            del rows["family"], pairs["family"]
        caption = (
            f"tau: mean of tau-b between the rankings of {self.systems} systems on two halves ({first[0]} and "
            f"{first[1]} topics){threshold(self.settings)}, "
            f"over {self.splits.resamples:,} random splits (seed {self.splits.seed}), the same for "
            f"all. > k: significantly more consistent than the k least consistent of its family "
            f"(randomised Tukey HSD, {self.chance.resamples:,} permutations, alpha {self.alpha:g})."
        )
        left = 2 if "family" in rows else 1
        return {
            "consistency": Table(values=rows, caption=caption, left=left),
            "differences": Table(
                values=pairs, caption=f"Differences of mean tau. {caption}", left=left + 1, formats={"p": ".4g"}
            ),
        }

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """`taus`: every tau of every split."""
        count = self.taus.shape[1]
        return {
            "taus": {
                "metric": [name for name in self.candidates for _ in range(count)],
                "split": list(range(count)) * len(self.candidates),
                "tau": self.taus.ravel().tolist(),
            }
        }

    def summary(self) -> str:
        lines = []
        for family in self.families:
            where = f"{family.name}: " if family.name else ""
            best, worst = family.candidates[0], family.candidates[-1]
            if family.compared is None:
                lines.append(f"{where}{best} alone, mean tau {family.mean[0]:.3f}.")
                continue
            p = family.compared.matrix()
            level = [name for j, name in enumerate(family.candidates) if j and p[0, j] >= self.alpha]
            same = f"; not told apart from {', '.join(level)}" if level else "; better than all others significantly"
            lines.append(
                f"{where}{best} is the most consistent (mean tau {family.mean[0]:.3f}){same}; {worst} is the least "
                f"({family.mean[-1]:.3f})."
            )
        lines.append(
            "Significance is over random splits of these topics: more splits make smaller differences significant, "
            "and none of it speaks of other topics."
        )
        if self.undefined:
            splits = plural(self.taus.shape[1], "split")
            lines.append(f"{self.undefined:,} of {splits} tie all systems for some metric; left out.")
        return "\n".join([*lines, *self.notes])


def consistency(
    source: Source | Material,
    metrics: Metrics | None = None,
    methods: Sequence[Method] = (),
    *,
    cutoff: int | None = 10,
    splits: Resampling | None = None,
    chance: Resampling | None = None,
    families: Mapping[str, str] | None = None,
    alpha: float = 0.05,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Consistency:
    """Split the topics into random halves, rank the systems on each, and see how alike the rankings are.

    source    lists, scores or {metric: scores}, as for `material`
    cutoff    for metrics and methods that name none; 10 as in Chen and Sakai's paper, None for whole lists
    splits    1,000 by default; all candidates are ranked on the same ones
    chance    permutations of the test, 2,000 by default
    families  {metric: family}: metrics are tested within their family; C/W/L/A metrics of one user model are one,
              and so are all others
    """
    at_once(
        lambda: check_alpha(alpha),
        lambda: chance_of(splits, name="splits"),
        lambda: chance_of(chance),
        lambda: check_workers(workers),
    )
    given = (
        source if isinstance(source, Material) else material(source, metrics, methods, cutoff=cutoff, workers=workers)
    )
    splits, chance = chance_of(splits, Resampling(1000)), chance_of(chance, Resampling(2000))
    topics = len(given.topics)
    if topics < FEWEST:
        raise InputError(
            f"{plural(topics, 'topic')}: too few to split", f"give at least {FEWEST} on which all are defined"
        )
    label = {one.name: reader_of(one) for one in given.candidates} if families is None else dict(families)
    unknown = sorted(set(given.names) - set(label))
    if unknown:
        raise InputError(f"no family for {', '.join(unknown)}", "name the family of every metric")
    settings = {
        **given.settings(), "splits": splits.resamples, "seed": splits.seed,
        "topics_in_halves": [topics // 2, topics - topics // 2],
    }  # fmt: skip

    def work(name: str, threads: int) -> Arrays:
        halves = split_halves(given.of(name).value, chance=splits, aligned=True, workers=threads)
        return {"taus": taus(halves.first, halves.second, workers=threads)}

    def finish(found: dict[str, Arrays]) -> Consistency:
        values = np.array([arrays["taus"] for arrays in found.values()])
        whole = ~np.isnan(values).any(axis=0)
        if np.count_nonzero(whole) < 2:
            empty = [name for name, row in zip(found, values, strict=True) if np.isnan(row).all()]
            raise InputError(
                f"no split orders the systems by {', '.join(empty or found)}", "leave out metrics that tie all systems"
            )
        groups = {label[name]: [n for n in found if label[n] == label[name]] for name in found}
        return Consistency(
            candidates=tuple(found),
            taus=values,
            families=tuple(
                _family(group, members, values[[list(found).index(m) for m in members]][:, whole], chance, workers)
                for group, members in groups.items()
            ),
            systems=len(given.systems),
            topics=topics,
            splits=splits,
            chance=chance,
            alpha=alpha,
            undefined=int(np.count_nonzero(~whole)),
            settings={**settings, "permutations": chance.resamples, "permutation_seed": chance.seed, "alpha": alpha},
            notes=given.notes,
        )

    with quietly():  # splits that tie all systems are counted
        return conduct(
            "consistency", given.names, work, finish,
            settings=settings, checkpoints=checkpoints, workers=workers, progress=progress, client=client,
        )  # fmt: skip


def _family(name: str, members: list[str], values: Floats, chance: Resampling, workers: int | None) -> Family:
    """Best first; candidates of equal mean by name."""
    mean = values.mean(axis=1)
    order = sorted(range(len(members)), key=lambda i: (-round(float(mean[i]), 12), members[i]))
    names = tuple(members[i] for i in order)
    compared = None
    if len(members) > 1:
        compared = randomised_hsd(values[order].T, chance=chance, systems=names, workers=workers)
    return Family(name=name, candidates=names, mean=mean[order], compared=compared)
