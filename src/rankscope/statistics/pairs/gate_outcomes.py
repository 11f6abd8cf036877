"""Decisions by Student's interval and a margin: probabilities of their outcomes, by the true loss.

The decision: pass where the lower limit of the mean difference is above -margin; else regression where the upper limit
is below 0; else inconclusive. Differences are taken as normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from rankscope.statistics.pairs.noncentral_t import spreads
from rankscope.statistics.pairs.planning import fewest, smallest
from rankscope.statistics.special import ndtr, stdtrit

MOST_TOPICS = 1_000_000  # beyond which nobody will collect any


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities of the three outcomes where the true mean difference is -loss."""

    loss: float
    passed: float
    regression: float
    inconclusive: float

    @property
    def missed(self) -> float:
        """Probability that no regression is reported."""
        return self.passed + self.inconclusive


def outcome_chances(loss: float, *, n_topics: int, sd: float, margin: float, level: float = 0.95) -> Chances:
    """Chances of the outcomes of a decision from so many topics, whose differences have this standard deviation.

    Given the standard deviation s of the sample the mean alone decides: pass above r - margin, regression below both
    -r and r - margin, where r is half the width of the interval. Averaged over s.

    >>> chances = outcome_chances(0.01, n_topics=50, sd=0.1, margin=0.01)
    >>> print(f"{chances.passed:.4f} {chances.missed:.4f}")
    0.0250 0.8974
    """
    error = sd / sqrt(n_topics)
    ratio, share = spreads(n_topics - 1)
    reach = stdtrit(n_topics - 1, (1 + level) / 2) * ratio * error
    passed = float((ndtr((margin - loss - reach) / error) * share).sum())
    regression = float((ndtr((np.minimum(-reach, reach - margin) + loss) / error) * share).sum())
    return Chances(loss, passed, regression, max(0.0, 1 - passed - regression))


def loss_reported(probability: float, *, n_topics: int, sd: float, margin: float, level: float = 0.95) -> float:
    """The true loss that is reported as a regression with this chance."""

    def reported(loss: float) -> bool:
        return outcome_chances(loss, n_topics=n_topics, sd=sd, margin=margin, level=level).regression >= probability

    return smallest(reported, max(margin, sd))


def deciding_chance(
    fresh: int, *, difference: float, sd: float, n_topics: int, margin: float, level: float = 0.95, panels: int = 8
) -> float:
    """Chance that a fresh set of topics decides, after `n_topics` had this mean difference and standard deviation.

    Both are estimates: the chance is averaged over their posterior distribution under the usual flat prior (Student's),
    as is the assurance of O'Hagan, Stevens and Campbell (2005).

    panels  of the quadrature over both standard deviations, 16 points each
    """
    known, share_known = spreads(n_topics - 1, panels)
    ratio, share_fresh = spreads(fresh - 1, panels)
    sigma = sd / known[:, None]
    error = sigma * sqrt(1 / n_topics + 1 / fresh)
    reach = stdtrit(fresh - 1, (1 + level) / 2) * ratio * sigma / sqrt(fresh)
    passed = ndtr((difference + margin - reach) / error)
    regression = ndtr((np.minimum(-reach, reach - margin) - difference) / error)
    return float(share_known @ (passed + regression) @ share_fresh)


def topics_to_decide(
    probability: float, *, difference: float, sd: float, n_topics: int, margin: float, level: float = 0.95
) -> int | None:
    """The fewest topics of a fresh set that decides with this chance; None beyond a million.

    The chance is an average over the true differences that the data leave open: lower where the true difference is
    about half the margin below 0, higher far from there.
    """

    known = {"difference": difference, "sd": sd, "margin": margin, "level": level}

    def enough(fresh: int, panels: int = 8) -> bool:
        return deciding_chance(fresh, n_topics=n_topics, panels=panels, **known) >= probability

    near = fewest(lambda fresh: enough(fresh, 2), 8, MOST_TOPICS)  # with fewer points, and seldom off
    last = MOST_TOPICS if near is None else near - 1
    if (near is None or enough(near)) and (last <= 4 or not enough(last)):
        return near
    return fewest(enough, 8, MOST_TOPICS)


def topics_that_decide(*, sd: float, margin: float, level: float = 0.95) -> int | None:
    """The fewest topics that decide whatever the mean: the interval is narrower than the margin; None beyond a million.

    >>> topics_that_decide(sd=0.1, margin=0.01), topics_that_decide(sd=0.1, margin=0)
    (1540, None)
    """
    if margin <= 0:
        return None
    return fewest(lambda n: 2 * stdtrit(n - 1, (1 + level) / 2) * sd / sqrt(n) < margin, 8, MOST_TOPICS)
