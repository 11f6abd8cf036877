"""The command line, as a user meets it: real files, and processes of their own where that matters."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import commands
import pytest

import rankscope as rs
from rankscope.cli import main

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n3 0 a 0\n"
RUN = "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 1 x\n3 Q0 a 1 1 x\n"


def process(*args, cwd=None, **env):
    """A command in a process of its own."""
    command = [sys.executable, "-m", "rankscope", *map(str, args)]
    return subprocess.run(command, capture_output=True, cwd=cwd, env=os.environ | env, check=False)


def rankscope(name, *args, cwd="."):
    """A command in this process."""
    done = commands.command(name)(*args, cwd=cwd)
    return subprocess.CompletedProcess(args, done.returncode, done.stdout.encode(), done.stderr.encode())


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "good.run").write_text(RUN)
    (tmp_path / "bad.run").write_text(RUN.replace("a 1 2", "b 1 2"))
    return tmp_path


def told(result):
    """Standard output of a command that went well."""
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode()


def test_table(files):
    result = process("evaluate", "qrels", "good.run", "-m", "AP", "P@[1,2]", "-m", "NumRet", cwd=files)
    assert told(result).splitlines()[:2] == [
        "system      AP     P@1     P@2  NumRet",
        "good    0.5000  0.5000  0.2500       4",
    ]
    full = process("evaluate", "qrels", "good.run", "-m", "AP", "P@[1,2]", "-m", "NumRet", "--full", cwd=files)
    assert "ties:trec|missing:0|undefined:drop|rankscope:" in told(full)
    assert result.stderr.decode() == (
        "formats: judgments TREC text; runs TREC text\n"
        "note: topics without relevant documents, left out: 1 of 3 for AP, P@1, P@2\n"
    )


def test_per_topic(files):
    lines = told(rankscope("evaluate", "qrels", "good.run", "-m", "AP", "-q", cwd=files)).splitlines()
    assert lines[:4] == [
        "system  topic      AP",
        "good    1      1.0000",
        "good    2      0.0000",
        "good    3           -",
    ]


def test_json(files):
    got = json.loads(told(rankscope("evaluate", "qrels", "good.run", "-m", "AP", "-q", "--json", cwd=files)))
    assert got["means"] == [{"measure": "AP", "system": "good", "value": 0.5, "n_topics": 2}]
    assert got["scores"][2] == {"measure": "AP", "system": "good", "topic": "3", "value": None}
    assert got["measures"][0]["signature"].startswith("AP|rel:1|ties:trec")


def test_csv(files):
    rows = list(
        csv.reader(io.StringIO(told(rankscope("evaluate", "qrels", "good.run", "-m", "AP", "--csv", cwd=files))))
    )
    assert rows == [["measure", "system", "value", "n_topics"], ["AP", "good", "0.5", "2"]]
    rows = list(
        csv.reader(io.StringIO(told(rankscope("evaluate", "qrels", "good.run", "-m", "AP", "-q", "--csv", cwd=files))))
    )
    assert rows[-1] == ["AP", "good", "3", ""]


def test_trec(files):
    result = rankscope("evaluate", "qrels", "good.run", "-m", "AP", "NumRet", "P@2", "-q", "--trec",
                       "--undefined", "zero", cwd=files)  # fmt: skip
    assert told(result).splitlines() == [
        "map                   \t1\t1.0000", "num_ret               \t1\t2", "P_2                   \t1\t0.5000",
        "map                   \t2\t0.0000", "num_ret               \t2\t1", "P_2                   \t2\t0.0000",
        "map                   \t3\t0.0000", "num_ret               \t3\t1", "P_2                   \t3\t0.0000",
        "runid                 \tall\tgood", "num_q                 \tall\t3",
        "map                   \tall\t0.3333", "num_ret               \tall\t4", "P_2                   \tall\t0.1667",
    ]  # fmt: skip
    geometric = told(rankscope("evaluate", "qrels", "good.run", "-m", "AP", "--trec", "--mean", "geometric", cwd=files))
    assert "gm_map                \tall\t0.0032" in geometric


def test_output_file(files):
    result = rankscope("evaluate", "qrels", "good.run", "-m", "AP", "--csv", "-o", "out.csv", cwd=files)
    assert told(result) == ""
    assert (files / "out.csv").read_text().splitlines()[1] == "AP,good,0.5,2"
    result = rankscope("evaluate", "qrels", "good.run", "-m", "AP", "-o", "nowhere/out.csv", cwd=files)
    assert result.returncode == 2
    assert b"nowhere/out.csv: cannot be written" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["qrels", "bad.run", "-m", "AP"], "bad.run:2: document 'b' appears twice in topic '1' (first at line 1)"),
        (["qrels", "none.run", "-m", "AP"], "none.run: no such file"),
        (["good.run", "qrels", "-m", "AP"], "this looks like a run"),
        (["qrels", "qrels", "-m", "AP"], "this looks like a judgments file"),
        (["qrels", "good.run", "-m", "MAPP"], "no measure is named 'MAPP'"),
        (["qrels", "good.run", "good.run", "-m", "AP"], "2 systems are named 'good'"),
        (["qrels", "good.run", "-m", "AP", "--depth", "0"], "--depth 0"),
        (["qrels", "good.run", "-m", "AP", "--plugin", "none.py"], "none.py: no such file"),
    ],
)
def test_bad_input_ends_with_2_and_no_traceback(files, args, message):
    result = rankscope("evaluate", *args, cwd=files)
    assert result.returncode == 2
    assert result.stdout == b""
    assert message in result.stderr.decode()
    assert b"Traceback" not in result.stderr


def test_usage_errors_end_with_2():
    assert rankscope("evaluate").returncode == 2
    assert rankscope("frobnicate").returncode == 2
    assert process().returncode == 2


def test_duplicates_on_request(files):
    result = rankscope("evaluate", "qrels", "bad.run", "-m", "AP", "--duplicates", "first", cwd=files)
    assert "bad" in told(result)
    assert b"note: repeated documents, first of each kept: 1 in bad" in result.stderr


def test_a_measure_from_a_file(files):
    (files / "mine.py").write_text(
        "import rankscope as rs\n@rs.register\ndef Mine(relevant):\n    return relevant.sum(axis=-1) * 2.0\n"
    )
    assert "2.0000" in told(
        rankscope("evaluate", "qrels", "good.run", "-m", "Mine", "-q", "--plugin", "mine.py", cwd=files)
    )


def test_ids_that_are_no_utf8_survive(files):
    (files / "qrels").write_bytes(b"\xff\xfe 0 a 1\n")
    (files / "good.run").write_bytes(b"\xff\xfe Q0 a 1 1 x\n")
    result = process("evaluate", "qrels", "good.run", "-m", "AP", "-q", "--trec", cwd=files, PYTHONUTF8="1")
    assert result.returncode == 0, result.stderr
    assert b"map                   \t\xff\xfe\t1.0000\n" in result.stdout


def test_a_folder_of_compressed_runs(files):
    (files / "runs").mkdir()
    for name in ("KIS.S1.10.gz", "b.run.gz"):
        (files / "runs" / name).write_bytes(gzip.compress(RUN.encode()))
    lines = told(rankscope("evaluate", "qrels", "runs", "-m", "AP", cwd=files)).splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["system", "KIS.S1.10", "b"]


def test_version_says_which_kernels_are_in_use():
    assert "kernels: numpy (RANKSCOPE_PURE is set)" in told(process("--version", RANKSCOPE_PURE="1"))


def test_demo(tmp_path):
    text = told(rankscope("demo", "-o", str(tmp_path / "new" / "demo")))
    assert text.startswith("hybrid-2 scores higher than lexical-3 on nDCG@10: by 0.1308, p < 0.0001.\n")
    assert len(text.splitlines()) <= 24
    assert max(map(len, text.splitlines())) <= 80 + len(str(tmp_path))  # names of the folder are kept whole
    assert "keep_docs" not in told(rankscope("demo", "-o", str(tmp_path / "full"), "--full"))
    assert "rankscope compare QRELS RUN_A RUN_B" in text
    assert "hybrid-2" in (tmp_path / "new" / "demo" / "ranking.txt").read_text()


@pytest.mark.parametrize("columns", [80, 120])
def test_demo_snapshot(columns, tmp_path, monkeypatch):
    """What people read first. To renew: delete the file and run the test twice."""
    monkeypatch.setenv("COLUMNS", str(columns))
    out = told(rankscope("demo", cwd=tmp_path))
    file = Path(__file__).parent / "snapshots" / f"demo-{columns}.txt"
    if not file.exists():
        file.write_text(out)
        pytest.fail(f"{file.name} was missing and has been written: read it")
    assert out == file.read_text()


def test_a_reader_that_stops_early(files):
    lines = "".join(f"{t} Q0 a 1 1 x\n" for t in range(30_000))  # far more than a pipe holds
    (files / "good.run").write_text(lines)
    (files / "qrels").write_text("".join(f"{t} 0 a 1\n" for t in range(30_000)))
    result = subprocess.run(
        f"{sys.executable} -m rankscope evaluate qrels good.run -m AP -q | head -1",
        shell=True, capture_output=True, cwd=files, check=False,
    )  # fmt: skip
    assert b"Traceback" not in result.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")  # noqa: PTH110 a device
def test_output_that_cannot_be_written(files):
    with open("/dev/full", "w") as full:  # noqa: PTH123 a device
        command = [sys.executable, "-m", "rankscope", "evaluate", "qrels", "good.run", "-m", "AP"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=files, check=False)
    assert result.returncode == 2
    assert b"cannot write the result" in result.stderr
    assert b"Traceback" not in result.stderr


def test_a_terminal_that_knows_no_umlauts():
    assert b"J\\xe4rvelin" in process("explain", "nDCG@10", PYTHONIOENCODING="ascii").stdout


def test_a_plugin_that_fails(files):
    (files / "bad.py").write_text("1 / 0\n")
    result = rankscope("evaluate", "qrels", "good.run", "--plugin", "bad.py", cwd=files)
    assert result.returncode == 2
    assert b"bad.py: ZeroDivisionError: division by zero" in result.stderr


@pytest.mark.parametrize("call", [
    ["gate", "qrels", "good.run", "good.run", "--slices"], ["rank", "--scores"], ["ipso"], ["simulate", "-o"],
    ["convert", "good.run"], ["evaluate", "qrels", "good.run", "--plugin"],
])  # fmt: skip
def test_a_path_that_cannot_be_had_is_named(files, call):
    """What goes wrong with a file is not said of the output."""
    long = "x" * 5000
    result = rankscope(*call, long, cwd=files)
    assert result.returncode == 2
    assert f"{long}: cannot be used (file name too long)".encode() in result.stderr
    assert b"Traceback" not in result.stderr
    assert b"cannot write the result" not in result.stderr


def test_measures_may_come_before_the_files(capsys, tmp_path, monkeypatch):
    """trec_eval's order: options, then judgments and runs."""
    qrels, runs = rs.simulation.embedded()
    files = [str(qrels), *map(str, runs[:2])]
    assert main(["evaluate", *files, "-m", "AP", "RR", "--trec"]) == 0
    wanted = capsys.readouterr().out
    for line in (
        ["-m", "AP", "RR", *files, "--trec"],
        ["-m", "AP", "-m", "RR", *files, "--trec"],
        ["--trec", "--measures", "AP", "RR", *files],
        [files[0], "-m", "AP", "RR", *files[1:], "--trec"],
    ):
        assert main(["evaluate", *line]) == 0
        assert capsys.readouterr().out == wanted
    for name in ("rank", "compare", "gate"):
        assert main([name, "-m", "AP", "RR", *files]) in (0, 1)
        assert "AP" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    (tmp_path / "RR").write_text("")
    assert main(["evaluate", "-m", "AP", "RR", *files]) == 2
    assert "RR after -m is a measure and a file" in capsys.readouterr().err
    assert main(["evaluate", *files, "-m", "RR", "--trec"]) == 0  # the first value is a measure


