"""rankscope validate: what is legal but odd in judgments and runs."""

from __future__ import annotations

import argparse

from rankscope.cli.exit_codes import DONE, FOUND
from rankscope.cli.output_formats import add_shapes, json_text, note, put


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "validate",
        help="what is odd in these files, before any number is believed",
        description="Print what is legal but odd, one line a finding, worst first, with what it would change.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="judgments: a file, or irds:ID for a data set of ir_datasets")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="runs: files, folders or patterns")
    parser.add_argument("--rel", type=float, metavar="G",
                        help="lowest relevant grade (default: 1); giving it silences hints at another")  # fmt: skip
    parser.add_argument("--names", choices=["file", "tag", "path"], default="file",
                        help="name systems after their file (default), tag column or path")  # fmt: skip
    parser.add_argument("-v", "--all", action="store_true", help="a line for every run of a finding")
    add_shapes(parser, "json")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when there is a finding")
    parser.add_argument("--qrels-format", metavar="F", help="format of the judgments, instead of what they show")
    parser.add_argument("--run-format", metavar="F", help="format of the runs, instead of what they show")
    parser.add_argument("--workers", type=int, metavar="N", help="threads to use (default: all processors)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.validation import validate

    findings = validate(
        args.qrels, args.runs, rel=args.rel, names=args.names, run_format=args.run_format,
        qrels_format=args.qrels_format, workers=args.workers,
    )  # fmt: skip
    note(f"read as {findings.read_as}")
    text = json_text(findings.to_dict()) if args.shape == "json" else findings.text(every_run=args.all)
    put(text + "\n", args.output)
    return FOUND if args.strict and not findings.clean else DONE
