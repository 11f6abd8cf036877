"""Condensed lists against trec_eval -J."""

import gzip

import pytest
import pytrec_eval

import rankscope as rs


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_as_trec_eval(data):
    """All measures that both have, on a collection with holes and with negative grades."""
    folder = data / "trec-covid-holes"

    def rows(path):
        with gzip.open(path, "rt") as lines:
            return [line.split() for line in lines]

    qrels: dict = {}
    for topic, _, doc, grade in rows(folder / "qrels-before.gz"):
        qrels.setdefault(topic, {})[doc] = int(grade)
    names = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "RR": "recip_rank", "Bpref": "bpref"}
    path = folder / "runs" / "TAS-B.gz"
    run: dict = {}
    for topic, _, doc, _, score, _ in rows(path):
        run.setdefault(topic, {})[doc] = float(score)
    wanted = {"map", "ndcg_cut", "P", "recip_rank", "bpref"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, wanted, judged_docs_only_flag=True).evaluate(run)
    judged = rs.load(folder / "qrels-before.gz", path, unjudged="condensed", score_dtype="float32")
    ours = rs.evaluate(judged, list(names))
    for name, other in names.items():
        for topic, score in zip(ours.topics, ours.matrix(name)[:, 0], strict=True):
            assert score == pytest.approx(theirs[topic][other], abs=1e-12)
