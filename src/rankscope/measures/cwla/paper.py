"""The names of Chen and Sakai's table: a model's name, _ and an aggregation's.

Texts alone, which names of measures need at once; the models and aggregations themselves are imported when one is used.
"""

from __future__ import annotations

_MODELS = {"Precision": "(k=10)", "DCG": "(k=10)", "RBP": "(p=0.8)", "INST": "(T=2.25)", "AP": "", "ERR": ""}
_AGGREGATIONS = {"ERG": "", "ETG": "", "avg": "", "max": "", "fin": "", "PE": "(beta=0.5)", "ERR": ""}
_STATIC = {"Precision", "DCG", "RBP"}  # models that look at no gain; neither does the aggregation ERR

CONSTANT = (
    "{}_ERR is the same for every list: this model reads on whatever it finds, and A(i) = 1/i looks at no gain either"
)
OTHER = "take another aggregation, " + ", ".join(name for name in _AGGREGATIONS if name != "ERR")

_GRID = [(model, aggregation) for model in _MODELS for aggregation in _AGGREGATIONS]

SHORT = {
    f"{model}_{aggregation}": f'CWLA(model="{model}{_MODELS[model]}",agg="{aggregation}{_AGGREGATIONS[aggregation]}")'
    for model, aggregation in _GRID
    if not (model in _STATIC and aggregation == "ERR")
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


REFUSED = {f"{model}_ERR": (CONSTANT.format(model), OTHER) for model in _MODELS if model in _STATIC}
"""The names that would give every list the same score, and what to say to that."""
