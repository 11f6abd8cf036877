"""The explorer: numbers of the library in the reader's order, and a state that an address keeps."""

import random
import warnings

import numpy as np
import pytest
from marks import slow

import rankscope as rs
from rankscope.comparisons.effect import Procedure
from rankscope.comparisons.scored import ScoredLists, scored

PAIRS = 300
PART_ORDER = ["choices", "effect", "means", "scatter", "differences", "topics-card", "result", "shares", "strips"]


@pytest.mark.parametrize("which", ["odd", "simulated", *slow("shipped")])
def test_exploratory_numbers_are_the_librarys(which, request, opened):
    """Difference, interval and p of 300 random pairs under each of three measures, to 1e-12."""
    report = request.getfixturevalue(which)
    page = opened(report.path)
    facts = page.ask("window.rankscope.facts")
    draw = random.Random(17)
    pairs = [draw.sample(range(len(facts["systems"])), 2) for _ in range(PAIRS)]
    asked = [(m, a, b) for a, b in pairs for m in range(len(facts["measures"]))]
    assert len(asked) == 3 * PAIRS
    shown = page.ask("asked => asked.map(one => window.rankscope.effect(...one))", asked)
    lists = ScoredLists(report.judged, report.scores)
    names = facts["systems"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, ((m, a, b), effect) in enumerate(zip(asked, shown, strict=True)):
            measure, pair = report.scores.measures[m], [names[a], names[b]]
            truth = Procedure("t", facts["level"]).effect_of(scored(lists, measure, pair))
            if number % 100 == 0:  # the whole command, of some
                compared = rs.compare(report.judged, *pair, measure=measure).effect
                assert (compared.difference, compared.pvalue, compared.ends) == (
                    truth.difference,
                    truth.pvalue,
                    truth.ends,
                )
            ends = [np.nan if end is None else end for end in (effect["lower"], effect["upper"])]
            expected = [np.nan if end is None else end for end in truth.ends]
            np.testing.assert_allclose(
                [effect["difference"], *ends, effect["p"]],
                [truth.difference, *expected, truth.pvalue],
                rtol=1e-12,
                atol=1e-14,
            )
            assert (effect["won"], effect["lost"], effect["tied"], effect["n"]) == (
                truth.won, truth.lost, truth.tied, truth.n_topics,
            )  # fmt: skip


def test_parts_stand_in_the_readers_order(shipped, opened):
    tab = opened(shipped.path).tab
    tops = tab.evaluate("ids => ids.map(id => document.getElementById(id).getBoundingClientRect().top)", PART_ORDER)
    assert tops == sorted(tops)
    assert not tab.is_visible("#by-depth")
    tab.click("#depths-card summary")
    assert tab.is_visible("#by-depth")
    assert "has tested nothing" in tab.inner_text("#depths-card")
    for code in ("ni", "ns", "**", "=="):  # codes of IPSO are in tooltips alone
        assert code not in tab.inner_text("#counts").split()
    assert tab.get_attribute("#counts tbody td", "title") == "IPSO: ** after ns"


def test_the_sentence_says_what_the_numbers_say(shipped, opened):
    tab = opened(shipped.path).tab
    tab.evaluate("rankscope.choose({ a: 0, b: 7 })")
    one = tab.evaluate("rankscope.effect(0, 0, 7)")
    said = " ".join(tab.inner_text("#effect-sentence").split())
    assert one["p"] < 0.05
    assert one["difference"] < 0
    names = tab.evaluate("[rankscope.facts.systems[0], rankscope.facts.systems[7]]")
    assert said.startswith(f"A {names[0]} scores higher than B {names[1]} on nDCG@10: B \N{MINUS SIGN} A = ")
    assert "not corrected" in tab.inner_text("#means-note")
    tab.click("#swap")
    said = " ".join(tab.inner_text("#effect-sentence").split())
    assert said.startswith(f"B {names[0]} scores higher than A {names[1]} on nDCG@10: B \N{MINUS SIGN} A = +")
    label = tab.get_attribute("#pick-a", "aria-label")
    assert label == f"System A: {names[1]}"
    assert names[0] in tab.get_attribute("#swap", "aria-label")


def test_the_address_keeps_what_is_looked_at(shipped, opened):
    page = opened(shipped.path)
    tab = page.tab
    assert "#" not in tab.url
    tab.select_option("#pick-a", label="dense-1")
    tab.select_option("#pick-b", label="lexical-3")
    tab.select_option("#measure", index=1)
    tab.eval_on_selector("#depth", "one => { one.value = 25; one.dispatchEvent(new Event('input')); }")
    tab.select_option("#order", index=1)
    tab.select_option("#pick-topic", index=6)
    shown = (
        "['pick-a', 'pick-b', 'measure', 'depth', 'order', 'pick-topic'].map(id => document.getElementById(id).value)"
    )
    state, sentences = tab.evaluate(shown), tab.inner_text("#effect")
    address = tab.url
    assert "#explorer?a=dense-1&b=lexical-3&measure=AP" in address
    tab.goto("about:blank")
    tab.goto(address)
    tab.evaluate("rankscope.ready")
    assert tab.evaluate(shown) == state
    assert tab.inner_text("#effect") == sentences
    # what is unknown or out of reach is left as it is
    tab.goto("about:blank")
    tab.goto(address.partition("#")[0] + "#explorer?a=nobody&b=lexical-1&depth=100000&topic=%3Cb%3E&measure=__proto__")
    tab.evaluate("rankscope.ready")
    assert tab.inner_text("#pick-b option:checked") == "lexical-1"
    assert tab.evaluate("+document.getElementById('depth').value") == 10


def test_a_click_on_a_dot_opens_its_topic(shipped, opened):
    tab = opened(shipped.path).tab
    before = tab.inner_text("#pick-topic option:checked")
    tab.locator("#scatter").scroll_into_view_if_needed()
    box = tab.locator("#scatter").bounding_box()
    opened_topics = set()
    for x, y in ((0.5, 0.35), (0.6, 0.3), (0.7, 0.35), (0.4, 0.5), (0.8, 0.2)):
        tab.locator("#scatter").scroll_into_view_if_needed()
        tab.locator("#scatter").click(position={"x": x * box["width"], "y": y * box["height"]})
        opened_topics.add(tab.inner_text("#pick-topic option:checked"))
    assert opened_topics - {before}
    tab.focus("#scatter")
    topic = tab.inner_text("#pick-topic option:checked")
    tab.keyboard.press("ArrowRight")
    assert tab.inner_text("#pick-topic option:checked") != topic


def test_topics_sort_and_can_be_found(shipped, opened):
    tab = opened(shipped.path).tab
    tab.click("#topics-card summary")
    tab.wait_for_selector("#topics tbody tr")
    column = "#topics tbody td:nth-child(5)"
    numbers = "all => all.map(c => parseFloat(c.textContent.replace('\\u2212', '-')))"
    tab.click("#topics th:nth-child(5) button")
    values = tab.eval_on_selector_all(column, numbers)
    assert values == sorted(values, reverse=True)
    assert tab.get_attribute("#topics th:nth-child(5)", "aria-sort") == "descending"
    tab.click("#topics th:nth-child(5) button")
    assert tab.eval_on_selector_all(column, numbers) == sorted(values)
    topic = tab.inner_text("#topics tbody tr:nth-child(9) td:first-child")
    tab.fill("#find-topic", topic)
    assert topic in tab.locator("#topics tbody td:first-child").all_inner_texts()
    assert tab.locator("#topics tbody tr").count() < 49
    assert tab.locator("#topics tbody button[tabindex='0']").count() == 1


LAYOUT = """([n, room]) => {
    const rows = Array.from({ length: n }, (_, i) => ({ topic: i, group: 1 + Math.floor((5 * i) / n) }));
    const at = rankscope.stripsLayout({ rows, depth: 10 }, ["nDCG@10", "AP"], room);
    const { piece, top } = at.places[n - 1];
    return { height: at.height, named: at.named, pieces: at.pieces, size: at.size,
             last: at.rowAt(at.lefts[piece][0] + 2, top + at.height / 2), label: at.lefts.map(left => left[0]) };
}"""


def test_strips_of_any_number_of_topics(shipped, opened):
    page = opened(shipped.path)
    counts = [1, 10, 60, 61, 90, 120, 121, 200, 400, 510, 1143, 7000]
    layouts = {n: page.ask(LAYOUT, [n, 1100]) for n in counts}
    heights = [layouts[n]["height"] for n in counts]
    assert heights == sorted(heights, reverse=True)
    assert heights[:3] == [17, 17, 17]
    assert heights[-1] == 2
    assert len(set(heights)) > 6  # they shrink step by step
    assert [n for n in counts if layouts[n]["named"]] == [n for n in counts if n <= 121]
    assert [layouts[n]["pieces"] for n in counts if n <= 510] == [1] * 10
    assert layouts[1143]["pieces"] == 2
    assert layouts[7000]["pieces"] == 3
    for n in counts:
        assert layouts[n]["last"] == n - 1
        assert layouts[n]["size"][0] <= 1100
    for n in counts:
        assert page.ask(LAYOUT, [n, 300])["pieces"] == 1


CHOSEN = """([topics, row]) => {
    const { facts, results, stripsLayout, openTopic } = rankscope;
    const { topics: order, groups } = results(...facts.pair, 10, 0);
    const canvas = document.getElementById("strips");
    const at = stripsLayout({ rows: groups.map((group) => ({ group })), depth: 10 }, facts.measures,
                            canvas.parentElement.clientWidth);
    const [left, right] = [at.lefts[0][0], at.lefts[0][2] + at.panel], { top } = at.places[row];
    const pen = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    const seen = (chosen) => {
        openTopic(facts.topics.indexOf(order[chosen]), false);
        pen.clearRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(canvas, 0, 0);
        const part = (x, width) => pen.getImageData(x, Math.ceil(top), width, Math.floor(at.height) - 1).data.join();
        return [part(Math.ceil(left) + 1, Math.floor(right - left) - 2), part(Math.floor(left) - 6, 4)];
    };
    return topics.map(seen);
}"""


def test_the_chosen_row_is_not_covered(simulated, opened):
    """Pixels of a row are the same whether it is chosen or another one; the mark beside it is not."""
    (row, beside), (other_row, other_beside) = opened(simulated.path).ask(CHOSEN, [[40, 90], 40])
    assert row == other_row
    assert beside != other_beside
