"""The page's plain words on what could not be ranked or scored, and on findings."""

from __future__ import annotations

import numpy as np

from rankscope.errors import plural
from rankscope.formatting import visible
from rankscope.judged import Judged
from rankscope.judged.join import TAKEN_OUT
from rankscope.measures import Scores
from rankscope.validation import Findings
from rankscope.validation.checks import concerned
from rankscope.validation.findings import SEVERITIES

COMMENTS = 50  # comment lines of a file that are shown
COMMENTED = 200_000  # characters of comments that a page holds
WORD = {"high": "serious", "medium": "worth a look", "low": "minor"}


def not_scored(judged: Judged, scores: Scores) -> list[str]:
    """Sentences on a single system, and on topics that could not be scored."""
    sentences = []
    if len(judged.systems) == 1:
        sentences.append(
            f"There is one system, {judged.systems[0]}: its scores are below, and nothing to compare it with."
        )
    missing = np.isnan(scores.value).all(axis=1).sum(axis=-1)
    if missing.any():
        most = int(missing.max())
        if most == len(scores.topics):
            names = ", ".join(str(m) for m, n in zip(scores.measures, missing.tolist(), strict=True) if n == most)
            return [*sentences, f"No topic could be scored under {names}: none has a relevant document."]
        are = "is" if most == 1 else "are"
        sentences.append(f"{plural(most, 'topic')} could not be scored under some metric and {are} left out there.")
    return sentences


def taken_out(judged: Judged) -> list[str]:
    """A sentence on unjudged documents that were taken out of the lists."""
    return [f"{note[0].upper()}{note[1:]}." for note in judged.notes if note.startswith(TAKEN_OUT)]


def affected(findings: Findings, pair: tuple[str, str] | None) -> list[str]:
    """Which of two systems each finding affects: "A", "B", "A and B", or "" for none, as without a pair."""
    return ["" if pair is None else " and ".join("AB"[pair.index(s)] for s in concerned(f, pair)) for f in findings]


def findings_line(findings: Findings, pair: tuple[str, str] | None = None) -> str:
    """How many findings there are, and whether they affect a pair, else the best systems, in one sentence."""
    if findings.clean:
        return "Nothing odd was found in judgments and runs."
    counts = [(sum(f.severity == severity for f in findings), WORD[severity]) for severity in SEVERITIES]
    listed = ", ".join(f"{n} {word}" for n, word in counts if n)
    line = f"{plural(len(findings), 'finding')}: {listed}"
    if pair is not None:
        of_pair = [{i for i, f in enumerate(findings) if name in concerned(f, pair)} for name in pair]
        both, first, second = (len(some) for some in (of_pair[0] & of_pair[1], *of_pair))
        if not (first or second):
            return f"{line}; none about A or B."
        counts = [(both, "both A and B"), (first - both, "A alone"), (second - both, "B alone")]
        shown = [one for one in counts if one[0]] if both else [(first, "A"), (second, "B")]
        which = [f"{n or 'none'} about {whom}" for n, whom in shown]
        return f"{line}; {', '.join(which)}."
    if not findings.best:
        return f"{line}."
    best = "the leader" if len(findings.best) == 1 else f"the {len(findings.best)} best by {findings.measure}"
    touched = sum(bool(f.top) for f in findings)
    return f"{line}; {f'{touched} of them' if touched else 'none'} about {best}."


def comments(judged: Judged) -> list[tuple[str, list[str]]]:
    """Names of files that have comment lines, as of ir_metadata, and these lines; the first ones where there are many.

    >>> from rankscope import load
    >>> comments(load({"1": {"a": 1}}, {"new": {"1": ["a"]}}))
    []
    """
    shown: list[tuple[str, list[str]]] = []
    room = COMMENTED
    for name, lines in judged.comments.items():
        kept = [visible(line) for line in lines[:COMMENTS]]
        room -= sum(map(len, kept))
        if room < 0:
            rest = len(judged.comments) - len(shown)
            return [*shown, (f"{plural(rest, 'more file')} with comment lines", ["They are in the files alone."])]
        more = len(lines) - len(kept)
        shown.append((visible(name), [*kept, f"... and {plural(more, 'more line')}"] if more else kept))
    return shown
