// Any two systems, any depth, any order.

import { hideTip, tip } from "./charts.js";
import { facts } from "./data.js";
import { differencesLayout, drawByDepth, drawDifferences } from "./differences.js";
import { saveCsv, saveSvg } from "./downloads.js";
import { byDepth, OUTCOMES } from "./ipso.js";
import { element, shortened, showLists, startLists } from "./lists.js";
import { codes, comparePair, difference, found, isKept, loadPair, pair, scoresOf, slices, state } from "./pair.js";
import {
  at,
  countsTable,
  depthsCsv,
  differencesCsv,
  effectSentence,
  legend,
  stripLegend,
  meansCsv,
  meansTable,
  sentence,
  shares,
  signed,
  topicsCsv,
  topicsTable,
} from "./panels.js";
import { canvasPen, svgPen } from "./pens.js";
import { drawScatter, scatterLayout, smallest } from "./scatter.js";
import { DOWN, oneStop } from "./stops.js";
import { drawStrips, stripsLayout } from "./strips.js";
import { colour, onTheme } from "./theme.js";

const drawn = {},
  OTHER = { a: "b", b: "a" };
export const FRAGMENT = "#explorer?";
const PAPER = 670; // pixels of a page's width
let widest = Infinity; // of a drawing: that of a page while it is printed
let remember = false; // the fragment of the address follows what a reader chooses, from the first choice on

/** Load the arrays, fill in the choices, show the first pair. */
export async function startExplorer() {
  await loadPair();
  fill("pick-a", facts.systems, state.a);
  fill("pick-b", facts.systems, state.b);
  fill(
    "order",
    facts.orders.map((order) => order.name),
    state.order,
  );
  fill("measure", facts.measures, state.measure);
  fill("slice", slices.map(({ name }) => name), state.slice);
  at("slice").parentElement.hidden = slices.length < 2;
  fill("pick-topic", facts.topics, 0);
  at("depth").max = facts.depth;
  const lacking = restore();
  listen();
  startLists();
  choose({});
  remember = true;
  say(lacking);
  onTheme(redraw);
  for (const [event, width] of [
    ["beforeprint", PAPER],
    ["afterprint", Infinity],
  ])
    addEventListener(event, () => {
      widest = width;
      redraw();
    });
  new ResizeObserver(() => requestAnimationFrame(redraw)).observe(at("explorer"));
}

/** Change what is looked at: any of a, b, depth, order, measure, slice, topic. */
export function choose(change) {
  Object.assign(state, change);
  if ("slice" in change && !isKept(state.topic)) state.topic = null; // the first topic of the slice
  for (const [id, key] of Object.entries({
    "pick-a": "a",
    "pick-b": "b",
    order: "order",
    measure: "measure",
    slice: "slice",
    depth: "depth",
  }))
    at(id).value = state[key];
  update();
}

/** Look at a system as A or as B; one that is there already on the other side changes places. */
export function put(side, system) {
  const other = OTHER[side];
  choose(system === state[other] ? { [side]: system, [other]: state[side] } : { [side]: system });
}

/** Systems, measure, slice, depth, order and topic by the fragment of the address; gives what the page does not have. */
function restore() {
  const lacking = [];
  if (!location.hash.startsWith(FRAGMENT)) return lacking;
  const asked = new URLSearchParams(location.hash.slice(FRAGMENT.length));
  const orders = facts.orders.map((order) => order.mark);
  Object.assign(state, { order: 0, slice: 0 }); // the fragment has no words on the first ones
  for (const [key, names] of Object.entries({ a: facts.systems, b: facts.systems, measure: facts.measures, order: orders, slice: slices.map(({ name }) => name), topic: facts.topics })) {
    const place = asked.has(key) ? names.indexOf(asked.get(key)) : -1;
    if (place >= 0) state[key] = place;
    else if (asked.has(key)) lacking.push(`${key} ${shortened(asked.get(key), 60)}`);
  }
  const depth = Math.round(Number(asked.get("depth")));
  if (depth >= 1 && depth <= facts.depth) state.depth = depth;
  else if (asked.has("depth")) lacking.push(`depth ${shortened(asked.get("depth"), 20)}`);
  at("explorer").scrollIntoView({ block: "start" });
  return lacking;
}

