"""One page from results: escaped, under a policy that lets nothing in or out."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from rankscope.comparisons import Comparison, Leaderboard, evidence
from rankscope.comparisons.leading import lead_repetitions
from rankscope.comparisons.scored import FEWEST, ScoredLists, scored
from rankscope.comparisons.without_metric import gains_of
from rankscope.errors import InputError, Problem, plural
from rankscope.figures import THEMES
from rankscope.figures.chart import content_policy, runtime, source_hash
from rankscope.figures.theme import Theme
from rankscope.formatting import minus, script_json, visible
from rankscope.judged import Judged
from rankscope.measures import Scores, measure
from rankscope.measures.explanations.bibliography import cited
from rankscope.outputs import check_output, write_output
from rankscope.preferences.gains import Gains
from rankscope.reporting import chapters, page_contents
from rankscope.reporting.chapters import Chapter
from rankscope.reporting.first_screen import FirstScreen, of_comparison, of_ranking
from rankscope.reporting.packing import packed_array, packed_json
from rankscope.reporting.summary import WORD, affected, comments, findings_line, not_scored, taken_out
from rankscope.results import finite
from rankscope.statistics.draws.resampling import Resampling, resampling_of
from rankscope.studies import Study
from rankscope.validation import Findings
from rankscope.version import __version__

EXTRA = "pip install 'rankscope[report]'"
SCRIPTS = ("data", "ipso", "student", "flips", "downloads", "theme", "swatch", "stops", "edges", "pens", "strips",
           "differences", "scatter", "charts", "lists", "pair", "panels", "explorer", "board", "main")  # fmt: skip
"""The page's own scripts, in parts/, each after those it imports."""
RANKING_REFERENCES = (
    "J. P. Romano and M. Wolf (2005). Exact and approximate stepdown methods for multiple hypothesis testing. JASA "
    "100(469).",
    "M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024). Inference for ranks with applications to mobility "
    "across neighbourhoods and academic achievement across countries. Review of Economic Studies 91(1).",
)
"""Groups and places of the leaderboard, by the default method of `rank`."""


