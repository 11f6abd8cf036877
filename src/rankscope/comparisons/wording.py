"""A comparison in words: the answer, its effect, and what other choices make of it.

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
from rankscope.comparisons.scored import cutoff_of, left_out, population
from rankscope.comparisons.sensitivity import (
    EVERY_JUDGE,
    FOR_A,
    FOR_B,
    DifferenceBounds,
    Outcome,
    Repetition,
    outcome_of,
)
from rankscope.comparisons.without_metric import WithoutMetric
from rankscope.errors import output, plural
from rankscope.formatting import bounds, p_value, percent, score
from rankscope.layout import Block, Drawing, Table, Tone, Toned, interval_bar
from rankscope.measures.scoring import documented_threshold

if TYPE_CHECKING:
    from rankscope.comparisons.comparing import Comparison
    from rankscope.comparisons.slices import Slices

TONES: dict[str, Tone] = {"holds": "holds", "weakens": "changes", "reverses": "changes", "appears": "changes"}
_WORST: tuple[Outcome, ...] = ("reverses", "weakens", "appears", "holds")
AXES = {
    "test": "other tests",
    "metric": "other metrics",
    "ties": "order of ties",
    "judge": "other judges",
    "topics": "equal topics",
    "slice": "slices",
}
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


def short(c: Comparison) -> list[Block]:
    """The answer: verdict, effect, what other choices make of it, what to do next."""
    title = f"{c.measure}, {_mean(c)} over {plural(c.effect.n_topics, 'topic')}; {c.effect.test_name}"
    repeats = [] if _judged_again(c) else _repeats(c)  # one screen has room for one of the two
    parts = [Block("", verdict_lines(c)), Block(title, [*effect_lines(c, exact=False), *repeats])]
    if c.slices is not None:
        parts.append(_slices_shortly(c.slices))
    rows = [] if c.slices is not None else survey(c)  # one screen has room for one of the two tables
    if rows:
        hold, show = "Does the verdict hold? (on the same topics)", "Does another choice show a difference?"
        question = hold if c.verdict else f"{show} (same topics; p not corrected)"
        parts.append(Block(question, [Table([], rows, left=2, prose=True)]))
    return [*parts, Block("", [*planned_pair(c, shortly=True), f"Next: {_next(c)}", _more()])]


def _judged_again(c: Comparison) -> bool:
    """Whether rows of other judges or of a machine take the room of others on one screen."""
    axes = {r.axis for r in c.repetitions} | {r.axis for r in c.not_repeated}
    return c.machine is not None or "judge" in axes


# the verdict


def verdict_lines(c: Comparison) -> list[str]:
    """The verdict in two lines: what is shown, and what that says."""
    first, *more = _claims(c, exact=False)
    alarms = [] if c.slices is None else [Toned(line, "changes") for line in c.slices.alarms()]
    if c.machine is not None:
        both = c.machine.verdict(c.systems, c.measure, c.alpha)
        return [Toned(both, "strong"), *c.machine.warnings(c.systems, brief=True), *alarms, c.machine.alone()]
    return [Toned(first, "strong"), *alarms, *([" ".join(more)] if more else [])]


def _claims(c: Comparison, *, exact: bool) -> list[str]:
    """Sentences of the verdict; the first stands alone."""
    a, b = c.systems
    e = c.effect
    p = p_value(e.pvalue, exact=exact)
    if (sample := e.sample).too_few:
        needed = f"a verdict needs {sample.fewest} or more{sample.otherwise}"
        return [f"{sample}: too few to tell {a} and {b} apart; {needed}."]
    if e.won == e.lost == 0:
        return [f"{a} and {b} score the same on {c.measure} on every topic."]
    if c.opposed:
        return [f"No difference between {a} and {b} is shown on {c.measure}: {odds_words(c)} ({p})."]
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
    result = "so large a difference" if on_means(c.effect) else "so one-sided a result"
    beside = f" (p below {c.alpha:g}; one planned pair, not corrected)" if alone else ""
    return f"If {null_hypothesis(c)}, {result} would be rare{beside}."


def null_hypothesis(c: Comparison) -> str:
    """The hypothesis that the test may reject, in words."""
    return "the true means were equal" if on_means(c.effect) else "topics favoured neither system"


def on_means(e: Effect) -> bool:
    """Whether the test is of the mean, not of signs or ranks."""
    return e.test in ("t", "randomisation")


def odds_words(c: Comparison) -> str:
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
    within = f"{level_text(e)} interval {bounds(low, high)}{interval_owner(e)}; " if has_interval(e) else ""
    first = f"{first.removesuffix(f', {p}.')} ({within}{p}; {plural(e.n_topics, 'topic')})."
    return " ".join([first, *more, *([_generality(c)] if c.verdict else []), *judges_sentence(c)])


def judges_sentence(c: Comparison) -> list[str]:
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
        sentences += c.machine.passed_over()
        sentences.append(
            f"With the labels of {c.machine.machine} on {plural(p.n_unlabelled, f'more {p.unit}')} the difference is "
            f"{score(p.difference)} ({100 * p.level:g} % interval {bounds(p.lower, p.upper)}, "
            f"{p_value(p.pvalue)})."
        )
    return sentences


def covered(c: Comparison, without: WithoutMetric) -> str:
    """The metrics that dominance speaks of."""
    return f"P, DCG, RBP and the like, with the gains of {c.measure} ({_gains(without)}); not nDCG, AP, RR or ERR"


def _gains(without: WithoutMetric) -> str:
    """The gains of dominance in words, empty where it was not tested."""
    return without.dominance.covers.gains if without.dominance is not None else ""


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
            f"rank-weighted metric to depth {c.without.ipso.depth} ({p}). These are {covered(c, c.without)}."
        )
    ni, ns, _, _ = c.without.counts
    if ni == ns == 0:
        return f"IPSO orders {better} and {worse} on no topic to depth {c.without.ipso.depth}."
    test, p = "IPSO's sign test, which needs no metric,", p_value(c.without.ipso.pvalue)
    if c.corroborated:
        return f"{test} points to {better}, too ({p}); this does not cover every metric."
    if c.without.ipso.pvalue < c.alpha:
        return f"{test} points to {worse} ({p}): nothing is claimed for metrics in general."
    return f"{test} does not show a difference ({p}): nothing is claimed for metrics in general."


# the effect


def effect_lines(c: Comparison, *, exact: bool) -> list[str | Table]:
    """Both means, their difference with interval and p, the drawing of the interval, and remarks."""
    a, b = c.systems
    e = c.effect
    means = [["A", a, f"{c.means[0]:.4f}"], ["B", b, f"{c.means[1]:.4f}"]]
    interval = f"{level_text(e)} interval {interval_ends(e)}{interval_owner(e)}" if has_interval(e) else "no interval"
    tested = f"; {e.method}" if exact else ""
    parts: list[str | Table] = [
        Table([], means, left=2),
        f"B - A = {score(e.difference)}, {interval}, {p_value(e.pvalue, exact=exact)}{tested}",
    ]
    if has_interval(e):
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
        lines.append(population(design.plan.weights))
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


def _slices_shortly(groups: Slices) -> Block:
    header, rows = groups.rows()
    shown = rows[:_SLICES]
    more = [f"{len(rows) - len(shown)} more: {output('full')}."] if len(rows) > len(shown) else []
    cells = [[*row[:5], row[6]] for row in shown]
    table = Table([*header[:5], header[6]], cells, left=1, optional=(3,))
    return Block("", [table, " ".join([groups.dependence(), *more])])


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
        if has_interval(e) and isfinite(reach) and max(-e.lower, e.upper) > reach:
            remarks.append(
                f"The interval reaches beyond {-reach:g} to {reach:g}, the range of a difference of {c.measure}: the "
                "method does not know the range."
            )
    return [*filter(None, remarks)]


def has_interval(e: Effect) -> bool:
    """Whether the interval says anything: its ends are finite, and two."""
    return isfinite(e.lower) and isfinite(e.upper) and e.lower < e.upper


def level_text(e: Effect) -> str:
    return f"{100 * e.level:g} %"


def interval_ends(e: Effect) -> str:
    """Ends of the interval."""
    return bounds(e.lower, e.upper)


def interval_owner(e: Effect) -> str:
    """Whose interval it is, where it is not that of the test."""
    if e.test not in ("wilcoxon", "sign"):
        return ""
    if e.unequal:
        return " (sign flips of clusters)"
    return " (cluster-robust t)" if e.n_clusters else " (Student)"


# does it hold?


def survey(c: Comparison) -> list[list[str]]:
    """One row per kind of choice: what was tried, what that makes of the verdict, and the exceptions."""
    if c.effect.sample.too_few:
        return []
    rows = []
    for axis, words in AXES.items():
        if axis == "judge" and c.machine is not None:  # the machine's labels are in the row below
            continue
        outcomes = [r.outcome for r in c.repetitions if r.axis == axis]
        missing = sum(r.axis == axis and r.name != EVERY_JUDGE for r in c.not_repeated)
        if outcomes:
            word = next(w for w in _WORST if w in outcomes)
            cell = _exceptions(c, axis, missing) if c.verdict else _shown(c, axis, missing)
            rows.append([words, _outcome(c, word, len(outcomes) - outcomes.count("holds")), cell])
        elif axis == "judge" and missing:
            rows.append([words, Toned("not tried", "undecided"), f"0 of {missing} could be used"])
        elif axis == "ties" and c.repetitions and c.scored.judged is not None:
            rows.append([words, Toned("not tried", "undecided"), "only one order was read"])
    if c.machine is not None:
        both = c.machine.result
        shown = Toned("shown", "holds") if both.pvalue < c.alpha else Toned("not shown", "undecided")
        ends = bounds(both.lower, both.upper)
        rows.append(["with machine", shown, f"B - A = {score(both.difference)}, {ends}"])
    if c.unjudged is not None:
        rows.append(["unjudged docs", *_unjudged_row(c, c.unjudged)])
    if c.without is not None:
        rows.append(["without metric", *_ipso_row(c, c.without)])
        if c.universal and not _judged_again(c):
            gains = "binary" if _gains(c.without).startswith("binary") else "graded"
            rows.append(["rank weights", Toned("shown", "holds"), f"all {gains} P, DCG, RBP; not nDCG, AP, RR, ERR"])
    return rows


def _outcome(c: Comparison, word: Outcome, count: int = 0) -> Toned:
    """The outcome as a cell; without a verdict nothing holds, and a difference is shown by so many choices or none."""
    shown = word if c.verdict else "not shown" if word == "holds" else f"{count or ''} shown".lstrip()
    return Toned(shown, TONES[word] if c.verdict or word != "holds" else "undecided")


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
    named = [f"{words}{_listed(names, room // len(kinds))}" for words, names in kinds]
    counted = [f"{words}{len(names)}" for words, names in kinds]
    cells = [head + "; ".join(each) for each in (named, counted)]
    whole = (cells[0] + p + tail, cells[0] + tail, cells[1] + tail)
    return next((cell for cell in whole if len(cell) <= _CELL), whole[-1])


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
    if turned := [_name(r) for r in tried if sign_turned(c, r)]:
        counts = [f"{len(names)} {words.removesuffix(f' {under}')}" for words, names in kinds]
        room = _CELL - len("; ".join([head, *counts, *tail])) - len(", other sign: ")
        listed = _listed(turned, room)
        sign = f"other sign: {listed}" if len(listed) <= room else f"{len(turned)} with the other sign"
        return "; ".join([head, f"{'; '.join(counts)}, {sign}", *tail])
    room = _CELL - len("; ".join([head, *tail, *(f"{words} " for words, _ in kinds)]))
    named = [f"{words} {_listed(names, room // len(kinds))}" for words, names in kinds]
    if (len(kinds) > 1 and sum(map(len, named)) > room) or len("; ".join([head, *named, *tail])) > _CELL + 1:
        named = [f"{words} {len(names)}" for words, names in kinds]
    return "; ".join([head, *named, *tail])


def _listed(names: Sequence[str], room: int) -> str:
    """Names, as many as there is room for, at least one, and how many more there are."""
    for count in range(len(names), 1, -1):
        more = f" and {len(names) - count} more" if count < len(names) else ""
        if len(listed := f"{', '.join(names[:count])}{more}") <= room:
            return listed
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def sign_turned(c: Comparison, r: Repetition) -> bool:
    """Whether the mean difference has the other sign, and is not shown."""
    return r.outcome == "weakens" and r.effect.difference * c.verdict < 0


def _unjudged_row(c: Comparison, ends: DifferenceBounds) -> list[str]:
    if ends.lower == ends.upper:
        return [Toned("no effect", "holds"), "none could change B - A"]
    within = bounds(ends.lower, ends.upper)
    if ends.lower > 0 or ends.upper < 0:
        said = "no test" if c.holes is None else "not the verdict, if estimated"
        return [Toned("sign kept", "undecided"), f"{said}; B - A stays within {within}"]
    cutoff = None if c.scored.record is None else cutoff_of(c.scored.record)
    top = "" if cutoff is None else f" of top {cutoff}"
    cause = f"{_unjudged_share(c)}{top} unjudged" if unjudged_seen(c)[0] else "deeper ones unjudged"
    return [Toned("sign open", "undecided"), f"{cause}; B - A: {within}"]


def _unjudged_share(c: Comparison) -> str:
    """Share of the documents that the metric looks at that is unjudged."""
    count, documents = unjudged_seen(c)
    share = 100 * count / documents
    return "<1 %" if share < 1 else ">99 %" if 99 < share < 100 else f"{share:.0f} %"


def _ipso_row(c: Comparison, without: WithoutMetric) -> list[str]:
    ni, ns, equal, mixed = without.counts
    if ni == ns == 0:
        return [Toned("undecided", "undecided"), f"IPSO orders no topic: equal {equal:,}, undecided {mixed:,}"]
    word = outcome_of(c.verdict, _ipso_verdict(c, without))
    return [_outcome(c, word), f"IPSO: B ahead on {ns:,}, A {ni:,}, equal {equal:,}, undecided {mixed:,}"]


def _ipso_verdict(c: Comparison, without: WithoutMetric) -> int:
    """1 where IPSO's sign test is significant for b, -1 where it is for a, else 0."""
    ni, ns, _, _ = without.counts
    return int(np.sign(ns - ni)) if without.ipso.pvalue < c.alpha else 0