def test_a_file_of_scores_has_one_measure_and_columns_after_it(capsys, tmp_path):
    table = tmp_path / "s.csv"
    table.write_text("topic,a,b\n" + "".join(f"{t},0.{t},0.{t + 1}\n" for t in range(1, 8)))
    assert main(["compare", "--scores", str(table), "-m", "AP", "a", "b"]) == 0
    assert "AP, mean over 7 topics" in capsys.readouterr().out


def test_the_ending_of_the_output_says_the_format(files, capsys):
    call = ["rank", *map(str, (rs.simulation.embedded()[0], *rs.simulation.embedded()[1])), "-m", "AP"]
    call += ["--resamples", "99"]
    starts = {
        "tex": "% rankscope",
        "md": "| ",
        "csv": "rank,system,",
        "json": "{",
        "txt": "hybrid-2 leads",
        "": "hybrid-2 leads",
    }
    for ending, start in starts.items():
        path = files / f"out.{ending}" if ending else files / "out"
        assert main([*call, "-o", str(path)]) == 0
        assert path.read_text().startswith(start), ending
        assert "written as text" not in capsys.readouterr().err
    assert main([*call, "-o", str(files / "out.xyz")]) == 0
    assert (files / "out.xyz").read_text().startswith("hybrid-2 leads")
    known = "(.txt, .json, .csv, .md, .markdown, .tex)"
    assert f"written as text: .xyz is no ending of a format here {known}" in capsys.readouterr().err
    for ending, more, cause in (
        ("html", [], "rank writes no HTML"),
        ("tex", ["--csv"], "--csv contradicts the ending .tex"),
        ("txt", ["--json"], "--json contradicts the ending .txt"),
    ):
        assert main([*call, *more, "-o", str(files / f"new.{ending}")]) == 2
        assert cause in capsys.readouterr().err
        assert not (files / f"new.{ending}").exists()
    pair = [str(files / name) for name in ("good.run", "bad.run")]
    assert main(["gate", str(files / "qrels"), *pair, "-o", str(files / "new.tex")]) == 2
    assert "gate writes no LaTeX" in capsys.readouterr().err
    assert main(["report", str(files / "qrels"), str(files / "good.run"), "-o", str(files / "new.md")]) == 2
    assert "a report is an HTML page" in capsys.readouterr().err


