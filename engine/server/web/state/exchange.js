// @ts-check
// A link's secret is exchanged for a token; where the answer was lost, the same link opens again.

import { ask } from "./api.js";
import { hex } from "./requests.js";

/**
 * @import { Exchanged } from "../urim"
 * @import { Answer } from "./api.js"
 * @import { Keeper } from "./kept.js"
 */

/** Answers after which a link may still be exchanged: none, too many requests, no service now; and the refusal "due". */
const AGAIN = new Set([0, 408, 429, 503]);

/** How often it is tried again at once, and after how many milliseconds first. */
const TRIES = 3;
const FIRST = 500;

/** Where secrets of links are kept that were sent and not answered, each with the id they were sent under. */
export const CLIENTS = "clients";

/**
 * Exchange a secret, under an id that is the same until there is an answer.
 *
 * @param {string} origin @param {string} secret @param {Keeper} keeper @returns {Promise<Answer<Exchanged>>}
 */
export async function exchange(origin, secret, keeper) {
  const known = keeper.value(CLIENTS) ?? {};
  const client = String(known[secret] ?? hex(24));
  keeper.keep(CLIENTS, { ...known, [secret]: client });
  for (let attempt = 0; ; attempt++) {
    /** @type {Answer<Exchanged>} */
    const answer = await ask(origin, "/access/exchange", { body: { secret, client } });
    if (!answer.ok && (answer.status === 0 || answer.status >= 500) && attempt < TRIES) {
      await new Promise((resume) => setTimeout(resume, FIRST * 2 ** attempt));
      continue;
    }
    const again = !answer.ok && (AGAIN.has(answer.status) || answer.problem.code === "due");
    if (!again) keeper.keep(CLIENTS, null); // it opens nothing more: its secret is not kept
    return answer;
  }
}
