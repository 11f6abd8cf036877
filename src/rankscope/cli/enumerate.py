"""rankscope enumerate: all possible rankings, where metrics can disagree and where they do."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from rankscope.cli.help_texts import METHOD, WORK, described, section
from rankscope.cli.options import MEASURES_HELP, add_gains, add_workers, read_gains, reading_bar
from rankscope.cli.output_formats import add_layers, add_plot, add_shapes, show
from rankscope.cli.plugins import add_plugins, load_plugins
from rankscope.progress import Bar

if TYPE_CHECKING:
    from rankscope.layout import Layer
    from rankscope.universe.ipso.separability import SeparabilityCounts
    from rankscope.universe.two_measures.disagreement import Disagreement

_LONG = 0.5  # seconds from which a progress bar is worth showing


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("enumerate", **described(
        "enumerate",
        "Where can two metrics disagree? All pairs of possible rankings of k documents are counted, exactly and "
        "without data: how many IPSO cannot separate, and how many any two measures order differently. With "
        "--features, the output says what each measure prefers where two disagree. With --runs, it says how often all "
        "this happens in a collection.",
        "-k 5 -m AP nDCG@5 RR",
        "-k 5 --runs qrels.gz runs",
        usage="",
    ))  # fmt: skip
    method = section(parser, METHOD)
    method.add_argument("-k", "--depth", type=int, default=10, metavar="K",
                        help="number of documents in a ranking (default: 10)")  # fmt: skip
    method.add_argument("-m", "--measures", nargs="+", action="extend", metavar="M",
                        help=f"{MEASURES_HELP} (default: those of Jones et al. 2015)")  # fmt: skip
    method.add_argument("-R", "--recall-base", nargs="+", type=int, metavar="N",
                        help="number of relevant documents of the topic, or how many of each grade from 1 on "
                        "(default: k)")  # fmt: skip
    method.add_argument("--grades", type=int, default=1, metavar="C",
                        help="highest grade: grades are 0 to C (default: 1, binary)")  # fmt: skip
    add_gains(parser)
    method.add_argument("--empty", action="store_true",
                        help="include the ranking without a relevant document")  # fmt: skip
    method.add_argument("--properties", metavar="FILE.json",
                        help="file for --buckets: an object of properties, each with a list of the measures that have "
                        "it (default: seven properties, looked for in all short rankings)")  # fmt: skip
    method.add_argument("--extend", action="store_true",
                        help="include what Jones et al. leave for later: variants of gain and discount and, with "
                        "--buckets, pairs of properties")  # fmt: skip
    method.add_argument("--rel", type=float, metavar="G",
                        help="lowest grade that counts as relevant, with --runs (default: 1; with --separability every "
                        "grade)")  # fmt: skip
    what = section(parser, "instead of the table of disagreement")
    what.add_argument("--separability", action="store_true",
                      help="print how many of all pairs of rankings IPSO can separate, for any k")  # fmt: skip
    what.add_argument("--order", action="store_true",
                      help="print IPSO's partial order: each ranking, and those right below it")  # fmt: skip
    what.add_argument("--freedom", action="store_true",
                      help="print how measures order the pairs that IPSO leaves free")  # fmt: skip
    what.add_argument("--values", action="store_true",
                      help="print how many different scores each measure has, and its ties")  # fmt: skip
    what.add_argument("--features", nargs="*", metavar="F",
                      help="print which measure prefers more of a feature where two disagree: recall, first-rel, "
                      "first-irrel, lowest-rel, longest-run (default: all)")  # fmt: skip
    what.add_argument("--buckets", action="store_true",
                      help="print the mean disagreement of measures that share a property, with ANOVA and "
                      "Tukey")  # fmt: skip
    what.add_argument("--runs", nargs="+", metavar="FILE",
                      help="judgments, then runs: count the pairs of lists in a collection instead")  # fmt: skip
    add_plugins(parser, "measures or features")
    add_workers(parser)
    section(parser, WORK).add_argument("--memory", metavar="SIZE",
                                       help="memory that counting may take, as in 2GiB; what needs more is refused "
                                       "(default: what is free)")  # fmt: skip
    add_shapes(parser, "json", "csv", "markdown", "latex")
    add_layers(parser)
    add_plot(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.errors import InputError
    from rankscope.io.memory import in_bytes
    from rankscope.parallel import check_workers

    only = [f"--{name}" for name in (*_VIEWS, "features", "buckets", "runs")
            if getattr(args, name) not in (None, False)]  # fmt: skip
    beside = ("--separability", "--features", "--buckets")
    if len(only) > 1 and (len(only) > 2 or only[1] != "--runs" or only[0] not in beside):
        raise InputError(f"{' and '.join(only)} do not go together",
                         "--runs takes --separability, --features or --buckets beside it")  # fmt: skip
    if args.properties is not None and not args.buckets:
        raise InputError("--properties has no effect", "it goes with --buckets")
    if args.rel is not None and args.runs is None:
        raise InputError("--rel has no effect", "it goes with --runs")
    if args.gains is not None and not (args.separability or args.order or args.freedom):
        raise InputError("--gains has no effect", "it goes with --separability, --order or --freedom")
    check_workers(args.workers)
    if args.memory is not None:
        in_bytes(args.memory)  # refuses what is no size
    load_plugins(args.plugin)
    result = _counted(args) if args.runs is None else _occurring(args)
    show(result, args)
    return 0


def _counted(args: argparse.Namespace) -> Any:
    """Result of the command over all possible rankings."""
    from rankscope.errors import InputError
    from rankscope.universe.two_measures.buckets import buckets
    from rankscope.universe.two_measures.disagreement import disagreement
    from rankscope.universe.two_measures.features import features

    for name, view in _VIEWS.items():
        if getattr(args, name):
            idle = [option for option, key in view.idle.items() if getattr(args, key)]
            if idle or (name == "separability" and args.grades > 1 and (args.recall_base or args.empty)):
                unused = ", ".join(idle) or "-R and --empty"
                with_ = f"--{name}" if idle else "--separability of more than two grades"
                raise InputError(f"{unused}: no effect with {with_}", "leave it out")
            return _Table(view.compute(args), view.caption, view.left)
    measures = _measures(args)
    base = _base(args)
    options = {"depth": args.depth, "grades": args.grades, "recall_base": base, "empty": args.empty, **_limits(args)}
    with Bar("counting", delay=_LONG) as progress:
        if args.features is not None:
            return features(measures, of=args.features or None, progress=progress, **options)
        result = disagreement(measures, progress=progress, **options)
    if args.buckets:
        return buckets(result, _properties(args.properties), combined=2 if args.extend else 1)
    return _Both(_separable(args) if args.grades == 1 or base is None else None, result)


def _measures(args: argparse.Namespace) -> list[str]:
    """Those that were named, or the paper's; with --extend their variants too."""
    from rankscope.universe.two_measures.disagreement import PAPER, VARIANTS

    measures = list(args.measures or PAPER)
    return [*measures, *(name for name in VARIANTS if args.extend and name not in measures)]


