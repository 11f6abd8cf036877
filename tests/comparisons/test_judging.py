"""Documents to judge next: certainty is never wrong, replays, stopping rules, bad input."""

import json
from itertools import product

import numpy as np
import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.comparisons.doubt import Doubt
from rankscope.judged.subsets import with_systems
from rankscope.statistics import Resampling

FEW = Resampling(50)
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def small(seed, *, topics=6, pool=8, depth=4, judged=0.5):
    """Judgments of some documents, those of all, and two runs."""
    draw = np.random.default_rng(seed)
    grade = {str(t): {f"d{i}": int(draw.integers(0, 3)) for i in range(pool)} for t in range(topics)}
    some = {t: {d: g for d, g in docs.items() if draw.random() < judged} | {"x": 2} for t, docs in grade.items()}
    everything = {t: docs | {"x": 2} for t, docs in grade.items()}
    runs = {name: {t: [f"d{i}" for i in draw.permutation(pool)[:depth]] for t in grade} for name in ("one", "two")}
    return some, everything, runs


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "P@3", "RR"])
def test_certainty_is_never_wrong(measure):
    """Where the sign is certain, the judgments of all documents of the lists have it."""
    for seed in range(6):
        some, everything, runs = small(seed)
        listed = {t: {d for run in runs.values() for d in run[t]} | {*some[t]} for t in some}
        full = {t: {d: g for d, g in everything[t].items() if d in listed[t]} for t in some}
        result = rs.judge_next(some, runs, measure=measure, budget=100, judge=full, resampling=FEW)
        truth = rs.evaluate(rs.load(full, runs), measure).matrix(measure)
        difference = (truth[:, 1] - truth[:, 0]).mean()
        pair = result.pairs[0]
        assert pair.lower - 1e-12 <= difference <= pair.upper + 1e-12
        if pair.settled:
            assert {"one": -1, "two": 1, None: 0}[pair.favours] == np.sign(np.round(difference, 12))
        assert pair.settled or not result.documents  # whatever could matter has been judged


def test_the_sign_is_certain_exactly_where_no_grades_change_it():
    """All grades of all unjudged documents are tried."""
    for seed in range(6):
        some, _, runs = small(seed, topics=2, depth=3, judged=0.6)
        pair = rs.judge_next(some, runs, measure="DCG@3", budget=0, resampling=FEW).pairs[0]
        opened = [(t, d) for t in some for d in {*runs["one"][t], *runs["two"][t]} - {*some[t]}]
        signs = set()
        for grades in product((0, 2), repeat=len(opened)):
            full = {t: dict(docs) for t, docs in some.items()}
            for (t, d), g in zip(opened, grades, strict=True):
                full[t][d] = g
            value = rs.evaluate(rs.load(full, runs), "DCG@3").matrix("DCG@3")
            signs.add(float(np.sign(np.round((value[:, 1] - value[:, 0]).mean(), 12))))
        assert pair.settled == (len(signs) == 1)


def test_judgments_are_read_again_and_the_work_goes_on():
    """A replay of one judgment at a time, each time from the grown judgments, is the replay at once."""
    some, everything, runs = small(3)
    replay = rs.judge_next(some, runs, measure="P@4", budget=100, judge=everything, resampling=FEW)
    grown = {t: dict(docs) for t, docs in some.items()}
    steps = []
    while len(steps) < len(replay.replayed):
        document = rs.judge_next(grown, runs, measure="P@4", budget=1, resampling=FEW).documents[0]
        steps.append((document.topic, document.document))
        grown[document.topic][document.document] = everything[document.topic][document.document]
    assert steps == [(step.topic, step.document) for step in replay.replayed]
    assert not rs.judge_next(grown, runs, measure="P@4", resampling=FEW).documents


def test_confident_states_its_share():
    some, everything, runs = small(5, topics=12, pool=12, depth=6)
    options = {"measure": "P@6", "budget": 200, "judge": everything, "resampling": FEW}
    likely = rs.judge_next(some, runs, stop="confident", **options)
    assert likely.pairs[0].settled
    assert likely.pairs[0].share >= likely.holds