@dataclass(frozen=True, slots=True, repr=False)
class Page:
    """A report: one HTML text that needs nothing else.

    left_out  sentences: what did not fit
    read_as   in which formats judgments and runs came
    """

    html: str
    title: str
    left_out: tuple[str, ...]
    read_as: str

    @property
    def size(self) -> str:
        """Size of the file."""
        return f"{len(self.html.encode()) / 1e6:.1f} MB"

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write it; an existing file is refused unless `force` is given, and so is an ending of anything but HTML."""
        check_page(path)
        check_output(path, force=force)
        return write_output(path, self.html.encode())

    def __repr__(self) -> str:
        return f"<report: {self.title}; {self.size}>"


def check_page(path: str | Path) -> None:
    """Refuse a name with the ending of another kind of file."""
    if Path(path).suffix.lower() not in ("", ".html", ".htm"):
        raise InputError(Problem("a report is an HTML page", "choose a name that ends in .html", str(path)))


def check_extra() -> None:
    """Refuse, before any work, where a package is missing."""
    from importlib.util import find_spec

    packages = {"jinja2": "jinja2", "vl_convert": "vl-convert-python"}
    if lacking := [name for module, name in packages.items() if find_spec(module) is None]:
        raise InputError(f"a report needs {' and '.join(lacking)}, not installed here", EXTRA)


def assembled(
    judged: Judged,
    scores: Scores,
    *,
    ranking: Leaderboard | None = None,
    findings: Findings | None = None,
    comparison: Comparison | None = None,
    studies: Sequence[Study | Chapter] = (),
    further: Sequence[Chapter] = (),
    title: str | None = None,
    depth: int = page_contents.DEPTH,
    gains: Gains = None,
    resampling: Resampling | None = None,
    slices: Mapping[str, Sequence[str]] | None = None,
    drawing: Callable[[], str] = runtime,
) -> Page:
    """The page of these results.

    scores      of the page's measures; the first one decides
    comparison  of two systems that the page is about
    further     chapters on other choices: judges, slices of topics, collections
    depth       ranks of each list that the page holds for its readers to explore
    gains       by what the explorer orders lists first
    resampling  sign flips that the explorer draws, where it cannot count all of them
    slices      topics of each slice that the explorer can be restricted to, by name
    drawing     gives the script that draws figures, for a page that has some
    """
    order = scores.systems if ranking is None else ranking.systems
    if comparison is not None:
        order = (*comparison.systems, *(name for name in order if name not in comparison.systems))
    lists = page_contents.page_lists(judged, order, depth)
    offered, missing = page_contents.orders(lists, gains, gains_of(judged, scores.measures[0]))
    compared = [chapters.comparison_chapter(comparison)] if comparison is not None else []
    board = (
        chapters.leaderboard_chapter(ranking, judged, warned=comparison is not None)
        if ranking is not None
        else chapters.means_chapter(scores, _why_no_ranking(scores))
    )
    compared += [board, *further]
    studied = [study if isinstance(study, Chapter) else chapters.study_chapter(study) for study in studies]
    facts = page_contents.facts(lists, scores, offered)
    tested = ranking if ranking is not None else comparison
    alpha = 0.05 if tested is None else tested.alpha
    level = 1 - alpha if ranking is None else ranking.level
    facts["pair"] = [0, 1 if comparison is not None or ranking is None else _first_apart(ranking, len(lists.systems))]
    facts["slices"] = page_contents.page_slices(lists, slices or {})
    facts |= {"level": level, "alpha": alpha, "fewest": FEWEST, "draws": _draws(resampling_of(resampling))}
    if repeated := [key for key, n in Counter(chapter.key for chapter in studied).items() if n > 1]:
        raise InputError(f"two studies of one kind ({repeated[0]})", "put each on a page of its own")
    csv = {
        block.key: block.csv
        for chapter in (*compared, *studied)
        for card in chapter.grids
        for block in (card, *card.more)
    }
    texts = {"latex": board.board.latex} if board.board is not None else {}
    if board.board is not None:
        csv["leaderboard"] = board.board.csv
    csv |= {figure.key: figure.csv for chapter in (*compared, *studied) for figure in chapter.figures}
    if findings is not None:
        csv["findings"] = chapters.findings_csv(findings)
    explorable = len(lists.systems) > 1 and bool(offered)
    left_out = (*(lists.left_out if explorable else ()), *missing)
    title = visible(title or _title(judged, comparison))
    blocks = page_contents.blocks(lists, scores) | {"csv": packed_json(csv), "texts": packed_json(texts)}
    if ranking is not None and len(ranking.systems) <= page_contents.CHOOSABLE:
        blocks["apart"] = packed_array(ranking.pvalues < ranking.alpha)
    html = _rendered(
        title=title,
        first=_first_screen(judged, scores, ranking, comparison, title),
        files=""
        if findings is None
        else visible(findings_line(findings, None if comparison is None else comparison.systems)),
        missing=[visible(line) for line in (*not_scored(judged, scores), *taken_out(judged))],
        tiles=_tiles(judged, scores, comparison),
        findings=findings,
        affected=[] if findings is None else affected(findings, None if comparison is None else comparison.systems),
        severity_words=WORD,
        planned=None if comparison is None else [visible(name) for name in comparison.systems],
        compared=compared,
        studied=studied,
        facts=facts,
        blocks=blocks,
        graded=len(offered) > 1,
        explorable=explorable,
        left_out=left_out,
        comments=comments(judged),
        methods=_methods(judged, scores, ranking, findings, explorable),
        references=_references(scores, ranking, comparison),
        drawing=drawing,
    )
    return Page(html, title, left_out, judged.read_as)


def _draws(resampling: Resampling) -> dict[str, Any]:
    """Resamples and seed; a seed of 64 bits is no number to a browser."""
    return {"resamples": resampling.resamples, "seed": str(resampling.seed)}


def _first_screen(
    judged: Judged, scores: Scores, ranking: Leaderboard | None, comparison: Comparison | None, title: str
) -> FirstScreen:
    if comparison is not None:
        return of_comparison(comparison)
    if ranking is not None:
        return of_ranking(ranking, lead_repetitions(ScoredLists(judged, scores), ranking))
    return FirstScreen(title, [visible(_why_no_ranking(scores))])


def _rendered(*, drawing: Callable[[], str], **parts_of_page: Any) -> str:
    from jinja2 import Environment, StrictUndefined

    parts = files("rankscope.reporting") / "parts"
    style = _colours() + (parts / "style.css").read_text(encoding="utf-8")
    chapters_of_page = (*parts_of_page["compared"], *parts_of_page["studied"])
    own = script()
    vega = drawing() if any(chapter.figures for chapter in chapters_of_page) else ""  # a third of a page without it
    template = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template.filters |= {"whole": _unbroken, "breakable": _breakable, "fields": _fields}
    return template.from_string((parts / "page.html.j2").read_text(encoding="utf-8")).render(
        **{**parts_of_page, "facts": script_json(finite(parts_of_page["facts"]))},
        visible=visible,
        policy=content_policy(filter(None, [own, vega]), [source_hash(style)]),
        style=style,
        script=own,
        runtime=vega,
        version=__version__,
    )


_KEPT = re.compile(
    r"\[[-\u2212]?\d[\d.e-]{0,12}, [-\u2212]?\d[\d.e-]{0,12}\]"
    r"|\bp (?:=|&lt;) \d[\d.]{0,8}(?:e-\d{1,3})?|(?<![\w.])\d[\d.]{0,8}(?:e-\d{1,3}| %)"
    r"|(?<![\w-])--[a-z]{1,20}(?:-[a-z]{1,20}){0,3}(?![\w-])"
)


def _unbroken(text: str, signs: bool = True) -> Any:
    """Text for a page: no line breaks within 4.7e-06, 95 %, p = 0.01, an interval or --option.

    signs  whether numbers have minus signs in place of hyphens; not where lines of files are quoted
    """
    from markupsafe import Markup, escape

    return Markup(_KEPT.sub(r'<span class="whole">\g<0></span>', str(escape(minus(text) if signs else text))))


def _breakable(text: str) -> Any:
    """Text for a page whose lines may break after an underscore."""
    from markupsafe import Markup, escape

    return Markup(str(escape(text)).replace("_", "_<wbr>"))


def _fields(rows: Sequence[Any]) -> str:
    """Dataclasses as JSON."""
    return json.dumps([asdict(row) for row in rows])


def script() -> str:
    """The page's own script: modules laid end to end, without the lines that join them."""
    parts = files("rankscope.reporting") / "parts"
    texts = [(parts / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    joined = "\n".join(re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE) for text in texts)
    return re.sub(r"^export ", "", joined, flags=re.MULTILINE)


def _colours() -> str:
    """The colours of the figures, as the style sheet's variables."""
    light, dark = (_variables(theme) for theme in (THEMES["light"], THEMES["dark"]))
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )


