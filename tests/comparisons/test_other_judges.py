"""compare and gate under other judges, and with few human and many machine labels."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import warnings
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import embedded_judges, write_judges
from rankscope.statistics import prediction_powered, prediction_powered_pairs

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
PAIR = "lexical-3", "hybrid-1"
GOLDEN = {e["id"]: e for e in json.loads((Path(__file__).parents[1] / "golden" / "ppi.json").read_text())["entries"]}


@pytest.fixture(scope="module")
def judges():
    return rs.load_judges(*embedded(), embedded_judges())


def test_each_judge_is_a_repetition(judges):
    comparison = rs.compare(judges, *PAIR, measure="nDCG@10")
    rows = {r.name: r for r in comparison.repetitions if r.axis == "judge"}
    assert list(rows) == ["strict", "lenient", "careless"]
    _, runs = embedded()
    for name, judgments in embedded_judges().items():
        alone = rs.compare(rs.load(judgments, runs), *PAIR, measure="nDCG@10", others=False)
        assert rows[name].effect == alone.effect
    assert "of 3 other judges" in comparison.sentence()
    assert comparison.to_dict()["alike_under_all_judges"]["judges"] == 4
    full = comparison.to_text("full")
    assert "Would the verdict hold with other judgments?" in full
    assert "other judges" in str(comparison)
    assert str(comparison).count("\n") < 24


def test_topics_that_all_judges_order_alike(judges):
    """By hand: IPSO of each judge, topic by topic."""
    alike = rs.compare(judges, *PAIR, measure="nDCG@10").alike
    classes = [rs.ipso(judges.judged(name), *PAIR, depth=10) for name in judges.names]
    by_topic = [dict(zip(each.topics, each.outcome.tolist(), strict=True)) for each in classes]
    shared = set.intersection(*(set(each) for each in by_topic))
    same = [topic for topic in shared if len({each[topic] for each in by_topic}) == 1]
    assert (alike.compared, alike.alike) == (len(shared), len(same))
    signs = [dict(zip(classes[0].topics, classes[0].sign.tolist(), strict=True))[topic] for topic in same]
    assert (alike.ahead_b, alike.ahead_a) == (signs.count(1), signs.count(-1))
    assert alike.pvalue == pytest.approx(rs.statistics.sign_test(np.zeros(len(signs)), signs).pvalue)


def test_a_judge_that_cannot_be_used_has_a_reason(judges):
    qrels, runs = embedded()
    flat = {t: dict.fromkeys(docs, 0) for t, docs in embedded_judges()["strict"].items()}
    comparison = rs.compare(rs.load_judges(qrels, runs, {"flat": flat}), *PAIR, measure="nDCG@10")
    (missing,) = [r for r in comparison.not_repeated if r.axis == "judge" and r.name == "flat"]
    assert missing.reason
    assert "not computed: flat" in comparison.to_text("full")


@pytest.fixture(scope="module")
def few():
    """People have judged 15 topics, a machine all."""
    qrels, runs = embedded()
    lines = gzip.decompress(qrels.read_bytes()).decode().splitlines()
    human = {}
    for topic, _, doc, grade in map(str.split, lines):
        human.setdefault(topic, {})[doc] = float(grade)
    human = dict(islice(human.items(), 15))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rs.load_judges(human, runs, {"machine": embedded_judges()["careless"]})


def test_human_topics_and_a_machine(few):
    comparison = rs.compare(few, *PAIR, measure="nDCG@10", human_topics=True)
    result = comparison.machine.result
    human, machine = (rs.evaluate(few.judged(n), "nDCG@10") for n in ("reference", "machine"))
    differences = []
    for scores in (human, machine):
        a, b = (scores.of("nDCG@10")[scores.systems.index(name)] for name in PAIR)
        differences.append({t: d for t, d in zip(scores.topics, b - a, strict=True) if d == d})
    both = [t for t in differences[0] if t in differences[1]]
    rest = [d for t, d in differences[1].items() if t not in differences[0]]
    by_hand = prediction_powered([differences[0][t] for t in both], [differences[1][t] for t in both], rest)
    assert (result.difference, result.lower, result.pvalue) == pytest.approx(
        (by_hand.difference, by_hand.lower, by_hand.pvalue)
    )
    assert "What do few human labels and many of a machine show together?" in comparison.to_text("full")
    gate = rs.gate(few, *PAIR, measure="nDCG@10", human_topics=True)
    effect = gate.checks[0].effect
    assert (effect.lower, effect.upper) == pytest.approx((result.lower, result.upper))
    check = gate.checks[0]
    assert check.candidate - check.baseline == pytest.approx(result.difference)  # means are estimated alike
    assert "Estimated from 15 topics that people judged and the labels of machine on" in str(gate)


def test_golden_differences_of_dl19(data):
    """The two entries of TREC 2019: human labels of 15 topics, UMBRELA on all."""
    if not (data / "dl19-judges").is_dir():
        pytest.skip("dl19-judges is not here")
    folder = data / "dl19-passage"
    lines = gzip.decompress((folder / "qrels.gz").read_bytes()).decode().splitlines()
    human = {}
    for topic, _, doc, grade in map(str.split, lines):
        human.setdefault(topic, {})[doc] = float(grade)
    chosen = sorted(human, key=int)[:15]
    runs = {name: folder / "runs" / f"{name}.gz" for name in ("bm25base_p", "bm25tuned_rm3_p")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = rs.load_judges({t: human[t] for t in chosen}, runs, {"m": data / "dl19-judges" / "umbrela-gpt4.gz"})
        result = rs.compare(loaded, *runs, human_topics=True).machine.result
    expected = GOLDEN["dl19_bm25tuned_rm3_p_v_bm25base_p"]["expected"]
    assert result.human[0] == pytest.approx(expected["classical"]["estimate"], abs=1e-4)  # inputs have four decimals
    assert (result.n_labelled, result.n_unlabelled) == (15, 28)
    assert result.difference == pytest.approx(expected["ppi_plus"]["estimate"], abs=1e-3)


def test_a_machine_that_favours_one_system_is_warned_of():
    """The machine finds what b has at rank 1 relevant on every topic; people find it so on every third."""
    topics = [f"t{t}" for t in range(40)]
    human = {t: {"a": int(at % 2), "b": int(at % 3 == 0)} for at, t in enumerate(topics[:20])}
    machine = {t: {"a": int(at % 2), "b": 1} for at, t in enumerate(topics)}
    runs = {name: {t: {name: 2.0, "x": 1.0} for t in topics} for name in "ab"}
    judges = rs.load_judges(human, runs, {"m": machine})
    for call in (rs.compare, rs.gate):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = " ".join(str(call(judges, "a", "b", measure="P@1", human_topics=True)).split())
        assert "Warning: m's errors favour b by 0.5000" in text  # 7 of 14 topics with relevant documents
    fair = rs.load_judges(human, runs, {"m": machine | human})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "errors favour" not in str(rs.compare(fair, "a", "b", measure="P@1", human_topics=True))


def test_what_is_refused(judges, few):
    with pytest.raises(rs.InputError, match="3 machines beside human topics"):
        rs.compare(judges, *PAIR, human_topics=True)
    with pytest.raises(rs.InputError, match="human topics without a machine"):
        rs.gate(few.judged("machine"), *PAIR, human_topics=True)
    one = rs.load_judges(*embedded(), {"strict": embedded_judges()["strict"]})
    with pytest.raises(rs.InputError, match="people have judged all"):
        rs.compare(one, *PAIR, human_topics=True)
    for call in (rs.compare, rs.gate):
        with pytest.raises(rs.InputError, match="judges is a dict, not judgments that are joined with runs"):
            call(few.judged("machine"), *PAIR, judges=embedded_judges())


def test_commands(tmp_path, capsys):
    qrels, runs = embedded()
    write_judges(tmp_path / "judges")
    pair = [str(next(run for run in runs if run.name == f"{name}.gz")) for name in PAIR]
    assert main(["compare", str(qrels), *pair, "--judges", str(tmp_path / "judges"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {r["name"] for r in result["repetitions"] if r["axis"] == "judge"} == {"strict", "lenient", "careless"}
    assert main(["compare", str(qrels), *pair, "--human-topics"]) == 2
    assert "--human-topics without --judges" in capsys.readouterr().err
    assert main(["gate", str(qrels), *pair, "--human-topics"]) == 2
    assert "belong together" in capsys.readouterr().err


@pytest.fixture(scope="module")
def few_pairs():
    """People have judged three of ten pairs of all topics, a machine all."""
    qrels, runs = embedded()
    rng, human = np.random.default_rng(4), {}
    for topic, _, doc, grade in map(str.split, gzip.decompress(qrels.read_bytes()).decode().splitlines()):
        if rng.random() < 0.3:
            human.setdefault(topic, {})[doc] = float(grade)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return human, rs.load_judges(human, runs, {"machine": embedded_judges()["careless"]})


@pytest.mark.parametrize("measure", ["P(rel=2)@5", "DCG@10", "RBP(p=0.8)"])
def test_human_pairs_by_hand(few_pairs, measure):
    """Each label times the weight of its document's ranks in both lists, summed over documents."""
    human, judges = few_pairs
    machine = embedded_judges()["careless"]
    weight, gain, depth = {
        "P(rel=2)@5": (lambda i: 1 / 5, lambda g: g >= 2, 5),
        "DCG@10": (lambda i: 1 / np.log2(i + 1), lambda g: g, 10),
        "RBP(p=0.8)": (lambda i: 0.2 * 0.8 ** (i - 1), lambda g: g >= 1, 1000),
    }[measure]
    lists = {}
    for path in embedded()[1]:
        if path.name.split(".")[0] in PAIR:
            for topic, _, doc, _, score, _ in map(str.split, gzip.decompress(path.read_bytes()).decode().splitlines()):
                lists.setdefault(path.name.split(".")[0], {}).setdefault(topic, []).append((float(score), doc))
    labelled, predicted, alone, drawn, total = [], [], [], 0, 0
    for topic in machine:
        worth = {}
        for sign, name in zip((-1, 1), PAIR, strict=True):
            for rank, (_, doc) in enumerate(sorted(lists[name].get(topic, []), reverse=True)[:depth], 1):
                worth[doc] = worth.get(doc, 0.0) + sign * weight(rank)
        seen = [doc for doc in worth if doc in machine[topic]]
        both = [doc for doc in seen if doc in human.get(topic, {})]
        drawn, total = drawn + len(both), total + len(seen)
        labelled.append(sum(worth[doc] * gain(human[topic][doc]) for doc in both))
        predicted.append(sum(worth[doc] * gain(machine[topic][doc]) for doc in both))
        alone.append(sum(worth[doc] * gain(machine[topic][doc]) for doc in seen))
    twin = prediction_powered_pairs(labelled, predicted, alone, n_pairs=(drawn, total))
    result = rs.compare(judges, *PAIR, measure=measure, human_pairs=True).machine.result
    assert (result.n_labelled, result.n_unlabelled) == (drawn, total - drawn)
    assert (result.difference, result.lower, result.upper) == pytest.approx((twin.difference, twin.lower, twin.upper))


