"""A comparison in words: the answer, the evidence, a paragraph for a paper.

Swapping the two systems swaps the words with them. Every sentence is as strong as its test, and no stronger:
docs/validity-verdict.md counts how often each claim is made in error.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from rankscope.arrays import PADDING, UNJUDGED
from rankscope.comparisons.effect import TESTS, Effect
from rankscope.comparisons.repeats import components_block
from rankscope.comparisons.scored import FEWEST, left_out
from rankscope.comparisons.sensitivity import (
    FOR_A,
    FOR_B,
    LISTS,
    MEANINGS,
    DifferenceBounds,
    Outcome,
    Repetition,
    outcome_of,
)
from rankscope.comparisons.without_metric import WithoutMetric, cutoff_of
from rankscope.errors import output, plural
from rankscope.formatting import p_value, percent, probability, score
from rankscope.layout import Block, Drawing, Layer, Table, Tone, Toned, interval_bar
from rankscope.measures import parse
from rankscope.measures.catalogue.interval import ON_MEANS
from rankscope.measures.scoring import documented_threshold
from rankscope.statistics import variance_components
from rankscope.statistics.pairs.replication import ASSUMPTIONS, GOAL, Replication
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.comparisons.comparing import Comparison
    from rankscope.comparisons.human_topics import WithMachine
    from rankscope.comparisons.slices import Slices

REFERENCES = {
    "Moffat and Mackenzie 2024": "A. Moffat and J. Mackenzie (2024). How much freedom does an effectiveness metric "
    "really have? JASIST 75(6), 686-703.",
    "Berger 1982": "R. L. Berger (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics "
    "24(4), 295-300.",
    "Gaffke 2005": "N. Gaffke (2005). Three test statistics for a nonparametric one-sided hypothesis on the mean of a "
    "nonnegative variable. Mathematical Methods of Statistics 14(4), 451-467.",
}
MOFFAT, BERGER, GAFFKE = REFERENCES
OUTER = "wide enough, but not every value between them can happen"
COVERED = "P, DCG, RBP and the like, with the same gains; not nDCG, AP, RR or ERR"

_TONES: dict[str, Tone] = {"holds": "holds", "weakens": "changes", "reverses": "changes", "appears": "changes"}
_WORST: tuple[Outcome, ...] = ("reverses", "weakens", "appears", "holds")
_AXES = {
    "test": "other tests",
    "metric": "other metrics",
    "ties": "order of ties",
    "judge": "other judges",
    "topics": "equal topics",
    "slice": "slices",
}
_AXIS = {
    "test": "test", "metric": "metric", "ties": "order of ties", "judge": "judge", "topics": "topics", "slice": "slice"
}  # fmt: skip
_SHORT = {
    FOR_A: "the order best for A",
    FOR_B: "the order best for B",
    TESTS["wilcoxon"]: "Wilcoxon's",
    TESTS["t"]: "Student's t",
    TESTS["randomisation"]: "randomisation",
}
_CELL = 50  # letters of a cell beside the name of a choice and its outcome, on a line of 80
_FEW = 500  # unjudged documents that somebody could judge
_SLICES = 5  # rows of slices in the short layer
_BAR = 36  # columns of the drawing of an interval


def blocks(c: Comparison, layer: Layer) -> list[Block]:
    """Printed blocks of a comparison; the verdict is first in every layer."""
    return _short(c) if layer == "short" else [Block("", _verdict(c)), *evidence(c)]


def _short(c: Comparison) -> list[Block]:
    """The answer: verdict, effect, what other choices make of it, what to do next."""
    title = f"{c.measure}, {_mean(c)} over {plural(c.effect.n_topics, 'topic')}; {c.effect.test_name}"
    parts = [Block("", _verdict(c)), Block(title, [*_effect(c, exact=False), *_repeats(c)])]
    if c.slices is not None:
        parts.append(_slices_shortly(c.slices))
    rows = [] if c.slices is not None else survey(c)  # one screen has room for one of the two tables
    if rows:
        hold, show = "Does the verdict hold? (on the same topics)", "Does another choice show a difference?"
        question = hold if c.verdict else f"{show} (same topics; p not corrected)"
        parts.append(Block(question, [Table([], rows, left=2, prose=True)]))
    return [*parts, Block("", [*_pairs(c, shortly=True), f"Next: {_next(c)}", _more()])]


def evidence(c: Comparison) -> list[Block]:
    """The evidence, one block per question."""
    parts = [_size(c)]
    if c.slices is not None:
        parts.append(_slices(c.slices))
    if c.replication is not None:
        parts.append(_replicated(c, c.replication))
    if c.repetitions or c.not_repeated:
        parts.append(_repetitions(c))
    if "judge" in {*(r.axis for r in c.repetitions), *(r.axis for r in c.not_repeated)}:
        parts.append(_judges(c))
    if c.machine is not None:
        parts.append(_machine(c, c.machine))
    if c.unjudged is not None:
        parts.append(_unjudged(c, c.unjudged))
    if c.without is None:
        why = next((part.reason for part in c.not_repeated if part.axis == LISTS), "")
        scores = "Only scores were given. IPSO, dominance and preferences need the ranked lists."
        lines = [f"Not computed: {why}." if why else scores]
        parts.append(Block("Which system is ahead without a metric?", lines))
    else:
        parts += [_ipso(c, c.without), _dominance(c, c.without), _preferences(c, c.without)]
    if c.scored.runs:
        parts.append(components_block(variance_components(dict(zip(c.systems, c.scored.runs, strict=True)))))
    return [*parts, _comparisons(c), _report(c)]


# the verdict


def _verdict(c: Comparison) -> list[str]:
    """The verdict in two lines: what is shown, and what that says."""
    first, *more = _claims(c, exact=False)
    alarms = [] if c.slices is None else [Toned(line, "changes") for line in c.slices.alarms()]
    return [Toned(first, "strong"), *alarms, *([" ".join(more)] if more else [])]


def _claims(c: Comparison, *, exact: bool) -> list[str]:
    """Sentences of the verdict; the first stands alone."""
    a, b = c.systems
    e = c.effect
    p = p_value(e.pvalue, exact=exact)
    if e.n_units < FEWEST:
        count = plural(e.n_topics, "topic") if not e.n_clusters else plural(e.n_clusters, "cluster")
        return [f"{count}: too few to tell {a} and {b} apart; a verdict needs {FEWEST} or more."]
    if e.won == e.lost == 0:
        return [f"{a} and {b} score the same on {c.measure} on every topic."]
    if c.opposed:
        return [f"No difference between {a} and {b} is shown on {c.measure}: {_odds(c)} ({p})."]
    higher, lower = (b, a) if e.difference > 0 else (a, b)
    size = score(abs(e.difference)) if exact or abs(e.difference) >= 5e-5 else "less than 0.0001"
    if c.verdict:
        return [
            f"{higher} scores higher than {lower} on {c.measure}: by {size}, {p}.",
            _rarity(c, alone=exact or c.n_systems <= 2),
        ]
    by = f"{higher} scores {size} higher" if e.difference else "their means are the same"
    return [
        f"No difference between {higher} and {lower} is shown on {c.measure}: {by}, {p}.",
        "The sampling of topics alone could explain it. Equality is not shown either.",
    ]


def _rarity(c: Comparison, *, alone: bool) -> str:
    """What a p value below alpha says; where it stands alone, also that it is not corrected."""
    result = "so large a difference" if _on_means(c.effect) else "so one-sided a result"
    beside = f" (p below {c.alpha:g}; one planned pair, not corrected)" if alone else ""
    return f"If {_null(c)}, {result} would be rare{beside}."


def _null(c: Comparison) -> str:
    """The hypothesis that the test may reject, in words."""
    return "the true means were equal" if _on_means(c.effect) else "topics favoured neither system"


def _on_means(e: Effect) -> bool:
    """Whether the test is of the mean, not of signs or ranks."""
    return e.test in ("t", "randomisation")


def _odds(c: Comparison) -> str:
    """Contradiction of test and mean, in words."""
    a, b = c.systems
    e = c.effect
    favoured = b if e.lean > 0 else a
    if not e.difference:
        return f"the test favours {favoured}, but the means are the same"
    return f"the test favours {favoured}, but the mean of {b if e.difference > 0 else a} is higher"


def sentence(c: Comparison) -> str:
    """The verdict in a few plain sentences."""
    e = c.effect
    p = p_value(e.pvalue)
    first, *more = _claims(c, exact=True)
    if not first.endswith(f", {p}."):
        return " ".join([first, *more])
    sign = -1 if e.difference < 0 else 1
    low, high = sorted((sign * e.lower + 0.0, sign * e.upper + 0.0))
    within = f"{_level(e)} interval {score(low)} to {score(high)}{_whose(e)}; " if _has_interval(e) else ""
    first = f"{first.removesuffix(f', {p}.')} ({within}{p}; {plural(e.n_topics, 'topic')})."
    return " ".join([first, *more, *([_generality(c)] if c.verdict else []), *_judges_sentence(c)])


def _judges_sentence(c: Comparison) -> list[str]:
    """What other judges make of the verdict, in one sentence; and what human and machine labels show together."""
    rows = [r for r in c.repetitions if r.axis == "judge"]
    sentences = []
    if rows:
        kept = sum(r.outcome == "holds" for r in rows)
        parts = [f"{'The verdict' if c.verdict else 'That no difference is shown'} holds for {kept} of "
                 f"{plural(len(rows), 'other judge')}"]  # fmt: skip
        for outcome, words in (
            ("weakens", "nothing is shown"), ("reverses", "it reverses"), ("appears", "a difference is shown"),
        ):  # fmt: skip
            if names := [r.name for r in rows if r.outcome == outcome]:
                parts.append(f"under {_listed(names, _CELL)} {words}")
        sentences.append("; ".join(parts) + ".")
    if c.machine is not None:
        p = c.machine.result
        sentences.append(
            f"With the labels of {c.machine.machine} on {plural(p.n_unlabelled, 'more topic')} the difference is "
            f"{score(p.difference)} ({100 * p.level:g} % interval {score(p.lower)} to {score(p.upper)}, "
            f"{p_value(p.pvalue)})."
        )
    return sentences


def _generality(c: Comparison) -> str:
    """For which other metrics a shown difference speaks, in one sentence."""
    a, b = c.systems
    better, worse = (b, a) if c.verdict > 0 else (a, b)
    if c.scored.design is not None:
        return "IPSO and dominance, which take topics as independent, were not computed."
    if c.without is None:
        return "Other metrics were not looked at."
    if c.universal:
        p = p_value(c.without.dominance_pvalue(c.verdict))
        return (
            f"At level {c.alpha / 2:g} the mean of {better} is also shown to be higher under every static "
            f"rank-weighted metric to depth {c.without.ipso.depth} ({p}). These are {COVERED}."
        )
    ni, ns, _, _ = c.without.counts
    if ni == ns == 0:
        return f"IPSO orders {better} and {worse} on no topic to depth {c.without.ipso.depth}."
    test, p = "IPSO's sign test, which needs no metric,", p_value(c.without.ipso.pvalue)
    if c.corroborated:
        return f"{test} points to {better}, too ({p}); this does not cover every metric."
    if c.without.ipso.pvalue < c.alpha:
        return f"{test} points to {worse} ({p}): the verdict is for {c.measure} alone."
    return f"{test} does not show a difference ({p}): the verdict is for {c.measure} alone."


# the effect


def _effect(c: Comparison, *, exact: bool) -> list[str | Table]:
    """Both means, their difference with interval and p, the drawing of the interval, and remarks."""
    a, b = c.systems
    e = c.effect
    means = [["A", a, f"{c.means[0]:.4f}"], ["B", b, f"{c.means[1]:.4f}"]]
    interval = f"{_level(e)} interval {_to(e)}{_whose(e)}" if _has_interval(e) else "no interval"
    tested = f"; {e.method}" if exact else ""
    parts: list[str | Table] = [
        Table([], means, left=2),
        f"B - A = {score(e.difference)}, {interval}, {p_value(e.pvalue, exact=exact)}{tested}",
    ]
    if _has_interval(e):
        bar = interval_bar(e.lower, e.difference, e.upper, width=_BAR)
        mark = next((f"{sign} marks 0" for sign in "│┿" if sign in bar), "0 is under ●")
        parts.append(Drawing(f"{bar}  ({mark})"))
    parts.append(f"B is higher on {plural(e.won, 'topic')}, lower on {e.lost}, equal on {e.tied}.")
    return [*parts, *_design(c), *_remarks(c)]


def _design(c: Comparison) -> list[str]:
    """Clusters and weights of the topics, and what they make of their number."""
    e, design = c.effect, c.scored.design
    if design is None:
        return []
    lines = []
    if design.plan.weights is not None:
        lines.append(
            f"Means are weighted by {design.plan.weights!r}: they speak of a population in which each topic has that "
            "weight, not of each topic once."
        )
    clusters = "" if not e.n_clusters else f" in {plural(e.n_clusters, 'cluster')} ({design.plan.clusters})"
    if e.design_effect is not None and e.design_effect > 0:
        lines.append(
            f"Design effect {e.design_effect:.2f}: {plural(e.n_topics, 'topic')}{clusters} are as precise as about "
            f"{e.effective_topics:,.0f} independent {'topic' if round(e.effective_topics) == 1 else 'topics'}."
        )
    return lines


def _mean(c: Comparison) -> str:
    """The kind of mean."""
    return "mean" if c.scored.design is None or c.scored.design.weights is None else "weighted mean"


def _repeats(c: Comparison) -> list[str]:
    """Whether the verdict would repeat on new topics, in one line."""
    r = c.replication
    if r is None:
        return []
    new = f"On {plural(r.n_topics, 'new topic')}"
    if c.verdict:
        return [
            f"{new}: same sign {_rounded(r.same_sign)} %, shown again {_rounded(r.shown)} % "
            f"({_rounded(r.lower)} to {_rounded(r.upper)} %)."
        ]
    return [f"{new}: a difference would be shown in about {percent(r.shown + r.opposite)} % of samples."]


def _rounded(share: float) -> str:
    """A share in per cent, as short as can be."""
    return percent(share).replace("over ", ">").replace("below ", "<")


def _replicated(c: Comparison, r: Replication) -> Block:
    a, b = c.systems
    higher, lower = (b, a) if c.effect.difference >= 0 else (a, b)
    rows = [
        [f"{higher} has the higher mean", f"{percent(r.same_sign)} %"],
        [f"{higher} is shown to score higher", f"{percent(r.shown)} %"],
        [f"{lower} is shown to score higher", f"{percent(r.opposite)} %"],
        ["no difference is shown", f"{percent(r.none_shown)} %"],
    ]
    if r.goal_topics is not None:
        goal = f"With about {r.goal_topics:,} new topics, {higher} would be shown to score higher in 90 %."
    elif r.limit <= GOAL:
        goal = f"No number of new topics gives 90 %: that {higher} is better at all has {percent(r.limit)} %."
    else:
        goal = "More than 1,000,000 new topics would be needed for 90 %."
    return Block(
        f"Would it repeat on {plural(r.n_topics, 'new topic')}?",
        [
            Table(["on a new sample of topics", "probability"], rows, left=1),
            f"Shown: t, two-sided p below {r.alpha:g}. If the true difference were at an end of its "
            f"{100 * r.level:g} % interval, it would be shown in {percent(r.lower)} or in {percent(r.upper)} %.",
            goal,
            *(f"Assumed: {assumption}." for assumption in ASSUMPTIONS),
        ],
        [
            "What it is: the probability of each outcome on new topics, given these, by the predictive distribution of "
            "t. It averages over the true differences that these topics leave plausible.",
            "How to read it: a p value just below 0.05 repeats in about half of all samples. The interval shows how "
            "little these topics say about that probability.",
        ],
    )


def _slices_shortly(groups: Slices) -> Block:
    header, rows = groups.rows()
    shown = rows[:_SLICES]
    more = [f"{len(rows) - len(shown)} more: {output('full')}."] if len(rows) > len(shown) else []
    cells = [[*row[:5], row[6]] for row in shown]
    table = Table([*header[:5], header[6]], cells, left=1, optional=(3,))
    return Block("", [table, " ".join([groups.dependence(), *more])])


def _slices(groups: Slices) -> Block:
    return Block(
        f"Does the difference depend on {groups.by}?",
        [
            Table(*groups.rows(), left=1, optional=(5,)),
            *groups.alarms(),
            groups.dependence(),
            groups.note(),
        ],
        [
            "What it is: the same comparison on parts of the topics. Shrunken: each difference drawn to the mean of "
            "all slices, the more so the less certain it is.",
            "How to read it: the test of dependence comes first. Without it, a slice that stands out may do so by "
            "chance, and its shrunken estimate is the better guess.",
        ],
    )


def _remarks(c: Comparison) -> list[str]:
    """What a reader of the interval or of the test must know."""
    e = c.effect
    remarks = [f"{part[0].upper()}{part[1:]}." for part in e.remark.split("; ") if part]
    if c.scored.left_out:
        remarks.append(f"{plural(len(c.scored.left_out), 'topic')} {left_out(c.scored.reasons)}.")
    if c.scored.judged is not None and c.scored.record is not None:  # the measure's name has its threshold
        remarks.append(documented_threshold(c.scored.record, c.scored.judged.rules.data_set, brief=True))
    if c.scored.record is not None:
        low, high = c.scored.record.bounds
        reach = high - low
        if _has_interval(e) and isfinite(reach) and max(-e.lower, e.upper) > reach:
            remarks.append(
                f"The interval reaches beyond {-reach:g} to {reach:g}, the range of a difference of {c.measure}: the "
                "method does not know the range."
            )
    return [*filter(None, remarks)]


def _has_interval(e: Effect) -> bool:
    """Whether the interval says anything: its ends are finite, and two."""
    return isfinite(e.lower) and isfinite(e.upper) and e.lower < e.upper


def _level(e: Effect) -> str:
    return f"{100 * e.level:g} %"


def _to(e: Effect) -> str:
    """Ends of the interval."""
    return f"{score(e.lower)} to {score(e.upper)}"


def _whose(e: Effect) -> str:
    """Whose interval it is, where it is not that of the test."""
    if e.test not in ("wilcoxon", "sign"):
        return ""
    return " (cluster-robust t)" if e.n_clusters else " (Student)"


# does it hold?


def survey(c: Comparison) -> list[list[str]]:
    """One row per kind of choice: what was tried, what that makes of the verdict, and the exceptions."""
    if c.effect.n_units < FEWEST:
        return []
    rows = []
    for axis, words in _AXES.items():
        outcomes = [r.outcome for r in c.repetitions if r.axis == axis]
        missing = sum(r.axis == axis for r in c.not_repeated)
        if outcomes:
            word = next(w for w in _WORST if w in outcomes)
            cell = _exceptions(c, axis, missing) if c.verdict else _shown(c, axis, missing)
            rows.append([words, _outcome(c, word, len(outcomes) - outcomes.count("holds")), cell])
        elif axis == "ties" and c.repetitions and c.scored.judged is not None:
            rows.append([words, Toned("not tried", "undecided"), "only one order was read"])
    if c.machine is not None:
        both = c.machine.result
        shown = Toned("shown", "holds") if both.pvalue < c.alpha else Toned("not shown", "undecided")
        ends = f"{score(both.lower)} to {score(both.upper)}"
        rows.append(["with machine", shown, f"B - A = {score(both.difference)}, {ends}"])
    if c.unjudged is not None:
        rows.append(["unjudged docs", *_unjudged_row(c, c.unjudged)])
    if c.without is not None:
        rows.append(["without metric", *_ipso_row(c, c.without)])
        if c.universal:
            p = p_value(c.without.dominance_pvalue(c.verdict), exact=False)
            rows.append(["rank weights", Toned("shown", "holds"), f"all P, DCG, RBP; not nDCG, AP, RR, ERR; {p}"])
    return rows


def _outcome(c: Comparison, word: Outcome, count: int = 0) -> Toned:
    """The outcome as a cell; without a verdict nothing holds, and a difference is shown by so many choices or none."""
    shown = word if c.verdict else "none shown" if word == "holds" else f"{count or ''} shown".lstrip()
    return Toned(shown, _TONES[word] if c.verdict or word != "holds" else "undecided")


def _shown(c: Comparison, axis: str, missing: int) -> str:
    """Which repetitions show a difference that the verdict does not claim, with p where it is one."""
    tried = [r for r in c.repetitions if r.axis == axis]
    differing = [r for r in tried if r.verdict]
    tail = f"; {missing} not computed" if missing else ""
    if not differing:
        return f"0 of {len(tried)} show a difference{tail}"
    under = "in" if axis in ("ties", "slice") else "under"
    head = f"{len(differing)} of {len(tried)}: "
    kinds = []
    for verdict, system in ((1, "B"), (-1, "A")):
        if names := [_name(r) for r in differing if r.verdict == verdict]:
            kinds.append((f"{system} higher {under} ", names))
    p = f" ({p_value(differing[0].effect.pvalue, exact=False)})" if len(differing) == 1 else ""
    room = _CELL - len(head) - len(p) - len(tail) - sum(len(words) for words, _ in kinds) - 2 * (len(kinds) - 1)
    return head + "; ".join(f"{words}{_listed(names, room // len(kinds))}" for words, names in kinds) + p + tail


def _name(r: Repetition) -> str:
    """Short name of a choice."""
    return _SHORT.get(r.name, r.name.partition(" (grade ")[0])


def _exceptions(c: Comparison, axis: str, missing: int) -> str:
    """How many repetitions hold, and which do not, in as many letters as a line of 80 has room for."""
    tried = [r for r in c.repetitions if r.axis == axis]
    kept = sum(r.outcome == "holds" for r in tried)
    under = "in" if axis in ("ties", "slice") else "under"
    kinds = []
    for verdict, shown in ((1, "B higher"), (-1, "A higher"), (0, "not shown")):
        if names := [_name(r) for r in tried if r.outcome != "holds" and r.verdict == verdict]:
            kinds.append((f"{shown} {under}", names))
    head = f"{kept} of {len(tried)}{' hold' if kinds else ''}"
    tail = [f"{missing} not computed"] if missing else []
    if turned := [_name(r) for r in tried if _turned(c, r)]:
        counts = [f"{len(names)} {words.removesuffix(f' {under}')}" for words, names in kinds]
        room = _CELL - len("; ".join([head, *counts, *tail])) - len(", other sign: ")
        listed = _listed(turned, room)
        sign = f"other sign: {listed}" if len(listed) <= room else f"{len(turned)} with the other sign"
        return "; ".join([head, f"{'; '.join(counts)}, {sign}", *tail])
    room = _CELL - len("; ".join([head, *tail, *(f"{words} " for words, _ in kinds)]))
    named = [f"{words} {_listed(names, room // len(kinds))}" for words, names in kinds]
    if len(kinds) > 1 and sum(map(len, named)) > room:
        named = [f"{words} {len(names)}" for words, names in kinds]
    return "; ".join([head, *named, *tail])


def _listed(names: Sequence[str], room: int) -> str:
    """Names, as many as there is room for, at least one, and how many more there are."""
    for count in range(len(names), 1, -1):
        more = f" and {len(names) - count} more" if count < len(names) else ""
        if len(listed := f"{', '.join(names[:count])}{more}") <= room:
            return listed
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _turned(c: Comparison, r: Repetition) -> bool:
    """Whether the mean difference has the other sign, and is not shown."""
    return r.outcome == "weakens" and r.effect.difference * c.verdict < 0


def _unjudged_row(c: Comparison, ends: DifferenceBounds) -> list[str]:
    if ends.lower == ends.upper:
        return [Toned("no effect", "holds"), "none could change B - A"]
    bounds = f"{score(ends.lower)} to {score(ends.upper)}"
    if ends.lower > 0 or ends.upper < 0:
        return [Toned("sign kept", "undecided"), f"no test; B - A stays within {bounds}"]
    cutoff = None if c.scored.record is None else cutoff_of(c.scored.record)
    top = "" if cutoff is None else f" of top {cutoff}"
    cause = f"{_unjudged_share(c)}{top} unjudged" if _unjudged_seen(c)[0] else "deeper ones unjudged"
    return [Toned("sign open", "undecided"), f"{cause}; B - A: {bounds}"]


def _unjudged_share(c: Comparison) -> str:
    """Share of the documents that the metric looks at that is unjudged."""
    count, documents = _unjudged_seen(c)
    share = 100 * count / documents
    return "<1 %" if share < 1 else ">99 %" if 99 < share < 100 else f"{share:.0f} %"


def _ipso_row(c: Comparison, without: WithoutMetric) -> list[str]:
    ni, ns, equal, mixed = without.counts
    if ni == ns == 0:
        return [Toned("undecided", "undecided"), f"IPSO orders no topic: equal {equal:,}, open {mixed:,}"]
    word = outcome_of(c.verdict, _ipso_verdict(c, without))
    return [_outcome(c, word), f"IPSO: B ahead on {ns:,}, A {ni:,}, equal {equal:,}, open {mixed:,}"]


def _ipso_verdict(c: Comparison, without: WithoutMetric) -> int:
    """1 where IPSO's sign test is significant for b, -1 where it is for a, else 0."""
    ni, ns, _, _ = without.counts
    return int(np.sign(ns - ni)) if without.ipso.pvalue < c.alpha else 0


