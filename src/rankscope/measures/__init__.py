"""Measures: one record and one pure kernel each, known by name."""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily
from rankscope.measures.catalogue.accuracy import Accuracy
from rankscope.measures.catalogue.ap import AP, SN_AP, SP, AP_cap, Rprec, Rprec_mult, SetAP, gm_map, yaap
from rankscope.measures.catalogue.bpref import Bpref, Judged, gm_bpref, infAP, unj
from rankscope.measures.catalogue.compat import Compat
from rankscope.measures.catalogue.counts import NumNonRelJudgedRet, NumQ, NumRel, NumRelRet, NumRet, utility
from rankscope.measures.catalogue.dcg import DCG, SDCG, SN_DCG, Rndcg, nDCG, ndcg_rel
from rankscope.measures.catalogue.err import ERR
from rankscope.measures.catalogue.f import F, SetF
from rankscope.measures.catalogue.g import G, binG
from rankscope.measures.catalogue.generalised import gP, gR, gRBP
from rankscope.measures.catalogue.iprec import IPrec, IPrec_avg
from rankscope.measures.catalogue.nuggets import NuggetRecall
from rankscope.measures.catalogue.p import P, SetP, SetRelP
from rankscope.measures.catalogue.q import Q
from rankscope.measures.catalogue.r import R, R_cap, SetR
from rankscope.measures.catalogue.rbp import RBP, RBPResidual
from rankscope.measures.catalogue.rr import RR, Success
from rankscope.measures.catalogue.subtopics import SUBTOPICS
from rankscope.measures.catalogue.total_orders import LPTO, RBTO, SBTO
from rankscope.measures.cwla import RECORDS
from rankscope.measures.cwla.nearly_err import NEARLY_ERR
from rankscope.measures.inputs import INPUTS as INPUTS, MeasureInputs as MeasureInputs
from rankscope.measures.names import MEASURES as MEASURES, add, measure as measure, parse as parse, register as register
from rankscope.measures.record import Measure as Measure

if TYPE_CHECKING:
    from rankscope.measures.bounding import Bounds as Bounds, bounds as bounds
    from rankscope.measures.scores import Means as Means, Scores as Scores
    from rankscope.measures.scoring import evaluate as evaluate
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {"bounding": "Bounds bounds", "scores": "Means Scores", "scoring": "evaluate"},
        "INPUTS MEASURES Measure MeasureInputs measure parse register",
    )

for _record in (
    AP, nDCG, DCG, P, R, R_cap, F, RR, Success, RBP, RBPResidual, ERR, Q, Rprec, Bpref, infAP, IPrec,
    SetP, SetR, SetF, Judged, NumRet, NumRel, NumRelRet,
    SBTO, RBTO, LPTO, gP, gR, gRBP, SP, SN_AP, SN_DCG, SDCG, *RECORDS,
    AP_cap, SetAP, SetRelP, Rprec_mult, IPrec_avg, yaap, gm_map, gm_bpref, G, binG, Rndcg, ndcg_rel, utility, unj,
    NumQ, NumNonRelJudgedRet, Accuracy, Compat, *NEARLY_ERR, *SUBTOPICS, NuggetRecall,
):  # fmt: skip
    add(_record)
