// The places that one has to look at, each with its source; a click goes to its event.
import { useState } from "preact/hooks";
import type { Bug, Card, Deed } from "./data";
import { type Model, grouped } from "./model";
import { Source, Where, frameOf } from "./source";

const MOST_CARDS = 8;
const MOST_MINOR = 6;

interface Props {
  model: Model;
  onSelect: (row: number) => void;
}

function DeedTitle({ deed }: { deed: Deed }) {
  return (
    <>
      {deed.thread >= 0 && <span class={`tag lane-${deed.thread % 8}`}>{`T${deed.thread}`}</span>} <span class="role">{deed.words}</span>
      {deed.object && <code class="cut" title={deed.object}>{deed.object}</code>}
    </>
  );
}

function BigCard({ model, card, around, onSelect }: { model: Model; card: Card; around: number; onSelect: (row: number) => void }) {
  const frame = frameOf(model.bug, card.stack)!;
  const first = card.deeds.find((deed) => deed.row >= 0);
  // A click beside the buttons does what the first of them does, unless one selects text.
  const click = (event: MouseEvent) => {
    if (first && !(event.target as HTMLElement).closest("button") && !String(getSelection())) onSelect(first.row);
  };
  // What a read saw instead of what one expects is what one has to know of it.
  const notes = card.deeds.filter((deed) => model.missed.has(deed.row)).map((deed) => model.rows[deed.row]!.remark);
  const isMissed = card.deeds.some((deed) => deed.row >= 0 && model.isMissed(deed.row));
  return (
    <section class={`card ${notes.length > 0 || isMissed ? "stale-card" : ""} ${first ? "goes" : ""}`} onClick={click}>
      <h3>
        {card.deeds.map((deed, i) => (
          <span class="deed" key={i}>
            {deed.row >= 0 ? <button type="button" class="link" onClick={() => onSelect(deed.row)} title="Show it in the timeline"><DeedTitle deed={deed} /></button> : <DeedTitle deed={deed} />}
          </span>
        ))}
      </h3>
      <Where frame={frame} />
      {notes.map((note, i) => <p class="note" key={i}>{note}</p>)}
      <Source bug={model.bug} frame={frame} around={around} />
    </section>
  );
}

function SmallCard({ bug, card, onSelect }: { bug: Bug; card: Card; onSelect: (row: number) => void }) {
  const frame = frameOf(bug, card.stack)!;
  const source = bug.files[frame[3]]?.lines.find(([n]) => n === frame[4])?.[1].trim();
  const title = [frame[1], source].filter(Boolean).join("\n");
  return (
    <li title={title}>
      {card.deeds.map((deed, i) => {
        const last = i === card.deeds.length - 1;
        const text = <><DeedTitle deed={deed} />{last && <> <span class="place">{(frame[1] || frame[0]).replace(/^.*\//, "")}</span></>}</>;
        return deed.row >= 0 ? <button key={i} type="button" class="link" onClick={() => onSelect(deed.row)}>{text}</button> : <span key={i} class="link">{text}</span>;
      })}
    </li>
  );
}

export function Cards({ model, onSelect }: Props) {
  const { bug } = model;
  const [all, setAll] = useState(false);
  const known = bug.cards.filter((card) => frameOf(bug, card.stack));
  // In the order of the terminal's first block.
  const main = known.filter((card) => card.main);
  const minor = known.filter((card) => !card.main);
  const shown = all ? main : main.slice(0, MOST_CARDS);
  const shownMinor = all ? minor : minor.slice(0, MOST_MINOR);
  const left = main.length - shown.length + minor.length - shownMinor.length;
  if (known.length === 0) return null;
  const more = left > 0 && <button type="button" class="link more-cards" onClick={() => setAll(true)}>Show {grouped(left)} more {left === 1 ? "place" : "places"}</button>;
  const around = main.length <= 3 ? 2 : main.length <= 4 ? 1 : 0;
  return (
    <>
      <div class={`cards count-${Math.min(shown.length, 5)} ${bug.kind === "data race" ? "racing" : ""}`}>
        {shown.map((card, i) => <BigCard key={i} model={model} card={card} around={around} onSelect={onSelect} />)}
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
