"""Metrics and preference methods side by side: what several studies say of each, in one row.

No single number ranks metrics here. A scorecard says which differences are beyond the sampling of topics, whose numbers
are behind another's in every column, and where topics or systems are too few to say much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from rankscope.errors import InputError, Problem
from rankscope.judged import Judged
from rankscope.measures import Measure
from rankscope.parallel import Client, check_workers
from rankscope.preferences import all_pairs
from rankscope.preferences.all_pairs import Method
from rankscope.preferences.ordering import ordering_for
from rankscope.results import markdown
from rankscope.statistics import Resampling, letters, randomised_hsd
from rankscope.statistics.pairs.pairwise import sign_of_pairs
from rankscope.studies import spread
from rankscope.studies.arguments import at_once, check_alpha, check_whole, draws_of, reread, samples_of, some_of
from rankscope.studies.base import Study, Table, extent, threshold
from rankscope.studies.checkpoints import MANIFEST
from rankscope.studies.consistency import consistency
from rankscope.studies.incompleteness import incompleteness
from rankscope.studies.locality import locality
from rankscope.studies.material import Measures, StudyMaterial, material, reusable
from rankscope.studies.pair_tests import all_tested
from rankscope.studies.power import discriminative_power
from rankscope.studies.preference_lists import comparable, quietly
from rankscope.studies.runner import Interrupted, Tell
from rankscope.studies.scales import scales
from rankscope.studies.similarity import similarity
from rankscope.studies.ties import tied_by_topic, ties
from rankscope.studies.total_progress import TotalProgress
from rankscope.universe.one_measure.summary import columns as known_facts
from rankscope.universe.score_ranks import chosen, domain, placed
from rankscope.universe.two_measures.features import FEATURES, features

Part: TypeAlias = Literal[
    "scale", "properties", "power", "consistency", "incompleteness", "ties", "agreement", "preference", "similarity",
    "locality", "scales",
]  # fmt: skip
PARTS: tuple[Part, ...] = get_args(Part)
QUICK: tuple[Part, ...] = ("scale", "properties", "power", "consistency", "ties", "agreement", "preference")
"""What is looked at unless more is asked for: nothing that takes judgments away or needs minutes."""
BESIDE = ("similarity", "locality", "scales")
"""Studies that have tables of their own and no column."""
MEASURES = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20")
METHODS: tuple[Method, ...] = ("rrLP", "sgnLP")
FEW_TOPICS, FEW_SYSTEMS = 25, 10
"""Below these, halves of topics and rankings of systems say little (Buckley and Voorhees 2000)."""
DEPTH = 10  # of IPSO by default; and the most documents of the rankings that preferences are looked for in
DRAWS = {
    "power": Resampling(2000), "consistency": Resampling(1000), "ties": Resampling(2000),
    "incompleteness": Resampling(10),
}  # fmt: skip
"""What studies draw by default: permutations, splits of topics, permutations again, samples of pools."""
HIGHER = {"power": 1, "consistency": 1, "incompleteness": 1, "tied": -1, "ipso": 1}
"""Columns in which one can be better, and in which direction."""
_TESTED = {
    "consistency": "over topics, each left out in turn, Holm",
    "tied": "over topics, randomised Tukey HSD",
}
_UNTESTED = {
    "power": "counted over pairs of systems, which share systems and topics",
    "incompleteness": "means over samples of one pool, which are no replicates",
    "ipso": "counted over pairs of systems, which share systems and topics",
}
"""Columns without a test, and why."""
_WEIGHTS: dict[Part, float] = {
    "scale": 1, "properties": 1, "power": 10, "consistency": 2, "incompleteness": 50, "ties": 8, "agreement": 1,
    "preference": 2, "similarity": 3, "locality": 4, "scales": 5,
}  # fmt: skip
"""How long each study takes beside the others, roughly, to tell how long all may take."""
_COLUMN = {"ties": "tied", "agreement": "ipso", "preference": "prefers"}
"""Of studies whose column has another name."""
_ORDERS = ("set", "rank")
_BEST = ("ratio", "interval", "ordinal", "neither", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """Two candidates that differ significantly in one column; the first is the better one."""

    column: str
    first: str
    second: str
    difference: float
    pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scorecard(Study):
    """One row per metric or method.

    rows         columns by name; what was not studied, or cannot be said of a method, is None
    differences  pairs of candidates with p below alpha in a column that has a test
    studied      results of the studies behind it, by name
    warnings     why these numbers may say little
    """

    rows: Mapping[str, list[Any]]
    differences: tuple[MetricDifference, ...] = field(repr=False)
    studied: Mapping[str, Study] = field(repr=False)
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    alpha: float
    settings: Mapping[str, Any] = field(repr=False)
    name: str = "scorecard"

    @property
    def candidates(self) -> tuple[str, ...]:
        """Metrics and methods."""
        return tuple(self.rows["candidate"])

    def behind(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """By candidate, the others whose numbers are at least as good in every column and better in one.

        These are point estimates. For each of them, the columns in which the difference is significant; there may be
        none.
        """
        columns = [name for name in HIGHER if name in self.rows]
        value = np.array([[_number(x) * HIGHER[name] for x in self.rows[name]] for name in columns])
        tested = {(d.second, d.first, d.column) for d in self.differences}
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        for i, candidate in enumerate(self.candidates):
            over = [
                other
                for j, other in enumerate(self.candidates)
                if len(columns) > 1
                and not np.isnan(value[:, [i, j]]).any()
                and (value[:, j] >= value[:, i]).all()
                and (value[:, j] > value[:, i]).any()
            ]
            found[candidate] = {other: tuple(c for c in columns if (candidate, other, c) in tested) for other in over}
        return found

    def tables(self) -> dict[str, Table]:
        """scorecard: one row per candidate. differences: one row per pair that differs significantly."""
        s = self.settings
        draws = {study: f"{draw['resamples']:,}" for study, draw in s["resampling"].items()}
        words = {"alpha": f"{self.alpha:g}", "seed": s["resampling"]["power"]["seed"], **draws}
        caption = "\n".join(text for key, text in _CAPTIONS.items() if key in self.rows).format(**{**s, **words})
        size = f"{extent(s)}{threshold(s)}.\n{caption}"
        texts = sum(name in self.rows for name in ("candidate", "scale", "properties"))
        formats = {"power": ".2f", "tied": ".2f", "ipso": ".2f"}
        keys = ("column", "first", "second", "difference", "pvalue")
        beyond = {key: [getattr(difference, key) for difference in self.differences] for key in keys}
        where = "; ".join(f"{name} {how}" for name, how in _TESTED.items() if name in self.rows)
        return {
            "scorecard": Table(values=self.rows, caption=size, left=texts, formats=formats),
            "differences": Table(
                values=beyond,
                caption=f"Pairs that differ, p < {self.alpha:g}: {where or 'no column has a test'} "
                f"({draws['ties']} permutations where there are any). The first is the better one.",
                left=3, formats={"pvalue": ".4g"},
            ),
        }  # fmt: skip

    def to_markdown(self, table: str | None = None) -> str:
        """A table as GitHub shows it; the scorecard with what was found in it, sentence by sentence."""
        shown = self.show(table).to_markdown()
        return (
            shown
            if table
            else "\n".join([f"{shown}\n", *(f"- {markdown(line)}" for line in self.summary().splitlines())])
        )

    def to_dict(self) -> dict[str, Any]:
        """Scorecard, differences, warnings and candidates behind others; tables of single studies come from these."""
        tables = self.tables()
        return {
            "study": self.name,
            "settings": dict(self.settings),
            "scorecard": tables["scorecard"].rows(),
            "differences": tables["differences"].rows(),
            "behind": {
                candidate: {other: list(columns) for other, columns in by.items()}
                for candidate, by in self.behind().items()
            },
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "summary": self.summary(),
        }

    def summary(self) -> str:
        """What was found, in plain sentences."""
        lines = [self._best(name) for name in HIGHER if name in self.rows]
        for why in dict.fromkeys(_UNTESTED.values()):
            if untested := [name for name, reason in _UNTESTED.items() if reason == why and name in self.rows]:
                lines.append(f"Differences in {' and '.join(untested)} are not tested here: they are {why}.")
        columns = [name for name in HIGHER if name in self.rows]
        if len(columns) > 1 and len(self.candidates) > 1:
            behind = self.behind()
            for candidate, by in behind.items():
                shown = [f"{other} (significant: {', '.join(tested) or 'none'})" for other, tested in by.items()]
                if shown:
                    lines.append(f"By its numbers, {candidate} is in no column ahead of {', '.join(shown)}.")
            free = [candidate for candidate, by in behind.items() if not by]
            lines.append(
                "By these numbers, no other is at least as good in every column and better in one than any of "
                f"{', '.join(free)}. Which of them suits is no matter of numbers alone: look at what they prefer, "
                "and what your users do."
            )
        return "\n".join([*lines, *(f"Caution: {text}." for text in self.warnings), *self.notes])

    def _best(self, column: str) -> str:
        """Who leads a column, and which differences in it are significant."""
        value = {
            candidate: _number(x)
            for candidate, x in zip(self.candidates, self.rows[column], strict=True)
            if x is not None
        }
        if not value:
            return f"{column}: nothing to say."
        sign = HIGHER[column]
        best = max(sign * x for x in value.values())
        leading = [candidate for candidate, x in value.items() if sign * x >= best - 1e-9]
        sentence = f"{column}: {', '.join(leading)} lead{'s' * (len(leading) == 1)} ({_shown(column, sign * best)})"
        if column not in _TESTED:
            return f"{sentence}."
        names, count = list(value), len(value)
        apart = np.ones((count, count))
        for d in self.differences:
            if d.column == column:
                i, j = names.index(d.first), names.index(d.second)
                apart[i, j] = apart[j, i] = 0.0
        pairs, beyond = count * (count - 1) // 2, int(np.count_nonzero(apart == 0.0)) // 2
        if not pairs:
            return f"{sentence}."
        how = f"p < {self.alpha:g} {_TESTED[column]}"
        if beyond in (0, pairs):
            return f"{sentence}; {'all' if beyond else 'no'} differences are significant ({how})."
        shown = letters(apart, location=[sign * x for x in value.values()], systems=names)
        marks = ", ".join(f"{shown.systems[s]} {shown.letters[s]}" for s in shown.ranked)
        return (
            f"{sentence}; {beyond} of {pairs} differences {'are' if beyond > 1 else 'is'} significant ({how}), "
            f"{'those' if beyond > 1 else 'that'} without a shared letter: {marks}."
        )


_CAPTIONS = {
    "scale": "scale: the better of those on the set-based and the rank-based order of short binary rankings.",
    "properties": "properties: of bounded, monotone, convergent, top-weighted, localised, complete, realisable.",
    "power": "power: per cent of the pairs of systems told apart by randomised Tukey HSD, p < {alpha}, {power} "
    "permutations, seed {seed}.",
    "consistency": "consistency: mean tau-b between the rankings on two random halves of the topics, {consistency} "
    "splits.",
    "incompleteness": "incompleteness: mean tau-b between the rankings with the whole pool and with 90 to 5 % of it, "
    "{incompleteness} samples, stratified and uniform.",
    "tied": "tied: per cent of the pairs of lists on one topic without a preference, by exact scores where there are.",
    "ipso": "ipso: per cent of the pairs of systems on which its test (t; of preferences that are signs, the sign "
    "test) and IPSO's sign test agree whether they differ, p < {alpha}. IPSO: {order}, to depth {depth} for all, "
    "which was chosen whatever cutoff a metric has.",
    "prefers": "prefers: over all rankings of {documents} documents, what it prefers more often than the others where "
    "they disagree, in points of these pairs.",
}  # fmt: skip


def scorecard(
    judged: Judged,
    measures: Measures | None = MEASURES,
    methods: Sequence[Method] = METHODS,
    *,
    studies: Part | Iterable[Part] = QUICK,
    depth: int | None = None,
    resampling: Resampling | Mapping[str, Resampling] | None = None,
    alpha: float = 0.05,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Scorecard:
    """Run studies of metrics and methods on a collection, and put what they say side by side.

    judged      loaded with keep_docs=True for "incompleteness"
    measures, methods  as for `material`
    studies     of `PARTS`; `QUICK` by default. "similarity", "locality" and "scales" add their tables alone
    depth       how deep lists are looked at by measures and methods that name no cutoff, and by IPSO; by default whole
                lists, and IPSO to depth 10. Preferences are looked for in rankings of so many documents, 10 at most
    resampling  one for all studies, or by study; `DRAWS` by default: permutations of "power" and "ties", splits of
                "consistency", samples of "incompleteness"
    checkpoints  a folder with one for each study in it

    Ctrl-C raises `Interrupted`, whose `partial` is the scorecard of the columns that are done.
    """
    studies = reread(studies)
    at_once(
        lambda: some_of(studies, PARTS, "study", "studies"),
        lambda: depth is None or check_whole(depth, "depth"),
        lambda: samples_of(draws_of(resampling, DRAWS)["incompleteness"]),
        lambda: check_alpha(alpha),
        lambda: check_workers(workers),
    )
    wanted = some_of(studies, PARTS, "study", "studies")
    draws = draws_of(resampling, DRAWS)
    ipso_depth = DEPTH if depth is None else int(depth)
    documents = min(ipso_depth, DEPTH)
    base = comparable(judged, n_topics=2)  # enough systems and topics
    order = ordering_for(base, None, None, ipso_depth).words
    if "incompleteness" in wanted and judged.documents is None:
        raise InputError("incompleteness needs the judged documents by name", "load with keep_docs=True")
    if checkpoints is not None:
        _check_folder(Path(checkpoints))
    measures = reusable(measures)
    with quietly():  # what is left out stands in the notes
        studied = material(judged, measures, methods, depth=depth, workers=workers)
    names = studied.names
    rows: dict[str, list[Any]] = {"candidate": list(names)}
    done = dict[str, Study]()
    beyond: list[MetricDifference] = []
    records = {one.name: one.record for one in studied.candidates if one.record is not None}
    anywhere = {name: _over_rankings(one) for name, one in records.items()}

    total = TotalProgress({part: _WEIGHTS[part] for part in PARTS if part in wanted}, progress)

    def kept(study: Part) -> dict[str, Any]:
        folder = None if checkpoints is None else Path(checkpoints) / study
        return {"checkpoints": folder, "progress": total.begin(study), "workers": workers, "client": client}

    def study() -> None:
        """Column by column; a column comes after its differences, so that one that is there is whole."""
        if "scale" in wanted:
            rows["scale"] = [_scale(anywhere.get(name)) for name in names]
            total.done("scale")
        if "properties" in wanted:
            rows["properties"] = [_properties(anywhere.get(name)) for name in names]
            total.done("properties")
        if "power" in wanted:
            power = discriminative_power(studied, resampling=draws["power"], alpha=alpha, **kept("power"))
            done["power"] = power
            rows["power"] = [100 * power.share(name) for name in names]
        if "consistency" in wanted:
            # one family: here all candidates are held against each other
            halves = consistency(studied, resampling=draws["consistency"], alpha=alpha,
                                 families=dict.fromkeys(names, ""), **kept("consistency"))  # fmt: skip
            done["consistency"] = halves
            beyond.extend(_beyond("consistency", halves.families[0].columns(), alpha))
            rows["consistency"] = [halves.mean[name] for name in names]
        if "incompleteness" in wanted:
            samples = draws["incompleteness"]
            pools = incompleteness(
                judged, measures, methods, resampling=samples, depth=depth, **kept("incompleteness")
            )  # fmt: skip
            done["incompleteness"] = pools
            by_sample = spread.mean(np.moveaxis(pools.tau, -1, 1).reshape(len(names), samples.resamples, -1))
            rows["incompleteness"] = spread.mean(by_sample).tolist()
        if "ties" in wanted:
            done["ties"] = ties(judged, measures, methods, depth=depth, **kept("ties"))
            pairs = len(studied.systems) * (len(studied.systems) - 1) // 2
            by_topic = np.stack([tied_by_topic(studied, candidate) / pairs for candidate in studied.candidates])
            if len(names) > 1 and by_topic.shape[1] > 1 and not np.isnan(by_topic).any():
                compared = randomised_hsd(100 * by_topic.T, resampling=draws["ties"], systems=names, workers=workers)
                by_pair = {**compared.columns(), "difference": -compared.difference, "p": compared.pvalue}
                beyond.extend(_beyond("tied", by_pair, alpha))
            rows["tied"] = (100 * by_topic.mean(axis=1)).tolist()
            total.done("ties")
        if "agreement" in wanted:
            rows["ipso"] = _with_ipso(judged, studied, ipso_depth, alpha, workers)
            total.done("agreement")
        if "preference" in wanted:
            rows["prefers"] = _preferring(anywhere, names, documents, workers)
            total.done("preference")
        if "similarity" in wanted:
            done["similarity"] = similarity(studied, **kept("similarity"))
        if "locality" in wanted:
            done["locality"] = locality(judged, measures, methods, depth=depth, workers=workers)
            total.done("locality")
        if "scales" in wanted and records:
            done["scales"] = scales(judged, records, alpha=alpha, **kept("scales"))

    def result(*stopped: str) -> Scorecard:
        settings = {
            **studied.settings(), "studies": list(wanted), "depth": ipso_depth, "documents": documents,
            "order": order,
            "resampling": {study: {"resamples": draw.resamples, "seed": draw.seed} for study, draw in draws.items()},
            "alpha": alpha,
        }  # fmt: skip
        return Scorecard(
            rows=rows,
            differences=tuple(difference for difference in beyond if difference.column in rows),
            studied=done,
            warnings=(*stopped, *_warnings(len(studied.topics), len(studied.systems))),
            notes=studied.notes,
            alpha=alpha,
            settings=settings,
        )

    try:
        with quietly():
            study()
    except KeyboardInterrupt as stop:
        missing = [part for part in wanted if _COLUMN.get(part, part) not in (done if part in BESIDE else rows)]
        sentence = f"stopped before {', '.join(missing)} {'was' if len(missing) == 1 else 'were'} done"
        raise Interrupted(str(stop) or f"scorecard {sentence}", result(sentence) if len(rows) > 1 else None) from stop
    return result()


def _check_folder(folder: Path) -> None:
    """A folder for studies holds nothing but folders of studies."""
    if folder.exists() and not folder.is_dir():
        raise InputError(Problem("is a file", "name a folder for checkpoints", str(folder)))
    files = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if MANIFEST in files:
        raise InputError(Problem("holds the checkpoints of one study", "name another folder", str(folder)))
    if other := [name for name in files if name not in PARTS]:
        raise InputError(
            Problem(f"holds {', '.join(other[:3])}{', ...' * (len(other) > 3)}, which no scorecard wrote",
                    "name an empty folder, or a new one", str(folder))
        )  # fmt: skip


def _warnings(topics: int, systems: int) -> tuple[str, ...]:
    sentences = []
    if topics < FEW_TOPICS:
        sentences.append(f"{topics} topics are few: below {FEW_TOPICS}, most of these numbers move with every topic")
    if systems < FEW_SYSTEMS:
        sentences.append(
            f"{systems} systems are few: below {FEW_SYSTEMS}, tau and shares of pairs take large steps and tell little"
        )
    return tuple(sentences)


def _over_rankings(measure: Measure) -> Measure:
    """As it is over all possible rankings, whose documents are relevant or not, whatever the collection's threshold."""
    settings = tuple(setting for setting in measure.settings if setting[0] != "rel")
    return measure if settings == measure.settings else replace(measure, settings=settings)


