"""The first screen: the finding as a headline, the dots that show it, and what other choices make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.comparisons import Comparison, Leaderboard, evidence, wording
from rankscope.comparisons.holes import warning_lines
from rankscope.comparisons.leading import LeadRepetition
from rankscope.comparisons.sensitivity import is_significant
from rankscope.errors import plural
from rankscope.formatting import bounds, minus_signs, plain, score, visible
from rankscope.layout import Drawing, Toned
from rankscope.reporting.bars import Bar, Scale

FIRST = 10  # systems on the first screen
NAMED = 5  # rivals that a chip names
LEAD_WORDS = {"lead": "cannot be ruled out as best", "rest": "ruled out as best"}


@dataclass(frozen=True, slots=True)
class Dot:
    """A row of the figure: name, dot with its interval, value."""

    name: str
    bar: Bar
    value: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Chip:
    """One kind of other choice: what it makes of the finding in a word and a few more, and the evidence.

    tone  holds, changes or undecided
    """

    title: str
    outcome: str
    tone: str
    words: str
    lines: Sequence[str] = ()
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """What a reader sees first.

    lines    what the headline stands on, below it
    legend   (kind, words) of the dots
    zero     where no difference is, per cent of the width
    """

    headline: str
    lines: Sequence[str]
    figure: str = ""
    scale: Scale | None = None
    dots: Sequence[Dot] = ()
    legend: Sequence[tuple[str, str]] = ()
    zero: float | None = None
    more: str = ""
    chips: Sequence[Chip] = ()


def of_ranking(ranking: Leaderboard, repetitions: Sequence[LeadRepetition]) -> FirstScreen:
    """Who leads and who cannot be ruled out, the best systems, and whether the lead holds."""
    shown = range(min(FIRST, len(ranking.systems)))
    ends = [*ranking.lower[list(shown)].tolist(), *ranking.upper[list(shown)].tolist()]
    scale = Scale.of([*ends, *ranking.mean[list(shown)].tolist()], ranking.range)
    dots = [
        Dot(plain(ranking.systems[s]), board_bar(ranking, scale, s), f"{ranking.mean[s]:.4f}", strong=s == 0)
        for s in shown
    ]
    rest = len(ranking.systems) - len(shown)
    kinds = {dot.bar.kind for dot in dots}
    best = f"the {len(shown)} best of {len(ranking.systems)}" if rest else "all systems"
    lines = [f"Mean of {ranking.systems[0]}: {score(float(ranking.mean[0]))}; {ranking.tested_how()}."]
    if ranking.left_out:
        lines.append(f"{plural(ranking.left_out, 'topic')} left out of {ranking.measure}.")
    lines += [" ".join(warning_lines(ranking.holes))] if ranking.holes else []
    return FirstScreen(
        headline=visible(f"{ranking.finding()}."),
        lines=list(map(visible, lines)),
        figure=visible(f"Mean {ranking.measure} with its {ranking.interval}, {best}"),
        scale=scale,
        dots=dots,
        legend=[(kind, words) for kind, words in LEAD_WORDS.items() if kind in kinds and len(ranking.systems) > 2],
        more=f"All {len(ranking.systems)} systems" if rest else "",
        chips=_lead_chips(ranking, repetitions),
    )


def board_bar(ranking: Leaderboard, scale: Scale, s: int) -> Bar:
    """The mean of a system with its interval; those that cannot be ruled out as best have their own colour."""
    kind = "lead" if ranking.best[s] == 1 else "rest"
    return scale.bar(kind, *(float(x[s]) for x in (ranking.mean, ranking.lower, ranking.upper)))


def _lead_chips(ranking: Leaderboard, repetitions: Sequence[LeadRepetition]) -> list[Chip]:
    leader, others = ranking.systems[0], len(ranking.systems) - 1
    chips = []
    metrics = [r for r in repetitions if r.axis == "metric"]
    if metrics:
        kept = sum(r.holds for r in metrics)
        changed = len(metrics) - kept
        shared = sum(r.holds and r.tied > 0 for r in metrics)
        words = f"{leader} leads under {kept} of {len(metrics)}" + f", with others under {shared} of them" * bool(
            shared
        )
        rows = [
            [r.name, f"{r.mean:.4f}", f"{len(r.rivals) + 1}",
             *([_and_others(leader, r.tied), f"{r.mean:.4f}"] if r.holds else [_first_of(r), f"{r.means[0]:.4f}"])]
            for r in metrics
        ]  # fmt: skip
        chips.append(
            Chip("Other metrics", "changes" if changed else "holds", "changes" if changed else "holds", words,
                 ["Who has the highest mean under each metric. Means are compared, and no test is made."],
                 ["metric", "mean of the leader", "its rank", "highest mean", "value"], rows)
        )  # fmt: skip
    for r in (r for r in repetitions if r.axis != "metric"):
        unjudged = r.axis == "unjudged"
        title = "Unjudged documents" if unjudged else "Order of ties"
        could = "could lead" if r.attained else "are not excluded"
        heads = ["system that could lead" if r.attained else "system that is not excluded", "mean in its best case"]
        values = r.means
        how = [f"In the worst case {leader} has a mean {ranking.measure} of {r.mean:.4f}."]
        if not unjudged:
            what = (
                "Suppose that documents with equal scores stand in the order worst for the leader, best for the other."
            )
        elif r.leads is None:
            what = (
                "Suppose that each unjudged document has the grade that is worst for the leader, and the one that is "
                "best for the other system. Each system is bounded by itself, so not all of it can happen at once."
            )
        else:
            what = (
                "Suppose that unjudged documents have the grades that are best for the other system against the "
                "leader. A document has one grade in both lists."
            )
            heads[1], values, how = f"largest lead over {leader}", r.leads, []
        rows = [[name, f"{value:.4f}"] for name, value in zip(r.rivals[:NAMED], values, strict=False)]
        if len(r.rivals) > NAMED:
            rows.append([f"and {len(r.rivals) - NAMED} more", ""])
        chips.append(
            Chip(title, "holds" if r.holds else "open", "holds" if r.holds else "undecided",
                 "no other system could lead" if r.holds else f"{len(r.rivals)} of {others} other systems {could}",
                 [what, *how], heads if rows else [], rows)
        )  # fmt: skip
    return [_visible(chip) for chip in chips]


def _first_of(r: LeadRepetition) -> str:
    """The system with the highest mean, and how many others have it, too."""
    same = sum(r.means[0] - mean < 1e-12 for mean in r.means) - 1
    return _and_others(r.rivals[0], same)


def _and_others(name: str, others: int) -> str:
    return f"{name} and {plural(others, 'other')}" if others else name


def of_comparison(comparison: Comparison) -> FirstScreen:
    """Which of two systems is better, by how much, and how far that holds."""
    (a, b), (low, high) = comparison.systems, comparison.means
    first, *more = comparison.blocks("short")[0].parts
    effect, verdict = comparison.effect, comparison.verdict
    rows = [(comparison.measure, effect, True)]
    rows += [(r.name, r.effect, False) for r in comparison.repetitions if r.axis == "metric"]
    ends = [end for _, e, _ in rows for end in (e.difference, *e.ends) if end is not None]
    scale = Scale.of([*ends, 0.0])
    dots = []
    for name, e, strong in rows:
        shown = is_significant(e, comparison.alpha) and e.lean * e.difference > 0
        kind = "open" if not shown else "b" if e.difference > 0 else "a"
        dots.append(
            Dot(plain(name), scale.bar(kind, e.difference, *e.ends), minus_signs(score(e.difference)), strong=strong)
        )
    kinds = {dot.bar.kind for dot in dots}
    words = {"b": f"{b} is shown to be higher", "a": f"{a} is shown to be higher", "open": "no difference is shown"}
    lines = [f"A is {a}, mean {score(low)}; B is {b}, mean {score(high)}; {plural(effect.n_topics, 'topic')}."]
    if effect.lower < effect.upper:
        interval = f"{100 * effect.level:g} % interval {bounds(effect.lower, effect.upper)}"
        lines.append(minus_signs(f"Difference B - A: {score(effect.difference)}, {interval}."))
    tried = [r for r in comparison.repetitions if r.axis != "slice"]  # slices are not the same topics
    if tried:
        agree = sum(r.outcome == "holds" for r in tried)
        said = "agree" if verdict else "show no difference either"
        lines.append(f"{agree} of {len(tried)} other choices {said}, on the same topics.")
    if comparison.holes is not None:
        lines += warning_lines([comparison.holes])
    return FirstScreen(
        headline=visible(str(first)),
        lines=[visible(line) for line in (*map(str, more), *lines)],
        figure=f"Difference B \N{MINUS SIGN} A with its {100 * effect.level:g} % interval, each metric",
        scale=scale,
        dots=dots,
        legend=[(kind, visible(words[kind])) for kind in words if kind in kinds],
        zero=scale.at(0.0),
        chips=_verdict_chips(comparison),
    )


def _verdict_chips(comparison: Comparison) -> list[Chip]:
    """One chip per kind of other choice, as the command words it, with the repetitions behind it."""
    a, b = comparison.systems
    axes = {words: axis for axis, words in wording.AXES.items()}
    titles = {"other metrics": 0, "unjudged docs": 1, "order of ties": 2}
    names = {
        "unjudged docs": "Unjudged documents",
        "without metric": "Without a metric",
        "rank weights": "Rank weights",
    }
    chips = []
    for words, outcome, cell in sorted(wording.survey(comparison), key=lambda row: titles.get(row[0], 3)):
        rows = [
            [
                r.name,
                minus_signs(score(r.effect.difference)),
                minus_signs(r.effect.interval)
                + (wording.interval_owner(r.effect) if wording.has_interval(r.effect) else ""),
                evidence.marked_p(r.effect),
                r.outcome,
            ]
            for r in comparison.repetitions
            if r.axis == axes.get(words)
        ]
        tone = outcome.tone if isinstance(outcome, Toned) else "undecided"
        if axes.get(words) == "slice" and comparison.slices is not None:
            groups = comparison.slices
            table = [[row[0], *map(minus_signs, row[1:])] for row in (groups.rows()[0], *groups.rows()[1])]
            lines = [f"A is {a}, B is {b}.", groups.dependence(), groups.note()]
            chips.append(Chip(words.capitalize(), str(outcome), tone, minus_signs(cell), lines, table[0], table[1:]))
            continue
        header = ["choice", "B \N{MINUS SIGN} A", "interval", "p", "outcome"] if rows else []
        lines = [f"A is {a}, B is {b}."] if rows else _evidence_lines(comparison, words)
        lines += evidence.draws_of([r.effect for r in comparison.repetitions if r.axis == axes.get(words)])
        lines += evidence.shallow(comparison) if axes.get(words) == "metric" else []
        title = names.get(words, words.capitalize())
        chips.append(Chip(title, str(outcome), tone, minus_signs(cell), lines, header, rows))
    return [_visible(chip) for chip in chips]


def _evidence_lines(comparison: Comparison, words: str) -> list[str]:
    """What the command prints on a choice that is not one repetition after the other."""
    block = None
    if words == "unjudged docs" and comparison.unjudged is not None:
        block = evidence.unjudged_block(comparison, comparison.unjudged)
    elif comparison.without is not None and words in ("without metric", "rank weights"):
        shown = evidence.ipso_block if words == "without metric" else evidence.dominance_block
        block = shown(comparison, comparison.without)
    if block is None:
        return ["The comparison below has the evidence."]
    return [part for part in block.parts if isinstance(part, str) and not isinstance(part, Drawing)]


def _visible(chip: Chip) -> Chip:
    return Chip(
        chip.title, visible(chip.outcome), chip.tone, visible(chip.words), list(map(visible, chip.lines)),
        list(chip.header), [list(map(visible, row)) for row in chip.rows],
    )  # fmt: skip
