// What urimcheck.js says of many files, whose lines {bundle, key, seats, seen} come in: a line of JSON each.

import { readFileSync } from "node:fs";

import { asJson, check, Unreadable } from "../../engine/verifier/urimcheck.js";

const file = process.argv[2] === "-" ? 0 : process.argv[2];
for (const line of readFileSync(file, "utf8").trim().split("\n")) {
  const { bundle, ...given } = JSON.parse(line);
  try {
    console.log(JSON.stringify(asJson(await check(Buffer.from(bundle, "base64"), given))));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    console.log(JSON.stringify({ exit: 2, says: error.message }));
  }
}
