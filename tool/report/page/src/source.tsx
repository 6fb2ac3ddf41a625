// Lines of source around a place, the line itself marked.
import type { Bug, Frame } from "./data";

interface Props {
  bug: Bug;
  frame: Frame;
  around: number;
}

export function Source({ bug, frame, around }: Props) {
  const [, place, , fileNumber, line] = frame;
  const file = bug.files[fileNumber];
  const lines = file?.lines.filter(([n]) => Math.abs(n - line) <= around) ?? [];
  if (!file || lines.length === 0) {
    return <p class="quiet">{place ? `${place}: the artifact has no source of it` : "no source is known"}</p>;
  }
  const indent = Math.min(...lines.filter(([, text]) => text.trim()).map(([, text]) => text.length - text.trimStart().length));
  return (
    <pre class="source" data-file={file.path}>
      {lines.map(([n, text]) => (
        <div key={n} class={n === line ? "line marked" : "line"}>
          <span class="line-number">{n}</span>
          <code>{text.slice(Number.isFinite(indent) ? indent : 0) || " "}</code>
        </div>
      ))}
    </pre>
  );
}

export function frameOf(bug: Bug, stack: number): Frame | undefined {
  const known = bug.stacks[stack];
  return known && bug.frames[known.frames[known.at] ?? -1];
}
