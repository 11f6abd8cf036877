"""Test collections with known truth: a seeded generator, and one small collection shipped with the package."""

from rankscope.simulation.collection import Collection, simulate
from rankscope.simulation.shipped import embedded

__all__ = ["Collection", "embedded", "simulate"]
