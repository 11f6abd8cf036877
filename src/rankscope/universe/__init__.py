"""All possible rankings: what can be said of a measure by looking at each of them."""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily
from rankscope.universe.rankings import Universe, rankings

if TYPE_CHECKING:
    from rankscope.universe.ipso.freedom import Flips, Freedom, flips, freedom
    from rankscope.universe.ipso.order import Hasse, OrderGrid, hasse, order_grid
    from rankscope.universe.ipso.pair_counts import Shares
    from rankscope.universe.ipso.separability import (
        ExpectedSeparability,
        SeparabilityCounts,
        expected_separability,
        separability,
    )
    from rankscope.universe.one_measure.axioms import DifferenceStructure, difference_structure
    from rankscope.universe.one_measure.explaining import explain
    from rankscope.universe.one_measure.position_orders import (
        PositionOrders,
        PossibleUsers,
        position_orders,
        possible_users,
    )
    from rankscope.universe.one_measure.properties import Properties, properties
    from rankscope.universe.one_measure.scales import Scale, scale
    from rankscope.universe.one_measure.ties import (
        DistinctValues,
        TieCurve,
        distinct_values,
        tie_curve,
        values_gained,
    )
    from rankscope.universe.two_measures.buckets import Buckets, buckets
    from rankscope.universe.two_measures.disagreement import Disagreement, disagreement
    from rankscope.universe.two_measures.features import FEATURES, Features, features, register_feature
    from rankscope.universe.two_measures.frequencies import Frequencies, frequencies

__all__ = [
    "FEATURES",
    "Buckets",
    "DifferenceStructure",
    "Disagreement",
    "DistinctValues",
    "ExpectedSeparability",
    "Features",
    "Flips",
    "Freedom",
    "Frequencies",
    "Hasse",
    "OrderGrid",
    "PositionOrders",
    "PossibleUsers",
    "Properties",
    "Scale",
    "SeparabilityCounts",
    "Shares",
    "TieCurve",
    "Universe",
    "buckets",
    "difference_structure",
    "disagreement",
    "distinct_values",
    "expected_separability",
    "explain",
    "features",
    "flips",
    "freedom",
    "frequencies",
    "hasse",
    "order_grid",
    "position_orders",
    "possible_users",
    "properties",
    "rankings",
    "register_feature",
    "scale",
    "separability",
    "tie_curve",
    "values_gained",
]  # fmt: skip
__getattr__ = lazily(__name__, {
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
})  # fmt: skip
