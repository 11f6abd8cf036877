// The leaderboard: find a system, show all, choose one and see which others are better, worse or not told apart.

import { facts, numbers } from "./data.js";
import { goTo, put } from "./explorer.js";
import { element } from "./lists.js";
import { swatch } from "./swatch.js";

const RELATIONS = { better: "better", alike: "not told apart", worse: "worse" };
const RELATION_KINDS = { better: "b", alike: "open", worse: "a" };
const board = document.querySelector('.board [data-table="leaderboard"]');
const FIRST_ROWS = +board?.dataset.first;
const boardScales = JSON.parse(board?.dataset.scales ?? "[]"); // of all systems, and of the first rows
let allRows = false,
  chosenRow = null,
  scaleShown = 0;

const boardRows = () => [...board.tBodies[0].rows];
const nameOf = (row) => row.querySelector(".name").textContent;
const byRank = () => boardRows().sort((x, y) => x.dataset.rank - y.dataset.rank);

/** Names become buttons; only one of them is a stop of the tabulator, arrow keys move between them. */
export function startBoard() {
  const finder = document.getElementById("find");
  if (!board || !finder) return;
  for (const row of boardRows()) {
    const button = element("button", "pick-row"),
      cell = row.querySelector(".name");
    button.type = "button";
    button.tabIndex = -1;
    button.setAttribute("aria-pressed", "false");
    button.append(...cell.childNodes);
    cell.append(button);
    row.addEventListener("click", () => chooseRow(+row.dataset.rank));
  }
  finder.addEventListener("input", limitRows);
  board.addEventListener("sorted", limitRows);
  board.addEventListener("keydown", moveRow);
  board.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && chosenRow !== null) chooseRow(null);
  });
  const more = document.getElementById("all-systems");
  more.addEventListener("click", () => {
    allRows = !allRows;
    limitRows();
    more.scrollIntoView({ block: "nearest", behavior: "instant" }); // fewer rows have moved it far above
  });
  addEventListener("beforeprint", () => rescale(0)); // on paper are all rows
  addEventListener("afterprint", limitRows);
  limitRows();
}

/** Dots on another scale. */
function rescale(which) {
  if (which === scaleShown) return;
  const [from, to] = [boardScales[scaleShown], boardScales[which]],
    wide = to.upper - to.lower,
    moved = (mark, key) => {
      const value = from.lower + (parseFloat(mark.getAttribute(key)) / 100) * (from.upper - from.lower);
      mark.setAttribute(key, `${(100 * (value - to.lower)) / wide}%`);
    };
  for (const svg of board.querySelectorAll("tbody .dots")) {
    const [line] = svg.querySelectorAll(".mark");
    for (const mark of svg.querySelectorAll(".mark")) mark.remove();
    const marks = to.marks.map(([at]) => {
      const mark = line.cloneNode();
      for (const key of ["x1", "x2"]) mark.setAttribute(key, `${at}%`);
      return mark;
    });
    svg.prepend(...marks);
    for (const reach of svg.querySelectorAll(".reach")) for (const key of ["x1", "x2"]) moved(reach, key);
    moved(svg.querySelector("circle"), "cx");
  }
  const axis = board.querySelector(".axis"),
    [text] = axis.children;
  axis.replaceChildren(
    ...to.marks.map(([at, words, minor]) => {
      const mark = text.cloneNode();
      mark.setAttribute("x", `${at}%`);
      mark.setAttribute("class", minor ? "minor" : "");
      mark.textContent = words;
      return mark;
    }),
  );
  scaleShown = which;
}

/** Show the first rows, all of them, or those that are looked for. */
function limitRows() {
  const wanted = document.getElementById("find").value.trim().toLowerCase(),
    here = boardRows(),
    fits = here.filter((row) => !wanted || nameOf(row).toLowerCase().includes(wanted));
  const shown = new Set(wanted || allRows ? fits : fits.slice(0, FIRST_ROWS));
  for (const row of here) row.classList.toggle("beyond", !shown.has(row));
  rescale([...shown].every((row) => row.dataset.rank < FIRST_ROWS) ? 1 : 0);
  document.getElementById("found").textContent = wanted ? `${fits.length} of ${here.length}` : "";
  const more = document.getElementById("all-systems");
  more.hidden = Boolean(wanted) || here.length <= FIRST_ROWS;
  more.textContent = allRows ? `Show the first ${FIRST_ROWS}` : `Show all ${here.length} systems`;
  here.forEach((row) => (row.querySelector(".pick-row").tabIndex = -1));
  const first = here.find((row) => shown.has(row));
  if (first) first.querySelector(".pick-row").tabIndex = 0;
}

