"""The action for GitHub: its file is parsed, and its shell steps are run as GitHub runs them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.io import system_name

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")


def run_action(folder, **inputs):
    """Exit code, outputs and summary of the step that gates, with inputs put in as GitHub does."""
    values = {name: entry.get("default", "") for name, entry in ACTION["inputs"].items()} | inputs
    step = next(step for step in ACTION["runs"]["steps"] if step["id"] == "gate")
    env = {
        name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: values[m[1]], text)
        for name, text in step["env"].items()
    }
    command = folder / "bin" / "rankscope"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rankscope "$@"\n')
    command.chmod(0o755)
    for name in ("output", "summary"):
        (folder / name).write_text("")
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    env |= {"PATH": path, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80",
            "RUNNER_TEMP": str(folder), "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary")}  # fmt: skip
    call = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]  # as GitHub calls it
    done = subprocess.run(call, cwd=folder, env=os.environ | env, capture_output=True, text=True, check=False)
    outputs = {}
    lines = iter((folder / "output").read_text().splitlines())
    for line in lines:
        if "<<" in line:
            name, _, end = line.partition("<<")
            outputs[name] = "\n".join(iter(lambda end=end: next(lines), end))
        else:
            name, _, outputs[name] = line.partition("=")
    return done.returncode, outputs, (folder / "summary").read_text(), done.stderr


@pytest.fixture(scope="module")
def files():
    qrels, runs = rs.simulation.embedded()
    return str(qrels), {system_name(run): str(run) for run in runs}


@pytest.mark.parametrize(
    ("baseline", "candidate", "extra", "code", "outcome"),
    [
        ("lexical-3", "hybrid-1", {}, 0, "pass"),
        ("hybrid-2", "lexical-3", {}, 1, "regression"),
        ("dense-2", "hybrid-1", {}, 0, "inconclusive"),
        ("dense-2", "hybrid-1", {"inconclusive": "fail"}, 3, "inconclusive"),
    ],
)
def test_outcomes(tmp_path, files, baseline, candidate, extra, code, outcome):
    qrels, runs = files
    returned, outputs, summary, _ = run_action(
        tmp_path, qrels=qrels, baseline=runs[baseline], candidate=runs[candidate], **extra
    )
    assert (returned, outputs["outcome"]) == (code, outcome)
    assert outputs["comment"].strip() == summary.strip() == Path(outputs["comment-file"]).read_text().strip()
    assert outcome.upper() in summary


def test_slices_and_names_of_files_with_blanks(tmp_path, files):
    qrels, runs = files
    (tmp_path / "my slices.txt").write_text("".join(f"short {topic}\n" for topic in range(101, 111)))
    shutil.copy(runs["hybrid-1"], tmp_path / "my run.gz")
    _, outputs, summary, _ = run_action(tmp_path, qrels=qrels, baseline=runs["lexical-3"], candidate="my run.gz",
                                        by="my slices.txt", measure="AP", margin="2%")  # fmt: skip
    assert outputs["outcome"] in ("pass", "inconclusive")
    assert "short" in summary


def test_an_input_is_no_code(tmp_path, files):
    qrels, runs = files
    hostile = '"; touch hacked; echo "$(touch hacked)\n```\n@team'
    code, outputs, summary, error = run_action(tmp_path, qrels=qrels, baseline=runs["lexical-3"], candidate=hostile)
    assert (code, outputs["outcome"]) == (2, "refused")
    assert not (tmp_path / "hacked").exists()
    assert "no such file" in summary
    assert summary.count("```") == 2  # nothing of a name leaves the block of code
    assert "no such file" in error


def test_the_file_says_what_it_needs():
    assert {"qrels", "baseline", "candidate", "measure", "margin", "by"} <= set(ACTION["inputs"])
    assert ACTION["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" for step in ACTION["runs"]["steps"])
    assert not any("${{" in step["run"] for step in ACTION["runs"]["steps"])  # inputs come as variables, never as code
