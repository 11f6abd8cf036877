"""Runs joined with judgments, once: order, ties, depth and unjudged documents are settled here for every measure."""

from rankscope.judged.join import load
from rankscope.judged.model import Documents, Judged, Pooled, Rules
from rankscope.judged.reading_progress import Reading
from rankscope.judged.streaming import Portion, Stream, stream
from rankscope.judged.subsets import Thinner, with_topics

__all__ = [
    "Documents",
    "Judged",
    "Pooled",
    "Portion",
    "Reading",
    "Rules",
    "Stream",
    "Thinner",
    "load",
    "stream",
    "with_topics",
]
