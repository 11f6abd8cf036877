"""The page in a real browser: it computes what the library computes, shows it, and keeps to itself."""

import csv
import itertools
import random
import warnings
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from marks import slow
from pages import HOSTILE, Report, made

import rankscope as rs
from rankscope.figures import THEMES
from rankscope.formatting import plain
from rankscope.preferences import ipso
from rankscope.preferences.ordering import SUMS
from rankscope.statistics.equality import difference

PAIRS = 300
REAL = ["trec8-adhoc", "dl19-passage", "recsys-ml1m-time"]


@pytest.fixture(scope="session", params=REAL)
def real(request, data, tmp_path_factory) -> Report:
    folder = data / request.param
    return made(tmp_path_factory.mktemp(request.param), str(folder / "qrels.gz"), str(folder / "runs"))


def gains_of(mark: str) -> dict:
    """The page's order as the library takes it."""
    given = dict(part.split(":") for part in mark.split("|"))
    rel = {"rel": float(given["rel"])} if "rel" in given else {}
    return {"gains": given.get("gain") or given["order"], **rel}


def agree(report: Report, page, count: int, seed: int) -> None:
    """IPSO of random pairs, depths and orders: in the page as in the library; half by its first order."""
    facts = page.ask("window.rankscope.facts")
    resampling = random.Random(seed)
    asked = [
        (*resampling.sample(range(len(facts["systems"])), 2), resampling.randint(1, facts["depth"]),
         resampling.choice([0, resampling.randrange(len(facts["orders"]))]))
        for _ in range(count)
    ]  # fmt: skip
    found = page.ask("asked => asked.map(one => window.rankscope.results(...one))", asked)
    positive = sum(grade > 0 for grade in facts["grades"])
    assert (facts["orders"][0]["mark"] == "order:thresholds") == (positive > 1)
    for (a, b, depth, order), one in zip(asked, found, strict=True):
        names = facts["systems"][a], facts["systems"][b]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            truth = ipso(report.judged, *names, depth=depth, **gains_of(facts["orders"][order]["mark"]))
        rows = truth.columns()
        assert one["topics"] == rows["topic"]
        assert one["groups"] == rows["group"]
        assert one["paths"] == rows["path"]
        assert [n or None for n in one["first"]] == rows["first_advantage"]
        assert [n or None for n in one["lost"]] == rows["separability_lost"]
        assert [{1: names[1], -1: names[0], 0: None}[n] for n in one["leader"]] == rows["ahead_first"]
        assert one["counts"] == truth.counts[-1].tolist()
        np.testing.assert_allclose(one["pvalues"], truth.pvalues, rtol=1e-10, atol=1e-300)
        assert one["p"] == one["pvalues"][-1]
        for side, other in zip(one["swing"], truth.swing, strict=True):
            np.testing.assert_allclose(side, other, rtol=1e-10)


@pytest.mark.parametrize("which", ["odd", *slow("shipped", "simulated")])
def test_ipso_is_the_librarys(which, request, opened):
    report = request.getfixturevalue(which)
    agree(report, opened(report.path), PAIRS, seed=11)


