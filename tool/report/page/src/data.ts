// What heddle puts into the page; tool/report/page_data.cpp writes it.

export interface Report {
  version: number;
  tool: string;
  program: string;
  campaign: Campaign | null;
  bugs: Bug[];
}

export interface Campaign {
  executions: number;
  buggyExecutions: number;
  duration: string;
  perSecond: number;
  workers: number;
  seed: string;
  stoppedBecause: string;
  left: string;
  strategies: [name: string, executions: number, buggy: number][];
  warnings: string[];
  outcomes: [outcome: string, count: number][];
}

// What happened at a place.
export interface Deed {
  thread: number; // -1: the words say who, or nobody in particular
  words: string; // "wrote data", "freed it"
  object: string; // what the words are about, where they do not say it
  row: number; // -1: the trace does not show it
}

// A place that the report cites: first those of the headline, in its order.
export interface Card {
  deeds: Deed[]; // at least one
  stack: number;
  main: boolean; // one has to look at it
  finding: boolean; // a part of the finding, and not what led to it
}

export type RawRow = [
  id: number,
  thread: number,
  kind: number,
  text: number,
  remark: number,
  place: number,
  stack: number,
  readsFrom: number,
  order: number,
  object: number,
  candidates: number,
  flags: number,
  variable: number,
];

// Of `caret`: the characters of the line before the column; -1: not known.
export type Frame = [fn: string, place: string, module: string, file: number, line: number, caret: number, own: boolean];

// What a read missed. NEWER: a later store in either order. AFTER: one that was executed earlier and lies after the
// store that was read in modification order. BEFORE: one that was executed later and lies before it.
export const NEWER = 0;
export const AFTER = 1;
export const BEFORE = 2;

export interface Stack {
  frames: number[];
  at: number; // the frame to blame
}

export interface SourceFile {
  path: string;
  lines: [number: number, text: string][];
}

// One of the two executions of an explanation: what of it differs from the other.
export interface Side {
  lines: { thread: number; text: string; place: string; source: string; inFlow: boolean }[];
  flows: [writer: number, reader: number][]; // lines; writer -1: the initial value
}

// Of executions that begin as the failing one and go on at random, how many fail: by choices that were made.
export interface Curve {
  words: string;
  points: { at: number; share: number; low: number; high: number }[]; // by at; at least two
  jumps: { at: number; from: number; to: number; text: string }[]; // the largest first
}

export interface Explanation {
  sentence: string; // what to change; empty: nothing was found
  evidence: string;
  noRemedy: string; // that none was found; empty: one was, or none was looked for
  how: string;
  curve: Curve | null;
  rootCause: string[];
  rootCauseIsMinimal: boolean;
  differences: { thread: number; what: string; fails: string; passes: string }[];
  fails: Side;
  passes: Side | null;
}

// What the threads of a test did to an object, and of it what no sequential order explains.
export interface ObjectHistory {
  object: string;
  operations: { thread: number; text: string; call: number; end: number; pending: boolean; mark: "none" | "involved" | "violating" }[];
}

export interface Bug {
  kind: string;
  severity: "bug" | "warning";
  summary: string;
  words: string;
  message: string;
  signature: string;
  count: number; // 0: not known
  firstExecution: number;
  artifact: string;
  reproduce: string; // commands; empty: there is no artifact
  explain: string;
  text: string;
  minimised: string; // what minimising has left; empty: it was not
  run: [label: string, value: string][];
  totalEvents: number;
  output: string;
  outputCut: boolean;
  cards: Card[];
  start: number; // the row where the page opens; -1: there are none
  rows: RawRow[];
  threads: { id: number; title: string }[];
  synchronises: [from: number, to: number][];
  life: [from: number, to: number][]; // of threads and blocks: from where they begin, or end, to where that is seen
  links: [from: number, to: number][]; // what the finding is: both accesses of a race, the free and the use
  missed: [read: number, store: number, how: number][];
  readable: [read: number, stores: number[]][];
  legend: string[];
  strings: string[];
  stacks: Stack[];
  frames: Frame[];
  files: SourceFile[];
  explanation: Explanation | null;
  history?: ObjectHistory | null;
}

// Of rows; the low byte are the flags of events (core/trace/event.h).
export const STALE = 0x1;
export const INITIAL = 0x10;
export const CITED = 0x100;
export const CRITICAL = 0x200;
export const ACCESS = 0x400;
export const NEEDED = 0x800;

export function readReport(): Report {
  const element = document.getElementById("data");
  const report = JSON.parse(element?.textContent ?? "null") as Report | null;
  if (!report || report.version !== 4) throw new Error("this page holds no report that it can read");
  return report;
}
