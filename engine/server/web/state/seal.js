// @ts-check
// The seal: every entry is checked as it comes, by the code of the verifier.

import { begin, ended, headed, judged, seal, took } from "verifier/seat.js";

/**
 * @import { EntryLine } from "../urim"
 * @import { Keeper } from "./kept.js"
 */

/** What was looked at (a step of docs/bundle.md), and what was found: `entry` is where, if anywhere.
 * @typedef {{what: string, state: "ok"|"wrong"|"unchecked", why: string, entry: number|null}} Part */

/**
 * The seal. `green`: all that this page can check is right; `grey`: something could not be checked;
 * `red`: something is wrong. `head` is the newest signed head that fits.
 *
 * @typedef {{state: "green"|"grey"|"red", size: number, parts: readonly Part[],
 *   head: {size: number, note: string, signed: boolean, epochs: readonly [number, string][]}|null,
 *   wrong: readonly Verdict[], unchecked: readonly Verdict[],
 *   forks: readonly {why: string, notes: readonly string[], proved: boolean}[]}} Seal
 */

/** @typedef {{seq: number|null, what: string, state: string, why: string, expected?: string, found?: string}} Verdict */

/** @type {Seal} */
export const UNSEALED = { state: "grey", size: 0, parts: [], head: null, wrong: [], unchecked: [], forks: [] };

/** Logs of before a restore that are remembered, at most. */
const GONE = 16;

/** The seal of one seat's table. */
export class Sealing {
  #state;
  #keeper;
  #key;
  #epochs;
  #gone;
  #changed;
  #live = false;

  /**
   * @param {{table: string, vkey: string, keeper: Keeper, key: string, changed: (seal: Seal) => void}} needs
   *   `vkey` is the table's, from the exchange; "" for none; `changed` gets the seal whenever it was
   *   looked at
   */
  constructor({ table, vkey, keeper, key, changed }) {
    this.#keeper = keeper;
    this.#key = `head/${key}`;
    this.#epochs = `epochs/${key}`;
    this.#gone = `gone/${key}`;
    this.#changed = changed;
    const kept = keeper.value(this.#key);
    const gone = keeper.value(this.#gone) ?? [];
    this.#state = begin({ table, key: vkey || null, heads: kept === null ? [] : [kept], gone });
  }

  /**
   * Entries that came, in order, and the head that covers them, where one came with them.
   *
   * @param {readonly EntryLine[]} entries
   * @param {readonly EntryLine[]} [changed]
   * @param {string|null} [note]
   */
  take(entries, changed = [], note = null) {
    void took(this.#state, entries, changed);
    if (note) void headed(this.#state, note);
    if (this.#live) void this.#judge();
  }

  /** A signed head that came. @param {string|null|undefined} note */
  head(note) {
    if (note) void headed(this.#state, note);
    if (note && this.#live) void this.#judge();
  }

  /**
   * A history has ended at so many entries, with this head: from here on all is judged as it comes.
   *
   * @param {number} size
   * @param {string|null} [note]
   * @returns {Promise<void>} once the seal is there
   */
  caughtUp(size, note = null) {
    this.#live = true;
    if (note) void headed(this.#state, note);
    void ended(this.#state, size);
    return this.#judge();
  }

  /** A history begins: it is judged at its end. */
  history() {
    this.#live = false;
  }

  /**
   * Put aside what was seen: the player knows that a backup was restored. It is kept: the log must
   * have left it at an epoch.
   */
  forget() {
    const keeper = this.#keeper;
    const note = keeper.value(this.#key);
    if (note !== null) {
      const left = { note, epochs: keeper.value(this.#epochs) ?? [] };
      keeper.keep(this.#gone, [...(keeper.value(this.#gone) ?? []), left].slice(-GONE));
    }
    for (const name of [this.#key, this.#epochs]) keeper.keep(name, null);
  }

  /** @returns {Promise<void>} */
  async #judge() {
    await judged(this.#state);
    const found = seal(this.#state);
    if (found.head !== null && !found.forks.length) {
      this.#keeper.keep(this.#key, found.head.note);
      this.#keeper.keep(this.#epochs, found.head.epochs);
    }
    this.#changed(found);
  }
}