def _variables(theme: Theme) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in theme.variables().items())


def _first_apart(ranking: Leaderboard, n_systems: int) -> int:
    """The first system that differs from the best one: a better first look than two runs of one team."""
    apart = [s for s in range(1, n_systems) if ranking.pvalues[0, s] < ranking.alpha]
    return apart[0] if apart else 1


def _why_no_ranking(scores: Scores) -> str:
    if len(scores.systems) == 1:
        return "One system alone cannot be ranked."
    return "There are too few topics to say which systems differ; these are plain means."


def _title(judged: Judged, comparison: Comparison | None) -> str:
    if comparison is not None:
        a, b = comparison.systems
        return f"{a} against {b}"
    return f"{plural(len(judged.systems), 'system')} on {plural(len(judged.topics), 'topic')}"


def _tiles(judged: Judged, scores: Scores, comparison: Comparison | None) -> list[tuple[str, str]]:
    """Tiles of the page: a number and what it counts; a comparison may have more metrics than all systems."""
    tried = () if comparison is None else [r.name for r in comparison.repetitions if r.axis == "metric"]
    more = len({*tried} - {*scores.labels})
    metrics = ("metric for all,", "metrics for all,") if more else ("metric", "metrics")
    counts = [
        (len(judged.systems), "system", "systems"), (len(judged.topics), "topic", "topics"),
        (int(judged.available.sum()), "judgment", "judgments"),
        (judged.code.shape[-1], "rank at most", "ranks at most"), (len(scores.measures), *metrics),
        *([(more, "more for A and B", "more for A and B")] if more else []),
    ]  # fmt: skip
    return [(f"{count:,}", singular if count == 1 else several) for count, singular, several in counts]


