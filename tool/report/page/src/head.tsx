// The top of the page: which bug it is, in plain words, and the places that one has to look at.
import type { Bug, Part } from "./data";
import { type Model, type Row, isCritical, isStale, tagOf } from "./model";
import { Source, frameOf } from "./source";

interface Props {
  bug: Bug;
  onSelect: (row: number) => void;
}

const AROUND = 3;
const MOST_CARDS = 4;

function Card({ bug, part, onSelect }: Props & { part: Part }) {
  const frame = frameOf(bug, part.stack);
  const title = (
    <>
      <span class={`tag lane-${part.thread % 8}`}>{part.title.split(" ")[0]}</span> {part.title.split(" ").slice(1).join(" ")}
    </>
  );
  return (
    <section class={`card ${part.role === "stale" ? "stale-card" : ""}`}>
      <h3>
        {part.row >= 0 ? (
          <button type="button" class="link" onClick={() => onSelect(part.row)} title="Show it in the timeline">
            {title}
          </button>
        ) : (
          title
        )}
      </h3>
      {frame && (
        <p class="where">
          <b>{frame[1]}</b> {frame[0] && <>in {frame[0]}</>}
        </p>
      )}
      {frame && <Source bug={bug} frame={frame} around={AROUND} />}
    </section>
  );
}

// "mp.cpp:13 ↔ 18" for two lines of one file, else all of them.
function placesText(bug: Bug, parts: Part[]): string {
  const places = parts.map((part) => (frameOf(bug, part.stack)?.[1] ?? "").replace(/^.*\//, "")).filter(Boolean);
  const split = [...new Set(places.map((place) => place.replace(/^(.*?:\d+):\d+$/, "$1")))].map((place) => /^(.*?):(\d+)$/.exec(place));
  const between = bug.kind === "data race" ? " ↔ " : ", ";
  const files = new Set(split.map((found) => found?.[1]));
  if (split.every(Boolean) && files.size === 1) return `${[...files][0]}:${split.map((found) => found![2]).join(between)}`;
  return [...new Set(places)].join(between);
}

// A failure that no access explains by itself: the last old value that was read, and the store that was not seen.
function staleParts(model: Model, cited: Part[]): Part[] {
  if (cited.some((part) => part.role.endsWith("access"))) return [];
  const reads = model.rows.filter((row) => isStale(row) && isCritical(row));
  const read = reads[reads.length - 1];
  if (!read) return [];
  const passed = model.rows.slice(0, read.index).reduce<Row | undefined>(
    (newest, row) => (row.object === read.object && row.order > (newest?.order ?? 0) ? row : newest), undefined);
  const partOf = (row: Row, words: string): Part => ({ role: "stale", thread: row.thread, title: `${tagOf(row)} ${words}`, stack: row.stack, row: row.index });
  return [...(passed ? [partOf(passed, passed.text)] : []), partOf(read, `does not see it: ${read.text}`)];
}

export function Head({ bug, model, onSelect }: Props & { model: Model }) {
  // In the order of time, as the words have it.
  const cited = bug.parts.filter((part) => part.stack >= 0).sort((a, b) => a.row - b.row);
  const cards = [...staleParts(model, cited), ...cited].slice(0, MOST_CARDS);
  const places = placesText(bug, cited);
  return (
    <header class="head">
      <h1>
        <span class={`kind ${bug.severity}`}>{bug.kind}</span> {places || bug.summary.replace(bug.kind, "").replace(/^[:\s]+/, "") || bug.kind}
      </h1>
      <p class="words">{bug.words}</p>
      {bug.reproduce && (
        <p class="reproduce">
          <code>{bug.reproduce}</code>
        </p>
      )}
      <div class={`cards ${bug.kind === "data race" ? "racing" : ""}`}>
        {cards.map((part, i) => (
          <Card key={i} bug={bug} part={part} onSelect={onSelect} />
        ))}
      </div>
      {cited.length > MOST_CARDS && (
        <p class="quiet">and {cited.length - MOST_CARDS} more places, in the text report below</p>
      )}
    </header>
  );
}
