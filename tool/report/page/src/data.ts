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

export interface Part {
  role: string;
  thread: number;
  title: string;
  stack: number;
  row: number;
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
];

export type Frame = [fn: string, place: string, module: string, file: number, line: number, own: boolean];

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

export interface Explanation {
  sentence: string; // what to change; empty: nothing was found
  evidence: string;
  how: string;
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
  reproduce: string;
  text: string;
  minimised: string; // what minimising has left; empty: it was not
  run: [label: string, value: string][];
  totalEvents: number;
  output: string;
  outputCut: boolean;
  parts: Part[];
  rows: RawRow[];
  threads: { id: number; title: string }[];
  synchronises: [from: number, to: number][];
  readable: [read: number, stores: number[]][];
  legend: string[];
  strings: string[];
  stacks: Stack[];
  frames: Frame[];
  files: SourceFile[];
  explanation?: Explanation;
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
  if (!report || report.version !== 1) throw new Error("this page holds no report that it can read");
  return report;
}
