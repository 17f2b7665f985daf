// @ts-check
/** One line that takes what people type: a roll of the sheet, plain dice, or what is to be done next. */

import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";

import { ask, choicesOf, moves, preview, system } from "../../state/app.js";
import { say } from "../../words/index.js";
import "../../words/line/index.js";
import { useDeed } from "../deed.js";
import { useDraft } from "../drafted.js";
import { fieldsOf, sortOf, properties } from "../fields/model.js";
import { Ahead, declaring, PAUSE, useOpenness } from "../form.js";
import { html } from "../html.js";
import { Answer } from "../parts.js";
import { characterName, isNarrator } from "../shown.js";
import { made, steps } from "./steps.js";
import { beginnings, begun, split, Unread } from "./words.js";

/**
 * @import { Command, Preview, Rollable } from "../../urim.d.ts"
 * @import { Outcome, Refused } from "../../state/requests.js"
 * @import { Field, Form } from "../fields/model.js"
 * @import { Step } from "./steps.js"
 *
 * What a line asks for: declarations, of which the first that is not refused is meant, and what `more` they could
 * name; or a step that is done.
 * @typedef {{command: Command, label: string}} Wish
 * @typedef {{wishes: Wish[], more?: string[], does?: undefined} | {does: () => Promise<Outcome>, wishes?: undefined}} Read
 * @typedef {{character: string | undefined, rollables: Rollable[], all: Step[], opened: ReturnType<typeof useOpenness>}} Of
 */

/** Beginnings of a line that are tried as what a system reads, at most. */
const TRIED = 8;

/** @param {{character: string | undefined, rollables: Rollable[]}} props */
export function Line({ character, rollables }) {
  const id = useId();
  const drafted = useDraft("line", "");
  const text = drafted.value;
  const opened = useOpenness(character ?? "");
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [busy, answer, run] = useDeed();
  const of = { character, rollables, all: steps(moves.value), opened };
  const [ahead, look] = useState(/** @type {any} */ (null));
  const known = useMemo(() => JSON.stringify([character, rollables.length, of.all.map((each) => [each.name, each.roll])]), [moves.value, character, rollables]);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    let there = true;
    const timer = setTimeout(async () => {
      const found = await foreseen(text, of);
      if (there) look(found);
    }, PAUSE);
    return () => {
      there = false;
      clearTimeout(timer);
    };
  }, [text, known]);
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    if (!text.trim()) return;
    const found = await run(() => done(text, of));
    if (found?.type === "done") drafted.clear();
    input.current?.focus();
  }
  return html`
    <form class="line" onSubmit=${submit}>
      <label for=${id}>${say("line.title")}</label>
      <div class="acts">
        <input id=${id} ref=${input} type="text" dir="auto" maxlength="400" autocomplete="off" autocapitalize="off" spellcheck=${false} list=${`${id}-known`}
          value=${text} onInput=${(/** @type {Event} */ event) => drafted.set(/** @type {HTMLInputElement} */ (event.currentTarget).value, true)} />
        <button type="submit" class="main" aria-disabled=${busy || !text.trim()}>${say("line.do")}</button>
      </div>
      <${Known} id=${`${id}-known`} text=${text} of=${of} />
      ${text && html`<${Ahead} ahead=${ahead} />`}
      <${Answer} answer=${answer} />
    </form>`;
}

// --- what it asks for -----------------------------------------------------------------------------

/** What a line asks for. Raises Unread. @param {string} text @param {Of} of @returns {Read} */
function read(text, { character, rollables, all, opened }) {
  const { words, label, roll } = split(text);
  const form = /** @type {Form} */ (system.value?.declaration);
  const around = { link: null, narrator: isNarrator() };
  const free = expression(form);
  const names = free ? [] : rollables.map((each) => each.name); // else what they are called is what is read
  const found = begun(words, [...names, ...all.map((each) => each.name)], Boolean(free));
  const rollable = rollables.find((each) => !free && each.name === found?.name);
  const wish = (/** @type {any} */ declaration, /** @type {string} */ text) => ({ command: declaring(character ?? "", declaration, opened), label: text });
  if (found && rollable) {
    const before = /** @type {Record<string, any>} */ (rollable.declaration);
    const declared = made(form, around, before, found.rest, rollable.asks ?? []);
    return { wishes: [wish(declared, label)], more: (rollable.asks ?? []).filter((name) => !(name in declared)).map((name) => `${name}=`) };
  }
  if (found) return { does: step(all.filter((each) => each.name === found.name), roll, found.rest, label) };
  const possible = [...new Set([...names, ...all.map((each) => each.name)])];
  if (!character) throw new Unread("line.unknown", { word: text }, possible);
  if (words.length && words.every((word) => word.includes("="))) return { wishes: [wish(made(form, around, {}, words, []), label)] };
  if (!free) throw new Unread("line.unknown", { word: words[0] ?? text }, [...possible, ...fieldsOf(form, around).map((each) => `${each.name}=`)]);
  return { wishes: beginnings(words).slice(0, TRIED).map((each) => wish({ [free.name]: each.text }, [each.label, label].filter(Boolean).join(" "))) };
}

