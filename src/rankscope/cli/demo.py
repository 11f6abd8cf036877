"""rankscope demo: the main job on the collection that comes with the package."""

from __future__ import annotations

import argparse

MEASURES = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Judged@100"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "demo",
        help="the main job on the embedded collection, no data needed",
        description="Score the eight simulated systems that come with rankscope.",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rankscope.cli.output import emit
    from rankscope.judged import load
    from rankscope.measures import evaluate
    from rankscope.simulation import embedded

    qrels, runs = embedded()
    judged = load(qrels, runs)
    print(
        f"A simulated collection: {len(judged.systems)} systems of 3 families, {len(judged.topics)} topics, grades 0-3."
    )
    print(f"The files are in {qrels.parent}; the same table for your own:\n")
    print(f'  rankscope evaluate QRELS RUN... -m {" ".join(MEASURES[:4])} "RBP(p=0.8)" Judged@100\n')
    emit(evaluate(judged, MEASURES), "table")
    return 0
