"""Five papers: every item is made or left out for a reason, printed numbers come out, and a killed run goes on."""

import csv
import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from marks import slow

import rankscope as rs
from rankscope import InputError, studies
from rankscope.figures.papers import pictures
from rankscope.judged import with_topics
from rankscope.simulation import embedded
from rankscope.statistics import Resampling, tau
from rankscope.studies.preference_lists import one_grade
from rankscope.studies.reproduce import PAPERS, Setting, paper, reproduce
from rankscope.studies.reproduce.items import Item, Paper

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")  # one topic has no relevant document
NUMBERS = {
    "ipso": ["Figure 1", "Figure 2", "Figure 3", "Figure 4", "Table 1", "Table 2", "Table 3", "Figure 5", "Figure 6",
             "Figure 7", "Figure 8"],
    "interval-scales": ["Definition 1", "Section 5.1", "Footnote 1", "Table 1", "Table 2", "Table 3", "Table 4",
                        "Figure 1", "Figure 2"],
    "cwla": ["Table 1", "Table 2", "Figure 1", "Table 3", "Figure 2", "RQ 4"],
    "disagreement": ["Table 1", "Table 2", "Table 3", "Table 4", "Section 5", "Section 4.1"],
    "lexiprecision": ["Figure 1", "Figure 2", "Figure 3", "Figure 4", "Section 3.4", "Figure 5", "Figure 6", "Figure 7",
                      "Table 1", "Table 2", "Figure 8", "Table 3", "Figure 9", "Table 4"],
}  # fmt: skip
DRAWS = {"permutations": Resampling(50), "splits": Resampling(20), "samples": Resampling(2)}
LONG = ("interval-scales", "ipso", "lexiprecision")
QUICK = [name for name in PAPERS if name not in LONG] + slow(*LONG)
SMALL = {"resampling": DRAWS, "workers": 1}


@pytest.fixture(scope="module")
def judged():
    qrels, runs = embedded()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        return rs.load(qrels, runs, keep_docs=True)


@pytest.fixture(scope="module")
def few(judged):
    """Four systems and twelve topics, binary: quick."""
    kept = with_topics(judged, range(12))
    documents = replace(kept.documents, number=kept.documents.number[:4, :, :30])
    return one_grade(replace(kept, systems=kept.systems[:4], code=kept.code[:4, :, :30].copy(), documents=documents))


@pytest.fixture(scope="module")
def made(judged, tmp_path_factory):
    """Each paper on the embedded collection, reproduced when it is asked for first."""
    folder, draws = tmp_path_factory.mktemp("papers"), pictures()

    class Reproductions(dict):
        def __missing__(self, name):
            self[name] = reproduce(name, folder / name, Setting(judged=judged, **SMALL), pictures=draws)
            return self[name]

    return Reproductions()


