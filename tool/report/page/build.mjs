// Builds dist/page.html: template, style and script in one file, with a policy that lets nothing else run or load.
//   node build.mjs [OUTPUT]
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "dist", "page.html");

async function bundled(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2020"],
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "ascii",
    legalComments: "none",
  });
  return result.outputFiles[0].text.trim();
}

// The policy allows exactly this script and this style, by their hashes.
const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// Whatever stands in a script element must not end it.
const script = (await bundled("src/main.tsx")).replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
const style = await bundled("src/style.css");
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const parts = { POLICY: policy, STYLE: style, SCRIPT: script };
const page = readFileSync(join(here, "src", "page.html"), "utf8").replace(/@(POLICY|STYLE|SCRIPT)@/g, (_, name) => parts[name]);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
