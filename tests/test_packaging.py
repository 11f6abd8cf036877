"""Installation never fails for want of a compiler: it only becomes slower."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHOW = "import rankscope.kernels as k, rankscope as rs; print(k.KIND); print(len(rs.simulation.embedded()[1]))"


def wheel(folder: Path, **env: str) -> Path:
    """A wheel built from a clean copy of the sources."""
    source = folder / "source"
    ignore = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", source / "src", ignore=ignore)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, env=os.environ | env, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def installed(path: Path, folder: Path) -> list[str]:
    """What a package unpacked from the wheel says of itself."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    env = {k: v for k, v in os.environ.items() if k != "RANKSCOPE_PURE"} | {"PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, env=env, check=True, cwd=folder)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_without_a_compiler(tmp_path):
    path = wheel(tmp_path, CC="false", CXX="false")
    assert installed(path, tmp_path / "site") == ["numpy (the compiled core was not built)", "8"]


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("cc") or shutil.which("gcc")), reason="no compiler on this machine")
def test_with_a_compiler(tmp_path):
    path = wheel(tmp_path)
    assert "abi3" in path.name
    assert installed(path, tmp_path / "site") == ["compiled", "8"]
    about = next((tmp_path / "site").glob("rankscope-*.dist-info"))
    points = (about / "entry_points.txt").read_text()
    assert "[pytest11]\nrankscope = rankscope.integrations.pytest_plugin" in points
    assert "[pyterrier.modules]\nrankscope = rankscope.integrations.pyterrier" in points
    metadata = (about / "METADATA").read_text(encoding="utf-8")
    assert "Description-Content-Type: text/markdown" in metadata
    html = pytest.importorskip("markdown_it").MarkdownIt("commonmark").render(metadata.partition("\n\n")[2])
    assert html.startswith("<h1>")  # the long description is the README
