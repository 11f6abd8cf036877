"""Scores as table, JSON, CSV or trec_eval's text."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from rankscope.cli.output_formats import json_text, on_terminal, put, show, text_of
from rankscope.formatting import visible
from rankscope.io.trec import refuse_unreadable
from rankscope.layout import markdown_table, text_table
from rankscope.measures import Means, Measure, Scores
from rankscope.measures.scores import number
from rankscope.results import csv_text, records

if TYPE_CHECKING:
    from rankscope.measures.bounding import BoundMeans, Bounds


def emit(scores: Scores | Bounds, args: argparse.Namespace) -> None:
    """Write scores, with their bounds or without, as the options say, to stdout or a file."""
    form, per_topic, output = args.shape, args.per_topic, args.output
    means = scores.mean("geometric" if args.mean == "geometric" else "arithmetic")
    if not per_topic and (form == "text" or (isinstance(means, Means) and form in ("markdown", "latex"))):
        show(means, args)
        return
    if form == "csv":
        text = csv_text((scores if per_topic else means).columns(), shown=on_terminal(output))
    elif form == "trec":
        text = _trec(scores, means, per_topic, shown=on_terminal(output))
    elif form == "markdown":
        text = markdown_table(*(scores if per_topic else means).table(), left=1 + per_topic) + "\n"
    elif form == "json":
        text = _json(scores, means, per_topic)
    else:  # one row per system and topic, all of them, and the evidence of the means
        args.layer = "explain" if args.layer == "explain" else "full"
        text = f"{text_table(*scores.table(), left=2)}\n\n{text_of(means, args)}\n"
    put(text, output)


def _plain_means(means: Means | BoundMeans) -> Means:
    return means if isinstance(means, Means) else means.means


def _json(scores: Scores | Bounds, means: Means | BoundMeans, per_topic: bool) -> str:
    plain = _plain_means(means)
    result: dict[str, Any] = {
        "mean": plain.how,
        "measures": [
            {"measure": str(m), "signature": signature, "aggregate": m.aggregate}
            for m, signature in zip(plain.measures, plain.signatures, strict=True)
        ],
        "means": records(means.columns()),
    }
    if per_topic:
        result["scores"] = records(scores.columns())
    return json_text(result) + "\n"


def _trec(result: Scores | Bounds, both: Means | BoundMeans, per_topic: bool, *, shown: bool) -> str:
    """One block a system, as trec_eval prints it for one run after the other; bounds have no place there.

    shown  on a terminal, where names have escapes; programs get them as they are, or none that would break a line
    """
    scores, means = result if isinstance(result, Scores) else result.scores, _plain_means(both)

    def written(name: str, *, blanks: bool = False) -> str:
        if shown:
            return visible(name)
        refuse_unreadable(name.encode("utf-8", "surrogateescape"), "--csv and --json", blanks=blanks)
        return name

    lines: list[tuple[str, str, str]] = []
    for s, system in enumerate(scores.systems):
        if per_topic:
            for t, topic in enumerate(scores.topics):
                known = [(m, scores.value[i, s, t]) for i, m in enumerate(scores.measures)]
                name = written(topic)
                lines += [(m.trec_name, name, number(v, m)) for m, v in known if not math.isnan(v)]
        lines.append(("runid", "all", written(system, blanks=True)))
        lines.append(("num_q", "all", str(int(means.n_topics[:, s].max()))))
        lines += [(_mean_name(m, means.how), "all", number(means.value[i, s], m)) for i, m in enumerate(means.measures)]
    return "".join(f"{name:<22}\t{topic}\t{value}\n" for name, topic, value in lines)


def _mean_name(measure: Measure, how: str) -> str:
    geometric = how == "geometric" and measure.aggregate == "mean"
    return f"gm_{measure.trec_name}" if geometric else measure.trec_name
