"""The chores of a developer, with nothing but Python: each installs what it needs into .venv and runs.

python3 dev.py demo     the main job on the embedded collection
python3 dev.py test     all tests, with the compiled core and without it; --quick: the most telling part
python3 dev.py check    lint, types, and which room imports which
python3 dev.py docs     the site, in build/site: every example run, every link followed; --write keeps output in pages
python3 dev.py bench    how cost grows, and a few ratios to peers, against their bounds
python3 dev.py fuzz     C loops and twins on the same bytes, a minute of it; --help says how to run for longer
python3 dev.py sanitize the reading tests and the fuzzer on a core built with sanitizers
python3 dev.py versions the smoke set with the lowest versions of dependencies, and with the newest on every Python here
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
HOME = ROOT / ".venv"
BIN = HOME / ("Scripts" if os.name == "nt" else "bin")

# what reading and scoring rest on: tested once with each kind of kernel; the first few also by test --quick
READING = ["tests/kernels", "tests/io", "tests/judged", "tests/validation", "tests/measures/test_by_hand.py"]
NO_KERNEL = ["tests/kernels/test_cuda.py", "tests/io/test_remote.py"]  # of what reads: the same with either kind
BOTH_WAYS = [
    *READING,
    "tests/measures/test_contracts.py",
    "tests/measures/test_evaluate.py",
    "tests/preferences",
    "tests/cli",
    "tests/differential",
    "tests/statistics/families/test_randomised_hsd.py",
]

SMOKE = ["tests/test_smoke.py", "tests/io/test_parquet_metadata.py"]  # what every version must do
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
    if paths or "--quick" not in options:
        run(*pytest, *(paths or BOTH_WAYS), **PURE)
    else:
        run(*pytest, *READING, *(f"--ignore={path}" for path in NO_KERNEL), **PURE)


def docs() -> None:
    install("docs")
    if "--write" in sys.argv[2:]:
        run("python", "docs/write_outputs.py")
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


def versions() -> None:
    """One wheel, tried with the lowest versions that pyproject.toml names, and with the newest on every Python here.

    The lowest are tried on the oldest Python alone: not all of them have wheels for newer ones.
    """
    install()
    folder = ROOT / "build" / "versions"
    shutil.rmtree(folder, ignore_errors=True)
    run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), ".")
    wheel = next(folder.glob("*.whl"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = ("figures", "report", "zstd")
    wanted = [*project["dependencies"], *(line for name in extras for line in project["optional-dependencies"][name])]
    lowest = {re.sub(r"^([\w.-]+)(\[.*\])?>=([\w.]+).*", r"\1==\3", line) for line in wanted}
    constraints = folder / "lowest.txt"
    constraints.write_text("\n".join(sorted(lowest)) + "\n", encoding="utf-8")
    pythons = _pythons(project["requires-python"])
    tried = [(min(pythons), ["--constraint", str(constraints)]), *((version, []) for version in sorted(pythons))]
    for version, options in tried:
        name = f"{'.'.join(map(str, version))}-{'lowest' if options else 'newest'}"
        print(f"== Python {name}", flush=True)
        home = folder / name
        subprocess.run([pythons[version], "-m", "venv", str(home)], check=True)
        python = str(home / BIN.name / "python")
        install_into = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
        ]
        tools = ["pytest>=8", "hypothesis>=6.100"]
        smoke = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SMOKE]
        for command in ([*install_into, *options, f"{wheel}[{','.join(extras)}]", *tools], smoke):
            code = subprocess.call(command, cwd=ROOT, env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
            if code:
                sys.exit(code)


def _pythons(required: str) -> dict[tuple[int, int], str]:
    """The interpreters here that the package takes, by version."""
    lowest = int(required.rpartition(".")[2])
    here = {sys.version_info[:2]: sys.executable}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(lowest, lowest + 10):
        for path in (shutil.which(f"python3.{minor}"), *map(str, pyenv.glob(f"3.{minor}.*/bin/python"))):
            question = [path, "-c", "import sys, venv, ensurepip; print(sys.version_info[1])"]
            if path and subprocess.run(question, capture_output=True, text=True).stdout.strip() == str(minor):
                here[3, minor] = path
    return {version: path for version, path in here.items() if version >= (3, lowest)}


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
        "versions": versions,
    }
    chore = chores.get(sys.argv[1]) if len(sys.argv) > 1 else None
    if chore is None:
        sys.exit(__doc__)
    chore()
