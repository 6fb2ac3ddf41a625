// What the page shows: the finding, the places that it cites, the execution, why it failed, and what the program said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isInSight, opened, useBrowser } from "./browser.mjs";

useBrowser();

// Parts of a card's title lie side by side, with a gap that is no text.
const roles = (page) => page.locator(".card h3").evaluateAll((titles) =>
  titles.map((title) => {
    const texts = [];
    const walker = document.createTreeWalker(title, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode.data.trim());
    return texts.filter(Boolean).join(" ").replace(/\s+/g, " ");
  }));

test("a race explains itself: kind, places, words, both accesses with their source and column", async () => {
  const page = await opened("race");
  assert.match(await page.locator(".head h1").innerText(), /data race\s+race\.cpp:10 ↔ 15/);
  const words = await page.locator(".words").innerText();
  assert.match(words, /T1 wrote data at race\.cpp:10, and T2 read it at race\.cpp:15/);
  assert.match(words, /relaxed store and a relaxed load do not synchronise/);
  assert.deepEqual(await roles(page), ["T1 wrote data", "T2 read data", "T1 stored ready, relaxed: orders nothing", "T2 read ready, relaxed: orders nothing"]);
  const marked = await page.locator(".card .marked code").allInnerTexts();
  const lines = ["data = 42;", "if (data != 42) ready.store(false);", "ready.store(true, std::memory_order_relaxed);", "while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();"];
  assert.deepEqual(marked.map((line) => line.trim()), lines);
  // The caret is below the column that the debug information names, whatever lies before it.
  for (const card of await page.locator(".card").all()) {
    const column = Number(/:(\d+)$/.exec(await card.locator(".where b").innerText())[1]);
    const offset = await card.locator(".caret b").evaluate((caret) => {
      const line = caret.closest(".source").querySelector(".marked code");
      const range = document.createRange();
      range.setStart(line.firstChild, 0);
      range.setEnd(line.firstChild, 1);
      const first = range.getBoundingClientRect();
      return Math.round((caret.getBoundingClientRect().left - first.left) / first.width);
    });
    const shown = await card.locator(".marked code").evaluate((code) => code.textContent);
    const whole = `    ${shown.trim()}`; // as race.cpp has it
    assert.equal(offset, column - 1 - (whole.length - shown.length));
  }
  assert.match(await page.locator(".reproduce").innerText(), /heddle replay out-race\/bug-1\.heddle/);
  assert.equal(await page.locator(".edge.race").count(), 1);
  await page.finish();
});

test("the page opens at the finding: its event is selected and in sight, and so are both source lines", async () => {
  for (const name of ["race", "freed", "locks", "order", "wake_up", "events"]) {
    const page = await opened(name);
    const row = page.locator(".row.selected");
    assert.ok(await row.evaluate((element) => element.classList.contains("cited")), name);
    assert.ok(await isInSight(row), `${name}: the selected event is in sight: ${JSON.stringify([await row.boundingBox(), await page.locator(".timeline").boundingBox()])}`);
    const lines = await page.locator(".card .marked").all();
    assert.ok(lines.length >= (name === "events" ? 1 : 2), name);
    for (const line of lines) assert.ok(await isInSight(line), `${name}: the source is in sight`);
    assert.equal(await page.evaluate(() => scrollY), 0, name);
    await page.finish();
  }
});

