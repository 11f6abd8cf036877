"""Methods that compare rankings without choosing a metric.

Each takes two systems of a collection; those whose names end in `_of` take two plain arrays of gains, ranks last;
`all_pairs` compares all systems at once.
"""

from rankscope.preferences.all_pairs import Preferences, all_pairs
from rankscope.preferences.classes import GROUPS, LABELS, path
from rankscope.preferences.dominance import dominance, dominance_all_pairs
from rankscope.preferences.dominance_results import Dominance, DominanceMatrix
from rankscope.preferences.ipso import Ipso, ipso, ipso_of
from rankscope.preferences.lexi import Lexicographic, lexiprecision, lexiprecision_of, lexirecall, lexirecall_of
from rankscope.preferences.rpp import RecallPaired, rpp, rpp_of
from rankscope.preferences.serps import Serps, serps
from rankscope.preferences.unjudged import UnjudgedIpso, ipso_unjudged
from rankscope.preferences.votes import PreferenceRanking

__all__ = [
    "GROUPS",
    "LABELS",
    "Dominance",
    "DominanceMatrix",
    "Ipso",
    "Lexicographic",
    "PreferenceRanking",
    "Preferences",
    "RecallPaired",
    "Serps",
    "UnjudgedIpso",
    "all_pairs",
    "dominance",
    "dominance_all_pairs",
    "ipso",
    "ipso_of",
    "ipso_unjudged",
    "lexiprecision",
    "lexiprecision_of",
    "lexirecall",
    "lexirecall_of",
    "path",
    "rpp",
    "rpp_of",
    "serps",
]  # fmt: skip