def _next(c: Comparison) -> str:
    """What to do next, in one line."""
    e = c.effect
    if c.machine is not None:
        return c.machine.next_step(c.alpha)
    if e.sample.too_few:
        more = "topics of more clusters," if e.n_clusters else "topics"
        return f"add {more} with judgments and lists of both systems."
    if e.won == e.lost == 0:
        return "check that the runs are not copies; a measure that looks deeper may tell them apart."
    if c.opposed:
        return (
            f"look at the topics with the largest differences ({output('topics')}); a few large ones decide the mean."
        )
    if c.holes is not None:
        a, b = (f"{100 * share:.0f} %" for share in c.holes.judged)
        shares = f"{a} of A's and {b} of B's documents {ranks_seen(c)} are judged"
        return f"rankscope judge-next: {shares}; the others may change the verdict."
    if not c.verdict:
        return "more topics (rankscope plan --difference D), or a margin (rankscope gate)."
    unjudged = unjudged_seen(c)[0]
    sign_open = c.unjudged is not None and c.unjudged.lower < 0 < c.unjudged.upper
    if sign_open and 0 < unjudged <= _FEW:
        documents = plural(unjudged, "unjudged document")
        return f"judge the {documents} {ranks_seen(c)}; their grades may matter to the verdict."
    outcomes = {r.outcome for r in c.repetitions}
    if "reverses" in outcomes:
        return f"report that the verdict for {c.measure} reverses with another choice, and with which."
    if sign_open and unjudged:
        weakens = ", where it weakens," if "weakens" in outcomes else ""
        return (
            f"report the verdict{weakens} and that {_unjudged_share(c)} of the documents {ranks_seen(c)} are unjudged."
        )
    if "weakens" in outcomes:
        return f"report the verdict for {c.measure} alone, and say where it weakens."
    return f"report it: {output('full')} has a paragraph for a paper."


def _more() -> str:
    """How to ask for the evidence."""
    return f"More: {output('full')} shows the evidence, {output('explain')} also how to read it."


def ranks_seen(c: Comparison) -> str:
    """The documents that the metric looks at."""
    cutoff = None if c.scored.record is None else cutoff_of(c.scored.record)
    return "in both lists" if cutoff is None else f"at ranks 1 to {cutoff}" if cutoff > 1 else "at rank 1"


def unjudged_seen(c: Comparison) -> tuple[int, int]:
    """How many documents that the metric looks at are unjudged, and how many there are, in both lists."""
    if c.scored.judged is None or c.scored.record is None:
        return 0, 0
    code = c.scored.judged.code[:, c.scored.at, : cutoff_of(c.scored.record)]
    return int(np.count_nonzero(code == UNJUDGED)), int(np.count_nonzero(code != PADDING))


def planned_pair(c: Comparison, *, shortly: bool = False) -> list[str]:
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
