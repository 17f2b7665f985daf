// @ts-check
/**
 * What is typed in one line, as in a shell. Pure: no signal, no DOM.
 *
 *     strike Bo    Lockpicking rd=7    4d6kh3 # strength    reroll d1 d3    dispute --roll 4 the die slid
 */

import { properties, sortOf } from "../fields/model.js";

/**
 * @import { Field, Form, Schema, Typed } from "../fields/model.js"
 * @typedef {{words: string[], label: string, roll: number|null}} Split
 * @typedef {readonly {id: string, name: string}[]} People
 */

/** What cannot be read: `key` says why, of `given`; `allowed` are words that could be. */
export class Unread extends Error {
  /** @param {string} key @param {Record<string, unknown>} [given] @param {readonly string[]} [allowed] */
  constructor(key, given = {}, allowed = []) {
    super(key);
    Object.assign(this, { key, given, allowed });
  }
}

const fold = (/** @type {string} */ text) => text.toLocaleLowerCase();

/** A line as words: what is in quotes is one, a label comes behind `#`, a roll behind `--roll`. @param {string} line @returns {Split} */
export function split(line) {
  const [, before = "", label = ""] = /^(.*?)(?:(?:^|\s)#\s*(.*))?$/s.exec(line.trim()) ?? [];
  const words = [...before.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)].map(([word]) => word.replaceAll('"', ""));
  const at = words.indexOf("--roll");
  const [, number] = at < 0 ? [] : words.splice(at, 2);
  if (at >= 0 && !/^[1-9]\d*$/.test(number ?? "")) throw new Unread("line.roll", { word: number ?? "" });
  return { words, label, roll: number === undefined ? null : Number(number) };
}

/**
 * Which of these names the words begin with, whole or, where one alone does, its beginning; and the words behind it.
 *
 * @param {readonly string[]} words @param {readonly string[]} names @param {boolean} [whole]  whole names alone @returns {{name: string, rest: string[]} | null}
 */
export function begun(words, names, whole = false) {
  const heads = words.map((_, at) => ({ head: fold(words.slice(0, at + 1).join(" ")), rest: words.slice(at + 1) })).reverse();
  const ways = [(/** @type {string} */ name, /** @type {string} */ head) => name === head, (/** @type {string} */ name, /** @type {string} */ head) => name.startsWith(head)];
  for (const way of whole ? ways.slice(0, 1) : ways) {
    for (const { head, rest } of heads) {
      const found = [...new Set(names)].filter((name) => way(fold(name), head));
      if (found.length === 1) return { name: /** @type {string} */ (found[0]), rest };
    }
  }
  return null;
}

/** @type {Record<string, boolean>} */
const TRUTHS = { yes: true, true: true, no: false, false: false };

/**
 * What words FIELD=VALUE fill in; those without a sign fill in what is asked for, in that order.
 *
 * @param {Typed} values  what is filled in before @param {readonly string[]} words
 * @param {{form: Form, fields: Field[], asks: readonly string[], people: People}} of
 * @returns {Typed}
 */
export function given(values, words, { form, fields, asks, people }) {
  const known = properties(form.schema);
  const left = asks.filter((name) => !words.some((word) => word.startsWith(`${name}=`)));
  const found = { ...values };
  for (const word of words) {
    const at = word.indexOf("=");
    const path = at < 0 ? left.shift() ?? "" : word.slice(0, at);
    const name = path.split(".", 1)[0] ?? "";
    const field = fields.find((each) => each.name === name);
    const allowed = fields.map((each) => `${each.name}=`);
    if (!field) throw new Unread(at < 0 ? "line.more" : "line.field", { word }, allowed);
    const text = at < 0 ? word : word.slice(at + 1);
    found[name] = put(found[name], path.slice(name.length + 1), text, field, known[name] ?? {}, form.schema, people);
  }
  return found;
}

/**
 * @param {any} before @param {string} path @param {string} text @param {Field} field
 * @param {Schema} schema @param {Schema} whole @param {People} people @returns {any}
 */
function put(before, path, text, field, schema, whole, people) {
  const { sort, inner } = sortOf(schema, whole);
  const person = (/** @type {string} */ word) => {
    const found = field.picks?.of === "character" ? people.filter((each) => fold(each.name) === fold(word)) : [];
    return found.length === 1 ? found[0]?.id : word;
  };
  const wrong = (/** @type {readonly string[]} */ allowed = []) => new Unread("line.value", { word: text, name: field.name }, allowed);
  if (sort === "rates" || sort === "parts") {
    const [name = "", part = ""] = sort === "rates" ? [path] : path.split(".");
    const within = field.fields.find((each) => each.name === part);
    if (!name || (sort === "parts" && !within)) throw wrong([`${field.name}.…${sort === "parts" ? ".…" : ""}=`]);
    const own = properties({ ...inner, $defs: whole.$defs })[part] ?? {};
    return { ...before, [name]: within ? { ...before?.[name], [part]: put(undefined, "", text, within, own, whole, people) } : text };
  }
  if (path) throw wrong([`${field.name}=`]);
  if (sort === "many") return [...(Array.isArray(before) ? before : []), ...text.split(",").map((each) => each.trim()).filter(Boolean).map(person)];
  if (sort === "flag" || sort === "maybe") {
    const truth = TRUTHS[fold(text)];
    if (truth === undefined && text) throw wrong(Object.keys(TRUTHS));
    return truth;
  }
  return person(text);
}

/**
 * A line without a name of its own: its first words are what a system reads, the rest what it is for, the longest first.
 *
 * @param {readonly string[]} words @returns {{text: string, label: string}[]}
 */
export const beginnings = (words) =>
  words.map((_, at) => ({ text: words.slice(0, at + 1).join(" "), label: words.slice(at + 1).join(" ") })).reverse();
