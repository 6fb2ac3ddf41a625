// The places that one has to look at, each with its source; a click goes to its event.
import { useState } from "preact/hooks";
import { BEFORE, type Bug, type Card, NEWER } from "./data";
import { type Model, type Row, grouped, isCritical, isStale } from "./model";
import { Source, Where, frameOf } from "./source";

const MOST_CARDS = 8;
const MOST_MINOR = 6;

interface Props {
  model: Model;
  onSelect: (row: number) => void;
}

// One that the page adds: a read of an old value, or the store that it missed.
interface AddedCard extends Card {
  note?: string;
}
const isAdded = (card: AddedCard) => card.note !== undefined;

function Title({ card }: { card: Card }) {
  return (
    <>
      {card.thread >= 0 && <span class={`tag lane-${card.thread % 8}`}>{`T${card.thread}`}</span>} <span class="role">{card.role}</span>
      {card.object && <code class="cut" title={card.object}>{card.object}</code>}
    </>
  );
}

function BigCard({ bug, card, around, onSelect }: { bug: Bug; card: AddedCard; around: number; onSelect: (row: number) => void }) {
  const frame = frameOf(bug, card.stack)!;
  const go = () => card.row >= 0 && onSelect(card.row);
  // A click beside the button does the same, unless one selects text.
  const click = (event: MouseEvent) => {
    if (!(event.target as HTMLElement).closest("button") && !String(getSelection())) go();
  };
  return (
    <section class={`card ${isAdded(card) ? "stale-card" : ""} ${card.row >= 0 ? "goes" : ""}`} onClick={click}>
      <h3>
        {card.row >= 0 ? <button type="button" class="link" onClick={go} title="Show it in the timeline"><Title card={card} /></button> : <Title card={card} />}
      </h3>
      <Where frame={frame} />
      {card.note && <p class="note">{card.note}</p>}
      <Source bug={bug} frame={frame} around={around} />
    </section>
  );
}

function SmallCard({ bug, card, onSelect }: { bug: Bug; card: Card; onSelect: (row: number) => void }) {
  const frame = frameOf(bug, card.stack)!;
  const source = bug.files[frame[3]]?.lines.find(([n]) => n === frame[4])?.[1].trim();
  const title = [frame[1], source].filter(Boolean).join("\n");
  const text = <><Title card={card} /> <span class="place">{(frame[1] || frame[0]).replace(/^.*\//, "")}</span></>;
  return <li title={title}>{card.row >= 0 ? <button type="button" class="link" onClick={() => onSelect(card.row)}>{text}</button> : <span class="link">{text}</span>}</li>;
}

// A failure that no access explains by itself: the last old value that was read, and the store that was not seen.
export function staleCards(model: Model): AddedCard[] {
  if (model.bug.cards.some((card) => card.main && /read|write|use/.test(card.role))) return [];
  const reads = [...model.missed.keys()].filter((row) => isStale(model.rows[row]!) && isCritical(model.rows[row]!));
  const read = model.row(reads.sort((a, b) => a - b).pop() ?? -1);
  const missed = read && model.missed.get(read.index);
  const store = missed && model.row(missed.store);
  if (!read || !store) return [];
  const cardOf = (row: Row, role: string, note: string): AddedCard => ({ role, object: row.text, thread: row.thread, stack: row.stack, row: row.index, main: true, note });
  return missed.how === NEWER
    ? [cardOf(store, "missed store", ""), cardOf(read, "old value read", read.remark)]
    : [cardOf(store, missed.how === BEFORE ? "executed later, ordered before" : "executed earlier, ordered after", ""), cardOf(read, "read", read.remark)];
}

export function Cards({ model, onSelect }: Props) {
  const { bug } = model;
  const [all, setAll] = useState(false);
  const known = bug.cards.filter((card) => frameOf(bug, card.stack));
  // In the order of time, as the words have it; those without an event at the end.
  const time = (card: Card) => (card.row < 0 ? Infinity : card.row);
  const main = [...staleCards(model).filter((card) => frameOf(bug, card.stack)), ...known.filter((card) => card.main)];
  main.sort((a, b) => (time(a) === time(b) ? 0 : time(a) - time(b)));
  const minor = known.filter((card) => !card.main);
  const shown = all ? main : main.slice(0, MOST_CARDS);
  const shownMinor = all ? minor : minor.slice(0, MOST_MINOR);
  const left = main.length - shown.length + minor.length - shownMinor.length;
  if (known.length === 0 && main.length === 0) return null;
  const more = left > 0 && <button type="button" class="link more-cards" onClick={() => setAll(true)}>Show {grouped(left)} more {left === 1 ? "place" : "places"}</button>;
  const around = main.length <= 3 ? 2 : main.length <= 4 ? 1 : 0;
  return (
    <>
      <div class={`cards count-${Math.min(shown.length, 5)} ${bug.kind === "data race" ? "racing" : ""}`}>
        {shown.map((card, i) => <BigCard key={i} bug={bug} card={card} around={around} onSelect={onSelect} />)}
      </div>
      {shownMinor.length > 0 && (
        <ul class="minor" aria-label="Also cited">
          <li class="quiet" aria-hidden="true">Also:</li>
          {shownMinor.map((card, i) => <SmallCard key={i} bug={bug} card={card} onSelect={onSelect} />)}
          {more && <li>{more}</li>}
        </ul>
      )}
      {shownMinor.length === 0 && more && <p>{more}</p>}
    </>
  );
}
