// @ts-check
/** Rolls that a seat keeps under names go to another device: as a file, for the seat's own characters. */

import { useState } from "preact/hooks";

import { draft, session } from "../state/app.js";
import { say } from "../words/index.js";
import "../words/carried/index.js";
import { html } from "./html.js";
import { saveFile } from "./parts.js";
import { LONGEST } from "./rollables.js";
import { characters } from "./shown.js";

/** @import { Kept } from "./rollables.js" */

const TYPE = "urim/kept/1";

/** Bytes of a file that is read, and rolls of it that are taken for a character, at most. */
const BYTES = 1_000_000;
const MOST = 100;

/** What a character keeps under names. @param {string} character */
const keptBy = (character) => draft(`kept/${character}`, null);

/** The file of a seat: its table, and what each of its characters keeps. */
function written() {
  const { table = "", seat = "" } = session.value ?? {};
  const own = characters().map(({ id }) => [id, keptBy(id).value?.now ?? []]).filter(([, kept]) => kept.length);
  return { name: `urim-${table}-${seat}-kept.json`, text: JSON.stringify({ type: TYPE, table, seat, kept: Object.fromEntries(own) }, null, 1) };
}

/** Whether it is a roll of this character under a name, and nothing else. @param {any} each @param {string} character @returns {each is Kept} */
function isKept(each, character) {
  const command = each?.wish?.command;
  return typeof each?.name === "string" && each.name.trim() !== "" && each.name.length <= LONGEST && typeof each.wish?.label === "string"
    && command?.do === "declare/1" && command.character === character && typeof command.declaration === "object";
}

/** Take over what a file keeps; how many rolls are new here. @param {string} text */
function bring(text) {
  const found = JSON.parse(text);
  if (found?.type !== TYPE || found.table !== session.value?.table || found.seat !== session.value?.seat) return 0;
  let brought = 0;
  for (const { id } of characters()) {
    const kept = keptBy(id);
    const now = /** @type {Kept[]} */ (kept.value?.now ?? []);
    const all = Array.isArray(found.kept?.[id]) ? found.kept[id] : [];
    const more = all.filter((/** @type {any} */ each) => isKept(each, id) && !now.some(({ name }) => name === each.name)).slice(0, MOST);
    if (more.length) kept.value = { now: [...now, ...more.map((/** @type {Kept} */ { name, wish }) => ({ name, wish }))], past: [] };
    brought += more.length;
  }
  return brought;
}

/** Both ways. */
export function Carried() {
  const [brought, set] = useState(/** @type {number | null} */ (null));
  /** @param {Event} event */
  async function read(event) {
    const input = /** @type {HTMLInputElement} */ (event.currentTarget);
    const [file] = input.files ?? [];
    try {
      if (file) set(file.size > BYTES ? 0 : bring(await file.text()));
    } catch {
      set(0); // no JSON
    }
    input.value = "";
  }
  function save() {
    const { name, text } = written();
    saveFile(name, text, "application/json");
  }
  return html`
    <div class="carried">
      <p class="help">${say("carried.help")}</p>
      <div class="acts">
        <button type="button" onClick=${save}>${say("carried.save")}</button>
        <label>${say("carried.bring")} <input type="file" accept="application/json,.json" onChange=${read} /></label>
      </div>
      <p role="status">${brought === null ? "" : brought ? say("carried.brought", { n: brought }) : say("carried.none")}</p>
    </div>`;
}
