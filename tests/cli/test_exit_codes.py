"""Exit codes: one table, and no failure has the code of an outcome."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rankscope.cli import exit_codes, main
from rankscope.simulation import embedded

ROOT = Path(__file__).resolve().parents[2]
QRELS, (A, B, *_) = embedded()
GATE = ["gate", str(QRELS), str(A), str(B)]


def test_the_table_of_the_documentation():
    page = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", page, re.MULTILINE)
    assert {int(code): meaning for code, meaning in rows} == exit_codes.MEANINGS
    assert len(rows) == len(exit_codes.MEANINGS) == len({*exit_codes.MEANINGS})


def test_commands_return_no_other_number():
    """All codes have names; numbers stand in the table alone."""
    numbers = [
        f"{path.name}: {line.strip()}"
        for path in sorted((ROOT / "src/rankscope/cli").glob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"return [1-9]|exit\([1-9]", line)
    ]
    assert numbers == []


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "not enough memory"),
        (MemoryError("Unable to allocate 3 GiB\nfor an array"), "not enough memory (Unable to allocate 3 GiB)"),
        (RecursionError("maximum recursion depth exceeded"), "internal error (RecursionError: maximum recursion"),
        (ZeroDivisionError("division by zero"), "internal error (ZeroDivisionError: division by zero"),
        (type("PanicException", (BaseException,), {})("index out of range"), "internal error (PanicException: index"),
        (SystemExit(1), "internal error (SystemExit: 1"),
        (GeneratorExit(), "internal error (GeneratorExit"),
        (OSError("no number"), "internal error (OSError: no number"),
    ],
)
def test_whatever_is_left_is_no_outcome(error, sentence, monkeypatch, capsys):
    def broken(_):
        raise error

    monkeypatch.setattr("rankscope.cli.gate.run", broken)
    assert main(GATE) == exit_codes.FAILED
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"rankscope gate: {sentence}")


def test_a_failure_says_where(monkeypatch, capsys):
    monkeypatch.setattr("rankscope.comparisons.gate", lambda *_, **__: {}["x"])
    monkeypatch.setenv("RANKSCOPE_TRACEBACK", "1")
    assert main(GATE) == exit_codes.FAILED
    lines = capsys.readouterr().err.splitlines()
    assert "Traceback (most recent call last):" in lines
    assert re.fullmatch(
        r"rankscope gate: internal error \(KeyError: 'x', cli/gate.py:\d+\); RANKSCOPE_TRACEBACK=1 shows more",
        lines[-1],
    )


def test_an_interrupt(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("rankscope.cli.gate.run", interrupted)
    assert main(GATE) == exit_codes.INTERRUPTED


def test_a_failure_while_options_are_read(monkeypatch, capsys):
    def short(_):
        raise MemoryError

    monkeypatch.setattr("rankscope.cli.measures_apart", short)
    assert main(GATE) == exit_codes.FAILED
    assert capsys.readouterr().err == "rankscope gate: not enough memory\n"


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]) << 20,) * 2)
from rankscope.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are those of Linux")
@pytest.mark.parametrize("limit", [60, 100, 125, 160, 195])
def test_little_memory_is_no_regression(limit):
    """OpenBLAS ends a process with 1 where it is loaded and finds no room: that is refused before."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *GATE], capture_output=True, text=True, check=False
    )
    assert done.returncode in (exit_codes.FAILED, exit_codes.DONE), done.stderr
    if limit < 192:
        assert done.returncode == exit_codes.FAILED
        assert re.fullmatch(r"rankscope gate: not enough memory \(.*\)\n", done.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes streams")
@pytest.mark.parametrize(("closed", "code"), [("2>&-", 0), ("<&-", 0), (">&-", 2)])
def test_closed_streams(closed, code):
    """Nobody hears of warnings; a result that cannot be written is an error."""
    command = " ".join([sys.executable, "-m", "rankscope", *GATE])
    process = subprocess.run(["sh", "-c", f"{command} {closed}"], capture_output=True, text=True)
    assert process.returncode == code
    assert "internal error" not in process.stdout + process.stderr
    assert ("PASS" in process.stdout or "INCONCLUSIVE" in process.stdout) == (code == 0)


def test_a_package_that_cannot_be_loaded_is_not_called_missing(monkeypatch, capsys, tmp_path):
    """Short of memory, a library is there and cannot be mapped: that says nothing about the input."""

    def unloadable(_):
        raise ImportError("vl_convert.abi3.so: failed to map segment from shared object")

    monkeypatch.setattr("rankscope.arguments.import_module", unloadable)
    words = ["compare", str(QRELS), str(A), str(B), "--plot", str(tmp_path / "p.svg")]
    assert main(words) == exit_codes.FAILED
    error = capsys.readouterr().err
    assert "vl_convert is installed and cannot be loaded (vl_convert.abi3.so: failed to map segment" in error
    assert "not installed" not in error
    assert "internal error" not in error

    def absent(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("rankscope.arguments.import_module", absent)
    assert main(words) == exit_codes.REFUSED
    assert "vl-convert-python is needed for this, and is not installed" in capsys.readouterr().err
