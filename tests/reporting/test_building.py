"""`report`: one call, from files or from lists, and the same as the command."""

import json
import re
import warnings

import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.reporting import building
from rankscope.simulation import embedded
from rankscope.statistics import Resampling

FEW = Resampling(50)
SETTINGS = {"measures": ["AP", "RR"], "resampling": FEW, "workers": 1}


@pytest.fixture(scope="module")
def judged():
    return rs.load(*embedded(), keep_docs=True)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_the_call_and_the_command_make_the_same_page(tmp_path):
    qrels, runs = embedded()
    page = rs.report(
        qrels, runs, pair=("lexical-1", "hybrid-2"), baseline="lexical-1", title="Same", depth=20, gains="linear",
        alpha=0.1, ties="rank", rel=2, **SETTINGS,
    )  # fmt: skip
    path = tmp_path / "page.html"
    options = ["--for", "compare", "lexical-1", "hybrid-2", "--baseline", "lexical-1", "--title", "Same", "--depth",
               "20", "--gains", "linear", "--alpha", "0.1", "--ties", "rank", "--rel", "2"]  # fmt: skip
    same = ["-m", "AP", "RR", "--resamples", "50", "--workers", "1"]
    assert main(["report", str(qrels), *map(str, runs), "-o", str(path), *options, *same]) == 0
    assert path.read_text(encoding="utf-8") == page.html
    assert repr(page) == f"<report: Same; {path.stat().st_size / 1e6:.1f} MB>"


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_runs_are_joined_once_and_scored_once(monkeypatch):
    from rankscope.comparisons import ranking, scored
    from rankscope.judged import join, pool, ranked

    joined, evaluated, read = [], [], []

    def counted(call, calls):
        return lambda *args, **kwargs: (calls.append(args), call(*args, **kwargs))[1]

    monkeypatch.setattr(join, "rank_run", counted(join.rank_run, joined))
    for module in (pool, ranked):
        monkeypatch.setattr(module, "read_with_comments", counted(module.read_with_comments, read))
    for module in (building, ranking, scored):
        monkeypatch.setattr(module, "evaluate", counted(rs.evaluate, evaluated))
    qrels, runs = embedded()
    rs.report(qrels, runs, pair=("lexical-3", "hybrid-1"), **SETTINGS)
    assert sorted(path for path, *_ in read) == sorted([qrels, *runs])
    assert sorted(source.name for source, *_ in joined) == sorted(rs.load(qrels, runs).systems)
    assert [len(lists.systems) for lists, *_ in evaluated].count(
        8
    ) == 1  # then the pair, under other metrics and orders


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_lists_that_were_loaded(judged):
    page = rs.report(judged, baseline="lexical-1", **SETTINGS)
    ranking = rs.rank(judged, measure="AP", also=["RR"], baseline="lexical-1", resampling=FEW, workers=1)
    for name in {*ranking.table()[0]} - {"group", "places", ranking.interval}:  # colours, and dots with intervals
        assert name.replace(" *", "") in page.html
    assert "possible ranks" in page.html
    assert page.title == "8 systems on 50 topics"
    assert 'id="findings"' not in page.html  # validation looks at files
    assert "read_as" not in repr(page)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_results_of_studies(judged):
    power = rs.studies.discriminative_power(judged, ["AP", "RR"], resampling=FEW, workers=1)
    page, plain = rs.report(judged, studies=[power], **SETTINGS), rs.report(judged, **SETTINGS)
    assert power.summary().split(" (")[0] in page.html
    # what draws figures is in a page that has some
    assert 'data-chart="figure' in page.html
    assert 'data-chart="figure' not in plain.html
    assert plain.html.count('<script type="module">') == 1
    assert len(page.html) - len(plain.html) > 800_000


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_the_explorer_offers_the_slices_of_the_table(judged):
    kind = {t: "how-to" if i % 3 else "name" for i, t in enumerate(judged.topics)}
    table = {"kind": kind, "words": {t: i % 2 for i, t in enumerate(judged.topics)}}
    table["text"] = {t: f"text {t}" for t in judged.topics[:-1]}  # a value each: no slices
    page = rs.report(judged, topics_table=table, by="kind", **SETTINGS)
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', page.html)[1])
    names = [f"kind = {value}" for value in ("how-to", "name")] + ["words = 0", "words = 1"]
    assert [one["name"] for one in facts["slices"]][:4] == names
    assert not any(one["name"].startswith("text") for one in facts["slices"])
    scored = {facts["topics"][t] for one in facts["slices"][:2] for t in one["topics"]}
    assert len(scored) == 49  # one topic has no relevant document
    assert {kind[facts["topics"][t]] for t in facts["slices"][1]["topics"]} == {"name"}


def test_topics_left_out_are_said_once(judged):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rs.report(judged, **SETTINGS)
    assert [str(warning.message).count("without relevant documents") for warning in caught] == [1]


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        ({"runs": {}}, "runs or rules beside lists"),
        ({"ties": "rank"}, "runs or rules beside lists"),
        ({"pair": ("hybrid-1", "hybrid-1")}, "name two systems"),
        ({"pair": ("hybrid-1", "hybrid-9")}, "did you mean"),
        ({"baseline": "hybird-1"}, "did you mean hybrid-1"),
        ({"depth": 0}, "from 1"),
        ({"alpha": 2}, "between 0 and 1"),
        ({"measures": "nDGC@10"}, "nDGC"),
        ({"studies": ["nowhere"]}, "is no folder"),
    ],
)
def test_what_is_refused(judged, arguments, cause):
    with pytest.raises(rs.InputError, match=cause):
        rs.report(judged, **{**SETTINGS, **arguments})


def test_judgments_alone_are_refused():
    with pytest.raises(rs.InputError, match="no runs"):
        rs.report({"1": {"a": 1}})


def test_the_client_does_the_work(monkeypatch):
    """Whatever takes a cluster gets it."""
    clients = []

    def heard(function):
        def call(*args, client, **settings):
            clients.append(client)
            return function(*args, **settings)

        return call

    for name in ("open_material", "load", "rank", "compare"):
        monkeypatch.setattr(building, name, heard(getattr(building, name)))
    qrels = {t: {"a": 1, "b": 0} for t in "123456"}
    runs = {"new": {t: ["a", "b"] for t in qrels}, "old": {t: ["b", "a"] for t in qrels}}
    settings = {"measures": "RR", "pair": ("new", "old"), "resampling": Resampling(50), "client": "cluster"}
    rs.report(qrels, runs, **settings)
    assert clients == ["cluster"] * 3
    rs.report(qrels, runs, ties="file", **settings)
    assert clients == ["cluster"] * 7


def test_numpy_does_not_warn():
    """One measure of several has no topic to be measured on."""
    qrels = {t: {"a": 1e-320, "b": 0} for t in "123456"}
    runs = {"new": {t: ["a", "b"] for t in qrels}, "old": {t: ["b", "a"] for t in qrels}}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", rs.DataWarning)
        page = rs.report(qrels, runs, measures=["nDCG@10", "AP"], resampling=Resampling(50))
    assert ">nan<" not in page.html
