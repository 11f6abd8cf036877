"""How the page looks: no words cut, none over others, and a hint wherever there is more."""

import random
import warnings
from pathlib import Path

import pytest
from marks import slow
from pages import Report, made

from rankscope import evaluate, load
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


def test_numbers_are_not_broken(about_two, opened):
    tab = opened(about_two.path, width=360).tab
    kept = tab.locator(".whole")
    assert kept.count() > 5
    assert kept.evaluate_all("all => all.every(one => one.getClientRects().length === 1)")
