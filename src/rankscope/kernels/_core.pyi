from typing import Any

def scan(text: Any, size: int, fields: int, spans: Any) -> int: ...
def decimals(text: Any, spans: Any, rows: int, values: Any) -> bool: ...
def scan_json(text: Any, size: int, topics: Any, docs: Any, values: Any) -> tuple[int, int]: ...
def intern(text: Any, spans: Any, rows: int, codes: Any, first: Any) -> int: ...
def fill(
    text: Any, spans: Any, rows: int, group: Any, code: Any, base: Any, mask: Any, table: Any, repeated: Any
) -> int: ...
def lookup(text: Any, spans: Any, rows: int, ids: Any, id_spans: Any, table: Any, mask: int, found: Any) -> None: ...
def topic_edge(text: Any, position: int, size: int) -> int: ...
def order_text(
    text: Any,
    begin: int,
    end: int,
    judged: tuple[Any, ...],
    rules: tuple[int, int, int, int, int],
    topic: Any,
    start: Any,
    length: Any,
    hash: Any,
    code: Any,
    doc: Any,
) -> tuple[int, int, int, int, int]: ...
def order_rows(
    text: Any,
    docs: Any,
    scores: Any,
    ranks: Any,
    topic: Any,
    first: Any,
    segments: int,
    judged: tuple[Any, ...],
    rules: tuple[int, int, int, int, int],
    length: Any,
    code: Any,
    doc: Any,
) -> tuple[int, int, int]: ...
def permuted_sums(values: Any, topics: int, systems: int, seed: int, first: int, trials: int, sums: Any) -> None: ...
def concordance(
    x: Any, y: Any, rows: int, n: int, tolerance: float, alike: Any, apart: Any, tied_x: Any, tied_y: Any
) -> None: ...
