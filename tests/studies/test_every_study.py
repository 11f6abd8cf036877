"""What all studies share: material, tables, checkpoints, progress, stopping and going on."""

import inspect
import json
import os
import signal
import subprocess
import sys
import textwrap
from itertools import pairwise

import numpy as np
import pytest

import rankscope as rs
from rankscope import InputError, studies
from rankscope.statistics import Resampling
from rankscope.studies.candidates import material
from rankscope.studies.checkpoints import MANIFEST, Checkpoints
from rankscope.studies.runner import Run, shaped

rng = np.random.default_rng(11)
SYSTEMS, TOPICS = [f"s{i}" for i in range(6)], [f"t{i}" for i in range(12)]


def scores(seed, spread=1.0):
    """{system: {topic: score}} of one metric."""
    value = np.random.default_rng(seed).random((6, 12)) + spread * np.arange(6)[:, None] / 10
    return {s: {t: float(value[i, j]) for j, t in enumerate(TOPICS)} for i, s in enumerate(SYSTEMS)}


SOURCE = {"M1": scores(1), "M2": scores(2), "M3": scores(3), "M4": scores(4)}
QRELS = {f"q{t}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 12))} for t in range(10)}
RUNS = {
    f"r{s}": {q: {f"d{d}": float(x) for d, x in enumerate(rng.permutation(12)[:8])} for q in QRELS} for s in range(5)
}


@pytest.fixture(scope="module")
def judged():
    return rs.load(QRELS, RUNS)


def quick(source=SOURCE, **more):
    """Each study, with few resamples."""
    resampling = Resampling(60, 5)
    return {
        "similarity": lambda **k: studies.similarity(source, resampling=resampling, **more, **k),
        "consistency": lambda **k: studies.consistency(source, resampling=resampling, **more, **k),
        "power": lambda **k: studies.discriminative_power(
            source, resampling=resampling, tests=["randomised-hsd", "bootstrap", "t", "sign", "tukey"], **more, **k
        ),
    }


STUDIES = sorted(quick())


@pytest.mark.parametrize("name", STUDIES)
def test_one_two_and_four_workers(name):
    one, two, four = (quick()[name](workers=w).to_dict() for w in (1, 2, 4))
    assert one == two == four


@pytest.mark.parametrize("name", STUDIES)
def test_every_order_of_systems_and_topics(name):
    mixed = {
        metric: {s: dict(reversed(topics.items())) for s, topics in reversed(table.items())}
        for metric, table in SOURCE.items()
    }
    assert quick()[name]().to_dict() == quick(mixed)[name]().to_dict()


@pytest.mark.parametrize("name", STUDIES)
def test_results_show_themselves(name):
    found = quick()[name]()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["study"] == found.name
    for table, rows in plain["tables"].items():
        assert found.to_frame(table).to_dicts() == found.show(table).rows()
        assert len(rows) == found.to_frame(table).height
        header = next(iter(found.columns(table)))
        assert header in found.to_markdown(table)
        assert r"\toprule" in found.to_latex(table)
    for columns in found.figures().values():
        assert len({len(column) for column in columns.values()}) == 1
    assert " ".join(str(found).split()).startswith(" ".join(found.summary().split()))  # findings first
    assert "<table>" in found._repr_html_()
    with pytest.raises(InputError, match=r"has no table 'nothing'(.|\n)*tables are"):
        found.to_frame("nothing")


@pytest.mark.parametrize("name", STUDIES)
def test_progress(name):
    heard = []
    quick()[name](progress=heard.append, workers=1)
    assert [(p.unit, p.done, p.total) for p in heard] == [(f"M{i}", i, 4) for i in range(1, 5)]
    assert all(a.elapsed <= b.elapsed for a, b in pairwise(heard))
    assert all(p.left is not None and p.left >= 0 for p in heard)
    assert heard[-1].left == 0
    assert "1 of 4 done (M1), " in str(heard[0])
    assert str(heard[0]).endswith("left")


# stopping and going on


@pytest.mark.parametrize("name", STUDIES)
def test_going_on_gives_the_same_bits(name, tmp_path):
    whole = quick()[name]().to_dict()
    folder = tmp_path / "kept"
    assert quick()[name](checkpoints=folder).to_dict() == whole
    files = sorted(folder.iterdir())
    assert len(files) == 5
    files[1].unlink()
    files[2].write_bytes(files[2].read_bytes()[:100])  # cut short, as after a power failure
    (folder / "x.part").write_bytes(b"begun")
    before = files[3].stat().st_mtime_ns
    heard = []
    assert quick()[name](checkpoints=folder, progress=heard.append).to_dict() == whole
    assert files[3].stat().st_mtime_ns == before  # what was whole is not done again
    assert len([f for f in folder.iterdir() if f.suffix == ".npz"]) == 4


@pytest.mark.parametrize("name", STUDIES)
def test_control_c_leaves_a_result(name, tmp_path):
    def stop(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    folder = tmp_path / "kept"
    with pytest.raises(studies.Interrupted, match="stopped after 2 of 4 units; the units done are in") as caught:
        quick()[name](progress=stop, checkpoints=folder, workers=1)
    partial = caught.value.partial
    assert partial.candidates == ("M1", "M2")
    two = {metric: SOURCE[metric] for metric in ("M1", "M2")}
    assert partial.to_dict()["tables"] == quick(two)[name]().to_dict()["tables"]
    assert quick()[name](checkpoints=folder).to_dict() == quick()[name]().to_dict()


def test_control_c_before_anything_was_done():
    def work(unit, workers):
        raise KeyboardInterrupt

    with pytest.raises(studies.Interrupted) as caught:
        Run(workers=1).conduct("s", ["u"], work, dict, settings={}, fits=shaped())
    assert caught.value.partial is None


CHILD = """
    import json, sys, time
    from rankscope import studies
    from rankscope.statistics import Resampling

    def tell(progress):
        print(progress.done, flush=True)
        time.sleep(1.0)

    source = json.load(open(sys.argv[1]))
    studies.discriminative_power(
        source, resampling=Resampling(60, 5), tests=["randomised-hsd", "bootstrap", "t", "sign", "tukey"],
        checkpoints=sys.argv[2], progress=tell, workers=1,
    )
"""


def test_a_killed_study_goes_on(tmp_path):
    given, folder = tmp_path / "scores.json", tmp_path / "kept"
    given.write_text(json.dumps(SOURCE))
    arguments = [sys.executable, "-c", textwrap.dedent(CHILD), str(given), str(folder)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as child:
        assert [child.stdout.readline() for _ in range(2)] == ["1\n", "2\n"]
        os.kill(child.pid, signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    kept = sorted(path.name for path in folder.glob("*.npz"))
    assert 2 <= len(kept) < 4
    times = {path: path.stat().st_mtime_ns for path in folder.glob("*.npz")}
    heard = []
    found = quick()["power"](checkpoints=folder, progress=heard.append)
    assert found.to_dict() == quick()["power"]().to_dict()
    assert all(path.stat().st_mtime_ns == at for path, at in times.items())
    assert heard[0].left is None  # taken from the folder: no time to tell by


# bad input


def everything(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_another_study_is_refused(tmp_path):
    folder = tmp_path / "kept"
    quick()["consistency"](checkpoints=folder)
    before = everything(folder)
    with pytest.raises(InputError, match=r'checkpoint: study is "consistency" there(.|\n)*name another'):
        quick()["power"](checkpoints=folder)
    with pytest.raises(InputError, match="resamples is 60 there, 61 here"):
        studies.consistency(SOURCE, resampling=Resampling(61, 5), checkpoints=folder)
    with pytest.raises(InputError, match="data is"):
        quick(SOURCE | {"M4": scores(5)})["consistency"](checkpoints=folder)
    assert everything(folder) == before


def test_a_folder_of_other_files_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("do not touch")
    with pytest.raises(InputError, match="holds 1 file and no study"):
        quick()["power"](checkpoints=tmp_path)
    assert everything(tmp_path) == {"thesis.tex": b"do not touch"}
    with pytest.raises(InputError, match="is a file"):
        quick()["power"](checkpoints=tmp_path / "thesis.tex")
    with pytest.raises(InputError, match="cannot be written"):
        quick()["power"](checkpoints=tmp_path / "thesis.tex" / "below")
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(InputError, match="holds 1 file and no study"):
        quick()["power"](checkpoints=tmp_path)


def test_units_with_odd_names(tmp_path):
    units = ['CWLA(model="RBP(p=0.8)")@10', "a/../b", "a?b"]
    kept = Checkpoints.open(tmp_path / "kept", "s", {"x": (1, 2)}, units)
    for number, unit in enumerate(units):
        assert kept.get(unit) is None
        kept.put(unit, {"value": np.array([number, np.nan, 0.1 + 0.2])})
    again = Checkpoints.open(tmp_path / "kept", "s", {"x": (1, 2)}, units)
    for number, unit in enumerate(units):
        np.testing.assert_array_equal(again.get(unit)["value"], [number, np.nan, 0.1 + 0.2])
    assert again.done() == units


def test_bad_workers():
    with pytest.raises(InputError, match="workers=0"):
        quick()["power"](workers=0)


# material


def test_candidates_of_lists(judged):
    found = studies.material(judged, ["AP", "P@3"], ["sgnLP", "rpp"], depth=5)
    assert found.names == ("AP@5", "P@3", "sgnLP@5", "rpp (uniform)@5")
    assert found.systems == tuple(sorted(RUNS))
    assert found.topics == tuple(sorted(QRELS))
    np.testing.assert_array_equal(found.of("AP@5").value, rs.evaluate(judged, "AP@5").value[0].T)
    preferred = found.of("sgnLP@5")
    slow = rs.lexiprecision(judged, "r1", "r3", depth=5)
    pair = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3)].index((1, 3))
    np.testing.assert_array_equal(preferred.differences()[pair], slow.sign)
    np.testing.assert_allclose(preferred.value.sum(axis=1), 0, atol=1e-12)
    difference = found.of("AP@5").differences()[pair]
    np.testing.assert_array_equal(difference, found.of("AP@5").value[:, 3] - found.of("AP@5").value[:, 1])
    assert studies.material(judged, {"mine": "AP"}).names == ("mine",)


def test_scores_and_tables(judged):
    evaluated = rs.evaluate(judged, ["AP", "P@3"])
    one = studies.material(evaluated)
    two = studies.material({"AP": evaluated.mean() and {
        s: {t: v["AP"] for t, v in by.items()} for s, by in evaluated.to_dict().items()
    }})  # fmt: skip
    np.testing.assert_array_equal(one.of("AP").value, two.of("AP").value)
    assert studies.material(evaluated, "P@3").names == ("P@3",)


def test_topics_that_one_metric_lacks():
    qrels = {t: {"a": 1} for t in "123456"} | {
        "7": {"a": 0},
        "1": {"a": 2},
        "2": {"a": 2},
        "3": {"a": 2},
        "4": {"a": 2},
    }
    runs = {s: {t: {"a": 1.0, "b": float(s)} for t in qrels} for s in "02"}
    judged = rs.load(qrels, runs)
    with pytest.warns(
        rs.DataWarning, match=r"1 of 7 topics left out: no(.|\n)*2 topics left out, so that all.*AP\(rel=2\) lacks 2"
    ):
        found = studies.material(judged, ["AP", "AP(rel=2)"])
    assert found.topics == ("1", "2", "3", "4")
    assert found.left_out == ("5", "6", "7")
    with pytest.raises(InputError, match=r"AP\(rel=3\) is undefined on 6 of 6 topics(.|\n)*leave it out"):
        studies.material(judged, ["AP", "AP(rel=3)"])


def test_bad_material(judged):
    for call, said in (
        (lambda: studies.material(judged), "nothing to study"),
        (lambda: studies.material({}), "nothing to study"),
        (lambda: studies.material(SOURCE, methods=["sgnLP"]), "methods compare lists"),
        (lambda: studies.material(SOURCE, ["M9"]), "no scores of M9"),
        (lambda: studies.material(3), "a study of a int"),
        (lambda: studies.material({"M1": {"s0": SOURCE["M1"]["s0"]}}), "1 system"),
        (lambda: studies.material(SOURCE | {"M5": {"s0": SOURCE["M1"]["s0"]}}), "M1: no other scores of s1"),
        (lambda: studies.material(judged, ["RR"], ["sgnLP", "sgnLP"]), "sgnLP twice"),
    ):
        with pytest.raises(InputError, match=said):
            call()


def test_the_grid_of_the_paper():
    grid = studies.cwla_grid()
    assert len(grid) == 39
    assert str(grid["RBP_ERG"]) == 'CWLA(model="RBP(p=0.8)",agg="ERG",tail="truncate")@10'


def test_ipso_goes_by_relevance_on_graded_judgments():
    judged = rs.load(*rs.simulation.embedded())
    with pytest.warns(rs.DataWarning):
        found = material(judged, ["AP"], methods=("ipso",))
    assert [one.name for one in found.candidates] == ["AP", "ipso"]


def test_one_method_by_its_name():
    judged = rs.load(*rs.simulation.embedded())
    with pytest.warns(rs.DataWarning):
        found = material(judged, "AP", methods="sgnLP")
    assert [one.name for one in found.candidates] == ["AP", "sgnLP"]


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
@pytest.mark.parametrize(
    ("study", "settings"),
    [
        (studies.incompleteness, {"fractions": 0.5, "resampling": Resampling(2)}),
        (studies.removal, {"fractions": 0.5, "resampling": Resampling(2)}),
        (studies.ties, {"fractions": 0.5, "resampling": Resampling(2)}),
        (studies.locality, {}),
        (studies.scales, {"depth": 4}),
        (studies.separability, {"depths": 5}),
        (studies.similarity, {}),
        (studies.consistency, {"depth": None, "resampling": Resampling(20)}),
        (studies.discriminative_power, {"resampling": Resampling(20)}),
    ],
    ids=lambda argument: getattr(argument, "__name__", ""),
)
def test_lists_or_their_material(study, settings):
    """A study of lists, of material prepared from them, and of scores where it needs no lists."""
    judged = rs.load(*rs.simulation.embedded(), keep_docs=True)
    candidates = [["AP@5", "RR"]] if study is not studies.separability else []
    if study not in (studies.scales, studies.separability):
        candidates.append(["sgnLP"])
    of_lists = study(judged, *candidates, **settings).to_dict()
    assert study(material(judged, *candidates or ["AP"]), **settings).to_dict() == of_lists
    scores = rs.evaluate(judged, ["AP@5", "RR"])
    if study in (studies.similarity, studies.consistency, studies.discriminative_power):
        assert study(scores, **settings).candidates == ("AP@5", "RR")
    else:
        for of_scores in (scores, material(scores)):
            with pytest.raises(InputError, match="this one needs lists: give what `load` returns"):
                study(of_scores, **settings)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_agreement_of_material():
    """Candidates stay as they are, methods among them; those cut at the depth agree as metrics of lists do."""
    judged = rs.load(*rs.simulation.embedded())
    of_lists = studies.agreement(judged, ["AP", "RR"], depths=5)
    of_material = studies.agreement(material(judged, ["AP@5", "RR@5"], ["sgnLP"]), depths=5)
    assert of_material.measures == ("AP@5", "RR@5", "sgnLP")
    np.testing.assert_array_equal(of_material.pvalue[:2], of_lists.pvalue)
    np.testing.assert_array_equal(of_material.ipso, of_lists.ipso)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
@pytest.mark.parametrize(
    ("study", "settings"),
    [
        (studies.agreement, {"depths": 5}),
        (studies.consistency, {"resampling": Resampling(20)}),
        (studies.discriminative_power, {"resampling": Resampling(20)}),
        (studies.incompleteness, {"fractions": 0.5, "resampling": Resampling(1)}),
        (studies.removal, {"fractions": 0.5, "resampling": Resampling(1)}),
        (studies.removal, {"fractions": 0.5, "resampling": Resampling(1), "removed": "topics"}),
        (studies.locality, {}),
        (studies.scales, {"depth": 4}),
        (studies.similarity, {"resampling": Resampling(20)}),
        (studies.ties, {"fractions": 0.5, "resampling": Resampling(1)}),
    ],
    ids=lambda argument: getattr(argument, "__name__", ""),
)
def test_what_is_sent_away_knows_no_client_and_no_progress(study, settings, monkeypatch):
    """Units of work go to other processes and machines: neither a client nor a progress bar can."""
    sent = []
    conduct = Run.conduct

    def look(run, name, units, work, *more, **settings):
        sent.extend(inspect.getclosurevars(work).nonlocals.values())
        return conduct(run, name, units, work, *more, **settings)

    monkeypatch.setattr(Run, "conduct", look)
    judged = rs.load(*rs.simulation.embedded(), keep_docs=True)
    study(judged, ["AP@5", "RR"], progress=lambda _: None, workers=1, **settings)
    assert sent
    assert not [value for value in sent if isinstance(value, Run)]
