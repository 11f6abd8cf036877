"""Which documents to judge next: those whose judgment is expected to settle the sign of a difference soonest.

The idea is that of minimal test collections (Carterette, Allan and Sitaraman 2006): judge what can change the
difference most, until no grades of the rest can change its sign. Here a document is worth by how much its judgment is
expected to move the nearer of the two joint bounds towards 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from rankscope.arguments import Checks, one_of, whole_number
from rankscope.arguments import alpha as check_alpha
from rankscope.arguments import share as check_share
from rankscope.arrays import FIRST_GRADE, Ints
from rankscope.comparisons.doubt import Doubt
from rankscope.comparisons.scored import cutoff_of, scored
from rankscope.errors import InputError, Problem, argument, output, plural, quietly
from rankscope.formatting import bounds, score
from rankscope.io.formats import Reading
from rankscope.judged import Judged, load
from rankscope.judged.pool import pooled, read_pool
from rankscope.judged.sources import Runs, check_runs
from rankscope.judged.subsets import check_systems, one_grade, pool_of, with_systems
from rankscope.layout import Block, Layer, Table
from rankscope.measures import Measure
from rankscope.measures.bounding.possible_grades import refuse_condensed
from rankscope.results import Layered
from rankscope.statistics import Resampling

Stop: TypeAlias = Literal["certain", "confident"]
Order: TypeAlias = Literal["judge-next", "by rank", "at random"]
DRAWS = 200
_SHOWN = 8  # documents in the short layer
_UNLIKE = 0.5  # share of documents at ranks where few are judged, from which on intervals are called a guess


@dataclass(frozen=True, slots=True)
class PairDoubt:
    """What the unjudged documents leave open about two systems.

    difference    mean of b - a as judged; lower and upper are its joint bounds
    exact         whether some grades reach the bounds
    open          unjudged documents of the two lists that are weighed
    settled       whether the stopping rule is met
    favours       the system that is ahead whatever the grades ("certain"), or in most draws ("confident"); or None
    share         share of the draws of grades in which Student's t test has the most frequent verdict: some part of
                  the unjudged documents, from none to all, is like judged ones at the same ranks
    expected      estimate of the mean of b - a if unjudged documents are like judged ones at the same ranks, and the
                  ends of its interval of level 1 - alpha, for the topics there are
    likely        the interval, widened to the difference as judged: unjudged documents may be relevant less often
    hardly_known  share of the unjudged documents that stand at ranks where fewer than ten documents are judged; the
                  intervals are a guess where it is large (docs/validity-holes.md)
    least         fewest judgments that could make the sign certain, 0 where it is; None where they cannot be counted
    """

    a: str
    b: str
    difference: float
    lower: float
    upper: float
    exact: bool
    open: int
    settled: bool
    favours: str | None
    share: float
    least: int | None
    expected: tuple[float, float, float]
    likely: tuple[float, float]
    hardly_known: float


@dataclass(frozen=True, slots=True)
class NextDocument:
    """A document to judge: its ranks by system, from 1, None where a list does not hold it.

    change   by how much its judgment could narrow the bounds of the mean difference of a pair, at most
    pair     the two systems of that pair
    """

    topic: str
    document: str
    ranks: tuple[int | None, ...]
    change: float
    pair: tuple[str, str]


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """A judgment of a replay, and the doubt that it left: pairs that are not settled, and the first pair's bounds."""

    judgments: int
    topic: str
    document: str
    grade: float
    unsettled: int
    difference: float
    lower: float
    upper: float
    share: float


