"""rankscope judge-next: which documents to judge, so that a comparison is settled soonest."""

from __future__ import annotations

import argparse

from rankscope.cli.help_texts import INPUT, METHOD, described, section
from rankscope.cli.options import add_collection, add_measures, add_resampling, load_collection
from rankscope.cli.output_formats import add_layers, add_plot, add_shapes, note, show

DEFAULT = ["nDCG@10"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("judge-next", **described(
        "judge-next",
        "Which unjudged documents would settle whether one system is ahead of another? Names the documents whose "
        "judgment is expected to bring certainty soonest. Add their grades to the judgments and run the command again; "
        "it says when to stop.",
        "qrels.gz runs/dense-2.gz runs/lexical-3.gz -m P@50",
        "qrels.gz runs --top 3 -m AP --budget 50 --tsv",
        usage="QRELS A B [RUN ...]",
    ))  # fmt: skip
    add_collection(parser)
    add_measures(parser, DEFAULT)
    section(parser, INPUT).add_argument("--judge", metavar="FILE",
                                        help="file of judgments to replay: documents are judged by it one by one, and "
                                        "--full shows how the doubt shrinks")  # fmt: skip
    method = section(parser, METHOD)
    method.add_argument("--budget", type=int, default=20, metavar="N",
                        help="number of documents to name, or to judge with --judge (default: 20)")  # fmt: skip
    method.add_argument("--baseline", metavar="NAME",
                        help="system that every other one is compared with (default: the first run)")  # fmt: skip
    method.add_argument("--top", type=int, metavar="N",
                        help="compare all pairs of the N systems with the highest means instead")  # fmt: skip
    method.add_argument("--stop", choices=["certain", "confident"], default="certain",
                        help="stopping rule: no grades of the rest could change the sign (certain), or the t test "
                        "keeps its verdict in the share --holds of random grades (confident) "
                        "(default: certain)")  # fmt: skip
    method.add_argument(
        "--holds",
        type=float,
        default=0.95,
        metavar="SHARE",
        help="share of random grades under which the verdict must be the same (default: 0.95)",
    )
    method.add_argument("--alpha", type=float, default=0.05,
                        help="significance level: a p value below it shows a difference (default: 0.05)")  # fmt: skip
    add_resampling(parser, "random grades of all unjudged documents", resamples=200)
    add_shapes(parser, "json", "jsonl", "csv", "tsv", "markdown")
    add_plot(parser)
    add_layers(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.comparisons import judge_next
    from rankscope.errors import InputError
    from rankscope.measures import parse
    from rankscope.progress import LONG, Bar
    from rankscope.statistics import Resampling

    measures = parse(args.measures or DEFAULT)
    if len(measures) > 1:
        raise InputError(f"{len(measures)} measures", "documents are chosen for the one measure that decides")
    judged = load_collection(args, keep_docs=True)
    with Bar("weighing", delay=LONG) as progress:
        result = judge_next(
            judged, baseline=args.baseline, top=args.top, measure=measures[0], budget=args.budget, stop=args.stop,
            alpha=args.alpha, holds=args.holds, judge=args.judge, resampling=Resampling(args.resamples, args.seed),
            progress=progress,
        )  # fmt: skip
    if args.plot and not result.curve:
        note(f"{args.plot} is not written: no judgment was replayed, as --judge FILE does")
        args.plot = None
    show(result, args)
    return 0
