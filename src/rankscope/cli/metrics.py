"""rankscope metrics: which metric deserves trust on this collection."""

from __future__ import annotations

import argparse

from rankscope.cli.exit_codes import INTERRUPTED
from rankscope.cli.options import (
    add_alpha,
    add_collection,
    add_device,
    add_measures,
    add_resampling,
    chosen_rules,
    read_draws,
)
from rankscope.cli.output_formats import add_plot, add_shapes, note, show
from rankscope.progress import Bar

DEFAULT = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20"]
METHODS = ["rrLP", "sgnLP"]
STUDIES = ["scale", "properties", "power", "consistency", "ties", "agreement", "preference"]
FURTHER_STUDIES = ["incompleteness", "similarity", "locality", "scales"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "metrics",
        help="meta-evaluation: which metric deserves trust on this collection",
        description="Metrics and preference methods side by side: scale, properties, discriminative power, "
        "consistency, incompleteness, ties, agreement with IPSO, and what each prefers where it disagrees with the "
        "others; which differences are beyond chance, and whether topics and systems are enough to say so.",
    )
    add_collection(parser, depth="default: whole lists, and 10 for IPSO")
    add_measures(parser, DEFAULT)
    parser.add_argument(
        "--methods", nargs="*", default=METHODS, metavar="P",
        help=f"preference methods: ipso sgnLP rrLP lexirecall rpp (default: {' '.join(METHODS)})",
    )  # fmt: skip
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--studies", nargs="+", default=STUDIES, metavar="S",
        help=f"some of {', '.join(STUDIES)} (these are the default), {', '.join(FURTHER_STUDIES)}",
    )  # fmt: skip
    which.add_argument("--all", action="store_true", help="all studies; scales of graded lists can take minutes")
    add_alpha(parser, "level of significance")
    add_resampling(parser, "permutations", resamples=2000)
    parser.add_argument("--splits", type=int, default=1000, metavar="B", help="halves of the topics (default: 1,000)")
    parser.add_argument("--samples", type=int, default=10, metavar="N", help="samples of each pool (default: 10)")
    add_device(parser)
    parser.add_argument("--checkpoint", metavar="DIR", help="keep what is done there, and go on from it")
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.measures import parse
    from rankscope.studies import Interrupted, Scorecard, metrics
    from rankscope.studies.columns import BESIDE, PARTS

    draws = read_draws(args)
    resampling = {
        "power": draws["permutations"], "ties": draws["permutations"], "consistency": draws["splits"],
        "incompleteness": draws["samples"],
    }  # fmt: skip
    try:
        with Bar("reading") as progress:
            scorecard: Scorecard | None = metrics(
                args.qrels, args.runs, measures=parse(args.measures or DEFAULT), methods=args.methods,
                studies=PARTS if args.all else args.studies, resampling=resampling, alpha=args.alpha, level=args.level,
                checkpoints=args.checkpoint, progress=progress, workers=args.workers, run_format=args.run_format,
                qrels_format=args.qrels_format, **chosen_rules(args),
            )  # fmt: skip
        code = 0
    except Interrupted as stop:
        note(str(stop))
        scorecard, code = stop.partial, INTERRUPTED  # the columns that are done
    if scorecard is not None:
        note(f"read as {scorecard.read_as}")
        show(scorecard, args, {name: scorecard.studied[name] for name in BESIDE if name in scorecard.studied})
    return code
