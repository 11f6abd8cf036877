"""What a program can see of plain words: long sentences, texts that do not stand alone, symbols without their meaning.

docs/conventions.md has the rules. The rest is reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 30  # words of a sentence

# what a text that stands alone does not begin with: its noun would be elsewhere
DANGLING = {
    "also", "and", "as", "at", "by", "for", "from", "how", "if", "in", "instead", "it", "its", "like", "of", "on",
    "only", "or", "same", "some", "such", "that", "their", "them", "these", "they", "this", "those", "to", "what",
    "when", "where", "whether", "which", "with",
}  # fmt: skip

THINGS = (
    "call|cell|collection|column|comparison|core|document|family|finding|folder|grade|group|kind|line|list|measure|method|metric|"
    "name|pair|part|query|rank|repetition|row|run|sample|sentence|set|study|system|table|term|test|topic|unit|value|word|worker"
)
SMALL = "and|as|at|by|for|from|has|in|is|of|on|or|per|than|to|with"
PRIVATE = {
    rf"\b(?:an?|one|two|three) (?!(?:{SMALL})\b)[\w-]+ an? (?:{THINGS})\b": "one row per topic, never a row a topic",
    r"\baloud\b": "say where it is printed",
    r"\bsurely\b": "name the probability",
    r"\bno promise\b": "say what is claimed",
    r"\bin good faith\b": "say that it depends on the metric",
    r"\bbeyond chance\b": "shown: p below the significance level",
}

_ABBREVIATIONS = re.compile(
    r"\b(?:e\.g|i\.e|et al|vs|cf|resp|approx|Fig|Eq|No)\."
    r"|(?:^|(?<=, )|(?<=and )|(?<=\. ))[A-Z]\."  # initials of names
)
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+")


def sentences(text: str) -> list[str]:
    """Sentences of a text on one line; names, formulas and numbers do not end one."""
    flat = _ABBREVIATIONS.sub(lambda match: match[0].replace(".", "·"), " ".join(text.split()))
    return [sentence for sentence in _END.split(flat) if sentence]


def words(sentence: str) -> list[str]:
    """Words of a sentence: what holds two letters and is neither a file nor a formula."""
    return [word for word in sentence.split() if re.search(r"[A-Za-z]{2}", word) and not re.search(r"[=/|@_\\]", word)]


def long_sentences(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        if (count := len(words(sentence))) > LONGEST:
            yield f"{count} words: {sentence}"


def private_words(text: str) -> Iterator[str]:
    for pattern, cure in PRIVATE.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield f"{match[0]!r}: {cure}"


def prose(text: str) -> list[str]:
    """All that is wrong with a text of sentences."""
    return [*long_sentences(text), *private_words(text)]


def option_text(text: str, *, default: bool = False) -> list[str]:
    """All that is wrong with the text of an option.

    default  whether the option has a default that should be told
    """
    wrong = prose(text)
    first = re.match(r"[\w'-]*", text.strip())
    if first is None or first[0].lower() in DANGLING:
        wrong.append(f"does not stand alone, begins with {first and first[0]!r}: {text}")
    if len(words(text)) < 3:
        wrong.append(f"does not stand alone, fewer than three words: {text}")
    if default and "default" not in text:
        wrong.append(f"does not say its default: {text}")
    return wrong


_SYMBOLS = {
    "†": r"†",
    "‡": r"‡",
    "ni": r"(?<![\w-])ni(?![\w-])",
    "ns": r"(?<![\w-])ns(?![\w-])",
    "**": r"(?<!\S)\*\*(?![\w*])",
    "==": r"(?<!\S)==(?!\S)",
}


def unexplained_symbols(screen: str) -> list[str]:
    """Symbols that a screen shows without their meaning: `ni: ...`, `ni = ...`, `(ni)`, `† marks ...`."""
    wrong = []
    for symbol, pattern in _SYMBOLS.items():
        meaning = rf"(?:{pattern})(?:[:,]? ?(?:means|marks|says|is|are|stands)\b| ?:| = )|\((?:{pattern})\)"
        if re.search(pattern, screen) and not re.search(meaning, screen):
            wrong.append(f"{symbol} without its meaning on the screen")
    return wrong


_FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_HTML = re.compile(r"<(picture|table|!--).*?(</\1>|-->)", re.DOTALL)
_MATHS = re.compile(r"\$\$.*?\$\$", re.DOTALL)


def markdown_paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, items of lists and headings of a page, without code, tables and references."""
    for pattern in (_FENCE, _HTML, _MATHS):
        text = pattern.sub("\n\n", text)
    text = re.sub(r"`[^`\n]*(?:\n[^`\n]+)?`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.|#+) )", text):
        stripped = block.strip()
        if stripped and not stripped.startswith(("|", ":", "[", "<", "(")):
            yield re.sub(r"^(?:[-*]|\d+\.|#+)\s+", "", stripped).replace("**", "").replace("*", "")


def printed_paragraphs(screen: str, width: int = 80) -> Iterator[str]:
    """Paragraphs of printed output, without rows of tables and signatures: a line that is full goes on in the next."""
    paragraph: list[str] = []
    last = ""
    for line in [*screen.splitlines(), ""]:
        stripped = line.strip()
        goes_on = bool(stripped) and len(last) + len(stripped.split()[0]) >= width
        if paragraph and not goes_on:
            yield " ".join(paragraph)
            paragraph = []
        if stripped and "  " not in stripped and "|rankscope:" not in stripped:
            paragraph.append(stripped)
        last = line
    if paragraph:
        yield " ".join(paragraph)
