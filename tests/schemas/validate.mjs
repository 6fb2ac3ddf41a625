// validate.mjs NODE_MODULES REPORT_SCHEMA FILE...: exit status 1 when a file does not follow its schema.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, reportSchema, ...files] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const Ajv2020 = require("ajv/dist/2020").default;
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

// `format` is not checked, and all else is.
const Ajv = require("ajv").default;
const sarifPath = require.resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
const sarif = read(sarifPath);
// It is written for draft 4, of which it uses nothing that later drafts changed but the name of its identity.
delete sarif.$schema;
delete sarif.id;
const isSarif = new Ajv({ strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false }).compile(sarif);
const isReport = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(read(reportSchema));

let failed = 0;
for (const file of files) {
  const validate = file.endsWith(".sarif") ? isSarif : isReport;
  const valid = validate(read(file));
  console.log(`${valid ? "valid" : "INVALID"}: ${file}`);
  if (valid) continue;
  ++failed;
  for (const error of validate.errors.slice(0, 10)) console.log(`  ${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
}
// A validator that accepts everything would prove nothing.
for (const [name, validate] of Object.entries({ isSarif, isReport })) {
  if (validate({ version: 3 })) {
    console.log(`INVALID: ${name} accepts what is none`);
    ++failed;
  }
}
process.exit(failed === 0 ? 0 : 1);
