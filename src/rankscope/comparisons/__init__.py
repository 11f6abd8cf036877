"""Two systems or many: scores, preferences and statistics joined into an answer."""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.comparisons.comparing_collections import Across as Across, across as across
    from rankscope.comparisons.collection_board import CollectionBoard as CollectionBoard
    from rankscope.comparisons.comparing import Comparison as Comparison, compare as compare
    from rankscope.comparisons.deciding_topics import Deciding as Deciding, deciding as deciding
    from rankscope.comparisons.gate_result import Gate as Gate
    from rankscope.comparisons.gating import gate as gate
    from rankscope.comparisons.judging import JudgeNext as JudgeNext, judge_next as judge_next
    from rankscope.comparisons.leaderboard import Leaderboard as Leaderboard
    from rankscope.comparisons.metric_mapping import MetricMap as MetricMap, metric_map as metric_map
    from rankscope.comparisons.ranking import rank as rank
    from rankscope.comparisons.topic_plan import plan as plan
else:
    __getattr__, __dir__, __all__ = lazily(__name__, {
        "comparing_collections": "Across across",
        "collection_board": "CollectionBoard",
        "comparing": "Comparison compare",
        "deciding_topics": "Deciding deciding",
        "gate_result": "Gate",
        "gating": "gate",
        "judging": "JudgeNext judge_next",
        "leaderboard": "Leaderboard",
        "metric_mapping": "MetricMap metric_map",
        "ranking": "rank",
        "topic_plan": "plan",
    })  # fmt: skip
