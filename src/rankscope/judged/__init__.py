"""Runs joined with judgments, once: order, ties, depth and unjudged documents are settled here for every measure."""

from typing import TYPE_CHECKING

from rankscope.judged.join import load as load
from rankscope.judged.model import Documents as Documents, Judged as Judged, Pooled as Pooled, Rules as Rules
from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.judged.judges import Judges as Judges, load_judges as load_judges
    from rankscope.judged.reading_progress import ReadingProgress as ReadingProgress
    from rankscope.judged.streaming import Portion as Portion, RunStream as RunStream, stream as stream
    from rankscope.judged.subsets import Thinner as Thinner, with_systems as with_systems, with_topics as with_topics
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "judges": "Judges load_judges",
            "reading_progress": "ReadingProgress",
            "streaming": "Portion RunStream stream",
            "subsets": "Thinner with_systems with_topics",
        },
        "Documents Judged Pooled Rules load",
    )
