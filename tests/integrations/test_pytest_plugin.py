"""The plug-in for pytest, in a sample repository: pass, regression with its topics, inconclusive, update."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEST = """
def test_search(rankscope_gate):
    rankscope_gate("qrels.txt", "candidate.run", baseline="baselines/main.run", measure="AP", margin=0.01{more})
"""


def run_text(good, worse=()):
    """A run of 30 topics: the relevant document first, or at rank 4 on the topics that are worse."""
    lines = []
    for topic in range(1, 31):
        documents = ["x", "y", "z"]
        documents.insert(3 if topic in worse else 0 if topic in good else 1, "rel")
        lines += [f"t{topic} Q0 {d} {rank} {10 - rank} run" for rank, d in enumerate(documents, 1)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def repository(tmp_path):
    """A repository with judgments, a test, and a place for the metadata of the plug-in, as an installation has it."""
    (tmp_path / "qrels.txt").write_text("".join(f"t{topic} 0 rel 1\n" for topic in range(1, 31)))
    (tmp_path / "test_search.py").write_text(TEST.replace("{more}", ""))
    (tmp_path / "candidate.run").write_text(run_text(range(1, 31)))
    metadata = tmp_path / "site" / "rankscope_plugin-0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: rankscope-plugin\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text("[pytest11]\nrankscope = rankscope.integrations.pytest_plugin\n")
    return tmp_path


def pytest_in(folder, *words):
    """Exit code and output of pytest in a folder, with the plug-in and no other one."""
    env = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{folder / 'site'}", "COLUMNS": "120"}
    call = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:hypothesispytest",
    ]
    done = subprocess.run([*call, *words], cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_sample_repository(repository):
    code, output = pytest_in(repository)
    assert (code, "no stored baseline" in output) == (1, True)
    assert "--rankscope-update" in output

    code, output = pytest_in(repository, "--rankscope-update")
    assert code == 0, output
    assert (repository / "baselines" / "main.run").read_text() == (repository / "candidate.run").read_text()

    code, output = pytest_in(repository)
    assert code == 0, output
    assert "1 passed" in output
    assert "warning" not in output

    (repository / "candidate.run").write_text(run_text(range(11, 31), worse=range(1, 11)))
    code, output = pytest_in(repository)
    assert code == 1
    assert "REGRESSION: candidate is worse than main (stored) on AP." in output
    assert "Which topics lost most? (10 of 30 lost)" in output
    assert len(set(re.findall(r"^\s+(t(?:10|[1-9]))\s+1\.0000\s+0\.2500", output, re.M))) == 5  # the topics that decide
    assert "Traceback" not in output

    (repository / "candidate.run").write_text(run_text(range(2, 31), worse=[1]))
    code, output = pytest_in(repository)
    assert code == 0
    assert "1 passed, 1 warning" in output
    assert "INCONCLUSIVE" in output

    (repository / "pytest.ini").write_text("[pytest]\nrankscope_inconclusive = fail\n")
    code, output = pytest_in(repository)
    assert code == 1
    assert "INCONCLUSIVE" in output


def test_slices_and_runs_in_memory(repository):
    more = ', slices={"first": ["t1", "t2", "t3", "t4", "t5", "t6"]}'
    text = TEST.replace("{more}", more).replace('"candidate.run"', "candidate")
    lists = '{f"t{t}": {"rel": 2.0, "x": 1.0} for t in range(1, 31)}'
    text = text.replace("    rankscope_gate", f"    candidate = {lists}\n    rankscope_gate")
    (repository / "test_search.py").write_text(text)
    assert pytest_in(repository, "--rankscope-update")[0] == 0
    assert "t1 Q0 rel 1 2 rankscope" in (repository / "baselines" / "main.run").read_text()
    code, output = pytest_in(repository)
    assert code == 0, output


def test_entry_points_name_modules_that_are_there():
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    assert points["pytest11"] == {"rankscope": "rankscope.integrations.pytest_plugin"}
    assert points["pyterrier.modules"] == {"rankscope": "rankscope.integrations.pyterrier"}
    assert all(find_spec(module) for group in points.values() for module in group.values())


@pytest.mark.parametrize("module", ["pytest_plugin", "pyterrier"])
def test_what_a_host_loads_imports_no_numpy(module):
    """pytest and PyTerrier load these modules when they start: the host pays for rankscope only where it is used."""
    call = f"import sys, pytest; before = set(sys.modules); import rankscope.integrations.{module}; " \
           "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"  # fmt: skip
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", call], env=env, capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "rankscope" in imported
    assert not imported & {"numpy", "scipy", "polars", "rich", "pandas", "pyterrier"}
