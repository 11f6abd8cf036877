"""Text for every way out: numbers as results print them, and text from outside, which is shown and never obeyed.

Names of systems, topics, documents and files come from outside. Whatever a terminal, a browser, GitHub or LaTeX would
take for a command is written so that it is seen instead: `visible` for a line of text, `plain` for a text of several
lines, `html`, `script_json`, `markdown` and `latex` for these languages.
"""

from __future__ import annotations

import re
from typing import Any

_CONTROL = "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"
_UNREADABLE = "\ud800-\udfff\ufdd0-\ufdef" + "".join(
    f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17)
)
_SEPARATING = "\u2028\u2029"
_UNSEEN = "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f"
# patterns are compiled when they are used first, by re, which keeps them
_PLAIN = f"[{_CONTROL}{_UNREADABLE}{_SEPARATING}]"
_VISIBLE = f"[\\t\\n{_CONTROL}{_UNREADABLE}{_SEPARATING}{_UNSEEN}]"


def plain(text: str) -> str:
    """Text that every display can hold: letters that control it, or that are none, are shown as escapes.

    Line ends and tabs stay, as do letters that turn the direction of text round.

    >>> print(plain("caf\\udce9 \\0"))
    caf\\udce9 \\x00
    """
    return text if text.isprintable() else re.sub(_PLAIN, _escape, text)


def visible(text: str) -> str:
    """Text that stays on its line and shows all it holds: line ends, tabs and unseen letters are escapes, too.

    >>> print(visible("a \u202e b\\n\\x1b[2J"))
    a \\u202e b\\n\\x1b[2J
    """
    return text if text.isprintable() else re.sub(_VISIBLE, _escape, text)


def without_secrets(address: str) -> str:
    """An address of a web server without user, password, query and fragment; any other text as it is.

    >>> without_secrets("https://example.org/a.run?signature=1"), without_secrets("what?.run")
    ('https://example.org/a.run', 'what?.run')
    """
    if not address.startswith(("https://", "http://")):
        return address
    return re.sub(r"(https?://)(?:[^/?#]*@)?([^?#]*).*", r"\1\2", address, flags=re.DOTALL)


def _escape(character: re.Match[str]) -> str:
    return character[0].encode("unicode_escape").decode()


def html(text: str) -> str:
    """A line as HTML, between elements or in an attribute.

    >>> html("<b> & \\x1b")
    '&lt;b&gt; &amp; \\\\x1b'
    """
    from html import escape

    return escape(visible(text))


def html_lines(text: str) -> str:
    """A text of several lines as HTML, laid out as it is.

    >>> html_lines("<a>\\n b")
    '<pre>&lt;a&gt;\\n b</pre>'
    """
    from html import escape

    return f"<pre>{escape(plain(text))}</pre>"


def script_json(value: Any) -> str:
    """A plain value as JSON for a script element, which nothing inside can close.

    >>> script_json("</script>")
    '"\\\\u003c/script>"'
    """
    import json

    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


_MARKDOWN = r"[\\`*<|~$]|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])|^[#>]|^[-+=](?=[-+=\s]|$)"
_NUMBERED = r"^( *\d+)([.)])(?=\s|$)"  # the beginning of a list
_LINKED = r"(?i)@(?!\d+(?![\w-]|\.\w))|(?<!\w)@|#(?=\d)|gh-(?=\d)|(?:https?|ftp):(?=/)|www(?=\.)"


def markdown(text: str) -> str:
    """A line that Markdown shows as it is, and that GitHub makes no link, image, mention or reference of.

    GitHub looks for these in what it has made of Markdown, where backslashes are gone. A space without width, written
    so that it is seen, keeps them apart.

    >>> print(markdown("<b> * P@10 @team [x](http://y)"))
    \\<b> \\* P@10 @&#8203;team [x\\](http:&#8203;//y)
    """
    shown = visible(text)
    blanks = len(shown) - len(shown.lstrip(" "))
    escaped = " " * blanks + re.sub(_MARKDOWN, r"\\\g<0>", shown[blanks:])
    return re.sub(_LINKED, "\\g<0>&#8203;", re.sub(_NUMBERED, r"\1\\\2", escaped))


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "†": r"$\dagger$", "‡": r"$\ddagger$", "≥": r"$\geq$", "≤": r"$\leq$",
}  # fmt: skip


