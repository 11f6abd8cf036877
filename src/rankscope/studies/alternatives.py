"""Metrics that are more consistent or more discriminative than the usual one, and rank systems like it.

Chen and Sakai, "A meta-evaluation of C/W/L/A metrics", 2023: RQ4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.errors import InputError, Problem, plural
from rankscope.studies.base import Study, Table, by_rows, joined
from rankscope.studies.consistency import ConsistencyStudy
from rankscope.studies.power import DiscriminativePower
from rankscope.studies.power import Test as PowerTest
from rankscope.studies.similarity import Similarity

CONSISTENCY, POWER = "consistency", "discriminative power"
SIMILAR = 0.9  # tau from which rankings count as practically the same (Voorhees 2000)
CANONICAL = {
    "Precision": "Precision_ERG", "DCG": "DCG_ERG", "RBP": "RBP_ERG", "INST": "INST_ERG", "AP": "AP_ERG",
    "ERR": "ERR_ERR",
}  # fmt: skip
"""The metric that is commonly used with each browsing model of C/W/L/A."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A metric beside the canonical one of its family.

    tau          between the rankings of systems by both
    consistency  difference of mean tau over splits, and its p by the test of `consistency`
    gained, lost pairs of systems that only this metric, or only the canonical one, tells apart
    """

    family: str
    canonical: str
    measure: str
    tau: float
    consistency: float
    pvalue: float
    gained: int
    lost: int

    def improves(self, similar: float, alpha: float) -> tuple[str, ...]:
        """Qualities in which the metric is better; empty where rankings differ too much."""
        if not self.tau >= similar:
            return ()
        better = [CONSISTENCY] * (self.consistency > 0 and self.pvalue < alpha)
        return tuple(better + [POWER] * (self.gained > self.lost))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alternatives(Study):
    """Every metric beside the canonical one of its family.

    not_compared  names that not all three studies have
    """

    rows: tuple[Alternative, ...]
    similar: float
    alpha: float
    settings: Mapping[str, Any]
    name: str = "alternatives"
    not_compared: tuple[str, ...] = ()

    @property
    def better(self) -> tuple[Alternative, ...]:
        """Those that are better in something and rank systems like the canonical metric."""
        return tuple(row for row in self.rows if row.improves(self.similar, self.alpha))

    def tables(self) -> dict[str, Table]:
        """alternatives: one row per metric."""
        names = ("family", "canonical", "measure", "tau", "consistency", "pvalue", "gained", "lost")
        values = by_rows(names, [[getattr(row, name) for name in names] for row in self.rows])
        values["improves"] = [", ".join(row.improves(self.similar, self.alpha)) for row in self.rows]
        caption = (
            "One row per metric, beside the canonical one of its family. improves: what the metric is better in, where "
            f"both rank systems alike (tau of {self.similar:g} or more). It is better in consistency where its mean "
            f"tau over splits is higher, p < {self.alpha:g} (test over {self.settings['consistency']}). It is better "
            f"in power where it tells more pairs of systems apart ({self.settings['test']}) than it loses. Pairs share "
            "systems and topics: they are counted, not tested."
        )
        return {"alternatives": Table(values=values, caption=caption, left=3)}

    def summary(self) -> str:
        """Findings in sentences."""
        lines = [
            f"{row.measure} ranks systems like {row.canonical} (tau {row.tau:.3f}) and is better in "
            f"{' and '.join(row.improves(self.similar, self.alpha))}: its mean tau over splits differs by "
            f"{row.consistency:+.3f}, and it tells {plural(row.gained, 'more pair')} apart and loses {row.lost:,}."
            for row in self.better
        ]
        found = lines or ["No metric that ranks systems like the canonical one is better in consistency or power."]
        left_out = f"Left out, since not in all three studies: {', '.join(self.not_compared)}."
        return joined([*found, *([left_out] if self.not_compared else [])])


def alternatives(
    similarity: Similarity,
    consistency: ConsistencyStudy,
    power: DiscriminativePower,
    *,
    canonical: Mapping[str, str] | str | None = None,
    similar: float = SIMILAR,
    test: PowerTest | None = None,
) -> Alternatives:
    """Find metrics that could replace the canonical one.

    similarity, consistency, power  results of these studies on the same metrics
    canonical  the metric that others are held against: one for all, or {family: metric} for the families of
               `consistency`; by default those of C/W/L/A
    similar    tau from which two rankings of systems count as alike
    test       of `power`; its first by default

    Metrics are compared by their names: `consistency` cuts those without a depth at 10 and calls them AP@10, so give
    all three studies metrics with a depth. Names that not all three have are left out, which the result says.

    Differences of consistency are tested. Pairs told apart are counted: they share systems and topics, so that a few
    more may be chance.
    """
    arguments.number("similar", similar, -1, 1)
    named = (similarity.candidates, consistency.candidates, power.candidates)
    known = set.intersection(*map(set, named))
    families = {candidate.name: candidate for candidate in consistency.families}
    chosen = _canonical(canonical, tuple(families))
    problems = [
        Problem(f"no family {name!r}", f"families are {', '.join(map(repr, families))}")
        for name in chosen if name not in families
    ]  # fmt: skip
    problems += [
        Problem(f"{measure} is not among the metrics of family {name!r} in all three studies",
                f"there are {', '.join(candidate for candidate in families[name].candidates if candidate in known)}")
        for name, measure in chosen.items()
        if name in families and measure not in {*families[name].candidates} & known
    ]  # fmt: skip
    if problems or not chosen:
        raise InputError(problems or "no canonical metric is known", "" if problems else "name it: canonical=...")
    rows = []
    for name, measure in chosen.items():
        family = families[name]
        p = family.pvalue
        home = family.candidates.index(measure)
        significant = power.asl(measure, test) < power.alpha
        for at, other in enumerate(family.candidates):
            if other == measure or other not in known:
                continue
            here = power.asl(other, test) < power.alpha
            rows.append(
                Alternative(
                    family=name,
                    canonical=measure,
                    measure=other,
                    tau=float(similarity.of(measure, other)["tau"]),
                    consistency=float(family.mean[at] - family.mean[home]),
                    pvalue=float(p[home, at]),
                    gained=int(np.count_nonzero(here & ~significant)),
                    lost=int(np.count_nonzero(significant & ~here)),
                )
            )
    settings = {"canonical": chosen, "similar": similar, "alpha": consistency.alpha, "test": test or power.tests[0],
                "power_alpha": power.alpha, "consistency": consistency.test, "n_systems": len(power.systems),
                "n_pairs": len(power.first), "n_topics": power.n_topics,
                **{key: power.settings[key] for key in ("relevant_from",) if key in power.settings}}  # fmt: skip
    return Alternatives(
        rows=tuple(rows), similar=similar, alpha=consistency.alpha, settings=settings,
        not_compared=tuple(name for name in dict.fromkeys(chain(*named)) if name not in known),
    )  # fmt: skip


def _canonical(canonical: Mapping[str, str] | str | None, families: tuple[str, ...]) -> dict[str, str]:
    """{family: metric}."""
    if isinstance(canonical, str):
        return dict.fromkeys(families, canonical)
    return (
        {name: measure for name, measure in CANONICAL.items() if name in families}
        if canonical is None
        else dict(canonical)
    )
