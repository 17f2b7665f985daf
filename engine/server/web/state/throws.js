// @ts-check
// How a throw is made: its level, the nonce for a commitment, and whom it asks for shares (docs/throws.md).

import { textHash } from "verifier/seat.js";

import { LENGTH } from "./chain.js";
import { hex } from "./requests.js";

/**
 * @import { Command } from "../urim"
 * @import { Keeper } from "./kept.js"
 * @import { Roll } from "./rolls.js"
 * @import { Table } from "./table.js"
 */

/** A nonce of this seat, for a throw that answers the commitment of entry `committed`.
 * @typedef {{roll: number, throw: number, committed: number, nonce: string}} Held */

/** The `core` from which on every fair throw asks others, but at a table of level `server`. */
const COUNTED = 5;

/** Bytes of a nonce. */
const NONCE = 32;

/** Used nonces of which is remembered that they were. */
const REMEMBERED = 200;

/** The nonces of one seat at one table, for throws at level `player`. One commitment gets one nonce. */
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
   * The nonce for a throw, 64 hex digits: the same again, or a new one, which is kept before it is given.
   *
   * @param {Omit<Held, "nonce">} wanted
   * @returns {string}
   */
  nonce(wanted) {
    const known = this.held.find((each) => sameThrow(each, wanted));
    if (known) return known.nonce;
    const made = { ...wanted, nonce: hex(NONCE) };
    this.#keeper.keep(this.#key, [...this.held, made].slice(-REMEMBERED));
    return made.nonce;
  }
}

/** @param {Omit<Held, "nonce">} one @param {Omit<Held, "nonce">} other */
const sameThrow = (one, other) =>
  one.roll === other.roll && one.throw === other.throw && one.committed === other.committed;

// --- levels, as projections/levels.py has them ------------------------------------------------------

/** The other seats that may be asked for shares, by id. @param {Table} table @param {string} seat */
function anchored({ seats }, seat) {
  return Object.values(seats).filter(({ id, here, anchor }) => here && anchor !== null && id !== seat)
    .map(({ id }) => id).sort();
}

/** Those of them that kept no share back, or did something since. @param {Table} table @param {string} seat */
const awake = (table, seat) => anchored(table, seat).filter((id) => !table.kept_back.includes(id));

/** The level that is due for a throw of a seat. @param {Table} table @param {string} seat @param {Roll} roll */
function levelDue(table, seat, roll) {
  if (roll.level !== null || table.source !== "fair" || table.one_machine) return roll.level ?? table.level;
  const early = roll.hidden || table.seats[seat]?.role === "narrator"; // of a log of version 0.2
  const watched = table.core >= COUNTED ? table.level !== "server" : early;
  return watched && anchored(table, seat).length ? "table" : table.level;
}

/**
 * The level at which a seat's next throw in a roll is made: what is due, if anybody else can be asked.
 *
 * @param {Table} table
 * @param {string} seat
 * @param {Roll} roll
 * @returns {string}
 */
export function levelNext(table, seat, roll) {
  const due = levelDue(table, seat, roll);
  return due === "table" && !awake(table, seat).length ? "player" : due;
}

/**
 * Whom a throw asks, by advice: who has an anchor and is connected; all who have one where nobody is. Whose
 * last link was asked for renews the chain first.
 *
 * @param {Table} table
 * @param {string} seat
 * @param {readonly string[]} present
 * @returns {string[]}  by id, the seat itself among them
 */
export function toAsk(table, seat, present) {
  const others = awake(table, seat).filter((id) => (table.seats[id]?.asks ?? 0) < LENGTH);
  const here = others.filter((id) => present.includes(id));
  return [...(here.length ? here : others), seat].sort();
}

// --- the next step ----------------------------------------------------------------------------------

/** What a throw is to do: `option` dice of an offer, `faces` of typed dice, or `dice` thrown again.
 * @typedef {{hand: string, option?: number|null, faces?: (number|string)[]|null, dice?: string[]|null}} Wish */

/**
 * What comes next for a throw: a command to send, `asks` where others' shares are waited for after it;
 * or `wait`: until this seat has an anchor, or until a signed head covers entry `committed`.
 *
 * @param {Table} table
 * @param {string} seat  of this page
 * @param {{nonces: Nonces, present: readonly string[], covered: number}} own  `covered`: entries under the
 *   newest signed head
 * @param {Roll} roll
 * @param {Wish} wish
 * @returns {{send: Command, asks: boolean}|{wait: "anchor"|"head"}}
 */
export function nextStep(table, seat, { nonces, present, covered }, roll, wish) {
  const { commitment, number } = roll;
  if (table.source !== "fair" || commitment === null) return { send: throwing(number, wish), asks: false };
  const { throw: of, seq: committed } = commitment;
  const level = levelNext(table, seat, roll);
  if (level === "server") return { send: throwing(number, wish, { committed }), asks: false };
  if (level === "table") {
    if (table.seats[seat]?.anchor == null) return { wait: "anchor" };
    const { hand, option, dice } = wish;
    const more = { ...(option == null ? {} : { option }), ...(dice ? { dice } : {}) };
    return { send: { do: "ask/1", roll: number, hand, committed, asked: toAsk(table, seat, present), ...more }, asks: true };
  }
  if (covered <= committed) return { wait: "head" };
  const nonce = nonces.nonce({ roll: number, throw: of, committed });
  return { send: throwing(number, wish, { committed, nonce }), asks: false };
}

/** @param {number} roll @param {Wish} wish @param {{committed?: number, nonce?: string}} [proof] @returns {Command} */
function throwing(roll, { hand, option, faces, dice }, proof = {}) {
  const typed = faces ? { faces } : {};
  if (dice) return { do: "reroll/1", roll, hand, dice, ...proof, ...typed };
  return { do: "roll/1", roll, hand, ...proof, ...typed, ...(option == null ? {} : { option }) };
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