def _next(c: Comparison) -> str:
    """What to do next, in one line."""
    e = c.effect
    if e.n_units < FEWEST:
        return "add topics with judgments and lists of both systems."
    if e.won == e.lost == 0:
        return "check that the runs are not copies; a measure that looks deeper may tell them apart."
    if c.opposed:
        return (
            f"look at the topics with the largest differences ({output('topics')}); a few large ones decide the mean."
        )
    if c.uneven and c.unjudged is not None and _unjudged_seen(c)[0] <= _FEW:
        a, b = (f"{100 * share:.0f} %" for share in c.unjudged.judged)
        shares = f"{a} of A's and {b} of B's documents {_seen(c)} are judged"
        return f"rankscope judge-next: {shares}; others may turn the sign."
    if not c.verdict:
        return "more topics (rankscope plan --difference D), or a margin (rankscope gate)."
    unjudged = _unjudged_seen(c)[0]
    sign_open = c.unjudged is not None and c.unjudged.lower < 0 < c.unjudged.upper
    if sign_open and 0 < unjudged <= _FEW:
        documents = plural(unjudged, "unjudged document")
        return f"judge the {documents} {_seen(c)}; their grades may matter to the verdict."
    outcomes = {r.outcome for r in c.repetitions}
    if "reverses" in outcomes:
        return f"report that the verdict for {c.measure} reverses with another choice, and with which."
    if sign_open and unjudged:
        weakens = ", where it weakens," if "weakens" in outcomes else ""
        return f"report the verdict{weakens} and that {_unjudged_share(c)} of the documents {_seen(c)} are unjudged."
    if "weakens" in outcomes:
        return f"report the verdict for {c.measure} alone, and say where it weakens."
    return f"report it: {output('full')} has a paragraph for a paper."


