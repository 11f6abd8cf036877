"""Ferrante, Ferro and Losiouk, "How do interval scales help us with better understanding IR evaluation measures?",
2020."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rankscope.errors import plural
from rankscope.judged import Judged
from rankscope.studies.base import Table, by_rows
from rankscope.studies.candidates import StudyMaterial, material
from rankscope.studies.incompleteness import Incompleteness, incompleteness
from rankscope.studies.power import DiscriminativePower, discriminative_power
from rankscope.studies.power import Test as PowerTest
from rankscope.studies.preference_lists import one_grade, with_depth
from rankscope.studies.reproduce.items import Item, Paper, Parts, Setting
from rankscope.studies.sampling import POOL_FRACTIONS
from rankscope.studies.similarity import Similarity, similarity
from rankscope.universe import difference_structure
from rankscope.universe.one_measure.axioms import AXIOMS
from rankscope.universe.rankings import written

DEPTH = 250
LENGTHS = (100, 500, 1000)  # that the paper compares with it
CHECKED = {"set": ((5, 1), (10, 1), (4, 2), (3, 3)), "rank": ((3, 1), (4, 1), (2, 2), (3, 2))}  # N and c by order
AT = 4  # documents of the rankings whose differences measures are checked by
TESTS: dict[str, PowerTest] = {"Kruskal-Wallis": "kruskal-wallis", "ANOVA": "tukey", "ANOVA, one-way": "tukey-one-way"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """The binary or the graded half of the paper: measures by the names they have there, and what is shown of them.

    sets, ranks  pairs of measures in Tables 1 and 2
    unweighed    measures of footnote 1: DCG and ERR with grades as weights
    """

    name: str
    lists: Judged
    measures: Mapping[str, str]
    sets: tuple[tuple[str, str], ...]
    ranks: tuple[tuple[str, str], ...]
    set_based: tuple[str, ...]
    rank_based: tuple[str, ...]
    unweighed: Mapping[str, str] = field(default_factory=dict)


def _cut(s: Setting) -> Judged:
    return s.once("cut", lambda: with_depth(s.lists, min(DEPTH, s.lists.code.shape[-1])))


def _binary(judged: Judged) -> Half:
    lists = one_grade(judged)
    n = lists.code.shape[-1]
    return Half(
        name="binary",
        lists=lists,
        measures={
            "Precision": f"P@{n}", "Recall": f"R@{n}", "F-measure": f"F@{n}", "SBTO": f"SBTO(share=True)@{n}",
            "RBP p = 1/2": f"RBP(p=0.5)@{n}", "RBP p = 0.2": f"RBP(p=0.2)@{n}", "RBP p = 0.8": f"RBP(p=0.8)@{n}",
            "AP": "AP", "RBTO": f"RBTO(share=True)@{n}",
        },
        sets=(("Precision", "SBTO"), ("Recall", "SBTO"), ("F-measure", "SBTO"), ("Precision", "Recall"),
              ("SBTO", "RBTO")),
        ranks=tuple((name, "RBTO") for name in ("RBP p = 1/2", "RBP p = 0.2", "RBP p = 0.8", "AP")),
        set_based=("Precision", "Recall", "F-measure", "SBTO"),
        rank_based=("RBP p = 1/2", "RBP p = 0.2", "RBP p = 0.8", "AP", "RBTO"),
    )  # fmt: skip


def _graded(lists: Judged) -> Half | str:
    """The multi-graded half, or why there is none."""
    grades = [grade for grade in lists.grades.tolist() if grade > 0]
    if len(grades) < 2:
        return "the judgments are binary"
    c, n = len(grades), lists.code.shape[-1]

    def weighed(*weights: int) -> str:
        return "{" + ",".join(f"{g:g}:{w}" for g, w in zip(grades, weights, strict=True)) + "}"

    w1, w2 = weighed(*range(1, c + 1)), weighed(*range(2, 2 * c + 1, 2))
    unweighed = {"DCG, W1": f"DCG(base=10,gains={w1})@{n}", "ERR, W1": f"ERR(gains={w1})@{n}"}
    w3, w5 = weighed(*range(1, c), c + 1), weighed(*range(5, 5 * c + 1, 5))
    rbp, rbto = f"gRBP p = 1/{c + 1}", "RBTO"
    ranked = {
        rbp: f"gRBP(gains={w1},p=1/{c + 1})@{n}",
        "gRBP p = 0.2": f"gRBP(gains={w1},p=0.2)@{n}",
        "gRBP p = 0.8": f"gRBP(gains={w1},p=0.8)@{n}",
        "DCG": f"DCG(base=10,gains={w5})@{n}",
        "ERR": f"ERR(gains={w5})@{n}",
        rbto: f"RBTO(share=True)@{n}",
    }
    weighted = {
        f"{rbp}, W3": f"gRBP(gains={w3},p=1/{c + 1})@{n}",
        "RBTO, W2": f"RBTO(gains={w2},share=True)@{n}",
        "RBTO, W3": f"RBTO(gains={w3},share=True)@{n}",
    }
    sets = {
        "Generalized Precision": f"gP(gains={w1})@{n}",
        "Generalized Recall": f"gR(gains={w1})@{n}",
        "SBTO": f"SBTO(share=True)@{n}",
    }
    names = (rbp, f"{rbp}, W3", "gRBP p = 0.2", "gRBP p = 0.8", "DCG", "ERR")
    return Half(
        name="graded",
        lists=lists,
        measures=sets | ranked | weighted,
        sets=(("Generalized Precision", "SBTO"), ("Generalized Recall", "SBTO"),
              ("Generalized Precision", "Generalized Recall"), ("SBTO", "RBTO")),
        ranks=(*((name, rbto) for name in names), (rbto, "RBTO, W2"), (rbto, "RBTO, W3")),
        set_based=tuple(sets),
        rank_based=tuple(ranked),
        unweighed=unweighed,
    )  # fmt: skip


def _halves(s: Setting) -> tuple[Half | str, ...]:
    return s.once("halves", lambda: (_binary(_cut(s)), _graded(_cut(s))))


def _material(s: Setting, half: Half) -> StudyMaterial:
    return s.once(f"{half.name} material", lambda: material(half.lists, half.measures, workers=s.workers))


def _similarity(s: Setting, half: Half) -> Similarity:
    return s.once(f"{half.name} similarity", lambda: similarity(_material(s, half), workers=s.workers))


def _power(s: Setting, half: Half) -> DiscriminativePower:
    return s.once(
        f"{half.name} power",
        lambda: discriminative_power(
            _material(s, half), tests=tuple(TESTS.values()), alpha=s.alpha, workers=s.workers
        ),
    )  # fmt: skip


def _thinned(s: Setting, half: Half) -> Incompleteness:
    return s.once(
        f"{half.name} incompleteness",
        lambda: incompleteness(
            half.lists, {name: half.measures[name] for name in (*half.set_based, *half.rank_based)},
            fractions=(1.0, *POOL_FRACTIONS), resampling=s.draws("samples"), workers=s.workers,
        ),
    )  # fmt: skip


def _both(
    s: Setting, names: list[str], caption: str, rows: Any, *, left: int, formats: Mapping[str, str] | None = None
) -> Parts:
    """One table of both halves; the graded one is left out where judgments are binary."""
    lines, missing = [], dict[str, str]()
    for half in _halves(s):
        if isinstance(half, str):
            missing["graded half"] = half
        else:
            lines += [(half.name, *row) for row in rows(half)]
    table = Table(values=by_rows(["relevance", *names], lines), caption=caption, left=left, formats=formats or {})
    return {"": table, **missing}


def _correlations(s: Setting, which: str) -> Parts:
    def rows(half: Half) -> list[tuple[Any, ...]]:
        similar = _similarity(s, half)
        pairs = {(a, b): similar.of(a, b) for a, b in (half.sets if which == "sets" else half.ranks)}
        return [(f"{a} vs {b}", taus["topic_tau"], taus["tau"]) for (a, b), taus in pairs.items()]

    n = _cut(s).code.shape[-1]
    caption = f"Kendall's tau-b, the mean over topics and of the means over topics; lists of {n} documents."
    return _both(s, ["pair", "topic by topic", "overall"], caption, rows, left=2)


def _significant(s: Setting, which: str) -> Parts:
    def rows(half: Half) -> list[tuple[Any, ...]]:
        power = _power(s, half)
        names = half.set_based if which == "sets" else half.rank_based
        pairs = len(power.first)
        counts = {name: [round(power.share(name, test) * pairs) for test in TESTS.values()] for name in names}
        return [
            (name, pairs, *(x for count in counts[name] for x in (count, 100 * count / pairs)))
            for name in names
        ]  # fmt: skip

    names = ["measure", "pairs"]
    for test in TESTS:
        names += [test, f"{test}, %"]
    caption = (
        f"Pairs of systems that differ significantly by Tukey's HSD, p < {s.alpha:g}; ANOVA of systems and topics."
    )
    return _both(s, names, caption, rows, left=2, formats={f"{test}, %": ".2f" for test in TESTS})


def _pools(s: Setting, which: str) -> Parts:
    names = ["measure", "sampling", "fraction", "tau", "sd", "lowest", "highest", "samples"]

    def rows(half: Half) -> list[tuple[Any, ...]]:
        shown = (*half.set_based, "RBTO") if which == "sets" else half.rank_based
        columns = _thinned(s, half).columns()
        return [row for row in zip(*columns.values(), strict=True) if row[0] in shown]

    samples = plural(s.draws("samples").resamples, "sample")
    caption = f"Kendall's tau-b between rankings of systems with the whole pool and with a fraction; {samples}."
    return _both(s, names, caption, rows, left=3, formats={"fraction": "g"})


def _lengths(s: Setting) -> Parts:
    """Each measure against itself at other lengths of the lists."""
    deepest = s.lists.code.shape[-1]
    lengths = sorted({n for n in (*LENGTHS, DEPTH) if n <= deepest})
    if DEPTH not in lengths or len(lengths) == 1:
        return {"length": f"lists end at rank {deepest}; those of {DEPTH} documents are compared with others"}
    longest = with_depth(s.lists, max(lengths))
    at: dict[int, tuple[Half | str, ...]] = {}
    for n in lengths:
        lists = with_depth(s.lists, n)
        at[n] = _binary(lists), _graded(lists)

    def rows(half: Half) -> list[tuple[Any, ...]]:
        place = 0 if half.name == "binary" else 1
        halves = {n: both[place] for n, both in at.items()}
        lists = one_grade(longest) if half.name == "binary" else longest
        lines = []
        for name in (*half.set_based, *half.rank_based):
            cut = {f"{n}": _at(h.measures[name], n) for n, h in halves.items() if not isinstance(h, str)}
            similar = similarity(material(lists, cut, workers=s.workers), workers=s.workers)
            pairs = [(n, tuple(sorted((n, DEPTH)))) for n in lengths if n != DEPTH]
            for n, (short, long) in pairs:
                of = similar.of(f"{short}", f"{long}")
                lines.append((name, n, of["topic_tau"], of["tau"]))
        return lines

    left = [n for n in LENGTHS if n not in lengths]
    longer = {f"length {n}": f"lists end at rank {deepest}" for n in left}
    caption = f"Kendall's tau-b between lists of {DEPTH} documents and of another length, by the same measure."
    return {**_both(s, ["measure", "length", "topic by topic", "overall"], caption, rows, left=2), **longer}


def _at(measure: str, n: int) -> str:
    """The measure of lists of n documents, for longer ones."""
    return measure if "@" in measure else f"{measure}@{n}"


def _footnote(s: Setting) -> Parts:
    """DCG and ERR with their own weights and with those of RBTO."""
    half = _halves(s)[1]
    if isinstance(half, str):
        return {"graded half": half}
    names = ("DCG", "ERR")
    measures = {name: half.measures[name] for name in (*names, "RBTO")} | dict(half.unweighed)
    scored = material(half.lists, measures, workers=s.workers)
    similar = similarity(scored, workers=s.workers)
    power = discriminative_power(scored, tests=tuple(TESTS.values()), alpha=s.alpha, workers=s.workers)
    rows = []
    for name in names:
        for weights, measure in (("5 a step", name), ("W1", f"{name}, W1")):
            rbto, own = similar.of(*_ordered(scored, measure, "RBTO")), None
            if measure != name:
                own = similar.of(*_ordered(scored, name, measure))
            shares = [100 * power.share(measure, test) for test in TESTS.values()]
            rows.append((name, weights, rbto["topic_tau"], rbto["tau"], own and own["topic_tau"], own and own["tau"],
                         *shares))  # fmt: skip
    columns = ["measure", "weights", "RBTO, topic by topic", "RBTO, overall", "5 a step, topic by topic",
               "5 a step, overall", *(f"{test}, %" for test in TESTS)]  # fmt: skip
    caption = (
        f"Kendall's tau-b with RBTO and with the same measure by its own weights, and pairs of systems told apart by "
        f"Tukey's HSD, p < {s.alpha:g}."
    )
    return {"": Table(values=by_rows(columns, rows), caption=caption, left=2,
                      formats={f"{test}, %": ".2f" for test in TESTS})}  # fmt: skip


def _ordered(scored: StudyMaterial, a: str, b: str) -> tuple[str, str]:
    """Two candidates in the order that the material has them in."""
    return (a, b) if scored.names.index(a) < scored.names.index(b) else (b, a)


def _definition_1(_: Setting) -> Parts:
    """The axioms by enumeration: of the paper's two orders, and of differences of measures."""
    looked: list[tuple[str, str, int, int, str | None]] = [
        (f"length, {order}-based", order, n, c, None) for order, sizes in CHECKED.items() for n, c in sizes
    ]
    looked += [(name, "rank", AT, 1, name) for name in ("RBTO", "RBP(p=0.5)", "P", "RBP(p=0.8)", "AP", "DCG", "ERR")]
    rows = []
    for what, order, n, c, measure in looked:
        structure = difference_structure(n, grades=c, order="set" if order == "set" else "rank", measure=measure)
        broken = next((axiom for axiom in structure.axioms if not axiom.holds), None)
        shown = ", ".join(map(written, broken.rankings)) if broken else ""
        verdicts = ["holds" if axiom.holds else "fails" for axiom in structure.axioms]
        rows.append((what, n, c, len(structure.elements), *verdicts, shown))
    names = ["difference", "N", "c", "elements", *(f"axiom {name}" for name in AXIOMS), "counterexample"]
    caption = (
        "The axioms of Definition 1, each looked at for all elements: lengths of intervals on the total orders, and "
        "differences of measures. Counterexamples name a, b, c and d of the axiom."
    )
    return {"": Table(values=by_rows(names, rows), caption=caption, left=1)}


