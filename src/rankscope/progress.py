"""Progress bars for a terminal and for a notebook."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import accumulate
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from rankscope.formatting import html, visible

Step = TypeVar("Step")
Progress: TypeAlias = Callable[[float], Any] | None
"""What hears which share of the work is done, such as a `Bar`; or nothing."""
LONG = 2.0  # seconds of a command's work from which its bar is shown
SELDOM = 0.1  # seconds between two updates of a bar


class Bar:
    """A progress bar, as in `progress=Bar()` of a study, an enumeration or a stream.

    In a notebook it is a bar of the page itself, which needs neither widgets nor network, and stays when the work is
    done. On a terminal it is a line of stderr that goes away. Elsewhere nothing is shown, so that logs stay short.

    first  what is done, shown at once and before shares
    delay  seconds before anything is shown, for work that is mostly short
    """

    def __init__(self, first: str = "", *, delay: float = 0.0) -> None:
        self._screen: _Notebook | _Terminal | None = _Notebook() if in_notebook() else None
        if self._screen is None and sys.stderr.isatty():
            self._screen = _Terminal()
        self._first, self._start, self._delay = first, time.monotonic(), delay
        self._since = self._start  # the work at hand was begun then
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._last = -SELDOM
        if first:
            self(first)

    @property
    def seen(self) -> bool:
        """Whether the bar is shown anywhere."""
        return self._screen is not None

    def __call__(self, state: Any, unit: str = "") -> None:
        """Show a share from 0 to 1, a text, or an object with both, such as the `Progress` of a study.

        unit  beside a share, what was done last
        """
        now = time.monotonic()
        if self._screen is None or now < self._start + self._delay:
            return
        share, text = self._share_and_text(state, unit, now)
        text = visible(text)
        complete = share is not None and share >= 1
        if not (complete or isinstance(state, str) or now - self._last >= SELDOM):
            return
        self._last = now
        with self._lock:
            self._screen.show(share, text)
        if complete:
            self.close()

    def _share_and_text(self, state: Any, unit: str, now: float) -> tuple[float | None, str]:
        """Share and text of a state; the share is None where the end is not known."""
        if isinstance(state, str):
            return None, state
        if not isinstance(state, int | float):
            return None if state.total is None else state.done / max(1, state.total), str(state)
        share = min(1.0, max(0.0, float(state)))
        parts = [f"{self._first} {100 * share:.0f} %".strip(), unit]
        if 0 < share < 1 and now - self._since >= 1:
            parts.append(f"{clock((now - self._since) / share * (1 - share))} left")
        return share, ", ".join(filter(None, parts))

    def go_on(self, work: str) -> None:
        """Other work, named at once, or after the delay; what is heard then are shares of it."""
        self._first, self._last, self._since = work, -SELDOM, time.monotonic()
        self(work)

    def close(self) -> None:
        """Remove the bar; a later update shows it again."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._screen is not None:
                self._screen.close()

    def __enter__(self) -> Bar:
        """On a terminal the bar is shown after the delay, also where nothing has been heard of the work by then."""
        if isinstance(self._screen, _Terminal) and self._delay:
            self._timer = threading.Timer(self._delay, self._appear)
            self._timer.daemon = True
            self._timer.start()
        return self

    def _appear(self) -> None:
        with self._lock:
            if self._timer is not None and self._screen is not None and self._last < 0:  # nothing is shown yet
                self._screen.show(None, visible(self._first))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def clock(seconds: float) -> str:
    """Seconds in words.

    >>> clock(4.2), clock(75), clock(4000)
    ('5 s', '1 min 15 s', '1 h 7 min')
    """
    rounded = -int(-seconds // 1)
    if rounded < 60:
        return f"{rounded} s"
    minutes, seconds_left = divmod(rounded, 60)
    return f"{minutes} min {seconds_left} s" if minutes < 60 else f"{minutes // 60} h {-(-rounded // 60) % 60} min"


def heard(steps: Iterator[Step], count: int, progress: Progress) -> Iterator[Step]:
    """The same steps; after each of them, progress hears which share of so many is done."""
    if progress is None:
        return steps
    return _heard(steps, count, progress)


def _heard(steps: Iterator[Step], count: int, progress: Callable[[float], Any]) -> Iterator[Step]:
    for done, step in enumerate(steps, 1):
        progress(done / count)
        yield step


def staged(progress: Progress, *weights: float) -> Iterator[Progress]:
    """One progress for each of several stages, by their share of the work.

    >>> first, second = staged(print, 3, 1)
    >>> first(0.5)
    0.375
    >>> second(1.0)
    1.0
    """
    ends = list(accumulate(weights))
    for weight, end in zip(weights, ends, strict=True):
        yield None if progress is None else partial(_within, progress, (end - weight) / ends[-1], weight / ends[-1])


def _within(progress: Callable[[float], Any], start: float, weight: float, share: float) -> None:
    progress(start + weight * share)


class _Notebook:
    """One output of a notebook, updated in place."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, share: float | None, text: str) -> None:

        display = import_module("IPython.display").display
        value = "" if share is None else f' value="{share:.3f}"'
        shown = {
            "text/plain": text,
            "text/html": f'<div><progress max="1"{value}></progress> <span>{html(text)}</span></div>',
        }
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)

    def close(self) -> None:
        """Nothing to do: the bar stays in the notebook."""


class _Terminal:
    """A line of stderr, by rich."""

    def __init__(self) -> None:
        self._bar: Any = None

    def show(self, share: float | None, text: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Line

            columns = BarColumn(24), TextColumn("{task.description}", markup=False)
            self._bar = Line(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._bar.add_task(text, total=None)
        # the first task is the only one
        self._bar.update(0, description=text, total=None if share is None else 1.0, completed=share or 0.0)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
