// Lines of source around a place, the line itself marked, and a caret below the column.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Bug, Frame } from "./data";

interface Props {
  bug: Bug;
  frame: Frame;
  around: number;
}

const LONG = 36;

// "…/reports/hazard.cpp:18:11" of a long path.
export function shortPlace(place: string): string {
  if (place.length <= LONG) return place;
  const parts = place.split("/");
  const end = parts.slice(-2).join("/");
  return parts.length > 2 ? `…/${end.length <= LONG ? end : parts[parts.length - 1]}` : place;
}

export function Where({ frame }: { frame: Frame }) {
  const [fn, place] = frame;
  return (
    <p class="where">
      {place && <b title={place}>{shortPlace(place)}</b>}
      {fn && <span class="cut" title={fn}> in {fn}</span>}
    </p>
  );
}

export function Source({ bug, frame, around }: Props) {
  const box = useRef<HTMLPreElement>(null);
  const caretMark = useRef<HTMLElement>(null);
  const [scrolls, setScrolls] = useState(false);
  const [, place, , fileNumber, line, caret] = frame;
  // The column is what one looks for, also in a long line.
  useLayoutEffect(() => {
    const element = box.current;
    const mark = caretMark.current;
    if (!element) return;
    setScrolls(element.scrollWidth > element.clientWidth);
    element.scrollLeft = mark && mark.offsetLeft > element.clientWidth - 16 ? mark.offsetLeft - element.clientWidth / 2 : 0;
  }, [frame, around]);

  const file = bug.files[fileNumber];
  const lines = file?.lines.filter(([n]) => Math.abs(n - line) <= around) ?? [];
  if (!file || lines.length === 0) {
    return <p class="quiet">{place ? "The artifact has no source of it." : "No source is known."}</p>;
  }
  const indents = lines.filter(([, text]) => text.trim()).map(([, text]) => text.length - text.trimStart().length);
  const indent = indents.length > 0 ? Math.min(...indents) : 0;
  return (
    <pre class="source" ref={box} data-file={file.path} tabIndex={scrolls ? 0 : undefined} aria-label={scrolls ? `Source, ${place}` : undefined}>
      <div class="lines">{lines.map(([n, text]) => (
        <>
          <div key={n} class={n === line ? "line marked" : "line"}>
            <span class="line-number">{n}</span>
            <code>{text.slice(indent) || " "}</code>
          </div>
          {n === line && caret >= 0 && (
            <div key="caret" class="line caret" aria-hidden="true">
              <span class="line-number" />
              <code><span class="ghost">{[...text].slice(0, caret).join("").slice(indent)}</span><b ref={caretMark}>^</b></code>
            </div>
          )}
        </>
      ))}</div>
    </pre>
  );
}

export function frameOf(bug: Bug, stack: number): Frame | undefined {
  const known = bug.stacks[stack];
  return known && bug.frames[known.frames[known.at] ?? -1];
}
