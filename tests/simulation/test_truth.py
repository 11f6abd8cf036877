"""The truth is what many collections tell together, and equal systems are equal."""

import numpy as np
import pytest
from marks import slow
from numpy.testing import assert_array_equal

from rankscope.errors import InputError
from rankscope.measures import evaluate, measure
from rankscope.simulation import Model, draw, levelled, truth
from rankscope.simulation.drawing import BLOCK, RandomStream, blocks

SMALL = Model(
    families={"a": (0.7, 1.1), "b": (0.9,)}, pool=60, depth=30, judged={"*": 10, "b": 3}, overrate=0.05, underrate=0.2
)


def test_truth_by_hand_from_its_own_topics() -> None:
    true = truth(SMALL, ["P@5", "RR"], n_topics=BLOCK + 30, seed=3)
    precision, reciprocal = [], []
    for block in blocks(SMALL, BLOCK + 30, 3, stream=RandomStream.TRUTH):
        for t, grade in enumerate(block.grade):
            relevant = [[bool(grade[d]) for d in block.ranked[s, t]] for s in range(3)]
            precision.append([sum(row[:5]) / 5 for row in relevant])
            reciprocal.append([1 / (row.index(True) + 1) if any(row) else 0.0 for row in relevant])
    n = BLOCK + 30
    for m, values in enumerate((np.array(precision), np.array(reciprocal))):
        assert true.complete.n_topics[m] == n
        assert true.complete.mean[m] == pytest.approx(values.mean(axis=0))
        assert true.complete.error[m] == pytest.approx(values.std(axis=0, ddof=1) / np.sqrt(n))
        apart = values[:, 2] - values[:, 0]
        assert true.difference("a-1", "b-1", ["P@5", "RR"][m]) == pytest.approx(
            (apart.mean(), apart.std(ddof=1) / np.sqrt(n))
        )


@pytest.mark.parametrize("complete", [False, *slow(True)])
@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_many_small_collections_agree_with_the_truth(complete: bool) -> None:
    true = truth(SMALL, n_topics=20_000)
    expected = true.complete if complete else true.judged
    # means over collections of 20 topics, drawn each from a seed of its own
    means = np.array([
        evaluate(draw(SMALL, n_topics=20, seed=seed, complete=complete), ["nDCG@10", "AP"], workers=1).value
        for seed in range(200)
    ])  # fmt: skip
    topics = means.transpose(1, 2, 0, 3).reshape(2, 3, -1)
    for m in range(2):
        mine = topics[m][:, ~np.isnan(topics[m]).any(axis=0)]
        error = np.hypot(mine.std(axis=-1) / np.sqrt(mine.shape[1]), expected.error[m])
        assert (np.abs(mine.mean(axis=-1) - expected.mean[m]) < 4 * error).all()
        apart = mine[1] - mine[0]
        error_apart = np.hypot(apart.std() / np.sqrt(apart.size), expected.difference_error[m, 0, 1])
        assert abs(apart.mean() - expected.difference[m, 0, 1]) < 4 * error_apart


@pytest.mark.parametrize("families", [{"a": (1, 1)}, {"a": (1,), "b": (1,)}])
def test_exchangeable_systems_are_equal(families: dict[str, tuple[float, ...]]) -> None:
    true = truth(Model(families=families, decimals=3, overrate=0.02), n_topics=5_000)
    for told in (true.complete, true.judged):
        assert (np.abs(told.difference[:, 0, 1]) < 4 * told.difference_error[:, 0, 1]).all()
        assert (told.difference_error[:, 0, 1] > 0).all()


def test_a_stronger_system_is_better_and_a_twin_is_the_same() -> None:
    true = truth(Model(families={"a": (0.8, 1.2, 1.2)}, own=0, decimals=3), n_topics=1_000)
    assert true.difference("a-1", "a-2")[0] > 0.05
    assert true.difference("a-2", "a-3", "AP") == (0, 0)


def test_differences_are_of_means_and_mirror() -> None:
    told = truth(SMALL, n_topics=600).complete
    assert_array_equal(told.difference, told.mean[:, None, :] - told.mean[:, :, None])
    assert_array_equal(told.difference, -told.difference.transpose(0, 2, 1))
    assert_array_equal(told.difference_error, told.difference_error.transpose(0, 2, 1))


