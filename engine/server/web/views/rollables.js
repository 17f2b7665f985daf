// @ts-check
/** Rolls that begin with a tap: those of a character's sheet, and its last ones again. */

import { useEffect, useRef, useState } from "preact/hooks";

import { ask, live, rollablesOf, sight, system } from "../state/app.js";
import { payloadOf } from "../state/table.js";
import { say } from "../words/index.js";
import { expectRoll, rollIn } from "./focus.js";
import { useDraft } from "./drafted.js";
import { Asked, declaring, useOpenness } from "./form.js";
import { html } from "./html.js";
import { carried, Later } from "./later.js";
import { Foreign, plain } from "./names.js";
import { Answer, Field, useAction, valueTo } from "./parts.js";
import { isMine, rolls, valueText } from "./shown.js";

/**
 * @import { CharacterSight, Command, Rollable, Word } from "../urim.d.ts"
 * @import { Answered, Given } from "./form.js"
 * @typedef {{command: Command, label: string}} Wish  what was asked for, and the text beside it
 * @typedef {{name: string, wish: Wish}} Kept  what somebody keeps under a name, on this browser
 */

/** Wishes that are offered, at most, and rolls that are looked at for them. */
const MOST = 5;
const RECENT = 40;

/** Characters of a name that a roll is kept under, at most. */
export const LONGEST = 60;

/** Milliseconds until rolls of a sheet are asked for again, and for which a second tap is the first one's. */
const LATER = 3000;
const TWICE = 700;

/** What declares a roll, one at a time: `[busy, answer, roll]`. */
function useRoll() {
  const [busy, answer, run] = useAction();
  const last = useRef({ at: -TWICE, key: "" });
  /** @param {Wish} wish */
  async function roll({ command, label }) {
    const [at, key] = [performance.now(), JSON.stringify([command, label])];
    if (last.current.key === key && at - last.current.at < TWICE) return; // another roll is another wish
    last.current = { at, key };
    const found = await run(() => ask(command, label || null));
    if (found?.type === "done" && command.do === "declare/1") expectRoll(rollIn(found));
  }
  return /** @type {const} */ ([busy, answer, roll]);
}

/** The rolls that a character's sheet begins, or that answer one; null until they are known. @param {CharacterSight} [character] @param {Given} [given] */
export function useRollables(character, given) {
  const [found, set] = useState(/** @type {{of: string, all: Rollable[]} | null} */ (null));
  const key = JSON.stringify([character?.id, character?.attributes, given]);
  useEffect(() => {
    let there = true;
    const load = async () => {
      if (!there || !character) return;
      const all = await rollablesOf(character.id, given);
      if (!there) return;
      if (all) set({ of: character.id, all });
      else setTimeout(load, LATER);
    };
    void load();
    return () => void (there = false);
  }, [key]);
  return found && found.of === character?.id ? found.all : null; // those of another character are not this one's
}

/** A rating that a roll begins with; "" where it begins with none. @param {Rollable} rollable @param {Record<string, number>} attributes */
export function ratingOf({ declaration }, attributes) {
  const rated = (system.value?.declaration?.fields ?? []).filter((/** @type {any} */ field) => field.picks?.of === "sheet");
  const found = rated.map((/** @type {any} */ field) => declaration[field.name]).find((/** @type {any} */ name) => name && Object.hasOwn(attributes, name));
  return String(found ?? "");
}

/** Buttons for them, each with its rating; what a roll has to be asked comes below. @param {{character: CharacterSight, found: Rollable[], place: string, answers?: Answered}} props */
export function Rollables({ character, found, place, answers }) {
  const [busy, answer, roll] = useRoll();
  const [open, setOpen] = useState("");
  const opened = useOpenness(character.id);
  const asked = found.find((each) => each.name === open && each.asks?.length);
  const command = answers?.command ?? ((/** @type {Record<string, Word>} */ value) => declaring(character.id, value, opened));
  /** @param {Rollable} rollable */
  function tap({ name, declaration, asks }) {
    if (asks?.length) setOpen(name === open ? "" : name);
    else roll({ command: command(/** @type {any} */ (declaration)), label: "" });
  }
  const rated = (/** @type {Rollable} */ each) => (ratingOf(each, character.attributes) ? character.attributes[ratingOf(each, character.attributes)] : "");
  if (!found.length) return null;
  return html`
    <div class="again rollables" role="group" aria-label=${answers?.send ?? say("rollables.title")}>
      ${found.map((each) => html`
        <button type="button" key=${each.name} aria-disabled=${busy} aria-expanded=${each.asks?.length ? String(each === asked) : undefined} onClick=${() => tap(each)}>
          <${Foreign} text=${each.name} most=${60} /> <span class="rating">${rated(each)}</span></button>`)}
    </div>
    ${!answers && opened.visibility !== "public" && html`<p class="help">${say("form.visibility")}: ${say(`visibility.${opened.visibility}`)}</p>`}
    ${asked && html`<${Asked} key=${asked.name} ...${{ place, answers, command }} character=${character.id} rollable=${asked} done=${() => setOpen("")} />`}
    <${Answer} answer=${answer} />`;
}

