"""rankscope convert: the same run or judgments in another format."""

from __future__ import annotations

import argparse


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "convert",
        help="between every format",
        description="Write a run or judgments in another format. OUT's ending says which, and how to compress it.",
    )
    parser.add_argument("source", metavar="IN", help="a run or judgments file, or irds:ID")
    parser.add_argument("target", metavar="OUT", help="what to write: .txt .json .jsonl .csv .tsv .parquet .msmarco, "
                        "with .gz, .bz2, .xz or .zst after it to compress")  # fmt: skip
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--run", dest="kind", action="store_const", const="run", help="IN is a run")
    kind.add_argument("--qrels", dest="kind", action="store_const", const="qrels", help="IN holds judgments")
    parser.add_argument("--from", dest="source_format", metavar="F", help="format of IN, instead of what it shows")
    parser.add_argument("--to", dest="target_format", metavar="F", help="format of OUT, instead of what its name says")
    parser.add_argument("--tag", help="tag column of a TREC run (default: the file's name)")
    parser.add_argument("--force", action="store_true", help="overwrite OUT")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    import sys

    from rankscope.io import convert
    from rankscope.outputs import check_output

    check_output(args.target, force=args.force, cure="--force")
    done = convert(
        args.source, args.target, kind=args.kind, source_format=args.source_format, target_format=args.target_format,
        tag=args.tag, force=args.force,
    )  # fmt: skip
    print(done, file=sys.stderr)
    return 0
