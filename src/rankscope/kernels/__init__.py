"""The few hot loops, in C where the extension was built and in numpy everywhere.

Both give the same results. `RANKSCOPE_PURE=1` chooses numpy; `KIND` says which is in use.
"""

from __future__ import annotations

import os
from types import ModuleType

from rankscope.kernels import pure
from rankscope.kernels.shapes import Judgments, Order, Ordered, Ties

__all__ = [
    "KIND", "Judgments", "Order", "Ordered", "Ties",
    "concordance", "decimals", "draw_keys", "draws", "find_topics", "index", "intern", "order_rows", "order_text",
    "permuted_sums", "scan", "scan_json", "topic_edge",
]  # fmt: skip


def _choose() -> tuple[str, ModuleType]:
    if os.environ.get("RANKSCOPE_PURE", "") not in ("", "0"):
        return "numpy (RANKSCOPE_PURE is set)", pure
    try:
        from rankscope.kernels import compiled
    except ImportError:
        return "numpy (the compiled core was not built)", pure
    return "compiled", compiled


KIND, _kernels = _choose()
scan = _kernels.scan
scan_json = _kernels.scan_json
decimals = _kernels.decimals
intern = _kernels.intern
index = _kernels.index
find_topics = _kernels.find_topics
topic_edge = _kernels.topic_edge
order_text = _kernels.order_text
order_rows = _kernels.order_rows
permuted_sums = _kernels.permuted_sums
concordance = _kernels.concordance
draw_keys = pure.draw_keys
draws = pure.draws
