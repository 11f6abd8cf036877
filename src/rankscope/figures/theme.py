"""Colours and letters: one colour a meaning, everywhere, on light and on dark ground."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD, EQUAL
from rankscope.errors import InputError, did_you_mean

ThemeName: TypeAlias = Literal["light", "dark"]
Spec: TypeAlias = dict[str, Any]
UNDECIDED = "undecided"  # by IPSO: the metric decides who is ahead
NOT_SHOWN = "no difference shown"  # by a test: it tells neither ahead
OUTCOMES = (EQUAL, A_AHEAD, B_AHEAD, UNDECIDED)  # by IPSO's class
EITHER = "either ahead"
WITHOUT_METRIC = "IPSO compares two lists without a metric"
CATEGORIES = ("Both: Yes", "Both: No", "Metric: Yes", "Metric: No")  # of Figure 7, Moffat and Mackenzie (2024)

CHECKS = ("pass", "regression", "inconclusive")  # outcomes of a gate, in the order of their tones
TONES = ("holds", "changes", "undecided")  # of words, in a terminal and on a page
RELEVANCE = 5  # shades of relevant documents: as many as differ by 1.5:1 from each other, grey and yellow

# Blue and vermilion, which all readers tell apart. Any two classes of one legend differ by 1.5:1 in luminance, so that
# they differ in grey, too; the four outcomes by 1.65:1, since most figures have no others. On light ground from the
# palest: equal, B, A (not significant), B, A, undecided; on dark ground from the darkest. Relevant documents are green,
# a hue of their own, and unjudged ones yellow.
FONTS = "Liberation Sans, Arial, Helvetica, Arimo, Nimbus Sans, sans-serif"  # all but the last have the same widths
FONT = 13  # px; figures are some 480 px wide, so that this is 6.5 pt in a column of 8.5 cm


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by meaning.

    equal, a, b, undecided  the four outcomes of a comparison; a_faint and b_faint where they are not significant,
            on_a and on_b for letters on them
    pale    lines that stand back behind those with a colour, at 3:1 to the ground
    relevance  of documents, from the lowest grade to the highest; not_relevant and unjudged beside them
    tones   of words: `TONES`
    either  one of the two is ahead, whichever
    categories  of `CATEGORIES`
    lines   of metrics or systems, in turn; `DASHES` tells them apart in grey
    ramp    from the ground, which is nothing, to much; letters on it are `on_ramp`, the second colour from the share
            `turn` of it on
    below   the same for what is below 0, as light as the ramp at each step
    """

    name: ThemeName
    ground: str
    ink: str
    faint: str
    pale: str
    rule: str
    equal: str
    a: str
    b: str
    undecided: str
    a_faint: str
    b_faint: str
    on_a: str
    on_b: str
    relevance: tuple[str, str, str, str, str]
    not_relevant: str
    unjudged: str
    tones: tuple[str, str, str]
    either: str
    categories: tuple[str, str, str, str]
    lines: tuple[str, ...]
    ramp: tuple[str, ...]
    below: tuple[str, ...]
    turn: float
    on_ramp: tuple[str, str]

    def outcomes(self, *names: str) -> dict[str, str]:
        """Colours of outcomes; of all four unless some are named."""
        colours = dict(zip(OUTCOMES, (self.equal, self.a, self.b, self.undecided), strict=True)) | {
            EITHER: self.either, NOT_SHOWN: self.undecided,
        }  # fmt: skip
        return {name: colours[name] for name in names or OUTCOMES}

    def checks(self, *names: str) -> dict[str, str]:
        """Colours of the outcomes of a gate, those of the same words in a terminal; shapes tell them apart in grey."""
        return {name: colour for name, colour in zip(CHECKS, self.tones, strict=True) if name in names}

    def variables(self) -> dict[str, str]:
        """Colours by the names that a style sheet has for them."""
        names = ("ground", "ink", "faint", "rule", "equal", "a", "b", "undecided", "a_faint", "b_faint", "on_a", "on_b",
                 "not_relevant", "unjudged")  # fmt: skip
        colours = {name.replace("_", "-"): str(getattr(self, name)) for name in names}
        shades = {f"relevance-{i}": shade for i, shade in enumerate(self.relevance, 1)}
        return colours | shades | {f"tone-{tone}": colour for tone, colour in zip(TONES, self.tones, strict=True)}

    def config(self) -> Spec:
        """Vega-Lite's settings for every figure."""
        axis = {
            "labelColor": self.ink, "titleColor": self.ink, "gridColor": self.rule, "domainColor": self.faint,
            "tickColor": self.faint, "labelFontSize": FONT, "titleFontSize": FONT, "titleFontWeight": "normal",
            "labelLimit": 150,
        }  # fmt: skip
        legend = {
            "labelColor": self.ink, "titleColor": self.ink, "labelFontSize": FONT, "titleFontSize": FONT,
            "titleFontWeight": "normal", "labelLimit": 190, "symbolSize": 130, "orient": "bottom",
            "symbolStrokeWidth": 2, "gradientStrokeColor": self.faint, "gradientStrokeWidth": 1,
        }  # fmt: skip
        return {
            "background": self.ground,
            "font": FONTS,
            "axis": axis,
            # a number stands below its own tick; where numbers would run together, every second one is left out
            "axisXQuantitative": {"labelFlush": False, "labelOverlap": "parity", "labelSeparation": 7},
            "legend": legend,
            "header": {"labelColor": self.ink, "titleColor": self.ink, "labelFontSize": FONT, "titleFontSize": FONT},
            "title": {
                "color": self.ink, "subtitleColor": self.ink, "fontSize": FONT + 1, "subtitleFontSize": FONT - 1,
                "anchor": "start", "frame": "bounds", "fontWeight": "bold", "subtitlePadding": 4, "offset": 10,
                "limit": 580,
            },
            "text": {"color": self.ink, "fontSize": FONT - 1},
            "view": {"stroke": None},
        }  # fmt: skip


