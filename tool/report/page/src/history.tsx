// A history that no sequential order explains: one lane for each thread, operations as bars from call to return.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ObjectHistory } from "./data";

const ROW = 38;
const BAR = 26;
const LEFT = 84;
const TOP = 8;
const CHARACTER = 7.3; // of .history text: 12px
const PADDING = 14;
const GAP = 8;
const LONG = 600; // a bar that begins out of sight says at its end, too, what it is

// Where each event is drawn: far enough from those before it for every bar to hold its text.
function columns(history: ObjectHistory): Map<number, number> {
  const events = [...new Set(history.operations.flatMap((operation) => [operation.call, operation.end]))].sort((a, b) => a - b);
  const ending = new Map<number, ObjectHistory["operations"]>();
  for (const operation of history.operations) ending.set(operation.end, [...(ending.get(operation.end) ?? []), operation]);
  const at = new Map<number, number>();
  let next = 0;
  for (const event of events) {
    const needed = (ending.get(event) ?? []).map((operation) => (at.get(operation.call) ?? next) + CHARACTER * [...operation.text].length + PADDING);
    const x = Math.max(next, ...needed);
    at.set(event, x);
    next = x + GAP;
  }
  return at;
}

const laneName = (thread: number) => (thread === 0 ? "main" : `thread ${thread}`);

export function History({ history }: { history: ObjectHistory }) {
  const box = useRef<HTMLDivElement>(null);
  const at = columns(history);
  const threads = [...new Set(history.operations.map((operation) => operation.thread))].sort((a, b) => a - b);
  const top = (thread: number) => TOP + ROW * threads.indexOf(thread);
  const x = (event: number) => at.get(event) ?? 0;
  const width = Math.max(...at.values(), 0) + 14;
  const height = TOP + ROW * threads.length;
  const violating = history.operations.find((operation) => operation.mark === "violating");

  // What cannot be placed comes last, and is what one looks for first.
  useLayoutEffect(() => {
    if (box.current && violating) box.current.scrollLeft = x(violating.end) + LEFT - box.current.clientWidth + 24;
  }, [history]);

  return (
    <section class="history" aria-label="History">
      <h2>History of {history.object}</h2>
      <div class="history-box">
        <svg class="history-names" width={LEFT} height={height} aria-hidden="true">
          {threads.map((thread) => <text key={thread} x={6} y={top(thread) + 17}>{laneName(thread)}</text>)}
        </svg>
        <div class="history-scroll" ref={box} tabIndex={0} role="group" aria-label="Operations over time">
          <svg width={width} height={height} role="img" aria-label={`${history.operations.length} operations of ${threads.length} threads`}>
            {threads.map((thread) => <line key={thread} x1={0} x2={width} y1={top(thread) + BAR / 2} y2={top(thread) + BAR / 2} />)}
            {history.operations.map((operation, i) => (
              <g key={i} class={`operation-${operation.mark}`}>
                <title>{`${operation.text}, ${laneName(operation.thread)}${operation.pending ? ", pending" : ""}`}</title>
                <rect x={x(operation.call)} y={top(operation.thread)} width={Math.max(x(operation.end) - x(operation.call), 6)} height={BAR} rx={5}
                  class={operation.pending ? "pending" : ""} />
                <text x={x(operation.call) + 7} y={top(operation.thread) + 17}>{operation.text}</text>
                {x(operation.end) - x(operation.call) > LONG && (
                  <text class="again" x={x(operation.end) - 7} y={top(operation.thread) + 17} aria-hidden="true">{operation.text}</text>
                )}
              </g>
            ))}
          </svg>
        </div>
      </div>
      <p class="quiet history-key">
        <span class="key violating" /> has no place in any order
        {history.operations.some((operation) => operation.mark === "involved") && <><span class="key involved" /> with these</>}
        {history.operations.some((operation) => operation.pending) && <><span class="key pending" /> had not returned</>}
      </p>
    </section>
  );
}
