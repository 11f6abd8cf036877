"""rankscope report: one self-contained interactive page."""

from __future__ import annotations

import argparse

from rankscope.cli.help_texts import INPUT, METHOD, OUTPUT, described, section
from rankscope.cli.options import (
    QRELS_HELP,
    RUNS_HELP,
    add_alpha,
    add_gains,
    add_judges,
    add_measures,
    add_resampling,
    add_rules,
    add_topics,
    chosen_rules,
    read_gains,
    topic_options,
)
from rankscope.cli.output_formats import add_force, note
from rankscope.progress import Bar

DEFAULT = ["nDCG@10", "AP", "P@10", "RR"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("report", **described(
        "report",
        "Write one HTML page that needs no server and no network. It holds what is odd in the files, the leaderboard, "
        "any two systems compared, lists side by side, studies and methods.",
        "qrels.gz runs -o report.html",
        "qrels.gz runs -o pair.html --for compare lexical-3 hybrid-1",
    ))  # fmt: skip
    parser.add_argument("qrels", metavar="QRELS", help=QRELS_HELP)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=RUNS_HELP)
    add_measures(parser, DEFAULT, decides=True)
    method = section(parser, METHOD)
    method.add_argument("--baseline", metavar="NAME", help="system with which every other system is compared")
    add_gains(parser)
    add_alpha(parser, "a p value below it shows a difference")
    add_resampling(parser, "random samples, for tests and intervals that draw them")
    section(parser, INPUT).add_argument("--study", action="append", default=[], metavar="DIR",
                                        help="folder that metrics --checkpoint or reproduce has written, to be shown "
                                        "as well")  # fmt: skip
    add_judges(parser, "for a chapter on what they would change")
    add_topics(parser, tests=False, weights=False)
    section(parser, INPUT).add_argument("--holes", nargs="?", const=True, default=False, metavar="FILE",
                                        help="a chapter on unjudged documents; with FILE, which holds later judgments, "
                                        "also how fast they would have settled the sign")  # fmt: skip
    section(parser, INPUT).add_argument("--collections", nargs="+", metavar="DIR",
                                        help="folders of collections, or a table of them, as `across` takes them: for "
                                        "a chapter on all of them")  # fmt: skip
    output = section(parser, OUTPUT)
    output.add_argument("-o", "--output", metavar="FILE", default="report.html",
                        help="file of the page (default: report.html)")  # fmt: skip
    add_force(parser)
    output.add_argument("--for", dest="about", nargs=3, metavar=("compare", "A", "B"),
                        help="the word compare and two systems, which the page is about")  # fmt: skip
    output.add_argument("--title", help="title of the page (default: named after the measure and the systems)")
    add_rules(parser, depth="default: whole lists, of which the page holds 100 documents")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.formatting import visible
    from rankscope.measures import parse
    from rankscope.outputs import check_output
    from rankscope.reporting import report
    from rankscope.statistics import Resampling

    _check(args)
    check_output(args.output, force=args.force)
    with Bar("reading") as progress:
        page = report(
            args.qrels, args.runs, measures=parse(args.measures or DEFAULT), baseline=args.baseline,
            pair=None if args.about is None else tuple(args.about[1:]), studies=args.study,
            judges=args.judges, collections=args.collections, holes=args.holes, **topic_options(args), title=args.title,
            gains=read_gains(args.gains), alpha=args.alpha, level=args.level,
            resampling=Resampling(args.resamples, args.seed), progress=progress, workers=args.workers,
            run_format=args.run_format, qrels_format=args.qrels_format, **chosen_rules(args),
        )  # fmt: skip
    path = page.save(args.output, force=args.force)
    for line in (f"formats: {page.read_as}", *(f"note: {line}" for line in page.left_out)):
        note(line)
    print(visible(f"{path}: {page.size}"))
    return 0


def _check(args: argparse.Namespace) -> None:
    from rankscope.errors import InputError
    from rankscope.reporting.assembling import check_page

    check_page(args.output)
    if args.about and args.about[0] != "compare":
        raise InputError(f"--for {args.about[0]}", "a page can be made --for compare A B")
