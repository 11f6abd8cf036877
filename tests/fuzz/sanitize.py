"""The reading tests, the corpus and the fuzzer on a core built with the address and undefined-behaviour sanitizers.

The core is built in a copy of the package, so the one in use stays as it is. Where no compiler, no Python headers or
no sanitizer library is at hand there is nothing to run, which is said and is no failure.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ["tests/kernels", "tests/io", "tests/judged", "tests/fuzz"]
FLAGS = [
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-O1",
    "-g",
    "-std=c11",
    "-DFAILING_ALLOCATIONS",  # for tests/kernels/test_allocations.py
]
READS_TOO_FAR = (
    "import numpy as np; from rankscope.kernels import _core;"
    "_core.scan(np.full(64, 97, np.uint8), 100_000, 1, np.empty(9, np.int64))"
)
PROBE = "#include <Python.h>\nint main(void) { return PY_MAJOR_VERSION != 3; }\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="sanitize", description=__doc__)
    parser.add_argument(
        "--executions", type=int, default=30_000, metavar="N", help="of the fuzzer (default %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=2, help="of the fuzzer")
    parser.add_argument("tests", nargs="*", default=TESTS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rankscope-sanitize-") as folder:
        there = Path(folder)
        missing = lacking(there)
        if missing:
            print(f"sanitizers skipped: {missing}")
            return 0
        build(there)
        env = environment(there)
        checked = [sys.executable, "-c", "import rankscope.kernels as k; print(k.compiled._core.__file__, k.KIND)"]
        told = subprocess.run(checked, cwd=there, env=env, check=True, capture_output=True, text=True).stdout
        if not told.startswith(str(there)) or not told.endswith("compiled\n"):
            sys.exit(f"the sanitized core is not the one in use: {told}")
        seen = subprocess.run([sys.executable, "-c", READS_TOO_FAR], cwd=there, env=env, capture_output=True)
        reports = list(there.glob("report.*"))
        if not seen.returncode or not any("heap-buffer-overflow" in report.read_text() for report in reports):
            sys.exit("a read behind the end of a buffer goes unseen")
        for report in reports:
            report.unlink()
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
        fuzz = ["-m", "fuzz", "--executions", str(args.executions), "--seed", str(args.seed), "--limit", "60"]
        for command in (*([*pytest, tests] for tests in args.tests), fuzz):  # each in a process: memory is not reused
            print("$ python", *command, flush=True)
            code = subprocess.call([sys.executable, *command], cwd=ROOT, env=env)
            if code:
                for report in sorted(there.glob("report.*")):
                    print(report.read_text())
                return 1
    return 0


def lacking(there: Path) -> str | None:
    """What of compiler, headers and libraries is not at hand, if anything."""
    if not shutil.which("gcc"):
        return "no gcc"
    if not Path(library("libasan.so")).is_file():
        return "no libasan"
    source = there / "probe.c"
    source.write_text(PROBE)
    made = subprocess.run(["gcc", *FLAGS, *headers(), str(source), "-o", str(there / "probe")], capture_output=True)
    if made.returncode:
        return f"gcc cannot build with sanitizers and Python's headers: {made.stderr.decode()[:300]}"
    ran = subprocess.run([str(there / "probe")], capture_output=True)
    return f"the sanitizers do not run here: {ran.stderr.decode()[:300]}" if ran.returncode else None


def headers() -> list[str]:
    return [f"-I{sysconfig.get_paths()['include']}"]


def library(name: str) -> str:
    """Where gcc has a library; the bare name if it has none."""
    return subprocess.run(
        ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()


def build(there: Path) -> None:
    """A copy of the package with a sanitized core."""
    package = there / "src" / "rankscope"
    shutil.copytree(ROOT / "src" / "rankscope", package, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    folder = package / "kernels"
    sources = map(str, sorted(folder.glob("_*.c")))
    command = ["gcc", "-shared", "-fPIC", *FLAGS, *headers(), *sources, "-o", str(folder / "_core.abi3.so")]
    print("$", *command, flush=True)
    subprocess.run(command, check=True)


def environment(there: Path) -> dict[str, str]:
    """Where to find the copy, and what the sanitizers shall do: the interpreter's own leaks are not ours."""
    common = f"log_path={there}/report:abort_on_error=1"
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([str(there / "src"), str(ROOT / "tests")]),
        "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so.6')}",  # exceptions of C++ need both
        # more than there can ever be is refused as elsewhere, so that Python says MemoryError
        "ASAN_OPTIONS": f"detect_leaks=0:quarantine_size_mb=32:allocator_may_return_null=1:{common}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:{common}",
        "PYTHONMALLOC": "malloc",  # so that every buffer has its own fence
        "RANKSCOPE_PURE": "",
    }


if __name__ == "__main__":
    sys.exit(main())
