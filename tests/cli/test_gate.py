"""`rankscope gate`: exit codes, summary and JSON; what cannot be compared is refused."""

import gzip
import json

import pytest
from snapshots import check_short, check_snapshot

import rankscope as rs
from rankscope.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


@pytest.fixture
def files(tmp_path):
    """A baseline and candidates for it, made from the embedded collection."""
    qrels, runs = rs.simulation.embedded()
    by_name = {run.name.removesuffix(".gz"): run for run in runs}
    return qrels, by_name, tmp_path


def test_exit_codes(files, capsys):
    qrels, runs, _ = files
    call = ["gate", str(qrels)]
    assert main([*call, str(runs["lexical-1"]), str(runs["hybrid-2"])]) == 0
    assert main([*call, str(runs["hybrid-2"]), str(runs["lexical-1"])]) == 1
    assert main([*call, str(runs["dense-2"]), str(runs["lexical-3"])]) == 0
    assert main([*call, str(runs["dense-2"]), str(runs["lexical-3"]), "--strict"]) == 3
    assert "INCONCLUSIVE" in capsys.readouterr().out


def test_few_clusters_of_unequal_size_are_refused_by_every_command(files, capsys):
    """gate and rank end with 2, cause and cure; compare shows the numbers, and refuses the verdict."""
    qrels, runs, folder = files
    topics = folder / "topics.csv"
    rows = (f"{t},{'large' if t < 126 else t % 5}" for t in range(101, 151))
    topics.write_text("\n".join(["topic,user", *rows]) + "\n")
    pair = [
        str(qrels),
        str(runs["lexical-1"]),
        str(runs["hybrid-2"]),
        "--topics-table",
        str(topics),
        "--clusters",
        "user",
    ]
    for command in ("gate", "rank"):
        assert main([command, *pair]) == 2
        refused = capsys.readouterr().err
        assert "6 clusters of unequal size are too few" in refused
        assert "7 clusters, or 5 of about the same size" in refused
    assert main(["compare", *pair]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "6 clusters of unequal size: too few to tell lexical-1 and hybrid-2 apart; a verdict needs 7 or more" in shown
    )


def test_help_tells_the_exit_codes(capsys):
    """Inconclusive is 0 unless --strict asks for 3."""
    with pytest.raises(SystemExit):
        main(["gate", "--help"])
    assert "inconclusive (exit 0, or 3 with --strict)" in " ".join(capsys.readouterr().out.split())


