"""Memory that runs out within the C loops, at every place that asks for it: MemoryError, no leak, no wrong result.

Needs a core that was built with -DFAILING_ALLOCATIONS, as `dev.py sanitize` does.
"""

import re
from pathlib import Path

import numpy as np
import pytest

import rankscope.kernels
from rankscope.arrays import joined, padded
from rankscope.kernels import Order, TieOrder

compiled = pytest.importorskip("rankscope.kernels.compiled", reason="the compiled core was not built")
fail_allocation = getattr(compiled._core, "fail_allocation", None)
injecting = pytest.mark.skipif(fail_allocation is None, reason="built without -DFAILING_ALLOCATIONS")

DOCS = [b"d%d" % n for n in range(3000)]
LONG = b"0." + b"3" * 700
RUN = padded(b"".join(b"7 Q0 %s 1 %s t\n" % (doc, LONG if n == 5 else b"%d" % n) for n, doc in enumerate(DOCS)))
RANKED = padded(b"".join(b"7 Q0 %s %s 1 t\n" % (doc, LONG if n == 5 else b"%d" % n) for n, doc in enumerate(DOCS)))
TEXT, SPANS = joined([b"7", *DOCS])
NUMBERS = joined([b"1", LONG, b"2"])
QRELS = padded(b"".join(b"%s 0 d %s\n" % (doc, LONG if n == 5 else b"1") for n, doc in enumerate(DOCS)))
JSON = padded(b'{"7": {"a": %s, "b": 2}}' % LONG)
VALUES = np.arange(12).reshape(4, 3)


def judgments():
    topic, code = np.zeros(len(DOCS), np.int64), np.full(len(DOCS), 2)
    return compiled.index(TEXT, SPANS[:1], SPANS[1:], topic, code, np.array([0.0, 0.0, 1.0]))


def in_order(text, ties):
    return compiled.order_text(text, 0, len(text) - 64, judgments(), Order(ties=ties))


def rows_in_order(spans=SPANS):
    rows = len(spans) - 1
    topic, first = np.zeros(1, np.int64), np.array([0, rows])
    return compiled.order_rows(TEXT, spans[1:], np.arange(float(rows)), None, topic, first, judgments(), Order())


CALLS = {
    "decimals": lambda: compiled.decimals(*NUMBERS),
    "scan_json": lambda: compiled.scan_json(JSON),
    "scan_qrels": lambda: compiled.scan_qrels(QRELS),
    "intern": lambda: compiled.intern(TEXT, SPANS),
    "order_text": lambda: in_order(RUN, TieOrder.TREC),
    "order_text by ranks": lambda: in_order(RANKED, TieOrder.RANK),
    "order_rows": rows_in_order,
    "permuted_sums": lambda: compiled.permuted_sums(VALUES, 1, 0, 9),
    "shuffled": lambda: compiled.shuffled(VALUES, 1, 0, 9),
}
ELSEWHERE = {"scan_json": None}  # what it leaves is read by Python's json


def plain(result):
    """A result as something that can be compared."""
    if isinstance(result, np.ndarray):
        return result.tolist()
    if hasattr(result, "__slots__"):
        return [plain(getattr(result, name)) for name in result.__slots__]
    return [plain(part) for part in result] if isinstance(result, tuple) else result


@injecting
def test_every_allocation_fails_once():
    lines = set()
    for name, call in CALLS.items():
        expected = plain(call())
        assert expected is not None, name
        for after in range(100):
            fail_allocation(after)
            try:
                result = call()
            except MemoryError:
                result = MemoryError
            left, line, not_freed = fail_allocation(-1)
            assert not_freed == 0, (name, line)
            if left >= 0:  # no allocation was left to fail
                assert plain(result) == expected, name
                break
            lines.add(line)
            assert result is ELSEWHERE.get(name, MemoryError), (name, line)
        else:
            pytest.fail(f"{name} allocates for ever")
    source = (Path(compiled.__file__).parent / "_core.c").read_text(encoding="utf-8")
    asking = {
        number
        for number, line in enumerate(source.splitlines(), 1)
        if re.search(r"\b[mc]alloc\(|\brealloc\(", line) and not line.startswith("#define")
    }
    assert lines == asking


def test_no_other_file_allocates():
    folder = Path(rankscope.kernels.__file__).parent
    others = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("_*.c") if path.name != "_core.c"}
    assert others
    assert [name for name, text in others.items() if "alloc(" in text] == []


def test_ids_of_4_gib_are_refused():
    """Their length would not fit; nothing is read there."""
    spans = SPANS[:3].copy()
    spans[2, 1] = 2**32 + 1
    assert rows_in_order(spans) is None
    assert rows_in_order(SPANS[:3]) is not None
