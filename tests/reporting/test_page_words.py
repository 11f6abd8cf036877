"""One word and one form for one thing on a page: intervals, undecided topics, metrics, drawn p values, and colours."""

import dataclasses
import itertools
import re
import warnings

import numpy as np
import pytest

import rankscope as rs
from rankscope.figures import draw
from rankscope.reporting.assembling import _unbroken
from rankscope.reporting.first_screen import of_comparison
from rankscope.reporting.summary import affected, findings_line
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.validation.findings import Finding

PAIR = ("hybrid-1", "lexical-2")
SETTINGS = {"measures": ["nDCG@10", "AP", "RR"], "resampling": Resampling(50), "workers": 1}
NUMBER = r"[-\N{MINUS SIGN}+]?\d\.\d{4}"
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page around a comparison, with slices and unjudged documents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = rs.report(*embedded(), pair=PAIR, by="relevant", holes=True, **SETTINGS)
    return made.save(tmp_path_factory.mktemp("words") / "page.html")


@pytest.fixture(scope="module")
def compared():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rs.compare(rs.load(*embedded()), *PAIR, measure="nDCG@10", workers=1)


def all_words(page) -> str:
    page.ask("document.querySelectorAll('details').forEach(one => { one.removeAttribute('name'); one.open = true; })")
    page.ask("rankscope.randomisation(0)")
    page.tab.wait_for_function("!document.getElementById('means').textContent.includes('…')")
    return " ".join(page.tab.inner_text("main").split())


def test_intervals_have_one_form(page, opened):
    said = all_words(opened(page))
    assert re.findall(rf"\[{NUMBER}, {NUMBER}\]", said)
    assert re.findall(rf"(?<!from ){NUMBER} to {NUMBER}", said) == []  # a mean that moves from one to the other is none
    assert re.findall(r"\[\+[^\]]*\]", said) == []


def test_undecided_topics_have_one_word(page, opened):
    said = all_words(opened(page))
    assert re.search(r"IPSO: B ahead on \d+, A \d+, equal \d+, undecided \d+", said)
    assert re.search(r"If all \d+ undecided topics went to A", said)
    assert re.findall(r"open \d+|open topics?|\bopen,|equal, open", said) == []


def test_drawn_p_values_are_marked(page, opened, compared):
    """Of the embedded pair the randomisation test draws, and all others have a formula."""
    said = all_words(opened(page))
    chip = next(chip for chip in of_comparison(compared).chips if chip.title == "Other tests")
    rows = {row[0]: row for row in chip.rows}
    assert rows["randomisation test"][3].startswith("≈ ")
    assert not any("≈" in row[3] for name, row in rows.items() if name != "randomisation test")
    assert any(line.startswith("≈: p counted on 10,000 random sign flips") for line in chip.lines)
    tab = opened(page).tab
    tab.wait_for_function("!document.getElementById('means').textContent.includes('…')")
    cells = tab.eval_on_selector_all("#means [data-flipped]", "all => all.map(one => one.textContent)")
    drawn = tab.evaluate("Promise.all(rankscope.facts.measures.map((_, m) => rankscope.randomisation(m)))")
    assert [cell.startswith("≈ ") for cell in cells] == [one["drawn"] for one in drawn]
    assert any(one["drawn"] for one in drawn)
    assert "≈: p of the randomisation test, counted on 50 random sign flips" in said


def test_an_interval_beside_signs_or_ranks_says_whose_it_is(compared):
    chip = next(chip for chip in of_comparison(compared).chips if chip.title == "Other tests")
    owned = {row[0]: row[2].endswith("] (Student)") for row in chip.rows}
    assert owned == {"randomisation test": False, "Wilcoxon's signed ranks": True, "sign test": True}


def test_metrics_are_counted_once(page, opened):
    """The figure of the first screen has as many metrics as the counts add up to."""
    tab = opened(page).tab
    counts = " ".join(tab.inner_text(".counts").split())
    every, more = map(int, re.search(r"(\d+) metrics for all, (\d+) more for A and B", counts).groups())
    assert every + more == tab.locator(".best tbody tr").count()
    assert "measure" not in counts


def test_findings_of_a_pair_name_it():
    """Of a page around two systems the best ones are of no interest."""
    known = rs.validate(*embedded())
    kind = {"numbers": {"runs": {"a": {"shift": 0.1}}}, "systems": ("a",)}
    of_a = dataclasses.replace(next(iter(known)), **kind)
    assert isinstance(of_a, Finding)
    findings = dataclasses.replace(known, findings=(of_a,))
    assert findings_line(findings, ("a", "b")).endswith("; 1 about A, none about B.")
    assert findings_line(findings, ("b", "c")).endswith("; none about A or B.")
    assert "best" not in findings_line(findings, ("a", "b"))


