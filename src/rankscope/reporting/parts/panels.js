// What is said of a pair in words and tables.

import { facts } from "./data.js";
import { csv } from "./downloads.js";
import { byDepth, cell, FAVOURS, gradeOf, GROUPS, LABELS, list, OUTCOMES } from "./ipso.js";
import { element, shortened } from "./lists.js";
import { codes, difference, effect, found, isKept, pair, randomisation, scoresOf, slices, state } from "./pair.js";
import { settle } from "./stops.js";
import { swatch } from "./swatch.js";
import { shadeOf } from "./theme.js";

const WORDS = ["undecided, B ahead first", "B ahead", "equal", "A ahead", "undecided, A ahead first"];
const CLASS_OF_GROUP = [3, 2, 0, 1, 3];
const ROWS = 300; // of the table of topics; a browser is slow with more
export const at = (id) => document.getElementById(id);

const named = (system) => shortened(facts.systems[system], 48);

const thousands = (n) => n.toLocaleString("en");
const topicsOf = (n) => `${thousands(n)} ${n === 1 ? "topic" : "topics"}`;

/** The chosen measure first: who is higher, by how much, how sure. */
export function effectSentence() {
  const one = effect(state.measure),
    measure = facts.measures[state.measure] + (state.slice ? `, topics with ${shortened(slices[state.slice].name, 60)}` : ""),
    level = `${+(100 * facts.level).toFixed(4)} % interval`;
  const [higher, lower] = one.difference < 0 ? ["a", "b"] : ["b", "a"];
  const parts = [];
  if (state.a === state.b) parts.push("A and B are the same system.");
  else if (!one.n) parts.push(`No topic has a score of both under ${measure}.`);
  else if (!one.won && !one.lost) parts.push(who("A", state.a), " and ", who("B", state.b), ` score the same on every topic under ${measure}.`);
  else {
    const shown = one.n >= facts.fewest && one.p < facts.alpha && one.difference !== 0;
    const names = [who(higher.toUpperCase(), state[higher]), who(lower.toUpperCase(), state[lower])];
    if (shown) parts.push(names[0], " scores higher than ", names[1], ` on ${measure}`);
    else parts.push("No difference between ", names[0], " and ", names[1], ` is shown on ${measure}`);
    const interval = one.lower === null ? "the same on every topic" : `${level} ${bounds(one)}`;
    parts.push(...unbroken(`: B − A = ${signed(one.difference)}, ${interval}, ${probability(one.p)}`), " (Student's t)", element("span", "flipped"), ".");
    parts.push(` B is higher on ${topicsOf(one.won)}, lower on ${thousands(one.lost)}, equal on ${thousands(one.tied)}.`);
  }
  at("effect-sentence").replaceChildren(...parts);
  const { resamples, seed } = facts.draws;
  at("means-note").textContent =
    `Exploratory: each pair and metric by itself, significance level ${facts.alpha}, not corrected. Colours go by Student's paired t. ` +
    `≈: p of the randomisation test, counted on ${thousands(resamples)} random sign flips, seed ${seed}; without this mark all flips were counted. ` +
    "Scores are of whole lists, by the library. Equal scores are those that differ by rounding alone.";
}

/** How many of the chosen topics IPSO does not compare. */
const leftOut = () => facts.topics.filter((_, topic) => isKept(topic)).length - found.rows.length;

/** The verdict of IPSO in two sentences. */
export function sentence() {
  const { ni, ns, mixed, counts, p } = found,
    n = found.rows.length,
    out = leftOut();
  const same = state.a === state.b;
  const lead = Math.max(ni, ns),
    rest = Math.min(ni, ns);
  const coin = p < facts.alpha ? "which a fair coin would hardly give" : "which a fair coin could give";
  const ahead = `${ni > ns ? "A" : "B"} leads ${thousands(lead)} to ${thousands(rest)}, ${coin}`,
    lean = lead === rest ? "Neither leads" : ahead;
  const place = at("result-sentence");
  if (!n) place.replaceChildren("No topic is left to compare on: none has a document that counts in this order.");
  else if (same) place.replaceChildren("A and B are the same system.");
  else
    place.replaceChildren(
      `Where the lists differ to depth ${found.depth}, every metric ${pair.order.who} finds `,
      who("A", state.a),
      ` at least as good on ${thousands(ni)} of ${topicsOf(n)}, and `,
      who("B", state.b),
      ...unbroken(
        ` on ${thousands(ns)}. ${thousands(mixed)} ${mixed === 1 ? "is" : "are"} undecided${mixed ? ": there the metric decides who is ahead" : ""}. ` +
          `On ${thousands(counts[2])} the lists are equal in this order. ${lean} (sign test, ${probability(p)}).` +
          (out ? ` Left out: ${topicsOf(out)} without a document that counts in this order, or without a list.` : ""),
      ),
    );
}

