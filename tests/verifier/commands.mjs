// What the page knows of commands, and says of bodies and events: `node commands.mjs FILE`, a list of [body, event] as JSON.

import { readFileSync } from "node:fs";

import { COMMANDS, differences, furtherDifferences } from "../../engine/verifier/js/commands.js";

const pairs = JSON.parse(readFileSync(process.argv[2]));
const compared = ([body, event]) =>
  event.type === "throw-asked/1" ? furtherDifferences(body, event) : differences(body, event);
const found = pairs.map((pair) => compared(pair).map(([why]) => why));
const known = Object.fromEntries([...COMMANDS].map(([name, { text }]) => [name, text]));
console.log(JSON.stringify({ known, found }));
