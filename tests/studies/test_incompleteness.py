"""Smaller pools, fewer labels, fewer topics: slow twins, nested samples, the same for all workers and orders."""

from dataclasses import replace
from hashlib import blake2b
from itertools import combinations, pairwise
from math import floor

import numpy as np
import pytest
from scipy.stats import kendalltau

import rankscope as rs
from rankscope.errors import InputError
from rankscope.kernels import draw_keys, draws
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.studies import Interrupted, incompleteness, removal, ties
from rankscope.studies.sampling import PoolSampler, share, topics_kept

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
FRACTIONS = (0.9, 0.5, 0.1)


@pytest.fixture(scope="module")
def judged():
    qrels, runs = embedded()
    return rs.load(qrels, runs, keep_docs=True)


@pytest.fixture(scope="module")
def qrels(judged):
    """{topic: {document: grade}}."""
    pool, found = judged.documents.pool, {}
    for t, doc, code in zip(pool.topic, pool.docs, pool.code, strict=True):
        found.setdefault(judged.topics[t], {})[doc] = int(judged.grades[code - 2])
    return found


def bits(name):
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") >> 1


def draw(seed, sample, attempt, topic, doc):
    key = draw_keys(seed, np.array([sample + attempt * 2**32]), np.array([bits(topic)]))
    return int(draws(key, np.array([bits(doc)]))[0]), bits(doc)


def literal(how, topic, docs, fractions, *, seed, sample, rel=1):
    """The documents of one topic left at each fraction, document by document."""
    for attempt in range(10_000):
        order = sorted(docs, key=lambda d: draw(seed, sample, attempt, topic, d))
        if how == "stratified":
            strata = {}
            for doc in order:
                strata.setdefault(max(0, docs[doc]), []).append(doc)
            return [
                {
                    doc
                    for grade, members in strata.items()
                    for doc in members[: max(floor(len(members) * f + 1e-9), 1 if grade > 0 else 10)]
                }
                for f in fractions
            ]
        least = 1 if how == "uniform" else 0
        found = [set(order[: max(least, floor(len(order) * f + 1e-9))]) for f in fractions]
        possible = any(grade >= rel for grade in docs.values())
        if how == "labels" or not possible or any(docs[d] >= rel for d in found[-1]):
            return found
    raise AssertionError("never a relevant document")


@pytest.mark.parametrize("how", ["stratified", "uniform", "labels"])
@pytest.mark.parametrize("sample", [0, 3])
def test_samples_are_those_drawn_document_by_document(judged, qrels, how, sample):
    kept = PoolSampler.of(judged, 7).kept(how, sample, FRACTIONS)
    pool = judged.documents.pool
    for t, topic in enumerate(judged.topics):
        wanted = literal(how, topic, qrels[topic], FRACTIONS, seed=7, sample=sample)
        for row, docs in zip(kept, wanted, strict=True):
            assert {pool.docs[i] for i in np.flatnonzero(row & (pool.topic == t))} == docs


def test_nested_and_never_too_few(judged):
    sampler = PoolSampler.of(judged, 1)
    fractions = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1, 0.05, 0.001)
    pool = judged.documents.pool
    relevant = judged.grades[pool.code - 2] >= 1
    for how in ("stratified", "uniform", "labels"):
        for sample in range(5):
            kept = sampler.kept(how, sample, fractions)
            assert kept[0].all()
            assert not (kept[1:] & ~kept[:-1]).any()
            if how == "labels":
                continue
            for t in np.unique(pool.topic[relevant]):
                assert (kept[-1] & relevant)[pool.topic == t].any()
                if how == "stratified":
                    others = (pool.topic == t) & ~relevant
                    assert np.count_nonzero(kept[-1] & others) == min(10, np.count_nonzero(others))


def test_the_share_is_exact():
    assert [share(10, f) for f in (0.7, 0.3, 0.1, 0.29)] == [7, 3, 1, 2]
    assert share(100, 0.29) == 29  # 28.999999999999996 in doubles