LIGHT = Theme(
    name="light", ground="#ffffff", ink="#1a1a1a", faint="#767676", pale="#949494", rule="#e4e4e4",
    equal="#e5e5e5", a="#004b86", b="#c65200", undecided="#2b0b24", a_faint="#6999c8", b_faint="#f0ac7c",
    on_a="#ffffff", on_b="#ffffff",
    relevance=("#78ae7a", "#4a9052", "#25723b", "#13552b", "#08371b"), not_relevant="#c6c6c6", unjudged="#fdf2b8",
    tones=("#0067a5", "#b34a00", "#5e5e5e"),
    either="#009e73", categories=("#006b54", "#c7e6dc", "#cc79a7", "#262626"),
    lines=("#332288", "#cc6677", "#117733", "#aa4499", "#44aa99", "#999933", "#5d5d5d", "#c2a83e"),
    ramp=("#ffffff", "#f0c987", "#d98c4a", "#a4502f", "#4f1d1d"),
    below=("#ffffff", "#d8c8f3", "#ac91da", "#7954b9", "#37205e"), turn=0.68, on_ramp=("#000000", "#ffffff"),
)  # fmt: skip
DARK = Theme(
    name="dark", ground="#14171c", ink="#eceff4", faint="#8f97a3", pale="#5f646c", rule="#2c313a",
    equal="#2f333a", a="#4594d3", b="#ffa468", undecided="#f9edf6", a_faint="#29507a", b_faint="#9d5a1f",
    on_a="#14171c", on_b="#14171c",
    relevance=("#3b6e43", "#4d8d56", "#61b06c", "#82d689", "#b6ffb0"), not_relevant="#46494f", unjudged="#342d0b",
    tones=("#5aa9e6", "#f0a04b", "#a8adb5"),
    either="#2fc79a", categories=("#1f8f70", "#23453c", "#e79ac6", "#f7f7f7"),
    lines=("#9d8df0", "#f08fa0", "#5fc27e", "#dd7fd0", "#6fd6c6", "#c9c95f", "#b8b8b8", "#ffe08a"),
    ramp=("#14171c", "#4a3420", "#96602c", "#d99a4a", "#fbe9c6"),
    below=("#14171c", "#3d2e6c", "#7c5bb5", "#b59ae6", "#efe8fc"), turn=0.54, on_ramp=("#ffffff", "#000000"),
)  # fmt: skip
THEMES: dict[ThemeName, Theme] = {"light": LIGHT, "dark": DARK}
DASHES: tuple[tuple[int, ...], ...] = (
    (1, 0),
    (5, 3),
    (8, 4, 2, 4),
    (12, 4),
    (2, 2),
    (8, 2, 2, 2, 2, 2),
    (2, 6),
    (6, 3, 6, 13),
)
"""Lines that differ without colour: in how many strokes there are to a period, or more than twice in stroke or gap.

A sample of 28 pixels ends with a whole stroke or in a gap of each: a stroke that is cut would look like a dot.
"""


def relevance_steps(shares: Iterable[float]) -> dict[float, int]:
    """Shade of each relevance above 0 that there is, from 0 on: each has its own while there are enough shades.

    The highest always has the last shade; fewer than all are as far apart as can be, and of more some share one.

    >>> relevance_steps([0, 0.5, 1]), relevance_steps([1, 2, 3]), relevance_steps([1, 2, 3, 4])
    ({0.5: 0, 1: 4}, {1: 0, 2: 2, 3: 4}, {1: 0, 2: 1, 3: 3, 4: 4})
    """
    levels, last = sorted({share for share in shares if share > 0}), RELEVANCE - 1
    below = max(1, len(levels) - 1)
    return {level: last - round(last * (len(levels) - place) / below) for place, level in enumerate(levels, 1)}


def theme_of(name: str) -> Theme:
    """A theme by its name."""
    for key, theme in THEMES.items():
        if key == name:
            return theme
    raise InputError(f"theme {name!r} is unknown", did_you_mean(name, THEMES))
