"""What missing judgments leave open: lowest and highest scores, one file an argument."""

from rankscope.measures.bounding.result import BoundMeans, Bounds
from rankscope.measures.bounding.run import bounds

__all__ = ["BoundMeans", "Bounds", "bounds"]
