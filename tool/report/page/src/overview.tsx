// The whole execution on one strip: a lane for each thread, as dark as it is busy, with marks for the finding, for
// the switches that the bug needs and for stale reads. The brush is what the timeline below shows; it can be dragged.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Line, type Model, isCited, isCritical, isNeeded, isStale, nameOf } from "./model";
import { stretch } from "./zoom";

const GUTTER = 34;
const RIGHT = 8;
const TOP = 11; // room for the marks
const BIN = 2; // pixels
const NARROWEST_BRUSH = 10;
const HIGHEST = 15; // lanes
const ROOM = 130; // for all lanes
const LABEL = 11; // the lowest lane that has room for its name
const NEAR = 5; // pixels to a mark

interface Props {
  model: Model;
  lines: Line[];
  zoom: number;
  width: number;
  first: number; // lines in sight
  last: number; // one past the last
  selected: number;
  onScroll: (line: number) => void; // to the middle
  onSelect: (row: number) => void;
  lineOf: Int32Array;
}

// For each lane one path of bars, each as high as its share of the busiest place.
function densities(model: Model, begin: number, end: number, width: number, laneHeight: number): string[] {
  const bins = Math.max(1, Math.floor(width / BIN));
  const lanes = model.bug.threads.length;
  const counts = new Uint32Array(lanes * bins);
  for (let i = begin; i < end; ++i) {
    const bin = Math.min(bins - 1, Math.floor(((i - begin) / Math.max(1, end - begin)) * bins));
    counts[model.rows[i]!.lane * bins + bin]! += 1;
  }
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const bar = Math.max(BIN, Math.min(6, width / Math.max(1, end - begin) - 1));
  return model.bug.threads.map((_, lane) => {
    const base = TOP + (lane + 1) * laneHeight - 1;
    let path = "";
    for (let bin = 0; bin < bins; ++bin) {
      const count = counts[lane * bins + bin]!;
      if (count === 0) continue;
      const height = Math.max(2, Math.round((laneHeight - 2) * Math.sqrt(count / most)));
      path += `M${GUTTER + bin * BIN},${base}v${-height}h${bar.toFixed(1)}v${height}z`;
    }
    return path;
  });
}

