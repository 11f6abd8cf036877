// Light or dark: what the reader's system says, until the reader says otherwise.

const dark = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;
const listeners = [];
let printing = false;

export const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
export const onTheme = (heard) => listeners.push(heard);
/** Whether the page is being printed: paper is light. */
export const onPaper = () => printing;

/** A colour of the theme in use, by its name. */
export const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

/** Colours of the four outcomes, by class. */
export const outcomeColours = () => ["equal", "a", "b", "undecided"].map(colour);

/** The name of a shade of relevant documents, from 1, the least relevant, on. */
export const shadeOf = (shade) => `relevance-${shade}`;

export function startTheme(button) {
  const show = () => {
    button.setAttribute("aria-pressed", String(isDark()));
    for (const heard of listeners) heard();
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  dark.addEventListener("change", show);
  let before;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    if (!isDark()) return;
    printing = true;
    root.dataset.theme = "light";
    show();
  });
  addEventListener("afterprint", () => {
    if (!printing) return;
    printing = false;
    if (before) root.dataset.theme = before;
    else delete root.dataset.theme;
    show();
  });
  button.setAttribute("aria-pressed", String(isDark()));
}
