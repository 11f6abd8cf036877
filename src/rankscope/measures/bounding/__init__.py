"""Bounds on scores under missing judgments: lowest and highest scores, one file per argument."""

from rankscope.measures.bounding.result import BoundMeans, Bounds
from rankscope.measures.bounding.run import bounds

__all__ = ["BoundMeans", "Bounds", "bounds"]
