"""Effectiveness against cost: which systems are the best for what they cost?"""

import rankscope as rs

judged = rs.load(*rs.simulation.embedded())
milliseconds = {
    "lexical-1": 2, "lexical-2": 3, "lexical-3": 9, "dense-1": 14, "dense-2": 20, "dense-3": 210, "hybrid-1": 31,
    "hybrid-2": 240,
}  # fmt: skip
rs.evaluate(judged, "nDCG@10").save_plot("cost.svg", "cost", cost=milliseconds, unit="milliseconds per query")
