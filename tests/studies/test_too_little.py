"""Collections that have too little for some studies: each says so in its place, and the others go on."""

import re

import numpy as np
import pytest

import rankscope as rs
from rankscope import InputError
from rankscope.cli import main
from rankscope.statistics import Resampling
from rankscope.studies.columns import PARTS

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
        assert re.search(rf"^(tied|ipso|{part}): none here: .*\.$", shown, re.MULTILINE)
    assert card.to_dict()["missing"] == card.missing
    texts = [shown, card.to_markdown(), *map(str, card.studied.values())]
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
    assert out.startswith("candidate")
