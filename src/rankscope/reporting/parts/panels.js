// What is said of a pair in words and tables.

import { facts } from "./data.js";
import { csv } from "./downloads.js";
import { byDepth, FAVOURS, GROUPS, LABELS, OUTCOMES } from "./ipso.js";
import { element, shortened } from "./lists.js";
import { difference, found, means, pair, state } from "./pair.js";

const WORDS = ["undecided, B ahead first", "B ahead", "equal", "A ahead", "undecided, A ahead first"];
const CLASS_OF_GROUP = [3, 2, 0, 1, 3];
const ROWS = 2000; // of the table of topics; a browser is slow with more
export const at = (id) => document.getElementById(id);

const named = (system) => shortened(facts.systems[system], 48);

const thousands = (n) => n.toLocaleString("en");
const topicsOf = (n) => `${thousands(n)} ${n === 1 ? "topic" : "topics"}`;

/** The verdict of IPSO in two sentences. */
export function sentence() {
  const { ni, ns, mixed, counts, p } = found,
    n = found.rows.length;
  const same = state.a === state.b;
  const head =
    `To depth ${found.depth}, A is at least as good under every metric ${pair.order.who} on ${thousands(ni)} of ` +
    `${topicsOf(n)}; B on ${thousands(ns)}. The lists are equal on ${thousands(counts[2])}, and on ` +
    `${thousands(mixed)} it depends on the metric.`;
  const lead = Math.max(ni, ns),
    rest = Math.min(ni, ns);
  const coin = p < 0.05 ? "which a fair coin would hardly give" : "which a fair coin could well give";
  const ahead = `${ni > ns ? "A" : "B"} leads ${thousands(lead)} to ${thousands(rest)}, ${coin}`,
    lean = lead === rest ? "Neither leads" : ahead;
  let said = `${head} ${lean} (sign test, ${probability(p)}).`;
  if (!n) said = "No topic is left to compare on: none has a document that counts in this order.";
  else if (same) said = "A and B are the same system.";
  at("result-sentence").replaceChildren(
    who("A", state.a),
    document.createTextNode(" and "),
    who("B", state.b),
    ...unbroken(`. ${said}`),
  );
}

function who(letter, system) {
  const one = element("span");
  one.append(element("b", "", `${letter} `), element("bdi", "", named(system)));
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
    row.append(name, element("td", "text", label), element("td", "number", String(found.counts[g])));
    return row;
  });
  at("counts").replaceChildren(headOf(["group", "IPSO", "topics"], 2), bodyOf(rows));
  const [[, most, pA], [least, , pB]] = found.swing;
  const swing =
    `Had ${found.mixed === 1 ? "the undecided topic" : `all ${thousands(found.mixed)} undecided topics`} gone to A: ` +
    `${thousands(most)} against ${thousands(found.ns)}, ${probability(pA)}; to B: ${thousands(found.ni)} against ` +
    `${thousands(least)}, ${probability(pB)}.`;
  at("swing").replaceChildren(...unbroken(`Order by ${pair.order.name}: ${pair.order.binds} scores the list that is ahead at least as high as the other. ${found.mixed ? swing : ""}`));
}

export function meansTable() {
  const rows = facts.measures.map((name, m) => {
    const one = means(m),
      row = element("tr");
    const cells = [decimals(one.a), decimals(one.b), signed(one.b - one.a), one.won, one.lost, one.tied];
    row.append(element("td", "text", name), ...cells.map((cell) => element("td", "number", String(cell))));
    return row;
  });
  at("means").replaceChildren(headOf(["measure", "A", "B", "B − A", "B higher", "A higher", "tied"], 1), bodyOf(rows));
}

/** One row per topic, once somebody wants to see it; `open` is called with a topic. */
export function topicsTable(open) {
  if (!at("topics-card").open) return;
  const rows = found.rows.slice(0, ROWS).map((one) => {
    const row = element("tr"),
      cell = element("td", "text"),
      button = element("button", "link");
    button.type = "button";
    button.append(element("bdi", "", facts.topics[one.topic]));
    button.addEventListener("click", () => open(one.topic));
    cell.append(button);
    const kind = element("td", "text");
    kind.append(element("span", `swatch is-${one.class}`), document.createTextNode(OUTCOMES[one.class]));
    row.append(cell, kind, element("td", "number", one.first || ""), element("td", "number", one.lost || ""));
    facts.measures.forEach((_, m) => row.append(element("td", "number", signed(difference(m, one.topic).value))));
    return row;
  });
  if (found.rows.length > ROWS) {
    const more = element("td", "text", `${topicsOf(found.rows.length - ROWS)} more are in the CSV of the strips.`);
    more.colSpan = 4 + facts.measures.length;
    rows.push(element("tr"));
    rows.at(-1).append(more);
  }
  at("topics").replaceChildren(
    headOf(["topic", "IPSO", "first ahead at", "undecided from", ...facts.measures.map((m) => `${m}, B − A`)], 2),
    bodyOf(rows),
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

export function legend() {
  const words = [
    ...OUTCOMES.map((name, c) => [`is-${c}`, name]),
    ["legend-relevant", "relevant"],
    ["legend-not", "not relevant"],
    ["legend-unjudged", "unjudged"],
  ];
  at("legend").replaceChildren(
    ...words.map(([name, text]) => {
      const one = element("li");
      one.append(element("span", `swatch ${name}`), document.createTextNode(text));
      return one;
    }),
  );
}

const decimals = (value) => (Number.isNaN(value) ? "–" : value.toFixed(4));
export const signed = (value) =>
  Number.isNaN(value) ? "–" : `${value > 0 ? "+" : ""}${value.toFixed(4)}`.replace("-", "−");
/** p in words; what is too small for a number is not 0. */
function probability(p) {
  if (p < 1e-300) return "p < 1e-300";
  return `p = ${p >= 0.0001 ? p.toFixed(4) : p.toExponential(1).replace(/-(\d)$/, "-0$1")}`;
}

/** Words in which no line breaks within "p = 4.7e-06". */
const unbroken = (text) =>
  text.split(/(p [=<] [\d.e-]*\d)/).map((one, i) => (i % 2 ? element("span", "whole", one) : one));

export function meansCsv() {
  const header = ["measure", "a", "b", "difference", "b_higher", "a_higher", "tied", "topics"];
  const rows = facts.measures.map((name, m) => {
    const one = means(m);
    return [name, one.a, one.b, one.b - one.a, one.won, one.lost, one.tied, one.n];
  });
  return csv(header, rows);
}

export function depthsCsv() {
  return csv(
    ["depth", ...GROUPS, "p"],
    byDepth(pair).map((row) => [row.depth, ...row.counts, row.p]),
  );
}
