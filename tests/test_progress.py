"""A bar where somebody looks, nothing elsewhere."""

import io
import sys

import pytest

from rankscope.cli.progress import telling
from rankscope.progress import Bar
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
    with telling("first") as progress:
        assert progress is None
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
    with pytest.raises(ZeroDivisionError), telling("first") as progress:
        progress(1 / 0)
    assert progress is not None
    assert screen.getvalue().endswith("\x1b[2K")
