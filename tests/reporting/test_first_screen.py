"""The first screen and the leaderboard: the finding first, its evidence one click away."""

import itertools
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from pages import MEASURES, Report, made

import rankscope as rs
from rankscope.comparisons import evidence, wording
from rankscope.comparisons.leading import lead_repetitions
from rankscope.comparisons.scored import ScoredLists
from rankscope.figures import THEMES
from rankscope.measures.bounding.run import ends_of
from rankscope.reporting.bars import Scale
from rankscope.reporting.first_screen import of_comparison, of_ranking
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import embedded_judges
from rankscope.statistics import Resampling

LOOKING = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")
PHONE = 1200  # pixels that a phone shows after one or two scrolls


@pytest.fixture(scope="module", params=["trec8-adhoc", "dl19-passage", "trec-covid-r5", "recsys-ml1m-time"])
def real(request, data, tmp_path_factory) -> Report:
    folder = data / request.param
    return made(tmp_path_factory.mktemp(request.param), str(folder / "qrels.gz"), str(folder / "runs"), keep_ties=True)


def ranking_of(report: Report) -> rs.comparisons.Leaderboard:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rs.rank(report.judged, measure=MEASURES[0], also=MEASURES[1:], resampling=Resampling(200))


def test_the_headline_is_the_finding(shipped, opened):
    tab, ranking = opened(shipped.path).tab, ranking_of(shipped)
    assert tab.inner_text("h1") == f"{ranking.finding()}."
    assert tab.inner_text("h1") == "hybrid-2 leads on nDCG@10; 2 of 7 other systems cannot be ruled out as best."
    names = tab.eval_on_selector_all(".best th", "all => all.map(one => one.textContent)")
    assert names == list(ranking.systems)
    assert tab.locator(".best .is-lead circle").count() - 1 == sum(place == 1 for place in ranking.best)  # and a legend
    assert tab.locator("#findings").evaluate("one => one.getBoundingClientRect().top > innerHeight")
    assert tab.inner_text(".files").startswith("4 findings: ")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_headline_of_real_collections(real, opened, width):
    tab, ranking = opened(real.path, width=width, first=LOOKING).tab, ranking_of(real)
    assert tab.inner_text("h1") == f"{ranking.finding()}."
    assert ranking.systems[0] in tab.inner_text("h1")
    assert tab.locator(".best tbody tr").count() == 10
    last = tab.evaluate(
        "Math.max(...[...document.querySelectorAll('.chip')].map(c => c.getBoundingClientRect().bottom))"
    )
    assert last < (PHONE if width == 390 else 800)
    assert tab.locator(".chip").count() == 3
    assert tab.evaluate("faults()") == []


@pytest.mark.parametrize("which", ["shipped", "about_two"])
def test_a_phone_shows_the_answer_first(which, request, opened):
    tab = opened(request.getfixturevalue(which).path, width=390).tab
    bottoms = tab.evaluate(
        "['h1', '.best', '.chip:nth-child(3), .chip:nth-child(2):last-child'].map(one => "
        "document.querySelector(one).getBoundingClientRect().bottom)"
    )
    assert bottoms == sorted(bottoms)
    assert bottoms[-1] < PHONE


def test_chips_say_what_other_choices_make_of_the_lead(shipped, opened):
    repetitions = lead_repetitions(ScoredLists(shipped.judged, shipped.scores), ranking_of(shipped))
    metrics = [r for r in repetitions if r.axis == "metric"]
    kept = sum(r.holds for r in metrics)
    tab = opened(shipped.path).tab
    chip = tab.locator(".chip", has_text="Other metrics")
    assert f"hybrid-2 leads under {kept} of {len(metrics)}" in chip.inner_text()
    assert chip.locator("b").inner_text() == ("holds" if kept == len(metrics) else "changes")
    assert not chip.locator("table").is_visible()
    chip.locator("summary").click()
    assert chip.locator("tbody tr").count() == len(metrics)
    (unjudged,) = (r for r in repetitions if r.axis == "unjudged")
    text = tab.inner_text(".chip:has-text('Unjudged')")
    assert ("no other system could lead" if unjudged.holds else f"{len(unjudged.rivals)} of 7 other systems") in text


