"""What tests of figures ask of a drawing."""

import re

import pytest

from rankscope.figures import DARK, FIGURES, LIGHT
from rankscope.statistics import Resampling

FEW = Resampling(200)
QUIET = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")  # one topic has no relevant document
LOOKS = pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
EVERY = [figure for figure in FIGURES if not figure.needs]
EACH = pytest.mark.parametrize("figure", EVERY, ids=lambda f: f"{f.name} of {f.of.__module__}.{f.of.__name__}")


def width(svg):
    return float(svg.split('width="')[1].split('"')[0])


def least_letters(svg):
    """The smallest letters in points, in a column of 8.5 cm, which are 241 points."""
    return min(map(float, re.findall(r'font-size="([\d.]+)px"', svg))) * 241 / width(svg)


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


def parts(value):
    """Every dictionary of a specification, data aside."""
    if isinstance(value, dict):
        yield value
        for key, part in value.items():
            if key not in ("data", "datasets"):
                yield from parts(part)
    elif isinstance(value, list):
        for part in value:
            yield from parts(part)


def ticks(svg):
    """Labels of the x axes of a picture: place, text and size of the letters, by group."""
    found = []
    for group in re.findall(r'<g class="mark-text role-axis-label".*?</g>', svg, re.DOTALL):
        rows = re.findall(r'text-anchor="(\w+)" transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*font-size="([\d.]+)px"'
                          r'([^>]*)>([^<]+)<', group)  # fmt: skip
        shown = [(float(x), float(y), text, float(size)) for anchor, x, y, size, more, text in rows
                 if anchor == "middle" and 'opacity="0"' not in more]  # fmt: skip
        if len(shown) > 1 and len({row[1] for row in shown}) == 1:
            found.append([(x, text, size) for x, _, text, size in shown])
    return found
