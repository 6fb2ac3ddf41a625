// How one uses the page: keys, the overview with its brush, filters, search; long executions, narrow windows, both
// themes, and programs that read the page aloud.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isInSight, nodes, opened, selectedRow, useBrowser } from "./browser.mjs";
import { poorContrasts } from "./contrast.mjs";

useBrowser();

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
  await page.keyboard.press("f");
  assert.equal(await selectedRow(page), start);
  const all = await page.locator(".row").count();
  await page.keyboard.press("c");
  await page.locator(".fold").first().waitFor();
  assert.ok((await page.locator(".row").count()) < all);
  await page.keyboard.press("p");
  assert.ok(await page.locator(".row.selected.critical").isVisible());
  await page.keyboard.press("g");
  await page.locator(".graph svg").waitFor();
  assert.ok((await page.locator(".graph .node").count()) >= 3);
  await page.keyboard.press("?");
  assert.ok(await page.locator(".help").isVisible());
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".help").count(), 0);
  const before = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.keyboard.press("t");
  assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), before);
  await page.finish();
});

test("folded events are opened by keys alone", async () => {
  const page = await opened("stale");
  await page.keyboard.press("c");
  await page.keyboard.press("Home");
  for (let i = 0; i < 20 && (await page.locator(".fold.selected").count()) === 0; ++i) await page.keyboard.press("j");
  assert.match(await page.locator(".details").innerText(), /folded/);
  const before = await page.locator(".row").count();
  await page.keyboard.press("Enter");
  await page.locator(".row.selected").waitFor();
  assert.ok((await page.locator(".row").count()) > before);
  await page.finish();
});

test("letters can be switched off, except in the timeline", async () => {
  const page = await opened("stale");
  const start = await selectedRow(page);
  await page.keyboard.press("?");
  await page.getByLabel("Letters work everywhere").uncheck();
  await page.locator(".theme").focus();
  await page.keyboard.press("k");
  assert.equal(await selectedRow(page), start);
  await page.locator(".timeline").focus();
  await page.keyboard.press("k");
  assert.equal(await selectedRow(page), start - 1);
  await page.finish();
});

test("the focus goes from the top to the bottom, and everything has a name", async () => {
  const page = await opened("events");
  const seen = [];
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const name = element.getAttribute("aria-label") || element.textContent || element.getAttribute("placeholder") || (element.labels && element.labels[0]?.textContent);
      return { kind: element.className, tag: element.tagName, name: String(name ?? "").trim(), outline: getComputedStyle(element).outlineStyle };
    });
    if (at === null) break;
    seen.push(at);
  }
  for (const at of seen) {
    assert.notEqual(at.name, "", `${at.tag}.${at.kind} has no name`);
    assert.notEqual(at.outline, "none", `${at.tag}.${at.kind} shows no focus`);
  }
  const place = (test) => seen.findIndex(test);
  const order = [
    place((at) => at.kind === "theme"),
    place((at) => at.kind === "link"),
    place((at) => at.name.startsWith("Copy: heddle replay")),
    place((at) => at.name.startsWith("Copy: heddle explain")),
    place((at) => at.name === "Timeline" && at.tag === "BUTTON"),
    place((at) => at.name === "Search events"),
    place((at) => at.name === "Keys"),
    place((at) => at.kind.startsWith("brush")),
    place((at) => at.kind.startsWith("timeline")),
    place((at) => at.tag === "SUMMARY" && at.name === "This execution"),
  ];
  assert.ok(order.every((at) => at >= 0), order.join(" "));
  assert.deepEqual(order, [...order].sort((a, b) => a - b));
  await page.finish();
});

test("the timeline is a table for programs that read it aloud", async () => {
  const page = await opened("race");
  const grid = page.getByRole("grid", { name: "Timeline" });
  const spoken = await grid.ariaSnapshot();
  assert.match(spoken, /columnheader "event"/);
  assert.match(spoken, /row .*:\n\s+- rowheader "#5"\n\s+- gridcell "T1"\n\s+- gridcell "store ready = 1 relaxed"\n\s+- gridcell "race\.cpp:11"/);
  assert.match(spoken, /row .* \[selected\]/);
  const active = await grid.getAttribute("aria-activedescendant");
  assert.equal(await page.locator(`#${active}`).getAttribute("data-row"), String(await selectedRow(page)));
  await page.finish();
});

test("twenty thousand events: few of them are in the document, and all can be reached", async () => {
  const page = await opened("events");
  const atStart = await nodes(page);
  assert.ok(atStart < 1000, `${atStart} nodes`);
  assert.match(await page.locator(".count").innerText(), /^2\d,\d{3} events|^19,\d{3} events/);
  await page.getByLabel("critical events only").uncheck();
  const lines = Number(await page.locator(".timeline").getAttribute("aria-rowcount")) - 1;
  assert.ok(lines > 19000, `${lines} lines`);
  const inDocument = () => page.locator(".row").count();
  assert.ok((await inDocument()) < 120);
  await page.keyboard.press("Home");
  await page.locator('.row[data-row="0"]').waitFor();
  await page.keyboard.press("End");
  await page.locator(`.row.selected[data-row="${lines - 1}"]`).waitFor();
  assert.ok((await inDocument()) < 120);
  await page.locator(".timeline").evaluate((element) => (element.scrollTop = 26 * 10000));
  await page.locator('.row[data-row="10005"]').waitFor();
  assert.ok((await inDocument()) < 120);
  for (let i = 0; i < 4; ++i) await page.keyboard.press("-");
  await page.locator(".timeline.dots").waitFor();
  assert.ok((await inDocument()) > 120, "more is shown when one zooms out");
  const zoomedOut = await nodes(page);
  assert.ok(zoomedOut < 3000, `${zoomedOut} nodes`);
  await page.finish();
});

