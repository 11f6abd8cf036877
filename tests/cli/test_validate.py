"""rankscope validate, as a user meets it."""

import gzip
import json

import pytest
from commands import command

DOCS = [f"d{i}" for i in range(10)]
QRELS = "".join(f"1 0 {d} {int(d < 'd3')}\n" for d in DOCS)
RUN = "".join(f"1 Q0 {d} {i} {-i} x\n" for i, d in enumerate(DOCS, 1))


validated = command("validate")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "good.run").write_text(RUN)
    (tmp_path / "odd.run.gz").write_bytes(gzip.compress((RUN + "9 Q0 z 1 1 x\n").encode()))
    (tmp_path / "twice.run").write_text(RUN + "1 Q0 d0 11 -11 x\n")
    (tmp_path / "torn.run").write_text(RUN + "1 Q0 d0\n")
    return tmp_path


def test_clean(files):
    result = validated("qrels", "good.run", "--strict", cwd=files)
    assert result.returncode == 0
    assert result.stdout == "Nothing odd in 1 run, 1 topic, 10 judgments.\n"


def test_findings_end_with_0_and_strictly_with_1(files):
    shown = [
        "1 finding in 1 run, 1 topic, 10 judgments: 1 low.",
        "",
        "low: odd has topics without judgments (1 topic). They are ignored: 1 document of",
        "  odd. Check that judgments and runs write topics the same way.",
        "",
        "Next: --full has every run, its numbers and what to do.",
    ]
    for strict in ([], ["--strict"]):
        result = validated("qrels", "odd.run.gz", *strict, cwd=files)
        assert result.returncode == len(strict)
        assert result.stdout.splitlines() == shown
        assert "note:" not in result.stderr  # what load() would say is a finding already


def test_every_run(files):
    lines = validated("qrels", "odd.run.gz", "good.run", "--full", cwd=files).stdout.splitlines()
    assert lines == [
        "2 findings in 2 runs, 1 topic, 10 judgments: 1 medium, 1 low.",
        "",
        "medium: identical runs",
        "  odd = good: these runs have the same documents in the same order for all",
        "    topics.",
        "  Every comparison of them is a tie, yet each counts as a system of its own.",
        "    Among them: the best run, odd.",
        "  Keep one of each.",
        "    odd = good",
        "",
        "low: topics without judgments in 1 of 2 runs",
        "  odd has topics without judgments (1 topic).",
        "  They are ignored: 1 document of odd. It does not change the mean of the best",
        "    run, odd, by 0.00005 or more.",
        "  Check that judgments and runs write topics the same way.",
        "    odd: topics 1, documents 1, shift 0.0000",
        "",
        "This concerns the best run by nDCG@10, odd: identical runs. 1 other does not.",
    ]


def test_json(files):
    result = validated("qrels", "odd.run.gz", "--json", cwd=files)
    assert result.returncode == 0
    got = json.loads(result.stdout)
    assert got["clean"] is False
    assert got["systems"] == ["odd"]
    assert (got["n_topics"], got["n_judgments"]) == (1, 10)
    (finding,) = got["findings"]
    assert finding.pop("message") == f"{finding.pop('what')} {finding.pop('effect')} {finding.pop('cure')}"
    assert finding == {
        "kind": "topics-without-judgments", "severity": "low", "systems": ["odd"], "top": [],
        "numbers": {
            "shift": 0.0, "count": 1, "among": 1, "runs": {"odd": {"n_topics": 1, "n_documents": 1, "shift": 0.0}},
        },
    }  # fmt: skip
    clean = json.loads(validated("qrels", "good.run", "--json", cwd=files).stdout)
    assert clean["clean"] is True
    assert clean["findings"] == []


def test_json_has_no_nan(files):
    # nothing is relevant, so no mean is defined, and the list is short
    (files / "none").write_text("1 0 d0 0\n2 0 d0 0\n")
    (files / "short.run").write_text("1 Q0 d0 1 1 x\n1 Q0 z 2 1 x\n")
    got = json.loads(validated("none", "short.run", "--json", cwd=files).stdout)
    numbers = {f["kind"]: f["numbers"] for f in got["findings"]}
    assert numbers["missing-topics"]["runs"]["short"]["AP"] is None
    assert numbers["tied-scores"]["runs"]["short"]["AP_best"] is None


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["qrels", "twice.run"], "twice.run:11: document 'd0' appears twice in topic '1' (first at line 1)"),
        (["qrels", "torn.run"], "torn.run:11: 3 fields, expected 6"),
        (["qrels", "none.run"], "none.run: no such file"),
        (["good.run", "qrels"], "this looks like a run"),
        (["qrels", "good.run", "good.run"], "2 systems are named 'good'"),
        (["qrels", "good.run", "--rel", "nan"], "rel"),
    ],
)
def test_what_cannot_be_used_ends_with_2(files, args, message):
    result = validated(*args, "--strict", cwd=files)
    assert result.returncode == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_threshold_of_ones_own(files):
    lines = validated("qrels", "good.run", "--rel", "2", cwd=files).stdout.splitlines()
    assert lines[2].startswith("high: No topic has a relevant document (relevant from grade 2; the highest")


def test_names_and_formats(files):
    (files / "run.json").write_text(json.dumps({"1": {d: -i for i, d in enumerate(DOCS)}}))
    got = json.loads(validated("qrels", "run.json", "good.run", "--names", "path", "--json", cwd=files).stdout)
    assert len(got["systems"]) == 2
    assert [f["kind"] for f in got["findings"]] == ["identical-runs"]
    assert validated("qrels", "run.json", "--run-format", "trec", cwd=files).returncode == 2
