// What the program wrote. It opens where a test says why it failed, else at the end.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Bug } from "./data";

const FAILURE = /\bfailure\b|\bassert(ion)?\b|\berror:/i;

export function Output({ bug }: { bug: Bug }) {
  const box = useRef<HTMLPreElement>(null);
  const mark = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = mark.current ? mark.current.offsetTop - 6 : box.current.scrollHeight;
  }, [bug]);
  if (!bug.output.trim()) return null;
  const lines = bug.output.replace(/\n+$/, "").split("\n");
  const failure = lines.findIndex((line) => FAILURE.test(line));
  const text = (from: number, to: number) => lines.slice(from, to).join("\n");
  return (
    <section class="output" aria-label="The program's output">
      <h2>The program's output</h2>
      {bug.outputCut && <p class="quiet">Its beginning was not kept.</p>}
      <pre class="text" ref={box} tabIndex={0} aria-label="Output">
        {failure > 0 && `${text(0, failure)}\n`}
        {failure >= 0 && <span ref={mark} />}
        {text(Math.max(0, failure), lines.length)}
      </pre>
    </section>
  );
}
