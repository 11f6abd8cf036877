// One drawing, two pens: a canvas on the screen, an SVG for a paper.

const SVG = "http://www.w3.org/2000/svg";
const FONT = '"Liberation Sans", Arial, Helvetica, Arimo, "Nimbus Sans", sans-serif';

/** A pen on a canvas of that size in CSS pixels, sharp on any screen. */
export function canvasPen(canvas, width, height) {
  const sharp = Math.min(window.devicePixelRatio || 1, 16_000 / Math.max(width, height));
  canvas.width = Math.round(width * sharp);
  canvas.height = Math.round(height * sharp);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx.scale(sharp, sharp);
  return {
    rect(x, y, w, h, fill) {
      ctx.fillStyle = fill;
      ctx.fillRect(x, y, w, h);
    },
    frame(x, y, w, h, stroke, thick = 1) {
      ctx.strokeStyle = stroke;
      ctx.lineWidth = thick;
      ctx.strokeRect(x, y, w, h);
    },
    dot(x, y, radius, fill, stroke, thick = 1) {
      ctx.fillStyle = fill;
      ctx.strokeStyle = stroke;
      ctx.lineWidth = thick;
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    },
    line(points, stroke, thick = 1) {
      ctx.strokeStyle = stroke;
      ctx.lineWidth = thick;
      ctx.beginPath();
      points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
      ctx.stroke();
    },
    text(x, y, words, { size = 11, align = "left", fill, angle = 0, limit = 0, bold = false } = {}) {
      ctx.save();
      ctx.font = `${bold ? "600 " : ""}${size}px ${FONT}`;
      ctx.fillStyle = fill;
      ctx.textAlign = align;
      ctx.textBaseline = "middle";
      ctx.direction = "ltr";
      ctx.translate(x, y);
      if (angle) ctx.rotate((angle * Math.PI) / 180);
      ctx.fillText(limit ? fitted(words, limit, (part) => ctx.measureText(part).width) : words, 0, 0);
      ctx.restore();
    },
  };
}

/** A pen that makes an SVG of that size; `done` gives its text. */
export function svgPen(width, height, ground) {
  const root = document.createElementNS(SVG, "svg");
  const put = (kind, attributes, words) => {
    const one = document.createElementNS(SVG, kind);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    if (words !== undefined) one.textContent = words;
    root.append(one);
  };
  for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    root.setAttribute(key, value);
  root.setAttribute("font-family", "Liberation Sans, Arial, Helvetica, Arimo, Nimbus Sans, sans-serif");
  const at = (number) => +number.toFixed(2);
  put("rect", { width, height, fill: ground });
  return {
    rect: (x, y, w, h, fill) => put("rect", { x: at(x), y: at(y), width: at(w), height: at(h), fill }),
    frame: (x, y, w, h, stroke, thick = 1) =>
      put("rect", { x: at(x), y: at(y), width: at(w), height: at(h), fill: "none", stroke, "stroke-width": thick }),
    dot: (x, y, radius, fill, stroke, thick = 1) =>
      put("circle", { cx: at(x), cy: at(y), r: radius, fill, stroke, "stroke-width": thick }),
    line: (points, stroke, thick = 1) =>
      put("polyline", {
        points: points.map((p) => p.map(at).join(",")).join(" "),
        fill: "none",
        stroke,
        "stroke-width": thick,
      }),
    text(x, y, words, { size = 11, align = "left", fill, angle = 0, limit = 0, bold = false } = {}) {
      const anchor = { left: "start", center: "middle", right: "end" }[align];
      const shown = limit ? fitted(words, limit, (part) => part.length * size * 0.55) : words;
      const turned = angle ? { transform: `rotate(${angle} ${at(x)} ${at(y)})` } : {};
      put(
        "text",
        {
          x: at(x),
          y: at(y + size * 0.35),
          "font-size": size,
          "text-anchor": anchor,
          fill,
          ...(bold ? { "font-weight": 600 } : {}),
          ...turned,
        },
        printable(shown),
      );
    },
    done: () => new XMLSerializer().serializeToString(root),
  };
}

/** As much of the words as is no wider than the limit. */
function fitted(words, limit, widthOf) {
  let shown = words.length > 60 ? words.slice(0, 60) : words;
  if (shown === words && widthOf(shown) <= limit) return shown;
  while (shown.length > 1 && widthOf(`${shown}…`) > limit) shown = shown.slice(0, -1);
  return `${shown}…`;
}

// eslint-disable-next-line no-control-regex
const printable = (words) => words.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