def test_a_pool_of_one_relevant_document_among_many():
    docs = {f"d{i}": int(i == 17) for i in range(400)}
    judged = rs.load({"1": docs, "2": {"a": 0, "b": 0}}, {"r": {"1": ["d17"], "2": ["a"]}}, keep_docs=True)
    for sample in range(3):
        kept = PoolSampler.of(judged, 0).kept("uniform", sample, (0.5, 0.005))
        assert kept[:, 17].all()
        assert kept.sum(axis=1).tolist() == [201, 2 + 1]


def test_self_correlation_by_loading_smaller_judgments(judged, qrels):
    _, runs = embedded()
    metrics = ["AP", "P@10", "nDCG@10"]
    got = incompleteness(judged, metrics, fractions=FRACTIONS, resampling=Resampling(2, 3), workers=1)
    whole = rs.evaluate(judged, metrics).mean().value
    for k, how in enumerate(got.sampling):
        for sample in range(2):
            left = {t: literal(how, t, docs, FRACTIONS, seed=3, sample=sample) for t, docs in qrels.items()}
            for f in range(len(FRACTIONS)):
                smaller = {t: {d: qrels[t][d] for d in docs[f]} for t, docs in left.items()}
                means = rs.evaluate(rs.load(smaller, runs), metrics).mean().value
                for m in range(len(metrics)):
                    wanted = kendalltau(whole[m].round(12), means[m].round(12)).statistic
                    assert got.tau[m, k, f, sample] == pytest.approx(wanted, abs=1e-12)


def test_all_judgments_change_nothing(judged):
    got = incompleteness(judged, ["AP", "RR"], ["rrLP"], fractions=[1], resampling=Resampling(1))
    assert (got.tau == 1).all()
    assert got.candidates == ("AP", "RR", "rrLP")
    same = removal(judged, "RR", ["rrLP"], fractions=[1.0], resampling=Resampling(1))
    assert (same.ranking == 1).all()  # lexiprecision never contradicts RR
    assert same.system[0].tolist() == [[1.0]]


def slow_removal(judged, qrels, fraction, *, seed, sample):
    """(ranking, system) agreement of RR and sgnLP with RR on all judgments, pair by pair and topic by topic."""
    _, runs = embedded()
    smaller = {}
    for t, docs in qrels.items():
        (left,) = literal("labels", t, docs, [fraction], seed=seed, sample=sample)
        smaller[t] = {d: g if d in left else 0 for d, g in docs.items()}
    whole, part = rs.load(qrels, runs), rs.load(smaller, runs, undefined="zero")
    before = rs.evaluate(whole, "RR").of("RR")
    topics = [t for t in range(len(whole.topics)) if not np.isnan(before[:, t]).any()]
    after = rs.evaluate(part, "RR").of("RR")
    places = [part.topics.index(whole.topics[t]) for t in topics]
    hits = {"RR": [0, 0], "sgnLP": [0, 0]}
    lists = systems = 0
    for a, b in combinations(range(len(whole.systems)), 2):
        told = np.sign(np.round(before[b] - before[a], 12))[topics]
        sign = {
            "RR": np.sign(np.round(after[b] - after[a], 12))[places],
            "sgnLP": rs.lexiprecision(part, whole.systems[a], whole.systems[b]).sign[places],
        }
        mean = {
            "RR": np.sign(round((after[b] - after[a])[places].sum(), 12)),
            "sgnLP": np.sign(sign["sgnLP"].sum()),
        }
        overall = np.sign(round((before[b] - before[a])[topics].sum(), 12))
        lists += np.count_nonzero(told)
        systems += overall != 0
        for name in hits:
            hits[name][0] += np.count_nonzero((sign[name] == told) & (told != 0))
            hits[name][1] += mean[name] == overall != 0
    return {name: (h[0] / lists, h[1] / systems) for name, h in hits.items()}


