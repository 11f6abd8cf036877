"""Words of a comparison over collections: the verdict, the three layers, the table of a paper."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from rankscope.comparisons.claims import Claim
from rankscope.comparisons.effect import ONE_RUN
from rankscope.comparisons.repeats import components_block
from rankscope.comparisons.sensitivity import MEANINGS
from rankscope.errors import output, plural
from rankscope.formatting import bounds, p_value, score, short_probability
from rankscope.layout import Block, Layer, Table, Tone, Toned, fitted, interval_bar

if TYPE_CHECKING:
    from rankscope.comparisons.comparing_collections import Across, AverageEffect

TONES: dict[str, Tone] = {"holds": "holds", "weakens": "changes", "reverses": "changes", "appears": "changes"}
CLAIMS = {
    "on average": "better on average",
    "on each": "better on each collection",
    "nowhere worse": "nowhere worse by the margin",
    "mixed": "better on some, worse on others",
}
BAR = 24  # letters of a drawn interval


def sentence(result: Across) -> str:
    """The verdict: one claim, and no more than its test shows."""
    a, b = result.systems
    claim, count, measure = result.claim, result.n_collections, _measure(result)
    mean = f"{result.average.difference:+.4f}, {p_value(result.average.pvalue, exact=False)}"
    if claim is None:
        return f"No difference between {a} and {b} is shown on average over {count} collections on {measure}: {mean}."
    first, second = (b, a) if claim.verdict >= 0 else (a, b)
    if claim.name == "on average":
        return f"{first} is better than {second} on average over {count} collections on {measure}: {mean}."
    p = p_value(claim.pvalue or 0.0, exact=False)
    if claim.name == "on each":
        return f"{first} is better than {second} on each of {count} collections on {measure} (largest {p})."
    if claim.name == "nowhere worse":
        differ = f"do {a} and {b} differ" if not claim.verdict else f"is {first} worse than {second}"
        return f"On none of {count} collections {differ} by {result.margin:g} or more, on {measure} ({p})."
    return f"{b} is better than {a} on some of {count} collections and worse on others, on {measure} ({p})."


def _measure(result: Across) -> str:
    return f"standardised {result.measure}" if result.standardised else result.measure


def blocks(result: Across, layer: Layer) -> list[Block]:
    """Blocks of a layer."""
    if layer == "short":
        return fitted(lambda rows: _short(result, rows), result.n_collections)
    return _full(result)


def _short(result: Across, rows: int) -> list[Block]:
    parts: list[str | Table] = [_drawn(result, rows)]
    if rows < result.n_collections:
        parts.append(f"{plural(result.n_collections - rows, 'more collection')}: {output('full')}.")
    average = result.average
    level = f"{100 * average.level:g} %"
    mean = f"mean over collections {average.difference:.4f}"
    if isnan(average.lower):
        parts.append(f"{mean}; no intervals, for the difference is the same on every collection")
    else:
        expected = "true" if result.rows else "observed"
        parts.append(f"{mean}, {level} interval {_ends(average.lower, average.upper)}")
        following = _ends(average.next_lower, average.next_upper)
        parts.append(f"next collection: {expected} difference within {following} ({level})")
    parts += _beyond(result)
    return [Block("", [Toned(sentence(result), "strong")]), Block("", parts),
            Block("Which claims are shown?", [_claims(result)]),
            Block("", [*_metrics_line(result), *_unused(result), f"Next: {_next(result)}"])]  # fmt: skip


def _beyond(result: Across) -> list[str]:
    """Note on intervals that reach beyond the range of a difference."""
    average, range_ = result.average, result.range
    ends = average.lower, average.upper, average.next_lower, average.next_upper
    if range_ is None or not any(abs(end) > range_[1] - range_[0] for end in ends):
        return []
    widest = range_[1] - range_[0]
    return [f"Intervals reach beyond {-widest:g} to {widest:g}, the range of a difference: collections are too few."]


def _drawn(result: Across, count: int) -> Table:
    """One row per collection with its interval drawn."""
    if not result.rows:
        return Table(["collection", "difference"], [[n, f"{v:.4f}"] for n, v in list(result.means.items())[:count]])
    average = result.average
    ends = [end for row in result.rows[:count] for end in result.ends(row)]
    ends += [average.difference] if isnan(average.lower) else [average.lower, average.upper]
    scale = min(0.0, *ends), max(0.0, *ends)
    rows = []
    for row in result.rows[:count]:
        lower, upper = result.ends(row)
        bar = interval_bar(lower, row.estimate, upper, width=BAR, scale=scale)
        rows.append([row.name, f"{row.effect.n_topics:,}", f"{row.estimate:.4f}", bar, _word(result, row.verdict)])
    bar = ""
    if not isnan(average.lower):
        bar = interval_bar(average.lower, average.difference, average.upper, width=BAR, scale=scale)
    rows.append(["mean", "", f"{average.difference:.4f}", bar, ""])
    edges = [f"{end:.2f}" for end in scale]
    header = ["collection", "topics", "difference", edges[0] + edges[1].rjust(BAR - len(edges[0])), "shown higher"]
    return Table(header, rows, optional=(1,))


def _collections(result: Across) -> Table:
    """One row per collection, the mean, and what the next collection may show."""
    average = result.average
    if not result.rows:
        rows = [[name, f"{value:.4f}", ""] for name, value in result.means.items()]
        rows.append(["mean over collections", f"{average.difference:.4f}", _ends(average.lower, average.upper)])
        rows.append(["next collection, observed", "", _ends(average.next_lower, average.next_upper)])
        return Table(["collection", "difference", f"{100 * average.level:g} % interval"], rows)
    rows = [
        [row.name, f"{row.effect.n_topics:,}", f"{row.estimate:.4f}", _ends(*result.ends(row)),
         short_probability(row.effect.pvalue), _word(result, row.verdict)]
        for row in result.rows
    ]  # fmt: skip
    rows.append(["mean", "", *_cells(average), ""])
    rows.append(["next collection", "", "", _ends(average.next_lower, average.next_upper), "", ""])
    return Table(
        ["collection", "topics", "difference", f"{100 * average.level:g} % interval", "p", "shown higher"], rows,
        optional=(1, 4),
    )  # fmt: skip


def _word(result: Across, verdict: int) -> str:
    return "none" if not verdict else result.systems[verdict > 0]


def _ends(lower: float, upper: float) -> str:
    return "none" if not lower < upper else bounds(lower, upper)


def _bounds(lower: float, upper: float) -> str:
    return bounds(lower, upper) if lower < upper else "none"


def _claims(result: Across) -> Table:
    rows = []
    for claim in result.claims:
        if claim.name == "nowhere worse" and result.margin is None:
            continue
        name = CLAIMS[claim.name].replace("the margin", f"{result.margin or 0:g}")
        tone: Tone = "holds" if claim.shown else "undecided"
        p = "" if claim.pvalue is None else p_value(claim.pvalue, exact=False)
        rows.append([name, Toned(_shown(result, claim), tone), p])
    return Table([], rows, left=2)


def _shown(result: Across, claim: Claim) -> str:
    if claim.pvalue is None:
        return "cannot be said from means"
    if not claim.shown:
        return "not shown"
    if claim.name == "mixed":
        return "shown"
    return f"shown for {result.systems[claim.verdict > 0]}" if claim.verdict else "shown for both"


def _metrics_line(result: Across) -> list[str]:
    """What other metrics make of the mean over collections."""
    if not result.repetitions:
        return []
    count = len(result.repetitions)
    holds = [r for r in result.repetitions if r.outcome == "holds"]
    average = next(claim for claim in result.claims if claim.name == "on average")
    others = [f"{r.name} {r.outcome}" for r in result.repetitions if r.outcome != "holds"]
    if not average.verdict:
        shown = [r.name for r in result.repetitions if r.verdict]
        some = f"a difference is shown under {', '.join(shown)}" if shown else "not shown"
        return [f"Average under {count} other metrics: {some}."]
    listed = f"; {', '.join(others)}" if others else ""
    return [f"Average under {count} other metrics: {len(holds)} of {count} hold{listed}."]


def _unused(result: Across) -> list[str]:
    if not result.unused:
        return []
    listed = "; ".join(f"{each.name}: {each.reason}" for each in result.unused[:3])
    more = f"; and {len(result.unused) - 3} more" if len(result.unused) > 3 else ""
    return [f"Left out: {listed}{more}."]


def _next(result: Across) -> str:
    shown = any(claim.shown and claim.name == "on average" for claim in result.claims)
    if not shown and result.n_collections < 10:
        return f"more collections shorten both intervals; {output('full')} has the evidence."
    return f"{output('full')} has the evidence, {output('explain')} says how to read it."


def _full(result: Across) -> list[Block]:
    evidence = [
        Block("", [Toned(sentence(result), "strong")]),
        Block(
            "How large is the difference on each collection?", [_collections(result), *_row_notes(result)],
            ["One row per collection: the mean of second less first over topics, its interval, and who is shown to "
             "score higher there.",
             "Each row is a comparison by itself; of many rows some are significant by chance."],
        ),
        Block(
            "Which claims are shown?", [_claims(result), *(f"{CLAIMS[c.name]}: {c.method}." for c in result.claims)],
            ["Four claims, each with a test of its own at the same significance level. The verdict states one of them.",
             "Better on average speaks of a population of collections like these; the others speak of just these."],
        ),
        Block("What is to be expected on the next collection?", _prediction(result),
              ["The interval of the mean is about the average of collections. The next collection has an effect of its "
               "own, and that interval is wider.",
               "tau is the standard deviation of true effects over collections; I2 is the share of the variance that "
               "the sampling of topics does not explain."]),
        *_methods(result),
    ]  # fmt: skip
    if result.without:
        evidence.append(_without(result))
    if result.repetitions:
        evidence.append(_metrics(result))
    if result.weighted is not None:
        evidence.append(_weighted(result))
    if result.components is not None:
        block = components_block(result.components)
        notes = [] if min(result.n_runs) > 1 else [f"{ONE_RUN[0].upper()}{ONE_RUN[1:]}."]
        evidence.append(Block(block.title, [*block.parts, *notes], block.explanation))
    limits = _unused(result)
    if not result.rows:
        limits += ["From means alone nothing can be said about a single collection: no interval, no test, no claim on "
                   "each collection.",
                   "Nor about heterogeneity: the variance of the means holds that of the topics."]  # fmt: skip
    if limits:
        evidence.append(Block("What cannot be said?", limits))
    return evidence


def _row_notes(result: Across) -> list[str]:
    gone = sum(row.left_out for row in result.rows)
    notes = [f"{plural(gone, 'topic')} left out for want of relevant documents or of a score."] if gone else []
    if result.standardised:
        notes.append(
            "Differences are standardised: in standard deviations over the topics of a collection (Hedges 1981). They "
            "say nothing about the size of a difference in a measure."
        )
    return notes


def _prediction(result: Across) -> list[str | Table]:
    average = result.average
    level = f"{100 * average.level:g} %"
    rows = [
        ["mean over collections", f"{average.difference:.4f}", _ends(average.lower, average.upper)],
        ["next collection" if result.rows else "next collection, observed", "",
         _ends(average.next_lower, average.next_upper)],
    ]  # fmt: skip
    parts: list[str | Table] = [Table(["", "difference", f"{level} interval"], rows)]
    parts.append(f"{average.method}, {average.df:.3g} degrees of freedom, {p_value(average.pvalue)}.")
    if result.by_precision is not None:
        model = result.by_precision
        parts.append(
            f"Heterogeneity: tau {model.tau:.4f}, I2 {100 * model.i2:.0f} %, Q {model.q:.4g} with "
            f"{len(model.effects) - 1} degrees of freedom, {p_value(model.q_pvalue)}."
        )
    parts += _beyond(result)
    if result.n_collections < 5:
        parts.append(f"With {result.n_collections} collections the interval for the next one is very wide.")
    return parts


def _methods(result: Across) -> list[Block]:
    if result.by_precision is None or result.usual is None or result.bootstrap is None:
        return []
    rows = [["equal weights, Hartung-Knapp (decides)", *_cells(result.average)]]
    rows.append(["weights by precision, Paule-Mandel, Hartung-Knapp", f"{result.by_precision.difference:.4f}",
                 _ends(result.by_precision.lower, result.by_precision.upper),
                 short_probability(result.by_precision.pvalue)])  # fmt: skip
    rows.append(["DerSimonian-Laird, normal interval", f"{result.usual.difference:.4f}",
                 _ends(result.usual.lower, result.usual.upper), short_probability(result.usual.pvalue)])  # fmt: skip
    rows.append(["two-level bootstrap", f"{result.bootstrap.difference:.4f}",
                 _ends(result.bootstrap.lower, result.bootstrap.upper), ""])  # fmt: skip
    return [
        Block(
            "Would another method change the mean?", [Table(["method", "mean", "interval", "p"], rows)],
            ["The first row decides: its test holds its level whatever the numbers of topics. The others are shown "
             "because papers and tools print them.",
             "DerSimonian-Laird with the normal interval is too short for few collections; weights by precision find "
             "too much where one collection has most topics."],
        )
    ]  # fmt: skip


def _cells(average: AverageEffect) -> list[str]:
    return [f"{average.difference:.4f}", _ends(average.lower, average.upper), short_probability(average.pvalue)]


def _without(result: Across) -> Block:
    rows = [[name, *_cells(effect)] for name, effect in result.without]
    return Block(
        "Does one collection decide?", [Table(["without", "mean", "interval", "p"], rows)],
        ["The mean over collections without each collection in turn.",
         "Where one row differs much from the others, the mean depends on that collection."],
    )  # fmt: skip


def _metrics(result: Across) -> Block:
    rows = [
        [r.name, Toned(r.outcome, TONES[r.outcome]), score(r.effect.difference),
         _bounds(r.effect.lower, r.effect.upper), short_probability(r.effect.pvalue)]
        for r in result.repetitions
    ]  # fmt: skip
    used = {r.outcome for r in result.repetitions}
    notes = [f"{word}: {meaning}." for word, meaning in MEANINGS.items() if word in used]
    notes += [f"{r.name} is left out: {r.reason}." for r in result.not_repeated]
    table = Table(["metric", "", "mean", "interval", "p"], rows, left=2)
    return Block(
        "Would another metric change the average?", [table, *notes],
        ["The claim on average again, with every collection scored by another metric.",
         "The metrics are computed from the same lists: they are no independent evidence."],
    )  # fmt: skip


def _weighted(result: Across) -> Block:
    assert result.weighted is not None
    assert result.weights is not None
    total = sum(result.weights[row.name] for row in result.rows)
    shares = ", ".join(f"{row.name} {result.weights[row.name] / total:.2f}" for row in result.rows)
    effect = result.weighted
    cells = f"{effect.difference:.4f}, {_ends(effect.lower, effect.upper)}, {p_value(effect.pvalue)}"
    return Block(
        "What is the mean by the weights given?", [f"{cells}.", f"Weights: {shares}."],
        ["The question that it answers: how large is the difference on this mix of just these collections?",
         "Only topics vary in it, so that it says nothing about further collections."],
    )  # fmt: skip


def paper_table(result: Across) -> tuple[list[str], list[list[str]]]:
    """One row per collection, the mean over collections, and the next collection."""
    average = result.average
    interval = f"{100 * average.level:g} % interval"
    if not result.rows:
        rows = [[name, f"{value:.4f}", "", ""] for name, value in result.means.items()]
        header = ["collection", "difference", interval, "p"]
        blank: list[str] = []
    else:
        a, b = result.systems
        header = ["collection", "topics", a, b, "difference", interval, "p"]
        blank = ["", "", ""]
        rows = [
            [row.name, f"{row.effect.n_topics}", f"{row.mean_a:.4f}", f"{row.mean_b:.4f}", f"{row.estimate:.4f}",
             _bounds(*result.ends(row)), short_probability(row.effect.pvalue)]
            for row in result.rows
        ]  # fmt: skip
    mean = _bounds(average.lower, average.upper)
    rows.append(["mean", *blank, f"{average.difference:.4f}", mean, short_probability(average.pvalue)])
    rows.append(["next collection", *blank, "", _bounds(average.next_lower, average.next_upper), ""])
    return header, rows


def caption(result: Across) -> str:
    """What the table shows, and by which methods."""
    a, b = result.systems
    heterogeneity = ""
    if result.by_precision is not None:
        heterogeneity = f" Heterogeneity: tau {result.by_precision.tau:.4f}, I2 {100 * result.by_precision.i2:.0f} %."
    return (
        f"{_measure(result)} of {b} less {a} on {result.n_collections} collections. Mean: {result.average.method}; "
        f"next collection: prediction interval.{heterogeneity} {sentence(result)}"
    )
