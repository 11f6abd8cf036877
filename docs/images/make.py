"""The picture of the README, drawn from the embedded collection: python docs/images/make.py."""

from pathlib import Path

import rankscope as rs
from rankscope.errors import quietly
from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, drawn
from rankscope.figures.theme import Spec, Theme

HERE = Path(__file__).parent
SHOWN, NOT_SHOWN = "shown: hybrid-1 is better", "not shown: may be chance"
NAMES = {
    "nDCG@10": "nDCG@10 (decides)",
    "AP": "AP", "P": "P@10", "RR": "RR", "RBP": "RBP", "ERR@20": "ERR@20", "R": "R@100",
}  # fmt: skip


def verdict_sheet(comparison: rs.comparisons.Comparison) -> Sheet:
    """The difference and its interval under the metric that decides and under the others."""
    effects = {str(comparison.measure): comparison.effect}
    effects |= {again.name: again.effect for again in comparison.repetitions if again.axis == "metric"}
    names = [NAMES.get(name.partition("(")[0], name) for name in effects]
    shown = [effect.pvalue < comparison.alpha for effect in effects.values()]
    low, high = comparison.means
    others = shown[1:]
    return Sheet(
        columns={
            "metric": names,
            "difference": [effect.difference for effect in effects.values()],
            "lower": [effect.lower for effect in effects.values()],
            "upper": [effect.upper for effect in effects.values()],
            "verdict": [SHOWN if yes else NOT_SHOWN for yes in shown],
        },
        title="Is hybrid-1 really better than lexical-3?",
        subtitle=f"Yes, on nDCG@10: {high:.2f} against {low:.2f}, mean of {comparison.effect.n_topics} queries.\n"
        f"{sum(others)} of {len(others)} other metrics show it, too; none shows the opposite.\n"
        "Dot: difference of the two systems. Bar: where the true difference may lie (95 %).",
    )


def verdict(sheet: Sheet, look: Theme) -> Spec:
    """One dot and one bar per metric, beside the line of no difference."""
    names = sheet.columns["metric"]
    y = vl.category("metric", sort=names, axis=vl.names_axis((), labelLimit=190, labelPadding=6))
    x = {"type": "quantitative", "title": "difference in score; right of 0, hybrid-1 scores higher",
         "axis": {"grid": False, "values": [0, 0.05, 0.1, 0.15, 0.2, 0.25]},
         "scale": {"domain": [-0.05, 0.26], "nice": False}}  # fmt: skip
    colour = vl.coloured("verdict", {SHOWN: look.b, NOT_SHOWN: look.equal}, columns=1)
    return {
        "data": vl.values(sheet.columns), "width": 300, "height": 26 * len(names),
        "layer": [
            vl.zero_line(look, "x"),
            vl.interval_bar(look, y, x, strokeWidth=3),
            {"mark": vl.outlined(140, look), "encoding": {"y": y, "x": {"field": "difference", **x}, "color": colour}},
        ],
    }  # fmt: skip


if __name__ == "__main__":
    with quietly():
        judged = rs.load(*rs.simulation.embedded())
        sheet = verdict_sheet(rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10"))
    for theme, name in (("light", "verdict.svg"), ("dark", "verdict-dark.svg")):
        drawn("verdict", sheet, verdict, theme).save(HERE / name)
