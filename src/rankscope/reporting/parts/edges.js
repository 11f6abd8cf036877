// Boxes that scroll fade out where there is more to see: a telephone shows no scroll bar.

import { settleBoxes } from "./stops.js";

const BOXES = ".scroll, .chart .view, .findings details ul, .top ul";

/** Keep `data-more` of every such box true: some of left, right, below. */
export function startEdges() {
  const watch = new ResizeObserver((entries) => {
    const boxes = new Set(entries.map((entry) => entry.target.closest(BOXES)).filter(Boolean));
    boxes.forEach(fade);
    for (const part of new Set([...boxes].map((box) => box.closest("main > section")))) if (part) settleBoxes(part);
  });
  for (const box of document.querySelectorAll(BOXES)) {
    box.addEventListener("scroll", () => fade(box), { passive: true });
    for (const one of [box, ...box.children]) watch.observe(one);
  }
}

/** To be called where the content of a box was changed. */
export function fade(box) {
  const more = [
    box.scrollLeft > 1 && "left",
    box.scrollLeft + box.clientWidth < box.scrollWidth - 1 && "right",
    box.scrollTop + box.clientHeight < box.scrollHeight - 1 && "below",
  ];
  box.dataset.more = more.filter(Boolean).join(" ");
}