/**
 * Buttons for what a character keeps under a name, and for what it rolled last, the newest first, each once.
 *
 * @param {{character: string}} props
 */
export function Again({ character }) {
  const [busy, answer, roll] = useRoll();
  const [keeping, keep] = useState(false);
  const drafted = useKept(character);
  const kept = drafted.value;
  const last = lastOf(character).filter((wish) => !kept.some((each) => same(each.wish, wish)));
  if (!last.length && !kept.length) return null;
  return html`
    <div class="again" role="group" aria-label=${say("again.title")}>
      ${kept.map(({ name, wish }) => html`
        <button type="button" key=${`kept ${name}`} class=${keeping ? "danger" : ""} aria-disabled=${busy}
          aria-label=${keeping ? say("again.forget", { name }) : undefined}
          onClick=${() => (keeping ? drafted.set(kept.filter((each) => each.name !== name)) : roll(wish))}>
          <span aria-hidden="true">${keeping ? "✕" : "★"}</span> <bdi>${name}</bdi></button>`)}
      ${!keeping && last.map((wish) => html`
        <button type="button" key=${JSON.stringify(wish)} aria-disabled=${busy} onClick=${() => roll(wish)}>
          <span aria-hidden="true">↻</span> <bdi>${called(wish)}</bdi></button>`)}
      <button type="button" class="plain" aria-expanded=${keeping} onClick=${() => keep(!keeping)}>
        <span aria-hidden="true">☆</span> ${say("again.keep")}</button>
    </div>
    ${keeping && last.map((wish) => html`
      <${Keeping} key=${JSON.stringify(wish)} usual=${called(wish)} taken=${kept.map(({ name }) => name)}
        keep=${(/** @type {string} */ name) => (drafted.set([...kept, { name, wish }]), keep(false))} />`)}
    ${keeping && html`<${Later} load=${carried} view="Carried" />`}
    <${Answer} answer=${answer} />`;
}

/** The same roll of one's own again, where its result stands. @param {{roll: any}} props */
export function OnceMore({ roll }) {
  const [busy, answer, begin] = useRoll();
  const who = sight.value?.characters.find((each) => each.id === roll.character);
  const wish = who?.here && isMine(who) && !roll.follows ? wishOf(roll.seq) : null;
  return wish && html`
    <div class="acts aside"><button type="button" class="plain" aria-disabled=${busy} onClick=${() => begin(wish)}>
      <span aria-hidden="true">↻</span> ${say("again.title")}</button></div>
    <${Answer} answer=${answer} />`;
}

/** The rolls that a character keeps under names. @param {string} character */
export const useKept = (character) => useDraft(`kept/${character}`, NONE);

/** @type {Kept[]} */
const NONE = [];

/** A roll that may be kept under a name. @param {{usual: string, taken: string[], keep: (name: string) => void}} props */
function Keeping({ usual, taken, keep }) {
  const [name, set] = useState(usual.slice(0, LONGEST));
  const free = name.trim() !== "" && !taken.includes(name.trim());
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    if (free) keep(name.trim());
  }
  return html`
    <form class="keeping" onSubmit=${submit}>
      <${Field} label=${say("again.name", { what: usual })} value=${name} maxlength=${LONGEST} dir="auto" onInput=${valueTo(set)} />
      ${name.trim() && !free && html`<p class="wrong" role="alert">${say("again.taken")}</p>`}
      <button type="submit" aria-disabled=${!free}>${say("again.keep-do")}</button>
    </form>`;
}

/** @param {Wish} one @param {Wish} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** @param {string} character @returns {Wish[]} */
function lastOf(character) {
  /** @type {Map<string, Wish>} */
  const found = new Map();
  for (const roll of rolls().filter((each) => each.character === character && !each.follows).slice(0, RECENT)) {
    if (found.size === MOST) break;
    const wish = wishOf(roll.seq);
    if (wish && !found.has(JSON.stringify(wish))) found.set(JSON.stringify(wish), wish);
  }
  return [...found.values()];
}

/** The declaration that an entry was asked for by; null where that is not shown. @param {number} seq @returns {Wish|null} */
function wishOf(seq) {
  const line = live.value.lines[seq];
  const body = line && payloadOf(line)?.asked?.body;
  if (!body) return null;
  const { text, ...command } = JSON.parse(body);
  const label = text === undefined ? "" : sight.value?.texts.find((each) => each.about === `entry:${seq}`)?.text ?? "";
  return command.do === "declare/1" ? { command, label } : null;
}

/** A wish in a few words: its own text, or else what was filled in. @param {Wish} wish */
function called({ command, label }) {
  if (label) return label;
  const { declaration = {} } = /** @type {{declaration?: Record<string, unknown>}} */ (command);
  const fields = system.value?.declaration?.fields ?? [];
  const of = (/** @type {string} */ name) => fields.find((/** @type {any} */ each) => each.name === name)?.picks.of;
  return Object.entries(declaration).map(([name, value]) => plain(valueText(value, of(name) === "character"))).join(" · ");
}
