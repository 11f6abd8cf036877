"""The names of Chen and Sakai's table: a model's name, _ and an aggregation's."""

from __future__ import annotations

from rankscope.measures.cwla.aggregations import AGGREGATIONS
from rankscope.measures.cwla.metric import CONSTANT, OTHER
from rankscope.measures.cwla.models import AP, DCG, ERR, INST, RBP, Precision

_GRID = tuple(
    (model(), aggregation()) for model in (Precision, DCG, RBP, INST, AP, ERR) for aggregation in AGGREGATIONS.values()
)

SHORT = {
    f"{model.name}_{aggregation.name}": f'CWLA(model="{model}",agg="{aggregation}")'
    for model, aggregation in _GRID
    if not (model.static and aggregation.static)
}
"""What each name means, with the paper's parameters."""

_BACK = {ours: name for name, ours in SHORT.items()}


def shortened(name: str) -> str:
    """The paper's name of a measure that has its parameters, any other name as it is.

    >>> shortened('CWLA(model="RBP(p=0.8)",agg="PE(beta=0.5)")@10')
    'RBP_PE@10'
    >>> shortened('CWLA(model="RBP(p=0.5)",agg="PE(beta=0.5)")@10')
    'CWLA(model="RBP(p=0.5)",agg="PE(beta=0.5)")@10'
    """
    base, at, depth = name.rpartition("@")
    return f"{_BACK[base]}@{depth}" if at and base in _BACK else _BACK.get(name, name)


REFUSED = {f"{m.name}_{a.name}": (CONSTANT.format(m.name), OTHER) for m, a in _GRID if m.static and a.static}
"""The names that would give every list the same score, and what to say to that."""
