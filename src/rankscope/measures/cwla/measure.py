"""C/W/L/A metrics as measures: by model and aggregation, and INST and INSQ by their own names.

Models and aggregations are imported when one is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankscope.arrays import Floats, Ints
from rankscope.measures.record import Measure

if TYPE_CHECKING:
    from rankscope.measures.cwla.metric import Metric
    from rankscope.measures.cwla.models import Tail

INST_WORDS = "Wants gain T; the less is missing, the sooner the reader stops."
INST_FORMULA = r"C(i) = \left( \frac{i - 1 + T + T_i}{i + T + T_i} \right)^2, \; T_i = T - \sum_{j \le i} g_j"
INSQ_WORDS = "Expects to need T relevant documents, and gets more stubborn with every rank."
INSQ_FORMULA = r"C(i) = \left( \frac{i + 2T - 1}{i + 2T} \right)^2"


def _metric(model: Any, aggregation: Any, tail: Tail | None = None) -> Metric:
    from rankscope.measures.cwla.metric import Metric

    return Metric(model, aggregation, tail)


def cwla(
    gain: Floats,
    retrieved: Ints,
    *,
    cutoff: int | None,
    model: Any = "RBP(p=0.8)",
    agg: Any = "ERG",
    tail: Tail | None = None,
) -> Floats:
    """Sum over ranks of L(i) A(i): the ranks of the list, or as many as the cutoff says."""
    return _metric(model, agg, tail).of_lists(gain, retrieved if cutoff is None else cutoff)


def inst(gain: Floats, *, T: float = 2.25) -> Floats:
    """INST's reader with the expected rate of gain; the list goes on without gain for ever."""
    from rankscope.measures.cwla.models import INST

    return _metric(INST(T), "ERG").of_lists(gain, gain.shape[-1])


def insq(gain: Floats, *, T: float = 2.25) -> Floats:
    """INSQ's reader with the expected rate of gain; the list goes on without gain for ever."""
    from rankscope.measures.cwla.models import INSQ

    return _metric(INSQ(T), "ERG").of_lists(gain, gain.shape[-1])


def _gain(values: Mapping[str, Any]) -> str:
    """The gain asked for, or the model's own; whatever is wrong with the pair is said on the way."""
    own = _metric(values["model"], values["agg"], values["tail"]).model.gain
    return str(values["gain"] or own)


def model_facts(measure: Measure) -> dict[str, str]:
    """Model, aggregation and tail of a C/W/L/A measure in words."""
    if measure.name != "CWLA":
        return {}
    from rankscope.measures.cwla.metric import TAILS

    metric = _metric(measure.values["model"], measure.values["agg"], measure.values["tail"])
    return {
        "model": f"{metric.model}: {metric.model.words} {metric.model.formula}",
        "aggregation": f"{metric.aggregation}: {metric.aggregation.words}. {metric.aggregation.formula}",
        "tail": f"{metric.tail}: {TAILS[metric.tail]}",
    }


_GAINS = ("rel", "gain", "gains", "max_rel")

CWLA = Measure(
    name="CWLA",
    kernel=cwla,
    formula=r"\sum_{i \ge 1} L(i) A(i), \quad L(i) = (1 - C(i)) \prod_{j<i} C(j)",
    user_model="Reads as the model says, and counts as the aggregation says what was found when the reading ended.",
    bounds=(0.0, float("inf")),
    needs="gain",
    gain=_gain,
    parameters=(
        ("model", "RBP(p=0.8)"), ("agg", "ERG"), ("tail", None), ("rel", 1), ("gain", None), ("gains", None),
        ("max_rel", None),
    ),
    reference="moffat2022flexible",
    oracle="cwl_eval (ERG and ETG), the slow twin",
    note='Without @k a list ends with its last document; with @k, at k. Gains are grade / largest grade, for the model '
    "ERR (2^grade - 1) / 2^largest.",
)  # fmt: skip

_INST = Measure(
    name="INST",
    kernel=inst,
    formula=r"\sum_{i \ge 1} W(i) g_i, \quad " + INST_FORMULA,
    user_model=INST_WORDS,
    bounds=(0.0, 1.0),
    needs="gain",
    gain="linear",
    gain_parameters=_GAINS,
    within=(("T", (0.5, float("inf"))),),
    reference="moffat2015inst",
    oracle="cwl_eval:INST",
    note="The tail is infinite; cwl_eval stops at rank 1000, which gives about 0.2 % more.",
)

_INSQ = Measure(
    name="INSQ",
    kernel=insq,
    formula=r"\sum_{i \ge 1} W(i) g_i, \quad " + INSQ_FORMULA,
    user_model=INSQ_WORDS,
    bounds=(0.0, 1.0),
    needs="gain",
    gain="linear",
    gain_parameters=_GAINS,
    within=(("T", (0.0, float("inf"))),),
    improves="grades",
    reference="moffat2012insq",
    oracle="cwl_eval:INSQ",
    note="The tail is infinite; cwl_eval stops at rank 1000.",
)

RECORDS = (CWLA, _INST, _INSQ)
