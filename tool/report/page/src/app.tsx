// The page: a list of bugs, and the one that is looked at.
import { useCallback, useEffect, useState } from "preact/hooks";
import { BugView } from "./bug_view";
import { CampaignDetails, CampaignLine } from "./campaign";
import type { Report } from "./data";
import { grouped } from "./model";
import { type Theme, currentTheme, showTheme } from "./theme";

export function App({ report }: { report: Report }) {
  const [theme, setTheme] = useState<Theme>(currentTheme());
  // A bug says more than a warning.
  const [bugNumber, setBugNumber] = useState(() => Math.max(0, report.bugs.findIndex((bug) => bug.severity === "bug")));
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
      <div class="bar">
        <span class="brand">heddle</span>
        <CampaignLine campaign={report.campaign} program={report.program} bugs={report.bugs.length} />
        <button type="button" class="theme" onClick={changeTheme} aria-label={theme === "dark" ? "Light colours" : "Dark colours"} title="Dark or light ( t )">{theme === "dark" ? "☀" : "☾"}</button>
      </div>
      {report.bugs.length > 1 && (
        <nav aria-label="Findings">
          <ol class="bugs">
            {report.bugs.map((other, i) => (
              <li key={i}>
                <button type="button" aria-pressed={i === bugNumber} onClick={() => setBugNumber(i)} title={other.summary}>
                  <span class={`kind ${other.severity}`}>{other.kind}</span> <span class="bug-title">{other.summary.replace(other.kind, "").trim()}</span>
                  {other.count > 0 && <span class="quiet">hit {grouped(other.count)}×</span>}
                </button>
              </li>
            ))}
          </ol>
        </nav>
      )}
      {bug ? <BugView key={bugNumber} bug={bug} onTheme={changeTheme} /> : <header class="head"><h1>No bug was found</h1><p class="words">{report.campaign ? `Left: ${report.campaign.left}.` : ""}</p></header>}
      {report.campaign && <CampaignDetails campaign={report.campaign} />}
      <footer class="quiet">{report.tool}</footer>
    </main>
  );
}
