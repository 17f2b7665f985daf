// Reads payloads one after another: `node payloads.mjs`. Each line of its input is a payload in base64; each of its
// output "refused", "odd" where it is not written as the log writes it, or "plain".

import { createInterface } from "node:readline";

import { readPayload } from "../../engine/verifier/js/events.js";

function judged(payload) {
  try {
    return readPayload(payload).odd ? "odd" : "plain";
  } catch {
    return "refused";
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${judged(Buffer.from(line, "base64").toString())}\n`);
}
