"""Disagreement as it occurs in runs: by hand, against plain loops, and on real collections."""

import itertools
import json
import warnings

import numpy as np
import pytest

import rankscope as rs
from rankscope import InputError, measure, universe

NAMES = ["AP", "DCG", "nDCG", "SP", "P", "RR", "R"]


def collection(seed, systems=5, topics=6, depth=6, judged=12):
    """Judgments and runs as dictionaries; topics have different numbers of relevant documents, one has none."""
    rng = np.random.default_rng(seed)
    qrels = {f"t{t}": {f"d{d}": int(rng.random() < 0.15 * t) for d in range(judged)} for t in range(topics)}
    qrels["t1"]["d0"] = 2
    runs = {}
    for s in range(systems):
        order = {topic: rng.permutation(judged)[:depth] for topic in qrels}
        runs[f"s{s}"] = {topic: {f"d{d}": float(-i) for i, d in enumerate(docs)} for topic, docs in order.items()}
    return qrels, runs


def loaded(qrels, runs, **rules):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        return rs.load(qrels, runs, **rules)


def literal(qrels, runs, names, k, rel=1):
    """One pair of lists after the other."""
    lists, scores = {}, {}
    for topic, grades in qrels.items():
        total = sum(g >= rel for g in grades.values())
        if not total:
            continue
        for system, found in runs.items():
            docs = sorted(found.get(topic, {}), key=lambda d: -found[topic][d])[:k]
            row = [int(grades.get(d, 0) >= rel) for d in docs]
            row += [0] * (k - len(row))
            lists[system, topic] = row
            for name in names:
                scores[name, system, topic] = float(measure(f"{name}@{k}").score(row, [1] * total + [0] * k))
    topics = sorted({topic for _, topic in lists})

    def sign(x, y):
        return 0 if abs(x - y) < 1e-10 else 1 if x > y else -1

    pairs = 0
    out = {key: np.zeros((len(names), len(names)), int) for key in ("strict", "either", "means_strict", "means_either")}
    apart = dict.fromkeys(lists, 0)
    for topic in topics:
        for a, b in itertools.combinations(runs, 2):
            pairs += 1
            signs = [sign(scores[n, a, topic], scores[n, b, topic]) for n in names]
            for i, j in itertools.permutations(range(len(names)), 2):
                out["strict"][i, j] += signs[i] * signs[j] < 0
                out["either"][i, j] += signs[i] != signs[j]
                if i < j and signs[i] != signs[j]:
                    apart[a, topic] += 1
                    apart[b, topic] += 1
    for a, b in itertools.combinations(runs, 2):
        signs = [sign(*(np.mean([scores[n, s, t] for t in topics]) for s in (a, b))) for n in names]
        for i, j in itertools.permutations(range(len(names)), 2):
            out["means_strict"][i, j] += signs[i] * signs[j] < 0
            out["means_either"][i, j] += signs[i] != signs[j]
    by_list = {}
    for key, row in lists.items():
        by_list.setdefault("".join(map(str, row)), []).append(apart[key])
    comparisons = (len(runs) - 1) * len(names) * (len(names) - 1) // 2
    shares = {row: (len(counts), 100 * sum(counts) / len(counts) / comparisons) for row, counts in by_list.items()}
    return pairs, out, shares


@pytest.mark.parametrize(("seed", "k", "rel"), [(1, 4, 1), (2, 6, 1), (3, 9, 1), (4, 5, 2)])
def test_against_plain_loops(seed, k, rel):
    qrels, runs = collection(seed)
    if seed == 2:
        del runs["s1"]["t4"]  # a missing list is an empty one
    if rel == 2:
        qrels = {t: {d: 2 * g for d, g in grades.items()} for t, grades in qrels.items()}
    found = universe.frequencies(loaded(qrels, runs, rel=rel), NAMES, depth=k)
    pairs, out, shares = literal(qrels, runs, NAMES, k, rel)
    assert found.pairs == pairs
    assert found.dropped == 1  # t0 has no relevant document
    for key, matrix in out.items():
        np.testing.assert_array_equal(getattr(found, key), matrix, err_msg=key)
    assert {one.ranking: (one.occurs, pytest.approx(one.share)) for one in found.lists} == shares
    assert [one.share for one in found.lists] == sorted((one.share for one in found.lists), reverse=True)