@pytest.mark.slow
def test_ipso_is_the_librarys_on_real_collections(real, opened):
    agree(real, opened(real.path), PAIRS // 3, seed=12)


def words(tab, selector: str) -> str:
    """The text of an element with plain spaces."""
    return " ".join(tab.inner_text(selector).split())


BOUND = ["P@10", "P(rel=2)@10", "AP@10", "nDCG@10", "ERR@10", "RR@10", "RBP(p=0.5)@10", "RBP_max@10", "Q@10"]


def reversals(report: Report, page, order: int) -> int:
    """Topics of all pairs where the page calls a list ahead to depth 10 and one of these metrics the other."""
    facts = page.ask("window.rankscope.facts")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = rs.evaluate(report.judged, BOUND)
    score = {name: np.nan_to_num(scores.value[:, s]) for s, name in enumerate(scores.systems)}
    pairs = list(itertools.combinations(range(len(facts["systems"])), 2))
    found = page.ask("asked => asked.map(([a, b, o]) => window.rankscope.results(a, b, 10, o))",
                     [(a, b, order) for a, b in pairs])  # fmt: skip
    count = 0
    for (a, b), one in zip(pairs, found, strict=True):
        ahead = {"ni": 1, "ns": -1}
        rows = [report.judged.topics.index(topic) for topic in one["topics"]]
        sign = np.array([ahead.get(path[-2:], 0) for path in one["paths"]])
        difference = (score[facts["systems"][a]] - score[facts["systems"][b]])[:, rows]
        count += int((difference * sign < -1e-9).any(axis=0).sum())
    return count


@pytest.mark.slow
def test_no_metric_that_keeps_the_rules_reverses_what_the_page_says(shipped, opened):
    """By thresholds every metric that keeps the two rules agrees; by sums of grades that would not be true."""
    page = opened(shipped.path)
    marks = [order["mark"] for order in page.ask("window.rankscope.facts")["orders"]]
    assert "every metric that keeps the two rules finds A" in words(page.tab, "#result-sentence")
    assert reversals(shipped, page, marks.index("order:thresholds")) == 0
    assert reversals(shipped, page, marks.index("gain:linear")) > 0
    page.tab.select_option("#order", index=marks.index("gain:linear"))
    said = words(page.tab, "#result-sentence")
    assert "every metric that sums these gains, each times a weight that is never negative and never grows" in said
    assert SUMS in page.tab.inner_text("#swing")


@pytest.mark.slow
def test_no_metric_that_keeps_the_rules_reverses_what_the_page_says_of_dl19(data, tmp_path, opened):
    folder = data / "dl19-passage"
    report = made(tmp_path, str(folder / "qrels.gz"), str(folder / "runs"))
    page = opened(report.path)
    assert page.ask("window.rankscope.facts")["orders"][0]["mark"] == "order:thresholds"
    assert reversals(report, page, 0) == 0


@pytest.mark.parametrize("which", ["odd", *slow("shipped", "simulated")])
def test_differences_are_the_librarys(which, request, opened):
    report = request.getfixturevalue(which)
    page = opened(report.path)
    facts = page.ask("window.rankscope.facts")
    a, b = 1, 3
    found = page.ask(
        "([a, b]) => window.rankscope.facts.measures.map((_, m) => "
        "window.rankscope.facts.topics.map((_, t) => window.rankscope.difference(m, t, a, b)))", [a, b]
    )  # fmt: skip
    rows = [report.judged.systems.index(facts["systems"][s]) for s in (a, b)]
    for m, differences in enumerate(found):
        one, other = report.scores.value[m, rows]
        there = ~np.isnan(one) & ~np.isnan(other)
        value = np.array([np.nan if d["value"] is None else d["value"] for d in differences], float)
        assert np.array_equal(value, other - one, equal_nan=True)  # to the last digit
        apart, _ = difference(one[there], other[there])
        sign = np.where(apart == 0, 0, np.where(apart < 0, 1, 2))
        assert [d["sign"] for d, kept in zip(differences, there, strict=True) if kept] == sign.tolist()


@pytest.mark.parametrize("which", ["odd", *slow("shipped", "hostile")])
def test_lists_are_the_librarys(which, request, opened):
    report = request.getfixturevalue(which)
    page = opened(report.path)
    facts = page.ask("window.rankscope.facts")
    for topic in (0, len(facts["topics"]) - 1):
        rows = page.ask("([a, b, t]) => window.rankscope.documentsOf(a, b, t)", [0, 1, topic])
        for side, system in (("a", 0), ("b", 1)):
            s = list(map(plain, report.judged.systems)).index(facts["systems"][system])
            number = report.judged.documents.number[s, topic][: len(rows)]
            ids = [report.judged.documents.ids[n] if n >= 0 else None for n in number.tolist()]
            assert [row[side]["id"] for row in rows] == [one and plain(one) for one in ids]
            assert [row[side]["code"] for row in rows] == report.judged.code[s, topic][: len(rows)].tolist()


def test_explorer(shipped, opened):
    tab = opened(shipped.path).tab
    first = tab.inner_text("#result-sentence")
    tab.select_option("#pick-a", label="dense-1")
    tab.select_option("#pick-b", label="lexical-3")
    second = tab.inner_text("#result-sentence")
    assert first != second
    assert "dense-1" in second
    tab.eval_on_selector("#depth", "one => { one.value = 25; one.dispatchEvent(new Event('input')); }")
    assert "to depth 25" in tab.inner_text("#result-sentence")
    tab.select_option("#order", label="relevance from grade 1")
    tab.click("#depths-card summary")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = ipso(shipped.judged, "dense-1", "lexical-3", depth=25, gains="binary")
    counts = tab.eval_on_selector_all("#counts tbody td.number", "cells => cells.map(c => +c.textContent)")
    assert counts == truth.counts[-1].tolist()
    tab.click("#swap")
    assert (
        tab.eval_on_selector_all("#counts tbody td.number", "cells => cells.map(c => +c.textContent)") == counts[::-1]
    )
    # choosing for A what B is swaps the two
    tab.select_option("#pick-a", label="dense-1")
    assert tab.input_value("#pick-b") == str(tab.evaluate("rankscope.facts.systems.indexOf('lexical-3')"))
    # a chosen row of the leaderboard sends its system
    name = tab.inner_text("[data-table=leaderboard] tbody tr:nth-child(5) .name")
    tab.click("[data-table=leaderboard] tbody tr:nth-child(5) .pick-row")
    tab.click(f"#chosen button:text-is('Explore {name} as B')")
    assert tab.inner_text("#pick-b option:checked") == name
    # one that is A already changes places with B
    before = tab.inner_text("#pick-a option:checked")
    tab.click(f"[data-table=leaderboard] tbody tr:has(.name bdi:text-is('{before}')) .pick-row")
    tab.click(f"#chosen button:text-is('Explore {before} as B')")
    assert [tab.inner_text(f"#pick-{side} option:checked") for side in "ab"] == [name, before]
    # systems, depth, order and topic are said in words, since paper shows no choices
    assert tab.inner_text("#order option:checked") in tab.inner_text("#swing")
    tab.select_option("#pick-topic", index=4)
    assert tab.inner_text("#topic-sentence").startswith(f"Topic {tab.inner_text('#pick-topic option:checked')}.")


@pytest.mark.slow
def test_no_probability_is_nought(opened, tmp_path):
    topics = [str(t) for t in range(1, 2101)]
    qrels = {t: {"good": 1, "bad": 0} for t in topics}
    runs = {
        "up": {t: {"good": 2.0, "bad": 1.0} for t in topics},
        "down": {t: {"good": 1.0, "bad": 2.0} for t in topics},
    }
    tab = opened(made(tmp_path, qrels, runs).path).tab
    said = words(tab, "#result-sentence")
    assert "at least as good on 2,100 of 2,100 topics" in said
    assert "leads 2,100 to 0" in said
    assert "p < 1e-300" in said
    # a table of so many topics says how many it leaves out
    tab.click("#topics-card summary")
    tab.wait_for_selector("#topics tbody tr")
    assert tab.locator("#topics tbody tr").count() == 301
    assert tab.inner_text("#topics tbody tr:last-child") == "1,800 topics more are in the CSV of the strips."


def test_drill_down(shipped, opened):
    tab = opened(shipped.path).tab
    tab.click("#topics-card summary")
    tab.click("#topics tbody tr:nth-child(3) button")
    topic = tab.inner_text("#topics tbody tr:nth-child(3) button")
    assert tab.inner_text("#pick-topic option:checked") == topic
    tab.wait_for_selector("#lists .doc")
    assert tab.locator("#lists .doc.a").count() == 20
    tab.click("#more")
    assert tab.locator("#lists .doc.a").count() == 100
    shown = tab.inner_text("#lists .doc.a >> nth=0")
    a = shipped.judged.systems.index(tab.inner_text("#pick-a option:checked"))
    t = shipped.judged.topics.index(topic)
    assert shipped.judged.documents.ids[shipped.judged.documents.number[a, t, 0]] in shown
    unjudged = int((shipped.judged.code[a, t, :100] == 1).sum())
    assert tab.locator("#lists .doc.a .grade.unjudged").count() == unjudged
    tab.click("#topic-next")
    assert tab.inner_text("#pick-topic option:checked") != topic


def saved(tab, selector: str) -> tuple[str, str]:
    """The name and text of what a button offers."""
    tab.wait_for_timeout(150)  # Chromium lets no page save more than ten files a second
    with tab.expect_download() as waiting:
        tab.click(selector)
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_text(encoding="utf-8")


@pytest.mark.slow
def test_downloads(about_two, opened):
    page = opened(about_two.path)
    tab = page.tab
    tables = tab.eval_on_selector_all("[data-csv]", "all => all.map(one => one.dataset.csv)")
    figures = tab.eval_on_selector_all("[data-svg]", "all => all.map(one => one.dataset.svg)")
    assert len(tables) == len(set(tables))
    assert len(figures) == 5  # strips, differences, metric map, dominance, choices
    for key in tables:
        name, text = saved(tab, f"[data-csv='{key}']")
        assert name == f"{key}.csv"
        rows = list(csv.reader(StringIO(text)))
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}
    for selector in [f"[data-svg='{key}']" for key in figures] + ["#strips-svg", "#differences-svg", "#scatter-svg"]:
        name, text = saved(tab, selector)
        assert name.endswith(".svg")
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    _, text = saved(tab, "#scores-csv")
    rows = list(csv.DictReader(StringIO(text)))
    assert len(rows) == about_two.scores.value.size
    at = about_two.scores.systems.index(rows[0]["system"])
    assert float(rows[0]["value"]) == about_two.scores.value[0, at, 0]
    name, text = saved(tab, "#latex")
    assert name == "leaderboard.tex"
    assert "\\begin{tabular}" in text
    tab.click("#depths-card summary")
    for selector in ("#strips-csv", "#means-csv", "#depths-csv", "#lists-csv"):
        assert len(saved(tab, selector)[1].splitlines()) > 2
    board = list(csv.DictReader(StringIO(saved(tab, "[data-csv=leaderboard]")[1])))
    assert [row["rank"] for row in board] == [str(n + 1) for n in range(8)]


