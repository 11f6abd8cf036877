"""pytrec_eval's `RelevanceEvaluator`, computed by rankscope: same call, same dictionaries, no compiler needed.

>>> evaluator = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map", "ndcg_cut.10"})
>>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 1.5}})["q1"]["map"]
0.5
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rankscope.errors import InputError, quietly
from rankscope.measures.names import resolve

_DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_LEVELS = tuple(f"{level / 10:.2f}" for level in range(11))
# base name of trec_eval, our measure, and the parameters where none are named
_KNOWN: dict[str, tuple[str, tuple[Any, ...]]] = {
    "map": ("AP", ()), "gm_map": ("AP", ()), "Rprec": ("Rprec", ()), "bpref": ("Bpref", ()), "recip_rank": ("RR", ()),
    "ndcg": ("nDCG", ()), "infAP": ("infAP", ()), "num_ret": ("NumRet", ()), "num_rel": ("NumRel", ()),
    "num_rel_ret": ("NumRelRet", ()), "num_q": ("P@1", ()), "set_P": ("SetP", ()), "set_recall": ("SetR", ()),
    "set_map": ("SetAP", ()), "set_F": ("SetF", ()), "set_relative_P": ("SetRelP", ()),
    "P": ("P@{}", _DEPTHS), "recall": ("R@{}", _DEPTHS), "map_cut": ("AP@{}", _DEPTHS),
    "ndcg_cut": ("nDCG@{}", _DEPTHS), "success": ("Success@{}", (1, 5, 10)),
    "iprec_at_recall": ("IPrec(rounding='trec_eval-9')@{}", _LEVELS),
}  # fmt: skip
_NUMBERS: dict[str, Callable[[float], float]] = {  # what pytrec_eval makes of some values
    "gm_map": lambda value: math.log(max(value, 1e-5)),
    "num_q": lambda value: 1.0,
}


def _is_measure(name: str) -> bool:
    try:
        resolve(name.format(10 if "IPrec" not in name else "0.1"))
    except InputError:
        return False
    return True


_MEASURES = {name: known for name, known in _KNOWN.items() if _is_measure(known[0])}
supported_measures = frozenset(_MEASURES)
supported_nicknames = {
    "official": supported_measures & {
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
        "iprec_at_recall", "P",
    },
    "set": supported_measures & {
        "num_q", "num_ret", "num_rel", "num_rel_ret", "set_P", "set_recall", "set_map", "set_F", "set_relative_P",
    },
}  # fmt: skip


class RelevanceEvaluator:
    """Judgments and names of measures, as trec_eval has them; `evaluate` scores a run topic by topic."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if judged_docs_only_flag:
            raise InputError("judged_docs_only_flag is not supported", "leave unjudged documents out of the run first")
        self.query_relevance = {topic: docs for topic, docs in query_relevance.items() if docs}
        self.relevance_level = relevance_level
        self.measures = _named(measures)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """{topic: {measure: value}} of the topics that are both judged and in the run."""
        from rankscope import evaluate, load
        from rankscope.measures import parse

        common = {topic: docs for topic, docs in scores.items() if topic in self.query_relevance and docs}
        if not common or not self.measures:
            return {}
        with quietly():
            records = [parse(ours)[0] for ours in self.measures.values()]
            judged = load({topic: self.query_relevance[topic] for topic in common}, {"run": common},
                          undefined="zero", rel=self.relevance_level)  # fmt: skip
            values = evaluate(judged, list(dict.fromkeys(records))).value[:, 0]
        by_record = dict(zip(dict.fromkeys(records), values, strict=True))
        results: dict[str, dict[str, float]] = {}
        for place, topic in enumerate(judged.topics):
            named = zip(self.measures, records, strict=True)
            results[topic] = {
                name: _NUMBERS.get(name, float)(float(by_record[record][place])) for name, record in named
            }
        return results


def _named(measures: Iterable[str]) -> dict[str, str]:
    """Our measures by the names of results, for names of pytrec_eval, nicknames and names with parameters.

    As there, a measure that is asked for with parameters has no others, even where it is also asked for without.
    """
    parameters: dict[str, set[str]] = {}
    for measure in [m for name in measures for m in supported_nicknames.get(name, {name})]:
        base, given = _split(measure)
        parameters.setdefault(base, set()).update(given)
    named: dict[str, str] = {}
    for base, chosen in parameters.items():
        ours, usual = _MEASURES[base]
        if usual:
            named |= {f"{base}_{p}": ours.format(p) for p in sorted(chosen) or usual}
        else:
            named[base] = ours
    return named


def _split(measure: str) -> tuple[str, list[str]]:
    """A measure of pytrec_eval without its parameters, and these."""
    if measure in _MEASURES:
        return measure, []
    for base, (_, usual) in sorted(_MEASURES.items(), key=lambda item: len(item[0]), reverse=True):
        match = re.fullmatch(rf"{re.escape(base)}[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)", measure)
        if match and usual:
            given = match[1].split(",")
            return base, [f"{float(p):.2f}" for p in given] if base == "iprec_at_recall" else given
    raise ValueError(f"unsupported measure {measure}")
