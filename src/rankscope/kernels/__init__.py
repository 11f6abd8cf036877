"""The few hot loops, in C where the extension was built and in numpy everywhere.

Both give the same results. `RANKSCOPE_PURE=1` chooses numpy; `KIND` says which is in use.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import TYPE_CHECKING

from rankscope.kernels.shapes import (
    A_AHEAD as A_AHEAD,
    B_AHEAD as B_AHEAD,
    SCORES_APART as SCORES_APART,
    Judgments as Judgments,
    NumberedDocs as NumberedDocs,
    Order as Order,
    Ordered as Ordered,
    Ranks as Ranks,
    TieOrder as TieOrder,
)
from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.kernels import pure as pure
    from rankscope.kernels.pure import draw_keys as draw_keys, draws as draws
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {"pure": "draw_keys draws pure"},
        "A_AHEAD B_AHEAD KIND SCORES_APART Judgments NumberedDocs Order Ordered Ranks TieOrder concordance decimals "
        "drawn find_topics flips index intern largest_ratio order_rows order_text packed pair_classes "
        "pair_classes_graded pair_levels pair_votes permuted_sums relevant_ranks rising_pairs scan scan_json "
        "scan_qrels shuffled stepped times topic_edge",
    )


def _choose() -> tuple[str, ModuleType]:
    kind, compiled = _compiled()
    if compiled is not None:
        return kind, compiled
    from rankscope.kernels import pure

    return kind, pure


def _compiled() -> tuple[str, ModuleType | None]:
    """Which kernels are in use, and the compiled ones where these are."""
    if os.environ.get("RANKSCOPE_PURE", "") not in ("", "0"):
        return "numpy (RANKSCOPE_PURE is set)", None
    try:
        from rankscope.kernels import compiled
    except ImportError:
        return "numpy (the compiled core was not built)", None
    if _is_old(compiled.SOURCES):
        return "numpy (the compiled core is older than its sources: build it again)", None
    return "compiled", compiled


def _is_old(built_from: int) -> bool:
    """Whether the core was built from other sources than those that lie beside it, as after an update of a checkout."""
    from pathlib import Path
    from zlib import crc32

    sources = sorted(Path(__file__).parent.glob("*.c"))  # none where a wheel is installed
    return (
        bool(sources and built_from) and crc32(b"".join(source.read_bytes() for source in sources)) >> 1 != built_from
    )


KIND, _kernels = _choose()
scan = _kernels.scan
scan_json = _kernels.scan_json
scan_qrels = _kernels.scan_qrels
decimals = _kernels.decimals
intern = _kernels.intern
packed = _kernels.packed
index = _kernels.index
find_topics = _kernels.find_topics
topic_edge = _kernels.topic_edge
order_text = _kernels.order_text
order_rows = _kernels.order_rows
flips = _kernels.flips
permuted_sums = _kernels.permuted_sums
shuffled = _kernels.shuffled
stepped = _kernels.stepped
drawn = _kernels.drawn
times = _kernels.times
concordance = _kernels.concordance
relevant_ranks = _kernels.relevant_ranks
pair_classes = _kernels.pair_classes
pair_classes_graded = _kernels.pair_classes_graded
pair_levels = _kernels.pair_levels
pair_votes = _kernels.pair_votes
rising_pairs = _kernels.rising_pairs
largest_ratio = _kernels.largest_ratio
