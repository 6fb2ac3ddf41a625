// One bug's execution as the page works with it: rows, lanes, edges, and which rows are shown.
import { ACCESS, type Bug, CITED, CRITICAL, NEEDED, STALE } from "./data";

export type EdgeKind = "rf" | "sw" | "mo" | "race";
export const EDGE_KINDS: EdgeKind[] = ["race", "rf", "sw", "mo"];
export const EDGE_NAMES: Record<EdgeKind, string> = {
  race: "race",
  rf: "reads from",
  sw: "synchronises with",
  mo: "modification order",
};

export interface Edge {
  kind: EdgeKind;
  from: number; // rows
  to: number;
}

export interface Row {
  index: number;
  id: number; // of the event; -1: a plain access, which is no event
  lane: number;
  thread: number;
  kind: string;
  text: string;
  remark: string;
  place: string;
  stack: number;
  readsFrom: number;
  order: number;
  object: number;
  candidates: number;
  flags: number;
}

// What a line of the timeline shows: a row, or rows that are folded.
export interface Line {
  row: number; // the first one
  count: number; // 0: the row itself; else so many rows are folded
  gap: number; // events that were not kept before this row
}

export const isStale = (row: Row) => (row.flags & STALE) !== 0;
export const isCritical = (row: Row) => (row.flags & CRITICAL) !== 0;
export const isCited = (row: Row) => (row.flags & CITED) !== 0;
export const isAccess = (row: Row) => (row.flags & ACCESS) !== 0;
// Minimising has tried: without this switch, or this read, the bug goes away.
export const isNeeded = (row: Row) => (row.flags & NEEDED) !== 0;
export const nameOf = (row: Row) => (row.id < 0 ? "access" : `#${row.id}`);
export const tagOf = (row: Row) => `T${row.thread}`;

export class Model {
  readonly rows: Row[];
  readonly edges: Edge[] = [];
  readonly readable = new Map<number, number[]>();
  readonly hasFolds: boolean;
  private readonly edgesOf = new Map<number, Edge[]>();
  private readonly laneOf = new Map<number, number>();

  constructor(readonly bug: Bug) {
    bug.threads.forEach((thread, lane) => this.laneOf.set(thread.id, lane));
    const text = (n: number) => bug.strings[n] ?? "";
    this.rows = bug.rows.map((raw, index) => {
      const [id, thread, kind, words, remark, place, stack, readsFrom, order, object, candidates, flags] = raw;
      const lane = this.laneOf.get(thread) ?? 0;
      return {
        index, id, lane, thread, kind: text(kind), text: text(words), remark: text(remark), place: text(place), stack,
        readsFrom, order, object, candidates, flags,
      };
    });
    for (const [read, stores] of bug.readable) this.readable.set(read, stores);
    this.addEdges();
    this.hasFolds = this.rows.some((row) => !isCritical(row));
  }

  private add(kind: EdgeKind, from: number, to: number) {
    const edge = { kind, from, to };
    this.edges.push(edge);
    for (const end of [from, to]) {
      const list = this.edgesOf.get(end);
      if (list) list.push(edge);
      else this.edgesOf.set(end, [edge]);
    }
  }

  private addEdges() {
    if (this.bug.kind === "data race") {
      const [first, second] = this.bug.parts.filter((part) => part.role.endsWith("access") && part.row >= 0);
      if (first && second) this.add("race", Math.min(first.row, second.row), Math.max(first.row, second.row));
    }
    for (const row of this.rows) if (row.readsFrom >= 0) this.add("rf", row.readsFrom, row.index);
    for (const [from, to] of this.bug.synchronises) this.add("sw", from, to);
    const stores = new Map<number, Row[]>();
    for (const row of this.rows) {
      if (row.object === 0 || row.order === 0) continue;
      const list = stores.get(row.object);
      if (list) list.push(row);
      else stores.set(row.object, [row]);
    }
    for (const list of stores.values()) {
      list.sort((a, b) => a.order - b.order);
      list.forEach((row, i) => {
        const next = list[i + 1];
        if (next) this.add("mo", row.index, next.index);
      });
    }
  }

  row(index: number): Row | undefined {
    return this.rows[index];
  }

  edgesAt(row: number): Edge[] {
    return this.edgesOf.get(row) ?? [];
  }

  threadTitle(lane: number): string {
    return this.bug.threads[lane]?.title ?? "";
  }

  // All rows, or the critical ones with what lies between them folded, except where `opened` has the fold's first row.
  lines(collapsed: boolean, opened: ReadonlySet<number>): Line[] {
    const lines: Line[] = [];
    for (let i = 0; i < this.rows.length; ) {
      let end = i;
      while (collapsed && end < this.rows.length && !isCritical(this.rows[end]!)) ++end;
      if (end - i > 1 && !opened.has(i)) {
        lines.push({ row: i, count: end - i, gap: this.gapBefore(i) });
        i = end;
        continue;
      }
      for (const last = Math.max(end, i + 1); i < last; ++i) lines.push({ row: i, count: 0, gap: this.gapBefore(i) });
    }
    return lines;
  }

  // Events between this row's and the one before that the artifact does not have.
  private gapBefore(index: number): number {
    const row = this.rows[index]!;
    if (row.id < 0) return 0;
    for (let k = index - 1; k >= 0; --k) {
      const before = this.rows[k]!;
      if (before.id >= 0) return row.id - before.id - 1;
    }
    return row.id;
  }

  foldText(line: Line): string {
    const counts = new Map<number, number>();
    for (let i = line.row; i < line.row + line.count; ++i) {
      const thread = this.rows[i]!.thread;
      counts.set(thread, (counts.get(thread) ?? 0) + 1);
    }
    const who = [...counts].slice(0, 6).map(([thread, count]) => `T${thread} ${count}`);
    const total = line.count.toLocaleString("en");
    return counts.size === 1 ? `${total} events of T${[...counts.keys()][0]}` : `${total} events: ${who.join(", ")}${counts.size > 6 ? ", …" : ""}`;
  }

  // Rows with all of the words in what is shown of them.
  search(query: string): number[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    return this.rows
      .filter((row) => {
        const text = `${nameOf(row)} ${tagOf(row)} ${row.kind} ${row.text} ${row.remark} ${row.place}`.toLowerCase();
        return words.every((word) => text.includes(word));
      })
      .map((row) => row.index);
  }

  // Where the page opens: the second access of a race, the failing place.
  start(): number {
    const part = this.bug.parts.find((p) => p.row >= 0);
    if (part) return part.row;
    const cited = this.rows.find(isCited);
    return cited?.index ?? 0;
  }
}
