"""How the page looks: no words cut, none over others, and a hint wherever there is more."""

import random
import warnings
from pathlib import Path

import pytest
from marks import slow
from pages import Report, made

from rankscope import evaluate, load
from rankscope.figures import THEMES
from rankscope.reporting.assembling import assembled
from rankscope.reporting.folders import from_folder
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.studies import Setting, metrics, reproduce

LOOKING = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")
WIDTHS = [360, *slow(390, 768), 1280]


@pytest.fixture(scope="module")
def studied(tmp_path_factory) -> Path:
    """The embedded collection with a scorecard and a reproduced paper."""
    folder = tmp_path_factory.mktemp("studied")
    few = Resampling(20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = load(*embedded(), keep_docs=True)
        card = metrics(
            judged, measures=["AP", "nDCG@10", "RR", "RBP(p=0.8)"], methods=["sgnLP"], resampling=few, workers=1
        )
        reproduce(
            "ipso",
            folder / "paper",
            Setting(judged=judged, resampling={"permutations": few, "splits": few, "samples": Resampling(1)}),
        )
        studies = [card, from_folder(folder / "paper", judged)]
        return assembled(judged, evaluate(judged, ["nDCG@10", "AP"]), studies=studies).save(folder / "report.html")


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Report:
    """More systems than a screen has lines, with names of all lengths."""
    resampling = random.Random(8)
    docs = [f"doc-{i}-{'x' * (i % 23)}" for i in range(60)]
    topics = [str(t) for t in range(1, 13)]
    qrels = {t: {d: resampling.choice([0, 0, 1, 2]) for d in docs} for t in topics}
    runs = {
        f"run{s}_{'w' * (s % 30)}": {
            t: {d: resampling.random() + 0.02 * s * qrels[t][d] for d in resampling.sample(docs, 20)} for t in topics
        }
        for s in range(90)
    }
    return made(tmp_path_factory.mktemp("many"), qrels, runs)


def looked_at(opened, path: Path, width: int, *, dark: bool = False):
    """The page with all its folds open, and a system of the leaderboard chosen."""
    tab = opened(path, width=width, dark=dark, first=LOOKING).tab
    tab.eval_on_selector_all("details", "all => all.forEach(one => { one.removeAttribute('name'); one.open = true; })")
    tab.evaluate("document.querySelector('.pick-row')?.click()")
    tab.wait_for_timeout(200)
    return tab


@pytest.mark.parametrize("width", WIDTHS)
def test_comparison(about_two, opened, width):
    assert looked_at(opened, about_two.path, width).evaluate("faults()") == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
def test_dark(about_two, opened, width):
    assert looked_at(opened, about_two.path, width, dark=True).evaluate("faults()") == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
def test_studies(studied, opened, width):
    assert looked_at(opened, studied, width).evaluate("faults()") == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
def test_many_systems(many, opened, width):
    assert looked_at(opened, many.path, width).evaluate("faults()") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ("document.querySelector('.kicker').style.cssText = 'width: 3rem; overflow: hidden; white-space: nowrap'",
         "cut: hybrid-1 against"),
        ("document.querySelector('#order').style.width = '3rem'", "in #order"),
        ("document.querySelector('#summary p').style.marginBottom = '-2rem'",
         "overlap: hybrid-1 against lexical-2 and hybrid"),
        ("document.querySelector('.role-axis-label text').setAttribute('transform', 'translate(-900, 0)')",
         "outside figure-"),
        ("document.querySelectorAll('.role-axis-label text').forEach(one => one.setAttribute('transform', ''))",
         "overlap in figure-"),
        ("document.querySelector('#strips').getContext('2d').fillText('planted', -20, 20)", "outside strips: planted"),
        ("for (const x of [60, 64]) document.querySelector('#strips').getContext('2d').fillText(`planted ${x}`, x, 20)",
         "overlap in strips: planted 60 and planted 64"),
        ("document.querySelectorAll('.best .axis text').forEach(one => one.setAttribute('x', '50%'))",
         "overlap in axis: "),
        ("document.querySelector('main').style.cssText = 'width: 2000px; max-width: none'",
         "the page scrolls sideways"),
    ],
)  # fmt: skip
def test_faults_are_found(about_two, opened, planted, fault):
    tab = opened(about_two.path, first=LOOKING).tab
    tab.evaluate(planted)
    assert any(fault in one for one in tab.evaluate("faults()"))


