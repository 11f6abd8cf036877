"""A comparison in words. Swapping the two systems swaps the words with them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rankscope.comparisons.effect import TESTS
from rankscope.comparisons.scored import FEWEST
from rankscope.results import text_table
from rankscope.statistics.digits import bounds, probability, score

if TYPE_CHECKING:
    from rankscope.comparisons.comparing import Comparison

WIDTH = 118
MOFFAT = "Moffat and Mackenzie (2024)"


def sections(c: Comparison) -> list[tuple[str, list[str]]]:
    """Everything that is said, in the order in which it should be read."""
    parts = [(f"{c.measure}, {c.effect.topics} topics{_left_out(c)}", _metric(c))]
    if c.without is None:
        parts.append(("Without a metric", ["only scores were given: IPSO, dominance and preferences need the lists"]))
    else:
        parts += [_ipso(c), _dominance(c), _preferences(c)]
    if c.others:
        parts.append(
            ("Would another choice change the verdict? (the same topics: no independent evidence)", _others(c))
        )
    parts.append(("Verdict", _wrapped(sentence(c))))
    parts.append(("For a paper", _wrapped(paragraph(c))))
    parts.append(("Signature", [c.scored.signature]))
    return parts


def _left_out(c: Comparison) -> str:
    return f" ({len(c.scored.left_out)} left out)" if c.scored.left_out else ""


def _metric(c: Comparison) -> list[str]:
    a, b = c.systems
    e = c.effect
    rows = [
        [f"A  {a}", f"{c.means[0]:.4f}"],
        [f"B  {b}", f"{c.means[1]:.4f}"],
        ["B - A", score(e.difference)],
    ]
    lines = text_table(["", "mean"], rows).splitlines()[1:]
    lines[2] += f"  {100 * e.level:g} % {bounds(e.lower, e.upper)}, {e.method}: p = {probability(e.pvalue)}"
    lines[2] += f"  {'†' if c.verdict else ''}".rstrip()
    lines.append(f"B is higher on {e.won} topics, lower on {e.lost}, the same on {e.tied}")
    if e.remark:
        lines.append(e.remark)
    if e.topics < FEWEST:
        lines.append(f"{e.topics} topics are too few to speak of significance; {FEWEST} are the least")
    return lines


def _ipso(c: Comparison) -> tuple[str, list[str]]:
    assert c.without is not None
    found = c.without.ipso
    top, ns, equal, ni, bottom = found.counts[-1].tolist()
    (_, most, p_a), (least, _, p_b) = found.swing
    said = [
        f"A non-inferior on {ni} topics, B on {ns}, equal on {equal}, non-separable on {top + bottom}; "
        f"sign test {ni} v {ns}: p = {probability(found.pvalue)}{'  ‡' if c.corroborated else ''}",
        f"had the non-separable all gone to A: {most} v {ns}, p = {probability(p_a)}; "
        f"all to B: {ni} v {least}, p = {probability(p_b)}",
    ]
    return f"IPSO to depth {found.depth}, gain {found.gains}", said


def _dominance(c: Comparison) -> tuple[str, list[str]]:
    assert c.without is not None
    found = c.without.dominance
    p_b, p_a = probability(found.pvalue), probability(found.pvalue_reverse)
    said = [
        f"B better under every one of them: p = {p_b}; A better: p = {p_a} (one-sided, no correction needed)",
        *_wrapped(found.observed),
        *_wrapped(f"covered: {found.covers}"),
    ]
    if found.tied:
        ranks = ", ".join(map(str, found.tied))
        said.append(f"every topic is tied down to rank {ranks}, so no claim for every metric can be made")
    return "Dominance: every static rank-weighted metric at once", said


def _preferences(c: Comparison) -> tuple[str, list[str]]:
    assert c.without is not None
    rows = [
        [p.name, p.what, score(p.effect.difference), f"{p.effect.won}", f"{p.effect.lost}", f"{p.effect.tied}",
         p.effect.method, probability(p.effect.pvalue)]
        for p in c.without.preferences
    ]  # fmt: skip
    header = ["method", "what", "for B", "B", "A", "tied", "test", "p"]
    return "Preferences (whole lists, topics preferring B and A)", text_table(header, rows, left=2).splitlines()


def others(c: Comparison) -> tuple[list[str], list[list[str]]]:
    """Other choices and whether the verdict holds."""
    kinds = {"test": "test", "metric": "metric", "ties": "tied documents", "unjudged": "unjudged documents"}
    names = {c.systems[0]: "A", c.systems[1]: "B"}
    rows = []
    for o in c.others:
        name = o.name
        if o.kind in ("ties", "unjudged"):
            for system, letter in names.items():
                name = name.replace(f"for {system}", f"for {letter}")
        verdict = {1: "B better", -1: "A better", 0: "neither"}[o.verdict]
        rows.append([
            "holds" if o.holds else "changes", kinds[o.kind], name, score(o.effect.difference),
            probability(o.effect.pvalue), verdict,
        ])  # fmt: skip
    return ["", "choice", "", "B - A", "p", "then"], rows


def _others(c: Comparison) -> list[str]:
    lines = text_table(*others(c), left=3).splitlines()
    if c.scored.judged is not None and not any(o.kind == "ties" for o in c.others):
        lines.append("tied documents were not tried in other orders")
    return lines


def sentence(c: Comparison) -> str:
    """The verdict, in one plain sentence."""
    a, b = c.systems
    e = c.effect
    if e.topics < FEWEST:
        return f"With {e.topics} topics nothing can be said about {a} and {b}."
    if e.won == e.lost == 0:
        return f"{a} and {b} score the same under {c.measure} on every topic."
    tested = f"{e.topics} topics, p = {probability(e.pvalue)}"
    if not c.verdict:
        return (
            f"No difference between {a} and {b} is shown under {c.measure} ({tested}); the {100 * e.level:g} % "
            f"interval of {b} - {a} is {bounds(e.lower, e.upper)}."
        )
    better, worse = (b, a) if c.verdict > 0 else (a, b)
    head = f"{better} is better than {worse}: {c.measure} is higher by {score(abs(e.difference))} ({tested})"
    if c.without is None:
        return f"{head}; whether other metrics agree was not looked at."
    if c.universal:
        return f"{head}, and beyond chance so is the mean of every static rank-weighted metric to depth {_depth(c)}."
    if c.corroborated:
        return f"{head}; metric-free evidence (IPSO) corroborates it, though not every metric need agree."
    return f"{head}; metric-free evidence (IPSO) does not corroborate it: the finding is about this metric."


def _depth(c: Comparison) -> int:
    assert c.without is not None
    return c.without.ipso.depth


def paragraph(c: Comparison) -> str:
    """Methods and result, with references."""
    a, b = c.systems
    e = c.effect
    if e.topics < FEWEST:
        return sentence(c)
    change = "higher" if e.difference > 0 else "lower" if e.difference < 0 else "no different"
    by = f" by {score(abs(e.difference))}" if e.difference else ""
    said = [
        f"We compared {a} and {b} on {e.topics} topics with {c.measure}, chosen beforehand as the only deciding "
        f"metric. The mean of {b} ({c.means[1]:.4f}) is {change}{by} than that of {a} ({c.means[0]:.4f}; "
        f"{100 * e.level:g} % interval of the difference {bounds(e.lower, e.upper)}; {TESTS[e.test]}, "
        f"p = {probability(e.pvalue)})."
    ]
    if c.without is not None:
        found = c.without.ipso
        _, ns, equal, ni, _ = found.counts[-1].tolist()
        mixed = len(found.topics) - ns - ni - equal
        agrees = "corroborates" if c.corroborated else "does not corroborate"
        if c.verdict:
            said.append(
                f"As a check that does not depend on the metric, innate pairwise orderings to depth {found.depth} "
                f"({MOFFAT}; gain {found.gains}) put {b} ahead on {ns} topics and {a} on {ni}, with {mixed} "
                f"non-separable; the sign test (p = {probability(found.pvalue)}) {agrees} the difference."
            )
        if c.universal:
            better = b if c.verdict > 0 else a
            p = c.without.dominance.pvalue if c.verdict > 0 else c.without.dominance.pvalue_reverse
            said.append(
                f"{better} is better in the mean under every metric that weighs gain by a non-increasing function of "
                f"rank, down to rank {found.depth} (intersection-union test, p = {probability(p)})."
            )
    said.append("Computed with rankscope; how each number was made is in the signature.")
    return " ".join(said)


def caption(c: Comparison) -> str:
    """What the markers of the table mean."""
    e = c.effect
    said = [f"{c.measure} on {e.topics} topics. † p < {c.alpha:g}, {TESTS[e.test]}."]
    if c.without is not None:
        found = c.without.ipso
        said.append(
            f"‡ corroborated: the sign test on innate pairwise orderings to depth {found.depth} ({MOFFAT}; "
            f"gain {found.gains}) is below {c.alpha:g} in the same direction."
        )
    return " ".join([*said, c.scored.signature])


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH)
