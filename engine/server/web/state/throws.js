// @ts-check
// Nonces: drawn once for each throw and commitment, kept until they are used (docs/throws.md).

import { nonceCommitment, textHash, throwId } from "verifier/core.js";

import { hex } from "./requests.js";

/**
 * @import { Command } from "../urim"
 * @import { Keeper } from "./kept.js"
 * @import { Roll } from "./rolls.js"
 * @import { Table } from "./table.js"
 */

/**
 * A nonce of this seat. `bound` is the roller's nonce commitment where it was given as a witness.
 *
 * @typedef {{kind: "throw"|"witness", roll: number, throw: number, committed: number, nonce: string, bound: string}} Held
 */

/** Bytes of a nonce. */
const NONCE = 32;

/** Used nonces of which is remembered that they were. */
const REMEMBERED = 200;

/** The commitment to a nonce for a throw of a roll. @param {Table} table @param {number} roll @param {number} number @param {string} nonce */
const committedTo = (table, roll, number, nonce) => nonceCommitment(throwId(table.id, roll, number), nonce);

/** The nonces of one seat at one table. One commitment gets one nonce, whatever is asked again. */
export class Nonces {
  #keeper;
  #key;

  /** @param {Keeper} keeper @param {string} key  of the seat */
  constructor(keeper, key) {
    this.#keeper = keeper;
    this.#key = `nonces/${key}`;
  }

  /** @returns {Held[]} */
  get held() {
    return this.#keeper.value(this.#key) ?? [];
  }

  /**
   * The nonce for a throw: the same again, or a new one, which is kept before it is given.
   *
   * @param {Omit<Held, "nonce">} wanted
   * @returns {string|null} 64 hex digits; null where one was given for another nonce of the roller's
   *   under the same commitment: two nonces would let the roller choose
   */
  nonce(wanted) {
    const known = this.held.find((each) => sameThrow(each, wanted));
    if (known) return known.bound === wanted.bound ? known.nonce : null;
    const made = { ...wanted, nonce: hex(NONCE) };
    this.#keeper.keep(this.#key, [...this.held, made].slice(-REMEMBERED));
    return made.nonce;
  }
}

/** @param {Omit<Held, "nonce">} one @param {Omit<Held, "nonce">} other */
const sameThrow = (one, other) =>
  one.kind === other.kind && one.roll === other.roll && one.throw === other.throw
  && one.committed === other.committed;

/** What a throw is to do: `option` dice of an offer, `faces` of typed dice, or `dice` thrown again.
 * @typedef {{hand: string, option?: number|null, faces?: (number|string)[]|null, dice?: string[]|null}} Wish */

/**
 * What comes next for a throw: a command to send, or `wait` for the nonces of these seats, or `stop`
 * where it cannot be made from here.
 *
 * @param {Table} table
 * @param {string} seat  of this page
 * @param {Nonces} nonces
 * @param {Roll} roll
 * @param {Wish} wish
 * @returns {{send: Command, last: boolean}|{wait: readonly string[]}|{stop: string}}
 */
export function nextStep(table, seat, nonces, roll, wish) {
  const { commitment, level, nonce: bound, number } = roll;
  if (table.source !== "fair" || commitment === null) return { send: throwing(number, wish), last: true };
  const { throw: of, seq: committed } = commitment;
  if (level === "server") return { send: throwing(number, wish, { committed }), last: true };
  const nonce = nonces.nonce({ kind: "throw", roll: number, throw: of, committed, bound: "" });
  if (nonce === null) return { stop: "nonce" };
  if (level === "table") {
    if (bound === null) return { send: binding(table, seat, number, of, committed, nonce), last: false };
    if (bound.seat !== seat) return { stop: "bound" };
    if (bound.bound !== committedTo(table, number, of, nonce)) return { stop: "nonce" };
    if (bound.silent.length) return { wait: bound.silent };
  }
  return { send: throwing(number, wish, { committed, nonce }), last: true };
}

/** @param {number} roll @param {Wish} wish @param {{committed?: number, nonce?: string}} [proof] @returns {Command} */
function throwing(roll, { hand, option, faces, dice }, proof = {}) {
  const typed = faces ? { faces } : {};
  if (dice) return { do: "reroll/1", roll, hand, dice, ...proof, ...typed };
  return { do: "roll/1", roll, hand, ...proof, ...typed, ...(option == null ? {} : { option }) };
}

/** Every other seat that is here is asked. @param {Table} table @param {string} seat @param {number} roll @param {number} number @param {number} committed @param {string} nonce @returns {Command} */
function binding(table, seat, roll, number, committed, nonce) {
  const others = Object.values(table.seats).filter(({ id, here }) => here && id !== seat);
  const asked = others.map(({ id }) => id).sort();
  const nonce_commit = committedTo(table, roll, number, nonce);
  return { do: "commit_nonce/1", roll, nonce_commit, committed, asked };
}

/**
 * The commands that give this seat's nonces where others ask for them.
 *
 * @param {Table} table
 * @param {string} seat
 * @param {Nonces} nonces
 * @returns {Extract<Command, {do: "witness/1"}>[]}
 */
export function witnessing(table, seat, nonces) {
  const found = [];
  for (const { number, nonce: bound } of table.rolls.values()) {
    if (bound === null || !bound.silent.includes(seat)) continue;
    const { throw: of, committed } = bound;
    const nonce = nonces.nonce({ kind: "witness", roll: number, throw: of, committed, bound: bound.bound });
    if (nonce !== null) found.push({ do: /** @type {const} */ ("witness/1"), roll: number, nonce });
  }
  return found;
}

/**
 * Words as they go with a command: with a new salt, and the hash that the command has.
 *
 * @param {string} words
 * @returns {{text: {salt: string, text: string}, hash: string}}
 */
export function worded(words) {
  const salt = hex(16);
  return { text: { salt, text: words }, hash: textHash(salt, words) };
}