def test_human_pairs_are_said_and_refused(few_pairs, judges):
    _, sample = few_pairs
    comparison = rs.compare(sample, *PAIR, measure="P@10", human_pairs=True)
    assert "human pairs alone" in comparison.to_text("full")
    p, words = comparison.machine.result, " ".join(str(comparison).split())
    assert ", with the labels of people and machine:" in words.split(". What follows")[0]  # the first sentence
    assert f"What follows takes {p.n_unlabelled} pairs that people did not judge for not relevant." in words
    more = (
        f"about {p.settles} more pairs show some difference" if p.settles else "add topics; human labels for all pairs"
    )
    assert ("report the first line" if p.pvalue < 0.05 else more) in words
    assert "takes all others for not relevant" in comparison.sentence()
    assert str(comparison).count("\n") < 24
    for measure in ("nDCG@10", "AP", 'RBP(gain="linear")'):
        with pytest.raises(rs.InputError, match="no sum over ranks"):
            rs.compare(sample, *PAIR, measure=measure, human_pairs=True)
    with pytest.raises(rs.InputError, match="3 machines beside human pairs"):
        rs.compare(judges, *PAIR, measure="P@10", human_pairs=True)
    with pytest.raises(rs.InputError, match="human topics beside human pairs"):
        rs.compare(sample, *PAIR, measure="P@10", human_pairs=True, human_topics=True)
    with pytest.raises(rs.InputError, match="human pairs without a machine"):
        rs.compare(sample.judged("machine"), *PAIR, measure="P@10", human_pairs=True)


