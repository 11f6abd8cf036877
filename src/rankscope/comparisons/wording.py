"""A comparison in words. Swapping the two systems swaps the words with them."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankscope.comparisons.effect import Effect
from rankscope.comparisons.scored import FEWEST, left_out
from rankscope.comparisons.sensitivity import MEANINGS, DifferenceBounds
from rankscope.comparisons.without_metric import WithoutMetric
from rankscope.errors import plural
from rankscope.formatting import bounds, markdown, probability, score, visible
from rankscope.layout import markdown_table, text_table
from rankscope.measures.catalogue.interval import ON_MEANS
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.comparisons.comparing import Comparison

WIDTH = 118
VERDICT = "Verdict"
REFERENCES = {
    "Moffat and Mackenzie 2024": "A. Moffat and J. Mackenzie (2024). How much freedom does an effectiveness metric "
    "really have? JASIST 75(6), 686-703.",
    "Berger 1982": "R. L. Berger (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics "
    "24(4), 295-300.",
    "Gaffke 2005": "N. Gaffke (2005). Three test statistics for a nonparametric one-sided hypothesis on the mean of a "
    "nonnegative variable. Mathematical Methods of Statistics 14(4), 451-467.",
}
MOFFAT, BERGER, GAFFKE = REFERENCES
UNKNOWN = " (lists that are the same are noticed where documents are kept: load with keep_docs=True)"
OUTER = "outer bounds, each list by itself; not all of them can happen"
COVERED = "P, DCG, RBP and the like, with the same gains; not nDCG, AP, RR or ERR"


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a title, and perhaps a table before them."""

    title: str
    lines: list[str]
    table: tuple[list[str], list[list[str]]] | None = None
    left: int = 2  # columns of the table that are flush left

    def text(self) -> str:
        """Plain text, for a terminal."""
        lines = [] if self.table is None else text_table(*self.table, left=self.left).splitlines()
        for line in map(visible, self.lines):
            lines += textwrap.wrap(line, WIDTH, break_on_hyphens=False)
        return "\n".join([visible(self.title), *(f"  {line}" for line in lines)])

    def markdown(self) -> str:
        """Markdown, for a page."""
        parts = [f"### {markdown(self.title)}"]
        if self.table is not None:
            parts.append(markdown_table(*self.table, left=self.left))
        if self.lines:
            parts.append("\n".join(f"- {markdown(line)}" for line in self.lines))
        return "\n\n".join(parts)


def sections(c: Comparison) -> list[Section]:
    """All sections of the text, in the order of reading."""
    parts = [_metric(c)]
    if c.without is None:
        parts.append(
            Section("Without a metric", ["only scores were given: IPSO, dominance, preferences need the lists"])
        )
    else:
        parts += [_ipso(c, c.without), _dominance(c, c.without), _preferences(c.without)]
    if c.repetitions:
        parts.append(_repetitions(c))
    return [
        *parts,
        Section(VERDICT, [sentence(c)]),
        Section("For a paper", [paragraph(c), *references(c)]),
        Section("Signature", [c.scored.signature]),
    ]


def _metric(c: Comparison) -> Section:
    a, b = c.systems
    e = c.effect
    rows = [[f"A  {a}", f"{c.means[0]:.4f}", ""], [f"B  {b}", f"{c.means[1]:.4f}", ""]]
    tested = f"{interval(e)}, {e.method}: p = {probability(e.pvalue)}"
    rows.append(["B - A", score(e.difference), f"{tested}  {'†' if c.verdict else ''}".rstrip()])
    lines = [f"B is higher on {plural(e.won, 'topic')}, lower on {e.lost}, the same on {e.tied}"]
    if e.test in ("t", "randomisation") and (e.won or e.lost):
        lines.append(ON_MEANS)
    if e.remark:
        lines.append(e.remark)
    if e.n_topics < FEWEST:
        lines.append(f"{plural(e.n_topics, 'topic')}: too few to speak of significance; {FEWEST} are the least")
    elif c.opposed:
        lines.append("the test and the mean point opposite ways, so no † and no claim")
    out = f" ({len(c.scored.left_out)} {left_out(c.scored.reasons)})" if c.scored.left_out else ""
    widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
    shown = [f"{name:<{widths[0]}}  {mean:>{widths[1]}}  {more}".rstrip() for name, mean, more in rows]
    return Section(f"{c.measure}, {plural(e.n_topics, 'topic')}{out}", [*shown, *lines])


