"""Tests, intervals, corrections and rank correlations on plain arrays; knows no run and no measure.

Two systems: `a` and `b` are scores on the same topics, and differences are b - a. Many systems: a matrix of topics x
systems; the difference of a pair is second - first. Results are small and frozen, print themselves and say how they
were computed; none decides. The number of resamples and the seed are passed in as `Resampling`.
"""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.statistics.correlations.kendall import agreement_rate as agreement_rate, tau as tau, taus as taus
    from rankscope.statistics.correlations.rbo import rbo as rbo, tied_ranking as tied_ranking
    from rankscope.statistics.correlations.split_halves import (
        consistency as consistency,
        leave_one_out as leave_one_out,
        split_halves as split_halves,
        swap_rate as swap_rate,
    )
    from rankscope.statistics.correlations.tau_ap import tau_ap as tau_ap, tau_aps as tau_aps
    from rankscope.statistics.correlations.tau_intervals import (
        tau_over_systems as tau_over_systems,
        tau_over_topics as tau_over_topics,
    )
    from rankscope.statistics.draws.resampling import Resampling as Resampling
    from rankscope.statistics.families.anova import anova_one_way as anova_one_way, anova_two_way as anova_two_way
    from rankscope.statistics.families.bootstrap_max_t import bootstrap_max_t as bootstrap_max_t
    from rankscope.statistics.families.clustered_hsd import clustered_hsd as clustered_hsd
    from rankscope.statistics.families.corrections import adjust as adjust
    from rankscope.statistics.families.groups import (
        bootstrap_rank_intervals as bootstrap_rank_intervals,
        letters as letters,
        rank_intervals as rank_intervals,
    )
    from rankscope.statistics.families.max_t import (
        closed_testing as closed_testing,
        max_t as max_t,
        step_down_max_t as step_down_max_t,
    )
    from rankscope.statistics.families.pair_tests import (
        randomisation_all_pairs as randomisation_all_pairs,
        t_all_pairs as t_all_pairs,
    )
    from rankscope.statistics.families.randomised_hsd import (
        randomised_hsd as randomised_hsd,
        randomised_hsd_preferences as randomised_hsd_preferences,
    )
    from rankscope.statistics.families.rank_tests import (
        friedman as friedman,
        kruskal_wallis as kruskal_wallis,
        nemenyi as nemenyi,
    )
    from rankscope.statistics.families.tukey_hsd import tukey_hsd as tukey_hsd, tukey_hsd_one_way as tukey_hsd_one_way
    from rankscope.statistics.pairs.clusters import (
        clustered_bootstrap_interval as clustered_bootstrap_interval,
        clustered_randomisation_test as clustered_randomisation_test,
        clustered_t_test as clustered_t_test,
    )
    from rankscope.statistics.pairs.effect_sizes import (
        cohen_dz as cohen_dz,
        effect_sizes as effect_sizes,
        mean_difference as mean_difference,
        superiority as superiority,
    )
    from rankscope.statistics.pairs.equivalence import equivalence as equivalence, non_inferiority as non_inferiority
    from rankscope.statistics.pairs.intervals import (
        bootstrap_interval as bootstrap_interval,
        randomisation_interval as randomisation_interval,
        t_interval as t_interval,
    )
    from rankscope.statistics.pairs.paired_tests import (
        bootstrap_test as bootstrap_test,
        randomisation_test as randomisation_test,
        sign_test as sign_test,
        t_test as t_test,
        wilcoxon as wilcoxon,
    )
    from rankscope.statistics.pairs.planning import (
        detectable_difference as detectable_difference,
        pilot_variance as pilot_variance,
        power as power,
        topics_for_power as topics_for_power,
        topics_for_width as topics_for_width,
    )
    from rankscope.statistics.pairs.posterior import posterior as posterior
    from rankscope.statistics.pairs.replication import replication as replication
    from rankscope.statistics.replications.random_effects import random_effects as random_effects
    from rankscope.statistics.replications.repeated_runs import (
        repeated_all_pairs as repeated_all_pairs,
        repeated_runs as repeated_runs,
        variance_components as variance_components,
    )
    from rankscope.statistics.replications.two_level_bootstrap import two_level_bootstrap as two_level_bootstrap
    from rankscope.statistics.pairs.prediction_powered import prediction_powered as prediction_powered
    from rankscope.statistics.pairs.prediction_powered import prediction_powered_pairs as prediction_powered_pairs
    from rankscope.statistics.rater_agreement import (
        cohen_kappa as cohen_kappa,
        krippendorff_alpha as krippendorff_alpha,
    )
else:
    __getattr__, __dir__, __all__ = lazily(__name__, {
        "correlations.kendall": "agreement_rate tau taus",
        "correlations.rbo": "rbo tied_ranking",
        "correlations.split_halves": "consistency leave_one_out split_halves swap_rate",
        "correlations.tau_ap": "tau_ap tau_aps",
        "correlations.tau_intervals": "tau_over_systems tau_over_topics",
        "draws.resampling": "Resampling",
        "families.anova": "anova_one_way anova_two_way",
        "families.bootstrap_max_t": "bootstrap_max_t",
        "families.clustered_hsd": "clustered_hsd",
        "families.corrections": "adjust",
        "families.groups": "bootstrap_rank_intervals letters rank_intervals",
        "families.max_t": "closed_testing max_t step_down_max_t",
        "families.pair_tests": "randomisation_all_pairs t_all_pairs",
        "families.randomised_hsd": "randomised_hsd randomised_hsd_preferences",
        "families.rank_tests": "friedman kruskal_wallis nemenyi",
        "families.tukey_hsd": "tukey_hsd tukey_hsd_one_way",
        "pairs.clusters": "clustered_bootstrap_interval clustered_randomisation_test clustered_t_test",
        "pairs.effect_sizes": "cohen_dz effect_sizes mean_difference superiority",
        "pairs.equivalence": "equivalence non_inferiority",
        "pairs.intervals": "bootstrap_interval randomisation_interval t_interval",
        "pairs.paired_tests": "bootstrap_test randomisation_test sign_test t_test wilcoxon",
        "pairs.planning": "detectable_difference pilot_variance power topics_for_power topics_for_width",
        "pairs.posterior": "posterior",
        "pairs.replication": "replication",
        "replications.random_effects": "random_effects",
        "replications.repeated_runs": "repeated_all_pairs repeated_runs variance_components",
        "replications.two_level_bootstrap": "two_level_bootstrap",
        "pairs.prediction_powered": "prediction_powered prediction_powered_pairs",
        "rater_agreement": "cohen_kappa krippendorff_alpha",
    })  # fmt: skip
