"""The chores of a developer, with nothing but Python: each installs what it needs into .venv and runs.

python3 dev.py demo     the main job on the embedded collection
python3 dev.py test     all tests, with the compiled core and without it; --quick: the most telling part
python3 dev.py check    lint, types, and which room imports which
python3 dev.py docs     the site, in build/site: every example run, every link followed
python3 dev.py bench    how cost grows, and a few ratios to peers, against their bounds
python3 dev.py fuzz     C loops and twins on the same bytes, a minute of it; --help says how to run for longer
python3 dev.py sanitize the reading tests and the fuzzer on a core built with sanitizers
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
HOME = ROOT / ".venv"
BIN = HOME / ("Scripts" if os.name == "nt" else "bin")

# what reading and scoring rest on: tested once with each kind of kernel; the first few also by test --quick
READING = ["tests/kernels", "tests/io", "tests/judged", "tests/validation", "tests/measures/test_by_hand.py"]
BOTH_WAYS = [
    *READING,
    "tests/measures/test_contracts.py",
    "tests/measures/test_evaluate.py",
    "tests/preferences",
    "tests/cli",
    "tests/differential",
    "tests/statistics/families/test_randomised_hsd.py",
]

PURE = {"RANKSCOPE_PURE": "1"}


def run(*command: str, **env: str) -> None:
    """Run a program of the environment; stop with its exit code when it fails."""
    print("$", *(f"{k}={v}" for k, v in env.items()), *command, flush=True)
    code = subprocess.call([str(BIN / command[0]), *command[1:]], cwd=ROOT, env=os.environ | env)
    if code:
        sys.exit(code)


def install(*groups: str) -> None:
    """The package and groups of tools, in an environment of its own."""
    if not (BIN / "python").exists() and not (BIN / "python.exe").exists():
        venv.create(HOME, with_pip=True)
    run("python", "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")  # the first to know --group
    wanted = [part for group in groups for part in ("--group", group)]
    run("python", "-m", "pip", "install", "--quiet", "--editable", ".", *wanted)


def demo() -> None:
    install()
    run("rankscope", "demo")


def test() -> None:
    """Words after the chore go to pytest: options, and files or folders instead of all."""
    install("test", "docs")
    run("rankscope", "--version")
    paths = [word for word in sys.argv[2:] if (ROOT / word.partition("::")[0]).exists()]
    options = [word for word in sys.argv[2:] if word not in paths]
    pytest = ["python", "-m", "pytest", "--numprocesses=auto", "--dist=worksteal", *options]
    run(*pytest, *paths)
    run(*pytest, *(paths or (READING if "--quick" in options else BOTH_WAYS)), **PURE)


def docs() -> None:
    install("docs")
    common = ["-W", "--keep-going", "-n", "-d", "build/doctrees"]  # not -q: it says which page it is at
    run("sphinx-build", "-E", *common, "-b", "html", "docs", "build/site")  # -E: every example anew
    run("sphinx-build", *common, "-b", "doctest", "docs", "build/doctest")
    run("python", "docs/check_site.py", "build/site")


def bench() -> None:
    install("test")
    run("python", "benchmarks/growth.py", "--smoke")


def fuzz() -> None:
    install("test")
    run("python", "-m", "fuzz", *sys.argv[2:], PYTHONPATH="tests")


def sanitize() -> None:
    install("test")
    run("python", "tests/fuzz/sanitize.py", *sys.argv[2:])


def check() -> None:
    install("lint")
    run("ruff", "check")
    run("ruff", "format", "--check")
    run("mypy")
    run("lint-imports")


if __name__ == "__main__":
    chores = {
        "demo": demo,
        "test": test,
        "check": check,
        "docs": docs,
        "bench": bench,
        "fuzz": fuzz,
        "sanitize": sanitize,
    }
    chore = chores.get(sys.argv[1]) if len(sys.argv) > 1 else None
    if chore is None:
        sys.exit(__doc__)
    chore()
