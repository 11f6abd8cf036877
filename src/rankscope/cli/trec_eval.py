"""rankscope trec_eval: the command line and the output of trec_eval 10, byte for byte, on our own measures."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rankscope.cli.help_texts import INPUT, METHOD, OUTPUT, described, section

if TYPE_CHECKING:
    from rankscope.arrays import Bools, Floats, Ints
    from rankscope.measures import MeasureInputs

_DEPTHS = "5,10,15,20,30,100,200,500,1000"
_MULTIPLES = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"
_LEVELS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"


class Line(NamedTuple):
    """A measure of trec_eval's.

    ours      our measure, its cutoff or parameter as {}, rel={rel} where it has a threshold; empty where it is no score
    default   cutoffs or parameters where none are given; None where it takes none
    form      what its parameters are: "ranks", "levels", "values" or "gains"; "" for none
    """

    ours: str
    default: str | None = None
    form: str = ""


MEASURES = {
    "runid": Line(""),
    "num_q": Line(""),
    "num_ret": Line("NumRet"),
    "num_rel": Line("NumRel(rel={rel})"),
    "num_rel_ret": Line("NumRelRet(rel={rel})"),
    "map": Line("AP(rel={rel})"),
    "gm_map": Line("gm_map(rel={rel})"),
    "Rprec": Line("Rprec(rel={rel})"),
    "bpref": Line("Bpref(rel={rel})"),
    "recip_rank": Line("RR(rel={rel})"),
    "iprec_at_recall": Line("IPrec(rel={rel})@{}", _LEVELS, "levels"),
    "P": Line("P(rel={rel})@{}", _DEPTHS, "ranks"),
    "relstring": Line("", "10", "values"),
    "recall": Line("R(rel={rel})@{}", _DEPTHS, "ranks"),
    "infAP": Line("infAP(rel={rel})"),
    "gm_bpref": Line("gm_bpref(rel={rel})"),
    "Rprec_mult": Line("Rprec_mult(rel={rel},mult={})", _MULTIPLES, "levels"),
    "utility": Line("utility(rel={rel},{})", "1,-1,0,0", "values"),
    "11pt_avg": Line('IPrec_avg(rel={rel},levels="{}")', _LEVELS, "values"),
    "binG": Line("binG(rel={rel})"),
    "G": Line("G", None, "gains"),
    "dcg": Line("DCG", None, "gains"),
    "ideal_dcg": Line("DCG", None, "gains"),
    "ndcg": Line("nDCG", None, "gains"),
    "ndcg_rel": Line("ndcg_rel", None, "gains"),
    "Rndcg": Line("Rndcg", None, "gains"),
    "ndcg_cut": Line("nDCG@{}", _DEPTHS, "ranks"),
    "map_cut": Line("AP(rel={rel})@{}", _DEPTHS, "ranks"),
    "relative_P": Line("R_cap(rel={rel})@{}", _DEPTHS, "ranks"),
    "success": Line("Success(rel={rel})@{}", "1,5,10", "ranks"),
    "set_P": Line("SetP(rel={rel})"),
    "set_relative_P": Line("SetRelP(rel={rel})"),
    "set_recall": Line("SetR(rel={rel})"),
    "set_map": Line("SetAP(rel={rel})"),
    "set_F": Line("SetF(rel={rel})", "1", "values"),
    "num_nonrel_judged_ret": Line("NumNonRelJudgedRet(rel={rel})"),
    "map_avgjg": Line("AP(rel={rel})"),
    "P_avgjg": Line("P(rel={rel})@{}", _DEPTHS, "ranks"),
    "Rprec_mult_avgjg": Line("Rprec_mult(rel={rel},mult={})", _MULTIPLES, "levels"),
    "yaap": Line("yaap(rel={rel})"),
    "rbp": Line('RBP(p={},gain="linear")', None, "gains"),
    "rbp_resid": Line("RBPResidual(p=0.9)"),
    "unj": Line("unj@{}", "5,10,20", "ranks"),
}
"""Measures of trec_eval in the order in which it prints them."""

_AVERAGES = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")  # over the judges of a topic
NICKNAMES = {
    "official": "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P",
    "set": "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F",
    "all_trec": " ".join(name for name in MEASURES if name not in ("dcg", "ideal_dcg", "yaap", *_AVERAGES)),
    "qrels_jg": " ".join(("runid", "num_q", *_AVERAGES)),
}
_COUNTS = ("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")  # summed over topics, printed whole
_GEOMETRIC = ("gm_map", "gm_bpref")
_OVER_TOPICS = ("runid", "num_q", *_GEOMETRIC)  # not printed by topic
_PREFERENCES = ("prefs", "all_prefs")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("trec_eval", **described(
        "trec_eval",
        "Print what trec_eval 10 prints, for its own options. A run of - is read from standard input.",
        "qrels.gz runs/hybrid-1.gz",
        "-q -m P.5,10 -m ndcg_cut.10 qrels.gz runs/hybrid-1.gz",
        usage="QRELS RUN",
    ))  # fmt: skip
    parser.add_argument("qrels", metavar="QRELS", help="judgments, in any format that can be read")
    parser.add_argument("trec_run", metavar="RUN", help="run, in any format that can be read; - for standard input")
    method, output = section(parser, METHOD), section(parser, OUTPUT)
    method.add_argument("-m", "--measure", dest="trec_measures", action="append", metavar="NAME[.PARAMETERS]",
                        help="measure of trec_eval, or official, all_trec, set or qrels_jg "
                        "(default: official)")  # fmt: skip
    method.add_argument("-c", "--complete_rel_info_wanted", dest="complete", action="store_true",
                        help="average over all judged topics; those that the run lacks score 0")  # fmt: skip
    method.add_argument("-l", "--level_for_rel", dest="level_for_rel", metavar="GRADE", type=int, default=1,
                        help="lowest relevant grade (default: 1)")  # fmt: skip
    method.add_argument("-M", "--Max_retrieved_per_topic", dest="most", metavar="N", type=int,
                        help="use so many documents of each list (default: all)")  # fmt: skip
    method.add_argument("-N", "--Number_docs_in_coll", dest="docs", metavar="N", type=int, default=0,
                        help="number of documents in the collection, for utility (default: 0)")  # fmt: skip
    method.add_argument("-J", "--Judged_docs_only", dest="judged_only", action="store_true",
                        help="take unjudged documents out of all lists first")  # fmt: skip
    output.add_argument("-q", "--query_eval_wanted", dest="by_topic", action="store_true",
                        help="print every topic, too")  # fmt: skip
    output.add_argument("-n", "--nosummary", dest="no_summary", action="store_true", help="print no means")
    output.add_argument("-o", "--Output_old_results_format", dest="old", action="store_true",
                        help="nothing: trec_eval 10 takes this option and ignores it")  # fmt: skip
    files = section(parser, INPUT)
    files.add_argument("-R", "--Rel_info_format", dest="rel_format", metavar="FORMAT", default="qrels",
                       help="format of the judgments: qrels, or qrels_jg, whose column 2 names the judge "
                       "(default: qrels)")  # fmt: skip
    files.add_argument("-T", "--Results_format", dest="results_format", metavar="FORMAT", default="trec_results",
                       help="format of the run: trec_results alone (default: trec_results)")  # fmt: skip
    output.add_argument("-D", "--Debug_level", dest="debug", metavar="LEVEL", help="refused: there is no debug output")
    output.add_argument("-Z", "--Zscore", dest="zscores", metavar="FILE", help="refused: scores are not turned into z")
    output.add_argument("-v", "--version", dest="version", action="version", version="trec_eval 10.0, by rankscope",
                        help="print the version of trec_eval whose output this is")  # fmt: skip
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.cli.output_formats import on_terminal, put
    from rankscope.formatting import visible
    from rankscope.io.trec import refuse_unreadable

    def written(name: str) -> str:
        if on_terminal(None):
            return visible(name)
        refuse_unreadable(name.encode("utf-8", "surrogateescape"), "JSON can (rankscope evaluate --json)")
        return name

    _refuse(args)
    chosen = _chosen(args.trec_measures or ["official"], args.rel_format)
    groups, topics, runid = _lists(args)
    out: list[str] = []
    values: list[tuple[str, str, Any]] = []  # measure, printed name, one value per topic
    for name, parameters in chosen.items():
        scores = _averaged([(_scores(name, parameters, group.lists, args), group.rows) for group in groups])
        values += [(name, printed, _of_all_topics(name, value, topics)) for printed, value in scores]
    if args.by_topic:
        lines = [(f"{printed:<22}\t", _texts(name, value)) for name, printed, value in values
                 if name not in _OVER_TOPICS]  # fmt: skip
        for t, topic in enumerate(map(written, topics.names)):
            out += [f"{head}{topic}\t{texts[t]}\n" for head, texts in lines]
    if not args.no_summary:
        out += [f"{printed:<22}\tall\t{text}\n" for printed, text in _summary(values, topics, written(runid), args)]
    put("".join(out), None)
    return 0


def _refuse(args: argparse.Namespace) -> None:
    """Refuse what trec_eval has and this command has not, all at once."""
    from rankscope.errors import InputError, Problem

    problems = []
    if args.debug is not None:
        problems.append(Problem("-D asks for trec_eval's debug output", "leave it out; rankscope explain says how a "
                                "measure is computed"))  # fmt: skip
    if args.zscores is not None:
        problems.append(Problem("-Z asks for z scores", "leave it out; rankscope compare and rank test differences"))
    if args.rel_format not in ("qrels", "qrels_jg"):
        cure = "give judgments of documents; preferences of documents are not evaluated here"
        problems.append(Problem(f"-R {args.rel_format} is no format of judgments here", cure))
    if args.results_format != "trec_results":
        problems.append(Problem(f"-T {args.results_format} is no format of runs here", "leave it out: the content of a "
                                "file shows its format"))  # fmt: skip
    if args.most is not None and args.most < 1:
        problems.append(Problem(f"-M {args.most} leaves no document", "give a number from 1"))
    if problems:
        raise InputError(problems)


def _chosen(texts: Sequence[str], rel_format: str) -> dict[str, str | None]:
    """Measures in trec_eval's order, with the parameters that were given first; one InputError lists all problems."""
    from rankscope.errors import InputError, Problem, did_you_mean

    parameters: dict[str, str | None] = {}
    problems = []
    for text in texts:
        name, dot, rest = text.partition(".")
        names = NICKNAMES[name].split() if name in NICKNAMES else [name]
        if name.startswith(_PREFERENCES):
            problems.append(Problem(f"{name} needs preferences of documents", "such files are not read here"))
        elif names[0] not in MEASURES:
            problems.append(Problem(f"trec_eval has no measure {name!r}", did_you_mean(name, [*MEASURES, *NICKNAMES])))
        elif dot and not MEASURES[names[0]].form:
            problems.append(Problem(f"{name} takes no parameters", f"write -m {name}"))
        else:
            if set(names) & set(_AVERAGES) and rel_format != "qrels_jg":
                problems.append(Problem(f"{name} is an average over judges", "add -R qrels_jg, for judgments whose "
                                        "second column names the judge"))  # fmt: skip
            elif rel_format == "qrels_jg" and not set(names) <= {"runid", "num_q", *_AVERAGES}:
                problems.append(Problem(f"{name} is of one judge, and -R qrels_jg reads several",
                                        "write -m qrels_jg, or one of " + ", ".join(_AVERAGES)))  # fmt: skip
            for known in names:
                parameters[known] = parameters.get(known) or (rest if dot else None)
    if problems:
        raise InputError(problems)
    return {name: parameters[name] for name in MEASURES if name in parameters}