def test_systems_left_out_of_the_judging_lose() -> None:
    model = Model(families={"a": (1, 1), "b": (1,)}, judged={"*": 10, "b": 0}, decimals=3)
    true = truth(model, "AP", n_topics=3_000)
    assert abs(true.complete.difference[0, 0, 2]) < 4 * true.complete.difference_error[0, 0, 2]
    assert true.judged.difference[0, 2, 0] > 10 * true.judged.difference_error[0, 0, 2]


def test_the_same_for_any_number_of_workers() -> None:
    one, three = (truth(SMALL, n_topics=4 * BLOCK + 1, workers=workers) for workers in (1, 3))
    assert_array_equal(one.complete.mean, three.complete.mean)
    assert_array_equal(one.judged.difference_error, three.judged.difference_error)


def test_no_block_is_drawn_twice_in_any_stream() -> None:
    drawn = [block for stream in RandomStream for block in blocks(SMALL, 2 * BLOCK + 5, 1, stream=stream)]
    assert len({block.score[:, :5].tobytes() for block in drawn}) == 2 * 3


def test_shows_itself() -> None:
    true = truth(SMALL, n_topics=100)
    text = str(true)
    assert "over 100 topics" in text
    assert "system  strength  nDCG@10   error  judged      AP   error  judged" in text
    assert " has the highest true mean nDCG@10: " in text.splitlines()[0]
    assert "True differences in nDCG@10, column - row" in true.to_text("full")
    frame = true.to_frame()
    assert frame.columns == ["measure", "a", "b", "difference", "error", "judged_difference", "judged_error"]
    assert frame.height == 2 * 3
    row = frame.row(1, named=True)
    assert (row["measure"], row["a"], row["b"]) == ("nDCG@10", "a-1", "b-1")
    assert (row["difference"], row["error"]) == true.difference("a-1", "b-1")
    assert true.to_dict()["means"][0]["mean"] == true.complete.mean[0, 0]
    assert "<table>" in true._repr_html_()


def test_a_measure_that_is_nowhere_defined_is_unknown() -> None:
    # no document reaches grade 4
    true = truth(SMALL, ["AP(rel=4)", "AP"], n_topics=50)
    assert np.isnan(true.complete.mean[0]).all()
    assert true.to_dict()["means"][0]["mean"] is None
    assert not np.isnan(true.complete.mean[1]).any()


def test_what_no_truth_can_be_told_of() -> None:
    with pytest.raises(InputError) as caught:
        truth(SMALL, ["NumRel", "AP"], n_topics=1, workers=0)
    assert [p.cause for p in caught.value.problems] == [
        "NumRel is a count, not a mean", "truth from 1 topics", "workers=0"
    ]  # fmt: skip
    with pytest.raises(InputError, match="name at least one"):
        truth(SMALL, [])
    with pytest.raises(InputError, match="no system is named 'c-1'"):
        truth(SMALL, n_topics=50).difference("a-1", "c-1")
    with pytest.raises(InputError, match="there are nDCG@10, AP"):
        truth(SMALL, n_topics=50).difference("a-1", "a-2", measure("RR"))


def test_levelled_systems_differ_in_kind_and_are_equal() -> None:
    unlike = Model(families={"a": (1,), "b": (1,)}, decimals=3, odd=0.3, on_odd={"a": 0.2}, pool=60, depth=20)
    assert truth(unlike, n_topics=4_000).difference("a-1", "b-1")[0] > 0.05
    level = levelled(unlike, "a-1", "b-1", n_topics=4_000)
    assert level.systems[0].strength > 1.1
    assert level.systems[1] == unlike.systems[1]
    fresh = truth(level, n_topics=8_000, seed=9)
    difference, error = fresh.difference("a-1", "b-1")
    assert abs(difference) < 4 * error * np.sqrt(3)  # the search saw half as many topics
    assert fresh.complete.error[0, 0] > 1.2 * fresh.complete.error[0, 1]


def test_levelling_refuses_what_cannot_be() -> None:
    with pytest.raises(InputError, match="no system is named 'x'"):
        levelled(SMALL, "x", "a-1")
    with pytest.raises(InputError, match="name two systems"):
        levelled(SMALL, "a-1", "a-1")
    hopeless = Model(families={"a": (1,), "b": (1,)}, odd=1, on_odd={"a": 0}, pool=60, depth=20)
    with pytest.raises(InputError, match="stays behind b-1 at any strength"):
        levelled(hopeless, "a-1", "b-1", n_topics=100)
