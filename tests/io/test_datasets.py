"""Judgments of ir_datasets, without touching the network."""

import sys

import ir_datasets
import pytest
from ir_datasets.formats import BaseQrels, TrecQrel

from rankscope import InputError, evaluate, load
from rankscope.io.datasets import known_data_set

RUN = {"7": {"a": 3.0, "b": 2.0, "c": 1.0}}


class Local(BaseQrels):
    def qrels_iter(self):
        yield from (TrecQrel("7", doc, grade, "0") for doc, grade in (("a", 1), ("b", 2), ("c", 0)))

    def qrels_cls(self):
        return TrecQrel


class Remote(Local):
    def qrels_iter(self):
        raise ConnectionError("no route to host")


@pytest.fixture
def dataset(monkeypatch):
    def register(qrels, measures=()):
        class Documented(type(qrels)):
            def documentation(self):
                return {"official_measures": list(measures)}

        made = ir_datasets.Dataset(Documented())
        monkeypatch.setitem(ir_datasets.registry._registered, "local", made)

    return register


def test_the_documented_threshold_is_used_and_said(dataset):
    dataset(Local(), ["nDCG@10", "RR(rel=2)", "AP(rel=2)"])
    judged = load("irds:local", RUN)
    assert judged.read_as == "judgments ir_datasets (relevant from grade 2); runs dictionary"
    scores = evaluate(judged, ["RR", "AP(rel=1)", "nDCG@10"])
    assert [str(m) for m in scores.measures] == ["RR(rel=2)", "AP(rel=1)", "nDCG@10"]
    assert scores.of("RR(rel=2)").tolist() == scores.of("RR").tolist() == [[0.5]]
    assert scores.of("AP(rel=1)").tolist() == [[1.0]]
    assert [str(m) for m in evaluate(load("irds:local", RUN, rel=1), "RR").measures] == ["RR"]


@pytest.mark.parametrize("measures", [["nDCG@10"], ["AP@100", "nDCG@10", "RR(rel=2)"], []])
def test_without_one_documented_threshold_it_is_1(dataset, measures):
    dataset(Local(), measures)
    assert load("irds:local", RUN).rules.rel == 1


def test_the_threshold_can_be_chosen_for_any_judgments():
    judged = load({"7": {"a": 1, "b": 2}}, RUN, rel=2)
    assert [str(m) for m in evaluate(judged, ["AP", "RBP(p=0.5)", 'RBP(gain="linear")', "Judged@3"]).measures] == [
        "AP(rel=2)",
        "RBP(p=0.5,rel=2)",
        'RBP(gain="linear")',
        "Judged@3",
    ]


def test_a_dataset_that_needs_the_network(dataset):
    dataset(Remote())
    with pytest.raises(InputError, match="irds:local: its judgments are not on this machine, and fetching"):
        load("irds:local", RUN)


def test_an_unknown_id():
    with pytest.raises(InputError, match="irds:no/such/thing: ir_datasets knows no such id"):
        load("irds:no/such/thing", RUN)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(
        InputError, match=r'needs the package ir_datasets\n1 problem; pip install "rankscope\[datasets\]"'
    ):
        load("irds:local", RUN)


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("data/dl19-passage/qrels.gz", True),
        ("2020qrels-pass.txt", True),
        ("qrels.dl21-passage.txt", True),
        ("trec-dl-2019/passage.qrels", True),
        ("dl19-doc/qrels.gz", False),
        ("2019qrels-docs.txt", False),
        ("msmarco-passage/dev.qrels", False),
        ("trec-2019-cast/passage.qrels", False),
        ("handle1999/passages.txt", False),
    ],
)
def test_data_sets_are_known_by_the_path_of_their_judgments(path, known):
    assert known_data_set(path) == (("TREC Deep Learning passages", 2) if known else None)
