"""Checks of topics: missing from runs, without judgments, without relevant documents."""

from __future__ import annotations

import numpy as np

from rankscope.errors import argument, plural
from rankscope.validation.findings import Finding
from rankscope.validation.material import ValidationMaterial, mean
from rankscope.validation.wording import about_collection, about_runs, score


def missing(m: ValidationMaterial) -> Finding | None:
    """Judged topics that a run lacks."""
    present = m.judged.retrieved > 0
    count, topics = np.count_nonzero(~present, axis=1), len(m.judged.topics)
    zero, over = mean(m.ap), mean(m.ap, present)
    runs = {
        m.systems[s]: {
            "missing": int(count[s]), "AP": float(zero[s]), "AP_present": float(over[s]),
            "shift": float(over[s] - zero[s]),
        }
        for s in np.argsort(-count, kind="stable") if count[s]
    }  # fmt: skip
    return about_runs(
        "missing-topics", runs, among=len(m.systems),
        odd=("lacks judged topics", "lack judged topics"), figure=lambda n: f"{n['missing']} of {topics}",
        effect=lambda name, n: f"They count as lists without documents: the mean {m.ap_name} of {name} is "
                               f"{score(n['AP'])}; over the topics that {name} has, it is {score(n['AP_present'])}.",
        cure=f"Use {argument('missing', 'drop')} to leave topics out that a run lacks.",
    )  # fmt: skip


def unjudged_topics(m: ValidationMaterial) -> Finding | None:
    """Topics of a run that the judgments lack."""
    runs = {
        name: {"n_topics": f.extra_topics, "n_documents": f.extra_documents, "shift": 0.0}
        for name, f in sorted(m.by_name(), key=lambda item: -item[1].extra_topics) if f.extra_topics
    }  # fmt: skip
    return about_runs(
        "topics-without-judgments", runs, among=len(m.systems),
        odd=("has topics without judgments", "have topics without judgments"),
        figure=lambda n: plural(n["n_topics"], "topic"),
        effect=lambda name, n: f"They are ignored: {plural(n['n_documents'], 'document')} of {name}.",
        cure="Check that judgments and runs write topics the same way.",
    )  # fmt: skip


def empty_topics(m: ValidationMaterial) -> Finding | None:
    """Topics that the judgments name without judging a document."""
    notes = [note for note in m.judged.notes if note.startswith("topics without any judgment")]
    return about_collection("empty-topics", f"{notes[0].capitalize()}.") if notes else None


def without_relevant(m: ValidationMaterial) -> Finding | None:
    """Topics that have no relevant document at the threshold."""
    relevant = m.judged.available[:, m.judged.grades >= m.rel].sum(axis=1)
    count, topics = int(np.count_nonzero(relevant == 0)), len(m.judged.topics)
    kind = "topics-without-relevant-documents"
    if not count:
        return None
    relevant_from = f"relevant from grade {m.rel:g}"
    if count == topics:
        what = f"No topic has a relevant document ({relevant_from}; the highest grade is {m.judged.grades.max():g})."
        return about_collection(
            kind, what, "Most measures are undefined.", f"Use a lower {argument('rel')}.", grade="high",
            n_topics=count, of=topics,
        )  # fmt: skip
    factor = 1 - count / topics
    best = float(np.max(mean(m.ap)))
    return about_collection(
        kind, f"{count} of {topics} topics {'has' if count == 1 else 'have'} no relevant document ({relevant_from}).",
        f"Means leave {'it' if count == 1 else 'them'} out. Counted as 0, all means shrink by a factor of "
        f"{factor:.4f}, the highest {m.ap_name} from {score(best)} to {score(best * factor)}.",
        f"Use {argument('undefined', 'zero')} where you compare with means that count such topics as 0.",
        shift=best * (1 - factor), n_topics=count, of=topics, factor=factor,
    )  # fmt: skip
