// Keys of the page. Letters work wherever one is, except where one writes; the keys that scroll belong to the timeline
// unless something else has the focus that uses them.
import { useLayoutEffect } from "preact/hooks";

export const HELP: [keys: string, meaning: string][] = [
  ["j ↓   k ↑", "next, previous event"],
  ["n   p", "next, previous critical event"],
  ["f", "back to the finding"],
  ["Enter", "open the folded events"],
  ["PgDn   PgUp", "further, while the timeline has the focus"],
  ["Home   End", "first, last event"],
  ["+   −", "zoom"],
  ["c", "critical events only, or all"],
  ["/", "search; Enter and Shift+Enter go through what was found"],
  ["g", "graph or timeline"],
  ["t", "dark or light"],
  ["?", "these keys"],
];

export type Actions = Record<string, () => void>;

const KEY = "heddle-letters";
// A reader that speaks, or dictation, may send letters that are not meant for the page.
export function lettersAreOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true; // no storage for files
  }
}
export function keepLetters(on: boolean) {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // it lasts as long as the page
  }
}

// Keys that mean something else elsewhere: in the timeline they are its own, and some also where nothing uses them.
const OF_TIMELINE = new Set(["ArrowDown", "ArrowUp", "Home", "End", "Enter", "PageDown", "PageUp"]);
const OF_TOOLS = new Set(["ArrowDown", "ArrowUp", "Home", "End"]);
const OF_NOTHING = new Set([...OF_TOOLS, "Enter"]);

function isFree(key: string, target: HTMLElement): boolean {
  if (target.closest(".timeline")) return true;
  if (target === document.body || target === document.documentElement) return OF_NOTHING.has(key);
  return target.closest(".tools") !== null && OF_TOOLS.has(key);
}

export function useKeys(actions: Actions, letters: boolean) {
  // At once after each change, not after it was painted: keys may come faster.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      const action = actions[event.key];
      if (!action || target.closest("input:not([type=checkbox]), select, textarea")) return;
      if (OF_TIMELINE.has(event.key)) {
        if (!isFree(event.key, target)) return;
      } else if (event.key !== "Escape" && !letters && !target.closest(".timeline")) {
        return;
      }
      action();
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [actions, letters]);
}
