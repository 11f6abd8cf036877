"""The picture of the README, drawn from the embedded collection: python docs/images/make.py."""

from pathlib import Path

import rankscope as rs

HERE = Path(__file__).parent

if __name__ == "__main__":
    judged = rs.load(*rs.simulation.embedded())
    found = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10")
    found.save_plot(HERE / "metric-map.svg", "metric map")
    found.save_plot(HERE / "metric-map-dark.svg", "metric map", theme="dark")