def test_a_comparison_is_what_the_page_is_about(about_two, opened):
    tab = opened(about_two.path).tab
    assert words(tab, "h1") == "hybrid-1 scores higher than lexical-2 on nDCG@10: by 0.1325, p < 0.0001."
    assert tab.inner_text(".kicker") == "hybrid-1 against lexical-2"
    assert tab.locator("#comparison figure.chart").count() == 5
    assert tab.locator("#comparison figure.chart svg, #comparison figure.chart canvas").count() == 5
    assert [tab.inner_text(f"#pick-{side} option:checked") for side in "ab"] == ["hybrid-1", "lexical-2"]


def test_hostile_names_are_but_names(hostile, opened):
    page = opened(hostile.path)
    tab = page.tab
    assert tab.locator("main img, main script, svg[onload], [onerror]").count() == 0
    shown = tab.eval_on_selector_all("[data-table=leaderboard] .name", "all => all.map(one => one.textContent)")
    assert sorted(shown) == sorted(map(plain, HOSTILE))
    for row in range(len(HOSTILE)):
        tab.evaluate("row => document.querySelectorAll('.pick-row')[row].click()", row)
    assert tab.locator("#chosen button").count() == 4
    for a in range(len(HOSTILE)):
        tab.evaluate("([a, b]) => window.rankscope.choose({ a, b })", [a, (a + 1) % len(HOSTILE)])
        tab.evaluate("t => window.rankscope.openTopic(t, false)", a % 10)
    for width in (1280, 360):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.wait_for_timeout(100)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate("[...document.querySelectorAll('tbody tr')].every(row => row.offsetHeight < 80)")
    for selector in ("#strips-svg", "#differences-svg"):
        ElementTree.fromstring(saved(tab, selector)[1])


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1280])
def test_fits_on_any_screen(about_two, opened, width, dark):
    tab = opened(about_two.path, width=width, dark=dark).tab
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 23, 28)" if dark else "rgb(255, 255, 255)")
    tab.click("#theme")
    tab.wait_for_selector(f"html[data-drawn={'light' if dark else 'dark'}]")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != ground
    assert tab.get_attribute("#theme", "aria-pressed") == str(not dark).lower()


