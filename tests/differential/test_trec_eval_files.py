"""trec_eval 10's own test outputs, to the four decimals it prints.

trec_eval 10 compares scores as doubles, as we do. It scores a topic without relevant documents as 0, which we do on
request.
"""

from __future__ import annotations

import gzip
import re
from typing import NamedTuple

import numpy as np
import pytest

import rankscope as rs

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")

HALF = 0.5e-4 + 1e-12  # half of the last digit


class Call(NamedTuple):
    """What trec_eval was given."""

    qrels: str = "qrels.test"
    run: str = "results.test"
    rel: int = 1  # -l


CALLS = {
    "out.test": Call(),
    "out.test.a": Call(),
    "out.test.aq": Call(),
    "out.test.aqc": Call(run="results.trunc"),  # -c: a missing topic scores 0, as it does with us
    "out.test.aql": Call(qrels="qrels.rel_level", rel=2),
    "out.test.meas_params": Call(),
}

PLAIN = {
    "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet", "map": "AP", "Rprec": "Rprec",
    "bpref": "Bpref", "recip_rank": "RR", "infAP": "infAP", "ndcg": "nDCG", "set_P": "SetP", "set_recall": "SetR",
    "set_F": "SetF", "Rprec_mult_1.00": "Rprec", "ndcg_1=3,2=9,4=4.5": "nDCG(gains={1:3,2:9,4:4.5})",
}  # fmt: skip
CUT = {
    "P": "P", "recall": "R", "relative_P": "R_cap", "success": "Success", "map_cut": "AP", "ndcg_cut": "nDCG",
    "iprec_at_recall": "IPrec",
}  # fmt: skip
GEOMETRIC = {"gm_map": "AP", "gm_bpref": "Bpref"}
FACE = "compared byte for byte in tests/cli/test_trec_eval.py"
NOT_COMPARED = {
    "runid": "a label, no number",
    "relstring": "a string of grades, no number",
    "relstring_20": "a string of grades, no number",
    "num_q": "no measure: the number of topics, which has its own test here",
    "rbp": "trec_eval 10 reads uninitialised memory where grades are not binary; the rest has its own test here",
    "rbp_resid": "0 where no retrieved document is unjudged, and negative grades are unjudged; own test here",
    "unj_5": "divided by k where the list is shorter, and negative grades are unjudged; own test here",
    "unj_10": "as unj_5",
    "unj_20": "as unj_5",
    "11pt_avg": FACE,
    "11pt_avg_.25,.5,.75": FACE,
    "Rndcg": FACE,
    "ndcg_rel": FACE,
    "G": FACE,
    "binG": FACE,
    "set_map": FACE,
    "set_relative_P": FACE,
    "num_nonrel_judged_ret": FACE,
    "utility": FACE,
    "utility_2,-1,0,0": FACE,
} | {f"Rprec_mult_{x:.2f}": FACE for x in (0.2, 0.35, 0.4, 0.6, 0.8, 1.2, 1.4, 1.6, 1.8, 2, 5)}
WITHOUT_REL = ("nDCG", "NumRet")


def ours(name: str, rel: int) -> str | None:
    """Our measure for a name of trec_eval's."""
    family, _, cutoff = name.rpartition("_")
    if name in PLAIN | GEOMETRIC:
        measure = (PLAIN | GEOMETRIC)[name]
        return measure if measure.startswith(WITHOUT_REL) else f"{measure}(rel={rel})"
    if family in CUT and re.fullmatch(r"[0-9.]+", cutoff):
        measure = CUT[family] if CUT[family] in WITHOUT_REL else f"{CUT[family]}(rel={rel})"
        return f"{measure}@{cutoff}"
    return None


def rows(data, output: str) -> list[tuple[str, str, str]]:
    """Name, topic and value of each line."""
    text = (data / "trec-eval-test" / output).read_text()
    return [tuple(line.split()) for line in text.splitlines()]


@pytest.fixture
def scored(data, tmp_path):
    def score(call: Call, measures: list[str]) -> rs.Scores:
        folder, run = data / "trec-eval-test", tmp_path / "run"
        # trec_eval ignores what follows the sixth field; to us it is a mistake that must be mended
        lines = (folder / call.run).read_text().splitlines()
        run.write_text("\n".join(" ".join(line.split()[:6]) for line in lines))
        return rs.evaluate(rs.load(folder / call.qrels, run, undefined="zero"), measures)

    return score


