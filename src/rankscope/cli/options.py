"""Options that several commands share, and what they turn into."""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from glob import iglob
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rankscope.cli.help_texts import INPUT, METHOD, RULES, WORK, section
from rankscope.cli.output_formats import note
from rankscope.progress import Bar

if TYPE_CHECKING:
    from rankscope.io.score_tables import ScoreTable
    from rankscope.judged import Judged, Judges
    from rankscope.statistics import Resampling

Result = TypeVar("Result")

_LONG = 0.5  # seconds of reading from which a progress bar is worth showing
_FORMATS = "as in trec, json, jsonl, csv, tsv, parquet, msmarco (default: seen in the content)"
FILES_AND_MEASURES = ("evaluate", "compare", "rank", "gate", "plan", "judge-next", "metrics", "report", "judges")
SEVERAL = (
    "-m",
    "--measures",
    "--methods",
    "--studies",
    "--latex-columns",
    "--humans",
)  # options of several values in these commands
MEASURES_HELP = 'measures, as in AP nDCG@10 "RBP(p=0.8)" "P@[5,10]"'


def add_measures(parser: argparse.ArgumentParser, default: Sequence[str], *, decides: bool = False) -> None:
    """The measures; `decides` where the first one is tested and the others are shown beside it."""
    first = "; the first one decides, and the others are shown beside it" if decides else ""
    section(parser, METHOD).add_argument("-m", "--measures", nargs="+", action="extend", metavar="M",
                                         help=f"{MEASURES_HELP}{first} (default: {' '.join(default)})")  # fmt: skip


def measures_apart(argv: Sequence[str]) -> list[str]:
    """The command line with the files that follow the values of -m, --methods or --studies put before all options.

    The first value belongs to the option, and it alone beside --scores, a file of one measure. Of those that follow,
    the first that names a file, a folder, a pattern of files or a data set, and all after it, are files.
    `evaluate -m AP qrels run` is `evaluate qrels run -m AP`.
    """
    line: list[str] = list(argv)
    if not line or line[0] not in FILES_AND_MEASURES:
        return line
    at, of_scores = 1, any(word.partition("=")[0] == "--scores" for word in line)
    while at < len(line) and line[at] != "--":
        at += 1
        if line[at - 1] not in SEVERAL:
            continue
        end = next((i for i in range(at, len(line)) if _is_option(line[i])), len(line))
        files = next((i for i in range(at + 1, end) if of_scores or _is_file(line[i])), end)
        if files < end and line[at - 1] in SEVERAL[:2] and not of_scores:
            _refuse_ambiguous(line[files])
        first = next(i for i, word in enumerate(line) if _is_option(word))
        line[first:end] = [*line[files:end], *line[first:files]]
        at = end
    return line


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _is_file(value: str) -> bool:
    known = value == "-" or value.startswith(("irds:", "s3://", "gs://", "https://", "http://"))
    return known or Path(value).exists() or next(iglob(value), None) is not None


def _refuse_ambiguous(value: str) -> None:
    """Refuse a value of -m that is the name of a file and of a measure."""
    from rankscope.errors import InputError
    from rankscope.measures import parse

    try:
        parse([value])
    except InputError:
        return
    raise InputError(
        f"{value} after -m is a measure and a file",
        f"for the file write .{os.sep}{value}; for the measure name the files first, and -m last",
    )


WHOLE_LISTS = "default: whole lists"
QRELS_HELP = "relevance judgments: a file, or irds:ID for a data set of ir_datasets"
RUNS_HELP = "runs, which are the result lists of a system: files, folders or patterns"


def add_collection(
    parser: argparse.ArgumentParser,
    *,
    optional: bool = False,
    runs: Sequence[str] | None = None,
    depth: str = WHOLE_LISTS,
) -> None:
    """Judgments, runs, and the rules by which they are joined.

    optional  whether a command can do without
    runs      what each of a fixed number of runs is called; one file each
    depth     what happens where --depth is not given
    """
    parser.add_argument("qrels", metavar="QRELS", help=QRELS_HELP, nargs="?" if optional else None)
    if runs is None:
        parser.add_argument("runs", metavar="RUN", nargs="*" if optional else "+", help=RUNS_HELP)
    for name in runs or ():
        parser.add_argument(name, metavar=name.upper(), help=f"run of the {name}: a file of result lists")
    add_rules(parser, depth=depth)