def _methods(
    judged: Judged, scores: Scores, ranking: Leaderboard | None, findings: Findings | None, explorable: bool
) -> Mapping[str, list[str]]:
    """Methods behind the numbers, by heading."""
    grades = ", ".join(f"{grade:g}" for grade in judged.grades[:20])
    rules = judged.rules
    methods = {
        "Collection": [
            f"{plural(len(judged.systems), 'system')}, {plural(len(judged.topics), 'topic')}; grades {grades}; "
            f"relevant from {rules.rel:g} where a metric does not say",
            visible(judged.read_as) if judged.read_as else "runs and judgments from memory",
            *map(visible, judged.notes),
        ],
        "Rules": [
            f"order of equal scores: {rules.ties}; scores compared as {rules.score_dtype}",
            f"judged topics that a run lacks: {'scored as empty lists' if rules.missing == 'zero' else 'left out'}",
            f"topics where a metric has nothing to measure: {'left out' if rules.undefined == 'drop' else 'scored 0'}",
            "unjudged documents count as not relevant and stay marked as unjudged"
            if rules.unjudged == "keep"
            else "unjudged documents are taken out of the lists, which close up",
        ],
        "Signatures": _signatures(scores, ranking),
    }
    if ranking is not None:
        methods["Leaderboard"] = [
            visible(f"{ranking.method}; alpha {ranking.alpha:g}, family-wise over all pairs"),
            "intervals of means: Student, each by itself",
        ]
    if not explorable:
        return methods
    methods["Comparison explorer"] = [
        "Student's paired t and the randomisation test are computed in this page, by the methods of rankscope compare. "
        "Sign flips are all counted for up to 40 differences other than 0, or where differences lie on a grid; "
        "otherwise they are drawn, and the draws are the library's.",
        "Innate pairwise SERP orderings (IPSO) are computed in this page from grade codes, by exact counts and sums of "
        "whole numbers. The sign test is exact and two-sided, and leaves out topics that are equal or non-separable.",
        "By grade thresholds, the list that is ahead has, for every grade and down to every rank, no fewer documents "
        "of at least that grade. Then no metric that keeps Rules 1 and 2 of Moffat and Mackenzie (2024) can prefer the "
        "other. By sums of gains that is true only of metrics that sum the same gains with weights that never grow "
        "with rank.",
        "who looks at many pairs, depths and orders and reports the best has not tested anything: choose beforehand",
    ]
    return methods


def _signatures(scores: Scores, ranking: Leaderboard | None) -> list[str]:
    """Signatures of the measures; with a leaderboard, of means over the topics that every system has."""
    if ranking is None:
        return [scores.signature(measure) for measure in scores.measures]
    return [scored(scores, measure).signature for measure in scores.measures]


def _references(scores: Scores, ranking: Leaderboard | None, comparison: Comparison | None) -> list[str]:
    """References: works on the methods of the page, then on each measure."""
    works = [evidence.REFERENCES[evidence.MOFFAT]]
    works += [] if ranking is None else RANKING_REFERENCES
    measures = list(scores.measures)
    if comparison is not None:
        works += evidence.references(comparison)
        works += [] if comparison.without is None else evidence.PREFERENCES
        measures += [measure(r.name.partition(" (grade ")[0]) for r in comparison.repetitions if r.axis == "metric"]
    works += [cited(m.reference) for m in measures if m.reference]
    return list(dict.fromkeys(map(visible, works)))
