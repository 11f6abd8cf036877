"""What one timed process does: TREC files to per-topic scores with one tool.

    python benchmarks/score.py TOOL QRELS RUN...

Every tool is asked, as its users call it, for what it has of AP, P@10, nDCG@10, nDCG, RR, RBP(p=0.8), ERR@20. The
last line printed is an object: `lists`, how many lists (a run on a topic) were scored, and `ap`, the sum of AP over
the last run, by which the runner knows that all tools did the same job. Only the tool itself is imported, and what
is summed is one column of one run, so that next to nothing but the tool is timed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

RANKSCOPE = ["AP", "P@10", "nDCG@10", "nDCG", "RR", "RBP(p=0.8)", "ERR@20"]
PYTREC_EVAL = {"map", "P_10", "ndcg_cut_10", "ndcg", "recip_rank"}  # it has no RBP and no ERR
RANX = ["map", "precision@10", "ndcg@10", "ndcg", "mrr", "rbp.80"]  # it has no ERR

Answer = dict[str, float | str]


def rankscope(qrels: str, runs: list[str]) -> Answer:
    import rankscope as rs
    from rankscope import kernels

    judged = rs.load(qrels, runs)
    scores = rs.evaluate(judged, RANKSCOPE)
    _, systems, topics = scores.value.shape
    return {"lists": systems * topics, "ap": float(scores.value[0, -1].sum()), "kernels": kernels.KIND}


def pytrec_eval(qrels: str, runs: list[str]) -> Answer:
    import pytrec_eval

    with Path(qrels).open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), PYTREC_EVAL)
    lists = 0
    for path in runs:
        with Path(path).open() as file:
            run = pytrec_eval.parse_run(file)
        scores = evaluator.evaluate(run)
        lists += len(scores)
    return {"lists": lists, "ap": sum(topic["map"] for topic in scores.values())}


def ranx(qrels: str, runs: list[str]) -> Answer:
    from ranx import Qrels, Run, evaluate

    judgments = Qrels.from_file(qrels, kind="trec")
    lists = 0
    for path in runs:
        run = Run.from_file(path, kind="trec")
        scores = evaluate(judgments, run, RANX, return_mean=False)
        lists += len(scores["map"])
    return {"lists": lists, "ap": float(scores["map"].sum())}


TOOLS: dict[str, Callable[[str, list[str]], Answer]] = {
    "rankscope": rankscope,
    "pytrec_eval": pytrec_eval,
    "ranx": ranx,
}

if __name__ == "__main__":
    tool, given, *paths = sys.argv[1:]
    print(json.dumps(TOOLS[tool](given, paths)))
