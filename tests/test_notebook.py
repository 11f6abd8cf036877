"""What a notebook shows: the answer, one table with its notes, one figure, evidence to be opened."""

import re

import pytest

import rankscope as rs
from rankscope import layout
from rankscope.statistics import Resampling


@pytest.fixture(scope="module")
def judged():
    return rs.load(*rs.simulation.embedded(), keep_docs=True, keep_ties=True)


@pytest.fixture(scope="module")
def comparison(judged):
    return rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10", workers=1)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_a_comparison_is_small_and_its_verdict_is_first(comparison):
    shown = comparison._repr_html_()
    assert len(shown) < 100_000
    first = re.search(r"<p><strong>(.*?)</strong></p>", shown)
    assert first[1] == str(comparison).splitlines()[0]
    assert shown.index("<table") < shown.index("<img") < shown.index("<summary>Evidence</summary>")


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_a_figure_for_each_ground(comparison):
    shown = comparison._repr_html_()
    assert re.findall(r'<img class="rankscope-(\w+)"', shown) == ["light", "dark"]
    dark = shown[shown.index('class="rankscope-dark"') :]
    assert "display: none" in dark[: dark.index("src=")]  # unless the front end says that its ground is dark
    assert '[data-jp-theme-light="false"] .rankscope-dark{display:inline!important}' in shown


def test_a_long_ranking_shows_twenty_rows():
    systems = [f"s{i:03}" for i in range(118)]
    header, rows = ["rank", "system"], [[str(i + 1), name] for i, name in enumerate(systems)]
    table = layout.html_table(header, rows)
    before, _, after = table.partition("<details>")
    assert before.count("<tr>") == 1 + 20
    assert "<summary>98 more rows</summary>" in after
    assert after.count("<tr>") == 1 + 98
    assert "<details>" not in layout.html_table(header, rows[:22])


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_a_ranking_has_all_rows_its_notes_and_its_signature(judged):
    board = rs.rank(judged, measure="nDCG@10", resampling=Resampling(200), workers=1)
    shown = board._repr_html_()
    assert shown.index(board.headline().split(";")[0]) < shown.index("<table")
    assert all(f">{name}</td>" in shown for name in board.systems)
    assert "systems that share a letter" in shown
    assert f"<small>{board.signature}</small>" in shown
    assert "white-space: pre" in shown  # bars that are drawn in letters keep their places


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_a_gate_has_its_signature(judged):
    gate = rs.gate(judged, "lexical-3", "hybrid-1", measure="nDCG@10")
    assert f"<small>{gate.signature}</small>" in gate._repr_html_()


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_scores_are_sorted_and_the_best_is_marked(judged):
    scores = rs.evaluate(judged, ["nDCG@10", "AP"])
    shown = scores._repr_html_()
    table = shown[: shown.index("</table>")]
    values = [float(value) for value in re.findall(r"<td>(?:<strong>)?(0\.\d{4})", table)[::2]]
    assert values == sorted(values, reverse=True)
    assert table.count("<strong>0.") == 2
    assert "the highest mean first" in shown
    assert shown.count("<img") == 2
