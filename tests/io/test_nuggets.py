"""Nugget assignments: recall of nuggets as a literal loop over the file has it, through load and the commands."""

import json

import numpy as np
import pytest

import rankscope as rs
from rankscope.cli import main

NAMES = {
    (kind, strict): f'NuggetRecall(nuggets="{kind}",strict={strict})'
    for kind in ("vital", "all", "weighted")
    for strict in (True, False)
}
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def answers(seed, n_topics=12):
    """Answers of two systems to the same nuggets; one text appears twice in a topic."""
    rng = np.random.default_rng(seed)
    kinds, found = ("vital", "okay"), ("support", "partial_support", "not_support")
    systems = {}
    nuggets = [[(f"fact {n // 2 if n < 2 else n}", kinds[rng.integers(2)]) for n in range(rng.integers(3, 9))]
               for _ in range(n_topics)]  # fmt: skip
    for name in ("a", "b"):
        systems[name] = [
            {"qid": f"2024-{t}", "run_id": name,
             "nuggets": [{"text": text, "importance": kind, "assignment": str(rng.choice(found))} for text, kind in of]}
            for t, of in enumerate(nuggets)
        ]  # fmt: skip
    return systems


def literal(answer, kind, strict):
    """Score of an answer, nugget by nugget."""
    credit = {"support": 1.0, "partial_support": 0.0 if strict else 0.5, "not_support": 0.0}
    weight = {"vital": 1.0, "okay": {"vital": 0.0, "all": 1.0, "weighted": 0.5}[kind]}
    total = sum(weight[n["importance"]] for n in answer["nuggets"])
    gained = sum(weight[n["importance"]] * credit[n["assignment"]] for n in answer["nuggets"])
    return gained / total if total else 0.0


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, lines in answers(7).items():
        paths.append(tmp_path / f"{name}.jl")
        paths[-1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    return paths


def test_scores_are_those_of_a_literal_loop(files):
    judged = rs.load(files[0], files)
    assert judged.systems == ("a", "b")
    assert judged.read_as == "judgments nugget assignments; runs nugget assignments"
    scores = rs.evaluate(judged, list(NAMES.values())).to_dict()
    for system, lines in answers(7).items():
        for answer in lines:
            for (kind, strict), name in NAMES.items():
                own = scores[system][answer["qid"]][str(rs.measure(name))]
                assert own == pytest.approx(literal(answer, kind, strict), abs=1e-12), (system, answer, name)


@pytest.mark.parametrize("command", ["compare QRELS A B", "gate QRELS A B", "rank QRELS A B", "evaluate QRELS A B"])
def test_commands(files, capsys, command):
    words = {"QRELS": files[0], "A": files[0], "B": files[1]}
    line = [str(words.get(word, word)) for word in command.split()]
    assert main([*line, "-m", "NuggetRecall"]) in (0, 1)
    assert "NuggetRecall" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"qid": "2", "importance": 1, "nuggets": 7}', "no list of nuggets"),
        ('{"nuggets": [{"text": "x", "importance": "vital"}]}', "no qid"),
        ('{"qid": 2, "nuggets": [{"importance": "vital"}]}', "a nugget has no text"),
        ('{"qid": 2, "nuggets": [{"text": "x", "importance": "vitale"}]}', "importance is one of vital, okay"),
        ('{"qid": 2, "nuggets": [{"text": "x", "importance": "okay", "assignment": 3}]}', "assignment one of support"),
        ('{"qid": "2024-0", "nuggets": []}', "give one file per system"),
        ("{", "the line is no JSON"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, line, words):
    path = tmp_path / "a.jl"
    path.write_text(json.dumps(answers(1)["a"][0]) + "\n" + line + "\n")
    with pytest.raises(rs.InputError, match=words) as error:
        rs.load(path, path)
    assert error.value.problems[0].line == 2


def test_a_system_without_any_nugget(tmp_path):
    nothing = {"qid": "1", "nuggets": [{"text": "x", "importance": "vital", "assignment": "not_support"}]}
    path = tmp_path / "a.jl"
    path.write_text(json.dumps(nothing))
    judged = rs.load(path, path)
    assert rs.evaluate(judged, "NuggetRecall").value.tolist() == [[[0.0]]]
    assert judged.retrieved.tolist() == [[1]]  # the answer is there: the topic is not missing


def test_an_unknown_choice_of_nuggets():
    with pytest.raises(rs.InputError, match="nuggets is one of vital, all, weighted"):
        rs.measure('NuggetRecall(nuggets="some")').score([4], [4])


def test_the_four_scores_of_nuggetizer(tmp_path):
    """Worked by hand with its formulas: vital or all nuggets, partial support for 0 or a half, 0 without vital."""
    found = [("vital", "support"), ("vital", "partial_support"), ("okay", "partial_support"), ("okay", "not_support")]
    topics = {"1": found, "2": found[2:]}
    lines = [{"qid": qid, "run_id": "a", "nuggets": [
        {"text": f"fact {n}", "importance": kind, "assignment": support} for n, (kind, support) in enumerate(nuggets)
    ]} for qid, nuggets in topics.items()]  # fmt: skip
    path = tmp_path / "a.jl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    judged = rs.load(path, path)
    expected = {("vital", True): [1 / 2, 0], ("all", True): [1 / 4, 0], ("vital", False): [1.5 / 2, 0],
                ("all", False): [2 / 4, 0.5 / 2], ("weighted", False): [1.75 / 3, 0.5 / 2]}  # fmt: skip
    for key, scores in expected.items():
        assert rs.evaluate(judged, NAMES[key]).of(NAMES[key]).ravel().tolist() == pytest.approx(scores), key
