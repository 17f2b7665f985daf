// @ts-check
// What needs no decision is done by itself: the step that the rules leave a roll (`RollMoves.step`).
//
// To resolve, and to apply damage, in each roll of this seat; to throw, in one in which somebody has
// done something on this page: a hand that waited for others falls at a tap of its own.

import { effect } from "@preact/signals-core";

import { acted, going, live, moves, session, sight, stepwise } from "./signals.js";

/**
 * @import { Command, Offer } from "../urim"
 * @import { Outcome } from "./requests.js"
 * @import { Wish } from "./throws.js"
 * @import { Signal } from "@preact/signals-core"
 *
 * @typedef {{ask: (command: Command) => Promise<Outcome>, draft: (key: string, initial: null) => Signal<any>,
 *   throwDice: (number: number, hand: string, how: Omit<Wish, "hand">) => Promise<Outcome>}} Actions  of the page
 */

/** Where the page keeps what it has thrown and may not see: nobody else shows it that the dice are thrown. */
export const THROWN = "thrown";

/**
 * Remember a throw whose dice this seat may not see.
 *
 * @param {Signal<any>} thrown  the draft of `THROWN` @param {number} number @param {string} hand
 */
export function wasThrown(thrown, number, hand) {
  if (sight.value?.rolls.find((each) => each.roll === number)?.seen !== "declaration") return;
  const offers = (moves.value.get(number)?.moves ?? []).flatMap((move) => move.offers ?? []);
  const own = offers.find((offer) => offer.trigger === "roll" && offer.hand === hand);
  if (own) thrown.value = { now: [...thrown.value?.now ?? [], `${number} ${own.character}`], past: [] };
}

const PLAIN = { resolve: "resolve/1", apply_damage: "apply_damage/1" };

/** Steps that were taken up, each once as long as the table is the same. @type {Set<string>} */
const taken = new Set();

/** Take up every step from now on. Gives what stops it. @param {Actions} actions */
export function goOn(actions) {
  return effect(() => {
    const { size, ask } = live.value;
    if (stepwise.value || sight.value?.size !== size) return; // the moves are about an older table
    for (const [number, { step }] of moves.value) {
      if (number === null) continue;
      if (!step && ask?.roll !== number) acted.delete(number); // one that waits for shares goes on behind them
      if (!step) continue;
      if (step.trigger in PLAIN || acted.has(number)) void take(actions, number, step, size);
    }
  });
}

/** @param {Actions} actions @param {number} number @param {Offer} step @param {number} size */
async function take({ ask, draft, throwDice }, number, step, size) {
  const unseen = sight.value?.rolls.find((each) => each.roll === number)?.seen === "declaration";
  const key = [session.value?.key, session.value?.table, number, unseen ? "unseen" : size].join("/");
  const own = `${number} ${step.character}`;
  const thrown = unseen ? draft(THROWN, null) : null;
  if (taken.has(key) || thrown?.value?.now.includes(own)) return;
  taken.add(key);
  going.value = new Set([...going.value, number]);
  const plain = PLAIN[/** @type {keyof typeof PLAIN} */ (step.trigger)];
  const again = step.trigger === "reroll" ? { dice: [...(step.dice ?? [])] } : {};
  await (plain ? ask(/** @type {Command} */ ({ do: plain, roll: number })) : throwDice(number, step.hand ?? "", again));
  going.value = new Set([...going.value].filter((each) => each !== number));
}