def test_chips_of_a_comparison_are_those_of_the_command(about_two, opened):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        comparison = rs.compare(
            about_two.judged, "hybrid-1", "lexical-2", measure=MEASURES[0], resampling=Resampling(200)
        )
    agree = sum(r.outcome == "holds" for r in comparison.repetitions)
    tab = opened(about_two.path).tab
    assert f"{agree} of {len(comparison.repetitions)} other choices agree" in tab.inner_text(".answer")
    chip = tab.locator(".chip", has_text="Other metrics")
    chip.locator("summary").click()
    assert chip.locator("tbody tr").count() == sum(r.axis == "metric" for r in comparison.repetitions)
    assert tab.locator(".best tbody tr").count() == 1 + sum(r.axis == "metric" for r in comparison.repetitions)
    assert "\N{MINUS SIGN}0.1325" in tab.inner_text(".best tbody tr:first-child")


def test_boxes_of_a_comparison_open_what_the_command_prints(tmp_path, opened):
    """Repetitions are a table; what is no repetition has the sentences of `compare --full`."""
    path, comparison = every_box(tmp_path)
    assert comparison.unjudged.lower < comparison.unjudged.upper
    tab = opened(path).tab
    shown = tab.locator(".chip")
    titles = [title.rstrip(":") for title in tab.locator(".chip-title").all_inner_texts()]
    assert titles[:3] == ["Other metrics", "Unjudged documents", "Order of ties"]
    assert {"Other tests", "Other judges", "Slices", "Without a metric"} <= {*titles}
    blocks = {"Unjudged documents": evidence.unjudged_block(comparison, comparison.unjudged),
              "Without a metric": evidence.ipso_block(comparison, comparison.without)}  # fmt: skip
    for place, title in enumerate(titles):
        shown.nth(place).locator("summary").click()
        said = " ".join(shown.nth(place).inner_text().replace("\N{MINUS SIGN}", "-").split())
        assert "The comparison below has the evidence" not in said
        if title in blocks:
            assert all(line in said for line in blocks[title].parts)
        else:
            axis = next(axis for axis, words in wording.AXES.items() if words == title.lower())
            count = sum(r.axis == axis for r in comparison.repetitions)
            assert shown.nth(place).locator("tbody tr").count() == count > 0