def _base(args: argparse.Namespace) -> Any:
    """R: one number where relevance is binary."""
    base = args.recall_base
    return base[0] if base is not None and len(base) == 1 and args.grades == 1 else base


def _limits(args: argparse.Namespace) -> dict[str, Any]:
    return {"workers": args.workers, "memory": args.memory}


def _separable(args: argparse.Namespace) -> SeparabilityCounts:
    from rankscope.universe.ipso.separability import separability

    # by itself it counts all pairs, as Moffat and Mackenzie do; beside a table of disagreement, the same rankings
    limited = {} if args.grades > 1 else {"recall_base": _base(args), "empty": args.empty or args.separability}
    with Bar("counting", delay=_LONG) as progress:
        return separability(args.depth, grades=args.grades, gains=read_gains(args.gains), progress=progress, **limited)


def _ordered(args: argparse.Namespace) -> Any:
    from rankscope.universe.ipso.order import hasse

    with Bar("counting", delay=_LONG) as progress:
        return hasse(args.depth, grades=args.grades, gains=read_gains(args.gains), progress=progress)


def _free(args: argparse.Namespace) -> Any:
    from rankscope.universe.ipso.freedom import freedom

    with Bar("counting", delay=_LONG) as progress:
        gains = read_gains(args.gains)
        return freedom(_measures(args), args.depth, grades=args.grades, gains=gains, progress=progress)


def _values(args: argparse.Namespace) -> Any:
    from rankscope.universe.one_measure.ties import distinct_values

    options = {"grades": args.grades, "recall_base": _base(args), **_limits(args)}
    with Bar("counting", delay=_LONG) as progress:
        return distinct_values(_measures(args), args.depth, progress=progress, **options)


class _View(NamedTuple):
    """View other than disagreement: its function, options without effect on it, its caption, its columns of text."""

    compute: Callable[[argparse.Namespace], Any]
    idle: dict[str, str]
    caption: str
    left: int = 1


_M, _R, _EMPTY = {"-m": "measures", "--extend": "extend"}, {"-R": "recall_base"}, {"--empty": "empty"}
_LIMITS = {"--workers": "workers", "--cluster": "cluster", "--memory": "memory"}
_VIEWS = {
    "separability": _View(
        _separable,
        _M | _LIMITS,
        "Pairs of rankings that IPSO leaves equal, separable and non-separable, in per cent of all pairs.",
    ),
    "order": _View(
        _ordered,
        _M | _R | _EMPTY | _LIMITS,
        "IPSO's partial order: each ranking, its height above the lowest one, and the rankings right below it.",
        left=3,
    ),
    "freedom": _View(
        _free, _R | _EMPTY | _LIMITS, "How measures order the pairs of rankings that IPSO leaves free.", left=2
    ),
    "values": _View(_values, _EMPTY, "Different scores of each measure over all rankings, and ties."),
}


