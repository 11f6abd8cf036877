"""The evidence of a comparison, one block per question; a paragraph and a caption for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankscope.comparisons.repeats import components_block
from rankscope.comparisons.scored import left_out, no_deeper
from rankscope.comparisons.sensitivity import (
    LISTS,
    MEANINGS,
    DifferenceBounds,
)
from rankscope.comparisons.without_metric import WithoutMetric
from rankscope.comparisons.wording import (
    TONES,
    covered,
    effect_lines,
    has_interval,
    interval_ends,
    interval_owner,
    judges_sentence,
    level_text,
    null_hypothesis,
    odds_words,
    on_means,
    planned_pair,
    ranks_seen,
    sentence,
    short,
    sign_turned,
    unjudged_seen,
    verdict_lines,
)
from rankscope.errors import plural
from rankscope.formatting import bounds, p_value, percent, probability, score
from rankscope.layout import Block, Layer, Table, Toned
from rankscope.measures import parse
from rankscope.measures.catalogue.interval import ON_MEANS
from rankscope.measures.scoring import documented_threshold
from rankscope.statistics import variance_components
from rankscope.statistics.pairs.replication import ASSUMPTIONS, GOAL, Replication
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.comparisons.comparing import Comparison
    from rankscope.comparisons.effect import Effect
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
PREFERENCES = [
    "F. Diaz and A. Ferraro (2022). Offline retrieval evaluation without evaluation metrics. SIGIR 2022.",
    "F. Diaz (2023). Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with lexicographic "
    "precision.",
    "F. Diaz, M. D. Ekstrand and B. Mitra (2023). Recall, robustness, and lexicographic evaluation.",
]
"""Works on recall-paired preference, lexiprecision and lexirecall."""
SKEWED = (
    "Where it fails: with few clusters, or few topics that have most of the weight, the test takes differences to lie "
    "evenly about their mean. Where they are strongly skewed, differences that do not exist were shown in up to 11 % "
    "of simulated comparisons in place of 5 % (docs/validity-topics.md)."
)
OUTER = "wide enough, but not every value between them can happen"
_AXIS = {
    "test": "test", "metric": "metric", "ties": "order of ties", "judge": "judge", "topics": "topics", "slice": "slice"
}  # fmt: skip


def blocks(c: Comparison, layer: Layer) -> list[Block]:
    """Printed blocks of a comparison; the verdict is first in every layer."""
    return short(c) if layer == "short" else [Block("", verdict_lines(c)), *evidence(c)]


def evidence(c: Comparison) -> list[Block]:
    """The evidence, one block per question."""
    parts = [_size(c)]
    if c.slices is not None:
        parts.append(slices_block(c.slices))
    if c.replication is not None:
        parts.append(_replicated(c, c.replication))
    elif c.effect.stand_in and not c.effect.sample.too_few:
        parts.append(
            Block("Would it repeat on new topics?", ["Not predicted: that is for t, and sign flips decide here."])
        )
    if c.repetitions or c.not_repeated:
        parts.append(_repetitions(c))
    if "judge" in {*(r.axis for r in c.repetitions), *(r.axis for r in c.not_repeated)}:
        parts.append(_judges(c))
    if c.machine is not None:
        parts.append(_machine(c, c.machine))
    if c.unjudged is not None:
        parts.append(unjudged_block(c, c.unjudged))
    if c.without is None:
        why = next((part.reason for part in c.not_repeated if part.axis == LISTS), "")
        scores = "Only scores were given. IPSO, dominance and preferences need the ranked lists."
        lines = [f"Not computed: {why}." if why else scores]
        parts.append(Block("Which system is ahead without a metric?", lines))
    else:
        parts += [ipso_block(c, c.without), dominance_block(c, c.without), _preferences(c, c.without)]
    if c.scored.runs:
        parts.append(components_block(variance_components(dict(zip(c.systems, c.scored.runs, strict=True)))))
    return [*parts, _comparisons(c), _report(c)]


def _size(c: Comparison) -> Block:
    e = c.effect
    explanation = [
        f"What it is: the mean of {c.measure} over topics for each system, and the mean difference. The p value is the "
        f"probability of a result at least this extreme if {null_hypothesis(c)}.",
        f"How to read it: a p value below {c.alpha:g} counts as shown. The interval holds the differences that these "
        "topics leave plausible; the drawing shows it beside 0.",
    ]
    if on_means(e) and (e.won or e.lost):
        explanation.append(f"{ON_MEANS}.")
    if c.scored.design is not None:
        explanation.append(SKEWED)
    title = f"How large is the difference? ({c.measure}, {plural(e.n_topics, 'topic')})"
    return Block(title, effect_lines(c, exact=True), explanation)


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
            f"Shown: t, two-sided p below {r.alpha:g}. If the true difference were at one end of its "
            f"{100 * r.level:g} % interval, {higher} would be shown to score higher on {percent(r.lower)} % of new "
            f"samples; at the other end, on {percent(r.upper)} %.",
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


def slices_block(groups: Slices) -> Block:
    """The comparison by slices of topics."""
    return Block(
        f"Does the difference depend on {groups.attribute}?",
        [
            Table(*groups.rows(), left=1, optional=(5,)),
            *groups.alarms(),
            groups.dependence(),
            groups.note(),
        ],
        [
            "What it is: the same comparison on parts of the topics. Shrunken: each difference drawn to the mean of "
            "the slices, weighted by their precision, the more so the less certain it is.",
            "How to read it: the test of dependence comes first. Without it, a slice that stands out may do so by "
            "chance, and its shrunken estimate is the better guess.",
        ],
    )


def repetitions(c: Comparison) -> tuple[list[str], list[list[str]]]:
    """Table of the repetitions: header and rows, each with its outcome for the verdict."""
    verdicts = {1: "B higher", -1: "A higher", 0: "neither"}
    rows = [
        [Toned(r.outcome, TONES[r.outcome]), _AXIS[r.axis], r.name, score(r.effect.difference),
         marked_p(r.effect), verdicts[r.verdict]]
        for r in c.repetitions if r.axis != "judge"
    ]  # fmt: skip
    return ["outcome", "other", "choice", "B - A", "p", "shown"], rows


def marked_p(e: Effect) -> str:
    """p as a cell of a table, with a mark where it was counted on random draws."""
    return f"{'≈ ' if e.drawn else ''}{probability(e.pvalue)}"


def draws_of(effects: Sequence[Effect]) -> list[str]:
    """What the mark of `marked_p` means, where one of the effects has it."""
    drawn = dict.fromkeys(e.drawn for e in effects if e.drawn)
    return [f"≈: p counted on {' and '.join(drawn)}; the others are exact, or by a formula"] if drawn else []


def _repetitions(c: Comparison) -> Block:
    listed = [r for r in c.repetitions if r.axis != "judge"]  # judges have a table of their own
    outcomes = [r.outcome for r in listed]
    parts: list[str | Table] = []
    if listed:
        parts.append(Table(*repetitions(c), left=3, optional=(1,), prose=True))
        meanings = MEANINGS if c.verdict else MEANINGS | {"holds": "no difference is shown with this choice, either"}
        parts += [f"{word} ({outcomes.count(word)}): {meanings[word]}" for word in MEANINGS if word in outcomes]
    parts += draws_of([r.effect for r in listed])
    if "slice" in {r.axis for r in listed}:
        parts.append("p of slices is uncorrected; their outcomes are by Holm's procedure over slices.")
    if turned := [r.name for r in listed if sign_turned(c, r)]:
        parts.append(f"B - A has the other sign under {', '.join(turned)}.")
    parts += [f"not computed: {r.name} ({r.reason})" for r in c.not_repeated if r.axis not in ("dominance", "judge")]
    if c.scored.judged is not None and "ties" not in {r.axis for r in c.repetitions} | {r.axis for r in c.not_repeated}:
        parts.append("Tied documents were not tried in other orders.")
    parts += [*_documented_threshold_of_others(c), *shallow(c)]
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


def shallow(c: Comparison) -> list[str]:
    """Other metrics with a depth that no list reaches, in one sentence."""
    if c.scored.judged is None:
        return []
    names = [r.name for r in c.repetitions if r.axis == "metric"]
    return no_deeper(names, c.scored.judged.code.shape[-1])


def _judges(c: Comparison) -> Block:
    """Other judges: one row each, and the topics on which all of them order the lists alike."""
    rows = [
        [Toned(r.outcome, TONES[r.outcome]), r.name, score(r.effect.difference), r.effect.interval,
         probability(r.effect.pvalue), str(r.effect.n_topics)]
        for r in c.repetitions if r.axis == "judge"
    ]  # fmt: skip
    lines: list[str | Table] = [
        Table(["outcome", "judge", "B - A", f"{100 * c.effect.level:g} % interval", "p", "topics"], rows, left=2),
        *(sentence for sentence in judges_sentence(c)[:1] if rows),
        *(f"not computed: {r.name} ({r.reason})" for r in c.not_repeated if r.axis == "judge"),
    ]
    if counts := [f"{r.name} {r.left_out}" for r in c.repetitions if r.axis == "judge" and r.left_out]:
        lines.append(f"Topics left out under a judge, without relevant documents or a run: {', '.join(counts)}.")
    if c.alike is not None:
        like = c.alike
        lines.append(
            f"IPSO grants the same class under all {like.judges} judges on {like.alike} of "
            f"{plural(like.compared, 'topic')}: B ahead on {like.ahead_b}, A on {like.ahead_a}, equal on {like.equal}, "
            f"undecided on {like.open}. Sign test on these: {p_value(like.pvalue)}."
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
    p = machine.result
    mean, low, high = p.human
    level = f"{100 * p.level:g} % interval"
    rows = [
        [f"human {p.unit}s alone", str(p.n_labelled), score(mean), bounds(low, high), ""],
        ["machine alone", str(p.n_labelled + p.n_unlabelled), score(p.machine), "", ""],
        ["both", str(p.n_labelled + p.n_unlabelled), score(p.difference), bounds(p.lower, p.upper),
         probability(p.pvalue)],
    ]  # fmt: skip
    lines: list[str | Table] = [Table(["labels", f"{p.unit}s", "B - A", level, "p"], rows)]
    lines.append(f"Weight of the machine's labels: {p.weight:.2f} (0 leaves them out, 1 trusts them as they are).")
    return Block(
        "What do few human labels and many of a machine show together?",
        [*lines, *machine.warnings(c.systems), *machine.passed_over(), *p.plan()],
        [
            "What it is: prediction-powered inference (Angelopoulos et al. 2023). The machine's mean on all "
            f"{p.unit}s is corrected by its errors on the {p.unit}s that people judged.",
            "How to read it: the row of both speaks of the human judge, whatever the machine's errors. It needs human "
            f"{p.unit}s that are a random sample of all {p.unit}s.",
        ],
    )


def unjudged_block(c: Comparison, ends: DifferenceBounds) -> Block:
    """How many documents are unjudged, and the differences that their grades could give."""
    count, documents = unjudged_seen(c)
    if count:
        lines = [f"{count:,} of the {documents:,} documents {ranks_seen(c)} of both systems are unjudged."]
    else:
        lines = [f"All {documents:,} documents {ranks_seen(c)} of both systems are judged."]
        if ends.lower < ends.upper:
            lines.append(f"Unjudged ones further down could change the best possible list. {c.measure} divides by it.")
    if c.holes is not None:
        lines += c.holes.sentences()[:2]  # the bounds follow
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
        f"Whatever the grades of unjudged documents, B - A stays within {bounds(ends.lower, ends.upper)}.",
        "Both ends can be reached." if ends.exact else f"These bounds are {OUTER}.",
    ]
    if ends.identical is None:
        lines.append("Names of documents were not kept. With them, documents that both lists hold narrow the bounds.")
    return lines


def ipso_block(c: Comparison, without: WithoutMetric) -> Block:
    """On how many topics each system is ahead without a metric, and the sign test."""
    a, b = c.systems
    ipso = without.ipso
    ni, ns, equal, mixed = without.counts
    lines = [
        f"{b} (B) is ahead on {plural(ns, 'topic')}, {a} (A) on {ni}. The lists are equal on {equal} and "
        f"undecided on {mixed}, where it depends on the metric.",
        ipso.order.meaning,
        f"Sign test of {ns} against {ni} topics: {p_value(ipso.pvalue)}.",
    ]
    if mixed:
        (_, most, p_a), (least, _, p_b) = ipso.swing
        lines.append(
            f"If all {mixed} undecided topics went to A: A {most}, B {ns}, {p_value(p_a)}; if all went to B: "
            f"A {ni}, B {least}, {p_value(p_b)}."
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


def dominance_block(c: Comparison, without: WithoutMetric) -> Block:
    """Whether every rank-weighted metric agrees, and which metrics these are."""
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
        shown = f"It counts as shown where {c.measure} shows a difference and p in its direction is {half}."
    lines = [
        f"{b} (B) higher under all of them: {for_b}.",
        f"{a} (A) higher under all of them: {for_a}.",
        shown,
        dominance.observed,
        f"Covered: metrics that sum gain ({covers.gains}) times {covers.weights}.",
        f"Among these metrics, with these gains, are {covers.members}.",
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
    lines = planned_pair(c) or [
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
    if e.sample.too_few:
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
    tried = [r.outcome for r in c.repetitions if r.axis in ("test", "metric", "ties")]
    if tried:
        does, agreeing = ("The verdict holds", tried.count("holds"))
        if not c.verdict:
            does, agreeing = ("A difference is shown", tried.count("appears"))
        sentences.append(f"{does} under {agreeing} of {len(tried)} other tests, metrics and orders of ties.")
    if c.without is not None:
        sentences += _beyond(c, c.without)
    return " ".join([*sentences, f"Computed with rankscope {__version__}; signature: {c.scored.signature}"])


def _difference(c: Comparison) -> str:
    a, b = c.systems
    e = c.effect
    change = "higher than" if e.difference > 0 else "lower than" if e.difference < 0 else "equal to"
    tested = f"{e.method}, {p_value(e.pvalue)}, not corrected for other comparisons"
    by = f" by {score(abs(e.difference))}" if e.difference else ""
    interval = (
        f" ({level_text(e)} interval of {b} minus {a}: {interval_ends(e)}{interval_owner(e)})"
        if has_interval(e)
        else ""
    )
    if c.opposed:
        odds = odds_words(c)
        conclusion = f"{odds[0].upper()}{odds[1:]} ({tested}), so we claim neither."
    else:
        conclusion = f"The difference is {'' if c.verdict else 'not '}significant at {c.alpha:g} ({tested})."
    return f"The mean of {b} ({c.means[1]:.4f}) is {change} that of {a} ({c.means[0]:.4f}){by}{interval}. {conclusion}"


def _beyond(c: Comparison, without: WithoutMetric) -> list[str]:
    """Sentences on IPSO and on dominance, which do not depend on the metric alone."""
    a, b = c.systems
    better = b if c.verdict > 0 else a
    ni, ns, equal, mixed = without.counts
    ipso = without.ipso
    tested = f"The sign test on these counts ({p_value(ipso.pvalue)})"
    if ni == ns == 0:
        test = "No topic is left to test."
    elif c.corroborated:
        test = f"{tested} points to {better}, too."
    elif ipso.pvalue < c.alpha:
        test = f"{tested} points to {b if ns > ni else a}."
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
            f"These are {covered(c, without)}. The test is {without.dominance.method} ({GAFFKE}) with "
            f"intersection-union ({BERGER}): {p_value(without.dominance_pvalue(c.verdict))}."
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
