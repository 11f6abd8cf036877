"""Real score matrices, for the scripts that measure validity: populations of topics that samples are drawn from.

Aggregates of these matrices may be printed; the matrices themselves are other people's data. They are read from the
folder `score-matrices` of RANKSCOPE_DATA, or of `shared/data` beside the repository.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(os.environ.get("RANKSCOPE_DATA") or Path(__file__).parents[2] / "shared" / "data")
Matrix = np.ndarray[Any, np.dtype[np.float64]]

NAMES = {
    "Robust 2004, AP": ("newbestsub-R04",),
    "TREC-8, AP": ("newbestsub-AH99",),
    "Terabyte 2006, AP": ("newbestsub-TB06",),
    "TREC-5 to 8, AP": tuple(f"urbano-adhoc{i}_ap" for i in (5, 6, 7, 8)),
    "TREC-5 to 8, P@10": tuple(f"urbano-adhoc{i}_p10" for i in (5, 6, 7, 8)),
    "TREC-5 to 8, RR": tuple(f"urbano-adhoc{i}_rr" for i in (5, 6, 7, 8)),
    "Web 2010 to 2013, nDCG@20": tuple(f"urbano-web{i}_ndcg20" for i in (2010, 2011, 2012, 2013)),
    "Web 2010 to 2013, ERR@20": tuple(f"urbano-web{i}_err20" for i in (2010, 2011, 2012, 2013)),
}


def matrix(file: str, drop: bool = True) -> Matrix:
    """One file as topics x systems; where `drop`, without the quarter of the systems that has the lowest means."""
    lines = gzip.decompress((DATA / "score-matrices" / f"{file}.csv.gz").read_bytes()).decode().splitlines()[1:]
    by_system = file.startswith("newbestsub")  # a line a system, its name first
    values = np.array([[float(v) for v in line.split(",")[by_system:]] for line in lines])
    scores = values.T if by_system else values
    if not drop:
        return scores
    order = np.argsort(-scores.mean(axis=0), kind="stable")
    return scores[:, np.sort(order[: len(order) - len(order) // 4])]


def matrices(name: str) -> list[Matrix]:
    """The matrices of one population, by its name in the tables."""
    return [matrix(file) for file in NAMES[name]]


def pairs(scores: Matrix, similar: bool = False) -> tuple[Matrix, Matrix]:
    """Two systems of each pair whose scores differ on some topics in unlike ways, both topics x pairs.

    similar  only the quarter of the pairs whose differences have the smallest standard deviations
    """
    first, second = np.triu_indices(scores.shape[1], 1)
    sd = (scores[:, first] - scores[:, second]).std(axis=0)
    order = np.argsort(sd, kind="stable")
    order = order[sd[order] > 1e-9]  # runs sent in twice are no pair
    kept = np.sort(order[: len(order) // 4] if similar else order)
    return scores[:, first[kept]], scores[:, second[kept]]
