"""`rankscope reproduce`: tables and figures of a paper, resumed where it was stopped."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from rankscope.cli import main
from rankscope.simulation import embedded

QUICK = ["--resamples", "50", "--splits", "20", "--workers", "1"]


@pytest.fixture(scope="module")
def files():
    qrels, runs = embedded()
    return [str(qrels), *map(str, runs)]


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.mark.slow
def test_reproduce(files, capsys, tmp_path):
    out = tmp_path / "out"
    assert main(["reproduce", "cwla", *files, "-o", str(out), *QUICK]) == 0
    pictures = [file for file in out.iterdir() if file.suffix in (".svg", ".pdf")]
    files_made = [file for file in out.iterdir() if file.is_file() and file.name != "index.md"]
    assert f"Wrote {len(files_made)} files and index.md to {out}." in capsys.readouterr().out
    assert (out / "table-3.tex").exists()
    assert pictures
    assert main(["reproduce", "cwla", *files, "-o", str(out), *QUICK]) == 0  # again: nothing to do
    assert main(["reproduce", "ipso", "-o", str(out)]) == 2
    assert "another study's checkpoint" in capsys.readouterr().err
    assert main(["reproduce", "ipso", "-o", str(out), "--force"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"Left out: .*Figure 7.* \(needs a collection; name judgments and runs\)\.", said)
    assert not (out / "table-3.tex").exists()


def test_reproduce_bad_input(files, capsys, tmp_path):
    assert main(["reproduce", "lexiprecison", "-o", str(tmp_path / "out")]) == 2
    assert "did you mean lexiprecision?" in capsys.readouterr().err
    assert main(["reproduce", "cwla", files[0], "-o", str(tmp_path / "out")]) == 2
    assert "name the runs after the judgments" in capsys.readouterr().err
    assert main(["reproduce", "cwla", *files, "-o", str(tmp_path / "out"), "--splits", "0"]) == 2
    assert "splits is a whole number from 1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_killed_in_the_middle(tmp_path):
    qrels, runs = embedded()
    command = [sys.executable, "-m", "rankscope", "reproduce", "cwla", str(qrels), *map(str, runs), "--resamples", "50",
               "--splits", "20", "--workers", "1", "--figures", "svg", "-o"]  # fmt: skip
    subprocess.run([*command, str(tmp_path / "whole")], check=True, capture_output=True)
    part = tmp_path / "part"
    running = subprocess.Popen([*command, str(part)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end and running.poll() is None and not list((part / "checkpoints").glob("*.npz")):
        time.sleep(0.002)
    os.kill(running.pid, signal.SIGKILL)  # where it was done already, the rest of the test still holds
    running.wait()
    assert list((part / "checkpoints").glob("*.npz"))
    subprocess.run([*command, str(part)], check=True, capture_output=True)
    assert contents(part) == contents(tmp_path / "whole")


def test_without_the_extra(tmp_path, monkeypatch, capsys):
    """Tables are made, the index says what is missing and how to get it; asked for by name, it is an error."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert main(["reproduce", "ipso", "-o", str(tmp_path / "out")]) == 0
    assert "figures are not drawn: vl-convert-python is needed" in capsys.readouterr().out
    index = (tmp_path / "out" / "index.md").read_text()
    assert 'not drawn; vl-convert-python is needed for this, and is not installed; after pip install "rank' in index
    assert not list((tmp_path / "out").glob("*.svg"))
    assert main(["reproduce", "ipso", "-o", str(tmp_path / "new"), "--figures", "svg"]) == 2
    assert not (tmp_path / "new").exists()
    assert main(["reproduce", "ipso", "-o", str(tmp_path / "out"), "--figures", "none"]) == 0
    assert "- figures: not drawn; --figures none was given\n" in (tmp_path / "out" / "index.md").read_text()
