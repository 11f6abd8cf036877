"""rankscope metrics: which metric deserves trust on this collection."""

from __future__ import annotations

import argparse
from typing import Any

from rankscope.cli.exit_codes import INTERRUPTED
from rankscope.cli.help_texts import METHOD, WORK, described, section
from rankscope.cli.options import (
    add_alpha,
    add_collection,
    add_device,
    add_measures,
    add_resampling,
    chosen_rules,
    read_draws,
)
from rankscope.cli.output_formats import add_layers, add_plot, add_shapes, note, show
from rankscope.progress import Bar

DEFAULT = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20"]
METHODS = ["rrLP", "sgnLP"]
STUDIES = ["scale", "properties", "power", "consistency", "ties", "agreement", "preference"]
FURTHER_STUDIES = ["incompleteness", "similarity", "locality", "scales"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("metrics", **described(
        "metrics",
        "How well does each metric tell these systems apart? Metrics and preference methods stand side by side: scale, "
        "properties, discriminative power, consistency, ties, agreement with IPSO. The output says which differences "
        "between them are shown, and whether topics and systems are enough to say so.",
        "qrels.gz runs -m AP nDCG@10 P@10 --studies power ties",
        "qrels.gz runs --studies consistency --splits 200",
    ))  # fmt: skip
    add_collection(parser, depth="default: whole lists, and 10 for IPSO")
    add_measures(parser, DEFAULT)
    method = section(parser, METHOD)
    method.add_argument(
        "--methods", nargs="*", default=METHODS, metavar="P",
        help="preference methods, which compare lists without a metric: ipso sgnLP rrLP lexirecall rpp "
        f"(default: {' '.join(METHODS)})",
    )  # fmt: skip
    which = method.add_mutually_exclusive_group()
    which.add_argument(
        "--studies", nargs="+", default=STUDIES, metavar="S",
        help=f"studies of the metrics: {' '.join((*STUDIES, *FURTHER_STUDIES))} (default: the first {len(STUDIES)})",
    )  # fmt: skip
    which.add_argument("--all", action="store_true", help="run all studies; scales of graded lists can take minutes")
    add_alpha(parser, "a p value below it shows a difference")
    add_resampling(parser, "permutations", resamples=2000)
    method.add_argument("--splits", type=int, default=1000, metavar="B",
                        help="number of random splits of the topics into halves (default: 1,000)")  # fmt: skip
    method.add_argument("--samples", type=int, default=10, metavar="N",
                        help="number of samples that are drawn from the judgments (default: 10)")  # fmt: skip
    add_device(parser)
    section(parser, WORK).add_argument("--checkpoint", metavar="DIR",
                                       help="folder that keeps finished studies: a command that was stopped goes on "
                                       "from there")  # fmt: skip
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_layers(parser)
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
        note(f"formats: {scorecard.read_as}")
        beside: dict[str, Any] = {name: scorecard.studied[name] for name in BESIDE if name in scorecard.studied}
        answer_alone = args.shape == "text" and args.layer == "short"
        show(scorecard, args, None if answer_alone else beside)
    return code
