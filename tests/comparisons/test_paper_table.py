"""The table of a paper: the numbers, marks and corrections are those of the tests, and LaTeX can read it."""

import re

import numpy as np
import pytest
from latex import compiles, rows_of

import rankscope as rs
from rankscope.comparisons import rank
from rankscope.comparisons.paper_table import caption
from rankscope.io.score_tables import read_scores
from rankscope.statistics import Resampling, adjust, t_test

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
MEASURES = ["nDCG@10", "AP", "RR"]
DRAWS = Resampling(999, 7)


@pytest.fixture(scope="module")
def judged():
    return rs.load(*rs.simulation.embedded())


def board(judged, **settings):
    return rank(judged, measure=MEASURES[0], also=MEASURES[1:], resampling=DRAWS, **settings)


@pytest.mark.parametrize(("tested", "alpha"), [("each", 0.05), ("together", 0.05 / 3)])
def test_daggers_are_those_of_tests_of_every_measure(judged, tested, alpha):
    found = board(judged, tested=tested, baseline="lexical-3")
    rows = {row[0]: row[1:] for row in rows_of(found.to_latex())[1:]}
    daggers = []
    at = 0
    for name in MEASURES:
        scores = dict(zip(judged.systems, rs.evaluate(judged, name).matrix(name).T, strict=True))
        others = [system for system in judged.systems if system != "lexical-3"]
        raw = [t_test(scores["lexical-3"], scores[system]).pvalue for system in others]
        expected = dict(zip(others, (adjust(raw, "holm").adjusted < alpha).tolist(), strict=True))
        best = max(scores, key=lambda system: scores[system].mean())
        for system, row in rows.items():
            number = f"{scores[system].mean():.4f}"
            assert row[at] == (rf"\textbf{{{number}}}" if system == best else number)
            if any(expected.values()):
                assert (row[at + 1] == r"$^{\dagger}$") == expected.get(system, False)
        at += 1 + any(expected.values())  # marks have a column of their own
        daggers += expected.values()
    assert len(set(daggers)) == 2
    assert ("Bonferroni over 3 measures; p < 0.05" in caption(found)) == (tested == "together")
    assert ("Holm over 7 tests per measure; p < 0.05" in caption(found)) == (tested == "each")


def test_letters_of_all_pairs_of_every_measure(judged):
    found = board(judged, tested="each")
    rows = rows_of(found.to_latex(columns=["system", "RR"]))
    alone = rank(judged, measure="RR", resampling=DRAWS)
    letters = dict(zip(alone.systems, alone.letters, strict=True))
    assert {row[0]: row[2] for row in rows[1:]} == {
        name: rf"$^{{\mathrm{{{word}}}}}$" for name, word in letters.items()
    }
    assert "28 pairs per measure; p < 0.05" in caption(found)


def test_columns_decimals_label_and_width_are_chosen(judged):
    found = board(judged, tested="each", baseline="lexical-3")
    table = found.to_latex(
        columns=["rank", "system", "AP", "interval", "difference", "p"], decimals=2, page=True, label="tab:mine"
    )
    head, *rows = rows_of(table)
    assert head[:2] == ["rank", "system"]
    assert [row[0] for row in rows] == [str(i + 1) for i in range(8)]
    assert re.fullmatch(r"\\textbf\{0\.\d\d\}", rows[0][2])
    assert r"\label{tab:mine}" in table
    assert r"\begin{table*}" in table
    assert r"\begin{table}" in found.to_latex()
    for name in ("group", "nDCG@20"):
        with pytest.raises(rs.InputError, match=f"no column '{name}'"):
            found.to_latex(columns=["system", name])
    with pytest.raises(rs.InputError, match="decimals"):
        found.to_latex(decimals=-1)


def test_signatures_are_comments_and_the_caption_is_short(judged):
    found = board(judged, tested="each", baseline="lexical-3")
    table = found.to_latex()
    comments = [line for line in table.splitlines() if line.startswith("% ")]
    assert [line.split("|")[0] for line in comments[1:]] == ["% nDCG@10", "% AP", "% RR"]
    assert not any("pt wide" in line for line in comments)
    assert len(f"Table 1: {caption(found)}") <= 120  # two lines of a column of 8.5 cm, in letters of 9 points
    assert "|" not in caption(found)


def test_plain_values_have_every_measure_that_was_tested(judged):
    further = board(judged, tested="together").to_dict()["further"]
    assert [plain["measure"] for plain in further] == ["AP(rel=1)", "RR(rel=1)"]
    assert [plain["alpha"] for plain in further] == pytest.approx([0.05 / 3] * 2)
    assert board(judged).to_dict()["further"] == []


def test_untested_measures_have_no_marks(judged):
    found = board(judged, baseline="lexical-3")
    head = rows_of(found.to_latex())[0]
    assert [cell.startswith(r"\multicolumn") for cell in head] == [False, True, False, False]
    assert "Only nDCG@10 is tested." in caption(found)


def test_names_that_latex_would_obey(tmp_path):
    names = ["a_b & 50%", "#1 {x} ~^", "[c] $y$", r"\input{z}"]
    rng = np.random.default_rng(1)
    scores = {name: {str(t): float(v) for t, v in enumerate(rng.random(20))} for name in names}
    found = rank(read_scores(scores), resampling=DRAWS)
    for baseline in (None, names[0]):
        table = rank(read_scores(scores), baseline=baseline, resampling=DRAWS).to_latex(label="a_b#}")
        assert len(rows_of(table)) == 5
        assert compiles(table, tmp_path) is not False
    assert len(found.systems) == 4


def test_the_table_compiles(judged, tmp_path):
    for settings in ({"baseline": "lexical-3"}, {}):
        for page in (False, True):
            assert compiles(board(judged, tested="each", **settings).to_latex(page=page), tmp_path) is not False
