"""Many systems: order, groups, places, a baseline; the same for any order of files and any number of workers."""

import warnings

import numpy as np
import pytest
import scipy.stats

import rankscope as rs
from rankscope.comparisons import rank
from rankscope.io.score_tables import read_scores
from rankscope.statistics import (
    Resampling,
    adjust,
    bootstrap_max_t,
    letters,
    randomised_hsd,
    t_interval,
    t_test,
)

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
CHANCE = Resampling(2000, 7)


@pytest.fixture(scope="module")
def judged():
    return rs.load(*rs.simulation.embedded())


def test_is_what_the_statistics_say(judged):
    found = rank(judged, measure="AP", resampling=CHANCE)
    matrix = rs.evaluate(judged, "AP").matrix("AP")
    for method, compare in (("bootstrap", bootstrap_max_t), ("hsd", randomised_hsd)):
        ranking = rank(judged, measure="AP", method=method, resampling=CHANCE)
        pairs = compare(matrix, resampling=CHANCE, systems=judged.systems)
        assert dict(zip(ranking.systems, ranking.letters, strict=True)) == dict(
            zip(judged.systems, letters(pairs).letters, strict=True)
        )
        assert pairs.method in ranking.caption()
        assert ("assumed: all systems are exchangeable" in ranking.caption()) == (method == "hsd")
    assert found.method == "step-down bootstrap MaxT, 2,000 resamples, seed 7"
    means = dict(zip(judged.systems, matrix.mean(axis=0), strict=True))
    assert list(found.systems) == sorted(means, key=means.get, reverse=True)
    best = matrix[:, judged.systems.index(found.systems[0])]
    interval = t_interval(np.zeros_like(best), best)
    assert found.lower[0] == pytest.approx(interval.lower)
    assert found.upper[0] == pytest.approx(interval.upper)
    assert all(low <= place <= high for place, low, high in zip(range(1, 9), found.best, found.worst, strict=True))


def test_baseline(judged):
    found = rank(judged, measure="AP", baseline="lexical-2", correction="holm", resampling=CHANCE)
    scores = rs.evaluate(judged, "AP")
    matrix = dict(zip(judged.systems, scores.matrix("AP").T, strict=True))
    others = [name for name in found.systems if name != "lexical-2"]
    raw = [t_test(matrix["lexical-2"], matrix[name]).pvalue for name in others]
    adjusted = dict(zip(others, adjust(raw, "holm").adjusted, strict=True))
    for name, e, p in zip(found.systems, found.against.effects, found.against.adjusted, strict=True):
        if name == "lexical-2":
            assert e is None
        else:
            assert p == pytest.approx(adjusted[name])
            assert e.difference == pytest.approx(matrix[name].mean() - matrix["lexical-2"].mean())


@pytest.mark.parametrize(("alpha", "level", "shown"), [(0.01, None, 0.99), (0.2, None, 0.8), (0.01, 0.9, 0.9)])
def test_intervals_have_the_level_that_alpha_leaves_unless_one_is_given(judged, alpha, level, shown):
    ranking = rank(judged, measure="AP", alpha=alpha, level=level, resampling=CHANCE)
    scores = rs.evaluate(judged, "AP").matrix("AP")[:, judged.systems.index(ranking.systems[0])]
    low, high = scipy.stats.t.interval(shown, len(scores) - 1, scores.mean(), scipy.stats.sem(scores))
    assert (ranking.lower[0], ranking.upper[0]) == pytest.approx((low, high))
    assert f"{100 * shown:g} % interval" in ranking.table()[0]
    assert ranking.to_dict()["level"] == shown


def test_intervals_beside_a_baseline_agree_with_the_p_values(judged):
    """Bonferroni's intervals exclude 0 just where the dagger is, hold for all at once, and name their level."""
    found = rank(judged, measure="AP", baseline="lexical-2", correction="bonferroni", alpha=0.1, resampling=CHANCE)
    scores = dict(zip(judged.systems, rs.evaluate(judged, "AP").matrix("AP").T, strict=True))
    daggers = []
    for name, ends, p in zip(found.systems, found.against.intervals, found.against.adjusted, strict=True):
        if name == "lexical-2":
            assert ends is None
            continue
        wanted = t_interval(scores["lexical-2"], scores[name], level=1 - 0.1 / 7)
        assert ends == pytest.approx((wanted.lower, wanted.upper))
        assert (ends[0] > 0 or ends[1] < 0) == (p < 0.1)
        daggers.append(p < 0.1)
    assert len(set(daggers)) == 2
    assert "90 % interval of all" in found.table()[0]
    assert "hold for all 7 comparisons at once (Bonferroni)" in found.caption()
    assert found.to_dict()["difference_level"] == 0.9


