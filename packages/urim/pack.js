// Puts the package together: these files, and those of the page and the verifier that it is made of.
//
//     node packages/urim/pack.js FOLDER && npm pack ./FOLDER

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;
const WEB = join(HERE, "..", "..", "engine", "server", "web");
const VERIFIER = join(HERE, "..", "..", "engine", "verifier");

const OWN = ["package.json", "README.md", "index.js", "index.d.ts", "example.js"];
const STATE = ["api", "chain", "exchange", "feed", "kept", "requests", "rolls", "same", "seal", "seat", "shares", "table", "throws", "tracks"];
const CHECKS = ["seat.js", "urimcheck.js"];

/** Comments with lines of their own, or behind code, as engine/verifier/build.py leaves them out. */
const COMMENT = /^[ \t]*(?:\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)[ \t]*$|(?<=[;{},()\]]) \/\/ [^\n"'`]*$/gm;

const folder = process.argv[2];
if (!folder) throw new Error("node pack.js FOLDER");
for (const part of ["state", "verifier"]) mkdirSync(join(folder, part), { recursive: true });
for (const name of OWN) cpSync(join(HERE, name), join(folder, name));
for (const name of CHECKS) writeFileSync(join(folder, "verifier", name), spare(join(VERIFIER, name)));
cpSync(join(WEB, "urim.d.ts"), join(folder, "urim.d.ts"));
cpSync(join(HERE, "..", "..", "LICENSE"), join(folder, "LICENSE"));
for (const name of STATE) {
  // The page's import map says where the verifier is; here that is said in the files.
  const text = spare(join(WEB, "state", `${name}.js`));
  writeFileSync(join(folder, "state", `${name}.js`), text.replaceAll('from "verifier/', 'from "../verifier/'));
}

/** A module without its comments, as the server sends it. */
function spare(path) {
  return readFileSync(path, "utf-8").replace(COMMENT, (found) => "\n".repeat(found.split("\n").length - 1));
}
