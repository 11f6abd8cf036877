"""`rankscope metrics` on the embedded collection."""

import csv
import gzip
import json
import os
import sys
from io import StringIO

import pytest

from rankscope.cli import _parser, main
from rankscope.cli import metrics as command
from rankscope.outputs import write_whole
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.studies import columns, scorecard
from rankscope.studies.metrics import MEASURES, METHODS

QUICK = ["--resamples", "50", "--splits", "20", "--workers", "1"]


@pytest.fixture(scope="module")
def files():
    qrels, runs = embedded()
    return [str(qrels), *map(str, runs)]


def test_metrics_as_text(files, capsys):
    assert main(["metrics", *files, "-m", "AP", "RR", "--methods", "sgnLP", *QUICK]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].startswith("Caution: 8 systems are few")  # before the answer, which is to be read with it
    assert "no other measure here did at least as well in every column" in " ".join(lines[1:3])
    (head,) = (at for at, line in enumerate(lines) if line.startswith("measure "))
    assert lines[head].split() == ["measure", "power", "consistency", "tied", "ipso", "prefers"]
    assert [line.split()[0] for line in lines[head + 1 : head + 4]] == ["AP", "RR", "sgnLP"]
    assert "Caution: 8 systems are few" in out
    assert "formats: judgments TREC text" in err
    assert main(["metrics", *files, "-m", "AP", "RR", "--methods", "sgnLP", "--full", *QUICK]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == lines[0]
    assert {line for line in out.splitlines() if line.endswith("?")} == {*scorecard._READ}
    assert "1 of 50 topics left out" in out


def test_defaults_are_those_of_the_call():
    args = _parser("metrics").parse_args(["metrics", "qrels", "run"])
    assert tuple(command.DEFAULT) == MEASURES
    assert tuple(args.methods) == METHODS
    assert tuple(args.studies) == columns.QUICK
    assert {*command.STUDIES, *command.FURTHER_STUDIES} == {*columns.PARTS}
    counts = {"power": args.resamples, "ties": args.resamples, "consistency": args.splits,
              "incompleteness": args.samples}  # fmt: skip
    assert {part: Resampling(count, args.seed) for part, count in counts.items()} == columns.DRAWS


def test_metrics_in_other_shapes(files, capsys, tmp_path):
    few = ["metrics", *files, "-m", "AP", "RR", "--methods", "--studies", "power", "ties", *QUICK]
    assert main([*few, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["candidate"] for row in found["scorecard"]] == ["AP", "RR"]
    assert list(found["settings"]["columns"]) == ["power", "ties"]
    assert main([*few, "--csv"]) == 0
    rows = list(csv.DictReader(StringIO(capsys.readouterr().out)))
    assert float(rows[1]["tied"]) == pytest.approx(found["scorecard"][1]["tied"])
    assert main([*few, "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("| candidate | power | tied |")
    assert main([*few, "--latex", "-o", str(tmp_path / "card.tex")]) == 0
    assert r"\toprule" in (tmp_path / "card.tex").read_text()
    assert capsys.readouterr().out == ""


def test_studies_without_a_column_are_shown_below(files, capsys):
    few = ["metrics", *files, "-m", "AP", "RR", "--methods", "--studies", "power", "similarity", "locality", *QUICK]
    assert main(few) == 0
    assert "alike" not in capsys.readouterr().out  # the answer alone
    assert main([*few, "--full"]) == 0
    out = capsys.readouterr().out
    assert "rank systems the most alike" in out
    assert "With the first relevant document masked" in out
    assert main([*few, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["similarity"]["tables"]["similarity"][0]["first"] == "AP"
    assert found["scorecard"][0]["candidate"] == "AP"


def test_metrics_with_incompleteness_and_checkpoints(files, capsys, tmp_path):
    few = [
        "metrics",
        *files,
        "-m",
        "AP",
        "RR",
        "--methods",
        "--studies",
        "incompleteness",
        "--samples",
        "1",
        *QUICK,
        "--csv",
    ]
    assert main([*few, "--checkpoint", str(tmp_path / "kept")]) == 0
    first = capsys.readouterr().out
    assert main([*few, "--checkpoint", str(tmp_path / "kept")]) == 0
    assert capsys.readouterr().out == first
    assert main([*few, "--checkpoint", str(tmp_path / "kept"), "--seed", "1"]) == 2
    assert "another study's checkpoint: seed of incompleteness is 42 there, 1 here" in capsys.readouterr().err


def test_metrics_stopped(files, capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["rankscope.studies.columns"], "ties", stop)
    assert main(["metrics", *files, "-m", "AP", "RR", "--methods", "--studies", "power", "ties", *QUICK]) == 130
    out, err = capsys.readouterr()
    assert "\nmeasure  power\n" in out
    assert "Caution: stopped before ties was done." in out
    assert "scorecard stopped before ties was done" in err


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--studies", "powr"], "studies: 'powr' is unknown; did you mean power?"),
        (["-m", "nDCGG@10"], "no measure is named 'nDCGG'"),
        (["--methods", "ipsso"], "methods: 'ipsso' is unknown; did you mean ipso?"),
        (["--alpha", "2"], "alpha is between 0 and 1"),
        (["--splits", "0"], "splits is a whole number from 1"),
        (["--depth", "0"], "depth is a whole number from 1"),
        (["--samples", "0"], "samples is a whole number from 1"),
        (
            ["--alpha", "2", "--samples", "0", "--resamples", "0"],
            "3 problems; --resamples is a whole number from 1 to",
        ),
    ],
)
def test_metrics_bad_input(files, capsys, extra, said):
    assert main(["metrics", *files, *QUICK, *extra]) == 2
    assert said in capsys.readouterr().err


def test_metrics_too_few_topics(files, capsys, tmp_path):
    # three topics, of judgments alone
    with gzip.open(files[0], "rt") as file:
        lines = list(file)
    topics = list(dict.fromkeys(line.split()[0] for line in lines))[:3]
    (tmp_path / "qrels").write_text("".join(line for line in lines if line.split()[0] in topics))
    assert main(["metrics", str(tmp_path / "qrels"), *files[1:], *QUICK]) == 0
    assert "consistency: none here: 3 topics: too few to split (give at least 4" in capsys.readouterr().out
    assert main(["metrics", str(tmp_path / "qrels"), *files[1:], *QUICK, "--studies", "consistency"]) == 2
    assert "too few to split" in capsys.readouterr().err
    assert main(["reproduce", "cwla", str(tmp_path / "qrels"), *files[1:], "-o", str(tmp_path / "out"), *QUICK]) == 2
    assert "this study needs at least 4" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_studies_say_which_grades_are_relevant(files, capsys):
    call = ["metrics", *files, "-m", "AP", "nDCG@10", "--studies", "power", "ties", "similarity", "--resamples", "20"]
    assert main(call) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "8 systems, 49 topics; relevant: grade 1 or more." in out
    assert main([*call, "--rel", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["relevant_from"] == 2


def test_scales_name_the_metric_that_was_computed(files, capsys):
    studies = ["--methods", "--studies", "scales", "--depth", "5"]
    assert main(["metrics", *files, "-m", "AP", "RR", *studies, "--json"]) == 0
    assert [row["candidate"] for row in json.loads(capsys.readouterr().out)["scorecard"]] == ["AP@5", "RR@5"]


SMALL = ["-m", "AP", "RR", "--methods", "--resamples", "20", "--splits", "10", "--samples", "1", "--workers", "1"]


@pytest.mark.parametrize("part", columns.PARTS)
def test_a_checkpoint_that_cannot_be_written_is_an_error(part, files, capsys, tmp_path, monkeypatch):
    """Of the whole command, with the path: a column is not left out because a disk is full."""

    def full(path, content, **more):
        if path.parent.name == part:
            raise OSError(28, "No space left on device")
        write_whole(path, content, **more)

    monkeypatch.setattr("rankscope.outputs.write_whole", full)
    others = [other for other in ("ties", "power") if other != part][:1]
    kept = tmp_path / "kept"
    code = main(["metrics", *files, *SMALL, "--studies", *others, part, "--checkpoint", str(kept)])
    out, err = capsys.readouterr()
    if not any(kept.glob(f"{part}*")):  # it keeps nothing there
        assert code == 0
        assert part in ("scale", "properties", "preference"), part
        return
    assert (code, out) == (2, ""), err
    assert f"{kept}/{part}" in err
    assert "cannot be written (no space left on device)" in err
    assert "make room there, or name another folder" in err


def test_a_folder_of_something_else_is_an_error(files, capsys, tmp_path):
    """Also where it is the folder of one study only."""
    (tmp_path / "kept/power").mkdir(parents=True)
    (tmp_path / "kept/power/letter.txt").write_text("mine")
    words = ["metrics", *files, *SMALL, "--studies", "ties", "power", "--checkpoint", str(tmp_path / "kept")]
    assert main(words) == 2
    assert f"{tmp_path}/kept/power: holds 1 file and no study" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_among_checkpoints_are_replaced(files, capsys, tmp_path):
    words = ["metrics", *files, *SMALL, "--studies", "power", "--checkpoint", str(tmp_path / "kept")]
    assert main(words) == 0
    expected = capsys.readouterr().out
    units = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert len(units) == 4
    for path in units:
        path.unlink()
        os.mkfifo(path)
    assert main(words) == 0
    assert capsys.readouterr().out == expected
    assert all(path.is_file() for path in units)