/** The field that a declaration needs and that takes any text, as an expression. @param {Form} form @returns {Field | undefined} */
function expression(form) {
  const known = properties(form.schema);
  const free = (/** @type {Field} */ field) => !field.picks.of || field.picks.of === "free";
  return form.fields.find((field) => field.required && free(field) && sortOf(known[field.name] ?? {}, form.schema).sort === "text");
}

/** A step of the roll that is named, or of the only one that has it. @param {Step[]} ways @param {number|null} roll @param {string[]} words @param {string} label */
function step(ways, roll, words, label) {
  const own = ways.filter((each) => roll === null || each.roll === roll);
  const rolls = new Set(ways.map((each) => each.roll));
  const { name = "" } = ways[0] ?? {};
  if (new Set(own.map((each) => each.roll)).size !== 1) throw new Unread("line.which", { name, n: rolls.size }, ways.map((each) => `${name} --roll ${each.roll}`));
  let why = /** @type {unknown} */ (null);
  for (const each of own) {
    try {
      return each.does(words, label);
    } catch (error) {
      why = error;
    }
  }
  throw why;
}

/** The first wish that is not refused, with what it would lead to; else the last refusal. @param {Wish[]} wishes @returns {Promise<{wish?: Wish, ahead: Preview|Refused}>} */
async function meant(wishes) {
  let refused = /** @type {any} */ (null);
  for (const wish of wishes) {
    const ahead = await preview(wish.command);
    if (ahead.type === "preview") return { wish, ahead };
    refused ??= ahead; // what was typed as a whole says best what is wrong
  }
  return { ahead: refused };
}

/** A refusal of the page's own. @param {unknown} error */
function refusal(error) {
  if (!(error instanceof Unread)) throw error;
  const { key, given, allowed } = /** @type {any} */ (error);
  return /** @type {const} */ ({ type: "refused", why: say(key, given), allowed });
}

/** Do what a line asks for. @param {string} text @param {Of} of @returns {Promise<any>} */
async function done(text, of) {
  try {
    const found = read(text, of);
    if (found.does) return await found.does();
    const { wish, ahead } = await meant(found.wishes);
    const answer = wish ? await ask(wish.command, wish.label || null) : ahead;
    return answer.type === "refused" ? { ...answer, allowed: [...answer.allowed ?? [], ...found.more ?? []] } : answer;
  } catch (error) {
    return refusal(error);
  }
}

/** What it would lead to, where that is known. @param {string} text @param {Of} of */
async function foreseen(text, of) {
  try {
    const found = text.trim() ? read(text, of) : null;
    return found?.wishes ? (await meant(found.wishes)).ahead : null;
  } catch {
    return null; // it is not typed to its end
  }
}

// --- what it may go on with -----------------------------------------------------------------------

/** Lines that what is typed may become. @param {{id: string, text: string, of: Of}} props */
function Known({ id, text, of }) {
  const [values, found] = useState(/** @type {string[]} */ ([]));
  const head = text.replace(/\S*$/, "");
  const rollable = of.rollables.find((each) => text.startsWith(`${quoted(each.name)} `));
  const field = rollable?.asks?.find((name) => !text.includes(`${name}=`));
  useEffect(() => {
    let there = true;
    if (!rollable || !field || !of.character) found([]);
    else {
      void choicesOf(of.character, field).then((all) => there && found((all ?? []).map((each) => `${field}=${quoted(characterName(String(each.value)))}`)));
    }
    return () => void (there = false);
  }, [of.character, rollable?.name, field]);
  const names = of.rollables.map((each) => `${quoted(each.name)}${each.asks?.length ? " " : ""}`);
  const ways = of.all.flatMap((each) => (each.more.length ? each.more.map((more) => `${each.name} ${quoted(more)}`) : [each.name]));
  const all = rollable ? [...(rollable.asks ?? []).map((name) => `${head}${name}=`), ...values.map((each) => head + each)] : [...names, ...ways];
  return html`<datalist id=${id}>${[...new Set(all)].map((each) => html`<option key=${each} value=${each}></option>`)}</datalist>`;
}

/** A word of a line: in quotes where it has spaces. @param {string} text */
const quoted = (text) => (/\s/.test(text) ? `"${text}"` : text);
