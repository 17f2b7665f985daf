// What the page says of bodies and events: `node commands.mjs FILE`, a list of [body, event] as JSON.

import { readFileSync } from "node:fs";

import { COMMANDS, differences } from "../../engine/verifier/js/commands.js";

const pairs = JSON.parse(readFileSync(process.argv[2]));
const found = pairs.map(([body, event]) => differences(body, event).map(([why]) => why));
console.log(JSON.stringify({ known: [...COMMANDS.keys()], found }));