_TIES = "tau-b; topics on which a measure ties all systems have none. Scores are compared exactly where they can be."
_WEIGHTS = (
    "W1 numbers the grades, W2 doubles that, W3 raises the highest by one, and DCG (base 10) and ERR weigh a step 5: "
    "of three grades [0, 1, 2], [0, 2, 4], [0, 1, 3] and [0, 5, 10], as in the paper."
)

PAPER = Paper(
    name="interval-scales",
    reference="Ferrante, Ferro and Losiouk 2020, How do interval scales help us with better understanding IR "
    "evaluation measures?",
    n_topics=2,
    uses=("samples", "alpha"),
    notes=(
        f"Lists are cut at {DEPTH} documents, or where they end before; AP is over all relevant documents.",
        "The paper has binary measures on one collection and graded ones on another; here both are on the same, with "
        "its relevant grades as one for the former.",
        "SBTO and RBTO are divided by their largest value, which changes no order and no test.",
        "SBTO follows the rank function with degrees in descending order; the text prints ascending.",
        _WEIGHTS,
    ),
    items=(
        Item(
            number="Definition 1", title="Axioms of a difference structure", make=_definition_1,
            chosen="The paper proves them elsewhere; here they are looked at by enumeration, for small N and c. "
            "Lengths are counted from the order alone, not taken from the rank function.",
        ),
        Item(
            number="Section 5.1", title="Length of the lists", make=_lengths, needs="lists",
            chosen=f"The paper says that scores at lengths of {', '.join(map(str, LENGTHS))} are consistent with those "
            f"at {DEPTH}, without numbers.",
        ),
        Item(
            number="Footnote 1", title="DCG and ERR with the weights of RBTO", make=_footnote, needs="lists",
            chosen="The paper says that results are very close, without numbers. For DCG they are the same: W1 is a "
            "multiple of its own weights.",
        ),
        Item(number="Table 1", title="Correlation of set-based measures", needs="lists", chosen=_TIES,
             make=partial(_correlations, which="sets")),
        Item(number="Table 2", title="Correlation of rank-based measures", needs="lists", chosen=_TIES,
             make=partial(_correlations, which="ranks")),
        Item(
            number="Table 3", title="Significant pairs by set-based measures", needs="lists",
            make=partial(_significant, which="sets"),
            chosen="Whether the ANOVA has a factor for topics is not said; the printed shares fit the one that has. "
            "The other is given beside it.",
        ),
        Item(number="Table 4", title="Significant pairs by rank-based measures", needs="lists",
             make=partial(_significant, which="ranks"), chosen="As Table 3."),
        Item(
            number="Figure 1", title="Incompleteness: samples of the pool, set-based measures", needs="documents",
            make=partial(_pools, which="sets"), drawn="incompleteness",
            chosen="Several samples instead of one, with their spread; shares are rounded down, and a topic whose "
            "uniform sample has no relevant document is drawn again by itself.",
        ),
        Item(number="Figure 2", title="Incompleteness: samples of the pool, rank-based measures", needs="documents",
             make=partial(_pools, which="ranks"), drawn="incompleteness", chosen="As Figure 1."),
    ),
)  # fmt: skip
