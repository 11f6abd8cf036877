"""What a notebook shows: the answer, one table with its notes, one figure, evidence to be opened."""

import html
import re
import warnings
from hashlib import sha256

import pytest

import rankscope as rs
from rankscope import layout, studies
from rankscope.judged.subsets import with_systems, with_topics
from rankscope.simulation.embedded_collection import embedded_judges
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


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_numbers_have_minus_signs_and_names_have_hyphens(judged):
    gate = rs.gate(judged, "lexical-3", "hybrid-1", measure="nDCG@10", by="relevant")
    text = html.unescape(re.sub(r"<[^>]+>", " ", gate._repr_html_()))
    assert "\N{MINUS SIGN}0." in text
    assert not re.search(r"[ \[(]-\d|\bB - A\b", text)
    assert "lexical-3" in text
    assert ">-5</td>" in layout.html_table(["topic", "score"], [["-5", "-5"]], left=1)
    assert ">\N{MINUS SIGN}5</td>" in layout.html_table(["topic", "score"], [["-5", "-5"]], left=1)


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
@pytest.mark.parametrize("settings", [{}, {"by": "relevant", "also": ["AP"]}])
def test_a_gate_has_its_signature_and_a_figure(settings, judged):
    gate = rs.gate(judged, "lexical-3", "hybrid-1", measure="nDCG@10", **settings)
    shown = gate._repr_html_()
    assert f"<small>{gate.signature}</small>" in shown
    assert shown.count("<img") == 2
    assert len(shown) < 100_000
    answer, _, evidence = shown.partition("<summary>Evidence</summary>")
    assert answer.count("<table") == 1
    assert all(f">{topic.topic}</td>" in evidence for topic in gate.checks[0].lost)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_one_table_and_the_others_below(judged):
    by = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10", by="relevant", workers=1)
    board = rs.rank(judged, measure="nDCG@10", by="relevant", resampling=Resampling(200), workers=1)
    for result in (by, board):
        answer, _, evidence = result._repr_html_().partition("<summary>Evidence</summary>")
        assert answer.count("<table") == 1
        assert all(part.name in evidence for part in by.slices.slices)


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


@pytest.fixture(scope="module")
def others(judged):
    """Results of other kinds, by what asks for them."""
    parts = {f"part-{i}": with_topics(judged, range(i, len(judged.topics), 3)) for i in range(3)}
    few = Resampling(200)
    by = rs.compare(judged, "lexical-3", "hybrid-1", by="relevant", others=False, workers=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        return {
            "across": rs.across(parts, "lexical-3", "hybrid-1", resampling=few, workers=1),
            "board": rs.across(parts, resampling=few, workers=1),
            "judges": studies.judges(*rs.simulation.embedded(), embedded_judges(), resampling=few),
            "judge_next": rs.judge_next(with_systems(judged, ["lexical-3", "hybrid-1"])),
            "slices": by.slices,
            "bounds": rs.bounds(judged, ["nDCG@10"]),
        }


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
@pytest.mark.parametrize("name", ["across", "board", "judges", "judge_next", "slices", "bounds"])
def test_other_results_say_their_verdict_first(name, others):
    result = others[name]
    shown = result._repr_html_()
    assert len(shown) < 100_000
    text = html.unescape(re.sub(r"<[^>]+>", " ", shown[: shown.index("<table")]))
    assert shown.partition("<summary>Evidence</summary>")[0].count("<table") == 1
    first = str(result).splitlines()[0]
    assert first[:40] in " ".join(text.split())
    grounds = re.findall(r'<img class="rankscope-(\w+)"', shown)
    assert grounds == ([] if name == "judge_next" else ["light", "dark"])


def test_a_comparison_on_many_topics_is_small():
    topics = [f"q{i}" for i in range(1500)]
    qrels = {topic: {"a": 1, "b": 0, "c": 1} for topic in topics}
    runs = {
        name: {topic: {doc: float(hash_of(name, topic, doc)) for doc in "abc"} for topic in topics}
        for name in ("first", "second")
    }
    shown = rs.compare(rs.load(qrels, runs), "first", "second", measure="RR", workers=1)._repr_html_()
    assert len(shown) < 100_000
    assert shown.count("<img") == 2


def hash_of(*words):
    """A number that is the same in every process."""
    return int.from_bytes(sha256(" ".join(words).encode()).digest()[:4], "big")
