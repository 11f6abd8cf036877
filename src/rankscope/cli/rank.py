"""rankscope rank: many systems, and which cannot be told apart."""

from __future__ import annotations

import argparse
from typing import Any

from rankscope.cli.options import (
    add_alpha,
    add_collection,
    add_device,
    add_measures,
    add_scores,
    load_collection,
    measure_of_scores,
    refuse_idle_transpose,
)
from rankscope.cli.output_formats import add_plot, add_shapes, show

DEFAULT = ["nDCG@10"]
CORRECTIONS = ("holm", "bonferroni", "hochberg", "benjamini-hochberg", "benjamini-yekutieli")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "rank",
        help="many systems: table, intervals, groups that cannot be told apart",
        description="Order systems by their mean, with intervals for score and rank, and the groups that cannot be "
        "told apart, with all pairs tested at once.",
    )
    add_collection(parser, optional=True)
    add_scores(parser)
    add_measures(parser, DEFAULT, decides=True)
    parser.add_argument("--baseline", metavar="NAME", help="compare every other system with this one")
    parser.add_argument("--correction", choices=CORRECTIONS, default="holm",
                        help="of the comparisons with the baseline (default: holm)")  # fmt: skip
    parser.add_argument("--test", choices=["t", "randomisation", "wilcoxon", "sign"], default="t",
                        help="for the comparisons with the baseline (default: t)")  # fmt: skip
    parser.add_argument("--method", choices=["bootstrap", "hsd"], default="bootstrap",
                        help="how all pairs are compared: bootstrap, step-down MaxT over samples of topics, also for "
                        "near-identical systems (default); hsd, randomised Tukey HSD, as in papers, for exchangeable "
                        "systems only")  # fmt: skip
    add_alpha(parser, "chance of any false difference")
    parser.add_argument(
        "--resamples", type=int, default=10_000, metavar="B", help="samples or permutations (default: 10,000)"
    )
    parser.add_argument("--seed", type=int, default=42, help="of these (default: 42)")
    add_device(parser)
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.comparisons import rank
    from rankscope.errors import InputError
    from rankscope.io.score_tables import read_scores
    from rankscope.measures import parse
    from rankscope.statistics import Resampling

    if (args.scores is None) == (args.qrels is None):
        raise InputError("give judgments and runs, or --scores FILE", "rankscope rank QRELS RUN... -m nDCG@10")
    refuse_idle_transpose(args)
    if args.qrels is not None and not args.runs:
        raise InputError("no runs", "name the runs after the judgments")
    resampling = Resampling(args.resamples, args.seed, device=args.device)
    source: Any
    measure: Any
    also: Any
    if args.scores is None:
        measure, *also = parse(args.measures or DEFAULT)
        source = load_collection(args)
    else:
        measure, also = measure_of_scores(args), []
        source = read_scores(args.scores, measure=measure, transposed=args.transpose)
    leaderboard = rank(
        source, measure=measure, also=also, baseline=args.baseline, correction=args.correction, test=args.test,
        alpha=args.alpha, level=args.level, method=args.method, resampling=resampling, workers=args.workers,
    )  # fmt: skip
    show(leaderboard, args)
    return 0
