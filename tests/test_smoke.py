"""What every version of every dependency must do: each format, each kind of output, once. Needs pytest alone."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.errors import quietly
from rankscope.simulation import embedded

QRELS, RUNS = embedded()
A, B = RUNS[0], RUNS[5]
ENDINGS = [".txt", ".json", ".csv", ".tsv", ".parquet", ".txt.gz", ".csv.bz2", ".json.xz", ".txt.zst"]


def scores_of(qrels: object, run: object) -> np.ndarray:
    with quietly():
        return rs.evaluate(rs.load(qrels, {"run": run}), "AP").matrix("AP")


@pytest.mark.parametrize("ending", ENDINGS)
def test_formats(ending: str, tmp_path: Path) -> None:
    if ending.endswith(".zst"):
        pytest.importorskip("zstandard")
    run, qrels, out = tmp_path / f"run{ending}", tmp_path / f"qrels{ending}", str(tmp_path / "scores.json")
    rs.io.write_run(run, rs.io.read_run(A))
    rs.io.write_qrels(qrels, rs.io.read_qrels(QRELS))
    np.testing.assert_array_equal(scores_of(qrels, run), scores_of(QRELS, A))
    in_blocks = [] if ".json" in ending else ["--memory", "8GiB"]
    assert main(["evaluate", str(qrels), str(run), "-m", "AP", "-o", out, *in_blocks]) == 0


def test_frames(tmp_path: Path) -> None:
    rs.io.write_run(tmp_path / "run.parquet", rs.io.read_run(A))
    frame = pl.read_parquet(tmp_path / "run.parquet")
    for source in (frame, frame.lazy()):
        np.testing.assert_array_equal(scores_of(QRELS, source), scores_of(QRELS, A))


@pytest.mark.parametrize(
    "words",
    [
        ("compare", QRELS, A, B, "-o", "out.json"), ("compare", QRELS, A, B, "-o", "out.tex"),
        ("rank", QRELS, *RUNS, "--resamples", 200, "-o", "out.md"), ("gate", QRELS, A, B, "-o", "out.csv"),
        ("validate", QRELS, *RUNS), ("explain", "nDCG@10"), ("plan", QRELS, A, B, "--difference", 0.02),
        ("enumerate", "-k", 3, "-m", "P@3", "RR@3"), ("ipso", "1011", "0111"),
        ("metrics", QRELS, *RUNS[:4], "-m", "AP", "P@5", "--studies", "ties", "power", "--resamples", 50),
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_commands(words: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([str(word) for word in words]) in (0, 1)


@pytest.mark.parametrize("ending", ["svg", "pdf", "png", "html", "json"])
def test_figures(ending: str, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    path = tmp_path / f"figure.{ending}"
    assert main(["compare", str(QRELS), str(A), str(B), "-o", str(tmp_path / "text"), "--plot", str(path)]) == 0
    assert path.stat().st_size > 1000


def test_report(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    path = tmp_path / "report.html"
    assert main(["report", str(QRELS), str(A), str(B), "--resamples", "50", "-o", str(path)]) == 0
    assert path.stat().st_size > 100_000
