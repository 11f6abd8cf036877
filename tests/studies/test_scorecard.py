"""The scorecard: every column is what its study says, differences are tested where they can be."""

import inspect
import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from marks import slow
from scipy.stats import ttest_1samp

import rankscope as rs
from rankscope import InputError, studies
from rankscope.cli import main
from rankscope.errors import speaking
from rankscope.judged import with_topics
from rankscope.preferences import all_pairs
from rankscope.reporting import folders
from rankscope.simulation import embedded
from rankscope.statistics import Resampling, randomised_hsd
from rankscope.statistics.pairs.difference_tests import even_odds
from rankscope.studies import Scorecard, metrics
from rankscope.studies.checkpoints import new_manifest, write_manifest
from rankscope.studies.columns import PARTS, QUICK, MetricDifference
from rankscope.studies.preference_lists import with_depth
from rankscope.universe import features
from rankscope.universe.rankings import Universe

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")  # one topic has no relevant document
METRICS = ["AP", "P@10", "RR"]
CHANCE, SPLITS = Resampling(100, 7), Resampling(40, 7)
DRAWS = {"power": CHANCE, "ties": CHANCE, "consistency": SPLITS, "incompleteness": Resampling(3, 7)}
SOME = [part for part in PARTS if part != "scales"]


@pytest.fixture(scope="module")
def judged():
    qrels, runs = embedded()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        return rs.load(qrels, runs, keep_docs=True)


@pytest.fixture(scope="module")
def found(judged):
    return metrics(judged, measures=METRICS, methods=["sgnLP", "rrLP"], studies=SOME, resampling=DRAWS, workers=1)


@pytest.fixture(scope="module")
def given(judged):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        return studies.material(judged, METRICS, ["sgnLP", "rrLP"])