def test_removed_labels_pair_by_pair(judged, qrels):
    got = removal(judged, "RR", ["sgnLP"], fractions=[0.6, 0.2], resampling=Resampling(2, 5))
    for f, fraction in enumerate(got.fractions):
        wanted = slow_removal(judged, qrels, fraction, seed=5, sample=1)
        for c, name in enumerate(got.candidates):
            assert (got.ranking[c, f, 1], got.system[c, f, 1]) == pytest.approx(wanted[name], abs=1e-12)


def test_removed_topics_pair_by_pair(judged):
    got = removal(judged, "RR", (), removed="topics", fractions=[0.5], resampling=Resampling(3, 2))
    assert got.ranking is None
    scores = rs.evaluate(judged, "RR").of("RR")
    defined = [t for t in range(len(judged.topics)) if not np.isnan(scores[:, t]).any()]
    names = [judged.topics[t] for t in defined]

    def one(topic):
        return int(draws(draw_keys(2, np.array([1]), np.array([bits(topic)])), 0)[0]), bits(topic)

    chosen = sorted(range(len(names)), key=lambda i: one(names[i]))[: len(names) // 2]
    whole, part = (scores[:, [defined[i] for i in at]].mean(axis=1).round(12) for at in (range(len(names)), chosen))
    pairs = [(a, b) for a, b in combinations(range(len(whole)), 2) if whole[a] != whole[b]]
    wanted = np.mean([np.sign(whole[a] - whole[b]) == np.sign(part[a] - part[b]) for a, b in pairs])
    assert got.system[0, 0, 1] == pytest.approx(wanted, abs=1e-12)


def test_nested_topics():
    topics = [f"t{i}" for i in range(30)]
    kept = [topics_kept(topics, f, 9, 4) for f in (0.9, 0.5, 0.1, 0.001)]
    assert [int(k.sum()) for k in kept] == [27, 15, 3, 1]
    assert all((small <= large).all() for large, small in pairwise(kept))
    back = topics_kept(topics[::-1], 0.5, 9, 4)[::-1]
    np.testing.assert_array_equal(kept[1], back)


def both(judged, **more):
    return (
        incompleteness(judged, ["AP", "RR"], fractions=(0.5, 0.1), resampling=Resampling(3), **more).to_dict(),
        removal(judged, fractions=(0.5, 0.1), resampling=Resampling(3), **more).to_dict(),
        removal(judged, removed="topics", fractions=(0.5, 0.1), resampling=Resampling(3), **more).to_dict(),
    )


def test_one_two_and_four_workers(judged):
    one, two, four = (both(judged, workers=w) for w in (1, 2, 4))
    assert one == two == four


def test_any_order_of_runs_and_judgments(judged, qrels):
    _, runs = embedded()
    mixed = {t: dict(reversed(docs.items())) for t, docs in reversed(qrels.items())}
    other = rs.load(mixed, list(reversed(runs)), keep_docs=True)
    for a, b in zip(both(judged), both(other), strict=True):
        assert a["tables"] == b["tables"]


def renamed(judged):
    """The same lists and judgments, every document by another name: as arrays nothing has changed."""
    documents = judged.documents
    pool = replace(documents.pool, docs=tuple(f"new {name}" for name in documents.pool.docs))
    return replace(judged, documents=replace(documents, ids=tuple(f"new {name}" for name in documents.ids), pool=pool))


def test_documents_by_other_names_are_another_study(judged, tmp_path):
    """Samples are drawn by the names of documents, so these are part of what the numbers depend on."""
    other = renamed(judged)
    for study in (incompleteness, removal, ties):
        folder = tmp_path / study.__name__
        call = {"fractions": (0.3,), "resampling": Resampling(2), "checkpoints": folder, "workers": 1}
        study(judged, ["AP"], **call)
        study(judged, ["AP"], **call)  # the same again
        with pytest.raises(InputError, match="another study's checkpoint: pool is"):
            study(other, ["AP"], **call)
    removal(judged, ["AP"], removed="topics", fractions=0.5, resampling=Resampling(2), checkpoints=tmp_path / "topics")
    removal(other, ["AP"], removed="topics", fractions=0.5, resampling=Resampling(2), checkpoints=tmp_path / "topics")


def test_checkpoints_are_taken_up(judged, tmp_path):
    whole = incompleteness(judged, ["AP"], fractions=(0.5,), resampling=Resampling(4), workers=1)
    seen = []

    def stop(progress):
        seen.append(progress)
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        incompleteness(
            judged,
            ["AP"],
            fractions=(0.5,),
            resampling=Resampling(4),
            checkpoints=tmp_path / "k",
            progress=stop,
            workers=1,
        )
    partial = stopped.value.partial
    assert sum(partial.columns()["samples"]) == 3
    again = incompleteness(
        judged, ["AP"], fractions=(0.5,), resampling=Resampling(4), checkpoints=tmp_path / "k", workers=1
    )
    assert again.to_dict() == whole.to_dict()
    with pytest.raises(InputError, match="another study's checkpoint"):
        incompleteness(judged, ["AP"], fractions=(0.5,), resampling=Resampling(5), checkpoints=tmp_path / "k")


def test_an_iterator_of_metrics(judged):
    for study in (incompleteness, removal):
        one, two = (
            study(judged, metrics, resampling=Resampling(1)).to_dict()
            for metrics in (iter(["AP", "P@10"]), ["AP", "P@10"])
        )
        assert one == two


def test_results_show_themselves(judged):
    got = incompleteness(judged, ["AP", "RR"], fractions=(0.5, 0.1), resampling=Resampling(2))
    assert "With 10 % of the judgments (stratified)" in str(got)
    assert got.to_frame().height == 2 * 2 * 2
    assert set(got.figures()) == {"stratified", "uniform"}
    assert got.columns()["samples"] == [2] * 8
    labels = removal(judged, fractions=(0.5,), resampling=Resampling(1))
    assert set(labels.figures()) == {"ranking", "system"}
    assert labels.columns()["sd"] == [None] * 6  # one sample has no spread


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"fractions": (0.5, 0)}, "fraction 0"),
        ({"fractions": (1.5,)}, "above 0 and at most 1"),
        ({"fractions": (float("nan"),)}, "fraction nan"),
        ({"fractions": ()}, "no fractions"),
        ({"resampling": Resampling(1 << 32)}, "resamples=4294967296"),
    ],
)
def test_bad_input(judged, wrong, said):
    with pytest.raises(InputError, match=said):
        incompleteness(judged, ["AP"], **wrong)
    with pytest.raises(InputError, match=said):
        removal(judged, **wrong)


