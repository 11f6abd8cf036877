"""rankscope enumerate, as a user meets it."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from commands import command

from rankscope import universe
from rankscope.universe.two_measures.disagreement import VARIANTS

enumerated = command("enumerate")


def told(*args, cwd="."):
    result = enumerated(*args, cwd=cwd)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def refused(*args, cwd="."):
    result = enumerated(*args, cwd=cwd)
    assert result.returncode == 2
    assert result.stdout == ""
    return result.stderr


def test_the_paper():
    text = told("--full")
    assert "522,753 pairs" in text
    assert "non-separable %" in text
    row = next(line for line in text.splitlines() if line.startswith("  AP "))
    assert row.split()[1] == "3.02"  # DCG


def test_from_a_shell():
    command = [sys.executable, "-m", "rankscope", "enumerate", "-k", "4", "-m", "AP", "DCG"]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "105 pairs" in " ".join(told.stdout.split())
    assert told.stderr == ""  # no bar where nobody watches


def test_a_pair_as_json():
    found = json.loads(told("-k", 10, "-m", "AP", "DCG", "--json"))
    pair = found["disagreement"][0]
    assert (pair["strict"], pair["any"], found["pairs"]) == (15501, 15776, 522753)
    assert pair["strict_nonseparable"] == 15501
    assert found["separability"]["depths"][0]["k"] == 10


def test_tables():
    rows = list(csv.DictReader(io.StringIO(told("-k", 4, "-m", "AP", "DCG", "RR", "--csv"))))
    assert [(row["a"], row["b"], row["any"]) for row in rows] == [
        ("AP", "DCG", "1"),
        ("AP", "RR", "41"),
        ("DCG", "RR", "41"),
    ]
    assert told("-k", 4, "-m", "AP", "DCG", "--latex").startswith(r"\begin{table}")
    assert "| % of pairs | AP | DCG |" in told("-k", 4, "-m", "AP", "DCG", "--markdown")


def test_to_a_file(tmp_path):
    assert told("-k", 4, "-m", "AP", "DCG", "-o", "out.txt", cwd=tmp_path) == ""
    assert "105 pairs" in " ".join((tmp_path / "out.txt").read_text().split())


def test_another_universe():
    found = json.loads(told("-k", 4, "--grades", 2, "-R", 2, 1, "--empty", "-m", "nDCG", "RR", "--json"))
    expected = universe.disagreement(["nDCG", "RR"], depth=4, grades=2, recall_base=[2, 1], empty=True)
    assert found["rankings"] == len(expected.universe)
    assert found["disagreement"][0]["any"] == expected.either[0, 1]
    assert "separability" not in found
    assert json.loads(told("-k", 5, "-R", 2, "-m", "AP", "RR", "--json"))["rankings"] == 15


def test_features():
    text = told("-m", "AP", "DCG", "--features", "recall", "first-rel")
    assert text.startswith("Choosing AP over DCG prefers recall (52% v 22%) over an early hit (4% v 72%).\n")
    assert told("-k", 5, "-m", "AP", "DCG", "--features").count("\nAP  DCG ") == 5


def test_extended():
    """Variants join the measures that are named; pairs of properties join the properties."""
    made = json.loads(told("-k", 3, "-m", "AP", "ERR", "--extend", "--json"))
    names = [row["measure"] for row in made["measures"]]
    assert names[:2] == ["AP", "ERR"]
    assert sorted(names[2:]) == sorted(name for name in VARIANTS if name != "ERR")
    made = json.loads(told("-k", 3, "--buckets", "--extend", "--json"))
    assert "convergent + top-weighted" in [one["property"] for one in made["properties"]]
    assert "convergent + top-weighted" not in told("-k", 3, "--buckets")


def test_buckets(tmp_path):
    assert "top-weighted" in told("-k", 4, "--buckets")
    (tmp_path / "table.json").write_text('{"mine": ["AP", "DCG"]}')
    made = json.loads(told("-k", 4, "--buckets", "--properties", "table.json", "--json", cwd=tmp_path))
    assert made["properties"][0]["measures"] == ["DCG", "AP"]


def test_separability_at_any_depth():
    assert "77.57" in told("-k", 100, "--separability", "--empty")


def test_order_freedom_and_values():
    assert "\n101      4       011 100\n" in told("-k", 3, "--order")
    assert "M(100) > M(011)  RR@3" in told("-k", 3, "--freedom", "-m", "AP", "RR")
    assert json.loads(told("-k", 3, "--values", "-m", "P", "--json"))["rows"][0]["values"] == 4
    assert told("-k", 3, "--separability", "--markdown").startswith("Pairs of rankings that IPSO leaves equal")
    assert "\n| k | equal % |" in told("-k", 3, "--separability", "--markdown")
    assert r"\begin{tabular}{lll}" in told("-k", 3, "--order", "--latex")  # rankings are text, not numbers
    assert "| --- | --- |\n" in told("-k", 3, "--freedom", "-m", "AP", "RR", "--markdown")
    assert told("-k", 3, "--values", "-m", "P", "--latex").startswith(r"\begin{table}")


def test_graded_rankings_by_thresholds_or_by_gains():
    def separable(*more):
        row = json.loads(told("-k", 3, "--grades", 2, "--separability", "--json", *more))["depths"][0]["exactly"]
        return int(row["non_inferior"]) + int(row["non_superior"])

    assert separable() == separable("--gains", "thresholds") == 548
    assert separable("--gains", "linear") == separable("--gains", "1=0.5,2=1") == 608
    assert "\nIPSO by grade thresholds.\n" in told("-k", 2, "--grades", 2, "--order")
    assert "\n20       4       11\n" in told("-k", 2, "--grades", 2, "--order", "--gains", "linear")
    assert "77 non-separable pairs by grade thresholds" in told("-k", 3, "--grades", 2, "--freedom", "-m", "AP", "RR")
    by_gains = told("-k", 3, "--grades", 2, "--freedom", "-m", "AP", "RR", "--gains", "linear")
    assert "47 non-separable pairs by sums of the gains 0, 1, 2" in by_gains


def test_graded_runs_by_thresholds_or_by_gains(tmp_path):
    """2, 0 against 1, 1: free by thresholds, and A ahead by sums of grades."""
    (tmp_path / "qrels").write_text("1 0 x 2\n1 0 y 0\n1 0 z 1\n1 0 w 1\n")
    (tmp_path / "A.run").write_text("1 Q0 x 1 3 a\n1 Q0 y 2 2 a\n")
    (tmp_path / "B.run").write_text("1 Q0 z 1 3 b\n1 Q0 w 2 2 b\n")

    def observed(*more):
        given = ("-k", 2, "--separability", "--json", *more, "--runs", "qrels", "A.run", "B.run")
        return json.loads(told(*given, cwd=tmp_path))["rows"][-1]

    assert observed()["non_separable"] == 1
    assert observed("--gains", "linear")["separable"] == 1
    assert observed("--rel", 1)["separable"] == 1
    assert observed("--rel", 2)["separable"] == 1


def test_a_feature_of_ones_own(tmp_path, request):
    request.addfinalizer(lambda: universe.FEATURES.pop("top", None))
    (tmp_path / "mine.py").write_text(
        "from rankscope.universe import register_feature\n"
        'register_feature("top", lambda level: level[:, 0], words="a good first document")\n'
    )
    text = told("-m", "AP", "DCG", "--features", "top", "--plugin", "mine.py", cwd=tmp_path)
    assert "a good first document" in text


@pytest.fixture
def runs(tmp_path):
    (tmp_path / "qrels").write_text("1 0 x 1\n1 0 y 1\n1 0 z 0\n")
    (tmp_path / "A.run").write_text("1 Q0 x 1 3 a\n1 Q0 z 2 2 a\n")
    (tmp_path / "B.run").write_text("1 Q0 z 1 3 b\n1 Q0 y 2 2 b\n1 Q0 x 3 1 b\n")
    return tmp_path


def test_runs(runs):
    text = told("-k", 3, "-m", "RR", "R", "--runs", "qrels", "A.run", "B.run", cwd=runs)
    assert "2 of 8 possible lists occur" in text
    found = json.loads(told("-k", 3, "-m", "RR", "R", "--json", "--features", "recall", "--runs", "qrels", "A.run",
                            "B.run", cwd=runs))  # fmt: skip
    assert found["disagreement"][0]["strict"] == 1
    assert found["features"][0]["b_prefers"] == 1


def test_runs_beside_chance(runs):
    found = json.loads(told("-k", 3, "--separability", "--json", "--runs", "qrels", "A.run", "B.run", cwd=runs))
    shares = {row["model"]: row["non_separable"] for row in found["rows"]}
    assert shares["fair coins"] == 2 / 64
    assert shares["observed"] == 1  # 100 and 011
    assert "no effect" in refused("--separability", "-m", "AP", "--runs", "qrels", "A.run", "B.run", cwd=runs)


def test_features_of_ones_own_that_give_no_numbers(runs, request):
    for name in ("none", "wide"):
        request.addfinalizer(lambda name=name: universe.FEATURES.pop(name, None))
    (runs / "mine.py").write_text(
        "from rankscope.universe import register_feature\n"
        'register_feature("none", lambda level: level[:, 0] / 0.0)\n'
        'register_feature("wide", lambda level: level)\n'
    )
    given = ("-k", 3, "-m", "RR", "R", "--plugin", "mine.py", "--features")
    for more in ((), ("--runs", "qrels", "A.run", "B.run")):
        with np.errstate(all="ignore"):
            assert "none has no " in refused(*given, "none", *more, cwd=runs)
        assert "feature wide gave numbers of shape" in refused(*given, "wide", *more, cwd=runs)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["-k", 64, "-m", "AP", "DCG"], "over a million years are needed"),
        (["-k", 64, "--values"], "over a million years are needed"),
        (["-k", 20, "--values", "--memory", "10M"], "0.0 GiB are there"),
        (["--memory", "nan"], "--memory nan is no size"),
        (["--memory", "0"], "--memory 0 is no size"),
        (["--memory", "-1"], "--memory -1 is no size"),
        (["--order", "--memory", 1, "--workers", 2], "--workers, --memory: no effect with --order"),
        (["--memory", 1, "--runs", "qrels", "run"], "--memory has no effect with --runs"),
        (["--separability", "-R", 3, 4], "--recall-base is a whole number from 1"),
        (["--order", "--runs", "qrels", "run"], "--order and --runs do not go together"),
        (["-k", 0], "depth is a whole number from 1 to 64"),
        (["-k", 40, "-m", "AP", "DCG"], "GiB are there"),
        (["-k", 20, "-m", "AP", "DCG", "--memory", "10M"], "0.0 GiB are there"),
        (["-m", "AP"], "nothing can disagree with it"),
        (["-m", "AP", "Nonsense"], "Nonsense"),
        (["-m", "AP", "DCG", "--features", "luck"], "features: 'luck' is unknown"),
        (["-m", "AP", "DCG", "--features", "--buckets"], "do not go together"),
        (["--properties", "x.json"], "it goes with --buckets"),
        (["--extend", "--separability"], "--extend: no effect with --separability"),
        (["--buckets", "--properties", "x.json"], "x.json: no such file"),
        (["--rel", 2], "it goes with --runs"),
        (["--gains", "linear"], "it goes with --separability, --order or --freedom"),
        (["--order", "--gains", "log"], "--gains log is unknown"),
        (["--order", "--gains", "1=x"], "as in 1=0.5,2=1"),
        (["--workers", 0], "workers is a whole number from 1"),
        (["--runs", "qrels"], "give the judgments, then"),
        (["--grades", 2, "--runs", "qrels", "run"], "have no effect with --runs"),
        (["--order", "--freedom"], "--order and --freedom do not go together"),
        (["--order", "-m", "AP", "-R", 3], "-m, -R: no effect with --order"),
        (["--separability", "--grades", 2, "-R", 1, 1], "no effect with --separability of more than two grades"),
    ],
)
def test_what_is_refused(args, text, tmp_path):
    assert text in refused(*args, cwd=tmp_path)


@pytest.mark.parametrize("content", ["[1]", "{}", '{"a": "AP"}', '{"a": [1]}', "no json"])
def test_tables_of_properties_that_are_none(content, tmp_path):
    (tmp_path / "table.json").write_text(content)
    assert "table.json: " in refused("--buckets", "--properties", "table.json", cwd=tmp_path)
