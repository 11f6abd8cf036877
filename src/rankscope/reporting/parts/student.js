// Student's paired t of two systems (Student 1908), as rankscope.compare has it: difference, interval, p.

export const LEAST_P = 2.2250738585072014e-308; // a p value is never 0

/**
 * The mean of the values (b - a by topic, 0 where they are equal on paper), its interval and p. `errors` are how far each
 * may be from what it is on paper. A difference that is the same on every topic has p of sign flips and no interval.
 */
export function pairedT(values, errors, level) {
  const n = values.length,
    mean = sum(values) / n,
    won = values.filter((value) => value > 0).length,
    lost = values.filter((value) => value < 0).length;
  const effect = { n, difference: Math.abs(mean) > sum(errors) / n ? mean : 0, lower: null, upper: null, p: 1, won, lost };
  if (n < 2 || !(won || lost)) return effect;
  const most = Math.max(...values.map((value, i) => value - errors[i])),
    least = Math.min(...values.map((value, i) => value + errors[i]));
  if (most <= least) return { ...effect, p: Math.max(0.5 ** (n - 1), LEAST_P) };
  const scale = Math.max(...values.map(Math.abs)); // squares of tiny differences would be 0
  const deviation = scale * Math.sqrt(sum(values.map((value) => ((value - mean) / scale) ** 2)) / (n - 1)),
    unit = deviation / Math.sqrt(n),
    reach = quantile(level, n - 1) * unit;
  return {
    ...effect,
    lower: mean - reach,
    upper: mean + reach,
    p: Math.min(1, Math.max(LEAST_P, beyond(Math.abs(mean / unit), n - 1))),
  };
}

/** A sum with its rounding errors added at the end (Neumaier 1974). */
export function sum(values) {
  let total = 0,
    lost = 0;
  for (const value of values) {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + lost;
}

/** Probability that |t| is at least so large, by the series of the incomplete beta function; all its terms are positive. */
export function beyond(t, freedom) {
  const half = freedom / 2,
    squared = (t * t) / freedom,
    x = 1 / (1 + squared),
    y = squared / (1 + squared);
  const front = density(freedom) * Math.sqrt(y) * Math.exp(-half * Math.log1p(squared));
  if (t === 0) return 1;
  if (x < (half + 1) / (half + 2.5)) return (front / half) * series(half, x);
  return 1 - 2 * front * series(0.5, y, half);
}

/** Sum of (a + b)_k / (a + 1)_k x^k. */
function series(a, x, b = 0.5) {
  let term = 1,
    total = 1;
  for (let k = 0; k < 1e6 && term > total * 1e-18; k++) {
    term *= ((a + b + k) / (a + 1 + k)) * x;
    total += term;
  }
  return total;
}

/** 1 / B(freedom / 2, 1 / 2), by steps of two. */
function density(freedom) {
  let value = freedom % 2 ? 1 / Math.PI : 0.5;
  for (let step = freedom % 2 ? 1 : 2; step < freedom; step += 2) value *= (step + 1) / step;
  return value;
}

const quantiles = new Map();

/** The t that |t| exceeds with probability 1 - level, by halving. */
function quantile(level, freedom) {
  const key = `${level} ${freedom}`;
  if (!quantiles.has(key)) {
    let low = 0,
      high = 2;
    while (beyond(high, freedom) > 1 - level) high *= 2;
    for (let middle = high / 2; middle > low && middle < high; middle = (low + high) / 2)
      if (beyond(middle, freedom) > 1 - level) low = middle;
      else high = middle;
    quantiles.set(key, high);
  }
  return quantiles.get(key);
}
