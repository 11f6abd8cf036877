"""The tables of rooms and shelves in docs/architecture.md are the tree and the order that imports keep."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import rankscope

ROOT = Path(__file__).parents[2]
SOURCE = Path(rankscope.__file__).parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


# a file of a measure, and the one with the argument that bounds it
DOUBLED = {"measures": {"bpref.py"}}


def first_column(header: str) -> list[list[str]]:
    """Names in the first column of the table under a header, row by row."""
    table = PAGE.split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    return [re.findall(r"`([\w/]+)`", row.split("|")[1]) for row in table.splitlines()[2:]]


def test_rooms_stand_in_the_order_that_imports_keep():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert [sorted(row) for row in first_column("room")] == [sorted(layer.split(" | ")) for layer in reversed(layers)]


def test_rooms_are_there():
    rooms = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert {name for row in first_column("room") for name in row} == rooms - {"__init__", "__main__"}


def test_shelves_are_there():
    shelves = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.glob("*/*/__init__.py")}
    assert {name for row in first_column("shelf") for name in row} == shelves


def test_files_that_the_page_names_are_there():
    named = re.findall(r"`((?:\w+/)+\w+\.(?:py|md|bib|toml))`", PAGE)
    assert named
    for name in named:
        assert (ROOT / name).is_file() or (SOURCE / name).is_file(), name


def test_no_two_files_of_one_room_have_one_name():
    for room in filter(Path.is_dir, SOURCE.iterdir()):
        names = [path.name for path in room.rglob("*.py") if path.name != "__init__.py"]
        doubled = {name for name in names if names.count(name) > 1}
        assert doubled == DOUBLED.get(room.name, set()), room.name
