"""C/W/L/A: golden values, identities, a slow twin from the paper's equations, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from marks import slow

from rankscope import InputError, evaluate, load, measure
from rankscope.measures.cwla import (
    AGGREGATIONS,
    CWLA,
    MODELS,
    Metric,
    aggregation,
    custom_model,
    paper,
    user_model,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "cwla.json").read_text())["entries"]
BY_KIND = {kind: [e for e in GOLDEN if e["kind"] == kind] for kind in {e["kind"] for e in GOLDEN}}
TAILS = ("truncate", "stop", "infinite")
AGGS = tuple(AGGREGATIONS)
EVERY = ["Precision(k=3)", "DCG(k=4)", "RBP(p=0.8)", "INST(T=2.25)", "AP", "ERR", "RR", "INSQ(T=1.5)", "C(1,0.5,0.25)"]
EVERY += ["W(0.5,0.25,0.25)", "L(0,0.75,0.25)"]

cells = st.sampled_from([0.0, 0.0, 0.0, 1.0, 0.5, 0.25, 1 / 3, 0.9, 1e-9, 7 / 8])
lists = hnp.arrays(np.float64, hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=9), elements=cells)
models = st.sampled_from(EVERY)
# with T = 1.75 and gains 1/2, the reader of INST has exactly what she wants: the closed form's worst case
tailed = st.sampled_from(["RBP(p=0.8)", "RBP(p=0.97)", "INST(T=2.25)", "INST(T=0.75)", "INST(T=40)", "INSQ(T=0.3)"])


def text(model: str, params: dict) -> str:
    named = {k: v for k, v in params.items() if k in ("k", "p", "T")}
    return f"{model}({','.join(f'{k}={v}' for k, v in named.items())})" if named else model


# golden values


@pytest.mark.parametrize("entry", BY_KIND["cwla"], ids=lambda e: e["id"])
def test_golden_scores(entry):
    given, tol = entry["inputs"], entry["tolerance"]
    name, depth = text(given["model"], given), given["N"]
    gains = np.array(given["gains"] + [0.0] * (depth - len(given["gains"])))
    modes = entry["expected"]
    if set(modes) == {"truncate"} and given["model"] != "ERR":  # all three tails coincide
        modes = dict.fromkeys(TAILS, modes["truncate"])
    for tail, want in modes.items():
        model = user_model(name)
        assert Metric(name, "ERG", tail).documents(gains) == pytest.approx(want["V"], abs=tol)
        np.testing.assert_allclose(np.broadcast_to(model.last(gains, tail), (depth,)), want["L"], atol=tol)
        if "C" in want and tail == "truncate":
            np.testing.assert_allclose(np.broadcast_to(model.continuation(gains), (depth,)), want["C"], atol=tol)
            np.testing.assert_allclose(np.broadcast_to(model.weight(gains, tail), (depth,)), want["W"], atol=tol)
            assert Metric(name, "ERG", "stop").score(gains) == pytest.approx(want["sum_W_times_r"], abs=tol)
        for agg, value in want["scores"].items():
            if model.static and agg == "ERR":
                assert _constant(model, gains, tail) == pytest.approx(value, abs=tol)
                continue
            value = 0.0 if value is None else value  # AP_ERR without gain: the recommended 0
            assert float(Metric(name, agg, tail).score(gains)) == pytest.approx(value, abs=tol), (tail, agg)
            asked = measure(f'CWLA(model="{name}",agg="{agg}",tail="{tail}",max_rel={given["x_max"]})@{depth}')
            scored = asked.score(given["grades"], given["grades"] + [given["x_max"]])
            assert float(scored) == pytest.approx(value, abs=tol), asked


def _constant(model, gains, tail):
    """What the refused cells would be: L / i over the ranks, and beyond them."""
    depth = len(gains)
    score = (model.last(gains, tail) / np.arange(1, depth + 1)).sum()
    return score + (model.inverse(depth, np.inf, model.seen(gains)[-1], 0.0) if tail == "infinite" else 0.0)


@pytest.mark.parametrize("entry", BY_KIND["identities"], ids=lambda e: e["id"])
def test_golden_identities(entry):
    given, want = entry["inputs"], entry["expected"]
    names = {
        "Precision_ERG": "Precision_ERG", "DCG_ERG": "DCG_ERG", "RBP_ERG_infinite": "RBP_ERG", "AP_ERG": "AP_ERG",
        "RBP_fin_infinite": "RBP_fin", "ERR_ERR_truncate": "ERR_ERR", "DCG": "DCG_ETG",
    }  # fmt: skip
    assert set(names) == set(want)
    for key, name in names.items():
        asked = measure(name)(max_rel=given["x_max"]) @ given["N"]
        scored = asked.score(given["grades"], given["grades"] + [given["x_max"]])
        assert float(scored) == pytest.approx(want[key], abs=entry["tolerance"]), name


def test_golden_total_by_rate():
    (entry,) = [e for e in BY_KIND["identity"] if e["id"] == "etg_over_erg"]
    gains = np.linspace(0, 1, 10)
    assert {"Precision", "DCG", "RBP"} == set(entry["expected"])
    for name, ratio in entry["expected"].items():  # k = 10 and p = 0.8, as they are
        total, rate = (Metric(name, agg, "truncate").score(gains) for agg in ("ETG", "ERG"))
        assert total / rate == pytest.approx(ratio, abs=entry["tolerance"])


def test_golden_rbp_fin_and_erg():
    (entry,) = [e for e in BY_KIND["identity"] if e["id"] == "rbp_fin_vs_erg"]
    gains = np.array(entry["inputs"]["grades"]) / entry["inputs"]["x_max"]
    for tail, scores in entry["expected"].items():
        for agg, value in scores.items():
            assert Metric("RBP(p=0.8)", agg, tail).score(gains) == pytest.approx(value, abs=entry["tolerance"])


@pytest.mark.parametrize("entry", BY_KIND["inst_depth"], ids=lambda e: e["id"])
def test_golden_depth_of_inst(entry):
    gains, tol = np.array(entry["inputs"]["grades"]) / entry["inputs"]["x_max"], entry["tolerance"]
    for name, want in entry["expected"].items():
        depth, tails = (None, ("infinite",) * 2) if name == "infinite" else (int(name[2:]), ("stop", "truncate"))
        rate, total = (Metric("INST(T=2.25)", agg, tail) for agg, tail in zip(("ERG", "ETG"), tails, strict=True))
        assert rate.documents(gains, depth) == pytest.approx(want["V"], abs=tol)
        assert rate.score(gains, depth) == pytest.approx(want.get("ERG", want.get("sum_W_times_r")), abs=tol)
        assert total.score(gains, depth) == pytest.approx(want["ETG"], abs=tol)


# the slow twin: equations (1) to (15), one list, one rank at a time


def twin(name: str, agg: str, gains: list[float], tail: str, beta: float = 0.5) -> float:
    """Sum over i of L(i) A(i) for the ranks given."""
    n = len(gains)
    r = dict(enumerate(gains, 1))
    c = {i: _go_on(name, i, r, n) for i in r}
    if tail == "stop" and n:
        c[n] = 0.0
    v_plus = sum(math.prod(c[j] for j in range(1, i)) for i in r)
    score = 0.0
    for i in r:
        last = (1 - c[i]) * math.prod(c[j] for j in range(1, i))
        best, total = max(r[j] for j in range(1, i + 1)), sum(r[j] for j in range(1, i + 1))
        got = {
            "ERG": total / v_plus, "ETG": total, "avg": total / i, "max": best, "fin": r[i],
            "PE": beta * best + (1 - beta) * r[i], "ERR": 1 / i,
        }  # fmt: skip
        score += last * got[agg]
    return 0.0 if (name, agg) == ("AP", "ERR") and not any(gains) else score


def _go_on(name: str, i: int, r: dict[int, float], n: int) -> float:
    if name == "Precision":
        return float(i < 3)
    if name == "DCG":
        return math.log2(i + 1) / math.log2(i + 2) if i < 4 else 0.0
    if name == "RBP":
        return 0.8
    if name == "INST":
        left = 2.25 - sum(r[j] for j in range(1, i + 1))
        return (i - 1 + 2.25 + left) ** 2 / (i + 2.25 + left) ** 2
    if name == "INSQ":
        return ((i + 2 * 1.5 - 1) / (i + 2 * 1.5)) ** 2
    if name == "AP":
        below = sum(r[j] / j for j in range(i, n + 1))
        return sum(r[j] / j for j in range(i + 1, n + 1)) / below if below > 0 else 0.0
    if name == "ERR":
        return 1 - r[i]
    assert name == "RR"
    return float(r[i] == 0)


TWINS = {"Precision": "Precision(k=3)", "DCG": "DCG(k=4)", "RBP": "RBP(p=0.8)", "INST": "INST(T=2.25)", "AP": "AP",
         "ERR": "ERR", "RR": "RR", "INSQ": "INSQ(T=1.5)"}  # fmt: skip


@settings(max_examples=60)
@given(st.sampled_from(list(TWINS)), st.sampled_from(AGGS), lists, st.sampled_from(["truncate", "stop"]), st.data())
def test_the_slow_twin(name, agg, gains, tail, data):
    model = user_model(TWINS[name])
    assume(not (model.static and agg == "ERR"))
    depth = data.draw(st.integers(1, 14))
    filled = np.concatenate([gains, np.zeros((*gains.shape[:-1], 14))], axis=-1)[..., :depth].reshape(-1, depth)
    want = [twin(name, agg, row.tolist(), tail) for row in filled]
    found = Metric(model, agg, tail).score(gains, depth)
    np.testing.assert_allclose(found.ravel(), want, rtol=0, atol=1e-13)


@settings(max_examples=40)
@given(st.sampled_from(["RBP", "INSQ", "INST"]), st.sampled_from(AGGS), st.lists(cells, max_size=6))
def test_an_infinite_tail_is_a_limit(name, agg, gains):
    """Deep enough, stopping makes no difference; weights of INST and INSQ fall as slowly as 1 / i^2."""
    model = user_model(TWINS[name])
    assume(not (model.static and agg == "ERR"))
    far = 10**9
    metrics = [Metric(model, agg, tail).score(np.array(gains), far) for tail in TAILS]
    np.testing.assert_allclose(metrics[:2], metrics[2], rtol=0, atol=1e-7)


# L(i) A(i) summed as it stands, with the closed forms only from a rank far below


@settings(max_examples=80)
@given(tailed, st.sampled_from(AGGS), st.lists(cells, max_size=8))
def test_closed_forms_agree_with_long_sums(name, agg, gains):
    model, n = user_model(name), 3000
    assume(not (model.static and agg == "ERR"))
    padded = np.array(gains + [0.0] * (n - len(gains)))
    values, (constant, inverse) = aggregation(agg).values(padded), aggregation(agg).beyond(padded)
    seen, found = model.seen(padded), padded.sum()
    score = math.fsum(model.last(padded) * values) + seen[-1] * constant
    score += model.inverse(n, np.inf, seen[-1], found) * inverse
    depth = math.fsum(seen[:-1]) + model.views(n, np.inf, seen[-1], found)
    score = score / depth if agg == "ERG" else score
    assert Metric(model, agg).score(np.array(gains)) == pytest.approx(float(score), abs=1e-12)
    assert Metric(model).documents(np.array(gains)) == pytest.approx(float(depth), rel=1e-12)


@settings(max_examples=60)
@given(tailed, st.integers(0, 8), st.integers(0, 500))
def test_stretches_add_up(name, start, more):
    model, found = user_model(name), 0.75 * start
    ranks = np.arange(start + 1, start + more + 1)
    gains = np.array([0.75] * start + [0.0] * more)
    seen = np.broadcast_to(model.seen(gains), (start + more + 1,))
    left = seen[start]
    assert model.after(start, start + more, left, found) == pytest.approx(seen[-1], abs=1e-15)
    assert model.views(start, start + more, left, found) == pytest.approx(seen[start:-1].sum(), abs=1e-12)
    stops = seen[start:-1] - seen[start + 1 :]
    assert model.inverse(start, start + more, left, found) == pytest.approx((stops / ranks).sum(), abs=1e-13)


@pytest.mark.parametrize("p", [1e-6, 0.3, 0.8, 0.99, 0.9999, 0.99995])
@pytest.mark.parametrize("start", [0, 1, 10, 1000])
def test_rbp_rests_by_the_series(p, start):
    m = np.arange(math.ceil(45 / (1 - p)) + 10)
    want = math.fsum((1 - p) * p**m / (start + 1 + m)) * p**start
    assert user_model(f"RBP(p={p})").inverse(start, np.inf, 0, 0) == pytest.approx(want, rel=1e-11)


def test_rbp_rests_of_very_patient_readers():
    for gap in (1e-3, 1e-6, 1e-9, 1e-12):  # sum of p^i / i is -log(1 - p)
        p = 1 - gap
        want = -gap * math.log(1 - p) / p
        assert user_model(f"RBP(p={p!r})").inverse(0, np.inf, 0, 0) == pytest.approx(want, rel=1e-9)
    assert Metric(f"RBP(p={1 - 1e-12!r})", "avg").score([1.0]) == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("wanted", [2.25, *slow(0.75, 5.0)])
@pytest.mark.parametrize("distance", [1e-15, 0.0999, -0.5, *slow(0, -1e-9, 1e-3, 0.1001)])
def test_inst_rests_where_the_closed_form_changes(wanted, distance):
    """The shift between x and the rank is 1 + found - 2T: near 0 and 1 the closed form would cancel."""
    for shift in (0, 1):
        start, found = 12, 2 * wanted - 1 + shift + distance
        if found > start:
            continue
        model, x, m = user_model(f"INST(T={wanted})"), start + 2 * wanted - found, np.arange(2_000_000.0)
        stops = (x / (x + m)) ** 2 - (x / (x + m + 1)) ** 2
        want = math.fsum(stops / (start + 1 + m))  # what is left out is below x^2 / 2 million^3
        assert model.inverse(start, np.inf, 1.0, found) == pytest.approx(want, abs=1e-12)


# identities

binary = hnp.arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 15)), elements=st.sampled_from([0.0, 1.0]))
graded = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 3), st.integers(1, 15)), elements=st.sampled_from([0.0, 1, 2, 3])
)
POOL = np.repeat([0.0, 1.0, 2.0, 3.0], 50)


def same(one: str, other: str, grades, pool) -> None:
    found = [measure(name).score(grades, pool) for name in (one, other)]
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-14, err_msg=f"{one} and {other}")


@given(binary)
def test_precision_erg_is_precision(grades):
    same("Precision_ERG", "P@10", grades, np.repeat([0.0, 1.0], 50))
    same("Precision_avg", "P@10", grades, np.repeat([0.0, 1.0], 50))


@given(graded)
def test_canonical_pairs_are_the_measures(grades):
    same("RBP_ERG", 'RBP(gain="linear")', grades, POOL)
    same("RBP_fin", "RBP_ERG", grades, POOL)
    same("INST_ERG", "INST", grades, POOL)
    same('CWLA(model="INSQ(T=2.25)")', "INSQ", grades, POOL)
    same("ERR_ERR", "ERR", grades, POOL)
    same("ERR_ERR@5", "ERR@5", grades, POOL)
    same('CWLA(model="RR",agg="ERR")', "RR", grades, POOL)
    same('CWLA(model="SDCG(k=7)")', 'CWLA(model="DCG(k=7)")', grades, POOL)


@given(binary)
def test_ap_erg_is_ap_of_what_was_found(grades):
    found = measure("AP_ERG").score(grades, np.repeat([0.0, 1.0], 50))
    for row, score in zip(grades, found, strict=True):
        own = float(measure("AP").score(row)) if row.any() else 0.0
        assert score == pytest.approx(own, abs=1e-14)


@given(models, lists, st.sampled_from(TAILS))
def test_total_is_rate_by_documents_viewed(name, gains, tail):
    """Proportional for static models, where V+ is the same for all lists."""
    model = user_model(name)
    assume(model.endless or tail != "infinite")
    total, rate = (Metric(model, agg, tail).score(gains) for agg in ("ETG", "ERG"))
    viewed = Metric(model, "ERG", tail).documents(gains)
    np.testing.assert_allclose(total, rate * viewed, rtol=1e-12, atol=1e-15)
    if model.static:
        assert np.ptp(viewed) == 0


@given(lists, models, st.sampled_from(TAILS), st.sampled_from([0.0, 0.3, 1.0]))
def test_peak_and_end_are_mixed(gains, name, tail, beta):
    assume(user_model(name).endless or tail != "infinite")
    best, end, both = (Metric(name, agg, tail).score(gains) for agg in ("max", "fin", f"PE(beta={beta})"))
    np.testing.assert_allclose(both, beta * best + (1 - beta) * end, rtol=1e-12, atol=1e-15)


@given(lists, models)
def test_each_of_the_three_gives_the_others(gains, name):
    """C to W to L to C, each taken as a user's own; the reader stops at the last rank, so that W and L sum to 1."""
    model = user_model(name)
    shape = gains.shape
    go_on = np.broadcast_to(model.continuation(gains), shape).copy()
    go_on[..., -1] = 0.0
    by_c = custom_model("C", lambda gain: go_on)
    weights, last = by_c.weight(gains, "stop"), by_c.last(gains, "stop")
    np.testing.assert_allclose(last, np.broadcast_to(model.last(gains, "stop"), shape), rtol=0, atol=1e-14)
    assert last.sum(axis=-1) == pytest.approx(1, abs=1e-12)
    assert weights.sum(axis=-1) == pytest.approx(1, abs=1e-12)
    for kind, values in (("W", weights), ("L", last)):
        again = custom_model(kind, lambda gain, values=values: values)
        np.testing.assert_allclose(again.weight(gains), weights, rtol=0, atol=1e-13)
        np.testing.assert_allclose(again.last(gains), last, rtol=0, atol=1e-13)
        reached = by_c.seen(gains)[..., :-1] > 1e-6
        np.testing.assert_allclose(again.continuation(gains)[reached], go_on[reached], rtol=0, atol=1e-8)