/** What the address asked for in vain; from now on the address names what is shown. */
function say(lacking) {
  at("lacking").hidden = !lacking.length;
  at("lacking").textContent = lacking.length ? `The address asks for what this page does not have: ${lacking.join(", ")}. Something else is shown in its place.` : "";
  if (lacking.length) keep();
}

/** To a part of the page, whose heading takes the focus. */
export function goTo(part) {
  at(part).scrollIntoView({ block: "start" });
  at(`${part}-title`).focus({ preventScroll: true });
}

/** The fragment that brings a reader back to what is shown. */
function keep() {
  if (!remember) return;
  const { a, b, measure, order, depth, slice, topic } = state;
  const words = new URLSearchParams({ a: facts.systems[a], b: facts.systems[b], measure: facts.measures[measure], depth });
  if (order) words.set("order", facts.orders[order].mark);
  if (slice) words.set("slice", slices[slice].name);
  words.set("topic", facts.topics[topic]);
  const fragment = FRAGMENT + words;
  if (fragment.length < 2000) history.replaceState(null, "", fragment);
}

function fill(id, names, chosen) {
  at(id).replaceChildren(
    ...names.map((name, i) => {
      const one = element("option", "", shortened(name, 70));
      one.value = i;
      if (name.length > 70) one.title = name.slice(0, 2000);
      return one;
    }),
  );
  at(id).value = chosen;
}

function listen() {
  for (const [id, key] of Object.entries({ "pick-a": "a", "pick-b": "b", order: "order", measure: "measure", slice: "slice" })) {
    at(id).addEventListener("change", () => {
      const value = +at(id).value;
      if (key in OTHER) put(key, value);
      else choose({ [key]: value });
    });
  }
  at("choices").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => {
    if (!location.hash.startsWith(FRAGMENT)) return; // a link to a part of the page: what is looked at stays
    const lacking = restore();
    remember = false;
    choose({});
    remember = true;
    say(lacking);
  });
  at("depth").addEventListener("input", () => choose({ depth: +at("depth").value }));
  at("swap").addEventListener("click", () => choose({ a: state.b, b: state.a }));
  at("pick-topic").addEventListener("change", () => openTopic(+at("pick-topic").value, false));
  for (const [id, by] of [
    ["topic-back", -1],
    ["topic-next", 1],
  ])
    at(id).addEventListener("click", () => step(by));
  at("strips").addEventListener("click", (event) => pick(drawn.strips?.rowAt(event.offsetX, event.offsetY), found.rows));
  at("scatter").addEventListener("click", (event) => {
    const here = sharing(event);
    // of several topics in one dot each click opens the next
    if (here.length) openTopic(here[(here.findIndex((row) => row.topic === state.topic) + 1) % here.length].topic, true);
  });
  at("scatter").addEventListener("pointermove", (event) => {
    const here = sharing(event);
    pointed(event, here[0], here.length);
  });
  at("differences").addEventListener("click", (event) => pick(drawn.differences?.rowAt(event.offsetX), drawn.rows));
  at("strips").addEventListener("pointermove", (event) =>
    pointed(event, found.rows[drawn.strips?.rowAt(event.offsetX, event.offsetY)]),
  );
  at("differences").addEventListener("pointermove", (event) =>
    pointed(event, drawn.rows?.[drawn.differences?.rowAt(event.offsetX)]),
  );
  for (const id of ["strips", "differences", "scatter"]) {
    at(id).addEventListener("pointerleave", hideTip);
    at(id).addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (by) {
        event.preventDefault();
        step(by, id === "strips" ? found.rows : drawn.rows);
        if (id === "strips") showRow();
      } else if (event.key === "Enter") openTopic(state.topic, true);
    });
  }
  at("strips-svg").addEventListener("click", () => saveSvg("strips", stripsSvg()));
  at("differences-svg").addEventListener("click", () => saveSvg("differences", differencesSvg()));
  at("strips-csv").addEventListener("click", () => saveCsv("strips", topicsCsv()));
  at("differences-csv").addEventListener("click", () => saveCsv("differences", differencesCsv(drawn.rows)));
  at("means-csv").addEventListener("click", async () => saveCsv("means", await meansCsv()));
  at("depths-csv").addEventListener("click", () => saveCsv("by-depth", depthsCsv()));
  at("scatter-svg").addEventListener("click", () => saveSvg("scatter", scatterSvg()));
  at("topics-card").addEventListener("toggle", showTopics);
  at("depths-card").addEventListener("toggle", redraw);
  at("find-topic").addEventListener("input", showTopics);
  oneStop(at("topics"), "tbody button", DOWN);
}

