// A dot as the legend of dots shows it.

/** An element of one dot; its class gives the colour. */
export function swatch(kind) {
  const SVG = "http://www.w3.org/2000/svg",
    svg = document.createElementNS(SVG, "svg"),
    dot = document.createElementNS(SVG, "circle");
  svg.setAttribute("class", `dots is-${kind}`);
  svg.setAttribute("aria-hidden", "true");
  for (const [key, value] of Object.entries({ cx: "50%", cy: "50%", r: 4.5 })) dot.setAttribute(key, value);
  svg.append(dot);
  return svg;
}