function moveRow(event) {
  const here = event.target.closest("tbody tr"),
    seen = boardRows().filter((row) => !row.classList.contains("beyond"));
  const to = { ArrowDown: 1, ArrowUp: -1, Home: -seen.length, End: seen.length }[event.key];
  if (!here || !to) return;
  event.preventDefault();
  const next = seen[Math.max(0, Math.min(seen.length - 1, seen.indexOf(here) + to))];
  seen.forEach((row) => (row.querySelector(".pick-row").tabIndex = row === next ? 0 : -1));
  next.querySelector(".pick-row").focus();
  for (const over of [board.tHead.rows[0].cells[0], document.getElementById("chosen")]) uncover(next, over);
}

/** Colour all systems against one, by its rank; the same again, or null, goes back. */
export async function chooseRow(rank) {
  if (!document.getElementById("block-apart")) return;
  const apart = await numbers("apart", Uint8Array);
  chosenRow = rank === chosenRow ? null : rank;
  const ranked = byRank(),
    counts = { better: 0, alike: 0, worse: 0 };
  for (const row of ranked) {
    const other = +row.dataset.rank;
    let relation = null;
    if (chosenRow !== null && other !== chosenRow)
      relation = !apart[chosenRow * ranked.length + other] ? "alike" : other < chosenRow ? "better" : "worse";
    if (relation) counts[relation]++;
    const kind = chosenRow === null ? row.className.match(/kind-(\w+)/)[1] : relation ? RELATION_KINDS[relation] : "chosen";
    row.querySelector(".dots").setAttribute("class", `dots is-${kind}`);
    row.classList.toggle("is-chosen", other === chosenRow);
    row.title = relation ? `${RELATIONS[relation]}, against ${nameOf(ranked[chosenRow])}`.slice(0, 300) : "";
    row.querySelector(".pick-row").setAttribute("aria-pressed", String(other === chosenRow));
  }
  const legend = board.closest(".board").querySelector(".legend"),
    row = ranked[rank],
    before = row?.getBoundingClientRect().top;
  if (legend) legend.hidden = chosenRow !== null;
  sayChosen(ranked, counts);
  if (!row) return;
  scrollBy({ top: row.getBoundingClientRect().top - before, behavior: "instant" }); // it stays where it was pressed
  uncover(row, document.getElementById("chosen"));
}

/** A row that the head of the table, or a panel, floats over is moved just beside it. */
function uncover(row, panel) {
  if (panel.hidden) return;
  const [here, over] = [row, panel].map((one) => one.getBoundingClientRect());
  if (here.bottom <= over.top || here.top >= over.bottom) return;
  const below = over.top > innerHeight / 2;
  scrollBy({ top: below ? here.bottom - over.top + 8 : here.top - over.bottom - 8, behavior: "instant" });
}

/** What the colours mean, and where to go from here. */
function sayChosen(ranked, counts) {
  const place = document.getElementById("chosen");
  place.hidden = chosenRow === null;
  place.replaceChildren();
  if (chosenRow === null) return;
  const name = nameOf(ranked[chosenRow]),
    sentence = element("p");
  sentence.append("Against ", element("bdi", "strong", name), ": ");
  for (const relation of ["better", "alike", "worse"]) {
    const one = element("span", "whole");
    one.append(swatch(RELATION_KINDS[relation]), `${counts[relation]} ${RELATIONS[relation]}`);
    sentence.append(one, " ");
  }
  const buttons = element("p", "actions");
  const here = facts.systems.indexOf(name),
    leader = facts.systems.indexOf(nameOf(ranked[chosenRow === 0 ? 1 : 0]));
  if (here >= 0 && document.getElementById("explorer")) {
    if (leader >= 0)
      buttons.append(action(`Compare with ${facts.systems[leader]}`, () => explorePair({ a: leader, b: here })));
    for (const side of ["a", "b"])
      buttons.append(action(`Explore ${name} as ${side.toUpperCase()}`, () => explorePair({ [side]: here })));
  }
  buttons.append(action("Clear", () => chooseRow(null)));
  place.append(sentence, buttons);
}

function explorePair(pair) {
  for (const [side, system] of Object.entries(pair)) put(side, system);
  goTo("explorer");
}

function action(words, act) {
  const button = element("button", "", words.length > 60 ? `${words.slice(0, 59)}…` : words);
  button.type = "button";
  button.title = words.slice(0, 300);
  button.addEventListener("click", act);
  return button;
}
