"""Every result of `rankscope.statistics` has all forms: columns, frame, dictionary, tables, numbers, pickle, copy."""

import copy
import json
import pickle

import numpy as np
import pytest

from rankscope import statistics as rs
from rankscope.results import Result, finite
from rankscope.statistics import Resampling

RNG = np.random.default_rng(5)
A, B = RNG.random(12), RNG.random(12)
MATRIX = RNG.random((12, 4))
CLUSTERS = np.arange(12) // 2
FEW = Resampling(40, 3)

RESULTS = {
    "t_test": lambda: rs.t_test(A, B),
    "wilcoxon": lambda: rs.wilcoxon(A, B),
    "sign_test": lambda: rs.sign_test(A, B),
    "randomisation_test": lambda: rs.randomisation_test(A, B),
    "randomisation_test, drawn": lambda: rs.randomisation_test(A, B, resampling=FEW, exact=False),
    "bootstrap_test": lambda: rs.bootstrap_test(A, B, resampling=FEW),
    "t_all_pairs": lambda: rs.t_all_pairs(MATRIX),
    "randomisation_all_pairs": lambda: rs.randomisation_all_pairs(MATRIX, resampling=FEW),
    "t_interval": lambda: rs.t_interval(A, B),
    "bootstrap_interval": lambda: rs.bootstrap_interval(A, B, resampling=FEW),
    "randomisation_interval": lambda: rs.randomisation_interval(A, B),
    "clustered_t_test": lambda: rs.clustered_t_test(A, B, CLUSTERS),
    "clustered_randomisation_test": lambda: rs.clustered_randomisation_test(A, B, CLUSTERS),
    "clustered_bootstrap_interval": lambda: rs.clustered_bootstrap_interval(A, B, CLUSTERS),
    "clustered_hsd": lambda: rs.clustered_hsd(MATRIX, CLUSTERS, resampling=FEW),
    "replication": lambda: rs.replication(A, B),
    "random_effects": lambda: rs.random_effects([0.1, 0.2, 0.15], [0.01, 0.02, 0.01]),
    "repeated_runs": lambda: rs.repeated_runs(MATRIX[:, :2], MATRIX[:, 2:]),
    "repeated_runs, no variance": lambda: rs.repeated_runs(MATRIX[:, :1], MATRIX[:, :1] + 0.1),
    "repeated_all_pairs": lambda: rs.repeated_all_pairs({"a": MATRIX[:, :2], "b": MATRIX[:, 2:]}),
    "variance_components": lambda: rs.variance_components({"a": MATRIX[:, :2], "b": MATRIX[:, 2:]}),
    "two_level_bootstrap": lambda: rs.two_level_bootstrap([A - B, A[:5]], resampling=FEW),
    "mean_difference": lambda: rs.mean_difference(A, B),
    "cohen_dz": lambda: rs.cohen_dz(A, B),
    "superiority": lambda: rs.superiority(A, B),
    "effect_sizes": lambda: rs.effect_sizes(A, B),
    "equivalence": lambda: rs.equivalence(A, B, 0.1),
    "non_inferiority": lambda: rs.non_inferiority(A, B, 0.1),
    "posterior": lambda: rs.posterior(A, B, margin=0.1),
    "prediction_powered": lambda: rs.prediction_powered(A, B, A),
    "prediction_powered_pairs": lambda: rs.prediction_powered_pairs(A, B, A, n_pairs=(3, 9)),
    "cohen_kappa": lambda: rs.cohen_kappa([0, 1, 1], [0, 1, 0]),
    "krippendorff_alpha": lambda: rs.krippendorff_alpha([[0, 1, 1], [0, 1, 0]]),
    "pilot_variance": lambda: rs.pilot_variance(MATRIX),
    "power": lambda: rs.power(n_topics=50, difference=0.05, sd=0.2),
    "topics_for_power": lambda: rs.topics_for_power(difference=0.05, sd=rs.pilot_variance(MATRIX)),
    "detectable_difference": lambda: rs.detectable_difference(n_topics=50, sd=0.2),
    "topics_for_width": lambda: rs.topics_for_width(width=0.1, sd=0.2),
    "anova_one_way": lambda: rs.anova_one_way(MATRIX),
    "anova_two_way": lambda: rs.anova_two_way(MATRIX),
    "tukey_hsd": lambda: rs.tukey_hsd(MATRIX),
    "tukey_hsd_one_way": lambda: rs.tukey_hsd_one_way(MATRIX),
    "friedman": lambda: rs.friedman(MATRIX),
    "kruskal_wallis": lambda: rs.kruskal_wallis(MATRIX),
    "nemenyi": lambda: rs.nemenyi(MATRIX),
    "max_t": lambda: rs.max_t(MATRIX, resampling=FEW),
    "step_down_max_t": lambda: rs.step_down_max_t(MATRIX, baseline=0, resampling=FEW),
    "closed_testing": lambda: rs.closed_testing(MATRIX, resampling=FEW),
    "bootstrap_max_t": lambda: rs.bootstrap_max_t(MATRIX, resampling=FEW),
    "randomised_hsd": lambda: rs.randomised_hsd(MATRIX, resampling=FEW),
    "randomised_hsd_preferences": lambda: rs.randomised_hsd_preferences(
        np.sign(MATRIX[:, None] - MATRIX[:, :, None]), resampling=FEW
    ),
    "adjust": lambda: rs.adjust([0.01, 0.2], "holm"),
    "letters": lambda: rs.letters(rs.tukey_hsd(MATRIX)),
    "rank_intervals": lambda: rs.rank_intervals(rs.tukey_hsd(MATRIX)),
    "bootstrap_rank_intervals": lambda: rs.bootstrap_rank_intervals(MATRIX, resampling=FEW),
    "tau": lambda: rs.tau(A, B),
    "tau_ap": lambda: rs.tau_ap(A, B),
    "rbo": lambda: rs.rbo(["a", "b"], ["b", "c"]),
    "tau_over_topics": lambda: rs.tau_over_topics(MATRIX, MATRIX**2, resampling=FEW),
    "tau_over_systems": lambda: rs.tau_over_systems(A, B, resampling=FEW),
    "consistency": lambda: rs.consistency(MATRIX, resampling=FEW),
    "swap_rate": lambda: rs.swap_rate(MATRIX, resampling=FEW),
}
OTHER = {  # what is no result: arguments, numbers, arrays, lists
    "Resampling", "agreement_rate", "split_halves", "leave_one_out", "tau_aps", "taus", "tied_ranking",
}  # fmt: skip


def test_every_public_function_is_here():
    assert {name.split(",")[0] for name in RESULTS} | OTHER == set(rs.__all__)


@pytest.mark.parametrize("name", RESULTS)
def test_all_forms(name):
    result = RESULTS[name]()
    assert isinstance(result, Result)
    columns = result.columns()
    assert len({len(column) for column in columns.values()}) == 1
    frame = result.to_frame()
    assert frame.columns == list(columns)
    header, rows = result.table()
    assert len(rows) == len(frame)
    assert all(len(row) == len(header) for row in rows)
    fields = result.to_dict()
    assert json.loads(json.dumps(finite(fields), allow_nan=False)).keys() == fields.keys()
    numbers = result.metrics()
    assert all(isinstance(value, int | float) and not isinstance(value, bool) for value in numbers.values())
    for text in (str(result), result.to_markdown(), result.to_latex()):
        assert all(cell in text for cell in rows[0] if cell.isalnum())
    for other in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert type(other) is type(result)
        assert json.dumps(finite(other.to_dict())) == json.dumps(finite(fields))
    assert not {"n", "p_value", "kind"} & {*columns, *fields}
