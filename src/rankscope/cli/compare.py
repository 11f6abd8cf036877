"""rankscope compare: champion against challenger."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.cli.help_texts import OUTPUT, described, section
from rankscope.cli.options import (
    add_alpha,
    add_device,
    add_gains,
    add_human_topics,
    add_judges,
    add_measures,
    add_repeats,
    add_resampling,
    add_rules,
    add_scores,
    add_test,
    add_topics,
    load_collection,
    load_other_judges,
    read_gains,
    read_score_file,
    read_topic_count,
    refuse_idle_transpose,
    with_topics,
)
from rankscope.cli.output_formats import add_layers, add_plot, add_shapes, show

if TYPE_CHECKING:
    from rankscope.judged import Judged

DEFAULT = ["nDCG@10"]
USAGE = "rankscope compare QRELS A B, or compare QRELS FOLDER A B, or compare --scores FILE A B"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("compare", **described(
        "compare",
        "Does B score higher than A, beyond the luck of the topics, and do other metrics agree? Name the judgments and "
        "two runs. Or name the judgments, a folder of runs and two names of systems. Or name two columns of a "
        "file of scores.",
        "qrels.gz runs lexical-3 hybrid-1",
        "qrels.gz runs/lexical-3.gz runs/hybrid-1.gz -m AP",
        usage="QRELS A B\nQRELS FOLDER A B\n--scores FILE A B",
    ))  # fmt: skip
    parser.add_argument("what", metavar="QRELS A B", nargs="+",
                        help="relevance judgments and the runs of two systems, A and B; see usage for other "
                        "forms")  # fmt: skip
    add_scores(parser)
    add_judges(parser, "under each of whom the comparison is repeated")
    add_human_topics(parser)
    add_repeats(parser)
    add_measures(parser, DEFAULT, decides=True)
    add_test(parser, "the difference between the two means")
    add_alpha(parser, "a p value below it shows a difference")
    add_gains(parser)
    add_topics(parser)
    section(parser, OUTPUT).add_argument("--topics", nargs="?", const="10", metavar="N",
                                         help="print the topics on which the two systems differ most: 10, N, or all "
                                         "(default: none)")  # fmt: skip
    add_resampling(parser, "random samples, for tests and intervals that draw them")
    add_device(parser)
    add_rules(parser, depth="default: whole lists; IPSO and dominance to the cutoff of the measure, else to 10")
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_layers(parser)
    add_plot(parser)
    parser.set_defaults(reads_again=True, run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.comparisons import compare
    from rankscope.comparisons.sensitivity import PALETTE
    from rankscope.errors import InputError, plural
    from rankscope.measures import parse
    from rankscope.progress import LONG, Bar
    from rankscope.statistics import Resampling

    count = 0 if args.topics is None else read_topic_count(args.topics)
    if count != 0 and (args.scores is not None or args.shape in ("csv", "latex")):
        raise InputError(
            "--topics draws lists, as text, --json or --markdown", "leave it out with --scores, --csv, --latex"
        )
    resampling = Resampling(args.resamples, args.seed, device=args.device)
    options: dict[str, Any] = {
        "test": args.test,
        "alpha": args.alpha,
        "level": args.level,
        "depth": args.depth,
        "resampling": resampling,
        "workers": args.workers,
        "repeats": args.repeats,
    }
    refuse_idle_transpose(args)
    gains = read_gains(args.gains)
    if args.scores is not None:
        if len(args.what) != 2:
            raise InputError(f"{plural(len(args.what), 'name')} beside --scores", USAGE)
        if args.judges is not None or args.human_topics or args.human_pairs:
            raise InputError("--judges beside --scores", "judges need the ranked lists: name judgments and runs")
        if gains is not None:
            raise InputError("--gains beside --scores", "gains order lists: leave it out")
        source: Any
        source, topics = with_topics(args, lambda: read_score_file(args))
        a, b = args.what
    else:
        record, *others = parse(args.measures or DEFAULT)
        (source, n_systems), topics = with_topics(args, lambda: _collection(args))
        a, b = source.systems if len(source.systems) == 2 else args.what[-2:]
        options |= {"measure": record, "palette": (*others, *PALETTE), "gains": gains}
        if args.judges is not None:
            options |= {
                "judges": load_other_judges(args, dict(zip((a, b), args.pair, strict=True))),
                "human_topics": args.human_topics,
                "human_pairs": args.human_pairs,
            }
        elif args.human_topics or args.human_pairs:
            option = "--human-topics" if args.human_topics else "--human-pairs"
            raise InputError(f"{option} without --judges", "name the judgments of the machine")
    with Bar("comparing", delay=LONG) as progress:
        comparison = compare(source, a, b, progress=progress, **options, **topics)
    if args.scores is None:
        comparison = replace(comparison, n_systems=n_systems)
    further = {}
    if count != 0:
        from rankscope.comparisons import deciding

        further["deciding"] = deciding(comparison, count)
    show(comparison, args, further=further)
    return 0


def _collection(args: argparse.Namespace) -> tuple[Judged, int]:
    """The two runs, with their documents and with tied documents in other orders; of how many runs they are two."""
    from rankscope.comparisons.repeats import systems_of
    from rankscope.errors import InputError, Problem, did_you_mean
    from rankscope.io import expand, system_name
    from rankscope.io.paths import seeds

    if len(args.what) not in (3, 4):
        count, wanted = len(args.what), 3 if len(args.what) < 3 else "3 or 4"
        raise InputError(f"{wanted} arguments are needed, {count} {'was' if count == 1 else 'were'} given", USAGE)
    args.qrels, *runs = args.what
    n_systems = 2
    for run in runs if len(runs) == 2 else ():
        if Path(run).is_dir() and Path(run).suffix.lower() != ".parquet":
            raise InputError(f"{run} is a folder, and a folder needs two names of systems after it", USAGE)
    if len(runs) == 3:
        folder, *names = runs
        files = {system_name(path): path for path in expand([folder]) if path.resolve() != Path(args.qrels).resolve()}
        repeats = seeds(files, names) if args.repeats is None else args.repeats
        by_system = systems_of(list(files), repeats)
        if lacking := [name for name in names if name not in by_system]:
            raise InputError(
                [Problem(f"no run in {folder} is named {name!r}", did_you_mean(name, by_system)) for name in lacking]
            )
        if any(len(by_system[name]) > 1 for name in names):
            args.runs = [str(files[run]) for name in names for run in by_system[name]]
            return load_collection(args), len(by_system)
        runs, n_systems = [str(files[by_system[name][0]]) for name in names], len(by_system)
    elif args.repeats is not None:
        raise InputError("--repeats beside two runs", "name a folder of runs and two systems")
    pair = dict(zip("AB", runs, strict=True))
    args.pair = runs
    return load_collection(args, pair, keep_docs=True, keep_ties=True), n_systems
