from typing import Any

SOURCES: int

def scan(text: Any, size: int, fields: int, spans: Any) -> int: ...
def decimals(text: Any, spans: Any, rows: int, values: Any) -> bool: ...
def scan_json(text: Any, size: int, topics: Any, docs: Any, values: Any) -> tuple[int, int]: ...
def scan_qrels(text: Any, size: int, topics: Any, topic: Any, docs: Any, grade: Any) -> tuple[int, int]: ...
def intern(text: Any, spans: Any, rows: int, codes: Any, first: Any) -> int: ...
def pack(text: Any, spans: Any, rows: int, packed: Any, places: Any) -> None: ...
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
    rules: tuple[int, int, int, int, int, int],
    topic: Any,
    start: Any,
    length: Any,
    hash: Any,
    code: Any,
    number: Any,
    doc: Any,
    extreme: Any,
    apart: Any,
) -> tuple[int, int, int, int, int, int, float]: ...
def order_rows(
    text: Any,
    docs: Any,
    scores: Any,
    ranks: Any,
    topic: Any,
    first: Any,
    segments: int,
    judged: tuple[Any, ...],
    rules: tuple[int, int, int, int, int, int],
    length: Any,
    code: Any,
    number: Any,
    doc: Any,
    extreme: Any,
) -> tuple[int, int, int, int]: ...
def flips(seed: int, first: int, trials: int, topics: int, heads: Any) -> None: ...
def permuted_sums(values: Any, topics: int, systems: int, seed: int, first: int, trials: int, sums: Any) -> None: ...
def shuffled(values: Any, topics: int, systems: int, seed: int, first: int, trials: int, rows: Any) -> None: ...
def drawn(seed: int, first: int, trials: int, topics: int, counts: bool, out: Any) -> None: ...
def stepped(
    often: Any,
    values: Any,
    short_often: Any,
    short_sums: Any,
    unit: Any,
    one: Any,
    other: Any,
    bar: Any,
    extra: float,
    trials: int,
    topics: int,
    systems: int,
    pairs: int,
    chunk: int,
    sums: Any,
    squares: Any,
    bounds: Any,
    most: Any,
    end: Any,
    count: Any,
) -> None: ...
def concordance(x: Any, y: Any, rows: int, n: int, alike: Any, apart: Any, tied_x: Any, tied_y: Any) -> None: ...
def relevant_ranks(
    code: Any,
    wide: int,
    systems: int,
    topics: int,
    length: int,
    first: int,
    depth: int,
    levels: int,
    start: int,
    stop: int,
    width: int,
    rank: Any,
    used: Any,
    found: Any,
) -> None: ...
def pair_classes(rank: Any, used: Any, topics: int, systems: int, width: int, out: Any) -> None: ...
def pair_classes_graded(
    rank: Any, used: Any, topics: int, systems: int, width: int, wide: int, code: Any, gain: Any, out: Any
) -> None: ...
def pair_levels(
    rank: Any, used: Any, topics: int, systems: int, width: int, last: int, level: Any, difference: Any
) -> None: ...
def pair_votes(
    rank: Any, used: Any, topics: int, systems: int, width: int, weight: Any, before: Any, out: Any
) -> None: ...
def rising_pairs(key: Any, n: int, shift: int, levels: int, room: Any, tree: Any) -> int: ...
def largest_ratio(
    coefficient: Any,
    there: Any,
    base: Any,
    floor: Any,
    gain: Any,
    have: Any,
    ideal: Any,
    topics: int,
    documents: int,
    layers: int,
    longest: int,
    level: Any,
    ratio: Any,
    order: Any,
    best: Any,
    layer: Any,
) -> None: ...
