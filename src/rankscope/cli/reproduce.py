"""rankscope reproduce: every table and figure of a paper, on a collection or on all possible rankings."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rankscope.cli.exit_codes import INTERRUPTED
from rankscope.cli.options import add_collection, add_device, add_resampling, load_collection, read_draws
from rankscope.cli.output_formats import note
from rankscope.progress import Bar

if TYPE_CHECKING:
    from rankscope.studies.reproduce import Pictures

_NAMES = "ipso, interval-scales, cwla, disagreement, lexiprecision"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="every table and figure of one of five papers, on your collection",
        description="Write every table (CSV and LaTeX) and every figure (its data as CSV, drawn as SVG and PDF) of a "
        "paper, numbered as there, and index.md, which names them all, the settings, and what was chosen where the "
        "paper leaves it open. "
        "Without judgments and runs, what follows from all possible rankings. A run that was stopped goes on where it "
        "was.",
    )
    parser.add_argument("paper", metavar="PAPER", help=f"one of {_NAMES}")
    add_collection(parser, optional=True)
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder for all files")
    parser.add_argument("--force", action="store_true", help="take over a folder that holds something else")
    parser.add_argument("--figures", choices=("both", "svg", "pdf", "none"),
                        help="how figures are drawn (default: both, where the extra figures is installed)")  # fmt: skip
    parser.add_argument("--alpha", type=float, default=0.05, help="level of significance (default: 0.05)")
    add_resampling(parser, "permutations", resamples=2000)
    parser.add_argument("--splits", type=int, default=1000, metavar="B", help="halves of the topics (default: 1,000)")
    parser.add_argument("--samples", type=int, default=10, metavar="N",
                        help="samples of judgments or topics (default: 10)")  # fmt: skip
    add_device(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.errors import InputError
    from rankscope.studies import Interrupted, Setting, reproduce
    from rankscope.studies.reproduce import paper

    chosen = paper(args.paper)
    if args.qrels is not None and not args.runs:
        raise InputError("no runs", "name the runs after the judgments")
    pictures = _pictures(args.figures)
    resampling = read_draws(args)
    judged = None
    if args.qrels is not None:
        judged = load_collection(args, keep_docs=any(item.needs == "documents" for item in chosen.items))
    setting = Setting(
        judged=judged,
        resampling=resampling,
        alpha=args.alpha,
        workers=args.workers,
    )
    try:
        with Bar(f"reproducing {args.paper}") as progress:
            results = reproduce(
                args.paper, args.output, setting, pictures=pictures, force=args.force, progress=progress
            )  # fmt: skip
    except Interrupted as stop:
        note(str(stop))
        return INTERRUPTED
    print(results)
    if isinstance(pictures, str) and args.figures is None:
        print(f"figures are not drawn: {pictures}")
    return 0


def _pictures(choice: str | None) -> Pictures | str:
    """Renderer of the figures, or the reason why they are not drawn."""
    if choice == "none":
        return "--figures none was given"
    from rankscope.errors import InputError
    from rankscope.figures.papers import pictures

    try:
        return pictures(("svg", "pdf") if choice in (None, "both") else (choice,))
    except InputError as error:
        if choice is not None:
            raise
        return f"{error.problems[0].cause}; after {error.problems[0].cure} the same command draws them"
