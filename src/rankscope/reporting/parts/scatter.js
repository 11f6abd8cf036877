// One dot per topic: its score under A and under B.

import { niceStep } from "./differences.js";
import { colour, outcomeColours } from "./theme.js";

const DOTS_LEFT = 54,
  DOTS_BOTTOM = 46,
  DOTS_TOP = 10,
  DOTS_RIGHT = 14,
  DOTS_NEAR = 14;

/** Where everything stands; `rows` are {topic, a, b, sign}. `rowAt(x, y)` finds the nearest dot again, or -1. */
export function scatterLayout(rows, room) {
  const side = Math.max(180, Math.min(room, 460) - DOTS_LEFT - DOTS_RIGHT);
  const values = rows.flatMap((row) => [row.a, row.b]);
  const least = Math.min(...values),
    most = Math.max(...values);
  const step = niceStep(most - least || Math.abs(most) || 1);
  const low = Math.floor(least / step + 1e-9) * step,
    high = Math.max(low + step, Math.ceil(most / step - 1e-9) * step);
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

/** Draw with a pen; `names` are those of A and of B. */
export function drawScatter(pen, at, rows, names, chosen) {
  const ink = colour("ink"),
    rule = colour("rule"),
    quiet = colour("faint"),
    ground = colour("ground"),
    shades = outcomeColours();
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(at.step) + 1e-9)));
  for (let i = 0; i <= Math.round((at.high - at.low) / at.step); i++) {
    const value = at.low + i * at.step,
      words = value.toFixed(digits).replace("-", "−").replace(/^−(0\.?0*)$/, "$1");
    pen.rect(DOTS_LEFT, at.y(value) - 0.5, at.side, 1, rule);
    pen.rect(at.x(value) - 0.5, DOTS_TOP, 1, at.side, rule);
    pen.text(DOTS_LEFT - 6, at.y(value), words, { size: 11, align: "right", fill: ink });
    pen.text(at.x(value), DOTS_TOP + at.side + 13, words, { size: 11, align: "center", fill: ink });
  }
  pen.line([[at.x(at.low), at.y(at.low)], [at.x(at.high), at.y(at.high)]], quiet, 1);
  const radius = rows.length > 300 ? 2.5 : 4;
  for (const row of rows) pen.dot(at.x(row.a), at.y(row.b), radius, shades[row.sign], row.sign ? ground : quiet);
  const mine = rows.find((row) => row.topic === chosen);
  if (mine) pen.dot(at.x(mine.a), at.y(mine.b), 6.5, shades[mine.sign], ink, 2);
  const title = { size: 12, align: "center", fill: ink, limit: at.side };
  pen.text(DOTS_LEFT + at.side / 2, DOTS_TOP + at.side + 34, `A  ${names[0]}`, title);
  pen.text(11, DOTS_TOP + at.side / 2, `B  ${names[1]}`, { ...title, angle: -90 });
}
