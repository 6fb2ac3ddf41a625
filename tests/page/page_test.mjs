// What one does with the page: look, click, step, search, fold. tests/page/run.sh makes the pages.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.NODE_MODULES}/`);
const { chromium } = require("playwright-core");
const pages = process.env.HEDDLE_PAGES;

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});
after(() => browser.close());

// A page that has loaded; nothing but the file itself may have been asked for, and nothing may have gone wrong.
async function opened(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
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

const selectedRow = (page) => page.locator(".row.selected").getAttribute("data-row").then(Number);

test("a race explains itself: kind, places, words, both accesses with their source", async () => {
  const page = await opened("race");
  assert.match(await page.locator(".head h1").innerText(), /data race\s+race\.cpp:10 ↔ 15/);
  const words = await page.locator(".words").innerText();
  assert.match(words, /T1 wrote data at race\.cpp:10, and T2 read it at race\.cpp:15/);
  assert.match(words, /relaxed store and a relaxed load do not synchronise/);
  assert.equal(await page.locator(".card").count(), 2);
  const marked = await page.locator(".card .marked code").allInnerTexts();
  assert.deepEqual(marked.map((line) => line.trim()), ["data = 42;", "if (data != 42) ready.store(false);"]);
  assert.match(await page.locator(".reproduce").innerText(), /heddle replay out-race\/bug-1\.heddle/);
  assert.equal(await page.locator(".edge.race").count(), 1);
  await page.finish();
});

test("a click shows an event's source, stack, related events and what it could have read", async () => {
  const page = await opened("race");
  await page.getByLabel("critical events only").uncheck();
  await page.locator(".row.stale").first().click();
  const details = page.locator(".details");
  assert.match(await details.locator(".marked").innerText(), /while \(!ready\.load/);
  assert.match(await details.locator(".values h3").innerText(), /could have read 2 values/);
  assert.match(await details.locator(".values .picked").innerText(), /the initial value/);
  assert.match(await details.locator(".values").innerText(), /store ready = 1 relaxed/);
  assert.ok((await details.locator(".stack li").count()) >= 1);
  // From the value that was not read to the store that wrote it.
  await details.locator(".values .link").first().click();
  assert.match(await details.locator("h2").innerText(), /T1.*store ready = 1 relaxed/s);
  assert.match(await details.locator(".related").innerText(), /read by/);
  await page.finish();
});

test("keys step through events, fold, change the view and the colours", async () => {
  const page = await opened("stale");
  const start = await selectedRow(page);
  await page.keyboard.press("k");
  await page.keyboard.press("ArrowUp");
  assert.equal(await selectedRow(page), start - 2);
  await page.keyboard.press("j");
  assert.equal(await selectedRow(page), start - 1);
  await page.keyboard.press("Home");
  assert.equal(await selectedRow(page), 0);
  const all = await page.locator(".row").count();
  await page.keyboard.press("c");
  await page.locator(".fold").first().waitFor();
  assert.ok((await page.locator(".row").count()) < all);
  await page.locator(".fold").first().click();
  await page.keyboard.press("n");
  assert.ok(await page.locator(".row.selected.critical").isVisible());
  await page.keyboard.press("g");
  await page.locator(".graph svg").waitFor();
  assert.ok((await page.locator(".graph .node").count()) >= 3);
  await page.keyboard.press("?");
  assert.ok(await page.locator(".help").isVisible());
  const before = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.keyboard.press("t");
  assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), before);
  await page.finish();
});

test("a failure after a stale read shows the read and the store that it missed", async () => {
  const page = await opened("stale");
  assert.match(await page.locator(".words").innerText(), /read an old [xy]/);
  assert.equal(await page.locator(".stale-card").count(), 2);
  assert.ok((await page.locator(".row.stale .badge").count()) >= 1);
  assert.ok((await page.locator(".row .needed").count()) >= 1, "what the bug goes away without is marked");
  await page.locator(".row:has(.needed)").first().click();
  assert.match(await page.locator(".details").innerText(), /the bug goes away/);
  await page.finish();
});

test("edges are there by kind and can be switched off", async () => {
  const page = await opened("race");
  for (const kind of ["rf", "sw", "race"]) {
    assert.ok((await page.locator(`.edge.${kind}`).count()) > 0, kind);
    await page.locator(`.toggle.${kind}`).click();
    assert.equal(await page.locator(`.edge.${kind}`).count(), 0, kind);
  }
  await page.finish();
});

test("colours follow the system", async () => {
  for (const scheme of ["light", "dark"]) {
    const page = await opened("stale", { colorScheme: scheme });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), scheme);
    await page.finish();
  }
});

test("five thousand events: few of them are in the document, and all can be reached", async () => {
  const page = await opened("events");
  await page.getByLabel("critical events only").uncheck();
  const lines = Number(await page.locator(".timeline").getAttribute("aria-rowcount"));
  assert.ok(lines > 5000, `${lines} lines`);
  const inDocument = () => page.locator(".row").count();
  assert.ok((await inDocument()) < 120);
  await page.keyboard.press("Home");
  await page.locator('.row[data-row="0"]').waitFor();
  await page.keyboard.press("End");
  await page.locator(`.row.selected[data-row="${lines - 1}"]`).waitFor();
  assert.ok((await inDocument()) < 120);
  await page.locator(".timeline").evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
  await page.locator(`.row[data-row="${Math.floor(lines / 2)}"]`).waitFor();
  assert.ok((await inDocument()) < 120);
  assert.ok((await page.locator(".edge").count()) < 3000);
  await page.finish();
});

test("search finds events, also folded ones", async () => {
  const page = await opened("events");
  await page.keyboard.press("c");
  await page.keyboard.press("c");
  await page.keyboard.press("/");
  await page.keyboard.type("store flag");
  assert.match(await page.getByRole("status").innerText(), /1 of 1/);
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".details h2").innerText(), /store flag = 1 release/);
  await page.locator(".row.selected.match").waitFor();
  await page.finish();
});

test("what the program says is text, whatever it says", async () => {
  const page = await opened("events");
  assert.match(await page.title(), /^heddle: reported failure/);
  assert.match(await page.locator(".words").innerText(), /<i>it<\/i> failed/);
  await page.getByLabel("critical events only").uncheck();
  await page.keyboard.press("Home");
  const rows = (await page.locator(".row .operation").allInnerTexts()).join("\n");
  assert.ok(rows.includes("note: </script><script>document.title='owned'</script>"), rows.slice(0, 500));
  assert.ok(rows.includes("<img src=x onerror="), rows.slice(0, 500));
  assert.equal(await page.locator("img, .row script").count(), 0);
  await page.getByText("The program's output").click();
  assert.match(await page.locator(".more[open] .text").innerText(), /<b>output<\/b> &amp; @HEDDLE_DATA@/);
  await page.finish();
});

test("heddle show --html makes the same page from an artifact", async () => {
  const page = await opened("show");
  assert.match(await page.locator(".head h1").innerText(), /data race/);
  await page.finish();
});

test("heddle explain --html puts the execution that passes beside the one that fails, with its source", async () => {
  const page = await opened("explained");
  const sides = page.locator(".why-side");
  assert.deepEqual(await sides.locator("h3").allInnerTexts(), ["fails", "passes"]);
  assert.match(await sides.first().locator(".why-line.flows .why-source").allInnerTexts().then((lines) => lines.join("\n")), /\.load\(std::memory_order_acquire\)/);
  assert.match(await page.locator(".why-flow-table").innerText(), /initial value/);
  assert.ok((await sides.first().locator(".why-flows path").count()) > 0);
  await page.finish();
});
