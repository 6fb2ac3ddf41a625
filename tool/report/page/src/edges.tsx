// The lines between events of the timeline. Only those with an end in sight are drawn, so that their number does not
// depend on the length of the execution; those of the finding and of the selected event are always there, however long.
import { type Edge, type EdgeKind, type Model } from "./model";

const MOST_OF_ONE_ROW = 24;
const MOST_OF_ONE_DOT = 4; // of a row that is too low for words
const MOST = 600;
const FAR = 50; // lines; edges of other events than the selected one that go further would hide what they pass

interface Props {
  model: Model;
  shown: ReadonlySet<EdgeKind>;
  selected: number;
  lineOf: Int32Array; // by row
  first: number; // lines in sight
  last: number;
  rowsInSight: number[];
  rowHeight: number;
  laneX: (lane: number) => number;
}

function pathOf(x1: number, y1: number, x2: number, y2: number, kind: EdgeKind): string {
  if (Math.abs(x1 - x2) < 1) {
    // Within one lane: a bow to the left, wider for longer ones.
    const bow = Math.min(9, 4 + Math.abs(y2 - y1) / 60) + (kind === "mo" ? 0 : 3);
    return `M${x1},${y1} C${x1 - bow},${y1} ${x1 - bow},${y2} ${x2},${y2}`;
  }
  // Words stand to the right of their dots, and no line strikes through them. So one to the right goes down its own lane
  // first, and one to the left down the other lane last.
  if (x2 > x1) return `M${x1},${y1} C${x1},${y1 + (y2 - y1) * 0.75} ${x2 - Math.max(16, (x2 - x1) * 0.35)},${y2} ${x2},${y2}`;
  return `M${x1},${y1} C${x1 - Math.max(16, (x1 - x2) * 0.75)},${y1} ${x2},${y1 + (y2 - y1) * 0.25} ${x2},${y2}`;
}

export function Edges({ model, shown, selected, lineOf, first, last, rowsInSight, rowHeight, laneX }: Props) {
  const edges = new Set<Edge>();
  for (const row of rowsInSight) {
    let room = rowHeight < 18 ? MOST_OF_ONE_DOT : MOST_OF_ONE_ROW;
    for (const edge of model.edgesAt(row)) if (shown.has(edge.kind) && !edge.minor && room-- > 0 && edges.size < MOST) edges.add(edge);
  }
  for (const edge of model.edgesAt(selected)) if (shown.has(edge.kind) && edges.size < 2 * MOST) edges.add(edge);
  if (shown.has("race")) for (let i = 0; i < MOST && model.edges[i]?.kind === "race"; ++i) edges.add(model.edges[i]!);

  const y = (row: number) => (lineOf[row] ?? 0) * rowHeight + rowHeight / 2;
  const visible = [...edges].filter(({ kind, from, to }) => {
    const a = lineOf[from] ?? 0;
    const b = lineOf[to] ?? 0;
    const always = kind === "race" || from === selected || to === selected;
    return a !== b && (always || Math.abs(a - b) <= FAR) && Math.max(a, b) >= first && Math.min(a, b) <= last;
  });
  return (
    <svg class="edges" aria-hidden="true">
      {visible.map((edge) => {
        const from = model.rows[edge.from]!;
        const to = model.rows[edge.to]!;
        const chosen = edge.from === selected || edge.to === selected;
        const y2 = y(edge.to);
        return (
          <g key={`${edge.kind}${edge.from}-${edge.to}`} class={`edge ${edge.kind} ${chosen ? "chosen" : ""}`}>
            <path d={pathOf(laneX(from.lane), y(edge.from), laneX(to.lane), y2, edge.kind)} />
            {rowHeight >= 10 && <circle cx={laneX(to.lane)} cy={y2} r="3" />}
          </g>
        );
      })}
    </svg>
  );
}
