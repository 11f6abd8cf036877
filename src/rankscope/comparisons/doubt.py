"""Doubt about the difference of two systems that unjudged documents leave, and how judgments reduce it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Codes, Floats, Ints
from rankscope.judged import Judged
from rankscope.measures import Measure
from rankscope.measures.bounding.grade_model import GradeModel, stratum
from rankscope.measures.bounding.joint import difference_range
from rankscope.measures.bounding.open_pair import OpenPair
from rankscope.measures.bounding.possible_grades import scored, with_zero
from rankscope.measures.inputs import MeasureInputs
from rankscope.statistics.pairs.difference_tests import t_tests

CANDIDATES = 60
"""Documents of a topic whose judgment is weighed, those at the best ranks."""
RELEVANT = 0.25
"""Chance of the highest grade by which judgments are put in order; the others have grade 0.

Judged documents are relevant more often than those that no pool held, so their share would be too high.
"""
REFIT = 10
"""Judgments after which the shares of grades over all topics are drawn again; those of a topic are at once."""
ZERO = 1e-12
"""Means of bounds closer to 0 than this do not settle a sign, and no sign that is open has a smaller gap."""


@dataclass(slots=True, eq=False)
class TopicDoubt:
    """What the judgments leave open on one topic.

    documents  (D) numbers of the unjudged documents that are weighed
    rank       (2, D) their ranks, from 0
    towards    (2, D) by how much a judgment is expected to lower the upper end, and to raise the lower one
    furthest   (2, D) by how much it can
    """

    lower: float
    upper: float
    difference: float
    exact: bool
    documents: Ints
    rank: Ints
    towards: Floats
    furthest: Floats
    draws: Floats


class Doubt:
    """The difference of two systems, whose judgments may grow.

    judged  two systems, loaded with their documents; grades are those of the collection, and 0
    topics  rows of the topics that have a score of both
    draws   in how many ways the unjudged documents are drawn
    """

    def __init__(
        self, judged: Judged, measure: Measure, topics: Ints, *, draws: int = 0, seed: int = 42, weighed: bool = True
    ) -> None:
        lists = with_zero(MeasureInputs(judged.code, judged.grades, judged.available))
        self.systems, self.measure, self.topics = judged.systems, measure, topics
        self.code, self.grades, self.available = lists.code.copy(), lists.grades, lists.available.copy()
        self.zero = int(np.searchsorted(self.grades, 0, side="right")) - 1  # the highest grade that is not above 0
        self.number = judged.known_documents().number
        self.n_draws, self.seed, self.weighed = draws, seed, weighed
        self.model = GradeModel.of(lists, self.number)
        self.model.draw_shares(draws, seed)
        self.n_judged = 0
        self.names = {int(t): np.unique(self.number[:, t][self.code[:, t] == UNJUDGED]) for t in topics}
        self.on = {int(t): self._doubt(int(t)) for t in topics}

    def judge(self, topic: int, document: int, grade: float) -> None:
        """Take in the grade of a document on a topic; one that neither list holds counts for the recall base alone."""
        code = FIRST_GRADE + int(np.searchsorted(self.grades, grade))
        here = (self.number[:, topic] == document) & (self.code[:, topic] == UNJUDGED)
        self.code[:, topic][here] = code
        self.available[topic, code - FIRST_GRADE] += 1
        if topic not in self.on:
            return
        if here.any():
            rank = np.where(here.any(axis=-1), here.argmax(axis=-1), here.shape[-1])
            self.model.count[topic, stratum(rank[:, None], here.shape[-1]), code - FIRST_GRADE] += 1
            self.n_judged += 1
        self.on[topic] = self._doubt(topic)
        if self.n_draws and self.n_judged and self.n_judged % REFIT == 0:
            self.model.draw_shares(self.n_draws, self.seed)
            for t, doubt in self.on.items():
                doubt.draws = self._draws(t, self._pair(t))

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest mean difference."""
        doubts = self.on.values()
        return float(np.mean([d.lower for d in doubts])), float(np.mean([d.upper for d in doubts]))

    @property
    def difference(self) -> float:
        """Mean difference as judged."""
        return float(np.mean([d.difference for d in self.on.values()]))

    @property
    def exact(self) -> bool:
        return all(d.exact for d in self.on.values())

    @property
    def sign(self) -> int | None:
        """1, -1 or 0 where no grades could change the sign of the mean difference; None where some could."""
        lower, upper = self.ends
        if lower > ZERO:
            return 1
        if upper < -ZERO:
            return -1
        return 0 if lower == upper or max(-lower, upper) <= ZERO else None

    @property
    def side(self) -> int:
        """1 where the lower end is nearer to 0, so that b is likely to be ahead for certain; 0 where the upper is."""
        lower, upper = self.ends
        return int(-lower <= upper)

    @property
    def gap(self) -> float:
        """How far the nearer end is from settling the sign; `ZERO` where it is 0, and a tie is still possible."""
        lower, upper = self.ends
        return max(min(-lower, upper), ZERO)

    def least(self) -> int | None:
        """Fewest judgments that could settle the sign, if what each can do adds up; None if all weighed cannot."""
        if self.sign is not None:
            return 0
        best = -np.sort(-np.concatenate([d.furthest[self.side] for d in self.on.values()])) / len(self.topics)
        reached = np.cumsum(best) > self.gap
        return int(reached.argmax()) + 1 if reached.any() else None

    def expected(self, level: float) -> tuple[float, float, float]:
        """Mean difference if unjudged documents are like judged ones at the same ranks, and its interval.

        Topics are those there are: the interval is about grades that lack, not about other topics.
        """
        means = np.mean([self._draws(t, self._pair(t), alike=True) for t in self.on], axis=0)
        low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], method="weibull")
        return float(means.mean()), float(low), float(high)

    @property
    def hardly_known(self) -> float:
        """Share of the unjudged documents that the measure sees which stand at ranks where few are judged."""
        rank = np.concatenate([d.rank for d in self.on.values()], axis=-1)
        rank = rank[:, rank.min(axis=0) < self._lists(self.code[:, :1], self.available[:1]).cut(self.measure).shape[-1]]
        return float(self.model.hardly_known(rank).mean()) if rank.size else 0.0

    def verdicts(self, alpha: float) -> Ints:
        """(draws) verdict of Student's paired t test in each of the ways the unjudged documents were drawn."""
        differences = np.stack([d.draws for d in self.on.values()], axis=-1)
        result = t_tests(differences)
        shown: Bools = np.asarray(result.pvalue) < alpha
        return (np.sign(differences.mean(axis=-1)) * shown).astype(np.int64)

    def agreement(self, alpha: float) -> tuple[int, float]:
        """The most frequent verdict over the draws, and its share of them."""
        verdicts = self.verdicts(alpha)
        counts = [(int(np.count_nonzero(verdicts == v)), v) for v in (0, 1, -1)]
        count, verdict = max(counts, key=lambda pair: pair[0])
        return verdict, count / len(verdicts)

    def _pair(self, t: int) -> OpenPair:
        return OpenPair.of(self._lists(self.code[:, [t]], self.available[[t]]), self.number[:, [t]])

    def _draws(self, t: int, pair: OpenPair, alike: bool = False) -> Floats:
        """(draws) differences on a topic; documents past the measure's cutoff count as not relevant.

        alike  unjudged documents are like judged ones at the same ranks; or else only a share of them is, and the
               others are not relevant. Over the draws the share goes evenly from 0 to 1.
        """
        seen = pair.inside(self.measure)[:, 0].any(axis=0)
        if not seen.any():
            return np.full(self.n_draws, pair.difference(self._zeros(pair), self.measure)[0])
        documents = np.unique(self.number[:, t][self.code[:, t] == UNJUDGED])[seen]
        uniform = np.random.default_rng([self.seed, t]).random((2, self.n_draws, len(self.names[t])))
        grade, other = uniform[..., np.searchsorted(self.names[t], documents)]
        codes = np.repeat(self._zeros(pair)[None], self.n_draws, axis=0)
        share = np.ones(self.n_draws) if alike else (np.arange(self.n_draws) + 0.5) / self.n_draws
        values = self.model.drawn(t, pair.rank[:, 0, seen], grade, self.seed)
        codes[:, 0, seen] = np.where(other < share[:, None], values, FIRST_GRADE + self.zero)
        return pair.difference(np.stack([codes, codes], axis=1), self.measure)[:, 0]

    def _zeros(self, pair: OpenPair) -> Ints:
        return np.full(pair.there.shape, FIRST_GRADE + self.zero)

    def _doubt(self, t: int) -> TopicDoubt:
        pair = self._pair(t)
        ends = difference_range(pair, self.measure)
        lower, upper = float(ends.lower[0]), float(ends.upper[0])
        score = scored(pair.lists, self.measure)[:, 0]
        documents = np.unique(self.number[:, t][self.code[:, t] == UNJUDGED])
        rank = pair.rank[:, 0]
        draws = self._draws(t, pair) if self.n_draws else np.empty(0)
        kept = np.argsort(rank.min(axis=0, initial=self.code.shape[-1]), kind="stable")[:CANDIDATES]
        towards, furthest = np.zeros((2, 2, len(kept)))
        if self.weighed and len(kept) and lower < upper:
            low, high = self._judged_one(t, documents[kept])
            gained = np.stack([upper - high, low - lower])
            towards = np.maximum((1 - RELEVANT) * gained[..., self.zero] + RELEVANT * gained[..., -1], 0.0)
            furthest = np.maximum(gained.max(axis=-1), 0.0)
        return TopicDoubt(
            lower, upper, float(score[1] - score[0]), bool(ends.exact[0]), documents[kept], rank[:, kept], towards,
            furthest, draws,
        )  # fmt: skip

    def _lists(self, code: Codes, available: Ints) -> MeasureInputs:
        return MeasureInputs(code, self.grades, available)

    def _judged_one(self, t: int, documents: Ints) -> tuple[Floats, Floats]:
        """(documents, grades) ends of the topic once one document has a grade."""
        count, scale = len(documents), len(self.grades)
        code = np.repeat(self.code[:, [t]], count * scale, axis=1)
        number = np.repeat(self.number[:, [t]], count * scale, axis=1)
        here = number == np.repeat(documents, scale)[None, :, None]
        grade = np.tile(np.arange(scale), count)
        code = np.where(here, (FIRST_GRADE + grade).astype(code.dtype)[None, :, None], code)
        available = np.repeat(self.available[[t]], count * scale, axis=0)
        available[np.arange(count * scale), grade] += 1
        ends = difference_range(OpenPair.of(self._lists(code, available), number), self.measure)
        return ends.lower.reshape(count, scale), ends.upper.reshape(count, scale)
