"""`rankscope evaluate`: streamed runs, a bar, measures with a user model, and a file that is read back."""

import json
import subprocess
import sys
from io import StringIO

import numpy as np
import pytest
from commands import command
from latex import compiles, rows_of
from snapshots import check_short, check_snapshot

import rankscope as rs
from rankscope.cli import main
from rankscope.io.score_tables import read_scores


def test_streamed_or_not(tmp_path, capsys):
    (tmp_path / "qrels").write_text("7 0 a 1\n8 0 b 1\n")
    (tmp_path / "run").write_text("7 Q0 a 1 1 x\n5 Q0 a 1 1 x\n8 Q0 a 1 1 x\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run"), "-q", "-m", "AP", "RR"]
    outputs = []
    for more in ([], ["--memory", "8GiB"]):
        assert main(["evaluate", *files, *more]) == 0
        outputs.append(capsys.readouterr())
    assert outputs[0].out == outputs[1].out
    assert sorted(outputs[0].err.splitlines()) == sorted(outputs[1].err.splitlines())
    assert main(["evaluate", *files, "--memory", "much"]) == 2
    assert "--memory much is no size" in capsys.readouterr().err
    assert main(["evaluate", *files, "--memory", "8GiB", "--bounds"]) == 2
    assert "leave out --memory or --bounds" in capsys.readouterr().err


def test_a_bar_while_streaming(tmp_path, capsys, monkeypatch):
    class Screen(StringIO):
        def isatty(self):
            return True

    (tmp_path / "qrels").write_text("7 0 a 1\n")
    (tmp_path / "run").write_text("7 Q0 a 1 1 x\n")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Screen())
    assert main(["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "--memory", "8GiB"]) == 0
    assert "run: 13B of 13B done" in sys.stderr.getvalue()


def test_a_user_model_and_its_aggregation(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n")
    command = [sys.executable, "-m", "rankscope"]
    asked = [*command, "evaluate", "qrels", "run", "-m", "RBP_PE", "--json"]
    shown = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "0.48" in shown  # half of 0.8 for the peak, which those see who come to rank 2, and of 0.16 for the end
    refused = subprocess.run([*asked[:-2], "RBP_ERR"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "is the same for every list" in refused.stderr
    asked = [*command, "explain", 'CWLA(model="INST(T=1)",agg="PE(beta=0.25)")', "--full"]
    shown = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    for words in (
        "Wants gain T",
        "beta parts of the best",
        "documents without gain follow for ever",
        "Azzopardi (2022)",
    ):
        assert words in shown


def test_own_csv_is_read_back(tmp_path):
    qrels, runs = rs.simulation.embedded()
    out = tmp_path / "scores.csv"
    assert main(["evaluate", str(qrels), *map(str, runs), "-m", "AP", "-q", "--csv", "-o", str(out)]) == 0
    table = read_scores(out)
    with pytest.warns(rs.DataWarning):
        scores = rs.evaluate(rs.load(qrels, runs), "AP")
    np.testing.assert_equal(table.value, scores.of("AP"))


@pytest.mark.parametrize("name", ["1\n2", "1\t2", "1 2", "", "1\r"])
def test_trec_text_of_ids_that_would_not_be_read_back(name, tmp_path):
    """By the rule of convert: a line that a topic ends before its time would be read as another number."""
    (tmp_path / "qrels.json").write_text(json.dumps({name: {"d1": 1}, "7": {"d1": 1}}))
    (tmp_path / "run.json").write_text(json.dumps({name: {"d1": 2.5}, "7": {"d1": 2.5}}))
    run = command("evaluate")
    done = run("qrels.json", "run.json", "-m", "AP", "--trec", "-q", cwd=tmp_path)
    assert done.returncode == 2
    assert f"id {name!r} cannot be written as plain text" in done.stderr
    assert "--csv and --json can hold them" in done.stderr
    assert command("convert")("run.json", "out.txt", cwd=tmp_path).returncode == 2
    assert run("qrels.json", "run.json", "-m", "AP", "--trec", cwd=tmp_path).returncode == 0  # means name no topic
    (tmp_path / "run.json").rename(tmp_path / "a b.json")
    assert "runid                 \tall\ta b\n" in run("qrels.json", "a b.json", "--trec", cwd=tmp_path).stdout
    if sys.platform != "win32":
        (tmp_path / "a b.json").rename(tmp_path / "a\nb.json")
        assert run("qrels.json", "a\nb.json", "--trec", cwd=tmp_path).returncode == 2


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
@pytest.mark.parametrize("width", [80, 120])
def test_snapshot(width, capsys, monkeypatch):
    """What people read, on the embedded collection."""
    qrels, runs = rs.simulation.embedded()
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["evaluate", str(qrels), *map(str, runs)]) == 0
    out = capsys.readouterr().out
    check_short(out, width=width, verdict="AP(rel=1)")
    check_snapshot(f"evaluate-{width}", out)
    assert main(["evaluate", str(qrels), *map(str, runs), "--explain"]) == 0
    check_snapshot(f"evaluate-explain-{width}", capsys.readouterr().out)


@pytest.mark.parametrize("width", [80, 120])
def test_the_answer_on_real_data(data, width, capsys, monkeypatch):
    """The best of many systems; heads say where the threshold is not that of the track, and a line offers it."""
    monkeypatch.setenv("COLUMNS", str(width))
    call = ["evaluate", str(data / "dl19-passage" / "qrels.gz"), str(data / "dl19-passage" / "runs")]
    assert main(call) == 0
    out = capsys.readouterr().out
    check_short(out, width=width, verdict="P(rel=1)@10")
    words = " ".join(out.split())
    assert "Measures with rel=1 count documents from grade 1 as relevant" in words
    assert "TREC Deep Learning passages count from grade 2: use --rel 2." in words
    assert "37 systems, the 15 best by AP(rel=1) are shown" in words
    assert main([*call, "--full"]) == 0
    assert len([line for line in capsys.readouterr().out.splitlines() if "  0." in line]) == 37
    assert main([*call, "--rel", "2"]) == 0
    out = capsys.readouterr().out
    assert "P(rel=2)@10" in out
    assert "passages count" not in out


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_tables_for_papers_and_pages(capsys, tmp_path):
    qrels, runs = rs.simulation.embedded()
    call = ["evaluate", str(qrels), *map(str, runs), "-m", "AP", "nDCG@10", "NumRet"]
    assert main([*call, "--latex", "--decimals", "2", "--label", "tab:means"]) == 0
    table = capsys.readouterr().out
    rows = rows_of(table)
    assert len(rows) == 9
    assert [row[0] for row in rows if "textbf" in row[1]] == ["hybrid-2"]
    assert not any("textbf" in row[3] for row in rows)  # counts have no best
    assert r"\label{tab:means}" in table
    assert table.count("% ") >= 3
    assert compiles(table, tmp_path) is not False
    scores = rs.evaluate(rs.load(qrels, runs), ["AP", "nDCG@10", "NumRet"])
    assert scores.to_latex(decimals=2, label="tab:means") == table.rstrip("\n")
    assert main([*call, "--markdown"]) == 0
    assert "| hybrid-2 | **0.5936** | **0.6385** | 5000 |" in capsys.readouterr().out
    assert main([*call, "--markdown", "-q"]) == 0
    assert "| dense-1 | 101 |" in capsys.readouterr().out
    assert main([*call, "--latex", "-q"]) == 2
    assert "a LaTeX table has means alone" in capsys.readouterr().err
