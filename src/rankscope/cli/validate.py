"""rankscope validate: what is legal but odd in judgments and runs."""

from __future__ import annotations

import argparse

from rankscope.cli.exit_codes import DONE, FOUND
from rankscope.cli.help_texts import OUTPUT, RULES, described, section
from rankscope.cli.options import QRELS_HELP, RUNS_HELP, add_formats, add_names, add_workers, read_columns, reading_bar
from rankscope.cli.output_formats import add_layers, add_shapes, note, show


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("validate", **described(
        "validate",
        "Say what is legal but odd in judgments and runs, worst first, and which numbers it would change.",
        "qrels.gz runs",
        "qrels.gz runs/lexical-3.gz runs/hybrid-1.gz --json",
    ))  # fmt: skip
    parser.add_argument("qrels", metavar="QRELS", help=QRELS_HELP)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=RUNS_HELP)
    section(parser, RULES).add_argument("--rel", type=float, metavar="G",
                                        help="lowest grade that counts as relevant; naming it silences the question "
                                        "about another one (default: 1)")  # fmt: skip
    add_names(parser)
    output = section(parser, OUTPUT)
    add_shapes(parser, "json")
    add_layers(parser)
    output.add_argument("--strict", action="store_true", help="exit with 1 when there is a finding, instead of 0")
    add_formats(parser)
    add_workers(parser, cluster=False)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.errors import speaking
    from rankscope.validation import validate
    from rankscope.validation.wording import OPTIONS

    with speaking(args.spoken | OPTIONS), reading_bar(args.runs, "checking") as (files, done, progress):
        findings = validate(
            args.qrels, files, rel=args.rel, names=args.names, run_format=args.run_format,
            qrels_format=args.qrels_format, columns=read_columns(args), workers=args.workers, done=done,
            progress=progress,
        )  # fmt: skip
    note(f"formats: {findings.read_as}")
    show(findings, args)
    return FOUND if args.strict and not findings.clean else DONE
