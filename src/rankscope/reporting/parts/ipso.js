// Innate pairwise SERP orderings (Moffat and Mackenzie 2024), as rankscope.preferences has them. An order compares
// counts of documents at grade thresholds (`firsts`: the lowest code of each), or sums of gains (`table`: by code).
// Both are whole numbers, so sums are exact. Differences are b - a: positive means for b, the second system.

export const EQUAL = 0,
  A_AHEAD = 1,
  B_AHEAD = 2,
  MIXED = 3;
export const FAVOURS = [null, "a", "b", null]; // by class
export const LABELS = ["==", "ni", "ns", "**"];
export const GROUPS = ["** after ns", "ns", "==", "ni", "** after ni"];
export const OUTCOMES = ["equal", "A ahead", "B ahead", "undecided"];
const UNJUDGED = 1,
  FIRST_GRADE = 2;
const PREFERENCE = [0, -1, 1, 0]; // by class: positive for b

/** Everything there is to say of two systems by one order, at every depth, on the topics that are wanted. */
export function compared(facts, codes, a, b, order, isWanted = () => true) {
  const { topics, depth } = facts;
  const kept = topics.map((_, t) => t).filter((t) => isWanted(t) && counts(facts, codes, a, b, order, t));
  const paths = kept.map((t) => path(list(facts, codes, a, t), list(facts, codes, b, t), order, depth));
  return { facts, a, b, order, kept, paths };
}

/** The grade codes of a list. */
export function list(facts, codes, system, topic) {
  const start = (system * facts.topics.length + topic) * facts.depth;
  return codes.subarray(start, start + facts.depth);
}

/** Whether a topic is compared: it has a relevant document and, where lists that lack are left out, both lists. */
function counts(facts, codes, a, b, order, topic) {
  const relevant = facts.available[topic].slice(Math.max(0, order.first - FIRST_GRADE)).some((n) => n > 0);
  if (facts.undefined === "drop" && !relevant) return false;
  const there = (system) => list(facts, codes, system, topic)[0] !== 0;
  return facts.missing !== "drop" || (there(a) && there(b));
}

/** Class of a against b down to each rank: ahead at one threshold is ahead. */
export function path(first, second, order, depth) {
  const classes = new Uint8Array(depth);
  if (order.table) {
    const { table } = order;
    walkRanks(classes, (rank) => table[second[rank]] - table[first[rank]]);
  } else
    for (const least of order.firsts) walkRanks(classes, (rank) => (second[rank] >= least) - (first[rank] >= least));
  return classes;
}

/** Add to the classes by rank who has been ahead so far, from what each rank adds to the difference b - a. */
function walkRanks(classes, added) {
  let difference = 0,
    seen = EQUAL;
  for (let rank = 0; rank < classes.length; rank++) {
    difference += added(rank);
    if (difference > 0) seen |= B_AHEAD;
    else if (difference < 0) seen |= A_AHEAD;
    classes[rank] |= seen;
  }
}

/** The same pair down to one depth: one row per topic, in the order of Figure 5; leader is 1 for b, -1 for a. */
export function atDepth(pair, depth) {
  const rows = pair.kept.map((topic, i) => {
    const whole = pair.paths[i].subarray(0, depth);
    const first = whole.findIndex((c) => c !== EQUAL);
    const lost = whole.findIndex((c) => c === MIXED);
    const leader = first < 0 ? 0 : PREFERENCE[whole[first]];
    const end = whole[depth - 1];
    const group = end === MIXED ? (leader > 0 ? 1 : 5) : 3 - PREFERENCE[end];
    const mixed = lost < 0 ? 0 : depth - lost,
      equal = first < 0 ? depth : first;
    return { topic, path: whole, class: end, group, leader, first: first + 1, lost: lost + 1, mixed, equal };
  });
  const { byName, byNumber } = pair.facts;
  const place = pair.kept.every((t) => byNumber[t] >= 0) ? byNumber : byName;
  rows.sort((x, y) => {
    const up = x.group <= 2 ? 1 : -1;
    return x.group - y.group || up * (y.mixed - x.mixed) || up * (x.equal - y.equal) || place[x.topic] - place[y.topic];
  });
  const counts = GROUPS.map((_, g) => rows.filter((row) => row.group === g + 1).length);
  const [top, ns, , ni, bottom] = counts;
  const mixed = top + bottom;
  return {
    depth,
    rows,
    counts,
    ns,
    ni,
    mixed,
    p: signTest(ns, ni),
    swing: [
      [ns, ni + mixed, signTest(ns, ni + mixed)],
      [ns + mixed, ni, signTest(ns + mixed, ni)],
    ],
  };
}

/** Counts of the five groups, and p, at every depth. */
export function byDepth(pair) {
  const { depth } = pair.facts;
  const counts = Array.from({ length: depth }, () => [0, 0, 0, 0, 0]);
  for (const whole of pair.paths) {
    let leader = 0;
    for (let rank = 0; rank < depth; rank++) {
      const c = whole[rank];
      leader ||= PREFERENCE[c];
      counts[rank][c === MIXED ? (leader > 0 ? 0 : 4) : 2 - PREFERENCE[c]]++;
    }
  }
  return counts.map((five, i) => ({ depth: i + 1, counts: five, p: signTest(five[1], five[3]) }));
}

const known = new Map();

/** p of a fair coin, exact and two-sided. */
export function signTest(above, below) {
  if (above === below) return 1;
  const few = Math.min(above, below),
    n = above + below,
    key = few * 1e6 + n;
  if (!known.has(key)) {
    let term = 1n,
      sum = 1n;
    for (let i = 1; i <= few; i++) {
      term = (term * BigInt(n - i + 1)) / BigInt(i);
      sum += term;
    }
    known.set(key, Math.min(1, scaled(sum, 1 - n)));
  }
  return known.get(key);
}

/** whole * 2^power, rounded once it is small enough for a double. */
function scaled(whole, power) {
  const extra = Math.max(0, whole.toString(16).length * 4 - 64);
  const half = Math.trunc((power + extra) / 2);
  return Number(whole >> BigInt(extra)) * 2 ** half * 2 ** (power + extra - half);
}

/** What a cell of a list shows: its shade of relevance, 0 where it has none to the order, or unjudged, or that the list ended. */
export function cell(code, order) {
  if (code === 0) return "ended";
  if (code === UNJUDGED) return "unjudged";
  return order.shade[code];
}

/** The grade of a code as text; empty for what has none. */
export function gradeOf(facts, code) {
  return code < FIRST_GRADE ? "" : String(facts.grades[code - FIRST_GRADE]);
}