function who(letter, system) {
  const one = element("span");
  one.append(element("b", `letter-${letter.toLowerCase()}`, letter), "\u00a0", element("bdi", "", named(system)));
  return one;
}

/** The five groups as one bar. */
export function shares() {
  const place = at("shares"),
    total = Math.max(1, found.rows.length);
  place.replaceChildren(
    ...found.counts.map((count, g) => {
      const one = element("div", `is-${CLASS_OF_GROUP[g]}`, count / total > 0.035 ? String(count) : "");
      one.style.flex = `${count} 0 0`;
      one.hidden = !count;
      one.title = `${topicsOf(count)}: ${WORDS[g]}`;
      return one;
    }),
  );
  place.setAttribute("aria-label", found.counts.map((count, g) => `${count} ${WORDS[g]}`).join(", "));
}

export function countsTable() {
  const rows = GROUPS.map((label, g) => {
    const row = element("tr"),
      name = element("td", "text");
    name.append(element("span", `swatch is-${CLASS_OF_GROUP[g]}`), document.createTextNode(WORDS[g]));
    name.title = `IPSO: ${label}`;
    row.append(name, element("td", "number", String(found.counts[g])));
    return row;
  });
  at("counts").replaceChildren(headOf(["group", "topics"], 1), bodyOf(rows));
  at("groups").replaceChildren(
    ...WORDS.map((words, g) => {
      const one = element("li");
      one.append(element("span", `swatch is-${CLASS_OF_GROUP[g]}`), `${words}: ${thousands(found.counts[g])}`);
      return one;
    }).filter((_, g) => found.counts[g]),
  );
  const [[, most, pA], [least, , pB]] = found.swing;
  const swing =
    `Had ${found.mixed === 1 ? "the undecided topic" : `all ${thousands(found.mixed)} undecided topics`} gone to A: ` +
    `A ${thousands(most)}, B ${thousands(found.ns)}, ${probability(pA)}; to B: A ${thousands(found.ni)}, ` +
    `B ${thousands(least)}, ${probability(pB)}.`;
  at("swing").replaceChildren(...unbroken(`Order by ${pair.order.name}: ${pair.order.binds} scores the list that is ahead at least as high as the other. ${found.mixed ? swing : ""}`));
}

export function meansTable() {
  const effects = facts.measures.map((_, m) => effect(m));
  const reach = Math.max(...effects.flatMap((one) => [one.difference, one.lower ?? 0, one.upper ?? 0].map(Math.abs))) || 1;
  const rows = facts.measures.map((name, m) => {
    const one = effects[m],
      row = element("tr", m === state.measure ? "is-chosen" : "");
    const interval = one.lower === null ? "none" : bounds(one);
    const bar = element("td", "bar");
    bar.append(effectBar(one, reach));
    const cells = (list) => list.map((cell) => element("td", "number", String(cell)));
    row.append(
      element("td", "text", name),
      ...cells([decimals(one.a), decimals(one.b), signed(one.difference)]),
      bar,
      ...cells([interval, bare(one.p), "…", one.won, one.lost, one.tied]),
    );
    row.cells[7].dataset.flipped = m;
    return row;
  });
  const level = `${+(100 * facts.level).toFixed(4)} % interval`;
  at("means").replaceChildren(
    headOf(["metric", "A", "B", "B − A", "B − A, line: 0", level, "p, Student's t", "p, randomisation", "B higher", "A higher", "equal"], 1),
    bodyOf(rows),
  );
  showFlipped();
}

/** Fill in p of the randomisation test, the chosen measure first, as long as the same pair is looked at. */
async function showFlipped() {
  const { a, b } = state,
    first = (cell) => +cell.dataset.flipped === state.measure,
    cells = [...at("means").querySelectorAll("[data-flipped]")].sort((x, y) => first(y) - first(x));
  for (const cell of cells) {
    const m = +cell.dataset.flipped,
      tested = await randomisation(m, a, b);
    if (!cell.isConnected) return;
    cell.textContent = tested === null ? "–" : `${tested.drawn ? "≈ " : ""}${bare(tested.p)}`;
    if (tested === null) cell.title = "too many sign flips for this page: rankscope compare --test randomisation";
    else if (m === state.measure)
      at("effect-sentence").querySelector(".flipped")?.replaceChildren(...unbroken(`, ${probability(tested.p, tested.drawn ? "≈" : "=")}`), " (randomisation)");
  }
}

