"""rankscope simulate, as a user meets it."""

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from rankscope import evaluate, load
from rankscope.cli import main
from rankscope.simulation import Model, embedded, truth

FEW = ["--n-truth-topics", "200"]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(capsys: pytest.CaptureFixture[str], *words: Any) -> str:
    assert main(["simulate", *map(str, words)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_without_options_it_is_the_shipped_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "-o", str(tmp_path / "new"), *FEW]) == 0
    qrels, runs = embedded()
    assert gzip.decompress((tmp_path / "new/qrels.gz").read_bytes()) == gzip.decompress(qrels.read_bytes())
    assert sorted(path.name for path in (tmp_path / "new/runs").iterdir()) == [path.name for path in runs]
    for path in runs:
        written = (tmp_path / "new/runs" / path.name).read_bytes()
        assert gzip.decompress(written) == gzip.decompress(path.read_bytes())
    out, err = capsys.readouterr()
    assert out == str(truth(Model(), n_topics=200)) + "\n"
    assert "Wrote 13 files" in err


OPTIONS = [
    *FEW, "--n-topics", "12", "--barren", "0", "--seed", "7", "--families", "a=1,0.5", "b=1.5", "--pool", "80",
    "--depth", "30", "--judged", "10", "b=0", "--decimals", "2", "a-2=0", "--own", "a=0.4", "--odd", "0.5", "--on-odd",
    "b=0.1", "--grades", "3", "1", "--overrate", "0.02", "--underrate", "0.1", "--relevant", "0.1",
    "--relevant-spread", "0.3", "--difficulty", "0.2", "--shared", "0.6", "-m", "AP", "P@5",
]  # fmt: skip
ASKED = Model(
    families={"a": [1.0, 0.5], "b": [1.5]}, pool=80, depth=30, judged={"*": 10, "b": 0}, decimals={"*": 2, "a-2": 0},
    own={"a": 0.4}, odd=0.5, on_odd={"b": 0.1}, grades=(3, 1), overrate=0.02, underrate=0.1, relevant=0.1,
    relevant_spread=0.3, difficulty=0.2, shared=0.6,
)  # fmt: skip


def test_every_option_reaches_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "-o", str(tmp_path), *OPTIONS, "--json"]) == 0
    true = truth(ASKED, ["AP", "P@5"], n_topics=200, seed=7)
    assert {k: v for k, v in json.loads(capsys.readouterr().out).items() if k != "rankscope"} == true.to_dict()

    known = json.loads((tmp_path / "truth.json").read_text())
    assert known["truth"] == true.to_dict()
    assert known["systems"] == [system._asdict() for system in ASKED.systems]
    assert set(known["model"]) == set(Model.__dataclass_fields__)
    with (tmp_path / "truth-differences.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert [float(row["difference"]) for row in rows] == true.columns()["difference"]
    with (tmp_path / "truth-means.csv").open() as lines:
        assert [float(row["judged_mean"]) for row in csv.DictReader(lines)] == true.means()["judged_mean"]

    page = (tmp_path / "README.txt").read_text()
    assert "simulated" in page
    assert "--families a=1,0.5 b=1.5" in page
    assert "--n-truth-topics 200" in page
    assert "odd-topics.txt" in page
    judged = load(tmp_path / "qrels.gz", tmp_path / "runs")
    assert judged.systems == ("a-1", "a-2", "b-1")
    assert set((tmp_path / "odd-topics.txt").read_text().split()) < set(judged.topics)
    assert evaluate(judged, "AP").value.shape == (1, 3, 12)


def test_the_page_tells_a_command_that_gives_the_same_bytes(tmp_path: Path) -> None:
    assert main(["simulate", "-o", str(tmp_path / "one"), *OPTIONS]) == 0
    page = (tmp_path / "one/README.txt").read_text()
    (command,) = (line.split(maxsplit=1)[1] for line in page.splitlines() if line.startswith("command"))
    words = command.split()
    assert words[:4] == ["rankscope", "simulate", "-o", "DIR"]
    assert main(["simulate", "-o", str(tmp_path / "two"), *words[4:], "--workers", "3"]) == 0
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_another_seed_gives_other_bytes(tmp_path: Path) -> None:
    for seed in "12":
        assert main(["simulate", "-o", str(tmp_path / seed), "--n-topics", "3", "--seed", seed, *FEW]) == 0
    one, two = files(tmp_path / "1"), files(tmp_path / "2")
    assert one.keys() == two.keys()
    assert all(one[name] != two[name] for name in one)


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("x")
    assert "is not empty" in refused(capsys, "-o", tmp_path, *FEW)
    assert files(tmp_path) == {"mine": b"x"}
    assert main(["simulate", "-o", str(tmp_path), "--n-topics", "2", "--force", *FEW]) == 0
    assert files(tmp_path)["mine"] == b"x"
    capsys.readouterr()
    # runs of the first collection would be taken for runs of the second
    told = refused(capsys, "-o", tmp_path, "--families", "lexical=1", "--force", *FEW)
    assert "dense-1.gz: is no run of this collection" in told
    assert main(["simulate", "-o", str(tmp_path), "--n-topics", "3", "--force", *FEW]) == 0


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("x")
    told = refused(
        capsys, "-o", tmp_path, "--n-topics", 0, "--seed", -1, "--depth", 400, "--families", "a=x", "b=1", "c d=2",
        "b=3", "--judged", "q=3", "z", "1", "2", "-m", "nope", "--n-truth-topics", 1, "--workers", 0,
    ).splitlines()  # fmt: skip
    assert told[1:-1] == [
        "--families a=x", "--families b=3: b was given before", "--judged z", "--judged 2: N was given before",
        "family 'c d'", "--depth 400", "judged: no system or family is named 'q'",
        "--n-topics 0", "--seed -1", "no measure is named 'nope'", "truth from 1 topics", "--workers 0",
        f"{tmp_path}: is not empty",
    ]  # fmt: skip
    assert told[-1].startswith("13 problems; ")
    assert files(tmp_path) == {"mine": b"x"}


def test_a_place_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    assert "is a file" in refused(capsys, "-o", tmp_path / "file", *FEW)
    assert "file/below: cannot be written (not a directory)" in refused(capsys, "-o", tmp_path / "file" / "below", *FEW)


def test_a_run_that_failed_or_was_stopped_can_be_repeated(tmp_path, capsys, monkeypatch):
    """Nothing else that is not empty can: nobody knows whose the files are."""
    words = ["simulate", "-o", str(tmp_path / "new"), *FEW]
    real = os.fsync
    count = 0

    def full(number):
        nonlocal count
        count += 1
        if count > 4:
            raise OSError(28, "No space left on device")
        real(number)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert main(words) == 2
    assert "no space left on device" in capsys.readouterr().err
    assert files(tmp_path / "new")
    assert main(words) == 0
    assert "unfinished.txt" not in files(tmp_path / "new")
    assert main(words) == 2
    assert "is not empty" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_links_and_pipes_in_the_folder_are_replaced(tmp_path, capsys):
    (tmp_path / "new").mkdir()
    os.mkfifo(tmp_path / "new/truth.json")
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "new/qrels.gz").symlink_to("../precious")
    assert main(["simulate", "-o", str(tmp_path / "new"), *FEW, "--force"]) == 0
    assert (tmp_path / "precious").read_text() == "mine"
    assert json.loads((tmp_path / "new/truth.json").read_text())["seed"] == 1
