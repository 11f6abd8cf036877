"""Slices, clusters and weights of topics: in tables, computed, and in compare, gate, rank and evaluate."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankscope as rs
from rankscope.comparisons.effect import PairedScores, Procedure
from rankscope.comparisons.scored import Design, scored
from rankscope.comparisons.slice_means import slice_means
from rankscope.comparisons.topic_attributes import TopicPlan
from rankscope.errors import DataWarning, InputError
from rankscope.io.topic_tables import read_topics
from rankscope.statistics import clustered_randomisation_test, clustered_t_test, t_test
from rankscope.statistics.families.interaction import (
    hotelling_interaction,
    profile_interaction,
    shrunken,
    welch_interaction,
)
from rankscope.statistics.pairs.clusters import Units, clustered_randomisation_interval_of, clustered_t_of

RNG = np.random.default_rng(11)
TOPICS = [f"q{i}" for i in range(60)]
TYPE = ["how-to" if i < 30 else "name" for i in range(60)]
SHARED = RNG.normal(0, 0.1, 12)
A = RNG.random(60) * 0.5
B = A + np.where(np.arange(60) < 30, 0.1, -0.08) + np.repeat(SHARED, 5) + RNG.normal(0, 0.03, 60)
SCORES = {"a": dict(zip(TOPICS, A.tolist(), strict=True)), "b": dict(zip(TOPICS, B.tolist(), strict=True))}
TABLE = {
    "type": dict(zip(TOPICS, TYPE, strict=True)),
    "session": {topic: f"s{i // 5}" for i, topic in enumerate(TOPICS)},
    "traffic": {topic: 1.0 + i % 7 for i, topic in enumerate(TOPICS)},
    "size": {topic: float(i) for i, topic in enumerate(TOPICS)},
}
JUDGED = rs.load(
    {t: {f"d{i}": int(i < 1 + k % 9) for i in range(10 + k % 4)} for k, t in enumerate(TOPICS)},
    {name: {t: {f"d{i}": RNG.random() for i in range(5 + k % 8)} for k, t in enumerate(TOPICS)} for name in "ab"},
)


def compare(**more):
    return rs.compare(SCORES, "a", "b", topics_table=TABLE, **more)


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "frame", "pandas", "mapping"])
def test_every_form_of_a_table_is_the_same(form, tmp_path):
    frame = pl.DataFrame({"topic": TOPICS[:3], "type": ["x", None, "y, z"], "size": [1, 2, None]})
    sources = {"frame": lambda: frame, "mapping": lambda: {
        "type": {"q0": "x", "q1": None, "q2": "y, z"}, "size": {"q0": 1, "q1": 2, "q2": None}}}  # fmt: skip
    if form == "pandas":
        source = pytest.importorskip("pandas").DataFrame(
            {"topic": TOPICS[:3], "type": ["x", "", "y, z"], "size": ["1", "2", ""]}
        )
    elif form in sources:
        source = sources[form]()
    else:
        source = tmp_path / f"topics.{form}"
        write = {
            "csv": frame.write_csv,
            "jsonl": frame.write_ndjson,
            "tsv": lambda p: frame.write_csv(p, separator="\t"),
        }
        write[form](source)
    table = read_topics(source)
    assert table.topics == ("q0", "q1", "q2")
    assert list(table.columns["type"]) == ["x", "", "y, z"]
    assert list(table.columns["size"]) == ["1", "2", ""]


def test_plain_text_is_read_as_quoted_text_is(tmp_path):
    plain, quoted = tmp_path / "plain.csv", tmp_path / "quoted.csv"
    plain.write_text("topic,type,size\nq1, a ,1\nq2,,2\n")
    quoted.write_text('topic,"type",size\r\n\r\nq1," a ",1\r\nq2,"",2')
    first, second = map(read_topics, (plain, quoted))
    assert first.topics == second.topics == ("q1", "q2")
    for table in (first, second):
        assert {name: list(column) for name, column in table.columns.items()} == {"type": ["a", ""], "size": ["1", "2"]}
    assert list(first.of("size", ("q2", "q9", "q1"))) == ["2", "", "1"]


def test_slices_are_the_comparison_on_their_topics():
    comparison = compare(by="type")
    groups = comparison.slices
    for part, rows in zip(groups.slices, (slice(0, 30), slice(30, 60)), strict=True):
        test = t_test(A[rows], B[rows])
        assert part.n_topics == 30
        assert part.effect.difference == pytest.approx(test.difference)
        assert part.effect.pvalue == pytest.approx(test.pvalue)
    p = sorted(part.effect.pvalue for part in groups.slices)
    assert sorted(part.adjusted for part in groups.slices) == pytest.approx([min(1, 2 * p[0]), max(2 * p[0], p[1])])
    d = [(B - A)[:30], (B - A)[30:]]
    welch = stats.ttest_ind(*d, equal_var=False)
    assert groups.interaction.pvalue == pytest.approx(welch.pvalue)
    assert [r.name for r in comparison.repetitions if r.axis == "slice"] == ["how-to", "name"]
    assert json.dumps(comparison.to_dict()["slices"])


def test_welch_equals_scipy_and_hotelling_its_definition():
    groups = [RNG.normal(0.2, s, k) for s, k in ((1, 8), (2, 15), (0.5, 30))]
    test = welch_interaction(
        [g.mean() for g in groups], [g.std(ddof=1) / np.sqrt(len(g)) for g in groups], [len(g) - 1 for g in groups]
    )
    expected = stats.f_oneway(*groups, equal_var=False)
    assert (test.statistic, test.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    x = RNG.normal(size=(20, 3)) + RNG.normal(size=(20, 1))
    c = x[:, 1:] - x[:, :1]
    t2 = 20 * c.mean(axis=0) @ np.linalg.solve(np.cov(c.T), c.mean(axis=0))
    crossed = hotelling_interaction(x.mean(axis=0), (x - x.mean(axis=0)) / 20)
    assert crossed.pvalue == pytest.approx(stats.f.sf(t2 * 18 / (19 * 2), 2, 18))
    assert hotelling_interaction([0, 1, 2], np.zeros((2, 3))) is None


def test_shrunken_estimates_lie_between_the_raw_ones_and_their_mean():
    estimates, errors = np.array([0.5, 0.0, -0.4]), np.array([0.1, 0.3, 0.1])
    drawn, between = shrunken(estimates, errors)
    assert between > 0
    weight = 1 / (errors**2 + between)
    middle = weight @ estimates / weight.sum()
    assert ((drawn - middle) * (estimates - middle) >= 0).all()
    assert (np.abs(drawn - middle) <= np.abs(estimates - middle)).all()
    assert drawn == pytest.approx(middle + between / (between + errors**2) * (estimates - middle))


def test_a_slice_that_reverses_the_verdict_is_said_loudly():
    a = np.linspace(0.2, 0.6, 40)
    b = a + np.where(np.arange(40) < 32, 0.1, -0.1) + np.tile([0.01, -0.01, 0.02, -0.02], 10)
    scores = {name: dict(zip(TOPICS[:40], x.tolist(), strict=True)) for name, x in (("a", a), ("b", b))}
    table = {"kind": {topic: "many" if i < 32 else "few" for i, topic in enumerate(TOPICS[:40])}}
    comparison = rs.compare(scores, "a", "b", topics_table=table, by="kind")
    assert comparison.verdict == 1
    assert [part.name for part in comparison.slices.reversed] == ["few"]
    lines = str(comparison).split("\n")
    assert "REVERSED in a slice of kind: a is shown to score higher than b on 'few'." in "\n".join(lines[:4])
    assert "reverses" in comparison.to_text("full")
    listed = {kind: [t for t in TOPICS[:40] if table["kind"][t] == kind] for kind in ("many", "few")}
    alarm = "REVERSED in a slice: a is shown to score higher than b on 'few'."
    for gate, words in (
        (rs.gate(scores, "a", "b", topics_table=table, by="kind"), comparison.slices.alarms()[0]),
        (rs.gate(scores, "a", "b", slices=listed), alarm),
    ):
        assert set(gate.slices.columns()["pvalue"]) == set(comparison.slices.columns()["pvalue"])  # one code path
        assert words in "\n".join(str(gate).split("\n")[:4])
        assert len(str(gate).split("\n")) <= 24
        for text in (gate.to_text("full"), gate.to_markdown(), json.dumps(gate.to_dict())):
            assert "REVERSED" in text
    assert rs.compare(scores, "a", "b", slices=listed).slices.alarms() == [alarm]


def test_simpson_is_said_where_sizes_of_slices_decide_the_sign():
    d = np.array([0.2, 0.22, 0.18, 0.2, 0.21, 0.19] * 5 + [-0.3, -0.31, -0.29, -0.3, -0.32] * 2)
    names = TOPICS[: len(d)]
    scores = {"a": dict.fromkeys(names, 0.5), "b": {t: 0.5 + x for t, x in zip(names, d.tolist(), strict=True)}}
    table = {"kind": {t: "big" if i < 30 else f"small {i % 2}" for i, t in enumerate(names)}}
    comparison = rs.compare(scores, "a", "b", topics_table=table, by="kind")
    assert comparison.effect.difference > 0
    assert any("SIMPSON" in line for line in comparison.slices.alarms())
    listed = {"some": names[:10], "small 0": names[30::2], "small 1": names[31::2]}  # not all topics
    assert not any("SIMPSON" in line for line in rs.compare(scores, "a", "b", slices=listed).slices.alarms())


def test_clusters_are_the_unit_of_test_interval_and_bounds():
    comparison = compare(clusters="session")
    test = clustered_t_test(A, B, np.repeat(np.arange(12), 5))
    e = comparison.effect
    assert (e.pvalue, e.n_clusters) == (pytest.approx(test.pvalue), 12)
    assert e.effective_topics == pytest.approx(test.effective_topics)
    interval = test.confidence_interval()
    assert (e.lower, e.upper) == pytest.approx((interval.lower, interval.upper))
    flips = compare(clusters="session", test="randomisation").effect
    assert flips.pvalue == pytest.approx(clustered_randomisation_test(A, B, np.repeat(np.arange(12), 5)).pvalue)
    text = str(comparison)
    assert "Design effect" in text
    assert "in 12 clusters (session)" in text
    alike = next(r for r in comparison.repetitions if r.axis == "topics")
    assert alike.effect.pvalue == pytest.approx(t_test(A, B).pvalue)
    gate = rs.gate(SCORES, "a", "b", topics_table=TABLE, clusters="session")
    assert gate.checks[0].effect.lower == pytest.approx(interval.lower)
    board = rs.rank(SCORES, topics_table=TABLE, clusters="session", method="hsd")
    assert "by cluster" in board.method
    assert "12 clusters of session" in str(board)


def test_few_clusters_are_refused_a_verdict():
    table = {"half": {topic: str(i % 3) for i, topic in enumerate(TOPICS)}}
    comparison = rs.compare(SCORES, "a", "b", topics_table=table, clusters="half")
    assert comparison.verdict == 0
    assert "3 clusters: too few" in str(comparison)
    for call in (rs.gate, lambda *x, **more: rs.rank(x[0], **more)):
        with pytest.raises(InputError, match="3 clusters are too few"):
            call(SCORES, "a", "b", topics_table=table, clusters="half")


def sessions(sizes):
    """A table of topics in clusters of these sizes, and the cluster of each topic."""
    label = np.repeat(np.arange(len(sizes)), sizes)
    return {"user": {topic: f"u{i}" for topic, i in zip(TOPICS, label.tolist(), strict=False)}}, label


def on(topics):
    return {name: {t: values[t] for t in topics} for name, values in SCORES.items()}


@pytest.mark.parametrize(
    ("sizes", "unequal"),
    [
        ([5] * 12, ""),
        ([4] + [5] * 11, ""),
        ([4, 5, 5, 5, 5], ""),  # fewer than four degrees of freedom, and nearly those of five equal clusters
        ([3, 4, 5, 6, 7] * 2, ""),
        ([1, 2, 4, 8, 16], "size"),
        ([1, 2, 4, 8, 16] * 10, "size"),
        ([20] + [4] * 10, "size"),
        ([1, 2, 4, 8, 16] * 100, ""),  # so many that t needs no help
        ([500] + [1] * 2000, "size"),  # of which one decides where its topics are alike
    ],
)
def test_sizes_of_clusters_decide_whether_flips_stand_in_for_t(sizes, unequal):
    label = np.repeat(np.arange(len(sizes)), sizes)
    design = Design(TopicPlan.of(), label, None)
    assert design.unequal == unequal
    assert design.on(RNG.permutation(len(label))).unequal == unequal
    both = Design(TopicPlan.of(), label, np.ones(len(label)))
    assert both.unequal == ("weight" if unequal else "")


@pytest.mark.parametrize("sizes", [[22] + [2] * 11, [1, 2, 4, 8, 12] * 2])
def test_flips_stand_in_for_t_where_clusters_are_unequal(sizes):
    table, label = sessions(sizes)
    a, b = A[: len(label)], B[: len(label)]
    scores = on(TOPICS[: len(label)])
    flips = clustered_randomisation_test(a, b, label)
    ends = clustered_randomisation_interval_of(flips.units)
    more = {"topics_table": table, "clusters": "user"}
    comparison = rs.compare(scores, "a", "b", **more)
    e = comparison.effect
    assert (e.pvalue, e.lower, e.upper) == pytest.approx((flips.pvalue, ends.lower, ends.upper))
    assert e.pvalue != pytest.approx(clustered_t_test(a, b, label).pvalue)
    assert (e.test, e.method) == ("t", flips.method)
    sentence = (
        "Clusters are of unequal size, where the robust t may reject too often or too rarely: sign flips of clusters"
    )
    for layer in ("short", "full"):
        assert sentence in " ".join(comparison.to_text(layer).split())
    assert "sign flips of clusters stand in" in comparison.to_dict()["remark"]
    asked = rs.compare(scores, "a", "b", test="randomisation", **more)
    assert (asked.effect.pvalue, asked.effect.remark) == (e.pvalue, "")
    for result in (comparison, asked):  # the same test is not tried again
        assert [r.effect.test for r in result.repetitions if r.axis == "test"] == ["wilcoxon", "sign"]
    assert comparison.replication is None
    assert "Not predicted" in comparison.to_text("full")
    gate = rs.gate(scores, "a", "b", **more)
    assert gate.checks[0].effect.lower == pytest.approx(ends.lower)
    for text in (str(gate), gate.to_text("full")):
        assert sentence in " ".join(text.split())
    assert "stand in" in gate.to_dict()["remark"]
    board = rs.rank(scores, baseline="a", correction="bonferroni", **more)
    assert board.against.effects[board.systems.index("b")].pvalue == pytest.approx(flips.pvalue)
    assert board.against.method == "randomisation test by cluster"
    assert board.against.intervals is None
    assert sentence in " ".join(board.to_text("full").split())
    means = clustered_randomisation_interval_of(Units.of(a, np.zeros(len(a)), label))
    place = board.systems.index("a")
    assert (board.lower[place], board.upper[place]) == pytest.approx((means.lower, means.upper))
    beside = rs.compare(scores, "a", "b", test="sign", **more)
    assert (beside.effect.lower, beside.effect.upper) == pytest.approx((ends.lower, ends.upper))
    assert "(sign flips of clusters)" in str(beside)


def test_few_unequal_clusters_are_refused_everywhere():
    table, _ = sessions([30, 6, 6, 6, 6, 6])
    more = {"topics_table": table, "clusters": "user"}
    comparison = rs.compare(SCORES, "a", "b", **more)
    assert comparison.verdict == 0
    refused = (
        "6 clusters of unequal size: too few to tell a and b apart; a verdict needs 7 or more, or 5 of about the same"
    )
    assert refused in " ".join(str(comparison).split())
    assert refused in " ".join(comparison.to_text("full").split())
    for call in (lambda **more: rs.gate(SCORES, "a", "b", **more), lambda **more: rs.rank(SCORES, **more)):
        with pytest.raises(InputError, match="6 clusters of unequal size are too few") as error:
            call(**more)
        assert "7 clusters, or 5 of about the same size" in str(error.value)
    weight = {"w": {t: 10.0 if i == 0 else 1.0 for i, t in enumerate(TOPICS[:6])}}
    weighted = {"topics_table": weight, "weights": "w"}
    assert "6 topics of unequal weight: too few" in str(rs.compare(on(TOPICS[:6]), "a", "b", **weighted))
    with pytest.raises(InputError, match="6 topics of unequal weight are too few"):
        rs.gate(on(TOPICS[:6]), "a", "b", **weighted)


def test_flips_that_are_asked_for_need_seven_clusters():
    table, label = sessions([10] * 6)
    more = {"topics_table": table, "clusters": "user"}
    flips = rs.compare(SCORES, "a", "b", test="randomisation", **more)
    assert "6 clusters: too few" in str(flips)
    assert "a verdict needs 7 or more, or 5 with test='t'" in " ".join(str(flips).split())
    t = rs.compare(SCORES, "a", "b", **more)
    assert "too few" not in str(t)
    assert t.effect.pvalue == pytest.approx(clustered_t_test(A, B, label).pvalue)
    assert [part.reason for part in t.not_repeated if part.axis == "test"] == [
        "6 clusters are too few; 7 are the least"
    ]
    with pytest.raises(InputError, match="6 clusters are too few"):
        rs.rank(SCORES, baseline="a", test="randomisation", **more)
    assert rs.rank(SCORES, baseline="a", **more).against.method == "cluster-robust t"


def test_slices_of_few_or_unequal_clusters_say_so():
    table, label = sessions([12, 2, 2, 2, 2, 2, 2, 2, 20, 3, 3, 2, 2, 2])  # eight clusters, and six
    names = TOPICS[: len(label)]
    table["half"] = {t: "first" if i < 8 else "second" for t, i in zip(names, label.tolist(), strict=True)}
    more = {"topics_table": table, "clusters": "user", "by": "half"}
    scores = on(names)
    comparison, gate, board = (
        rs.compare(scores, "a", "b", **more),
        rs.gate(scores, "a", "b", **more),
        rs.rank(scores, **more),
    )
    first, second = comparison.slices.slices
    assert first.effect.pvalue == pytest.approx(clustered_randomisation_test(A[:26], B[:26], label[:26]).pvalue)
    assert second.effect is None
    assert "6 clusters of unequal size; 7 are the least" in comparison.slices.note()
    assert "too few clusters" in str(comparison)
    assert gate.checks[2].reason == "6 clusters of unequal size are too few to say anything; 7 are the least"
    assert "second (6 clusters of unequal size; 7 are the least)" in " ".join(board.to_text("full").split())


def test_slices_whose_flips_are_too_few_at_holms_level_are_inconclusive():
    table, label = sessions([14, 2, 2, 2, 2, 2, 2] * 2)  # twice seven clusters: flips reject 1/64 at least
    names = TOPICS[: len(label)]
    table["half"] = {t: "first" if i < 7 else "second" for t, i in zip(names, label.tolist(), strict=True)}
    shift = {"a": dict.fromkeys(names, 0.5), "b": {t: 0.6 + 0.001 * i for i, t in enumerate(names)}}
    gate = rs.gate(shift, "a", "b", topics_table=table, clusters="user", by="half", level=0.99)
    assert [check.outcome for check in gate.checks[1:]] == ["inconclusive"] * 2
    assert "no 99.5 % interval: 7 clusters of unequal size are too few" in gate.checks[1].reason
    for text in (str(gate), gate.to_text("full"), gate.to_markdown(), json.dumps(gate.to_dict(), allow_nan=False)):
        assert "inf" not in text.replace("information", "")
    alone = rs.gate({n: {t: v[t] for t in names[:26]} for n, v in shift.items()}, "a", "b", topics_table=table,
                    clusters="user", level=0.99)  # fmt: skip
    assert "no interval" in str(alone)
    board = rs.rank({n: {t: v[t] for t in names[:26]} for n, v in shift.items()}, topics_table=table, clusters="user",
                    level=0.99)  # fmt: skip
    assert np.isfinite(board.lower).all()


def test_the_same_difference_in_few_clusters_does_not_pass_by_the_number_of_topics():
    table, _ = sessions([10] * 5)
    names = TOPICS[:50]
    scores = {"a": dict.fromkeys(names, 0.5), "b": dict.fromkeys(names, 0.75)}
    gate = rs.gate(scores, "a", "b", topics_table=table, clusters="user")
    assert gate.outcome == "inconclusive"  # p of sign flips of five clusters is 1/16
    assert "sign flips of fewer than 6 clusters show nothing" in gate.checks[0].reason


def test_unequal_clusters_reject_5_percent_of_nulls():
    """One cluster has half of all topics, which are independent: the robust t rejects half as many."""
    count, nulls = 21, 600
    sizes = np.array([5 * (count - 1), *[5] * (count - 1)])
    label = np.repeat(np.arange(count), sizes)
    design, zero = Design(TopicPlan.of(), label, None), np.zeros(len(label))
    rng = np.random.default_rng(28)
    rejected = robust = 0
    for _ in range(nulls):
        pair = PairedScores.of(zero, rng.normal(size=len(label)), design=design)
        rejected += Procedure().effect_on(pair).pvalue < 0.05
        robust += clustered_t_of(pair.units).pvalue < 0.05
    assert robust < 0.03 * nulls
    assert 0.03 * nulls <= rejected <= 0.075 * nulls  # 30 are expected; outside in 2 of 100 seeds


def test_weights_are_in_means_tests_and_words():
    comparison = compare(weights="traffic")
    weight = np.array([1.0 + i % 7 for i in range(60)])
    assert comparison.means == pytest.approx((np.average(A, weights=weight), np.average(B, weights=weight)))
    assert comparison.effect.difference == pytest.approx(np.average(B - A, weights=weight))
    flips = clustered_randomisation_test(A, B, weights=weight)  # weights of 1 to 7 are unequal
    assert comparison.effect.pvalue == pytest.approx(flips.pvalue)
    assert "Topics are of unequal weight" in " ".join(str(comparison).split())
    near = {"w": {topic: 1 + i % 3 / 10 for i, topic in enumerate(TOPICS)}}
    robust = clustered_t_test(A, B, weights=list(near["w"].values()))
    assert rs.compare(SCORES, "a", "b", topics_table=near, weights="w").effect.pvalue == pytest.approx(robust.pvalue)
    assert "weighted by 'traffic'" in str(comparison)
    assert "weighted mean over 60 topics" in str(comparison)
    board = rs.rank(SCORES, topics_table=TABLE, weights="traffic")
    assert sorted(board.mean.tolist()) == pytest.approx(sorted(comparison.means))
    zero = {"w": {topic: float(i > 9) for i, topic in enumerate(TOPICS)}}
    kept = rs.compare(SCORES, "a", "b", topics_table=zero, weights="w")
    assert (kept.effect.n_topics, kept.scored.reasons) == (50, {"weight": 10})
    assert kept.effect.pvalue == pytest.approx(t_test(A[10:], B[10:]).pvalue)
    with pytest.raises(InputError, match="no weights"):
        compare(weights="traffic", test="sign")


def test_gate_by_an_attribute_is_the_gate_of_its_slices():
    by = rs.gate(SCORES, "a", "b", topics_table=TABLE, by="type")
    slices = {name: [t for t, x in zip(TOPICS, TYPE, strict=True) if x == name] for name in ("how-to", "name")}
    assert by.columns() == rs.gate(SCORES, "a", "b", slices=slices).columns()
    listed = compare(slices=slices).slices
    assert listed.columns() == compare(by="type").slices.columns()
    assert "Does the difference depend on type?" in by.to_text("full")


def test_clusters_that_lie_in_several_slices_are_tested_jointly():
    table = {**TABLE, "turn": {topic: str(i % 5) for i, topic in enumerate(TOPICS)}}
    comparison = rs.compare(SCORES, "a", "b", topics_table=table, by="turn", clusters="session")
    assert comparison.slices.interaction.method == "Hotelling's T²"
    assert comparison.slices.interaction.pvalue > 0.01  # turns differ by noise alone


def test_numbers_are_cut_at_quantiles_and_equal_numbers_stay_together():
    slices = compare(by="size").slices.slices
    assert [part.n_topics for part in slices] == [15] * 4
    assert slices[0].name == "0 to 14"
    assert [part.n_topics for part in compare(by="size", quantiles=3).slices.slices] == [20] * 3
    many = {"n": {topic: float(max(0, i - 40)) for i, topic in enumerate(TOPICS)}}
    parts = rs.compare(SCORES, "a", "b", topics_table=many, by="n").slices.slices
    assert parts[0].n_topics == 41
    few = compare(by="traffic", quantiles=2)
    assert sum(part.n_topics for part in few.slices.slices) == 60


def test_computed_attributes():
    judged = JUDGED
    table = scored(judged, "nDCG@10")
    plan = TopicPlan.of()
    available = judged.available[:, judged.grades >= 1].sum(axis=1)[table.at]
    assert plan.attribute(table, "relevant", "by").numbers.tolist() == available.tolist()
    assert plan.attribute(table, "judged", "by").numbers.tolist() == judged.available.sum(axis=1)[table.at].tolist()
    assert plan.attribute(table, "difficulty", "by").numbers == pytest.approx(table.value.mean(axis=1))
    assert plan.attribute(table, "length", "by").numbers == pytest.approx(judged.retrieved.mean(axis=0)[table.at])
    means = slice_means(judged, rs.evaluate(judged, "nDCG@10"), by="relevant")
    sizes = means.n_topics[0]
    assert sizes[0] == sizes[1:].sum()
    overall = (means.value[0, 1:] * sizes[1:, None]).sum(axis=0) / sizes[0]
    assert overall == pytest.approx(means.value[0, 0])
    assert "all topics" in str(means)


def test_topics_without_a_value_are_a_slice_of_their_own():
    table = {"type": dict(zip(TOPICS[:50], TYPE, strict=False))}
    with pytest.warns(DataWarning, match="10 topics without a value of 'type'"):
        comparison = rs.compare(SCORES, "a", "b", topics_table=table, by="type")
    assert [(part.name, part.n_topics) for part in comparison.slices.slices][-1] == ("missing", 10)
    for call in (lambda: rs.gate(SCORES, "a", "b", topics_table=table, by="type"),
                 lambda: rs.rank(SCORES, topics_table=table, by="type")):  # fmt: skip
        with pytest.warns(DataWarning, match="10 topics without a value of 'type'"):
            assert [(part.name, part.n_topics) for part in call().slices.slices][-1] == ("missing", 10)
    with pytest.warns(DataWarning, match="each is a cluster of its own"):
        clustered = rs.compare(SCORES, "a", "b", topics_table=table, clusters="type")
    assert clustered.effect.n_clusters == 12


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"by": "typ"}, "the table has type, session, traffic, size"),
        ({"by": "relevant"}, "computed are difficulty"),
        ({"clusters": "nothing"}, "no attribute of topics has that name"),
        ({"by": "topic_id"}, "60 values on 60 topics"),
        ({"weights": "type"}, "is no number"),
        ({"weights": "minus"}, "with a negative weight"),
        ({"weights": "zero"}, "the weights sum to 0"),
        ({"weights": "some"}, "59 topics without a weight"),
        ({"by": "type", "slices": {"x": ["q1"]}}, "beside"),
        ({"by": "type", "quantiles": 1}, "quantiles"),
        ({"by": "elsewhere"}, "no topic of the scores has a value"),
    ],
)
def test_bad_attributes_are_refused_with_a_cure(more, words):
    table = {
        **TABLE,
        "topic_id": {topic: f"id {topic}" for topic in TOPICS},
        "minus": dict.fromkeys(TOPICS, -1.0),
        "zero": dict.fromkeys(TOPICS, 0),
        "some": {"q0": 1.0},
        "elsewhere": {"other": "x"},
    }
    if more == {"by": "typ"}:
        table = TABLE
    for call in (lambda **more: rs.compare(SCORES, "a", "b", **more), lambda **more: rs.gate(SCORES, "a", "b", **more),
                 lambda **more: rs.rank(SCORES, **more)):  # fmt: skip
        with pytest.raises(InputError, match=words):
            call(topics_table=table, **more)


def test_more_slices_than_topics_have_no_verdicts_of_their_own():
    names = TOPICS[:12]
    scores = {name: {t: values[t] for t in names} for name, values in SCORES.items()}
    table = {"own": {t: f"slice {t}" for t in names}}
    listed = {f"s{i}": [names[i % 12]] for i in range(20)}
    for more in ({"topics_table": table, "by": "own"}, {"slices": listed}):
        comparison, gate = rs.compare(scores, "a", "b", **more), rs.gate(scores, "a", "b", **more)
        board = rs.rank(scores, **more)
        assert all(part.effect is None for part in comparison.slices.slices)
        assert all(check.outcome == "inconclusive" for check in gate.checks[1:])
        assert all(part.letters is None for part in board.slices.slices)
        for result in (comparison, gate, board):
            assert "too few" in str(result)
            assert len(str(result).split("\n")) <= 24
            assert result.to_text("full")


def test_one_slice_and_slices_of_few_topics_say_why_nothing_is_tested():
    table = {"x": dict.fromkeys(TOPICS, "same"), "y": {t: "one" if i < 3 else "rest" for i, t in enumerate(TOPICS)}}
    for single in (
        rs.compare(SCORES, "a", "b", topics_table=table, by="x"),
        rs.rank(SCORES, topics_table=table, by="x"),
    ):
        assert "not tested: there is one slice only" in " ".join(str(single).split())
    assert "there is one slice only" in rs.gate(SCORES, "a", "b", topics_table=table, by="x").to_text("full")
    few = rs.compare(SCORES, "a", "b", topics_table=table, by="y")
    assert few.slices.slices[0].effect is None
    assert "too few topics" in str(few)
    assert few.slices.interaction is None


def test_topics_of_weight_0_are_left_out_of_other_orders_of_ties():
    judged = rs.load(
        {t: {f"d{i}": i % 2 for i in range(8)} for t in TOPICS},
        {n: {t: {f"d{i}": float(RNG.integers(3)) for i in range(8)} for t in TOPICS} for n in "ab"},
        keep_ties=True,
    )
    table = {"w": {t: i % 3 for i, t in enumerate(TOPICS)}}
    comparison = rs.compare(judged, "a", "b", topics_table=table, weights="w")
    assert {r.effect.n_topics for r in comparison.repetitions if r.axis in ("ties", "metric")} == {40}
    assert sum(r.axis == "ties" for r in comparison.repetitions) == 2


def test_bad_tables_name_file_line_and_cure(tmp_path):
    path = tmp_path / "topics.csv"
    for text, words in (
        ("topic,type\nq1,a\nq1,b\n", "topics.csv:3: topic 'q1' twice"),
        ("topic,type\nq1\n", "1 field, expected 2"),
        ("topic\nq1\n", "holds no table of topics"),
        ("topic,a,a\nq1,1,2\n", "column 'a' twice"),
        ('{"topic": "q1", "a": 1}\nnot json\n', "no JSON object"),
        ("", "no table|empty"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=f"(?s){words}"):
            read_topics(path)


def test_hostile_names_come_out_harmless():
    evil = "\x1b[2J<script>\\input"
    table = {evil: {topic: evil if i % 2 else "1e308" for i, topic in enumerate(TOPICS)}}
    comparison = rs.compare(SCORES, "a", "b", topics_table=table, by=evil)
    for text in (str(comparison), comparison.to_text("full"), comparison.to_markdown(), comparison.to_latex()):
        assert "\x1b" not in text
    assert "<script>" not in comparison.to_markdown().replace("\\<", "")
    board = rs.rank(SCORES, topics_table=table, by=evil)
    for text in (str(rs.gate(SCORES, "a", "b", topics_table=table, by=evil)), str(compare(clusters="session")),
                 str(board), board.to_text("full"), board.to_markdown(), str(board.slices)):  # fmt: skip
        assert "\x1b" not in text
    assert "<script>" not in board.to_markdown().replace("\\<", "")


def test_replication_is_in_every_layer_of_a_comparison():
    comparison = compare()
    assert comparison.replication.n_topics == 60
    assert "On 60 new topics" in str(comparison)
    assert "Would it repeat on 60 new topics?" in comparison.to_text("full")
    assert comparison.to_dict()["replication"]["assumptions"]
    same = rs.compare({"a": SCORES["a"], "b": SCORES["a"]}, "a", "b")
    assert same.replication is None


def test_interaction_of_systems_and_slices_equals_welch_and_its_matrices():
    rng = np.random.default_rng(5)
    groups = [rng.normal(0.2, s, k) for s, k in ((1, 9), (3, 15))]
    x = [np.stack([np.zeros_like(g), g], axis=1) for g in groups]
    influences = [(v - v.mean(axis=0)) / len(v) for v in x]
    test = profile_interaction([v.mean(axis=0) for v in x], influences, [np.arange(9), np.arange(9, 24)])
    assert test.pvalue == pytest.approx(stats.ttest_ind(*groups, equal_var=False).pvalue)
    x = [rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4)) for n in (12, 20)]
    influences = [(v - v.mean(axis=0)) / len(v) for v in x]
    test = profile_interaction([v.mean(axis=0) for v in x], influences, [np.arange(12), np.arange(12, 32)])
    centre = np.eye(4) - 1 / 4
    c = [centre @ np.cov(v.T) @ centre / len(v) for v in x]
    total, apart = c[0] + c[1], centre @ (x[0].mean(axis=0) - x[1].mean(axis=0))
    assert test.statistic == pytest.approx(apart @ apart / np.trace(total))
    own = [
        m * m / (m - 1) / (m + 2) * (np.trace(s @ s) - np.trace(s) ** 2 / m) for s, m in zip(c, (11, 19), strict=True)
    ]
    df = np.trace(total) ** 2 / (sum(own) + 2 * np.trace(c[0] @ c[1]))
    assert test.df == pytest.approx(df)
    assert df < 3  # the most there can be: systems - 1
    y = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=(20, 1))  # (units, groups), two systems
    x = [np.stack([np.zeros(20), column], axis=1) for column in y.T]
    influences = [(v - v.mean(axis=0)) / 20 for v in x]
    test = profile_interaction([v.mean(axis=0) for v in x], influences, [np.arange(20)] * 3)
    rest = y - y.mean(axis=0) - y.mean(axis=1, keepdims=True) + y.mean()
    f = 20 * np.square(y.mean(axis=0) - y.mean()).sum() / 2 / (np.square(rest).sum() / (19 * 2))
    assert test.statistic == pytest.approx(f)  # of repeated measures
    assert 1 <= test.df <= 2
    assert profile_interaction(np.zeros((2, 3)), [np.zeros((5, 3))] * 2, [np.arange(5), np.arange(5, 10)]) is None


def test_rank_by_slice_has_means_groups_and_the_test_of_interaction():
    c = A + RNG.normal(0, 0.02, 60)
    scores = SCORES | {"c": dict(zip(TOPICS, c.tolist(), strict=True))}
    board = rs.rank(scores, topics_table=TABLE, by="type")
    groups = board.slices
    for part, rows in zip(groups.slices, (slice(0, 30), slice(30, 60)), strict=True):
        alone = rs.rank({name: {t: s[t] for t in TOPICS[rows]} for name, s in scores.items()}, alpha=0.025)
        order = [alone.systems.index(name) for name in groups.systems]
        assert part.mean == pytest.approx(alone.mean[order])
        assert part.letters == tuple(alone.letters[s] for s in order)
        assert part.best == sum(place == 1 for place in alone.best)
    assert groups.interaction.pvalue < 1e-6  # b gains on one half of the topics and loses on the other
    text, full = str(board), board.to_text("full")
    assert "are shown to depend on type" in " ".join(text.split())
    assert "Does the order depend on type?" in full
    assert len(text.split("\n")) <= 24
    assert json.loads(json.dumps(board.to_dict()))["slices"]["slices"][0]["slice"] == "how-to"
    assert "depend on type" in board.to_markdown()
    pair = rs.rank(SCORES, topics_table=TABLE, by="size").slices.interaction
    assert pair.pvalue == pytest.approx(compare(by="size").slices.interaction.pvalue)
    clustered = rs.rank(scores, topics_table=TABLE, by="size", clusters="session", quantiles=2)
    assert clustered.slices.interaction.df_error < groups.interaction.df_error
    listed = rs.rank(scores, slices={"x": TOPICS[:30], "y": TOPICS[20:], "z": TOPICS[:3]})
    assert [part.letters is None for part in listed.slices.slices] == [False, False, True]
    assert "too few topics" in str(listed)
    with pytest.raises(InputError, match="beside"):
        rs.rank(scores, topics_table=TABLE, by="type", slices={"x": TOPICS[:30]})


def test_rank_says_where_a_slice_reverses_the_order():
    a = np.linspace(0.2, 0.6, 40)
    b = a + np.where(np.arange(40) < 32, 0.1, -0.1) + np.tile([0.01, -0.01, 0.02, -0.02], 10)
    scores = {name: dict(zip(TOPICS[:40], x.tolist(), strict=True)) for name, x in (("a", a), ("b", b), ("c", a / 2))}
    table = {"kind": {topic: "many" if i < 32 else "few" for i, topic in enumerate(TOPICS[:40])}}
    board = rs.rank(scores, topics_table=table, by="kind")
    assert board.slices.slices[0].reversed == (("a", "b"),)
    words = "REVERSED in a slice of kind: a is shown to score higher than b on 'few'"
    assert words in " ".join(str(board).split())
    assert words in " ".join(board.to_text("full").split())