def test_every_row_is_compared_or_said_not_to_be(data):
    names = {name for output in CALLS for name, _, _ in rows(data, output)}
    assert {name for name in names if ours(name, 1) is None} == NOT_COMPARED.keys()


@pytest.mark.parametrize("output", CALLS)
def test_rows(data, scored, output):
    call = CALLS[output]
    wanted = {(name, topic): float(value) for name, topic, value in rows(data, output) if ours(name, call.rel)}
    scores = scored(call, [ours(name, call.rel) for name, _ in wanted])
    means = {"arithmetic": scores.mean().to_dict(), "geometric": scores.mean("geometric").to_dict()}
    (system,) = scores.systems
    by_topic = scores.to_dict()[system]
    wrong = []
    for (name, topic), value in wanted.items():
        measure = str(rs.measure(ours(name, call.rel)))
        how = "geometric" if name in GEOMETRIC else "arithmetic"
        got = (means[how][system] if topic == "all" else by_topic[topic])[measure]
        if not abs(got - value) <= HALF:
            wrong.append(f"{name} {topic}: {got} {value}")
    assert not wrong
    assert len(wanted) >= 25


@pytest.mark.parametrize("output", [output for output in CALLS if output != "out.test.meas_params"])
def test_number_of_topics(data, scored, output):
    (told,) = (int(value) for name, _, value in rows(data, output) if name == "num_q")
    assert scored(CALLS[output], ["AP"]).mean().n_topics.item() == told


def test_text_after_the_sixth_field_is_ignored_and_said(data):
    folder = data / "trec-eval-test"
    judged = rs.load(folder / "qrels.test", folder / "results.trunc")
    assert "fields after the sixth, ignored as in trec_eval: lines, 5 in results.trunc" in judged.notes


def test_unjudged_documents_and_rbp(data, scored):
    """Where grades are 0 and 1 and lists are long, unj, rbp and rbp_resid are what we mean by them."""
    measures = ["Judged@5", "Judged@10", "Judged@20", "RBPResidual(p=0.9)", "RBP(p=0.9)"]
    value = scored(CALLS["out.test.aq"], measures).value[:, 0]
    got = dict(zip(("unj_5", "unj_10", "unj_20", "rbp_resid", "rbp"), [*(1 - value[:3]), *value[3:]], strict=True))
    by_topic = [row for row in rows(data, "out.test.aq") if row[1] != "all"]
    for name, values in got.items():
        told = [float(value) for here, _, value in by_topic if here == name]
        assert values.tolist() == pytest.approx(told, abs=HALF), name


GRADED = ("dl19-passage.TUW19-p3-f", "robust04-part.new_indri-bm25", "core17-queryvariants.KIS.S3p.10")


def printed(data, run, flags, name):
    """What trec_eval 10 prints for a measure, by topic and for all."""
    with gzip.open(data / "trec-eval-outputs" / f"{run}.{flags}.gz", "rt") as file:
        rows = [line.split() for line in file]
    return {topic: float(value) for measure, topic, value in rows if measure == name}


@pytest.mark.parametrize("which", GRADED)
def test_graded_rbp_and_totals_of_relevant_documents_differ_as_the_page_says(data, which):
    collection, run = which.split(".", 1)
    qrels, file = data / collection / "qrels.gz", data / collection / "runs" / f"{run}.gz"
    judged = rs.load(qrels, file)
    grade = np.append([0.0, 0.0], np.maximum(judged.grades, 0))[judged.code[0]]
    largest = np.array([judged.grades[there > 0].max() for there in judged.available])
    theirs = printed(data, which, "_q_mall_trec", "rbp")
    for topic, row, top in zip(judged.topics, grade, largest, strict=True):
        by_hand = 0.1 * (row / max(top, 1) * 0.9 ** np.arange(row.size)).sum()
        assert theirs[topic] == pytest.approx(by_hand, abs=HALF)
    assert printed(data, which, "_l2_q_mall_trec", "rbp") == theirs  # -l does not touch it
    ours_ = dict(zip(judged.topics, rs.evaluate(judged, 'RBP(p=0.9,gain="linear")').value[0, 0], strict=True))
    assert max(abs(ours_[topic] - theirs[topic]) for topic in judged.topics) > 0.2
    # -l 2 without -c; with -c alone every grade above 0 counts, and so it does under -c -l 2
    some = int(rs.evaluate(rs.load(qrels, file, rel=2), "NumRel").mean().value[0, 0])
    assert printed(data, which, "_l2_q_mall_trec", "num_rel")["all"] == some
    assert printed(data, which, "_c_q_mofficial", "num_rel")["all"] > some
