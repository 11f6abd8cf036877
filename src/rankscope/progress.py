"""How far long work is, shown where somebody looks: on a terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from html import escape
from importlib import import_module
from types import TracebackType
from typing import Any

SELDOM = 0.1  # seconds between two pictures of a bar


class Bar:
    """Hears how far work is and shows it: `progress=Bar()` of a study, of an enumeration, of whatever takes long.

    In a notebook it is a bar of the page itself, which needs neither widgets nor network, and stays when the work is
    done. On a terminal it is a line of stderr that goes away. Elsewhere nothing is shown, so that logs stay short.

    first  what is said before anything is heard
    """

    def __init__(self, first: str = "") -> None:
        self._screen: _Notebook | _Terminal | None = _Notebook() if in_notebook() else None
        if self._screen is None and sys.stderr.isatty():
            self._screen = _Terminal()
        self._last = -SELDOM
        if first:
            self(first)

    @property
    def seen(self) -> bool:
        """Whether there is somebody to see it."""
        return self._screen is not None

    def __call__(self, said: Any) -> None:
        """Show a share from 0 to 1, words, or what knows both, such as the `Progress` of a study."""
        share, text = _heard(said)
        whole, now = share is not None and share >= 1, time.monotonic()
        if self._screen is None or not (whole or isinstance(said, str) or now - self._last >= SELDOM):
            return
        self._last = now
        self._screen.show(share, text)
        if whole:
            self.close()

    def close(self) -> None:
        """Leave the screen; what is heard later comes back to it."""
        if self._screen is not None:
            self._screen.close()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def _heard(said: Any) -> tuple[float | None, str]:
    """Share and words; a share of None is work whose end is not known."""
    if isinstance(said, str):
        return None, said
    if isinstance(said, int | float):
        return min(1.0, max(0.0, float(said))), f"{100 * said:.0f} %"
    return None if said.total is None else said.done / max(1, said.total), str(said)


def clock(seconds: float) -> str:
    """Seconds as people say them.

    >>> clock(4.2), clock(75), clock(4000)
    ('5 s', '1 min 15 s', '1 h 7 min')
    """
    whole = -int(-seconds // 1)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {-(-whole // 60) % 60} min"


class _Notebook:
    """One output that changes."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, share: float | None, text: str) -> None:
        display = import_module("IPython.display").display
        value = "" if share is None else f' value="{share:.3f}"'
        shown = {
            "text/plain": text,
            "text/html": f'<div><progress max="1"{value}></progress> <span>{escape(text)}</span></div>',
        }
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)

    def close(self) -> None:
        """It stays."""


class _Terminal:
    """A line of stderr, by rich."""

    def __init__(self) -> None:
        self._bar: Any = None

    def show(self, share: float | None, text: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            columns = BarColumn(24), TextColumn("{task.description}", markup=False)
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._bar.add_task(text, total=None)
        # the first task is the only one
        self._bar.update(0, description=text, total=None if share is None else 1.0, completed=share or 0.0)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
