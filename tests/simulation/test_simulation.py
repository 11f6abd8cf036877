"""The generator keeps its promises, and the shipped files are what it gives."""

import gzip
from math import log2
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from rankscope.simulation import Collection, embedded, simulate
from rankscope.simulation.shipped import FOLDER, qrels_lines, run_lines, write


@pytest.fixture(scope="module")
def default() -> Collection:
    return simulate()


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
    large = simulate(topics=1000, families={"a": (0.6, 1.0), "b": (0.8, 1.2)}, depth=20)
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
        ({"topics": 0}, "topics must be"),
        ({"depth": 301}, "depth must be"),
        ({"judged": 101}, "judged must be"),
        ({"barren": 51}, "barren must be"),
        ({"families": {}}, "at least one system"),
        ({"families": {"two words": (1.0,)}}, "name must be"),
        ({"families": {"a": (float("nan"),)}}, "must be finite"),
    ],
)
def test_arguments_that_describe_no_collection(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate(**arguments)


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
    for path in write(tmp_path, simulate(topics=1, pool=20, depth=5, judged=5)):
        header = path.read_bytes()[:8]
        assert header == b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
