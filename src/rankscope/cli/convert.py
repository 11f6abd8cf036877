"""rankscope convert: the same run or judgments in another format."""

from __future__ import annotations

import argparse

from rankscope.cli.help_texts import INPUT, OUTPUT, described, section
from rankscope.cli.options import add_columns, read_columns
from rankscope.cli.output_formats import add_force
from rankscope.progress import Bar


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("convert", **described(
        "convert",
        "Write a run or judgments in another format. The ending of OUT says which format, and how to compress it.",
        "runs/hybrid-1.gz hybrid-1.json",
        "qrels.gz qrels.csv --qrels",
        usage="IN OUT",
    ))  # fmt: skip
    parser.add_argument("source", metavar="IN", help="run or judgments to read: a file, or irds:ID")
    parser.add_argument("target", metavar="OUT",
                        help="file to write: .txt .json .jsonl .csv .tsv .parquet .msmarco, with .gz, .bz2, .xz or "
                        ".zst after it to compress")  # fmt: skip
    files = section(parser, INPUT)
    kind = files.add_mutually_exclusive_group()
    kind.add_argument("--run", dest="kind", action="store_const", const="run", help="read IN as a run")
    kind.add_argument("--qrels", dest="kind", action="store_const", const="qrels", help="read IN as judgments")
    files.add_argument("--from", dest="source_format", metavar="F",
                       help="format of IN, as in trec (default: seen in the content)")  # fmt: skip
    add_columns(parser)
    output = section(parser, OUTPUT)
    output.add_argument("--to", dest="target_format", metavar="F",
                        help="format of OUT, as in trec (default: from the ending)")  # fmt: skip
    output.add_argument("--tag", help="tag column of a TREC run (default: the file's name)")
    add_force(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    import sys

    from rankscope.io import convert
    from rankscope.outputs import check_output

    check_output(args.target, force=args.force)
    with Bar("converting"):
        done = convert(
            args.source, args.target, kind=args.kind, source_format=args.source_format,
            target_format=args.target_format, columns=read_columns(args), tag=args.tag, force=args.force,
        )  # fmt: skip
    print(done, file=sys.stderr)
    return 0
