// Figures of the library: their specifications are in the page, Vega draws them, without eval.

import { json } from "./data.js";
import { saveSvg } from "./downloads.js";
import { fade } from "./edges.js";
import { settleBoxes } from "./stops.js";
import { isDark, onPaper, onTheme } from "./theme.js";

const LARGE = 800_000; // letters of a specification from which a canvas is quicker
const views = new Map();

/**
 * Draw all figures, one after the other, when there is time; again when the theme changes. A browser does not wait for
 * drawings when it prints: beside a dark figure stands a light one for paper.
 */
export function startCharts() {
  const cards = [...document.querySelectorAll("[data-chart]")];
  const all = async () => {
    if (onPaper()) return;
    const wanted = isDark();
    for (const card of cards) {
      if (isDark() !== wanted) return;
      if (card.dataset.ground === groundOf(wanted)) continue;
      await new Promise((go) =>
        "requestIdleCallback" in window ? requestIdleCallback(go, { timeout: 500 }) : setTimeout(go),
      );
      await drawChart(card).catch((error) => {
        card.querySelector(".view").replaceChildren("This figure could not be drawn; its numbers are in the CSV.");
        console.error(error);
      });
    }
    document.documentElement.dataset.drawn = groundOf(wanted);
  };
  onTheme(all);
  for (const button of document.querySelectorAll("[data-svg]")) {
    button.addEventListener("click", async () => {
      const key = button.dataset.svg;
      if (!views.has(key)) await drawChart(document.querySelector(`[data-chart="${key}"]`));
      saveSvg(key, await views.get(key).toSVG());
    });
  }
  return all();
}

async function drawChart(card) {
  const key = card.dataset.chart;
  card.dataset.ground = groundOf(isDark());
  const { spec, dark } = await json(`chart-${key}`);
  const place = card.querySelector(".view"),
    paper = card.querySelector(".paper");
  const large = JSON.stringify(spec).length > LARGE;
  const options = {
    mode: "vega",
    ast: true,
    actions: false,
    defaultStyle: false,
    renderer: large ? "canvas" : "svg",
    tooltip,
  };
  paper.replaceChildren();
  if (card.dataset.ground === "dark") {
    (await window.vegaEmbed(paper, spec, options)).view.finalize();
    for (const [path, value] of dark) change(spec, path, value);
  }
  views.get(key)?.finalize();
  views.set(key, (await window.vegaEmbed(place, spec, options)).view);
  const figure = place.querySelector("svg, canvas"),
    natural = figure.getAttribute("width");
  place.style.setProperty("--natural", `${natural}px`);
  card.classList.toggle("wide", natural > 600);
  if (figure.matches("svg")) {
    const letters = [...figure.querySelectorAll("text")].map((one) => parseFloat(one.getAttribute("font-size")));
    place.style.setProperty("--letter", Math.min(12, ...letters.filter(Boolean)));
  }
  fade(place);
  settleBoxes(place.closest("main > section"));
}

const groundOf = (dark) => (dark ? "dark" : "light");

function change(spec, path, value) {
  const last = path.at(-1);
  path.slice(0, -1).reduce((inner, key) => inner[key], spec)[last] = value;
}

/** What a mark says, as text alone. */
function tooltip(handler, event, item, value) {
  if (value === null || value === undefined || value === "") return hideTip();
  const said =
    typeof value === "object"
      ? Object.entries(value).filter(([key]) => !/_index$|^(left|right|top|bottom|middle)$/.test(key))
      : [["", value]];
  tip(
    event,
    said.map(([key, inner]) => [key, typeof inner === "number" ? String(+inner.toPrecision(5)) : String(inner)]),
  );
}

/** Show names and values near the pointer. */
export function tip(event, said) {
  const box = document.getElementById("tip");
  box.replaceChildren(
    ...said.map(([key, value]) => {
      const line = document.createElement("div"),
        name = document.createElement("b"),
        text = document.createElement("bdi");
      name.textContent = key;
      text.textContent = value;
      line.append(name, text);
      return line;
    }),
  );
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 4))}px`;
  box.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18}px`;
}

export function hideTip() {
  document.getElementById("tip").hidden = true;
}
