"""`rankscope compare`: what it prints in every shape, on the embedded collection and on the paper's pairs."""

import itertools
import json
import re
from pathlib import Path

import pytest
from marks import slow

import rankscope as rs
from rankscope.cli import main
from rankscope.comparisons import compare

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.fixture(scope="module")
def files():
    qrels, runs = rs.simulation.embedded()
    return qrels, {run.name.removesuffix(".gz"): run for run in runs}


def test_depth_is_of_lists_and_of_ipso(capsys):
    qrels, runs = rs.simulation.embedded()
    a, b = str(runs[0]), str(runs[1])
    for more, depth, lists in ((["--depth", "5"], 5, 5), ([], 10, None)):
        assert main(["compare", str(qrels), a, b, "-m", "AP", "--json", *more]) == 0
        shown = json.loads(capsys.readouterr().out)
        wanted = rs.evaluate(rs.load(qrels, [a, b], depth=lists), "AP").matrix("AP").mean(axis=0)
        assert (shown["mean_a"], shown["mean_b"]) == pytest.approx(tuple(wanted))
        assert shown["ipso"]["depth"] == depth
    by_path = compare(str(qrels), a, b, measure="AP", depth=5)
    assert by_path.without.ipso.depth == 5
    assert by_path.means == pytest.approx(rs.evaluate(rs.load(qrels, [a, b], depth=5), "AP").matrix("AP").mean(axis=0))


def test_alpha_and_level(capsys):
    qrels, runs = rs.simulation.embedded()
    by_name = {run.name.split(".")[0]: str(run) for run in runs}
    call = ["compare", str(qrels), by_name["lexical-2"], by_name["dense-2"], "--json"]
    for more, level in ((["--alpha", "0.01"], 0.99), (["--alpha", "0.01", "--level", "0.8"], 0.8)):
        assert main([*call, *more]) == 0
        assert json.loads(capsys.readouterr().out)["level"] == level
    assert main([*call, "--level", "95"]) == 2
    assert "level is between 0 and 1" in capsys.readouterr().err


PAIRS = {"better": ["lexical-1", "hybrid-2"], "neither": ["dense-2", "lexical-3"]}
LAYERS = {"short": [], "full": ["--full"], "explain": ["--explain"]}


def words_of(text):
    """A text without the ends of its lines."""
    return " ".join(text.split())


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(
    ("pair", "layer"), [("better", "short"), ("neither", "short"), ("better", "full"), ("better", "explain")]
)
def test_snapshot(pair, layer, columns, capsys, monkeypatch):
    """What people read, on the embedded collection. To renew: delete the file and run the test twice."""
    monkeypatch.setenv("COLUMNS", str(columns))
    qrels, runs = rs.simulation.embedded()
    folder = str(runs[0].parent)
    assert main(["compare", str(qrels), folder, *PAIRS[pair], "-m", "nDCG@10", *LAYERS[layer]]) == 0
    out = capsys.readouterr().out.replace(rs.__version__, "VERSION")
    file = SNAPSHOTS / f"compare-{pair}-{layer}-{columns}.txt"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        file.write_text(out)
        pytest.fail(f"{file.name} was missing and has been written: read it")
    assert out == file.read_text()


def test_snapshot_of_topics(capsys):
    qrels, runs = rs.simulation.embedded()
    call = ["compare", str(qrels), str(runs[0].parent), *PAIRS["better"], "-m", "nDCG@10", "--topics", "6"]
    assert main(call) == 0
    out = capsys.readouterr().out
    file = SNAPSHOTS / "compare-topics.txt"
    if not file.exists():
        file.write_text(out)
        pytest.fail(f"{file.name} was missing and has been written: read it")
    assert out == file.read_text()


