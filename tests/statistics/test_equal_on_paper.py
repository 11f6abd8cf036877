"""Everything that ranks, ties or tests takes scores that are equal on paper for equal: from one place, `equality`."""

import numpy as np
import pytest

from rankscope import statistics as rs
from rankscope.statistics import Resampling

FEW = Resampling(60, 3)
RNG = np.random.default_rng(8)
TENTHS = RNG.integers(4, 9, (12, 4))


def rounded(tenths: np.ndarray) -> np.ndarray:
    """Tenths as sums of tenths, off in their last digits as such sums are."""
    return np.vectorize(lambda n: sum([0.1] * n))(tenths)


EXACT = TENTHS / 8  # eighths are doubles, and so are all sums of them
SUMS = np.where(RNG.random(TENTHS.shape) < 0.5, EXACT, rounded(TENTHS) * 10 / 8)
A, B = EXACT[:, 0], SUMS[:, 0]

CASES = {
    "tau": lambda m: (rs.tau(m[0], m[1]).a, rs.tau(m[0], m[1]).both),
    "taus": lambda m: rs.taus(m[:6], m[6:]).tolist(),
    "tau_ap": lambda m: rs.tau_ap(m[0], m[1]).a,
    "tau_aps": lambda m: rs.tau_aps(m[:6], m[6:]).tolist(),
    "agreement_rate": lambda m: rs.agreement_rate(m[:, 0], m[:, 1]),
    "tied_ranking": lambda m: rs.tied_ranking(dict(enumerate(m[:, 0].tolist()))),
    "consistency": lambda m: np.sort(rs.consistency(m).taus).tolist(),
    "friedman": lambda m: (rs.friedman(m).tied, rs.friedman(m).mean_ranks.tolist()),
    "kruskal_wallis": lambda m: rs.kruskal_wallis(m).tied,
    "wilcoxon": lambda m: (rs.wilcoxon(m[:, 0], m[:, 1]).pvalue, rs.wilcoxon(m[:, 0], m[:, 1]).ties),
    "sign_test": lambda m: rs.sign_test(m[:, 0], m[:, 1]).pvalue,
    "superiority": lambda m: rs.superiority(m[:, 0], m[:, 1]).value,
    "randomisation_test": lambda m: rs.randomisation_test(m[:, 0], m[:, 1]).pvalue,
    "randomisation_test, drawn": lambda m: rs.randomisation_test(m[:, 0], m[:, 1], exact=False, resampling=FEW).pvalue,
    "randomisation_all_pairs": lambda m: rs.randomisation_all_pairs(m).pvalue.tolist(),
    "bootstrap_test, shift": lambda m: rs.bootstrap_test(m[:, 0], m[:, 1], variant="shift", resampling=FEW).pvalue,
    "randomised_hsd": lambda m: rs.randomised_hsd(m, exact=False, aligned=True, resampling=FEW).pvalue.tolist(),
    "randomised_hsd, strict": lambda m: rs.randomised_hsd(m[:4, :3], strict=True).pvalue.tolist(),
    "randomised_hsd_preferences": lambda m: rs.randomised_hsd_preferences(
        m[:, None] - m[:, :, None], aligned=True, resampling=FEW
    ).pvalue.tolist(),
    "rank_intervals": lambda m: rs.bootstrap_rank_intervals(np.hstack([m, m[:, :1]]), resampling=FEW).upper.tolist()[
        -1
    ],
}


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")  # some halves tie all systems
@pytest.mark.parametrize("name", CASES)
def test_sums_of_tenths_are_what_they_are_on_paper(name):
    assert (EXACT != SUMS).any()
    assert repr(CASES[name](SUMS)) == repr(CASES[name](EXACT))


@pytest.mark.parametrize(
    "test",
    [rs.t_test, rs.wilcoxon, rs.sign_test, rs.randomisation_test, rs.bootstrap_test],
)
def test_systems_that_are_equal_on_paper_do_not_differ(test):
    assert (A != B).any()
    assert test(A, B).pvalue == 1


@pytest.mark.parametrize(
    "test",
    [rs.t_all_pairs, rs.randomisation_all_pairs, rs.max_t, rs.bootstrap_max_t, rs.randomised_hsd],
)
def test_families_of_systems_that_are_equal_on_paper(test):
    matrix = np.stack([A, B, EXACT[:, 1]], axis=1)
    assert test(matrix).pvalue[0] == 1