def test_what_a_study_needs(judged):
    qrels, runs = embedded()
    with pytest.raises(InputError, match="keep_docs=True"):
        incompleteness(rs.load(qrels, runs), ["AP"])
    with pytest.raises(InputError, match=r"^1 system\n"):
        incompleteness(rs.load(qrels, runs[:1], keep_docs=True), ["AP"])
    with pytest.raises(InputError, match="ways of sampling: 'labels' is unknown"):
        incompleteness(judged, ["AP"], sampling=("labels",))
    with pytest.raises(InputError, match="1 problem; ways of sampling") as refused:
        incompleteness(judged, ["AP"], sampling="bogus")
    assert "sampling: 'bogus' is unknown" in str(refused.value)
    with pytest.raises(InputError, match="removed="):
        removal(judged, removed="documents")
    with pytest.raises(InputError, match="nothing to study"):
        incompleteness(judged)
    lone = rs.load({"1": {"a": 1}}, {"r": {"1": ["a"]}, "s": {"1": ["b", "a"]}}, keep_docs=True)
    with pytest.raises(InputError, match=r"topics with a relevant document \(grade .*\): 1"):
        removal(lone, removed="topics")
    none = rs.load({"1": {"a": 0}}, {"r": {"1": ["a"]}, "s": {"1": ["b", "a"]}}, keep_docs=True)
    with pytest.raises(InputError, match=r"topics with a relevant document \(grade .*\): 0"):
        incompleteness(none, ["AP"])
    with pytest.raises(InputError, match="needs lists"):
        incompleteness(rs.evaluate(judged, "AP"), ["AP"])