const showTopics = () => topicsTable((topic) => openTopic(topic, true));

function pick(row, rows) {
  if (rows?.[row]) openTopic(rows[row].topic, true);
}

function step(by, rows = found.rows) {
  const order = rows.length ? rows.map((row) => row.topic) : facts.topics.map((_, topic) => topic);
  const here = order.indexOf(state.topic);
  openTopic(order[(here + by + order.length) % order.length], false);
}

/** The chosen row of the strips is scrolled into view. */
function showRow() {
  const place = drawn.strips.places[found.rows.findIndex((row) => row.topic === state.topic)];
  if (!place) return;
  const y = at("strips").getBoundingClientRect().top + place.top,
    [low, high] = [90, innerHeight - 40];
  if (y < low || y > high) scrollBy({ top: y - (y < low ? low : high) });
}

/** The topics of the dot below the pointer. */
function sharing(event) {
  const row = drawn.dots?.[drawn.scatter?.rowAt(event.offsetX, event.offsetY)];
  return row ? drawn.dots.filter((one) => one.a === row.a && one.b === row.b) : [];
}

function pointed(event, row, count = 1) {
  if (!row) return hideTip();
  const said = [
    ["topic", facts.topics[row.topic] + (count > 1 ? `, the first of ${count} in this dot` : "")],
    ["IPSO", OUTCOMES[row.class] ?? "not compared"],
  ];
  const [a, b] = scoresOf(state.measure, row.topic);
  said.push([`A, ${facts.measures[state.measure]}`, decimals(a)], [`B, ${facts.measures[state.measure]}`, decimals(b)]);
  facts.measures.slice(0, 8).forEach((name, m) => said.push([`B − A, ${name}`, signed(difference(m, row.topic).value)]));
  tip(event, said);
}

/** Open a topic's lists, and go there if asked. */
export async function openTopic(topic, go) {
  state.topic = topic;
  at("pick-topic").value = topic;
  redraw();
  keep();
  await showTopic();
  if (go) goTo("topic");
}

function update() {
  comparePair();
  at("depth-shown").textContent = `${state.depth} of ${facts.depth}`;
  at("depth").setAttribute("aria-valuetext", `${state.depth} ranks`);
  for (const side of ["a", "b"]) {
    const name = facts.systems[state[side]].slice(0, 2000);
    at(`pick-${side}`).title = name;
    at(`pick-${side}`).setAttribute("aria-label", `System ${side.toUpperCase()}: ${name.slice(0, 200)}`);
  }
  const both = `Swap: ${facts.systems[state.b].slice(0, 100)} becomes A, ${facts.systems[state.a].slice(0, 100)} becomes B`;
  at("swap").setAttribute("aria-label", both);
  at("swap").title = both;
  keep();
  legend();
  stripLegend();
  effectSentence();
  sentence();
  shares();
  countsTable();
  meansTable();
  showTopics();
  redraw();
  showTopic();
}

/** The measures of the strips: of a single column, the chosen one. */
function columns(layout) {
  const first = layout.columns === 1 ? state.measure : 0;
  return { measures: facts.measures.slice(first), differences: (m, topic) => difference(first + m, topic) };
}

function stripsData() {
  return {
    facts,
    codes,
    pair,
    found,
    ...columns(drawn.strips),
    chosen: state.topic,
  };
}

