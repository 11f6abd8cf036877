"""On any collection: no crash, plain numbers, worst first, and the same facts as plain loops find."""

import json
from itertools import pairwise

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.validation import material, validate
from rankscope.validation.material import open_material

SEVERITIES = ["high", "medium", "low"]
DOCS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # scores beyond 32 bits, in the numpy kernels
@settings(max_examples=60)
@given(strategies.collections(systems=3))
def test_findings_are_ordered_and_plain(collection):
    result = validate(collection.qrels, collection.runs, workers=1)
    order = [(SEVERITIES.index(f.severity), -f.numbers["shift"]) for f in result]
    assert order == sorted(order)
    assert len({f.kind for f in result}) == len(result)
    for finding in result:
        assert "\n" not in finding.message
        assert "nan" not in finding.message
        assert set(finding.systems) <= set(result.systems)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["clean"] == result.clean
    assert result.to_frame().height == len(result)
    assert len(result.to_text("full").splitlines()) >= len(result)


@st.composite
def columns(draw):
    """Documents with ranks and scores, many of them equal, in any order of lines."""
    docs = draw(st.lists(st.sampled_from(DOCS), min_size=2, unique=True))
    score = st.sampled_from([2.0, 1.0, 1 + 1e-9, 0.0])
    if draw(st.booleans()):  # as most runs come
        return [(doc, rank, -float(rank)) for rank, doc in enumerate(docs)]
    return [(doc, draw(st.integers(0, 5)), draw(score)) for doc in docs]


@settings(max_examples=100)
@given(
    st.dictionaries(st.sampled_from(["1", "2", "3", "4", "5"]), columns(), min_size=1),
    st.sampled_from([1, 60, 1 << 20]),
    st.booleans(),
)
def test_facts_of_a_run_match_plain_loops(tmp_path_factory, lists, piece, scattered):
    path = tmp_path_factory.mktemp("runs") / "a"
    lines = [(i, f"{t} Q0 {d} {r} {s!r} x\n") for t, rows in lists.items() for i, (d, r, s) in enumerate(rows)]
    lines += [(i, f"unjudged{i % 2} Q0 d{i} {i} {-i} x\n") for i in range(6)]
    if scattered:
        lines.sort(key=lambda line: line[0])  # those of a topic stay in their order
    path.write_text("".join(line for _, line in lines))
    qrels = {topic: {"a": 1.0, "b": 0.0} for topic in lists}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(material, "_PIECE", piece)
        (facts,) = open_material(
            qrels, path, rel=None, names="file", run_format=None, qrels_format=None, workers=1,
        ).facts  # fmt: skip
    assert (facts.extra_topics, facts.extra_documents) == (2, 6)
    tied, pairs, colliding, changed = 0, 0, 0, 0
    for topic, rows in enumerate(lists.values()):
        by_score = sorted(rows, key=lambda row: (row[2], row[0]), reverse=True)
        by_rank = sorted(rows, key=lambda row: row[1])  # equal ranks stay in the order of the lines
        scores = [s for _, _, s in by_score]
        pairs += len(rows) - 1
        tied += sum(a == b for a, b in pairwise(scores))
        colliding += sum(a != b and np.float32(a) == np.float32(b) for a, b in pairwise(scores))
        single = sorted(rows, key=lambda row: (np.float32(row[2]), row[0]), reverse=True)
        changed += single != by_score
        if facts.single is not None:
            relevance = {"a": 3, "b": 2}  # codes; of others 1, unjudged
            assert facts.single[topic].tolist()[: len(rows)] == [relevance.get(doc, 1) for doc, _, _ in single]
        codes = {"a": 3, "b": 2}
        assert facts.by_rank[topic].tolist()[: len(rows)] == [codes.get(doc, 1) for doc, _, _ in by_rank]
        assert facts.rank_differs[topic] == (by_rank[:10] != by_score[:10])
        assert facts.rank_contradicts[topic] == ([s for _, _, s in by_rank[:10]] != scores[:10])
    assert facts.tied == tied / pairs
    assert facts.colliding == colliding
    assert facts.lists_changed == changed
    assert (facts.single is None) == (colliding == 0)
    assert facts.first_rank == min(rank for rows in lists.values() for _, rank, _ in rows)
