"""rankscope across: one claim over many collections."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rankscope.cli.help_texts import INPUT, METHOD, described, section
from rankscope.cli.options import (
    add_alpha,
    add_measures,
    add_repeats,
    add_resampling,
    add_rules,
    add_test,
    chosen_rules,
)
from rankscope.cli.output_formats import add_layers, add_plot, add_shapes, show

DEFAULT = ["nDCG@10"]
USAGE = "rankscope across DIR... A B, or across DIR... to rank all systems"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("across", **described(
        "across",
        "Is B better than A in general, over several collections, and what is to be expected on the next one? Name "
        "folders of collections and two systems. Without systems, all of them are ranked by their means over "
        "collections. A collection is a folder with judgments (qrels*) and a folder of runs.",
        "collections.csv lexical-3 hybrid-1",
        "collections.csv --full",
        usage="DIR [DIR ...] A B\nDIR [DIR ...]\nTABLE A B",
    ))  # fmt: skip
    parser.add_argument("what", metavar="DIR A B", nargs="+",
                        help="folders of collections, or one folder that holds them; then two systems, A and B, or "
                        "none. In place of folders one file: a table with the columns collection, qrels, runs; or "
                        "scores with the columns collection, system, value and perhaps topic")  # fmt: skip
    files = section(parser, INPUT)
    files.add_argument("--mapping", metavar="FILE",
                       help="CSV file with the columns collection, run, system: what a run is called where collections "
                       "name a system differently")  # fmt: skip
    add_repeats(parser)
    add_measures(parser, DEFAULT, decides=True)
    method = section(parser, METHOD)
    method.add_argument("--margin", type=float, metavar="D",
                        help="difference that would matter: also test whether B is nowhere worse by as much "
                        "(default: not tested)")  # fmt: skip
    method.add_argument("--collection-weights", metavar="W",
                        help="weights of collections for a further mean over just these collections, as in "
                        "web=3,news=1 (default: none)")  # fmt: skip
    method.add_argument("--standardised", action="store_true",
                        help="differences in standard deviations over topics, for collections with different "
                        "measures")  # fmt: skip
    add_test(parser, "the difference between the two means on each collection")
    add_alpha(parser, "a p value below it shows a difference")
    add_resampling(parser, "bootstrap samples")
    add_rules(parser)
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_layers(parser)
    add_plot(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.comparisons import across
    from rankscope.comparisons.sensitivity import PALETTE
    from rankscope.measures import parse
    from rankscope.progress import LONG, Bar
    from rankscope.statistics import Resampling

    folders, names = _split(args.what)
    measures = parse(args.measures) if args.measures else []
    rules = {name: value for name, value in chosen_rules(args).items() if name != "names"}
    options: dict[str, Any] = {
        "measure": measures[0] if measures else None,
        "palette": (*measures[1:], *PALETTE),
        "mapping": args.mapping,
        "repeats": args.repeats,
        "margin": args.margin,
        "collection_weights": _weights(args.collection_weights),
        "standardised": args.standardised,
        "test": args.test,
        "alpha": args.alpha,
        "level": args.level,
        "resampling": Resampling(args.resamples, args.seed),
        "workers": args.workers,
        **rules,
    }
    source: Any = folders[0] if len(folders) == 1 else folders
    with Bar("comparing", delay=LONG) as progress:
        result = across(source, *(names or (None, None)), progress=progress, **options)
    show(result, args)
    return 0


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """Folders or one file, then names of systems: two or none; a name may be that of a file beside."""
    from rankscope.errors import InputError, Problem

    if Path(words[0]).is_file():
        count = 1
    else:
        count = next((i for i, word in enumerate(words) if not Path(word).is_dir()), len(words))
    folders, names = words[:count], words[count:]
    if len(names) == 2 and folders:
        return folders, names
    if not names:
        return folders, []
    if any(Path(name).exists() for name in names) or len(names) > 2 or not folders:
        raise InputError([Problem("is no folder, file, or last but one of the names", USAGE, names[0])])
    raise InputError(f"one system is named, {names[0]}, or it is no folder", USAGE)


def _weights(text: str | None) -> dict[str, float] | None:
    from rankscope.errors import InputError

    if text is None:
        return None
    weights = {}
    for pair in text.split(","):
        name, _, value = pair.rpartition("=")
        try:
            weights[name] = float(value)
        except ValueError:
            raise InputError(f"--collection-weights {pair}", "write pairs, as in web=3,news=1") from None
    return weights
