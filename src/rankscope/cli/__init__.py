"""The command line: each command is one file that parses, calls one function and prints.

Exit codes are in `exit_codes.py`. Results go to stdout, everything else to stderr.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module

from rankscope.cli import help_texts
from rankscope.cli.exit_codes import DONE, FAILED, INTERRUPTED, REFUSED
from rankscope.cli.files import check_files
from rankscope.cli.options import measures_apart
from rankscope.cli.output_formats import note, settle_shape

COMMANDS = tuple(name for commands in help_texts.COMMANDS.values() for name in commands)
# commands without products of large matrices; waiting threads of OpenBLAS would take processors from the others
_WITHOUT_MATRICES = ("compare", "convert", "evaluate", "explain", "gate", "trec_eval", "validate")
_LEAST = 192 << 20  # bytes of addresses for numpy and small files


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; gives the exit code."""
    if argv is None:  # a process of our own: imports make many objects, and looking for garbage among them takes time
        gc.set_threshold(50_000)
        if sys.argv[1:] and sys.argv[1] in _WITHOUT_MATRICES:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads that nothing uses take time to start
    _standard_streams()
    words = sys.argv[1:] if argv is None else list(argv)
    command = " ".join(["rankscope", *words[:1]])
    try:
        return _main(words)
    except SystemExit:  # of argparse: help, version, usage
        raise
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BaseException as error:  # a panic of polars is no Exception; whatever it is, it is no outcome of a command
        return _failed(command, error)
    finally:
        if argv is None:
            gc.freeze()  # the process ends: looking for garbage among all objects once more takes time


def _standard_streams() -> None:
    """Stand-ins for standard streams that the caller has closed; writing a result to one that is closed is an error."""
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _failed(command: str, error: BaseException) -> int:
    """Print in one line what has failed, after a traceback with RANKSCOPE_TRACEBACK=1."""
    try:
        if os.environ.get("RANKSCOPE_TRACEBACK", "") not in ("", "0"):
            import traceback

            traceback.print_exception(error)
        message = next(iter(str(error).splitlines()), "")
        if isinstance(error, MemoryError):
            sentence = "not enough memory" + f" ({message})" * bool(message)
        elif isinstance(error, ImportError):
            sentence = f"{message}; a limit on memory or a damaged installation may be the cause"
        else:
            cause = type(error).__name__ + f": {message}" * bool(message)
            sentence = f"internal error ({cause}{_place(error)}); RANKSCOPE_TRACEBACK=1 shows more"
        note(f"{command}: {sentence}")
    except BaseException:  # no memory for a sentence, or nobody to hear it
        os._exit(FAILED)
    return FAILED


def _place(error: BaseException) -> str:
    """File and line of this package where an error was raised last, for a report of it."""
    here, place = __file__.removesuffix(f"cli{os.sep}__init__.py"), ""
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(here) and file != __file__:
            place = f", {file.removeprefix(here)}:{step.tb_lineno}"
        step = step.tb_next
    return place