def interval(e: Effect) -> str:
    """The interval and, where it is not that of the test, whose it is."""
    return f"{100 * e.level:g} % {bounds(e.lower, e.upper)}{_whose(e)}"


def _whose(e: Effect) -> str:
    return " (Student)" if e.test in ("wilcoxon", "sign") and e.lower < e.upper else ""


def _ipso(c: Comparison, without: WithoutMetric) -> Section:
    ipso = without.ipso
    ni, ns, equal, mixed = without.counts
    lines = [
        f"A non-inferior (ni) on {plural(ni, 'topic')}, B (ns) on {ns}, equal on {equal}, non-separable on {mixed}; "
        f"sign test {ni} v {ns}: p = {probability(ipso.pvalue)}{'  ‡' if c.corroborated else ''}"
    ]
    if mixed:
        (_, most, p_a), (least, _, p_b) = ipso.swing
        lines.append(
            f"had the non-separable all gone to A: {most} v {ns}, p = {probability(p_a)}; "
            f"all to B: {ni} v {least}, p = {probability(p_b)}"
        )
    other = "" if len(ipso.topics) == c.effect.n_topics else f", {plural(len(ipso.topics), 'topic')}"
    lines.append(f"ni and ns {ipso.order.binds}")
    if without.default_depth:
        lines.append(
            f"{c.measure} has no cutoff, so IPSO does not bind it; depth {ipso.depth} of IPSO and dominance was chosen"
        )
    return Section(f"IPSO to depth {ipso.depth}{other}; {ipso.order.words}", lines)


def _dominance(c: Comparison, without: WithoutMetric) -> Section:
    dominance = without.dominance
    if dominance is None:
        return Section("Dominance: every static rank-weighted metric at once", [f"missing: {without.no_dominance}"])
    p_b, p_a = (
        f"p = {probability(float(p.max()))} (rank {dominance.ranks[p.argmax()]})"
        for p in (dominance.pvalues, dominance.pvalues_reverse)
    )
    either = (
        f"the largest p of all ranks, one-sided, below {c.alpha / 2:g}, since it could be inferred of either system"
    )
    lines = [
        f"B higher under every one of them: {p_b}; A higher: {p_a}",
        f"inferred: {either}" if c.universal else f"not inferred; that needs † and {either}",
        dominance.observed,
        f"covered: {dominance.covers}",
    ]
    if dominance.tied:
        all_ranks = len(dominance.tied) == len(dominance.ranks)
        ranks = "every rank" if all_ranks else f"rank {', '.join(map(str, dominance.tied))}"
        lines.append(f"every topic is a tie down to {ranks}, so nothing can be inferred for every metric")
    return Section(f"Dominance: every static rank-weighted metric at once; {dominance.method}", lines)


def _preferences(without: WithoutMetric) -> Section:
    rows = [
        [p.name, p.what, score(p.effect.difference), f"{p.effect.won}", f"{p.effect.lost}", f"{p.effect.tied}",
         probability(p.effect.pvalue), p.effect.method]
        for p in without.preferences
    ]  # fmt: skip
    header = ["method", "what", "for B", "B", "A", "tied", "p", "test"]
    return Section("Preferences (whole lists; topics that prefer B and A)", [], (header, rows))


