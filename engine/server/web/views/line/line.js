// @ts-check
/** One line that takes what people type: a roll of the sheet, plain dice, or what is to be done next. */

import { useEffect, useId, useRef, useState } from "preact/hooks";

import { ask, choicesOf, moves, preview, system } from "../../state/app.js";
import { say } from "../../words/index.js";
import "../../words/line/index.js";
import { useDraft } from "../drafted.js";
import { fieldsOf, sortOf, properties } from "../fields/model.js";
import { rollIn, shows } from "../focus.js";
import { Ahead, declaring, PAUSE, useOpenness } from "../form.js";
import { html } from "../html.js";
import { plain } from "../names.js";
import { Answer, useAction } from "../parts.js";
import { useKept } from "../rollables.js";
import { characterName, characters, isNarrator } from "../shown.js";
import { made, steps, useAnswers } from "./steps.js";
import { begun, marked, noOptions, said, seenBy, split, Unread, wordsOf } from "./words.js";

/**
 * @import { Command, Rollable } from "../../urim.d.ts"
 * @import { Outcome } from "../../state/requests.js"
 * @import { Field, Form } from "../fields/model.js"
 * @import { Step } from "./steps.js"
 *
 * What a line asks for: a declaration, with what `more` it could name; or a step that is done.
 * @typedef {{command: Command, label: string, more?: string[], does?: undefined} | {does: () => Promise<Outcome>, command?: undefined}} Read
 * @typedef {{character: string | undefined, rollables: Rollable[] | null, all: Step[], opened: ReturnType<typeof useOpenness>,
 *   kept: ReturnType<typeof useKept>["value"]}} Of
 */

/** What is to be read has not come yet, and the milliseconds for which a line that was sent waits for it. */
const LOADING = "form.loading";
const AWAITED = 5_000;

/** @param {{character: string | undefined, rollables: Rollable[] | null}} props */
export function Line({ character, rollables }) {
  const id = useId();
  const drafted = useDraft(`line/${character ?? ""}`, "");
  const text = drafted.value;
  const opened = useOpenness(character ?? "");
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [busy, answer, run] = useAction();
  const all = steps(moves.value, useAnswers(moves.value));
  const typed = useRef(all); // what could be done when the line was typed
  const [asked, setAsked] = useState(""); // what the answer is to
  const kept = useKept(character ?? "").value;
  const of = { character, rollables, all, opened, kept };
  const newest = useRef(of); // as it is while a line waits
  newest.current = of;
  const [ahead, look] = useState(/** @type {any} */ (null));
  const known = JSON.stringify([character, rollables, all.map((each) => [each.name, each.roll])]);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    let there = true;
    look(null);
    const timer = setTimeout(async () => {
      const found = await foreseen(text, of);
      if (there) look(found);
    }, PAUSE);
    return () => {
      there = false;
      clearTimeout(timer);
    };
  }, [text, known]);
  /** @param {string} now */
  function set(now) {
    typed.current = all;
    drafted.set(now, true);
  }
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const text = input.current?.value ?? ""; // what is seen, which may not be drawn by us yet
    if (!text.trim()) return;
    const known = typed.current;
    setAsked(text);
    const found = await run(async () => {
      const end = performance.now() + AWAITED;
      let found;
      do {
        const { all, ...rest } = newest.current;
        found = await done(text, { ...rest, all: all.filter((each) => known.some((one) => one.name === each.name && one.roll === each.roll)) });
        if (found.key !== LOADING) break;
        await new Promise((next) => setTimeout(next, PAUSE));
      } while (newest.current.character === character && performance.now() < end);
      return found;
    });
    if (found?.type === "done" && input.current?.value === text) drafted.clear();
    input.current?.focus();
  }
  const visibility = ahead?.visibility ?? opened.visibility;
  const title = character ? say("line.title-of", { who: plain(characterName(character)) }) : say("line.title");
  return html`
    <form class="line" onSubmit=${submit}>
      <label for=${id}>${title}</label>
      <div class="acts">
        <input id=${id} ref=${input} type="text" dir="auto" maxlength="400" autocomplete="off" autocapitalize="off" spellcheck=${false} list=${`${id}-known`}
          value=${text} onInput=${(/** @type {Event} */ event) => set(/** @type {HTMLInputElement} */ (event.currentTarget).value)} />
        <button type="submit" class="main" aria-disabled=${busy || !text.trim()}>${say("line.do")}</button>
      </div>
      <${Known} id=${`${id}-known`} text=${text} of=${of} />
      ${visibility !== "public" && html`<p class="help">${say("form.visibility")}: ${say(`visibility.${visibility}`)}</p>`}
      ${asked === text ? html`<${Answer} answer=${answer} />` : text && html`<${Ahead} ahead=${ahead} />`}
    </form>`;
}