class _Topics(NamedTuple):
    """Topics in the order of their bytes: those that both files have, and with -c all that are judged.

    here       whether the run has the topic
    above_zero documents with a grade above 0
    """

    names: list[str]
    here: Bools
    above_zero: Ints


class _Group(NamedTuple):
    """Lists under one judge, and the rows of their topics among all topics."""

    lists: MeasureInputs
    rows: Ints


def _lists(args: argparse.Namespace) -> tuple[list[_Group], _Topics, str]:
    """Lists as trec_eval sees them, once per judge, and the tag of the run."""
    import os

    import numpy as np

    from rankscope.io.files import pipes_kept
    from rankscope.judged import load
    from rankscope.measures import MeasureInputs

    path = "/dev/stdin" if args.trec_run == "-" else args.trec_run
    with pipes_kept():
        missing = "zero" if args.complete else "drop"
        rules = {"depth": args.most, "rel": args.level_for_rel, "missing": missing}
        if args.rel_format == "qrels_jg":
            from rankscope.judged.judges import load_groups

            judges = load_groups(args.qrels, {"run": path}, **rules)
            tables = [judges.judged(name) for name in sorted(judges.names, key=os.fsencode)]
        else:
            tables = [load(args.qrels, {"run": path}, **rules)]
        runid = _runid(path)
    retrieved = {t: n for table in tables for t, n in zip(table.topics, table.retrieved[0].tolist(), strict=True)}
    names = sorted((topic for topic, n in retrieved.items() if n or args.complete), key=os.fsencode)
    place = {topic: row for row, topic in enumerate(names)}
    groups, above_zero = [], np.zeros(len(names), np.int64)
    for table in tables:
        pairs = sorted((place[topic], t) for t, topic in enumerate(table.topics) if topic in place)
        rows, at = np.array(pairs, np.int64).reshape(-1, 2).T
        grades = np.trunc(table.grades)  # grades are whole numbers there
        code = _only_judged(table.code[0, at], grades) if args.judged_only else table.code[0, at]
        lists = MeasureInputs(code, grades, table.available[at])
        groups.append(_Group(lists, rows))
        above_zero[rows] += lists.available[:, grades >= 1].sum(axis=-1)
    here = np.array([retrieved[topic] > 0 for topic in names], np.bool_)
    return groups, _Topics(names, here, above_zero), runid