def repetitions(c: Comparison) -> tuple[list[str], list[list[str]]]:
    """Table of the repetitions: header and rows, each with its outcome for the verdict."""
    axes = {"ties": "tied documents"}
    verdicts = {1: "B higher", -1: "A higher", 0: "neither"}
    rows = [
        [r.outcome, axes.get(r.axis, r.axis), r.name, score(r.effect.difference), probability(r.effect.pvalue),
         verdicts[r.verdict]]
        for r in c.repetitions
    ]  # fmt: skip
    rows += [["missing", axes.get(r.axis, r.axis), r.name, "-", "-", r.reason] for r in c.not_repeated]
    return ["", "choice", "", "B - A", "p", "shown"], rows


def _repetitions(c: Comparison) -> Section:
    outcomes = [r.outcome for r in c.repetitions]
    lines = ["; ".join(f"{word} ({outcomes.count(word)}): {MEANINGS[word]}" for word in MEANINGS if word in outcomes)]
    if c.not_repeated:
        lines.append(f"missing ({len(c.not_repeated)}): could not be tried, for the reason given")
    if c.scored.judged is not None and "ties" not in {r.axis for r in c.repetitions} | {r.axis for r in c.not_repeated}:
        lines.append("tied documents were not tried in other orders")
    if c.unjudged is not None:
        lines.append(outer(c, c.unjudged))
    title = "Would another choice change the verdict? (the same topics: no independent evidence)"
    return Section(title, lines, repetitions(c), left=3)


def outer(c: Comparison, ends: DifferenceBounds) -> str:
    """Outer bounds of the difference for missing judgments, in words."""
    if c.effect.won == c.effect.lost == 0 and ends.identical == c.effect.n_topics:
        return "unjudged documents: both lists are the same on every topic, so B - A is 0 whatever their grades"
    if ends.lower == ends.upper:
        return "unjudged documents: none that could change B - A"
    return (
        f"unjudged documents: whatever their grades, B - A is between {score(ends.lower)} and {score(ends.upper)}; "
        f"{OUTER}{'' if ends.identical is not None else UNKNOWN}"
    )


def sentence(c: Comparison) -> str:
    """The verdict, in one plain sentence."""
    a, b = c.systems
    e = c.effect
    if e.n_topics < FEWEST:
        return f"{plural(e.n_topics, 'topic')} cannot tell {a} and {b} apart; {FEWEST} are the least."
    if e.won == e.lost == 0:
        return f"{a} and {b} score the same under {c.measure} on every topic."
    tested = f"{plural(e.n_topics, 'topic')}, p = {probability(e.pvalue)}"
    if c.opposed:
        return f"Neither {a} nor {b} is shown to score higher under {c.measure} ({tested}): {_odds(c)}."
    if not c.verdict:
        return (
            f"No difference between {a} and {b} is shown under {c.measure} ({tested}); "
            f"{b} - {a} is {score(e.difference)}, {interval(e)}."
        )
    better, worse = (b, a) if c.verdict > 0 else (a, b)
    size = score(abs(e.difference))
    low, high = sorted((c.verdict * e.lower + 0.0, c.verdict * e.upper + 0.0))
    within = f"{100 * e.level:g} % {bounds(low, high)}{_whose(e)}; " if low < high else ""
    head = (
        f"{better} scores higher than {worse} under {c.measure} beyond what the sampling of topics explains: by {size} "
        f"({within}{tested})"
    )
    if c.without is None:
        return f"{head}; whether other metrics agree was not looked at."
    if c.universal:
        p = probability(c.without.dominance_pvalue(c.verdict))
        every = f"every static rank-weighted metric to depth {c.without.ipso.depth} ({COVERED})"
        return f"{head}; at level {c.alpha / 2:g} the same is inferred of the mean of {every}, p = {p}."
    return f"{head}; {_ipso_on(c, c.without, better, worse)}."


def _odds(c: Comparison) -> str:
    """Contradiction of test and mean, in words."""
    a, b = c.systems
    e = c.effect
    favoured = b if e.lean > 0 else a
    if not e.difference:
        return f"the test favours {favoured}, but the means are the same"
    return f"the test favours {favoured}, but the mean of {b if e.difference > 0 else a} is higher"


