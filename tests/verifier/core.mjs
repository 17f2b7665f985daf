// Runs cases of a table's log through the verifier's core: node core.mjs MODULE FILE
//
// FILE is JSON: by name {table, key, heads, plain, steps}; `plain` for a page over plain http. A step is what is called, and its arguments:
// took, headed, ended, judged; or verify with a bundle. Prints JSON: by name the verdicts that every
// `judged` gave, all verdicts, the seal, the throws, the longest time between pauses in ms, and what `verify` found.

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { verify } from "../../engine/verifier/js/verify.js";

const [module, file] = process.argv.slice(2);
const core = await import(pathToFileURL(module));

const crypto = Object.getOwnPropertyDescriptor(globalThis, "crypto");

/** What a browser has on a page that came over plain http, or over https. */
function served(plain) {
  Object.defineProperty(globalThis, "crypto", plain ? { ...crypto, get: () => ({}) } : crypto);
  globalThis.isSecureContext = !plain;
}

async function run({ steps, plain = false, ...asked }) {
  served(plain);
  let [since, longest] = [performance.now(), 0];
  const mark = () => {
    longest = Math.max(longest, performance.now() - since);
    since = performance.now();
  };
  const pause = async () => {
    mark();
    await new Promise((resume) => setTimeout(resume, 0));
    since = performance.now();
  };
  const state = core.begin({ ...asked, pause });
  const news = [];
  let bundle = null;
  for (const [name, ...given] of steps) {
    if (name === "verify") bundle = (await verify(...given)).results;
    else if (name === "judged") news.push(await core.judged(state));
    else await core[name](state, ...given);
    mark();
  }
  const verdicts = [null, ...state.records.keys()].flatMap((seq) => core.verdicts(state, seq));
  return { news, verdicts, seal: core.seal(state), throws: core.throws(state), longest, bundle };
}

const found = {};
for (const [name, each] of Object.entries(JSON.parse(await readFile(file, "utf8")))) {
  found[name] = await run(each);
}
console.log(JSON.stringify(found));
