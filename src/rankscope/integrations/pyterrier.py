"""PyTerrier's `pt.rankscope`: experiments that end in a leaderboard with verdicts, and tests for `pt.Experiment`.

PyTerrier loads this module when it starts, so everything else is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_CORRECTIONS = {
    "b": "bonferroni", "h": "holm", "sh": "hochberg", "simes-hochberg": "hochberg", "fdr_bh": "benjamini-hochberg",
    "fdr_by": "benjamini-yekutieli",
}  # fmt: skip
_RUNNING = ("batch_size", "filter_by_qrels", "filter_by_topics", "verbose", "validate", "save_dir", "save_mode",
            "save_format", "precompute_prefix", "plan")  # fmt: skip


def Experiment(
    retr_systems: Sequence[Any] | Mapping[str, Any],
    topics: Any,
    qrels: Any,
    eval_metrics: Sequence[Any],
    names: Sequence[str] | None = None,
    *,
    perquery: bool | str = False,
    baseline: int | str | Sequence[int | str] | None = None,
    correction: str | None = None,
    correction_alpha: float = 0.05,
    test: Any = "t",
    report: Any = None,
    **settings: Any,
) -> Any:
    """As `pt.Experiment`, with a leaderboard: every measure tested, all pairs at once or against baselines.

    The arguments are those of `pt.Experiment`, which runs the systems; the means are its means. The first measure
    decides the order. `highlight`, `round` and `dataframe` are for the frame of `pt.Experiment`: the leaderboard has
    `to_latex(decimals=3)`, `to_markdown()`, `to_frame()` and `to_dict()`.

    perquery    True gives the scores per topic in place of the leaderboard; "both" gives leaderboard and scores
    baseline    a system or several, by name or position: p values are corrected over all comparisons that are made
    correction  Holm's unless given; names of statsmodels (fdr_bh, ...) are known
    test        "t", "wilcoxon", "randomisation" or "sign"
    report      a file for the report of all systems, such as "report.html"
    settings    further arguments of `pt.Experiment`, such as batch_size, plan or save_dir, and of `rankscope.rank`,
                such as method="hsd" or resampling=Resampling(999)
    """
    import rankscope as rs

    if refused := sorted(settings.keys() & {"highlight", "round", "dataframe"}):
        raise TypeError(f"{' and '.join(refused)}: for the frame of pt.Experiment; leaderboard.to_latex(decimals=3) "
                        "rounds and marks, leaderboard.to_frame() is a frame")  # fmt: skip
    running = {name: settings.pop(name) for name in [*settings] if name in _RUNNING}
    judged, systems = _judged(retr_systems, topics, qrels, names, running)
    measures = list(eval_metrics)
    if report is not None:
        rs.report(judged, measures=measures, resampling=settings.get("resampling")).save(report)
    scores = rs.evaluate(judged, measures) if perquery else None
    if perquery is True:
        return scores
    wanted: list[Any] = list(baseline) if isinstance(baseline, list | tuple) else [baseline]
    baselines = [systems[each] if isinstance(each, int) else each for each in wanted if each is not None]
    chosen: Any = _CORRECTIONS.get(str(correction), correction) or "holm"
    leaderboard = rs.rank(
        judged, measure=measures[0], also=measures[1:], **{"tested": "each", **settings},
        baseline=baselines or None, correction=chosen, test=test, alpha=correction_alpha,
    )  # fmt: skip
    return (leaderboard, scores) if perquery == "both" else leaderboard


def compare(
    a: Any,
    b: Any,
    topics: Any,
    qrels: Any,
    measure: Any = "nDCG@10",
    names: Sequence[str] = ("a", "b"),
    **settings: Any,
) -> Any:
    """`rankscope.compare` of two transformers or frames of results."""
    import rankscope as rs

    judged, systems = _judged([a, b], topics, qrels, names, {})
    return rs.compare(judged, *systems, measure=measure, **settings)


def load(save_dir: Any, qrels: Any, **rules: Any) -> Any:
    """The runs that an experiment with `save_dir` has written, joined with judgments."""
    import rankscope as rs

    return rs.load(qrels, str(save_dir), **rules)


def scores(save_dir: Any, measure: str) -> Any:
    """The scores of one measure in the `perquery.csv` that an experiment with `save_dir` has written."""
    from rankscope.io import read_scores

    return read_scores(Path(save_dir) / "perquery.csv", measure=measure)


def _test(name: str) -> Any:
    def test(a: Any, b: Any) -> tuple[float, float]:
        from rankscope import statistics

        result = getattr(statistics, f"{name}_test")(a, b)
        return float(getattr(result, "statistic", 0.0)), float(result.pvalue)

    test.__name__ = name
    test.__doc__ = f"p value of rankscope's {name} test, for `pt.Experiment(test=...)`."
    return test


t, wilcoxon, sign, randomisation, bootstrap = map(_test, ("t", "wilcoxon", "sign", "randomisation", "bootstrap"))


def _judged(
    systems: Any, topics: Any, qrels: Any, names: Sequence[str] | None, running: Mapping[str, Any]
) -> tuple[Any, list[str]]:
    """The lists that `pt.Experiment` makes, joined with judgments by its rules, and names of systems as given."""
    import pandas as pd
    import pyterrier as pt

    import rankscope as rs

    if isinstance(systems, Mapping):
        names, systems = list(systems), list(systems.values())
    labels = [str(system) for system in systems] if names is None else list(names)
    topics = pt.io.read_topics(topics) if isinstance(topics, str) else topics
    qrels = pt.io.read_qrels(qrels) if isinstance(qrels, str) else qrels
    parts: list[list[Any]] = [[] for _ in systems]

    def recorded(system: Any, part: list[Any]) -> Any:
        def record(results: Any) -> Any:
            part.append(results)
            return results

        return system if isinstance(system, pd.DataFrame) else system >> pt.apply.generic(record)

    pipelines = [recorded(system, part) for system, part in zip(systems, parts, strict=True)]
    pt.Experiment(pipelines, topics, qrels, ["num_q"], labels, **running)
    runs = {}
    for name, system, part in zip(labels, systems, parts, strict=True):
        results = system if isinstance(system, pd.DataFrame) else pd.concat([topics.head(0), *part])
        reused = running.get("save_mode") == "reuse" and results.empty
        runs[name] = Path(running["save_dir"]) / f"{name}.res.gz" if reused else results
    if running.get("filter_by_topics", True) and topics is not None:
        qrels = qrels.merge(topics[["qid"]].drop_duplicates())
    return rs.load(qrels, runs, undefined="zero"), labels
