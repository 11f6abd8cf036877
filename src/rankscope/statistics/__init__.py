"""Tests, intervals, corrections and rank correlations on plain arrays; knows no run and no measure."""

from rankscope.statistics.resampling import Resampling

__all__ = ["Resampling"]
