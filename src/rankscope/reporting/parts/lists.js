// One topic: both lists side by side, with documents, grades and what was not judged.

import { block, facts, json, numbers } from "./data.js";
import { csv, saveCsv } from "./downloads.js";
import { gradeOf, list, OUTCOMES } from "./ipso.js";
import { oneStop } from "./stops.js";
import { shadeOf } from "./theme.js";

const SHOWN = 20;
const place = document.getElementById("lists");
const more = document.getElementById("more");
let documents = null,
  showing = null,
  whole = false;

/** Ids by topic, and where they stand; unpacked when a topic is first opened. */
async function load() {
  if (documents || !facts.named) return;
  const ids = await json("ids");
  const cells = facts.systems.length * facts.topics.length * facts.named;
  const places = await numbers("places", (await block("places")).length === 2 * cells ? Uint16Array : Uint32Array);
  documents = { ids, places, deeper: await numbers("deeper", Uint8Array) };
}

/** Ids of a list from rank 1; null where they are not in the page. */
function idsOf(system, topic) {
  if (!documents) return [];
  const start = (system * facts.topics.length + topic) * facts.named;
  return Array.from(documents.places.subarray(start, start + facts.named), (n) =>
    n ? documents.ids[topic][n - 1] : null,
  );
}

/** Both lists of a topic: rows of rank, codes and documents. */
export async function listsOf(codes, pair, topic) {
  await load();
  const [first, second] = [pair.a, pair.b].map((system) => list(facts, codes, system, topic));
  const [one, other] = [pair.a, pair.b].map((system) => idsOf(system, topic));
  const ranks = (ids) => new Map(ids.map((id, i) => [id, i + 1]));
  const [inA, inB] = [ranks(one), ranks(other)];
  const cut = (system) => Boolean(documents?.deeper[system * facts.topics.length + topic]); // below what the page holds
  const rows = [];
  for (let r = 0; r < facts.depth && (first[r] || second[r]); r++) {
    rows.push({
      rank: r + 1,
      a: { code: first[r], id: one[r] ?? null, other: one[r] ? inB.get(one[r]) : undefined, cut: cut(pair.b) },
      b: { code: second[r], id: other[r] ?? null, other: other[r] ? inA.get(other[r]) : undefined, cut: cut(pair.a) },
    });
  }
  return rows;
}

/** Show a topic's lists; `path` is who is ahead down to each rank. */
export async function showLists(codes, pair, topic, path) {
  const rows = await listsOf(codes, pair, topic);
  showing = { rows, pair, topic, path };
  drawLists();
}

export function startLists() {
  more.addEventListener("click", () => {
    whole = true;
    drawLists();
  });
  for (const kind of ["pointerover", "focusin"])
    place.addEventListener(kind, (event) => mark(event.target.closest(".doc")?.dataset.id));
  oneStop(place, ".doc[tabindex]");
  place.addEventListener("pointerleave", () => mark(undefined));
  document.getElementById("lists-csv").addEventListener("click", () => {
    if (!showing) return;
    const { rows, pair, topic } = showing;
    const judged = (code) => (code === 0 ? null : code === 1 ? "unjudged" : gradeOf(facts, code));
    saveCsv(
      "topic",
      csv(
        ["topic", "rank", "a", "a_document", "a_grade", "b", "b_document", "b_grade"],
        rows.map((row) => [
          facts.topics[topic],
          row.rank,
          facts.systems[pair.a],
          row.a.id,
          judged(row.a.code),
          facts.systems[pair.b],
          row.b.id,
          judged(row.b.code),
        ]),
      ),
    );
  });
}

function mark(id) {
  for (const one of place.querySelectorAll(".doc"))
    one.classList.toggle("same", id !== undefined && one.dataset.id === id);
}

function drawLists() {
  const { rows, pair, path } = showing;
  const shown = whole ? rows : rows.slice(0, SHOWN);
  const head = ["a", "b"].map((side) => {
    const one = element("div", `head ${side}`);
    one.append(element("bdi", "", facts.systems[pair[side]]));
    one.title = facts.systems[pair[side]];
    return one;
  });
  const cells = shown.flatMap((row) => {
    const rank = element("div", `rank ${path ? `is-${path[row.rank - 1]}` : ""}`, String(row.rank));
    if (path) rank.title = `to rank ${row.rank}: ${OUTCOMES[path[row.rank - 1]]}`;
    return [cellOf(row.a, "a", pair), rank, cellOf(row.b, "b", pair)];
  });
  place.replaceChildren(head[0], element("div", "head"), head[1], ...cells);
  const first = place.querySelector(".doc[tabindex]");
  if (first) first.tabIndex = 0;
  more.hidden = shown.length === rows.length;
  more.textContent = `Show all ${rows.length} ranks`;
  const said = [...place.querySelectorAll(".where")].map((one) => one.textContent),
    deeper = said.some((words) => words.includes(">")) ? `; > ${facts.named}: not among its first ${facts.named}` : "",
    unjudged = place.querySelector(".grade.unjudged") ? " (?: unjudged)" : "",
    ahead = path ? ", and its colour says who is ahead down to it, as in the strips" : "";
  document
    .getElementById("lists-note")
    .replaceChildren(
      `In the box: the grade${unjudged}. Between the lists: the rank${ahead}.`,
      element("span", "where", ` Beside an id: its rank in the other list${deeper}.`),
    );
}

function cellOf(side, which, pair) {
  const one = element("div", `doc ${which}`);
  if (side.code === 0) {
    one.classList.add("none");
    one.textContent = "the list has ended";
    return one;
  }
  const grade = gradeOf(facts, side.code);
  const chip = element(
    "span",
    `grade ${side.code === 1 ? "unjudged" : pair.order.shade[side.code] > 0 ? `relevant ${shadeOf(pair.order.shade[side.code])}` : "not-relevant"}`,
    side.code === 1 ? "?" : grade,
  );
  chip.title = side.code === 1 ? "unjudged" : `grade ${grade}`;
  chip.setAttribute("aria-label", chip.title);
  const id = element(
    "bdi",
    "id",
    side.id === null ? (facts.named ? "id not in this page" : "ids were not kept") : side.id.slice(0, 300),
  );
  if (side.id !== null) {
    one.dataset.id = side.id;
    one.tabIndex = -1;
    id.title = side.id;
  }
  const other = which === "a" ? "B" : "A";
  const where = side.id === null ? "" : side.other ? `${other} ${side.other}` : side.cut ? `${other} > ${facts.named}` : `not in ${other}`;
  const note = element("span", "where", where);
  note.title = side.other ? `at rank ${side.other} of ${other}` : side.cut ? `not among the first ${facts.named} of ${other}` : `not in the list of ${other}`;
  one.append(chip, id, note);
  return one;
}

/** A name cut in its middle where it is long: names of runs often differ at their ends. */
export const shortened = (name, most) =>
  name.length > most ? `${name.slice(0, Math.ceil(0.6 * most) - 1)}…${name.slice(-Math.floor(0.4 * most))}` : name;

/** An element with a class and text; never markup. */
export function element(kind, name = "", text) {
  const one = document.createElement(kind);
  if (name) one.className = name;
  if (text !== undefined) one.textContent = text;
  return one;
}
