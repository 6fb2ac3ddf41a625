// One bug: its head, why it failed, and its execution with whatever is selected in it.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { BugDetails } from "./campaign";
import type { Bug } from "./data";
import { Details, FoldDetails } from "./details";
import { Graph } from "./graph";
import { Head, outputFirst } from "./head";
import { Help } from "./help";
import { History } from "./history";
import { type Actions, keepLetters, lettersAreOn, useKeys } from "./keys";
import { FIRST_EDGES, Model, NO_FILTER, isCritical } from "./model";
import { Output } from "./output";
import { Timeline } from "./timeline";
import { Tools, type View } from "./tools";
import { Why } from "./why";
import { LEAST_ZOOM, mostZoom, rowHeight } from "./zoom";

const FEW_ROWS = 40; // that need no folding
const PAGE = 20;
const ABOVE = 190; // pixels of the execution's box that are not lines

export function BugView({ bug, onTheme }: { bug: Bug; onTheme: () => void }) {
  const model = useMemo(() => new Model(bug), [bug]);
  const start = Math.max(0, bug.start);
  const [selected, setSelected] = useState(start);
  const [asked, setAsked] = useState(0);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [view, setView] = useState<View>(() => ({
    graph: false, collapsed: model.hasFolds && model.hasCritical && model.rows.length > FEW_ROWS, filter: NO_FILTER, edges: new Set(FIRST_EDGES), query: "", zoom: 0, help: false,
  }));
  const [letters, setLetters] = useState(lettersAreOn);
  const searchBox = useRef<HTMLInputElement>(null);
  const change = useCallback((part: Partial<View>) => setView((before) => ({ ...before, ...part })), []);

  const lines = useMemo(() => model.lines(view.collapsed, opened, view.filter), [model, view.collapsed, opened, view.filter]);
  const lineOf = useMemo(() => model.lineOf(lines), [model, lines]);
  const found = useMemo(() => model.search(view.query), [model, view.query]);
  const matches = useMemo(() => new Set(found), [found]);

  // Opens the folded rows of a line.
  const open = useCallback(
    (line: number) => {
      setOpened((before) => new Set([...before, ...model.foldedRows(lines, line, view.filter)]));
      setSelected(lines[line]!.row);
    },
    [model, lines, view.filter],
  );

  // A row that is folded, or that the filter hides, is shown all the same.
  const select = useCallback(
    (row: number) => {
      const hidden = !model.matches(model.rows[row]!, view.filter);
      if (hidden) change({ filter: NO_FILTER });
      const line = lineOf[row] ?? 0;
      if (hidden || (lines[line]?.count ?? 0) > 0) setOpened((before) => new Set([...before, row, ...(hidden ? [] : model.foldedRows(lines, line, view.filter))]));
      setSelected(row);
      setAsked((before) => before + 1);
    },
    [model, lines, lineOf, view.filter, change],
  );

  // What is selected is one of the lines that are left.
  useEffect(() => {
    const line = lines[lineOf[selected] ?? 0];
    if (line && !model.matches(model.rows[selected]!, view.filter)) setSelected(line.row);
  }, [lines, lineOf, view.filter]);

  const actions = useMemo<Actions>(() => {
    const step = (by: number) => {
      const line = lines[Math.min(Math.max((lineOf[selected] ?? 0) + by, 0), lines.length - 1)];
      if (line) setSelected(line.row);
    };
    const stepCritical = (by: 1 | -1) => {
      for (let i = selected + by; i >= 0 && i < model.rows.length; i += by) {
        if (isCritical(model.rows[i]!) && model.matches(model.rows[i]!, view.filter)) return select(i);
      }
    };
    const zoom = (by: number) => change({ zoom: Math.min(Math.max(view.zoom + by, LEAST_ZOOM), mostZoom(model.rows.length)) });
    return {
      j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
      n: () => stepCritical(1), p: () => stepCritical(-1),
      f: () => select(start),
      Enter: () => (lines[lineOf[selected] ?? 0]?.count ?? 0) > 0 && open(lineOf[selected]!),
      PageDown: () => step(PAGE), PageUp: () => step(-PAGE), Home: () => step(-lines.length), End: () => step(lines.length),
      "+": () => zoom(1), "=": () => zoom(1), "-": () => zoom(-1),
      c: () => change({ collapsed: !view.collapsed }),
      g: () => change({ graph: !view.graph }),
      t: onTheme,
      "?": () => change({ help: !view.help }),
      Escape: () => change({ help: false }),
      "/": () => searchBox.current?.focus(),
    };
  }, [model, lines, lineOf, selected, view, start, select, open, change, onTheme]);
  useKeys(actions, letters);

  const stepFound = (back: boolean) => {
    if (found.length === 0) return;
    const next = back ? (found.filter((row) => row < selected).pop() ?? found[found.length - 1]) : (found.find((row) => row > selected) ?? found[0]);
    select(next!);
  };
  const foundText = !view.query ? "" : found.length === 0 ? "nothing found" : `${Math.max(1, found.indexOf(selected) + 1)} of ${found.length}`;

  const row = model.row(selected);
  const line = lineOf[selected] ?? 0;
  const folded = lines[line] && lines[line]!.count > 0;
  return (
    <>
      <Head model={model} onSelect={select} />
      {bug.history && <History history={bug.history} />}
      {bug.explanation && <Why explanation={bug.explanation} />}
      {model.rows.length === 0 ? (
        <p class="quiet">No events were kept of this execution.</p>
      ) : (
        <section class="execution" aria-label="Execution">
          <Tools model={model} view={view} change={change} searchBox={searchBox} found={foundText} onFind={stepFound} />
          {view.help && <Help letters={letters} onLetters={(on) => (keepLetters(on), setLetters(on))} onClose={() => change({ help: false })} />}
          <div class="split" style={{ height: `clamp(420px, ${lines.length * rowHeight(view.zoom) + ABOVE}px, min(76vh, 900px))` }}>
            {view.graph ? (
              <Graph model={model} lines={lines} selected={selected} shownEdges={view.edges} onSelect={select} />
            ) : (
              <Timeline model={model} lines={lines} lineOf={lineOf} filter={view.filter} zoom={view.zoom} selected={selected} asked={asked} matches={matches} shownEdges={view.edges} onSelect={select} onOpen={open} />
            )}
            {folded ? <FoldDetails text={model.countText(model.foldedRows(lines, line, view.filter))} onOpen={() => open(line)} /> : row && <Details model={model} row={row} onSelect={select} />}
          </div>
        </section>
      )}
      {!outputFirst(bug) && <Output bug={bug} />}
      <BugDetails bug={bug} />
    </>
  );
}