@pytest.mark.slow
def test_by_keyboard_alone(shipped, opened):
    tab = opened(shipped.path).tab
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "content"
    reached = set()
    for _ in range(200):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.id"))
        if "more" in reached:
            break
    assert {"pick-a", "pick-b", "swap", "depth", "order", "measure", "strips", "differences", "scatter", "find",
            "pick-topic"} <= reached  # fmt: skip
    tab.focus("#depth")
    tab.keyboard.press("ArrowRight")
    assert "to depth 11" in tab.inner_text("#result-sentence")
    tab.focus("#pick-b")
    before = tab.inner_text("#result-sentence")
    tab.keyboard.press("ArrowDown")
    assert tab.inner_text("#result-sentence") != before
    tab.focus("#strips")
    topic = tab.inner_text("#pick-topic option:checked")
    tab.keyboard.press("ArrowDown")
    assert tab.inner_text("#pick-topic option:checked") != topic
    outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_every_control_has_a_name(about_two, opened):
    tab = opened(about_two.path).tab
    nameless = tab.evaluate(
        "[...document.querySelectorAll('button, select, input, canvas[tabindex=\"0\"]')].filter(one => "
        "!(one.getAttribute('aria-label') || one.textContent.trim() || one.closest('label')?.textContent.trim()))"
        ".map(one => one.outerHTML)"
    )
    assert nameless == []


