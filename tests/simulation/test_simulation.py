"""The generator keeps its promises, and the shipped files are what it gives."""

import gzip
import pickle
from math import ceil, log2
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rankscope import load
from rankscope.errors import InputError
from rankscope.measures import evaluate
from rankscope.simulation import Collection, Model, draw, embedded, simulate
from rankscope.simulation.drawing import BLOCK, TopicBlock, blocks, grades_of, rank
from rankscope.simulation.embedded_collection import FOLDER, qrels_lines, run_lines, write


@pytest.fixture(scope="module")
def default() -> Collection:
    return simulate()


def whole_block(model: Model, topics: int) -> TopicBlock:
    (block,) = blocks(model, topics, seed=1)
    return block


def ndcg(ranked: list[str], grades: dict[str, int], k: int = 10) -> float:
    """Gain is the grade, discount is log2(rank + 1), the ideal comes from the judgments."""
    gain = [grades.get(doc, 0) for doc in ranked[:k]]
    ideal = sorted(grades.values(), reverse=True)[:k]
    return dcg(gain) / dcg(ideal)


def dcg(gain: list[int]) -> float:
    return sum(g / log2(rank + 1) for rank, g in enumerate(gain, start=1))


def mean_ndcg(collection: Collection) -> dict[str, float]:
    topics = {topic: grades for topic, grades in collection.judgments.items() if any(grades.values())}
    return {
        system: fmean(ndcg(list(run[topic]), grades) for topic, grades in topics.items())
        for system, run in collection.runs.items()
    }


def family_means(collection: Collection, value: dict[str, float]) -> dict[str, float]:
    return {
        family: fmean(value[system] for system in value if collection.family[system] == family)
        for family in dict.fromkeys(collection.family.values())
    }


def test_same_seed_same_collection(default: Collection) -> None:
    assert simulate(seed=1) == default


def test_other_seed_other_collection(default: Collection) -> None:
    other = simulate(seed=2)
    assert other.runs != default.runs
    assert other.judgments != default.judgments
    assert other.strength == default.strength


def test_shape(default: Collection) -> None:
    assert list(default.judgments) == [str(topic) for topic in range(101, 151)]
    assert len(default.runs) == 8
    assert list(default.runs) == list(default.strength) == list(default.family)
    assert list(dict.fromkeys(default.family.values())) == ["lexical", "dense", "hybrid"]
    assert {grade for grades in default.judgments.values() for grade in grades.values()} == {0, 1, 2, 3}
    for run in default.runs.values():
        assert list(run) == list(default.judgments)
        assert {len(scores) for scores in run.values()} == {100}


def test_exactly_one_topic_without_relevant_documents(default: Collection) -> None:
    barren = [grades for grades in default.judgments.values() if not any(grades.values())]
    assert len(barren) == 1
    assert barren[0]


def test_runs_are_ordered_by_score_then_id_descending(default: Collection) -> None:
    for run in default.runs.values():
        for scores in run.values():
            assert list(scores) == sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


def test_judged_are_exactly_the_first_twenty_of_every_system(default: Collection) -> None:
    for topic, grades in default.judgments.items():
        assert set(grades) == {doc for run in default.runs.values() for doc in list(run[topic])[:20]}


def test_every_system_retrieves_unjudged_documents(default: Collection) -> None:
    for run in default.runs.values():
        assert any(doc not in default.judgments[topic] for topic, scores in run.items() for doc in scores)


def test_every_system_has_ties_and_the_first_has_most(default: Collection) -> None:
    tied = {s: sum(len(x) - len(set(x.values())) for x in run.values()) for s, run in default.runs.items()}
    assert min(tied.values()) > 0
    assert max(tied, key=tied.__getitem__) == "lexical-1"


def test_scores_are_realistic(default: Collection) -> None:
    mean = mean_ndcg(default)
    assert 0.35 < min(mean.values()) < max(mean.values()) < 0.67
    best, second = sorted(mean, key=mean.__getitem__, reverse=True)[:2]
    assert default.family[best] != default.family[second]
    assert mean[best] - mean[second] < 0.05