def latex(text: str) -> str:
    """A line that LaTeX prints as it is; a hyphen before a number that stands alone is a minus.

    >>> print(latex("50 % of a_1: -0.5"))
    50 \\% of a\\_1: $-$0.5
    """
    escaped = "".join(_LATEX.get(char, char) for char in visible(text))
    return re.sub(r"(?<![\w.)-])-(?=\d)", "$-$", escaped)


def score(value: float) -> str:
    """A score, a difference or a statistic, to four decimals; with an exponent where these would show nothing but 0.

    >>> score(0.25), score(-0.00034), score(0.000012), score(0.0)
    ('0.2500', '-0.0003', '1.20e-05', '0.0000')
    """
    return f"{value + 0.0:.4f}" if value == 0 or abs(value) >= 0.00005 else f"{value:.2e}"


def probability(value: float) -> str:
    """A p value or another probability; a small one keeps its magnitude.

    >>> probability(0.0659), probability(0.0000012)
    ('0.0659', '1.2e-06')
    """
    return f"{value:.4f}" if value == 0 or value >= 0.0001 else f"{value:.1e}"


def short_probability(value: float) -> str:
    """A p value to four decimals, or that it is smaller; below 1 it is not rounded to 1.

    >>> short_probability(0.0659), short_probability(0.0000012), short_probability(0.99999)
    ('0.0659', '< 0.0001', '> 0.9999')
    """
    if value < 0.0001:
        return "< 0.0001"
    return "> 0.9999" if 0.99995 <= value < 1 else f"{value:.4f}"


def p_value(value: float, *, exact: bool = True) -> str:
    """A p value with its name; where it is not to be exact, a small one is said to be below 0.0001.

    >>> p_value(0.0659), p_value(0.0000012), p_value(0.0000012, exact=False), p_value(0.99999)
    ('p = 0.0659', 'p = 1.2e-06', 'p < 0.0001', 'p > 0.9999')
    """
    short = short_probability(value)
    if short.startswith(">") or (short.startswith("<") and not exact):
        return f"p {short}"
    return f"p = {probability(value)}"


_HYPHEN = re.compile(r"(?<![\w.-])-(?=[\d.])|(?<=\w )-(?= \w)")


def minus_signs(text: str) -> str:
    """Numbers and differences with minus signs in place of hyphens, for a page; names are not to go through it.

    >>> minus_signs("B - A: -0.0175 to 1.2e-05")
    'B \N{MINUS SIGN} A: \N{MINUS SIGN}0.0175 to 1.2e-05'
    """
    return _HYPHEN.sub("\N{MINUS SIGN}", text)


_SIGN = re.compile(r"(?<![\w.)=:|-])-(?=\d)|(?<=\b[ABab] )-(?= [ABab]\b)")


def minus(text: str) -> str:
    """The same with minus signs in place of hyphens, which are shorter; names and signatures keep theirs.

    >>> ascii(minus("-0.5 in run-1, P(rel=-1)@10"))
    "'\\\\u22120.5 in run-1, P(rel=-1)@10'"
    """
    return _SIGN.sub("\N{MINUS SIGN}", text)


def percent(share: float, decimals: int = 0) -> str:
    """A share in per cent, rounded, but to 0 or 100 only where it is 0 or 1.

    >>> percent(0.704), percent(0.9999), percent(0.001), percent(0.9998, 1)
    ('70', 'over 99', 'below 1', 'over 99.9')
    """
    text, least = f"{100 * share:.{decimals}f}", 10.0**-decimals
    if share < 1 and float(text) == 100:
        return f"over {100 - least:.{decimals}f}"
    return f"below {least:.{decimals}f}" if share > 0 and float(text) == 0 else text


def bounds(lower: float, upper: float) -> str:
    """The two ends of an interval.

    >>> bounds(-0.01, 0.05)
    '[-0.0100, 0.0500]'
    """
    return f"[{score(lower)}, {score(upper)}]"
