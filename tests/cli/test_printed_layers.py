"""What `metrics`, `validate` and `enumerate` print: the answer first, within a screen."""

import re
from pathlib import Path

import pytest
from commands import command
from marks import slow

from rankscope.simulation import embedded

SNAPSHOTS = Path(__file__).parent / "snapshots"
QUICK = ["--resamples", "200", "--splits", "200", "--workers", "1"]


def collection(folder=None):
    """Judgments and runs: the embedded ones, or those of a folder."""
    qrels, runs = embedded() if folder is None else (folder / "qrels.gz", sorted((folder / "runs").iterdir()))
    return [str(qrels), *map(str, runs)]


CALLS = {
    "metrics": lambda folder: ("metrics", *collection(folder), *QUICK),
    "enumerate": lambda folder: ("enumerate", "-k", "6", *(["--runs", *collection(folder)] if folder else [])),
    "validate": lambda folder: ("validate", *collection(folder), "--workers", "1"),
}


def printed(name, *more, folder=None, columns, monkeypatch):
    """Lines of a command's output at a width."""
    monkeypatch.setenv("COLUMNS", str(columns))
    first, *words = CALLS[name](folder)
    result = command(first)(*words, *more)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert all(len(line) <= columns for line in lines)
    assert not [line for line in lines if "nan" in line.split()]
    return lines


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(("columns", "layer"), [(80, "short"), (120, "short"), (80, "explain")])
def test_snapshot(name, columns, layer, monkeypatch):
    """What people read. To renew: delete the file and run the test twice."""
    more = [] if layer == "short" else [f"--{layer}"]
    lines = printed(name, *more, columns=columns, monkeypatch=monkeypatch)
    file = SNAPSHOTS / f"{name}-{layer}-{columns}.txt"
    if not file.exists():
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        pytest.fail(f"{file.name} was missing and has been written: read it")
    assert lines == file.read_text(encoding="utf-8").splitlines()
    if layer == "short":
        assert len(lines) <= 24


@pytest.mark.parametrize(
    ("columns", "extra"), [(80, ""), *(pytest.param(*row, marks=pytest.mark.slow) for row in ((120, ""), (80, "many")))]
)
def test_metrics_of_a_real_collection(columns, extra, data, monkeypatch):
    measures = ["-m", "AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20", "nDCG", "nDCG@20", "P@5", "P@20", "Bpref",
                "RBP(p=0.5)", "R@100"] if extra else []  # fmt: skip
    lines = printed("metrics", *measures, folder=data / "dl19-passage", columns=columns, monkeypatch=monkeypatch)
    assert len(lines) <= 24
    assert "no other measure here did at least as well in every column" in " ".join(line.strip() for line in lines[:3])
    for name in ("power", "consistency", "tied", "ipso"):  # what each column means is on the same screen
        assert [line for line in lines if re.match(rf"{name} +(% of|tau between) ", line)]


@pytest.mark.parametrize(
    "view",
    ["--separability", "--order", "--freedom", "--values", "--features", "--buckets", "-k 10", "-m AP RR --features"],
)
def test_views_of_enumerate(view, monkeypatch):
    """Every view answers in a sentence, within a screen; all numbers are in the full layer."""
    words = ["-k", "4", *view.split()]
    lines = printed("enumerate", *words, columns=80, monkeypatch=monkeypatch)
    assert len(lines) <= 24
    assert lines[0].split(" ", 1)[0].isprintable()
    assert re.search(r"\.( |$)", " ".join(lines[:3]))
    full = printed("enumerate", *words, "--explain", columns=80, monkeypatch=monkeypatch)
    assert full[:2] == lines[:2]
    assert [line for line in full if line.endswith("?")]


def test_enumerate_of_a_real_collection(data, monkeypatch):
    for columns in (80, 120):
        lines = printed("enumerate", folder=data / "dl19-passage", columns=columns, monkeypatch=monkeypatch)
        assert len(lines) <= 24
        assert " disagree most: they order " in " ".join(lines[:2])


@pytest.mark.parametrize("columns", [80, *slow(120)])
@pytest.mark.parametrize("name", ["dl19-passage", *slow("trec8-adhoc", "trec-covid-r5")])
def test_validate_of_real_collections(columns, name, data, monkeypatch):
    lines = printed("validate", folder=data / name, columns=columns, monkeypatch=monkeypatch)
    assert len(lines) <= 24
    assert " findings in " in lines[0]
    marks = [line.partition(":")[0] for line in lines if line.startswith(("high: ", "medium: ", "low: "))]
    assert marks == sorted(marks, key=["high", "medium", "low"].index)
    assert re.search(r"\n(These concern|This concerns) the 10 best runs by nDCG@10: ", "\n".join(lines[-3:]))
    full = printed("validate", "--full", folder=data / name, columns=columns, monkeypatch=monkeypatch)
    assert full[0] == lines[0]


def test_two_systems_have_the_numbers_that_there_are(tmp_path):
    """RR ties both systems on every topic, and AP has its consistency all the same."""
    topics = range(6)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b 1\n{t} 0 c 0\n" for t in topics))
    for name, order in (("x", "abc"), ("y", "acb")):
        lines = [f"{t} Q0 {doc} {rank} {-rank} {name}\n" for t in topics for rank, doc in enumerate(order, 1)]
        (tmp_path / name).write_text("".join(lines))
    words = "-m", "RR", "AP", "--methods", "--studies", "consistency", "ties", "--full", *QUICK
    result = command("metrics")("qrels", "x", "y", *words, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    out = result.stdout
    assert [line.split() for line in out.splitlines() if line.split()[:1] == ["AP"]] == [["AP", "1.0000", "0.00"]]
    assert "RR ties all systems on a half of every split, so RR has no tau." in out
    assert "RR: not compared, for want of a number in some column." in " ".join(out.split())
    assert "nan" not in out.split()
