// The execution, time downward and a lane for each thread. Only the lines in sight are in the document.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Edges } from "./edges";
import { type EdgeKind, type Filter, type Line, type Model, type Row, isAccess, isCited, isCritical, isNeeded, isStale, nameOf, tagOf } from "./model";
import { Overview } from "./overview";
import { hasWords, rowHeight } from "./zoom";

const OVERSCAN = 10;
const NUMBER = 62;
const PLACE = 190;
const NARROWEST_LANE = 150;
const INSET = 14;
const HEAD = 32; // of the names of threads
// What needs no overview: so few rows, or so few lines of not too many rows.
const FEW_ROWS = 40;
const FEW_LINES = 20;
const MANY_ROWS = 300;
const LEAST_SEEN = 110;
const OPENS_AT = 0.6; // of the height: what came before is what one wants to see

interface Props {
  model: Model;
  lines: Line[];
  lineOf: Int32Array;
  filter: Filter;
  zoom: number;
  selected: number;
  asked: number; // changes whenever one asks for the selected row, which may be the one that was selected
  matches: ReadonlySet<number>;
  shownEdges: ReadonlySet<EdgeKind>;
  onSelect: (row: number) => void;
  onOpen: (line: number) => void;
}

// Where things are. Where lanes would be too narrow for words, they are columns of dots, and words stand beside them.
interface Layout {
  compact: boolean;
  number: number;
  place: number; // width of the last column; 0: there is none
  laneWidth: number;
  words: number; // left edge, of compact ones
  width: number;
}

function layoutOf(width: number, lanes: number, hasText: boolean): Layout {
  if (!hasText) return { compact: false, number: 12, place: 0, laneWidth: Math.max(6, (width - 24) / lanes), words: 0, width };
  const room = width - NUMBER - PLACE;
  if (room >= lanes * NARROWEST_LANE) return { compact: false, number: NUMBER, place: PLACE, laneWidth: room / lanes, words: 0, width };
  const place = width > 640 ? PLACE : 0;
  const number = width > 640 ? NUMBER : 48;
  const laneWidth = Math.max(10, Math.min(24, (width * 0.4) / lanes));
  const words = number + lanes * laneWidth + 6;
  return { compact: true, number, place, laneWidth, words, width: Math.max(width, words + 240 + place) };
}

function classesOf(row: Row, selected: boolean, match: boolean): string {
  const classes = ["row"];
  if (selected) classes.push("selected");
  if (match) classes.push("match");
  if (isStale(row)) classes.push("stale");
  if (isCited(row)) classes.push("cited");
  if (isAccess(row)) classes.push("access");
  if (isCritical(row)) classes.push("critical");
  return classes.join(" ");
}

// The line is what one looks for: where there is too little room, the file's name gives way.
function Place({ text, left, width }: { text: string; left: number; width: number }) {
  const [, file, line] = /^(.*?)(:\d+)?$/.exec(text) ?? [];
  return (
    <span role="gridcell" class="place" title={text} aria-label={text} style={{ left: `${left}px`, width: `${width - 8}px` }}>
      <span class="file">{file}</span>
      {line}
    </span>
  );
}

// How much of its lines one sees: what is below the edge of the window is not in sight. Where hardly anything is, one
// has to scroll the page first, and then sees all.
function seenOf(element: HTMLElement): number {
  const view = element.clientHeight - HEAD;
  const inWindow = innerHeight - element.getBoundingClientRect().top - HEAD;
  return inWindow < LEAST_SEEN ? view : Math.min(view, inWindow);
}

