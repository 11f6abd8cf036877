// The strips of Figures 5 and 6 of Moffat and Mackenzie (2024): lists, classes by rank, differences of measures.

import { cell, list } from "./ipso.js";
import { colour, outcomeColours, shadeOf } from "./theme.js";

const TALLEST = 17,
  LOWEST = 2,
  HIGH = 1020, // pixels of rows that are not of the greatest height; then rows shrink, then pieces stand side by side
  NAMED = 8, // the height of rows from which on topics are named
  PRINTED = 14, // and differences printed
  HEAD = 74,
  GAP = 10;

/** Where everything stands: `rowAt(x, y)` finds a row again. */
export function stripsLayout(found, measures, room) {
  const rows = found.rows,
    height = Math.max(LOWEST, Math.min(TALLEST, HIGH / Math.max(1, rows.length)));
  const gap = Math.max(5, Math.min(9, Math.round((rows.length * height) / 80)));
  const wanted = Math.ceil((rows.length * height) / (1.15 * HIGH)),
    pieces = Math.max(1, Math.min(wanted, Math.floor(room / 290)));
  const width = (room - (pieces - 1) * 2 * GAP) / pieces,
    each = Math.ceil(rows.length / pieces);
  const named = height >= NAMED,
    printed = height >= PRINTED;
  const label = Math.min(named ? 74 : 70, width * 0.2);
  const most = pieces > 1 ? 1 : Math.max(1, Math.floor((width - label - 400) / 46));
  const columns = width < 560 ? 1 : Math.min(measures.length, most),
    column = printed ? Math.min(52, Math.max(40, (width - label) * 0.06)) : pieces > 1 ? 16 : 30;
  const tail = printed ? 26 : 72 - column; // the last measure's name leans out to the right
  const panel = Math.min(320, (width - label - 8 - tail - 3 * GAP - columns * column) / 3);
  let bottom = HEAD;
  const places = rows.map(() => null);
  for (let piece = 0; piece < pieces; piece++) {
    let y = HEAD,
      last = null;
    for (let i = piece * each; i < Math.min(rows.length, (piece + 1) * each); i++) {
      if (last !== null && rows[i].group !== last) y += gap;
      last = rows[i].group;
      places[i] = { piece, top: y };
      y += height;
    }
    bottom = Math.max(bottom, y);
  }
  const lefts = Array.from({ length: pieces }, (_, piece) =>
    [0, 1, 2, 3].map((part) => piece * (width + 2 * GAP) + label + 8 + part * (panel + GAP)),
  );
  return {
    named,
    printed,
    height,
    places,
    pieces,
    label,
    columns,
    column,
    panel,
    lefts,
    width,
    size: [Math.ceil(Math.min(room, lefts.at(-1)[3] + columns * column + tail)), Math.ceil(bottom + 6)],
    rowAt(x, y) {
      const piece = Math.min(pieces - 1, Math.max(0, Math.floor(x / (width + 2 * GAP))));
      return places.findIndex((one) => one.piece === piece && y >= one.top && y < one.top + height);
    },
  };
}

/** Draw with a pen. `differences(m, topic)` are B - A with whose they are. */
export function drawStrips(pen, at, { facts, codes, pair, found, measures, differences, chosen }) {
  const ink = colour("ink"),
    ground = colour("ground"),
    shades = outcomeColours(),
    marks = at.printed ? [ground, colour("a-faint"), colour("b-faint")] : [ground, ...shades.slice(1)];
  const fills = new Map([["unjudged", colour("unjudged")], [0, colour("not-relevant")]]);
  for (const shade of pair.order.shade) if (shade > 0) fills.set(shade, colour(shadeOf(shade)));
  const wide = at.panel / found.depth;
  const apart = at.printed && wide >= 6 ? 1 : 0;
  at.lefts.forEach((left) => {
    heading(pen, at, left, found.depth, facts, pair);
    pen.text(left[3], 10, "B − A", { size: 12, fill: ink });
    measures.slice(0, at.columns).forEach((name, m) => {
      pen.text(left[3] + (m + 0.5) * at.column - 6, 64, name, { size: 11, fill: ink, angle: -40, limit: 74 });
    });
  });
  found.rows.forEach((row, i) => {
    const { piece, top } = at.places[i],
      [a, b, path, beside] = at.lefts[piece],
      tall = at.height - (at.printed ? 1 : at.height >= 5 ? 0.5 : 0);
    [pair.a, pair.b].forEach((system, side) => {
      const codesHere = list(facts, codes, system, row.topic);
      const shown = Array.from({ length: found.depth }, (_, r) => cell(codesHere[r], pair.order));
      for (const [start, end, what] of runs(shown, apart))
        if (what !== "ended")
          pen.rect([a, b][side] + start * wide, top, (end - start) * wide - apart, tall, fills.get(what));
    });
    for (const [start, end, c] of runs(row.path, apart))
      pen.rect(path + start * wide, top, (end - start) * wide - apart, tall, shades[c]);
    measures.slice(0, at.columns).forEach((_, m) => {
      const { value, sign } = differences(m, row.topic);
      const x = beside + m * at.column;
      if (Number.isNaN(value)) return;
      const words = value.toFixed(2).replace("-", "−"),
        none = at.printed && /^−?0\.00$/.test(words); // no tint where the value that is printed is 0
      pen.rect(x, top, at.column - 1, tall, none ? ground : marks[sign]);
      if (at.printed)
        pen.text(x + at.column - 6, top + tall / 2 + 0.5, none ? "0.00" : words, {
          size: 10.5,
          align: "right",
          fill: ink,
        });
    });
    if (at.named)
      pen.text(a - 8, top + tall / 2 + 0.5, facts.topics[row.topic], {
        size: Math.min(11, at.height),
        align: "right",
        fill: ink,
        limit: at.label - 8,
      });
  });
  const mine = found.rows.findIndex((row) => row.topic === chosen);
  if (mine >= 0) selected(pen, at, mine, ink);
  if (!at.named) sections(pen, at, found, ink);
}

