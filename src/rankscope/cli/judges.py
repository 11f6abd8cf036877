"""rankscope judges: other judgments of the same collection, and the verdicts that they would keep."""

from __future__ import annotations

import argparse

from rankscope.cli.help_texts import INPUT, METHOD, described, section
from rankscope.cli.options import (
    add_alpha,
    add_collection,
    add_judges,
    add_measures,
    add_resampling,
    add_test,
    chosen_rules,
)
from rankscope.cli.output_formats import add_layers, add_plot, add_shapes, note, show

DEFAULT = ["nDCG@10"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("judges", **described(
        "judges",
        "Would another judge give the same grades, the same leaderboard and the same verdicts? One row per judge: "
        "agreement on judged pairs, rank correlation of systems, and how many verdicts are kept, lost, reversed or "
        "invented. Judges are people, crowds or language models; their grades are read from files.",
        "qrels.gz runs --judges judges",
        "qrels.gz runs --judges llm=judges/lenient.gz -m AP --full",
    ))  # fmt: skip
    add_collection(parser)
    add_judges(parser, "which are compared with QRELS, the reference")
    files = section(parser, INPUT)
    files.add_argument("--reference", metavar="NAME", help="judge that others are compared with (default: QRELS)")
    files.add_argument("--humans", nargs="+", metavar="NAME", default=(),
                       help="judges that are people: their agreement with each other is the line to compare "
                       "with (default: none)")  # fmt: skip
    files.add_argument("--groups", metavar="FILE",
                       help="file of groups of systems: does a judge favour a group? Lines `group system`, or JSON "
                       "{group: [system]}")  # fmt: skip
    add_measures(parser, DEFAULT)
    add_test(parser, "the difference between each two systems")
    section(parser, METHOD).add_argument("--family-wise", action="store_true",
                                         help="test all pairs of systems as one family, by step-down MaxT over "
                                         "bootstrap samples as in rank, and not each for itself")  # fmt: skip
    add_alpha(parser, "a p value below it shows a difference")
    add_resampling(parser, "bootstrap samples of topics, for intervals", resamples=1000)
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_layers(parser)
    add_plot(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.errors import InputError
    from rankscope.io.slice_files import read_slices
    from rankscope.judged import load_judges
    from rankscope.measures import parse
    from rankscope.progress import LONG, Bar
    from rankscope.statistics import Resampling
    from rankscope.studies import judges

    measures = parse(args.measures or DEFAULT)
    if len(measures) > 1:
        raise InputError(f"{len(measures)} measures", "name one, which ranks and compares the systems")
    resampling = Resampling(args.resamples, args.seed)
    groups = None if args.groups is None else read_slices(args.groups)
    loaded = load_judges(
        args.qrels, args.runs, args.judges, reference=args.reference, humans=args.humans, workers=args.workers,
        run_format=args.run_format, qrels_format=args.qrels_format, **chosen_rules(args),
    )  # fmt: skip
    note(f"judges: {len(loaded.names)}; formats: {loaded.base.read_as}")
    with Bar("comparing judges", delay=LONG) as progress:
        study = judges(
            loaded, measure=measures[0], test=args.test, family_wise=args.family_wise, alpha=args.alpha,
            level=args.level, groups=groups, resampling=resampling, progress=progress, workers=args.workers,
        )  # fmt: skip
    if words := study.without_relevant():
        note(f"note: {words}")
    show(study, args)
    return 0
