"""A bar where somebody looks, nothing elsewhere."""

import io
import re
import sys
import time

import pytest

from rankscope.cli import main
from rankscope.progress import Bar, heard
from rankscope.studies import Progress


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def look(monkeypatch):
    """Somebody looks from here on; not at once, since stderr is caught anew when the test itself begins."""

    def look():
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stderr", Screen())
        return sys.stderr

    return look


def _step(done):
    return Progress(study="ties", unit="[b]AP[/b]", done=done, total=3, elapsed=1.0, left=2.0)


def test_nobody_looks(capsys):
    bar = Bar("first")
    bar(0.5)
    bar(_step(3))
    assert not bar.seen
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal(look):
    screen = look()
    with Bar("reading [red]") as bar:
        bar("scoring")
        bar(_step(1))
    shown = screen.getvalue()
    assert "reading [red]" in shown  # names are not markup
    assert "scoring" in shown
    assert shown.endswith("\x1b[2K")  # the line is wiped out


def test_long_work_that_tells_nothing_is_shown_after_the_delay(look):
    screen = look()
    with Bar("comparing", delay=0.01):
        for _ in range(500):
            if "comparing" in screen.getvalue():
                break
            time.sleep(0.01)
    assert "comparing" in screen.getvalue()


def test_a_bar_that_is_closed_before_the_delay_stays_away(look):
    screen = look()
    with Bar("comparing", delay=0.2) as bar:
        bar(0.5)
        bar(1.0)
    time.sleep(0.3)
    assert screen.getvalue() == ""


def test_it_comes_back_after_the_end(look):
    screen = look()
    bar = Bar()
    bar(_step(3))
    first = screen.getvalue()
    assert "ties: 3 of 3 done ([b]AP[/b])" in first
    bar(1.0)
    assert "100 %" in screen.getvalue()[len(first) :]


def test_pictures_are_seldom(look):
    look()
    shown = []
    bar = Bar()
    bar._screen.show = lambda share, text: shown.append(share)
    for i in range(1000):
        bar(i / 1000)
    bar(1.0)
    assert shown[0] == 0
    assert shown[-1] == 1
    assert len(shown) < 500


def test_a_command_on_a_terminal(look):
    screen = look()
    with pytest.raises(ZeroDivisionError), Bar("first") as bar:
        bar(1 / 0)
    assert bar.seen
    assert screen.getvalue().endswith("\x1b[2K")


@pytest.fixture
def shown(look, monkeypatch):
    """Gives the texts that are shown from here on, and the time as the bar sees it."""

    def shown():
        look()
        texts, now = [], [100.0]
        monkeypatch.setattr("rankscope.progress.time.monotonic", lambda: now[0])
        monkeypatch.setattr("rankscope.progress._Terminal.show", lambda _, share, text: texts.append(text))
        return texts, now

    return shown


def test_shares_tell_the_time_that_is_left(shown):
    texts, now = shown()
    with Bar("counting") as bar:
        bar(0.0)
        now[0] += 5
        bar(0.25, "AP")
        now[0] += 5
        bar(1.0)
    assert texts == ["counting", "counting 25 %, AP, 15 s left", "counting 100 %"]


def test_short_work_shows_nothing(shown):
    texts, now = shown()
    with Bar("reading", delay=0.5) as bar:
        bar(0.1, "bm25")
        now[0] += 0.4
        bar(1.0)
        assert texts == []
        now[0] += 0.2
        bar(0.1, "bm25")
    assert texts == ["reading 10 %, bm25"]


def test_what_follows_the_last_share_is_named(shown):
    texts, now = shown()
    with Bar("reading", delay=0.5) as bar:
        now[0] += 1
        bar(1.0)
        bar.go_on("checking")
    assert texts == ["reading 100 %", "checking"]


def test_steps_are_heard():
    shares = []
    assert list(heard(iter("abcd"), 4, shares.append)) == list(heard(iter("abcd"), 4, None)) == list("abcd")
    assert shares == [0.25, 0.5, 0.75, 1]


LONG_WORK = [
    ("comparing", "compare qrels.gz runs/lexical-3.gz runs/hybrid-1.gz"),
    ("scoring", "evaluate qrels.gz runs"),
    ("scoring", "evaluate qrels.gz runs --bounds"),
    ("checking", "gate qrels.gz runs/lexical-3.gz runs/hybrid-1.gz"),
    ("comparing", "ipso pairs"),
    ("ranking", "rank qrels.gz runs"),
    ("checking", "validate qrels.gz runs"),
    ("counting", "enumerate -k 4 --order"),
    ("counting", "enumerate -k 4 --freedom"),
    ("counting", "enumerate -k 4 --grades 2 --separability"),
    ("counting", "enumerate -k 4 --values"),
    ("counting", "enumerate -k 4"),
    ("counting", "enumerate -k 4 --runs qrels.gz runs"),
    ("counting", "enumerate -k 4 --separability --runs qrels.gz runs"),
]


@pytest.mark.parametrize(("work", "line"), LONG_WORK)
def test_commands_that_may_take_long_tell_their_share(work, line, look, tmp_path, monkeypatch, capsys):
    """With delays of nothing, the bar of what follows the reading has shares, from which the time left is known."""
    assert main(["demo", "-o", str(tmp_path)]) == 0
    (tmp_path / "pairs").write_text("101 011\n110 011\n")
    monkeypatch.chdir(tmp_path)
    look()
    texts = []
    monkeypatch.setattr("rankscope.progress._Terminal.show", lambda _, share, text: texts.append(text))
    monkeypatch.setattr("rankscope.progress.SELDOM", 0.0)
    enter = Bar.__enter__

    def at_once(bar):
        bar._delay = 0.0
        bar._screen.show(None, bar._first)
        return enter(bar)

    monkeypatch.setattr(Bar, "__enter__", at_once)
    assert main(line.split()) == 0
    assert work in texts
    assert any(re.match(rf"{work} \d+ %", text) for text in texts), texts


def test_time_left_is_that_of_the_work_at_hand(shown):
    texts, now = shown()
    with Bar("reading") as bar:
        now[0] += 60
        bar(1.0)
        bar.go_on("checking")
        now[0] += 2
        bar(0.5)
    assert texts[-1] == "checking 50 %, 2 s left"