def like_judged(seed, *, topics=25, depth=5):
    """A strong and a weak system, judgments of all documents, and 70 % of them: unjudged ones are like judged ones."""
    draw = np.random.default_rng(seed)
    runs = {name: {str(t): [f"{name}{t}-{i}" for i in range(depth)] for t in range(topics)} for name in ("a", "b")}
    full = {
        str(t): {
            doc: int(draw.random() < rate) for name, rate in (("a", 0.7), ("b", 0.3)) for doc in runs[name][str(t)]
        }
        for t in range(topics)
    }
    some = {
        t: {doc: grade for doc, grade in docs.items() if draw.random() < 0.7} | {"x": 1} for t, docs in full.items()
    }
    return some, {t: docs | {"x": 1} for t, docs in full.items()}, runs


def test_the_interval_holds_where_unjudged_documents_are_like_judged_ones():
    held = 0
    for seed in range(40):
        some, full, runs = like_judged(seed, topics=12)
        judged = rs.load(some, runs, keep_docs=True)
        measure = rs.evaluate(judged, "P@5").measures[0]
        doubt = Doubt(judged, measure, np.arange(12), draws=200, weighed=False)
        truth = rs.evaluate(rs.load(full, runs), "P@5").matrix("P@5")
        estimate, low, high = doubt.expected(0.95)
        assert low <= estimate <= high
        assert high - low < (doubt.ends[1] - doubt.ends[0]) / 2
        held += low <= (truth[:, 1] - truth[:, 0]).mean() <= high
    assert held >= 34  # 38 expected; below 34 once in eighty


def test_the_likely_interval_holds_the_difference_as_judged():
    _, full, runs = like_judged(3)
    some = {t: {d: g for d, g in docs.items() if not d.startswith("a") or d[-1] in "024"} for t, docs in full.items()}
    pair = rs.judge_next(some, runs, measure="P@5", budget=0, resampling=FEW).pairs[0]
    _, low, high = pair.expected
    assert pair.difference > high
    assert pair.likely == (low, pair.difference)


def test_where_one_system_alone_has_unjudged_documents_the_interval_is_called_a_guess():
    _, full, runs = like_judged(1)
    some = {t: {doc: grade for doc, grade in docs.items() if not doc.startswith("b")} for t, docs in full.items()}
    options = {"measure": "P@5", "budget": 0, "resampling": FEW}
    result = rs.judge_next(some, runs, **options)
    assert result.pairs[0].hardly_known == 1.0
    words = " ".join(result.to_text("full").split())
    assert "The intervals of b - a are a guess. 100 % of the unjudged documents stand at ranks" in words
    some, _, _ = like_judged(1)
    result = rs.judge_next(some, runs, **options)
    assert result.pairs[0].hardly_known == 0.0
    assert "are a guess" not in result.to_text("full")


def test_documents_past_the_cutoff_draw_no_grade():
    some, _, runs = like_judged(2)
    seen = {t: some[t] | {run[t][i]: 1 for run in runs.values() for i in range(2)} for t in some}
    pair = rs.judge_next(seen, runs, measure="nDCG@2", budget=0, resampling=FEW).pairs[0]
    assert pair.expected == pytest.approx((pair.difference,) * 3)
    assert pair.share == 1.0


def test_grades_below_zero_and_no_zero():
    """The highest grade that is not above 0 stands for not relevant."""
    some = {"1": {"d1": -1, "d2": 1}, "2": {"d1": -1, "d2": 1}}
    runs = {"a": {t: ["d1", "u1"] for t in some}, "b": {t: ["d2", "u2"] for t in some}}
    judged = rs.load(some, runs, keep_docs=True)
    doubt = Doubt(judged, rs.evaluate(judged, "P@2").measures[0], np.arange(2), draws=20)
    assert judged.grades[doubt.zero] == -1


def test_least_is_the_fewest_judgments_of_a_sum():
    """P: each judgment moves a bound by 1/k of a topic at most."""
    runs = {"a": {str(t): ["u1", "u2"] for t in range(5)}, "b": {str(t): ["v1", "v2"] for t in range(5)}}
    qrels = {str(t): {"r": 1, "n": 0} for t in range(5)}
    pair = rs.judge_next(qrels, runs, measure="P@2", resampling=FEW).pairs[0]
    assert (pair.lower, pair.upper) == (-1, 1)
    assert pair.least == 11  # ten documents bring one end to 0 at best, and not beyond it


