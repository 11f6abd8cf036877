"""Two systems or many: scores, preferences and statistics joined into an answer."""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.comparisons.comparing import Comparison as Comparison, compare as compare
    from rankscope.comparisons.deciding_topics import Deciding as Deciding, deciding as deciding
    from rankscope.comparisons.gating import Gate as Gate, gate as gate
    from rankscope.comparisons.metric_mapping import MetricMap as MetricMap, metric_map as metric_map
    from rankscope.comparisons.ranking import Leaderboard as Leaderboard, rank as rank
    from rankscope.comparisons.topic_plan import plan as plan
else:
    __getattr__, __dir__, __all__ = lazily(__name__, {
        "comparing": "Comparison compare",
        "deciding_topics": "Deciding deciding",
        "gating": "Gate gate",
        "metric_mapping": "MetricMap metric_map",
        "ranking": "Leaderboard rank",
        "topic_plan": "plan",
    })  # fmt: skip
