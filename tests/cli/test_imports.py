"""What a command imports: numpy where it computes, and only the rooms that it uses."""

import os
import subprocess
import sys

import pytest

import rankscope as rs
from rankscope import kernels

SHOW = """
import sys
from rankscope.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
rooms = {name.split(".")[1] for name in sys.modules if name.startswith("rankscope.")}
print(*rooms, "|", *{"numpy", "scipy", "polars", "rich", "pandas", "altair", "jinja2"} & {*sys.modules})
"""
UNUSED = {  # by all of these commands
    "difflib", "hashlib", "html", "runpy", "tempfile", "rankscope.io.conversion", "rankscope.measures.bounding",
    "rankscope.simulation.collection", "rankscope.preferences.all_pairs", "rankscope.io.parquet_metadata",
    "rankscope.judged.reading_progress", "rankscope.judged.streaming", "rankscope.measures.cwla.models",
    "rankscope.measures.explanations.contrast", "rankscope.measures.streaming",
}  # fmt: skip
LEAVES = {
    "outputs",
    "arguments",
    "arrays",
    "errors",
    "formatting",
    "layout",
    "lazy",
    "progress",
    "results",
    "version",
}  # modules, no rooms
SCORING = {"cli", "io", "judged", "kernels", "measures", "parallel"}
DECIDING = SCORING | {"comparisons", "statistics"}
EXPLAINING = SCORING | {"simulation", "statistics", "universe"}


@pytest.mark.parametrize(
    ("line", "rooms", "packages"),
    [
        ("--help", {"cli"}, set()),
        ("compare --help", {"cli"}, set()),
        ("explain --help", {"cli"}, set()),
        ("--version", {"cli", "kernels"}, {"numpy"}),
        ("evaluate QRELS RUNS", SCORING, {"numpy"}),
        ("trec_eval QRELS A", SCORING, {"numpy"}),
        pytest.param("evaluate QRELS RUNS --csv -q", SCORING, {"numpy"}, marks=pytest.mark.slow),
        ("validate QRELS RUNS", SCORING | {"validation"}, {"numpy"}),
        ("gate QRELS A B", DECIDING, {"numpy"}),
        ("rank QRELS RUNS", DECIDING, {"numpy"}),
        ("compare QRELS A B", DECIDING | {"preferences"}, {"numpy"}),
        ("explain AP@10", EXPLAINING, {"numpy"}),
        # tails of some measures are sums that scipy knows
        pytest.param("explain --all --json", EXPLAINING, {"numpy", "scipy"}, marks=pytest.mark.slow),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_command_imports_what_it_does_not_use(line, rooms, packages):
    qrels, runs = rs.simulation.embedded()
    files = {"QRELS": [qrels], "RUNS": runs, "A": runs[:1], "B": runs[5:6]}
    words = [str(word) for part in line.split() for word in files.get(part, [part])]
    done = subprocess.run([sys.executable, "-c", SHOW, *words], capture_output=True, text=True, check=True)
    imported = [set(names.split()) for names in done.stdout.splitlines()[-1].split("|")]
    assert imported[0] - LEAVES == rooms
    assert imported[1] == packages


def test_trec_eval_makes_no_table_of_scores():
    qrels, runs = rs.simulation.embedded()
    show = SHOW.replace("print(*rooms", "print(*(m for m in OTHERS if m in sys.modules)); print(*rooms")
    others = ["rankscope.measures.scores", "rankscope.layout", "rankscope.results", "rankscope.judged.subsets"]
    others += ["polars", "rankscope.kernels.pure"] if kernels.KIND == "compiled" else ["polars"]
    words = [sys.executable, "-c", f"OTHERS = {others!r}\n{show}", "trec_eval", str(qrels), str(runs[0])]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2] == ""


@pytest.mark.parametrize("layer", [[], ["--full"]])
def test_a_short_explanation_looks_at_no_rankings(layer):
    show = SHOW.replace("print(*rooms", "print('rankscope.universe.one_measure.scales' in sys.modules); print(*rooms")
    words = [sys.executable, "-c", show, "explain", "AP@10", *layer]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2] == str(layer == ["--full"])


@pytest.mark.parametrize("line", ["evaluate QRELS RUNS", "gate QRELS A B", "rank QRELS RUNS", "explain AP@10"])
def test_modules_that_no_quick_command_uses(line):
    qrels, runs = rs.simulation.embedded()
    files = {"QRELS": [qrels], "RUNS": runs, "A": runs[:1], "B": runs[5:6]}
    words = [str(word) for part in line.split() for word in files.get(part, [part])]
    show = SHOW.replace("print(*rooms", f"print(*{UNUSED!r} & {{*sys.modules}}); print(*rooms")
    done = subprocess.run([sys.executable, "-c", show, *words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2] == ""


@pytest.mark.parametrize(("command", "threads"), [("explain AP@10", "1"), ("metrics --help", None)])
def test_threads_of_openblas_are_started_where_matrices_are_multiplied(command, threads):
    """In a process of the command's own; a number that is set already is left alone."""
    show = "import os\nfrom rankscope.cli import main\ntry: main()\nexcept SystemExit: pass\n"
    show += "print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    words = [sys.executable, "-c", show, *command.split()]
    for environment, expected in ((others, threads), (others | {"OPENBLAS_NUM_THREADS": "3"}, "3")):
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
        assert done.stdout.splitlines()[-1] == str(expected)
