"""rankscope evaluate: scores of runs, as means or by topic."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, cast

from rankscope.cli.help_texts import METHOD, OUTPUT, WORK, described, section
from rankscope.cli.options import (
    add_collection,
    add_measures,
    add_topics,
    chosen_rules,
    load_collection,
    topic_options,
)
from rankscope.cli.output_formats import add_latex, add_layers, add_shapes, note, show
from rankscope.cli.plugins import add_plugins, load_plugins
from rankscope.progress import LONG, Bar

if TYPE_CHECKING:
    from rankscope.measures import Bounds, Measure, Scores

DEFAULT = ["AP", "nDCG@10", "P@10", "RR"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("evaluate", **described(
        "evaluate",
        "Score runs against judgments. The numbers are those of trec_eval, per topic and as means.",
        "qrels.gz runs",
        "qrels.gz runs/hybrid-1.gz -m nDCG@10 --per-topic --csv",
    ))  # fmt: skip
    add_collection(parser)
    add_measures(parser, DEFAULT)
    section(parser, OUTPUT).add_argument("-q", "--per-topic", action="store_true",
                                         help="print one row per topic, and the means")  # fmt: skip
    method = section(parser, METHOD)
    method.add_argument("--mean", choices=["arithmetic", "geometric"], default="arithmetic",
                        help="mean over topics (default: arithmetic)")  # fmt: skip
    method.add_argument("--bounds", action="store_true",
                        help="print the lowest and highest scores that are possible, whatever the grades of unjudged "
                        "documents are")  # fmt: skip
    add_topics(parser, tests=False)
    add_plugins(parser)
    section(parser, WORK).add_argument("--memory", metavar="SIZE",
                                       help="memory that the whole process may take, as in 2GiB: runs that are larger "
                                       "are read in blocks of topics (default: no limit)")  # fmt: skip
    add_shapes(parser, "json", "csv", "trec", "markdown", "latex")
    add_latex(parser)
    add_layers(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.cli.score_output import emit
    from rankscope.errors import InputError
    from rankscope.io.paths import seeds
    from rankscope.measures import evaluate, parse

    if args.bounds and args.shape == "trec":
        raise InputError("trec_eval's columns have no place for bounds", "take --csv or --json with --bounds")

    if args.shape == "latex" and (args.bounds or args.per_topic):
        raise InputError("a LaTeX table has means alone", "take --csv or --markdown for --bounds and --per-topic")

    topics = topic_options(args)
    by_topics = args.by is not None or args.weights is not None
    if by_topics and (
        args.bounds or args.per_topic or args.memory or args.shape == "trec" or args.mean != "arithmetic"
    ):
        raise InputError(
            "means by slice and weighted means are arithmetic means alone",
            "leave out --by and --weights, or --bounds, --per-topic, --memory, --trec and --mean",
        )
    load_plugins(args.plugin)
    measures = parse(args.measures or DEFAULT)  # before the files: a misspelt name should not cost a minute
    if args.memory is None:
        score: Any = evaluate
        if args.bounds:
            from rankscope.measures import bounds as score
        judged = load_collection(args)
        with Bar("scoring", delay=LONG) as progress:
            scores: Scores | Bounds = score(judged, measures, workers=args.workers, progress=progress)
    else:
        scores = _streamed(args, measures)
    if by_topics:
        from rankscope.comparisons.slice_means import slice_means

        show(slice_means(judged, cast("Scores", scores), **topics), args)
        return 0
    emit(scores, args)
    if by_run := seeds(judged.systems if args.memory is None else cast("Scores", scores).systems):
        first, second, *_ = by_run
        note(f"each run is shown; rankscope rank and compare take runs such as {first} and {second} for repeats of one "
             f"system, {by_run[first]}")  # fmt: skip
    return 0


def _streamed(args: argparse.Namespace, measures: list[Measure]) -> Scores:
    """Scores of runs that are never in memory as a whole."""
    from rankscope.errors import InputError
    from rankscope.judged import stream
    from rankscope.measures import evaluate

    if args.bounds:
        raise InputError("bounds are not computed block by block", "leave out --memory or --bounds")
    if getattr(args, "cluster", None):
        raise InputError("one process reads what is larger than memory", "leave out --memory or --cluster")
    with Bar("reading") as progress:
        runs = stream(
            args.qrels, args.runs, memory=args.memory, run_format=args.run_format, qrels_format=args.qrels_format,
            workers=args.workers, progress=progress, **chosen_rules(args),
        )  # fmt: skip
        scores = evaluate(runs, measures)
    note(f"formats: {runs.read_as}")
    return scores
