"""The provider for ir_measures, held against the package, and through the package's own tests."""

import subprocess
import sys
import tarfile
import unittest
from importlib.metadata import version
from io import StringIO

import numpy as np
import pytest

import rankscope as rs

ir_measures = pytest.importorskip("ir_measures")


@pytest.fixture
def provider():
    """Our provider, first in the default pipeline during a test and gone after it."""
    before = list(ir_measures.DefaultPipeline.providers)
    from rankscope.integrations.ir_measures import register

    ours = register()
    yield ours
    ir_measures.DefaultPipeline.providers[:] = [each for each in before if each is not ours]


QRELS = [ir_measures.Qrel(*row) for row in
         [("q1", "a", 1), ("q1", "b", 0), ("q2", "a", 2), ("q3", "z", 0), ("q4", "a", 1)]]  # fmt: skip
RUN = [ir_measures.ScoredDoc(*row) for row in
       [("q1", "a", 1.0), ("q1", "b", 1.0), ("q1", "c", 1.0), ("q2", "a", 0.5), ("q3", "z", 0.5),
        ("q9", "z", 0.5)]]  # fmt: skip


def test_one_order_of_ties_for_all_measures(provider):
    measures = [ir_measures.RR, ir_measures.RR @ 10]
    assert ir_measures.DefaultPipeline.providers[0] is provider
    values = {(str(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(measures, QRELS, RUN)}
    assert values["RR", "q1"] == values["RR@10", "q1"] == pytest.approx(1 / 3)
    ir_measures.DefaultPipeline.providers.remove(provider)
    before = ir_measures.calc_aggregate(measures, QRELS, RUN)
    ir_measures.DefaultPipeline.providers.insert(0, provider)
    after = ir_measures.calc_aggregate(measures, QRELS, RUN)
    assert before[ir_measures.RR] != before[ir_measures.RR @ 10]  # what the provider mends
    assert after[ir_measures.RR] == after[ir_measures.RR @ 10]


def test_the_numbers_are_ours(provider):
    measures = [
        ir_measures.nDCG @ 10,
        ir_measures.AP,
        ir_measures.P(rel=2) @ 5,
        ir_measures.RBP(p=0.8),
        ir_measures.Judged @ 5,
    ]
    result = ir_measures.calc(measures, QRELS, RUN)
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}, "q3": {"z": 0}, "q4": {"a": 1}}
    run = {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}, "q2": {"a": 0.5}, "q3": {"z": 0.5}}
    with rs.errors.quietly():
        scores = rs.evaluate(rs.load(qrels, {"run": run}, undefined="zero"), list(map(str, measures)))
    for measure, values in zip(measures, scores.value[:, 0], strict=True):
        assert result.aggregated[measure] == pytest.approx(values.mean(), abs=1e-12)
        by_topic = {m.query_id: m.value for m in result.per_query if m.measure == measure}
        assert by_topic == pytest.approx(dict(zip(scores.topics, values, strict=True)), abs=1e-12)


def test_measures_that_we_do_not_have_go_to_others(provider):
    assert not provider.supports(ir_measures.P(judged_only=True) @ 5)
    assert not provider.supports(ir_measures.NumQ)
    assert not provider.supports(ir_measures.ERR_IA(judged_only=True) @ 10)
    values = ir_measures.calc_aggregate([ir_measures.P @ 1, ir_measures.P(judged_only=True) @ 1], QRELS, RUN)
    assert set(values) == {ir_measures.P @ 1, ir_measures.P(judged_only=True) @ 1}
    with pytest.raises(ValueError, match="unsupported measures NumQ"):
        provider.evaluator([ir_measures.NumQ], QRELS)


def test_measures_by_subtopic_are_those_of_pyndeval(provider):
    """One measure per call: pyndeval gives 0 where measures with two settings of rel or alpha go together."""
    pytest.importorskip("pyndeval")
    rng = np.random.default_rng(30)
    qrels = [
        ir_measures.Qrel(f"q{topic}", f"d{doc}", int(rng.integers(-1, 3)), f"{subtopic}")
        for topic in range(6) for doc in range(15) for subtopic in range(3) if rng.random() < 0.5
    ]  # fmt: skip
    run = [
        ir_measures.ScoredDoc(f"q{topic}", f"d{doc}", score)
        for topic in range(6) for doc, score in enumerate(rng.permutation(25).tolist()) if rng.random() < 0.6
    ]  # fmt: skip
    m = ir_measures
    measures = [m.ERR_IA @ 5, m.ERR_IA(rel=2) @ 10, m.nERR_IA @ 5, m.alpha_DCG @ 5, m.alpha_nDCG(alpha=0.3) @ 4, m.NRBP,
                m.nNRBP(rel=2), m.AP_IA(rel=2), m.P_IA @ 5, m.StRecall(rel=2) @ 10, m.nDCG @ 5]  # fmt: skip
    ours = {(x.measure, x.query_id): x.value for x in provider.iter_calc(measures, qrels, iter(run))}
    assert len(ours) == 6 * len(measures)
    for measure in measures[:-1]:
        theirs = {(measure, x.query_id): x.value for x in m.pyndeval.iter_calc([measure], qrels, run)}
        assert {key: ours[key] for key in theirs} == pytest.approx(theirs, abs=1e-9)