def _only_judged(code: Any, grades: Floats) -> Any:
    """Codes of lists without their unjudged documents."""
    import numpy as np

    from rankscope.arrays import FIRST_GRADE

    zero = FIRST_GRADE + int(np.searchsorted(grades, 0))
    order = np.argsort(code < zero, axis=-1, kind="stable")
    return np.take_along_axis(np.where(code < zero, 0, code).astype(code.dtype), order, axis=-1)


def _averaged(groups: list[tuple[Iterator[tuple[str, Any]], Ints]]) -> Iterator[tuple[str, Any]]:
    """Printed names, and the mean over the judges of each topic; a judge without relevant documents counts 0."""
    import numpy as np

    if len(groups) == 1:
        yield from groups[0][0]
        return
    n_topics = 1 + max(int(rows.max(initial=-1)) for _, rows in groups)
    count = np.zeros(n_topics)
    for _, rows in groups:
        count[rows] += 1
    for scores in zip(*(scores for scores, _ in groups), strict=True):
        total = np.zeros(n_topics)
        for (_, value), (_, rows) in zip(scores, groups, strict=True):
            if value is not None:
                total[rows] += value
        yield scores[0][0], None if scores[0][1] is None else total / count


def _runid(path: str) -> str:
    """The sixth field of the last line."""
    from pathlib import Path

    from rankscope.io.files import COMPRESSED, read_text

    file = Path(path)
    if file.is_file() and file.suffix.lower() not in COMPRESSED:  # the end is enough
        with file.open("rb") as lines:
            lines.seek(max(0, file.stat().st_size - (1 << 16)))
            text = lines.read()
    else:
        text = read_text(path).tobytes()
    text = text.rstrip(b"\0 \t\r\n")
    while True:
        text, _, line = text.rpartition(b"\n")
        fields = line.split(None, 6)
        if len(fields) > 5 and not fields[0].startswith(b"#"):
            return fields[5].decode("utf-8", "surrogateescape")
        if not text:
            return "run"  # a format without tags