export function Overview({ model, lines, lineOf, zoom, width, first, last, selected, onScroll, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<number | null>(null); // pixels from the pointer to the middle of the brush
  const all = model.rows.length;
  const length = stretch(all, zoom);
  const plot = Math.max(40, width - GUTTER - RIGHT);
  const lanes = model.bug.threads.length;
  const laneHeight = Math.max(2, Math.min(HIGHEST, ROOM / lanes));
  const height = TOP + lanes * laneHeight + 6;

  const firstRow = lines[first]?.row ?? 0;
  const lastRow = lines[last]?.row ?? all;
  const middle = (firstRow + lastRow) / 2;
  const [begin, setBegin] = useState(0);
  const clamped = (from: number) => Math.round(Math.min(Math.max(0, from), all - length));
  useLayoutEffect(() => setBegin(clamped(middle - length / 2)), [length, all]);
  // The stretch follows the brush, but not while one pulls at it.
  useEffect(() => {
    if (drag === null && (middle < begin || middle > begin + length)) setBegin(clamped(middle - length / 2));
  }, [middle, begin, length, drag]);
  const from = clamped(begin);
  const end = Math.min(all, from + length);

  const x = (row: number) => GUTTER + ((row - from) / Math.max(1, end - from)) * plot;
  const rowAt = (pixels: number) => Math.round(from + ((pixels - GUTTER) / plot) * (end - from));

  const paths = useMemo(() => densities(model, from, end, plot, laneHeight), [model, from, end, plot, laneHeight]);
  const marks = useMemo(() => {
    const inside = model.rows.filter((row) => row.index >= from && row.index < end);
    return { cited: inside.filter(isCited), needed: inside.filter(isNeeded), stale: inside.filter((row) => isStale(row) && isCritical(row)) };
  }, [model, from, end]);
  const laneMiddle = (lane: number) => TOP + (lane + 0.5) * laneHeight;
  const ticks = (rows: { index: number; lane: number }[], half: number) =>
    rows.map((row) => `M${x(row.index + 0.5).toFixed(1)},${(laneMiddle(row.lane) - half).toFixed(1)}v${(2 * half).toFixed(1)}`).join("");
  const diamonds = marks.needed.map((row) => `M${x(row.index + 0.5).toFixed(1)},${(laneMiddle(row.lane) - 4.5).toFixed(1)}l4.5,4.5l-4.5,4.5l-4.5,-4.5z`).join("");
  const flags = marks.cited.map((row) => `M${x(row.index + 0.5).toFixed(1)},${height - 4}V9l4,-7h-8l4,7`).join("");

  const left = Math.min(Math.max(x(firstRow), GUTTER), GUTTER + plot - NARROWEST_BRUSH);
  const right = Math.max(Math.min(x(lastRow), GUTTER + plot), left + NARROWEST_BRUSH);

  const pixelsOf = (event: PointerEvent) => event.clientX - box.current!.getBoundingClientRect().left;
  const scrollTo = (pixels: number) => onScroll(lineOf[Math.min(Math.max(0, rowAt(pixels)), all - 1)] ?? 0);
  const grab = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const pixels = pixelsOf(event);
    // A mark is what one aims at.
    const near = [...marks.cited, ...marks.needed].find((row) => Math.abs(x(row.index + 0.5) - pixels) <= NEAR);
    const inBrush = pixels >= left && pixels <= right;
    if (near && !inBrush) return onSelect(near.index);
    box.current!.setPointerCapture(event.pointerId);
    setDrag(inBrush ? (left + right) / 2 - pixels : 0);
    if (!inBrush) scrollTo(pixels);
  };
  const pull = (event: PointerEvent) => {
    if (drag !== null) scrollTo(pixelsOf(event) + drag);
  };

  const shown = Math.max(1, last - first);
  const onKey = (event: KeyboardEvent) => {
    const by: Record<string, number> = {
      ArrowLeft: -shown / 2, ArrowUp: -shown / 2, ArrowRight: shown / 2, ArrowDown: shown / 2,
      PageUp: -shown * 5, PageDown: shown * 5, Home: -lines.length, End: lines.length,
    };
    const step = by[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    onScroll(Math.min(Math.max(0, (first + last) / 2 + step), lines.length - 1));
  };
  const nameAt = (row: number) => {
    const found = model.rows[Math.min(row, all - 1)];
    return found ? nameOf(found) : "";
  };

  return (
    <div class="overview" ref={box} style={{ height: `${height}px` }} data-begin={from} data-end={end}
      onPointerDown={grab} onPointerMove={pull} onPointerUp={() => setDrag(null)} onPointerCancel={() => setDrag(null)}>
      <svg width={width} height={height} aria-hidden="true">
        {model.bug.threads.map((thread, lane) => (
          <g key={thread.id}>
            {laneHeight >= LABEL && <text x={GUTTER - 6} y={laneMiddle(lane) + 4} text-anchor="end">{`T${thread.id}`}</text>}
            <line x1={GUTTER} x2={GUTTER + plot} y1={TOP + (lane + 1) * laneHeight - 0.5} y2={TOP + (lane + 1) * laneHeight - 0.5} />
            <path class={`density lane-${thread.id % 8}`} d={paths[lane]} />
          </g>
        ))}
        <path class="mark-stale" d={ticks(marks.stale, laneHeight / 2)} />
        <path class="mark-cited" d={flags} />
        <path class="mark-needed" d={diamonds} />
        {selected >= from && selected < end && <path class="mark-selected" d={`M${x(selected + 0.5).toFixed(1)},${height}l4,-6h-8z`} />}
      </svg>
      <div class={`brush ${drag !== null ? "dragged" : ""}`} role="slider" tabIndex={0} aria-label="Part of the execution that the timeline shows"
        aria-orientation="horizontal" aria-valuemin={0} aria-valuemax={all} aria-valuenow={firstRow}
        aria-valuetext={`${nameAt(firstRow)} to ${nameAt(Math.max(firstRow, lastRow - 1))}`}
        style={{ left: `${left}px`, width: `${right - left}px` }} onKeyDown={onKey} />
    </div>
  );
}
