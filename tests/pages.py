"""Report pages for tests, and names that would like to be more than names."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankscope import compare, evaluate, load, rank, validate
from rankscope.judged import Judged
from rankscope.measures import Scores
from rankscope.reporting.assembling import assembled
from rankscope.statistics import Resampling

MEASURES = ["nDCG@10", "AP", "RR"]

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "\"'><script>alert(2)</script>",
    "x" * 10_000,
    "\u202eright-to-left \u05d0\u05d1",
    "</script><script>alert(3)</script>",
    "caf\udce9",
    "{{7*7}}${1}",
    "a\x00b\u2028c&lt;b&gt;",
    "constructor",
    "\x1b]0;FORGED\x07\x1b[2J\x1b[31mred \x9b1m",
    "line\nFORGED line\r\nFORGED",
    "none \ufffe\uffff\x01\x7f\U000e0041\u200b",
    "@team [x](https://evil.example/) ![i](//evil.example/i.png) <https://evil.example/> www.evil.example me@evil.test",
    "1https://evil.example/ _www.evil.example _http://evil.example (www.evil.example _gh-2",
    "[ref]: https://evil.example/ org/repo#1 GH-2 __b__ ~~~ ```x``` $\\href{javascript:alert(5)}{x}$ | a",
    "[5cm] \\input{secret} \\end{table} % # & ~ ^ _ { } $x$",
    "* star",
    "=HYPERLINK(0)",
]
"""Names that would like to be more than names; FORGED is never the beginning of a line."""


@dataclass(frozen=True)
class Report:
    """A page on disk, and what it was made of."""

    path: Path
    judged: Judged
    scores: Scores


def made(
    folder: Path, qrels: Any, runs: Any, *, pair: tuple[str, str] | None = None, slices: Any = None, **more: Any
) -> Report:
    """A page with everything but studies."""
    resampling = Resampling(200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = load(qrels, runs, keep_docs=True, **more)
        scores = evaluate(judged, MEASURES)
        ranking = rank(judged, measure=MEASURES[0], also=MEASURES[1:], resampling=resampling)
        comparison = None if pair is None else compare(judged, *pair, measure=MEASURES[0], resampling=resampling)
        page = assembled(
            judged, scores, ranking=ranking, findings=validate(qrels, runs), comparison=comparison, slices=slices
        )
    return Report(page.save(folder / "report.html"), judged, scores)
