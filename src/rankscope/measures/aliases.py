"""Measure names of other tools and the measures they stand for: one table, and functions that look names up."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from rankscope.errors import InputError
from rankscope.measures.cwla import paper


class Alias(NamedTuple):
    """A spelling of a tool, and ours.

    What stands in [ ] may be left out. {k} is a cutoff, {ks} one or more by commas, {xs} recall levels likewise,
    {p} a number below 1 and {d} its decimals; `_{ks}` is read as `.{ks}` too. The remark says where the tool
    computes something else than we do.
    """

    tool: str
    spelling: str
    ours: str
    remark: str = ""


class Refusal(NamedTuple):
    """A spelling without an equivalent here, and what to ask for instead."""

    spelling: str
    cause: str
    cure: str


class ResolvedName(NamedTuple):
    """Our text for a foreign name; `level` is the threshold that ranx writes as -l2."""

    ours: str
    level: int | None
    remark: str


_DEPTHS = "[5,10,15,20,30,100,200,500,1000]"  # trec_eval's cutoffs where none are named
_LEVELS = "[0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0]"

_RANX = "ranx orders ties by input, keeps the last of duplicates and scores topics without relevant documents 0"
_RANX_RBP = "ranx takes raw grades as gains, RBP is binary by default; " + _RANX
_RANX_HITS = "ranx averages hits over topics, NumRelRet is their sum; " + _RANX
_RANX_BPREF = (
    "ranx counts negative grades as judged, gives NaN without judged non-relevant documents, and can give 0 to "
    "topics that follow one without relevant documents"
)
_TREC_RBP = (
    "trec_eval 10 takes p = 0.9 where none is named, and the grade over the topic's largest for gain, whatever -l "
    "says; here relevance is binary"
)
_TREC_RESIDUAL = "trec_eval 10 takes p = 0.9 where none is named, and prints 0 where all retrieved documents are judged"
_CWL = "cwl-eval calls NDCG what is DCG over that of k documents of full gain; here the ideal comes from the judgments"
_AT_NDCG = "recommenders' ndcg_at_k lets every relevant item gain 1 by default; MTEB's takes grades, as here"
_AT_MAP = "recommenders' map_at_k divides by min(R, k); MTEB's divides by R, as here"
_AT_MRR = "MTEB broke ties by input order before 2026; here document id decides"
_PAPERS = "C/W/L/A papers"
_PYSERINI = "pyserini pools all topics before it divides, in file order; Judged is a mean over topics"

ALIASES = (
    Alias("trec_eval", "map", "AP"),
    Alias("trec_eval", "map_cut_{ks}", "AP@{ks}"),
    Alias("trec_eval", "map_cut", f"AP@{_DEPTHS}"),
    Alias("trec_eval", "ndcg", "nDCG"),
    Alias("trec_eval", "ndcg_cut_{ks}", "nDCG@{ks}"),
    Alias("trec_eval", "ndcg_cut", f"nDCG@{_DEPTHS}"),
    Alias("trec_eval", "recip_rank", "RR"),
    Alias("trec_eval", "P_{ks}", "P@{ks}"),
    Alias("trec_eval", "recall_{ks}", "R@{ks}"),
    Alias("trec_eval", "Rprec", "Rprec"),
    Alias("trec_eval", "bpref", "Bpref"),
    Alias("trec_eval", "infAP", "infAP"),
    Alias("trec_eval", "success_{ks}", "Success@{ks}"),
    Alias("trec_eval", "success", "Success@[1,5,10]"),
    Alias("trec_eval", "iprec_at_recall_{xs}", "IPrec@{xs}"),
    Alias("trec_eval", "iprec_at_recall", f"IPrec@{_LEVELS}"),
    Alias("trec_eval", "set_P", "SetP"),
    Alias("trec_eval", "set_recall", "SetR"),
    Alias("trec_eval", "set_F", "SetF"),
    Alias("trec_eval", "set_map", "SetAP"),
    Alias("trec_eval", "set_relative_P", "SetRelP"),
    Alias("trec_eval", "relative_P_{ks}", "R_cap@{ks}"),
    Alias("trec_eval", "relative_P", f"R_cap@{_DEPTHS}"),
    Alias("trec_eval", "11pt_avg", "IPrec_avg"),
    Alias("trec_eval", "unj_{ks}", "unj@{ks}"),
    Alias("trec_eval", "num_q", "NumQ"),
    Alias("trec_eval", "num_nonrel_judged_ret", "NumNonRelJudgedRet"),
    Alias("trec_eval", "num_ret", "NumRet"),
    Alias("trec_eval", "num_rel", "NumRel"),
    Alias("trec_eval", "num_rel_ret", "NumRelRet"),
    Alias("trec_eval", "rbp", "RBP(p=0.9)", _TREC_RBP),
    Alias("trec_eval", "rbp.p={p}", "RBP(p={p})", _TREC_RBP),
    Alias("trec_eval", "rbp_resid", "RBPResidual(p=0.9)", _TREC_RESIDUAL),
    Alias("trec_eval", "rbp_resid.p={p}", "RBPResidual(p={p})", _TREC_RESIDUAL),
    Alias("ranx", "map[@{k}]", "AP[@{k}]", _RANX),
    Alias("ranx", "mrr[@{k}]", "RR[@{k}]", _RANX),
    Alias("ranx", "ndcg[@{k}]", "nDCG[@{k}]", _RANX),
    Alias("ranx", "ndcg_burges[@{k}]", 'nDCG(dcg="exp-log2")[@{k}]', _RANX),
    Alias("ranx", "dcg[@{k}]", "DCG[@{k}]", _RANX),
    Alias("ranx", "dcg_burges[@{k}]", 'DCG(dcg="exp-log2")[@{k}]', _RANX),
    Alias("ranx", "precision@{k}", "P@{k}", _RANX),
    Alias("ranx", "precision", "SetP", _RANX),
    Alias("ranx", "recall@{k}", "R@{k}", _RANX),
    Alias("ranx", "f1@{k}", "F@{k}", _RANX),
    Alias("ranx", "f1", "SetF", _RANX),
    Alias("ranx", "r-precision", "Rprec", _RANX),
    Alias("ranx", "hit_rate[@{k}]", "Success[@{k}]", _RANX),
    Alias("ranx", "hits[@{k}]", "NumRelRet[@{k}]", _RANX_HITS),
    Alias("ranx", "bpref", "Bpref", _RANX_BPREF),
    Alias("ranx", "rbp.{d}", "RBP(p=0.{d})", _RANX_RBP),
    Alias("MTEB, recommenders", "ndcg_at_{k}", "nDCG@{k}", _AT_NDCG),
    Alias("MTEB, recommenders", "map_at_{k}", "AP@{k}", _AT_MAP),
    Alias("MTEB, recommenders", "mrr_at_{k}", "RR@{k}", _AT_MRR),
    Alias("MTEB, recommenders", "recall_at_{k}", "R@{k}"),
    Alias("MTEB, recommenders", "precision_at_{k}", "P@{k}"),
    Alias("MTEB, recommenders", "hit_rate_at_{k}", "Success@{k}"),
    Alias("pyserini", "judged_{ks}", "Judged@{ks}", _PYSERINI),
    Alias("cwl-eval", "NDCG-k@{k}", "nDCG@{k}", _CWL),
    Alias("Moffat, Jones et al.", "SN-AP[@{k}]", "SN_AP[@{k}]"),
    Alias("Moffat, Jones et al.", "SN-DCG[@{k}]", "SN_DCG[@{k}]"),
    Alias("Moffat, Jones et al.", "Prec@{k}", "P@{k}"),
    *(Alias(_PAPERS, f"{short}[@{{k}}]", f"{ours}[@{{k}}]") for short, ours in paper.SHORT.items()),
    Alias("as people say", "MAP[@{k}]", "AP[@{k}]"),
    Alias("as people say", "MRR[@{k}]", "RR[@{k}]"),
    Alias("as people say", "NDCG[@{k}]", "nDCG[@{k}]", _CWL),
    Alias("as people say", "Precision@{k}", "P@{k}"),
    Alias("as people say", "Recall@{k}", "R@{k}"),
    Alias("as people say", "F1@{k}", "F@{k}"),
    Alias("as people say", "HIT[@{k}]", "Success[@{k}]"),
    Alias("as people say", "Hit@{k}", "Success@{k}"),
    Alias("as people say", "HitRate@{k}", "Success@{k}"),
    Alias("as people say", "HR@{k}", "Success@{k}"),
)

REFUSED = (
    Refusal("recall", "recall is R@k at nine cutoffs in trec_eval, of the whole list in ranx", "write R@100, or SetR"),
    Refusal("Hits[@{k}]", "Hits is a number of documents to some and a share of topics to others",
            "write NumRelRet@10 or Success@10"),
    Refusal("Hole[@{k}]", "Hole is the share of documents that no topic has judged",
            "ask for Judged@10, the share that the topic itself has judged"),
    *(Refusal(f"{short}[@{{k}}]", *why) for short, why in paper.REFUSED.items()),
)  # fmt: skip

_NUMBER, _SHARE = r"\d{1,9}", r"[01]?\.\d{1,9}|[01]"
_SLOTS = {
    "k": rf"(?P<k>{_NUMBER})",
    "ks": rf"(?P<ks>{_NUMBER}(?:,{_NUMBER})*)",
    "xs": rf"(?P<xs>(?:{_SHARE})(?:,(?:{_SHARE}))*)",
    "p": r"(?P<p>0?\.\d{1,9})",
    "d": r"(?P<d>\d{1,9})",
}
_SHOWN = {"k": "k", "ks": "k", "xs": "x", "p": "0.8", "d": "80"}
_ANY = rf"(?P<name>[A-Za-z]\w*?)(?:_at_|[_.])(?P<ks>{_NUMBER}(?:,{_NUMBER})*)"


def find(text: str, *, fold: bool = False) -> ResolvedName | None:
    """Our text for a foreign name, or None; `fold` ignores case. Raises InputError for names that are refused."""
    for row, pattern in _patterns(fold):
        if match := pattern.fullmatch(text):
            if isinstance(row, Refusal):
                raise InputError(row.cause, row.cure)
            slots = match.groupdict()
            level = slots.pop("level", None)
            return ResolvedName(_filled(row.ours, slots), None if level is None else int(level), row.remark)
    return None


def spelt_out(text: str) -> str | None:
    """`nDCG_10`, `nDCG.10,20` and `nDCG_at_10` as `nDCG@10` and so on, whatever the name."""
    match = re.fullmatch(_ANY, text)
    return None if match is None else _filled("{name}@{ks}", match.groupdict())


def spellings(name: str) -> dict[str, list[str]]:
    """Spellings of a measure by tool, as `ndcg_cut_k`."""
    by_tool: dict[str, list[str]] = {}
    for alias in ALIASES:
        if home(alias) == name and alias.spelling != name:
            by_tool.setdefault(alias.tool, []).append(alias.spelling.format_map(_SHOWN))
    return by_tool


def foreign_names() -> dict[str, str]:
    """Measures by foreign name, cutoffs removed."""
    return {re.split(r"[\[{]", alias.spelling)[0].rstrip("_@."): home(alias) for alias in ALIASES
            if alias.tool != _PAPERS}  # fmt: skip


def home(alias: Alias) -> str:
    """Name of the measure that an alias stands for."""
    return re.split(r"\W", alias.ours)[0]


@cache
def _patterns(fold: bool) -> list[tuple[Alias | Refusal, re.Pattern[str]]]:
    flags = re.IGNORECASE if fold else 0
    rows: list[Alias | Refusal] = [*REFUSED, *ALIASES]
    return [(row, re.compile(_pattern(row), flags)) for row in rows]


def _pattern(row: Alias | Refusal) -> str:
    text = re.escape(row.spelling).replace(r"\[", "(?:").replace(r"\]", ")?").replace(r"\{", "{").replace(r"\}", "}")
    text = text.replace("_{ks}", "[_.]{ks}").replace("_{xs}", "[_.]{xs}")
    for slot, pattern in _SLOTS.items():
        text = text.replace(f"{{{slot}}}", pattern)
    level = r"(?:-l(?P<level>\d{1,2}))?" if isinstance(row, Alias) and row.tool == "ranx" else ""
    return text + level


def _filled(ours: str, slots: dict[str, str | None]) -> str:
    """Our text, its slots filled with the user's numbers."""
    for slot, text in slots.items():
        if text is None:
            ours = re.sub(rf"\[[^\]]*\{{{slot}\}}[^\]]*\]", "", ours)
        else:
            ours = ours.replace(f"{{{slot}}}", text if slot in ("name", "p", "d") else _numbers(text))
    return re.sub(r"\[@(\d+)\]", r"@\1", ours)


def _numbers(text: str) -> str:
    """Cutoffs or levels as Python would write them: one bare, more in brackets."""
    each = [str(float(part)) if "." in part else str(int(part)) for part in text.split(",")]
    return each[0] if len(each) == 1 else f"[{','.join(each)}]"
