"""Everything wrong is said: file, line, cause, cure."""

import gzip

import pytest

from rankscope import InputError, load
from rankscope.errors import SHOWN

QRELS = "7 0 a 1\n7 0 b 0\n8 0 a 2\n"
RUN = "7 Q0 a 1 2.5 tag\n7 Q0 b 2 1.5 tag\n8 Q0 a 1 3 tag\n"


def told(tmp_path, *, qrels=QRELS, runs=None, **options):
    """The message for these files."""
    (tmp_path / "qrels").write_bytes(qrels if isinstance(qrels, bytes) else qrels.encode())
    for name, content in (runs or {"run": RUN}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as error:
        load(tmp_path / "qrels", [tmp_path / name for name in runs or {"run": RUN}], **options)
    return str(error.value).replace(str(tmp_path) + "/", "")


def test_all_problems_at_once_with_file_and_line(tmp_path):
    runs = {
        "one": RUN + "8 Q0 b 2 11.2\n\n8 Q0 c 3 high tag\n7 Q0 a 9 0.1 tag\n8 Q0 d 4 inf tag\n",
        "two": "7 Q0 a 1 1e400 x\n7 Q0 b 1 1 x y\n",
    }
    assert told(tmp_path, runs=runs).splitlines() == [
        "one:4: 5 fields, expected 6 (topic Q0 document rank score tag): '8 Q0 b 2 11.2'",
        "one:6: score 'high' is no finite number",
        "one:7: document 'a' appears twice in topic '7' (first at line 1)",
        "one:8: score 'inf' is no finite number",
        "two:1: score '1e400' is no finite number",
        "5 problems; give 6 fields per line, none of them with a blank in it; give every score as a number; "
        "keep the first of each repeated document with duplicates='first'",
    ]


def test_judgments(tmp_path):
    qrels = QRELS + "8 0 b\n8 0 c one\n7 0 a 0\n8 0 d nan\n"
    assert told(tmp_path, qrels=qrels).splitlines()[:-1] == [
        "qrels:4: 3 fields, expected 4 (topic iteration document grade): '8 0 b'",
        "qrels:5: grade 'one' is no finite number",
        "qrels:7: grade 'nan' is no finite number",
    ]
    assert told(tmp_path, qrels=QRELS + "7 0 a 0\n").splitlines()[0] == (
        "qrels:4: document 'a' appears twice in topic '7' (first at line 1)"
    )


def test_the_first_twenty_then_a_count(tmp_path):
    lines = told(tmp_path, runs={"run": RUN + "7 Q0 x\n" * 1500}).splitlines()
    assert len(lines) == SHOWN + 2
    assert lines[0].startswith("run:4: 3 fields")
    assert lines[SHOWN] == "... and 1,480 more"
    assert lines[-1].startswith("1,500 problems; ")
    with pytest.raises(InputError) as error:
        load(tmp_path / "qrels", tmp_path / "run")
    assert error.value.problems[-1].cause == "500 more lines of this kind"


def test_files_of_the_wrong_kind(tmp_path):
    assert "run: 4 fields on every line, expected 6" in told(tmp_path, runs={"run": QRELS})
    assert "this looks like a judgments file" in told(tmp_path, runs={"run": QRELS})
    assert "qrels: 6 fields on every line, expected 4" in told(tmp_path, qrels=RUN)
    assert "give the judgments first" in told(tmp_path, qrels=RUN)


def test_lines_of_old_macs(tmp_path):
    assert "end lines with a line feed" in told(tmp_path, runs={"run": RUN.replace("\n", "\r")})


def test_a_list_of_json_is_told_what_can_be_read(tmp_path):
    for text in ('[["7", "a", 1]]', '[\n ["7", "a"]]'):
        assert "run: holds a list, expected an object" in told(tmp_path, runs={"run": text})


def test_a_file_of_which_no_line_is_right(tmp_path):
    text = "# Notes\n\nNothing here.\n"
    assert told(tmp_path, runs={"notes.md": text}).splitlines() == [
        "notes.md:3: no line has 6 fields (topic Q0 document rank score tag); the first is 'Nothing here.'",
        "1 problem; check that it is a run, in a format that rankscope reads",
    ]
    assert "qrels:3: no line has 4 fields" in told(tmp_path, qrels=text)


@pytest.mark.parametrize("content", ["", "\n\n", " \t\n", gzip.compress(b"", mtime=0)])
def test_empty_files(tmp_path, content):
    assert told(tmp_path, runs={"run": content}).startswith("run: is empty")
    assert told(tmp_path, qrels=content).startswith("qrels: is empty")


def test_damaged_file_among_good_ones(tmp_path):
    runs = {"good": RUN, "cut.gz": gzip.compress(RUN.encode())[:-9]}
    assert told(tmp_path, runs=runs).startswith("cut.gz: damaged or truncated gzip file")


def test_nothing_in_common(tmp_path):
    message = told(tmp_path, runs={"run": "9 Q0 a 1 1 x\n10 Q0 a 1 1 x\n"})
    assert message.splitlines()[0].startswith("run: no topic in common with ")
    assert message.splitlines()[0].endswith("here '9', '10', there '7', '8'")


def test_many_runs_without_a_judged_topic_are_one_line(tmp_path):
    """Up to three are named; of more the first one stands for all, and the count says how many."""
    strange = "9 Q0 a 1 1 x\n10 Q0 a 1 1 x\n"
    for folder in ("few", "many"):
        (tmp_path / folder).mkdir()
    few = told(tmp_path / "few", runs={f"run{n}": strange for n in range(3)} | {"good": RUN}).splitlines()
    assert [line.split(":")[0] for line in few[:-1]] == ["run0", "run1", "run2"]
    many = told(tmp_path / "many", runs={f"run{n}": strange for n in range(4)} | {"good": RUN}).splitlines()
    assert len(many) == 2
    assert many[0].startswith("run0: no topic in common with ")
    assert many[0].endswith("here '9', '10', there '7', '8' (4 of 5 runs have none in common)")
    assert many[1] == "4 problems; check that runs and judgments belong together"


def test_two_systems_of_one_name(tmp_path):
    assert told(tmp_path, runs={"x/run.txt": RUN, "y/run.gz": RUN}).startswith(
        "2 systems are named 'run': x/run.txt, y/run.gz"
    )
    judged = load(tmp_path / "qrels", [tmp_path / "x/run.txt", tmp_path / "y/run.gz"], names="path")
    assert judged.systems == (str(tmp_path / "x/run"), str(tmp_path / "y/run"))


def test_names_from_tags(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    assert load(tmp_path / "qrels", tmp_path / "run", names="tag").systems == ("tag",)
    json = told(tmp_path, runs={"run": '{"7": {"a": 1}}'}, names="tag")
    assert json == "run: JSON has no tags\n1 problem; name systems by file or path (names='file', names='path')"
    assert "2 different tags ('tag', 'other')" in told(tmp_path, runs={"run": RUN + "8 Q0 c 1 1 other\n"}, names="tag")


def test_missing_files(tmp_path):
    with pytest.raises(InputError, match=r"nothing: no such file"):
        load(tmp_path / "nothing", tmp_path / "run")


def test_ranks_are_read_only_when_they_matter(tmp_path):
    run = RUN.replace(" 2 1.5", " second 1.5")
    assert told(tmp_path, runs={"run": run}, ties="rank").startswith("run:2: rank 'second' is no finite number")
    assert load(tmp_path / "qrels", tmp_path / "run").systems == ("run",)


def test_options_that_do_not_exist():
    with pytest.raises(InputError) as error:
        load({"7": {"a": 1}}, {"7": {"a": 1.0}}, ties="random", depth=0, missing="keep")
    assert [p.cause for p in error.value.problems] == [
        "ties='random' is unknown",
        "missing='keep' is unknown",
        "depth=0",
    ]


def test_dictionaries():
    with pytest.raises(InputError) as error:
        load({"7": {"a": 1}}, {7.0: {"a": 1.0}, "8": {"a": "x", "b": float("nan"), (3,): 1.0}})
    assert [p.cause for p in error.value.problems] == [
        "topic 7.0 is a float, expected a string",
        "topic '8', document 'a': score 'x' is no finite number",
        "topic '8', document 'b': score nan is no finite number",
        "topic '8': document (3,) is a tuple, expected a string",
    ]
    with pytest.raises(InputError, match="is empty"):
        load({}, {"7": {"a": 1.0}})
    with pytest.raises(InputError, match="qrels: is empty") as error:
        load({"7": {}}, "nowhere")
    assert [p.cause for p in error.value.problems] == ["is empty", "no such file"]
    with pytest.raises(InputError, match="has no ranks"):
        load({"7": {"a": 1}}, {"7": {"a": 1.0}}, ties="rank")