@given(lists, st.sampled_from(AGGS), st.data())
def test_scores_of_given_models_and_of_functions(gains, agg, data):
    """A vector, a function and the model itself score alike."""
    model, depth = user_model(data.draw(st.sampled_from(["DCG(k=5)", "Precision(k=2)"]))), gains.shape[-1]
    assume(agg != "ERR")
    want = Metric(model, agg).score(gains, max(depth, 5))
    whole = np.zeros(5)
    for kind, values in (
        ("C", model.continuation(whole)),
        ("W", model.weight(whole)),
        ("L", model.last(whole)),
    ):
        np.testing.assert_allclose(Metric(custom_model(kind, values), agg).score(gains), want, rtol=0, atol=1e-13)
        long = lambda gain, values=values: np.append(values, np.zeros(gain.shape[-1]))[: gain.shape[-1]]  # noqa: E731
        function = Metric(custom_model(kind, long), agg, "stop").score(gains, max(depth, 5))
        np.testing.assert_allclose(function, want, rtol=0, atol=1e-13)


@given(lists, models, st.sampled_from(["ETG", "avg", "max", "fin", "PE"]), st.sampled_from(["truncate", "stop"]))
def test_scores_by_a_function_for_an_aggregation(gains, name, agg, tail):
    own = Metric(name, lambda gain: aggregation(agg).values(gain), tail)
    for depth in (gains.shape[-1], gains.shape[-1] + 3):
        np.testing.assert_allclose(
            own.score(gains, depth), Metric(name, agg, tail).score(gains, depth), rtol=0, atol=1e-13
        )


