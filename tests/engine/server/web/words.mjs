// The tables of the page's words, as JSON: language -> key -> text, or texts by plural category.

import { glob } from "node:fs/promises";

const folder = new URL("../../../../engine/server/web/words/", import.meta.url);
const tables = { en: {}, he: {} };
const twice = [];

for await (const file of glob("**/{en,he}.js", { cwd: folder })) {
  for (const [language, words] of Object.entries(await import(new URL(file, folder)))) {
    for (const [key, text] of Object.entries(words)) {
      if (key in tables[language]) twice.push(key);
      tables[language][key] = text;
    }
  }
}
if (twice.length) throw new Error(`twice: ${twice}`);
console.log(JSON.stringify(tables));
