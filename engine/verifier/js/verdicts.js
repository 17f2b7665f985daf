// What the checks of a log found, entry by entry; entries may still follow.
// @ts-check

import { STEPS } from "./names.js";

/** @typedef {"ok" | "wrong" | "unchecked"} Outcome */

/**
 * What one step says of one entry. `seq` is null where it is about no entry: of a signed head, or
 * of the log as a whole. `why` is a sentence in English, empty where there is nothing to say;
 * `expected` and `found` come with what is wrong.
 *
 * @typedef {{seq: number | null, what: string, state: Outcome, why: string, expected?: string,
 *   found?: string}} Verdict
 */

/**
 * A verdict, what was expected and found left out where there is nothing of it.
 *
 * @param {number} step
 * @param {number | null} seq
 * @param {Outcome} state
 * @param {string} why
 * @param {unknown} [expected]
 * @param {unknown} [found]
 * @returns {Verdict}
 */
export function verdict(step, seq, state, why, expected = null, found = null) {
  const made = { seq, what: STEPS[step - 1], state, why };
  if (expected !== null) Object.assign(made, { expected: String(expected) });
  if (found !== null) Object.assign(made, { found: String(found) });
  return made;
}

/** The report of a `Fold` whose log goes on. What it says has the form of report.js. */
export class Verdicts {
  /** How often any step failed. */
  failures = 0;
  /** The entry that is looked at. @type {number} */
  seq = 0;
  /** Verdicts on the entries as they came. @type {Verdict[]} */
  kept = [];
  /** Verdicts of the checks at the end: of what is there so far. @type {Verdict[]} */
  last = [];
  /** By entry the steps that looked at it, one bit each. @type {number[]} */
  looks = [];
  #ending = false;

  /** The checks of `Fold.end`, in the place of what they found the last time. */
  ends(/** @type {() => void} */ check) {
    const { failures } = this;
    this.last = [];
    this.#ending = true;
    check();
    this.#ending = false;
    this.failures = failures;
  }

  /** @param {Parameters<typeof verdict>} found */
  #say(...found) {
    (this.#ending ? this.last : this.kept).push(verdict(...found));
  }

  /** @param {number} step */
  looked(step) {
    if (!this.#ending) this.looks[this.seq] = (this.looks[this.seq] ?? 0) | (1 << step);
  }

  /**
   * @param {number} step
   * @param {number | null} seq
   * @param {string} why
   * @param {unknown} [expected]
   * @param {unknown} [found]
   */
  fail(step, seq, why, expected, found) {
    this.failures++;
    this.#say(step, seq, "wrong", why, expected, found);
  }

  /** @param {number} step @param {number | null} seq @param {string} why */
  finding(step, seq, why) {
    this.#say(step, seq, "unchecked", why);
  }

  /** @param {number} step @param {number | null} seq @param {string} why */
  unchecked(step, seq, why) {
    this.#say(step, seq, "unchecked", why);
  }

  /** @param {number} step @param {number | null} seq @param {string} why */
  sealed(step, seq, why) {
    this.unchecked(step, seq, why);
  }

  /**
   * What a seat is not shown speaks against no entry that it is shown.
   *
   * @param {number} step
   * @param {number | null} seq
   * @param {string} why
   */
  hidden(step, seq, why) {
    this.note(step, seq, why);
  }

  /**
   * What people should look at speaks against no entry.
   *
   * @param {number} step
   * @param {string} _kind
   * @param {number | null} seq
   * @param {string} why
   */
  look(step, _kind, seq, why) {
    this.note(step, seq, why);
  }

  /** @param {number} step @param {number | null} seq @param {string} why */
  note(step, seq, why) {
    this.#say(step, seq, "ok", why);
  }

  /** Nothing: a step has no summary while the log goes on. */
  say() {}

  /** Nothing: what is stated is counted of a whole log. */
  count() {}

  /** The names of the steps that looked at an entry. @param {number} seq */
  lookedAt(seq) {
    const bits = this.looks[seq] ?? 0;
    return STEPS.filter((_, at) => bits & (2 << at));
  }
}