@pytest.mark.slow
def test_prints(about_two, opened, tmp_path):
    tab = opened(about_two.path).tab
    tab.emulate_media(media="print")
    assert not tab.is_visible(".top")
    assert tab.evaluate("getComputedStyle(document.querySelector('.scroll')).maxHeight") == "none"
    assert len(tab.pdf()) > 50_000
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")  # drawings fit the paper: letters are not made smaller
    wide = tab.eval_on_selector_all("#strips, #differences", "all => all.map(one => one.style.width)")
    assert all(0 < float(one.removesuffix("px")) <= 670 for one in wide)
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    after = tab.eval_on_selector_all("#strips, #differences", "all => all.map(one => one.style.width)")
    assert after != wide


@pytest.mark.slow
def test_prints_light_from_dark(about_two, opened):
    tab = opened(about_two.path, dark=True).tab
    figures = tab.locator("figure.chart").count()
    inks = "all => [...new Set(all.map(one => one.querySelector('.role-axis-label text').getAttribute('fill')))]"
    assert tab.eval_on_selector_all(".chart .view svg", inks) == [THEMES["dark"].ink]
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.locator(".chart .view:visible").count() == 0
    assert tab.locator(".chart .paper:visible :is(svg, canvas)").count() == figures
    assert tab.eval_on_selector_all(".chart .paper svg", inks) == [THEMES["light"].ink]
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.locator(".chart .paper:visible :is(svg, canvas)").count() == figures
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.emulate_media(media="screen", color_scheme="dark")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
    assert tab.locator(".chart .view:visible").count() == figures
    tab.click("#theme")
    tab.wait_for_selector("html[data-drawn=light]")
    assert tab.locator(".chart .paper > *").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_no_words_are_cut(about_two, opened, width):
    tab = opened(about_two.path, width=width).tab
    tab.select_option("#pick-a", index=3)
    cut = tab.eval_on_selector_all(
        "h1, h2, h3, .lead p, .verdict, .findings p, .notes li, .said p, .note, #comparison th bdi",
        "all => all.filter(one => one.scrollHeight > one.clientHeight + 1 && one.clientHeight > 0)"
        ".map(one => one.textContent)",
    )
    assert cut == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 768])
