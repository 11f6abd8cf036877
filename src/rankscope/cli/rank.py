"""rankscope rank: many systems, and which cannot be told apart."""

from __future__ import annotations

import argparse

from rankscope.cli.options import (
    add_alpha,
    add_collection,
    add_device,
    add_measures,
    add_resampling,
    add_scores,
    add_test,
    check_source,
    load_collection,
    read_score_file,
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
    add_test(parser, "for the comparisons with the baseline")
    parser.add_argument("--method", choices=["bootstrap", "hsd"], default="bootstrap",
                        help="how all pairs are compared: bootstrap, step-down MaxT over samples of topics, also for "
                        "near-identical systems (default); hsd, randomised Tukey HSD, as in papers, for exchangeable "
                        "systems only")  # fmt: skip
    add_alpha(parser, "chance of any false difference")
    add_resampling(parser, "samples or permutations")
    add_device(parser)
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.comparisons import rank
    from rankscope.measures import parse
    from rankscope.statistics import Resampling

    check_source(args, "rankscope rank QRELS RUN... -m nDCG@10")
    resampling = Resampling(args.resamples, args.seed, device=args.device)
    measures = parse(args.measures or DEFAULT) if args.scores is None else []
    source = load_collection(args) if args.scores is None else read_score_file(args)
    leaderboard = rank(
        source, measure=measures[0] if measures else None, also=measures[1:], baseline=args.baseline,
        correction=args.correction, test=args.test, alpha=args.alpha, level=args.level, method=args.method,
        resampling=resampling, workers=args.workers,
    )  # fmt: skip
    show(leaderboard, args)
    return 0
