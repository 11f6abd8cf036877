"""The tables and figures of five papers, on a collection of one's own, or on all possible rankings."""

from rankscope.studies.reproduce.items import Item, Paper, Pictures, Setting
from rankscope.studies.reproduce.writing import PAPERS, Reproduction, paper, reproduce

__all__ = ["PAPERS", "Item", "Paper", "Pictures", "Reproduction", "Setting", "paper", "reproduce"]