def _scores(name: str, given: str | None, lists: MeasureInputs, args: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Printed names of a measure at its cutoffs or parameters, and one value per topic."""
    import numpy as np

    from rankscope.errors import InputError
    from rankscope.measures import measure
    from rankscope.measures.catalogue.ap import LEAST
    from rankscope.measures.catalogue.iprec import interpolated_precisions

    line, rel = MEASURES[name], args.level_for_rel

    def score(text: str, nothing: float = 0.0, **settings: Any) -> Floats:
        record = measure(text)
        return np.nan_to_num((record(**settings) if settings else record).compute(lists), nan=nothing)

    parameters = given if given is not None else line.default
    printed = f"{name}_{given}" if given is not None else name
    try:
        if name == "relstring":
            yield printed, _relstrings(lists, int(float(parameters or 0)))
        elif not line.ours:
            yield name, None
        elif line.form == "ranks":
            for rank in sorted(int(float(part)) for part in (parameters or "").split(",")):
                yield f"{name}_{rank}", score(line.ours.format(rank, rel=rel))
        elif line.form == "levels":
            levels = sorted(float(part) for part in (parameters or "").split(","))
            names = [f"{name}_{level:.2f}" for level in levels]
            if name == "iprec_at_recall":  # all at once, which takes as long as one
                record, *_ = [measure(line.ours.format(level, rel=rel)) for level in levels]  # refuses what is no share
                scores = interpolated_precisions(lists.input("relevant", record), lists.total(record), levels)
                yield from zip(names, (_empty(s, lists, [x]) for s, x in zip(scores, levels, strict=True)), strict=True)
            else:
                yield from zip(names, (score(line.ours.format(level, rel=rel)) for level in levels), strict=True)
        elif name == "utility":
            worth = [float(part) for part in (parameters or "").split(",")]
            if len(worth) != 4:
                raise ValueError("utility takes four numbers")
            words = dict(zip(("found", "noise", "missed", "rejected"), worth, strict=True)) | {"docs": args.docs}
            yield printed, score(f"utility(rel={rel})", **words)
        elif name == "11pt_avg":
            levels = [float(part) for part in (parameters or "").split(",")]
            yield printed, _empty(score(line.ours.format(",".join(map(repr, levels)), rel=rel)), lists, levels)
        elif name == "set_F":
            x = float(parameters or 1)
            precision, recall = (score(f"{ours}(rel={rel})") for ours in ("SetP", "SetR"))
            # not SetF, whose closed form is rounded otherwise in the last digit
            both = x * precision + recall
            yield printed, (x + 1) * precision * recall / np.where(both > 0, both, 1.0)
        elif line.form == "gains":
            yield printed, _gain_scores(name, parameters, lists, rel)
        elif name == "rbp_resid":
            yield name, _residual(lists)
        else:
            yield name, score(line.ours.format(rel=rel), nothing=np.log(LEAST) if name in _GEOMETRIC else 0.0)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"-m {name}.{parameters}: {error}", "write parameters as in P.5,10 or ndcg.1=3,2=9") from None


def _of_all_topics(name: str, value: Any, topics: _Topics) -> Any:
    """Values with those of topics that the run lacks: 0, and as few as can be in a geometric mean."""
    import numpy as np

    from rankscope.measures.catalogue.ap import LEAST

    if value is None or name == "relstring" or topics.here.all():
        return value
    if name == "num_rel":
        return np.where(topics.here, value, topics.above_zero)
    return np.where(topics.here, value, np.log(LEAST) if name in _GEOMETRIC else 0.0)


def _gain_scores(name: str, parameters: str | None, lists: MeasureInputs, rel: int) -> Any:
    """Scores of a measure of gains, grade=gain pairs in its parameters."""
    import numpy as np

    from rankscope.measures import measure
    from rankscope.measures.catalogue.dcg import dcg
    from rankscope.measures.catalogue.rbp import rbp

    pairs = [pair.partition("=")[::2] for pair in (parameters or "").split(",") if pair]
    p = next((float(value) for key, value in pairs if key == "p"), 0.9)
    gains = {int(key): float(value) for key, value in pairs if key != "p"}
    record = measure("nDCG" if name in ("rbp", "ideal_dcg") else MEASURES[name].ours)
    record = record(gains=gains) if gains else record
    if name == "ideal_dcg":
        return dcg(lists.input("ideal", record))
    if name == "rbp":  # gains are shares of the topic's largest, where that is above 1
        gain, ideal = lists.input("gain", record), lists.input("ideal", record)
        return rbp(gain / np.maximum(ideal.max(axis=-1, initial=1.0), 1.0)[..., None], p=p)
    scores = np.nan_to_num(record.compute(lists))
    return scores * (lists.total(measure(f"AP(rel={rel})")) > 0) if name == "Rndcg" else scores


def _empty(value: Any, lists: MeasureInputs, levels: Sequence[float]) -> Any:
    """NaN where -J left nothing of a list: trec_eval divides 0 by 0 at levels that come to no document."""
    import numpy as np

    from rankscope.arrays import PADDING
    from rankscope.measures import measure

    nothing = (lists.code[:, :1] == PADDING).all(axis=-1)
    if not nothing.any():
        return value
    wanted = np.floor(np.multiply.outer(np.array(levels), lists.total(measure("AP"))) + 0.5)
    return np.where(nothing & (wanted == 0).any(axis=0), np.nan, value)


def _residual(lists: MeasureInputs) -> Any:
    """The residual of RBP, 0 where every document of the list is judged; a negative grade is not."""
    import numpy as np

    from rankscope.measures import measure
    from rankscope.measures.catalogue.rbp import rbp_residual

    record = measure("RBPResidual")
    unjudged = lists.input("unjudged", record) | lists.input("pooled", record)
    residual = rbp_residual(unjudged, lists.input("retrieved", record), p=0.9)
    return np.where(unjudged.any(axis=-1), residual, 0.0)


def _relstrings(lists: MeasureInputs, depth: int) -> list[str]:
    """Grades of the first documents of each list, one sign each."""
    import numpy as np

    signs = [str(int(grade)) if 0 <= grade <= 9 else ">" if grade > 9 else "." for grade in lists.grades.tolist()]
    table = np.array(["", "-", *signs])
    return ["'" + "".join(row) + "'" for row in table[lists.code[:, : max(0, depth)]].tolist()]


def _texts(name: str, value: Any) -> list[str]:
    """Values as trec_eval prints them."""
    if name == "relstring":
        return list(value)
    form = "{:.0f}" if name in _COUNTS else "{:6.4f}"
    return ["  -nan" if number != number else form.format(number) for number in value.tolist()]


def _summary(
    values: list[tuple[str, str, Any]], topics: _Topics, runid: str, args: argparse.Namespace
) -> Iterator[tuple[str, str]]:
    """Printed names and means, or sums of counts."""
    import numpy as np

    n_topics = len(topics.names)
    for name, printed, value in values:
        if name == "runid":
            yield printed, runid
        elif name == "num_q":
            yield printed, str(n_topics)
        elif name == "num_rel" and args.complete:  # trec_eval counts every grade above 0 here, whatever -l says
            yield printed, str(topics.above_zero.sum())
        elif name in _COUNTS:
            yield printed, f"{value.sum():.0f}"
        elif name in _GEOMETRIC:
            yield printed, f"{np.exp(_sum(value) / n_topics):6.4f}"
        elif name != "relstring":
            yield printed, _texts(name, np.array([_sum(value) / n_topics]))[0]


def _sum(value: Any) -> float:
    """The sum in the order of topics, as trec_eval adds them up."""
    total = 0.0
    for number in value.tolist():
        total += number
    return total
