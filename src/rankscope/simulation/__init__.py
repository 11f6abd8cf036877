"""Test collections with known truth: a seeded generator, and one small collection shipped with the package."""

from typing import TYPE_CHECKING

from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.simulation.collection import Collection as Collection, simulate as simulate
    from rankscope.simulation.collection_model import Model as Model, check_sample as check_sample
    from rankscope.simulation.drawing import draw as draw
    from rankscope.simulation.embedded_collection import embedded as embedded
    from rankscope.simulation.equal_systems import levelled as levelled
    from rankscope.simulation.folder import check_folder as check_folder, write_folder as write_folder
    from rankscope.simulation.known_truth import Truth as Truth, check_truth as check_truth, truth as truth
    from rankscope.simulation.other_judges import another_judge as another_judge
else:
    __getattr__, __dir__, __all__ = lazily(__name__, {
        "collection": "Collection simulate",
        "collection_model": "Model check_sample",
        "drawing": "draw",
        "embedded_collection": "embedded",
        "equal_systems": "levelled",
        "folder": "check_folder write_folder",
        "known_truth": "Truth check_truth truth",
        "other_judges": "another_judge",
    })  # fmt: skip
