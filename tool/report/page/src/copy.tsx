// A command to paste into a terminal.
import { useRef, useState } from "preact/hooks";

const SHOWN = 2000; // milliseconds

async function copied(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return true;
  } catch {
    // Some browsers give files no clipboard: select it, and ask in the old way.
    const selection = getSelection();
    if (!selection) return false;
    selection.selectAllChildren(code);
    return document.execCommand("copy");
  }
}

export function Command({ text }: { text: string }) {
  const code = useRef<HTMLElement>(null);
  const [state, setState] = useState("");
  const copy = async () => {
    setState((await copied(code.current!)) ? "Copied" : "Press Ctrl+C");
    setTimeout(() => setState(""), SHOWN);
  };
  return (
    <span class="command">
      <code ref={code}>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy: ${text}`}>{state || "Copy"}</button>
      <span class="unseen" role="status">{state}</span>
    </span>
  );
}