def test_the_part_that_is_read_is_seen_in_the_navigation(about_two, opened, width):
    tab = opened(about_two.path, width=width).tab
    for part in ("methods", "summary"):
        tab.evaluate("part => document.getElementById(part).scrollIntoView({ behavior: 'instant' })", part)
        tab.wait_for_selector(f".top a[href='#{part}'][aria-current]")
        tab.wait_for_timeout(600)
        seen = tab.evaluate(
            "part => { const link = document.querySelector(`.top li a[href='#${part}']`).getBoundingClientRect();"
            " const bar = document.querySelector('.top ul').getBoundingClientRect();"
            " return link.left >= bar.left - 1 && link.right <= bar.right + 1; }", part
        )  # fmt: skip
        assert seen


@pytest.mark.slow
def test_first_paint_and_size(real, opened):
    page = opened(real.path)
    assert real.path.stat().st_size < 8e6
    painted = page.ask("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert painted < 2000


def test_sorts_columns(shipped, opened):
    tab = opened(shipped.path).tab
    cell = "[data-table=leaderboard] tbody td:nth-child({})"
    tab.click("[data-table=leaderboard] th:nth-child(1) button")
    tab.click("[data-table=leaderboard] th:nth-child(1) button")
    ranks = tab.eval_on_selector_all(cell.format(1), "all => all.map(c => +c.textContent)")
    assert ranks == list(range(8, 0, -1))
    assert tab.get_attribute("[data-table=leaderboard] th:nth-child(1)", "aria-sort") == "descending"
    # the best first on the first click
    tab.click("[data-table=leaderboard] th:nth-child(6) button")
    means = tab.eval_on_selector_all(cell.format(6), "all => all.map(c => +c.textContent)")
    assert means == sorted(means, reverse=True)
    # intervals by their lower ends, numbers with thousands as numbers, what is none last either way
    tab.evaluate(
        "cells => cells.forEach((text, i) => document.querySelectorAll('[data-table=leaderboard] tbody tr')[i]"
        ".cells[4].textContent = text)",
        ["1,234", "[\u22120.2, 0.1]", "", "[0.05, 0.3]", "3e-05", "12", "[-0.1, 0]", "none"],
    )
    ordered = ["1,234", "12", "[0.05, 0.3]", "3e-05", "[-0.1, 0]", "[\u22120.2, 0.1]"]
    for expected in (ordered, ordered[::-1]):
        tab.click("[data-table=leaderboard] th:nth-child(5) button")
        shown = tab.eval_on_selector_all(cell.format(5), "all => all.map(c => c.textContent)")
        assert shown[:6] == expected
    # marks and words before numbers; of ranges that begin alike the ends decide
    for column, texts, in_order in (
        (5, ["0.0300", "\u2248 0.9926", "2.9e-15", "< 0.0001", "below 1 %", "over 99 %", "7", "8"],
         ["2.9e-15", "< 0.0001", "0.0300", "\u2248 0.9926", "below 1 %", "7", "8", "over 99 %"]),
        (8, ["1\u201345", "1\u20138", "3\u20134", "1\u201367", "2\u20132", "1\u20139", "10\u201311", "4\u20136"],
         ["1\u20138", "1\u20139", "1\u201345", "1\u201367", "2\u20132", "3\u20134", "4\u20136", "10\u201311"]),
    ):  # fmt: skip
        tab.evaluate(
            "([texts, at]) => texts.forEach((text, i) => "
            "document.querySelectorAll('[data-table=leaderboard] tbody tr')[i].cells[at].textContent = text)",
            [texts, column - 1],
        )
        head = tab.locator(f"[data-table=leaderboard] th:nth-child({column})")
        head.locator("button").click()
        if head.get_attribute("aria-sort") != "ascending":
            head.locator("button").click()
        assert tab.eval_on_selector_all(cell.format(column), "all => all.map(c => c.textContent)") == in_order