function differenceRows() {
  const classes = new Map(found.rows.map((row) => [row.topic, row.class]));
  const rows = facts.topics.map((_, topic) => ({
    topic,
    ...difference(state.measure, topic),
    class: classes.get(topic) ?? null,
  }));
  return rows.filter((row) => !Number.isNaN(row.value) && isKept(row.topic)).sort((x, y) => x.value - y.value || x.topic - y.topic);
}

function scatterRows() {
  return drawn.rows.map((row) => {
    const [a, b] = scoresOf(state.measure, row.topic);
    return { ...row, a, b };
  });
}

const names = () => [state.a, state.b].map((system) => shortened(facts.systems[system], 40));

function scatterSvg() {
  const layout = scatterLayout(drawn.dots, 460);
  const pen = svgPen(...layout.size, colour("ground"));
  drawScatter(pen, layout, drawn.dots, names(), null);
  return pen.done();
}

function stripsSvg() {
  const layout = stripsLayout(found, facts.measures, 760);
  const pen = svgPen(...layout.size, colour("ground"));
  drawStrips(pen, layout, { ...stripsData(), ...columns(layout), chosen: null });
  return pen.done();
}

function differencesSvg() {
  const rows = differenceRows(),
    layout = differencesLayout(rows, 760);
  const pen = svgPen(...layout.size, colour("ground"));
  drawDifferences(pen, layout, rows, facts, null);
  return pen.done();
}

/** Pixels for a drawing across the page. */
const room = (canvas) => Math.min(widest, canvas.parentElement.clientWidth);

function redraw() {
  const strips = at("strips"),
    bars = at("differences"),
    depths = at("by-depth");
  drawn.strips = stripsLayout(found, facts.measures, room(strips));
  drawStrips(canvasPen(strips, ...drawn.strips.size), drawn.strips, stripsData());
  strips.setAttribute(
    "aria-label",
    `Strips of ${found.rows.length} topics; the table of topics above has the same in words`,
  );
  drawn.rows = differenceRows();
  drawn.differences = differencesLayout(drawn.rows, room(bars));
  drawDifferences(canvasPen(bars, ...drawn.differences.size), drawn.differences, drawn.rows, facts, state.topic);
  drawn.dots = scatterRows();
  at("scatter-least").textContent = smallest(drawn.dots);
  const scatter = at("scatter");
  if (drawn.dots.length) {
    drawn.scatter = scatterLayout(drawn.dots, scatter.parentElement.clientWidth - 34);
    drawScatter(canvasPen(scatter, ...drawn.scatter.size), drawn.scatter, drawn.dots, names(), state.topic);
  } else canvasPen(scatter, 1, 1);
  scatter.setAttribute("aria-label", `Scores of A and B on ${drawn.dots.length} topics under ${facts.measures[state.measure]}`);
  at("scatter-title").textContent = `${facts.measures[state.measure]} of A and of B by topic`;
  at("differences-title").textContent = `Differences by topic, ${facts.measures[state.measure]}`;
  bars.setAttribute("aria-label", `B minus A on ${drawn.rows.length} topics under ${facts.measures[state.measure]}`);
  if (!at("depths-card").open) return;
  const width = Math.max(240, depths.parentElement.clientWidth - 32);
  drawByDepth(canvasPen(depths, width, 150), width, 150, byDepth(pair), state.depth, facts.alpha);
  depths.setAttribute("aria-label", "p of the sign test at every depth; the CSV has the numbers");
}

async function showTopic() {
  at("pick-topic").value = state.topic;
  const row = found.rows.find((one) => one.topic === state.topic);
  const whole = pair.kept.indexOf(state.topic);
  const said = row
    ? `${OUTCOMES[row.class]} to depth ${found.depth}`
    : isKept(state.topic) ? "not compared: no relevant document, or no list" : "outside the chosen topics";
  const parts = facts.measures.map((name, m) => `${shortened(name, 60)} ${signed(difference(m, state.topic).value)}`);
  at("topic-sentence").replaceChildren(
    element("bdi", "", `Topic ${facts.topics[state.topic].slice(0, 200)}.`),
    document.createTextNode(` IPSO: ${said}. B\u00a0−\u00a0A: ${parts.join(", ")}.`),
  );
  await showLists(codes, pair, state.topic, whole < 0 ? null : pair.paths[whole]);
}