def test_a_finding_of_both_systems_is_counted_once():
    known = rs.validate(*embedded())
    runs = {name: {"shift": 0.1} for name in "ab"}
    of_both, of_a = (
        dataclasses.replace(next(iter(known)), numbers={"runs": {name: runs[name] for name in names}}, systems=names)
        for names in (("a", "b"), ("a",))
    )
    line = findings_line(dataclasses.replace(known, findings=(of_both,)), ("a", "b"))
    assert line.endswith("; 1 about both A and B.")
    line = findings_line(dataclasses.replace(known, findings=(of_both, of_both, of_a)), ("a", "b"))
    assert line.endswith("; 2 about both A and B, 1 about A alone.")
    several = dataclasses.replace(known, findings=(of_both, of_a))
    assert affected(several, ("a", "b")) == ["A and B", "A"]
    assert affected(several, ("c", "a")) == ["B", "B"]
    assert affected(several, None) == affected(several, ("c", "d")) == ["", ""]


def test_names_of_options_are_not_broken():
    said = "use --threshold-at, or --by; a-b-c and ---- stay"
    assert re.findall(r'<span class="whole">([^<]*)</span>', str(_unbroken(said))) == ["--threshold-at", "--by"]


def test_a_constant_difference_is_a_point_without_interval():
    """On one half of the topics B is better by the same amount everywhere."""
    qrels = {str(t): {"r": 1, "n": 0} for t in range(24)}
    runs = {
        "a": {t: {"n": 2.0, "r": 1.0} for t in qrels},
        "b": {t: {"n": 1.0, "r": 2.0} if int(t) < 12 or int(t) % 3 == 0 else {"n": 2.0, "r": 1.0} for t in qrels},
    }
    table = {"half": {t: "first" if int(t) < 12 else "second" for t in qrels}}
    judged = rs.load(qrels, runs)
    found = rs.compare(judged, "a", "b", measure="RR", topics_table=table, by="half", workers=1)
    groups = found.slices
    row = next(row for row in groups.rows()[1] if row[0] == "first")
    assert row[3] == "none"
    assert "No interval on first: the difference is the same on every topic there." in groups.note()
    svg = draw(groups, "forest" if "forest" in dir(groups) else rs.figures.names(groups)[0]).rendered("svg").decode()
    assert "0.5000" in svg
    assert "[0.5000, 0.5000]" not in svg


def rgb(colour: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


def light(colour: str) -> float:
    parts = [part / 255 for part in rgb(colour)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear)) + 0.05


@pytest.mark.parametrize("dark", [False, True])
def test_colours_against_a_chosen_system_are_those_of_outcomes(shipped, opened, dark):
    """Better is B's colour and worse is A's; the groups before the choice have neither; classes differ in grey."""
    tab = opened(shipped.path, dark=dark).tab
    of = "kind => getComputedStyle(Object.assign(document.body.appendChild(document.createElement('i')), "
    of += "{ className: `dots is-${kind}` })).color"
    colour = {kind: tab.evaluate(of, kind) for kind in ("lead", "rest", "a", "b", "open")}
    named = {name: tab.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')")
             for name in ("a", "b", "undecided")}  # fmt: skip
    for kind, name in (("a", "a"), ("b", "b"), ("open", "undecided")):
        assert rgb(colour[kind]) == [int(named[name].strip()[i : i + 2], 16) for i in (1, 3, 5)]
    assert {colour["lead"], colour["rest"]}.isdisjoint({colour["a"], colour["b"], colour["open"]})
    for legend in (("lead", "rest"), ("a", "b", "open")):
        for one, other in itertools.combinations(legend, 2):
            low, high = sorted((light(colour[one]), light(colour[other])))
            assert high / low >= 1.5, (one, other)


def test_a_card_between_wide_ones_is_as_wide(page, opened):
    """A single card would leave the other column empty."""
    tab = opened(page).tab
    halves = tab.evaluate("""() => [...document.querySelectorAll(".cards > .card:not(.wide)")].filter(card => {
        const last = one => !one || one.matches(".wide");
        return last(card.previousElementSibling) && last(card.nextElementSibling)
            && card.clientWidth < 0.8 * card.parentElement.clientWidth;
    }).map(card => card.textContent.trim().slice(0, 40))""")
    assert halves == []
