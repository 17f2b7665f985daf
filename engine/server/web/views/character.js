// @ts-check
/** A character: attributes and skills, health and other tracks, armour; and a new one. */

import { useState } from "preact/hooks";

import { ask, live, system, until } from "../state/app.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { Later, Wanted } from "./later.js";
import { Foreign, Name, plain } from "./names.js";
import { Answer, Dialog, Field, filled, useAction, valueTo } from "./parts.js";
import { ratingOf, Rollables, useRollables } from "./rollables.js";
import { characters, isMine, isNarrator, rollsOf, trackBounds, trackLabel } from "./shown.js";

/**
 * @import { CharacterSight, Command } from "../urim.d.ts"
 * @typedef {{character: CharacterSight}} Of  whose it is
 * @typedef {{name: string, value: string}} Row
 */

/** Boxes that a track is drawn with, at most; a longer one is a number. */
const BOXES = 12;

/** The forms that change a character: they come when one is wanted. */
const changing = () => import("./changing.js");

/** One character, as a card. @param {Of} props */
export function Character({ character }) {
  const [open, setOpen] = useState("");
  const may = until.value === null && (isMine(character) || isNarrator());
  const [plainTracks, groups] = grouped(character);
  const rolled = rollsOf(character.id).length;
  return html`
    <section class="character">
      <header>
        <h4><${Name} text=${character.name || character.id} /></h4>
        ${may && html`<button type="button" class="plain" aria-haspopup="dialog"
          onClick=${() => setOpen("edit")}>${say("character.edit")}</button>`}
      </header>
      ${rolled > 0 && html`<p class="help">${say("character.rolled", { n: rolled })}</p>`}
      ${may && isMine(character) ? html`<${Rolling} character=${character} />` : html`<${Ratings} attributes=${character.attributes} />`}
      ${plainTracks.length > 0 && html`<dl class="tracks">${plainTracks.map(([name, value]) =>
        html`<${Track} key=${name} name=${name} value=${value} />`)}</dl>`}
      ${groups.map(([name, tracks]) => html`<${Group} key=${name} name=${name} tracks=${tracks} />`)}
      ${open && html`<${Later} load=${changing} view="Edit" character=${character} close=${() => setOpen("")} />`}
    </section>`;
}

/** The sheet as its owner has it: what begins a roll is a button. @param {Of} props */
function Rolling({ character }) {
  const found = useRollables(character) ?? [];
  const begun = found.map((each) => ratingOf(each, character.attributes));
  const rest = Object.entries(character.attributes ?? {}).filter(([name]) => !begun.includes(name));
  const rated = found.filter((each) => ratingOf(each, character.attributes) || !Object.keys(character.attributes ?? {}).length);
  return html`
    <${Rollables} character=${character} found=${rated} place="sheet" />
    ${(rest.length > 0 || !rated.length) && html`<${Ratings} attributes=${Object.fromEntries(rest)} />`}`;
}

/** @param {{attributes: Record<string, number>}} props */
function Ratings({ attributes }) {
  const found = Object.entries(attributes ?? {});
  if (found.length === 0) return html`<p class="help">${say("character.no-ratings")}</p>`;
  return html`<dl class="ratings">${found.map(([name, value]) => html`
    <div key=${name}><dt><${Foreign} text=${name} most=${60} /></dt><dd>${value}</dd></div>`)}</dl>`;
}

/**
 * Tracks that stand alone, and those of a group such as `armour:chest`. Those without an end are
 * left out at 0, as are all of a group.
 *
 * @param {{tracks: Record<string, number>}} character
 * @returns {[[string, number][], [string, [string, number][]][]]}
 */
function grouped(character) {
  const names = Object.keys(system.value?.tracks ?? {});
  const values = { ...Object.fromEntries(names.map((name) => [name, 0])), ...character.tracks };
  const alone = /** @type {[string, number][]} */ ([]);
  const groups = /** @type {Map<string, [string, number][]>} */ (new Map());
  for (const [name, value] of Object.entries(values)) {
    const [group, part] = name.split(":");
    if (part === undefined && (value !== 0 || trackBounds(name).most !== null)) alone.push([name, value]);
    if (part === undefined) continue;
    if (value !== 0) groups.set(group, [...(groups.get(group) ?? []), [name, value]]);
  }
  return [alone, [...groups]];
}

