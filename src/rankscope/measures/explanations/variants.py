"""Variants of measures: what other tools compute under the same name, and how to get it here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.measures.catalogue.ap import AP, SN_AP, average_precision
from rankscope.measures.catalogue.bpref import Judged
from rankscope.measures.catalogue.dcg import SDCG, SN_DCG, nDCG, ndcg
from rankscope.measures.catalogue.interval import Interval
from rankscope.measures.catalogue.p import P, set_precision
from rankscope.measures.catalogue.q import Q, q_measure
from rankscope.measures.catalogue.r import R, R_cap
from rankscope.measures.catalogue.rbp import RBP, RBPResidual, rbp, rbp_residual
from rankscope.measures.catalogue.rr import Success
from rankscope.measures.catalogue.weights import geometric, rank_sum
from rankscope.measures.cwla import CWLA
from rankscope.measures.record import Kernel, Measure

Change: TypeAlias = Callable[[Measure], Measure]


class Variant(NamedTuple):
    """One reading of a name. `change` makes it from the measure asked for, or raises InputError where it cannot."""

    who: str
    what: str
    change: Change | None


class Rule(NamedTuple):
    """Something that tools settle before they measure, and our option for it."""

    who: str
    what: str
    option: str
    value: str


# from the measure asked for to the one that another tool computes


def _set(**parameters: Any) -> Change:
    """With other parameters; one at its default is not written."""

    def changed(measure: Measure) -> Measure:
        wanted = {name: dict(value) if name == "gains" else value for name, value in measure.settings} | parameters
        wanted = {name: value for name, value in wanted.items() if value != dict(measure.parameters or ())[name]}
        plain = replace(measure, settings=())
        return plain(**wanted) if wanted else plain

    return changed


def _cut(cutoff: int | None) -> Change:
    return lambda measure: replace(measure, cutoff=cutoff)


def _as(record: Measure) -> Change:
    """Another measure with the same parameters, as far as it has them, and the same cutoff."""

    def changed(measure: Measure) -> Measure:
        known = dict(record.parameters or ())
        settings = {
            name: dict(value) if name == "gains" else value for name, value in measure.settings if name in known
        }
        variant = replace(record(**settings) if settings else record, cutoff=measure.cutoff)
        if not variant.complete:
            raise InputError(f"{record.name} needs a cutoff")
        return variant

    return changed


# measures that are not ours; nobody can ask for them by name


def _unlisted(record: Measure, kernel: Kernel, **fields: Any) -> Measure:
    return replace(record, kernel=kernel, parameters=None, settings=(), **fields)


def _capped_ap(relevant: Bools, total: Ints, *, cutoff: int) -> Floats:
    return average_precision(relevant, np.minimum(total, cutoff))


def _capped_q(relevant: Bools, gain: Floats, ideal: Floats, total: Ints, *, cutoff: int, beta: float = 1.0) -> Floats:
    return q_measure(relevant, gain, ideal, np.minimum(total, cutoff), beta=beta)


def _binary_ndcg(gain: Floats, ideal: Floats) -> Floats:
    return ndcg(gain, ideal)


def _raw_rbp(gain: Floats, *, p: float = 0.8) -> Floats:
    return rbp(gain, p=p)


def _residual_if_unjudged(unjudged: Bools, retrieved: Ints, *, p: float = 0.8) -> Floats:
    return np.where(unjudged.any(axis=-1), rbp_residual(unjudged, retrieved, p=p), 0.0)


def _residual_to_1000(unjudged: Bools, *, p: float = 0.8) -> Floats:
    return rank_sum(unjudged * geometric(unjudged.shape[-1], p)) + p**1000


def _not_unjudged(unjudged: Bools, pooled: Bools, *, cutoff: int) -> Floats:
    return 1 - np.count_nonzero(unjudged | pooled, axis=-1) / cutoff


_CAPPED_AP = _unlisted(AP, _capped_ap, cutoff_rule="required")
_CAPPED_Q = _unlisted(Q, _capped_q, cutoff_rule="required")
_BINARY_NDCG = _unlisted(nDCG, _binary_ndcg, gain="binary", gain_parameters=("rel",))
_RAW_RBP = _unlisted(RBP, _raw_rbp, gain="grade", gain_parameters=("gains",))


def _to_1000(measure: Measure) -> Measure:
    """INST's reader as cwl-eval has her."""
    from rankscope.measures.cwla.models import INST

    settings = {name: dict(value) if name == "gains" else value for name, value in measure.settings if name != "T"}
    if measure.cutoff is not None:
        raise InputError(f"{measure} ends at its own cutoff")
    return CWLA(model=INST(float(measure.values["T"])), tail="stop", **settings) @ 1000


