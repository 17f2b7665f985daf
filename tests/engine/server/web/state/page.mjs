// The page without views, in Node: does what each line of its input says, and prints what came of it.

import { createInterface } from "node:readline";

const state = "../../../../../engine/server/web/state";
globalThis.location = { origin: process.argv[2], hash: "" };
const app = await import(`${state}/app.js`);
const { TIMES } = await import(`${state}/feed.js`);
Object.assign(TIMES, { first: 20, most: 200, patience: 2000, poll: 50, retry: 1000, alive: 300 });

const Async = Object.getPrototypeOf(async () => {}).constructor;

/** Wait until something is so. Throws after 20 seconds. */
async function once(test) {
  for (let tries = 0; tries < 2000; tries++) {
    if (test()) return;
    await new Promise((resume) => setTimeout(resume, 10));
  }
  throw new Error(`never: ${test}; ${JSON.stringify([app.link.value, app.seal.value, app.place.value])}`);
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    const found = await new Async("app", "once", JSON.parse(line))(app, once);
    console.log(JSON.stringify({ found: found ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error?.stack ?? error) }));
  }
}
process.exit(0);