@dataclass(frozen=True, slots=True)
class DoubtPoint:
    """Doubt that is left after so many judgments of a replay, made in one order; 0 where the rule is met.

    doubt  mean over pairs: how far the bounds reach beyond 0 on the nearer side ("certain"), or the share of draws
           with another verdict than the most frequent one ("confident")
    """

    order: Order
    judgments: int
    doubt: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeNext(Layered):
    """Documents to judge, the most useful first, and what is settled already.

    replayed  judgments that were taken from a file, one by one
    lacking   documents that would have been judged, but the file has no judgment of them
    curve     doubt left in a replay, and the same had the documents been judged by rank, or at random among those that
              the measure sees
    """

    measure: str
    systems: tuple[str, ...]
    n_topics: int
    stop: Stop
    alpha: float
    holds: float
    pairs: tuple[PairDoubt, ...]
    documents: tuple[NextDocument, ...]
    replayed: tuple[JudgedStep, ...]
    lacking: int
    signature: str
    curve: tuple[DoubtPoint, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether the stopping rule is met for every pair."""
        return all(pair.settled for pair in self.pairs)

    def columns(self) -> dict[str, list[Any]]:
        """One row per document, the most useful first: topic, document, rank in each run, what it could change."""
        rows = self.documents
        return {
            "topic": [d.topic for d in rows],
            "document": [d.document for d in rows],
            **{f"rank_{name}": [d.ranks[s] for d in rows] for s, name in enumerate(self.systems)},
            "change": [d.change for d in rows],
            "a": [d.pair[0] for d in rows],
            "b": [d.pair[1] for d in rows],
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {
            "measure": self.measure, "systems": list(self.systems), "n_topics": self.n_topics, "stop": self.stop,
            "alpha": self.alpha, "holds": self.holds, "settled": self.settled, "pairs": [asdict(p) for p in self.pairs],
            "documents": [asdict(d) | {"ranks": list(d.ranks), "pair": list(d.pair)} for d in self.documents],
            "replayed": [asdict(step) for step in self.replayed], "lacking": self.lacking, "signature": self.signature,
            "curve": [asdict(point) for point in self.curve],
        }  # fmt: skip

    def blocks(self, layer: Layer) -> list[Block]:
        """Printed blocks of a layer; the answer is first."""
        parts = [Block("", self._answer()), self._doubts(layer)]
        if layer != "short":
            parts.append(self._estimates())
        if self.documents:
            parts.append(self._documents(layer))
        if self.replayed and layer != "short":
            parts.append(self._curve())
        return parts

    def _answer(self) -> list[str]:
        unsettled = [p for p in self.pairs if not p.settled]
        first, many = self.pairs[0], len(self.pairs) > 1
        if not any(p.open for p in self.pairs) and not self.replayed:
            lines = ["There is nothing to judge: no unjudged document could change a difference."]
        elif self.settled:
            after = f" after {plural(len(self.replayed), 'judgment')}" if self.replayed else ""
            lines = [f"{'Every pair is' if many else 'The sign is'} {self.stop}{after}. {self._meaning(first)}"]
        elif many:
            lines = [f"{len(unsettled)} of {plural(len(self.pairs), 'pair')} are not {self.stop} yet."]
        else:
            least = "" if first.least is None else f" Certain after at least {plural(first.least, 'judgment')}."
            lines = [f"The sign of {first.b} - {first.a} is not {self.stop} yet.{least}"]
        if self.replayed:
            lacking = (
                f"; the file lacks {plural(self.lacking, 'document')} that came before others" if self.lacking else ""
            )
            lines.append(f"{plural(len(self.replayed), 'judgment')} replayed{lacking}.{self._other_orders()}")
        return lines

    def _other_orders(self) -> str:
        """How many judgments other orders take, a sentence; empty where there are none."""
        last = {point.order: point for point in self.curve}
        if len(last) < 2:
            return ""
        first, second = (
            f"{'more than ' * (last[order].doubt > 0)}{last[order].judgments:,}" for order in ("by rank", "at random")
        )
        return f" By rank it takes {first}, at random {second}."

    def _meaning(self, pair: PairDoubt) -> str:
        if self.stop == "certain":
            other = pair.a if pair.favours == pair.b else pair.b
            ahead = f"{pair.favours} is ahead of {other}" if pair.favours else "The difference is settled"
            return f"{ahead}: no grades of what is left could change it." if len(self.pairs) == 1 else ""
        return f"The verdict is the same in at least {100 * self.holds:g} % of the ways in which the rest was drawn."

    def _doubts(self, layer: Layer) -> Block:
        header = ["a", "b", "b - a", "lowest", "highest", "same verdict", "earliest", self.stop]
        rows = [
            [p.a, p.b, score(p.difference), score(p.lower), score(p.upper), f"{100 * p.share:.0f} %",
             "" if p.least is None else str(p.least), "yes" if p.settled else "no"]
            for p in self.pairs[: None if layer != "short" else 8]
        ]  # fmt: skip
        return Block(
            f"How much is open? ({self.measure}, mean over {plural(self.n_topics, 'topic')})",
            [Table(header, rows, left=2)],
            [
                "What it is: the difference as judged, and its lowest and highest value over all grades of the "
                "unjudged documents. Same verdict is the share of random grades with the most frequent "
                "verdict of the t test.",
                "How to read it: a sign is certain where lowest and highest have the same sign. Earliest is the fewest "
                "judgments that could make it so, if the effects of single judgments add up.",
            ],
        )

    def _estimates(self) -> Block:
        level = f"{100 * (1 - self.alpha):g} %"
        header = ["a", "b", "as judged", "estimate", "interval", "likely"]
        rows = [
            [p.a, p.b, score(p.difference), score(p.expected[0]),
             *("none" if low == high else bounds(low, high) for low, high in (p.expected[1:], p.likely))]
            for p in self.pairs
        ]  # fmt: skip
        lines: list[Any] = [Table(header, rows, left=2)]
        unlike = [p for p in self.pairs if p.hardly_known >= _UNLIKE]
        if unlike:
            pair = unlike[0]
            which = f"{pair.b} - {pair.a}" if len(self.pairs) == 1 else plural(len(unlike), "pair")
            lines.append(
                f"The intervals of {which} are a guess. {100 * pair.hardly_known:.0f} % of the unjudged documents "
                "stand at ranks where hardly any is judged, as where a new system alone has unjudged documents."
            )
        return Block(
            f"What would the grades of the unjudged documents do? ({level} intervals)", lines,
            ["What it is: the mean difference if unjudged documents are like judged ones at the same ranks of both "
             "lists. Documents past the cutoff of the metric count as not relevant. Likely adds the case that they "
             "are relevant less often, down to never. Where all above the cutoff are judged there is no interval.",
             "How to read it: pools hold relevant documents sooner than others, so likely is the safer one. Both are "
             "about these topics. Lowest and highest above hold for all grades."],
        )  # fmt: skip

    def _documents(self, layer: Layer) -> Block:
        shown = self.documents[: _SHOWN if layer == "short" else None]
        header = ["topic", "document", *(f"in {name}" for name in self.systems[:3]), "change"]
        rows = [
            [d.topic, d.document, *("-" if r is None else str(r) for r in d.ranks[:3]), score(d.change)] for d in shown
        ]
        more = len(self.documents) - len(shown)
        lines: list[Any] = [Table(header, rows, left=2)]
        if more:
            lines.append(f"{plural(more, 'more document')}: {output('full')}, or a file by -o.")
        return Block(
            "Which documents should be judged next?", lines,
            ["What it is: unjudged documents with their ranks, and by how much a judgment could narrow the bounds of a "
             "mean difference at most.",
             "How to read it: judge from the top. The order counts on one document in four being relevant."],
        )  # fmt: skip

    def _curve(self) -> Block:
        steps = self.replayed
        shown = sorted({*range(0, len(steps), max(1, len(steps) // 15)), len(steps) - 1})
        rows = [
            [str(steps[i].judgments), score(steps[i].difference), score(steps[i].lower), score(steps[i].upper),
             f"{100 * steps[i].share:.0f} %", str(steps[i].unsettled)]
            for i in shown
        ]  # fmt: skip
        header = ["judgments", "b - a", "lowest", "highest", "same verdict", "open pairs"]
        return Block("How did the doubt shrink? (first pair)", [Table(header, rows, left=0)],
                     ["What it is: the doubt after so many of the replayed judgments.",
                      "How to read it: lowest and highest meet as documents are judged."])  # fmt: skip


def judge_next(
    source: Judged | Any,
    runs: Runs = None,
    *,
    baseline: str | None = None,
    top: int | None = None,
    measure: str | Measure | None = None,
    budget: int = 20,
    stop: Stop = "certain",
    alpha: float = 0.05,
    holds: float = 0.95,
    judge: Any = None,
    resampling: Resampling | None = None,
    progress: Callable[[float], Any] | None = None,
    **rules: Any,
) -> JudgeNext:
    """Documents whose judgment would most reduce the doubt about the difference of systems, the most useful first.

    source, runs  lists (`load` with keep_docs=True), and then no runs; or judgments and runs, as `load` takes them
    baseline      every other system is compared with it; the first system unless given
    top           compare all pairs of so many systems with the highest means instead
    measure       the metric that decides (nDCG@10)
    budget        how many documents to name; with `judge`, how many to judge at most
    stop          "certain": no grades of what is left could change the sign of the mean difference. "confident":
                  Student's t test has the same verdict in a share `holds` of the ways in which the grades of the rest
                  are drawn. From draw to draw, between none and all of the rest is like judged documents at the same
                  ranks, and what is not is not relevant, as are documents past the measure's cutoff
    judge         judgments to replay, as `load` takes them: documents are judged in the order of this function until
                  the rule is met, the budget is spent or no judgments are left
    resampling    how many draws of grades, from which seed (200, seed 42)
    rules         those of `load`, for runs that are read here

    Grades are those that the judgments hold, and 0. Documents that no compared list holds stay as they are.
    """
    draws = resampling or Resampling(DRAWS)
    with Checks() as check:
        check(whole_number, "budget", budget, 0)
        check(one_of, "stop", stop, get_args(Stop))
        check(check_alpha, alpha)
        check(check_share, "holds", holds)
    check_runs(source, runs, rules)
    judged = source if isinstance(source, Judged) else load(source, runs, keep_docs=True, **rules)
    judged.known_documents()
    refuse_condensed(judged)
    one_grade(judged)
    known = {} if judge is None else _known(judge, judged)
    judged = _on_scale(judged, known)
    with quietly():
        table = scored(judged, measure)
    assert table.record is not None
    wanted = _pairs(judged, table.value.mean(axis=0), baseline, top)
    heard = progress or (lambda share: None)
    doubts = []
    for i, (a, b) in enumerate(wanted):
        pair = with_systems(judged, (a, b))
        doubts.append(Doubt(pair, table.record, table.at, draws=draws.resamples, seed=draws.seed))
        heard((i + 1) / len(wanted) / (1 if judge is None else 2))
    ask = _Asking(judged, doubts, stop, alpha, holds)
    steps, curve, lacking = ([], [], 0) if judge is None else ask.replay(known, budget, heard)
    for order in ("by rank", "at random") if steps else ():
        again = [
            Doubt(with_systems(judged, d.systems), table.record, table.at,
                  draws=draws.resamples if stop == "confident" else 0, seed=draws.seed, weighed=False)
            for d in doubts
        ]  # fmt: skip
        curve += _Asking(judged, again, stop, alpha, holds).followed(order, known, budget, draws.seed)
    listed = [] if judge is not None and ask.settled else ask.order()[:budget]
    return JudgeNext(
        measure=table.measure, systems=tuple(dict.fromkeys(name for pair in wanted for name in pair)),
        n_topics=len(table.topics), stop=stop, alpha=alpha, holds=holds, pairs=tuple(ask.doubt_of(d) for d in doubts),
        documents=tuple(ask.named(*key) for key in listed), replayed=tuple(steps), lacking=lacking,
        signature=table.signature, curve=tuple(curve) if steps else (),
    )  # fmt: skip


class _Asking:
    """Pairs of systems, and the documents that are unjudged in their lists."""

    def __init__(self, judged: Judged, doubts: list[Doubt], stop: Stop, alpha: float, holds: float) -> None:
        self.judged, self.doubts, self.stop, self.alpha, self.holds = judged, doubts, stop, alpha, holds
        assert judged.documents is not None
        self.ids = judged.documents.ids
        self.rows = [judged.system(name) for name in dict.fromkeys(name for d in doubts for name in d.systems)]

    def is_settled(self, doubt: Doubt) -> bool:
        if self.stop == "certain":
            return doubt.sign is not None
        return doubt.agreement(self.alpha)[1] >= self.holds

    @property
    def settled(self) -> bool:
        return all(self.is_settled(doubt) for doubt in self.doubts)

    def left(self) -> float:
        """Doubt that is left, mean over pairs; 0 where the rule is met."""
        parts = [d.gap if self.stop == "certain" else 1 - d.agreement(self.alpha)[1] for d in self.doubts]
        return float(np.mean([0.0 if self.is_settled(d) else x for d, x in zip(self.doubts, parts, strict=True)]))

    def followed(
        self, order: Order, known: Mapping[tuple[int, int], float], budget: int, seed: int
    ) -> list[DoubtPoint]:
        """Doubt as documents that the measure sees are judged in another order."""
        assert self.judged.documents is not None
        number = self.judged.documents.number[self.rows]
        cut = cutoff_of(self.doubts[0].measure) or number.shape[-1]
        best: dict[tuple[int, int], int] = {}
        for t, doc in known:
            ranks = np.nonzero(number[:, t, :cut] == doc)[1]
            if len(ranks):
                best[t, doc] = int(ranks.min())
        queue = sorted(best, key=lambda key: (best[key], key))
        if order == "at random":
            queue = [queue[i] for i in np.random.default_rng([seed, 3]).permutation(len(queue)).tolist()]
        points = [DoubtPoint(order, 0, self.left())]
        for key in queue[:budget]:
            if self.settled:
                break
            for doubt in self.doubts:
                doubt.judge(*key, known[key])
            points.append(DoubtPoint(order, len(points), self.left()))
        return points

    def weights(self) -> dict[tuple[int, int], tuple[float, float, int]]:
        """By topic and document: expected progress over open pairs, and the largest change with its pair."""
        weight: dict[tuple[int, int], tuple[float, float, int]] = {}
        for n, doubt in enumerate(self.doubts):
            if self.is_settled(doubt):
                continue
            side, scale = doubt.side, 1 / (doubt.gap * len(doubt.topics))
            for t, topic in doubt.on.items():
                for doc, towards, furthest in zip(
                    topic.documents.tolist(),
                    topic.towards[side].tolist(),
                    topic.furthest.max(axis=0).tolist(),
                    strict=True,
                ):
                    change = furthest / len(doubt.topics)
                    if change <= 0:
                        continue
                    before = weight.get((t, doc), (0.0, 0.0, n))
                    most = (change, n) if change > before[1] else before[1:]
                    weight[t, doc] = (before[0] + towards * scale, *most)
        return weight

    def order(self) -> list[tuple[int, int, float, int]]:
        """Topic, document, change and pair, the most useful first; none where all is settled."""
        weight = self.weights()
        keys = sorted(weight, key=lambda key: (-weight[key][0], -weight[key][1], key))
        return [(*key, *weight[key][1:]) for key in keys]

    def named(self, topic: int, document: int, change: float, pair: int) -> NextDocument:
        assert self.judged.documents is not None
        number = self.judged.documents.number[self.rows, topic]
        ranks = tuple(int(np.argmax(row)) + 1 if row.any() else None for row in number == document)
        a, b = self.doubts[pair].systems
        return NextDocument(self.judged.topics[topic], self.ids[document], ranks, change, (a, b))

    def doubt_of(self, doubt: Doubt) -> PairDoubt:
        a, b = doubt.systems
        verdict, share = doubt.agreement(self.alpha)
        sign = doubt.sign if self.stop == "certain" else verdict
        count = sum(int(np.count_nonzero(t.furthest.max(axis=0, initial=0.0) > 0)) for t in doubt.on.values())
        favours = {1: b, -1: a}.get(sign or 0)
        lower, upper = doubt.ends
        estimate, low, high = doubt.expected(1 - self.alpha)
        return PairDoubt(
            a,
            b,
            doubt.difference,
            lower,
            upper,
            doubt.exact,
            count,
            self.is_settled(doubt),
            favours,
            share,
            doubt.least(),
            (estimate, low, high),
            (min(low, doubt.difference), max(high, doubt.difference)),
            doubt.hardly_known,
        )

    def replay(
        self, known: Mapping[tuple[int, int], float], budget: int, heard: Callable[[float], Any]
    ) -> tuple[list[JudgedStep], list[DoubtPoint], int]:
        """Judge documents from known judgments until the rule is met: steps, doubt, how many documents had none."""
        steps: list[JudgedStep] = []
        curve = [DoubtPoint("judge-next", 0, self.left())]
        lacking: set[tuple[int, int]] = set()
        while len(steps) < budget and not self.settled:
            key = None
            for t, doc, *_ in self.order():
                if (t, doc) in known:
                    key = t, doc
                    break
                lacking.add((t, doc))
            if key is None:
                break
            for doubt in self.doubts:
                doubt.judge(*key, known[key])
            first = self.doubts[0]
            left = sum(not self.is_settled(doubt) for doubt in self.doubts)
            steps.append(
                JudgedStep(
                    len(steps) + 1, self.judged.topics[key[0]], self.ids[key[1]], known[key], left, first.difference,
                    *first.ends, first.agreement(self.alpha)[1],
                )
            )  # fmt: skip
            curve.append(DoubtPoint("judge-next", len(steps), self.left()))
            heard(0.5 + len(steps) / budget / 2)
        return steps, curve, len(lacking)


def _pairs(judged: Judged, means: Any, baseline: str | None, top: int | None) -> list[tuple[str, str]]:
    if len(judged.systems) < 2:
        raise InputError("one system", "name two runs or more")
    if top is not None:
        whole_number("top", top, 2, len(judged.systems))
        if baseline is not None:
            raise InputError("both a baseline and a number of systems at the top", f"leave out {argument('top')}")
        order = np.argsort(-means, kind="stable")[:top]
        return list(combinations((judged.systems[s] for s in order.tolist()), 2))
    first = judged.systems[0] if baseline is None else baseline
    check_systems([first], judged.systems)
    return [(first, name) for name in judged.systems if name != first]


def _known(judge: Any, judged: Judged) -> dict[tuple[int, int], float]:
    """Judgments to replay, by topic and document of the lists; those of other documents are left out.

    A judgment that contradicts one that the lists have already is an error.
    """
    assert judged.documents is not None
    number = {name: n for n, name in enumerate(judged.documents.ids)}
    row = {topic: t for t, topic in enumerate(judged.topics)}
    other = read_pool(judge, Reading(), first=judged.rules.duplicates == "first")
    pool = pooled(other)
    before = pool_of(judged)
    earlier = {
        (int(t), doc): float(judged.grades[code - FIRST_GRADE])
        for t, doc, code in zip(before.topic.tolist(), before.docs, before.code.tolist(), strict=True)
    }
    known, problems = {}, []
    for t, doc, code in zip(pool.topic.tolist(), pool.docs, pool.code.tolist(), strict=True):
        topic, grade = other.topics[t], float(other.grades[code - FIRST_GRADE])
        if topic not in row:
            continue
        was = earlier.get((row[topic], doc))
        if was is not None and was != grade:
            problems.append(Problem(
                f"topic {topic}, document {doc}: grade {grade:g}, but {was:g} before",
                "judgments to replay may add to the first ones, and not contradict them",
            ))  # fmt: skip
        elif was is None and doc in number:
            known[row[topic], number[doc]] = grade
    if problems:
        raise InputError(problems)
    return known


def _on_scale(judged: Judged, known: Mapping[Any, float]) -> Judged:
    """The lists with all grades on their scale, those of judgments to replay included."""
    grades = np.union1d(judged.grades, list(known.values()))
    if len(grades) == len(judged.grades):
        return judged
    place = np.searchsorted(grades, judged.grades)
    codes: Ints = np.append(np.arange(FIRST_GRADE), place + FIRST_GRADE)
    available = np.zeros((len(judged.topics), len(grades)), judged.available.dtype)
    available[:, place] = judged.available
    return replace(
        judged, code=codes.astype(judged.code.dtype)[judged.code], grades=grades, available=available, extremes=None
    )