/** A dot with its interval around 0. */
function effectBar(one, reach) {
  const kind = one.p >= facts.alpha || !one.difference ? "open" : one.difference > 0 ? "b" : "a",
    svg = swatch(kind),
    place = (value) => `${50 + (48 * value) / reach}%`;
  const line = (name, from, to, [top, bottom]) => {
    const mark = document.createElementNS(svg.namespaceURI, "line");
    const where = { class: name, x1: from, x2: to, y1: top, y2: bottom };
    for (const [key, value] of Object.entries(where)) mark.setAttribute(key, value);
    svg.prepend(mark);
  };
  if (one.lower !== null) line("reach", place(one.lower), place(one.upper), ["50%", "50%"]);
  line("zero", "50%", "50%", ["0", "100%"]);
  svg.lastChild.setAttribute("cx", place(one.difference));
  return svg;
}

const sorting = { key: null, down: true };

/** One row per topic, once somebody wants to see it; `open` is called with a topic. */
export function topicsTable(open) {
  if (!at("topics-card").open) return;
  const wanted = at("find-topic").value.trim().toLowerCase();
  const columns = [
    { name: "topic", text: true, of: (row) => facts.topics[row.topic] },
    { name: "ahead without a metric", text: true, of: (row) => OUTCOMES[row.class] },
    { name: "first ahead at", of: (row) => row.first || null },
    { name: "undecided from", of: (row) => row.lost || null },
    ...facts.measures.map((name, m) => ({
      name: `${name}, B − A`,
      of: (row) => difference(m, row.topic).value,
      show: signed,
    })),
  ];
  const rows = found.rows.filter((row) => facts.topics[row.topic].toLowerCase().includes(wanted));
  const by = columns[sorting.key];
  if (by) {
    const way = sorting.down ? -1 : 1,
      none = (value) => value === null || Number.isNaN(value);
    rows.sort((x, y) => {
      const [p, q] = [by.of(x), by.of(y)];
      if (by.text) return way * p.localeCompare(q, "en", { numeric: true });
      return none(p) || none(q) ? none(p) - none(q) : way * (p - q);
    });
  }
  const body = rows.slice(0, ROWS).map((one) => {
    const row = element("tr", one.topic === state.topic ? "is-chosen" : "");
    columns.forEach((column, c) => {
      const value = column.of(one),
        cell = element("td", column.text ? "text" : "number");
      if (c === 0) {
        const button = element("button", "link");
        button.type = "button";
        button.tabIndex = -1;
        button.append(element("bdi", "", value));
        button.addEventListener("click", () => open(one.topic));
        cell.append(button);
      } else if (c === 1) {
        cell.append(element("span", `swatch is-${one.class}`), value);
        cell.title = `IPSO: ${LABELS[one.class]}`;
      } else cell.textContent = column.show ? column.show(value) : (value ?? "");
      row.append(cell);
    });
    return row;
  });
  if (body.length) body[0].querySelector("button").tabIndex = 0;
  if (rows.length > ROWS) {
    const more = element("td", "text", `${topicsOf(rows.length - ROWS)} more are in the CSV of the strips.`);
    more.colSpan = columns.length;
    body.push(element("tr"));
    body.at(-1).append(more);
  }
  const out = leftOut();
  at("topics-out").textContent = out ? `Not here: ${topicsOf(out)} without a document that counts in the order chosen, or without a list.` : "";
  const head = headOf(
    columns.map((column) => column.name),
    2,
  );
  [...head.rows[0].cells].forEach((cell, c) => {
    const button = element("button", "", cell.textContent);
    button.type = "button";
    button.tabIndex = -1;
    button.addEventListener("click", () => {
      sorting.down = sorting.key === c ? !sorting.down : !columns[c].text;
      sorting.key = c;
      topicsTable(open);
      at("topics").tHead.rows[0].cells[c].firstChild.focus();
    });
    cell.replaceChildren(button);
    if (c === sorting.key) cell.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
  });
  at("topics").replaceChildren(head, bodyOf(body));
  settle(at("explorer"), "th button");
}

/** The bars of the chosen measure, in their order. */
export function differencesCsv(rows) {
  const name = facts.measures[state.measure];
  return csv(
    ["topic", `${name}: A`, `${name}: B`, `${name}: B - A`, "class"],
    rows.map((row) => [facts.topics[row.topic], ...scoresOf(state.measure, row.topic), row.value, row.class === null ? null : LABELS[row.class]]),
  );
}