def test_columns_are_those_of_the_studies(found, given, judged):
    rows = found.rows
    assert rows["candidate"] == ["AP", "P@10", "RR", "sgnLP", "rrLP"]
    assert rows["scale"] == ["neither", "ratio", "neither", None, None]
    assert rows["properties"][2] == "bnd mono loc comp real"
    power = studies.discriminative_power(given, resampling=CHANCE)
    assert rows["power"] == [100 * power.share(name) for name in given.names]
    mean = studies.consistency(given, resampling=SPLITS).mean
    assert rows["consistency"] == [mean[name] for name in given.names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        pools = studies.incompleteness(judged, METRICS, ["sgnLP", "rrLP"], resampling=Resampling(3, 7))
        tied = studies.ties(judged, METRICS, ["sgnLP", "rrLP"])
    np.testing.assert_allclose(rows["incompleteness"], pools.tau.mean(axis=(1, 2, 3)), atol=1e-12)
    np.testing.assert_allclose(rows["tied"], 100 * tied.share, atol=1e-9)
    assert set(found.studied) == {*SOME} - {"scale", "properties", "preference"}


def test_agreement_with_ipso_pair_by_pair(found, given, judged):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        ipso = all_pairs(judged, "ipso", systems=given.systems, depth=10).value
    for name, got in zip(found.candidates, found.rows["ipso"], strict=True):
        one, alike = given.of(name), 0
        for pair, difference in zip(ipso, one.differences(), strict=True):
            mine = even_odds(int((pair > 0).sum()), int((pair < 0).sum())) < 0.05
            if name == "sgnLP":
                other = even_odds(int((difference > 0).sum()), int((difference < 0).sum())) < 0.05
            else:
                other = ttest_1samp(difference, 0.0).pvalue < 0.05
            same_way = (pair > 0).sum() > (pair < 0).sum()
            alike += mine == other and (not mine or same_way == (difference.sum() > 0))
        assert got == pytest.approx(100 * alike / len(ipso)), name


def test_what_is_preferred(found):
    # against both others: the mean of differences of shares, by hand from `features`
    shares = features(["AP", "P@10", "RR"], depth=10)
    early = []
    for a, b in (("AP", "RR"), ("P@10", "RR")):
        row = shares[a, b, "first-rel"]
        early.append(row.percent(row.b_prefers) - row.percent(row.a_prefers))
    assert f"an early hit ({np.mean(early):+.0f})" in found.rows["prefers"][2]
    assert found.rows["prefers"][3] is None


def test_ties_are_those_on_paper(judged):
    # RBP tells any two lists apart that differ somewhere, even by less than doubles to within 1e-12 show; P@10 only
    # their numbers of relevant documents
    found = metrics(judged, measures=["RBP(p=0.1)", "P@10"], methods=[], studies=["ties"], resampling=CHANCE)
    kept = judged.available[:, 1:].sum(axis=1) > 0
    hit = judged.code[:, kept] >= 3
    first, second = np.triu_indices(len(hit), 1)
    same = 100 * (hit[first] == hit[second]).all(axis=-1).mean()
    count = hit[..., :10].sum(axis=-1)
    np.testing.assert_allclose(found.rows["tied"], [same, 100 * (count[first] == count[second]).mean()], atol=1e-9)
    np.testing.assert_allclose(100 * found.studied["ties"].share, found.rows["tied"], atol=1e-9)  # one way to count


def test_differences_are_tested(found, given):
    ties = np.stack([(np.abs(one.differences()) <= 1e-12).mean(axis=0) for one in given.candidates])
    want = randomised_hsd(100 * ties.T, resampling=CHANCE, systems=given.names).columns()
    got = {(d.first, d.second): d for d in found.differences if d.column == "tied"}
    assert all(d.favours == (d.second if d.difference < 0 else d.first) for d in got.values())  # fewer ties are better
    expected = {
        (a, b): (x, p)
        for a, b, x, p in zip(*(want[k] for k in ("first", "second", "difference", "pvalue")), strict=True)
        if p < 0.05
    }
    assert expected.keys() == got.keys()
    for pair, (size, p) in expected.items():
        assert got[pair].difference == pytest.approx(size)
        assert got[pair].pvalue == p
    assert ("AP", "RR") in got
    assert got["AP", "RR"].favours == "AP"
    consistent = studies.consistency(given, resampling=SPLITS).show("differences").rows()
    count = sum(row["significant"] for row in consistent)
    assert count == sum(d.column == "consistency" for d in found.differences)


def card(beyond=(), **columns):
    """A scorecard of these numbers; beyond: pairs that differ in the first column, the better one first."""
    names = [f"m{i}" for i in range(len(next(iter(columns.values()))))]
    column = next(iter(columns))
    found = tuple(
        MetricDifference(column=column, first=b, second=a, difference=1.0, pvalue=0.01, favours=a) for a, b in beyond
    )
    return Scorecard(
        rows={"candidate": names, **columns}, differences=found, studied={}, warnings=(), notes=(), alpha=0.05,
        settings={"n_systems": 12, "n_topics": 50},
    )  # fmt: skip


def test_which_differences_are_significant_is_said():
    """Whoever shares no letter differs; the best comes first."""
    some = card([("m2", "m0"), ("m2", "m3"), ("m1", "m3")], consistency=[0.4, 0.5, 0.9, 0.3])
    assert some.summary() == (
        "consistency: m2 leads (0.900). 3 of 6 differences are significant (p < 0.05 by a jackknife over topics, "
        "Holm). Measures that differ share no letter: m2 a, m1 ab, m0 bc, m3 c."
    )
    assert "No difference is significant (p < 0.05" in card(tied=[1.0, 2.0]).summary()
    assert "All differences are significant" in card([("m0", "m1")], tied=[1.0, 2.0]).summary()
    assert card(tied=[1.0]).summary() == "tied: m0 leads (1.00 %)."


def test_letters_say_what_json_lists(found):
    """Every pair of the text is in the list of differences, and the other way round."""
    told = {(d.column, *sorted((d.first, d.second))) for d in found.differences}
    for column in ("consistency", "tied"):
        line = next(text for text in found.summary().splitlines() if text.startswith(f"{column}:"))
        if "share no letter: " not in line:
            assert any(c == column for c, *_ in told) == ("All differences" in line)
            continue
        marks = dict(one.rsplit(" ", 1) for one in line.split("share no letter: ")[1].rstrip(".").split(", "))
        assert marks.keys() == {*found.candidates}
        for a in marks:
            for b in marks:
                if a < b:
                    assert ((column, a, b) in told) == (not {*marks[a]} & {*marks[b]})


def test_progress_of_the_whole(judged):
    heard = []
    wanted = ("ties", "power", "scale", "consistency")
    metrics(with_topics(judged, range(12)), measures=METRICS, methods=[], studies=wanted, resampling=DRAWS,
              progress=heard.append, workers=1)  # fmt: skip
    assert [one.part for one in heard] == sorted(one.part for one in heard)
    assert [one.part for one in heard if one.done == one.total] == [1, 2, 3, 4]  # each study is heard of to its end
    assert {one.parts for one in heard} == {4}
    assert heard[-1].total_left == 0
    assert str(heard[-1]).startswith("4 of 4, ties: 1 of 1 done (ties)")
    assert any("; in all about" in str(one) for one in heard)


def test_behind_in_every_column():
    found = card(power=[10.0, 20.0, 20.0], tied=[5.0, 5.0, 6.0])
    assert found.behind() == {"m0": {"m1": ()}, "m1": {}, "m2": {"m1": ()}}
    assert (
        "m1: no other measure here did at least as well in every column and better in one. m0, m2: another measure "
        "did. No such difference is significant."
    ) in found.summary()
    # as good everywhere is not behind
    assert card(power=[1.0, 1.0], tied=[2.0, 2.0]).behind() == {"m0": {}, "m1": {}}
    # behind what is not known is nobody
    assert card(power=[1.0, None], tied=[2.0, 1.0]).behind() == {"m0": {}, "m1": {}}


def test_who_is_behind_by_numbers_alone_is_said_so():
    """Point estimates are in order, but only one difference is significant: the sentence tells them apart."""
    found = card([("m1", "m2")], tied=[1.0, 1.1, 9.0], power=[30.0, 29.0, 10.0])
    assert found.behind() == {"m0": {}, "m1": {"m0": ()}, "m2": {"m0": (), "m1": ("tied",)}}
    text = found.summary()
    assert "m1: m0 (significant: none) is at least as good in every column." in text
    assert "m2: m0 (significant: none), m1 (significant: tied) are at least as good in every column." in text
    assert "no better than" not in text
    answer = "m1, m2: another measure did. The significant ones of these differences are all in tied."
    assert answer in " ".join(str(found).split())
    untested = card(power=[20.0, 10.0], ipso=[20.0, 10.0])
    assert "m1: another measure did. These differences have no test here." in " ".join(str(untested).split())


def test_samples_of_one_pool_are_no_replicates(found):
    assert not [d for d in found.differences if d.column == "incompleteness"]
    assert "Differences in incompleteness have no test here: they are means over samples of one pool" in found.summary()


def test_nothing_is_said_on_one_number():
    alone = card(power=[10.0, 20.0])
    assert alone.behind() == {"m0": {}, "m1": {}}
    assert "no other measure" not in alone.summary()
    assert "Differences in power have no test here" in alone.summary()


def test_leaders_that_tie_are_all_named():
    assert card(power=[20.0, 20.0, 1.0]).summary().startswith("power: m0, m1 lead (20.00 %).")


def test_a_column_without_a_leader_is_called_equal():
    lines = str(card(power=[20.0, 20.0], tied=[1.0, 2.0])).splitlines()
    assert "power  % of pairs of systems told apart by a test; all equal" in lines
    assert "tied   % of pairs of lists that it ties; lowest: m0" in lines


def test_warnings(judged, found):
    assert [text.split(" are")[0] for text in found.warnings] == ["8 systems"]
    for text in (str(found), found.to_text("full"), found.summary()):  # the answer is read after it
        assert text.startswith("Caution: 8 systems are few")
    few = metrics(
        with_topics(judged, range(12)), measures=["AP", "RR"], methods=[], studies=["power"], resampling=CHANCE
    )
    assert [text.split(" are")[0] for text in few.warnings] == ["12 topics", "8 systems"]
    many = replace(found, warnings=())
    assert "Caution" not in str(many)


def test_topics_that_one_metric_lacks():
    # relevant from grade 2, B lacks a third of the topics: they count in no column, and 20 are few
    topics = [f"t{i:02d}" for i in range(30)]
    qrels = {t: {"a": 2 if i < 20 else 1, "b": 1, "c": 0} for i, t in enumerate(topics)}
    # on the first 20 topics IPSO has 10 for each, on all 30 it has 20 against 10: p = 0.099
    runs = {
        "x": {t: {"c": 2.0, "a": 1.0} if i % 2 and i < 20 else {"a": 2.0, "c": 1.0} for i, t in enumerate(topics)},
        "y": {t: {"a": 2.0, "c": 1.0} if i % 2 and i < 20 else {"c": 2.0, "a": 1.0} for i, t in enumerate(topics)},
    }
    judged = rs.load(qrels, runs)
    wide = metrics(judged, measures=["RR"], methods=[], studies=["agreement"], alpha=0.2)
    assert (wide.settings["n_topics"], wide.rows["ipso"]) == (30, [100.0])
    found = metrics(judged, measures=["RR", "RR(rel=2)"], methods=[], studies=["agreement"], alpha=0.2)
    assert (found.settings["n_topics"], found.rows["ipso"]) == (20, [100.0, 100.0])
    assert [text.split(" are")[0] for text in found.warnings] == ["20 topics", "2 systems"]


def test_an_iterator_of_metrics(judged):
    part = with_topics(judged, range(12))
    wanted = {
        "studies": ["power", "incompleteness", "ties"],
        "resampling": DRAWS | {"incompleteness": Resampling(1, 7)},
    }
    assert (
        metrics(part, measures=iter(METRICS), methods=[], **wanted).to_dict()
        == metrics(part, measures=METRICS, methods=[], **wanted).to_dict()
    )


def test_one_measure_by_two_names(judged):
    found = metrics(judged, measures={"one": "AP", "two": "AP"}, methods=[], studies="preference")
    assert found.rows["prefers"] == [None, None]


def test_a_folder_of_other_files_is_refused(judged, tmp_path):
    (tmp_path / "thesis.tex").write_text("do not touch")
    with pytest.raises(InputError, match=r"holds thesis\.tex, which no scorecard wrote"):
        metrics(judged, measures=METRICS, methods=[], studies=["power"], resampling=CHANCE, checkpoints=tmp_path)
    with pytest.raises(InputError, match="is a file"):
        metrics(
            judged,
            measures=METRICS,
            methods=[],
            studies=["power"],
            resampling=CHANCE,
            checkpoints=tmp_path / "thesis.tex",
        )
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_shapes(found):
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["scorecard"][0]["candidate"] == "AP"
    assert plain["behind"].keys() == {*found.candidates}
    assert found.to_frame().height == 5
    assert found.to_markdown().startswith("| candidate | scale")
    assert "\n- consistency: " in found.to_markdown()  # what was found comes along
    order = "counts of documents at every grade threshold (1, 2, 3), to depth 10, whatever cutoff"
    assert order in found.show().caption
    assert found.to_markdown("differences").startswith("| column | first | second |")
    assert r"P@10 & ratio" in found.to_latex()
    for word in ("power:", "incompleteness:", "ipso:", "prefers:", "100 permutations", "40 splits", "3 samples"):
        assert word in " ".join(found.to_text("full").split())


def test_workers_and_checkpoints(judged, tmp_path):
    part = with_topics(judged, range(20))
    wanted = ["power", "consistency", "incompleteness", "ties"]

    def run(**more):
        few = DRAWS | {"incompleteness": Resampling(2, 7)}
        return metrics(part, measures=METRICS, methods=["sgnLP"], studies=wanted, resampling=few, **more)

    one = run(workers=1)
    for workers in (2, 4):
        assert run(workers=workers).to_dict() == one.to_dict()

    def stop(progress):
        if progress.study == "incompleteness":
            raise KeyboardInterrupt

    with pytest.raises(studies.Interrupted, match="incompleteness stopped after 1 of") as stopped:
        run(checkpoints=tmp_path / "kept", progress=stop)
    partial = stopped.value.partial
    assert partial.rows == {name: one.rows[name] for name in ("candidate", "power", "consistency")}
    assert partial.differences == tuple(d for d in one.differences if d.column == "consistency")
    assert "Caution: stopped before incompleteness, ties were done." in str(partial)
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {
        "study.json", "power", "consistency", "incompleteness",
    }  # fmt: skip
    assert run(checkpoints=tmp_path / "kept").to_dict() == one.to_dict()
    with pytest.raises(InputError, match="another study's checkpoint"):
        metrics(part, measures=["AP"], methods=[], studies=["power"], resampling=CHANCE, checkpoints=tmp_path / "kept")
    with pytest.raises(InputError, match="checkpoints of one study"):
        metrics(
            part,
            measures=["AP"],
            methods=[],
            studies=["power"],
            resampling=CHANCE,
            checkpoints=tmp_path / "kept" / "power",
        )


def test_one_note_a_call(judged):
    with pytest.warns(rs.DataWarning) as said:
        found = metrics(judged, measures=["AP", "RR"], studies=["power", "ties", "agreement"], resampling=CHANCE)
    assert [str(one.message) for one in said] == ["topics without relevant documents or lists, left out: 1 of 50"]
    assert found.notes


def test_depth_of_ipso_is_that_of_short_lists(judged):
    """The caption says the depth at which systems were compared, not one that no list reaches."""
    scorecard = metrics(with_depth(judged, 4), measures="P@4", methods=[], studies="agreement", workers=1)
    assert scorecard.studied["agreement"].depths == (4,)
    assert "to depth 4, whatever" in scorecard.show().caption


def test_preferences_score_all_rankings_once(judged, monkeypatch):
    scored = []

    def exact_scores(universe, measure, *, method=Universe.exact_scores):
        scored.append(str(measure))
        return method(universe, measure)

    monkeypatch.setattr(Universe, "exact_scores", exact_scores)
    metrics(judged, measures=METRICS, methods=[], studies="preference", workers=1)
    assert sorted(scored) == sorted(METRICS)


def test_bad_input(judged):
    with pytest.raises(InputError, match="did you mean consistency"):
        metrics(judged, measures=METRICS, studies=["consistancy"])
    with pytest.raises(InputError, match="no studies"):
        metrics(judged, measures=METRICS, studies=[])
    with pytest.raises(InputError, match="too few to split"):
        metrics(with_topics(judged, range(3)), measures=METRICS, methods=[], studies=["consistency"], resampling=CHANCE)
    with pytest.raises(InputError, match="keep_docs=True"):
        metrics(replace(judged, documents=None), measures=METRICS, studies=["incompleteness"])
    with pytest.raises(InputError, match="depth is a whole number from 1"):
        metrics(judged, measures=METRICS, depth=0)
    with pytest.raises(InputError, match="alpha"):
        metrics(judged, measures=METRICS, alpha=0)
    assert set(QUICK) < set(PARTS)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_a_collections_threshold_changes_no_metric():
    """Scale, properties and preferences are those of the metric, from whatever grade documents are relevant here."""
    parts = ("scale", "properties", "preference")
    one, two = (
        metrics(rs.load(*embedded(), rel=rel), measures=["AP", "RR", "DCG@10"], studies=parts).rows for rel in (1, 2)
    )
    for column in ("scale", "properties", "prefers"):
        assert one[column] == two[column]
        assert not {None, "-"} & set(two[column][:3])  # methods without a metric come after these


def random_settings(rng):
    """Arguments of `metrics`, rules of loading, and the depth to which lists are loaded, drawn at random."""

    def one_of(*values):
        return values[rng.integers(len(values))]

    several = ["AP", "RR", "P@10", "nDCG@10", "RBP(p=0.8)", "AP(rel=2)"]
    measures = rng.permutation(several)[: rng.integers(1, 4)].tolist()
    labels = dict(zip("xyz", measures, strict=False))
    arguments = {
        "measures": one_of(measures, measures, labels),
        "methods": one_of(["sgnLP"], ["rrLP", "ipso"], []),
        "studies": rng.permutation(PARTS)[: rng.integers(1, 6)].tolist(),
        "depth": one_of(None, 2, 15),
        "alpha": one_of(0.05, 0.01, 0.3),
        "level": one_of(None, 0.8),
        "resampling": {
            "incompleteness": Resampling(1, int(rng.integers(9))),
            **{part: Resampling(int(rng.integers(20, 60)), int(rng.integers(9))) for part in DRAWS if part[0] != "i"},
        },
    }
    rules = {
        "ties": one_of("trec", "rank", "best"), "score_dtype": one_of("float64", "float32"), "rel": one_of(None, 2),
        "missing": one_of("zero", "drop"), "undefined": one_of("drop", "zero"), "names": one_of("file", "path"),
        "unjudged": one_of("keep", "keep", "condensed"),
    }  # fmt: skip
    return arguments, rules, one_of(arguments["depth"], 20)


def test_random_settings_are_all_settings():
    """Whatever `metrics` and `load` take that can change a number is varied."""
    arguments, rules, _ = random_settings(np.random.default_rng(0))
    execution = {"source", "runs", "checkpoints", "progress", "workers", "client", "rules"}
    assert {*inspect.signature(metrics).parameters} == {*arguments} | execution
    other = {"qrels", "runs", "workers", "client", "done", "keep_docs", "keep_ties", "run_format", "qrels_format",
             "columns"}  # fmt: skip
    assert {*inspect.signature(rs.load).parameters} == {*rules} | other | {"depth", "duplicates"}
    assert {*arguments["resampling"]} == {*DRAWS}
    drawn = [random_settings(np.random.default_rng(seed))[0]["studies"] for seed in range(12)]
    assert {part for parts in drawn for part in parts} == {*PARTS}


@pytest.mark.parametrize("seed", [*slow(0, 2, 6), 1, 3, 4, 5, *range(7, 12)])
def test_the_folder_gives_the_same_scorecard(seed, tmp_path):
    """Whatever the settings, and though lists are read whole the second time."""
    arguments, rules, list_depth = random_settings(np.random.default_rng(seed))
    keep_docs = "incompleteness" in arguments["studies"]
    lists = rs.load(*embedded(), **rules, depth=list_depth, keep_docs=keep_docs)
    card = metrics(lists, **arguments, checkpoints=tmp_path, workers=1)
    again = studies.scorecard_from(tmp_path, rs.load(*embedded(), **rules, keep_docs=True), workers=2)
    assert str(again) == str(card)
    assert again.to_dict() == card.to_dict()
    assert {name: study.to_dict() for name, study in again.studied.items()} == {
        name: study.to_dict() for name, study in card.studied.items()
    }


@pytest.mark.parametrize("seed", range(4))
def test_the_page_shows_what_the_command_prints(seed, tmp_path, capsys):
    arguments, rules, _ = random_settings(np.random.default_rng(100 + seed))
    draws, folder = arguments["resampling"], tmp_path / "kept"
    options = [
        "-m", *(arguments["measures"].values() if isinstance(arguments["measures"], dict) else arguments["measures"]),
        "--methods", *arguments["methods"], "--studies", *arguments["studies"],
        "--resamples", draws["power"].resamples, "--splits", draws["consistency"].resamples, "--samples", 1,
        "--seed", draws["power"].seed, "--alpha", arguments["alpha"], "--workers", 1, "--checkpoint", folder,
    ]  # fmt: skip
    for name, value in {**rules, "depth": arguments["depth"], "level": arguments["level"]}.items():
        options += [] if value is None else [f"--{name.replace('_', '-')}", value]
    qrels, runs = embedded()
    assert main(["metrics", str(qrels), *map(str, runs), *map(str, options)]) == 0
    card = folders.from_folder(folder, rs.load(qrels, runs, **rules, keep_docs=True, keep_ties=True))
    with speaking({}):
        assert capsys.readouterr().out.startswith(f"{card}\n")


def test_the_folder_follows_the_last_call(judged, tmp_path):
    """Columns may be added; the collection and the settings of a column stay."""
    wanted = {"measures": "AP", "methods": [], "checkpoints": tmp_path}
    first = metrics(judged, **wanted, studies=["power", "scale"], resampling=CHANCE)
    assert str(studies.scorecard_from(tmp_path, judged)) == str(first)
    (tmp_path / "study.json.77.part").write_text("killed while writing")
    wanted |= {"studies": ["ties", "power"], "resampling": {"power": CHANCE, "ties": SPLITS}}
    both = metrics(judged, **wanted)
    assert str(studies.scorecard_from(tmp_path, judged)) == str(both)
    for wrong, sentence in (
        ({"resampling": {"power": SPLITS}}, "resamples of power is 100 there, 40 here"),
        ({"measures": "RR"}, "measures is"),
        ({"depth": np.int64(3)}, "depth is null there, 3 here"),
    ):
        with pytest.raises(InputError, match=sentence):
            metrics(judged, **{**wanted, **wrong})
    with pytest.raises(InputError, match="rules is"):
        studies.scorecard_from(tmp_path, rs.load(*embedded(), ties="best"))
    assert str(studies.scorecard_from(tmp_path, judged)) == str(both)
    write_manifest(tmp_path, new_manifest("scorecard", {}))
    with pytest.raises(InputError, match="is no manifest of a scorecard"):
        studies.scorecard_from(tmp_path, judged)


def test_paths_instead_of_lists(judged):
    wanted = {"measures": ["AP", "RR"], "methods": [], "studies": ["power", "agreement"], "resampling": CHANCE}
    by_path, by_lists = metrics(*embedded(), **wanted), metrics(judged, **wanted)
    assert by_path.to_dict() == by_lists.to_dict()
    assert metrics is rs.metrics
    with pytest.raises(InputError, match="runs or rules beside lists"):
        metrics(judged, embedded()[1], **wanted)
    with pytest.raises(InputError, match=r"no runs(.|\n)*give judgments and runs, by their paths"):
        metrics(embedded()[0], **wanted)
    rules = {"ties": "rank", "rel": 2, "missing": "drop", "undefined": "zero", "names": "path"}
    by_lists = metrics(rs.load(*embedded(), **rules), **wanted)
    assert metrics(*embedded(), **wanted, **rules).to_dict() == by_lists.to_dict()
    with pytest.raises(InputError, match="runs or rules beside lists"):
        metrics(judged, **wanted, ties="rank")
    with pytest.raises(InputError, match=r"no measure(.|\n)*no runs\n4 problems"):
        metrics(embedded()[0], measures="nonsense", methods="nonsense", alpha=2)


def test_the_level_of_intervals(judged):
    def intervals(**more):
        study = metrics(judged, measures=["AP", "RR"], methods=[], studies="similarity", **more).studied["similarity"]
        return study.level

    assert intervals() == 0.95
    assert intervals(alpha=0.2) == 0.8
    assert intervals(alpha=0.2, level=0.9) == 0.9


def test_depth_of_lists_in_memory_is_that_of_loading(judged):
    """Measures that have no cutoff of their own, and deeper ones, see lists of the same depth either way."""
    wanted = {"measures": ["Rprec", "AP", "nDCG@10"], "studies": ["ties", "agreement"], "depth": 3}
    in_memory, from_files = metrics(judged, **wanted), metrics(*embedded(), **wanted)
    assert in_memory.rows == from_files.rows
    assert in_memory.settings["loaded_depth"] == 3
    assert in_memory.rows["tied"] == pytest.approx((100 * in_memory.studied["ties"].share).tolist())
