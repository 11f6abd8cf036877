"""The C loops and their numpy twins give the same results."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rankscope.arrays import PAD, cut, joined, padded, size
from rankscope.kernels import Order, TieOrder, pure

compiled = pytest.importorskip("rankscope.kernels.compiled", reason="the compiled core was not built")

ids = st.binary(min_size=1, max_size=20).map(lambda b: b.translate(bytes.maketrans(b" \t\r\n", b"abcd")))
long_ids = st.builds(lambda b, n: b * n, ids, st.integers(1, 12))
blanks = st.sampled_from([b" ", b"\t", b"  ", b" \t "])
ends = st.sampled_from([b"\n", b"\r\n", b" \n", b"\n\n"])
scores = st.sampled_from([b"1", b"2", b"1.0", b"0.1", b"-3e2", b"16777216.5", b"16777217", b"1e-320", b".5", b"7."])
ranks = st.one_of(scores, scores, scores, st.just(b"-"))
odd = st.sampled_from(
    [b"nan", b"inf", b"1e999", b"", b"0x1", b"1_0", b"-", b".", b"1e", b"++1", b"one", b"1e5000000000"]
)


NOTHING = st.just(b"")


@st.composite
def run_text(draw, wrong=NOTHING):
    """A run file: few topics and documents, so that they meet; sometimes something wrong in it."""
    topics = draw(st.lists(ids, min_size=1, max_size=3))
    docs = draw(st.lists(st.one_of(ids, long_ids), min_size=1, max_size=6))
    lines = []
    for _ in range(draw(st.integers(0, 12))):
        fields = [draw(st.sampled_from(topics)), b"Q0", draw(st.sampled_from(docs)), draw(ranks), draw(scores), b"tag"]
        gap = draw(blanks)
        lines.append(draw(st.sampled_from([b"", gap])) + gap.join(fields) + draw(ends))
    text = b"".join(lines)
    return topics, docs, (text[: -draw(st.integers(1, 3))] if draw(st.booleans()) else text) + draw(wrong)


def indexed(module, topics, docs):
    """Every second document is judged in every topic; grades differ from row to row."""
    pairs = [(t, d) for t in dict.fromkeys(topics) for d in dict.fromkeys(docs[::2])]
    text, spans = joined([x for pair in pairs for x in pair])
    spans = spans.reshape(-1, 2, 2)
    topic, heads = module.intern(text, spans[:, 0])
    code = 2 + np.arange(len(pairs)) % 3
    return module.index(text, spans[heads, 0], spans[:, 1], topic, code, np.array([0, 0, -1.0, 0.0, 2.0]))


def same(a, b, *, docs):
    if a is None or b is None:
        assert a is None
        assert b is None
        return
    for name in ("topic", "start", "length", "code", "lines", "dropped", "extremes", "apart", "lowest_rank"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    groups = [[x.hash.tolist().index(h) for h in x.hash.tolist()] for x in (a, b)]
    assert groups[0] == groups[1]
    if docs:
        for ours, twin in zip(a.docs, b.docs, strict=True):
            np.testing.assert_array_equal(ours, twin)
            assert ours.dtype == twin.dtype


orders = st.builds(
    Order,
    ties=st.sampled_from(TieOrder),
    single=st.booleans(),
    first=st.booleans(),
    depth=st.sampled_from([1, 2, 2**62]),
    wide=st.booleans(),
    docs=st.sampled_from([0, 1, 2, 2**62]),
    extremes=st.booleans(),
    apart=st.booleans(),
)


@settings(max_examples=1500, deadline=None)
@given(run=run_text(), order=orders)
def test_order_text(run, order):
    topics, docs, raw = run
    text = padded(raw)
    got = [m.order_text(text, 0, size(text), indexed(m, topics, docs), order) for m in (compiled, pure)]
    same(*got, docs=order.docs)


@settings(max_examples=1500, deadline=None)
@given(run=run_text(wrong=st.one_of(st.binary(max_size=30), odd)), order=orders)
def test_order_text_refuses_the_same(run, order):
    topics, docs, raw = run
    text = padded(raw)
    got = [m.order_text(text, 0, size(text), indexed(m, topics, docs), order) for m in (compiled, pure)]
    same(*got, docs=order.docs)


@settings(max_examples=800, deadline=None)
@given(run=run_text(), order=orders)
def test_order_rows(run, order):
    topics, docs, raw = run
    text = padded(raw)
    spans = compiled.scan(text, 6)
    assume(spans is not None and len(spans))
    values, ranks = compiled.decimals(text, spans[:, 4]), compiled.decimals(text, spans[:, 3])
    first = np.append(np.flatnonzero(np.arange(len(spans)) % 4 == 0), len(spans))
    topic = np.arange(len(first) - 1) % (len(set(topics)) + 1) - 1
    docs_ = np.ascontiguousarray(spans[:, 2])
    same(
        *(
            m.order_rows(text, docs_, values, ranks, topic, first, indexed(m, topics, docs), order)
            for m in (compiled, pure)
        ),
        docs=order.docs,
    )


@settings(max_examples=800, deadline=None)
@given(raw=st.one_of(st.binary(max_size=60), run_text().map(lambda r: r[2])), fields=st.sampled_from([1, 2, 4, 6]))
def test_scan(raw, fields):
    text = padded(raw)
    a, b = compiled.scan(text, fields), pure.scan(text, fields)
    assert (a is None) == (b is None)
    if a is not None:
        np.testing.assert_array_equal(a, b)


@st.composite
def qrels_text(draw):
    """Judgments of few topics and documents; sometimes with something wrong in it."""
    topics, docs = (draw(st.lists(st.one_of(ids, long_ids), min_size=1, max_size=4)) for _ in range(2))
    lines = []
    for _ in range(draw(st.integers(0, 12))):
        gap = draw(blanks)
        fields = draw(st.sampled_from(topics)), b"0", draw(st.sampled_from(docs)), draw(scores)
        lines.append(draw(st.sampled_from([b"", gap])) + gap.join(fields) + draw(ends))
    return b"".join(lines) + draw(st.one_of(NOTHING, NOTHING, odd, st.binary(max_size=30)))


@settings(max_examples=800, deadline=None)
@given(raw=qrels_text())
def test_scan_qrels(raw):
    text = padded(raw)
    a, b = compiled.scan_qrels(text), pure.scan_qrels(text)
    assert (a is None) == (b is None)
    if a is not None:
        for ours, twin in zip(a, b, strict=True):
            np.testing.assert_array_equal(ours, twin)


def test_scan_qrels_with_many_topics():
    """More than its table has room for at first, each of them in two places."""
    text = padded(b"".join(b"t%d 0 d%d %d\n" % (n % 5000, n, n % 3) for n in range(10_000)))
    for ours, twin in zip(compiled.scan_qrels(text), pure.scan_qrels(text), strict=True):
        np.testing.assert_array_equal(ours, twin)
    topics, topic, _, grade = compiled.scan_qrels(text)
    assert len(topics) == 5000
    assert topic.tolist() == [n % 5000 for n in range(10_000)]
    assert grade.tolist() == [n % 3 for n in range(10_000)]


@settings(max_examples=2000, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(lambda x: repr(x).encode()),
            st.from_regex(rb"[+-]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
            st.decimals(allow_nan=False, allow_infinity=False, places=17, min_value=-100, max_value=100).map(
                lambda d: str(d).encode()
            ),
            odd,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_decimals_are_correctly_rounded(raw):
    text, spans = joined(raw)
    a, b = compiled.decimals(text, spans), pure.decimals(text, spans)
    assert (a is None) == (b is None)
    if a is not None:
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, [float(one) for one in raw])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(ids, long_ids), max_size=12))
def test_intern(raw):
    text, spans = joined(raw)
    for a, b in zip(compiled.intern(text, spans), pure.intern(text, spans), strict=True):
        np.testing.assert_array_equal(a, b)
    codes, first = compiled.intern(text, spans)
    assert [raw[i] for i in first] == list(dict.fromkeys(raw))
    assert [raw[first[c]] for c in codes] == raw


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(ids, long_ids), max_size=12), st.randoms(use_true_random=False))
def test_packed(raw, random):
    text, spans = joined(raw)
    wanted = random.sample(range(len(raw)), random.randint(0, len(raw)))
    for module in (compiled, pure):
        packed, places = module.packed(text, spans[wanted])
        assert packed.tobytes() == b"".join(raw[i] for i in wanted) + bytes(PAD)
        assert cut(packed, places) == [raw[i] for i in wanted]


@settings(max_examples=500, deadline=None)
@given(run=run_text(), position=st.integers(0, 200))
def test_topic_edge(run, position):
    text = padded(run[2])
    position = min(position, size(text))
    assert compiled.topic_edge(text, position) == pure.topic_edge(text, position)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(ids, st.one_of(ids, long_ids)), min_size=1, max_size=12))
def test_index_marks_repeated_judgments(pairs):
    text, spans = joined([x for pair in pairs for x in pair])
    spans = spans.reshape(-1, 2, 2)
    expected = [pair in pairs[:i] for i, pair in enumerate(pairs)]
    for module in (compiled, pure):
        topic, heads = module.intern(text, spans[:, 0])
        code = np.full(len(pairs), 2)
        built = module.index(text, spans[heads, 0], spans[:, 1], topic, code, np.zeros(3))
        assert built.repeated.tolist() == expected
        assert module.find_topics(text, spans[:, 0], built).tolist() == topic.tolist()
        assert cut(built.text, built.topics) == list(dict.fromkeys(t for t, _ in pairs))


def test_many_documents_in_one_topic():
    """More than the reader has room for at first: its tables grow, and repeats are still found."""
    lines = [b"7 Q0 d%d 1 %d x\n" % (i, i % 700) for i in range(9000)]
    for extra, fine in ((b"", True), (b"7 Q0 d8999 1 2 x\n", False)):
        text = padded(b"".join(lines) + extra)
        got = [m.order_text(text, 0, size(text), indexed(m, [b"7"], [b"d1"]), Order()) for m in (compiled, pure)]
        assert (got[0] is not None) == fine
        same(*got, docs=False)
