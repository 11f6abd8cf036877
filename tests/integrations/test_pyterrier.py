"""`pt.rankscope` beside `pt.Experiment`, on frames: no Java is started."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs

pd = pytest.importorskip("pandas")
pt = pytest.importorskip("pyterrier")

from rankscope.integrations import pyterrier as door  # noqa: E402
from rankscope.io import read_qrels, read_run, system_name  # noqa: E402


class Fixed(pt.Transformer):
    """A transformer that gives the results of a frame for the topics that it is asked for."""

    def __init__(self, results, name):
        self.results, self.name = results, name

    def transform(self, topics):
        return self.results[self.results["qid"].isin(topics["qid"])]

    def __repr__(self):
        return self.name


@pytest.fixture(scope="module")
def collection():
    """Topics, judgments and three systems, from the embedded collection, as frames."""
    qrels, runs = rs.simulation.embedded()
    lines = [line.split() for line in gzip.decompress(qrels.read_bytes()).decode().splitlines()]
    judgments = pd.DataFrame(
        {"qid": [x[0] for x in lines], "docno": [x[2] for x in lines], "label": [int(x[3]) for x in lines]}
    )
    systems = {}
    for path in sorted(runs)[:3]:
        rows = [line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
        name = system_name(path)
        results = pd.DataFrame({"qid": [x[0] for x in rows], "docno": [x[2] for x in rows],
                                "rank": [int(x[3]) for x in rows], "score": [float(x[4]) for x in rows]})  # fmt: skip
        systems[name] = Fixed(results, name)
    topics = pd.DataFrame({"qid": judgments["qid"].unique(), "query": "x"})
    return topics, judgments, systems


pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
MEASURES = ["map", "ndcg_cut_10", "recip_rank", "P_10"]


def test_means_are_those_of_pyterrier(collection):
    topics, qrels, systems = collection
    expected = pt.Experiment(list(systems.values()), topics, qrels, MEASURES, names=list(systems)).set_index("name")
    board = door.Experiment(list(systems.values()), topics, qrels, MEASURES, names=list(systems))
    means = np.vstack([board.mean, board.also_mean])
    np.testing.assert_allclose(means, expected.loc[list(board.systems), MEASURES].to_numpy().T, rtol=0, atol=1e-12)
    assert not pt.java.started()


@pytest.mark.parametrize("folder", ["dl19-passage", "trec8-adhoc"])
def test_means_on_real_collections(data, folder):
    qrels, runs = data / folder / "qrels.gz", sorted((data / folder / "runs").iterdir())[:2]
    judgments = pd.DataFrame(
        [(t, d, g) for t, d, g in _rows(read_qrels(qrels), "grade")], columns=["qid", "docno", "label"]
    )
    judgments["label"] = judgments["label"].astype(int)
    frames = [pd.DataFrame(list(_rows(read_run(run), "score")), columns=["qid", "docno", "score"]) for run in runs]
    topics = pd.DataFrame({"qid": judgments["qid"].unique(), "query": "x"})
    names = [system_name(run) for run in runs]
    expected = pt.Experiment(frames, topics, judgments, MEASURES, names=names).set_index("name")
    board = door.Experiment(frames, topics, judgments, MEASURES, names=names, resampling=rs.statistics.Resampling(99))
    means = np.vstack([board.mean, board.also_mean])
    np.testing.assert_allclose(means, expected.loc[list(board.systems), MEASURES].to_numpy().T, rtol=0, atol=1e-12)


def _rows(columns, value):
    from rankscope.io.columns import cut

    ids = [[raw.decode() for raw in cut(columns.text, spans)] for spans in (columns.topic, columns.doc)]
    return zip(*ids, getattr(columns, value).tolist(), strict=True)


def test_two_baselines_are_one_family(collection):
    """Of three systems and two baselines three pairs are compared, each once, and corrected over all three."""
    topics, qrels, systems = collection
    names = list(systems)
    board = door.Experiment(systems, topics, qrels, ["map"], baseline=[0, names[1]], correction="bonferroni")
    assert [against.baseline for against in board.baselines] == names[:2]
    assert board.compared == 3
    frame = pt.Experiment(list(systems.values()), topics, qrels, ["map"], names=names, perquery=True)
    scores = frame.pivot(index="qid", columns="name", values="value")
    from scipy.stats import ttest_rel

    for against in board.baselines:
        for name, effect, adjusted in zip(board.systems, against.effects, against.adjusted, strict=True):
            if name == against.baseline:
                assert effect is None
                continue
            expected = ttest_rel(scores[name], scores[against.baseline]).pvalue
            assert effect.pvalue == pytest.approx(expected, rel=1e-9)
            assert adjusted == pytest.approx(min(1, 3 * expected), rel=1e-9)
            assert effect.difference == pytest.approx((scores[name] - scores[against.baseline]).mean(), abs=1e-12)


def test_scores_per_topic_and_both(collection):
    topics, qrels, systems = collection
    scores = door.Experiment(systems, topics, qrels, ["map"], perquery=True)
    assert scores.systems == tuple(systems)
    board, again = door.Experiment(systems, topics, qrels, ["map"], perquery="both", baseline=0, correction="fdr_bh")
    np.testing.assert_array_equal(again.value, scores.value)
    assert board.against.correction == "benjamini-hochberg"
    assert r"\begin{table" in board.to_latex()


def test_topics_and_judgments_are_filtered_as_there(collection):
    topics, qrels, systems = collection
    few = topics.head(20)
    expected = pt.Experiment(list(systems.values()), few, qrels, ["map"], names=list(systems)).set_index("name")["map"]
    board = door.Experiment(systems, few, qrels, ["map"], batch_size=7)
    assert dict(zip(board.systems, board.mean, strict=True)) == pytest.approx(expected.to_dict(), abs=1e-12)


def test_a_comparison_and_its_tests(collection):
    topics, qrels, systems = collection
    (a, first), (b, second), *_ = systems.items()
    comparison = door.compare(first, second, topics, qrels, "AP", names=(a, b))
    assert comparison.systems == (a, b)
    frame = pt.Experiment([first, second], topics, qrels, ["map"], names=[a, b], baseline=0, test=door.randomisation)
    assert 0 < frame["map p-value"][1] <= 1
    assert door.t([0.1, 0.2, 0.4], [0.2, 0.2, 0.6])[1] == pytest.approx(0.2254033307585166)
    assert door.sign([0.1, 0.2], [0.2, 0.3])[1] == pytest.approx(0.5)


def test_a_saved_experiment_is_read_as_runs_and_as_scores(collection, tmp_path):
    topics, qrels, systems = collection
    pt.Experiment(list(systems.values()), topics, qrels, ["map"], names=list(systems), save_dir=str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} >= {"perquery.csv", "aggregated.csv"}
    judged = door.load(tmp_path, qrels, undefined="zero")
    assert sorted(judged.systems) == sorted(systems)
    table = door.scores(tmp_path, "map")
    assert sorted(table.systems) == sorted(systems)
    expected = rs.evaluate(judged, "AP")
    for name in systems:
        mean = table.value[table.systems.index(name)].mean()
        assert mean == pytest.approx(expected.value[0, expected.systems.index(name)].mean(), abs=1e-9)


def test_results_are_saved_and_used_again(collection, tmp_path, monkeypatch):
    topics, qrels, systems = collection
    first = door.Experiment(systems, topics, qrels, ["map"], save_dir=tmp_path)
    assert len(list(tmp_path.glob("*.res.gz"))) == 3
    lists = Fixed.transform
    monkeypatch.setattr(Fixed, "transform", lambda self, topics: lists(self, topics.head(0)))  # runs no topic again
    again = door.Experiment(systems, topics, qrels, ["map"], save_dir=tmp_path, save_mode="reuse")
    np.testing.assert_array_equal(first.mean, again.mean)
    with pytest.raises(ValueError, match="exists"):
        door.Experiment(systems, topics, qrels, ["map"], save_dir=tmp_path, save_mode="error")


def test_arguments_of_pyterrier_that_run_systems(collection):
    """A common prefix runs once with plan="tree"; batches, validation and progress are PyTerrier's own."""
    topics, qrels, systems = collection
    first, second, _ = systems.values()
    calls = []

    def counted(results):
        calls.append(len(results))
        return results

    prefix = first >> pt.apply.generic(counted)
    pipelines = {"half": prefix >> pt.apply.generic(lambda r: r.groupby("qid").head(5)), "all": prefix}
    settings = {"plan": "tree", "validate": "ignore", "verbose": False}
    board = door.Experiment(pipelines | {"other": second}, topics, qrels, ["map"], **settings)
    assert sum(map(bool, calls)) == 1
    expected = pt.Experiment([first, second], topics, qrels, ["map"], names=["all", "other"]).set_index("name")["map"]
    means = dict(zip(board.systems, board.mean, strict=True))
    assert {name: means[name] for name in ("all", "other")} == pytest.approx(expected.to_dict(), abs=1e-12)