@pytest.mark.parametrize(("correction", "test"), [("holm", "t"), ("bonferroni", "sign"), ("benjamini-hochberg", "t")])
def test_no_interval_where_none_agrees_with_the_p_values(judged, correction, test):
    found = rank(judged, measure="AP", baseline="lexical-2", correction=correction, test=test, resampling=CHANCE)
    assert found.against.intervals is None
    assert "difference_lower" not in found.columns()
    assert sum("interval" in head for head in found.table()[0]) == 1  # of the mean
    assert "No intervals stand beside the differences from lexical-2" in found.caption()


def test_a_constant_difference_from_the_baseline_has_no_interval():
    table = read_scores({
        "a": {str(t): t / 20 for t in range(9)},
        "b": {str(t): t / 20 + 0.25 for t in range(9)},
        "c": {str(t): t * t / 99 for t in range(9)},
    })  # fmt: skip
    found = rank(table, baseline="a", correction="bonferroni")
    assert [ends is None for ends in found.against.intervals] == [name != "c" for name in found.systems]


def test_monte_carlo_error_is_said_where_it_matters(judged):
    """A pair whose p is near alpha is named; with alpha elsewhere nothing is."""
    found = rank(judged, measure="AP", resampling=CHANCE)
    p = found.pvalues[np.triu_indices(8, 1)]
    near = float(p[(p > 0.01) & (p < 0.9)][0])
    close = rank(judged, measure="AP", resampling=CHANCE, alpha=near)
    i, j = np.argwhere(np.triu(found.pvalues, 1) == near)[0]
    assert (found.systems[i], found.systems[j]) in close.unsettled
    reach = 2.576 * np.sqrt(near * (1 - near) / 2000)
    assert len(close.unsettled) == np.count_nonzero(np.abs(p - near) <= reach)
    assert "more resamples could change groups and places" in close.caption()
    assert close.to_dict()["unsettled"][0] == list(close.unsettled[0])
    levels = np.linspace(0.02, 0.5, 500)[:, None]
    clear = (np.abs(p - levels) > 2.576 * np.sqrt(levels * (1 - levels) / 2000)).all(axis=1)
    alone = rank(judged, measure="AP", resampling=CHANCE, alpha=float(levels[clear][0, 0]))
    assert alone.unsettled == ()
    assert "more resamples" not in alone.caption()


def scattered(spread):
    """Ten variants of one system, and one whose differences from these vary `spread` times as much."""
    rng = np.random.default_rng(5)
    x = rng.random((40, 1)) + rng.normal(0, 0.01, (40, 11))
    x[:, 10] += rng.normal(0, 0.01 * spread, 40)
    return {f"s{i}": {str(t): float(v) for t, v in enumerate(column)} for i, column in enumerate(x.T)}


def test_hsd_warns_where_standard_deviations_are_unequal():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rank(scattered(0), method="hsd", resampling=Resampling(99))
        rank(scattered(20), resampling=Resampling(99))
    with pytest.warns(rs.DataWarning, match=r"(?s)times the standard deviation .* more than 1.5. Randomised HSD"):
        rank(scattered(20), method="hsd", resampling=Resampling(99))


def test_an_unknown_method(judged):
    with pytest.raises(rs.InputError, match="method is one of bootstrap, hsd"):
        rank(judged, method="tukey")


def test_order_of_files_and_workers_do_not_matter(judged):
    qrels, runs = rs.simulation.embedded()
    turned = rs.load(qrels, list(reversed(runs)))
    one = rank(judged, measure="nDCG@10", resampling=CHANCE, workers=1)
    two = rank(turned, measure="nDCG@10", resampling=CHANCE, workers=3)
    assert str(one) == str(two)


def test_scores_and_lists_agree(judged):
    lists = rank(judged, measure="AP", also=["RR"], resampling=CHANCE)
    scores = rank(rs.evaluate(judged, ["AP", "RR"]), measure="AP", also=["RR"], resampling=CHANCE)
    assert str(lists) == str(scores)
    assert lists.also == ("RR(rel=1)",)


