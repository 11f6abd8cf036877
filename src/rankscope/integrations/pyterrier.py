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
    batch_size: int | None = None,
    filter_by_qrels: bool = False,
    filter_by_topics: bool = True,
    save_dir: Any = None,
    save_mode: str = "warn",
    **settings: Any,
) -> Any:
    """As `pt.Experiment`, with a leaderboard: every measure tested, all pairs at once or against baselines.

    The arguments are those of `pt.Experiment`; the means are its means. The first measure decides the order.

    perquery    True gives the scores per topic in place of the leaderboard; "both" gives leaderboard and scores
    baseline    a system or several, by name or position: p values are corrected over all comparisons that are made
    correction  Holm's unless given; names of statsmodels (fdr_bh, ...) are known
    test        "t", "wilcoxon", "randomisation" or "sign"
    settings    further arguments of `rankscope.rank`, such as method="hsd" or resampling=Resampling(999)
    """
    import rankscope as rs

    judged, systems = _judged(retr_systems, topics, qrels, names, batch_size, filter_by_qrels, filter_by_topics,
                              save_dir, save_mode)  # fmt: skip
    measures = list(eval_metrics)
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

    judged, systems = _judged([a, b], topics, qrels, names, None, False, True, None, "warn")
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
    systems: Any, topics: Any, qrels: Any, names: Sequence[str] | None, batch_size: int | None, filter_by_qrels: bool,
    filter_by_topics: bool, save_dir: Any, save_mode: str, **rules: Any,
) -> tuple[Any, list[str]]:  # fmt: skip
    """Lists of all systems joined with judgments by the rules of `pt.Experiment`, and names of systems as given."""
    import pyterrier as pt

    import rankscope as rs

    if isinstance(systems, Mapping):
        names, systems = list(systems), list(systems.values())
    labels = [str(system) for system in systems] if names is None else list(names)
    if len(labels) != len(systems):
        raise ValueError("names should be the same length as retr_systems")
    topics = pt.io.read_topics(topics) if isinstance(topics, str) else topics
    qrels = pt.io.read_qrels(qrels) if isinstance(qrels, str) else qrels
    if filter_by_qrels:
        topics = topics.merge(qrels[["qid"]].drop_duplicates())
    if filter_by_topics and topics is not None:
        qrels = qrels.merge(topics[["qid"]].drop_duplicates())
    runs = {name: _results(system, topics, batch_size, save_dir and Path(save_dir) / f"{name}.res.gz", save_mode)
            for name, system in zip(labels, systems, strict=True)}  # fmt: skip
    return rs.load(qrels, runs, undefined="zero", **rules), labels


def _results(system: Any, topics: Any, batch_size: int | None, file: Path | None, save_mode: str) -> Any:
    """Results of one system: a frame as it is, a file that may be used again, or what the transformer gives."""
    import pandas as pd
    import pyterrier as pt

    if isinstance(system, pd.DataFrame):
        return system
    if file is not None and file.exists():
        if save_mode == "reuse":
            return pt.io.read_results(str(file))
        if save_mode == "error":
            raise ValueError(f"{file} exists; save_mode='reuse' reads it, save_mode='overwrite' writes it again")
    parts = [topics] if batch_size is None else [topics[i : i + batch_size] for i in range(0, len(topics), batch_size)]
    results = pd.concat([system.transform(part) for part in parts])
    if file is not None and (save_mode == "overwrite" or not file.exists()):
        file.unlink(missing_ok=True)
        pt.io.write_results(results, str(file))
    return results
