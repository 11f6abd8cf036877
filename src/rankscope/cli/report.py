"""rankscope report: one self-contained interactive page."""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import TYPE_CHECKING

from rankscope.cli.options import add_alpha, add_gains, add_measures, add_rules, load_collection, read_gains
from rankscope.cli.progress import telling

if TYPE_CHECKING:
    from rankscope.comparisons import Comparison, Leaderboard
    from rankscope.judged import Judged
    from rankscope.measures import Measure, Scores

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
    parser.add_argument("--for", dest="about", nargs=3, metavar=("compare", "A", "B"),
                        help="a page around the comparison of two of the systems")  # fmt: skip
    parser.add_argument("--study", action="append", default=[], metavar="DIR",
                        help="also show what metrics --checkpoint or reproduce wrote; may be repeated")  # fmt: skip
    parser.add_argument("--title", help="of the page")
    add_gains(parser)
    add_alpha(parser, "p values below it decide")
    parser.add_argument("--resamples", type=int, default=10_000, metavar="B", help="of what is drawn (default: 10,000)")
    parser.add_argument("--seed", type=int, default=42, help="of what is drawn (default: 42)")
    add_rules(parser, depth="default: whole lists, of which the page holds 100 documents")
    parser.set_defaults(reads_again=True, run=run, run_arguments=())


def run(args: argparse.Namespace) -> int:
    from rankscope.errors import DataWarning
    from rankscope.measures import evaluate, parse
    from rankscope.reporting import check_extra, check_path, page
    from rankscope.reporting.folders import check_folder, from_folder
    from rankscope.reporting.page_contents import DEPTH
    from rankscope.validation import validate

    _check(args)
    check_extra()  # all that can be known to fail fails before the work
    check_path(args.output, force=args.force)
    measures, gains = parse(args.measures or DEFAULT), read_gains(args.gains)
    for folder in args.study:
        check_folder(folder)
    judged = load_collection(args, keep_docs=True, keep_ties=args.about is not None)
    for name in args.about[1:] if args.about else ():
        judged.system(name)
    with telling("looking for what is odd") as progress:
        tell = progress or (lambda _: None)
        findings = validate(
            args.qrels, args.runs, rel=args.rel, names=args.names, run_format=args.run_format,
            qrels_format=args.qrels_format, workers=args.workers,
        )  # fmt: skip
        tell("scoring")
        scores = evaluate(judged, measures, workers=args.workers)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # which topics are left out was said of the scores
            tell("ranking")
            ranking = _ranking(args, judged, scores)
            tell("comparing")
            comparison = _comparison(args, judged, measures[0])
            studies = [from_folder(one, judged, progress=progress, workers=args.workers) for one in args.study]
        tell("drawing")
        made = page(
            judged, scores, ranking=ranking, findings=findings, comparison=comparison, studies=studies,
            title=args.title, depth=args.depth or DEPTH, gains=gains,
        )  # fmt: skip
    path = made.save(args.output, force=args.force)
    for line in made.left_out:
        print(f"note: {line}", file=sys.stderr)
    print(f"{path}: {len(made.html.encode()) / 1e6:.1f} MB")
    return 0


def _check(args: argparse.Namespace) -> None:
    from pathlib import Path

    from rankscope.cli.output_formats import ENDINGS
    from rankscope.errors import InputError, Problem

    if ENDINGS.get(Path(args.output).suffix.lower(), "html") != "html":
        raise InputError(Problem("a report is an HTML page", "choose a name that ends in .html", args.output))
    if args.about and args.about[0] != "compare":
        raise InputError(f"--for {args.about[0]}", "a page can be made --for compare A B")
    if args.about and args.about[1] == args.about[2]:
        raise InputError("A and B are the same system", "name two systems")
    if args.depth is not None and args.depth < 1:
        raise InputError(f"--depth {args.depth}", "depth is a whole number from 1")
    if not 0 < args.alpha < 1:
        raise InputError(f"alpha={args.alpha}", "alpha is between 0 and 1, such as 0.05")


def _ranking(args: argparse.Namespace, judged: Judged, scores: Scores) -> Leaderboard | None:
    """The leaderboard; None where there is too little to rank."""
    from rankscope.comparisons import rank
    from rankscope.comparisons.scored import FEWEST
    from rankscope.statistics import Resampling

    first, *others = scores.measures
    if len(judged.systems) < 2 or len(scores.matrix(first)) < FEWEST:
        return None
    return rank(
        judged, measure=first, also=others, alpha=args.alpha, level=args.level,
        resampling=Resampling(args.resamples, args.seed), workers=args.workers,
    )  # fmt: skip


def _comparison(args: argparse.Namespace, judged: Judged, measure: Measure) -> Comparison | None:
    """The comparison that the page is about, with ties at their best and at their worst beside it."""
    if args.about is None:
        return None
    from rankscope.comparisons import compare
    from rankscope.statistics import Resampling

    return compare(
        judged, args.about[1], args.about[2], measure=measure, alpha=args.alpha, level=args.level,
        resampling=Resampling(args.resamples, args.seed), workers=args.workers,
    )  # fmt: skip
