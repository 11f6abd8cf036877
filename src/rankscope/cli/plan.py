"""rankscope plan: how many topics a comparison needs."""

from __future__ import annotations

import argparse

from rankscope.cli.help_texts import METHOD, described, section
from rankscope.cli.options import (
    add_alpha,
    add_collection,
    add_measures,
    add_scores,
    check_source,
    load_collection,
    read_score_file,
)
from rankscope.cli.output_formats import add_layers, add_shapes, show

DEFAULT = ["nDCG@10"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("plan", **described(
        "plan",
        "How many topics does a comparison need? The plan is the fewest topics with which Student's paired t test "
        "finds a true difference with the wanted power, or with which the interval has the wanted width. The pilot is "
        "judgments and runs, or scores, of systems like those that will be compared. The plan allows "
        "for the pilot being a sample.",
        "qrels.gz runs --difference 0.05",
        "qrels.gz runs/lexical-3.gz runs/hybrid-1.gz -m AP --width 0.1",
        usage="QRELS RUN [RUN ...] (--difference D | --width W)\n--scores FILE (--difference D | --width W)",
    ))  # fmt: skip
    add_collection(parser, optional=True)
    add_scores(parser)
    add_measures(parser, DEFAULT)
    method = section(parser, METHOD)
    goal = method.add_mutually_exclusive_group(required=True)
    goal.add_argument("--difference", type=float, metavar="D",
                      help="true difference between two means that the test should find, in points of the "
                      "measure")  # fmt: skip
    goal.add_argument("--width", type=float, metavar="W",
                      help="width of the interval of the difference, from end to end, in points of the "
                      "measure")  # fmt: skip
    method.add_argument("--power", type=float, default=0.8, metavar="P",
                        help="probability that the test finds the difference (default: 0.8)")  # fmt: skip
    method.add_argument("--assurance", type=float, default=0.8, metavar="P",
                        help="share of pilots whose plan reaches the power or the width (default: 0.8)")  # fmt: skip
    add_alpha(parser, "a p value below it shows a difference")
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_layers(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.comparisons import plan
    from rankscope.errors import InputError
    from rankscope.measures import parse

    check_source(args, "rankscope plan QRELS RUN... --difference 0.05")
    measures = parse(args.measures or DEFAULT) if args.scores is None else []
    if len(measures) > 1:
        raise InputError(f"{len(measures)} measures", "a plan is for the one measure that will decide")
    source = load_collection(args) if args.scores is None else read_score_file(args)
    planned = plan(
        source, measure=measures[0] if measures else None, difference=args.difference, width=args.width,
        power=args.power, alpha=args.alpha, level=args.level, assurance=args.assurance,
    )  # fmt: skip
    show(planned, args)
    return 0