def every_box(folder: Path) -> tuple[Path, rs.comparisons.Comparison]:
    """A page with every chapter around one comparison, and that comparison."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pair, settings = ("lexical-3", "hybrid-1"), {"by": "relevant", "resampling": Resampling(50), "workers": 1}
        page = rs.report(*embedded(), judges=embedded_judges(), pair=pair, holes=True, **settings)
        loaded = rs.load_judges(*embedded(), embedded_judges())
        judged = rs.load(*embedded(), keep_docs=True, keep_ties=True)
        comparison = rs.compare(judged, *pair, measure="nDCG@10", judges=loaded, **settings)
    return page.save(folder / "page.html"), comparison


@pytest.mark.parametrize("width", [360, 390])
def test_every_box_fits_a_phone(tmp_path, opened, width):
    """Seven boxes and the line on findings are in the first 1,200 pixels; one that is opened says all of it."""
    tab = opened(every_box(tmp_path)[0], width=width, first=LOOKING).tab
    assert tab.locator(".chip").count() == 7
    bottom = "all => all.map(one => one.getBoundingClientRect().bottom)"
    assert max(tab.eval_on_selector_all(".chip, .files", bottom)) < PHONE
    last = tab.locator(".chip").last
    assert not last.locator(".chip-words").is_visible()
    last.locator("summary").click()
    assert last.locator(".chip-words").is_visible()
    assert tab.evaluate("faults()") == []


def test_a_constant_difference_is_drawn_without_a_warning(tmp_path, opened):
    """Its intervals have no ends: Vega warns of a scale over nothing, and `opened` lets no warning pass."""
    qrels = {str(t): {"r": 1, "n": 0} for t in range(12)}
    runs = {"old": {t: ["n", "r"] for t in qrels}, "new": {t: ["r", "n"] for t in qrels}}
    page = rs.report(qrels, runs, measures="RR", pair=("old", "new"), by="relevant", holes=True,
                     resampling=Resampling(50))  # fmt: skip
    tab = opened(page.save(tmp_path / "page.html")).tab
    assert tab.locator("#comparison figure svg").count() == tab.locator("#comparison figure").count() > 3


def test_a_verdict_that_unjudged_documents_may_decide_is_warned_of(tmp_path, opened):
    """The new system has relevant documents at ranks 1 to 4, and four more that are unjudged, or judged in `quiet`."""
    old = {str(t): [f"r{i}" for i in range(4 + t % 2)] + [f"n{i}" for i in range(6 - t % 2)] for t in range(12)}
    new = {t: [f"s{i}" for i in range(4)] + [f"u{i}" for i in range(4)] + ["n0", "n1"] for t in old}
    known = {f"r{i}": 1 for i in range(6)} | {f"n{i}": 0 for i in range(6)} | {f"s{i}": 1 for i in range(4)}
    warning = "Unjudged documents may decide: "
    for quiet in (False, True):
        qrels = dict.fromkeys(old, known | {f"u{i}": 0 for i in range(4)} if quiet else known)
        for pair in (None, ("<b>old</b>", "new")):
            page = rs.report(qrels, {"<b>old</b>": old, "new": new}, measures=["P@10"], pair=pair, holes=True,
                             resampling=Resampling(50))  # fmt: skip
            tab = opened(page.save(tmp_path / f"{quiet}-{pair is None}.html")).tab
            for part in (".answer", "#holes"):
                text = tab.inner_text(part)
                assert (warning in text) != quiet
                if not quiet:
                    first, second = "60 % of new's", "100 % of <b>old</b>'s"
                    assert all(words in text for words in (first, second, "at ranks 1 to 10", "Whatever their grades"))
                    assert f"[\N{MINUS SIGN}{'0.3500, 0.0500]' if pair is None else '0.0500, 0.3500]'}" in text
            assert tab.inner_text("#leaderboard thead").count("judged@10") == 1


def test_heads_of_the_leaderboard_name_depth_and_threshold(shipped, opened):
    """Graded judgments leave a choice, so binary measures have their lowest relevant grade; k of judged@k is nDCG's."""
    tab = opened(shipped.path).tab
    heads = tab.locator("[data-table=leaderboard] th:not(.bar)").all_inner_texts()
    assert heads[2:7] == ["nDCG@10", "AP(rel=1)", "RR(rel=1)", "judged@10", "possible ranks"]
    about = "share of the documents at ranks 1 to 10 that are judged, on all topics together; the others are unjudged."
    head = tab.locator("[data-table=leaderboard] th", has_text="judged@10")
    assert head.get_attribute("title") == about
    assert f"judged@10: {about}" in tab.inner_text("#leaderboard .notes")
    column = head.evaluate("one => one.cellIndex")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranked = rs.rank(shipped.judged, measure="nDCG@10")
    shares = dict(zip(ranked.systems, ranked.judged.tolist(), strict=True))
    cells = tab.eval_on_selector_all(
        "[data-table=leaderboard] tbody tr",
        "(rows, column) => rows.map(row => [row.querySelector('.name').textContent, row.cells[column].textContent])",
        column,
    )
    assert len(cells) == 8
    for name, cell in cells:
        assert abs(float(cell.removesuffix(" %")) / 100 - shares[name]) <= 0.001
        assert (cell == "100.0 %") == (shares[name] == 1)


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Report:
    """118 systems on few topics."""
    draw = random.Random(5)
    docs = [f"d{i}" for i in range(30)]
    topics = [str(t) for t in range(1, 13)]
    qrels = {t: {d: draw.choice([0, 0, 1]) for d in docs} for t in topics}
    runs = {
        f"system-{s}": {t: {d: draw.random() + 0.02 * s * qrels[t][d] for d in draw.sample(docs, 12)} for t in topics}
        for s in range(118)
    }
    return made(tmp_path_factory.mktemp("many"), qrels, runs)


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_pressed_stays_where_it_is(many, tmp_path, opened, width):
    """A row that is chosen, though words on it come above; a box that is opened, though the one above it closes."""
    tab = opened(many.path, width=width).tab

    def seen(row):
        """Whether the words on a chosen row leave it in sight."""
        here, panel = row.bounding_box(), tab.locator("#chosen").bounding_box()
        return here["y"] + here["height"] <= panel["y"] or here["y"] >= panel["y"] + panel["height"]

    rows = tab.locator("[data-table=leaderboard] tbody tr")
    for row in (rows.nth(6), rows.nth(9)):
        row.evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
        before = row.bounding_box()["y"]
        row.locator(".pick-row").dispatch_event("click")
        tab.wait_for_selector("#chosen:visible")
        tab.wait_for_timeout(100)
        assert abs(row.bounding_box()["y"] - before) < 1
        assert seen(row)
    # one that the words would cover is moved beside them
    for place, block in ((12, "end"), (7, "start")):
        row = rows.nth(place)
        row.evaluate("(one, block) => one.scrollIntoView({ block, behavior: 'instant' })", block)
        if block == "start":
            tab.evaluate("scrollBy({ top: -60, behavior: 'instant' })")  # below the bar of the page
        row.locator(".pick-row").dispatch_event("click")
        tab.wait_for_timeout(200)
        assert seen(row)
    tab = opened(every_box(tmp_path)[0], width=width).tab
    boxes = tab.locator(".chip summary")
    boxes.nth(0).click()
    boxes.nth(1).evaluate("one => one.scrollIntoView({ block: 'start', behavior: 'instant' })")
    tab.evaluate("scrollBy({ top: -100, behavior: 'instant' })")
    before = boxes.nth(1).bounding_box()["y"]
    boxes.nth(1).dispatch_event("click")
    tab.wait_for_timeout(200)
    assert tab.locator(".chip[open]").count() == 1
    assert abs(boxes.nth(1).bounding_box()["y"] - before) < 1 or tab.evaluate("scrollY") == 0


