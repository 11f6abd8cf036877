"""The report: one HTML page, complete in itself, of results of the other rooms."""

from rankscope.reporting.assembling import Page
from rankscope.reporting.building import report

__all__ = ["Page", "report"]