def _more() -> str:
    """How to ask for the evidence."""
    return f"More: {output('full')} shows the evidence, {output('explain')} also how to read it."


def _seen(c: Comparison) -> str:
    """The documents that the metric looks at."""
    cutoff = None if c.scored.record is None else cutoff_of(c.scored.record)
    return "in both lists" if cutoff is None else f"at ranks 1 to {cutoff}" if cutoff > 1 else "at rank 1"


def _unjudged_seen(c: Comparison) -> tuple[int, int]:
    """How many documents that the metric looks at are unjudged, and how many there are, in both lists."""
    if c.scored.judged is None or c.scored.record is None:
        return 0, 0
    code = c.scored.judged.code[:, c.scored.at, : cutoff_of(c.scored.record)]
    return int(np.count_nonzero(code == UNJUDGED)), int(np.count_nonzero(code != PADDING))


def _pairs(c: Comparison, *, shortly: bool = False) -> list[str]:
    """One planned pair is another question than all pairs; empty where there are no other systems."""
    if c.n_systems <= 2:
        return []
    pairs = c.n_systems * (c.n_systems - 1) // 2
    lost = c.verdict and c.effect.pvalue * pairs >= c.alpha
    if shortly:
        other = f"(all {pairs:,} pairs) may not show it" if lost else f"corrects for all {pairs:,} pairs"
        return [f"p is for one planned pair; rankscope rank {other}."]
    apart = ", and may not tell these two apart" if lost else ""
    return [
        f"This p value is for one planned pair. rankscope rank corrects for all {pairs:,} pairs of the "
        f"{c.n_systems:,} systems{apart}."
    ]


