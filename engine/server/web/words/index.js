// @ts-check
/**
 * Every visible word of the page, in the language that is chosen.
 *
 * A text may hold `{name}`: a place for something else. Where a number decides the form, a text
 * has one for each category of `Intl.PluralRules`, and the number is given as `n`.
 */

import { language } from "../state/signals.js";
import { en } from "./en.js";
import { en as rollsEn } from "./rolls/en.js";

/** @typedef {Record<string, unknown>} Given */

/** @type {Record<string, Record<string, string | Record<string, string>>>} */
const TABLES = { en: { ...en, ...rollsEn } };

/** Further languages, which are loaded when they are chosen. @type {Record<string, () => Promise<object[]>>} */
const LATER = {
  he: async () => [(await import("./he.js")).he, (await import("./rolls/he.js")).he],
};

/** Words of views that come later, in every language. @type {typeof TABLES} */
const MORE = {};

/** Learn the words of a view that has come. @param {typeof TABLES} words */
export function add(words) {
  for (const [language, table] of Object.entries(words)) MORE[language] = { ...MORE[language], ...table };
}

/** The text of a key in a language. @param {string} language @param {string} key */
const textIn = (language, key) => TABLES[language]?.[key] ?? MORE[language]?.[key];

/**
 * Have the words of a language here. Whether they are: without a network they may not come.
 *
 * @param {string} language
 */
export async function learn(language) {
  try {
    if (!(language in TABLES)) TABLES[language] = Object.assign({}, ...await LATER[language]?.() ?? []);
  } catch {
    // Until they are here, what was chosen before stays.
  }
  return language in TABLES;
}

/** How a language counts. To make one takes long, so there is one for each. @type {Record<string, Intl.PluralRules>} */
const RULES = {};

const PLACE = /\{(\w+)\}/;

/**
 * The text of a key as one string, for attributes and announcements.
 *
 * What stands in a place is between isolates, so that a name of the other direction moves nothing.
 * A key that is missing is shown itself.
 *
 * @param {string} key
 * @param {Given} [given]
 */
export function say(key, given = {}) {
  return parts(key, given).map(([text, placed]) => (placed ? isolated(text) : text)).join("");
}

/**
 * The text of a key in pieces, `[what, whether it stands in a place]`: for views, which may put
 * elements in the places.
 *
 * @param {string} key
 * @param {Given} [given]
 * @returns {[any, boolean][]}
 */
export function parts(key, given = {}) {
  const text = formOf(textIn(language.value, key) ?? textIn("en", key) ?? key, given.n);
  return text.split(PLACE).map((piece, index) =>
    index % 2 ? [given[piece] ?? "", true] : [piece, false]);
}

/** Whether a key has a text. @param {string} key */
export function known(key) {
  return (textIn(language.value, key) ?? textIn("en", key)) !== undefined;
}

/** @param {string | Record<string, string>} text @param {unknown} n */
function formOf(text, n) {
  if (typeof text === "string") return text;
  const rules = (RULES[language.value] ??= new Intl.PluralRules(language.value));
  return text[rules.select(Number(n))] ?? text.other;
}

/** @param {unknown} value */
function isolated(value) {
  return typeof value === "number" && value >= 0 ? String(value) : `\u2068${value}\u2069`;
}
