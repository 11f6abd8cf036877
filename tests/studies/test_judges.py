"""Judges against a reference: golden values of TREC 2019 Deep Learning, and what must hold of any judges."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import embedded_judges
from rankscope.statistics import Resampling, tau_ap
from rankscope.statistics.rater_agreement import krippendorff_alpha
from rankscope.studies import judges
from rankscope.studies.judge_scorecard import OUTCOMES
from rankscope.studies.judges import monotone_mapping

GOLDEN = {e["id"]: e for e in json.loads((Path(__file__).parents[1] / "golden" / "judges.json").read_text())["entries"]}
JUDGES = [e["inputs"]["judge"] for e in GOLDEN.values() if e["kind"] == "agreement" and e["id"] != "agreement_A_B"]
FEW = Resampling(20)
RULES = {"zero": "zero", "own_topics": "drop"}


@pytest.fixture(scope="module")
def official(data):
    """The official judgments and all judges, by the rule for topics without relevant documents."""
    folder = data / "dl19-passage"
    if not (data / "dl19-judges").is_dir():
        pytest.skip("dl19-judges is not here")
    with pytest.warns(rs.DataWarning):
        return {
            rule: judges(
                folder / "qrels.gz", folder / "runs", [data / "dl19-judges", folder / "qrels-reannotated"],
                humans=["assessor-A", "assessor-B"], undefined=undefined, resampling=FEW,
            )
            for rule, undefined in RULES.items()
        }  # fmt: skip


@pytest.mark.parametrize("judge", [*JUDGES, "A_B"])
def test_golden_agreement(official, judge):
    study = official["zero"]
    row = study.ceiling[0] if judge == "A_B" else study.row(judge)
    expected, found = GOLDEN[f"agreement_{judge}"]["expected"], row.agreement
    for name in (
        "exact",
        "kappa",
        "kappa_linear",
        "kappa_quadratic",
        "alpha_nominal",
        "alpha_ordinal",
        "alpha_interval",
    ):
        assert getattr(found, name) == pytest.approx(expected[name], abs=1e-9), name
    assert (found.pairs, found.only_reference, found.only_judge) == (
        expected["common_pairs"], expected["only_reference"], expected["only_judge"],
    )  # fmt: skip
    assert found.mean_reference == pytest.approx(expected["grade_mean_reference"], abs=1e-9)
    assert found.mean_judge == pytest.approx(expected["grade_mean_judge"], abs=1e-9)
    if "confusion" in expected:
        counts = found.confusion
        assert (list(counts.reference), list(counts.judge)) == (
            expected["confusion"]["reference"], expected["confusion"]["judge"],
        )  # fmt: skip
        assert [list(row) for row in counts.counts] == expected["confusion"]["counts"]
    for name in ("binary_1", "binary_2"):
        if name in expected:
            _check_binary(found.confusion, expected[name])


def _check_binary(confusion, expected):
    """Agreement on two classes, from the table of grades."""
    from rankscope.statistics.rater_agreement import kappas

    above = expected["judge_from"]
    rows = np.array(confusion.reference) >= expected["reference_from"]
    columns = np.array(confusion.judge) > 0 if above == "above 0" else np.array(confusion.judge) >= above
    counts = np.array(confusion.counts)
    table = np.array([[counts[np.ix_(rows == r, columns == c)].sum() for c in (False, True)] for r in (False, True)])
    assert table.tolist() == expected["confusion"]
    two = np.array([0.0, 1.0])
    kappa = np.nan if expected["kappa"] is None else expected["kappa"]
    assert kappas(table[None], two, two, "none")[0] == pytest.approx(kappa, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("judge", [*JUDGES, "A_B"])
def test_golden_leaderboards_and_verdicts(official, judge, rule):
    study, entry = official[rule], GOLDEN[f"leaderboard_{judge}"]["expected"]
    if rule not in entry:
        pytest.skip("no golden values of this rule")
    expected = entry["zero"] if entry[rule] == "same" else entry[rule]
    row = study.ceiling[0] if judge == "A_B" else study.row(judge)
    assert row.tau == pytest.approx(expected["tau_b"], abs=1e-9)
    if expected["tau_ap"] is not None:
        assert row.tau_ap == pytest.approx(expected["tau_ap"], abs=1e-9)
    assert row.tau_top == pytest.approx(expected["tau_b_of_reference_top_10"], abs=1e-9)
    for name in ("kept", "lost", "reversed", "invented", "neither"):
        assert getattr(row.fidelity, name) == expected[name], name
    shown = row.fidelity.shown, row.fidelity.kept + row.fidelity.reversed + row.fidelity.invented
    assert shown == (expected["significant_reference"], expected["significant_judge"])
    assert row.n_topics == expected["topics_judge"]
    if judge != "A_B":
        swapped = tau_ap(study.means["qrels"], study.means[judge]).a_swapped
        assert expected["tau_ap_swapped"] in (None, pytest.approx(swapped, abs=1e-9))
        pairs = list(combinations(study.systems, 2))
        turned = {frozenset(p) for p, o in zip(pairs, study.outcomes[judge], strict=True) if OUTCOMES[o] == "reversed"}
        assert turned == {frozenset(pair[:2]) for pair in expected["reversed_pairs"]}
    if rule == "zero" and judge != "A_B":
        means = dict(zip(study.systems, study.means[judge], strict=True))
        assert means == pytest.approx(entry["means"], abs=1e-9)


def test_golden_reference_and_all_judges_together(official):
    study = official["zero"]
    expected = GOLDEN["official"]["expected"]
    assert (study.n_topics, study.shown) == (expected["topics"], expected["significant_pairs"])
    means = dict(zip(study.systems, study.means["qrels"], strict=True))
    assert means == pytest.approx(expected["means"], abs=1e-9)
    people = GOLDEN["agreement_many_humans"]["expected"]
    joint = study.joint[1]
    assert (joint.nominal, joint.ordinal, joint.interval) == pytest.approx(
        [people[f"alpha_{scale}"] for scale in ("nominal", "ordinal", "interval")], abs=1e-9
    )


def test_golden_alpha_of_models_on_one_scale(data):
    entry = GOLDEN["agreement_many_graded_0_3"]
    folder = data / "dl19-passage"
    names = [name for name in entry["inputs"]["judges"] if name != "official"]
    files = {name: data / "dl19-judges" / f"{name}.gz" for name in names}
    run = {"19335": {"1017759": 1.0}}
    with pytest.warns(rs.DataWarning, match="missing from runs"):
        loaded = rs.load_judges(folder / "qrels.gz", run, files)
    for scale in ("nominal", "ordinal", "interval"):
        alpha = krippendorff_alpha(loaded.grade, variant=scale).statistic
        assert alpha == pytest.approx(entry["expected"][f"alpha_{scale}"], abs=1e-9)


# any judges


@pytest.fixture(scope="module")
def simulated():
    qrels, runs = embedded()
    return judges(qrels, runs, embedded_judges(), resampling=FEW)


def test_a_judge_against_itself_is_perfect():
    qrels, runs = embedded()
    row = judges(qrels, runs, {"again": qrels}, resampling=FEW).row("again")
    agreement = row.agreement
    assert [agreement.exact, agreement.kappa, agreement.kappa_quadratic, agreement.alpha_ordinal] == [1, 1, 1, 1]
    assert [row.tau, row.tau_ap, row.tau_top] == pytest.approx([1, 1, 1])
    assert (row.fidelity.lost, row.fidelity.reversed, row.fidelity.invented) == (0, 0, 0)
    assert agreement.leniency == 0


def test_the_order_of_judges_changes_nothing(simulated):
    qrels, runs = embedded()
    others = embedded_judges()
    again = judges(qrels, runs, {name: others[name] for name in reversed(others)}, resampling=FEW)
    for name in others:
        assert simulated.row(name) == again.row(name)
    assert simulated.panels == again.panels


@pytest.mark.filterwarnings("ignore:judges with other grades")
def test_monotone_relabelling_keeps_leaderboards_of_binary_measures():
    qrels, runs = embedded()
    others = embedded_judges()["lenient"]
    stretched = {t: {d: {0: 0, 1: 1, 2: 5, 3: 7.5}.get(g, 9) for d, g in docs.items()} for t, docs in others.items()}
    study = judges(qrels, runs, {"as it is": others, "stretched": stretched}, measure="AP", resampling=FEW)
    first, second = study.row("as it is"), study.row("stretched")
    assert (first.tau, first.tau_ap, first.fidelity) == (second.tau, second.tau_ap, second.fidelity)


def test_family_wise_verdicts_are_fewer():
    qrels, runs = embedded()
    alone, family = (judges(qrels, runs, embedded_judges(), family_wise=f, resampling=Resampling(200))
                     for f in (False, True))  # fmt: skip
    assert 0 < family.shown <= alone.shown


def test_a_judge_that_favours_a_group_is_seen():
    from rankscope.simulation import another_judge, simulate

    collection = simulate(n_topics=50, families={"own": (1.0, 1.0), "other": (1.0, 1.0)}, seed=5)
    liked = {topic: set(list(docs)[:10]) for topic, docs in collection.runs["own-1"].items()}
    fair = another_judge(collection.judgments, overrate=0.1, underrate=0.1, seed=1)
    biased = another_judge(collection.judgments, overrate=0.1, underrate=0.1, favoured=liked, favour=0.5, seed=2)
    study = judges(collection.judgments, collection.runs, {"fair": fair, "biased": biased}, resampling=FEW,
                   groups={"own": ["own-1", "own-2"]})  # fmt: skip
    by_judge = {row.judge: row for row in study.groups}
    assert by_judge["biased"].pvalue_adjusted < 0.01 < by_judge["fair"].pvalue_adjusted
    assert by_judge["biased"].difference > 0
    assert "biased favours own" in str(study)


def test_mapping_has_the_highest_kappa_of_all_that_never_fall():
    from itertools import combinations_with_replacement

    from rankscope.statistics.rater_agreement import kappas

    rng = np.random.default_rng(2)
    reference = np.array([0.0, 1.0, 3.0])

    def kappa(counts, path):
        mapped = np.zeros((3, 3), np.int64)
        for column, k in enumerate(path):
            mapped[:, k] += counts[:, column]
        return kappas(mapped[None], reference, reference, "quadratic")[0]

    for _ in range(30):
        counts = rng.integers(0, 20, (3, 5))
        counts[:, 0] += 1
        best = max(kappa(counts, path) for path in combinations_with_replacement(range(3), 5))
        ours = [reference.tolist().index(grade) for grade in monotone_mapping(counts, reference)]
        assert kappa(counts, ours) == pytest.approx(best, abs=1e-12)


def test_forms(simulated):
    assert simulated.columns()["judge"][:3] == ["strict", "lenient", "careless"]
    assert "reversed" in simulated.to_latex()
    assert "| judge |" in simulated.to_markdown()
    assert simulated.to_frame().height == len(simulated.judges)
    assert json.dumps(rs.results.finite(simulated.to_dict()))
    short = str(simulated)
    assert short.count("\n") < 24
    assert max(map(len, short.splitlines())) <= 80
    for title in ("Which verdicts of qrels would another judge keep?", "Would the leaderboard be the same?"):
        assert title in simulated.to_text("full")


def test_panels_by_hand():
    """Three judges, of whom two show a difference: a panel of one keeps it in 2 of 3, a panel of three always."""
    from rankscope.studies.judges import _more_than_half

    assert _more_than_half(np.array([2]), 3, 1)[0] == pytest.approx(2 / 3)
    assert _more_than_half(np.array([2]), 3, 3)[0] == 1
    assert _more_than_half(np.array([1]), 3, 3)[0] == 0


def test_a_tau_of_one_has_an_interval_or_says_that_it_has_none():
    """Fisher's transformation ends there, and 1.00 to 1.00 would say more than the samples do."""
    qrels, runs = embedded()
    study = rs.studies.judges(rs.load_judges(qrels, runs, {**embedded_judges(), "again": qrels}))
    rows = {row.judge: row for row in study.judges}
    assert rows["lenient"].tau == 1
    lower, upper = rows["lenient"].intervals["tau"]
    assert 0.5 < lower < 1
    assert upper == 1
    assert rows["again"].tau == 1
    assert np.isnan(rows["again"].intervals["tau"]).all()  # the same order in every sample
    assert "A tau of 1 has no interval (-) where 97.5 % of the samples" in " ".join(study.to_text("full").split())
    cells = study.columns()
    assert np.isnan(cells["tau_lower"][cells["judge"].index("again")])
