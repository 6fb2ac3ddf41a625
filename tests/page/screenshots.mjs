// node screenshots.mjs PAGE PICTURE light|dark HEIGHT|SELECTOR: a picture of the top of a page, or of one part of it.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.NODE_MODULES}/`);
const { chromium } = require("playwright-core");
const [page, picture, colorScheme, part] = process.argv.slice(2);
const height = Number(part) || 1000;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--hide-scrollbars"] });
const tab = await browser.newPage({ viewport: { width: 1280, height }, colorScheme });
await tab.goto(pathToFileURL(resolve(page)).href);
await tab.locator(".row.selected").waitFor();
await (Number(part) ? tab : tab.locator(part)).screenshot({ path: picture });
await browser.close();
