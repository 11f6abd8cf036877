"""rankscope trec_eval prints what trec_eval 10 prints, byte for byte."""

import gzip
import subprocess
import sys

import numpy as np
import pytest

from rankscope.cli import main
from rankscope.cli.trec_eval import MEASURES, NICKNAMES

FLAGS = {
    "_mall_trec": ["-m", "all_trec"],
    "_q_mall_trec": ["-q", "-m", "all_trec"],
    "_c_q_mofficial": ["-c", "-q", "-m", "official"],
    "_l2_q_mall_trec": ["-l", "2", "-q", "-m", "all_trec"],
    "_M100_q_mall_trec": ["-M", "100", "-q", "-m", "all_trec"],
    "_J_q_mall_trec": ["-J", "-q", "-m", "all_trec"],
    "_n_q_mP_5_10_mndcg_cut_7_msuccess": ["-n", "-q", "-m", "P.5,10", "-m", "ndcg_cut.7", "-m", "success"],
}
OWN = {
    "out.test": "{qrels} {run}",
    "out.test.a": "-m all_trec {qrels} {run}",
    "out.test.aq": "-m all_trec -q {qrels} {run}",
    "out.test.aqc": "-m all_trec -q -c {qrels} {trunc}",
    "out.test.aql": "-m all_trec -mrelstring.20 -q -l2 {levels} {run}",
    "out.test.meas_params": "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 "
    "-m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 "
    "-mndcg_cut.10,20,23.4 -msuccess.2,5,20 {qrels} {run}",
}


