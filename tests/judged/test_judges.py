"""Several judgments of one collection: the same lists as one reading for each judge, every form of input, bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rankscope as rs
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import embedded_judges

ANN = {"t1": {"a": 2, "b": 0, "c": 1}, "t2": {"a": 1, "d": 0}}
BOB = {"t1": {"a": 1, "b": 1, "e": 0.5}, "t2": {"a": 0, "d": 2}}
RUN = {"t1": {"a": 3.0, "b": 2.0, "x": 1.0, "e": 0.5}, "t2": {"d": 2.0, "a": 1.0}}


def lines(judge, name="0"):
    return "".join(f"{t} {name} {d} {g}\n" for t, docs in judge.items() for d, g in docs.items())


def quiet(*args, **rules):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rs.load_judges(*args, **rules)


def same(ours, alone):
    order = [alone.topics.index(topic) for topic in ours.topics]
    assert sorted(ours.topics) == sorted(alone.topics)
    assert np.array_equal(ours.code, alone.code[:, order])
    assert np.array_equal(ours.available, alone.available[order])
    assert np.array_equal(ours.grades, alone.grades)
    assert ours.rules == alone.rules


def test_lists_of_each_judge_are_those_of_load():
    qrels, runs = embedded()
    others = embedded_judges()
    loaded = quiet(qrels, runs, others)
    same(loaded.judged("qrels"), rs.load(qrels, runs))
    for name, judgments in others.items():
        same(loaded.judged(name), rs.load(judgments, runs))


def test_lists_are_read_once(monkeypatch):
    from rankscope.judged import judges as module

    calls = []
    once = module.load
    monkeypatch.setattr(module, "load", lambda *args, **rules: calls.append(1) or once(*args, **rules))
    quiet(ANN, RUN, {f"bob-{n}": BOB for n in range(20)})
    assert len(calls) == 1


def test_topics_that_one_judge_has_alone():
    """Few human topics and many of a machine: each judge has its own topics."""
    human = {"t1": ANN["t1"]}
    loaded = quiet(human, RUN, {"machine": BOB})
    assert loaded.judged("reference").topics == ("t1",)
    same(loaded.judged("machine"), rs.load(BOB, RUN))


def test_every_form_of_input(tmp_path):
    import polars as pl

    pandas = pytest.importorskip("pandas")

    folder = tmp_path / "judges"
    folder.mkdir()
    (folder / "bob.txt").write_text(lines(BOB))
    (folder / "README.md").write_text("# Judges\n\nWhat this folder holds, in a few words of prose.\n")
    (tmp_path / "ann.qrels").write_text(lines(ANN))
    (tmp_path / "both.qrels").write_text(lines(ANN, "ann") + lines(BOB, "bob"))
    rows = [
        (n, t, d, g) for n, judge in (("ann", ANN), ("bob", BOB)) for t, docs in judge.items() for d, g in docs.items()
    ]
    table = pl.DataFrame(rows, schema=["judge", "topic", "document", "grade"], orient="row", strict=False)
    table.write_csv(tmp_path / "both.csv")
    table.write_parquet(tmp_path / "both.parquet")
    only_bob = table.filter(pl.col("judge") == "bob")
    sources = [folder, str(folder), [f"bob={folder / 'bob.txt'}"], [str(folder / "bob.txt")], {"bob": BOB}, only_bob,
               pandas.DataFrame(only_bob.to_dict(as_series=False))]  # fmt: skip
    expected = rs.load(BOB, RUN)
    for source in sources:
        loaded = quiet(tmp_path / "ann.qrels", RUN, source)
        assert loaded.names == ("ann", "bob"), source
        same(loaded.judged("bob"), expected)
    for name in ("both.qrels", "both.csv", "both.parquet"):
        loaded = quiet(tmp_path / name, RUN)
        assert loaded.names == ("ann", "bob")
        same(loaded.judged("bob"), expected)
        other = quiet(tmp_path / name, RUN, reference="bob")
        assert other.names == ("bob", "ann")
        again = quiet(tmp_path / "ann.qrels", RUN, [str(tmp_path / name)])
        assert again.names == ("ann (reference)", "ann", "bob")


def test_pairs_of_some_judges_are_counted_aloud():
    with pytest.warns(
        rs.DataWarning, match="pairs that judges lack: bob 1\npairs that judges have, and reference lacks"
    ):
        rs.load_judges(ANN, RUN, {"bob": BOB})


BAD = {
    "no pair": ({"t1": {"z": 1}}, "bob shares 1 topic and no judged document with reference"),
    "no topic": ({"t9": {"a": 1}}, "bob shares no topic with reference"),
}


@pytest.mark.parametrize("case", BAD)
def test_strangers_are_refused(case):
    judge, cause = BAD[case]
    with pytest.raises(rs.InputError, match=cause):
        rs.load_judges(ANN, RUN, {"bob": judge})


def test_a_run_among_judges_is_refused(tmp_path):
    (tmp_path / "bob.txt").write_text(lines(BOB))
    (tmp_path / "run.txt").write_text("t1 Q0 a 1 3.0 x\nt1 Q0 b 2 2.0 x\n")
    with pytest.raises(rs.InputError, match=r"run\.txt: 6 fields .* looks like a run\n.*leave runs out"):
        rs.load_judges(ANN, RUN, tmp_path)


def test_damaged_judges_are_refused_and_not_left_out(tmp_path):
    (tmp_path / "bob.txt").write_text(lines(BOB) + "t2 0 f\n")
    with pytest.raises(rs.InputError, match=r"bob\.txt:6: 3 fields"):
        rs.load_judges(ANN, RUN, tmp_path)


def test_names_are_distinct(tmp_path):
    for name in ("bob.txt", "bob.qrels"):
        (tmp_path / name).write_text(lines(BOB))
    with pytest.raises(rs.InputError, match="two judges are named 'bob'"):
        rs.load_judges(ANN, RUN, tmp_path)


def test_other_refusals():
    with pytest.raises(rs.InputError, match="one judge alone"):
        rs.load_judges(ANN, RUN)
    with pytest.raises(rs.InputError, match="no judge is named 'bbo'\n1 problem; did you mean bob"):
        rs.load_judges(ANN, RUN, {"bob": BOB}, humans=["bbo"])
    with pytest.raises(rs.InputError, match="the order would be another one for each judge"):
        rs.load_judges(ANN, RUN, {"bob": BOB}, ties="best")


def test_a_repeated_pair_of_a_judge_is_refused(tmp_path):
    path = tmp_path / "bob.txt"
    path.write_text(lines(BOB) + "t1 0 a 1\n")
    with pytest.raises(rs.InputError, match=r"bob\.txt:6: document 'a' appears twice in topic 't1'"):
        rs.load_judges(ANN, RUN, [path])
    assert quiet(ANN, RUN, [path], duplicates="first").grade[1].tolist().count(1.0) == 2
