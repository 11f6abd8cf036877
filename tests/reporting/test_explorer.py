"""The explorer: numbers of the library in the reader's order, and a state that an address keeps."""

import random
import warnings

import numpy as np
import pytest
from marks import slow
from pages import made

import rankscope as rs
from rankscope.comparisons.effect import Procedure
from rankscope.comparisons.scored import ScoredLists, scored
from rankscope.simulation import embedded
from rankscope.statistics import equality

PAIRS = 300
PART_ORDER = ["choices", "effect", "means", "scatter", "differences", "topics-card", "result", "shares", "strips"]


@pytest.mark.parametrize("which", ["odd", "simulated", *slow("shipped", "trec8")])
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
    flipped = page.ask("asked => Promise.all(asked.map(one => window.rankscope.randomisation(...one)))", asked)
    flips = {}
    lists = ScoredLists(report.judged, report.scores)
    names = facts["systems"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, ((m, a, b), effect, tested) in enumerate(zip(asked, shown, flipped, strict=True)):
            measure, pair = report.scores.measures[m], [names[a], names[b]]
            known = scored(lists, measure, pair)
            truth = Procedure("t", facts["level"]).effect_of(known)
            if (key := (m, *sorted((a, b)))) not in flips:
                flips[key] = rs.statistics.randomisation_test(*known.value.T).pvalue
            np.testing.assert_allclose(tested["p"], flips[key], rtol=1e-12, atol=1e-13)
            if number == 0:
                compared = rs.compare(report.judged, *pair, measure=measure, test="randomisation", workers=1).effect
                assert compared.pvalue == flips[key]
            if number % 100 == 0:  # the whole command, of some
                compared = rs.compare(report.judged, *pair, measure=measure, workers=1).effect
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


def test_sign_flips_are_the_librarys(simulated, opened):
    """All flips of up to 40 differences, all on a grid, and the same draws beyond, whatever the differences."""
    page, draw = opened(simulated.path), np.random.default_rng(11)
    expected, drawn, asked = [], [], []
    for n in (2, 7, 20, 21, 30, 34, 41, 60, 120):
        plain = draw.random((2, n))
        for a, b in (
            plain, draw.integers(0, 11, (2, n)) / 10, 1 / draw.integers(1, 11, (2, n)), plain.round(4), 1e-200 * plain,
            (plain[0], np.where(draw.random(n) < 0.5, plain[0], plain[1])), (plain[0], plain[0] + 0.1 / 3),
        ):  # fmt: skip
            tested = rs.statistics.randomisation_test(a, b)
            expected.append(tested.pvalue)
            drawn.append(" random " in tested.method)
            values, errors = equality.difference(a, b)
            asked.append([values.tolist(), errors.tolist()])
    shown = page.ask("asked => Promise.all(asked.map(one => rankscope.flippedP(...one)))", asked)
    np.testing.assert_allclose([one["p"] for one in shown], expected, rtol=1e-12)
    assert [one["drawn"] for one in shown] == drawn
    assert {True, False} == {*drawn}


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
    tab.evaluate("rankscope.randomisation(1)")
    state, sentences = tab.evaluate(shown), tab.inner_text("#effect")
    address = tab.url
    assert "#explorer?a=dense-1&b=lexical-3&measure=AP" in address
    tab.goto("about:blank")
    tab.goto(address)
    tab.evaluate("rankscope.ready")
    assert tab.evaluate(shown) == state
    tab.evaluate("rankscope.randomisation(1)")
    assert tab.inner_text("#effect") == sentences
    assert "(randomisation)" in sentences
    # what is unknown or out of reach is left as it is
    tab.goto("about:blank")
    tab.goto(address.partition("#")[0] + "#explorer?a=nobody&b=lexical-1&depth=100000&topic=%3Cb%3E&measure=__proto__")
    tab.evaluate("rankscope.ready")
    assert tab.inner_text("#pick-b option:checked") == "lexical-1"
    assert tab.evaluate("+document.getElementById('depth').value") == 10


def test_an_address_without_order_and_slice_means_the_first_ones(shipped, tmp_path, opened):
    report = made(tmp_path, *embedded(), slices={"type = how-to": shipped.scores.topics[:20]})
    tab = opened(report.path).tab
    for choice in ("#order", "#slice"):
        tab.select_option(choice, index=1)
    tab.evaluate("location.hash = '#explorer?a=dense-1&b=lexical-3&measure=AP&depth=7'")
    tab.wait_for_function("document.getElementById('depth').value === '7'")
    assert tab.evaluate("['order', 'slice'].map(id => document.getElementById(id).value)") == ["0", "0"]


def test_a_link_to_a_part_of_the_page_keeps_its_address(shipped, opened):
    tab = opened(shipped.path).tab
    tab.select_option("#pick-a", label="dense-1")
    tab.click(".top a[href='#methods']")
    tab.wait_for_function("location.hash === '#methods'")
    tab.wait_for_timeout(200)
    assert tab.evaluate("location.hash") == "#methods"
    assert tab.inner_text("#pick-a option:checked") == "dense-1"


def test_what_an_address_asks_for_in_vain_is_said(shipped, opened):
    page = opened(shipped.path)
    tab = page.tab
    address = tab.url + "#explorer?a=gone&b=lexical-1&depth=9999"
    tab.goto("about:blank")
    tab.goto(address)
    tab.evaluate("rankscope.ready")
    said = tab.inner_text("#lacking")
    assert said.startswith("The address asks for what this page does not have: a gone, depth 9999.")
    assert "gone" not in tab.url
    tab.goto("about:blank")
    tab.goto(address.replace("gone", "dense-1").replace("9999", "9"))
    tab.evaluate("rankscope.ready")
    assert not tab.is_visible("#lacking")


def test_a_topic_outside_the_slice_stays_open(shipped, tmp_path, opened):
    topics = shipped.scores.topics
    report = made(tmp_path, *embedded(), slices={"first": topics[:20], "second": topics[20:]})
    tab = opened(report.path).tab
    tab.select_option("#slice", label="first")
    assert tab.inner_text("#pick-topic option:checked") in topics[:20]
    tab.select_option("#pick-topic", label=topics[30])
    address = tab.url
    tab.goto("about:blank")
    tab.goto(address)
    tab.evaluate("rankscope.ready")
    assert tab.inner_text("#pick-topic option:checked") == topics[30]
    assert tab.url == address
    tab.select_option("#slice", label="second")
    assert tab.inner_text("#pick-topic option:checked") == topics[30]
    tab.select_option("#slice", label="first")
    assert tab.inner_text("#pick-topic option:checked") in topics[:20]


def test_the_csv_of_differences_has_the_bars_of_its_figure(tmp_path, opened):
    """A topic that IPSO leaves out has a bar, and a row; the table of topics says how many it lacks."""
    qrels = {str(t): {"a": 1 + t % 2, "b": 0} for t in range(12)}
    runs = {"one": {t: ["a", "b"] for t in qrels}, "two": {t: ["b", "a"] for t in qrels}}
    report = made(tmp_path, qrels, runs)
    page = opened(report.path)
    page.tab.evaluate("rankscope.choose({ order: 1 })")
    shown = page.ask("[rankscope.results(0, 1, 2, 1).topics.length, rankscope.facts.orders.map(one => one.name)]")
    page.tab.click("#topics-card summary")
    page.tab.wait_for_selector("#topics tbody tr")  # the fold says that it is open a moment later
    listed = page.tab.locator("#topics tbody tr").count()
    assert listed == shown[0]
    said = page.tab.inner_text("#topics-out")
    assert said == ("" if listed == 12 else f"Not here: {12 - listed} topics without a document that counts in the "
                    "order chosen, or without a list.")  # fmt: skip
    with page.tab.expect_download() as download:
        page.tab.click("#differences-csv")
    lines = download.value.path().read_text().splitlines()
    assert lines[0].startswith("topic,nDCG@10: A,nDCG@10: B,nDCG@10: B - A")
    assert len(lines) == 13
    values = [float(line.split(",")[3]) for line in lines[1:]]
    assert values == sorted(values)


def test_words_on_a_coin_go_by_the_level_of_the_page(tmp_path, opened):
    """One system is ahead on 6 of 6 topics: p is 0.03, below 0.05 and not below 0.01."""
    qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    runs = {"one": {t: ["a", "b"] for t in qrels}, "two": {t: ["b", "a"] for t in qrels}}
    for alpha, words in ((0.05, "hardly"), (0.01, "could give")):
        page = rs.report(qrels, runs, measures="RR", pair=("one", "two"), alpha=alpha,
                         resampling=rs.statistics.Resampling(50))  # fmt: skip
        tab = opened(page.save(tmp_path / f"{alpha}.html")).tab
        assert words in tab.inner_text("#result-sentence")


def test_headings_take_the_focus_of_what_is_opened(shipped, opened):
    """Who goes on with the keyboard goes on from there."""
    tab = opened(shipped.path).tab
    tab.focus("#scatter")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    tab.wait_for_function("document.activeElement.id === 'topic-title'")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.closest('section').id") == "topic"


def test_the_bar_of_the_page_takes_the_focus_where_the_reader_is(shipped, opened):
    tab = opened(shipped.path).tab
    tab.evaluate("document.getElementById('strips').scrollIntoView({ block: 'start', behavior: 'instant' })")
    place = "document.getElementById('strips').getBoundingClientRect().top"  # whatever is drawn above in the meantime
    before = tab.evaluate(place)
    tab.focus("#theme")
    tab.keyboard.press("Shift+Tab")
    tab.wait_for_timeout(400)
    assert tab.evaluate("document.activeElement.closest('header').className") == "top"
    assert abs(tab.evaluate(place) - before) < 1
    assert tab.evaluate("scrollY") > 1000


@pytest.mark.parametrize(("depth", "other", "words"), [
    (150, 150, "B > 100"), (100, 100, "not in B"), (150, 100, "not in B"),
])  # fmt: skip
def test_documents_beyond_what_the_page_names_are_not_said_to_be_missing(depth, other, words, tmp_path, opened):
    """A list that goes on below rank 100 may have the document there."""
    documents = [f"d{i}" for i in range(300)]
    qrels = {str(t): {"d0": 1, "d5": 1} for t in range(6)}
    qrels |= {"0": {"d0": 1, "d100": 1}}
    runs = {
        "old": dict.fromkeys(qrels, tuple(documents[:depth])),
        "new": dict.fromkeys(qrels, tuple(documents[50 : 50 + other])),
    }
    page = rs.report(qrels, runs, measures="RR", pair=("old", "new"), resampling=rs.statistics.Resampling(50))
    tab = opened(page.save(tmp_path / "page.html")).tab
    notes = tab.locator(".doc.a .where").all_inner_texts()
    assert notes[:3] == [words] * 3
    assert "not " in tab.get_attribute(".doc.a .where", "title")


def test_the_caption_says_what_the_smallest_dots_stand_for(shipped, tmp_path, opened):
    """Of 60 topics in one dot, 8 in another and 1 in a third the last two look alike."""
    lists = [["r", "n", "m"]] * 60 + [["n", "r", "m"]] * 8 + [["n", "m", "r"]]
    qrels = {str(t): {"r": 1, "n": 0, "m": 0} for t in range(len(lists))}
    runs = {"old": dict(zip(qrels, lists, strict=True)), "new": {t: ["r", "n", "m"] for t in qrels}}
    page = rs.report(qrels, runs, measures="RR", pair=("old", "new"), resampling=rs.statistics.Resampling(50))
    tab = opened(page.save(tmp_path / "page.html")).tab
    assert "Dots of the smallest size stand for 1 to 8 topics." in tab.inner_text("#scatter-card figcaption")
    tab = opened(shipped.path).tab
    assert "smallest size" not in tab.inner_text("#scatter-card figcaption")


def test_a_slice_restricts_the_topics(shipped, tmp_path, opened):
    topics = shipped.scores.topics
    slices = {"type = how-to": topics[:20], "type = <b>name</b>": topics[20:], "type = elsewhere": ["nowhere"]}
    report = made(tmp_path, *embedded(), slices=slices)
    page = opened(report.path)
    tab = page.tab
    assert tab.locator("#slice option").all_inner_texts() == ["all", *list(slices)[:2]]
    everywhere = page.ask("rankscope.effect(0)")
    tab.select_option("#slice", label="type = how-to")
    facts = page.ask("rankscope.facts")
    scores = report.scores.value[0, [report.scores.systems.index(facts["systems"][s]) for s in facts["pair"]], :20]
    pair = scores[:, ~np.isnan(scores).any(axis=0)]
    truth, flipped = rs.statistics.t_test(*pair), rs.statistics.randomisation_test(*pair)
    interval = truth.confidence_interval()
    shown = page.ask("rankscope.effect(0)")
    assert shown["n"] == truth.n_topics < everywhere["n"]
    expected = [truth.difference, interval.lower, interval.upper, truth.pvalue]
    np.testing.assert_allclose([shown[key] for key in ("difference", "lower", "upper", "p")], expected, rtol=1e-12)
    np.testing.assert_allclose(page.ask("rankscope.randomisation(0)")["p"], flipped.pvalue, rtol=1e-12)
    assert "topics with type = how-to" in tab.inner_text("#effect-sentence")
    assert f"of {truth.n_topics} topics" in tab.inner_text("#result-sentence")
    tab.click("#topics-card summary")
    assert set(tab.locator("#topics tbody td:first-child").all_inner_texts()) <= set(topics[:20])
    address = tab.url
    assert "slice=type+%3D+how-to" in address
    tab.goto("about:blank")
    tab.goto(address)
    tab.evaluate("rankscope.ready")
    assert page.ask("rankscope.effect(0)") == shown
    tab.select_option("#slice", label="type = <b>name</b>")
    assert "topics with type = <b>name</b>" in tab.inner_text("#effect-sentence")


def test_no_choice_of_slices_without_slices(shipped, opened):
    tab = opened(shipped.path).tab
    assert not tab.is_visible("#slice")


def test_topics_of_one_dot_are_counted_and_opened_in_turn(tmp_path, opened):
    """Every topic has 1 under A and 0.5 under B, at the right end and at the bottom."""
    qrels = {str(t): {"r": 1, "n": 0} for t in range(12)}
    runs = {"old": {t: ["n", "r"] for t in qrels}, "new": {t: ["r", "n"] for t in qrels}}
    page = rs.report(qrels, runs, measures="RR", resampling=rs.statistics.Resampling(50))
    tab = opened(page.save(tmp_path / "page.html")).tab
    box, topics = tab.locator("#scatter").bounding_box(), []
    dot = {"x": box["width"] - 14, "y": box["height"] - 46}
    for _ in range(3):
        tab.locator("#scatter").evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
        tab.locator("#scatter").hover(position=dot)
        said = tab.inner_text("#tip")
        assert "the first of 12 in this dot" in said
        assert "B \N{MINUS SIGN} A, RR" in said
        tab.locator("#scatter").click(position=dot)
        topics.append(tab.inner_text("#pick-topic option:checked"))
    assert len({*topics}) == 3


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


def test_marks_beside_the_explorer_have_keys(shipped, opened):
    """A legend of the strip's classes, one of grades, and words for what stands beside the documents of a topic."""
    tab = opened(shipped.path).tab
    known = {"equal", "A ahead", "B ahead", "undecided"}
    shown = tab.locator("#differences-legend li").all_inner_texts()
    assert set(shown) <= known
    assert len(shown) == len(set(shown)) > 0
    strips = tab.locator("#legend li").all_inner_texts()
    assert [words for words in strips if words.startswith("grade")] == ["grade 1", "grade 2", "grade 3"]
    note = tab.inner_text("#lists-note")
    assert note.startswith("In the box: the grade")
    assert "Beside an id: its rank in the other list" in note
    phone = opened(shipped.path, width=390).tab
    assert not phone.locator("#lists-note .where").is_visible()  # nor are those ranks
    assert not phone.locator("#lists .where").first.is_visible()
