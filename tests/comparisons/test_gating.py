"""The gate: outcomes from the interval, slices by Holm, fail closed."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope.cli import main
from rankscope.comparisons import gate
from rankscope.io.score_tables import ScoreTable
from rankscope.statistics import adjust, t_interval, t_test

stats = pytest.importorskip("scipy.stats")

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def table(base, new):
    topics = tuple(map(str, range(len(base))))
    return ScoreTable("AP", ("old", "new"), topics, np.array([base, new], np.float64), "scores")


def noisy(shift, n=60, sd=0.05, seed=1):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.2, 0.6, n)
    return table(base, base + shift + rng.normal(0, sd, n))


def test_outcomes_follow_the_interval():
    for shift in np.linspace(-0.06, 0.06, 25):
        source = noisy(shift)
        found = gate(source, "old", "new", margin=0.01)
        interval = t_interval(source.value[0], source.value[1])
        expected = "pass" if interval.lower > -0.01 else "regression" if interval.upper < 0 else "inconclusive"
        assert found.outcome == expected
        assert found.exit_code() == {"pass": 0, "regression": 1, "inconclusive": 0}[expected]
        assert found.exit_code(strict=True) == {"pass": 0, "regression": 1, "inconclusive": 3}[expected]


def test_a_sure_loss_below_the_margin_passes():
    found = gate(noisy(-0.004, sd=0.001), "old", "new", margin=0.01)
    assert found.checks[0].effect.upper < 0
    assert found.outcome == "pass"


def test_identical_runs_pass():
    same = np.linspace(0, 1, 12)
    found = gate(table(same, same), "old", "new")
    assert found.outcome == "pass"
    assert found.checks[0].effect.pvalue == 1


def test_the_same_loss_on_every_topic_is_a_regression():
    base = np.linspace(0.5, 0.9, 12)
    assert gate(table(base, base - 0.125), "old", "new").outcome == "regression"


def decided(mean, sd, n, margin=0.01, level=0.95):
    """What the rule says of means and standard deviations of n topics: pass, regression, written out."""
    reach = stats.t.ppf((1 + level) / 2, n - 1) * sd / np.sqrt(n)
    passed = mean - reach > -margin
    return passed, ~passed & (mean + reach < 0)


def test_the_chance_of_missing_a_loss_is_that_of_gates_drawn_anew():
    """Printed and in JSON; against normal differences with the sd of the first gate."""
    source = noisy(-0.02, n=30, sd=0.08)
    found = gate(source, "old", "new")
    sd = np.std(source.value[1] - source.value[0], ddof=1)
    rng = np.random.default_rng(5)
    chances = found.to_dict()["checks"][0]["chances"]
    assert [c["true_loss"] for c in chances] == pytest.approx([0.01, 0.02, 0.03, 0.05])
    for c in chances:
        means = rng.normal(-c["true_loss"], sd / np.sqrt(30), 200_000)
        sds = sd * np.sqrt(rng.chisquare(29, 200_000) / 29)
        passed, worse = decided(means, sds, 30)
        assert c["pass"] == pytest.approx(passed.mean(), abs=0.004)
        assert c["regression"] == pytest.approx(worse.mean(), abs=0.004)
        assert c["missed"] == pytest.approx(1 - worse.mean(), abs=0.004)
        assert c["pass"] + c["regression"] + c["inconclusive"] == pytest.approx(1)
    missed = ", ".join(f"{100 * c['missed']:.0f}" for c in chances[:-1])
    last = f"{100 * chances[-1]['missed']:.0f}"
    assert (
        f"If the true loss were 0.01, 0.02, 0.03 or 0.05, a gate with 30 such topics would report no regression "
        f"in about {missed} or {last} %."
    ) in str(found)


def test_the_loss_that_is_reported_is():
    source = noisy(-0.02, n=30, sd=0.08)
    check = gate(source, "old", "new", margin=0.0).checks[0]
    assert check.chances == ()  # a margin of 0 has no multiples
    text = str(gate(source, "old", "new", margin=0.0))
    assert f"It reports a regression in 80 % from a true loss of about {check.reported:.2g} on" in text
    assert "-0 " not in text
    rng = np.random.default_rng(6)
    means = rng.normal(-check.reported, check.sd / np.sqrt(30), 200_000)
    assert decided(means, check.sd * np.sqrt(rng.chisquare(29, 200_000) / 29), 30, 0.0)[1].mean() == pytest.approx(
        0.8, abs=0.004
    )


@pytest.mark.parametrize(("shift", "margin"), [(-0.01, 0.01), (0.0, 0.01), (-0.01, 0.02), (-0.005, 0.0)])
def test_fresh_topics_that_would_settle_it_do_so_in_four_of_five(shift, margin):
    """Against draws from what the first gate leaves open: the true mean and the true sd."""
    source = noisy(shift, n=20, sd=0.06, seed=4)
    found = gate(source, "old", "new", margin=margin)
    assert found.outcome == "inconclusive"
    check = found.checks[0]
    rng = np.random.default_rng(7)
    sigma = check.sd / np.sqrt(rng.chisquare(19, 200_000) / 19)
    truth = rng.normal(check.effect.difference, sigma / np.sqrt(20))
    means = rng.normal(truth, sigma / np.sqrt(check.settles))
    sds = sigma * np.sqrt(rng.chisquare(check.settles - 1, 200_000) / (check.settles - 1))
    passed, worse = decided(means, sds, check.settles, margin)
    assert (passed | worse).mean() == pytest.approx(0.8, abs=0.005)
    assert f"about {check.settles:,} fresh topics would decide with a chance of 80 %" in found.sentence()
    if margin:  # wherever the mean lies, so many topics with this sd decide, and one fewer does not
        anywhere = np.linspace(-3 * margin, margin, 4001)
        for topics, always in ((check.certain, True), (check.certain - 1, False)):
            passed, worse = decided(anywhere, check.sd, topics, margin)
            assert (passed | worse).all() == always


def test_no_outcome_is_called_sure():
    for shift in (-0.06, -0.005, 0.06):
        text = str(gate(noisy(shift), "old", "new"))
        assert "sure" not in text
        assert "passes in at most about 2.5 % of gates" in text


def test_a_margin_relative_to_the_baseline():
    source = noisy(-0.004, n=200, sd=0.01)
    mean = source.value[0].mean()
    relative = gate(source, "old", "new", margin="2%")
    assert relative.margin == pytest.approx(0.02 * mean)
    assert relative.relative == 0.02
    assert f"margin {0.02 * mean:.4g} (2 % of the {mean:.4f} of old)" in str(relative)
    assert relative.to_dict()["relative_margin"] == 0.02
    points = gate(source, "old", "new", margin=0.02 * mean)
    assert (points.outcome, points.checks[0].chances) == (relative.outcome, relative.checks[0].chances)
    assert gate(source, "old", "new", margin=" 0.5 % ").outcome == "regression"
    assert relative.outcome == "pass"


@pytest.mark.parametrize("margin", ["two", "%", "-1%", "100%", "nan", "inf", -0.1, float("nan"), True])
def test_margins_that_are_none(margin):
    with pytest.raises(rs.InputError, match="a margin is a number from 0"):
        gate(noisy(0.0), "old", "new", margin=margin)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_slices_that_regress_are_those_of_holm(seed, count):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.3, 0.6, 12 * count)
    shift = np.repeat(rng.choice([0.0, -0.05, -0.1], count), 12)
    source = table(base, base + shift + rng.normal(0, 0.08, 12 * count))
    slices = {f"s{i}": source.topics[12 * i : 12 * i + 12] for i in range(count)}
    found = gate(source, "old", "new", slices=slices, margin=0.0)
    one_sided = []
    for i in range(count):
        part = source.value[:, 12 * i : 12 * i + 12]
        t = t_test(part[0], part[1])
        one_sided.append(t.pvalue / 2 if t.difference < 0 else 1 - t.pvalue / 2)
    rejected = adjust(one_sided, "holm").adjusted < 0.025
    assert [check.outcome == "regression" for check in found.checks[1:]] == rejected.tolist()


def test_the_worst_check_decides():
    base = np.linspace(0.3, 0.6, 40)
    rng = np.random.default_rng(3)
    new = base + np.where(np.arange(40) < 10, -0.3, 0.2) + rng.normal(0, 0.01, 40)
    topics = tuple(map(str, range(40)))
    found = gate(table(base, new), "old", "new", slices={"weak": topics[:10], "strong": topics[10:]})
    assert [check.outcome for check in found.checks] == ["pass", "regression", "pass"]
    assert found.outcome == "regression"
    assert "weak" in found.sentence()


# the command


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


def test_help_tells_the_exit_codes(capsys):
    """Inconclusive is 0 unless --strict asks for 3, in the list of commands and in the command's own help."""
    for words in (["--help"], ["gate", "--help"]):
        with pytest.raises(SystemExit):
            main(words)
        text = " ".join(capsys.readouterr().out.split())
        assert "surely" not in text
        assert ("0 pass or inconclusive" in text) if words == ["--help"] else ("inconclusive (exit 0, or 3" in text)
        assert "with --strict" in text


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
    assert main([*call, "--allow-missing"]) in (0, 1)


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
        (["--level", "95"], "level lies between 0 and 1"),
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
        assert both["also"] == [{"measure": alone[second]["measure"], **alone[second]["checks"][0]}]
        assert both | {"also": []} == alone[first]
    main([*call, "-m", "nDCG@10", "P@1"])
    assert "P(rel=1)@1, all topics" in capsys.readouterr().out


def test_alpha_sets_the_level_of_the_interval_that_decides(files, capsys):
    qrels, runs, _ = files
    call = ["gate", str(qrels), str(runs["lexical-1"]), str(runs["hybrid-2"]), "--json"]
    shown = []
    for more in (["--alpha", "0.1"], ["--level", "0.9"], []):
        main([*call, *more])
        shown.append(json.loads(capsys.readouterr().out))
    assert shown[0] == shown[1]
    assert [result["level"] for result in shown] == [0.9, 0.9, 0.95]


def test_too_few_topics():
    with pytest.raises(rs.InputError, match="4 topics are too few"):
        gate(table([0.1] * 4, [0.2] * 4), "old", "new")
