// The execution graph as a picture: the events that matter as boxes, a column for each thread, and the relations
// between them. What is folded in the timeline is left out.
import { useLayoutEffect, useRef } from "preact/hooks";
import { EDGE_KINDS, type EdgeKind, type Line, type Model, type Row, isAccess, isCited, isStale, nameOf } from "./model";

const MOST_NODES = 120;
const WIDTH = 230;
const GAP_X = 90;
const HEIGHT = 34;
const GAP_Y = 22;
const TOP = 46;
const LETTERS = 30;

interface Props {
  model: Model;
  lines: Line[];
  selected: number;
  shownEdges: ReadonlySet<EdgeKind>;
  onSelect: (row: number) => void;
}

const colorOf = (row: Row) => (isStale(row) ? "var(--stale)" : isAccess(row) || isCited(row) ? "var(--bug)" : "var(--line-strong)");
const clipped = (text: string, letters: number) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);

// A number, and of a place what fits: the line is at its end.
function clippedFront(name: string, place: string): string {
  const room = LETTERS - name.length;
  return `${name} ${place.length > room ? `…${place.slice(place.length - room + 1)}` : place}`;
}

// The nodes around the selected row where there are too many.
function nodesOf(model: Model, lines: Line[], selected: number): Row[] {
  const rows = lines.filter((line) => line.count === 0).map((line) => model.rows[line.row]!);
  if (rows.length <= MOST_NODES) return rows;
  const middle = Math.max(0, rows.findIndex((row) => row.index >= selected));
  const begin = Math.min(Math.max(0, middle - MOST_NODES / 2), rows.length - MOST_NODES);
  return rows.slice(begin, begin + MOST_NODES);
}

// The picture alone, with colours instead of names for them.
function save(svg: SVGSVGElement) {
  const style = getComputedStyle(document.documentElement);
  const text = new XMLSerializer().serializeToString(svg).replace(/var\((--[a-z-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = "execution.svg";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function Graph({ model, lines, selected, shownEdges, onSelect }: Props) {
  const picture = useRef<SVGSVGElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const nodes = nodesOf(model, lines, selected);
  const lanes = model.bug.threads.filter((thread) => nodes.some((row) => row.thread === thread.id));
  const laneOf = new Map(lanes.map((thread, lane) => [thread.id, lane]));
  const place = new Map<number, { x: number; y: number }>();
  nodes.forEach((row, i) => place.set(row.index, { x: 20 + (laneOf.get(row.thread) ?? 0) * (WIDTH + GAP_X), y: TOP + i * (HEIGHT + GAP_Y) * 0.72 }));
  const width = 40 + lanes.length * (WIDTH + GAP_X) - GAP_X + 40;
  const height = TOP + nodes.length * (HEIGHT + GAP_Y) * 0.72 + 30;

  const programOrder = lanes.flatMap((thread) => {
    const own = nodes.filter((row) => row.thread === thread.id);
    return own.slice(1).map((row, i) => [own[i]!.index, row.index] as const);
  });
  const edges = model.edges.filter((edge) => shownEdges.has(edge.kind) && !edge.minor && place.has(edge.from) && place.has(edge.to));

  // The selected event is in sight.
  const chosen = place.get(selected);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !chosen) return;
    if (chosen.y < element.scrollTop || chosen.y + 3 * HEIGHT > element.scrollTop + element.clientHeight) element.scrollTop = chosen.y - element.clientHeight / 2;
    if (chosen.x < element.scrollLeft || chosen.x + WIDTH > element.scrollLeft + element.clientWidth) element.scrollLeft = chosen.x - element.clientWidth / 2;
  }, [chosen?.x, chosen?.y]);

  const path = (from: number, to: number, kind: EdgeKind) => {
    const a = place.get(from)!;
    const b = place.get(to)!;
    if (Math.abs(a.x - b.x) < 1) {
      const side = a.x + WIDTH;
      const bow = 26 + Math.min(40, Math.abs(b.y - a.y) / 12) + (kind === "mo" ? 8 : 0);
      return `M${side},${a.y + HEIGHT / 2} C${side + bow},${a.y + HEIGHT / 2} ${side + bow},${b.y + HEIGHT / 2} ${side + 2},${b.y + HEIGHT / 2}`;
    }
    const right = b.x > a.x;
    const x1 = right ? a.x + WIDTH : a.x;
    const x2 = right ? b.x - 2 : b.x + WIDTH + 2;
    const bend = (x2 - x1) * 0.5;
    return `M${x1},${a.y + HEIGHT / 2} C${x1 + bend},${a.y + HEIGHT / 2} ${x2 - bend},${b.y + HEIGHT / 2} ${x2},${b.y + HEIGHT / 2}`;
  };

  return (
    <div class="graph" ref={box} tabIndex={0} role="group" aria-label="Execution graph">
      <p class="quiet">
        {nodes.length} events{nodes.length === MOST_NODES ? " around the selected one" : ""}; grey arrows are program order.{" "}
        <button type="button" onClick={() => picture.current && save(picture.current)}>Save as SVG</button>
      </p>
      <svg ref={picture} xmlns="http://www.w3.org/2000/svg" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${nodes.length} events of ${lanes.length} threads`}
        font-family="ui-monospace, monospace" font-size="12">
        <rect width={width} height={height} fill="var(--surface)" />
        <defs>
          {(["po", ...EDGE_KINDS] as const).map((kind) => (
            <marker key={kind} id={`arrow-${kind}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse">
              <path d="M0,0 L8,4 L0,8 z" fill={kind === "po" ? "var(--line-strong)" : `var(--${kind})`} />
            </marker>
          ))}
        </defs>
        {lanes.map((thread, lane) => (
          <text key={thread.id} x={20 + lane * (WIDTH + GAP_X)} y="24" font-weight="bold" fill="var(--text)">{clipped(thread.title, LETTERS)}</text>
        ))}
        {programOrder.map(([from, to]) => {
          const a = place.get(from)!;
          const b = place.get(to)!;
          return <path key={`po${from}`} d={`M${a.x + 14},${a.y + HEIGHT} L${b.x + 14},${b.y - 1}`} stroke="var(--line-strong)" fill="none" marker-end="url(#arrow-po)" />;
        })}
        {edges.map((edge) => (
          <path key={`${edge.kind}${edge.from}-${edge.to}`} class="graph-edge" d={path(edge.from, edge.to, edge.kind)} fill="none" stroke={`var(--${edge.kind})`}
            stroke-width={edge.kind === "race" ? 2.5 : 1.6} stroke-dasharray={edge.kind === "mo" ? "4 3" : undefined}
            marker-end={`url(#arrow-${edge.kind})`} marker-start={edge.kind === "race" ? "url(#arrow-race)" : undefined}>
            <title>{model.edgeName(edge.kind)}</title>
          </path>
        ))}
        {nodes.map((row) => {
          const { x, y } = place.get(row.index)!;
          return (
            <g key={row.index} class="node" data-row={row.index} onClick={() => onSelect(row.index)} cursor="pointer">
              <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx="5" fill="var(--raised)" stroke={row.index === selected ? "var(--accent)" : colorOf(row)}
                stroke-width={row.index === selected ? 2.5 : isCited(row) || isStale(row) ? 1.8 : 1} />
              <text x={x + 8} y={y + 14} fill="var(--text)">{clipped(row.text, LETTERS - 1)}</text>
              <text x={x + 8} y={y + 28} fill="var(--quiet)" font-size="10.5">{clippedFront(`${isStale(row) ? "STALE " : ""}${nameOf(row)}`, row.place)}</text>
              <title>{row.text}</title>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
