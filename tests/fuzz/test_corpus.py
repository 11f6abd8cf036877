"""Every text that was ever awkward, through every way into the kernels, with many options.

A failing file names what is wrong; `python3 dev.py fuzz` writes the files that belong here.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rankscope.kernels.compiled", reason="the compiled core was not built")

from fuzz import engine, ordering, texts

KNOWN = engine.corpus()


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory):
    return [target for target, _ in engine.all_targets(tmp_path_factory.mktemp("files"))]


def words(raw: bytes) -> texts.Words:
    """The ids of a text, as well as they can be told: first and third of each line."""
    rows = [line.replace(b"\t", b" ").split(b" ") for line in raw.splitlines()[:200]]
    rows = [[f for f in row if f] for row in rows]
    topics = tuple(dict.fromkeys(row[0] for row in rows if row)) or (b"7",)
    docs = tuple(dict.fromkeys(row[2] for row in rows if len(row) > 2)) or (b"a",)
    return texts.Words(topics[:4], docs)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if place % 10 else []) for place, name in enumerate(KNOWN)]
)
def test_kernels_and_diagnosis_agree(name: str, ways) -> None:
    raw = KNOWN[name]
    step = 5 if len(raw) < 5000 else 29  # of many options some will do; 5 and 29 mix them all
    for target in ways:
        for option in target.options[:: step if len(target.options) > 20 else 1]:
            target.begin(option, words(raw))
            wrong = [what for what in [engine.checked(target, raw)] if what]
            wrong += [what for _, what in target.end()]
            assert not wrong, (target.name, option)


def test_the_same_seed_gives_the_same_texts(tmp_path: Path) -> None:
    def tried() -> list[tuple[str, bytes]]:
        seen: list[tuple[str, bytes]] = []
        box = engine.Box(tmp_path / "box")
        box.note = lambda done, batch, label, raw: seen.append((label, raw))
        batches = engine.Engine(5, box, tmp_path)
        for number in range(6):
            assert list(batches.batch(number)) == []
        assert len(seen) == batches.done == sum(batches.counts.values())
        return seen

    first = tried()
    assert first == tried()
    assert len(set(first)) > 0.8 * len(first)


@pytest.mark.slow
def test_two_workers_to_the_end(tmp_path: Path) -> None:
    """They do not end at the same time."""
    command = [sys.executable, "-m", "fuzz", "--executions", "700", "--processes", "2", "--findings", str(tmp_path),
               "--limit", "120"]  # fmt: skip
    here = os.pathsep.join([str(engine.CORPUS.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": here}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    tried, counts, findings = (done.stdout.splitlines()[n] for n in (0, 2, 3))
    assert int(tried.split()[0]) == sum(int(one.split()[1].replace(",", "")) for one in counts.split(", ")) >= 700
    assert findings == "0 findings"


@pytest.mark.parametrize("part", ["code", "start", "length", "topic", "dropped"])
def test_a_difference_is_found_even_in_a_batch(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong answer of the twin among many texts that were compared together."""
    target = ordering.OrderText()
    target.begin(ordering.ORDERS[0], texts.Words((b"7", b"8"), (b"a", b"b", b"c")))
    good = [b"7 Q0 a 1 %d t\n7 Q0 b 1 2 t\n" % n for n in range(20)]
    true = target.twin

    def lies(raw: bytes):
        got = true(raw)
        if b"1 13 t" in raw:
            object.__setattr__(got, part, getattr(got, part) + 1)
        return got

    monkeypatch.setattr(target, "twin", lies)
    assert [target.check(raw) for raw in good] == [None] * 20
    assert [raw for raw, _ in target.end()] == [good[13]]
