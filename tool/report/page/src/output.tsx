// What the program wrote. The end is what matters: a failed test says there why.
import { useState } from "preact/hooks";
import type { Bug } from "./data";
import { grouped } from "./model";

const LINES = 12;

export function Output({ bug }: { bug: Bug }) {
  const [all, setAll] = useState(false);
  if (!bug.output.trim()) return null;
  const lines = bug.output.replace(/\n+$/, "").split("\n");
  const hidden = all ? 0 : Math.max(0, lines.length - LINES);
  return (
    <section class="output" aria-label="The program's output">
      <h2>The program's output</h2>
      {bug.outputCut && hidden === 0 && <p class="quiet">Its beginning was not kept.</p>}
      {hidden > 0 && <button type="button" class="link" onClick={() => setAll(true)}>Show {grouped(hidden)} more lines above</button>}
      <pre class="text">{lines.slice(hidden).join("\n")}</pre>
    </section>
  );
}
