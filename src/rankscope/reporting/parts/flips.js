// Fisher's randomisation test of two systems (Fisher 1935), as rankscope.compare has it: every sign of a difference may be
// flipped. All flips are counted where they can be; else they are drawn, and the draws are those of the library.

import { facts } from "./data.js";
import { LEAST_P, sum } from "./student.js";

const MOST_HALVED = 40, // differences whose flips are all counted
  LEAST_ON_GRID = 21,
  MOST_STEPS = 2 ** 28, // additions that a table of all sums may take
  MOST_SUMS = 2 ** 23,
  LARGEST_DENOMINATOR = 10_000,
  MOST_DRAWS = 1e8; // coins that a page throws
const PATIENCE = 12; // milliseconds without a pause
let since = 0;

/** Let the browser draw, once in a while. */
async function pause() {
  if (performance.now() - since < PATIENCE) return;
  await new Promise((go) => setTimeout(go));
  since = performance.now();
}

/**
 * p of the values (b - a by topic) with their errors, as `pairedT` takes them, and whether it was counted on random draws;
 * null where it would take too long.
 */
export async function flippedP(values, errors) {
  since = performance.now();
  const kept = values.map((value, i) => [Math.abs(value), errors[i]]).filter(([size]) => size);
  kept.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
  if (!kept.length) return { p: 1, drawn: false };
  const sizes = kept.map(([size]) => size),
    off = kept.map(([, error]) => error),
    observed = Math.abs(sum(values));
  const grid = sizes.length < LEAST_ON_GRID ? null : gridOf(sizes, off);
  if (grid && affordable(grid.weights)) return { p: await onGrid(grid.weights, rint(observed / grid.step)), drawn: false };
  const [units, bar] = unitsAndBar(sizes, observed, sum(off));
  const drawn = sizes.length > MOST_HALVED,
    p = await (drawn ? byDraws(units, bar) : byHalves(units, bar));
  return p === null ? null : { p, drawn };
}

const rint = (value) => {
  const near = Math.round(value);
  return near - value === 0.5 && near % 2 ? near - 1 : near;
};
const gcd = (a, b) => (b ? gcd(b, a % b) : a);

/** Sizes, ascending, as whole multiples of one step; null where there is no such step with few digits. */
function gridOf(sizes, errors) {
  for (const [unit, off] of [[1, 0], [sizes[0], errors[0] / sizes[0]]]) {
    const known = errors.map((error, i) => error + off * sizes[i]),
      step = commonStep(sizes, unit, known);
    if (step === null) continue;
    const wide = sizes.map((size) => rint(size / step)),
      common = wide.reduce(gcd);
    return { weights: wide.map((weight) => weight / common), step: step * common };
  }
  return null;
}

function commonStep(sizes, unit, errors) {
  let above = 0,
    below = 1;
  for (const [i, size] of sizes.entries()) {
    if (i && size === sizes[i - 1]) continue;
    const near = fraction(size, unit, errors[i]);
    if (!near) return null;
    above = gcd(above, near[0]);
    below = (below / gcd(below, near[1])) * near[1];
    if (below > 2 ** 40) return null;
  }
  const step = (unit * above) / below;
  return sizes.every((size, i) => Math.abs(rint(size / step) * step - size) <= errors[i]) ? step : null;
}

/** The fraction of few digits that is size / unit to within the error, among those of its continued fraction. */
function fraction(size, unit, error) {
  let rest = size / unit,
    [p, q, above, below] = [0, 1, 1, 0];
  for (;;) {
    const whole = Math.floor(rest);
    [p, q, above, below] = [above, below, p + whole * above, q + whole * below];
    if (below > LARGEST_DENOMINATOR) return null;
    if (above && Math.abs((above / below) * unit - size) <= error) return [above, below];
    if (rest === whole) return null;
    rest = 1 / (rest - whole);
  }
}

/** Whether a table of all sums of ascending whole weights is small enough. */
function affordable(weights) {
  let reached = 0,
    steps = 0;
  for (const weight of weights) steps += reached += weight;
  return steps <= MOST_STEPS && reached <= MOST_SUMS;
}

/** p by the probability of every sum of ascending whole weights. */
async function onGrid(weights, observed) {
  if (!observed) return 1;
  const total = weights.reduce((x, y) => x + y),
    shares = new Float64Array(total + 1);
  shares[0] = 1;
  let top = 0;
  for (const weight of weights) {
    for (let i = 0; i <= top; i++) shares[i] *= 0.5;
    for (let i = top; i >= 0; i--) shares[i + weight] += shares[i];
    top += weight;
    await pause();
  }
  return Math.min(1, Math.max(LEAST_P, 2 * sum(shares.subarray(Math.floor((total + observed + 1) / 2)))));
}

/** Sizes in whole units, so few bits that no sum is rounded, and what a sum of theirs must reach. */
function unitsAndBar(sizes, observed, error) {
  const terms = sizes.length + 1,
    most = Math.max(sizes.at(-1), observed);
  let exponent = Math.floor(Math.log2(most)) + 1;
  while (2 ** exponent <= most) exponent++;
  while (2 ** (exponent - 1) > most) exponent--;
  const shift = 52 - exponent - Math.ceil(Math.log2(terms)),
    half = Math.trunc(shift / 2),
    scaledUp = (value) => value * 2 ** half * 2 ** (shift - half);
  const units = Float64Array.from(sizes, (size) => rint(scaledUp(size)));
  return [units, rint(scaledUp(observed)) - 2 * (terms + scaledUp(error))];
}

