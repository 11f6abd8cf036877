"""rankscope report: one self-contained interactive page."""

from __future__ import annotations

import argparse

from rankscope.cli.options import (
    add_alpha,
    add_gains,
    add_measures,
    add_resampling,
    add_rules,
    chosen_rules,
    read_gains,
)
from rankscope.cli.output_formats import note
from rankscope.progress import Bar

DEFAULT = ["nDCG@10", "AP", "P@10", "RR"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "report",
        help="one self-contained interactive page",
        description="Write one HTML page that needs no server and no network: what is odd in the files, leaderboard, "
        "a comparison explorer for any two systems, depths and orders, lists side by side, studies, methods.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="judgments: a file, or irds:ID for a data set of ir_datasets")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="runs: files, folders or patterns")
    parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="the page (default: report.html)")
    parser.add_argument("--force", action="store_true", help="write over a file that exists")
    add_measures(parser, DEFAULT, decides=True)
    parser.add_argument("--baseline", metavar="NAME", help="compare every other system with this one")
    parser.add_argument("--for", dest="about", nargs=3, metavar=("compare", "A", "B"),
                        help="a page around the comparison of two of the systems")  # fmt: skip
    parser.add_argument("--study", action="append", default=[], metavar="DIR",
                        help="also show what metrics --checkpoint or reproduce wrote; may be repeated")  # fmt: skip
    parser.add_argument("--title", help="of the page")
    add_gains(parser)
    add_alpha(parser, "p values below it decide")
    add_resampling(parser)
    add_rules(parser, depth="default: whole lists, of which the page holds 100 documents")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.formatting import visible
    from rankscope.measures import parse
    from rankscope.outputs import check_output
    from rankscope.reporting import report
    from rankscope.statistics import Resampling

    _check(args)
    check_output(args.output, force=args.force, cure="--force")
    with Bar("reading") as progress:
        page = report(
            args.qrels, args.runs, measures=parse(args.measures or DEFAULT), baseline=args.baseline,
            pair=None if args.about is None else tuple(args.about[1:]), studies=args.study, title=args.title,
            gains=read_gains(args.gains), alpha=args.alpha, level=args.level,
            resampling=Resampling(args.resamples, args.seed), progress=progress, workers=args.workers,
            run_format=args.run_format, qrels_format=args.qrels_format, **chosen_rules(args),
        )  # fmt: skip
    path = page.save(args.output, force=args.force)
    for line in (f"read as {page.read_as}", *(f"note: {line}" for line in page.left_out)):
        note(line)
    print(visible(f"{path}: {page.size}"))
    return 0


def _check(args: argparse.Namespace) -> None:
    from rankscope.errors import InputError
    from rankscope.reporting.assembling import check_page

    check_page(args.output)
    if args.about and args.about[0] != "compare":
        raise InputError(f"--for {args.about[0]}", "a page can be made --for compare A B")