/** @param {{name: string, value: number}} props */
function Track({ name, value }) {
  const { least, most } = trackBounds(name);
  const boxes = most !== null && most - least <= BOXES ? most - least : 0;
  return html`
    <div>
      <dt><${Foreign} text=${trackLabel(name)} most=${60} /></dt>
      <dd>
        ${boxes > 0 && html`<span class="boxes" aria-hidden="true">${Array.from({ length: boxes }, (_, index) =>
          html`<i class=${index < value - least ? "full" : ""}></i>`)}</span>`}
        <span>${most === null ? value : say("character.of", { value, most })}</span>
      </dd>
    </div>`;
}

/** A group's parts with what they hold, as armour by location. @param {{name: string, tracks: [string, number][]}} props */
function Group({ name, tracks }) {
  return html`
    <details class="group" open>
      <summary><${Foreign} text=${name} most=${60} /></summary>
      <dl class="ratings">${tracks.map(([track, value]) => html`
        <div key=${track}><dt><${Foreign} text=${track.split(":")[1]} most=${60} /></dt><dd>${value}</dd></div>`)}</dl>
    </details>`;
}

// --- a new one ------------------------------------------------------------------------------------

/** A form that brings a character to the table. @param {{seat: string, close: () => void}} props */
export function EnterCharacter({ seat, close }) {
  const [rows, setRows] = useState([{ name: "", value: "" }]);
  const [busy, answer, run] = useAction();
  async function send(/** @type {Event} */ event) {
    const found = filled(event);
    const all = rows.flatMap((row) => (row.value === "" ? pairs(row.name) : [row]));
    const attributes = Object.fromEntries(all.filter((row) => row.name.trim() && row.value !== "")
      .map((row) => [row.name.trim(), Number(row.value)]));
    const tracks = Object.fromEntries(Object.entries(found)
      .filter(([name, value]) => name.startsWith("track ") && value !== "")
      .map(([name, value]) => [name.slice(6), Number(value)]));
    /** @type {Command} */
    const command = { do: "enter/1", character: freshId(), seat, attributes, tracks };
    if ((await run(() => ask(command, found.name)))?.type === "done") close();
  }
  return html`
    <${Dialog} title=${say("character.enter-title")} close=${close} wide>
      <form onSubmit=${send}>
        <${Field} label=${say("character.name")} name="name" required maxlength="200" dir="auto" />
        <${RatingRows} rows=${rows} set=${setRows} />
        <${StartTracks} />
        <${Wanted} of="character.file" view="Arrives" number=${0} setRows=${setRows} />
        <${Answer} answer=${answer} />
        <p class="ends"><button class="main" aria-disabled=${busy}>${say("character.enter-do")}</button></p>
      </form>
    <//>`;
}

/**
 * Names with numbers, as a sheet that is pasted has them: `BLE 3, GRA: 2` or a line each; none where a part is no such pair.
 *
 * @param {string} text @returns {Row[]}
 */
export function pairs(text) {
  const rows = plain(text, SHEET).replace(/(\d)\t+/g, "$1\n").split(/[\n,;]+/).map((part) => part.trim()).filter(Boolean);
  const found = rows.map((part) => PAIR.exec(part)?.slice(1) ?? []);
  const names = new Set(found.map(([name]) => name));
  const whole = found.every(([name = ""]) => name && name.length <= LONGEST) && names.size === found.length;
  return whole ? found.map(([name = "", value = ""]) => ({ name, value: String(Number(value)) })) : [];
}

/** A name without a number in it, which nothing but blanks, a colon or `=` sets apart from its number. */
const PAIR = /^((?:(?!\s[+-]?\d).)*[^\s:=+-])[\s:=]+([+-]?\d+(?:\.5)?)$/;

/** Characters of a sheet that is pasted, at most. */
const SHEET = 10_000;

