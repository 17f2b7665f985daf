// @ts-check
/** Words of people and of the server on the page: shown as text, cut, and never out of their place. */

import { language } from "../state/signals.js";
import { html } from "./html.js";

/** Characters of a name in lists, at most; what is longer ends in an ellipsis. */
export const MOST = 120;

/** Controls, and marks that turn the direction of what follows them. */
const TURNING = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066\u2067\uFEFF]/g;

/** The marks that the server puts round a name in its sentences, and what is between them. */
const MARKS = /[\u2068\u2069]/g;
const ISOLATED = /\u2068[^\u2068\u2069]*\u2069/g;

const HEBREW = /[\u0590-\u05FF]/;
const LATIN = /[A-Za-z]/;

/**
 * A text without controls, at most `most` characters long.
 *
 * @param {unknown} text
 * @param {number} [most]
 */
export function plain(text, most = MOST) {
  return cut(text, most).replace(MARKS, "");
}

/** The same, with the marks round names. @param {unknown} text @param {number} most */
function cut(text, most) {
  // Cut first: a text of a million characters is not searched whole.
  const found = [...String(text ?? "").slice(0, 4 * most).replace(TURNING, "")];
  return found.length > most ? `${found.slice(0, most).join("")}…` : found.join("");
}

/**
 * A name in the midst of other words.
 *
 * @param {{text: unknown, most?: number}} props
 */
export function Name({ text, most = MOST }) {
  const shown = plain(text, most);
  return html`<bdi lang=${tongue(shown)}>${shown}</bdi>`;
}

/**
 * Words that came from the server or from people, in whatever language they are.
 *
 * @param {{text: unknown, most?: number, class?: string}} props
 */
export function Foreign({ text, most = 4000, class: look }) {
  const shown = cut(text, most);
  return html`<span class=${look} dir=${direction(shown)} lang=${tongue(shown)}>${shown}</span>`;
}

/** The direction of a text by its first letter outside of names. @param {string} text */
function direction(text) {
  const first = /[A-Za-z\u0590-\u06FF]/.exec(text.replace(ISOLATED, ""))?.[0];
  if (first === undefined) return "auto";
  return LATIN.test(first) ? "ltr" : "rtl";
}

/** The language of a text by its letters, where it is not the page's. @param {string} text */
function tongue(text) {
  if (HEBREW.test(text) && !LATIN.test(text)) return language.value === "he" ? undefined : "he";
  if (LATIN.test(text) && !HEBREW.test(text)) return language.value === "en" ? undefined : "en";
  return undefined;
}