def assert_short(out, names, columns):
    """At most 24 lines, none too wide, no cell that goes on below itself; the verdict names both systems at once."""
    lines = out.rstrip("\n").splitlines()
    assert len(lines) <= 24, out
    assert max(map(len, lines)) <= columns, out
    start = words_of("\n".join(lines[:3]))
    assert all(name in start for name in names), out
    assert "scores higher" in start or "No difference" in start or "score the same" in start, out
    questions = ("Does the verdict hold?", "Does another choice show a difference?")
    table = lines[next(i for i, line in enumerate(lines) if line.startswith(questions)) + 1 :]
    table = table[: table.index("")]
    assert all(line[2] != " " for line in table), out
    assert not set("†‡*") & set(out.replace("IPSO", ""))


@pytest.mark.parametrize("columns", [80, 120])
def test_the_answer_fits_the_screen(columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    qrels, runs = rs.simulation.embedded()
    names = [run.name.removesuffix(".gz") for run in runs]
    for a, b in itertools.pairwise(names):
        assert main(["compare", str(qrels), str(runs[0].parent), a, b]) == 0
        assert_short(capsys.readouterr().out, (a, b), columns)


@pytest.mark.parametrize("columns", [80, *slow(120)])
def test_the_answer_on_a_real_collection_fits_the_screen(data, columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    collection = data / "dl19-passage"
    names = sorted(path.name.removesuffix(".gz") for path in (collection / "runs").iterdir())
    for a, b in zip(names[::6], names[3::6], strict=False):
        for measure in ("nDCG@10", "AP"):
            assert main(["compare", str(collection / "qrels.gz"), str(collection / "runs"), a, b, "-m", measure]) == 0
            assert_short(capsys.readouterr().out, (a, b), columns)


def test_colour_only_where_it_is_wanted(files, capsys, monkeypatch):
    qrels, runs = files
    call = ["compare", str(qrels), str(runs["lexical-1"]), str(runs["hybrid-2"])]
    assert main(call) == 0  # no terminal
    plain = capsys.readouterr().out
    assert "\x1b" not in plain
    assert main([*call, "--color", "always"]) == 0
    coloured = capsys.readouterr().out
    assert "\x1b[38;5;32mholds" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for variables, more, wanted in (
        ({}, [], True), ({"NO_COLOR": "1"}, [], False), ({}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
    ):  # fmt: skip
        monkeypatch.delenv("NO_COLOR", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert main([*call, *more]) == 0
        assert ("\x1b" in capsys.readouterr().out) == wanted


def test_numbers_have_minus_signs_on_a_terminal_alone(files, capsys, monkeypatch):
    """A pipe, a file and what programs read have hyphens; names and signatures have them everywhere."""
    qrels, runs = files
    call = ["compare", str(qrels), str(runs["hybrid-2"]), str(runs["lexical-1"]), "--full"]
    assert main(call) == 0
    piped = capsys.readouterr().out
    assert "B - A = -0." in piped
    assert "\N{MINUS SIGN}" not in piped
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for more in ([], ["--color", "always"], ["--color", "never"]):
        assert main([*call, *more]) == 0
        shown = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out)
        assert "B \N{MINUS SIGN} A = \N{MINUS SIGN}0." in shown
        assert not re.search(r"(?<![\w.)=:|-])-\d", shown)
        assert "hybrid-2" in shown
        assert shown.replace("\N{MINUS SIGN}", "-") == piped
    for shape in ("--json", "--csv", "--markdown", "--latex"):
        assert main([*call[:-1], shape]) == 0
        assert "\N{MINUS SIGN}" not in capsys.readouterr().out


def test_a_terminal_without_utf8_has_hyphens(files, monkeypatch):
    import io
    import sys

    qrels, runs = files
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["compare", str(qrels), str(runs["hybrid-2"]), str(runs["lexical-1"])]) == 0
    stream.flush()
    assert b"B - A = -0." in stream.buffer.getvalue()


def test_swapping_the_systems_swaps_the_words(files, capsys):
    qrels, runs = files
    shown = []
    for a, b in (PAIRS["better"], PAIRS["better"][::-1]):
        assert main(["compare", str(qrels), str(runs[a]), str(runs[b])]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0].splitlines()[:2] == shown[1].splitlines()[:2]  # the verdict names the systems
    for words, mirrored in (
        ("B - A = 0.2387, 95 % interval [0.1795, 0.2979]", "B - A = -0.2387, 95 % interval [-0.2979, -0.1795]"),
        ("B is higher on 45 topics, lower on 4", "B is higher on 4 topics, lower on 45"),
        ("B ahead on 25, A 1,", "B ahead on 1, A 25,"),
        ("B - A stays within [0.1821, 0.2425]", "B - A stays within [-0.2425, -0.1821]"),
    ):
        assert words in shown[0]
        assert mirrored in shown[1]


def test_one_planned_pair_of_a_folder_says_so(files, capsys):
    qrels, runs = files
    a, b = PAIRS["better"]
    said = "p is for one planned pair; rankscope rank corrects for all 28 pairs."
    assert main(["compare", str(qrels), str(runs[a].parent), a, b]) == 0
    assert said in words_of(capsys.readouterr().out)
    assert main(["compare", str(qrels), str(runs[a]), str(runs[b])]) == 0
    alone = words_of(capsys.readouterr().out)
    assert "(p below 0.05; one planned pair, not corrected)" in alone
    assert "rankscope rank" not in alone
    assert main(["compare", str(qrels), str(runs[a]), str(runs[b]), "--full"]) == 0
    assert "This p value is for one planned pair, and not corrected for other comparisons." in words_of(
        capsys.readouterr().out
    )


@pytest.mark.parametrize("shape", ["--json", "--csv", "--markdown", "--latex"])
def test_every_shape(shape, capsys):
    qrels, runs = rs.simulation.embedded()
    assert main(["compare", str(qrels), str(runs[0]), str(runs[3]), shape]) == 0
    out = capsys.readouterr().out
    if shape == "--json":
        found = json.loads(out)
        assert {
            "a",
            "b",
            "pvalue",
            "ipso",
            "dominance",
            "preferences",
            "repetitions",
            "unjudged",
            "sentence",
            "signature",
        } <= set(found)
    elif shape == "--csv":
        assert out.startswith("topic,a,b,difference,ipso\n")
        assert out.count("\n") == 50
    elif shape == "--latex":
        assert r"\toprule" in out
        assert r"\ddagger" in out
    else:
        assert out.startswith("**")
        assert "| measure |" in out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["QRELS", "A"], "3 arguments are needed, 2 were given\n"),
        (["QRELS", "FOLDER", "A"], "is a folder, and a folder needs two names of systems after it\n"),
        (["QRELS", "FOLDER", "dense-1", "dense-2", "dense-3"], "3 or 4 arguments are needed, 5 were given\n"),
        (["QRELS", "A", "A"], "the same file"),
        (["QRELS", "FOLDER", "dense-1", "dense-9"], "did you mean dense-"),
        (["--scores", "SCORES", "x"], "1 name beside --scores"),
        (["--scores", "SCORES", "x", "y", "--gains", "linear"], "gains order lists"),
        (["QRELS", "A", "B", "--gains", "sum"], "--gains sum is unknown"),
        (["--scores", "SCORES", "x", "z"], "no system is named 'z'"),
        (["QRELS", "A", "B", "--alpha", "0"], "alpha is between 0 and 1"),
        (["QRELS", "A", "B", "--depth", "1000"], "depth is a whole number from 1 to 100"),
        (["QRELS", "A", "B", "--topics", "none"], "a number from 1, or all"),
        (["QRELS", "A", "B", "-m", "AP(rel=5)"], "grades 0, 1, 2, 3"),
        (["BARREN", "A", "B"], "no judged document is relevant, the highest grade is 0"),
        (["QRELS"], "3 arguments are needed, 1 was given\n"),
    ],
)
def test_bad_input(args, said, tmp_path, capsys):
    qrels, runs = rs.simulation.embedded()
    (tmp_path / "s.csv").write_text("topic,x,y\n1,0.5,0.3\n2,0.1,0.2\n")
    (tmp_path / "barren").write_text("".join(f"{topic} 0 d 0\n" for topic in range(101, 151)))
    stand = {"BARREN": tmp_path / "barren"}
    stand |= {"QRELS": qrels, "A": runs[0], "B": runs[1], "FOLDER": runs[0].parent, "SCORES": tmp_path / "s.csv"}
    assert main(["compare", *(str(stand.get(arg, arg)) for arg in args)]) == 2
    assert said in capsys.readouterr().err


