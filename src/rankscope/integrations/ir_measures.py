"""A provider for ir_measures. Importing this module puts it first in ir_measures' default pipeline.

>>> import ir_measures
>>> from rankscope.integrations.ir_measures import register  # as the import does by itself
>>> register() is ir_measures.DefaultPipeline.providers[0]
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import ir_measures
from ir_measures import providers
from ir_measures.util import Metric, QrelsConverter, RunConverter

from rankscope.errors import InputError, quietly

# measures that ir_measures defines by one of its providers, and what they are here
_OTHERWISE = {
    r"^IPrec@": "IPrec(rounding='trec_eval-9')@",  # pytrec_eval
    r"^ERR@": "ERR(max_rel=4)@",  # gdeval
    r"^NumRet\(rel=": "NumRelRet(rel=",  # pytrec_eval
}

# the number of judged topics, whatever the run; Accuracy has no value, and no share in the mean, for some topics
_THEIRS = {"NumQ", "Accuracy"}

# measures whose judgments have subtopics: the column that ir_measures calls iteration
_BY_SUBTOPIC = {"alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"}


@cache
def _record(measure: Any) -> Any:
    """Our measure of a measure of ir_measures; None where we have none, or one of another definition."""
    from rankscope.measures.names import resolve

    text = str(measure)
    if measure.NAME in _THEIRS or text.startswith("SetF(beta="):  # pytrec_eval's beta is the square of beta here
        return None
    for theirs, ours in _OTHERWISE.items():
        text = re.sub(theirs, ours, text)
    try:
        resolved = resolve(text)
    except InputError:
        return None
    record = resolved[0].measure if len(resolved) == 1 and not resolved[0].remark else None
    return record if record is not None and record.complete else None


class Provider(providers.Provider):
    """All measures of ir_measures that rankscope has, in one order of documents: that of trec_eval."""

    NAME = "rankscope"

    def supports(self, measure: Any) -> bool:
        """Whether rankscope computes this measure by the same definition."""
        measure.validate_params()
        return _record(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Evaluator:
        measures = list(measures)
        if unknown := [str(measure) for measure in measures if _record(measure) is None]:
            raise ValueError(f"unsupported measures {', '.join(unknown)}")
        if not any(measure.NAME in _BY_SUBTOPIC for measure in measures):
            return Evaluator(measures, QrelsConverter(qrels).as_dict_of_dict())
        rows = list(QrelsConverter(qrels).as_namedtuple_iter())
        frame = QrelsConverter(rows).as_pd_dataframe().rename(columns={"iteration": "subtopic"})
        return Evaluator(measures, QrelsConverter(rows).as_dict_of_dict(), frame)


class Evaluator(providers.Evaluator):
    """Judgments and measures, for one run after the other."""

    def __init__(self, measures: list[Any], qrels: dict[str, dict[str, float]], subtopics: Any = None) -> None:
        super().__init__(measures, set(qrels))
        self.qrels = qrels
        parts = [(qrels, [measure for measure in measures if measure.NAME not in _BY_SUBTOPIC]),
                 (subtopics, [measure for measure in measures if measure.NAME in _BY_SUBTOPIC])]  # fmt: skip
        self.parts = [(judgments, group) for judgments, group in parts if group]

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        from rankscope import evaluate, load

        lists = {topic: docs for topic, docs in RunConverter(run).as_dict_of_dict().items() if topic in self.qrels}
        if not any(lists.values()) or not any(self.qrels.values()):
            return  # ir_measures fills in the defaults
        for judgments, measures in self.parts:
            with quietly():
                judged = load(judgments, {"run": lists}, undefined="zero")
                records = list(dict.fromkeys(map(_record, measures)))
                scores = evaluate(judged, records)
            values = dict(zip(records, scores.value[:, 0], strict=True))
            for measure in measures:
                for topic, value in zip(judged.topics, values[_record(measure)].tolist(), strict=True):
                    if topic in lists:
                        yield Metric(query_id=topic, measure=measure, value=value)


def register() -> Provider:
    """Put the provider first in ir_measures' default pipeline, once."""
    provider = providers.registry.get(Provider.NAME) or providers.register(Provider())
    if provider not in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.insert(0, provider)
    return provider


register()
