"""Few stops of the tabulator in every kind of report, and arrow keys to all that is no stop."""

import warnings

import pytest

import rankscope as rs
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import embedded_judges
from rankscope.statistics import Resampling

MOST = 60  # stops to the end of a page
KINDS = (".downloads button", "th button", "summary", ".top nav a")
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A page with every chapter that can be asked for, around a comparison."""
    qrels, runs = embedded()
    settings = {"measures": ["nDCG@10", "AP", "RR"], "resampling": Resampling(50), "workers": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = rs.load(qrels, runs, keep_docs=True)
        table = {"half": {topic: "odd" if int(topic) % 2 else "even" for topic in judged.topics}}
        judgments = embedded_judges()
        collections = {name: rs.load(one, runs) for name, one in list(judgments.items())[:2]}
        page = rs.report(
            qrels, runs, pair=("hybrid-1", "lexical-2"), judges=judgments, topics_table=table, by="half", holes=qrels,
            collections=collections, studies=[rs.metrics(judged, resampling=Resampling(50), workers=1)], **settings,
        )  # fmt: skip
    return page.save(tmp_path_factory.mktemp("full") / "page.html")


def stops_of(tab) -> list[str]:
    """What the tabulator reaches from the beginning of a page to its end."""
    found = []
    while len(found) < 200:
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement === document.body"):
            return found
        found.append(tab.evaluate("document.activeElement.outerHTML.slice(0, 120)"))
    raise AssertionError("no end after 200 stops")


@pytest.mark.parametrize("width", [1280, 390])
def test_few_stops_with_every_chapter(full, opened, width):
    tab = opened(full, width=width).tab
    parts = tab.eval_on_selector_all("main > section", "all => all.map(one => one.id)")
    assert {"comparison", "slices", "judges", "holes", "collections", "explorer", "studies", "findings"} <= set(parts)
    stops = stops_of(tab)
    assert 30 < len(stops) < MOST, "\n".join(stops)


WALK = """selector => {
    const parts = [...document.querySelectorAll("main > section, header.top")], lost = [];
    for (const part of parts) {
        const all = [...part.querySelectorAll(selector)].filter(one => one.checkVisibility());
        const stops = all.filter(one => one.tabIndex === 0);
        if (all.length && stops.length !== 1) lost.push(`${part.id}: ${stops.length} stops`);
        stops[0]?.focus();
        const press = key => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        const reached = new Set([document.activeElement]);
        for (const key of ["ArrowLeft", "ArrowRight"])
            for (let i = 0; i < all.length; i++) { press(key); reached.add(document.activeElement); }
        for (const one of all) if (!reached.has(one)) lost.push(one.outerHTML.slice(0, 120));
        if (all.length > 1) {
            press("Home");
            if (document.activeElement !== all[0]) lost.push(`${part.id}: Home`);
        }
    }
    return lost;
}"""


@pytest.mark.parametrize("folded", [True, False])
def test_arrow_keys_reach_every_control(full, opened, folded):
    """In each part one control of each kind is a stop, and from it all others are reached; in open folds as well."""
    page = opened(full)
    page.ask("document.querySelectorAll('details').forEach(one => one.removeAttribute('name'))")
    if not folded:
        page.ask("document.querySelectorAll('main details').forEach(one => (one.open = true))")
        page.tab.wait_for_function("document.querySelector('#topics th button')")
    for kind in KINDS:
        assert page.ask(WALK, kind) == [], kind


def test_a_stop_in_a_fold_that_closes_is_handed_on(full, opened):
    tab = opened(full).tab
    fold = tab.locator("main details:not(.chip):has(.downloads)").first
    part = fold.evaluate("one => one.closest('main > section').id")
    fold.locator("> summary").click()
    fold.locator(".downloads button").first.focus()
    fold.locator("> summary").click()
    stops = tab.locator(f"#{part} .downloads button[tabindex='0']")
    assert stops.count() == 1
    assert stops.is_visible()


def test_boxes_that_scroll_are_one_stop_and_can_be_scrolled(full, opened):
    """From a head of a table, arrow keys scroll its box; a box without heads is scrolled, then left for the next."""
    tab = opened(full, width=390).tab
    box = tab.locator(".scroll:has(th button)").filter(has=tab.locator("tbody tr:nth-child(12)")).nth(1)
    box.evaluate("one => { one.style.maxHeight = '8rem'; one.querySelector('th button').focus(); }")
    tab.keyboard.press("ArrowDown")
    tab.wait_for_function("box => box.scrollTop > 0", arg=box.element_handle())
    narrowed = tab.evaluate(
        "[...document.querySelectorAll('main [role=region]')].filter(one => one.checkVisibility() "
        "&& one.closest('#comparison') && !one.querySelector('button')).slice(0, 2)"
        ".map(one => ((one.style.maxWidth = '5rem'), one.ariaLabel))"
    )
    stop = "[...document.querySelectorAll('#comparison [role=region]')].filter(one => one.tabIndex === 0)"
    tab.wait_for_function(f"{stop}.length === 1")
    tab.evaluate(f"{stop}[0].focus()")
    label = "document.activeElement.ariaLabel"
    assert tab.evaluate(label) == narrowed[0]
    tab.evaluate("document.activeElement.scrollLeft = 1e6")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate(label) == narrowed[1]
    assert tab.evaluate(f"{stop}.length") == 1
    tab.keyboard.press("ArrowLeft")
    assert tab.evaluate(label) == narrowed[0]