def test_figure_5_from_runs(tmp_path, capsys):
    """The paper's 25 pairs as runs: rows in its order, classes at every rank, all 6 x 25 differences."""
    golden = json.loads((Path(__file__).parents[1] / "golden" / "ipso.json").read_text())
    rows = [entry for entry in golden["entries"] if entry["kind"] == "topic_row"]
    (order,) = (entry["expected"]["order"] for entry in golden["entries"] if entry["kind"] == "row_order")
    qrels, runs = [], {"A": [], "B": []}
    for row in rows:
        topic = row["inputs"]["topic"]
        qrels.append(f"{topic} 0 unseen 1\n")  # some lists hold nothing relevant
        for name, lines in runs.items():
            for rank, grade in enumerate(row["inputs"][f"Sys{name}"], 1):
                qrels.append(f"{topic} 0 {name}{rank} {grade}\n")
                lines.append(f"{topic} Q0 {name}{rank} {rank} {100 - rank} {name}\n")
    files = {"qrels": qrels, **runs}
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(lines))
    assert main(["compare", *(str(tmp_path / name) for name in files), "-m", "P@10", "--topics", "all", "--json"]) == 0
    drawn = json.loads(capsys.readouterr().out)["deciding"]["topics"]
    assert [row["topic"] for row in drawn] == list(map(str, order))
    shown = {row["topic"]: row for row in drawn}
    for row in rows:
        mine, expected = shown[str(row["inputs"]["topic"])], row["expected"]
        assert mine["path"] == "".join(expected["path"])
        ours = [mine[name] for name in ("RR", "Prec", "RBP(0.5)", "RBP(0.8)", "AP", "NDCG")]
        printed = [-value for value in expected["differences"].values()]  # A - B in the figure
        assert ours == pytest.approx(printed, abs=1e-9)


