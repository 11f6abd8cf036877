"""What tests of figures ask of a drawing."""

import re

import pytest

from rankscope.figures import FIGURES
from rankscope.statistics import Resampling

FEW = Resampling(200)
QUIET = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")  # one topic has no relevant document
EVERY = [figure for figure in FIGURES if not figure.needs]
EACH = pytest.mark.parametrize("figure", EVERY, ids=lambda f: f"{f.name} of {f.of.__module__}.{f.of.__name__}")


def width(svg):
    return float(svg.split('width="')[1].split('"')[0])


def least_letters(svg):
    """The smallest letters in points, in a column of 8.5 cm, which are 241 points."""
    return min(map(float, re.findall(r'font-size="([\d.]+)px"', svg))) * 241 / width(svg)


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")
