// What the page's own code says of bundles: node verify.mjs FILE
//
// FILE is JSON: by name {bundle, key, seen, seats, now}, the bundle as its path. Prints JSON: by name what `verify` gave,
// and the words of the page: its title, what it states, what to look at.

import { readFile } from "node:fs/promises";
import { verify } from "../../engine/verifier/js/verify.js";
import { conclusion, looks, stated } from "../../engine/verifier/js/words.js";

const found = {};
for (const [name, { bundle, ...options }] of Object.entries(JSON.parse(await readFile(process.argv[2], "utf8")))) {
  const { throws, ...outcome } = await verify(new Blob([await readFile(bundle)]), options);
  const all = { ...outcome, throws };
  const words = outcome.exit === 2 ? [[], []] : [stated(all), looks(all)];
  found[name] = { ...outcome, says: conclusion(all), stated: words[0], looks: words[1] };
}
console.log(JSON.stringify(found));
