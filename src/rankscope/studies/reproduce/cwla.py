"""Chen and Sakai, "A meta-evaluation of C/W/L/A metrics: system ranking similarity, system ranking consistency and
discriminative power", 2023."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE
from rankscope.measures.cwla.paper import REFUSED, SHORT
from rankscope.studies.alternatives import CANONICAL, alternatives
from rankscope.studies.base import Table, by_rows
from rankscope.studies.candidates import StudyMaterial, cwla_grid, material
from rankscope.studies.consistency import ConsistencyStudy, consistency
from rankscope.studies.power import DiscriminativePower, discriminative_power
from rankscope.studies.preference_lists import relevant_code
from rankscope.studies.reproduce.items import Item, Paper, Parts, Setting, single_table
from rankscope.studies.similarity import Similarity, similarity

SYMBOLS = ("\N{DAGGER}", "\N{DOUBLE DAGGER}", "\N{SECTION SIGN}", "\N{PILCROW SIGN}", "\N{DAGGER}" * 2,
           "\N{DOUBLE DAGGER}" * 2)  # fmt: skip
"""Of Table 3: significantly better than the worst 1, 2, ... 6 aggregations of the model."""


def _starred(name: str) -> str:
    return f"{name}*" if name in CANONICAL.values() else name


def _reader(name: str) -> str:
    return name.rsplit("_", 1)[0]


def _grid(_: Setting) -> Parts:
    readers = list(dict.fromkeys(map(_reader, SHORT)))
    ways = list(dict.fromkeys(name.rsplit("_", 1)[1] for name in (*SHORT, *REFUSED)))
    columns: dict[str, list[Any]] = {"model": readers}
    for way in ways:
        columns[way] = [_starred(f"{r}_{way}") if f"{r}_{way}" in SHORT else "x" for r in readers]
    return single_table(columns, "*: the canonical aggregation; x: every list scores the same.",
                 left=len(ways) + 1)  # fmt: skip


def _collection(s: Setting) -> Parts:
    judged = s.lists
    relevant = judged.available[:, relevant_code(judged) - FIRST_GRADE :].sum(axis=1)
    columns: dict[str, list[Any]] = {
        "topics": [int(np.count_nonzero(relevant))],
        "rel. levels": [len(judged.grades)],
        "rel. per topic": [float(relevant[relevant > 0].mean())],
        "runs": [len(judged.systems)],
    }
    return single_table(columns, "The collection; topics without a relevant document are left out.", left=0,
                 formats={"rel. per topic": ".1f"})  # fmt: skip


def _scored(s: Setting) -> StudyMaterial:
    return s.once("material", lambda: material(s.lists, cwla_grid(), workers=s.workers))


def _similar(s: Setting) -> Similarity:
    return s.once("similarity", lambda: similarity(_scored(s), workers=s.workers))


def _consistent(s: Setting) -> ConsistencyStudy:
    return s.once(
        "consistency",
        lambda: consistency(
            _scored(s),
            resampling={"splits": s.draws("splits"), "permutations": s.draws("permutations")},
            test="splits",
            alpha=s.alpha,
            workers=s.workers,
        ),
    )  # fmt: skip


def _power(s: Setting) -> DiscriminativePower:
    return s.once(
        "power",
        lambda: discriminative_power(_scored(s), resampling=s.draws("permutations"), alpha=s.alpha, workers=s.workers),
    )


def _figure_1(s: Setting) -> Parts:
    data = _similar(s).figures()["similarity"]
    squares: dict[str, list[tuple[Any, ...]]] = {}
    for a, b, *numbers in zip(*data.values(), strict=True):
        if _reader(a) == _reader(b):
            squares.setdefault(_reader(a), []).append((_reader(a), _starred(a), _starred(b), *numbers))
    return {
        f"-{reader.lower()}": Table(values=by_rows(["model", *data], rows), left=3,
                                    caption=f"Kendall's tau-b with 95 % intervals, browsing model of {reader}.")
        for reader, rows in squares.items()
    }  # fmt: skip


def _table_3(s: Setting) -> Parts:
    consistent = _consistent(s)
    rows = []
    for family in consistent.families:
        for i, (name, beaten) in enumerate(zip(family.candidates, family.beaten(s.alpha), strict=True)):
            symbol = SYMBOLS[len(beaten) - 1] if beaten else ""
            worst = ", ".join(each.removeprefix(f"{family.name}_") for each in beaten)
            rows.append((family.name, _starred(name), symbol, float(family.mean[i]), worst))
    splits = f"{consistent.resampling.resamples:,} random splits, seed {consistent.resampling.seed}"
    named = ", ".join(f"{symbol} {k}" for k, symbol in enumerate(SYMBOLS, 1))
    caption = (
        f"Mean tau-b between two halves of the topics, {splits}; within models the best first, *: canonical. Symbols: "
        f"significantly more consistent than so many of the worst of its model ({named}), by randomised Tukey HSD, "
        f"p < {s.alpha:g}, {consistent.settings['permutations']:,} permutations."
    )
    return single_table(by_rows(["model", "measure", "symbol", "tau", "better than"], rows), caption, left=3)


def _figure_2(s: Setting) -> Parts:
    power = _power(s)
    data = power.figures()["asl_curves"]
    columns = {
        "model": [_reader(name) for name in data["measure"]],
        "measure": [_starred(name) for name in data["measure"]],
        "pair": data["pair"],
        "asl": data["asl"],
    }
    caption = f"{power.show().caption} Pairs of systems from the largest ASL to the smallest."
    return single_table(columns, caption, left=2)


def _alternatives(s: Setting) -> Parts:
    return {"": alternatives(_similar(s), _consistent(s), _power(s)).show()}


PAPER = Paper(
    name="cwla",
    reference="Chen and Sakai 2023, A meta-evaluation of C/W/L/A metrics: system ranking similarity, system ranking "
    "consistency and discriminative power",
    n_systems=5,
    n_topics=4,
    uses=("permutations", "splits", "alpha"),
    notes=(
        "Metrics are cut at rank 10 and nothing follows: with an endless list RBP_fin would equal RBP_ERG, which "
        "Figure 1 tells apart.",
        "INST has T = 2.25, as in the text and Figure 1; Tables 1 and 3 print 2.5.",
        "V+ is the sum of the chances to reach each rank; the side condition of equation (9) is printed upside down.",
        "C_AP is 0 / 0 after the last relevant document: taken as 0, and AP_ERR of a list without gain as 0.",
    ),
    items=(
        Item(number="Table 1", title="Browsing models and aggregations", make=_grid),
        Item(number="Table 2", title="The collection", make=_collection, needs="lists"),
        Item(
            number="Figure 1", title="Similarity of the rankings of systems", make=_figure_1, needs="lists",
            drawn="square",
            chosen="Intervals are Fieller, Hartley and Pearson's; most of the printed ones are. A square for each "
            "browsing model; its table has one row per pair of metrics.",
        ),
        Item(
            number="Table 3", title="Consistency over random halves of the topics", make=_table_3, needs="lists",
            chosen="All metrics share their splits. The six symbols of the paper cannot be told apart in the text at "
            "hand; ours stand for the same six statements, and the metrics that are beaten are named beside them.",
        ),
        Item(
            number="Figure 2", title="ASL curves", make=_figure_2, needs="lists", drawn="ASL curves",
            chosen="Curves of ETG are given for Precision, DCG and RBP too, where the paper leaves them out since they "
            "equal those of ERG. Permutations as large as the data count.",
        ),
        Item(
            number="RQ 4", title="Metrics that could replace the canonical one", make=_alternatives, needs="lists",
            chosen="Alike is tau of 0.9 or more; numbers of pairs told apart are counted, not tested.",
        ),
    ),
)  # fmt: skip
