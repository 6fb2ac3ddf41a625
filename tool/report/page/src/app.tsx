// The page: a list of bugs, and for the one that is looked at its head, timeline, details and graph.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { BugDetails, CampaignDetails, CampaignLine } from "./campaign";
import type { Bug, Report } from "./data";
import { Details } from "./details";
import { ROW_HEIGHT } from "./edges";
import { Graph } from "./graph";
import { Head } from "./head";
import { History } from "./history";
import { EDGE_KINDS, EDGE_NAMES, type EdgeKind, Model, isCritical } from "./model";
import { type Theme, currentTheme, showTheme } from "./theme";
import { Timeline } from "./timeline";
import { Why } from "./why";

const FEW_ROWS = 40; // that need no folding
const PAGE = 20;

const HELP: [keys: string, meaning: string][] = [
  ["j / ↓, k / ↑", "next, previous event"],
  ["n, p", "next, previous critical event"],
  ["PgDn, PgUp, Home, End", "further"],
  ["/", "search; Enter and Shift+Enter go through what was found"],
  ["c", "critical events only, or all"],
  ["g", "graph or timeline"],
  ["t", "dark or light"],
  ["?", "this help"],
];

function BugView({ bug, onTheme }: { bug: Bug; onTheme: () => void }) {
  const model = useMemo(() => new Model(bug), [bug]);
  const [selected, setSelected] = useState(() => model.start());
  const [collapsed, setCollapsed] = useState(model.hasFolds && model.rows.length > FEW_ROWS);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [shownEdges, setShownEdges] = useState<ReadonlySet<EdgeKind>>(new Set(EDGE_KINDS.filter((kind) => kind !== "mo")));
  const [query, setQuery] = useState("");
  const [graph, setGraph] = useState(false);
  const [help, setHelp] = useState(false);
  const searchBox = useRef<HTMLInputElement>(null);

  const lines = useMemo(() => model.lines(collapsed, opened), [model, collapsed, opened]);
  const found = useMemo(() => model.search(query), [model, query]);
  const matches = useMemo(() => new Set(found), [found]);
  const open = useCallback((row: number) => setOpened((before) => new Set(before).add(row)), []);

  // A row inside a fold is shown by opening the fold.
  const select = useCallback(
    (row: number) => {
      const fold = lines.find((line) => line.count > 0 && row >= line.row && row < line.row + line.count);
      if (fold) open(fold.row);
      setSelected(row);
    },
    [lines, open],
  );

  const step = useCallback(
    (by: number) => {
      const shown = lines.filter((line) => line.count === 0).map((line) => line.row);
      let at = shown.findIndex((row) => row >= selected);
      if (at < 0) at = shown.length - 1;
      const next = shown[Math.min(Math.max(at + by, 0), shown.length - 1)];
      if (next !== undefined) setSelected(next);
    },
    [lines, selected],
  );

  const stepCritical = useCallback(
    (by: 1 | -1) => {
      for (let i = selected + by; i >= 0 && i < model.rows.length; i += by) {
        if (isCritical(model.rows[i]!)) return select(i);
      }
    },
    [model, selected, select],
  );

  const stepFound = useCallback(
    (back: boolean) => {
      if (found.length === 0) return;
      const next = back ? (found.filter((row) => row < selected).pop() ?? found[found.length - 1]) : (found.find((row) => row > selected) ?? found[0]);
      select(next!);
    },
    [found, selected, select],
  );

  // At once after each change, not after it was painted: keys may come faster.
  useLayoutEffect(() => {
    const actions: Record<string, () => void> = {
      j: () => step(1),
      ArrowDown: () => step(1),
      k: () => step(-1),
      ArrowUp: () => step(-1),
      n: () => stepCritical(1),
      p: () => stepCritical(-1),
      PageDown: () => step(PAGE),
      PageUp: () => step(-PAGE),
      Home: () => step(-model.rows.length),
      End: () => step(model.rows.length),
      c: () => setCollapsed((before) => !before),
      g: () => setGraph((before) => !before),
      t: onTheme,
      "?": () => setHelp((before) => !before),
      Escape: () => setHelp(false),
      "/": () => searchBox.current?.focus(),
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target === searchBox.current) {
        if (event.key === "Enter") stepFound(event.shiftKey);
        else if (event.key === "Escape") searchBox.current?.blur();
        else return;
      } else {
        const action = actions[event.key];
        if (!action) return;
        action();
      }
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [step, stepCritical, stepFound, model, onTheme]);

  const toggle = (kind: EdgeKind) =>
    setShownEdges((before) => {
      const after = new Set(before);
      if (!after.delete(kind)) after.add(kind);
      return after;
    });
  const present = useMemo(() => new Set(model.edges.map((edge) => edge.kind)), [model]);
  const row = model.row(selected);
  const kept = model.rows.filter((r) => r.id >= 0).length;

  return (
    <>
      <Head bug={bug} model={model} onSelect={select} />
      {bug.history && <History history={bug.history} />}
      {bug.explanation && <Why explanation={bug.explanation} />}
      {model.rows.length === 0 ? (
        <p class="quiet">No events were kept of this execution.</p>
      ) : (
        <section class="execution">
          <div class="tools">
            <div class="group" role="group" aria-label="View">
              <button type="button" aria-pressed={!graph} onClick={() => setGraph(false)}>Timeline</button>
              <button type="button" aria-pressed={graph} onClick={() => setGraph(true)}>Graph</button>
            </div>
            <label class="check"><input type="checkbox" checked={collapsed} onChange={() => setCollapsed(!collapsed)} /> critical events only</label>
            <div class="group edges-group" role="group" aria-label="Edges">
              {EDGE_KINDS.filter((kind) => present.has(kind)).map((kind) => (
                <button type="button" key={kind} class={`toggle ${kind}`} aria-pressed={shownEdges.has(kind)} onClick={() => toggle(kind)}>{EDGE_NAMES[kind]}</button>
              ))}
            </div>
            <span class="search">
              <input ref={searchBox} type="search" placeholder="Search  ( / )" aria-label="Search" value={query}
                onInput={(event) => setQuery((event.target as HTMLInputElement).value)} />
              {query && <span class="quiet" role="status">{found.length === 0 ? "nothing found" : `${Math.max(1, found.indexOf(selected) + 1)} of ${found.length}`}</span>}
            </span>
            <span class="quiet count">
              {kept.toLocaleString("en")} events{bug.totalEvents > kept && ` of ${bug.totalEvents.toLocaleString("en")}`}
            </span>
            <button type="button" class="quiet" onClick={() => setHelp(!help)} aria-expanded={help} title="Keys">?</button>
          </div>
          {help && <dl class="help">{HELP.map(([keys, meaning]) => <><dt key={keys}><kbd>{keys}</kbd></dt><dd>{meaning}</dd></>)}</dl>}
          <div class="split" style={{ height: `clamp(460px, ${lines.length * ROW_HEIGHT + 60}px, min(76vh, 900px))` }}>
            {graph ? (
              <Graph model={model} lines={lines} selected={selected} shownEdges={shownEdges} onSelect={select} />
            ) : (
              <Timeline model={model} lines={lines} selected={selected} matches={matches} shownEdges={shownEdges} onSelect={select} onOpen={open} />
            )}
            {row && <Details model={model} row={row} onSelect={select} />}
          </div>
        </section>
      )}
      <BugDetails bug={bug} />
    </>
  );
}

export function App({ report }: { report: Report }) {
  const [theme, setTheme] = useState<Theme>(currentTheme());
  const [bugNumber, setBugNumber] = useState(0);
  useEffect(() => showTheme(theme, false), []);
  const changeTheme = useCallback(() => {
    setTheme((before) => {
      const after = before === "dark" ? "light" : "dark";
      showTheme(after, true);
      return after;
    });
  }, []);
  const bug = report.bugs[bugNumber];
  return (
    <main>
      <nav class="bar">
        <span class="brand">heddle</span>
        <CampaignLine campaign={report.campaign} program={report.program} bugs={report.bugs.length} />
        <button type="button" class="theme" onClick={changeTheme} aria-label={theme === "dark" ? "Light colours" : "Dark colours"}>{theme === "dark" ? "☀" : "☾"}</button>
      </nav>
      {report.bugs.length > 1 && (
        <ol class="bugs" aria-label="Findings">
          {report.bugs.map((other, i) => (
            <li key={i}>
              <button type="button" aria-pressed={i === bugNumber} onClick={() => setBugNumber(i)}>
                <span class={`kind ${other.severity}`}>{other.kind}</span> <span class="bug-title">{other.summary.replace(other.kind, "").trim()}</span>
                {other.count > 0 && <span class="quiet">hit {other.count.toLocaleString("en")}×</span>}
              </button>
            </li>
          ))}
        </ol>
      )}
      {bug ? <BugView key={bugNumber} bug={bug} onTheme={changeTheme} /> : <header class="head"><h1>No bug was found</h1><p class="words">{report.campaign ? `Left: ${report.campaign.left}.` : ""}</p></header>}
      {report.campaign && <CampaignDetails campaign={report.campaign} />}
      <footer class="quiet">{report.tool}</footer>
    </main>
  );
}