def test_empty_runs_and_judgments(provider):
    assert [m.value for m in provider.iter_calc([ir_measures.AP], QRELS, [])] == [0.0] * 4
    assert list(provider.iter_calc([ir_measures.AP], [], RUN)) == []


def test_measures_that_a_provider_defines_otherwise_follow_it(provider):
    """ERR of gdeval with its largest grade 4, IPrec rounded as in trec_eval 9."""
    qrels = [ir_measures.Qrel("0", f"D{i}", g) for i, g in enumerate([0, 1, 1, 2, 0])]
    run = [ir_measures.ScoredDoc("0", f"D{i}", s) for i, s in ((0, 0.8), (2, 0.7), (1, 0.3), (3, 0.4), (4, 0.1))]
    values = {m.measure: m.value for m in provider.iter_calc([ir_measures.ERR @ 20, ir_measures.ERR @ 2], qrels, run)}
    assert values == pytest.approx({ir_measures.ERR @ 20: 0.10175, ir_measures.ERR @ 2: 0.03125}, abs=5e-6)  # gdeval's
    for measure in (ir_measures.IPrec @ 0.3, ir_measures.NumRet(rel=1), ir_measures.NumRet):
        expected = ir_measures.pytrec_eval.calc_aggregate([measure], qrels, run)
        assert provider.calc_aggregate([measure], qrels, run) == pytest.approx(expected, abs=1e-12)


class BaseMeasureTest(unittest.TestCase):
    """What ir_measures' tests derive from; its source distribution lacks the file."""

    def assertMetrics(self, first, second, not_equal=False):
        first, second = (
            sorted(((m.query_id, str(m.measure)), m.value) for m in metrics) for metrics in (first, second)
        )
        assert [key for key, _ in first] == [key for key, _ in second]
        differences = [abs(a - b) for (_, a), (_, b) in zip(first, second, strict=True)]
        assert max(differences) > 1e-4 if not_equal else max(differences) < 1e-4


@pytest.fixture(scope="module")
def their_tests(tmp_path_factory):
    """Folder of ir_measures' own tests, from the source distribution of the version that is installed."""
    folder = tmp_path_factory.mktemp("ir_measures")
    wanted = f"ir_measures=={version('ir_measures')}"
    call = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", ":all:",
            "-d", folder, wanted]  # fmt: skip
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    archives = list(folder.glob("*.tar.gz"))
    if done.returncode or not archives:
        pytest.skip(f"the source distribution of {wanted} cannot be fetched here")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(folder, filter="data")
    return next(folder.glob("*/tests"))


@pytest.mark.parametrize("name", ["test_pytrec_eval", "test_judged", "test_aggregate", "test_pyndeval", "test_runtime"])
def test_the_tests_of_ir_measures_pass_through_our_provider(provider, their_tests, name, monkeypatch):
    """Every provider that these tests name is ours where we have the measure, and theirs for the rest.

    The others have nothing for us: test_gdeval expects five decimals, and gdeval's nDCG without naming it; the data of
    test_cwl_eval and test_compat are not in the distribution; test_measures and test_providers call each provider by
    itself; test_ranx asks for SetP@5, which ir_measures refuses elsewhere; Accuracy is theirs; test_util reads files.
    """
    served = []

    class Ours(type(provider)):
        def supports(self, measure):
            if supported := super().supports(measure):
                served.append(str(measure))
            return supported

    def first(theirs):
        return ir_measures.providers.FallbackProvider([Ours(), theirs])

    original = ir_measures.providers.PytrecEvalProvider
    monkeypatch.setattr(ir_measures.providers, "PytrecEvalProvider", lambda: first(original()))
    for each in ("pytrec_eval", "judged", "pyndeval"):
        monkeypatch.setattr(ir_measures, each, first(getattr(ir_measures, each)))
    monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", [Ours(), *ir_measures.DefaultPipeline.providers[1:]])
    source = (their_tests / f"{name}.py").read_text().replace("from .base import BaseMeasureTest", "")
    module = {"__name__": name, "__file__": str(their_tests / f"{name}.py"), "BaseMeasureTest": BaseMeasureTest}
    exec(compile(source, f"{name}.py", "exec"), module)
    cases = [case for case in module.values() if isinstance(case, type) and issubclass(case, unittest.TestCase)]
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases)
    result = unittest.TextTestRunner(stream=StringIO(), verbosity=0).run(suite)
    assert result.testsRun
    assert not result.errors, result.errors[0][1]
    assert not result.failures, result.failures[0][1]
    assert served, "no measure of this test is ours"