_RECALL = (
    Variant("trec_eval, ir_measures, ranx", "share of all R relevant documents", _as(R)),
    Variant("BEIR R_cap", "share of min(R, k)", _as(R_cap)),
    Variant("'recall' of UniIR and others", "1 where any relevant document is found", _as(Success)),
)

VARIANTS = {
    "AP": (
        Variant("trec_eval, ir_measures, ranx, trectools", "over all R relevant documents", _set()),
        Variant("pyNTCIREVAL, recommenders (Spark style)", "over min(R, k)", _as(_CAPPED_AP)),
        Variant("cwl-eval, Haystack before its fix", "over the relevant documents found", _as(SN_AP)),
        Variant("tables that call it MAP@k", "not cut at all", _cut(None)),
    ),
    "nDCG": (
        Variant("trec_eval, ir_measures, scikit-learn, ranx ndcg", "gain is the grade", _set(dcg="log2", base=None)),
        Variant("gdeval, rankeval, ranx ndcg_burges", "gain is 2^grade - 1", _set(dcg="exp-log2", base=None)),
        Variant("pyNTCIREVAL, as first published", "discount max(1, log2 i)", _set(dcg="log2", base=2)),
        Variant("recommenders", "every relevant document gains 1", _as(_BINARY_NDCG)),
        Variant("mlflow (#24541), ToolBench (#184)", "ideal list from what was retrieved", _as(SN_DCG)),
        Variant("cwl-eval NDCG, ir_measures SDCG", "over k documents of full gain", _as(SDCG)),
        Variant("trec_eval ndcg", "list and ideal not cut", _cut(None)),
    ),
    "DCG": (
        Variant("ranx dcg", "gain is the grade", _set(dcg="log2", base=None)),
        Variant("ranx dcg_burges", "gain is 2^grade - 1", _set(dcg="exp-log2", base=None)),
        Variant("as first published, b = 2", "discount max(1, log2 i)", _set(dcg="log2", base=2)),
        Variant("as first published, b = 10", "discount max(1, log10 i)", _set(dcg="log2", base=10)),
    ),
    "P": (
        Variant("trec_eval, ir_measures, ranx", "over k, however short the list", _set()),
        Variant("AutoRAG as reported (#386)", "over the length of the list, where shorter than k",
                _as(_unlisted(P, set_precision))),
    ),
    "R": _RECALL,
    "R_cap": _RECALL,
    "Success": _RECALL,
    "RR": (
        Variant("trec_eval recip_rank", "however deep", _cut(None)),
        Variant("MS MARCO passages", "0 beyond rank 10", _cut(10)),
        Variant("MS MARCO documents", "0 beyond rank 100", _cut(100)),
    ),
    "RBP": (
        Variant("ir_measures", "p = 0.8", _set(p=0.8)),
        Variant("LensKit", "p = 0.85", _set(p=0.85)),
        Variant("trec_eval 10", "p = 0.9", _set(p=0.9)),
        Variant("pref_eval", "p = 0.5", _set(p=0.5)),
        Variant("pyNTCIREVAL", "p = 0.95, gain is grade / largest grade", _set(p=0.95, gain="linear")),
        Variant("cwl-eval", "gain as given, here grade / largest grade", _set(gain="linear")),
        Variant("ranx", "gain is the grade, so above 1 at times", _as(_RAW_RBP)),
    ),
    "INST": (
        Variant("rankscope", "the list goes on for ever", _set()),
        Variant("cwl-eval, ir_measures", "down to rank 1000, where everybody stops", _to_1000),
        Variant("cwl-eval", "T = 1", _set(T=1.0)),
    ),
    "RBPResidual": (
        Variant("cwl-eval, rbstar, irmetrics-r", "unjudged weight and the tail p^n", _set()),
        Variant("trec_eval 10", "0 where all retrieved documents are judged",
                _as(_unlisted(RBPResidual, _residual_if_unjudged))),
        Variant("trectools", "tail p^1000, however short the list", _as(_unlisted(RBPResidual, _residual_to_1000))),
    ),
    "ERR": (
        Variant("rankscope", "largest grade is that of the judgments", _set(max_rel=None)),
        Variant("gdeval, ir_measures", "largest grade is 4", _set(max_rel=4)),
    ),
    "Q": (
        Variant("rankscope", "over all R relevant documents", _set()),
        Variant("pyNTCIREVAL", "over min(R, k)", _as(_CAPPED_Q)),
    ),
    "Judged": (
        Variant("ir_measures", "over the length of the list", _set()),
        Variant("1 - unj of trec_eval 10", "over k, negative grades not judged, ranks past the end judged",
                _as(_unlisted(Judged, _not_unjudged, cutoff_rule="required"))),
        Variant("pyserini", "all topics pooled", None),
    ),
    "Bpref": (
        Variant("trec_eval, ir_measures", "negative grades are not judged", _set()),
        Variant("ranx", "negative grades are judged; NaN without judged non-relevant documents", None),
    ),
    "IPrec": (
        Variant("trec_eval 10", "x R rounded, halves up", _set(rounding="half-up")),
        Variant("trec_eval 9, pytrec_eval, ir_measures", "x R rounded up from 0.1", _set(rounding="trec_eval-9")),
    ),
    "SetF": (
        Variant("trec_eval set_F, ranx f1", "beta = 1; trec_eval's parameter is beta squared", _set(beta=1.0)),
    ),
}  # fmt: skip
"""By name of the measure. Facts about tools are as of 2026 and were read in their source or seen when run."""

