"""Files of checkpoints are trusted only as far as they are checked: damage means that a unit is done again."""

import json
import os
import random
import shutil
import time
from contextlib import suppress
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from marks import slow

import rankscope as rs
from rankscope import InputError, outputs, studies
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.studies.checkpoints import (
    MANIFEST,
    Checkpoints,
    _seal,
    read_arrays,
    read_manifest,
    write_manifest,
)
from rankscope.studies.reproduce import Pictures, paper
from rankscope.studies.reproduce.writing import record_of
from rankscope.studies.runner import Run, shaped

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
FEW = Resampling(20, 5)


@pytest.fixture(scope="module")
def judged():
    return rs.load(*embedded(), keep_docs=True)


def everything(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


KEPT = {
    "agreement": lambda j, **k: studies.agreement(j, ["AP", "RR"], depths=5, **k),
    "consistency": lambda j, **k: studies.consistency(j, ["AP", "RR"], resampling=FEW, **k),
    "consistency over splits": lambda j, **k: studies.consistency(j, ["AP", "RR"], resampling=FEW, test="splits", **k),
    "incompleteness": lambda j, **k: studies.incompleteness(
        j, ["AP"], fractions=0.5, resampling=Resampling(1), sampling="uniform", **k
    ),
    "locality": lambda j, **k: studies.locality(j, ["AP", "RR"], ["sgnLP"], **k),
    "power": lambda j, **k: studies.discriminative_power(j, ["AP", "RR"], resampling=FEW, tests=["t", "sign"], **k),
    "removal": lambda j, **k: studies.removal(j, "AP", (), fractions=0.5, resampling=Resampling(1), **k),
    "removal of topics": lambda j, **k: studies.removal(
        j, "AP", (), fractions=0.5, resampling=Resampling(1), removed="topics", **k
    ),
    "scales": lambda j, **k: studies.scales(j, ["P@3", "nDCG@3"], depth=3, documents=3, **k),
    "similarity": lambda j, **k: studies.similarity(j, ["AP", "nDCG@10"], resampling=FEW, **k),
    "ties": lambda j, **k: studies.ties(j, "AP", (), fractions=0.5, resampling=Resampling(1), **k),
}


@pytest.mark.parametrize("study", ["ties", *slow(*(study for study in KEPT if study != "ties"))])
def test_flipped_bits_of_real_checkpoints(study, judged, tmp_path):
    """No flip of a bit changes a number: 400 in the files, and the whole study again after one in each of them."""
    complete = KEPT[study](judged, checkpoints=tmp_path, workers=1).to_dict()
    before, draw = everything(tmp_path), random.Random(study)
    kept = Checkpoints.of(tmp_path, read_manifest(tmp_path))
    paths = {kept.path(unit).name: unit for unit in kept.units}
    assert {*paths, MANIFEST} == {*before}
    manifest, arrays = read_manifest(tmp_path), {unit: kept.get(unit) for unit in kept.units}
    assert all(stored is not None for stored in arrays.values())
    for _ in range(400):
        name = draw.choice(list(before))
        spoiled = bytearray(before[name])
        spoiled[draw.randrange(len(spoiled))] ^= 1 << draw.randrange(8)
        (tmp_path / name).write_bytes(spoiled)
        if name == MANIFEST:
            assert read_manifest(tmp_path) in (None, manifest)  # white space is no content
        else:
            assert kept.get(paths[name]) is None
        (tmp_path / name).write_bytes(before[name])
    for name, content in before.items():
        spoiled = bytearray(content)
        spoiled[draw.randrange(len(spoiled))] ^= 1 << draw.randrange(8)
        (tmp_path / name).write_bytes(spoiled)
    assert KEPT[study](judged, checkpoints=tmp_path, workers=1).to_dict() == complete
    assert read_manifest(tmp_path) == manifest
    assert kept.done() == list(kept.units)


def forged(kept, unit, arrays):
    """Arrays of any kind with a hash that is right."""
    archive = BytesIO()
    np.savez(archive, allow_pickle=True, **arrays)
    content = archive.getvalue()
    kept.path(unit).write_bytes(content + _seal(content, f"{kept.key} {unit}"))


@pytest.mark.parametrize("study", KEPT)
def test_arrays_that_cannot_be_of_the_unit(study, judged, tmp_path):
    """Other shapes, types and names with a hash that is right: the unit is done again."""
    complete = KEPT[study](judged, checkpoints=tmp_path, workers=1).to_dict()
    kept = Checkpoints.of(tmp_path, read_manifest(tmp_path))
    arrays = kept.get(kept.units[0])
    name = next(iter(arrays))
    for other in (
        {},
        {**arrays, name: np.zeros((2, *arrays[name].shape))},
        {**arrays, name: np.full(arrays[name].shape, "x")},
        {**arrays, name: np.full(arrays[name].shape, 1j)},
        {**arrays, name: np.full(arrays[name].shape, None)},  # objects, which are pickled
        {**arrays, "another": np.zeros(3)},
    ):
        forged(kept, kept.units[0], other)
        assert KEPT[study](judged, checkpoints=tmp_path, workers=1).to_dict() == complete
    assert {key: value.tobytes() for key, value in kept.get(kept.units[0]).items()} == {
        key: value.tobytes() for key, value in arrays.items()
    }


def test_archives_that_are_none(tmp_path):
    """With a hash that is right, and nothing that numpy could read; or a small file that holds gigabytes of zeros."""
    huge = BytesIO()
    with ZipFile(huge, "w", ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", b"\x93NUMPY\x01\x00v\x00" + b" " * 10_000)
    claim = BytesIO()
    with ZipFile(claim, "w") as archive:
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846975,), }"
        archive.writestr("x.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    path = tmp_path / "0000-x.npz"
    for content in (b"", b"PK", os.urandom(500), huge.getvalue(), claim.getvalue()):
        path.write_bytes(content + _seal(content, "k u"))
        assert read_arrays(path, "k u") is None
    path.unlink()
    path.mkdir()
    assert read_arrays(path, "k u") is None
    assert read_arrays(tmp_path / "nothing", "k u") is None


def test_a_unit_of_another_study(tmp_path):
    """Files answer for their study, its settings and their unit."""

    def kept(folder, **settings):
        return Checkpoints.open(tmp_path / folder, "s", settings, ["u", "v"])

    first, second = kept("first", x=1), kept("second", x=2)
    for checkpoints in (first, second):
        checkpoints.put("u", {"value": np.array(1.0)})
    shutil.copy(first.path("u"), second.path("u"))
    shutil.copy(first.path("u"), first.path("v"))
    assert second.get("u") is None
    assert first.get("v") is None
    assert first.get("u") == {"value": 1.0}


@pytest.mark.parametrize(
    "content",
    ["", "[1]", "{}", '{"study": "s"}', "[" * 100_000, '{"a":' * 100_000, "\ud800", "NaN"],
    ids=["nothing", "list", "empty", "no hash", "deep list", "deep mapping", "surrogate", "not a number"],
)
def test_manifests_that_are_none(content, tmp_path):
    """A study begun before goes on, what it has kept included; nobody's files are refused."""

    def study(folder):
        return Run(folder, workers=1).conduct(
            "s", ["u"], lambda unit, _: {"value": np.array(next(calls))}, dict, settings={}, fits=shaped(value=(int,))
        )  # fmt: skip

    calls = iter(range(9))
    assert study(tmp_path / "s") == {"u": {"value": 0}}
    (tmp_path / "s" / MANIFEST).write_bytes(content.encode("utf-8", "surrogatepass"))
    assert read_manifest(tmp_path / "s") is None
    assert study(tmp_path / "s") == {"u": {"value": 0}}
    assert read_manifest(tmp_path / "s")["study"] == "s"
    (tmp_path / "s" / "thesis.tex").write_text("mine")
    (tmp_path / "s" / MANIFEST).write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError, match="holds 1 file and no study"):
        study(tmp_path / "s")


