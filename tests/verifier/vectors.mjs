// Checks files of `urim/1` test vectors with the verifier's own modules: node vectors.mjs FILE...
//
// Prints a line for every group of every file. Exits 0 when all hold, 1 when a value differs, 2 when
// a file cannot be read or is not of the form. Needs Node 20 or newer, nothing else.

import { readFile } from "node:fs/promises";
import { GROUPS, LATER } from "./vector_groups.mjs";
import { completed, misfit, VECTORS } from "./vector_form.mjs";
import { parseJson } from "../../engine/verifier/js/json.js";

const [HOLDS, DIFFERS, UNREADABLE] = [0, 1, 2];

/** Differences of a group that are printed; the rest are counted. */
const SHOWN = 10;

async function checkFile(path) {
  let vectors;
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    vectors = parseJson(decoder.decode(await readFile(path)), 64);
    if (vectors !== null && typeof vectors === "object" && !Array.isArray(vectors)) {
      vectors = completed(vectors);
    }
    const wrong = misfit(vectors, VECTORS, "the file");
    if (wrong) throw new Error(wrong);
  } catch (error) {
    console.error(`${path}: not a file of urim/1 vectors: ${error.message}`);
    return UNREADABLE;
  }
  let status = HOLDS;
  for (const [group, check] of Object.entries(GROUPS)) {
    const compared = [];
    for await (const each of check(vectors)) compared.push(each);
    if (compared.length === 0 && group in LATER) continue; // a file from before there were any
    const differences = compared.filter(([, expected, found]) => written(expected) !== written(found));
    console.log(`${path}: ${group}: ${compared.length - differences.length} of ${compared.length} hold`);
    for (const [where, expected, found] of differences.slice(0, SHOWN)) {
      console.log(`  ${where}: expected ${written(expected)}, found ${written(found)}`);
    }
    if (differences.length > SHOWN) console.log(`  and ${differences.length - SHOWN} more`);
    if (differences.length) status = DIFFERS;
  }
  return status;
}

const written = (value) => JSON.stringify(value);

const paths = process.argv.slice(2);
if (paths.length === 0) {
  console.error("usage: node vectors.mjs FILE...");
  process.exit(UNREADABLE);
}
let worst = HOLDS;
for (const path of paths) worst = Math.max(worst, await checkFile(path));
process.exit(worst);
