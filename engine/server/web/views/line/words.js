// @ts-check
/**
 * What is typed in one line, as in a shell. Pure: no signal, no DOM.
 *
 *     strike Bo    Lockpicking rd=7    BLE+wind vs 2    4d6kh3 hidden # strength    reroll d1 d3    dispute --roll 4 the die slid
 */

import { properties, sortOf } from "../fields/model.js";

/**
 * @import { Field, Form, Schema, Typed } from "../fields/model.js"
 * @typedef {{words: string[], label: string, raw: string, roll: number|null}} Split
 * @typedef {readonly {id: string, name: string}[]} People
 * @typedef {{people: People, ratings: readonly string[]}} Known  whom and what a word may name
 */

/** What cannot be read: `key` says why, of `given`; `allowed` are words that could be. */
export class Unread extends Error {
  /** @param {string} key @param {Record<string, unknown>} [given] @param {readonly string[]} [allowed] */
  constructor(key, given = {}, allowed = []) {
    super(key);
    Object.assign(this, { key, given, allowed });
  }
}

/** Letters by which a name may be begun, at least. */
const LEAST = 3;

/** A name or word as it is compared: quotes only keep words together. @param {string} text */
const bare = (text) => text.replaceAll('"', "");

/** @param {string} text */
const fold = (text) => bare(text).toLocaleLowerCase();

/**
 * A line as words: what is in quotes is one, a label comes behind `#`, a roll behind `--roll`; `raw` is all but the roll.
 *
 * @param {string} line @returns {Split}
 */
