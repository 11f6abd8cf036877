// What a reader would call a fault of layout, looked for in a page: words that are cut, fall outside their figure, or
// lie over others. It runs before the page's own scripts, so as to hear what is written on canvases.

(() => {
  const written = new WeakMap(); // canvas: [{ words, corners }]
  const width = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, "width");
  Object.defineProperty(HTMLCanvasElement.prototype, "width", {
    ...width,
    set(value) {
      written.set(this, []); // a new width wipes a canvas
      width.set.call(this, value);
    },
  });
  const fillText = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (words, x, y, ...more) {
    const size = this.measureText(words);
    const corners = rectangle(
      x - size.actualBoundingBoxLeft,
      y - size.actualBoundingBoxAscent,
      x + size.actualBoundingBoxRight,
      y + size.actualBoundingBoxDescent,
    );
    if (String(words).trim()) {
      const there = written.get(this.canvas) ?? [];
      written.set(this.canvas, [...there, { words: String(words), corners: moved(corners, this.getTransform()) }]);
    }
    return fillText.call(this, words, x, y, ...more);
  };

  const rectangle = (left, top, right, bottom) => [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
  const moved = (corners, m) => corners.map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
  const ends = (corners, axis) => {
    const along = corners.map((one) => one[axis]);
    return [Math.min(...along), Math.max(...along)];
  };

  /** Whether two turned rectangles have a common inside: no side of either parts them. */
  function meet(one, other) {
    return [one, other].every((sides) =>
      sides.every(([x, y], i) => {
        const [u, v] = sides[(i + 1) % 4];
        const reach = (corners) => ends(corners.map((p) => [p[0] * (v - y) + p[1] * (x - u)]), 0);
        const [[a, b], [c, d]] = [reach(one), reach(other)];
        return a < d && c < b;
      }),
    );
  }

  /** The same words at the same place are one text with its halo. */
  const halo = (one, other) =>
    one.words === other.words && one.corners.flat().every((v, i) => Math.abs(v - other.corners.flat()[i]) < 1);

  /** Pairs of texts that lie over one another, by more than a pixel. */
  function overlapping(texts) {
    const smaller = texts.map(({ words, corners }) => {
      const [cx, cy] = [0, 1].map((axis) => ends(corners, axis).reduce((p, q) => (p + q) / 2));
      const less = corners.map(([x, y]) => [x - Math.sign(x - cx), y - Math.sign(y - cy)]);
      return { words, corners: less, from: ends(less, 0)[0], to: ends(less, 0)[1] };
    });
    smaller.sort((p, q) => p.from - q.from);
    const found = [];
    smaller.forEach((one, i) => {
      for (let j = i + 1; j < smaller.length && smaller[j].from < one.to; j++)
        if (meet(one.corners, smaller[j].corners) && !halo(one, smaller[j])) found.push([one.words, smaller[j].words]);
    });
    return found;
  }

  const shown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  /** Whether words stand on a panel that floats over the page, and hides what is below it. */
  const floats = (one) => {
    if (!one) return false;
    const { position, bottom } = getComputedStyle(one);
    return position === "fixed" || (position === "sticky" && bottom !== "auto") || floats(one.parentElement);
  };
  const short = (words) => words.trim().slice(0, 60);

  /** Words that their own box hides, and that nothing else tells. */
  function cut() {
    return [...document.querySelectorAll("body *:not(svg *)")]
      .filter((one) => shown(one) && /hidden|clip/.test(getComputedStyle(one).overflowX) && one.textContent.trim())
      .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
      .filter((one) => !one.closest("[title]"))
      .map((one) => `cut: ${short(one.textContent)}`);
  }

  /** Choices whose chosen name does not fit and is not told; some 30 pixels are the arrow's and the padding's. */
  function cutChoices() {
    const pen = document.createElement("canvas").getContext("2d");
    return [...document.querySelectorAll("select:not([title])")]
      .filter(shown)
      .filter((one) => {
        pen.font = getComputedStyle(one).font;
        return pen.measureText(one.selectedOptions[0].textContent).width + 30 > one.clientWidth;
      })
      .map((one) => `cut: ${short(one.selectedOptions[0].textContent)} in #${one.id}`);
  }

  /** The texts of a drawing and the box that they should keep to. */
  function drawings() {
    const svgs = [...document.querySelectorAll(".chart .view svg")].filter(shown).map((svg) => {
      const texts = [...svg.querySelectorAll("text")]
        .filter((one) => one.textContent.trim() && shown(one))
        .map((one) => {
          const { x, y, width, height } = one.getBBox(),
            lead = 0.18 * height; // of a line: no letter is as tall as it
          const corners = rectangle(x, y + lead, x + width, y + height - lead);
          return { words: one.textContent, corners: moved(corners, one.getScreenCTM()) };
        });
      const { left, top, right, bottom } = svg.getBoundingClientRect();
      return { name: svg.closest("[data-chart]").dataset.chart, texts, box: [left, top, right, bottom] };
    });
    const axes = [...document.querySelectorAll("svg.axis")].filter(shown).map((svg) => {
      const texts = [...svg.querySelectorAll("text")].filter(shown).map((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return { words: one.textContent, corners: rectangle(left, top, right, bottom) };
      });
      return { name: "axis", texts, box: [0, -Infinity, Infinity, Infinity] }; // ends of a scale lean out of its box
    });
    const canvases = [...document.querySelectorAll("canvas")].filter(shown).map((one) => ({
      name: one.id || one.closest("[data-chart]").dataset.chart,
      texts: written.get(one) ?? [],
      box: [0, 0, one.width, one.height],
    }));
    return [...svgs, ...axes, ...canvases];
  }

  /** Lines of the page's text, as far as they are seen in the boxes that they stand in. */
  function lines() {
    const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT),
      found = [];
    while (walk.nextNode()) {
      const text = walk.currentNode,
        parent = text.parentElement;
      if (!text.data.trim() || !shown(parent) || parent.closest("svg, select, script, noscript") || floats(parent)) continue;
      const within = [0, 0, Infinity, Infinity];
      for (let box = parent; box.tagName !== "MAIN"; box = box.parentElement) {
        if (getComputedStyle(box).overflowX === "visible") continue;
        const { left, top, right, bottom } = box.getBoundingClientRect();
        [left, top].forEach((edge, i) => (within[i] = Math.max(within[i], edge)));
        [right, bottom].forEach((edge, i) => (within[i + 2] = Math.min(within[i + 2], edge)));
      }
      const range = document.createRange();
      range.selectNodeContents(text);
      const starts = new Set(); // a text that ends in an ellipsis has two boxes at one place
      for (const { left, top, right, bottom, height } of range.getClientRects()) {
        if (starts.has(`${left} ${top}`)) continue;
        starts.add(`${left} ${top}`);
        const seen = [
          Math.max(left, within[0]),
          Math.max(top + 0.2 * height, within[1]),
          Math.min(right, within[2]),
          Math.min(bottom - 0.2 * height, within[3]),
        ];
        if (seen[2] - seen[0] > 2 && seen[3] - seen[1] > 2)
          found.push({ words: text.data, corners: rectangle(...seen) });
      }
    }
    return found;
  }

  /** All faults, a sentence each. The page must be scrolled to its top. */
  window.faults = () => {
    const drawn = drawings().flatMap(({ name, texts, box }) => [
      ...texts
        .filter(({ corners }) => {
          const [[left, right], [top, bottom]] = [ends(corners, 0), ends(corners, 1)];
          return left < box[0] - 1 || top < box[1] - 1 || right > box[2] + 1 || bottom > box[3] + 1;
        })
        .map(({ words }) => `outside ${name}: ${short(words)}`),
      ...overlapping(texts).map(([one, other]) => `overlap in ${name}: ${short(one)} and ${short(other)}`),
    ]);
    const wide = document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : [];
    const over = overlapping(lines()).map(([one, other]) => `overlap: ${short(one)} and ${short(other)}`);
    return [...wide, ...cut(), ...cutChoices(), ...drawn, ...over];
  };
})();
