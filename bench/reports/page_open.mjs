// node page_open.mjs PAGE [ROUNDS]: how soon the page of a report is open in headless Chromium. By the browser's clock:
//   painted   from the begin of the navigation to the first paint of the page, which has the selected event
//   unfold    from showing all events to the next frame
//   end       from the key End, which goes to the last event, to the next frame
//   longest   the longest frame while the timeline is scrolled from its end to its beginning in 50 steps
// Each as median (least to most) in milliseconds. NODE_MODULES has playwright-core.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.NODE_MODULES}/`);
const { chromium } = require("playwright-core");
const [page, rounds = "11"] = process.argv.slice(2);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const found = [];
let said = "";
for (let round = 0; round < Number(rounds); ++round) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const tab = await context.newPage();
  await tab.goto(pathToFileURL(resolve(page)).href);
  await tab.locator(".row.selected").waitFor();
  await tab.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  found.push(
    await tab.evaluate(async () => {
      const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))));
      const timeline = document.querySelector(".timeline");
      timeline.focus();
      const after = async (act) => {
        const before = performance.now();
        act();
        return (await frame()) - before;
      };
      const folding = [...document.querySelectorAll(".tools .check")].find((label) => label.textContent.includes("critical")).firstChild;
      const unfold = await after(() => folding.click());
      const end = await after(() => timeline.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true })));
      let longest = 0;
      for (let step = 50; step >= 0; --step) {
        longest = Math.max(longest, await after(() => (timeline.scrollTop = (timeline.scrollHeight * step) / 50)));
      }
      const painted = performance.getEntriesByName("first-contentful-paint")[0].startTime;
      return { painted, unfold, end, longest };
    }),
  );
  said = `${await tab.locator(".count").innerText()}, ${await tab.locator("*").count()} elements in the document`;
  await context.close();
}

console.log(said);
for (const key of Object.keys(found[0])) {
  const values = found.map((one) => one[key]).sort((a, b) => a - b);
  const [least, median, most] = [0, Math.floor(values.length / 2), values.length - 1].map((i) => values[i].toFixed(0));
  console.log(`${key}: ${median} (${least} to ${most}) ms`);
}
await browser.close();
