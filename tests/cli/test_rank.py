"""`rankscope rank`: every shape of its output, levels, and what is refused."""

import json

import pytest
from latex import rows_of
from marks import slow
from snapshots import check_short, check_snapshot

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
        assert "Holm over 7 tests" in out


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


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["rank", "rank-baseline", "rank-full"])
def test_snapshot(name, width, capsys, monkeypatch):
    """What people read, on the embedded collection."""
    qrels, runs = rs.simulation.embedded()
    monkeypatch.setenv("COLUMNS", str(width))
    more = {
        "rank-baseline": ["--baseline", "lexical-3"],
        "rank-full": ["--full", "--baseline", "lexical-3", "-m", "AP"],
    }
    assert main(["rank", str(qrels), *map(str, runs), "-m", "nDCG@10", *more.get(name, [])]) == 0
    out = capsys.readouterr().out
    if name != "rank-full":
        check_short(out, width=width, verdict="hybrid-2 leads" if name == "rank" else "better than lexical-3")
    check_snapshot(f"{name}-{width}", out)


@pytest.mark.parametrize("width", [80, *slow(120)])
def test_the_answer_on_real_data(data, width, capsys, monkeypatch):
    folder = data / "dl19-passage"
    monkeypatch.setenv("COLUMNS", str(width))
    call = ["rank", str(folder / "qrels.gz"), str(folder / "runs")]
    assert main(call) == 0
    check_short(capsys.readouterr().out, width=width, verdict="cannot be ruled out as best (43 topics, all 666 pairs")
    assert main([*call, "-m", "nDCG@10", "AP", "--baseline", "bm25base_p"]) == 0
    out = capsys.readouterr().out
    check_short(out, width=width, verdict="better than bm25base_p")
    assert "p corrects for 36 comparisons" in out


def test_a_table_of_several_measures_in_one_call(capsys):
    qrels, runs = rs.simulation.embedded()
    call = ["rank", str(qrels), *map(str, runs), "-m", "nDCG@10", "AP", "RR", "--baseline", "lexical-3"]
    assert main([*call, "--latex", "--decimals", "3", "--latex-columns", "system", "RR", "AP"]) == 0
    out = capsys.readouterr().out
    assert rows_of(out)[0][0] == "system"
    assert "Holm over 7 tests per measure" in out
    assert main([*call, "--decimals", "3"]) == 2
    assert "--decimals without --latex" in capsys.readouterr().err


def test_two_systems_say_how_the_pair_test_differs(capsys):
    qrels, runs = rs.simulation.embedded()
    assert main(["rank", str(qrels), *map(str, runs[:2])]) == 0
    assert "There is one pair, so nothing is corrected." in capsys.readouterr().out
    assert main(["rank", str(qrels), *map(str, runs), "--full"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "correct for all 28 pairs. A pair that was planned before the scores were seen needs no correction" in shown


def test_intervals_beyond_the_range_of_the_measure(capsys, tmp_path):
    qrels, runs = tmp_path / "qrels", [tmp_path / name for name in ("a", "b", "c")]
    qrels.write_text("".join(f"{t} 0 d 1\n" for t in range(6)))
    for r, run in enumerate(runs):
        run.write_text("".join(f"{t} Q0 {'x' if t == r else 'd'} 1 1 s\n" for t in range(6)))
    assert main(["rank", str(qrels), *map(str, runs), "-m", "P@1"]) == 0
    assert "3 intervals reach beyond the range of P@1, 0 to 1" in " ".join(capsys.readouterr().out.split())