@pytest.mark.parametrize("measure", ["P@10", "DCG@10", "RBP(p=0.8)"])
def test_gate_of_human_pairs(few_pairs, measure):
    """The interval of compare decides; means are those of people, estimated; every output says so."""
    _, judges = few_pairs
    gate = rs.gate(judges, *PAIR, measure=measure, human_pairs=True, margin="2%")
    expected = rs.compare(judges, *PAIR, measure=measure, human_pairs=True).machine
    check = gate.checks[0]
    p, effect = expected.result, check.effect
    assert (effect.difference, effect.lower, effect.upper, effect.pvalue) == (p.difference, p.lower, p.upper, p.pvalue)
    assert (check.baseline, check.candidate) == expected.means
    assert check.candidate - check.baseline == pytest.approx(p.difference)
    assert gate.margin == pytest.approx(0.02 * expected.means[0])
    full = rs.load(embedded()[0], embedded()[1], undefined="zero")  # people on all pairs, which the estimate is of
    scores = rs.evaluate(full, measure)
    truth = [float(np.mean(scores.of(measure)[scores.systems.index(name)])) for name in PAIR]
    assert expected.means == pytest.approx(truth, rel=0.25)
    drawn = gate.to_dict()["prediction_powered"]
    assert (drawn["unit"], drawn["machine_judge"], drawn["n_labelled"]) == ("pair", "machine", p.n_labelled)
    words = (
        f"Estimated from {p.n_labelled} pairs that people judged and the labels of machine on {p.n_unlabelled:,} more."
    )
    for text in (str(gate), gate.to_text("full"), gate.to_markdown()):
        assert words in " ".join(text.split())
    assert str(gate).count("\n") < 24
    outcome = "pass" if p.lower > -gate.margin else "regression" if p.upper < 0 else "inconclusive"
    assert gate.outcome == outcome
    assert "estimated from human and machine labels" in gate.columns()["reason"][0]