def _scale(measure: Measure | None) -> str | None:
    """The better label of two orders, as for `scales`."""
    if measure is None:
        return None
    ask = known_facts()
    return min((ask[order](measure) for order in _ORDERS), key=_BEST.index)


def _properties(measure: Measure | None) -> str | None:
    """Short names of those that hold."""
    if measure is None:
        return None
    marks = {name: look(measure) for name, look in known_facts().items() if name not in (*_ORDERS, "ipso")}
    return "-" if "-" in marks.values() else " ".join(name for name, mark in marks.items() if mark)


def _beyond(column: str, columns: Mapping[str, Any], alpha: float) -> list[MetricDifference]:
    """Pairs of candidates that differ significantly."""
    differences = []
    for first, second, difference, p in zip(*(columns[k] for k in ("first", "second", "difference", "p")), strict=True):
        if p < alpha:
            better, worse = (first, second) if difference * HIGHER[column] > 0 else (second, first)
            differences.append(
                MetricDifference(column=column, first=better, second=worse, difference=abs(float(difference)), pvalue=p)
            )
    return differences


def _with_ipso(
    judged: Judged, studied: StudyMaterial, depth: int, alpha: float, workers: int | None
) -> list[float]:  # fmt: skip
    """By candidate, per cent of the pairs of systems on which it and IPSO agree whether they differ."""
    base = comparable(judged)
    reach = min(depth, base.code.shape[-1])
    preferences = all_pairs(base, "ipso", systems=studied.systems, depth=reach, workers=workers)
    same = np.isin(preferences.topics, studied.topics)  # those that the candidates are studied on
    ipso = sign_of_pairs(preferences.value[:, same]) < alpha
    shares = []
    for candidate in studied.candidates:
        difference, errors = candidate.known_differences()
        signs = candidate.preferences is not None and np.isin(difference, (-1.0, 0.0, 1.0)).all()
        p, _ = all_tested(difference, "sign" if signs else "t", errors=errors)
        shares.append(100 * float(((p < alpha) == ipso).mean()))
    return shares