def test_strength_shows_in_family_means(default: Collection) -> None:
    true, seen = family_means(default, default.strength), family_means(default, mean_ndcg(default))
    assert sorted(seen, key=seen.__getitem__) == sorted(true, key=true.__getitem__)


def test_strength_shows_in_every_system_given_many_topics() -> None:
    large = simulate(n_topics=1000, families={"a": (0.6, 1.0), "b": (0.8, 1.2)}, depth=20)
    mean = mean_ndcg(large)
    assert sorted(mean, key=mean.__getitem__) == ["a-1", "b-1", "a-2", "b-2"]


def test_systems_of_one_family_share_more_of_their_errors(default: Collection) -> None:
    def wrong(system: str) -> set[tuple[str, str]]:
        return {
            (topic, doc)
            for topic, grades in default.judgments.items()
            for doc in list(default.runs[system][topic])[:10]
            if grades[doc] == 0
        }

    assert len(wrong("dense-2") & wrong("dense-3")) > len(wrong("dense-2") & wrong("hybrid-1"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_topics": 0}, "n_topics is a whole number from 1"),
        ({"depth": 301}, r"depth is a whole number from 1 to 300"),
        ({"judged": 101}, r"judged is a whole number from 0 to 100"),
        ({"judged": {"dense": 101}}, "judged of dense is a whole number"),
        ({"judged": {"dens": 10}}, "no system or family is named 'dens'"),
        ({"judged": 0}, "at least one system's documents are judged"),
        ({"barren": 51}, r"barren is a whole number from 0 to 50"),
        ({"seed": -1}, "seed is a whole number from 0"),
        ({"families": {}}, "at least one system"),
        ({"families": {"two words": (1.0,)}}, "a family's name has"),
        ({"families": {"a": (float("nan"),)}}, "strength of a is a number from -100 to 100"),
        ({"decimals": 7}, "decimals is a whole number from 0 to 6"),
        ({"decimals": 1.5}, "decimals is a whole number from 0 to 6"),
        ({"grades": ()}, "grades are 1 to 20 shares"),
        ({"grades": (0, 0)}, "grades are 1 to 20 shares"),
        ({"grades": (1, -1)}, "grades are 1 to 20 shares"),
        ({"overrate": 0.6, "underrate": 0.6}, "together they are at most 1"),
        ({"odd": 1.1}, "odd is a number from 0 to 1"),
        ({"on_odd": {"dense": 0.5}}, "odd is above 0 where on_odd is given"),
        ({"pool": 2}, "pool is a whole number from 3"),
    ],
)
def test_arguments_that_describe_no_collection(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate(**arguments)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InputError) as caught:
        Model(families={"a b": (1, 1e9)}, depth=0, pool=1, own=-1, difficulty=float("inf"), overrate=2)
    causes = [problem.cause for problem in caught.value.problems]
    assert causes == [
        "family 'a b'", "strength of a b=1000000000.0", "pool=1", "depth=0", "difficulty=inf", "overrate=2",
        "overrate + underrate = 2", "own=-1",
    ]  # fmt: skip


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(TypeError, match="nonsense"):
        simulate(nonsense=1)


def test_a_system_goes_before_its_family_and_both_before_the_rest() -> None:
    model = Model(judged={"*": 5, "dense": 10, "dense-2": 0}, own={"hybrid": 0.1}, decimals={"lexical-1": 2})
    assert [(s.name, s.judged, s.own, s.decimals) for s in model.systems[2:7]] == [
        ("lexical-3", 5, 0.5, 3), ("dense-1", 10, 0.5, 3), ("dense-2", 0, 0.5, 3), ("dense-3", 10, 0.5, 3),
        ("hybrid-1", 5, 0.1, 3),
    ]  # fmt: skip
    assert model.systems[0].decimals == 2