// --- what it asks for -----------------------------------------------------------------------------

/** What a line asks for. Raises Unread. @param {string} text @param {Of} of @returns {Read} */
function read(text, { character, rollables, all, opened, kept }) {
  const form = /** @type {Form | undefined} */ (system.value?.declaration);
  if (!form || !rollables) throw new Unread(LOADING);
  const own = kept.find(({ name }) => name.toLocaleLowerCase() === text.trim().toLocaleLowerCase());
  if (own) return own.wish;
  const { words, label, raw, roll } = split(text);
  const free = expression(form);
  const around = { link: null, narrator: isNarrator() };
  const every = fieldsOf(form, around);
  const fields = every.map((each) => each.name);
  const named = words.filter((word) => word.includes("=") && fields.includes(word.split(/[.=]/, 1)[0] ?? ""));
  const whole = wordsOf(rollables.map((each) => each.name));
  const { left: rest, visibility = opened.visibility } = seenBy(words.filter((word) => !named.includes(word)), whole);
  const names = free || roll !== null ? [] : rollables.map((each) => each.name); // else what they are called is what is read
  const able = [...new Set(all.map((each) => each.name))];
  const begins = (/** @type {string} */ name) => words.slice(0, name.split(" ").length).join(" ").toLocaleLowerCase() === name.toLocaleLowerCase();
  const step = able.find(begins); // by its whole name: what it does may not be taken back
  if (step && !names.includes(words[0] ?? "")) return { does: chosen(all.filter((each) => each.name === step), roll, words, { label, raw, character }) };
  noOptions(words);
  if (roll !== null) throw new Unread("line.unknown", { word: rest[0] ?? text }, able);
  if (!character) throw new Unread("line.unknown", { word: rest[0] ?? text }, able);
  const wish = (/** @type {any} */ declaration) => ({ command: declaring(character, declaration, { ...opened, visibility }), label });
  if (free) {
    const given = rest.length ? { [free.name]: rest.join(" ") } : {};
    return { ...wish(made(form, around, given, named, [])), more: [say("line.label")] };
  }
  const [head = { words: [] }, ...marks] = marked(rest, every, whole);
  const found = begun(head.words, names);
  const rollable = rollables.find((each) => each.name === found?.name);
  if (!rollable && (head.words.length || !named.length)) throw new Unread("line.unknown", { word: rest[0] ?? text }, [...names, ...able, ...fields.map((name) => `${name}=`)]);
  const { declaration: before = {}, asks = [] } = /** @type {{declaration?: Record<string, any>, asks?: string[]}} */ (rollable ?? {});
  const taken = [...Object.keys(before), ...named.map((word) => word.split(/[.=]/, 1)[0] ?? "")];
  const ratings = Object.keys(characters().find((each) => each.id === character)?.attributes ?? {});
  const more = said(marks, { fields: every, taken, ratings, people: characters() });
  const declared = made(form, around, before, [...named, ...more.named, ...found?.rest ?? [], ...more.rest], asks, ratings);
  return { ...wish(declared), more: asks.filter((name) => !(name in declared)).map((name) => `${name}=`) };
}

/** The field that a declaration needs and that takes any text, as an expression. @param {Form} form @returns {Field | undefined} */
function expression(form) {
  const known = properties(form.schema);
  const free = (/** @type {Field} */ field) => !field.picks.of || field.picks.of === "free";
  return form.fields.find((field) => field.required && free(field) && sortOf(known[field.name] ?? {}, form.schema).sort === "text");
}

/**
 * A step of the roll that is named, or of the only one that has it; of the character that is chosen, where several may.
 *
 * @param {Step[]} ways @param {number|null} roll @param {string[]} words
 * @param {{label: string, raw: string, character: string | undefined}} beside
 */