/** Characters of a rating's name, at most. */
const LONGEST = 60;

/** Two ratings as people may type them, by names of the book's where it has any. @param {string[]} names */
const exampleOf = ([one = "Stealth", other = "Luck"]) => `${one} 3, ${other} 2`;

/** @param {{rows: Row[], set: (rows: Row[]) => void}} props */
function RatingRows({ rows, set }) {
  const change = (/** @type {number} */ index, /** @type {Partial<Row>} */ part) => set(rows.map((row, each) => (each === index ? { ...row, ...part } : row)));
  /** A sheet that is pasted fills in a row a rating. @param {number} index @param {ClipboardEvent} event */
  function pasted(index, event) {
    const found = pairs(event.clipboardData?.getData("text") ?? "");
    if (!found.length) return;
    event.preventDefault();
    const filled = rows.filter((row, each) => row.name && (each !== index || row.value));
    set([...filled.filter(({ name }) => !found.some((each) => each.name === name)), ...found]);
  }
  return html`
    <fieldset>
      <legend>${say("character.ratings")}</legend>
      <p class="help">${say(system.value?.halves ? "character.ratings-halves" : "character.ratings-help", { example: exampleOf(knownRatings()) })}</p>
      <datalist id="known-ratings">${knownRatings().map((each) => html`<option value=${each}></option>`)}</datalist>
      ${rows.map((row, index) => html`
        <p class="pair" key=${index}>
          <input aria-label=${say("character.rating-name", { n: index + 1 })} maxlength="60" dir="auto"
            list="known-ratings" value=${row.name} onPaste=${(/** @type {ClipboardEvent} */ event) => pasted(index, event)} onInput=${valueTo((name) => change(index, { name }))} />
          <input aria-label=${say("character.rating-value", { n: index + 1 })} type="number" class="short"
            required=${row.name.trim() !== "" && !pairs(row.name).length} step=${system.value?.halves ? 0.5 : 1} value=${row.value}
            onInput=${valueTo((value) => change(index, { value }))} />
        </p>`)}
      <button type="button" class="add" onClick=${() => set([...rows, { name: "", value: "" }])}>
        ${say("character.rating-more")}</button>
    </fieldset>`;
}

/** What tracks start with, where that is not their own start. */
function StartTracks() {
  const tracks = Object.entries(system.value?.tracks ?? {});
  if (tracks.length === 0) return null;
  return html`
    <details>
      <summary>${say("character.tracks")}</summary>
      <p class="help">${say("character.tracks-help")}</p>
      <div class="grid">${tracks.map(([name, track]) => html`
        <${Field} key=${name} label=${html`<${Foreign} text=${trackLabel(name)} most=${60} />`} name="track ${name}" type="number" class="short" min=${track.least}
            max=${track.most ?? undefined} placeholder=${String(track.start)} />`)}</div>
    </details>`;
}

/** An id that no character of the table has or had. */
function freshId() {
  const taken = new Set(Object.keys(live.value?.characters ?? {}));
  let number = taken.size + 1;
  while (taken.has(`c${number}`)) number += 1;
  return `c${number}`;
}

/** Names of ratings that the system or a character of the table has. */
export function knownRatings() {
  const fields = [...(system.value?.declaration?.fields ?? []), ...(system.value?.reaction?.fields ?? [])];
  const options = new Set(fields.flatMap((/** @type {any} */ field) => field.picks?.options ?? []));
  const charts = (system.value?.options?.fields ?? []).filter((/** @type {any} */ field) => options.has(field.name));
  const names = charts.flatMap((/** @type {any} */ field) => Object.keys({ ...field.default, .../** @type {any} */ (live.value?.options ?? {})[field.name] }));
  const starts = Object.values(system.value?.tracks ?? {}).map((/** @type {any} */ track) => track.start);
  return [...new Set([
    ...names,
    ...(system.value?.ratings ?? []),
    ...starts.filter((start) => typeof start === "string"),
    ...characters().flatMap((each) => Object.keys(each.attributes)),
  ])];
}
