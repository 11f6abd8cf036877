"""rankscope gate: an exit code for CI."""

from __future__ import annotations

import argparse
from pathlib import Path

from rankscope.cli.help_texts import METHOD, OUTPUT, RULES, described, section
from rankscope.cli.options import (
    add_alpha,
    add_collection,
    add_human_topics,
    add_judges,
    add_measures,
    add_repeats,
    add_topics,
    load_collection,
    load_other_judges,
    read_topic_count,
    with_topics,
)
from rankscope.cli.output_formats import add_layers, add_shapes, put, show

DEFAULT = ["nDCG@10"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("gate", **described(
        "gate",
        "May the candidate replace the baseline? The answer is read from Student's interval of candidate - baseline. "
        "Pass (exit 0): the interval lies above -margin. Regression (exit 1): the interval lies below 0. All else is "
        "inconclusive (exit 0, or 3 with --strict); bad input is exit 2. At level 0.95, a loss of the margin passes in "
        "about 2.5 % of gates. A candidate that is no worse is called a regression in about 2.5 %.",
        "qrels.gz runs/lexical-3.gz runs/hybrid-1.gz",
        "qrels.gz runs/hybrid-1.gz runs/dense-3.gz --margin 2% --strict",
        usage="QRELS BASELINE CANDIDATE",
    ))  # fmt: skip
    add_collection(parser, runs=("baseline", "candidate"))
    add_judges(parser, "of one machine that judged more than QRELS")
    add_human_topics(parser)
    add_repeats(parser)
    add_measures(parser, DEFAULT, decides=True)
    method = section(parser, METHOD)
    method.add_argument("--margin", default="0.01",
                        help="smallest loss that matters: points of the measure, or a share of the baseline's mean "
                        "such as 2%% (default: 0.01)")  # fmt: skip
    method.add_argument("--all-decide", action="store_true",
                        help="let every measure decide, at the levels of Holm's procedure over the measures, and not "
                        "the first one alone")  # fmt: skip
    add_alpha(
        parser,
        "twice the chance of each error, a pass at a loss of the margin and a regression where there is none",
    )
    add_topics(parser)
    section(parser, RULES).add_argument("--allow-missing", action="store_true",
                                        help="score judged topics that a run lacks as empty lists, and ignore topics "
                                        "without judgments; both are errors otherwise")  # fmt: skip
    output = section(parser, OUTPUT)
    output.add_argument("--strict", action="store_true", help="exit with 3 when inconclusive, instead of 0")
    output.add_argument("--summary", metavar="FILE",
                        help="append a Markdown summary to FILE, as to $GITHUB_STEP_SUMMARY")  # fmt: skip
    output.add_argument("--topics", nargs="?", const="10", metavar="N",
                        help="name the topics that lost most: 10, N, or all (default: 5)")  # fmt: skip
    add_shapes(parser, "json", "csv", "markdown")
    add_layers(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.comparisons import gate
    from rankscope.comparisons.gate_result import LOST
    from rankscope.errors import InputError
    from rankscope.measures import parse
    from rankscope.progress import LONG, Bar

    measure, *also = parse(args.measures or DEFAULT)
    most_lost = LOST if args.topics is None else read_topic_count(args.topics)
    repeats = _repeats(args)
    pair = {"BASELINE": args.baseline, "CANDIDATE": args.candidate} if repeats is None else None
    judged, topics = with_topics(args, lambda: load_collection(args, pair))
    systems = judged.systems
    if repeats is not None:
        systems = tuple(dict.fromkeys(repeats.values()))
        repeats = dict(zip(judged.systems, repeats.values(), strict=True))
    judges = None
    if args.judges is not None:
        if repeats is not None:
            raise InputError("--judges beside systems of several runs", "name one run each, or leave out --judges")
        judges = load_other_judges(args, dict(zip(judged.systems, (args.baseline, args.candidate), strict=True)))
    if (args.human_topics or args.human_pairs) != (judges is not None):
        option = "--human-pairs" if args.human_pairs else "--human-topics"
        others = "" if judges is None else " or --human-pairs"
        raise InputError(f"--judges and {option}{others} belong together", "give both, or none of them")
    with Bar("checking", delay=LONG) as progress:
        result = gate(
            judged, *systems, measure=measure, also=also, all_decide=args.all_decide, margin=args.margin,
            alpha=args.alpha, level=args.level, most_lost=most_lost, allow_missing=args.allow_missing,
            judges=judges, human_topics=args.human_topics,
            human_pairs=args.human_pairs, repeats=repeats,
            progress=progress, **topics,
        )  # fmt: skip
    show(result, args)
    if args.summary is not None:
        put(result.to_markdown() + "\n", args.summary, append=True)
    return result.exit_code(args.strict)


def _repeats(args: argparse.Namespace) -> dict[str, str] | None:
    """Names of systems by the paths of their runs, where baseline or candidate is several runs; else None.

    Several runs are a folder, or the path of a system such as runs/bge, whose runs are runs/bge@1.gz, runs/bge@2.gz.
    """
    from rankscope.comparisons.repeats import systems_of
    from rankscope.errors import InputError
    from rankscope.io import expand, system_name

    pair = [Path(args.baseline), Path(args.candidate)]
    parts = []
    for path in pair:
        files = [path]
        if path.is_dir() and path.suffix.lower() != ".parquet":
            files = list(expand([path]))
        elif not path.exists() and path.parent.is_dir():
            beside = {system_name(file): file for file in path.parent.iterdir() if file.is_file()}
            files = [beside[run] for run in systems_of(list(beside), args.repeats).get(path.name, ())] or files
        parts.append(files)
    if all(files == [path] for files, path in zip(parts, pair, strict=True)):
        if args.repeats is not None:
            raise InputError("--repeats beside two runs", "name folders, or systems such as runs/bge of runs/bge@1.gz")
        return None
    names = [path.name for path in pair] if pair[0].name != pair[1].name else [str(path) for path in pair]
    systems = {str(file): name for files, name in zip(parts, names, strict=True) for file in files}
    args.runs, args.names = list(systems), "path"
    return systems
