"""`rankscope report` from the command line, on the embedded collection."""

import os
import re
from pathlib import Path

import pytest

from rankscope.cli import _parser, main
from rankscope.cli import report as command
from rankscope.reporting import assembling, building
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.studies import metrics

QUICK = ["--resamples", "50", "--workers", "1"]


@pytest.fixture(scope="module")
def files():
    qrels, runs = embedded()
    return [str(qrels), *map(str, runs)]


@pytest.fixture
def unread(monkeypatch):
    """Fails the test if any file is read: what is wrong must be said before."""

    def read(*_, **__):
        raise AssertionError("files were read")

    monkeypatch.setattr("rankscope.reporting.building.load", read)


def test_defaults_are_those_of_the_call():
    args = _parser("report").parse_args(["report", "qrels", "run"])
    assert tuple(command.DEFAULT) == building.MEASURES
    assert Resampling(args.resamples, args.seed) == Resampling()


def test_a_page(files, capsys, tmp_path):
    path = tmp_path / "page.html"
    assert (
        main(["report", *files, "-o", str(path), "-m", "AP", "P@5", "--title", "My <title>", "--depth", "20", *QUICK])
        == 0
    )
    out, err = capsys.readouterr()
    assert out == f"{path}: {path.stat().st_size / 1e6:.1f} MB\n"
    assert "note: The explorer" not in err  # lists are looked at to depth 20, and the page holds all of it
    assert err.count("without relevant documents") == 1
    html = path.read_text(encoding="utf-8")
    assert "<title>My &lt;title&gt;</title>" in html
    assert re.search(r'<h1 id="title"><bdi>[\w-]+ leads on AP(\([^()]*\))?;', html)


def test_a_page_for_a_comparison_with_studies(files, tmp_path, capsys):
    import warnings

    import rankscope as rs
    from rankscope.statistics import Resampling

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = rs.load(files[0], files[1:])
        metrics(judged, measures=["AP"], methods=["sgnLP"], studies=["power"], resampling=Resampling(50),
                  checkpoints=tmp_path / "kept", workers=1)  # fmt: skip
    path = tmp_path / "page.html"
    about = ["--for", "compare", "lexical-1", "hybrid-2", "--study", str(tmp_path / "kept")]
    assert main(["report", *files, "-o", str(path), *about, "--gains", "1=0.5,2=1,3=1", *QUICK]) == 0
    html = path.read_text(encoding="utf-8")
    assert "lexical-1 against hybrid-2" in html
    assert "worst for A, best for B" in html  # ties were tried both ways
    assert "Studies of metrics" in html
    assert '"name":"sums of gain (0 -> 0, 1 -> 0.5, 2 -> 1, 3 -> 1)"' in html  # the first order of the explorer


@pytest.mark.parametrize(
    "settings",
    [
        ["-m", "AP", "RR", "P@10", "--studies", "power", "agreement", "--depth", "2"],
        [
            "-m",
            "AP",
            "nDCG@10",
            "--studies",
            "ties",
            "consistency",
            "--alpha",
            "0.3",
            "--seed",
            "7",
            "--resamples",
            "40",
        ],
    ],
)
def test_a_page_shows_the_scorecard_that_was_printed(files, tmp_path, capsys, settings):
    folder, path = tmp_path / "kept", tmp_path / "page.html"
    few = ["--splits", "20", "--workers", "1", "--methods", "sgnLP", "--checkpoint", str(folder)]
    assert main(["metrics", *files, "--resamples", "50", *settings, *few, "--markdown"]) == 0
    head, _, *rows = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert main(["report", *files, "-o", str(path), "-m", "AP", "--study", str(folder), *QUICK]) == 0
    html = path.read_text(encoding="utf-8")
    table = html[html.index("Studies of metrics") :]
    for row in rows[:3]:
        cells = row.replace("\\", "").strip("| ").split(" | ")
        assert len(cells) == len(head.strip("| ").split(" | "))
        cell = r"(</bdi>)?</t[dh]>\s*<t[dh][^>]*>(<bdi>)?"
        assert re.search(cell.join(map(re.escape, cells)), table), row


def test_an_existing_file_stays(files, tmp_path, capsys, unread):
    path = tmp_path / "page.html"
    path.write_text("mine")
    assert main(["report", *files, "-o", str(path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert path.read_text() == "mine"


def test_force_writes_over_it(files, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("mine")
    assert main(["report", *files, "-o", str(path), "--force", "-m", "AP", *QUICK]) == 0
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("output", "cause"),
    [("{}", "is a folder"), ("{}/no/such/page.html", "cannot be written (no such file or directory)")],
)
def test_a_path_that_cannot_be_written(files, output, cause, tmp_path, capsys, unread):
    assert main(["report", *files, "-o", output.format(tmp_path)]) == 2
    assert cause in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_no_permission(files, tmp_path, capsys, unread, monkeypatch):
    locked = tmp_path / "locked"
    locked.mkdir()
    if os.name == "posix" and os.geteuid() != 0:
        locked.chmod(0o500)
    else:  # who may do anything is told no by the file system itself
        real = Path.open

        def refused(self, *args, **kwargs):
            if self.parent == locked:
                raise PermissionError(13, "Permission denied")
            return real(self, *args, **kwargs)

        monkeypatch.setattr(Path, "open", refused)
    assert main(["report", *files, "-o", str(locked / "page.html")]) == 2
    assert "cannot be written (permission denied)" in capsys.readouterr().err


@pytest.mark.parametrize(("module", "name"), [("jinja2", "jinja2"), ("vl_convert", "vl-convert-python")])
def test_a_missing_extra(files, tmp_path, capsys, unread, monkeypatch, module, name):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda one, *rest: None if one == module else real(one, *rest))
    assert main(["report", *files, "-o", str(tmp_path / "page.html")]) == 2
    err = capsys.readouterr().err
    assert name in err
    assert assembling.EXTRA in err
    assert "pip install 'rankscope[report]'" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--for", "rank", "a", "b"], "--for compare A B"),
        (["--for", "compare", "a", "a"], "the same system"),
        (["--depth", "0"], "depth is a whole number from 1"),
        (["--gains", "1=x"], "as in 1=0.5,2=1"),
        (["--alpha", "2"], "alpha is between 0 and 1"),
        (["--study", "no-such-folder"], "is no folder"),
        (["-m", "nDGC@10"], "nDGC"),
    ],
)
def test_wrong_options_are_refused_before_any_work(files, tmp_path, capsys, unread, options, said):
    assert main(["report", *files, "-o", str(tmp_path / "page.html"), *options]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_unknown_systems(files, tmp_path, capsys):
    assert main(["report", *files, "-o", str(tmp_path / "p.html"), "--for", "compare", "hybrid-1", "hybird-2"]) == 2
    assert "did you mean hybrid-2" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
