"""rankscope simulate: a test collection with known truth."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rankscope.cli.help_texts import METHOD, OUTPUT, described, section
from rankscope.cli.options import MEASURES_HELP, add_workers
from rankscope.cli.output_formats import add_force, note
from rankscope.progress import LONG, Bar

if TYPE_CHECKING:
    from rankscope.arguments import Checks

_EACH = "one number, or NAME=N for a system or family, or both"

# fields of rankscope.simulation.Model, and how each is described on the command line
_MODEL: dict[str, dict[str, Any]] = {
    "families": {"nargs": "+", "metavar": "NAME=S,S", "help": "families and the strengths of their systems (default: "
                 "lexical=0.68,0.78,0.88 dense=0.82,1,1.2 hybrid=1.05,1.25)"},
    "pool": {"type": int, "metavar": "N", "help": "number of candidate documents per topic (default: 300)"},
    "relevant": {"type": float, "metavar": "X", "help": "median share of relevant documents among the candidates of a "
                 "topic (default: 0.06)"},
    "relevant_spread": {"type": float, "metavar": "SD", "help": "standard deviation over topics of the logarithm of "
                        "the share of relevant documents (default: 0.6)"},
    "grades": {"nargs": "+", "type": float, "metavar": "SHARE",
               "help": "shares of relevant documents at grades 1, 2, ... (default: 0.55 0.3 0.15)"},
    "difficulty": {"type": float, "metavar": "SD", "help": "standard deviation of the difficulty of topics "
                   "(default: 0.35)"},
    "shared": {"type": float, "metavar": "SD", "help": "standard deviation of the errors that a family shares "
               "(default: 0.7)"},
    "own": {"nargs": "+", "metavar": "SD", "help": "standard deviation of the errors that each system has alone: "
            f"{_EACH} (default: 0.5)"},
    "odd": {"type": float, "metavar": "X", "help": "share of topics of an odd kind (default: 0)"},
    "on_odd": {"nargs": "+", "metavar": "F", "help": f"factor on the strength of a system on odd topics: {_EACH} "
               "(default: 1)"},
    "decimals": {"nargs": "+", "metavar": "N", "help": f"decimals of scores, of which few make ties: {_EACH} (default: "
                 "1 for the first system, 3 for others)"},
    "depth": {"type": int, "metavar": "K", "help": "number of documents in a list (default: 100)"},
    "judged": {"nargs": "+", "metavar": "K", "help": f"number of documents of a list that are judged: {_EACH}; 0 keeps "
               "a system out of the judging (default: 20)"},
    "overrate": {"type": float, "metavar": "P", "help": "probability of a grade one too high (default: 0)"},
    "underrate": {"type": float, "metavar": "P", "help": "probability of a grade one too low (default: 0)"},
}  # fmt: skip
_SAMPLE: dict[str, dict[str, Any]] = {
    "n_topics": {"type": int, "default": 50, "metavar": "N", "help": "number of topics (default: 50)"},
    "barren": {"type": int, "default": 1, "metavar": "N",
               "help": "number of topics without relevant documents (default: 1)"},
    "seed": {"type": int, "default": 1, "metavar": "N",
             "help": "seed of the random numbers: the same seed gives the same bytes (default: 1)"},
    "n_truth_topics": {"type": int, "default": 50_000, "metavar": "N",
                       "help": "number of topics from which the true scores are computed (default: 50,000)"},
    "measures": {"nargs": "+", "action": "extend", "metavar": "M",
                 "help": f"{MEASURES_HELP}, of which the true scores are computed (default: nDCG@10 AP)"},
}  # fmt: skip
_BY_SYSTEM = ("own", "on_odd", "decimals", "judged")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("simulate", **described(
        "simulate",
        "Draw a test collection whose true scores are known. Judgments, runs and the truth are written into a folder. "
        "Without options it is the collection that comes with rankscope.",
        "-o drawn --n-topics 20 --n-truth-topics 2000",
        "-o two --families a=1 b=1.1 --n-topics 20 -m nDCG@10",
        usage="-o DIR",
    ))  # fmt: skip
    output = section(parser, OUTPUT)
    output.add_argument("-o", "--output", metavar="DIR", required=True,
                        help="folder that the files are written to, new or empty")  # fmt: skip
    add_force(parser, "write into a folder that is not empty")
    output.add_argument("--json", action="store_true", help="print the truth as one JSON object")
    add_workers(parser)
    for name, kinds in _SAMPLE.items():
        section(parser, METHOD).add_argument(*(["-m"] if name == "measures" else []), _flag(name), **kinds)
    model = section(parser, "model", "rankscope.simulation.Model explains each part.")
    for name, kinds in _MODEL.items():
        model.add_argument(_flag(name), **kinds)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    import json
    from pathlib import Path

    from rankscope.arguments import Checks
    from rankscope.errors import InputError, Problem
    from rankscope.simulation import Model, check_folder, check_sample, check_truth, simulate, truth, write_folder
    from rankscope.simulation.known_truth import MEASURES
    from rankscope.version import __version__

    folder = Path(args.output)
    with Checks() as check:
        model = check(Model, **_settings(args, check))
        check(check_sample, n_topics=args.n_topics, barren=args.barren, seed=args.seed)
        measures = check(check_truth, args.measures or MEASURES, n_topics=args.n_truth_topics, workers=args.workers)
        check(check_folder, folder, model, force=args.force)

    collection = simulate(model, n_topics=args.n_topics, barren=args.barren, seed=args.seed)
    with Bar("drawing", delay=LONG) as progress:
        true = truth(
            model, measures, n_topics=args.n_truth_topics, seed=args.seed, workers=args.workers, progress=progress
        )
    try:
        paths = write_folder(folder, collection, true, seed=args.seed, command=_command(args))
    except OSError as error:
        cause = f"cannot be written ({(error.strerror or str(error)).lower()})"
        raise InputError(Problem(cause, "choose another folder", str(error.filename or folder))) from error
    print(json.dumps({"rankscope": __version__, **true.to_dict()}, indent=1, allow_nan=False) if args.json else true)
    note(f"Wrote {len(paths)} files to {folder}; README.txt there says what they are.")
    return 0


def _settings(args: argparse.Namespace, check: Checks) -> dict[str, Any]:
    """Fields of the model that were asked for; what cannot be read is a problem, and left out."""
    settings = {name: getattr(args, name) for name in _MODEL if getattr(args, name) is not None}
    for name, read in {"families": _families, **dict.fromkeys(_BY_SYSTEM, _by_system)}.items():
        if name in settings:
            settings[name] = read(_flag(name), settings[name], check)
    return {name: value for name, value in settings.items() if value != {}}


def _families(flag: str, texts: list[str], check: Checks) -> dict[str, list[float]]:
    from rankscope.errors import Problem

    families: dict[str, list[float]] = {}
    for text in texts:
        name, _, strengths = text.partition("=")
        if name in families:
            check.add(Problem(f"{flag} {text}: {name} was given before", f"{flag} names each family once"))
        try:
            families[name] = [float(strength) for strength in strengths.split(",")]
        except ValueError:
            check.add(Problem(f"{flag} {text}", f"{flag} takes NAME=STRENGTH,STRENGTH as in dense=0.82,1"))
    return families


def _by_system(flag: str, texts: list[str], check: Checks) -> dict[str, float]:
    from rankscope.errors import Problem

    values: dict[str, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        if (name or "*") in values:
            check.add(Problem(f"{flag} {text}: {name or 'N'} was given before", f"{flag} takes each name once"))
        try:
            value = float(number)
        except ValueError:
            check.add(Problem(f"{flag} {text}", f"{flag} takes N or NAME=N, as in {flag} 1 dense=2"))
        else:
            values[name or "*"] = int(value) if value.is_integer() else value
    return values


def _command(args: argparse.Namespace) -> str:
    """The command again, with all that was asked for and moves a byte."""
    import shlex

    words = ["rankscope", "simulate", "-o", "DIR"]
    for name, kinds in (_SAMPLE | _MODEL).items():
        value = getattr(args, name)
        if value is not None and value != kinds.get("default"):
            words += [_flag(name), *map(str, value if isinstance(value, list) else [value])]
    return shlex.join(words)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
