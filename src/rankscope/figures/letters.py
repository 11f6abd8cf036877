"""Widths of letters: a picture keeps its places where another font stands in for the one it was drawn with."""

from __future__ import annotations

import re
from html import unescape

# thousandths of the letters' size, of Liberation Sans, Arial and Helvetica alike; from the space to the tilde
_REGULAR = """
278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584
584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278
278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500
500 334 260 334 584
"""
_BOLD = """
278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584 584
584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333
278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556
500 389 280 389 584
"""
_MORE = {"\N{NO-BREAK SPACE}": 278, "\N{MINUS SIGN}": 584, "…": 1000, "←": 1000, "→": 1000}
_WIDTHS = tuple(
    {chr(32 + i): int(width) for i, width in enumerate(table.split())} | _MORE for table in (_REGULAR, _BOLD)
)
_TEXT = re.compile(r"<text([^>]*?)( transform=\"[^\"]*)\"([^>]*)(?<!/)>(.*?)</text>", re.DOTALL)
_LINE = re.compile(r"<tspan(?: x=\"0\" dy=\"([\d.]+)\")?>(.*?)</tspan>", re.DOTALL)


def text_width(text: str, size: float, *, bold: bool = False) -> float | None:
    """Pixels of a text; None where it has a letter whose width is not known.

    >>> text_width("0.50", 10), text_width("ß", 10)
    (19.46, None)
    """
    widths = [_WIDTHS[bold].get(letter) for letter in text]
    return None if None in widths else round(sum(width or 0 for width in widths) * size / 1000, 2)


def held(svg: str) -> str:
    """The same picture, in which each text keeps its width with any font, so that none is cut or covers another.

    A text of several lines becomes as many texts, since browsers do not agree on the widths of parts.
    """
    return _TEXT.sub(_held, svg)


def _held(found: re.Match[str]) -> str:
    before, place, after, content = found.groups()
    attributes = before + after
    size = re.search(r'font-size="([\d.]+)px"', attributes)
    if size is None:
        return found[0]
    bold, down, texts = 'font-weight="bold"' in attributes, 0.0, []
    for step, line in _LINE.findall(content) or [("", content)]:
        down += float(step or 0)
        width = text_width(unescape(line), float(size[1]), bold=bold)
        hold = f' textLength="{width:g}" lengthAdjust="spacingAndGlyphs"' if width and len(line) > 2 else ""
        at = f'{place} translate(0,{down:g})"' if down else f'{place}"'
        texts.append(f"<text{before}{at}{after}{hold}>{line}</text>")
    return "".join(texts)
