"""`rankscope rank`: every shape of its output, levels, and what is refused."""

import json

import pytest

import rankscope as rs
from rankscope.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


@pytest.mark.parametrize(("more", "level"), [([], 0.99), (["--level", "0.9"], 0.9)])
def test_intervals_have_the_level_that_alpha_leaves_unless_one_is_given(more, level, capsys):
    qrels, runs = rs.simulation.embedded()
    assert main(["rank", str(qrels), *map(str, runs), "-m", "AP", "--alpha", "0.01", *more, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["level"] == level


@pytest.mark.parametrize("shape", ["--json", "--csv", "--markdown", "--latex"])
def test_every_shape_names_every_system(shape, capsys):
    qrels, runs = rs.simulation.embedded()
    assert main(["rank", str(qrels), *map(str, runs), "-m", "AP", "RR", "--baseline", "dense-1", shape]) == 0
    out = capsys.readouterr().out
    assert all(f"lexical-{i}" in out for i in (1, 2, 3))
    if shape == "--json":
        found = json.loads(out)
        assert found["baseline"] == "dense-1"
        assert len(found["systems"]) == 8
    if shape == "--latex":
        assert r"\dagger" in out
        assert "holm over 7 comparisons" in out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "give judgments and runs, or --scores FILE"),
        (["QRELS"], "no runs"),
        (["QRELS", "RUNS", "--baseline", "bm25"], "baseline 'bm25' is no system"),
        (["QRELS", "RUNS", "--baseline", "lexical3"], "did you mean lexical-3"),
        (["QRELS", "RUNS", "--alpha", "2"], "alpha is between 0 and 1"),
        (["--scores", "SCORES", "-m", "AP", "-m", "RR"], "2 measures beside --scores"),
        (["--scores", "SCORES"], "2 topics are too few"),
        (["QRELS", "RUNS", "--transpose"], "--transpose without --scores"),
    ],
)
def test_bad_input(args, said, tmp_path, capsys):
    qrels, runs = rs.simulation.embedded()
    (tmp_path / "s.csv").write_text("topic,a,b\n1,0.5,0.3\n2,0.1,0.2\n")
    stand = {"QRELS": [str(qrels)], "RUNS": [str(run) for run in runs], "SCORES": [str(tmp_path / "s.csv")]}
    assert main(["rank", *(word for arg in args for word in stand.get(arg, [arg]))]) == 2
    assert said in capsys.readouterr().err