def test_a_damaged_scorecard(judged, tmp_path):
    wanted = {"measures": ["AP"], "methods": [], "studies": ["power", "agreement"], "resampling": FEW}
    card = studies.metrics(judged, **wanted, checkpoints=tmp_path)
    sound = read_manifest(tmp_path)
    (tmp_path / MANIFEST).write_text((tmp_path / MANIFEST).read_text().replace("0.05", "0.06"))
    with pytest.raises(InputError, match=r"is no manifest of a study, or damaged(.|\n)*metrics --checkpoint"):
        studies.scorecard_from(tmp_path, judged)
    assert str(studies.metrics(judged, **wanted, checkpoints=tmp_path)) == str(card)
    assert read_manifest(tmp_path) == sound
    for change in (
        {"columns": 5}, {"columns": {"power": None}}, {"columns": {"nothing": {}}}, {"measures": 5},
        {"measures": {"AP": 5}}, {"measures": {"AP": "nonsense"}}, {"methods": 5}, {"methods": ["nonsense"]},
        {"alpha": "x"}, {"alpha": None}, {"level": []}, {"depth": "x"}, {"loaded_depth": "x"}, {"depth": -1},
        {"columns": {"power": {"resamples": "x"}}}, {"columns": {"power": {"resamples": 20}}},
    ):  # fmt: skip
        write_manifest(tmp_path, {**sound, **change})
        with pytest.raises(InputError):
            studies.scorecard_from(tmp_path, judged)
        with suppress(InputError):  # alpha may change, and columns may be added
            studies.metrics(judged, **wanted, checkpoints=tmp_path)


# reproductions

NAMES = ("../outside.csv", "/tmp/outside.csv", "table-1/../../outside.csv", "notes.csv", "table-1.sh", "Table-1.csv",
         "table-1.csv\n", "checkpoints/study.json", "index.md", "table-2.csv", "..", "",
         "table-1b.tex.csv")  # fmt: skip