def test_a_report_of_an_experiment(collection, tmp_path):
    topics, qrels, systems = collection
    page = tmp_path / "report.html"
    door.Experiment(systems, topics, qrels, ["map"], report=page, resampling=rs.statistics.Resampling(99))
    assert all(name in page.read_text(encoding="utf-8") for name in systems)


def test_arguments_of_a_frame_are_refused(collection):
    topics, qrels, systems = collection
    with pytest.raises(TypeError, match="highlight and round: for the frame"):
        door.Experiment(systems, topics, qrels, ["map"], round=3, highlight="bold")


def test_names_and_systems_of_different_number(collection):
    topics, qrels, systems = collection
    with pytest.raises(ValueError, match="same length"):
        door.Experiment(list(systems.values()), topics, qrels, ["map"], names=["x"])


def test_pyterrier_loads_the_entry_point(tmp_path):
    metadata = tmp_path / "rankscope_door-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: rankscope-door\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text("[pyterrier.modules]\nrankscope = rankscope.integrations.pyterrier\n")
    source = Path(rs.__file__).parents[1]
    env = os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{tmp_path}"}
    call = "import pyterrier as pt; print(pt.rankscope.Experiment.__module__, pt.java.started())"
    done = subprocess.run([sys.executable, "-c", call], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["rankscope.integrations.pyterrier", "False"]