def test_lists_that_are_missing_can_be_left_out():
    qrels, runs = collection(7)
    del runs["s0"]["t3"]
    every = universe.frequencies(loaded(qrels, runs), NAMES, depth=5)
    found = universe.frequencies(loaded(qrels, runs, missing="drop"), NAMES, depth=5)
    assert found.pairs == every.pairs - 4
    assert sum(one.occurs for one in found.lists) == sum(one.occurs for one in every.lists) - 1


def test_by_hand():
    # one topic, R = 2: A finds the first document, B the second and third; RR prefers A, recall B
    qrels = {"1": {"x": 1, "y": 1, "z": 0}}
    runs = {"A": {"1": {"x": 3.0, "z": 2.0}}, "B": {"1": {"z": 3.0, "y": 2.0, "x": 1.0}}}
    found = universe.frequencies(loaded(qrels, runs), ["RR", "R"], depth=3, of=["recall", "first-rel"])
    assert found.pairs == found.strict[0, 1] == found.means_strict[0, 1] == 1
    assert {(one.ranking, one.share) for one in found.lists} == {("100", 100.0), ("011", 100.0)}
    assert found.features["RR@3", "R@3", "recall"][3:] == (1, 0, 1, 0)
    assert found.features["RR@3", "R@3", "first-rel"][3:] == (1, 1, 0, 0)
    assert "2 of 8 possible lists occur" in str(found)


def test_normalisation_matters_over_topics_only():
    # topic 1 has R = 1 and topic 2 R = 9: A is better on the first, B by more on the second
    qrels = {"1": {"a": 1, "z": 0}, "2": {f"b{i}": 1 for i in range(9)} | {"z": 0}}
    runs = {
        "A": {"1": {"a": 1.0}, "2": {"z": 1.0}},
        "B": {"1": {"z": 1.0}, "2": {"b1": 2.0, "b2": 1.0}},
    }
    found = universe.frequencies(loaded(qrels, runs), ["SP", "AP", "DCG", "nDCG"], depth=3)
    assert not found.either.any()
    assert found.means_strict[0, 1] == found.means_strict[2, 3] == 1  # B by SP and DCG, A by AP and nDCG
    assert found.means_strict[0, 2] == 0
    assert "SP@3 and AP@3 agree on every topic, but order 1 of 1 pair of systems differently" in "\n".join(
        found.remarks()
    )


def test_features_against_plain_loops():
    qrels, runs = collection(11, systems=4)
    found = universe.frequencies(loaded(qrels, runs), ["AP", "RR"], depth=6, of={"sum": lambda v: v.sum(axis=1)})
    same = universe.frequencies(loaded(qrels, runs), ["AP", "RR"], depth=6, of="recall")
    assert found.features.rows[0][3:] == same.features.rows[0][3:]
    row = same.features.rows[0]
    assert row.disagreeing == same.either[0, 1] > 0
    counts = [0, 0, 0]
    for topic, grades in qrels.items():
        total = sum(g >= 1 for g in grades.values())
        if total:
            rows = [[grades[d] >= 1 for d in sorted(run[topic], key=lambda d: -run[topic][d])] for run in runs.values()]
            for v, w in itertools.combinations(rows, 2):
                scores = [[float(measure(m).score(x, [1] * total + [0] * 6)) for x in (v, w)] for m in ("AP", "RR")]
                one, other = (int(np.sign(round(x - y, 10))) for x, y in scores)
                more = int(np.sign(sum(v) - sum(w)))
                if one != other:
                    counts[0] += more != 0 and more == one
                    counts[1] += more != 0 and more == other
                    counts[2] += more == 0
    assert list(row[4:]) == counts


def test_buckets_of_what_occurs():
    qrels, runs = collection(5)
    found = universe.frequencies(loaded(qrels, runs), NAMES, depth=5)
    made = universe.buckets(found, {"top": ["AP", "RR"]})
    assert made["top"].buckets["has"].mean == pytest.approx(found.share[0, 5])