export function split(line) {
  const found = /(?:^|\s)--roll(?:[\s=]+(\S*))?(?=\s|$)/.exec(line);
  if (found && !/^[1-9]\d{0,9}$/.test(found[1] ?? "")) throw new Unread("line.roll", { word: found[1] ?? "" });
  const raw = (found ? line.replace(found[0], "") : line).trim();
  const [, before = "", label = ""] = /^(.*?)(?:(?:^|\s)#\s*(.*))?$/s.exec(raw) ?? [];
  const words = [...before.matchAll(/(?:[^\s"]|"[^"]*"|")+/g)].map(([word]) => bare(word));
  return { words, label, raw, roll: found ? Number(found[1]) : null };
}

/** Refuse what only a shell has. @param {readonly string[]} words */
export function noOptions(words) {
  const option = words.find((word) => word.startsWith("--"));
  if (option) throw new Unread("line.more", { word: option }, ["--roll N"]);
}

/**
 * Which of these names the words begin with, and the words behind it: its whole name, or as much of it as no other has.
 *
 * @param {readonly string[]} words @param {readonly string[]} names @returns {{name: string, rest: string[]} | null}
 */
export function begun(words, names) {
  const heads = words.map((_, at) => ({ head: words.slice(0, at + 1).join(" "), rest: words.slice(at + 1) })).reverse();
  let several = /** @type {string[]} */ ([]);
  for (const way of WAYS) {
    for (const { head, rest } of heads) {
      const found = [...new Set(names)].filter((name) => way(name, head));
      if (found.length === 1) return { name: /** @type {string} */ (found[0]), rest };
      if (!several.length) several = found;
    }
  }
  if (several.length) throw new Unread("line.several", { word: words.join(" ") }, several);
  return null;
}

/** How a name is begun: exactly, in other case, or by a beginning. @type {((name: string, head: string) => boolean)[]} */
const WAYS = [
  (name, head) => bare(name) === head,
  (name, head) => fold(name) === fold(head),
  (name, head) => head.length >= LEAST && fold(name).startsWith(fold(head)),
];

/** Who sees a roll, by the word that says it. @type {Record<string, string>} */
const SEEN = { hidden: "gm", gm: "gm", blind: "blind", self: "self" };

/** What names of rolls have in them is read as nothing else. @param {readonly string[]} names */
export const wordsOf = (names) => new Set(names.flatMap((name) => fold(name).split(/\s+/)));

/**
 * A word that says who sees the roll, the first or the last, and the others.
 *
 * @param {readonly string[]} words @param {ReadonlySet<string>} own @returns {{left: string[], visibility?: string | undefined}}
 */
export function seenBy(words, own) {
  const folded = words.map(fold);
  const at = [words.length - 1, 0].find((place) => Object.hasOwn(SEEN, folded[place] ?? "") && !own.has(folded[place] ?? ""));
  return at === undefined ? { left: [...words] } : { left: words.toSpliced(at, 1), visibility: SEEN[folded[at] ?? ""] };
}

/**
 * Words by the mark that they stand behind, the first ones behind none.
 *
 * @param {readonly string[]} words @param {readonly Field[]} fields @param {ReadonlySet<string>} own
 */
export function marked(words, fields, own) {
  const marks = new Set(fields.map((field) => field.said));
  const found = [{ mark: "", words: /** @type {string[]} */ ([]) }];
  for (const word of words) {
    if (fold(word) === "vs" && marks.has("vs") && !own.has("vs")) {
      found.push({ mark: "vs", words: [] });
      continue;
    }
    const whole = !marks.has("+") || own.has(fold(word));
    const [first = "", ...more] = whole ? [word] : word.split(/\+(?!\d)/);
    if (first || whole) found.at(-1)?.words.push(first);
    found.push(...more.map((each) => ({ mark: "+", words: each ? [each] : [] })));
  }
  return found;
}

/**
 * What stands behind marks, as words FIELD=VALUE, and the words behind that.
 *
 * @param {readonly {mark: string, words: string[]}[]} marks
 * @param {{fields: readonly Field[], taken: readonly string[], ratings: readonly string[], people: People}} of
 */
export function said(marks, { fields, taken, ratings, people }) {
  const named = /** @type {string[]} */ ([]);
  const rest = /** @type {string[]} */ ([]);
  for (const { mark, words } of marks) {
    const text = words.join(" ");
    const person = people.some(({ id, name }) => id === text || fold(name) === fold(text));
    const fitting = fields.filter((field) => field.said === mark && (mark === "+" || (field.picks.of === "character") === person));
    const field = fitting.find(({ name }) => ![...taken, ...named.map((each) => each.split("=", 1)[0])].includes(name));
    if (!field || !text) throw new Unread("line.more", { word: `${mark} ${text}` }, field ? [`${field.name}=`] : []);
    const rated = field.picks.of === "sheet" ? begun(words, ratings) : null;
    if (field.picks.of === "sheet" && !rated) throw new Unread("line.value", { word: text, name: field.name }, ratings);
    const [first = "", ...more] = mark === "+" ? words : [text];
    named.push(`${field.name}=${rated?.name ?? first}`);
    rest.push(...rated?.rest ?? more);
  }
  return { named, rest };
}

/** @type {Record<string, boolean>} */
const TRUTHS = { yes: true, true: true, no: false, false: false };

/**
 * What words FIELD=VALUE fill in; those without a sign fill in what is asked for, in that order.
 *
 * @param {Typed} values  what is filled in before @param {readonly string[]} words
 * @param {{form: Form, fields: Field[], asks: readonly string[]} & Known} of
 * @returns {Typed}
 */
export function given(values, words, { form, fields, asks, ...named }) {
  const known = properties(form.schema);
  const left = asks.filter((name) => !words.some((word) => word.startsWith(`${name}=`)));
  const found = { ...values };
  const unnamed = words.filter((word) => !word.includes("="));
  const last = left.length && unnamed.splice(left.length - 1).join(" "); // the last that is asked for takes all that is left
  for (const word of [...words.filter((word) => word.includes("=")), ...unnamed, ...(last ? [last] : [])]) {
    const at = word.indexOf("=");
    const path = at < 0 ? left.shift() ?? "" : word.slice(0, at);
    const name = path.split(".", 1)[0] ?? "";
    const field = fields.find((each) => each.name === name);
    const allowed = fields.map((each) => `${each.name}=`);
    if (!field) throw new Unread(at < 0 ? "line.more" : "line.field", { word }, allowed);
    if (at >= 0 && name in values) throw new Unread("line.twice", { name });
    const text = at < 0 ? word : word.slice(at + 1);
    found[name] = put(found[name], path.slice(name.length + 1), text, field, known[name] ?? {}, form.schema, named);
  }
  return found;
}

/**
 * @param {any} before @param {string} path @param {string} text @param {Field} field
 * @param {Schema} schema @param {Schema} whole @param {Known} named @returns {any}
 */
function put(before, path, text, field, schema, whole, named) {
  const { people, ratings } = named;
  const { sort, inner } = sortOf(schema, whole);
  const person = (/** @type {string} */ word) => {
    if (field.picks?.of === "sheet") return ratings.find((each) => fold(each) === fold(word)) ?? word;
    if (field.picks?.of !== "character" || people.some((each) => each.id === word)) return word;
    const found = people.filter((each) => fold(each.name) === fold(word));
    if (found.length > 1) throw new Unread("line.several", { word }, found.map((each) => each.id));
    if (!found[0] && word) throw new Unread("line.value", { word, name: field.name }, people.map((each) => each.name));
    return found[0]?.id ?? word;
  };
  const wrong = (/** @type {readonly string[]} */ allowed = []) => new Unread("line.value", { word: text, name: field.name }, allowed);
  if (sort === "rates" || sort === "parts") {
    const [name = "", part = ""] = sort === "rates" ? [path] : path.split(".");
    const within = field.fields.find((each) => each.name === part);
    if (!name || (sort === "parts" && !within)) throw wrong([`${field.name}.…${sort === "parts" ? ".…" : ""}=`]);
    const own = properties({ ...inner, $defs: whole.$defs })[part] ?? {};
    return { ...before, [name]: within ? { ...before?.[name], [part]: put(undefined, "", text, within, own, whole, named) } : text };
  }
  if (path) throw wrong([`${field.name}=`]);
  if (sort === "many") return [...(Array.isArray(before) ? before : []), ...text.split(",").map((each) => each.trim()).filter(Boolean).map(person)];
  if (sort === "flag" || sort === "maybe") {
    const truth = Object.hasOwn(TRUTHS, fold(text)) ? TRUTHS[fold(text)] : undefined;
    if (truth === undefined && text) throw wrong(Object.keys(TRUTHS));
    return truth;
  }
  return person(text);
}
