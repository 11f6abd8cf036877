"""Texts that end where the kernels may read no further.

The C loops are promised 8 zero bytes behind a text, while the package gives them 64, so reading too far would
usually go unseen. A `Tight` text has just the 8. Behind them lies a page that may not be touched, or, where the
core was built with the address sanitizer, the sanitizer's own fence.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys

import numpy as np

from rankscope import arrays
from rankscope.kernels import compiled

PROMISED = 8
SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")


class Tight(np.ndarray):
    """A text with no more padding than promised."""


def _size(text: arrays.Text) -> int:
    return text.size - PROMISED if isinstance(text, Tight) else arrays.size(text)


compiled.size = _size  # so that the package's own wrappers take tight texts


class Fenced:
    """Room for one text at a time, right before a page that nobody may read or write."""

    def __init__(self, room: int = 1 << 20) -> None:
        page = mmap.PAGESIZE
        self.room = -(-room // page) * page
        self.fenced = sys.platform == "linux" and not SANITIZED
        if self.fenced:
            whole = mmap.mmap(-1, self.room + page)
            memory = np.frombuffer(whole, np.uint8)
            protect = ctypes.CDLL(None, use_errno=True).mprotect
            if protect(ctypes.c_void_p(memory.ctypes.data + self.room), ctypes.c_size_t(page), 0):
                raise OSError(ctypes.get_errno(), "mprotect")
            self.memory = memory[: self.room].view(Tight)

    def text(self, raw: bytes) -> Tight:
        """The bytes as a text; it holds until the next one."""
        if self.fenced and len(raw) + PROMISED <= self.room:
            text = self.memory[self.room - len(raw) - PROMISED :]
        else:
            text = np.empty(len(raw) + PROMISED, np.uint8).view(Tight)
        text[: len(raw)] = np.frombuffer(raw, np.uint8)
        text[len(raw) :] = 0
        return text


def joined(fence: Fenced, ids: list[bytes]) -> tuple[Tight, arrays.Spans]:
    """Ids laid end to end, and their spans."""
    return fence.text(b"".join(ids)), arrays.joined(ids)[1]