def test_a_system_kept_out_of_the_judging_adds_no_judgment() -> None:
    drawn = simulate(n_topics=5, judged={"*": 10, "hybrid": 0, "dense-1": 3})
    for topic, grades in drawn.judgments.items():
        depths = {s: 3 if s == "dense-1" else 10 for s in drawn.runs if not s.startswith("hybrid")}
        assert set(grades) == {doc for s, k in depths.items() for doc in list(drawn.runs[s][topic])[:k]}


def test_fewer_decimals_more_ties() -> None:
    drawn = simulate(n_topics=5, families={"a": (1, 1, 1)}, decimals={"a-1": 0, "a-2": 1, "a-3": 6})
    distinct = [len({x for scores in run.values() for x in scores.values()}) for run in drawn.runs.values()]
    assert distinct[0] < 20 < distinct[1] < 100 < distinct[2]


def test_grades_by_their_shares() -> None:
    block = whole_block(Model(grades=(40, 30, 20, 10), relevant=0.2, relevant_spread=0.1, pool=1000), 200)
    counts = np.bincount(block.grade.ravel(), minlength=5)[1:]
    assert_allclose(counts / counts.sum(), (0.4, 0.3, 0.2, 0.1), atol=0.005)
    binary = whole_block(Model(grades=[1]), 20)
    assert set(np.unique(binary.grade)) == {0, 1}


def test_grades_match_the_literal_rule() -> None:
    rng = np.random.default_rng(3)
    latent, relevant = rng.standard_normal((200, 60)), rng.integers(0, 16, 200)
    got = grades_of(latent, relevant, Model())
    for row, n, grades in zip(latent, relevant, got, strict=True):
        place = np.argsort(np.argsort(-row))
        assert_array_equal(grades, sum((place < ceil(share * n)).astype(int) for share in (0.15, 0.45, 1.0)))


@pytest.mark.parametrize("decimals", [0, 1, 3, 6])
def test_ranking_matches_the_literal_rule(decimals: int) -> None:
    raw = np.random.default_rng(4).normal(scale=2, size=(50, 40))
    position, score = rank(raw, decimals, 15)
    for row, places, scores in zip(raw, position, score, strict=True):
        rounded = np.round(row, decimals)
        assert places.tolist() == sorted(range(40), key=lambda d: (rounded[d], d), reverse=True)[:15]
        assert_array_equal(scores, rounded[places])
        assert not np.signbit(scores[scores == 0]).any()


def test_judges_err_as_often_as_asked() -> None:
    block = whole_block(Model(overrate=0.1, underrate=0.3), 500)
    moved = block.assessed - block.grade
    for grade in range(4):
        here = moved[block.grade == grade]
        up, down = (0.1 if grade < 3 else 0), (0.3 if grade > 0 else 0)
        for rate, count in ((up, (here == 1).sum()), (down, (here == -1).sum()), (1 - up - down, (here == 0).sum())):
            assert abs(count - rate * here.size) <= 4 * np.sqrt(rate * (1 - rate) * here.size)


def test_judging_error_moves_judgments_and_nothing_else(default: Collection) -> None:
    erring = simulate(overrate=0.05, underrate=0.2)
    assert erring.runs == default.runs
    assert {t: set(x) for t, x in erring.judgments.items()} == {t: set(x) for t, x in default.judgments.items()}
    assert erring.judgments != default.judgments


def test_a_family_fails_on_odd_topics_alone() -> None:
    drawn = simulate(n_topics=400, families={"a": (1,), "b": (1,)}, odd=0.25, on_odd={"b": 0.1}, barren=0, decimals=3)
    assert 0.15 * 400 < len(drawn.odd) < 0.35 * 400

    def mean(system: str, topics: set[str]) -> float:
        return fmean(ndcg(list(drawn.runs[system][t]), drawn.judgments[t]) for t in topics)

    odd, usual = set(drawn.odd), set(drawn.judgments) - set(drawn.odd)
    assert mean("b-1", odd) < mean("a-1", odd) / 2
    assert abs(mean("b-1", usual) - mean("a-1", usual)) < 0.05


