// Boxes that scroll fade out where there is more to see: a telephone shows no scroll bar.

const BOXES = ".scroll, .chart .view, .findings details ul, .top ul";

/** Keep `data-more` of every such box true: some of left, right, below. */
export function startEdges() {
  const watch = new ResizeObserver((entries) => {
    for (const box of new Set(entries.map((entry) => entry.target.closest(BOXES)))) if (box) fade(box);
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
  const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
  if (box.matches('[role="region"]')) box.tabIndex = scrolls ? 0 : -1; // arrow keys have nothing to do otherwise
}
