// Pages in Chromium, for the tests beside this file. tests/page/run.sh makes the pages.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.NODE_MODULES}/`);
const { chromium } = require("playwright-core");
const pages = process.env.HEDDLE_PAGES;

let browser;
export function useBrowser() {
  before(async () => {
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  });
  after(() => browser.close());
}

// A page that has loaded. Nothing but the file itself may have been asked for, and nothing may have gone wrong.
export async function opened(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  const url = pathToFileURL(`${pages}/${name}.html`).href;
  page.requests = [];
  page.problems = [];
  page.on("request", (request) => page.requests.push(request.url()));
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  await page.goto(url);
  await page.locator(".head h1").waitFor();
  page.finish = async () => {
    assert.deepEqual(page.problems, []);
    assert.deepEqual([...new Set(page.requests)], [url]);
    await context.close();
  };
  return page;
}

export const selectedRow = (page) => page.locator(".row.selected").getAttribute("data-row").then(Number);
export const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);

// Is all of it in the window, and within the boxes that scroll it?
export const isInSight = (locator) =>
  locator.evaluate((element) => {
    const inside = (box, frame) => box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
    const box = element.getBoundingClientRect();
    const scroller = element.closest(".timeline");
    return inside(box, { top: 0, bottom: innerHeight }) && (!scroller || inside(box, scroller.getBoundingClientRect()));
  });
