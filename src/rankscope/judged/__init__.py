"""Runs joined with judgments, once: order, ties, depth and unjudged documents are settled here for every measure."""

from rankscope.judged.join import load
from rankscope.judged.model import Documents, Judged, Pooled, Rules
from rankscope.judged.reading_progress import ReadingProgress
from rankscope.judged.streaming import Portion, RunStream, stream
from rankscope.judged.subsets import Thinner, with_systems, with_topics

__all__ = [
    "Documents",
    "Judged",
    "Pooled",
    "Portion",
    "ReadingProgress",
    "Rules",
    "RunStream",
    "Thinner",
    "load",
    "stream",
    "with_systems",
    "with_topics",
]