def test_what_is_left_out_is_noted_once(files, capsys):
    qrels, runs = files
    assert main(["compare", str(qrels), str(runs["dense-1"]), str(runs["dense-2"])]) == 0
    assert capsys.readouterr().err.count("left out") == 1


@pytest.mark.parametrize("depth", [25, 60, 100])
@pytest.mark.parametrize("colour", ["always", "never"])
def test_strips_of_deep_lists_fit_the_screen(files, capsys, depth, colour):
    qrels, runs = files
    pair = [str(runs["lexical-3"]), str(runs["hybrid-1"])]
    call = ["compare", str(qrels), *pair, "--depth", str(depth), "--topics", "3", "--color", colour]
    assert main(call) == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= 80
    head = next(at for at, line in enumerate(lines) if line.startswith("topic"))
    shown = {len(line.split()[1]) for line in lines[head + 1 : head + 4]}
    said = re.search(r"Ranks 1 to (\d+) of (\d+) are shown", " ".join(lines))
    assert (said is None) == (depth == 25)
    if said:
        assert max(shown) == int(said[1]) < int(said[2]) == depth


def test_topics_go_where_the_rest_goes(files, capsys, tmp_path):
    qrels, runs = files
    call = ["compare", str(qrels), str(runs["dense-1"]), str(runs["dense-2"]), "--topics", "3"]
    assert main([*call, "-o", str(tmp_path / "out.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "3 of 49 topics, those with the largest differences." in (tmp_path / "out.txt").read_text()
    assert main([*call, "--markdown"]) == 0
    assert "3 of 49 topics, those with the largest differences." in capsys.readouterr().out
    assert main([*call, "--csv"]) == 2
    (tmp_path / "s.csv").write_text("topic,x,y\n" + "".join(f"{t},0.{t},0.{9 - t}\n" for t in range(1, 9)))
    capsys.readouterr()
    assert main(["compare", "--scores", str(tmp_path / "s.csv"), "x", "y", "--topics"]) == 2
    assert capsys.readouterr().out == ""
