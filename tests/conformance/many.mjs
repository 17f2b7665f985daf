// What urimcheck.js says of many files: each line that comes in is JSON, {bundle in base64, key, seats, seen}.

import { createInterface } from "node:readline";

import { asJson, check, Unreadable } from "../../engine/verifier/urimcheck.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { bundle, ...given } = JSON.parse(line);
  try {
    console.log(JSON.stringify(asJson(await check(Buffer.from(bundle, "base64"), given))));
  } catch (error) {
    const says = error instanceof Unreadable ? error.message : `crash: ${error?.stack ?? error}`;
    console.log(JSON.stringify({ exit: 2, says }));
  }
}
