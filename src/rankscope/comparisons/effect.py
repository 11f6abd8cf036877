"""How far two systems are apart on the same topics: difference, interval, test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.statistics import (
    Resampling,
    randomisation_interval,
    randomisation_test,
    sign_test,
    t_interval,
    t_test,
    wilcoxon,
)
from rankscope.statistics.differences import Differences

Test: TypeAlias = Literal["t", "randomisation", "wilcoxon", "sign"]
TESTS: dict[Test, str] = {
    "t": "Student's paired t",
    "randomisation": "randomisation test",
    "wilcoxon": "Wilcoxon's signed ranks",
    "sign": "sign test",
}

CONSTANT = "the same difference on every topic has no variance"


@dataclass(frozen=True, slots=True)
class Effect:
    """The mean of b - a over topics, its interval, and a test of the hypothesis that there is none.

    won, lost, tied  topics where b scores higher, lower, the same
    remark           where the test asked for could not be had
    """

    difference: float
    lower: float
    upper: float
    level: float
    test: Test
    pvalue: float
    method: str
    topics: int
    won: int
    lost: int
    tied: int
    remark: str = ""

    @property
    def swapped(self) -> Effect:
        """The mean of a - b."""
        return Effect(
            0.0 - self.difference, 0.0 - self.upper, 0.0 - self.lower, self.level, self.test, self.pvalue, self.method,
            self.topics, self.lost, self.won, self.tied, self.remark,
        )  # fmt: skip


def effect(
    a: Floats,
    b: Floats,
    *,
    test: Test = "t",
    level: float = 0.95,
    chance: Resampling | None = None,
    workers: int | None = None,
) -> Effect:
    """What b has over a.

    The interval belongs to the test: Student's with t, the inverted test with randomisation. Wilcoxon's and the sign
    test speak of signs and ranks, not of a mean; beside them stands Student's. Two systems that score the same on
    every topic have p = 1. A difference that is the same on every topic leaves Student nothing to go by: the
    randomisation test takes its place, and says so.
    """
    if test not in TESTS:
        raise InputError(f"test {test!r} is unknown", f"a test is one of {', '.join(TESTS)}")
    d = Differences.of(b, a)
    rounded = np.where(np.abs(b - a) <= d.tolerance, 0.0, b - a)
    won, lost = int(np.count_nonzero(rounded > 0)), int(np.count_nonzero(rounded < 0))
    remark = ""
    if d.constant:
        lower = upper = d.mean
        if won == lost == 0:
            pvalue, method = 1.0, "no difference on any topic"
        else:
            found = randomisation_test(b, a, chance=chance, workers=workers)
            pvalue, method, remark = found.pvalue, found.method, CONSTANT
    else:
        tested = _run(test, b, a, chance, workers)
        pvalue, method = tested.pvalue, tested.method
        if test == "randomisation":
            interval = randomisation_interval(b, a, level=level, chance=chance, workers=workers)
        else:
            interval = t_interval(b, a, level=level)
        lower, upper = interval.lower, interval.upper
    return Effect(
        difference=d.mean, lower=lower, upper=upper, level=level, test=test, pvalue=pvalue, method=method,
        topics=d.n, won=won, lost=lost, tied=d.n - won - lost, remark=remark,
    )  # fmt: skip


def _run(test: Test, b: Floats, a: Floats, chance: Resampling | None, workers: int | None) -> Any:
    run: dict[str, Callable[[], Any]] = {
        "t": lambda: t_test(b, a),
        "wilcoxon": lambda: wilcoxon(b, a),
        "sign": lambda: sign_test(b, a),
        "randomisation": lambda: randomisation_test(b, a, chance=chance, workers=workers),
    }
    return run[test]()