def test_several_systems_against_a_baseline_and_the_top_of_a_leaderboard():
    some, _, runs = small(7)
    runs["three"] = {t: docs[::-1] for t, docs in runs["two"].items()}
    judged = rs.load(some, runs, keep_docs=True)
    names = [(p.a, p.b) for p in rs.judge_next(judged, baseline="two", measure="AP", resampling=FEW).pairs]
    assert names == [("two", "one"), ("two", "three")]
    assert len(rs.judge_next(judged, top=3, measure="AP", resampling=FEW).pairs) == 3
    with pytest.raises(rs.InputError, match="at the top"):
        rs.judge_next(judged, top=2, baseline="two", resampling=FEW)


def test_bad_input(tmp_path, capsys):
    some, everything, runs = small(9)

    def write(name, judgments):
        (tmp_path / name).write_text("".join(f"{t} 0 {d} {g}\n" for t in judgments for d, g in judgments[t].items()))
        return str(tmp_path / name)

    for name, topics in runs.items():
        lines = [f"{t} Q0 {d} {r} {9 - r} {name}\n" for t, docs in topics.items() for r, d in enumerate(docs)]
        (tmp_path / name).write_text("".join(lines))
    qrels, pair = write("qrels", some), [str(tmp_path / name) for name in runs]
    call = ["judge-next", qrels, *pair, "-m", "P@4", "--resamples", "50"]
    assert main(["judge-next", write("all", everything), *pair, "-m", "P@4"]) == 0
    assert "There is nothing to judge" in capsys.readouterr().out
    assert main([*call, "--budget", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == []
    assert main([*call, "--budget", "-1"]) == 2
    contrary = {t: {d: 2 - g for d, g in docs.items()} for t, docs in some.items()}
    assert main([*call, "--judge", write("contrary", contrary)]) == 2
    assert "but 2 before" in capsys.readouterr().err
    assert main([*call, "--judge", write("elsewhere", {"0": {"nowhere": 1}, "unknown": {"d1": 1}})]) == 0
    assert "is not certain yet" in " ".join(capsys.readouterr().out.split())
    assert main([*call, "--plot", str(tmp_path / "doubt.json"), "--judge", write("later", everything)]) == 0
    words = json.loads((tmp_path / "doubt.json").read_text())["title"]["text"]
    title = " ".join(words).replace("\N{NO-BREAK SPACE}", " ")
    assert "judge-next 13, by rank 18, at random " in title
    assert "13 judgments replayed. By rank it takes 18, at random " in capsys.readouterr().out
    assert main([*call, "--judge", str(tmp_path / "later"), "--budget", "5"]) == 0
    assert "5 judgments replayed. By rank it takes more than 5, at random more than 5." in capsys.readouterr().out
    for same in ([], ["--judge", write("same", some)]):
        assert main([*call, "--plot", str(tmp_path / "none.svg"), *same]) == 0
        assert not (tmp_path / "none.svg").exists()
        assert "none.svg is not written: no judgment was replayed" in " ".join(capsys.readouterr().err.split())
    assert main([*call, "--tsv", "--budget", "2"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split("\t") == ["topic", "document", "rank_one", "rank_two", "change", "a", "b"]
    assert len(rows) == 2
    assert main([*call, "-o", str(tmp_path / "next.jsonl"), "--budget", "2"]) == 0
    assert [json.loads(line)["a"] for line in (tmp_path / "next.jsonl").read_text().splitlines()] == ["one", "one"]


def test_random_grades_depend_on_the_seed_alone():
    some, _, runs = small(11)
    judged = with_systems(rs.load(some, runs, keep_docs=True), ("one", "two"))
    measure = rs.evaluate(judged, "AP").measures[0]
    first, again, other = (Doubt(judged, measure, np.arange(6), draws=20, seed=s).on[2].draws for s in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()