@settings(max_examples=300)
@given(lists, models, st.sampled_from(AGGS), st.sampled_from(TAILS), st.integers(1, 40))
@example(np.array([[0.0, 1.0]]), "RBP(p=0.8)", "ERG", "truncate", 1)
def test_the_array_a_list_stands_in_changes_no_bit(gains, name, agg, tail, extra):
    model = user_model(name)
    assume((model.endless or tail != "infinite") and not (model.static and agg == "ERR"))
    longer = np.concatenate([gains, np.zeros((*gains.shape[:-1], extra))], axis=-1)
    metric, depth = Metric(model, agg, tail), gains.shape[-1]
    np.testing.assert_array_equal(metric.score(gains, depth), metric.score(longer, np.full(gains.shape[:-1], depth)))
    assert (metric.score(gains) >= 0).all()
    flat = [float(metric.score(row)) for row in gains.reshape(-1, depth)]
    np.testing.assert_array_equal(metric.score(gains).ravel(), flat)


@settings(max_examples=200)
@given(lists, models, st.sampled_from(AGGS), st.sampled_from(TAILS), st.data())
def test_what_is_called_monotone_is(gains, name, agg, tail, data):
    model = user_model(name)
    assume((model.endless or tail != "infinite") and not (model.static and agg == "ERR"))
    metric = Metric(model, agg, tail)
    assume(metric.monotone)
    row = gains.reshape(-1, gains.shape[-1])[0].copy()
    at = data.draw(st.integers(0, row.size - 1))
    before = metric.score(row)
    row[at] = data.draw(st.floats(row[at], 1))
    assert metric.score(row) >= before - 1e-13


