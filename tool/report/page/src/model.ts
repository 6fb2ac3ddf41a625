// One bug's execution as the page works with it: rows, lanes, edges, and which rows are shown.
import { ACCESS, type Bug, CITED, CRITICAL, NEEDED, STALE } from "./data";

export type EdgeKind = "rf" | "sw" | "mo" | "race" | "life";
export const EDGE_KINDS: EdgeKind[] = ["race", "rf", "sw", "mo", "life"];
// Creation and allocation say little of most bugs, and modification order is often the order of execution.
export const FIRST_EDGES: EdgeKind[] = ["race", "rf", "sw"];
const EDGE_NAMES: Record<EdgeKind, string> = {
  race: "finding",
  rf: "reads from",
  sw: "synchronises with",
  mo: "modification order",
  life: "creation, allocation",
};

export interface Edge {
  kind: EdgeKind;
  from: number; // rows
  to: number;
  minor: boolean; // of several that say nearly the same: shown with its events only
}

export interface Row {
  index: number;
  id: number; // of the event; -1: a plain access or a wait, which is no event
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
  variable: string;
}

// What a line of the timeline shows: a row, or rows that are folded.
export interface Line {
  row: number; // the first one
  count: number; // 0: the row itself; else so many rows are folded
  gap: number; // events that were not kept before this row
}

export interface Filter {
  hidden: ReadonlySet<number>; // threads
  variable: string; // empty: all
}
export const NO_FILTER: Filter = { hidden: new Set(), variable: "" };

export interface Missed {
  store: number; // row
  how: number;
}

export const isStale = (row: Row) => (row.flags & STALE) !== 0;
// Whatever the finding cites and whatever the bug needs is critical.
export const isCritical = (row: Row) => (row.flags & (CRITICAL | CITED | NEEDED)) !== 0;
export const isCited = (row: Row) => (row.flags & CITED) !== 0;
export const isAccess = (row: Row) => (row.flags & ACCESS) !== 0;
// Minimising has tried: without this switch, or this read, the bug goes away.
export const isNeeded = (row: Row) => (row.flags & NEEDED) !== 0;
export const nameOf = (row: Row) => (row.id < 0 ? "access" : `#${row.id}`);
export const tagOf = (row: Row) => `T${row.thread}`;
export const grouped = (n: number) => n.toLocaleString("en");

export class Model {
  readonly rows: Row[];
  readonly edges: Edge[] = [];
  readonly readable = new Map<number, number[]>();
  readonly missed = new Map<number, Missed>();
  readonly hasFolds: boolean;
  readonly hasCritical: boolean;
  readonly events: number; // rows that are events
  // Names of variables with the number of their rows, those that the finding cites first.
  readonly variables: [name: string, count: number][];
  private readonly edgesOf = new Map<number, Edge[]>();
  private readonly laneOf = new Map<number, number>();

  constructor(readonly bug: Bug) {
    bug.threads.forEach((thread, lane) => this.laneOf.set(thread.id, lane));
    const text = (n: number) => bug.strings[n] ?? "";
    this.rows = bug.rows.map((raw, index) => {
      const [id, thread, kind, words, remark, place, stack, readsFrom, order, object, candidates, flags, variable] = raw;
      const lane = this.laneOf.get(thread) ?? 0;
      return {
        index, id, lane, thread, kind: text(kind), text: text(words), remark: text(remark), place: text(place), stack,
        readsFrom, order, object, candidates, flags, variable: text(variable),
      };
    });
    for (const [read, stores] of bug.readable) this.readable.set(read, stores);
    for (const [read, store, how] of bug.missed) this.missed.set(read, { store, how });
    this.addEdges();
    this.hasFolds = this.rows.some((row) => !isCritical(row));
    this.hasCritical = this.rows.some(isCritical);
    this.events = this.rows.reduce((n, row) => n + (row.id >= 0 ? 1 : 0), 0);
    this.variables = this.variablesOf();
  }