RULES = (
    Rule("trec_eval, ir_measures, ranx, sklearn", "topics without relevant documents count 0", "undefined", "zero"),
    Rule("XGBoost, rankeval, elinor", "topics without relevant documents count 1", "undefined", "one"),
    Rule("trec_eval without -c, cwl-eval", "topics that a run lacks do not count", "missing", "drop"),
    Rule("ranx, cwl-eval", "equal scores in file order", "ties", "file"),
    Rule("(best case)", "equal scores, best grade first", "ties", "best"),
    Rule("(worst case)", "equal scores, worst grade first", "ties", "worst"),
    Rule("trec_eval 9, pytrec_eval", "scores compared as 32-bit floats", "score_dtype", "float32"),
)  # fmt: skip
"""What differs for all measures alike; a score of 1 for no relevant documents is told of nDCG only."""

RELOADED = tuple((rule.option, rule.value) for rule in RULES if rule.option in ("ties", "score_dtype"))
"""Options that order the lists: a collection has to be read again for each."""


def variants(measure: Measure) -> list[tuple[Variant, Measure | None]]:
    """Variants of a measure, each with the measure here that computes it, where there is one."""
    readings: list[tuple[Variant, Measure | None]] = []
    if isinstance(measure, Interval):  # other tools have no such scores
        return readings
    for variant in VARIANTS.get(measure.name, ()):
        try:
            equivalent = None if variant.change is None else variant.change(measure)
        except InputError:  # it makes no sense of these parameters or this cutoff
            continue
        if equivalent is None or equivalent not in [known for _, known in readings]:
            readings.append((variant, equivalent))
    return readings