def test_the_panel_of_a_chosen_system_stays_with_its_board(many, opened):
    """On a phone the panel is at the bottom of the window, and covers nothing once the leaderboard is past."""
    tab = opened(many.path, width=390).tab
    row = tab.locator("[data-table=leaderboard] tbody tr").nth(4)
    row.evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
    row.locator(".pick-row").dispatch_event("click")
    tab.wait_for_selector("#chosen:visible")
    panel = tab.locator("#chosen")
    assert abs(panel.bounding_box()["y"] + panel.bounding_box()["height"] - 800) < 1
    tab.click("#chosen button:has-text('Compare with')")
    tab.wait_for_function("document.activeElement.id === 'explorer-title'")
    tab.evaluate("document.getElementById('strips-card').scrollIntoView({ block: 'start', behavior: 'instant' })")
    assert panel.bounding_box()["y"] + panel.bounding_box()["height"] < 0
    assert tab.locator("tr.is-chosen .name").evaluate("one => getComputedStyle(one).backgroundColor") == panel.evaluate(
        "one => getComputedStyle(one).backgroundColor"
    )


def test_a_page_about_two_systems_cites_what_it_uses(about_two, opened):
    said = opened(about_two.path).tab.inner_text(".references")
    for words in ("lexicographic evaluation", "without evaluation metrics", "Expected reciprocal rank", "Rank-Biased"):
        assert words.lower() in said.lower()


def test_dots_of_a_printed_page_have_the_height_of_their_row(many, opened):
    tab = opened(many.path).tab
    tab.emulate_media(media="print")
    for kind in (".dots", ".axis"):
        heights = tab.evaluate(
            f"[...document.querySelectorAll('table {kind}')].map(one => one.getBoundingClientRect().height)"
        )
        assert 5 < max(heights) < 40


