"""rankscope demo: the main job on the collection that comes with the package."""

from __future__ import annotations

import argparse

from rankscope.cli.help_texts import OUTPUT, described, section
from rankscope.cli.output_formats import add_layers, put_blocks

MEASURES = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Judged@100"]
CHAMPION, CHALLENGER = "lexical-3", "hybrid-2"
FOLDER = "rankscope-demo"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("demo", **described(
        "demo",
        "Score, rank and compare the simulated systems that come with rankscope. The folder that it writes holds their "
        "judgments (qrels.gz), runs (runs/) and further judges (judges/), so that every command can be tried on them.",
        "-o .",
        "-o ../rankscope-demo",
        usage="",
    ))  # fmt: skip
    section(parser, OUTPUT).add_argument("-o", "--output", default=FOLDER, metavar="DIR",
                                         help=f"folder that the files are written to (default: {FOLDER})")  # fmt: skip
    add_layers(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    import gzip
    from pathlib import Path

    from rankscope.comparisons import compare, deciding, gate, rank
    from rankscope.errors import quietly
    from rankscope.judged import load
    from rankscope.layout import Block
    from rankscope.measures import evaluate
    from rankscope.outputs import refused_writes
    from rankscope.simulation import embedded
    from rankscope.simulation.embedded_collection import COLLECTIONS, write_judges

    qrels, runs = embedded()
    with quietly():  # the tables say it
        judged = load(qrels, runs, keep_docs=10, keep_ties=True)
        scores = evaluate(judged, MEASURES)
        ranking = rank(judged, measure="nDCG@10", baseline=CHAMPION)
        comparison = compare(judged, CHAMPION, CHALLENGER, measure="nDCG@10")
        checked = gate(judged, CHAMPION, CHALLENGER, measure="nDCG@10")
        drawn = deciding(comparison)
    _write_texts(args.output, {
        "scores.txt": str(scores), "ranking.txt": str(ranking), "ranking.tex": ranking.to_latex(),
        "comparison.md": comparison.to_markdown(), "comparison.tex": comparison.to_latex(), "topics.txt": str(drawn),
        "gate.md": checked.to_markdown(),
    })  # fmt: skip
    collection = {"qrels.gz": qrels, **{f"runs/{run.name}": run for run in runs}}
    _write(args.output, {name: path.read_bytes() for name, path in collection.items()})
    _write(args.output, {"collections.csv": gzip.decompress(COLLECTIONS.read_bytes())})
    with refused_writes(Path(args.output), "choose another folder with -o"):
        write_judges(Path(args.output) / "judges")
    blocks = comparison.blocks(args.layer)
    pairs = len(judged.systems) * (len(judged.systems) - 1) // 2
    steps = Block("", [
        f"{len(judged.systems)} simulated systems; judgments, runs and results: {args.output}",
        f"Next, in that folder: rankscope rank qrels.gz runs (corrects p for {pairs} pairs)",
        "With your own files: rankscope compare QRELS RUN_A RUN_B",
    ])  # fmt: skip
    put_blocks([*(blocks[:-1] if args.layer == "short" else blocks), steps], args)
    return 0


def _write_texts(folder: str, texts: dict[str, str]) -> None:
    _write(folder, {name: (text + "\n").encode("utf-8", "surrogateescape") for name, text in texts.items()})


def _write(folder: str, contents: dict[str, bytes]) -> None:
    """Write files into the folder; folders are made where they are missing."""
    from pathlib import Path

    from rankscope.outputs import refused_writes, write_output

    cure = "choose another folder with -o"
    for name, content in contents.items():
        path = Path(folder) / name
        with refused_writes(path.parent, cure):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, content, follow=False, cure=cure)
