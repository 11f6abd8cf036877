"""LensKit's `ItemListCollection` as a run or as judgments, and runs as an `ItemListCollection`.

>>> judged = rs.load(judgments(test_data), {"als": run(recommendations)})  # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any


def run(recommendations: Any) -> Any:
    """A frame of recommendations, one row per user and item: scores where the lists have them, else their order."""
    frame = recommendations.to_df()
    if "score" in frame and frame["score"].notna().all():
        return frame[[*_keys(frame), "item_id", "score"]]
    rank = frame["rank"] if "rank" in frame else frame.groupby(_keys(frame), sort=False).cumcount() + 1
    return frame[[*_keys(frame), "item_id"]].assign(rank=rank)


def judgments(test: Any, column: str = "rating") -> Any:
    """A frame of test data as judgments: the column of ratings, or grade 1 for every item where there is none."""
    frame = test.to_df()
    return frame[[*_keys(frame), "item_id"]].assign(relevance=frame.get(column, 1))


def collection(source: Any, **reading: Any) -> Any:
    """An `ItemListCollection` of a run that rankscope reads: a file, a dictionary or a frame."""
    import pandas as pd
    from lenskit.data import ItemListCollection

    from rankscope.io import read_run
    from rankscope.io.tables import to_table

    table = to_table(read_run(source, **reading), binary=False)
    frame = pd.DataFrame({"user_id": table["query_id"].to_list(), "item_id": table["doc_id"].to_list(),
                          "score": table["score"].to_list()})  # fmt: skip
    return ItemListCollection.from_df(frame, ["user_id"])


def _keys(frame: Any) -> list[str]:
    """The one column of keys."""
    keys = [name for name in ("user_id", "query_id") if name in frame]
    if len(keys) != 1:
        raise ValueError("the lists have no key user_id")
    return keys
