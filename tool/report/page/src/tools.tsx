// Above the timeline: what is shown of the execution, and the search.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { EDGE_KINDS, type EdgeKind, type Filter, type Model, NO_FILTER, grouped } from "./model";
import { LEAST_ZOOM, mostZoom } from "./zoom";

const MOST_VARIABLES = 200;

export interface View {
  graph: boolean;
  collapsed: boolean;
  filter: Filter;
  edges: ReadonlySet<EdgeKind>;
  query: string;
  zoom: number;
  help: boolean;
}

interface Props {
  model: Model;
  view: View;
  change: (part: Partial<View>) => void;
  searchBox: RefObject<HTMLInputElement>;
  found: string; // "3 of 12"; empty: nothing is looked for
  onFind: (back: boolean) => void;
}

function toggled<T>(set: ReadonlySet<T>, value: T): Set<T> {
  const after = new Set(set);
  if (!after.delete(value)) after.add(value);
  return after;
}

function Threads({ model, filter, onFilter }: { model: Model; filter: Filter; onFilter: (filter: Filter) => void }) {
  const { threads } = model.bug;
  const shown = threads.length - threads.filter((thread) => filter.hidden.has(thread.id)).length;
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const isAway = event instanceof KeyboardEvent ? event.key === "Escape" : !menu.current?.contains(event.target as Node);
      if (isAway && menu.current) menu.current.open = false;
    };
    for (const kind of ["pointerdown", "focusin", "keydown"]) document.addEventListener(kind, close);
    return () => ["pointerdown", "focusin", "keydown"].forEach((kind) => document.removeEventListener(kind, close));
  }, []);
  return (
    <details class="menu" ref={menu}>
      <summary>{shown === threads.length ? "all threads" : `${shown} of ${threads.length} threads`}</summary>
      <div class="menu-list" role="group" aria-label="Threads">
        {threads.map((thread) => (
          <label key={thread.id} class="check" title={thread.title}>
            <input type="checkbox" checked={!filter.hidden.has(thread.id)} onChange={() => onFilter({ ...filter, hidden: toggled(filter.hidden, thread.id) })} />
            <span class={`tag lane-${thread.id % 8}`}>{`T${thread.id}`}</span> <span class="cut">{thread.title.replace(/^T\d+ ?/, "")}</span>
          </label>
        ))}
      </div>
    </details>
  );
}

function Variables({ model, filter, onFilter }: { model: Model; filter: Filter; onFilter: (filter: Filter) => void }) {
  const shown = model.variables.slice(0, MOST_VARIABLES);
  return (
    <select aria-label="Variable" value={filter.variable} onChange={(event) => onFilter({ ...filter, variable: (event.target as HTMLSelectElement).value })}>
      <option value="">all variables</option>
      {shown.map(([name, count]) => <option key={name} value={name}>{name} ({grouped(count)})</option>)}
      {model.variables.length > shown.length && <option disabled>{grouped(model.variables.length - shown.length)} more: search for them</option>}
    </select>
  );
}

export function Tools({ model, view, change, searchBox, found, onFind }: Props) {
  const { bug } = model;
  const present = new Set(model.edges.map((edge) => edge.kind));
  const filtered = view.filter !== NO_FILTER && (view.filter.hidden.size > 0 || view.filter.variable !== "");
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter") onFind(event.shiftKey);
    else if (event.key === "Escape") searchBox.current?.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="tools" role="toolbar" aria-label="What is shown">
      <div class="group" role="group" aria-label="View">
        <button type="button" aria-pressed={!view.graph} onClick={() => change({ graph: false })}>Timeline</button>
        <button type="button" aria-pressed={view.graph} onClick={() => change({ graph: true })}>Graph</button>
      </div>
      {model.hasFolds && <label class="check"><input type="checkbox" checked={view.collapsed} onChange={() => change({ collapsed: !view.collapsed })} /> critical events only</label>}
      {bug.threads.length > 1 && <Threads model={model} filter={view.filter} onFilter={(filter) => change({ filter })} />}
      {model.variables.length > 1 && <Variables model={model} filter={view.filter} onFilter={(filter) => change({ filter })} />}
      {filtered && <button type="button" class="clear" onClick={() => change({ filter: NO_FILTER })}>Show all</button>}
      <span class="search">
        <input ref={searchBox} type="search" placeholder="Search  ( / )" aria-label="Search events" value={view.query} onKeyDown={onKey}
          onInput={(event) => change({ query: (event.target as HTMLInputElement).value })} />
        <span class="quiet" role="status">{found}</span>
      </span>
      <span class="quiet count">
        {grouped(model.events)} events{bug.totalEvents > model.events && ` of ${grouped(bug.totalEvents)}`}
      </span>
      <div class="group" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom out" title="Zoom out ( − )" disabled={view.zoom <= LEAST_ZOOM} onClick={() => change({ zoom: view.zoom - 1 })}>−</button>
        <button type="button" aria-label="Zoom in" title="Zoom in ( + )" disabled={view.zoom >= mostZoom(model.rows.length)} onClick={() => change({ zoom: view.zoom + 1 })}>+</button>
      </div>
      <button type="button" class="keys" onClick={() => change({ help: !view.help })} aria-expanded={view.help} aria-controls="help" aria-label="Keys" title="Keys ( ? )">?</button>
      {present.size > 0 && <div class="group edges-group" role="group" aria-label="Arrows">
        <span class="quiet">Arrows:</span>
        {EDGE_KINDS.filter((kind) => present.has(kind)).map((kind) => (
          <button type="button" key={kind} class={`toggle ${kind}`} aria-pressed={view.edges.has(kind)} onClick={() => change({ edges: toggled(view.edges, kind) })}>{model.edgeName(kind)}</button>
        ))}
      </div>}
    </div>
  );
}