def add_rules(parser: argparse.ArgumentParser, *, depth: str = WHOLE_LISTS) -> None:
    """The rules by which judgments and runs are joined; `depth` says what happens where --depth is not given."""
    rules = section(parser, RULES, "Each choice is part of the signature that every number carries.")
    rules.add_argument("--ties", choices=["trec", "rank", "file", "best", "worst"], default="trec",
                       help="order of documents with equal scores: document id descending, as in trec_eval (trec); "
                       "rank column (rank); order of the file (file); relevant documents first (best) or last (worst) "
                       "(default: trec)")  # fmt: skip
    rules.add_argument("--score-dtype", choices=["float64", "float32"], default="float64",
                       help="precision in which scores are compared: float64 as trec_eval 10, float32 as trec_eval 9 "
                       "(default: float64)")  # fmt: skip
    rules.add_argument("--depth", type=int, metavar="K", help=f"documents of each list that are looked at ({depth})")
    rules.add_argument("--rel", type=float, metavar="G",
                       help="lowest grade that counts as relevant where a measure does not name one; grades below it "
                       "still gain in nDCG and other measures of gain (default: 1)")  # fmt: skip
    rules.add_argument("--missing", choices=["zero", "drop"], default="zero",
                       help="judged topics that a run lacks: scored as empty lists (zero) or left out (drop) "
                       "(default: zero)")  # fmt: skip
    rules.add_argument("--undefined", choices=["drop", "zero"], default="drop",
                       help="topics without relevant documents: left out (drop) or scored 0 (zero) "
                       "(default: drop)")  # fmt: skip
    rules.add_argument("--duplicates", choices=["error", "first"], default="error",
                       help="documents that occur twice in a topic: refused (error), or only the first is kept (first) "
                       "(default: error)")  # fmt: skip
    rules.add_argument("--unjudged", choices=["keep", "condensed"], default="keep",
                       help="unjudged documents: kept in the lists, where they count as not relevant (keep), or taken "
                       "out, as trec_eval -J does (condensed) (default: keep)")  # fmt: skip
    add_names(parser)
    add_formats(parser)
    add_workers(parser)


def add_names(parser: argparse.ArgumentParser) -> None:
    """Add the option for names of systems."""
    section(parser, RULES).add_argument("--names", choices=["file", "tag", "path"], default="file",
                                        help="names of systems: name of the file, tag column or path "
                                        "(default: file)")  # fmt: skip


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Add the options for formats of files."""
    files = section(parser, INPUT)
    files.add_argument("--qrels-format", metavar="F", help=f"format of the judgments, {_FORMATS}")
    files.add_argument("--run-format", metavar="F", help=f"format of the runs, {_FORMATS}")
    add_columns(parser)


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the option for names of columns."""
    section(parser, INPUT).add_argument("--columns", metavar="ROLE=NAME,...",
                                        help="names of columns in tables with a header and in JSON, by role: topic, "
                                        "document, grade, score, rank, run. As in topic=query,document=docid,"
                                        "grade=rating (default: known names)")  # fmt: skip


def read_columns(args: argparse.Namespace) -> dict[str, list[str]] | None:
    """Names of columns by role, from the option --columns; a role that is given twice has both names."""
    from rankscope.errors import InputError

    if args.columns is None:
        return None
    columns: dict[str, list[str]] = {}
    for pair in args.columns.split(","):
        role, equals, name = pair.partition("=")
        if not equals or not role.strip() or not name.strip():
            raise InputError(f"--columns {pair} is no pair of a role and a name",
                             "give pairs, as in --columns topic=query,document=docid,grade=rating")  # fmt: skip
        columns.setdefault(role.strip(), []).append(name.strip())
    return columns


def add_workers(parser: argparse.ArgumentParser, *, cluster: bool = True) -> None:
    """Add the options for workers and a cluster."""
    work = section(parser, WORK)
    work.add_argument("--workers", type=int, metavar="N", help="number of processors to use (default: all)")
    if cluster:
        work.add_argument("--cluster", metavar="tcp://HOST:PORT",
                          help="scheduler of a Dask cluster that does long work; the numbers are the same")  # fmt: skip