def _ipso_on(c: Comparison, without: WithoutMetric, better: str, worse: str) -> str:
    """Corroboration of a difference by IPSO's sign test, in words."""
    ni, ns, _, _ = without.counts
    p = probability(without.ipso.pvalue)
    if ni == ns == 0:
        return f"IPSO orders {better} and {worse} on no topic to depth {without.ipso.depth} and has nothing to say"
    test = f"IPSO's sign test (p = {p})"
    if c.corroborated:
        return f"{test} corroborates it, which is no promise for every metric"
    if without.ipso.pvalue < c.alpha:
        return f"{test} points to {worse}: the claim is for {c.measure} alone"
    return f"{test} does not corroborate it: the claim is for {c.measure} alone"


def paragraph(c: Comparison) -> str:
    """Methods and result as a paragraph."""
    a, b = c.systems
    e = c.effect
    if e.n_topics < FEWEST:
        return sentence(c)
    out = f" ({len(c.scored.left_out)} {left_out(c.scored.reasons)})" if c.scored.left_out else ""
    topics = plural(e.n_topics, "topic") + out
    sentences = [f"We compared {a} and {b} on {topics}, with {c.measure} as the one metric that decides."]
    if e.won == e.lost == 0:
        sentences.append(f"They score the same on every topic (mean {c.means[0]:.4f}).")
    else:
        sentences.append(_difference(c))
    if c.without is not None and c.verdict:
        sentences += _generality(c, c.without)
    return " ".join([*sentences, f"Computed with rankscope {__version__} ({c.scored.signature})."])


def _difference(c: Comparison) -> str:
    a, b = c.systems
    e = c.effect
    change = "higher than" if e.difference > 0 else "lower than" if e.difference < 0 else "equal to"
    tested = f"{e.method}, p = {probability(e.pvalue)}"
    if c.opposed:
        conclusion = f"{_odds(c)} ({tested}), so that we claim neither"
    else:
        conclusion = f"the difference is {'' if c.verdict else 'not '}significant at {c.alpha:g} ({tested})"
    return (
        f"The mean of {b} ({c.means[1]:.4f}) is {change} that of {a} ({c.means[0]:.4f}) by {score(abs(e.difference))}, "
        f"{interval(e)}; {conclusion}."
    )


def _generality(c: Comparison, without: WithoutMetric) -> list[str]:
    """Sentences on IPSO and on dominance, which do not depend on the metric alone."""
    a, b = c.systems
    better, worse = (b, a) if c.verdict > 0 else (a, b)
    ni, ns, equal, mixed = without.counts
    ipso = without.ipso
    tested = f"the sign test on these counts (p = {probability(ipso.pvalue)})"
    if ni == ns == 0:
        test = "no topic is left to test"
    elif c.corroborated:
        test = f"{tested} corroborates the difference"
    else:
        test = f"{tested} {f'points to {worse}' if ipso.pvalue < c.alpha else 'does not corroborate the difference'}"
    sentences = [
        f"By innate pairwise SERP orderings ({MOFFAT}; depth {ipso.depth}, {ipso.order.words}), {b} is "
        f"non-inferior on {plural(ns, 'topic')} and {a} on {ni}; {equal} are equal and {mixed} non-separable; {test}. "
        f"On single topics, such orders {ipso.order.binds}; of means they say nothing."
    ]
    if c.universal and without.dominance is not None:
        sentences.append(
            f"At a level of {c.alpha / 2:g} for either direction we infer that the mean of {better} is also higher "
            f"under every metric that weighs gain by a non-negative, non-increasing function of rank down to "
            f"{ipso.depth} ({COVERED}): {without.dominance.method} ({GAFFKE}), intersection-union ({BERGER}), "
            f"p = {probability(without.dominance_pvalue(c.verdict))}."
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
            f"‡ corroborated: the sign test on innate pairwise SERP orderings ({MOFFAT}; depth {ipso.depth}, "
            f"{ipso.order.words}) is below {c.alpha:g} in the same direction."
        )
    return " ".join([*sentences, c.scored.signature])
