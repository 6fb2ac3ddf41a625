// The execution, time downward and a lane for each thread. Only the lines in sight are in the document.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Edges, ROW_HEIGHT } from "./edges";
import { type EdgeKind, type Line, type Model, type Row, isAccess, isCited, isCritical, isNeeded, isStale, nameOf } from "./model";

const OVERSCAN = 10;
const NUMBER_WIDTH = 62;
const PLACE_WIDTH = 190;
const NARROWEST_LANE = 170;
const LANE_INSET = 14;

interface Props {
  model: Model;
  lines: Line[];
  selected: number;
  matches: ReadonlySet<number>;
  shownEdges: ReadonlySet<EdgeKind>;
  onSelect: (row: number) => void;
  onOpen: (row: number) => void;
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
function Place({ text, left }: { text: string; left: number }) {
  const [, file, line] = /^(.*?)(:\d+)?$/.exec(text) ?? [];
  return (
    <span class="place" title={text} style={{ left: `${left}px` }}>
      <span class="file">{file}</span>
      {line}
    </span>
  );
}

export function Timeline({ model, lines, selected, matches, shownEdges, onSelect, onOpen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [size, setSize] = useState({ width: 900, height: 600 });

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const lineOf = useMemo(() => {
    const result = new Int32Array(model.rows.length);
    lines.forEach((line, i) => result.fill(i, line.row, line.row + Math.max(line.count, 1)));
    return result;
  }, [model, lines]);

  // The selected line stays in sight.
  useEffect(() => {
    const element = box.current!;
    const y = (lineOf[selected] ?? 0) * ROW_HEIGHT;
    if (y < element.scrollTop + ROW_HEIGHT) element.scrollTop = Math.max(0, y - ROW_HEIGHT * 3);
    else if (y > element.scrollTop + element.clientHeight - ROW_HEIGHT * 4)
      element.scrollTop = y - element.clientHeight + ROW_HEIGHT * 5;
  }, [selected, lineOf]);

  const lanes = model.bug.threads.length;
  const laneWidth = Math.max(NARROWEST_LANE, (size.width - NUMBER_WIDTH - PLACE_WIDTH) / lanes);
  const width = NUMBER_WIDTH + laneWidth * lanes + PLACE_WIDTH;
  const laneLeft = (lane: number) => NUMBER_WIDTH + lane * laneWidth;
  const laneX = (lane: number) => laneLeft(lane) + LANE_INSET;

  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - OVERSCAN);
  const last = Math.min(lines.length, Math.ceil((top + size.height) / ROW_HEIGHT) + OVERSCAN);
  const inSight = lines.slice(first, last);

  return (
    <div class="timeline" role="grid" aria-rowcount={lines.length} ref={box} tabIndex={0} aria-label="Timeline"
      onScroll={(event) => setTop((event.currentTarget as HTMLDivElement).scrollTop)}>
      <div class="lanes" style={{ width: `${width}px` }}>
        {model.bug.threads.map((thread, lane) => (
          <div key={thread.id} class={`lane-title lane-${thread.id % 8}`} title={thread.title}
            style={{ left: `${laneLeft(lane)}px`, width: `${laneWidth}px` }}>
            {thread.title}
          </div>
        ))}
        <div class="lane-title" style={{ left: `${laneLeft(lanes)}px`, width: `${PLACE_WIDTH}px` }}>where</div>
      </div>
      <div class="canvas" style={{ height: `${lines.length * ROW_HEIGHT + 12}px`, width: `${width}px` }}>
        {model.bug.threads.map((thread, lane) => (
          <div key={thread.id} class={`lane lane-${thread.id % 8}`} style={{ left: `${laneX(lane)}px` }} />
        ))}
        <Edges model={model} shown={shownEdges} selected={selected} lineOf={lineOf} first={first} last={last}
          rowsInSight={inSight.filter((line) => line.count === 0).map((line) => line.row)} laneX={laneX} />
        {inSight.map((line, i) => {
          const y = (first + i) * ROW_HEIGHT;
          const row = model.rows[line.row]!;
          if (line.count > 0) {
            return (
              <button type="button" key={`fold${line.row}`} class="fold" data-row={line.row} onClick={() => onOpen(line.row)}
                style={{ transform: `translateY(${y}px)`, paddingLeft: `${NUMBER_WIDTH + 4}px` }}>
                ⋯ {model.foldText(line)}
              </button>
            );
          }
          const before = model.rows[line.row - 1];
          const switched = !before || before.thread !== row.thread;
          return (
            <div key={row.index} role="row" aria-selected={row.index === selected} data-row={row.index}
              class={classesOf(row, row.index === selected, matches.has(row.index))}
              style={{ transform: `translateY(${y}px)` }} onClick={() => onSelect(row.index)}>
              <span class="number" title={line.gap > 0 ? `${line.gap} events before this one were not kept` : undefined}>
                {line.gap > 0 && "⋮ "}
                {row.id >= 0 ? nameOf(row) : "!"}
              </span>
              <span class={`dot lane-${row.thread % 8}`} style={{ left: `${laneX(row.lane)}px` }} />
              <span class="operation" style={{ left: `${laneX(row.lane) + 12}px`, maxWidth: `${laneWidth - LANE_INSET - 16 + (row.lane === lanes - 1 ? 0 : laneWidth * 0.4)}px` }}
                title={row.remark ? `${row.text} (${row.remark})` : row.text}>
                {isNeeded(row) ? <b class="needed" title="Without this the bug goes away">◆</b> : switched && <b class="switch">▸</b>}
                {isStale(row) && <em class="badge">stale</em>}
                {row.text}
                {!isStale(row) && row.remark && <em class="remark">{row.remark}</em>}
              </span>
              <Place text={row.place} left={laneLeft(lanes)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