# the evidence


def _size(c: Comparison) -> Block:
    e = c.effect
    explanation = [
        f"What it is: the mean of {c.measure} over topics for each system, and the mean difference. The p value is the "
        f"probability of a result at least this extreme if {_null(c)}.",
        f"How to read it: a p value below {c.alpha:g} counts as shown. The interval holds the differences that these "
        "topics leave plausible; the drawing shows it beside 0.",
    ]
    if _on_means(e) and (e.won or e.lost):
        explanation.append(f"{ON_MEANS}.")
    title = f"How large is the difference? ({c.measure}, {plural(e.n_topics, 'topic')})"
    return Block(title, _effect(c, exact=True), explanation)


def repetitions(c: Comparison) -> tuple[list[str], list[list[str]]]:
    """Table of the repetitions: header and rows, each with its outcome for the verdict."""
    verdicts = {1: "B higher", -1: "A higher", 0: "neither"}
    rows = [
        [Toned(r.outcome, _TONES[r.outcome]), _AXIS[r.axis], r.name, score(r.effect.difference),
         probability(r.effect.pvalue), verdicts[r.verdict]]
        for r in c.repetitions if r.axis != "judge"
    ]  # fmt: skip
    return ["outcome", "other", "choice", "B - A", "p", "shown"], rows


