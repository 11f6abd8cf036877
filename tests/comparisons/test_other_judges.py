"""compare and gate under other judges, and with few human and many machine labels."""

from __future__ import annotations

import gzip
import json
import warnings
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import embedded_judges, write_judges
from rankscope.statistics import prediction_powered

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
    assert "prediction-powered" in " ".join(gate.on_loading)


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


def test_what_is_refused(judges, few):
    with pytest.raises(rs.InputError, match="3 machines beside human topics"):
        rs.compare(judges, *PAIR, human_topics=True)
    with pytest.raises(rs.InputError, match="human topics without a machine"):
        rs.gate(few.judged("machine"), *PAIR, human_topics=True)
    one = rs.load_judges(*embedded(), {"strict": embedded_judges()["strict"]})
    with pytest.raises(rs.InputError, match="people have judged all"):
        rs.compare(one, *PAIR, human_topics=True)


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
