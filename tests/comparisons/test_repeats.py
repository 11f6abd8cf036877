"""Systems that are several runs, in compare, rank and gate: averaged, and tested as repeats."""

from __future__ import annotations

import numpy as np
import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.errors import InputError
from rankscope.statistics import repeated_runs

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