def _repetitions(c: Comparison) -> Block:
    outcomes = [r.outcome for r in c.repetitions]
    parts: list[str | Table] = []
    if c.repetitions:
        parts.append(Table(*repetitions(c), left=3, optional=(1,), prose=True))
        meanings = MEANINGS if c.verdict else MEANINGS | {"holds": "no difference is shown with this choice, either"}
        parts += [f"{word} ({outcomes.count(word)}): {meanings[word]}" for word in MEANINGS if word in outcomes]
    if turned := [r.name for r in c.repetitions if _turned(c, r)]:
        parts.append(f"B - A has the other sign under {', '.join(turned)}.")
    parts += [f"not computed: {r.name} ({r.reason})" for r in c.not_repeated if r.axis not in ("dominance", "judge")]
    if c.scored.judged is not None and "ties" not in {r.axis for r in c.repetitions} | {r.axis for r in c.not_repeated}:
        parts.append("Tied documents were not tried in other orders.")
    parts += _documented_threshold_of_others(c)
    return Block(
        "Would another test, metric or order of ties change the verdict?",
        parts,
        [
            "What it is: the same comparison on the same topics with one choice made otherwise. It is no independent "
            "evidence, and the metric that was chosen still decides.",
            "How to read it: the more rows hold, the less the verdict depends on a choice that someone could dispute."
            if c.verdict
            else "How to read it: rows that show no difference do not show that the systems are equal. Of many rows, "
            "one may show a difference by chance: p is not corrected.",
        ],
    )


