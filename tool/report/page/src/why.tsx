// Why it failed: the execution that fails beside one that is nearly the same and passes, and what to change.
import { Chart } from "./curve";
import type { Explanation, Side } from "./data";

const LINE = 46; // as in style.css: .why-line
const GUTTER = 34;

// Data flows that only this execution has, from the writer down (or up) to the reader.
function Flows({ side }: { side: Side }) {
  const middle = (line: number) => line * LINE + LINE / 2;
  return (
    <svg class="why-flows" width={GUTTER} height={side.lines.length * LINE} aria-hidden="true">
      {side.flows.map(([writer, reader], i) => {
        const to = middle(reader);
        if (writer < 0) return <path key={i} d={`M 6 ${to} H ${GUTTER - 7}`} class="initial" />;
        const from = middle(writer);
        const left = GUTTER - 10 - Math.min(22, 6 + 4 * Math.abs(reader - writer));
        return <path key={i} d={`M ${GUTTER - 2} ${from} C ${left} ${from}, ${left} ${to}, ${GUTTER - 7} ${to}`} />;
      })}
      {side.flows.map(([, reader], i) => (
        <path key={i} class="tip" d={`M ${GUTTER - 1} ${middle(reader)} l -7 -4 v 8 z`} />
      ))}
    </svg>
  );
}

function Half({ side, title, kind }: { side: Side; title: string; kind: string }) {
  return (
    <section class={`why-side ${kind}`} aria-label={title}>
      <h3>{title}</h3>
      <div class="why-body">
        <Flows side={side} />
        <ol>
          {side.lines.map((line, i) => (
            <li key={i} class={line.inFlow ? "why-line flows" : "why-line"}>
              <span class={`tag lane-${line.thread % 8}`}>{`T${line.thread}`}</span>
              <span class="why-text" title={line.text}>{line.text}</span>
              <span class="why-place" title={line.place}>{line.place}</span>
              <code class="why-source" title={line.source.trim()}>{line.source.trim()}</code>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

export function Why({ explanation }: { explanation: Explanation }) {
  const { sentence, evidence, noRemedy, how, curve, rootCause, rootCauseIsMinimal, differences, fails, passes } = explanation;
  return (
    <section class="why" aria-label="Why it failed">
      <h2>Why</h2>
      {sentence && <p class="why-sentence">{sentence}</p>}
      {evidence && <p class="quiet">{evidence}</p>}
      {noRemedy && <p class="quiet">{noRemedy}</p>}
      {passes && (
        <div class="why-sides">
          <Half side={fails} title="fails" kind="fails" />
          <Half side={passes} title="passes" kind="passes" />
        </div>
      )}
      {differences.length > 0 && (
        <table class="why-flow-table">
          <thead><tr><th>data flow that differs</th><th>fails with</th><th>passes with</th></tr></thead>
          <tbody>
            {differences.map((flow, i) => (
              <tr key={i}>
                <td><span class={`tag lane-${flow.thread % 8}`}>{`T${flow.thread}`}</span> {flow.what}</td>
                <td data-label="fails with ">{flow.fails}</td>
                <td data-label="passes with ">{flow.passes}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {curve && <Chart curve={curve} />}
      {rootCause.length > 0 && (
        <details class="why-root" open={rootCause.length <= 6}>
          <summary>Root cause: no execution that passes has all of these{!rootCauseIsMinimal && " (perhaps not the least set)"}</summary>
          <ul>{rootCause.map((line, i) => <li key={i}>{line}</li>)}</ul>
        </details>
      )}
      <p class="quiet">{how}</p>
    </section>
  );
}