export function Timeline({ model, lines, lineOf, filter, zoom, selected, asked, matches, shownEdges, onSelect, onOpen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [size, setSize] = useState({ width: 0, height: 600, seen: 600 });
  const height = rowHeight(zoom);

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight, seen: seenOf(element) });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // The selected line is in sight. It stays where it is when lines are folded or opened, and the middle stays the
  // middle when lines get another height.
  const before = useRef<{ height: number; lineOf: Int32Array | null; seen: number; selected: number; asked: number; isLow: boolean }>({ height, lineOf: null, seen: 0, selected, asked, isLow: false });
  const isMeasured = size.width > 0;
  useLayoutEffect(() => {
    if (!isMeasured) return;
    const element = box.current!;
    const y = (lineOf[selected] ?? 0) * height;
    const was = before.current;
    const seen = seenOf(element);
    const wasY = was.lineOf ? (was.lineOf[selected] ?? 0) * was.height - element.scrollTop : -1;
    const wasInSight = wasY >= 0 && wasY <= was.seen - was.height;
    if (was.height !== height) {
      const middle = wasInSight ? y : ((element.scrollTop + seen / 2) / was.height) * height;
      element.scrollTop = middle - seen / 2;
    } else if (was.lineOf !== lineOf) {
      element.scrollTop = wasInSight ? y - wasY : y - seen * OPENS_AT;
    } else if (was.selected === selected && was.asked === asked && !wasInSight && !was.isLow) {
      before.current = { ...was, seen };
      return; // only the window has changed, and one looks at something else
    } else if (y < element.scrollTop + height) {
      element.scrollTop = Math.max(0, y - height * 3);
    } else if (y > element.scrollTop + seen - height * 2) {
      element.scrollTop = y - seen + height * 3;
    }
    // Too low still: there was no room to scroll yet, and there will be once the box is measured again.
    const isLow = y - element.scrollTop > seen - height;
    before.current = { height, lineOf, seen, selected, asked, isLow };
    setTop(element.scrollTop);
  }, [selected, asked, lineOf, height, isMeasured, size.seen]);

  const threads = model.bug.threads;
  const words = hasWords(zoom);
  const layout = useMemo(() => layoutOf(size.width, threads.length, words), [size.width, threads.length, words]);
  const laneLeft = (lane: number) => layout.number + lane * layout.laneWidth;
  const laneX = (lane: number) => laneLeft(lane) + (layout.compact ? layout.laneWidth / 2 : INSET);
  const placeLeft = layout.compact ? layout.width - layout.place : laneLeft(threads.length);

  const first = Math.max(0, Math.floor(top / height) - OVERSCAN);
  const last = Math.min(lines.length, Math.ceil((top + size.height) / height) + OVERSCAN);
  const inSight = lines.slice(first, last);
  // The last lines, too, can be where one sees them.
  const below = lines.length * height > size.seen ? size.height - HEAD - LEAST_SEEN : 12;
  const foldTexts = useMemo(() => new Map<number, string>(), [lines]);
  const foldText = (line: number) => {
    let text = foldTexts.get(line);
    if (text === undefined) foldTexts.set(line, (text = model.countText(model.foldedRows(lines, line, filter))));
    return text;
  };

  const operation = (row: Row) => {
    const left = layout.compact ? layout.words : laneX(row.lane) + 12;
    const lastLane = row.lane === threads.length - 1;
    const room = layout.compact ? placeLeft - layout.words - 4 : layout.laneWidth - INSET - 16 + (lastLane ? 0 : layout.laneWidth * 0.4);
    const switched = model.rows[row.index - 1]?.thread !== row.thread;
    return (
      <span role="gridcell" class="operation" style={{ left: `${left}px`, maxWidth: `${room}px` }} title={row.remark ? `${row.text}  ${row.remark}` : row.text}>
        {isNeeded(row) ? <b class="needed" title="Without this the bug goes away">◆</b> : switched && <b class="switch" aria-hidden="true">▸</b>}
        {layout.compact && <span class={`lane-name lane-${row.thread % 8}`} aria-hidden="true">{tagOf(row)}</span>}
        {isStale(row) && <em class="badge">stale</em>}
        {row.text}
        {row.remark && <em class="remark">{row.remark}</em>}
      </span>
    );
  };

  return (
    <div class="execution-view">
      {model.rows.length > FEW_ROWS && (lines.length > FEW_LINES || model.rows.length > MANY_ROWS) && size.width > 0 && (
        <Overview model={model} lines={lines} lineOf={lineOf} zoom={zoom} width={size.width} selected={selected} onSelect={onSelect}
          first={Math.floor(top / height)} last={Math.min(lines.length, Math.ceil((top + size.height - HEAD) / height))}
          onScroll={(line) => (box.current!.scrollTop = line * height - (size.height - HEAD) / 2)} />
      )}
      <div class={`timeline ${layout.compact ? "compact" : ""} ${words ? "" : "dots"} ${height < 26 ? "small" : ""}`} role="grid" aria-label="Timeline" aria-rowcount={lines.length + 1} aria-colcount={4}
        aria-activedescendant={`line-${lineOf[selected] ?? 0}`} ref={box} tabIndex={0} onScroll={(event) => setTop((event.currentTarget as HTMLDivElement).scrollTop)}>
        <div class="lanes" role="row" aria-rowindex={1} style={{ width: `${layout.width}px` }}>
          {["event", "thread", "operation"].map((name) => <span key={name} role="columnheader" class="unseen">{name}</span>)}
          {threads.map((thread, lane) => (
            <div key={thread.id} class={`lane-title lane-${thread.id % 8}`} title={thread.title} aria-hidden="true"
              style={{ left: `${laneLeft(lane)}px`, width: `${layout.laneWidth}px` }}>
              {layout.laneWidth < 22 ? "" : layout.laneWidth < NARROWEST_LANE ? `T${thread.id}` : thread.title}
            </div>
          ))}
          <div role="columnheader" class={layout.place > 0 ? "lane-title where-title" : "unseen"} style={{ left: `${placeLeft}px`, width: `${layout.place}px` }}>where</div>
        </div>
        <div class="canvas" role="rowgroup" style={{ height: `${lines.length * height + below}px`, width: `${layout.width}px` }}>
          {threads.map((thread, lane) => (
            <div key={thread.id} class="lane" aria-hidden="true" style={{ left: `${laneX(lane)}px` }} />
          ))}
          <Edges model={model} shown={shownEdges} selected={selected} lineOf={lineOf} first={first} last={last} rowHeight={height} laneX={laneX}
            rowsInSight={inSight.filter((line) => line.count === 0).map((line) => line.row)} />
          {inSight.map((line, i) => {
            const at = first + i;
            const style = { transform: `translateY(${at * height}px)`, height: `${height}px`, lineHeight: `${height}px` };
            const row = model.rows[line.row]!;
            const chosen = lineOf[selected] === at;
            if (line.count > 0) {
              return (
                <div key={`fold${line.row}`} id={`line-${at}`} role="row" aria-rowindex={at + 2} aria-selected={chosen} class={`fold ${chosen ? "selected" : ""}`}
                  data-row={line.row} onClick={() => onOpen(at)} style={{ ...style, paddingLeft: `${layout.number + 4}px` }}>
                  {words && <span role="gridcell" aria-colspan={4}>⋯ {foldText(at)}</span>}
                </div>
              );
            }
            return (
              <div key={row.index} id={`line-${at}`} role="row" aria-rowindex={at + 2} aria-selected={chosen} data-row={row.index}
                aria-label={words ? undefined : `${nameOf(row)} ${tagOf(row)} ${row.text}`} title={words ? undefined : `${nameOf(row)} ${tagOf(row)} ${row.text}`}
                class={classesOf(row, chosen, matches.has(row.index))} style={style} onClick={() => onSelect(row.index)}>
                {words && (
                  <span role="rowheader" class="number" style={{ width: `${layout.number - 6}px` }} title={line.gap > 0 ? `${line.gap} events before this one were not kept` : undefined}>
                    {line.gap > 0 && "⋮ "}
                    {row.id >= 0 ? nameOf(row) : <><span aria-hidden="true">{isCited(row) ? "!" : ""}</span><span class="unseen">access</span></>}
                  </span>
                )}
                <span class={`dot lane-${row.thread % 8}`} aria-hidden="true" style={{ left: `${laneX(row.lane)}px` }} />
                {words && <span role="gridcell" class="unseen">{tagOf(row)}</span>}
                {words && operation(row)}
                {words && layout.place > 0 && <Place text={row.place} left={placeLeft} width={layout.place} />}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
