// What seat.js says of a table's log as it comes: node seat.mjs FILE
//
// FILE is JSON: by name {table, key, heads, gone, plain, steps}; `plain` for a page over plain http. A step is what is
// called, and its arguments: took, headed, ended, judged; or check with a bundle. Prints JSON: by name the state after every
// `judged`, the seal, what `check` found, and the longest time between pauses in ms.

import { readFile } from "node:fs/promises";

import * as seat from "../../engine/verifier/seat.js";
import { asJson, check } from "../../engine/verifier/urimcheck.js";

const crypto = Object.getOwnPropertyDescriptor(globalThis, "crypto");

async function run({ steps, plain = false, ...asked }) {
  Object.defineProperty(globalThis, "crypto", plain ? { ...crypto, get: () => ({}) } : crypto);
  let [since, longest] = [performance.now(), 0];
  const pause = async () => {
    longest = Math.max(longest, performance.now() - since);
    await new Promise((resume) => setTimeout(resume, 0));
    since = performance.now();
  };
  const table = seat.begin({ ...asked, pause });
  const states = [];
  let whole = null;
  for (const [name, ...given] of steps) {
    if (name === "check") whole = asJson(await check(new Blob(given)));
    if (name === "check") continue;
    const found = await seat[name](table, ...given);
    if (name === "judged") states.push(found.state);
  }
  return { states, seal: seat.seal(table), whole, longest };
}

const found = {};
for (const [name, each] of Object.entries(JSON.parse(await readFile(process.argv[2], "utf8")))) found[name] = await run(each);
console.log(JSON.stringify(found));
