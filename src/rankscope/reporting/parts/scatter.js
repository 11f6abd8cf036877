// One dot per topic, or for several in one place: its score under A and under B.

import { niceStep } from "./differences.js";
import { colour, outcomeColours } from "./theme.js";

const DOTS_LEFT = 54,
  DOTS_BOTTOM = 46,
  DOTS_TOP = 14,
  DOTS_RIGHT = 14,
  DOTS_NEAR = 14,
  DOTS_LARGEST = 11;

/** Where everything stands; `rows` are {topic, a, b, sign}. `rowAt(x, y)` finds the nearest dot again, or -1. */
export function scatterLayout(rows, room) {
  const side = Math.max(180, Math.min(room, 460) - DOTS_LEFT - DOTS_RIGHT);
  const values = rows.flatMap((row) => [row.a, row.b]);
  const least = Math.min(...values),
    most = Math.max(...values);
  const step = niceStep(most - least || Math.abs(most) || 1);
  // an axis of one value goes to 0
  const low = most > least ? Math.floor(least / step + 1e-9) * step : Math.min(0, least),
    high = most > least ? Math.ceil(most / step - 1e-9) * step : Math.max(0, most) || low + step;
  const part = (value) => (value - low) / (high - low);
  const x = (value) => DOTS_LEFT + part(value) * side,
    y = (value) => DOTS_TOP + (1 - part(value)) * side;
  return {
    side,
    step,
    low,
    high,
    x,
    y,
    size: [DOTS_LEFT + side + DOTS_RIGHT, DOTS_TOP + side + DOTS_BOTTOM],
    rowAt(px, py) {
      const distance = rows.map((row) => (x(row.a) - px) ** 2 + (y(row.b) - py) ** 2);
      const nearest = distance.indexOf(Math.min(...distance));
      return nearest >= 0 && distance[nearest] <= DOTS_NEAR ** 2 ? nearest : -1;
    },
  };
}

/** Rows with the same scores, together. */
function grouped(rows) {
  const places = new Map();
  for (const row of rows) {
    const key = `${row.a} ${row.b}`;
    if (places.has(key)) places.get(key).push(row);
    else places.set(key, [row]);
  }
  return places;
}

/** Dots with their radius, the large ones first, which lie below small ones. */
function dotsOf(rows) {
  const radius = rows.length > 300 ? 2.5 : 4,
    dots = [...grouped(rows).values()].sort((one, other) => other.length - one.length),
    wide = Math.min(1, DOTS_LARGEST / radius / Math.sqrt(dots.length ? dots[0].length : 1));
  return dots.map((here) => ({ here, size: radius * Math.max(1, wide * Math.sqrt(here.length)) }));
}

/** What the smallest dots, and those that look like them, stand for, where not for one topic each. */
export function smallest(rows) {
  const dots = dotsOf(rows),
    most = dots.find(({ size }) => size < 1.1 * dots.at(-1).size)?.here.length ?? 1;
  return most > 1 ? ` Dots of the smallest size stand for 1 to ${most} topics.` : "";
}

/** Draw with a pen; `names` are those of A and of B. */
export function drawScatter(pen, at, rows, names, chosen) {
  const ink = colour("ink"),
    rule = colour("rule"),
    quiet = colour("faint"),
    ground = colour("ground"),
    shades = outcomeColours();
  const labels = [],
    digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(at.step) + 1e-9)));
  for (let i = 0; i <= Math.round((at.high - at.low) / at.step); i++) {
    const value = at.low + i * at.step,
      words = value.toFixed(digits).replace("-", "−").replace(/^−(0\.?0*)$/, "$1");
    pen.rect(DOTS_LEFT, at.y(value) - 0.5, at.side, 1, rule);
    pen.rect(at.x(value) - 0.5, DOTS_TOP, 1, at.side, rule);
    labels.push([DOTS_LEFT - 6, at.y(value), words, "right"], [at.x(value), DOTS_TOP + at.side + 13, words, "center"]);
  }
  pen.line([[at.x(at.low), at.y(at.low)], [at.x(at.high), at.y(at.high)]], quiet, 1);
  for (const { here, size } of dotsOf(rows)) {
    const [row] = here;
    pen.dot(at.x(row.a), at.y(row.b), size, shades[row.sign], row.sign ? ground : quiet);
  }
  for (const [x, y, words, align] of labels) pen.text(x, y, words, { size: 11, align, fill: ink }); // over large dots
  const mine = rows.find((row) => row.topic === chosen);
  if (mine) pen.dot(at.x(mine.a), at.y(mine.b), 6.5, shades[mine.sign], ink, 2);
  const title = { size: 12, align: "center", fill: ink, limit: at.side };
  pen.text(DOTS_LEFT + at.side / 2, DOTS_TOP + at.side + 34, `A  ${names[0]}`, title);
  pen.text(11, DOTS_TOP + at.side / 2, `B  ${names[1]}`, { ...title, angle: -90 });
}
