// What was run, and what else it showed.
import type { Bug, Campaign } from "./data";

const number = (n: number) => n.toLocaleString("en", { maximumFractionDigits: n < 10 ? 1 : 0 });

export function CampaignLine({ campaign, program, bugs }: { campaign: Campaign | null; program: string; bugs: number }) {
  if (!campaign) return <span class="campaign-line">{program}</span>;
  return (
    <span class="campaign-line">
      {program} · {number(campaign.executions)} {campaign.executions === 1 ? "execution" : "executions"} in {campaign.duration} · {bugs === 0 ? "no bug" : `${bugs} ${bugs === 1 ? "finding" : "findings"}`}
    </span>
  );
}

export function CampaignDetails({ campaign }: { campaign: Campaign }) {
  const most = Math.max(1, ...campaign.outcomes.map(([, count]) => count));
  return (
    <details class="more">
      <summary>The campaign</summary>
      <dl>
        <dt>executions</dt>
        <dd>{number(campaign.executions)}, {number(campaign.perSecond)} per second, {campaign.workers} {campaign.workers === 1 ? "worker" : "workers"}</dd>
        <dt>with a bug</dt>
        <dd>{number(campaign.buggyExecutions)}</dd>
        <dt>seed</dt>
        <dd>{campaign.seed}</dd>
        {campaign.stoppedBecause && <><dt>stopped because</dt><dd>{campaign.stoppedBecause}</dd></>}
        <dt>left</dt>
        <dd>{campaign.left}</dd>
        {campaign.warnings.map((warning, i) => <><dt key={i}>note</dt><dd>{warning}</dd></>)}
      </dl>
      {campaign.strategies.length > 0 && (
        <table>
          <thead><tr><th>strategy</th><th>executions</th><th>with a bug</th></tr></thead>
          <tbody>{campaign.strategies.map(([name, executions, buggy]) => <tr key={name}><td>{name}</td><td>{number(executions)}</td><td>{number(buggy)}</td></tr>)}</tbody>
        </table>
      )}
      {campaign.outcomes.length > 0 && (
        <table class="outcomes">
          <thead><tr><th>outcome</th><th>executions</th><th /></tr></thead>
          <tbody>{campaign.outcomes.map(([outcome, count]) => (
            <tr key={outcome}><td>{outcome}</td><td>{number(count)}</td><td><meter min={0} max={most} value={count} /></td></tr>
          ))}</tbody>
        </table>
      )}
    </details>
  );
}

export function BugDetails({ bug }: { bug: Bug }) {
  return (
    <>
      <details class="more">
        <summary>This execution</summary>
        <dl>
          {bug.count > 0 && <><dt>hit</dt><dd>{bug.count === 1 ? "once" : `${number(bug.count)} times`}, first in execution {number(bug.firstExecution)}</dd></>}
          {bug.run.map(([label, value], i) => <><dt key={i}>{label}</dt><dd>{value}</dd></>)}
          <dt>fingerprint</dt><dd>{bug.signature}</dd>
        </dl>
        {bug.minimised && <pre class="text">{bug.minimised}</pre>}
        {bug.legend.length > 0 && <ul class="legend">{bug.legend.map((line) => <li key={line}>{line}</li>)}</ul>}
      </details>
      <details class="more"><summary>The report as text</summary><pre class="text">{bug.text}</pre></details>
    </>
  );
}
