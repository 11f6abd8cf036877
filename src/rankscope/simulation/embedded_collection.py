"""The small collection shipped with the package, and how its files are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rankscope.outputs import write_whole

if TYPE_CHECKING:
    from rankscope.simulation.collection import Collection

FOLDER = Path(__file__).parent / "embedded"
QRELS = "qrels.gz"


def embedded() -> tuple[Path, list[Path]]:
    """Paths of the shipped judgments and of the shipped runs, the latter sorted by name.

    The files hold what `simulate()` gives with its default arguments.
    """
    runs = sorted(path for path in FOLDER.glob("*.gz") if path.name != QRELS)
    return FOLDER / QRELS, runs


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
