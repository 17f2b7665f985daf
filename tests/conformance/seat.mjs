// What seat.js says of tables' logs as they come. Each line that comes in is JSON:
//
//     {table, key, heads, gone, plain, steps}   `plain` for a page over plain http. A step is what is called, and its arguments:
//                                               took, headed, ended, judged; or check with a bundle
//     {bundle, at}                              a bundle's entries, a commit at a time ("commits") or all at once ("once")
//
// Gives a line for each: the state after every `judged`, the seal, what `check` found, the longest time between pauses in ms.

import { createInterface } from "node:readline";

import * as seat from "../../engine/verifier/seat.js";
import { asJson, check } from "../../engine/verifier/urimcheck.js";

const crypto = Object.getOwnPropertyDescriptor(globalThis, "crypto");

function ofBundle(bundle, at) {
  const [header, ...lines] = bundle.trimEnd().split("\n").map((line) => JSON.parse(line));
  const commits = [];
  for (const line of lines.slice(0, -1)) {
    if (commits.length && line.commit !== line.seq) commits.at(-1).push(line);
    else commits.push([line]);
  }
  const took = commits.flatMap((each) => (at === "once" ? [["took", each]] : [["took", each], ["judged"]]));
  const steps = [...took, ["headed", header.checkpoint], ["judged"], ["check", bundle]];
  return { table: header.origin.split("/t/")[1], key: header.keys, steps };
}

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

for await (const line of createInterface({ input: process.stdin })) {
  const given = JSON.parse(line);
  console.log(JSON.stringify(await run(given.bundle ? ofBundle(given.bundle, given.at) : given)));
}
