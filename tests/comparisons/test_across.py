"""One claim over many collections: golden effects, claims, matching of systems, bad input, repeats, many systems."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from commands import command

import rankscope as rs
from rankscope.comparisons import claims
from rankscope.comparisons.comparing_collections import Across
from rankscope.comparisons.effect import Procedure
from rankscope.comparisons.repeats import systems_of
from rankscope.errors import InputError
from rankscope.simulation.embedded_collection import COLLECTIONS, collection_scores
from rankscope.statistics import Resampling, random_effects, repeated_runs, t_test

GOLDEN = {
    entry["id"]: entry
    for entry in json.loads((Path(__file__).parents[1] / "golden" / "collections.json").read_text())["entries"]
}
RESAMPLING = Resampling(200)


def drawn(seed: int = 1, means=(0.05, 0.02, 0.08), topics=(30, 50, 20), spread=0.1, runs=("a", "b")):
    """Scores by collection, system and topic: b is better by these means."""
    rng = np.random.default_rng(seed)
    scores = {}
    for at, (mean, n) in enumerate(zip(means, topics, strict=True)):
        level = rng.uniform(0.2, 0.6, n)
        by_run = {}
        for run in runs:
            value = level + rng.normal(0, spread / 2, n) + (mean if run.startswith("b") else 0.0)
            by_run[run] = {f"t{t}": float(v) for t, v in enumerate(value)}
        scores[f"c{at}"] = by_run
    return scores


def compared(scores, **settings) -> Across:
    result = rs.across(scores, "a", "b", resampling=RESAMPLING, **settings)
    assert isinstance(result, Across)
    return result


def test_six_collections_equal_rangers_rows(data):
    folder = data / "collections-colberter"
    result = rs.across(folder, "tasb", "colberter", resampling=RESAMPLING, undefined="zero")
    rows = {row.name: row for row in result.rows}
    for expected in GOLDEN["colberter_six_rows"]["expected"]["rows"]:
        row = rows[expected["collection"]]
        assert row.effect.n_topics == expected["topics"]
        assert row.effect.difference == pytest.approx(expected["effect"], abs=1e-9)
        assert row.variance == pytest.approx(expected["variance"], abs=1e-9)
        assert row.effect.pvalue == pytest.approx(expected["p"], rel=1e-6)
        assert [row.effect.lower, row.effect.upper] == pytest.approx(expected["t_ci"], abs=1e-9)
    usual = GOLDEN["colberter_six"]["expected"]["random"]["DL"]
    assert [result.usual.difference, result.usual.lower, result.usual.upper] == pytest.approx(
        [usual["mean"], *usual["normal"]["ci"]], abs=1e-8
    )
    assert [each.name for each in result.unused] == ["robust04"]
    assert result.claim is None
    assert "No difference between tasb and colberter is shown on average over 6" in result.sentence()


def test_the_mean_is_that_of_random_effects_with_equal_weights():
    result = compared(drawn())
    estimates, variances = ([getattr(row, name) for row in result.rows] for name in ("estimate", "variance"))
    model = random_effects(estimates, variances)
    assert (result.average.difference, result.average.pvalue) == (model.difference, model.pvalue)
    assert (result.average.next_lower, result.average.next_upper) == (model.prediction_lower, model.prediction_upper)
    for (name, effect), row in zip(result.without, result.rows, strict=True):
        rest = [each.estimate for each in result.rows if each is not row]
        assert name == row.name
        assert effect.difference == pytest.approx(np.mean(rest))
    for row, (_, scores) in zip(result.rows, drawn().items(), strict=True):
        test = t_test(list(scores["a"].values()), list(scores["b"].values()))
        assert row.effect.pvalue == pytest.approx(test.pvalue)


def effects(*differences: float, n: int = 50, spread: float = 0.1):
    rng = np.random.default_rng(0)
    procedure = Procedure()
    result = []
    for mean in differences:
        d = rng.normal(0, spread, n)
        d += mean - d.mean()
        result.append(procedure.effect(np.zeros(n), d))
    return result


def test_each_claim_by_hand():
    better = effects(0.1, 0.2, 0.15)
    claim = claims.on_each(better, 0.05)
    assert (claim.shown, claim.verdict) == (True, 1)
    assert claim.pvalue == max(e.pvalue for e in better)
    assert not claims.on_each([*better, *effects(0.001)], 0.05).shown
    assert not claims.on_each([*better, *effects(-0.2)], 0.05).shown
    turned = effects(0.2, 0.001, -0.2)
    claim = claims.mixed(turned, 0.05)
    assert claim.shown
    assert claim.pvalue == pytest.approx(3 * max(turned[0].pvalue, turned[2].pvalue))
    assert not claims.mixed(better, 0.05).shown
    small = effects(0.001, -0.002, 0.0)
    variances = [((e.upper - e.lower) / 2 / 2.009575) ** 2 for e in small]
    assert claims.nowhere_worse(small, variances, 0.2, 0.05).shown
    assert not claims.nowhere_worse(small, variances, 0.005, 0.05).shown
    # shown just where every 95 % interval lies above -margin
    for margin in (0.02, 0.028, 0.03, 0.04):
        expected = all(e.lower > -margin for e in small) or all(e.upper < margin for e in small)
        assert claims.nowhere_worse(small, variances, margin, 0.05).shown == expected
    assert claims.nowhere_worse(small, variances, None, 0.05).pvalue is None


@pytest.mark.parametrize(
    ("means", "settings", "name", "words"),
    [
        ((0.2, 0.21, 0.2), {}, "on each", "b is better than a on each of 3 collections"),
        ((0.2, -0.2, 0.0), {}, "mixed", "on some of 3 collections and worse on others"),
        ((0.2, 0.205, 0.003, 0.19, 0.2), {}, "on average", "b is better than a on average over 5 collections"),
        (
            (0.0, 0.0, 0.0),
            {"margin": 0.2},
            "nowhere worse",
            "On none of 3 collections do a and b differ by 0.2 or more",
        ),
        ((0.0, 0.0, 0.0), {}, None, "No difference between a and b is shown on average"),
    ],
)
def test_the_verdict_states_one_claim(means, settings, name, words):
    result = compared(drawn(3, means, (40,) * len(means)), **settings)
    assert (result.claim.name if result.claim else None) == name
    assert words in result.sentence()
    assert words in " ".join(str(result).split())


def test_collections_without_variance_take_that_of_the_others():
    scores = drawn()
    scores["same"] = {run: dict.fromkeys(("1", "2", "3", "4", "5", "6"), 0.5) for run in ("a", "b")}
    row = compared(scores).rows[-1]
    others = [each.variance * each.effect.n_topics for each in compared(drawn()).rows]
    assert row.effect.difference == 0
    assert row.variance == pytest.approx(np.mean(others) / 6)


def test_the_same_difference_on_every_collection_is_decided_by_sign_flips():
    """As on every topic (docs/conventions.md): p is 2 / 2^k, and there is no interval."""
    means = [{"collection": c, "system": s, "value": v} for c in "pqrstu" for s, v in (("a", 0.3), ("b", 0.4))]
    few = rs.across(pl.DataFrame(means), "a", "b")
    assert few.average.pvalue == 2 * 0.5**6
    assert np.isnan([few.average.lower, few.average.upper, few.average.next_lower]).all()
    assert few.average.method.startswith("randomisation in place of Student's t")
    assert few.favours == "b"
    for layer in ("short", "full"):
        assert "nan" not in few.to_text(layer)
    flat = {c: {s: {f"t{t}": 0.1 * t + v for t in range(8)} for s, v in (("a", 0.0), ("b", 0.2))} for c in "pqrst"}
    for at, c in enumerate(flat):
        flat[c]["a"]["t0"] += 0.01 * at  # no two collections hold the same scores
        flat[c]["b"]["t0"] += 0.01 * at
    result = compared(flat)
    assert result.average.pvalue == 2 * 0.5**5
    assert result.by_precision is None
    assert "nan" not in result.to_text("full") + result.to_latex()
    moved = {c: {"a": part["a"], "b": {t: v + 0.01 * at for t, v in part["b"].items()}}
             for at, (c, part) in enumerate(flat.items())}  # fmt: skip
    expected = t_test([0.0] * 5, [0.2 + 0.01 * at for at in range(5)])
    assert compared(moved).average.pvalue == pytest.approx(expected.pvalue)
    with pytest.raises(InputError, match="the same on every topic of each collection"):
        compared(moved, collection_weights=dict.fromkeys(moved, 1.0))


def test_frames_of_topics_and_of_means():
    scores = drawn()
    rows = [
        {"collection": c, "system": s, "topic": t, "value": v}
        for c, systems in scores.items()
        for s, topics in systems.items()
        for t, v in topics.items()
    ]
    frame = pl.DataFrame(rows)
    expected = compared(scores)
    for source in (frame, pytest.importorskip("pandas").DataFrame(rows)):
        assert compared(source).average == expected.average
    means = frame.group_by("collection", "system", maintain_order=True).agg(pl.col("value").mean())
    result = compared(means)
    assert result.average.difference == pytest.approx(expected.average.difference)
    assert result.average.pvalue == pytest.approx(expected.average.pvalue)
    assert result.rows == ()
    assert [claim.pvalue is None for claim in result.claims] == [False, True, True, True]
    assert "nothing can be said about a single collection" in result.to_text("full")
    with pytest.raises(InputError, match="no variance over topics"):
        compared(means, margin=0.1)


def test_names_are_mapped_and_what_is_missing_is_said(tmp_path):
    scores = drawn()
    scores["c1"]["B-v2"] = scores["c1"].pop("b")
    result = compared(scores)
    assert [(each.name, each.reason) for each in result.unused] == [("c1", "no run of b")]
    assert "Left out: c1: no run of b." in str(result)
    table = tmp_path / "names.csv"
    table.write_text("collection,run,system\nc1,B-v2,b\n")
    for mapping in ({"c1": {"B-v2": "b"}}, table):
        assert compared(scores, mapping=mapping).average == compared(drawn()).average
    with pytest.raises(InputError, match="no run 'B-v3'"):
        compared(scores, mapping={"c1": {"B-v3": "b"}})


def test_weights_answer_for_just_these_collections():
    result = compared(drawn(), collection_weights={"c0": 2, "c1": 1, "c2": 1})
    rows = result.rows
    w = np.array([0.5, 0.25, 0.25])
    assert result.weighted.difference == pytest.approx(w @ [row.estimate for row in rows])
    reach = (result.weighted.upper - result.weighted.lower) / 2
    assert reach == pytest.approx(np.sqrt(w**2 @ [row.variance for row in rows]) * 2.0, rel=0.05)
    assert "just these collections" in " ".join(result.to_text("explain").split())
    with pytest.raises(InputError, match="no weight of c2"):
        compared(drawn(), collection_weights={"c0": 2, "c1": 1})


def test_different_measures_are_refused_unless_standardised():
    scores = {name: rs.read_scores(part, measure=m) for (name, part), m in zip(drawn().items(), "xyx", strict=True)}
    with pytest.raises(InputError, match="different measures: x, y"):
        compared(scores)
    result = compared(scores, standardised=True)
    d = np.array([list(v.values()) for v in drawn()["c0"].values()])
    d = d[1] - d[0]
    small = 1 - 3 / (4 * 29 - 1)
    assert result.rows[0].estimate == pytest.approx(small * d.mean() / d.std(ddof=1))
    assert "standardised x, y" in result.sentence()
    wide, narrow = (compared(scores, standardised=True, level=level) for level in (0.95, 0.5))
    rows = zip(wide.rows, narrow.rows, strict=True)
    ratios = [np.subtract(*wide.ends(w)) / np.subtract(*narrow.ends(n)) for w, n in rows]
    assert ratios == pytest.approx([1.959964 / 0.674490] * len(ratios), rel=1e-5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s.pop("c1") and s.pop("c2"), "1 collection with a and b"),
        (lambda s: [part.pop("b") for part in s.values()], "no collection has a system 'b'"),
        (lambda s: s.update(copy=s["c0"]), "c0 and copy hold the same scores on the same topics"),
    ],
)
def test_bad_collections_are_refused(change, words):
    scores = drawn()
    change(scores)
    with pytest.raises(InputError, match=words):
        compared(scores)


def test_a_collection_of_few_topics_is_left_out_and_said():
    scores = drawn()
    scores["tiny"] = {run: {"1": 0.1, "2": 0.3, "3": 0.2} for run in ("a", "b")}
    result = compared(scores)
    assert [each.name for each in result.unused] == ["tiny"]
    assert "3 topics" in str(result)


def test_bad_arguments_are_refused():
    for source in (3, [], ["x", 3], "nowhere"):
        with pytest.raises(InputError):
            compared(source)
    with pytest.raises(InputError, match="compared with itself"):
        rs.across(drawn(), "a", "a")
    with pytest.raises(InputError, match="one system is named"):
        rs.across(drawn(), "a")


def write_collection(folder: Path, seed: int, qrels: str = "qrels.txt") -> None:
    rng = np.random.default_rng(seed)
    (folder / "runs").mkdir(parents=True)
    (folder / qrels).parent.mkdir(exist_ok=True)
    pairs = [(t, d) for t in range(6) for d in range(5)]
    if qrels.endswith(".tsv"):
        lines = ["query-id\tcorpus-id\tscore", *(f"q{t}\td{d}\t{int(d < 2)}" for t, d in pairs)]
    else:
        lines = [f"q{t} 0 d{d} {int(d < 2)}" for t, d in pairs]
    (folder / qrels).write_text("\n".join(lines) + "\n")
    for run in ("a", "b"):
        text = [f"q{t} Q0 d{d} 1 {rng.normal() + (run == 'b') * (d < 2):.3f} {run}" for t, d in pairs]
        (folder / "runs" / f"{run}.txt").write_text("\n".join(text) + "\n")


def test_folders_of_collections_and_of_beir(tmp_path):
    write_collection(tmp_path / "one", 1)
    write_collection(tmp_path / "two", 2, "qrels/test.tsv")
    (tmp_path / "empty").mkdir()
    result = compared(tmp_path, measure="AP")
    assert [row.name for row in result.rows] == ["one", "two"]
    assert [(each.name, each.reason) for each in result.unused] == [("empty", "no judgments")]
    loaded = {name: rs.load(tmp_path / name / q, [tmp_path / name / "runs"]) for name, q in
              (("one", "qrels.txt"), ("two", "qrels/test.tsv"))}  # fmt: skip
    assert compared(loaded, measure="AP").average == result.average
    assert {r.axis for r in result.repetitions} == {"metric"}
    table = tmp_path / "list.csv"
    table.write_text("collection,qrels,runs\none,one/qrels.txt,one/runs\ntwo,two/qrels/test.tsv,two/runs\n")
    assert compared(table, measure="AP").average == result.average
    folders = [tmp_path / "one", tmp_path / "two"]
    assert compared(folders, measure="AP").average == result.average
    for wrong, words in (
        ([*folders, tmp_path / "empty"], "is no collection and holds none"),
        ([*folders, tmp_path / "one"], "is the same collection as one"),
        ([tmp_path / "one"], "1 collection with a and b"),
        ([tmp_path / "nothing"], "is no folder"),
    ):
        with pytest.raises(InputError, match=words):
            compared(wrong, measure="AP")


def test_results_and_predictions_of_mteb(tmp_path):
    for model, revision, scores in (
        ("org__m1", "abc", {"T1": 0.5, "T2": 0.6, "T3": 0.4}),
        ("org__m1", "old", {"T1": 0.1}),
        ("m2", "x", {"T1": 0.3, "T2": 0.5, "T3": 0.1}),
    ):
        folder = tmp_path / "results" / model / revision
        folder.mkdir(parents=True)
        (folder / "model_meta.json").write_text("{}")
        for task, value in scores.items():
            result = {"task_name": task, "scores": {"test": [{"main_score": value, "hf_subset": "default"}]}}
            (folder / f"{task}.json").write_text(json.dumps(result))
    result = rs.across(tmp_path / "results", "m2", "org/m1")
    assert result.means == pytest.approx({"T1": 0.2, "T2": 0.1, "T3": 0.3})
    write_collection(tmp_path / "c" / "one", 1)
    write_collection(tmp_path / "c" / "two", 2)
    run = {f"q{t}": {f"d{d}": float(5 - d) for d in range(5)} for t in range(6)}
    for name, content in (
        ("one", run),
        ("two", {"mteb_model_meta": {"name": "m"}, "default": {"test": run}}),
    ):
        (tmp_path / "c" / name / "runs" / f"{name}_best_predictions.json").write_text(json.dumps(content))
    result = rs.across(tmp_path / "c", "a", "best", measure="AP", resampling=RESAMPLING)
    assert [row.mean_b for row in result.rows] == [1.0, 1.0]
    (tmp_path / "results" / "m2" / "x" / "T1.json").write_text("[]")
    with pytest.raises(InputError, match="holds no result of MTEB"):
        rs.across(tmp_path / "results")


@pytest.mark.parametrize("content", [b"a,b\n1\r2,3\n", b"x" * 200_000 + b",b\n1,2\n"], ids=["return", "long"])
def test_a_file_that_is_no_table_is_refused(content, tmp_path):
    (tmp_path / "table").write_bytes(content)
    for output in ([], ["-o", "table"]):
        done = command("across")("table", "a", "b", *output, cwd=tmp_path)
        assert done.returncode == 2
        assert ("table: is an input" if output else "table: is no table (") in done.stderr


def test_systems_may_have_the_names_of_files_beside_a_table(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{d} {(t + d) % 3}\n" for t in range(6) for d in range(8)))
    (tmp_path / "other").write_text("".join(f"{t} 0 d{d} {(t + 2 * d) % 3}\n" for t in range(6) for d in range(8)))
    for run, step in (("a", 3), ("b", 5)):
        lines = (f"{t} Q0 d{(t + step * i) % 8} {i} {9 - i} x\n" for t in range(6) for i in range(6))
        (tmp_path / run).write_text("".join(lines))
    (tmp_path / "collections.csv").write_text("collection,qrels,runs\nfirst,qrels,[ab]\nsecond,other,[ab]\n")
    done = command("across")("collections.csv", "a", "b", "--resamples", "9", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "between a and b" in done.stdout


def test_runs_are_grouped_by_separator_expression_and_table(tmp_path):
    runs = ["bm25", "bge@1", "bge@2"]
    expected = {"bm25": ["bm25"], "bge": ["bge@1", "bge@2"]}
    table = tmp_path / "runs.csv"
    table.write_text("run,system\nbge@1,bge\nbge@2,bge\n")
    for repeats in ("@", r"(.*)@\d+", {"bge@1": "bge", "bge@2": "bge"}, table, str(table)):
        assert systems_of(runs, repeats) == expected
    assert systems_of(runs, None) == expected
    assert systems_of(runs, "none") == {run: [run] for run in runs}
    for wrong in ("(", "(a)(b)", "", 3):
        with pytest.raises(InputError):
            systems_of(runs, wrong)


def test_repeats_add_the_variance_of_runs():
    runs = ("a@1", "a@2", "a@3", "b@1", "b@2", "b@3")
    scores = drawn(4, runs=runs)
    result = compared(scores, repeats="@")
    assert result.n_runs == (3, 3)
    assert result.components.runs == (3, 3)
    means = {s: np.array([[np.mean(list(part[f"{s}@{r}"].values())) for r in (1, 2, 3)] for part in scores.values()])
             for s in "ab"}  # fmt: skip
    both = repeated_runs(means["a"], means["b"])
    assert result.average.difference == pytest.approx(both.difference)
    if both.runs_variance:
        assert result.average.pvalue == pytest.approx(both.pvalue)
    assert "How much do runs vary?" in result.to_text("full")


def test_many_systems_are_ranked_over_collections(data):
    board = rs.across(data / "mteb-beir" / "scores.csv.gz", resampling=RESAMPLING)
    assert (len(board.systems), len(board.collections)) == (187, 15)
    assert board.systems[0] == "voyageai/voyage-3-m-exp"
    assert board.told_apart_alone == 4
    assert board.told_apart <= 4
    assert f"{board.told_apart} of 186 neighbours can be told apart" in " ".join(str(board).split())


def test_the_board_of_shipped_collections(tmp_path):
    import gzip

    text = gzip.decompress(COLLECTIONS.read_bytes()).decode()
    path = tmp_path / "collections.csv"
    path.write_text(text)
    board = rs.across(path, resampling=Resampling(500))
    rows = list(csv.DictReader(text.splitlines()))
    best = {(r["collection"], r["topic"]): [] for r in rows}
    assert len(best) == 290
    assert board.mean[0] == pytest.approx(
        np.mean([np.mean([float(r["value"]) for r in rows if (r["collection"], r["system"]) == (c, "hybrid-2")])
                 for c in board.collections])
    )  # fmt: skip
    assert sum(board.highest) >= len(board.collections)
    for pair in board.neighbours:
        assert pair.won + pair.lost + pair.tied == 6
        assert pair.difference <= 0
    assert board.friedman.df == 7
    # Demsar (2006): q 3.031 of 8 classifiers, over the square root of 2, times sqrt(k (k + 1) / 6 N)
    assert board.critical_difference == pytest.approx(3.031 * np.sqrt(8 * 9 / 36), abs=0.002)


@pytest.mark.slow
def test_the_shipped_scores_are_what_the_generator_gives():
    import gzip

    assert gzip.decompress(COLLECTIONS.read_bytes()).decode() == collection_scores()


def test_systems_that_some_collections_lack_are_said():
    scores = drawn(runs=("a", "b", "c"))
    del scores["c2"]["c"]
    board = rs.across(scores, resampling=RESAMPLING)
    assert board.systems == ("b", "a")
    assert [(each.name, each.reason) for each in board.unused] == [("c", "no run on c2")]
    with pytest.raises(InputError, match="1 system is common to all 2 collections"):
        rs.across({"x": {"a": {"1": 1.0}}, "y": {"a": {"1": 0.5}, "b": {"1": 0.1}}})


def test_hostile_names_come_out_harmless():
    name = "x\x1b[2J<b>|$_&"
    scores = {f"{name}{c}": {name if s == "b" else s: v for s, v in part.items()} for c, part in drawn().items()}
    result = rs.across(scores, "a", name, resampling=RESAMPLING)
    board = rs.across(scores, resampling=RESAMPLING)
    for each in (result, board):
        for text in (str(each), each.to_text("explain"), each.to_markdown(), each.to_latex(), each._repr_html_()):
            assert "\x1b" not in text
        assert "<b>" not in each._repr_html_().replace("<br>", "")
        assert r"\$" in each.to_latex()
