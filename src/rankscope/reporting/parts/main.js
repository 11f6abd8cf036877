// The page wakes up: it can be read before any of this has run.

import { startBoard } from "./board.js";
import { startCharts } from "./charts.js";
import { canUnpack, facts, json, numbers } from "./data.js";
import { csv, save, saveCsv } from "./downloads.js";
import { startEdges } from "./edges.js";
import { choose, FRAGMENT, openTopic, startExplorer } from "./explorer.js";
import { flippedP } from "./flips.js";
import { element } from "./lists.js";
import { difference, documentsOf, effect, randomisation, results } from "./pair.js";
import { startGroups } from "./stops.js";
import { stripsLayout } from "./strips.js";
import { startTheme } from "./theme.js";

startTheme(document.getElementById("theme"));
sortable();
startBoard();
follow();
startEdges();
startGroups();
keepBoxes();
for (const button of document.querySelectorAll("[data-csv]")) {
  button.addEventListener("click", async () => saveCsv(button.dataset.csv, (await json("csv"))[button.dataset.csv]));
}
document.getElementById("scores-csv").addEventListener("click", async () => saveCsv("scores", await scoresCsv()));
document
  .getElementById("latex")
  ?.addEventListener("click", async () => save("leaderboard.tex", (await json("texts")).latex, "text/plain;charset=utf-8"));
document.getElementById("too-old").hidden = canUnpack;
if (canUnpack) {
  const explorer = document.getElementById("explorer");
  const ready = explorer ? startExplorer() : Promise.resolve();
  // what tests, and the curious, may ask
  window.rankscope = { facts, ready, results, difference, effect, randomisation, flippedP, documentsOf, choose, openTopic, stripsLayout };
  // the script that draws comes after this one; "load" comes after both
  const drawn = new Promise((go) => (document.readyState === "complete" ? go() : addEventListener("load", go))).then(
    startCharts,
  );
  window.rankscope.drawn = drawn;
  stay(Promise.all([ready, drawn]));
}

/** The part that the address names stays in view while what is above it is drawn, until the reader moves. */
function stay(drawn) {
  const part = document.getElementById(location.hash.startsWith(FRAGMENT) ? "explorer" : location.hash.slice(1));
  if (!part) return;
  const seen = new ResizeObserver(() => part.scrollIntoView({ block: "start" })),
    end = () => seen.disconnect();
  seen.observe(document.getElementById("content"));
  for (const moved of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(moved, end, { once: true, passive: true });
  drawn.then(() => setTimeout(end, 500));
}

/** All scores that the page holds, a row each. */
async function scoresCsv() {
  const scores = (await numbers("scores", Float64Array)).values(),
    rows = [];
  for (const measure of facts.measures)
    for (const system of facts.systems)
      for (const topic of facts.topics) rows.push([measure, system, topic, scores.next().value]);
  return csv(["measure", "system", "topic", "value"], rows);
}

/** The number of a cell, or the first of an interval; 1,234 is one number, and so is what stands after "≈" or "below". */
const valueOf = (cell) =>
  parseFloat(cell.replace(/^(≈|<|>|below|over|about) ?|\[/g, "").replace("−", "-").replace(/,(?=\d{3})/g, ""));

/** Columns sort when their heads are pressed. */
function sortable() {
  for (const table of document.querySelectorAll("table.sortable")) {
    if (table.tBodies[0].rows.length < 4) continue;
    [...table.tHead.rows[0].cells]
      .filter((head) => head.textContent.trim() && !("unsorted" in head.dataset))
      .forEach((head) => {
        const button = element("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const now = head.getAttribute("aria-sort"),
            first = head.dataset.best ?? "ascending",
            up = now === null ? first === "ascending" : now === "descending";
          for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", up ? "ascending" : "descending");
          const key = (row) => row.cells[head.cellIndex].textContent.trim();
          const text = head.classList.contains("text"),
            way = up ? 1 : -1;
          const order = (x, y) => {
            const [first, second] = [key(x), key(y)],
              [p, q] = text ? [0, 0] : [valueOf(first), valueOf(second)];
            // what is no number comes last, whichever way; the ends of ranges decide where their beginnings are the same
            if (Number.isNaN(p) !== Number.isNaN(q)) return Number.isNaN(p) - Number.isNaN(q);
            return way * (p - q || first.localeCompare(second, "en", { numeric: true }));
          };
          table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
          table.dispatchEvent(new Event("sorted"));
        });
      });
  }
}

/** A box that is opened stays where it was pressed, though the one above it closes. */
function keepBoxes() {
  for (const head of document.querySelectorAll(".chips summary"))
    head.addEventListener("click", () => {
      const before = head.getBoundingClientRect().top;
      requestAnimationFrame(() => scrollBy({ top: head.getBoundingClientRect().top - before, behavior: "instant" }));
    });
}

/** The part that is being read is marked in the navigation. */
function follow() {
  const links = new Map([...document.querySelectorAll(".top li a")].map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.removeAttribute("aria-current");
        const link = links.get(entry.target.id);
        link?.setAttribute("aria-current", "true");
        const bar = link?.closest("ul");
        bar?.scrollTo({ left: link.offsetLeft - bar.offsetLeft - 40 });
      }
    },
    { rootMargin: "-20% 0px -70% 0px" },
  );
  for (const id of links.keys()) if (document.getElementById(id)) seen.observe(document.getElementById(id));
}
