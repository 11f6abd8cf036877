"""All possible rankings: what can be said of a measure by looking at each of them."""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily
from rankscope.universe.rankings import Universe as Universe, rankings as rankings

if TYPE_CHECKING:
    from rankscope.universe.ipso.freedom import Flips as Flips, Freedom as Freedom, flips as flips, freedom as freedom
    from rankscope.universe.ipso.order import (
        Hasse as Hasse,
        OrderGrid as OrderGrid,
        hasse as hasse,
        order_grid as order_grid,
    )
    from rankscope.universe.ipso.pair_counts import Shares as Shares
    from rankscope.universe.ipso.separability import (
        ExpectedSeparability as ExpectedSeparability,
        SeparabilityCounts as SeparabilityCounts,
        expected_separability as expected_separability,
        separability as separability,
    )
    from rankscope.universe.one_measure.axioms import (
        DifferenceStructure as DifferenceStructure,
        difference_structure as difference_structure,
    )
    from rankscope.universe.one_measure.explaining import explain as explain
    from rankscope.universe.one_measure.position_orders import (
        PositionOrders as PositionOrders,
        PossibleUsers as PossibleUsers,
        position_orders as position_orders,
        possible_users as possible_users,
    )
    from rankscope.universe.one_measure.properties import Properties as Properties, properties as properties
    from rankscope.universe.one_measure.scales import Scale as Scale, scale as scale
    from rankscope.universe.one_measure.ties import (
        DistinctValues as DistinctValues,
        TieCurve as TieCurve,
        distinct_values as distinct_values,
        tie_curve as tie_curve,
        values_gained as values_gained,
    )
    from rankscope.universe.two_measures.buckets import Buckets as Buckets, buckets as buckets
    from rankscope.universe.two_measures.disagreement import Disagreement as Disagreement, disagreement as disagreement
    from rankscope.universe.two_measures.features import (
        FEATURES as FEATURES,
        Features as Features,
        features as features,
        register_feature as register_feature,
    )
    from rankscope.universe.two_measures.frequencies import Frequencies as Frequencies, frequencies as frequencies
else:
    __getattr__, __dir__, __all__ = lazily(__name__, {
        "ipso.freedom": "Flips Freedom flips freedom",
        "ipso.order": "Hasse OrderGrid hasse order_grid",
        "ipso.pair_counts": "Shares",
        "ipso.separability": "ExpectedSeparability SeparabilityCounts expected_separability separability",
        "one_measure.axioms": "DifferenceStructure difference_structure",
        "one_measure.explaining": "explain",
        "one_measure.position_orders": "PositionOrders PossibleUsers position_orders possible_users",
        "one_measure.properties": "Properties properties",
        "one_measure.scales": "Scale scale",
        "one_measure.ties": "DistinctValues TieCurve distinct_values tie_curve values_gained",
        "two_measures.buckets": "Buckets buckets",
        "two_measures.disagreement": "Disagreement disagreement",
        "two_measures.features": "FEATURES Features features register_feature",
        "two_measures.frequencies": "Frequencies frequencies",
    }, "Universe rankings")  # fmt: skip