def test_what_is_refused():
    judged = loaded(*collection(1))
    for arguments, text in (
        ({"depth": 0}, "depth is a whole number from 1 to 62"),
        ({"depth": 63}, "depth=63"),
        ({"measures": ["AP"]}, "1 measure"),
        ({"measures": ["AP", "RR(rel=3)"]}, r"RR\(rel=3\)@10 has no score for \d+ of \d+ lists that occur"),
        ({"of": ["luck"]}, "features: 'luck' is unknown"),
    ):
        with pytest.raises(InputError, match=text):
            universe.frequencies(judged, **({"measures": NAMES} | arguments))
    qrels, runs = collection(1)
    with pytest.raises(InputError, match="1 system"):
        universe.frequencies(loaded(qrels, {"s0": runs["s0"]}), NAMES)
    none = {t: dict.fromkeys(grades, 0) for t, grades in qrels.items()}
    with pytest.raises(InputError, match="no topic has a relevant document"):
        universe.frequencies(loaded(none, runs), NAMES)


def test_shapes():
    found = universe.frequencies(loaded(*collection(1)), NAMES, depth=4, of=["recall"])
    assert found.to_frame().height == 21
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["occurring_lists"] == len(plain["lists"]) == len(found.lists)
    assert plain["features"][0]["feature"] == "recall"
    assert len(found.contentious(2)) == 2
    assert all(one.occurs >= 3 for one in found.contentious(least=3))
    assert "all rankings" in found.to_markdown()
    assert "all rankings" in found.to_latex()


@pytest.mark.slow
def test_on_a_real_collection(data):
    folder = data / "trec8-adhoc"
    judged = loaded(folder / "qrels.gz", folder / "runs", depth=10)
    found = universe.frequencies(judged, ["AP", "DCG", "nDCG", "SP"])
    assert found.pairs == 50 * 118 * 117 // 2
    assert found.either[1, 2] == found.either[0, 3] == 0
    assert found.means_either[0, 3] > 0  # AP against its unnormalised sum
    # real lists are not random: AP and DCG disagree less often on them than on all rankings
    assert 0 < found.share[0, 1] < found.possible[0, 1]
    assert len(found.lists) == len({tuple(row) for row in (judged.code >= 3).reshape(-1, 10).tolist()})
    # scores of the package, pair by pair on a few topics
    scores = rs.evaluate(judged, ["AP@10", "DCG@10"]).value[..., :4]
    place = np.round(scores, 10)
    sign = np.sign(place[:, :, None] - place[:, None])
    few = loaded(folder / "qrels.gz", folder / "runs", depth=10)
    few = type(few)(few.systems, few.topics[:4], few.code[:, :4], few.grades, few.available[:4], few.rules)
    assert universe.frequencies(few, ["AP", "DCG"]).either[0, 1] == np.count_nonzero(sign[0] != sign[1]) // 2


def test_a_measure_without_scores_for_lists_that_do_not_occur(own):
    own(lambda relevant: np.where(relevant.all(axis=-1), np.nan, relevant.sum(axis=-1)), name="NotAll")
    qrels = {"1": {"x": 1, "y": 1, "z": 0}, "2": {"x": 0}}
    runs = {"a": {"1": {"x": 2.0, "z": 1.0}}, "b": {"1": {"z": 2.0, "y": 1.0}}}
    found = universe.frequencies(loaded(qrels, runs), ["NotAll", "P"], depth=2)
    assert found.either[0, 1] == 0
    assert np.isnan(found.possible[0, 1])
    assert "the measures agree on all lists" in str(found)
    assert "; 1 topic without a relevant document left out" in found.heading()


def test_lists_that_nobody_contends_are_not_called_contentious():
    found = universe.frequencies(loaded(*collection(3)), ["AP", "DCG"], depth=4)
    assert any(one.share == 0 for one in found.lists)
    lists = found.to_text("full").split("Which lists do measures disagree on most?")[1].split("\n\n")[0]
    assert "  0.00\n" not in lists + "\n"
