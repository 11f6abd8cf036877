"""Systems that are several runs, in compare, rank and gate: averaged, and tested as repeats."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.errors import DataWarning, InputError
from rankscope.io.paths import seeds
from rankscope.statistics import Resampling, repeated_runs, variance_components

RESAMPLING = Resampling(200)
RUNS = ("a@1", "a@2", "a@3", "b@1", "b@2", "b@3", "c")


def matrix(spread=0.05, gain=0.05):
    rng = np.random.default_rng(3)
    level = rng.uniform(0.2, 0.7, (30, 1))
    seeds = rng.normal(0, spread, len(RUNS)) + np.array([gain * run.startswith("b") for run in RUNS])
    return level + seeds + rng.normal(0, 0.05, (30, len(RUNS)))


def scores(**settings):
    value = matrix(**settings)
    return {run: {f"t{t}": float(v) for t, v in enumerate(value[:, r])} for r, run in enumerate(RUNS)}


def test_compare_tests_runs_as_repeats():
    value = matrix()
    expected = repeated_runs(value[:, :3], value[:, 3:6])
    result = rs.compare(scores(), "a", "b", repeats="@")
    assert (result.effect.pvalue, result.effect.lower) == pytest.approx((expected.pvalue, expected.lower))
    assert result.means == pytest.approx((value[:, :3].mean(), value[:, 3:6].mean()))
    naive = rs.compare({s: {f"t{t}": float(v) for t, v in enumerate(part.mean(axis=1))}
                        for s, part in (("a", value[:, :3]), ("b", value[:, 3:6]))}, "a", "b")  # fmt: skip
    assert expected.runs_variance > 0
    assert naive.effect.pvalue < result.effect.pvalue
    text = result.to_text("full")
    assert "How much do runs vary?" in text
    assert "means over 3 and 3 runs" in " ".join(text.split())
    with pytest.raises(InputError, match="t over topics and runs"):
        rs.compare(scores(), "a", "b", repeats="@", test="sign")
    assert "stands for itself" in " ".join(rs.compare(scores(), "c", "b", repeats="@").to_text("full").split())


def test_rank_has_one_row_per_system():
    board = rs.rank(scores(), repeats="@", baseline="c")
    assert sorted(board.systems) == ["a", "b", "c"]
    assert "runs" in board.method
    value = matrix()
    at = board.systems.index("a"), board.systems.index("b")
    alone = repeated_runs(value[:, :3], value[:, 3:6]).pvalue
    assert board.pvalues[at] >= alone * (1 - 1e-9)  # corrected
    assert board.against is not None


def test_gate_decides_by_the_interval_over_runs():
    wide = rs.gate(scores(gain=0.0), "a", "b", repeats="@", margin=0.02)
    value = matrix(gain=0.0)
    expected = repeated_runs(value[:, :3], value[:, 3:6])
    assert wide.checks[0].effect.lower == pytest.approx(expected.lower)


def test_names_say_what_is_a_repeat():
    """Two systems with three seeds each are two systems, unless a run is named or `none` is asked for."""
    explicit = rs.compare(scores(), "a", "b", repeats="@", resampling=RESAMPLING)
    with pytest.warns(DataWarning, match="6 runs such as a@1 and a@2 are repeats of 2 systems, such as a, by their n"):
        assert rs.compare(scores(), "a", "b", resampling=RESAMPLING).effect == explicit.effect
    with pytest.warns(DataWarning, match="repeats='none' makes each run a system"):
        assert sorted(rs.rank(scores(), resampling=RESAMPLING).systems) == ["a", "b", "c"]
    with pytest.warns(DataWarning):
        assert rs.gate(scores(), "a", "b").checks[0].effect == rs.gate(scores(), "a", "b", repeats="@").checks[0].effect
    with pytest.warns(DataWarning):
        board = rs.across({name: scores(spread=spread) for name, spread in (("x", 0.01), ("y", 0.05))})
    assert sorted(board.systems) == ["a", "b", "c"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)  # no warning where the user has said what is compared
        assert rs.compare(scores(), "a@1", "a@2", resampling=RESAMPLING).systems == ("a@1", "a@2")
        assert len(rs.rank(scores(), repeats="none", resampling=RESAMPLING).systems) == len(RUNS)
        assert len(rs.rank(scores(), systems=["a@1", "a@2", "c"], resampling=RESAMPLING).systems) == 3
        assert seeds(["p@5", "q@10", "bge@1", "bge@x", "@1", "@2"]) == {}
    with pytest.warns(DataWarning, match="one system, a"), pytest.raises(InputError, match="only one system"):
        rs.rank({run: part for run, part in scores().items() if run.startswith("a")})


def test_rank_shows_variance_components():
    board = rs.rank(scores(), repeats="@", resampling=RESAMPLING)
    value = matrix()
    parts = {"a": value[:, :3], "b": value[:, 3:6], "c": value[:, 6:]}
    expected = variance_components({name: parts[name] for name in board.systems})
    assert board.components.components() == pytest.approx(expected.components())
    text = board.to_text("full")
    assert "How much do runs vary?" in text
    assert f"{expected.run**0.5:.4f}" in text
    assert board.to_dict()["components"]["run"] == pytest.approx(expected.run)
    assert rs.rank(scores(), repeats="none", resampling=RESAMPLING).components is None


def test_means_of_several_runs():
    """Means only: runs are averaged, and their variance counts."""
    rows = [{"collection": c, "system": run, "value": float(np.mean(list(part.values())))}
            for c in ("x", "y", "z", "w") for run, part in scores(gain=0.05 + 0.01 * ord(c) / 120).items()]  # fmt: skip
    for row, noise in zip(rows, np.random.default_rng(5).normal(0, 0.03, len(rows)), strict=True):
        row["value"] += float(noise)
    with pytest.warns(DataWarning):
        result = rs.across(pl.DataFrame(rows), "a", "b")
    value = {(row["collection"], row["system"]): row["value"] for row in rows}
    parts = [np.array([[value[c, f"{s}@{i}"] for i in (1, 2, 3)] for c in ("x", "y", "z", "w")]) for s in "ab"]
    expected = repeated_runs(*parts)
    assert expected.runs_variance > 0
    assert (result.average.lower, result.average.pvalue) == pytest.approx((expected.lower, expected.pvalue))
    assert result.means == pytest.approx(dict(zip("xyzw", (parts[1] - parts[0]).mean(axis=1), strict=True)))
    assert result.n_runs == (3, 3)


def test_commands_take_repeats(tmp_path, capsys):
    rng = np.random.default_rng(1)
    qrels = [f"q{t} 0 d{d} {int(d < 2)}" for t in range(8) for d in range(6)]
    (tmp_path / "qrels").write_text("\n".join(qrels) + "\n")
    for folder in ("runs", "old", "new"):
        (tmp_path / folder).mkdir()
    for system, gain in (("a", 0.0), ("b", 2.0)):
        for seed in (1, 2, 3):
            lines = [f"q{t} Q0 d{d} 1 {rng.normal() + gain * (d < 2):.3f} x" for t in range(8) for d in range(6)]
            text = "\n".join(lines) + "\n"
            (tmp_path / "runs" / f"{system}@{seed}.txt").write_text(text)
            (tmp_path / ("new" if gain else "old") / f"seed{seed}.txt").write_text(text)
    path = str(tmp_path)
    assert main(["compare", f"{path}/qrels", f"{path}/runs", "a", "b", "--repeats", "@", "-m", "AP"]) == 0
    assert "b scores higher than a" in capsys.readouterr().out
    assert main(["rank", f"{path}/qrels", f"{path}/runs", "--repeats", "@", "-m", "AP"]) == 0
    assert "a@1" not in capsys.readouterr().out
    assert main(["gate", f"{path}/qrels", f"{path}/old", f"{path}/new", "-m", "AP"]) == 0
    assert "PASS" in capsys.readouterr().out
    assert main(["compare", f"{path}/qrels", f"{path}/runs", "a", "z", "--repeats", "@"]) == 2
    assert "no run in" in capsys.readouterr().err
    plain = ["compare", f"{path}/qrels", f"{path}/runs", "a", "b", "-m", "AP"]
    assert main(plain) == 0
    captured = capsys.readouterr()
    assert "b scores higher than a" in captured.out
    assert "6 runs such as a@1 and a@2 are repeats of 2 systems" in captured.err
    assert "--repeats none makes each run a system" in captured.err
    assert main([*plain[:3], "a@1", "b@1", "-m", "AP"]) == 0
    assert "b@1" in capsys.readouterr().out
    for options in ([], ["--repeats", "@"]):
        assert main(["gate", f"{path}/qrels", f"{path}/runs/a", f"{path}/runs/b", "-m", "AP", *options]) == 0
        assert "PASS" in capsys.readouterr().out
    files = [f"{path}/runs/a@1.txt", f"{path}/runs/b@1.txt"]
    assert main(["gate", f"{path}/qrels", *files, "-m", "AP"]) in (0, 1)
    assert main(["gate", f"{path}/qrels", *files, "--repeats", "@"]) == 2
    assert "--repeats beside two runs" in capsys.readouterr().err
    assert main(["evaluate", f"{path}/qrels", f"{path}/runs", "-m", "AP"]) == 0
    captured = capsys.readouterr()
    assert "a@1" in captured.out
    assert "rankscope rank" in captured.err
