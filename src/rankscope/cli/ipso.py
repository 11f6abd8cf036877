"""rankscope ipso: two bare result lists, or a file of them, without any collection."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rankscope.cli.help_texts import described
from rankscope.cli.options import add_gains, read_gains
from rankscope.cli.output_formats import add_layers, add_plot, add_shapes, show

if TYPE_CHECKING:
    from rankscope.preferences import Serps
    from rankscope.preferences.gains import Gains


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("ipso", **described(
        "ipso",
        "Compare two result lists rank by rank, without a metric. Down to a rank, A is at least as good under every "
        "metric that prefers better documents earlier, or B is, or both are equal, or it depends on the metric. A file "
        "of pairs has one line per pair: a topic, if there is one, and two lists. The method is that of Moffat and "
        "Mackenzie (2024).",
        "1011101101 1110100110",
        "2,0,1,0 1,2,0,0",
        usage="A B\nFILE",
    ))  # fmt: skip
    lists = (
        "two lists of relevance from the first rank down, as in 1011101101, or as grades with commas, as in 2,0,1; or "
        "a file of pairs of lists"
    )
    parser.add_argument("lists", metavar="A B | FILE", nargs="+", help=lists)
    add_gains(parser)
    add_shapes(parser, "json", "csv")
    add_layers(parser)
    add_plot(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.errors import InputError
    from rankscope.preferences import serps

    if len(args.lists) > 2:
        raise InputError(f"{len(args.lists)} lists", "give two lists, or one file of pairs")
    gains = read_gains(args.gains)
    if len(args.lists) == 2:
        result = serps([(args.lists[0], args.lists[1])], gains=gains)
    else:
        result = _read(args.lists[0], gains)
    show(result, args)
    return 0


def _read(path: str, gains: Gains) -> Serps:
    """A file of pairs: two lists per line, a topic before them or not."""
    from rankscope.arrays import size
    from rankscope.errors import InputError, Problem, plural
    from rankscope.io.files import read_one
    from rankscope.preferences import serps
    from rankscope.preferences.serps import read_pair
    from rankscope.progress import LONG, Bar

    try:
        text = read_one(path)
    except InputError as error:
        what = "give two lists, or one file of pairs"
        raise InputError([Problem(p.cause, what, p.place) for p in error.problems]) from error
    cure = "a line holds a topic, if there is one, and two lists"
    topics, pairs, problems = [], [], []
    for number, line in enumerate(text[: size(text)].tobytes().decode(errors="surrogateescape").split("\n"), 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) not in (2, 3):
            problems.append(Problem(f"{plural(len(fields), 'field')}, expected 2 or 3", cure, path, number))
            continue
        try:
            pairs.append(read_pair(fields[-2:]))
        except InputError as error:
            problems += [Problem(p.cause, p.cure, path, number) for p in error.problems]
        topics.append(fields[0] if len(fields) == 3 else str(number))
    if not topics and not problems:
        problems.append(Problem("no pairs of lists", cure, path))
    if problems:
        raise InputError(problems)
    with Bar("comparing", delay=LONG) as progress:
        return serps(pairs, topics, gains, progress=progress)
