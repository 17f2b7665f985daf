// @ts-check
// What the verifier's page and the page of a roll's link show alike. Text only ever enters as text.

import { LOOKS, STEPS } from "./urimcheck.js";

/** @import { Remark } from "./urimcheck.js" */

/** What each step asks. @type {Record<string, string>} */
const ASKS = {
  parse: "Is every payload and every command of its form?",
  signature: "Is the checkpoint signed by the log's key?",
  tree: "Do the entries lead to the signed root, and to every earlier checkpoint?",
  sequence: "Do the entries count up, and does time not go back?",
  payloads: "Is each payload the one that was sealed?",
  throws: "Does each throw answer what was committed to, asked for and planned?",
  commitments: "Is each seed the one that was committed to?",
  transcripts: "Was each throw at its level, and each share the next of its seat?",
  dice: "Does every face follow from seed, nonce and shares?",
  transitions: "Does each commit say what was asked, and who asked it?",
  reuse: "Is every seed used once?",
  voids: "Does each void open its seed?",
  rulings: "Is what was ruled also what was done, with a reason?",
  hidden: "Is all of a revealed roll shown?",
};
/** The words for what was found, the worst first. @type {Record<string, string>} */
const WORDS = { wrong: "wrong", unchecked: "not checked", look: "look" };
/** How many remarks of one step are shown. */
const MOST = 100;

/** @param {string} id @returns {any} */
export const at = (id) => document.getElementById(id);

/** An element with attributes and children. @param {string} name @param {Record<string, string>} attributes @param {(string | Node)[]} children */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A step, and what was found in it, as an item. @param {string} step @param {readonly Remark[]} remarks */
export function stepOf(step, remarks) {
  const its = Object.keys(WORDS).flatMap((word) => remarks.filter((each) => each.step === step && each.word === word));
  const [worst] = its;
  const [tone, said] = worst ? [worst.word, WORDS[worst.word]] : ["pass", "right"];
  const badge = element("span", { class: "badge", "data-tone": tone }, its.length > 1 ? `${said} (${its.length})` : said);
  const parts = [element("span", { class: "name" }, `${STEPS[step]} ${step}`), badge, element("span", { class: "asks" }, ASKS[step])];
  if (!worst) return element("li", { class: "step", "data-step": step }, ...parts);
  const lines = its.slice(0, MOST).map(({ seq, word, kind, why }) => {
    const what = kind in LOOKS ? `${WORDS[word]}, ${LOOKS[kind]}` : WORDS[word];
    return element("li", {}, element("b", {}, seq === null ? what : `${what}, entry ${seq}`), ": ", element("bdi", {}, why));
  });
  if (its.length > MOST) lines.push(element("li", {}, `and ${its.length - MOST} more`));
  return element("li", { class: "step", "data-step": step }, ...parts, element("ul", { class: "lines" }, ...lines));
}