def add_test(parser: argparse.ArgumentParser, of: str) -> None:
    """Add the option for the test of two systems; `of` says which hypothesis is tested."""
    section(parser, METHOD).add_argument("--test", choices=["t", "randomisation", "wilcoxon", "sign"], default="t",
                                         help=f"test of {of}: Student's paired t (t), randomisation, Wilcoxon's signed "
                                         "ranks or sign test (default: t)")  # fmt: skip


def read_topic_count(text: str) -> int | None:
    """A number of topics, from the option --topics; None for all."""
    from rankscope.errors import InputError

    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"--topics {text}", "a number from 1, or all")
    return int(text)


def add_topics(parser: argparse.ArgumentParser, *, tests: bool = True, weights: bool = True) -> None:
    """Add the options for attributes of topics; `tests` for those that change tests, too."""
    files = section(parser, INPUT)
    files.add_argument("--topics-table", metavar="FILE",
                       help="table of attributes of topics, one row per topic: CSV, TSV or JSON lines, with a column "
                       "topic")  # fmt: skip
    method = section(parser, METHOD)
    method.add_argument("--by", metavar="COLUMN",
                        help="column of --topics-table that cuts topics into slices. Or one that is computed: "
                        "number of relevant documents (relevant), of judged documents (judged), length of the "
                        "lists (length), mean score of the systems compared (difficulty)")  # fmt: skip
    method.add_argument("--quantiles", type=int, default=4, metavar="N",
                        help="number of slices of a column of numbers (default: 4)")  # fmt: skip
    if tests:
        files.add_argument("--slices", metavar="FILE",
                           help="file of slices of topics, instead of --by: lines `slice topic`, or JSON "
                           "{slice: [topic]}")  # fmt: skip
        method.add_argument("--clusters", metavar="COLUMN",
                            help="topics that share a value of this column are one cluster, such as variants of a "
                            "query: tests and intervals take clusters as the unit")  # fmt: skip
    if weights:
        method.add_argument("--weights", metavar="COLUMN",
                            help="weight of each topic, such as its traffic: means and tests are weighted")  # fmt: skip


def topic_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options for attributes of topics, by name; the table is read."""
    return with_topics(args, lambda: None)[1]


def with_topics(args: argparse.Namespace, read: Callable[[], Result]) -> tuple[Result, dict[str, Any]]:
    """What `read` gives, and the options for attributes of topics; another thread reads their table meanwhile.

    One error has the problems of both.
    """
    from rankscope.errors import InputError

    options = _topic_columns(args)
    if args.topics_table is None:
        return read(), options
    from rankscope.io.topic_tables import read_topics
    from rankscope.parallel import Aside

    table = Aside(partial(read_topics, args.topics_table))
    try:
        result = read()
    except InputError as error:
        try:
            table.result()
        except InputError as other:
            raise InputError([*other.problems, *error.problems]) from None
        raise
    finally:
        table.wait()
    return result, {**options, "topics_table": table.result()}


def _topic_columns(args: argparse.Namespace) -> dict[str, Any]:
    """The options for attributes of topics, by name, without the table."""
    from rankscope.errors import InputError

    names = [name for name in ("by", "clusters", "weights") if hasattr(args, name)]
    if args.topics_table is not None and all(getattr(args, name) is None for name in names):
        cure = f"name one with {' or '.join(f'--{name}' for name in names)}"
        raise InputError("--topics-table without a column of it", cure)
    options = {name: getattr(args, name) for name in (*names, "quantiles") if hasattr(args, name)}
    options["topics_table"] = None
    if hasattr(args, "slices"):
        options["slices"] = None
        if args.slices is not None:
            from rankscope.io.slice_files import read_slices

            options["slices"] = read_slices(args.slices)
    return options


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add the option for the device of resampling."""
    section(parser, WORK).add_argument("--device", choices=["cpu", "cuda"], default="cpu",
                                       help="device that draws permutations, sign flips and bootstrap samples: "
                                       "processors (cpu) or a graphics card (cuda), with the same result "
                                       "(default: cpu)")  # fmt: skip


