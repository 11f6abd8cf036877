"""Colours are told apart by all readers, and in grey."""

from itertools import combinations

import numpy as np
import pytest

import rankscope as rs
from rankscope.figures import DARK, LIGHT
from rankscope.figures.theme import DASHES, TONES, theme_of
from rankscope.layout import _ANSI

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
SEEN = {
    "all colours": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]])
THEMES = pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)


def lab(colour, seen=None):
    """CIE L*a*b* of a colour such as #0072b2, D65."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    if seen is not None:
        linear = np.clip(np.asarray(seen) @ linear, 0, 1)
    x, y, z = np.cbrt(np.maximum(XYZ @ linear / [0.95047, 1, 1.08883], 1e-9))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def meanings(look):
    return [look.outcomes().values(), look.categories]


def legends(look):
    """Classes that stand in one legend, by what the legend is of."""
    return {
        "who is ahead": [*look.outcomes().values()],
        "who is ahead, significant or not": [look.a, look.a_faint, look.equal, look.b_faint, look.b],
        "all pairs": [look.a, look.a_faint, look.undecided, look.b_faint, look.b],
        "documents": [*look.relevance, look.not_relevant, look.unjudged],
        "agreement": look.categories,
        "orders": [look.equal, look.either, look.undecided],
    }


@THEMES
def test_classes_of_a_legend_differ_in_luminance(look):
    """So they differ in grey, too, since grey is luminance alone."""
    for name, colours in legends(look).items():
        for one, other in combinations(colours, 2):
            assert contrast(one, other) >= 1.5, (name, one, other)


@THEMES
def test_outcomes_are_further_apart_than_that(look):
    """Most figures have no other classes: A ahead and undecided, kept and reversed are not taken for each other."""
    for one, other in combinations(look.outcomes().values(), 2):
        assert contrast(one, other) >= 1.65, (one, other)


@THEMES
@pytest.mark.parametrize("seen", SEEN)
def test_relevant_documents_are_not_taken_for_equal_or_undecided(look, seen):
    for shade in look.relevance:
        for other in (look.equal, look.undecided, look.not_relevant, look.unjudged):
            assert np.linalg.norm(lab(shade, SEEN[seen]) - lab(other, SEEN[seen])) >= 20
    # a list that has ended shows the ground
    assert np.linalg.norm(lab(look.unjudged, SEEN[seen]) - lab(look.ground, SEEN[seen])) >= 9


def test_a_terminal_has_the_tones_of_a_page():
    """Colours of 256: a cube of six steps each, and greys."""
    for i, tone in enumerate(TONES):
        code = int(_ANSI[tone].split(";")[-1])
        steps = (0, 95, 135, 175, 215, 255)
        cube = [steps[(code - 16) // place % 6] for place in (36, 6, 1)]
        rgb = [8 + 10 * (code - 232)] * 3 if code >= 232 else cube
        _, *terminal = lab("#{:02x}{:02x}{:02x}".format(*rgb))
        for look in (LIGHT, DARK):
            _, *page = lab(look.tones[i])
            assert contrast(look.tones[i], look.ground) >= 4.5
            if tone == "undecided":
                assert max(np.hypot(*page), np.hypot(*terminal)) < 8
            else:
                turn = np.degrees(np.arctan2(*page) - np.arctan2(*terminal))
                assert abs((turn + 180) % 360 - 180) < 20


def test_a_style_sheet_has_every_colour_of_a_meaning():
    names = LIGHT.variables()
    assert {"a", "b-faint", "relevance-1", "relevance-4", "unjudged", "tone-holds"} <= names.keys()
    assert names.keys() == DARK.variables().keys()


def test_lab_by_hand():
    assert lab("#ffffff") == pytest.approx([100, 0, 0], abs=0.05)
    assert lab("#777777")[0] == pytest.approx(50, abs=0.1)


@THEMES
def test_meanings_keep_apart_in_grey(look):
    for colours in meanings(look):
        lightness = sorted(lab(colour)[0] for colour in colours)
        assert min(np.diff(lightness)) >= 12


@THEMES
@pytest.mark.parametrize("seen", SEEN)
def test_meanings_keep_apart_for_all_eyes(look, seen):
    for colours in meanings(look):
        for one, other in combinations(colours, 2):
            assert np.linalg.norm(lab(one, SEEN[seen]) - lab(other, SEEN[seen])) >= 20


@THEMES
def test_meanings_stand_out_from_the_ground(look):
    for colours in meanings(look):
        for colour in colours:
            assert np.linalg.norm(lab(colour) - lab(look.ground)) >= 9
    assert contrast(look.on_a, look.a) >= 4.5
    assert contrast(look.on_b, look.b) >= 4.5
    # letters on the ground and on the pale colours under numbers
    for below in (look.ground, look.equal, look.a_faint, look.b_faint):
        assert contrast(look.ink, below) >= 4.5


@THEMES
def test_lines_that_stand_back_are_seen(look):
    assert 3 <= contrast(look.pale, look.ground) <= 3.2


def contrast(one, other):
    light, dark = sorted(((lab(c)[0] + 16) / 116 for c in (one, other)), reverse=True)
    return (light**3 + 0.05) / (dark**3 + 0.05)


@THEMES
@pytest.mark.parametrize("side", ["ramp", "below"])
def test_letters_on_the_ramp_can_be_read(look, side):
    """Squares are shaded between its colours, in equal steps of red, green and blue."""
    ramp = getattr(look, side)
    steps = len(ramp) - 1
    ends = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in ramp]
    for share in np.linspace(0, 1, 401):
        shade = [round(np.interp(share * steps, range(steps + 1), [end[i] for end in ends])) for i in range(3)]
        letters = look.on_ramp[int(share > look.turn)]
        assert contrast(letters, "#{:02x}{:02x}{:02x}".format(*shade)) >= 4.5


@THEMES
@pytest.mark.parametrize("seen", SEEN)
def test_both_sides_of_0_are_equally_light_and_of_other_hues(look, seen):
    assert look.ramp[0] == look.below[0] == look.ground
    for above, below in zip(look.ramp[1:], look.below[1:], strict=True):
        assert abs(lab(above)[0] - lab(below)[0]) < 1
        assert np.linalg.norm(lab(above, SEEN[seen]) - lab(below, SEEN[seen])) >= 10


@THEMES
def test_categories_are_not_taken_for_somebody_ahead(look):
    for category in look.categories:
        for ahead in (look.a, look.b):
            assert np.linalg.norm(lab(category) - lab(ahead)) >= 30


@THEMES
def test_no_line_has_the_colour_of_an_outcome(look):
    assert not {*look.lines} & {*look.outcomes().values(), *look.categories}


def test_lines_differ_without_colour():
    """By the number of strokes to a period, or else so much in the longest stroke or gap that it is seen at 8.5 cm."""
    assert len(DASHES) >= max(len(look.lines) for look in (LIGHT, DARK))
    for one, other in combinations(DASHES[1:], 2):
        if len(one) == len(other):
            ends = [sorted(max(dash[place::2]) for dash in (one, other)) for place in (0, 1)]
            assert max(long / short for short, long in ends) > 2.2, (one, other)


def test_themes_by_name():
    assert theme_of("dark") is DARK
    with pytest.raises(rs.InputError, match="did you mean light"):
        theme_of("lihgt")
