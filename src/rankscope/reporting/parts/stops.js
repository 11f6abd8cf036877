// Few stops of the tabulator: of controls of one kind in a part of the page only one is a stop, and arrow keys move
// between them.

const ACROSS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
export const DOWN = { ArrowDown: 1, ArrowUp: -1 };
const BOTH = { ...ACROSS, ...DOWN };

/** The kinds of controls in a part, and the keys that move there. The leaderboard moves between its rows itself. */
const KINDS = [
  [".downloads button", ACROSS],
  ["th button", ACROSS], // up and down scroll the table
  ["summary", BOTH],
];
const BOXES_OF_PART = '[role="region"]';

/** What a selector finds and a reader can see: not what is in a closed fold. */
const visibleIn = (group, selector) => [...group.querySelectorAll(selector)].filter((one) => one.checkVisibility());

/** Of the members that a selector finds in a group one is a stop; arrow keys move between them. */
export function oneStop(group, selector, keys = BOTH) {
  group.addEventListener("keydown", (event) => {
    const here = event.target.closest(selector),
      by = keys[event.key];
    if (!here || !by || event.ctrlKey || event.altKey || event.metaKey) return;
    const members = visibleIn(group, selector),
      next = members[Math.max(0, Math.min(members.length - 1, members.indexOf(here) + by))];
    event.preventDefault();
    next.focus();
  });
  group.addEventListener("focusin", (event) => {
    const here = event.target.closest(selector);
    if (here) settle(group, selector, here);
  });
  group.addEventListener("toggle", () => settle(group, selector), true);
  settle(group, selector);
}

/** One member is the stop: the one given, else the one that was, else the first. */
export function settle(group, selector, wanted = null, members = visibleIn(group, selector)) {
  const stop = wanted ?? members.find((one) => one.tabIndex === 0) ?? members[0];
  for (const one of group.querySelectorAll(selector)) one.tabIndex = one === stop ? 0 : -1;
}

/** Boxes of a part that scroll and hold no button: from a button, arrow keys scroll the box around it. */
const boxesOf = (part) =>
  visibleIn(part, BOXES_OF_PART).filter(
    (box) =>
      (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) && !box.querySelector("button"),
  );

/** To be called where boxes have got another size or content. */
export const settleBoxes = (part) => settle(part, BOXES_OF_PART, null, boxesOf(part));

/** Arrow keys scroll the box that has the focus, and go on to the next one where nothing more is to be scrolled. */
function moveBetweenBoxes(part) {
  part.addEventListener("keydown", (event) => {
    const box = event.target,
      by = BOTH[event.key];
    if (!box.matches(BOXES_OF_PART) || !Number.isFinite(by)) return;
    const [at, end] =
      event.key in DOWN
        ? [box.scrollTop, box.scrollHeight - box.clientHeight]
        : [box.scrollLeft, box.scrollWidth - box.clientWidth];
    if (by > 0 ? at < end - 1 : at > 1) return;
    const boxes = boxesOf(part),
      next = boxes[boxes.indexOf(box) + by];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  part.addEventListener("focusin", (event) => {
    if (event.target.matches(BOXES_OF_PART)) settle(part, BOXES_OF_PART, event.target);
  });
  part.addEventListener("toggle", () => settleBoxes(part), true);
  settleBoxes(part);
}

/** The links to the parts of the page are one stop; of each part, controls of one kind are. */
export function startGroups() {
  oneStop(document.querySelector(".top nav"), "a", ACROSS);
  for (const group of document.querySelectorAll(".downloads:has(button + button)")) {
    group.setAttribute("role", "toolbar");
    group.setAttribute("aria-label", "Downloads");
  }
  for (const part of document.querySelectorAll("main > section")) {
    for (const [selector, keys] of KINDS) oneStop(part, selector, keys);
    moveBetweenBoxes(part);
  }
}