def test_boxes_fade_where_there_is_more(about_two, opened):
    tab = opened(about_two.path, width=360).tab
    box = tab.locator(".scroll:has([data-table=leaderboard])")
    mask = "one => getComputedStyle(one).maskImage"
    assert box.get_attribute("data-more") == "right"
    assert box.evaluate(mask) != "none"
    box.evaluate("one => { one.scrollLeft = 30; }")
    tab.wait_for_function("one => one.dataset.more === 'left right'", arg=box.element_handle())
    box.evaluate("one => { one.scrollLeft = 10000; }")
    tab.wait_for_function("one => one.dataset.more === 'left'", arg=box.element_handle())
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.wait_for_function("one => one.dataset.more === ''", arg=box.element_handle())
    assert box.evaluate(mask) == "none"


@pytest.mark.parametrize("width", [360, 1280])
def test_few_systems_are_all_shown(shipped, opened, width):
    tab = opened(shipped.path, width=width).tab
    assert tab.locator("[data-table=leaderboard] tbody tr:visible").count() == 8
    assert not tab.is_visible("#all-systems")


@pytest.mark.slow
def test_long_tables_print_their_heads_on_every_page(many, opened):
    tab = opened(many.path).tab
    tab.emulate_media(media="print")
    assert tab.evaluate("getComputedStyle(document.querySelector('th button')).display") == "contents"
    assert tab.locator("[data-table=leaderboard] tbody tr:visible").count() == 90
    assert not tab.is_visible("#find")


FAINT = """() => {
    const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const seen = (colour) => {
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
        return [...pen.getImageData(0, 0, 1, 1).data];
    };
    const light = (colour) => {
        const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        const [r, g, b] = colour.slice(0, 3).map((v) => linear(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const faint = {}, walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let count = 0;
    while (walk.nextNode()) {
        const text = walk.currentNode, place = text.parentElement;
        if (!text.data.trim() || !place.checkVisibility({ visibilityProperty: true })) continue;
        if (place.closest("script, style, noscript, option, .view, .paper")) continue;
        const style = getComputedStyle(place), colour = seen(place.closest("svg") ? style.fill : style.color);
        let box = place, ground = seen(getComputedStyle(box).backgroundColor);
        while (ground[3] < 230 && box.parentElement)
            ground = seen(getComputedStyle((box = box.parentElement)).backgroundColor);
        const [high, low] = [light(colour), light(ground)].sort((x, y) => y - x), ratio = (high + 0.05) / (low + 0.05);
        count += 1;
        if (ratio < 4.5) faint[`${place.tagName}.${place.getAttribute("class")}`] = ratio;
    }
    return [count, faint];
}"""


@pytest.mark.parametrize("dark", [False, True])
def test_all_text_can_be_read_on_its_ground(about_two, opened, dark):
    """Contrast by computed style, of everything but figures, and of the number of each shade of relevance."""
    tab = looked_at(opened, about_two.path, 1280, dark=dark)
    tab.evaluate(
        "[1, 2, 3, 4, 5].forEach(n => document.getElementById('lists').insertAdjacentHTML('beforeend', "
        "`<span class='grade relevant relevance-${n}'>${n}</span>`))"
    )
    count, faint = tab.evaluate(FAINT)
    assert count > 1000
    assert faint == {}
    tab.evaluate("document.querySelector('.kicker').style.color = '#777'")
    assert list(tab.evaluate(FAINT)[1]) == ["BDI.null"]


WRITTEN_FONTS = """(() => {
    const fillText = CanvasRenderingContext2D.prototype.fillText;
    window.writtenFonts = [];
    CanvasRenderingContext2D.prototype.fillText = function (...how) {
        window.writtenFonts.push(this.font);
        return fillText.apply(this, how);
    };
})()"""


def test_one_font(about_two, opened):
    """Page, canvases and figures are in one font; code and ids of documents have letters of one width."""
    tab = opened(about_two.path, first=WRITTEN_FONTS).tab
    fonts = tab.evaluate(
        "[...document.querySelectorAll('body *')].filter(one => one.checkVisibility() && one.textContent.trim() && "
        "!one.closest('code, .id, .signature, pre')).map(one => getComputedStyle(one).fontFamily)"
    )
    written = [font.partition("px ")[2] for font in tab.evaluate("writtenFonts")]
    assert len(written) > 100
    assert {font.replace('"', "") for font in fonts + written} == {THEMES["light"].config()["font"]}


def test_numbers_are_not_broken(about_two, opened):
    tab = opened(about_two.path, width=360).tab
    kept = tab.locator(".whole")
    assert kept.count() > 5
    assert kept.evaluate_all("all => all.every(one => one.getClientRects().length === 1)")
