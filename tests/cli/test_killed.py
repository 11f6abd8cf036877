"""Commands killed at any moment: files are whole or not there, and the same command goes on to the same bytes."""

import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from marks import slow

from rankscope.simulation import embedded

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
MOMENTS = 30
FEW = ["--resamples", "50", "--workers", "1"]


def files():
    qrels, runs = embedded()
    return [str(qrels), *map(str, runs[:4])]


def commands(folder):
    """Writing commands by name: the command, and what it writes."""
    qrels, a, b, *more = files()
    studies = ["--splits", "20", "--samples", "1", *FEW]
    return {
        "metrics": (
            ["metrics", qrels, a, b, *more, "-m", "AP", "RR", "--studies", "power", "consistency", "locality",
             "--checkpoint", f"{folder}/kept", "-o", f"{folder}/card.json", *studies],
            ["kept", "card.json"],
        ),
        "reproduce": (
            ["reproduce", "lexiprecision", qrels, a, b, *more, "-o", f"{folder}/paper", "--figures", "none", *studies],
            ["paper"],
        ),
        "report": (["report", qrels, a, b, *more, "-o", f"{folder}/page.html", *FEW], ["page.html"]),
        "compare": (["compare", qrels, a, b, "-o", f"{folder}/compare.json", *FEW], ["compare.json"]),
        "rank": (["rank", qrels, a, b, *more, "-o", f"{folder}/rank.csv", *FEW], ["rank.csv"]),
        "evaluate": (["evaluate", qrels, a, b, "-m", "AP", "-o", f"{folder}/scores.csv"], ["scores.csv"]),
        "convert": (["convert", a, f"{folder}/run.jsonl"], ["run.jsonl"]),
        "simulate": (["simulate", "-o", f"{folder}/sim", "--n-topics", "20"], ["sim"]),
    }  # fmt: skip


def started(command):
    arguments = [sys.executable, "-m", "rankscope", *command]
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def everything(folder, names):
    """Contents by path, of files that have a name of their own."""
    paths = [folder / name for name in names]
    paths += [inner for path in paths if path.is_dir() for inner in path.rglob("*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.is_file()}


def finished(command):
    with started(command) as process:
        _, error = process.communicate()
    assert process.returncode == 0, error


def killed_and_again(name, folder, moment):
    """Kill a command at a share of the time that it takes, look at what it left, and run it again."""
    complete, broken = folder / "complete", folder / "broken"
    complete.mkdir()
    begun = time.monotonic()
    command, written = commands(complete)[name]
    finished(command)
    took = time.monotonic() - begun
    expected = everything(complete, written)
    assert expected
    early = False
    while not early:  # one that has ended by itself tells nothing: earlier, and on new ground
        shutil.rmtree(broken, ignore_errors=True)
        broken.mkdir()
        command, written = commands(broken)[name]
        with started(command) as process:
            time.sleep(moment * took)
            early = process.poll() is None
            process.kill()
        moment *= 0.7
    left = everything(broken, written)
    whole = {path: content for path, content in left.items() if not path.endswith((".part", "/unfinished.txt"))}
    assert whole == {path: expected[path] for path in whole}  # whole, or not there; folders may say that they are begun
    resumed = name in ("metrics", "reproduce")
    finished([*command, *([] if resumed and not (broken / "card.json").exists() else ["--force"])])
    after = everything(broken, written)  # what was begun stays for an hour, and beside files of the user's for ever
    assert {path: content for path, content in after.items() if not path.endswith(".part")} == expected


@pytest.mark.parametrize("name", ["metrics", *slow("reproduce", "report")])
def test_killed_once(name, tmp_path):
    killed_and_again(name, tmp_path, 0.7)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(MOMENTS))
def test_killed_at_random_moments(number, tmp_path):
    names = ["metrics", "reproduce", "report", "metrics", "reproduce", *commands(tmp_path)]
    killed_and_again(names[number % len(names)], tmp_path, random.Random(number).uniform(0.2, 1.0))
