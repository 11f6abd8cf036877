"""Outputs are whole or not there: a full disk leaves what was there, and nothing half written."""

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from commands import command

import rankscope
from rankscope.cli import COMMANDS, _parser
from rankscope.cli.files import INPUTS, OUTPUTS
from rankscope.errors import FileError, InputError
from rankscope.outputs import (
    ABANDONED,
    append_output,
    check_apart,
    check_named,
    check_output,
    write_output,
    write_whole,
)
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
    ["compare", qrels, a, b, "--full", "-o", "out"], ["compare", qrels, a, b, "--json", "-o", "out"],
    ["convert", a, "out"], ["report", qrels, a, b, "-m", "AP", "--resamples", "50", "-o", "out"],
    *[["compare", qrels, a, b, "-o", os.devnull, "--plot", f"out.{kind}"] for kind in ("svg", "html", "json", "png")],
    ["gate", qrels, a, b, "--summary", "log"],
]
for command in commands:
    print(command[0], main([*command, *([] if command[0] == "gate" else ["--force"])]), file=sys.stderr)
"""


@pytest.mark.slow
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


def test_temporary_names_cannot_be_known_before(tmp_path, monkeypatch):
    """A link in the place of the temporary file is neither followed nor removed; names differ from call to call."""
    opened = []
    real = Path.open

    def noted(path, mode="r", *rest, **more):
        opened.append((path.name, mode))
        return real(path, mode, *rest, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", noted)
        for _ in range(2):
            write_whole(tmp_path / "out.txt", b"x")
    assert len({*opened}) == 2
    for name, mode in opened:
        assert re.fullmatch(r"out\.txt\.[0-9a-f]{16}\.part", name), name
        assert mode == "xb"
    monkeypatch.setattr("rankscope.outputs.os.urandom", bytes)
    (tmp_path / "precious").write_text("mine")
    link = tmp_path / f"out.txt.{'0' * 16}.part"
    link.symlink_to("precious")
    with pytest.raises(FileError, match=r"out\.txt: cannot be written \(file exists\)"):
        write_output(tmp_path / "out.txt", b"theirs")
    assert (tmp_path / "precious").read_text() == "mine"
    assert link.is_symlink()


def test_what_a_killed_process_left_is_removed(tmp_path):
    """Of the same output, after an hour; nothing else."""
    old, new, other, kept = (
        tmp_path / name
        for name in (
            f"out.txt.{'0' * 16}.part",
            f"out.txt.{'1' * 16}.part",
            f"a.txt.{'0' * 16}.part",
            "out.txt.old.part",
        )
    )
    for path in (old, new, other, kept):
        path.write_text("half")
    for path in (old, other, kept):
        os.utime(path, (time.time() - ABANDONED - 60,) * 2)
    check_output(tmp_path / "out.txt", force=False)
    assert sorted(tmp_path.iterdir()) == sorted([new, other, kept])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_only_regular_files_where_no_user_named_one(tmp_path):
    """A link or pipe is replaced; nobody waits for a reader."""
    pipe, link, precious = tmp_path / "pipe", tmp_path / "link", tmp_path / "precious"
    os.mkfifo(pipe)
    precious.write_text("mine")
    link.symlink_to("precious")
    for path in (pipe, link):
        write_whole(path, b"ours", follow=False)
        assert path.is_file()
        assert not path.is_symlink()
        assert path.read_bytes() == b"ours"
    assert precious.read_text() == "mine"
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match=r"folder: cannot be written \(is a directory\)"):
        write_output(tmp_path / "folder", b"ours", follow=False)


def test_an_output_has_a_name():
    with pytest.raises(FileError, match="no name"):
        check_named("")
    with pytest.raises(FileError, match="no name"):
        check_output("", force=True)
    with pytest.raises(FileError, match=r"an output is named -\n1 problem; results go to stdout"):
        check_named("-")
    check_named(".")
    check_named("./-")


@pytest.mark.parametrize("target", ["folder", "nowhere/log"])
def test_a_summary_that_cannot_be_written_is_refused_before(target, tmp_path):
    """Before any file is read, and before a result is printed."""
    (tmp_path / "folder").mkdir()
    done = command("gate")("none", "none", "none", "--summary", target, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{target}: cannot be written" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_outputs_are_no_inputs_and_differ(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("run").write_text("run")
    Path("soft").symlink_to("run")
    os.link("run", "hard")
    Path("sub").mkdir()
    for name in ("run", "./run", "sub/../run", "soft", "hard", str(tmp_path / "run")):
        with pytest.raises(FileError, match="is an input, and would be written over"):
            check_apart({"-o": name}, ["other", "run"])
    check_apart({"-o": "other"}, ["run"])
    Path("other").write_text("run")
    check_apart({"-o": "other", "--plot": "third"}, ["run", "irds:x", "-"])
    for first, second in (("p", "p"), ("p", "./p"), ("run", "hard"), ("run", "soft"), ("sub", "sub/")):
        with pytest.raises(FileError, match="-o and --plot are the same file"):
            check_apart({"-o": first, "--plot": second}, [])
    check_apart({"-o": os.devnull, "--plot": os.devnull}, [os.devnull])


def actions(name):
    commands = next(a for a in _parser(name)._actions if isinstance(a, argparse._SubParsersAction))
    return commands.choices[name]._actions


NO_FILES = {
    "qrels_format", "run_format", "source_format", "target_format", "cluster", "measures", "methods", "studies",
    "gains", "topics", "margin", "features", "tag", "names", "signature", "diff", "paper", "families", "own", "on_odd",
    "decimals", "judged", "about", "title", "memory", "label", "columns", "latex_columns", "by", "weights", "clusters",
    "collection_weights", "reference", "humans", "trec_measures", "rel_format", "results_format", "debug",
    "zscores",  # refused, and never read
}  # fmt: skip


def test_every_argument_is_known_as_a_file_or_none():
    """A new argument that takes text is a line of `INPUTS`, of `OUTPUTS`, or of the list above."""
    texts = {
        action.dest for name in COMMANDS for action in actions(name)
        if action.type is None and action.nargs != 0 and not action.choices
    }  # fmt: skip
    assert texts == {*INPUTS, *OUTPUTS, *NO_FILES}


WRITING = {
    "validate": ["qrels", "a", "b", "-o", ...],
    "evaluate": ["qrels", "a", "b", "-o", ...],
    "trec_eval": None,  # prints alone
    "compare": ["qrels", "a", "b", "-o", ...],
    "rank": ["qrels", "runs", "-o", ...],
    "across": ["web", "news", "x", "y", "-o", ...],
    "gate": ["qrels", "a", "b", "--summary", ...],
    "plan": ["qrels", "a*", "b", "--difference", "0.1", "-o", ...],
    "judges": ["qrels", "b", "--judges", "other=a", "-o", ...],
    "judge-next": ["qrels", "b", "news/runs/x", "--judge", "a", "-o", ...],
    "metrics": ["qrels", "a", "b", "-o", ...],
    "enumerate": ["-m", "AP", "P", "-k", "3", "--runs", "a", "-o", ...],
    "ipso": ["a", "-o", ...],
    "convert": ["a", ...],
    "explain": ["AP", "--qrels", "qrels", "--runs", "a", "-o", ...],
    "reproduce": None,  # a folder, which is no input
    "simulate": None,
    "demo": None,
    "report": ["qrels", "a", "b", "-o", ...],
}


MORE_INPUTS = [
    ["across", "web", "x", "y", "--mapping", "a"],
    ["across", "web", "x", "y", "--repeats", "a"],
    ["across", "folders", "x", "y"],
    ["across", "listed.csv", "x", "y"],
    ["across", "patterns.csv", "x", "y"],
    ["judges", "a", "b", "--judges", "qrels"],
    ["judges", "qrels", "b", "--judges", "runs"],
    ["judges", "qrels", "b", "--judges", "b", "--groups", "a"],
    ["compare", "qrels", "b", "b", "--judges", "x=b", "y=a"],
    ["compare", "qrels", "b", "b", "--topics-table", "a", "--by", "x"],
    ["rank", "qrels", "b", "--repeats", "a"],
    ["gate", "qrels", "b", "seed"],
]


def put_inputs(folder):
    """Judgments, two runs, and collections: folders, a folder of folders, and tables that list files or patterns."""
    (folder / "qrels").write_text("1 0 d1 1\n")
    for run in ("a", "b"):
        (folder / run).write_text("1 Q0 d1 1 2.5 x\n")
    (folder / "runs").mkdir()
    (folder / "runs" / "c").symlink_to("../a")
    (folder / "link").symlink_to("a")
    for collection, run in (("web", "a"), ("news", "b"), ("folders/web", "a")):
        (folder / collection / "runs").mkdir(parents=True)
        (folder / collection / "qrels").write_text("1 0 d1 1\n")
        (folder / collection / "runs" / "x").hardlink_to(folder / run)
    (folder / "listed.csv").write_text("collection,qrels,runs\nfirst,qrels,b\nsecond,qrels,runs\n")
    (folder / "patterns.csv").write_text("collection,qrels,runs\nfirst,qrels,b\nsecond,qrels,[a]\n")


@pytest.mark.parametrize("words", MORE_INPUTS, ids=" ".join)
def test_files_of_options_and_lists_are_inputs(words, tmp_path):
    """Files that an option names, and those that a folder or a table of collections leads to."""
    put_inputs(tmp_path)
    for target in ("a", "link"):
        done = command(words[0])(*words[1:], "-o", target, "--force", cwd=tmp_path)
        assert (done.returncode, f"{target}: is an input, and would be written over" in done.stderr) == (2, True), done
        assert (tmp_path / "a").read_text() == "1 Q0 d1 1 2.5 x\n"


def test_files_beside_those_of_a_collection_are_no_inputs(tmp_path):
    put_inputs(tmp_path)
    for name in ("folders/notes.txt", "folders/web/notes.txt", "web/notes.txt"):
        (tmp_path / name).write_text("kept")
    for folders, target in ((["folders"], "folders/web/notes.txt"), (["web", "news"], "web/notes.txt")):
        done = command("across")(*folders, "x", "y", "-o", target, "--force", cwd=tmp_path)
        assert "is an input" not in done.stderr
    done = command("across")("folders", "x", "y", "-o", "folders/web/qrels", "--force", cwd=tmp_path)
    assert "folders/web/qrels: is an input" in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_writes_over_its_inputs(name, tmp_path):
    if WRITING[name] is None:
        return
    put_inputs(tmp_path)
    for target in ("a", "link"):
        words = [target if word is ... else word for word in WRITING[name]]
        done = command(name)(*words, *([] if name == "gate" else ["--force"]), cwd=tmp_path)
        assert done.returncode == 2, done
        assert f"{target}: is an input, and would be written over" in done.stderr
        assert (tmp_path / "a").read_text() == "1 Q0 d1 1 2.5 x\n"
    done = command(name)(*["" if word is ... else word for word in WRITING[name]], cwd=tmp_path)
    assert (done.returncode, "an output has no name" in done.stderr) == (2, True), done


@pytest.mark.parametrize(
    "words",
    [
        ["demo", "-o", ""], ["simulate", "-o", ""], ["reproduce", "ipso", "-o", ""],
        ["metrics", "qrels", "a", "--checkpoint", ""], ["compare", "qrels", "a", "b", "--plot", ""],
    ],
)  # fmt: skip
def test_folders_have_names(words, tmp_path):
    done = command(words[0])(*words[1:], cwd=tmp_path)
    assert (done.returncode, "an output has no name" in done.stderr) == (2, True), done
    assert not [*tmp_path.iterdir()]


def test_two_outputs_of_one_name(tmp_path):
    for words in (["-o", "p.svg", "--plot", "p.svg"], ["-o", "sub/../p.json", "--plot", "p.json", "--force"]):
        done = command("compare")("qrels", "a", "b", *words, cwd=tmp_path)
        assert (done.returncode, "-o and --plot are the same file" in done.stderr) == (2, True), done
    done = command("gate")("qrels", "a", "b", "-o", "x", "--summary", "./x", cwd=tmp_path)
    assert (done.returncode, "-o and --summary are the same file" in done.stderr) == (2, True), done


@pytest.mark.parametrize("name", ["x.pdf", "x.svg", "x.txt", "x.docx"])
def test_a_report_is_a_page(name, tmp_path):
    done = command("report")("qrels", "a", "-o", name, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{name}: a report is an HTML page\n1 problem; choose a name that ends in .html" in done.stderr
