"""Progress of several studies together, beside that of the current one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from rankscope.studies.runner import Progress, Tell

ENOUGH = 0.05  # of all that is to be done, before anything is said of the rest


class TotalProgress:
    """Hears of studies one after the other, and tells how far all of them are.

    weights  how long each may take beside the others, in the order they come. What was done so far says how long a
             unit of weight takes on this collection and machine
    """

    def __init__(self, weights: Mapping[str, float], progress: Tell | None) -> None:
        self._weights, self._progress = weights, progress
        self._start, self._part, self._complete = time.monotonic(), "", False

    def begin(self, part: str) -> Tell | None:
        """A study begins; what it is to be told with."""
        self._part, self._complete = part, False
        return None if self._progress is None else self._tell

    def done(self, part: str) -> None:
        """A study is done; said once, here where it does not say so itself."""
        self._part = part
        if self._progress is not None and not self._complete:
            self._tell(Progress(study=part, unit=part, done=1, total=1, elapsed=0.0, left=0.0))

    def _tell(self, progress: Progress) -> None:
        assert self._progress is not None
        self._complete = progress.done == progress.total
        names = list(self._weights)
        at = names.index(self._part)
        weight = list(self._weights.values())
        done = sum(weight[:at]) + weight[at] * progress.done / max(1, progress.total)
        enough = done >= ENOUGH * sum(weight)
        left = (time.monotonic() - self._start) / done * (sum(weight) - done) if enough else None
        if left is not None and progress.left is not None:
            left = max(left, progress.left)  # the study in hand knows better what it still needs
        self._progress(replace(progress, part=at + 1, parts=len(names), total_left=left))
