"""Outputs are whole or not there: a full disk leaves what was there, and nothing half written."""

import ast
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import rankscope
from rankscope.errors import InputError
from rankscope.outputs import append_output, check_output, write_output, write_whole
from rankscope.simulation import embedded


def test_a_file_is_whole_or_as_before(tmp_path):
    path = tmp_path / "out.txt"
    write_whole(path, b"first")
    path.chmod(0o640)

    def fail(file):
        file.write(b"half of the sec")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_whole(path, fail)
    with pytest.raises(InputError, match=r"out\.txt: cannot be written \(no space left on device\)"):
        write_output(path, fail)
    assert path.read_bytes() == b"first"
    write_whole(path, lambda file: file.write(b"second"))
    assert path.read_bytes() == b"second"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    path, link = tmp_path / "out.txt", tmp_path / "link"
    link.symlink_to("out.txt")
    write_whole(link, b"first")  # a link to nothing yet
    write_whole(link, b"second")
    assert link.is_symlink()
    assert path.read_bytes() == b"second"


def test_pipes_and_long_names(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_output(pipe, force=False)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_output(pipe, b"through")
    reader.join()
    assert read == [b"through"]
    name = tmp_path / ("n" * 251 + ".txt")
    check_output(name, force=False)
    assert write_output(name, b"x").read_bytes() == b"x"


def test_what_cannot_be_written_is_refused_before(tmp_path):
    (tmp_path / "there").write_text("mine")
    with pytest.raises(InputError, match=r"exists already\n.*, or force=True to write over it"):
        check_output(tmp_path / "there", force=False)
    with pytest.raises(InputError, match="is a folder"):
        check_output(tmp_path, force=True)
    with pytest.raises(InputError, match=r"cannot be written \(no such file"):
        check_output(tmp_path / "no" / "file", force=True)
    check_output(tmp_path / "new", force=False)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


FULL = """
import os, resource, sys
import rankscope.figures, rankscope.reporting
from rankscope.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # the disk is full after 2,000 bytes
qrels, a, b = sys.argv[1:]
commands = [
    ["evaluate", qrels, a, b, "-m", "AP", "P@5", "--per-topic", "--csv", "-o", "out"],
    ["compare", qrels, a, b, "-o", "out"], ["compare", qrels, a, b, "--json", "-o", "out"],
    ["convert", a, "out"], ["report", qrels, a, b, "-m", "AP", "--resamples", "50", "-o", "out"],
    *[["compare", qrels, a, b, "-o", os.devnull, "--plot", f"out.{kind}"] for kind in ("svg", "html", "json", "png")],
    ["gate", qrels, a, b, "--summary", "log"],
]
for command in commands:
    print(command[0], main([*command, *([] if command[0] == "gate" else ["--force"])]), file=sys.stderr)
"""


def test_a_full_disk_leaves_every_old_file(tmp_path):
    qrels, (a, b, *_) = embedded()
    names = ["out", *(f"out.{kind}" for kind in ("svg", "html", "json", "png"))]
    for name in names:
        (tmp_path / name).write_bytes(b"the old file")
    (tmp_path / "log").write_bytes(b"x" * 1900)
    done = subprocess.run([sys.executable, "-B", "-c", FULL, str(qrels), str(a), str(b)], cwd=tmp_path, text=True,
                          capture_output=True, check=True)  # fmt: skip
    codes = [line.split() for line in done.stderr.splitlines() if line.split()[-1:] and line.split()[-1].isdecimal()]
    assert {name: (tmp_path / name).read_bytes() for name in names} == dict.fromkeys(names, b"the old file")
    assert (tmp_path / "log").read_bytes() == b"x" * 1900
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, "log"])
    assert done.stderr.count("cannot be written (file too large)") == len(codes) == 10, done.stderr


def test_a_full_disk_while_appending(tmp_path):
    path = tmp_path / "log"
    append_output(path, b"one\n")
    append_output(path, b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    if Path("/dev/full").exists():
        with pytest.raises(InputError, match="no space left"):
            append_output("/dev/full", b"x" * 100_000)


def test_nothing_else_opens_a_file_to_write():
    """All outputs pass through rankscope.outputs, so that none can be left half written."""
    writes = []
    folder = Path(rankscope.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if path.name == "outputs.py" or not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            words = [a.value for a in [*node.args, *(k.value for k in node.keywords)] if isinstance(a, ast.Constant)]
            modes = [set(word) for word in words if isinstance(word, str) and set(word) <= set("rwxabt+")]
            if name in ("write_text", "write_bytes") or ("open" in name and any(mode & set("wxa+") for mode in modes)):
                writes.append(f"{path.relative_to(folder).as_posix()}: {ast.unparse(node)}")
    assert writes == [
        "cli/__init__.py: os.fdopen(os.open(os.devnull, os.O_RDONLY), 'w')",  # stand-ins for closed streams
        "cli/__init__.py: os.fdopen(os.open(os.devnull, os.O_WRONLY), 'w')",
        "io/remote.py: copy.open('wb')",  # a copy that is read and deleted here
        "parallel/processes.py: os.fdopen(os.dup(1), 'wb')",  # a pipe to another process
    ]


def test_a_read_only_file_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "locked"
    path.write_text("mine")
    monkeypatch.setattr(os, "access", lambda name, mode: not (Path(name) == path and mode == os.W_OK))
    for refused in (lambda: write_output(path, b"x"), lambda: check_output(path, force=True)):
        with pytest.raises(InputError, match="permission denied"):
            refused()
    assert path.read_text() == "mine"


WRITES = """
import sys
from rankscope.outputs import write_output
while True:
    for letter in (b"a", b"b"):
        write_output(sys.argv[1], letter * 3_000_000)
        print(flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_process_that_is_killed_while_it_writes(tmp_path):
    """At ten moments: the file is one of the two that were written, whole."""
    rng = random.Random(1)
    for _ in range(10):
        path = tmp_path / "out"
        process = subprocess.Popen([sys.executable, "-c", WRITES, str(path)], stdout=subprocess.PIPE)
        process.stdout.readline()  # the first is there
        time.sleep(rng.random() / 50)
        process.kill()
        process.communicate()
        content = path.read_bytes()
        assert len(content) == 3_000_000
        assert len(set(content)) == 1
        others = [other.name for other in tmp_path.iterdir() if other != path]
        assert all(name.startswith("out.") and name.endswith(".part") for name in others)