def _occurring(args: argparse.Namespace) -> Any:
    """Result of the command on a collection."""
    from rankscope.errors import InputError
    from rankscope.judged import load
    from rankscope.universe.ipso.separability import expected_separability
    from rankscope.universe.two_measures.buckets import buckets
    from rankscope.universe.two_measures.frequencies import frequencies

    if len(args.runs) < 2:
        raise InputError("--runs names one file", "give the judgments, then at least one file or folder of runs")
    if args.memory is not None:
        raise InputError("--memory has no effect with --runs", "leave it out")
    if args.recall_base is not None or args.grades != 1 or args.empty:
        raise InputError("-R, --grades and --empty have no effect with --runs",
                         "topics have their own R, and lists their own grades")  # fmt: skip
    if args.separability and args.measures:
        raise InputError("-m: no effect with --separability", "leave it out")
    with reading_bar(args.runs[1:]) as (files, done, _):
        judged = load(args.runs[0], files, depth=max(1, args.depth), rel=args.rel, workers=args.workers, done=done)
    if args.separability:
        by = {"gains": read_gains(args.gains), "rel": args.rel}
        with Bar("counting", delay=_LONG) as progress:
            expected = expected_separability(judged, args.depth, **by, workers=args.workers, progress=progress)
        return _Table(expected, "Pairs of lists that IPSO leaves equal, separable and non-separable, beside chance.")
    of = () if args.features is None else args.features or None
    with Bar("counting", delay=_LONG) as progress:
        counts = frequencies(judged, _measures(args), depth=args.depth, of=of, progress=progress)
    table = _properties(args.properties)
    return buckets(counts, table, combined=2 if args.extend else 1) if args.buckets else counts


def _properties(path: str | None) -> dict[str, list[str]] | None:
    """A table of properties from a file."""
    import json
    from pathlib import Path

    from rankscope.errors import InputError, Problem

    if path is None:
        return None
    try:
        table = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(Problem((error.strerror or str(error)).lower(), "name a JSON file", path)) from error
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(f"no JSON ({error})", "write an object of lists", path)) from error
    if (
        not isinstance(table, dict)
        or not table
        or not all(isinstance(names, list) and all(isinstance(name, str) for name in names) for names in table.values())
    ):
        cure = 'write an object of lists, as in {"bounded": ["AP", "RR"]}'
        raise InputError(Problem("not a table of properties", cure, path))
    return table


class _Table:
    """A result that has a table, in all shapes."""

    def __init__(self, result: Any, caption: str, left: int = 1) -> None:
        self._result, self._caption, self._left = result, caption, left
        self.columns, self.to_dict, self.plot, self.to_text = (
            result.columns, result.to_dict, result.plot, result.to_text,
        )  # fmt: skip

    def to_markdown(self) -> str:
        from rankscope.layout import markdown_table

        return f"{self._caption}\n\n{markdown_table(*self._result.table(), left=self._left)}"

    def to_latex(self) -> str:
        from rankscope.layout import latex_table

        return latex_table(*self._result.table(), caption=self._caption, left=self._left)


class _Both:
    """Disagreement, with what IPSO can separate beside it."""

    def __init__(self, separability: SeparabilityCounts | None, disagreement: Disagreement) -> None:
        self._separability, self._disagreement = separability, disagreement
        self.columns, self.plot = disagreement.columns, disagreement.plot
        self.to_markdown = disagreement.to_markdown
        self.to_latex = disagreement.to_latex

    def to_text(self, layer: Layer = "short", *, colour: bool = False) -> str:
        from rankscope.layout import Block, fitted, terminal_width, text

        beside, result = self._separability, self._disagreement
        if layer == "short":
            answer = [] if beside is None else [Block("", [beside.answer(result.breaking)])]

            def blocks_of(n_rows: int) -> list[Block]:
                first, *others = result.short_blocks(n_rows)
                return [first, *answer, *others]

            blocks = fitted(blocks_of, len(result.measures))
        else:
            first, *others = result.blocks(layer)
            blocks = [first, *others, *([] if beside is None else beside.blocks(layer)[1:])]
        return text(blocks, width=terminal_width(), colour=colour, explained=layer == "explain")

    def to_dict(self) -> dict[str, Any]:
        first = {} if self._separability is None else {"separability": self._separability.to_dict()}
        return self._disagreement.to_dict() | first
