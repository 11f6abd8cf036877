"""Decisions: every page answers the same four questions, stands in the table, and no number is missing unexplained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
INDEX = (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_has_question_options_choice_and_who_would_disagree(page):
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^\*\*(Question|Options|Choice|Who would disagree)\.\*\*", text, re.MULTILINE)
    assert sorted(set(headings), key=headings.index) == headings
    assert {*headings} == {"Question", "Options", "Choice", "Who would disagree"}
    assert headings[0] == "Question"
    assert headings[-1] == "Who would disagree"
    assert text.startswith(f"# {int(page.name[:4])}. ")


def test_every_page_stands_in_the_table():
    assert re.findall(r"^\| \[(\d+)\]\(([^)]+)\)", INDEX, re.MULTILINE) == [
        (str(int(page.name[:4])), page.name) for page in PAGES
    ]


def test_missing_numbers_are_explained():
    numbers = {int(page.name[:4]) for page in PAGES}
    introduction = INDEX.partition("| | decision |")[0].partition("Numbers are never used twice")[2]
    explained = {int(number) for number in re.findall(r"\b\d+\b", introduction)}
    for first, last in re.findall(r"\b(\d+)\s+to\s+(\d+)\b", introduction):
        explained |= {*range(int(first), int(last) + 1)}
    assert {*range(1, max(numbers))} - numbers == explained
