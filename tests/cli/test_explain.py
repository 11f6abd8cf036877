"""rankscope explain, as a user meets it."""

import json
import subprocess
import sys

import pytest
from commands import command

import rankscope as rs
from rankscope.cli import main
from rankscope.errors import speaking

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 b 1\n3 0 a 0\n"
RUN = "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 2 x\n2 Q0 a 2 1 x\n3 Q0 a 1 1 x\n"


explain = command("explain")


def told(result):
    """Standard output of a command that went well."""
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "good.run").write_text(RUN)
    (tmp_path / "mine.py").write_text(
        'import rankscope as rs\n@rs.register\ndef Mine(relevant):\n    """Counts twice."""\n'
        "    return relevant.sum(axis=-1) * 2.0\n"
    )
    return tmp_path


def test_a_measure():
    text = told(explain("ndcg_cut_10"))
    assert text.startswith("nDCG@10, asked for as ndcg_cut_10\n")
    assert "Järvelin and Kekäläinen (2002)" in text
    assert "0.5307  this measure: gain is the grade" in text
    full = " ".join(told(explain("ndcg_cut_10", "--full")).split())
    assert '0.5047 gain is 2^grade - 1 (gdeval, rankeval, ranx ndcg_burges); here nDCG(dcg="exp-log2")@10' in full
    assert "Each number is a mean over 8 systems and 50 topics." in full
    assert "two rankings that show it" not in full
    assert "the two rankings that show it are named" in " ".join(told(explain("nDCG@10", "--explain")).split())


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RR", "ERR@20", "RBP(p=0.8)", "P@10"])
def test_the_answer_fits_on_a_screen(name):
    lines = told(explain(name)).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("In words: ")


def test_several_measures_as_json():
    got = json.loads(told(explain("P.5,10", "MAP", "--json")))
    assert [one["measure"] for one in got["measures"]] == ["P@5", "P@10", "AP"]
    assert {"who", "what", "call", "mean", "swapped", "requested"} == set(got["measures"][0]["readings"][0])


def test_on_files(files):
    got = json.loads(told(explain("AP@1", "--qrels", "qrels", "--runs", "good.run", "--json", cwd=files)))
    means = {r["what"]: r["mean"] for r in got["measures"][0]["readings"]}
    assert means["over all R relevant documents"] == pytest.approx((1 + 1 / 2) / 2)
    assert means["over min(R, k)"] == 1.0
    assert means["topics without relevant documents count 0"] == pytest.approx(1.5 / 3)


def test_all():
    lines = told(explain("--all")).splitlines()
    assert lines[0].split()[:3] == ["measure", "range", "trec_eval"]
    assert any(line.startswith("P@10 ") for line in lines)
    assert len(json.loads(told(explain("--all", "--json")))["all"]) == len(lines) - 1


def test_signature():
    text = told(explain("--signature", "nDCG@10|gain:linear|ties:file|frob:1|n:49|rankscope:0.1.0"))
    assert "ties:file        equal scores in file order" in text
    assert "frob:1           not known to this version" in text
    assert text.endswith("again: rankscope evaluate QRELS RUN... -m nDCG@10 --ties file\n")
    got = json.loads(told(explain("--signature", "AP|rel:1", "--json")))
    assert got["signature"]["parts"]["rel:1"] == "relevant are grades from 1"


def test_difference():
    text = told(explain("--diff", "nDCG@10", "ndcg_burges@10"))
    assert text.startswith('- nDCG@10: gain is the grade\n- nDCG(dcg="exp-log2")@10: gain is 2^grade - 1\n- ranx')
    assert "pairs of systems in another order: 0 of 28" in text


def test_difference_on_files(files):
    result = explain("--diff", "nDCG@2", "ndcg_burges@2", "--qrels", "qrels", "--runs", "good.run", "--json", cwd=files)
    (system,) = json.loads(told(result))["diff"]["systems"]
    assert system["differ"] == 1
    assert system["most"] == "2"
    assert "left out: 1 of 3" in result.stderr


