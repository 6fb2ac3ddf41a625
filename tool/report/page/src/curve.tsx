// When the failure was decided: the share of executions that fail, by how many choices of the failing one they make.
import type { Curve } from "./data";

const WIDTH = 640;
const HEIGHT = 120;
const LEFT = 44;
const TOP = 8;
const MOST_JUMPS = 3;

export function Chart({ curve }: { curve: Curve }) {
  const { words, points, jumps } = curve;
  const last = Math.max(1, points[points.length - 1]?.at ?? 1);
  const x = (at: number) => LEFT + (at / last) * (WIDTH - LEFT - 10);
  const y = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - 22);
  // A point says what holds once so many choices are made: steps, and no slopes.
  const steps = (of: (point: Curve["points"][number]) => number) =>
    points.map((point, i) => `${i === 0 ? "M" : `H ${x(point.at)} V`} ${i === 0 ? `${x(point.at)} ` : ""}${y(of(point))}`).join(" ");
  const back = [...points].reverse().map((point, i, all) => {
    const next = all[i + 1];
    return `L ${x(point.at)} ${y(point.low)}` + (next ? ` L ${x(point.at)} ${y(next.low)}` : "");
  });
  return (
    <figure class="why-curve">
      <figcaption>{words}</figcaption>
      {jumps.length > 0 && (
        <>
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label="share of executions that fail, by choices made">
            {[0, 0.5, 1].map((share) => (
              <g key={share}>
                <path class="grid" d={`M ${LEFT} ${y(share)} H ${WIDTH - 10}`} />
                <text x={LEFT - 6} y={y(share) + 4} text-anchor="end">{`${share * 100} %`}</text>
              </g>
            ))}
            <path class="interval" d={`${steps((point) => point.high)} ${back.join(" ")} Z`} />
            <path class="share" d={steps((point) => point.share)} />
            {jumps.slice(0, MOST_JUMPS).map((jump, i) => (
              <g key={i}>
                <circle cx={x(jump.at)} cy={y(jump.to)} r="4"><title>{jump.text}</title></circle>
                <text x={x(jump.at) - 8} y={y(jump.to) + 4} text-anchor="end">{i + 1}</text>
              </g>
            ))}
            <text x={LEFT} y={HEIGHT - 4}>from the beginning</text>
            <text x={WIDTH - 10} y={HEIGHT - 4} text-anchor="end">{`all ${last} choices of this execution`}</text>
          </svg>
          <ol>{jumps.slice(0, MOST_JUMPS).map((jump, i) => <li key={i}>{jump.text}</li>)}</ol>
        </>
      )}
    </figure>
  );
}