def _refuse_little_memory() -> None:
    """Refuse a limit on memory under which OpenBLAS would end the process, with the code of a regression."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # every thread takes room when it is loaded
    if limit < _LEAST:
        raise MemoryError(f"the process is limited to {limit >> 20} MiB, and needs {_LEAST >> 20} MiB")


def _main(words: list[str]) -> int:
    _refuse_unknown_command(*words[:1])
    try:
        args = _parser(*{*words[:1]} & {*COMMANDS}).parse_args(measures_apart(words))
    except ValueError as error:  # an InputError: -m before the files, and ambiguous
        print(f"rankscope {words[0]}: cannot go on\n{error}", file=sys.stderr)
        return REFUSED
    _refuse_little_memory()
    from rankscope.errors import (
        DataWarning,
        InputError,
        Problem,
        speaking,
    )  # numpy comes in with the command, not with --help

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # ids that are no UTF-8 go out as they came in
            as_they_came = stream is sys.stdout and stream.encoding.lower().replace("-", "") == "utf8"
            stream.reconfigure(errors="surrogateescape" if as_they_came else "backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", DataWarning)
            warnings.showwarning = _note
            with speaking(args.spoken):
                code: int = _run(args)
        sys.stdout.flush()
        return code
    except SystemExit as error:  # of a library or a measure of the user's own
        return _failed(f"rankscope {args.command}", error)
    except InputError as error:
        print(f"rankscope {args.command}: cannot go on\n{error}", file=sys.stderr)
        return REFUSED
    except BrokenPipeError:  # the reader of our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        if error.filename is not None:  # a file that was asked for, not the output
            cause = f"cannot be used ({(error.strerror or str(error)).lower()})"
            problem = InputError(Problem(cause, "check the path and its permissions", os.fsdecode(error.filename)))
            print(f"rankscope {args.command}: cannot go on\n{problem}", file=sys.stderr)
            return REFUSED
        if error.errno is None:
            raise
        print(f"rankscope {args.command}: cannot write the result ({error.strerror})", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED


def _refuse_unknown_command(word: str = "-") -> None:
    """Refuse a word that is no command, with the nearest ones."""
    if word in COMMANDS or word.startswith("-"):
        return
    from difflib import get_close_matches

    near = ", ".join(get_close_matches(word, COMMANDS))
    cure = f"did you mean {near}?" if near else f"commands are {', '.join(COMMANDS)}"
    help_texts.MainParser(prog="rankscope", usage=help_texts.USAGE).error(f"no command is named {word!r}; {cure}")


def _run(args: argparse.Namespace) -> int:
    """The command, its long work on a cluster where one is named."""
    check_files(args)
    if hasattr(args, "shapes"):
        settle_shape(args)
    with ExitStack() as around:
        if getattr(args, "reads_again", False) or getattr(args, "names", None) == "tag":
            from rankscope.io.files import pipes_kept

            around.enter_context(pipes_kept())
        if getattr(args, "cluster", None) is not None:
            from rankscope.parallel import on

            around.enter_context(on(args.cluster))
        return int(args.run(args))


def _parser(*names: str) -> argparse.ArgumentParser:
    """The parser of these commands, or of all; the modules of others are not imported."""
    parser = help_texts.MainParser(prog="rankscope", usage=help_texts.USAGE)
    parser.add_argument("--version", action=_Version, help="show the version and which kernels are in use")
    parser.add_argument("--completion", action=_Completion, metavar="SHELL",
                        help="print what bash, zsh or fish reads to complete commands, options and measures, as in "
                        'eval "$(rankscope --completion bash)"')  # fmt: skip
    commands = parser.add_subparsers(
        prog="rankscope", dest="command", metavar="COMMAND", required=True, parser_class=help_texts.Parser
    )
    for name in names or COMMANDS:
        import_module(f"rankscope.cli.{name.replace('-', '_')}").add_to(commands)
        command = commands.choices[name]
        command.set_defaults(spoken={action.dest: word for action in command._actions
                                     for word in reversed(action.option_strings) if word.startswith("--")})  # fmt: skip
    return parser


class _Version(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from rankscope import kernels
        from rankscope.version import __version__

        print(f"rankscope {__version__}, kernels: {kernels.KIND}")
        parser.exit()


class _Completion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, _namespace: object, shell: object, *_: object) -> None:
        from rankscope.cli.completion import SHELLS, script

        if shell not in SHELLS:
            parser.error(f"--completion {shell}; give one of {', '.join(SHELLS)}")
        subparsers = next(action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction))
        texts = {name: text for commands in help_texts.COMMANDS.values() for name, text in commands.items()}
        print(script(str(shell), subparsers.choices, texts), end="")
        parser.exit()


def _note(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    for line in str(message).splitlines():
        note(f"note: {line}" if category.__name__ == "DataWarning" else f"warning: {line}")