def test_heads_of_a_table_that_fits_stay_in_view(many, opened):
    tab = opened(many.path).tab
    tab.click("#all-systems")
    tab.evaluate(
        "document.querySelector('tr[data-rank=\\'60\\']').scrollIntoView({ block: 'center', behavior: 'instant' })"
    )
    tab.wait_for_timeout(200)
    head, bar = (tab.locator(one).first.bounding_box() for one in ("[data-table=leaderboard] th", ".top"))
    assert abs(head["y"] - (bar["y"] + bar["height"])) < 2


def test_slices_are_no_choices_on_the_same_topics(tmp_path):
    """Their p is corrected, as in the command; the other choices are counted without them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = rs.load(*embedded())
        found = rs.compare(judged, "lexical-2", "hybrid-1", measure="nDCG@10", by="relevant", workers=1)
    screen = of_comparison(found)
    others = [r for r in found.repetitions if r.axis != "slice"]
    agree = sum(r.outcome == "holds" for r in others)
    assert f"{agree} of {len(others)} other choices agree, on the same topics." in screen.lines
    chip = next(one for one in screen.chips if one.title == "Slices")
    header, rows = found.slices.rows()
    place = header.index("p (Holm)")
    assert chip.header[place] == "p (Holm)"
    assert [row[place] for row in chip.rows] == [row[place] for row in rows]
    assert found.slices.dependence() in chip.lines


def test_chips_say_who_shares_the_lead(tmp_path):
    """Two systems have the same RR on every topic, and different numbers of relevant documents below it."""
    qrels = {str(t): {"r": 1, "s": 1, "n": 0} for t in range(12)}
    runs = {
        "first": {t: ["r", "s", "n"] for t in qrels}, "second": {t: ["r", "n", "s"] for t in qrels},
        "third": {t: ["n", "r", "s"] for t in qrels},
    }  # fmt: skip
    judged = rs.load(qrels, runs)
    ranking = rs.rank(judged, measure="P@2", also=["RR", "AP"], resampling=Resampling(50))
    chips = of_ranking(
        ranking, lead_repetitions(ScoredLists(judged, rs.evaluate(judged, ["P@2", "RR", "AP"])), ranking)
    )
    chip = next(one for one in chips.chips if one.title == "Other metrics")
    assert chip.words == "first leads under 2 of 2, with others under 1 of them"
    assert [row[3] for row in chip.rows] == ["first and 1 other", "first"]


def test_finds_shows_and_chooses_systems(many, opened):
    tab, ranking = opened(many.path).tab, ranking_of(many)
    shown = tab.locator("[data-table=leaderboard] tbody tr:visible")
    assert shown.count() == 20
    assert tab.inner_text("#all-systems") == "Show all 118 systems"
    tab.fill("#find", "SYSTEM-11")
    assert shown.count() == 8 + 1  # system-11 and system-110 to system-117
    assert tab.inner_text("#found") == "9 of 118"
    tab.fill("#find", "")
    tab.click("#all-systems")
    assert shown.count() == 118
    for rank in (0, 40, 117):
        tab.click(f"tr[data-rank='{rank}'] .pick-row")
        tab.wait_for_selector(f"tr[data-rank='{rank}'].is-chosen")
        apart = ranking.pvalues[rank] < ranking.alpha
        better, worse = int(apart[:rank].sum()), int(apart[rank + 1 :].sum())
        words = " ".join(tab.inner_text("#chosen p").split())
        same = 117 - better - worse
        assert words == f"Against {ranking.systems[rank]}: {better} better {same} not told apart {worse} worse"
        kinds = [
            tab.locator(f"[data-table=leaderboard] tbody .dots.is-{kind}").count()
            for kind in ("b", "open", "a", "chosen")
        ]
        assert kinds == [better, same, worse, 1]
    tab.click("#chosen button:text-is('Clear')")
    assert tab.locator("[data-table=leaderboard] .is-chosen").count() == 0
    assert not tab.is_visible("#chosen")


BOARD_PLACES = """() => [...document.querySelectorAll("[data-table=leaderboard] tbody tr:not(.beyond)")].map(row => {
    const [box, dot] = [".dots", "circle"].map(name => row.querySelector(name).getBoundingClientRect());
    return (dot.left + dot.width / 2 - box.left) / box.width;
})"""
AXIS_PLACES = """() => [...document.querySelectorAll("[data-table=leaderboard] .axis text")].map(
    text => [parseFloat(text.getAttribute("x")) / 100, parseFloat(text.textContent)])"""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_rows_have_their_own_scale(many, opened, width):
    """Dots stand where the axis says, on the scale of the rows that are shown; and the first rows fill theirs."""
    tab, ranking = opened(many.path, width=width).tab, ranking_of(many)

    def slopes() -> float:
        places, (low, *_, high) = tab.evaluate(BOARD_PLACES), tab.evaluate(AXIS_PLACES)
        slope = (high[0] - low[0]) / (high[1] - low[1])
        expected = low[0] + slope * (np.sort(ranking.mean)[::-1][: len(places)] - low[1])
        np.testing.assert_allclose(places, expected, atol=0.01)
        return float(slope)

    first = slopes()
    tab.click("#all-systems")
    assert len(tab.evaluate(BOARD_PLACES)) == 118
    assert first > 1.3 * slopes()
    tab.click("#all-systems")
    assert slopes() == pytest.approx(first)
    top = "document.getElementById('all-systems').getBoundingClientRect().top"
    assert tab.evaluate(f"0 < {top} && {top} < innerHeight")  # the reader stays at the end of the table


class Reader:
    """Somebody with a mouse: counts clicks, choices and screens of scrolling."""

    def __init__(self, tab):
        self.tab, self.steps = tab, 0

    def click(self, selector):
        self.steps += 1
        self.tab.locator(selector).first.click()

    def choose(self, selector, label):
        self.steps += 1
        self.tab.select_option(selector, label=label)

    def look_at(self, selector):
        """Scroll until nine tenths of it are seen."""
        place = """selector => {
            const box = document.querySelector(selector).getBoundingClientRect(),
                top = document.querySelector("header.top").getBoundingClientRect().bottom,
                seen = Math.min(box.bottom, innerHeight) - Math.max(box.top, top);
            return [seen / Math.min(box.height, innerHeight - top), (box.top + box.bottom - top - innerHeight) / 2];
        }"""
        for _ in range(20):
            share, way = self.tab.evaluate(place, selector)
            if share > 0.9:
                return
            self.steps += 1
            self.tab.evaluate("way => scrollBy({ top: way, behavior: 'instant' })", float(np.clip(way, -720, 720)))
        raise AssertionError(f"{selector} is never seen")

    def part(self, name):
        self.click(f".top a[href='#{name}']")
        self.tab.evaluate("name => document.getElementById(name).scrollIntoView({ behavior: 'instant' })", name)


def test_steps_of_five_tasks(shipped, many, opened):
    """As the page of the documentation on reports counts them: clicks, choices, screens of scrolling."""
    page = opened(shipped.path)
    # who leads, and can it be trusted? Is it the unjudged documents?
    reader = Reader(page.tab)
    for selector in ("h1", ".best", ".chips"):
        reader.look_at(selector)
    assert reader.steps == 0
    assert "Unjudged documents" in page.tab.inner_text(".chips")
    # how does my system compare with the best?
    page = opened(many.path)
    names = page.ask("rankscope.facts.systems")
    reader = Reader(page.tab)
    reader.part("explorer")
    assert page.tab.inner_text("#pick-a option:checked") == names[0]
    reader.choose("#pick-b", names[40])
    reader.look_at("#effect-sentence")
    assert "interval" in page.tab.inner_text("#effect-sentence")
    assert reader.steps == 2
    # which topics decide?
    reader.look_at("#differences")
    assert reader.steps == 3
    # the table for a paper
    reader = Reader(page.tab)
    reader.part("leaderboard")
    reader.look_at("#latex")
    with page.tab.expect_download() as download:
        reader.click("#latex")
    assert download.value.suggested_filename == "leaderboard.tex"
    assert reader.steps == 2


def stops_of(tab) -> int:
    """How often the tabulator is pressed from the beginning of a page to its end."""
    for stops in range(200):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement === document.body"):
            return stops
    raise AssertionError("no end after 200 stops")


@pytest.mark.parametrize("chosen", [False, True])
def test_arrow_keys_bring_no_row_below_the_head_of_the_table(many, opened, chosen):
    """Upwards, where the head floats over rows, and with the panel of a chosen system."""
    tab = opened(many.path).tab
    tab.click("#all-systems")
    tab.focus(".pick-row[tabindex='0']")
    if chosen:
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#chosen:visible")
    tab.keyboard.press("End")
    covered = """() => {
        const row = document.activeElement.closest("tr").getBoundingClientRect();
        const over = [document.querySelector("[data-table=leaderboard] thead th"), document.getElementById("chosen")];
        return over.filter((one) => !one.hidden).map((one) => one.getBoundingClientRect())
            .some((one) => row.top < one.bottom - 1 && row.bottom > one.top + 1);
    }"""
    for _ in range(60):
        tab.keyboard.press("ArrowUp")
        tab.evaluate("new Promise((then) => { let y = -1; const still = () => scrollY === y ? then() : "
                     "((y = scrollY), setTimeout(still, 40)); still(); })")  # fmt: skip
        assert not tab.evaluate(covered)


def test_few_stops_of_the_tabulator(many, opened):
    tab = opened(many.path).tab
    assert 20 < stops_of(tab) < 60
    tab.focus(".pick-row[tabindex='0']")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("tr[data-rank='1'].is-chosen")


@pytest.mark.slow
def test_few_stops_around_a_comparison_of_a_real_collection(data, tmp_path, opened):
    folder = data / "trec8-adhoc"
    pair = ("ok8alx", "orcl99man")
    report = made(tmp_path, str(folder / "qrels.gz"), str(folder / "runs" / "*.gz"), pair=pair, keep_ties=True)
    tab = opened(report.path, width=1400).tab
    assert tab.locator("[data-table=leaderboard] tbody tr").count() == 118
    assert 20 < stops_of(tab) < 60


def test_arrow_keys_reach_what_is_no_stop(about_two, opened):
    """Downloads of one thing are a toolbar, and findings a list; a box that does not scroll is no stop."""
    tab = opened(about_two.path).tab
    bar = tab.locator("#leaderboard [role=toolbar]")
    names = bar.locator("button").all_inner_texts()
    assert names == ["LaTeX", "CSV", "All scores"]
    focused = "document.activeElement.textContent.trim()"
    bar.locator("button").first.focus()
    reached = [tab.evaluate(focused)]
    for _ in names:
        tab.keyboard.press("ArrowRight")
        reached.append(tab.evaluate(focused))
    assert reached == [*names, names[-1]]
    assert bar.locator("button[tabindex='0']").all_inner_texts() == names[-1:]
    findings = tab.locator(".findings summary")
    assert findings.count() > 1
    findings.first.focus()
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    assert findings.nth(1).evaluate("one => one.parentElement.open")
    assert tab.locator(".findings summary[tabindex='0']").count() == 1
    boxes = tab.locator("[role=region]:visible").evaluate_all(
        "all => all.map(one => [one.tabIndex, one.scrollWidth > one.clientWidth + 1 || "
        "one.scrollHeight > one.clientHeight + 1])"
    )
    assert {(-1, False)} <= {tuple(box) for box in boxes} <= {(-1, False), (0, True)}


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_classes_of_a_legend_differ(shipped, opened, dark):
    tab = opened(shipped.path, dark=dark).tab
    fills = tab.eval_on_selector_all("#legend .swatch", "all => all.map(one => getComputedStyle(one).backgroundColor)")
    outcomes, documents = fills[:4], fills[4:]
    assert len(documents) >= 3
    for classes in (outcomes, documents):
        for one, other in itertools.combinations(classes, 2):
            assert contrast(one, other) >= 1.5, (one, other)
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    for tone in tab.eval_on_selector_all(".chip b", "all => all.map(one => getComputedStyle(one).color)"):
        assert contrast(tone, ground) >= 4.5
    assert THEMES["dark" if dark else "light"].relevance[-1] in tab.evaluate(
        "document.querySelector('style').textContent"
    )


def test_the_lead_by_hand():
    """The leader loses one other metric, may lose by an unjudged document, and by the order of ties."""
    qrels = {t: {"r": 1, "n": 0} for t in "123456"}
    runs = {
        "first": {t: {"r": 3.0, "n": 2.0} for t in qrels},
        "second": {t: {"u": 3.0, "r": 2.0, "n": 1.0} for t in qrels},
        "tied": {t: {"n": 2.0, "r": 2.0} for t in qrels},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = rs.load(qrels, runs, keep_ties=True)
        scores = rs.evaluate(judged, ["RR", "R@2", "P@1"])
        ranking = rs.rank(ScoredLists(judged, scores), measure="RR", also=["R@2", "P@1"], resampling=Resampling(50))
    assert ranking.systems[0] in ("first", "tied")
    rows = {(r.axis, r.name): r for r in lead_repetitions(ScoredLists(judged, scores), ranking)}
    leader = ranking.systems[0]
    assert rows["metric", "R@2"].holds
    unjudged = next(r for r in rows.values() if r.axis == "unjudged")
    assert "second" in unjudged.rivals
    assert dict(zip(unjudged.rivals, unjudged.means, strict=True))["second"] == 1.0
    ties = next(r for r in rows.values() if r.axis == "ties")
    assert (leader, ties.rivals) == ("tied", ("first",)) if leader == "tied" else ties.holds


def test_a_document_has_one_grade_in_both_lists():
    """A document below the cutoff, unjudged in both lists, lowers both scores: the second system cannot lead."""
    topics = [f"t{t}" for t in range(10)]
    qrels = {t: {"r": 1, "n": 0} for t in topics}
    qrels["t0"]["b"] = 2  # so that 2 is a grade
    first = {t: {"r": 3.0, "n": 2.0, "u": 1.0} for t in topics}
    second = {t: {"r" if at < 6 else "n": 3.0, "u": 1.0} for at, t in enumerate(topics)}
    judged = rs.load(qrels, {"first": first, "second": second}, keep_ties=True, keep_docs=True)
    scores = rs.evaluate(judged, ["nDCG@1"])
    lists = ScoredLists(judged, scores)
    ranking = rs.rank(lists, measure="nDCG@1", resampling=Resampling(50))
    (row,) = (r for r in lead_repetitions(lists, ranking) if r.axis == "unjudged")
    lower, upper = (ends[0].mean(axis=1) for ends in ends_of(judged, scores.measures)[:2])
    assert upper[1] > lower[0]  # each by itself
    assert row.holds
    assert row.leads == ()


@pytest.mark.parametrize(
    ("values", "limits", "ends"),
    [
        ([0.12, 0.74], (0, 1), (0.1, 0.8)),
        ([0.5, 0.5], None, (0.25, 0.75)),
        ([-3e-9, 5e-9], None, None),
        ([0.0], (0, 1), None),
        ([float("nan"), 0.2, 0.4], None, (0.2, 0.4)),
        ([1e307, -1e307], None, None),
    ],
)
def test_scales_hold_their_values(values, limits, ends):
    scale = Scale.of(values, limits)
    assert scale.lower < scale.upper
    assert 2 <= len(scale.marks) <= 6
    if ends is not None:
        assert (scale.lower, scale.upper) == pytest.approx(ends)
    assert all(0 <= scale.at(value) <= 100 for value in values)
    assert all(0 <= at <= 100 for at, *_ in scale.marks)
    assert len({text for _, text, _ in scale.marks}) == len(scale.marks)