def test_what_is_not_monotone_is_not_called_so():
    # more gain at rank 1, and the reader of ERR never comes to rank 2
    assert not Metric("ERR", "fin").monotone
    assert Metric("ERR", "fin").score([0.5, 1.0]) < Metric("ERR", "fin").score([0.0, 1.0])
    assert {str(m) for m in MODELS} >= {"Precision", "DCG", "RBP", "INST", "AP", "ERR", "RR", "INSQ", "SDCG"}


# lists of a collection


def test_a_list_ends_with_its_last_document():
    """ERR's V+ counts the documents of the list, not those of the longest list beside it; @k fills up to k."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    runs = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {d: -i for i, d in enumerate("bacdefgh")}}}
    scores = evaluate(load(qrels, runs), ["ERR_ERG", "ERR_ERG@8"])
    # gain 1/2 at rank 1 of 2: V = 1, 1/2; at rank 2 of 8: V = 1, 1, and then six times 1/2
    assert scores.of("ERR_ERG")[0] == pytest.approx([0.25 / 1.5, 0.25 / 5])
    assert scores.of("ERR_ERG@8")[0] == pytest.approx([0.25 / 4.5, 0.25 / 5])


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_empty_lists_score_nothing():
    qrels, runs = {"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"2": {"b": 1.0}}}
    names = [name for name in paper.SHORT if name != "INST_ERR"]  # there documents without gain satisfy too
    scores = evaluate(load(qrels, runs), names)
    assert (scores.value[:, 0, 1] == 0).all()
    assert np.isfinite(scores.value).all()


def test_names_of_the_paper_are_those_of_models_and_aggregations():
    """`paper` has texts alone, so that names can be read without the models."""
    readers = [MODELS[name]() for name in ("Precision", "DCG", "RBP", "INST", "AP", "ERR")]
    grid = [(model, part()) for model in readers for part in AGGREGATIONS.values()]
    constant = [model.static and part.static for model, part in grid]
    names = [f"{model.name}_{part.name}" for model, part in grid]
    texts = [f'CWLA(model="{model}",agg="{part}")' for model, part in grid]
    assert {n: t for n, t, same in zip(names, texts, constant, strict=True) if not same} == paper.SHORT
    assert list(paper.REFUSED) == [name for name, same in zip(names, constant, strict=True) if same]


@pytest.mark.parametrize("name", list(paper.SHORT))
def test_depth_costs_no_memory(name):
    deep = measure(name) @ (2**31 - 1)
    plain = float(measure(name).score([1, 0, 2], [0, 1, 2, 3]))
    # the reader of ERR who is not satisfied goes through all of them
    assert deep.score([1, 0, 2], [0, 1, 2, 3]) == pytest.approx(0.0 if name == "ERR_ERG" else plain, abs=1e-8)


@pytest.mark.parametrize("tail", ["truncate", "stop", "infinite"])
def test_arrays_without_ranks(tail):
    for name in ("AP", "INST", "RBP", "ERR", "RR", "Precision"):
        for agg in AGGS:
            model = user_model(name)
            if (model.static and agg == "ERR") or (tail == "infinite" and not model.endless):
                continue
            metric = Metric(model, agg, tail)
            np.testing.assert_array_equal(metric.score(np.zeros((2, 0)), 5), metric.score(np.zeros((2, 5))))
            assert metric.score(np.zeros((0, 3))).shape == (0,)
            if tail != "infinite":
                assert (metric.score(np.zeros((2, 0))) == 0).all()
                assert not metric.documents(np.zeros((2, 0))).any()


# names


def test_all_of_the_grid():
    names = [f"{m}_{a}" for m in ("Precision", "DCG", "RBP", "INST", "AP", "ERR") for a in AGGS]
    assert len(names) == 42
    for name in names:
        if name in ("Precision_ERR", "DCG_ERR", "RBP_ERR"):
            for text_ in (name, f"{name}@5", name.lower()):
                with pytest.raises(InputError, match="is the same for every list"):
                    measure(text_)
        else:
            found = measure(name)
            assert measure(str(found)) == found
            assert measure(f"{name}@7") == found @ 7
            assert found.gain_kind == ("exp" if name.startswith("ERR_") else "linear")
    assert str(measure("RBP_PE")) == 'CWLA(model="RBP(p=0.8)",agg="PE(beta=0.5)")'
    assert str(measure("INST_avg@10")) == 'CWLA(model="INST(T=2.25)",agg="avg")@10'
    assert str(measure('RBP_max(gain="exp",tail="stop")@5')).endswith('agg="max",gain="exp",tail="stop")@5')


@pytest.mark.parametrize("text_", [
    "CWLA", 'CWLA(model="RBP(p=0.8)",agg="PE(beta=0.5)")', 'CWLA(model="RBP(p=0.8)",agg="PE(beta=0.5)")@10',
    'CWLA(model="Precision@5")', 'CWLA(model="C(1,0.5)",agg="max",tail="stop")', 'CWLA(model="ERR",gain="linear")',
    'CWLA(model="ap")', 'CWLA(model="RBP(0.5)",agg="PE(0.25)")', 'CWLA(gain="binary",rel=2)', "INST(T=1)@10", "INSQ",
    'CWLA(gains={1:0},max_rel=4)',
])  # fmt: skip
def test_there_and_back(text_):
    assert str(measure(text_)) == text_
    assert measure(str(measure(text_))) == measure(text_)


def test_objects_are_taken_too():
    by_object = CWLA(model=MODELS["RBP"](p=0.5), agg=AGGREGATIONS["PE"](beta=0.25))
    assert by_object == measure('CWLA(model="RBP(p=0.5)",agg="PE(beta=0.25)")')
    assert by_object == measure(str(by_object))

    def patient(gain):
        return np.full(gain.shape[-1], 0.5)

    own = CWLA(model=custom_model("C", patient), agg="ETG", tail="truncate")
    assert str(own) == 'CWLA(model="C(patient)",agg="ETG",tail="truncate")'
    want = measure('CWLA(model="RBP(p=0.5)",agg="ETG",tail="truncate")').score([1, 0, 2])
    np.testing.assert_allclose(own.score([1, 0, 2]), want)
    assert own != CWLA(model=custom_model("C", lambda gain: patient(gain) / 2), agg="ETG", tail="truncate")
    with pytest.raises(InputError, match="is no user model"):
        measure(str(own))
    assert evaluate(load({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}), own).value.item() == pytest.approx(0.5)


# what is refused: one sentence, with the range


@pytest.mark.parametrize(
    ("make", "cause"),
    [
        (lambda: custom_model("C", [0.5, 1.2]), r"C\(2\) is 1\.2: a continuation probability lies in \[0, 1\]"),
        (lambda: custom_model("C", [-0.1]), r"C\(1\) is -0\.1: a continuation probability lies in \[0, 1\]"),
        (lambda: custom_model("C", [math.nan]), "give finite numbers"),
        (lambda: custom_model("C", []), r"C\(\) is no user model\n1 problem; give finite numbers"),
        (lambda: custom_model("C", ["a"]), "give one number per rank"),
        (lambda: custom_model("C", 0.5), "give one number per rank"),
        (lambda: custom_model("C", [[0.5, 1]]), "give one number per rank"),
        (lambda: Metric("RBP", 3), "give the aggregation as text"),
        (lambda: Metric("RBP").score([[1, 0], [1]]), "give lists of one length"),
        (lambda: Metric("RBP").score("abc"), "gains are not an array of numbers"),
        (
            lambda: custom_model("W", [0.2, 0.8]),
            r"W\(2\) is 0\.8 after W\(1\) of 0\.2: weights never increase with rank",
        ),
        (lambda: custom_model("W", [0.5, 0.2]), "W sums to 0.7 over 2 ranks: it has to sum to 1"),
        (lambda: custom_model("L", [0.5, 0.2]), "L sums to 0.7 over 2 ranks: it has to sum to 1"),
        (lambda: custom_model("L", [1.5, -0.5]), r"L\(1\) is 1\.5: a probability to stop lies in \[0, 1\]"),
        (lambda: custom_model("V", [1.0]), "give C, W or L"),
        (lambda: Metric(custom_model("C", lambda g: g + 1), "max").score([0, 1]), r"C\(2\) is 2: a continuation"),
        (lambda: Metric(custom_model("W", lambda g: g), "max").score([0, 1]), "weights never increase"),
        (lambda: Metric(custom_model("C", lambda g: g[..., :1]), "max").score([[0, 1]]), "a number for every rank"),
        (lambda: Metric("AP", lambda g: 1.0).score([0, 1]), r"A\(<lambda>\) gave an array of shape \(\)"),
        (lambda: Metric("INST").score([0.5, 1.5]), r"a gain is 1\.5: gains for INST\(T=2\.25\) have to be in \[0, 1\]"),
        (lambda: Metric("ERR", "ERR").score([-0.5]), r"a gain is -0\.5: gains for ERR have to be in \[0, 1\]"),
        (lambda: Metric("RBP").score([-0.5]), r"gains for RBP\(p=0\.8\) have to be from 0"),
        (lambda: Metric("RBP").score([math.nan]), "a gain is nan"),
        (lambda: Metric("RBP").score(1.0), "a list needs an axis of ranks"),
        (lambda: Metric("RBP").score([1.0], -1), "depth is a whole number from 0"),
        (lambda: Metric("RBP", "PEE"), "no aggregation is named 'PEE'\n1 problem; did you mean PE"),
        (lambda: Metric("RPB"), "no user model is named 'RPB'\n1 problem; did you mean RBP"),
        (lambda: Metric("quux"), "no user model is named 'quux'\n1 problem; known are Precision"),
        (lambda: Metric("RBP("), "is no user model"),
        (lambda: Metric("RBP(q=0.5)"), "RBP takes p"),
        (lambda: Metric("AP(3)"), "AP takes no parameters"),
        (lambda: Metric("C(a=3)"), "C takes numbers without names"),
        (lambda: Metric(3), "3 is no user model"),
        (lambda: Metric("RBP(p=1)"), "p of RBP is between 0 and 1"),
        (lambda: Metric("Precision(k=0)"), "k of .* is a whole number from 1 to 1,000,000"),
        (lambda: Metric("DCG@2.5"), "k of .* is a whole number from 1 to 1,000,000"),
        (lambda: Metric("INST(T=0.5)"), "T is a number above 0.5"),
        (lambda: Metric("INSQ(T=0)"), "T of INSQ is a number above 0"),
        (lambda: Metric("RBP", "PE(beta=1.5)"), "beta is a share from 0 to 1"),
        (lambda: Metric("RBP", "ERR"), "RBP_ERR is the same for every list"),
        (lambda: Metric("INSQ", "ERR"), "INSQ_ERR is the same for every list"),
        (lambda: Metric("RBP", tail="far"), "tail is one of truncate, stop, infinite"),
        (lambda: Metric("ERR", tail="infinite"), "ERR's reader never stops at documents without gain"),
        (lambda: Metric(custom_model("C", np.ones_like), tail="infinite"), "says nothing of what follows the list"),
        (lambda: Metric("RBP", np.asarray, "infinite"), "says nothing of what follows the list"),
        (lambda: measure('CWLA(agg="sum")'), "no aggregation is named 'sum'"),
        (lambda: measure('CWLA(model="W(0.2,0.8)")'), "weights never increase"),
        (lambda: measure("CWLA(tail='far')"), "tail is one of"),
        (lambda: measure("CWLA(model=3)"), "expected text"),
        (lambda: measure("INST(T=0.1)"), "expected a number between 0.5 and inf"),
    ],
)  # fmt: skip
def test_what_is_refused(make, cause):
    with pytest.raises(InputError, match=cause):
        make()


# documents viewed


@settings(max_examples=60)
@given(lists, models, st.sampled_from(TAILS))
def test_documents_viewed_by_the_sums(gains, name, tail):
    """V+ is one over the weight of the first rank; lists are filled up to 60 ranks."""
    model, more = user_model(name), (*gains.shape[:-1], 60 - gains.shape[-1])
    assume(model.endless or tail != "infinite")
    viewed = Metric(model, "ERG", tail).documents(gains, 60)
    weights = model.weight(np.concatenate([gains, np.zeros(more)], axis=-1), tail)
    np.testing.assert_allclose(viewed, np.broadcast_to(1 / weights[..., 0], viewed.shape), rtol=1e-11)