def test_a_gate_of_human_pairs_says_how_many_more(few_pairs):
    _, judges = few_pairs
    gate = rs.gate(judges, *PAIR, measure="P@10", human_pairs=True, margin=0.05)
    assert gate.outcome == "inconclusive"
    more = gate.to_dict()["prediction_powered"]["labels_to_settle_in_80percent"]
    assert more == gate.machine.result.to_settle(0.05)
    words = f"about {more} more pairs give" if more else "labelled like these"
    assert words in " ".join(str(gate).split())
    both = rs.gate(judges, *PAIR, measure="P@10", also=["DCG@10"], human_pairs=True, all_decide=True)
    assert [each.machine.result.unit for each in (both, *both.also)] == ["pair", "pair"]


def test_gates_of_human_pairs_that_are_refused(few_pairs, judges, tmp_path, capsys):
    human, sample = few_pairs
    for measure in ("nDCG@10", "AP", "RR"):
        with pytest.raises(rs.InputError, match="no sum over ranks"):
            rs.gate(sample, *PAIR, measure=measure, human_pairs=True)
        with pytest.raises(rs.InputError, match="no sum over ranks"):
            rs.gate(sample, *PAIR, measure="P@10", also=[measure], human_pairs=True)
    for words, more in (
        ("human topics beside human pairs", {"human_topics": True}),
        ("human pairs beside slices of topics", {"by": "difficulty"}),
        ("human pairs beside clusters or weights", {"clusters": "difficulty"}),
    ):
        with pytest.raises(rs.InputError, match=words):
            rs.gate(sample, *PAIR, measure="P@10", human_pairs=True, **more)
    with pytest.raises(rs.InputError, match="3 machines beside human pairs"):
        rs.gate(judges, *PAIR, measure="P@10", human_pairs=True)
    with pytest.raises(rs.InputError, match="human pairs without a machine"):
        rs.gate(sample.judged("machine"), *PAIR, measure="P@10", human_pairs=True)
    one = rs.load_judges(*embedded(), {"strict": embedded_judges()["strict"]})
    with pytest.raises(rs.InputError, match="people have judged all"):
        rs.gate(one, *PAIR, measure="P@10", human_pairs=True)
    few = dict(islice(human.items(), 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = rs.load_judges(few, embedded()[1], {"machine": embedded_judges()["careless"]})
    with pytest.raises(rs.InputError, match="share pairs of 3 topics that P@10 sees"):
        rs.gate(few, *PAIR, measure="P@10", human_pairs=True)


def test_the_command_gate_of_human_pairs(few_pairs, tmp_path, capsys):
    human, _ = few_pairs
    _, runs = embedded()
    write_judges(tmp_path / "judges")
    some = tmp_path / "some.qrels"
    some.write_text("".join(f"{t} 0 {d} {g:g}\n" for t, docs in human.items() for d, g in docs.items()))
    pair = [str(next(run for run in runs if run.name == f"{name}.gz")) for name in PAIR]
    machine = f"\x1b[2Jm@x<b>={tmp_path / 'judges' / 'careless.gz'}"
    call = ["gate", str(some), *pair, "--judges", machine, "-m", "P@10", "--human-pairs"]
    assert main([*call, "--summary", str(tmp_path / "summary.md")]) == 0
    text, summary = capsys.readouterr().out, (tmp_path / "summary.md").read_text()
    assert "pairs that people judged and the labels of" in " ".join(text.split())
    assert "pairs that people judged and the labels of" in summary
    assert "\x1b" not in text + summary
    assert summary.count("<b>") == summary.count("\\<b>") > 0  # escaped
    assert main([*call[:-1], "--human-topics", "--human-pairs"]) == 2
    assert "human topics beside human pairs" in capsys.readouterr().err
    assert main(["gate", str(some), *pair, "-m", "P@10", "--human-pairs"]) == 2
    assert "--judges and --human-pairs belong together" in capsys.readouterr().err
    assert main(call[:-1]) == 2
    assert "belong together" in capsys.readouterr().err
    assert main([*call, "--strict", "-m", "AP"]) == 2
    assert "choose P@10, DCG@10 or RBP" in capsys.readouterr().err


def test_the_how_to_page_followed_on_dl19(data, tmp_path):
    """Every command of "My labels come from a language model", with names of TREC 2019 for the embedded ones."""
    if not (data / "dl19-judges").is_dir():
        pytest.skip("dl19-judges is not here")
    folder = data / "dl19-passage"
    names = ("bm25base_p", "bm25tuned_rm3_p", "idst_bert_p1", "idst_bert_p2", "idst_bert_p3", "TUW19-p3-f")
    (tmp_path / "qrels.gz").symlink_to(folder / "qrels.gz")
    for place, files in {
        "runs": [folder / "runs" / f"{name}.gz" for name in names],
        "judges": [data / "dl19-judges" / f"{name}.gz" for name in ("umbrela-gpt4", "direct-llama3-8b")],
    }.items():
        (tmp_path / place).mkdir()
        for file in files:
            (tmp_path / place / file.name).symlink_to(file)
    topics = sorted({int(line.split()[0]) for line in gzip.decompress((folder / "qrels.gz").read_bytes()).splitlines()})
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "labels-from-a-model.md").read_text()
    commands = "\n".join(block.split("```", 1)[0].strip() for block in page.split("```{command}")[1:])
    for ours, theirs in (
        ("lexical-3", names[0]), ("hybrid-1", names[1]), ("dense-", "idst_bert_p"), ("lenient", "umbrela-gpt4"),
        ("120", str(topics[14])),
    ):  # fmt: skip
        commands = commands.replace(ours, theirs)
    command = f'rankscope() {{ {sys.executable} -m rankscope "$@"; }}\nset -e\n{commands}'
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for words in ("No judge is shown to favour a group", "other judges", "human topics alone", "human pairs alone",
                  "pairs that people judged and the labels of llm"):  # fmt: skip
        assert words in done.stdout


def spoiled(folder, change):
    """The strict judge of the embedded collection, each line changed, as a file."""
    rows = [(t, d, g) for t, docs in embedded_judges()["strict"].items() for d, g in docs.items()]
    path = folder / "bob.txt"
    path.write_text("".join("{} 0 {} {}\n".format(*change(*row)) for row in rows))
    return path


REFUSED = {
    "no pair": (lambda t, d, g: (t, f"z{d}", g), "bob shares 50 topics and no judged document with qrels"),
    "no topic": (lambda t, d, g: (f"z{t}", d, g), "bob shares no topic with qrels"),
}


@pytest.mark.parametrize("command", ["judges", "compare"])
@pytest.mark.parametrize("case", [*REFUSED, "run", "same names"])
def test_judges_that_are_refused(tmp_path, capsys, command, case):
    qrels, runs = embedded()
    words = [command, str(qrels), *map(str, runs[:2])]
    if case == "run":
        judge, cause = [str(runs[0])], "looks like a run"
    elif case == "same names":
        path = spoiled(tmp_path, lambda *row: row)
        judge, cause = [f"bob={path}", f"bob={qrels}"], "two judges are named 'bob'"
    else:
        change, cause = REFUSED[case]
        judge = [str(spoiled(tmp_path, change))]
    assert main([*words, "--judges", *judge]) == 2
    assert cause in capsys.readouterr().err


def test_other_scales_and_topics_without_relevant_documents_are_said(tmp_path, capsys):
    qrels, runs = embedded()
    few = spoiled(tmp_path, lambda t, d, g: (t, d, g / 4 if int(t) % 3 else 0))
    call = ["judges", str(qrels), *map(str, runs), "--judges", str(few)]
    some = tmp_path / "some.txt"
    some.write_text("".join(few.read_text().splitlines(keepends=True)[:-7]))
    assert main(["compare", str(qrels), *map(str, runs[:2]), "--judges", f"bob={some}"]) == 0
    told = capsys.readouterr().err
    assert "note: pairs that judges lack: bob 7" in told
    assert "judges with other grades than qrels (0 to 3), compared as they are: bob 0 to 0.75" in told
    topics = [t for t, docs in embedded_judges()["strict"].items() if int(t) % 3 == 0 or not any(docs.values())]
    for words, rule in (([], "left out under that judge"), (["--undefined", "zero"], "scored 0 for every system")):
        assert main([*call, *words]) == 0
        told = capsys.readouterr().err
        assert "judges with other grades than qrels (0 to 3), compared as they are: bob 0 to 0.75" in told
        assert f"without relevant documents, {rule}: bob {len(topics)}\n" in told
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = rs.load_judges(qrels, runs, few)
    comparison = rs.compare(loaded, *PAIR, measure="nDCG@10")
    assert f"without relevant documents or a run: bob {len(topics)}." in " ".join(comparison.to_text("full").split())


def test_a_judge_without_relevant_documents_is_seen_in_the_answer(tmp_path):
    qrels, runs = embedded()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nothing = rs.load_judges(qrels, runs, spoiled(tmp_path, lambda t, d, g: (t, d, 0)))
    assert "other judges    not tried  0 of 1 could be used" in str(rs.compare(nothing, *PAIR, measure="nDCG@10"))
    with pytest.raises(rs.InputError, match=r"bob: 0 topics with a score of nDCG@10[^$]*grades of bob are 0 to 0"):
        rs.studies.judges(nothing)


@pytest.mark.parametrize("pair", [("bm25base_p", "bm25tuned_rm3_p"), ("bm25base_p", "TUW19-p3-f")])
def test_all_judges_of_dl19_on_one_screen(data, pair, monkeypatch, capsys):
    """18 judges, one row; then few human topics and a machine. 24 lines of 80 columns, and no cell is broken."""
    if not (data / "dl19-judges").is_dir():
        pytest.skip("dl19-judges is not here")
    monkeypatch.setenv("COLUMNS", "80")
    folder = data / "dl19-passage"
    judges = [*sorted((data / "dl19-judges").glob("*.gz")), *sorted((folder / "qrels-reannotated").iterdir())]
    runs = [str(folder / "runs" / f"{name}.gz") for name in pair]
    assert main(["compare", str(folder / "qrels.gz"), *runs, "--judges", *map(str, judges)]) == 0
    machine = str(data / "dl19-judges" / "umbrela-gpt4.gz")
    people = str(folder / "qrels-reannotated" / "assessor-A.gz")
    text = capsys.readouterr().out
    assert f" of {len(judges)}" in next(line for line in text.splitlines() if "other judges" in line)
    assert main(["compare", people, *runs, "--judges", machine, "-m", "P@10", "--human-pairs"]) == 0
    for answer in (text, capsys.readouterr().out):
        lines = answer.rstrip("\n").split("\n")
        assert len(lines) <= 24
        assert max(map(len, lines), default=0) <= 80
        assert not [line for line in lines if line.startswith(" " * 20) and not set(line) & set("━●")]