@pytest.fixture
def printed(capsys):
    def call(*argv):
        code = main(["trec_eval", *map(str, argv)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out

    return call


@pytest.fixture
def refused(capsys):
    def call(*argv):
        assert main(["trec_eval", *map(str, argv)]) == 2
        return capsys.readouterr().err

    return call


def files(data):
    folder = data / "trec-eval-test"
    names = {"qrels": "qrels.test", "run": "results.test", "trunc": "results.trunc", "levels": "qrels.rel_level"}
    return {key: folder / name for key, name in names.items()}


@pytest.mark.parametrize("output", OWN)
def test_trec_evals_own_files(data, printed, output):
    argv = OWN[output].format(**files(data)).split()
    assert printed(*argv) == (data / "trec-eval-test" / output).read_text()


@pytest.mark.parametrize("flags", FLAGS)
def test_real_runs(data, printed, flags):
    """All twelve runs, each of the seven ways; the first line that differs is shown."""
    outputs = sorted((data / "trec-eval-outputs").glob(f"*.{flags}.gz"))
    assert len(outputs) == 12
    for output in outputs:
        collection, run = output.name.removesuffix(f".{flags}.gz").split(".", 1)
        folder = data / collection
        got = printed(*FLAGS[flags], folder / "qrels.gz", folder / "runs" / f"{run}.gz").splitlines()
        told = gzip.decompress(output.read_bytes()).decode().splitlines()
        differ = [pair for pair in zip(told, got, strict=True) if pair[0] != pair[1]]
        assert not differ, (output.name, differ[:3])


DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
LEVELS = [f"{n / 10:.2f}" for n in range(11)]
ALL_TREC = [
    "runid",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    *(f"iprec_at_recall_{level}" for level in LEVELS),
    *(f"P_{k}" for k in DEPTHS),
    *(f"recall_{k}" for k in DEPTHS),
    "infAP",
    "gm_bpref",
    *(f"Rprec_mult_{n / 5:.2f}" for n in range(1, 11)),
    "utility",
    "11pt_avg",
    "binG",
    "G",
    "ndcg",
    "ndcg_rel",
    "Rndcg",
    *(f"ndcg_cut_{k}" for k in DEPTHS),
    *(f"map_cut_{k}" for k in DEPTHS),
    *(f"relative_P_{k}" for k in DEPTHS),
    "success_1",
    "success_5",
    "success_10",
    "set_P",
    "set_relative_P",
    "set_recall",
    "set_map",
    "set_F",
    "num_nonrel_judged_ret",
    "rbp",
    "rbp_resid",
    "unj_5",
    "unj_10",
    "unj_20",
]


def named_lines(text):
    """Names of the lines that a run has as a whole, in the order of the output."""
    return [line.split("\t")[0].rstrip() for line in text.splitlines() if line.split("\t")[1] == "all"]


def test_all_trec_has_99_lines(data, printed):
    """The lines of trec_eval 10 one by one: its names, in its order, and each line of each run byte for byte."""
    assert len(ALL_TREC) == len({*ALL_TREC}) == 99
    outputs = sorted((data / "trec-eval-outputs").glob("*._mall_trec.gz"))
    assert len(outputs) == 12
    equal = dict.fromkeys(ALL_TREC, 0)
    for output in outputs:
        collection, run = output.name.removesuffix("._mall_trec.gz").split(".", 1)
        told = gzip.decompress(output.read_bytes()).decode()
        got = printed("-m", "all_trec", data / collection / "qrels.gz", data / collection / "runs" / f"{run}.gz")
        assert named_lines(told) == named_lines(got) == ALL_TREC
        for name, theirs, ours in zip(ALL_TREC, told.splitlines(True), got.splitlines(True), strict=True):
            equal[name] += theirs == ours
    assert [name for name, count in equal.items() if count == 12] == ALL_TREC


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c -1\n1 0 d 2\n2 0 a 0\n3 0 x 3\n"
RUN = "1 Q0 d 1 3 tag\n1 Q0 b 2 2 tag\n1 Q0 z 3 1 tag\n2 Q0 a 1 1 tag\n9 Q0 a 1 1 tag\n"


@pytest.fixture
def small(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path / "qrels", tmp_path / "run"


def value(text, name, topic):
    (found,) = [line.split("\t")[2] for line in text.splitlines() if line.split("\t")[:2] == [f"{name:<22}", topic]]
    return found


def test_by_hand(small, printed):
    text = printed("-q", "-m", "all_trec", "-m", "yaap", "-m", "dcg", "-m", "ideal_dcg", *small)
    assert value(text, "map", "1") == "0.5000"
    assert value(text, "map", "all") == "0.2500"  # topic 2 has nothing relevant; topic 3 is not in the run
    assert value(text, "relstring", "1") == "'20-'"
    assert value(text, "unj_5", "1") == "0.2000"
    assert value(text, "utility", "1") == "-1.0000"
    assert value(text, "rbp", "1") == "0.1000"  # grade 2 of 2
    assert value(text, "rbp_resid", "2") == "0.0000"
    assert value(text, "num_q", "all") == "2"
    assert value(text, "dcg", "1") == "2.0000"
    assert value(text, "ideal_dcg", "1") == f"{2 + 1 / np.log2(3):.4f}"
    assert value(text, "yaap", "1") == f"{np.log(2 / 2):.4f}"
    complete = printed("-c", "-q", *small)
    assert value(complete, "num_q", "all") == "3"
    assert value(complete, "map", "3") == "0.0000"
    assert value(complete, "map", "all") == "0.1667"


def test_the_note_on_topics_that_the_run_lacks(small, capsys):
    """Left out without -c, empty lists with it."""
    for words, done in (([], "left out"), (["-c"], "scored as empty lists")):
        assert main(["trec_eval", *words, *map(str, small)]) == 0
        assert f"judged topics missing from runs, {done}: 1 in run, of 3 topics" in capsys.readouterr().err


def test_a_run_from_standard_input(small):
    """A pipe, which can be read only once."""
    call = [sys.executable, "-m", "rankscope", "trec_eval", str(small[0]), "-"]
    piped = subprocess.run(call, input=RUN, capture_output=True, text=True, check=True).stdout
    file = subprocess.run([*call[:-1], str(small[1])], capture_output=True, text=True, check=True).stdout
    assert piped == file
    assert "runid                 \tall\ttag\n" in piped


def test_comment_lines_and_fields_after_the_sixth(small, printed):
    plain = printed("-q", *small)
    small[0].write_text("# judged twice\n" + QRELS)
    small[1].write_text("# ir_metadata.start\n# tag: x\n  # ir_metadata.end\n" + RUN.replace("tag", "tag more of it"))
    assert printed("-q", *small) == plain


def test_every_measure_and_nickname_runs(small, printed):
    for name in (*MEASURES, *NICKNAMES):
        several = ["-R", "qrels_jg"] if name == "qrels_jg" or name.endswith("_avgjg") else []
        assert printed("-m", name, *several, *small) or name == "relstring"
    assert named_lines(printed("-m", "all_trec", *small)) == ALL_TREC


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-m", "mapp"], "trec_eval has no measure 'mapp'"),
        (["-m", "prefs_simp"], "needs preferences of documents"),
        (["-m", "map_avgjg"], "map_avgjg is an average over judges"),
        (["-R", "qrels_jg"], "official is of one judge, and -R qrels_jg reads several"),
        (["-R", "qrels_jg", "-m", "ndcg"], "ndcg is of one judge"),
        (["-m", "map.5"], "map takes no parameters"),
        (["-m", "P.five"], "-m P.five"),
        (["-m", "utility.1,2"], "four numbers"),
        (["-m", "ndcg.1=-3"], "a gain is not negative"),
        (["-R", "prefs"], "-R prefs is no format"),
        (["-T", "x"], "-T x is no format"),
        (["-Z", "file"], "-Z asks for z scores"),
        (["-D", "1"], "-D asks for"),
        (["-M", "0"], "-M 0 leaves no document"),
    ],
)
def test_what_is_refused(small, refused, words, sentence):
    assert sentence in refused(*words, *small)


def test_options_that_change_nothing(small, printed):
    assert printed("-o", *small) == printed(*small)
    assert printed("--query_eval_wanted", "--level_for_rel", "2", *small) == printed("-ql2", *small)


def test_grades_are_cut_to_whole_numbers(small, printed):
    plain = printed("-q", "-m", "all_trec", *small)
    small[0].write_text(QRELS.replace("d 2", "d 2.7").replace("a 0", "a 0.9"))
    assert printed("-q", "-m", "all_trec", *small) == plain


def test_no_topic_in_common(small, refused):
    small[1].write_text("77 Q0 a 1 1 tag\n")
    assert "no topic in common" in refused(*small)


def average_over_judges(name, judges, lists, rel=1, judged_only=False):
    """trec_eval's arithmetic, read from m_map_avgjg.c, m_P_avgjg.c, m_Rprec_mult_avgjg.c and form_res_rels_jg.c.

    A judge counts for a topic with any line there, negative grades included. Each judge's score of a topic is that of
    map, P or Rprec_mult; a judge without relevant documents has 0. Their sum is divided by the number of judges of the
    topic. Rprec_mult cuts the list at floor(multiple x R + 0.9), and divides by that cutoff where the list is shorter.
    With -J a list loses what this judge has not judged, or judged below 0.
    """
    parameter = name.rpartition("_")[2]
    scores = {}
    for topic, ranked in lists.items():
        of_judges = []
        for grades in (judgments[topic] for judgments in judges.values() if topic in judgments):
            seen = [grades.get(doc, -1) for doc in ranked]
            seen = [grade for grade in seen if grade >= 0] if judged_only else seen
            total = sum(grade >= rel for grade in grades.values())
            if name == "map_avgjg":
                hits = [rank for rank, grade in enumerate(seen, 1) if grade >= rel]
                of_judges.append(sum(n / rank for n, rank in enumerate(hits, 1)) / total if hits else 0.0)
            else:
                cut = int(parameter) if name.startswith("P_") else int(float(parameter) * total + 0.9)
                of_judges.append(sum(grade >= rel for grade in seen[:cut]) / cut if cut else 0.0)
        if of_judges:
            scores[topic] = sum(of_judges) / len(of_judges)
    return scores


@pytest.fixture(scope="module")
def several_judges(data, tmp_path_factory):
    """Three judges of trec_eval's test topics: its two files of judgments, and one who left out a topic."""
    folder = data / "trec-eval-test"
    judges = {"b": {}, "a": {}, "c": {}}
    for judge, file in (("b", "qrels.test"), ("a", "qrels.rel_level")):
        for line in (folder / file).read_text().splitlines():
            topic, _, doc, grade = line.split()
            judges[judge].setdefault(topic, {})[doc] = int(grade)
            if judge == "b" and topic != "302" and doc[-1] in "0123456":
                judges["c"].setdefault(topic, {})[doc] = int(grade) * (doc[-1] in "024")
    path = tmp_path_factory.mktemp("judges") / "qrels_jg"
    path.write_text("".join(f"{topic} {judge} {doc} {grade}\n" for judge, topics in judges.items()
                            for topic, docs in topics.items() for doc, grade in docs.items()))  # fmt: skip
    scores = {}
    for line in (folder / "results.test").read_text().splitlines():
        topic, _, doc, _, score, _ = line.split()
        scores.setdefault(topic, []).append((np.float32(score), doc))
    lists = {topic: [doc for _, doc in sorted(pairs, reverse=True)] for topic, pairs in scores.items()}
    return path, judges, lists


@pytest.mark.parametrize("words", [[], ["-l", "2"], ["-J"], ["-M", "40"], ["-c"]])
def test_averages_over_judges(data, printed, several_judges, words):
    path, judges, lists = several_judges
    depth = 40 if "-M" in words else None
    lists = {topic: ranked[:depth] for topic, ranked in lists.items()}
    text = printed("-R", "qrels_jg", "-q", "-m", "qrels_jg", *words, path, data / "trec-eval-test" / "results.test")
    names = [line.split("\t")[0].strip() for line in text.splitlines() if line.split("\t")[1] == "all"]
    assert names[:4] == ["runid", "num_q", "map_avgjg", "P_avgjg_5"]
    assert names[-10:] == [f"Rprec_mult_avgjg_{n / 5:.2f}" for n in range(1, 11)]
    assert len(names) == 2 + 1 + 9 + 10
    for name in names[2:]:
        twin = average_over_judges(name, judges, lists, 2 if "-l" in words else 1, "-J" in words)
        assert len(twin) == 3
        for topic, score in twin.items():
            assert value(text, name, topic) == f"{score:.4f}", (name, topic)
        assert value(text, name, "all") == f"{sum(twin[topic] for topic in sorted(twin)) / 3:.4f}"


def test_averages_are_means_of_what_trec_eval_gives_for_each_judge(data, printed, several_judges):
    """Each judge alone by trec_eval itself, in pytrec_eval."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    path, judges, lists = several_judges
    run = {topic: {doc: float(len(ranked) - n) for n, doc in enumerate(ranked)} for topic, ranked in lists.items()}
    text = printed("-R", "qrels_jg", "-q", "-m", "qrels_jg", path, data / "trec-eval-test" / "results.test")
    theirs = [pytrec_eval.RelevanceEvaluator(each, {"map", "P", "Rprec_mult"}).evaluate(run)
              for each in judges.values()]  # fmt: skip
    for name in theirs[0]["301"]:
        ours = name.replace("map", "map_avgjg").replace("Rprec_mult_", "Rprec_mult_avgjg_").replace("P_", "P_avgjg_")
        for topic in lists:
            mean = np.mean([each[topic][name] for each in theirs if topic in each])
            assert float(value(text, ours, topic)) == pytest.approx(mean, abs=5.1e-5), (name, topic)


def test_one_judge_is_the_plain_measure(small, printed):
    """And judges that share no topic are averaged over the judges of each topic."""
    plain = printed("-q", "-m", "map", *small)
    assert printed("-q", "-m", "map_avgjg", "-R", "qrels_jg", *small).replace("map_avgjg", "map      ") == plain
    small[0].write_text("1 ann d 1\n1 bob d 0\n2 carl a 1\n")
    text = printed("-q", "-m", "map_avgjg", "-R", "qrels_jg", *small)
    assert [value(text, "map_avgjg", topic) for topic in ("1", "2", "all")] == ["0.5000", "1.0000", "0.7500"]
    rank = printed("-n", "-q", "-m", "P_avgjg.1,2", "-R", "qrels_jg", *small)
    assert rank == ("P_avgjg_1             \t1\t0.5000\nP_avgjg_2             \t1\t0.2500\n"
                    "P_avgjg_1             \t2\t1.0000\nP_avgjg_2             \t2\t0.5000\n")  # fmt: skip


OTHERWISE = {  # in trec_eval 9, which pytrec_eval is
    "iprec_at_recall": "recall levels are rounded up from 0.1 on, and not from 0.5",
    "11pt_avg": "the mean of these",
    "relstring": "no number; pytrec_eval gives none",
}


@pytest.mark.parametrize("seed", range(4))
def test_random_collections(tmp_path, printed, seed):
    """Ties, topics that one file lacks, negative grades: by value, topic by topic, against trec_eval in pytrec_eval."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(seed)
    docs = [f"d{n}" for n in range(60)]
    qrels = {str(t): {d: int(rng.choice([-1, 0, 0, 1, 2, 3])) for d in rng.permutation(docs)[:35]} for t in range(9)}
    qrels["4"] = dict.fromkeys(docs[:9], 0)
    run = {str(t): {d: float(rng.integers(1, 9)) / 2 for d in rng.permutation(docs)[: rng.integers(1, 50)]}
           for t in range(2, 12)}  # fmt: skip
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, of in qrels.items() for d, g in of.items()))
    (tmp_path / "run").write_text("".join(f"{t} Q0 {d} 0 {s} x\n" for t, of in run.items() for d, s in of.items()))
    text = printed("-q", "-m", "all_trec", str(tmp_path / "qrels"), str(tmp_path / "run"))
    ours = {(topic, name.strip()): value for name, topic, value in (row.split("\t") for row in text.splitlines())}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run)
    compared = [(topic, name) for topic in theirs for name in theirs[topic]
                if (topic, name) in ours and not name.startswith(tuple(OTHERWISE))]  # fmt: skip
    assert sorted(theirs) == sorted({topic for topic, _ in ours} - {"all"})
    assert len({name for _, name in compared}) > 70
    wrong = {key: (ours[key], theirs[key[0]][key[1]]) for key in compared
             if abs(float(ours[key]) - theirs[key[0]][key[1]]) > 0.5001e-4}  # fmt: skip
    assert not wrong
