// Few stops of the tabulator: of a group only one is a stop, and arrow keys move between its members.

export const ACROSS = { ArrowRight: 1, ArrowLeft: -1 };
export const DOWN = { ArrowDown: 1, ArrowUp: -1 };

/** Arrow keys move between the members that a selector finds in a group when they are pressed. */
export function moveByArrows(group, selector, keys = ACROSS) {
  group.addEventListener("keydown", (event) => {
    const members = [...group.querySelectorAll(selector)],
      here = members.indexOf(event.target.closest(selector)),
      by = keys[event.key],
      next = here >= 0 && by && members[here + by];
    if (!next) return;
    event.preventDefault();
    for (const member of members) member.tabIndex = member === next ? 0 : -1;
    next.focus();
  });
}

/** Buttons to download one thing in several forms are a toolbar, and findings that can be opened are one list. */
export function startGroups() {
  for (const group of document.querySelectorAll(".downloads:has(button + button)")) {
    group.setAttribute("role", "toolbar");
    group.setAttribute("aria-label", "Downloads");
    oneStop(group, "button");
  }
  for (const list of document.querySelectorAll(".findings")) oneStop(list, "summary", DOWN);
}

function oneStop(group, selector, keys) {
  group.querySelectorAll(selector).forEach((member, place) => (member.tabIndex = place ? -1 : 0));
  moveByArrows(group, selector, keys);
}
