"""Text from files is never code: one list of hostile names goes through every way out."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import pkgutil
import random
import re
import warnings
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from pages import HOSTILE

import rankscope as rs
from rankscope import comparisons, errors, figures, formatting, preferences, studies, universe
from rankscope import statistics as st
from rankscope.cli import COMMANDS, _parser, main
from rankscope.comparisons.slice_means import slice_means
from rankscope.errors import DataWarning, InputError, Problem
from rankscope.figures.chart import Chart
from rankscope.progress import Bar, _Notebook
from rankscope.reporting import Page
from rankscope.results import Layered, Result

FEW = st.Resampling(50)
ESCAPE, LINES = HOSTILE[9], HOSTILE[10]
UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\ufffe\uffff\u200b\U000e0041]")
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


# what is asked of each language


def seen(text):
    """Nothing that a terminal obeys, and no line that a name has begun."""
    assert UNSEEN.search(text) is None, repr(UNSEEN.search(text))
    assert not re.search(r"(?m)^\W*FORGED", text)


def seen_in_markdown(text):
    """No element but those of tables and paragraphs, and nothing that GitHub makes a link or a mention of."""
    from markdown_it import MarkdownIt

    seen(text)
    html = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(text)
    tags = set(re.findall(r"<(\w+)", html))
    assert tags <= {"p", "h3", "table", "thead", "tbody", "tr", "th", "td", "br", "strong", "ul", "li"}, tags
    linked = re.search(r"(?i)(?<!\w)@\w|\w@\w+\.\w|https?://|www\.\w|#\d|gh-\d", re.sub(r"<[^>]*>", "\n", html))
    assert linked is None, linked


def seen_in_latex(text):
    """No command but those of a table, no formula but signs, no character that LaTeX takes for more than itself."""
    seen(text)
    text = re.sub(r"(?m)^% .*$", "", text)  # comments, which end with their line
    assert not re.search(r"(?m)^[\[*]", text)  # an option of the line before
    rules = (
        r"(?m)^(\\(begin|end)\{(table\*?|tabular)\}(\{(@\{\}|[lr])+\})?|\\(top|mid|bottom)rule|\\caption(?=\{)"
        r"|\\centering|\\label\{[\w:.-]+\}|\\(small|footnotesize|scriptsize)|\\setlength\{\\tabcolsep\}\{\d+pt\})"
    )
    escapes = (
        r"\\[\\&%$#_{}]|\\text(?!bf)\w+\{\}|\$(-|\\d?dagger|\\[gl]eq)\$|^\{\}(?=[\[*])"
        r"|\$\^\{(\\dagger|\\mathrm\{[A-Za-z ]+\})\}\$|\\textbf\{[\d.]+\}|\\multicolumn\{2\}\{c\}(?=\{)"
    )
    printed = re.sub(escapes, "", re.sub(rules, "", text), flags=re.MULTILINE)
    assert not re.search(r"[\\%$#_^~]", printed), re.search(r".{0,20}[\\%$#_^~].{0,20}", printed)
    assert printed.count("{") == printed.count("}") == text.count("\\caption{") + text.count("\\multicolumn{")


class Elements(HTMLParser):
    """Elements of HTML, none of which may do anything."""

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS, tag
        assert {key for key, _ in attrs} <= {"class", "alt", "src", "style"}, attrs
        assert dict(attrs).get("src", "data:image/svg+xml").startswith("data:image/svg+xml")


TAGS = (
    "div", "table", "thead", "tbody", "tr", "th", "td", "p", "pre", "code", "img", "span", "strong", "details",
    "summary", "small",
)  # fmt: skip


def seen_in_html(text):
    seen(text)
    Elements().feed(text.replace(f"<style>{figures.GROUNDS}</style>", ""))  # the one style, which holds no names


SHAPES = ["svg", "g", "path", "text", "tspan", "rect", "defs", "clipPath", "line", "linearGradient", "stop", "style"]


def seen_in_svg(text):
    for element in ElementTree.fromstring(text).iter():
        assert element.tag.rpartition("}")[2] in SHAPES
        assert not any(key.lower().startswith("on") or "href" in key for key in element.attrib)


# results


@pytest.fixture(scope="module")
def collection():
    """Judgments and runs whose systems, topics and documents all have hostile names."""
    draws = random.Random(5)
    docs = [*HOSTILE, *(f"d{i}" for i in range(6))]
    topics = [*HOSTILE, *map(str, range(5))]
    qrels = {t: {d: draws.choice([0, 0, 1, 2]) for d in draws.sample(docs, 18)} for t in topics}
    runs = {s: {t: {d: draws.randint(1, 9) for d in draws.sample(docs, 12)} for t in topics} for s in HOSTILE}
    return qrels, runs


@pytest.fixture(scope="module")
def results(collection):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(made(collection))


def made(collection):
    """One result, or several, of every class that holds text from outside."""
    judged = rs.load(*collection, keep_docs=True, keep_ties=True)
    scores = rs.evaluate(judged, ["AP", "P@5", "nDCG@10", "Judged@5", "IPrec@0", "IPrec@1"])
    for pair in ((HOSTILE[14], HOSTILE[12]), (ESCAPE, LINES)):
        comparison = rs.compare(judged, *pair, measure="AP", resampling=FEW)
        yield from (comparison, comparisons.deciding(comparison), rs.ipso(judged, *pair))
        yield rs.gate(judged, *pair, measure="AP", slices=dict.fromkeys(HOSTILE, judged.topics[:8]))
        yield rs.rank(judged, measure="AP", baseline=pair[0], resampling=FEW)
    kinds = dict(zip(judged.topics, HOSTILE[9:12] * 20, strict=False))
    table = {ESCAPE: kinds, LINES: {topic: 1 + at for at, topic in enumerate(judged.topics)}}
    by = rs.compare(judged, *pair, measure="AP", topics_table=table, by=ESCAPE, resampling=FEW)
    yield from (by, by.slices, slice_means(judged, scores, topics_table=table, by=ESCAPE, weights=LINES))
    board = rs.rank(judged, measure="AP", baseline=ESCAPE, topics_table=table, by=ESCAPE, resampling=FEW)
    yield from (board, board.slices)
    yield comparisons.judge_next(judged, baseline=ESCAPE, measure="AP", resampling=st.Resampling(5))
    yield comparisons.metric_map(judged, *pair, persistence=(0.5, 0.8), depths=(1, 5))
    yield rs.dominance(judged, *pair, depth=5, gains="linear")
    yield preferences.dominance_all_pairs(judged, depth=5, gains="linear")
    yield from (rs.rpp(judged, *pair), rs.lexiprecision(judged, *pair), preferences.ipso_unjudged(judged, *pair))
    every = preferences.all_pairs(judged, "rrLP")
    yield from (every, every.ranking(), preferences.serps([("10", "01")] * len(HOSTILE), topics=HOSTILE))
    yield from (scores, scores.mean(), rs.bounds(judged, ["AP"]), rs.bounds(judged, ["AP"]).mean())
    yield rs.validate(*collection)
    yield from rs.explain((), *collection, diff=("AP", "P@5"))
    yield from (each for name in HOSTILE for each in rs.explain(signature=f"AP|{name}"))
    value, names = scores.matrix("AP")[:, 8:12], HOSTILE[8:12]
    yield from (st.randomised_hsd(value, systems=names, resampling=FEW), st.tukey_hsd(value, systems=names))
    yield from (st.friedman(value, systems=names), st.anova_two_way(value, systems=names))
    pairs = st.adjust(st.t_all_pairs(value, systems=names), "holm")
    yield from (pairs, st.letters(pairs), st.rank_intervals(pairs))
    yield st.random_effects([0.1, 0.2, 0.1], [0.1, 0.2, 0.1], collections=HOSTILE[8:11])
    yield st.variance_components({ESCAPE: value[:, :2], LINES: value[:, 2:]})
    collections = {name: rs.read_scores({s: dict(zip(judged.topics, column + at / 99, strict=False))
                                         for s, column in zip(names, value.T ** (1 + at), strict=True)}, measure=LINES)
                   for at, name in enumerate(HOSTILE[8:11])}  # fmt: skip
    yield from (rs.across(collections, *names[:2], resampling=FEW), rs.across(collections, resampling=FEW))
    disagreement = universe.disagreement(["AP", "DCG", "P"], depth=3)
    yield universe.buckets(disagreement, {name: ["AP", "DCG", "P"][at % 2 :] for at, name in enumerate(HOSTILE)})
    agreement = studies.agreement(judged, ["AP", "P"], depths=[5])
    yield from (agreement, agreement.triangle("P", 5, agreement.tests[0]))
    scorecard = rs.metrics(
        judged, measures=dict(zip((ESCAPE, LINES, HOSTILE[12]), ("AP", "P@5", "RR"), strict=True)), methods=[],
        studies=["power", "consistency", "ties", "agreement", "similarity"],
        resampling=dict.fromkeys(("power", "consistency", "ties"), FEW), workers=1,
    )  # fmt: skip
    studied = dict(scorecard.studied)
    studied["ties"] = studies.ties(judged, ["AP", "P@5"], fractions=(0.5, 1.0), resampling=FEW, workers=1)
    yield from (scorecard, *studied.values())
    others = dict.fromkeys((ESCAPE, LINES), collection[0])
    yield studies.judges(*collection, others, resampling=FEW, groups={HOSTILE[12]: judged.systems[:1]})


NUMBERS = {
    "Adjusted", "Alternatives", "BootstrapTest", "ConfidenceInterval", "DifferenceStructure",
    "Disagreement", "DistinctValues", "EffectSize", "EffectSizes", "Equivalence",
    "ExpectedSeparability", "Explanation", "Features", "Flips", "Freedom", "Frequencies", "Hasse", "Incompleteness",
    "Locality", "NonInferiority", "ObservedSeparability", "OrderGrid", "Overview", "PairedTest", "PilotVariance",
    "PositionOrders", "PossibleUsers", "Posterior", "PowerPlan", "Properties", "RBO", "RandomisationTest", "Removal",
    "RepeatedRuns", "ResampledTest", "Scale", "ScalesInPractice", "SeparabilityCounts", "SignTest",
    "ClusteredRandomisation", "ClusteredTTest", "ClusteredTest", "Interaction", "Replication",
    "SplitConsistency", "Study", "SwapRates", "TTest", "Tau", "TauAP", "TauInterval", "TieCurve",
    "TwoLevelBootstrap", "WidthPlan", "WilcoxonTest", "PredictionPowered", "RaterAgreement",
}  # fmt: skip
"""Classes of results that hold numbers, and names of measures at most."""
NAMED = {"Reproduction": "its folder is in the test of the command", "Truth": "a model refuses such names"}


def classes():
    for module in pkgutil.walk_packages(rs.__path__, "rankscope."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)

    def below(cls):
        for sub in cls.__subclasses__():
            yield sub
            yield from below(sub)

    return {cls.__name__ for cls in below(Result) if cls.__module__.startswith("rankscope.")} - {"Layered", "Answered"}


def test_every_class_of_results_is_here(results):
    """A new class of results is made above with hostile names, or is one of `NUMBERS`."""
    assert classes() - {type(result).__name__ for result in results} == {*NUMBERS, *NAMED}


WAYS = {
    "__str__": seen, "to_markdown": seen_in_markdown, "to_latex": seen_in_latex, "_repr_html_": seen_in_html,
    "_repr_mimebundle_": lambda bundle: seen(bundle["text/plain"]),
}  # fmt: skip
DRAWN = {"plot", "save_plot"}
DATA = {"columns", "column_types", "to_frame", "to_dict", "metrics", "table", "text_columns", "heading", "remarks"}
"""Numbers and names as they came in, for programs; and the parts of what the ways show."""


def test_every_way_out_of_a_result_is_here():
    """A new way out of a result, a figure or a page is on a list here, and goes through the tests below."""
    assert {name for name, value in vars(Result).items() if callable(value)} == {*WAYS, *DRAWN, *DATA}
    assert {name for name, value in vars(Layered).items() if callable(value)} == {
        "blocks", "notebook_blocks", "to_text", "__str__", "to_markdown", "_repr_html_",
    }  # fmt: skip
    assert {name for name, value in vars(Chart).items() if callable(value) and not name.startswith("__")} == {
        "to_svg", "to_vega", "to_json", "to_csv", "to_altair", "rendered", "save", "at_width", "compiled",
        "_repr_mimebundle_",
    }  # fmt: skip
    assert figures.FORMATS == ("svg", "pdf", "png", "html", "json")
    assert {name for name in vars(Page) if not name.startswith("_")} == {
        "html",
        "title",
        "left_out",
        "read_as",
        "size",
        "save",
    }  # fmt: skip; tests/reporting opens a page of these names


def test_every_way_out_of_every_result(results):
    for result in results:
        for way in set(WAYS) - {"_repr_html_"}:
            WAYS[way](getattr(result, way)())
        for layer in ("full", "explain") if isinstance(result, Layered) else ():
            seen(result.to_text(layer))


def test_a_notebook(results):
    seen_in_html(next(result for result in results if not figures.names(result))._repr_html_())


@pytest.mark.slow
def test_notebooks_of_every_result(results):
    """With their figures."""
    for result in results:
        seen_in_html(result._repr_html_())


@pytest.mark.slow
def test_sentences_of_results(results):
    """Whatever else of a result is text: sentences, captions, notes."""
    for result in results:
        for name, method in inspect.getmembers(type(result), inspect.isfunction):
            needed = [p for p in inspect.signature(method).parameters.values() if p.default is p.empty]
            if method.__annotations__.get("return") == "str" and len(needed) == 1 and name not in DATA:
                seen(getattr(result, name)())


@pytest.fixture(scope="module")
def charts(results):
    """One figure of each kind of every result."""
    more = {"ASL curves": {"upto": 1.0}}  # these few lists have no small p values
    return {
        (type(result), name): result.plot(name, **more.get(name, {}))
        for result in results
        for name in figures.names(result)
    }


@pytest.mark.slow
def test_figures(charts):
    for chart in charts.values():
        seen(repr(chart))
        seen_in_svg(chart.to_svg())
        seen_in_svg(chart._repr_mimebundle_()["image/svg+xml"])
    assert chart.rendered("pdf").startswith(b"%PDF")
    assert chart.rendered("png").startswith(b"\x89PNG")


@pytest.mark.slow
def test_in_a_browser(charts, results, tmp_path, browser):
    """Pages of figures, and what notebooks show, do nothing but show it."""
    pages = {chart.save(tmp_path / f"{at}.html"): "window.drawn" for at, chart in enumerate(charts.values())}
    notebook = tmp_path / "notebook.html"
    shown = "".join(result._repr_html_() for result in results)
    notebook.write_text(f'<!doctype html><meta charset="utf-8"><title>t</title>{shown}', encoding="utf-8")
    pages[notebook] = "true"
    wrong = []
    tab = browser.new_page()
    tab.on("console", lambda message: wrong.append(message.text))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    tab.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else wrong.append(r.url))
    for path, done in pages.items():
        tab.goto(path.as_uri())
        tab.evaluate(f"async () => {{ await {done}; }}")
        assert wrong == [], path
        assert tab.evaluate("document.querySelectorAll('svg, img, table').length") > 0


# what is said beside results


def test_errors_warnings_and_progress(monkeypatch):
    shown = []
    monkeypatch.setattr(_Notebook, "show", lambda _, share, text: shown.append(text))
    bar = Bar()
    bar._screen = _Notebook()
    for name in HOSTILE:
        seen(str(InputError([Problem(f"no {name}", f"not {name}", name, 7), Problem(name)])))
        seen(
            str(DataWarning(name.replace("\n", "")))
            .replace("\u202e", "")
            .replace("\u200b", "")
            .replace("\U000e0041", "")
        )
        with pytest.warns(DataWarning) as caught:
            errors.warn(name)
        seen(str(caught[0].message))
        bar(name)
        bar(1.0, name)
    assert len(shown) == 2 * len(HOSTILE)
    seen("\n".join(shown))


def test_one_function_for_each_language():
    for name in HOSTILE:
        seen(formatting.visible(name))
        seen(re.sub(r"[\n\u202e\u200b\U000e0041]", " ", formatting.plain(name)))
        seen_in_markdown(formatting.markdown(name))
        seen_in_html(formatting.html(name))
        assert "<" not in formatting.script_json(name)
        assert json.loads(formatting.script_json(name)) == name


# commands


@pytest.fixture(scope="module")
def folder(collection, tmp_path_factory):
    """Files with hostile names that hold hostile names."""
    folder = tmp_path_factory.mktemp("files")
    qrels, runs = collection
    (folder / "qrels.json").write_text(json.dumps(qrels))
    (folder / "judges").mkdir()
    for name in (ESCAPE, LINES):
        (folder / "judges" / f"{name.replace('/', '')[:60]}.json").write_text(json.dumps(qrels))
    (folder / "runs").mkdir()
    for name, lists in runs.items():
        (folder / "runs" / f"{name.replace('/', '').replace(chr(0), '')[:60]}.json").write_text(json.dumps(lists))
    topics = [name for name in HOSTILE if not {*name} & {*" \t\n\r\udce9\u2028"}]
    (folder / "pairs\x1b[2J.txt").write_text("".join(f"{t}\t101\t011\n" for t in topics), newline="\n")
    rows = [f"{c}\x1b[2J,{s},{t},0.{(7 * t + len(c) * (s == 'b')) % 9}" for c in ("x", "yy", "<b>")
            for s in ("a\x1b[2J", "b") for t in range(6)]  # fmt: skip
    (folder / "scores\x1b[2J\nFORGED.csv").write_text("\n".join(["collection,system,topic,value", *rows]) + "\n")
    return folder


def lines(folder):
    """Arguments of every command, by its name."""
    qrels, runs = folder / "qrels.json", sorted((folder / "runs").iterdir())
    pair = [run for run in runs if "\x1b" in run.name or "\n" in run.name]
    judges = folder / "judges"
    few, bad = ["--resamples", "50"], "\x1b[2J\nFORGED"
    return {
        "demo": [["-o", folder / f"demo{bad}"]],
        "validate": [[qrels, *runs], [qrels, *runs, "--full"], [qrels, *runs, "--explain"]],
        "evaluate": [[qrels, *runs, "-m", "AP", "-q"], [qrels, *runs, "-m", "AP", "--bounds"]],
        "trec_eval": [["-q", "-m", "map", qrels, runs[0]]],
        "compare": [[qrels, *pair, "-m", "AP", *few], [qrels, *pair, "-m", "AP", "--topics", *few]],
        "rank": [[qrels, *runs, "-m", "AP", *few]],
        "across": [[folder / f"scores{bad}.csv", "a\x1b[2J", "b", *few], [folder / f"scores{bad}.csv", *few]],
        "gate": [[qrels, *pair, "-m", "AP", "--summary", folder / f"summary{bad}.md"]],
        "plan": [[qrels, *runs, "-m", "AP", "--difference", "0.1"]],
        "judges": [[qrels, *runs, "--judges", judges, *few], [qrels, *runs, "--judges", judges, "--full", *few]],
        "judge-next": [[qrels, *pair, *few], [qrels, *runs, "--top", "2", "--judge", qrels, "--full", *few]],
        "metrics": [[qrels, *runs, "-m", "AP", "P@5", "--studies", "power", *few]],
        "enumerate": [["-k", "3", "-m", "AP", "P", "--runs", qrels, *runs]],
        "ipso": [["1011", "0111"], [folder / "pairs\x1b[2J.txt"]],
        "convert": [[pair[0], folder / f"out{bad}.json", "--force", "--run"]],
        "explain": [["--diff", "AP", "P@5", "--qrels", qrels, "--runs", *runs], ["--signature", f"AP|{ESCAPE}"]],
        "reproduce": [["ipso", qrels, *runs, "-o", folder / f"paper{bad}", "--figures", "none", *few]],
        "simulate": [["-o", folder / f"sim{bad}", "--n-topics", "5", "--n-truth-topics", "50", "--force"]],
        "report": [[qrels, *runs, "-m", "AP", *few, "-o", folder / f"page{bad}.html", "--force"]],
    }


def said(*words, terminal=False):
    out, err = io.StringIO(), io.StringIO()
    out.isatty = lambda: terminal
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(map(str, words)))
        except SystemExit as usage:
            code = usage.code
    return code, out.getvalue(), err.getvalue()


def seen_in_json(text):
    json.loads(text)
    seen(text)


def seen_in_json_lines(text):
    for line in text.removesuffix("\n").split("\n"):
        seen_in_json(line)


FORMS = {
    "text": seen, "json": seen_in_json, "markdown": seen_in_markdown, "latex": seen_in_latex, "csv": seen,
    "trec": lambda text: seen(text.replace("\t", " ")), "tsv": lambda text: seen(text.replace("\t", " ")),
    "jsonl": seen_in_json_lines,
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command(name, folder, monkeypatch):
    """A new command has its arguments above, and a new form of output its check."""
    monkeypatch.chdir(folder)
    parser = _parser(name)._subparsers._group_actions[0].choices[name]
    for words in lines(folder)[name]:
        for form in ("text", *(parser.get_default("shapes") or ())):
            if ("--topics" in words and form in ("csv", "latex")) or ("--bounds" in words and form == "trec"):
                continue  # which is refused
            if name == "evaluate" and form == "latex" and {"--bounds", "-q", "--per-topic"} & {*words}:
                continue  # a table of means alone
            option = [] if form == "text" else [f"--{form}"]
            # data keep names as they came in, but not on a terminal
            code, out, err = said(name, *words, *option, terminal=form in ("csv", "tsv", "trec") or name == "trec_eval")
            assert code in (0, 1), err
            FORMS["trec" if name == "trec_eval" else form](out)
            seen(err)
        if "--plot" in parser._option_string_actions:
            assert said(name, *words, "--plot", "figure.json", "--force")[0] == 0
    for word in HOSTILE:
        code, out, err = said(name, f"--no-such={word}", f"nowhere{word}")
        assert code == 2
        seen(out + err)


def test_files_that_are_not_there(folder):
    for word in HOSTILE:
        code, out, err = said("evaluate", folder / "qrels.json", f"nowhere{word}")
        assert code == 2
        seen(out + err)


def test_a_summary_for_a_pull_request(folder):
    words = lines(folder)["gate"][0]
    words[-1].unlink(missing_ok=True)
    assert said("gate", *words)[0] in (0, 1)
    seen_in_markdown(words[-1].read_text())
