// @ts-check
/** What goes elsewhere as a file: rolls under names to a seat's other device, a character to the next table. */

import { useState } from "preact/hooks";

import { draft, live, session, system } from "../state/app.js";
import { say } from "../words/index.js";
import "../words/carried/index.js";
import { html } from "./html.js";
import { saveFile } from "./parts.js";
import { LONGEST } from "./rollables.js";
import { characters, isNarrator } from "./shown.js";

/**
 * @import { CharacterSight } from "../urim.d.ts"
 * @import { Kept } from "./rollables.js"
 */

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

/** Take over what a file keeps; how many rolls are new here. @param {any} found */
function bring(found) {
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

/** A file that is read as JSON; what `take` says of it is told. @param {{label: string, take: (found: any, input: HTMLInputElement) => string}} props */
function Bring({ label, take }) {
  const [told, tell] = useState("");
  /** @param {Event} event */
  async function read(event) {
    const input = /** @type {HTMLInputElement} */ (event.currentTarget);
    const [file] = input.files ?? [];
    let found = null;
    try {
      if (file && file.size <= BYTES) found = JSON.parse(await file.text());
    } catch {
      // No JSON: it is nothing that was saved here.
    }
    if (file) tell(take(found, input));
    input.value = "";
  }
  return html`
    <label>${label} <input type="file" accept="application/json,.json" onChange=${read} /></label>
    <p role="status">${told}</p>`;
}

/** Rolls under names, both ways. */
export function Carried() {
  function save() {
    const { name, text } = written();
    saveFile(name, text, "application/json");
  }
  function take(/** @type {any} */ found) {
    const brought = bring(found);
    return brought ? say("carried.brought", { n: brought }) : say("carried.none");
  }
  return html`
    <div class="carried">
      <p class="help">${say("carried.help")}</p>
      <div class="acts"><button type="button" onClick=${save}>${say("carried.save")}</button></div>
      <${Bring} label=${say("carried.bring")} take=${take} />
    </div>`;
}

// --- a character ----------------------------------------------------------------------------------

const SHEET = "urim/character/1";

/** Saves a character as it is now, with the table where it was and its size then. @param {{character: CharacterSight}} props */
export function Leaves({ character }) {
  const { name, attributes, tracks } = character;
  function save() {
    const { origin = "", table = "" } = session.value ?? {};
    const was = { host: origin, table, entries: live.value?.size ?? 0 };
    const sheet = { type: SHEET, system: system.value?.name, name: name || character.id, attributes, tracks, was };
    saveFile(`${sheet.name}.urim.json`.replace(/[\\/:*?"<>|\s]+/g, "-"), JSON.stringify(sheet, null, 1), "application/json");
  }
  return html`
    <div class="line">
      <p class="help">${say("carried.leave-help")}</p>
      <button type="button" onClick=${save}>${say("carried.leave")}</button>
    </div>`;
}

/** Names with numbers. @param {any} found @returns {found is Record<string, number>} */
const isNumbers = (found) => typeof found === "object" && found !== null && Object.values(found).every((each) => typeof each === "number");

/**
 * Fills in the form of a new character from such a file, which is then looked at and sent like any other.
 *
 * @param {{setRows: (rows: {name: string, value: string}[]) => void}} props
 */
export function Arrives({ setRows }) {
  function take(/** @type {any} */ found, /** @type {HTMLInputElement} */ { form }) {
    const { name, attributes, tracks, was } = found ?? {};
    if (found?.type !== SHEET || typeof name !== "string" || !isNumbers(attributes) || !isNumbers(tracks)) return say("carried.no-sheet");
    if (found.system !== system.value?.name) return say("carried.other-system", { theirs: String(found.system), ours: system.value?.name ?? "" });
    /** @param {string} field @param {string | number} value */
    function fill(field, value) {
      const input = form?.elements.namedItem(field);
      if (input instanceof HTMLInputElement) input.value = String(value);
    }
    fill("name", name);
    // Tracks are a narrator's to set: a player is told which.
    if (isNarrator()) for (const track of Object.keys(system.value?.tracks ?? {})) fill(`track ${track}`, tracks[track] ?? "");
    setRows(Object.entries(attributes).map(([each, value]) => ({ name: each, value: String(value) })));
    const came = say("carried.arrived", { table: String(was?.table ?? ""), n: Number(was?.entries ?? 0) });
    const left = Object.entries(tracks).map(([each, value]) => `${each} ${value}`).join(", ");
    return left && !isNarrator() ? `${came} ${say("carried.tracks", { tracks: left })}` : came;
  }
  return html`<${Bring} label=${say("character.file")} take=${take} />`;
}