def _preferring(
    measures: Mapping[str, Measure], names: Sequence[str], depth: int, workers: int | None
) -> list[str | None]:
    """By candidate, what it prefers against the others where all rankings of a depth can be scored."""
    usable = {}
    for name, measure in measures.items():
        try:
            placed(domain(depth), chosen(measure, depth), workers=1)
        except InputError:  # no score for some ranking, or none that tells rankings apart for sure
            continue
        usable[name] = measure
    label, order = list(usable), list(dict.fromkeys(usable.values()))
    if len(order) < 2:  # one measure by two names has nothing to disagree with
        return [None] * len(names)
    compared = features(order, depth=depth, workers=workers)
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    words = list(FEATURES)
    lean: dict[str, list[list[float]]] = {name: [] for name in label}
    for at, (a, b) in enumerate(pairs):
        rows = compared.rows[at * len(words) : (at + 1) * len(words)]
        if not rows[0].disagreeing:
            continue
        gap = [row.percent(row.a_prefers) - row.percent(row.b_prefers) for row in rows]
        for name, measure in usable.items():
            if measure == a:
                lean[name].append(gap)
            elif measure == b:
                lean[name].append([-x for x in gap])
    sentences: dict[str, str] = {}
    for name, gaps in lean.items():
        mean = np.mean(gaps, axis=0) if gaps else np.zeros(len(words))
        top = sorted(range(len(words)), key=lambda i: -mean[i])[:2]
        parts = [f"{FEATURES[words[i]].words} ({mean[i]:+.0f})" for i in top if mean[i] >= 1]
        sentences[name] = ", ".join(parts) or "none of these"
    return [sentences.get(name) for name in names]


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _shown(column: str, value: float) -> str:
    return f"{value:.2f} %" if column in ("power", "tied", "ipso") else f"{value:.3f}"
