"""rankscope ipso, as a user meets it."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from commands import command

ipso = command("ipso")
SNAPSHOTS = Path(__file__).parent / "snapshots"


def told(result):
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_two_lists():
    lists = "1011101101", "1100111111"
    lines = told(ipso(*lists)).splitlines()
    said = "Metrics may disagree on A and B to depth 10: B is ahead first, at rank 2, and A at rank 4."
    assert " ".join(" ".join(lines[:2]).split()) == said
    assert [line.split()[-1] for line in lines[5:15]] == ["equal"] + ["ahead"] * 2 + ["undecided"] * 7
    scores = " ".join(" ".join(lines).partition("B - A, with ")[2].split())
    assert scores.startswith("10 relevant documents in all: RR 0.00, P 0.10, RBP(p=0.5) ")
    assert "AP 0.09, nDCG " in scores
    assert len(lines) <= 24
    full = told(ipso(*lists, "--full")).splitlines()
    assert [line.split()[-1] for line in full[5:15]] == ["==", "ns", "ns"] + ["**"] * 7
    explained = told(ipso(*lists, "--explain"))
    assert "Rule 2 says" in explained
    assert "Rule 2 says" not in "".join(full)


def test_long_lists_fit_the_screen():
    lists = "10" * 50, "01" * 50
    assert len(told(ipso(*lists)).splitlines()) <= 24
    assert "Ranks 11 to 100: --full" in told(ipso(*lists))
    assert "   100" in told(ipso(*lists, "--full"))
    first, *_ = told(ipso(*lists)).splitlines()
    assert first == "A is ahead of B to depth 100, from rank 1 on."
    assert told(ipso(*lists[::-1])).startswith("B is ahead of A to depth 100, from rank 1 on.")
    assert told(ipso("10", "10")).startswith("A and B are equal to depth 2.")


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("layer", ["short", "full", "explain"])
def test_snapshot(layer, columns, monkeypatch):
    """What people read. To renew: delete the file and run the test twice."""
    monkeypatch.setenv("COLUMNS", str(columns))
    out = told(ipso("1011101101", "1110100110", *([] if layer == "short" else [f"--{layer}"])))
    assert max(map(len, out.splitlines())) <= columns
    file = SNAPSHOTS / f"ipso-{layer}-{columns}.txt"
    if not file.exists():
        file.write_text(out)
        pytest.fail(f"{file.name} was missing and has been written: read it")
    assert out == file.read_text()


def test_decimal_gains():
    assert json.loads(told(ipso("0.8,0.2", "1,0", "--json")))["pairs"][0]["path"] == ["ns", "**"]
    got = json.loads(told(ipso("0.8,0.2", "1,0", "--gains", "linear", "--json")))
    assert got["pairs"][0]["path"] == ["ns", "ns"]
    assert got["pairs"][0]["B"] == "1,0"
    assert "B - A, with " not in told(ipso("0.8,0.2", "1,0"))  # the six metrics are those of binary lists


NEVER_LOWERS = "under which a better document, or a better one moved up, never lowers the score"


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        (("110", "101"), f"Metrics to this depth {NEVER_LOWERS} agree that A is at least as good."),
        (("011", "101"), f"Metrics to this depth {NEVER_LOWERS} agree that B is at least as good."),
        (("100", "011"), f"Even metrics to this depth {NEVER_LOWERS} may disagree here."),
        (("101", "101"), None),
        (("2,0", "1,1", "--gains", "linear"), "Metrics to this depth that sum this gain times a weight that is never "
         "negative and never grows with rank agree that A is at least as good."),
        (("2,0", "0,1", "--gains", "binary"), "Metrics to this depth of this binary relevance under which a relevant "
         "document, or one moved up, never lowers the score agree that A is at least as good."),
    ],
)  # fmt: skip
def test_what_metrics_say_of_the_pair(lists, said):
    """No list is called ahead where none is."""
    text = " ".join(told(ipso(*lists)).split())
    assert text.count("etrics to this depth") == (said is not None)
    assert said is None or f" {said} " in text


@pytest.fixture
def pairs(tmp_path):
    (tmp_path / "pairs").write_text("7 0111 1000\n8 1000 0100\n\n10 0100 1000\n9 0000 0000\n")
    return tmp_path


def test_a_file_of_pairs(pairs):
    lines = told(ipso("pairs", cwd=pairs)).splitlines()
    assert lines[0] == "B is ahead on 1 of 4 pairs, A on 1; equal on 1, undecided on 1."
    assert lines[1] == "Sign test of 1 against 1: p = 1.0000."
    assert [line.split()[-1] for line in lines[5:9]] == ["undecided", "ahead", "equal", "ahead"]
    lines = told(ipso("pairs", "--full", cwd=pairs)).splitlines()
    assert lines[4].split() == ["topic", "A", "B", "path", "RR", "P", "RBP(0.5)", "RBP(0.8)", "AP", "nDCG"]
    assert [line.split()[0] for line in lines[5:9]] == ["7", "10", "9", "8"]
    rows = list(csv.DictReader(io.StringIO(told(ipso("pairs", "--csv", cwd=pairs)))))
    assert (rows[0]["path"], rows[0]["class"], rows[3]["RR"]) == ("nsns****", "**", "-0.5")
    got = json.loads(told(ipso("pairs", "--json", cwd=pairs)))
    assert got["over_pairs"]["swing"] == [{"ns": 1, "ni": 2, "pvalue": 1.0}, {"ns": 2, "ni": 1, "pvalue": 1.0}]
    assert [one["ahead_first"] for one in got["pairs"]] == ["B", "B", None, "A"]
    assert [one["favours"] for one in got["pairs"]] == [None, "B", None, "A"]


def test_lists_of_several_lengths(tmp_path):
    (tmp_path / "pairs").write_text("10 01\n100 010\n")
    lines = told(ipso("pairs", "--full", cwd=tmp_path)).splitlines()
    assert [line.split()[3] for line in lines[4:6]] == ["nini", "ninini"]
    assert "Sign test" not in "".join(lines)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("10", "011"), "lists of 2 and 3 documents"),
        (("10", "2x"), "'2x' is no list of grades"),
        (("1y", "2x"), "'1y' is no list of grades\n'2x' is no list of grades"),
        (("10", "012"), "with commas between grades"),
        (("10", "1,-1"), "'1,-1' is no list of grades"),
        (("10", "01", "11"), "give two lists, or one file of pairs"),
        (("nowhere",), "nowhere: no such file"),
        (("2,0", "1,1", "--gains", "sum"), "--gains sum is unknown"),
        (("2,0", "1,1", "--gains", "1=x,2=1"), "--gains 1=x"),
        (("2,0", "1,1", "--gains", "1=1"), "nothing is said of grade 2"),
    ],
)
def test_bad_input(args, message):
    got = ipso(*args)
    assert got.returncode == 2
    assert message in got.stderr


def test_bad_files(tmp_path):
    (tmp_path / "pairs").write_text("1 10 01\n1 2 10 01\n")
    assert "pairs:2: 4 fields, expected 2 or 3" in ipso("pairs", cwd=tmp_path).stderr
    (tmp_path / "pairs").write_text("1 10 011\n\n2 1x 0x\n1 2 3 4\n")
    got = ipso("pairs", cwd=tmp_path).stderr.splitlines()
    assert got[1:5] == [
        "pairs:1: lists of 2 and 3 documents",
        "pairs:3: '1x' is no list of grades",
        "pairs:3: '0x' is no list of grades",
        "pairs:4: 4 fields, expected 2 or 3",
    ]
    (tmp_path / "pairs").write_text("\n")
    assert "pairs: no pairs of lists" in ipso("pairs", cwd=tmp_path).stderr
    (tmp_path / "folder").mkdir()
    assert "folder: is a folder" in ipso("folder", cwd=tmp_path).stderr
    (tmp_path / "folder" / "pairs").write_text("10 01\n")
    assert "folder: is a folder" in ipso("folder", cwd=tmp_path).stderr


def test_a_compressed_file(tmp_path):
    (tmp_path / "pairs.gz").write_bytes(gzip.compress(b"a 10 01\nb 0.5,1 1,0\n"))
    assert [line.split()[-1] for line in told(ipso("pairs.gz", "--full", cwd=tmp_path)).splitlines()[5:7]] == [
        "ns**", "nini",
    ]  # fmt: skip