def _documented_threshold_of_others(c: Comparison) -> list[str]:
    """The documented threshold of a known data set, where other metrics have another one, and the chosen one has it."""
    if c.scored.judged is None or c.scored.offer:
        return []
    data_set = c.scored.judged.rules.data_set
    others = [measure for r in c.repetitions if r.axis == "metric" for measure in parse(r.name)]
    return list(dict.fromkeys(text for m in others if (text := documented_threshold(m, data_set))))


def _judges(c: Comparison) -> Block:
    """Other judges: one row each, and the topics on which all of them order the lists alike."""
    rows = [
        [Toned(r.outcome, _TONES[r.outcome]), r.name, score(r.effect.difference), r.effect.interval,
         probability(r.effect.pvalue), str(r.effect.n_topics)]
        for r in c.repetitions if r.axis == "judge"
    ]  # fmt: skip
    lines: list[str | Table] = [
        Table(["outcome", "judge", "B - A", f"{100 * c.effect.level:g} % interval", "p", "topics"], rows, left=2),
        *(sentence for sentence in _judges_sentence(c)[:1] if rows),
        *(f"not computed: {r.name} ({r.reason})" for r in c.not_repeated if r.axis == "judge"),
    ]
    if c.alike is not None:
        like = c.alike
        lines.append(
            f"IPSO grants the same class under all {like.judges} judges on {like.alike} of "
            f"{plural(like.compared, 'topic')}: B ahead on {like.ahead_b}, A on {like.ahead_a}, equal on {like.equal}, "
            f"open on {like.open}. Sign test on these: {p_value(like.pvalue)}."
        )
    return Block(
        "Would the verdict hold with other judgments?",
        lines,
        [
            "What it is: the same comparison with the judgments of others, on the topics that each of them has judged.",
            "How to read it: judges share topics and documents, and machines may share errors. Their number is no "
            "number of independent experiments.",
        ],
    )


def _machine(c: Comparison, machine: WithMachine) -> Block:
    """Few human and many machine labels."""
    a, b = c.systems
    p = machine.result
    mean, low, high = p.human
    level = f"{100 * p.level:g} % interval"
    rows = [
        ["human topics alone", str(p.n_labelled), score(mean), f"{score(low)} to {score(high)}", ""],
        ["machine alone", str(p.n_labelled + p.n_unlabelled), score(p.machine), "", ""],
        ["both", str(p.n_labelled + p.n_unlabelled), score(p.difference), f"{score(p.lower)} to {score(p.upper)}",
         probability(p.pvalue)],
    ]  # fmt: skip
    lines: list[str | Table] = [Table(["labels", "topics", "B - A", level, "p"], rows)]
    lines.append(f"Weight of the machine's labels: {p.weight:.2f} (0 leaves them out, 1 trusts them as they are).")
    if p.bias_pvalue < c.alpha:
        favoured = b if p.bias < 0 else a
        lines.append(
            f"Warning: the errors of {machine.machine} differ between the two systems. It favours {favoured} by "
            f"{score(abs(p.bias))} ({p_value(p.bias_pvalue)}). The row of both corrects for it; the machine alone "
            "does not."
        )
    return Block(
        "What do few human labels and many of a machine show together?",
        [*lines, *p.plan()],
        [
            "What it is: prediction-powered inference (Angelopoulos et al. 2023). The machine's mean on all topics is "
            "corrected by its errors on the topics that people judged.",
            "How to read it: the row of both speaks of the human judge, whatever the machine's errors. It needs human "
            "topics that are a random sample of all topics.",
        ],
    )