def forge(record, name):
    """The record with another name for its first file."""
    files = {name if at == 0 else old: text for at, (old, text) in enumerate(record["files"].items())}
    captions = {name if at == 0 else old: text for at, (old, text) in enumerate(record["captions"].items())}
    return {**record, "files": files, "captions": captions}


@pytest.mark.parametrize("name", NAMES)
def test_a_crafted_reproduction_writes_nowhere(name, tmp_path):
    """Names that an item does not give its files, with a hash that is right: the item is made again."""
    folder = tmp_path / "in" / "out"
    studies.reproduce("ipso", folder)
    before = everything(tmp_path)
    kept = Checkpoints.of(folder / "checkpoints", read_manifest(folder / "checkpoints"))
    unit = kept.units[0]
    record = json.loads(kept.get(unit)["files"].tobytes())
    assert record_of(paper("ipso").items[0], kept.get(unit)) == record
    forged(kept, unit, {"files": np.frombuffer(json.dumps(forge(record, name)).encode(), np.uint8)})
    studies.reproduce("ipso", folder)
    assert everything(tmp_path) == before


def test_records_that_are_none(tmp_path):
    """Any other form of a record means that the item is made again; the page leaves it out."""
    folder = tmp_path / "out"
    studies.reproduce("ipso", folder)
    before = everything(tmp_path)
    kept = Checkpoints.of(folder / "checkpoints", read_manifest(folder / "checkpoints"))
    unit = kept.units[0]
    record = json.loads(kept.get(unit)["files"].tobytes())
    first = next(iter(record["files"]))
    for content in (
        b"", b"[" * 100_000, b"5", b"{}", b'{"files": 5}', json.dumps({**record, "files": [first]}).encode(),
        json.dumps({**record, "files": {first: 5}}).encode(), json.dumps({**record, "captions": {}}).encode(),
        json.dumps({**record, "left_out": {"x": None}}).encode(),
        json.dumps({**record, "drawings": {first: "x"}}).encode(),
        json.dumps({**record, "more": {}}).encode(), json.dumps({**record, "files": {first: "a,b\n1\n"}}).encode(),
    ):  # fmt: skip
        forged(kept, unit, {"files": np.frombuffer(content, np.uint8)})
        studies.reproduce("ipso", folder)
        assert everything(tmp_path) == before


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_are_not_followed(tmp_path):
    folder, outside = tmp_path / "out", tmp_path / "outside"
    studies.reproduce("ipso", folder)
    sound = everything(folder)
    outside.write_text("mine")
    table = next(name for name in sound if name.endswith(".csv"))
    (folder / table).unlink()
    (folder / table).symlink_to(outside)
    studies.reproduce("ipso", folder)
    assert outside.read_text() == "mine"
    assert everything(folder) == sound
    shutil.move(folder / "checkpoints", tmp_path / "elsewhere")
    (folder / "checkpoints").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a link"):
        studies.reproduce("ipso", folder)


@pytest.mark.parametrize("file", ["study.json", "unit", "9999-pictures.npz"])
def test_a_damaged_reproduction_is_made_again(file, tmp_path):
    """Files that were written are known as ours though the checkpoint that lists them is damaged."""
    pictures = Pictures(("svg",), lambda *_: {"svg": b"<svg/>"})
    folder = tmp_path / "out"
    studies.reproduce("ipso", folder, pictures=pictures)
    before = everything(folder)
    checkpoints = folder / "checkpoints"
    path = next(checkpoints.glob("0*.npz")) if file == "unit" else checkpoints / file
    path.write_bytes(path.read_bytes()[:-1])
    studies.reproduce("ipso", folder, pictures=pictures)
    assert everything(folder) == before


# what was left unfinished


def test_what_was_left_unfinished_goes(tmp_path):
    folder = tmp_path / "out"
    studies.reproduce("ipso", folder)
    before = everything(folder)
    names = [
        "checkpoints/study.json",
        "checkpoints/0001-x.npz",
        f"checkpoints/0002-{'x' * 60}.npz",
        "checkpoints/9999-pictures.npz",
        "index.md",
        "table-1.csv",
        f"table-1{'-long' * 12}.csv",
        f"figure-1{'-long' * 12}.svg",
    ]
    abandoned = time.time() - outputs.ABANDONED - 60
    for name in names:
        part = outputs._unfinished(folder / name)
        part.write_text("begun")
        os.utime(part, (abandoned, abandoned))
    assert len([name for name in everything(folder) if name.endswith(".part")]) == len(names)
    mine = folder / "thesis.7-7.part"
    mine.write_text("mine")
    os.utime(mine, (abandoned, abandoned))
    running = folder / "checkpoints" / "study.json.999999999-1.part"  # of a process on another machine
    running.write_text("being written")
    studies.reproduce("ipso", folder)
    left = {name for name in everything(folder) if name.endswith(".part")}
    assert left == {"thesis.7-7.part", str(running.relative_to(folder))}
    assert {name: content for name, content in everything(folder).items() if name not in left} == before
