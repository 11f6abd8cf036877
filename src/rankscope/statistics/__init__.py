"""Tests, intervals, corrections and rank correlations on plain arrays; knows no run and no measure.

Two systems: `a` and `b` are scores on the same topics, and differences are b - a. Many systems: a matrix of topics x
systems; the difference of a pair is second - first. Results are small and frozen, print themselves and say how they
were computed; none decides. The number of resamples and the seed are passed in as `Resampling`.
"""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.statistics.correlations.kendall import agreement_rate, tau, taus
    from rankscope.statistics.correlations.rbo import rbo, tied_ranking
    from rankscope.statistics.correlations.split_halves import consistency, leave_one_out, split_halves, swap_rate
    from rankscope.statistics.correlations.tau_ap import tau_ap, tau_aps
    from rankscope.statistics.correlations.tau_intervals import tau_over_systems, tau_over_topics
    from rankscope.statistics.draws.resampling import Resampling
    from rankscope.statistics.families.anova import anova_one_way, anova_two_way
    from rankscope.statistics.families.bootstrap_max_t import bootstrap_max_t
    from rankscope.statistics.families.corrections import adjust
    from rankscope.statistics.families.groups import bootstrap_rank_intervals, letters, rank_intervals
    from rankscope.statistics.families.max_t import closed_testing, max_t, step_down_max_t
    from rankscope.statistics.families.pair_tests import randomisation_all_pairs, t_all_pairs
    from rankscope.statistics.families.randomised_hsd import randomised_hsd, randomised_hsd_preferences
    from rankscope.statistics.families.rank_tests import friedman, kruskal_wallis, nemenyi
    from rankscope.statistics.families.tukey_hsd import tukey_hsd, tukey_hsd_one_way
    from rankscope.statistics.pairs.effect_sizes import cohen_dz, effect_sizes, mean_difference, superiority
    from rankscope.statistics.pairs.equivalence import equivalence, non_inferiority
    from rankscope.statistics.pairs.intervals import bootstrap_interval, randomisation_interval, t_interval
    from rankscope.statistics.pairs.paired_tests import (
        bootstrap_test,
        randomisation_test,
        sign_test,
        t_test,
        wilcoxon,
    )
    from rankscope.statistics.pairs.planning import (
        detectable_difference,
        pilot_variance,
        power,
        topics_for_power,
        topics_for_width,
    )
    from rankscope.statistics.pairs.posterior import posterior

__all__ = [
    "Resampling",
    "adjust",
    "agreement_rate",
    "anova_one_way",
    "anova_two_way",
    "bootstrap_interval",
    "bootstrap_max_t",
    "bootstrap_rank_intervals",
    "bootstrap_test",
    "closed_testing",
    "cohen_dz",
    "consistency",
    "detectable_difference",
    "effect_sizes",
    "equivalence",
    "friedman",
    "kruskal_wallis",
    "leave_one_out",
    "letters",
    "max_t",
    "mean_difference",
    "nemenyi",
    "non_inferiority",
    "pilot_variance",
    "posterior",
    "power",
    "randomisation_all_pairs",
    "randomisation_interval",
    "randomisation_test",
    "randomised_hsd",
    "randomised_hsd_preferences",
    "rank_intervals",
    "rbo",
    "sign_test",
    "split_halves",
    "step_down_max_t",
    "superiority",
    "swap_rate",
    "t_all_pairs",
    "t_interval",
    "t_test",
    "tau",
    "tau_ap",
    "tau_aps",
    "tau_over_systems",
    "tau_over_topics",
    "taus",
    "tied_ranking",
    "topics_for_power",
    "topics_for_width",
    "tukey_hsd",
    "tukey_hsd_one_way",
    "wilcoxon",
]
__getattr__ = lazily(__name__, {
    "correlations.kendall": "agreement_rate tau taus",
    "correlations.rbo": "rbo tied_ranking",
    "correlations.split_halves": "consistency leave_one_out split_halves swap_rate",
    "correlations.tau_ap": "tau_ap tau_aps",
    "correlations.tau_intervals": "tau_over_systems tau_over_topics",
    "draws.resampling": "Resampling",
    "families.anova": "anova_one_way anova_two_way",
    "families.bootstrap_max_t": "bootstrap_max_t",
    "families.corrections": "adjust",
    "families.groups": "bootstrap_rank_intervals letters rank_intervals",
    "families.max_t": "closed_testing max_t step_down_max_t",
    "families.pair_tests": "randomisation_all_pairs t_all_pairs",
    "families.randomised_hsd": "randomised_hsd randomised_hsd_preferences",
    "families.rank_tests": "friedman kruskal_wallis nemenyi",
    "families.tukey_hsd": "tukey_hsd tukey_hsd_one_way",
    "pairs.effect_sizes": "cohen_dz effect_sizes mean_difference superiority",
    "pairs.equivalence": "equivalence non_inferiority",
    "pairs.intervals": "bootstrap_interval randomisation_interval t_interval",
    "pairs.paired_tests": "bootstrap_test randomisation_test sign_test t_test wilcoxon",
    "pairs.planning": "detectable_difference pilot_variance power topics_for_power topics_for_width",
    "pairs.posterior": "posterior",
})  # fmt: skip