export function topicsCsv() {
  const header = [
    "topic",
    "group",
    "class",
    "favours",
    "first_advantage",
    "ahead_first",
    "separability_lost",
    "path",
    ...facts.measures.map((m) => `${m}: B - A`),
  ];
  return csv(
    header,
    found.rows.map((row) => [
      facts.topics[row.topic],
      row.group,
      LABELS[row.class],
      FAVOURS[row.class] && facts.systems[state[FAVOURS[row.class]]],
      row.first || null,
      row.leader ? facts.systems[row.leader > 0 ? state.b : state.a] : null,
      row.lost || null,
      Array.from(row.path, (c) => LABELS[c]).join(""),
      ...facts.measures.map((_, m) => difference(m, row.topic).value),
    ]),
  );
}

function headOf(names, left) {
  const head = element("thead"),
    row = element("tr");
  names.forEach((name, i) => {
    const one = element("th", i < left ? "text" : "number", name);
    one.scope = "col";
    row.append(one);
  });
  head.append(row);
  return head;
}

function bodyOf(rows) {
  const body = element("tbody");
  body.append(...rows);
  return body;
}

/** What occurs in the strips, and how it is drawn there. */
export function legend() {
  const here = new Set(found.rows.flatMap((row) => [...row.path])),
    shades = new Set(),
    grades = new Map(), // of each shade
    kinds = new Set();
  for (const row of found.rows)
    for (const system of [pair.a, pair.b])
      for (const code of list(facts, codes, system, row.topic).subarray(0, found.depth)) {
        const what = cell(code, pair.order);
        if (what === "unjudged") kinds.add("unjudged");
        else if (what === 0) kinds.add("not-relevant");
        else if (what !== "ended") {
          const shade = shadeOf(what);
          shades.add(shade);
          grades.set(shade, (grades.get(shade) ?? new Set()).add(`grade ${gradeOf(facts, code)}`));
        }
      }
  const levels = [...shades].sort();
  const words = [
    ...OUTCOMES.map((name, c) => [`is-${c}`, name]).filter((_, c) => here.has(c)),
    ...levels.map((level) => [level, levels.length === 1 ? "relevant" : [...grades.get(level)].join(", ")]),
    ...[["not-relevant", "not relevant"], ["unjudged", "unjudged"]].filter(([kind]) => kinds.has(kind)),
  ];
  at("legend").replaceChildren(...keys(words));
}

/** Entries of a legend: a swatch by its class, and words. */
function keys(words) {
  return words.map(([name, text]) => {
    const one = element("li");
    one.append(element("span", `swatch ${name}`), document.createTextNode(text));
    return one;
  });
}

/** The classes in the strip below the differences. */
export function stripLegend() {
  const here = new Set(found.rows.map((row) => row.class));
  at("differences-legend").replaceChildren(...keys(OUTCOMES.map((name, c) => [`is-${c}`, name]).filter((_, c) => here.has(c))));
}

const decimals = (value) => (Number.isNaN(value) ? "–" : value.toFixed(4));
export const signed = (value) =>
  Number.isNaN(value) ? "–" : `${value > 0 ? "+" : ""}${fixed(value)}`.replace("-", "−");
/** The two ends of an interval, as the library writes them. */
const bounds = (one) => `[${fixed(one.lower)}, ${fixed(one.upper)}]`.replaceAll("-", "−");
/** Four decimals; more where these would all be 0. */
const fixed = (value) => (value && Math.abs(value) < 5e-5 ? value.toExponential(2).replace(/-(\d)$/, "-0$1") : value.toFixed(4));
/** p in words; what is too small for a number is not 0. */
function probability(p, sign = "=") {
  if (p < 1e-300) return "p < 1e-300";
  return `p ${sign} ${p >= 0.0001 ? p.toFixed(4) : p.toExponential(1).replace(/-(\d)$/, "-0$1")}`;
}

/** p without its letter, for a column of them. */
const bare = (p) => probability(p).replace(/^p =? ?/, "");

/** Words in which no line breaks within "p = 4.7e-06". */
const unbroken = (text) =>
  text.split(/(p [=<≈] [\d.e-]*\d|\[[−\d.e]+, [−\d.e]+\])/).map((one, i) => (i % 2 ? element("span", "whole", one) : one));

export async function meansCsv() {
  const header = ["measure", "a", "b", "difference", "lower", "upper", "pvalue", "pvalue_randomisation", "randomisation_drawn", "b_higher", "a_higher", "tied", "topics"];
  const flips = await Promise.all(facts.measures.map((_, m) => randomisation(m)));
  const rows = facts.measures.map((name, m) => {
    const one = effect(m);
    return [name, one.a, one.b, one.difference, one.lower, one.upper, one.p, flips[m]?.p ?? null, flips[m]?.drawn ?? null, one.won, one.lost, one.tied, one.n];
  });
  return csv(header, rows);
}

export function depthsCsv() {
  return csv(
    ["depth", ...GROUPS, "p"],
    byDepth(pair).map((row) => [row.depth, ...row.counts, row.p]),
  );
}
