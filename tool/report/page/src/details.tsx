// Everything about one event: its source, what it could have read, what it is related to, its stack.
import { useEffect, useState } from "preact/hooks";
import { AFTER, BEFORE, INITIAL } from "./data";
import { type Model, type Row, isNeeded, isStale, nameOf, tagOf } from "./model";
import { Source, Where, shortPlace } from "./source";

const AROUND = 6;
const MOST_LINKS = 12;
const MOST_VALUES = 24;

interface Props {
  model: Model;
  row: Row;
  onSelect: (row: number) => void;
}

function Link({ row, onSelect }: { row: Row; onSelect: (row: number) => void }) {
  return (
    <button type="button" class="link" onClick={() => onSelect(row.index)}>
      <span class={`tag lane-${row.thread % 8}`}>{tagOf(row)}</span> {nameOf(row)} {row.text}
    </button>
  );
}

function Values({ model, row, onSelect }: Props) {
  if (row.candidates === 0) return null;
  const stores = model.readable.get(row.index) ?? [];
  const read = (row.flags & INITIAL) !== 0 ? -1 : row.readsFrom;
  const list = stores.includes(read) ? stores : [...stores, read];
  const newest = Math.max(...list.map((store) => model.row(store)?.order ?? 0));
  // The engine may have offered fewer than the model allows, so that waiting loops come to an end.
  const count = Math.max(row.candidates, list.length);
  const missing = count - list.length;
  const shown = list.filter((store, i) => store === read || i >= list.length - MOST_VALUES);
  return (
    <section class="values">
      <h3>{count === 1 ? "The value that it had to read" : `It could have read ${count} values`}</h3>
      <ul>
        {shown.map((store) => {
          const from = model.row(store);
          const order = from?.order ?? 0;
          return (
            <li key={store} class={store === read ? "picked" : ""}>
              <span class="pick">{store === read ? "read ▸" : ""}</span>
              {from ? <Link row={from} onSelect={onSelect} /> : <span>{row.readsFrom < 0 && store === read && (row.flags & INITIAL) === 0 ? "a store that was not kept" : "the initial value"}</span>}
              {order > 0 && order === newest && list.length > 1 && <em class="remark">newest</em>}
            </li>
          );
        })}
      </ul>
      {shown.length < list.length && <p class="quiet">and {list.length - shown.length} older ones</p>}
      {missing > 0 && <p class="quiet">{missing} more that cannot be told from the events that were kept.</p>}
    </section>
  );
}

// What a read missed, and why it may. Time and modification order are told apart where they differ.
function Missed({ model, row, onSelect }: Props) {
  const missed = model.missed.get(row.index);
  const store = missed && model.row(missed.store);
  if (!store) return isStale(row) ? <p class="explain"><em class="badge">stale</em> A newer value had been stored.</p> : null;
  const badge = isStale(row) && <em class="badge">stale</em>;
  const link = <Link row={store} onSelect={onSelect} />;
  if (missed.how === BEFORE)
    return <p class="explain">{badge} Read {row.remark}: {link} was executed later than the store that was read, but lies before it in modification order. Nothing orders the two stores, so either order is allowed.</p>;
  if (missed.how === AFTER)
    return <p class="explain">{badge} Read {row.remark}: {link} was executed earlier than the store that was read, but lies after it in modification order. Nothing orders the two stores, so either order is allowed.</p>;
  return <p class="explain">{badge} This read missed {link}. Nothing orders that store before the read, so the memory model allows the old value.</p>;
}

function Related({ model, row, onSelect }: Props) {
  const edges = model.edgesAt(row.index);
  if (edges.length === 0) return null;
  const phrase = (kind: string, out: boolean) =>
    kind === "rf" ? (out ? "read by" : "reads from")
    : kind === "sw" ? (out ? "synchronises with" : "ordered after")
    : kind === "mo" ? (out ? "overwritten by" : "overwrites")
    : kind === "life" ? (out ? "before" : "after")
    : model.bug.kind === "data race" ? "races with" : "cited with";
  return (
    <section class="related">
      <h3>Related events</h3>
      <ul>
        {edges.slice(0, MOST_LINKS).map((edge) => {
          const out = edge.from === row.index;
          const other = model.row(out ? edge.to : edge.from)!;
          return (
            <li key={`${edge.kind}${edge.from}-${edge.to}`}>
              <span class={`edge-name ${edge.kind}`} title={model.edgeName(edge.kind)}>{phrase(edge.kind, out)}</span> <Link row={other} onSelect={onSelect} />
            </li>
          );
        })}
      </ul>
      {edges.length > MOST_LINKS && <p class="quiet">and {edges.length - MOST_LINKS} more</p>}
    </section>
  );
}

// Of a line that stands for several events.
export function FoldDetails({ text, onOpen }: { text: string; onOpen: () => void }) {
  return (
    <aside class="details" aria-label="Folded events">
      <h2>{text}</h2>
      <p class="where">They are folded, because none of them is critical.</p>
      <p><button type="button" class="open-fold" onClick={onOpen}>Show them (Enter)</button></p>
    </aside>
  );
}

export function Details({ model, row, onSelect }: Props) {
  const { bug } = model;
  const stack = bug.stacks[row.stack];
  const [chosen, setChosen] = useState(-1);
  useEffect(() => setChosen(-1), [row.index]);
  const at = chosen >= 0 ? chosen : (stack?.at ?? 0);
  const frame = stack && bug.frames[stack.frames[at] ?? -1];
  return (
    <aside class="details" aria-label="Event">
      <h2>
        <span class={`tag lane-${row.thread % 8}`}>{tagOf(row)}</span> {nameOf(row)} <span class="event-text">{row.text}</span>
      </h2>
      <p class="where">
        {row.kind}
        {row.remark && <>, {row.remark}</>}
      </p>
      {isNeeded(row) && <p class="explain"><b class="needed">◆</b> Without this {isStale(row) ? "old value" : "switch of threads"} the bug goes away: that was tried.</p>}
      {frame ? (
        <>
          <Where frame={frame} />
          <Source bug={bug} frame={frame} around={AROUND} />
        </>
      ) : (
        <p class="quiet">Nothing is known about its place.</p>
      )}
      <Missed model={model} row={row} onSelect={onSelect} />
      <Values model={model} row={row} onSelect={onSelect} />
      <Related model={model} row={row} onSelect={onSelect} />
      {stack && (
        <section class="stack">
          <h3>Stack</h3>
          <ol start={0}>
            {stack.frames.map((number, i) => {
              const [fn, place, module, , , , own] = bug.frames[number]!;
              return (
                <li key={i} class={own ? "own" : ""}>
                  <button type="button" class={`link ${i === at ? "chosen" : ""}`} onClick={() => setChosen(i)}>
                    {fn || module || "?"} <span class="place" title={place}>{shortPlace(place) || module}</span>
                  </button>
                </li>
              );
            })}
          </ol>
        </section>
      )}
    </aside>
  );
}