function chosen(ways, roll, words, { label, raw, character }) {
  const own = ways.filter((each) => roll === null || each.roll === roll);
  const { name = "" } = ways[0] ?? {};
  if (new Set(own.map((each) => each.roll)).size !== 1) {
    throw new Unread("line.which", { name, n: new Set(ways.map((each) => each.roll)).size }, ways.map((each) => `${name} --roll ${each.roll}`));
  }
  const rest = words.slice(name.split(" ").length);
  const possible = /** @type {{step: Step, deed: () => Promise<Outcome>}[]} */ ([]);
  let why = /** @type {unknown} */ (null);
  for (const step of own) {
    try {
      possible.push({ step, deed: step.does([...rest], label, raw.slice(name.length).trim()) });
    } catch (error) {
      why ??= error;
    }
  }
  if (!possible.length) throw why;
  const mine = possible.length > 1 ? possible.filter(({ step }) => step.character === character) : possible;
  if (mine.length !== 1) throw new Unread("line.whose", { name }, possible.map(({ step }) => [plain(characterName(step.character)), step.hand].filter(Boolean).join(", ")));
  return () => (shows(mine[0]?.step.roll ?? null), /** @type {() => Promise<Outcome>} */ (mine[0]?.deed)());
}

/** A refusal of the page's own. @param {unknown} error */
function refusal(error) {
  if (!(error instanceof Unread)) throw error;
  const { key, given, allowed } = /** @type {any} */ (error);
  return /** @type {const} */ ({ type: "refused", key, why: say(key, given), allowed });
}

/** Do what a line asks for. @param {string} text @param {Of} of @returns {Promise<any>} */
async function done(text, of) {
  try {
    const found = read(text, of);
    if (found.does) return await found.does();
    const answer = await ask(found.command, found.label || null);
    shows(rollIn(answer));
    return answer.type === "refused" ? { ...answer, allowed: [...answer.allowed ?? [], ...found.more ?? []] } : answer;
  } catch (error) {
    return refusal(error);
  }
}

/** What it would lead to, where that is known. @param {string} text @param {Of} of */
async function foreseen(text, of) {
  try {
    const found = text.trim() ? read(text, of) : null;
    return found?.command ? { ...await preview(found.command), visibility: /** @type {any} */ (found.command).visibility } : null;
  } catch {
    return null; // it is not typed to its end
  }
}

// --- what it may go on with -----------------------------------------------------------------------

/** Lines that what is typed may become. @param {{id: string, text: string, of: Of}} props */
function Known({ id, text, of }) {
  const [values, found] = useState(/** @type {string[]} */ ([]));
  const head = text.replace(/\S*$/, "");
  const rollable = (of.rollables ?? []).find((each) => text.startsWith(`${quoted(each.name)} `) || text.startsWith(`${quoted(each.name)}+`));
  const mark = /\+[^\s+]*$/.test(text) ? "+" : /\svs\s[^+]*$/i.test(text) ? "vs" : "";
  const behind = (/** @type {string} */ mark) => (system.value?.declaration?.fields ?? []).filter((/** @type {Field} */ each) => each.said === mark).map((/** @type {Field} */ each) => each.name);
  const fields = mark ? behind(mark) : (rollable?.asks ?? []).filter((name) => !text.includes(`${name}=`)).slice(0, 1);
  useEffect(() => {
    let there = true;
    const { character } = of;
    void Promise.all(rollable && character ? fields.map((/** @type {string} */ name) => choicesOf(character, name)) : [])
      .then((all) => there && found(all.flatMap((each, at) => (each ?? []).map(({ value }) => `${mark ? "" : `${fields[at]}=`}${quoted(nameOf(value))}`))));
    return () => void (there = false);
  }, [of.character, rollable?.name, fields.join()]);
  const names = (of.rollables ?? []).map((each) => `${quoted(each.name)}${each.asks?.length ? " " : ""}`);
  const ways = of.all.flatMap((each) => (each.more.length ? each.more.map((more) => `${each.name} ${quoted(more)}`) : [each.name]));
  const all = rollable && mark ? values.map((each) => text.replace(mark === "+" ? /[^+]*$/ : /(?<=\svs\s).*$/i, "") + each)
    : rollable ? [...(rollable.asks ?? []).map((name) => `${head}${name}=`), ...values.map((each) => head + each), ...(behind("vs").length ? [`${head}vs `] : [])] : [...of.kept.map(({ name }) => name), ...names, ...ways];
  return html`<datalist id=${id}>${[...new Set(all)].map((each) => html`<option key=${each} value=${each}></option>`)}</datalist>`;
}

/** A value as it is typed: a character by its name, if no other has it. @param {unknown} value */
function nameOf(value) {
  const name = plain(characterName(String(value)));
  return characters().filter((each) => each.name === name).length > 1 ? String(value) : name;
}

/** A word of a line: in quotes where it has spaces. @param {string} text */
const quoted = (text) => (/\s/.test(text) ? `"${text}"` : text);
