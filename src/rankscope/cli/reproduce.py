"""rankscope reproduce: every table and figure of a paper, on a collection or on all possible rankings."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rankscope.cli.exit_codes import INTERRUPTED
from rankscope.cli.help_texts import METHOD, OUTPUT, described, section
from rankscope.cli.options import add_collection, add_device, add_resampling, load_collection, read_draws
from rankscope.cli.output_formats import add_force, note
from rankscope.progress import Bar

if TYPE_CHECKING:
    from rankscope.studies.reproduce import Pictures

_NAMES = "ipso, interval-scales, cwla, disagreement, lexiprecision"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("reproduce", **described(
        "reproduce",
        "Write every table (CSV and LaTeX) and every figure (CSV, SVG and PDF) of a paper, numbered as there. The file "
        "index.md names them all, the settings, and what was chosen where the paper leaves it open. Without judgments "
        "and runs, only what follows from all possible rankings is written. A command that was stopped goes on where "
        "it was.",
        "ipso -o ipso-paper --figures none",
        "disagreement -o disagreement-paper --figures none",
        usage="PAPER [QRELS RUN [RUN ...]] -o DIR",
    ))  # fmt: skip
    parser.add_argument("paper", metavar="PAPER", help=f"paper, one of {_NAMES}")
    add_collection(parser, optional=True)
    output = section(parser, OUTPUT)
    output.add_argument("-o", "--output", required=True, metavar="DIR", help="folder that all files are written to")
    add_force(parser, "take over a folder that holds something else")
    output.add_argument("--figures", choices=("both", "svg", "pdf", "none"),
                        help="format of the figures (default: both, where the extra figures is installed)")  # fmt: skip
    method = section(parser, METHOD)
    method.add_argument("--alpha", type=float, default=0.05,
                        help="significance level: a p value below it shows a difference (default: 0.05)")  # fmt: skip
    add_resampling(parser, "permutations", resamples=2000)
    method.add_argument("--splits", type=int, default=1000, metavar="B",
                        help="number of random splits of the topics into halves (default: 1,000)")  # fmt: skip
    method.add_argument("--samples", type=int, default=10, metavar="N",
                        help="number of samples that are drawn from judgments or topics (default: 10)")  # fmt: skip
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
