"""All possible rankings: what can be said of a measure by looking at each of them."""

from rankscope.universe.axioms import DifferenceStructure, difference_structure
from rankscope.universe.buckets import Buckets, buckets
from rankscope.universe.disagreement import Disagreement, disagreement
from rankscope.universe.features import FEATURES, Features, features, register_feature
from rankscope.universe.freedom import Flips, Freedom, flips, freedom, freedom_of
from rankscope.universe.frequencies import Frequencies, frequencies
from rankscope.universe.order import Grid, Hasse, hasse, linear_extensions, order_grid
from rankscope.universe.positions import PositionOrders, PossibleUsers, position_orders, possible_users
from rankscope.universe.properties import Properties, properties
from rankscope.universe.rankings import Universe, rankings
from rankscope.universe.scales import Scale, scale
from rankscope.universe.separability import ExpectedSeparability, Separability, expected_separability, separability
from rankscope.universe.ties import (
    DistinctValues,
    TieCurve,
    Ties,
    distinct_values,
    tie_curve,
    tie_probability,
    ties,
    values_gained,
)
from rankscope.universe.walks import Shares

__all__ = [
    "FEATURES", "Buckets", "DifferenceStructure", "Disagreement", "DistinctValues", "ExpectedSeparability", "Features",
    "Flips", "Freedom", "Frequencies", "Grid", "Hasse", "PositionOrders", "PossibleUsers", "Properties", "Scale",
    "Separability", "Shares", "TieCurve", "Ties", "Universe", "buckets", "difference_structure", "disagreement",
    "distinct_values", "expected_separability", "features", "flips", "freedom", "freedom_of", "frequencies", "hasse",
    "linear_extensions", "order_grid", "position_orders", "possible_users", "properties", "rankings",
    "register_feature", "scale", "separability", "tie_curve", "tie_probability", "ties", "values_gained",
]  # fmt: skip
