"""rankscope rank: many systems, and which cannot be told apart."""

from __future__ import annotations

import argparse

from rankscope.cli.help_texts import METHOD, described, section
from rankscope.cli.options import (
    add_alpha,
    add_collection,
    add_device,
    add_measures,
    add_repeats,
    add_resampling,
    add_scores,
    add_test,
    add_topics,
    check_source,
    load_collection,
    read_score_file,
    with_topics,
)
from rankscope.cli.output_formats import add_latex, add_layers, add_plot, add_shapes, show

DEFAULT = ["nDCG@10"]
CORRECTIONS = ("holm", "bonferroni", "hochberg", "benjamini-hochberg", "benjamini-yekutieli")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("rank", **described(
        "rank",
        "Order systems by their means, with intervals for score and rank. All pairs are tested at once, and systems "
        "between which no difference is shown share a letter.",
        "qrels.gz runs -m nDCG@10",
        "qrels.gz runs -m nDCG@10 --baseline lexical-3",
        usage="QRELS RUN [RUN ...]\n--scores FILE",
    ))  # fmt: skip
    add_collection(parser, optional=True)
    add_scores(parser)
    add_repeats(parser)
    add_measures(parser, DEFAULT, decides=True)
    method = section(parser, METHOD)
    method.add_argument("--baseline", metavar="NAME", action="append",
                        help="system with which every other system is compared; given twice or more, with each of "
                        "them, and p values are corrected over all comparisons")  # fmt: skip
    method.add_argument("--correction", choices=CORRECTIONS, default="holm",
                        help="correction for the number of comparisons with the baseline (default: holm)")  # fmt: skip
    method.add_argument("--tested", choices=["first", "each", "together"],
                        help="measures that are tested: the first one; each one with the chance --alpha; or all "
                        "together with that chance divided by their number (default: first; LaTeX: each)")  # fmt: skip
    add_test(parser, "the difference between each system and the baseline")
    add_topics(parser)
    method.add_argument("--method", choices=["bootstrap", "hsd"], default="bootstrap",
                        help="method that tests all pairs: step-down MaxT over bootstrap samples of topics "
                        "(bootstrap); or randomised Tukey HSD, as in papers, for exchangeable systems only (hsd) "
                        "(default: bootstrap)")  # fmt: skip
    add_alpha(parser, "largest chance that any difference is shown that does not exist")
    add_resampling(parser, "bootstrap samples or permutations")
    add_device(parser)
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_latex(parser, columns="measures, rank, system, places, interval, difference, p (default: system and measures)")
    add_layers(parser)
    add_plot(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.comparisons import rank
    from rankscope.measures import parse
    from rankscope.progress import LONG, Bar
    from rankscope.statistics import Resampling

    check_source(args, "rankscope rank QRELS RUN... -m nDCG@10")
    resampling = Resampling(args.resamples, args.seed, device=args.device)
    measures = parse(args.measures or DEFAULT) if args.scores is None else []
    read = load_collection if args.scores is None else read_score_file
    source, topics = with_topics(args, lambda: read(args))
    with Bar("ranking", delay=LONG) as progress:
        leaderboard = rank(
            source, measure=measures[0] if measures else None, also=measures[1:],
            tested=args.tested or ("each" if args.shape == "latex" else "first"), baseline=args.baseline,
            correction=args.correction, test=args.test, alpha=args.alpha, level=args.level, method=args.method,
            repeats=args.repeats, resampling=resampling, workers=args.workers, progress=progress, **topics,
        )  # fmt: skip
    show(leaderboard, args)
    return 0
