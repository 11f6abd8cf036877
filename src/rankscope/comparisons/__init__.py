"""Two systems or many: scores, preferences and statistics joined into an answer."""

from rankscope.comparisons.comparing import Comparison, compare
from rankscope.comparisons.deciding_topics import Deciding, deciding
from rankscope.comparisons.gating import Gate, gate
from rankscope.comparisons.metric_map import MetricMap, metric_map
from rankscope.comparisons.ranking import Leaderboard, rank
from rankscope.comparisons.topic_plan import plan

__all__ = [
    "Comparison", "Deciding", "Gate", "Leaderboard", "MetricMap", "compare", "deciding", "gate", "metric_map", "plan",
    "rank",
]  # fmt: skip
