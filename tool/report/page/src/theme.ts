// Light or dark: as the system has it, until one asks for the other. Kept where the browser lets a file keep something.
export type Theme = "light" | "dark";

const KEY = "heddle-theme";

export function currentTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === "light" || kept === "dark") return kept;
  } catch {
    // no storage for files: go by the system
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function showTheme(theme: Theme, keep: boolean) {
  document.documentElement.dataset.theme = theme;
  if (!keep) return;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // it lasts as long as the page
  }
}
