"""rankscope explain: what a measure is, who computes it otherwise, and why two numbers differ."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rankscope.cli.help_texts import INPUT, METHOD, described, section
from rankscope.cli.output_formats import add_layers, add_shapes, note, put, text_of
from rankscope.cli.plugins import add_plugins, load_plugins

if TYPE_CHECKING:
    from rankscope.judged import Judged

_MODES = ("names", "signature", "diff", "all")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("explain", **described(
        "explain",
        "Explain a measure: formula, user model, scale, properties, reference, and which tools compute it otherwise. "
        "Read a signature back into words, or say why two measures differ. Numbers are of the collection that comes "
        "with rankscope, or of your own.",
        "nDCG@10",
        """--diff nDCG@10 'nDCG(dcg="exp-log2")@10'""",
        usage="NAME [NAME ...]\n--signature TEXT\n--diff A B\n--all",
    ))  # fmt: skip
    parser.add_argument("names", metavar="NAME", nargs="*",
                        help="names of measures, in our notation or another tool's")  # fmt: skip
    section(parser, INPUT).add_argument("--qrels", metavar="QRELS",
                                        help="relevance judgments of your own collection, for numbers of "
                                        "it")  # fmt: skip
    section(parser, INPUT).add_argument("--runs", metavar="RUN", nargs="+", help="runs of your own collection")
    method = section(parser, METHOD)
    method.add_argument("--signature", metavar="TEXT", help="signature of a number, to read back into words")
    method.add_argument("--diff", nargs=2, metavar=("A", "B"), help="two measures, to say why their numbers differ")
    method.add_argument("--all", action="store_true",
                        help="print every measure in one line, with its scale and properties")  # fmt: skip
    add_plugins(parser)
    add_layers(parser)
    add_shapes(parser, "json")
    parser.set_defaults(reads_again=True, run=run)


def run(args: argparse.Namespace) -> int:
    from functools import partial

    from rankscope.universe.one_measure.explaining import explained

    load_plugins(args.plugin)
    diff = None if args.diff is None else (args.diff[0], args.diff[1])
    own = args.qrels, args.runs
    short = args.shape != "json" and args.layer == "short"
    results = explained(
        args.names, partial(_load, args), own, signature=args.signature, diff=diff, all=args.all, short=short
    )
    mode = next(mode for mode in _MODES if getattr(args, mode))
    put(
        (_json(mode, results) if args.shape == "json" else "\n\n".join(text_of(r, args) for r in results)) + "\n",
        args.output,
    )
    return 0


def _load(args: argparse.Namespace, **options: Any) -> Judged:
    """The user's collection, or the one that comes with the package; what is odd about it is told once."""
    from rankscope.errors import quietly
    from rankscope.judged import load
    from rankscope.simulation import embedded

    qrels, runs = (args.qrels, args.runs) if args.qrels else embedded()
    first = "keep_ties" in options
    with quietly(not first):
        judged = load(qrels, runs, **options)
    if args.qrels and first:
        note(f"formats: {judged.read_as}")
    return judged


def _json(mode: str, results: list[Any]) -> str:
    import json

    from rankscope.version import __version__

    dicts = [result.to_dict() for result in results]
    content = {"measures": dicts} if mode == "names" else {mode: dicts[0]["measures"] if mode == "all" else dicts[0]}
    return json.dumps({"rankscope": __version__, **content}, indent=1, allow_nan=False)
