"""The two-level bootstrap: a literal twin, the same for any number of workers, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.errors import InputError
from rankscope.statistics import Resampling, two_level_bootstrap
from rankscope.statistics.replications.two_level_bootstrap import NORMAL_FROM

RNG = np.random.default_rng(4)
PARTS = [RNG.normal(mean, 0.2, n) for mean, n in ((0.05, 20), (0.0, 60), (0.1, NORMAL_FROM), (0.02, 35))]


def test_a_literal_loop_gives_the_same_interval():
    rng = np.random.default_rng(9)
    means = []
    for _ in range(20_000):
        chosen = rng.integers(0, len(PARTS), len(PARTS))
        means.append(np.mean([rng.choice(PARTS[c], len(PARTS[c])).mean() for c in chosen]))
    result = two_level_bootstrap(PARTS, resampling=Resampling(20_000, 1))
    width = np.ptp(np.quantile(means, [0.025, 0.975]))
    assert [result.lower, result.upper] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.03 * width)
    assert result.difference == pytest.approx(np.mean([part.mean() for part in PARTS]))


def test_workers_change_nothing_and_seeds_do():
    one, two = (two_level_bootstrap(PARTS, resampling=Resampling(3000, 7), workers=n) for n in (1, 2))
    other = two_level_bootstrap(PARTS, resampling=Resampling(3000, 8))
    assert (one.lower, one.upper) == (two.lower, two.upper) != (other.lower, other.upper)


def test_bad_input_is_named():
    with pytest.raises(InputError, match="1 collection is too few"):
        two_level_bootstrap(PARTS[:1])
    with pytest.raises(InputError, match="collection 2 has no list"):
        two_level_bootstrap([PARTS[0], [0.1, float("nan")]])
