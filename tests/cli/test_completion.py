"""Completion in the real shells that are on this machine."""

import shutil
import subprocess

import pytest

from rankscope.cli import COMMANDS, main
from rankscope.measures.names import MEASURES

BASH = """
source {script}
rankscope() {{ :; }}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_rankscope
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
CASES = [
    ("rankscope ra", {"rank"}),
    ("rankscope c", {"compare", "convert"}),
    ("rankscope rank qrels run --basel", {"--baseline"}),
    ("rankscope rank qrels run --correction h", {"holm", "hochberg"}),
    ("rankscope rank qrels run -m nDC", {"nDCG", "nDCG@10"}),
    ("rankscope rank qrels run -m AP nDC", {"nDCG", "nDCG@10"}),
    ("rankscope gate qrels a b --undefined ", {"drop", "zero"}),
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """Scripts of all shells, as the command prints them."""
    import contextlib
    import io

    folder = tmp_path_factory.mktemp("completion")
    for shell in ("bash", "zsh", "fish"):
        with contextlib.redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit) as end:
            main(["--completion", shell])
        assert not end.value.code
        (folder / shell).write_text(out.getvalue())
    return folder


def printed(*call):
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout.split("\n")


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_bash(scripts, line, expected):
    if shutil.which("bash") is None:
        pytest.skip("no bash on this machine")
    words = line.split() + ['""'] * line.endswith(" ")
    text = BASH.format(script=scripts / "bash", words=" ".join(words))
    assert {word for word in printed("bash", "--norc", "-c", text) if word} == expected


def test_bash_leaves_files_to_the_shell(scripts):
    if shutil.which("bash") is None:
        pytest.skip("no bash on this machine")
    text = BASH.format(script=scripts / "bash", words="rankscope rank qr")
    assert printed("bash", "--norc", "-c", text) == ["", ""]  # nothing of ours: `-o default` completes files


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_fish(scripts, line, expected):
    if shutil.which("fish") is None:
        pytest.skip("no fish on this machine")
    lines = printed("fish", "--no-config", "-c", f"source {scripts / 'fish'}; complete -C {line!r}")
    assert {word.split("\t")[0] for word in lines if word} == expected


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_zsh(scripts, line, expected):
    if shutil.which("zsh") is None:
        pytest.skip("no zsh on this machine")
    words = line.split() + ['""'] * line.endswith(" ")
    text = f"""
    source {scripts / "zsh"}
    (( $+_comps[rankscope] )) || exit 1
    setopt ksharrays shwordsplit
    COMP_WORDS=({" ".join(words)}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
    _rankscope
    print -l -- "${{COMPREPLY[@]}}"
    """
    typed = "" if line.endswith(" ") else words[-1]  # zsh itself keeps what begins with the word that is typed
    assert {word for word in printed("zsh", "-f", "-c", text) if word.startswith(typed) and word} == expected


def test_all_commands_and_measures_are_there(scripts):
    for shell in ("bash", "fish"):
        text = (scripts / shell).read_text()
        assert all(f" {name}" in text or f'"{name}' in text for name in COMMANDS)
        assert all(name in text for name in MEASURES)


def test_another_shell_is_refused(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--completion", "csh"])
    assert end.value.code == 2
    assert "bash, zsh, fish" in capsys.readouterr().err
