"""Test collections with known truth: a seeded generator, and one small collection shipped with the package."""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.simulation.collection import Collection, simulate
    from rankscope.simulation.collection_model import Model, check_sample
    from rankscope.simulation.drawing import draw
    from rankscope.simulation.embedded_collection import embedded
    from rankscope.simulation.equal_systems import levelled
    from rankscope.simulation.folder import check_folder, write_folder
    from rankscope.simulation.known_truth import Truth, check_truth, truth

__all__ = [
    "Collection",
    "Model",
    "Truth",
    "check_folder",
    "check_sample",
    "check_truth",
    "draw",
    "embedded",
    "levelled",
    "simulate",
    "truth",
    "write_folder",
]
__getattr__ = lazily(__name__, {
    "collection": "Collection simulate",
    "collection_model": "Model check_sample",
    "drawing": "draw",
    "embedded_collection": "embedded",
    "equal_systems": "levelled",
    "folder": "check_folder write_folder",
    "known_truth": "Truth check_truth truth",
})  # fmt: skip
