// The top of the page: which bug it is, in plain words, and the places that one has to look at.
import { Cards } from "./cards";
import { Command } from "./copy";
import type { Bug, Card } from "./data";
import type { Model } from "./model";
import { Output } from "./output";
import { frameOf } from "./source";

// "mp.cpp:13 ↔ 18" for two lines of one file, else all of them.
function placesText(bug: Bug, cards: Card[]): string {
  const places = cards.map((card) => (frameOf(bug, card.stack)?.[1] ?? "").replace(/^.*\//, "")).filter(Boolean);
  const split = [...new Set(places.map((place) => place.replace(/^(.*?:\d+):\d+$/, "$1")))].map((place) => /^(.*?):(\d+)$/.exec(place));
  const between = bug.kind === "data race" ? " ↔ " : ", ";
  const files = new Set(split.map((found) => found?.[1]));
  if (split.length > 0 && split.every(Boolean) && files.size === 1)
    return `${[...files][0]}:${split.map((found) => Number(found![2])).sort((a, b) => a - b).join(between)}`;
  return [...new Set(places)].join(between);
}

// The summary without the kind, which stands before it, and without what the words say once more.
function restOfSummary(bug: Bug): string {
  const rest = bug.summary.replace(bug.kind, "").replace(/^[:\s]+/, "");
  const colon = rest.indexOf(": ");
  return colon > 0 && bug.words.toLowerCase().includes(rest.slice(colon + 2).toLowerCase()) ? rest.slice(0, colon) : rest;
}

// What the finding says, unless the words have it already.
function Message({ bug }: { bug: Bug }) {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim();
  if (!bug.message || bug.history || plain(bug.words).includes(plain(bug.message))) return null;
  return <pre class="message">{bug.message}</pre>;
}

// Where the output says more than any place does, it comes first.
export const outputFirst = (bug: Bug) => bug.kind === "non-zero exit status" || bug.kind === "test failure" || !bug.cards.some((card) => card.main);

export function Head({ model, onSelect }: { model: Model; onSelect: (row: number) => void }) {
  const { bug } = model;
  const places = placesText(bug, bug.cards.filter((card) => card.finding));
  return (
    <header class="head">
      <h1>
        <span class={`kind ${bug.severity}`}>{bug.kind}</span> {places || restOfSummary(bug)}
      </h1>
      <p class="words">{bug.words}</p>
      <Message bug={bug} />
      {outputFirst(bug) && <Output bug={bug} />}
      <Cards model={model} onSelect={onSelect} />
      {(bug.reproduce || (!bug.explanation && bug.explain)) && (
        <div class="commands">
          {bug.reproduce && <p class="reproduce"><span class="label">Replay</span> <Command text={bug.reproduce} /></p>}
          {!bug.explanation && bug.explain && (
            <p class="why-command"><span class="label">Why?</span> <Command text={bug.explain} /> <span class="quiet">shows an execution that passes, and what to change</span></p>
          )}
        </div>
      )}
    </header>
  );
}
