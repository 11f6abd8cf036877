"""The small collection shipped with the package, and how its files are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rankscope.outputs import write_whole

if TYPE_CHECKING:
    from rankscope.simulation.collection import Collection

FOLDER = Path(__file__).parent / "embedded"
QRELS = "qrels.gz"
JUDGES: dict[str, dict[str, Any]] = {
    "strict": {"underrate": 0.3, "seed": 1},
    "lenient": {"overrate": 0.1, "seed": 2},
    "careless": {"overrate": 0.3, "underrate": 0.4, "seed": 3},
}
"""Errors of the judges of the shipped documents."""


def embedded() -> tuple[Path, list[Path]]:
    """Paths of the shipped judgments and of the shipped runs, the latter sorted by name.

    The files hold what `simulate()` gives with its default arguments.
    """
    runs = sorted(path for path in FOLDER.glob("*.gz") if path.name != QRELS)
    return FOLDER / QRELS, runs


def embedded_judges() -> dict[str, dict[str, dict[str, int]]]:
    """Three simulated judges of the shipped documents: {judge: {topic: {document: grade}}}.

    "strict" grades some documents one too low, "lenient" some one too high, "careless" some either way.
    """
    from rankscope.arrays import decoded
    from rankscope.io import read_qrels
    from rankscope.simulation.other_judges import another_judge

    columns = read_qrels(FOLDER / QRELS)
    judgments: dict[str, dict[str, float]] = {}
    topics, docs = decoded(columns.text, columns.topic), decoded(columns.text, columns.doc)
    for topic, doc, grade in zip(topics, docs, columns.grade.tolist(), strict=True):
        judgments.setdefault(topic, {})[doc] = grade
    return {name: another_judge(judgments, **errors) for name, errors in JUDGES.items()}


def write_judges(folder: Path) -> None:
    """Write `embedded_judges`, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, judge in embedded_judges().items():
        lines = (f"{topic} 0 {doc} {grade}\n" for topic, docs in judge.items() for doc, grade in docs.items())
        _write_lines(folder / f"{name}.gz", lines)


def write(folder: Path, collection: Collection, *, runs: str = "") -> list[Path]:
    """Write `qrels.gz` and one `SYSTEM.gz` a system in TREC format, and return their paths.

    runs  the folder inside the folder that runs go to; by default they lie beside the judgments

    Folders are made where they are missing; other files in them are left alone.
    """
    (folder / runs).mkdir(parents=True, exist_ok=True)
    lines = {folder / QRELS: qrels_lines(collection)}
    lines |= {folder / runs / f"{system}.gz": run_lines(collection, system) for system in collection.runs}
    return [_write_lines(path, content) for path, content in lines.items()]


def qrels_lines(collection: Collection) -> Iterator[str]:
    """Lines `topic 0 document grade`."""
    for topic, grades in collection.judgments.items():
        for doc, grade in grades.items():
            yield f"{topic} 0 {doc} {grade}\n"


def run_lines(collection: Collection, system: str) -> Iterator[str]:
    """Lines `topic Q0 document rank score tag`, ranks from 1; the tag is the system's name."""
    for topic, scores in collection.runs[system].items():
        for rank, (doc, score) in enumerate(scores.items(), start=1):
            yield f"{topic} Q0 {doc} {rank} {score} {system}\n"


def _write_lines(path: Path, lines: Iterable[str]) -> Path:
    import gzip

    def write_packed(file: IO[bytes]) -> None:
        # no name and no time in the header: equal content gives equal bytes
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            packed.write("".join(lines).encode())

    write_whole(path, write_packed, follow=False)
    return path


COLLECTIONS = FOLDER / "collections" / "scores.csv.gz"
"""Scores of the shipped systems on six simulated collections, by topic: what `collection_scores` gives."""
_KINDS = {
    "web": (50, 1.0, 1.0), "news": (40, 1.1, 0.9), "forum": (80, 0.9, 1.05), "legal": (25, 1.25, 0.85),
    "medical": (60, 0.8, 1.2), "products": (35, 1.0, 1.1),
}  # fmt: skip


def collection_scores() -> str:
    """CSV of nDCG@10 by collection, system and topic; lexical and other systems differ in strength by collection."""
    from rankscope.judged import load
    from rankscope.measures import evaluate
    from rankscope.simulation.collection import simulate

    lines = ["collection,system,topic,measure,value\n"]
    for seed, (name, (topics, lexical, others)) in enumerate(_KINDS.items(), 11):
        families = {
            "lexical": tuple(round(s * lexical, 3) for s in (0.68, 0.78, 0.88)),
            "dense": tuple(round(s * others, 3) for s in (0.82, 1.0, 1.2)),
            "hybrid": tuple(round(s * others, 3) for s in (1.05, 1.25)),
        }
        drawn = simulate(n_topics=topics, barren=0, seed=seed, families=families)
        scores = evaluate(load(drawn.judgments, drawn.runs), "nDCG@10")
        for s, system in enumerate(scores.systems):
            for t, topic in enumerate(scores.topics):
                lines.append(f"{name},{system},{topic},nDCG@10,{scores.value[0, s, t]:.4f}\n")
    return "".join(lines)