def _unjudged(c: Comparison, ends: DifferenceBounds) -> Block:
    count, documents = _unjudged_seen(c)
    if count:
        lines = [f"{count:,} of the {documents:,} documents {_seen(c)} of both systems are unjudged."]
    else:
        lines = [f"All {documents:,} documents {_seen(c)} of both systems are judged."]
        if ends.lower < ends.upper:
            lines.append(f"Unjudged ones further down could change the best possible list. {c.measure} divides by it.")
    if c.uneven:
        shares = " and ".join(
            f"{100 * share:.0f} % of {name}'s" for share, name in zip(ends.judged, c.systems, strict=True)
        )
        lines.append(f"The systems are judged unequally: {shares} documents {_seen(c)}. The sign may depend on it.")
    lines += joint(c, ends)
    return Block(
        "What if the unjudged documents were judged?",
        lines,
        [
            "What it is: the lowest and the highest mean difference over all grades that the unjudged documents could "
            "have. A document in both lists has one grade.",
            "How to read it: bounds on one side of 0 say that no judgment can change the sign. They are no test: "
            "they do not say whether the difference would still be shown.",
        ],
    )


def joint(c: Comparison, ends: DifferenceBounds) -> list[str]:
    """Bounds of the difference for missing judgments, in words."""
    if c.effect.won == c.effect.lost == 0 and ends.identical == c.effect.n_topics:
        return ["Both lists are the same on every topic, so B - A is 0 whatever the grades."]
    if ends.lower == ends.upper:
        return ["No unjudged document could change B - A."]
    lines = [
        f"Whatever the grades of unjudged documents, B - A stays within {score(ends.lower)} to {score(ends.upper)}.",
        "Some grades reach each end." if ends.exact else f"These bounds are {OUTER}.",
    ]
    if ends.identical is None:
        lines.append("Names of documents were not kept. With them, documents that both lists hold narrow the bounds.")
    return lines


def _ipso(c: Comparison, without: WithoutMetric) -> Block:
    a, b = c.systems
    ipso = without.ipso
    ni, ns, equal, mixed = without.counts
    lines = [
        f"{b} (B) is ahead on {plural(ns, 'topic')}, {a} (A) on {ni}. The lists are equal on {equal}; on {mixed} it "
        "depends on the metric.",
        ipso.order.meaning,
        f"Sign test of {ns} against {ni} topics: {p_value(ipso.pvalue)}.",
    ]
    if mixed:
        (_, most, p_a), (least, _, p_b) = ipso.swing
        lines.append(
            f"If all {mixed} open topics went to A: {ns} against {most}, {p_value(p_a)}; if all went to B: {least} "
            f"against {ni}, {p_value(p_b)}."
        )
    if len(ipso.topics) != c.effect.n_topics:
        lines.append(f"{plural(len(ipso.topics), 'topic')} were compared.")
    lines.append(f"Order: {ipso.order.words}, to depth {ipso.depth}.")
    if without.default_depth:
        lines.append(
            f"{c.measure} has no cutoff, so this order does not bind it. Depth {ipso.depth} of IPSO and dominance was "
            "chosen here."
        )
    return Block(
        "Which system is ahead without a metric? (IPSO)",
        lines,
        [
            f"What it is: innate pairwise SERP orderings ({MOFFAT}). Rule 1: a better document at the same rank never "
            "lowers a score. Rule 2: a better document that moves up never lowers a score.",
            "How to read it: a small p value says that more topics favour one system. It uses the same topics, so it "
            "is no independent evidence. It says nothing about means, nor about how large a difference is.",
        ],
    )


def _dominance(c: Comparison, without: WithoutMetric) -> Block:
    a, b = c.systems
    title = "Would every rank-weighted metric agree? (dominance)"
    dominance = without.dominance
    if dominance is None:
        return Block(title, [f"Not computed: {without.no_dominance}."])
    for_b, for_a = (
        f"{'shown' if c.universal and c.verdict == direction else 'not shown'} ({p_value(float(p.max()))}, weakest at "
        f"rank {dominance.ranks[p.argmax()]})"
        for direction, p in ((1, dominance.pvalues), (-1, dominance.pvalues_reverse))
    )
    covers = dominance.covers
    half = f"below {c.alpha / 2:g}, half of {c.alpha:g}, because either system could be the higher one"
    if c.universal:
        shown = f"It is shown for {b if c.verdict > 0 else a}: p is {half}."
    else:
        shown = f"To show it takes a difference shown on {c.measure} and, in its direction, a p value {half}."
    lines = [
        f"{b} (B) higher under all of them: {for_b}.",
        f"{a} (A) higher under all of them: {for_a}.",
        shown,
        dominance.observed,
        f"Covered: metrics that sum gain ({covers.gains}) times {covers.weights}.",
        f"Among these metrics are {covers.members}.",
        f"Not covered: {covers.strangers}.",
    ]
    if dominance.tied:
        every = len(dominance.tied) == len(dominance.ranks)
        ranks = "every rank" if every else f"rank {', '.join(map(str, dominance.tied))}"
        lines.append(f"Every topic is a tie down to {ranks}, so nothing can be shown for all of these metrics.")
    return Block(
        title,
        lines,
        [
            "What it is: one test for all metrics that add up gains with weights that never grow with rank. The p "
            f"value is the largest one-sided one of all ranks ({dominance.method}).",
            "How to read it: a small p value covers every metric of the class at once. That needs many topics. A large "
            "p value is no evidence against the verdict.",
        ],
    )


