"""Commands in this process: a start for each call would take longer than all the calls."""

from __future__ import annotations

import contextlib
import io
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankscope.cli import main
from rankscope.measures import MEASURES


def command(name: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that runs `rankscope name`; measures that a plugin registers are forgotten afterwards."""

    def run(*words: Any, cwd: str | Path = ".") -> subprocess.CompletedProcess[str]:
        out, err, measures = io.StringIO(), io.StringIO(), dict(MEASURES)
        with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main([name, *map(str, words)])
            except SystemExit as usage:
                code = usage.code
            finally:
                MEASURES.clear()
                MEASURES.update(measures)
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    return run
