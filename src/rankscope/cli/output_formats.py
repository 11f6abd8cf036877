"""A result in the shape asked for: text, JSON, CSV, Markdown or LaTeX, to stdout or a file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.cli.help_texts import OUTPUT, section
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.layout import Block

_FORMATS = {
    "json": "JSON, one object",
    "csv": "CSV, comma-separated values",
    "markdown": "Markdown, as GitHub shows it",
    "latex": "LaTeX, a table of the package booktabs",
    "tsv": "TSV, tab-separated values",
    "jsonl": "JSON lines, one object per row",
    "trec": "TREC, the three columns of trec_eval",
}
ENDINGS = {
    ".txt": "text", ".json": "json", ".csv": "csv", ".md": "markdown", ".markdown": "markdown", ".tex": "latex",
    ".html": "html", ".tsv": "tsv", ".jsonl": "jsonl",
}  # fmt: skip
PLOTS = (".pdf", ".svg", ".png", ".html", ".json")


def add_shapes(parser: argparse.ArgumentParser, *shapes: str) -> None:
    """Options for these shapes, and for a file, whose ending says the shape where no option does."""
    output = section(parser, OUTPUT)
    group = output.add_mutually_exclusive_group()
    for shape in shapes:
        words = f"print as {_FORMATS[shape]}"
        group.add_argument(f"--{shape}", dest="shape", action="store_const", const=shape, help=words)
    endings = ", ".join(ending for ending, shape in ENDINGS.items() if shape in shapes and ending != ".markdown")
    output.add_argument("-o", "--output", metavar="FILE",
                        help="write to FILE in the format of its ending: .txt"
                        f"{', ' if endings else ''}{endings} (default: print)")  # fmt: skip
    add_force(parser)
    parser.set_defaults(shapes=shapes)


def add_force(parser: argparse.ArgumentParser, words: str = "write over files that exist") -> None:
    """The option to write over what is there."""
    section(parser, OUTPUT).add_argument("--force", action="store_true", help=words)


def add_layers(parser: argparse.ArgumentParser) -> None:
    """Options for how much text is printed, and whether in colour."""
    output = section(parser, OUTPUT)
    layers = output.add_mutually_exclusive_group()
    layers.add_argument("--full", dest="layer", action="store_const", const="full", default="short",
                        help="print all the evidence, one block per question, instead of the answer alone")  # fmt: skip
    layers.add_argument("--explain", dest="layer", action="store_const", const="explain",
                        help="print what --full prints, and say under each block what it is and how to read "
                        "it")  # fmt: skip
    output.add_argument("--color", choices=("auto", "always", "never"), default="auto",
                        help="colour of text: on a terminal unless NO_COLOR is set (auto), always, or never "
                        "(default: auto)")  # fmt: skip


def add_latex(parser: argparse.ArgumentParser, *, columns: str = "") -> None:
    """Options for the table of a paper; `columns` says which there are to choose from, where there is a choice."""
    output = section(parser, OUTPUT)
    if columns:
        output.add_argument(
            "--latex-columns", nargs="+", metavar="C", help=f"columns of a LaTeX table, in this order: {columns}"
        )
    output.add_argument("--decimals", type=int, metavar="N", help="decimals of numbers in a LaTeX table (default: 4)")
    output.add_argument("--page", action="store_true", default=None,
                        help="make a LaTeX table as wide as a page, not as one of two columns")  # fmt: skip
    output.add_argument("--label", metavar="NAME", help="name of a LaTeX table for references (default: tab:results)")


def latex_settings(args: argparse.Namespace) -> dict[str, Any]:
    """The options for the table of a paper that were given, by name."""
    names = {"columns": "latex_columns", "decimals": "decimals", "page": "page", "label": "label"}
    settings = {name: getattr(args, option, None) for name, option in names.items()}
    return {name: value for name, value in settings.items() if value is not None}


def add_plot(parser: argparse.ArgumentParser) -> None:
    """The options for the figure of the result."""
    output = section(parser, OUTPUT)
    output.add_argument("--plot", metavar="FILE",
                        help="draw the result to FILE as well: .pdf, .svg, .png, .html or .json "
                        "(Vega-Lite)")  # fmt: skip
    output.add_argument("--plot-width", type=float, metavar="PX",
                        help="width of the picture in pixels, or in points in a PDF; letters keep their size "
                        "(default: about 480)")  # fmt: skip


def settle_shape(args: argparse.Namespace) -> None:
    """Settle the shape by option and by the ending of the output, and refuse what cannot be written, before any work.

    An ending that is not known is written as text, and that is told; a name without an ending is as well, silently.
    """
    from rankscope.errors import InputError, Problem
    from rankscope.outputs import check_output

    output = args.output
    implied = None if output is None else ENDINGS.get(Path(output).suffix.lower())
    if implied in ("tsv", "jsonl") and implied not in args.shapes:
        implied = None
    if implied is not None and implied not in ("text", *args.shapes):
        cure = "rankscope report writes a page" if implied == "html" else "choose another ending"
        cause = f"{args.command} writes no {'HTML' if implied == 'html' else _FORMATS[implied].partition(',')[0]}"
        raise InputError(Problem(cause, cure, output))
    if implied is not None and args.shape not in (None, implied):
        ending = Path(output).suffix
        raise InputError(Problem(f"--{args.shape} contradicts the ending {ending}", "leave out one of them", output))
    if output is not None and implied is None and args.shape is None and Path(output).suffix:
        known = ", ".join(ending for ending, shape in ENDINGS.items() if shape in ("text", *args.shapes))
        note(f"written as text: {Path(output).suffix} is no ending of a format here ({known})")
    args.shape = args.shape or implied or "text"
    if args.shape != "latex" and "latex" in args.shapes:
        for name in latex_settings(args):
            raise InputError(f"--{name} without --latex", f"add --latex, or leave out --{name}")
    plot = getattr(args, "plot", None)
    if plot is not None and Path(plot).suffix.lower() not in PLOTS:
        raise InputError(Problem("--plot: no figure has this ending", f"choose one of {', '.join(PLOTS)}", plot))
    for path in (output, plot):
        if path is not None:
            check_output(path, force=args.force)
    if plot is None and getattr(args, "plot_width", None) is not None:
        raise InputError("--plot-width without --plot", "name the picture's file by --plot FILE")
    if plot is not None:
        from rankscope.figures.chart import needed
        from rankscope.figures.width import check_width

        needed("vl_convert")  # refused now where the extra is missing, not after the work
        if args.plot_width is not None:
            check_width(args.plot_width)


def show(result: Any, args: argparse.Namespace, further: Mapping[str, Any] | None = None) -> None:
    """Write a result as the options say; `further` ones, by name, go below it as text, JSON or Markdown."""
    import json

    from rankscope.results import csv_text, finite, records

    more = further or {}
    forms: dict[str, Callable[[], str]] = {
        "text": lambda: "\n\n".join(text_of(shown, args) for shown in (result, *more.values())),
        "json": lambda: json_text(result.to_dict() | {name: other.to_dict() for name, other in more.items()}),
        "csv": lambda: csv_text(result.columns(), shown=on_terminal(args.output)),
        "tsv": lambda: csv_text(result.columns(), shown=on_terminal(args.output), delimiter="\t"),
        "jsonl": lambda: "\n".join(json.dumps(finite(row), allow_nan=False) for row in records(result.columns())),
        "markdown": lambda: "\n\n".join(shown.to_markdown() for shown in (result, *more.values())),
        "latex": lambda: result.to_latex(**latex_settings(args)),
    }
    put(forms[args.shape]().rstrip("\n") + "\n", args.output)
    if getattr(args, "plot", None) is not None:
        result.plot().save(args.plot, width=args.plot_width)


def text_of(result: Any, args: argparse.Namespace) -> str:
    """A layer of a result, as wide as the terminal, and in colour there."""
    shown = (
        result.to_text(getattr(args, "layer", "short"), colour=coloured(args, args.output))
        if hasattr(result, "to_text")
        else str(result)
    )
    return shown if args.output is not None else _as_stdout_shows(shown)


def put_blocks(blocks: Sequence[Block], args: argparse.Namespace) -> None:
    """Write blocks to stdout, as wide as the terminal, with explanations and colour as the options say."""
    from rankscope import layout

    shown = layout.text(
        blocks, width=layout.terminal_width(), colour=coloured(args, None), explained=args.layer == "explain"
    )
    put(f"{_as_stdout_shows(shown)}\n", None)


def coloured(args: argparse.Namespace, output: str | None) -> bool:
    """Whether text is written in colour: as --color says, else on a terminal where NO_COLOR is not set."""
    choice = getattr(args, "color", "auto")
    if choice != "auto":
        return bool(choice == "always")
    return on_terminal(output) and not os.environ.get("NO_COLOR")


def _as_stdout_shows(shown: str) -> str:
    """Text for stdout: in ASCII where it takes no other letters, and numbers with minus signs on a terminal.

    What is piped keeps its hyphens: awk and the like read no number that begins with a minus sign.
    """
    if not _is_utf8(sys.stdout.encoding):
        from rankscope.layout import ascii_only

        return ascii_only(shown)
    if not on_terminal(None):
        return shown
    import re

    from rankscope.formatting import minus

    return "".join(map(minus, re.split("(\x1b\\[[\\d;]*m)", shown)))  # colours stand between words


def _is_utf8(encoding: str | None) -> bool:
    """Whether a stream takes every letter; one without an encoding does."""
    return (encoding or "utf-8").lower().replace("-", "").startswith("utf")


def json_text(plain: dict[str, Any]) -> str:
    """A JSON object, with the version."""
    import json

    from rankscope.results import finite

    return json.dumps(finite({"rankscope": __version__, **plain}), indent=1, allow_nan=False)


def note(line: str) -> None:
    """A line to stderr; what it holds is seen, and stays on it."""
    from rankscope.formatting import visible

    print(visible(line), file=sys.stderr)


def on_terminal(output: str | None) -> bool:
    """Whether people see what is written: data have names as they came in, but there as they can be seen."""
    return output is None and sys.stdout.isatty()


def put(text: str, output: str | None, *, append: bool = False) -> None:
    """Write text to a file, or to stdout."""
    if output is None:
        sys.stdout.write(text)
        return
    from rankscope.outputs import append_output, write_output

    (append_output if append else write_output)(output, text.encode("utf-8", "surrogateescape"))
