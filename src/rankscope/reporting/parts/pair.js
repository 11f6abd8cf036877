// What is looked at: two systems, a depth, an order, a measure, a topic; and what follows from it.

import { facts, numbers } from "./data.js";
import { flippedP } from "./flips.js";
import { atDepth, byDepth, compared, LABELS } from "./ipso.js";
import { listsOf } from "./lists.js";
import { pairedT } from "./student.js";

export const state = { a: facts.pair[0], b: facts.pair[1], depth: 10, order: 0, measure: 0, slice: 0, topic: null };
export let codes, pair, found;
let scores;

/** Unpack the arrays. */
export async function loadPair() {
  codes = await numbers("codes", facts.width === 1 ? Uint8Array : Uint16Array);
  scores = await numbers("scores", Float64Array);
  state.depth = Math.min(10, facts.depth);
}

/** Slices of topics to choose from, all of them first: names, and topics by their rows. */
export const slices = [{ name: "all", topics: null }, ...facts.slices];
const sliceSets = slices.map(({ topics }) => topics && new Set(topics));
export const isKept = (topic) => sliceSets[state.slice]?.has(topic) ?? true;

/** Compare the two systems that are looked at. */
export function comparePair() {
  pair = compared(facts, codes, state.a, state.b, facts.orders[state.order], isKept);
  found = atDepth(pair, state.depth);
  state.topic ??= found.rows.length ? found.rows[0].topic : 0;
}

/** The results of a pair, as plain values; what the page shows is made of nothing else. */
export function results(a, b, depth, order) {
  const one = compared(facts, codes, a, b, facts.orders[order]);
  const here = atDepth(one, depth);
  return {
    counts: here.counts,
    p: here.p,
    swing: here.swing,
    pvalues: byDepth(one)
      .slice(0, depth)
      .map((row) => row.p),
    topics: here.rows.map((row) => facts.topics[row.topic]),
    groups: here.rows.map((row) => row.group),
    paths: here.rows.map((row) => Array.from(row.path, (c) => LABELS[c]).join("")),
    first: here.rows.map((row) => row.first),
    lost: here.rows.map((row) => row.lost),
    leader: here.rows.map((row) => row.leader),
  };
}

/** B - A of a measure on a topic by its row, and whose it is: 0 equal, 1 A ahead, 2 B ahead. */
export function difference(m, topic, a = state.a, b = state.b) {
  const [one, other] = [score(m, a, topic), score(m, b, topic)];
  const value = other - one;
  const rounding = facts.rounding * (Math.abs(one) + Math.abs(other));
  return { value, sign: Math.abs(value) <= rounding ? 0 : value < 0 ? 1 : 2 };
}

export const documentsOf = (a, b, topic) => listsOf(codes, { a, b }, topic);

const score = (m, system, topic) => scores[(m * facts.systems.length + system) * facts.topics.length + topic];

/** Differences b - a under a measure, over topics that both have: 0 where equal on paper, with errors, and both means. */
function paired(m, a, b) {
  const values = [],
    errors = [];
  let first = 0,
    second = 0;
  facts.topics.forEach((_, t) => {
    const { value, sign } = difference(m, t, a, b);
    if (Number.isNaN(value) || !isKept(t)) return;
    const [one, other] = [score(m, a, t), score(m, b, t)];
    first += one;
    second += other;
    values.push(sign ? value : 0);
    errors.push(sign ? facts.rounding * (Math.abs(one) + Math.abs(other)) : 0);
  });
  return { values, errors, a: first / values.length, b: second / values.length };
}

/** Means of both systems under a measure, and the difference with interval and p of Student's t. */
export function effect(m, a = state.a, b = state.b) {
  const { values, errors, ...means } = paired(m, a, b);
  const tested = pairedT(values, errors, facts.level);
  return { ...tested, ...means, tied: tested.n - tested.won - tested.lost };
}

const flipped = new Map();

/** p of the randomisation test as {p, drawn}, which takes a moment; null where it would take too long. */
export function randomisation(m, a = state.a, b = state.b) {
  const key = [m, Math.min(a, b), Math.max(a, b), state.slice].join();
  if (!flipped.has(key)) {
    const { values, errors } = paired(m, a, b);
    flipped.set(key, flippedP(values, errors));
  }
  return flipped.get(key);
}

/** Scores of both systems on a topic. */
export const scoresOf = (m, topic) => [score(m, state.a, topic), score(m, state.b, topic)];
