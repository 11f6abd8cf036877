"""Pipes in place of files: some commands read their input more than once, and two arguments may be one pipe."""

import gzip
import os
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.io.files import pipes_kept

pytestmark = pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="pipes have no paths here")
QRELS, RUNS = rs.simulation.embedded()


@contextmanager
def piped(*paths):
    """Paths of pipes that these files are written into."""
    ends = [os.pipe() for _ in paths]

    def write(end, path):
        with os.fdopen(end, "wb") as file:
            file.write(path.read_bytes())

    writers = [threading.Thread(target=write, args=(end, path)) for (_, end), path in zip(ends, paths, strict=True)]
    for writer in writers:
        writer.start()
    yield [f"/dev/fd/{end}" for end, _ in ends]
    for writer, (end, _) in zip(writers, ends, strict=True):
        while os.read(end, 1 << 16):  # where nobody wanted it
            pass
        writer.join()
        os.close(end)


@pytest.mark.parametrize(
    ("command", "count"),
    [
        (["evaluate", "FILES", "--csv"], 2),
        (["evaluate", "FILES", "--csv", "--names", "tag"], 2),
        (["compare", "FILES", "--csv", "--resamples", "100"], 3),
        (["validate", "FILES"], 3),
        (["gate", "FILES", "--csv"], 3),
    ],
)
def test_a_pipe_is_as_good_as_a_file(command, count, tmp_path, capsys):
    files, said = [QRELS, *RUNS][:count], []
    with piped(*files) as pipes:
        links = [tmp_path / rs.io.system_name(path) for path in files]  # systems are named after them
        for link, pipe in zip(links, pipes, strict=True):
            link.symlink_to(pipe)
        for given in (files, links):
            assert main([word for one in command for word in (map(str, given) if one == "FILES" else [one])]) == 0
            said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_explain_reads_a_pipe_as_often_as_it_needs(capsys):
    with piped(QRELS, RUNS[0]) as (qrels, run):
        assert main(["explain", "nDCG@10", "--qrels", qrels, "--runs", run]) == 0
    piped_out = capsys.readouterr().out
    assert main(["explain", "nDCG@10", "--qrels", str(QRELS), "--runs", str(RUNS[0])]) == 0
    assert capsys.readouterr().out == piped_out


@pytest.mark.parametrize("more", [[], ["--memory", "8GiB"]])
@pytest.mark.parametrize("files", [["PIPE", "PIPE"], ["QRELS", "PIPE", "AGAIN"]])
def test_one_pipe_for_two_arguments(files, more, capsys, tmp_path):
    """Each would get some of it, and which part, no one knows."""
    with piped(RUNS[0]) as (pipe,):
        (tmp_path / "again").symlink_to(pipe)
        stand = {"PIPE": pipe, "QRELS": str(QRELS), "AGAIN": str(tmp_path / "again")}
        assert main(["evaluate", *(stand[one] for one in files), *more]) == 2
    said = capsys.readouterr().err
    assert "one pipe for 2 files" in said
    assert "a pipe can be read only once" in said


def test_a_pipe_that_was_read_before():
    with piped(RUNS[0]) as (pipe,):
        rs.load(QRELS, pipe)
        with pytest.raises(rs.InputError, match=r"nothing comes out of this pipe\n.*can be read only once"):
            rs.load(QRELS, pipe)
        with pytest.raises(rs.InputError, match="nothing comes out of this pipe"):
            rs.evaluate(rs.stream(QRELS, pipe), "AP")


def test_pipes_are_kept_while_asked_for_and_no_longer(tmp_path):
    (tmp_path / "run").write_bytes(b"\xef\xbb\xbf" + gzip.decompress(RUNS[0].read_bytes()))
    with piped(tmp_path / "run") as (pipe,):
        with pipes_kept():
            first = rs.load(QRELS, pipe)
            with pipes_kept():
                assert (rs.load(QRELS, pipe).code == first.code).all()
            assert (rs.load(QRELS, pipe).code == first.code).all()
        with pytest.raises(rs.InputError, match="nothing comes out"):
            rs.load(QRELS, pipe)
