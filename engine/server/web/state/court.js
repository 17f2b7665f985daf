// @ts-check
// What the server reckons about a roll: what would be different, what could have been otherwise, and
// its case file. It comes with the first dispute that somebody looks at.

import { ask as http, withParameters } from "./api.js";
import { refusedBy } from "./requests.js";
import * as shown from "./signals.js";

/**
 * @import { AlternativesBody, WhatIf, WhatIfBody } from "../urim"
 * @import { Refused } from "./requests.js"
 * @import { Roll } from "./rolls.js"
 */

/** One thing that is different. @typedef {WhatIfBody["changes"][number]} Change */

/**
 * Whether somebody still wants an answer when its turn comes. `over` ends a question that is under way
 * too; the server goes on with it, so the next one may find it busy.
 * @typedef {{wanted: () => boolean, over: AbortSignal}} Wanted
 */

/** Milliseconds that the server may take for one answer. */
const PATIENCE = 60_000;

/** How often is asked again where the server has no time. */
const TRIES = 5;

/** The server does one such thing for a seat at a time. @type {Promise<unknown>} */
let turn = Promise.resolve();

/**
 * What is asked of the table, in its turn; null where nobody wants it any more by then, or it is over.
 *
 * @template T
 * @param {string} path
 * @param {{body?: object, text?: boolean, language?: boolean} & Partial<Wanted>} [how]
 * @returns {Promise<T|Refused|null>}
 */
function reckoned(path, { language = true, wanted = () => true, ...how } = {}) {
  const { origin = "", table, token } = shown.session.value ?? {};
  const to = withParameters(`/tables/${table}${path}`, { language: language ? shown.language.value : null });
  async function go() {
    for (let left = TRIES; wanted() && !how.over?.aborted; left--) {
      const answer = await http(origin, to, { token, patience: PATIENCE, ...how });
      if (how.over?.aborted) return null;
      if (answer.ok) return /** @type {T} */ (answer.body);
      if (answer.problem.code !== "too-fast" || !left) return refusedBy(answer.problem, null);
      await new Promise((resume) => setTimeout(resume, 1000 * (answer.problem.retry_after ?? 1)));
    }
    return null;
  }
  const found = turn.then(go);
  turn = found;
  return found;
}

/**
 * What would be different. Nothing is done.
 *
 * @param {Change[]} changes
 * @param {Partial<Wanted>} [wanted]
 * @returns {Promise<WhatIf|Refused|null>}
 */
export const whatIf = (changes, wanted) => reckoned("/whatif", { body: { changes }, ...wanted });

/**
 * What could have been otherwise in a roll.
 *
 * @param {number} roll
 * @param {Partial<Wanted>} [wanted]
 * @returns {Promise<AlternativesBody|Refused|null>}
 */
export const alternatives = (roll, wanted) => reckoned(`/rolls/${roll}/alternatives`, wanted);

/**
 * The case file of a roll, a page of HTML.
 *
 * @param {number} roll
 * @returns {Promise<{type: "done", name: string, text: string}|Refused>}
 */
export async function caseFile(roll) {
  const found = await reckoned(`/rolls/${roll}/case`, { language: false, text: true });
  if (typeof found !== "string") return /** @type {Refused} */ (found);
  return { type: "done", name: `${shown.session.value?.table}-roll-${roll}.html`, text: found };
}

/**
 * The rolls that depend on one: those that follow it, and those that follow these.
 *
 * @param {number} number
 * @param {ReadonlyMap<number, Roll>} rolls
 * @returns {number[]}
 */
export function dependents(number, rolls) {
  const found = [number];
  for (const each of [...rolls.values()].sort((one, other) => one.number - other.number)) {
    const live = each.state !== "voided" && each.follows;
    if (live && found.includes(each.follows?.[0] ?? 0)) found.push(each.number);
  }
  return found.slice(1);
}