const brush = (page) =>
  page.locator(".brush").evaluate((element) => ({ left: element.offsetLeft, width: element.offsetWidth, now: Number(element.getAttribute("aria-valuenow")) }));

test("the brush shows what the timeline shows, and moves it", async () => {
  const page = await opened("events");
  await page.getByLabel("critical events only").uncheck();
  assert.equal(await page.locator(".overview .density").count(), 2, "a lane for each thread");
  assert.notEqual(await page.locator(".overview .mark-cited").getAttribute("d"), "", "the finding is marked");
  const atEnd = await brush(page);
  assert.ok(atEnd.now > 18000, `${atEnd.now}`);
  // Dragged to the middle.
  const strip = await page.locator(".overview").boundingBox();
  const grip = await page.locator(".brush").boundingBox();
  await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
  await page.mouse.down();
  await page.mouse.move(strip.x + strip.width / 2, grip.y + grip.height / 2, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => Math.abs(Number(document.querySelector(".brush").getAttribute("aria-valuenow")) - 10000) < 1000);
  const first = Number(await page.locator(".row").first().getAttribute("data-row"));
  assert.ok(Math.abs(first - 10000) < 1000, `row ${first}`);
  // By keys.
  await page.locator(".brush").focus();
  const middle = (await brush(page)).now;
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((now) => Number(document.querySelector(".brush").getAttribute("aria-valuenow")) > now, middle);
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector(".brush").getAttribute("aria-valuenow") === "0");
  assert.match(await page.locator(".brush").getAttribute("aria-valuetext"), /^#0 to #\d+$/);
  // A click on the finding's mark goes there.
  const mark = await page.locator(".overview").boundingBox();
  await page.mouse.click(mark.x + mark.width - 9, mark.y + 5);
  assert.ok(await isInSight(page.locator(".row.selected")));
  assert.match(await page.locator(".row.selected .operation").innerText(), /failed/);
  await page.finish();
});

test("+ and - zoom: the overview shows a shorter stretch, or the timeline more events", async () => {
  const page = await opened("events");
  await page.getByLabel("critical events only").uncheck();
  const stretch = () => page.locator(".overview").evaluate((element) => Number(element.dataset.end) - Number(element.dataset.begin));
  const whole = await stretch();
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await page.waitForFunction((n) => { const { begin, end } = document.querySelector(".overview").dataset; return end - begin < n / 3; }, whole);
  assert.ok((await stretch()) >= whole / 4 - 1);
  await page.getByRole("button", { name: "Zoom out" }).click();
  await page.keyboard.press("-");
  assert.equal(await stretch(), whole);
  const height = () => page.locator(".row").first().evaluate((row) => row.offsetHeight);
  const before = await height();
  await page.keyboard.press("-");
  await page.waitForFunction((high) => document.querySelector(".row").offsetHeight < high, before);
  await page.finish();
});

test("filters by thread and by variable; a card's event is shown all the same", async () => {
  const page = await opened("race");
  await page.locator(".menu > summary").click();
  await page.getByRole("group", { name: "Threads" }).getByLabel("T1").uncheck();
  await page.keyboard.press("Escape");
  const threads = async () => new Set(await page.locator('.row [role="gridcell"].unseen').allInnerTexts());
  assert.deepEqual([...(await threads())].sort(), ["T0", "T2"]);
  await page.getByRole("combobox", { name: "Variable" }).selectOption("ready");
  for (const text of await page.locator(".row .operation").allInnerTexts()) assert.match(text, /ready/);
  await page.locator(".card h3 button").first().click();
  assert.match(await page.locator(".row.selected .operation").innerText(), /write data/);
  assert.ok((await threads()).has("T1"));
  await page.finish();
});

test("search finds events, also folded ones", async () => {
  const page = await opened("events");
  await page.keyboard.press("/");
  await page.keyboard.type("store flag");
  assert.match(await page.locator(".search [role=status]").innerText(), /1 of 1/);
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".details h2").innerText(), /store flag = 1 release/);
  await page.locator(".row.selected.match").waitFor();
  assert.ok(await isInSight(page.locator(".row.selected")));
  await page.finish();
});

test("colours follow the system, and every text can be read in both", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const name of ["race", "explained", "order", "test"]) {
      const page = await opened(name, { colorScheme });
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      await page.keyboard.press("?");
      await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
      assert.deepEqual(await page.evaluate(poorContrasts), [], `${name}, ${colorScheme}`);
      await page.finish();
    }
  }
});

test("a window of 420 pixels: nothing goes beyond its edge, and the finding is there", async () => {
  for (const name of ["race", "explained", "events", "locks", "order", "test"]) {
    const page = await opened(name, { viewport: { width: 420, height: 860 } });
    await page.keyboard.press("?");
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 420, `${name}: ${wide} pixels`);
    const timeline = await page.locator(".timeline").evaluate((element) => [element.scrollWidth, element.clientWidth]);
    assert.ok(timeline[0] <= timeline[1] + 1, `${name}: the timeline is ${timeline} wide`);
    await page.locator(".row.selected").scrollIntoViewIfNeeded();
    assert.ok(await isInSight(page.locator(".row.selected")), name);
    await page.finish();
  }
  const page = await opened("race", { viewport: { width: 420, height: 860 } });
  // Above it stands what happened and what it leads to; the second line may need a turn of the wheel.
  assert.ok(await isInSight(page.locator(".card .marked").first()));
  await page.finish();
});
