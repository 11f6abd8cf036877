"""The works that measures refer to by key, read from references.bib."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

_ENTRY = re.compile(r"^@\w+\{([^,]+),\n(.*?)\n\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*?)\},?$", re.MULTILINE | re.DOTALL)
_ACCENT = re.compile(r"\{\\([\"'`^~])(\w)\}")
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303"}


def entries() -> dict[str, dict[str, str]]:
    """The fields of each entry, by key, in plain text."""
    return {key: _fields(body) for key, body in _bodies().items()}


@cache
def _bodies() -> dict[str, str]:
    """The text of each entry, by key."""
    return dict(_ENTRY.findall((Path(__file__).parents[1] / "references.bib").read_text(encoding="utf-8")))


def _fields(body: str) -> dict[str, str]:
    return {name: _plain(value) for name, value in _FIELD.findall(body)}


def cited(key: str) -> str:
    """An entry in one line.

    >>> cited("moffat2008rbp")[:72]
    'Moffat and Zobel (2008), Rank-Biased Precision for Measurement of Retrie'
    """
    if key not in _bodies():
        return key
    entry = _fields(_bodies()[key])
    names = [author.split(",")[0] for author in entry["author"].split(" and ")]
    who = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    where = next((entry[f] for f in ("journal", "booktitle", "publisher") if f in entry), "")
    parts = [f"{who} ({entry['year']})", entry["title"], where, f"doi:{entry['doi']}" if "doi" in entry else ""]
    return ", ".join(filter(None, parts))


def _plain(value: str) -> str:
    """LaTeX as a reader would see it."""
    value = _ACCENT.sub(lambda m: unicodedata.normalize("NFC", m[2] + _ACCENTS[m[1]]), value)
    value = re.sub(r"\\url|[{}\\]", "", value).replace("--", "-").replace("``", "\u201c").replace("''", "\u201d")
    return " ".join(value.split())
