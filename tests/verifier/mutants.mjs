// Verifies bundles one after another: `node mutants.mjs`. Each line of its input is {bundle, key} as JSON, the bundle in
// base64; each of its output [exit, {step: [verdict, what is wrong first]}], or {crash} with what it threw.

import { createInterface } from "node:readline";

import { BadNote } from "../../engine/verifier/js/note.js";
import { verify } from "../../engine/verifier/js/verify.js";

/** What a step says first of all that is wrong, or may be, with what was found there. */
function wrong({ remarks }) {
  const of = (wanted) => remarks.find(({ kind }) => kind === wanted);
  const { why = "", found = "" } = of("fail") ?? of("finding") ?? {};
  return `${why} ${found}`;
}

async function judged({ bundle, key }) {
  try {
    const found = await verify(new Blob([Buffer.from(bundle, "base64")]), { key });
    const said = found.results.map((result) => [result.step, [result.verdict, wrong(result)]]);
    return [found.exit, Object.fromEntries(said)];
  } catch (error) {
    if (error instanceof BadNote) return [2, {}]; // the key is of another log than the file now says
    return { crash: String(error?.stack ?? error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await judged(JSON.parse(line)))}\n`);
}