  private variablesOf(): [string, number][] {
    const counts = new Map<string, number>();
    const cited = new Set<string>();
    for (const row of this.rows) {
      if (!row.variable) continue;
      counts.set(row.variable, (counts.get(row.variable) ?? 0) + 1);
      if (isCited(row)) cited.add(row.variable);
    }
    const rank = (name: string) => (cited.has(name) ? 1 : 0);
    return [...counts].sort(([a, m], [b, n]) => rank(b) - rank(a) || n - m || (a < b ? -1 : 1));
  }

  private add(kind: EdgeKind, from: number, to: number, minor = false) {
    if (!this.rows[from] || !this.rows[to]) return;
    const edge = { kind, from, to, minor };
    this.edges.push(edge);
    for (const end of [from, to]) {
      const list = this.edgesOf.get(end);
      if (list) list.push(edge);
      else this.edgesOf.set(end, [edge]);
    }
  }

  private addEdges() {
    for (const [from, to] of this.bug.links) this.add("race", from, to);
    for (const row of this.rows) if (row.readsFrom >= 0) this.add("rf", row.readsFrom, row.index);
    // An acquire may take part in many release sequences. The last release is the one that one looks for.
    const lastRelease = new Map<number, number>();
    for (const [from, to] of this.bug.synchronises) lastRelease.set(to, Math.max(from, lastRelease.get(to) ?? 0));
    for (const [from, to] of this.bug.synchronises) this.add("sw", from, to, from !== lastRelease.get(to));
    for (const [from, to] of this.bug.life) this.add("life", from, to);
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

  edgeName(kind: EdgeKind): string {
    return kind === "race" && this.bug.kind === "data race" ? "race" : EDGE_NAMES[kind];
  }

  // Is it the store that a critical read missed?
  isMissed(row: number): boolean {
    return [...this.missed].some(([read, { store }]) => store === row && isCritical(this.rows[read]!));
  }

  row(index: number): Row | undefined {
    return this.rows[index];
  }

  edgesAt(row: number): Edge[] {
    return this.edgesOf.get(row) ?? [];
  }

  matches(row: Row, filter: Filter): boolean {
    return !filter.hidden.has(row.thread) && (!filter.variable || row.variable === filter.variable);
  }

  // The rows that the filter leaves. `collapsed`: those that are not critical are folded, except the `opened` ones.
  lines(collapsed: boolean, opened: ReadonlySet<number>, filter: Filter = NO_FILTER): Line[] {
    const all = filter.hidden.size === 0 && !filter.variable;
    const rows = all ? this.rows : this.rows.filter((row) => this.matches(row, filter));
    const isFolded = (row: Row) => collapsed && !isCritical(row) && !opened.has(row.index);
    const lines: Line[] = [];
    for (let i = 0; i < rows.length; ) {
      let end = i;
      while (end < rows.length && isFolded(rows[end]!)) ++end;
      // A fold of one row would take as much room as the row.
      if (end - i > 1) {
        lines.push({ row: rows[i]!.index, count: end - i, gap: this.gapBefore(rows[i]!.index) });
        i = end;
        continue;
      }
      for (const last = Math.max(end, i + 1); i < last; ++i) lines.push({ row: rows[i]!.index, count: 0, gap: this.gapBefore(rows[i]!.index) });
    }
    return lines;
  }

  // For every row its line; for one that is not shown, the last line before it.
  lineOf(lines: Line[]): Int32Array {
    const result = new Int32Array(this.rows.length);
    lines.forEach((line, i) => result.fill(i, line.row, lines[i + 1]?.row ?? this.rows.length));
    return result;
  }

  // The rows that a fold stands for.
  foldedRows(lines: Line[], at: number, filter: Filter): number[] {
    const line = lines[at]!;
    const rows = this.rows.slice(line.row, lines[at + 1]?.row ?? this.rows.length);
    return rows.filter((row) => this.matches(row, filter)).map((row) => row.index);
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

  // "5,509 events: T0 4005, T1 1504"
  countText(rows: number[]): string {
    const counts = new Map<number, number>();
    for (const row of rows) {
      const thread = this.rows[row]!.thread;
      counts.set(thread, (counts.get(thread) ?? 0) + 1);
    }
    const who = [...counts].slice(0, 6).map(([thread, count]) => `T${thread} ${grouped(count)}`);
    const total = grouped(rows.length);
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
}