def test_more_spread_in_difficulty_more_spread_in_scores() -> None:
    def spread(difficulty: float) -> float:
        scores = evaluate(draw(Model(difficulty=difficulty), n_topics=300, complete=True), "nDCG@10").value
        return float(scores.std(axis=-1).mean())

    assert spread(0) < spread(0.5) < spread(1)


@pytest.mark.parametrize("topics", [50, BLOCK + 1, 2 * BLOCK + 7])
def test_barren_topics_are_as_many_as_asked_in_all_blocks(topics: int) -> None:
    drawn = draw(Model(families={"a": (1,)}, pool=20, depth=5, judged=5), n_topics=topics, barren=17, complete=True)
    assert len(drawn.topics) == topics
    assert np.count_nonzero(drawn.available[:, 1:].sum(axis=1) == 0) == 17


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
@pytest.mark.parametrize(
    ("topics", "changes"),
    [
        (50, {}),
        (BLOCK + 20, {"families": {"a": (1, 0.5), "b": (1,)}, "pool": 40, "depth": 20, "judged": {"*": 5, "b": 0}}),
        (30, {"overrate": 0.1, "underrate": 0.2, "grades": (1,), "decimals": 0, "odd": 0.5, "on_odd": 0.2}),
    ],
)
def test_arrays_and_ids_are_the_same_collection(topics: int, changes: dict[str, Any]) -> None:
    model = Model(**changes)
    arrays = draw(model, n_topics=topics, seed=5, barren=1)
    ids = simulate(model, n_topics=topics, seed=5, barren=1)
    for system, code in zip(arrays.systems, arrays.code, strict=True):
        joined = load(ids.judgments, {system: ids.runs[system]})
        assert joined.topics == arrays.topics
        assert_array_equal(joined.grades, arrays.grades)
        assert_array_equal(joined.code[0], code)
        assert_array_equal(joined.available, arrays.available)


def test_complete_judgments_hold_every_candidate() -> None:
    whole = draw(Model(overrate=0.5), n_topics=20, complete=True)
    assert (whole.available.sum(axis=1) == 300).all()
    assert (whole.code >= 2).all()
    assert_array_equal(whole.available, draw(Model(), n_topics=20, complete=True).available)


def test_a_model_cannot_be_changed_from_outside() -> None:
    families = {"a": [1.0]}
    model = Model(families=families)
    families["b"] = [2.0]
    assert [system.name for system in model.systems] == ["a-1"]
    assert pickle.loads(pickle.dumps(model)) == model


def test_shipped_files_are_what_the_generator_gives(default: Collection) -> None:
    qrels, runs = embedded()
    assert gzip.decompress(qrels.read_bytes()).decode() == "".join(qrels_lines(default))
    assert [path.name for path in runs] == sorted(f"{system}.gz" for system in default.runs)
    for path in runs:
        assert gzip.decompress(path.read_bytes()).decode() == "".join(run_lines(default, path.stem))


def test_shipped_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 400_000


def test_written_lines_by_hand(tmp_path: Path) -> None:
    tiny = Collection({"101": {"d1": 2}}, {"a-1": {"101": {"d1": 1.5, "d0": 1.5}}}, {"a-1": 1.0}, {"a-1": "a"})
    qrels, run = write(tmp_path / "new", tiny)
    assert gzip.decompress(qrels.read_bytes()) == b"101 0 d1 2\n"
    assert gzip.decompress(run.read_bytes()) == b"101 Q0 d1 1 1.5 a-1\n101 Q0 d0 2 1.5 a-1\n"


def test_gzip_header_holds_neither_name_nor_time(tmp_path: Path) -> None:
    for path in write(tmp_path, simulate(n_topics=1, pool=20, depth=5, judged=5)):
        header = path.read_bytes()[:8]
        assert header == b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
