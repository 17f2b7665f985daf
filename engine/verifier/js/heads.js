// The signed heads that a seat was shown: each must fit the entries, and all be of one log.
// @ts-check

import { hexOf, same } from "./bytes.js";
import { opened, readKey } from "./note.js";
import { verdict } from "./verdicts.js";

const [SIGNATURE, TREE] = [2, 3];

/** Heads that wait for their entries, and heads that are remembered, at most. */
export const KEPT = 256;

/** @typedef {{size: number, note: string, root: Uint8Array, signed: boolean}} Head */

/**
 * Heads that are not of one log that only grew. `proved`: the two notes alone show it to anybody
 * who has the key; else it takes the entries too, as in a bundle.
 *
 * @typedef {{why: string, notes: string[], proved: boolean}} Fork
 */

/**
 * A log that was left behind at a restore: the newest head that was verified of it, and the epochs
 * among the entries of that, each its entry and leaf (64 hex digits).
 *
 * @typedef {{note: string, epochs: readonly (readonly [number, string])[]}} Gone
 */

/** The last entry that a head of so many covers; null for none. @param {number} [size] */
const lastOf = (size) => (size ? size - 1 : null);

/** The heads of one table; `newest` is the largest that fits the entries. */
export class Heads {
  /** @type {Head | null} */
  newest = null;
  /** @type {Fork[]} */
  forks = [];
  /** What is wrong, for good. @type {import("./verdicts.js").Verdict[]} */
  wrong = [];
  /** Why signatures could not be checked; null where they were. @type {string | null} */
  unsigned = null;
  /** By size. @type {Map<number, Head>} */
  #known = new Map();
  /** The sizes of those whose entries are not here. @type {Set<number>} */
  #waiting = new Set();
  /** The log's, as its heads name it; empty before the first. */
  origin = "";

  /** Logs of before restores whose entries this one has not reached yet. @type {(Head & Gone)[]} */
  #gone = [];

  /** How many entries the log had, at least, when it was looked at before. */
  least = 0;

  /** @param {string} table @param {string[]} keys vkeys. Throws BadNote. */
  constructor(table, keys) {
    this.table = table;
    this.keys = keys.map(readKey);
  }

  /** How many entries the largest head that waits is of, 0 for none. */
  get awaited() {
    return Math.max(0, ...this.#waiting);
  }

  /** Whether a head of this size waits. @param {number} size */
  waits(size) {
    return this.#waiting.has(size);
  }

  /** A head, not compared with entries yet; null where it is none, or is known. */
  async read(/** @type {string} */ note) {
    const { checkpoint, signer, wrong, unchecked } = await opened(String(note), this.keys);
    const why = wrong ?? this.#strange(checkpoint.origin);
    if (why !== null) {
      this.#wrong(SIGNATURE, `a signed head is not accepted: ${why}`, lastOf(checkpoint?.size));
      return null;
    }
    this.origin = checkpoint.origin;
    this.unsigned = unchecked;
    const { size, root } = checkpoint;
    return this.#first({ size, note, root, signed: signer !== null });
  }

  #strange(/** @type {string} */ origin) {
    if (!origin.endsWith(`/t/${this.table}`)) return `it is of ${origin}, not of table ${this.table}`;
    return this.origin && origin !== this.origin ? `it is of ${origin}, not ${this.origin}` : null;
  }

  /** The head, or null where one of its size came before. @param {Head} head */
  #first(head) {
    const known = this.#known.get(head.size);
    if (known === undefined) {
      if (this.#known.size >= KEPT) this.#forget();
      this.#known.set(head.size, head);
      return head;
    }
    if (!same(known.root, head.root)) {
      this.#fork(`two heads of ${head.size} entries have two roots`, [known, head], known.root, head.root);
    }
    return null;
  }

  #forget() {
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest);
    this.#waiting.delete(oldest);
  }

  /** The head's entries are not all here. @param {Head} head */
  wait({ size }) {
    this.#waiting.add(size);
  }

  /** The player accepted a restore that left this log. @param {Gone} gone */
  async left({ note, epochs }) {
    const { checkpoint, wrong } = await opened(note, this.keys);
    if (wrong === null) this.#gone.push({ ...checkpoint, signed: this.keys.length > 0, note, epochs });
  }

  /**
   * Hold the log against those that are gone: it leaves each at an epoch of its own. So no epoch
   * brings back what an earlier one took away, and goes on there otherwise.
   *
   * @param {number} size
   * @param {(size: number) => Uint8Array} rootAt the root of so many of its entries
   * @param {Gone["epochs"]} epochs
   */
  hold(size, rootAt, epochs) {
    for (const old of this.#gone.filter((each) => each.size <= size)) {
      this.#gone.splice(this.#gone.indexOf(old), 1);
      const root = rootAt(old.size);
      if (same(root, old.root) || leaves(epochs, old)) continue;
      const why = `the log left the ${old.size} entries of before at no epoch of its own`;
      const covering = [...this.#known.values()].filter((head) => head.size >= old.size);
      const [first] = covering.sort((one, other) => one.size - other.size);
      this.#fork(why, first ? [old, first] : [old], old.root, root);
    }
  }

  /** Compare the head that waits for so many entries with their root. @param {number} size */
  grown(size, /** @type {Uint8Array} */ root) {
    const head = this.#known.get(size);
    this.#waiting.delete(size);
    if (head) this.fits(head, root);
  }

  /** Compare a head with the root of as many entries. @param {Head} head */
  fits(head, /** @type {Uint8Array} */ root) {
    const { newest } = this;
    if (!same(root, head.root)) {
      const why = `the first ${head.size} entries are not those that were signed`;
      this.#fork(why, newest ? [newest, head] : [head], head.root, root);
    } else if (newest === null || newest.size < head.size) {
      this.newest = head;
    }
  }

  /** The log has so many entries: as many as were signed before, or more. */
  ended(/** @type {number} */ size) {
    if (size < this.least) {
      const why = `the log went back: it has ${size} entries, and had ${this.least}`;
      const beyond = [...this.#known.values()].filter((head) => head.size > size);
      this.#fork(why, beyond.slice(-1));
    }
    this.least = Math.max(this.least, size, this.awaited);
  }

  /** @param {string} why @param {Head[]} heads @param {Uint8Array} [expected] @param {Uint8Array} [found] */
  #fork(why, heads, expected, found) {
    const [one, other] = heads;
    const proved = one?.size === other?.size && other?.signed;
    const seq = lastOf((other ?? one)?.size);
    this.#wrong(TREE, why, seq, expected && hexOf(expected), found && hexOf(found));
    this.forks.push({ why, notes: heads.map(({ note }) => note), proved: Boolean(proved) });
  }

  /**
   * @param {number} step @param {string} why @param {number | null} seq
   * @param {string} [expected] @param {string} [found]
   */
  #wrong(step, why, seq, expected, found) {
    if (this.wrong.length < KEPT) {
      this.wrong.push(verdict(step, seq, "wrong", why, expected, found));
    }
  }
}

/**
 * Whether a log with these epochs parts from one that is gone with an epoch, as far as they show it.
 *
 * @param {Gone["epochs"]} epochs
 * @param {Head & Gone} old
 */
function leaves(epochs, { size, epochs: its }) {
  const parted = epochs.findIndex(([seq, leaf], at) => its[at]?.[0] !== seq || its[at]?.[1] !== leaf);
  if (parted < 0) return false;
  const [own] = epochs[parted];
  const [other = Infinity] = its[parted] ?? [];
  return own < size && own <= other;
}