test("every cited place has a card that leads to its event", async () => {
  const expected = {
    freed: [["freed it", /free heap#1/], ["uses it|writes to it", /write heap#1|memory that was freed/]],
    locks: [["took second_lock", /lock second_lock/], ["took first_lock", /lock first_lock/], ["waits for second_lock, held by T\\d", /waits for second_lock/], ["waits for first_lock, held by T\\d", /waits for first_lock/]],
    wake_up: [["signalled before T\\d waited", /notify_one bell/], ["waits for ever", /wait on bell/]],
  };
  for (const [name, cards] of Object.entries(expected)) {
    const page = await opened(name);
    for (const [role, event] of cards) {
      const card = page.locator(".card").filter({ has: page.locator(".role", { hasText: new RegExp(`^(${role})$`) }) });
      assert.equal(await card.count(), 1, `${name}: ${role} in ${await roles(page)}`);
      assert.match(await card.locator(".where").innerText(), /findings\.cpp:\d+:\d+/);
      await card.getByRole("button").first().click();
      assert.match(await page.locator(".row.selected .operation").innerText(), event, `${name}: ${role}`);
      assert.ok(await page.locator(".row.selected").evaluate((element) => element.classList.contains("cited")), `${name}: ${role}`);
    }
    await page.finish();
  }
  const page = await opened("freed");
  assert.match(await page.getByRole("list", { name: "Also cited" }).innerText(), /allocated here/);
  await page.finish();
});

test("a click shows an event's source, stack, related events and what it could have read", async () => {
  const page = await opened("race");
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

test("a failure after a stale read shows the read and the store that it missed", async () => {
  const page = await opened("stale");
  assert.match(await page.locator(".words").innerText(), /read an old [xy]/);
  assert.equal(await page.locator(".stale-card").count(), 2);
  assert.match(await page.locator(".stale-card .note").innerText(), /← initial, missed T\d #\d+, which wrote 1/);
  assert.ok((await page.locator(".row.stale .badge").count()) >= 1);
  assert.match(await page.locator(".row.stale .remark").first().innerText(), /missed T\d #\d+, which wrote 1/);
  assert.ok((await page.locator(".row .needed").count()) >= 1, "what the bug goes away without is marked");
  await page.locator(".row:has(.needed)").first().click();
  assert.match(await page.locator(".details").innerText(), /the bug goes away/);
  await page.finish();
});

test("where modification order and time differ, the read says so", async () => {
  const page = await opened("order");
  const sentence = /← T\d #\d+, though T\d #\d+ was executed later and lies before it in modification order/;
  assert.match(await page.locator(".stale-card .note").innerText(), sentence);
  await page.locator(".row.stale").first().click();
  assert.match(await page.locator(".row.stale .remark").first().innerText(), sentence);
  const explained = await page.locator(".details .explain").allInnerTexts();
  assert.ok(explained.some((text) => sentence.test(text) && /either order is allowed/.test(text)), explained.join("\n"));
  await page.finish();
});

test("plain accesses of shared variables are rows, with their values", async () => {
  const page = await opened("stale");
  const rows = page.locator(".row.access");
  const texts = (await rows.locator(".operation").allInnerTexts()).join("\n");
  assert.match(texts, /write a = 0[^]*read a → 0\nread b → 0/);
  await rows.last().click();
  assert.match(await page.locator(".details h2").innerText(), /T0 access read b → 0/);
  assert.match(await page.locator(".details .marked").innerText(), /assert\(a == 1/);
  assert.doesNotMatch(await page.locator(".count").innerText(), /NaN/);
  await page.finish();
});

test("cards cite the lines that the terminal's first block cites, in its order, and none twice", async () => {
  for (const name of ["race", "freed", "locks", "order", "wake_up", "stale", "test"]) {
    const page = await opened(name);
    const block = (await page.locator("details", { hasText: "The report as text" }).locator("pre").textContent()).split("SUMMARY")[0];
    const cited = [...block.matchAll(/^ +([\w./]+:\d+) +\| /gm)].map((match) => match[1]);
    assert.ok(cited.length > 0, `${name}: ${block}`);
    const cards = (await page.locator(".card .where b").allInnerTexts()).map((place) => place.replace(/^([^:]*:\d+):\d+$/, "$1"));
    assert.deepEqual(cards.slice(0, cited.length), cited, name);
    assert.equal(new Set(cards).size, cards.length, `${name}: ${cards}`);
    await page.finish();
  }
});

test("arrows: those of the finding are there, creation and allocation only if asked for", async () => {
  const page = await opened("race");
  assert.equal(await page.locator(".edge.life").count(), 0);
  assert.equal(await page.locator(".toggle.life").getAttribute("aria-pressed"), "false");
  await page.locator(".toggle.life").click();
  assert.ok((await page.locator(".edge.life").count()) > 0);
  for (const kind of ["rf", "race", "life"]) {
    assert.ok((await page.locator(`.edge.${kind}`).count()) > 0, kind);
    await page.locator(`.toggle.${kind}`).click();
    assert.equal(await page.locator(`.edge.${kind}`).count(), 0, kind);
  }
  await page.finish();
  const freed = await opened("freed");
  assert.equal(await freed.locator(".edge.race").count(), 1, "from the free to the use");
  assert.ok((await freed.locator(".edge.sw").count()) > 0);
  await freed.finish();
});

test("what the program says is text, whatever it says", async () => {
  const page = await opened("events");
  assert.match(await page.title(), /^heddle: reported failure/);
  assert.match(await page.locator(".words").innerText(), /<i>it<\/i> failed/);
  await page.getByLabel("critical events only").uncheck();
  await page.keyboard.press("Home");
  await page.locator('.row[data-row="0"]').waitFor();
  const rows = (await page.locator(".row .operation").allInnerTexts()).join("\n");
  assert.ok(rows.includes("note: </script><script>document.title='owned'</script>"), rows.slice(0, 500));
  assert.ok(rows.includes("<img src=x onerror="), rows.slice(0, 500));
  assert.equal(await page.locator("img, .row script").count(), 0);
  assert.match(await page.locator(".output .text").innerText(), /<b>output<\/b> &amp; @HEDDLE_DATA@/);
  await page.finish();
});

test("what a test says is in sight: where it failed, and the rest of its output around that", async () => {
  const page = await opened("test");
  const output = page.locator(".output .text");
  assert.match(await output.innerText(), /Keeps\/0\n[^]*findings\.cpp:\d+: Failure\nExpected equality/);
  const places = await output.evaluate((box) => {
    const lines = [...box.childNodes].filter((node) => node.nodeType === 3).find((node) => node.data.startsWith("findings.cpp:"));
    const range = document.createRange();
    range.setStart(lines, 0);
    range.setEnd(lines, 10);
    return { line: range.getBoundingClientRect().top, top: box.getBoundingClientRect().top, bottom: Math.min(innerHeight, box.getBoundingClientRect().bottom) };
  });
  assert.ok(places.line >= places.top && places.line < places.bottom, JSON.stringify(places));
  assert.match(await page.locator(".head h1").innerText(), /test failure\s+findings\.cpp:\d+ in Queue\.Keeps/);
  // The check is a card with its source, though it is no event.
  assert.equal((await roles(page))[0], "failed");
  assert.match(await page.locator(".card .marked code").first().innerText(), /if \(size != 2\)/);
  // The exit is heddle's own: none of its source is shown.
  await page.locator(".row", { hasText: "exit 3" }).click();
  assert.equal(await page.locator(".details .source").count(), 0);
  await page.finish();
});

test("heddle show --html makes the same page from an artifact", async () => {
  const page = await opened("show");
  assert.match(await page.locator(".head h1").innerText(), /data race/);
  await page.finish();
});

test("the explanation puts the execution that passes beside the one that fails, with its source", async () => {
  for (const name of ["explained", "reported"]) {
    const page = await opened(name);
    const sides = page.locator(".why-side");
    assert.deepEqual(await sides.locator("h3").allInnerTexts(), ["fails", "passes"], name);
    assert.match(await sides.first().locator(".why-line.flows .why-source").allInnerTexts().then((lines) => lines.join("\n")), /\.load\(std::memory_order_acquire\)/);
    assert.match(await page.locator(".why-flow-table").innerText(), /initial value/);
    assert.ok((await sides.first().locator(".why-flows path").count()) > 0);
    assert.equal(await page.locator(".why-command").count(), 0);
    await page.finish();
  }
});

test("without an explanation the page has the command for it, to copy", async () => {
  const page = await opened("race", { permissions: ["clipboard-read", "clipboard-write"] });
  assert.equal(await page.locator(".why").count(), 0);
  await page.locator(".why-command").getByRole("button").click();
  await page.locator(".why-command").getByText("Copied").first().waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "heddle explain out-race/bug-1.heddle");
  await page.finish();
});

test("critical events only: none of the critical ones is folded", async () => {
  for (const name of ["race", "stale", "locks", "freed", "wake_up", "order"]) {
    const page = await opened(name);
    const all = page.getByLabel("critical events only");
    await all.uncheck();
    const critical = await page.locator(".row.critical").evaluateAll((rows) => rows.map((row) => row.dataset.row));
    const rest = await page.locator(".row:not(.critical)").count();
    assert.ok(critical.length >= 2 && rest > 0, name);
    await all.check();
    const shown = await page.locator(".row").evaluateAll((rows) => rows.map((row) => row.dataset.row));
    for (const row of critical) assert.ok(shown.includes(row), `${name}: row ${row} is folded`);
    assert.equal(await page.locator(".row.cited, .row.access, .row:has(.needed)").evaluateAll((rows) => rows.filter((row) => !row.classList.contains("critical")).length), 0, name);
    if (name === "race") assert.ok((await page.locator(".fold").count()) > 0);
    await page.finish();
  }
});