def test_judgments_and_runs_by_their_paths(judged):
    qrels, runs = rs.simulation.embedded()
    assert str(rank(qrels, runs, measure="AP", resampling=CHANCE)) == str(rank(judged, measure="AP", resampling=CHANCE))
    with pytest.raises(rs.InputError, match="runs or rules beside lists"):
        rank(judged, runs, measure="AP")


def test_two_equal_systems_share_a_group(judged):
    table = read_scores({"a": {str(t): t / 10 for t in range(9)}, "b": {str(t): t / 10 for t in range(9)}})
    found = rank(table)
    assert found.letters == ("a", "a")
    assert found.pvalues[0, 1] == 1


def test_letters_of_very_many_groups_are_not_shown():
    """A table of hundreds of overlapping groups cannot be read: places stay, and the caption says why."""
    rng = np.random.default_rng(1)
    scores = np.arange(120) / 150 + 0.06 * rng.standard_normal((40, 120))
    names = [f"s{i:03}" for i in range(120)]
    columns = zip(names, np.clip(scores, 0, 1).T.tolist(), strict=True)
    table = read_scores({name: {f"t{t}": score for t, score in enumerate(column)} for name, column in columns})
    ranking = rank(table, resampling=Resampling(199))
    assert ranking.groups > 52
    assert "group" not in ranking.table()[0]
    assert f"group: there are {ranking.groups}, too many to show beyond 52" in ranking.caption()
    assert max(map(len, ranking.to_text("full").splitlines())) <= 80
    assert all(ranking.columns()["group"])
    few = rank(table, systems=names[:5], resampling=Resampling(199))
    assert "group" in few.table()[0]


def test_names_are_escaped():
    table = read_scores({"<script>": {str(t): t / 9 for t in range(9)}, "a_b": {str(t): t / 8 for t in range(9)}})
    found = rank(table)
    assert "<script>" not in found._repr_html_()
    assert r"a\_b" in found.to_latex()


def test_robust_scores_of_all_systems(data):
    """249 topics x 110 systems: the best and the last are in no common group, and groups are family-wise."""
    table = read_scores(data / "score-matrices" / "newbestsub-R04.csv.gz", transposed=True)
    found = rank(table, resampling=Resampling(1000))
    assert len(found.systems) == 110
    assert found.n_topics == 249
    first, last = set(found.letters[0]), set(found.letters[-1])
    assert not first & last
    assert found.best[0] == 1


@pytest.mark.parametrize("method", ["bootstrap", "hsd"])
@pytest.mark.parametrize("baseline", [None, "lexical-2"])
def test_progress_is_told_up_to_the_end_and_changes_no_number(judged, method, baseline):
    """Block by block for all pairs, then system by system for the baseline, for each measure that is tested."""
    settings = {"measure": "AP", "also": ["RR"], "tested": "each", "method": method, "baseline": baseline,
                "resampling": Resampling(9000, 7), "workers": 2}  # fmt: skip
    shares = []
    told = rank(judged, **settings, progress=shares.append)
    assert len(shares) >= (4 if baseline is None else 20)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert told.to_dict() == rank(judged, **settings).to_dict()


@pytest.mark.parametrize("baseline", [None, "lexical-2"])
def test_text_shows_what_the_tests_of_further_measures_say(judged, baseline):
    found = rank(judged, measure="nDCG@10", also=["AP", "RR"], tested="each", baseline=baseline, resampling=CHANCE)
    word = "groups" if baseline is None else "outcomes"
    assert f'to_text("full") shows their {word}.' in " ".join(str(found).split())
    block = found.to_text("full").split("What do other measures say?")[1].split("\n\n")[0]
    rows = {line.split()[1]: line.replace("not shown", "not-shown").split() for line in block.splitlines()[2:10]}
    for m, board in enumerate(found.further):
        for s, name in enumerate(board.systems):
            said = board.letters[s] if baseline is None else board.outcome(s).replace(" ", "-")
            assert rows[name][2 + 2 * m : 4 + 2 * m] == [f"{board.mean[s]:.4f}", said]
            mark = board.letters[s] if baseline is None else "†" * (said in ("better", "worse"))
            assert f"{board.mean[s]:.4f} {mark}".rstrip() in found.to_markdown()
    first = rank(judged, measure="nDCG@10", also=["AP"], resampling=CHANCE)
    assert "shows their" not in str(first)
