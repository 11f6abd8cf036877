"""The report: one HTML page, complete in itself, arranged from results of the other rooms."""

from rankscope.reporting.assembling import EXTRA, Page, check_extra, check_path, page
from rankscope.reporting.chapters import Chapter

__all__ = ["EXTRA", "Chapter", "Page", "check_extra", "check_path", "page"]