def test_no_command_writes_over_a_file_unless_told_to(files, capsys):
    qrels, good, bad = (str(files / name) for name in ("qrels", "good.run", "bad.run"))
    (files / "pairs").write_text("101 011\n")
    calls = {
        "evaluate": [qrels, good], "compare": [qrels, good, bad], "rank": [qrels, good, bad],
        "gate": [qrels, good, bad], "metrics": [qrels, good, bad], "enumerate": ["-k", "3"], "ipso": ["101", "011"],
        "validate": [qrels, good], "explain": ["AP"],
    }  # fmt: skip
    kept = files / "kept.txt"
    kept.write_text("mine")
    for command, rest in calls.items():
        assert main([command, *rest, "-o", str(kept)]) == 2, command
        assert "exists already" in capsys.readouterr().err, command
        assert kept.read_text() == "mine"
    for command in ("evaluate", "ipso", "validate", "explain", "enumerate"):
        kept.write_text("mine")
        assert main([command, *calls[command], "-o", str(kept), "--force"]) == 0, command
        assert kept.read_text() != "mine"


def test_plots(tmp_path, capsys):
    pytest.importorskip("vl_convert")
    qrels, runs = rs.simulation.embedded()
    files = [str(qrels), *map(str, runs)]
    calls = {
        "compare": files[:3], "rank": [*files, "--resamples", "99"], "ipso": ["1011", "0111"],
        "enumerate": ["-k", "4", "-m", "AP", "DCG"],
        "metrics": [*files, "-m", "AP", "nDCG@10", "--methods", "--studies", "power", "--resamples", "20"],
    }  # fmt: skip
    for command, rest in calls.items():
        path = tmp_path / f"{command}.pdf"
        assert main([command, *rest, "--plot", str(path)]) == 0, command
        assert path.read_bytes().startswith(b"%PDF"), command
        assert capsys.readouterr().out  # the result is printed as well
        assert main([command, *rest, "--plot", str(path)]) == 2
        assert "exists already" in capsys.readouterr().err
    assert main(["ipso", "1011", "0111", "--plot", str(tmp_path / "out.tex")]) == 2
    wide = tmp_path / "wide.svg"
    assert main(["ipso", "1011", "0111", "--plot", str(wide), "--plot-width", "640"]) == 0
    assert abs(float(wide.read_text().split('width="')[1].split('"')[0]) - 640) <= 2
    assert main(["ipso", "1011", "0111", "--plot-width", "640"]) == 2
    assert main(["ipso", "1011", "0111", "--plot", str(tmp_path / "no.svg"), "--plot-width", "9"]) == 2
    assert "no figure has this ending" in capsys.readouterr().err
