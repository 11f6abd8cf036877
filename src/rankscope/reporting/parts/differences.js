// Differences by topic as sorted bars with IPSO's classes below, and p of the sign test by depth.

import { colour, outcomeColours } from "./theme.js";

const TALL = 330,
  STRIP = 12;

/** Bars from the largest loss of B to its largest gain; `rows` are {topic, value, sign, class}. */
export function differencesLayout(rows, room) {
  const left = 52,
    bar = Math.max(0.2, Math.min(26, (room - left - 8) / Math.max(1, rows.length)));
  const named = bar >= 12;
  return {
    left,
    bar,
    named,
    size: [Math.ceil(Math.max(220, left + bar * rows.length + 8)), TALL + STRIP + (named ? 62 : 26)],
    rowAt: (x) => Math.floor((x - left) / bar),
  };
}

export function drawDifferences(pen, at, rows, facts, chosen) {
  const ink = colour("ink"),
    quiet = colour("faint"),
    rule = colour("rule");
  const shades = outcomeColours();
  const values = rows.map((row) => row.value);
  const step = niceStep(Math.max(...values, 0) - Math.min(...values, 0) || 1);
  const low = Math.min(-step, Math.floor(Math.min(...values, 0) / step) * step);
  const high = Math.max(step, Math.ceil(Math.max(...values, 0) / step) * step);
  const y = (value) => 10 + ((high - value) / (high - low)) * (TALL - 20);
  for (let tick = low; tick <= high + step / 2; tick += step) {
    pen.rect(at.left, y(tick) - 0.5, at.size[0] - at.left - 8, 1, rule);
    pen.text(at.left - 8, y(tick), tick.toFixed(step < 0.1 ? 2 : 1).replace(/^-?0\.?0*$/, "0").replace("-", "−"), {
      size: 11,
      align: "right",
      fill: ink,
    });
  }
  const inner = at.bar > 4 ? at.bar * 0.86 : Math.max(1, at.bar);
  rows.forEach((row, i) => {
    const x = at.left + i * at.bar;
    pen.rect(
      x,
      Math.min(y(0), y(row.value)),
      inner,
      Math.max(Math.abs(y(row.value) - y(0)), row.sign ? 1 : 0),
      shades[row.sign],
    );
    if (row.class !== null) pen.rect(x, TALL + 2, inner, STRIP, shades[row.class]);
    if (at.named)
      pen.text(x + inner / 2, TALL + STRIP + 8, facts.topics[row.topic], {
        size: 10,
        align: "right",
        fill: ink,
        angle: -90,
        limit: 50,
      });
  });
  pen.rect(at.left, y(0) - 0.5, at.size[0] - at.left - 8, 1, ink);
  const mine = rows.findIndex((row) => row.topic === chosen);
  if (mine >= 0 && at.bar >= 6) pen.frame(at.left + mine * at.bar - 1.5, 4, inner + 3, TALL + STRIP, ink, 1.5);
  else if (mine >= 0)
    for (const top of [0, TALL + STRIP + 3]) pen.rect(at.left + (mine + 0.5) * at.bar - 2, top, 4, 7, ink); // covers no bar
  if (!at.named) pen.text(at.left, TALL + STRIP + 18, "topics, sorted; strip: ahead without a metric", { size: 11, fill: quiet });
}

const LEAST = 1e-12; // smaller ones are drawn as that

/** p against depth, on a scale of magnitudes, with the significance level and the depth that is chosen. */
export function drawByDepth(pen, width, height, found, chosen, alpha) {
  const ink = colour("ink"),
    quiet = colour("faint"),
    rule = colour("rule");
  const left = 46,
    right = 12,
    top = 8,
    bottom = 22;
  const least = Math.min(0.01, alpha, ...found.map((one) => Math.max(one.p, LEAST))),
    beyond = found.some((one) => one.p < LEAST);
  const floor = 10 ** Math.floor(Math.log10(least));
  const named = (p) =>
    p >= 0.001 ? String(+p.toPrecision(1)) : `${p < 2 * LEAST && beyond ? "≤ " : ""}${p.toExponential(0)}`;
  const x = (depth) => left + ((depth - 1) / Math.max(1, found.length - 1)) * (width - left - right);
  const y = (p) => top + (Math.log10(Math.max(p, LEAST)) / Math.log10(floor)) * (height - top - bottom);
  for (let p = 1; p >= floor * 0.99; p /= 10) {
    pen.rect(left, y(p) - 0.5, width - left - right, 1, rule);
    if (Math.log10(floor) > -6 || Math.round(Math.log10(p)) % 3 === 0)
      pen.text(left - 6, y(p), named(p), {
        size: 10,
        align: "right",
        fill: ink,
      });
  }
  for (let i = left; i < width - right; i += 7) pen.rect(i, y(alpha) - 0.5, 4, 1, quiet);
  pen.line(
    found.map((one) => [x(one.depth), y(one.p)]),
    ink,
    1.8,
  );
  // beside the line of alpha at the end from which the curve is farther
  const [first, last] = [found[0], found[found.length - 1]].map((one) => Math.abs(y(one.p) - y(alpha)));
  const [place, align] = first > last ? [left + 2, "left"] : [width - right, "right"];
  pen.text(place, y(alpha) - 7, String(alpha), { size: 10, align, fill: quiet });
  pen.rect(x(chosen) - 3.5, y(found[chosen - 1].p) - 3.5, 7, 7, ink);
  pen.text(left, height - 8, "1", { size: 10, fill: quiet });
  pen.text(width - right, height - 8, String(found.length), { size: 10, align: "right", fill: quiet });
  pen.text((left + width - right) / 2, height - 8, "p of the sign test, by depth", {
    size: 11,
    align: "center",
    fill: quiet,
  });
}

export function niceStep(range) {
  const rough = range / 5,
    ten = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((s) => s * ten).find((s) => s >= rough);
}
