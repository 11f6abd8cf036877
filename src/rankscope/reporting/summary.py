"""The page's plain words: what was looked at, and what stands out."""

from __future__ import annotations

import numpy as np

from rankscope.comparisons import Comparison, Leaderboard
from rankscope.errors import plural
from rankscope.judged import Judged
from rankscope.measures import Scores
from rankscope.validation import Findings
from rankscope.validation.findings import SEVERITIES

WORD = {"high": "serious", "medium": "worth a look", "low": "minor"}


def summary(
    judged: Judged,
    scores: Scores,
    ranking: Leaderboard | None,
    findings: Findings | None,
    comparison: Comparison | None,
) -> list[str]:
    """A few sentences, the most important first."""
    sentences = [] if comparison is None else [comparison.sentence()]
    if ranking is not None:
        sentences += _leaders(ranking)
    elif len(judged.systems) == 1:
        sentences.append(
            f"There is one system, {judged.systems[0]}: its scores are below, and nothing to compare it with."
        )
    if findings is not None:
        sentences.append(_findings(findings))
    missing = np.isnan(scores.value).all(axis=1).sum(axis=-1)
    if missing.any():
        most = int(missing.max())
        if most == len(scores.topics):
            names = ", ".join(str(m) for m, n in zip(scores.measures, missing.tolist(), strict=True) if n == most)
            return [*sentences, f"No topic could be scored under {names}: none has a relevant document."]
        are = "is" if most == 1 else "are"
        sentences.append(f"{plural(most, 'topic')} could not be scored under some measure and {are} left out there.")
    return sentences


def _leaders(ranking: Leaderboard) -> list[str]:
    count, best = len(ranking.systems), ranking.systems[0]
    alike = [name for s, name in enumerate(ranking.systems) if s and ranking.pvalues[0, s] >= ranking.alpha]
    head = f"{best} has the highest mean {ranking.measure} ({ranking.mean[0]:.4f}) of {plural(count, 'system')}"
    level = f"at {ranking.alpha:g}, all pairs taken together"
    if not alike:
        sentences = [f"{head}, and is shown to differ from every other one ({level})."]
    elif len(alike) == count - 1:
        sentences = [f"{head}, but is not shown to differ from any other one ({level})."]
    else:
        names = alike[0] if len(alike) == 1 else f"{len(alike)} others, such as {alike[0]}"
        sentences = [f"{head}; it is not shown to differ from {names} ({level})."]
    pairs = count * (count - 1) // 2
    apart = int(np.count_nonzero(ranking.pvalues[np.triu_indices(count, 1)] < ranking.alpha))
    if count > 2:
        sentences.append(
            f"Of all {pairs:,} pairs of systems, {apart:,} ({100 * apart / pairs:.0f} %) are shown to differ under "
            f"{ranking.measure}."
        )
    return sentences


def _findings(findings: Findings) -> str:
    if findings.clean:
        return "Nothing odd was found in judgments and runs."
    counts = [(sum(f.severity == severity for f in findings), WORD[severity]) for severity in SEVERITIES]
    listed = ", ".join(f"{n} {word}" for n, word in counts if n)
    return f"{plural(len(findings), 'oddity', 'oddities')} in judgments and runs: {listed}."