def _preferences(c: Comparison, without: WithoutMetric) -> Block:
    rows = [
        [p.name, p.what, score(p.effect.difference), f"{p.effect.won}", f"{p.effect.lost}", f"{p.effect.tied}",
         probability(p.effect.pvalue)]
        for p in without.preferences
    ]  # fmt: skip
    header = ["method", "what is compared", "for B", "B", "A", "tied", "p"]
    methods = dict.fromkeys(p.effect.method for p in without.preferences)
    tests = "; ".join(
        f"{', '.join(p.name for p in without.preferences if p.effect.method == method)}: {method}" for method in methods
    )
    return Block(
        "What do preferences between whole lists say?",
        [Table(header, rows, left=2, optional=(1,)), "B, A, tied: topics that prefer each system.", f"Tests: {tests}."],
        [
            "What it is: four ways to prefer one of two lists topic by topic: recall-paired preference (RPP), "
            "lexiprecision (LP) and lexirecall (LR). They look at whole lists.",
            "How to read it: they answer other questions than the metric (recall, the first or the last relevant "
            "document). Their p values are not corrected, and they do not change the verdict.",
        ],
    )


def _comparisons(c: Comparison) -> Block:
    lines = _pairs(c) or [
        "This p value is for one planned pair, and not corrected for other comparisons. rankscope rank corrects "
        "for all pairs of several systems."
    ]
    return Block(
        "How many comparisons is p corrected for?",
        lines,
        [
            "What it is: a p value for one pair that was named before the results were seen.",
            "How to read it: if this pair was picked because it looked good among many, take rankscope rank, which "
            "tests all pairs as one family.",
        ],
    )


def _report(c: Comparison) -> Block:
    return Block(
        "How do I report it?",
        [paragraph(c), *references(c)],
        [
            "What it is: methods and result in the words of a paper, its references, and the signature of the scores.",
            "How to read it: name the metric that you chose beforehand, and give the signature: with it others can "
            "compute the same numbers.",
        ],
    )


def paragraph(c: Comparison) -> str:
    """Methods and result as a paragraph."""
    a, b = c.systems
    e = c.effect
    if e.n_units < FEWEST:
        return sentence(c)
    out = f" ({len(c.scored.left_out)} {left_out(c.scored.reasons)})" if c.scored.left_out else ""
    topics = plural(e.n_topics, "topic") + out
    if e.n_clusters and c.scored.design is not None:
        topics += f" in {plural(e.n_clusters, 'cluster')} ({c.scored.design.plan.clusters}), the unit of all tests"
    if c.scored.design is not None and c.scored.design.plan.weights is not None:
        topics += f", weighted by {c.scored.design.plan.weights}"
    sentences = [f"We compared {a} and {b} on {topics}. One metric, {c.measure}, decides."]
    if e.won == e.lost == 0:
        sentences.append(f"They score the same on every topic (mean {c.means[0]:.4f}).")
    else:
        sentences.append(_difference(c))
    if c.without is not None and c.verdict:
        sentences += _beyond(c, c.without)
    return " ".join([*sentences, f"Computed with rankscope {__version__}; signature: {c.scored.signature}"])


def _difference(c: Comparison) -> str:
    a, b = c.systems
    e = c.effect
    change = "higher than" if e.difference > 0 else "lower than" if e.difference < 0 else "equal to"
    tested = f"{e.method}, {p_value(e.pvalue)}, not corrected for other comparisons"
    by = f" by {score(abs(e.difference))}" if e.difference else ""
    interval = f" ({_level(e)} interval of the difference {_to(e)}{_whose(e)})" if _has_interval(e) else ""
    if c.opposed:
        odds = _odds(c)
        conclusion = f"{odds[0].upper()}{odds[1:]} ({tested}), so we claim neither."
    else:
        conclusion = f"The difference is {'' if c.verdict else 'not '}significant at {c.alpha:g} ({tested})."
    return f"The mean of {b} ({c.means[1]:.4f}) is {change} that of {a} ({c.means[0]:.4f}){by}{interval}. {conclusion}"


def _beyond(c: Comparison, without: WithoutMetric) -> list[str]:
    """Sentences on IPSO and on dominance, which do not depend on the metric alone."""
    a, b = c.systems
    better, worse = (b, a) if c.verdict > 0 else (a, b)
    ni, ns, equal, mixed = without.counts
    ipso = without.ipso
    tested = f"The sign test on these counts ({p_value(ipso.pvalue)})"
    if ni == ns == 0:
        test = "No topic is left to test."
    elif c.corroborated:
        test = f"{tested} points to {better}, too."
    elif ipso.pvalue < c.alpha:
        test = f"{tested} points to {worse}."
    else:
        test = f"{tested} does not show a difference."
    sentences = [
        f"We also compared the two lists of each topic without a metric, by innate pairwise SERP orderings ({MOFFAT}). "
        f"The order is that of {ipso.order.words}, down to rank {ipso.depth}. On {plural(ns, 'topic')} {b} is ahead, "
        f"on {ni} {a}; {equal} are equal, and {mixed} cannot be ordered. {test} {ipso.order.meaning} This says nothing "
        "about means."
    ]
    if c.universal and without.dominance is not None:
        sentences.append(
            f"At level {c.alpha / 2:g} for either direction, the mean of {better} is also shown to be higher under "
            f"every metric that weighs gain by a non-negative, non-increasing function of rank down to {ipso.depth}. "
            f"These are {COVERED}. The test is {without.dominance.method} ({GAFFKE}) with intersection-union "
            f"({BERGER}): {p_value(without.dominance_pvalue(c.verdict))}."
        )
    return sentences


def references(c: Comparison) -> list[str]:
    """References of the paragraph."""
    return [reference for key, reference in REFERENCES.items() if key in paragraph(c)]


def caption(c: Comparison) -> str:
    """Caption: meaning of the markers of the table."""
    e = c.effect
    sentences = [f"{c.measure} on {plural(e.n_topics, 'topic')}. † p < {c.alpha:g}, {e.method}."]
    if c.without is not None:
        ipso = c.without.ipso
        sentences.append(
            f"‡ the sign test on innate pairwise SERP orderings ({MOFFAT}; depth {ipso.depth}, {ipso.order.words}) is "
            f"also below {c.alpha:g}, in the same direction."
        )
    return " ".join([*sentences, c.scored.signature])
