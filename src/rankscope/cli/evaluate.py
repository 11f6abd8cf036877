"""rankscope evaluate: scores of runs, as means or by topic."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rankscope.cli.options import add_collection, add_measures, chosen_rules, load_collection
from rankscope.cli.output_formats import add_shapes, note
from rankscope.cli.plugins import add_plugins, load_plugins
from rankscope.progress import Bar

if TYPE_CHECKING:
    from rankscope.measures import Bounds, Measure, Scores

DEFAULT = ["AP", "nDCG@10", "P@10", "RR"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="per-topic and mean scores, trec_eval's numbers",
        description="Score runs against judgments.",
    )
    add_collection(parser)
    add_measures(parser, DEFAULT)
    parser.add_argument("-q", "--per-topic", action="store_true", help="one row per topic")
    parser.add_argument("--mean", choices=["arithmetic", "geometric"], default="arithmetic", help="how to average")
    parser.add_argument("--bounds", action="store_true",
                        help="lower and upper: what scores could be if unjudged documents had any grades")  # fmt: skip
    add_plugins(parser)
    parser.add_argument("--memory", metavar="SIZE",
                        help="read runs in blocks of topics, the whole process within this much memory, as in 2GiB; "
                        "for runs that do not fit in it, from files, pipes and Parquet")  # fmt: skip
    add_shapes(parser, "json", "csv", "trec")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.cli.score_output import emit
    from rankscope.errors import InputError
    from rankscope.measures import evaluate, parse

    if args.bounds and args.shape == "trec":
        raise InputError("trec_eval's columns have no place for bounds", "take --csv or --json with --bounds")

    load_plugins(args.plugin)
    measures = parse(args.measures or DEFAULT)  # before the files: a misspelt name should not cost a minute
    if args.memory is None:
        score: Any = evaluate
        if args.bounds:
            from rankscope.measures import bounds as score
        scores: Scores | Bounds = score(load_collection(args), measures, workers=args.workers)
    else:
        scores = _streamed(args, measures)
    emit(scores, args.shape, per_topic=args.per_topic, how=args.mean, output=args.output)
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
    note(f"read as {runs.read_as}")
    return scores