def test_a_measure_from_a_file(files):
    assert "Counts twice." in told(explain("Mine", "--plugin", "mine.py", cwd=files))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "nothing to explain"),
        (["AP", "--all"], "do not go together"),
        (["mapp"], "did you mean AP?"),
        (["recall"], "write R@100, or SetR"),
        (["--diff", "AP", "nothing"], "no measure is named 'nothing'"),
        (["--diff", "P@[5,10]", "AP"], "compare one with one"),
        (["--diff", "AP"], "expected 2 arguments"),
        (["--signature", "nothing"], "is no signature"),
        (["AP", "--qrels", "qrels"], "a collection is judgments and runs"),
        (["--all", "--qrels", "qrels", "--runs", "good.run"], "all takes no collection"),
        (["AP", "--qrels", "none", "--runs", "good.run"], "none: no such file"),
        (["ERR(max_rel=1)"], "above max_rel"),
        (["Mine", "--plugin", "none.py"], "none.py: no such file"),
    ],
)
def test_bad_input_ends_with_2_and_no_traceback(files, args, message):
    result = explain(*args, cwd=files)
    assert result.returncode == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_evaluate_says_where_a_name_means_something_else(files):
    command = [sys.executable, "-m", "rankscope", "evaluate", "qrels", "good.run", "-m", "ndcg@2", "map", "mrr"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=files, check=True)
    assert result.stdout.splitlines()[0].split() == ["system", "nDCG@2", "AP(rel=1)", "RR(rel=1)"]
    (note,) = [line for line in result.stderr.splitlines() if "ranx" in line]
    assert note.startswith("note: ndcg@2 is nDCG@2 here, mrr is RR here: ranx orders ties by input")


def test_rules_are_not_measures():
    """trec_eval has no RBTO; its rule for topics without relevant documents is shown as a rule."""
    text = " ".join(told(explain("RBTO@10", "--full")).split())
    assert "topics without relevant documents count 0 (rule of trec_eval, ir_measures, ranx, sklearn)" in text
    assert "(trec_eval" not in text


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_the_call_says_what_the_command_prints(capsys):
    qrels, runs = rs.simulation.embedded()
    for names in (["AP"], ["nDCG@10", "RR"]):
        assert main(["explain", *names]) == 0
        with speaking({}):
            assert capsys.readouterr().out == "\n\n".join(map(str, rs.explain(names))) + "\n"
        assert list(map(str, rs.explain(names, qrels, runs))) == list(map(str, rs.explain(names)))
    signature = "nDCG@10|gain:linear|ties:file|n:49|rankscope:0.1.0"
    for words, options in (
        (["--signature", signature], {"signature": signature}),
        (["--diff", "nDCG@10", "ndcg_burges@10"], {"diff": ("nDCG@10", "ndcg_burges@10")}),
        (["--all"], {"all": True}),
    ):
        assert main(["explain", *words]) == 0
        (result,) = rs.explain(**options)
        assert capsys.readouterr().out == f"{result}\n"
    with pytest.raises(rs.InputError, match="nothing to explain"):
        rs.explain()
    with pytest.raises(rs.InputError, match="names and all do not go together"):
        rs.explain("AP", all=True)
    with pytest.raises(rs.InputError, match="diff is a pair of measures"):
        rs.explain(diff="AP")
    with pytest.raises(rs.InputError, match="a collection is judgments and runs"):
        rs.explain("AP", qrels)


def test_scale_and_properties_are_shown():
    """As text and in JSON, of a measure and of all."""
    for words in ("AP@10 --full", "--all", "AP@10 --json", "--all --json", "Interval(RR@5) --full"):
        given = words.split()
        out = told(explain(*given))
        if "--json" in given:
            got = json.loads(out)
            if "--all" in given:
                assert {"rank", "conv"} <= set(got["all"][0])
            else:
                assert {"scale", "properties"} <= set(got["measures"][0]["facts"])
        else:
            assert "neither" in out
            assert "conv" in out
