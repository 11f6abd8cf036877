"""Two systems or many: scores, preferences and statistics joined into an answer."""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.comparisons.comparing import Comparison, compare
    from rankscope.comparisons.deciding_topics import Deciding, deciding
    from rankscope.comparisons.gating import Gate, gate
    from rankscope.comparisons.metric_mapping import MetricMap, metric_map
    from rankscope.comparisons.ranking import Leaderboard, rank
    from rankscope.comparisons.topic_plan import plan

__all__ = [
    "Comparison", "Deciding", "Gate", "Leaderboard", "MetricMap", "compare", "deciding", "gate", "metric_map", "plan",
    "rank",
]  # fmt: skip
__getattr__ = lazily(__name__, {
    "comparing": "Comparison compare",
    "deciding_topics": "Deciding deciding",
    "gating": "Gate gate",
    "metric_mapping": "MetricMap metric_map",
    "ranking": "Leaderboard rank",
    "topic_plan": "plan",
})  # fmt: skip
