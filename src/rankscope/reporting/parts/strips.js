// The strips of Figures 5 and 6 of Moffat and Mackenzie (2024): lists, classes by rank, differences of measures.

import { cell, list } from "./ipso.js";
import { colour, outcomeColours } from "./theme.js";

const FEW = 60; // rows up to which topics are named and differences printed
const ROW = 17,
  HEAD = 70,
  GAP = 10,
  TAIL = 26; // the last measure's name leans out to the right

/** Where everything stands: `rowAt(y)` finds a row again. */
export function stripsLayout(found, measures, room) {
  const rows = found.rows,
    few = rows.length <= FEW;
  const height = few ? ROW : Math.max(1, Math.min(4, Math.floor(1200 / Math.max(1, rows.length))));
  const gap = few ? 9 : Math.max(5, Math.round((rows.length * height) / 80));
  let y = HEAD,
    last = rows.length ? rows[0].group : 0;
  const tops = rows.map((row) => {
    if (row.group !== last) y += gap;
    last = row.group;
    const top = y;
    y += height;
    return top;
  });
  const label = Math.min(few ? 74 : 92, room * 0.2);
  const columns = room < 560 ? 1 : Math.min(measures.length, Math.max(1, Math.floor((room - label - 400) / 46)));
  const each = few ? Math.min(52, Math.max(40, (room - label) * 0.06)) : 30;
  const panel = Math.min(320, (room - label - 8 - TAIL - 3 * GAP - columns * each) / 3);
  const left = [label + 8, label + 8 + panel + GAP, label + 8 + 2 * (panel + GAP), label + 8 + 3 * (panel + GAP)];
  return {
    few,
    height,
    tops,
    label,
    columns,
    each,
    panel,
    left,
    bottom: y,
    size: [Math.ceil(left[3] + columns * each + TAIL), Math.ceil(y + 6)],
    rowAt: (at) => tops.findIndex((top) => at >= top && at < top + height),
  };
}

/** Draw with a pen. `differences[m][topic]` are B - A, `sizes[m]` what they are to be held against. */
export function drawStrips(pen, at, { facts, codes, pair, found, measures, differences, chosen }) {
  const ink = colour("ink"),
    quiet = colour("faint"),
    rule = colour("rule"),
    ground = colour("ground");
  const shades = outcomeColours(),
    marks = at.few ? [colour("equal"), colour("a-faint"), colour("b-faint")] : shades;
  const greys = new Map(pair.order.share.map((share) => [share, blend(ground, ink, 0.3 + 0.7 * share)]));
  const [a, b, path, beside] = at.left;
  const wide = at.panel / found.depth;
  const apart = at.few && wide >= 6 ? 1 : 0;
  heading(pen, at, found.depth, ink, quiet);
  if (at.columns > 1) pen.text(beside, 10, "B − A", { size: 12, fill: ink });
  measures.slice(0, at.columns).forEach((name, m) => {
    pen.text(beside + (m + 0.5) * at.each - 6, 60, name, { size: 11, fill: ink, angle: -40, limit: 74 });
  });
  found.rows.forEach((row, i) => {
    const top = at.tops[i],
      tall = at.height - (at.few ? 1 : 0);
    [pair.a, pair.b].forEach((system, side) => {
      const codesHere = list(facts, codes, system, row.topic);
      const shown = Array.from({ length: found.depth }, (_, r) => cell(codesHere[r], pair.order));
      for (const [start, end, what] of runs(shown, apart)) {
        const x = [a, b][side] + start * wide,
          w = (end - start) * wide - apart;
        if (what === "ended") continue;
        if (what === "unjudged") {
          if (at.few) pen.rect(x, top + tall / 2 - 0.75, w, 1.5, quiet);
        } else pen.rect(x, top, w, tall, what > 0 ? greys.get(what) : rule);
      }
    });
    for (const [start, end, c] of runs(row.path, apart))
      pen.rect(path + start * wide, top, (end - start) * wide - apart, tall, shades[c]);
    measures.slice(0, at.columns).forEach((_, m) => {
      const { value, sign } = differences(m, row.topic);
      const x = beside + m * at.each;
      if (Number.isNaN(value)) return;
      pen.rect(x, top, at.each - 1, tall, marks[sign]);
      if (at.few)
        pen.text(x + at.each - 6, top + tall / 2 + 0.5, value.toFixed(2).replace("-", "−"), {
          size: 10.5,
          align: "right",
          fill: ink,
        });
    });
    if (at.few)
      pen.text(at.label, top + tall / 2 + 0.5, facts.topics[row.topic], {
        size: 11,
        align: "right",
        fill: ink,
        limit: at.label - 4,
      });
  });
  const mine = found.rows.findIndex((row) => row.topic === chosen);
  if (mine >= 0) pen.frame(a - 3, at.tops[mine] - 1.5, at.size[0] - TAIL - a + 3, Math.max(at.height + 2, 4), ink, 2);
  if (!at.few) sections(pen, at, found, ink);
}

function heading(pen, at, depth, ink, quiet) {
  ["A", "B", at.panel > 100 ? "ahead, to each rank" : "ahead"].forEach((words, i) => {
    pen.text(at.left[i] + at.panel / 2, 40, words, { size: 12, align: "center", fill: ink, bold: i < 2 });
    const wide = at.panel / depth;
    const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((s) => s * wide >= 24) ?? depth;
    const small = { size: 10, fill: quiet };
    // where cells are narrower than their numbers, the outermost keep within the panel, away from its neighbour's
    const narrow = wide < 14;
    for (let rank = step; rank <= depth; rank += step) {
      if (narrow && rank === depth) pen.text(at.left[i] + at.panel, 58, String(rank), { ...small, align: "right" });
      else pen.text(at.left[i] + (rank - 0.5) * wide, 58, String(rank), { ...small, align: "center" });
    }
    if (step > 1) {
      const [shift, align] = narrow ? [0, "left"] : [0.5 * wide, "center"];
      pen.text(at.left[i] + shift, 58, "1", { ...small, align });
    }
  });
}

/** Names of the five groups beside their rows, where topics are too many to name. */
function sections(pen, at, found, ink) {
  const names = ["undecided", "B ahead", "equal", "A ahead", "undecided"];
  names.forEach((name, g) => {
    const tops = at.tops.filter((_, i) => found.rows[i].group === g + 1);
    if (!tops.length) return;
    const middle = (tops[0] + tops.at(-1) + at.height) / 2;
    pen.text(at.label, middle - 7, name, { size: 11, align: "right", fill: ink, limit: at.label });
    pen.text(at.label, middle + 7, tops.length.toLocaleString("en"), { size: 11, align: "right", fill: ink });
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

/** A colour between two, both as #rrggbb. */
export function blend(from, to, share) {
  const part = (hex, i) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mixed = [0, 1, 2].map((i) => Math.round(part(from, i) + (part(to, i) - part(from, i)) * share));
  return `#${mixed.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
}
