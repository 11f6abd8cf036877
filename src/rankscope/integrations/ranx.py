"""ranx's `compare` by one call of rankscope: the same arguments, and a leaderboard in place of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_TESTS = {"student": "t", "fisher": "randomisation", "tukey": "t"}


def compare(
    qrels: Any,
    runs: Sequence[Any],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    max_p: float = 0.05,
    baseline: str | Sequence[str] | None = None,
    n_permutations: int = 10_000,
    random_seed: int = 42,
    **settings: Any,
) -> Any:
    """Means of every metric with the groups of systems that are not shown to differ, all pairs tested at once.

    Runs are named by their `name`, as in ranx. `stat_test` is the test against baselines ("student" or "fisher");
    "tukey" tests all pairs by randomised Tukey HSD. `str()` is the table, `to_latex()` that of a paper.
    """
    import rankscope as rs

    if stat_test not in _TESTS:
        raise ValueError(f"stat_test {stat_test!r} is none of {', '.join(_TESTS)}")
    named = {str(getattr(run, "name", None) or f"run_{i}"): run for i, run in enumerate(runs, 1)}
    if len(named) < len(runs):
        raise ValueError("two runs have the same name")
    measures = [metrics] if isinstance(metrics, str) else list(metrics)
    test: Any = _TESTS[stat_test]
    return rs.rank(
        rs.load(qrels, named), measure=measures[0], also=measures[1:], baseline=baseline, test=test, alpha=max_p,
        **{"tested": "each", "method": "hsd" if stat_test == "tukey" else "bootstrap",
           "resampling": rs.statistics.Resampling(n_permutations, random_seed), **settings},
    )  # fmt: skip