def test_a_relative_margin_of_the_command(files, capsys):
    qrels, runs, _ = files
    assert main(["gate", str(qrels), str(runs["lexical-1"]), str(runs["hybrid-2"]), "--margin", "2%", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["margin"] == pytest.approx(0.02 * found["checks"][0]["baseline"])


def test_a_run_that_lacks_topics_fails_closed(files, capsys):
    qrels, runs, folder = files
    lines = gzip.decompress(runs["hybrid-2"].read_bytes()).decode().splitlines()
    short = folder / "short.run"
    short.write_text("\n".join(line for line in lines if not line.startswith(("101 ", "102 "))) + "\n")
    call = ["gate", str(qrels), str(runs["hybrid-2"]), str(short)]
    assert main(call) == 2
    assert "short lacks 2 of 50 judged topics" in capsys.readouterr().err
    assert main([*call, "--allow-missing"]) == 0  # two topics of 50 fell to 0: a loss, not beyond the margin surely
    assert "INCONCLUSIVE" in capsys.readouterr().out


def test_judgments_of_other_documents_fail_closed(files, capsys):
    """All scores are 0, and no loss is seen."""
    qrels, runs, folder = files
    lines = gzip.decompress(qrels.read_bytes()).decode().splitlines()
    (folder / "other.qrels").write_text("".join(line.replace(" 0 ", " 0 other-", 1) + "\n" for line in lines))
    call = ["gate", str(folder / "other.qrels"), str(runs["lexical-1"]), str(runs["hybrid-2"])]
    for more in ([], ["--allow-missing"]):
        assert main([*call, *more]) == 2
        said = capsys.readouterr().err
        assert "no document of lexical-1 is judged\nno document of hybrid-2 is judged" in said
        assert "check that documents have the same ids" in said


def test_one_file_twice_is_no_candidate(files, capsys):
    qrels, runs, _ = files
    assert main(["gate", str(qrels), str(runs["lexical-1"]), str(runs["lexical-1"])]) == 2
    assert "BASELINE and CANDIDATE are the same file" in capsys.readouterr().err


def test_judgments_that_were_cut_short_fail_closed(files, capsys):
    qrels, runs, folder = files
    lines = gzip.decompress(qrels.read_bytes()).decode().splitlines()
    (folder / "short.qrels").write_text("\n".join(line for line in lines if int(line.split()[0]) < 131) + "\n")
    call = ["gate", str(folder / "short.qrels"), str(runs["lexical-1"]), str(runs["hybrid-2"])]
    assert main(call) == 2
    assert "hybrid-2 has 20 topics without judgments" in capsys.readouterr().err
    assert main([*call, "--allow-missing", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == [
        "topics of runs without judgments, ignored: 20 in each of 2 runs"
    ]


def test_summary_is_appended_and_json_holds_the_numbers(files, capsys):
    qrels, runs, folder = files
    slices = folder / "slices.txt"
    slices.write_text("easy 101\neasy 102\neasy 103\neasy 104\neasy 105\neasy 106\nhard 107\n")
    summary = folder / "summary.md"
    summary.write_text("before\n")
    call = ["gate", str(qrels), str(runs["lexical-1"]), str(runs["hybrid-2"]), "--slices", str(slices)]
    main([*call, "--summary", str(summary), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [check["topics_of"] for check in found["checks"]] == ["all topics", "easy", "hard"]
    assert found["checks"][2]["outcome"] == "inconclusive"
    assert found["outcome"] == "inconclusive"
    assert summary.read_text().startswith("before\n### ")


def test_old_and_new_file_of_one_name(files, capsys):
    qrels, runs, folder = files
    for place, run in (("old", "dense-1"), ("new", "dense-3")):
        (folder / place).mkdir()
        (folder / place / "dense.gz").write_bytes(runs[run].read_bytes())
    assert main(["gate", str(qrels), str(folder / "old" / "dense.gz"), str(folder / "new" / "dense.gz")]) == 0
    assert "old/dense" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--margin", "-0.1"], "a margin is a number from 0"),
        (["--level", "95"], "level is between 0 and 1"),
        (["--slices", "SLICES"], "slice 'x' names unknown topics: 9"),
        (["-m", "nDGC@10"], "nDCG"),
    ],
)
def test_bad_input(files, capsys, more, said):
    qrels, runs, folder = files
    (folder / "s.txt").write_text("x 9\nx 101\n")
    more = [str(folder / "s.txt") if word == "SLICES" else word for word in more]
    assert main(["gate", str(qrels), str(runs["dense-1"]), str(runs["dense-2"]), *more]) == 2
    assert said in capsys.readouterr().err


def test_further_measures_are_reported_and_do_not_decide(files, capsys):
    qrels, runs, _ = files
    call = ["gate", str(qrels), str(runs["hybrid-2"]), str(runs["hybrid-1"]), "--margin", "0.1", "--strict"]
    codes, alone = {}, {}
    for measure in ("nDCG@10", "P@1"):
        codes[measure] = main([*call, "-m", measure, "--json"])
        alone[measure] = json.loads(capsys.readouterr().out)
    assert codes["nDCG@10"] != codes["P@1"]  # so that the order of -m matters
    for first, second in (("nDCG@10", "P@1"), ("P@1", "nDCG@10")):
        assert main([*call, "-m", first, second, "--json"]) == codes[first]
        both = json.loads(capsys.readouterr().out)
        assert both["also"] == [alone[second]["checks"][0]]
        assert both | {"also": []} == alone[first]
    main([*call, "-m", "nDCG@10", "P@1"])
    out = capsys.readouterr().out
    assert "P(rel=1)@1    " in out
    assert "nDCG@10 decides, other measures do not." in out
    assert main([*call, "-m", "nDCG@10", "P@1", "--all-decide", "--json"]) == max(codes.values())
    assert json.loads(capsys.readouterr().out)["all_decide"] is True


def test_alpha_sets_the_level_of_the_interval_that_decides(files, capsys):
    qrels, runs, _ = files
    call = ["gate", str(qrels), str(runs["lexical-1"]), str(runs["hybrid-2"]), "--json"]
    shown = []
    for more in (["--alpha", "0.1"], ["--level", "0.9"], []):
        main([*call, *more])
        shown.append(json.loads(capsys.readouterr().out))
    assert shown[0] == shown[1]
    assert [result["level"] for result in shown] == [0.9, 0.9, 0.95]


PAIRS = {
    "gate-pass": ("lexical-1", "hybrid-2", "PASS: hybrid-2 is better than lexical-1"),
    "gate-regression": ("hybrid-2", "lexical-1", "REGRESSION: lexical-1 is worse than hybrid-2"),
    "gate-inconclusive": ("dense-2", "lexical-3", "INCONCLUSIVE: the 49 topics show neither that lexical-3 is worse"),
}


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", PAIRS)
def test_snapshot(name, width, files, capsys, monkeypatch):
    """What people read, on the embedded collection."""
    qrels, runs, _ = files
    monkeypatch.setenv("COLUMNS", str(width))
    baseline, candidate, verdict = PAIRS[name]
    call = ["gate", str(qrels), str(runs[baseline]), str(runs[candidate])]
    main(call)
    out = capsys.readouterr().out
    check_short(out, width=width, verdict=verdict)
    check_snapshot(f"{name}-{width}", out)
    if name == "gate-inconclusive":
        main([*call, "--full"])
        check_snapshot(f"{name}-full-{width}", capsys.readouterr().out)


@pytest.mark.parametrize("width", [80, 120])
def test_slices_and_measures_fit_on_the_screen(width, files, capsys, monkeypatch):
    qrels, runs, folder = files
    monkeypatch.setenv("COLUMNS", str(width))
    slices = folder / "slices.txt"
    slices.write_text("".join(f"s{t % 8} {t}\n" for t in range(101, 151)))
    call = ["gate", str(qrels), str(runs["hybrid-2"]), str(runs["dense-1"]), "-m", "nDCG@10", "AP", "RR"]
    main([*call, "--slices", str(slices)])
    out = capsys.readouterr().out
    check_short(out, width=width, verdict="REGRESSION")
    assert "7 more rows: --full." in out
    check_snapshot(f"gate-slices-{width}", out)


@pytest.mark.parametrize("width", [80, 120])
def test_the_answer_on_real_data(data, width, capsys, monkeypatch):
    folder = data / "dl19-passage"
    monkeypatch.setenv("COLUMNS", str(width))
    runs = [str(folder / "runs" / f"{name}.gz") for name in ("p_bert", "TUA1-1", "bm25base_p")]
    for candidate, verdict in ((1, "INCONCLUSIVE"), (2, "REGRESSION")):
        main(["gate", str(folder / "qrels.gz"), runs[0], runs[candidate], "--margin", "2%"])
        check_short(capsys.readouterr().out, width=width, verdict=verdict)


def test_the_topics_that_lost_most_in_every_shape(files, capsys):
    qrels, runs, _ = files
    call = ["gate", str(qrels), str(runs["hybrid-2"]), str(runs["lexical-1"])]
    main([*call, "--json", "--topics", "3"])
    lost = json.loads(capsys.readouterr().out)["checks"][0]["lost_topics"]
    assert len(lost) == 3
    assert lost[0]["difference"] == min(topic["difference"] for topic in lost)
    for more in ([], ["--markdown"], ["--full"]):
        main([*call, *more])
        assert all(topic["topic"] in capsys.readouterr().out for topic in lost[:1])
    main([*call, "--topics", "all", "--json"])
    shown = json.loads(capsys.readouterr().out)["checks"][0]
    assert len(shown["lost_topics"]) > 20
    assert main([*call, "--topics", "none"]) == 2
    assert "a number from 1, or all" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--slices", "SLICES"]])
@pytest.mark.parametrize("options", [["--margin", "0.01"], ["--margin", "1"], ["-m", "AP", "RR", "--margin", "1"]])
@pytest.mark.parametrize("candidate", ["hybrid-1", "dense-3", "lexical-1"])
def test_every_outcome_fits_on_the_screen(candidate, options, more, files, capsys, monkeypatch):
    """With notes on the threshold and the margin, and with slices."""
    qrels, runs, folder = files
    monkeypatch.setenv("COLUMNS", "80")
    known = folder / "dl19-passage"
    known.mkdir()
    judgments = known / qrels.name
    judgments.write_bytes(qrels.read_bytes())
    slices = folder / "slices.txt"
    slices.write_text("".join(f"s{t % 8} {t}\n" for t in range(101, 151)))
    words = [str(slices) if word == "SLICES" else word for word in more]
    main(["gate", str(judgments), str(runs["hybrid-2"]), str(runs[candidate]), *options, *words])
    out = capsys.readouterr().out
    check_short(out, width=80, verdict=": ")
    assert ("is too large" in out) == ("1" in options)
    assert ("use --rel 2" in " ".join(out.split())) == ("AP" in options)
