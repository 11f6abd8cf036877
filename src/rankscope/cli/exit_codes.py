"""Exit codes of all commands; the table of docs/reference/commands.md says the same."""

from __future__ import annotations

DONE, FOUND, REFUSED, UNDECIDED, FAILED, INTERRUPTED = 0, 1, 2, 3, 70, 130

MEANINGS = {
    DONE: "done; of `gate`, a pass, or inconclusive without `--strict`",
    FOUND: "of `gate`, a regression; of `validate --strict`, findings",
    REFUSED: "bad input or usage, or an output that cannot be written",
    UNDECIDED: "of `gate --strict`, inconclusive",
    FAILED: "a failure that says nothing about the input: not enough memory, or a mistake in rankscope or a library",
    INTERRUPTED: "interrupted (Ctrl-C)",
}
