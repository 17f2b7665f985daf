// @ts-check
/** Commands made of an offer and of what was chosen for it. Pure: no signal, no DOM. */

import { latestRuling } from "../state/rolls.js";

/**
 * @import { Command, HandSight, Offer, Word } from "../urim.d.ts"
 * @typedef {number | string} Face
 * @typedef {{chosen: string[], to: Record<string, Face>}} Choosing  ids of dice, and faces by die
 */

/** Commands that need nothing but the roll, by trigger. */
export const PLAIN = {
  resolve: "resolve/1",
  apply_damage: "apply_damage/1",
  reveal: "reveal/1",
  withdraw: "withdraw/1",
};

/** Commands that need a reason beside it, by trigger. */
const WORDED = { dispute: "dispute/1", veto: "veto/1", void: "void/3" };

/** @param {keyof typeof PLAIN | keyof typeof WORDED} trigger @param {number} roll */
export function plainly(trigger, roll) {
  const tag = { ...PLAIN, ...WORDED }[trigger];
  return /** @type {Command} */ ({ do: tag, roll });
}

/** What a command names that contradicts the latest ruling on its roll. @param {any} roll */
export function contradicting(roll) {
  const made = latestRuling(roll);
  return made === null ? {} : { against: made };
}

/**
 * Freeze what is frozen and chosen: a command names every die that shall be frozen.
 *
 * Where all chosen dice are frozen already, they are let go instead.
 *
 * @param {number} roll @param {HandSight} hand @param {string[]} chosen
 * @returns {Command}
 */
export function freezing(roll, hand, chosen) {
  const frozen = hand.dice.filter((die) => die.frozen).map((die) => die.id);
  const lets = chosen.length > 0 && chosen.every((id) => frozen.includes(id));
  const wanted = (/** @type {string} */ id) =>
    lets ? frozen.includes(id) && !chosen.includes(id) : frozen.includes(id) || chosen.includes(id);
  const dice = hand.dice.map((die) => die.id).filter(wanted);
  return { do: "freeze/1", roll, hand: hand.name, dice };
}

/** Freeze all dice of a hand. @param {number} roll @param {HandSight} hand @returns {Command} */
export function standing(roll, hand) {
  return { do: "freeze/1", roll, hand: hand.name, dice: hand.dice.map((die) => die.id) };
}

/**
 * What throwing so many dice again costs, and whether the offer allows so many.
 *
 * @param {Offer} offer  a reroll's
 * @param {number} count
 * @returns {{allowed: boolean, extra: number, points: number}} dice beyond the free ones, their price
 */
export function rerolling(offer, count) {
  const least = offer.least ?? 1;
  const most = offer.most ?? 0;
  const extra = Math.max(0, count - most);
  const allowed = count >= least && count > 0 && extra <= (offer.extra ?? 0);
  return { allowed, extra, points: extra * (offer.extra_cost?.[1] ?? 0) };
}

/**
 * The faces that a die may show by an adjustment, with their prices, its own face at price 0.
 *
 * Numbers stand in order, so that a step is up or down; letters as the offer has them.
 *
 * @param {Offer} offer @param {{id: string, landed: Face}} die
 * @returns {[Face, number][]}
 */
export function reachable(offer, die) {
  const to = offer.to?.[die.id];
  if (!to) return [];
  const number = typeof die.landed === "number";
  /** @type {[Face, number][]} */
  const faces = Object.entries(to).map(([face, cost]) => [number ? Number(face) : face, cost]);
  if (!faces.some(([face]) => face === die.landed)) faces.unshift([die.landed, 0]);
  return number ? faces.sort((a, b) => Number(a[0]) - Number(b[0])) : faces;
}

/**
 * What adjusted dice cost, and what is left.
 *
 * @param {Offer} offer @param {HandSight} hand @param {Record<string, Face>} to
 */
export function spending(offer, hand, to) {
  let spent = 0;
  for (const die of hand.dice) {
    const face = to[die.id] ?? die.face;
    if (face !== die.landed) spent += offer.to?.[die.id]?.[String(face)] ?? 0;
  }
  return { spent, left: (offer.most ?? 0) - spent };
}

/**
 * The dice that shall show another face than after the last throw, all of them.
 *
 * @param {number} roll @param {Offer} offer @param {HandSight} hand @param {Record<string, Face>} to
 * @returns {Command}
 */
export function adjusting(roll, offer, hand, to) {
  /** @type {[string, Face][]} */
  const dice = hand.dice
    .filter((die) => !die.frozen && (to[die.id] ?? die.face) !== die.landed)
    .map((die) => [die.id, to[die.id] ?? die.face]);
  return { do: "adjust/1", roll, hand: hand.name, means: offer.means ?? "", dice };
}

/** @param {number} roll @param {Offer} offer @param {Face} option @returns {Command} */
export function choosing(roll, offer, option) {
  return { do: "choose/1", roll, choice: offer.choice ?? "", option: String(option) };
}

/**
 * @param {number} roll @param {Offer} offer
 * @param {Record<string, Word> | null} reaction  null: declined
 * @returns {Command}
 */
export function reacting(roll, offer, reaction) {
  return reaction === null
    ? { do: "react/1", roll, character: offer.character }
    : { do: "react/1", roll, character: offer.character, reaction };
}

/** Whether the one asked may decline: one that fills in a field is left alone, unless it is due.
 * @param {Offer} offer
 */
export function declinable(offer) {
  return !offer.choice || Boolean(offer.due);
}

/**
 * The faces that are to be typed: one a die, and one more behind each that is thrown again.
 *
 * @param {readonly string[]} kinds  one a die
 * @param {readonly Face[]} again  faces on which a die is thrown again at once
 * @param {readonly string[]} typed
 * @returns {{kind: string, die: number}[]} the kind and the die of each face, dice from 1
 */
export function slots(kinds, again, typed) {
  /** @type {{kind: string, die: number}[]} */
  const found = [];
  const more = again.map(String);
  kinds.forEach((kind, at) => {
    do found.push({ kind, die: at + 1 });
    while (found.length < 1000 && more.includes((typed[found.length - 1] ?? "").trim()));
  });
  return found;
}

/**
 * Faces as they were typed, as the faces that the dice have; null where one is missing or wrong.
 *
 * @param {readonly string[]} typed
 * @param {readonly (readonly Face[])[]} faces  of each slot's kind; empty: any whole number
 * @returns {Face[] | null}
 */
export function typedFaces(typed, faces) {
  /** @type {Face[]} */
  const found = [];
  for (const [at, known] of faces.entries()) {
    const text = (typed[at] ?? "").trim();
    const face = known.find((each) => String(each) === text);
    if (face !== undefined) found.push(face);
    else if (!known.length && /^-?\d{1,4}$/.test(text)) found.push(Number(text));
    else return null;
  }
  return found;
}
