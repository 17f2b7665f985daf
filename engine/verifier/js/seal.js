// What was found of a table's log: the verdicts on each entry, and what they come to.
// @ts-check

import { STEPS } from "./names.js";
import { verdict } from "./verdicts.js";

/** @typedef {import("./core.js").State} State */
/** @typedef {import("./heads.js").Fork} Fork */
/** @typedef {import("./verdicts.js").Verdict} Verdict */

/**
 * `state`: red where anything is wrong; grey where a throw that is shown, a command, a head or its
 * signature could not be checked; else green. What is hidden from the seat makes nothing grey.
 * `head` is the newest that fits the entries; `note` and the `epochs` among its entries are to be
 * kept. `parts` are the steps that
 * looked at anything: the worst verdict on each, and the first entry that has it.
 *
 * @typedef {{what: string, state: import("./verdicts.js").Outcome, why: string, entry: number | null}} Part
 * @typedef {{state: "green" | "grey" | "red", size: number,
 *   head: {size: number, note: string, signed: boolean, epochs: [number, string][]} | null,
 *   parts: Part[],
 *   wrong: Verdict[], unchecked: Verdict[], forks: Fork[]}} Seal
 */

const [SIGNATURE, TREE, RULES] = [2, 3, 11];

/** Steps that are not checked because of what is hidden, or need the rules: they make nothing grey. */
const QUIET = new Set(["throws", "rules", "voids", "rulings", "hidden"]);

/** The verdicts on these entries, and on all others of which something else is found than before. */
export function* differing(/** @type {State} */ state, /** @type {Set<number | null>} */ seqs) {
  /** @type {Map<number | null, Verdict[]>} */
  const bySeq = new Map();
  for (const each of all(state)) {
    const before = bySeq.get(each.seq);
    if (before) before.push(each);
    else bySeq.set(each.seq, [each]);
  }
  const given = new Map([...bySeq].map(([seq, found]) => [seq, JSON.stringify(found)]));
  for (const seq of new Set([...given.keys(), ...state.given.keys()])) {
    if (given.get(seq) !== state.given.get(seq)) seqs.add(seq);
  }
  state.given = given;
  for (const seq of seqs) yield completed(state, seq, bySeq.get(seq) ?? []);
}

/** All verdicts but those that say nothing more than that an entry is ok. */
function all(/** @type {State} */ state) {
  const { report, wrong, heads } = state;
  return [...wrong, ...heads.wrong, ...report.kept, ...report.last, ...open(state)];
}

/** What of the signed heads could not be checked, and that the rules are not. */
function* open(/** @type {State} */ { judged: size, heads }) {
  const { newest, awaited, unsigned } = heads;
  const unchecked = (/** @type {number} */ step, /** @type {string} */ why, at = null) =>
    verdict(step, at, "unchecked", why);
  if (unsigned !== null) yield unchecked(SIGNATURE, unsigned);
  if (newest === null) yield unchecked(TREE, "no signed head of these entries has come");
  else if (newest.size < size) {
    yield unchecked(TREE, `no signed head is of more than the first ${newest.size} entries`);
  }
  if (awaited > size) yield unchecked(TREE, `${awaited} entries were signed, and ${size} are here`);
  if (size) yield unchecked(RULES, "the rules of the game are not checked here: urim audit does");
}

/**
 * The verdicts on an entry, or with null those that are about none.
 *
 * @param {State} state
 * @param {number | null} seq
 * @returns {Verdict[]}
 */
export function verdicts(state, seq) {
  return completed(state, seq, all(state).filter((each) => each.seq === seq));
}

/** What was found of an entry, and that all else is ok which looked at it. */
function completed(
  /** @type {State} */ { report },
  /** @type {number | null} */ seq,
  /** @type {Verdict[]} */ found,
) {
  if (seq === null) return found;
  const named = new Set(found.map(({ what }) => what));
  const others = report.lookedAt(seq).filter((what) => !named.has(what));
  /** @type {Verdict[]} */
  const ok = others.map((what) => ({ seq, what, state: "ok", why: "" }));
  return [...found, ...ok];
}

/**
 * What all verdicts so far come to.
 *
 * @param {State} state
 * @returns {Seal}
 */
export function seal(state) {
  const { report, judged: size, heads } = state;
  const found = all(state);
  const [wrong, unchecked] = ["wrong", "unchecked"].map((outcome) =>
    found.filter((each) => each.state === outcome),
  );
  const { newest, forks } = heads;
  const seen = report.looks.reduce((bits, more) => bits | more, 0);
  const looked = STEPS.filter((what, at) => seen & (2 << at) || (newest && at + 1 === TREE));
  if (newest?.signed) looked.push("signature");
  const grey = unchecked.some(({ what }) => !QUIET.has(what));
  return {
    state: wrong.length ? "red" : grey || !size ? "grey" : "green",
    ...{ size, wrong, unchecked, forks: [...forks] },
    head: newest && headOf(newest, state),
    parts: STEPS.flatMap((what) => part(what, [...wrong, ...unchecked, ...found], looked)),
  };
}

/** What a client keeps of a head. @param {import("./heads.js").Head} head @param {State} state */
const headOf = ({ size, note, signed }, { epochs }) => ({
  ...{ size, note, signed },
  epochs: epochs.filter(([seq]) => seq < size),
});

/** The worst of what was found of a step. @returns {Part[]} */
function part(
  /** @type {string} */ what,
  /** @type {Verdict[]} */ found,
  /** @type {string[]} */ looked,
) {
  const worst = found.find((each) => each.what === what);
  if (worst && worst.state !== "ok") {
    return [{ what, state: worst.state, why: worst.why, entry: worst.seq }];
  }
  return worst || looked.includes(what) ? [{ what, state: "ok", why: "", entry: null }] : [];
}

/**
 * Every throw that the seat was shown, in the order of the log, as `verify` lists them: {roll,
 * throw, seq, at, by, hand, kind, source, level, dice, verdict}. `verdict` is pass, fail,
 * not-checked, or not-applicable where no seed decides the dice.
 *
 * @param {State} state
 * @returns {any[]}
 */
export const throws = (state) => [...(state.fold?.facts.throws ?? [])];
