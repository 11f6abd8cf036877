"""Collections that have too little for some studies: each says so in its place, and the others go on."""

import re
from dataclasses import replace

import numpy as np
import pytest

import rankscope as rs
from rankscope import InputError
from rankscope.cli import main
from rankscope.comparisons.topic_differences import topic_differences
from rankscope.statistics import Resampling
from rankscope.studies import Setting, reproduce
from rankscope.studies.columns import PARTS
from rankscope.studies.reproduce.writing import PAPERS

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
FEW = {"power": Resampling(20), "ties": Resampling(20), "consistency": Resampling(20), "incompleteness": Resampling(1)}


def collection(n_topics=12, n_systems=4, docs=20, grades=3, alike=False, judged="d"):
    rng = np.random.default_rng(3)
    qrels = {
        f"t{t}": {f"{judged}{d}": int(g) for d, g in enumerate(rng.integers(0, grades, docs))} for t in range(n_topics)
    }
    runs = {}
    for s in range(n_systems):
        order = np.random.default_rng(0 if alike else s)
        runs[f"s{s}"] = {t: {f"d{d}": float(-r) for r, d in enumerate(order.permutation(docs)[:10])} for t in qrels}
    return qrels, runs


# which parts are left out, and why; all others are done
LITTLE = {
    "300 grades": (collection(docs=300, grades=300), {}),
    "identical runs": (
        collection(alike=True), {"consistency": "no split orders the systems", "scales": "no variance is left"}
    ),
    "one system": (
        collection(n_systems=1),
        dict.fromkeys([part for part in PARTS if part not in ("scale", "properties", "preference")], "1 system"),
    ),
    "two systems": (collection(n_systems=2), {}),
    "two topics": (collection(n_topics=2), {"consistency": "2 topics: too few to split"}),
    "one topic": (
        collection(n_topics=1),
        {"power": "1 topic", "consistency": "1 topic", "agreement": "needs at least 2", "scales": "needs at least 2"},
    ),
    "nothing relevant is found": (
        collection(judged="x"), {"consistency": "no split orders the systems", "scales": "gives every list the same"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LITTLE)
def test_each_study_says_why_it_is_not_there(name):
    (qrels, runs), left_out = LITTLE[name]
    # scales of many grades enumerate many lists
    measures = ["AP@5", "nDCG@5", "P@5", "RR"] if name != "300 grades" else ["AP", "P@5", "RR"]
    rel = 200 if name == "300 grades" else 1
    card = rs.metrics(qrels, runs, measures=measures, studies=PARTS, resampling=FEW, workers=1, rel=rel)
    assert card.missing.keys() == left_out.keys()
    for part, words in left_out.items():
        assert words in card.missing[part]
    shown = str(card)
    for part in left_out:
        assert re.search(rf"^(tied|ipso|{part}): none here: ", shown, re.MULTILINE)
    assert card.to_dict()["missing"] == card.missing
    texts = [shown, card.to_text("explain"), card.to_markdown(), *map(str, card.studied.values())]
    texts += [study.summary() for study in card.studied.values()]
    for text in texts:
        assert not re.search(r"\b(nan|NaN|inf|None)\b", text)


def test_where_nothing_can_be_done_all_reasons_are_an_error():
    qrels, runs = collection(n_systems=1)
    with pytest.raises(InputError, match=r"1 system\n1 problem; this study needs at least 2"):
        rs.metrics(qrels, runs, studies=["power", "ties"])
    qrels, runs = collection(n_topics=1)
    with pytest.raises(InputError, match=r"1 topic\n1 topic: too few to split\n2 problems"):
        rs.metrics(qrels, runs, studies=["power", "consistency"])


def test_the_folder_says_the_same(tmp_path):
    qrels, runs = collection(n_topics=2)
    card = rs.metrics(qrels, runs, resampling=FEW, checkpoints=tmp_path)
    assert card.missing
    again = rs.studies.scorecard_from(tmp_path, rs.load(qrels, runs))
    assert str(again) == str(card)


def test_the_command(tmp_path, capsys):
    qrels, runs = collection(n_systems=1)
    rs.write_qrels(tmp_path / "qrels", qrels)
    rs.write_run(tmp_path / "s0.run", runs["s0"])
    assert main(["metrics", str(tmp_path / "qrels"), str(tmp_path / "s0.run"), "--all"]) == 0
    out = capsys.readouterr().out
    assert "power: none here: 1 system (this study needs at least 2)." in out
    assert "\nNo column here says that one measure is better than another.\n" in out  # below the cautions


def large(grade, n_topics=12):
    """A collection in which the grades of a few documents are beyond what powers of 2, or sums, can be taken of."""
    qrels, runs = collection(n_topics=n_topics)
    for t, grades in enumerate(qrels.values()):
        grades["d3"] = grades["d4"] = grade if t % 2 else 1
    return qrels, runs


@pytest.mark.parametrize("grade", [1e9, 1e30, 1e308])
def test_a_measure_that_cannot_be_computed_says_why(grade):
    card = rs.metrics(*large(grade), studies=["power", "ties"], resampling=FEW, workers=1)
    assert {*card.rows["candidate"]} == {"AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "rrLP", "sgnLP"}
    assert re.match(r"ERR@20: 2\^1e\+\d+ is beyond all numbers", card.missing["ERR@20"])
    assert "ERR@20: none here: ERR@20: 2^1e" in str(card)
    assert card.to_dict()["missing"].keys() == {"ERR@20"}
    with pytest.raises(InputError, match="beyond all numbers"):
        rs.metrics(*large(grade), measures="ERR@20", methods=(), studies="power", resampling=FEW, workers=1)


@pytest.mark.parametrize("grade", [1e9, 1e30, 1e308])
def test_a_comparison_goes_on_without_dominance(grade):
    judged = rs.load(*large(grade), keep_docs=True, keep_ties=True)
    comparison = rs.compare(judged, "s0", "s1")
    missing = {(part.axis, part.name): part.reason for part in comparison.not_repeated}
    assert "beyond all numbers" in missing["metric", "ERR@20"]
    if grade > 2**62:
        assert "sum to" in missing["dominance", "every static rank-weighted metric"]
        assert comparison.to_dict()["dominance"] is None
        assert not comparison.universal
        with pytest.raises(InputError, match="dominance was not tested"):
            comparison.plot("dominance")
    topics = str(rs.comparisons.deciding(comparison))
    for text in (str(comparison), comparison.to_markdown(), comparison.to_latex(), topics):
        assert "nan" not in text.lower().replace("dominance", "").replace("dominant", "")
    assert comparison.to_dict()["difference"] == pytest.approx(comparison.effect.difference)


def test_gains_beyond_sums():
    """nDCG is a ratio, and has its value; what is none is refused and not infinite."""
    rows = [[1e308, 1e308, 1e308, 1], [1, 1e308, 1e308, 1e308]]
    small = [[1, 1, 1, 1e-308], [1e-308, 1, 1, 1]]
    for name in ("nDCG", "SN_DCG", "nDCG@2"):
        assert rs.measure(name).score(rows) == pytest.approx(rs.measure(name).score(small))
    with pytest.raises(InputError, match=r"DCG: a score is above 2\^500"):
        rs.measure("DCG").score(rows)
    judged = rs.load(*large(1e308))
    with pytest.raises(InputError, match=r"a score is above 2\^500"):
        rs.evaluate(judged, "DCG")
    with pytest.raises(InputError, match="too large for bounds"):
        rs.bounds(judged, "nDCG@10")


def test_a_metric_map_without_some_measures():
    judged = rs.load(*large(1e9))
    mapped = rs.comparisons.metric_map(judged, "s0", "s1")
    assert mapped.missing == {"ERR@20": "ERR@20: 2^1e+09 is beyond all numbers"}
    assert len(mapped.ladder) == 12
    assert "ERR@20 is not on the map: ERR@20: 2^1e+09" in str(mapped)
    mapped.plot()
    mapped = rs.comparisons.metric_map(judged, "s0", "s1", ladder=["ERR@20"])
    assert mapped.ladder == ()
    comparison = rs.compare(judged, "s0", "s1", measure="AP")
    names, _ = topic_differences(comparison.scored)
    assert "ERR@20" not in names
    assert "AP" in names[0]
    with pytest.raises(InputError, match=r"ERR@20: 2.1e.09 is beyond all numbers"):
        topic_differences(comparison.scored, ["ERR@20"])
    with pytest.raises(InputError, match="no measures"):
        topic_differences(comparison.scored, [])


def test_a_reproduction_without_some_items(tmp_path, monkeypatch):
    """An item that cannot be made says so in its place; nothing at all is an error."""
    judged = rs.load(*collection())
    publication = PAPERS["ipso"]

    def none(_):
        raise InputError("grades beyond all numbers", "map them")

    broken = tuple(replace(item, make=none) if item is publication.items[0] else item for item in publication.items)
    monkeypatch.setitem(PAPERS, "ipso", replace(publication, items=broken))
    done = reproduce("ipso", tmp_path / "some", Setting(judged=judged, workers=1))
    assert done.left_out[broken[0].number] == "grades beyond all numbers (map them)"
    assert sum(map(len, done.files.values()))
    assert "grades beyond all numbers" in (tmp_path / "some/index.md").read_text()
    monkeypatch.setitem(PAPERS, "ipso", replace(publication, items=broken[:1]))
    with pytest.raises(InputError, match="grades beyond all numbers"):
        reproduce("ipso", tmp_path / "none", Setting(judged=judged, workers=1))


def test_grades_below_the_lowest_relevant_one():
    """Shares as grades: nDCG gains by them and decides; what counts relevant documents says that there are none."""
    qrels, runs = collection()
    shares = {topic: {doc: grade / 4 for doc, grade in grades.items()} for topic, grades in qrels.items()}
    comparison = rs.compare(rs.load(shares, runs), "s0", "s1")
    assert comparison.effect.n_topics == 12
    assert comparison.without is None
    assert ("lists", "IPSO, dominance and preferences") in {(p.axis, p.name) for p in comparison.not_repeated}
    assert "Not computed: no topic is left to compare on" in " ".join(comparison.to_text("full").split())
    assert comparison.to_dict()["ipso"] is None
    for figure in ("strips", "dominance"):
        with pytest.raises(InputError, match="relevant documents in them"):
            comparison.plot(figure)
    with pytest.raises(InputError, match="nothing is relevant"):
        rs.comparisons.deciding(comparison)
    with pytest.raises(InputError, match="no topic is left to compare on"):
        rs.compare(rs.load(shares, runs), "s0", "s1", gains="linear", depth=5)
    with pytest.raises(InputError, match="gains='much' is unknown"):
        rs.compare(rs.load(qrels, runs), "s0", "s1", gains="much")