def read_draws(args: argparse.Namespace) -> dict[str, Resampling]:
    """Permutations, splits and samples of a study; these numbers and alpha are checked before files are read."""
    from rankscope.arguments import Checks, alpha, whole_number
    from rankscope.statistics import Resampling
    from rankscope.studies.checks import MOST_SAMPLES

    with Checks() as check:
        permutations = check(Resampling, args.resamples, args.seed, device=args.device)
        check(whole_number, "splits", args.splits)
        check(whole_number, "samples", args.samples, 1, MOST_SAMPLES - 1)
        check(alpha, args.alpha)
    return {
        "permutations": permutations,
        "splits": Resampling(args.splits, args.seed),
        "samples": Resampling(args.samples, args.seed),
    }


def add_alpha(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add the options for the level of significance and of intervals; `meaning` says what the former decides."""
    method = section(parser, METHOD)
    method.add_argument("--alpha", type=float, default=0.05, help=f"significance level: {meaning} (default: 0.05)")
    method.add_argument("--level", type=float, metavar="L",
                        help="confidence level of the intervals (default: 1 - alpha)")  # fmt: skip


def add_resampling(parser: argparse.ArgumentParser, of: str, *, resamples: int = 10_000) -> None:
    """Add the options for the number of resamples and their seed; `of` says what they are."""
    method = section(parser, METHOD)
    method.add_argument("--resamples", type=int, default=resamples, metavar="B",
                        help=f"number of {of} (default: {resamples:,})")  # fmt: skip
    method.add_argument("--seed", type=int, default=42,
                        help="seed of the random numbers: the same seed gives the same result "
                        "(default: 42)")  # fmt: skip


def add_judges(parser: argparse.ArgumentParser, words: str) -> None:
    """Add the option for the judgments of others; `words` say what they are for."""
    section(parser, INPUT).add_argument(
        "--judges", nargs="+", metavar="J",
        help=f"judgments of others, {words}: a folder of files, files, NAME=FILE, or one file whose second column or "
        "column `judge` names the judge",
    )  # fmt: skip


def add_human_topics(parser: argparse.ArgumentParser) -> None:
    """Add the options for few human and many machine labels: of topics, and of pairs of topic and document."""
    section(parser, INPUT).add_argument("--human-topics", action="store_true",
                                        help="QRELS has few topics that people judged, and --judges one machine that "
                                        "judged more: estimate the difference under people from both")  # fmt: skip
    section(parser, INPUT).add_argument("--human-pairs", action="store_true",
                                        help="the same where QRELS has single documents that people judged, drawn "
                                        "at random from those of the machine (P@10, DCG@10, RBP)")  # fmt: skip


def load_other_judges(args: argparse.Namespace, runs: Mapping[str, str]) -> Judges:
    """The judges that --judges names beside the reference, with runs under the names that they have already."""
    from rankscope.errors import quietly, warn
    from rankscope.judged import load_judges
    from rankscope.judged.judges import counted

    rules = chosen_rules(args) | {"names": "file"}
    with quietly():  # the reference was read before
        judges = load_judges(
            args.qrels, runs, args.judges, workers=args.workers, run_format=args.run_format,
            qrels_format=args.qrels_format, **rules,
        )  # fmt: skip
    warn(*counted(judges))
    return judges


def add_repeats(parser: argparse.ArgumentParser) -> None:
    """Add the option for systems that are several runs."""
    section(parser, INPUT).add_argument(
        "--repeats", metavar="HOW",
        help="runs that are repeats of one system, such as seeds: a separator such as @, or an expression with one "
        "group for the name. Or a CSV file with the columns run, system. none: each run is a system (default: bge@1 "
        "and bge@2 are repeats of bge)",
    )  # fmt: skip


def add_gains(parser: argparse.ArgumentParser) -> None:
    """Add the option for the gains by which IPSO orders lists."""
    section(parser, METHOD).add_argument(
        "--gains", metavar="GAINS",
        help="order of result lists for IPSO: counts of documents of every grade or better, which bind every metric "
        "that prefers better documents earlier (thresholds). Or sums of gains, which bind metrics that sum the same "
        "gains: linear, exp, binary, or a map such as 1=0.5,2=1 (default: thresholds)",
    )  # fmt: skip


def read_gains(text: str | None) -> str | dict[float, str] | None:
    """A name, or {grade: gain} with gains as they were typed."""
    from rankscope.errors import InputError

    if text is None or "=" not in text:
        return text
    gains = {}
    for pair in text.split(","):
        grade, _, gain = pair.partition("=")
        try:
            gains[float(grade)] = gain
            float(gain)
        except ValueError:
            raise InputError(f"--gains {pair}", "gains are a name, or pairs of numbers, as in 1=0.5,2=1") from None
    return gains


def add_scores(parser: argparse.ArgumentParser) -> None:
    """Add the options for scores instead of lists."""
    files = section(parser, INPUT)
    files.add_argument("--scores", metavar="FILE",
                       help="file of scores instead of judgments and runs: CSV, one row per topic, one column per "
                       "system")  # fmt: skip
    files.add_argument("--transpose", action=argparse.BooleanOptionalAction,
                       help="the file of --scores has one row per system and one column per topic (default: seen where "
                       "its first column is named topic or system)")  # fmt: skip


def read_score_file(args: argparse.Namespace) -> ScoreTable:
    """Read the file that --scores names; -m names its measure."""
    from rankscope.errors import InputError
    from rankscope.io.score_tables import read_scores

    if args.measures is not None and len(args.measures) > 1:
        raise InputError(f"{len(args.measures)} measures beside --scores", "a file of scores has one measure")
    measure = None if args.measures is None else str(args.measures[0])
    return read_scores(args.scores, measure=measure, transposed=args.transpose)


def check_source(args: argparse.Namespace, example: str) -> None:
    """Refuse all but judgments with runs, or a file of scores."""
    from rankscope.errors import InputError

    if (args.scores is None) == (args.qrels is None):
        raise InputError("give judgments and runs, or --scores FILE", example)
    refuse_idle_transpose(args)
    if args.qrels is not None and not args.runs:
        raise InputError("no runs", "name the runs after the judgments")


def refuse_idle_transpose(args: argparse.Namespace) -> None:
    """Refuse --transpose without a file of scores."""
    from rankscope.errors import InputError

    if args.transpose is not None and args.scores is None:
        raise InputError("--transpose without --scores", "name a file of scores, or leave it out")


@contextmanager
def reading_bar(runs: Sequence[str], after: str = "") -> Iterator[tuple[list[Any], Callable[[str], None], Bar]]:
    """A bar while runs are read: the files that are meant, the function to call after each of them, and the bar.

    after  what is done once all of them are read, where that may take long as well; the bar hears shares of it
    """
    from rankscope.errors import InputError
    from rankscope.io import expand

    files: list[Any] = []
    with suppress(InputError):  # whoever reads them will say it, together with what may be wrong with the judgments
        files = list(expand(runs))
    count = itertools.count(1)

    def done(name: str) -> None:
        share = next(count) / max(1, len(files))
        bar(share, name)
        if share >= 1 and after:
            bar.go_on(after)

    with Bar("reading", delay=_LONG) as bar:
        yield files or list(runs), done, bar


def load_collection(
    args: argparse.Namespace,
    pair: Mapping[str, str] | None = None,
    *,
    keep_docs: bool | int = False,
    keep_ties: bool = False,
) -> Judged:
    """The collection that the options describe.

    pair  two run files by their names in the usage of the command; those of `args.runs` unless given
    """
    from rankscope.errors import InputError, is_quiet
    from rankscope.io import system_name
    from rankscope.judged import load

    rules = chosen_rules(args)
    runs = args.runs if pair is None else list(pair.values())
    if pair is not None:
        if len({Path(run) for run in runs}) < len(runs):
            raise InputError(f"{' and '.join(pair)} are the same file", "name two runs")
        if rules["names"] == "file" and len({system_name(Path(run)) for run in runs}) < len(runs):
            rules["names"] = "path"  # old/bm25.run beside new/bm25.run
    with reading_bar(runs) as (files, done, _):
        judged = load(
            args.qrels, files, run_format=args.run_format, qrels_format=args.qrels_format, workers=args.workers,
            done=done, keep_docs=keep_docs, keep_ties=keep_ties, **rules,
        )  # fmt: skip
    if not is_quiet():  # the second reading of the same files
        note(f"formats: {judged.read_as}")
    return judged


def chosen_rules(args: argparse.Namespace) -> dict[str, Any]:
    """The rules by which judgments and runs are joined, by name."""
    return {
        "ties": args.ties, "score_dtype": args.score_dtype, "depth": args.depth, "rel": args.rel,
        "missing": args.missing, "undefined": args.undefined, "duplicates": args.duplicates,
        "unjudged": args.unjudged, "names": args.names,
        "columns": read_columns(args),
    }  # fmt: skip