/** A bar at each end of the row that is chosen, and lines above and below where there is room: nothing over the row. */
function selected(pen, at, row, ink) {
  const { piece, top } = at.places[row],
    [a, , , beside] = at.lefts[piece],
    right = beside + at.columns * at.column,
    [from, tall] = [Math.round(top) - 2, Math.ceil(at.height) + 3];
  pen.rect(a - 6, from, 4, tall, ink);
  pen.rect(right + 1, from, 4, tall, ink);
  if (at.height < NAMED) return;
  pen.rect(a - 6, from, right - a + 11, 1.5, ink);
  pen.rect(a - 6, from + tall - 1.5, right - a + 11, 1.5, ink);
}

function heading(pen, at, left, depth, facts, pair) {
  const ink = colour("ink"),
    quiet = colour("faint");
  const names = [`A ${facts.systems[pair.a]}`, `B ${facts.systems[pair.b]}`, at.panel > 120 ? "ahead, to each rank" : "ahead"];
  names.forEach((words, i) => {
    const short = i < 2 && at.panel < 70 ? words[0] : words;
    pen.text(left[i] + at.panel / 2, 44, short, { size: 12, align: "center", fill: ink, bold: i < 2, limit: at.panel });
    const wide = at.panel / depth;
    const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((s) => s * wide >= 24) ?? depth;
    const small = { size: 10, fill: quiet };
    // where cells are narrower than their numbers, the outermost keep within the panel, away from its neighbour's
    const narrow = wide < 14;
    for (let rank = step; rank <= depth; rank += step) {
      if (narrow && rank === depth) pen.text(left[i] + at.panel, 62, String(rank), { ...small, align: "right" });
      else pen.text(left[i] + (rank - 0.5) * wide, 62, String(rank), { ...small, align: "center" });
    }
    if (step > 1) {
      const [shift, align] = narrow ? [0, "left"] : [0.5 * wide, "center"];
      pen.text(left[i] + shift, 62, "1", { ...small, align });
    }
  });
}

/** Names of the five groups beside their rows, where topics are too many to name. */
function sections(pen, at, found, ink) {
  const names = ["undecided", "B ahead", "equal", "A ahead", "undecided"];
  names.forEach((name, g) => {
    for (let piece = 0; piece < at.pieces; piece++) {
      const tops = at.places.filter((one, i) => one.piece === piece && found.rows[i].group === g + 1).map((one) => one.top);
      if (!tops.length || tops.at(-1) - tops[0] + at.height < 26) continue;
      const all = found.counts[g].toLocaleString("en"),
        many = tops.length === found.counts[g] ? all : `${tops.length.toLocaleString("en")} of ${all}`;
      const middle = (tops[0] + tops.at(-1) + at.height) / 2,
        right = at.lefts[piece][0] - 8;
      pen.text(right, middle - 7, name, { size: 11, align: "right", fill: ink, limit: at.label });
      pen.text(right, middle + 7, many, { size: 11, align: "right", fill: ink });
    }
  });
}

/** Neighbours that are alike, as [start, end, what]; each by itself where cells are kept apart. */
function runs(values, apart) {
  const found = [];
  for (let i = 0; i < values.length; i++) {
    const last = found.at(-1);
    if (!apart && last && last[2] === values[i]) last[1] = i + 1;
    else found.push([i, i + 1, values[i]]);
  }
  return found;
}