/** p over all flips, counted by the sums of two halves (Horowitz and Sahni 1974). */
async function byHalves(units, bar) {
  if (bar <= 0) return 1;
  const first = await allSums(units.filter((_, i) => i % 2 === 0)),
    second = await allSums(units.filter((_, i) => i % 2));
  let count = 0,
    least = second.length;
  for (const one of first) {
    while (least > 0 && second[least - 1] >= bar - one) least--;
    count += second.length - least;
  }
  return (2 * count) / 2 ** units.length;
}

/** All sums of the units with either sign, ascending. */
async function allSums(units) {
  let sums = new Float64Array(1);
  for (const unit of units) {
    const n = sums.length,
      merged = new Float64Array(2 * n);
    for (let i = 0, low = 0, high = 0; i < 2 * n; i++)
      merged[i] = low < n && sums[low] - unit <= sums[high] + unit ? sums[low++] - unit : sums[high++] + unit;
    sums = merged;
    await pause();
  }
  return sums;
}

/** p from random flips, the observed signs counted among them. */
async function byDraws(units, bar) {
  const { resamples } = facts.draws,
    groups = Math.ceil(facts.topics.length / 8);
  if (resamples * facts.topics.length > MOST_DRAWS) return null;
  coins ??= thrown(resamples, groups);
  const thrownCoins = await coins,
    used = Math.ceil(units.length / 8),
    flipped = new Float64Array(256 * used); // of eight differences at a time, the sum of those that are flipped
  units.forEach((unit, i) => {
    for (let byte = 0; byte < 256; byte++) if ((byte >> (i % 8)) & 1) flipped[256 * (i >> 3) + byte] += unit;
  });
  const total = units.reduce((x, y) => x + y);
  let extreme = 0;
  for (let trial = 0; trial < resamples; trial++) {
    let part = 0;
    for (let g = 0; g < used; g++) part += flipped[256 * g + thrownCoins[trial * groups + g]];
    if (Math.abs(total - 2 * part) >= bar) extreme++;
    if (trial % 256 === 0) await pause();
  }
  return (extreme + 1) / (resamples + 1);
}

let coins = null;

/** A coin for every trial and topic, eight to a byte: functions of seed, trial and topic, as in rankscope's kernels. */
async function thrown(resamples, groups) {
  const heads = new Uint8Array(resamples * groups),
    seed = BigInt(facts.draws.seed);
  mix(Number(seed >> 32n) ^ 0x9e3779b9, Number(seed & 0xffffffffn) ^ 0x7f4a7c15);
  const [startHigh, startLow] = word;
  for (let trial = 0; trial < resamples; trial++) {
    times(0, trial, 0xd1b54a32, 0xd192ed03);
    plus(startHigh, startLow);
    mix(word[0], word[1]);
    throwTrial(heads, trial * groups, 8 * groups, word[0], word[1]);
    await pause();
  }
  return heads;
}

function throwTrial(heads, start, count, trialHigh, trialLow) {
  for (let topic = 0; topic < count; topic++) {
    times(0, topic, 0x8cb92ba7, 0x2f3d8dd7);
    plus(trialHigh, trialLow);
    mix(word[0], word[1]);
    plus(0x9e3779b9, 0x7f4a7c15);
    mix(word[0], word[1]);
    heads[start + (topic >> 3)] |= (word[1] & 1) << (topic & 7);
  }
}

const word = new Int32Array(2); // the upper and the lower half of a result of 64 bits

function plus(high, low) {
  const lower = (word[1] >>> 0) + (low >>> 0);
  word[0] += high + (lower > 0xffffffff ? 1 : 0);
  word[1] = lower | 0;
}

function times(high, low, otherHigh, otherLow) {
  const x0 = low & 0xffff,
    x1 = low >>> 16,
    y0 = otherLow & 0xffff,
    y1 = otherLow >>> 16;
  const middle = x1 * y0 + ((x0 * y0) >>> 16),
    other = x0 * y1 + (middle & 0xffff);
  word[0] = (x1 * y1 + (middle >>> 16) + (other >>> 16) + Math.imul(high, otherLow) + Math.imul(low, otherHigh)) | 0;
  word[1] = Math.imul(low, otherLow);
}

/** SplitMix64's finaliser (Steele, Lea and Flood 2014). */
function mix(high, low) {
  times(high ^ (high >>> 30), low ^ ((low >>> 30) | (high << 2)), 0xbf58476d, 0x1ce4e5b9);
  times(word[0] ^ (word[0] >>> 27), word[1] ^ ((word[1] >>> 27) | (word[0] << 5)), 0x94d049bb, 0x133111eb);
  word[1] ^= (word[1] >>> 31) | (word[0] << 1);
  word[0] ^= word[0] >>> 31;
}
