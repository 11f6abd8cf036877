"""Runs joined with judgments, once: order, ties, depth and unjudged documents are settled here for every measure."""

from rankscope.judged.join import load
from rankscope.judged.model import Documents, Judged, Rules

__all__ = ["Documents", "Judged", "Rules", "load"]