def rows(found, name):
    with (found.folder / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.mark.parametrize("name", QUICK)
def test_every_item_is_made_or_left_out(made, name):
    found = made[name]
    assert [item.number for item in PAPERS[name].items] == NUMBERS[name]
    for item in PAPERS[name].items:
        if item.number == "Section 5.1":  # the lists are too short
            continue
        assert found.files.get(item.number), item.number
        for file in found.files[item.number]:
            assert file.startswith(item.number.lower().replace(" ", "-").replace(".", "-"))
            assert (found.folder / file).read_bytes().strip()
        if item.number.startswith("Table"):
            assert {Path(file).suffix for file in found.files[item.number]} == {".csv", ".tex"}
        for file in found.files[item.number]:
            if file.endswith(".csv"):
                assert rows(found, file), file
            elif file.endswith(".tex"):
                assert r"\toprule" in (found.folder / file).read_text()
            else:
                start = (found.folder / file).read_bytes()[:8]
                assert start.startswith(b"<svg" if file.endswith(".svg") else b"%PDF-"), file
        if item.number.startswith("Figure"):
            for table in [file for file in found.files[item.number] if file.endswith(".csv")]:
                stem = table.removesuffix(".csv")
                assert {f"{stem}.svg", f"{stem}.pdf"} <= set(found.files[item.number]), table
    assert all(found.left_out.values())
    assert not [number for number in found.left_out if "drawing" in number]


@pytest.mark.parametrize("name", QUICK)
def test_the_index_names_every_file_and_nothing_else(made, name):
    found = made[name]
    index = (found.folder / "index.md").read_text(encoding="utf-8")
    there = {path.name for path in found.folder.iterdir() if path.is_file()} - {"index.md"}
    assert there == {file for files in found.files.values() for file in files}
    for file in there:
        assert f"[{file}]({file})" in index
    for item in PAPERS[name].items:
        assert (f"| {item.number} |" in index) == (item.number != "Section 5.1")
    for number, why in found.left_out.items():
        assert f"- {number}: {why}" in index
    assert "8 systems, 49 topics (1 without a relevant document left out)" in index
    assert "ties:trec|missing:0|undefined:drop" in index
    drawn = {Path(file).suffix for file in there} >= {".svg", ".pdf"}
    assert ("- figures: drawn as SVG and PDF, each from the table beside it\n" in index) == drawn
    assert drawn == (name != "disagreement")  # which has tables alone


@pytest.mark.parametrize("name", [*slow("disagreement"), *(name for name in PAPERS if name != "disagreement")])
def test_without_a_collection(name, tmp_path):
    found = reproduce(name, tmp_path / name, Setting(**SMALL))
    needing = [item.number for item in PAPERS[name].items if item.needs != "nothing"]
    assert list(found.left_out) == needing
    assert sorted([*found.files, *needing]) == sorted(NUMBERS[name])
    assert "collection: none" in (found.folder / "index.md").read_text()


def test_a_paper_that_needs_a_collection(tmp_path, monkeypatch):
    needing = tuple(item for item in PAPERS["interval-scales"].items if item.needs != "nothing")
    monkeypatch.setitem(PAPERS, "interval-scales", replace(PAPERS["interval-scales"], items=needing))
    with pytest.raises(InputError, match="needs a collection"):
        reproduce("interval-scales", tmp_path / "new")
    assert not (tmp_path / "new").exists()


# numbers, by another way or as printed


@pytest.mark.slow
def test_ipso_printed(made):
    # Moffat and Mackenzie's Tables 1 and 2, the second as corrected
    by_k = {int(row["k"]): row for row in rows(made["ipso"], "table-2.csv")}
    assert [round(float(by_k[10][c]), 2) for c in ("equal", "separable", "non-separable")] == [0.10, 67.08, 32.82]
    assert [row["measures"] for row in rows(made["ipso"], "table-1.csv")][2] == "RR@3, RBP(p=0.5)@3"
    assert "0.796" in made["ipso"].files["Figure 3"]["figure-3b.csv"]
    assert [row["class"] for row in rows(made["ipso"], "figure-4.csv")] == ["=="] * 3 + ["ni"] * 5 + ["**"] * 2


@pytest.mark.slow
def test_ipso_has_one_gain_for_all_bars_of_figure_7(made, judged):
    """Judgments are graded, the paper's relevance is binary: for IPSO, for AP and for NDCG."""
    bars = rows(made["ipso"], "figure-7.csv")
    got = {(r["test"], r["measure"], int(r["depth"]), r["category"]): float(r["share"]) for r in bars}
    relevant = one_grade(judged)
    assert len(judged.grades[judged.grades > 0]) > 1
    expected = studies.agreement(relevant, {"NDCG": "SDCG", "AP": "SP"}, workers=1).figures()["bars"]
    for *key, share in zip(*(expected[k] for k in ("test", "measure", "depth", "category", "share")), strict=True):
        assert got[tuple(key)] == pytest.approx(share, abs=1e-12)
    graded = studies.agreement(judged, {"NDCG": "SDCG"}, gains="binary", workers=1).figures()["bars"]["share"]
    assert graded != [s for m, s in zip(expected["measure"], expected["share"], strict=True) if m == "NDCG"]
    for item in ("Table 3", "Figure 7"):
        caption = made["ipso"].files[item][f"{item.lower().replace(' ', '-')}.csv"]
        assert "IPSO: counts of documents of grade 1 or more" in caption


@pytest.mark.slow
def test_ipso_figures_of_two_systems(made, judged):
    found = rows(made["ipso"], "figure-6.csv")
    assert len(found) == 49
    assert len(rows(made["ipso"], "figure-5.csv")) == 25
    mean = {s: m["value"] for s, m in zip(judged.systems, rs.evaluate(judged, ["P@10"]).mean().to_frame().to_dicts(),
                                          strict=True)}  # fmt: skip
    order = sorted(mean, key=lambda s: -mean[s])
    assert f"A: {order[0]}, B: {order[2]};" in made["ipso"].files["Figure 6"]["figure-6.csv"]
    # B - A of Prec, summed over topics, is the difference of the means
    assert sum(float(row["Prec"]) for row in found) / 49 == pytest.approx(mean[order[2]] - mean[order[0]])


def test_disagreement_printed(made):
    table = {row["measure"]: row for row in rows(made["disagreement"], "table-2.csv")}
    assert float(table["AP"]["DCG"]) == pytest.approx(3.0179, abs=5e-5)
    (row,) = [r for r in rows(made["disagreement"], "table-4.csv")
              if {r["a"], r["b"]} == {"AP", "DCG"} and r["feature"] == "first-rel"]  # fmt: skip
    assert float(row["a prefers" if row["a"] == "DCG" else "b prefers"]) == pytest.approx(71.63, abs=0.005)
    held = {
        row["measure"]: [k for k, v in row.items() if v == "x"] for row in rows(made["disagreement"], "table-1.csv")
    }
    assert held["RR@10"] == ["bounded", "monotone", "localised", "complete", "realisable"]


def test_what_disagreement_leaves_for_later(made):
    found = {row["property"]: row for row in rows(made["disagreement"], "section-5a.csv")}
    held = {
        row["measure"]: {k for k, v in row.items() if v == "x"} for row in rows(made["disagreement"], "table-1.csv")
    }
    del held["Success@10"]  # HIT is in Table 1 alone
    share = {row["measure"]: row for row in rows(made["disagreement"], "table-2.csv")}
    names = {name.removesuffix("@10"): name for name in held}
    at = {name: names[name.split("@")[0]] for name in share}
    for pair, row in found.items():
        wanted = set(pair.split(" + "))
        has = [name for name in share if wanted <= held[at[name]]]
        each = [float(share[a][b]) for i, a in enumerate(has) for b in has[i + 1 :]]
        assert int(row["pairs (has)"]) == len(each)
        if each:
            assert float(row["has"]) == pytest.approx(np.mean(each))
    pairs = [name for name in found if "+" in name]
    assert len(found) == 7 + len(pairs)
    assert {"convergent + top-weighted", "localised + realisable"} <= set(pairs)
    assert "monotone + realisable" not in pairs  # RR alone has both
    variants = {(r["measure"], r["variant"]): [float(x) for x in list(r.values())[2:]]
                for r in rows(made["disagreement"], "section-5b.csv")}  # fmt: skip
    assert variants["DCG", 'DCG(dcg="exp-log2")'][0] == 0  # binary gains are one, whatever the map
    assert variants["DCG", 'DCG(dcg="exp-log2")'][1] > 5
    # max(1, log10 i) discounts nothing in the first ten ranks, so that it orders as precision does
    assert variants["DCG", "DCG(base=10)"][0] == pytest.approx(float(share["DCG"]["P@10"]))
    assert variants["RR", "ERR"][0] == variants["ERR", 'ERR(gain="linear")'][0] == pytest.approx(33.4206, abs=1e-4)


def test_cwla_is_what_the_studies_say(made, judged):
    given = studies.material(judged, studies.cwla_grid())
    want = studies.consistency(given, resampling=DRAWS["splits"]).mean
    for row in rows(made["cwla"], "table-3.csv"):
        assert float(row["tau"]) == want[row["measure"].rstrip("*")]
    assert len({row["measure"] for row in rows(made["cwla"], "figure-2.csv")}) == 39
    models = ("Precision", "DCG", "RBP", "INST", "AP", "ERR")
    squares = {model: rows(made["cwla"], f"figure-1-{model.lower()}.csv") for model in models}
    assert [len(square) for square in squares.values()] == [15, 15, 15, 21, 21, 21]  # pairs of six, and of seven
    assert all({row["model"] for row in square} == {model} for model, square in squares.items())
    figure = [row for square in squares.values() for row in square]
    value = {c.name: c.value.mean(axis=0) for c in given.candidates}
    for row in figure[::17]:
        assert float(row["tau"]) == pytest.approx(
            tau(*(value[row[side].rstrip("*")].round(12) for side in ("first", "second"))).b
        )


def test_symbols_of_consistency(made, judged):
    """Table 3: a symbol names how many of the worst of its model a metric beats, and these are named."""
    given = studies.material(judged, studies.cwla_grid())
    draws = {name: DRAWS[name] for name in ("splits", "permutations")}
    want = studies.consistency(given, resampling=draws, test="splits")
    found = rows(made["cwla"], "table-3.csv")
    for family in want.families:
        here = [row for row in found if row["model"] == family.name]
        assert [row["measure"].rstrip("*") for row in here] == list(family.candidates)
        order = [name.removeprefix(f"{family.name}_") for name in family.candidates]
        p = family.pvalue
        for i, row in enumerate(here):
            count = sum(p[i, j] < 0.05 for j in range(i + 1, len(order)))
            assert row["symbol"] == ["", "†", "‡", "§", "¶", "††", "‡‡"][count]
            assert row["better than"] == ", ".join(order[len(order) - count :])  # the worst so many
    assert len({row["symbol"] for row in found}) == 5  # none and one to four on these few splits
    caption = made["cwla"].files["Table 3"]["table-3.csv"]
    assert "(† 1, ‡ 2, § 3, ¶ 4, †† 5, ‡‡ 6)" in caption


@pytest.mark.slow
def test_lexiprecision_of_two_rankings(made):
    # Figure 4: p = (2, 4, 10, n - 1, n), p' = (2, 8, 9, 500, n); level 2 decides, 1/4 - 1/8
    found = rows(made["lexiprecision"], "figure-4a.csv")
    assert [row["relation"] for row in found] == ["=", "<", ">", ">", "="]
    assert [row["compared"] for row in found] == ["tied", "decides", *["not looked at"] * 3]
    ways = {row["preference"]: float(row["value"]) for row in rows(made["lexiprecision"], "figure-4b.csv")}
    assert ways == {"difference of RR_1": 0, "difference of ESL_1": 0, "sgnLP": 1, "rrLP": 0.125}
    # section 3.4: 16 users have their best document first, 8 second, ..., 1 last
    users = rows(made["lexiprecision"], "section-3-4b.csv")
    assert [row["level"] for row in users] == [*"1" * 16, *"2" * 8, *"3" * 4, *"4" * 2, "5"]
    first = next(row for row in users if float(row["difference"]))
    assert (first["user"], float(first["difference"])) == ("17", 0.125)


@pytest.mark.slow
def test_interval_scales_by_hand(made):
    first = {(r["relevance"], r["pair"]): r for r in rows(made["interval-scales"], "table-1.csv")}
    for pair in ("Precision vs SBTO", "Recall vs SBTO", "F-measure vs SBTO"):
        assert float(first["binary", pair]["topic by topic"]) == 1  # one interval scale
    second = {(r["relevance"], r["pair"]): r for r in rows(made["interval-scales"], "table-2.csv")}
    assert float(second["binary", "RBP p = 1/2 vs RBTO"]["overall"]) == 1
    assert float(second["graded", "gRBP p = 1/4 vs RBTO"]["overall"]) == 1
    assert float(second["graded", "RBTO vs RBTO, W2"]["topic by topic"]) == 1
    assert float(second["graded", "RBTO vs RBTO, W3"]["topic by topic"]) < 1
    whole = [r for r in rows(made["interval-scales"], "figure-2.csv") if float(r["fraction"]) == 1]
    assert whole
    assert {float(r["tau"]) for r in whole} == {1.0}


@pytest.mark.slow
def test_axioms_are_looked_at(made):
    found = {(r["difference"], r["N"], r["c"]): r for r in rows(made["interval-scales"], "definition-1.csv")}
    assert len(found) == 15
    for key, row in found.items():
        axioms = [row[f"axiom {name}"] for name in ("i", "ii", "iii", "iv")]
        uneven = key[0] in ("RBP(p=0.8)", "AP", "DCG", "ERR")
        assert axioms == ["holds"] * 3 + ["fails" if uneven else "holds"]
        assert bool(row["counterexample"]) == uneven


@pytest.fixture(scope="module")
def long():
    """Lists of 1,200 documents of three grades: five systems, noisier one by one."""
    rng = np.random.default_rng(5)
    topics = [f"t{i}" for i in range(3)]
    truth = {t: rng.choice([0, 1, 2], 1200, p=[0.8, 0.15, 0.05]) for t in topics}
    qrels = {t: {f"d{i}": int(g) for i, g in enumerate(truth[t])} for t in topics}
    runs = {
        f"s{s}": {t: {f"d{i}": float(x) for i, x in enumerate(truth[t] + rng.normal(0, 1 + 0.2 * s, 1200))}
                  for t in topics}
        for s in range(5)
    }  # fmt: skip
    return rs.load(qrels, runs)


def item(name, number, judged):
    """The table of one item, as rows."""
    (found,) = [one for one in PAPERS[name].items if one.number == number]
    columns = found.make(Setting(judged=judged, **SMALL))[""].columns()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def test_length_of_lists(long):
    found = {(r["relevance"], r["measure"], r["length"]): r for r in item("interval-scales", "Section 5.1", long)}
    assert len(found) == (9 + 9) * 3
    for length in (100, 500, 1000):
        # P of the first documents against P of the first 250, topic by topic and of means
        one, other = (rs.evaluate(long, [f"P@{n}"]).value[0] for n in (length, 250))
        each = [tau(a.round(12), b.round(12)).b for a, b in zip(one.T, other.T, strict=True)]
        row = found["binary", "Precision", length]
        assert row["topic by topic"] == pytest.approx(np.mean(each))
        assert row["overall"] == pytest.approx(tau(one.mean(axis=1).round(12), other.mean(axis=1).round(12)).b)
        assert found["binary", "RBTO", length]["overall"] == 1  # decided at the top
    means = [rs.evaluate(long, [name]).value[0].mean(axis=1) for name in ("AP@250", "AP@1000")]
    assert found["binary", "AP", 1000]["overall"] == pytest.approx(tau(*means).b)


def test_footnote_on_weights(long):
    found = {(r["measure"], r["weights"]): r for r in item("interval-scales", "Footnote 1", long)}
    same = [c for c in found["DCG", "W1"] if c.startswith(("RBTO", "Kruskal", "ANOVA"))]
    assert [found["DCG", "W1"][c] for c in same] == [found["DCG", "5 a step"][c] for c in same]  # a multiple
    assert found["DCG", "W1"]["5 a step, topic by topic"] == 1
    # in fractions: 2^-10 of what is left is soon too little for doubles
    w1, own = (rs.measure(f"ERR(gains={g})@250").order_keys(long) for g in ("{1:1,2:2}", "{1:5,2:10}"))
    want = np.mean([tau(a, b).b for a, b in zip(w1.T, own.T, strict=True)])
    assert found["ERR", "W1"]["5 a step, topic by topic"] == pytest.approx(want)


@pytest.mark.slow
def test_lists_that_end_early_leave_lengths_out(made):
    found = made["interval-scales"]
    why = "lists end at rank 100; those of 250 documents are compared with others"
    assert found.left_out["Section 5.1, length"] == why
    assert not found.files["Section 5.1"]


@pytest.mark.slow
def test_binary_lists_leave_the_graded_half_out(few, tmp_path):
    found = reproduce("interval-scales", tmp_path / "out", Setting(judged=few, **SMALL))
    assert found.left_out["Table 1, graded half"] == "the judgments are binary"
    assert {row["relevance"] for row in rows(found, "table-1.csv")} == {"binary"}


def test_one_grade(judged):
    at_two = replace(judged, rules=replace(judged.rules, rel=2))
    binary = one_grade(at_two)
    np.testing.assert_array_equal(rs.evaluate(binary, ["AP"]).value, rs.evaluate(judged, ["AP(rel=2)"]).value)
    np.testing.assert_array_equal(binary.available.sum(axis=1), judged.available.sum(axis=1))
    pool = binary.documents.pool
    counted = np.zeros_like(binary.available)
    np.add.at(counted, (pool.topic, pool.code - 2), 1)
    np.testing.assert_array_equal(counted, binary.available)


@pytest.mark.slow
def test_lexiprecision_on_its_own_runs(data, tmp_path):
    # deep-pass (2019), as printed: Table 2 from grade 1, Tables 3 and 4(b) from grade 2
    folder = data / "dl19-passage"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        judged = rs.load(folder / "qrels.gz", sorted((folder / "runs").iterdir()))
    found = reproduce("lexiprecision", tmp_path / "out", Setting(judged=judged, **SMALL))
    two, three, four = (
        {row["relevant from grade"]: row for row in rows(found, f"table-{n}.csv")} for n in ("2", "3", "4b")
    )
    assert [round(float(two["1"][c]), 2) for c in ("sgnLP", "RR_2")] == [90.45, 88.87]
    assert [round(float(three["2"][c]), 2) for c in ("rrLP, sgnLP", "RR")] == [2.63, 56.89]
    assert round(float(four["2"]["sgnLP"]), 2) == 17.42
    printed = {"rrLP": 15.02, "sgnLP": 17.42, "RR": 10.36}  # the paper says Bonferroni; two of them need Holm
    assert {name: round(float(four["2"][f"{name}, Holm"]), 2) for name in printed} == printed
    assert found.left_out["Figure 8"].startswith("it takes judgments away")  # loaded without documents


# folders


def test_resumed_is_the_same(few, tmp_path):
    setting = Setting(judged=few, **SMALL)
    whole = reproduce("lexiprecision", tmp_path / "whole", setting)

    def stop(progress):
        if progress.done == 4:
            raise KeyboardInterrupt

    with pytest.raises(studies.Interrupted) as stopped:
        reproduce("lexiprecision", tmp_path / "part", setting, progress=stop)
    partial = stopped.value.partial
    assert len(partial.files) == 4
    assert partial.left_out["Table 4"].startswith("not made yet")
    assert "not made yet" in (tmp_path / "part" / "index.md").read_text()
    assert contents(tmp_path / "part").keys() < contents(tmp_path / "whole").keys()
    heard = []
    again = reproduce("lexiprecision", tmp_path / "part", setting, progress=heard.append)
    assert len(heard) == len(NUMBERS["lexiprecision"])
    assert again.files == whole.files
    assert contents(tmp_path / "part") == contents(tmp_path / "whole")


@pytest.mark.slow
def test_workers_change_nothing(few, tmp_path):
    for workers in (1, 2, 4):
        reproduce("cwla", tmp_path / str(workers), Setting(judged=_five(few), **(SMALL | {"workers": workers})))
    assert contents(tmp_path / "1") == contents(tmp_path / "2") == contents(tmp_path / "4")


def _five(few):
    """One system more than there are, a copy by another name."""
    code = np.concatenate([few.code, few.code[:1, ::-1]])
    return replace(few, systems=(*few.systems, "another"), code=code, documents=None)


def test_a_folder_whose_process_was_killed_before_the_manifest(tmp_path):
    (tmp_path / "checkpoints").mkdir()
    reproduce("ipso", tmp_path)
    other = tmp_path / "other"
    (other / "checkpoints").mkdir(parents=True)
    (other / "checkpoints" / "notes.txt").write_text("of somebody")
    with pytest.raises(InputError, match="no reproduction"):
        reproduce("ipso", other)


@pytest.mark.slow
def test_a_folder_of_something_else(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match=r"holds thesis\.tex and no reproduction"):
        reproduce("disagreement", folder)
    assert contents(folder) == {"thesis.tex": b"mine"}
    reproduce("ipso", folder, force=True)
    before = contents(folder)
    with pytest.raises(InputError, match='another study\'s checkpoint: study is "reproduce ipso" there'):
        reproduce("disagreement", folder)
    assert contents(folder) == before
    found = reproduce("disagreement", folder, force=True)
    files = {file for names in found.files.values() for file in names}
    assert set(contents(folder)) == files | {"index.md", "thesis.tex"}  # no figure of the other paper is left
    assert contents(folder)["thesis.tex"] == b"mine"
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        reproduce("ipso", tmp_path / "file")


@pytest.mark.slow
def test_drawn_later_and_only_where_nothing_is_written_over(few, tmp_path):
    """No number depends on drawing: a folder that is done is drawn by the same command, and no unit is made again."""
    folder, setting = tmp_path / "out", Setting(judged=few, **SMALL)
    plain = reproduce("ipso", folder, setting)
    assert not list(folder.glob("*.svg"))
    assert "- figures: not drawn; the figures were not asked for\n" in (folder / "index.md").read_text()
    (folder / "figure-1.svg").write_text("mine")
    (folder / "figure-1.pdf").write_text("mine")
    with pytest.raises(InputError) as refused:
        reproduce("ipso", folder, setting, pictures=pictures(["svg"]))
    assert [Path(one.place).name for one in refused.value.problems] == ["figure-1.svg"]  # a PDF would not be written
    (folder / "figure-1.svg").unlink()
    before = {path: path.read_bytes() for path in (folder / "checkpoints").iterdir()}
    found = reproduce("ipso", folder, setting, pictures=pictures(["svg"]))
    assert {path: path.read_bytes() for path in before} == before
    tables = [file for files in plain.files.values() for file in files if file.startswith("figure")]
    assert {path.name for path in folder.glob("*.svg")} == {file.replace("csv", "svg") for file in tables}
    assert (folder / "figure-1.pdf").read_text() == "mine"
    # once drawn, pictures stay and stay listed; --force takes them away with the rest, and nothing else
    again = reproduce("ipso", folder, setting, pictures="not this time")
    assert again.files == found.files
    index = (folder / "index.md").read_text()
    assert "- figures: drawn as SVG, each from the table beside it; not this time\n" in index
    assert "[figure-1.svg](figure-1.svg)" in index
    reproduce("disagreement", folder, force=True)
    assert not list(folder.glob("*.svg"))
    assert (folder / "figure-1.pdf").read_text() == "mine"


def test_other_settings_are_another_reproduction(few, tmp_path):
    reproduce("lexiprecision", tmp_path / "out", Setting(judged=few, **SMALL))
    more = DRAWS | {"permutations": Resampling(60)}
    with pytest.raises(InputError, match=r"resampling is .*50.* there, .*60.* here"):
        reproduce("lexiprecision", tmp_path / "out", Setting(judged=few, resampling=more))
    with pytest.raises(InputError, match="collection is"):
        reproduce("lexiprecision", tmp_path / "out", Setting(judged=with_topics(few, range(11)), **SMALL))
    # splits are nothing that lexiprecision looks at
    reproduce("lexiprecision", tmp_path / "out", Setting(judged=few, resampling=DRAWS | {"splits": Resampling(7)}))


@pytest.mark.slow
def test_force_deletes_only_what_was_written(tmp_path):
    reproduce("disagreement", tmp_path / "out")
    stranger = tmp_path / "keep.csv"
    stranger.write_text("keep")
    bad = json.dumps({"files": {"../keep.csv": "", "/etc/x.csv": "", "notes.txt": ""}}).encode()
    np.savez(tmp_path / "out" / "checkpoints" / "0099-x.npz", files=np.frombuffer(bad, np.uint8))
    (tmp_path / "out" / "notes.txt").write_text("keep")
    reproduce("ipso", tmp_path / "out", force=True)
    assert stranger.read_text() == "keep"
    assert (tmp_path / "out" / "notes.txt").read_text() == "keep"


def test_nothing_of_the_users_is_written_over(few, tmp_path):
    """Files with names that a reproduction writes, which no earlier one lists: named, with or without --force."""
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("table-3.csv", "figure-7b-sign.csv", "index.md", "table-33.csv", "notes.txt"):
        (folder / name).write_text("mine")
    before = contents(folder)
    with pytest.raises(InputError) as refused:
        reproduce("lexiprecision", folder, Setting(judged=few, **SMALL), force=True)
    assert {Path(one.place).name for one in refused.value.problems} == {"table-3.csv", "figure-7b-sign.csv", "index.md"}
    assert "no earlier reproduction lists it" in str(refused.value)
    assert contents(folder) == before
    for name in ("table-3.csv", "figure-7b-sign.csv", "index.md"):
        (folder / name).unlink()
    reproduce("lexiprecision", folder, Setting(judged=few, **SMALL), force=True)
    assert (folder / "table-33.csv").read_text() == (folder / "notes.txt").read_text() == "mine"
    # another paper takes the folder over, but one of its names is the user's by now
    (folder / "section-4-1.csv").write_text("mine")
    after = contents(folder)
    with pytest.raises(InputError, match=r"section-4-1\.csv: would be written over"):
        reproduce("disagreement", folder, force=True)
    assert contents(folder) == after
    (folder / "section-4-1.csv").unlink()
    reproduce("disagreement", folder, force=True)
    assert not (folder / "figure-7b-sign.csv").exists()
    # begun before, and taken up: a file that was not there then is the user's
    for path in (folder / "table-1.csv", folder / "checkpoints" / "0000-Table_1.npz"):
        path.unlink()
    (folder / "table-1.csv").write_text("mine")
    with pytest.raises(InputError, match=r"table-1\.csv: would be written over"):
        reproduce("disagreement", folder)


@pytest.mark.slow
def test_force_leaves_other_checkpoints_alone(few, tmp_path):
    studies.incompleteness(
        few, ["AP"], fractions=0.5, resampling=Resampling(1), checkpoints=tmp_path / "out" / "checkpoints"
    )
    before = contents(tmp_path / "out")
    with pytest.raises(InputError, match="holds the checkpoints of incompleteness"):
        reproduce("ipso", tmp_path / "out", force=True)
    assert contents(tmp_path / "out") == before
    reproduce("disagreement", tmp_path / "two")
    (tmp_path / "two" / "checkpoints" / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match=r"thesis\.tex: is not ours"):
        reproduce("ipso", tmp_path / "two", force=True)


# bad input


def test_unknown_paper():
    with pytest.raises(InputError, match="did you mean interval-scales"):
        paper("interval_scale")
    with pytest.raises(InputError, match="papers are ipso, interval-scales, cwla, disagreement, lexiprecision"):
        paper("zzz")


def test_too_few(few, tmp_path):
    with pytest.raises(InputError, match="4 systems"):
        reproduce("cwla", tmp_path / "out", Setting(judged=few, **SMALL))
    with pytest.raises(InputError, match="at least 4"):
        reproduce("cwla", tmp_path / "out", Setting(judged=with_topics(_five(few), range(3)), **SMALL))
    with pytest.raises(InputError, match="alpha"):
        reproduce("ipso", tmp_path / "out", Setting(alpha=1.5))
    with pytest.raises(InputError, match="samples"):
        reproduce("ipso", tmp_path / "out", Setting(resampling={"samples": Resampling(1 << 32)}))
    assert not (tmp_path / "out").exists()


def test_an_error_names_its_item(few, tmp_path, monkeypatch):
    def fail(_):
        raise InputError("nothing there", "bring some")

    broken = Paper(name="broken", reference="None", items=(Item(number="Table 9", title="It fails", make=fail),))
    monkeypatch.setitem(PAPERS, "broken", broken)
    with pytest.raises(InputError, match="Table 9: nothing there"):
        reproduce("broken", tmp_path / "out")
